/* SPDX-License-Identifier: Apache-2.0 */
/** Chains (backend.h) on CUDA streams. */
#ifndef TEAMWORK_OFFLOAD_CUDA_CHAIN_H
#define TEAMWORK_OFFLOAD_CUDA_CHAIN_H

#include "cuda_driver.h"

extern const struct tw_backend_async tw_cuda_async;

/* Enqueues all of a CUDA graph of the chain's device, as its table's `launch` does a kernel. */
tw_status tw_cuda_chain_replay(struct tw_backend_chain *chain, cu_executable executable, uint64_t *position);

#endif
