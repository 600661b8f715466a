/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host (x86_64), values, sanitized-compiler, long */
/** Conditions on the index, and loops inside of work-items, which the plugin of the compiler takes apart
 *  (offload/compiler/transforms/items/index_set_split.cpp), in every form of kernel, against a plain loop over the same expression. */
#include "nd_range_test.h"

#include <teamwork/reduction.h>

#include <string.h>

enum { MOST = 1100, GROUP = 64 };

/* Each is a statement list that gives `r` for index `i` of `n`; `a`, `b` and `x` are the block's, and s is a number of 0 to 40. */
#define EACH_SHAPE(X)                                                                                                  \
    X(bounds, size_t, size_t, if (i > 0 && i < n - 1) r = x[i - 1] + 2 * x[i] - x[i + 1]; else r = x[i])               \
    X(bounds_int, int, int, if (i - s >= 0 && i + s < n) r = x[i - s] + x[i + s]; else r = -1)                         \
    X(bounds_unsigned, unsigned, unsigned, if (i - 1 < n - 2) r = x[i - 1] + x[i + 1]; else r = 7)                     \
    X(wrap, size_t, size_t, const size_t left = i == 0 ? n - 1 : i - 1; const size_t right = i + 1 == n ? 0 : i + 1;   \
      r = x[left] * 3 + x[right])                                                                                      \
    X(wrap_int, int, int, int left = i - s; left = left < 0 ? left + n : left; int right = i + s;                      \
      right = right >= n ? right - n : right; if (left < 0) left = 0; if (right >= n) right = 0;                       \
      r = x[left] * 3 + x[right])                                                                                      \
    X(wrap_rest, unsigned, unsigned, r = x[(i + 1) % n] - x[(i + n - 1) % n] + x[(i + s) % n])                         \
    X(wrap_rest_int, int, int, r = x[(i + s) % n])                                                                     \
    X(planes, int, int, r = x[i / 48 * 3 + i % 48 / 8 * 5 + i % 8])                                                    \
    X(planes_any, int, int, const int w = s + 8; r = x[i / (w * 3) * 7 + i / w % 3 * 5 + i % w])                       \
    X(planes_unsigned, unsigned, unsigned, const unsigned w = s + 8;                                                   \
      r = x[i / (w * 4) * 7 + i % (w * 4) / w * 5 + i % w])                                                            \
    X(clamp, int, int, int at = i - s; at = at < 0 ? 0 : at; at = at >= n ? n - 1 : at; r = x[at])                     \
    X(                                                                                                                 \
        clamp_guarded, int, int, if (i < n) {                                                                          \
            r = x[i - s > 0 ? i - s : 0];                                                                              \
            if (i > s + 4)                                                                                             \
                r += 7;                                                                                                \
        } else r = -1)                                                                                                 \
    X(                                                                                                                 \
        clamp_of_row, int, int, if (i < 500) {                                                                         \
            int at = i - s;                                                                                            \
            at = at < 0 ? 0 : at > 490 ? 490 : at;                                                                     \
            r = x[s + at] * 3 + i;                                                                                     \
            if (i > s + 9)                                                                                             \
                r -= 5;                                                                                                \
        } else r = 2)                                                                                                  \
    X(clamp_up, size_t, size_t, size_t at = i + s; at = at > n - 1 ? n - 1 : at; r = x[at])                            \
    X(stride, size_t, size_t, if (2 * i >= s && 2 * i - s < n) r = x[2 * i - s]; else r = 1)                           \
    X(stride_unsigned, unsigned, unsigned, if (2 * i >= s && 2 * i - s < n) r = x[2 * i - s]; else r = 1)              \
    X(stride_three, unsigned, unsigned, if (3 * i + 1 < n && 3 * i > s) r = x[3 * i + 1] + x[3 * i - s]; else r = i)   \
    X(                                                                                                                 \
        members, size_t, size_t, r = 5; if (i < 256) {                                                                 \
            r = x[4 * i + 3];                                                                                          \
            if (r > 0)                                                                                                 \
                r += x[4 * i + s] + 2 * x[4 * i + 1] - x[4 * i + 2];                                                   \
        })                                                                                                             \
    X(gap, size_t, size_t, const int *y = x + s; const size_t at = 4 * (i + ((size_t)1 << 62));                        \
      r = i < 256 ? y[at] * 3 + y[at + 1] - y[at + 2] : 5)                                                             \
    X(backwards, int, int, const int at = n - 1 - i - s; r = at >= 0 ? x[at] : -5)                                     \
    X(backwards_unsigned, unsigned, unsigned, const unsigned at = n - 1 - i - s; r = at < n ? x[at] : -5)              \
    X(equal, size_t, size_t, r = i == s ? 100 : i != s + 3 ? x[i] : 50)                                                \
    X(never, int, int, if (i < 0 || i >= n) r = 3; else r = x[i])                                                      \
    X(half, unsigned, unsigned, if (i >= n / 2) r = x[i - n / 2] * 5; else r = x[i] + 1)                               \
    X(narrow, unsigned char, unsigned, r = x[i % n] + (i < 200 ? 1 : 2))                                               \
    X(near_the_end, unsigned, unsigned, const unsigned at = i + 0xffffff80u; r = at < n ? x[at] : (int)(at >> 28))     \
    X(uniform, size_t, size_t, if (s & 1) r = i > 2 ? x[i - 2] : 0; else r = x[i] * 2)                                 \
    X(                                                                                                                 \
        mask, int, int, int sum = 0; for (int k = 0; k < s; ++k) {                                                     \
            const int at = i + k - s / 2;                                                                              \
            if (at >= 0 && at < n)                                                                                     \
                sum += x[at] * (k + 1);                                                                                \
        } r = sum)                                                                                                     \
    X(                                                                                                                 \
        mask_size, size_t, size_t, int sum = 0; for (size_t k = 0; k < s; ++k) {                                       \
            const size_t at = i + k - s / 2;                                                                           \
            if (at < n)                                                                                                \
                sum += x[at] * (int)(k + 1);                                                                           \
        } r = sum)                                                                                                     \
    X(                                                                                                                 \
        mask_unsigned, unsigned, unsigned, int sum = 0; for (unsigned k = 0; k < s; ++k) {                             \
            const unsigned at = i - k;                                                                                 \
            if (at < n)                                                                                                \
                sum += x[at] * (int)(k + 1);                                                                           \
        } r = sum)                                                                                                     \
    X(                                                                                                                 \
        mask_clamped, int, int, int sum = 0; for (int k = -s; k <= s; ++k) {                                           \
            int at = i + k;                                                                                            \
            at = at < 0 ? 0 : at > n - 1 ? n - 1 : at;                                                                 \
            sum += x[at] * k;                                                                                          \
        } r = sum)                                                                                                     \
    X(                                                                                                                 \
        address_behind, size_t, size_t, unsigned v = (unsigned)x[i]; unsigned turns = 0; do {                          \
            v = (v * 3 + 1) & 0xffff;                                                                                  \
            ++turns;                                                                                                   \
        } while ((v & 3) != 0 && turns < 6);                                                                           \
        r = (int)v ^ x[v & 1023])                                                                                      \
    X(                                                                                                                 \
        mask_down, int, int, int sum = 1; for (int k = s; k > 0; k -= 2) {                                             \
            const int at = i - 2 * k;                                                                                  \
            if (at >= 0)                                                                                               \
                sum = (int)((unsigned)sum * 3u + (unsigned)x[at]);                                                     \
        } r = sum)                                                                                                     \
    X(                                                                                                                 \
        two_loops, int, int, int sum = 0; for (int k = 0; k < s; ++k) for (int l = 0; l < 3 + (s & 3); ++l) {          \
            const int at = i + k * 2 - l;                                                                              \
            if (at >= 0 && at < n)                                                                                     \
                sum += x[at];                                                                                          \
        } r = sum)                                                                                                     \
    X(loop_after_loop, int, int, unsigned p = (unsigned)x[i], q = 1;                                                   \
      for (int k = 0; k < s; ++k) p = p * 5 + (unsigned)k; q += p;                                                     \
      for (int k = 0; k < s / 2 + 1; ++k) q = q * 3u ^ (unsigned)(i + k); r = (int)q)                                  \
    X(loop_of_some, int, int, int sum = 0; if (i % 3 == 1) for (int k = 0; k < s; ++k) sum += x[(i + k) % n]; r = sum) \
    X(own_length, int, int, int sum = 0; for (int k = 0; k < i % 7; ++k) sum += x[k % n] * k; r = sum)                 \
    X(left_early, int, int, int k = 0; for (; k < s; ++k) if (x[(i + k) % n] % 5 == 0) break; r = k)                   \
    X(                                                                                                                 \
        random_path, unsigned, unsigned, unsigned seed = i * 2654435761u + 1; int hits = 0;                            \
        for (unsigned k = 0; k < s; ++k) {                                                                             \
            seed = seed * 1664525u + 1013904223u;                                                                      \
            hits += seed >> 31;                                                                                        \
        } r = hits)                                                                                                    \
    X(own_array, int, int, int keep[8] = {0}; for (int k = 0; k < s; ++k) keep[(k + i) & 7] += k;                      \
      r = keep[i & 7] * 3 + keep[(i + 1) & 7])                                                                         \
    X(                                                                                                                 \
        guarded, int, int, r = -2; if (i + 3 < n) {                                                                    \
            int sum = 0;                                                                                               \
            for (int k = 0; k < s; ++k)                                                                                \
                sum += x[i + 3] + k;                                                                                   \
            r = sum;                                                                                                   \
        })                                                                                                             \
    X(last_turn, int, int, unsigned p = 1, before = 0, first = 9;                                                      \
      for (int k = 0; k < s; ++k) first = before, before = p, p = p * 5 + (unsigned)x[(i + k) % n];                    \
      r = (int)(first * 3 + before))                                                                                   \
    X(grid, size_t, size_t, int sum = 0; for (size_t k = i; k < n; k += s + 1) sum += x[k] * 3; r = sum)               \
    X(                                                                                                                 \
        grid_order, unsigned, unsigned, unsigned p = 1; unsigned k = i;                                                \
        for (; k < n; k += s * 8 + 64) { p = p * 7 + (unsigned)x[k]; } r = (int)(p + k))                               \
    X(triangle, int, int, unsigned p = 3; for (int k = 0; k <= i; ++k) p = p * 3 + (unsigned)x[i - k]; r = (int)p)     \
    X(until, int, int, unsigned p = (unsigned)x[i] | 1; int k = 0; do p = p * 5 + 1; while ((p >> 29) && ++k < s);     \
      r = (int)p + k)                                                                                                  \
    X(                                                                                                                 \
        some_and_own, int, int, unsigned p = 1, q = 2; int last = -1; if (x[i] & 4) {                                  \
            q = 5;                                                                                                     \
            for (int k = i; k < n; k += 16 + s)                                                                        \
                last = k, p = p * 3 + (unsigned)x[k];                                                                  \
            q += p;                                                                                                    \
        } r = (int)(p + q) + last)                                                                                     \
    X(                                                                                                                 \
        loops_of_own, int, int, unsigned p = 1; for (int k = i; k < n; k += 40) {                                      \
            for (int l = 0; l < s % 5; ++l)                                                                            \
                p = p * 3 + (unsigned)x[k] + (unsigned)l;                                                              \
            for (int l = 0; l < (i & 3); ++l)                                                                          \
                p = p * 5 + (unsigned)l;                                                                               \
            if (p & 8)                                                                                                 \
                for (int l = i % 5; l < s; ++l)                                                                        \
                    p ^= p >> 3;                                                                                       \
        } r = (int)p)                                                                                                  \
    X(own_cleared, size_t, size_t, int keep[4][4] = {0};                                                               \
      for (size_t k = 0; k < s; ++k) keep[k & 3][k >> 2 & 3] += x[(i * 3 + k) % n]; r = 0;                             \
      for (int k = 0; k <= (int)(s & 15); ++k) r = r * 5 ^ keep[k >> 2][k & 3])                                        \
    X(                                                                                                                 \
        own_bytes, unsigned, unsigned, unsigned char a[64]; unsigned short b[44]; a[0] = (unsigned char)i; b[0] = 7;   \
        for (unsigned k = 1; k <= s; ++k) {                                                                            \
            a[k] = (unsigned char)(a[k - 1] * 3 + k);                                                                  \
            b[k] = (unsigned short)(b[k - 1] + a[k]);                                                                  \
        } unsigned p = 0;                                                                                              \
        for (unsigned k = 0; k <= s; ++k) p = p * 7 + a[k] + b[s - k]; r = (int)p)                                     \
    X(                                                                                                                 \
        own_within, int, int, unsigned p = 1; for (int k = 0; k < s; ++k) {                                            \
            int t[20];                                                                                                 \
            for (int l = 0; l < 20 - s % 7; ++l)                                                                       \
                t[l] = x[(i + l) % n] + k * l;                                                                         \
            for (int l = 19 - s % 7; l >= 0; l -= 3)                                                                   \
                p = p * 3 + (unsigned)t[l];                                                                            \
        } r = (int)p)                                                                                                  \
    X(                                                                                                                 \
        own_of_some, int, int, int keep[44]; unsigned p = 3; for (int k = 0; k <= s; ++k) keep[k] = i * k;             \
        if (x[i] & 4) for (int k = i % 5; k <= s; ++k) {                                                               \
            keep[k] += x[(i + k) % n];                                                                                 \
            p ^= (unsigned)keep[s - k] * 5;                                                                            \
        } for (int k = 0; k <= s; ++k) p = p * 3 + (unsigned)keep[k];                                                  \
        r = (int)p)

/* The three forms of a kernel, and the plain loop. */
#define SHAPE(name, index, count, ...)                                                                                 \
    static inline int name##_at(size_t place, const int *x, size_t count_, unsigned step)                              \
    {                                                                                                                  \
        const index i = (index)place;                                                                                  \
        const count n = (count)count_, s = (count)step;                                                                \
        int r;                                                                                                         \
        (void)n, (void)s, (void)x;                                                                                     \
        __VA_ARGS__;                                                                                                   \
        return r;                                                                                                      \
    }                                                                                                                  \
    __attribute__((noinline)) static void name##_plain(int *out, const int *x, size_t n, unsigned s)                   \
    {                                                                                                                  \
        _Pragma("clang loop vectorize(disable)") for (size_t i = 0; i < n; ++i) out[i] = name##_at(i, x, n, s);        \
    }                                                                                                                  \
    struct name##_range {                                                                                              \
        const int *x;                                                                                                  \
        int *out;                                                                                                      \
        size_t n;                                                                                                      \
        unsigned s;                                                                                                    \
    };                                                                                                                 \
    static inline void name##_range(tw_item item, const struct name##_range *k)                                        \
    {                                                                                                                  \
        const size_t i = tw_global_id(item, 0);                                                                        \
        k->out[i] = name##_at(i, k->x, k->n, k->s);                                                                    \
    }                                                                                                                  \
    TW_RANGE_KERNEL(name##_range, 1);                                                                                  \
    struct name##_group {                                                                                              \
        const int *x;                                                                                                  \
        int *out;                                                                                                      \
        size_t n;                                                                                                      \
        unsigned s;                                                                                                    \
    };                                                                                                                 \
    static inline void name##_group(tw_group group, const struct name##_group *k)                                      \
    {                                                                                                                  \
        tw_parallel_for_work_item(group, item) {                                                                       \
            const size_t i = tw_global_id(item, 0);                                                                    \
            if (i < k->n)                                                                                              \
                k->out[i] = name##_at(i, k->x, k->n, k->s);                                                            \
        }                                                                                                              \
    }                                                                                                                  \
    TW_WORK_GROUP_KERNEL(name##_group);                                                                                \
    struct name##_nd {                                                                                                 \
        const int *x;                                                                                                  \
        int *out;                                                                                                      \
        size_t n;                                                                                                      \
        unsigned s;                                                                                                    \
    };                                                                                                                 \
    static inline void name##_nd(tw_nd_item item, const struct name##_nd *k)                                           \
    {                                                                                                                  \
        TW_LOCAL(int, kept, [GROUP]);                                                                                  \
        const size_t i = tw_global_id(item, 0), l = tw_local_id(item, 0);                                              \
        kept[l] = i < k->n ? name##_at(i, k->x, k->n, k->s) : 0;                                                       \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        if (i < k->n)                                                                                                  \
            k->out[i] = kept[l];                                                                                       \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(name##_nd, GROUP);                                                                              \
    static void name##_check(tw_queue *queue, int *x, size_t n, unsigned s)                                            \
    {                                                                                                                  \
        static int out[3][MOST], right[MOST];                                                                          \
        const size_t groups = (n + GROUP - 1) / GROUP;                                                                 \
        tw_buffer *in = NULL, *to[3] = {NULL};                                                                         \
        name##_plain(right, x, n, s);                                                                                  \
        TW_PASS(tw_buffer_create_over_const(x, sizeof *x, tw_range_1d(MOST), &in));                                    \
        for (int f = 0; f < 3; ++f) {                                                                                  \
            memset(out[f], 0xee, sizeof out[f]);                                                                       \
            TW_PASS(tw_buffer_create_over(out[f], sizeof(int), tw_range_1d(MOST), &to[f]));                            \
        }                                                                                                              \
        TW_COMMAND_GROUP(queue, cg) {                                                                                  \
            tw_parallel_for(cg, tw_range_1d(n), name##_range, .x = tw_read(cg, in), .out = tw_read_write(cg, to[0]),   \
                            .n = n, .s = s);                                                                           \
        }                                                                                                              \
        TW_COMMAND_GROUP(queue, cg) {                                                                                  \
            tw_parallel_for_work_group(cg, tw_range_1d(groups), tw_range_1d(GROUP), name##_group,                      \
                                       .x = tw_read(cg, in), .out = tw_read_write(cg, to[1]), .n = n, .s = s);         \
        }                                                                                                              \
        TW_COMMAND_GROUP(queue, cg) {                                                                                  \
            tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(groups), tw_range_1d(GROUP)), name##_nd,                \
                                     .x = tw_read(cg, in), .out = tw_read_write(cg, to[2]), .n = n, .s = s);           \
        }                                                                                                              \
        TW_PASS(tw_buffer_destroy(&in));                                                                               \
        for (int f = 0; f < 3; ++f) {                                                                                  \
            TW_PASS(tw_buffer_destroy(&to[f]));                                                                        \
            for (size_t i = 0; i < MOST; ++i)                                                                          \
                TW_EQUAL(out[f][i], i < n ? right[i] : (int)0xeeeeeeee);                                               \
        }                                                                                                              \
    }                                                                                                                  \
    TW_TEST(name)                                                                                                      \
    {                                                                                                                  \
        static const size_t lengths[] = {2, 3, 31, 32, 33, 64, 65, 129, 255, 256, 1000, 1024};                         \
        static const unsigned steps[] = {0, 1, 2, 3, 8, 17, 40};                                                       \
        static int x[MOST];                                                                                            \
        tw_queue *queue = tw_test_queue();                                                                             \
        for (size_t i = 0; i < MOST; ++i)                                                                              \
            x[i] = (int)(i * 7919 % 1009) - 300;                                                                       \
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i)                                                  \
            for (size_t j = 0; j < sizeof steps / sizeof *steps; ++j)                                                  \
                name##_check(queue, x, lengths[i], steps[j]);                                                          \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
    }
/* All launches of these have one dimension. What the headers compile of a kernel for more, and for usual tiles and rows
   of those, is half of what clang would compile here, and none would call it. */
#pragma push_macro("TW_INTERNAL_BY_DIMS")
#undef TW_INTERNAL_BY_DIMS
#define TW_INTERNAL_BY_DIMS(required, launched, function, ...) function(__VA_ARGS__, 1);
#define tw_internal_is_tile(launch) false
#define tw_internal_has_rows(launch) false
EACH_SHAPE(SHAPE)
#pragma pop_macro("TW_INTERNAL_BY_DIMS")
#undef tw_internal_is_tile
#undef tw_internal_has_rows

/* ---- two dimensions: a mask of run-time radius over a picture, clamped or with nothing behind the border ------------ */

enum { ROWS = 48, COLUMNS = 128 };

static inline int masked(const int *a, const int *mask, int rows, int columns, int radius, bool clamps, int y, int x)
{
    int sum = 0;
    for (int j = -radius; j <= radius; ++j)
        for (int i = -radius; i <= radius; ++i) {
            int row = y + j, column = x + i;
            if (clamps) {
                row = row < 0 ? 0 : row >= rows ? rows - 1 : row;
                column = column < 0 ? 0 : column >= columns ? columns - 1 : column;
            }
            if (row >= 0 && row < rows && column >= 0 && column < columns)
                sum += a[row * columns + column] * mask[(j + radius) * (2 * radius + 1) + i + radius];
        }
    return sum;
}

#define MASK_KERNEL(name, kind, body, definition)                                                                      \
    struct name {                                                                                                      \
        const int *a, *mask;                                                                                           \
        int *out;                                                                                                      \
        int rows, columns, radius;                                                                                     \
        bool clamps;                                                                                                   \
    };                                                                                                                 \
    static inline void name(kind at, const struct name *k) body definition

#define MASK_ITEM(item)                                                                                                \
    const int y = (int)tw_global_id(item, 0), x = (int)tw_global_id(item, 1);                                          \
    if (y < k->rows && x < k->columns)                                                                                 \
        k->out[y * k->columns + x] = masked(k->a, k->mask, k->rows, k->columns, k->radius, k->clamps, y, x);
// clang-format off
MASK_KERNEL(picture_range, tw_item, { MASK_ITEM(at) }, TW_RANGE_KERNEL(picture_range, 2);)
MASK_KERNEL(picture_group, tw_group, { tw_parallel_for_work_item(at, item) { MASK_ITEM(item) } }, TW_WORK_GROUP_KERNEL(picture_group);)
MASK_KERNEL(picture_nd, tw_nd_item, { tw_barrier(at, TW_LOCAL_SPACE); MASK_ITEM(at) }, TW_ND_RANGE_KERNEL(picture_nd);)
MASK_KERNEL(picture_tiles, tw_nd_item, { MASK_ITEM(at) }, TW_ND_RANGE_KERNEL(picture_tiles, 4, 16);)
MASK_KERNEL(picture_rows, tw_nd_item, { MASK_ITEM(at) }, TW_ND_RANGE_KERNEL(picture_rows);)
// clang-format on

#define MASK_BLOCK(to)                                                                                                 \
    .a = tw_read(cg, in), .mask = tw_read(cg, with), .out = tw_read_write(cg, to), .rows = rows, .columns = columns,   \
    .radius = radius, .clamps = clamps

enum { PICTURES = 5 }; /* kernels that compute the same */

static void check_mask(tw_queue *queue, int *a, int *mask, int rows, int columns, int radius, bool clamps)
{
    static int out[PICTURES][ROWS * COLUMNS];
    tw_buffer *in = NULL, *with = NULL, *to[PICTURES] = {NULL};
    const tw_range groups = tw_range_2d(((size_t)rows + 3) / 4, ((size_t)columns + 31) / 32), size = tw_range_2d(4, 32);
    const tw_range tiles = tw_range_2d(((size_t)rows + 3) / 4, ((size_t)columns + 15) / 16), tile = tw_range_2d(4, 16);
    TW_PASS(tw_buffer_create_over_const(a, sizeof *a, tw_range_1d(ROWS * COLUMNS), &in));
    TW_PASS(tw_buffer_create_over_const(mask, sizeof *mask, tw_range_1d(121), &with));
    for (int f = 0; f < PICTURES; ++f)
        TW_PASS(tw_buffer_create_over(out[f], sizeof(int), tw_range_1d(ROWS * COLUMNS), &to[f]));
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_2d((size_t)rows, (size_t)columns), picture_range, MASK_BLOCK(to[0]));
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for_work_group(cg, groups, size, picture_group, MASK_BLOCK(to[1]));
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for_nd_range(cg, nd_groups(groups, size), picture_nd, MASK_BLOCK(to[2]));
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for_nd_range(cg, nd_groups(tiles, tile), picture_tiles, MASK_BLOCK(to[3]));
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for_nd_range(cg, nd_groups(tiles, tile), picture_rows, MASK_BLOCK(to[4]));
    }
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&with));
    for (int f = 0; f < PICTURES; ++f) {
        TW_PASS(tw_buffer_destroy(&to[f]));
        for (int y = 0; y < rows; ++y)
            for (int x = 0; x < columns; ++x)
                TW_EQUAL(out[f][y * columns + x], masked(a, mask, rows, columns, radius, clamps, y, x));
    }
}

TW_TEST(masks_in_two_dimensions)
{
    static int a[ROWS * COLUMNS], mask[121];
    static const int columns[] = {1, 5, 33, 52, 64, 100, 128};
    tw_queue *queue = tw_test_queue();
    for (int i = 0; i < ROWS * COLUMNS; ++i)
        a[i] = i * 7919 % 1009 - 300;
    for (int i = 0; i < 121; ++i)
        mask[i] = i % 7 - 3;
    for (size_t c = 0; c < sizeof columns / sizeof *columns; ++c)
        for (int radius = 0; radius <= 5; ++radius)
            for (int clamps = 0; clamps < 2; ++clamps)
                check_mask(queue, a, mask, columns[c] > 60 ? 7 : ROWS, columns[c], radius, clamps);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- two dimensions: narrow numbers, which wrap around within a row, and from row to row ------------------------------ */

/* Which points of a picture are changed. */
#define EACH_NARROW(X)                                                                                                 \
    X(parity, x > 0 && y > 0 && (x + y) % 2 == s)                                                                      \
    X(parity_inside, x > 0 && x < COLUMNS - 1 && y > 0 && y < ROWS - 1 && (x + y) % 2 == s)                            \
    X(bytes, (unsigned char)(x + 24 * y) < 200 - s)                                                                    \
    X(eighth, x > s && ((unsigned)(x - y) & 7u) > 3)

#define NARROW_ITEM(name)                                                                                              \
    const int y = (int)tw_global_id(at, 0), x = (int)tw_global_id(at, 1);                                              \
    if (name##_changes(y, x, k->s))                                                                                    \
        k->out[y * COLUMNS + x] += k->table[(x + y) & 3];

#define NARROW(name, condition)                                                                                        \
    static inline bool name##_changes(int y, int x, int s)                                                             \
    {                                                                                                                  \
        return condition;                                                                                              \
    }                                                                                                                  \
    struct name {                                                                                                      \
        int *out, s;                                                                                                   \
        const int *table;                                                                                              \
    };                                                                                                                 \
    static inline void name##_range(tw_item at, const struct name *k){NARROW_ITEM(name)} TW_RANGE_KERNEL(              \
        TW_BLOCK(name) name##_range, 2);                                                                               \
    static inline void name##_any(tw_nd_item at, const struct name *k){NARROW_ITEM(name)} TW_ND_RANGE_KERNEL(          \
        TW_BLOCK(name) name##_any);                                                                                    \
    static inline void name##_tiles(tw_nd_item at, const struct name *k){NARROW_ITEM(name)} TW_ND_RANGE_KERNEL(        \
        TW_BLOCK(name) name##_tiles, 16, 16);                                                                          \
    static void name##_check(tw_queue *queue, tw_buffer *table, int s)                                                 \
    {                                                                                                                  \
        static int out[3][ROWS * COLUMNS];                                                                             \
        const tw_nd_range groups = nd_groups(tw_range_2d(ROWS / 16, COLUMNS / 16), tw_range_2d(16, 16));               \
        tw_buffer *to[3] = {NULL};                                                                                     \
        memset(out, 0, sizeof out);                                                                                    \
        for (int f = 0; f < 3; ++f)                                                                                    \
            TW_PASS(tw_buffer_create_over(out[f], sizeof(int), tw_range_1d(ROWS *COLUMNS), &to[f]));                   \
        TW_COMMAND_GROUP(queue, cg) {                                                                                  \
            const struct name block = {tw_read_write(cg, to[0]), s, tw_read(cg, table)};                               \
            tw_parallel_for_kernel(cg, tw_range_2d(ROWS, COLUMNS), TW_KERNEL(name##_range), &block, sizeof block);     \
        }                                                                                                              \
        TW_COMMAND_GROUP(queue, cg) {                                                                                  \
            const struct name block = {tw_read_write(cg, to[1]), s, tw_read(cg, table)};                               \
            tw_parallel_for_nd_range_kernel(cg, groups, TW_KERNEL(name##_any), &block, sizeof block);                  \
        }                                                                                                              \
        TW_COMMAND_GROUP(queue, cg) {                                                                                  \
            const struct name block = {tw_read_write(cg, to[2]), s, tw_read(cg, table)};                               \
            tw_parallel_for_nd_range_kernel(cg, groups, TW_KERNEL(name##_tiles), &block, sizeof block);                \
        }                                                                                                              \
        for (int f = 0; f < 3; ++f) {                                                                                  \
            TW_PASS(tw_buffer_destroy(&to[f]));                                                                        \
            for (int y = 0; y < ROWS; ++y)                                                                             \
                for (int x = 0; x < COLUMNS; ++x)                                                                      \
                    TW_EQUAL(out[f][y * COLUMNS + x], name##_changes(y, x, s) ? 5 + ((x + y) & 3) : 0);                \
        }                                                                                                              \
    }
EACH_NARROW(NARROW)

TW_TEST(narrow_in_two_dimensions)
{
    static const int numbers[] = {5, 6, 7, 8};
    tw_queue *queue = tw_test_queue();
    tw_buffer *table = NULL;
    TW_PASS(tw_buffer_create_copy(numbers, sizeof *numbers, tw_range_1d(4), &table));
#define CHECK_NARROW(name, condition) name##_check(queue, table, s);
    for (int s = 0; s < 2; ++s) {
        EACH_NARROW(CHECK_NARROW)
    }
    TW_PASS(tw_buffer_destroy(&table));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- what single work-items of rows and columns do ------------------------------------------------------------------ */

enum { CELLS = 8000 };

/* Work-item (i, j) of a group, which has a tile with a border of its own in `y`. */
static inline void work_at_ends(const int *x, int *y, int i, int j, int rows, int columns, int s)
{
    const int width = columns + 2;
    int *here = y + (i + 1) * width + j + 1;
    if (j == 0)
        here[-1] = x[i] * 3;
    *here = x[i * columns + j];
    if (i == 0)
        here[-width] = *here + 1;
    else if (i == rows - 1)
        here[width] = x[j];
    if (j == columns - 1)
        here[1] = *here * 2;
    if (j == s && x[i] > 10)
        *here += 1000;
    if (i > 0 && j + 1 == s)
        *here -= i;
    else
        *here ^= 5;
}

#define ENDS_KERNEL(name, type, each, ...)                                                                             \
    struct name {                                                                                                      \
        const int *x;                                                                                                  \
        int *y;                                                                                                        \
        int s;                                                                                                         \
    };                                                                                                                 \
    static inline void name(type at, const struct name *k)                                                             \
    {                                                                                                                  \
        const int rows = (int)tw_local_range(at, 0), columns = (int)tw_local_range(at, 1);                             \
        int *y = k->y + (int)tw_group_id(at, 1) * (rows + 2) * (columns + 2);                                          \
        each                                                                                                           \
    }                                                                                                                  \
    __VA_ARGS__
#define ENDS_ITEM(item)                                                                                                \
    work_at_ends(k->x, y, (int)tw_local_id(item, 0), (int)tw_local_id(item, 1), rows, columns, k->s);

// clang-format off
ENDS_KERNEL(ends_group, tw_group, { tw_parallel_for_work_item(at, item) { ENDS_ITEM(item) } }, TW_WORK_GROUP_KERNEL(ends_group);)
ENDS_KERNEL(ends_nd, tw_nd_item, { ENDS_ITEM(at) tw_barrier(at, TW_LOCAL_SPACE); }, TW_ND_RANGE_KERNEL(ends_nd);)
ENDS_KERNEL(ends_rows, tw_nd_item, { ENDS_ITEM(at) }, TW_ND_RANGE_KERNEL(ends_rows);)
// clang-format on

static void check_ends(tw_queue *queue, const int *x, int rows, int columns, int s)
{
    static int out[3][CELLS], expected[CELLS];
    const tw_range groups = tw_range_2d(1, 3), size = tw_range_2d((size_t)rows, (size_t)columns);
    tw_buffer *in = NULL, *to[3] = {NULL};
    memset(out, 0, sizeof out);
    memset(expected, 0, sizeof expected);
    for (int g = 0; g < 3; ++g)
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j)
                work_at_ends(x, expected + g * (rows + 2) * (columns + 2), i, j, rows, columns, s);
    TW_PASS(tw_buffer_create_over_const(x, sizeof *x, tw_range_1d(CELLS), &in));
    for (int f = 0; f < 3; ++f)
        TW_PASS(tw_buffer_create_over(out[f], sizeof(int), tw_range_1d(CELLS), &to[f]));
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for_work_group(cg, groups, size, ends_group, .x = tw_read(cg, in), .y = tw_read_write(cg, to[0]),
                                   .s = s);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for_nd_range(cg, nd_groups(groups, size), ends_nd, .x = tw_read(cg, in),
                                 .y = tw_read_write(cg, to[1]), .s = s);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for_nd_range(cg, nd_groups(groups, size), ends_rows, .x = tw_read(cg, in),
                                 .y = tw_read_write(cg, to[2]), .s = s);
    }
    TW_PASS(tw_buffer_destroy(&in));
    for (int f = 0; f < 3; ++f) {
        TW_PASS(tw_buffer_destroy(&to[f]));
        TW_CHECK(memcmp(out[f], expected, sizeof expected) == 0);
    }
}

TW_TEST(ends_of_rows_and_columns)
{
    static int x[CELLS];
    static const int sizes[][2] = {{1, 1},   {1, 9},  {2, 3},   {5, 7},  {3, 8},  {9, 16},
                                   {16, 16}, {4, 32}, {32, 32}, {3, 33}, {7, 100}};
    tw_queue *queue = tw_test_queue();
    for (int i = 0; i < CELLS; ++i)
        x[i] = i * 7919 % 1009 - 300;
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; ++c)
        for (int s = -1; s <= sizes[c][1] + 1; s += s < 2 || s > sizes[c][1] - 3 ? 1 : 3)
            check_ends(queue, x, sizes[c][0], sizes[c][1], s);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- reductions in and behind loops inside of work-items ------------------------------------------------------------ */

/* X(member, type, operation, start): the numbers are such that sums of floating point are exact in any order. */
#define EACH_TOTAL(X)                                                                                                  \
    X(fewest, int, TW_MIN, 1 << 30)                                                                                    \
    X(product, unsigned, TW_PRODUCT, 3)                                                                                \
    X(least, float, TW_MIN, 1e9f)                                                                                      \
    X(exact, double, TW_SUM, 0.5)                                                                                      \
    X(within, unsigned, TW_SUM, 2)                                                                                     \
    X(farthest, double, TW_MAX, -1e9)

#define TOTAL_MEMBER(member, type, operation, start) TW_REDUCTION(type, operation) member;
#define TOTAL_VALUE(member, type, operation, start) type member;
struct totals {
    EACH_TOTAL(TOTAL_VALUE)
};

/* What a work-item does, with COMBINE(member, x). */
#define TOTALS_OF(i)                                                                                                   \
    unsigned p = (unsigned)k->x[i] | 1;                                                                                \
    float f = 0;                                                                                                       \
    for (unsigned l = 0; l < k->s; ++l) {                                                                              \
        const int x = k->x[((i) + l) % k->n];                                                                          \
        p = p * 5 + l * 2;                                                                                             \
        f += (float)x;                                                                                                 \
        if (l & 1)                                                                                                     \
            COMBINE(within, p ^ (unsigned)x);                                                                          \
        COMBINE(farthest, (double)x + l);                                                                              \
    }                                                                                                                  \
    COMBINE(fewest, (int)(p >> 3));                                                                                    \
    COMBINE(product, p);                                                                                               \
    COMBINE(least, f);                                                                                                 \
    if (p & 16)                                                                                                        \
        COMBINE(within, p);                                                                                            \
    COMBINE(exact, f);                                                                                                 \
    COMBINE(exact, -2 * (double)(i));

/* The same with nothing but conditions on the index. */
#define TOTALS_AT(i)                                                                                                   \
    const int left = (i) > 0 && (i) < k->n - 1 ? k->x[(i) - 1] : -3;                                                   \
    const int next = k->x[((i) + 1 + k->s) % k->n];                                                                    \
    COMBINE(fewest, left * 3 - next);                                                                                  \
    COMBINE(product, (unsigned)next | 1);                                                                              \
    if ((i) > k->s && (i) + 2 < k->n)                                                                                  \
        COMBINE(least, (float)(k->x[(i) + 2] * 2));                                                                    \
    COMBINE(exact, (double)left - next);                                                                               \
    if ((i) < 3 * k->s)                                                                                                \
        COMBINE(within, (unsigned)(i));                                                                                \
    COMBINE(farthest, next);

#define TOTALS_KERNEL(name, kind, ...)                                                                                 \
    struct name {                                                                                                      \
        const int *x;                                                                                                  \
        size_t n;                                                                                                      \
        unsigned s;                                                                                                    \
        EACH_TOTAL(TOTAL_MEMBER)                                                                                       \
    };                                                                                                                 \
    static inline void name(kind at, const struct name *k) __VA_ARGS__

#define COMBINE(member, x) tw_combine(k->member, x)
// clang-format off
TOTALS_KERNEL(totals_range, tw_item, { const size_t i = tw_global_id(at, 0); TOTALS_OF(i) })
TW_RANGE_REDUCTION(totals_range, 1, fewest, product, least, exact, within, farthest);
TOTALS_KERNEL(totals_group, tw_group, {
    tw_parallel_for_work_item(at, item) { const size_t i = tw_global_id(item, 0); if (i < k->n) { TOTALS_OF(i) } }
})
TW_WORK_GROUP_REDUCTION(totals_group, (GROUP), fewest, product, least, exact, within, farthest);
TOTALS_KERNEL(borders_range, tw_item, { const size_t i = tw_global_id(at, 0); TOTALS_AT(i) })
TW_RANGE_REDUCTION(borders_range, 1, fewest, product, least, exact, within, farthest);
TOTALS_KERNEL(borders_group, tw_group, {
    tw_parallel_for_work_item(at, item) { const size_t i = tw_global_id(item, 0); if (i < k->n) { TOTALS_AT(i) } }
})
TW_WORK_GROUP_REDUCTION(borders_group, (GROUP), fewest, product, least, exact, within, farthest);
TOTALS_KERNEL(totals_nd, tw_nd_item, { const size_t i = tw_global_id(at, 0); if (i < k->n) { TOTALS_OF(i) } })
TW_ND_RANGE_REDUCTION(totals_nd, (GROUP), fewest, product, least, exact, within, farthest);
// clang-format on
#undef COMBINE

#define COMBINE(member, x) combine_##member(&all.member, x)
#define TOTAL_COMBINE(member, type, operation, start)                                                                  \
    static void combine_##member(type *all, type x)                                                                    \
    {                                                                                                                  \
        *all = operation == TW_SUM       ? (type)(*all + x)                                                            \
               : operation == TW_PRODUCT ? (type)(*all * x)                                                            \
               : operation == TW_MIN     ? (x < *all ? x : *all)                                                       \
               : operation == TW_MAX     ? (*all < x ? x : *all)                                                       \
                                         : (type)((unsigned long)*all ^ (unsigned long)x);                                 \
    }
EACH_TOTAL(TOTAL_COMBINE)

static struct totals totals_plain(const struct totals_range *k, bool borders)
{
#define TOTAL_START(member, type, operation, start) .member = start,
    struct totals all = {EACH_TOTAL(TOTAL_START)};
    _Pragma("clang loop vectorize(disable)") for (size_t i = 0; i < k->n; ++i)
    {
        if (borders) {
            TOTALS_AT(i)
        } else {
            TOTALS_OF(i)
        }
    }
    return all;
}

static void check_totals(tw_queue *queue, int *x, size_t n, unsigned s)
{
    const size_t groups = (n + GROUP - 1) / GROUP;
    tw_buffer *in = NULL;
    TW_PASS(tw_buffer_create_over_const(x, sizeof *x, tw_range_1d(MOST), &in));
    for (int f = 0; f < 5; ++f) {
        const struct totals right = totals_plain(&(struct totals_range){.x = x, .n = n, .s = s}, f >= 3);
        struct totals got = {EACH_TOTAL(TOTAL_START)};
#define TOTAL_BUFFER(member, type, operation, start)                                                                   \
    tw_buffer *member = NULL;                                                                                          \
    TW_PASS(tw_buffer_create_over(&got.member, sizeof got.member, tw_range_1d(1), &member));
#define TOTAL_ARGUMENT(member, type, operation, start) .member = TW_REDUCE(cg, member),
#define TOTAL_RIGHT(member, type, operation, start)                                                                    \
    TW_PASS(tw_buffer_destroy(&member));                                                                               \
    TW_CHECK(got.member == right.member);
        EACH_TOTAL(TOTAL_BUFFER)
        TW_COMMAND_GROUP(queue, cg) {
            if (f == 0)
                tw_parallel_for(cg, tw_range_1d(n), totals_range, EACH_TOTAL(TOTAL_ARGUMENT).x = tw_read(cg, in),
                                .n = n, .s = s);
            else if (f == 1)
                tw_parallel_for_work_group(cg, tw_range_1d(groups), tw_range_1d(GROUP), totals_group,
                                           EACH_TOTAL(TOTAL_ARGUMENT).x = tw_read(cg, in), .n = n, .s = s);
            else if (f == 3)
                tw_parallel_for(cg, tw_range_1d(n), borders_range, EACH_TOTAL(TOTAL_ARGUMENT).x = tw_read(cg, in),
                                .n = n, .s = s);
            else if (f == 4)
                tw_parallel_for_work_group(cg, tw_range_1d(groups), tw_range_1d(GROUP), borders_group,
                                           EACH_TOTAL(TOTAL_ARGUMENT).x = tw_read(cg, in), .n = n, .s = s);
            else
                tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(groups), tw_range_1d(GROUP)), totals_nd,
                                         EACH_TOTAL(TOTAL_ARGUMENT).x = tw_read(cg, in), .n = n, .s = s);
        }
        EACH_TOTAL(TOTAL_RIGHT)
    }
    TW_PASS(tw_buffer_destroy(&in));
}

TW_TEST(totals_of_loops)
{
    static int x[MOST];
    tw_queue *queue = tw_test_queue();
    for (size_t i = 0; i < MOST; ++i)
        x[i] = (int)(i * 7919 % 1009) - 300;
    static const size_t lengths[] = {1, 2, 31, 64, 65, 200, 1000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i)
        for (unsigned s = 0; s < 5; ++s)
            check_totals(queue, x, lengths[i], s * s);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- structures of four numbers, of which some change ----------------------------------------------------------------- */

enum { BODIES = 300 };

/* What a work-item does with its body: both ways write the same members, one of them twice, and one way alone another. */
static inline void move_body(const int *position, const int *velocity, int *out, size_t i)
{
    const int mass = position[4 * i + 3];
    for (size_t c = 0; c < 3; ++c) {
        int x = position[4 * i + c];
        if (mass > 0)
            x += 3 * velocity[4 * i + c];
        out[4 * i + c] = x;
    }
    if (mass % 3 == 0)
        out[4 * i + 3] = mass + out[4 * i + 1];
}

#define BODY_KERNEL(name, kind, body, definition)                                                                      \
    struct name {                                                                                                      \
        const int *position, *velocity;                                                                                \
        int *out;                                                                                                      \
        size_t count;                                                                                                  \
    };                                                                                                                 \
    static inline void name(kind at, const struct name *k) body definition

#define BODY_ITEM(item)                                                                                                \
    if (tw_global_id(item, 0) < k->count)                                                                              \
    move_body(k->position, k->velocity, k->out, tw_global_id(item, 0))
// clang-format off
BODY_KERNEL(bodies_range, tw_item, { BODY_ITEM(at); }, TW_RANGE_KERNEL(bodies_range, 1);)
BODY_KERNEL(bodies_group, tw_group, { tw_parallel_for_work_item(at, item) { BODY_ITEM(item); } }, TW_WORK_GROUP_KERNEL(bodies_group);)
BODY_KERNEL(bodies_nd, tw_nd_item, { tw_barrier(at, TW_LOCAL_SPACE); BODY_ITEM(at); }, TW_ND_RANGE_KERNEL(bodies_nd);)
// clang-format on

/* With buffers of their own, and where the result takes the place of the positions or of the velocities. */
static void check_bodies(tw_queue *queue, size_t count, int form, int place)
{
    static int data[3][4 * BODIES], right[3][4 * BODIES];
    tw_buffer *b[3] = {NULL};
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < 4 * BODIES; ++i)
            data[a][i] = i * 7919 % (1009 - a) - 300;
        memcpy(right[a], data[a], sizeof right[a]);
        TW_PASS(tw_buffer_create_over(data[a], sizeof(int), tw_range_1d(4 * BODIES), &b[a]));
    }
    for (size_t i = 0; i < count; ++i)
        move_body(right[0], right[1], right[place], i);
    const tw_range groups = tw_range_1d((count + GROUP - 1) / GROUP), size = tw_range_1d(GROUP);
    TW_COMMAND_GROUP(queue, cg) {
        const int *position = tw_read_write(cg, b[0]), *velocity = tw_read_write(cg, b[1]);
        int *out = tw_read_write(cg, b[place]);
        if (form == 0)
            tw_parallel_for(cg, tw_range_1d(count), bodies_range, .position = position, .velocity = velocity,
                            .out = out, .count = count);
        else if (form == 1)
            tw_parallel_for_work_group(cg, groups, size, bodies_group, .position = position, .velocity = velocity,
                                       .out = out, .count = count);
        else
            tw_parallel_for_nd_range(cg, nd_groups(groups, size), bodies_nd, .position = position, .velocity = velocity,
                                     .out = out, .count = count);
    }
    for (int a = 0; a < 3; ++a) {
        TW_PASS(tw_buffer_destroy(&b[a]));
        for (int i = 0; i < 4 * BODIES; ++i)
            TW_EQUAL(data[a][i], right[a][i]);
    }
}

TW_TEST(members_of_structures)
{
    static const size_t counts[] = {1, 15, 16, 17, 64, 129, BODIES};
    tw_queue *queue = tw_test_queue();
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
        for (int form = 0; form < 3; ++form)
            for (int place = 0; place < 3; ++place)
                check_bodies(queue, counts[c], form, place);
    TW_PASS(tw_queue_destroy(&queue));
}

#define CASE(name, ...) TW_CASE(name),
TW_TEST_LIST = {EACH_SHAPE(CASE) TW_CASE(masks_in_two_dimensions),
                TW_CASE(narrow_in_two_dimensions),
                TW_CASE(ends_of_rows_and_columns),
                TW_CASE(totals_of_loops),
                TW_CASE(members_of_structures),
                TW_CASES_END};
