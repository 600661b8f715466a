/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host stacks x86_64 (x86_64-teams gpu-simt gpu-teams) */
/** lower/group/nd_item.h: barriers and fences in nd_range kernels (properties 41 to 43), under control flow of every kind
 *  that all work-items of a group take alike, and what work-items keep over them. Unlike: test_barrier_divergence.c. */
#include "nd_range_test.h"

/* ---- spaces (properties 41 to 43) -------------------------------------------------------------------------------- */

/* Neighbours swap their numbers, through local or global memory. */
struct swap {
    int *x, *between;
    tw_fence_space space;
};
static inline void swap(tw_nd_item item, const struct swap *k)
{
    TW_LOCAL(int, tile, [2]);
    const size_t l = tw_local_id(item, 0), g = tw_global_id(item, 0);
    if (k->space & TW_LOCAL_SPACE)
        tile[l] = k->x[g];
    if (k->space & TW_GLOBAL_SPACE)
        k->between[g] = k->x[g];
    tw_barrier(item, k->space);
    const int local = k->space & TW_LOCAL_SPACE ? tile[1 - l] : k->between[g ^ 1];
    const int global = k->space & TW_GLOBAL_SPACE ? k->between[g ^ 1] : tile[1 - l];
    k->x[g] = local == global ? local : -1;
}
TW_ND_RANGE_KERNEL(swap);

TW_TEST(barriers_of_each_space)
{
    enum { COUNT = 64 };
    const tw_fence_space spaces[] = {TW_LOCAL_SPACE, TW_GLOBAL_SPACE, TW_GLOBAL_AND_LOCAL};
    int x[COUNT], between[COUNT];
    ND_BEGIN(queue);
    for (int s = 0; s < 3; ++s) {
        tw_buffer *a = NULL, *b = NULL;
        for (int i = 0; i < COUNT; ++i)
            x[i] = between[i] = i;
        TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(COUNT), &a));
        TW_PASS(tw_buffer_create_over(between, sizeof *between, tw_range_1d(COUNT), &b));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(COUNT / 2), tw_range_1d(2)), swap, .x = tw_read_write(cg, a),
                                 .between = tw_read_write(cg, b), .space = spaces[s]);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_buffer_destroy(&a));
        TW_PASS(tw_buffer_destroy(&b));
        for (int i = 0; i < COUNT; ++i)
            TW_EQUAL(x[i], i ^ 1);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* A fence orders, and does not wait: the barrier after it does. Work-items may come to different numbers of fences. */
struct fence {
    int *x;
    tw_fence_space space;
};
static inline void fence(tw_nd_item item, const struct fence *k)
{
    TW_LOCAL(int, tile, [32]);
    const size_t l = tw_local_id(item, 0);
    for (size_t i = 0; i <= l % 3; ++i) {
        tile[l] = k->x[tw_global_id(item, 0)];
        tw_mem_fence(item, k->space);
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    k->x[tw_global_id(item, 0)] = tile[31 - l];
}
TW_ND_RANGE_KERNEL(fence, 32);

TW_TEST(fences_of_each_space)
{
    const tw_fence_space spaces[] = {TW_LOCAL_SPACE, TW_GLOBAL_SPACE, TW_GLOBAL_AND_LOCAL};
    int x[96];
    ND_BEGIN(queue);
    for (int s = 0; s < 3; ++s) {
        tw_buffer *buffer = NULL;
        for (int i = 0; i < 96; ++i)
            x[i] = i;
        TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(96), &buffer));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(3), tw_range_1d(32)), fence, .x = tw_read_write(cg, buffer),
                                 .space = spaces[s]);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_buffer_destroy(&buffer));
        for (int i = 0; i < 96; ++i)
            TW_EQUAL(x[i], i / 32 * 32 + 31 - i % 32);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- control flow
   -------------------------------------------------------------------------------------------------------

   1024 numbers, each its index at first, in groups of 256 with one int of local memory for each work-item. The expected
   numbers of most are those of AdaptiveCpp's tests of the same names. */

enum { LOCAL = 256, GLOBAL = 1024 };

#define CONTROL_FLOW(name)                                                                                             \
    struct name {                                                                                                      \
        int *x;                                                                                                        \
        tw_local_memory scratch;                                                                                       \
    };                                                                                                                 \
    static inline void name(tw_nd_item item, const struct name *k)

static void begin_flow(tw_queue *queue, int *x, tw_buffer **buffer, tw_command_group **cg)
{
    for (int i = 0; i < GLOBAL; ++i)
        x[i] = i;
    TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(GLOBAL), buffer));
    *cg = tw_queue_begin(queue);
}

static void end_flow(tw_queue *queue, tw_buffer **buffer, tw_command_group *cg)
{
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(buffer));
}

/* Leaves in x what the kernel makes of it. */
#define RUN_FLOW(queue, name, x)                                                                                       \
    do {                                                                                                               \
        tw_buffer *tw_buffer_ = NULL;                                                                                  \
        tw_command_group *cg = NULL;                                                                                   \
        begin_flow(queue, x, &tw_buffer_, &cg);                                                                        \
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(GLOBAL), tw_range_1d(LOCAL)), name,                  \
                                 .x = tw_read_write(cg, tw_buffer_), .scratch = tw_local(cg, LOCAL * sizeof(int)));    \
        end_flow(queue, &tw_buffer_, cg);                                                                              \
    } while (0)

/* Compares the numbers at place `at` of each group. */
static void check_groups(const int *x, size_t at, int n0, int n1, int n2, int n3)
{
    TW_EQUAL(x[at], n0);
    TW_EQUAL(x[at + LOCAL], n1);
    TW_EQUAL(x[at + 2 * LOCAL], n2);
    TW_EQUAL(x[at + 3 * LOCAL], n3);
}

/* The barrier is in a loop, in a branch that whole groups take. */
CONTROL_FLOW(for_in_cond)
{
    int *scratch = tw_local_data(item, k->scratch);
    const size_t l = tw_local_id(item, 0);
    if (tw_group_id(item, 0) == 0) {
        scratch[l] = k->x[tw_global_id(item, 0)];
        for (size_t i = tw_local_range(item, 0) / 2; i > 0; i /= 2) {
            tw_barrier(item, TW_LOCAL_SPACE);
            if (l < i)
                scratch[l] += scratch[l + i];
        }
        if (l == 0)
            k->x[tw_global_id(item, 0)] = scratch[0];
    }
}
TW_ND_RANGE_KERNEL(for_in_cond);

/* Some work-items do something between two barriers. */
CONTROL_FLOW(cond_between_barriers)
{
    int *any = tw_local_data(item, k->scratch);
    const size_t g = tw_global_id(item, 0);
    const bool mine = (g >= 2 * LOCAL) != (g % (2 * LOCAL) == 10);
    if (tw_local_id(item, 0) == 0)
        *any = 0;
    tw_barrier(item, TW_GLOBAL_AND_LOCAL);
    if (mine)
        __atomic_store_n(any, 1, __ATOMIC_RELAXED);
    tw_barrier(item, TW_GLOBAL_AND_LOCAL);
    k->x[g] = *any;
}
TW_ND_RANGE_KERNEL(cond_between_barriers);

CONTROL_FLOW(add_modulo)
{
    int *scratch = tw_local_data(item, k->scratch);
    const size_t l = tw_local_id(item, 0), n = tw_local_range(item, 0);
    scratch[l] = k->x[tw_global_id(item, 0)];
    tw_barrier(item, TW_LOCAL_SPACE);
    const int next = scratch[(l + 1) % n];
    tw_barrier(item, TW_LOCAL_SPACE);
    scratch[l] += next;
    if (l == 0)
        k->x[tw_global_id(item, 0)] = scratch[l];
}
TW_ND_RANGE_KERNEL(add_modulo);

/* The loop's bounds differ, the number of its turns does not. */
CONTROL_FLOW(item_dependent_for)
{
    int *scratch = tw_local_data(item, k->scratch);
    const size_t l = tw_local_id(item, 0), n = tw_local_range(item, 0);
    scratch[l] = k->x[tw_global_id(item, 0)];
    tw_barrier(item, TW_LOCAL_SPACE);
    for (size_t i = l; i < n + l; ++i) {
        scratch[l] += (int)i;
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    if (l == 0)
        k->x[tw_global_id(item, 0)] = scratch[l];
}
TW_ND_RANGE_KERNEL(item_dependent_for);

/* The number of turns differs, that of barriers does not. */
CONTROL_FLOW(item_dependent_cond_in_for)
{
    int *scratch = tw_local_data(item, k->scratch);
    const size_t l = tw_local_id(item, 0);
    scratch[l] = k->x[tw_global_id(item, 0)];
    tw_barrier(item, TW_LOCAL_SPACE);
    for (size_t i = 0; i < 2 + l; ++i) {
        scratch[l] += (int)i;
        if (i < 2)
            tw_barrier(item, TW_LOCAL_SPACE);
    }
    k->x[tw_global_id(item, 0)] = scratch[l];
}
TW_ND_RANGE_KERNEL(item_dependent_cond_in_for);

/* Sums in a variable of the work-item. */
CONTROL_FLOW(accumulator_for)
{
    int *scratch = tw_local_data(item, k->scratch);
    const size_t l = tw_local_id(item, 0);
    int sum = k->x[tw_global_id(item, 0)];
    scratch[l] = sum;
    for (size_t i = LOCAL / 2; i > 0; i /= 2) {
        tw_barrier(item, TW_LOCAL_SPACE);
        if (l < i)
            scratch[l] = sum += scratch[l + i];
    }
    if (l <= 1)
        k->x[tw_global_id(item, 0)] = sum;
}
TW_ND_RANGE_KERNEL(accumulator_for, LOCAL);

TW_TEST(barriers_under_control_flow)
{
    static int x[GLOBAL];
    ND_BEGIN(queue);
    RUN_FLOW(queue, for_in_cond, x);
    check_groups(x, 0, 32640, 256, 512, 768);
    RUN_FLOW(queue, cond_between_barriers, x);
    check_groups(x, 0, 1, 0, 1, 1);
    RUN_FLOW(queue, add_modulo, x);
    check_groups(x, 0, 1, 513, 1025, 1537);
    RUN_FLOW(queue, item_dependent_for, x);
    check_groups(x, 0, 32640, 32896, 33152, 33408);
    RUN_FLOW(queue, item_dependent_cond_in_for, x);
    check_groups(x, 0, 1, 257, 513, 769);
    check_groups(x, 1, 4, 260, 516, 772);
    RUN_FLOW(queue, accumulator_for, x);
    check_groups(x, 0, 32640, 98176, 163712, 229248);
    check_groups(x, 1, 16384, 49152, 81920, 114688);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- reductions, with the barrier at every place of every loop --------------------------------------------------- */

static inline void add_half(int *scratch, size_t l, size_t half)
{
    if (l < half)
        scratch[l] += scratch[l + half];
}

/* A function with a barrier in it, which also the other forms call. */
static inline int *reduce_begin(tw_nd_item item, const int *x, tw_local_memory memory)
{
    int *scratch = tw_local_data(item, memory);
    scratch[tw_local_id(item, 0)] = x[tw_global_id(item, 0)];
    tw_barrier(item, TW_LOCAL_SPACE);
    return scratch;
}

static inline void reduce_end(tw_nd_item item, int *x, const int *scratch)
{
    if (tw_local_id(item, 0) == 0)
        x[tw_global_id(item, 0)] = scratch[0];
}

CONTROL_FLOW(reduce_for)
{
    int *scratch = reduce_begin(item, k->x, k->scratch);
    for (size_t i = tw_local_range(item, 0) / 2; i > 0; i /= 2) {
        add_half(scratch, tw_local_id(item, 0), i);
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    reduce_end(item, k->x, scratch);
}
TW_ND_RANGE_KERNEL(reduce_for);

CONTROL_FLOW(two_barrier_for)
{
    int *scratch = reduce_begin(item, k->x, k->scratch);
    for (size_t i = tw_local_range(item, 0) / 2; i > 0; i /= 2) {
        tw_barrier(item, TW_LOCAL_SPACE);
        add_half(scratch, tw_local_id(item, 0), i);
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    reduce_end(item, k->x, scratch);
}
TW_ND_RANGE_KERNEL(two_barrier_for, LOCAL);

CONTROL_FLOW(reduce_while)
{
    int *scratch = reduce_begin(item, k->x, k->scratch);
    size_t i = tw_local_range(item, 0);
    while ((i /= 2) > 0) {
        add_half(scratch, tw_local_id(item, 0), i);
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    reduce_end(item, k->x, scratch);
}
TW_ND_RANGE_KERNEL(reduce_while);

CONTROL_FLOW(reduce_do_while)
{
    int *scratch = reduce_begin(item, k->x, k->scratch);
    size_t i = tw_local_range(item, 0) / 2;
    do {
        add_half(scratch, tw_local_id(item, 0), i);
        tw_barrier(item, TW_LOCAL_SPACE);
        i /= 2;
    } while (i > 0);
    reduce_end(item, k->x, scratch);
}
TW_ND_RANGE_KERNEL(reduce_do_while);

/* The outer loop ends by `break`, the inner one skips turns by `continue`. */
CONTROL_FLOW(reduce_nested_for)
{
    int *scratch = reduce_begin(item, k->x, k->scratch);
    for (size_t i = tw_local_range(item, 0) / 2;; i /= 4) {
        for (size_t j = 0; j < 3; ++j) {
            if (j == 1 || i >> j / 2 == 0)
                continue;
            add_half(scratch, tw_local_id(item, 0), i >> j / 2);
            tw_barrier(item, TW_LOCAL_SPACE);
        }
        if (i < 4)
            break;
    }
    reduce_end(item, k->x, scratch);
}
TW_ND_RANGE_KERNEL(reduce_nested_for);

CONTROL_FLOW(reduce_unrolled)
{
    int *scratch = reduce_begin(item, k->x, k->scratch);
    const size_t l = tw_local_id(item, 0);
    add_half(scratch, l, 128);
    tw_barrier(item, TW_LOCAL_SPACE);
    add_half(scratch, l, 64);
    tw_barrier(item, TW_LOCAL_SPACE);
    add_half(scratch, l, 32);
    tw_barrier(item, TW_LOCAL_SPACE);
    add_half(scratch, l, 16);
    tw_barrier(item, TW_LOCAL_SPACE);
    add_half(scratch, l, 8);
    tw_barrier(item, TW_LOCAL_SPACE);
    add_half(scratch, l, 4);
    tw_barrier(item, TW_LOCAL_SPACE);
    add_half(scratch, l, 2);
    tw_barrier(item, TW_LOCAL_SPACE);
    add_half(scratch, l, 1);
    tw_barrier(item, TW_LOCAL_SPACE);
    reduce_end(item, k->x, scratch);
}
TW_ND_RANGE_KERNEL(reduce_unrolled, LOCAL);

/* By `switch`, `goto` and a conditional expression. */
CONTROL_FLOW(reduce_goto)
{
    int *scratch = reduce_begin(item, k->x, k->scratch);
    size_t i = tw_local_range(item, 0) / 2;
again:
    switch (i) {
    case 0:
        goto done;
    case 16:
        add_half(scratch, tw_local_id(item, 0), 16);
        tw_barrier(item, TW_LOCAL_SPACE);
        i /= 2;
        /* fall through */
    default:
        add_half(scratch, tw_local_id(item, 0), i);
        i % 2 ? tw_barrier(item, TW_LOCAL_SPACE) : tw_barrier(item, TW_GLOBAL_AND_LOCAL);
    }
    i /= 2;
    goto again;
done:
    reduce_end(item, k->x, scratch);
}
TW_ND_RANGE_KERNEL(reduce_goto);

/* Work-items leave one by one after the last barrier. */
CONTROL_FLOW(return_after_barriers)
{
    const int *scratch = reduce_begin(item, k->x, k->scratch);
    int sum = 0;
    if (tw_local_id(item, 0) != 0)
        return;
    for (size_t i = 0; i < tw_local_range(item, 0); ++i)
        sum += scratch[i];
    k->x[tw_global_id(item, 0)] = sum;
}
TW_ND_RANGE_KERNEL(return_after_barriers);

TW_TEST(reductions_with_barriers_at_every_place)
{
    static int x[GLOBAL];
    ND_BEGIN(queue);
#define RUN_REDUCTION(name)                                                                                            \
    RUN_FLOW(queue, name, x);                                                                                          \
    check_groups(x, 0, 32640, 98176, 163712, 229248);                                                                  \
    check_groups(x, 1, 1, 257, 513, 769)
    RUN_REDUCTION(reduce_for);
    RUN_REDUCTION(two_barrier_for);
    RUN_REDUCTION(reduce_while);
    RUN_REDUCTION(reduce_do_while);
    RUN_REDUCTION(reduce_nested_for);
    RUN_REDUCTION(reduce_unrolled);
    RUN_REDUCTION(reduce_goto);
    RUN_REDUCTION(return_after_barriers);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- two and three dimensions ------------------------------------------------------------------------------------ */

enum { SIDE = 16, TILE = 8, HALO = TILE + 2, PADDED = SIDE + 2 };

/* The sum of a cell and its 6 neighbours, from a tile with halo in local memory. */
struct stencil {
    const int (*in)[PADDED][PADDED];
    int (*out)[SIDE][SIDE];
};
static inline void stencil(tw_nd_item item, const struct stencil *k)
{
    TW_LOCAL(int, tile, [HALO][HALO][HALO]);
    const size_t l[3] = {tw_local_id(item, 0) + 1, tw_local_id(item, 1) + 1, tw_local_id(item, 2) + 1};
    const size_t g[3] = {tw_global_id(item, 0) + 1, tw_global_id(item, 1) + 1, tw_global_id(item, 2) + 1};
    tile[l[0]][l[1]][l[2]] = k->in[g[0]][g[1]][g[2]];
    for (unsigned d = 0; d < 3; ++d) {
        const size_t before[3] = {d == 0, d == 1, d == 2};
        const size_t past[3] = {d == 0 ? TILE : 0, d == 1 ? TILE : 0, d == 2 ? TILE : 0};
        if (l[d] != 1)
            continue;
        tile[l[0] - before[0]][l[1] - before[1]][l[2] - before[2]] =
            k->in[g[0] - before[0]][g[1] - before[1]][g[2] - before[2]];
        tile[l[0] + past[0]][l[1] + past[1]][l[2] + past[2]] = k->in[g[0] + past[0]][g[1] + past[1]][g[2] + past[2]];
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[g[0] - 1][g[1] - 1][g[2] - 1] =
        tile[l[0]][l[1]][l[2]] + tile[l[0] - 1][l[1]][l[2]] + tile[l[0] + 1][l[1]][l[2]] + tile[l[0]][l[1] - 1][l[2]]
        + tile[l[0]][l[1] + 1][l[2]] + tile[l[0]][l[1]][l[2] - 1] + tile[l[0]][l[1]][l[2] + 1];
}
TW_ND_RANGE_KERNEL(stencil);

TW_TEST(a_stencil_in_three_dimensions)
{
    static int in[PADDED][PADDED][PADDED], out[SIDE][SIDE][SIDE];
    const int expected[2][2][2] = {{{2401, 2457}, {3409, 3465}}, {{20545, 20601}, {21553, 21609}}};
    tw_buffer *a = NULL, *b = NULL;
    ND_BEGIN(queue);
    for (int i = 0; i < PADDED * PADDED * PADDED; ++i)
        (&in[0][0][0])[i] = i;
    TW_PASS(tw_buffer_create_over_const(in, sizeof(int), tw_range_3d(PADDED, PADDED, PADDED), &a));
    TW_PASS(tw_buffer_create_over(out, sizeof(int), tw_range_3d(SIDE, SIDE, SIDE), &b));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_3d(SIDE, SIDE, SIDE), tw_range_3d(TILE, TILE, TILE)),
                             stencil, .in = tw_read(cg, a), .out = tw_discard_write(cg, b));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&b));
    TW_PASS(tw_buffer_destroy(&a));
    for (int h = 0; h < SIDE; ++h)
        for (int i = 0; i < SIDE; ++i)
            for (int j = 0; j < SIDE; ++j)
                TW_EQUAL(out[h][i][j], 7 * in[h + 1][i + 1][j + 1]);
    for (int i = 0; i < 8; ++i)
        TW_EQUAL(out[i / 4 * TILE][i / 2 % 2 * TILE][i % 2 * TILE], expected[i / 4][i / 2 % 2][i % 2]);
    TW_PASS(tw_queue_destroy(&queue));
}

/* A tiled product of matrices whose result has a closed form: a[i][j] = 2 (j + 1), b[i][j] = (i + 1) (j + 1) / 2. */
enum { ORDER = 128, BLOCK = 16 };

struct multiply {
    const double (*a)[ORDER], (*b)[ORDER];
    double (*c)[ORDER];
};
static inline void multiply(tw_nd_item item, const struct multiply *k)
{
    TW_LOCAL(double, a, [BLOCK][BLOCK]);
    TW_LOCAL(double, b, [BLOCK][BLOCK]);
    const size_t i = tw_local_id(item, 0), j = tw_local_id(item, 1);
    double sum = 0;
    for (size_t block = 0; block < ORDER; block += BLOCK) {
        a[i][j] = k->a[tw_global_id(item, 0)][block + j];
        b[i][j] = k->b[block + i][tw_global_id(item, 1)];
        tw_barrier(item, TW_LOCAL_SPACE);
        for (size_t n = 0; n < BLOCK; ++n)
            sum += a[i][n] * b[n][j];
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    k->c[tw_global_id(item, 0)][tw_global_id(item, 1)] = sum;
}
TW_ND_RANGE_KERNEL(multiply, BLOCK, BLOCK);

TW_TEST(a_tiled_product_of_matrices)
{
    static double a[ORDER][ORDER], b[ORDER][ORDER], c[ORDER][ORDER];
    tw_buffer *ba = NULL, *bb = NULL, *bc = NULL;
    const tw_range range = tw_range_2d(ORDER, ORDER);
    ND_BEGIN(queue);
    for (int i = 0; i < ORDER; ++i)
        for (int j = 0; j < ORDER; ++j) {
            a[i][j] = 2.0 * (j + 1);
            b[i][j] = 0.5 * (i + 1) * (j + 1);
        }
    TW_PASS(tw_buffer_create_over_const(a, sizeof(double), range, &ba));
    TW_PASS(tw_buffer_create_over_const(b, sizeof(double), range, &bb));
    TW_PASS(tw_buffer_create_over(c, sizeof(double), range, &bc));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(range, tw_range_2d(BLOCK, BLOCK)), multiply, .a = tw_read(cg, ba),
                             .b = tw_read(cg, bb), .c = tw_discard_write(cg, bc));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&bc));
    TW_PASS(tw_buffer_destroy(&bb));
    TW_PASS(tw_buffer_destroy(&ba));
    for (int i = 0; i < ORDER; ++i)
        for (int j = 0; j < ORDER; ++j)
            TW_CHECK(c[i][j] == (j + 1) * (ORDER * (ORDER + 1.0) * (2.0 * ORDER + 1) / 6));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- groups of every size ---------------------------------------------------------------------------------------- */

/* Each work-item takes its right neighbour's number, some times over. Odd groups have a turn more: the number of
   barriers differs from group to group. */
struct rotate {
    int *x;
    tw_local_memory tile;
    size_t turns;
};
static inline void rotate(tw_nd_item item, const struct rotate *k)
{
    int *tile = tw_local_data(item, k->tile);
    const size_t l = tw_local_linear_id(item), n = tw_local_linear_range(item), g = tw_global_linear_id(item);
    const size_t turns = k->turns + tw_group_linear_id(item) % 2;
    int mine = k->x[g];
    for (size_t turn = 0; turn < turns; ++turn) {
        tile[l] = mine;
        tw_barrier(item, TW_LOCAL_SPACE);
        mine = tile[(l + 1) % n];
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    k->x[g] = mine;
}
TW_ND_RANGE_KERNEL(rotate);

static void check_rotate(tw_queue *queue, size_t groups, size_t items, size_t turns)
{
    const size_t count = groups * items;
    int *x = malloc(count * sizeof *x);
    tw_buffer *buffer = NULL;
    TW_CHECK(x != NULL);
    for (size_t i = 0; i < count; ++i)
        x[i] = (int)i;
    TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(count), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(groups), tw_range_1d(items)), rotate,
                             .x = tw_read_write(cg, buffer), .tile = tw_local(cg, items * sizeof *x), .turns = turns);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (size_t i = 0; i < count; ++i)
        TW_EQUAL(x[i], i / items * items + (i % items + turns + i / items % 2) % items);
    free(x);
}

TW_TEST(groups_of_every_size)
{
    ND_BEGIN(queue);
    const size_t most = nd_largest_group(queue);
    /* larger and smaller ones in turn: stacks stay from group to group */
    check_rotate(queue, 3, most, 2);
    check_rotate(queue, 1, 1, 5);
    check_rotate(queue, 100, 1, 5);
    check_rotate(queue, 9, 2, 5);
    check_rotate(queue, 7, 255, 3);
    check_rotate(queue, 5, 31, 40);
    check_rotate(queue, 2, most - 1, 1);
    check_rotate(queue, 1, 33, 0);
    check_rotate(queue, 4, 97, 3);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(thousands_of_groups)
{
    ND_BEGIN(queue);
    check_rotate(queue, 5000, 16, 2);
    check_rotate(queue, 20000, 3, 1);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- what a work-item keeps -------------------------------------------------------------------------------------- */

/* More private memory than a GPU's work-item should have; documented to fit the stacks of CPUs. A macro may differ
   between passes. The size is required: otherwise the kernel is compiled for each number of dimensions, and without
   optimization each has its own variables in one frame. */
#if defined(__NVPTX__) || defined(__AMDGCN__)
#define DEEP 64
#else
#define DEEP (96 * 1024 / sizeof(double))
#endif

struct deep {
    double *x;
};
static inline void deep(tw_nd_item item, const struct deep *k)
{
    double mine[DEEP], sum = 0;
    const double first = k->x[tw_global_id(item, 0)];
    for (size_t i = 0; i < DEEP; ++i)
        mine[i] = first + (double)(i % 64);
    for (size_t turn = 0; turn < 3; ++turn) {
        tw_barrier(item, TW_LOCAL_SPACE);
        for (size_t i = turn; i < DEEP; i += 3)
            mine[i] += mine[(i * 7 + 5) % DEEP] > 0 ? 0.5 : 1000;
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    for (size_t i = 0; i < DEEP; ++i)
        sum += mine[i];
    k->x[tw_global_id(item, 0)] = sum / DEEP;
}
enum { DEEP_GROUP = 13 };
TW_ND_RANGE_KERNEL(deep, DEEP_GROUP);

TW_TEST(large_private_arrays)
{
    enum { COUNT = 4 * DEEP_GROUP };
    double x[COUNT];
    tw_buffer *buffer = NULL;
    ND_BEGIN(queue);
    for (int i = 0; i < COUNT; ++i)
        x[i] = i + 1;
    TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(COUNT), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(4), tw_range_1d(DEEP_GROUP)), deep,
                             .x = tw_read_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < COUNT; ++i)
        TW_CHECK(x[i] == i + 1 + 31.5 + 0.5);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Values of several kinds, more than there are registers, live over the barriers. */
struct many {
    double *out;
};
static inline void many(tw_nd_item item, const struct many *k)
{
    const size_t l = tw_local_id(item, 0);
    float f[8];
    double d[8];
    unsigned char c[8];
    long n[8];
    for (size_t i = 0; i < 8; ++i) {
        f[i] = (float)(l + i);
        d[i] = (double)(2 * l + i);
        c[i] = (unsigned char)(l % 100 + i);
        n[i] = (long)(3 * l + i);
    }
    for (int turn = 0; turn < 4; ++turn) {
        tw_barrier(item, TW_LOCAL_SPACE);
        for (size_t i = 0; i < 8; ++i) {
            f[i] += 1;
            d[i] += f[i];
            c[i] ^= (unsigned char)turn;
            n[i] += c[i];
        }
    }
    double sum = 0;
    for (size_t i = 0; i < 8; ++i)
        sum += f[i] + d[i] + c[i] + (double)n[i];
    k->out[tw_global_id(item, 0)] = sum;
}
TW_ND_RANGE_KERNEL(many);

static double expected_many(size_t l)
{
    double sum = 0;
    for (size_t i = 0; i < 8; ++i) {
        double f = (double)(l + i), d = (double)(2 * l + i), n = (double)(3 * l + i);
        unsigned c = (unsigned)(l % 100 + i);
        for (unsigned turn = 0; turn < 4; ++turn) {
            f += 1;
            d += f;
            c ^= turn;
            n += c;
        }
        sum += f + d + c + n;
    }
    return sum;
}

TW_TEST(variables_of_work_items_survive_barriers)
{
    enum { GROUPS = 6, SIZE = 150 };
    static double out[GROUPS * SIZE];
    tw_buffer *buffer = NULL;
    ND_BEGIN(queue);
    TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(GROUPS * SIZE), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(GROUPS), tw_range_1d(SIZE)), many,
                             .out = tw_discard_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (size_t i = 0; i < GROUPS * SIZE; ++i)
        TW_CHECK(out[i] == expected_many(i % SIZE));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- several at once --------------------------------------------------------------------------------------------- */

enum { THREADS = 2, REPEATS = 20 };

static void *rotate_repeatedly(void *context)
{
    tw_queue *queue = context;
    for (size_t i = 0; i < REPEATS; ++i)
        check_rotate(queue, 6 + i % 3, 10 + 7 * i, 1 + i % 2);
    return NULL;
}

TW_TEST(launches_from_two_threads)
{
    pthread_t threads[THREADS];
    tw_queue *queues[THREADS];
    ND_BEGIN(queue);
    TW_PASS(tw_queue_destroy(&queue));
    tw_test_queues(queues, THREADS);
    for (size_t i = 0; i < THREADS; ++i)
        TW_CHECK(pthread_create(&threads[i], NULL, rotate_repeatedly, queues[i]) == 0);
    for (size_t i = 0; i < THREADS; ++i)
        TW_CHECK(pthread_join(threads[i], NULL) == 0);
    tw_test_destroy_queues(queues, THREADS);
}

/* Kernels with and without barriers, of the same queue, that depend on each other. */
TW_TEST(launches_in_a_row)
{
    enum { COUNT = 12 * 60, LAUNCHES = 30 };
    int x[COUNT];
    tw_buffer *buffer = NULL;
    ND_BEGIN(queue);
    for (int i = 0; i < COUNT; ++i)
        x[i] = i;
    TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(COUNT), &buffer));
    for (size_t launch = 0; launch < LAUNCHES; ++launch) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(1), tw_range_1d(COUNT)), rotate,
                                 .x = tw_read_write(cg, buffer), .tile = tw_local(cg, sizeof x), .turns = launch % 3);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < COUNT; ++i)
        TW_EQUAL(x[i], (i + LAUNCHES) % COUNT);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(barriers_of_each_space),
                TW_CASE(fences_of_each_space),
                TW_CASE(barriers_under_control_flow),
                TW_CASE(reductions_with_barriers_at_every_place),
                TW_CASE(a_stencil_in_three_dimensions),
                TW_CASE(a_tiled_product_of_matrices),
                TW_CASE(groups_of_every_size),
                TW_CASE(thousands_of_groups),
                TW_CASE(large_private_arrays),
                TW_CASE(variables_of_work_items_survive_barriers),
                TW_CASE(launches_from_two_threads),
                TW_CASE(launches_in_a_row),
                TW_CASES_END};
