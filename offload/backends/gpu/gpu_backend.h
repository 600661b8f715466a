/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What the backends of GPUs past libomptarget say alike: members of their tables, how a device is opened, which launches
 * they take, and how an error of their driver becomes a status. Each backend's own device begins with a tw_omp_device.
 */
#ifndef TEAMWORK_OFFLOAD_GPU_BACKEND_H
#define TEAMWORK_OFFLOAD_GPU_BACKEND_H

#include "backends/omp/omp.h"
#include "common/team.h"
#include "gpu_kernel.h"

/* Expands to the members of tw_backend that are the same: to the program, which is compiled for OpenMP, the devices are
   OpenMP's, and the omp backend takes those that no other one does. */
#define TW_GPU_BACKEND .name = "omp", .types_on_demand = TW_OMP_TYPES, .begin_thread = tw_team_begin_worker

/* Expands to those of tw_backend_memory. libomptarget launches all kernels that use variables. */
#define TW_GPU_MEMORY .is_full = tw_omp_is_full, .find_variable = tw_omp_find_variable

/* Begins a device, as tw_omp_begin() does; tw_gpu_end() ends it, and gives OpenMP's device free. `compute_units` and
   `warp` are 0 if they are not known. */
void tw_gpu_begin(struct tw_omp_device *device, const struct tw_backend *backend, unsigned index, int number,
                  size_t compute_units, unsigned warp);
void tw_gpu_end(struct tw_omp_device *device);

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* An error of a driver. */
struct tw_gpu_error {
    tw_native_api api;
    int code;
    char text[256];
};

/* Fails with a sentence of two parts, the second of which is the error's text; and with its code. */
tw_status tw_gpu_fail(tw_status status, struct tw_gpu_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fails for a copy that a driver could not make. */
tw_status tw_gpu_fail_copy(const struct tw_backend_copy *copy, const char *driver, struct tw_gpu_error error);

/* Fails for a kernel that a driver did not launch: the device is as it was, so another device may try. */
tw_status tw_gpu_fail_launch(const char *kernel, const char *driver, struct tw_gpu_error error);

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* Returns true if the driver can launch the kernel of a launch that the backend's check() has accepted. Otherwise its
   image was not found or is not understood, or it uses variables that would exist twice, or it has no simt lowering. A
   slot of tw_backend_async. */
bool tw_gpu_takes(struct tw_backend_device *device, const struct tw_internal_kernel *key,
                  const struct tw_internal_launch *launch);

/* Lets the driver run a launch that tw_gpu_takes(), by `run`, and libomptarget every other one. */
tw_status tw_gpu_launch(struct tw_backend_device *base, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description, tw_omp_run *run);

#endif
