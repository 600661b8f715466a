/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Local accessors (spec 3.6.4.6): team-local memory whose size is known at the launch only.
 *
 *     struct sums { const int *in; int *out; tw_local_memory part; };
 *     static inline void sums(tw_nd_item item, const struct sums *k)
 *     {
 *         int *part = tw_local_data(item, k->part);
 *         ...
 *     }
 *     ...
 *     tw_parallel_for_nd_range(cg, range, sums, .in = ..., .out = ..., .part = tw_local(cg, group * sizeof(int)));
 *
 * or with a range of 1 to 3 dimensions, whose indices builds with TW_DEBUG_BOUNDS check:
 *
 *     struct smooth { TW_LOCAL_VIEW(float) tile; ... };
 *     ... tw_local_at(item, k->tile, i, j) ...
 *     .tile = TW_LOCAL_VIEW_OF(cg, float, tw_range_2d(18, 18))
 *
 * Each group of the launch has such memory of its own, shared by its work-items and gone with the group. It is
 * uninitialized. Memory of constant size is simpler: TW_LOCAL in work_group.h.
 */
#ifndef TEAMWORK_LOCAL_H
#define TEAMWORK_LOCAL_H

#include <stddef.h>

#include <teamwork/export.h>
#include <teamwork/range.h>

/** A piece of a group's local memory, as it travels in an argument block; tw_local_data() makes it an address. */
typedef struct tw_local_memory {
    size_t tw_offset_, tw_bytes_;
} tw_local_memory;

/** @return the size in bytes of a piece of local memory */
TW_LANGUAGE_INLINE size_t tw_local_size(tw_local_memory memory)
{
    return memory.tw_bytes_;
}

#endif
