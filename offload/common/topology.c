/* SPDX-License-Identifier: Apache-2.0 */
/* The machine as hwloc sees it (topology.h). Where hwloc finds nothing, as in containers without /sys, the C library
   gives the most important facts. */
#define _GNU_SOURCE
#include "topology.h"

#include <hwloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
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

/* The topology, which takes hwloc milliseconds to find: it is loaded once for all devices. Nobody changes it. */
static struct {
    pthread_mutex_t mutex;
    hwloc_topology_t topology;
    bool is_loaded;
} machine = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Returns the topology, until tw_topology_close(); NULL if hwloc finds none. */
static hwloc_topology_t load(void)
{
    pthread_mutex_lock(&machine.mutex);
    if (!machine.is_loaded && hwloc_topology_init(&machine.topology) == 0) {
        machine.is_loaded = hwloc_topology_load(machine.topology) == 0;
        if (!machine.is_loaded)
            hwloc_topology_destroy(machine.topology);
    }
    const hwloc_topology_t topology = machine.is_loaded ? machine.topology : NULL;
    pthread_mutex_unlock(&machine.mutex);
    return topology;
}

void tw_topology_close(void)
{
    pthread_mutex_lock(&machine.mutex);
    if (machine.is_loaded)
        hwloc_topology_destroy(machine.topology);
    machine.is_loaded = false;
    pthread_mutex_unlock(&machine.mutex);
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
        if (object->attr->cache.depth == 1)
            facts->l1_bytes = object->attr->cache.size;
        if (object->attr->cache.depth == 2)
            facts->l2_bytes = object->attr->cache.size;
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

/* Returns PCI's number of who made a processor; 0 if it is not known. */
static unsigned vendor_id(const char *vendor)
{
    return strcmp(vendor, "GenuineIntel") == 0 ? 0x8086 : strcmp(vendor, "AuthenticAMD") == 0 ? 0x1022 : 0;
}

/* Describes the arithmetic of the processors, which may have more than a program is compiled for. */
static void describe_arithmetic(struct tw_device_facts *facts)
{
    const unsigned exact =
        TW_FP_DENORM | TW_FP_INF_NAN | TW_FP_ROUND_TO_NEAREST | TW_FP_FMA | TW_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    facts->single_config = facts->double_config = exact;
    facts->half_config = exact | TW_FP_SOFT_FLOAT;
#if defined(__x86_64__)
    const bool avx512 = __builtin_cpu_supports("avx512f");
    facts->float_vector_bytes = avx512 ? 64 : __builtin_cpu_supports("avx") ? 32 : 16;
    facts->int_vector_bytes = avx512 ? 64 : __builtin_cpu_supports("avx2") ? 32 : 16;
    if (__builtin_cpu_supports("avx512fp16")) {
        facts->half_config = exact;
        facts->half_vector_bytes = 64;
    }
#elif defined(__aarch64__)
    facts->float_vector_bytes = facts->int_vector_bytes = 16;
#endif
}

size_t tw_topology_free_bytes(void)
{
    unsigned long kib = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && !kib && fgets(line, sizeof line, file))
        (void)sscanf(line, "MemAvailable: %lu kB", &kib);
    if (file)
        fclose(file);
    return kib ? (size_t)kib << 10 : (size_t)sysconf(_SC_AVPHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

/* Describes what hwloc knows. */
static void describe_machine(struct tw_device_facts *facts)
{
    const hwloc_topology_t topology = load();
    if (!topology)
        return;
    const hwloc_obj_t root = hwloc_get_root_obj(topology);
    const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const int nodes = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
    if (package) {
        copy_text(facts->name, sizeof facts->name, hwloc_obj_get_info_by_name(package, "CPUModel"));
        copy_text(facts->vendor, sizeof facts->vendor, hwloc_obj_get_info_by_name(package, "CPUVendor"));
        facts->vendor_id = vendor_id(facts->vendor);
    }
    if (root->total_memory)
        facts->global_mem_bytes = root->total_memory;
    if (nodes > 0)
        facts->numa_nodes = (size_t)nodes;
    describe_cache(topology, facts);
}

void tw_topology_describe(struct tw_device_facts *facts)
{
    struct utsname system;
    struct timespec tick;
    if (uname(&system) == 0) {
        snprintf(facts->driver_version, sizeof facts->driver_version, "%.31s", system.release);
        snprintf(facts->architecture, sizeof facts->architecture, "%.31s", system.machine);
    }
    if (clock_getres(CLOCK_MONOTONIC, &tick) == 0)
        facts->timer_ns = tick.tv_sec ? 1000000000u : (size_t)tick.tv_nsec;
    facts->has_error_correction = access("/sys/devices/system/edac/mc/mc0", F_OK) == 0;
    describe_arithmetic(facts);
    copy_text(facts->name, sizeof facts->name, "CPU");
    facts->compute_units = tw_topology_processors();
    facts->global_mem_bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    facts->cacheline_bytes = 64;
    facts->numa_nodes = 1;
    describe_clock(facts);

    describe_machine(facts);
}

/* ---- parts of the machine ---------------------------------------------------------------------------------------- */

static hwloc_obj_t unit_of(hwloc_topology_t topology, int processor)
{
    return hwloc_get_pu_obj_by_os_index(topology, (unsigned)processor);
}

void tw_topology_sort(int *processors, size_t count)
{
    const hwloc_topology_t topology = load();
    if (!topology)
        return;
    /* an insertion sort: the order is nearly that of the system's numbers, and this is done once */
    for (size_t i = 1; i < count; ++i) {
        const int processor = processors[i];
        const hwloc_obj_t unit = unit_of(topology, processor);
        size_t at = i;
        for (; at && unit; --at) {
            const hwloc_obj_t before = unit_of(topology, processors[at - 1]);
            if (before && before->logical_index < unit->logical_index)
                break;
            processors[at] = processors[at - 1];
        }
        processors[at] = processor;
    }
}

/* Returns a number of the domain that a processor belongs to, unlike those of others; -1 if it belongs to none. */
static int domain_of(hwloc_topology_t topology, tw_affinity_domain domain, int processor)
{
    const hwloc_obj_t unit = unit_of(topology, processor);
    if (!unit)
        return -1;
    if (domain == TW_AFFINITY_NUMA)
        return unit->nodeset ? hwloc_bitmap_first(unit->nodeset) : -1;
    const hwloc_obj_type_t type = domain == TW_AFFINITY_L4_CACHE   ? HWLOC_OBJ_L4CACHE
                                  : domain == TW_AFFINITY_L3_CACHE ? HWLOC_OBJ_L3CACHE
                                  : domain == TW_AFFINITY_L2_CACHE ? HWLOC_OBJ_L2CACHE
                                                                   : HWLOC_OBJ_L1CACHE;
    const hwloc_obj_t cache = hwloc_get_ancestor_obj_by_type(topology, type, unit);
    return cache ? (int)cache->logical_index : -1;
}

size_t tw_topology_domains(tw_affinity_domain domain, const int *processors, size_t count, size_t *counts)
{
    const hwloc_topology_t topology = load();
    size_t domains = 0;
    int last = -1;
    bool any = false;
    for (size_t i = 0; topology && i < count; ++i) {
        const int here = domain_of(topology, domain, processors[i]);
        any = any || here >= 0;
        if (!i || here != last)
            counts[domains++] = 0;
        ++counts[domains - 1];
        last = here;
    }
    return any ? domains : 0;
}
