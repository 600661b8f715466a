/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers what <teamwork/work_group.h> declares. */
#ifndef TEAMWORK_LOWER_WORK_ITEM_H
#define TEAMWORK_LOWER_WORK_ITEM_H

#include <teamwork/lower/kernel/region.h>

/* The points of a loop. */
struct tw_internal_points {
    tw_range range;
    tw_id offset;
    bool own; /* the range is the group's, without an offset */
};

TW_DEVICE_INLINE struct tw_internal_points tw_internal_points(tw_range range, tw_id offset)
{
    const struct tw_internal_points points = {range, offset, false};
    return points;
}

TW_DEVICE_INLINE struct tw_internal_points tw_internal_own_points(tw_group group)
{
    const struct tw_internal_points points = {tw_get_local_range(group), {{0, 0, 0}, group->tw_dims_}, true};
    return points;
}

TW_DEVICE_INLINE tw_h_item tw_internal_h_item(tw_group group, const struct tw_internal_points *points)
{
    const tw_range range = points->range;
    const tw_id offset = points->offset;
    const tw_h_item item = {{offset.at[0], offset.at[1], offset.at[2]},
                            {range.size[0], range.size[1], range.size[2]},
                            {offset.at[0], offset.at[1], offset.at[2]},
                            group,
                            range.dims,
                            points->own,
                            true};
    return item;
}

/* The item at position `linear`. */
TW_DEVICE_INLINE tw_h_item tw_internal_linear_item(tw_group group, const struct tw_internal_points *points,
                                                   size_t linear)
{
    tw_h_item item = tw_internal_h_item(group, points);
    size_t id[3];
    tw_internal_delinearize(linear, item.tw_range_, item.tw_dims_, id);
    for (unsigned d = 0; d < 3; ++d)
        item.tw_id_[d] += id[d];
    return item;
}

/* A loop of one turn that declares `item`: makes `break` end the work-item as `continue` does. Nothing takes the item's
   address, which would move it from registers to memory on a GPU. */
#define TW_INTERNAL_WITH_ITEM(item, value) for (tw_h_item item = (value); item.tw_turn_; item.tw_turn_ = false)

/* The loops, where the item may have options. Expands to: what a pass defines as TW_INTERNAL_WORK_ITEMS, for all points,
   and as TW_INTERNAL_OWN_WORK_ITEM, for those of the group */
#define TW_INTERNAL_FOR_WORK_ITEM(group, item)                                                                         \
    TW_INTERNAL_EXPAND(TW_INTERNAL_OWN_WORK_ITEM, group, TW_INTERNAL_OPTIONS_##item, vectorize(enable), item, )
#define TW_INTERNAL_FOR_WORK_ITEM_RANGE(group, item, ...)                                                              \
    TW_INTERNAL_FOR_WORK_ITEM_OFFSET(group, item, (__VA_ARGS__), tw_id_1d(0))
#define TW_INTERNAL_FOR_WORK_ITEM_OFFSET(group, item, range, ...)                                                      \
    TW_INTERNAL_EXPAND(TW_INTERNAL_WORK_ITEMS, group, tw_internal_points(range, __VA_ARGS__),                          \
                       TW_INTERNAL_OPTIONS_##item, vectorize(enable), item, )
#define TW_INTERNAL_OWN_WORK_ITEM(group, ignored, options, item, ...)                                                  \
    TW_INTERNAL_WORK_ITEMS(group, tw_internal_own_points(group), ignored, options, item, )

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

/* ---- private values ---------------------------------------------------------------------------------------------- */

/* Where element `place` of a work-item's array is if the elements of one place lie together, and the value itself if it is no
   array. The compiler finds what is wrong: `whole` is 0 where an array is left. */
// clang-format off
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"
TW_INTERNAL_ROLE("private_at")
TW_OVERLOADED size_t tw_internal_private_at(tw_h_item item, size_t place, int whole)
    __attribute__((diagnose_if(!whole, "tw_private() of an array takes as many indices as the array has", "error")))
{
    (void)whole;
    return place * tw_local_linear_range(item.tw_group_) + tw_physical_local_linear_id(item);
}
#define TW_INTERNAL_NO_ITEM(type)                                                                                      \
    TW_INTERNAL_ROLE("private_at")                                                                                     \
    TW_OVERLOADED size_t tw_internal_private_at(type item, size_t place, int whole)                                    \
        __attribute__((diagnose_if(1, "tw_private() stands in a loop over work-items, and takes the item that the "    \
                                      "loop declares", "error")))                                                      \
    {                                                                                                                  \
        return (void)item, (void)whole, place;                                                                         \
    }
TW_INTERNAL_NO_ITEM(tw_group)
TW_INTERNAL_NO_ITEM(tw_nd_item)
#undef TW_INTERNAL_NO_ITEM
TW_DEVICE_INLINE int tw_internal_private_named(int right) __attribute__((diagnose_if(
    !right, "the sizes of a private array are an argument of their own: TW_PRIVATE(group, type, name, [n])", "warning")))
{
    return right;
}
#pragma clang diagnostic pop
// clang-format on

/* Where the name is an array, as in C, the compilation ends: most of what follows would be an error of its own. */
// clang-format off
#define TW_INTERNAL_PRIVATE_NAMED(name, ...)                                                                           \
    typedef char tw_name_of_##name;                                                                                    \
    TW_INTERNAL_PRAGMA(clang diagnostic push)                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic fatal "-Wuser-defined-warnings")                                               \
    (void)sizeof(tw_internal_private_named(sizeof(tw_name_of_##name) == 1));                                           \
    TW_INTERNAL_PRAGMA(clang diagnostic pop)
// clang-format on

/* Whether x is an array, which becomes a pointer behind a comma. */
#ifdef __cplusplus
#define TW_INTERNAL_IS_ARRAY(x) __is_array(__typeof__(x))
#else
#define TW_INTERNAL_IS_ARRAY(x) (!__builtin_types_compatible_p(__typeof__(x), __typeof__(((void)0, (x)))))
#endif

/* tw_private(name, item, i...), with up to three indices. A pass defines TW_INTERNAL_PRIVATE_AT(name, item, value, place,
   indices): `value` has the type of what is meant, `place` counts those in front of it, and `indices` are as in C. */
#define TW_INTERNAL_PRIVATE_OF(name, item, i, j, k, count, ...) TW_INTERNAL_PRIVATE_##count
#define TW_INTERNAL_PRIVATE_0(name, item, i, j, k, ...) TW_INTERNAL_PRIVATE_AT(name, item, (name)[0], 0, )
#define TW_INTERNAL_PRIVATE_1(name, item, i, j, k, ...)                                                                \
    TW_INTERNAL_PRIVATE_AT(name, item, (name)[0][0], (size_t)(i), [i])
#define TW_INTERNAL_PRIVATE_2(name, item, i, j, k, ...)                                                                \
    TW_INTERNAL_PRIVATE_AT(name, item, (name)[0][0][0], TW_INTERNAL_PRIVATE_PLACE((size_t)(i), (name)[0][0], j), [i][j])
#define TW_INTERNAL_PRIVATE_3(name, item, i, j, k, ...)                                                                \
    TW_INTERNAL_PRIVATE_AT(                                                                                            \
        name, item, (name)[0][0][0][0],                                                                                \
        TW_INTERNAL_PRIVATE_PLACE(TW_INTERNAL_PRIVATE_PLACE((size_t)(i), (name)[0][0], j), (name)[0][0][0], k),        \
        [i][j][k])
#define TW_INTERNAL_PRIVATE_PLACE(rows, row, i) ((rows) * (sizeof(row) / sizeof((row)[0])) + (size_t)(i))

#if defined(TW_INTERNAL_PASS_SIMT)
#include <teamwork/lower/group/work_item_simt.h>
#elif defined(TW_INTERNAL_PASS_TEAMS)
#include <teamwork/lower/group/work_item_teams.h>
#else
#include <teamwork/lower/group/work_item_host.h>
#endif

#endif
