/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a command group until it is submitted (spec 3.5.6): begun or discarded, and used again. Knows nothing of what is
   recorded in between: command_group.c. */
#include "command_group_command.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/detail.h"
#include "base/lock.h"
#include "base/process.h"
#include "base/tool.h"
#include "base/tuning.h"
#include "divided.h"
#include "objects/data/buffer.h"
#include "runtime/allocation.h"
#include "runtime/fallback.h"
#include "runtime/reclaim.h"

#define MOST_KEPT_USES 64 /* largest `uses` array that a spare group keeps */

void tw_command_group_drop_events(struct tw_event_list *list)
{
    for (size_t i = 0; list && i < list->count; ++i)
        tw_event_release(&list->events[i]);
    free(list);
}

void tw_command_group_free(struct tw_command_group *group)
{
    if (group->uses != group->few_uses)
        free(group->uses);
    if (group->args != group->few_args)
        free(group->args);
    free(group->detail);
    free(group->bounds);
    tw_command_group_drop_events(group->events);
    tw_divided_free(group->divided);
    free(group->memory.block);
    free(group);
}

/* ---- beginning and discarding ----------------------------------------------------------------------------------- */

static _Atomic(tw_command_group *) *spare_of_thread(tw_queue *queue)
{
    static atomic_uint threads;
    static _Thread_local unsigned thread; /* 0: not numbered yet */
    if (!thread)
        thread = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % TW_SPARE_GROUPS + 1;
    return &queue->spare[thread - 1].group;
}

/* Frees what a spare group has allocated for what it recorded last, but for a small array of uses. */
static inline void free_excess(tw_command_group *group)
{
    if (group->args && group->args != group->few_args)
        free(group->args);
    if (group->use_capacity > MOST_KEPT_USES) {
        free(group->uses);
        group->uses = group->few_uses;
        group->use_capacity = TW_FEW_USES;
    }
}

/* Returns a spare group of the queue, or a new group, or NULL if memory is exhausted. Only the members that are not
   cleared are valid in it. */
static tw_command_group *take_spare(tw_queue *queue)
{
    _Atomic(tw_command_group *) *spare = spare_of_thread(queue);
    tw_command_group *group = atomic_load_explicit(spare, memory_order_relaxed);
    if (group)
        group = atomic_exchange_explicit(spare, NULL, memory_order_acquire);
    if (!group && (group = malloc(sizeof *group))) {
        group->memory = (struct tw_memory){.block = NULL};
        group->uses = group->few_uses;
        group->use_capacity = TW_FEW_USES;
        group->args = NULL;
    }
    if (group) {
        free_excess(group);
        group->spare = spare;
        tw_memory_fetch(group->memory.block, TW_FETCHED_BYTES); /* another thread used it last */
    }
    return group;
}

tw_command_group *tw_command_group_leave_spare_locked(tw_queue *queue, tw_command_group *group)
{
    if (!TW_TUNE_SPARE_GROUPS || atomic_load_explicit(group->spare, memory_order_relaxed))
        return group;
    group->use_count = 0;
    group->memory = tw_memory_take_locked(&queue->kept);
    queue->free_group = tw_command_group_free;
    group->queue = NULL; /* tells who submits it once more, and whose recording calls do nothing */
    group->status = TW_ERROR_INVALID_COMMAND_GROUP;
    atomic_store_explicit(group->spare, group, memory_order_release); /* stored only under the lock */
    return NULL;
}

tw_command_group *tw_queue_begin(tw_queue *queue)
{
    if (!queue) {
        tw_fail(TW_ERROR_INVALID_ARGUMENT, "the queue is NULL");
        return NULL;
    }
    if (tw_check_copy(queue) != TW_SUCCESS || tw_check_process() != TW_SUCCESS)
        return NULL;
    struct tw_command_group *group = take_spare(queue);
    if (!group) {
        tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a command group");
        return NULL;
    }
    memset(group, 0, offsetof(struct tw_command_group, spare));
    group->queue = queue;
    group->device = queue->device;
    if (queue->devices && !tw_divided_begin(group)) {
        tw_command_group_free(group);
        tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a command group");
        return NULL;
    }
    if (tw_tools_are_on())
        group->began_ns = tw_now_ns();
    atomic_fetch_add_explicit(&queue->tasks.references, 1, memory_order_relaxed); /* the caller keeps it alive */
    return group;
}

static void drop_locked(struct tw_command_group *group)
{
    tw_unpin(&group->pins);
    for (size_t i = 0; i < group->use_count; ++i)
        tw_buffer_unuse_locked(tw_buffer_of(group->uses[i].data));
    if (group->divided)
        tw_divided_drop_locked(group);
    tw_fallback_free_locked(group->fallback);
    tw_task_queue_release_locked(&group->queue->tasks);
}

void tw_command_group_drop_algorithm(struct tw_algorithm *algorithm)
{
    for (size_t i = 0; algorithm && i < algorithm->count; ++i)
        tw_command_group_discard(algorithm->steps[i]);
    if (algorithm && algorithm->scratch)
        tw_buffer_drop(algorithm->scratch); /* commands keep what they use */
    free(algorithm);
}

void tw_command_group_discard(tw_command_group *group)
{
    if (!group || tw_command_group_was_submitted(group))
        return;
    tw_command_group_drop_algorithm(group->algorithm);
    tw_lock();
    drop_locked(group);
    tw_unlock();
    tw_command_group_free(group);
    tw_reclaim();
}

void tw_internal_discard(tw_command_group **group)
{
    tw_command_group_discard(*group);
}

tw_status tw_command_group_status(const tw_command_group *group)
{
    return group ? group->status : TW_ERROR_OUT_OF_MEMORY;
}
