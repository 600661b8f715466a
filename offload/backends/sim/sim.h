/* SPDX-License-Identifier: Apache-2.0 */
/** How many simulated devices there are to be; the rest of the backend is behind its table and teamwork/sim.h. */
#ifndef TEAMWORK_OFFLOAD_SIM_H
#define TEAMWORK_OFFLOAD_SIM_H

#include <teamwork/status.h>

#define TW_SIM_MAX_DEVICES 64u

/* Overrides TW_SIM. Under the discovery lock. */
void tw_sim_configure(unsigned count);

/* What tw_sim_configure() said, else TW_SIM, else none. TW_ERROR_INVALID_CONFIGURATION if TW_SIM is no such number. */
tw_status tw_sim_configured(unsigned *count);

#endif
