/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Matrices of a work-group without tensor cores: a tile has its rows one after the other, whatever the layout. On a CPU
 * neighbouring elements of the sum are those of a work-item, on a GPU of neighbouring work-items.
 */
#ifndef TEAMWORK_LOWER_GROUP_MATRIX_PLAIN_H
#define TEAMWORK_LOWER_GROUP_MATRIX_PLAIN_H

TW_LANGUAGE_INLINE struct tw_internal_place tw_internal_group_place(tw_nd_item item, unsigned rows, unsigned columns,
                                                                    unsigned i)
{
    const unsigned me = (unsigned)tw_local_linear_id(item), items = (unsigned)tw_local_linear_range(item);
#ifdef TW_INTERNAL_GPU_PASS
    const unsigned number = i * items + me;
    (void)rows;
#else
    const unsigned number = me * (rows * columns / items) + i;
#endif
    const struct tw_internal_place place = {number / columns, number % columns};
    return place;
}

/* Work-items that follow each other load what follows in memory. */
#define TW_INTERNAL_DEFINE_TILE_LOAD(factor)                                                                           \
    TW_OVERLOADED void tw_internal_tile_copy(tw_nd_item item, factor *tile, unsigned rows, unsigned columns,           \
                                             const factor *from, size_t stride, tw_matrix_layout layout)               \
    {                                                                                                                  \
        const unsigned together = layout == TW_ROW_MAJOR ? columns : rows;                                             \
        unsigned i = (unsigned)tw_local_linear_id(item), step = (unsigned)tw_local_linear_range(item);                 \
        if (TW_INTERNAL_ONE_THREAD) {                                                                                  \
            i = tw_internal_marker_once() || i == 0 ? 0 : rows * columns;                                              \
            step = 1;                                                                                                  \
        }                                                                                                              \
        for (; i < rows * columns; i += step) {                                                                        \
            const unsigned line = i / together, place = i % together;                                                  \
            tile[layout == TW_ROW_MAJOR ? i : place * columns + line] = from[line * stride + place];                   \
        }                                                                                                              \
        (void)tw_internal_marker_barrier(0);                                                                           \
    }                                                                                                                  \
    /* The same where only some rows and columns are there; all else is zero. */                                       \
    TW_OVERLOADED void tw_internal_tile_copy_part(tw_nd_item item, factor *tile, unsigned rows, unsigned columns,      \
                                                  const factor *from, size_t stride, tw_matrix_layout layout,          \
                                                  size_t rows_there, size_t columns_there)                             \
    {                                                                                                                  \
        const factor zero = TW_INTERNAL_MATRIX_FROM_##factor(0.0f);                                                    \
        const unsigned me = (unsigned)tw_local_linear_id(item), items = (unsigned)tw_local_linear_range(item);         \
        const bool by_rows = layout == TW_ROW_MAJOR;                                                                   \
        const unsigned lines = by_rows ? rows : columns, together = by_rows ? columns : rows;                          \
        const size_t lines_there = by_rows ? rows_there : columns_there;                                               \
        const size_t together_there = by_rows ? columns_there : rows_there;                                            \
        const unsigned filled = together < together_there ? together : (unsigned)together_there;                       \
        if (!TW_INTERNAL_ONE_THREAD) {                                                                                 \
            for (unsigned i = me; i < lines * together; i += items) {                                                  \
                const unsigned line = i / together, place = i % together;                                              \
                tile[by_rows ? i : place * columns + line] =                                                           \
                    line < lines_there && place < filled ? from[line * stride + place] : zero;                         \
            }                                                                                                          \
        } else if (tw_internal_marker_once() || me == 0) {                                                             \
            for (unsigned line = 0; line < lines; ++line) {                                                            \
                const unsigned there = line < lines_there ? filled : 0;                                                \
                for (unsigned place = 0; place < there; ++place)                                                       \
                    tile[by_rows ? line * columns + place : place * columns + line] = from[line * stride + place];     \
                for (unsigned place = there; place < together; ++place)                                                \
                    tile[by_rows ? line * columns + place : place * columns + line] = zero;                            \
            }                                                                                                          \
        }                                                                                                              \
        (void)tw_internal_marker_barrier(0);                                                                           \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_group_product(tw_nd_item item, float *x, unsigned rows, unsigned columns,           \
                                                 unsigned inner, const factor *a, bool a_is_inner, const factor *b,    \
                                                 bool b_is_inner)                                                      \
    {                                                                                                                  \
        const unsigned count = rows * columns / (unsigned)tw_local_linear_range(item);                                 \
        const unsigned row = count < columns ? count : columns;                                                        \
        (void)a_is_inner, (void)b_is_inner;                                                                            \
        TW_INTERNAL_GROUP_PRODUCT                                                                                      \
    }

#ifdef TW_INTERNAL_GPU_PASS
#define TW_INTERNAL_GROUP_PRODUCT                                                                                      \
    (void)row;                                                                                                         \
    for (unsigned k = 0; k < inner; ++k)                                                                               \
        _Pragma("unroll") for (unsigned i = 0; i < count; ++i)                                                         \
        {                                                                                                              \
            const struct tw_internal_place at = tw_internal_group_place(item, rows, columns, i);                       \
            x[i] +=                                                                                                    \
                tw_internal_matrix_held(a[at.row * inner + k]) * tw_internal_matrix_held(b[k * columns + at.column]);  \
        }
#else
/* A work-item has a part of one row, or several parts as long. */
#define TW_INTERNAL_GROUP_PRODUCT                                                                                      \
    for (unsigned i = 0; i < count; i += row) {                                                                        \
        const struct tw_internal_place at = tw_internal_group_place(item, rows, columns, i);                           \
        for (unsigned k = 0; k < inner; ++k) {                                                                         \
            const float left = tw_internal_matrix_held(a[at.row * inner + k]);                                         \
            for (unsigned j = 0; j < row; ++j)                                                                         \
                x[i + j] += left * tw_internal_matrix_held(b[k * columns + at.column + j]);                            \
        }                                                                                                              \
    }
#endif
TW_INTERNAL_DEFINE_TILE_LOAD(tw_half)
TW_INTERNAL_DEFINE_TILE_LOAD(tw_bfloat16)
#undef TW_INTERNAL_DEFINE_TILE_LOAD
#undef TW_INTERNAL_GROUP_PRODUCT

TW_LANGUAGE_INLINE void tw_internal_group_products_end(float *x, unsigned count, unsigned pending)
{
    (void)x, (void)count, (void)pending;
}

#endif
