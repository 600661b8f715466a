/* SPDX-License-Identifier: Apache-2.0 */
/** Streams and graphs of simulated devices. A device that is not asynchronous takes no launch. */
#ifndef TEAMWORK_OFFLOAD_SIM_STREAM_H
#define TEAMWORK_OFFLOAD_SIM_STREAM_H

#include "backend.h"

extern const struct tw_backend_async tw_sim_async;
extern const struct tw_backend_graphs tw_sim_graphs;

/* As tw_backend.end_program. */
void tw_sim_end_program(void);

#endif
