/* SPDX-License-Identifier: Apache-2.0 */
/** Devices, as the runtime knows them, and memory spaces. */
#ifndef TEAMWORK_RUNTIME_DEVICE_H
#define TEAMWORK_RUNTIME_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "backend.h"

struct tw_platform;
struct tw_task_queue;
struct tw_stream;

/* What a task queue has streams for: copies are not to wait for kernels beside them. */
enum tw_stream_kind { TW_STREAM_KERNELS, TW_STREAM_COPIES, TW_STREAM_COUNT };

struct tw_device {
    struct tw_backend_device *backend;
    struct tw_platform *platform;
    size_t space;     /* its memory space; 0 is host memory */
    unsigned ordinal; /* in the order of discovery */

    atomic_bool described;
    struct tw_device_facts facts; /* valid once described */

    /* scheduling */
    struct tw_task_queue *active; /* circular list of task queues with ready commands */
    struct tw_task_queue *system; /* for copies that no queue asked for */
    bool exclusive_running;
    unsigned copying;    /* tasks of the task queues' lists of copies that run */
    bool worker_is_warm; /* the last exclusive task ran on a worker */
    unsigned workers, idle_workers;
    unsigned lingering;   /* idle workers that look for work by themselves soon */
    bool napping_shortly; /* ... and so soon that nobody need wake them */
    bool stopping;
    void (*start_worker_locked)(struct tw_device *device);
    pthread_t *threads;
    pthread_cond_t work;

    /* streams */
    struct tw_stream *in_flight; /* circular list of streams with tasks in flight, the next to be looked at first */
    unsigned streams_in_flight;
    struct tw_backend_stream *idle_handles[TW_STREAM_COUNT]; /* on which nothing is in flight */
};

/* The memory spaces of all devices of the machine, visible or not: fixed from discovery to shutdown. devices[0] is
   NULL. Neither array nor device is copied. */
void tw_memory_spaces_set(struct tw_device **devices, size_t count, struct tw_device *host);
size_t tw_memory_space_count(void);
/* The device whose memory it is; NULL for number 0. */
struct tw_device *tw_memory_space_device(size_t space);
struct tw_device *tw_host_device(void);
/* What the backend says of the device; asked once. */
const struct tw_device_facts *tw_device_facts(const struct tw_device *device);

#endif
