/* SPDX-License-Identifier: Apache-2.0 */
/* The Game of Life in OpenMP by hand; the one file of this program with OpenMP in it. Knows nothing of Teamwork. */
#include "baseline.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* The same byte-wide rule as that of the kernels; compare there for why. */
static inline cell rule(const cell *above, const cell *here, const cell *below)
{
    const cell neighbours =
        (cell)(above[-1] + above[0] + above[1] + here[-1] + here[1] + below[-1] + below[0] + below[1]);
    return (cell)((neighbours == 3) | ((neighbours == 2) & here[0]));
}

/* Private pointers, so that stores through a byte pointer alias nothing and the inner loop vectorizes. */
static void host_flat(struct board_shape shape, const cell *now, cell *next)
{
#pragma omp parallel for schedule(static) firstprivate(shape, now, next)
    for (int row = 0; row < shape.rows; ++row) {
        const cell *restrict here = now + board_at(shape.pitch, (size_t)row, 0);
        const cell *restrict above = here - shape.pitch, *restrict below = here + shape.pitch;
        cell *restrict out = next + board_at(shape.pitch, (size_t)row, 0);
#pragma omp simd
        for (int c = 0; c < shape.columns; ++c)
            out[c] = rule(above + c, here + c, below + c);
    }
}

enum { TILE = BOARD_TILE, STORED = BOARD_HALO + BOARD_TILE + BOARD_HALO };

/* Rows of 32 bytes, copied whole: loads that one earlier store covers are forwarded from it, others wait for the cache.
   That makes this 1.5 to 2 times as fast as rows of 18. */
static void host_tile(struct board_shape shape, const cell *restrict now, cell *restrict next, int top, int left)
{
    cell tile[1 + TILE + 1][STORED] __attribute__((aligned(64)));
    const cell *from = now + board_at(shape.pitch, (size_t)top, (size_t)left) - shape.pitch - BOARD_HALO;
    cell *out = next + board_at(shape.pitch, (size_t)top, (size_t)left);

    for (size_t i = 0; i < 1 + TILE + 1; ++i)
        memcpy(tile[i], from + i * shape.pitch, STORED);
    for (size_t i = 0; i < TILE; ++i) {
#pragma omp simd
        for (size_t j = 0; j < TILE; ++j) {
            const cell *above = &tile[i][BOARD_HALO + j];
            out[i * shape.pitch + j] = rule(above, above + STORED, above + 2 * STORED);
        }
    }
    if (top + TILE > shape.rows || left + TILE > shape.columns) /* what lies past the board stays dead */
        for (int i = 0; i < TILE; ++i)
            for (int j = 0; j < TILE; ++j)
                if (top + i >= shape.rows || left + j >= shape.columns)
                    out[(size_t)i * shape.pitch + (size_t)j] = 0;
}

/* Large boards are split by rows of tiles; small ones by tiles, where the division that collapsing costs is the lesser
   evil. */
static void host_tiled(struct board_shape shape, const cell *now, cell *next)
{
    const int tile_rows = (int)board_tiles(shape.rows);
    if (tile_rows >= 8 * omp_get_max_threads()) {
#pragma omp parallel for schedule(static) firstprivate(shape, now, next)
        for (int top = 0; top < shape.rows; top += TILE)
            for (int left = 0; left < shape.columns; left += TILE)
                host_tile(shape, now, next, top, left);
    } else {
#pragma omp parallel for collapse(2) schedule(static) firstprivate(shape, now, next)
        for (int top = 0; top < shape.rows; top += TILE)
            for (int left = 0; left < shape.columns; left += TILE)
                host_tile(shape, now, next, top, left);
    }
}

static void device_flat(struct board_shape shape, const cell *now, cell *next, int device)
{
    const int rows = shape.rows, columns = shape.columns;
    const size_t pitch = shape.pitch;
#pragma omp target teams distribute parallel for collapse(2) device(device) is_device_ptr(now, next)                   \
    firstprivate(rows, columns, pitch)
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            const size_t at = board_at(pitch, (size_t)row, (size_t)column);
            next[at] = rule(now + at - pitch, now + at, now + at + pitch);
        }
}

void baseline_run(struct baseline *baseline, enum baseline_method method, long generations)
{
    for (long g = 0; g < generations; ++g) {
        if (baseline->device != BASELINE_ON_HOST)
            device_flat(baseline->shape, baseline->now, baseline->next, baseline->device);
        else if (method == BASELINE_TILED)
            host_tiled(baseline->shape, baseline->now, baseline->next);
        else
            host_flat(baseline->shape, baseline->now, baseline->next);
        cell *past = baseline->now;
        baseline->now = baseline->next;
        baseline->next = past;
    }
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* Copies on the threads that will compute: each page ends up near the thread that uses it. */
static void host_copy(const struct board_shape *shape, cell *to, const cell *from)
{
    const size_t rows = board_stored_rows(shape), pitch = shape->pitch;
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < rows; ++row)
        memcpy(to + row * pitch, from + row * pitch, pitch);
}

static cell *allocate(int device, size_t bytes)
{
    return device == BASELINE_ON_HOST ? aligned_alloc(64, bytes) : omp_target_alloc(bytes, device);
}

static void release(int device, cell *cells)
{
    if (device == BASELINE_ON_HOST)
        free(cells);
    else if (cells)
        omp_target_free(cells, device);
}

static bool copy_in(const struct baseline *baseline, cell *to, const cell *from)
{
    if (baseline->device == BASELINE_ON_HOST) {
        host_copy(&baseline->shape, to, from);
        return true;
    }
    return omp_target_memcpy(to, from, board_bytes(&baseline->shape), 0, 0, baseline->device, omp_get_initial_device())
           == 0;
}

bool baseline_create(struct baseline *baseline, const struct board *start, int device)
{
    const size_t bytes = board_bytes(&start->shape);
    struct baseline made = {start->shape, allocate(device, bytes), allocate(device, bytes), device};
    /* The second board starts as a copy for the sake of its margin. */
    if (made.now && made.next && copy_in(&made, made.now, start->cells) && copy_in(&made, made.next, start->cells)) {
        *baseline = made;
        return true;
    }
    baseline_destroy(&made);
    return false;
}

bool baseline_read(const struct baseline *baseline, struct board *into)
{
    const size_t bytes = board_bytes(&baseline->shape);
    if (baseline->device != BASELINE_ON_HOST)
        return omp_target_memcpy(into->cells, baseline->now, bytes, 0, 0, omp_get_initial_device(), baseline->device)
               == 0;
    memcpy(into->cells, baseline->now, bytes);
    return true;
}

void baseline_destroy(struct baseline *baseline)
{
    release(baseline->device, baseline->now);
    release(baseline->device, baseline->next);
    baseline->now = baseline->next = NULL;
}

int baseline_find_gpu(int nth)
{
    for (int device = 0; device < omp_get_num_devices(); ++device) {
        int is_gpu = 0;
#pragma omp target device(device) map(from : is_gpu)
        {
#if defined(__NVPTX__) || defined(__AMDGCN__)
            is_gpu = 1;
#else
            is_gpu = 0;
#endif
        }
        if (is_gpu && nth-- == 0)
            return device;
    }
    return -1;
}
