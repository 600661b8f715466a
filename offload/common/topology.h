/* SPDX-License-Identifier: Apache-2.0 */
/** The machine that the program runs on, as hwloc sees it. */
#ifndef TEAMWORK_OFFLOAD_TOPOLOGY_H
#define TEAMWORK_OFFLOAD_TOPOLOGY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>

#include "backend.h"

/* Fills in what hwloc knows of the CPUs; what it does not know stays as it is. */
void tw_topology_describe(struct tw_device_facts *facts);

/* The processors that the process was started with; empty if that is not known. */
const cpu_set_t *tw_topology_allowed(void);

/* Processors that the process may use; at least 1. Cheap: does not load the topology. */
unsigned tw_topology_processors(void);

#endif
