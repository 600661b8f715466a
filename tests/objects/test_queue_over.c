/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host (gpu-simt gpu-teams) */
/**
 * Queues over several devices: each launch is divided, and the results are those of a queue on one device. On a machine
 * with a GPU the devices are it and the host; else simulated ones.
 */
#include "unsigned_kernels.h"

#include <math.h>
#include <string.h>

#include <teamwork/usm.h>

enum { ROWS = 37, COLUMNS = 23, INNER = 19, N = 10000, MOST = 8 };

TW_TEST_ONE_THREAD

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

struct saxpy {
    float a;
    const float *x;
    float *y;
};
static inline void saxpy(tw_item item, const struct saxpy *k)
{
    const size_t i = tw_global_id(item, 0);
    k->y[i] += k->a * k->x[i];
}
TW_RANGE_KERNEL(saxpy, 1);

/* Sums of neighbours, with the edges as they are. */
struct spread {
    TW_VIEW(const unsigned, 2) now;
    TW_VIEW(unsigned, 2) next;
};
static inline void spread(tw_item item, const struct spread *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
    const bool edge = i == 0 || j == 0 || i == tw_global_range(item, 0) - 1 || j == tw_global_range(item, 1) - 1;
    tw_at(k->next, i, j) = edge ? tw_at(k->now, i, j)
                                : tw_at(k->now, i - 1, j) + tw_at(k->now, i + 1, j) + tw_at(k->now, i, j - 1)
                                      + 3 * tw_at(k->now, i, j + 1);
}
TW_RANGE_KERNEL(spread, 2);

struct cube {
    TW_VIEW(const unsigned, 3) now;
    TW_VIEW(unsigned, 3) next;
};
static inline void cube(tw_item item, const struct cube *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1), l = tw_global_id(item, 2);
    const bool edge = !i || !j || !l || i == tw_global_range(item, 0) - 1 || j == tw_global_range(item, 1) - 1
                      || l == tw_global_range(item, 2) - 1;
    tw_at(k->next, i, j, l) = edge ? 1
                                   : tw_at(k->now, i - 1, j, l) + 2 * tw_at(k->now, i + 1, j, l)
                                         + 3 * tw_at(k->now, i, j - 1, l) + 5 * tw_at(k->now, i, j + 1, l)
                                         + 7 * tw_at(k->now, i, j, l - 1) + 11 * tw_at(k->now, i, j, l + 1);
}
TW_RANGE_KERNEL(cube, 3);

struct set_two {
    TW_VIEW(unsigned) x;
};
static inline void set_two(tw_item item, const struct set_two *k)
{
    tw_at(k->x, tw_global_id(item, 0), tw_global_id(item, 1)) = 2;
}
TW_RANGE_KERNEL(set_two, 2);

struct product {
    TW_VIEW(const int) a, b;
    TW_VIEW(int) c;
};
static inline void product(tw_item item, const struct product *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
    int sum = 0;
    for (size_t at = 0; at < INNER; ++at)
        sum += tw_at(k->a, i, at) * tw_at(k->b, at, j);
    tw_at(k->c, i, j) = sum;
}
TW_RANGE_KERNEL(product, 2);

/* All that a work-item of a group can ask, in one number. */
struct numbers {
    unsigned long *out;
};
static inline void numbers(tw_nd_item item, const struct numbers *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = i + 1000 * tw_group_id(item, 0) + 1000000 * tw_group_range(item, 0) + 100000000 * tw_local_id(item, 0)
                + 10000000000 * tw_global_range(item, 0) + tw_global_linear_id(item);
}
TW_ND_RANGE_KERNEL(numbers);

struct tiles {
    unsigned *out;
    size_t columns;
};
static inline void tiles(tw_group group, const struct tiles *k)
{
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
        k->out[i * k->columns + j] = (unsigned)(tw_group_linear_id(group) * 100 + tw_local_linear_id(item));
    }
}
TW_WORK_GROUP_KERNEL(tiles);

struct dot {
    const double *x, *y;
    TW_REDUCTION(double, TW_SUM) sum;
    TW_REDUCTION(double, TW_MAX) most;
};
static inline void dot(tw_item item, const struct dot *k)
{
    const size_t i = tw_global_id(item, 0);
    tw_combine(k->sum, k->x[i] * k->y[i]);
    tw_combine(k->most, k->x[i]);
}
TW_RANGE_REDUCTION(dot, 1, sum, most);

struct histogram {
    const unsigned char *bytes;
    TW_REDUCTION_ARRAY(unsigned, TW_SUM) bins;
};
static inline void histogram(tw_nd_item item, const struct histogram *k)
{
    tw_combine_at(k->bins, k->bytes[tw_global_id(item, 0)], 1);
}
TW_ND_RANGE_REDUCTION(histogram, (), bins);

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

/* A queue over `count` devices, each with as many work-items. */
static tw_queue *queue_over(size_t count, unsigned properties)
{
    static const double equal[MOST] = {1, 1, 1, 1, 1, 1, 1, 1};
    tw_queue *queue = tw_test_queue_over(count, properties);
    TW_PASS(tw_queue_set_division(queue, equal));
    return queue;
}

/* Does steps of spread() by loops. */
static void spread_by_hand(unsigned plate[ROWS][COLUMNS], int steps)
{
    static unsigned next[ROWS][COLUMNS];
    for (int step = 0; step < steps; ++step) {
        for (size_t i = 0; i < ROWS; ++i)
            for (size_t j = 0; j < COLUMNS; ++j)
                next[i][j] = i == 0 || j == 0 || i == ROWS - 1 || j == COLUMNS - 1
                                 ? plate[i][j]
                                 : plate[i - 1][j] + plate[i + 1][j] + plate[i][j - 1] + 3 * plate[i][j + 1];
        memcpy(plate, next, sizeof next);
    }
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

TW_TEST(elements_are_divided_without_a_mapper)
{
    static float x[N], y[N];
    for (size_t count = 1; count <= 4; ++count) {
        tw_queue *queue = queue_over(count, 0);
        tw_buffer *bx = NULL, *by = NULL;
        for (size_t i = 0; i < N; ++i) {
            x[i] = (float)i;
            y[i] = 1;
        }
        TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(N), &bx));
        TW_PASS(tw_buffer_create_over(y, sizeof *y, tw_range_1d(N), &by));
        for (int round = 0; round < 3; ++round)
            TW_COMMAND_GROUP(queue, cg)
                tw_parallel_for(cg, tw_range_1d(N), saxpy, .a = 2, .x = tw_read(cg, bx), .y = tw_read_write(cg, by));
        TW_PASS(tw_queue_wait(queue));
        TW_PASS(tw_buffer_destroy(&bx));
        TW_PASS(tw_buffer_destroy(&by));
        for (size_t i = 0; i < N; ++i)
            TW_CHECK(y[i] == 1 + 6 * (float)i);
        TW_PASS(tw_queue_destroy(&queue));
    }
}

TW_TEST(neighborhoods_are_exchanged)
{
    static unsigned data[ROWS][COLUMNS], expected[ROWS][COLUMNS];
    enum { STEPS = 10 };
    for (size_t i = 0; i < ROWS; ++i)
        for (size_t j = 0; j < COLUMNS; ++j)
            data[i][j] = expected[i][j] = (unsigned)(i * 31 + j * j);
    spread_by_hand(expected, STEPS);
    tw_queue *queue = queue_over(4, 0);
    tw_buffer *plates[2];
    for (int i = 0; i < 2; ++i)
        TW_PASS(tw_buffer_create_copy(data, sizeof(unsigned), tw_range_2d(ROWS, COLUMNS), &plates[i]));
    for (int step = 0; step < STEPS; ++step) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_buffer *now = plates[step & 1], *next = plates[~step & 1];
        tw_parallel_for(cg, tw_range_2d(ROWS, COLUMNS), spread,
                        .now = TW_READ_MAPPED_VIEW(cg, now, tw_neighborhood(1, 1, 0), 2),
                        .next = TW_DISCARD_WRITE_MAPPED_VIEW(cg, next, tw_one_to_one(), 2));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    TW_PASS(tw_buffer_read(plates[0], data));
    TW_CHECK(memcmp(data, expected, sizeof data) == 0);
    for (int i = 0; i < 2; ++i)
        TW_PASS(tw_buffer_destroy(&plates[i]));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Six devices divide it in blocks. */
TW_TEST(three_dimensions_are_divided_in_blocks)
{
    enum { A = 12, B = 14, C = 9 };
    static unsigned results[2][A * B * C];
    for (int over = 0; over < 2; ++over) {
        tw_queue *queue = queue_over(over ? 6 : 1, 0);
        tw_buffer *buffers[2];
        for (size_t i = 0; i < A * B * C; ++i)
            results[over][i] = (unsigned)(i * i);
        for (int i = 0; i < 2; ++i)
            TW_PASS(tw_buffer_create_copy(results[over], sizeof(unsigned), tw_range_3d(A, B, C), &buffers[i]));
        for (int step = 0; step < 6; ++step)
            TW_COMMAND_GROUP(queue, cg)
                tw_parallel_for(cg, tw_range_3d(A, B, C), cube,
                                .now = TW_READ_MAPPED_VIEW(cg, buffers[step & 1], tw_neighborhood(1, 1, 1), 3),
                                .next = TW_DISCARD_WRITE_MAPPED_VIEW(cg, buffers[~step & 1], tw_one_to_one(), 3));
        TW_PASS(tw_buffer_read(buffers[0], results[over]));
        for (int i = 0; i < 2; ++i)
            TW_PASS(tw_buffer_destroy(&buffers[i]));
        TW_PASS(tw_queue_destroy(&queue));
    }
    TW_CHECK(memcmp(results[0], results[1], sizeof results[0]) == 0);
}

TW_TEST(slices_are_brought_whole)
{
    static int a[ROWS][INNER], b[INNER][COLUMNS], c[ROWS][COLUMNS];
    for (int i = 0; i < ROWS * INNER; ++i)
        a[i / INNER][i % INNER] = i % 7;
    for (int i = 0; i < INNER * COLUMNS; ++i)
        b[i / COLUMNS][i % COLUMNS] = i % 11;
    tw_queue *queue = queue_over(3, 0);
    tw_buffer *ba = NULL, *bb = NULL, *bc = NULL;
    TW_PASS(tw_buffer_create_over(a, sizeof(int), tw_range_2d(ROWS, INNER), &ba));
    TW_PASS(tw_buffer_create_over(b, sizeof(int), tw_range_2d(INNER, COLUMNS), &bb));
    TW_PASS(tw_buffer_create_over(c, sizeof(int), tw_range_2d(ROWS, COLUMNS), &bc));
    tw_event *event = NULL;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_2d(ROWS, COLUMNS), product, .a = TW_READ_MAPPED_VIEW(cg, ba, tw_slice(1)),
                    .b = TW_READ_MAPPED_VIEW(cg, bb, tw_slice(0)), .c = TW_DISCARD_WRITE_VIEW(cg, bc));
    TW_PASS(tw_queue_submit(queue, cg, &event));
    TW_PASS(tw_event_wait(event));
    tw_event_release(&event);
    TW_PASS(tw_buffer_destroy(&ba));
    TW_PASS(tw_buffer_destroy(&bb));
    TW_PASS(tw_buffer_destroy(&bc));
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j) {
            int sum = 0;
            for (int k = 0; k < INNER; ++k)
                sum += a[i][k] * b[k][j];
            TW_EQUAL(c[i][j], sum);
        }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(groups_see_the_whole_launch)
{
    static unsigned long out[2][480];
    static unsigned shapes[2][48 * 30];
    for (int over = 0; over < 2; ++over) {
        tw_queue *queue = queue_over(over ? 4 : 1, 0);
        tw_buffer *buffer = NULL, *shape = NULL;
        TW_PASS(tw_buffer_create_over(out[over], sizeof(unsigned long), tw_range_1d(480), &buffer));
        TW_PASS(tw_buffer_create_over(shapes[over], sizeof(unsigned), tw_range_1d(48 * 30), &shape));
        TW_COMMAND_GROUP(queue, cg)
            tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(480), tw_range_1d(32)), numbers,
                                     .out = tw_discard_write(cg, buffer));
        TW_COMMAND_GROUP(queue, cg)
            tw_parallel_for_work_group(cg, tw_range_2d(12, 6), tw_range_2d(4, 5), tiles, .columns = 30,
                                       .out = tw_discard_write(cg, shape));
        TW_PASS(tw_queue_wait(queue));
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_PASS(tw_buffer_destroy(&shape));
        TW_PASS(tw_queue_destroy(&queue));
    }
    TW_CHECK(memcmp(out[0], out[1], sizeof out[0]) == 0);
    TW_CHECK(memcmp(shapes[0], shapes[1], sizeof shapes[0]) == 0);
}

TW_TEST(reductions_combine_what_all_devices_have)
{
    static double x[N], y[N], results[4] = {-1, 5, 1e9, -7};
    double sum = 0;
    for (size_t i = 0; i < N; ++i) {
        x[i] = (double)(i % 100);
        y[i] = 2;
        sum += 2 * x[i];
    }
    tw_queue *queue = queue_over(4, 0);
    tw_buffer *bx = NULL, *by = NULL, *to = NULL;
    TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(N), &bx));
    TW_PASS(tw_buffer_create_over(y, sizeof *y, tw_range_1d(N), &by));
    TW_PASS(tw_buffer_create_over(results, sizeof *results, tw_range_1d(4), &to));
    for (int round = 0; round < 3; ++round)
        TW_COMMAND_GROUP(queue, cg)
            tw_parallel_for(cg, tw_range_1d(N), dot, .x = tw_read(cg, bx), .y = tw_read(cg, by),
                            .sum = TW_REDUCE_AT(cg, to, 1), .most = TW_REDUCE_INIT_AT(cg, to, 2));
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_destroy(&bx));
    TW_PASS(tw_buffer_destroy(&by));
    TW_PASS(tw_buffer_destroy(&to));
    TW_CHECK(results[0] == -1 && results[1] == 5 + 3 * sum && results[2] == 99 && results[3] == -7);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(arrays_are_combined_too)
{
    static unsigned char bytes[1 << 14];
    static unsigned bins[2][256];
    for (size_t i = 0; i < sizeof bytes; ++i)
        bytes[i] = (unsigned char)(i * i / 3);
    for (int over = 0; over < 2; ++over) {
        tw_queue *queue = queue_over(over ? 3 : 1, 0);
        tw_buffer *in = NULL, *out = NULL;
        bins[over][7] = 100;
        TW_PASS(tw_buffer_create_over(bytes, 1, tw_range_1d(sizeof bytes), &in));
        TW_PASS(tw_buffer_create_over(bins[over], sizeof(unsigned), tw_range_1d(256), &out));
        for (int round = 0; round < 2; ++round)
            TW_COMMAND_GROUP(queue, cg)
                tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(sizeof bytes), tw_range_any()), histogram,
                                         .bytes = tw_read_mapped(cg, in, tw_one_to_one()),
                                         .bins = TW_REDUCE_ARRAY(cg, out));
        TW_PASS(tw_queue_wait(queue));
        TW_PASS(tw_buffer_destroy(&in));
        TW_PASS(tw_buffer_destroy(&out));
        TW_PASS(tw_queue_destroy(&queue));
    }
    TW_CHECK(memcmp(bins[0], bins[1], sizeof bins[0]) == 0);
}

TW_TEST(steps_are_divided)
{
    static float x[N], y[N], back[N];
    const float one = 1;
    tw_queue *queue = queue_over(4, 0);
    tw_buffer *bx = NULL, *by = NULL;
    for (size_t i = 0; i < N; ++i)
        x[i] = (float)i;
    TW_PASS(tw_buffer_create(sizeof *x, tw_range_1d(N), &bx));
    TW_PASS(tw_buffer_create(sizeof *x, tw_range_1d(N), &by));
    TW_COMMAND_GROUP(queue, cg)
        tw_copy_from(cg, bx, x);
    TW_COMMAND_GROUP(queue, cg)
        tw_fill(cg, by, &one);
    for (int round = 0; round < 3; ++round)
        TW_COMMAND_GROUP(queue, cg)
            tw_parallel_for(cg, tw_range_1d(N), saxpy, .a = 2, .x = tw_read(cg, bx), .y = tw_read_write(cg, by));
    TW_COMMAND_GROUP(queue, cg)
        tw_copy(cg, by, bx);
    TW_COMMAND_GROUP(queue, cg) {
        tw_prefetch(cg, by);
        tw_prefetch(cg, bx);
    }
    TW_COMMAND_GROUP(queue, cg)
        tw_copy_part(cg, by, tw_id_1d(0), bx, tw_id_1d(100), tw_range_1d(7));
    TW_COMMAND_GROUP(queue, cg)
        tw_copy_to(cg, bx, back);
    TW_PASS(tw_queue_wait(queue));
    for (size_t i = 0; i < N; ++i)
        y[i] = 1 + 6 * x[i];
    memcpy(x, y, sizeof x);
    memcpy(x + 100, y, 7 * sizeof *x);
    TW_CHECK(memcmp(back, x, sizeof x) == 0);
    TW_PASS(tw_buffer_destroy(&bx));
    TW_PASS(tw_buffer_destroy(&by));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_BEGIN_DEVICE_VARIABLES
int step_width;
TW_END_DEVICE_VARIABLES

struct widths {
    int *out;
};
static inline void widths(tw_item item, const struct widths *k)
{
    k->out[tw_global_id(item, 0)] = step_width;
}
TW_RANGE_KERNEL(widths, 1);

TW_TEST(variables_are_set_on_all_devices)
{
    static int out[N];
    const int width = 12;
    tw_queue *queue = queue_over(4, TW_QUEUE_IN_ORDER);
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(N), &buffer));
    TW_COMMAND_GROUP(queue, cg)
        tw_copy_to_variable(cg, &step_width, &width, sizeof width);
    TW_COMMAND_GROUP(queue, cg)
        tw_parallel_for(cg, tw_range_1d(N), widths, .out = tw_discard_write(cg, buffer));
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (size_t i = 0; i < N; ++i)
        TW_EQUAL(out[i], 12);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(an_in_order_queue_keeps_the_order)
{
    static unsigned data[N];
    for (int usm = 0; usm < 2; ++usm) {
        tw_queue *queue = queue_over(3, TW_QUEUE_IN_ORDER);
        tw_buffer *buffer = NULL;
        unsigned expected = 0;
        memset(data, 0, sizeof data);
        TW_PASS(tw_buffer_create_over(data, sizeof *data, tw_range_1d(N), &buffer));
        for (unsigned i = 0; i < 20; ++i) {
            TW_COMMAND_GROUP(queue, cg)
                tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, buffer), .a = 3, .b = i);
            expected = 3 * expected + i;
        }
        TW_PASS(tw_queue_wait(queue));
        TW_PASS(tw_buffer_destroy(&buffer));
        for (size_t i = 0; i < N; ++i)
            TW_EQUAL(data[i], expected);
        TW_PASS(tw_queue_destroy(&queue));
    }
}

/* Counts the work-items of each phase, and in the last element those that found the phase before unfinished. */
enum { PHASES = 6 };
struct phase {
    unsigned *counts, number;
};
static inline void phase(tw_item item, const struct phase *k)
{
    (void)item;
    const unsigned before = k->number ? tw_atomic_load(&k->counts[k->number - 1]) : 0;
    if (k->number && (before % N || before <= tw_atomic_load(&k->counts[k->number])))
        tw_atomic_fetch_add(&k->counts[PHASES], 1);
    tw_atomic_fetch_add(&k->counts[k->number], 1);
}
TW_RANGE_KERNEL(phase, 1);

static tw_status check_phase(const void *block)
{
    unsigned *const counts = *(unsigned *const *)block;
    counts[PHASES] += counts[0] % N != 0 || counts[PHASES - 1] != counts[0];
    return TW_SUCCESS;
}

/* Without accesses that order the groups: all parts of one come after all of the one before, also with a host task between
   them, for which each group is submitted by itself. */
TW_TEST(an_in_order_queue_records_its_order)
{
    tw_queue *queue = queue_over(3, TW_QUEUE_IN_ORDER);
    for (size_t i = 0; i < tw_queue_device_count(queue); ++i)
        if (!tw_device_has(tw_queue_device_at(queue, i), TW_ASPECT_USM_ATOMIC_HOST_ALLOCATIONS)
            || tw_device_platform(tw_queue_device_at(queue, 0)) != tw_device_platform(tw_queue_device_at(queue, i))) {
            TW_PASS(tw_queue_destroy(&queue));
            TW_SKIP();
        }
    unsigned *counts = (unsigned *)tw_malloc_host((PHASES + 1) * sizeof *counts);
    TW_CHECK(counts != NULL);
    for (int has_task = 0; has_task < 2; ++has_task) {
        tw_command_graph *graph = NULL;
        memset(counts, 0, (PHASES + 1) * sizeof *counts);
        TW_PASS(tw_queue_begin_recording(queue));
        for (unsigned i = 0; i < PHASES; ++i)
            TW_COMMAND_GROUP(queue, cg)
                tw_parallel_for(cg, tw_range_1d(N), phase, .counts = counts, .number = i);
        if (has_task)
            TW_COMMAND_GROUP(queue, cg)
                tw_host_task(cg, check_phase, &counts, sizeof counts);
        TW_PASS(tw_queue_end_recording(queue, &graph));
        for (int turn = 0; turn < 10; ++turn)
            TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        TW_PASS(tw_queue_wait(queue));
        for (unsigned i = 0; i < PHASES; ++i)
            TW_EQUAL(counts[i], 10 * N);
        TW_EQUAL(counts[PHASES], 0);
        tw_command_graph_destroy(&graph);
    }
    tw_free_host(counts);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(graphs_are_recorded_over_all_devices)
{
    static unsigned data[ROWS][COLUMNS];
    tw_queue *queue = queue_over(4, 0);
    if (tw_device_platform(tw_queue_device_at(queue, 0))
        != tw_device_platform(tw_queue_device_at(queue, tw_queue_device_count(queue) - 1))) {
        TW_FAIL(tw_queue_begin_recording(queue), TW_ERROR_INVALID_ARGUMENT);
        TW_PASS(tw_queue_destroy(&queue));
        return;
    }
    tw_buffer *plates[2];
    tw_command_graph *graph = NULL;
    for (size_t i = 0; i < ROWS * COLUMNS; ++i)
        data[i / COLUMNS][i % COLUMNS] = (unsigned)(i * i);
    for (int i = 0; i < 2; ++i)
        TW_PASS(tw_buffer_create_copy(data, sizeof(unsigned), tw_range_2d(ROWS, COLUMNS), &plates[i]));
    for (int graphs = 0; graphs < 2; ++graphs) {
        if (graphs)
            TW_PASS(tw_queue_begin_recording(queue));
        for (int step = 0; step < 4; ++step)
            TW_COMMAND_GROUP(queue, cg)
                tw_parallel_for(cg, tw_range_2d(ROWS, COLUMNS), spread,
                                .now = TW_READ_MAPPED_VIEW(cg, plates[step & 1], tw_neighborhood(1, 1, 0), 2),
                                .next = TW_DISCARD_WRITE_MAPPED_VIEW(cg, plates[~step & 1], tw_one_to_one(), 2));
        if (!graphs)
            continue;
        TW_PASS(tw_queue_end_recording(queue, &graph));
        TW_CHECK(tw_command_graph_count(graph) == 4 * tw_queue_device_count(queue));
        for (int i = 0; i < 3; ++i)
            TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        TW_PASS(tw_queue_wait(queue));
    }
    static unsigned expected[ROWS][COLUMNS];
    memcpy(expected, data, sizeof data);
    spread_by_hand(expected, 16);
    TW_PASS(tw_buffer_read(plates[0], data));
    TW_CHECK(memcmp(data, expected, sizeof data) == 0);
    tw_command_graph_destroy(&graph);
    for (int i = 0; i < 2; ++i)
        TW_PASS(tw_buffer_destroy(&plates[i]));
    TW_PASS(tw_queue_destroy(&queue));
}

struct quads {
    const unsigned *in;
    unsigned *out;
    unsigned *groups;
};
static inline void quads(tw_nd_item item, const struct quads *k)
{
    const size_t i = tw_global_id(item, 0);
    for (size_t at = 4 * i; at < 4 * i + 4; ++at)
        k->out[at] = k->in[at] + (unsigned)i;
    if (tw_local_id(item, 0) == 0)
        k->groups[tw_group_id(item, 0)] = (unsigned)i;
}
TW_ND_RANGE_KERNEL(quads);

TW_TEST(elements_may_go_with_several_work_items)
{
    static unsigned in[4 * 960], out[4 * 960], groups[30];
    tw_queue *queue = queue_over(3, 0);
    tw_buffer *buffers[3];
    double shares[MOST];
    for (unsigned i = 0; i < 4 * 960; ++i)
        in[i] = i * i;
    TW_PASS(tw_buffer_create_over(in, sizeof *in, tw_range_1d(4 * 960), &buffers[0]));
    TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(4 * 960), &buffers[1]));
    TW_PASS(tw_buffer_create_over(groups, sizeof *groups, tw_range_1d(30), &buffers[2]));
    const tw_range_mapper each = tw_scaled(tw_range_1d(4), tw_range_1d(1));
    const tw_range_mapper of_group = tw_scaled(tw_range_1d(1), tw_range_1d(32));
    TW_COMMAND_GROUP(queue, cg)
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(960), tw_range_1d(32)), quads,
                                 .in = tw_read_mapped(cg, buffers[0], each),
                                 .out = tw_discard_write_mapped(cg, buffers[1], each),
                                 .groups = tw_discard_write_mapped(cg, buffers[2], of_group));
    TW_PASS(tw_queue_wait(queue));
    for (int i = 0; i < 3; ++i)
        TW_PASS(tw_buffer_destroy(&buffers[i]));
    for (unsigned i = 0; i < 4 * 960; ++i)
        TW_EQUAL(out[i], in[i] + i / 4);
    for (unsigned i = 0; i < 30; ++i)
        TW_EQUAL(groups[i], 32 * i);
    TW_PASS(tw_queue_get_division(queue, shares));
    TW_CHECK(fabs(shares[0] - 1.0 / (double)tw_queue_device_count(queue)) < 1e-9);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Pointers in an array of structs, of which the compiler does not tell, and one just behind an element. */
struct pairs {
    struct {
        const unsigned *in;
        unsigned *out;
    } at[2];
    const unsigned *past;
};
static inline void pairs(tw_item item, const struct pairs *k)
{
    const size_t i = tw_global_id(item, 0);
    for (int p = 0; p < 2; ++p)
        k->at[p].out[i] = k->at[p].in[i] + (unsigned)(k->past - k->at[0].in);
}
TW_RANGE_KERNEL(pairs, 1);

struct count_up {
    unsigned *counter;
    float *once; /* of each work-item */
};
static inline void count_up(tw_item item, const struct count_up *k)
{
    tw_atomic_fetch_add(k->counter, 1u, TW_ORDER_RELAXED, TW_SCOPE_SYSTEM);
    k->once[tw_global_id(item, 0)] += 1;
}
TW_RANGE_KERNEL(count_up, 1);

/* Atomic operations of several devices on one number, in memory of the host, where all of them can do that. */
TW_TEST(devices_count_in_memory_of_the_host)
{
    tw_queue *queue = queue_over(3, 0);
    tw_buffer *once = tw_test_zeroed(sizeof(float), N);
    float found[N];
    bool all = true, atomic = false;
    for (size_t i = 0; i < tw_queue_device_count(queue); ++i) {
        TW_PASS(tw_device_info(tw_queue_device_at(queue, i), TW_DEVICE_INFO_USM_ATOMIC_HOST_ALLOCATIONS, &atomic,
                               sizeof atomic));
        all = all && atomic;
    }
    unsigned *counter = all ? tw_malloc_host(sizeof *counter) : NULL;
    if (all) { /* else such a kernel has no meaning there */
        TW_CHECK(counter != NULL);
        *counter = 0;
        for (int i = 0; i < 5; ++i)
            TW_COMMAND_GROUP(queue, cg)
                tw_parallel_for(cg, tw_range_1d(N), count_up, .counter = counter, .once = tw_read_write(cg, once));
        TW_PASS(tw_queue_wait(queue));
        TW_EQUAL(*counter, 5 * N);
        TW_PASS(tw_buffer_read(once, found));
        for (size_t i = 0; i < N; ++i)
            TW_EQUAL(found[i], 5);
    }
    tw_free(counter);
    TW_PASS(tw_buffer_destroy(&once));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(pointers_are_found_in_arrays_of_structs)
{
    static unsigned data[4][N];
    tw_queue *queue = queue_over(3, 0);
    tw_buffer *buffers[4];
    for (unsigned i = 0; i < 4 * N; ++i)
        data[i / N][i % N] = i;
    for (int b = 0; b < 4; ++b)
        TW_PASS(tw_buffer_create_over(data[b], sizeof(unsigned), tw_range_1d(N), &buffers[b]));
    TW_COMMAND_GROUP(queue, cg) {
        const unsigned *first = tw_read(cg, buffers[0]);
        tw_parallel_for(cg, tw_range_1d(N), pairs,
                        .at = {{first, tw_discard_write(cg, buffers[1])},
                               {tw_read(cg, buffers[2]), tw_discard_write(cg, buffers[3])}},
                        .past = first + 3);
    }
    TW_PASS(tw_queue_wait(queue));
    for (int b = 0; b < 4; ++b)
        TW_PASS(tw_buffer_destroy(&buffers[b]));
    for (unsigned i = 0; i < N; ++i) {
        TW_EQUAL(data[1][i], i + 3);
        TW_EQUAL(data[3][i], 2 * N + i + 3);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* What a mapper leaves out stays, also on one device. */
TW_TEST(a_mapped_accessor_discards_no_more_than_its_box)
{
    for (size_t count = 1; count <= 3; count += 2) {
        static unsigned data[ROWS][COLUMNS];
        tw_queue *queue = queue_over(count, 0);
        tw_buffer *buffer = NULL;
        for (size_t i = 0; i < ROWS * COLUMNS; ++i)
            data[i / COLUMNS][i % COLUMNS] = 7;
        TW_PASS(tw_buffer_create_over(data, sizeof(unsigned), tw_range_2d(ROWS, COLUMNS), &buffer));
        TW_COMMAND_GROUP(queue, cg)
            tw_parallel_for_offset(cg, tw_range_2d(ROWS - 2, COLUMNS), tw_id_2d(1, 0), set_two,
                                   .x = TW_DISCARD_WRITE_MAPPED_VIEW(cg, buffer, tw_one_to_one()));
        TW_PASS(tw_queue_wait(queue));
        TW_PASS(tw_buffer_destroy(&buffer));
        for (size_t i = 0; i < ROWS; ++i)
            for (size_t j = 0; j < COLUMNS; ++j)
                TW_EQUAL(data[i][j], i == 0 || i == ROWS - 1 ? 7 : 2);
        TW_PASS(tw_queue_destroy(&queue));
    }
}

/* ---- what is refused, and what fails ----------------------------------------------------------------------------- */

static void all_of(tw_id offset, tw_range range, tw_range buffer, tw_id *first, tw_range *count, void *user)
{
    (void)offset, (void)range, (void)user;
    *first = (tw_id){{0, 0, 0}, buffer.dims};
    *count = buffer;
}

static void wrong_dimensions(tw_id offset, tw_range range, tw_range buffer, tw_id *first, tw_range *count, void *user)
{
    (void)offset, (void)range, (void)buffer, (void)user;
    *first = tw_id_3d(0, 0, 0);
    *count = tw_range_3d(1, 1, 1);
}

/* Submits a step whose buffer of N elements is accessed by a mapper; N of them, or one for two. */
static tw_command_group *mapped(tw_queue *queue, tw_buffer *buffer, size_t items, tw_range_mapper mapper)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(items), affine, .x = tw_read_write_mapped(cg, buffer, mapper), .a = 1);
    return cg;
}

TW_TEST(what_is_written_has_to_be_known)
{
    tw_queue *queue = queue_over(3, 0);
    if (tw_queue_device_count(queue) == 1) { /* a queue of one device needs no mappers */
        TW_PASS(tw_queue_destroy(&queue));
        return;
    }
    tw_buffer *buffer = tw_test_zeroed(sizeof(unsigned), N), *matrix = NULL;
    tw_range_mapper broken = tw_all();
    TW_PASS(tw_buffer_create(sizeof(unsigned), tw_range_2d(N, 2), &matrix));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N / 2), affine, .x = tw_read_write(cg, buffer), .a = 1);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_RANGE, "say by a mapper which elements its work-items write");
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_atomic(cg, buffer), .a = 1);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_RANGE, "atomic operations of two on one element");
    tw_test_refuse(queue, mapped(queue, buffer, N, tw_neighborhood(1, 0, 0)), TW_ERROR_INVALID_RANGE,
                   "would write the same elements");
    tw_test_refuse(queue, mapped(queue, buffer, N, tw_all()), TW_ERROR_INVALID_RANGE, "would write the same elements");
    tw_test_refuse(queue, mapped(queue, buffer, N, tw_map_by(all_of, NULL)), TW_ERROR_INVALID_RANGE,
                   "would write the same elements");
    tw_test_refuse(queue, mapped(queue, buffer, N, tw_map_by(wrong_dimensions, NULL)), TW_ERROR_INVALID_RANGE,
                   "a box with other dimensions than the buffer");
    tw_test_refuse(queue, mapped(queue, buffer, N, tw_map_by(NULL, NULL)), TW_ERROR_INVALID_ARGUMENT, "is NULL");
    tw_test_refuse(queue, mapped(queue, buffer, N, tw_slice(1)), TW_ERROR_INVALID_RANGE, "tw_slice()");
    tw_test_refuse(queue, mapped(queue, matrix, N, tw_linear(0, 0)), TW_ERROR_INVALID_RANGE, "tw_linear()");
    tw_test_refuse(queue, mapped(queue, buffer, N, tw_fixed(tw_id_1d(1), tw_range_1d(N))), TW_ERROR_INVALID_RANGE,
                   "does not lie in the buffer");
    broken.tw_kind_ = 99;
    tw_test_refuse(queue, mapped(queue, buffer, N, broken), TW_ERROR_INVALID_ARGUMENT, "no range mapper");
    TW_PASS(tw_queue_submit(queue, mapped(queue, matrix, N, tw_one_to_one()), NULL));
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_buffer_destroy(&matrix));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(queues_with_wrong_devices_are_refused)
{
    tw_device *devices[2] = {NULL, NULL};
    tw_queue *queue = NULL;
    const double none[2] = {0, 0}, negative[2] = {1, -1};
    TW_FAIL(tw_queue_create_over(NULL, 1, 0, NULL, NULL, &queue), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_create_over(devices, 1, 0, NULL, NULL, &queue), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_select_device(NULL, NULL, &devices[0]));
    devices[1] = devices[0];
    TW_FAIL(tw_queue_create_over(devices, 0, 0, NULL, NULL, &queue), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_create_over(devices, 2, 0, NULL, NULL, &queue), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_create_over(devices, 1, 1u << 20, NULL, NULL, &queue), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_create_over(devices, 1, 0, NULL, NULL, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_queue_create_over(devices, 1, 0, NULL, NULL, &queue));
    TW_CHECK(tw_queue_device_count(queue) == 1 && tw_queue_device_at(queue, 0) == devices[0]);
    TW_CHECK(tw_queue_device_at(queue, 1) == NULL && tw_queue_device_count(NULL) == 0);
    TW_FAIL(tw_queue_set_division(NULL, none), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_set_division(queue, none), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_queue_destroy(&queue));
    queue = queue_over(2, 0);
    if (tw_queue_device_count(queue) == 2)
        TW_FAIL(tw_queue_set_division(queue, negative), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_queue_set_division(queue, NULL));
    TW_PASS(tw_queue_destroy(&queue));
}

static int takes_no_device(const tw_device *device, void *user)
{
    (void)device, (void)user;
    return -1;
}

TW_TEST(a_selector_takes_all_devices_that_it_likes)
{
    tw_queue *queue = NULL;
    size_t count = 0;
    TW_PASS(tw_get_devices(TW_DEVICE_ALL, NULL, 0, &count));
    TW_FAIL(tw_queue_create_over_selected(takes_no_device, NULL, 0, NULL, NULL, &queue), TW_ERROR_NO_DEVICE);
    TW_PASS(tw_queue_create_over_selected(NULL, NULL, 0, NULL, NULL, &queue));
    TW_EQUAL(tw_queue_device_count(queue), count);
    TW_CHECK(tw_queue_context(queue) != NULL && tw_queue_device(queue) == tw_queue_device_at(queue, 0));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Of a launch whose part fails on one simulated device, the event and the queue tell it; what others have written is there.
   Later launches leave that device out. */
TW_TEST(a_part_that_fails_takes_its_elements_along)
{
    tw_test_use_sim(3);
    tw_device *devices[3];
    size_t count = 0;
    tw_queue *queue = NULL;
    tw_event *event = NULL;
    unsigned out[3];
    TW_PASS(tw_get_devices(TW_DEVICE_SIM, devices, 3, &count));
    TW_EQUAL(count, 3);
    TW_PASS(tw_queue_create_over(devices, 3, 0, NULL, NULL, &queue));
    tw_buffer *buffer = tw_test_zeroed(sizeof(unsigned), 30000);
    TW_PASS(tw_sim_fail_nth(devices[1], TW_SIM_LAUNCH, 1));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(30000), affine, .x = tw_discard_write(cg, buffer), .a = 0, .b = 5);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    TW_FAIL(tw_event_wait(event), TW_ERROR_LAUNCH_FAILED);
    tw_event_release(&event);
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_LAUNCH_FAILED);
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_read_part(buffer, tw_id_1d(0), tw_range_1d(3), out));
    TW_EQUAL(out[0], 5);
    TW_FAIL(tw_buffer_read_part(buffer, tw_id_1d(15000), tw_range_1d(3), out), TW_ERROR_DATA_LOST);
    TW_PASS(tw_buffer_read_part(buffer, tw_id_1d(29997), tw_range_1d(3), out));
    TW_EQUAL(out[2], 5);
    const uint64_t launches = tw_sim_count(devices[1], TW_SIM_LAUNCH);
    for (int i = 0; i < 4; ++i)
        TW_COMMAND_GROUP(queue, again)
            tw_parallel_for(again, tw_range_1d(30000), affine, .x = tw_discard_write(again, buffer), .a = 0, .b = 6);
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_read_part(buffer, tw_id_1d(15000), tw_range_1d(3), out));
    TW_EQUAL(out[0], 6);
    TW_EQUAL(tw_sim_count(devices[1], TW_SIM_LAUNCH), launches);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* The slower a simulated device, the fewer work-items it gets. */
TW_TEST(work_is_divided_by_measured_speeds)
{
    enum { LAUNCHES = 10 };
    tw_test_use_sim(2);
    tw_device *devices[2];
    size_t count = 0;
    tw_queue *queue = NULL;
    TW_PASS(tw_get_devices(TW_DEVICE_SIM, devices, 2, &count));
    TW_EQUAL(count, 2);
    TW_PASS(tw_queue_create_over(devices, 2, 0, NULL, NULL, &queue));
    tw_buffer *buffer = tw_test_zeroed(sizeof(unsigned), 30000);
    const uint64_t before = tw_sim_count(devices[1], TW_SIM_LAUNCH);
    TW_PASS(tw_sim_delay(devices[1], TW_SIM_KERNEL, 50000000)); /* on the second, a part takes 50 ms or more */
    for (unsigned i = 0; i < LAUNCHES; ++i) {
        TW_COMMAND_GROUP(queue, cg)
            tw_parallel_for(cg, tw_range_1d(30000), affine, .x = tw_read_write(cg, buffer), .a = 1, .b = 1);
        TW_PASS(tw_queue_wait(queue));
    }
    TW_CHECK(tw_sim_count(devices[1], TW_SIM_LAUNCH) - before < LAUNCHES);
    unsigned out[30000];
    TW_PASS(tw_buffer_read(buffer, out));
    for (size_t i = 0; i < 30000; ++i)
        TW_EQUAL(out[i], LAUNCHES);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(elements_are_divided_without_a_mapper),
                TW_CASE(neighborhoods_are_exchanged),
                TW_CASE(three_dimensions_are_divided_in_blocks),
                TW_CASE(slices_are_brought_whole),
                TW_CASE(groups_see_the_whole_launch),
                TW_CASE(reductions_combine_what_all_devices_have),
                TW_CASE(arrays_are_combined_too),
                TW_CASE(steps_are_divided),
                TW_CASE(variables_are_set_on_all_devices),
                TW_CASE(an_in_order_queue_keeps_the_order),
                TW_CASE(an_in_order_queue_records_its_order),
                TW_CASE(graphs_are_recorded_over_all_devices),
                TW_CASE(elements_may_go_with_several_work_items),
                TW_CASE(devices_count_in_memory_of_the_host),
                TW_CASE(pointers_are_found_in_arrays_of_structs),
                TW_CASE(a_mapped_accessor_discards_no_more_than_its_box),
                TW_CASE(what_is_written_has_to_be_known),
                TW_CASE(queues_with_wrong_devices_are_refused),
                TW_CASE(a_selector_takes_all_devices_that_it_likes),
                TW_CASE(a_part_that_fails_takes_its_elements_along),
                TW_CASE(work_is_divided_by_measured_speeds),
                TW_CASES_END};
