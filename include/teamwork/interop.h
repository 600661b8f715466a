/* SPDX-License-Identifier: Apache-2.0 */
/**
 * OpenMP and CUDA beside the library: device numbers both ways, selectors for programs with MPI, and events (spec 2.5.10,
 * 3.6.4.8, with OpenMP and CUDA in OpenCL's place).
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

#include <teamwork/device.h>
#include <teamwork/event.h>

TW_BEGIN_DECLS

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/** OpenMP's number of a device, as for device() clauses and omp_target_alloc(); for the host device that of
 *  omp_get_initial_device(). -1 for NULL and for devices that OpenMP does not have, as simulated ones. */
TW_API int tw_device_omp_number(const tw_device *device);

/**
 * Finds the visible device with OpenMP's number; the host's finds the host device in any case.
 *
 * @return TW_ERROR_NO_DEVICE         none has the number
 *         TW_ERROR_INVALID_ARGUMENT  device is NULL
 *         and what tw_get_devices() returns
 */
TW_API tw_status tw_device_from_omp(int number, tw_device **device);

/** The ordinal of a device in CUDA, as for cudaSetDevice() and cuDeviceGet(). -1 for NULL and other devices. */
TW_API int tw_device_cuda_ordinal(const tw_device *device);

/** Finds the visible device with an ordinal of CUDA; otherwise as tw_device_from_omp(). */
TW_API tw_status tw_device_from_cuda(int ordinal, tw_device **device);

/** Selects OpenMP's default device for the calling thread (omp_get_default_device(), OMP_DEFAULT_DEVICE). */
TW_API int tw_omp_default_selector(const tw_device *device, void *user);

/** Selects the device with OpenMP's number *(const int *)user; none if user is NULL. */
TW_API int tw_omp_number_selector(const tw_device *device, void *user);

/**
 * Selects the GPU of a process of an MPI program: with n GPUs visible that of rank r of this node is number r modulo n,
 * in the order of tw_get_devices(). Where the launcher shows each rank one GPU only, that is the one. Selects nothing
 * where there is no GPU.
 *
 * @param user  a const int *, the rank within the node, not negative; NULL stands for tw_local_rank(), or 0 if that does
 *              not know
 */
TW_API int tw_local_rank_selector(const tw_device *device, void *user);

/**
 * The rank of this process among those of its MPI job on the same node, as the launcher says in an environment variable;
 * -1 if there is none. MPI need not be initialized. The first of these that is a number counts:
 * OMPI_COMM_WORLD_LOCAL_RANK (Open MPI), MPI_LOCALRANKID (MPICH's Hydra, Intel MPI), MV2_COMM_WORLD_LOCAL_RANK
 * (MVAPICH2), PMI_LOCAL_RANK and PALS_LOCAL_RANKID (Cray), JSM_NAMESPACE_LOCAL_RANK (IBM), FLUX_TASK_LOCAL_ID, and
 * SLURM_LOCALID last, since Slurm sets it for scripts that call another launcher, too.
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
 * @return TW_ERROR_OUT_OF_MEMORY, and what tw_get_devices() returns; then nothing will be fulfilled
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
 * @return as tw_event_from_cuda(), and
 *         TW_ERROR_CANCELLED       the group failed, or was cancelled, before it was on the device: nothing is recorded
 *         TW_ERROR_WOULD_DEADLOCK  the group waits for a host accessor that this thread holds: nothing is recorded
 */
TW_API tw_status tw_event_record_cuda(tw_event *event, tw_device *device, void *cuda_event);

TW_END_DECLS

#endif
