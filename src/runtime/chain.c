/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains: kernels and copies that devices run in their order, without the host between them.
 *
 * A kernel for which all that it waits for is finished, or in flight on the same kind of device, is issued: enqueued on a
 * chain of its lane, where the device orders it after the others. So dependent kernels cost an enqueue each, not a round
 * trip. Whoever makes a kernel ready issues it, in most cases the thread that submits it. So is a copy between two devices of
 * the kind: on another chain of its lane, a track beside that of the kernels, since they are to overlap.
 *
 * What has been issued is in flight until it is reaped: some thread finds that it is over and finishes it in the graph, in
 * the order of the track and after all before it. Waiting threads poll for what they wait for; workers look at the rest.
 *
 * A task that has an engine may still not be issued, because that failed or it is doomed. Others before it may be in flight
 * then, so it takes its place among them and is finished in its turn.
 */
#define _GNU_SOURCE
#include "chain.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/detail.h"
#include "base/lock.h"
#include "complete.h"
#include "poller.h"
#include "ready.h"

#define MARKS 16u          /* told to a chain at a time */
#define TIDY_EVERY 32u     /* submissions */
#define BUSY_NS 20000u     /* a thread that waits polls without a break for so long, ... */
#define POLITE_NS 5000000u /* ... then lets others run in between, and after so long ... */
#define POLL_NAP_NS 20000u /* ... sleeps so long in between */

static const struct tw_backend_async *async_of(const struct tw_track *track)
{
    return track->lane->device->backend->backend->async;
}

/* Adds a task to those in flight. */
static void take_off_locked(struct tw_track *track, struct tw_task *task)
{
    struct tw_device *device = track->lane->device;
    task->flying = true;
    tw_append(&track->flying, &task->node);
    if (++track->flying_count > 1)
        return;
    ++device->flying_tracks;
    if (device->flying) {
        track->next_flying = device->flying;
        track->previous_flying = device->flying->previous_flying;
        track->previous_flying->next_flying = track->next_flying->previous_flying = track;
        return;
    }
    if (!device->lingering)
        tw_wake_worker_locked(device, false);
    device->flying = track->next_flying = track->previous_flying = track;
}

/* Takes the first task in flight on a track out of it; the last one leaves the chain to others. */
static void land_locked(struct tw_track *track)
{
    struct tw_device *device = track->lane->device;
    tw_pop(&track->flying)->flying = false;
    if (--track->flying_count)
        return;
    --device->flying_tracks;
    if (track->next_flying == track) {
        device->flying = NULL;
    } else {
        if (device->flying == track)
            device->flying = track->next_flying;
        track->next_flying->previous_flying = track->previous_flying;
        track->previous_flying->next_flying = track->next_flying;
    }
    track->next_flying = track->previous_flying = NULL;
    if (track->chain && !track->issuing) {
        track->chain->next = device->idle_chains[track->kind];
        device->idle_chains[track->kind] = track->chain;
        track->chain = NULL;
    }
}

/* ---- issuing --------------------------------------------------------------------------------------------------------- */

/* Adds the mark of a node's task, if it is in flight on another chain. One mark for each chain is enough. */
static size_t add_mark(struct tw_backend_mark *marks, size_t count, const struct tw_node *node,
                       const struct tw_track *track)
{
    const struct tw_task *task = (const struct tw_task *)node;
    if (!node || !node->issued || tw_track_of(task) == track)
        return count;
    const struct tw_backend_mark mark = {tw_track_of(task)->chain, task->position};
    for (size_t i = 0; i < count; ++i)
        if (marks[i].chain == mark.chain) {
            marks[i].position = marks[i].position > mark.position ? marks[i].position : mark.position;
            return count;
        }
    marks[count] = mark;
    return count + 1;
}

/* Enqueues what a task does. Without the lock. */
static tw_status enqueue(const struct tw_backend_async *async, struct tw_backend_chain *chain, struct tw_task *task)
{
    struct tw_command *command = task->command;
    if (command->measured)
        async->measure(chain);
    if (task->kind == TW_TASK_KERNEL)
        return async->launch(chain, command->kernel, &command->launch, &task->position);
    if (task->kind == TW_TASK_GRAPH)
        return command->device->backend->backend->graphs->replay(chain, command->assembly, &task->position);
    const struct tw_copy_plan *copy = &((const struct tw_copy_task *)task)->plan;
    return async->copy(chain, atomic_load(&copy->data->places[copy->to].address), tw_place_device(copy->from)->backend,
                       atomic_load(&copy->data->places[copy->from].address), copy->data->bytes, &task->position);
}

/* Enqueues a task on its track's chain, after all that is in flight before it. Releases the lock meanwhile. */
static tw_status enqueue_locked(struct tw_track *track, struct tw_task *task)
{
    const struct tw_backend_async *async = async_of(track);
    struct tw_device *device = track->lane->device;
    struct tw_backend_mark marks[MARKS];
    tw_status status = TW_SUCCESS;
    if (!track->chain && device->idle_chains[track->kind]) {
        track->chain = device->idle_chains[track->kind];
        device->idle_chains[track->kind] = track->chain->next;
    }
    struct tw_backend_chain *chain = track->chain;
    size_t at = 0;
    do {
        size_t count = 0;
        while (at < task->node.in_count && count < MARKS)
            count = add_mark(marks, count, task->node.in[at++].from, track);
        tw_unlock();
        tw_detail_of_task(true);
        if (!chain)
            status = async->open(device->backend, &chain);
        if (status == TW_SUCCESS && count)
            status = async->follow(chain, marks, count);
        if (status == TW_SUCCESS && at == task->node.in_count)
            status = enqueue(async, chain, task);
        tw_detail_of_task(false);
        tw_lock();
    } while (status == TW_SUCCESS && at < task->node.in_count);
    track->chain = chain;
    return status;
}

/* The failure of a task: what a chain calls that of a launch is that of a transfer where it was a copy. */
static struct tw_failure *failure_locked(const struct tw_task *task, tw_status status)
{
    if (task->kind == TW_TASK_COPY && status == TW_ERROR_LAUNCH_FAILED)
        status = TW_ERROR_TRANSFER_FAILED;
    return tw_command_failure_locked(task->command, status);
}

/* Returns whether the task was issued; else it only has its place among those in flight. */
static bool issue_task_locked(struct tw_track *track, struct tw_task *task)
{
    const bool doomed = task->node.doom != NULL;
    const tw_status status = doomed ? TW_SUCCESS : enqueue_locked(track, task);
    if (status != TW_SUCCESS)
        task->failure = failure_locked(task, status);
    take_off_locked(track, task);
    if (doomed || status != TW_SUCCESS)
        return false;
    tw_make_ready_locked(tw_graph_issue(&task->node));
    return true;
}

static bool reap_locked(struct tw_track *track);

static void issue_track_locked(struct tw_track *track)
{
    struct tw_lane *lane = track->lane;
    bool issued = true;
    tw_lane_retain(lane);
    track->issuing = true;
    while (issued && track->issue.first && track->flying_count < TW_CHAIN_DEPTH && tw_may_run_locked())
        issued = issue_task_locked(track, tw_pop(&track->issue));
    track->issuing = false;
    tw_note_start_locked(lane);
    tw_announce_locked(lane); /* threads that sleep poll now */
    if (!issued)
        (void)reap_locked(track); /* at once, if nothing is before it */
    tw_list_to_issue_locked(track);
    tw_lane_release_locked(lane);
}

void tw_issue_locked(void)
{
    TW_DEFER_CANCELLATION;
    struct tw_track *track;
    while (tw_may_run_locked() && (track = tw_next_to_issue_locked()))
        if (!track->issuing && track->issue.first)
            issue_track_locked(track);
}

/* ---- reaping --------------------------------------------------------------------------------------------------------- */

void tw_note_start_locked(struct tw_lane *lane)
{
    const struct tw_task *first = (const struct tw_task *)lane->tracks[TW_TRACK_KERNELS].flying.first;
    if (first && first->node.issued && !first->command->started && !tw_graph_before(&first->node))
        tw_command_start_locked(first->command);
}

/* How a task of a chain went that is over. */
static tw_status outcome(const struct tw_backend_async *async, struct tw_backend_chain *chain,
                         const struct tw_task *task)
{
    tw_detail_of_task(true);
    const tw_status status = async->outcome(chain, task->position);
    tw_detail_of_task(false);
    return status;
}

/* Notes when a task of a chain ran that is over. Releases the lock meanwhile. */
static void note_times_locked(const struct tw_backend_async *async, struct tw_backend_chain *chain,
                              const struct tw_task *task)
{
    struct tw_backend_times times = {0, 0};
    tw_unlock();
    async->times(chain, task->position, &times);
    tw_lock();
    tw_command_note_times_locked(task, times);
}

/* Finishes what is over at the beginning of a track, up to what has to wait for other tracks. */
static bool reap_tasks_locked(struct tw_track *track)
{
    const struct tw_backend_async *async = async_of(track);
    uint64_t reached = 0;
    bool progress = false;
    struct tw_task *task;
    while ((task = (struct tw_task *)track->flying.first) && !tw_graph_before(&task->node)) {
        tw_status status = TW_SUCCESS;
        tw_note_start_locked(track->lane);
        if (task->node.issued) {
            struct tw_backend_chain *chain = track->chain;
            if (task->position > reached) {
                tw_unlock();
                reached = async->reached(chain, task->position);
                tw_lock();
            }
            if (task->position > reached)
                break;
            if (task->command->measured)
                note_times_locked(async, chain, task);
            status = outcome(async, chain, task);
        }
        if (status != TW_SUCCESS && !task->node.doom)
            task->failure = failure_locked(task, status);
        /* what it depends on may have failed when it could not be issued: that is the cause then */
        const bool cancelled = task->node.doom != NULL;
        progress = true;
        land_locked(track);
        tw_task_finish_locked(task, cancelled ? tw_doom_of(task) : task->failure, cancelled);
    }
    return progress;
}

/* The same, for whoever comes first. Returns whether anything was finished; then tw_issue_locked(). */
static bool reap_locked(struct tw_track *track)
{
    if (track->reaping || !track->flying.first)
        return false;
    struct tw_lane *lane = track->lane;
    struct tw_device *device = lane->device;
    tw_lane_retain(lane);
    track->reaping = true;
    const bool progress = reap_tasks_locked(track);
    track->reaping = false;
    struct tw_track *other = device->flying;
    for (unsigned i = 0; progress && i < device->flying_tracks; ++i, other = other->next_flying)
        tw_note_start_locked(other->lane);
    tw_list_to_issue_locked(track); /* there may be room again */
    tw_lane_release_locked(lane);
    return progress;
}

/* What has to be over first for a task in flight to be finished. `*last` is set to the last task of the same track that has to
   be over, as far as is known. */
static struct tw_task *first_before(struct tw_task *task, struct tw_task **last)
{
    for (;;) {
        struct tw_node *first = tw_track_of(task)->flying.first;
        struct tw_node *before = tw_graph_before(first);
        *last = task;
        if (!before)
            return (struct tw_task *)first;
        task = (struct tw_task *)before;
    }
}

/* The track of that, for the first task of a track. */
static struct tw_track *track_before(const struct tw_track *track)
{
    struct tw_task *last;
    return tw_track_of(first_before((struct tw_task *)track->flying.first, &last));
}

void tw_chain_tidy_locked(struct tw_lane *lane)
{
    const struct tw_track *track = &lane->tracks[TW_TRACK_KERNELS];
    bool progress = false;
    if (track->flying_count < TIDY_EVERY || track->flying_count % TIDY_EVERY)
        return;
    TW_DEFER_CANCELLATION;
    /* where tracks wait for each other, each is good for a step or two at a time */
    for (unsigned left = TIDY_EVERY; left && track->flying.first && reap_locked(track_before(track)); --left) {
        progress = true;
        if (!track->flying.first || !tw_graph_before(track->flying.first))
            break;
    }
    if (progress)
        tw_issue_locked();
}

bool tw_reap_device_locked(struct tw_device *device)
{
    for (unsigned left = device->flying_tracks; left && device->flying; --left) {
        const struct tw_track *track = device->flying;
        device->flying = track->next_flying;
        if (reap_locked(track_before(track))) {
            tw_issue_locked();
            return true;
        }
    }
    return false;
}

/* Polls until a task is over. Without the lock. */
static void poll(const struct tw_backend_async *async, struct tw_backend_chain *chain, uint64_t position)
{
    const uint64_t start = tw_now_ns();
    while (async->reached(chain, position) < position) {
        const uint64_t passed = tw_now_ns() - start;
        if (passed >= POLITE_NS)
            nanosleep(&(struct timespec){.tv_nsec = POLL_NAP_NS}, NULL);
        else if (passed >= BUSY_NS)
            sched_yield();
    }
}

/* Finishes what is over on the track of a task that has to be over first, or polls until something is. */
static void look_locked(const struct tw_task *first)
{
    struct tw_track *track = tw_track_of(first);
    tw_running_lane = track->lane;
    const bool progress = reap_locked(track);
    tw_running_lane = NULL;
    if (progress) {
        tw_issue_locked();
    } else if (first->flying) {
        struct tw_backend_chain *chain = first->node.issued ? track->chain : NULL;
        const uint64_t position = first->position;
        tw_unlock();
        if (chain)
            poll(async_of(track), chain, position);
        else
            sched_yield(); /* another thread is about to finish it */
        tw_lock();
    }
}

void tw_chain_wait_locked(struct tw_poller *poller, struct tw_task *task, struct tw_task *target)
{
    struct tw_task *last;
    struct tw_task *first = first_before(task, &last);
    struct tw_track *track = tw_track_of(first);
    if (poller->track != track)
        tw_poller_leave_locked(poller);
    if (track->poller && !poller->track) {
        if (tw_track_of(target) != track)
            target = last;
        struct tw_command *command = target->command;
        atomic_fetch_add(&command->references, 1); /* keeps the lane, and the task */
        tw_poller_sleep_locked(poller, target);
        tw_command_release_locked(command);
        return;
    }
    if (!poller->track) {
        poller->track = track;
        poller->lane = track->lane;
        tw_lane_retain(track->lane);
        track->poller = poller;
    }
    struct tw_command *command = first->command;
    atomic_fetch_add(&command->references, 1); /* keeps the task */
    look_locked(first);
    tw_command_release_locked(command);
}

void tw_close_chains_locked(struct tw_device *device)
{
    for (unsigned kind = 0; kind < TW_TRACK_COUNT; ++kind)
        while (device->idle_chains[kind]) {
            struct tw_backend_chain *chain = device->idle_chains[kind];
            device->idle_chains[kind] = chain->next;
            tw_unlock();
            device->backend->backend->async->close(chain);
            tw_lock();
        }
}
