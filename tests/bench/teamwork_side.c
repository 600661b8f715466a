/* SPDX-License-Identifier: Apache-2.0 */
/* The problems in Teamwork: a side's memory is a buffer, and each operation submits its groups and waits. */
#include <stdio.h>
#include <string.h>
#include <teamwork/teamwork.h>

#include "bench.h"

static tw_queue *queue;

/* ---- kernels --------------------------------------------------------------------------------------------------- */

struct triad {
    double *a;
    const double *b, *c;
};

static inline void triad(tw_item item, const struct triad *k)
{
    const size_t i = tw_global_id(item, 0);
    k->a[i] = k->b[i] + 3.0 * k->c[i];
}
TW_RANGE_KERNEL(triad, 1);

/* Boards come with the address of their first cell, inside the border. Offsets are computed in 32 bits, which is what a
   GPU does best: boards are smaller than that. */
struct life {
    const unsigned char *in;
    unsigned char *out;
    unsigned pitch;
};

static inline void life(tw_item item, const struct life *k)
{
    const size_t at = (size_t)((unsigned)tw_global_id(item, 0) * k->pitch) + tw_global_id(item, 1);
    const unsigned char *here = k->in + at, *up = here - k->pitch, *down = here + k->pitch;
    const unsigned char sum =
        (unsigned char)(up[-1] + up[0] + up[1] + here[-1] + here[1] + down[-1] + down[0] + down[1]);
    k->out[at] = (unsigned char)((sum == 3) | ((sum == 2) & here[0]));
}
TW_RANGE_KERNEL(life, 2);

struct life_tiled {
    const unsigned char *in;
    unsigned char *out;
    unsigned pitch;
};

static inline void life_tiled(tw_group group, const struct life_tiled *k)
{
    TW_LOCAL(unsigned char, tile, [LIFE_TILE + 2][LIFE_TILE + 2]);
    const size_t corner =
        (unsigned)tw_group_id(group, 0) * LIFE_TILE * k->pitch + (unsigned)tw_group_id(group, 1) * LIFE_TILE;
    const unsigned char *in = k->in + corner - k->pitch - 1;
    unsigned char *out = k->out + corner;

    tw_parallel_for_work_item_range(group, item, tw_range_2d(LIFE_TILE + 2, LIFE_TILE + 2)) {
        const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
        tile[i][j] = (in + i * k->pitch)[j]; /* the sum of a pointer and j does not wrap, so this vectorizes */
    }
    tw_parallel_for_work_item(group, item) {
        const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
        const unsigned char sum =
            (unsigned char)(tile[i][j] + tile[i][j + 1] + tile[i][j + 2] + tile[i + 1][j] + tile[i + 1][j + 2]
                            + tile[i + 2][j] + tile[i + 2][j + 1] + tile[i + 2][j + 2]);
        (out + i * k->pitch)[j] = (unsigned char)((sum == 3) | ((sum == 2) & tile[i + 1][j + 1]));
    }
}
TW_WORK_GROUP_KERNEL(life_tiled, LIFE_TILE, LIFE_TILE);

struct matmul {
    float *c;
    const float *a, *b;
    unsigned n;
};

static inline void matmul(tw_group group, const struct matmul *k)
{
    TW_LOCAL(float, a, [MATMUL_TILE][MATMUL_TILE]);
    TW_LOCAL(float, b, [MATMUL_TILE][MATMUL_TILE]);
    TW_PRIVATE(group, float, sum);
    const unsigned n = k->n;
    const float *a_tile = k->a + tw_group_id(group, 0) * MATMUL_TILE * n;
    const float *b_tile = k->b + tw_group_id(group, 1) * MATMUL_TILE;

    tw_parallel_for_work_item(group, item) {
        tw_private(sum, item) = 0;
    }
    for (unsigned t = 0; t < n; t += MATMUL_TILE) {
        tw_parallel_for_work_item(group, item) {
            const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
            a[i][j] = a_tile[i * n + j];
            b[i][j] = b_tile[i * n + j];
        }
        a_tile += MATMUL_TILE;
        b_tile += (size_t)MATMUL_TILE * n;
        tw_parallel_for_work_item(group, item) {
            const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
            float s = tw_private(sum, item);
#pragma clang loop unroll(full)
            for (unsigned x = 0; x < MATMUL_TILE; ++x)
                s += a[i][x] * b[x][j];
            tw_private(sum, item) = s;
        }
    }
    tw_parallel_for_work_item(group, item) {
        k->c[tw_global_id(item, 0) * n + tw_global_id(item, 1)] = tw_private(sum, item);
    }
}
TW_WORK_GROUP_KERNEL(matmul, MATMUL_TILE, MATMUL_TILE);

struct set {
    uint32_t *out, value;
};

static inline void set(const struct set *k)
{
    k->out[0] = k->value;
}
TW_SINGLE_TASK(set);

struct fill {
    uint32_t *out, value;
};

static inline void fill(tw_item item, const struct fill *k)
{
    k->out[tw_global_id(item, 0)] = k->value;
}
TW_RANGE_KERNEL(fill, 1);

struct increment {
    uint32_t *out;
};

static inline void increment(const struct increment *k)
{
    ++k->out[0];
}
TW_SINGLE_TASK(increment);

/* ---- memory and transfers -------------------------------------------------------------------------------------- */

static bool passed(tw_status status)
{
    if (status != TW_SUCCESS)
        fprintf(stderr, "Teamwork: %s: %s\n", tw_status_name(status), tw_error_detail());
    return status == TW_SUCCESS;
}

static bool submit_and_wait(tw_command_group *cg)
{
    return passed(tw_queue_submit(queue, cg, NULL)) && passed(tw_queue_wait(queue));
}

static void *allocate(void *host, size_t bytes)
{
    tw_buffer *buffer = NULL;
    passed(host ? tw_buffer_create_over(host, 1, tw_range_1d(bytes), &buffer)
                : tw_buffer_create(1, tw_range_1d(bytes), &buffer));
    return buffer;
}

static void release(void *memory)
{
    tw_buffer *buffer = memory;
    passed(tw_buffer_destroy(&buffer));
}

static bool upload(void *memory, const void *host, size_t bytes)
{
    tw_host_accessor *access;
    if (!passed(tw_host_access(memory, TW_DISCARD_WRITE, &access)))
        return false;
    memcpy(tw_host_accessor_data(access), host, bytes);
    tw_host_accessor_release(&access);
    return true;
}

static bool download(void *host, void *memory, size_t bytes)
{
    tw_host_accessor *access;
    if (!passed(tw_host_access(memory, TW_READ, &access)))
        return false;
    memcpy(host, tw_host_accessor_const_data(access), bytes);
    tw_host_accessor_release(&access);
    return true;
}

/* Opens and closes a host accessor: that is all it takes to bring the newest contents to the host, and for a mode that
   writes, to have them sent to the device again. */
static bool touch(void *memory, tw_access_mode mode)
{
    tw_host_accessor *access;
    if (!passed(tw_host_access(memory, mode, &access)))
        return false;
    tw_host_accessor_release(&access);
    return true;
}

/* ---- operations ------------------------------------------------------------------------------------------------ */

static bool run_triad(void *const memory[3], const struct bench_job *job)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(job->n), triad, .a = tw_discard_write(cg, memory[0]), .b = tw_read(cg, memory[1]),
                    .c = tw_read(cg, memory[memory[2] ? 2 : 1]));
    return submit_and_wait(cg);
}

/* The border of the output is kept, so this is write and not discard; the first call sends it, later ones do not. */
static bool run_life(void *const memory[3], const struct bench_job *job)
{
    tw_command_group *cg = tw_queue_begin(queue);
    const unsigned char *in = tw_read(cg, memory[0]);
    unsigned char *out = tw_write(cg, memory[1]);
    if (in && out)
        tw_parallel_for(cg, tw_range_2d(job->height, job->width), life, .in = in + job->pitch + 1,
                        .out = out + job->pitch + 1, .pitch = (unsigned)job->pitch);
    return submit_and_wait(cg);
}

static bool run_life_tiled(void *const memory[3], const struct bench_job *job)
{
    tw_command_group *cg = tw_queue_begin(queue);
    const unsigned char *in = tw_read(cg, memory[0]);
    unsigned char *out = tw_write(cg, memory[1]);
    if (in && out)
        tw_parallel_for_work_group(cg, tw_range_2d(job->height / LIFE_TILE, job->width / LIFE_TILE),
                                   tw_range_2d(LIFE_TILE, LIFE_TILE), life_tiled, .in = in + job->pitch + 1,
                                   .out = out + job->pitch + 1, .pitch = (unsigned)job->pitch);
    return submit_and_wait(cg);
}

static bool run_matmul(void *const memory[3], const struct bench_job *job)
{
    const size_t tiles = job->n / MATMUL_TILE;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_2d(tiles, tiles), tw_range_2d(MATMUL_TILE, MATMUL_TILE), matmul,
                               .c = tw_discard_write(cg, memory[0]), .a = tw_read(cg, memory[1]),
                               .b = tw_read(cg, memory[2]), .n = (unsigned)job->n);
    return submit_and_wait(cg);
}

static bool run_single(void *const memory[3], const struct bench_job *job)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, set, .out = tw_discard_write(cg, memory[0]), .value = job->value);
    return submit_and_wait(cg);
}

static bool run_small(void *const memory[3], const struct bench_job *job)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(64), fill, .out = tw_discard_write(cg, memory[0]), .value = job->value);
    return submit_and_wait(cg);
}

static bool run_chain(void *const memory[3], const struct bench_job *job)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, set, .out = tw_discard_write(cg, memory[0]), .value = job->value);
    for (uint32_t step = 1; step < job->steps; ++step) {
        if (!passed(tw_queue_submit(queue, cg, NULL)))
            return false;
        cg = tw_queue_begin(queue);
        tw_single_task(cg, increment, .out = tw_read_write(cg, memory[0]));
    }
    return submit_and_wait(cg);
}

static bool run_send(void *const memory[3], const struct bench_job *job)
{
    return touch(memory[1], TW_WRITE) && run_triad(memory, job);
}

static bool run_fetch(void *const memory[3], const struct bench_job *job)
{
    (void)job;
    return touch(memory[0], TW_READ);
}

const struct bench_side teamwork_side = {
    .name = "Teamwork",
    .allocate = allocate,
    .release = release,
    .upload = upload,
    .download = download,
    .triad = run_triad,
    .life = run_life,
    .life_tiled = run_life_tiled,
    .matmul_tiled = run_matmul,
    .single = run_single,
    .small = run_small,
    .chain = run_chain,
    .send = run_send,
    .fetch = run_fetch,
};

/* ---- the queue ------------------------------------------------------------------------------------------------- */

bool teamwork_side_open(void)
{
    return passed(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
}

bool teamwork_side_is_host(void)
{
    return tw_queue_is_host(queue);
}

bool teamwork_side_is_gpu(void)
{
    return tw_device_is_gpu(tw_queue_device(queue));
}

const char *teamwork_side_device(void)
{
    return tw_device_name(tw_queue_device(queue));
}

tw_queue *teamwork_side_queue(void)
{
    return queue;
}

bool teamwork_side_close(void)
{
    return passed(tw_queue_destroy(&queue));
}
