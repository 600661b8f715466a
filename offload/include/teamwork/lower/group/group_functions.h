/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers what <teamwork/group_functions.h> declares. */
#ifndef TEAMWORK_LOWER_GROUP_FUNCTIONS_H
#define TEAMWORK_LOWER_GROUP_FUNCTIONS_H

#include <float.h>
#include <limits.h>

#include <teamwork/lower/group/nd_item.h>
#include <teamwork/operation.h>

/* X(type, suffix, lowest, highest, combine): `combine` is the function for the operations of this kind of type. */
#define TW_INTERNAL_GROUP_TYPES(X)                                                                                     \
    X(int, int, INT_MIN, INT_MAX, tw_internal_combine_int)                                                             \
    X(unsigned, uint, 0u, UINT_MAX, tw_internal_combine_uint)                                                          \
    X(long, long, LONG_MIN, LONG_MAX, tw_internal_combine_long)                                                        \
    X(unsigned long, ulong, 0ul, ULONG_MAX, tw_internal_combine_ulong)                                                 \
    X(long long, llong, LLONG_MIN, LLONG_MAX, tw_internal_combine_llong)                                               \
    X(unsigned long long, ullong, 0ull, ULLONG_MAX, tw_internal_combine_ullong)                                        \
    X(float, float, -__builtin_inff(), __builtin_inff(), tw_internal_combine_float)                                    \
    X(double, double, -__builtin_inf(), __builtin_inf(), tw_internal_combine_double)

/* Signed sums and products wrap around, as atomics do. */
#define TW_INTERNAL_COMBINE_INTEGER(type, unsigned_type, suffix)                                                       \
    TW_DEVICE_INLINE type tw_internal_combine_##suffix(type a, type b, tw_operation op)                                \
    {                                                                                                                  \
        switch (op) {                                                                                                  \
        case TW_SUM:                                                                                                   \
            return (type)((unsigned_type)a + (unsigned_type)b);                                                        \
        case TW_PRODUCT:                                                                                               \
            return (type)((unsigned_type)a * (unsigned_type)b);                                                        \
        case TW_MIN:                                                                                                   \
            return b < a ? b : a;                                                                                      \
        case TW_MAX:                                                                                                   \
            return a < b ? b : a;                                                                                      \
        case TW_AND:                                                                                                   \
            return a & b;                                                                                              \
        case TW_OR:                                                                                                    \
            return a | b;                                                                                              \
        default:                                                                                                       \
            return a ^ b;                                                                                              \
        }                                                                                                              \
    }
/* The least and the greatest are those of fmin() and fmax(): a NaN is left out, wherever it comes. Without vectors a
   processor tests whether what was combined before, `a`, is a NaN ahead of time, since that is a branch, and waits for
   one instruction a value. */
#ifdef TW_INTERNAL_GPU_PASS
#define TW_INTERNAL_LEAST(a, b) __builtin_elementwise_min(a, b)
#define TW_INTERNAL_GREATEST(a, b) __builtin_elementwise_max(a, b)
#else
#define TW_INTERNAL_LEAST(a, b) (__builtin_expect((a) != (a), 0) ? (b) : (b) < (a) ? (b) : (a))
#define TW_INTERNAL_GREATEST(a, b) (__builtin_expect((a) != (a), 0) ? (b) : (a) < (b) ? (b) : (a))
#endif
#define TW_INTERNAL_COMBINE_FLOATING(type, suffix)                                                                     \
    TW_DEVICE_INLINE type tw_internal_combine_##suffix(type a, type b, tw_operation op)                                \
    {                                                                                                                  \
        return op == TW_SUM       ? a + b                                                                              \
               : op == TW_PRODUCT ? a * b                                                                              \
               : op == TW_MIN     ? TW_INTERNAL_LEAST(a, b)                                                            \
                                  : TW_INTERNAL_GREATEST(a, b);                                                            \
    }
TW_INTERNAL_COMBINE_INTEGER(int, unsigned, int)
TW_INTERNAL_COMBINE_INTEGER(unsigned, unsigned, uint)
TW_INTERNAL_COMBINE_INTEGER(long, unsigned long, long)
TW_INTERNAL_COMBINE_INTEGER(unsigned long, unsigned long, ulong)
TW_INTERNAL_COMBINE_INTEGER(long long, unsigned long long, llong)
TW_INTERNAL_COMBINE_INTEGER(unsigned long long, unsigned long long, ullong)
TW_INTERNAL_COMBINE_FLOATING(float, float)
TW_INTERNAL_COMBINE_FLOATING(double, double)

/* tw_internal_identity_SUFFIX(): what an exclusive scan begins with, and what an empty range gives.
   tw_internal_neutral_SUFFIX(): what leaves any value as it is, also a NaN. It is a NaN for the least and the greatest of
   floating point, so that NaNs alone give a NaN; inf - inf is one. */
#define TW_INTERNAL_DEFINE_IDENTITY(type, suffix, lowest, highest, combine)                                            \
    TW_DEVICE_INLINE type tw_internal_identity_##suffix(tw_operation op)                                               \
    {                                                                                                                  \
        return op == TW_PRODUCT ? (type)1                                                                              \
               : op == TW_MIN   ? (highest)                                                                            \
               : op == TW_MAX   ? (lowest)                                                                             \
               : op == TW_AND   ? (type) - 1                                                                           \
                                : (type)0;                                                                               \
    }                                                                                                                  \
    TW_DEVICE_INLINE type tw_internal_neutral_##suffix(tw_operation op)                                                \
    {                                                                                                                  \
        const bool is_nan = (type)0.5 != 0 && (op == TW_MIN || op == TW_MAX);                                          \
        return is_nan ? (type)((highest) - (highest)) : tw_internal_identity_##suffix(op);                             \
    }
TW_INTERNAL_GROUP_TYPES(TW_INTERNAL_DEFINE_IDENTITY)

/* A constant operation that the type lacks is an error where the program calls. */
#define TW_INTERNAL_CHECKED_int
#define TW_INTERNAL_CHECKED_uint
#define TW_INTERNAL_CHECKED_long
#define TW_INTERNAL_CHECKED_ulong
#define TW_INTERNAL_CHECKED_llong
#define TW_INTERNAL_CHECKED_ullong
#define TW_INTERNAL_CHECKED_float                                                                                      \
    __attribute__((diagnose_if(op >= TW_AND && op <= TW_XOR, "TW_AND, TW_OR and TW_XOR are for integers", "error")))
#define TW_INTERNAL_CHECKED_double TW_INTERNAL_CHECKED_float
#define TW_INTERNAL_CHECKED(suffix) TW_INTERNAL_CHECKED_##suffix

/* Hierarchical kernels, where one thread has the values of all work-items: a CPU, and the standard mapping. They are
   combined in chains, which a processor works at side by side, and always the same ones, so that a sum has the same
   bits in every run. A pass defines TW_INTERNAL_CHAINS(type), how many, and tw_internal_reduce_chains_SUFFIX(x,
   count, op) for a multiple of it. */
#define TW_INTERNAL_DEFINE_ARRAY_LOOPS(type, suffix, combine)                                                          \
    TW_DEVICE_INLINE type tw_internal_reduce_array_##suffix(const type *x, size_t count, tw_operation op)              \
    {                                                                                                                  \
        const size_t chains = TW_INTERNAL_CHAINS(type);                                                                \
        type all = x[0];                                                                                               \
        size_t i = 1;                                                                                                  \
        if (count >= 2 * chains) {                                                                                     \
            i = count - count % chains;                                                                                \
            all = tw_internal_reduce_chains_##suffix(x, i, op);                                                        \
        }                                                                                                              \
        for (; i < count; ++i)                                                                                         \
            all = combine(all, x[i], op);                                                                              \
        return all;                                                                                                    \
    }                                                                                                                  \
    TW_DEVICE_INLINE void tw_internal_inclusive_array_##suffix(type *x, size_t count, tw_operation op)                 \
    {                                                                                                                  \
        for (size_t i = 1; i < count; ++i)                                                                             \
            x[i] = combine(x[i - 1], x[i], op);                                                                        \
    }                                                                                                                  \
    TW_DEVICE_INLINE void tw_internal_exclusive_array_##suffix(type *x, size_t count, tw_operation op)                 \
    {                                                                                                                  \
        type before = tw_internal_identity_##suffix(op);                                                               \
        for (size_t i = 0; i < count; ++i) {                                                                           \
            const type here = x[i];                                                                                    \
            x[i] = before;                                                                                             \
            before = combine(before, here, op);                                                                        \
        }                                                                                                              \
    }
#define TW_INTERNAL_DEFINE_OVER_PRIVATE_ARRAYS(type, suffix)                                                           \
    TW_OVERLOADED type tw_reduce_over_group(tw_group group, const type *x, tw_operation op)                            \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        return tw_internal_reduce_array_##suffix(x, tw_local_linear_range(group), op);                                 \
    }                                                                                                                  \
    TW_OVERLOADED void tw_inclusive_scan_over_group(tw_group group, type *x, tw_operation op)                          \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        tw_internal_inclusive_array_##suffix(x, tw_local_linear_range(group), op);                                     \
    }                                                                                                                  \
    TW_OVERLOADED void tw_exclusive_scan_over_group(tw_group group, type *x, tw_operation op)                          \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        tw_internal_exclusive_array_##suffix(x, tw_local_linear_range(group), op);                                     \
    }                                                                                                                  \
    TW_OVERLOADED type tw_group_broadcast(tw_group group, const type *x, size_t from)                                  \
    {                                                                                                                  \
        (void)group;                                                                                                   \
        return x[from];                                                                                                \
    }

/* Values that go from one work-item of a sub-group to another. A pass defines
   TW_INTERNAL_SHUFFLED(suffix, sub_group, x, kind, which). */
enum tw_internal_shuffle { TW_INTERNAL_FROM, TW_INTERNAL_XOR, TW_INTERNAL_AFTER, TW_INTERNAL_BEFORE };
#define TW_INTERNAL_DEFINE_SHUFFLE(type, suffix, function, kind)                                                       \
    TW_OVERLOADED type function(tw_sub_group sub_group, type x, size_t which)                                          \
    {                                                                                                                  \
        return TW_INTERNAL_SHUFFLED(suffix, sub_group, x, kind, which);                                                \
    }
#define TW_INTERNAL_DEFINE_SHUFFLES(type, suffix)                                                                      \
    TW_INTERNAL_DEFINE_SHUFFLE(type, suffix, tw_group_broadcast, TW_INTERNAL_FROM)                                     \
    TW_INTERNAL_DEFINE_SHUFFLE(type, suffix, tw_select_from_group, TW_INTERNAL_FROM)                                   \
    TW_INTERNAL_DEFINE_SHUFFLE(type, suffix, tw_permute_group_by_xor, TW_INTERNAL_XOR)                                 \
    TW_INTERNAL_DEFINE_SHUFFLE(type, suffix, tw_shift_group_left, TW_INTERNAL_AFTER)                                   \
    TW_INTERNAL_DEFINE_SHUFFLE(type, suffix, tw_shift_group_right, TW_INTERNAL_BEFORE)

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat" /* diagnose_if is clang's */
#ifdef TW_INTERNAL_GPU_PASS
#include <teamwork/lower/group/group_functions_gpu.h>
#else
#include <teamwork/lower/group/group_functions_cpu.h>
#endif
#pragma clang diagnostic pop

/* ---- for every pass ---------------------------------------------------------------------------------------------- */

#define tw_group_barrier(group) tw_internal_group_barrier((group), __LINE__)
TW_OVERLOADED void tw_internal_group_barrier(tw_nd_item item, int line)
{
    tw_internal_barrier_at(item, TW_GLOBAL_AND_LOCAL, line);
}
TW_OVERLOADED void tw_internal_group_barrier(tw_sub_group sub_group, int line)
{
    (void)line;
    tw_internal_sub_group_barrier(sub_group);
}

TW_OVERLOADED bool tw_any_of_group(tw_nd_item item, bool x)
{
    return tw_internal_count_of_group(item, x) > 0;
}
TW_OVERLOADED bool tw_all_of_group(tw_nd_item item, bool x)
{
    return tw_internal_count_of_group(item, !x) == 0;
}
TW_OVERLOADED bool tw_none_of_group(tw_nd_item item, bool x)
{
    return tw_internal_count_of_group(item, x) == 0;
}
TW_OVERLOADED unsigned long long tw_group_ballot(tw_sub_group sub_group, bool x)
{
    return tw_internal_ballot(sub_group, x);
}
TW_OVERLOADED bool tw_any_of_group(tw_sub_group sub_group, bool x)
{
    return tw_internal_ballot(sub_group, x) != 0;
}
TW_OVERLOADED bool tw_all_of_group(tw_sub_group sub_group, bool x)
{
    return tw_internal_ballot(sub_group, !x) == 0;
}
TW_OVERLOADED bool tw_none_of_group(tw_sub_group sub_group, bool x)
{
    return tw_internal_ballot(sub_group, x) == 0;
}

#endif
