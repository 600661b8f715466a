/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers what <teamwork/group_vectors.h> declares: group algorithms for vector types. */
#ifndef TEAMWORK_LOWER_GROUP_VECTORS_H
#define TEAMWORK_LOWER_GROUP_VECTORS_H

#include <teamwork/lower/group/group_algorithms.h>
#include <teamwork/lower/vector/vector.h>

/* Vectors go by address: without the instructions for them a compiler would warn of some that are passed. */
#define TW_INTERNAL_COMBINE_VECTORS(type, suffix, bits)                                                                \
    TW_LANGUAGE_INLINE void tw_internal_named_##suffix(void *to, const void *with, const void *x, const void *op)      \
    {                                                                                                                  \
        const type a = *(const type *)with, b = *(const type *)x;                                                      \
        switch (*(const tw_operation *)op) {                                                                           \
        case TW_SUM:                                                                                                   \
            *(type *)to = a + b;                                                                                       \
            break;                                                                                                     \
        case TW_PRODUCT:                                                                                               \
            *(type *)to = a * b;                                                                                       \
            break;                                                                                                     \
        case TW_MIN:                                                                                                   \
            *(type *)to = __builtin_elementwise_min(b, a);                                                             \
            break;                                                                                                     \
        case TW_MAX:                                                                                                   \
            *(type *)to = __builtin_elementwise_max(b, a);                                                             \
            break;                                                                                                     \
        default:                                                                                                       \
            *(type *)to = bits(a, b, *(const tw_operation *)op);                                                       \
        }                                                                                                              \
    }
#define TW_INTERNAL_VECTOR_BITS(a, b, op) ((op) == TW_AND ? (a) & (b) : (op) == TW_OR ? (a) | (b) : (a) ^ (b))
#define TW_INTERNAL_NO_BITS(a, b, op) (a)

#define TW_INTERNAL_GROUP_VECTOR(type, name, element, bits, check)                                                     \
    TW_INTERNAL_COMBINE_VECTORS(type, name, bits)                                                                      \
    TW_LANGUAGE_INLINE type tw_internal_identity_##name(tw_operation op)                                               \
    {                                                                                                                  \
        return (type)(tw_internal_identity_##element(op));                                                             \
    }                                                                                                                  \
    TW_INTERNAL_ARITHMETIC_GROUP_TYPE(type, name, check)

/* What elements of a type have: the operations on bits, or the attribute that refuses them. */
#define TW_INTERNAL_GROUP_VECTOR_OF_char TW_INTERNAL_VECTOR_BITS,
#define TW_INTERNAL_GROUP_VECTOR_OF_short TW_INTERNAL_VECTOR_BITS,
#define TW_INTERNAL_GROUP_VECTOR_OF_int TW_INTERNAL_VECTOR_BITS,
#define TW_INTERNAL_GROUP_VECTOR_OF_long TW_INTERNAL_VECTOR_BITS,
#define TW_INTERNAL_GROUP_VECTOR_OF_uchar TW_INTERNAL_VECTOR_BITS,
#define TW_INTERNAL_GROUP_VECTOR_OF_ushort TW_INTERNAL_VECTOR_BITS,
#define TW_INTERNAL_GROUP_VECTOR_OF_uint TW_INTERNAL_VECTOR_BITS,
#define TW_INTERNAL_GROUP_VECTOR_OF_ulong TW_INTERNAL_VECTOR_BITS,
#define TW_INTERNAL_GROUP_VECTOR_OF_half TW_INTERNAL_NO_BITS, TW_INTERNAL_CHECKED_float
#define TW_INTERNAL_GROUP_VECTOR_OF_float TW_INTERNAL_NO_BITS, TW_INTERNAL_CHECKED_float
#define TW_INTERNAL_GROUP_VECTOR_OF_double TW_INTERNAL_NO_BITS, TW_INTERNAL_CHECKED_double

#endif
