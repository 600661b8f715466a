/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host stacks, sanitized-compiler, long */
/** Kernels with barriers of every shape, against a model that does the steps of a group one after the other. Compiled
 *  with the plugin that makes loops of them (lower/kernel/split.h), and without; kernels named keeps_... are those that it
 *  must leave alone: compiler/c/split.c looks at that. */
#include "nd_range_test.h"
#include <teamwork/vector.h>

enum { ITEMS = 64, GROUPS = 3, COUNT = ITEMS * GROUPS, MOST = 4 * COUNT };

#define SHAPE(name)                                                                                                    \
    struct name {                                                                                                      \
        const int *in;                                                                                                 \
        int *out;                                                                                                      \
        int n;                                                                                                         \
        tw_local_memory tile; /* an int for each work-item */                                                          \
    };                                                                                                                 \
    static inline void name(tw_nd_item item, const struct name *k)

/* What a kernel does to one group of `items` work-items; `group` is its linear id. */
typedef void model(const int *in, int *out, int n, size_t items, size_t group);

/* Runs a kernel and compares. */
#define CHECK(queue, name, range_, n_)                                                                                 \
    do {                                                                                                               \
        static int in[MOST], out[MOST], right[MOST];                                                                   \
        const tw_nd_range range = (range_);                                                                            \
        const size_t items = tw_range_count(range.local), total = tw_range_count(range.global);                        \
        tw_buffer *tw_in = NULL, *tw_out = NULL;                                                                       \
        TW_CHECK(total <= MOST);                                                                                       \
        for (size_t i = 0; i < total; ++i) {                                                                           \
            in[i] = (int)(i * 7919 % 1009);                                                                            \
            out[i] = right[i] = -1;                                                                                    \
        }                                                                                                              \
        for (size_t g = 0; g < total / items; ++g)                                                                     \
            name##_model(in + g * items, right + g * items, n_, items, g);                                             \
        TW_PASS(tw_buffer_create_over_const(in, sizeof *in, tw_range_1d(total), &tw_in));                              \
        TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(total), &tw_out));                                 \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_parallel_for_nd_range(cg, range, name, .in = tw_read(cg, tw_in), .out = tw_read_write(cg, tw_out), .n = n_, \
                                 .tile = tw_local(cg, items * sizeof(int)));                                           \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_buffer_destroy(&tw_out));                                                                           \
        TW_PASS(tw_buffer_destroy(&tw_in));                                                                            \
        for (size_t i = 0; i < total; ++i)                                                                             \
            TW_EQUAL(out[i], right[i]);                                                                                \
    } while (0)

/* The place of a work-item among all, group after group. */
static inline size_t place_of(tw_nd_item item)
{
    return tw_group_linear_id(item) * tw_local_linear_range(item) + tw_local_linear_id(item);
}

static tw_nd_range line(size_t items)
{
    return nd_groups(tw_range_1d(GROUPS), tw_range_1d(items));
}

/* ---- one barrier after the other --------------------------------------------------------------------------------- */

SHAPE(straight)
{
    int *tile = tw_local_data(item, k->tile);
    const size_t l = tw_local_linear_id(item), m = tw_local_linear_range(item), at = place_of(item);
    const int mine = k->in[at] * 3, half = mine / 2; /* both live on */
    const bool odd = mine % 2 != 0;
    tile[l] = mine;
    tw_barrier(item, TW_LOCAL_SPACE);
    const int next = tile[(l + 1) % m];
    tw_barrier(item, TW_LOCAL_SPACE);
    tile[l] = next - mine;
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[at] = tile[m - 1 - l] + half + (odd ? k->n : -k->n);
}
TW_ND_RANGE_KERNEL(straight);
static void straight_model(const int *in, int *out, int n, size_t items, size_t group)
{
    (void)group;
    for (size_t l = 0; l < items; ++l) {
        const size_t other = items - 1 - l;
        out[l] = 3 * in[(other + 1) % items] - 3 * in[other] + in[l] * 3 / 2 + (in[l] * 3 % 2 ? n : -n);
    }
}

TW_TEST(straight_line_in_every_dimension)
{
    ND_BEGIN(queue);
    CHECK(queue, straight, line(1), 5);
    CHECK(queue, straight, line(32), 5);
    CHECK(queue, straight, line(96), 5);
    CHECK(queue, straight, line(128), 5); /* a size that kernels are compiled for besides */
    CHECK(queue, straight, nd_groups(tw_range_2d(2, 3), tw_range_2d(4, 16)), 7);
    CHECK(queue, straight, nd_groups(tw_range_3d(2, 1, 3), tw_range_3d(2, 4, 8)), 9);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

/* Two values change places in every turn, a third one is summed up; loops in loops, with lengths from the launch. */
SHAPE(nested_loops)
{
    TW_LOCAL(int, tile, [ITEMS]);
    const size_t l = tw_local_id(item, 0), at = place_of(item);
    int a = k->in[at], b = (int)l, sum = 0;
    for (int outer = 0; outer < k->n; ++outer) {
        for (int inner = 0; inner <= outer; ++inner) {
            tile[l] = a;
            tw_barrier(item, TW_LOCAL_SPACE);
            sum += tile[(l + (size_t)inner) % ITEMS];
            const int old = a;
            a = b;
            b = old;
            tw_barrier(item, TW_LOCAL_SPACE);
        }
        sum *= 2;
    }
    k->out[at] = sum + 5 * a + 3 * b;
}
TW_ND_RANGE_KERNEL(nested_loops, ITEMS);
static void nested_loops_model(const int *in, int *out, int n, size_t items, size_t group)
{
    int x[2][ITEMS], sum[ITEMS] = {0}, turn = 0;
    (void)group;
    for (size_t l = 0; l < items; ++l) {
        x[0][l] = in[l];
        x[1][l] = (int)l;
    }
    for (int outer = 0; outer < n; ++outer) {
        for (int inner = 0; inner <= outer; ++inner, turn ^= 1)
            for (size_t l = 0; l < items; ++l)
                sum[l] += x[turn][(l + (size_t)inner) % items];
        for (size_t l = 0; l < items; ++l)
            sum[l] *= 2;
    }
    for (size_t l = 0; l < items; ++l)
        out[l] = sum[l] + 5 * x[turn][l] + 3 * x[!turn][l];
}

/* Work-items do different things between barriers, for different times, and leave early what has none. */
SHAPE(divergent_between)
{
    TW_LOCAL(int, tile, [ITEMS]);
    const size_t l = tw_local_id(item, 0), at = place_of(item);
    int steps = 0;
    for (int turn = 0; turn < 3; ++turn) {
        int x = k->in[at] + turn;
        while (x > 1 && steps < 500) {
            x = x % 2 ? 3 * x + 1 : x / 2;
            ++steps;
            if (x == k->n)
                break;
        }
        tile[l] = steps;
        tw_barrier(item, TW_LOCAL_SPACE);
        if (l % 3 == 0)
            steps += tile[ITEMS - 1 - l];
        else if (l % 3 == 1)
            steps -= tile[ITEMS - 1 - l] / 2;
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    if (l % 5 == 4)
        return;
    k->out[at] = steps;
}
TW_ND_RANGE_KERNEL(divergent_between, ITEMS);
static void divergent_between_model(const int *in, int *out, int n, size_t items, size_t group)
{
    int steps[ITEMS] = {0}, tile[ITEMS];
    (void)group;
    for (int turn = 0; turn < 3; ++turn) {
        for (size_t l = 0; l < items; ++l) {
            int x = in[l] + turn;
            while (x > 1 && steps[l] < 500) {
                x = x % 2 ? 3 * x + 1 : x / 2;
                ++steps[l];
                if (x == n)
                    break;
            }
            tile[l] = steps[l];
        }
        for (size_t l = 0; l < items; ++l)
            steps[l] += l % 3 == 0 ? tile[items - 1 - l] : l % 3 == 1 ? -(tile[items - 1 - l] / 2) : 0;
    }
    for (size_t l = 0; l < items; ++l)
        if (l % 5 != 4)
            out[l] = steps[l];
}

/* How often the group goes round is in local memory: only the run shows that all agree. `continue` and `break` too. */
SHAPE(until_done)
{
    TW_LOCAL(int, tile, [ITEMS]);
    const size_t l = tw_local_id(item, 0), at = place_of(item);
    int turns = 0;
    tile[l] = k->in[at];
    for (;;) {
        tw_barrier(item, TW_LOCAL_SPACE);
        const int left = tile[l ? l - 1 : 0], old = tile[l];
        tw_barrier(item, TW_LOCAL_SPACE);
        tile[l] = left > old ? left : old;
        if (++turns < k->n)
            continue;
        if (!tw_any_of_group(item, tile[l] != old))
            break;
    }
    k->out[at] = tile[l] + 10000 * turns;
}
TW_ND_RANGE_KERNEL(until_done, ITEMS);
static void until_done_model(const int *in, int *out, int n, size_t items, size_t group)
{
    int x[ITEMS], next[ITEMS], turns = 0;
    bool changed = true;
    (void)group;
    memcpy(x, in, sizeof x);
    while (changed || turns < n) {
        changed = false;
        for (size_t l = 0; l < items; ++l) {
            next[l] = l && x[l - 1] > x[l] ? x[l - 1] : x[l];
            changed |= next[l] != x[l];
        }
        memcpy(x, next, sizeof x);
        ++turns;
    }
    for (size_t l = 0; l < items; ++l)
        out[l] = x[l] + 10000 * turns;
}

TW_TEST(loops_around_barriers)
{
    ND_BEGIN(queue);
    CHECK(queue, nested_loops, line(ITEMS), 0);
    CHECK(queue, nested_loops, line(ITEMS), 1);
    CHECK(queue, nested_loops, line(ITEMS), 4);
    CHECK(queue, divergent_between, line(ITEMS), 16);
    CHECK(queue, until_done, line(ITEMS), 2);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- branches ---------------------------------------------------------------------------------------------------- */

/* Which barriers there are depends on the launch, on the group, and on what whole groups read; some groups return
   early. */
SHAPE(branches)
{
    TW_LOCAL(int, tile, [ITEMS]);
    const size_t l = tw_local_id(item, 0), at = place_of(item);
    int x = k->in[at], y = 1;
    if (tw_group_id(item, 0) == 2)
        return;
    tile[l] = x;
    if (k->n & 1) {
        tw_barrier(item, TW_LOCAL_SPACE);
        y = tile[l ^ 1];
        if (tw_group_id(item, 0) == 1) {
            tw_barrier(item, TW_LOCAL_SPACE);
            tile[l] = y + 1;
        }
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    switch (k->n >> 1) {
    case 0:
        x += y;
        break;
    case 1:
        tw_barrier(item, TW_LOCAL_SPACE);
        x -= tile[l ^ 2];
        /* fallthrough */
    case 2:
        tw_barrier(item, TW_LOCAL_SPACE);
        tile[l] = x;
        tw_barrier(item, TW_LOCAL_SPACE);
        x += tile[l ^ 4];
        break;
    default:
        if (l & 1)
            x = -x;
    }
    k->out[at] = 2 * x + y;
}
TW_ND_RANGE_KERNEL(branches, ITEMS);
static void branches_model(const int *in, int *out, int n, size_t items, size_t group)
{
    int x[ITEMS], y[ITEMS], tile[ITEMS], old[ITEMS];
    if (group == 2)
        return;
    for (size_t l = 0; l < items; ++l) {
        tile[l] = x[l] = in[l];
        y[l] = n & 1 ? in[l ^ 1] : 1;
        if ((n & 1) && group == 1)
            tile[l] = y[l] + 1;
    }
    for (size_t l = 0; l < items; ++l)
        x[l] += n >> 1 == 0 ? y[l] : n >> 1 == 1 ? -tile[l ^ 2] : 0;
    memcpy(old, x, sizeof x);
    for (size_t l = 0; l < items; ++l) {
        if (n >> 1 == 1 || n >> 1 == 2)
            x[l] += old[l ^ 4];
        else if (n >> 1 > 2 && l & 1)
            x[l] = -x[l];
        out[l] = 2 * x[l] + y[l];
    }
}

TW_TEST(branches_around_barriers)
{
    ND_BEGIN(queue);
    for (int n = 0; n < 8; ++n)
        CHECK(queue, branches, line(ITEMS), n);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- variables of a work-item ------------------------------------------------------------------------------------ */

struct pair {
    int low, high;
    double weight;
};

/* Not inlined by itself; gets addresses of variables, and has barriers. */
static __attribute__((noinline)) void exchange(tw_nd_item item, int *tile, struct pair *mine, size_t by)
{
    const size_t l = tw_local_linear_id(item);
    tw_barrier(item, TW_LOCAL_SPACE);
    tile[l] = mine->low;
    tw_barrier(item, TW_LOCAL_SPACE);
    mine->high += tile[(l + by) % tw_local_linear_range(item)];
    mine->weight *= 0.5;
}

/* Arrays, a struct, a pointer to one of two arrays, and vectors, over barriers. */
SHAPE(variables)
{
    int *tile = tw_local_data(item, k->tile);
    const size_t l = tw_local_linear_id(item), at = place_of(item);
    int even[5], odd[5];
    struct pair pair = {k->in[at], 0, 1024};
    tw_int4 four = {k->in[at], 1, 2, 3};
    volatile int turns = 0;
    int *chosen = k->in[at] % 2 ? odd : even;
    for (int i = 0; i < 5; ++i) {
        even[i] = i * (int)l;
        odd[i] = -i;
    }
    for (int i = 0; i < k->n; ++i) {
        exchange(item, tile, &pair, (size_t)i);
        chosen[i % 5] += pair.high;
        chosen = chosen == odd ? even : odd;
        four = four.yzwx + (tw_int4)(tile[l]);
        turns = turns + 1;
    }
    exchange(item, tile, &pair, 1);
    int sum = pair.low + pair.high + (int)pair.weight + turns;
    for (int i = 0; i < 5; ++i)
        sum += (even[i] + 2 * odd[i]) % 1000;
    k->out[at] = sum + four.x - four.z;
}
TW_ND_RANGE_KERNEL(variables);
static void variables_model(const int *in, int *out, int n, size_t items, size_t group)
{
    (void)group;
    for (size_t l = 0; l < items; ++l) {
        int arrays[2][5], four[4] = {in[l], 1, 2, 3}, chosen = in[l] % 2, high = 0;
        double weight = 1024;
        for (int i = 0; i < 5; ++i) {
            arrays[0][i] = i * (int)l;
            arrays[1][i] = -i;
        }
        for (int i = 0; i < n; ++i) {
            high += in[(l + (size_t)i) % items];
            weight *= 0.5;
            arrays[chosen][i % 5] += high;
            chosen = !chosen;
            const int first = four[0];
            for (int j = 0; j < 4; ++j)
                four[j] = (j < 3 ? four[j + 1] : first) + in[l];
        }
        high += in[(l + 1) % items];
        int sum = in[l] + high + (int)(weight * 0.5) + n;
        for (int i = 0; i < 5; ++i)
            sum += (arrays[0][i] + 2 * arrays[1][i]) % 1000;
        out[l] = sum + four[0] - four[2];
    }
}

/* More than a stack would like to hold for all. */
enum { LARGE = 1024 };
SHAPE(large_arrays)
{
    int *tile = tw_local_data(item, k->tile);
    const size_t l = tw_local_id(item, 0), n = tw_local_range(item, 0), at = place_of(item);
    int own[LARGE];
    for (int i = 0; i < LARGE; ++i)
        own[i] = k->in[at] + i;
    tile[l] = own[l % LARGE];
    tw_barrier(item, TW_LOCAL_SPACE);
    own[tile[n - 1 - l] % LARGE] = -1;
    tw_barrier(item, TW_LOCAL_SPACE);
    int least = 0;
    for (int i = 0; i < LARGE; ++i)
        least += own[i] < 0 ? i : 0;
    k->out[at] = least;
}
TW_ND_RANGE_KERNEL(large_arrays);
static void large_arrays_model(const int *in, int *out, int n, size_t items, size_t group)
{
    (void)n, (void)group;
    for (size_t l = 0; l < items; ++l)
        out[l] = (in[items - 1 - l] + (int)((items - 1 - l) % LARGE)) % LARGE;
}

TW_TEST(variables_live_on)
{
    ND_BEGIN(queue);
    CHECK(queue, variables, line(32), 0);
    CHECK(queue, variables, line(64), 7);
    CHECK(queue, variables, nd_groups(tw_range_2d(3, 1), tw_range_2d(2, 32)), 3);
    if (!tw_device_is_gpu(tw_queue_device(queue))) {
        CHECK(queue, large_arrays, line(256), 0);
        CHECK(queue, large_arrays, nd_groups(tw_range_1d(1), tw_range_1d(768)), 0);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- words that work-items change together ----------------------------------------------------------------------- */

SHAPE(atomics)
{
    const size_t l = tw_local_id(item, 0);
    int *cell = k->out + tw_group_id(item, 0) * ITEMS + l % 4;
    const int x = k->in[tw_group_id(item, 0) * ITEMS + l];
    tw_atomic_fetch_add(cell, x, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);
    if (k->n > 1) {
        tw_barrier(item, TW_GLOBAL_SPACE);
        tw_atomic_fetch_sub(cell, 1, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);
    } else {
        tw_atomic_fetch_add(cell, x + 1, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);
    }
    for (int turn = 0; turn < k->n; ++turn)
        tw_atomic_fetch_max(cell, turn * (int)l, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);
}
TW_ND_RANGE_KERNEL(atomics);
static void atomics_model(const int *in, int *out, int n, size_t items, size_t group)
{
    (void)group;
    for (size_t l = 0; l < items; ++l)
        out[l % 4] += in[l] + (n > 1 ? -1 : in[l] + 1);
    for (size_t l = 0; l < items; ++l)
        if (n > 0 && out[l % 4] < (n - 1) * (int)l)
            out[l % 4] = (n - 1) * (int)l;
}

SHAPE(atomics_in_turns)
{
    TW_LOCAL(int, hits, [4]);
    const size_t l = tw_local_id(item, 0), first = tw_group_id(item, 0) * ITEMS;
    if (l < 4)
        hits[l] = 0;
    tw_barrier(item, TW_LOCAL_SPACE);
    for (size_t turn = 0; turn < (size_t)k->n; ++turn)
        tw_atomic_fetch_add(&hits[l / 17], k->in[first + (l + turn) % ITEMS], TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);
    tw_barrier(item, TW_LOCAL_SPACE);
    if (l < 4)
        k->out[first + l] = hits[l];
}
TW_ND_RANGE_KERNEL(atomics_in_turns, ITEMS);
static void atomics_in_turns_model(const int *in, int *out, int n, size_t items, size_t group)
{
    (void)group;
    for (size_t l = 0; l < 4; ++l)
        out[l] = 0;
    for (size_t l = 0; l < items; ++l)
        for (size_t turn = 0; turn < (size_t)n; ++turn)
            out[l / 17] += in[(l + turn) % items];
}

TW_TEST(atomics_of_a_group)
{
    ND_BEGIN(queue);
    CHECK(queue, atomics_in_turns, line(ITEMS), 7);
    CHECK(queue, atomics, line(ITEMS), 1);
    CHECK(queue, atomics, line(ITEMS), 1500);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- group functions --------------------------------------------------------------------------------------------- */

SHAPE(functions)
{
    const size_t l = tw_local_linear_id(item), at = place_of(item);
    int x = k->in[at];
    for (int turn = 0; turn < k->n; ++turn) {
        x += tw_reduce_over_group(item, x, TW_MAX) % 7;
        x += tw_group_broadcast(item, (int)l + 3, 0);
        x += tw_inclusive_scan_over_group(item, (int)l, TW_SUM);
        x -= tw_exclusive_scan_over_group(item, 1, TW_SUM);
        x += (int)tw_reduce_over_group(item, 0.25 * (double)(l % 4), TW_SUM);
        x += tw_group_broadcast(item, x, (size_t)turn) % 11;
        x += tw_all_of_group(item, x > 0) ? 1 : 2;
    }
    k->out[at] = x;
}
TW_ND_RANGE_KERNEL(functions);
static void functions_model(const int *in, int *out, int n, size_t items, size_t group)
{
    int x[COUNT];
    (void)group;
    memcpy(x, in, items * sizeof *x);
    for (int turn = 0; turn < n; ++turn) {
        int most = INT_MIN, all = 1;
        double quarters = 0;
        for (size_t l = 0; l < items; ++l) {
            most = x[l] > most ? x[l] : most;
            quarters += 0.25 * (double)(l % 4);
        }
        for (size_t l = 0; l < items; ++l)
            x[l] += most % 7 + 3 + (int)(l * (l + 1) / 2) - (int)l + (int)quarters;
        const int one = x[turn] % 11;
        for (size_t l = 0; l < items; ++l) {
            x[l] += one;
            all &= x[l] > 0;
        }
        for (size_t l = 0; l < items; ++l)
            x[l] += all ? 1 : 2;
    }
    memcpy(out, x, items * sizeof *x);
}

TW_TEST(group_functions)
{
    ND_BEGIN(queue);
    CHECK(queue, functions, line(64), 3);
    CHECK(queue, functions, line(128), 3);
    CHECK(queue, functions, nd_groups(tw_range_2d(1, 2), tw_range_2d(3, 32)), 2);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- what stays as it is ----------------------------------------------------------------------------------------- */

/* Where a work-item is at the barrier differs, the barrier does not. */
SHAPE(keeps_different_turns)
{
    TW_LOCAL(int, tile, [ITEMS]);
    const size_t l = tw_local_id(item, 0), at = place_of(item);
    int sum = 0;
    for (size_t i = 0; i < 2 + l % 3; ++i) {
        sum += k->in[at];
        tile[l] = sum;
        if (i < 2)
            tw_barrier(item, TW_LOCAL_SPACE);
    }
    k->out[at] = sum + k->n;
}
TW_ND_RANGE_KERNEL(keeps_different_turns, ITEMS);
static void keeps_different_turns_model(const int *in, int *out, int n, size_t items, size_t group)
{
    (void)group;
    for (size_t l = 0; l < items; ++l)
        out[l] = in[l] * (int)(2 + l % 3) + n;
}

/* A function of another file takes the work-item: what it does at barriers is not to be seen. */
void split_other_barrier(tw_nd_item item);
SHAPE(keeps_other_file)
{
    TW_LOCAL(int, tile, [ITEMS]);
    const size_t l = tw_local_id(item, 0), at = place_of(item);
    tile[l] = k->in[at];
    split_other_barrier(item);
    const int other = tile[ITEMS - 1 - l];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[at] = other + k->n;
}
TW_ND_RANGE_KERNEL(keeps_other_file, ITEMS);
static void keeps_other_file_model(const int *in, int *out, int n, size_t items, size_t group)
{
    (void)group;
    for (size_t l = 0; l < items; ++l)
        out[l] = in[items - 1 - l] + n;
}

TW_TEST(kernels_that_stay_as_they_are)
{
    ND_BEGIN(queue);
    CHECK(queue, keeps_different_turns, line(ITEMS), 1);
    CHECK(queue, keeps_other_file, line(ITEMS), 1);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- ranges that a group shares out ------------------------------------------------------------------------------ */

enum { WIDE = 18, CELLS = 10 * WIDE };

static inline int cell(const int *in, unsigned at, unsigned items)
{
    return in[(at / WIDE * 7 + at % WIDE) % items] + (int)at;
}

/* By the linear id, with rows found by a division; one element for each turn of the group, with what is too much left out; and
   of another type, from an element on that the launch gives. */
SHAPE(shares_cells)
{
    TW_LOCAL(int, cells, [3][CELLS]);
    const unsigned l = (unsigned)tw_local_linear_id(item), m = (unsigned)tw_local_linear_range(item);
    const int *in = k->in + tw_group_linear_id(item) * m;
    const size_t at = place_of(item), last = (size_t)k->n + 70;
    for (unsigned i = l; i < CELLS; i += m)
        cells[0][i] = cell(in, i, m);
    for (unsigned first = 0; first < CELLS; first += ITEMS) {
        const unsigned i = first + l;
        if (i < CELLS)
            cells[1][i] = cell(in, i, m) * 2;
    }
    for (unsigned i = l; i < CELLS; i += m)
        cells[2][i] = 3;
    tw_barrier(item, TW_LOCAL_SPACE);
    for (size_t i = (size_t)k->n + tw_local_id(item, 0); i < last; i += tw_local_range(item, 0))
        cells[2][i] += (int)(i * i);
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[at] = 0;
    for (unsigned i = l; i < CELLS; i += 5)
        k->out[at] += cells[0][i] * 3 + cells[1][i] + cells[2][i];
}
TW_ND_RANGE_KERNEL(shares_cells, ITEMS);
static void shares_cells_model(const int *in, int *out, int n, size_t items, size_t group)
{
    (void)group;
    for (unsigned l = 0; l < items; ++l) {
        out[l] = 0;
        for (unsigned i = l; i < CELLS; i += 5)
            out[l] += cell(in, i, (unsigned)items) * 5 + 3 + ((int)i >= n && (int)i < n + 70 ? (int)(i * i) : 0);
    }
}

/* A tile with a border, by rows and columns. */
enum { TILE_ROWS = 11, TILE_COLUMNS = 19 };
SHAPE(shares_tile)
{
    TW_LOCAL(int, tile, [TILE_ROWS][TILE_COLUMNS]);
    const size_t at = place_of(item), m = tw_local_linear_range(item);
    const int y = (int)tw_local_id(item, 0), x = (int)tw_local_id(item, 1);
    const int *in = k->in + tw_group_linear_id(item) * m;
    for (int i = y; i < TILE_ROWS; i += 4)
        for (int j = x; j < TILE_COLUMNS; j += 16)
            tile[i][j] = in[(i * 13 + j) % (int)m] - j;
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[at] = tile[y][x] + tile[y + 7][x + 3] * k->n;
}
TW_ND_RANGE_KERNEL(shares_tile, 4, 16);
static void shares_tile_model(const int *in, int *out, int n, size_t items, size_t group)
{
    (void)group;
    for (int l = 0; l < (int)items; ++l) {
        const int y = l / 16, x = l % 16;
        out[l] = in[(y * 13 + x) % ITEMS] - x + (in[((y + 7) * 13 + x + 3) % ITEMS] - x - 3) * n;
    }
}

/* What the turn of a group is, and what the next one will be, does not go by the element. */
SHAPE(shares_turns)
{
    TW_LOCAL(int, cells, [2][2 * CELLS]);
    const unsigned l = (unsigned)tw_local_linear_id(item), m = (unsigned)tw_local_linear_range(item);
    const size_t at = place_of(item);
    for (unsigned first = 0; first < CELLS;) {
        const unsigned i = first + l;
        first += ITEMS;
        if (i < CELLS)
            cells[0][i] = (int)i + 3 * (int)(first / 7);
    }
    for (unsigned first = 0; first < CELLS; first += ITEMS)
        if (first + l < CELLS)
            cells[1][first + l + first / 3] = (int)(first + l) * 5;
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[at] = (int)m * k->n;
    for (unsigned i = l; i < CELLS; i += ITEMS)
        k->out[at] += cells[0][i] + cells[1][i + (i - l) / 3];
}
TW_ND_RANGE_KERNEL(shares_turns, ITEMS);
static void shares_turns_model(const int *in, int *out, int n, size_t items, size_t group)
{
    (void)in, (void)group;
    for (int l = 0; l < (int)items; ++l) {
        out[l] = (int)items * n;
        for (int i = l; i < CELLS; i += ITEMS)
            out[l] += i + 3 * ((i - l + ITEMS) / 7) + i * 5;
    }
}

/* The border of a tile, which is a condition of both ids, decides before a barrier and behind it. */
SHAPE(borders)
{
    TW_LOCAL(int, tile, [4][16]);
    const size_t at = place_of(item);
    const int y = (int)tw_local_id(item, 0), x = (int)tw_local_id(item, 1);
    const bool is_border = x == 0 || x == (int)tw_local_range(item, 1) - 1 || y == 0;
    tile[y][x] = k->in[at];
    tw_barrier(item, TW_LOCAL_SPACE);
    const int sum = is_border ? 0 : tile[y - 1][x] + tile[y][x - 1] + tile[y][x + 1];
    tw_barrier(item, TW_LOCAL_SPACE);
    if (!is_border)
        tile[y][x] = sum;
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[at] = is_border ? k->n : tile[y][x];
}
TW_ND_RANGE_KERNEL(borders, 4, 16);
static void borders_model(const int *in, int *out, int n, size_t items, size_t group)
{
    (void)group;
    for (size_t l = 0; l < items; ++l) {
        const bool is_border = l % 16 == 0 || l % 16 == 15 || l / 16 == 0;
        out[l] = is_border ? n : in[l - 16] + in[l - 1] + in[l + 1];
    }
}

/* What a work-item has of its own does not go by the element: a sum, another id, an array, and what it read before. */
SHAPE(own_turns)
{
    TW_LOCAL(int, cells, [CELLS]);
    const int l = (int)tw_local_id(item, 0);
    const size_t at = place_of(item);
    const int mine = k->in[at];
    int sum = 0, last[4] = {0};
    for (int i = l; i < CELLS; i += ITEMS)
        sum += i;
    for (int i = l; i < CELLS; i += ITEMS)
        cells[i] = l;
    for (int i = l; i < CELLS; i += ITEMS)
        cells[i] += mine;
    for (int i = l; i < CELLS; i += ITEMS)
        last[i & 3] = i + k->n;
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[at] = sum + cells[(l + 1) % ITEMS] + cells[CELLS - 1 - l] + last[l & 3];
}
TW_ND_RANGE_KERNEL(own_turns, ITEMS);
static void own_turns_model(const int *in, int *out, int n, size_t items, size_t group)
{
    (void)items, (void)group;
    for (int l = 0; l < ITEMS; ++l) {
        int sum = 0, last[4] = {0};
        for (int i = l; i < CELLS; i += ITEMS) {
            sum += i;
            last[i & 3] = i + n;
        }
        const int next = (l + 1) % ITEMS, back = (CELLS - 1 - l) % ITEMS;
        out[l] = sum + next + in[next] + back + in[back] + last[l & 3];
    }
}

/* Each plane of a group shares out its own. */
SHAPE(shares_planes)
{
    TW_LOCAL(int, cells, [2][CELLS]);
    const int z = (int)tw_local_id(item, 0), columns = (int)tw_local_range(item, 2),
              m = (int)tw_local_range(item, 1) * columns;
    const int l = (int)tw_local_id(item, 1) * columns + (int)tw_local_id(item, 2);
    const int *in = k->in + tw_group_linear_id(item) * tw_local_linear_range(item);
    for (int i = l; i < CELLS; i += m)
        cells[z][i] = in[(i / WIDE * 3 + i % WIDE) % m] + z * i;
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[place_of(item)] = cells[1 - z][CELLS - 1 - l] * k->n + cells[z][m + l];
}
TW_ND_RANGE_KERNEL(shares_planes);
static void shares_planes_model(const int *in, int *out, int n, size_t items, size_t group)
{
    (void)group;
    const int m = (int)items / 2;
    for (int l = 0; l < (int)items; ++l) {
        const int z = l / m, other = CELLS - 1 - l % m, own = m + l % m;
        out[l] = (in[(other / WIDE * 3 + other % WIDE) % m] + (1 - z) * other) * n
                 + in[(own / WIDE * 3 + own % WIDE) % m] + z * own;
    }
}

/* In a small group a work-item soon comes back to what it has written. */
SHAPE(comes_back)
{
    TW_LOCAL(int, cells, [CELLS]);
    const int l = (int)tw_local_id(item, 0), m = (int)tw_local_range(item, 0);
    for (int i = l; i < CELLS; i += m)
        cells[i] = i < m ? k->n : cells[i - m] + 1;
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[place_of(item)] = cells[CELLS - 1 - l];
}
TW_ND_RANGE_KERNEL(comes_back);
static void comes_back_model(const int *in, int *out, int n, size_t items, size_t group)
{
    (void)in, (void)group;
    for (int l = 0; l < (int)items; ++l)
        out[l] = (CELLS - 1 - l) / (int)items + n;
}

/* The ids of a sum have more terms than the plugin follows. */
SHAPE(many_terms)
{
    const int n = k->n, l = (int)tw_local_linear_id(item);
    const int at = (int)tw_global_id(item, 2) * n + (int)tw_global_id(item, 1) * (n + 2) + (int)tw_global_id(item, 0);
    int v = k->in[place_of(item)];
    if (v % 2 != 0)
        for (int i = 0; i < n; ++i)
            v = ((v ^ i) + at + i * at) & 0xfff;
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[place_of(item)] = v + l;
}
TW_ND_RANGE_KERNEL(many_terms);
static void many_terms_model(const int *in, int *out, int n, size_t items, size_t group)
{
    for (int l = 0; l < (int)items; ++l) { /* groups of 2 x 4 x 8, in a column */
        const int at = l % 8 * n + ((int)group * 4 + l / 8 % 4) * (n + 2) + l / 32;
        out[l] = in[l];
        for (int i = 0; i < n && in[l] % 2 != 0; ++i)
            out[l] = ((out[l] ^ i) + at + i * at) & 0xfff;
        out[l] += l;
    }
}

/* Rows of a group, each of which has a sum of its own; the last ones may have none. */
enum { ROW = 16 };
SHAPE(sums_of_rows)
{
    TW_LOCAL(int, part, [ITEMS]);
    const int l = (int)tw_local_id(item, 0), lane = l % ROW, row = l / ROW;
    const int *in = k->in + tw_group_linear_id(item) * ITEMS;
    int sum = 0;
    if (row < k->n)
        for (int i = in[row] % 7 + lane; i < ITEMS - row; i += ROW)
            sum += in[i] * (i + 1);
    part[l] = sum;
    tw_barrier(item, TW_LOCAL_SPACE);
    for (int s = ROW / 2; s > 0; s /= 2) {
        if (lane < s)
            part[l] += part[l + s];
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    k->out[place_of(item)] = lane == 0 && row < k->n ? part[l] : row;
}
TW_ND_RANGE_KERNEL(sums_of_rows, ITEMS);
static void sums_of_rows_model(const int *in, int *out, int n, size_t items, size_t group)
{
    (void)items, (void)group;
    for (int l = 0; l < ITEMS; ++l) {
        const int row = l / ROW;
        out[l] = row;
        if (l % ROW == 0 && row < n) {
            out[l] = 0;
            for (int i = in[row] % 7; i < ITEMS - row; ++i)
                out[l] += in[i] * (i + 1);
        }
    }
}

/* ---- loops that work-items leave at different turns; the order of what each adds up counts ---------------------- */

/* The last ones first, one or several with each turn. */
SHAPE(leave_one_by_one)
{
    TW_LOCAL(int, part, [256]);
    const int l = (int)tw_local_id(item, 0), n = k->n;
    const int *in = k->in;
    int v = l, last = 0;
    for (int i = l + 1; i < n; i += 5) {
        v = (v * 5 + in[i]) & 0xffff;
        last = i;
    }
    part[l] = v ^ last;
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[place_of(item)] = part[(l + 1) % (int)tw_local_range(item, 0)];
}
TW_ND_RANGE_KERNEL(leave_one_by_one);
static void leave_one_by_one_model(const int *in, int *out, int n, size_t items, size_t group)
{
    in -= group * items; /* of all groups */
    for (int l = 0; l < (int)items; ++l) {
        const int own = (l + 1) % (int)items;
        int v = own, last = 0;
        for (int i = own + 1; i < n; i += 5) {
            v = (v * 5 + in[i]) & 0xffff;
            last = i;
        }
        out[l] = v ^ last;
    }
}

/* With each turn of an outer loop, fewer take part in the inner one. */
SHAPE(leave_loops_in_loops)
{
    TW_LOCAL(int, part, [256]);
    const int l = (int)tw_local_id(item, 0), n = k->n;
    const int *in = k->in;
    int v = l;
    for (int i = l; i < n; i += 33)
        for (int j = i; j < n; j += n / 4 + 1)
            v = (v * 3 + in[j]) & 0xffff;
    part[l] = v;
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[place_of(item)] = part[(l + 1) % (int)tw_local_range(item, 0)];
}
TW_ND_RANGE_KERNEL(leave_loops_in_loops);
static void leave_loops_in_loops_model(const int *in, int *out, int n, size_t items, size_t group)
{
    in -= group * items; /* of all groups */
    for (int l = 0; l < (int)items; ++l) {
        const int own = (l + 1) % (int)items;
        int v = own;
        for (int i = own; i < n; i += 33)
            for (int j = i; j < n; j += n / 4 + 1)
                v = (v * 3 + in[j]) & 0xffff;
        out[l] = v;
    }
}

/* The first ones, whose counter begins below 0, are not among those that go on. */
SHAPE(leave_from_below)
{
    TW_LOCAL(int, part, [256]);
    const int l = (int)tw_local_id(item, 0), n = k->n;
    const int *in = k->in;
    int v = l, last = 0;
    for (unsigned q = 0; q < 3; ++q) {
        unsigned i = (unsigned)l - 9 * q;
        for (; i < (unsigned)n; i += 9)
            v = (v * 3 + in[l]) & 0xffff;
        i = (unsigned)l - 8 * q;
        do
            v = (v * 5 + in[l]) & 0xffff;
        while ((i += 7) < (unsigned)n);
        last += (int)i;
    }
    part[l] = v ^ last;
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[place_of(item)] = part[(l + 1) % (int)tw_local_range(item, 0)];
}
TW_ND_RANGE_KERNEL(leave_from_below);
static void leave_from_below_model(const int *in, int *out, int n, size_t items, size_t group)
{
    in -= group * items; /* of all groups */
    for (int l = 0; l < (int)items; ++l) {
        const int own = (l + 1) % (int)items;
        int v = own, last = 0;
        for (unsigned q = 0; q < 3; ++q) {
            unsigned i = (unsigned)own - 9 * q;
            for (; i < (unsigned)n; i += 9)
                v = (v * 3 + in[own]) & 0xffff;
            i = (unsigned)own - 8 * q;
            do
                v = (v * 5 + in[own]) & 0xffff;
            while ((i += 7) < (unsigned)n);
            last += (int)i;
        }
        out[l] = v ^ last;
    }
}

TW_TEST(loops_that_work_items_leave_in_turn)
{
    ND_BEGIN(queue);
    for (int n = 0; n <= GROUPS * 96; n += n < 70 ? 1 : 23)
        for (size_t items = 96; items <= 128; items += 32) {
            CHECK(queue, leave_one_by_one, line(items), n);
            CHECK(queue, leave_loops_in_loops, line(items), n);
            CHECK(queue, leave_from_below, line(items), n);
        }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(ranges_that_a_group_shares_out)
{
    ND_BEGIN(queue);
    CHECK(queue, shares_cells, line(ITEMS), 33);
    CHECK(queue, shares_cells, line(ITEMS), 0);
    CHECK(queue, shares_tile, nd_groups(tw_range_2d(1, 3), tw_range_2d(4, 16)), 5);
    CHECK(queue, shares_turns, line(ITEMS), 7);
    CHECK(queue, borders, nd_groups(tw_range_2d(1, 3), tw_range_2d(4, 16)), 5);
    CHECK(queue, own_turns, line(ITEMS), 11);
    CHECK(queue, comes_back, line(8), 3);
    CHECK(queue, sums_of_rows, line(ITEMS), 3);
    CHECK(queue, sums_of_rows, line(ITEMS), 5);
    CHECK(queue, shares_planes, nd_groups(tw_range_3d(1, 2, 1), tw_range_3d(2, 4, 8)), 3);
    CHECK(queue, many_terms, nd_groups(tw_range_3d(1, 2, 1), tw_range_3d(2, 4, 8)), 5);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- what only some work-items change -------------------------------------------------------------------------- */

/* Under conditions on the index, a value that lives on; under one on what it is, an element. */
SHAPE(some_change)
{
    const size_t l = tw_local_id(item, 0), first = tw_group_id(item, 0) * ITEMS;
    int most = k->in[first + l];
    k->out[first + l] = most / 2;
    for (unsigned turn = 2; turn < (unsigned)k->n; ++turn) {
        tw_barrier(item, TW_LOCAL_SPACE);
        const unsigned i = (unsigned)l + 1;
        if (i < turn && turn <= i + 40)
            most = (int)(turn * 11) > most ? (int)(turn * 11) : most - 1;
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    if (k->out[first + l] + 250 < most)
        k->out[first + l] = most;
}
TW_ND_RANGE_KERNEL(some_change, ITEMS);
static void some_change_model(const int *in, int *out, int n, size_t items, size_t group)
{
    (void)group;
    for (int l = 0; l < (int)items; ++l) {
        int most = in[l];
        for (int turn = 2; turn < n; ++turn)
            if (l + 1 < turn && turn <= l + 41)
                most = turn * 11 > most ? turn * 11 : most - 1;
        out[l] = in[l] / 2 + 250 < most ? most : in[l] / 2;
    }
}

TW_TEST(what_some_work_items_change)
{
    ND_BEGIN(queue);
    for (int n = 0; n < 2 * ITEMS; n += 13)
        CHECK(queue, some_change, line(ITEMS), n);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- several streams of memory ------------------------------------------------------------------------------------ */

enum { STREAM = 256, PARTS = 4 };
#define STREAMS(name, type)                                                                                            \
    SHAPE(name)                                                                                                        \
    {                                                                                                                  \
        int *tile = tw_local_data(item, k->tile), sum = 0;                                                             \
        const type l = (type)tw_local_id(item, 0), first = (type)tw_group_id(item, 0) * STREAM * PARTS + l;            \
        for (type part = 0; part < PARTS; ++part)                                                                      \
            sum = (3 * sum + k->in[first + part * STREAM]) % 1000;                                                     \
        tile[l] = sum;                                                                                                 \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        for (type part = 0; part < PARTS; ++part)                                                                      \
            k->out[first + part * STREAM] = tile[STREAM - 1 - l] + k->n * (int)part;                                   \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(name, STREAM)
STREAMS(streams_of_int, int);
STREAMS(streams_of_unsigned, unsigned);
STREAMS(streams_of_size, size_t);

/* In memory of its own, which ends where the last group's part does, and in place. */
#define CHECK_STREAMS(queue, name, in_place)                                                                           \
    do {                                                                                                               \
        enum { PART = STREAM * PARTS, ALL = GROUPS * PART };                                                           \
        int *in = calloc(ALL, sizeof *in), *out = calloc(ALL, sizeof *out);                                            \
        tw_buffer *tw_in = NULL, *tw_out = NULL;                                                                       \
        TW_CHECK(in &&out);                                                                                            \
        for (int i = 0; in && out && i < ALL; ++i)                                                                     \
            in[i] = out[i] = i * 7919 % 1009;                                                                          \
        TW_PASS(tw_buffer_create_over_const(in, sizeof *in, tw_range_1d(ALL), &tw_in));                                \
        TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(ALL), &tw_out));                                   \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        int *to = tw_read_write(cg, tw_out);                                                                           \
        tw_parallel_for_nd_range(cg, line(STREAM), name, .in = (in_place) ? to : tw_read(cg, tw_in), .out = to,        \
                                 .n = 7, .tile = tw_local(cg, STREAM * sizeof(int)));                                  \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_buffer_destroy(&tw_out));                                                                           \
        TW_PASS(tw_buffer_destroy(&tw_in));                                                                            \
        for (int i = 0; in && out && i < ALL; ++i) {                                                                   \
            int sum = 0;                                                                                               \
            for (int part = 0; part < PARTS; ++part)                                                                   \
                sum = (3 * sum + in[i / PART * PART + part * STREAM + STREAM - 1 - i % STREAM]) % 1000;                \
            TW_EQUAL(out[i], sum + 7 * (i % PART / STREAM));                                                           \
        }                                                                                                              \
        free(in);                                                                                                      \
        free(out);                                                                                                     \
    } while (0)

TW_TEST(several_streams_of_memory)
{
    ND_BEGIN(queue);
    for (int in_place = 0; in_place < 2; ++in_place) {
        CHECK_STREAMS(queue, streams_of_int, in_place);
        CHECK_STREAMS(queue, streams_of_unsigned, in_place);
        CHECK_STREAMS(queue, streams_of_size, in_place);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- trees between copies ----------------------------------------------------------------------------------------- */

/* Pairs, and pairs of pairs: `n` numbers come from memory, or all, and go there. */
#define TREES(name, is_there)                                                                                          \
    SHAPE(name)                                                                                                        \
    {                                                                                                                  \
        TW_LOCAL(int, tree, [2 * ITEMS]);                                                                              \
        const size_t t = tw_local_id(item, 0), n = (size_t)k->n, first = tw_group_id(item, 0) * 2 * ITEMS;             \
        (void)n;                                                                                                       \
        tree[2 * t] = (is_there(first + 2 * t)) ? k->in[first + 2 * t] : 1;                                            \
        tree[2 * t + 1] = (is_there(first + 2 * t + 1)) ? k->in[first + 2 * t + 1] : 1;                                \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        tree[2 * t + 1] += 3 * tree[2 * t];                                                                            \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        if (t < ITEMS / 2)                                                                                             \
            tree[4 * t + 2] += tree[4 * t + 1];                                                                        \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        if (is_there(first + 2 * t))                                                                                   \
            k->out[first + 2 * t] = tree[2 * t];                                                                       \
        if (is_there(first + 2 * t + 1))                                                                               \
            k->out[first + 2 * t + 1] = tree[2 * t + 1];                                                               \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(name, ITEMS)
#define IS_BELOW_N(i) (i) < n
#define IS_ANY(i) true
TREES(trees_of_some, IS_BELOW_N);
TREES(trees_of_all, IS_ANY);

/* Numbers go to `behind` elements behind where they come from. What is in memory of its own ends where it is accessed last. */
#define CHECK_TREES(queue, name, groups, n_, behind, in_place)                                                         \
    do {                                                                                                               \
        const size_t count = (size_t)(n_), past = count + (behind);                                                    \
        int *data = malloc(count * sizeof *data), *to = malloc(past * sizeof *to), *right = malloc(past * sizeof *to); \
        tw_buffer *tw_in = NULL, *tw_out = NULL;                                                                       \
        TW_CHECK(data &&to &&right);                                                                                   \
        for (size_t i = 0; i < past; ++i)                                                                              \
            to[i] = right[i] = (int)(i * 7919 % 1009);                                                                 \
        memcpy(data, to, count * sizeof *data);                                                                        \
        for (size_t first = 0; first < count; first += 2 * ITEMS) {                                                    \
            int tree[2 * ITEMS];                                                                                       \
            for (size_t i = 0; i < 2 * ITEMS; ++i)                                                                     \
                tree[i] = first + i < count ? data[first + i] : 1;                                                     \
            for (size_t i = 0; i < 2 * ITEMS; i += 2)                                                                  \
                tree[i + 1] += 3 * tree[i];                                                                            \
            for (size_t i = 0; i < 2 * ITEMS; i += 4)                                                                  \
                tree[i + 2] += tree[i + 1];                                                                            \
            for (size_t i = 0; i < 2 * ITEMS && first + i < count; ++i)                                                \
                right[first + i + (behind)] = tree[i];                                                                 \
        }                                                                                                              \
        TW_PASS(tw_buffer_create_over_const(data, sizeof *data, tw_range_1d(count), &tw_in));                          \
        TW_PASS(tw_buffer_create_over(to, sizeof *to, tw_range_1d(past), &tw_out));                                    \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        int *out = tw_read_write(cg, tw_out);                                                                          \
        tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(groups), tw_range_1d(ITEMS)), name,                         \
                                 .in = (in_place) ? out : tw_read(cg, tw_in), .out = out ? out + (behind) : NULL,      \
                                 .n = (int)(n_), .tile = tw_local(cg, sizeof(int)));                                   \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_buffer_destroy(&tw_out));                                                                           \
        TW_PASS(tw_buffer_destroy(&tw_in));                                                                            \
        for (size_t i = 0; i < past; ++i)                                                                              \
            TW_EQUAL(to[i], right[i]);                                                                                 \
        free(data);                                                                                                    \
        free(to);                                                                                                      \
        free(right);                                                                                                   \
    } while (0)

/* Each work-item reads what it has just written, by another pointer. */
SHAPE(trees_of_written)
{
    TW_LOCAL(int, tree, [2 * ITEMS]);
    const size_t t = tw_local_id(item, 0), first = tw_group_id(item, 0) * 2 * ITEMS;
    k->out[first + 2 * t] = k->n;
    k->out[first + 2 * t + 1] = 5;
    tree[2 * t] = k->in[first + 2 * t];
    tree[2 * t + 1] = k->in[first + 2 * t + 1];
    tw_barrier(item, TW_LOCAL_SPACE);
    tree[2 * t + 1] += 3 * tree[2 * t];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[first + 2 * t] = tree[2 * t];
    k->out[first + 2 * t + 1] = tree[2 * t + 1];
}
TW_ND_RANGE_KERNEL(trees_of_written, ITEMS);

static void check_written(tw_queue *queue)
{
    int numbers[GROUPS * 2 * ITEMS] = {0};
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_over(numbers, sizeof *numbers, tw_range_1d(GROUPS * 2 * ITEMS), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    int *all = tw_read_write(cg, buffer);
    tw_parallel_for_nd_range(cg, line(ITEMS), trees_of_written, .in = all, .out = all, .n = 7,
                             .tile = tw_local(cg, sizeof(int)));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < GROUPS * 2 * ITEMS; ++i)
        TW_EQUAL(numbers[i], i % 2 == 0 ? 7 : 5 + 3 * 7);
}

TW_TEST(trees_between_copies)
{
    ND_BEGIN(queue);
    check_written(queue);
    for (int in_place = 0; in_place < 2; ++in_place) {
        CHECK_TREES(queue, trees_of_all, GROUPS, GROUPS * 2 * ITEMS, 0, in_place);
        for (int less = 0; less < 20; ++less)
            CHECK_TREES(queue, trees_of_some, GROUPS, GROUPS * 2 * ITEMS - less, 0, in_place);
    }
    /* all of a group is read before it is written */
    CHECK_TREES(queue, trees_of_all, 1, 2 * ITEMS, 1, true);
    CHECK_TREES(queue, trees_of_some, 1, 2 * ITEMS, 1, true);
    CHECK_TREES(queue, trees_of_some, 1, 2 * ITEMS - 3, 3, true);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- work-items that go different ways --------------------------------------------------------------------------- */

enum { LINE = __LINE__ + 6 };
SHAPE(different_ways)
{
    const size_t l = tw_local_id(item, 0), at = place_of(item);
    k->out[at] = 1;
    if (k->in[at] < k->n || l < 5)
        tw_barrier(item, TW_LOCAL_SPACE);
    k->out[at] = 2;
}
TW_ND_RANGE_KERNEL(different_ways, ITEMS);
static void different_ways_model(const int *in, int *out, int n, size_t items, size_t group)
{
    (void)in, (void)n, (void)group;
    for (size_t l = 0; l < items; ++l)
        out[l] = 2;
}

TW_TEST(different_ways_are_found)
{
    char expected[32];
    tw_buffer *in = NULL, *out = NULL;
    ND_BEGIN(queue);
    CHECK(queue, different_ways, line(ITEMS), 2000);
    if (!tw_device_is_gpu(tw_queue_device(queue))) {
        int zero[ITEMS] = {0};
        TW_PASS(tw_buffer_create_over_const(zero, sizeof *zero, tw_range_1d(ITEMS), &in));
        TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(ITEMS), &out));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(1), tw_range_1d(ITEMS)), different_ways,
                                 .in = tw_read(cg, in), .out = tw_discard_write(cg, out), .n = 0,
                                 .tile = tw_local(cg, sizeof(int)));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_FAIL(tw_queue_wait_and_throw(queue), TW_ERROR_DIVERGENT_BARRIER);
        snprintf(expected, sizeof expected, "line %d ", LINE);
        TW_CHECK(strstr(tw_error_detail(), expected) != NULL && strstr(tw_error_detail(), "reached by 5 ") != NULL);
        TW_PASS(tw_buffer_destroy(&in));
        (void)tw_buffer_destroy(&out);
        CHECK(queue, different_ways, line(ITEMS), 2000);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(straight_line_in_every_dimension),
                TW_CASE(loops_around_barriers),
                TW_CASE(branches_around_barriers),
                TW_CASE(variables_live_on),
                TW_CASE(atomics_of_a_group),
                TW_CASE(group_functions),
                TW_CASE(kernels_that_stay_as_they_are),
                TW_CASE(loops_that_work_items_leave_in_turn),
                TW_CASE(ranges_that_a_group_shares_out),
                TW_CASE(what_some_work_items_change),
                TW_CASE(several_streams_of_memory),
                TW_CASE(trees_between_copies),
                TW_CASE(different_ways_are_found),
                TW_CASES_END};
