/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that read their neighbours in Teamwork, each in all forms. */
#include "../arrays_teamwork.h"
#include "neighbours.h"

enum { GROUP = NEIGHBOURS_GROUP, TILE = NEIGHBOURS_TILE };

/* ---- a mask whose width is known at run time ---------------------------------------------------------------------- */

struct any_mask {
    const float *in, *mask;
    float *out;
    int count, width;
};

static inline void mask_at(const struct any_mask *k, int i)
{
    float sum = 0;
    for (int j = 0; j < k->width; ++j) {
        const int at = i + j - k->width / 2;
        if (at >= 0 && at < k->count)
            sum += k->in[at] * k->mask[j];
    }
    k->out[i] = sum;
}

static inline void mask_range(tw_item item, const struct any_mask *k)
{
    mask_at(k, (int)tw_global_id(item, 0));
}
TW_RANGE_KERNEL(TW_BLOCK(any_mask) mask_range, 1);

static inline void mask_items(tw_nd_item item, const struct any_mask *k)
{
    mask_at(k, (int)tw_global_id(item, 0));
}
TW_ND_RANGE_KERNEL(TW_BLOCK(any_mask) mask_items, GROUP);

static inline void mask_group(tw_group group, const struct any_mask *k)
{
    tw_parallel_for_work_item(group, item) {
        mask_at(k, (int)tw_global_id(item, 0));
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(any_mask) mask_group, GROUP);

/* ---- wrap-around -------------------------------------------------------------------------------------------------- */

struct periodic {
    const float *in;
    float *out;
    int side;
};

static inline void periodic_at(const struct periodic *k, int y, int x)
{
    const int n = k->side;
    const int up = y == 0 ? n - 1 : y - 1, down = y == n - 1 ? 0 : y + 1;
    const int left = x == 0 ? n - 1 : x - 1, right = x == n - 1 ? 0 : x + 1;
    const float here = k->in[y * n + x];
    k->out[y * n + x] =
        here
        + 0.125f * (k->in[y * n + left] + k->in[y * n + right] + k->in[up * n + x] + k->in[down * n + x] - 4 * here);
}

static inline void periodic_range(tw_item item, const struct periodic *k)
{
    periodic_at(k, (int)tw_global_id(item, 0), (int)tw_global_id(item, 1));
}
TW_RANGE_KERNEL(TW_BLOCK(periodic) periodic_range, 2);

static inline void periodic_items(tw_nd_item item, const struct periodic *k)
{
    periodic_at(k, (int)tw_global_id(item, 0), (int)tw_global_id(item, 1));
}
TW_ND_RANGE_KERNEL(TW_BLOCK(periodic) periodic_items, TILE, TILE);

static inline void periodic_group(tw_group group, const struct periodic *k)
{
    tw_parallel_for_work_item(group, item) {
        periodic_at(k, (int)tw_global_id(item, 0), (int)tw_global_id(item, 1));
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(periodic) periodic_group, TILE, TILE);

/* ---- a helper that is long ---------------------------------------------------------------------------------------- */

struct fields {
    const float *in[NEIGHBOURS_FIELDS];
    float *out;
    size_t count;
};

static inline float stencil(const float *const *in, size_t i)
{
    float sum = 0;
    for (int f = 1; f < NEIGHBOURS_FIELDS; ++f)
        sum += NEIGHBOURS_TERMS(in[f], in[0], i);
    return sum;
}

static inline void stencil_range(tw_item item, const struct fields *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = stencil(k->in, i + NEIGHBOURS_REACH);
}
TW_RANGE_KERNEL(TW_BLOCK(fields) stencil_range, 1);

static inline void stencil_items(tw_nd_item item, const struct fields *k)
{
    const size_t i = tw_global_id(item, 0);
    if (i < k->count)
        k->out[i] = stencil(k->in, i + NEIGHBOURS_REACH);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(fields) stencil_items, GROUP);

static inline void stencil_group(tw_group group, const struct fields *k)
{
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_global_id(item, 0);
        if (i < k->count)
            k->out[i] = stencil(k->in, i + NEIGHBOURS_REACH);
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(fields) stencil_group, GROUP);

/* ---- versions ----------------------------------------------------------------------------------------------------- */

static size_t count_of(const struct suite_teamwork *s)
{
    return ((const struct neighbours *)s->problem)->count;
}

static struct any_mask mask_block(tw_command_group *cg, const struct suite_teamwork *s)
{
    return (struct any_mask){.in = tw_read(cg, s->at[NEIGHBOURS_IN]),
                             .mask = tw_read(cg, s->at[NEIGHBOURS_MASK]),
                             .out = tw_discard_write(cg, s->at[NEIGHBOURS_OUT]),
                             .count = (int)count_of(s),
                             .width = NEIGHBOURS_WIDTH};
}

static struct periodic periodic_block(tw_command_group *cg, const struct suite_teamwork *s)
{
    return (struct periodic){.in = tw_read(cg, s->at[NEIGHBOURS_IN]),
                             .out = tw_discard_write(cg, s->at[NEIGHBOURS_OUT]),
                             .side = (int)count_of(s)};
}

static struct fields fields_block(tw_command_group *cg, const struct suite_teamwork *s)
{
    struct fields fields = {.out = tw_discard_write(cg, s->at[NEIGHBOURS_OUT]),
                            .count = count_of(s) - 2 * NEIGHBOURS_REACH};
    const float *in = tw_read(cg, s->at[NEIGHBOURS_IN]);
    for (size_t f = 0; in && f < NEIGHBOURS_FIELDS; ++f)
        fields.in[f] = in + f * count_of(s);
    return fields;
}

static tw_range numbers(const struct suite_teamwork *s)
{
    return tw_range_1d(count_of(s));
}

static tw_range points(const struct suite_teamwork *s)
{
    return tw_range_2d(count_of(s), count_of(s));
}

static tw_range inside(const struct suite_teamwork *s)
{
    return tw_range_1d(count_of(s) - 2 * NEIGHBOURS_REACH);
}

SUITE_TEAMWORK_FORMS(mask, any_mask, mask_block, numbers, tw_range_1d(GROUP))
SUITE_TEAMWORK_FORMS(periodic, periodic, periodic_block, points, tw_range_2d(TILE, TILE))
SUITE_TEAMWORK_FORMS(stencil, fields, fields_block, inside, tw_range_1d(GROUP))

SUITE_TEAMWORK_LIST(any_mask, SUITE_TEAMWORK_FORM_VERSIONS("flat", mask))
SUITE_TEAMWORK_LIST(periodic, SUITE_TEAMWORK_FORM_VERSIONS("flat", periodic))
SUITE_TEAMWORK_LIST(helper, SUITE_TEAMWORK_FORM_VERSIONS("flat", stencil))
