/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that move, and numbers with their prefix sums. All are small integers or quarters, so that results are exact. */
#include "gathers.h"

#include <stdio.h>

static bool make_bodies(enum suite_size size, struct suite_problem *problem)
{
    struct gathers *g = suite_allocate_data(sizeof *g);
    problem->data = g;
    if (!g)
        return false;
    const unsigned log = size == SUITE_QUICK ? 13 : size == SUITE_CPU ? 18 : 25;
    const size_t numbers = (size_t)4 << log, bytes = numbers * sizeof(float);
    float *position = suite_allocate(bytes), *velocity = suite_allocate(bytes), *moved = suite_allocate(bytes);
    g->count = (size_t)1 << log;
    g->arrays = (struct suite_arrays){
        .at = {{bytes, position, false}, {bytes, NULL, false}, {bytes, velocity, false}}, GATHERS_OUT, moved};
    if (!position || !velocity || !moved)
        return false;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < numbers; ++i) {
        const uint64_t random = suite_random_at(i);
        position[i] = (float)(random % 64) - (i % 4 == 3 ? 32.0f : 0.0f); /* one in two has a mass above 0 */
        velocity[i] = (float)(random / 64 % 64);
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < numbers; ++i)
        moved[i] = position[i] + (i % 4 < 3 && position[i - i % 4 + 3] > 0 ? GATHERS_STEP * velocity[i] : 0.0f);
    problem->result_bytes = bytes;
    problem->literal = true;
    problem->work = (struct suite_work){.bytes = 3.0 * (double)bytes, .launches = 1};
    snprintf(problem->title, sizeof problem->title, "2^%u bodies of four floats, half of which move", log);
    return true;
}

static bool make_pairs(enum suite_size size, struct suite_problem *problem)
{
    struct gathers *g = suite_allocate_data(sizeof *g);
    problem->data = g;
    if (!g)
        return false;
    const unsigned log = size == SUITE_QUICK ? 14 : size == SUITE_CPU ? 20 : 27;
    const size_t bytes = sizeof(uint32_t) << log;
    uint32_t *in = suite_allocate(bytes), *sums = suite_allocate(bytes);
    g->count = (size_t)1 << log;
    g->arrays = (struct suite_arrays){.at = {{bytes, in, false}, {bytes, NULL, false}}, GATHERS_OUT, sums};
    if (!in || !sums)
        return false;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < g->count; ++i)
        in[i] = (uint32_t)suite_random_at(i);
    for (size_t i = 0; i < g->count; ++i)
        sums[i] = in[i] + (i % GATHERS_BLOCK ? sums[i - 1] : 0);
    problem->result_bytes = bytes;
    problem->literal = true;
    problem->work = (struct suite_work){.bytes = 2.0 * (double)bytes, .launches = 1};
    snprintf(problem->title, sizeof problem->title, "prefix sums of 2^%u numbers, in blocks of %d", log, GATHERS_BLOCK);
    return true;
}

const struct suite_program suite_strided = {"strided", "", make_bodies, suite_arrays_free, suite_arrays_equal};
const struct suite_program suite_pairs = {"pairs", "HeCBench scan", make_pairs, suite_arrays_free, suite_arrays_equal};
