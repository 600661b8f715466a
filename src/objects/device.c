/* SPDX-License-Identifier: Apache-2.0 */
/* Discovery of devices, lists of them, selectors, and shutdown (spec 3.5.1 - 3.5.3). Knows backends only by table. */
#define _GNU_SOURCE
#include "device.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <teamwork/sim.h>

#include "absent.h"
#include "base/cancellation.h"
#include "base/detail.h"
#include "base/environment.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/process.h"
#include "device_filter.h"
#include "runtime/allocation.h"
#include "runtime/command.h"
#include "runtime/observe_device.h"
#include "runtime/reclaim.h"
#include "runtime/stream.h"
#include "runtime/task_queue.h"
#include "runtime/usm_list.h"
#include "runtime/workers.h"
#include "settings.h"
#include "trace/start.h"

#define LEFT_BYTES 512 /* of the list of what keeps the runtime alive */

/* The result of a discovery: written once, under `discovery`, and then read-only until shutdown. */
static struct {
    struct tw_device **all; /* by ordinal; the host is first */
    size_t all_count;
    struct tw_device **visible; /* in order of preference */
    size_t visible_count;
    struct tw_platform *platforms;
    size_t platform_count;
    struct tw_device **by_space; /* NULL for number 0, host memory */
    size_t space_count;
    char filter[256]; /* TW_DEVICES; "" if not set */
    char absent[512]; /* why devices that it lets through are absent; or "" */
} found;
static _Atomic(struct tw_device *) parts; /* sub-devices, the latest first; they are added under `discovery` */
static pthread_mutex_t discovery = PTHREAD_MUTEX_INITIALIZER; /* taken before the lock, never after */
static atomic_bool discovered;
/* Locked for reading by calls that create objects, for writing by shutdown. */
static pthread_rwlock_t alive = PTHREAD_RWLOCK_INITIALIZER;

#define OFFLOAD (TW_DEVICE_GPU | TW_DEVICE_CPU | TW_DEVICE_ACCELERATOR)

/* ---- discovery --------------------------------------------------------------------------------------------------- */

static void close_device(struct tw_device *device)
{
    if (!device)
        return;
    device->backend->backend->close(device->backend);
    pthread_cond_destroy(&device->work);
    tw_task_queue_end(device->system);
    free(device->system);
    free(device);
}

static void forget(void)
{
    struct tw_device *next;
    for (struct tw_device *part = atomic_load(&parts); part; part = next) { /* the latest first: before its parent */
        next = part->next_part;
        close_device(part);
    }
    atomic_store(&parts, NULL);
    for (size_t i = 0; i < found.all_count; ++i)
        close_device(found.all[i]);
    for (size_t i = 0; i < found.platform_count; ++i)
        free(found.platforms[i].devices);
    free(found.all);
    free(found.visible);
    free(found.platforms);
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
    if (tw_tools_are_on())
        tw_observe_device(device);
    *result = device;
    return TW_SUCCESS;
}

void tw_discovery_lock(void)
{
    pthread_mutex_lock(&discovery);
}

void tw_discovery_unlock(void)
{
    pthread_mutex_unlock(&discovery);
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

/* Makes one platform for each type of device that was found. It lists the visible devices; the host's lists the host in
   any case. */
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
            bool used = false; /* hidden devices have a platform too, which is not listed */
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

static bool has_device(unsigned types)
{
    for (size_t i = 0; i < found.all_count; ++i)
        if (found.all[i]->backend->type & types)
            return true;
    return false;
}

/* Asks the backends why devices of a type are absent. Returns true if the user should be told unasked. */
static bool ask_why(tw_device_type type, char *reason, size_t bytes)
{
    bool tells = false;
    *reason = '\0';
    for (size_t b = 0; tw_backends[b] && !*reason; ++b)
        tells = tw_backends[b]->explain && tw_backends[b]->explain(type, reason, bytes);
    return tells;
}

/* Asks the backends why GPUs, or all offload devices, are absent, if TW_DEVICES would let them through. Warns the user
   once if a backend finds that necessary. */
static void explain_absence(const char *filter)
{
    static bool told;
    if (!tw_device_filter_mentions(filter, TW_DEVICE_GPU)
        && (!tw_device_filter_mentions(filter, OFFLOAD) || has_device(OFFLOAD)))
        return;
    if (ask_why(TW_DEVICE_GPU, found.absent, sizeof found.absent) && !told) {
        tw_warn("%s", found.absent);
        told = true;
    }
}

#define SIM_ADVICE "TW_SIM=N or tw_sim_set_count() makes simulated devices"

/* Notes the devices that the program does not see. */
static void note_absent(const char *filter)
{
    char reason[512];
    const bool asked = tw_device_filter_mentions(filter, OFFLOAD);
    for (size_t i = 0; i < found.all_count; ++i) {
        bool is_visible = false;
        for (size_t k = 0; k < found.visible_count; ++k)
            is_visible = is_visible || found.visible[k] == found.all[i];
        if (!is_visible)
            tw_absent_add(found.all[i]->backend->type, tw_device_name(found.all[i]),
                          "TW_DEVICES=\"%s\" does not let it through", filter);
    }
    if (!asked)
        tw_absent_add(TW_DEVICE_GPU, NULL, "TW_DEVICES=\"%s\" leaves offload devices out: they were not looked for",
                      filter);
    else if (found.absent[0])
        tw_absent_add(TW_DEVICE_GPU, NULL, "%s", found.absent);
    if (asked && !has_device(TW_DEVICE_CPU) && (ask_why(TW_DEVICE_CPU, reason, sizeof reason), *reason))
        tw_absent_add(TW_DEVICE_CPU, NULL, "%s", reason);
    if (!has_device(TW_DEVICE_SIM))
        tw_absent_add(TW_DEVICE_SIM, NULL, SIM_ADVICE);
}

/* Returns the number of a device among those of its kind, as TW_DEVICES counts. */
static unsigned number_of(const struct tw_device *device)
{
    unsigned number = 0;
    for (size_t i = 0; i < found.all_count && found.all[i] != device; ++i)
        number += found.all[i]->backend->type == device->backend->type;
    return number;
}

static void log_devices(void)
{
    for (size_t i = 0; i < found.visible_count; ++i) {
        const struct tw_device *device = found.visible[i];
        const struct tw_device_facts *facts = tw_device_facts(device);
        tw_log(TW_LOG_INFO, "device: %s:%u (%s): %s, %zu compute units, %zu bytes of memory, backend %s",
               tw_device_filter_kind(device->backend->type), number_of(device), facts->name, facts->architecture,
               facts->compute_units, facts->global_mem_bytes, device->backend->backend->name);
    }
}

/* Called by exit(), before OpenMP's handlers, which were registered earlier. While tw_shutdown() runs there is no task
   to end. */
static void end_tasks(void)
{
    if (tw_is_forked || pthread_rwlock_tryrdlock(&alive) != 0)
        return;
    tw_end_tasks();
    for (size_t b = 0; tw_backends[b]; ++b)
        if (tw_backends[b]->end_program)
            tw_backends[b]->end_program();
    pthread_rwlock_unlock(&alive);
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

static tw_status find(void)
{
    char error[256];
    const char *filter = tw_environment(TW_VARIABLE_DEVICES);
    tw_status status = tw_environment_error(error, sizeof error) ? tw_fail(TW_ERROR_INVALID_CONFIGURATION, "%s", error)
                                                                 : tw_device_filter_check(filter);
    snprintf(found.filter, sizeof found.filter, "%s", filter ? filter : "");
    for (size_t b = 0; tw_backends[b] && status == TW_SUCCESS; ++b)
        status = add_devices(tw_backends[b], filter);
    static bool ends_tasks;
    if (!ends_tasks)
        ends_tasks = atexit(end_tasks) == 0;
    if (status == TW_SUCCESS)
        status = assign_spaces();
    if (status == TW_SUCCESS)
        status = tw_device_filter_apply(filter, found.all, found.all_count, &found.visible, &found.visible_count);
    if (status == TW_SUCCESS)
        status = make_platforms();
    if (status != TW_SUCCESS) {
        forget();
        return status;
    }
    explain_absence(filter);
    log_devices();
    note_absent(filter);
    for (size_t i = 0; tw_tools_are_on() && i < found.all_count; ++i)
        tw_observe_device(found.all[i]);
    return status;
}

tw_status tw_discover(void)
{
    tw_status status = tw_check_process();
    if (status != TW_SUCCESS || atomic_load_explicit(&discovered, memory_order_acquire))
        return status;
    TW_DEFER_CANCELLATION;
    tw_note_start();
    pthread_mutex_lock(&discovery);
    if (!atomic_load_explicit(&discovered, memory_order_relaxed)) {
        tw_settings_tell();
        tw_tools_start();
        status = find();
        if (status == TW_SUCCESS)
            atomic_store_explicit(&discovered, true, memory_order_release);
    }
    pthread_mutex_unlock(&discovery);
    return status;
}

static _Thread_local unsigned entered; /* number of read locks of this thread on `alive` */

tw_status tw_runtime_enter(void)
{
    if (tw_is_forked)
        return tw_refuse_fork();
    tw_note_start();
    pthread_rwlock_rdlock(&alive);
    ++entered;
    return tw_discover();
}

void tw_runtime_leave(void)
{
    if (tw_is_forked)
        return;
    --entered;
    pthread_rwlock_unlock(&alive);
}

/* Returns the number of commands of a kind, of those that belong to no queue of the program, that are not complete. */
static size_t unfinished_locked(enum tw_task_kind kind)
{
    size_t count = 0;
    for (const struct tw_command *command = found.all_count ? found.all[0]->system->first_unfinished : NULL; command;
         command = command->next)
        count += command->body.kind == kind;
    return count;
}

/* Appends "3 buffers", say, to a list, unless there are none. */
static void list(char text[LEFT_BYTES], size_t count, const char *one, const char *many)
{
    const size_t used = strlen(text);
    if (count)
        snprintf(text + used, LEFT_BYTES - used, "%s%zu %s", used ? ", " : "", count, count == 1 ? one : many);
}

/* Lists the objects that keep the runtime alive. Returns false if there are none. */
static bool list_objects_locked(char text[LEFT_BYTES])
{
    const size_t events = unfinished_locked(TW_TASK_USER), accesses = unfinished_locked(TW_TASK_HOST_ACCESS);
    text[0] = '\0';
    list(text, tw_object_count_locked(TW_OBJECT_QUEUE), "queue (which events, and groups that are not submitted, keep)",
         "queues (which events, and groups that are not submitted, keep)");
    list(text, tw_object_count_locked(TW_OBJECT_CONTEXT), "context", "contexts");
    list(text, tw_object_count_locked(TW_OBJECT_BUFFER), "buffer", "buffers");
    list(text, tw_object_count_locked(TW_OBJECT_COMMAND_GRAPH), "command graph", "command graphs");
    list(text, tw_object_count_locked(TW_OBJECT_MEMORY), "allocation of tw_malloc_device(), _shared() or _host()",
         "allocations of tw_malloc_device(), _shared() or _host()");
    list(text, accesses, "host accessor", "host accessors");
    list(text, events, "user event that was never completed", "user events that were never completed");
    list(text, tw_object_count_locked(TW_OBJECT_COMMAND) - events - accesses, "command that is not complete",
         "commands that are not complete");
    return text[0];
}

static tw_status shut_down(void)
{
    char left[LEFT_BYTES];
    pthread_mutex_lock(&discovery);
    tw_lock();
    if (list_objects_locked(left)) {
        tw_unlock();
        pthread_mutex_unlock(&discovery);
        return tw_fail(TW_ERROR_BUSY, "there are still: %s", left);
    }
    for (size_t i = 0; i < found.all_count; ++i)
        tw_stop_workers_locked(found.all[i]);
    for (struct tw_device *part = atomic_load(&parts); part; part = part->next_part)
        tw_stop_workers_locked(part);
    tw_unlock();
    atomic_store(&discovered, false);
    forget();
    pthread_mutex_unlock(&discovery);
    return TW_SUCCESS;
}

tw_status tw_shutdown(void)
{
    tw_status status = tw_check_process();
    if (status != TW_SUCCESS || !tw_has_started())
        return status;
    if (entered)
        return tw_fail(TW_ERROR_BUSY, "called from a selector, while a queue is being made");
    TW_DEFER_CANCELLATION;
    pthread_rwlock_wrlock(&alive);
    tw_settle_tasks();
    tw_reclaim();
    tw_reclaim_settle();
    tw_reclaim();
    status = shut_down();
    pthread_rwlock_unlock(&alive);
    return status;
}

/* Shuts down when the program ends, or when a library that contains the static one is closed. Changes no device if
   objects still exist, and waits for nothing that may take long: other threads still run, and this one may be in a
   callback or a kernel that ended the program. */
__attribute__((destructor)) static void shut_down_at_exit(void)
{
    if (tw_is_forked || !tw_has_started() || entered || pthread_rwlock_trywrlock(&alive) != 0)
        return;
    tw_reclaim_memory();
    (void)shut_down();
    pthread_rwlock_unlock(&alive);
}

tw_status tw_sim_set_count(unsigned count)
{
    tw_status status = TW_SUCCESS;
    pthread_mutex_lock(&discovery);
    if (atomic_load(&discovered))
        status = tw_fail(TW_ERROR_BUSY, "devices were looked for already; call tw_shutdown() first");
    for (size_t b = 0; tw_backends[b] && status == TW_SUCCESS; ++b)
        if (tw_backends[b]->simulation)
            status = tw_backends[b]->simulation->configure(count);
    pthread_mutex_unlock(&discovery);
    return status;
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

/* ---- lists ------------------------------------------------------------------------------------------------------- */

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

tw_status tw_get_absent_devices(unsigned types, tw_absent_device *devices, size_t capacity, size_t *count)
{
    const tw_status status = check_list(devices, capacity, count);
    if (status == TW_SUCCESS)
        *count = tw_absent_list(types, devices, capacity);
    return status;
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

/* ---- selectors --------------------------------------------------------------------------------------------------- */

static int type_score(const tw_device *device, tw_device_type type)
{
    return device && device->backend->type == type ? 100 : -1;
}

int tw_default_selector(const tw_device *device, void *user)
{
    (void)user;
    if (!device)
        return -1;
    if (found.filter[0])
        return 100; /* all alike: the first in TW_DEVICES is selected */
    switch (device->backend->type) {
    case TW_DEVICE_GPU:
        return 400;
    case TW_DEVICE_ACCELERATOR:
        return 300;
    case TW_DEVICE_HOST:
        return 200; /* above an offload device that is the same CPU but needs copies */
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

/* Writes a list like "host (AMD EPYC 7763), sim (Simulated device 0)". */
static void list_names(struct tw_device **devices, size_t count, char *list, size_t bytes)
{
    size_t used = 0;
    for (size_t i = 0; i < count && used < bytes; ++i)
        used += (size_t)snprintf(list + used, bytes - used, "%s%s (%s)", i ? ", " : "",
                                 tw_device_filter_kind(devices[i]->backend->type), tw_device_name(devices[i]));
}

/* Returns true if a selector or TW_DEVICES asks for devices of these types and there are none. */
static bool lacks(tw_device_selector selector, tw_device_selector typed, unsigned types)
{
    return !has_device(types)
           && (selector == typed || (!found.visible_count && tw_device_filter_mentions(found.filter, types)));
}

static tw_status none_selected(tw_device_selector selector)
{
    char list[512] = "";
    const char *advice = "";
    if (lacks(selector, tw_sim_selector, TW_DEVICE_SIM))
        advice = SIM_ADVICE;
    else if (lacks(selector, tw_gpu_selector, TW_DEVICE_GPU) || lacks(selector, NULL, OFFLOAD))
        advice = found.absent;
    const char *link = *advice ? "; " : "";
    if (!found.visible_count) {
        list_names(found.all, found.all_count, list, sizeof list);
        return tw_fail(TW_ERROR_NO_DEVICE, "TW_DEVICES=\"%s\" lets no device through; there is %s%s%s", found.filter,
                       list, link, advice);
    }
    list_names(found.visible, found.visible_count, list, sizeof list);
    return tw_fail(TW_ERROR_NO_DEVICE, "the selector chose none of the devices: %s%s%s%s%s%s", list,
                   found.filter[0] ? "; TW_DEVICES=\"" : "", found.filter,
                   found.filter[0] ? "\" lets no other through" : "", link, advice);
}

/* Returns the name of a selector, as far as the dynamic linker or this file knows it. */
static const char *selector_name(tw_device_selector selector)
{
    Dl_info about;
    if (!selector || selector == tw_default_selector)
        return "tw_default_selector";
    if (selector == tw_gpu_selector)
        return "tw_gpu_selector";
    if (dladdr((void *)(uintptr_t)selector, &about) && about.dli_sname
        && about.dli_saddr == (void *)(uintptr_t)selector)
        return about.dli_sname;
    return "a selector of the program";
}

struct tw_device *tw_best_device(struct tw_device *const *devices, size_t count, tw_device_selector selector,
                                 void *user)
{
    struct tw_device *best = NULL;
    int best_score = -1;
    for (size_t i = 0; i < count; ++i) {
        const int score = (selector ? selector : tw_default_selector)(devices[i], user);
        tw_log(TW_LOG_DEBUG, "choice: score %d for %s:%u (%s)", score, tw_device_filter_kind(devices[i]->backend->type),
               number_of(devices[i]), tw_device_name(devices[i]));
        if (score > best_score) {
            best = devices[i];
            best_score = score;
        }
    }
    if (best)
        tw_log(TW_LOG_INFO, "choice: %s:%u (%s) by %s: score %d, the highest of %zu",
               tw_device_filter_kind(best->backend->type), number_of(best), tw_device_name(best),
               selector_name(selector), best_score, count);
    return best;
}

tw_status tw_select_device(tw_device_selector selector, void *user, tw_device **device)
{
    if (!device)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the place for the device is NULL");
    const tw_status status = tw_discover();
    if (status != TW_SUCCESS)
        return status;
    if (selector == tw_host_selector) {
        tw_log(TW_LOG_INFO, "choice: host:0 (%s) by tw_host_selector", tw_device_name(found.all[0]));
        *device = found.all[0];
        return TW_SUCCESS;
    }
    struct tw_device *best = tw_best_device(found.visible, found.visible_count, selector, user);
    if (!best)
        return none_selected(selector);
    *device = best;
    return TW_SUCCESS;
}
