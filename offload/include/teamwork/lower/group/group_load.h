/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers the loads and stores of groups of <teamwork/group_algorithms.h>: the same on every device. */
#ifndef TEAMWORK_LOWER_GROUP_LOAD_H
#define TEAMWORK_LOWER_GROUP_LOAD_H

#include <teamwork/lower/group/group_functions.h>

/* A work-item in its group. */
struct tw_internal_group_place {
    size_t id, size;
};

TW_OVERLOADED struct tw_internal_group_place tw_internal_group_place_of(tw_nd_item item)
{
    const struct tw_internal_group_place place = {tw_local_linear_id(item), tw_local_linear_range(item)};
    return place;
}

TW_OVERLOADED struct tw_internal_group_place tw_internal_group_place_of(tw_h_item item)
{
    const struct tw_internal_group_place place = {tw_local_linear_id(item), tw_local_linear_range(item.tw_group_)};
    return place;
}

TW_OVERLOADED struct tw_internal_group_place tw_internal_group_place_of(tw_sub_group sub_group)
{
    const struct tw_internal_group_place place = {tw_sub_group_local_id(sub_group),
                                                  tw_sub_group_local_range(sub_group)};
    return place;
}

/* Which element in memory is number k of a work-item's n. */
#define TW_INTERNAL_BLOCKED(place, k, n) ((place).id * (n) + (k))
#define TW_INTERNAL_STRIPED(place, k, n) ((k) * (place).size + (place).id)

/* Expands to: ({ ...; for (tw_k = 0; tw_k < 4; ++tw_k) { tw_at = where(...); move } }), where `move` names tw_private,
   the work-item's element, and tw_memory, the one in memory. */
#define TW_INTERNAL_GROUP_MOVE(group, own, memory, n, where, count, move)                                              \
    __extension__({                                                                                                    \
        const struct tw_internal_group_place tw_place = tw_internal_group_place_of(group);                             \
        __typeof__(&*(own)) const tw_own = (own);                                                                      \
        __typeof__(&*(memory)) const tw_first = (memory);                                                              \
        const size_t tw_count = (count);                                                                               \
        enum { tw_n = (n) };                                                                                           \
        TW_INTERNAL_PRAGMA(clang loop unroll(full))                                                                    \
        for (size_t tw_k = 0; tw_k < tw_n; ++tw_k) {                                                                   \
            const size_t tw_at = where(tw_place, tw_k, (size_t)tw_n);                                                  \
            move;                                                                                                      \
        }                                                                                                              \
        (void)tw_count;                                                                                                \
    })
#define TW_INTERNAL_GROUP_LOAD(group, to, from, n, where)                                                              \
    TW_INTERNAL_GROUP_MOVE(group, to, from, n, where, 0, tw_own[tw_k] = tw_first[tw_at])
#define TW_INTERNAL_GROUP_STORE(group, to, from, n, where)                                                             \
    TW_INTERNAL_GROUP_MOVE(group, from, to, n, where, 0, tw_first[tw_at] = tw_own[tw_k])
#define TW_INTERNAL_GROUP_LOAD_PART(group, to, from, n, where, count, other)                                           \
    TW_INTERNAL_GROUP_MOVE(group, to, from, n, where, count,                                                           \
                           tw_own[tw_k] = tw_at < tw_count ? tw_first[tw_at] : (other))
#define TW_INTERNAL_GROUP_STORE_PART(group, to, from, n, where, count)                                                 \
    TW_INTERNAL_GROUP_MOVE(group, from, to, n, where, count, if (tw_at < tw_count) tw_first[tw_at] = tw_own[tw_k])

#endif
