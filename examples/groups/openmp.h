/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The same problems in OpenMP by hand, as well as we can write it: what the Teamwork kernels are measured against.
 * Knows nothing of Teamwork.
 *
 *     openmp_host.c     on the host, where the host's own loops are what a programmer would write for any CPU
 *     openmp_device.c   on a GPU: compiled with plain flags, and once more with those that make kernels fast
 */
#ifndef GROUPS_OPENMP_H
#define GROUPS_OPENMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OPENMP_BINS = 256, OPENMP_TILE = 32 };

/**
 * One implementation. All pointers but those to results are to memory of allocate(). Operations are complete when they
 * return; false: no memory, or a copy failed.
 */
struct openmp_side {
    const char *name;
    bool (*open)(int nth);           /* on the nth GPU; to be called first. False: there is none that it reaches */
    void *(*allocate)(size_t bytes); /* NULL: no memory */
    void (*release)(void *memory);   /* NULL is allowed */
    bool (*copy_in)(void *to, const void *from, size_t bytes);  /* from the program's memory */
    bool (*copy_out)(void *to, const void *from, size_t bytes); /* to the program's memory */

    bool (*reduce)(const int32_t *numbers, size_t count, int32_t *sum);
    bool (*histogram)(const unsigned char *bytes, size_t count, unsigned bins[OPENMP_BINS]);
    bool (*matmul)(const float *a, const float *b, float *c, size_t n); /* n: a multiple of 128 */
    /* Rounds of latch.h, from `now` to `next` and back; an even number of them. */
    bool (*rounds)(uint32_t *now, uint32_t *next, size_t n, unsigned rounds);
};

extern const struct openmp_side openmp_host;
extern const struct openmp_side openmp_device; /* where a GPU was compiled for: GROUPS_HAVE_GPU */
extern const struct openmp_side openmp_device_tuned;

#endif
