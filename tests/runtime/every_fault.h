/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Makes the n-th call of the library for memory, a thread or a mapping fail, or all from the n-th on.
 *
 * The program is linked with a copy of the static library in which the names of these functions are replaced by those
 * below (CMakeLists.txt). So it is the library's own calls that are counted and that fail, also where a sanitizer
 * brings the allocator, and none of the test, of libomp or of the C library. To be included by one file.
 */
#ifndef EVERY_FAULT_H
#define EVERY_FAULT_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>

#include <pthread.h>

enum fault_kind { FAULT_MEMORY, FAULT_MAPPING, FAULT_THREAD, FAULT_HOST_KINDS };

static struct {
    atomic_int kind; /* that fails; -1: none */
    atomic_ulong at; /* the call that fails; 0: none */
    atomic_bool onward;
    atomic_ulong calls[FAULT_HOST_KINDS], fired;
    atomic_long blocks, mappings; /* that the library has */
} fault_points = {.kind = -1};

/* Counts from now on; the n-th call of the kind fails, and those after it if `onward`. */
static void fault_arm(int kind, unsigned long n, bool onward)
{
    atomic_store(&fault_points.kind, -1);
    for (int k = 0; k < FAULT_HOST_KINDS; ++k)
        atomic_store(&fault_points.calls[k], 0);
    atomic_store(&fault_points.fired, 0);
    atomic_store(&fault_points.at, n);
    atomic_store(&fault_points.onward, onward);
    atomic_store(&fault_points.kind, kind);
}

static void fault_disarm(void)
{
    atomic_store(&fault_points.kind, -1);
}

static bool fault_fires(enum fault_kind kind)
{
    const unsigned long call = atomic_fetch_add(&fault_points.calls[kind], 1) + 1;
    if (atomic_load(&fault_points.kind) != (int)kind)
        return false;
    const unsigned long at = atomic_load(&fault_points.at);
    if (call != at && !(atomic_load(&fault_points.onward) && call > at && at))
        return false;
    atomic_fetch_add(&fault_points.fired, 1);
    return true;
}

static void *fault_counted(void *memory)
{
    if (memory)
        atomic_fetch_add(&fault_points.blocks, 1);
    else
        errno = ENOMEM;
    return memory;
}

void *tw_fault_malloc(size_t bytes);
void *tw_fault_calloc(size_t count, size_t bytes);
void *tw_fault_realloc(void *memory, size_t bytes);
void *tw_fault_aligned_alloc(size_t alignment, size_t bytes);
int tw_fault_posix_memalign(void **memory, size_t alignment, size_t bytes);
char *tw_fault_strdup(const char *text);
void tw_fault_free(void *memory);
void *tw_fault_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset);
int tw_fault_munmap(void *at, size_t bytes);
int tw_fault_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int tw_fault_pthread_key_create(pthread_key_t *key, void (*destroy)(void *));
int tw_fault_pthread_setspecific(pthread_key_t key, const void *value);
int tw_fault_mprotect(void *at, size_t bytes, int protection);

void *tw_fault_malloc(size_t bytes)
{
    return fault_counted(fault_fires(FAULT_MEMORY) ? NULL : malloc(bytes));
}

void *tw_fault_calloc(size_t count, size_t bytes)
{
    return fault_counted(fault_fires(FAULT_MEMORY) ? NULL : calloc(count, bytes));
}

void *tw_fault_realloc(void *memory, size_t bytes)
{
    if (!memory)
        return tw_fault_malloc(bytes);
    if (!fault_fires(FAULT_MEMORY))
        return realloc(memory, bytes);
    errno = ENOMEM;
    return NULL;
}

void *tw_fault_aligned_alloc(size_t alignment, size_t bytes)
{
    return fault_counted(fault_fires(FAULT_MEMORY) ? NULL : aligned_alloc(alignment, bytes));
}

int tw_fault_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    const int result = fault_fires(FAULT_MEMORY) ? ENOMEM : posix_memalign(memory, alignment, bytes);
    if (result == 0)
        atomic_fetch_add(&fault_points.blocks, 1);
    return result;
}

char *tw_fault_strdup(const char *text)
{
    char *copy = tw_fault_malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

void tw_fault_free(void *memory)
{
    if (memory)
        atomic_fetch_sub(&fault_points.blocks, 1);
    free(memory);
}

void *tw_fault_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    void *const memory = fault_fires(FAULT_MAPPING) ? MAP_FAILED : mmap(at, bytes, protection, flags, file, offset);
    if (memory != MAP_FAILED)
        atomic_fetch_add(&fault_points.mappings, 1);
    else
        errno = ENOMEM;
    return memory;
}

int tw_fault_munmap(void *at, size_t bytes)
{
    atomic_fetch_sub(&fault_points.mappings, 1);
    return munmap(at, bytes);
}

int tw_fault_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    return fault_fires(FAULT_THREAD) ? EAGAIN : pthread_create(thread, attributes, run, argument);
}

int tw_fault_pthread_key_create(pthread_key_t *key, void (*destroy)(void *))
{
    return fault_fires(FAULT_THREAD) ? EAGAIN : pthread_key_create(key, destroy);
}

int tw_fault_pthread_setspecific(pthread_key_t key, const void *value)
{
    return fault_fires(FAULT_MEMORY) ? ENOMEM : pthread_setspecific(key, value);
}

int tw_fault_mprotect(void *at, size_t bytes, int protection)
{
    if (!fault_fires(FAULT_MAPPING))
        return mprotect(at, bytes, protection);
    errno = ENOMEM;
    return -1;
}

#endif
