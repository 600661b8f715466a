/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The language of nd_range kernels (spec 2.5.2, 3.7.1.5, 3.7.3.2), lowered for the current pass; local accessors, for
 * hierarchical kernels too.
 *
 *     tw_barrier(item, space)          all work-items of the group come here before any goes on
 *     tw_mem_fence(item, space)        orders this work-item's accesses, without waiting for others
 *     TW_LOCAL(type, name, [n]...)     team-local memory of constant size (work_group.h)
 *     tw_local_data(item, k->memory)   team-local memory whose size the launch gives: tw_local() in command_group.h
 *     tw_get_sub_group(item)           the work-items that run in lockstep with this one
 *
 * and group functions: group_functions.h.
 *
 * Either all work-items of a group come to a barrier, or none: a barrier in a branch that only some of them take is
 * an error. On the host, on simulated devices and on CPUs it is found: the launch fails with
 * TW_ERROR_DIVERGENT_BARRIER, which names the kernel. A GPU does not notice.
 *
 * Where it is one thread that runs a whole group, on CPUs, a kernel with barriers keeps a stack for each work-item
 * and switches between them at each barrier: TW_WORK_ITEM_STACK_KB in the environment gives their size in KiB
 * (default 128; a larger need is a fault, or memory of another stack where a program has very many), and a
 * hierarchical kernel does the same work faster. Kernels without barriers and group functions are plain loops; a plugin
 * of the compiler makes loops of others (docs/work_groups.md).
 */
#ifndef TEAMWORK_ND_RANGE_H
#define TEAMWORK_ND_RANGE_H

#include <teamwork/item.h>
#include <teamwork/local.h>
#include <teamwork/memory.h>
#include <teamwork/work_group.h>

/** Orders the accesses of this work-item to `space`, before and after, for the other work-items of its group. */
TW_LANGUAGE_INLINE void tw_mem_fence(tw_nd_item item, tw_fence_space space);

/** @return the memory of this group behind a local accessor, aligned to 16 bytes; what is in it is undefined */
TW_OVERLOADED TW_INTERNAL_ADDRESS tw_local_data(tw_nd_item item, tw_local_memory memory);
TW_OVERLOADED TW_INTERNAL_ADDRESS tw_local_data(tw_group group, tw_local_memory memory);
TW_OVERLOADED TW_INTERNAL_ADDRESS tw_local_data(tw_h_item item, tw_local_memory memory);

/** @return the sub-group of a work-item */
TW_LANGUAGE_INLINE tw_sub_group tw_get_sub_group(tw_nd_item item);

/**
 * Waits until all work-items of the group are here; what they wrote to `space` before is then visible to all of them.
 * On all devices of today every barrier orders both spaces.
 */
#define tw_barrier(item, space) tw_internal_barrier_at((item), (space), __LINE__)

#include <teamwork/lower/group/nd_item.h>

#endif
