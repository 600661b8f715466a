/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ready tasks: the lists of each task queue, and which of them a thread may take.
 *
 * Bodies that need a whole CPU ("exclusive") run one at a time on a device. They are left to waiting threads, so that
 * they run on the OpenMP team of the program's own thread. A worker takes them after a grace period.
 */
#include "ready.h"

#include "base/clock.h"
#include "base/lock.h"

#define GRACE_NS 1000000u /* time that a parallel kernel on a CPU is left to waiting threads */

_Thread_local struct tw_task_queue *tw_running_queue;
_Thread_local bool tw_is_worker;
_Thread_local const struct tw_command *tw_awaited;
_Thread_local struct tw_device *tw_unwoken;
bool tw_is_ending;
_Thread_local bool tw_ends_program;
static struct tw_stream *to_issue; /* streams with tasks to issue; under the lock */

struct tw_task *tw_pop(struct tw_task_list *list)
{
    struct tw_node *node = list->first;
    list->first = node->next;
    if (!list->first)
        list->last = NULL;
    node->next = NULL;
    return (struct tw_task *)node;
}

bool tw_task_queue_is_empty(const struct tw_task_queue *queue)
{
    return !queue->light.first && !queue->exclusive.first && !queue->copies.first;
}

static void activate(struct tw_task_queue *queue)
{
    struct tw_device *device = queue->device;
    if (queue->next)
        return;
    if (!device->active) {
        device->active = queue->next = queue->previous = queue;
    } else {
        queue->next = device->active;
        queue->previous = device->active->previous;
        queue->previous->next = queue->next->previous = queue;
    }
}

static void deactivate(struct tw_task_queue *queue)
{
    struct tw_device *device = queue->device;
    if (queue->next == queue) {
        device->active = NULL;
    } else {
        if (device->active == queue)
            device->active = queue->next;
        queue->next->previous = queue->previous;
        queue->previous->next = queue->next;
    }
    queue->next = queue->previous = NULL;
}

/* ---- tasks become ready ------------------------------------------------------------------------------------------ */

/* Makes sure that a worker looks at the device's task queues. A device with a queue has a worker. */
void tw_wake_worker_locked(struct tw_device *device, bool soon)
{
    if (device->polls) {
        atomic_store_explicit(&device->wakes, atomic_load_explicit(&device->wakes, memory_order_relaxed) + 1,
                              memory_order_release);
        return;
    }
    if (device->lingering && !device->in_flight && !device->backend->has_own_threads
        && (!soon || !device->backend->exclusive || device->napping_shortly))
        return; /* the lingering worker looks soon enough, but not while tasks are in flight */
    if (device->idle_workers)
        pthread_cond_signal(&device->work);
    else
        device->start_worker_locked(device);
}

void tw_schedule_locked(struct tw_task *task)
{
    struct tw_task_queue *queue = task->command->queue;
    const bool copies = task->kind->moves_data;
    /* A waiting thread runs no host task but the one that it waits for: it may block until that thread goes on. */
    const bool is_copy = (copies && queue->device->backend->max_copies) || task->kind->may_block;
    if (task->exclusive && !queue->exclusive.first)
        queue->exclusive_since_ns = tw_held_ns();
    const bool was_empty = tw_task_queue_is_empty(queue);
    task->node.next = NULL;
    tw_append(is_copy ? &queue->copies : task->exclusive ? &queue->exclusive : &queue->light, &task->node);
    activate(queue);
    const bool takes_it = queue == tw_running_queue && was_empty; /* this thread looks for the next one itself */
    if (queue->helpers && !(takes_it && !tw_is_worker))
        tw_announce_locked(queue);
    if (copies && task->command == tw_awaited && !queue->device->backend->has_own_threads)
        tw_unwoken = queue->device; /* this thread waits for it, and runs it as soon as a worker would */
    else if (is_copy || (!queue->helpers && !takes_it))
        tw_wake_worker_locked(queue->device, !task->exclusive);
}

void tw_list_to_issue_locked(struct tw_stream *stream)
{
    if (stream->is_to_issue || stream->issuing || !stream->issue.first || stream->in_flight_count >= TW_STREAM_DEPTH)
        return;
    stream->is_to_issue = true;
    stream->next_to_issue = to_issue;
    to_issue = stream;
}

void tw_stream_add_locked(struct tw_task *task)
{
    struct tw_stream *stream = tw_stream_of(task);
    task->node.next = NULL;
    tw_append(&stream->issue, &task->node);
    tw_list_to_issue_locked(stream);
}

struct tw_stream *tw_next_to_issue_locked(void)
{
    struct tw_stream *stream = to_issue;
    if (stream) {
        to_issue = stream->next_to_issue;
        stream->is_to_issue = false;
    }
    return stream;
}

/* ---- threads take them ------------------------------------------------------------------------------------------- */

/* A function of its own: to find a thread-local variable takes as long as all the rest. */
static __attribute__((noinline)) bool is_thread_that_ends(void)
{
    return tw_ends_program;
}

bool tw_may_run_locked(void)
{
    return !tw_is_ending || is_thread_that_ends();
}

/* Returns true if the first parallel kernel of a task queue goes before that of another one: it has a higher priority, or
   it has been ready for longer. */
static bool goes_before(const struct tw_task_queue *queue, const struct tw_task_queue *other)
{
    return queue->priority != other->priority ? queue->priority > other->priority
                                              : queue->exclusive_since_ns < other->exclusive_since_ns;
}

/* Returns true if another task queue has a parallel kernel that goes first: one with a higher priority, or one that a
   waiting thread serves. That thread is told of every completion, and then takes its kernel. */
static bool is_others_turn(const struct tw_task_queue *queue)
{
    for (const struct tw_task_queue *other = queue->next; other != queue; other = other->next)
        if (other->exclusive.first && (other->helpers || other->priority > queue->priority)
            && goes_before(other, queue))
            return true;
    return false;
}

/* Returns a task queue of the same device whose parallel kernel is overdue, or has a higher priority, and that no waiting
   thread serves; NULL if there is none. A waiting thread runs that kernel before its own. */
struct tw_task_queue *tw_overdue_queue(const struct tw_task_queue *queue)
{
    if (queue->light.first || !queue->exclusive.first || queue->next == queue)
        return NULL;
    const uint64_t now = tw_held_ns();
    struct tw_task_queue *first = NULL;
    for (struct tw_task_queue *other = queue->next; other != queue; other = other->next)
        if (!other->helpers && other->exclusive.first && goes_before(other, first ? first : queue)
            && (other->priority > queue->priority || now - other->exclusive_since_ns >= GRACE_NS))
            first = other;
    return first;
}

struct tw_task *tw_take_from_queue(struct tw_task_queue *queue, bool worker)
{
    struct tw_device *device = queue->device;
    struct tw_task *task = NULL;
    if (queue->light.first) {
        task = tw_pop(&queue->light);
    } else if (queue->exclusive.first && !device->exclusive_running && !is_others_turn(queue)
               && (!worker || device->worker_is_warm || device->backend->has_own_threads
                   || tw_held_ns() - queue->exclusive_since_ns >= GRACE_NS)) {
        task = tw_pop(&queue->exclusive);
        queue->exclusive_since_ns = tw_held_ns();
        device->worker_is_warm = worker;
    }
    if (task && tw_task_queue_is_empty(queue))
        deactivate(queue);
    return task;
}

static struct tw_task *begin_copy(struct tw_task_queue *queue, struct tw_task *task)
{
    task->copying = true;
    ++queue->device->copying;
    if (tw_task_queue_is_empty(queue))
        deactivate(queue);
    return task;
}

/* Takes the first copy, if the device can run one more. Workers run copies, in their order: otherwise the last copy
   would delay a thread that waits for the first one's data, and all copies would delay each other. */
static struct tw_task *take_copy(struct tw_task_queue *queue)
{
    const unsigned most = queue->device->backend->max_copies; /* 0: there are only host tasks */
    const bool may = queue->copies.first && (!most || queue->device->copying < most);
    return may ? begin_copy(queue, tw_pop(&queue->copies)) : NULL;
}

/* Takes the copy that a waiting thread waits for, unless it runs already. At the end of the program, takes any copy. */
struct tw_task *tw_take_own_copy(struct tw_task_queue *queue, const struct tw_task *step)
{
    struct tw_node *before = NULL;
    for (struct tw_node *node = queue->copies.first; node; before = node, node = node->next) {
        if (node != &step->node)
            continue;
        *(before ? &before->next : &queue->copies.first) = node->next;
        if (queue->copies.last == node)
            queue->copies.last = before;
        node->next = NULL;
        return begin_copy(queue, (struct tw_task *)node);
    }
    return tw_is_ending ? take_copy(queue) : NULL;
}

/* Takes a task from the task queues with a priority, or from all of them, in turn; none but copies from those that a
   waiting thread serves. */
static struct tw_task *take_with_priority(struct tw_device *device, enum tw_priority priority, bool any)
{
    struct tw_task_queue *const start = device->active, *queue = start, *next;
    do {
        next = queue->next;
        struct tw_task *task = any || queue->priority == priority ? take_copy(queue) : NULL;
        if (!task && !queue->helpers && (any || queue->priority == priority))
            task = tw_take_from_queue(queue, true);
        if (task) {
            if (device->active)
                device->active = next != queue || queue->next ? next : device->active;
            return task;
        }
        queue = next;
    } while (queue != start);
    return NULL;
}

struct tw_task *tw_take_from_device(struct tw_device *device)
{
    struct tw_task *task = NULL;
    if (!device->active)
        return NULL;
    if (!device->has_priorities)
        return take_with_priority(device, TW_PRIORITY_NORMAL, true);
    for (int priority = TW_PRIORITY_HIGH; !task && priority >= TW_PRIORITY_LOW; --priority)
        task = take_with_priority(device, (enum tw_priority)priority, false);
    return task;
}
