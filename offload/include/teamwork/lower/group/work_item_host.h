/* SPDX-License-Identifier: Apache-2.0 */
/** Hierarchical kernels on a CPU: one thread runs a whole group, so loops are loops and a barrier is nothing. */
#ifndef TEAMWORK_LOWER_WORK_ITEM_HOST_H
#define TEAMWORK_LOWER_WORK_ITEM_HOST_H

#include <teamwork/lower/kernel/split.h>

/* A variable of the thread, and a note of its size for the library, which counts a group's local memory. */
#define TW_INTERNAL_LOCAL(type, ...)                                                                                   \
    static __thread type TW_INTERNAL_DECLARATOR(__VA_ARGS__) TW_INTERNAL_ALIGNED(type, 64);                            \
    TW_INTERNAL_NOTE_LOCAL(TW_INTERNAL_DECLARED(__VA_ARGS__))
#define TW_INTERNAL_NOTE_LOCAL(name) TW_INTERNAL_NOTE_LOCAL_(name)
#define TW_INTERNAL_NOTE_LOCAL_(name)                                                                                  \
    static const struct tw_internal_local_note name##_tw_note                                                          \
        __attribute__((used, retain, section("tw_local_notes"))) = {__func__, __BASE_FILE__, sizeof(name)}

#ifdef TW_CHECK_GROUP_SCOPE
#include <teamwork/lower/group/work_item_checked.h>
#else

/* Expands to three nested loops, the innermost one simd, around the body that follows. */
#define TW_INTERNAL_WORK_ITEMS(group, range, ignored, options, item, ...)                                              \
    for (tw_range tw_range_ = (range), *tw_range_once = &tw_range_; tw_range_once; tw_range_once = NULL)               \
        for (size_t tw_j0 = 0, tw_n0 = tw_internal_extent(tw_range_.size, (group)->tw_dims_, 0); tw_j0 < tw_n0;        \
             ++tw_j0)                                                                                                  \
            for (size_t tw_j1 = 0, tw_n1 = tw_internal_extent(tw_range_.size, (group)->tw_dims_, 1),                   \
                        tw_n2 = tw_internal_extent(tw_range_.size, (group)->tw_dims_, 2);                              \
                 tw_j1 < tw_n1; ++tw_j1)                                                                               \
                TW_INTERNAL_PRAGMA(clang loop options)                                                                 \
    for (size_t tw_j2 = 0; TW_INTERNAL_ITEMS, tw_j2 < tw_n2; ++tw_j2)                                                  \
    TW_INTERNAL_WITH_ITEM(item, tw_internal_h_item(group, tw_range_, tw_j0, tw_j1, tw_j2))

#define TW_INTERNAL_ONCE(group) for (bool tw_once = ((void)(group), true); tw_once; tw_once = false)

TW_DEVICE_INLINE size_t tw_internal_private_many(tw_group group, size_t few)
{
    const size_t all = tw_local_linear_range(group);
    return all <= few ? 1 : all;
}

/* An array over the group. One of constant size serves where it is large enough, and where the compiler knows the
   group's size the choice is made then: the optimizer dissolves such arrays into registers, and never those of
   variable size. What it leaves of them in memory begins at a cache line, so that no vector lies in two. (For those
   of variable size that would cost the whole kernel a register.) */
#define TW_INTERNAL_PRIVATE_FEW(type) (sizeof(type) < 8192 ? 8192 / sizeof(type) : 1)
#define TW_INTERNAL_PRIVATE(group, type, name)                                                                         \
    type name##_tw_few[TW_INTERNAL_PRIVATE_FEW(type)] TW_INTERNAL_ALIGNED(type, 64);                                   \
    TW_INTERNAL_VARIABLE_SIZE(type name##_tw_many[tw_internal_private_many(group, TW_INTERNAL_PRIVATE_FEW(type))];)    \
    type *const name = tw_local_linear_range(group) <= TW_INTERNAL_PRIVATE_FEW(type) ? name##_tw_few : name##_tw_many
#define TW_INTERNAL_PRIVATE_INDEX(item) tw_local_linear_id(item)

#endif

#endif
