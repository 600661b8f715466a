/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who runs ready tasks: the threads that wait, and a few worker threads for each device.
 *
 * A thread that waits runs the tasks that it waits for itself: no hand-over, and host kernels stay with the OpenMP
 * threads of the thread that the program computes on. Workers see to progress while no one waits. They start with the
 * first task, linger for a moment after the last, looking for work by themselves so that submitting need not wake them,
 * and then sleep.
 */
#define _GNU_SOURCE
#include "scheduler.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/detail.h"
#include "base/lock.h"
#include "chain.h"
#include "reclaim.h"

#define SPIN_NS 20000u       /* a waiting thread polls for so long before it sleeps */
#define LINGER_NS 2000000u   /* a worker without work looks for some by itself for so long ... */
#define LINGER_NAP_NS 50000u /* ... so often ... */
#define SHORT_NAP_NS 20000u  /* ... at first */
#define CALM_NAP_NS 500000u  /* ... or so often where it takes a processor from kernels */
#define MAX_NAP_NS 500000u   /* ... and as rarely while something long is in flight */
#define GRACE_NS 1000000u    /* a parallel kernel on a CPU is left to a thread that waits for so long */
#define PATH_STEPS 64u       /* how far a waiting thread looks for what it waits for */
#define END_NS 2000000000u   /* exit() waits so long for tasks that run */

_Thread_local struct tw_lane *tw_running_lane;
static _Thread_local bool is_worker;
_Thread_local const struct tw_command *tw_awaited;
static bool is_ending;                     /* exit() has begun, on the thread that ends the program; under the lock */
static _Thread_local bool ends_program;    /* ... this one, the only one that takes tasks from then on */
static unsigned running;                   /* tasks, or series of them; under the lock */
static _Thread_local unsigned own_running; /* ... by this thread */
static _Thread_local struct tw_device *unwoken; /* whose workers a copy for tw_awaited is kept from */

/* ---- telling threads that wait -----------------------------------------------------------------------------------------

   A thread that waits looks after one lane: that of the task that is its next step. What it waits for can only change when
   that task, or its lane, does. So only the threads of one lane are told of a change, and those that wait for other queues are
   not held up. */

void tw_lane_init(struct tw_lane *lane, struct tw_device *device, void (*unused_locked)(struct tw_lane *lane))
{
    lane->device = device;
    atomic_init(&lane->references, 1);
    lane->unused_locked = unused_locked;
    for (unsigned kind = 0; kind < TW_TRACK_COUNT; ++kind)
        lane->tracks[kind] = (struct tw_track){.lane = lane, .kind = (enum tw_track_kind)kind};
    pthread_cond_init(&lane->changed, NULL);
}

void tw_lane_end(struct tw_lane *lane)
{
    pthread_cond_destroy(&lane->changed);
}

void tw_announce_locked(struct tw_lane *lane)
{
    /* written under the lock only */
    atomic_store_explicit(&lane->epoch, atomic_load_explicit(&lane->epoch, memory_order_relaxed) + 1,
                          memory_order_release);
    if (lane->sleepers)
        pthread_cond_broadcast(&lane->changed);
}

void tw_announce_device_locked(struct tw_device *device)
{
    struct tw_lane *lane = device->active;
    if (!lane)
        return;
    do {
        if (lane->helpers)
            tw_announce_locked(lane);
        lane = lane->next;
    } while (lane != device->active);
}

/* ---- ready lists ---------------------------------------------------------------------------------------------------
 */

void tw_append(struct tw_task_list *list, struct tw_node *nodes)
{
    if (!nodes)
        return;
    *(list->last ? &list->last->next : &list->first) = nodes;
    while (nodes->next)
        nodes = nodes->next;
    list->last = nodes;
}

struct tw_task *tw_pop(struct tw_task_list *list)
{
    struct tw_node *node = list->first;
    list->first = node->next;
    if (!list->first)
        list->last = NULL;
    node->next = NULL;
    return (struct tw_task *)node;
}

static bool lane_is_empty(const struct tw_lane *lane)
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
static struct tw_lane *overdue_lane(const struct tw_lane *lane)
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

/* Apart: to find a variable of the thread takes as long as all the rest. */
static __attribute__((noinline)) bool is_thread_that_ends(void)
{
    return ends_program;
}

bool tw_may_run_locked(void)
{
    return !is_ending || is_thread_that_ends();
}

static struct tw_task *take_from_lane(struct tw_lane *lane, bool worker)
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
    if (task && lane_is_empty(lane))
        deactivate(lane);
    return task;
}

static struct tw_task *begin_copy(struct tw_lane *lane, struct tw_task *task)
{
    task->copying = true;
    ++lane->device->copying;
    if (lane_is_empty(lane))
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
static struct tw_task *take_own_copy(struct tw_lane *lane, const struct tw_task *step)
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
    return is_ending ? take_copy(lane) : NULL;
}

/* A task for a worker: lanes in turn, but not those that a waiting thread looks after. */
static struct tw_task *take_from_device(struct tw_device *device)
{
    struct tw_lane *const start = device->active, *lane = start, *next;
    if (!start)
        return NULL;
    do {
        next = lane->next;
        struct tw_task *task = take_copy(lane);
        if (!task && !lane->helpers)
            task = take_from_lane(lane, true);
        if (task) {
            if (device->active)
                device->active = next != lane || lane->next ? next : device->active;
            return task;
        }
        lane = next;
    } while (lane != start);
    return NULL;
}

/* ---- workers
 * --------------------------------------------------------------------------------------------------------- */

static void nap_locked(struct tw_device *device, uint64_t ns)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const uint64_t at = (uint64_t)until.tv_nsec + ns;
    until.tv_sec += (time_t)(at / 1000000000u);
    until.tv_nsec = (long)(at % 1000000000u);
    tw_sleep_locked(&device->work, &until);
}

/* Frees what the last task made unused, without the lock meanwhile. */
static void reclaim_between_tasks_locked(void)
{
    if (tw_reclaim_is_due()) {
        tw_unlock();
        tw_reclaim();
        tw_lock();
    }
}

static void run_task_locked(struct tw_task *task, struct tw_task_source *source)
{
    ++running;
    ++own_running;
    tw_task_run_locked(task, source);
    --running;
    --own_running;
}

/* Finishes what is over of what is in flight. Returns whether anything still is. */
static bool reap_all_locked(void)
{
    bool is_flying = false;
    for (size_t place = 1; place < tw_place_count(); ++place) {
        struct tw_device *device = tw_place_device(place);
        if (device->flying)
            (void)tw_reap_device_locked(device);
        is_flying = is_flying || device->flying;
    }
    return is_flying;
}

/* When the program ends, libomp and libomptarget take down what the kernels and copies of other threads use. So those that run
   or are in flight are waited for, not for ever, and no others begin but on this thread, whose exit handlers may still use the
   library. */
void tw_end_tasks(void)
{
    const uint64_t until = tw_now_ns() + END_NS;
    tw_lock();
    is_ending = true;
    while ((reap_all_locked() || running > own_running) && tw_now_ns() < until) {
        tw_unlock();
        nanosleep(&(struct timespec){.tv_nsec = SHORT_NAP_NS}, NULL);
        tw_lock();
    }
    ends_program = true;
    tw_unlock();
}

/* A worker's tasks. */
struct worker_source {
    struct tw_task_source source;
    struct tw_device *device;
};

static struct tw_task *take_for_worker(struct tw_device *device)
{
    struct tw_task *task = tw_may_run_locked() ? take_from_device(device) : NULL;
    if (task && (device->active || device->flying))
        tw_wake_worker_locked(device, true);
    return task;
}

static struct tw_task *take_next_for_worker(struct tw_task_source *source)
{
    struct tw_device *device = ((struct worker_source *)source)->device;
    return device->stopping || tw_reclaim_is_due() ? NULL : take_for_worker(device);
}

static void *work(void *argument)
{
    struct tw_device *device = argument;
    struct worker_source source = {{take_next_for_worker}, device};
    const uint64_t nap = device->backend->exclusive ? CALM_NAP_NS : LINGER_NAP_NS;
    uint64_t idle_since = 0, flight_nap = nap;
    is_worker = true;
    device->backend->backend->begin_thread();
    tw_lock();
    while (!device->stopping) {
        struct tw_task *task = take_for_worker(device);
        if (task) {
            run_task_locked(task, &source.source);
            idle_since = 0;
            reclaim_between_tasks_locked();
            continue;
        }
        if (device->flying && !device->lingering && tw_reap_device_locked(device)) {
            idle_since = 0;
            flight_nap = nap;
            reclaim_between_tasks_locked();
            continue;
        }
        if (device->stopping)
            break;
        const uint64_t now = tw_held_ns();
        if (!idle_since)
            idle_since = now;
        ++device->idle_workers;
        if (!device->lingering && (device->active || device->flying || now - idle_since < LINGER_NS)) {
            /* short at first, so that who submits small tasks one after the other need not wake it for each */
            const uint64_t rested = now - idle_since;
            flight_nap = device->flying          ? 2 * flight_nap < MAX_NAP_NS ? 2 * flight_nap : MAX_NAP_NS
                         : rested < SHORT_NAP_NS ? SHORT_NAP_NS
                         : rested < nap          ? rested
                                                 : nap;
            device->napping_shortly = flight_nap <= LINGER_NAP_NS;
            ++device->lingering;
            nap_locked(device, flight_nap);
            --device->lingering;
            device->napping_shortly = false;
        } else {
            tw_sleep_locked(&device->work, NULL);
            idle_since = 0;
        }
        --device->idle_workers;
    }
    tw_unlock();
    return NULL;
}

static void start_worker_locked(struct tw_device *device)
{
    const unsigned most = device->backend->max_lanes;
    if (device->workers >= most)
        return;
    if (!device->threads) {
        device->threads = calloc(most, sizeof *device->threads);
        if (!device->threads)
            return;
    }
    if (pthread_create(&device->threads[device->workers], NULL, work, device) == 0)
        ++device->workers;
}

tw_status tw_device_needs_worker(struct tw_device *device)
{
    tw_lock();
    if (!device->workers)
        start_worker_locked(device);
    const bool has_worker = device->workers;
    tw_unlock();
    return has_worker ? TW_SUCCESS
                      : tw_fail(TW_ERROR_OUT_OF_MEMORY,
                                "no thread can be started for %s: memory or the system's limit of threads is exhausted",
                                tw_device_facts(device)->name);
}

/* Sees to it that somebody looks at the device's lanes: a device with a queue has a worker. */
void tw_wake_worker_locked(struct tw_device *device, bool soon)
{
    if (device->lingering && !device->flying && (!soon || !device->backend->exclusive || device->napping_shortly))
        return; /* it looks soon enough; but rarely while something is in flight */
    if (device->idle_workers)
        pthread_cond_signal(&device->work);
    else
        start_worker_locked(device);
}

void tw_stop_workers_locked(struct tw_device *device)
{
    device->stopping = true;
    pthread_cond_broadcast(&device->work);
    for (unsigned i = 0; i < device->workers; ++i) {
        tw_unlock();
        pthread_join(device->threads[i], NULL);
        tw_lock();
    }
    free(device->threads);
    device->threads = NULL;
    device->workers = 0;
    device->stopping = false;
    tw_close_chains_locked(device);
}

void tw_schedule_locked(struct tw_task *task)
{
    struct tw_lane *lane = task->command->lane;
    const bool is_copy = task->kind == TW_TASK_COPY && lane->device->backend->max_copies;
    if (task->exclusive && !lane->exclusive.first)
        lane->exclusive_since_ns = tw_held_ns();
    const bool was_empty = lane_is_empty(lane);
    task->node.next = NULL;
    tw_append(is_copy ? &lane->copies : task->exclusive ? &lane->exclusive : &lane->light, &task->node);
    activate(lane);
    const bool takes_it = lane == tw_running_lane && was_empty; /* this thread looks for the next one itself */
    if (lane->helpers && !(takes_it && !is_worker))
        tw_announce_locked(lane);
    if (task->kind == TW_TASK_COPY && task->command == tw_awaited)
        unwoken = lane->device; /* it waits for it, and runs it as soon as a worker would */
    else if (is_copy || (!lane->helpers && !takes_it))
        tw_wake_worker_locked(lane->device, !task->exclusive);
}

/* ---- waiting
 * ----------------------------------------------------------------------------------------------------------- */

/* The first task in flight of the track of a task that has an engine: it runs first, or makes room. Or NULL. */
static struct tw_task *first_in_flight(const struct tw_task *task)
{
    return task->node.engine ? (struct tw_task *)tw_track_of(task)->flying.first : NULL;
}

/* What a command waits for at the moment, found by following its dependencies: a task in flight to poll, or one whose
   lane to help. `*target` is the last task on the way from which on all are of that task's track. */
static struct tw_task *step_towards(struct tw_command *command, const struct tw_task *watched, struct tw_task **target)
{
    struct tw_node *node = &command->body.node;
    *target = NULL;
    /* at the end of the program the whole way: nobody else would go it */
    for (unsigned step = 0; step < PATH_STEPS || is_ending; ++step) {
        struct tw_task *task = (struct tw_task *)node;
        if (!*target || !(*target)->node.engine || !node->engine || tw_track_of(*target) != tw_track_of(task))
            *target = task;
        if (task->flying && task != watched)
            return task;
        struct tw_node *before = tw_graph_before(node);
        if (!before && task->flying)
            tw_note_start_locked(task->command->lane);
        if (!before)
            break;
        node = before;
    }
    struct tw_task *first = first_in_flight((struct tw_task *)node);
    return first ? first : (struct tw_task *)node;
}

/* Polls for a moment whether anything changed; without the lock. */
static bool spin(const struct tw_lane *lane, unsigned since)
{
    const uint64_t until = tw_now_ns() + SPIN_NS;
    do {
        for (unsigned i = 0; i < 32; ++i) {
            if (atomic_load_explicit(&lane->epoch, memory_order_acquire) != since)
                return true;
            tw_pause();
        }
    } while (tw_now_ns() < until);
    return false;
}

/* Whether all that a lane has is the body that the thread only watches. It has to be left to a worker. */
static bool watched_only(const struct tw_lane *lane, const struct tw_task *watched)
{
    const struct tw_node *next = lane->light.first ? lane->light.first : lane->exclusive.first;
    return watched && next == &watched->node && !is_ending;
}

/* Waits until something changes in a lane: polls for a moment, or sleeps where that was in vain. `spun` says for which lane and
   at which epoch it was. Releases the lock meanwhile. */
struct spun {
    const struct tw_lane *lane;
    unsigned epoch;
};

static void await_change_locked(struct tw_lane *lane, struct spun *spun)
{
    const unsigned now = atomic_load_explicit(&lane->epoch, memory_order_relaxed);
    if (spun->lane == lane && spun->epoch == now) {
        ++lane->sleepers;
        tw_sleep_locked(&lane->changed, NULL);
        --lane->sleepers;
        return;
    }
    tw_unlock();
    const bool has_changed = spin(lane, now);
    tw_lock();
    *spun = (struct spun){has_changed ? NULL : lane, now};
}

/* Hands on what a thread leaves behind on a device, to workers and to those who wait for it. */
static void leave_device_locked(struct tw_device *device)
{
    if (device && device->active) {
        tw_wake_worker_locked(device, true);
        tw_announce_device_locked(device);
    }
}

/* Looks after the lane of a step that runs elsewhere, or waits for something that does, until something changes there. */
static void help_locked(struct tw_task *step, const struct tw_task *watched, struct spun *spun)
{
    struct tw_lane *lane = step->command->lane;
    const bool helps = !watched_only(lane, watched);
    lane->helpers += helps;
    if (!helps)
        tw_wake_worker_locked(lane->device, true);
    await_change_locked(lane, spun);
    lane->helpers -= helps;
}

/* A thread that waits. */
struct waiter {
    struct tw_task_source source; /* of the tasks that it runs meanwhile */
    struct tw_command *(*unfinished)(const void *what);
    const void *what;
    const struct tw_task *watched;
    struct tw_device *left;  /* may have tasks that this thread made ready */
    struct tw_task *step;    /* towards what it waits for; NULL: that is over */
    struct tw_task *target;  /* the last task on the way that is known to be of the track of the step */
    struct tw_command *last; /* of several commands; or NULL */
    struct tw_poller poller;
};

/* Finds the next step, and a task to run for it; NULL: there is none, it is in flight or runs elsewhere, or all is over. */
static struct tw_task *take_for_waiter(struct waiter *waiter)
{
    struct tw_command *command = waiter->unfinished(waiter->what);
    struct tw_task *step = waiter->step = command ? step_towards(command, waiter->watched, &waiter->target) : NULL;
    if (!step)
        return NULL;
    if (waiter->last && !waiter->last->body.node.finished && waiter->last->body.node.engine)
        waiter->target = &waiter->last->body;
    struct tw_lane *lane = step->command->lane;
    struct tw_device *left = waiter->left;
    if (left && left->active && (step->flying || left->active != lane || lane->next != lane))
        leave_device_locked(left); /* has tasks that this thread does not look after */
    waiter->left = NULL;
    if (step->flying || !tw_may_run_locked())
        return NULL;
    struct tw_lane *overdue = overdue_lane(lane);
    struct tw_task *task = take_own_copy(lane, step);
    if (!task && !watched_only(lane, waiter->watched))
        task = take_from_lane(overdue ? overdue : lane, false);
    if (!task)
        return NULL;
    if (lane->light.first || (lane->exclusive.first && !task->exclusive))
        tw_wake_worker_locked(lane->device, true);
    waiter->left = lane->device;
    return task;
}

static struct tw_task *take_next_for_waiter(struct tw_task_source *source)
{
    return tw_reclaim_is_due() ? NULL : take_for_waiter((struct waiter *)source);
}

/* Waits for a task in flight. */
static void wait_for_flying_locked(struct waiter *waiter)
{
    waiter->left = waiter->step->command->lane->device; /* stays: so do its workers */
    tw_chain_wait_locked(&waiter->poller, waiter->step, waiter->target);
    if (tw_reclaim_is_due())
        tw_poller_leave_locked(&waiter->poller); /* it may call the program */
    reclaim_between_tasks_locked();
}

static void wait_locked(struct waiter *waiter)
{
    TW_DEFER_CANCELLATION; /* it runs tasks, and others wait for what it holds */
    const struct tw_task *watched = waiter->watched;
    struct spun spun = {NULL, 0};
    if (is_ending)
        tw_issue_locked(); /* what nobody might, as yet */
    for (;;) {
        struct tw_task *task = take_for_waiter(waiter), *step = waiter->step;
        if (unwoken && !(task && task->command == tw_awaited))
            tw_wake_worker_locked(unwoken, true); /* something else comes first */
        unwoken = NULL;
        if (!step)
            break;
        struct tw_command *helped = step->command;
        struct tw_lane *lane = helped->lane;
        if (step->flying) {
            if (step != watched || !helped->started) /* else: just now */
                wait_for_flying_locked(waiter);
            continue;
        }
        if (waiter->poller.track)
            tw_poller_leave_locked(&waiter->poller);
        if (task) {
            run_task_locked(task, &waiter->source);
            reclaim_between_tasks_locked();
            continue;
        }
        atomic_fetch_add(&helped->references, 1); /* keeps the lane */
        help_locked(step, watched, &spun);
        struct tw_command *command;
        if (!lane_is_empty(lane)
            && (!(command = waiter->unfinished(waiter->what))
                || step_towards(command, watched, &waiter->target)->command->lane != lane))
            leave_device_locked(lane->device); /* no longer this thread's concern, nor its turn */
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
    waiter.poller.track = NULL;
    struct tw_lane *lane =
        watched ? watched->command->lane : NULL; /* of the command's queue, also if it goes to another */
    if (lane)
        ++lane->watchers;
    wait_locked(&waiter);
    if (lane)
        --lane->watchers;
}
