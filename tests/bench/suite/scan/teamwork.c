/* SPDX-License-Identifier: Apache-2.0 */
/* Prefix sums in Teamwork. */
#include <teamwork/vector.h>

#include "../arrays_teamwork.h"
#include "scan.h"

enum { BLOCK = SCAN_BLOCK, GROUP = SCAN_GROUP, EACH = SCAN_EACH, PART = SCAN_PART };

/* ---- nd_range: a tree of sums in local memory, up and down again ------------------------------------------------- */

struct scan_tree {
    const uint32_t *in;
    uint32_t *out;
};

static inline void scan_tree(tw_nd_item item, const struct scan_tree *k)
{
    TW_LOCAL(uint32_t, sums, [BLOCK]);
    const unsigned local = (unsigned)tw_local_id(item, 0), first = (unsigned)tw_group_id(item, 0) * BLOCK;
    const uint32_t low = k->in[first + local], high = k->in[first + local + SCAN_TREE_GROUP];

    sums[local] = low;
    sums[local + SCAN_TREE_GROUP] = high;
    for (unsigned pairs = BLOCK / 2, stride = 1; pairs > 0; pairs /= 2, stride *= 2) {
        tw_barrier(item, TW_LOCAL_SPACE);
        if (local < pairs)
            sums[(2 * local + 2) * stride - 1] += sums[(2 * local + 1) * stride - 1];
    }
    if (local == 0)
        sums[BLOCK - 1] = 0;
    for (unsigned pairs = 1, stride = BLOCK / 2; pairs < BLOCK; pairs *= 2, stride /= 2) {
        tw_barrier(item, TW_LOCAL_SPACE);
        if (local < pairs) {
            const uint32_t left = sums[(2 * local + 1) * stride - 1];
            sums[(2 * local + 1) * stride - 1] = sums[(2 * local + 2) * stride - 1];
            sums[(2 * local + 2) * stride - 1] += left;
        }
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[first + local] = sums[local] + low; /* what comes before, and the number itself */
    k->out[first + local + SCAN_TREE_GROUP] = sums[local + SCAN_TREE_GROUP] + high;
}
TW_ND_RANGE_KERNEL(scan_tree, SCAN_TREE_GROUP);

/* ---- hierarchical: a work-item has numbers in a row, and a group function does the rest -------------------------- */

/* Numbers are read and written four at a time. */
enum { QUADS = EACH / 4 };

static inline unsigned sum_of(tw_uint4 q)
{
    return q.x + q.y + (q.z + q.w);
}

/* What is up to each of four numbers. */
static inline tw_uint4 scan_of(tw_uint4 q)
{
    q.yw += q.xz;
    q.zw += q.yy;
    return q;
}

/* Scans `count` numbers, a multiple of 4, with `before` before all. Returns what is up to the end, which it leaves in
   local memory. For a CPU: one thread has the whole group, and nothing is faster than to go through its numbers in
   order. */
static inline __attribute__((always_inline)) unsigned scan_in_order(tw_group group, tw_uint4 *end, const uint32_t *in,
                                                                    uint32_t *out, unsigned count, unsigned before)
{
    TW_ONCE(group) {
        tw_uint4 up_to = before;
        for (unsigned i = 0; i < count / 4; ++i) {
            const tw_uint4 q = scan_of(((const tw_uint4 *)in)[i]) + up_to;
            up_to = q.wwww;
            ((tw_uint4 *)out)[i] = q;
        }
        *end = up_to;
    }
    return end->x;
}

/* The same for a GPU, for `size` work-items with EACH of the numbers: they pass through local memory, so that
   neighbouring work-items have neighbouring quads of the arrays, and then each a row of its own, a quad apart from the
   next one. */
static inline __attribute__((always_inline)) unsigned scan_staged(tw_group group, unsigned size, tw_uint4 *rows,
                                                                  const uint32_t *in, uint32_t *out, unsigned count,
                                                                  unsigned before)
{
    TW_PRIVATE(group, unsigned, sums);
    tw_parallel_for_work_item_range(group, item, tw_range_1d(size * QUADS)) {
        const unsigned i = (unsigned)tw_local_id(item, 0);
        rows[i + i / QUADS] = 4 * i < count ? ((const tw_uint4 *)in)[i] : (tw_uint4)(0);
    }
    tw_parallel_for_work_item(group, item) {
        const tw_uint4 *row = rows + (unsigned)tw_local_id(item, 0) * (QUADS + 1);
        tw_uint4 sum = row[0];
#pragma clang loop unroll(full)
        for (unsigned i = 1; i < QUADS; ++i)
            sum += row[i];
        tw_private(sums, item) = sum_of(sum);
    }
    const unsigned all = before + tw_reduce_over_group(group, sums, TW_SUM);
    tw_exclusive_scan_over_group(group, sums, TW_SUM);
    tw_parallel_for_work_item(group, item) {
        tw_uint4 *row = rows + (unsigned)tw_local_id(item, 0) * (QUADS + 1);
        tw_uint4 up_to = before + tw_private(sums, item);
#pragma clang loop unroll(full)
        for (unsigned i = 0; i < QUADS; ++i) {
            row[i] = scan_of(row[i]) + up_to;
            up_to = row[i].wwww;
        }
    }
    tw_parallel_for_work_item_range(group, item, tw_range_1d(size * QUADS)) {
        const unsigned i = (unsigned)tw_local_id(item, 0);
        if (4 * i < count)
            ((tw_uint4 *)out)[i] = rows[i + i / QUADS];
    }
    return all;
}

/* `rows`: local memory for a quad more than each work-item has. */
static inline __attribute__((always_inline)) unsigned scan_in_group(tw_group group, unsigned size, tw_uint4 *rows,
                                                                    const uint32_t *in, uint32_t *out, unsigned count,
                                                                    unsigned before)
{
    return TW_ON_GPU ? scan_staged(group, size, rows, in, out, count, before)
                     : scan_in_order(group, rows, in, out, count, before);
}

enum { BLOCK_GROUP = BLOCK / EACH };

struct scan_group_blocks {
    const uint32_t *in;
    uint32_t *out;
};

static inline void scan_group_blocks(tw_group group, const struct scan_group_blocks *k)
{
    TW_LOCAL(tw_uint4, rows, [BLOCK_GROUP * (QUADS + 1)]);
    const size_t first = tw_group_id(group, 0) * BLOCK;
    scan_in_group(group, BLOCK_GROUP, rows, k->in + first, k->out + first, BLOCK, 0);
}
TW_WORK_GROUP_KERNEL(scan_group_blocks, BLOCK_GROUP);

struct scan_group_sums {
    const uint32_t *in;
    uint32_t *sums; /* one for each part */
};

static inline void scan_group_sums(tw_group group, const struct scan_group_sums *k)
{
    TW_PRIVATE(group, unsigned, sum);
    const tw_uint4 *in = (const tw_uint4 *)(k->in + tw_group_id(group, 0) * PART);
    /* neighbours read what is side by side on a GPU, and after each other on a CPU */
    const unsigned row = TW_ON_GPU ? 1 : QUADS, column = TW_ON_GPU ? GROUP : 1;
    tw_parallel_for_work_item(group, item) {
        const size_t first = tw_local_id(item, 0) * row;
        tw_uint4 s = in[first];
#pragma clang loop unroll(full)
        for (unsigned i = 1; i < QUADS; ++i)
            s += in[i * column + first];
        tw_private(sum, item) = sum_of(s);
    }
    const unsigned all = tw_reduce_over_group(group, sum, TW_SUM);
    TW_ONCE(group) {
        k->sums[tw_group_id(group, 0)] = all;
    }
}
TW_WORK_GROUP_KERNEL(scan_group_sums, GROUP);

/* One group, which takes turn after turn. */
struct scan_group_scan_sums {
    uint32_t *sums;
    unsigned count;
};

static inline void scan_group_scan_sums(tw_group group, const struct scan_group_scan_sums *k)
{
    enum { TURN = SCAN_SUMS_GROUP * EACH };
    TW_LOCAL(tw_uint4, rows, [SCAN_SUMS_GROUP * (QUADS + 1)]);
    unsigned before = 0;
    for (unsigned first = 0; first < k->count; first += TURN) {
        const unsigned rest = k->count - first;
        before = scan_in_group(group, SCAN_SUMS_GROUP, rows, k->sums + first, k->sums + first,
                               rest < TURN ? rest : TURN, before);
    }
}
TW_WORK_GROUP_KERNEL(scan_group_scan_sums, SCAN_SUMS_GROUP);

struct scan_group_parts {
    const uint32_t *in, *sums; /* the sums: up to the end of each part */
    uint32_t *out;
};

static inline void scan_group_parts(tw_group group, const struct scan_group_parts *k)
{
    TW_LOCAL(tw_uint4, rows, [GROUP * (QUADS + 1)]);
    const size_t part = tw_group_id(group, 0);
    scan_in_group(group, GROUP, rows, k->in + part * PART, k->out + part * PART, PART, part ? k->sums[part - 1] : 0);
}
TW_WORK_GROUP_KERNEL(scan_group_parts, GROUP);

/* ---- nd_range: a sub-group has numbers in a row, four of them a lane in each row --------------------------------- */

/* Scans `count` numbers, a multiple of 4, of a group of `size` work-items, with `before` before all. Returns what is up
   to the numbers of this work-item's sub-group, for the group's last one all. */
static inline __attribute__((always_inline)) unsigned scan_of_item(tw_nd_item item, const uint32_t *in, uint32_t *out,
                                                                   unsigned count, unsigned before)
{
    const tw_sub_group sub_group = tw_get_sub_group(item);
    const unsigned lane = (unsigned)tw_sub_group_local_id(sub_group);
    const unsigned lanes = (unsigned)tw_sub_group_max_local_range(sub_group);
    const unsigned first = (unsigned)tw_sub_group_id(sub_group) * lanes * QUADS + lane;
    tw_uint4 quads[QUADS];
    unsigned up_to[QUADS], own = 0;

#pragma clang loop unroll(full)
    for (unsigned i = 0; i < QUADS; ++i)
        quads[i] = 4 * (first + i * lanes) < count ? ((const tw_uint4 *)in)[first + i * lanes] : (tw_uint4)(0);
#pragma clang loop unroll(full)
    for (unsigned i = 0; i < QUADS; ++i) {
        const unsigned sum = sum_of(quads[i]), scanned = tw_inclusive_scan_over_group(sub_group, sum, TW_SUM);
        up_to[i] = own + scanned - sum;
        own += tw_group_broadcast(sub_group, scanned, lanes - 1);
    }
    /* the first lane of each sub-group stands for it */
    const unsigned all = before + tw_inclusive_scan_over_group(item, lane == 0 ? own : 0, TW_SUM);
#pragma clang loop unroll(full)
    for (unsigned i = 0; i < QUADS; ++i)
        if (4 * (first + i * lanes) < count)
            ((tw_uint4 *)out)[first + i * lanes] = scan_of(quads[i]) + (all - own + up_to[i]);
    return all;
}

struct scan_item_sums {
    const uint32_t *in;
    uint32_t *sums;
};

static inline void scan_item_sums(tw_nd_item item, const struct scan_item_sums *k)
{
    const tw_uint4 *in = (const tw_uint4 *)(k->in + tw_group_id(item, 0) * PART);
    unsigned sum = 0;
#pragma clang loop unroll(full)
    for (unsigned i = 0; i < QUADS; ++i)
        sum += sum_of(in[i * GROUP + tw_local_id(item, 0)]);
    const unsigned all = tw_reduce_over_group(item, sum, TW_SUM);
    if (tw_local_id(item, 0) == 0)
        k->sums[tw_group_id(item, 0)] = all;
}
TW_ND_RANGE_KERNEL(scan_item_sums, GROUP);

struct scan_item_scan_sums {
    uint32_t *sums;
    unsigned count;
};

static inline void scan_item_scan_sums(tw_nd_item item, const struct scan_item_scan_sums *k)
{
    enum { TURN = SCAN_SUMS_GROUP * EACH };
    unsigned before = 0;
    for (unsigned first = 0; first < k->count; first += TURN) {
        const unsigned rest = k->count - first, count = rest < TURN ? rest : TURN;
        const unsigned all = scan_of_item(item, k->sums + first, k->sums + first, count, before);
        before = tw_group_broadcast(item, all, SCAN_SUMS_GROUP - 1);
    }
}
TW_ND_RANGE_KERNEL(scan_item_scan_sums, SCAN_SUMS_GROUP);

struct scan_item_parts {
    const uint32_t *in, *sums;
    uint32_t *out;
};

static inline void scan_item_parts(tw_nd_item item, const struct scan_item_parts *k)
{
    const size_t part = tw_group_id(item, 0);
    scan_of_item(item, k->in + part * PART, k->out + part * PART, PART, part ? k->sums[part - 1] : 0);
}
TW_ND_RANGE_KERNEL(scan_item_parts, GROUP);

/* ---- versions ---------------------------------------------------------------------------------------------------- */

static size_t count_of(const struct suite_teamwork *s)
{
    return ((const struct scan *)s->problem)->count;
}

static bool run_tree(void *state)
{
    const struct suite_teamwork *s = state;
    const tw_nd_range range = tw_nd_range_make(tw_range_1d(count_of(s) / 2), tw_range_1d(SCAN_TREE_GROUP));
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for_nd_range(cg, range, scan_tree, .in = tw_read(cg, s->at[SCAN_IN]),
                             .out = tw_discard_write(cg, s->at[SCAN_OUT]));
    return suite_submit_and_wait(cg);
}

static bool run_group_blocks(void *state)
{
    const struct suite_teamwork *s = state;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for_work_group(cg, tw_range_1d(count_of(s) / BLOCK), tw_range_1d(BLOCK_GROUP), scan_group_blocks,
                               .in = tw_read(cg, s->at[SCAN_IN]), .out = tw_discard_write(cg, s->at[SCAN_OUT]));
    return suite_submit_and_wait(cg);
}

static bool run_groups(void *state)
{
    const struct suite_teamwork *s = state;
    const size_t parts = count_of(s) / PART;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for_work_group(cg, tw_range_1d(parts), tw_range_1d(GROUP), scan_group_sums,
                               .in = tw_read(cg, s->at[SCAN_IN]), .sums = tw_discard_write(cg, s->at[SCAN_SUMS]));
    if (!suite_submit(cg))
        return false;
    cg = tw_queue_begin(bench_queue());
    tw_parallel_for_work_group(cg, tw_range_1d(1), tw_range_1d(SCAN_SUMS_GROUP), scan_group_scan_sums,
                               .sums = tw_read_write(cg, s->at[SCAN_SUMS]), .count = (unsigned)parts);
    if (!suite_submit(cg))
        return false;
    cg = tw_queue_begin(bench_queue());
    tw_parallel_for_work_group(cg, tw_range_1d(parts), tw_range_1d(GROUP), scan_group_parts,
                               .in = tw_read(cg, s->at[SCAN_IN]), .sums = tw_read(cg, s->at[SCAN_SUMS]),
                               .out = tw_discard_write(cg, s->at[SCAN_OUT]));
    return suite_submit_and_wait(cg);
}

static bool run_items(void *state)
{
    const struct suite_teamwork *s = state;
    const size_t parts = count_of(s) / PART;
    const tw_nd_range range = tw_nd_range_make(tw_range_1d(parts * GROUP), tw_range_1d(GROUP));
    const tw_nd_range one = tw_nd_range_make(tw_range_1d(SCAN_SUMS_GROUP), tw_range_1d(SCAN_SUMS_GROUP));
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for_nd_range(cg, range, scan_item_sums, .in = tw_read(cg, s->at[SCAN_IN]),
                             .sums = tw_discard_write(cg, s->at[SCAN_SUMS]));
    if (!suite_submit(cg))
        return false;
    cg = tw_queue_begin(bench_queue());
    tw_parallel_for_nd_range(cg, one, scan_item_scan_sums, .sums = tw_read_write(cg, s->at[SCAN_SUMS]),
                             .count = (unsigned)parts);
    if (!suite_submit(cg))
        return false;
    cg = tw_queue_begin(bench_queue());
    tw_parallel_for_nd_range(cg, range, scan_item_parts, .in = tw_read(cg, s->at[SCAN_IN]),
                             .sums = tw_read(cg, s->at[SCAN_SUMS]), .out = tw_discard_write(cg, s->at[SCAN_OUT]));
    return suite_submit_and_wait(cg);
}

static const struct suite_version of_blocks[] = {
    SUITE_TEAMWORK_VERSION("tree", "nd_range", run_tree),
    SUITE_TEAMWORK_VERSION("rows", "hierarchical", run_group_blocks),
};
static const struct suite_version of_whole[] = {
    SUITE_TEAMWORK_VERSION("parts", "nd_range", run_items),
    SUITE_TEAMWORK_VERSION("parts", "hierarchical", run_groups),
};
const struct suite_versions suite_scan_blocks_teamwork = SUITE_VERSIONS(of_blocks);
const struct suite_versions suite_scan_whole_teamwork = SUITE_VERSIONS(of_whole);
