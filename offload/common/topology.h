/* SPDX-License-Identifier: Apache-2.0 */
/** The machine that the program runs on, as hwloc sees it. */
#ifndef TEAMWORK_OFFLOAD_TOPOLOGY_H
#define TEAMWORK_OFFLOAD_TOPOLOGY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>

#include "backend.h"

/* Fills in the facts of the CPUs that hwloc or the C library knows; the others stay as they are. */
void tw_topology_describe(struct tw_device_facts *facts);

/* Returns the bytes of the machine's memory that programs can still take; 0 if they are not known. */
size_t tw_topology_free_bytes(void);

/* Sorts processors: those that share memory and caches come next to each other, in hwloc's order. What hwloc does not know
   comes last. */
void tw_topology_sort(int *processors, size_t count);

/* Stores, for each domain that sorted processors belong to, how many of them do. `counts` has room for one number a
   processor. Returns the number of domains; 0 if there are none of that kind. */
size_t tw_topology_domains(tw_affinity_domain domain, const int *processors, size_t count, size_t *counts);

/* Returns the processors that the process was started with; the set is empty if they are not known. */
const cpu_set_t *tw_topology_allowed(void);

/* Returns the number of processors that the process may use, at least 1. Cheap: does not load the topology. */
unsigned tw_topology_processors(void);

/* Gives the topology back that the other functions keep. Nobody is in one of them. */
void tw_topology_close(void);

#endif
