/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Versions in OpenMP: memory of the host that the threads touch first, or with SUITE_TARGET memory of the device that
 * regions take with is_device_ptr. Functions print what went wrong.
 */
#ifndef TEAMWORK_SUITE_ARRAYS_OPENMP_H
#define TEAMWORK_SUITE_ARRAYS_OPENMP_H

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"

#ifdef SUITE_TARGET

static inline void suite_device_free(void *memory)
{
    omp_target_free(memory, suite_openmp_device);
}

static inline bool suite_device_set(void *memory, const void *data, size_t bytes)
{
    void *poison = data ? NULL : suite_allocate(bytes);
    if (poison)
        suite_fill(poison, NULL, bytes);
    const void *from = data ? data : poison;
    const bool copied =
        from && omp_target_memcpy(memory, from, bytes, 0, 0, suite_openmp_device, omp_get_initial_device()) == 0;
    free(poison);
    if (!copied)
        fprintf(stderr, "OpenMP: no copy of %zu bytes to the device\n", bytes);
    return copied;
}

static inline void *suite_device_allocate(size_t bytes)
{
    return omp_target_alloc(bytes, suite_openmp_device);
}

static inline bool suite_device_get(const void *memory, void *result, size_t bytes)
{
    if (omp_target_memcpy(result, memory, bytes, 0, 0, omp_get_initial_device(), suite_openmp_device) == 0)
        return true;
    fprintf(stderr, "OpenMP: no copy of %zu bytes from the device\n", bytes);
    return false;
}

#else

static inline void suite_device_free(void *memory)
{
    free(memory);
}

static inline bool suite_device_set(void *memory, const void *data, size_t bytes)
{
    suite_fill(memory, data, bytes);
    return true;
}

static inline void *suite_device_allocate(size_t bytes)
{
    return suite_allocate(bytes);
}

static inline bool suite_device_get(const void *memory, void *result, size_t bytes)
{
    memcpy(result, memory, bytes);
    return true;
}

#endif

/** The state of a version. */
struct suite_openmp {
    const void *problem;
    void *at[SUITE_ARRAYS];
};

static inline void suite_openmp_close(void *state)
{
    struct suite_openmp *s = state;
    for (unsigned i = 0; i < SUITE_ARRAYS; ++i)
        if (s->at[i])
            suite_device_free(s->at[i]);
    free(s);
}

static inline bool suite_openmp_open_array(const struct suite_array *array, void **memory)
{
    if (array->bytes == 0)
        return true;
    *memory = suite_device_allocate(array->bytes);
    if (!*memory)
        fprintf(stderr, "OpenMP: no memory for %zu bytes\n", array->bytes);
    return *memory && suite_device_set(*memory, array->initial, array->bytes);
}

static inline void *suite_openmp_open(const void *problem)
{
    const struct suite_arrays *arrays = problem;
    struct suite_openmp *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->problem = problem;
    for (unsigned i = 0; i < SUITE_ARRAYS; ++i)
        if (!suite_openmp_open_array(&arrays->at[i], &s->at[i])) {
            suite_openmp_close(s);
            return NULL;
        }
    return s;
}

static inline bool suite_openmp_fetch(void *state, void *result)
{
    const struct suite_openmp *s = state;
    const struct suite_arrays *arrays = s->problem;
    return suite_device_get(s->at[arrays->result], result, arrays->at[arrays->result].bytes);
}

/** A version with its run(). */
#define SUITE_OPENMP_VERSION(form, run) {form, NULL, suite_openmp_open, run, suite_openmp_fetch, suite_openmp_close}

/** The versions of a program. */
#define SUITE_OPENMP_LIST(name, ...) SUITE_LIST(SUITE_OPENMP_VERSIONS(name), __VA_ARGS__)

/** Memory of the team, for an array declared just before: in target regions for GPUs. */
#if defined(__NVPTX__) || defined(__AMDGCN__)
#define SUITE_TEAM_MEMORY(...) SUITE_PRAGMA(omp allocate(__VA_ARGS__) allocator(omp_pteam_mem_alloc))
#else
#define SUITE_TEAM_MEMORY(...)
#endif
#define SUITE_PRAGMA(...) SUITE_PRAGMA_(__VA_ARGS__)
#define SUITE_PRAGMA_(...) _Pragma(#__VA_ARGS__)

#endif
