/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * algorithms.h: reductions and scans against loops on the host, for numbers and structs; and how algorithms are steps
 * of command groups: order, events, recorded graphs, unified shared memory, counts on the device, refusals.
 */
#include "algorithm_test.h"

/* The largest number, with a place; 12 bytes, as no vector has. */
struct peak {
    float height;
    int place[2];
};
static inline struct peak higher(struct peak a, struct peak b)
{
    return b.height > a.height || (b.height == a.height && b.place[0] < a.place[0]) ? b : a;
}
static inline struct peak peak_value(size_t i)
{
    struct peak value = {(float)((i * 7919) % 1000), {(int)i, -(int)i}};
    return value;
}
/* Numbers that are added each by itself; larger than what goes through local memory in several rows, and than what fits it. */
struct wide {
    int x[20];
};
static inline struct wide wide_plus(struct wide a, struct wide b)
{
    for (int j = 0; j < 20; ++j)
        a.x[j] = (int)((unsigned)a.x[j] + (unsigned)b.x[j]);
    return a;
}
static inline struct wide wide_value(size_t i)
{
    struct wide value;
    for (int j = 0; j < 20; ++j)
        value.x[j] = (int)(i * 31 + (size_t)j * 7) % 1009;
    return value;
}
struct wider {
    struct wide part[4];
};
static inline struct wider wider_plus(struct wider a, struct wider b)
{
    for (int j = 0; j < 4; ++j)
        a.part[j] = wide_plus(a.part[j], b.part[j]);
    return a;
}
static inline struct wider wider_value(size_t i)
{
    struct wider value;
    for (int j = 0; j < 4; ++j)
        value.part[j] = wide_value(i + (size_t)j);
    return value;
}
static inline int int_value(size_t i)
{
    return (int)(i % 11) - 3;
}
static inline unsigned char byte_value(size_t i)
{
    return (unsigned char)(i * 37 % 251);
}
static inline double double_value(size_t i)
{
    return (double)(i % 17) - 8;
}
/* What only -0 is before stays -0. */
static inline float float_value(size_t i)
{
    return i < 40 ? -0.0f : (float)(i % 17) - 8;
}
static inline long long long_value(size_t i)
{
    return (long long)(i * 7919 % 1000003) << 20;
}

/* An int may overflow. */
static inline int wrapping_plus(int a, int b)
{
    return (int)((unsigned)a + (unsigned)b);
}

TW_SCAN(sum_ints, int, wrapping_plus);
TW_SCAN(add_bytes, unsigned char, tw_plus);
TW_SCAN(add_floats, float, tw_plus);
TW_SCAN(add_longs, long long, tw_plus);
TW_SCAN(max_bytes, unsigned char, tw_maximum);
TW_SCAN(compose, struct affine, affine_then);
TW_SCAN(peaks, struct peak, higher);
TW_SCAN(sum_wide, struct wide, wide_plus);
TW_SCAN(sum_wider, struct wider, wider_plus);
TW_REDUCE_ALL(total_ints, int, wrapping_plus);
TW_REDUCE_ALL(total_doubles, double, tw_plus);
TW_REDUCE_ALL(least_byte, unsigned char, tw_minimum);
TW_REDUCE_ALL(highest, struct peak, higher);

/* Scans of `count` elements in both ways, from one buffer into another and in place, compared with a loop. */
#define CHECK_SCAN(name, type, operation, value)                                                                       \
    static void check_##name(size_t count)                                                                             \
    {                                                                                                                  \
        type *x = (type *)room_for(sizeof(type), count), *y = (type *)room_for(sizeof(type), count);                   \
        const type init = value(5);                                                                                    \
        type before = init;                                                                                            \
        for (size_t i = 0; i < count; ++i)                                                                             \
            x[i] = value(i);                                                                                           \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_buffer *in = buffer_of(x, sizeof(type), count), *out = buffer_of(y, sizeof(type), count);                   \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        name##_exclusive(cg, (const type *)tw_read(cg, in), count, init, (type *)tw_write(cg, out));                   \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        cg = tw_queue_begin(queue);                                                                                    \
        name##_inclusive(cg, (const type *)tw_read(cg, in), count, (type *)tw_write(cg, in));                          \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_queue_wait_and_throw(queue));                                                                       \
        tw_test_fetch(out, y);                                                                                         \
        for (size_t i = 0; i < count; ++i) {                                                                           \
            TW_CHECK(memcmp(&y[i], &before, sizeof before) == 0);                                                      \
            before = operation(before, x[i]);                                                                          \
        }                                                                                                              \
        tw_test_fetch(in, y);                                                                                          \
        before = x[0];                                                                                                 \
        for (size_t i = 0; i < count; ++i) {                                                                           \
            if (i)                                                                                                     \
                before = operation(before, x[i]);                                                                      \
            TW_CHECK(memcmp(&y[i], &before, sizeof before) == 0);                                                      \
        }                                                                                                              \
        TW_PASS(tw_buffer_destroy(&in));                                                                               \
        TW_PASS(tw_buffer_destroy(&out));                                                                              \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
        free(x);                                                                                                       \
        free(y);                                                                                                       \
    }                                                                                                                  \
    TW_TEST(scan_##name)                                                                                               \
    {                                                                                                                  \
        for_sizes(check_##name);                                                                                       \
    }

CHECK_SCAN(sum_ints, int, tw_plus, int_value)
CHECK_SCAN(add_bytes, unsigned char, tw_plus, byte_value)
CHECK_SCAN(add_floats, float, tw_plus, float_value)
CHECK_SCAN(add_longs, long long, tw_plus, long_value)
CHECK_SCAN(max_bytes, unsigned char, tw_maximum, byte_value)
CHECK_SCAN(compose, struct affine, affine_then, affine_value)
CHECK_SCAN(peaks, struct peak, higher, peak_value)
CHECK_SCAN(sum_wide, struct wide, wide_plus, wide_value)
CHECK_SCAN(sum_wider, struct wider, wider_plus, wider_value)

#define CHECK_REDUCE(name, type, operation, value)                                                                     \
    static void check_##name(size_t count)                                                                             \
    {                                                                                                                  \
        type *x = (type *)room_for(sizeof(type), count), all = value(3), got;                                          \
        const type init = all;                                                                                         \
        for (size_t i = 0; i < count; ++i) {                                                                           \
            x[i] = value(i);                                                                                           \
            all = operation(all, x[i]);                                                                                \
        }                                                                                                              \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_buffer *in = buffer_of(x, sizeof(type), count), *out = NULL;                                                \
        TW_PASS(tw_buffer_create(sizeof(type), tw_range_1d(1), &out));                                                 \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        name(cg, (const type *)tw_read(cg, in), count, init, (type *)tw_discard_write(cg, out));                       \
        tw_test_run(queue, cg);                                                                                        \
        tw_test_fetch(out, &got);                                                                                      \
        TW_CHECK(memcmp(&got, &all, sizeof all) == 0);                                                                 \
        TW_PASS(tw_buffer_destroy(&in));                                                                               \
        TW_PASS(tw_buffer_destroy(&out));                                                                              \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
        free(x);                                                                                                       \
    }                                                                                                                  \
    TW_TEST(reduce_##name)                                                                                             \
    {                                                                                                                  \
        for_sizes(check_##name);                                                                                       \
    }

CHECK_REDUCE(total_ints, int, tw_plus, int_value)
CHECK_REDUCE(total_doubles, double, tw_plus, double_value)
CHECK_REDUCE(least_byte, unsigned char, tw_minimum, byte_value)
CHECK_REDUCE(highest, struct peak, higher, peak_value)

/* ---- steps of command groups ------------------------------------------------------------------------------------- */

enum { COUNT = 70001 };

/* Two scans, the second of which waits for the first by its accessors; a part that begins beside the alignment of
   vectors. */
TW_TEST(accessors_order_algorithms)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(COUNT, 1), *y = tw_test_ints(COUNT, 0);
    tw_event *event = NULL;
    int *got = (int *)room_for(sizeof *got, COUNT);
    TW_COMMAND_GROUP(queue, cg) {
        sum_ints_inclusive(cg, (const int *)tw_read(cg, x), COUNT, (int *)tw_discard_write(cg, y));
    }
    tw_command_group *cg = tw_queue_begin(queue);
    const int *in = (const int *)tw_read_part(cg, y, tw_id_1d(3), tw_range_1d(COUNT - 3));
    int *out = (int *)tw_write_part(cg, x, tw_id_1d(1), tw_range_1d(COUNT - 3));
    sum_ints_exclusive(cg, in, COUNT - 3, 7, out);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    TW_PASS(tw_event_wait(event));
    tw_event_release(&event);
    tw_test_fetch(x, got);
    TW_EQUAL(got[0], 1);
    unsigned sum = 7;
    for (unsigned i = 0; i < COUNT - 3; ++i) {
        TW_EQUAL(got[i + 1], (int)sum);
        sum += i + 4;
    }
    TW_EQUAL(got[COUNT - 2], 1);
    free(got);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_queue_destroy(&queue));
}

/* One algorithm's result is the count of the next. */
TW_TEST(a_count_on_the_device)
{
    tw_queue *queue = tw_test_queue();
    size_t counts[] = {50000, COUNT + 5, 0};
    for (size_t i = 0; i < 3; ++i) {
        tw_buffer *x = tw_test_ints(COUNT, 1), *sum = tw_test_int(-1), *count = NULL;
        TW_PASS(tw_buffer_create_copy(&counts[i], sizeof counts[i], tw_range_1d(1), &count));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_count_on_device(cg, tw_read(cg, count));
        sum_ints_inclusive(cg, (const int *)tw_read(cg, x), COUNT, (int *)tw_write(cg, x));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        cg = tw_queue_begin(queue);
        tw_count_on_device(cg, tw_read(cg, count));
        total_ints(cg, (const int *)tw_read(cg, x), COUNT, 3, (int *)tw_discard_write(cg, sum));
        tw_test_run(queue, cg);
        unsigned expected = 3;
        int got, *all = (int *)room_for(sizeof *all, COUNT);
        const size_t taken = counts[i] < COUNT ? counts[i] : COUNT;
        for (unsigned k = 0; k < taken; ++k)
            expected += k + 1;
        tw_test_fetch(sum, &got);
        TW_EQUAL(got, (int)expected);
        tw_test_fetch(x, all);
        for (size_t k = taken; k < COUNT; ++k)
            TW_EQUAL(all[k], 1);
        free(all);
        TW_PASS(tw_buffer_destroy(&x));
        TW_PASS(tw_buffer_destroy(&sum));
        TW_PASS(tw_buffer_destroy(&count));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Recorded once, submitted three times; by accessors, and by an in-order queue and plain pointers. */
static void check_recorded(unsigned properties)
{
    tw_queue *queue = NULL;
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_create_with_properties(NULL, NULL, properties, NULL, NULL, &queue));
    tw_buffer *x = tw_test_ints(COUNT, 1), *sum = tw_test_int(0);
    TW_PASS(tw_queue_begin_recording(queue));
    TW_COMMAND_GROUP(queue, cg) {
        sum_ints_inclusive(cg, (const int *)tw_read(cg, x), COUNT, (int *)tw_write(cg, x));
        TW_CHECK(COUNT < 32768 || tw_command_group_temporary_bytes(cg) > 0 || sizeof(size_t) < 8);
    }
    TW_COMMAND_GROUP(queue, cg) {
        total_ints(cg, (const int *)tw_read(cg, x), 100, 0, (int *)tw_discard_write(cg, sum));
    }
    TW_PASS(tw_queue_end_recording(queue, &graph));
    tw_device_type type;
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_TYPE, &type, sizeof type));
    if (type == TW_DEVICE_HOST) /* all launches of an algorithm are one */
        TW_EQUAL(tw_command_graph_count(graph), 2);
    for (int i = 0; i < 3; ++i)
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
    int got, expected = 0;
    tw_test_fetch(sum, &got);
    for (int i = 1; i <= 100; ++i)
        expected += i * (i + 1) * (i + 2) / 6; /* scanned three times, ones are tetrahedral numbers */
    TW_EQUAL(got, expected);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_queue_destroy(&queue));
}
TW_TEST(algorithms_can_be_recorded)
{
    check_recorded(0);
    check_recorded(TW_QUEUE_IN_ORDER);
}

/* On an in-order queue plain pointers need nothing else. */
TW_TEST(unified_shared_memory)
{
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create_with_properties(NULL, NULL, TW_QUEUE_IN_ORDER, NULL, NULL, &queue));
    int *x = (int *)tw_malloc_device(tw_queue_device(queue), (COUNT + 1) * sizeof *x), got = 0;
    TW_CHECK(x != NULL);
    const int one = 1;
    TW_PASS(tw_queue_mem_fill(queue, x, &one, sizeof one, COUNT + 1, NULL));
    for (int i = 0; i < 2; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        sum_ints_inclusive(cg, x, COUNT, x);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    tw_command_group *cg = tw_queue_begin(queue);
    total_ints(cg, x + 1, 9999, 1, x + COUNT);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_memcpy(queue, &got, x + COUNT, sizeof got, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
    unsigned expected = 0;
    for (unsigned i = 1; i <= 10000; ++i)
        expected += i * (i + 1) / 2;
    TW_EQUAL(got, (int)expected);
    tw_free(x);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(what_is_refused)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(COUNT, 1), *sum = tw_test_int(0), *wide = NULL;
    TW_PASS(tw_buffer_create(8, tw_range_1d(COUNT), &wide));
    sum_ints_inclusive(NULL, NULL, COUNT, NULL);
    TW_EQUAL(tw_command_group_temporary_bytes(NULL), 0);

    tw_command_group *cg = tw_queue_begin(queue);
    sum_ints_inclusive(cg, (const int *)tw_read(cg, x), COUNT, NULL);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_ARGUMENT, "out");
    cg = tw_queue_begin(queue);
    sum_ints_inclusive(cg, (const int *)tw_read(cg, x), COUNT, (int *)tw_write(cg, wide));
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_ARGUMENT, "elements of 8 bytes");
    cg = tw_queue_begin(queue);
    tw_count_on_device(cg, NULL);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_ARGUMENT, "count");
    cg = tw_queue_begin(queue);
    sum_ints_inclusive(cg, (const int *)tw_read(cg, x), ((size_t)1 << 44) + 1, (int *)tw_write(cg, x));
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_ARGUMENT, "2^44");
    cg = tw_queue_begin(queue);
    sum_ints_inclusive(cg, (const int *)tw_read(cg, x), COUNT, (int *)tw_write(cg, x));
    total_ints(cg, (const int *)tw_read(cg, x), COUNT, 0, (int *)tw_write(cg, sum));
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_COMMAND_GROUP, "already has");
    cg = tw_queue_begin(queue);
    sum_ints_inclusive(cg, (const int *)tw_read(cg, x), COUNT, (int *)tw_write(cg, x));
    tw_command_group_discard(cg);
    tw_test_expect_ints(x, 1);

    tw_queue *over = tw_test_queue_over(1, 0);
    tw_device *devices[2] = {tw_queue_device(queue), tw_queue_device(queue)};
    TW_PASS(tw_queue_destroy(&over));
    if (tw_queue_create_over(devices, 2, 0, NULL, NULL, &over) == TW_SUCCESS) {
        cg = tw_queue_begin(over);
        sum_ints_inclusive(cg, (const int *)tw_read(cg, x), COUNT, (int *)tw_write(cg, x));
        tw_test_refuse(over, cg, TW_ERROR_UNSUPPORTED, "several devices");
        TW_PASS(tw_queue_destroy(&over));
    }
    tw_test_destroy_buffers((tw_buffer *[]){x, sum, wide}, 3);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {
    TW_CASE(scan_sum_ints),
    TW_CASE(scan_add_bytes),
    TW_CASE(scan_add_floats),
    TW_CASE(scan_add_longs),
    TW_CASE(scan_max_bytes),
    TW_CASE(scan_compose),
    TW_CASE(scan_peaks),
    TW_CASE(scan_sum_wide),
    TW_CASE(scan_sum_wider),
    TW_CASE(reduce_total_ints),
    TW_CASE(reduce_total_doubles),
    TW_CASE(reduce_least_byte),
    TW_CASE(reduce_highest),
    TW_CASE(accessors_order_algorithms),
    TW_CASE(a_count_on_the_device),
    TW_CASE(algorithms_can_be_recorded),
    TW_CASE(unified_shared_memory),
    TW_CASE(what_is_refused),
    TW_CASES_END,
};
