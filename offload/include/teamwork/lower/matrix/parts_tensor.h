/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Parts of matrices on the tensor cores of NVIDIA GPUs (sm_80 and later), as the instructions mma.sync have them: m16n8k16
 * of half and bfloat16, m16n8k32 of int8_t, m16n8k16 of double (m8n8k4 before sm_90).
 *
 * Of a factor, let f count its rows (a) or columns (b), and k those of the inner dimension. Work-item l of the 32 has, with
 * g = l / 4 and t = l % 4, the words of 4 bytes f = g + 8h, k = (t + 4r) * e + i: h is 0 or 1, e the elements of a word and i
 * their number. Their order is r, h, i. A factor of doubles has one element for each "word". Accumulators have row g + 8h
 * and column 8n + 2t + i, in the order n, h, i.
 */
#ifndef TEAMWORK_LOWER_PARTS_TENSOR_H
#define TEAMWORK_LOWER_PARTS_TENSOR_H

TW_LANGUAGE_INLINE bool tw_internal_part_has(tw_sub_group sub_group, unsigned e)
{
    return (void)sub_group, (void)e, true;
}

/* An address in local memory, as instructions have it. */
TW_LANGUAGE_INLINE unsigned tw_internal_local_address(const void *address)
{
    return (unsigned)(size_t)(const __attribute__((address_space(3))) void *)address;
}

/* Loads four matrices of 8 rows of 16 bytes: each work-item brings the address of a row. */
TW_LANGUAGE_INLINE void tw_internal_load_rows(unsigned word[4], unsigned address, bool transposed)
{
    if (transposed)
        __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                         : "r"(address));
    else
        __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                         : "r"(address));
}

/* The words of a factor, of which `inner` tells that neighbours in memory are neighbours of the inner dimension. Strides
   are in bytes. */
TW_LANGUAGE_INLINE void tw_internal_load_words(tw_sub_group sub_group, unsigned word[4], const void *from,
                                               size_t stride, unsigned element, bool inner, bool local)
{
    typedef unsigned __attribute__((may_alias)) whole;
    const unsigned char *const at = (const unsigned char *)from;
    const unsigned lane = sub_group.tw_lane_, g = lane / 4, t = lane % 4;
    if (local && (inner || element == 2)) {
        const unsigned f = lane / 8 % 2, k = lane / 16, row = (inner ? f : k) * 8 + lane % 8;
        const unsigned place = row * (unsigned)stride + (inner ? k : f) * 16;
        tw_internal_load_rows(word, tw_internal_local_address(at) + place, !inner);
        return;
    }
    _Pragma("unroll") for (unsigned n = 0; n < 4; ++n)
    {
        const unsigned f = g + n % 2 * 8, k = (t + n / 2 * 4) * (4 / element);
        if (inner) {
            word[n] = *(const whole *)(const void *)(at + f * stride + k * element);
            continue;
        }
        word[n] = 0;
        _Pragma("unroll") for (unsigned i = 0; i < 4 / element; ++i)
        {
            const unsigned char *const x = at + (k + i) * stride + f * element;
            word[n] |= (element == 1 ? *x : *(const tw_internal_copy_2 *)(const void *)x) << 8 * element * i;
        }
    }
}

/* ---- factors ----------------------------------------------------------------------------------------------------- */

/* Types of less than 4 bytes. `f` and `k` are the functions that give a row and a column. */
#define TW_INTERNAL_DEFINE_WORDS(use, type, rows, columns, inner_layout, row_of, column_of)                            \
    typedef struct tw_internal_##use##_##type {                                                                        \
        unsigned tw_word_[4];                                                                                          \
    } tw_internal_##use##_##type;                                                                                      \
    TW_INTERNAL_DEFINE_SHAPE(use, type, rows, columns, 16 / sizeof(type), row_of, column_of)                           \
    TW_OVERLOADED type tw_internal_part_get(const tw_internal_##use##_##type *part, unsigned e)                        \
    {                                                                                                                  \
        const unsigned each = 4 / sizeof(type), bits = part->tw_word_[e / each] >> 8 * sizeof(type) * (e % each);      \
        type value;                                                                                                    \
        __builtin_memcpy(&value, &bits, sizeof value);                                                                 \
        return value;                                                                                                  \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_part_set(tw_internal_##use##_##type *part, unsigned e, type value)                  \
    {                                                                                                                  \
        const unsigned each = 4 / sizeof(type), shift = 8 * sizeof(type) * (e % each);                                 \
        const unsigned mask = (1u << 8 * sizeof(type)) - 1;                                                            \
        unsigned bits = 0;                                                                                             \
        __builtin_memcpy(&bits, &value, sizeof value);                                                                 \
        part->tw_word_[e / each] = (part->tw_word_[e / each] & ~(mask << shift)) | bits << shift;                      \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_part_load(tw_sub_group sub_group, tw_internal_##use##_##type *part,                 \
                                             const type *from, size_t stride, tw_matrix_layout layout, bool local)     \
    {                                                                                                                  \
        tw_internal_load_words(sub_group, part->tw_word_, from, stride * sizeof(type), sizeof(type),                   \
                               layout == inner_layout, local);                                                         \
    }

#define TW_INTERNAL_DEFINE_DOUBLES(use, type, rows, columns, inner_layout, row_of, column_of)                          \
    typedef struct tw_internal_##use##_##type {                                                                        \
        type tw_value_[8];                                                                                             \
    } tw_internal_##use##_##type;                                                                                      \
    TW_INTERNAL_DEFINE_SHAPE(use, type, rows, columns, 8, row_of, column_of)                                           \
    TW_INTERNAL_DEFINE_VALUES(use, type)                                                                               \
    TW_OVERLOADED void tw_internal_part_load(tw_sub_group sub_group, tw_internal_##use##_##type *part,                 \
                                             const type *from, size_t stride, tw_matrix_layout layout, bool local)     \
    {                                                                                                                  \
        const unsigned g = sub_group.tw_lane_ / 4, t = sub_group.tw_lane_ % 4;                                         \
        (void)local;                                                                                                   \
        _Pragma("unroll") for (unsigned n = 0; n < 8; ++n)                                                             \
        {                                                                                                              \
            const size_t f = g + n % 2 * 8, k = t + n / 2 * 4;                                                         \
            part->tw_value_[n] = from[layout == inner_layout ? f * stride + k : k * stride + f];                       \
        }                                                                                                              \
    }

/* The elements of a work-item: how many, and where they are. */
#define TW_INTERNAL_DEFINE_SHAPE(use, type, rows, columns, elements, row_of, column_of)                                \
    TW_OVERLOADED unsigned tw_internal_part_elements(const tw_internal_##use##_##type *part)                           \
    {                                                                                                                  \
        return (void)part, (unsigned)(elements);                                                                       \
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
        return (void)part, row_of(sub_group.tw_lane_, e, sizeof(type));                                                \
    }                                                                                                                  \
    TW_OVERLOADED unsigned tw_internal_part_column(tw_sub_group sub_group, const tw_internal_##use##_##type *part,     \
                                                   unsigned e)                                                         \
    {                                                                                                                  \
        return (void)part, column_of(sub_group.tw_lane_, e, sizeof(type));                                             \
    }
#define TW_INTERNAL_DEFINE_VALUES(use, type)                                                                           \
    TW_OVERLOADED type tw_internal_part_get(const tw_internal_##use##_##type *part, unsigned e)                        \
    {                                                                                                                  \
        return part->tw_value_[e];                                                                                     \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_part_set(tw_internal_##use##_##type *part, unsigned e, type value)                  \
    {                                                                                                                  \
        part->tw_value_[e] = value;                                                                                    \
    }

TW_LANGUAGE_INLINE unsigned tw_internal_factor_outer(unsigned lane, unsigned e, size_t element)
{
    const unsigned each = element < 4 ? 4 / (unsigned)element : 1;
    return lane / 4 + e / each % 2 * 8;
}
TW_LANGUAGE_INLINE unsigned tw_internal_factor_inner(unsigned lane, unsigned e, size_t element)
{
    const unsigned each = element < 4 ? 4 / (unsigned)element : 1;
    return (lane % 4 + e / (2 * each) * 4) * each + e % each;
}
TW_LANGUAGE_INLINE unsigned tw_internal_accumulator_row(unsigned lane, unsigned e, size_t element)
{
    return (void)element, lane / 4 + e / 2 % 2 * 8;
}
TW_LANGUAGE_INLINE unsigned tw_internal_accumulator_column(unsigned lane, unsigned e, size_t element)
{
    return (void)element, e / 4 * 8 + lane % 4 * 2 + e % 2;
}

#define TW_INTERNAL_FACTOR_PARTS_tw_half TW_INTERNAL_DEFINE_WORDS
#define TW_INTERNAL_FACTOR_PARTS_tw_bfloat16 TW_INTERNAL_DEFINE_WORDS
#define TW_INTERNAL_FACTOR_PARTS_int8_t TW_INTERNAL_DEFINE_WORDS
#define TW_INTERNAL_FACTOR_PARTS_double TW_INTERNAL_DEFINE_DOUBLES
#define TW_INTERNAL_DEFINE_FACTOR_PARTS(type, inner, held)                                                             \
    TW_INTERNAL_FACTOR_PARTS_##type(a, type, 16, inner, TW_ROW_MAJOR, tw_internal_factor_outer,                        \
                                    tw_internal_factor_inner)                                                          \
        TW_INTERNAL_FACTOR_PARTS_##type(b, type, inner, 16, TW_COLUMN_MAJOR, tw_internal_factor_inner,                 \
                                        tw_internal_factor_outer)
TW_INTERNAL_MATRIX_FACTORS(TW_INTERNAL_DEFINE_FACTOR_PARTS)
#undef TW_INTERNAL_DEFINE_FACTOR_PARTS

/* ---- accumulators ------------------------------------------------------------------------------------------------ */

/* Rows are loaded and stored in pairs of elements. */
#define TW_INTERNAL_DEFINE_ACCUMULATOR_PART(type)                                                                      \
    typedef struct tw_internal_accumulator_##type {                                                                    \
        type tw_value_[8];                                                                                             \
    } tw_internal_accumulator_##type;                                                                                  \
    TW_INTERNAL_DEFINE_SHAPE(accumulator, type, 16, 16, 8, tw_internal_accumulator_row,                                \
                             tw_internal_accumulator_column)                                                           \
    TW_INTERNAL_DEFINE_VALUES(accumulator, type)                                                                       \
    typedef type tw_internal_pair_of_##type __attribute__((ext_vector_type(2), may_alias));                            \
    TW_OVERLOADED void tw_internal_part_load(tw_sub_group sub_group, tw_internal_accumulator_##type *part,             \
                                             const type *from, size_t stride, tw_matrix_layout layout, bool local)     \
    {                                                                                                                  \
        const size_t g = sub_group.tw_lane_ / 4, t = sub_group.tw_lane_ % 4;                                           \
        (void)local;                                                                                                   \
        _Pragma("unroll") for (unsigned n = 0; n < 4; ++n)                                                             \
        {                                                                                                              \
            const size_t row = g + n % 2 * 8, column = n / 2 * 8 + 2 * t;                                              \
            type *const value = part->tw_value_ + 2 * n;                                                               \
            if (layout == TW_ROW_MAJOR) {                                                                              \
                const tw_internal_pair_of_##type pair =                                                                \
                    *(const tw_internal_pair_of_##type *)(const void *)(from + row * stride + column);                 \
                value[0] = pair.x;                                                                                     \
                value[1] = pair.y;                                                                                     \
            } else {                                                                                                   \
                value[0] = from[column * stride + row];                                                                \
                value[1] = from[(column + 1) * stride + row];                                                          \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_part_store(tw_sub_group sub_group, const tw_internal_accumulator_##type *part,      \
                                              type *to, size_t stride, tw_matrix_layout layout)                        \
    {                                                                                                                  \
        const size_t g = sub_group.tw_lane_ / 4, t = sub_group.tw_lane_ % 4;                                           \
        _Pragma("unroll") for (unsigned n = 0; n < 4; ++n)                                                             \
        {                                                                                                              \
            const size_t row = g + n % 2 * 8, column = n / 2 * 8 + 2 * t;                                              \
            const type *const value = part->tw_value_ + 2 * n;                                                         \
            if (layout == TW_ROW_MAJOR) {                                                                              \
                const tw_internal_pair_of_##type pair = {value[0], value[1]};                                          \
                *(tw_internal_pair_of_##type *)(void *)(to + row * stride + column) = pair;                            \
            } else {                                                                                                   \
                to[column * stride + row] = value[0];                                                                  \
                to[(column + 1) * stride + row] = value[1];                                                            \
            }                                                                                                          \
        }                                                                                                              \
    }
TW_INTERNAL_MATRIX_ACCUMULATORS(TW_INTERNAL_DEFINE_ACCUMULATOR_PART)
#undef TW_INTERNAL_DEFINE_ACCUMULATOR_PART

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* 16 x 8 elements: d = a * b + c. Words `first` and `second` are those of b. The instructions are convergent, as the
   compiler takes all of a GPU's to be. `tag` tells the factors' type. */
#define TW_INTERNAL_DEFINE_MMA(factor, type, instruction, constraint)                                                  \
    TW_OVERLOADED void tw_internal_mma(const factor *tag, type d[4], const unsigned a[4], unsigned first,              \
                                       unsigned second, const type c[4])                                               \
    {                                                                                                                  \
        (void)tag;                                                                                                     \
        __asm__("mma.sync.aligned." instruction " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};" \
                : "=" constraint(d[0]), "=" constraint(d[1]), "=" constraint(d[2]), "=" constraint(d[3])               \
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(first), "r"(second), constraint(c[0]),               \
                  constraint(c[1]), constraint(c[2]), constraint(c[3]));                                               \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_part_mad(tw_sub_group sub_group, tw_internal_accumulator_##type *d,                 \
                                            const tw_internal_a_##factor *a, const tw_internal_b_##factor *b,          \
                                            const tw_internal_accumulator_##type *c)                                   \
    {                                                                                                                  \
        (void)sub_group;                                                                                               \
        _Pragma("unroll") for (unsigned n = 0; n < 2; ++n)                                                             \
            tw_internal_mma((const factor *)0, d->tw_value_ + n * 4, a->tw_word_, b->tw_word_[n], b->tw_word_[2 + n],  \
                            c->tw_value_ + n * 4);                                                                     \
    }
TW_INTERNAL_DEFINE_MMA(tw_half, float, "m16n8k16.row.col.f32.f16.f16.f32", "f")
TW_INTERNAL_DEFINE_MMA(tw_bfloat16, float, "m16n8k16.row.col.f32.bf16.bf16.f32", "f")
TW_INTERNAL_DEFINE_MMA(int8_t, int32_t, "m16n8k32.row.col.s32.s8.s8.s32", "r")
#undef TW_INTERNAL_DEFINE_MMA

TW_OVERLOADED void tw_internal_part_mad(tw_sub_group sub_group, tw_internal_accumulator_double *d,
                                        const tw_internal_a_double *a, const tw_internal_b_double *b,
                                        const tw_internal_accumulator_double *c)
{
    const double *const left = a->tw_value_, *const right = b->tw_value_;
    (void)sub_group;
    _Pragma("unroll") for (unsigned n = 0; n < 2; ++n)
    {
        double *const x = d->tw_value_ + n * 4;
        const double *const y = c->tw_value_ + n * 4;
#if __CUDA_ARCH__ >= 900
        __asm__("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, "
                "%11}, {%12, %13, %14, %15}, {%16, %17, %18, %19};"
                : "=d"(x[0]), "=d"(x[1]), "=d"(x[2]), "=d"(x[3])
                : "d"(left[0]), "d"(left[1]), "d"(left[2]), "d"(left[3]), "d"(left[4]), "d"(left[5]), "d"(left[6]),
                  "d"(left[7]), "d"(right[n]), "d"(right[2 + n]), "d"(right[4 + n]), "d"(right[6 + n]), "d"(y[0]),
                  "d"(y[1]), "d"(y[2]), "d"(y[3]));
#else
        _Pragma("unroll") for (unsigned h = 0; h < 2; ++h)
        {
            double first = y[2 * h], second = y[2 * h + 1];
            _Pragma("unroll") for (unsigned r = 0; r < 4; ++r) __asm__(
                "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(first),
                "+d"(second) : "d"(left[2 * r + h]), "d"(right[2 * r + n]));
            x[2 * h] = first;
            x[2 * h + 1] = second;
        }
#endif
    }
}

#endif
