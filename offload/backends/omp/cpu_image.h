/* SPDX-License-Identifier: Apache-2.0 */
/** Which kernels have code for the offload device that is the host's own processor. */
#ifndef TEAMWORK_OFFLOAD_CPU_IMAGE_H
#define TEAMWORK_OFFLOAD_CPU_IMAGE_H

#include <stdbool.h>

#include <teamwork/lower/kernel/launch.h>

/* Whether the program or library that defines a kernel has no device image with it. Looks once for each kernel.
   False where that is not known. Called from any thread. */
bool tw_cpu_image_lacks(const struct tw_internal_kernel *kernel);

/* Frees what was remembered, when nobody asks any more. */
void tw_cpu_image_forget(void);

#endif
