/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Group functions: what the work-items of a group, or of a sub-group, compute together (those of later revisions of
 * SYCL; their places in SYCL 1.2 are 3.7.1.5 and 3.7.1.6).
 *
 * For int, unsigned, long, unsigned long, long long, unsigned long long, float and double:
 *
 *     T    tw_reduce_over_group(group, T x, op)            all of them combined, the same for everyone
 *     T    tw_inclusive_scan_over_group(group, T x, op)    those up to this one
 *     T    tw_exclusive_scan_over_group(group, T x, op)    the identity of op and those before this one
 *     T    tw_group_broadcast(group, T x, size_t from)     the x of work-item `from`, a linear local id
 *     bool tw_any_of_group(group, bool x)  tw_all_of_group  tw_none_of_group
 *     void tw_group_barrier(group)
 *
 * `group` is the tw_nd_item of an nd_range kernel, for its work-group, or its tw_sub_group. op is one of TW_SUM,
 * TW_PRODUCT, TW_MIN and TW_MAX, and TW_AND, TW_OR, TW_XOR for integers; best a constant. For sub-groups also
 *
 *     T tw_select_from_group(sub_group, T x, size_t from)       the x of a work-item of the sub-group
 *     T tw_permute_group_by_xor(sub_group, T x, size_t mask)    of the one whose local id differs by mask
 *     T tw_shift_group_left(sub_group, T x, size_t delta)       of the one delta after this one
 *     T tw_shift_group_right(sub_group, T x, size_t delta)      of the one delta before it
 *
 *     unsigned long long tw_group_ballot(sub_group, bool x)     bit i: the x of the work-item with local id i
 *
 * where what lies outside of the sub-group gives an unspecified value.
 *
 * All work-items of the group must come to the call, or none, as with a barrier; those of a work-group are one, too.
 * The identity of TW_SUM is 0, of TW_PRODUCT 1, of TW_MIN the greatest value of the type, of TW_MAX the least: of
 * floating point infinities.
 *
 * Values are combined in the order of the linear ids in blocks that depend on the device alone, so results, of
 * floating point too, are the same in every run on one device.
 *
 * In hierarchical kernels the same names, at group scope, take the tw_group and, in place of x, a variable of
 * TW_PRIVATE:
 *
 *     T tw_reduce_over_group(group, name, op)                 T tw_group_broadcast(group, name, from)
 *     void tw_inclusive_scan_over_group(group, name, op)      in place; and tw_exclusive_scan_over_group
 *
 * For other types and operations, for sub-groups of hierarchical kernels, and over ranges of memory: group_algorithms.h.
 */
#ifndef TEAMWORK_GROUP_FUNCTIONS_H
#define TEAMWORK_GROUP_FUNCTIONS_H

#include <teamwork/lower/group/group_functions.h>

#endif
