/* SPDX-License-Identifier: Apache-2.0 */
/**
 * OpenMP and CUDA beside the library: device numbers both ways, selectors for programs with MPI, events, and buffers over
 * memory that is on a device already (spec 2.5.10, 3.6.4.8, with OpenMP and CUDA in OpenCL's place).
 *
 * Events go both ways, without a wait on the host:
 *
 *     from                                   to                              by
 *     a command group                        a task's detach, and `depend`   tw_event_fulfill_omp()
 *     a task of OpenMP, or any other code    command groups                  tw_event_create_user(), tw_event_complete()
 *     a command group                        CUDA streams of the program     tw_event_record_cuda()
 *     a CUDA stream of the program           command groups                  tw_event_from_cuda()
 *
 * All functions are thread safe.
 */
#ifndef TEAMWORK_INTEROP_H
#define TEAMWORK_INTEROP_H

#include <stdint.h>

#include <teamwork/buffer.h>
#include <teamwork/device.h>
#include <teamwork/event.h>

TW_BEGIN_DECLS

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/** @return OpenMP's number of a device, as for device() clauses and omp_target_alloc(); for the host device that of
 *          omp_get_initial_device(); -1 for NULL and for devices that OpenMP does not have, as simulated ones */
TW_API int tw_device_omp_number(const tw_device *device);

/**
 * Finds the visible device with OpenMP's number; the host's finds the host device in any case.
 *
 * @return TW_ERROR_NO_DEVICE              none has the number
 *         TW_ERROR_INVALID_ARGUMENT       device is NULL
 *         TW_ERROR_INVALID_CONFIGURATION  a TW_ variable of the environment has a value that it cannot have
 *         TW_ERROR_UNSUPPORTED            the program is linked with another OpenMP library in front of LLVM's
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_device_from_omp(int number, tw_device **device);

/** @return the ordinal of a device in CUDA, as for cudaSetDevice() and cuDeviceGet(); -1 for NULL and other devices */
TW_API int tw_device_cuda_ordinal(const tw_device *device);

/**
 * Finds the visible device with an ordinal of CUDA.
 *
 * @return TW_ERROR_NO_DEVICE              none has the ordinal
 *         TW_ERROR_INVALID_ARGUMENT       device is NULL
 *         TW_ERROR_INVALID_CONFIGURATION  a TW_ variable of the environment has a value that it cannot have
 *         TW_ERROR_UNSUPPORTED            the program is linked with another OpenMP library in front of LLVM's
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_device_from_cuda(int ordinal, tw_device **device);

/** Selects OpenMP's default device for the calling thread (omp_get_default_device(), OMP_DEFAULT_DEVICE).
 *  @return its score; negative for others */
TW_API int tw_omp_default_selector(const tw_device *device, void *user);

/** Selects the device with OpenMP's number *(const int *)user; none if user is NULL.
 *  @return its score; negative for others */
TW_API int tw_omp_number_selector(const tw_device *device, void *user);

/**
 * Selects the GPU of a process of an MPI program: with n GPUs visible that of rank r of this node is number r modulo n,
 * in the order of tw_get_devices(). Where the launcher shows each rank one GPU only, that is the one. Selects nothing
 * where there is no GPU.
 *
 * @param user  a const int *, the rank within the node, not negative; NULL stands for tw_local_rank(), or 0 if that does
 *              not know
 * @return the score of that GPU; negative for other devices
 */
TW_API int tw_local_rank_selector(const tw_device *device, void *user);

/**
 * Reads an environment variable of an MPI launcher. MPI need not be initialized. The first of these that is a number
 * counts: OMPI_COMM_WORLD_LOCAL_RANK (Open MPI), MPI_LOCALRANKID (MPICH's Hydra, Intel MPI),
 * MV2_COMM_WORLD_LOCAL_RANK (MVAPICH2), PMI_LOCAL_RANK and PALS_LOCAL_RANKID (Cray), JSM_NAMESPACE_LOCAL_RANK (IBM),
 * FLUX_TASK_LOCAL_ID, and SLURM_LOCALID last, since Slurm sets it for scripts that call another launcher, too.
 *
 * @return the rank of this process among those of its MPI job on the same node; -1 if there is no such variable
 */
TW_API int tw_local_rank(void);

/* ---- OpenMP's events --------------------------------------------------------------------------------------------- */

/**
 * Fulfills the event of a detached task of OpenMP when the group of `event` is complete. So tasks that depend on that
 * task run after the group, and the host waits for nothing:
 *
 *     #pragma omp task detach(done) depend(out : x)
 *     {
 *         ... tw_queue_submit(queue, cg, &event) ...
 *         status = tw_event_fulfill_omp(event, (uintptr_t)done);
 *         tw_event_release(&event);
 *     }
 *     #pragma omp task depend(in : x)
 *     { ... runs when the group is complete ... }
 *
 * That orders, and moves nothing: what a kernel has written is on its device then. For a task that uses the host memory of
 * a buffer, let the event be of a group with tw_update_host() behind the kernel, or of a host task; a task that changes
 * that memory calls tw_buffer_host_changed() afterwards. docs/events.md has such a program.
 *
 * For the other direction let groups depend on a user event (event.h), which a task completes at its end:
 *
 *     #pragma omp task depend(in : y)
 *     { ...; tw_event_complete(y_is_done, TW_SUCCESS); }
 *
 * The event is fulfilled also if the group fails or is cancelled, since the task could not end otherwise: ask
 * tw_event_get_status(). A thread of the library or one that waits in it calls omp_fulfill_event(), which may run tasks
 * of the program there. If the event has happened already, that is this thread, before the call returns.
 *
 * @param event      whichever event of a group is given, its completion counts; also a user event; NULL has happened
 * @param omp_event  the omp_event_handle_t of the task's detach clause; to be fulfilled by nobody else. Its task is not
 *                   complete yet
 * @return an error, after which nothing will be fulfilled:
 *         TW_ERROR_INVALID_CONFIGURATION  a TW_ variable of the environment has a value that it cannot have
 *         TW_ERROR_UNSUPPORTED            the program is linked with another OpenMP library in front of LLVM's
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_event_fulfill_omp(tw_event *event, uintptr_t omp_event);

/* ---- CUDA's events ----------------------------------------------------------------------------------------------- */

/**
 * Makes an event of what a CUDA event stands for at this moment: the work before its last recording. Command groups that
 * depend on it, or wait functions, go on when that is complete; groups of CUDA devices wait on the device. If that work
 * fails, so does the event.
 *
 * Returns when the driver has noted the wait, at once as a rule; the program may then record the CUDA event again, or
 * destroy it.
 *
 * @param device      a CUDA device, of any context of the program: the one that is to wait
 * @param cuda_event  a CUevent or cudaEvent_t that was recorded
 * @param event       receives the event, to be released with tw_event_release(). It has no queue, whose errors could
 *                    be delivered
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL, or a device from before tw_shutdown()
 *         TW_ERROR_UNSUPPORTED       no CUDA device, or one that is used through libomptarget (TW_CUDA_LAUNCH)
 *         TW_ERROR_LAUNCH_FAILED     the driver refused the event
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_event_from_cuda(tw_device *device, void *cuda_event, tw_event **event);

/**
 * Records a CUDA event behind the group of `event`, so that streams of the program can wait for it
 * (cudaStreamWaitEvent()) and the host need not.
 *
 * CUDA events are recorded when the call returns. So this waits, as tw_event_wait() does, for what the group waits for on
 * the host: transfers from the host, host accessors, user events, and groups of other devices. As a rule it does not
 * wait for kernels of CUDA devices.
 *
 * @param event       whichever event of a group is given, its completion counts; also a user event; NULL has happened
 * @param device      the CUDA device on which the CUDA event was created
 * @param cuda_event  a CUevent or cudaEvent_t in the device's primary context, as the CUDA runtime makes it
 * @return an error, after which nothing is recorded:
 *         TW_ERROR_INVALID_ARGUMENT  a NULL for the device or the CUDA event, or a device from before tw_shutdown()
 *         TW_ERROR_UNSUPPORTED       no CUDA device, or one that is used through libomptarget (TW_CUDA_LAUNCH)
 *         TW_ERROR_LAUNCH_FAILED     the driver refused the event
 *         TW_ERROR_CANCELLED         the group failed, or was cancelled, before it was on the device
 *         TW_ERROR_WOULD_DEADLOCK    the group waits for a host accessor that this thread holds
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_event_record_cuda(tw_event *event, tw_device *device, void *cuda_event);

/* ---- buffers over what is there ---------------------------------------------------------------------------------- */

/** Where the contents of a buffer are at first, if the program has memory for them on the host and on a device. */
typedef enum tw_current {
    TW_CURRENT_HOST = 1,   /**< in host memory; what the device's memory holds is old */
    TW_CURRENT_DEVICE = 2, /**< in the device's memory; what host memory holds is old */
    TW_CURRENT_BOTH = 3    /**< in both */
} tw_current;

/**
 * Creates a buffer over memory that the program has on a device: of omp_target_alloc(), cudaMalloc(), cudaMallocManaged(),
 * tw_malloc_device() or tw_malloc_shared(). Kernels on the device use that memory for the buffer's whole life, and there is
 * no other copy of it on the device. Its contents are the buffer's.
 *
 * The program must not touch the memory until the buffer is destroyed, but in native tasks (task.h) and as
 * tw_buffer_device_changed() says. Destroying the last reference waits for all commands that use the buffer. Then the
 * contents are in the memory again, wherever they were written, and the memory is the program's: it is never freed.
 * tw_buffer_set_final_data() names a place on the host besides.
 *
 * Host accesses, and other devices, get copies, as of any buffer. If the host and the device both use the memory there is
 * one copy alone, and host accessors give the memory itself. That is so on the host device, on CPUs as offload devices,
 * and for managed and shared memory. tw_queue_submit_function() then does not fall back to another queue for groups that
 * access the buffer.
 *
 * @param memory         `range` elements of `element_bytes` each, aligned as their type needs; NULL is allowed if there
 *                       are none. No other buffer is over it
 * @param device         the device that the memory belongs to; the host device for host memory
 * @param host           host memory of the same size that the library uses for the contents on the host; undefined in
 *                       the end. Not used if the host and the device both use `memory`. NULL: the library allocates such
 *                       memory, once it is needed
 * @param element_bytes  at least 1
 * @param range          1 to 3 dimensions
 * @param buffer         receives the buffer, with one reference
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL, elements of no bytes, a device from before tw_shutdown(), or memory that is
 *                                    not the device's, or is not aligned to the power of two that divides element_bytes,
 *                                    up to 8
 *         TW_ERROR_INVALID_RANGE     invalid dimensions, more bytes than size_t holds, or than the memory has
 *         TW_ERROR_OUT_OF_MEMORY
 *         What the memory is can be found out for the library's own, on CUDA devices and on simulated ones; elsewhere it
 *         is believed
 */
TW_API tw_status tw_buffer_create_over_device(void *memory, tw_device *device, void *host, size_t element_bytes,
                                              tw_range range, tw_buffer **buffer);

/**
 * Creates a buffer over host memory that OpenMP has mapped to a device, by `target enter data map(...)` for example. The
 * buffer uses both, the host memory and the device's, and there is no other copy on either. The buffer holds no reference
 * of the mapping: the program must keep it, without `target exit data`, until the last reference to the buffer is
 * destroyed. A mapping that ended earlier is not found, and the buffer would use freed memory of the device.
 *
 * The program must not touch either memory until the buffer is destroyed, but through host accessors, in native tasks,
 * and as tw_buffer_host_changed() and tw_buffer_device_changed() say. Destroying the last reference waits for all
 * commands that use the buffer. Then the contents are in both memories, so that `target update` and `target exit data`
 * change nothing, in either direction. tw_buffer_set_final_data() with NULL, or another place, leaves the host memory
 * undefined; the device's memory gets the contents in any case.
 *
 * On the host device, and where OpenMP maps host memory to itself, there is only the host memory. For a simulated device the
 * calling thread's default device stands in, a CPU or the host: the memory is what is mapped there.
 *
 * @param host     `range` elements of `element_bytes` each; all of them were mapped together
 * @param device   the device that they are mapped to (tw_device_from_omp())
 * @param current  where the contents are now
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL, elements of no bytes, a device from before tw_shutdown(), or memory that
 *                                    OpenMP has not mapped to the device, not all of it, or in pieces, or that is not
 *                                    aligned to the power of two that divides element_bytes, up to 8
 *         TW_ERROR_INVALID_RANGE     invalid dimensions, more bytes than size_t holds, or than the memory has
 *         TW_ERROR_UNSUPPORTED       the device is a simulated one, which does not reach the memory of OpenMP's default
 *                                    device, as that of a GPU
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_buffer_create_over_mapped(void *host, tw_device *device, tw_current current, size_t element_bytes,
                                              tw_range range, tw_buffer **buffer);

/**
 * Tells that the program has changed the host memory of a buffer by itself: of one over host memory, or over mapped
 * memory, or over a device's with host memory of the program. From now on the contents are those of the host memory, and
 * all copies on devices are old.
 *
 * The call is ordered as a host accessor that discards the contents: it waits for earlier commands on the buffer, and
 * later ones wait for it. But the change itself was before the call. So before the program changes the memory, all
 * commands must be complete that use the host memory: copies from and to it, and host tasks. Nothing is lost that the
 * program does not overwrite, if the contents were in the host memory before the change: tw_update_host() brings them
 * there, and so does a host accessor.
 *
 * From the change to this call, no group that needs the changed elements may be submitted, and no host accessor created: it
 * would get what was there before. For buffers over memory of simulated devices that is an error, TW_ERROR_CHANGED_MEMORY
 * with the element and the remedy, of the submission, the accessor or the destruction, until the change is told.
 * docs/devices.md says what is found.
 *
 * @param buffer  a sub-buffer stands for its part
 * @return TW_ERROR_INVALID_ARGUMENT  the buffer is NULL, or has no host memory of the program
 *         TW_ERROR_WOULD_DEADLOCK    this thread has a host accessor that the call would have to wait for
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_buffer_host_changed(tw_buffer *buffer);

/**
 * The same for a part of a buffer: `range` elements from `offset` on. The other elements stay where they are, and commands
 * on them are not waited for.
 *
 * @param offset  the first element; as many dimensions as the buffer has
 * @param range   the elements, all of them in the buffer; if there are none, the call does nothing
 * @return TW_ERROR_INVALID_ARGUMENT  the buffer is NULL, or has no host memory of the program
 *         TW_ERROR_INVALID_RANGE     the part has other dimensions, or does not lie in the buffer
 *         TW_ERROR_WOULD_DEADLOCK    this thread has a host accessor that the call would have to wait for
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_buffer_host_changed_part(tw_buffer *buffer, tw_id offset, tw_range range);

/**
 * Tells that the program has changed a buffer's memory on a device by itself, by a target region or a library for
 * example. From now on the contents are those of the device's memory, and the host memory and copies on other devices
 * are old. The rules are those of tw_buffer_host_changed(), with tw_prefetch() in the place of tw_update_host().
 *
 * @param buffer  of tw_buffer_create_over_device() or tw_buffer_create_over_mapped(); a sub-buffer stands for its part
 * @param device  the device that was given there
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL, another device, or a buffer without memory of the program on a device
 *         TW_ERROR_WOULD_DEADLOCK    this thread has a host accessor that the call would have to wait for
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_buffer_device_changed(tw_buffer *buffer, tw_device *device);

/**
 * The same for a part of a buffer; parameters as for tw_buffer_host_changed_part().
 *
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL, another device, or a buffer without memory of the program on a device
 *         TW_ERROR_INVALID_RANGE     the part has other dimensions, or does not lie in the buffer
 *         TW_ERROR_WOULD_DEADLOCK    this thread has a host accessor that the call would have to wait for
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_buffer_device_changed_part(tw_buffer *buffer, tw_device *device, tw_id offset, tw_range range);

TW_END_DECLS

#endif
