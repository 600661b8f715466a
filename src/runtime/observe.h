/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The life of commands and tasks, as events' times and tools (teamwork/tool.h) see it. Each moment of it has one
 * function, which the runtime calls where that moment is. Nobody else records times or tells tools of tasks. Where
 * nobody observes a command, a moment costs a comparison.
 */
#ifndef TEAMWORK_RUNTIME_OBSERVE_H
#define TEAMWORK_RUNTIME_OBSERVE_H

#include "base/clock.h"
#include "base/lock.h"
#include "base/tool.h"
#include "command.h"

/* What the moments below do where somebody observes. */
void tw_note_submission_locked(struct tw_command *command);
void tw_tell_begin(const struct tw_task *task);
void tw_tell_enqueued(const struct tw_task *task);
void tw_note_stream_times_locked(const struct tw_backend_async *async, struct tw_backend_stream *stream,
                                 struct tw_task *task);
void tw_note_end_locked(struct tw_task *task, tw_status status);
void tw_note_completion_locked(struct tw_command *command);

/* A command was inserted into the graph, and none of its tasks has begun. */
static inline void tw_observe_submission_locked(struct tw_command *command)
{
    if (command->timed)
        command->times.submit_ns = tw_held_ns();
    if (tw_tools_are_on())
        tw_note_submission_locked(command);
}

/* A task may begin, or be issued to its ordering domain. */
static inline void tw_observe_ready_locked(struct tw_task *task)
{
    struct tw_command *command = task->command;
    if (command->timed && task == &command->body && !task->node.cancel_cause)
        command->times.ready_ns = tw_held_ns();
}

/* A thread is about to run a task. tw_observe_begin() follows, which may take longer. */
static inline void tw_observe_begin_locked(struct tw_task *task)
{
    struct tw_command *command = task->command;
    if (!command->measured)
        return;
    task->ran.start_ns = tw_held_read_ns(); /* a task may have ended in this hold */
    if (task == &command->body)
        command->times.start_ns = task->ran.start_ns;
}

/* A task begins on this thread. Called with the lock or without. */
static inline void tw_observe_begin(const struct tw_task *task)
{
    if (task->command->number)
        tw_tell_begin(task);
}

/* A thread has run a task. Takes the lock. */
static inline void tw_observe_end_lock(struct tw_task *task)
{
    if (!task->command->measured) {
        tw_lock();
    } else {
        task->ran.end_ns = tw_now_ns();
        tw_lock_at(task->ran.end_ns);
    }
}

/* A task is about to be enqueued on a stream. */
static inline void tw_observe_enqueue(const struct tw_backend_async *async, struct tw_backend_stream *stream,
                                      const struct tw_task *task)
{
    if (task->command->measured)
        async->measure(stream);
    tw_observe_begin(task);
}

/* It was enqueued. */
static inline void tw_observe_enqueued(const struct tw_task *task)
{
    if (task->command->number)
        tw_tell_enqueued(task);
}

/* A stream has completed a task. May release the lock meanwhile. */
static inline void tw_observe_retire_locked(const struct tw_backend_async *async, struct tw_backend_stream *stream,
                                            struct tw_task *task)
{
    if (task->command->measured)
        tw_note_stream_times_locked(async, stream, task);
}

/* A task has ended, wherever it ran, or was cancelled. */
static inline void tw_observe_end_locked(struct tw_task *task, const struct tw_failure *failure, bool cancelled)
{
    if (task->command->measured)
        tw_note_end_locked(task, cancelled ? TW_ERROR_CANCELLED : failure ? failure->status : TW_SUCCESS);
}

/* All tasks of a command have ended. */
static inline void tw_observe_completion_locked(struct tw_command *command)
{
    if (command->timed)
        tw_note_completion_locked(command);
}

/* While tools are on: this thread begins to wait for `first`, and perhaps for `last`, which may be NULL. Stores what
   tw_observe_wait_end_locked() needs. */
void tw_observe_wait_locked(tw_tool_wait *wait, const struct tw_command *first, const struct tw_command *last);
void tw_observe_wait_end_locked(tw_tool_wait *wait);

#endif
