/* SPDX-License-Identifier: Apache-2.0 */
/** Launches of kernels that have been launched before, for one thread at a time. */
#ifndef TEAMWORK_OFFLOAD_CUDA_LAUNCH_CACHE_H
#define TEAMWORK_OFFLOAD_CUDA_LAUNCH_CACHE_H

#include "cuda_driver.h"

#define TW_CUDA_LAUNCH_CACHES 64u

/* A kernel that was launched, and from some launches on its graph of one node. */
struct tw_cuda_cached_launch {
    const void *kernel; /* as launch->found has it; NULL: no entry */
    unsigned launches;
    bool is_refused; /* there is no graph, and there will be none */
    cu_graph graph;
    cu_node node;
    cu_executable executable;
};

/* Zeroed when new. */
struct tw_cuda_launch_cache {
    struct tw_cuda_cached_launch entries[TW_CUDA_LAUNCH_CACHES];
};

/* Enqueues a launch that tw_cuda_takes(). In the device's context. */
cu_result tw_cuda_launch_cache_enqueue(struct tw_cuda_launch_cache *launch_cache,
                                       const struct tw_internal_launch *launch, cu_stream stream);

/* Frees what has been made. In the device's context; nothing of it runs. */
void tw_cuda_launch_cache_close(struct tw_cuda_launch_cache *launch_cache);

#endif
