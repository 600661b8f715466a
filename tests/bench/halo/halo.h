/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A five-point stencil on a grid that is split over several devices by rows: what the sides share.
 *
 *     halo.c            options, right results, rounds in turns, tables
 *     halo_teamwork.c   one buffer that the devices share by parts
 *     halo_cuda.cu      by hand: memory of each device, copies or loads between neighbours
 *
 * A side has several ways to do the same steps. Each way has a grid of its own, and starts from the same cells. The
 * header is C17 and C++17. Functions that fail say why on stderr.
 */
#ifndef TEAMWORK_HALO_H
#define TEAMWORK_HALO_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HALO_MOST_DEVICES = 16 };

struct halo_shape {
    size_t devices, rows, columns; /* rows of each device */
    unsigned unit;                 /* steps of a run are a multiple of it, and even */
};

struct halo_way {
    const char *side, *name;
    bool alone; /* one device computes one share, and nothing else runs */
    void *(*make)(const struct halo_shape *shape, unsigned plan); /* a grid; NULL: failed */
    unsigned plan;
    /* Returns when the steps are over; *enqueued: when the host had enqueued the last of them, by bench_now(). */
    bool (*run)(void *grid, unsigned steps, double *enqueued);
    bool (*fetch)(void *grid, size_t first_row, size_t rows, float *to);
    void (*free)(void *grid); /* NULL is allowed */
};

/* Ended by a way without a name. */
extern const struct halo_way halo_teamwork_ways[];
extern const struct halo_way halo_cuda_ways[];

#ifdef __CUDACC__
#define HALO_FUNCTION __host__ __device__ static inline
#else
#define HALO_FUNCTION static inline
#endif

/* What cell (row, column) of the whole grid is at first: any function that has no pattern. 12 bits, so sums of four and
   quarters are the same on every device. */
HALO_FUNCTION float halo_initial_value(unsigned row, unsigned column)
{
    unsigned x = row * 2654435761u ^ column * 2246822519u;
    x ^= x >> 15;
    x *= 2654435761u;
    return (float)(x >> 20) * (1.0f / 4096.0f);
}

HALO_FUNCTION float halo_relax(float left, float right, float up, float down)
{
    return 0.25f * ((left + right) + (up + down));
}

#ifdef __cplusplus
}
#endif

#endif
