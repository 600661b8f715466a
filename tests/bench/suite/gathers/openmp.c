/* SPDX-License-Identifier: Apache-2.0 */
/* The same in OpenMP, which needs no index but its loops': one version is the twin of all forms. */
#include "../arrays_openmp.h"
#include "gathers.h"

enum { GROUP = GATHERS_GROUP, BLOCK = GATHERS_BLOCK };

static bool SUITE_NAME(strided)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t count = ((const struct gathers *)s->problem)->count;
    const float *position = s->at[GATHERS_IN], *velocity = s->at[GATHERS_VELOCITY];
    float *out = s->at[GATHERS_OUT];
#ifdef SUITE_TARGET
#pragma omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(position, velocity, out)
    for (size_t i = 0; i < count; ++i) {
        const float mass = position[4 * i + 3], step = mass > 0 ? GATHERS_STEP : 0;
        out[4 * i] = position[4 * i] + step * velocity[4 * i];
        out[4 * i + 1] = position[4 * i + 1] + step * velocity[4 * i + 1];
        out[4 * i + 2] = position[4 * i + 2] + step * velocity[4 * i + 2];
        out[4 * i + 3] = mass;
    }
#else
    /* All four numbers of a velocity are read: of three of them clang makes gathers, which take twice the time in the caches and seven
       times without. */
#pragma omp parallel for schedule(static) firstprivate(position, velocity, out)
    for (size_t i = 0; i < count; ++i) {
        const float step = position[4 * i + 3] > 0 ? GATHERS_STEP : 0;
#pragma omp simd
        for (unsigned c = 0; c < 4; ++c)
            out[4 * i + c] = position[4 * i + c] + (c < 3 ? step : 0) * velocity[4 * i + c];
    }
#endif
    return true;
}

#ifndef SUITE_TARGET
static inline void add_before(const uint32_t *restrict from, uint32_t *restrict to, unsigned stride)
{
    memcpy(to, from, stride * sizeof *to);
#pragma omp simd
    for (unsigned i = stride; i < BLOCK; ++i)
        to[i] = from[i] + from[i - stride];
}

/* Without pairs: in order. */
static bool SUITE_NAME(rows)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t blocks = ((const struct gathers *)s->problem)->count / BLOCK;
    const uint32_t *in = s->at[GATHERS_IN];
    uint32_t *out = s->at[GATHERS_OUT];
#pragma omp parallel for schedule(static) firstprivate(in, out)
    for (size_t b = 0; b < blocks; ++b) {
        uint32_t sum = 0;
        for (size_t i = b * BLOCK; i < (b + 1) * BLOCK; ++i)
            out[i] = sum += in[i];
    }
    return true;
}
#endif

static bool SUITE_NAME(pairs)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t blocks = ((const struct gathers *)s->problem)->count / BLOCK;
    const uint32_t *in = s->at[GATHERS_IN];
    uint32_t *out = s->at[GATHERS_OUT];
#ifdef SUITE_TARGET
#pragma omp target teams distribute num_teams(blocks) thread_limit(GROUP) device(suite_openmp_device)                  \
    is_device_ptr(in, out)
    for (size_t b = 0; b < blocks; ++b) {
        uint32_t from[BLOCK], to[BLOCK];
        SUITE_TEAM_MEMORY(from, to)
        const size_t first = b * BLOCK;
#pragma omp parallel num_threads(GROUP)
        {
#pragma omp for
            for (unsigned i = 0; i < BLOCK; ++i)
                from[i] = in[first + i];
            for (unsigned stride = 1; stride < BLOCK; stride *= 4) {
#pragma omp for
                for (unsigned i = 0; i < BLOCK; ++i)
                    to[i] = from[i] + (i >= stride ? from[i - stride] : 0);
#pragma omp for
                for (unsigned i = 0; i < BLOCK; ++i)
                    from[i] = to[i] + (i >= 2 * stride ? to[i - 2 * stride] : 0);
            }
#pragma omp for nowait
            for (unsigned i = 0; i < BLOCK; ++i)
                out[first + i] = from[i];
        }
    }
#else
#pragma omp parallel for schedule(static) firstprivate(in, out)
    for (size_t b = 0; b < blocks; ++b) {
        uint32_t from[BLOCK], to[BLOCK];
        memcpy(from, in + b * BLOCK, sizeof from);
        for (unsigned stride = 1; stride < BLOCK; stride *= 4) {
            add_before(from, to, stride);
            add_before(to, from, 2 * stride);
        }
        memcpy(out + b * BLOCK, from, sizeof from);
    }
#endif
    return true;
}

#define STRIDED_VERSION(type, name) SUITE_OPENMP_VERSION(#type, SUITE_NAME(strided)),
#define PAIRS_VERSION(type, name) SUITE_OPENMP_VERSION(#type, SUITE_NAME(pairs)),
SUITE_OPENMP_LIST(strided, GATHERS_TYPES(STRIDED_VERSION))
#ifdef SUITE_TARGET
SUITE_OPENMP_LIST(pairs, GATHERS_TYPES(PAIRS_VERSION))
#else
SUITE_OPENMP_LIST(pairs, GATHERS_TYPES(PAIRS_VERSION) SUITE_OPENMP_VERSION("rows", SUITE_NAME(rows)))
#endif
