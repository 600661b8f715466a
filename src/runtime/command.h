/* SPDX-License-Identifier: Apache-2.0 */
/** The life of a command: planned, inserted into the graph, its tasks run or cancelled, complete. */
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

struct tw_task_queue;
struct tw_fallback;

enum tw_task_kind {
    TW_TASK_COPY,
    TW_TASK_KERNEL,
    TW_TASK_GRAPH,
    TW_TASK_NOTHING,
    TW_TASK_HOST_ACCESS,
    TW_TASK_FALLBACK
};
enum tw_phase { TW_PHASE_START, TW_PHASE_KERNEL, TW_PHASE_COMPLETE, TW_PHASE_COUNT };

/* One schedulable piece of a command: a copy, or its body. */
struct tw_task {
    struct tw_node node; /* first: the graph's view */
    enum tw_task_kind kind;
    bool exclusive; /* occupies an exclusive device */
    bool in_flight; /* in its stream's list: issued, or failed to be, and unfinished */
    bool copying;   /* runs, and counts in the device's `copying` */
    bool awaited;   /* some poller may sleep for it */
    struct tw_command *command;
    uint64_t sequence;          /* in its stream's stream, once issued */
    uint64_t began_ns;          /* without a stream, where that is measured */
    struct tw_failure *failure; /* its own, counted until it is finished; or NULL */
};

struct tw_copy_task {
    struct tw_task task; /* first: the scheduler's view */
    struct tw_copy_plan plan;
    struct tw_graph_access accesses[3];
};

/* One byte of its command, which is found by its phase: three pointers to the command would be a cache line more. */
struct tw_event {
    unsigned char phase; /* enum tw_phase */
};

/* What the object that a command stands for does at points of the command's life. With the lock. */
struct tw_command_object {
    /* A graph's commands: runs them one after the other; without the lock. Else NULL. */
    tw_status (*run)(const struct tw_command *command);
    /* A host access: its body may run. Else NULL. */
    void (*ready_locked)(struct tw_command *command);
    /* All tasks are finished: gives back what was acquired at submission. */
    void (*completed_locked)(struct tw_command *command);
    /* The last reference is gone, and with it all but the memory, which it takes. Releases the home's count. */
    void (*released_locked)(struct tw_task_queue *home, struct tw_memory memory);
};

/* A submitted command group, a host access, or a write-back. What is looked at for each is together. */
struct tw_command {
    atomic_size_t references;                /* the scheduler until complete, and each event */
    struct tw_device *device;                /* where its tasks run: that of the home, or of its fallback */
    struct tw_task_queue *queue;             /* likewise */
    struct tw_task_queue *home;              /* where it was submitted; the object counts it until released_locked() */
    const struct tw_internal_kernel *kernel; /* or NULL */
    struct tw_command *next, *previous;      /* unfinished commands of the home */
    uint64_t sequence;                       /* there */

    struct tw_task body;
    size_t tasks_left;
    tw_status status;
    bool started, acquired, complete;
    bool timed;    /* there is an event that can be asked for the times: the clock costs a tenth of a short group */
    bool measured; /* ... and those of the tasks are wanted too; set with `timed` */
    struct tw_event events[TW_PHASE_COUNT];
    int line;
    const char *file;
    const struct tw_command_object *object;
    struct tw_failure *failure;   /* its own, or the cause of its cancellation; counted */
    struct tw_fallback *fallback; /* owned; what it falls back on, or NULL */
    struct tw_use *uses;          /* the object's, counted until complete */
    size_t use_count;

    struct tw_internal_bounds *bounds; /* owned; NULL unless the kernel checks its views */
    struct tw_backend_graph *instance; /* of the graph, where the device runs it at once; or NULL */
    struct tw_resource *turn;          /* that the body writes beside its uses; or NULL */
    struct tw_copy_task *copies;
    size_t copy_count;
    struct tw_edge *edges; /* in the same allocation, or one of their own; likewise the body's accesses */
    size_t access_room;    /* so many are in the same allocation, and one edge more */
    unsigned char *args;   /* the argument block, in the same allocation */
    size_t bytes;          /* of the allocation */
    tw_event_times times;
    struct tw_internal_launch launch; /* if there is a kernel. Behind what is cleared first */
};

/* The command of an event. */
static inline struct tw_command *tw_command_of(const struct tw_event *event)
{
    return (struct tw_command *)((uintptr_t)(event - event->phase) - offsetof(struct tw_command, events));
}

/* What is used of a command's memory at once: with a few accesses, edges and arguments. */
#define TW_FETCHED_BYTES (sizeof(struct tw_command) + 256)

/* Makes a command with room for so many uses, accesses of its body, and bytes of arguments; in `memory`, which has none
   afterwards, or in new memory where that is too little. It may turn out to need more accesses. Without the lock. NULL:
   out of memory. */
struct tw_command *tw_command_create(const struct tw_command_object *object, struct tw_memory *memory, size_t use_count,
                                     size_t access_count, size_t args_bytes);
/* What went wrong with a complete command whose status says so. */
void tw_command_message_locked(const struct tw_command *command, char *message, size_t bytes);
void tw_command_release(struct tw_command *command);
void tw_command_release_locked(struct tw_command *command);
/* Room for so many edges into the command's tasks. */
tw_status tw_command_make_edges(struct tw_command *command, size_t needed);
/* The domain for the body of a command that is about to be submitted: NULL if its launch has to wait for all before it.
   Without the lock. */
const void *tw_command_domain(const struct tw_command *command);
/* The domain for a copy; likewise. */
const void *tw_copy_domain(const struct tw_copy_plan *plan);
/* The failure of one of the command's tasks; the message is the last complaint about a task. */
struct tw_failure *tw_command_failure_locked(const struct tw_command *command, tw_status status);
/* What a kernel that has run noted about the indices of its views. */
tw_status tw_command_check_bounds(const struct tw_command *command);
/* Why a task is cancelled; or NULL. */
#define tw_cancel_cause_of(task) ((struct tw_failure *)(task)->node.cancel_cause)

#endif
