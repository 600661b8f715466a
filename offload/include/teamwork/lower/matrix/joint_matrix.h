/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lowers what <teamwork/matrix.h> declares.
 *
 * A matrix is an array of parts: of 16 x 16 elements, and of 16 x 32 or 32 x 16 of int8_t. A pass has a type for the
 * parts of each use and element type, tw_internal_USE_TYPE, and functions over one part; the functions over all parts of a
 * matrix are made of them here. Loops over parts are unrolled: on a GPU the parts are registers.
 */
#ifndef TEAMWORK_LOWER_JOINT_MATRIX_H
#define TEAMWORK_LOWER_JOINT_MATRIX_H

#include <stdint.h>

#include <teamwork/bfloat16.h>
#include <teamwork/lower/group/group_functions.h>
#include <teamwork/lower/vector/vector.h>
#include <teamwork/memory.h>

/* X(type, inner, held): the factors' types, the columns of a part of a, and the type that plain code holds and multiplies. */
#define TW_INTERNAL_MATRIX_FACTORS(X)                                                                                  \
    X(tw_half, 16, float)                                                                                              \
    X(tw_bfloat16, 16, float)                                                                                          \
    X(int8_t, 32, int32_t)                                                                                             \
    X(double, 16, double)
#define TW_INTERNAL_MATRIX_ACCUMULATORS(X) X(float) X(int32_t) X(double)
/* X(type of the factors, type of the accumulator) */
#define TW_INTERNAL_MATRIX_PRODUCTS(X) X(tw_half, float) X(tw_bfloat16, float) X(int8_t, int32_t) X(double, double)

#define TW_INTERNAL_FACTOR_SHAPES(type, inner, held)                                                                   \
    enum {                                                                                                             \
        tw_internal_rows_a_##type = 16,                                                                                \
        tw_internal_columns_a_##type = (inner),                                                                        \
        tw_internal_rows_b_##type = (inner),                                                                           \
        tw_internal_columns_b_##type = 16                                                                              \
    };
#define TW_INTERNAL_ACCUMULATOR_SHAPES(type)                                                                           \
    enum { tw_internal_rows_accumulator_##type = 16, tw_internal_columns_accumulator_##type = 16 };
TW_INTERNAL_MATRIX_FACTORS(TW_INTERNAL_FACTOR_SHAPES)
TW_INTERNAL_MATRIX_ACCUMULATORS(TW_INTERNAL_ACCUMULATOR_SHAPES)
#undef TW_INTERNAL_FACTOR_SHAPES
#undef TW_INTERNAL_ACCUMULATOR_SHAPES

/* The parts of a matrix, as arguments of a function. */
#define TW_INTERNAL_PART_ROWS(matrix) ((unsigned)(sizeof((matrix).tw_part_) / sizeof((matrix).tw_part_[0])))
#define TW_INTERNAL_PART_COLUMNS(matrix) ((unsigned)(sizeof((matrix).tw_part_[0]) / sizeof((matrix).tw_part_[0][0])))
#define TW_INTERNAL_MATRIX(matrix)                                                                                     \
    &(matrix).tw_part_[0][0], TW_INTERNAL_PART_ROWS(matrix), TW_INTERNAL_PART_COLUMNS(matrix)

/* Numbers of 16 bits as others. */
TW_OVERLOADED float tw_internal_matrix_held(tw_half x)
{
    return (float)x;
}
TW_OVERLOADED float tw_internal_matrix_held(tw_bfloat16 x)
{
    return tw_bfloat16_to_float(x);
}
TW_OVERLOADED int32_t tw_internal_matrix_held(int8_t x)
{
    return x;
}
TW_OVERLOADED double tw_internal_matrix_held(double x)
{
    return x;
}
#define TW_INTERNAL_MATRIX_FROM_tw_half(x) ((tw_half)(x))
#define TW_INTERNAL_MATRIX_FROM_tw_bfloat16(x) tw_bfloat16_from_float(x)
#define TW_INTERNAL_MATRIX_FROM_int8_t(x) ((int8_t)(x))
#define TW_INTERNAL_MATRIX_FROM_double(x) (x)

#if defined(__NVPTX__) && defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ >= 800
#define TW_INTERNAL_TENSOR_CORES 1
#endif
#endif

/* Of loops over parts and their elements, which are registers on a GPU. On a CPU they are memory. */
#ifdef TW_INTERNAL_GPU_PASS
#define TW_INTERNAL_UNROLL_PARTS _Pragma("unroll")
#else
#define TW_INTERNAL_UNROLL_PARTS
#endif

#ifdef TW_INTERNAL_TENSOR_CORES
#include <teamwork/lower/matrix/parts_tensor.h>
#else
#include <teamwork/lower/matrix/parts_plain.h>
#endif

/* ---- all parts of a matrix --------------------------------------------------------------------------------------- */

/* What each use has. `place` is that of a part's first element. */
#define TW_INTERNAL_DEFINE_MATRIX(use, type)                                                                           \
    TW_OVERLOADED void tw_internal_matrix_fill(tw_internal_##use##_##type *parts, unsigned rows, unsigned columns,     \
                                               type value)                                                             \
    {                                                                                                                  \
        TW_INTERNAL_UNROLL_PARTS for (unsigned i = 0; i < rows * columns; ++i)                                         \
            TW_INTERNAL_UNROLL_PARTS for (unsigned e = 0; e < tw_internal_part_elements(parts); ++e)                   \
                tw_internal_part_set(&parts[i], e, value);                                                             \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_matrix_load(tw_sub_group sub_group, tw_internal_##use##_##type *parts,              \
                                               unsigned rows, unsigned columns, const type *from, size_t stride,       \
                                               tw_matrix_layout layout, bool local)                                    \
    {                                                                                                                  \
        TW_INTERNAL_UNROLL_PARTS for (unsigned i = 0; i < rows; ++i)                                                   \
            TW_INTERNAL_UNROLL_PARTS for (unsigned j = 0; j < columns; ++j)                                            \
        {                                                                                                              \
            const size_t row = i * (size_t)tw_internal_rows_##use##_##type,                                            \
                         column = j * (size_t)tw_internal_columns_##use##_##type;                                      \
            const size_t place = layout == TW_ROW_MAJOR ? row * stride + column : column * stride + row;               \
            tw_internal_part_load(sub_group, &parts[i * columns + j], from + place, stride, layout, local);            \
        }                                                                                                              \
    }
#define TW_INTERNAL_DEFINE_FACTORS(type, inner, held)                                                                  \
    TW_INTERNAL_DEFINE_MATRIX(a, type)                                                                                 \
    TW_INTERNAL_DEFINE_MATRIX(b, type)
#define TW_INTERNAL_DEFINE_ACCUMULATOR(type)                                                                           \
    TW_INTERNAL_DEFINE_MATRIX(accumulator, type)                                                                       \
    TW_OVERLOADED void tw_internal_matrix_store(tw_sub_group sub_group, const tw_internal_accumulator_##type *parts,   \
                                                unsigned rows, unsigned columns, type *to, size_t stride,              \
                                                tw_matrix_layout layout)                                               \
    {                                                                                                                  \
        TW_INTERNAL_UNROLL_PARTS for (unsigned i = 0; i < rows; ++i)                                                   \
            TW_INTERNAL_UNROLL_PARTS for (unsigned j = 0; j < columns; ++j)                                            \
        {                                                                                                              \
            const size_t row = i * (size_t)16, column = j * (size_t)16;                                                \
            const size_t place = layout == TW_ROW_MAJOR ? row * stride + column : column * stride + row;               \
            tw_internal_part_store(sub_group, &parts[i * columns + j], to + place, stride, layout);                    \
        }                                                                                                              \
    }
TW_INTERNAL_MATRIX_FACTORS(TW_INTERNAL_DEFINE_FACTORS)
TW_INTERNAL_MATRIX_ACCUMULATORS(TW_INTERNAL_DEFINE_ACCUMULATOR)
#undef TW_INTERNAL_DEFINE_MATRIX
#undef TW_INTERNAL_DEFINE_FACTORS
#undef TW_INTERNAL_DEFINE_ACCUMULATOR

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat" /* diagnose_if is clang's */

/* d = a * b + c, of rows x inner by inner x columns parts. Between two products into a part lie all others. */
#define TW_INTERNAL_DEFINE_MAD(factor, type)                                                                           \
    TW_OVERLOADED void tw_internal_matrix_mad(tw_sub_group sub_group, tw_internal_accumulator_##type *d,               \
                                              const tw_internal_a_##factor *a, const tw_internal_b_##factor *b,        \
                                              const tw_internal_accumulator_##type *c, unsigned rows,                  \
                                              unsigned columns, unsigned inner, bool fits)                             \
        __attribute__((diagnose_if(!fits,                                                                              \
                                   "the shapes of these matrices do not fit: d and c have the rows of a and "          \
                                   "the columns of b, and a has as many columns as b rows",                            \
                                   "error")))                                                                          \
    {                                                                                                                  \
        (void)fits;                                                                                                    \
        TW_INTERNAL_UNROLL_PARTS for (unsigned k = 0; k < inner; ++k)                                                  \
            TW_INTERNAL_UNROLL_PARTS for (unsigned i = 0; i < rows; ++i)                                               \
                TW_INTERNAL_UNROLL_PARTS for (unsigned j = 0; j < columns; ++j)                                        \
                    tw_internal_part_mad(sub_group, &d[i * columns + j], &a[i * inner + k], &b[k * columns + j],       \
                                         k == 0 ? &c[i * columns + j] : &d[i * columns + j]);                          \
    }
TW_INTERNAL_MATRIX_PRODUCTS(TW_INTERNAL_DEFINE_MAD)
#undef TW_INTERNAL_DEFINE_MAD

#define TW_INTERNAL_DEFINE_COPY(factor)                                                                                \
    TW_OVERLOADED void tw_internal_matrix_copy(tw_internal_a_##factor *a, unsigned rows, unsigned columns,             \
                                               const tw_internal_accumulator_float *from, bool fits)                   \
        __attribute__((diagnose_if(!fits, "the two matrices have the same shape", "error")))                           \
    {                                                                                                                  \
        (void)fits;                                                                                                    \
        TW_INTERNAL_UNROLL_PARTS for (unsigned i = 0; i < rows * columns; ++i)                                         \
            TW_INTERNAL_UNROLL_PARTS for (unsigned e = 0; e < tw_internal_part_elements(from); ++e)                    \
                tw_internal_part_set(&a[i], e, TW_INTERNAL_MATRIX_FROM_##factor(from[i].tw_value_[e]));                \
    }
TW_INTERNAL_DEFINE_COPY(tw_half)
TW_INTERNAL_DEFINE_COPY(tw_bfloat16)
#undef TW_INTERNAL_DEFINE_COPY

#pragma clang diagnostic pop

/* The elements of a part that the work-item has. */
#define TW_INTERNAL_APPLY_TO_PART(part, i, j, function, argument)                                                      \
    TW_INTERNAL_UNROLL_PARTS for (unsigned tw_e = 0; tw_e < tw_internal_part_elements(part);                           \
                                  ++tw_e) if (tw_internal_part_has(tw_of, tw_e))                                       \
        tw_internal_part_set(                                                                                          \
            (part), tw_e,                                                                                              \
            function(tw_internal_part_get((part), tw_e),                                                               \
                     (i) * (size_t)tw_internal_part_rows(part) + tw_internal_part_row(tw_of, (part), tw_e),            \
                     (j) * (size_t)tw_internal_part_columns(part) + tw_internal_part_column(tw_of, (part), tw_e),      \
                     argument));

#endif
