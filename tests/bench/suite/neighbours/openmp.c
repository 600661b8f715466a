/* SPDX-License-Identifier: Apache-2.0 */
/* The same in OpenMP: on the host borders on their own, and loops over the inside with vectors. */
#include "../arrays_openmp.h"
#include "neighbours.h"

enum { REACH = NEIGHBOURS_REACH, FIELDS = NEIGHBOURS_FIELDS };

static size_t count_of(const struct suite_openmp *s)
{
    return ((const struct neighbours *)s->problem)->count;
}

/* ---- a mask whose width is known at run time ---------------------------------------------------------------------- */

static inline float masked(const float *in, const float *mask, int count, int width, int i)
{
    float sum = 0;
    for (int j = 0; j < width; ++j) {
        const int at = i + j - width / 2;
        if (at >= 0 && at < count)
            sum += in[at] * mask[j];
    }
    return sum;
}

#ifdef SUITE_TARGET

static bool SUITE_NAME(any_mask)(void *state)
{
    const struct suite_openmp *s = state;
    const float *in = s->at[NEIGHBOURS_IN], *mask = s->at[NEIGHBOURS_MASK];
    float *out = s->at[NEIGHBOURS_OUT];
    const int count = (int)count_of(s), width = NEIGHBOURS_WIDTH;
#pragma omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(in, mask, out)
    for (int i = 0; i < count; ++i)
        out[i] = masked(in, mask, count, width, i);
    return true;
}

#else

enum { CHUNK = 64 };

/* A chunk of numbers that the mask does not leave: each of the mask's numbers goes over all of them, whose results are
   in registers. */
static inline void mask_chunk(const float *in, const float *mask, float *out, int width)
{
    float sums[CHUNK] = {0};
    for (int j = 0; j < width; ++j) {
#pragma omp simd
        for (int i = 0; i < CHUNK; ++i)
            sums[i] += in[i + j] * mask[j];
    }
    memcpy(out, sums, sizeof sums);
}

/* (not inlined, so that the width stays a value of the run) */
static __attribute__((noinline)) void mask_all(const float *in, const float *mask, float *out, int count, int width)
{
    const int left = width / 2, chunks = (count - width + 1) / CHUNK;
#pragma omp parallel for schedule(static)
    for (int chunk = 0; chunk < chunks; ++chunk)
        mask_chunk(in + chunk * CHUNK, mask, out + chunk * CHUNK + left, width);
    for (int i = 0; i < left; ++i)
        out[i] = masked(in, mask, count, width, i);
    for (int i = left + chunks * CHUNK; i < count; ++i)
        out[i] = masked(in, mask, count, width, i);
}

static bool SUITE_NAME(any_mask)(void *state)
{
    const struct suite_openmp *s = state;
    mask_all(s->at[NEIGHBOURS_IN], s->at[NEIGHBOURS_MASK], s->at[NEIGHBOURS_OUT], (int)count_of(s), NEIGHBOURS_WIDTH);
    return true;
}

#endif

/* ---- wrap-around -------------------------------------------------------------------------------------------------- */

static inline float periodic(const float *up, const float *row, const float *down, int left, int x, int right)
{
    return row[x] + 0.125f * (row[left] + row[right] + up[x] + down[x] - 4 * row[x]);
}

static bool SUITE_NAME(periodic)(void *state)
{
    const struct suite_openmp *s = state;
    const float *in = s->at[NEIGHBOURS_IN];
    float *out = s->at[NEIGHBOURS_OUT];
    const int n = (int)count_of(s);
#ifdef SUITE_TARGET
#pragma omp target teams distribute parallel for collapse(2) device(suite_openmp_device) is_device_ptr(in, out)
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x)
            out[y * n + x] = periodic(in + (y == 0 ? n - 1 : y - 1) * n, in + y * n, in + (y == n - 1 ? 0 : y + 1) * n,
                                      x == 0 ? n - 1 : x - 1, x, x == n - 1 ? 0 : x + 1);
#else
#pragma omp parallel for schedule(static)
    for (int y = 0; y < n; ++y) {
        const float *up = in + (y == 0 ? n - 1 : y - 1) * n, *row = in + y * n,
                    *down = in + (y == n - 1 ? 0 : y + 1) * n;
        float *to = out + y * n;
        to[0] = periodic(up, row, down, n - 1, 0, 1);
#pragma omp simd
        for (int x = 1; x < n - 1; ++x)
            to[x] = periodic(up, row, down, x - 1, x, x + 1);
        to[n - 1] = periodic(up, row, down, n - 2, n - 1, 0);
    }
#endif
    return true;
}

/* ---- a helper that is long ---------------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) float stencil(const float *in, size_t pitch, size_t i)
{
    float sum = 0;
#pragma clang loop unroll(full)
    for (size_t f = 1; f < FIELDS; ++f)
        sum += NEIGHBOURS_TERMS(in + f * pitch, in, i);
    return sum;
}

static bool SUITE_NAME(helper)(void *state)
{
    const struct suite_openmp *s = state;
    const float *in = s->at[NEIGHBOURS_IN];
    float *out = s->at[NEIGHBOURS_OUT];
    const size_t pitch = count_of(s), count = pitch - 2 * REACH;
#ifdef SUITE_TARGET
#pragma omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(in, out)
#else
#pragma omp parallel for simd schedule(static) firstprivate(in, out, pitch)
#endif
    for (size_t i = 0; i < count; ++i)
        out[i] = stencil(in, pitch, i + REACH);
    return true;
}

SUITE_OPENMP_LIST(any_mask, SUITE_OPENMP_VERSION("flat", SUITE_NAME(any_mask)))
SUITE_OPENMP_LIST(periodic, SUITE_OPENMP_VERSION("flat", SUITE_NAME(periodic)))
SUITE_OPENMP_LIST(helper, SUITE_OPENMP_VERSION("flat", SUITE_NAME(helper)))
