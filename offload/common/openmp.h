/* SPDX-License-Identifier: Apache-2.0 */
/** OpenMP's offload devices, before any of them is used, and which backend has which. All under the discovery lock. */
#ifndef TEAMWORK_OFFLOAD_OPENMP_H
#define TEAMWORK_OFFLOAD_OPENMP_H

#include <stdbool.h>

/* Starts libomptarget if the program has it and has not. Needed even where only the host is used: with a tool loaded,
   libomp asks libomptarget for its devices in the first parallel region. */
void tw_openmp_start(void);

/* How many offload devices there are, once that has been called. They are numbered from 0. */
int tw_openmp_devices(void);

/* The number that stands for the host. */
int tw_openmp_host(void);

/* From now on there are no devices: libomptarget would end the program when it is asked for one. */
void tw_openmp_give_up(void);

/* Says whether a backend has a device for itself. Returns false, and has done nothing, if that cannot be noted. */
bool tw_openmp_claim(int number, bool is_claimed);
bool tw_openmp_is_claimed(int number);

#endif
