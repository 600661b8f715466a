/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/** buffer.h: creation, size queries, references, and write-back on destruction. */
#include "gated_kernel.h"

/* Elements of a size that is no power of two. */
struct rgb {
    unsigned char r, g, b;
};

struct invert {
    struct rgb *pixels;
};
static inline void invert(tw_item item, const struct invert *k)
{
    struct rgb *p = &k->pixels[tw_global_linear_id(item)];
    p->r = 255 - p->r;
    p->g = 255 - p->g;
    p->b = 255 - p->b;
}
TW_RANGE_KERNEL(invert);

struct ones {
    int *data;
    const int *gate;
};
static inline void ones(tw_item item, const struct ones *k)
{
    k->data[tw_global_linear_id(item)] = 1 + k->gate[0];
}
TW_RANGE_KERNEL(ones, 1);

enum { N = 1000 };

/* Properties 1 and 2, and 5 as far as C has it: what is written back, and how large it is, in each dimension. */
TW_TEST(a_buffer_over_host_memory_is_written_back)
{
    const tw_range ranges[] = {tw_range_1d(105), tw_range_2d(7, 15), tw_range_3d(3, 5, 7)};
    tw_queue *queue = tw_test_queue();
    for (size_t r = 0; r < 3; ++r) {
        struct rgb pixels[105];
        tw_buffer *buffer = NULL;
        for (int i = 0; i < 105; ++i)
            pixels[i] = (struct rgb){(unsigned char)i, 7, (unsigned char)(2 * i)};
        TW_PASS(tw_buffer_create_over(pixels, sizeof *pixels, ranges[r], &buffer));
        TW_CHECK(tw_range_equal(tw_buffer_range(buffer), ranges[r]));
        TW_EQUAL(tw_buffer_count(buffer), 105);
        TW_EQUAL(tw_buffer_size(buffer), 315);
        TW_EQUAL(tw_buffer_element_size(buffer), 3);
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, ranges[r], invert, .pixels = tw_read_write(cg, buffer));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_CHECK(buffer == NULL);
        for (int i = 0; i < 105; ++i) {
            TW_EQUAL(pixels[i].r, 255 - i);
            TW_EQUAL(pixels[i].g, 248);
            TW_EQUAL(pixels[i].b, 255 - (unsigned char)(2 * i));
        }
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Property 5: nothing is written back where the program did not ask for it. */
TW_TEST(a_copied_buffer_leaves_its_source_alone)
{
    int data[N], result[N];
    struct tw_gate gate;
    tw_buffer *buffer = NULL;
    tw_queue *queue = tw_test_queue();
    for (int i = 0; i < N; ++i)
        data[i] = i;
    TW_PASS(tw_buffer_create_copy(data, sizeof *data, tw_range_1d(N), &buffer));
    memset(data, 0x7f, sizeof data); /* free again on return */
    tw_gate_shut(&gate);
    submit_increase(queue, buffer, &gate, NULL);
    tw_gate_open(&gate);
    tw_test_fetch(buffer, result);
    for (int i = 0; i < N; ++i)
        TW_EQUAL(result[i], i + 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < N; ++i)
        TW_EQUAL(data[i], 0x7f7f7f7f);
    tw_gate_free(&gate);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_buffer_over_const_memory_is_read_only)
{
    static const int table[4] = {10, 20, 30, 40};
    tw_buffer *buffer = NULL;
    tw_host_accessor *untouched = (tw_host_accessor *)&untouched, *accessor = untouched;
    const tw_access_mode writing[] = {TW_WRITE, TW_READ_WRITE, TW_DISCARD_WRITE, TW_DISCARD_READ_WRITE};
    tw_queue *queue = tw_test_queue();
    int result[4];
    TW_PASS(tw_buffer_create_over_const(table, sizeof *table, tw_range_1d(4), &buffer));
    for (size_t i = 0; i < 4; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        TW_CHECK(tw_access(cg, buffer, writing[i], TW_GLOBAL) == NULL);
        TW_EQUAL(tw_command_group_status(cg), TW_ERROR_READ_ONLY_BUFFER);
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_READ_ONLY_BUFFER);
        TW_FAIL(tw_host_access(buffer, writing[i], &accessor), TW_ERROR_READ_ONLY_BUFFER);
        TW_CHECK(accessor == untouched);
    }
    tw_test_fetch(buffer, result);
    TW_CHECK(memcmp(result, table, sizeof table) == 0);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Property 3. */
TW_TEST(another_reference_names_the_same_data)
{
    int data[N] = {0};
    struct tw_gate gate;
    tw_buffer *buffer = NULL;
    tw_queue *queue = tw_test_queue();
    TW_PASS(tw_buffer_create_over(data, sizeof *data, tw_range_1d(N), &buffer));
    tw_buffer *other = tw_buffer_retain(buffer);
    TW_CHECK(other == buffer);
    TW_PASS(tw_buffer_set_name(other, "the data"));
    TW_PASS(tw_buffer_set_name(buffer, NULL));
    TW_PASS(tw_buffer_set_name(buffer, "the same data"));
    TW_FAIL(tw_buffer_set_name(NULL, "none"), TW_ERROR_INVALID_ARGUMENT);
    tw_gate_shut(&gate);
    submit_increase(queue, buffer, &gate, NULL);
    TW_PASS(tw_buffer_destroy(&buffer)); /* not the last reference: does not wait for the gate */
    TW_CHECK(buffer == NULL);
    submit_increase(queue, other, &gate, NULL);
    tw_gate_open(&gate);
    TW_PASS(tw_buffer_destroy(&other));
    for (int i = 0; i < N; ++i)
        TW_EQUAL(data[i], 2);
    tw_gate_free(&gate);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Destruction of what has no host memory to return to does not wait; the command still has the data. */
TW_TEST(a_buffer_without_host_memory_is_destroyed_at_once)
{
    int data[N] = {0}, result[N];
    struct tw_gate gate;
    tw_event *events[2] = {NULL, NULL};
    tw_buffer *plain = NULL, *copy = NULL, *over = NULL;
    tw_queue *queue = tw_test_queue();
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(N), &plain));
    TW_PASS(tw_buffer_create_copy(data, sizeof *data, tw_range_1d(N), &copy));
    TW_PASS(tw_buffer_create_over_const(data, sizeof *data, tw_range_1d(N), &over));
    tw_test_store(plain, data);
    tw_gate_shut(&gate);
    submit_increase(queue, plain, &gate, &events[0]);
    submit_increase(queue, copy, &gate, &events[1]);
    TW_PASS(tw_buffer_destroy(&plain));
    TW_PASS(tw_buffer_destroy(&copy));
    TW_PASS(tw_buffer_destroy(&over));
    TW_EQUAL(tw_event_get_state(events[0]), TW_EVENT_PENDING);
    TW_EQUAL(tw_event_get_state(events[1]), TW_EVENT_PENDING);
    tw_gate_open(&gate);
    TW_PASS(tw_event_wait_all(events, 2));
    tw_event_release(&events[0]);
    tw_event_release(&events[1]);
    tw_gate_free(&gate);
    memset(result, 0, sizeof result);
    TW_CHECK(memcmp(data, result, sizeof data) == 0);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(an_untouched_buffer_is_left_as_it_is)
{
    int data[3] = {1, 2, 3};
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_over(data, sizeof *data, tw_range_1d(3), &buffer));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_CHECK(data[0] == 1 && data[1] == 2 && data[2] == 3);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_buffer_destroy(NULL));
}

TW_TEST(creation_refuses_what_is_no_array)
{
    int data[4] = {0};
    tw_buffer *untouched = (tw_buffer *)&untouched, *buffer = untouched;
    const tw_range mixed = tw_range_add(tw_range_1d(2), tw_range_2d(2, 2));
    const tw_range bad[] = {mixed, tw_range_2d(SIZE_MAX, 2), tw_range_1d(SIZE_MAX)};
    TW_FAIL(tw_buffer_create_over(NULL, 4, tw_range_1d(4), &buffer), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_over(data, 0, tw_range_1d(4), &buffer), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_over(data, 4, tw_range_1d(4), NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_over_const(NULL, 4, tw_range_1d(4), &buffer), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_over_const(data, 0, tw_range_1d(4), &buffer), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_over_const(data, 4, tw_range_1d(4), NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_copy(NULL, 4, tw_range_1d(4), &buffer), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_copy(data, 0, tw_range_1d(4), &buffer), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create(0, tw_range_1d(4), &buffer), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create(4, tw_range_1d(4), NULL), TW_ERROR_INVALID_ARGUMENT);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        TW_FAIL(tw_buffer_create(4, bad[i], &buffer), TW_ERROR_INVALID_RANGE);
        TW_FAIL(tw_buffer_create_over(data, 4, bad[i], &buffer), TW_ERROR_INVALID_RANGE);
    }
    TW_CHECK(buffer == untouched);
    TW_CHECK(tw_buffer_range(NULL).dims == 0 && tw_buffer_count(NULL) == 0);
    TW_CHECK(tw_buffer_size(NULL) == 0 && tw_buffer_element_size(NULL) == 0);
    TW_CHECK(tw_buffer_retain(NULL) == NULL);
}

TW_TEST(memory_that_is_not_there_is_reported)
{
    const int data[4] = {0};
    tw_buffer *untouched = (tw_buffer *)&untouched, *buffer = untouched;
    tw_host_accessor *accessor = NULL;
    /* more than any address space; the contents of a plain buffer may come into being later, with the first access */
    TW_FAIL(tw_buffer_create_copy(data, (size_t)1 << 60, tw_range_1d(4), &buffer), TW_ERROR_OUT_OF_MEMORY);
    TW_CHECK(buffer == untouched);
    const tw_status created = tw_buffer_create((size_t)1 << 60, tw_range_1d(4), &buffer);
    if (created != TW_SUCCESS) {
        TW_EQUAL(created, TW_ERROR_OUT_OF_MEMORY);
        TW_CHECK(buffer == untouched);
        return;
    }
    TW_FAIL(tw_host_access(buffer, TW_DISCARD_WRITE, &accessor), TW_ERROR_OUT_OF_MEMORY);
    tw_queue *queue = tw_test_queue();
    tw_command_group *cg = tw_queue_begin(queue);
    TW_CHECK(tw_discard_write(cg, buffer) == NULL);
    const tw_status status = tw_queue_submit(queue, cg, NULL);
    TW_CHECK(status == TW_ERROR_OUT_OF_MEMORY || status == TW_ERROR_OUT_OF_DEVICE_MEMORY);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Large memory is aligned to huge pages; but buffers that all began where one does would share the sets of caches. */
TW_TEST(large_buffers_begin_at_different_lines)
{
    enum { BUFFERS = 8, WORDS = 1 << 20 };
    tw_buffer *buffers[BUFFERS];
    uintptr_t lines[BUFFERS];
    for (int i = 0; i < BUFFERS; ++i) {
        tw_host_accessor *accessor = NULL;
        TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(WORDS), &buffers[i]));
        TW_PASS(tw_host_access(buffers[i], TW_DISCARD_WRITE, &accessor));
        int *data = tw_host_accessor_data(accessor);
        data[0] = data[WORDS - 1] = i;
        TW_EQUAL((uintptr_t)data % 128, 0);
        lines[i] = (uintptr_t)data / 64 % 64;
        for (int earlier = 0; earlier < i; ++earlier)
            TW_CHECK(lines[i] != lines[earlier]);
        tw_host_accessor_release(&accessor);
    }
    for (int i = 0; i < BUFFERS; ++i)
        TW_PASS(tw_buffer_destroy(&buffers[i]));
}

TW_TEST(destruction_is_refused_while_this_thread_holds_the_buffer)
{
    int data[4] = {1, 2, 3, 4};
    tw_buffer *buffer = NULL;
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_buffer_create_over(data, sizeof *data, tw_range_1d(4), &buffer));
    TW_PASS(tw_host_access(buffer, TW_READ_WRITE, &accessor));
    tw_buffer *const was = buffer;
    TW_FAIL(tw_buffer_destroy(&buffer), TW_ERROR_WOULD_DEADLOCK);
    TW_CHECK(buffer == was);
    ((int *)tw_host_accessor_data(accessor))[2] = 33;
    tw_host_accessor_release(&accessor);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_EQUAL(data[2], 33);
}

TW_TEST(destruction_is_refused_while_a_command_waits_for_this_thread)
{
    int data[N] = {0};
    struct tw_gate gate = {0};
    tw_buffer *buffer = NULL;
    tw_host_accessor *accessor = NULL;
    tw_queue *queue = tw_test_queue();
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(1), &gate.buffer));
    TW_PASS(tw_buffer_create_over(data, sizeof *data, tw_range_1d(N), &buffer));
    TW_PASS(tw_host_access(gate.buffer, TW_DISCARD_WRITE, &accessor));
    ((int *)tw_host_accessor_data(accessor))[0] = 4;
    submit_increase(queue, buffer, &gate, NULL);
    TW_FAIL(tw_buffer_destroy(&buffer), TW_ERROR_WOULD_DEADLOCK);
    TW_CHECK(buffer != NULL);
    tw_host_accessor_release(&accessor);
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < N; ++i)
        TW_EQUAL(data[i], 5);
    TW_PASS(tw_buffer_destroy(&gate.buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(destruction_says_when_the_contents_are_lost)
{
    int data[N] = {0};
    struct tw_gate gate;
    tw_buffer *buffer = NULL;
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_gate_shut(&gate);
    tw_gate_open(&gate);
    TW_PASS(tw_buffer_create_over(data, sizeof *data, tw_range_1d(N), &buffer));
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_LAUNCH, 1));
    submit_increase(queue, buffer, &gate, NULL);
    TW_FAIL(tw_buffer_destroy(&buffer), TW_ERROR_DATA_LOST);
    TW_CHECK(buffer == NULL);
    TW_CHECK(strstr(tw_error_detail(), "increase") != NULL);
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_LAUNCH_FAILED);
    /* the way back fails */
    TW_PASS(tw_buffer_create_over(data, sizeof *data, tw_range_1d(N), &buffer));
    submit_increase(queue, buffer, &gate, NULL);
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_COPY, 1));
    TW_FAIL(tw_buffer_destroy(&buffer), TW_ERROR_TRANSFER_FAILED);
    TW_CHECK(buffer == NULL);
    tw_gate_free(&gate);
    TW_PASS(tw_queue_destroy(&queue));
}

/* The memory is the program's again; a buffer without any is kept by the group. */
TW_TEST(a_group_that_is_submitted_after_the_destruction)
{
    int data[N] = {0};
    const struct {
        bool over_host;
        tw_status status;
    } cases[] = {{true, TW_ERROR_INVALID_COMMAND_GROUP}, {false, TW_SUCCESS}};
    tw_queue *queue = tw_test_queue();
    for (size_t c = 0; c < 2; ++c) {
        tw_buffer *buffer = NULL, *gate = tw_test_ints(1, 0);
        TW_PASS(cases[c].over_host ? tw_buffer_create_over(data, sizeof *data, tw_range_1d(N), &buffer)
                                   : tw_buffer_create(sizeof *data, tw_range_1d(N), &buffer));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(N), ones, .data = tw_discard_write(cg, buffer), .gate = tw_read(cg, gate));
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_FAIL(tw_queue_submit(queue, cg, NULL), cases[c].status);
        TW_PASS(tw_queue_wait(queue));
        for (int i = 0; i < N; ++i)
            TW_EQUAL(data[i], 0);
        TW_PASS(tw_buffer_destroy(&gate));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- empty buffers ----------------------------------------------------------------------------------------------- */

/* Writes the extents of a view to a buffer that is not empty. */
struct measure {
    TW_VIEW(const int) empty;
    size_t *extents;
};
static inline void measure(tw_item item, const struct measure *k)
{
    const size_t i = tw_global_id(item, 0);
    k->extents[i] = tw_extent(k->empty, i);
}
TW_RANGE_KERNEL(measure, 1);

struct never {
    int *data;
};
static inline void never(tw_item item, const struct never *k)
{
    k->data[tw_global_linear_id(item)] = 1;
}
TW_RANGE_KERNEL(never);

static tw_status make_empty(int way, tw_range range, tw_buffer **buffer)
{
    static int memory[4];
    switch (way) {
    case 0:
        return tw_buffer_create(sizeof(int), range, buffer);
    case 1:
        return tw_buffer_create_over(NULL, sizeof(int), range, buffer);
    case 2:
        return tw_buffer_create_over(memory, sizeof(int), range, buffer);
    case 3:
        return tw_buffer_create_over_const(NULL, sizeof(int), range, buffer);
    default:
        return tw_buffer_create_copy(NULL, sizeof(int), range, buffer);
    }
}

TW_TEST(a_buffer_may_be_empty)
{
    const tw_range ranges[] = {tw_range_1d(0), tw_range_2d(4, 0), tw_range_2d(0, SIZE_MAX), tw_range_3d(2, 0, 3)};
    tw_queue *queue = tw_test_queue();
    for (int r = 0; r < 4; ++r)
        for (int way = 0; way < 5; ++way) {
            const tw_range range = ranges[r];
            const tw_access_mode mode = way == 3 ? TW_READ : TW_READ_WRITE;
            tw_buffer *buffer = NULL, *sub = NULL, *extents = tw_test_zeroed(sizeof(size_t), 3);
            tw_host_accessor *access = NULL;
            size_t found[3];
            TW_PASS(make_empty(way, range, &buffer));
            TW_CHECK(tw_range_equal(tw_buffer_range(buffer), range) && tw_range_equal(tw_buffer_pitch(buffer), range));
            TW_CHECK(tw_buffer_count(buffer) == 0 && tw_buffer_size(buffer) == 0);
            TW_EQUAL(tw_buffer_element_size(buffer), sizeof(int));
            TW_PASS(tw_buffer_create_sub(buffer, (tw_id){.dims = range.dims}, range, &sub));
            tw_command_group *cg = tw_queue_begin(queue);
            tw_parallel_for(cg, range, never, .data = tw_access(cg, buffer, mode, TW_GLOBAL));
            tw_test_run(queue, cg);
            cg = tw_queue_begin(queue);
            tw_parallel_for(cg, tw_range_1d(3), measure, .empty = TW_READ_VIEW(cg, sub),
                            .extents = tw_write(cg, extents));
            tw_test_run(queue, cg);
            tw_test_fetch(extents, found);
            for (unsigned d = 0; d < 3; ++d)
                TW_EQUAL(found[d], range.size[d]);
            TW_PASS(tw_host_access(sub, mode, &access));
            TW_CHECK(tw_range_equal(tw_host_accessor_range(access), range));
            TW_CHECK(tw_host_accessor_const_data(access) != NULL); /* as memset() and the like want it */
            tw_buffer *other = tw_buffer_retain(buffer);
            TW_PASS(tw_buffer_set_final_data(buffer, found));
            TW_PASS(tw_buffer_destroy(&other));
            TW_PASS(tw_buffer_destroy(&buffer));
            TW_PASS(tw_buffer_destroy(&sub)); /* nothing is accessed, so nothing is waited for */
            tw_host_accessor_release(&access);
            TW_PASS(tw_buffer_destroy(&extents));
        }
    TW_PASS(tw_queue_destroy(&queue));
}

/* A part without elements is not waited for, and its device allocates nothing for it. */
TW_TEST(empty_parts_order_nothing)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 1), *sub = NULL, *one = tw_test_zeroed(sizeof(int), 1);
    tw_host_accessor *access = NULL, *none = NULL;
    TW_PASS(tw_buffer_create_sub(buffer, tw_id_1d(N), tw_range_1d(0), &sub));
    TW_PASS(tw_host_access(buffer, TW_READ_WRITE, &access));
    TW_PASS(tw_host_access(sub, TW_READ_WRITE, &none)); /* would wait for this thread, if it waited */
    tw_command_group *cg = tw_queue_begin(queue);
    (void)tw_read_write(cg, sub);
    (void)tw_read_write_part(cg, buffer, tw_id_1d(7), tw_range_1d(0));
    TW_PASS(tw_command_group_status(cg));
    tw_parallel_for(cg, tw_range_1d(1), never, .data = tw_discard_write(cg, one));
    tw_test_run(queue, cg);
    if (tw_sim_allocated_bytes(tw_queue_device(queue)))
        TW_EQUAL(tw_sim_allocated_bytes(tw_queue_device(queue)), sizeof(int));
    tw_test_expect_ints(one, 1);
    tw_host_accessor_release(&none);
    tw_host_accessor_release(&access);
    cg = tw_queue_begin(queue);
    TW_CHECK(!tw_read_part(cg, buffer, tw_id_1d(N + 1), tw_range_1d(0)));
    TW_FAIL(tw_command_group_status(cg), TW_ERROR_INVALID_RANGE);
    tw_command_group_discard(cg);
    TW_FAIL(tw_host_access_part(buffer, tw_id_1d(N + 1), tw_range_1d(0), TW_READ, &none), TW_ERROR_INVALID_RANGE);
    TW_PASS(tw_buffer_destroy(&one));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_buffer_destroy(&sub));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(a_buffer_over_host_memory_is_written_back),
                TW_CASE(a_copied_buffer_leaves_its_source_alone),
                TW_CASE(a_buffer_over_const_memory_is_read_only),
                TW_CASE(another_reference_names_the_same_data),
                TW_CASE(a_buffer_without_host_memory_is_destroyed_at_once),
                TW_CASE(an_untouched_buffer_is_left_as_it_is),
                TW_CASE(creation_refuses_what_is_no_array),
                TW_CASE(memory_that_is_not_there_is_reported),
                TW_CASE(large_buffers_begin_at_different_lines),
                TW_CASE(destruction_is_refused_while_this_thread_holds_the_buffer),
                TW_CASE(destruction_is_refused_while_a_command_waits_for_this_thread),
                TW_CASE(a_group_that_is_submitted_after_the_destruction),
                TW_CASE(a_buffer_may_be_empty),
                TW_CASE(empty_parts_order_nothing),
                TW_CASE(destruction_says_when_the_contents_are_lost),
                TW_CASES_END};
