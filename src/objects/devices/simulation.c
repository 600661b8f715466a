/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated devices (teamwork/sim.h): their number, faults and delays, through the backend's table. */
#include <teamwork/sim.h>

#include "base/detail.h"
#include "discovery.h"

tw_status tw_sim_set_count(unsigned count)
{
    tw_status status = TW_SUCCESS;
    tw_discovery_lock();
    if (tw_devices_found()->all_count)
        status = tw_fail(TW_ERROR_BUSY, "devices were looked for already; call tw_shutdown() first");
    for (size_t b = 0; tw_backends[b] && status == TW_SUCCESS; ++b)
        if (tw_backends[b]->simulation)
            status = tw_backends[b]->simulation->configure(count);
    tw_discovery_unlock();
    return status;
}

/* Returns the simulation functions of a device. Returns NULL and sets tw_error_detail() if it is not simulated, or if
   there is no such operation. */
static const struct tw_backend_simulation *simulation_of(const tw_device *device, tw_sim_operation operation)
{
    const struct tw_backend_simulation *simulation = device ? device->backend->backend->simulation : NULL;
    if (!simulation) {
        (void)tw_fail(TW_ERROR_INVALID_ARGUMENT, "the device is not a simulated one");
        return NULL;
    }
    if ((int)operation < 0 || operation > TW_SIM_KERNEL) {
        (void)tw_fail(TW_ERROR_INVALID_ARGUMENT, "%d is no simulated operation", (int)operation);
        return NULL;
    }
    return simulation;
}

static tw_status fail(tw_device *device, tw_sim_operation operation, uint64_t n, bool on)
{
    const struct tw_backend_simulation *simulation = simulation_of(device, operation);
    if (!simulation)
        return TW_ERROR_INVALID_ARGUMENT;
    simulation->fail(device->backend, operation, n, on);
    return TW_SUCCESS;
}

tw_status tw_sim_fail_nth(tw_device *device, tw_sim_operation operation, uint64_t n)
{
    return fail(device, operation, n, false);
}

tw_status tw_sim_fail_from(tw_device *device, tw_sim_operation operation, uint64_t n)
{
    return fail(device, operation, n, true);
}

tw_status tw_sim_delay(tw_device *device, tw_sim_operation operation, uint64_t delay_ns)
{
    const struct tw_backend_simulation *simulation = simulation_of(device, operation);
    if (!simulation)
        return TW_ERROR_INVALID_ARGUMENT;
    simulation->delay(device->backend, operation, delay_ns);
    return TW_SUCCESS;
}

uint64_t tw_sim_count(const tw_device *device, tw_sim_operation operation)
{
    const struct tw_backend_simulation *simulation = simulation_of(device, operation);
    return simulation ? simulation->count(device->backend, operation) : 0;
}

uint64_t tw_sim_copied_bytes(const tw_device *device)
{
    const struct tw_backend_simulation *simulation = simulation_of(device, TW_SIM_COPY);
    return simulation ? simulation->copied_bytes(device->backend) : 0;
}

uint64_t tw_sim_allocated_bytes(const tw_device *device)
{
    const struct tw_backend_simulation *simulation = simulation_of(device, TW_SIM_ALLOCATION);
    return simulation ? simulation->allocated_bytes(device->backend) : 0;
}

tw_status tw_sim_reset(tw_device *device)
{
    const struct tw_backend_simulation *simulation = simulation_of(device, TW_SIM_ALLOCATION);
    if (!simulation)
        return TW_ERROR_INVALID_ARGUMENT;
    simulation->reset(device->backend);
    return TW_SUCCESS;
}
