/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Matrices of a sub-group, and their product (SYCL's extension joint_matrix): on tensor cores of NVIDIA GPUs from sm_80
 * on, by plain code elsewhere.
 *
 *     TW_JOINT_MATRIX(a, tw_half, 32, 16) a;                  the left factor: 32 rows, 16 columns
 *     TW_JOINT_MATRIX(b, tw_half, 16, 64) b;                  the right factor
 *     TW_JOINT_MATRIX(accumulator, float, 32, 64) c;          what products are added to
 *     tw_joint_matrix_fill(sub_group, c, 0);
 *     for (size_t k = 0; k < inner; k += 16) {
 *         tw_joint_matrix_load(sub_group, a, left + k, inner, TW_ROW_MAJOR);
 *         tw_joint_matrix_load(sub_group, b, right + k * columns, columns, TW_ROW_MAJOR);
 *         tw_joint_matrix_mad(sub_group, c, a, b, c);
 *     }
 *     tw_joint_matrix_store(sub_group, c, product, columns, TW_ROW_MAJOR);
 *
 * The elements of such a matrix are spread over the work-items of the sub-group, in an order of the device's own. It is a
 * variable of the kernel function; arrays and members of structs may be of such types too. All work-items of the
 * sub-group come to a call or none, with the same arguments, and the sub-group is whole: on a GPU the size of the
 * work-group is a multiple of the sub-group's. On a CPU, where a sub-group is one work-item, that has all of it.
 *
 *     factors                      accumulator     rows of a, columns of b     columns of a, rows of b
 *     tw_half, tw_bfloat16         float           multiples of 16             multiples of 16
 *     int8_t                       int32_t         multiples of 16             multiples of 32
 *     double                       double          multiples of 16             multiples of 16
 *
 * Another shape is an error of the compiler, and so are factors that do not fit. In registers a matrix takes its bytes,
 * divided by 32 work-items, on a GPU: 128 registers of 255 for 64 x 64 floats.
 *
 * Products of half and bfloat16 are exact, and sums of them are rounded to float, in an order of the device's own: so
 * results of two devices may differ in the last bits. Sums of int8_t are exact, and wrap around.
 *
 * `from` and `to` point to the first element, `stride` counts the elements from row to row, or from column to column of
 * TW_COLUMN_MAJOR. Each row, or column, begins at a multiple of 16 bytes.
 *
 * Kernels are nd_range kernels. Larger matrices, of a whole work-group: group_matrix.h.
 */
#ifndef TEAMWORK_MATRIX_H
#define TEAMWORK_MATRIX_H

#include <teamwork/lower/matrix/joint_matrix.h>

/** The type of a matrix of a sub-group: `use` is a, b or accumulator, rows and columns are constants. */
#define TW_JOINT_MATRIX(use, type, rows, columns)                                                                      \
    struct {                                                                                                           \
        TW_INTERNAL_STATIC_ASSERT((rows) > 0 && (rows) % tw_internal_rows_##use##_##type == 0,                         \
                                  "the rows of a matrix are a multiple of 16, those of b of int8_t of 32");            \
        TW_INTERNAL_STATIC_ASSERT((columns) > 0 && (columns) % tw_internal_columns_##use##_##type == 0,                \
                                  "the columns of a matrix are a multiple of 16, those of a of int8_t of 32");         \
        tw_internal_##use##_##type tw_part_[(rows) / tw_internal_rows_##use##_##type]                                  \
                                           [(columns) / tw_internal_columns_##use##_##type];                           \
    }

/** Sets all elements to a value. */
#define tw_joint_matrix_fill(sub_group, matrix, value)                                                                 \
    ((void)(sub_group), tw_internal_matrix_fill(TW_INTERNAL_MATRIX(matrix), (value)))

/** Loads a matrix from memory; `layout` is TW_ROW_MAJOR or TW_COLUMN_MAJOR, best a constant. */
#define tw_joint_matrix_load(sub_group, matrix, from, stride, layout)                                                  \
    tw_internal_matrix_load((sub_group), TW_INTERNAL_MATRIX(matrix), (from), (stride), (layout), false)

/** The same from local memory, which takes fewer instructions. Accesses of a GPU are fastest if rows, or columns, do not
 *  all begin in the same banks: with a stride of 8 elements of 16 bits more than a power of two. */
#define tw_joint_matrix_load_local(sub_group, matrix, from, stride, layout)                                            \
    tw_internal_matrix_load((sub_group), TW_INTERNAL_MATRIX(matrix), (from), (stride), (layout), true)

/** Stores an accumulator to memory. */
#define tw_joint_matrix_store(sub_group, matrix, to, stride, layout)                                                   \
    tw_internal_matrix_store((sub_group), TW_INTERNAL_MATRIX(matrix), (to), (stride), (layout))

/** d = a * b + c, where d and c may be the same accumulator. */
#define tw_joint_matrix_mad(sub_group, d, a, b, c)                                                                     \
    tw_internal_matrix_mad((sub_group), &(d).tw_part_[0][0], &(a).tw_part_[0][0], &(b).tw_part_[0][0],                 \
                           &(c).tw_part_[0][0], TW_INTERNAL_PART_ROWS(a), TW_INTERNAL_PART_COLUMNS(b),                 \
                           TW_INTERNAL_PART_ROWS(b),                                                                   \
                           TW_INTERNAL_PART_ROWS(a) == TW_INTERNAL_PART_ROWS(c)                                        \
                               && TW_INTERNAL_PART_COLUMNS(b) == TW_INTERNAL_PART_COLUMNS(c)                           \
                               && TW_INTERNAL_PART_COLUMNS(a) == TW_INTERNAL_PART_ROWS(b) && sizeof(d) == sizeof(c)    \
                               && TW_INTERNAL_PART_ROWS(d) == TW_INTERNAL_PART_ROWS(c))

/** Makes an accumulator of float a left factor of half or bfloat16, for the next product; both have the same shape. */
#define tw_joint_matrix_copy(sub_group, a, accumulator)                                                                \
    ((void)(sub_group),                                                                                                \
     tw_internal_matrix_copy(TW_INTERNAL_MATRIX(a), &(accumulator).tw_part_[0][0],                                     \
                             TW_INTERNAL_PART_ROWS(a) == TW_INTERNAL_PART_ROWS(accumulator)                            \
                                 && TW_INTERNAL_PART_COLUMNS(a) == TW_INTERNAL_PART_COLUMNS(accumulator)))

/**
 * Replaces each element x by function(x, row, column, argument), a function of the program:
 * T function(T x, size_t row, size_t column, any argument). A statement.
 */
#define tw_joint_matrix_apply(sub_group, matrix, function, argument)                                                   \
    do {                                                                                                               \
        const tw_sub_group tw_of = (sub_group);                                                                        \
        TW_INTERNAL_UNROLL_PARTS for (unsigned tw_i = 0; tw_i < TW_INTERNAL_PART_ROWS(matrix); ++tw_i)                 \
            TW_INTERNAL_UNROLL_PARTS for (unsigned tw_j = 0; tw_j < TW_INTERNAL_PART_COLUMNS(matrix); ++tw_j)          \
                TW_INTERNAL_APPLY_TO_PART(&(matrix).tw_part_[tw_i][tw_j], tw_i, tw_j, function, argument)              \
    } while (0)

#endif
