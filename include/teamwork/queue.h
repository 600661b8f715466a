/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Queues (spec 3.5.5): where command groups are submitted, each tied to one device.
 *
 * Submission is asynchronous. Groups are ordered by the accessors, across all queues, devices and host threads; groups
 * without an access in common may run in any order and at the same time, unless one depends on the other's event
 * (tw_depends_on()) or their queue keeps the order (TW_QUEUE_IN_ORDER).
 *
 * Errors of commands are kept with the queue until they are delivered, each once: to the queue's own handler if it has
 * one, else to its context's, by tw_queue_wait_and_throw(), tw_queue_throw_asynchronous(), tw_event_wait_and_throw() or
 * destruction. Without a handler nothing is lost either: the next wait returns the first undelivered status. A queue
 * keeps 65536 undelivered errors, and of further ones their number, which a last error, TW_ERROR_OUT_OF_MEMORY,
 * reports.
 *
 * All functions are thread safe. A thread that waits may run commands of the queue itself.
 *
 * A program may submit faster than a device works. To limit the memory that this takes, a submission to a queue with
 * TW_QUEUE_DEPTH unfinished groups first waits, as tw_queue_wait() does, until there are fewer. It does not wait for
 * the program itself: while the oldest unfinished group waits for a host accessor, of any thread, or for a user event,
 * submissions return at once and the queue grows. A kernel on the host that waits for something that the submitting
 * thread does later must not rely on a longer queue.
 */
#ifndef TEAMWORK_QUEUE_H
#define TEAMWORK_QUEUE_H

#include <teamwork/device.h>
#include <teamwork/event.h>

TW_BEGIN_DECLS

typedef struct tw_queue tw_queue;

/** So many unfinished groups a queue has before a submission waits; a command graph counts as one. */
#define TW_QUEUE_DEPTH 65536u

/**
 * Creates a queue on the device that a selector chooses. The first queue starts what the device needs, among it a
 * thread that runs commands while nobody waits for them.
 *
 * @param selector  NULL stands for tw_default_selector
 * @param selector_user  handed to the selector
 * @param handler   receives this queue's asynchronous errors; may be NULL
 * @param handler_user  handed to the handler
 * @param queue     receives the queue; destroy it with tw_queue_destroy()
 * @return TW_ERROR_INVALID_ARGUMENT       queue is NULL
 *         TW_ERROR_NO_DEVICE              every score was negative; the detail lists the devices that were looked at
 *         TW_ERROR_INVALID_CONFIGURATION  a TW_ variable of the environment has a value that it cannot have
 *         TW_ERROR_UNSUPPORTED            the program is linked with another OpenMP library in front of LLVM's
 *         TW_ERROR_OUT_OF_MEMORY          also when the thread cannot be started
 */
TW_API tw_status tw_queue_create(tw_device_selector selector, void *selector_user, tw_error_handler handler,
                                 void *handler_user, tw_queue **queue);

/**
 * Creates a queue on `device`. Handler and queue as for tw_queue_create().
 *
 * @return TW_ERROR_INVALID_ARGUMENT       queue is NULL, or the device is NULL or from before tw_shutdown()
 *         TW_ERROR_INVALID_CONFIGURATION  a TW_ variable of the environment has a value that it cannot have
 *         TW_ERROR_UNSUPPORTED            the program is linked with another OpenMP library in front of LLVM's
 *         TW_ERROR_OUT_OF_MEMORY          also when the thread cannot be started
 */
TW_API tw_status tw_queue_create_on_device(tw_device *device, tw_error_handler handler, void *handler_user,
                                           tw_queue **queue);

/**
 * Creates a queue on a device of `context`, which it keeps alive. Without a handler of its own the queue's errors go to
 * the context's.
 *
 * @param device  a device of the context, or NULL for its first
 * @return TW_ERROR_INVALID_ARGUMENT  context or queue is NULL, or the device is not one of the context's
 *         TW_ERROR_OUT_OF_MEMORY     also when the device's thread cannot be started
 */
TW_API tw_status tw_queue_create_in_context(tw_context *context, tw_device *device, tw_error_handler handler,
                                            void *handler_user, tw_queue **queue);

/**
 * Creates a queue on the device of `context` that a selector chooses among the context's devices, sub-devices among
 * them. Other parameters as for tw_queue_create_with_properties().
 *
 * @param selector  asked once for each device of the context, on this thread with no lock held; NULL stands for
 *                  tw_default_selector
 * @return TW_ERROR_NO_DEVICE         every score was negative
 *         TW_ERROR_INVALID_ARGUMENT  context or queue is NULL, a property is unknown, or there are two priorities
 *         TW_ERROR_OUT_OF_MEMORY     also when the device's thread cannot be started
 */
TW_API tw_status tw_queue_create_in_context_by_selector(tw_context *context, tw_device_selector selector,
                                                        void *selector_user, unsigned properties,
                                                        tw_error_handler handler, void *handler_user, tw_queue **queue);

/** Properties of a queue: bits of a set, fixed when it is created. */
typedef enum tw_queue_property {
    /**
     * The groups of the queue run in the order of their submission: each one's kernel starts after the one before is
     * complete, whatever they access. So they need no accessors for their order, as in a CUDA stream. Accessors hold as
     * well, and order them with groups of other queues; transfers for a group follow its accessors alone and may run
     * ahead. The order costs a device with streams nothing on the host. A group that fails does not cancel the next one
     * unless that needs its data, or depends on its event.
     */
    TW_QUEUE_IN_ORDER = 1,
    /** As tw_queue_set_profiling(), from the beginning. */
    TW_QUEUE_PROFILING = 2,
    /**
     * What is ready on the same device of queues with a higher priority goes first. It is a hint: it neither stops what
     * runs nor changes the order that accesses and events give. On NVIDIA GPUs the queue's kernels and copies are on
     * CUDA streams of the lowest or highest priority; the lowest is usually the normal one. On the host, its sub-devices
     * and other devices without streams, the library takes ready groups in this order; low ones may then wait as long as
     * there are others. Asynchronous simulated devices ignore it. At most one of the two.
     */
    TW_QUEUE_PRIORITY_LOW = 4,
    TW_QUEUE_PRIORITY_HIGH = 8 /**< see TW_QUEUE_PRIORITY_LOW */
} tw_queue_property;

/**
 * Creates a queue with properties. An extension of SYCL 1.2, as in SYCL 2020. Handler and queue as for
 * tw_queue_create().
 *
 * @param context     keeps it alive, as tw_queue_create_in_context(); NULL for none
 * @param device      of the context, if there is one; NULL for its first, or without a context for what
 *                    tw_default_selector() chooses
 * @param properties  a set of tw_queue_property; 0 for none
 * @return TW_ERROR_INVALID_ARGUMENT       queue is NULL, a property is unknown, there are two priorities, or the device
 *                                         is not one of the context's, or without a context from before tw_shutdown()
 *         TW_ERROR_NO_DEVICE              without a context and a device: there is none to choose
 *         TW_ERROR_INVALID_CONFIGURATION  a TW_ variable of the environment has a value that it cannot have
 *         TW_ERROR_UNSUPPORTED            the program is linked with another OpenMP library in front of LLVM's
 *         TW_ERROR_OUT_OF_MEMORY          also when the thread cannot be started
 */
TW_API tw_status tw_queue_create_with_properties(tw_context *context, tw_device *device, unsigned properties,
                                                 tw_error_handler handler, void *handler_user, tw_queue **queue);

/**
 * Creates a queue over several devices, of any kinds, the host among them. An extension; docs/multi_device.md tells
 * what becomes of each kind of group.
 *
 *     status = tw_queue_create_over(devices, count, 0, NULL, NULL, &queue);                    these devices
 *     status = tw_queue_create_over_selected(tw_gpu_selector, NULL, 0, NULL, NULL, &queue);    all GPUs
 *
 * Each launch of a kernel is divided: every device runs a box of the work-items. Range mappers (range_mapper.h) say
 * what part of a buffer a box accesses, and the library keeps the contents where they are accessed. The kernel sees the
 * whole launch: its ids, ranges and numbers of groups are those of a queue of one device. Submission, order, events,
 * waits, errors, and command graphs are those of a queue: what is submitted is one group, which is complete when all
 * its parts are. With one device it is a queue on that device.
 *
 * A single task, and other steps than kernels, run on the first device. A launch of no work-items runs nowhere.
 *
 * @param devices     1 to 64, all different
 * @param properties  a set of tw_queue_property; 0 for none
 * @return TW_ERROR_INVALID_ARGUMENT       queue is NULL; no devices, more than 64, one of them twice, NULL, or from before
 *                                         tw_shutdown(); a property is unknown, or there are two priorities
 *         TW_ERROR_INVALID_CONFIGURATION  a TW_ variable of the environment has a value that it cannot have
 *         TW_ERROR_UNSUPPORTED            the program is linked with another OpenMP library in front of LLVM's
 *         TW_ERROR_OUT_OF_MEMORY          also when a device's thread cannot be started
 */
TW_API tw_status tw_queue_create_over(tw_device *const *devices, size_t count, unsigned properties,
                                      tw_error_handler handler, void *handler_user, tw_queue **queue);

/**
 * The same over all visible devices to which a selector gives a score from 0 on, at most the first 64. NULL takes all,
 * but beside the host no OpenMP device that is the host's cores (TW_DEVICE_CPU); tw_gpu_selector takes all GPUs.
 * TW_DEVICES chooses among them, as TW_DEVICES=gpu,host.
 *
 * @param selector  asked once for each device, on this thread with no lock held; it may throw a C++ exception
 * @return TW_ERROR_NO_DEVICE  no device is visible, or every score was negative; and as tw_queue_create_over()
 */
TW_API tw_status tw_queue_create_over_selected(tw_device_selector selector, void *selector_user, unsigned properties,
                                               tw_error_handler handler, void *handler_user, tw_queue **queue);

/** @return the number of devices of the queue; 0 for NULL */
TW_API size_t tw_queue_device_count(const tw_queue *queue);

/** @return device `index` of the queue, in the order of its creation; NULL if there is none */
TW_API tw_device *tw_queue_device_at(const tw_queue *queue, size_t index);

/**
 * Fixes how launches are divided: device i gets shares[i] of the sum of all. So the same launch is divided alike in
 * each run. The call applies to launches that are submitted later.
 *
 * @param shares  as many as there are devices, numbers from 0 on and not all 0; NULL: the library divides as it finds best
 * @return TW_ERROR_INVALID_ARGUMENT  queue is NULL, or a share is no such number
 */
TW_API tw_status tw_queue_set_division(tw_queue *queue, const double *shares);

/**
 * Stores how the queue divides launches at the moment: the share of each device of the whole. Kernels that one device
 * runs alone do not count. A device that has failed keeps its share, which other devices run.
 *
 * @param shares  room for tw_queue_device_count() numbers, whose sum is 1
 * @return TW_ERROR_INVALID_ARGUMENT  queue or shares is NULL
 */
TW_API tw_status tw_queue_get_division(const tw_queue *queue, double *shares);

/** @return whether the queue runs its groups in the order of their submission; false for NULL */
TW_API bool tw_queue_is_in_order(const tw_queue *queue);

/** @return the device of the queue, of several the first; NULL for NULL */
TW_API tw_device *tw_queue_device(const tw_queue *queue);

/**
 * A queue that was created without a context has one of its own, made by the first of these calls: of the queue's
 * device, or of several those of the first one's platform, with the queue's handler.
 *
 * @return the context of the queue (spec 3.5.5), borrowed: it lives as long as the queue, or longer by
 *         tw_context_retain(). NULL for NULL, or if there is no memory for it
 */
TW_API tw_context *tw_queue_context(const tw_queue *queue);

/** Adds a reference: another handle to the same queue, which needs a tw_queue_destroy() of its own.
 *  @return the queue; NULL for NULL */
TW_API tw_queue *tw_queue_retain(tw_queue *queue);

/** What tw_queue_info() can be asked: X(name, C type of the answer). */
#define TW_QUEUE_INFO_LIST(X)                                                                                          \
    X(TW_QUEUE_INFO_CONTEXT, tw_context *)   /* as tw_queue_context() */                                               \
    X(TW_QUEUE_INFO_DEVICE, tw_device *)     /* as tw_queue_device() */                                                \
    X(TW_QUEUE_INFO_PROPERTIES, unsigned)    /* a set of tw_queue_property, as they are now */                         \
    X(TW_QUEUE_INFO_REFERENCE_COUNT, size_t) /* handles; other threads may change it */

#define TW_INTERNAL_ENUMERATOR(name, type) name,
typedef enum tw_queue_info_id { TW_QUEUE_INFO_LIST(TW_INTERNAL_ENUMERATOR) TW_QUEUE_INFO_COUNT } tw_queue_info_id;
#undef TW_INTERNAL_ENUMERATOR

/**
 * Answers one question about a queue (spec 3.5.5), as tw_device_info() does about a device.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  queue or value is NULL, the question is unknown, or `bytes` is another size
 *         TW_ERROR_OUT_OF_MEMORY     for TW_QUEUE_INFO_CONTEXT
 */
TW_API tw_status tw_queue_info(const tw_queue *queue, tw_queue_info_id question, void *value, size_t bytes);

/** @return whether the queue runs its commands on the host device; false for NULL */
TW_API bool tw_queue_is_host(const tw_queue *queue);

/**
 * Says whether the device's clock is to be read for groups that are submitted with an event from now on (event.h). A
 * new queue does not profile: on a GPU, launching a kernel that is measured takes about twice the time. Groups
 * without an event are never measured. On other devices times cost nearly nothing and are there in any case, so this
 * changes nothing. Any thread may call it at any time.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  queue is NULL
 */
TW_API tw_status tw_queue_set_profiling(tw_queue *queue, bool profiling);

/** @return whether the queue profiles; false for NULL */
TW_API bool tw_queue_is_profiling(const tw_queue *queue);

/**
 * Makes an event of all groups that were submitted to the queue so far: it is complete when they are. An extension of
 * SYCL 1.2 (OpenCL's markers; CUDA's recorded events). Groups that are submitted later do not wait for it, unless they
 * depend on it:
 *
 *     status = tw_queue_submit_marker(producers, &all);
 *     TW_COMMAND_GROUP(consumers, cg) { tw_depends_on(cg, all); ... }
 *
 * A marker is about the order, as TW_QUEUE_IN_ORDER is: it is complete also if some of the groups failed, whose errors
 * are the queue's, and what depends on it then runs. On devices with streams (GPUs) groups wait for it on the device.
 * It counts as a group in tw_queue_wait() and TW_QUEUE_DEPTH.
 *
 * @param event  receives the event, to be released with tw_event_release()
 * @return TW_ERROR_INVALID_ARGUMENT       queue or event is NULL
 *         TW_ERROR_INVALID_COMMAND_GROUP  the queue is recording a command graph
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_queue_submit_marker(tw_queue *queue, tw_event **event);

/**
 * Does the same, and the kernel, copy, fill or task of each group that is submitted to the queue later runs only after
 * that (SYCL 2020's ext_oneapi_submit_barrier). Transfers for these groups follow their accessors alone and may run
 * ahead. A queue that keeps the order needs no barriers.
 *
 * @param event  as for tw_queue_submit_marker(); may be NULL
 * @return as tw_queue_submit_marker()
 */
TW_API tw_status tw_queue_submit_barrier(tw_queue *queue, tw_event **event);

/**
 * Stores an event of the last group that was submitted to the queue (SYCL 2020's ext_oneapi_get_last_event). In a queue
 * that keeps the order all before it is complete with it. Of a queue over several devices it is a marker, as
 * tw_queue_submit_marker() makes it.
 *
 * @param event  receives the event, to be released with tw_event_release(); NULL, which has happened, if nothing was
 *               submitted yet or the last group is complete. It has no times if the group was submitted without one
 * @return TW_ERROR_INVALID_ARGUMENT  queue or event is NULL
 *         of a queue over several devices, also the errors of tw_queue_submit_marker()
 */
TW_API tw_status tw_queue_last_event(tw_queue *queue, tw_event **event);

/**
 * Asks whether all that was submitted to the queue is complete (SYCL 2020's ext_oneapi_empty). It waits for nothing.
 * The library notices a little later than the device that a group is complete; a program may ask in a loop.
 *
 * @return true if nothing is unfinished, and for NULL
 */
TW_API bool tw_queue_is_empty(const tw_queue *queue);

/**
 * Waits until every command group submitted to the queue so far is complete. Does not call handlers.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  queue is NULL
 *         TW_ERROR_WOULD_DEADLOCK    a group waits for a host accessor that this thread holds
 *         without any handler: the first undelivered error, whose message becomes tw_error_detail()
 */
TW_API tw_status tw_queue_wait(tw_queue *queue);

/**
 * Waits as tw_queue_wait() does, then delivers the errors so far to the handler.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  queue is NULL
 *         TW_ERROR_WOULD_DEADLOCK    a group waits for a host accessor that this thread holds; nothing is delivered
 *         without any handler: the first undelivered error, whose message becomes tw_error_detail()
 */
TW_API tw_status tw_queue_wait_and_throw(tw_queue *queue);

/**
 * Delivers the errors so far to the handler, without waiting.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  queue is NULL
 *         without any handler: the first undelivered error, whose message becomes tw_error_detail()
 */
TW_API tw_status tw_queue_throw_asynchronous(tw_queue *queue);

/**
 * Waits for the queue's commands, delivers their errors and frees the queue. Sets *queue to NULL. NULL is allowed. If
 * the queue is recording a command graph, what was recorded is dropped; that is no error. While there are other handles
 * (tw_queue_retain()), it only gives this one back, and waits for nothing.
 *
 * @return TW_ERROR_WOULD_DEADLOCK  a group waits for a host accessor that this thread holds: the queue is left as it
 *                                  was
 *         without any handler: the first undelivered error, whose message becomes tw_error_detail()
 */
TW_API tw_status tw_queue_destroy(tw_queue **queue);

TW_END_DECLS

#endif
