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
 * Group scope, all that is outside of these loops, runs once a group in effect; where a work-item is a thread, each of
 * them runs it. So at group scope keep to what is uniform and has no side effect but on variables of group scope; what
 * a work-item writes for others is TW_LOCAL; all else goes under TW_ONCE. Where TW_CHECK_GROUP_SCOPE is defined before the first
 * header, CPUs run it so too, which makes breaches of these rules visible, and the kernel slow.
 *
 * What TW_LOCAL and TW_PRIVATE declare is uninitialized, and TW_LOCAL is aligned to 16 bytes or more.
 */
#ifndef TEAMWORK_LOWER_WORK_ITEM_H
#define TEAMWORK_LOWER_WORK_ITEM_H

#include <teamwork/lower/region.h>

/* The item at loop indices (j0, j1, j2), j2 the fastest. */
TW_DEVICE_INLINE tw_h_item tw_internal_h_item(tw_group group, tw_range range, size_t j0, size_t j1, size_t j2)
{
    tw_h_item item = {{0, 0, 0}, {range.size[0], range.size[1], range.size[2]}, group, true};
    item.tw_id_[0] = group->tw_dims_ == 1 ? j2 : group->tw_dims_ == 2 ? j1 : j0;
    item.tw_id_[1] = group->tw_dims_ == 1 ? 0 : group->tw_dims_ == 2 ? j2 : j1;
    item.tw_id_[2] = group->tw_dims_ == 3 ? j2 : 0;
    return item;
}

/* A loop of one turn that declares `item`: makes `break` end the work-item as `continue` does. Nothing takes the item's
   address, which would move it from registers to memory on a GPU. */
#define TW_INTERNAL_WITH_ITEM(item, value) for (tw_h_item item = (value); item.tw_turn_; item.tw_turn_ = false)

#define tw_parallel_for_work_item(group, item) tw_parallel_for_work_item_range(group, item, tw_get_local_range(group))

/* The attribute can lower an alignment, too. */
#define TW_INTERNAL_ALIGNED(type, least) __attribute__((aligned(_Alignof(type) > (least) ? _Alignof(type) : (least))))

/* TW_LOCAL(type, name) and TW_LOCAL(type, name, [n]...): the declarator, and the name in it. */
#define TW_INTERNAL_DECLARATOR(...) TW_INTERNAL_DECLARATOR_(__VA_ARGS__, , )
#define TW_INTERNAL_DECLARATOR_(name, dims, ...) name dims
#define TW_INTERNAL_DECLARED(...) TW_INTERNAL_DECLARED_(__VA_ARGS__, )
#define TW_INTERNAL_DECLARED_(name, ...) name

/** The value of work-item `item` in what TW_PRIVATE declared: an lvalue. */
#define tw_private(name, item) ((name)[TW_INTERNAL_PRIVATE_INDEX(item)])

#if defined(TW_INTERNAL_PASS_SIMT)
#include <teamwork/lower/work_item_simt.h>
#elif defined(TW_INTERNAL_PASS_TEAMS)
#include <teamwork/lower/work_item_teams.h>
#else
#include <teamwork/lower/work_item_host.h>
#endif

#endif
