/* SPDX-License-Identifier: Apache-2.0 */
/** Matrices of a work-group by the products of sub-groups: each has 16 of 64 rows, and all columns. */
#ifndef TEAMWORK_LOWER_GROUP_MATRIX_MMA_H
#define TEAMWORK_LOWER_GROUP_MATRIX_MMA_H

/* The words of a factor that begins with element `outer` of its free dimension, and `k` of the other: parts_tensor.h has
   their order. */
TW_LANGUAGE_INLINE void tw_internal_tile_words(unsigned lane, unsigned word[4], const void *tile, unsigned lines,
                                               unsigned outer, unsigned k, bool is_inner)
{
    const unsigned f = lane / 8 % 2, r = lane / 16;
    const unsigned line = (is_inner ? outer + f * 8 : k + r * 8) + lane % 8;
    const unsigned piece = is_inner ? k / 8 + r : outer / 8 + f;
    tw_internal_load_rows(word, tw_internal_local_address(tile) + tw_internal_tile_place(lines, line, piece),
                          !is_inner);
}

#define TW_INTERNAL_DEFINE_GROUP_PRODUCT(factor)                                                                       \
    TW_OVERLOADED void tw_internal_group_product(tw_nd_item item, float *x, unsigned rows, unsigned columns,           \
                                                 unsigned inner, const factor *a, bool a_is_inner, const factor *b,    \
                                                 bool b_is_inner)                                                      \
    {                                                                                                                  \
        const unsigned me = (unsigned)tw_local_linear_id(item), lane = me % 32;                                        \
        const unsigned own = rows / ((unsigned)tw_local_linear_range(item) / 128);                                     \
        const unsigned first = me / 128 * own + me / 32 % 4 * 16;                                                      \
        _Pragma("unroll") for (unsigned k = 0; k < inner; k += 16)                                                     \
            _Pragma("unroll") for (unsigned i = 0; i < own; i += 64)                                                   \
        {                                                                                                              \
            unsigned left[4];                                                                                          \
            tw_internal_tile_words(lane, left, a, a_is_inner ? rows : inner, first + i, k, a_is_inner);                \
            _Pragma("unroll") for (unsigned j = 0; j < columns; j += 16)                                               \
            {                                                                                                          \
                unsigned right[4];                                                                                     \
                float *const y = x + (i / 64 * (columns / 8) + j / 8) * 4;                                             \
                tw_internal_tile_words(lane, right, b, b_is_inner ? columns : inner, j, k, b_is_inner);                \
                tw_internal_mma(a, y, left, right[0], right[2], y);                                                    \
                tw_internal_mma(a, y + 4, left, right[1], right[3], y + 4);                                            \
            }                                                                                                          \
        }                                                                                                              \
    }
TW_INTERNAL_DEFINE_GROUP_PRODUCT(tw_half)
TW_INTERNAL_DEFINE_GROUP_PRODUCT(tw_bfloat16)
#undef TW_INTERNAL_DEFINE_GROUP_PRODUCT

TW_LANGUAGE_INLINE void tw_internal_group_products_end(float *x, unsigned count, unsigned pending)
{
    (void)x, (void)count, (void)pending;
}

#endif
