/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulated devices (teamwork/sim.h): memory of their own on the host (sim_memory.c), with faults and delays on demand.
 */
#define _GNU_SOURCE
#include "sim.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "common/host_lowering.h"
#include "common/team.h"
#include "rows.h"
#include "sim_device.h"
#include "sim_memory.h"
#include "sim_pointers.h"
#include "sim_stream.h"
#include "sim_watch.h"

#define SHARED_ALIGNMENT 128u

#define MOST_DEVICES 64u
#define ASYNC_COPIES 2u                /* to an asynchronous device at a time */
#define LOCAL_BYTES ((size_t)48 << 10) /* as much as a GPU gives by default */

static unsigned configured; /* under the discovery lock */
static bool is_configured;

/* Stores the configured number, or that of TW_SIM, or 0. */
static tw_status count(unsigned *devices)
{
    const char *text = tw_environment(TW_VARIABLE_SIM);
    char *end = NULL;
    *devices = is_configured ? configured : 0;
    if (is_configured || !text)
        return TW_SUCCESS;
    const unsigned long number = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    if (!end || *end || number > MOST_DEVICES)
        return tw_fail(TW_ERROR_INVALID_CONFIGURATION, "TW_SIM=\"%s\" is not a number of devices from 0 to %u", text,
                       MOST_DEVICES);
    *devices = (unsigned)number;
    return TW_SUCCESS;
}

static tw_status open_device(unsigned index, struct tw_backend_device **result)
{
    struct tw_sim_device *device = calloc(1, sizeof *device);
    if (!device)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a simulated device");
    device->base =
        (struct tw_backend_device){.backend = &tw_backend_sim, .index = index, .type = TW_DEVICE_SIM, .max_workers = 4};
    pthread_mutex_init(&device->mutex, NULL);
    device->asynchronous = tw_environment_is_on(TW_VARIABLE_SIM_ASYNC);
    device->checks_reads = tw_environment_is_on(TW_VARIABLE_SIM_CHECK);
    const char *memory_bytes = tw_environment(TW_VARIABLE_SIM_MEMORY); /* the runtime has checked it */
    device->memory_bytes = memory_bytes ? strtoull(memory_bytes, NULL, 10) : 0;
    device->base.max_copies = device->asynchronous ? ASYNC_COPIES : 0;
    *result = &device->base;
    return TW_SUCCESS;
}

static void close_device(struct tw_backend_device *device)
{
    if (!device->whole)
        pthread_mutex_destroy(&tw_sim_of(device)->mutex);
    free(device);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* As on GPUs, a sub-device is not divided again. */
static tw_status count_parts(struct tw_backend_device *device, size_t units, size_t *count)
{
    struct tw_device_facts facts = {.name = ""};
    if (device->whole)
        return tw_fail(TW_ERROR_UNSUPPORTED, "a part of a simulated device is not divided again");
    tw_host_describe(device, &facts);
    *count = facts.compute_units / (units ? units : 1);
    return TW_SUCCESS;
}

static tw_status open_part(struct tw_backend_device *device, size_t first, size_t count,
                           struct tw_backend_device **result)
{
    struct tw_sim_part *part = calloc(1, sizeof *part);
    if (!part)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a sub-device");
    part->base = *device;
    part->base.whole = device;
    part->first = first;
    part->units = count;
    *result = &part->base;
    return TW_SUCCESS;
}

static const struct tw_backend_parts parts = {.ways = TW_PARTITION_EQUALLY, .equally = count_parts, .open = open_part};

/* Appends the units of a part to the name, as in "NAME [0-3]". */
static void describe_part(const struct tw_sim_part *part, struct tw_device_facts *facts)
{
    const size_t used = strlen(facts->name);
    facts->compute_units = part->units;
    snprintf(facts->name + used, sizeof facts->name - used, " [%zu-%zu]", part->first, part->first + part->units - 1);
}

static void describe(struct tw_backend_device *device, struct tw_device_facts *facts)
{
    tw_host_describe(device, facts);
    snprintf(facts->name, sizeof facts->name, "Simulated device %u", device->index);
    snprintf(facts->vendor, sizeof facts->vendor, "Teamwork");
    facts->max_work_group_size = TW_INTERNAL_SIMT_MAX_GROUP; /* as on a GPU */
    facts->local_mem_type = TW_LOCAL_MEM_LOCAL;
    facts->local_mem_bytes = LOCAL_BYTES;
    facts->uses_system_memory = facts->unified_memory = false; /* kernels see copies only */
    if (tw_sim_of(device)->memory_bytes)
        facts->global_mem_bytes = tw_sim_of(device)->memory_bytes;
    if (device->whole)
        describe_part((const struct tw_sim_part *)device, facts);
}

static void observe(struct tw_backend_device *base, struct tw_device_state *state)
{
    struct tw_sim_device *device = tw_sim_of(base);
    tw_host_observe(base, state);
    pthread_mutex_lock(&device->mutex);
    state->lost = device->lost;
    if (device->memory_bytes)
        state->free_bytes =
            device->memory_bytes > device->allocated_bytes ? device->memory_bytes - device->allocated_bytes : 0;
    pthread_mutex_unlock(&device->mutex);
}

static tw_status check(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                       struct tw_internal_launch *launch)
{
    tw_status status = tw_host_check(device, kernel, launch);
    if (status == TW_SUCCESS)
        status = tw_host_check_local(kernel, launch, LOCAL_BYTES);
    return status == TW_SUCCESS ? tw_sim_pointers_check(device, kernel, launch) : status;
}

static _Thread_local bool found_full; /* the last allocation failed for lack of room */

/* Returns false after a fault: the program is to see what that does. */
static bool is_full(struct tw_backend_device *device)
{
    (void)device;
    return found_full;
}

/* Counts bytes as allocated. Returns false if the device has no room for them, or if a fault is due. */
static bool take(struct tw_backend_device *base, size_t bytes)
{
    struct tw_sim_device *device = tw_sim_of(base);
    found_full = false;
    if (tw_sim_op_begin(base, TW_SIM_ALLOCATION))
        return false;
    pthread_mutex_lock(&device->mutex);
    found_full =
        device->memory_bytes
        && (device->allocated_bytes > device->memory_bytes || bytes > device->memory_bytes - device->allocated_bytes);
    if (!found_full)
        device->allocated_bytes += bytes;
    pthread_mutex_unlock(&device->mutex);
    return !found_full;
}

static void give(struct tw_backend_device *device, size_t bytes)
{
    pthread_mutex_lock(&tw_sim_of(device)->mutex);
    tw_sim_of(device)->allocated_bytes -= bytes;
    pthread_mutex_unlock(&tw_sim_of(device)->mutex);
}

static void *allocate(struct tw_backend_device *device, size_t bytes)
{
    if (!take(device, bytes))
        return NULL;
    void *memory = tw_sim_memory_allocate(device, bytes);
    if (!memory)
        give(device, bytes);
    return memory;
}

static void *allocate_shared(struct tw_backend_device *device, size_t bytes)
{
    const size_t whole = (bytes + SHARED_ALIGNMENT - 1) / SHARED_ALIGNMENT * SHARED_ALIGNMENT;
    return tw_sim_op_begin(device, TW_SIM_ALLOCATION) ? NULL : aligned_alloc(SHARED_ALIGNMENT, whole);
}

static void free_shared(struct tw_backend_device *device, void *memory)
{
    (void)device;
    free(memory);
}

static tw_status examine(struct tw_backend_device *device, const void *memory, size_t bytes, bool *shared)
{
    *shared = false;
    return tw_sim_memory_examine(device, memory, bytes);
}

static void release(struct tw_backend_device *device, void *memory)
{
    give(device, tw_sim_memory_free(memory));
}

static size_t page_bytes(struct tw_backend_device *device)
{
    (void)device;
    return sysconf(_SC_PAGESIZE) <= (long)TW_SIM_PAGE_BYTES ? TW_SIM_PAGE_BYTES : 0;
}

static void *reserve(struct tw_backend_device *device, size_t bytes)
{
    return tw_sim_memory_reserve(device, bytes);
}

static bool back(struct tw_backend_device *device, void *reserved, size_t at, size_t bytes)
{
    if (!take(device, bytes))
        return false;
    if (tw_sim_memory_back(reserved, at, bytes))
        return true;
    give(device, bytes);
    return false;
}

static void unback(struct tw_backend_device *device, void *reserved, size_t at, size_t bytes)
{
    tw_sim_memory_unback(reserved, at, bytes);
    give(device, bytes);
}

static void release_reserved(struct tw_backend_device *device, void *reserved, size_t bytes)
{
    (void)device, (void)bytes;
    (void)tw_sim_memory_free(reserved);
}

/* Returns the copy of the first half of the rows, or of the first half of one row. */
static struct tw_backend_copy half_of(const struct tw_backend_copy *copy)
{
    struct tw_backend_copy half = tw_rows_join(*copy);
    size_t *divided = half.planes > 1 ? &half.planes : half.rows > 1 ? &half.rows : &half.row_bytes;
    *divided /= 2;
    return half;
}

static tw_status copy(const struct tw_backend_copy *copy)
{
    struct tw_backend_device *device = copy->to ? copy->to : copy->from;
    tw_sim_count_bytes(device, tw_backend_copy_bytes(copy));
    if (tw_sim_op_begin(device, TW_SIM_COPY)) {
        const struct tw_backend_copy half = half_of(copy);
        tw_rows_copy(&half);
        return tw_sim_refuse_copy(device, copy->to != NULL, tw_backend_copy_bytes(copy));
    }
    tw_rows_copy(copy);
    return tw_sim_memory_check_copy(copy);
}

static tw_status fill(struct tw_backend_device *device, const struct tw_backend_fill *fill)
{
    if (tw_sim_op_begin(device, TW_SIM_COPY))
        return tw_sim_refuse_fill(device, fill);
    tw_rows_fill(fill);
    return tw_sim_memory_check_fill(fill);
}

/* Shared memory is the host's and moves nowhere: a prefetch is counted, delayed and fails as a copy does. */
static tw_status hint(struct tw_backend_device *device, const struct tw_backend_hint *hint)
{
    if (!hint->prefetches)
        return TW_SUCCESS;
    tw_sim_count_bytes(device, hint->bytes);
    return tw_sim_op_begin(device, TW_SIM_COPY) ? tw_sim_refuse_copy(device, !hint->to_host, hint->bytes) : TW_SUCCESS;
}

static tw_status launch(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description)
{
    return tw_sim_op_begin(device, TW_SIM_LAUNCH) ? tw_sim_refuse_launch(device, kernel)
                                                  : tw_sim_run_kernel(device, kernel, description);
}

static tw_status watch(struct tw_backend_device *device, const struct tw_internal_launch *launch,
                       tw_status (*function)(void *user), void *user)
{
    struct tw_sim_watch watch = tw_sim_watch_of(device, NULL, launch, tw_sim_of(device)->checks_reads);
    return tw_sim_watch_run(&watch, NULL, function, user);
}

/* ---- faults and delays on demand --------------------------------------------------------------------------------- */

static tw_status configure(unsigned count)
{
    if (count > MOST_DEVICES)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%u simulated devices are more than %u", count, MOST_DEVICES);
    configured = count;
    is_configured = true;
    return TW_SUCCESS;
}

static void set_fault(struct tw_backend_device *base, tw_sim_operation operation, uint64_t n, bool on)
{
    struct tw_sim_device *device = tw_sim_of(base);
    pthread_mutex_lock(&device->mutex);
    device->fail_at[operation] = n ? device->counts[operation] + n : 0;
    device->fail_on[operation] = on;
    pthread_mutex_unlock(&device->mutex);
}

static void set_delay(struct tw_backend_device *base, tw_sim_operation operation, uint64_t delay_ns)
{
    struct tw_sim_device *device = tw_sim_of(base);
    pthread_mutex_lock(&device->mutex);
    device->delay_ns[operation] = delay_ns;
    pthread_mutex_unlock(&device->mutex);
}

static uint64_t count_of(struct tw_backend_device *base, tw_sim_operation operation)
{
    struct tw_sim_device *device = tw_sim_of(base);
    pthread_mutex_lock(&device->mutex);
    const uint64_t counted = device->counts[operation];
    pthread_mutex_unlock(&device->mutex);
    return counted;
}

static uint64_t allocated_bytes(struct tw_backend_device *base)
{
    struct tw_sim_device *device = tw_sim_of(base);
    pthread_mutex_lock(&device->mutex);
    const uint64_t bytes = device->allocated_bytes;
    pthread_mutex_unlock(&device->mutex);
    return bytes;
}

static uint64_t copied_bytes(struct tw_backend_device *base)
{
    struct tw_sim_device *device = tw_sim_of(base);
    pthread_mutex_lock(&device->mutex);
    const uint64_t bytes = device->copied_bytes;
    pthread_mutex_unlock(&device->mutex);
    return bytes;
}

static void reset(struct tw_backend_device *base)
{
    struct tw_sim_device *device = tw_sim_of(base);
    pthread_mutex_lock(&device->mutex);
    memset(device->counts, 0, sizeof device->counts);
    device->copied_bytes = 0;
    memset(device->fail_at, 0, sizeof device->fail_at);
    memset(device->delay_ns, 0, sizeof device->delay_ns);
    device->lost = false;
    pthread_mutex_unlock(&device->mutex);
}

static const struct tw_backend_memory memory = {
    .allocate = allocate,
    .is_full = is_full,
    .allocate_shared = allocate_shared,
    .free_shared = free_shared,
    .free = release,
    .page_bytes = page_bytes,
    .reserve = reserve,
    .back = back,
    .unback = unback,
    .release = release_reserved,
    .copy = copy,
    .fill = fill,
    .hint = hint,
    .examine = examine,
};

static const struct tw_backend_simulation simulation = {
    .configure = configure,
    .fail = set_fault,
    .delay = set_delay,
    .count = count_of,
    .allocated_bytes = allocated_bytes,
    .copied_bytes = copied_bytes,
    .reset = reset,
};

const struct tw_backend tw_backend_sim = {
    .name = "sim",
    .memory = &memory,
    .async = &tw_sim_async,
    .graphs = &tw_sim_graphs,
    .simulation = &simulation,
    .parts = &parts,
    .count = count,
    .open = open_device,
    .close = close_device,
    .begin_thread = tw_team_begin_worker,
    .end_program = tw_sim_end_program,
    .describe = describe,
    .observe = observe,
    .check = check,
    .watch = watch,
    .load = tw_host_load,
    .limits = tw_host_limits,
    .launch = launch,
};
