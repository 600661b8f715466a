/* SPDX-License-Identifier: Apache-2.0 */
/** Devices, as the runtime knows them, and memory spaces. */
#ifndef TEAMWORK_RUNTIME_DEVICE_H
#define TEAMWORK_RUNTIME_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend.h"

struct tw_platform;
struct tw_pool;
struct tw_task_queue;
struct tw_stream;

/* The streams of a task queue. Copies have their own, so that they do not wait for unrelated kernels. */
enum tw_stream_kind { TW_STREAM_KERNELS, TW_STREAM_COPIES, TW_STREAM_COUNT };

/* How a sub-device was made. */
struct tw_division {
    tw_partition type;
    tw_affinity_domain domain; /* with TW_PARTITION_BY_AFFINITY_DOMAIN */
};

struct tw_device {
    struct tw_backend_device *backend;
    struct tw_platform *platform;
    size_t space;     /* its memory space; 0 is host memory */
    unsigned ordinal; /* in the order of discovery; that of its parent if it is a sub-device */
    int number;       /* for tools: that of no other device */

    /* of a sub-device */
    struct tw_device *parent;    /* NULL: none */
    struct tw_device *next_part; /* list of all sub-devices, the latest first */
    struct tw_division division;
    size_t first_unit, units; /* of the parent's compute units */

    atomic_bool described;
    struct tw_device_facts facts; /* valid once described */

    /* scheduling */
    struct tw_task_queue *active; /* circular list of task queues with ready tasks */
    struct tw_task_queue *system; /* task queue for copies that no queue requested */
    bool has_priorities;          /* a task queue has another priority than the normal one, or had */
    bool exclusive_running;
    unsigned copying;    /* running tasks of the task queues' lists `copies` */
    bool worker_is_warm; /* the last exclusive task ran on a worker */
    unsigned workers, idle_workers;
    unsigned lingering;   /* idle workers that will look for work by themselves */
    bool napping_shortly; /* ... so soon that no thread need wake them */
    bool polls;           /* a worker polls `wakes` */
    atomic_uint wakes;    /* counts the times that a thread would have woken it; polled without the lock */
    bool stopping;
    void (*start_worker_locked)(struct tw_device *device);
    pthread_t *threads;
    int thread_error; /* the errno value of the last thread that could not be started; 0: none */
    pthread_cond_t work;

    struct tw_pool *pool; /* memory that was freed in the order of a queue (pool.h); or NULL */

    /* streams */
    struct tw_stream *in_flight; /* circular list of streams with tasks in flight, the next to retire first */
    unsigned streams_in_flight;
    struct tw_backend_stream *idle_handles[TW_PRIORITIES][TW_STREAM_COUNT]; /* backend's, with nothing in flight */
};

/* Sets the memory spaces of all devices of the machine, visible or not. They are fixed from discovery to shutdown.
   devices[0] is NULL. Neither the array nor the devices are copied. */
void tw_memory_spaces_set(struct tw_device **devices, size_t count, struct tw_device *host);
size_t tw_memory_space_count(void);
/* Returns the device of a memory space; NULL for number 0. */
struct tw_device *tw_memory_space_device(size_t space);
struct tw_device *tw_host_device(void);
/* Returns the device whose memory a device uses: itself, or the one that it is a part of. */
static inline struct tw_device *tw_memory_owner(const struct tw_device *device)
{
    return device->space ? tw_memory_space_device(device->space) : (struct tw_device *)(uintptr_t)device;
}
/* Returns host memory, aligned for any type, to be freed by free(); NULL if memory is exhausted. */
void *tw_host_allocate(size_t bytes);
#define TW_HUGE_BYTES ((size_t)4 << 20) /* from so many on, host memory is in huge pages */
/* Returns memory of a device, aligned to 128 bytes; NULL if there is not enough. */
void *tw_device_allocate(struct tw_device *device, size_t bytes);
void tw_device_release(struct tw_device *device, void *memory);
/* Returns what the backend says of the device, which is asked once. */
const struct tw_device_facts *tw_device_facts(const struct tw_device *device);

#endif
