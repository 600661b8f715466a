/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host stacks x86_64 gpu-simt (x86_64-teams gpu-teams), long */
/**
 * Group functions of work-groups and sub-groups in nd_range kernels, and of work-groups in hierarchical ones: most
 * types and every operation against a loop on the host.
 *
 * Sums of floating point are of small integers, so that no order of adding matters.
 */
#include "nd_range_test.h"

#include <limits.h>

#define TYPES(X)                                                                                                       \
    X(int, int)                                                                                                        \
    X(unsigned, uint)                                                                                                  \
    X(unsigned long, ulong)                                                                                            \
    X(float, float)                                                                                                    \
    X(double, double)
#define IS_FLOATING(type) ((type)0.5 != 0)
enum { MAX_ITEMS = 512, RESULTS = 8 };

/* What work-item i of a group brings, from -3 to 3, never 0; products stay exact in float. */
#define VALUE(type, i, op) ((type)((op) == TW_PRODUCT ? ((i) % 37 == 5 ? 2 : 1) : (int)((i) * 7u % 11u) - 5))

#define BITS(type, a, b, op)                                                                                           \
    ((type)((op) == TW_AND  ? (long long)(a) & (long long)(b)                                                          \
            : (op) == TW_OR ? (long long)(a) | (long long)(b)                                                          \
                            : (long long)(a) ^ (long long)(b)))
#define COMBINE(type, a, b, op)                                                                                        \
    ((op) == TW_SUM       ? (type)((a) + (b))                                                                          \
     : (op) == TW_PRODUCT ? (type)((a) * (b))                                                                          \
     : (op) == TW_MIN     ? ((b) < (a) ? (b) : (a))                                                                    \
     : (op) == TW_MAX     ? ((a) < (b) ? (b) : (a))                                                                    \
                          : BITS(type, a, b, op))

/* RESULTS values for each work-item: of its work-group, then of its sub-group, whose size comes last. */
#define KERNELS(type, suffix)                                                                                          \
    struct nd_##suffix {                                                                                               \
        tw_operation op;                                                                                               \
        type *out;                                                                                                     \
    };                                                                                                                 \
    static inline void nd_##suffix(tw_nd_item item, const struct nd_##suffix *k)                                       \
    {                                                                                                                  \
        const size_t i = tw_local_linear_id(item);                                                                     \
        const type x = VALUE(type, tw_global_linear_id(item), k->op);                                                  \
        type *out = k->out + tw_global_linear_id(item) * RESULTS;                                                      \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        const size_t last = tw_sub_group_local_range(sub_group) - 1;                                                   \
        out[0] = tw_reduce_over_group(item, x, k->op);                                                                 \
        out[1] = tw_inclusive_scan_over_group(item, x, k->op);                                                         \
        out[2] = tw_exclusive_scan_over_group(item, x, k->op);                                                         \
        out[3] = tw_group_broadcast(item, (type)i, tw_local_linear_range(item) / 2);                                   \
        out[4] = tw_reduce_over_group(sub_group, x, k->op);                                                            \
        out[5] = tw_inclusive_scan_over_group(sub_group, x, k->op);                                                    \
        out[6] = tw_exclusive_scan_over_group(sub_group, x, k->op);                                                    \
        out[7] = tw_group_broadcast(sub_group, (type)i, last);                                                         \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(nd_##suffix);                                                                                   \
    struct hierarchical_##suffix {                                                                                     \
        tw_operation op;                                                                                               \
        type *out;                                                                                                     \
    };                                                                                                                 \
    static inline void hierarchical_##suffix(tw_group group, const struct hierarchical_##suffix *k)                    \
    {                                                                                                                  \
        TW_PRIVATE(group, type, x);                                                                                    \
        TW_PRIVATE(group, type, y);                                                                                    \
        tw_parallel_for_work_item(group, item) {                                                                       \
            tw_private(x, item) = tw_private(y, item) = VALUE(type, tw_global_linear_id(item), k->op);                 \
        }                                                                                                              \
        const type all = tw_reduce_over_group(group, x, k->op);                                                        \
        const type third = tw_group_broadcast(group, x, tw_local_linear_range(group) / 3);                             \
        tw_inclusive_scan_over_group(group, x, k->op);                                                                 \
        tw_exclusive_scan_over_group(group, y, k->op);                                                                 \
        tw_parallel_for_work_item(group, item) {                                                                       \
            type *out = k->out + tw_global_linear_id(item) * RESULTS;                                                  \
            out[0] = all;                                                                                              \
            out[1] = tw_private(x, item);                                                                              \
            out[2] = tw_private(y, item);                                                                              \
            out[3] = third;                                                                                            \
        }                                                                                                              \
    }                                                                                                                  \
    TW_WORK_GROUP_KERNEL(hierarchical_##suffix);                                                                       \
                                                                                                                       \
    /* Compares what `count` work-items from `first` on got with what they bring together. */                          \
    static void expect_##suffix(const type *got, size_t first, size_t count, tw_operation op, unsigned at)             \
    {                                                                                                                  \
        type all = VALUE(type, first, op);                                                                             \
        for (size_t i = 1; i < count; ++i)                                                                             \
            all = COMBINE(type, all, VALUE(type, first + i, op), op);                                                  \
        type before = 0, here = VALUE(type, first, op);                                                                \
        for (size_t i = 0; i < count; ++i) {                                                                           \
            const type *mine = got + (first + i) * RESULTS + at;                                                       \
            TW_CHECK(mine[0] == all);                                                                                  \
            TW_CHECK(mine[1] == here);                                                                                 \
            TW_CHECK(i == 0 || mine[2] == before);                                                                     \
            before = here;                                                                                             \
            here = COMBINE(type, here, VALUE(type, first + i + 1, op), op);                                            \
        }                                                                                                              \
    }                                                                                                                  \
    static void check_##suffix(size_t items)                                                                           \
    {                                                                                                                  \
        enum { GROUPS = 3 };                                                                                           \
        static type got[GROUPS * MAX_ITEMS * RESULTS];                                                                 \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_buffer *out = NULL;                                                                                         \
        TW_PASS(tw_buffer_create(sizeof(type), tw_range_1d(GROUPS *items *RESULTS), &out));                            \
        for (tw_operation op = TW_SUM; op <= (IS_FLOATING(type) ? TW_MAX : TW_XOR); ++op) {                            \
            tw_command_group *cg = tw_queue_begin(queue);                                                              \
            tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(GROUPS *items), tw_range_1d(items)),             \
                                     nd_##suffix, .op = op, .out = tw_discard_write(cg, out));                         \
            if (nd_is_refused(queue, cg))                                                                              \
                break;                                                                                                 \
            tw_test_fetch(out, got);                                                                                   \
            for (size_t g = 0; g < GROUPS; ++g) {                                                                      \
                expect_##suffix(got, g *items, items, op, 0);                                                          \
                TW_CHECK(got[g * items * RESULTS + 3] == (type)(items / 2));                                           \
                for (size_t i = 0, n = 0; i < items; i += n) {                                                         \
                    n = (size_t)got[(g * items + i) * RESULTS + 7] - i + 1;                                            \
                    TW_EQUAL(n, items - i < nd_width() ? items - i : nd_width());                                      \
                    expect_##suffix(got, g *items + i, n, op, 4);                                                      \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        for (tw_operation op = TW_SUM; op <= (IS_FLOATING(type) ? TW_MAX : TW_XOR); ++op) {                            \
            tw_command_group *cg = tw_queue_begin(queue);                                                              \
            tw_parallel_for_work_group(cg, tw_range_1d(GROUPS), tw_range_1d(items), hierarchical_##suffix, .op = op,   \
                                       .out = tw_discard_write(cg, out));                                              \
            TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                 \
            TW_PASS(tw_queue_wait_and_throw(queue));                                                                   \
            tw_test_fetch(out, got);                                                                                   \
            for (size_t g = 0; g < GROUPS; ++g) {                                                                      \
                expect_##suffix(got, g *items, items, op, 0);                                                          \
                TW_CHECK(got[g * items * RESULTS + 3] == VALUE(type, g * items + items / 3, op));                      \
            }                                                                                                          \
        }                                                                                                              \
        TW_PASS(tw_buffer_destroy(&out));                                                                              \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
    }                                                                                                                  \
    TW_TEST(groups_of_##suffix)                                                                                        \
    {                                                                                                                  \
        check_##suffix(64);                                                                                            \
        check_##suffix(1);                                                                                             \
        check_##suffix(77); /* the last sub-group is smaller */                                                        \
        check_##suffix(MAX_ITEMS);                                                                                     \
    }

TYPES(KERNELS)

/* ---- votes, shuffles, barriers ----------------------------------------------------------------------------------- */

enum { VOTES = 12 };
struct vote {
    int *out;
};
static inline void vote(tw_nd_item item, const struct vote *k)
{
    const size_t i = tw_local_linear_id(item);
    const tw_sub_group s = tw_get_sub_group(item);
    const size_t lane = tw_sub_group_local_id(s);
    int *out = k->out + tw_global_linear_id(item) * VOTES;
    out[0] = tw_any_of_group(item, i == 7) + 2 * tw_any_of_group(item, i > 4096);
    out[1] = tw_all_of_group(item, i < 4096) + 2 * tw_all_of_group(item, i != 7);
    out[2] = tw_none_of_group(item, i > 4096) + 2 * tw_none_of_group(item, i == 0);
    out[3] = tw_any_of_group(s, lane == 0) + 2 * tw_any_of_group(s, lane > 64);
    out[4] = tw_all_of_group(s, lane < 64) + 2 * tw_all_of_group(s, lane != 0);
    out[5] = tw_none_of_group(s, lane > 64) + 2 * tw_none_of_group(s, lane == 0);
    out[6] = tw_select_from_group(s, (int)i, 0);
    out[7] = tw_permute_group_by_xor(s, (int)i, 1);
    out[8] = tw_shift_group_left(s, (int)i, 1);
    out[9] = tw_shift_group_right(s, (int)i, 1);
    tw_group_barrier(s);
    tw_group_barrier(item);
    out[10] = (int)(tw_sub_group_id(s) * 100 + tw_sub_group_range(s));
    out[11] = (int)(tw_sub_group_local_range(s) * 1000 + tw_sub_group_max_local_range(s));
}
TW_ND_RANGE_KERNEL(vote, 96);

TW_TEST(votes_and_shuffles)
{
    enum { ITEMS = 192 };
    static int got[ITEMS][VOTES];
    tw_queue *queue = tw_test_queue();
    tw_buffer *out = NULL;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_2d(ITEMS, VOTES), &out));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(ITEMS), tw_range_1d(96)), vote,
                             .out = tw_discard_write(cg, out));
    const bool refused = nd_is_refused(queue, cg);
    const int w = (int)nd_width();
    if (!refused)
        tw_test_fetch(out, got);
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
    if (refused)
        TW_SKIP();
    for (int n = 0; n < ITEMS; ++n) {
        const int i = n % 96, lane = i % w;
        const int *mine = got[n];
        for (int v = 0; v < 6; ++v)
            TW_EQUAL(100 * v + mine[v], 100 * v + 1);
        TW_EQUAL(mine[6], i - lane);
        TW_EQUAL(mine[7], w == 1 ? i : i ^ 1);
        if (lane + 1 < w)
            TW_EQUAL(mine[8], i + 1);
        if (lane)
            TW_EQUAL(mine[9], i - 1);
        TW_EQUAL(mine[10], i / w * 100 + 96 / w);
        TW_EQUAL(mine[11], w * 1000 + w);
    }
}

#define CASES(type, suffix) TW_CASE(groups_of_##suffix),
TW_TEST_LIST = {TYPES(CASES) TW_CASE(votes_and_shuffles), TW_CASES_END};
