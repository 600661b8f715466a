/* SPDX-License-Identifier: Apache-2.0 */
/** The NVIDIA GPUs among OpenMP's devices, reached through the CUDA driver where it is better. */
#ifndef TEAMWORK_OFFLOAD_CUDA_H
#define TEAMWORK_OFFLOAD_CUDA_H

#include "backend.h"

extern const struct tw_backend tw_backend_cuda;

#endif
