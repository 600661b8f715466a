/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Sorts of few elements on a GPU (sort.h, sort_by.h): the place of an element is how many are before it, which a
 * work-item counts. These are n * n comparisons, which all processors make at once, where merges and passes over digits
 * are steps that wait for each other.
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_SORT_RANKS_H
#define TEAMWORK_LOWER_ALGORITHM_SORT_RANKS_H

#include <teamwork/lower/algorithm/tile.h>

/* Elements of a work-group at least, rows of them that a sub-group brings to local memory at once, and the most
   comparisons of a processor: they take 15 to 20 microseconds on an H200, where the launches of passes take 30. */
enum {
    TW_INTERNAL_RANKED = 32,
    TW_INTERNAL_RANKED_ROWS = 4,
    TW_INTERNAL_RANKED_BYTES = 16, /* of what is compared, at most */
    TW_INTERNAL_MOST_RANKED = 1 << 20
};

/* Whether so many elements are few. A comparison takes as long as `cost` of two numbers of 32 bits. */
static inline bool tw_internal_are_ranked(struct tw_internal_algorithm_device device, size_t count, size_t cost)
{
    return device.is_gpu && count <= 65536 && count * count <= device.units * (TW_INTERNAL_MOST_RANKED / cost);
}

#if TW_ON_GPU

/* Adds 1 to a sum if a is less than b. A sum is a float: a GPU adds those beside the comparisons of integers. */
#define TW_INTERNAL_DEFINE_COUNT_LESS(word, suffix, constraint)                                                        \
    TW_OVERLOADED void tw_internal_count_less(float *sum, word a, word b)                                              \
    {                                                                                                                  \
        TW_INTERNAL_COUNT_LESS(sum, a, b, suffix, constraint);                                                         \
    }
#ifdef __NVPTX__
#define TW_INTERNAL_COUNT_LESS(sum, a, b, suffix, constraint)                                                          \
    __asm__("{\n\t.reg .pred less;\n\tsetp.lt." suffix " less, %1, %2;\n\t@less add.f32 %0, %0, 0f3F800000;\n\t}"      \
            : "+f"(*(sum))                                                                                             \
            : constraint(a), constraint(b))
#else
#define TW_INTERNAL_COUNT_LESS(sum, a, b, suffix, constraint) *(sum) += (a) < (b) ? 1.0f : 0.0f
#endif
TW_INTERNAL_DEFINE_COUNT_LESS(unsigned, "u32", "r")
TW_INTERNAL_DEFINE_COUNT_LESS(unsigned long long, "u64", "l")

/* NAME_rank(): how many elements are before that of the work-item, number first + its lane, in each sub-group.
   NAME_compared() is what is compared of an element, and count_less(&sum, a, b) adds 1 if a is less than b. Equal
   elements stay in their order: one of an earlier row counts unless it is behind, one of a later row if it is before. */
#define TW_INTERNAL_DEFINE_RANK(name, block, type, count_less)                                                         \
    TW_INTERNAL_ALWAYS_INLINE float name##_count_row(const type *row, unsigned lanes, type mine, bool is_before)       \
    {                                                                                                                  \
        enum { VECTOR = TW_INTERNAL_VECTOR(type) };                                                                    \
        float sum = 0;                                                                                                 \
        _Pragma("unroll") for (unsigned j = 0; j < lanes; j += VECTOR)                                                 \
        {                                                                                                              \
            type y[VECTOR];                                                                                            \
            TW_INTERNAL_LOAD_ROW(y, row + j, type);                                                                    \
            _Pragma("unroll") for (unsigned v = 0; v < VECTOR; ++v) if (is_before) count_less(&sum, mine, y[v]);       \
            else count_less(&sum, y[v], mine);                                                                         \
        }                                                                                                              \
        return is_before ? (float)lanes - sum : sum;                                                                   \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE unsigned name##_rank(tw_nd_item item, const struct block *k, type *staged,               \
                                                   float *counts, unsigned first, unsigned count)                      \
    {                                                                                                                  \
        enum { ROWS = TW_INTERNAL_RANKED_ROWS };                                                                       \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        const unsigned lane = sub_group.tw_lane_, lanes = sub_group.tw_max_, warps = sub_group.tw_count_;              \
        const unsigned own = sub_group.tw_id_ * lanes * ROWS, step = warps * lanes * ROWS, last = count - 1;           \
        const type mine = name##_compared(k, first + lane < last ? first + lane : last);                               \
        type *const rows = staged + own;                                                                               \
        type next[ROWS];                                                                                               \
        float before = 0;                                                                                              \
        _Pragma("unroll") for (unsigned i = 0; i < ROWS; ++i) next[i] =                                                \
            name##_compared(k, own + i * lanes + lane < last ? own + i * lanes + lane : last);                         \
        for (unsigned from = own; from < count; from += step) {                                                        \
            tw_group_barrier(sub_group);                                                                               \
            _Pragma("unroll") for (unsigned i = 0; i < ROWS; ++i) rows[i * lanes + lane] = next[i];                    \
            tw_group_barrier(sub_group);                                                                               \
            _Pragma("unroll") for (unsigned i = 0; i < ROWS; ++i)                                                      \
            {                                                                                                          \
                const unsigned at = from + step + i * lanes + lane;                                                    \
                next[i] = name##_compared(k, at < last ? at : last);                                                   \
            }                                                                                                          \
            _Pragma("unroll 1") for (unsigned i = 0; i < ROWS; ++i)                                                    \
            {                                                                                                          \
                const unsigned row = from + i * lanes;                                                                 \
                if (row + lanes > count)                                                                               \
                    for (unsigned j = 0; row > first && row + j < count; ++j)                                          \
                        count_less(&before, rows[i * lanes + j], mine);                                                \
                else if (row < first)                                                                                  \
                    before += name##_count_row(rows + i * lanes, lanes, mine, true);                                   \
                else if (row > first)                                                                                  \
                    before += name##_count_row(rows + i * lanes, lanes, mine, false);                                  \
            }                                                                                                          \
        }                                                                                                              \
        tw_group_barrier(sub_group);                                                                                   \
        rows[lane] = mine;                                                                                             \
        tw_group_barrier(sub_group);                                                                                   \
        for (unsigned j = sub_group.tw_id_; j < lanes && first + j < count; j += warps) {                              \
            if (j < lane) {                                                                                            \
                float is_behind = 0;                                                                                   \
                count_less(&is_behind, mine, rows[j]);                                                                 \
                before += 1 - is_behind;                                                                               \
            } else {                                                                                                   \
                count_less(&before, rows[j], mine);                                                                    \
            }                                                                                                          \
        }                                                                                                              \
        counts[sub_group.tw_id_ * lanes + lane] = before;                                                              \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        float rank = 0;                                                                                                \
        for (unsigned w = 0; w < warps; ++w)                                                                           \
            rank += counts[w * lanes + lane];                                                                          \
        return (unsigned)rank;                                                                                         \
    }

#endif
#endif
