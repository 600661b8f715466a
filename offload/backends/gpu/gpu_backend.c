/* SPDX-License-Identifier: Apache-2.0 */
/* What the backends of GPUs past libomptarget say alike (gpu_backend.h). */
#include "gpu_backend.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/openmp.h"

#define COPIES 2u         /* the bus does one at a time; the other is about to begin */
#define RESIDENT_TEAMS 8u /* teams of 256 threads on one compute unit */

void tw_gpu_begin(struct tw_omp_device *device, const struct tw_backend *backend, unsigned index, int number,
                  size_t compute_units, unsigned warp)
{
    tw_omp_begin(device, backend, index, number, true);
    device->warp = warp;
    device->base.max_copies = COPIES;
    if (compute_units)
        device->resident_teams = (unsigned)compute_units * RESIDENT_TEAMS;
}

void tw_gpu_end(struct tw_omp_device *device)
{
    tw_omp_end(device);
    (void)tw_openmp_claim(device->number, NULL);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

tw_status tw_gpu_fail(tw_status status, struct tw_gpu_error error, const char *format, ...)
{
    char text[384];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    (void)tw_fail(status, "%s: %s", text, error.text);
    return tw_fail_native(status, error.api, error.code);
}

tw_status tw_gpu_fail_copy(const struct tw_backend_copy *copy, const char *driver, struct tw_gpu_error error)
{
    return tw_gpu_fail(TW_ERROR_TRANSFER_FAILED, error, "%s could not copy %zu bytes %s", driver,
                       tw_backend_copy_bytes(copy),
                       !copy->from              ? "to a device"
                       : !copy->to              ? "from a device"
                       : copy->to == copy->from ? "on a device"
                                                : "between devices");
}

tw_status tw_gpu_fail_launch(const char *kernel, const char *driver, struct tw_gpu_error error)
{
    tw_refuse_launch();
    return tw_gpu_fail(TW_ERROR_LAUNCH_FAILED, error, "%s did not launch kernel %s", driver, kernel);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

bool tw_gpu_takes(struct tw_backend_device *device, const struct tw_internal_kernel *key,
                  const struct tw_internal_launch *launch)
{
    const struct tw_gpu_kernel *kernel = launch->found;
    (void)device, (void)key;
    return kernel && kernel->is_launched;
}

tw_status tw_gpu_launch(struct tw_backend_device *base, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description, tw_omp_run *run)
{
    return tw_gpu_takes(base, kernel, description) ? tw_omp_launch_by(base, kernel, description, run)
                                                   : tw_omp_launch(base, kernel, description);
}
