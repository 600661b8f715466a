/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, and what becomes of them. They are small integers, so that sums are the same in any order, but for the
   stencil's. */
#include "neighbours.h"

#include <stdio.h>

static struct neighbours *begin(struct suite_problem *problem, size_t count, size_t in_count, size_t out_count)
{
    struct neighbours *n = suite_arrays_floats(problem, sizeof *n, in_count, out_count);
    if (!n)
        return NULL;
    n->count = count;
    problem->work = (struct suite_work){.bytes = (double)(in_count + out_count) * sizeof(float)};
    return n;
}

static bool make_mask(enum suite_size size, struct suite_problem *problem)
{
    const unsigned log = size == SUITE_QUICK ? 15 : size == SUITE_CPU ? 22 : 27;
    const size_t count = (size_t)1 << log;
    const struct neighbours *n = begin(problem, count, count, count);
    float *mask = n ? suite_allocate(NEIGHBOURS_WIDTH * sizeof *mask) : NULL;
    if (!mask)
        return false;
    for (int i = 0; i < NEIGHBOURS_WIDTH; ++i)
        mask[i] = (float)(i % 7 - 2);
    struct suite_arrays *arrays = problem->data;
    arrays->at[NEIGHBOURS_MASK] = (struct suite_array){NEIGHBOURS_WIDTH * sizeof *mask, mask};
    const float *in = arrays->at[NEIGHBOURS_IN].initial;
    float *out = (float *)arrays->expected;
    for (size_t i = 0; i < count; ++i) {
        out[i] = 0;
        for (size_t j = 0; j < NEIGHBOURS_WIDTH; ++j)
            if (i + j >= NEIGHBOURS_WIDTH / 2 && i + j - NEIGHBOURS_WIDTH / 2 < count)
                out[i] += mask[j] * in[i + j - NEIGHBOURS_WIDTH / 2];
    }
    problem->work.flops = 2.0 * NEIGHBOURS_WIDTH * (double)count;
    snprintf(problem->title, sizeof problem->title, "mask of %d, a run-time value, over 2^%u numbers", NEIGHBOURS_WIDTH,
             log);
    return true;
}

static bool make_torus(enum suite_size size, struct suite_problem *problem)
{
    const size_t side = size == SUITE_QUICK ? 256 : size == SUITE_CPU ? 2048 : 8192;
    const struct neighbours *n = begin(problem, side, side * side, side * side);
    if (!n)
        return false;
    const float *in = n->arrays.at[NEIGHBOURS_IN].initial;
    float *out = (float *)n->arrays.expected;
#pragma omp parallel for schedule(static)
    for (size_t y = 0; y < side; ++y)
        for (size_t x = 0; x < side; ++x) {
            const float here = in[y * side + x];
            const float left = in[y * side + (x + side - 1) % side], right = in[y * side + (x + 1) % side];
            const float up = in[(y + side - 1) % side * side + x], down = in[(y + 1) % side * side + x];
            out[y * side + x] = here + 0.125f * (left + right + up + down - 4 * here);
        }
    snprintf(problem->title, sizeof problem->title, "five points on a torus of %zu x %zu", side, side);
    return true;
}

static bool make_fields(enum suite_size size, struct suite_problem *problem)
{
    const unsigned log = size == SUITE_QUICK ? 12 : size == SUITE_CPU ? 17 : 24;
    const size_t count = (size_t)1 << log;
    const struct neighbours *n = begin(problem, count, NEIGHBOURS_FIELDS * count, count - 2 * NEIGHBOURS_REACH);
    if (!n)
        return false;
    const float *in = n->arrays.at[NEIGHBOURS_IN].initial;
    float *out = (float *)n->arrays.expected;
#pragma omp parallel for schedule(static)
    for (size_t i = NEIGHBOURS_REACH; i < count - NEIGHBOURS_REACH; ++i) {
        float sum = 0;
        for (size_t f = 1; f < NEIGHBOURS_FIELDS; ++f)
            sum += NEIGHBOURS_TERMS(in + f * count, in, i);
        out[i - NEIGHBOURS_REACH] = sum;
    }
    problem->work.flops = 16.0 * (NEIGHBOURS_FIELDS - 1) * (double)count;
    snprintf(problem->title, sizeof problem->title, "stencil of 8 points over %d fields of 2^%u", NEIGHBOURS_FIELDS,
             log);
    return true;
}

static bool is_close(const struct suite_problem *problem, const void *result)
{
    return suite_arrays_close(problem, result, 1e-5);
}

const struct suite_program suite_any_mask = {"any_mask", "", make_mask, suite_arrays_free, suite_arrays_equal};
const struct suite_program suite_periodic = {"periodic", "", make_torus, suite_arrays_free, suite_arrays_equal};
const struct suite_program suite_helper = {"helper", "", make_fields, suite_arrays_free, is_close};
