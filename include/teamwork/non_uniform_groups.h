/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Parts of a sub-group (SYCL's extension for non-uniform groups: fixed_size_group, ballot_group, opportunistic_group;
 * CUDA's tiled_partition() and coalesced_threads()), for nd_range kernels.
 *
 *     const tw_sub_group_part part = tw_get_fixed_size_group(tw_get_sub_group(item), 8);
 *     const size_t width = tw_part_local_range(part), lane = tw_part_local_id(part);
 *     for (size_t row = tw_global_linear_id(item) / width; row < k->rows; row += tw_global_range(item, 0) / width) {
 *         float sum = 0;
 *         for (size_t i = k->begin[row] + lane; i < k->begin[row + 1]; i += width)
 *             sum += k->values[i] * k->x[k->columns[i]];
 *         sum = tw_reduce_over_group(part, sum, TW_SUM);
 *         if (lane == 0)
 *             k->y[row] = sum;
 *     }
 *
 * Written so, with the width that the part has, a kernel gives several work-items to a row wherever sub-groups have
 * several, and one elsewhere: on a CPU a sub-group, and so each part of it, is one work-item.
 *
 * These functions take a part, for the types of group_functions.h, with its operations:
 *
 *     T    tw_reduce_over_group(part, T x, op)            all of them combined, the same for everyone
 *     T    tw_inclusive_scan_over_group(part, T x, op)    those up to this one
 *     T    tw_exclusive_scan_over_group(part, T x, op)    the identity of op and those before this one
 *     T    tw_group_broadcast(part, T x, size_t from)     the x of work-item `from` of the part
 *     T    tw_select_from_group(part, T x, size_t from)   the same, where `from` may differ
 *     T    tw_shift_group_left(part, T x, size_t delta)   of the one delta after this one
 *     T    tw_shift_group_right(part, T x, size_t delta)  of the one delta before it
 *     bool tw_any_of_group(part, bool x)  tw_all_of_group  tw_none_of_group
 *     unsigned long long tw_group_ballot(part, bool x)    bit i: the x of work-item i of the part
 *     void tw_group_barrier(part)
 *
 * All work-items of the part come to the call, or none; those of other parts may be elsewhere, on NVIDIA GPUs from sm_70
 * on. What lies outside of the part gives an unspecified value. Values are combined in the order of local ids.
 */
#ifndef TEAMWORK_NON_UNIFORM_GROUPS_H
#define TEAMWORK_NON_UNIFORM_GROUPS_H

#include <teamwork/lower/group/non_uniform_groups.h>

/**
 * Divides a sub-group into parts of neighbouring work-items; all of it come to the call.
 *
 * @param size  a power of two; parts are as large as the sub-group at most
 * @return the part that the work-item is in. The last one is smaller where the sub-group is
 */
TW_LANGUAGE_INLINE tw_sub_group_part tw_get_fixed_size_group(tw_sub_group sub_group, unsigned size);

/** Divides a sub-group into the work-items for which x is true, part 1, and the others, part 0; all of it come to the call.
 *  @return the part that the work-item is in */
TW_LANGUAGE_INLINE tw_sub_group_part tw_get_ballot_group(tw_sub_group sub_group, bool x);

/** @return the work-items of the sub-group that come to this call together, as the device has it: in a branch at least the
 *          work-item itself, and often all that took it */
TW_LANGUAGE_INLINE tw_sub_group_part tw_get_opportunistic_group(tw_sub_group sub_group);

/** @return the work-item's number in its part */
TW_LANGUAGE_INLINE size_t tw_part_local_id(tw_sub_group_part part);

/** @return the number of work-items of the part */
TW_LANGUAGE_INLINE size_t tw_part_local_range(tw_sub_group_part part);

/** @return the number of the part in its sub-group */
TW_LANGUAGE_INLINE size_t tw_part_id(tw_sub_group_part part);

/** @return the number of parts of the sub-group; those of a ballot are two, one of which may be empty */
TW_LANGUAGE_INLINE size_t tw_part_range(tw_sub_group_part part);

#endif
