/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * usm.h: copies, fills and hints of unified shared memory as the steps of command groups: between all kinds of memory,
 * in their order behind events and in queues, in command graphs, and with faults and counts of simulated devices.
 */
#include "step_kernel.h"

#include <sched.h>
#include <teamwork/atomic.h>
#include <teamwork/command_graph.h>
#include <teamwork/event.h>

enum { BYTES = 5000, ROUNDS = 40, N = 300 };

/* ---- memory of each kind ----------------------------------------------------------------------------------------- */

enum kind { DEVICE, SHARED, HOST, PROGRAM, KINDS };

/* Returns NULL if the device has no such memory. */
static unsigned char *make(enum kind kind, tw_device *device, size_t bytes)
{
    return kind == DEVICE   ? tw_malloc_device(device, bytes)
           : kind == SHARED ? tw_malloc_shared(device, bytes)
           : kind == HOST   ? tw_malloc_host(bytes)
                            : malloc(bytes);
}

static void drop(enum kind kind, void *memory)
{
    if (kind == PROGRAM)
        free(memory);
    else
        tw_free(memory);
}

/* On the device whose memory the cases allocate. */
static tw_queue *in_order_queue(void)
{
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create_with_properties(NULL, tw_test_device(0), TW_QUEUE_IN_ORDER, NULL, NULL, &queue));
    return queue;
}

static unsigned char byte_of(size_t i, unsigned seed)
{
    return (unsigned char)(i * 7 + i / 256 + seed);
}

static void number(unsigned char *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; ++i)
        bytes[i] = byte_of(i, seed);
}

/* Copies a part from memory of one kind to memory of another, and looks at all of the latter. */
static void check_copy(tw_queue *queue, unsigned char *to, unsigned char *from, size_t to_at, size_t from_at,
                       size_t count)
{
    static unsigned char first[BYTES], second[BYTES], expected[BYTES], got[BYTES];
    number(first, BYTES, 1);
    number(second, BYTES, 100);
    memcpy(expected, second, BYTES);
    memcpy(expected + to_at, first + from_at, count);
    memset(got, 0, BYTES);
    TW_PASS(tw_queue_memcpy(queue, from, first, BYTES, NULL));
    TW_PASS(tw_queue_memcpy(queue, to, second, BYTES, NULL));
    TW_PASS(tw_queue_memcpy(queue, to + to_at, from + from_at, count, NULL));
    TW_PASS(tw_queue_memcpy(queue, got, to, BYTES, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_CHECK(memcmp(got, expected, BYTES) == 0);
}

static void check_kinds(tw_queue *queue, tw_device *to_device, tw_device *from_device)
{
    for (int to_kind = 0; to_kind < KINDS; ++to_kind)
        for (int from_kind = 0; from_kind < KINDS; ++from_kind) {
            unsigned char *to = make((enum kind)to_kind, to_device, BYTES);
            unsigned char *from = make((enum kind)from_kind, from_device, BYTES);
            TW_CHECK((to || to_kind == SHARED) && (from || from_kind == SHARED));
            snprintf(tw_test_state.note, sizeof tw_test_state.note, "from kind %d to kind %d", from_kind, to_kind);
            if (to && from) {
                check_copy(queue, to, from, 0, 0, BYTES);
                check_copy(queue, to, from, 17, 1003, 1);
                check_copy(queue, to, from, 1001, 3, 2999);
                check_copy(queue, to, from, 5, 6, 0);
            }
            drop((enum kind)to_kind, to);
            drop((enum kind)from_kind, from);
        }
    tw_test_state.note[0] = '\0';
}

TW_TEST(copies_go_between_all_kinds_of_memory)
{
    tw_queue *queue = in_order_queue();
    check_kinds(queue, tw_test_device(0), tw_test_device(0));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Between two devices, by a queue on either, and on the host. */
TW_TEST(copies_go_between_devices)
{
    tw_device *devices[4];
    const size_t count = tw_test_devices(devices, 4);
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < count; ++k) {
            tw_queue *queue = NULL;
            TW_PASS(tw_queue_create_with_properties(NULL, devices[k], TW_QUEUE_IN_ORDER, NULL, NULL, &queue));
            if (i != k && count > 1)
                check_kinds(queue, devices[i], devices[(i + 1) % count]);
            TW_PASS(tw_queue_destroy(&queue));
        }
}

/* Between a simulated device and one that does not know it: by host memory. A GPU's own memory is refused. */
static void check_strangers(tw_queue *queue, tw_device *sim, tw_device *other)
{
    unsigned char *x = tw_malloc_device(sim, BYTES), *y = tw_malloc_device(other, BYTES),
                  *shared = tw_malloc_shared(other, BYTES);
    TW_CHECK(x && y);
    if (shared)
        check_copy(queue, x, shared, 1, 2, BYTES - 2);
    if (shared)
        check_copy(queue, shared, x, 2, 1, BYTES - 2);
    if (tw_device_is_gpu(other)) {
        tw_buffer *buffer = NULL;
        TW_FAIL(tw_queue_memcpy(queue, x, y, BYTES, NULL), TW_ERROR_UNSUPPORTED);
        TW_PASS(tw_buffer_create(1, tw_range_1d(BYTES), &buffer));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_copy_to(cg, buffer, tw_queue_device(queue) == sim ? y : x);
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_UNSUPPORTED);
        TW_PASS(tw_buffer_destroy(&buffer));
    } else {
        check_copy(queue, x, y, 1, 2, BYTES - 2);
    }
    tw_free(x);
    tw_free(y);
    tw_free(shared);
}

TW_TEST(copies_go_between_devices_of_different_kinds)
{
    tw_device *devices[8], *sim = NULL;
    TW_PASS(tw_shutdown());
    setenv("TW_SIM", "1", 1);
    unsetenv("TW_DEVICES");
    const size_t count = tw_test_devices(devices, 8);
    for (size_t i = 0; i < count; ++i)
        if (tw_sim_selector(devices[i], NULL) >= 0)
            sim = devices[i];
    TW_CHECK(sim && count > 1);
    for (size_t i = 0; i < 2 * count; ++i) {
        tw_queue *queue = NULL;
        if (devices[i / 2] == sim)
            continue;
        TW_PASS(
            tw_queue_create_with_properties(NULL, i % 2 ? sim : devices[i / 2], TW_QUEUE_IN_ORDER, NULL, NULL, &queue));
        check_strangers(queue, sim, devices[i / 2]);
        TW_PASS(tw_queue_destroy(&queue));
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

enum { MOST_PITCH = 60, MOST_ROWS = 12, PLANE = MOST_PITCH * MOST_ROWS };

static void copy_rows(unsigned char *to, size_t to_pitch, const unsigned char *from, size_t from_pitch,
                      size_t row_bytes, size_t rows)
{
    for (size_t row = 0; row < rows; ++row)
        memcpy(to + row * to_pitch, from + row * from_pitch, row_bytes);
}

TW_TEST(rows_are_copied)
{
    tw_queue *queue = in_order_queue();
    tw_device *device = tw_test_device(0);
    unsigned char first[PLANE], expected[PLANE], got[PLANE];
    uint64_t random = 12345;
    for (int round = 0; round < 4 * ROUNDS; ++round) {
        const size_t row_bytes = 1 + tw_test_random(&random, 20), rows = 1 + tw_test_random(&random, MOST_ROWS);
        const size_t to_pitch = row_bytes + tw_test_random(&random, MOST_PITCH - 20),
                     from_pitch = row_bytes + tw_test_random(&random, MOST_PITCH - 20);
        const enum kind to_kind = (enum kind)(round % KINDS), from_kind = (enum kind)(round / KINDS % KINDS);
        unsigned char *to = make(to_kind, device, PLANE), *from = make(from_kind, device, PLANE);
        number(first, PLANE, 3);
        number(expected, PLANE, 77);
        if (to && from) {
            TW_PASS(tw_queue_memcpy(queue, from, first, PLANE, NULL));
            TW_PASS(tw_queue_memcpy(queue, to, expected, PLANE, NULL));
            tw_command_group *cg = tw_queue_begin(queue);
            tw_memcpy_2d(cg, to, to_pitch, from, from_pitch, row_bytes, rows);
            TW_PASS(tw_queue_submit(queue, cg, NULL));
            copy_rows(expected, to_pitch, first, from_pitch, row_bytes, rows);
            TW_PASS(tw_queue_memcpy(queue, got, to, PLANE, NULL));
            TW_PASS(tw_queue_wait_and_throw(queue));
            TW_CHECK(memcmp(got, expected, PLANE) == 0);
        }
        drop(to_kind, to);
        drop(from_kind, from);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

static bool rows_overlap(size_t to, size_t to_pitch, size_t from, size_t from_pitch, size_t row_bytes, size_t rows)
{
    for (size_t i = 0; i < rows; ++i)
        for (size_t k = 0; k < rows; ++k) {
            const size_t a = to + i * to_pitch, b = from + k * from_pitch;
            if (a < b + row_bytes && b < a + row_bytes)
                return true;
        }
    return false;
}

/* Within one allocation, rows of equal pitch may lie between each other; what overlaps is refused, and only that. */
TW_TEST(overlapping_rows_are_refused)
{
    tw_queue *queue = in_order_queue();
    unsigned char *memory = tw_malloc_device(tw_test_device(0), (size_t)4 * PLANE);
    unsigned char expected[4 * PLANE], got[4 * PLANE];
    uint64_t random = 99;
    int refused = 0;
    TW_CHECK(memory);
    for (int round = 0; round < 8 * ROUNDS; ++round) {
        const size_t row_bytes = 1 + tw_test_random(&random, 20), rows = 1 + tw_test_random(&random, MOST_ROWS);
        const size_t pitch = row_bytes + tw_test_random(&random, MOST_PITCH - 20),
                     to = tw_test_random(&random, 2 * PLANE), from = tw_test_random(&random, 2 * PLANE);
        const bool overlaps = rows_overlap(to, pitch, from, pitch, row_bytes, rows);
        number(expected, sizeof expected, (unsigned)round);
        TW_PASS(tw_queue_memcpy(queue, memory, expected, sizeof expected, NULL));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_memcpy_2d(cg, memory + to, pitch, memory + from, pitch, row_bytes, rows);
        const tw_status status = tw_queue_submit(queue, cg, NULL);
        TW_EQUAL(status, overlaps ? TW_ERROR_INVALID_RANGE : TW_SUCCESS);
        refused += overlaps;
        if (!overlaps)
            copy_rows(expected + to, pitch, expected + from, pitch, row_bytes, rows);
        TW_PASS(tw_queue_memcpy(queue, got, memory, sizeof got, NULL));
        TW_PASS(tw_queue_wait_and_throw(queue));
        TW_CHECK(memcmp(got, expected, sizeof got) == 0);
    }
    TW_CHECK(refused > 10 && refused < 8 * ROUNDS - 10);
    tw_free(memory);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- fills ------------------------------------------------------------------------------------------------------- */

static void check_fill(tw_queue *queue, unsigned char *memory, size_t at, size_t value_bytes, size_t count)
{
    static unsigned char expected[BYTES], got[BYTES], value[64];
    number(expected, BYTES, 9);
    number(value, sizeof value, 200 + (unsigned)value_bytes);
    TW_PASS(tw_queue_memcpy(queue, memory, expected, BYTES, NULL));
    TW_PASS(tw_queue_mem_fill(queue, memory + at, value, value_bytes, count, NULL));
    for (size_t i = 0; i < count; ++i)
        memcpy(expected + at + i * value_bytes, value, value_bytes);
    memset(value, 0, sizeof value); /* was read already */
    TW_PASS(tw_queue_memcpy(queue, got, memory, BYTES, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_CHECK(memcmp(got, expected, BYTES) == 0);
}

TW_TEST(fills_set_what_they_name_and_no_more)
{
    tw_queue *queue = in_order_queue();
    for (int kind = 0; kind < PROGRAM; ++kind) {
        unsigned char *memory = make((enum kind)kind, tw_test_device(0), BYTES), got[BYTES];
        if (!memory)
            continue;
        for (size_t value_bytes = 1; value_bytes <= 16; ++value_bytes) {
            check_fill(queue, memory, value_bytes * 3, value_bytes, 200);
            check_fill(queue, memory, 1, value_bytes, 1);
        }
        check_fill(queue, memory, 48, 40, 3);
        check_fill(queue, memory, 7, 3, 0);
        TW_PASS(tw_queue_memset(queue, memory, 0x1ab, BYTES, NULL)); /* the low bits */
        TW_PASS(tw_queue_memcpy(queue, got, memory, BYTES, NULL));
        TW_PASS(tw_queue_wait_and_throw(queue));
        for (size_t i = 0; i < BYTES; ++i)
            TW_EQUAL(got[i], 0xab);
        tw_free(memory);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* A step of unified shared memory. */
static void submit_usm_step(tw_queue *queue, unsigned *x, unsigned term)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), step, .x = x, .term = term);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

/* Kernels and copies of an in-order queue, from one memory to the next. */
TW_TEST(an_in_order_queue_orders_kernels_and_copies)
{
    tw_queue *queue = in_order_queue();
    tw_device *device = tw_test_device(0);
    unsigned *x = tw_malloc_device(device, N * sizeof *x), *y = tw_malloc_device(device, N * sizeof *y),
             *z = tw_malloc_host(N * sizeof *z), expected = 5;
    TW_CHECK(x && y && z);
    TW_PASS(tw_queue_mem_fill(queue, x, &expected, sizeof expected, N, NULL));
    for (unsigned i = 0; i < ROUNDS; ++i) {
        submit_usm_step(queue, x, i);
        TW_PASS(tw_queue_memcpy(queue, y, x, N * sizeof *x, NULL));
        TW_PASS(tw_queue_memset(queue, x, 0xff, N * sizeof *x, NULL));
        submit_usm_step(queue, y, i);
        TW_PASS(tw_queue_memcpy(queue, z, y, N * sizeof *x, NULL));
        TW_PASS(tw_queue_memset(queue, y, 0x11, N * sizeof *x, NULL));
        TW_PASS(tw_queue_memcpy(queue, x, z, N * sizeof *x, NULL));
        expected = 3 * (3 * expected + i) + i;
    }
    TW_PASS(tw_queue_wait_and_throw(queue));
    for (size_t i = 0; i < N; ++i)
        TW_EQUAL(z[i], expected);
    tw_free(x);
    tw_free(y);
    tw_free(z);
    TW_PASS(tw_queue_destroy(&queue));
}

static tw_event *submit_behind(tw_queue *queue, tw_command_group *cg)
{
    tw_event *event = NULL;
    TW_PASS(tw_queue_submit(queue, cg, &event));
    return event;
}

/* A chain of steps behind an event of the program: none begins before, and they keep their order. */
TW_TEST(events_order_steps)
{
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_test_device(0);
    unsigned char *on_device = tw_malloc_device(device, BYTES), *on_host = tw_malloc_host(BYTES), program[BYTES];
    tw_event *event = NULL, *last = NULL;
    TW_CHECK(on_device && on_host);
    memset(on_host, 1, BYTES);
    memset(program, 2, BYTES);
    TW_PASS(tw_event_create_user(&event));
    tw_event *events[4] = {event};
    tw_command_group *cg = tw_queue_begin(queue);
    tw_depends_on(cg, events[0]);
    tw_memset(cg, on_device, 3, BYTES);
    events[1] = submit_behind(queue, cg);
    cg = tw_queue_begin(queue);
    tw_depends_on(cg, events[1]);
    tw_memcpy(cg, on_host, on_device, BYTES);
    events[2] = submit_behind(queue, cg);
    cg = tw_queue_begin(queue);
    tw_depends_on(cg, events[2]);
    tw_memcpy(cg, program, on_host, BYTES);
    events[3] = submit_behind(queue, cg);
    cg = tw_queue_begin(queue);
    tw_depends_on(cg, events[3]);
    tw_memcpy(cg, NULL, NULL, 0); /* does nothing, in its place */
    last = submit_behind(queue, cg);
    for (int i = 1; i < 4; ++i)
        TW_EQUAL(tw_event_get_state(events[i]), TW_EVENT_PENDING);
    TW_EQUAL(tw_event_get_state(last), TW_EVENT_PENDING);
    TW_EQUAL(on_host[0], 1);
    TW_EQUAL(program[0], 2);
    TW_PASS(tw_event_complete(event, TW_SUCCESS));
    TW_PASS(tw_event_wait(last));
    for (size_t i = 0; i < BYTES; ++i)
        TW_CHECK(on_host[i] == 3 && program[i] == 3);
    for (int i = 0; i < 4; ++i)
        tw_event_release(&events[i]);
    tw_event_release(&last);
    tw_free(on_device);
    tw_free(on_host);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Accessors of its group order a step, too. */
TW_TEST(accessors_order_steps)
{
    tw_queue *queue = tw_test_queue();
    unsigned *x = tw_malloc_host(N * sizeof *x);
    tw_buffer *token = NULL;
    TW_CHECK(x);
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(1), &token));
    for (unsigned i = 0; i < ROUNDS; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        (void)tw_read_write(cg, token);
        if (i == 0)
            tw_memset(cg, x, 1, N * sizeof *x);
        else
            tw_parallel_for(cg, tw_range_1d(N), step, .x = x, .term = i);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    TW_PASS(tw_queue_wait_and_throw(queue));
    unsigned expected = 0x01010101;
    for (unsigned i = 1; i < ROUNDS; ++i)
        expected = 3 * expected + i;
    for (size_t i = 0; i < N; ++i)
        TW_EQUAL(x[i], expected);
    tw_free(x);
    TW_PASS(tw_buffer_destroy(&token));
    TW_PASS(tw_queue_destroy(&queue));
}

struct held {
    int *gate; /* started, and open */
};
static inline void held(const struct held *k)
{
    tw_atomic_store(&k->gate[0], 1, TW_ORDER_RELEASE, TW_SCOPE_SYSTEM);
    while (!tw_atomic_load(&k->gate[1], TW_ORDER_ACQUIRE, TW_SCOPE_SYSTEM)) {
    }
}
TW_SINGLE_TASK(held);

/* While a kernel runs on a stream, steps behind it are on the stream already: the device was asked for them. */
TW_TEST(steps_follow_kernels_on_streams_without_the_host)
{
    setenv("TW_SIM_ASYNC", "1", 1);
    tw_test_use_sim(1);
    tw_queue *queue = in_order_queue();
    tw_device *device = tw_test_device(0);
    int *gate = tw_malloc_host(2 * sizeof *gate);
    unsigned *x = tw_malloc_device(device, N * sizeof *x), *y = tw_malloc_shared(device, N * sizeof *y),
             *z = tw_malloc_host(N * sizeof *z);
    TW_CHECK(gate && x && y && z);
    memset(gate, 0, 2 * sizeof *gate);
    TW_PASS(tw_sim_reset(device));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, held, .gate = gate);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_memset(queue, x, 0, N * sizeof *x, NULL));
    submit_usm_step(queue, x, 7);
    TW_PASS(tw_queue_mem_prefetch(queue, y, N * sizeof *y, NULL));
    TW_PASS(tw_queue_memcpy(queue, y, x, N * sizeof *x, NULL));
    TW_PASS(tw_queue_memcpy(queue, z, y, N * sizeof *x, NULL));
    while (tw_sim_count(device, TW_SIM_COPY) < 4) /* else the watchdog ends the test */
        sched_yield();
    tw_atomic_store(&gate[1], 1, TW_ORDER_RELEASE, TW_SCOPE_SYSTEM);
    TW_PASS(tw_queue_wait_and_throw(queue));
    for (size_t i = 0; i < N; ++i)
        TW_EQUAL(z[i], 7);
    TW_EQUAL(tw_sim_copied_bytes(device), 3 * N * sizeof *x); /* a fill is no copy */
    tw_free(gate);
    tw_free(x);
    tw_free(y);
    tw_free(z);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

enum { ROWS = 20, COLUMNS = 15, PART_ROWS = 6, PART_COLUMNS = 4 };

/* A part of a buffer goes to memory of each kind, through a kernel there, and back to another place. */
static void check_buffer(tw_queue *queue, enum kind kind, tw_device *device)
{
    const tw_range part = tw_range_2d(PART_ROWS, PART_COLUMNS);
    unsigned contents[ROWS * COLUMNS], got[ROWS * COLUMNS];
    unsigned *x = (unsigned *)(void *)make(kind, device, PART_ROWS * PART_COLUMNS * sizeof *x);
    tw_buffer *buffer = NULL;
    if (!x)
        return;
    for (unsigned i = 0; i < ROWS * COLUMNS; ++i)
        contents[i] = i;
    TW_PASS(tw_buffer_create_copy(contents, sizeof *x, tw_range_2d(ROWS, COLUMNS), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_copy_to_part(cg, buffer, tw_id_2d(2, 3), part, x);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    if (kind != PROGRAM && device == tw_queue_device(queue)) {
        cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(PART_ROWS * PART_COLUMNS), step, .x = x, .term = 1);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    cg = tw_queue_begin(queue);
    tw_copy_from_part(cg, buffer, tw_id_2d(11, 9), part, x);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_read(buffer, got));
    for (unsigned i = 0; i < PART_ROWS; ++i)
        for (unsigned k = 0; k < PART_COLUMNS; ++k) {
            unsigned value = contents[(2 + i) * COLUMNS + 3 + k];
            if (kind != PROGRAM && device == tw_queue_device(queue))
                value = 3 * value + 1;
            contents[(11 + i) * COLUMNS + 9 + k] = value;
        }
    TW_CHECK(memcmp(got, contents, sizeof got) == 0);
    TW_PASS(tw_queue_wait_and_throw(queue));
    drop(kind, x);
    TW_PASS(tw_buffer_destroy(&buffer));
}

TW_TEST(buffers_are_copied_to_and_from_all_kinds)
{
    tw_device *devices[4];
    const size_t count = tw_test_devices(devices, 4);
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < count; ++k) {
            tw_queue *queue = NULL;
            TW_PASS(tw_queue_create_with_properties(NULL, devices[k], TW_QUEUE_IN_ORDER, NULL, NULL, &queue));
            for (int kind = 0; kind < KINDS; ++kind)
                check_buffer(queue, (enum kind)kind, devices[i]);
            TW_PASS(tw_queue_destroy(&queue));
        }
}

TW_TEST(mistakes_with_buffers_are_errors)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    unsigned *x = tw_malloc_device(tw_test_device(0), N * sizeof *x);
    TW_CHECK(x);
    TW_PASS(tw_buffer_create(sizeof *x, tw_range_1d(N), &buffer));
    TW_FAIL(tw_buffer_read(buffer, x), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "tw_copy_to"));
    TW_FAIL(tw_buffer_write(buffer, x), TW_ERROR_INVALID_ARGUMENT);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_copy_to(cg, buffer, x + 1);
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_RANGE);
    TW_CHECK(strstr(tw_error_detail(), "ends after"));
    tw_buffer *other = NULL; /* the host's memory is not a device's */
    TW_FAIL(tw_buffer_create_over(x, sizeof *x, tw_range_1d(N), &other), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "tw_buffer_create_over_device"));
    TW_FAIL(tw_buffer_create_over_const(x + 1, sizeof *x, tw_range_1d(2), &other), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_copy(x, sizeof *x, tw_range_1d(N), &other), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "tw_copy_from"));
    TW_FAIL(tw_buffer_set_final_data(buffer, x), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "tw_copy_to"));
    tw_free(x);
    x = tw_malloc_host(N * sizeof *x);
    TW_CHECK(x);
    TW_FAIL(tw_buffer_create_over(x + 1, sizeof *x, tw_range_1d(N), &other), TW_ERROR_INVALID_RANGE);
    TW_FAIL(tw_buffer_create_copy(x, sizeof *x, tw_range_1d(N + 1), &other), TW_ERROR_INVALID_RANGE);
    TW_FAIL(tw_buffer_set_final_data(buffer, x + 1), TW_ERROR_INVALID_RANGE);
    TW_CHECK(!other);
    TW_PASS(tw_buffer_set_final_data(buffer, x));
    TW_PASS(tw_buffer_set_final_data(buffer, NULL));
    tw_free(x);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- command graphs ---------------------------------------------------------------------------------------------- */

/* with_program: a copy to memory of the program, and hints, which keep it from being one graph of the device */
static void check_graph(bool with_program)
{
    tw_queue *queue = in_order_queue();
    tw_device *device = tw_test_device(0);
    unsigned *x = tw_malloc_device(device, N * sizeof *x), *y = tw_malloc_shared(device, N * sizeof *y),
             *in = tw_malloc_host(N * sizeof *in), *out = tw_malloc_host(N * sizeof *out), program[N];
    if (!y) /* there is no shared memory */
        y = tw_malloc_device(device, N * sizeof *y);
    TW_CHECK(x && y && in && out);
    TW_PASS(tw_queue_begin_recording(queue));
    TW_PASS(tw_queue_memcpy(queue, x, in, N * sizeof *x, NULL));
    submit_usm_step(queue, x, 1);
    TW_PASS(tw_queue_memset(queue, y, 0, N * sizeof *y, NULL));
    tw_command_group *cg = tw_queue_begin(queue); /* every other element */
    tw_memcpy_2d(cg, y, 2 * sizeof *y, x, 2 * sizeof *x, sizeof *x, N / 2);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    submit_usm_step(queue, y, 2);
    TW_PASS(tw_queue_memcpy(queue, out, y, N * sizeof *y, NULL));
    if (with_program) {
        TW_PASS(tw_queue_mem_prefetch(queue, y, N * sizeof *y, NULL));
        TW_PASS(tw_queue_memcpy(queue, program, y, sizeof program, NULL));
    }
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_EQUAL(tw_command_graph_count(graph), with_program ? 8 : 6);
    for (unsigned round = 0; round < 5; ++round) {
        for (unsigned i = 0; i < N; ++i)
            in[i] = i + round;
        memset(out, 0xee, N * sizeof *out);
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        TW_PASS(tw_queue_wait_and_throw(queue));
        for (unsigned i = 0; i < N; ++i)
            TW_EQUAL(out[i], i % 2 ? 2 : 3 * (3 * (i + round) + 1) + 2);
        TW_CHECK(!with_program || memcmp(program, out, sizeof program) == 0);
    }
    tw_command_graph_destroy(&graph);
    tw_free(x);
    tw_free(y);
    tw_free(in);
    tw_free(out);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(steps_are_recorded_in_command_graphs)
{
    check_graph(false);
    check_graph(true);
}

/* ---- hints ------------------------------------------------------------------------------------------------------- */

TW_TEST(hints_change_no_result)
{
    tw_queue *queue = in_order_queue();
    for (int kind = 0; kind < PROGRAM; ++kind) {
        unsigned *x = (unsigned *)(void *)make((enum kind)kind, tw_test_device(0), N * sizeof *x), got[N], expected = 1;
        if (!x)
            continue;
        TW_PASS(tw_queue_mem_fill(queue, x, &expected, sizeof expected, N, NULL));
        for (int advice = TW_ADVICE_RESET; advice <= TW_ADVICE_HOST_DOES_NOT; ++advice) {
            tw_command_group *cg = tw_queue_begin(queue);
            tw_mem_advise(cg, x + 1, (N - 1) * sizeof *x, (tw_mem_advice)advice);
            TW_PASS(tw_queue_submit(queue, cg, NULL));
            TW_PASS(tw_queue_mem_prefetch(queue, x, N * sizeof *x, NULL));
            submit_usm_step(queue, x, (unsigned)advice);
            cg = tw_queue_begin(queue);
            tw_mem_prefetch_host(cg, x + 5, sizeof *x);
            TW_PASS(tw_queue_submit(queue, cg, NULL));
            expected = 3 * expected + (unsigned)advice;
        }
        TW_PASS(tw_queue_memcpy(queue, got, x, sizeof got, NULL));
        TW_PASS(tw_queue_wait_and_throw(queue));
        for (size_t i = 0; i < N; ++i)
            TW_EQUAL(got[i], expected);
        tw_free(x);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* What a simulated device is asked for: shared memory is prefetched; all else is where it is. */
TW_TEST(prefetches_are_for_shared_memory)
{
    tw_test_use_sim(1);
    tw_device *device = tw_test_device(0);
    tw_queue *queue = in_order_queue();
    unsigned char *memory[PROGRAM];
    for (int kind = 0; kind < PROGRAM; ++kind)
        TW_CHECK((memory[kind] = make((enum kind)kind, device, BYTES)) != NULL);
    TW_PASS(tw_sim_reset(device));
    for (int kind = 0; kind < PROGRAM; ++kind) {
        TW_PASS(tw_queue_mem_prefetch(queue, memory[kind], BYTES, NULL));
        TW_PASS(tw_queue_mem_prefetch(queue, memory[kind] + 10, 100, NULL));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_mem_prefetch_host(cg, memory[kind], 1);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_queue_wait_and_throw(queue));
        TW_EQUAL(tw_sim_copied_bytes(device), kind < SHARED ? 0 : BYTES + 101);
        TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), kind < SHARED ? 0 : 3);
    }
    for (int kind = 0; kind < PROGRAM; ++kind)
        tw_free(memory[kind]);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

/* A failed step cancels what depends on it, and leaves a message. */
static void check_fault(unsigned n, tw_command_group *(*record)(tw_queue *, unsigned char *), const char *text)
{
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_test_device(0);
    unsigned char *x = tw_malloc_shared(device, BYTES);
    tw_event *failed = NULL;
    TW_CHECK(x);
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_COPY, n));
    TW_PASS(tw_queue_submit(queue, record(queue, x), &failed));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_depends_on(cg, failed);
    tw_parallel_for(cg, tw_range_1d(N), step, .x = (unsigned *)(void *)x, .term = 1);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_FAIL(tw_event_wait(failed), TW_ERROR_TRANSFER_FAILED);
    TW_CHECK(strstr(tw_error_detail(), text));
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_TRANSFER_FAILED);
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_CANCELLED);
    TW_PASS(tw_queue_wait(queue));
    tw_event_release(&failed);
    tw_free(x);
    TW_PASS(tw_queue_destroy(&queue));
}

static tw_command_group *record_copy(tw_queue *queue, unsigned char *x)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_memcpy(cg, x, x + BYTES / 2, BYTES / 2);
    return cg;
}

static tw_command_group *record_fill(tw_queue *queue, unsigned char *x)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_memset(cg, x, 1, BYTES);
    return cg;
}

static tw_command_group *record_prefetch(tw_queue *queue, unsigned char *x)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_mem_prefetch(cg, x, BYTES);
    return cg;
}

TW_TEST(a_failed_step_cancels_what_depends_on_it)
{
    for (int asynchronous = 0; asynchronous < 2; ++asynchronous) {
        setenv("TW_SIM_ASYNC", asynchronous ? "1" : "0", 1);
        tw_test_use_sim(1);
        check_fault(1, record_copy, "2500 bytes");
        check_fault(1, record_fill, "5000 bytes");
        check_fault(1, record_prefetch, "5000 bytes");
        TW_PASS(tw_shutdown());
    }
}

/* On another queue, a step is done again. */
static void copy_half(tw_command_group *cg, void *user)
{
    unsigned char *x = user;
    tw_memcpy(cg, x, x + BYTES / 2, BYTES / 2);
}

TW_TEST(a_failed_step_falls_back)
{
    tw_test_use_sim(2);
    tw_device *device = tw_test_device(0);
    tw_queue *queue = NULL, *fallback = NULL;
    unsigned char *x = tw_malloc_device(device, BYTES), expected[BYTES], got[BYTES];
    tw_event *event = NULL;
    TW_CHECK(x);
    TW_PASS(tw_queue_create_on_device(device, NULL, NULL, &queue));
    TW_PASS(tw_queue_create_on_device(tw_test_device(1), NULL, NULL, &fallback));
    number(expected, BYTES, 50);
    TW_PASS(tw_queue_memcpy(queue, x, expected, BYTES, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_COPY, 1));
    TW_PASS(tw_queue_submit_function(queue, fallback, copy_half, x, &event));
    TW_PASS(tw_event_wait(event));
    memcpy(expected, expected + BYTES / 2, BYTES / 2);
    TW_PASS(tw_queue_memcpy(queue, got, x, BYTES, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_CHECK(memcmp(got, expected, BYTES) == 0);
    tw_event_release(&event);
    tw_free(x);
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_queue_destroy(&fallback));
}

static void refuse_copy(tw_queue *queue, void *to, const void *from, size_t bytes, tw_status status, const char *text)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_memcpy(cg, to, from, bytes);
    tw_test_refuse(queue, cg, status, text);
}

/* Rows from byte 1000 of an allocation, or from somewhere else, to its beginning. */
struct rows {
    size_t from, to_pitch, from_pitch, row_bytes, rows;
};
static void refuse_rows(tw_queue *queue, unsigned char *memory, struct rows r, const char *text)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_memcpy_2d(cg, memory, r.to_pitch, memory + r.from, r.from_pitch, r.row_bytes, r.rows);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_RANGE, text);
}

TW_TEST(mistakes_with_copies_are_errors)
{
    tw_queue *queue = tw_test_queue();
    unsigned char *x = tw_malloc_device(tw_test_device(0), BYTES), program[8] = {0};
    TW_CHECK(x);
    refuse_copy(queue, NULL, x, 1, TW_ERROR_INVALID_ARGUMENT, "copied to is NULL");
    refuse_copy(queue, x, NULL, 1, TW_ERROR_INVALID_ARGUMENT, "copied from is NULL");
    refuse_copy(queue, x, program, BYTES + 1, TW_ERROR_INVALID_RANGE, "ends after 5000");
    refuse_copy(queue, program, x + BYTES - 1, 2, TW_ERROR_INVALID_RANGE, "ends after 1");
    refuse_copy(queue, x, program, SIZE_MAX, TW_ERROR_INVALID_RANGE, "has no");
    refuse_copy(queue, x, x, 1, TW_ERROR_INVALID_RANGE, "overlaps");
    refuse_copy(queue, x, x + 99, 100, TW_ERROR_INVALID_RANGE, "overlaps");
    refuse_copy(queue, x + 99, x, 100, TW_ERROR_INVALID_RANGE, "overlaps");
    refuse_rows(queue, x, (struct rows){1000, 9, 10, 10, 2}, "pitch of 9");
    refuse_rows(queue, x, (struct rows){1000, 10, 9, 10, 2}, "pitch of 9");
    refuse_rows(queue, x, (struct rows){1000, 100, 10, 10, 51}, "ends after");
    refuse_rows(queue, x, (struct rows){1000, SIZE_MAX / 2, 10, 1, 4}, "more than there can be");
    refuse_rows(queue, x, (struct rows){15, 20, 20, 10, 2}, "overlaps");
    tw_memcpy(NULL, x, program, 1); /* as all calls of a group that is NULL */
    tw_command_group *cg = tw_queue_begin(queue);
    tw_memcpy(cg, x, program, 8);
    tw_memset(cg, x, 0, 8);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_COMMAND_GROUP, "tw_memset");
    TW_FAIL(tw_queue_memcpy(NULL, x, program, 8, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strcmp(tw_error_detail(), "the queue is NULL") == 0);
    tw_free(x);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(mistakes_with_fills_are_errors)
{
    tw_queue *queue = tw_test_queue();
    unsigned char *x = tw_malloc_device(tw_test_device(0), BYTES), program[8] = {0};
    TW_CHECK(x);
    TW_FAIL(tw_queue_memset(queue, NULL, 0, 1, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_memset(queue, program, 0, 1, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "tw_malloc_device"));
    TW_FAIL(tw_queue_memset(queue, x + 1, 0, BYTES, NULL), TW_ERROR_INVALID_RANGE);
    TW_FAIL(tw_queue_mem_fill(queue, x, NULL, 1, 1, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "value to fill with is NULL"));
    TW_FAIL(tw_queue_mem_fill(queue, x, program, 8, SIZE_MAX / 4, NULL), TW_ERROR_INVALID_RANGE);
    TW_FAIL(tw_queue_mem_prefetch(queue, NULL, 1, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_mem_prefetch(queue, program, 1, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_mem_prefetch(queue, x, BYTES + 1, NULL), TW_ERROR_INVALID_RANGE);
    /* of no bytes, nothing is wrong */
    TW_PASS(tw_queue_memset(queue, NULL, 0, 0, NULL));
    TW_PASS(tw_queue_mem_fill(queue, NULL, NULL, 4, 0, NULL));
    TW_PASS(tw_queue_mem_prefetch(queue, NULL, 0, NULL));
    tw_free(x);
    TW_FAIL(tw_queue_memset(queue, x, 0, 1, NULL), TW_ERROR_INVALID_ARGUMENT); /* it is freed */
    TW_PASS(tw_queue_destroy(&queue));
}

static void refuse_advice(tw_queue *queue, const void *memory, size_t bytes, int advice, tw_status status,
                          const char *text)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_mem_advise(cg, memory, bytes, (tw_mem_advice)advice);
    tw_test_refuse(queue, cg, status, text);
}

/* Shared memory belongs to one device. */
TW_TEST(hints_are_for_the_queues_device)
{
    tw_test_use_sim(2);
    tw_queue *queue = NULL;
    unsigned char *x = tw_malloc_shared(tw_test_device(1), BYTES);
    TW_CHECK(x);
    TW_PASS(tw_queue_create_on_device(tw_test_device(0), NULL, NULL, &queue));
    refuse_advice(queue, x, 1, TW_ADVICE_PREFER_HOST, TW_ERROR_INVALID_ARGUMENT, "shared with");
    refuse_advice(queue, x, BYTES + 1, TW_ADVICE_PREFER_HOST, TW_ERROR_INVALID_RANGE, "ends after");
    refuse_advice(queue, x, 1, TW_ADVICE_HOST_DOES_NOT + 1, TW_ERROR_INVALID_ARGUMENT, "no advice");
    refuse_advice(queue, x, 1, -1, TW_ERROR_INVALID_ARGUMENT, "no advice");
    refuse_advice(queue, &queue, 1, TW_ADVICE_RESET, TW_ERROR_INVALID_ARGUMENT, "tw_malloc_shared");
    TW_FAIL(tw_queue_mem_prefetch(queue, x, BYTES, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "shared with"));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_mem_prefetch_host(cg, x, BYTES);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_ARGUMENT, "shared with");
    TW_PASS(tw_queue_destroy(&queue));
    tw_free(x);
}

TW_TEST_LIST = {TW_CASE(copies_go_between_all_kinds_of_memory),
                TW_CASE(copies_go_between_devices),
                TW_CASE(copies_go_between_devices_of_different_kinds),
                TW_CASE(rows_are_copied),
                TW_CASE(overlapping_rows_are_refused),
                TW_CASE(fills_set_what_they_name_and_no_more),
                TW_CASE(an_in_order_queue_orders_kernels_and_copies),
                TW_CASE(events_order_steps),
                TW_CASE(accessors_order_steps),
                TW_CASE(steps_follow_kernels_on_streams_without_the_host),
                TW_CASE(buffers_are_copied_to_and_from_all_kinds),
                TW_CASE(mistakes_with_buffers_are_errors),
                TW_CASE(steps_are_recorded_in_command_graphs),
                TW_CASE(hints_change_no_result),
                TW_CASE(prefetches_are_for_shared_memory),
                TW_CASE(a_failed_step_cancels_what_depends_on_it),
                TW_CASE(a_failed_step_falls_back),
                TW_CASE(mistakes_with_copies_are_errors),
                TW_CASE(mistakes_with_fills_are_errors),
                TW_CASE(hints_are_for_the_queues_device),
                TW_CASES_END};
