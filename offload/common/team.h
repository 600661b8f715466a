/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The OpenMP team of a thread that runs kernels on the host's processors: where its threads run, and how long they
 * poll.
 */
#ifndef TEAMWORK_OFFLOAD_TEAM_H
#define TEAMWORK_OFFLOAD_TEAM_H

/* Notes how OpenMP is set, before there are many threads. */
void tw_team_open(void);

/* Prepares a worker thread for running OpenMP regions of its own. */
void tw_team_begin_worker(void);

/* Lets the team of a worker sleep soon, unless the environment says how long it polls: it must not poll for libomp's
   200 ms when the program's own thread takes over. From then on the thread counts as one of OpenMP's. */
void tw_team_shorten_polling(void);

/* Prepares the team of the calling thread for a parallel region. */
void tw_team_bind(void);

/* Moves the launching thread away from a processor that another thread of its team is bound to, and leaves it free
   there. */
void tw_team_step_aside(void);

/* How many milliseconds a thread of the team that waits polls before it sleeps. */
unsigned tw_team_patience_ms(void);

#endif
