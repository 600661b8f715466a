/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The language of hierarchical kernels (spec 2.5.3, 3.7.3.3), lowered for the current pass.
 *
 *     tw_parallel_for_work_item(group, item) { ... }               every work-item of the group
 *     tw_parallel_for_work_item_range(group, item, range) { ... }  every point of another range
 *     tw_parallel_for_work_item_offset(group, item, range, offset) { ... }    the same, with ids from an offset on
 *     TW_LOCAL(type, name, [n]...);                                team-local memory, shared by the work-items
 *     TW_PRIVATE(group, type, name, [n]...); tw_private(name, item, i...)   values of a work-item, kept between loops
 *     TW_ONCE(group) { ... }                                       side effects at group scope, once a group
 *
 * The loops and TW_ONCE are loop headers, like C's own `for`: a body in braces follows, `continue` and `break` both
 * end the current work-item, `return` is not allowed. The group synchronizes on both edges of each.
 *
 * Group scope, all that is outside of these loops, appears to run once a group; where a work-item is a thread, each of
 * them runs it. So code at group scope is uniform, and changes only variables of group scope. What a work-item writes
 * for others is TW_LOCAL; other side effects go under TW_ONCE. If TW_CHECK_GROUP_SCOPE is defined before the first
 * header, each work-item runs group scope on CPUs too. That makes breaches of these rules visible, and the kernel slow;
 * if group scope changes TW_LOCAL memory, the kernel fails with TW_ERROR_GROUP_SCOPE.
 *
 * TW_HOST_LOOP(options) before the item's name gives a loop other options on a CPU (kernel_definition.h).
 *
 * What TW_LOCAL and TW_PRIVATE declare is uninitialized, and TW_LOCAL is aligned to 16 bytes or more.
 */
#ifndef TEAMWORK_WORK_GROUP_H
#define TEAMWORK_WORK_GROUP_H

#include <teamwork/item.h>
#include <teamwork/lower/group/work_item.h>

/** Loops over the work-items of the group. */
#define tw_parallel_for_work_item(group, item) TW_INTERNAL_FOR_WORK_ITEM(group, item)

/**
 * Loop over the points of another range, a tw_range of 1 to 3 dimensions, whatever those of the group. The offset, a
 * tw_id of the range's dimensions, is added to the local ids. A range without points, or an invalid one, has no turns.
 *
 * Work-item w of the n work-items of the group, counted by linear id, runs the points at positions w, w + n, w + 2 n
 * and so on of the range, in this order. tw_physical_local_linear_id() is w, and tw_private() gives values of w.
 */
#define tw_parallel_for_work_item_range(group, item, ...) TW_INTERNAL_FOR_WORK_ITEM_RANGE(group, item, __VA_ARGS__)
#define tw_parallel_for_work_item_offset(group, item, range, ...)                                                      \
    TW_INTERNAL_FOR_WORK_ITEM_OFFSET(group, item, range, __VA_ARGS__)

/** Declares local memory, at the top of a kernel with work-groups: one value, or an array of constant sizes. A semicolon
 *  follows. Launches of a range kernel that has some are TW_ERROR_INVALID_KERNEL. */
#define TW_LOCAL(type, ...) TW_INTERNAL_LOCAL(type, __VA_ARGS__)

/** Declares, at group scope, a value of each work-item that lives as long as the kernel, TW_PRIVATE(group, type, name),
 *  or an array of constant sizes, of up to three dimensions: TW_PRIVATE(group, type, name, [n]...). */
#define TW_PRIVATE(group, type, ...)                                                                                   \
    TW_INTERNAL_PRIVATE_NAMED(__VA_ARGS__, )                                                                           \
    TW_INTERNAL_PRIVATE(group, type, __VA_ARGS__, , )

/**
 * Called as tw_private(name, item), and as tw_private(name, item, i), with as many indices as there are sizes, for one
 * element of an array. `item` is what the loop around it declares; in
 * a loop over another range the value is that of the work-item which runs the point.
 *
 * The elements of a work-item's array do not lie side by side on every device: on a CPU, element i of one work-item is
 * followed by element i of the next. Where a pointer to all of them is needed, a private struct with an array in it has one.
 *
 * @return the value of a work-item in what TW_PRIVATE declared: an lvalue
 */
#define tw_private(...) TW_INTERNAL_EXPAND(TW_INTERNAL_PRIVATE_OF(__VA_ARGS__, 3, 2, 1, 0, ), __VA_ARGS__, , , , )

/** Runs its body once for the group. */
#define TW_ONCE(group) TW_INTERNAL_ONCE(group)

#endif
