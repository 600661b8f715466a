/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Events (spec 3.5.7): a moment in the life of a command group that a program can wait for. User events, at the end,
 * are completed by the program.
 *
 * A group has three: its start, when all that it depends on is complete and its data has arrived; its kernel's
 * completion; and its completion, data movement included. Events are counted references: each one that a function hands
 * out must be released. An event outlives its queue. All functions are thread safe; a NULL event is one that has
 * already happened.
 *
 * All data that a group moves is moved before its kernel runs. So a program learns of the completion of the kernel
 * and of the group at the same moment; when the two happened is told by the times.
 */
#ifndef TEAMWORK_EVENT_H
#define TEAMWORK_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include <teamwork/status.h>

TW_BEGIN_DECLS

typedef struct tw_event tw_event;

/** How far the moment is. */
typedef enum tw_event_state {
    TW_EVENT_PENDING = 0,  /**< waits for other commands */
    TW_EVENT_RUNNING = 1,  /**< the command group has started */
    TW_EVENT_COMPLETE = 2, /**< has happened */
    TW_EVENT_FAILED = 3    /**< the group failed or was cancelled, and is over */
} tw_event_state;

/**
 * The times of a group, in nanoseconds of the host's monotonic clock (CLOCK_MONOTONIC).
 *
 * A member is 0 if the group has not come to that point yet, or does not come to it: a group whose data is in place has
 * no transfers, a cancelled one no kernel. A group that was submitted without an event, and is known from a wait list
 * only, has no times. On a GPU kernels and transfers have times if the queue was profiling when the group was submitted
 * (tw_queue_set_profiling()).
 *
 * `start_ns` - `ready_ns` is how long the group waited for its device, `end_ns` - `start_ns` how long its kernel ran.
 * No time is before the one above it, but for `ready_ns`: transfers mostly end before that, since they wait for their
 * own data only. The kernels of a queue that depend on each other do not overlap. A group of a queue over several
 * devices has the first start and the last end of all its parts: there transfers may end after the first kernel has
 * begun.
 *
 * On the host, the x86-64 device and simulated devices the thread that runs a kernel or a transfer reads the clock
 * before and after it. On a GPU the device's clock is read, for kernels that the CUDA driver launches and for transfers
 * between GPUs. A length is exact to about a microsecond; for a kernel with nothing before it in the queue, it includes
 * the microseconds of the launch. The error against the host's clock is some microseconds. Other kernels and transfers
 * of a GPU are measured by the host's clock, from the call that starts them until it returns.
 */
typedef struct tw_event_times {
    /** The group was submitted (OpenCL: QUEUED). */
    uint64_t submit_ns;
    /** All that it depends on was complete, or before it in the order that the device itself keeps (OpenCL: SUBMIT). */
    uint64_t ready_ns;
    /** The first of its transfers began. */
    uint64_t transfer_start_ns;
    /** The last of its transfers had arrived. */
    uint64_t transfer_end_ns;
    /** Its kernel, copy or fill, or the first one of a command graph, began to run (OpenCL: START). */
    uint64_t start_ns;
    /** Its kernel, copy or fill, or the last one of a command graph, was over (OpenCL: END). */
    uint64_t end_ns;
    /** The library found the group complete: later than `end_ns`, where a device goes on by itself (OpenCL: COMPLETE). */
    uint64_t complete_ns;
} tw_event_times;

/** @return the start of the group of `event` (spec 3.5.6): a new reference, to be released; NULL for NULL */
TW_API tw_event *tw_event_of_start(const tw_event *event);
/** @return the completion of the kernel of the group of `event`: a new reference; NULL for NULL */
TW_API tw_event *tw_event_of_kernel(const tw_event *event);
/** @return the completion of the group of `event`: a new reference; NULL for NULL */
TW_API tw_event *tw_event_of_completion(const tw_event *event);

/** Adds a reference.
 *  @return the event; NULL for NULL */
TW_API tw_event *tw_event_retain(tw_event *event);
/** Drops a reference and sets *event to NULL. NULL is allowed. */
TW_API void tw_event_release(tw_event **event);

/**
 * Waits for the event. Does not call handlers.
 *
 * @return the status of the group if it failed or was cancelled, with its message as tw_error_detail(); the error stays
 *         with its queue until it is delivered there
 *         TW_ERROR_WOULD_DEADLOCK         the group waits for a host accessor that this thread holds
 *         TW_ERROR_INVALID_COMMAND_GROUP  the group was recorded, for a command graph (command_graph.h)
 */
TW_API tw_status tw_event_wait(tw_event *event);

/**
 * Waits for each of `count` events.
 *
 * @return the first failure of tw_event_wait(), in the order of the array
 *         TW_ERROR_INVALID_ARGUMENT  the array is NULL, and count is not 0
 */
TW_API tw_status tw_event_wait_all(tw_event *const *events, size_t count);

/**
 * Waits as tw_event_wait(). Before it returns, it delivers all undelivered errors of these queues to their handlers, if
 * they have one, on this thread (spec 3.5.7, table 3.17):
 *
 * - the queues of the groups in the event's wait list (tw_event_get_wait_list()) when the call begins;
 * - if the group failed or was cancelled, every queue with an undelivered error of the same first cause: that where the
 *   cause is, and those of other groups that it cancelled;
 * - the event's own queue, at last.
 *
 * A handler can tell by tw_error's `queue` which one it is called for. The errors of queues without a handler stay with
 * them; so do those of the first kind if memory is exhausted.
 *
 * @return the status of the group if it failed or was cancelled, with its message as tw_error_detail()
 *         TW_ERROR_WOULD_DEADLOCK  the group waits for a host accessor that this thread holds; nothing is delivered
 *         TW_ERROR_INVALID_COMMAND_GROUP  as for tw_event_wait()
 */
TW_API tw_status tw_event_wait_and_throw(tw_event *event);

/**
 * Calls tw_event_wait_and_throw() for each of `count` events.
 *
 * @return the first failure, in the order of the array
 *         TW_ERROR_INVALID_ARGUMENT  the array is NULL, and count is not 0
 */
TW_API tw_status tw_event_wait_and_throw_all(tw_event *const *events, size_t count);

/** @return where the event stands now; TW_EVENT_COMPLETE for NULL */
TW_API tw_event_state tw_event_get_state(const tw_event *event);

/** Asks for the group's outcome.
 *  @return the status with which it failed or was cancelled; TW_SUCCESS before that, and for NULL */
TW_API tw_status tw_event_get_status(const tw_event *event);

/**
 * The times of the event's group so far, whichever of its events is given; all 0 for NULL.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  times is NULL
 */
TW_API tw_status tw_event_get_times(const tw_event *event, tw_event_times *times);

/**
 * Lists the completion events of the groups that this one still waits for: its direct dependencies that are not
 * complete.
 *
 * @param events  receives up to `capacity` new references, each to be released; may be NULL if capacity is 0
 * @param count   receives how many there are, which may be more than `capacity`
 * @return TW_ERROR_INVALID_ARGUMENT  count is NULL, or events is NULL with a capacity; TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_event_get_wait_list(const tw_event *event, tw_event **events, size_t capacity, size_t *count);

/* ---- user events ------------------------------------------------------------------------------------------------- */

/**
 * Creates an event that the program completes (OpenCL's user events; an extension of SYCL 1.2): for what happens
 * outside of the library, as the arrival of a message or the end of a thread. Groups depend on it (tw_depends_on()),
 * before or after its completion, and all functions of events take it. It has no kernel; of its times `submit_ns` is
 * that of its creation and `complete_ns` that of its completion.
 *
 *     tw_event *arrived;
 *     status = tw_event_create_user(&arrived);
 *     tw_depends_on(cg, arrived);             a group that is submitted now, and runs when the message is there
 *     ...
 *     status = tw_event_complete(arrived, TW_SUCCESS);
 *     tw_event_release(&arrived);
 *
 * It must be completed: what depends on it waits, and so do waits for that and the destruction of its queue; while the
 * event is not complete, tw_shutdown() says so with TW_ERROR_BUSY. If its last reference is released before that,
 * nobody can complete it any more: what depends on it is cancelled.
 *
 * @param event  receives the event, to be released with tw_event_release()
 * @return TW_ERROR_INVALID_ARGUMENT       event is NULL
 *         TW_ERROR_INVALID_CONFIGURATION  a TW_ variable of the environment has a value that it cannot have
 *         TW_ERROR_UNSUPPORTED            the program is linked with another OpenMP library in front of LLVM's
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_event_create_user(tw_event **event);

/**
 * Completes a user event, from any thread. What waits for it goes on.
 *
 * @param status  TW_SUCCESS; or an error, which cancels the groups that depend on the event, and is what waits for the
 *                event return
 * @return TW_ERROR_INVALID_ARGUMENT  event is NULL, no user event, or complete already, or `status` is no status
 */
TW_API tw_status tw_event_complete(tw_event *event, tw_status status);

TW_END_DECLS

#endif
