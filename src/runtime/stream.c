/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams: kernels and copies that devices run in order, without the host between them.
 *
 * A kernel is issued when each of its predecessors is finished, or in flight in the same ordering domain. It is then
 * enqueued on a stream of its task queue, and the device orders it after the others. So a dependent kernel costs an
 * enqueue and not a round trip. The thread that makes a kernel ready issues it, in most cases the submitting thread. A
 * copy between two devices of the domain is issued likewise, on a second stream of its task queue, so that copies and
 * kernels overlap.
 *
 * An issued task is in flight until it is retired: a thread finds that it is over, and finishes it in the graph, in the
 * order of the stream and after all its predecessors. Waiting threads poll for what they wait for. Workers retire the
 * rest.
 *
 * A task with an ordering domain may fail to be issued, or be cancelled. Predecessors may still be in flight then, so
 * it takes its place in the stream and is finished in its turn.
 */
#define _GNU_SOURCE
#include "stream.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/detail.h"
#include "base/lock.h"
#include "complete.h"
#include "observe.h"
#include "order.h"
#include "poller.h"
#include "ready.h"

#define TIDY_EVERY 32u     /* a submitting thread retires tasks at multiples of this number in flight */
#define BUSY_NS 20000u     /* a thread polls for this time without a break, ... */
#define POLITE_NS 5000000u /* ... then yields between polls, and after this time ... */
#define POLL_NAP_NS 20000u /* ... sleeps between polls for this time */

static const struct tw_backend_async *async_of(const struct tw_stream *stream)
{
    return stream->queue->device->backend->backend->async;
}

/* Adds a task to those in flight. */
static void add_in_flight_locked(struct tw_stream *stream, struct tw_task *task)
{
    struct tw_device *device = stream->queue->device;
    task->in_flight = true;
    tw_append(&stream->in_flight, &task->node);
    if (++stream->in_flight_count > 1)
        return;
    ++device->streams_in_flight;
    if (device->in_flight) {
        stream->next_in_flight = device->in_flight;
        stream->previous_in_flight = device->in_flight->previous_in_flight;
        stream->previous_in_flight->next_in_flight = stream->next_in_flight->previous_in_flight = stream;
        return;
    }
    if (!device->lingering)
        tw_wake_worker_locked(device, false);
    device->in_flight = stream->next_in_flight = stream->previous_in_flight = stream;
}

/* Returns the list of the backend's idle streams that serve a stream. */
static struct tw_backend_stream **idle_handles(const struct tw_stream *stream)
{
    return &stream->queue->device->idle_handles[stream->queue->priority][stream->kind];
}

/* Removes the first task in flight from its stream. The last one returns the backend's stream to the idle ones. */
static void retire_locked(struct tw_stream *stream)
{
    struct tw_device *device = stream->queue->device;
    tw_pop(&stream->in_flight)->in_flight = false;
    if (--stream->in_flight_count)
        return;
    --device->streams_in_flight;
    if (stream->next_in_flight == stream) {
        device->in_flight = NULL;
    } else {
        if (device->in_flight == stream)
            device->in_flight = stream->next_in_flight;
        stream->next_in_flight->previous_in_flight = stream->previous_in_flight;
        stream->previous_in_flight->next_in_flight = stream->next_in_flight;
    }
    stream->next_in_flight = stream->previous_in_flight = NULL;
    if (stream->handle && !stream->issuing) {
        struct tw_backend_stream **idle = idle_handles(stream);
        stream->handle->next = *idle;
        *idle = stream->handle;
        stream->handle = NULL;
    }
}

/* ---- issuing ----------------------------------------------------------------------------------------------------- */

/* Adds the event of a node's task if it is in flight on another stream: one for each stream. Returns the new count. */
static size_t add_event(struct tw_backend_event *events, size_t count, const struct tw_node *node,
                        const struct tw_stream *stream)
{
    const struct tw_task *task = (const struct tw_task *)node;
    if (!node || !node->issued || tw_stream_of(task) == stream)
        return count;
    const struct tw_backend_event event = {tw_stream_of(task)->handle, task->sequence};
    for (size_t i = 0; i < count; ++i)
        if (events[i].stream == event.stream) {
            events[i].sequence = events[i].sequence > event.sequence ? events[i].sequence : event.sequence;
            return count;
        }
    events[count] = event;
    return count + 1;
}

/* Enqueues what a task does. Called without the lock. */
static inline tw_status enqueue(const struct tw_backend_async *async, struct tw_backend_stream *handle,
                                struct tw_task *task)
{
    tw_observe_enqueue(async, handle, task);
    const tw_status status = task->kind->enqueue(async, handle, task);
    if (status == TW_SUCCESS)
        tw_observe_enqueued(task);
    return status;
}

/* Enqueues a task on the backend's stream, after its predecessors in flight. Releases the lock meanwhile. */
static tw_status enqueue_locked(struct tw_stream *stream, struct tw_task *task)
{
    const struct tw_backend_async *async = async_of(stream);
    struct tw_device *device = stream->queue->device;
    struct tw_backend_event events[TW_ORDER_EVENTS];
    struct tw_orders orders;
    tw_status status = TW_SUCCESS;
    orders.count = 0;
    struct tw_backend_stream **idle = idle_handles(stream);
    if (!stream->handle && *idle) {
        stream->handle = *idle;
        *idle = stream->handle->next;
    }
    struct tw_backend_stream *handle = stream->handle;
    size_t at = 0;
    do {
        size_t count = 0;
        while (at < task->node.in_count && count < TW_ORDER_EVENTS)
            count = add_event(events, count, task->node.in[at++].from, stream);
        if (handle && count)
            count = tw_order_reduce_locked(handle, events, count, &orders);
        tw_unlock();
        tw_detail_of_task(true);
        if (!handle)
            status = async->open(device->backend, stream->queue->priority, &handle);
        if (status == TW_SUCCESS && count)
            status = async->wait(handle, events, count);
        if (status == TW_SUCCESS && at == task->node.in_count)
            status = enqueue(async, handle, task);
        tw_detail_of_task(false);
        tw_lock();
    } while (status == TW_SUCCESS && at < task->node.in_count);
    stream->handle = handle;
    if (status == TW_SUCCESS && orders.count)
        tw_order_note_locked(handle, task->sequence, &orders);
    return status;
}

/* Makes the failure of a task. A stream reports a failed copy as a failed launch: here it becomes a failed transfer. */
static struct tw_failure *failure_locked(const struct tw_task *task, tw_status status)
{
    if (task->kind->moves_data && status == TW_ERROR_LAUNCH_FAILED)
        status = TW_ERROR_TRANSFER_FAILED;
    return tw_command_failure_locked(task->command, status);
}

/* Lets the host see soon that an issued task is over, since another task waits for that without the stream. */
static void announce_locked(const struct tw_task *task)
{
    const struct tw_stream *stream = tw_stream_of(task);
    if (async_of(stream)->announce && stream->handle)
        async_of(stream)->announce(stream->handle, task->sequence);
}

void tw_stream_announce_before_locked(const struct tw_node *node)
{
    for (size_t i = 0; i < node->in_count; ++i)
        if (node->in[i].from && node->in[i].from->issued && node->in[i].from->domain != node->domain)
            announce_locked((const struct tw_task *)node->in[i].from);
}

/* Returns true if another task waits for this one on the host. */
static bool host_waits(const struct tw_node *node)
{
    for (const struct tw_edge *edge = node->out; edge; edge = edge->next)
        if (edge->to->domain != node->domain)
            return true;
    return false;
}

/* Issues a task. Returns false if that fails or it is cancelled: it then only takes its place among those in flight. */
static bool issue_task_locked(struct tw_stream *stream, struct tw_task *task)
{
    const bool cancelled = task->node.cancel_cause != NULL;
    const tw_status status = cancelled ? TW_SUCCESS : enqueue_locked(stream, task);
    if (status != TW_SUCCESS)
        task->failure = failure_locked(task, status);
    add_in_flight_locked(stream, task);
    if (cancelled || status != TW_SUCCESS)
        return false;
    if (host_waits(&task->node))
        announce_locked(task);
    tw_make_ready_locked(tw_graph_issue(&task->node));
    return true;
}

static bool retire_completed_locked(struct tw_stream *stream);

static void issue_stream_locked(struct tw_stream *stream)
{
    struct tw_task_queue *queue = stream->queue;
    bool issued = true;
    tw_task_queue_retain(queue);
    stream->issuing = true;
    while (issued && stream->issue.first && stream->in_flight_count < TW_STREAM_DEPTH && tw_may_run_locked())
        issued = issue_task_locked(stream, tw_pop(&stream->issue));
    stream->issuing = false;
    tw_note_start_locked(queue);
    tw_announce_locked(queue); /* sleeping threads poll now */
    if (!issued)
        (void)retire_completed_locked(stream); /* retires it at once, if nothing is before it */
    tw_list_to_issue_locked(stream);
    tw_task_queue_release_locked(queue);
}

/* Does what tw_issue_locked() does, from a stream on that was taken. */
static __attribute__((noinline)) void issue_from_locked(struct tw_stream *stream)
{
    TW_DEFER_CANCELLATION;
    for (; stream; stream = tw_may_run_locked() ? tw_next_to_issue_locked() : NULL)
        if (!stream->issuing && stream->issue.first)
            issue_stream_locked(stream);
}

void tw_issue_locked(void)
{
    struct tw_stream *stream = tw_may_run_locked() ? tw_next_to_issue_locked() : NULL;
    if (stream) /* on devices without streams there is never any */
        issue_from_locked(stream);
}

/* ---- retiring ---------------------------------------------------------------------------------------------------- */

void tw_note_start_locked(struct tw_task_queue *queue)
{
    const struct tw_task *first = (const struct tw_task *)queue->streams[TW_STREAM_KERNELS].in_flight.first;
    if (first && first->node.issued && !first->command->started && !tw_graph_before(&first->node))
        tw_command_start_locked(first->command);
}

/* Returns the outcome of a completed task of a stream. */
static tw_status outcome(const struct tw_backend_async *async, struct tw_backend_stream *handle,
                         const struct tw_task *task)
{
    tw_detail_of_task(true);
    const tw_status status = async->outcome(handle, task->sequence);
    tw_detail_of_task(false);
    return status;
}

/* Retires completed tasks from the beginning of a stream, up to one that must wait for other streams. */
static bool retire_tasks_locked(struct tw_stream *stream)
{
    const struct tw_backend_async *async = async_of(stream);
    uint64_t completed = 0;
    bool progress = false;
    struct tw_task *task;
    while ((task = (struct tw_task *)stream->in_flight.first) && !tw_graph_before(&task->node)) {
        tw_status status = TW_SUCCESS;
        tw_note_start_locked(stream->queue);
        if (task->node.issued) {
            struct tw_backend_stream *handle = stream->handle;
            if (task->sequence > completed) {
                tw_unlock();
                completed = async->completed(handle, task->sequence);
                tw_lock();
            }
            if (task->sequence > completed)
                break;
            tw_observe_retire_locked(async, handle, task);
            status = outcome(async, handle, task);
            if (status == TW_SUCCESS && tw_is_copy(task))
                ((struct tw_copy_task *)task)->copied = true;
        }
        if (status != TW_SUCCESS && !task->node.cancel_cause)
            task->failure = failure_locked(task, status);
        /* a predecessor may have failed, too: that is the cause then */
        const bool cancelled = task->node.cancel_cause != NULL;
        progress = true;
        retire_locked(stream);
        tw_task_finish_locked(task, cancelled ? tw_cancel_cause_of(task) : task->failure, cancelled);
    }
    return progress;
}

/* Does the same unless another thread does. Returns true if any task was retired: then call tw_issue_locked(). */
static bool retire_completed_locked(struct tw_stream *stream)
{
    if (stream->retiring || !stream->in_flight.first)
        return false;
    struct tw_task_queue *queue = stream->queue;
    struct tw_device *device = queue->device;
    tw_task_queue_retain(queue);
    stream->retiring = true;
    const bool progress = retire_tasks_locked(stream);
    stream->retiring = false;
    struct tw_stream *other = device->in_flight;
    for (unsigned i = 0; progress && i < device->streams_in_flight; ++i, other = other->next_in_flight)
        tw_note_start_locked(other->queue);
    tw_list_to_issue_locked(stream); /* there may be room again */
    tw_task_queue_release_locked(queue);
    return progress;
}

/* Returns the task in flight that must be over first, before `task` can be finished. That may wait for one that is in
   flight no more: a copy that has failed is tried again by a thread (salvage.h). Sets `*last` to the last task of the same
   stream that is known to have to be over. */
static struct tw_task *first_before(struct tw_task *task, struct tw_task **last)
{
    for (;;) {
        struct tw_node *first = tw_stream_of(task)->in_flight.first;
        struct tw_node *before = tw_graph_before(first);
        *last = task;
        if (!before || !((const struct tw_task *)before)->in_flight)
            return (struct tw_task *)first;
        task = (struct tw_task *)before;
    }
}

/* Returns the stream of that task, for the first task of a stream. */
static struct tw_stream *stream_before(const struct tw_stream *stream)
{
    struct tw_task *last;
    return tw_stream_of(first_before((struct tw_task *)stream->in_flight.first, &last));
}

void tw_stream_tidy_locked(struct tw_task_queue *queue)
{
    const struct tw_stream *stream = &queue->streams[TW_STREAM_KERNELS];
    bool progress = false;
    if (stream->in_flight_count < TIDY_EVERY || stream->in_flight_count % TIDY_EVERY)
        return;
    TW_DEFER_CANCELLATION;
    /* where streams wait for each other, each can retire only a task or two at a time */
    for (unsigned left = TIDY_EVERY; left && stream->in_flight.first && retire_completed_locked(stream_before(stream));
         --left) {
        progress = true;
        if (!stream->in_flight.first || !tw_graph_before(stream->in_flight.first))
            break;
    }
    if (progress)
        tw_issue_locked();
}

bool tw_retire_device_locked(struct tw_device *device)
{
    for (unsigned left = device->streams_in_flight; left && device->in_flight; --left) {
        const struct tw_stream *stream = device->in_flight;
        device->in_flight = stream->next_in_flight;
        if (retire_completed_locked(stream_before(stream))) {
            tw_issue_locked();
            return true;
        }
    }
    return false;
}

/* Polls until a sequence number of a stream is completed. Called without the lock. */
static void poll(const struct tw_backend_async *async, struct tw_backend_stream *handle, uint64_t sequence)
{
    const uint64_t start = tw_now_ns();
    while (async->completed(handle, sequence) < sequence) {
        const uint64_t passed = tw_now_ns() - start;
        if (passed >= POLITE_NS)
            nanosleep(&(struct timespec){.tv_nsec = POLL_NAP_NS}, NULL);
        else if (passed >= BUSY_NS)
            sched_yield();
    }
}

/* Retires completed tasks of the stream of `first`. If there are none, polls until `first` is completed. */
static void look_locked(const struct tw_task *first)
{
    struct tw_stream *stream = tw_stream_of(first);
    tw_running_queue = stream->queue;
    const bool progress = retire_completed_locked(stream);
    tw_running_queue = NULL;
    if (progress) {
        tw_issue_locked();
    } else if (first->in_flight) {
        struct tw_backend_stream *handle = first->node.issued ? stream->handle : NULL;
        const uint64_t sequence = first->sequence;
        tw_unlock();
        if (handle)
            poll(async_of(stream), handle, sequence);
        else
            sched_yield(); /* another thread is about to finish it */
        tw_lock();
    }
}

void tw_stream_wait_locked(struct tw_poller *poller, struct tw_task *task, struct tw_task *target)
{
    struct tw_task *last;
    struct tw_task *first = first_before(task, &last);
    struct tw_stream *stream = tw_stream_of(first);
    if (poller->stream != stream)
        tw_poller_leave_locked(poller);
    if (stream->poller && !poller->stream) {
        if (tw_stream_of(target) != stream)
            target = last;
        struct tw_command *command = target->command;
        atomic_fetch_add(&command->references, 1); /* keeps the task queue, and the task */
        tw_poller_sleep_locked(poller, target);
        tw_command_release_locked(command);
        return;
    }
    if (!poller->stream) {
        poller->stream = stream;
        poller->queue = stream->queue;
        tw_task_queue_retain(stream->queue);
        stream->poller = poller;
    }
    struct tw_command *command = first->command;
    atomic_fetch_add(&command->references, 1); /* keeps the task */
    look_locked(first);
    tw_command_release_locked(command);
}

void tw_close_streams_locked(struct tw_device *device)
{
    for (unsigned i = 0; i < TW_PRIORITIES * TW_STREAM_COUNT; ++i) {
        struct tw_backend_stream **idle = &device->idle_handles[i / TW_STREAM_COUNT][i % TW_STREAM_COUNT];
        while (*idle) {
            struct tw_backend_stream *handle = *idle;
            *idle = handle->next;
            tw_unlock();
            device->backend->backend->async->close(handle);
            tw_lock();
        }
    }
}
