/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Group algorithms: the group functions of group_functions.h for more types and for operations of the program, and
 * functions that a group applies to a range of memory (those of later revisions of SYCL, and its extension for sorting).
 *
 *     #include <teamwork/group_algorithms.h>        beside teamwork.h, which does not include it
 *     #include <teamwork/group_vectors.h>           if values are vectors
 *
 *     struct nearest { float distance; int point; };
 *     static inline struct nearest nearer(struct nearest a, struct nearest b) { return b.distance < a.distance ? b : a; }
 *     TW_GROUP_TYPE(struct nearest);
 *     ...
 *     const struct nearest all = tw_reduce_over_group(item, mine, nearer);
 *
 * Types T: those of group_functions.h, tw_half, char and short, signed and unsigned, by group_vectors.h vectors, and
 * what TW_GROUP_TYPE() names: structs of any size, with arrays in them.
 *
 * op is a constant of tw_operation (not for types of TW_GROUP_TYPE()), or a function T op(T, T), visible in the same
 * file, by its name. It is associative; group functions combine in the order of linear ids, so it need not be
 * commutative. tw_joint_reduce() needs that too. Values of char and short that work-items bring to an operation of
 * tw_operation are promoted to int, as always in C. Operations on vectors are those of their elements.
 *
 *     T tw_reduce_over_group(group, T x, op)            T tw_reduce_over_group(group, T x, T init, op)
 *     T tw_inclusive_scan_over_group(group, T x, op)    T tw_inclusive_scan_over_group(group, T x, op, T init)
 *     T tw_exclusive_scan_over_group(group, T x, T init, op)    without init for tw_operation
 *     T tw_group_broadcast(group, T x, from), tw_select_from_group() and the like
 *
 * `init` is what comes before the first value, the same for all of the group. `group` is the tw_nd_item or its
 * tw_sub_group. At group scope of hierarchical kernels it is the tw_group, and x a variable of TW_PRIVATE: scans are in
 * place and return nothing. (An array of TW_LOCAL in its place is wrong on GPUs; joint forms take it.)
 * tw_any_of_group(), tw_all_of_group() and tw_none_of_group() take one of bool.
 *
 * Sub-groups at group scope: tw_get_sub_groups(group) stands for each sub-group of the group. Its functions work in
 * place: in a TW_PRIVATE variable of each work-item they leave what its sub-group has.
 *
 *     void tw_reduce_over_group(sub_groups, name, op)         void tw_inclusive_scan_over_group(sub_groups, name, op)
 *     void tw_exclusive_scan_over_group(sub_groups, name, init, op)     without init for tw_operation
 *     void tw_group_broadcast(sub_groups, name, from)         void tw_select_from_group(sub_groups, name, from)
 *     void tw_permute_group_by_xor(sub_groups, name, mask)    void tw_shift_group_left, _right(sub_groups, name, delta)
 *     void tw_any_of_group, tw_all_of_group, tw_none_of_group(sub_groups, name)    of bool
 *     void tw_group_ballot(sub_groups, name, result)          of bool; `result` is a TW_PRIVATE unsigned long long
 *
 * On a CPU, where a sub-group is one work-item, each has its own value: a reduction changes nothing. So let kernels work
 * with any size of sub-group, tw_sub_group_max_local_range() or TW_DEVICE_INFO_SUB_GROUP_SIZE.
 *
 * Joint forms: the group together over the elements from `first` up to `last`, T *, in any memory, mostly a tile of
 * TW_LOCAL. `group` is the tw_nd_item or, at group scope, the tw_group; all of the group give the same arguments.
 *
 *     T    tw_joint_reduce(group, first, last, T init, op)                       without init for tw_operation
 *     T   *tw_joint_inclusive_scan(group, first, last, result, op)               T * behind the result
 *     T   *tw_joint_inclusive_scan(group, first, last, result, op, T init)
 *     T   *tw_joint_exclusive_scan(group, first, last, result, T init, op)       without init for tw_operation
 *     bool tw_joint_any_of(group, first, last, test)    tw_joint_all_of    tw_joint_none_of    bool test(T)
 *     void tw_joint_sort(group, first, last, less)      bool less(T, T): a strict weak order; not stable
 *     void tw_joint_copy(group, to, from, count)        elements of one size; the ranges do not overlap
 *
 * `result` may be `first`, and is else a range that does not overlap. Each is a barrier at its begin, so that what
 * work-items wrote before is there, and at its end, for global and local memory. An empty range is allowed: a reduction
 * of it is `init`.
 *
 * Loads and stores of the group: each work-item has `n` elements of a range in memory, in an array of its own, from
 * which registers become. `n` is a constant. `group` is the tw_nd_item, its tw_sub_group, or the item of a loop over
 * the work-items of a hierarchical kernel. With i the number of the work-item in the group of `size`, and k from 0 up
 * to n:
 *
 *     void tw_group_load_blocked(group, to, from, n)       to[k] = from[i * n + k]: neighbours in memory
 *     void tw_group_load_striped(group, to, from, n)       to[k] = from[k * size + i]: every size-th one
 *     void tw_group_store_blocked(group, to, from, n)      to[i * n + k] = from[k]
 *     void tw_group_store_striped(group, to, from, n)      to[k * size + i] = from[k]
 *     void tw_group_load_blocked_part(group, to, from, n, count, other)     the same where memory has `count` elements:
 *     void tw_group_load_striped_part(group, to, from, n, count, other)     in the place of those behind is `other`,
 *     void tw_group_store_blocked_part(group, to, from, n, count)           and they are not stored
 *     void tw_group_store_striped_part(group, to, from, n, count)
 *
 * These are no barriers, and work-items may come to them alone. On a GPU striped accesses of global memory are the fast
 * ones, and on a CPU, where one work-item follows the other, blocked ones.
 *
 * All work-items of the group come to a call of the others or none, as with group_functions.h. The functions themselves
 * are for kernels only. On a GPU a type takes 32 values of local memory where a function for work-groups is called for
 * it.
 */
#ifndef TEAMWORK_GROUP_ALGORITHMS_H
#define TEAMWORK_GROUP_ALGORITHMS_H

#include <teamwork/async_copy.h>
#include <teamwork/lower/group/group_algorithms.h>
#include <teamwork/lower/group/group_load.h>

/**
 * At file scope, once for a type, with a semicolon: declares the functions above for a complete type, a struct, a union,
 * an enum or a name of one, with operations of the program. Not for arrays, pointers written with *, and types that have
 * the functions already. A header that defines a struct is a good place.
 */
#define TW_GROUP_TYPE(type)                                                                                            \
    TW_INTERNAL_PRAGMA(clang diagnostic push)                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wc2y-extensions") /* __COUNTER__, for some versions of clang */      \
    TW_INTERNAL_GROUP_TYPE_NUMBERED(type, __COUNTER__)                                                                 \
    TW_INTERNAL_PRAGMA(clang diagnostic pop)                                                                           \
    struct tw_internal_group

/** Copies `count` elements, and waits until all of the group see them: tw_async_work_group_copy() between barriers. */
#define tw_joint_copy(group, to, from, count)                                                                          \
    (tw_internal_joint_begin((group), __LINE__),                                                                       \
     tw_wait_for((group), tw_async_work_group_copy((group), (to), (from), (count))))

/** Loads and stores of the group, see above.
 *  Expands to: a statement expression with a loop that is unrolled; `tw_...` names are its own. */
#define tw_group_load_blocked(group, to, from, n) TW_INTERNAL_GROUP_LOAD(group, to, from, n, TW_INTERNAL_BLOCKED)
#define tw_group_load_striped(group, to, from, n) TW_INTERNAL_GROUP_LOAD(group, to, from, n, TW_INTERNAL_STRIPED)
#define tw_group_store_blocked(group, to, from, n) TW_INTERNAL_GROUP_STORE(group, to, from, n, TW_INTERNAL_BLOCKED)
#define tw_group_store_striped(group, to, from, n) TW_INTERNAL_GROUP_STORE(group, to, from, n, TW_INTERNAL_STRIPED)
#define tw_group_load_blocked_part(group, to, from, n, count, other)                                                   \
    TW_INTERNAL_GROUP_LOAD_PART(group, to, from, n, TW_INTERNAL_BLOCKED, count, other)
#define tw_group_load_striped_part(group, to, from, n, count, other)                                                   \
    TW_INTERNAL_GROUP_LOAD_PART(group, to, from, n, TW_INTERNAL_STRIPED, count, other)
#define tw_group_store_blocked_part(group, to, from, n, count)                                                         \
    TW_INTERNAL_GROUP_STORE_PART(group, to, from, n, TW_INTERNAL_BLOCKED, count)
#define tw_group_store_striped_part(group, to, from, n, count)                                                         \
    TW_INTERNAL_GROUP_STORE_PART(group, to, from, n, TW_INTERNAL_STRIPED, count)

#endif
