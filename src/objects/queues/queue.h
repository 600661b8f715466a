/* SPDX-License-Identifier: Apache-2.0 */
/** The queue object: its task queue, its errors, and what it keeps for reuse. */
#ifndef TEAMWORK_OBJECTS_QUEUE_H
#define TEAMWORK_OBJECTS_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <teamwork/queue.h>

#include "base/copy.h"
#include "base/memory.h"
#include "context.h"
#include "errors.h"
#include "recording.h"
#include "runtime/command.h"
#include "runtime/task_queue.h"

struct tw_buffer;
struct tw_command_graph;
struct tw_command_group;
struct tw_divided;
struct tw_queue_devices;

/* Number of submitted groups that a queue keeps for tw_queue_begin(): one for each thread, up to this many threads. */
#define TW_SPARE_GROUPS 8

/* Number of buffers of temporary memory that a queue keeps for algorithms. */
#define TW_SPARE_SCRATCH 4

/* The most devices of a queue. */
#define TW_MOST_QUEUE_DEVICES 64u

/* What a queue over several devices has besides: a queue for each of them. balance.c says how launches are divided. */
struct tw_queue_devices {
    size_t count;
    struct tw_queue *queues[TW_MOST_QUEUE_DEVICES]; /* owned; `owner` of each is the queue that has them */
    atomic_bool has_failed[TW_MOST_QUEUE_DEVICES];  /* a part of a launch failed there, or could not be launched */
    void (*end)(struct tw_queue_devices *devices);  /* frees what balance.c has, before the queues end */
    void (*free)(struct tw_queue_devices *devices);
    _Atomic(struct tw_divided *) spare; /* what a group recorded in, for the next one; or NULL */
    void (*free_spare)(struct tw_divided *spare);
};

struct tw_queue {
    const char *copy; /* the first member, for tw_check_copy() */
    /* Adds an error; without the lock. The second member, so that another copy of the library can call it. */
    void (*keep_error)(tw_queue *queue, tw_status status, const char *message, const char *file, int line);
    struct tw_device *device;         /* of a queue over several, the first */
    struct tw_queue_devices *devices; /* of a queue over several; else NULL */
    struct tw_queue *owner;           /* the queue over several devices that it is a part of; or NULL */
    atomic_bool profiling;            /* set without the lock */
    size_t handles;
    struct tw_context *context;    /* counted; NULL: its own, until somebody asks for it */
    struct tw_queue *next, **link; /* in context->queues */
    tw_error_handler handler;
    void *handler_user;
    struct tw_task_queue tasks;  /* counts the handle, each open group and each command */
    size_t limit;                /* with this many unfinished commands a submission makes room first */
    struct tw_recorder recorder; /* its part in a recording */
    struct tw_error_list errors;
    struct tw_queue *next_failed, **failed_link; /* in the list of queues that have had errors */
    struct tw_kept_memory kept;
    _Atomic(struct tw_buffer *) scratch[TW_SPARE_SCRATCH]; /* temporary memory for the next algorithm; or NULL */
    void (*free_group)(struct tw_command_group *group);    /* frees a spare group; set with the first */
    struct {
        _Alignas(TW_CACHE_LINE) _Atomic(struct tw_command_group *) group; /* for tw_queue_begin(); or NULL */
    } spare[TW_SPARE_GROUPS];
};
static inline struct tw_queue *tw_queue_of(const struct tw_task_queue *tasks)
{
    return (struct tw_queue *)((char *)(uintptr_t)tasks - offsetof(struct tw_queue, tasks));
}
/* Returns the queue to which a command was submitted; NULL for what was submitted to none, as a user event. */
static inline struct tw_queue *tw_queue_of_command(const struct tw_command *command)
{
    return command->home->unused_locked ? tw_queue_of(command->home) : NULL; /* a device's own is never ended so */
}
/* Creates a queue, in a context unless that is NULL. */
tw_status tw_queue_make(tw_device *device, tw_context *context, unsigned properties, tw_error_handler handler,
                        void *handler_user, tw_queue **result);
/* Fails for NULL, for a queue of another copy of the library, and in a process that fork() has made since. */
tw_status tw_queue_check(const tw_queue *queue);
/* Fails for what is no set of properties. */
tw_status tw_queue_check_properties(unsigned properties);
/* For tw_command_object: reports the failure, if any, of a complete command to its queue. */
void tw_queue_complete_locked(struct tw_command *command);
/* For tw_command_object: keeps the memory of a freed command for the queue, and releases the queue. */
void tw_queue_take_memory_locked(struct tw_task_queue *home, struct tw_memory memory);
/* Waits until a queue at its limit has room again, or until the program itself holds its oldest command back. */
void tw_queue_make_room_locked(struct tw_queue *queue);
/* Waits for all commands submitted so far. Fails only with TW_ERROR_WOULD_DEADLOCK. */
tw_status tw_queue_drain_locked(struct tw_queue *queue);
/* Returns true if the tasks of a group with an event are timed: that costs nothing, or the queue profiles. */
static inline bool tw_queue_measures(const struct tw_queue *queue)
{
    return !queue->device->backend->times_cost || atomic_load_explicit(&queue->profiling, memory_order_relaxed);
}
/* Delivers the queue's undelivered errors to its handler. Returns false if it has none. Without the lock. */
bool tw_queue_throw_to_handler(struct tw_queue *queue);
/* Returns a queue, other than `but`, with a handler and an undelivered error of the failure with this number, as of commands
   that the failure cancelled; NULL if there is none. */
struct tw_queue *tw_queue_failed_locked(uint64_t failure, const struct tw_queue *but);
/* Delivers as tw_queue_throw_to_handler(), but returns the status of the first undelivered error if there is no handler. Without the lock. */
tw_status tw_queue_deliver(struct tw_queue *queue);

#endif
