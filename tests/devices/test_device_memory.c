/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host, optimized */
/**
 * Devices with little memory (TW_SIM_MEMORY): buffers that are larger than a device, in parts; more buffers than fit, one
 * after the other; what must stay, and what is said when nothing else is left.
 */
#include "int_kernels.h"

#include <sched.h>

enum { KIB = 1024, MEMORY = 1024 * KIB };

struct add_term {
    int *out;
    int term;
};
static inline void add_term(tw_item item, const struct add_term *k)
{
    k->out[tw_global_id(item, 0)] += k->term;
}
TW_RANGE_KERNEL(add_term, 1);

/* out[r][c] = 1000 r + c, of a part of a matrix */
struct fill {
    int *out;
    size_t pitch, row, column;
};
static inline void fill(tw_item item, const struct fill *k)
{
    const size_t r = tw_global_id(item, 0), c = tw_global_id(item, 1);
    k->out[r * k->pitch + c] = (int)(1000 * (k->row + r) + k->column + c);
}
TW_RANGE_KERNEL(fill, 2);

static void use_small_sim(unsigned count, size_t bytes)
{
    char text[32];
    tw_test_use_sim(count);
    snprintf(text, sizeof text, "%zu", bytes);
    setenv("TW_SIM_MEMORY", text, 1);
}

static tw_buffer *make_buffer(size_t count)
{
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(count), &buffer));
    return buffer;
}

/* Sets all elements to `value`, on the host. */
static void set(tw_buffer *buffer, int value)
{
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_host_access(buffer, TW_DISCARD_WRITE, &accessor));
    int *data = tw_host_accessor_data(accessor);
    for (size_t i = 0; i < tw_buffer_count(buffer); ++i)
        data[i] = value;
    tw_host_accessor_release(&accessor);
}

static void expect(tw_buffer *buffer, size_t first, size_t past, int value)
{
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_host_access(buffer, TW_READ, &accessor));
    const int *data = tw_host_accessor_const_data(accessor);
    for (size_t i = first; i < past; ++i)
        if (data[i] != value)
            TW_EQUAL(data[i], value);
    tw_host_accessor_release(&accessor);
}

static tw_status submit_add(tw_queue *queue, tw_buffer *buffer, int term)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_buffer_range(buffer), add_term, .out = tw_read_write(cg, buffer), .term = term);
    return tw_queue_submit(queue, cg, NULL);
}

static tw_status submit_add_part(tw_queue *queue, tw_buffer *buffer, size_t first, size_t count, int term)
{
    tw_command_group *cg = tw_queue_begin(queue);
    int *out = tw_read_write_part(cg, buffer, tw_id_1d(first), tw_range_1d(count));
    tw_parallel_for(cg, tw_range_1d(count), add_term, .out = out, .term = term);
    return tw_queue_submit(queue, cg, NULL);
}

/* ---- larger than a device ---------------------------------------------------------------------------------------- */

TW_TEST(a_buffer_larger_than_each_device_is_split_over_three)
{
    enum { COUNT = 2 * MEMORY / (int)sizeof(int), PART = COUNT / 3 + 1 };
    tw_queue *queues[3];
    use_small_sim(3, MEMORY);
    tw_test_queues(queues, 3);
    tw_buffer *buffer = make_buffer(COUNT);
    set(buffer, 1);
    for (int turn = 0; turn < 4; ++turn)
        for (size_t d = 0; d < 3; ++d) {
            const size_t first = d * PART, count = first + PART > COUNT ? COUNT - first : PART;
            TW_PASS(submit_add_part(queues[d], buffer, first, count, (int)d + 1));
        }
    for (size_t d = 0; d < 3; ++d) {
        TW_PASS(tw_queue_wait(queues[d]));
        TW_EQUAL(tw_sim_count(tw_test_device(d), TW_SIM_COPY), 1); /* what is there stays there */
        TW_CHECK(tw_sim_allocated_bytes(tw_test_device(d)) >= PART * sizeof(int) - 3 * sizeof(int));
        TW_CHECK(tw_sim_allocated_bytes(tw_test_device(d)) < MEMORY);
    }
    for (size_t d = 0; d < 3; ++d)
        expect(buffer, d * PART, d == 2 ? COUNT : (d + 1) * PART, 1 + 4 * ((int)d + 1));
    /* all of it fits nowhere */
    TW_FAIL(submit_add(queues[0], buffer, 1), TW_ERROR_OUT_OF_DEVICE_MEMORY);
    TW_CHECK(strstr(tw_error_detail(), "2097152 bytes of a buffer of 2097152: of its 1048576 bytes"));
    TW_CHECK(strstr(tw_error_detail(), "access it in parts"));
    TW_CHECK(tw_sim_allocated_bytes(tw_test_device(0)) < MEMORY - MEMORY / 4); /* that was clear from the beginning */
    expect(buffer, 0, PART, 5);
    TW_PASS(tw_buffer_destroy(&buffer));
    for (size_t d = 0; d < 3; ++d)
        tw_test_released(tw_test_device(d));
    tw_test_destroy_queues(queues, 3);
}

TW_TEST(one_device_goes_through_a_larger_buffer)
{
    enum { PARTS = 32, PART = MEMORY / 4 / (int)sizeof(int), COUNT = PARTS * PART };
    use_small_sim(1, MEMORY);
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = make_buffer(COUNT);
    for (int turn = 0; turn < 3; ++turn)
        for (size_t p = 0; p < PARTS; ++p) {
            tw_command_group *cg = tw_queue_begin(queue);
            const tw_access_mode mode = turn ? TW_READ_WRITE : TW_DISCARD_WRITE;
            int *out = tw_access_part(cg, buffer, tw_id_1d(p * PART), tw_range_1d(PART), mode, TW_GLOBAL);
            if (turn)
                tw_parallel_for(cg, tw_range_1d(PART), add_term, .out = out, .term = (int)p);
            else
                tw_parallel_for(cg, tw_range_2d(1, PART), fill, .out = out, .pitch = PART, .column = p);
            TW_PASS(tw_queue_submit(queue, cg, NULL));
        }
    TW_CHECK(tw_sim_allocated_bytes(tw_test_device(0)) <= MEMORY);
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_host_access(buffer, TW_READ, &accessor));
    const int *data = tw_host_accessor_const_data(accessor);
    for (int i = 0; i < COUNT; ++i)
        if (data[i] != 3 * (i / PART) + i % PART)
            TW_EQUAL(data[i], 3 * (i / PART) + i % PART);
    tw_host_accessor_release(&accessor);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Columns of a matrix whose rows are longer than a chunk, and whose elements do not begin where chunks do. */
TW_TEST(columns_are_backed_alone)
{
    enum { ROWS = 12, COLUMNS = 150001, PARTS = 6, WIDTH = COLUMNS / PARTS };
    tw_buffer *buffer = NULL;
    use_small_sim(1, 2 * MEMORY);
    tw_queue *queue = tw_test_queue();
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer)); /* 6.9 MiB */
    for (size_t p = 0; p < PARTS; ++p) {
        const size_t width = p + 1 < PARTS ? WIDTH : COLUMNS - p * WIDTH;
        tw_command_group *cg = tw_queue_begin(queue);
        int *out = tw_discard_write_part(cg, buffer, tw_id_2d(0, p * WIDTH), tw_range_2d(ROWS, width));
        tw_parallel_for(cg, tw_range_2d(ROWS, width), fill, .out = out, .pitch = COLUMNS, .column = p * WIDTH);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    TW_CHECK(tw_sim_allocated_bytes(tw_test_device(0)) <= 2 * MEMORY);
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_host_access(buffer, TW_READ, &accessor));
    const int *data = tw_host_accessor_const_data(accessor);
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < COLUMNS; ++c)
            if (data[r * COLUMNS + c] != 1000 * r + c)
                TW_EQUAL(data[r * COLUMNS + c], 1000 * r + c);
    tw_host_accessor_release(&accessor);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- more buffers than fit --------------------------------------------------------------------------------------- */

enum { SMALL = 100 * KIB / (int)sizeof(int), BUFFERS = 30 };

static void rotate(tw_queue *queue, int turns)
{
    tw_buffer *buffers[BUFFERS];
    for (int b = 0; b < BUFFERS; ++b) {
        buffers[b] = make_buffer(SMALL);
        set(buffers[b], b);
    }
    for (int turn = 0; turn < turns; ++turn)
        for (int b = 0; b < BUFFERS; ++b)
            TW_PASS(submit_add(queue, buffers[b], 100));
    for (int b = 0; b < BUFFERS; ++b) {
        expect(buffers[b], 0, SMALL, b + 100 * turns);
        TW_PASS(tw_buffer_destroy(&buffers[b]));
    }
}

TW_TEST(more_buffers_than_fit)
{
    use_small_sim(1, MEMORY);
    tw_queue *queue = tw_test_queue();
    rotate(queue, 3);
    tw_test_released(tw_test_device(0));
    TW_PASS(tw_queue_destroy(&queue));
}

static void rotate_and_wait(void *queue)
{
    rotate(queue, 3);
}

TW_TEST(the_log_says_what_makes_room)
{
    char said[16384];
    setenv("TW_LOG", "info", 1);
    use_small_sim(1, MEMORY);
    tw_queue *queue = tw_test_queue();
    tw_test_read_errors(rotate_and_wait, queue, said, sizeof said);
    TW_PASS(tw_queue_destroy(&queue));
    TW_CHECK(strstr(said, "teamwork: info: memory: Simulated device 0: "));
    TW_CHECK(strstr(said, "teamwork: info: memory: Simulated device 0 is full: "));
    TW_CHECK(strstr(said, " are copied to the host, to be given up\n"));
}

/* Buffers that are held elsewhere too are given up without a copy, and those first that were used longest ago. */
TW_TEST(what_was_used_longest_ago_goes_first)
{
    use_small_sim(1, 350 * KIB); /* room for three */
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffers[4];
    for (int b = 0; b < 4; ++b) {
        buffers[b] = make_buffer(SMALL);
        set(buffers[b], b);
    }
    const int order[] = {0, 1, 2, 0, 3}; /* 1 makes room for 3 */
    for (int i = 0; i < 5; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_read(cg, buffers[order[i]]);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_queue_wait(queue)); /* what is in use cannot be given up */
    }
    TW_EQUAL(tw_sim_count(tw_test_device(0), TW_SIM_COPY), 4);
    for (int b = 0; b < 4; ++b) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_read(cg, buffers[b == 1 ? 3 : b]);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(tw_sim_count(tw_test_device(0), TW_SIM_COPY), 4);
    TW_PASS(submit_add(queue, buffers[1], 5));
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(tw_sim_count(tw_test_device(0), TW_SIM_COPY), 5);
    expect(buffers[1], 0, SMALL, 6);
    for (int b = 0; b < 4; ++b)
        TW_PASS(tw_buffer_destroy(&buffers[b]));
    TW_PASS(tw_queue_destroy(&queue));
}

static void *rotate_on_thread(void *user)
{
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create_on_device(user, NULL, NULL, &queue));
    rotate(queue, 3);
    TW_PASS(tw_queue_destroy(&queue));
    return NULL;
}

/* Two threads hold an accessor each of a buffer that fills half of the device, with a group behind it, and record an
   access that has no room. At least one of them is told, and then both go on. They begin at once, many times: each may
   choose to wait for the other's group before it can see that the other waits. */
struct full {
    tw_device *device;
    pthread_barrier_t *both;
    bool refused;
};
static void *hold_half(void *user)
{
    struct full *k = user;
    enum { HALF = MEMORY / 2 / sizeof(int) };
    tw_queue *queue = NULL;
    tw_buffer *own = NULL, *more = NULL;
    tw_host_accessor *held = NULL;
    TW_PASS(tw_queue_create_on_device(k->device, NULL, NULL, &queue));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(HALF), &own));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(HALF), &more));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_fill(cg, own, &(int){1});
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_host_access(own, TW_READ, &held));
    TW_PASS(submit_add(queue, own, 1));
    pthread_barrier_wait(k->both);
    const tw_status status = submit_add(queue, more, 1);
    k->refused = status == TW_ERROR_OUT_OF_DEVICE_MEMORY;
    TW_CHECK(status == TW_SUCCESS || (k->refused && strstr(tw_error_detail(), "release the accessors")));
    tw_host_accessor_release(&held);
    TW_PASS(tw_queue_wait(queue));
    expect(own, 0, HALF, 2);
    TW_PASS(tw_buffer_destroy(&own));
    TW_PASS(tw_buffer_destroy(&more));
    TW_PASS(tw_queue_destroy(&queue));
    return NULL;
}

TW_TEST(two_threads_do_not_wait_for_each_other)
{
    pthread_t thread;
    pthread_barrier_t both;
    use_small_sim(1, MEMORY);
    pthread_barrier_init(&both, NULL, 2);
    for (int round = 0; round < 50; ++round) {
        struct full one = {tw_test_device(0), &both, false}, two = one;
        TW_CHECK(pthread_create(&thread, NULL, hold_half, &two) == 0);
        hold_half(&one);
        TW_CHECK(pthread_join(thread, NULL) == 0);
        TW_CHECK(one.refused || two.refused);
    }
    pthread_barrier_destroy(&both);
}

TW_TEST(threads_share_a_full_device)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    use_small_sim(1, MEMORY);
    tw_device *device = tw_test_device(0);
    for (int t = 0; t < THREADS; ++t)
        TW_EQUAL(pthread_create(&threads[t], NULL, rotate_on_thread, device), 0);
    for (int t = 0; t < THREADS; ++t)
        pthread_join(threads[t], NULL);
    tw_test_released(device);
}

/* Several threads go through one large buffer, each through parts of its own and through some that all read. */
struct walk {
    tw_device *device;
    tw_buffer *buffer;
    size_t first, parts;
};
enum { WALK_PART = 32 * KIB };

static void *walk(void *user)
{
    const struct walk *own = user;
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create_on_device(own->device, NULL, NULL, &queue));
    for (int turn = 0; turn < 4; ++turn)
        for (size_t p = own->first; p < own->first + own->parts; ++p) {
            tw_command_group *cg = tw_queue_begin(queue);
            int *out = tw_read_write_part(cg, own->buffer, tw_id_1d(p * WALK_PART), tw_range_1d(WALK_PART));
            tw_read_part(cg, own->buffer, tw_id_1d(0), tw_range_1d(100));
            tw_parallel_for(cg, tw_range_1d(WALK_PART), add_term, .out = out, .term = (int)p);
            TW_PASS(tw_queue_submit(queue, cg, NULL));
        }
    TW_PASS(tw_queue_destroy(&queue));
    return NULL;
}

TW_TEST(threads_go_through_one_larger_buffer)
{
    enum { THREADS = 3, EACH = 8, COUNT = (THREADS * EACH + 1) * WALK_PART };
    pthread_t threads[THREADS];
    struct walk walks[THREADS];
    use_small_sim(1, MEMORY);
    tw_device *device = tw_test_device(0);
    tw_buffer *buffer = make_buffer(COUNT);
    set(buffer, 7);
    for (size_t t = 0; t < THREADS; ++t) {
        walks[t] = (struct walk){device, buffer, 1 + t * EACH, EACH};
        TW_EQUAL(pthread_create(&threads[t], NULL, walk, &walks[t]), 0);
    }
    for (int t = 0; t < THREADS; ++t)
        pthread_join(threads[t], NULL);
    for (int p = 0; p <= THREADS * EACH; ++p)
        expect(buffer, (size_t)p * WALK_PART, (size_t)(p + 1) * WALK_PART, 7 + 4 * p);
    TW_PASS(tw_buffer_destroy(&buffer));
    tw_test_released(device);
}

/* ---- what stays -------------------------------------------------------------------------------------------------- */

TW_TEST(open_groups_and_recorded_ones_keep_their_memory)
{
    use_small_sim(1, 350 * KIB); /* room for three */
    tw_queue *queue = tw_test_queue();
    tw_buffer *open = make_buffer(SMALL), *recorded = make_buffer(SMALL), *large = NULL, *others[3];
    set(open, 1);
    set(recorded, 2);
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_begin_recording(queue));
    TW_PASS(submit_add(queue, recorded, 1));
    TW_PASS(tw_queue_end_recording(queue, &graph));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(SMALL), add_term, .out = tw_read_write(cg, open), .term = 1);
    for (int b = 0; b < 3; ++b) {
        others[b] = make_buffer(SMALL);
        set(others[b], b);
        TW_PASS(submit_add(queue, others[b], 1)); /* each in the place of the one before */
    }
    large = make_buffer(2 * SMALL);
    TW_FAIL(submit_add(queue, large, 1), TW_ERROR_OUT_OF_DEVICE_MEMORY);
    TW_CHECK(strstr(tw_error_detail(),
                    "of its 358400 bytes the program's buffers have 204800, of which commands use 0, "
                    "groups that are not submitted and recorded ones 204800, and 0 are idle"));
    TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait(queue));
    tw_command_graph_destroy(&graph);
    set(large, 5);
    TW_PASS(submit_add(queue, large, 1));
    expect(large, 0, 2 * SMALL, 6);
    expect(open, 0, SMALL, 2);
    expect(recorded, 0, SMALL, 3);
    for (int b = 0; b < 3; ++b) {
        expect(others[b], 0, SMALL, b + 1);
        TW_PASS(tw_buffer_destroy(&others[b]));
    }
    TW_PASS(tw_buffer_destroy(&open));
    TW_PASS(tw_buffer_destroy(&recorded));
    TW_PASS(tw_buffer_destroy(&large));
    TW_PASS(tw_queue_destroy(&queue));
}

/* The same for parts: the memory of an open group's part stays, that of others goes. */
TW_TEST(parts_of_open_groups_keep_their_memory)
{
    enum { PART = MEMORY / 4 / (int)sizeof(int), PARTS = 12 };
    use_small_sim(1, MEMORY);
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = make_buffer(PARTS * PART);
    set(buffer, 1);
    tw_command_group *cg = tw_queue_begin(queue);
    int *out = tw_read_write_part(cg, buffer, tw_id_1d(0), tw_range_1d(PART));
    tw_parallel_for(cg, tw_range_1d(PART), add_term, .out = out, .term = 10);
    for (size_t p = 1; p < PARTS; ++p)
        TW_PASS(submit_add_part(queue, buffer, p * PART, PART, (int)p));
    TW_FAIL(submit_add_part(queue, buffer, PART, 4 * PART, 1), TW_ERROR_OUT_OF_DEVICE_MEMORY);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(submit_add_part(queue, buffer, 0, 3 * PART, 100));
    expect(buffer, 0, PART, 111);
    expect(buffer, PART, 2 * PART, 102);
    for (size_t p = 3; p < PARTS; ++p)
        expect(buffer, p * PART, (p + 1) * PART, 1 + (int)p);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

struct adder {
    tw_queue *queue;
    tw_buffer *buffer;
};
static void *add_one(void *user)
{
    const struct adder *adder = user;
    TW_PASS(submit_add(adder->queue, adder->buffer, 1));
    return NULL;
}

/* A kernel of the queue that adds 1 to a buffer once `before` can be read. */
static void submit_behind(tw_queue *queue, tw_buffer *before, tw_buffer *buffer)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_read(cg, before);
    tw_parallel_for(cg, tw_range_1d(SMALL), add_term, .out = tw_read_write(cg, buffer), .term = 1);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

TW_TEST(memory_in_use_is_waited_for)
{
    struct tw_gate gate;
    pthread_t thread;
    use_small_sim(1, 150 * KIB); /* room for one */
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_test_device(0);
    tw_buffer *one = make_buffer(SMALL), *other = make_buffer(SMALL);
    set(one, 1);
    set(other, 2);
    tw_gate_shut(&gate);
    submit_behind(queue, gate.buffer, one);
    const uint64_t before = tw_sim_count(device, TW_SIM_ALLOCATION);
    TW_EQUAL(pthread_create(&thread, NULL, add_one, &(struct adder){queue, other}), 0);
    while (tw_sim_count(device, TW_SIM_ALLOCATION) == before) /* until it has found no room */
        sched_yield();
    tw_gate_open(&gate);
    pthread_join(thread, NULL);
    TW_PASS(submit_add(queue, one, 1));
    expect(one, 0, SMALL, 3);
    expect(other, 0, SMALL, 3);
    tw_gate_free(&gate);
    TW_PASS(tw_buffer_destroy(&one));
    TW_PASS(tw_buffer_destroy(&other));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_thread_does_not_wait_for_itself)
{
    use_small_sim(1, 150 * KIB); /* room for one */
    tw_queue *queue = tw_test_queue();
    tw_buffer *one = make_buffer(SMALL), *other = make_buffer(SMALL), *held = make_buffer(1);
    tw_host_accessor *accessor = NULL;
    set(one, 1);
    set(other, 2);
    TW_PASS(tw_host_access(held, TW_DISCARD_WRITE, &accessor));
    submit_behind(queue, held, one);
    TW_FAIL(submit_add(queue, other, 1), TW_ERROR_OUT_OF_DEVICE_MEMORY);
    TW_CHECK(strstr(tw_error_detail(), "of which commands use 102404"));
    tw_host_accessor_release(&accessor);
    TW_PASS(submit_add(queue, other, 1));
    expect(one, 0, SMALL, 2);
    expect(other, 0, SMALL, 3);
    tw_event *event = NULL;
    TW_PASS(tw_event_create_user(&event));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_depends_on(cg, event);
    tw_parallel_for(cg, tw_range_1d(SMALL), add_term, .out = tw_read_write(cg, one), .term = 1);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_FAIL(submit_add(queue, other, 1), TW_ERROR_OUT_OF_DEVICE_MEMORY);
    TW_PASS(tw_event_complete(event, TW_SUCCESS));
    TW_PASS(submit_add(queue, other, 1));
    tw_event_release(&event);
    expect(one, 0, SMALL, 3);
    expect(other, 0, SMALL, 4);
    TW_PASS(tw_buffer_destroy(&held));
    TW_PASS(tw_buffer_destroy(&one));
    TW_PASS(tw_buffer_destroy(&other));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

TW_TEST(a_copy_that_fails_loses_nothing)
{
    use_small_sim(1, 150 * KIB); /* room for one */
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_test_device(0);
    tw_buffer *one = make_buffer(SMALL), *other = make_buffer(SMALL);
    set(one, 1);
    set(other, 2);
    TW_PASS(submit_add(queue, one, 1));
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_COPY, 1));
    TW_FAIL(submit_add(queue, other, 1), TW_ERROR_OUT_OF_DEVICE_MEMORY);
    TW_CHECK(strstr(tw_error_detail(), "simulated fault"));
    TW_PASS(submit_add(queue, other, 1));
    TW_PASS(submit_add(queue, one, 1));
    expect(one, 0, SMALL, 3);
    expect(other, 0, SMALL, 3);
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_destroy(&one));
    TW_PASS(tw_buffer_destroy(&other));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Each n-th operation fails once, while buffers rotate: a group that is refused, or that failed, changes nothing else. */
/* Contents that are lost are given up without a copy, which would fail for ever; of a buffer that is lost in part, the rest
   stays on the device, and others make room. */
TW_TEST(lost_contents_make_room)
{
    enum { COUNT = 64 * KIB, BUFFERS = 8 }; /* four fit */
    use_small_sim(1, MEMORY);
    for (int part = 0; part < 2; ++part) {
        tw_queue *queue = tw_test_queue();
        tw_device *device = tw_queue_device(queue);
        tw_buffer *lost = make_buffer(COUNT), *others[BUFFERS];
        const int zero = 0;
        tw_command_group *cg = tw_queue_begin(queue);
        tw_fill(cg, lost, &zero);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_sim_fail_nth(device, TW_SIM_LAUNCH, 1));
        cg = tw_queue_begin(queue);
        const size_t written = part ? COUNT / 2 : COUNT;
        tw_parallel_for(cg, tw_range_1d(written), add_term,
                        .out = tw_read_write_part(cg, lost, tw_id_1d(0), tw_range_1d(written)), .term = 1);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_FAIL(tw_queue_wait(queue), TW_ERROR_LAUNCH_FAILED);
        for (int i = 0; i < BUFFERS; ++i) {
            others[i] = make_buffer(COUNT);
            cg = tw_queue_begin(queue);
            tw_fill(cg, others[i], &i);
            TW_PASS(tw_queue_submit(queue, cg, NULL));
        }
        TW_PASS(tw_queue_wait(queue));
        for (int i = 0; i < BUFFERS; ++i)
            expect(others[i], 0, COUNT, i);
        tw_host_accessor *accessor = NULL;
        TW_FAIL(tw_host_access(lost, TW_READ, &accessor), TW_ERROR_DATA_LOST);
        if (part) {
            TW_PASS(tw_host_access_part(lost, tw_id_1d(written), tw_range_1d(COUNT - written), TW_READ, &accessor));
            TW_EQUAL(*(const int *)tw_host_accessor_const_data(accessor), 0);
            TW_PASS(tw_host_accessor_release(&accessor));
        }
        cg = tw_queue_begin(queue); /* it is whole again */
        tw_fill(cg, lost, &(int){7});
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        expect(lost, 0, COUNT, 7);
        tw_test_destroy_buffers(others, BUFFERS);
        TW_PASS(tw_buffer_destroy(&lost));
        TW_PASS(tw_queue_destroy(&queue));
    }
}

TW_TEST(every_fault_while_room_is_made)
{
    enum { COUNT = 4, MOST = 100 };
    use_small_sim(1, 250 * KIB); /* room for two */
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_test_device(0);
    for (int o = TW_SIM_ALLOCATION; o <= TW_SIM_COPY; ++o) {
        bool fired = true;
        for (uint64_t n = 1; fired; ++n) {
            TW_CHECK(n < MOST);
            tw_buffer *buffers[COUNT];
            int values[COUNT];
            for (int b = 0; b < COUNT; ++b) {
                buffers[b] = make_buffer(SMALL);
                set(buffers[b], values[b] = b);
            }
            TW_PASS(tw_sim_reset(device));
            TW_PASS(tw_sim_fail_nth(device, (tw_sim_operation)o, n));
            int failures = 0;
            for (int i = 0; i < 3 * COUNT; ++i) {
                const tw_status status = submit_add(queue, buffers[i % COUNT], 1);
                failures += status != TW_SUCCESS;
                if (status != TW_SUCCESS)
                    TW_EQUAL(status, TW_ERROR_OUT_OF_DEVICE_MEMORY);
                else if (tw_queue_wait(queue) == TW_SUCCESS)
                    ++values[i % COUNT];
                else /* the copy to the device failed: the contents are lost to the device, which was to write them */
                    ++failures, values[i % COUNT] = -1;
                if (values[i % COUNT] < 0)
                    set(buffers[i % COUNT], values[i % COUNT] = 50);
            }
            fired = tw_sim_count(device, (tw_sim_operation)o) >= n;
            TW_EQUAL(failures, fired);
            TW_PASS(tw_sim_reset(device));
            for (int b = 0; b < COUNT; ++b) {
                expect(buffers[b], 0, SMALL, values[b]);
                TW_PASS(tw_buffer_destroy(&buffers[b]));
            }
            tw_test_released(device);
        }
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(wrong_sizes_are_refused)
{
    tw_device *device = NULL;
    tw_test_use_sim(1);
    setenv("TW_SIM_MEMORY", "1 MB", 1);
    TW_FAIL(tw_select_device(NULL, NULL, &device), TW_ERROR_INVALID_CONFIGURATION);
    use_small_sim(1, 12345);
    tw_queue *queue = tw_test_queue();
    size_t bytes = 0;
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_GLOBAL_MEM_SIZE, &bytes, sizeof bytes));
    TW_EQUAL(bytes, 12345);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {
    TW_CASE(a_buffer_larger_than_each_device_is_split_over_three),
    TW_CASE(one_device_goes_through_a_larger_buffer),
    TW_CASE(columns_are_backed_alone),
    TW_CASE(more_buffers_than_fit),
    TW_CASE(the_log_says_what_makes_room),
    TW_CASE(what_was_used_longest_ago_goes_first),
    TW_CASE(threads_share_a_full_device),
    TW_CASE(threads_go_through_one_larger_buffer),
    TW_CASE(open_groups_and_recorded_ones_keep_their_memory),
    TW_CASE(parts_of_open_groups_keep_their_memory),
    TW_CASE(memory_in_use_is_waited_for),
    TW_CASE(a_thread_does_not_wait_for_itself),
    TW_CASE(two_threads_do_not_wait_for_each_other),
    TW_CASE(a_copy_that_fails_loses_nothing),
    TW_CASE(lost_contents_make_room),
    TW_CASE(every_fault_while_room_is_made),
    TW_CASE(wrong_sizes_are_refused),
    TW_CASES_END,
};
