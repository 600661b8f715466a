/* SPDX-License-Identifier: Apache-2.0 */
/* The same in OpenMP, which has reductions; and loops over the inside of rows on their own, with vectors. */
#include "../arrays_openmp.h"
#include "literal.h"

static bool SUITE_NAME(literal_sums)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t groups = ((const struct literal *)s->problem)->count / LITERAL_GROUP;
    const float *in = s->at[LITERAL_IN];
    float *sums = s->at[LITERAL_OUT];
#ifdef SUITE_TARGET
#pragma omp target teams distribute device(suite_openmp_device) is_device_ptr(in, sums)
#else
#pragma omp parallel for schedule(static)
#endif
    for (size_t g = 0; g < groups; ++g) {
        float sum = 0;
#ifdef SUITE_TARGET
#pragma omp parallel for reduction(+ : sum)
#else
#pragma omp simd reduction(+ : sum)
#endif
        for (size_t i = 0; i < LITERAL_GROUP; ++i)
            sum += in[g * LITERAL_GROUP + i];
        sums[g] = sum;
    }
    return true;
}

static inline __attribute__((always_inline)) float masked(const float *in, struct literal_mask mask, int last, int y,
                                                          int x)
{
    float sum = 0;
    for (int j = 0; j < LITERAL_MASK; ++j)
        for (int i = 0; i < LITERAL_MASK; ++i)
            sum += mask.at[j * LITERAL_MASK + i]
                   * in[literal_clamp(y + j - LITERAL_RADIUS, last) * (last + 1)
                        + literal_clamp(x + i - LITERAL_RADIUS, last)];
    return sum;
}

#ifndef SUITE_TARGET
/* Pixels of a row that no mask leaves; `rows` are those that the mask lies on. */
static inline void inside(const float *const *rows, const struct literal_mask *mask, float *out, int last)
{
#pragma omp simd
    for (int x = LITERAL_RADIUS; x <= last - LITERAL_RADIUS; ++x) {
        float sum = 0;
        for (int j = 0; j < LITERAL_MASK; ++j)
            for (int i = 0; i < LITERAL_MASK; ++i)
                sum += mask->at[j * LITERAL_MASK + i] * rows[j][x + i - LITERAL_RADIUS];
        out[x] = sum;
    }
}
#endif

static bool SUITE_NAME(clamped_mask)(void *state)
{
    const struct suite_openmp *s = state;
    const struct literal *literal = s->problem;
    const struct literal_mask mask = literal->mask;
    const int last = (int)literal->count - 1;
    const float *in = s->at[LITERAL_IN];
    float *out = s->at[LITERAL_OUT];
#ifdef SUITE_TARGET
#pragma omp target teams distribute parallel for collapse(2) device(suite_openmp_device) is_device_ptr(in, out)        \
    firstprivate(mask)
    for (int y = 0; y <= last; ++y)
        for (int x = 0; x <= last; ++x)
            out[y * (last + 1) + x] = masked(in, mask, last, y, x);
#else
#pragma omp parallel for schedule(static)
    for (int y = 0; y <= last; ++y) {
        const float *rows[LITERAL_MASK];
        float *to = out + (size_t)y * literal->count;
        for (int j = 0; j < LITERAL_MASK; ++j)
            rows[j] = in + (size_t)literal_clamp(y + j - LITERAL_RADIUS, last) * literal->count;
        for (int x = 0; x < LITERAL_RADIUS; ++x) {
            to[x] = masked(in, mask, last, y, x);
            to[last - x] = masked(in, mask, last, y, last - x);
        }
        inside(rows, &mask, to, last);
    }
#endif
    return true;
}

static const struct suite_version sums[] = {SUITE_OPENMP_VERSION("groups", SUITE_NAME(literal_sums))};
static const struct suite_version mask[] = {SUITE_OPENMP_VERSION("flat", SUITE_NAME(clamped_mask))};
const struct suite_versions SUITE_OPENMP_VERSIONS(group_sum) = SUITE_VERSIONS(sums);
const struct suite_versions SUITE_OPENMP_VERSIONS(tree_sum) = SUITE_VERSIONS(sums);
const struct suite_versions SUITE_OPENMP_VERSIONS(clamped_mask) = SUITE_VERSIONS(mask);
