/* SPDX-License-Identifier: Apache-2.0 */
/* Structures of which work-items read some members, also under a condition; check.sh looks for whole vectors of them. */
#include <teamwork/teamwork.h>

struct lengths {
    const float *in;
    float *out;
};

static inline void lengths(tw_item item, const struct lengths *k)
{
    const size_t i = tw_global_id(item, 0);
    const float x = k->in[4 * i], y = k->in[4 * i + 1], z = k->in[4 * i + 2];
    k->out[i] = x * x + y * y + z * z;
}
TW_RANGE_KERNEL(lengths, 1);

/* Groups of whole vectors: no work-item is left to a loop for single ones, though the last member is not read. */
#define LENGTHS_ITEMS(type, name)                                                                                      \
    static inline void name(tw_nd_item item, const struct lengths *k)                                                  \
    {                                                                                                                  \
        const type i = (type)tw_global_id(item, 0);                                                                    \
        const float x = k->in[4 * i], y = k->in[4 * i + 1], z = k->in[4 * i + 2];                                      \
        k->out[i] = x * x + y * y + z * z;                                                                             \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(TW_BLOCK(lengths) name, 64)
LENGTHS_ITEMS(size_t, lengths_size);
LENGTHS_ITEMS(unsigned, lengths_unsigned);

/* Rows of 32 work-items, which LLVM would unroll all the way at -O3. */
struct turn_rows {
    const float *in;
    float *out;
    unsigned pitch;
};

static inline void turn_rows(tw_nd_item item, const struct turn_rows *k)
{
    TW_LOCAL(float, tile, [32][32]);
    const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
    const unsigned corner = (unsigned)tw_group_id(item, 0) * 32 * k->pitch + (unsigned)tw_global_id(item, 1);
#pragma clang loop unroll(full)
    for (unsigned at = 0; at < 32; at += 8)
        tile[at + i][j] = k->in[(at + i) * k->pitch + corner];
    tw_barrier(item, TW_LOCAL_SPACE);
#pragma clang loop unroll(full)
    for (unsigned at = 0; at < 32; at += 8)
        k->out[(at + i) * k->pitch + corner] = tile[31 - at - i][j] * 2;
}
TW_ND_RANGE_KERNEL(turn_rows, 8, 32);

/* Some work-items read at a remainder that is one for all of a row. */
struct picks {
    const int *x;
    int *y;
    int n;
};
static inline void pick_by_rest(tw_nd_item item, const struct picks *k)
{
    const size_t row = tw_global_id(item, 0), column = tw_global_id(item, 1);
    int v = k->x[column];
    if (v & 1)
        v += k->x[row % (size_t)(k->n + 6)];
    k->y[row * 120 + column] = v;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(picks) pick_by_rest, 2, 40);

static inline void pick_by_sum(tw_nd_item item, const struct picks *k)
{
    const size_t row = tw_global_id(item, 0), column = tw_global_id(item, 1), n = (size_t)(k->n + 6);
    int v = k->x[column];
    if (v & 1)
        v += k->x[(row / n + row % n) % (n + 1)];
    k->y[row * 120 + column] = v;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(picks) pick_by_sum, 2, 40);

/* Indices that are clamped to the row, in both ways that they are written. */
struct blurs {
    const unsigned char *x;
    float *y;
};
static inline void clamp_wide(tw_item item, const struct blurs *k)
{
    const size_t row = tw_global_id(item, 0), column = tw_global_id(item, 1);
    float sum = 0;
    for (int d = -1; d <= 1; d++) {
        ptrdiff_t at = (ptrdiff_t)column + d;
        at = at < 0 ? 0 : at >= 640 ? 639 : at;
        sum += k->x[row * 640 + (size_t)at];
    }
    k->y[row * 640 + column] = sum;
}
TW_RANGE_KERNEL(TW_BLOCK(blurs) clamp_wide, 2);

static inline void clamp_int(tw_item item, const struct blurs *k)
{
    const size_t row = tw_global_id(item, 0), column = tw_global_id(item, 1);
    float sum = 0;
    for (int d = -1; d <= 1; d++) {
        int at = (int)column + d;
        at = at > 639 ? 639 : at < 0 ? 0 : at;
        sum += k->x[row * 640 + (size_t)at];
    }
    k->y[row * 640 + column] = sum;
}
TW_RANGE_KERNEL(TW_BLOCK(blurs) clamp_int, 2);

/* Rows of 16 work-items at a border: their inside is a vector with a mask. What rows that are taken together read is loaded once. */
struct mask_of_five {
    const float *in;
    float *out, mask[25];
    int width, height;
};

static inline int clamp_to(int x, int last)
{
    return x < 0 ? 0 : x > last ? last : x;
}

static inline void mask_of_five(tw_nd_item item, const struct mask_of_five *k)
{
    const int row = (int)tw_global_id(item, 0), column = (int)tw_global_id(item, 1);
    float sum = 0;
    for (int j = 0; j < 5; ++j)
        for (int i = 0; i < 5; ++i)
            sum += k->mask[j * 5 + i]
                   * k->in[clamp_to(row + j - 2, k->height - 1) * k->width + clamp_to(column + i - 2, k->width - 1)];
    k->out[row * k->width + column] = sum;
}
TW_ND_RANGE_KERNEL(mask_of_five, 16, 16);

/* Several rows of a group are taken together, so that sums need not wait for each other. */
struct mask_by_rows {
    const float *x, *mask;
    float *out;
    int width, height, reach;
};

static inline void mask_by_rows(tw_nd_item item, const struct mask_by_rows *k)
{
    const int row = (int)tw_global_id(item, 0), column = (int)tw_global_id(item, 1);
    float sum = 0;
    for (int j = 0; j < k->reach; ++j)
        for (int i = 0; i < k->reach; ++i) {
            const int y = row + j < k->height ? row + j : k->height - 1,
                      x = column + i < k->width ? column + i : k->width - 1;
            sum += k->x[y * k->width + x] * k->mask[j * k->reach + i];
        }
    k->out[row * k->width + column] = sum;
}
TW_ND_RANGE_KERNEL(mask_by_rows);
