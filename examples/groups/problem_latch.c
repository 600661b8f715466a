/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of a ring of numbers with a latch after each (latch.h), checked against the same on one thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "latch.h"
#include "problem.h"

enum form { LATCH, ROUNDS };

struct rings {
    const struct setting *setting;
    struct latch latch;
    uint32_t *first, *expected, *computed;
    unsigned *arrived; /* NULL unless asked for */
    uint32_t *memory[PROBLEM_MAX_SIDES][2];
};

static size_t length_of(const struct rings *rings)
{
    return rings->latch.groups * LATCH_GROUP;
}

static size_t bytes_of(const struct rings *rings)
{
    return length_of(rings) * sizeof(uint32_t);
}

static bool reset(void *data, const struct contender *contender)
{
    struct rings *rings = data;
    memset(rings->computed, 0xa5, bytes_of(rings));
    return contender->side == TEAMWORK ? problem_write(rings->latch.ring[0], rings->first)
                                       : rings->setting->sides[contender->side]->copy_in(
                                             rings->memory[contender->side][0], rings->first, bytes_of(rings));
}

static bool run(void *data, const struct contender *contender)
{
    struct rings *rings = data;
    if (contender->side != TEAMWORK) {
        uint32_t *const *memory = rings->memory[contender->side];
        return rings->setting->sides[contender->side]->rounds(memory[0], memory[1], length_of(rings),
                                                              rings->latch.rounds);
    }
    return problem_passed(contender->form == LATCH ? latch_submit(&rings->latch) : latch_submit_rounds(&rings->latch),
                          contender->label)
           && problem_passed(tw_queue_wait(rings->setting->queue), contender->label);
}

/* Every latch has counted every group. */
static bool all_arrived(struct rings *rings)
{
    if (!problem_read(rings->latch.arrived, rings->arrived))
        return false;
    for (unsigned round = 0; round < rings->latch.rounds; ++round)
        if (rings->arrived[round] != rings->latch.groups)
            return false;
    return true;
}

/* That one group more than there is room for is refused. */
static bool too_many_are_refused(struct rings *rings)
{
    struct latch latch = rings->latch;
    ++latch.groups;
    printf("    one group more must be refused, with a line on stderr:\n");
    fflush(stdout);
    return latch_submit(&latch) == TW_ERROR_UNSUPPORTED;
}

static bool check(void *data, const struct contender *contender)
{
    struct rings *rings = data;
    if (!(contender->side == TEAMWORK ? problem_read(rings->latch.ring[0], rings->computed)
                                      : rings->setting->sides[contender->side]->copy_out(
                                            rings->computed, rings->memory[contender->side][0], bytes_of(rings))))
        return false;
    if (memcmp(rings->computed, rings->expected, bytes_of(rings)) != 0)
        return false;
    if (contender->side != TEAMWORK || contender->form != LATCH)
        return true;
    return all_arrived(rings) && (!rings->setting->small || too_many_are_refused(rings));
}

static void destroy(void *data)
{
    struct rings *rings = data;
    if (!rings)
        return;
    for (int i = 0; i < 2; ++i) {
        tw_buffer_destroy(&rings->latch.ring[i]);
        for (int side = 0; side < rings->setting->side_count; ++side)
            rings->setting->sides[side]->release(rings->memory[side][i]);
    }
    tw_buffer_destroy(&rings->latch.arrived);
    free(rings->first);
    free(rings->expected);
    free(rings->computed);
    free(rings->arrived);
    free(rings);
}

static void compute_expected(struct rings *rings)
{
    const unsigned n = (unsigned)length_of(rings);
    uint32_t *now = rings->expected, *next = rings->computed; /* an even number of rounds ends where it began */
    memcpy(now, rings->first, bytes_of(rings));
    for (unsigned round = 0; round < rings->latch.rounds; ++round) {
        for (unsigned i = 0; i < n; ++i)
            next[i] = latch_next(now, i, n);
        uint32_t *past = now;
        now = next;
        next = past;
    }
}

static bool fill(struct rings *rings)
{
    const size_t n = length_of(rings);
    rings->first = malloc(bytes_of(rings));
    rings->expected = malloc(bytes_of(rings));
    rings->computed = malloc(bytes_of(rings));
    rings->arrived = malloc(rings->latch.rounds * sizeof *rings->arrived);
    if (!rings->first || !rings->expected || !rings->computed || !rings->arrived)
        return problem_fail("latch", "no memory");
    uint64_t random = 88172645463325252u;
    for (size_t i = 0; i < n; ++i)
        rings->first[i] = (uint32_t)(problem_random(&random) >> 32);
    compute_expected(rings);

    rings->latch.arrived = problem_buffer(NULL, sizeof(unsigned), rings->latch.rounds);
    bool well = rings->latch.arrived != NULL;
    for (int i = 0; well && i < 2; ++i) {
        rings->latch.ring[i] = problem_buffer(rings->first, sizeof(uint32_t), n);
        well = rings->latch.ring[i] != NULL;
        for (int side = 0; well && side < rings->setting->side_count; ++side) {
            rings->memory[side][i] = problem_memory(rings->setting->sides[side], rings->first, bytes_of(rings));
            well = rings->memory[side][i] != NULL;
        }
    }
    return well;
}

bool problem_latch(struct problem *problem, const struct setting *setting)
{
    struct rings *rings = calloc(1, sizeof *rings);
    *problem = (struct problem){
        .unit = "rounds/ms", .data = rings, .reset = reset, .run = run, .check = check, .destroy = destroy};
    if (!rings)
        return problem_fail("latch", "no memory");
    rings->setting = setting;
    rings->latch = (struct latch){.queue = setting->queue, .rounds = setting->small ? 20 : 200};
    if (!problem_passed(latch_resident_groups(tw_queue_device(setting->queue), &rings->latch.groups), "latch"))
        return false;
    snprintf(problem->title, sizeof problem->title, "%u rounds of %zu groups of %d, each after all of the one before",
             rings->latch.rounds, rings->latch.groups, LATCH_GROUP);
    problem->work = 1e-3 * rings->latch.rounds;
    problem_add(problem, "nd_range, a latch after each round", TEAMWORK, LATCH);
    problem_add(problem, "range, a kernel for each round", TEAMWORK, ROUNDS);
    problem_add_openmp(problem, setting, 0);
    return fill(rings);
}
