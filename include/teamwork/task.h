/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Host tasks and native tasks: C functions of the program as the steps of command groups (spec 2.5.10; extensions,
 * after the host tasks of SYCL 2020). A host task has its data on the host, for files, MPI and libraries. A native task
 * has it on the queue's device, for target regions of OpenMP and libraries of CUDA.
 *
 *     struct save {
 *         const float *x;
 *         size_t count;
 *         FILE *file;
 *     };
 *     static tw_status save(const void *block)
 *     {
 *         const struct save *save = block;
 *         return fwrite(save->x, sizeof(float), save->count, save->file) == save->count
 *                    ? TW_SUCCESS
 *                    : tw_task_fail(TW_ERROR_TRANSFER_FAILED, "the file cannot be written");
 *     }
 *
 *     tw_command_group *cg = tw_queue_begin(queue);
 *     struct save block = {tw_host_read(cg, x), n, file};
 *     tw_host_task(cg, save, &block, sizeof block);
 *     status = tw_queue_submit(queue, cg, &event);
 *
 * Traces and tools name a task after its function.
 *
 * All functions are thread safe, but a group is recorded by one thread.
 */
#ifndef TEAMWORK_TASK_H
#define TEAMWORK_TASK_H

#include <teamwork/command_group.h>

TW_BEGIN_DECLS

/**
 * The function of a task.
 *
 * @param block  the library's copy of the block, aligned for any type; gone when the function returns
 * @return TW_SUCCESS; or why the task failed, as from tw_task_fail() or a call of the library
 */
typedef tw_status (*tw_task_function)(const void *block);

/**
 * Makes a C function the step of a group, instead of a kernel. It is called once, on the host, when what the group
 * waits for is done and the contents that its accessors read are on the host, whichever device the queue has. The
 * command is complete when it returns. Order, events, cancellation, times and waits are those of a kernel. While it
 * runs, the queue's device is OpenMP's default device of its thread.
 *
 * The function runs on a thread of the library, or on one that waits for this command; without a lock. It may block: up
 * to 16 at a time occupy no thread that other commands need. It may call the library, as to submit groups or to wait
 * for events, but not wait for its own command or for one that is ordered behind it: such a call returns
 * TW_ERROR_WOULD_DEADLOCK. It does not exit by longjmp(), after which its command never ends, nor by pthread_exit() or
 * an exception, which end the program with a message.
 *
 * All accessors of the group have the target TW_HOST: tw_host_read() and the like, or tw_access() and tw_access_part().
 * The addresses are valid for the function alone, until it returns.
 *
 * A function that does not return TW_SUCCESS makes the command fail with that status, or with TW_ERROR_LAUNCH_FAILED
 * for TW_ERROR_CANCELLED and what is no status. The error's message is the tw_error_detail() that the function leaves.
 * What the group writes is lost, and what needs it is cancelled. A fallback queue does not run the task again.
 *
 * A host task can be recorded in a command graph (command_graph.h): it is called at each submission of the graph, with
 * the block and the addresses of the recording.
 *
 * @param block  `bytes` bytes, which are copied before the call returns; NULL for none
 *
 * Errors, kept in the group:
 *     TW_ERROR_INVALID_ARGUMENT       function is NULL, or block is NULL and bytes is not 0
 *     TW_ERROR_INVALID_COMMAND_GROUP  the group has a kernel, a step, or an accessor with another target
 *     TW_ERROR_OUT_OF_MEMORY          also when no thread can be started
 */
TW_API void tw_host_task(tw_command_group *group, tw_task_function function, const void *block, size_t bytes);
#define tw_host_task(group, function, ...) tw_internal_host_task((group), (function), #function, __VA_ARGS__)

/** What a native task gets of the queue's device. */
typedef struct tw_native {
    tw_device *device;
    int omp_device;   /**< tw_device_omp_number(): for device() clauses; -1 if OpenMP does not have it */
    int cuda_ordinal; /**< tw_device_cuda_ordinal(): for cudaSetDevice(); -1 if it is no CUDA device */
    void *stream;     /**< tw_enqueue_task(): the CUstream or cudaStream_t to enqueue on; NULL: work at once */
} tw_native;

/** The function of a native task; `native` is gone when it returns. The rest is as for tw_task_function. */
typedef tw_status (*tw_native_function)(const void *block, const tw_native *native);

/**
 * Makes a C function the step of a group, which works on the queue's device by other means than a kernel: by target
 * regions with `is_device_ptr(...)`, or by a library. Its accessors are those of a kernel, and give addresses on the
 * device. While the function runs, the queue's device is OpenMP's default device of its thread, so target regions need
 * no `device` clause there; for simulated devices it is the default device of the thread that recorded the task, if
 * that is a CPU, otherwise the host. Threads that the function starts have their own default: regions in a `parallel`
 * region inherit it.
 *
 * The function is called once, when all that the group waits for is finished. The command is complete when it returns,
 * so it waits itself for what it starts: target regions without `nowait` do that. Order, events, cancellation, times
 * and waits are those of a kernel, and so is the thread: one of the library, or one that waits. It does not wait for
 * commands of the library, and delays other kernels on a CPU. The thread need not have a current CUDA context: for a
 * library that looks for one, as MPI does, call cudaSetDevice(native->cuda_ordinal) first.
 *
 * Statuses that the function returns are treated as those of a host task. A fallback queue does not run the task again.
 * In a command graph it is called at each submission, as a host task is.
 *
 * @param block  `bytes` bytes, which are copied before the call returns; NULL for none
 *
 * Errors, kept in the group:
 *     TW_ERROR_INVALID_ARGUMENT       function is NULL, or block is NULL and bytes is not 0
 *     TW_ERROR_INVALID_COMMAND_GROUP  the group has a kernel, a step, or host accessors
 *     TW_ERROR_OUT_OF_MEMORY
 */
TW_API void tw_native_task(tw_command_group *group, tw_native_function function, const void *block, size_t bytes);
#define tw_native_task(group, function, ...) tw_internal_native_task((group), (function), #function, __VA_ARGS__)

/**
 * The same for a function that only enqueues work on `native->stream`, as with cublasSetStream(). On devices with CUDA
 * streams it is called early, once the stream is ordered behind all that the group waits for: so there is no wait on
 * the host before and behind the task. The command is complete when the function has returned and its work on the
 * stream is done. The function must not work in any other way then, as by a target region; it calls nothing of the
 * library that submits or waits, and leaves CUDA's current context as it was. Errors of the work itself are those of
 * the device, as a kernel's.
 *
 * Where `native->stream` is NULL, on all other devices, the function does its work at once, as for tw_native_task().
 */
TW_API void tw_enqueue_task(tw_command_group *group, tw_native_function function, const void *block, size_t bytes);
#define tw_enqueue_task(group, function, ...) tw_internal_enqueue_task((group), (function), #function, __VA_ARGS__)

/**
 * Sets the calling thread's tw_error_detail(), for the function of a task that is about to fail. NULL is an empty text.
 *
 * @return status
 */
TW_API tw_status tw_task_fail(tw_status status, const char *message);

/* What the macros call; not for direct use. `name` is the function's, for traces: a constant. */
TW_API void tw_internal_host_task(tw_command_group *group, tw_task_function function, const char *name,
                                  const void *block, size_t bytes);
TW_API void tw_internal_native_task(tw_command_group *group, tw_native_function function, const char *name,
                                    const void *block, size_t bytes);
TW_API void tw_internal_enqueue_task(tw_command_group *group, tw_native_function function, const char *name,
                                     const void *block, size_t bytes);

/* ---- host accessors of host tasks -------------------------------------------------------------------------------- */

/* tw_access() and tw_access_part() with the target TW_HOST: the address is one of the host. */

static inline TW_INTERNAL_CONST_ADDRESS tw_host_read(tw_command_group *group, tw_buffer *buffer)
{
    return tw_access(group, buffer, TW_READ, TW_HOST);
}

static inline TW_INTERNAL_ADDRESS tw_host_write(tw_command_group *group, tw_buffer *buffer)
{
    return tw_access(group, buffer, TW_WRITE, TW_HOST);
}

static inline TW_INTERNAL_ADDRESS tw_host_read_write(tw_command_group *group, tw_buffer *buffer)
{
    return tw_access(group, buffer, TW_READ_WRITE, TW_HOST);
}

static inline TW_INTERNAL_ADDRESS tw_host_discard_write(tw_command_group *group, tw_buffer *buffer)
{
    return tw_access(group, buffer, TW_DISCARD_WRITE, TW_HOST);
}

static inline TW_INTERNAL_CONST_ADDRESS tw_host_read_part(tw_command_group *group, tw_buffer *buffer, tw_id offset,
                                                          tw_range range)
{
    return tw_access_part(group, buffer, offset, range, TW_READ, TW_HOST);
}

static inline TW_INTERNAL_ADDRESS tw_host_write_part(tw_command_group *group, tw_buffer *buffer, tw_id offset,
                                                     tw_range range)
{
    return tw_access_part(group, buffer, offset, range, TW_WRITE, TW_HOST);
}

static inline TW_INTERNAL_ADDRESS tw_host_read_write_part(tw_command_group *group, tw_buffer *buffer, tw_id offset,
                                                          tw_range range)
{
    return tw_access_part(group, buffer, offset, range, TW_READ_WRITE, TW_HOST);
}

static inline TW_INTERNAL_ADDRESS tw_host_discard_write_part(tw_command_group *group, tw_buffer *buffer, tw_id offset,
                                                             tw_range range)
{
    return tw_access_part(group, buffer, offset, range, TW_DISCARD_WRITE, TW_HOST);
}

TW_END_DECLS

#endif
