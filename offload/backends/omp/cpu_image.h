/* SPDX-License-Identifier: Apache-2.0 */
/** A check that a kernel has code for the offload device that is the host's own processor. */
#ifndef TEAMWORK_OFFLOAD_CPU_IMAGE_H
#define TEAMWORK_OFFLOAD_CPU_IMAGE_H

#include <stdbool.h>

#include <teamwork/lower/kernel/launch.h>

/* Returns true if the program or library that defines a kernel has no device image with it, false if it has one or
   that is not known. Remembers the answers for the first 1024 kernels. Called from any thread. */
bool tw_cpu_image_lacks(const struct tw_internal_kernel *kernel);

#endif
