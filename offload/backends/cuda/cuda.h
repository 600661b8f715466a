/* SPDX-License-Identifier: Apache-2.0 */
/** NVIDIA GPUs among OpenMP's devices, by the CUDA driver where that is better. */
#ifndef TEAMWORK_OFFLOAD_CUDA_H
#define TEAMWORK_OFFLOAD_CUDA_H

#include "backend.h"

extern const struct tw_backend tw_backend_cuda;

#endif
