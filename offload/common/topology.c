/* SPDX-License-Identifier: Apache-2.0 */
/* The machine as hwloc sees it (topology.h). Where hwloc finds nothing, as in containers without /sys, the C library
   gives the most important facts. */
#define _GNU_SOURCE
#include "topology.h"

#include <hwloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The processors that the process may use, read before OpenMP binds the main thread. */
static cpu_set_t allowed;

__attribute__((constructor)) static void save_affinity(void)
{
    if (sched_getaffinity(0, sizeof allowed, &allowed))
        CPU_ZERO(&allowed);
}

const cpu_set_t *tw_topology_allowed(void)
{
    return &allowed;
}

unsigned tw_topology_processors(void)
{
    return CPU_COUNT(&allowed) > 0 ? (unsigned)CPU_COUNT(&allowed) : 1;
}

static void copy_text(char *to, size_t bytes, const char *from)
{
    if (from)
        snprintf(to, bytes, "%s", from);
}

static void describe_cache(hwloc_topology_t topology, struct tw_device_facts *facts)
{
    hwloc_obj_t unit = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0);
    for (hwloc_obj_t object = unit ? unit->parent : NULL; object; object = object->parent) {
        if (!hwloc_obj_type_is_dcache(object->type) || !object->attr)
            continue;
        facts->cache_bytes = object->attr->cache.size; /* the last one met is the outermost */
        if (object->attr->cache.linesize)
            facts->cacheline_bytes = object->attr->cache.linesize;
    }
}

static void describe_clock(struct tw_device_facts *facts)
{
    unsigned long khz = 0;
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "r");
    if (!file)
        return;
    if (fscanf(file, "%lu", &khz) == 1)
        facts->clock_mhz = khz / 1000;
    fclose(file);
}

void tw_topology_describe(struct tw_device_facts *facts)
{
    struct utsname system;
    if (uname(&system) == 0)
        snprintf(facts->driver_version, sizeof facts->driver_version, "%.31s", system.release);
    copy_text(facts->name, sizeof facts->name, "CPU");
    facts->compute_units = tw_topology_processors();
    facts->global_mem_bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    facts->cacheline_bytes = 64;
    facts->numa_nodes = 1;
    describe_clock(facts);

    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology))
        return;
    if (hwloc_topology_load(topology) == 0) {
        const hwloc_obj_t root = hwloc_get_root_obj(topology);
        const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
        const int nodes = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
        if (package) {
            copy_text(facts->name, sizeof facts->name, hwloc_obj_get_info_by_name(package, "CPUModel"));
            copy_text(facts->vendor, sizeof facts->vendor, hwloc_obj_get_info_by_name(package, "CPUVendor"));
        }
        if (root->total_memory)
            facts->global_mem_bytes = root->total_memory;
        if (nodes > 0)
            facts->numa_nodes = (size_t)nodes;
        describe_cache(topology, facts);
    }
    hwloc_topology_destroy(topology);
}
