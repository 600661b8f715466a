/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting threads run the tasks that they wait for. So tasks are not handed to another thread, and host kernels stay
 * with the OpenMP team of the program's own thread.
 */
#include "wait.h"

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/tuning.h"
#include "hold.h"
#include "observe.h"
#include "poller.h"
#include "ready.h"
#include "reclaim.h"
#include "run.h"
#include "stream.h"

#define PATH_STEPS 64u /* length of the path that a waiting thread follows to its next step */

/* Returns the first task in flight of the stream of a task with an ordering domain: it runs first, or makes room. NULL
   if there is none. */
static struct tw_task *first_in_flight(const struct tw_task *task)
{
    return task->node.domain ? (struct tw_task *)tw_stream_of(task)->in_flight.first : NULL;
}

/* Returns true if two tasks run on one stream, or on the own threads of one task queue's device. */
static bool run_together(const struct tw_task *one, const struct tw_task *other)
{
    return one->node.domain && other->node.domain
               ? tw_stream_of(one) == tw_stream_of(other)
               : one->command->queue == other->command->queue && one->command->queue->device->backend->has_own_threads;
}

/* Returns the next step towards a command, found by following its dependencies: a task in flight to poll for, or a task
   whose task queue to serve. Sets `*target` to the first task on the path from which on all run together. */
static struct tw_task *step_towards(struct tw_command *command, const struct tw_task *watched, struct tw_task **target)
{
    struct tw_node *node = &command->body.node;
    *target = NULL;
    /* the whole path at the end of the program, since no other thread would follow it */
    for (unsigned step = 0; step < PATH_STEPS || tw_is_ending; ++step) {
        struct tw_task *task = (struct tw_task *)node;
        if (!*target || !run_together(*target, task))
            *target = task;
        if (task->in_flight && task != watched)
            return task;
        struct tw_node *before = tw_graph_before(node);
        if (!before && task->in_flight)
            tw_note_start_locked(task->command->queue);
        if (!before)
            break;
        node = before;
    }
    struct tw_task *first = first_in_flight((struct tw_task *)node);
    return first ? first : (struct tw_task *)node;
}

/* Polls for a moment. Returns true if anything changed in a task queue. Called without the lock. */
static bool spin(const struct tw_task_queue *queue, unsigned since)
{
    const uint64_t until = tw_now_ns() + TW_TUNE_WAIT_SPIN_NS;
    do {
        for (unsigned i = 0; i < 32; ++i) {
            if (atomic_load_explicit(&queue->epoch, memory_order_acquire) != since)
                return true;
            tw_pause();
        }
    } while (tw_now_ns() < until);
    return false;
}

/* Returns true if a worker must run the next task: it is the body that this thread waits for but must not run, or all
   tasks of the device belong to its own threads. At the end of the program there are no workers. */
static bool is_for_worker(const struct tw_task_queue *queue, const struct tw_task *watched)
{
    const struct tw_node *next = queue->light.first ? queue->light.first : queue->exclusive.first;
    return !tw_is_ending && (queue->device->backend->has_own_threads || (watched && next == &watched->node));
}

/* The task queue, and its epoch, for which this thread has polled in vain. */
struct spun {
    const struct tw_task_queue *queue;
    unsigned epoch;
};

/* Waits until something changes in a task queue: polls for a moment, or sleeps if that was in vain. Releases the lock
   meanwhile. */
static void await_change_locked(struct tw_task_queue *queue, struct spun *spun)
{
    const unsigned now = atomic_load_explicit(&queue->epoch, memory_order_relaxed);
    if (spun->queue == queue && spun->epoch == now) {
        ++queue->sleepers;
        tw_sleep_locked(&queue->changed, NULL);
        --queue->sleepers;
        return;
    }
    tw_unlock();
    const bool has_changed = spin(queue, now);
    tw_lock();
    *spun = (struct spun){has_changed ? NULL : queue, now};
}

/* Tells workers and waiting threads of the tasks that this thread leaves on a device. */
static void leave_device_locked(struct tw_device *device)
{
    if (device && device->active) {
        tw_wake_worker_locked(device, true);
        tw_announce_device_locked(device);
    }
}

/* A thread that waits. */
struct waiter {
    struct tw_task_source source; /* of the tasks that it runs meanwhile */
    struct tw_command *(*unfinished)(const void *what);
    const void *what;
    const struct tw_task *watched;
    struct tw_device *left;  /* device that may have tasks that this thread made ready; or NULL */
    struct tw_task *step;    /* the next step towards what it waits for; NULL: that is over */
    struct tw_task *target;  /* the last task to wait for that is known to run together with the step */
    struct tw_command *last; /* of several commands, likely the last; or NULL */
    struct tw_poller poller;
};

/* Serves the task queue of a step that runs elsewhere, or waits for a task that does, until something changes there. On
   own threads of a device, only the end of the last task that is known to be of that task queue is a change. */
static void help_locked(const struct waiter *waiter, struct spun *spun)
{
    struct tw_task_queue *queue = waiter->step->command->queue;
    const bool helps = !is_for_worker(queue, waiter->watched);
    if (queue->device->backend->has_own_threads) {
        struct tw_command *last = waiter->last;
        const bool is_here = last && !last->body.node.finished && last->queue == queue;
        (is_here ? &last->body : waiter->target)->awaited = true;
    }
    queue->helpers += helps;
    if (!helps)
        tw_wake_worker_locked(queue->device, true);
    await_change_locked(queue, spun);
    queue->helpers -= helps;
}

/* Finds the next step, and returns a task to run for it; NULL if the step is in flight or runs elsewhere, or all is
   over. */
static struct tw_task *take_for_waiter(struct waiter *waiter)
{
    struct tw_command *command = waiter->unfinished(waiter->what);
    struct tw_task *step = waiter->step = command ? step_towards(command, waiter->watched, &waiter->target) : NULL;
    if (!step)
        return NULL;
    if (waiter->last && !waiter->last->body.node.finished && waiter->last->body.node.domain)
        waiter->target = &waiter->last->body;
    struct tw_task_queue *queue = step->command->queue;
    struct tw_device *left = waiter->left;
    if (left && left->active && (step->in_flight || left->active != queue || queue->next != queue))
        leave_device_locked(left); /* has tasks that this thread does not serve */
    waiter->left = NULL;
    if (step->in_flight || !tw_may_run_locked())
        return NULL;
    struct tw_task_queue *overdue = tw_overdue_queue(queue);
    struct tw_task *task = step == waiter->watched ? NULL : tw_take_own_copy(queue, step);
    if (!task && !is_for_worker(queue, waiter->watched))
        task = tw_take_from_queue(overdue ? overdue : queue, false);
    if (!task)
        return NULL;
    if (queue->light.first || (queue->exclusive.first && !task->exclusive))
        tw_wake_worker_locked(queue->device, true);
    waiter->left = queue->device;
    return task;
}

static struct tw_task *take_next_for_waiter(struct tw_task_source *source)
{
    return tw_reclaim_is_due() ? NULL : take_for_waiter((struct waiter *)source);
}

/* Waits for a task in flight. */
static void wait_for_in_flight_locked(struct waiter *waiter)
{
    waiter->left = waiter->step->command->queue->device; /* valid longer than the step */
    tw_stream_wait_locked(&waiter->poller, waiter->step, waiter->target);
    if (tw_reclaim_is_due())
        tw_poller_leave_locked(&waiter->poller); /* reclaiming may call the program */
    tw_reclaim_meanwhile_locked();
}

static void wait_locked(struct waiter *waiter)
{
    TW_DEFER_CANCELLATION; /* this thread runs tasks, and others wait for what it holds */
    const struct tw_task *watched = waiter->watched;
    struct spun spun = {NULL, 0};
    if (tw_is_ending)
        tw_issue_locked(); /* what no thread was allowed to issue */
    for (;;) {
        struct tw_task *task = take_for_waiter(waiter), *step = waiter->step;
        if (tw_unwoken && !(task && task->command == tw_awaited))
            tw_wake_worker_locked(tw_unwoken, true); /* something else comes first */
        tw_unwoken = NULL;
        if (!step)
            break;
        struct tw_command *helped = step->command;
        struct tw_task_queue *queue = helped->queue;
        if (step->in_flight) {
            if (step != watched || !helped->started) /* else it has just started */
                wait_for_in_flight_locked(waiter);
            continue;
        }
        if (waiter->poller.stream)
            tw_poller_leave_locked(&waiter->poller);
        if (task) {
            tw_task_run_locked(task, &waiter->source);
            tw_reclaim_meanwhile_locked();
            continue;
        }
        atomic_fetch_add(&helped->references, 1); /* keeps the task queue */
        help_locked(waiter, &spun);
        struct tw_command *command;
        if (!tw_task_queue_is_empty(queue)
            && (!(command = waiter->unfinished(waiter->what))
                || step_towards(command, watched, &waiter->target)->command->queue != queue))
            leave_device_locked(queue->device); /* this thread no longer serves it */
        tw_command_release_locked(helped);
    }
    tw_poller_leave_locked(&waiter->poller);
    leave_device_locked(waiter->left);
}

static inline void wait_for(struct tw_command *(*unfinished)(const void *what), const void *what,
                            const struct tw_task *watched, struct tw_command *last)
{
    struct waiter waiter;
    waiter.source.take_locked = take_next_for_waiter;
    waiter.unfinished = unfinished;
    waiter.what = what;
    waiter.watched = watched;
    waiter.last = last;
    waiter.left = NULL;
    waiter.poller.stream = NULL;
    struct tw_task_queue *queue = watched ? watched->command->queue : NULL; /* also if the command falls back */
    if (queue)
        ++queue->watchers;
    wait_locked(&waiter);
    if (queue)
        --queue->watchers;
}

/* Does the same, and lets other threads see it, which may come to wait for this one; and tells tools. */
static __attribute__((noinline, cold)) void observed_wait(struct tw_command *(*unfinished)(const void *what),
                                                          const void *what, const struct tw_task *watched,
                                                          struct tw_command *last)
{
    struct tw_hold_wait held = {.unfinished = unfinished, .what = what, .last = last};
    tw_tool_wait wait;
    const bool is_noted = tw_anything_is_held_locked();
    const struct tw_command *first = tw_tools_are_on() ? unfinished(what) : NULL;
    if (is_noted)
        tw_hold_wait_locked(&held);
    if (first)
        tw_observe_wait_locked(&wait, first, last);
    wait_for(unfinished, what, watched, last);
    if (first)
        tw_observe_wait_end_locked(&wait);
    if (is_noted)
        tw_hold_wait_end_locked(&held);
}

void tw_wait_locked(struct tw_command *(*unfinished)(const void *what), const void *what, const struct tw_task *watched,
                    struct tw_command *last)
{
    if (tw_anything_is_held_locked() || tw_tools_are_on())
        observed_wait(unfinished, what, watched, last);
    else
        wait_for(unfinished, what, watched, last);
}
