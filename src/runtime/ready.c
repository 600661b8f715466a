/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ready tasks: the lists of each lane, and which of them a thread may take.
 *
 * The bodies that need a whole CPU ("exclusive") run one at a time on a device, and are left to a thread that waits, so that they
 * run on the OpenMP team of the thread that the program computes on; a worker takes them after a grace period.
 */
#include "ready.h"

#include "base/clock.h"
#include "base/lock.h"

#define GRACE_NS 1000000u /* a parallel kernel on a CPU is left to a thread that waits for so long */

_Thread_local struct tw_lane *tw_running_lane;
_Thread_local bool tw_is_worker;
_Thread_local const struct tw_command *tw_awaited;
_Thread_local struct tw_device *tw_unwoken;
bool tw_is_ending;
_Thread_local bool tw_ends_program;
static struct tw_track *to_issue; /* tracks with tasks to issue; under the lock */

struct tw_task *tw_pop(struct tw_task_list *list)
{
    struct tw_node *node = list->first;
    list->first = node->next;
    if (!list->first)
        list->last = NULL;
    node->next = NULL;
    return (struct tw_task *)node;
}

bool tw_lane_is_empty(const struct tw_lane *lane)
{
    return !lane->light.first && !lane->exclusive.first && !lane->copies.first;
}

static void activate(struct tw_lane *lane)
{
    struct tw_device *device = lane->device;
    if (lane->next)
        return;
    if (!device->active) {
        device->active = lane->next = lane->previous = lane;
    } else {
        lane->next = device->active;
        lane->previous = device->active->previous;
        lane->previous->next = lane->next->previous = lane;
    }
}

static void deactivate(struct tw_lane *lane)
{
    struct tw_device *device = lane->device;
    if (lane->next == lane) {
        device->active = NULL;
    } else {
        if (device->active == lane)
            device->active = lane->next;
        lane->next->previous = lane->previous;
        lane->previous->next = lane->next;
    }
    lane->next = lane->previous = NULL;
}

/* ---- tasks become ready ------------------------------------------------------------------------------------------------ */

/* Sees to it that somebody looks at the device's lanes: a device with a queue has a worker. */
void tw_wake_worker_locked(struct tw_device *device, bool soon)
{
    if (device->lingering && !device->flying && (!soon || !device->backend->exclusive || device->napping_shortly))
        return; /* it looks soon enough; but rarely while something is in flight */
    if (device->idle_workers)
        pthread_cond_signal(&device->work);
    else
        device->start_worker_locked(device);
}

void tw_schedule_locked(struct tw_task *task)
{
    struct tw_lane *lane = task->command->lane;
    const bool is_copy = task->kind == TW_TASK_COPY && lane->device->backend->max_copies;
    if (task->exclusive && !lane->exclusive.first)
        lane->exclusive_since_ns = tw_held_ns();
    const bool was_empty = tw_lane_is_empty(lane);
    task->node.next = NULL;
    tw_append(is_copy ? &lane->copies : task->exclusive ? &lane->exclusive : &lane->light, &task->node);
    activate(lane);
    const bool takes_it = lane == tw_running_lane && was_empty; /* this thread looks for the next one itself */
    if (lane->helpers && !(takes_it && !tw_is_worker))
        tw_announce_locked(lane);
    if (task->kind == TW_TASK_COPY && task->command == tw_awaited)
        tw_unwoken = lane->device; /* it waits for it, and runs it as soon as a worker would */
    else if (is_copy || (!lane->helpers && !takes_it))
        tw_wake_worker_locked(lane->device, !task->exclusive);
}

void tw_list_to_issue_locked(struct tw_track *track)
{
    if (track->is_to_issue || track->issuing || !track->issue.first || track->flying_count >= TW_CHAIN_DEPTH)
        return;
    track->is_to_issue = true;
    track->next_to_issue = to_issue;
    to_issue = track;
}

void tw_chain_add_locked(struct tw_task *task)
{
    struct tw_track *track = tw_track_of(task);
    task->node.next = NULL;
    tw_append(&track->issue, &task->node);
    tw_list_to_issue_locked(track);
}

struct tw_track *tw_next_to_issue_locked(void)
{
    struct tw_track *track = to_issue;
    if (track) {
        to_issue = track->next_to_issue;
        track->is_to_issue = false;
    }
    return track;
}

/* ---- threads take them ---------------------------------------------------------------------------------------------------- */

/* Apart: to find a variable of the thread takes as long as all the rest. */
static __attribute__((noinline)) bool is_thread_that_ends(void)
{
    return tw_ends_program;
}

bool tw_may_run_locked(void)
{
    return !tw_is_ending || is_thread_that_ends();
}

/* Whether a waiting thread looks after a lane whose parallel kernel has been ready for longer: it is told of every
   completion and takes it then. */
static bool is_others_turn(const struct tw_lane *lane)
{
    for (const struct tw_lane *other = lane->next; other != lane; other = other->next)
        if (other->helpers && other->exclusive.first && other->exclusive_since_ns < lane->exclusive_since_ns)
            return true;
    return false;
}

/* A lane of the same device that nobody looks after and whose parallel kernel is overdue, for a waiting thread to run
   before its own; NULL if there is none. */
struct tw_lane *tw_overdue_lane(const struct tw_lane *lane)
{
    if (lane->light.first || !lane->exclusive.first || lane->next == lane)
        return NULL;
    const uint64_t now = tw_held_ns();
    for (struct tw_lane *other = lane->next; other != lane; other = other->next)
        if (!other->helpers && other->exclusive.first && other->exclusive_since_ns < lane->exclusive_since_ns
            && now - other->exclusive_since_ns >= GRACE_NS)
            return other;
    return NULL;
}

struct tw_task *tw_take_from_lane(struct tw_lane *lane, bool worker)
{
    struct tw_device *device = lane->device;
    struct tw_task *task = NULL;
    if (lane->light.first) {
        task = tw_pop(&lane->light);
    } else if (lane->exclusive.first && !device->exclusive_running && !is_others_turn(lane)
               && (!worker || device->worker_is_warm || tw_held_ns() - lane->exclusive_since_ns >= GRACE_NS)) {
        task = tw_pop(&lane->exclusive);
        lane->exclusive_since_ns = tw_held_ns();
        device->worker_is_warm = worker;
    }
    if (task && tw_lane_is_empty(lane))
        deactivate(lane);
    return task;
}

static struct tw_task *begin_copy(struct tw_lane *lane, struct tw_task *task)
{
    task->copying = true;
    ++lane->device->copying;
    if (tw_lane_is_empty(lane))
        deactivate(lane);
    return task;
}

/* The first of the copies that a worker may run. They are for workers, and in their order: who waits for the first one's
   data would else be held up by the last one, and all of them by each other. */
static struct tw_task *take_copy(struct tw_lane *lane)
{
    const bool may = lane->copies.first && lane->device->copying < lane->device->backend->max_copies;
    return may ? begin_copy(lane, tw_pop(&lane->copies)) : NULL;
}

/* The copy that a waiting thread waits for, unless somebody runs it. */
struct tw_task *tw_take_own_copy(struct tw_lane *lane, const struct tw_task *step)
{
    struct tw_node *before = NULL;
    for (struct tw_node *node = lane->copies.first; node; before = node, node = node->next) {
        if (node != &step->node)
            continue;
        *(before ? &before->next : &lane->copies.first) = node->next;
        if (lane->copies.last == node)
            lane->copies.last = before;
        node->next = NULL;
        return begin_copy(lane, (struct tw_task *)node);
    }
    return tw_is_ending ? take_copy(lane) : NULL;
}

/* A task for a worker: lanes in turn, but not those that a waiting thread looks after. */
struct tw_task *tw_take_from_device(struct tw_device *device)
{
    struct tw_lane *const start = device->active, *lane = start, *next;
    if (!start)
        return NULL;
    do {
        next = lane->next;
        struct tw_task *task = take_copy(lane);
        if (!task && !lane->helpers)
            task = tw_take_from_lane(lane, true);
        if (task) {
            if (device->active)
                device->active = next != lane || lane->next ? next : device->active;
            return task;
        }
        lane = next;
    } while (lane != start);
    return NULL;
}
