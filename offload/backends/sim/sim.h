/* SPDX-License-Identifier: Apache-2.0 */
/** Simulated devices (teamwork/sim.h). */
#ifndef TEAMWORK_OFFLOAD_SIM_H
#define TEAMWORK_OFFLOAD_SIM_H

#include "backend.h"

extern const struct tw_backend tw_backend_sim;

#endif
