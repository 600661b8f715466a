/* SPDX-License-Identifier: Apache-2.0 */
/** The machine that the program runs on, as hwloc sees it. */
#ifndef TEAMWORK_OFFLOAD_TOPOLOGY_H
#define TEAMWORK_OFFLOAD_TOPOLOGY_H

#include "backend.h"

/* Fills in what hwloc knows of the CPUs; what it does not know stays as it is. */
void tw_topology_describe(struct tw_device_facts *facts);

/* Processors that the process may use; at least 1. Cheap: does not load the topology. */
unsigned tw_topology_processors(void);

#endif
