/* SPDX-License-Identifier: Apache-2.0 */
/** Ready tasks, and which of them a thread may take. */
#ifndef TEAMWORK_RUNTIME_READY_H
#define TEAMWORK_RUNTIME_READY_H

#include <stdbool.h>

#include "command.h"
#include "task_queue.h"

/* The command that this thread submits and will wait for at once; or NULL. */
extern _Thread_local const struct tw_command *tw_awaited;
/* The device whose workers were not woken for a copy of that command, since this thread runs it; or NULL. */
extern _Thread_local struct tw_device *tw_unwoken;
/* The task queue whose task this thread is finishing; or NULL. The thread will look there for the next task, unless it
   is a worker and a waiting thread serves the task queue. */
extern _Thread_local struct tw_task_queue *tw_running_queue;
extern _Thread_local bool tw_is_worker;
/* exit() has begun; under the lock. From then on no thread begins tasks, except the one that ends the program once the
   running tasks are over. */
extern bool tw_is_ending;
extern _Thread_local bool tw_ends_program;

/* Returns the stream on which a task with an ordering domain is issued. */
static inline struct tw_stream *tw_stream_of(const struct tw_task *task)
{
    return &task->command->queue->streams[task->kind->stream];
}

/* Takes the first task of a list, which must not be empty. */
struct tw_task *tw_pop(struct tw_task_list *list);
/* Adds a ready task to its task queue, and wakes a thread for it if necessary. */
void tw_schedule_locked(struct tw_task *task);
/* Makes sure that a worker looks at the device's ready tasks: soon, or after a moment. */
void tw_wake_worker_locked(struct tw_device *device, bool soon);
/* Adds a ready task to those that its stream is to issue. */
void tw_stream_add_locked(struct tw_task *task);
/* Lists a stream among those with tasks to issue, if it has any and may issue them. */
void tw_list_to_issue_locked(struct tw_stream *stream);
/* Takes the first of these streams; NULL if there is none. */
struct tw_stream *tw_next_to_issue_locked(void);

/* Returns true if this thread may take and issue tasks. All threads may, until the program ends. */
bool tw_may_run_locked(void);

/* These take a task for a thread to run; NULL if there is none. */

/* For a worker, from the device's task queues in turn; only copies from those that a waiting thread serves. */
struct tw_task *tw_take_from_device(struct tw_device *device);
/* From one task queue, but no copy. */
struct tw_task *tw_take_from_queue(struct tw_task_queue *queue, bool worker);
/* The copy `step`, which a waiting thread waits for, unless it runs already. */
struct tw_task *tw_take_own_copy(struct tw_task_queue *queue, const struct tw_task *step);
/* Returns a task queue of the same device whose parallel kernel is overdue and that no waiting thread serves; NULL if
   there is none. A waiting thread runs that kernel before its own. */
struct tw_task_queue *tw_overdue_queue(const struct tw_task_queue *queue);
bool tw_task_queue_is_empty(const struct tw_task_queue *queue);

#endif
