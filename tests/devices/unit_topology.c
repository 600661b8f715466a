/* SPDX-License-Identifier: Apache-2.0 */
/** The order of processors and their domains (offload/common/topology.h), on machines that hwloc makes up. */
#include "tw_test.h"

#include <dlfcn.h>
#include <hwloc.h>

#include "common/topology.h"

enum { MOST = 64 };

static int loads;

/* In place of hwloc's: counts the calls. */
int hwloc_topology_load(hwloc_topology_t topology)
{
    int (*load)(hwloc_topology_t) = NULL;
    *(void **)&load = dlsym(RTLD_NEXT, "hwloc_topology_load");
    ++loads;
    return load(topology);
}

/* What several devices ask of the machine is found out once, until a shutdown. */
TW_TEST(the_topology_is_loaded_once)
{
    tw_test_use_sim(3);
    for (int turn = 1; turn <= 2; ++turn) {
        size_t count = 0;
        TW_PASS(tw_get_devices(TW_DEVICE_ALL, NULL, 0, &count));
        TW_CHECK(count >= 3);
        TW_EQUAL(loads, turn);
        tw_shutdown();
    }
}

/* Stores the processors with the numbers 0 to count - 1, sorted. */
static void sort(const char *machine, int *processors, size_t count)
{
    setenv("HWLOC_SYNTHETIC", machine, 1);
    tw_topology_close();
    for (size_t i = 0; i < count; ++i)
        processors[i] = (int)i;
    tw_topology_sort(processors, count);
}

/* Checks that processors have `domains` domains of `each`. */
static void expect(tw_affinity_domain domain, const int *processors, size_t count, size_t domains, size_t each)
{
    size_t counts[MOST];
    TW_EQUAL(tw_topology_domains(domain, processors, count, counts), domains);
    for (size_t i = 0; i < domains; ++i)
        TW_EQUAL(counts[i], each);
}

TW_TEST(domains_of_a_machine_with_two_nodes)
{
    int processors[MOST];
    sort("numa:2 l3:2 l2:4 core:1 pu:2", processors, 32);
    for (int i = 0; i < 32; ++i)
        TW_EQUAL(processors[i], i);
    expect(TW_AFFINITY_NUMA, processors, 32, 2, 16);
    expect(TW_AFFINITY_L4_CACHE, processors, 32, 0, 0);
    expect(TW_AFFINITY_L3_CACHE, processors, 32, 4, 8);
    expect(TW_AFFINITY_L2_CACHE, processors, 32, 16, 2);
    expect(TW_AFFINITY_L1_CACHE, processors, 32, 0, 0);
    /* a part of the machine */
    expect(TW_AFFINITY_NUMA, &processors[8], 8, 1, 8);
    expect(TW_AFFINITY_L3_CACHE, &processors[12], 8, 2, 4);
}

/* Systems number the second hardware threads of all cores after the first ones. They come next to each other. */
TW_TEST(hardware_threads_of_a_core_are_neighbours)
{
    int processors[MOST];
    sort("numa:2 core:4 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)", processors, 16);
    for (int i = 0; i < 16; ++i)
        TW_EQUAL(processors[i], i / 2 + i % 2 * 8);
    expect(TW_AFFINITY_NUMA, processors, 16, 2, 8);
}

/* A process may have some of the processors only, and hwloc may not know others. */
TW_TEST(processors_that_are_missing)
{
    int some[4] = {14, 0, 99, 8};
    size_t counts[4];
    setenv("HWLOC_SYNTHETIC", "numa:2 core:4 pu:2", 1);
    tw_topology_close();
    tw_topology_sort(some, 4);
    TW_CHECK(some[0] == 0 && some[1] == 8 && some[2] == 14 && some[3] == 99);
    TW_EQUAL(tw_topology_domains(TW_AFFINITY_NUMA, some, 4, counts), 3);
    TW_CHECK(counts[0] == 1 && counts[1] == 2 && counts[2] == 1);
    TW_EQUAL(tw_topology_domains(TW_AFFINITY_NUMA, &some[3], 1, counts), 0);
}

TW_TEST_LIST = {TW_CASE(the_topology_is_loaded_once), TW_CASE(domains_of_a_machine_with_two_nodes),
                TW_CASE(hardware_threads_of_a_core_are_neighbours), TW_CASE(processors_that_are_missing), TW_CASES_END};
