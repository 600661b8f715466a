/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Group algorithms of work-items that are threads of a GPU: within a sub-group word by word through warp instructions,
 * between sub-groups through team-local memory, as group_functions_gpu.h does it for its types.
 */
#ifndef TEAMWORK_LOWER_GROUP_ALGORITHMS_GPU_H
#define TEAMWORK_LOWER_GROUP_ALGORITHMS_GPU_H

/* A work-item, as one of those that come to a function together. */
typedef struct tw_internal_group_member {
    tw_sub_group sub_group;
    unsigned linear, total;
} tw_internal_group_member;

TW_OVERLOADED tw_internal_group_member tw_internal_group_member_of(tw_nd_item item)
{
    const tw_internal_group_member member = {tw_get_sub_group(item), (unsigned)tw_local_linear_id(item),
                                             (unsigned)tw_local_linear_range(item)};
    return member;
}

#ifdef TW_INTERNAL_PASS_SIMT
TW_OVERLOADED tw_internal_group_member tw_internal_group_member_of(tw_group group)
{
    const tw_internal_group_member member = {tw_internal_own_sub_group(group), tw_internal_thread(),
                                             (unsigned)tw_local_linear_range(group)};
    return member;
}
#endif

/* Team-local memory for a value of each sub-group: a function for each type has it. */
#define TW_INTERNAL_GROUP_PARTS(name) tw_internal_parts_##name()
#define TW_INTERNAL_DEFINE_PARTS(type, name)                                                                           \
    TW_LANGUAGE_INLINE void *tw_internal_parts_##name(void)                                                            \
    {                                                                                                                  \
        TW_INTERNAL_SCRATCH(type)                                                                                      \
        return tw_internal_address_of_parts(scratch);                                                                  \
    }
TW_LANGUAGE_INLINE void *tw_internal_address_of_parts(void *parts) /* not of a variable of the function, as it looks */
{
    return parts;
}
#define TW_INTERNAL_LANES_ROOM 64
#define TW_INTERNAL_ALL(suffix) NULL
#define TW_INTERNAL_DEFINE_GROUP_ALL(type, suffix)

/* ---- sub-groups -------------------------------------------------------------------------------------------------- */

/* The x of the first `count` lanes, at most `most`, together and in their order; right in lane 0. */
TW_LANGUAGE_INLINE void tw_internal_gather_lanes(tw_sub_group sub_group, void *x, unsigned most, unsigned count,
                                                 struct tw_internal_operator how)
{
    for (unsigned delta = 1; delta < most; delta *= 2) {
        tw_internal_shuffle_value(sub_group, how.spare, x, how.bytes, TW_INTERNAL_AFTER, delta);
        if (sub_group.tw_lane_ + delta < count)
            how.combine(x, x, how.spare, how.op);
    }
}

TW_LANGUAGE_INLINE void tw_internal_reduce_lanes(tw_sub_group sub_group, void *x, struct tw_internal_operator how)
{
    tw_internal_gather_lanes(sub_group, x, sub_group.tw_max_, sub_group.tw_size_, how);
    tw_internal_shuffle_value(sub_group, x, x, how.bytes, TW_INTERNAL_FROM, 0);
}

/* Inclusive, without what comes before the sub-group. */
TW_LANGUAGE_INLINE void tw_internal_scan_own_lanes(tw_sub_group sub_group, void *x, struct tw_internal_operator how)
{
    for (unsigned delta = 1; delta < sub_group.tw_max_; delta *= 2) {
        tw_internal_shuffle_value(sub_group, how.spare, x, how.bytes, TW_INTERNAL_BEFORE, delta);
        if (sub_group.tw_lane_ >= delta)
            how.combine(x, how.spare, x, how.op);
    }
}

/* What x, an inclusive scan of lanes, becomes behind `before`. */
TW_LANGUAGE_INLINE void tw_internal_scan_behind(tw_sub_group sub_group, void *x, const void *before, bool exclusive,
                                                struct tw_internal_operator how)
{
    if (exclusive) {
        tw_internal_shuffle_value(sub_group, x, x, how.bytes, TW_INTERNAL_BEFORE, 1);
        if (sub_group.tw_lane_ == 0) {
            tw_internal_copy_value(x, before, how);
            return;
        }
    }
    how.combine(x, before, x, how.op);
}

TW_LANGUAGE_INLINE void tw_internal_scan_lanes(tw_sub_group sub_group, void *x, const void *init, bool exclusive,
                                               struct tw_internal_operator how)
{
    tw_internal_scan_own_lanes(sub_group, x, how);
    if (init)
        tw_internal_scan_behind(sub_group, x, init, exclusive, how);
}

/* ---- work-groups ------------------------------------------------------------------------------------------------- */

/* The x of the first `valid` work-items, 1 or more, of which `lanes` are in this sub-group, together, for all. */
TW_LANGUAGE_INLINE void tw_internal_reduce_first(tw_sub_group sub_group, void *x, unsigned lanes, unsigned parts,
                                                 struct tw_internal_operator how)
{
    tw_internal_gather_lanes(sub_group, x, sub_group.tw_max_, lanes, how);
    if (sub_group.tw_count_ == 1) {
        tw_internal_shuffle_value(sub_group, x, x, how.bytes, TW_INTERNAL_FROM, 0);
        return;
    }
    if (sub_group.tw_lane_ == 0)
        tw_internal_copy_value(how.parts + sub_group.tw_id_ * how.bytes, x, how);
    tw_internal_gpu_barrier();
    if (parts <= TW_INTERNAL_FEW_PARTS || !sub_group.tw_even_) {
        tw_internal_copy_value(x, how.parts, how);
        for (unsigned i = 1; i < parts; ++i)
            how.combine(x, x, how.parts + i * how.bytes, how.op);
    } else { /* each is read by a lane: read by all, they would take a register each */
        const unsigned lane = sub_group.tw_lane_ < parts ? sub_group.tw_lane_ : 0;
        tw_internal_copy_value(x, how.parts + lane * how.bytes, how);
        tw_internal_gather_lanes(sub_group, x, parts, parts, how);
        tw_internal_shuffle_value(sub_group, x, x, how.bytes, TW_INTERNAL_FROM, 0);
    }
    tw_internal_gpu_barrier();
}

TW_LANGUAGE_INLINE void tw_internal_reduce_values(tw_internal_group_member me, void *x, struct tw_internal_operator how)
{
    tw_internal_reduce_first(me.sub_group, x, me.sub_group.tw_size_, me.sub_group.tw_count_, how);
}

/* `init` is what comes before the group, if `begun`. `all`, unless it is NULL, becomes the last value; it may be
   `init`. */
TW_LANGUAGE_INLINE void tw_internal_scan_team(tw_internal_group_member me, void *x, const void *init, bool begun,
                                              bool exclusive, void *all, struct tw_internal_operator how)
{
    const tw_sub_group sub_group = me.sub_group;
    unsigned char *const before = how.spare + how.bytes;
    tw_internal_scan_own_lanes(sub_group, x, how);
    if (sub_group.tw_lane_ == sub_group.tw_size_ - 1)
        tw_internal_copy_value(how.parts + sub_group.tw_id_ * how.bytes, x, how);
    tw_internal_gpu_barrier();
    unsigned i = 0;
    if (begun)
        tw_internal_copy_value(before, init, how);
    else
        tw_internal_copy_value(before, how.parts + i++ * how.bytes, how);
    for (; i < sub_group.tw_id_; ++i)
        how.combine(before, before, how.parts + i * how.bytes, how.op);
    if (begun || sub_group.tw_id_ > 0)
        tw_internal_scan_behind(sub_group, x, before, exclusive, how);
    if (all) {
        for (; i < sub_group.tw_count_; ++i)
            how.combine(before, before, how.parts + i * how.bytes, how.op);
        tw_internal_copy_value(all, before, how);
    }
    tw_internal_gpu_barrier();
}

TW_LANGUAGE_INLINE void tw_internal_scan_values(tw_internal_group_member me, void *x, const void *init, bool exclusive,
                                                struct tw_internal_operator how)
{
    tw_internal_scan_team(me, x, init, init != NULL, exclusive, NULL, how);
}

TW_LANGUAGE_INLINE void tw_internal_broadcast_value(tw_internal_group_member me, void *x, size_t from,
                                                    struct tw_internal_operator how)
{
    if (me.linear == from)
        tw_internal_copy_value(how.parts, x, how);
    tw_internal_gpu_barrier();
    tw_internal_copy_value(x, how.parts, how);
    tw_internal_gpu_barrier();
}

TW_LANGUAGE_INLINE bool tw_internal_any_value(tw_internal_group_member me, bool x)
{
    return tw_internal_team_reduce_uint(me.sub_group, x, TW_OR) != 0;
}

/* ---- over a range of memory -------------------------------------------------------------------------------------- */

/* Neighbouring work-items take neighbouring elements, so this is not their order. */
TW_OVERLOADED void tw_internal_joint_reduce(tw_internal_group_member me, void *to, const void *values, size_t count,
                                            struct tw_internal_operator how)
{
    const unsigned char *const x = (const unsigned char *)values;
    const tw_sub_group sub_group = me.sub_group;
    tw_internal_gpu_barrier();
    if (count == 0)
        return;
    const unsigned valid = count < me.total ? (unsigned)count : me.total, first = sub_group.tw_id_ * sub_group.tw_max_;
    const unsigned lanes = valid <= first ? 0 : valid - first < sub_group.tw_size_ ? valid - first : sub_group.tw_size_;
    if (me.linear < valid)
        tw_internal_copy_value(to, x + me.linear * how.bytes, how);
    for (size_t i = (size_t)me.linear + me.total; i < count; i += me.total)
        how.combine(to, to, x + i * how.bytes, how.op);
    tw_internal_reduce_first(sub_group, to, lanes, (valid + sub_group.tw_max_ - 1) / sub_group.tw_max_, how);
}

/* A part of the range after the other, each of a group's length; behind each its last value is known. */
TW_OVERLOADED void tw_internal_joint_scan(tw_internal_group_member me, void *to, const void *values, size_t count,
                                          const void *init, bool exclusive, struct tw_internal_operator how)
{
    unsigned char *const out = (unsigned char *)to, *const all = how.spare + 2 * how.bytes, *const x = all + how.bytes;
    bool begun = init != NULL;
    if (begun)
        tw_internal_copy_value(all, init, how);
    tw_internal_gpu_barrier();
    for (size_t part = 0; part < count; part += me.total, begun = true) {
        const size_t i = part + me.linear, at = i < count ? i : count - 1;
        tw_internal_copy_value(x, (const unsigned char *)values + at * how.bytes, how);
        tw_internal_scan_team(me, x, all, begun, exclusive, all, how);
        if (i < count)
            tw_internal_copy_value(out + i * how.bytes, x, how);
    }
    tw_internal_gpu_barrier();
}

TW_OVERLOADED bool tw_internal_joint_any(tw_internal_group_member me, const void *values, size_t count, size_t bytes,
                                         tw_internal_test test, const void *user)
{
    bool any = false;
    tw_internal_gpu_barrier();
    for (size_t i = me.linear; i < count; i += me.total)
        any |= test((const unsigned char *)values + i * bytes, user);
    return tw_internal_any_value(me, any);
}

TW_OVERLOADED void tw_internal_joint_sort(tw_internal_group_member me, struct tw_internal_sort sort)
{
    tw_internal_gpu_barrier();
    for (size_t run = 1; run < sort.count; run *= 2) {
        tw_internal_sort_step(sort, run, true, me.linear, me.total);
        tw_internal_gpu_barrier();
        for (size_t half = run / 2; half; half /= 2) {
            tw_internal_sort_step(sort, half, false, me.linear, me.total);
            tw_internal_gpu_barrier();
        }
    }
}

#endif
