/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains: kernels that a device runs in their order, without the host between them.
 *
 * A kernel for which all that it waits for is finished, or in flight on the same kind of device, is issued: enqueued on the
 * chain of its lane, where the device orders it after the others. So dependent kernels cost an enqueue each, not a round
 * trip. Whoever makes a kernel ready issues it, in most cases the thread that submits it.
 *
 * What has been issued is in flight until it is reaped: some thread finds that it is over and finishes it in the graph, in
 * the order of the lane and after all before it. Waiting threads poll for what they wait for; workers look at the rest.
 *
 * A task that has an engine may still not be issued, because that failed or it is doomed. Others before it may be in flight
 * then, so it takes its place among them and is finished in its turn.
 */
#define _GNU_SOURCE
#include "runtime.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#define MARKS 16u          /* told to a chain at a time */
#define TIDY_EVERY 32u     /* submissions */
#define BUSY_NS 20000u     /* a thread that waits polls without a break for so long, ... */
#define POLITE_NS 5000000u /* ... then lets others run in between, and after so long ... */
#define POLL_NAP_NS 20000u /* ... sleeps so long in between */

static struct tw_lane *to_issue; /* lanes with tasks to issue; under the lock */

static const struct tw_backend_async *async_of(const struct tw_lane *lane)
{
    return lane->device->backend->backend->async;
}

const void *tw_chain_engine(const struct tw_command *command)
{
    struct tw_backend_device *device = command->device->backend;
    const struct tw_backend_async *async = device->backend->async;
    return async && !command->bounds && async->takes(device, command->kernel, &command->launch) ? async : NULL;
}

/* ---- the lists of a lane -------------------------------------------------------------------------------------------- */

static void list_to_issue_locked(struct tw_lane *lane)
{
    if (lane->is_to_issue || lane->issuing || !lane->issue.first || lane->flying_count >= TW_CHAIN_DEPTH)
        return;
    lane->is_to_issue = true;
    lane->next_to_issue = to_issue;
    to_issue = lane;
}

void tw_chain_add_locked(struct tw_task *task)
{
    struct tw_lane *lane = task->command->lane;
    task->node.next = NULL;
    tw_append(&lane->issue, &task->node);
    list_to_issue_locked(lane);
}

/* Adds a task to those in flight. */
static void take_off_locked(struct tw_lane *lane, struct tw_task *task)
{
    struct tw_device *device = lane->device;
    task->flying = true;
    tw_append(&lane->flying, &task->node);
    if (++lane->flying_count > 1)
        return;
    ++device->flying_lanes;
    if (device->flying) {
        lane->next_flying = device->flying;
        lane->previous_flying = device->flying->previous_flying;
        lane->previous_flying->next_flying = lane->next_flying->previous_flying = lane;
        return;
    }
    if (!device->lingering)
        tw_wake_worker_locked(device, false);
    device->flying = lane->next_flying = lane->previous_flying = lane;
}

/* Takes the first task in flight on a lane out of it; the last one leaves the chain to others. */
static void land_locked(struct tw_lane *lane)
{
    struct tw_device *device = lane->device;
    tw_pop(&lane->flying)->flying = false;
    if (--lane->flying_count)
        return;
    --device->flying_lanes;
    if (lane->next_flying == lane) {
        device->flying = NULL;
    } else {
        if (device->flying == lane)
            device->flying = lane->next_flying;
        lane->next_flying->previous_flying = lane->previous_flying;
        lane->previous_flying->next_flying = lane->next_flying;
    }
    lane->next_flying = lane->previous_flying = NULL;
    if (lane->chain && !lane->issuing) {
        lane->chain->next = device->idle_chains;
        device->idle_chains = lane->chain;
        lane->chain = NULL;
    }
}

/* ---- issuing --------------------------------------------------------------------------------------------------------- */

/* Adds the mark of a node's task, if it is in flight on another chain. One mark for each chain is enough. */
static size_t add_mark(struct tw_backend_mark *marks, size_t count, const struct tw_node *node,
                       const struct tw_lane *lane)
{
    const struct tw_task *task = (const struct tw_task *)node;
    if (!node || !node->issued || task->command->lane == lane)
        return count;
    const struct tw_backend_mark mark = {task->command->lane->chain, task->position};
    for (size_t i = 0; i < count; ++i)
        if (marks[i].chain == mark.chain) {
            marks[i].position = marks[i].position > mark.position ? marks[i].position : mark.position;
            return count;
        }
    marks[count] = mark;
    return count + 1;
}

/* Enqueues a task on its lane's chain, after all that is in flight before it. Releases the lock meanwhile. */
static tw_status enqueue_locked(struct tw_lane *lane, struct tw_task *task)
{
    const struct tw_backend_async *async = async_of(lane);
    struct tw_command *command = task->command;
    struct tw_backend_mark marks[MARKS];
    tw_status status = TW_SUCCESS;
    if (!lane->chain && lane->device->idle_chains) {
        lane->chain = lane->device->idle_chains;
        lane->device->idle_chains = lane->chain->next;
    }
    struct tw_backend_chain *chain = lane->chain;
    size_t at = 0;
    do {
        size_t count = 0;
        while (at < task->node.in_count && count < MARKS)
            count = add_mark(marks, count, task->node.in[at++].from, lane);
        tw_unlock();
        tw_detail_of_task(true);
        if (!chain)
            status = async->open(lane->device->backend, &chain);
        if (status == TW_SUCCESS && count)
            status = async->follow(chain, marks, count);
        if (status == TW_SUCCESS && at == task->node.in_count)
            status = command->graph ? async->replay(chain, command->graph->assembly, &task->position)
                                    : async->launch(chain, command->kernel, &command->launch, &task->position);
        tw_detail_of_task(false);
        tw_lock();
    } while (status == TW_SUCCESS && at < task->node.in_count);
    lane->chain = chain;
    return status;
}

/* Returns whether the task was issued; else it only has its place among those in flight. */
static bool issue_task_locked(struct tw_lane *lane, struct tw_task *task)
{
    const struct tw_command *command = task->command;
    const bool doomed = task->node.doom != NULL;
    const tw_status status = doomed ? TW_SUCCESS : enqueue_locked(lane, task);
    if (status != TW_SUCCESS)
        task->failure = tw_command_failure_locked(command, status);
    take_off_locked(lane, task);
    if (doomed || status != TW_SUCCESS)
        return false;
    tw_make_ready_locked(tw_graph_issue(&task->node));
    return true;
}

static bool reap_locked(struct tw_lane *lane);

static void issue_lane_locked(struct tw_lane *lane)
{
    struct tw_queue *queue = ((struct tw_task *)lane->issue.first)->command->queue;
    bool issued = true;
    ++queue->references; /* keeps the lane */
    lane->issuing = true;
    while (issued && lane->issue.first && lane->flying_count < TW_CHAIN_DEPTH)
        issued = issue_task_locked(lane, tw_pop(&lane->issue));
    lane->issuing = false;
    tw_note_start_locked(lane, 0);
    tw_announce_locked(lane); /* threads that sleep poll now */
    if (!issued)
        (void)reap_locked(lane); /* at once, if nothing is before it */
    list_to_issue_locked(lane);
    tw_queue_release_locked(queue);
}

void tw_issue_locked(void)
{
    while (to_issue) {
        struct tw_lane *lane = to_issue;
        to_issue = lane->next_to_issue;
        lane->is_to_issue = false;
        if (!lane->issuing && lane->issue.first)
            issue_lane_locked(lane);
    }
}

/* ---- reaping --------------------------------------------------------------------------------------------------------- */

void tw_note_start_locked(struct tw_lane *lane, uint64_t now_ns)
{
    const struct tw_task *first = (const struct tw_task *)lane->flying.first;
    if (first && first->node.issued && !first->command->started && !tw_graph_before(&first->node))
        tw_command_start_locked(first->command, now_ns);
}

/* Finishes what is over at the beginning of a lane, up to what has to wait for other lanes. */
static bool reap_tasks_locked(struct tw_lane *lane)
{
    const struct tw_backend_async *async = async_of(lane);
    uint64_t now_ns = 0; /* of this look: one for all, the clock costs more than the rest */
    uint64_t reached = 0;
    bool progress = false;
    struct tw_task *task;
    while ((task = (struct tw_task *)lane->flying.first) && !tw_graph_before(&task->node)) {
        struct tw_command *command = task->command;
        tw_status status = TW_SUCCESS;
        tw_note_start_locked(lane, now_ns);
        if (task->node.issued) {
            struct tw_backend_chain *chain = lane->chain;
            if (task->position > reached) {
                tw_unlock();
                reached = async->reached(chain, task->position);
                tw_lock();
            }
            if (task->position > reached)
                break;
            tw_detail_of_task(true);
            status = async->outcome(chain, task->position, command->kernel, &command->launch);
            tw_detail_of_task(false);
        }
        if (status != TW_SUCCESS && !task->node.doom)
            task->failure = tw_command_failure_locked(command, status);
        const bool cancelled = !task->failure && task->node.doom;
        if (!now_ns && command->timed)
            now_ns = tw_now_ns();
        progress = true;
        land_locked(lane);
        tw_task_finish_locked(task, cancelled ? task->node.doom : task->failure, cancelled, now_ns);
    }
    return progress;
}

/* The same, for whoever comes first. Returns whether anything was finished; then tw_issue_locked(). */
static bool reap_locked(struct tw_lane *lane)
{
    if (lane->reaping || !lane->flying.first)
        return false;
    struct tw_queue *queue = ((struct tw_task *)lane->flying.first)->command->queue;
    struct tw_device *device = lane->device;
    ++queue->references; /* keeps the lane */
    lane->reaping = true;
    const bool progress = reap_tasks_locked(lane);
    lane->reaping = false;
    struct tw_lane *other = device->flying;
    for (unsigned i = 0; progress && i < device->flying_lanes; ++i, other = other->next_flying)
        tw_note_start_locked(other, 0);
    list_to_issue_locked(lane); /* there may be room again */
    tw_queue_release_locked(queue);
    return progress;
}

/* What has to be over first for a task in flight to be finished. */
static const struct tw_task *first_before(const struct tw_task *task)
{
    for (;;) {
        const struct tw_node *first = task->command->lane->flying.first;
        const struct tw_node *before = tw_graph_before(first);
        if (!before)
            return (const struct tw_task *)first;
        task = (const struct tw_task *)before;
    }
}

void tw_chain_tidy_locked(struct tw_lane *lane)
{
    if (lane->flying_count >= TIDY_EVERY && lane->flying_count % TIDY_EVERY == 0 && reap_locked(lane))
        tw_issue_locked();
}

bool tw_reap_device_locked(struct tw_device *device)
{
    for (unsigned left = device->flying_lanes; left && device->flying; --left) {
        const struct tw_lane *lane = device->flying;
        device->flying = lane->next_flying;
        if (reap_locked(first_before((const struct tw_task *)lane->flying.first)->command->lane)) {
            tw_issue_locked();
            return true;
        }
    }
    return false;
}

/* Polls until a launch is over. Without the lock. */
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

void tw_chain_wait_locked(const struct tw_task *task)
{
    const struct tw_task *first = first_before(task);
    struct tw_command *command = first->command;
    struct tw_lane *lane = command->lane;
    atomic_fetch_add(&command->references, 1); /* keeps the lane */
    tw_running_lane = lane;
    const bool progress = reap_locked(lane);
    tw_running_lane = NULL;
    if (progress) {
        tw_issue_locked();
    } else if (first->flying) {
        struct tw_backend_chain *chain = first->node.issued ? lane->chain : NULL;
        const uint64_t position = first->position;
        tw_unlock();
        if (chain)
            poll(async_of(lane), chain, position);
        else
            sched_yield(); /* another thread is about to finish it */
        tw_lock();
    }
    tw_command_release_locked(command);
}

void tw_close_chains_locked(struct tw_device *device)
{
    while (device->idle_chains) {
        struct tw_backend_chain *chain = device->idle_chains;
        device->idle_chains = chain->next;
        tw_unlock();
        device->backend->backend->async->close(chain);
        tw_lock();
    }
}
