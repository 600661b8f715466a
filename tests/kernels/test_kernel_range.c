/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams gpu-simt gpu-teams, optimized */
/** kernel.h: range kernels write exactly the expected indices (properties 31, 32, 39), with blocks of any size (33). */
#include "mark_test.h"

static inline void mark(tw_item item, const struct mark *k)
{
    mark_at(k, tw_get_global_id(item), tw_global_id(item, 0));
}
TW_RANGE_KERNEL(mark);

/* The same, compiled for one number of dimensions only. */
#define MARK_DIMS(n)                                                                                                   \
    struct mark_##n {                                                                                                  \
        struct mark all;                                                                                               \
    };                                                                                                                 \
    static inline void mark_##n(tw_item item, const struct mark_##n *k)                                                \
    {                                                                                                                  \
        mark(item, &k->all);                                                                                           \
    }                                                                                                                  \
    TW_RANGE_KERNEL(mark_##n, n);
MARK_DIMS(1)
MARK_DIMS(2)
MARK_DIMS(3)

/* Launches mark over a range at an offset, in a 3-D array that stays CANARY elsewhere. fixed: the kernel compiled for
   the range's dimensions. */
static void check_launch(tw_queue *queue, tw_range range, tw_id offset, bool fixed)
{
    tw_buffer *buffer = cells_buffer();
    tw_command_group *cg = tw_queue_begin(queue);
    const struct mark args = {tw_read_write(cg, buffer), EXTENT, EXTENT};
    if (!fixed)
        tw_parallel_for_offset(cg, range, offset, mark, .out = args.out, .rows = EXTENT, .columns = EXTENT);
    else if (range.dims == 1)
        tw_parallel_for_offset(cg, range, offset, mark_1, .all = args);
    else if (range.dims == 2)
        tw_parallel_for_offset(cg, range, offset, mark_2, .all = args);
    else
        tw_parallel_for_offset(cg, range, offset, mark_3, .all = args);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    expect_marks(buffer, range, offset);
}

/* Properties 31 and 32. */
TW_TEST(ranges_and_offsets_reach_exactly_their_indices)
{
    const struct {
        tw_range range;
        tw_id offset;
    } cases[] = {{tw_range_1d(1), tw_id_1d(0)},
                 {tw_range_1d(44), tw_id_1d(0)},
                 {tw_range_1d(31), tw_id_1d(13)},
                 {tw_range_2d(1, 44), tw_id_2d(0, 0)},
                 {tw_range_2d(44, 1), tw_id_2d(0, 0)},
                 {tw_range_2d(33, 17), tw_id_2d(5, 27)},
                 {tw_range_3d(1, 1, 1), tw_id_3d(9, 8, 7)},
                 {tw_range_3d(3, 5, 7), tw_id_3d(0, 0, 0)},
                 {tw_range_3d(44, 2, 1), tw_id_3d(0, 41, 43)},
                 {tw_range_3d(1, 2, 33), tw_id_3d(43, 1, 11)},
                 {tw_range_3d(44, 44, 44), tw_id_3d(0, 0, 0)},
                 {tw_range_3d(13, 29, 41), tw_id_3d(31, 15, 3)}};
    tw_queue *queue = tw_test_queue();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        check_launch(queue, cases[i].range, cases[i].offset, false);
        check_launch(queue, cases[i].range, cases[i].offset, true);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(ranges_without_work_items_do_not_run)
{
    const tw_range empty[] = {tw_range_1d(0), tw_range_2d(0, 5), tw_range_2d(5, 0), tw_range_3d(4, 0, 4),
                              tw_range_3d(0, SIZE_MAX, SIZE_MAX)};
    tw_queue *queue = tw_test_queue();
    for (size_t i = 0; i < sizeof empty / sizeof *empty; ++i) {
        const tw_id none = tw_id_from_range(tw_range_mul_scalar(empty[i], 0));
        check_launch(queue, empty[i], none, false);
        check_launch(queue, empty[i], none, true);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- what an item knows ------------------------------------------------------------------------------------------ */

struct describe {
    size_t *out; /* 17 values for each work-item */
};
static inline void describe(tw_item item, const struct describe *k)
{
    size_t *out = k->out + 17 * tw_global_linear_id(item);
    const tw_range range = tw_get_global_range(item);
    const tw_id id = tw_get_global_id(item), offset = tw_get_global_offset(item);
    for (unsigned d = 0; d < 3; ++d) {
        out[d] = d < range.dims ? tw_global_id(item, d) : 0;
        out[3 + d] = d < range.dims ? tw_global_range(item, d) : 1;
        out[6 + d] = d < range.dims ? tw_global_offset(item, d) : 0;
    }
    out[9] = tw_global_linear_id(item);
    out[10] = id.dims;
    out[11] = offset.dims;
    out[12] = tw_id_equal(id, tw_id_add(offset, tw_id_sub(id, offset)));
    out[13] = tw_linear_id(tw_id_sub(id, offset), range);
    out[14] = range.size[0] * 10000 + range.size[1] * 100 + range.size[2];
    out[15] = offset.at[0] * 10000 + offset.at[1] * 100 + offset.at[2];
    out[16] = range.dims;
}
TW_RANGE_KERNEL(describe);

static void check_description(const size_t *got, size_t linear, tw_range r, tw_id o)
{
    const size_t at[3] = {linear / r.size[2] / r.size[1] + o.at[0], linear / r.size[2] % r.size[1] + o.at[1],
                          linear % r.size[2] + o.at[2]};
    for (unsigned d = 0; d < 3; ++d) {
        TW_EQUAL(got[d], at[d]);
        TW_EQUAL(got[3 + d], r.size[d]);
        TW_EQUAL(got[6 + d], o.at[d]);
    }
    TW_EQUAL(got[9], linear);
    TW_CHECK(got[10] == r.dims && got[11] == r.dims && got[16] == r.dims);
    TW_EQUAL(got[12], 1);
    TW_EQUAL(got[13], linear);
    TW_EQUAL(got[14], r.size[0] * 10000 + r.size[1] * 100 + r.size[2]);
    TW_EQUAL(got[15], o.at[0] * 10000 + o.at[1] * 100 + o.at[2]);
}

/* Properties 32 and 39. Every place is written by its own linear id, so that a wrong one leaves a hole. */
TW_TEST(items_know_where_they_are)
{
    static size_t out[17 * 5 * 9 * 11];
    const tw_range ranges[] = {tw_range_1d(301), tw_range_2d(7, 43), tw_range_3d(5, 9, 11)};
    const tw_id offsets[] = {tw_id_1d(3), tw_id_2d(20, 1), tw_id_3d(1, 2, 30)};
    tw_queue *queue = tw_test_queue();
    for (int i = 0; i < 6; ++i) {
        const tw_range range = ranges[i % 3];
        const size_t count = tw_range_count(range);
        tw_id offset = offsets[i % 3];
        tw_buffer *buffer = NULL;
        memset(out, 0xff, sizeof out);
        TW_PASS(tw_buffer_create_over(out, 17 * sizeof *out, tw_range_1d(count), &buffer));
        tw_command_group *cg = tw_queue_begin(queue);
        if (i < 3) {
            tw_parallel_for_offset(cg, range, offset, describe, .out = tw_discard_write(cg, buffer));
        } else {
            offset = tw_id_mul_scalar(offset, 0);
            tw_parallel_for(cg, range, describe, .out = tw_discard_write(cg, buffer));
        }
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_buffer_destroy(&buffer));
        for (size_t linear = 0; linear < count; ++linear)
            check_description(out + 17 * linear, linear, range, offset);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- shapes that a GPU's grid does not have ---------------------------------------------------------------------- */

/* Tells work-item from work-item, with the offset taken off again. */
struct number {
    unsigned *out;
};
static inline void number(tw_item item, const struct number *k)
{
    size_t at[3] = {0, 0, 0};
    for (unsigned d = 0; d < tw_get_global_id(item).dims; ++d)
        at[d] = tw_global_id(item, d) - tw_global_offset(item, d);
    k->out[tw_global_linear_id(item)] = (unsigned)(at[0] * 1000003 + at[1] * 1009 + at[2] * 7 + 1);
}
TW_RANGE_KERNEL(number);

static void check_numbers(tw_queue *queue, tw_range range, tw_id offset)
{
    const size_t count = tw_range_count(range), rows = range.size[1], columns = range.size[2];
    tw_buffer *buffer = NULL;
    unsigned *out = calloc(count, sizeof *out);
    TW_CHECK(out);
    TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(count), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_offset(cg, range, offset, number, .out = tw_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (size_t i = 0; i < count; ++i) {
        const size_t at[3] = {i / columns / rows, i / columns % rows, i % columns};
        TW_EQUAL(out[i], (unsigned)(at[0] * 1000003 + at[1] * 1009 + at[2] * 7 + 1));
    }
    free(out);
}

TW_TEST(long_and_thin_ranges_and_large_offsets)
{
    tw_queue *queue = tw_test_queue();
    check_numbers(queue, tw_range_3d(1000, 1, 1), tw_id_3d(0, 0, 0));    /* 256 threads deep: more than a block */
    check_numbers(queue, tw_range_3d(140000, 2, 33), tw_id_3d(0, 0, 0)); /* 70000 teams deep: more than a grid */
    check_numbers(queue, tw_range_3d(1, 70000, 3), tw_id_3d(0, 0, 1));
    check_numbers(queue, tw_range_3d(2, 1, 100001), tw_id_3d(0, 0, 0));
    check_numbers(queue, tw_range_2d(100001, 3), tw_id_2d(0, 0));
    check_numbers(queue, tw_range_2d(3, 100001), tw_id_2d(4294000000u, 3));
    check_numbers(queue, tw_range_1d(1000), tw_id_1d((size_t)1 << 40));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- many work-items, and blocks of every class ------------------------------------------------------------------ */

struct square {
    const unsigned *in;
    unsigned *out;
};
static inline void square(tw_item item, const struct square *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = k->in[i] * k->in[i];
}
TW_RANGE_KERNEL(square, 1);

TW_TEST(odd_sizes_are_covered)
{
    static unsigned in[100003], out[100003];
    const size_t sizes[] = {1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 511, 1023, 1025, 4097, 65537, 100003};
    tw_queue *queue = tw_test_queue();
    for (size_t i = 0; i < 100003; ++i)
        in[i] = (unsigned)i;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        tw_buffer *a = NULL, *b = NULL;
        memset(out, 0xff, sizeof out);
        TW_PASS(tw_buffer_create_over_const(in, sizeof *in, tw_range_1d(sizes[s]), &a));
        TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(100003), &b));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(sizes[s]), square, .in = tw_read(cg, a), .out = tw_write(cg, b));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_buffer_destroy(&b));
        TW_PASS(tw_buffer_destroy(&a));
        for (size_t i = 0; i < 100003; ++i)
            TW_CHECK(out[i] == (i < sizes[s] ? (unsigned)i * (unsigned)i : 0xffffffffu));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Property 33 for range kernels: a table of n words in the block. */
#define TABLE_KERNEL(n)                                                                                                \
    struct words_##n {                                                                                                 \
        unsigned at[n];                                                                                                \
    };                                                                                                                 \
    struct table_##n {                                                                                                 \
        unsigned *out;                                                                                                 \
        struct words_##n words;                                                                                        \
    };                                                                                                                 \
    static inline void table_##n(tw_item item, const struct table_##n *k)                                              \
    {                                                                                                                  \
        const size_t i = tw_global_id(item, 0);                                                                        \
        k->out[i] = k->words.at[i];                                                                                    \
    }                                                                                                                  \
    TW_RANGE_KERNEL(table_##n, 1);                                                                                     \
    static void check_table_##n(tw_queue *queue)                                                                       \
    {                                                                                                                  \
        static struct words_##n words;                                                                                 \
        static unsigned out[n];                                                                                        \
        tw_buffer *buffer = NULL;                                                                                      \
        TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(n), &buffer));                                     \
        for (unsigned round = 1; round < 4; ++round) {                                                                 \
            for (unsigned i = 0; i < (n); ++i)                                                                         \
                words.at[i] = round * 1000 + i;                                                                        \
            tw_command_group *cg = tw_queue_begin(queue);                                                              \
            tw_parallel_for(cg, tw_range_1d(n), table_##n, .out = tw_discard_write(cg, buffer), .words = words);       \
            TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                 \
        }                                                                                                              \
        TW_PASS(tw_buffer_destroy(&buffer));                                                                           \
        for (unsigned i = 0; i < (n); ++i)                                                                             \
            TW_EQUAL(out[i], 3000 + i);                                                                                \
    }
TABLE_KERNEL(2)
TABLE_KERNEL(14)
TABLE_KERNEL(16)
TABLE_KERNEL(62)
TABLE_KERNEL(64)
TABLE_KERNEL(254)
TABLE_KERNEL(1022)

TW_TEST(blocks_of_every_size_arrive)
{
    tw_queue *queue = tw_test_queue();
    check_table_2(queue);
    check_table_14(queue);
    check_table_16(queue);
    check_table_62(queue);
    check_table_64(queue);
    check_table_254(queue);
    check_table_1022(queue);
    TW_PASS(tw_queue_destroy(&queue));
}

/* A block of 384 bytes, none of which is indexed: on a GPU it travels as kernel arguments. */
struct many_views {
    TW_VIEW(unsigned, 3) out;
    TW_VIEW(const unsigned, 3) a, b, c, d, e, f, g, h, l, m, n;
    TW_VIEW(const unsigned, 2) rows;
    TW_VIEW(const unsigned, 1) line;
    TW_VIEW(const unsigned) any;
    unsigned factor;
};
static inline void many_views(tw_item item, const struct many_views *k)
{
    const size_t x = tw_global_id(item, 0), y = tw_global_id(item, 1), z = tw_global_id(item, 2);
    unsigned sum = tw_at(k->a, x, y, z) + 2 * tw_at(k->b, x, y, z + 1) + 3 * tw_at(k->c, x, y + 1, z)
                   + 4 * tw_at(k->d, x + 1, y, z) + 5 * tw_at_id(k->e, tw_id_3d(x + 1, y, z + 1));
    sum += 6 * tw_at(k->f, x, y, 0) + 7 * tw_at(k->g, x, 0, z) + 8 * tw_at(k->h, 0, y, z);
    for (int back = -1; back <= 0; ++back)
        sum += tw_at(k->l, x + 1 + (size_t)back, y, z) + tw_at(k->m, x, y + 1 + (size_t)back, z)
               + tw_at(k->n, x, y, z + 1 + (size_t)back);
    sum += k->factor * tw_at(k->rows, x, y) + tw_at_id(k->rows, tw_id_2d(x, y)) + tw_at(k->line, z);
    tw_at(k->out, x, y, z) = sum + tw_at(k->any, x, y, z) + (unsigned)tw_extent(k->rows, 1);
}
TW_RANGE_KERNEL(many_views, 3);

enum { DEPTH = 5, ROWS = 7, COLUMNS = 45 };

static unsigned expected_of_views(unsigned in[DEPTH + 1][ROWS + 1][COLUMNS + 1], size_t x, size_t y, size_t z)
{
    unsigned sum = in[x][y][z] + 2 * in[x][y][z + 1] + 3 * in[x][y + 1][z] + 4 * in[x + 1][y][z];
    sum += 5 * in[x + 1][y][z + 1] + 6 * in[x][y][0] + 7 * in[x][0][z] + 8 * in[0][y][z] + 3 * in[x][y][z];
    sum += in[x + 1][y][z] + in[x][y + 1][z] + in[x][y][z + 1];
    return sum + 12 * (unsigned)(100 * x + y) + (unsigned)z + in[x][y][z] + ROWS;
}

TW_TEST(blocks_of_many_views_arrive)
{
    static unsigned in[DEPTH + 1][ROWS + 1][COLUMNS + 1], out[DEPTH][ROWS][COLUMNS], rows[DEPTH][ROWS], line[COLUMNS];
    for (unsigned i = 0; i < sizeof in / sizeof(unsigned); ++i)
        (&in[0][0][0])[i] = i * 2654435761u;
    for (unsigned i = 0; i < DEPTH * ROWS; ++i)
        rows[i / ROWS][i % ROWS] = 100 * (i / ROWS) + i % ROWS;
    for (unsigned i = 0; i < COLUMNS; ++i)
        line[i] = i;
    tw_queue *queue = tw_test_queue();
    tw_buffer *b[4];
    TW_PASS(tw_buffer_create_over_const(in, sizeof(unsigned), tw_range_3d(DEPTH + 1, ROWS + 1, COLUMNS + 1), &b[0]));
    TW_PASS(tw_buffer_create_over(out, sizeof(unsigned), tw_range_3d(DEPTH, ROWS, COLUMNS), &b[1]));
    TW_PASS(tw_buffer_create_over_const(rows, sizeof(unsigned), tw_range_2d(DEPTH, ROWS), &b[2]));
    TW_PASS(tw_buffer_create_over_const(line, sizeof(unsigned), tw_range_1d(COLUMNS), &b[3]));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_3d(DEPTH, ROWS, COLUMNS), many_views, .out = TW_DISCARD_WRITE_VIEW(cg, b[1], 3),
                    .a = TW_READ_VIEW(cg, b[0], 3), .b = TW_READ_VIEW(cg, b[0], 3), .c = TW_READ_VIEW(cg, b[0], 3),
                    .d = TW_READ_VIEW(cg, b[0], 3), .e = TW_READ_VIEW(cg, b[0], 3), .f = TW_READ_VIEW(cg, b[0], 3),
                    .g = TW_READ_VIEW(cg, b[0], 3), .h = TW_READ_VIEW(cg, b[0], 3), .l = TW_READ_VIEW(cg, b[0], 3),
                    .m = TW_READ_VIEW(cg, b[0], 3), .n = TW_READ_VIEW(cg, b[0], 3), .rows = TW_READ_VIEW(cg, b[2], 2),
                    .line = TW_READ_VIEW(cg, b[3], 1), .any = TW_READ_VIEW(cg, b[0]), .factor = 11);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    for (int i = 3; i >= 0; --i)
        TW_PASS(tw_buffer_destroy(&b[i]));
    for (size_t x = 0; x < DEPTH; ++x)
        for (size_t y = 0; y < ROWS; ++y)
            for (size_t z = 0; z < COLUMNS; ++z)
                TW_EQUAL(out[x][y][z], expected_of_views(in, x, y, z));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(ranges_and_offsets_reach_exactly_their_indices),
                TW_CASE(ranges_without_work_items_do_not_run),
                TW_CASE(items_know_where_they_are),
                TW_CASE(long_and_thin_ranges_and_large_offsets),
                TW_CASE(odd_sizes_are_covered),
                TW_CASE(blocks_of_every_size_arrive),
                TW_CASE(blocks_of_many_views_arrive),
                TW_CASES_END};
