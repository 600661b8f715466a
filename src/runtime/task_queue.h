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

/* The tasks of one queue that a stream takes: the bodies, or the copies from other devices. Those in flight are
   finished in the order in which they were issued. */
struct tw_stream {
    struct tw_task_queue *queue;
    enum tw_stream_kind kind;
    struct tw_task_list issue; /* ready for the stream */
    struct tw_stream *next_to_issue;
    bool is_to_issue, issuing;        /* on the list of streams that have such; a thread is at it */
    struct tw_backend_stream *handle; /* while anything is in flight */
    struct tw_task_list in_flight;    /* in the order of issue */
    unsigned in_flight_count;
    struct tw_stream *next_in_flight, *previous_in_flight; /* in device->in_flight, while there are any */
    bool retiring;                                         /* a thread looks for what is over */
    struct tw_poller *poller;                              /* the thread that polls for its tasks; or NULL */
    struct tw_poller *sleepers, **last_sleeper; /* threads that wait beside it, the first to take over first */
};

/* The commands of one queue that are not finished, its ready tasks, and those in flight. A device has one more, for
   what no queue asked for. */
struct tw_task_queue {
    struct tw_device *device;
    atomic_size_t references; /* the owner, each command and each fallback; raised without the lock */
    void (*unused_locked)(struct tw_task_queue *queue);    /* the last is dropped; ends the task queue */
    struct tw_command *first_unfinished, *last_unfinished; /* in the order of submission */
    size_t unfinished;
    uint64_t submitted;                    /* sequence of the last command */
    struct tw_task_queue *next, *previous; /* in device->active, while it has ready tasks */
    struct tw_task_list light, exclusive;
    struct tw_task_list copies;  /* to a device that runs few at a time: in their order, by workers */
    uint64_t exclusive_since_ns; /* how long the first exclusive task has been ready */
    unsigned helpers;            /* waiting threads that run this task queue's tasks */
    unsigned watchers;           /* threads that wait for the start of a body */
    unsigned sleepers;           /* helpers that wait for `changed` */
    pthread_cond_t changed;      /* something that the helpers look at; with the lock */
    atomic_uint epoch;           /* how often; polled without the lock */
    struct tw_stream streams[TW_STREAM_COUNT];
};

/* With one reference. unused_locked: NULL for a task queue that its owner keeps while anything may use it. */
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
/* Tells the threads that look after a task queue that something has changed there: a task became ready or was issued,
   or is finished. */
void tw_announce_locked(struct tw_task_queue *queue);
/* The same for all task queues of a device with ready tasks: it has become free, or whose turn it is has changed. */
void tw_announce_device_locked(struct tw_device *device);
/* Adds nodes linked by next, of which there may be none. */
void tw_append(struct tw_task_list *list, struct tw_node *nodes);

#endif
