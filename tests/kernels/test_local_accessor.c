/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams gpu-simt (gpu-teams) */
/** local.h, and tw_local() of command_group.h: local accessors (property 14) in nd_range and hierarchical kernels,
 *  beside TW_LOCAL variables, as views with checked indices, and the memory that a launch refuses. */
#define TW_DEBUG_BOUNDS 1
#include "nd_range_test.h"

static size_t local_memory_of(tw_queue *queue)
{
    size_t bytes = 0;
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_LOCAL_MEM_SIZE, &bytes, sizeof bytes));
    return bytes;
}

/* ---- each index of memory of each size (property 14) ------------------------------------------------------------- */

/* Every work-item writes every n-th int of the group's memory, and checks what another one wrote. */
struct fill {
    int *wrong; /* one for each work-item */
    tw_local_memory memory;
};
static inline void fill(tw_nd_item item, const struct fill *k)
{
    int *mine = tw_local_data(item, k->memory), wrong = 0;
    const size_t count = tw_local_size(k->memory) / sizeof(int), n = tw_local_range(item, 0);
    const size_t l = tw_local_id(item, 0), group = tw_group_id(item, 0);
    for (size_t i = l; i < count; i += n)
        mine[i] = (int)(1000003 * group + i);
    tw_barrier(item, TW_LOCAL_SPACE);
    for (size_t i = (l + 1) % n; i < count; i += n)
        wrong += mine[i] != (int)(1000003 * group + i);
    wrong += (uintptr_t)mine % 16 != 0;
    k->wrong[tw_global_id(item, 0)] = wrong;
}
TW_ND_RANGE_KERNEL(fill);

static tw_status launch_fill(tw_queue *queue, tw_buffer *wrong, size_t items, size_t bytes)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_buffer_range(wrong), tw_range_1d(items)), fill,
                             .wrong = tw_discard_write(cg, wrong), .memory = tw_local(cg, bytes));
    return tw_queue_submit(queue, cg, NULL);
}

TW_TEST(every_index_is_the_groups_own)
{
    enum { GROUPS = 12, SIZE = 20 };
    ND_BEGIN(queue);
    const size_t sizes[] = {4, 80, 84, 4096, 20000, 16};
    int wrong[GROUPS * SIZE];
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        tw_buffer *buffer = NULL;
        memset(wrong, 0xff, sizeof wrong);
        TW_PASS(tw_buffer_create_over(wrong, sizeof *wrong, tw_range_1d(GROUPS * SIZE), &buffer));
        TW_PASS(launch_fill(queue, buffer, SIZE, sizes[s]));
        TW_PASS(tw_buffer_destroy(&buffer));
        for (int i = 0; i < GROUPS * SIZE; ++i)
            TW_EQUAL(wrong[i], 0);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* The standard mapping on a GPU has some of the memory for itself; elsewhere one accessor can have it all. */
TW_TEST(all_of_the_devices_local_memory)
{
    enum { GROUPS = 5, SIZE = 64 };
    int wrong[GROUPS * SIZE];
    tw_buffer *buffer = NULL;
    ND_BEGIN(queue);
    size_t bytes = local_memory_of(queue);
    memset(wrong, 0xff, sizeof wrong);
    TW_CHECK(bytes >= 16 << 10);
    TW_PASS(tw_buffer_create_over(wrong, sizeof *wrong, tw_range_1d(GROUPS * SIZE), &buffer));
    tw_status status = launch_fill(queue, buffer, SIZE, bytes);
    if (status == TW_ERROR_OUT_OF_LOCAL_MEMORY && tw_device_is_gpu(tw_queue_device(queue)))
        status = launch_fill(queue, buffer, SIZE, bytes = 16 << 10);
    TW_PASS(status);
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < GROUPS * SIZE; ++i)
        TW_EQUAL(wrong[i], 0);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- several ----------------------------------------------------------------------------------------------------- */

/* Accessors of odd sizes and several types, and TW_LOCAL variables: none touches another. */
struct several {
    int *wrong;
    tw_local_memory bytes, unused, doubles, shorts;
};
static inline bool overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    const uintptr_t from_a = (uintptr_t)a, from_b = (uintptr_t)b;
    return from_a < from_b + b_bytes && from_b < from_a + a_bytes;
}
static inline void several(tw_nd_item item, const struct several *k)
{
    TW_LOCAL(unsigned, table, [33]);
    TW_LOCAL(double, single);
    unsigned char *bytes = tw_local_data(item, k->bytes);
    double *doubles = tw_local_data(item, k->doubles);
    short *shorts = tw_local_data(item, k->shorts);
    const size_t l = tw_local_id(item, 0), g = tw_group_id(item, 0), other = 32 - l;
    bytes[l] = (unsigned char)(l + g);
    doubles[l] = (double)(l * g) + 0.5;
    shorts[l] = (short)(l - 7 * g);
    table[l] = (unsigned)(100 * l + g);
    if (l == 5)
        single = (double)g + 0.25;
    tw_barrier(item, TW_LOCAL_SPACE);
    int wrong = bytes[other] != (unsigned char)(other + g);
    wrong += doubles[other] != (double)(other * g) + 0.5;
    wrong += shorts[other] != (short)(other - 7 * g);
    wrong += table[other] != (unsigned)(100 * other + g);
    wrong += single != (double)g + 0.25;
    wrong += (uintptr_t)doubles % 16 != 0 || (uintptr_t)table % 16 != 0 || (uintptr_t)&single % 16 != 0;
    wrong += overlap(bytes, tw_local_size(k->bytes), doubles, tw_local_size(k->doubles));
    wrong += overlap(doubles, tw_local_size(k->doubles), shorts, tw_local_size(k->shorts));
    wrong += overlap(shorts, tw_local_size(k->shorts), table, sizeof table);
    wrong += overlap(table, sizeof table, &single, sizeof single);
    wrong += tw_local_size(k->bytes) != 33 || tw_local_size(k->doubles) != 33 * sizeof(double)
             || tw_local_size(k->shorts) != 66 || tw_local_size(k->unused) != 1;
    k->wrong[tw_global_id(item, 0)] = wrong;
}
TW_ND_RANGE_KERNEL(several, 33);

TW_TEST(several_accessors_beside_local_variables)
{
    enum { GROUPS = 30, SIZE = 33 };
    int wrong[GROUPS * SIZE];
    tw_buffer *buffer = NULL;
    ND_BEGIN(queue);
    memset(wrong, 0xff, sizeof wrong);
    TW_PASS(tw_buffer_create_over(wrong, sizeof *wrong, tw_range_1d(GROUPS * SIZE), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(GROUPS), tw_range_1d(SIZE)), several,
                             .wrong = tw_discard_write(cg, buffer), .bytes = tw_local(cg, SIZE),
                             .unused = tw_local(cg, 1), .doubles = tw_local(cg, SIZE * sizeof(double)),
                             .shorts = tw_local_range_of(cg, sizeof(short), tw_range_2d(3, 11)));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < GROUPS * SIZE; ++i)
        TW_EQUAL(wrong[i], 0);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- views ------------------------------------------------------------------------------------------------------- */

/* A transposition through a tile, and a row of numbers of the group. */
struct transpose {
    TW_VIEW(const float) in;
    TW_VIEW(float) out;
    TW_LOCAL_VIEW(float) tile;
    TW_LOCAL_VIEW(short) row;
    TW_LOCAL_VIEW(long) cube;
};
static inline void transpose(tw_nd_item item, const struct transpose *k)
{
    TW_LOCAL(int, sign, [8]);
    const size_t i = tw_local_id(item, 0), j = tw_local_id(item, 1);
    const size_t top = tw_group_id(item, 0) * tw_local_range(item, 0);
    const size_t left = tw_group_id(item, 1) * tw_local_range(item, 1);
    tw_local_at(item, k->tile, i, j) = tw_at(k->in, top + i, left + j);
    tw_local_at(item, k->cube, i, 1, j) = (long)(10 * i + j);
    if (j == 0) {
        tw_local_at(item, k->row, i) = (short)i;
        sign[i] = i % 2 ? -1 : 1;
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    const size_t rows = tw_extent(k->tile, 0);
    const size_t linear = i * tw_local_range(item, 1) + j, column = linear / rows, row = linear % rows;
    tw_at(k->out, left + column, top + row) = (float)sign[row] * tw_local_at(item, k->tile, row, column)
                                              + (float)(tw_local_at(item, k->row, row) - (short)row)
                                              + (float)(tw_local_at(item, k->cube, row, 1, column) - 10 * (long)row)
                                              - (float)column;
}
TW_ND_RANGE_KERNEL(transpose);

TW_TEST(views_of_one_to_three_dimensions)
{
    enum { ROWS = 40, COLUMNS = 54, TILE_ROWS = 8, TILE_COLUMNS = 6 };
    static float in[ROWS][COLUMNS], out[COLUMNS][ROWS];
    const tw_range local = tw_range_2d(TILE_ROWS, TILE_COLUMNS);
    tw_buffer *a = NULL, *b = NULL;
    ND_BEGIN(queue);
    for (int i = 0; i < ROWS * COLUMNS; ++i)
        (&in[0][0])[i] = (float)i;
    TW_PASS(tw_buffer_create_over_const(in, sizeof(float), tw_range_2d(ROWS, COLUMNS), &a));
    TW_PASS(tw_buffer_create_over(out, sizeof(float), tw_range_2d(COLUMNS, ROWS), &b));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_2d(ROWS, COLUMNS), local), transpose,
                             .in = TW_READ_VIEW(cg, a), .out = TW_DISCARD_WRITE_VIEW(cg, b),
                             .tile = TW_LOCAL_VIEW_OF(cg, float, local),
                             .row = TW_LOCAL_VIEW_OF(cg, short, tw_range_1d(TILE_ROWS)),
                             .cube = TW_LOCAL_VIEW_OF(cg, long, tw_range_3d(TILE_ROWS, 2, TILE_COLUMNS)));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&b));
    TW_PASS(tw_buffer_destroy(&a));
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j)
            TW_CHECK(out[j][i] == (i % 2 ? -in[i][j] : in[i][j]));
    TW_PASS(tw_queue_destroy(&queue));
}

struct beyond {
    int *out;
    TW_LOCAL_VIEW(int) tile;
    size_t row;
};
static inline void beyond(tw_nd_item item, const struct beyond *k)
{
    tw_local_at(item, k->tile, k->row, tw_local_id(item, 0)) = 1;
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_id(item, 0)] = tw_local_at(item, k->tile, 0, tw_local_id(item, 0));
}
TW_ND_RANGE_KERNEL(beyond);

/* A GPU traps, which ends the program. */
TW_TEST(an_index_outside_is_an_error_of_the_command)
{
    int out[64];
    ND_BEGIN(queue);
    if (tw_device_is_gpu(tw_queue_device(queue))) {
        TW_PASS(tw_queue_destroy(&queue));
        TW_SKIP();
    }
    for (size_t row = 0; row < 2; ++row) {
        tw_buffer *buffer = NULL;
        TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(64), &buffer));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(4), tw_range_1d(16)), beyond,
                                 .out = tw_discard_write(cg, buffer),
                                 .tile = TW_LOCAL_VIEW_OF(cg, int, tw_range_2d(1, 16)), .row = row);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        if (row == 0) {
            TW_PASS(tw_buffer_destroy(&buffer));
            continue;
        }
        TW_FAIL(tw_queue_wait_and_throw(queue), TW_ERROR_OUT_OF_BOUNDS);
        TW_CHECK(strstr(tw_error_detail(), "beyond") && strstr(tw_error_detail(), "(1, "));
        TW_FAIL(tw_buffer_destroy(&buffer), TW_ERROR_DATA_LOST);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- hierarchical kernels ---------------------------------------------------------------------------------------- */

struct sums {
    const int *in;
    int *out;
    tw_local_memory part;
    TW_LOCAL_VIEW(int) copy;
};
static inline void sums(tw_group group, const struct sums *k)
{
    TW_LOCAL(int, first, [2]);
    int *part = tw_local_data(group, k->part);
    tw_parallel_for_work_item(group, item) {
        int *same = tw_local_data(item, k->part);
        same[tw_local_id(item, 0)] = k->in[tw_global_id(item, 0)];
        tw_local_at(item, k->copy, tw_local_id(item, 0)) = k->in[tw_global_id(item, 0)];
    }
    for (size_t left = tw_local_range(group, 0); left > 1; left = (left + 1) / 2)
        tw_parallel_for_work_item_range(group, item, tw_range_1d(left / 2)) {
            part[tw_local_id(item, 0)] += part[tw_local_id(item, 0) + (left + 1) / 2];
        }
    TW_ONCE(group) {
        first[0] = part[0];
        first[1] = tw_local_at(group, k->copy, 0);
    }
    TW_ONCE(group) {
        k->out[tw_group_id(group, 0)] = first[0] + first[1];
    }
}
TW_WORK_GROUP_KERNEL(sums);

TW_TEST(hierarchical_kernels)
{
    enum { GROUPS = 25, SIZE = 150 };
    static int in[GROUPS * SIZE];
    int out[GROUPS];
    tw_queue *queue = tw_test_queue();
    tw_buffer *a = NULL, *b = NULL;
    for (int i = 0; i < GROUPS * SIZE; ++i)
        in[i] = i * 7919 % 1000;
    TW_PASS(tw_buffer_create_over_const(in, sizeof *in, tw_range_1d(GROUPS * SIZE), &a));
    TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(GROUPS), &b));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(GROUPS), tw_range_1d(SIZE), sums, .in = tw_read(cg, a),
                               .out = tw_discard_write(cg, b), .part = tw_local(cg, SIZE * sizeof(int)),
                               .copy = TW_LOCAL_VIEW_OF(cg, int, tw_range_1d(SIZE)));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&b));
    TW_PASS(tw_buffer_destroy(&a));
    for (int g = 0; g < GROUPS; ++g) {
        int sum = in[g * SIZE];
        for (int i = 0; i < SIZE; ++i)
            sum += in[g * SIZE + i];
        TW_EQUAL(out[g], sum);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

struct plain {
    int *out;
    tw_local_memory memory;
};
static inline void plain(tw_item item, const struct plain *k)
{
    k->out[tw_global_id(item, 0)] = 1;
}
TW_RANGE_KERNEL(plain, 1);

struct task {
    int *out;
    tw_local_memory memory;
};
static inline void task(const struct task *k)
{
    k->out[0] = 1;
}
TW_SINGLE_TASK(task);

/* Reserves memory in a new group, twice; returns the group's status. */
static tw_status reserve(tw_queue *queue, size_t bytes, size_t more)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_local(cg, bytes);
    if (more)
        tw_local(cg, more);
    const tw_status status = tw_command_group_status(cg);
    tw_command_group_discard(cg);
    return status;
}

static tw_status reserve_range(tw_queue *queue, size_t element_bytes, tw_range range)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_local_range_of(cg, element_bytes, range);
    const tw_status status = tw_command_group_status(cg);
    tw_command_group_discard(cg);
    return status;
}

TW_TEST(memory_that_is_refused)
{
    const tw_range none = {{1, 1, 1}, 0};
    char text[32];
    tw_queue *queue = tw_test_queue(); /* recording works wherever kernels do not */
    const size_t most = local_memory_of(queue);
    TW_PASS(reserve(queue, most, 0));
    TW_PASS(reserve(queue, 1, most - 128));
    TW_FAIL(reserve(queue, 0, 0), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(reserve(queue, most + 1, 0), TW_ERROR_OUT_OF_LOCAL_MEMORY);
    snprintf(text, sizeof text, "%zu bytes", most + 1);
    TW_CHECK(strstr(tw_error_detail(), text) != NULL);
    snprintf(text, sizeof text, "%zu of", most);
    TW_CHECK(strstr(tw_error_detail(), text) != NULL);
    TW_FAIL(reserve(queue, most, 1), TW_ERROR_OUT_OF_LOCAL_MEMORY);
    TW_FAIL(reserve(queue, 1, most), TW_ERROR_OUT_OF_LOCAL_MEMORY);
    TW_FAIL(reserve(queue, SIZE_MAX, 0), TW_ERROR_OUT_OF_LOCAL_MEMORY);
    TW_FAIL(reserve(queue, 100, SIZE_MAX - 20), TW_ERROR_OUT_OF_LOCAL_MEMORY);
    TW_PASS(reserve_range(queue, 4, tw_range_3d(3, 4, 5)));
    TW_FAIL(reserve_range(queue, 4, none), TW_ERROR_INVALID_RANGE);
    TW_FAIL(reserve_range(queue, 4, tw_range_2d(SIZE_MAX, 2)), TW_ERROR_INVALID_RANGE);
    TW_FAIL(reserve_range(queue, 4, tw_range_2d(SIZE_MAX / 2, 2)), TW_ERROR_OUT_OF_LOCAL_MEMORY);
    TW_FAIL(reserve_range(queue, 4, tw_range_2d(5, 0)), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(reserve_range(queue, 0, tw_range_1d(5)), TW_ERROR_INVALID_ARGUMENT);
    TW_EQUAL(tw_local_size(tw_local(NULL, 4)), 0);
    TW_PASS(tw_queue_destroy(&queue));
}

/* The first error stays, and a launch in such a group does nothing. */
TW_TEST(recording_is_sticky)
{
    int wrong[16];
    tw_buffer *buffer = NULL;
    tw_queue *queue = tw_test_queue();
    const size_t most = local_memory_of(queue);
    memset(wrong, 0x11, sizeof wrong);
    TW_PASS(tw_buffer_create_over(wrong, sizeof *wrong, tw_range_1d(16), &buffer));
    TW_FAIL(launch_fill(queue, buffer, 16, most + 1), TW_ERROR_OUT_OF_LOCAL_MEMORY);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_local(cg, 0);
    tw_local(cg, most + 1);
    TW_EQUAL(tw_local_size(tw_local(cg, 16)), 0);
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < 16; ++i)
        TW_EQUAL(wrong[i], 0x11111111);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(kernels_without_groups)
{
    int out[4] = {0};
    tw_buffer *buffer = NULL;
    tw_queue *queue = tw_test_queue();
    TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(4), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(4), plain, .out = tw_write(cg, buffer), .memory = tw_local(cg, 16));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_CHECK(strstr(tw_error_detail(), "plain") != NULL);
    cg = tw_queue_begin(queue);
    tw_single_task(cg, task, .out = tw_write(cg, buffer), .memory = tw_local(cg, 16));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_CHECK(strstr(tw_error_detail(), "task") != NULL);
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < 4; ++i)
        TW_EQUAL(out[i], 0);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(every_index_is_the_groups_own),
                TW_CASE(all_of_the_devices_local_memory),
                TW_CASE(several_accessors_beside_local_variables),
                TW_CASE(views_of_one_to_three_dimensions),
                TW_CASE(an_index_outside_is_an_error_of_the_command),
                TW_CASE(hierarchical_kernels),
                TW_CASE(memory_that_is_refused),
                TW_CASE(recording_is_sticky),
                TW_CASE(kernels_without_groups),
                TW_CASES_END};
