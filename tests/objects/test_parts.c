/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/*
 * Parts of buffers (spec 3.6.1, 3.6.4): sub-buffers, accessors and host accessors of parts. What is ordered, what is
 * moved, and what is refused.
 */
#include "held_test.h"

#include <malloc.h>
#include <time.h>

enum { ROWS = 12, COLUMNS = 10 };

TW_TEST_ONE_THREAD

/* Adds to each element of a part, whose rows are `pitch` elements apart. */
struct add {
    int *part;
    size_t pitch;
    int value;
};

static inline void add(tw_item item, const struct add *k)
{
    k->part[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] += k->value;
}

TW_RANGE_KERNEL(add, 2);

static tw_queue *new_queue(size_t index)
{
    tw_queue *queue = NULL;
    tw_device *devices[16];
    const size_t count = tw_test_devices(devices, 16);
    TW_PASS(tw_queue_create_on_device(devices[index % count], NULL, NULL, &queue));
    return queue;
}

static void add_to_part(tw_queue *queue, tw_buffer *buffer, tw_id offset, tw_range range, int value)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, range, add, .part = tw_read_write_part(cg, buffer, offset, range),
                    .pitch = tw_buffer_pitch(buffer).size[1], .value = value);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

TW_TEST(parts_on_several_devices_make_up_the_whole)
{
    static int data[ROWS][COLUMNS];
    int expected[ROWS][COLUMNS];
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j)
            data[i][j] = expected[i][j] = 100 * i + j;
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_over(data, sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
    tw_queue *queues[3];
    for (size_t i = 0; i < 3; ++i)
        queues[i] = new_queue(i);
    for (unsigned step = 0; step < 60; ++step) {
        const size_t i = step * 5 % ROWS, j = step * 3 % COLUMNS;
        const size_t rows = 1 + step % (ROWS - i), columns = 1 + step % (COLUMNS - j);
        add_to_part(queues[step % 3], buffer, tw_id_2d(i, j), tw_range_2d(rows, columns), (int)step);
        for (size_t r = i; r < i + rows; ++r)
            for (size_t c = j; c < j + columns; ++c)
                expected[r][c] += (int)step;
    }
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j)
            TW_EQUAL(data[i][j], expected[i][j]);
    for (size_t i = 0; i < 3; ++i)
        TW_PASS(tw_queue_destroy(&queues[i]));
}

/* Disjoint parts are not ordered: the second group runs although the first waits for a host accessor of its part. */
TW_TEST(disjoint_parts_do_not_wait_for_each_other)
{
    tw_queue *queue = new_queue(0);
    tw_buffer *buffer = NULL;
    tw_host_accessor *first = NULL, *second = NULL;
    int zero[ROWS][COLUMNS] = {{0}};
    TW_PASS(tw_buffer_create_copy(zero, sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
    TW_PASS(tw_host_access_part(buffer, tw_id_2d(0, 0), tw_range_2d(6, COLUMNS), TW_READ_WRITE, &first));
    add_to_part(queue, buffer, tw_id_2d(6, 0), tw_range_2d(6, COLUMNS), 7);
    TW_PASS(tw_host_access_part(buffer, tw_id_2d(6, 2), tw_range_2d(3, 4), TW_READ, &second));
    const int *data = tw_host_accessor_const_data(second);
    TW_EQUAL(tw_host_accessor_pitch(second).size[1], COLUMNS);
    for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 4; ++j)
            TW_EQUAL(data[i * COLUMNS + j], 7);
    tw_host_accessor *whole = NULL;
    TW_FAIL(tw_host_access(buffer, TW_READ, &whole), TW_ERROR_WOULD_DEADLOCK);
    tw_host_accessor_release(&first);
    tw_host_accessor_release(&second);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_sub_buffer_stands_for_its_part)
{
    tw_queue *queue = new_queue(0);
    tw_buffer *buffer = NULL, *rows = NULL, *corner = NULL;
    tw_host_accessor *accessor = NULL;
    static int data[ROWS][COLUMNS];
    memset(data, 0, sizeof data);
    TW_PASS(tw_buffer_create_over(data, sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
    TW_PASS(tw_buffer_create_sub(buffer, tw_id_2d(4, 0), tw_range_2d(6, COLUMNS), &rows));
    TW_PASS(tw_buffer_create_sub(rows, tw_id_2d(2, 3), tw_range_2d(4, 5), &corner));
    TW_PASS(tw_buffer_destroy(&buffer)); /* the sub-buffers keep the contents */
    TW_EQUAL(tw_buffer_count(corner), 20);
    TW_EQUAL(tw_buffer_size(corner), 20 * sizeof(int));
    TW_CHECK(tw_range_equal(tw_buffer_range(corner), tw_range_2d(4, 5)));
    TW_CHECK(tw_range_equal(tw_buffer_pitch(corner), tw_range_2d(ROWS, COLUMNS)));
    TW_EQUAL(tw_buffer_offset(corner).at[0], 6);
    TW_EQUAL(tw_buffer_offset(corner).at[1], 3);
    add_to_part(queue, corner, tw_id_2d(0, 0), tw_range_2d(4, 5), 1);
    add_to_part(queue, rows, tw_id_2d(0, 0), tw_range_2d(6, COLUMNS), 10);
    add_to_part(queue, corner, tw_id_2d(3, 4), tw_range_2d(1, 1), 100);
    TW_PASS(tw_host_access(corner, TW_READ, &accessor));
    const int *found = tw_host_accessor_const_data(accessor);
    TW_EQUAL(found[0], 11);
    TW_EQUAL(found[3 * COLUMNS + 4], 111);
    tw_host_accessor_release(&accessor);
    TW_PASS(tw_buffer_destroy(&rows));
    TW_PASS(tw_buffer_destroy(&corner));
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j) {
            const int in_rows = i >= 4 && i < 10, in_corner = i >= 6 && i < 10 && j >= 3 && j < 8;
            TW_EQUAL(data[i][j], 10 * in_rows + in_corner + (i == 9 && j == 7 ? 100 : 0));
        }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Accessors of one group that overlap: what both cover is read and written. */
TW_TEST(accessors_of_a_group_may_overlap)
{
    tw_queue *queue = new_queue(0), *other = new_queue(1);
    tw_buffer *buffer = NULL;
    int data[ROWS][COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; ++i)
        (&data[0][0])[i] = i;
    TW_PASS(tw_buffer_create_over(data, sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
    for (int step = 0; step < 4; ++step) {
        tw_queue *on = step % 2 ? other : queue;
        tw_command_group *cg = tw_queue_begin(on);
        (void)tw_read_part(cg, buffer, tw_id_2d(1, 0), tw_range_2d(6, COLUMNS));
        int *part = tw_discard_write_part(cg, buffer, tw_id_2d(3, 2), tw_range_2d(6, 4));
        tw_parallel_for(cg, tw_range_2d(4, 4), add, .part = part, .pitch = COLUMNS, .value = 1000);
        TW_PASS(tw_queue_submit(on, cg, NULL));
        add_to_part(step % 2 ? queue : other, buffer, tw_id_2d(7, 2), tw_range_2d(2, 4), 0);
    }
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < 7; ++i) /* rows 7 and 8 were discarded */
        for (int j = 0; j < COLUMNS; ++j)
            TW_EQUAL(data[i][j], i * COLUMNS + j + (i >= 3 && j >= 2 && j < 6 ? 4000 : 0));
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_queue_destroy(&other));
}

/* Parts of one kind that make up a box with one before are one copy; those of another kind are their own. */
TW_TEST(parts_side_by_side_are_brought_by_one_copy)
{
    static const size_t orders[][4] = {{0, 3, 6, 9}, {9, 6, 3, 0}, {0, 6, 3, 9}};
    tw_test_use_sim(1);
    tw_queue *queue = new_queue(0);
    tw_device *device = tw_queue_device(queue);
    for (size_t order = 0; order < 3; ++order) {
        tw_buffer *buffer = NULL;
        int data[ROWS][COLUMNS] = {{0}};
        TW_PASS(tw_sim_reset(device));
        TW_PASS(tw_buffer_create_over(data, sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
        tw_command_group *cg = tw_queue_begin(queue);
        for (size_t i = 0; i < 4; ++i) /* the last three columns are left out; rows are read twice */
            (void)tw_read_part(cg, buffer, tw_id_2d(orders[order][i], 0), tw_range_2d(3, 4));
        (void)tw_read_part(cg, buffer, tw_id_2d(0, 4), tw_range_2d(ROWS, 3));
        (void)tw_read_part(cg, buffer, tw_id_2d(2, 1), tw_range_2d(5, 4));
        (void)tw_discard_write_part(cg, buffer, tw_id_2d(0, 7), tw_range_2d(ROWS, 1));
        int *part = tw_read_write_part(cg, buffer, tw_id_2d(0, 8), tw_range_2d(ROWS, 2));
        tw_parallel_for(cg, tw_range_2d(ROWS, 2), add, .part = part, .pitch = COLUMNS, .value = 7);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_queue_wait(queue));
        TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), order < 2 ? 2 : 4);
        TW_EQUAL(tw_sim_copied_bytes(device), sizeof(int) * ROWS * (COLUMNS - 1));
        TW_PASS(tw_buffer_destroy(&buffer));
        for (int i = 0; i < ROWS; ++i)
            TW_EQUAL(data[i][8], 7);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Two devices each compute half of a buffer. The first is held until the second is done: had the second to wait for the
   first, the first would be held for ever. */
struct halve {
    int *half;
    uintptr_t flag; /* the address of an atomic_int, or 0 */
};
static inline void halve(tw_item item, const struct halve *k)
{
    await(k->flag);
    k->half[tw_global_id(item, 0)] += 1;
}
TW_RANGE_KERNEL(halve, 1);

enum { HALF = 1000 };

static void add_to_half(tw_queue *queue, tw_buffer *buffer, size_t half, atomic_int *flag, tw_event **event)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(HALF), halve, .flag = (uintptr_t)flag,
                    .half = tw_read_write_part(cg, buffer, tw_id_1d(half * HALF), tw_range_1d(HALF)));
    TW_PASS(tw_queue_submit(queue, cg, event));
}

TW_TEST(halves_on_two_devices_overlap_and_move_no_more_than_themselves)
{
    tw_queue *queues[2];
    static int data[2 * HALF];
    memset(data, 0, sizeof data);
    tw_test_use_sim(2);
    for (size_t i = 0; i < 2; ++i)
        queues[i] = new_queue(i);
    tw_buffer *buffer = NULL;
    tw_event *events[2];
    atomic_int flag = 0;
    TW_PASS(tw_buffer_create_over(data, sizeof(int), tw_range_1d(2 * HALF), &buffer));
    add_to_half(queues[0], buffer, 0, &flag, &events[0]);
    add_to_half(queues[1], buffer, 1, NULL, &events[1]);
    TW_PASS(tw_event_wait(events[1]));
    TW_CHECK(tw_event_get_state(events[0]) != TW_EVENT_COMPLETE);
    atomic_store(&flag, 1);
    TW_PASS(tw_event_wait(events[0]));
    for (size_t i = 0; i < 2; ++i) {
        tw_event_release(&events[i]);
        TW_EQUAL(tw_sim_copied_bytes(tw_queue_device(queues[i])), sizeof data / 2);
    }
    TW_PASS(tw_buffer_destroy(&buffer));
    for (size_t i = 0; i < 2; ++i) {
        TW_EQUAL(tw_sim_copied_bytes(tw_queue_device(queues[i])), sizeof data);
        TW_PASS(tw_queue_destroy(&queues[i]));
    }
    for (size_t i = 0; i < 2 * HALF; ++i)
        TW_EQUAL(data[i], 1);
}

TW_TEST(a_host_accessor_of_one_element_moves_one_element)
{
    tw_test_use_sim(1);
    tw_queue *queue = new_queue(0);
    tw_device *device = tw_queue_device(queue);
    tw_buffer *buffer = NULL;
    tw_host_accessor *accessor = NULL;
    static int data[2 * HALF];
    memset(data, 0, sizeof data);
    TW_PASS(tw_buffer_create_over(data, sizeof(int), tw_range_1d(2 * HALF), &buffer));
    add_to_half(queue, buffer, 1, NULL, NULL);
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_sim_reset(device));
    for (int turn = 0; turn < 2; ++turn) { /* the second time it is there */
        TW_PASS(tw_host_access_part(buffer, tw_id_1d(HALF + 7), tw_range_1d(1), TW_READ, &accessor));
        TW_EQUAL(*(const int *)tw_host_accessor_const_data(accessor), 1);
        TW_PASS(tw_host_accessor_release(&accessor));
        TW_EQUAL(tw_sim_copied_bytes(device), sizeof(int));
    }
    TW_PASS(tw_host_access_part(buffer, tw_id_1d(7), tw_range_1d(HALF - 7), TW_READ_WRITE, &accessor)); /* never left */
    TW_PASS(tw_host_accessor_release(&accessor));
    TW_EQUAL(tw_sim_copied_bytes(device), sizeof(int));
    TW_PASS(tw_buffer_destroy(&buffer)); /* the rest of the half */
    TW_EQUAL(tw_sim_copied_bytes(device), HALF * sizeof(int));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(wrong_parts_are_refused)
{
    tw_queue *queue = new_queue(0);
    tw_buffer *buffer = NULL, *sub = NULL;
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
    TW_FAIL(tw_buffer_create_sub(NULL, tw_id_2d(0, 0), tw_range_2d(1, 1), &sub), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_sub(buffer, tw_id_2d(0, 0), tw_range_2d(1, 1), NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_sub(buffer, tw_id_1d(0), tw_range_1d(1), &sub), TW_ERROR_INVALID_RANGE);
    TW_FAIL(tw_buffer_create_sub(buffer, tw_id_2d(0, 1), tw_range_2d(1, COLUMNS), &sub), TW_ERROR_INVALID_RANGE);
    TW_FAIL(tw_buffer_create_sub(buffer, tw_id_2d(SIZE_MAX, 0), tw_range_2d(2, 1), &sub), TW_ERROR_INVALID_RANGE);
    TW_FAIL(tw_buffer_create_sub(buffer, tw_id_2d(0, 0), tw_range_2d((size_t)1 - 2, 8), &sub), TW_ERROR_INVALID_RANGE);
    TW_CHECK(strstr(tw_error_detail(), "18446744073709551615 x 8: a size that came out below 0?"));
    TW_FAIL(tw_buffer_create_sub(buffer, tw_id_2d(ROWS + 1, 0), tw_range_2d(0, 1), &sub), TW_ERROR_INVALID_RANGE);
    TW_FAIL(tw_host_access_part(buffer, tw_id_2d(ROWS, 0), tw_range_2d(1, 1), TW_READ, &accessor),
            TW_ERROR_INVALID_RANGE);
    tw_command_group *cg = tw_queue_begin(queue);
    TW_CHECK(!tw_read_part(cg, buffer, tw_id_2d(0, 0), tw_range_2d(ROWS + 1, 1)));
    TW_FAIL(tw_command_group_status(cg), TW_ERROR_INVALID_RANGE);
    tw_command_group_discard(cg);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* One group takes many small parts out of a buffer that two devices hold: each is a box of its own afterwards. */
TW_TEST(a_group_may_have_many_parts)
{
    enum { COUNT = 1000 };
    tw_queue *queues[2] = {new_queue(0), new_queue(1)};
    tw_buffer *buffer = NULL;
    static int data[COUNT];
    for (int i = 0; i < COUNT; ++i)
        data[i] = i;
    TW_PASS(tw_buffer_create_over(data, sizeof(int), tw_range_1d(COUNT), &buffer));
    for (int step = 0; step < 4; ++step) {
        tw_command_group *cg = tw_queue_begin(queues[step % 2]);
        int *first = tw_read_write_part(cg, buffer, tw_id_1d(0), tw_range_1d(1));
        for (size_t i = 3; i < COUNT; i += 3)
            (void)tw_read_write_part(cg, buffer, tw_id_1d(i), tw_range_1d(1));
        tw_parallel_for(cg, tw_range_2d((COUNT + 2) / 3, 1), add, .part = first, .pitch = 3, .value = 5);
        TW_PASS(tw_queue_submit(queues[step % 2], cg, NULL));
        cg = tw_queue_begin(queues[step % 2]); /* all of it, from both */
        TW_CHECK(tw_read(cg, buffer));
        TW_PASS(tw_queue_submit(queues[step % 2], cg, NULL));
    }
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < COUNT; ++i)
        TW_EQUAL(data[i], i + (i % 3 ? 0 : 20));
    for (size_t i = 0; i < 2; ++i)
        TW_PASS(tw_queue_destroy(&queues[i]));
}

static void add_to_all(tw_command_group *cg, void *user)
{
    tw_parallel_for(cg, tw_range_2d(ROWS, COLUMNS), add, .part = tw_read_write(cg, user), .pitch = COLUMNS, .value = 1);
}

/* A command whose contents were in several places does not fall back: none of them has all that it needs. */
TW_TEST(what_was_scattered_does_not_fall_back)
{
    tw_queue *queue = new_queue(0), *other = new_queue(1);
    tw_buffer *buffer = NULL;
    tw_event *event = NULL;
    int data[ROWS][COLUMNS] = {{0}};
    TW_PASS(tw_buffer_create_over(data, sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
    add_to_part(queue, buffer, tw_id_2d(0, 0), tw_range_2d(2, COLUMNS), 1);
    TW_PASS(tw_queue_wait(queue));
    if (tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_COPY, 1) == TW_SUCCESS) {
        TW_PASS(tw_queue_submit_function(queue, other, add_to_all, buffer, &event));
        TW_FAIL(tw_event_wait(event), TW_ERROR_TRANSFER_FAILED);
        TW_FAIL(tw_buffer_destroy(&buffer), TW_ERROR_DATA_LOST);
        tw_event_release(&event);
    } else {
        TW_PASS(tw_buffer_destroy(&buffer));
    }
    (void)tw_queue_destroy(&queue);
    (void)tw_queue_destroy(&other);
}

enum { MANY = 1000, PART = 4 };

/* Adds to one part after the other, on the devices in turn. A queue keeps memory for as many groups as were in flight
   at a time, so there are always few. Returns the time of a group in nanoseconds. */
static double rotate(tw_queue *const *queues, size_t count, tw_buffer *buffer)
{
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (size_t i = 0; i < MANY; ++i) {
        tw_queue *queue = queues[i % count];
        tw_command_group *cg = tw_queue_begin(queue);
        int *part = tw_read_write_part(cg, buffer, tw_id_1d(i * PART), tw_range_1d(PART));
        tw_parallel_for(cg, tw_range_2d(1, PART), add, .part = part, .pitch = 0, .value = 1);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        for (size_t k = 0; k < count && i % 100 == 99; ++k)
            TW_PASS(tw_queue_wait(queues[k]));
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    return (1e9 * (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec)) / MANY;
}

/* Many parts in rotation: the memory for what is where does not grow with the number of groups. */
TW_TEST(many_parts_in_rotation_take_bounded_memory)
{
    static int data[MANY * PART];
    for (size_t devices = 1; devices <= 2; ++devices) {
        tw_queue *queues[2] = {new_queue(0), new_queue(devices - 1)};
        tw_buffer *buffer = NULL;
        memset(data, 0, sizeof data);
        TW_PASS(tw_buffer_create_over(data, sizeof(int), tw_range_1d(MANY * PART), &buffer));
        const double first = rotate(queues, devices, buffer);
        const size_t before = mallinfo2().uordblks;
        double last = 0;
        for (int round = 0; round < 4; ++round)
            last = rotate(queues, devices, buffer);
        const size_t after = mallinfo2().uordblks;
        TW_CHECK(after < before + (1u << 17));
        fprintf(stderr, "%zu device(s): %.0f ns a part at first, %.0f ns later; %zu bytes more\n", devices, first, last,
                after > before ? after - before : 0);
        TW_PASS(tw_buffer_destroy(&buffer));
        for (size_t i = 0; i < MANY * PART; ++i)
            TW_EQUAL(data[i], 5);
        for (size_t i = 0; i < 2; ++i)
            TW_PASS(tw_queue_destroy(&queues[i]));
    }
}

TW_TEST_LIST = {TW_CASE(parts_on_several_devices_make_up_the_whole),
                TW_CASE(disjoint_parts_do_not_wait_for_each_other),
                TW_CASE(a_sub_buffer_stands_for_its_part),
                TW_CASE(accessors_of_a_group_may_overlap),
                TW_CASE(parts_side_by_side_are_brought_by_one_copy),
                TW_CASE(a_group_may_have_many_parts),
                TW_CASE(what_was_scattered_does_not_fall_back),
                TW_CASE(many_parts_in_rotation_take_bounded_memory),
                TW_CASE(halves_on_two_devices_overlap_and_move_no_more_than_themselves),
                TW_CASE(a_host_accessor_of_one_element_moves_one_element),
                TW_CASE(wrong_parts_are_refused),
                TW_CASES_END};
