/* SPDX-License-Identifier: Apache-2.0 */
/* The same in OpenMP, which has reductions; prefix sums by parts of the threads. */
#include "../arrays_openmp.h"
#include "levels.h"

enum { GROUP = LEVELS_GROUP, BLOCK = LEVELS_BLOCK };

static size_t count_of(const struct suite_openmp *s)
{
    return ((const struct levels *)s->problem)->count;
}

static bool SUITE_NAME(sum_levels)(void *state)
{
    const struct suite_openmp *s = state;
    const float *in = s->at[LEVELS_IN];
    const size_t count = count_of(s);
    float sum = 0;
#ifdef SUITE_TARGET
#pragma omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(in) reduction(+ : sum)      \
    map(tofrom : sum)
    for (size_t i = 0; i < count; ++i)
        sum += in[i];
#else
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (size_t i = 0; i < count; ++i)
        sum += in[i];
#endif
    return suite_device_set(s->at[LEVELS_OUT], &sum, sizeof sum);
}

#ifdef SUITE_TARGET

/* A team scans a block by a tree in its memory, and leaves its sum. */
static void SUITE_NAME(level_scan)(const uint32_t *in, uint32_t *out, uint32_t *sums, size_t count)
{
    const size_t blocks = (count + BLOCK - 1) / BLOCK;
#pragma omp target teams distribute num_teams(blocks) thread_limit(GROUP) device(suite_openmp_device)                  \
    is_device_ptr(in, out, sums)
    for (size_t b = 0; b < blocks; ++b) {
        uint32_t tree[BLOCK] __attribute__((aligned(16)));
        SUITE_TEAM_MEMORY(tree)
        const size_t first = b * BLOCK;
        const unsigned here = count - first < BLOCK ? (unsigned)(count - first) : BLOCK;
#pragma omp parallel num_threads(GROUP)
        {
#pragma omp for
            for (unsigned i = 0; i < BLOCK; ++i)
                tree[i] = i < here ? in[first + i] : 0;
            for (unsigned pairs = BLOCK / 2, stride = 1; pairs > 0; pairs /= 2, stride *= 2) {
#pragma omp for
                for (unsigned i = 0; i < pairs; ++i)
                    tree[(2 * i + 2) * stride - 1] += tree[(2 * i + 1) * stride - 1];
            }
#pragma omp single
            {
                sums[b] = tree[BLOCK - 1];
                tree[BLOCK - 1] = 0;
            }
            for (unsigned pairs = 1, stride = BLOCK / 2; pairs < BLOCK; pairs *= 2, stride /= 2) {
#pragma omp for
                for (unsigned i = 0; i < pairs; ++i) {
                    const uint32_t left = tree[(2 * i + 1) * stride - 1];
                    tree[(2 * i + 1) * stride - 1] = tree[(2 * i + 2) * stride - 1];
                    tree[(2 * i + 2) * stride - 1] += left;
                }
            }
#pragma omp for nowait
            for (unsigned i = 0; i < here; ++i)
                out[first + i] = tree[i];
        }
    }
}

static void SUITE_NAME(level_add)(uint32_t *out, const uint32_t *sums, size_t count)
{
#pragma omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(out, sums)
    for (size_t i = 0; i < count; ++i)
        out[i] += sums[i / BLOCK];
}

static bool SUITE_NAME(scan_levels)(void *state)
{
    const struct suite_openmp *s = state;
    size_t first[LEVELS_MOST], counts[LEVELS_MOST];
    const unsigned levels = levels_of(count_of(s), BLOCK, first, counts);
    const uint32_t *in = s->at[LEVELS_IN];
    uint32_t *out = s->at[LEVELS_OUT], *sums = s->at[LEVELS_SUMS];
    SUITE_NAME(level_scan)(in, out, sums, count_of(s));
    for (unsigned level = 1; level < levels; ++level)
        SUITE_NAME(level_scan)(sums + first[level - 1], sums + first[level - 1], sums + first[level],
                               counts[level - 1]);
    for (unsigned level = levels - 1; level-- > 1;)
        SUITE_NAME(level_add)(sums + first[level - 1], sums + first[level], counts[level - 1]);
    SUITE_NAME(level_add)(out, sums, count_of(s));
    return true;
}

#else

/* The first half of prefix sums by parts, for all threads of a parallel region: each sums up its part of the numbers, and
   gets the sum of those before it, and the part, [first, past). `sums` has room for a number of each thread. */
static uint32_t sum_before(const uint32_t *in, uint32_t *sums, size_t count, size_t *first, size_t *past)
{
    const size_t threads = (size_t)omp_get_num_threads(), thread = (size_t)omp_get_thread_num();
    *first = count / threads * thread;
    *past = thread + 1 == threads ? count : *first + count / threads;
    uint32_t sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = *first; i < *past; ++i)
        sum += in[i];
    sums[thread] = sum;
#pragma omp barrier
    sum = 0;
    for (size_t t = 0; t < thread; ++t)
        sum += sums[t];
    return sum;
}

/* Each thread sums up its part, and then scans it with the sums of those before it. */
static bool SUITE_NAME(scan_levels)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t count = count_of(s);
    const uint32_t *in = s->at[LEVELS_IN];
    uint32_t *out = s->at[LEVELS_OUT], *sums = s->at[LEVELS_SUMS];
#pragma omp parallel firstprivate(in, out, sums, count)
    {
        size_t first, past;
        uint32_t sum = sum_before(in, sums, count, &first, &past);
        for (size_t i = first; i < past; ++i) {
            out[i] = sum;
            sum += in[i];
        }
    }
    return true;
}

#endif

SUITE_OPENMP_LIST(sum_levels, SUITE_OPENMP_VERSION("levels", SUITE_NAME(sum_levels)))
SUITE_OPENMP_LIST(scan_levels, SUITE_OPENMP_VERSION("levels", SUITE_NAME(scan_levels)))
