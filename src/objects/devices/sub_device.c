/* SPDX-License-Identifier: Apache-2.0 */
/* Sub-devices (spec 3.5.3): which compute units each has. device.c keeps them. */
#include "discovery.h"
#include "lifetime.h"

#include <stdlib.h>

#include "base/cancellation.h"
#include "base/detail.h"

/* A list of sub-devices to be made. */
struct division {
    struct tw_device *device;
    struct tw_division how;
    const size_t *units; /* of each; NULL: `each` */
    size_t each;
    tw_device **sub_devices;
    size_t capacity;
};

static const struct tw_backend_parts *parts_of(const struct tw_device *device)
{
    return device->backend->backend->parts;
}

static size_t units_of(const struct tw_device *device)
{
    return tw_device_facts(device)->compute_units;
}

/* Stores the first sub-devices of a list, and how many there are. */
static tw_status divide_locked(const struct division *division, size_t count, size_t *result)
{
    tw_device *made = NULL;
    size_t first = 0;
    for (size_t i = 0; i < count && i < division->capacity; ++i) { /* all, before any is stored */
        const size_t units = division->units ? division->units[i] : division->each;
        const tw_status status = tw_device_part(division->device, first, units, division->how, &made);
        if (status != TW_SUCCESS)
            return status;
        first += units;
    }
    first = 0;
    for (size_t i = 0; i < count && i < division->capacity; ++i) {
        const size_t units = division->units ? division->units[i] : division->each;
        (void)tw_device_part(division->device, first, units, division->how, &division->sub_devices[i]);
        first += units;
    }
    *result = count;
    return TW_SUCCESS;
}

static tw_status check_locked(const tw_device *device, tw_partition way, tw_device **sub_devices, size_t capacity,
                              const size_t *count)
{
    if (!tw_is_device(device))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, TW_NO_DEVICE);
    if (!count || (!sub_devices && capacity))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the place for the %s is NULL", count ? "list" : "count");
    if (!parts_of(device))
        return tw_fail(TW_ERROR_UNSUPPORTED, "%s cannot be divided: the host device can", tw_device_name(device));
    if (!(parts_of(device)->ways & (unsigned)way))
        return tw_fail(TW_ERROR_UNSUPPORTED, "%s can only be divided equally", tw_device_name(device));
    return TW_SUCCESS;
}

static void end(void)
{
    tw_discovery_unlock();
    tw_runtime_leave();
}

/* Begins a call that divides a device. If it succeeds, the discovery lock is held until end(). */
static tw_status begin(const tw_device *device, tw_partition way, tw_device **sub_devices, size_t capacity,
                       const size_t *count)
{
    tw_status status = tw_runtime_enter();
    if (status != TW_SUCCESS) {
        tw_runtime_leave();
        return status;
    }
    tw_discovery_lock();
    status = check_locked(device, way, sub_devices, capacity, count);
    if (status != TW_SUCCESS)
        end();
    return status;
}

/* Stores how many sub-devices of as many units a device can be divided into. */
static tw_status count_equally(const struct tw_device *device, size_t units, size_t *count)
{
    if (!units || units > units_of(device))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "sub-devices of %zu compute units: %s has %zu", units,
                       tw_device_name(device), units_of(device));
    *count = units_of(device) / units;
    return parts_of(device)->equally ? parts_of(device)->equally(device->backend, units, count) : TW_SUCCESS;
}

tw_status tw_device_create_sub_devices_equally(tw_device *device, size_t units, tw_device **sub_devices,
                                               size_t capacity, size_t *count)
{
    TW_DEFER_CANCELLATION;
    tw_status status = begin(device, TW_PARTITION_EQUALLY, sub_devices, capacity, count);
    if (status != TW_SUCCESS)
        return status;
    size_t parts = 0;
    status = count_equally(device, units, &parts);
    if (status == TW_SUCCESS)
        status = divide_locked(
            &(struct division){device, {TW_PARTITION_EQUALLY, TW_AFFINITY_NONE}, NULL, units, sub_devices, capacity},
            parts, count);
    end();
    return status;
}

/* Fails if a device cannot be divided into sub-devices with these numbers of units. */
static tw_status check_units(const struct tw_device *device, const size_t *units, size_t unit_counts)
{
    size_t left = units_of(device);
    if (!units || !unit_counts)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "there are no numbers of compute units");
    for (size_t i = 0; i < unit_counts; ++i) {
        if (!units[i] || units[i] > left)
            return tw_fail(TW_ERROR_INVALID_ARGUMENT,
                           "sub-device %zu would have %zu compute units: %zu of %s are left for it", i, units[i], left,
                           tw_device_name(device));
        left -= units[i];
    }
    return TW_SUCCESS;
}

tw_status tw_device_create_sub_devices_by_counts(tw_device *device, const size_t *units, size_t unit_counts,
                                                 tw_device **sub_devices, size_t capacity, size_t *count)
{
    TW_DEFER_CANCELLATION;
    tw_status status = begin(device, TW_PARTITION_BY_COUNTS, sub_devices, capacity, count);
    if (status != TW_SUCCESS)
        return status;
    status = check_units(device, units, unit_counts);
    if (status == TW_SUCCESS)
        status = divide_locked(
            &(struct division){device, {TW_PARTITION_BY_COUNTS, TW_AFFINITY_NONE}, units, 0, sub_devices, capacity},
            unit_counts, count);
    end();
    return status;
}

/* Stores the numbers of units of a device's domains, how many there are, and the kind that
   TW_AFFINITY_NEXT_PARTITIONABLE stands for. Fails if there are none. */
static tw_status list_domains(const struct tw_device *device, tw_affinity_domain *domain, size_t *units, size_t *count)
{
    const bool is_next = *domain == TW_AFFINITY_NEXT_PARTITIONABLE;
    const unsigned first = is_next ? 1 : (unsigned)*domain, last = is_next ? TW_AFFINITY_NEXT_PARTITIONABLE / 2 : first;
    tw_status status = TW_SUCCESS;
    *count = 0;
    for (unsigned kind = first; kind <= last && *count <= is_next && status == TW_SUCCESS; kind *= 2) {
        *domain = (tw_affinity_domain)kind;
        status = parts_of(device)->domains(device->backend, *domain, units, count);
    }
    if (status == TW_SUCCESS && *count <= is_next)
        status = tw_fail(TW_ERROR_UNSUPPORTED, "%s has no such domains%s", tw_device_name(device),
                         is_next ? ", of which there are several" : "");
    return status;
}

static bool is_domain(tw_affinity_domain domain)
{
    const unsigned bit = (unsigned)domain;
    return bit && bit <= TW_AFFINITY_NEXT_PARTITIONABLE && !(bit & (bit - 1));
}

tw_status tw_device_create_sub_devices_by_affinity_domain(tw_device *device, tw_affinity_domain domain,
                                                          tw_device **sub_devices, size_t capacity, size_t *count)
{
    TW_DEFER_CANCELLATION;
    tw_status status = begin(device, TW_PARTITION_BY_AFFINITY_DOMAIN, sub_devices, capacity, count);
    if (status != TW_SUCCESS)
        return status;
    size_t *units = malloc(units_of(device) * sizeof *units);
    size_t domains = 0;
    if (!is_domain(domain))
        status = tw_fail(TW_ERROR_INVALID_ARGUMENT, "0x%x is not one affinity domain", (unsigned)domain);
    else if (!units)
        status = tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a list of sub-devices");
    else
        status = list_domains(device, &domain, units, &domains);
    const struct tw_division how = {TW_PARTITION_BY_AFFINITY_DOMAIN, domain};
    if (status == TW_SUCCESS)
        status = divide_locked(&(struct division){device, how, units, 0, sub_devices, capacity}, domains, count);
    free(units);
    end();
    return status;
}
