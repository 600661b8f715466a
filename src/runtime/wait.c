/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that wait run the tasks that they wait for themselves: no hand-over, and host kernels stay with the OpenMP
 * threads of the thread that the program computes on.
 */
#include "wait.h"

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/tuning.h"
#include "poller.h"
#include "ready.h"
#include "reclaim.h"
#include "run.h"
#include "stream.h"

#define PATH_STEPS 64u /* how far a waiting thread looks for what it waits for */

/* The first task in flight of the stream of a task that has an ordering domain: it runs first, or makes room. Or NULL.
   */
static struct tw_task *first_in_flight(const struct tw_task *task)
{
    return task->node.domain ? (struct tw_task *)tw_stream_of(task)->in_flight.first : NULL;
}

/* What a command waits for at the moment, found by following its dependencies: a task in flight to poll, or one whose
   task queue to help. `*target` is the last task on the way from which on all are of that task's stream. */
static struct tw_task *step_towards(struct tw_command *command, const struct tw_task *watched, struct tw_task **target)
{
    struct tw_node *node = &command->body.node;
    *target = NULL;
    /* at the end of the program the whole way: nobody else would go it */
    for (unsigned step = 0; step < PATH_STEPS || tw_is_ending; ++step) {
        struct tw_task *task = (struct tw_task *)node;
        if (!*target || !(*target)->node.domain || !node->domain || tw_stream_of(*target) != tw_stream_of(task))
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

/* Polls for a moment whether anything changed; without the lock. */
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

/* Whether all that a task queue has is the body that the thread only watches. It has to be left to a worker. */
static bool watched_only(const struct tw_task_queue *queue, const struct tw_task *watched)
{
    const struct tw_node *next = queue->light.first ? queue->light.first : queue->exclusive.first;
    return watched && next == &watched->node && !tw_is_ending;
}

/* Waits until something changes in a task queue: polls for a moment, or sleeps where that was in vain. `spun` says for
   which task queue and at which epoch it was. Releases the lock meanwhile. */
struct spun {
    const struct tw_task_queue *queue;
    unsigned epoch;
};

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

/* Hands on what a thread leaves behind on a device, to workers and to those who wait for it. */
static void leave_device_locked(struct tw_device *device)
{
    if (device && device->active) {
        tw_wake_worker_locked(device, true);
        tw_announce_device_locked(device);
    }
}

/* Looks after the task queue of a step that runs elsewhere, or waits for something that does, until something changes
   there. */
static void help_locked(struct tw_task *step, const struct tw_task *watched, struct spun *spun)
{
    struct tw_task_queue *queue = step->command->queue;
    const bool helps = !watched_only(queue, watched);
    queue->helpers += helps;
    if (!helps)
        tw_wake_worker_locked(queue->device, true);
    await_change_locked(queue, spun);
    queue->helpers -= helps;
}

/* A thread that waits. */
struct waiter {
    struct tw_task_source source; /* of the tasks that it runs meanwhile */
    struct tw_command *(*unfinished)(const void *what);
    const void *what;
    const struct tw_task *watched;
    struct tw_device *left;  /* may have tasks that this thread made ready */
    struct tw_task *step;    /* towards what it waits for; NULL: that is over */
    struct tw_task *target;  /* the last task on the way that is known to be of the stream of the step */
    struct tw_command *last; /* of several commands; or NULL */
    struct tw_poller poller;
};

/* Finds the next step, and a task to run for it; NULL: there is none, it is in flight or runs elsewhere, or all is
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
        leave_device_locked(left); /* has tasks that this thread does not look after */
    waiter->left = NULL;
    if (step->in_flight || !tw_may_run_locked())
        return NULL;
    struct tw_task_queue *overdue = tw_overdue_queue(queue);
    struct tw_task *task = tw_take_own_copy(queue, step);
    if (!task && !watched_only(queue, waiter->watched))
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
    waiter->left = waiter->step->command->queue->device; /* stays: so do its workers */
    tw_stream_wait_locked(&waiter->poller, waiter->step, waiter->target);
    if (tw_reclaim_is_due())
        tw_poller_leave_locked(&waiter->poller); /* it may call the program */
    tw_reclaim_meanwhile_locked();
}

static void wait_locked(struct waiter *waiter)
{
    TW_DEFER_CANCELLATION; /* it runs tasks, and others wait for what it holds */
    const struct tw_task *watched = waiter->watched;
    struct spun spun = {NULL, 0};
    if (tw_is_ending)
        tw_issue_locked(); /* what nobody might, as yet */
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
            if (step != watched || !helped->started) /* else: just now */
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
        help_locked(step, watched, &spun);
        struct tw_command *command;
        if (!tw_task_queue_is_empty(queue)
            && (!(command = waiter->unfinished(waiter->what))
                || step_towards(command, watched, &waiter->target)->command->queue != queue))
            leave_device_locked(queue->device); /* no longer this thread's concern, nor its turn */
        tw_command_release_locked(helped);
    }
    tw_poller_leave_locked(&waiter->poller);
    leave_device_locked(waiter->left);
}

void tw_wait_locked(struct tw_command *(*unfinished)(const void *what), const void *what, const struct tw_task *watched,
                    struct tw_command *last)
{
    struct waiter waiter;
    waiter.source.take_locked = take_next_for_waiter;
    waiter.unfinished = unfinished;
    waiter.what = what;
    waiter.watched = watched;
    waiter.last = last;
    waiter.left = NULL;
    waiter.poller.stream = NULL;
    struct tw_task_queue *queue =
        watched ? watched->command->queue : NULL; /* of the command's queue, also if it goes to another */
    if (queue)
        ++queue->watchers;
    wait_locked(&waiter);
    if (queue)
        --queue->watchers;
}
