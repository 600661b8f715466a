/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Groups of nd_range kernels on a CPU: one thread runs a whole group, and its work-items switch stacks at barriers.
 */
#ifndef TEAMWORK_FIBER_H
#define TEAMWORK_FIBER_H

#include <teamwork/lower/kernel/launch.h>

/* The functions that launches on CPUs give to their kernels. All are thread safe. */
extern const struct tw_internal_cpu tw_fiber_cpu;

/* Announces a device that runs groups. Each call is balanced by tw_fiber_close(); the last one frees all stacks. */
void tw_fiber_open(void);
void tw_fiber_close(void);

#endif
