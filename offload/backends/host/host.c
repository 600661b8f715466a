/* SPDX-License-Identifier: Apache-2.0 */
/* The host backend: the initial device, zero copy. Kernels run in the host lowering on the calling thread's team. */
#define _GNU_SOURCE
#include "host.h"

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fiber.h"
#include "common/host_lowering.h"
#include "common/openmp.h"
#include "common/team.h"
#include "common/topology.h"
#include "host_batch.h"

/* Enough workers to overlap single tasks; parallel kernels occupy the device. */
#define MAX_WORKERS 8u

/* The host, or a part of it. */
struct host_device {
    struct tw_backend_device base;
    size_t units;    /* processors; 0: all of the process, not sorted yet */
    int *processors; /* sorted, so that neighbours share caches; allocated with a part, on demand for the host */
};

static struct host_device *host(struct tw_backend_device *device)
{
    return (struct host_device *)device;
}

static tw_status count(unsigned *devices)
{
    *devices = 1;
    return TW_SUCCESS;
}

/* In a program with the static library, OpenMP's functions come from the first OpenMP library that is linked, but
   parallel regions are libomp's. If another library comes first, each thread of a team would find itself alone. */
static tw_status check_libomp(void)
{
    Dl_info interface, libomp;
    if (!dladdr((void *)(uintptr_t)omp_get_thread_limit, &interface)
        || !dladdr((void *)(uintptr_t)kmp_get_blocktime, &libomp) || interface.dli_fbase == libomp.dli_fbase)
        return TW_SUCCESS;
    return tw_fail(TW_ERROR_UNSUPPORTED,
                   "the program is linked with two OpenMP libraries, and %s comes before %s: link the shared "
                   "library of Teamwork, or leave the first one out (OpenMP::OpenMP_CXX is of the C++ compiler)",
                   interface.dli_fname, libomp.dli_fname);
}

static tw_status open_device(unsigned index, struct tw_backend_device **result)
{
    const tw_status status = check_libomp();
    if (status != TW_SUCCESS)
        return status;
    struct host_device *device = calloc(1, sizeof *device);
    if (!device)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the host device");
    tw_openmp_start();
    tw_team_open();
    tw_fiber_open();
    const unsigned processors = tw_topology_processors();
    device->base = (struct tw_backend_device){.backend = &tw_backend_host,
                                              .index = index,
                                              .type = TW_DEVICE_HOST,
                                              .exclusive = true,
                                              .max_workers = processors < MAX_WORKERS ? processors : MAX_WORKERS};
    *result = &device->base;
    return TW_SUCCESS;
}

static void close_device(struct tw_backend_device *device)
{
    if (!device->has_own_threads) {
        tw_fiber_close();
        tw_topology_close();
    }
    free(host(device)->processors);
    free(device);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static pthread_mutex_t listing = PTHREAD_MUTEX_INITIALIZER;

static tw_status list_processors_locked(struct host_device *device)
{
    if (device->units)
        return TW_SUCCESS;
    const cpu_set_t *allowed = tw_topology_allowed();
    device->processors = calloc(tw_topology_processors(), sizeof *device->processors);
    if (!device->processors)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the list of processors");
    for (int processor = 0; processor < CPU_SETSIZE; ++processor)
        if (CPU_ISSET(processor, allowed))
            device->processors[device->units++] = processor;
    if (!device->units)
        device->units = 1; /* the system does not say */
    tw_topology_sort(device->processors, device->units);
    return TW_SUCCESS;
}

/* Lists the processors of the process, in hwloc's order, unless that has been done. */
static tw_status list_processors(struct host_device *device)
{
    pthread_mutex_lock(&listing);
    const tw_status status = list_processors_locked(device);
    pthread_mutex_unlock(&listing);
    return status;
}

static tw_status list_domains(struct tw_backend_device *device, tw_affinity_domain domain, size_t *counts,
                              size_t *domains)
{
    const tw_status status = list_processors(host(device));
    if (status == TW_SUCCESS)
        *domains = tw_topology_domains(domain, host(device)->processors, host(device)->units, counts);
    return status;
}

static tw_status open_part(struct tw_backend_device *parent, size_t first, size_t count,
                           struct tw_backend_device **result)
{
    const tw_status status = list_processors(host(parent));
    if (status != TW_SUCCESS)
        return status;
    struct host_device *part = calloc(1, sizeof *part);
    int *processors = malloc(count * sizeof *processors);
    if (!part || !processors) {
        free(part);
        free(processors);
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a sub-device");
    }
    memcpy(processors, &host(parent)->processors[first], count * sizeof *processors);
    part->base = *parent;
    part->base.has_own_threads = true;
    part->base.max_workers = 1; /* its team is bound to all of the processors */
    part->units = count;
    part->processors = processors;
    *result = &part->base;
    return TW_SUCCESS;
}

static void begin_part_thread(struct tw_backend_device *part)
{
    tw_team_begin_part_worker(host(part)->processors, (unsigned)host(part)->units);
}

static const struct tw_backend_parts parts = {
    .ways = TW_PARTITION_EQUALLY | TW_PARTITION_BY_COUNTS | TW_PARTITION_BY_AFFINITY_DOMAIN,
    .domains = list_domains,
    .open = open_part,
    .begin_thread = begin_part_thread,
};

/* Appends the processors of a part to the name of the machine's, as in "NAME [0-3,8]". */
static void describe_processors(const struct host_device *part, char *name, size_t bytes)
{
    size_t used = strlen(name);
    for (size_t i = 0, past; i < part->units && used < bytes; i = past) {
        for (past = i + 1; past < part->units && part->processors[past] == part->processors[past - 1] + 1; ++past) {
        }
        used += (size_t)snprintf(name + used, bytes - used, "%s%d", i ? "," : " [", part->processors[i]);
        if (past > i + 1 && used < bytes)
            used += (size_t)snprintf(name + used, bytes - used, "-%d", part->processors[past - 1]);
    }
    if (used < bytes)
        snprintf(name + used, bytes - used, "]");
}

static void describe(struct tw_backend_device *device, struct tw_device_facts *facts)
{
    tw_host_describe(device, facts);
    struct host_device *part = host(device);
    if (!device->has_own_threads)
        return;
    facts->compute_units = part->units;
    size_t *counts = calloc(part->units, sizeof *counts);
    const size_t nodes = counts ? tw_topology_domains(TW_AFFINITY_NUMA, part->processors, part->units, counts) : 0;
    free(counts);
    facts->numa_nodes = nodes ? nodes : 1;
    describe_processors(part, facts->name, sizeof facts->name);
}

static void limits(struct tw_backend_device *device, const struct tw_internal_kernel *kernel, size_t items,
                   size_t local_bytes, struct tw_kernel_facts *facts)
{
    tw_host_limits(device, kernel, items, local_bytes, facts);
    if (device->has_own_threads && facts->resident_groups > host(device)->units)
        facts->resident_groups = host(device)->units;
}

static tw_status launch(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description)
{
    return description->stages ? tw_host_launch_stages(device, kernel, description)
                               : tw_host_run(kernel, description, NULL);
}

static int omp_number(const struct tw_backend_device *device)
{
    (void)device;
    return tw_openmp_host();
}

static const struct tw_backend_interop interop = {
    .omp_number = omp_number,
    .omp_default = tw_openmp_default,
    .omp_set_default = tw_openmp_set_default,
    .omp_stand_in = tw_openmp_stand_in,
    .omp_fulfill = tw_openmp_fulfill,
    .omp_mapped = tw_openmp_mapped,
};

const struct tw_backend tw_backend_host = {
    .name = "host",
    .runs_stages = true,
    .interop = &interop,
    .parts = &parts,
    .count = count,
    .open = open_device,
    .close = close_device,
    .begin_thread = tw_team_begin_worker,
    .describe = describe,
    .observe = tw_host_observe,
    .check = tw_host_check,
    .load = tw_host_load,
    .limits = limits,
    .launch = launch,
    .launch_batch = tw_host_launch_batch,
};
