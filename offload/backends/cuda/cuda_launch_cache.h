/* SPDX-License-Identifier: Apache-2.0 */
/** The launch cache of a stream: repeated launches of the same kernels. One thread at a time uses it. */
#ifndef TEAMWORK_OFFLOAD_CUDA_LAUNCH_CACHE_H
#define TEAMWORK_OFFLOAD_CUDA_LAUNCH_CACHE_H

#include "cuda_driver.h"

#define TW_CUDA_LAUNCH_CACHES 64u

/* A kernel and, after some launches, its graph of one node. */
struct tw_cuda_cached_launch {
    const void *kernel; /* launch->found; NULL: no entry */
    unsigned launches;
    unsigned long_for; /* for so many launches the kernel is taken for one that is no graph */
    size_t range[3];   /* of the last launch */
    bool is_refused;   /* a graph could not be made or used; no other one is tried */
    cu_graph graph;
    cu_node node;
    cu_executable executable;
};

/* Initialized with zeros. */
struct tw_cuda_launch_cache {
    struct tw_cuda_cached_launch entries[TW_CUDA_LAUNCH_CACHES];
};

/* Enqueues a launch that tw_gpu_takes(). `is_slow`: the device takes longer for what the stream has launched than the
   host takes to launch it. Called in the device's context. */
cu_result tw_cuda_launch_cache_enqueue(struct tw_cuda_launch_cache *launch_cache, struct tw_cuda_device *device,
                                       const struct tw_internal_launch *launch, cu_stream stream, bool is_slow);

/* Frees the graphs. None of them runs. Called in the device's context. */
void tw_cuda_launch_cache_close(struct tw_cuda_launch_cache *launch_cache);

#endif
