/* SPDX-License-Identifier: Apache-2.0 */
/** OpenMP's offload devices, before any of them is used, and which backend has which. All under the discovery lock. */
#ifndef TEAMWORK_OFFLOAD_OPENMP_H
#define TEAMWORK_OFFLOAD_OPENMP_H

#include <stdbool.h>

struct tw_backend;

/* Starts libomptarget if the program has it and has not. Needed even where only the host is used: with a tool loaded,
   libomp asks libomptarget for its devices in the first parallel region. */
void tw_openmp_start(void);

/* How many offload devices there are, once that has been called. They are numbered from 0. */
int tw_openmp_devices(void);

/* The number that stands for the host. */
int tw_openmp_host(void);

/* From now on there are no devices: libomptarget would end the program when it is asked for one. */
void tw_openmp_give_up(void);

/* Notes that a backend has a device for itself; NULL: nobody has. Returns false, and has done nothing, if there is
   no room to. */
bool tw_openmp_claim(int number, const struct tw_backend *owner);

/* How many devices a backend has for itself, and the number of one of them; NULL: those that nobody has. */
unsigned tw_openmp_count(const struct tw_backend *owner);
int tw_openmp_number(const struct tw_backend *owner, unsigned index);

#endif
