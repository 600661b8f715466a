/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lowers what <teamwork/group_matrix.h> declares.
 *
 * On tensor cores a line of a tile, what lies together in global memory, is divided into blocks of 64 elements, 128 bytes.
 * The tile has its blocks one after the other, of each all lines. In line n piece p of 16 bytes is at place p ^ n % 8: so
 * eight lines, and eight pieces of a line, are in different banks. The hardware calls this a swizzle of 128 bytes.
 *
 * Of the sum each 128 work-items have as many rows, in blocks of 64, of which each warp has 16. Values are in the order of
 * blocks, and in a block as parts_tensor.h has them.
 */
#ifndef TEAMWORK_LOWER_GROUP_MATRIX_H
#define TEAMWORK_LOWER_GROUP_MATRIX_H

#include <teamwork/lower/group/async_copy.h>
#include <teamwork/lower/matrix/joint_matrix.h>

/* A tile's elements have a type of their own for each use and layout. */
#define TW_INTERNAL_TILE_TYPES(type)                                                                                   \
    typedef struct tw_internal_tile_a_##type##_TW_ROW_MAJOR {                                                          \
        type tw_x_;                                                                                                    \
    } tw_internal_tile_a_##type##_TW_ROW_MAJOR;                                                                        \
    typedef struct tw_internal_tile_a_##type##_TW_COLUMN_MAJOR {                                                       \
        type tw_x_;                                                                                                    \
    } tw_internal_tile_a_##type##_TW_COLUMN_MAJOR;                                                                     \
    typedef struct tw_internal_tile_b_##type##_TW_ROW_MAJOR {                                                          \
        type tw_x_;                                                                                                    \
    } tw_internal_tile_b_##type##_TW_ROW_MAJOR;                                                                        \
    typedef struct tw_internal_tile_b_##type##_TW_COLUMN_MAJOR {                                                       \
        type tw_x_;                                                                                                    \
    } tw_internal_tile_b_##type##_TW_COLUMN_MAJOR;
TW_INTERNAL_TILE_TYPES(tw_half)
TW_INTERNAL_TILE_TYPES(tw_bfloat16)
#undef TW_INTERNAL_TILE_TYPES
typedef float tw_internal_group_float;

#define TW_INTERNAL_TILE_ROWS(tile) ((unsigned)(sizeof((tile).tw_row_) / sizeof((tile).tw_row_[0])))
#define TW_INTERNAL_TILE_COLUMNS(tile) ((unsigned)(sizeof((tile).tw_row_[0]) / sizeof((tile).tw_row_[0][0])))
#define TW_INTERNAL_MATRIX_TILE(tile) &(tile).tw_row_[0][0], TW_INTERNAL_TILE_ROWS(tile), TW_INTERNAL_TILE_COLUMNS(tile)
#define TW_INTERNAL_TILE_COLUMNS_a(rows, columns) (rows)
#define TW_INTERNAL_TILE_COLUMNS_b(rows, columns) (columns)

/* rows * 16 / items and columns / 16 are the sizes of the array. */
#define TW_INTERNAL_GROUP_ROWS(item, matrix)                                                                           \
    ((unsigned)(sizeof((matrix).tw_value_) / sizeof((matrix).tw_value_[0]) * tw_local_linear_range(item) / 16))
#define TW_INTERNAL_GROUP_COLUMNS(matrix)                                                                              \
    ((unsigned)(sizeof((matrix).tw_value_[0]) / sizeof((matrix).tw_value_[0][0]) * 16))
#define TW_INTERNAL_GROUP_MATRIX(matrix)                                                                               \
    &(matrix).tw_value_[0][0], (unsigned)(sizeof((matrix).tw_value_) / sizeof(float)), TW_INTERNAL_GROUP_COLUMNS(matrix)

/* An element of the sum. */
struct tw_internal_place {
    unsigned row, column;
};

/* What a work-item knows of a pipeline: the factors in global memory, the element where the product begins, its steps, and
   those that are loaded or on their way. */
typedef struct tw_internal_pipeline {
    const void *tw_a_, *tw_b_;
    size_t tw_a_stride_, tw_b_stride_, tw_rows_, tw_columns_, tw_inner_, tw_row_, tw_column_;
    size_t tw_steps_, tw_loaded_;
    const unsigned char *tw_maps_;               /* of a and b, for the copy engine of sm_90a */
    unsigned tw_stage_, tw_phase_;               /* that is multiplied next; how often all stages were used, modulo 2 */
    unsigned tw_loaded_stage_, tw_loaded_phase_; /* that is loaded next */
} tw_internal_pipeline;

/* Its constants. The tiles are those of the first stage. */
struct tw_internal_pipeline_shape {
    void *a, *b;
    unsigned rows, columns, inner, stages, stage_bytes;
    tw_matrix_layout a_layout, b_layout;
};

#define TW_INTERNAL_PIPELINE_STAGE(pipeline) (*(pipeline).tw_stages_)[0]
#define TW_INTERNAL_PIPELINE_TAG(pipeline) &TW_INTERNAL_PIPELINE_STAGE(pipeline).tw_a_.tw_row_[0][0].tw_x_
#define TW_INTERNAL_PIPELINE(pipeline)                                                                                 \
    &(pipeline).tw_state_, TW_INTERNAL_PIPELINE_TAG(pipeline),                                                         \
        tw_internal_pipeline_shape(TW_INTERNAL_MATRIX_TILE(TW_INTERNAL_PIPELINE_STAGE(pipeline).tw_a_),                \
                                   TW_INTERNAL_MATRIX_TILE(TW_INTERNAL_PIPELINE_STAGE(pipeline).tw_b_),                \
                                   sizeof(*(pipeline).tw_stages_), sizeof(TW_INTERNAL_PIPELINE_STAGE(pipeline)))

#ifdef TW_INTERNAL_TENSOR_CORES

/* Where piece `piece` of a line is, in bytes. */
TW_LANGUAGE_INLINE unsigned tw_internal_tile_place(unsigned lines, unsigned line, unsigned piece)
{
    return piece / 8 * lines * 128 + line * 128 + (piece % 8 ^ line % 8) * 16;
}

TW_LANGUAGE_INLINE void tw_internal_tile_copy(tw_nd_item item, void *tile, unsigned rows, unsigned columns,
                                              const void *from, size_t stride, tw_matrix_layout layout)
{
    const unsigned lines = layout == TW_ROW_MAJOR ? rows : columns,
                   each = (layout == TW_ROW_MAJOR ? columns : rows) / 8;
    const unsigned me = (unsigned)tw_local_linear_id(item), total = (unsigned)tw_local_linear_range(item);
    _Pragma("unroll") for (unsigned first = 0; first < lines * each; first += total)
    {
        const unsigned at = first + me, line = at / each, piece = at % each;
        if (lines * each % total == 0 || at < lines * each)
            tw_internal_begin_16((unsigned char *)tile + tw_internal_tile_place(lines, line, piece),
                                 (const unsigned char *)from + (line * stride + piece * 8) * 2);
    }
}

/* The same where only some rows and columns are there; all else is zero. Pieces that are there in part are copied so far. */
TW_LANGUAGE_INLINE void tw_internal_tile_copy_part(tw_nd_item item, void *tile, unsigned rows, unsigned columns,
                                                   const void *from, size_t stride, tw_matrix_layout layout,
                                                   size_t rows_there, size_t columns_there)
{
    const unsigned lines = layout == TW_ROW_MAJOR ? rows : columns,
                   each = (layout == TW_ROW_MAJOR ? columns : rows) / 8;
    const size_t lines_there = layout == TW_ROW_MAJOR ? rows_there : columns_there,
                 together = layout == TW_ROW_MAJOR ? columns_there : rows_there;
    const unsigned me = (unsigned)tw_local_linear_id(item), total = (unsigned)tw_local_linear_range(item);
    for (unsigned at = me; at < lines * each; at += total) {
        const unsigned line = at / each, piece = at % each;
        const size_t first = (size_t)piece * 8;
        const unsigned elements = line >= lines_there || first >= together ? 0
                                  : together - first < 8                   ? (unsigned)(together - first)
                                                                           : 8;
        tw_internal_begin_part((unsigned char *)tile + tw_internal_tile_place(lines, line, piece),
                               elements == 0 ? from : (const unsigned char *)from + (line * stride + first) * 2,
                               elements * 2);
    }
}

TW_LANGUAGE_INLINE struct tw_internal_place tw_internal_group_place(tw_nd_item item, unsigned rows, unsigned columns,
                                                                    unsigned i)
{
    const unsigned me = (unsigned)tw_local_linear_id(item), lane = me % 32, block = i / (columns / 2);
    const unsigned own = rows / ((unsigned)tw_local_linear_range(item) / 128), in_block = i % (columns / 2);
    const struct tw_internal_place place = {me / 128 * own + block * 64 + me / 32 % 4 * 16
                                                + tw_internal_accumulator_row(lane, in_block, 0),
                                            tw_internal_accumulator_column(lane, in_block, 0)};
    return place;
}

#ifdef TW_INTERNAL_WARP_GROUPS
#include <teamwork/lower/matrix/group_matrix_wgmma.h>

#include <teamwork/lower/matrix/group_matrix_tma.h>
#else
#include <teamwork/lower/matrix/group_matrix_mma.h>
#endif

#else
#include <teamwork/lower/matrix/group_matrix_plain.h>
#endif
#ifndef TW_INTERNAL_WARP_GROUPS
#include <teamwork/lower/matrix/group_matrix_stages.h>
#endif

TW_LANGUAGE_INLINE void tw_internal_group_fill(tw_nd_item item, float *x, unsigned count, unsigned columns, float value)
{
    (void)item, (void)columns;
    TW_INTERNAL_UNROLL_PARTS for (unsigned i = 0; i < count; ++i) x[i] = value;
}

TW_LANGUAGE_INLINE void tw_internal_group_wait(tw_nd_item item, float *x, unsigned count, unsigned columns,
                                               unsigned pending)
{
    (void)item, (void)columns;
    tw_internal_group_products_end(x, count, pending);
}

TW_LANGUAGE_INLINE void tw_internal_group_store(tw_nd_item item, const float *x, unsigned count, unsigned columns,
                                                float *to, size_t stride, tw_matrix_layout layout)
{
    const unsigned rows = count * (unsigned)tw_local_linear_range(item) / columns;
#ifdef TW_INTERNAL_TENSOR_CORES
    if (layout == TW_ROW_MAJOR) { /* pairs of elements follow each other */
        _Pragma("unroll") for (unsigned i = 0; i < count; i += 2)
        {
            const struct tw_internal_place at = tw_internal_group_place(item, rows, columns, i);
            const tw_internal_pair_of_float pair = {x[i], x[i + 1]};
            *(tw_internal_pair_of_float *)(void *)(to + at.row * stride + at.column) = pair;
        }
        return;
    }
#endif
    TW_INTERNAL_UNROLL_PARTS for (unsigned i = 0; i < count; ++i)
    {
        const struct tw_internal_place at = tw_internal_group_place(item, rows, columns, i);
        to[layout == TW_ROW_MAJOR ? at.row * stride + at.column : at.column * stride + at.row] = x[i];
    }
}

/* The next product of a pipeline, from an element on. */
TW_LANGUAGE_INLINE void tw_internal_pipeline_next(tw_nd_item item, tw_internal_pipeline *pipeline, const void *tag,
                                                  struct tw_internal_pipeline_shape shape, size_t row, size_t column)
{
    (void)tag;
    pipeline->tw_row_ = row;
    pipeline->tw_column_ = column;
    pipeline->tw_steps_ = (pipeline->tw_inner_ + shape.inner - 1) / shape.inner;
    pipeline->tw_loaded_ = 0;
    tw_internal_pipeline_begin(item, pipeline, shape);
}

/* Of the sum only the first rows and columns. */
TW_LANGUAGE_INLINE void tw_internal_group_store_part(tw_nd_item item, const float *x, unsigned count, unsigned columns,
                                                     float *to, size_t stride, tw_matrix_layout layout,
                                                     size_t rows_there, size_t columns_there)
{
    const unsigned rows = count * (unsigned)tw_local_linear_range(item) / columns;
    if (rows <= rows_there && columns <= columns_there) {
        tw_internal_group_store(item, x, count, columns, to, stride, layout);
        return;
    }
    TW_INTERNAL_UNROLL_PARTS for (unsigned i = 0; i < count; ++i)
    {
        const struct tw_internal_place at = tw_internal_group_place(item, rows, columns, i);
        if (at.row < rows_there && at.column < columns_there)
            to[layout == TW_ROW_MAJOR ? at.row * stride + at.column : at.column * stride + at.row] = x[i];
    }
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat" /* diagnose_if is clang's */

#define TW_INTERNAL_DEFINE_TILE(use, type, layout)                                                                     \
    TW_OVERLOADED void tw_internal_tile_load(tw_nd_item item, tw_internal_tile_##use##_##type##_##layout *tile,        \
                                             unsigned rows, unsigned columns, const type *from, size_t stride)         \
    {                                                                                                                  \
        tw_internal_tile_copy(item, &tile->tw_x_, rows, columns, from, stride, layout);                                \
    }
#define TW_INTERNAL_DEFINE_GROUP_MAD(type, a_layout, b_layout)                                                         \
    TW_OVERLOADED void tw_internal_group_mad(tw_nd_item item, float *x, unsigned count, unsigned columns,              \
                                             const tw_internal_tile_a_##type##_##a_layout *a, unsigned a_rows,         \
                                             unsigned a_columns, const tw_internal_tile_b_##type##_##b_layout *b,      \
                                             unsigned b_rows, unsigned b_columns, bool fits)                           \
        __attribute__((diagnose_if(!fits,                                                                              \
                                   "the shapes of these tiles do not fit: b has the columns of the sum, and a "        \
                                   "as many columns as b rows",                                                        \
                                   "error")))                                                                          \
    {                                                                                                                  \
        (void)count, (void)b_rows, (void)b_columns, (void)fits;                                                        \
        tw_internal_group_product(item, x, a_rows, columns, a_columns, &a->tw_x_, a_layout == TW_ROW_MAJOR, &b->tw_x_, \
                                  b_layout == TW_COLUMN_MAJOR);                                                        \
    }                                                                                                                  \
    TW_OVERLOADED struct tw_internal_pipeline_shape tw_internal_pipeline_shape(                                        \
        tw_internal_tile_a_##type##_##a_layout *a, unsigned a_rows, unsigned a_columns,                                \
        tw_internal_tile_b_##type##_##b_layout *b, unsigned b_rows, unsigned b_columns, size_t bytes,                  \
        size_t stage_bytes)                                                                                            \
    {                                                                                                                  \
        const struct tw_internal_pipeline_shape shape = {                                                              \
            a,        b,       a_rows, b_columns, a_columns, (unsigned)(bytes / stage_bytes), (unsigned)stage_bytes,   \
            a_layout, b_layout};                                                                                       \
        (void)b_rows;                                                                                                  \
        return shape;                                                                                                  \
    }
#define TW_INTERNAL_DEFINE_TILES(type)                                                                                 \
    TW_INTERNAL_DEFINE_TILE(a, type, TW_ROW_MAJOR)                                                                     \
    TW_INTERNAL_DEFINE_TILE(a, type, TW_COLUMN_MAJOR)                                                                  \
    TW_INTERNAL_DEFINE_TILE(b, type, TW_ROW_MAJOR)                                                                     \
    TW_INTERNAL_DEFINE_TILE(b, type, TW_COLUMN_MAJOR)                                                                  \
    TW_INTERNAL_DEFINE_GROUP_MAD(type, TW_ROW_MAJOR, TW_ROW_MAJOR)                                                     \
    TW_INTERNAL_DEFINE_GROUP_MAD(type, TW_ROW_MAJOR, TW_COLUMN_MAJOR)                                                  \
    TW_INTERNAL_DEFINE_GROUP_MAD(type, TW_COLUMN_MAJOR, TW_ROW_MAJOR)                                                  \
    TW_INTERNAL_DEFINE_GROUP_MAD(type, TW_COLUMN_MAJOR, TW_COLUMN_MAJOR)
TW_INTERNAL_DEFINE_TILES(tw_half)
TW_INTERNAL_DEFINE_TILES(tw_bfloat16)
#undef TW_INTERNAL_DEFINE_TILE
#undef TW_INTERNAL_DEFINE_GROUP_MAD
#undef TW_INTERNAL_DEFINE_TILES

#define TW_INTERNAL_DEFINE_PIPELINE(type)                                                                              \
    TW_OVERLOADED void tw_internal_pipeline_open(tw_nd_item item, tw_internal_pipeline *pipeline, type *tag,           \
                                                 struct tw_internal_pipeline_shape shape, void *maps, const type *a,   \
                                                 size_t a_stride, const type *b, size_t b_stride, size_t rows,         \
                                                 size_t columns, size_t inner)                                         \
    {                                                                                                                  \
        const tw_internal_pipeline opened = {a, b, a_stride, b_stride, rows, columns, inner, 0,                        \
                                             0, 0, 0,        NULL,     0,    0,       0,     0};                       \
        (void)tag;                                                                                                     \
        *pipeline = opened;                                                                                            \
        tw_internal_pipeline_prepare(item, pipeline, shape, maps);                                                     \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_group_multiply(tw_nd_item item, float *x, unsigned count, unsigned columns,         \
                                                  tw_internal_pipeline *pipeline, type *tag,                           \
                                                  struct tw_internal_pipeline_shape shape, bool fits)                  \
        __attribute__((diagnose_if(!fits, "the product of this pipeline has other columns than the sum", "error")))    \
    {                                                                                                                  \
        (void)columns, (void)fits;                                                                                     \
        tw_internal_pipeline_multiply(item, x, count, pipeline, tag, shape);                                           \
    }
TW_INTERNAL_DEFINE_PIPELINE(tw_half)
TW_INTERNAL_DEFINE_PIPELINE(tw_bfloat16)
#undef TW_INTERNAL_DEFINE_PIPELINE

#pragma clang diagnostic pop

#endif
