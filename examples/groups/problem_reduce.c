/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of many numbers (reduce.h), checked against the sum one after the other. */
#include <stdio.h>
#include <stdlib.h>

#include "problem.h"
#include "reduce.h"

enum form { PAIRS, TREE, PARTS, GROUP_PARTS, RANGE };

struct sums {
    const struct setting *setting;
    tw_buffer *numbers;
    struct reduce reduce;
    void *memory[PROBLEM_MAX_SIDES];
    size_t count;
    int32_t expected, sum;
};

static bool reset(void *data, const struct contender *contender)
{
    struct sums *sums = data;
    (void)contender;
    sums->sum = ~sums->expected;
    return true;
}

/* With the sum at hand: on a GPU it has to come back from there. */
static bool run(void *data, const struct contender *contender)
{
    struct sums *sums = data;
    if (contender->side != TEAMWORK)
        return sums->setting->sides[contender->side]->reduce(sums->memory[contender->side], sums->count, &sums->sum);

    static tw_status (*const submit[])(const struct reduce *) = {
        reduce_submit_pairs, reduce_submit_tree, reduce_submit_parts, reduce_submit_group_parts, reduce_submit_range};
    tw_host_accessor *accessor;
    if (!problem_passed(submit[contender->form](&sums->reduce), contender->label)
        || !problem_passed(tw_host_access(sums->reduce.sum, TW_READ, &accessor), contender->label))
        return false;
    sums->sum = *(const int32_t *)tw_host_accessor_const_data(accessor);
    tw_host_accessor_release(&accessor);
    return true;
}

static bool check(void *data, const struct contender *contender)
{
    const struct sums *sums = data;
    (void)contender;
    return sums->sum == sums->expected;
}

static void destroy(void *data)
{
    struct sums *sums = data;
    if (!sums)
        return;
    reduce_destroy(&sums->reduce);
    tw_buffer_destroy(&sums->numbers);
    for (int side = 0; side < sums->setting->side_count; ++side)
        sums->setting->sides[side]->release(sums->memory[side]);
    free(sums);
}

static bool fill(struct sums *sums)
{
    int32_t *numbers = malloc(sums->count * sizeof *numbers);
    if (!numbers)
        return problem_fail("sum", "no memory");
    uint64_t random = 88172645463325252u;
    uint32_t expected = 0; /* one after the other; any number may come, so the sum wraps around */
    for (size_t i = 0; i < sums->count; ++i) {
        numbers[i] = (int32_t)(uint32_t)(problem_random(&random) >> 32);
        expected += (uint32_t)numbers[i];
    }
    sums->expected = (int32_t)expected;

    sums->numbers = problem_buffer(numbers, sizeof *numbers, sums->count);
    bool well =
        sums->numbers
        && problem_passed(reduce_create(&sums->reduce, sums->setting->queue, sums->numbers, sums->count), "sum");
    for (int side = 0; well && side < sums->setting->side_count; ++side) {
        sums->memory[side] = problem_memory(sums->setting->sides[side], numbers, sums->count * sizeof *numbers);
        well = sums->memory[side] != NULL;
    }
    free(numbers);
    return well;
}

bool problem_reduce(struct problem *problem, const struct setting *setting)
{
    struct sums *sums = calloc(1, sizeof *sums);
    *problem =
        (struct problem){.unit = "GB/s", .data = sums, .reset = reset, .run = run, .check = check, .destroy = destroy};
    if (!sums)
        return problem_fail("sum", "no memory");
    sums->setting = setting;
    /* small: a number that no group divides, and after the first launch an odd one */
    sums->count = setting->small ? ((size_t)1 << 18) + 4099 : (size_t)1 << 25;
    snprintf(problem->title, sizeof problem->title, "Sum of %zu int32_t", sums->count);
    problem->work = 1e-9 * (double)(sums->count * sizeof(int32_t));
    problem_add(problem, "nd_range, pairs", TEAMWORK, PAIRS);
    problem_add(problem, "hierarchical, pairs", TEAMWORK, TREE);
    problem_add(problem, "nd_range, group function", TEAMWORK, PARTS);
    problem_add(problem, "hierarchical, group function", TEAMWORK, GROUP_PARTS);
    problem_add(problem, "range, a reduction of the launch", TEAMWORK, RANGE);
    problem_add_openmp(problem, setting, 0);
    return fill(sums);
}
