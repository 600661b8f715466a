/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers what <teamwork/work_group.h> declares. */
#ifndef TEAMWORK_LOWER_WORK_ITEM_H
#define TEAMWORK_LOWER_WORK_ITEM_H

#include <teamwork/lower/kernel/region.h>

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

/* The loops, where the item may have options. Expands to: what a pass defines as TW_INTERNAL_WORK_ITEMS, for all ranges,
   and as TW_INTERNAL_OWN_WORK_ITEM, for that of the group */
#define TW_INTERNAL_FOR_WORK_ITEM(group, item)                                                                         \
    TW_INTERNAL_EXPAND(TW_INTERNAL_OWN_WORK_ITEM, group, TW_INTERNAL_OPTIONS_##item, vectorize(enable), item, )
#define TW_INTERNAL_FOR_WORK_ITEM_RANGE(group, item, ...)                                                              \
    TW_INTERNAL_EXPAND(TW_INTERNAL_WORK_ITEMS, group, (__VA_ARGS__), TW_INTERNAL_OPTIONS_##item, vectorize(enable),    \
                       item, )
#define TW_INTERNAL_OWN_WORK_ITEM(group, ignored, options, item, ...)                                                  \
    TW_INTERNAL_WORK_ITEMS(group, tw_get_local_range(group), ignored, options, item, )

/* The attribute can lower an alignment, too. */
#define TW_INTERNAL_ALIGNED(type, least)                                                                               \
    __attribute__((aligned(__alignof__(type) > (least) ? __alignof__(type) : (least))))

/* TW_LOCAL(type, name) and TW_LOCAL(type, name, [n]...): the declarator, and the name in it. */
#define TW_INTERNAL_DECLARATOR(...) TW_INTERNAL_DECLARATOR_(__VA_ARGS__, , )
#define TW_INTERNAL_DECLARATOR_(name, dims, ...) name dims
#define TW_INTERNAL_DECLARED(...) TW_INTERNAL_DECLARED_(__VA_ARGS__, )
#define TW_INTERNAL_DECLARED_(name, ...) name

/* The declaration of an array of variable size, an extension in C++. Expands to: the declaration, between pragmas */
#define TW_INTERNAL_VARIABLE_SIZE(...)                                                                                 \
    TW_INTERNAL_PRAGMA(clang diagnostic push)                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wvla-extension")                                                     \
    __VA_ARGS__                                                                                                        \
    TW_INTERNAL_PRAGMA(clang diagnostic pop)

#if defined(TW_INTERNAL_PASS_SIMT)
#include <teamwork/lower/group/work_item_simt.h>
#elif defined(TW_INTERNAL_PASS_TEAMS)
#include <teamwork/lower/group/work_item_teams.h>
#else
#include <teamwork/lower/group/work_item_host.h>
#endif

#endif
