/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Command groups (spec 2.3.1, 2.5.7, 3.5.6): a kernel, the data it accesses, and what moves that data, submitted as
 * one.
 *
 *     tw_command_group *cg = tw_queue_begin(queue);
 *     tw_parallel_for(cg, tw_range_1d(n), saxpy, .a = 2.0f, .x = tw_read(cg, x), .y = tw_read_write(cg, y));
 *     status = tw_queue_submit(queue, cg, &event);
 *
 * or, where the status may come with the next wait:
 *
 *     TW_COMMAND_GROUP(queue, cg) {
 *         tw_parallel_for(cg, tw_range_1d(n), saxpy, ...);
 *     }
 *
 * A shared library with kernels may be closed (dlclose()) when no group with one of them is recorded, queued or running
 * any more, and no command graph has one. Error records do not refer to the library.
 *
 * A group is recorded by one thread and holds at most one kernel, copy, fill or task. Recording is sticky: the first
 * error stays in the group, later calls do nothing, and submit returns it; so calls in between need no check. A NULL
 * group, which tw_queue_begin() returns when memory is exhausted, is accepted everywhere and reports
 * TW_ERROR_OUT_OF_MEMORY.
 */
#ifndef TEAMWORK_COMMAND_GROUP_H
#define TEAMWORK_COMMAND_GROUP_H

#include <teamwork/buffer.h>
#include <teamwork/event.h>
#include <teamwork/local.h>
#include <teamwork/lower/kernel/language.h>
#include <teamwork/lower/kernel/launch.h>
#include <teamwork/operation.h>
#include <teamwork/queue.h>

TW_BEGIN_DECLS

typedef struct tw_command_group tw_command_group;

/** Where an accessor reads from on the device (spec Table 3.26). */
typedef enum tw_access_target {
    TW_GLOBAL = 1,
    TW_CONSTANT = 2, /**< read only */
    TW_HOST = 3      /**< the host's memory, whichever device the queue has: for host tasks (task.h) alone */
} tw_access_target;

/**
 * Begins a command group for `queue`. It is used up by tw_queue_submit(), or by tw_command_group_discard().
 *
 * @return the group; NULL if queue is NULL or memory is exhausted
 */
TW_API tw_command_group *tw_queue_begin(tw_queue *queue);

/**
 * Submits a group. Waits for a device only if its queue has TW_QUEUE_DEPTH unfinished groups (queue.h). The group takes
 * its place among all groups, which orders it by its accesses, with this call. A group without a kernel is complete
 * when its dependencies are.
 *
 * @param group  recorded for this queue; gone after the call, whatever it returns
 * @param event  receives the group's completion, to be released with tw_event_release(); NULL if not wanted
 * @return the first error of the recording calls: nothing was submitted
 *         TW_ERROR_INVALID_ARGUMENT  queue is NULL or another one than the group was begun for
 *         TW_ERROR_INVALID_COMMAND_GROUP  it accesses a buffer over host memory or with storage that was destroyed
 *                                    meanwhile: the program has the memory back
 *         TW_ERROR_OUT_OF_MEMORY     also when group is NULL, and queue is not
 */
#define tw_queue_submit(queue, group, event) tw_internal_submit((queue), (group), (event), __FILE__, __LINE__)

/** Records a command group: calls accessors and launches on `group`, which it must not submit or keep. */
typedef void (*tw_command_group_function)(tw_command_group *group, void *user);

/**
 * Records a group by calling a function, and submits it (spec 2.5.7, 3.5.6, secondary queues): to `queue` or, if that
 * cannot take it because recording or submission failed there, to `fallback`.
 *
 * Where the fallback queue is on another device, the group also runs there if its command fails later: if a transfer or
 * the launch fails, and what it needs is still somewhere. A kernel that may have run in part is run again only if it
 * discards all that it writes. Then no error is reported, and the event stands for both. A command that fails on the
 * fallback, too, reports its first error, and so does one whose inputs are lost. On a queue over several devices each
 * part of a kernel falls back by itself, and the function is called for `queue` alone (docs/multi_device.md).
 *
 * @param fallback  NULL for none. Of a queue over several devices, which may be `queue`, a part takes the first device
 *                  that is not its own
 * @param function  called on this thread before the call returns, for `queue` and, also where that can take the group,
 *                  for `fallback`: so it only records. For both it has to access the same buffers in the same modes,
 *                  else what fails later is not run again; the kernels may differ. Memory of the buffers is allocated on
 *                  both devices
 * @param event     as for tw_queue_submit()
 * @return of the queue that was tried last: the first error of the recording calls, then nothing was submitted
 *         TW_ERROR_INVALID_ARGUMENT  queue or function is NULL
 *         TW_ERROR_INVALID_COMMAND_GROUP  it accesses a buffer over host memory or with storage that was destroyed
 *                                    meanwhile: the program has the memory back
 *         TW_ERROR_OUT_OF_MEMORY
 */
#define tw_queue_submit_function(queue, fallback, function, user, event)                                               \
    tw_internal_submit_function((queue), (fallback), (function), (user), (event), __FILE__, __LINE__)

/** Drops a group that is not to be submitted. NULL is allowed. */
TW_API void tw_command_group_discard(tw_command_group *group);

/** Asks for the outcome of the recording calls so far.
 *  @return the first error; TW_SUCCESS: there is none; TW_ERROR_OUT_OF_MEMORY for NULL */
TW_API tw_status tw_command_group_status(const tw_command_group *group);

/**
 * Records a group in the block that follows and submits it at its end. `break` and `return` drop the group. An error of
 * the submission is kept as an asynchronous error of the queue: the next wait delivers it.
 *
 * Expands to: a `for` of one turn that declares `group`, with the submission as its last part.
 */
#define TW_COMMAND_GROUP(queue, group)                                                                                 \
    for (tw_command_group * group __attribute__((cleanup(tw_internal_discard))) = tw_internal_begin_block(queue);      \
         group != NULL; tw_internal_submit_block(&group, __FILE__, __LINE__))

/* ---- device accessors (spec 3.6.4) ------------------------------------------------------------------------------- */

/**
 * Declares that the group's kernel accesses a buffer: tw_buffer_count() elements, row-major, the rows of a sub-buffer
 * as far apart as tw_buffer_pitch() says. The allocation exists when the call returns; to make room, other buffers may
 * give theirs up, or the call may wait for commands (docs/buffers.md, "Memory on devices"). The data arrives before the
 * kernel starts. An empty buffer or part has no address, and the group does not wait because of it.
 *
 * A group's access to a buffer is the union of its accessors to it (spec 2.5.7): reading in one and writing in another
 * is reading and writing; the contents are discarded only if all of them discard.
 *
 * @return the address of the first element on the queue's device, for this group's kernel alone; NULL without an error
 *         if there are no elements, and NULL on an error
 *
 * Errors, kept in the group:
 *     TW_ERROR_INVALID_ARGUMENT        a NULL buffer, an unknown mode or target, writing to the constant target
 *     TW_ERROR_READ_ONLY_BUFFER        write access to a buffer over const memory
 *     TW_ERROR_INVALID_COMMAND_GROUP   TW_HOST beside another target, a kernel, or a copy or fill
 *     TW_ERROR_OUT_OF_DEVICE_MEMORY    even without all that can be given up there is no room
 *     TW_ERROR_OUT_OF_MEMORY
 */
TW_API void *tw_access(tw_command_group *group, tw_buffer *buffer, tw_access_mode mode, tw_access_target target);

/**
 * The same for a part of a buffer: `range` elements from `offset` on. Rows are as far apart as in the whole buffer,
 * tw_buffer_pitch(). The kernel may use these elements alone. Groups whose parts do not overlap do not wait for each
 * other.
 *
 * Accessors of one group may overlap: what several of them cover is accessed as all of them say.
 *
 * @return as tw_access(), the address of the first element of the part
 *
 * Errors, kept in the group: those of tw_access(), and
 *     TW_ERROR_INVALID_RANGE  the part has other dimensions than the buffer, or does not lie in it
 */
TW_API void *tw_access_part(tw_command_group *group, tw_buffer *buffer, tw_id offset, tw_range range,
                            tw_access_mode mode, tw_access_target target);

/**
 * For a pointer of a block that is to be NULL: the kernel sees NULL. A pointer that is NULL without it counts as
 * forgotten, and the launch fails (kernel.h), unless an accessor of the group is of an empty buffer or part.
 *
 *     tw_parallel_for(cg, range, blur, .in = tw_read(cg, in), .mask = TW_NULL, .out = tw_write(cg, out));
 *
 * For members of the block, of structs in it, and elements of arrays of pointers, but not in arrays of structs.
 */
#define TW_NULL ((TW_INTERNAL_ADDRESS)TW_INTERNAL_NULL)
#define TW_INTERNAL_NULL ((void *)(UINTPTR_MAX / 2 + 1)) /* nothing has this address */

/* TW_INTERNAL_ADDRESS is void *, and TW_INTERNAL_CONST_ADDRESS const void *; in C++ both become a pointer of the type that
   they are assigned to. */

static inline TW_INTERNAL_CONST_ADDRESS tw_read_part(tw_command_group *group, tw_buffer *buffer, tw_id offset,
                                                     tw_range range)
{
    return tw_access_part(group, buffer, offset, range, TW_READ, TW_GLOBAL);
}

static inline TW_INTERNAL_ADDRESS tw_write_part(tw_command_group *group, tw_buffer *buffer, tw_id offset,
                                                tw_range range)
{
    return tw_access_part(group, buffer, offset, range, TW_WRITE, TW_GLOBAL);
}

static inline TW_INTERNAL_ADDRESS tw_read_write_part(tw_command_group *group, tw_buffer *buffer, tw_id offset,
                                                     tw_range range)
{
    return tw_access_part(group, buffer, offset, range, TW_READ_WRITE, TW_GLOBAL);
}

static inline TW_INTERNAL_ADDRESS tw_discard_write_part(tw_command_group *group, tw_buffer *buffer, tw_id offset,
                                                        tw_range range)
{
    return tw_access_part(group, buffer, offset, range, TW_DISCARD_WRITE, TW_GLOBAL);
}

static inline TW_INTERNAL_ADDRESS tw_discard_read_write_part(tw_command_group *group, tw_buffer *buffer, tw_id offset,
                                                             tw_range range)
{
    return tw_access_part(group, buffer, offset, range, TW_DISCARD_READ_WRITE, TW_GLOBAL);
}

static inline TW_INTERNAL_ADDRESS tw_atomic_part(tw_command_group *group, tw_buffer *buffer, tw_id offset,
                                                 tw_range range)
{
    return tw_access_part(group, buffer, offset, range, TW_ATOMIC, TW_GLOBAL);
}

static inline TW_INTERNAL_CONST_ADDRESS tw_read_constant_part(tw_command_group *group, tw_buffer *buffer, tw_id offset,
                                                              tw_range range)
{
    return tw_access_part(group, buffer, offset, range, TW_READ, TW_CONSTANT);
}

static inline TW_INTERNAL_CONST_ADDRESS tw_read(tw_command_group *group, tw_buffer *buffer)
{
    return tw_access(group, buffer, TW_READ, TW_GLOBAL);
}

/** Reads through constant memory (spec 2.4): for small tables that all work-items read.
 *  @return as tw_access() */
static inline TW_INTERNAL_CONST_ADDRESS tw_read_constant(tw_command_group *group, tw_buffer *buffer)
{
    return tw_access(group, buffer, TW_READ, TW_CONSTANT);
}

static inline TW_INTERNAL_ADDRESS tw_write(tw_command_group *group, tw_buffer *buffer)
{
    return tw_access(group, buffer, TW_WRITE, TW_GLOBAL);
}

static inline TW_INTERNAL_ADDRESS tw_read_write(tw_command_group *group, tw_buffer *buffer)
{
    return tw_access(group, buffer, TW_READ_WRITE, TW_GLOBAL);
}

static inline TW_INTERNAL_ADDRESS tw_discard_write(tw_command_group *group, tw_buffer *buffer)
{
    return tw_access(group, buffer, TW_DISCARD_WRITE, TW_GLOBAL);
}

static inline TW_INTERNAL_ADDRESS tw_discard_read_write(tw_command_group *group, tw_buffer *buffer)
{
    return tw_access(group, buffer, TW_DISCARD_READ_WRITE, TW_GLOBAL);
}

/** Atomic access (spec Table 3.25): reading and writing, by the atomic operations of atomic.h alone.
 *  @return as tw_access() */
static inline TW_INTERNAL_ADDRESS tw_atomic(tw_command_group *group, tw_buffer *buffer)
{
    return tw_access(group, buffer, TW_ATOMIC, TW_GLOBAL);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/**
 * Makes the group depend on an event: its kernel runs only after the whole command group of the event is complete,
 * besides what its accessors say (SYCL 2020's depends_on; OpenCL's wait-lists). The event may be of any queue, device
 * or context, or a user event (event.h); whichever of a group's events is given, its completion counts. Any number of
 * calls is allowed. Between groups of devices with streams of one kind the wait stays on the devices. Transfers for the
 * group follow its accessors alone and may run ahead.
 *
 * If the event's group fails or is cancelled, now or before this call, this group is cancelled with the same cause: it
 * fails with TW_ERROR_CANCELLED, and what it should have written is lost. A fallback (tw_queue_submit_function()) does
 * not run it then.
 *
 * A group that is recorded for a command graph can depend on groups of the same recording, and of the same part of it
 * (tw_queue_begin_while()): their events are nodes of the graph, and this is an edge. With any other event its submission
 * is TW_ERROR_INVALID_COMMAND_GROUP, as is that of any other group with such an event.
 *
 * The group keeps a reference of its own until it is submitted or discarded. tw_event_get_wait_list() lists the event.
 *
 * @param event  NULL has already happened
 *
 * Errors, kept in the group:
 *     TW_ERROR_OUT_OF_MEMORY
 */
TW_API void tw_depends_on(tw_command_group *group, tw_event *event);

/** tw_depends_on() for each of `count` events. TW_ERROR_INVALID_ARGUMENT where `events` is NULL with a count. */
TW_API void tw_depends_on_all(tw_command_group *group, tw_event *const *events, size_t count);

/**
 * Reserves `bytes` of local memory for each work-group of the group's kernel, a hierarchical or an nd_range one (spec
 * 3.6.4.6). Several reservations lie side by side, each aligned to 128 bytes, in one total that a device limits:
 * TW_DEVICE_INFO_LOCAL_MEM_SIZE, less what the kernel has in TW_LOCAL variables (then the launch is what fails).
 *
 * @return the memory, for the kernel's block; one of 0 bytes on an error
 *
 * Errors, kept in the group:
 *     TW_ERROR_INVALID_ARGUMENT      bytes is 0
 *     TW_ERROR_OUT_OF_LOCAL_MEMORY   more than the device has; the detail gives both numbers
 */
TW_API tw_local_memory tw_local(tw_command_group *group, size_t bytes);

/** The same for `range` elements of `element_bytes` each: TW_ERROR_INVALID_RANGE where that has no valid dimensions.
 *  @return as tw_local() */
TW_API tw_local_memory tw_local_range_of(tw_command_group *group, size_t element_bytes, tw_range range);

/** All work-items of a launch, as they travel in an argument block (root_group.h). */
typedef struct tw_root_group {
    unsigned *tw_counter_;
} tw_root_group;

/**
 * Makes all groups of the group's launch run at the same time, for its kernel's barriers.
 *
 * @param counter  memory for an unsigned that the kernel's device uses: a pointer, or what tw_write() gave for a buffer. It
 *                 is 0, or as another such launch has left it. One launch at a time uses it
 * @return what the kernel's block gets
 *
 * Errors, kept in the group:
 *     TW_ERROR_INVALID_ARGUMENT  counter is NULL
 *     TW_ERROR_UNSUPPORTED       the queue is one over several devices
 *
 * Then the launch itself fails with TW_ERROR_INVALID_RANGE if it has more groups than the device runs at the same time; the
 * detail gives both numbers. On NVIDIA GPUs it fails with TW_ERROR_UNSUPPORTED if it has several groups and not the driver
 * launches it (TW_CUDA_LAUNCH=libomptarget).
 */
TW_API tw_root_group tw_root_group_of(tw_command_group *group, void *counter);

/* ---- algorithms -------------------------------------------------------------------------------------------------- */

/**
 * Makes the group's algorithm (algorithms.h) read the number of its elements from the device's memory when it runs; its
 * argument is the limit. So one algorithm takes as many elements as the one before has counted, without a wait on the
 * host.
 *
 *     tw_count_on_device(cg, tw_read(cg, kept));
 *     sum_ints(cg, tw_read(cg, x), most, 0, tw_discard_write(cg, sum));
 *
 * Called before the algorithm: a group that is submitted with a count that no algorithm has taken fails with
 * TW_ERROR_INVALID_COMMAND_GROUP.
 *
 * @param count  a size_t in the device's memory: what an accessor of the group returns, or unified shared memory
 *
 * Errors, kept in the group:
 *     TW_ERROR_INVALID_ARGUMENT  count is NULL, and no accessor of the group was of an empty buffer; or it is in a buffer
 *                                of smaller elements than a size_t
 *     TW_ERROR_INVALID_RANGE     the group's accessor, or the allocation, ends before the size_t does
 */
TW_API void tw_count_on_device(tw_command_group *group, const void *count);

/**
 * Asks for the temporary memory of the group's algorithm. It is the device's, and the queue may keep it for the next
 * algorithm (docs/algorithms.md).
 *
 * @return bytes; 0 if the algorithm needs none, there is none, or group is NULL
 */
TW_API size_t tw_command_group_temporary_bytes(const tw_command_group *group);

/* What the macros above call; not for direct use. */
TW_API tw_status tw_internal_submit(tw_queue *queue, tw_command_group *group, tw_event **event, const char *file,
                                    int line);
TW_API tw_status tw_internal_submit_launch(tw_queue *queue, tw_command_group **group, tw_event **event,
                                           const char *file, int line);
TW_API tw_status tw_internal_submit_function(tw_queue *queue, tw_queue *fallback, tw_command_group_function function,
                                             void *user, tw_event **event, const char *file, int line);
TW_API tw_command_group *tw_internal_begin_block(tw_queue *queue);
TW_API void tw_internal_submit_block(tw_command_group **group, const char *file, int line);
TW_API void tw_internal_discard(tw_command_group **group);
TW_API struct tw_internal_bounds *tw_internal_bounds_of(tw_command_group *group);
TW_API struct tw_internal_bounds *tw_internal_host_bounds_of(tw_host_accessor *accessor);
TW_API void *tw_internal_view(tw_command_group *group, tw_buffer *buffer, tw_access_mode mode, tw_access_target target,
                              unsigned dims);

/* What TW_REDUCE() and the like call. */
TW_API struct tw_internal_target tw_internal_reduction(tw_command_group *group, tw_buffer *buffer, size_t index,
                                                       bool keep);
TW_API struct tw_internal_target tw_internal_reduction_member(tw_command_group *group, tw_buffer *buffer,
                                                              size_t element_bytes, size_t offset, size_t bytes,
                                                              bool keep);
TW_API struct tw_internal_array tw_internal_reduction_array(tw_command_group *group, tw_buffer *buffer, bool keep);
TW_API struct tw_internal_target tw_internal_reduction_to(tw_command_group *group, void *memory, size_t bytes,
                                                          bool keep);
TW_API struct tw_internal_array tw_internal_reduction_array_to(tw_command_group *group, void *memory,
                                                               size_t element_bytes, size_t count, bool keep);

TW_END_DECLS

#endif
