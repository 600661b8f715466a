/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and closes the devices of all backends (spec 3.5.1), and keeps their sub-devices. Knows backends only by table. */
#define _GNU_SOURCE
#include "discovery.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "absent.h"
#include "base/detail.h"
#include "base/environment.h"
#include "base/log.h"
#include "device_filter.h"
#include "platform.h"
#include "runtime/allocation.h"
#include "runtime/observe_device.h"
#include "runtime/pool.h"
#include "runtime/task_queue.h"
#include "runtime/usm_list.h"
#include "runtime/workers.h"

static struct tw_found found;
static _Atomic(struct tw_device *) parts; /* sub-devices, the latest first; they are added under `discovery` */
static pthread_mutex_t discovery = PTHREAD_MUTEX_INITIALIZER;

void tw_discovery_lock(void)
{
    pthread_mutex_lock(&discovery);
}

void tw_discovery_unlock(void)
{
    pthread_mutex_unlock(&discovery);
}

const struct tw_found *tw_devices_found(void)
{
    return &found;
}

struct tw_device *tw_device_parts(void)
{
    return atomic_load(&parts);
}

/* ---- discovery --------------------------------------------------------------------------------------------------- */

static void close_device(struct tw_device *device)
{
    if (!device)
        return;
    tw_pool_close(device);
    device->backend->backend->close(device->backend);
    pthread_cond_destroy(&device->work);
    tw_task_queue_end(device->system);
    free(device->system);
    free(device);
}

void tw_devices_forget(void)
{
    struct tw_device *next;
    for (struct tw_device *part = atomic_load(&parts); part; part = next) { /* the latest first: before its parent */
        next = part->next_part;
        close_device(part);
    }
    atomic_store(&parts, NULL);
    for (size_t i = 0; i < found.all_count; ++i)
        close_device(found.all[i]);
    tw_platforms_free(&found);
    free(found.all);
    free(found.visible);
    free(found.by_space);
    memset(&found, 0, sizeof found);
    tw_absent_forget();
    tw_memory_spaces_set(NULL, 0, NULL);
}

static tw_status out_of_memory(void)
{
    return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the list of devices");
}

/* Sets what all devices have. */
static void prepare(struct tw_device *device, struct tw_task_queue *system)
{
    device->backend->access = tw_data_access;
    device->backend->reaches_usm = tw_usm_is_reached;
    device->backend->name_usm = tw_usm_name;
    device->start_worker_locked = tw_start_worker_locked;
    device->system = system;
    tw_task_queue_init(system, device, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&device->work, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static tw_status add_device(const struct tw_backend *backend, unsigned index)
{
    struct tw_device **grown = realloc(found.all, (found.all_count + 1) * sizeof *grown);
    struct tw_device *device = calloc(1, sizeof *device);
    struct tw_task_queue *system = calloc(1, sizeof *system);
    if (grown)
        found.all = grown;
    if (!grown || !device || !system) {
        free(device);
        free(system);
        return out_of_memory();
    }
    const tw_status status = backend->open(index, &device->backend);
    if (status != TW_SUCCESS) {
        free(device);
        free(system);
        return status;
    }
    prepare(device, system);
    device->ordinal = (unsigned)found.all_count;
    device->number = (int)found.all_count;
    found.all[found.all_count++] = device;
    return TW_SUCCESS;
}

/* Opens the devices of a backend. Skips a backend with types_on_demand if TW_DEVICES excludes these types: a program
   that uses only the host does not initialize GPUs. */
static tw_status add_devices(const struct tw_backend *backend, const char *filter)
{
    unsigned count = 0;
    if (backend->types_on_demand && !tw_device_filter_mentions(filter, backend->types_on_demand))
        return TW_SUCCESS;
    tw_status status = backend->count(&count);
    for (unsigned i = 0; i < count && status == TW_SUCCESS; ++i) {
        status = add_device(backend, i);
        if (status == TW_ERROR_OUT_OF_DEVICE_MEMORY) { /* a device without free memory is left out */
            tw_absent_add(TW_DEVICE_GPU, NULL, "%s", tw_error_detail());
            status = TW_SUCCESS;
        }
    }
    return status;
}

static tw_status assign_spaces(void)
{
    found.space_count = 1;
    found.by_space = calloc(found.all_count + 1, sizeof *found.by_space);
    if (!found.by_space)
        return out_of_memory();
    for (size_t i = 0; i < found.all_count; ++i) {
        if (!found.all[i]->backend->backend->memory)
            continue;
        found.all[i]->space = found.space_count;
        found.by_space[found.space_count++] = found.all[i];
    }
    tw_memory_spaces_set(found.by_space, found.space_count, found.all[0]);
    return TW_SUCCESS;
}

static void log_devices(void)
{
    for (size_t i = 0; i < found.visible_count; ++i) {
        const struct tw_device *device = found.visible[i];
        const struct tw_device_facts *facts = tw_device_facts(device);
        tw_log(TW_LOG_INFO, "device: %s:%u (%s): %s, %zu compute units, %zu bytes of memory, backend %s",
               tw_device_filter_kind(device->backend->type), tw_found_number(&found, device), facts->name,
               facts->architecture, facts->compute_units, facts->global_mem_bytes, device->backend->backend->name);
    }
}

tw_status tw_devices_find(void)
{
    char error[256];
    const char *filter = tw_environment(TW_VARIABLE_DEVICES);
    tw_status status = tw_environment_error(error, sizeof error) ? tw_fail(TW_ERROR_INVALID_CONFIGURATION, "%s", error)
                                                                 : tw_device_filter_check(filter);
    snprintf(found.filter, sizeof found.filter, "%s", filter ? filter : "");
    for (size_t b = 0; tw_backends[b] && status == TW_SUCCESS; ++b)
        status = add_devices(tw_backends[b], filter);
    if (status == TW_SUCCESS)
        status = assign_spaces();
    if (status == TW_SUCCESS)
        status = tw_device_filter_apply(filter, found.all, found.all_count, &found.visible, &found.visible_count);
    if (status == TW_SUCCESS)
        status = tw_platforms_make(&found);
    if (status != TW_SUCCESS) {
        tw_devices_forget();
        return status;
    }
    tw_absent_explain(&found);
    log_devices();
    tw_absent_note(&found);
    for (size_t i = 0; i < found.all_count; ++i)
        tw_observe_device(found.all[i]);
    return status;
}

/* ---- sub-devices and identities ---------------------------------------------------------------------------------- */

tw_status tw_device_part(struct tw_device *parent, size_t first, size_t count, struct tw_division division,
                         struct tw_device **result)
{
    for (struct tw_device *part = atomic_load(&parts); part; part = part->next_part)
        if (part->parent == parent && part->first_unit == first && part->units == count
            && part->division.type == division.type && part->division.domain == division.domain) {
            *result = part;
            return TW_SUCCESS;
        }
    struct tw_device *device = calloc(1, sizeof *device);
    struct tw_task_queue *system = calloc(1, sizeof *system);
    tw_status status = device && system
                           ? parent->backend->backend->parts->open(parent->backend, first, count, &device->backend)
                           : out_of_memory();
    if (status != TW_SUCCESS) {
        free(device);
        free(system);
        return status;
    }
    prepare(device, system);
    device->platform = parent->platform;
    device->space = parent->space;
    device->ordinal = parent->ordinal;
    device->parent = parent;
    device->first_unit = first;
    device->units = count;
    device->division = division;
    device->next_part = atomic_load(&parts);
    device->number = (device->next_part ? device->next_part->number : (int)found.all_count - 1) + 1;
    atomic_store(&parts, device);
    tw_observe_device(device);
    *result = device;
    return TW_SUCCESS;
}

bool tw_is_device(const struct tw_device *device)
{
    for (size_t i = 0; device && i < found.all_count; ++i)
        if (found.all[i] == device)
            return true;
    for (const struct tw_device *part = device ? atomic_load(&parts) : NULL; part; part = part->next_part)
        if (part == device)
            return true;
    return false;
}

bool tw_is_platform(const struct tw_platform *platform)
{
    for (size_t i = 0; platform && i < found.platform_count; ++i)
        if (&found.platforms[i] == platform)
            return true;
    return false;
}
