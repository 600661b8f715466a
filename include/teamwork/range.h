/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Ranges, ids and nd_ranges: points and extents of 1, 2 or 3 dimensions (spec 3.7.1.1 - 3.7.1.3).
 *
 * All three are plain values, copied freely, usable in host code and in kernels. Components are written in
 * row-major order: the last dimension is the fastest. Components past `dims` are 1 in a range and 0 in an id, so
 * that products and linear indices need no case for the dimension.
 *
 * A value with `dims` 0 is invalid: it comes from combining values of different dimensions, and everything that is
 * given one answers TW_ERROR_INVALID_RANGE. One such value, tw_range_any(), has a meaning in launches.
 */
#ifndef TEAMWORK_RANGE_H
#define TEAMWORK_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/export.h>

/** An extent in elements or work-items. */
typedef struct tw_range {
    size_t size[3]; /**< 1 past `dims` */
    unsigned dims;  /**< 1 to 3; 0 marks an invalid value */
} tw_range;

/** A position in a range. */
typedef struct tw_id {
    size_t at[3];  /**< 0 past `dims` */
    unsigned dims; /**< 1 to 3; 0 marks an invalid value */
} tw_id;

/** An iteration space split into work-groups (spec 3.7.1.2): `global` work-items in groups of `local`. */
typedef struct tw_nd_range {
    tw_range global; /**< all work-items */
    tw_range local;  /**< work-items of one work-group */
    tw_id offset;    /**< added to every global id */
} tw_nd_range;

TW_LANGUAGE_INLINE tw_range tw_range_1d(size_t n0)
{
    tw_range r = {{n0, 1, 1}, 1};
    return r;
}

TW_LANGUAGE_INLINE tw_range tw_range_2d(size_t n0, size_t n1)
{
    tw_range r = {{n0, n1, 1}, 2};
    return r;
}

TW_LANGUAGE_INLINE tw_range tw_range_3d(size_t n0, size_t n1, size_t n2)
{
    tw_range r = {{n0, n1, n2}, 3};
    return r;
}

/** @return as a work-group's size in a launch: one that the library chooses (kernel.h); elsewhere an invalid range */
TW_LANGUAGE_INLINE tw_range tw_range_any(void)
{
    tw_range r = {{(size_t)-1, (size_t)-1, (size_t)-1}, 0};
    return r;
}

/** @return whether a range is tw_range_any() */
TW_LANGUAGE_INLINE bool tw_range_is_any(tw_range r)
{
    return !r.dims && r.size[0] == (size_t)-1;
}

TW_LANGUAGE_INLINE tw_id tw_id_1d(size_t i0)
{
    tw_id i = {{i0, 0, 0}, 1};
    return i;
}

TW_LANGUAGE_INLINE tw_id tw_id_2d(size_t i0, size_t i1)
{
    tw_id i = {{i0, i1, 0}, 2};
    return i;
}

TW_LANGUAGE_INLINE tw_id tw_id_3d(size_t i0, size_t i1, size_t i2)
{
    tw_id i = {{i0, i1, i2}, 3};
    return i;
}

/** @return the id whose components are those of a range (spec Table 3.39) */
TW_LANGUAGE_INLINE tw_id tw_id_from_range(tw_range r)
{
    tw_id i = {{r.size[0], r.dims > 1 ? r.size[1] : 0, r.dims > 2 ? r.size[2] : 0}, r.dims};
    return i;
}

/** Whether `local` divides `global` is checked at the launch.
 *  @return an nd_range without offset */
TW_LANGUAGE_INLINE tw_nd_range tw_nd_range_make(tw_range global, tw_range local)
{
    tw_nd_range r = {global, local, {{0, 0, 0}, global.dims}};
    return r;
}

/** @return an nd_range whose global ids start at `offset` */
TW_LANGUAGE_INLINE tw_nd_range tw_nd_range_make_offset(tw_range global, tw_range local, tw_id offset)
{
    tw_nd_range r = {global, local, offset};
    return r;
}

/** Not checked for overflow: see tw_range_is_valid().
 *  @return the number of elements of a range; 0 for an invalid one */
TW_LANGUAGE_INLINE size_t tw_range_count(tw_range r)
{
    return r.dims ? r.size[0] * r.size[1] * r.size[2] : 0;
}

/** @return whether a range has 1 to 3 dimensions and a number of elements that fits size_t (zero elements are valid) */
TW_LANGUAGE_INLINE bool tw_range_is_valid(tw_range r)
{
    size_t n;
    return r.dims >= 1 && r.dims <= 3 && (r.dims > 1 || r.size[1] == 1) && (r.dims > 2 || r.size[2] == 1)
           && (!r.size[0] || !r.size[1] || !r.size[2]
               || (!__builtin_mul_overflow(r.size[0], r.size[1], &n) && !__builtin_mul_overflow(n, r.size[2], &n)));
}

/** @return the row-major linear index of `i` in `r`: (i0 * r1 + i1) * r2 + i2 */
TW_LANGUAGE_INLINE size_t tw_linear_id(tw_id i, tw_range r)
{
    return (i.at[0] * r.size[1] + i.at[1]) * r.size[2] + i.at[2];
}

/*
 * Element-wise arithmetic (spec Tables 3.36 and 3.41, and the further operators of later revisions). Both operands
 * must have the same dimensions, else the result is invalid (dims 0). Arithmetic wraps as size_t does; dividing by
 * zero, and shifting by the width of size_t or more, give 0 in that component.
 *
 * For OP in add, sub, mul, div, mod, and, or, xor, shl, shr:
 *     tw_range tw_range_OP(tw_range a, tw_range b);    tw_range tw_range_OP_scalar(tw_range a, size_t b);
 *     tw_id    tw_id_OP(tw_id a, tw_id b);             tw_id    tw_id_OP_scalar(tw_id a, size_t b);
 */
#define TW_INTERNAL_COMPONENT_OPS(X)                                                                                   \
    X(add, a + b)                                                                                                      \
    X(sub, a - b)                                                                                                      \
    X(mul, a *b)                                                                                                       \
    X(div, b ? a / b : 0)                                                                                              \
    X(mod, b ? a % b : 0)                                                                                              \
    X(and, a &b)                                                                                                       \
    X(or, a | b)                                                                                                       \
    X(xor, a ^ b)                                                                                                      \
    X(shl, b < 8 * sizeof a ? a << b : 0)                                                                              \
    X(shr, b < 8 * sizeof a ? a >> b : 0)

#define TW_INTERNAL_DEFINE_OP(op, expression)                                                                          \
    TW_LANGUAGE_INLINE size_t tw_internal_##op(size_t a, size_t b)                                                     \
    {                                                                                                                  \
        return expression;                                                                                             \
    }                                                                                                                  \
    TW_LANGUAGE_INLINE tw_range tw_range_##op(tw_range a, tw_range b)                                                  \
    {                                                                                                                  \
        tw_range r = {{1, 1, 1}, a.dims == b.dims ? a.dims : 0};                                                       \
        for (unsigned d = 0; d < r.dims && d < 3; ++d)                                                                 \
            r.size[d] = tw_internal_##op(a.size[d], b.size[d]);                                                        \
        return r;                                                                                                      \
    }                                                                                                                  \
    TW_LANGUAGE_INLINE tw_range tw_range_##op##_scalar(tw_range a, size_t b)                                           \
    {                                                                                                                  \
        tw_range s = {{b, b, b}, a.dims};                                                                              \
        return tw_range_##op(a, s);                                                                                    \
    }                                                                                                                  \
    TW_LANGUAGE_INLINE tw_id tw_id_##op(tw_id a, tw_id b)                                                              \
    {                                                                                                                  \
        tw_id r = {{0, 0, 0}, a.dims == b.dims ? a.dims : 0};                                                          \
        for (unsigned d = 0; d < r.dims && d < 3; ++d)                                                                 \
            r.at[d] = tw_internal_##op(a.at[d], b.at[d]);                                                              \
        return r;                                                                                                      \
    }                                                                                                                  \
    TW_LANGUAGE_INLINE tw_id tw_id_##op##_scalar(tw_id a, size_t b)                                                    \
    {                                                                                                                  \
        tw_id s = {{b, b, b}, a.dims};                                                                                 \
        return tw_id_##op(a, s);                                                                                       \
    }

TW_INTERNAL_COMPONENT_OPS(TW_INTERNAL_DEFINE_OP)

#undef TW_INTERNAL_DEFINE_OP
#undef TW_INTERNAL_COMPONENT_OPS

/** @return whether two ranges have the same dimensions and components; invalid ranges equal nothing */
TW_LANGUAGE_INLINE bool tw_range_equal(tw_range a, tw_range b)
{
    return a.dims && a.dims == b.dims && a.size[0] == b.size[0] && a.size[1] == b.size[1] && a.size[2] == b.size[2];
}

/** @return whether two ids have the same dimensions and components (spec 3.7.1.3); invalid ids equal nothing */
TW_LANGUAGE_INLINE bool tw_id_equal(tw_id a, tw_id b)
{
    return a.dims && a.dims == b.dims && a.at[0] == b.at[0] && a.at[1] == b.at[1] && a.at[2] == b.at[2];
}

/** @return the number of work-groups in each dimension: global / local (spec Table 3.38) */
TW_LANGUAGE_INLINE tw_range tw_nd_range_group_range(tw_nd_range r)
{
    return tw_range_div(r.global, r.local);
}

#endif
