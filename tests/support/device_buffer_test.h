/* SPDX-License-Identifier: Apache-2.0 */
/** Memory of a program on a device, and buffers over it. */
#ifndef TW_DEVICE_BUFFER_TEST_H
#define TW_DEVICE_BUFFER_TEST_H

#include "gated_kernel.h"

#include <omp.h>

enum { N = 1000, ROWS = 12, COLUMNS = 10 }; /* elements; and of a field */

struct add {
    int *data;
    size_t pitch;
    int term;
};
static inline void add(tw_item item, const struct add *k)
{
    k->data[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] += k->term;
}
TW_RANGE_KERNEL(add, 2);

/* Adds to a part of a buffer of one or two dimensions. */
static inline void add_part(tw_queue *queue, tw_buffer *buffer, tw_id offset, tw_range range, int term)
{
    tw_command_group *cg = tw_queue_begin(queue);
    int *data = tw_access_part(cg, buffer, offset, range, TW_READ_WRITE, TW_GLOBAL);
    const tw_range rows = range.dims == 2 ? range : tw_range_2d(1, range.size[0]);
    tw_parallel_for(cg, rows, add, .data = data, .pitch = tw_buffer_pitch(buffer).size[1], .term = term);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

static inline void add_to(tw_queue *queue, tw_buffer *buffer, int term)
{
    const tw_range range = tw_buffer_range(buffer);
    add_part(queue, buffer, (tw_id){.dims = range.dims}, range, term);
}

/* ---- memory of the program --------------------------------------------------------------------------------------- */

/* Copies between the host's memory and a device's, by OpenMP. Simulated devices' memory is the process's. */
static inline void copy_ints(const tw_device *device, int *memory, int *host, size_t count, bool to_device)
{
    const int number = tw_device_omp_number(device);
    if (number < 0) {
        memcpy(to_device ? memory : host, to_device ? host : memory, count * sizeof *host);
    } else if (to_device) {
#pragma omp target device(number) is_device_ptr(memory) map(to : host[0 : count])
        for (size_t i = 0; i < count; ++i)
            memory[i] = host[i];
    } else {
#pragma omp target device(number) is_device_ptr(memory) map(from : host[0 : count])
        for (size_t i = 0; i < count; ++i)
            host[i] = memory[i];
    }
}

/* Sets device memory to first, first + 1, ... */
static inline void poke(const tw_device *device, int *memory, size_t count, int first)
{
    int *host = malloc(count * sizeof *host);
    TW_CHECK(host != NULL);
    for (size_t i = 0; i < count; ++i)
        host[i] = first + (int)i;
    copy_ints(device, memory, host, count, true);
    free(host);
}

/* Checks that device memory is first, first + 1, ... */
static inline void expect(const tw_device *device, int *memory, size_t count, int first)
{
    int *host = malloc(count * sizeof *host);
    TW_CHECK(host != NULL);
    copy_ints(device, memory, host, count, false);
    for (size_t i = 0; i < count; ++i)
        TW_EQUAL(host[i], first + (int)i);
    free(host);
}

static inline void fill(int *data, size_t count, int first)
{
    for (size_t i = 0; i < count; ++i)
        data[i] = first + (int)i;
}

static inline void is_filled(const int *data, size_t count, int first)
{
    for (size_t i = 0; i < count; ++i)
        TW_EQUAL(data[i], first + (int)i);
}

/* The kinds of device memory that a program may have. */
enum kind { OF_LIBRARY, SHARED, OF_OPENMP, KINDS };

/* Returns true if a device's memory is the host's. */
static inline bool is_of_host(const tw_device *device)
{
    return tw_device_is_cpu(device);
}

/* Returns memory of a device; NULL if there is no such kind. */
static inline int *allocate(tw_device *device, enum kind kind, size_t count)
{
    const int number = tw_device_omp_number(device);
    if (kind == OF_OPENMP)
        return number < 0 ? NULL : omp_target_alloc(count * sizeof(int), number);
    return kind == SHARED ? tw_malloc_shared(device, count * sizeof(int))
                          : tw_malloc_device(device, count * sizeof(int));
}

static inline void release(const tw_device *device, enum kind kind, int *memory)
{
    if (kind == OF_OPENMP)
        omp_target_free(memory, tw_device_omp_number(device));
    else
        tw_free(memory);
}

static inline tw_buffer *make(int *memory, tw_device *device, int *host)
{
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_over_device(memory, device, host, sizeof(int), tw_range_1d(N), &buffer));
    return buffer;
}

/* Adds 1 to the first element, by a host accessor. Returns the address of the contents. */
static inline int *add_on_host(tw_buffer *buffer)
{
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_host_access(buffer, TW_READ_WRITE, &accessor));
    int *data = tw_host_accessor_data(accessor);
    ++data[0];
    TW_PASS(tw_host_accessor_release(&accessor));
    return data;
}

#endif
