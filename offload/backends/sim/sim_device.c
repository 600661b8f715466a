/* SPDX-License-Identifier: Apache-2.0 */
/* Faults and delays of operations on simulated devices (sim_device.h). */
#define _GNU_SOURCE
#include "sim_device.h"

#include <errno.h>
#include <time.h>

#include "sim_parts.h"
#include "sim_watch.h"

bool tw_sim_is_asynchronous(struct tw_backend_device *device)
{
    return tw_sim_of(device)->asynchronous;
}

bool tw_sim_is_lost(struct tw_backend_device *device)
{
    pthread_mutex_lock(&tw_sim_of(device)->mutex);
    const bool lost = tw_sim_of(device)->lost;
    pthread_mutex_unlock(&tw_sim_of(device)->mutex);
    return lost;
}

bool tw_sim_op_fails(struct tw_backend_device *base, tw_sim_operation operation)
{
    struct tw_sim_device *device = tw_sim_of(base);
    pthread_mutex_lock(&device->mutex);
    const uint64_t number = ++device->counts[operation];
    const uint64_t at = device->fail_at[operation];
    const bool fails = at && (number == at || (device->fail_on[operation] && number > at));
    if (fails && !device->fail_on[operation])
        device->fail_at[operation] = 0;
    const bool lost = device->lost;
    pthread_mutex_unlock(&device->mutex);
    return fails || lost;
}

void tw_sim_count_bytes(struct tw_backend_device *device, size_t bytes)
{
    pthread_mutex_lock(&tw_sim_of(device)->mutex);
    tw_sim_of(device)->copied_bytes += bytes;
    pthread_mutex_unlock(&tw_sim_of(device)->mutex);
}

void tw_sim_op_delay(struct tw_backend_device *device, tw_sim_operation operation)
{
    pthread_mutex_lock(&tw_sim_of(device)->mutex);
    const uint64_t ns = tw_sim_of(device)->delay_ns[operation];
    pthread_mutex_unlock(&tw_sim_of(device)->mutex);
    if (ns) {
        struct timespec rest = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
        while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
        }
    }
}

bool tw_sim_op_begin(struct tw_backend_device *device, tw_sim_operation operation)
{
    const bool fails = tw_sim_op_fails(device, operation);
    tw_sim_op_delay(device, operation);
    return fails;
}

tw_status tw_sim_refuse_copy(const struct tw_backend_device *device, bool to, size_t bytes)
{
    (void)tw_fail(TW_ERROR_TRANSFER_FAILED, "simulated fault: copying %zu bytes %s device %u", bytes,
                  to ? "to" : "from", device->index);
    return tw_fail_native(TW_ERROR_TRANSFER_FAILED, TW_NATIVE_SIM, TW_SIM_COPY);
}

tw_status tw_sim_refuse_fill(const struct tw_backend_device *device, const struct tw_backend_fill *fill)
{
    (void)tw_fail(TW_ERROR_TRANSFER_FAILED, "simulated fault: filling %zu bytes on device %u",
                  tw_backend_fill_bytes(fill), device->index);
    return tw_fail_native(TW_ERROR_TRANSFER_FAILED, TW_NATIVE_SIM, TW_SIM_COPY);
}

tw_status tw_sim_refuse_launch(const struct tw_backend_device *device, const struct tw_internal_kernel *kernel)
{
    tw_refuse_launch();
    (void)tw_fail(TW_ERROR_LAUNCH_FAILED, "simulated fault: launching kernel %s on device %u", kernel->name,
                  device->index);
    return tw_fail_native(TW_ERROR_LAUNCH_FAILED, TW_NATIVE_SIM, TW_SIM_LAUNCH);
}

static tw_status run_checked(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                             struct tw_internal_launch *description)
{
    if (tw_sim_of(device)->checks_reads)
        return tw_sim_parts_run(device, kernel, description);
    struct tw_sim_watch watch = tw_sim_watch_of(device, kernel, description, false);
    return tw_sim_watch_run(&watch, description, NULL, NULL);
}

tw_status tw_sim_run_kernel(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                            struct tw_internal_launch *description)
{
    const bool lost = tw_sim_is_lost(device);
    const tw_status status = lost ? TW_SUCCESS : run_checked(device, kernel, description);
    if (!tw_sim_op_begin(device, TW_SIM_KERNEL))
        return status;
    pthread_mutex_lock(&tw_sim_of(device)->mutex);
    tw_sim_of(device)->lost = true;
    pthread_mutex_unlock(&tw_sim_of(device)->mutex);
    (void)tw_fail(TW_ERROR_LAUNCH_FAILED, "simulated fault: kernel %s on device %u%s", kernel->name, device->index,
                  lost ? ", after that of another one" : "");
    return tw_fail_native(TW_ERROR_LAUNCH_FAILED, TW_NATIVE_SIM, TW_SIM_KERNEL);
}
