/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks become ready, start, are finished or cancelled; with its last task a command is complete. Runs no task. */
#include "complete.h"

#include "base/lock.h"
#include "changes.h"
#include "fallback_take.h"
#include "observe.h"
#include "poller.h"
#include "ready.h"
#include "salvage.h"

static void complete_locked(struct tw_command *command)
{
    struct tw_task_queue *home = command->home;
    tw_observe_completion_locked(command);
    command->complete = true;
    *(command->previous ? &command->previous->next : &home->first_unfinished) = command->next;
    *(command->next ? &command->next->previous : &home->last_unfinished) = command->previous;
    command->next = command->previous = NULL;
    --home->unfinished;
    command->object->completed_locked(command);
    tw_object_died_locked(TW_OBJECT_COMMAND);
    tw_command_release_locked(command);
}

/* Wakes the threads that wait for a task which is over, or is not in flight any more. */
static void announce_end_locked(struct tw_task *task)
{
    struct tw_task_queue *queue = task->command->queue;
    if (task->awaited || !queue->device->backend->has_own_threads)
        tw_announce_locked(queue);
    if (task->awaited)
        tw_poller_wake_locked(task);
}

/* Finishes a task and returns the tasks that this makes ready. `failure` is NULL, its own, or the cancelling cause. */
static struct tw_node *finish_locked(struct tw_task *task, struct tw_failure *failure, bool cancelled)
{
    struct tw_command *command = task->command;
    tw_observe_end_locked(task, failure, cancelled);
    if (failure && command->fallback && task == &command->body && tw_fallback_take_locked(task, &failure, &cancelled))
        return NULL;
    if (failure && command->status == TW_SUCCESS) {
        command->status = cancelled ? TW_ERROR_CANCELLED : failure->status;
        command->failure = failure;
        tw_cause_retain(&failure->cause);
    }
    if (failure && tw_is_copy(task)) {
        const enum tw_salvaged salvaged = tw_salvage_locked((struct tw_copy_task *)task, failure, cancelled);
        if (salvaged == TW_SALVAGE_RUNS) {
            announce_end_locked(task);
            return NULL;
        }
        failure = salvaged == TW_SALVAGE_ENDS ? NULL : failure;
    }
    if (tw_changes_are_watched())
        tw_changes_note_locked(task, !failure && !(tw_is_copy(task) && ((struct tw_copy_task *)task)->salvage));
    struct tw_node *ready = tw_graph_finish(&task->node, failure ? &failure->cause : NULL);
    if (tw_is_copy(task) && ((struct tw_copy_task *)task)->salvage)
        tw_salvage_end_locked((struct tw_copy_task *)task, failure);
    if (task->failure) {
        tw_cause_release(&task->failure->cause);
        task->failure = NULL;
    }
    announce_end_locked(task);
    if (--command->tasks_left == 0)
        complete_locked(command);
    return ready;
}

void tw_command_start_locked(struct tw_command *command)
{
    command->started = true;
    if (!command->queue->watchers && !command->fallback) /* a fallback's watchers are counted at the home */
        return;
    tw_announce_locked(command->queue);
    if (command->body.awaited)
        tw_poller_wake_locked(&command->body);
}

/* Undoes a cancelled host access: it has written nothing, so the contents are still where they were. If others wait for
   it, nothing is undone, since they expect the contents on the host. */
static void undo_access_locked(struct tw_command *command)
{
    const struct tw_use *use = &command->uses[0];
    if (!use->writes || command->body.node.out)
        return;
    if (tw_undo_use(use, (struct tw_before *)(void *)command->args))
        tw_graph_wrote_nothing(&command->body.node);
}

void tw_make_ready_locked(struct tw_node *nodes)
{
    struct tw_task_list todo = {NULL, NULL};
    tw_append(&todo, nodes);
    while (todo.first) {
        struct tw_task *task = tw_pop(&todo);
        struct tw_command *command = task->command;
        tw_observe_ready_locked(task);
        if (task->node.domain && (!task->node.cancel_cause || tw_graph_before(&task->node))) {
            tw_stream_add_locked(task);
        } else if (task->node.cancel_cause) {
            if (task->kind->can_be_undone)
                undo_access_locked(command);
            tw_append(&todo, finish_locked(task, tw_cancel_cause_of(task), true));
        } else if (!task->kind->ready_locked) {
            tw_schedule_locked(task);
        } else {
            tw_observe_begin_locked(task);
            tw_observe_begin(task);
            if (task->kind->ready_locked(task))
                tw_append(&todo, finish_locked(task, NULL, false));
        }
    }
}

void tw_task_finish_locked(struct tw_task *task, struct tw_failure *failure, bool cancelled)
{
    struct tw_node *ready = finish_locked(task, failure, cancelled);
    if (ready)
        tw_make_ready_locked(ready);
}
