/* SPDX-License-Identifier: Apache-2.0 */
/** Queues. */
#ifndef TEAMWORK_OBJECTS_QUEUE_H
#define TEAMWORK_OBJECTS_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <teamwork/queue.h>

#include "base/memory.h"
#include "context.h"
#include "copy.h"
#include "errors.h"
#include "runtime/task_queue.h"

struct tw_recording;
struct tw_command_graph;
struct tw_command_group;

/* A queue keeps so many groups that have been submitted, for tw_queue_begin(): one for each thread, if they are not
   more. */
#define TW_SPARE_GROUPS 8

struct tw_queue {
    const char *copy; /* first: copy.h */
    /* Second, so that another copy of the library can tell the queue of an error. Without the lock. */
    void (*keep_error)(tw_queue *queue, tw_status status, const char *message, const char *file, int line);
    struct tw_device *device;
    atomic_bool profiling;         /* set without the lock */
    struct tw_context *context;    /* counted; or NULL */
    struct tw_queue *next, **link; /* in context->queues */
    tw_error_handler handler;
    void *handler_user;
    struct tw_task_queue tasks;     /* counts the handle, each command and each recorded group */
    size_t limit;                   /* from so many unfinished commands on a submission makes room first */
    struct tw_recording *recording; /* of the groups submitted now; or NULL */
    struct tw_error_list errors;
    struct tw_kept_memory kept;
    void (*free_group)(struct tw_command_group *group); /* of these; set with the first */
    struct {
        _Alignas(TW_CACHE_LINE) _Atomic(struct tw_command_group *) group; /* to be begun again; or NULL */
    } spare[TW_SPARE_GROUPS];
};
static inline struct tw_queue *tw_queue_of(const struct tw_task_queue *tasks)
{
    return (struct tw_queue *)((char *)(uintptr_t)tasks - offsetof(struct tw_queue, tasks));
}
/* For tw_command_object: a command of a queue is complete, and reports its failure; its last reference is dropped. */
void tw_queue_complete_locked(struct tw_command *command);
void tw_queue_take_memory_locked(struct tw_task_queue *home, struct tw_memory memory);
/* Waits, where a queue has reached its limit, until it has room again or the program itself holds its commands back. */
void tw_queue_make_room_locked(struct tw_queue *queue);
/* Waits for all commands submitted so far. Fails only with TW_ERROR_WOULD_DEADLOCK. */
tw_status tw_queue_drain_locked(struct tw_queue *queue);
/* Whether the times of a queue's tasks are to be measured, for a group with an event. */
static inline bool tw_queue_measures(const struct tw_queue *queue)
{
    return !queue->device->backend->times_cost || atomic_load_explicit(&queue->profiling, memory_order_relaxed);
}
/* Delivers the queue's undelivered errors to its handler; false where there is none. Without the lock. */
bool tw_queue_throw_to_handler(struct tw_queue *queue);
/* Delivers the queue's undelivered errors to its handler, or returns the first where there is none; without the lock.
 */
tw_status tw_queue_deliver(struct tw_queue *queue);

#endif
