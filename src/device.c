/* SPDX-License-Identifier: Apache-2.0 */
/* Discovery of devices, selectors, device information and shutdown (spec 3.5.1 - 3.5.3). Knows backends by table only.
 */
#define _GNU_SOURCE
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <teamwork/sim.h>

#include "device_filter.h"
#include "sim.h"

/* All that discovery found; built once, under `discovery`, and read-only after that. */
static struct {
    struct tw_device **all; /* by ordinal; the host is first */
    size_t all_count;
    struct tw_device **visible; /* in order of preference */
    size_t visible_count;
    struct tw_platform *platforms;
    size_t platform_count;
    struct tw_device **by_place; /* place 0 is host memory: NULL */
    size_t place_count;
    bool filtered; /* TW_DEVICES is set */
} found;
static pthread_mutex_t discovery = PTHREAD_MUTEX_INITIALIZER; /* taken before the lock, never after */
static atomic_bool discovered;
static pthread_rwlock_t alive = PTHREAD_RWLOCK_INITIALIZER; /* read by calls that make objects, written by shutdown */

static const struct tw_backend *const backends[] = {&tw_backend_host, &tw_backend_omp, &tw_backend_sim};

/* ---- discovery ----------------------------------------------------------------------------------------------------
 */

static void close_device(struct tw_device *device)
{
    if (!device)
        return;
    device->backend->backend->close(device->backend);
    pthread_cond_destroy(&device->work);
    tw_lane_end(device->system);
    free(device->system);
    free(device);
}

static void forget(void)
{
    for (size_t i = 0; i < found.all_count; ++i)
        close_device(found.all[i]);
    for (size_t i = 0; i < found.platform_count; ++i)
        free(found.platforms[i].devices);
    free(found.all);
    free(found.visible);
    free(found.platforms);
    free(found.by_place);
    memset(&found, 0, sizeof found);
}

static tw_status out_of_memory(void)
{
    return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the list of devices");
}

static tw_status add_device(const struct tw_backend *backend, unsigned index)
{
    struct tw_device **grown = realloc(found.all, (found.all_count + 1) * sizeof *grown);
    struct tw_device *device = calloc(1, sizeof *device);
    struct tw_lane *system = calloc(1, sizeof *system);
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
    device->ordinal = (unsigned)found.all_count;
    device->system = system;
    tw_lane_init(system, device);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&device->work, &monotonic);
    pthread_condattr_destroy(&monotonic);
    found.all[found.all_count++] = device;
    return TW_SUCCESS;
}

static tw_status assign_places(void)
{
    found.place_count = 1;
    found.by_place = calloc(found.all_count + 1, sizeof *found.by_place);
    if (!found.by_place)
        return out_of_memory();
    for (size_t i = 0; i < found.all_count; ++i) {
        if (found.all[i]->backend->host_memory)
            continue;
        found.all[i]->place = found.place_count;
        found.by_place[found.place_count++] = found.all[i];
    }
    return TW_SUCCESS;
}

static const char *platform_name(tw_device_type type)
{
    switch (type) {
    case TW_DEVICE_HOST:
        return "Host";
    case TW_DEVICE_GPU:
        return "OpenMP GPU";
    case TW_DEVICE_CPU:
        return "OpenMP CPU";
    case TW_DEVICE_SIM:
        return "Simulation";
    default:
        return "OpenMP accelerator";
    }
}

/* One platform for each type of device among the visible ones, and the host's in any case. */
static tw_status make_platforms(void)
{
    static const tw_device_type types[] = {TW_DEVICE_HOST, TW_DEVICE_GPU, TW_DEVICE_ACCELERATOR, TW_DEVICE_CPU,
                                           TW_DEVICE_SIM};
    const size_t type_count = sizeof types / sizeof types[0];
    found.platforms = calloc(type_count, sizeof *found.platforms);
    if (!found.platforms)
        return out_of_memory();
    for (size_t t = 0; t < type_count; ++t) {
        struct tw_platform *platform = &found.platforms[found.platform_count];
        *platform = (struct tw_platform){.name = platform_name(types[t]), .type = types[t]};
        platform->devices = calloc(found.all_count, sizeof *platform->devices);
        if (!platform->devices)
            return out_of_memory();
        ++found.platform_count;
        for (size_t i = 0; i < found.all_count; ++i)
            if (found.all[i]->backend->type == types[t])
                found.all[i]->platform = platform;
        for (size_t i = 0; i < found.visible_count; ++i)
            if (found.visible[i]->backend->type == types[t])
                platform->devices[platform->count++] = found.visible[i];
        if (types[t] == TW_DEVICE_HOST && !platform->count)
            platform->devices[platform->count++] = found.all[0];
        if (!platform->count) {
            bool used = false; /* hidden devices keep a platform too, which is not listed */
            for (size_t i = 0; i < found.all_count; ++i)
                used = used || found.all[i]->platform == platform;
            if (!used) {
                free(platform->devices);
                --found.platform_count;
            }
        }
    }
    return TW_SUCCESS;
}

static tw_status find(void)
{
    const char *filter = getenv("TW_DEVICES");
    tw_status status = tw_device_filter_check(filter);
    found.filtered = filter && *filter;
    unsigned simulated = 0;
    if (status == TW_SUCCESS)
        status = tw_sim_configured(&simulated);
    for (size_t b = 0; b < sizeof backends / sizeof backends[0] && status == TW_SUCCESS; ++b) {
        if (backends[b] == &tw_backend_omp && !tw_device_filter_mentions_offload(filter))
            continue; /* so that a program that wants the host alone does not initialize GPUs */
        const unsigned count = backends[b]->count();
        for (unsigned i = 0; i < count && status == TW_SUCCESS; ++i) {
            status = add_device(backends[b], i);
            if (status == TW_ERROR_OUT_OF_DEVICE_MEMORY)
                status = TW_SUCCESS; /* a device that nothing can be done with is left out */
        }
    }
    if (status == TW_SUCCESS)
        status = assign_places();
    if (status == TW_SUCCESS)
        status = tw_device_filter_apply(filter, found.all, found.all_count, &found.visible, &found.visible_count);
    if (status == TW_SUCCESS)
        status = make_platforms();
    if (status != TW_SUCCESS)
        forget();
    return status;
}

tw_status tw_discover(void)
{
    if (atomic_load_explicit(&discovered, memory_order_acquire))
        return TW_SUCCESS;
    pthread_mutex_lock(&discovery);
    tw_status status = TW_SUCCESS;
    if (!atomic_load_explicit(&discovered, memory_order_relaxed)) {
        status = find();
        if (status == TW_SUCCESS)
            atomic_store_explicit(&discovered, true, memory_order_release);
    }
    pthread_mutex_unlock(&discovery);
    return status;
}

static _Thread_local unsigned entered; /* how often this thread holds `alive` */

tw_status tw_runtime_enter(void)
{
    pthread_rwlock_rdlock(&alive);
    ++entered;
    return tw_discover();
}

void tw_runtime_leave(void)
{
    --entered;
    pthread_rwlock_unlock(&alive);
}

static tw_status shut_down(void)
{
    tw_reclaim();
    tw_storage_settle();
    tw_reclaim();
    pthread_mutex_lock(&discovery);
    tw_lock();
    const size_t objects = tw_object_count_locked();
    if (objects) {
        tw_unlock();
        pthread_mutex_unlock(&discovery);
        return tw_fail(TW_ERROR_BUSY, "%zu queues, contexts, buffers, accessors or commands still exist", objects);
    }
    for (size_t i = 0; i < found.all_count; ++i)
        tw_stop_workers_locked(found.all[i]);
    tw_unlock();
    atomic_store(&discovered, false);
    forget();
    pthread_mutex_unlock(&discovery);
    return TW_SUCCESS;
}

tw_status tw_shutdown(void)
{
    if (entered)
        return tw_fail(TW_ERROR_BUSY, "called from a selector, while a queue is being made");
    pthread_rwlock_wrlock(&alive);
    const tw_status status = shut_down();
    pthread_rwlock_unlock(&alive);
    return status;
}

/* At the end of the program, or when the shared library is unloaded. What still has objects is left alone. */
__attribute__((destructor)) static void shut_down_at_exit(void)
{
    (void)tw_shutdown();
}

tw_status tw_sim_set_count(unsigned count)
{
    if (count > TW_SIM_MAX_DEVICES)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%u simulated devices are more than %u", count, TW_SIM_MAX_DEVICES);
    pthread_mutex_lock(&discovery);
    const bool late = atomic_load(&discovered);
    if (!late)
        tw_sim_configure(count);
    pthread_mutex_unlock(&discovery);
    return late ? tw_fail(TW_ERROR_BUSY, "devices were looked for already; call tw_shutdown() first") : TW_SUCCESS;
}

size_t tw_place_count(void)
{
    return found.place_count;
}

struct tw_device *tw_place_device(size_t place)
{
    return found.by_place[place];
}

struct tw_device *tw_host_device(void)
{
    return found.all[0];
}

bool tw_is_device(const struct tw_device *device)
{
    for (size_t i = 0; device && i < found.all_count; ++i)
        if (found.all[i] == device)
            return true;
    return false;
}

struct tw_backend_device *tw_backend_device_of(const struct tw_device *device)
{
    return device ? device->backend : NULL;
}

/* ---- lists --------------------------------------------------------------------------------------------------------
 */

static tw_status check_list(const void *list, size_t capacity, const size_t *count)
{
    if (!count || (!list && capacity))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the place for the %s is NULL", count ? "list" : "count");
    return tw_discover();
}

tw_status tw_get_devices(unsigned types, tw_device **devices, size_t capacity, size_t *count)
{
    const tw_status status = check_list(devices, capacity, count);
    if (status != TW_SUCCESS)
        return status;
    size_t n = 0;
    for (size_t i = 0; i < found.visible_count; ++i) {
        if (!(found.visible[i]->backend->type & types))
            continue;
        if (n < capacity)
            devices[n] = found.visible[i];
        ++n;
    }
    *count = n;
    return TW_SUCCESS;
}

tw_status tw_get_platforms(tw_platform **platforms, size_t capacity, size_t *count)
{
    const tw_status status = check_list(platforms, capacity, count);
    if (status != TW_SUCCESS)
        return status;
    size_t n = 0;
    for (size_t i = 0; i < found.platform_count; ++i) {
        if (!found.platforms[i].count)
            continue;
        if (n < capacity)
            platforms[n] = &found.platforms[i];
        ++n;
    }
    *count = n;
    return TW_SUCCESS;
}

tw_status tw_platform_get_devices(const tw_platform *platform, tw_device **devices, size_t capacity, size_t *count)
{
    const tw_status status = check_list(devices, capacity, count);
    if (status != TW_SUCCESS)
        return status;
    if (!platform)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the platform is NULL");
    for (size_t i = 0; i < platform->count && i < capacity; ++i)
        devices[i] = platform->devices[i];
    *count = platform->count;
    return TW_SUCCESS;
}

const char *tw_platform_name(const tw_platform *platform)
{
    return platform ? platform->name : "";
}

bool tw_platform_is_host(const tw_platform *platform)
{
    return platform && platform->type == TW_DEVICE_HOST;
}

/* ---- selectors ----------------------------------------------------------------------------------------------------
 */

static int type_score(const tw_device *device, tw_device_type type)
{
    return device && device->backend->type == type ? 100 : -1;
}

int tw_default_selector(const tw_device *device, void *user)
{
    (void)user;
    if (!device)
        return -1;
    if (found.filtered)
        return 100; /* the first that TW_DEVICES lists */
    switch (device->backend->type) {
    case TW_DEVICE_GPU:
        return 400;
    case TW_DEVICE_ACCELERATOR:
        return 300;
    case TW_DEVICE_HOST:
        return 200; /* before an offload device that is the same CPU with copies */
    case TW_DEVICE_CPU:
        return 100;
    default:
        return -1;
    }
}

int tw_gpu_selector(const tw_device *device, void *user)
{
    (void)user;
    return type_score(device, TW_DEVICE_GPU);
}

int tw_cpu_selector(const tw_device *device, void *user)
{
    (void)user;
    const int offload = type_score(device, TW_DEVICE_CPU);
    return offload >= 0 ? offload : type_score(device, TW_DEVICE_HOST) / 2;
}

int tw_host_selector(const tw_device *device, void *user)
{
    (void)user;
    return type_score(device, TW_DEVICE_HOST);
}

int tw_sim_selector(const tw_device *device, void *user)
{
    (void)user;
    return type_score(device, TW_DEVICE_SIM);
}

static tw_status none_selected(void)
{
    char list[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < found.visible_count && used < sizeof list; ++i)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", tw_device_name(found.visible[i]));
    return tw_fail(TW_ERROR_NO_DEVICE, "the selector chose none of: %s%s", list,
                   found.filtered ? " (as TW_DEVICES lets through)" : "");
}

tw_status tw_select_device(tw_device_selector selector, void *user, tw_device **device)
{
    if (!device)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the place for the device is NULL");
    const tw_status status = tw_discover();
    if (status != TW_SUCCESS)
        return status;
    if (selector == tw_host_selector) {
        *device = found.all[0];
        return TW_SUCCESS;
    }
    struct tw_device *best = NULL;
    int best_score = -1;
    for (size_t i = 0; i < found.visible_count; ++i) {
        const int score = (selector ? selector : tw_default_selector)(found.visible[i], user);
        if (score > best_score) {
            best = found.visible[i];
            best_score = score;
        }
    }
    if (!best)
        return none_selected();
    *device = best;
    return TW_SUCCESS;
}
