/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What most versions in OpenMP need: memory of the device, which without SUITE_TARGET is the host. Functions print what
 * went wrong.
 */
#ifndef TEAMWORK_SUITE_OPENMP_SIDE_H
#define TEAMWORK_SUITE_OPENMP_SIDE_H

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

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

/* Memory of the device with the contents `data`, or poison if that is NULL. */
static inline void *suite_device_memory(const void *data, size_t bytes)
{
    void *memory = suite_device_allocate(bytes);
    if (!memory) {
        fprintf(stderr, "OpenMP: no memory for %zu bytes\n", bytes);
        return NULL;
    }
    if (!suite_device_set(memory, data, bytes)) {
        suite_device_free(memory);
        return NULL;
    }
    return memory;
}

#endif
