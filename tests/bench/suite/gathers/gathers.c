/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that move, and numbers with their prefix sums. All are small integers or quarters, so that results are exact. */
#include "gathers.h"

#include <stdio.h>

/* With `count` bodies or numbers, in arrays of `each` times as many numbers. */
static struct gathers *begin(struct suite_problem *problem, size_t count, size_t each)
{
    struct gathers *g = suite_arrays_floats(problem, sizeof *g, each * count, each * count);
    if (g)
        g->count = count;
    return g;
}

static bool make_bodies(enum suite_size size, struct suite_problem *problem)
{
    const unsigned log = size == SUITE_QUICK ? 13 : size == SUITE_CPU ? 18 : 25;
    const size_t numbers = (size_t)4 << log, bytes = numbers * sizeof(float);
    struct gathers *g = begin(problem, numbers / 4, 4);
    float *velocity = g ? suite_allocate(bytes) : NULL;
    if (!velocity)
        return false;
    g->arrays.at[GATHERS_VELOCITY] = (struct suite_array){bytes, velocity};
    float *position = (float *)g->arrays.at[GATHERS_IN].initial, *moved = (float *)g->arrays.expected;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < numbers; ++i) {
        position[i] -= i % 4 == 3 ? 32.0f : 0.0f; /* one in two has a mass above 0 */
        velocity[i] = (float)(suite_random_at(i) / 64 % 64);
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < numbers; ++i)
        moved[i] = position[i] + (i % 4 < 3 && position[i - i % 4 + 3] > 0 ? GATHERS_STEP * velocity[i] : 0.0f);
    problem->work = (struct suite_work){.bytes = 3.0 * (double)bytes};
    snprintf(problem->title, sizeof problem->title, "2^%u bodies of four floats, half of which move", log);
    return true;
}

static bool make_pairs(enum suite_size size, struct suite_problem *problem)
{
    const unsigned log = size == SUITE_QUICK ? 14 : size == SUITE_CPU ? 20 : 27;
    const struct gathers *g = begin(problem, (size_t)1 << log, 1);
    if (!g)
        return false;
    uint32_t *in = (uint32_t *)g->arrays.at[GATHERS_IN].initial, *sums = (uint32_t *)g->arrays.expected;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < g->count; ++i)
        in[i] = (uint32_t)suite_random_at(i);
    for (size_t i = 0; i < g->count; ++i)
        sums[i] = in[i] + (i % GATHERS_BLOCK ? sums[i - 1] : 0);
    problem->work = (struct suite_work){.bytes = 2.0 * (double)problem->result_bytes};
    snprintf(problem->title, sizeof problem->title, "prefix sums of 2^%u numbers, in blocks of %d", log, GATHERS_BLOCK);
    return true;
}

const struct suite_program suite_strided = {"strided", "", make_bodies, suite_arrays_free, suite_arrays_equal};
const struct suite_program suite_pairs = {"pairs", "HeCBench scan", make_pairs, suite_arrays_free, suite_arrays_equal};
