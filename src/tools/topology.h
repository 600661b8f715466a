/* SPDX-License-Identifier: Apache-2.0 */
/** The machine's processors, caches, memory and GPUs, as hwloc sees them. */
#ifndef TEAMWORK_TOOLS_TOPOLOGY_H
#define TEAMWORK_TOOLS_TOPOLOGY_H

#include <stdbool.h>

#include "report.h"

/* Reports the topology: a tree as text, the member "topology" as JSON. Returns false if hwloc fails. */
bool topology_report(struct report *report);

#endif
