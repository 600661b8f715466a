/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The CUDA driver, if the machine has one: loaded with dlopen, never linked.
 *
 * OpenMP runs the kernels; this only prepares the driver's contexts, tells which OpenMP devices are CUDA's, and
 * describes them.
 */
#ifndef TEAMWORK_OFFLOAD_CUDA_H
#define TEAMWORK_OFFLOAD_CUDA_H

#include <stdbool.h>

#include "backend.h"

/* Loads the driver and retains the primary context of every CUDA device with spinning synchronization, which
   libomptarget then adopts: a synchronous launch takes 9 us instead of 27 to 46. To be called before OpenMP touches a
   device. Returns whether there are CUDA devices. Once; balanced by tw_cuda_close(). */
bool tw_cuda_open(void);
void tw_cuda_close(void);

/* The CUDA device that owns a piece of device memory; -1 if it is none of CUDA's. */
int tw_cuda_owner(const void *memory);

void tw_cuda_describe(int ordinal, struct tw_device_facts *facts);

#endif
