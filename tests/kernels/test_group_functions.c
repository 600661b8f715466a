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

#include <teamwork/non_uniform_groups.h>

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

/* ---- parts of sub-groups ----------------------------------------------------------------------------------------- */

enum { ANSWERS = 13, PART_ITEMS = 96 };

/* What a work-item of a part is told, of values that are its number in the group. */
static inline void ask_part(tw_sub_group_part part, int x, int *out)
{
    const size_t last = tw_part_local_range(part) - 1;
    out[0] = (int)tw_part_local_range(part);
    out[1] = (int)tw_part_local_id(part);
    out[2] = (int)(tw_part_id(part) * 100 + tw_part_range(part));
    out[3] = tw_reduce_over_group(part, x, TW_SUM);
    out[4] = tw_inclusive_scan_over_group(part, x, TW_SUM);
    out[5] = tw_exclusive_scan_over_group(part, x, TW_MAX);
    out[6] = tw_group_broadcast(part, x, last);
    out[7] = tw_shift_group_left(part, x, 1);
    out[8] = tw_shift_group_right(part, x, 2);
    out[9] = (int)tw_group_ballot(part, x % 2 == 1);
    out[10] = tw_any_of_group(part, x == 5) + 2 * tw_all_of_group(part, x != 5) + 4 * tw_none_of_group(part, x == 7);
    out[11] = (int)tw_reduce_over_group(part, (double)(x ^ 3), TW_MAX);
    tw_group_barrier(part);
    out[12] = tw_select_from_group(part, x, last - tw_part_local_id(part));
}

struct parts {
    unsigned size; /* 0: a ballot */
    int *out;
};
static inline void parts(tw_nd_item item, const struct parts *k)
{
    const tw_sub_group sub_group = tw_get_sub_group(item);
    const int x = (int)tw_local_linear_id(item);
    int *out = k->out + tw_global_linear_id(item) * ANSWERS;
    if (k->size) {
        ask_part(tw_get_fixed_size_group(sub_group, k->size), x, out);
        return;
    }
    const tw_sub_group_part part = tw_get_ballot_group(sub_group, x % 3 == 0);
    if (x % 3 == 0) { /* the two parts in two branches */
        ask_part(part, x, out);
        out[3] += 1000;
    } else {
        ask_part(part, x, out);
    }
}
TW_ND_RANGE_KERNEL(parts, PART_ITEMS);

/* Which of a sub-group, of work-items from `first` on up to `past`, belong to one part. */
static bool is_together(int a, int b, int first, unsigned size)
{
    return size ? (unsigned)(a - first) / size == (unsigned)(b - first) / size : (a % 3 == 0) == (b % 3 == 0);
}

static void check_part(const int *got, int x, unsigned size)
{
    const int width = (int)nd_width(), first = x / width * width;
    const int past = first + width < PART_ITEMS ? first + width : PART_ITEMS;
    const unsigned fixed = size < (unsigned)width ? size : (unsigned)width;
    int members[64], count = 0, me = 0, sum = 0, up_to = 0, greatest = 0, odd = 0;
    bool five = false, seven = false;
    for (int i = first; i < past; ++i)
        if (is_together(i, x, first, fixed)) {
            me = i == x ? count : me;
            sum += i;
            up_to += i <= x ? i : 0;
            greatest = (i ^ 3) > greatest ? i ^ 3 : greatest;
            odd |= (int)((unsigned)(i % 2) << count);
            five |= i == 5;
            seven |= i == 7;
            members[count++] = i;
        }
    TW_EQUAL(got[0], count);
    TW_EQUAL(got[1], me);
    TW_EQUAL(got[2], fixed ? (x - first) / (int)fixed * 100 + (past - first + (int)fixed - 1) / (int)fixed
                           : (x % 3 == 0) * 100 + 2);
    TW_EQUAL(got[3], sum + (!size && x % 3 == 0 ? 1000 : 0));
    TW_EQUAL(got[4], up_to);
    TW_EQUAL(got[5], me ? members[me - 1] : INT_MIN);
    TW_EQUAL(got[6], members[count - 1]);
    if (me + 1 < count)
        TW_EQUAL(got[7], members[me + 1]);
    if (me >= 2)
        TW_EQUAL(got[8], members[me - 2]);
    if (count <= 32)
        TW_EQUAL(got[9], odd);
    TW_EQUAL(got[10], five + 2 * !five + 4 * !seven);
    TW_EQUAL(got[11], greatest);
    TW_EQUAL(got[12], members[count - 1 - me]);
}

TW_TEST(parts_of_sub_groups)
{
    static int got[2 * PART_ITEMS][ANSWERS];
    tw_queue *queue = tw_test_queue();
    tw_buffer *out = NULL;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_2d(2 * PART_ITEMS, ANSWERS), &out));
    const unsigned sizes[] = {0, 1, 2, 4, 16, 32, 128};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(2), tw_range_1d(PART_ITEMS)), parts, .size = sizes[s],
                                 .out = tw_discard_write(cg, out));
        if (nd_is_refused(queue, cg))
            break;
        tw_test_fetch(out, got);
        for (int i = 0; i < 2 * PART_ITEMS; ++i)
            check_part(got[i], i % PART_ITEMS, sizes[s]);
    }
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Who comes together is the device's choice: but each is in its own part, and parts tell the truth of themselves. */
struct together {
    int *sums;
};
static inline void together(tw_nd_item item, const struct together *k)
{
    const size_t i = tw_global_linear_id(item);
    k->sums[i] = 0;
    if (i % 2) {
        const tw_sub_group_part part = tw_get_opportunistic_group(tw_get_sub_group(item));
        const int sum = tw_reduce_over_group(part, (int)tw_local_linear_id(item), TW_SUM);
        const int count = tw_reduce_over_group(part, 1, TW_SUM);
        const bool is_own = tw_select_from_group(part, (int)i, tw_part_local_id(part)) == (int)i;
        k->sums[i] = count == (int)tw_part_local_range(part) && is_own && sum >= (int)tw_local_linear_id(item);
    }
}
TW_ND_RANGE_KERNEL(together, PART_ITEMS);

TW_TEST(those_that_come_together)
{
    static int got[2 * PART_ITEMS];
    tw_queue *queue = tw_test_queue();
    tw_buffer *out = NULL;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(2 * PART_ITEMS), &out));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(2), tw_range_1d(PART_ITEMS)), together,
                             .sums = tw_discard_write(cg, out));
    if (!nd_is_refused(queue, cg)) {
        tw_test_fetch(out, got);
        for (int i = 0; i < 2 * PART_ITEMS; ++i)
            TW_EQUAL(got[i], i % 2);
    }
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

#define CASES(type, suffix) TW_CASE(groups_of_##suffix),
TW_TEST_LIST = {TYPES(CASES) TW_CASE(votes_and_shuffles), TW_CASE(parts_of_sub_groups),
                TW_CASE(those_that_come_together), TW_CASES_END};
