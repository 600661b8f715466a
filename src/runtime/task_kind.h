/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kinds of tasks. A kind is a const table, in the file that knows what such a task does: the runtime asks a task's table,
 * and never which kind it is. A new kind is a file with a table, and a line at the end of this header unless one file
 * makes all commands of that kind.
 */
#ifndef TEAMWORK_RUNTIME_TASK_KIND_H
#define TEAMWORK_RUNTIME_TASK_KIND_H

#include <stdbool.h>

#include <teamwork/tool.h>

#include "device.h"

struct tw_command;
struct tw_task;

struct tw_task_kind {
    tw_tool_task_kind tool_kind; /* what tools are told, unless describe() tells them otherwise */
    const char *name;            /* likewise: "transfer" */
    const char *what;            /* in messages of failures without a kernel: "a copy or fill" */
    enum tw_stream_kind stream;  /* of its queue, where it is issued if it has an ordering domain */
    bool launches;               /* launches the command's kernel: several may run in a batch */
    bool occupies;               /* may need a whole CPU: tw_task.exclusive where the device is so */
    bool moves_data;             /* it is short, devices may limit how many run, and its failure is a failed transfer */
    bool may_block;      /* it runs what the program wrote: a thread that waits for something else leaves it alone */
    bool awaits_program; /* the program ends it, by tw_command_finish_access_locked() */
    bool can_be_undone;  /* the arguments are tw_before: where the contents were, for when it is cancelled */
    bool writes_more;    /* it may change more than its command's uses say */

    /* Returns the ordering domain of a body that is about to be submitted; NULL if it must wait on the host until all its
       predecessors are finished. Called without the lock. NULL: always so, or its maker sets the domain. */
    const void *(*domain)(struct tw_command *command);
    /* Called when all its predecessors are finished, unless it has a domain. Returns true if the task is over. NULL: a
       thread is to run it. */
    bool (*ready_locked)(struct tw_task *task);
    /* Runs it on this thread. Called without the lock. NULL: there is nothing to run. */
    tw_status (*execute)(struct tw_task *task);
    /* Enqueues it on a stream of its device, and stores its sequence number. Called without the lock. NULL: it never has a
       domain. */
    tw_status (*enqueue)(const struct tw_backend_async *async, struct tw_backend_stream *stream, struct tw_task *task);
    /* Describes it as a node of a backend's graph. Returns false if there are no such nodes. NULL: the node is empty. */
    bool (*add_to_graph)(struct tw_task *task, struct tw_backend_graph_node *node);
    /* Releases what the arguments of a recorded command own, before its recording or graph frees it. NULL: nothing. */
    void (*dropped_locked)(struct tw_command *command);
    /* Learns what describe() tells, before the task runs. Called without the lock. NULL: nothing. */
    void (*learn)(const struct tw_task *task);
    /* Describes to tools what is special about it; also its kind and name where these are not always `tool_kind` and
       `name`. Called with the lock or without. NULL: nothing. */
    void (*describe)(const struct tw_task *task, tw_tool_task *told);
};

extern const struct tw_task_kind tw_kind_kernel;
extern const struct tw_task_kind tw_kind_copy;          /* a copy that brings data */
extern const struct tw_task_kind tw_kind_step;          /* a copy, a fill or a hint of the program: step.h */
extern const struct tw_task_kind tw_kind_host;          /* a function of the program, on the host: host_task.h */
extern const struct tw_task_kind tw_kind_native;        /* one that works on the device */
extern const struct tw_task_kind tw_kind_nothing;       /* a command that only orders others and brings data */
extern const struct tw_task_kind tw_kind_fallback;      /* a kernel or step that has failed, on another device */
extern const struct tw_task_kind tw_kind_fallback_part; /* the same for a part of a launch */

#endif
