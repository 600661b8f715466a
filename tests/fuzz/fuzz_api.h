/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What the calls of fuzz_api.c are made of: kernels, the input as numbers, the objects that there are, which statuses a
 * call may return, and values. To be included by one file.
 */
#ifndef FUZZ_API_H
#define FUZZ_API_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <teamwork/image.h>
#include <teamwork/reduction.h>
#include <teamwork/storage.h>
#include <teamwork/teamwork.h>

/* ---- kernels: what they write stays within `n` words ------------------------------------------------------------- */

struct fill {
    uint32_t *out;
    size_t n;
};
static inline void fill(tw_item item, const struct fill *k)
{
    const size_t i = tw_global_linear_id(item);
    if (i < k->n)
        k->out[i] += 3;
}
TW_RANGE_KERNEL(fill);

struct fill_2 {
    uint32_t *out;
    size_t n;
    char block[300];
};
static inline void fill_2(tw_item item, const struct fill_2 *k)
{
    const size_t i = tw_global_linear_id(item);
    if (i < k->n)
        k->out[i] = (uint32_t)k->block[i % sizeof k->block];
}
TW_RANGE_KERNEL(fill_2, 2);

struct groups {
    uint32_t *out;
    size_t n;
    tw_local_memory memory;
};
static inline void groups(tw_group group, const struct groups *k)
{
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_global_linear_id(item);
        if (i < k->n)
            k->out[i] = 1;
    }
}
TW_WORK_GROUP_KERNEL(groups);

struct eight {
    uint32_t *out;
    size_t n;
};
static inline void eight(tw_group group, const struct eight *k)
{
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_global_linear_id(item);
        if (i < k->n)
            k->out[i] = 8;
    }
}
TW_WORK_GROUP_KERNEL_SIZES(eight, 8, (2, 4), 16);

struct meet {
    uint32_t *out;
    size_t n;
    tw_local_memory memory;
};
static inline void meet(tw_nd_item item, const struct meet *k)
{
    const size_t i = tw_global_linear_id(item);
    tw_barrier(item, TW_LOCAL_SPACE);
    if (i < k->n)
        k->out[i] = 2;
}
TW_ND_RANGE_KERNEL(meet);

struct once {
    uint32_t *out;
    size_t n;
};
static inline void once(const struct once *k)
{
    if (k->n)
        k->out[0] = 7;
}
TW_SINGLE_TASK(once);

struct total {
    const uint32_t *in;
    size_t n;
    TW_REDUCTION(uint32_t, TW_SUM) sum;
};
static inline void total(tw_item item, const struct total *k)
{
    const size_t i = tw_global_id(item, 0);
    if (i < k->n)
        tw_combine(k->sum, k->in[i]);
}
TW_RANGE_REDUCTION(total, 1, sum);

struct paint {
    tw_image_2d out;
    size_t height, width;
};
static inline void paint(tw_item item, const struct paint *k)
{
    const tw_id at = tw_get_global_id(item);
    const tw_uint4 colour = {1, 2, 3, 4};
    if (at.at[0] < k->height && at.at[1] < k->width)
        tw_write_imageui(k->out, at, colour);
}
TW_RANGE_KERNEL(paint, 2);

/* ---- input ------------------------------------------------------------------------------------------------------- */

static struct {
    const uint8_t *at;
    size_t left;
} input;

static unsigned byte(void)
{
    if (!input.left)
        return 0;
    --input.left;
    return *input.at++;
}

static unsigned below(unsigned n)
{
    return byte() % n;
}

/* Sizes that are used, and some that cannot be. */
static size_t number(void)
{
    static const size_t huge[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 4 + 1, (size_t)1 << 32, (size_t)1 << 62};
    const unsigned b = byte();
    if (b < 200)
        return b % 40;
    if (b < 240)
        return (b - 199) * 37;
    return b < 251 ? 1 : huge[b - 251];
}

static size_t small(void)
{
    const unsigned b = byte();
    return b < 250 ? b % 40 : 200;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

enum {
    QUEUES = 3,
    BUFFERS = 4,
    IMAGES = 2,
    HOLDS = 3,
    EVENTS = 4,
    GRAPHS = 2,
    CONTEXTS = 2,
    USM = 3,
    MEMORY = 64 << 10
};

/* More than any machine has. */
#define MOST_MEMORY ((size_t)1 << 50)

struct slot_buffer {
    tw_buffer *handle;
    tw_async_storage *storage; /* that it belongs to */
    void *memory;              /* that it is over; freed at the end */
};

static struct {
    tw_device *device[8];
    size_t devices;
    tw_queue *queue[QUEUES];
    struct slot_buffer buffer[BUFFERS];
    tw_image *image[IMAGES];
    tw_host_accessor *hold[HOLDS];
    tw_host_image *image_hold;
    tw_event *event[EVENTS];
    tw_command_graph *graph[GRAPHS];
    tw_context *context[CONTEXTS];
    void *usm[USM];
    size_t usm_bytes[USM];
    tw_command_group *group; /* that is being recorded */
    tw_buffer *turns;        /* that a part of a graph still runs */
    bool may_lose;           /* a command has failed, or was cancelled */
    void *garbage[256];      /* memory that is freed at the end */
    size_t garbages;
    void *allocation[64]; /* the same, of tw_malloc_device() and tw_malloc_shared() */
    size_t allocations;
} now;

/* A value that no function hands out. */
static char untouched;
#define UNTOUCHED ((void *)&untouched)

/* ---- what must hold ---------------------------------------------------------------------------------------------- */

static _Noreturn void broken(const char *call, const char *what, tw_status status)
{
    fprintf(stderr, "%s: %s: %s: %s\n", call, what, tw_status_name(status), tw_error_detail());
    abort();
}

#define OK (1u << TW_SUCCESS)
#define ARGUMENT (1u << TW_ERROR_INVALID_ARGUMENT)
#define RANGE (1u << TW_ERROR_INVALID_RANGE)
#define WORK_GROUP (1u << TW_ERROR_INVALID_WORK_GROUP_SIZE)
#define KERNEL (1u << TW_ERROR_INVALID_KERNEL)
#define GROUP (1u << TW_ERROR_INVALID_COMMAND_GROUP)
#define READ_ONLY (1u << TW_ERROR_READ_ONLY_BUFFER)
#define NO_MEMORY (1u << TW_ERROR_OUT_OF_MEMORY)
#define NO_DEVICE_MEMORY (1u << TW_ERROR_OUT_OF_DEVICE_MEMORY)
#define NO_DEVICE (1u << TW_ERROR_NO_DEVICE)
#define TRANSFER (1u << TW_ERROR_TRANSFER_FAILED)
#define LAUNCH (1u << TW_ERROR_LAUNCH_FAILED)
#define CANCELLED (1u << TW_ERROR_CANCELLED)
#define LOST (1u << TW_ERROR_DATA_LOST)
#define DEADLOCK (1u << TW_ERROR_WOULD_DEADLOCK)
#define UNSUPPORTED (1u << TW_ERROR_UNSUPPORTED)
#define BUSY (1u << TW_ERROR_BUSY)
#define LOCAL_MEMORY (1u << TW_ERROR_OUT_OF_LOCAL_MEMORY)
/* what recording can find, and what may come later */
#define RECORDING                                                                                                      \
    (ARGUMENT | RANGE | WORK_GROUP | KERNEL | GROUP | READ_ONLY | NO_MEMORY | NO_DEVICE_MEMORY | UNSUPPORTED           \
     | LOCAL_MEMORY)
#define LATER (NO_MEMORY | NO_DEVICE_MEMORY | TRANSFER | LAUNCH | CANCELLED | UNSUPPORTED)

static tw_status checked(tw_status status, unsigned allowed, const char *call)
{
    if ((unsigned)status >= TW_STATUS_COUNT || !(allowed & 1u << status))
        broken(call, "a status that is not documented", status);
    if (status != TW_SUCCESS && !*tw_error_detail())
        broken(call, "no detail", status);
    return status;
}
#define CALL(allowed, ...) checked((__VA_ARGS__), (allowed), #__VA_ARGS__)

/* A call that hands out an object: `made` holds it, or NULL after a failure. */
#define MAKE(made, allowed, ...)                                                                                       \
    do {                                                                                                               \
        *(void **)&(made) = UNTOUCHED;                                                                                 \
        const tw_status status_ = CALL(allowed, __VA_ARGS__);                                                          \
        if ((status_ == TW_SUCCESS) != ((void *)(made) != UNTOUCHED))                                                  \
            broken(#__VA_ARGS__, "its output", status_);                                                               \
        if (status_ != TW_SUCCESS)                                                                                     \
            (made) = NULL;                                                                                             \
    } while (0)

/* ---- values ------------------------------------------------------------------------------------------------------ */

static tw_range some_range(void)
{
    tw_range range = {{1, 1, 1}, 1 + below(3)};
    for (unsigned d = 0; d < range.dims; ++d)
        range.size[d] = d ? 1 + number() % 9 : number();
    switch (byte()) {
    case 0:
        range.dims = 0;
        break;
    case 1:
        range.dims = 4;
        break;
    case 2:
        range.dims = UINT32_MAX;
        break;
    case 3:
        range.size[1] = SIZE_MAX;
        break;
    case 4:
        range.size[2] = 0;
        break;
    default:
        break;
    }
    return range;
}

/* A range of at most so many work-items, or one that must be refused. */
static tw_range launch_range(size_t most)
{
    const tw_range range = some_range();
    return tw_range_is_valid(range) && tw_range_count(range) > most ? tw_range_1d(10) : range;
}

static tw_id some_id(void)
{
    tw_id id = {{small(), small(), small()}, 1 + below(3)};
    const unsigned b = byte();
    if (b < 3)
        id.dims = b == 0 ? 0 : 3 + b;
    for (unsigned d = id.dims; d < 3 && b > 4; ++d)
        id.at[d] = 0;
    return id;
}

static tw_access_mode some_mode(void)
{
    const unsigned b = byte();
    return b < 240 ? (tw_access_mode)(TW_READ + b % 6) : (tw_access_mode)(b - 240);
}

static tw_queue *some_queue(void)
{
    return now.queue[below(QUEUES)];
}

static tw_buffer *some_buffer(void)
{
    return now.buffer[below(BUFFERS)].handle;
}

static tw_device *some_device(void)
{
    const unsigned i = below(9);
    return i < now.devices ? now.device[i] : NULL;
}

static void *keep(void *memory)
{
    if (memory && now.garbages < sizeof now.garbage / sizeof *now.garbage)
        now.garbage[now.garbages++] = memory;
    return memory;
}

static void report(const tw_error *errors, size_t count, void *user)
{
    (void)user;
    for (size_t i = 0; i < count; ++i)
        if (errors[i].status == TW_SUCCESS || !errors[i].message || !*errors[i].message)
            broken("a handler", "an error without a message", errors[i].status);
}

#endif
