/* SPDX-License-Identifier: Apache-2.0 */
/** Hierarchical kernels on a CPU: one thread runs a whole group, so loops are loops and a barrier is nothing. */
#ifndef TEAMWORK_LOWER_WORK_ITEM_HOST_H
#define TEAMWORK_LOWER_WORK_ITEM_HOST_H

#include <teamwork/lower/kernel/split.h>

/* A variable of the thread, and a note of its size for the library, which counts a group's local memory. */
#define TW_INTERNAL_LOCAL(type, ...)                                                                                   \
    TW_INTERNAL_ROLE("local")                                                                                          \
    static __thread type TW_INTERNAL_DECLARATOR(__VA_ARGS__) TW_INTERNAL_ALIGNED(type, 64);                            \
    TW_INTERNAL_CHECK_LOCAL(TW_INTERNAL_DECLARED(__VA_ARGS__))                                                         \
    TW_INTERNAL_NOTE_LOCAL(TW_INTERNAL_DECLARED(__VA_ARGS__))
#define TW_INTERNAL_NOTE_LOCAL(name) TW_INTERNAL_NOTE_LOCAL_(name)
#define TW_INTERNAL_NOTE_LOCAL_(name)                                                                                  \
    static const struct tw_internal_local_note name##_tw_note                                                          \
        __attribute__((used, retain, section("tw_local_notes"))) = {__func__, __BASE_FILE__, sizeof(name)}

#ifdef TW_CHECK_GROUP_SCOPE
#include <teamwork/lower/group/work_item_checked.h>
#else
#define TW_INTERNAL_CHECK_LOCAL(name)

/* The item at loop indices (j0, j1, j2), j2 the fastest. */
TW_DEVICE_INLINE tw_h_item tw_internal_host_item(tw_group group, const struct tw_internal_points *points, size_t j0,
                                                 size_t j1, size_t j2)
{
    tw_h_item item = tw_internal_h_item(group, points);
    const unsigned dims = points->range.dims;
    item.tw_id_[0] += dims == 1 ? j2 : dims == 2 ? j1 : j0;
    item.tw_id_[1] += dims == 1 ? 0 : dims == 2 ? j2 : j1;
    item.tw_id_[2] += dims == 3 ? j2 : 0;
    return item;
}

/* The turns of loop level `level`. An invalid range has none. */
TW_DEVICE_INLINE size_t tw_internal_turns(const struct tw_internal_points *points, unsigned level)
{
    return points->range.dims ? tw_internal_extent(points->range.size, points->range.dims, level) : 0;
}

/* Expands to three nested loops, the innermost one simd, around the body that follows. */
#define TW_INTERNAL_WORK_ITEMS(group, which, ignored, options, item, ...)                                              \
    TW_INTERNAL_HOST_ITEMS(group, which, TW_INTERNAL_POINTS(tw_local_linear_range(group)), options, item)
#undef TW_INTERNAL_OWN_WORK_ITEM
#define TW_INTERNAL_OWN_WORK_ITEM(group, ignored, options, item, ...)                                                  \
    TW_INTERNAL_HOST_ITEMS(group, tw_internal_own_points(group), TW_INTERNAL_ITEMS, options, item)
#define TW_INTERNAL_HOST_ITEMS(group, which, marker, options, item)                                                    \
    for (struct tw_internal_points tw_points = which, *tw_once = &tw_points; tw_once; tw_once = NULL)                  \
        for (size_t tw_j0 = 0, tw_n0 = tw_internal_turns(&tw_points, 0); tw_j0 < tw_n0; ++tw_j0)                       \
            for (size_t tw_j1 = 0, tw_n1 = tw_internal_turns(&tw_points, 1), tw_n2 = tw_internal_turns(&tw_points, 2); \
                 tw_j1 < tw_n1; ++tw_j1)                                                                               \
                TW_INTERNAL_PRAGMA(clang loop options)                                                                 \
    for (size_t tw_j2 = 0; marker, tw_j2 < tw_n2; TW_INTERNAL_END, ++tw_j2)                                            \
    TW_INTERNAL_WITH_ITEM(item, tw_internal_host_item(group, &tw_points, tw_j0, tw_j1, tw_j2))

#define TW_INTERNAL_ONCE(group)                                                                                        \
    for (bool tw_once = ((void)(group), true); TW_INTERNAL_ALONE, tw_once; TW_INTERNAL_END, tw_once = false)           \
        for (bool tw_open = true; tw_open; tw_open = false)

TW_DEVICE_INLINE size_t tw_internal_private_many(tw_group group, size_t few, size_t each)
{
    const size_t all = tw_local_linear_range(group) * each;
    return all <= few ? 1 : all;
}

/* An array over the group. One of constant size serves where it is large enough, and where the compiler knows the
   group's size the choice is made then: the optimizer dissolves such arrays into registers, and never those of
   variable size. What it leaves of them in memory begins at a cache line, so that no vector lies in two. (For those
   of variable size that would cost the whole kernel a register.) Of arrays, the elements of one place lie together, so
   that the work-items of a vector are neighbours; `name` points to a work-item's array for its type alone. */
#define TW_INTERNAL_PRIVATE(group, type, name, dims, ...)                                                              \
    TW_INTERNAL_PRIVATE_(group, type, name, dims, sizeof(type[1] dims) / sizeof(type))
#define TW_INTERNAL_PRIVATE_(group, type, name, dims, each)                                                            \
    type name##_tw_few[TW_INTERNAL_PRIVATE_FEW(type, each)] TW_INTERNAL_ALIGNED(type, 64);                             \
    TW_INTERNAL_VARIABLE_SIZE(                                                                                         \
        type name##_tw_many[tw_internal_private_many(group, TW_INTERNAL_PRIVATE_FEW(type, each), each)];)              \
    type(*const name) dims = (type(*) dims)(                                                                           \
        tw_local_linear_range(group) <= TW_INTERNAL_PRIVATE_FEW(type, each) / (each) ? name##_tw_few : name##_tw_many)
#define TW_INTERNAL_PRIVATE_FEW(type, each)                                                                            \
    (sizeof(type) < 8192 ? 8192 / sizeof(type) * ((each) < 8 ? (each) : 8) : (each) < 8 ? (each) : 1)
#define TW_INTERNAL_PRIVATE_AT(name, item, value, place, indices)                                                      \
    (((__typeof__(value) *)(name))[tw_internal_private_at(item, place, !TW_INTERNAL_IS_ARRAY(value))])

#endif

#endif
