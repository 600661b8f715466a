/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The root group: all work-items of an nd_range launch, with a barrier over all its groups (SYCL's extension root_group;
 * CUDA's cooperative launch, whose grid.sync() the barrier is).
 *
 *     struct relax { float *x, *y; unsigned steps; tw_root_group all; };
 *     static inline void relax(tw_nd_item item, const struct relax *k)
 *     {
 *         for (unsigned step = 0; step < k->steps; ++step) {
 *             ... all groups read x and write y ...
 *             tw_root_group_barrier(item, k->all);
 *             ... all groups read y and write x ...
 *             tw_root_group_barrier(item, k->all);
 *         }
 *     }
 *     TW_ND_RANGE_KERNEL(relax, 256);
 *     ...
 *     tw_kernel_limits limits;
 *     status = tw_kernel_get_limits(device, relax, 256, 0, &limits);
 *     const size_t groups = limits.resident_groups < wanted ? limits.resident_groups : wanted;
 *     ...
 *     tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(groups * 256), tw_range_1d(256)), relax, ...,
 *                              .all = tw_root_group_of(cg, counter));
 *
 * So the groups run at the same time, all of them. How many a device runs at a time is tw_kernel_get_limits()'s answer
 * (kernel_limits.h): on NVIDIA GPUs as many as fit its multiprocessors, in the simt lowering; on the host as many as there
 * are threads; and one where that is not known. A launch of more groups fails. So let the groups share out the work by loops,
 * as in the example.
 */
#ifndef TEAMWORK_ROOT_GROUP_H
#define TEAMWORK_ROOT_GROUP_H

#include <teamwork/command_group.h>
#include <teamwork/lower/group/root_group.h>

/**
 * Waits until all work-items of the launch are here; what they wrote before, to any memory, is then visible to all of them.
 * All come to it or none, as with tw_barrier().
 */
#define tw_root_group_barrier(item, root) tw_internal_root_group_barrier((item), (root), __LINE__)

#endif
