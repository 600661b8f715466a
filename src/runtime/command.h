/* SPDX-License-Identifier: Apache-2.0 */
/** Commands and their tasks. A command is planned, inserted into the graph, run or cancelled, and complete. */
#ifndef TEAMWORK_RUNTIME_COMMAND_H
#define TEAMWORK_RUNTIME_COMMAND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <teamwork/event.h>
#include <teamwork/lower/kernel/launch.h>

#include "backend.h"
#include "base/failure.h"
#include "base/memory.h"
#include "device.h"
#include "graph/coherence.h"
#include "graph/graph.h"
#include "graph/placement.h"
#include "task_kind.h"

struct tw_task_queue;
struct tw_fallback;
struct tw_pin;

enum tw_phase { TW_PHASE_START, TW_PHASE_KERNEL, TW_PHASE_COMPLETE, TW_PHASE_COUNT };

/* A part of a command that runs by itself: a copy, or its body. */
struct tw_task {
    struct tw_node node; /* first: the graph's view */
    const struct tw_task_kind *kind;
    bool exclusive; /* occupies its device: one at a time runs there */
    bool in_flight; /* in its stream's list: issued, failed or cancelled, and not yet retired */
    bool copying;   /* runs, and is counted in the device's `copying` */
    bool awaited;   /* a poller may sleep for it */
    struct tw_command *command;
    uint64_t sequence;           /* its sequence number in the backend's stream, once issued */
    struct tw_backend_times ran; /* when it ran, if it is measured; until it is finished */
    struct tw_failure *failure;  /* its own, counted until it is finished; or NULL */
};

/* The commands that the program lets a recorded one come after. */
struct tw_recorded_before {
    size_t count;
    struct tw_command *commands[];
};

struct tw_salvage;

struct tw_copy_task {
    struct tw_task task; /* first: the scheduler's view */
    struct tw_copy_plan plan;
    struct tw_salvage *salvage; /* owned; NULL unless it failed, or cannot copy all, and runs for others: salvage.h */
    uint64_t holding; /* the memory spaces that held the box when the copy was planned: tw_allocations_that_hold() */
    bool behind;      /* a stream ran it behind a copy to its source that runs again */
    bool copied;      /* a stream has copied all of the box, though some of it was lost before */
    struct tw_graph_access accesses[3];
    struct tw_box_node parts[3]; /* of the accesses, if it copies a part of the buffer */
};

/* One byte in its command, whose address follows from the phase: three pointers would take another cache line. */
struct tw_event {
    unsigned char phase; /* enum tw_phase */
};

/* Functions of the object that a command stands for, called during the command's life. */
struct tw_command_object {
    /* Called when all tasks are finished. Releases what was acquired at submission. */
    void (*completed_locked)(struct tw_command *command);
    /* Called when the last reference is released. Takes the command's block, and releases the reference to `home`. */
    void (*released_locked)(struct tw_task_queue *home, struct tw_memory memory);
};

/* A submitted command group, a host access, or a write-back. Members that all of them use are close together. */
struct tw_command {
    atomic_size_t references;                /* one of the runtime until complete, one for each event */
    struct tw_device *device;                /* where its tasks run: the home's, or its fallback's */
    struct tw_task_queue *queue;             /* likewise */
    struct tw_task_queue *home;              /* where it was submitted; counted until released_locked() */
    const struct tw_internal_kernel *kernel; /* or NULL */
    struct tw_command *next, *previous; /* links of the home's unfinished commands. Of a recorded one: `previous` is the
                                           first of those that it comes after in an in-order queue, which are linked by
                                           `next`; or NULL */
    uint64_t sequence;                  /* its number among the home's commands, from 1 */

    struct tw_task body;
    unsigned tasks_left;
    tw_status status;
    bool started, acquired, complete;
    bool only_orders;   /* the failure of the commands that it is submitted behind does not cancel it */
    bool shares_turn;   /* the body only reads `turn`: such commands do not wait for each other */
    bool is_held;       /* once submitted it waits for tw_command_issue_locked(): it is one of several */
    bool is_user_event; /* set at creation: read without the lock */
    bool is_recorded;   /* for a command graph: it never runs itself */
    bool timed;    /* an event can be asked for the times; else no clock is read: it costs a tenth of a short group */
    bool measured; /* the tasks' times are recorded too; only with `timed`, or for tools */
    struct tw_event events[TW_PHASE_COUNT];
    int line;
    const char *file;
    uint64_t number;      /* of the body, for tools; its copies have the next ones; 0: tools are not told of it */
    uint64_t recorded_ns; /* for tools: when the program began to record it; 0: not known */
    const struct tw_command_object *object;
    struct tw_failure *failure;   /* its own, or the cause of its cancellation; counted */
    struct tw_fallback *fallback; /* owned; or NULL */
    struct tw_use *uses;          /* its buffers are counted until it is complete */
    size_t use_count;
    const struct tw_place
        *places; /* of a graph of several devices: where it needs contents and leaves them, until it is
                                      submitted; NULL: each use is on the command's device */
    size_t place_count;
    struct tw_pin *pins; /* of the addresses in its arguments; owned until it is complete */

    struct tw_internal_bounds *bounds; /* owned; NULL unless the kernel checks its views */
    struct tw_backend_graph *instance; /* the instantiated command graph; or NULL */
    void *context;                     /* the object's own; or NULL */
    struct tw_recorded_before *after;  /* of a recorded command: owned; or NULL */
    struct tw_resource *turn;          /* resource that the body accesses besides its uses; or NULL */
    struct tw_copy_task *copies;
    size_t copy_count;
    struct tw_box_node *parts; /* of the body's accesses to parts of buffers; or NULL */
    struct tw_edge *edges;     /* in the command's block, or one of their own, as the body's accesses and parts */
    size_t access_room;        /* number of accesses in the block, which has one edge more */
    unsigned char *args; /* the argument block, in the command's block; of a step: struct tw_step; of a host access:
                                  its tw_before entries */
    size_t bytes;        /* of the command's block */
    tw_event_times times;
    struct tw_internal_launch launch; /* if there is a kernel; last, since tw_command_create() does not clear it */
};

/* Returns true if a task is one of the copies that bring its command's data: a command has no other tasks but its body. */
static inline bool tw_is_copy(const struct tw_task *task)
{
    return task != &task->command->body;
}

/* Returns the command of an event. */
static inline struct tw_command *tw_command_of(const struct tw_event *event)
{
    return (struct tw_command *)((uintptr_t)(event - event->phase) - offsetof(struct tw_command, events));
}

/* How much of a command to prefetch: with a few accesses, edges and arguments. */
#define TW_FETCHED_BYTES (sizeof(struct tw_command) + 256)

/* Makes a command with room for these numbers of uses, accesses of its body, and bytes of arguments. If it `has_parts`,
   the accesses may be to parts of buffers. It takes the block of `memory`, or a new one if that is too small, and leaves
   `memory` empty. Submission makes more room if necessary. Called without the lock. Returns NULL if memory is
   exhausted. */
struct tw_command *tw_command_create(const struct tw_command_object *object, struct tw_memory *memory, size_t use_count,
                                     size_t access_count, bool has_parts, size_t args_bytes);
/* Writes the message of a complete command that has failed or was cancelled. */
void tw_command_message_locked(const struct tw_command *command, char *message, size_t bytes);
/* For tw_command_object: frees the block of a command of a device's own task queue, which is not counted. */
void tw_command_free(struct tw_task_queue *home, struct tw_memory memory);
void tw_command_release(struct tw_command *command);
void tw_command_release_locked(struct tw_command *command);
/* Makes room for `needed` edges into the command's tasks. */
tw_status tw_command_make_edges(struct tw_command *command, size_t needed);
/* Makes the failure of one of the command's tasks, with the message tw_task_detail(). */
struct tw_failure *tw_command_failure_locked(const struct tw_command *command, tw_status status);
/* Returns TW_ERROR_OUT_OF_BOUNDS if a kernel that has run used an index outside of a view. */
tw_status tw_command_check_bounds(const struct tw_command *command);
/* The same for a record of such indices; `kernel` is NULL for that of a host accessor. */
tw_status tw_bounds_check(const struct tw_internal_bounds *bounds, const char *kernel);
/* The failure for which a task is cancelled; or NULL. */
#define tw_cancel_cause_of(task) ((struct tw_failure *)(task)->node.cancel_cause)

#endif
