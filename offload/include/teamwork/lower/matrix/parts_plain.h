/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Parts of matrices without tensor cores. The elements of a part lie row by row, of a factor a with 32 columns those of the
 * first 16 columns first. On a CPU the work-item has all of them, as vectors of the rows; on a GPU element number n is
 * work-item n % width's, and a product asks the others for theirs. Factors are held as numbers that the processor
 * multiplies.
 */
#ifndef TEAMWORK_LOWER_PARTS_PLAIN_H
#define TEAMWORK_LOWER_PARTS_PLAIN_H

/* How many work-items share a part at least, so how many elements of 256 one has at most. */
#ifdef TW_INTERNAL_GPU_PASS
#define TW_INTERNAL_PART_WIDTH 32u
#else
#define TW_INTERNAL_PART_WIDTH 1u
#endif

/* Whether element `e` of what a work-item has room for is one. */
TW_LANGUAGE_INLINE bool tw_internal_part_has(tw_sub_group sub_group, unsigned e)
{
    (void)sub_group, (void)e;
    return TW_INTERNAL_PART_WIDTH == 1 || e % 8 < 256 / sub_group.tw_max_;
}

/* The number of element `e` among all: with a width of 64, of each eight places the first four are used. */
TW_LANGUAGE_INLINE unsigned tw_internal_part_number(tw_sub_group sub_group, unsigned e)
{
    if (TW_INTERNAL_PART_WIDTH == 1)
        return e;
    return e / 8 * 256 + e % 8 * sub_group.tw_max_ + sub_group.tw_lane_;
}

/* `load` makes of an element in memory what the part holds, and `give` the opposite. */
#define TW_INTERNAL_DEFINE_MATRIX_PART(use, type, rows, columns, held, load, give)                                     \
    typedef struct tw_internal_##use##_##type {                                                                        \
        held tw_value_[(rows) * (columns) / TW_INTERNAL_PART_WIDTH] __attribute__((aligned(16)));                      \
    } tw_internal_##use##_##type;                                                                                      \
    TW_OVERLOADED unsigned tw_internal_part_elements(const tw_internal_##use##_##type *part)                           \
    {                                                                                                                  \
        return sizeof part->tw_value_ / sizeof part->tw_value_[0];                                                     \
    }                                                                                                                  \
    TW_OVERLOADED unsigned tw_internal_part_rows(const tw_internal_##use##_##type *part)                               \
    {                                                                                                                  \
        return (void)part, (rows);                                                                                     \
    }                                                                                                                  \
    TW_OVERLOADED unsigned tw_internal_part_columns(const tw_internal_##use##_##type *part)                            \
    {                                                                                                                  \
        return (void)part, (columns);                                                                                  \
    }                                                                                                                  \
    TW_OVERLOADED unsigned tw_internal_part_row(tw_sub_group sub_group, const tw_internal_##use##_##type *part,        \
                                                unsigned e)                                                            \
    {                                                                                                                  \
        return (void)part, tw_internal_part_number(sub_group, e) / 16 % (rows);                                        \
    }                                                                                                                  \
    TW_OVERLOADED unsigned tw_internal_part_column(tw_sub_group sub_group, const tw_internal_##use##_##type *part,     \
                                                   unsigned e)                                                         \
    {                                                                                                                  \
        const unsigned number = tw_internal_part_number(sub_group, e);                                                 \
        return (void)part, number % 16 + number / (16 * (rows)) * 16;                                                  \
    }                                                                                                                  \
    TW_OVERLOADED type tw_internal_part_get(const tw_internal_##use##_##type *part, unsigned e)                        \
    {                                                                                                                  \
        return give(part->tw_value_[e]);                                                                               \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_part_set(tw_internal_##use##_##type *part, unsigned e, type value)                  \
    {                                                                                                                  \
        part->tw_value_[e] = load(value);                                                                              \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_part_load(tw_sub_group sub_group, tw_internal_##use##_##type *part,                 \
                                             const type *from, size_t stride, tw_matrix_layout layout, bool local)     \
    {                                                                                                                  \
        const size_t by_row = layout == TW_ROW_MAJOR ? stride : 1, by_column = layout == TW_ROW_MAJOR ? 1 : stride;    \
        (void)local;                                                                                                   \
        for (unsigned e = 0; e < tw_internal_part_elements(part); ++e)                                                 \
            if (tw_internal_part_has(sub_group, e))                                                                    \
                part->tw_value_[e] = load(from[tw_internal_part_row(sub_group, part, e) * by_row                       \
                                               + tw_internal_part_column(sub_group, part, e) * by_column]);            \
    }
#define TW_INTERNAL_ITSELF(x) (x)
#define TW_INTERNAL_DEFINE_FACTOR_PARTS(type, inner, held)                                                             \
    TW_INTERNAL_DEFINE_MATRIX_PART(a, type, 16, inner, held, tw_internal_matrix_held, TW_INTERNAL_MATRIX_FROM_##type)  \
    TW_INTERNAL_DEFINE_MATRIX_PART(b, type, inner, 16, held, tw_internal_matrix_held, TW_INTERNAL_MATRIX_FROM_##type)
#define TW_INTERNAL_DEFINE_ACCUMULATOR_PART(type)                                                                      \
    TW_INTERNAL_DEFINE_MATRIX_PART(accumulator, type, 16, 16, type, TW_INTERNAL_ITSELF, TW_INTERNAL_ITSELF)            \
    TW_OVERLOADED void tw_internal_part_store(tw_sub_group sub_group, const tw_internal_accumulator_##type *part,      \
                                              type *to, size_t stride, tw_matrix_layout layout)                        \
    {                                                                                                                  \
        const size_t by_row = layout == TW_ROW_MAJOR ? stride : 1, by_column = layout == TW_ROW_MAJOR ? 1 : stride;    \
        for (unsigned e = 0; e < tw_internal_part_elements(part); ++e)                                                 \
            if (tw_internal_part_has(sub_group, e))                                                                    \
                to[tw_internal_part_row(sub_group, part, e) * by_row                                                   \
                   + tw_internal_part_column(sub_group, part, e) * by_column] = part->tw_value_[e];                    \
    }
TW_INTERNAL_MATRIX_FACTORS(TW_INTERNAL_DEFINE_FACTOR_PARTS)
TW_INTERNAL_MATRIX_ACCUMULATORS(TW_INTERNAL_DEFINE_ACCUMULATOR_PART)
#undef TW_INTERNAL_DEFINE_MATRIX_PART
#undef TW_INTERNAL_DEFINE_FACTOR_PARTS
#undef TW_INTERNAL_DEFINE_ACCUMULATOR_PART

#ifdef TW_INTERNAL_GPU_PASS

/* Work-item l has column l % 16 of the accumulator, and of every width / 16 rows one. So for each turn all of them need
   one element of b from their column, and one of a for each of their rows, whose places are the same for all. */
#define TW_INTERNAL_DEFINE_PART_MAD(factor, type)                                                                      \
    TW_OVERLOADED void tw_internal_part_mad(tw_sub_group sub_group, tw_internal_accumulator_##type *d,                 \
                                            const tw_internal_a_##factor *a, const tw_internal_b_##factor *b,          \
                                            const tw_internal_accumulator_##type *c)                                   \
    {                                                                                                                  \
        const unsigned width = sub_group.tw_max_, lane = sub_group.tw_lane_;                                           \
        *d = *c;                                                                                                       \
        _Pragma("unroll") for (unsigned k = 0; k < (unsigned)tw_internal_columns_a_##factor; ++k)                      \
        {                                                                                                              \
            const unsigned place = k * 16 / 256 * 8 + k * 16 % 256 / width;                                            \
            const __typeof__(b->tw_value_[0]) right =                                                                  \
                tw_select_from_group(sub_group, b->tw_value_[place], k * 16 % width + lane % 16);                      \
            _Pragma("unroll") for (unsigned e = 0; e < 8; ++e) if (tw_internal_part_has(sub_group, e))                 \
                d->tw_value_[e] +=                                                                                     \
                tw_select_from_group(sub_group, a->tw_value_[k / 16 * 8 + e], lane / 16 * 16 + k % 16) * right;        \
        }                                                                                                              \
    }

#else

/* Rows are vectors, four of which are added up side by side. */
#define TW_INTERNAL_DEFINE_PART_MAD(factor, type)                                                                      \
    TW_OVERLOADED void tw_internal_part_mad(tw_sub_group sub_group, tw_internal_accumulator_##type *d,                 \
                                            const tw_internal_a_##factor *a, const tw_internal_b_##factor *b,          \
                                            const tw_internal_accumulator_##type *c)                                   \
    {                                                                                                                  \
        typedef type row __attribute__((ext_vector_type(16), aligned(16), may_alias));                                 \
        (void)sub_group;                                                                                               \
        TW_INTERNAL_PRAGMA(clang loop unroll(disable))                                                                 \
        for (unsigned i = 0; i < 16; i += 4) {                                                                         \
            row sums[4];                                                                                               \
            __builtin_memcpy(sums, c->tw_value_ + i * 16, sizeof sums);                                                \
            for (unsigned k = 0; k < (unsigned)tw_internal_columns_a_##factor; ++k) {                                  \
                const row right = *(const row *)(const void *)(b->tw_value_ + k * 16);                                 \
                _Pragma("unroll") for (unsigned r = 0; r < 4; ++r) sums[r] +=                                          \
                    a->tw_value_[k / 16 * 256 + (i + r) * 16 + k % 16] * right;                                        \
            }                                                                                                          \
            __builtin_memcpy(d->tw_value_ + i * 16, sums, sizeof sums);                                                \
        }                                                                                                              \
    }

#endif
TW_INTERNAL_MATRIX_PRODUCTS(TW_INTERNAL_DEFINE_PART_MAD)
#undef TW_INTERNAL_DEFINE_PART_MAD

#endif
