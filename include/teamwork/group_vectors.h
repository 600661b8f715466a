/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Group functions and group algorithms (group_algorithms.h) for types of vector.h, with the operations of tw_operation,
 * which combine vectors element by element, and those of the program, T op(T, T).
 *
 *     TW_GROUP_VECTOR(float, 4);
 *     ...
 *     const tw_float4 sum = tw_reduce_over_group(item, k->x[tw_global_id(item, 0)], TW_SUM);
 *
 * A header of its own: <teamwork/teamwork.h> does not include it.
 */
#ifndef TEAMWORK_GROUP_VECTORS_H
#define TEAMWORK_GROUP_VECTORS_H

#include <teamwork/group_algorithms.h>
#include <teamwork/lower/group/group_vectors.h>
#include <teamwork/vector.h>

/**
 * At file scope, once for a type in what a file includes, with a semicolon: the functions for `tw_<T><n>`. T is char, short,
 * int, long, one of them with a u in front, half, float or double, and n 2, 3, 4, 8 or 16.
 */
#define TW_GROUP_VECTOR(T, n)                                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic push)                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wgcc-compat") /* diagnose_if and enable_if are clang's */            \
    TW_INTERNAL_EXPAND(TW_INTERNAL_GROUP_VECTOR, tw_##T##n, T##n, T, TW_INTERNAL_GROUP_VECTOR_OF_##T)                  \
    TW_INTERNAL_PRAGMA(clang diagnostic pop)                                                                           \
    struct tw_internal_group

#endif
