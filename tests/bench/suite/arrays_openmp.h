/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Versions in OpenMP of programs with arrays: memory of the host that the threads touch first, or with SUITE_TARGET
 * memory of the device that regions take with is_device_ptr.
 */
#ifndef TEAMWORK_SUITE_ARRAYS_OPENMP_H
#define TEAMWORK_SUITE_ARRAYS_OPENMP_H

#include "arrays.h"
#include "openmp_side.h"

/** The state of a version. */
struct suite_openmp {
    const void *problem;
    void *at[SUITE_ARRAYS];
    void *pristine[SUITE_ARRAYS];
};

/* From one array to another on the device. */
static inline bool suite_openmp_copy(void *to, const void *from, size_t bytes)
{
#ifdef SUITE_TARGET
    return omp_target_memcpy(to, from, bytes, 0, 0, suite_openmp_device, suite_openmp_device) == 0;
#else
    suite_fill(to, from, bytes);
    return true;
#endif
}

static inline void suite_openmp_close(void *state)
{
    struct suite_openmp *s = state;
    for (unsigned i = 0; i < SUITE_ARRAYS; ++i) {
        if (s->at[i])
            suite_device_free(s->at[i]);
        if (s->pristine[i])
            suite_device_free(s->pristine[i]);
    }
    free(s);
}

static inline bool suite_openmp_open_array(const struct suite_array *array, void **at, void **pristine)
{
    if (array->bytes == 0)
        return true;
    if (array->restored) {
        *pristine = suite_device_memory(array->initial, array->bytes);
        if (!*pristine)
            return false;
    }
    *at = suite_device_memory(array->initial, array->bytes);
    return *at != NULL;
}

static inline void *suite_openmp_open(const void *problem)
{
    const struct suite_arrays *arrays = problem;
    struct suite_openmp *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->problem = problem;
    for (unsigned i = 0; i < SUITE_ARRAYS; ++i)
        if (!suite_openmp_open_array(&arrays->at[i], &s->at[i], &s->pristine[i])) {
            suite_openmp_close(s);
            return NULL;
        }
    return s;
}

static inline bool suite_openmp_reset(void *state)
{
    const struct suite_openmp *s = state;
    const struct suite_arrays *arrays = s->problem;
    for (unsigned i = 0; i < SUITE_ARRAYS; ++i)
        if (s->pristine[i] && !suite_openmp_copy(s->at[i], s->pristine[i], arrays->at[i].bytes))
            return false;
    return true;
}

static inline bool suite_openmp_fetch(void *state, void *result)
{
    const struct suite_openmp *s = state;
    const struct suite_arrays *arrays = s->problem;
    return suite_device_get(s->at[arrays->result], result, arrays->at[arrays->result].bytes);
}

#ifndef SUITE_TARGET

/** The first half of prefix sums by parts, for all threads of a parallel region: each sums up its part of the numbers, and
 *  gets the sum of those before it, and the part, [first, past). `sums` has room for a number of each thread. */
static inline uint32_t suite_openmp_sum_before(const uint32_t *in, uint32_t *sums, size_t count, size_t *first,
                                               size_t *past)
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

#endif

/** A version with its run(), and one whose arrays are to be restored. */
#define SUITE_OPENMP_VERSION(form, run)                                                                                \
    {form, NULL, suite_openmp_open, NULL, run, suite_openmp_fetch, suite_openmp_close}
#define SUITE_OPENMP_VERSION_RESET(form, run)                                                                          \
    {form, NULL, suite_openmp_open, suite_openmp_reset, run, suite_openmp_fetch, suite_openmp_close}

/** Memory of the team, for an array declared just before: in target regions for GPUs. */
#if defined(__NVPTX__) || defined(__AMDGCN__)
#define SUITE_TEAM_MEMORY(...) SUITE_PRAGMA(omp allocate(__VA_ARGS__) allocator(omp_pteam_mem_alloc))
#else
#define SUITE_TEAM_MEMORY(...)
#endif
#define SUITE_PRAGMA(...) SUITE_PRAGMA_(__VA_ARGS__)
#define SUITE_PRAGMA_(...) _Pragma(#__VA_ARGS__)

#endif
