/* SPDX-License-Identifier: Apache-2.0 */
/** Ready tasks, and which of them a thread may take. */
#ifndef TEAMWORK_RUNTIME_READY_H
#define TEAMWORK_RUNTIME_READY_H

#include <stdbool.h>

#include "command.h"
#include "task_queue.h"

/* The command that this thread submits and then waits for at once; or NULL. */
extern _Thread_local const struct tw_command *tw_awaited;
/* The device whose workers were not woken for a copy for that command, since this thread runs it. */
extern _Thread_local struct tw_device *tw_unwoken;
/* The task queue whose task this thread is finishing: it will look there for the next one, unless it is a worker and
   another thread waits for that. */
extern _Thread_local struct tw_task_queue *tw_running_queue;
extern _Thread_local bool tw_is_worker;
/* exit() has begun; under the lock. When the tasks that ran are over, tasks are for the thread that ends the program.
   */
extern bool tw_is_ending;
extern _Thread_local bool tw_ends_program;

/* Where a task that has an ordering domain is issued. */
static inline struct tw_stream *tw_stream_of(const struct tw_task *task)
{
    return &task->command->queue->streams[task->kind == TW_TASK_COPY ? TW_STREAM_COPIES : TW_STREAM_KERNELS];
}

/* Takes the first of a list, of which there must be one. */
struct tw_task *tw_pop(struct tw_task_list *list);
/* Hands a ready task to whoever runs it first. */
void tw_schedule_locked(struct tw_task *task);
/* Sees to it that some worker looks at the device's ready tasks; `soon`, or after a moment. */
void tw_wake_worker_locked(struct tw_device *device, bool soon);
/* Hands a ready task to its domain: adds it to those that are to be issued. */
void tw_stream_add_locked(struct tw_task *task);
/* Lists a stream among those with tasks to issue, if it has any and may. Takes the first of these; NULL: there is none.
   */
void tw_list_to_issue_locked(struct tw_stream *stream);
struct tw_stream *tw_next_to_issue_locked(void);

/* Whether this thread may take and issue tasks: all may, until the program ends. */
bool tw_may_run_locked(void);

/* What a thread may run. NULL: nothing. */
/* ... a worker, of a device: task queues in turn, but not those that a waiting thread looks after. */
struct tw_task *tw_take_from_device(struct tw_device *device);
/* ... of a task queue, but no copies. */
struct tw_task *tw_take_from_queue(struct tw_task_queue *queue, bool worker);
/* ... the copy that a waiting thread waits for. */
struct tw_task *tw_take_own_copy(struct tw_task_queue *queue, const struct tw_task *step);
/* A task queue of the same device that nobody looks after and whose parallel kernel is overdue: a waiting thread runs
   that before its own. NULL: there is none. */
struct tw_task_queue *tw_overdue_queue(const struct tw_task_queue *queue);
bool tw_task_queue_is_empty(const struct tw_task_queue *queue);

#endif
