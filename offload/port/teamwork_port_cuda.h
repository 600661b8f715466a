/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What code calls that teamwork-port has moved from CUDA: the calls of CUDA's runtime on the host as functions with its
 * semantics, and what kernels use that the library does not have by itself, such as CUDA's vector types and warps of 32
 * work-items. Device pointers stay plain pointers: they are unified shared memory. It is a stage: code that has its queues
 * at hand calls the library directly, and needs none of this (docs/porting.md).
 *
 * Host functions return a status, as CUDA's do. Programs hardly ever look at it, so each error is also written to the
 * standard error output. A launch that fails tells so in the next call that waits. All are thread safe but for the
 * creation and destruction of streams; the last error is that of all threads.
 *
 * Header only: all files of a program share one state.
 */
#ifndef TEAMWORK_PORT_CUDA_H
#define TEAMWORK_PORT_CUDA_H

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <teamwork/printf.h>
#include <teamwork_port_device.h>

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* The version of CUDA that conditions in what was moved see. */
#define TW_PORT_CUDA_VERSION 12000

enum tw_port_copy_kind {
    TW_PORT_HOST_TO_HOST,
    TW_PORT_HOST_TO_DEVICE,
    TW_PORT_DEVICE_TO_HOST,
    TW_PORT_DEVICE_TO_DEVICE,
    TW_PORT_ANY_TO_ANY
};

/* A stream is an in-order queue; NULL is the default stream. */
typedef tw_queue *tw_port_stream_t;

/* A moment in a stream. */
typedef struct tw_port_event {
    tw_event *event; /* NULL: not recorded */
    double seconds;
} *tw_port_event_t;

/* By CUDA's names; what the library does not know is 0, the compute capability too. */
typedef struct tw_port_properties {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, totalConstMem;
    int warpSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor, multiProcessorCount, major, minor;
    int maxThreadsDim[3], maxGridSize[3];
} tw_port_properties;

/* ---- the program's state ----------------------------------------------------------------------------------------- */

struct tw_port_stream_entry {
    tw_queue *queue;
    bool is_blocking; /* ordered with the default stream */
};

struct tw_port_cuda_state {
    tw_queue *standard; /* the default stream */
    struct tw_port_stream_entry *streams;
    size_t count, capacity;
    tw_status last; /* the first error that tw_port_last_error() has not returned */
};
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) struct tw_port_cuda_state tw_port_cuda_state;
#ifdef __cplusplus
}
#endif

/* Keeps and prints an error. Returns it. */
static inline tw_status tw_port_result(tw_status status, const char *what)
{
    if (status == TW_SUCCESS)
        return status;
    fprintf(stderr, "%s: %s: %s\n", what, tw_status_name(status), tw_error_detail());
    if (tw_port_cuda_state.last == TW_SUCCESS)
        tw_port_cuda_state.last = status;
    return status;
}

static inline tw_device *tw_port_device(void)
{
    return tw_queue_device(tw_port_queue());
}

static inline tw_queue *tw_port_new_queue(void)
{
    tw_queue *queue = NULL;
    tw_port_check(tw_queue_create_with_properties(NULL, tw_port_device(), TW_QUEUE_IN_ORDER, NULL, NULL, &queue),
                  "a stream");
    return queue;
}

static inline tw_queue *tw_port_standard_queue(void)
{
    tw_queue *made = NULL, *queue = __atomic_load_n(&tw_port_cuda_state.standard, __ATOMIC_ACQUIRE);
    if (queue)
        return queue;
    made = tw_port_new_queue();
    if (__atomic_compare_exchange_n(&tw_port_cuda_state.standard, &queue, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    (void)tw_queue_destroy(&made);
    return queue;
}

/* Returns the queue of a stream, an in-order queue, to submit something to; 0 is the default stream. What is submitted
   to that runs behind all in blocking streams so far, and they behind it: the caller waits for the others. */
static inline tw_queue *tw_port_stream(tw_port_stream_t stream)
{
    tw_queue *const standard = tw_port_standard_queue();
    for (size_t i = 0; i < tw_port_cuda_state.count; ++i) {
        const struct tw_port_stream_entry *entry = &tw_port_cuda_state.streams[i];
        if (entry->is_blocking && !stream)
            (void)tw_port_result(tw_queue_wait(entry->queue), "a stream");
        if (entry->is_blocking && entry->queue == stream)
            (void)tw_port_result(tw_queue_wait(standard), "the default stream");
    }
    return stream ? stream : standard;
}

/* Waits for all streams. */
static inline tw_status tw_port_synchronize(void)
{
    tw_status status = tw_port_result(tw_queue_wait(tw_port_standard_queue()), "tw_port_synchronize()");
    for (size_t i = 0; i < tw_port_cuda_state.count; ++i) {
        const tw_status other =
            tw_port_result(tw_queue_wait(tw_port_cuda_state.streams[i].queue), "tw_port_synchronize()");
        status = status == TW_SUCCESS ? other : status;
    }
    return status;
}

static inline tw_status tw_port_peek_error(void)
{
    return tw_port_cuda_state.last;
}

static inline tw_status tw_port_last_error(void)
{
    const tw_status last = tw_port_cuda_state.last;
    tw_port_cuda_state.last = TW_SUCCESS;
    return last;
}

/* ---- streams and events ------------------------------------------------------------------------------------------ */

enum { TW_PORT_BLOCKING = 0, TW_PORT_NON_BLOCKING = 1 };

static inline tw_status tw_port_stream_create_with_flags(tw_port_stream_t *stream, unsigned flags)
{
    struct tw_port_cuda_state *state = &tw_port_cuda_state;
    if (state->count == state->capacity) {
        state->capacity = state->capacity ? 2 * state->capacity : 8;
        state->streams =
            (struct tw_port_stream_entry *)realloc(state->streams, state->capacity * sizeof *state->streams);
        if (!state->streams)
            tw_port_refuse("no memory for the table of streams");
    }
    *stream = tw_port_new_queue();
    state->streams[state->count].queue = *stream;
    state->streams[state->count++].is_blocking = flags != TW_PORT_NON_BLOCKING;
    return TW_SUCCESS;
}

static inline tw_status tw_port_stream_create(tw_port_stream_t *stream)
{
    return tw_port_stream_create_with_flags(stream, TW_PORT_BLOCKING);
}

static inline tw_status tw_port_stream_synchronize(tw_port_stream_t stream)
{
    return tw_port_result(tw_queue_wait(tw_port_stream(stream)), "tw_port_stream_synchronize()");
}

static inline tw_status tw_port_stream_destroy(tw_port_stream_t stream)
{
    struct tw_port_cuda_state *state = &tw_port_cuda_state;
    const tw_status status = tw_port_result(tw_queue_wait(stream), "tw_port_stream_destroy()");
    for (size_t i = 0; i < state->count; ++i)
        if (state->streams[i].queue == stream)
            state->streams[i] = state->streams[--state->count];
    (void)tw_queue_destroy(&stream);
    return status;
}

static inline tw_status tw_port_event_create(tw_port_event_t *event)
{
    *event = (tw_port_event_t)calloc(1, sizeof **event);
    return tw_port_result(*event ? TW_SUCCESS : TW_ERROR_OUT_OF_MEMORY, "tw_port_event_create()");
}

static inline tw_status tw_port_event_create_with_flags(tw_port_event_t *event, unsigned flags)
{
    (void)flags;
    return tw_port_event_create(event);
}

struct tw_port_record_block {
    tw_port_event_t event; /* NULL: nothing to do */
};
static inline tw_status tw_port_record_task(const void *data)
{
    const struct tw_port_record_block *block = (const struct tw_port_record_block *)data;
    if (block->event)
        block->event->seconds = omp_get_wtime();
    return TW_SUCCESS;
}

TW_OVERLOADED tw_status tw_port_event_record(tw_port_event_t event, tw_port_stream_t stream)
{
    tw_queue *const queue = tw_port_stream(stream);
    const struct tw_port_record_block block = {event};
    if (event->event) {
        (void)tw_event_wait(event->event); /* the task that stores its time */
        tw_event_release(&event->event);
    }
    tw_command_group *cg = tw_queue_begin(queue);
    tw_host_task(cg, tw_port_record_task, &block, sizeof block);
    return tw_port_result(tw_queue_submit(queue, cg, &event->event), "tw_port_event_record()");
}
TW_OVERLOADED tw_status tw_port_event_record(tw_port_event_t event)
{
    return tw_port_event_record(event, NULL);
}

static inline tw_status tw_port_event_synchronize(tw_port_event_t event)
{
    return tw_port_result(tw_event_wait(event->event), "tw_port_event_synchronize()");
}

static inline tw_status tw_port_event_destroy(tw_port_event_t event)
{
    if (event->event)
        (void)tw_event_wait(event->event);
    tw_event_release(&event->event);
    free(event);
    return TW_SUCCESS;
}

static inline tw_status tw_port_event_elapsed(float *milliseconds, tw_port_event_t first, tw_port_event_t last)
{
    const tw_status status = tw_port_event_synchronize(last);
    *milliseconds = (float)(1e3 * (last->seconds - first->seconds));
    return status;
}

TW_OVERLOADED tw_status tw_port_stream_wait_event(tw_port_stream_t stream, tw_port_event_t event, unsigned flags)
{
    tw_queue *const queue = tw_port_stream(stream);
    const struct tw_port_record_block block = {NULL};
    (void)flags;
    if (!event->event)
        return TW_SUCCESS;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_depends_on(cg, event->event);
    tw_host_task(cg, tw_port_record_task, &block, sizeof block);
    return tw_port_result(tw_queue_submit(queue, cg, NULL), "tw_port_stream_wait_event()");
}
TW_OVERLOADED tw_status tw_port_stream_wait_event(tw_port_stream_t stream, tw_port_event_t event)
{
    return tw_port_stream_wait_event(stream, event, 0);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* What allocates takes the address of a pointer of any type, as CUDA's does. */
static inline tw_status tw_port_allocated(void *memory, void *address, const char *what)
{
    memcpy(address, &memory, sizeof memory);
    return tw_port_result(memory ? TW_SUCCESS : TW_ERROR_OUT_OF_DEVICE_MEMORY, what);
}
static inline tw_status tw_port_malloc(void *address, size_t bytes)
{
    return tw_port_allocated(tw_malloc_device(tw_port_device(), bytes ? bytes : 1), address, "tw_port_malloc()");
}
TW_OVERLOADED tw_status tw_port_malloc_managed(void *address, size_t bytes)
{
    return tw_port_allocated(tw_malloc_shared(tw_port_device(), bytes ? bytes : 1), address,
                             "tw_port_malloc_managed()");
}
TW_OVERLOADED tw_status tw_port_malloc_managed(void *address, size_t bytes, unsigned flags)
{
    (void)flags;
    return tw_port_malloc_managed(address, bytes);
}
static inline tw_status tw_port_malloc_host(void *address, size_t bytes)
{
    (void)tw_port_device();
    return tw_port_allocated(tw_malloc_host(bytes ? bytes : 1), address, "tw_port_malloc_host()");
}
static inline tw_status tw_port_host_alloc(void *address, size_t bytes, unsigned flags)
{
    (void)flags;
    return tw_port_malloc_host(address, bytes);
}

/* Frees memory of any of them, behind all that was submitted. */
static inline tw_status tw_port_free(void *memory)
{
    const tw_status status = memory ? tw_port_synchronize() : TW_SUCCESS;
    tw_free(memory);
    return status;
}

/* A copy of memory that the library did not allocate is complete when the call returns, as in CUDA. */
TW_OVERLOADED tw_status tw_port_memcpy_async(void *to, const void *from, size_t bytes, enum tw_port_copy_kind kind,
                                             tw_port_stream_t stream)
{
    tw_queue *const queue = tw_port_stream(stream);
    (void)kind;
    tw_status status = bytes ? tw_queue_memcpy(queue, to, from, bytes, NULL) : TW_SUCCESS;
    if (status == TW_SUCCESS
        && (tw_pointer_get_type(to) == TW_POINTER_UNKNOWN || tw_pointer_get_type(from) == TW_POINTER_UNKNOWN))
        status = tw_queue_wait(queue);
    return tw_port_result(status, "tw_port_memcpy()");
}
TW_OVERLOADED tw_status tw_port_memcpy_async(void *to, const void *from, size_t bytes, enum tw_port_copy_kind kind)
{
    return tw_port_memcpy_async(to, from, bytes, kind, NULL);
}

static inline tw_status tw_port_memcpy(void *to, const void *from, size_t bytes, enum tw_port_copy_kind kind)
{
    const tw_status status = tw_port_memcpy_async(to, from, bytes, kind, NULL);
    return status == TW_SUCCESS ? tw_port_stream_synchronize(NULL) : status;
}

static inline tw_status tw_port_memcpy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes,
                                          size_t rows, enum tw_port_copy_kind kind)
{
    tw_queue *const queue = tw_port_stream(NULL);
    (void)kind;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_memcpy_2d(cg, to, to_pitch, from, from_pitch, bytes, rows);
    const tw_status status = tw_queue_submit(queue, cg, NULL);
    return tw_port_result(status == TW_SUCCESS ? tw_queue_wait(queue) : status, "tw_port_memcpy_2d()");
}

TW_OVERLOADED tw_status tw_port_memset_async(void *memory, int value, size_t bytes, tw_port_stream_t stream)
{
    tw_queue *const queue = tw_port_stream(stream);
    return tw_port_result(bytes ? tw_queue_memset(queue, memory, value, bytes, NULL) : TW_SUCCESS, "tw_port_memset()");
}
TW_OVERLOADED tw_status tw_port_memset_async(void *memory, int value, size_t bytes)
{
    return tw_port_memset_async(memory, value, bytes, NULL);
}
static inline tw_status tw_port_memset(void *memory, int value, size_t bytes)
{
    return tw_port_memset_async(memory, value, bytes, NULL);
}

/* Variables between TW_BEGIN_DEVICE_VARIABLES and TW_END_DEVICE_VARIABLES. What follows the bytes is an offset in bytes,
   and what CUDA wants to know besides. */
#define tw_port_memcpy_to_symbol(symbol, from, ...)                                                                    \
    tw_port_copy_to_variable((void *)&(symbol), from, TW_PORT_TWO(__VA_ARGS__, 0, ))
#define tw_port_memcpy_from_symbol(to, symbol, ...)                                                                    \
    tw_port_copy_from_variable(to, (const void *)&(symbol), TW_PORT_TWO(__VA_ARGS__, 0, ))
#define TW_PORT_TWO(first, second, ...) first, second

static inline tw_status tw_port_copy_to_variable(void *variable, const void *from, size_t bytes, size_t offset)
{
    tw_queue *const queue = tw_port_stream(NULL);
    return tw_port_result(tw_queue_copy_to_variable(queue, (char *)variable + offset, from, bytes, NULL),
                          "tw_port_memcpy_to_symbol()");
}
static inline tw_status tw_port_copy_from_variable(void *to, const void *variable, size_t bytes, size_t offset)
{
    tw_queue *const queue = tw_port_stream(NULL);
    const tw_status status = tw_queue_copy_from_variable(queue, to, (const char *)variable + offset, bytes, NULL);
    return tw_port_result(status == TW_SUCCESS ? tw_queue_wait(queue) : status, "tw_port_memcpy_from_symbol()");
}

/* ---- the device -------------------------------------------------------------------------------------------------- */

/* There is one device, number 0: that of tw_port_queue(). */
static inline tw_status tw_port_set_device(int number)
{
    return tw_port_result(number == 0 ? TW_SUCCESS : TW_ERROR_NO_DEVICE, "tw_port_set_device()");
}
static inline tw_status tw_port_get_device(int *number)
{
    *number = 0;
    return TW_SUCCESS;
}
static inline tw_status tw_port_get_device_count(int *count)
{
    *count = 1;
    return TW_SUCCESS;
}

static inline size_t tw_port_device_size(tw_device_info_id question)
{
    size_t value = 0;
    (void)tw_device_info(tw_port_device(), question, &value, sizeof value);
    return value;
}

static inline tw_status tw_port_get_properties(tw_port_properties *properties, int number)
{
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "%s", tw_device_name(tw_port_device()));
    properties->totalGlobalMem = tw_port_device_size(TW_DEVICE_INFO_GLOBAL_MEM_SIZE);
    properties->sharedMemPerBlock = tw_port_device_size(TW_DEVICE_INFO_LOCAL_MEM_SIZE);
    properties->sharedMemPerMultiprocessor = tw_port_device_size(TW_DEVICE_INFO_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT);
    properties->totalConstMem = 65536;
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = (int)tw_port_device_size(TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE);
    properties->maxThreadsPerMultiProcessor = properties->maxThreadsPerBlock;
    properties->multiProcessorCount = (int)tw_port_device_size(TW_DEVICE_INFO_MAX_COMPUTE_UNITS);
    for (int d = 0; d < 3; ++d) {
        properties->maxThreadsDim[d] = properties->maxThreadsPerBlock;
        properties->maxGridSize[d] = d == 0 ? 0x7fffffff : 65535;
    }
    return tw_port_set_device(number);
}

static inline tw_status tw_port_memory_info(size_t *free_bytes, size_t *bytes)
{
    *free_bytes = tw_port_device_size(TW_DEVICE_INFO_FREE_MEMORY);
    *bytes = tw_port_device_size(TW_DEVICE_INFO_GLOBAL_MEM_SIZE);
    return TW_SUCCESS;
}

enum tw_port_attribute {
    TW_PORT_MAX_THREADS,
    TW_PORT_MAX_SHARED,
    TW_PORT_WARP_SIZE,
    TW_PORT_MULTIPROCESSORS,
    TW_PORT_CLOCK,
    TW_PORT_MEMORY_CLOCK,
    TW_PORT_BUS_WIDTH,
    TW_PORT_MAJOR,
    TW_PORT_MINOR
};

/* 0 of what the library does not know. */
static inline tw_status tw_port_device_attribute(int *value, enum tw_port_attribute attribute, int number)
{
    *value = attribute == TW_PORT_MAX_THREADS       ? (int)tw_port_device_size(TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE)
             : attribute == TW_PORT_MAX_SHARED      ? (int)tw_port_device_size(TW_DEVICE_INFO_LOCAL_MEM_SIZE)
             : attribute == TW_PORT_WARP_SIZE       ? 32
             : attribute == TW_PORT_MULTIPROCESSORS ? (int)tw_port_device_size(TW_DEVICE_INFO_MAX_COMPUTE_UNITS)
                                                    : 0;
    return tw_port_set_device(number);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* Returns the nd_range of a launch. CUDA's x is the last dimension. */
TW_OVERLOADED tw_nd_range tw_port_nd_range(dim3 grid, dim3 block)
{
    return tw_nd_range_make(tw_range_3d((size_t)grid.z * block.z, (size_t)grid.y * block.y, (size_t)grid.x * block.x),
                            tw_range_3d(block.z, block.y, block.x));
}

/* The same of numbers. */
#define TW_PORT_ND_RANGE(grid_type, block_type)                                                                        \
    TW_OVERLOADED tw_nd_range tw_port_nd_range(grid_type grid, block_type block)                                       \
    {                                                                                                                  \
        return tw_port_nd_range(TW_PORT_DIM3_OF_##grid_type(grid), TW_PORT_DIM3_OF_##block_type(block));               \
    }
#define TW_PORT_DIM3_OF_dim3(size) size
#define TW_PORT_DIM3_OF_unsigned(size) tw_port_dim3(size)
TW_PORT_ND_RANGE(unsigned, unsigned)
TW_PORT_ND_RANGE(dim3, unsigned)
TW_PORT_ND_RANGE(unsigned, dim3)

/* Local memory of a launch, which may need none. */
static inline tw_local_memory tw_port_local(tw_command_group *group, size_t bytes)
{
    return tw_local(group, bytes ? bytes : 1);
}

/* A launch of a kernel that is a template, with a block of it. */
#define tw_port_parallel_for_block(group, range, block)                                                                \
    tw_parallel_for_nd_range_kernel(group, range, tw_port_kernel(&(block)), &(block), sizeof(block))

#define TW_PORT_ALIGN(bytes) __attribute__((aligned(bytes)))

#endif
