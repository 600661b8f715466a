/* SPDX-License-Identifier: Apache-2.0 */
/* Events (spec 3.5.7): each is a view of one phase of a command. */
#include <teamwork/event.h>

#include <stdlib.h>

#include "base/detail.h"
#include "base/lock.h"
#include "base/process.h"
#include "objects/data/host_access.h"
#include "queue.h"
#include "runtime/reclaim.h"
#include "runtime/wait.h"
#include "user_event.h"

static tw_event *sibling(const tw_event *event, enum tw_phase phase)
{
    return event ? tw_event_retain(&tw_command_of(event)->events[phase]) : NULL;
}

tw_event *tw_event_of_start(const tw_event *event)
{
    return sibling(event, TW_PHASE_START);
}

tw_event *tw_event_of_kernel(const tw_event *event)
{
    return sibling(event, TW_PHASE_KERNEL);
}

tw_event *tw_event_of_completion(const tw_event *event)
{
    return sibling(event, TW_PHASE_COMPLETE);
}

tw_event *tw_event_retain(tw_event *event)
{
    if (!event)
        return NULL;
    atomic_fetch_add(&tw_command_of(event)->references, 1);
    if (tw_command_of(event)->is_user_event)
        tw_user_event_retain(tw_command_of(event));
    return event;
}

void tw_event_release(tw_event **event)
{
    if (!event || !*event)
        return;
    if (tw_command_of(*event)->is_user_event)
        tw_user_event_release(tw_command_of(*event));
    tw_command_release(tw_command_of(*event));
    *event = NULL;
}

static struct tw_command *unfinished_event(const void *what)
{
    const struct tw_event *event = what;
    struct tw_command *command = tw_command_of(event);
    return command->complete || (event->phase == TW_PHASE_START && command->started) ? NULL : command;
}

static tw_status wait_locked(const tw_event *event)
{
    struct tw_command *command = tw_command_of(event);
    if (command->is_recorded)
        return tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, "the event is of a recorded group, which never runs by itself: "
                                                       "wait for that of a submission of its graph");
    const unsigned long mark = command->complete ? 0 : tw_mark_own_accesses_locked();
    if (mark && command->body.node.mark == mark && unfinished_event(event))
        return tw_fail(TW_ERROR_WOULD_DEADLOCK, "the event waits " TW_WAITS_FOR_ITSELF);
    /* a thread that waits for the start does not run the body itself: it goes on when the body starts */
    tw_wait_locked(unfinished_event, event, event->phase == TW_PHASE_START ? &command->body : NULL, NULL);
    if (command->complete && command->status != TW_SUCCESS) {
        char message[1024];
        tw_command_message_locked(command, message, sizeof message);
        return tw_fail_native(tw_fail(command->status, "%s", message), command->failure->native.api,
                              command->failure->native.code);
    }
    return TW_SUCCESS;
}

tw_status tw_event_wait(tw_event *event)
{
    if (!event)
        return TW_SUCCESS;
    tw_status status = tw_check_process();
    if (status != TW_SUCCESS)
        return status;
    tw_lock();
    status = wait_locked(event);
    tw_unlock();
    tw_reclaim();
    return status;
}

tw_status tw_event_wait_all(tw_event *const *events, size_t count)
{
    if (!events && count)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the array of events is NULL");
    tw_status first = TW_SUCCESS;
    for (size_t i = 0; i < count; ++i) {
        const tw_status status = tw_event_wait(events[i]);
        if (first == TW_SUCCESS)
            first = status;
    }
    return first;
}

/* ---- handlers ---------------------------------------------------------------------------------------------------- */

/* The queues of commands that an event waits for, each counted. */
struct queues {
    struct tw_queue **at; /* NULL: none, or no memory for them */
    size_t count;
};

static void release_queues(const struct queues *queues)
{
    tw_lock();
    for (size_t i = 0; i < queues->count; ++i)
        tw_task_queue_release_locked(&queues->at[i]->tasks);
    tw_unlock();
    free(queues->at);
}

static void release_queue(struct tw_queue *const *queue)
{
    tw_lock();
    tw_task_queue_release_locked(&(*queue)->tasks);
    tw_unlock();
}

/* Lists the queues of the commands in an event's wait list. */
static void find_queues(const tw_event *event, struct queues *found)
{
    const struct tw_node *node = &tw_command_of(event)->body.node;
    tw_lock();
    const size_t most = tw_command_of(event)->complete ? 0 : node->in_count;
    if (most)
        found->at = malloc(most * sizeof(struct tw_queue *));
    for (size_t i = 0; found->at && i < most; ++i) {
        const struct tw_task *before = (const struct tw_task *)node->in[i].from;
        struct tw_queue *queue = before && node->in[i].logical ? tw_queue_of_command(before->command) : NULL;
        if (!queue)
            continue;
        tw_task_queue_retain(&queue->tasks);
        found->at[found->count++] = queue;
    }
    tw_unlock();
}

/* Delivers the errors of the failure that an event's command is over with, of all queues but its own. */
static void throw_failure(const struct tw_command *command, const struct tw_queue *own)
{
    for (;;) {
        tw_lock();
        const uint64_t failure = command->complete && command->failure ? command->failure->number : 0;
        struct tw_queue *queue = failure ? tw_queue_failed_locked(failure, own) : NULL;
        if (queue)
            tw_task_queue_retain(&queue->tasks);
        tw_unlock();
        if (!queue)
            return;
        struct tw_queue *counted __attribute__((cleanup(release_queue), unused)) = queue; /* a handler may throw */
        tw_queue_throw_to_handler(queue);
    }
}

/* Delivers the errors of the queues that an event waited for, and of its own at last. */
static void throw_to_handlers(const tw_event *event, const struct queues *before)
{
    const struct tw_command *command = tw_command_of(event);
    struct tw_queue *own = tw_queue_of_command(command);
    for (size_t i = 0; i < before->count; ++i)
        if (before->at[i] != own)
            tw_queue_throw_to_handler(before->at[i]);
    throw_failure(command, own);
    if (own)
        tw_queue_throw_to_handler(own);
}

tw_status tw_event_wait_and_throw(tw_event *event)
{
    if (!event)
        return TW_SUCCESS;
    if (tw_is_forked || tw_command_of(event)->is_recorded)
        return tw_event_wait(event);
    struct queues before __attribute__((cleanup(release_queues))) = {.at = NULL};
    find_queues(event, &before);
    const tw_status status = tw_event_wait(event);
    if (status != TW_ERROR_WOULD_DEADLOCK)
        throw_to_handlers(event, &before);
    return status; /* NOLINT(clang-analyzer-unix.Malloc): release_queues() frees them, by `cleanup` */
}

tw_status tw_event_wait_and_throw_all(tw_event *const *events, size_t count)
{
    if (!events && count)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the array of events is NULL");
    tw_status first = TW_SUCCESS;
    for (size_t i = 0; i < count; ++i) {
        const tw_status status = tw_event_wait_and_throw(events[i]);
        if (first == TW_SUCCESS)
            first = status;
    }
    return first;
}

tw_event_state tw_event_get_state(const tw_event *event)
{
    if (!event)
        return TW_EVENT_COMPLETE;
    const struct tw_command *command = tw_command_of(event);
    tw_lock();
    tw_event_state state = TW_EVENT_PENDING;
    if (command->complete)
        state = command->status == TW_SUCCESS || (event->phase == TW_PHASE_START && command->started)
                    ? TW_EVENT_COMPLETE
                    : TW_EVENT_FAILED;
    else if (command->started)
        state = event->phase == TW_PHASE_START ? TW_EVENT_COMPLETE : TW_EVENT_RUNNING;
    tw_unlock();
    return state;
}

tw_status tw_event_get_status(const tw_event *event)
{
    if (!event)
        return TW_SUCCESS;
    tw_lock();
    const tw_status status = tw_command_of(event)->complete ? tw_command_of(event)->status : TW_SUCCESS;
    tw_unlock();
    return status;
}

tw_status tw_event_get_times(const tw_event *event, tw_event_times *times)
{
    if (!times)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the place for the times is NULL");
    const tw_event_times none = {0};
    tw_lock();
    *times = event ? tw_command_of(event)->times : none;
    tw_unlock();
    return TW_SUCCESS;
}

tw_status tw_event_get_wait_list(const tw_event *event, tw_event **events, size_t capacity, size_t *count)
{
    if (!count || (!events && capacity))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the place for the %s is NULL", count ? "events" : "count");
    size_t found = 0;
    tw_lock();
    if (event && !tw_command_of(event)->complete && !tw_command_of(event)->is_recorded) {
        const struct tw_node *node = &tw_command_of(event)->body.node;
        for (size_t i = 0; i < node->in_count; ++i) {
            const struct tw_edge *edge = &node->in[i];
            if (!edge->from || !edge->logical)
                continue;
            if (found < capacity)
                events[found] = tw_event_retain(&((struct tw_task *)edge->from)->command->events[TW_PHASE_COMPLETE]);
            ++found;
        }
    }
    tw_unlock();
    *count = found;
    return TW_SUCCESS;
}
