/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lowers what <teamwork/group_algorithms.h> declares.
 *
 * The algorithms know a type by its size, and an operation by a function over addresses: so they are functions, and what
 * macros make for each type calls them. All of it is inlined, which leaves code of that type and operation.
 */
#ifndef TEAMWORK_LOWER_GROUP_ALGORITHMS_H
#define TEAMWORK_LOWER_GROUP_ALGORITHMS_H

#include <teamwork/lower/group/async_copy.h>
#include <teamwork/lower/group/group_functions.h>

/* *to = *a op *b, where `op` points to the operation; `to` may be `a` or `b`. */
typedef void (*tw_internal_combine)(void *to, const void *a, const void *b, const void *op);
/* *to is `count` values, 1 or more, combined. */
typedef void (*tw_internal_combine_all)(void *to, const void *values, size_t count, const void *op);
/* Whether `test` finds the element. */
typedef bool (*tw_internal_test)(const void *x, const void *test);

/* How values become one. */
struct tw_internal_operator {
    tw_internal_combine combine;
    tw_internal_combine_all combine_all; /* on a CPU, if there is a faster way than one after the other; or NULL */
    const void *op;
    size_t bytes, alignment;
    unsigned char *spare; /* of the caller: room for four values */
    unsigned char *parts; /* on a GPU: team-local memory for a value of each sub-group */
};

TW_LANGUAGE_INLINE struct tw_internal_operator tw_internal_make_operator(tw_internal_combine combine,
                                                                         tw_internal_combine_all combine_all,
                                                                         const void *op, size_t bytes, size_t alignment,
                                                                         void *spare, void *parts)
{
    const struct tw_internal_operator how = {
        combine, combine_all, op, bytes, alignment, (unsigned char *)spare, (unsigned char *)parts};
    return how;
}

TW_LANGUAGE_INLINE void tw_internal_copy_value(void *to, const void *from, struct tw_internal_operator how)
{
    tw_internal_copy_element(to, from, how.bytes, how.alignment);
}

/** Each of the sub-groups of a work-group, at group scope of a hierarchical kernel. */
typedef struct tw_sub_groups {
    tw_group tw_group_;
} tw_sub_groups;

TW_LANGUAGE_INLINE tw_sub_groups tw_get_sub_groups(tw_group group)
{
    const tw_sub_groups result = {group};
    return result;
}

/* ---- one thread has all values ----------------------------------------------------------------------------------- */

TW_LANGUAGE_INLINE void tw_internal_serial_reduce(void *to, const void *values, size_t count,
                                                  struct tw_internal_operator how)
{
    const unsigned char *const x = (const unsigned char *)values;
    if (how.combine_all) {
        how.combine_all(to, values, count, how.op);
        return;
    }
    tw_internal_copy_value(to, x, how);
    for (size_t i = 1; i < count; ++i)
        how.combine(to, to, x + i * how.bytes, how.op);
}

/* `to` may be `values`. An exclusive scan has an `init`. */
TW_LANGUAGE_INLINE void tw_internal_serial_scan(void *to, const void *values, size_t count, const void *init,
                                                bool exclusive, struct tw_internal_operator how)
{
    const unsigned char *const x = (const unsigned char *)values;
    unsigned char *const out = (unsigned char *)to, *const here = how.spare + how.bytes;
    if (init)
        tw_internal_copy_value(how.spare, init, how);
    for (size_t i = 0; i < count; ++i) {
        tw_internal_copy_value(here, x + i * how.bytes, how);
        if (exclusive)
            tw_internal_copy_value(out + i * how.bytes, how.spare, how);
        if (init || i > 0)
            how.combine(how.spare, how.spare, here, how.op);
        else
            tw_internal_copy_value(how.spare, here, how);
        if (!exclusive)
            tw_internal_copy_value(out + i * how.bytes, how.spare, how);
    }
}

TW_LANGUAGE_INLINE bool tw_internal_serial_any(const void *values, size_t count, size_t bytes, tw_internal_test test,
                                               const void *user)
{
    bool any = false;
    for (size_t i = 0; i < count; ++i)
        any |= test((const unsigned char *)values + i * bytes, user);
    return any;
}

/* A range that is sorted. `order` puts two elements in order by `less`, a function of the program. */
struct tw_internal_sort {
    unsigned char *values;
    size_t count, bytes;
    void (*order)(void *first, void *second, const void *less);
    const void *less;
};

TW_LANGUAGE_INLINE void tw_internal_sort_pair(struct tw_internal_sort sort, size_t first, size_t second)
{
    sort.order(sort.values + first * sort.bytes, sort.values + second * sort.bytes, sort.less);
}

/*
 * A bitonic network. In each of its steps sorted runs of `half` elements, a power of two, become runs of twice as many;
 * the first step of these compares elements from both ends, the others, with `first` false, elements that are `half`
 * apart. In all of them the smaller element comes to the front: so elements that the range lacks for a power of two count
 * as larger than all others, and stay where they are.
 *
 * The share of thread `me` of `total` in a step:
 */
TW_LANGUAGE_INLINE void tw_internal_sort_step(struct tw_internal_sort sort, size_t half, bool first, size_t me,
                                              size_t total)
{
    for (size_t pair = me; pair < sort.count; pair += total) {
        const size_t at = pair & (half - 1), run = (pair - at) * 2;
        const size_t second = first ? run + 2 * half - 1 - at : run + at + half;
        if (second < sort.count)
            tw_internal_sort_pair(sort, run + at, second);
    }
}

/* One thread does a step. */
TW_LANGUAGE_INLINE void tw_internal_serial_sort_step(struct tw_internal_sort sort, size_t half, bool first)
{
    for (size_t run = 0; run + half < sort.count; run += 2 * half) {
        const size_t there = sort.count - run < 2 * half ? sort.count - run - half : half; /* second elements */
        for (size_t i = 0; i < there; ++i)
            tw_internal_sort_pair(sort, first ? run + half - 1 - i : run + i, run + half + i);
    }
}

TW_LANGUAGE_INLINE void tw_internal_serial_sort(struct tw_internal_sort sort)
{
    for (size_t run = 1; run < sort.count; run *= 2) {
        tw_internal_serial_sort_step(sort, run, true);
        for (size_t half = run / 2; half; half /= 2)
            tw_internal_serial_sort_step(sort, half, false);
    }
}

#ifdef TW_INTERNAL_GPU_PASS
#include <teamwork/lower/group/group_algorithms_gpu.h>
#else
#include <teamwork/lower/group/group_algorithms_cpu.h>
#endif

/* ---- group scope of hierarchical kernels ------------------------------------------------------------------------- */

#if defined(TW_INTERNAL_PASS_SIMT) || (defined(TW_INTERNAL_PASS_HOST) && defined(TW_CHECK_GROUP_SCOPE))

/* Each work-item is there, with its value. */
TW_LANGUAGE_INLINE void tw_internal_group_reduce(tw_group group, void *to, const void *x,
                                                 struct tw_internal_operator how)
{
    tw_internal_copy_value(to, x, how);
    tw_internal_reduce_values(tw_internal_group_member_of(group), to, how);
}

TW_LANGUAGE_INLINE void tw_internal_group_scan(tw_group group, void *x, const void *init, bool exclusive,
                                               struct tw_internal_operator how)
{
    tw_internal_scan_values(tw_internal_group_member_of(group), x, init, exclusive, how);
}

TW_LANGUAGE_INLINE void tw_internal_group_broadcast(tw_group group, void *to, const void *x, size_t from,
                                                    struct tw_internal_operator how)
{
    tw_internal_copy_value(to, x, how);
    tw_internal_broadcast_value(tw_internal_group_member_of(group), to, from, how);
}

TW_LANGUAGE_INLINE bool tw_internal_group_any(tw_group group, const bool *x, bool wanted)
{
    return tw_internal_any_value(tw_internal_group_member_of(group), *x == wanted);
}

TW_LANGUAGE_INLINE void tw_internal_groups_reduce(tw_sub_groups sub_groups, void *x, struct tw_internal_operator how)
{
    tw_internal_reduce_lanes(tw_internal_own_sub_group(sub_groups.tw_group_), x, how);
}

TW_LANGUAGE_INLINE void tw_internal_groups_scan(tw_sub_groups sub_groups, void *x, const void *init, bool exclusive,
                                                struct tw_internal_operator how)
{
    tw_internal_scan_lanes(tw_internal_own_sub_group(sub_groups.tw_group_), x, init, exclusive, how);
}

TW_LANGUAGE_INLINE void tw_internal_groups_shuffle(tw_sub_groups sub_groups, void *x, size_t bytes, void *spare,
                                                   enum tw_internal_shuffle kind, size_t which)
{
    (void)spare;
    tw_internal_shuffle_value(tw_internal_own_sub_group(sub_groups.tw_group_), x, x, bytes, kind, which);
}

/* x becomes whether any of the sub-group is as `wanted`; or, if not `result`, whether none is. */
TW_LANGUAGE_INLINE void tw_internal_groups_vote(tw_sub_groups sub_groups, bool *x, bool wanted, bool result)
{
    *x = (tw_internal_ballot(tw_internal_own_sub_group(sub_groups.tw_group_), *x == wanted) != 0) == result;
}

TW_LANGUAGE_INLINE void tw_internal_groups_ballot(tw_sub_groups sub_groups, const bool *x, unsigned long long *result)
{
    *result = tw_internal_ballot(tw_internal_own_sub_group(sub_groups.tw_group_), *x);
}

#define tw_internal_joint_point(group) tw_internal_group_member_of(group)

#else

/* One thread has the values of all work-items, in their order. */
TW_LANGUAGE_INLINE void tw_internal_group_reduce(tw_group group, void *to, const void *x,
                                                 struct tw_internal_operator how)
{
    tw_internal_serial_reduce(to, x, tw_local_linear_range(group), how);
}

TW_LANGUAGE_INLINE void tw_internal_group_scan(tw_group group, void *x, const void *init, bool exclusive,
                                               struct tw_internal_operator how)
{
    tw_internal_serial_scan(x, x, tw_local_linear_range(group), init, exclusive, how);
}

TW_LANGUAGE_INLINE void tw_internal_group_broadcast(tw_group group, void *to, const void *x, size_t from,
                                                    struct tw_internal_operator how)
{
    (void)group;
    tw_internal_copy_value(to, (const unsigned char *)x + from * how.bytes, how);
}

TW_LANGUAGE_INLINE bool tw_internal_group_any(tw_group group, const bool *x, bool wanted)
{
    const size_t count = tw_local_linear_range(group);
    bool any = false;
    for (size_t i = 0; i < count; ++i)
        any |= x[i] == wanted;
    return any;
}

/* Work-items of a sub-group: as many as run in lockstep on this device, so that the standard mapping and simt agree. */
TW_LANGUAGE_INLINE size_t tw_internal_sub_group_end(size_t first, size_t count)
{
    const size_t width = tw_internal_sub_group(0, 1).tw_max_;
    return count - first < width ? count : first + width;
}

TW_LANGUAGE_INLINE void tw_internal_groups_reduce(tw_sub_groups sub_groups, void *x, struct tw_internal_operator how)
{
    const size_t count = tw_local_linear_range(sub_groups.tw_group_);
    unsigned char *const values = (unsigned char *)x;
    for (size_t first = 0, end; first < count; first = end) {
        end = tw_internal_sub_group_end(first, count);
        if (end - first == 1)
            continue;
        how.combine_all = NULL;
        tw_internal_serial_reduce(how.spare, values + first * how.bytes, end - first, how);
        for (size_t i = first; i < end; ++i)
            tw_internal_copy_value(values + i * how.bytes, how.spare, how);
    }
}

TW_LANGUAGE_INLINE void tw_internal_groups_scan(tw_sub_groups sub_groups, void *x, const void *init, bool exclusive,
                                                struct tw_internal_operator how)
{
    const size_t count = tw_local_linear_range(sub_groups.tw_group_);
    for (size_t first = 0, end; first < count; first = end) {
        unsigned char *const values = (unsigned char *)x + first * how.bytes;
        end = tw_internal_sub_group_end(first, count);
        tw_internal_serial_scan(values, values, end - first, init, exclusive, how);
    }
}

/* The values of a sub-group, `spare` has room for, are moved as if all at once. What is outside of it stays as it is. */
TW_LANGUAGE_INLINE void tw_internal_groups_shuffle(tw_sub_groups sub_groups, void *x, size_t bytes, void *spare,
                                                   enum tw_internal_shuffle kind, size_t which)
{
    const size_t count = tw_local_linear_range(sub_groups.tw_group_);
    for (size_t first = 0, end; first < count; first = end) {
        unsigned char *const values = (unsigned char *)x + first * bytes;
        end = tw_internal_sub_group_end(first, count);
        const size_t size = end - first;
        if (size == 1)
            continue;
        __builtin_memcpy(spare, values, size * bytes);
        for (size_t i = 0; i < size; ++i) {
            const size_t from = kind == TW_INTERNAL_FROM    ? which
                                : kind == TW_INTERNAL_XOR   ? i ^ which
                                : kind == TW_INTERNAL_AFTER ? i + which
                                                            : i - which;
            if (from < size)
                __builtin_memcpy(values + i * bytes, (unsigned char *)spare + from * bytes, bytes);
        }
    }
}

TW_LANGUAGE_INLINE void tw_internal_groups_vote(tw_sub_groups sub_groups, bool *x, bool wanted, bool result)
{
    const size_t count = tw_local_linear_range(sub_groups.tw_group_);
    for (size_t first = 0, end; first < count; first = end) {
        bool any = false;
        end = tw_internal_sub_group_end(first, count);
        for (size_t i = first; i < end; ++i)
            any |= x[i] == wanted;
        for (size_t i = first; i < end; ++i)
            x[i] = any == result;
    }
}

TW_LANGUAGE_INLINE void tw_internal_groups_ballot(tw_sub_groups sub_groups, const bool *x, unsigned long long *result)
{
    const size_t count = tw_local_linear_range(sub_groups.tw_group_);
    for (size_t first = 0, end; first < count; first = end) {
        unsigned long long ballot = 0;
        end = tw_internal_sub_group_end(first, count);
        for (size_t i = first; i < end; ++i)
            ballot |= (unsigned long long)x[i] << (i - first);
        for (size_t i = first; i < end; ++i)
            result[i] = ballot;
    }
}

/* Joint forms: one thread does all. */
#define tw_internal_joint_point(group) (group)
TW_OVERLOADED void tw_internal_joint_reduce(tw_group group, void *to, const void *values, size_t count,
                                            struct tw_internal_operator how)
{
    (void)group;
    if (count)
        tw_internal_serial_reduce(to, values, count, how);
}

TW_OVERLOADED void tw_internal_joint_scan(tw_group group, void *to, const void *values, size_t count, const void *init,
                                          bool exclusive, struct tw_internal_operator how)
{
    (void)group;
    tw_internal_serial_scan(to, values, count, init, exclusive, how);
}

TW_OVERLOADED bool tw_internal_joint_any(tw_group group, const void *values, size_t count, size_t bytes,
                                         tw_internal_test test, const void *user)
{
    (void)group;
    return tw_internal_serial_any(values, count, bytes, test, user);
}

TW_OVERLOADED void tw_internal_joint_sort(tw_group group, struct tw_internal_sort sort)
{
    (void)group;
    tw_internal_serial_sort(sort);
}

#endif

/* ---- for every pass ---------------------------------------------------------------------------------------------- */

TW_OVERLOADED bool tw_any_of_group(tw_group group, const bool *x)
{
    return tw_internal_group_any(group, x, true);
}
TW_OVERLOADED bool tw_all_of_group(tw_group group, const bool *x)
{
    return !tw_internal_group_any(group, x, false);
}
TW_OVERLOADED bool tw_none_of_group(tw_group group, const bool *x)
{
    return !tw_internal_group_any(group, x, true);
}
TW_OVERLOADED void tw_any_of_group(tw_sub_groups sub_groups, bool *x)
{
    tw_internal_groups_vote(sub_groups, x, true, true);
}
TW_OVERLOADED void tw_all_of_group(tw_sub_groups sub_groups, bool *x)
{
    tw_internal_groups_vote(sub_groups, x, false, false);
}
TW_OVERLOADED void tw_none_of_group(tw_sub_groups sub_groups, bool *x)
{
    tw_internal_groups_vote(sub_groups, x, true, false);
}
TW_OVERLOADED void tw_group_ballot(tw_sub_groups sub_groups, const bool *x, unsigned long long *result)
{
    tw_internal_groups_ballot(sub_groups, x, result);
}

/* What work-items wrote before is there, for a copy. */
TW_OVERLOADED void tw_internal_joint_begin(tw_nd_item item, int line)
{
    tw_internal_barrier_at(item, TW_GLOBAL_AND_LOCAL, line);
}
TW_OVERLOADED void tw_internal_joint_begin(tw_group group, int line)
{
    (void)group, (void)line;
#if defined(TW_INTERNAL_PASS_SIMT)
    tw_internal_barrier();
#elif defined(TW_INTERNAL_PASS_HOST) && defined(TW_CHECK_GROUP_SCOPE)
    tw_internal_checked_barrier(group, line);
#endif
}

#include <teamwork/lower/group/group_algorithms_types.h>

/* ---- arithmetic types -------------------------------------------------------------------------------------------- */

#define TW_INTERNAL_DEFINE_NAMED(type, name, lowest, highest, combine)                                                 \
    TW_LANGUAGE_INLINE void tw_internal_named_##name(void *to, const void *a, const void *b, const void *op)           \
    {                                                                                                                  \
        *(type *)to = combine(*(const type *)a, *(const type *)b, *(const tw_operation *)op);                          \
    }

/* Those of group_functions.h. */
#define TW_INTERNAL_DEFINE_KNOWN(type, name, lowest, highest, combine)                                                 \
    TW_INTERNAL_DEFINE_NAMED(type, name, lowest, highest, combine)                                                     \
    TW_INTERNAL_DEFINE_GROUP_ALL(type, name)                                                                           \
    TW_INTERNAL_DEFINE_PARTS(type, name)                                                                               \
    TW_INTERNAL_DEFINE_MOVES_OF_GROUPS(type)                                                                           \
    TW_INTERNAL_DEFINE_OWN(type, name, TW_INTERNAL_IS_FUNCTION)                                                        \
    TW_INTERNAL_DEFINE_MORE(type, name, named, TW_INTERNAL_ALL(name), TW_INTERNAL_CHECKED(name))                       \
    TW_INTERNAL_DEFINE_WITHOUT_INIT(type, name, TW_INTERNAL_ALL(name), TW_INTERNAL_CHECKED(name))

/* Values of char and short that work-items bring are promoted to int, as always in C: for operations of tw_operation only
   functions that take pointers are here. */
#define TW_INTERNAL_SMALL_GROUP_TYPES(X)                                                                               \
    X(char, char, CHAR_MIN, CHAR_MAX, tw_internal_combine_char)                                                        \
    X(signed char, schar, SCHAR_MIN, SCHAR_MAX, tw_internal_combine_schar)                                             \
    X(unsigned char, uchar, 0, UCHAR_MAX, tw_internal_combine_uchar)                                                   \
    X(short, short, SHRT_MIN, SHRT_MAX, tw_internal_combine_short)                                                     \
    X(unsigned short, ushort, 0, USHRT_MAX, tw_internal_combine_ushort)
#define TW_INTERNAL_DEFINE_SMALL(type, name, lowest, highest, combine)                                                 \
    TW_INTERNAL_DEFINE_IDENTITY(type, name, lowest, highest, combine)                                                  \
    TW_INTERNAL_DEFINE_NAMED(type, name, lowest, highest, combine)                                                     \
    TW_INTERNAL_DEFINE_PARTS(type, name)                                                                               \
    TW_INTERNAL_DEFINE_MOVES(type, name)                                                                               \
    TW_INTERNAL_DEFINE_MOVES_OF_GROUPS(type)                                                                           \
    TW_INTERNAL_DEFINE_OWN(type, name, TW_INTERNAL_IS_FUNCTION)                                                        \
    TW_INTERNAL_DEFINE_OF_ARRAYS(type, name, named, NULL, )                                                            \
    TW_INTERNAL_DEFINE_IN_MEMORY(type, name, named, NULL, )                                                            \
    TW_INTERNAL_DEFINE_ARRAYS_WITHOUT_INIT(type, name, )                                                               \
    TW_INTERNAL_DEFINE_WITHOUT_INIT(type, name, NULL, )

#define TW_INTERNAL_HALF_GROUP_TYPE(X)                                                                                 \
    X(_Float16, half, (_Float16)-__builtin_inff(), (_Float16)__builtin_inff(), tw_internal_combine_half)
#define TW_INTERNAL_DEFINE_HALF(type, name, lowest, highest, combine)                                                  \
    TW_INTERNAL_DEFINE_IDENTITY(type, name, lowest, highest, combine)                                                  \
    TW_INTERNAL_DEFINE_NAMED(type, name, lowest, highest, combine)                                                     \
    TW_INTERNAL_ARITHMETIC_GROUP_TYPE(type, name, TW_INTERNAL_CHECKED_float)

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat" /* diagnose_if and enable_if are clang's */
TW_INTERNAL_COMBINE_INTEGER(char, unsigned, char)
TW_INTERNAL_COMBINE_INTEGER(signed char, unsigned, schar)
TW_INTERNAL_COMBINE_INTEGER(unsigned char, unsigned, uchar)
TW_INTERNAL_COMBINE_INTEGER(short, unsigned, short)
TW_INTERNAL_COMBINE_INTEGER(unsigned short, unsigned, ushort)
TW_INTERNAL_COMBINE_FLOATING(_Float16, half)
TW_INTERNAL_GROUP_TYPES(TW_INTERNAL_DEFINE_KNOWN)
TW_INTERNAL_SMALL_GROUP_TYPES(TW_INTERNAL_DEFINE_SMALL)
TW_INTERNAL_HALF_GROUP_TYPE(TW_INTERNAL_DEFINE_HALF)
#pragma clang diagnostic pop

#endif
