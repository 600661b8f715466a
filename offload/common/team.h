/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The OpenMP team of a thread that runs kernels on the host's processors: the processors of its threads, and the time
 * for which they poll.
 */
#ifndef TEAMWORK_OFFLOAD_TEAM_H
#define TEAMWORK_OFFLOAD_TEAM_H

/* Reads OpenMP's settings. Called before there are many threads. */
void tw_team_open(void);

/* Prepares a worker thread for running OpenMP regions of its own. */
void tw_team_begin_worker(void);

/* The same for a worker of a part of the machine, whose teams have at most `count` >= 1 threads: thread i runs on
   processors[i], unless the environment controls binding. The array outlives the thread. */
void tw_team_begin_part_worker(const int *processors, unsigned count);

/* Shortens the time for which a worker's team polls, unless the environment sets it. The team must not poll for
   libomp's 200 ms when the program's own thread takes over. From then on libomp counts the thread as one of its own. */
void tw_team_shorten_polling(void);

/* Prepares the team of the calling thread for a parallel region. */
void tw_team_bind(void);

/* Moves the launching thread away from a processor that another thread of its team is bound to, and leaves it
   unbound. */
void tw_team_step_aside(void);

/* Returns the milliseconds for which a waiting thread of the team polls before it sleeps. */
unsigned tw_team_poll_limit_ms(void);

#endif
