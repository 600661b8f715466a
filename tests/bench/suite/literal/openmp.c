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
    /* A tree in the memory of a team: with -fopenmp-cuda-mode clang takes no variable of a team into a reduction. */
#pragma omp target teams distribute num_teams(groups) thread_limit(LITERAL_GROUP) device(suite_openmp_device)          \
    is_device_ptr(in, sums)
    for (size_t g = 0; g < groups; ++g) {
        float part[LITERAL_GROUP];
        SUITE_TEAM_MEMORY(part)
#pragma omp parallel num_threads(LITERAL_GROUP)
        {
#pragma omp for
            for (unsigned i = 0; i < LITERAL_GROUP; ++i)
                part[i] = in[g * LITERAL_GROUP + i];
            for (unsigned half = LITERAL_GROUP / 2; half > 0; half /= 2) {
#pragma omp for
                for (unsigned i = 0; i < half; ++i)
                    part[i] += part[i + half];
            }
        }
        sums[g] = part[0];
    }
#else
#pragma omp parallel for schedule(static)
    for (size_t g = 0; g < groups; ++g) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < LITERAL_GROUP; ++i)
            sum += in[g * LITERAL_GROUP + i];
        sums[g] = sum;
    }
#endif
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

/* ---- a radius that is known at run time ---------------------------------------------------------------------------- */

static inline float masked_any(const float *in, const float *mask, int last, int radius, int y, int x)
{
    float sum = 0;
    for (int j = -radius; j <= radius; ++j)
        for (int i = -radius; i <= radius; ++i)
            sum += mask[(j + radius) * (2 * radius + 1) + i + radius]
                   * in[literal_clamp(y + j, last) * (last + 1) + literal_clamp(x + i, last)];
    return sum;
}

#ifndef SUITE_TARGET

enum { CHUNK = 64 };

/* A chunk of the pixels of a row that no mask leaves to the sides: each number of the mask goes over all of them, whose
   results are in registers. */
static void chunk_any(const float *in, const float *mask, float *out, int last, int radius, int y, int x)
{
    float sums[CHUNK] = {0};
    for (int j = -radius; j <= radius; ++j) {
        const float *row = in + (size_t)literal_clamp(y + j, last) * ((size_t)last + 1) + x;
        for (int i = -radius; i <= radius; ++i) {
            const float weight = *mask++;
#pragma omp simd
            for (int lane = 0; lane < CHUNK; ++lane)
                sums[lane] += weight * row[lane + i];
        }
    }
    memcpy(out + x, sums, sizeof sums);
}

/* (not inlined, so that the radius stays a value of the run) */
static __attribute__((noinline)) void mask_any(const float *in, const float *mask, float *out, int last, int radius)
{
    const int past = last + 1 - radius, inside_past = past - radius < CHUNK ? radius : past;
#pragma omp parallel for schedule(static)
    for (int y = 0; y <= last; ++y) {
        float *to = out + (size_t)y * ((size_t)last + 1);
        for (int x = 0; x < radius; ++x)
            to[x] = masked_any(in, mask, last, radius, y, x);
        /* the last chunk may overlap with the one before */
        for (int x = radius; x < inside_past; x += CHUNK)
            chunk_any(in, mask, to, last, radius, y, x < past - CHUNK ? x : past - CHUNK);
        for (int x = inside_past; x <= last; ++x)
            to[x] = masked_any(in, mask, last, radius, y, x);
    }
}

#endif

static bool SUITE_NAME(clamped_mask_any)(void *state)
{
    const struct suite_openmp *s = state;
    const struct literal *literal = s->problem;
    const int last = (int)literal->count - 1, radius = LITERAL_RADIUS;
    const float *in = s->at[LITERAL_IN];
    float *out = s->at[LITERAL_OUT];
#ifdef SUITE_TARGET
    const struct literal_mask mask = literal->mask;
#pragma omp target teams distribute parallel for collapse(2) device(suite_openmp_device) is_device_ptr(in, out)        \
    firstprivate(mask)
    for (int y = 0; y <= last; ++y)
        for (int x = 0; x <= last; ++x)
            out[y * (last + 1) + x] = masked_any(in, mask.at, last, radius, y, x);
#else
    mask_any(in, literal->mask.at, out, last, radius);
#endif
    return true;
}

SUITE_OPENMP_LIST(group_sum, SUITE_OPENMP_VERSION("groups", SUITE_NAME(literal_sums)),
                  SUITE_OPENMP_VERSION("groups of any size", SUITE_NAME(literal_sums)))
SUITE_OPENMP_LIST(tree_sum, SUITE_OPENMP_VERSION("groups", SUITE_NAME(literal_sums)))
SUITE_OPENMP_LIST(clamped_mask, SUITE_OPENMP_VERSION("flat", SUITE_NAME(clamped_mask)),
                  SUITE_OPENMP_VERSION("flat, any radius", SUITE_NAME(clamped_mask_any)),
                  SUITE_OPENMP_VERSION("flat, specialized radius", SUITE_NAME(clamped_mask)))
