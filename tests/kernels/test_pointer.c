/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams gpu-simt (gpu-teams) */
/**
 * pointer.h: pointers of each kind in kernels of each form, out of memory, as plain ones, and as parameters. Here they
 * are what the target has; test_pointer_checked.c makes them different types on CPUs too.
 */
#include "nd_range_test.h"

#include <teamwork/pointer.h>
#include <teamwork/vector.h>

/* The same size as any pointer, in every pass. */
_Static_assert(sizeof(tw_global_ptr(float)) == sizeof(void *), "pointers in structures agree");
_Static_assert(sizeof(tw_constant_ptr(float)) == sizeof(void *), "pointers in structures agree");

enum { GROUPS = 6, SIZE = 32, ITEMS = GROUPS * SIZE };

static tw_buffer *ints(int *data, size_t count)
{
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_over(data, sizeof *data, tw_range_1d(count), &buffer));
    return buffer;
}

/* ---- as parameters, of local, constant and global memory --------------------------------------------------------- */

static inline void load(tw_local_ptr(int) to, tw_constant_ptr(int) from, size_t i)
{
    to[i] = *(from + i);
}

static inline int sum(tw_local_ptr(const int) of, size_t count)
{
    int total = 0;
    for (tw_local_ptr(const int) p = of; p != of + count; ++p)
        total += *p;
    return total;
}

/* Each item stores the sum of its group's part, one less for each item before it. */
struct sums {
    const int *in;
    int *out;
    tw_local_memory part;
};
static inline void sums(tw_nd_item item, const struct sums *k)
{
    const size_t l = tw_local_id(item, 0), first = tw_group_id(item, 0) * SIZE;
    tw_local_ptr(int) part = tw_make_ptr(local, (int *)tw_local_data(item, k->part));
    tw_global_ptr(int) out = tw_make_ptr(global, k->out);
    load(part, tw_make_ptr(constant, k->in) + first, l);
    tw_barrier(item, TW_LOCAL_SPACE);
    out[first + l] = sum(part, SIZE) - (int)l;
}
TW_ND_RANGE_KERNEL(sums);

TW_TEST(nd_range_kernels_name_their_memory)
{
    int in[ITEMS], out[ITEMS] = {0};
    ND_BEGIN(queue);
    for (int i = 0; i < ITEMS; ++i)
        in[i] = i * i;
    tw_buffer *from = ints(in, ITEMS), *to = ints(out, ITEMS);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(ITEMS), tw_range_1d(SIZE)), sums, .in = tw_read(cg, from),
                             .out = tw_discard_write(cg, to), .part = tw_local(cg, SIZE * sizeof(int)));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&to));
    TW_PASS(tw_buffer_destroy(&from));
    for (int i = 0; i < ITEMS; ++i) {
        int total = 0;
        for (int l = 0; l < SIZE; ++l)
            total += in[i / SIZE * SIZE + l];
        TW_EQUAL(out[i], total - i % SIZE);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- TW_LOCAL, private memory, and code for any of them ---------------------------------------------------------- */

struct pair {
    int first, second;
};

/* One text for pointers of any kind. */
#define SWAP_IN(space)                                                                                                 \
    static inline void swap_in_##space(tw_multi_ptr(struct pair, space) p)                                             \
    {                                                                                                                  \
        const int first = p->first;                                                                                    \
        p->first = p->second;                                                                                          \
        p->second = first;                                                                                             \
    }
SWAP_IN(global)
SWAP_IN(local)
SWAP_IN(private)

struct swaps {
    struct pair *pairs;
};
static inline void swaps(tw_group group, const struct swaps *k)
{
    TW_LOCAL(struct pair, tile, [SIZE]);
    const size_t first = tw_group_id(group, 0) * SIZE;
    tw_parallel_for_work_item(group, item) {
        const size_t l = tw_local_id(item, 0);
        struct pair mine = k->pairs[first + l];
        swap_in_private(tw_make_ptr(private, &mine));
        tile[l] = mine;
    }
    tw_parallel_for_work_item(group, item) {
        const size_t l = tw_local_id(item, 0);
        tw_local_ptr(struct pair) other = tw_make_ptr(local, &tile[SIZE - 1 - l]);
        if (l % 2) /* each pair is one item's */
            swap_in_local(other);
        k->pairs[first + l] = *other;
        if (l % 3 == 0)
            swap_in_global(tw_make_ptr(global, &k->pairs[first + l]));
    }
}
TW_WORK_GROUP_KERNEL(swaps, SIZE);

TW_TEST(code_is_written_for_any_memory)
{
    struct pair pairs[ITEMS];
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    for (int i = 0; i < ITEMS; ++i)
        pairs[i] = (struct pair){i, -1 - i};
    TW_PASS(tw_buffer_create_over(pairs, sizeof *pairs, tw_range_1d(ITEMS), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(GROUPS), tw_range_1d(SIZE), swaps, .pairs = tw_read_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
    for (int i = 0; i < ITEMS; ++i) {
        const int l = i % SIZE, was = i - l + SIZE - 1 - l;
        const bool swapped = (1 + (l % 2 != 0) + (l % 3 == 0)) % 2;
        TW_EQUAL(pairs[i].first, swapped ? -1 - was : was);
        TW_EQUAL(pairs[i].second, swapped ? was : -1 - was);
    }
}

/* ---- out of memory: a structure of pointers ---------------------------------------------------------------------- */

struct row {
    tw_global_ptr(const int) elements;
    size_t count;
};

struct point_at {
    const int *elements;
    struct row *rows;
};
static inline void point_at(tw_item item, const struct point_at *k)
{
    const size_t i = tw_global_id(item, 0);
    const struct row row = {tw_make_ptr(global, k->elements + i * i), 2 * i + 1};
    k->rows[i] = row;
}
TW_RANGE_KERNEL(point_at, 1);

/* The elements are read through the rows, so the group declares them; the block need not hold them. */
struct add_up {
    const struct row *rows;
    const int *elements;
    int *sums;
};
static inline void add_up(tw_item item, const struct add_up *k)
{
    const size_t i = tw_global_id(item, 0);
    const struct row row = k->rows[i];
    int total = 0;
    for (size_t j = 0; j < row.count; ++j)
        total += row.elements[j];
    k->sums[i] = row.elements >= tw_make_ptr(global, k->elements) ? total : -1;
}
TW_RANGE_KERNEL(add_up, 1);

TW_TEST(pointers_come_out_of_memory)
{
    enum { ROWS = 12 };
    int elements[ROWS * ROWS], totals[ROWS] = {0};
    tw_queue *queue = tw_test_queue();
    tw_buffer *rows = NULL;
    for (int i = 0; i < ROWS * ROWS; ++i)
        elements[i] = 7 * i + 1;
    tw_buffer *all = ints(elements, ROWS * ROWS), *out = ints(totals, ROWS);
    TW_PASS(tw_buffer_create(sizeof(struct row), tw_range_1d(ROWS), &rows));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(ROWS), point_at, .elements = tw_read(cg, all), .rows = tw_discard_write(cg, rows));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(ROWS), add_up, .rows = tw_read(cg, rows), .elements = tw_read(cg, all),
                    .sums = tw_discard_write(cg, out));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_buffer_destroy(&all));
    TW_PASS(tw_buffer_destroy(&rows));
    TW_PASS(tw_queue_destroy(&queue));
    for (int i = 0; i < ROWS; ++i) {
        int total = 0;
        for (int j = i * i; j < (i + 1) * (i + 1); ++j)
            total += elements[j];
        TW_EQUAL(totals[i], total);
    }
}

/* ---- as plain pointers ------------------------------------------------------------------------------------------- */

#define IS_PLAIN(p, type) _Generic((p), type *: 1, default: 0)

struct plain {
    const float *in;
    float *out;
    int *plain; /* for each item, whether all types are the plain ones */
};
static inline void plain(tw_item item, const struct plain *k)
{
    const size_t i = tw_global_id(item, 0);
    float four[4] = {0, 0, 0, 0};
    tw_constant_ptr(float) in = tw_make_ptr(constant, k->in);
    tw_global_ptr(float) out = tw_make_ptr(global, k->out);
    tw_private_ptr(float) mine = tw_make_ptr(private, four);
    tw_vstore4(tw_vload4(i, tw_plain_ptr(in)) * 2, 0, tw_plain_ptr(mine));
    tw_vstore4(tw_vload4(0, four) + tw_vload4(i, tw_plain_ptr(k->in)), i, tw_plain_ptr(out));
    k->plain[i] = IS_PLAIN(tw_plain_ptr(in), const float) && IS_PLAIN(tw_plain_ptr(out), float)
                  && IS_PLAIN(tw_plain_ptr(mine), float) && IS_PLAIN(tw_plain_ptr(k->in), const float)
                  && IS_PLAIN(tw_plain_ptr(&four[1]), float);
}
TW_RANGE_KERNEL(plain, 1);

TW_TEST(functions_take_them_as_plain_pointers)
{
    float in[4 * ITEMS], out[4 * ITEMS] = {0};
    int are_plain[ITEMS] = {0};
    tw_queue *queue = tw_test_queue();
    tw_buffer *from = NULL, *to = NULL, *answers = ints(are_plain, ITEMS);
    for (int i = 0; i < 4 * ITEMS; ++i)
        in[i] = (float)i;
    TW_PASS(tw_buffer_create_over_const(in, sizeof *in, tw_range_1d(4 * ITEMS), &from));
    TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(4 * ITEMS), &to));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(ITEMS), plain, .in = tw_read(cg, from), .out = tw_discard_write(cg, to),
                    .plain = tw_discard_write(cg, answers));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&answers));
    TW_PASS(tw_buffer_destroy(&to));
    TW_PASS(tw_buffer_destroy(&from));
    TW_PASS(tw_queue_destroy(&queue));
    for (int i = 0; i < 4 * ITEMS; ++i)
        TW_CHECK(out[i] == 3 * (float)i);
    for (int i = 0; i < ITEMS; ++i)
        TW_EQUAL(are_plain[i], 1);
}

/* ---- atomic operations, which take pointers of any kind ---------------------------------------------------------- */

static inline void count(tw_local_ptr(int) in_group, tw_global_ptr(short) in_all, tw_constant_ptr(int) by)
{
    tw_atomic_fetch_add(in_group, tw_atomic_load(by), TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);
    tw_atomic_fetch_add(in_all, 1);
}

struct counts {
    const int *by;
    short *all;
    int *groups;
};
static inline void counts(tw_group group, const struct counts *k)
{
    TW_LOCAL(int, in_group);
    TW_ONCE(group) {
        in_group = 0;
    }
    tw_parallel_for_work_item(group, item) {
        count(tw_make_ptr(local, &in_group), tw_make_ptr(global, &k->all[1]),
              tw_make_ptr(constant, &k->by[tw_local_id(item, 0)]));
    }
    TW_ONCE(group) {
        k->groups[tw_group_id(group, 0)] = in_group;
    }
}
TW_WORK_GROUP_KERNEL(counts, SIZE);

TW_TEST(atomic_operations_take_them)
{
    int by[SIZE], groups[GROUPS] = {0};
    short all[3] = {-1, 0, -1};
    tw_queue *queue = tw_test_queue();
    for (int i = 0; i < SIZE; ++i)
        by[i] = i;
    tw_buffer *from = ints(by, SIZE), *to = ints(groups, GROUPS), *shorts = NULL;
    TW_PASS(tw_buffer_create_over(all, sizeof *all, tw_range_1d(3), &shorts));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(GROUPS), tw_range_1d(SIZE), counts, .by = tw_read(cg, from),
                               .all = tw_atomic(cg, shorts), .groups = tw_discard_write(cg, to));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&to));
    TW_PASS(tw_buffer_destroy(&from));
    TW_PASS(tw_buffer_destroy(&shorts));
    TW_PASS(tw_queue_destroy(&queue));
    for (int i = 0; i < GROUPS; ++i)
        TW_EQUAL(groups[i], SIZE * (SIZE - 1) / 2);
    TW_CHECK(all[0] == -1 && all[1] == ITEMS && all[2] == -1);
}

TW_TEST_LIST = {TW_CASE(nd_range_kernels_name_their_memory), TW_CASE(code_is_written_for_any_memory),
                TW_CASE(pointers_come_out_of_memory),        TW_CASE(functions_take_them_as_plain_pointers),
                TW_CASE(atomic_operations_take_them),        TW_CASES_END};
