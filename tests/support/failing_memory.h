/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Replaces the program's malloc, so that the n-th allocation of a thread fails. Included by one file of a program. Under
 * sanitizers, which have a malloc of their own, cases that need it are skipped (NEEDS_MALLOC).
 */
#ifndef TW_FAILING_MEMORY_H
#define TW_FAILING_MEMORY_H

#include "tw_test.h"

static _Thread_local unsigned countdown; /* allocations of this thread until one fails; 0: none fails */
static _Thread_local bool fired;

static inline void arm(unsigned n)
{
    fired = false;
    countdown = n;
}

static inline void disarm(void)
{
    countdown = 0;
}

#define NEEDS_MALLOC (void)0
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#undef NEEDS_MALLOC
#define NEEDS_MALLOC TW_SKIP()
#define MALLOC_IS_TAKEN
#endif
#endif

#ifndef MALLOC_IS_TAKEN

static bool fails(void)
{
    if (countdown == 0 || --countdown > 0)
        return false;
    fired = true;
    errno = ENOMEM;
    return true;
}

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    void *result = fails() ? NULL : __libc_memalign(alignment, bytes);
    if (result)
        *memory = result;
    return result ? 0 : ENOMEM;
}

#endif
#endif
