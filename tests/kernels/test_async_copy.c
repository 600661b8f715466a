/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host stacks x86_64 (x86_64-teams gpu-simt gpu-teams), long */
/* C++20: host (x86_64 gpu-simt gpu-teams), values, unsanitized, long */
/** lower/group/async_copy.h: copies that a group's work-items make together (property 44), in both directions, with and
 *  without strides, of elements of every size and alignment, in nd_range and hierarchical kernels. */
#include "nd_range_test.h"

#include <teamwork/async_copy.h>

/* Elements of 1 to 32 bytes; `triple` is aligned to 4 bytes, `packed` to one. */
struct triple {
    float x[3];
};
struct packed {
    char kind;
    double value;
} __attribute__((packed));
struct large {
    double x[4];
};

enum { MOST = 200, EDGE = 3 }; /* elements of a tile, and those before and after it, which must stay as they are */

static void fill_bytes(unsigned char *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; ++i)
        bytes[i] = (unsigned char)(seed = seed * 1664525u + 1013904223u, seed >> 24);
}

/* ---- shares
   ------------------------------------------------------------------------------------------------------------------

   The parts that the threads of a group copy make the whole, whatever the addresses are multiples of. Internal
   functions, on the host: there one thread copies all, so nothing else would show it without a GPU. */

enum { SHARED = 300 };

static void check_shares(size_t element, size_t alignment, size_t to_shift, size_t from_shift, size_t count)
{
    static _Alignas(64) unsigned char from[SHARED + 64], to[SHARED + 64], before[SHARED + 64];
    const size_t totals[] = {1, 2, 3, 32, 33, 256}, bytes = count * element;
    TW_CHECK(to_shift + bytes <= sizeof to && from_shift + bytes <= sizeof from);
    fill_bytes(from, sizeof from, 5);
    fill_bytes(before, sizeof before, 6);
    for (size_t t = 0; t < sizeof totals / sizeof *totals; ++t) {
        memcpy(to, before, sizeof to);
        for (size_t me = totals[t]; me-- > 0;)
            tw_internal_copy_share(to + to_shift, from + from_shift, bytes, alignment, me, totals[t]);
        TW_CHECK(memcmp(to, before, to_shift) == 0);
        TW_CHECK(memcmp(to + to_shift, from + from_shift, bytes) == 0);
        TW_CHECK(memcmp(to + to_shift + bytes, before + to_shift + bytes, sizeof to - to_shift - bytes) == 0);
    }
}

TW_TEST(the_shares_of_threads_make_the_whole)
{
    const size_t elements[] = {1, 2, 3, 4, 8, 12, 16, 24, 32}, alignments[] = {1, 2, 1, 4, 8, 4, 16, 8, 8};
    for (size_t e = 0; e < sizeof elements / sizeof *elements; ++e)
        for (size_t to = 0; to < 20; to += alignments[e])
            for (size_t from = 0; from < 20; from += alignments[e])
                for (size_t count = 0; count <= SHARED / elements[e]; count += 1 + count / 2)
                    check_shares(elements[e], alignments[e], to, from, count);
}

/* ---- from global to local memory and back
   ------------------------------------------------------------------------------

   A kernel copies `count` elements from `in` + `shift` into a tile at its place `at`, turns the tile around by its
   work-items, and copies it to `out` + `shift`. One group's part has MOST elements. */

struct tile_copy {
    size_t count, at, shift;
};

#define COPY_KERNELS(name, type)                                                                                       \
    struct name {                                                                                                      \
        const type *in;                                                                                                \
        type *out;                                                                                                     \
        struct tile_copy how;                                                                                          \
    };                                                                                                                 \
    static inline void name(tw_nd_item item, const struct name *k)                                                     \
    {                                                                                                                  \
        TW_LOCAL(type, tile, [MOST + EDGE]);                                                                           \
        TW_LOCAL(type, turned, [MOST + EDGE]);                                                                         \
        const size_t base = tw_group_linear_id(item) * MOST + k->how.shift, n = k->how.count;                          \
        const tw_device_event loaded = tw_async_work_group_copy(item, tile + k->how.at, k->in + base, n);              \
        tw_wait_for(item, loaded);                                                                                     \
        for (size_t i = tw_local_linear_id(item); i < n; i += tw_local_linear_range(item))                             \
            turned[k->how.at + n - 1 - i] = tile[k->how.at + i];                                                       \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        tw_wait_for(item, tw_async_work_group_copy(item, k->out + base, turned + k->how.at, n));                       \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(name);                                                                                          \
                                                                                                                       \
    struct name##_groups {                                                                                             \
        struct name all;                                                                                               \
    };                                                                                                                 \
    static inline void name##_groups(tw_group group, const struct name##_groups *block)                                \
    {                                                                                                                  \
        TW_LOCAL(type, tile, [MOST + EDGE]);                                                                           \
        TW_LOCAL(type, turned, [MOST + EDGE]);                                                                         \
        const struct name *k = &block->all;                                                                            \
        const size_t base = tw_group_linear_id(group) * MOST + k->how.shift, n = k->how.count;                         \
        const tw_device_event loaded = tw_async_work_group_copy(group, tile + k->how.at, k->in + base, n);             \
        tw_wait_for(group, loaded);                                                                                    \
        tw_parallel_for_work_item(group, item) {                                                                       \
            for (size_t i = tw_local_linear_id(item); i < n; i += tw_local_linear_range(group))                        \
                turned[k->how.at + n - 1 - i] = tile[k->how.at + i];                                                   \
        }                                                                                                              \
        tw_wait_for(group, tw_async_work_group_copy(group, k->out + base, turned + k->how.at, n));                     \
    }                                                                                                                  \
    TW_WORK_GROUP_KERNEL(name##_groups);                                                                               \
                                                                                                                       \
    static void check_##name(tw_queue *queue, bool hierarchical, tw_range local, struct tile_copy how)                 \
    {                                                                                                                  \
        static type in[GROUPS * MOST + EDGE], out[GROUPS * MOST + EDGE], before[GROUPS * MOST + EDGE];                 \
        const tw_range groups = local.dims == 1 ? tw_range_1d(GROUPS) : tw_range_2d(1, GROUPS);                        \
        tw_buffer *a = NULL, *b = NULL;                                                                                \
        fill_bytes((unsigned char *)in, sizeof in, 1);                                                                 \
        fill_bytes((unsigned char *)before, sizeof before, 2);                                                         \
        memcpy(out, before, sizeof out);                                                                               \
        TW_PASS(tw_buffer_create_over_const(in, sizeof in, tw_range_1d(1), &a));                                       \
        TW_PASS(tw_buffer_create_over(out, sizeof out, tw_range_1d(1), &b));                                           \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        const struct name all = {tw_read(cg, a), tw_read_write(cg, b), how};                                           \
        if (hierarchical)                                                                                              \
            tw_parallel_for_work_group(cg, groups, local, name##_groups, .all = all);                                  \
        else                                                                                                           \
            tw_parallel_for_nd_range(cg, nd_groups(groups, local), name, .in = all.in, .out = all.out, .how = how);    \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_buffer_destroy(&b));                                                                                \
        TW_PASS(tw_buffer_destroy(&a));                                                                                \
        for (size_t i = 0; i < GROUPS * MOST + EDGE; ++i) {                                                            \
            const size_t base = i < how.shift ? 0 : (i - how.shift) / MOST * MOST + how.shift, place = i - base;       \
            const bool copied = i >= how.shift && base - how.shift < GROUPS * MOST && place < how.count;               \
            const type *expected = copied ? &in[base + how.count - 1 - place] : &before[i];                            \
            TW_CHECK(memcmp(&out[i], expected, sizeof *expected) == 0);                                                \
        }                                                                                                              \
    }

enum { GROUPS = 5 };
COPY_KERNELS(copy_char, char)
COPY_KERNELS(copy_short, short)
COPY_KERNELS(copy_float, float)
COPY_KERNELS(copy_double, double)
COPY_KERNELS(copy_triple, struct triple)
COPY_KERNELS(copy_packed, struct packed)
COPY_KERNELS(copy_large, struct large)

static void check_copies(tw_queue *queue, bool hierarchical)
{
    /* more and fewer elements than work-items, none, whole and odd multiples of 16 bytes; aligned alike, not, and not
       at all */
    const struct tile_copy ways[] = {{MOST, 0, 0}, {64, 0, 0},   {1, 0, 0},  {0, 0, 0},
                                     {37, 0, 1},   {MOST, 2, 2}, {63, 3, 0}, {150, 1, 3}};
    const tw_range locals[] = {tw_range_1d(64), tw_range_1d(1), tw_range_2d(7, 5)};
    for (size_t l = 0; l < sizeof locals / sizeof *locals; ++l)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; ++w) {
            check_copy_char(queue, hierarchical, locals[l], ways[w]);
            check_copy_short(queue, hierarchical, locals[l], ways[w]);
            check_copy_float(queue, hierarchical, locals[l], ways[w]);
            check_copy_double(queue, hierarchical, locals[l], ways[w]);
            check_copy_triple(queue, hierarchical, locals[l], ways[w]);
            check_copy_packed(queue, hierarchical, locals[l], ways[w]);
            check_copy_large(queue, hierarchical, locals[l], ways[w]);
        }
}

TW_TEST(both_directions)
{
    ND_BEGIN(queue);
    check_copies(queue, false);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(both_directions_at_group_scope)
{
    tw_queue *queue = tw_test_queue();
    check_copies(queue, true);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- strides ----------------------------------------------------------------------------------------------------- */

enum { PICKED = 50, STRIDE = 6 };

/* Gathers every STRIDE-th element into a dense tile, and scatters the tile to places at another stride. */
#define STRIDED_KERNELS(name, type)                                                                                    \
    struct name {                                                                                                      \
        const type *in;                                                                                                \
        type *out;                                                                                                     \
        size_t from_stride, to_stride;                                                                                 \
    };                                                                                                                 \
    static inline void name(tw_nd_item item, const struct name *k)                                                     \
    {                                                                                                                  \
        TW_LOCAL(type, tile, [PICKED]);                                                                                \
        const size_t base = tw_group_id(item, 0) * PICKED * STRIDE;                                                    \
        tw_wait_for(item, tw_async_work_group_strided_copy(item, tile, 1, k->in + base, k->from_stride, PICKED));      \
        tw_wait_for(item, tw_async_work_group_strided_copy(item, k->out + base, k->to_stride, tile, 1, PICKED));       \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(name);                                                                                          \
                                                                                                                       \
    struct name##_groups {                                                                                             \
        struct name all;                                                                                               \
    };                                                                                                                 \
    static inline void name##_groups(tw_group group, const struct name##_groups *block)                                \
    {                                                                                                                  \
        TW_LOCAL(type, tile, [PICKED]);                                                                                \
        const struct name *k = &block->all;                                                                            \
        const size_t base = tw_group_id(group, 0) * PICKED * STRIDE;                                                   \
        tw_wait_for(group, tw_async_work_group_strided_copy(group, tile, 1, k->in + base, k->from_stride, PICKED));    \
        tw_wait_for(group, tw_async_work_group_strided_copy(group, k->out + base, k->to_stride, tile, 1, PICKED));     \
    }                                                                                                                  \
    TW_WORK_GROUP_KERNEL(name##_groups);                                                                               \
                                                                                                                       \
    static void check_##name(tw_queue *queue, bool hierarchical, size_t from_stride, size_t to_stride)                 \
    {                                                                                                                  \
        static type in[GROUPS * PICKED * STRIDE], out[GROUPS * PICKED * STRIDE], before[GROUPS * PICKED * STRIDE];     \
        static type same[GROUPS * PICKED * STRIDE];                                                                    \
        tw_buffer *a = NULL, *b = NULL;                                                                                \
        fill_bytes((unsigned char *)in, sizeof in, 3);                                                                 \
        fill_bytes((unsigned char *)before, sizeof before, 4);                                                         \
        memcpy(out, before, sizeof out);                                                                               \
        memcpy(same, in, sizeof in);                                                                                   \
        TW_PASS(tw_buffer_create_over(in, sizeof in, tw_range_1d(1), &a));                                             \
        TW_PASS(tw_buffer_create_over(out, sizeof out, tw_range_1d(1), &b));                                           \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        const struct name all = {tw_read_write(cg, a), tw_read_write(cg, b), from_stride, to_stride};                  \
        if (hierarchical)                                                                                              \
            tw_parallel_for_work_group(cg, tw_range_1d(GROUPS), tw_range_1d(33), name##_groups, .all = all);           \
        else                                                                                                           \
            tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(GROUPS), tw_range_1d(33)), name, .in = all.in,          \
                                     .out = all.out, .from_stride = from_stride, .to_stride = to_stride);              \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_buffer_destroy(&b));                                                                                \
        TW_PASS(tw_buffer_destroy(&a));                                                                                \
        TW_CHECK(memcmp(in, same, sizeof in) == 0);                                                                    \
        for (size_t i = 0; i < GROUPS * PICKED * STRIDE; ++i) {                                                        \
            const size_t base = i / (PICKED * STRIDE) * (PICKED * STRIDE), place = i - base;                           \
            const bool copied = place % to_stride == 0 && place / to_stride < PICKED;                                  \
            const type *expected = copied ? &in[base + place / to_stride * from_stride] : &before[i];                  \
            TW_CHECK(memcmp(&out[i], expected, sizeof *expected) == 0);                                                \
        }                                                                                                              \
    }
STRIDED_KERNELS(strided_char, char)
STRIDED_KERNELS(strided_short, short)
STRIDED_KERNELS(strided_int, int)
STRIDED_KERNELS(strided_triple, struct triple)
STRIDED_KERNELS(strided_packed, struct packed)
STRIDED_KERNELS(strided_large, struct large)

static void check_strides(tw_queue *queue, bool hierarchical)
{
    for (size_t from = 1; from <= STRIDE; from += from == 1 ? 1 : 2)
        for (size_t to = 1; to <= STRIDE; to += 2) {
            check_strided_char(queue, hierarchical, from, to);
            check_strided_short(queue, hierarchical, from, to);
            check_strided_int(queue, hierarchical, from, to);
            check_strided_triple(queue, hierarchical, from, to);
            check_strided_packed(queue, hierarchical, from, to);
            check_strided_large(queue, hierarchical, from, to);
        }
}

TW_TEST(strides_leave_the_gaps_alone)
{
    ND_BEGIN(queue);
    check_strides(queue, false);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(strides_at_group_scope)
{
    tw_queue *queue = tw_test_queue();
    check_strides(queue, true);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- several copies at once -------------------------------------------------------------------------------------- */

/* One wait for two loads, then one for three stores, of which one is from global to global memory. */
struct several {
    const int *a, *b;
    int *sum, *difference, *copy;
};
static inline void several(tw_nd_item item, const struct several *k)
{
    TW_LOCAL(int, a, [96]);
    TW_LOCAL(int, b, [96]);
    const size_t n = tw_local_range(item, 0), base = tw_group_id(item, 0) * n, l = tw_local_id(item, 0);
    const tw_device_event first = tw_async_work_group_copy(item, a, k->a + base, n);
    const tw_device_event second = tw_async_work_group_copy(item, b, k->b + base, n);
    tw_wait_for(item, first, second);
    const int sum = a[(l + 1) % n] + b[l], difference = a[l] - b[(l + 1) % n];
    tw_barrier(item, TW_LOCAL_SPACE);
    a[l] = sum;
    b[l] = difference;
    tw_barrier(item, TW_LOCAL_SPACE);
    tw_wait_for(item, tw_async_work_group_copy(item, k->sum + base, a, n),
                tw_async_work_group_copy(item, k->difference + base, b, n),
                tw_async_work_group_copy(item, k->copy + base, k->a + base, n));
}
TW_ND_RANGE_KERNEL(several);

TW_TEST(one_wait_for_several_copies)
{
    enum { COUNT = 7 * 96 };
    static int x[5][COUNT];
    tw_buffer *buffers[5];
    ND_BEGIN(queue);
    for (int i = 0; i < COUNT; ++i) {
        x[0][i] = 3 * i;
        x[1][i] = i * i;
    }
    for (int i = 0; i < 5; ++i)
        TW_PASS(tw_buffer_create_over(x[i], sizeof **x, tw_range_1d(COUNT), &buffers[i]));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(7), tw_range_1d(96)), several, .a = tw_read(cg, buffers[0]),
                             .b = tw_read(cg, buffers[1]), .sum = tw_discard_write(cg, buffers[2]),
                             .difference = tw_discard_write(cg, buffers[3]), .copy = tw_discard_write(cg, buffers[4]));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    for (int i = 0; i < 5; ++i)
        TW_PASS(tw_buffer_destroy(&buffers[i]));
    for (int i = 0; i < COUNT; ++i) {
        const int shifted = i / 96 * 96 + (i % 96 + 1) % 96;
        TW_EQUAL(x[2][i], 3 * shifted + i * i);
        TW_EQUAL(x[3][i], 3 * i - shifted * shifted);
        TW_EQUAL(x[4][i], 3 * i);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Two tiles in turn: one is computed with while the other one is loaded. The memory is of local accessors. */
struct pipeline {
    const float *in;
    float *out;
    tw_local_memory tiles; /* two of them */
    size_t tiles_each;     /* that a group goes through */
};
static inline void pipeline(tw_nd_item item, const struct pipeline *k)
{
    const size_t n = tw_local_range(item, 0), l = tw_local_id(item, 0);
    const size_t first = tw_group_id(item, 0) * k->tiles_each;
    float *tiles = tw_local_data(item, k->tiles), sum = 0;
    tw_device_event loading = tw_async_work_group_copy(item, tiles, k->in + first * n, n);
    for (size_t t = 0; t < k->tiles_each; ++t) {
        tw_wait_for(item, loading);
        if (t + 1 < k->tiles_each)
            loading = tw_async_work_group_copy(item, tiles + (t + 1) % 2 * n, k->in + (first + t + 1) * n, n);
        sum += tiles[t % 2 * n + (l + t) % n];
        tw_barrier(item, TW_LOCAL_SPACE); /* before the tile is overwritten */
    }
    k->out[tw_global_id(item, 0)] = sum;
}
TW_ND_RANGE_KERNEL(pipeline);

TW_TEST(a_tile_is_loaded_while_another_is_used)
{
    enum { EACH = 9 };
    ND_BEGIN(queue);
    const size_t sizes[] = {64, 100, 33};
    for (size_t s = 0; s < 3; ++s) {
        const size_t n = sizes[s];
        static float in[GROUPS * EACH * 100], out[GROUPS * 100];
        tw_buffer *a = NULL, *b = NULL;
        for (size_t i = 0; i < GROUPS * EACH * n; ++i)
            in[i] = (float)(i % 1000);
        TW_PASS(tw_buffer_create_over_const(in, sizeof *in, tw_range_1d(GROUPS * EACH * n), &a));
        TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(GROUPS * n), &b));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(GROUPS), tw_range_1d(n)), pipeline, .in = tw_read(cg, a),
                                 .out = tw_discard_write(cg, b), .tiles = tw_local(cg, 2 * n * sizeof *in),
                                 .tiles_each = EACH);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_buffer_destroy(&b));
        TW_PASS(tw_buffer_destroy(&a));
        for (size_t i = 0; i < GROUPS * n; ++i) {
            float sum = 0;
            for (size_t t = 0; t < EACH; ++t)
                sum += in[(i / n * EACH + t) * n + (i % n + t) % n];
            TW_CHECK(out[i] == sum);
        }
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Tiles of rows in batches, two of which are on their way while one is used. */
enum { TILE_ROWS = 8, TILE_WIDTH = 20, TILE_PITCH = 24, TILE_STAGES = 4, TILE_AHEAD = 2, TILE_COUNT = 11 };

struct batches {
    const int *in; /* TILE_ROWS rows, of TILE_COUNT tiles each, for each group */
    int *out;
};
static inline void load_tile(tw_nd_item item, int *stage, const struct batches *k, size_t tile)
{
    const size_t pitch = TILE_COUNT * TILE_WIDTH, first = tw_group_linear_id(item) * TILE_ROWS * pitch;
    if (tile < TILE_COUNT)
        tw_async_work_group_load_2d(item, stage, TILE_PITCH, k->in + first + tile * TILE_WIDTH, pitch, TILE_WIDTH,
                                    TILE_ROWS);
    tw_async_commit(item);
}
static inline void batches(tw_nd_item item, const struct batches *k)
{
    TW_LOCAL(int, stages, [TILE_STAGES][TILE_ROWS * TILE_PITCH]);
    const size_t me = tw_local_linear_id(item);
    int sum = 0;
    for (size_t tile = 0; tile < TILE_AHEAD; ++tile)
        load_tile(item, stages[tile], k, tile);
    for (size_t tile = 0; tile < TILE_COUNT; ++tile) {
        load_tile(item, stages[(tile + TILE_AHEAD) % TILE_STAGES], k, tile + TILE_AHEAD);
        tw_wait_for_all_but(item, TILE_AHEAD);
        for (size_t i = me; i < TILE_ROWS * TILE_WIDTH; i += tw_local_linear_range(item))
            sum += (int)(tile + 1) * stages[tile % TILE_STAGES][i / TILE_WIDTH * TILE_PITCH + i % TILE_WIDTH];
    }
    k->out[tw_global_linear_id(item)] = sum;
}
TW_ND_RANGE_KERNEL(batches);

TW_TEST(tiles_come_in_batches)
{
    enum { ALL = GROUPS * TILE_ROWS * TILE_COUNT * TILE_WIDTH };
    static int in[ALL], out[GROUPS * 96];
    ND_BEGIN(queue);
    for (size_t i = 0; i < ALL; ++i)
        in[i] = (int)((unsigned)i * 2654435761u >> 20);
    for (size_t items = 32; items <= 96; items += 64) {
        tw_buffer *a = NULL, *b = NULL;
        TW_PASS(tw_buffer_create_over_const(in, sizeof *in, tw_range_1d(ALL), &a));
        TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(GROUPS * items), &b));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(GROUPS), tw_range_1d(items)), batches, .in = tw_read(cg, a),
                                 .out = tw_discard_write(cg, b));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_buffer_destroy(&b));
        TW_PASS(tw_buffer_destroy(&a));
        for (size_t g = 0; g < GROUPS; ++g)
            for (size_t me = 0; me < items; ++me) {
                int sum = 0;
                for (size_t tile = 0; tile < TILE_COUNT; ++tile)
                    for (size_t i = me; i < TILE_ROWS * TILE_WIDTH; i += items)
                        sum += (int)(tile + 1)
                               * in[(g * TILE_ROWS + i / TILE_WIDTH) * TILE_COUNT * TILE_WIDTH + tile * TILE_WIDTH
                                    + i % TILE_WIDTH];
                TW_EQUAL(out[g * items + me], sum);
            }
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(the_shares_of_threads_make_the_whole),
                TW_CASE(both_directions),
                TW_CASE(both_directions_at_group_scope),
                TW_CASE(strides_leave_the_gaps_alone),
                TW_CASE(strides_at_group_scope),
                TW_CASE(one_wait_for_several_copies),
                TW_CASE(a_tile_is_loaded_while_another_is_used),
                TW_CASE(tiles_come_in_batches),
                TW_CASES_END};
