/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and images, and what becomes of them. All are small integers, so that sums are the same in any order. */
#include "literal.h"

#include <stdio.h>

static bool make_sums(enum suite_size size, struct suite_problem *problem)
{
    const unsigned log = size == SUITE_QUICK ? 17 : size == SUITE_CPU ? 25 : 28;
    const size_t count = (size_t)1 << log, groups = count / LITERAL_GROUP;
    struct literal *literal = suite_arrays_floats(problem, sizeof *literal, count, groups);
    if (!literal)
        return false;
    literal->count = count;
    const float *in = literal->arrays.at[LITERAL_IN].initial;
    float *sums = (float *)literal->arrays.expected;
#pragma omp parallel for schedule(static)
    for (size_t g = 0; g < groups; ++g) {
        sums[g] = 0;
        for (size_t i = 0; i < LITERAL_GROUP; ++i)
            sums[g] += in[g * LITERAL_GROUP + i];
    }
    problem->work = (struct suite_work){.bytes = (double)count * sizeof(float)};
    snprintf(problem->title, sizeof problem->title, "sums of %d floats each, of 2^%u", LITERAL_GROUP, log);
    return true;
}

static bool make_image(enum suite_size size, struct suite_problem *problem)
{
    const size_t side = size == SUITE_QUICK ? 256 : size == SUITE_CPU ? 2048 : 8192;
    struct literal *literal = suite_arrays_floats(problem, sizeof *literal, side * side, side * side);
    if (!literal)
        return false;
    literal->count = side;
    for (int i = 0; i < LITERAL_MASK * LITERAL_MASK; ++i)
        literal->mask.at[i] = (float)(i % 7 - 2);
    const float *in = literal->arrays.at[LITERAL_IN].initial;
    float *out = (float *)literal->arrays.expected;
    const int last = (int)side - 1;
#pragma omp parallel for schedule(static)
    for (int y = 0; y <= last; ++y)
        for (int x = 0; x <= last; ++x) {
            float sum = 0;
            for (int j = 0; j < LITERAL_MASK; ++j)
                for (int i = 0; i < LITERAL_MASK; ++i)
                    sum += literal->mask.at[j * LITERAL_MASK + i]
                           * in[(size_t)literal_clamp(y + j - LITERAL_RADIUS, last) * side
                                + (size_t)literal_clamp(x + i - LITERAL_RADIUS, last)];
            out[(size_t)y * side + (size_t)x] = sum;
        }
    const double pixels = (double)side * (double)side;
    problem->work =
        (struct suite_work){.bytes = 2 * sizeof(float) * pixels, .flops = 2.0 * LITERAL_MASK * LITERAL_MASK * pixels};
    snprintf(problem->title, sizeof problem->title, "mask of %d x %d, clamped, over %zu x %zu pixels", LITERAL_MASK,
             LITERAL_MASK, side, side);
    return true;
}

const struct suite_program suite_group_sum = {"group_sum", "", make_sums, suite_arrays_free, suite_arrays_equal};
const struct suite_program suite_tree_sum = {"tree_sum", "", make_sums, suite_arrays_free, suite_arrays_equal};
const struct suite_program suite_clamped_mask = {"clamped_mask", "", make_image, suite_arrays_free, suite_arrays_equal};
