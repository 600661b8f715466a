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
/* Whether the element is one that `test` finds, or belongs in front of the other one. */
typedef bool (*tw_internal_test)(const void *a, const void *b, const void *test);

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
        any |= test((const unsigned char *)values + i * bytes, NULL, user);
    return any;
}

/* A range that is sorted. */
struct tw_internal_sort {
    unsigned char *values;
    size_t count, bytes, alignment;
    tw_internal_test less;
    const void *user;
    unsigned char *spare; /* room for a value */
};

/* Exchanges two elements, of which the first one is nearer to the begin, if they are in the wrong order. The range's
   length need not be a power of two: the elements that it lacks count as larger than all others. */
TW_LANGUAGE_INLINE void tw_internal_sort_pair(struct tw_internal_sort sort, size_t first, size_t second)
{
    unsigned char *const a = sort.values + first * sort.bytes, *const b = sort.values + second * sort.bytes;
    if (second < sort.count && sort.less(b, a, sort.user)) {
        tw_internal_copy_element(sort.spare, a, sort.bytes, sort.alignment);
        tw_internal_copy_element(a, b, sort.bytes, sort.alignment);
        tw_internal_copy_element(b, sort.spare, sort.bytes, sort.alignment);
    }
}

/* The share of thread `me` of `total` in one step of a bitonic network: the first of the steps that merge runs of
   `half` elements compares them from both ends, the others, with `first` false, elements that are `half` apart. */
TW_LANGUAGE_INLINE void tw_internal_sort_step(struct tw_internal_sort sort, size_t half, bool first, size_t me,
                                              size_t total)
{
    for (size_t pair = me; pair < sort.count; pair += total) {
        const size_t at = pair % half, run = (pair - at) * 2;
        if (run >= sort.count)
            return;
        tw_internal_sort_pair(sort, run + at, first ? run + 2 * half - 1 - at : run + at + half);
    }
}

TW_LANGUAGE_INLINE void tw_internal_serial_sort(struct tw_internal_sort sort)
{
    for (size_t run = 1; run < sort.count; run *= 2) {
        tw_internal_sort_step(sort, run, true, 0, 1);
        for (size_t half = run / 2; half; half /= 2)
            tw_internal_sort_step(sort, half, false, 0, 1);
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

/* ---- what macros make for a type --------------------------------------------------------------------------------- */

/*
 * Parameters of the macros: `name` is the type's in names of functions. `kind` is `named` for operations of tw_operation,
 * `own` for those of the program; tw_internal_KIND_NAME() combines two values, and `all`, a function or NULL, many.
 * `check` is an attribute of what takes an operation. `group_type` is a kind of group, of which `member` makes what the
 * algorithms take.
 *
 * No function calls an overloaded one of another type's: clang would look at those of all types.
 */
#define TW_INTERNAL_OPERATION_named(type) tw_operation
#define TW_INTERNAL_OPERATION_own(type) __typeof__(type(*)(type, type))
/* In C a constant of 0, as TW_SUM is, would be a null pointer to a function, too. */
#define TW_INTERNAL_IS_FUNCTION                                                                                        \
    __attribute__((enable_if(!__builtin_constant_p(op) || op != NULL, "the operation is a function")))

/* Room for values, and how they become one by the parameter `op`. */
#define TW_INTERNAL_HOW(type, name, kind, all)                                                                         \
    type tw_spare[4];                                                                                                  \
    const struct tw_internal_operator tw_how =                                                                         \
        tw_internal_make_operator(tw_internal_##kind##_##name, all, (const void *)&op, sizeof(type),                   \
                                  __alignof__(type), tw_spare, TW_INTERNAL_PARTS(name))
/* The same without an operation. */
#define TW_INTERNAL_BARE_HOW(type, name)                                                                               \
    type tw_spare[4];                                                                                                  \
    const struct tw_internal_operator tw_how = tw_internal_make_operator(                                              \
        NULL, NULL, NULL, sizeof(type), __alignof__(type), tw_spare, TW_INTERNAL_PARTS(name))

/* All functions of an operation. */
#define TW_INTERNAL_DEFINE_ALGORITHMS(type, name, kind, all, check)                                                    \
    TW_INTERNAL_DEFINE_OF_VALUES(tw_nd_item, type, name, kind, check, tw_internal_reduce_values,                       \
                                 tw_internal_scan_values, tw_internal_group_member_of)                                 \
    TW_INTERNAL_DEFINE_OF_VALUES(tw_sub_group, type, name, kind, check, tw_internal_reduce_lanes,                      \
                                 tw_internal_scan_lanes, )                                                             \
    TW_INTERNAL_DEFINE_OF_ARRAYS(type, name, kind, all, check)                                                         \
    TW_INTERNAL_DEFINE_MORE(type, name, kind, all, check)

/* What the types of group_functions.h do not have yet. */
#define TW_INTERNAL_DEFINE_MORE(type, name, kind, all, check)                                                          \
    TW_INTERNAL_DEFINE_FROM_INIT(tw_nd_item, type, name, kind, check, tw_internal_reduce_values,                       \
                                 tw_internal_scan_values, tw_internal_group_member_of)                                 \
    TW_INTERNAL_DEFINE_FROM_INIT(tw_sub_group, type, name, kind, check, tw_internal_reduce_lanes,                      \
                                 tw_internal_scan_lanes, )                                                             \
    TW_INTERNAL_DEFINE_IN_MEMORY(type, name, kind, all, check)

/* Of values that work-items bring. */
#define TW_INTERNAL_DEFINE_OF_VALUES(group_type, type, name, kind, check, reduce, scan, member)                        \
    TW_OVERLOADED type tw_reduce_over_group(group_type group, type x, TW_INTERNAL_OPERATION_##kind(type) op) check     \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        reduce(member(group), &x, tw_how);                                                                             \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_OVERLOADED type tw_inclusive_scan_over_group(group_type group, type x, TW_INTERNAL_OPERATION_##kind(type) op)   \
        check                                                                                                          \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        scan(member(group), &x, NULL, false, tw_how);                                                                  \
        return x;                                                                                                      \
    }
#define TW_INTERNAL_DEFINE_FROM_INIT(group_type, type, name, kind, check, reduce, scan, member)                        \
    TW_OVERLOADED type tw_reduce_over_group(group_type group, type x, type init,                                       \
                                            TW_INTERNAL_OPERATION_##kind(type) op) check                               \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        reduce(member(group), &x, tw_how);                                                                             \
        tw_how.combine(&x, &init, &x, tw_how.op);                                                                      \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_OVERLOADED type tw_inclusive_scan_over_group(group_type group, type x, TW_INTERNAL_OPERATION_##kind(type) op,   \
                                                    type init) check                                                   \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        scan(member(group), &x, &init, false, tw_how);                                                                 \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_OVERLOADED type tw_exclusive_scan_over_group(group_type group, type x, type init,                               \
                                                    TW_INTERNAL_OPERATION_##kind(type) op) check                       \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        scan(member(group), &x, &init, true, tw_how);                                                                  \
        return x;                                                                                                      \
    }

/* Of variables of TW_PRIVATE, without a first value. */
#define TW_INTERNAL_DEFINE_OF_ARRAYS(type, name, kind, all, check)                                                     \
    TW_OVERLOADED type tw_reduce_over_group(tw_group group, const type *x, TW_INTERNAL_OPERATION_##kind(type) op)      \
        check                                                                                                          \
    {                                                                                                                  \
        type result;                                                                                                   \
        TW_INTERNAL_HOW(type, name, kind, all);                                                                        \
        tw_internal_group_reduce(group, &result, x, tw_how);                                                           \
        return result;                                                                                                 \
    }                                                                                                                  \
    TW_OVERLOADED void tw_inclusive_scan_over_group(tw_group group, type *x, TW_INTERNAL_OPERATION_##kind(type) op)    \
        check                                                                                                          \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, all);                                                                        \
        tw_internal_group_scan(group, x, NULL, false, tw_how);                                                         \
    }

/* The same with one, of sub-groups at group scope, and of ranges. */
#define TW_INTERNAL_DEFINE_IN_MEMORY(type, name, kind, all, check)                                                     \
    TW_OVERLOADED type tw_reduce_over_group(tw_group group, const type *x, type init,                                  \
                                            TW_INTERNAL_OPERATION_##kind(type) op) check                               \
    {                                                                                                                  \
        type result;                                                                                                   \
        TW_INTERNAL_HOW(type, name, kind, all);                                                                        \
        tw_internal_group_reduce(group, &result, x, tw_how);                                                           \
        tw_how.combine(&result, &init, &result, tw_how.op);                                                            \
        return result;                                                                                                 \
    }                                                                                                                  \
    TW_OVERLOADED void tw_inclusive_scan_over_group(tw_group group, type *x, TW_INTERNAL_OPERATION_##kind(type) op,    \
                                                    type init) check                                                   \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, all);                                                                        \
        tw_internal_group_scan(group, x, &init, false, tw_how);                                                        \
    }                                                                                                                  \
    TW_OVERLOADED void tw_exclusive_scan_over_group(tw_group group, type *x, type init,                                \
                                                    TW_INTERNAL_OPERATION_##kind(type) op) check                       \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, all);                                                                        \
        tw_internal_group_scan(group, x, &init, true, tw_how);                                                         \
    }                                                                                                                  \
    TW_OVERLOADED void tw_reduce_over_group(tw_sub_groups sub_groups, type *x, TW_INTERNAL_OPERATION_##kind(type) op)  \
        check                                                                                                          \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        tw_internal_groups_reduce(sub_groups, x, tw_how);                                                              \
    }                                                                                                                  \
    TW_OVERLOADED void tw_inclusive_scan_over_group(tw_sub_groups sub_groups, type *x,                                 \
                                                    TW_INTERNAL_OPERATION_##kind(type) op) check                       \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        tw_internal_groups_scan(sub_groups, x, NULL, false, tw_how);                                                   \
    }                                                                                                                  \
    TW_OVERLOADED void tw_exclusive_scan_over_group(tw_sub_groups sub_groups, type *x, type init,                      \
                                                    TW_INTERNAL_OPERATION_##kind(type) op) check                       \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        tw_internal_groups_scan(sub_groups, x, &init, true, tw_how);                                                   \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_JOINT(tw_nd_item, type, name, kind, all, check, tw_internal_group_member_of)                    \
    TW_INTERNAL_DEFINE_JOINT(tw_group, type, name, kind, all, check, tw_internal_joint_point)
#define TW_INTERNAL_DEFINE_JOINT(group_type, type, name, kind, all, check, member)                                     \
    TW_OVERLOADED type tw_joint_reduce(group_type group, const type *first, const type *last, type init,               \
                                       TW_INTERNAL_OPERATION_##kind(type) op) check                                    \
    {                                                                                                                  \
        type result = init;                                                                                            \
        TW_INTERNAL_HOW(type, name, kind, all);                                                                        \
        tw_internal_joint_reduce(member(group), &result, first, (size_t)(last - first), tw_how);                       \
        if (first != last)                                                                                             \
            tw_how.combine(&result, &init, &result, tw_how.op);                                                        \
        return result;                                                                                                 \
    }                                                                                                                  \
    TW_OVERLOADED type *tw_joint_inclusive_scan(group_type group, const type *first, const type *last, type *result,   \
                                                TW_INTERNAL_OPERATION_##kind(type) op) check                           \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        tw_internal_joint_scan(member(group), result, first, (size_t)(last - first), NULL, false, tw_how);             \
        return result + (last - first);                                                                                \
    }                                                                                                                  \
    TW_OVERLOADED type *tw_joint_inclusive_scan(group_type group, const type *first, const type *last, type *result,   \
                                                TW_INTERNAL_OPERATION_##kind(type) op, type init) check                \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        tw_internal_joint_scan(member(group), result, first, (size_t)(last - first), &init, false, tw_how);            \
        return result + (last - first);                                                                                \
    }                                                                                                                  \
    TW_OVERLOADED type *tw_joint_exclusive_scan(group_type group, const type *first, const type *last, type *result,   \
                                                type init, TW_INTERNAL_OPERATION_##kind(type) op) check                \
    {                                                                                                                  \
        TW_INTERNAL_HOW(type, name, kind, NULL);                                                                       \
        tw_internal_joint_scan(member(group), result, first, (size_t)(last - first), &init, true, tw_how);             \
        return result + (last - first);                                                                                \
    }

/* Exclusive scans and joint forms without a first value: operations of tw_operation have an identity. */
#define TW_INTERNAL_DEFINE_VALUES_WITHOUT_INIT(type, name, check)                                                      \
    TW_INTERNAL_DEFINE_SCAN_WITHOUT_INIT(tw_nd_item, type, name, check, tw_internal_scan_values,                       \
                                         tw_internal_group_member_of)                                                  \
    TW_INTERNAL_DEFINE_SCAN_WITHOUT_INIT(tw_sub_group, type, name, check, tw_internal_scan_lanes, )
#define TW_INTERNAL_DEFINE_SCAN_WITHOUT_INIT(group_type, type, name, check, scan, member)                              \
    TW_OVERLOADED type tw_exclusive_scan_over_group(group_type group, type x, tw_operation op) check                   \
    {                                                                                                                  \
        const type init = tw_internal_identity_##name(op);                                                             \
        TW_INTERNAL_HOW(type, name, named, NULL);                                                                      \
        scan(member(group), &x, &init, true, tw_how);                                                                  \
        return x;                                                                                                      \
    }
#define TW_INTERNAL_DEFINE_ARRAYS_WITHOUT_INIT(type, name, check)                                                      \
    TW_OVERLOADED void tw_exclusive_scan_over_group(tw_group group, type *x, tw_operation op) check                    \
    {                                                                                                                  \
        const type init = tw_internal_identity_##name(op);                                                             \
        TW_INTERNAL_HOW(type, name, named, NULL);                                                                      \
        tw_internal_group_scan(group, x, &init, true, tw_how);                                                         \
    }
#define TW_INTERNAL_DEFINE_WITHOUT_INIT(type, name, all, check)                                                        \
    TW_OVERLOADED void tw_exclusive_scan_over_group(tw_sub_groups sub_groups, type *x, tw_operation op) check          \
    {                                                                                                                  \
        const type init = tw_internal_identity_##name(op);                                                             \
        TW_INTERNAL_HOW(type, name, named, NULL);                                                                      \
        tw_internal_groups_scan(sub_groups, x, &init, true, tw_how);                                                   \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_JOINT_WITHOUT_INIT(tw_nd_item, type, name, all, check, tw_internal_group_member_of)             \
    TW_INTERNAL_DEFINE_JOINT_WITHOUT_INIT(tw_group, type, name, all, check, tw_internal_joint_point)
#define TW_INTERNAL_DEFINE_JOINT_WITHOUT_INIT(group_type, type, name, all, check, member)                              \
    TW_OVERLOADED type tw_joint_reduce(group_type group, const type *first, const type *last, tw_operation op) check   \
    {                                                                                                                  \
        type result = tw_internal_identity_##name(op); /* of an empty range */                                         \
        TW_INTERNAL_HOW(type, name, named, all);                                                                       \
        tw_internal_joint_reduce(member(group), &result, first, (size_t)(last - first), tw_how);                       \
        return result;                                                                                                 \
    }                                                                                                                  \
    TW_OVERLOADED type *tw_joint_exclusive_scan(group_type group, const type *first, const type *last, type *result,   \
                                                tw_operation op) check                                                 \
    {                                                                                                                  \
        const type init = tw_internal_identity_##name(op);                                                             \
        TW_INTERNAL_HOW(type, name, named, NULL);                                                                      \
        tw_internal_joint_scan(member(group), result, first, (size_t)(last - first), &init, true, tw_how);             \
        return result + (last - first);                                                                                \
    }

/* What needs no operation. */
#define TW_INTERNAL_DEFINE_MOVES(type, name)                                                                           \
    TW_OVERLOADED type tw_group_broadcast(tw_nd_item item, type x, size_t from)                                        \
    {                                                                                                                  \
        TW_INTERNAL_BARE_HOW(type, name);                                                                              \
        tw_internal_broadcast_value(tw_internal_group_member_of(item), &x, from, tw_how);                              \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_OVERLOADED type tw_group_broadcast(tw_group group, const type *x, size_t from)                                  \
    {                                                                                                                  \
        type result;                                                                                                   \
        TW_INTERNAL_BARE_HOW(type, name);                                                                              \
        tw_internal_group_broadcast(group, &result, x, from, tw_how);                                                  \
        return result;                                                                                                 \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_MOVE(type, tw_group_broadcast, TW_INTERNAL_FROM)                                                \
    TW_INTERNAL_DEFINE_MOVE(type, tw_select_from_group, TW_INTERNAL_FROM)                                              \
    TW_INTERNAL_DEFINE_MOVE(type, tw_permute_group_by_xor, TW_INTERNAL_XOR)                                            \
    TW_INTERNAL_DEFINE_MOVE(type, tw_shift_group_left, TW_INTERNAL_AFTER)                                              \
    TW_INTERNAL_DEFINE_MOVE(type, tw_shift_group_right, TW_INTERNAL_BEFORE)
#define TW_INTERNAL_DEFINE_MOVE(type, function, kind)                                                                  \
    TW_OVERLOADED type function(tw_sub_group sub_group, type x, size_t which)                                          \
    {                                                                                                                  \
        tw_internal_shuffle_value(sub_group, &x, &x, sizeof x, kind, which);                                           \
        return x;                                                                                                      \
    }
#define TW_INTERNAL_DEFINE_MOVES_OF_GROUPS(type)                                                                       \
    TW_INTERNAL_DEFINE_MOVE_OF_GROUPS(type, tw_group_broadcast, TW_INTERNAL_FROM)                                      \
    TW_INTERNAL_DEFINE_MOVE_OF_GROUPS(type, tw_select_from_group, TW_INTERNAL_FROM)                                    \
    TW_INTERNAL_DEFINE_MOVE_OF_GROUPS(type, tw_permute_group_by_xor, TW_INTERNAL_XOR)                                  \
    TW_INTERNAL_DEFINE_MOVE_OF_GROUPS(type, tw_shift_group_left, TW_INTERNAL_AFTER)                                    \
    TW_INTERNAL_DEFINE_MOVE_OF_GROUPS(type, tw_shift_group_right, TW_INTERNAL_BEFORE)
#define TW_INTERNAL_DEFINE_MOVE_OF_GROUPS(type, function, kind)                                                        \
    TW_OVERLOADED void function(tw_sub_groups sub_groups, type *x, size_t which)                                       \
    {                                                                                                                  \
        type tw_spare[TW_INTERNAL_LANES_ROOM];                                                                         \
        tw_internal_groups_shuffle(sub_groups, x, sizeof(type), tw_spare, kind, which);                                \
    }

/* What takes a function of the program that is no operation. */
#define TW_INTERNAL_TEST(type) __typeof__(bool (*)(type))
#define TW_INTERNAL_LESS(type) __typeof__(bool (*)(type, type))
#define TW_INTERNAL_DEFINE_TESTS(type, name)                                                                           \
    TW_LANGUAGE_INLINE bool tw_internal_finds_##name(const void *a, const void *ignored, const void *test)             \
    {                                                                                                                  \
        (void)ignored;                                                                                                 \
        return (*(TW_INTERNAL_TEST(type) const *)test)(*(const type *)a);                                              \
    }                                                                                                                  \
    TW_LANGUAGE_INLINE bool tw_internal_differs_##name(const void *a, const void *ignored, const void *test)           \
    {                                                                                                                  \
        return !tw_internal_finds_##name(a, ignored, test);                                                            \
    }                                                                                                                  \
    TW_LANGUAGE_INLINE bool tw_internal_precedes_##name(const void *a, const void *b, const void *less)                \
    {                                                                                                                  \
        return (*(TW_INTERNAL_LESS(type) const *)less)(*(const type *)a, *(const type *)b);                            \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_JOINT_TESTS(tw_nd_item, type, name, tw_internal_group_member_of)                                \
    TW_INTERNAL_DEFINE_JOINT_TESTS(tw_group, type, name, tw_internal_joint_point)
#define TW_INTERNAL_DEFINE_JOINT_TESTS(group_type, type, name, member)                                                 \
    TW_OVERLOADED bool tw_joint_any_of(group_type group, const type *first, const type *last,                          \
                                       TW_INTERNAL_TEST(type) test)                                                    \
    {                                                                                                                  \
        return tw_internal_joint_any(member(group), first, (size_t)(last - first), sizeof(type),                       \
                                     tw_internal_finds_##name, (const void *)&test);                                   \
    }                                                                                                                  \
    TW_OVERLOADED bool tw_joint_all_of(group_type group, const type *first, const type *last,                          \
                                       TW_INTERNAL_TEST(type) test)                                                    \
    {                                                                                                                  \
        return !tw_internal_joint_any(member(group), first, (size_t)(last - first), sizeof(type),                      \
                                      tw_internal_differs_##name, (const void *)&test);                                \
    }                                                                                                                  \
    TW_OVERLOADED bool tw_joint_none_of(group_type group, const type *first, const type *last,                         \
                                        TW_INTERNAL_TEST(type) test)                                                   \
    {                                                                                                                  \
        return !tw_internal_joint_any(member(group), first, (size_t)(last - first), sizeof(type),                      \
                                      tw_internal_finds_##name, (const void *)&test);                                  \
    }                                                                                                                  \
    TW_OVERLOADED void tw_joint_sort(group_type group, type *first, type *last, TW_INTERNAL_LESS(type) less)           \
    {                                                                                                                  \
        type spare;                                                                                                    \
        const struct tw_internal_sort sort = {                                                                         \
            (unsigned char *)first,      (size_t)(last - first), sizeof(type),           __alignof__(type),            \
            tw_internal_precedes_##name, (const void *)&less,    (unsigned char *)&spare};                             \
        tw_internal_joint_sort(member(group), sort);                                                                   \
    }

/* With operations of the program. */
#define TW_INTERNAL_DEFINE_OWN(type, name, check)                                                                      \
    TW_LANGUAGE_INLINE void tw_internal_own_##name(void *to, const void *a, const void *b, const void *op)             \
    {                                                                                                                  \
        *(type *)to = (*(TW_INTERNAL_OPERATION_own(type) const *)op)(*(const type *)a, *(const type *)b);              \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_ALGORITHMS(type, name, own, NULL, check)                                                        \
    TW_INTERNAL_DEFINE_TESTS(type, name)

/* A type that has nothing yet. */
#define TW_INTERNAL_GROUP_TYPE(type, name)                                                                             \
    TW_INTERNAL_DEFINE_PARTS(type, name)                                                                               \
    TW_INTERNAL_DEFINE_MOVES(type, name)                                                                               \
    TW_INTERNAL_DEFINE_MOVES_OF_GROUPS(type)                                                                           \
    TW_INTERNAL_DEFINE_OWN(type, name, )
#define TW_INTERNAL_GROUP_TYPE_NUMBERED(type, number) TW_INTERNAL_GROUP_TYPE(type, number)

/* The same, with the operations of tw_operation, too. */
#define TW_INTERNAL_ARITHMETIC_GROUP_TYPE(type, name, check)                                                           \
    TW_INTERNAL_DEFINE_PARTS(type, name)                                                                               \
    TW_INTERNAL_DEFINE_MOVES(type, name)                                                                               \
    TW_INTERNAL_DEFINE_MOVES_OF_GROUPS(type)                                                                           \
    TW_INTERNAL_DEFINE_OWN(type, name, TW_INTERNAL_IS_FUNCTION)                                                        \
    TW_INTERNAL_DEFINE_ALGORITHMS(type, name, named, NULL, check)                                                      \
    TW_INTERNAL_DEFINE_VALUES_WITHOUT_INIT(type, name, check)                                                          \
    TW_INTERNAL_DEFINE_ARRAYS_WITHOUT_INIT(type, name, check)                                                          \
    TW_INTERNAL_DEFINE_WITHOUT_INIT(type, name, NULL, check)

/* ---- arithmetic types -------------------------------------------------------------------------------------------- */

#define TW_INTERNAL_DEFINE_NAMED(type, name, lowest, highest, combine)                                                 \
    TW_LANGUAGE_INLINE void tw_internal_named_##name(void *to, const void *a, const void *b, const void *op)           \
    {                                                                                                                  \
        *(type *)to = combine(*(const type *)a, *(const type *)b, *(const tw_operation *)op);                          \
    }

/* Those of group_functions.h. */
#define TW_INTERNAL_DEFINE_KNOWN(type, name, lowest, highest, combine)                                                 \
    TW_INTERNAL_DEFINE_NAMED(type, name, lowest, highest, combine)                                                     \
    TW_INTERNAL_DEFINE_ALL(type, name)                                                                                 \
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
