/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The language of hierarchical kernels (spec 2.5.3, 3.7.3.3), lowered for the current pass.
 *
 *     tw_parallel_for_work_item(group, item) { ... }               every work-item of the group
 *     tw_parallel_for_work_item_range(group, item, range) { ... }  every point of another range
 *     TW_LOCAL(type, name, [n]...);                                team-local memory, shared by the work-items
 *     TW_PRIVATE(group, type, name); tw_private(name, item)        one value a work-item, kept between loops
 *     TW_ONCE(group) { ... }                                       side effects at group scope, once a group
 *
 * The two loops and TW_ONCE are loop headers, like C's own `for`: a body in braces follows, `continue` and `break` both
 * end the current work-item, `return` is not allowed. The group synchronizes on both edges of each.
 *
 * Group scope, all that is outside of these loops, runs once a group in effect; where a work-item is a thread, each
 * of them runs it. So at group scope keep to what is uniform and has no side effect but on variables of group scope;
 * what a work-item writes for others is TW_LOCAL; all else goes under TW_ONCE. Where TW_CHECK_GROUP_SCOPE is defined
 * before the first header, CPUs run it so too, which makes breaches of these rules visible, and the kernel slow.
 *
 * TW_HOST_LOOP(options) before the item's name gives a loop other options on a CPU (kernel_definition.h).
 *
 * What TW_LOCAL and TW_PRIVATE declare is uninitialized, and TW_LOCAL is aligned to 16 bytes or more.
 */
#ifndef TEAMWORK_WORK_GROUP_H
#define TEAMWORK_WORK_GROUP_H

#include <teamwork/item.h>
#include <teamwork/lower/group/work_item.h>

/** Loops over the work-items of the group, and over the points of a range, a tw_range of the group's dimensions. */
#define tw_parallel_for_work_item(group, item) TW_INTERNAL_FOR_WORK_ITEM(group, item)
#define tw_parallel_for_work_item_range(group, item, ...) TW_INTERNAL_FOR_WORK_ITEM_RANGE(group, item, __VA_ARGS__)

/** Declares local memory, at the top of the kernel: one value, or an array of constant sizes. A semicolon follows. */
#define TW_LOCAL(type, ...) TW_INTERNAL_LOCAL(type, __VA_ARGS__)

/** Declares a value of each work-item that lives as long as the kernel. */
#define TW_PRIVATE(group, type, name) TW_INTERNAL_PRIVATE(group, type, name)

/** The value of work-item `item` in what TW_PRIVATE declared: an lvalue. */
#define tw_private(name, item) ((name)[TW_INTERNAL_PRIVATE_INDEX(item)])

/** Runs its body once for the group. */
#define TW_ONCE(group) TW_INTERNAL_ONCE(group)

#endif
