/* SPDX-License-Identifier: Apache-2.0 */
/** Copies that bring a command's data to where it is needed. */
#ifndef TEAMWORK_RUNTIME_COPY_TASK_H
#define TEAMWORK_RUNTIME_COPY_TASK_H

#include "graph/coherence.h"

/* Returns the ordering domain for a copy; NULL if it must wait on the host until all its predecessors are finished. */
const void *tw_copy_domain(const struct tw_copy_plan *plan);

#endif
