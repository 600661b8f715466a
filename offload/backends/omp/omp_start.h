/* SPDX-License-Identifier: Apache-2.0 */
/** Starting libomptarget by hand; the rest of the omp backend is behind its table. */
#ifndef TEAMWORK_OFFLOAD_OMP_START_H
#define TEAMWORK_OFFLOAD_OMP_START_H

/* Starts libomptarget if the program has it and has not. Needed even where only the host is used: with a tool loaded,
   libomp asks libomptarget for its devices in the first parallel region. Under the discovery lock. */
void tw_omp_start(void);

#endif
