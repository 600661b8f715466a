/* SPDX-License-Identifier: Apache-2.0 */
/** The runtime's part of a queue, and the lists of its tasks. */
#ifndef TEAMWORK_RUNTIME_TASK_QUEUE_H
#define TEAMWORK_RUNTIME_TASK_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device.h"
#include "graph/graph.h"

struct tw_command;
struct tw_poller;

/* Nodes linked by next. */
struct tw_task_list {
    struct tw_node *first, *last;
};

/* The tasks of one queue for one stream of the backend: bodies, or copies from other devices. They are finished in the
   order in which they were issued. */
struct tw_stream {
    struct tw_task_queue *queue;
    enum tw_stream_kind kind;
    struct tw_task_list issue; /* ready tasks, to be issued */
    struct tw_stream *next_to_issue;
    bool is_to_issue, issuing;        /* in the list of streams with such tasks; a thread issues them */
    struct tw_backend_stream *handle; /* the backend's, while any are in flight */
    struct tw_task_list in_flight;    /* in the order of issue */
    unsigned in_flight_count;
    struct tw_stream *next_in_flight, *previous_in_flight; /* links of device->in_flight, while any are in flight */
    bool retiring;                                         /* a thread retires completed tasks */
    struct tw_poller *poller;                              /* the thread that polls for its tasks; or NULL */
    struct tw_poller *sleepers, **last_sleeper;            /* other waiting threads; the first takes over first */
};

/* The unfinished commands of one queue, its ready tasks, and those in flight. Each device has one more task queue, for
   copies that no queue requested. */
struct tw_task_queue {
    struct tw_device *device;
    struct tw_task_queue *leader; /* of a part of a queue over several devices, the task queue of that one; or NULL */
    atomic_size_t references;     /* of owner, commands, fallbacks, pollers; retained without the lock */
    enum tw_priority priority;
    bool
        in_order; /* each body waits for that of the command before; set before the first command, as the priority is */
    void (*unused_locked)(struct tw_task_queue *queue);    /* called without references; ends the task queue */
    struct tw_command *first_unfinished, *last_unfinished; /* in the order of submission */
    size_t unfinished;
    uint64_t submitted;                    /* `sequence` of the last command */
    struct tw_command *marker;             /* the latest marker (barrier.c), if it is unfinished; or NULL */
    struct tw_command *barrier;            /* the latest that bodies submitted later wait for, likewise */
    uint64_t marked;                       /* `submitted` at the latest marker, of the leader if there is one */
    uint64_t number;                       /* for tools: from 1, never that of another task queue */
    struct tw_task_queue *next, *previous; /* links of device->active, while it has ready tasks */
    struct tw_task_list light, exclusive;
    struct tw_task_list copies;  /* on a device that limits their number, and host tasks: workers run them in order */
    uint64_t exclusive_since_ns; /* when the first exclusive task became ready, or its turn began */
    unsigned helpers;            /* waiting threads that serve this task queue */
    unsigned watchers;           /* threads that wait for the start of a body */
    unsigned sleepers;           /* helpers that wait for `changed` */
    pthread_cond_t changed;      /* signals helpers that something changed; with the lock */
    atomic_uint epoch;           /* number of such changes; polled without the lock */
    struct tw_stream streams[TW_STREAM_COUNT];
};

/* Begins with one reference. unused_locked: NULL for a task queue that its owner keeps while anything may use it. */
void tw_task_queue_init(struct tw_task_queue *queue, struct tw_device *device,
                        void (*unused_locked)(struct tw_task_queue *queue));
void tw_task_queue_end(struct tw_task_queue *queue);
static inline void tw_task_queue_retain(struct tw_task_queue *queue)
{
    atomic_fetch_add(&queue->references, 1);
}
static inline void tw_task_queue_release_locked(struct tw_task_queue *queue)
{
    if (atomic_fetch_sub(&queue->references, 1) == 1 && queue->unused_locked)
        queue->unused_locked(queue);
}
/* Tells the threads that serve a task queue that something has changed there: a task became ready, was issued, or is
   finished. */
void tw_announce_locked(struct tw_task_queue *queue);
/* Does so for all task queues of a device with ready tasks: it became free, or another task queue has its turn. */
void tw_announce_device_locked(struct tw_device *device);
/* Appends nodes linked by next; there may be none. */
void tw_append(struct tw_task_list *list, struct tw_node *nodes);

#endif
