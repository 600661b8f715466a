/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launch cache: kernels that a stream launches repeatedly, as CUDA graphs of one node (cuda_launch_cache.h).
 *
 * Launching such a graph is faster than launching a kernel, since the driver has examined the kernel before. Measured
 * on an H200 with dependent kernels on a stream: 1.5 us each, with new parameters for each, where cuLaunchKernel takes
 * 2.7; a launch with the wait for it takes 6.1 us instead of 7.9. A launch of a graph copies the parameters, so the
 * graph can be launched again while it runs. Making a graph takes as long as some tens of launches save.
 *
 * The driver launches graphs one after the other, whatever thread and stream they come from, but kernels partly at the
 * same time. With a stream each, 1, 2, 4 and 8 threads take 2.1, 2.2, 2.2 and 2.4 us for a graph, all threads together,
 * and 3.4, 2.5, 1.7 and 1.2 for a kernel. So a thread launches no graph while another one launches.
 *
 * But the blocks of a kernel come to the device while the one before it ends (cuda_launch.c), those of a graph behind it:
 * dependent kernels take 1.1 us of the device each, besides their work, and graphs with new parameters 2.4. So kernels
 * that take the device longer than the host takes to launch them are launched as kernels: those of floydwarshall take
 * 3.9 us, by graphs 5.1. So are those whose range changes from launch to launch, as it does in wavefront: a graph with a
 * new grid takes the driver 4.4 us.
 */
#include "cuda_launch_cache.h"

#include <string.h>

#include "cuda_launch.h"

#define ENOUGH 8u /* launches before a graph is made: more of them are likely then */
#define PROBES 4u
#define LONG 256u /* launches for which a kernel is taken for long, after the device was found slower than the host */

/* Returns the entry of a kernel, a new one if it has none; NULL if there is no room. */
static struct tw_cuda_cached_launch *entry_of(struct tw_cuda_launch_cache *launch_cache, const void *kernel)
{
    const size_t hash = ((uintptr_t)kernel >> 6) * 0x9e3779b97f4a7c15u >> 32;
    for (size_t probe = 0; probe < PROBES; ++probe) {
        struct tw_cuda_cached_launch *entry = &launch_cache->entries[(hash + probe) % TW_CUDA_LAUNCH_CACHES];
        if (!entry->kernel)
            entry->kernel = kernel;
        if (entry->kernel == kernel)
            return entry;
    }
    return NULL;
}

static void drop(struct tw_cuda_cached_launch *entry)
{
    if (entry->executable)
        (void)tw_cuda.graph_executable_destroy(entry->executable);
    if (entry->graph)
        (void)tw_cuda.graph_destroy(entry->graph);
    entry->executable = NULL;
    entry->graph = NULL;
    entry->is_refused = true;
}

static bool make(struct tw_cuda_cached_launch *entry, const struct tw_internal_launch *launch)
{
    if (!tw_cuda.graph_create(&entry->graph, 0) && !tw_cuda_add_node(launch, entry->graph, NULL, 0, false, &entry->node)
        && !tw_cuda.graph_instantiate(&entry->executable, entry->graph, 0))
        return true;
    drop(entry);
    return false;
}

/* Whether a graph is the faster way to launch a kernel now. */
static bool suits_graph(struct tw_cuda_cached_launch *entry, const struct tw_internal_launch *launch, bool is_slow)
{
    const bool has_range = memcmp(entry->range, launch->range, sizeof entry->range) == 0;
    memcpy(entry->range, launch->range, sizeof entry->range);
    if (is_slow)
        entry->long_for = LONG;
    else if (entry->long_for)
        --entry->long_for;
    return has_range && !entry->long_for && !entry->is_refused;
}

/* Enqueues a launch by its graph, or without one. */
static cu_result enqueue(struct tw_cuda_launch_cache *launch_cache, const struct tw_internal_launch *launch,
                         cu_stream stream, bool is_slow)
{
    struct tw_cuda_cached_launch *entry = entry_of(launch_cache, launch->found);
    if (!entry || !suits_graph(entry, launch, is_slow))
        return tw_cuda_enqueue(launch, stream);
    if (!entry->executable && (++entry->launches < ENOUGH || !make(entry, launch)))
        return tw_cuda_enqueue(launch, stream);
    if (tw_cuda_set_node(launch, entry->executable, entry->node)) {
        drop(entry);
        return tw_cuda_enqueue(launch, stream);
    }
    return tw_cuda.graph_launch(entry->executable, stream);
}

cu_result tw_cuda_launch_cache_enqueue(struct tw_cuda_launch_cache *launch_cache, struct tw_cuda_device *device,
                                       const struct tw_internal_launch *launch, cu_stream stream, bool is_slow)
{
    const bool is_alone = atomic_fetch_add_explicit(&device->launching, 1, memory_order_relaxed) == 0;
    const bool uses_cache = is_alone && !launch->together;
    const cu_result error =
        uses_cache ? enqueue(launch_cache, launch, stream, is_slow) : tw_cuda_enqueue(launch, stream);
    atomic_fetch_sub_explicit(&device->launching, 1, memory_order_relaxed);
    return error;
}

void tw_cuda_launch_cache_close(struct tw_cuda_launch_cache *launch_cache)
{
    for (size_t i = 0; i < TW_CUDA_LAUNCH_CACHES; ++i)
        drop(&launch_cache->entries[i]);
}
