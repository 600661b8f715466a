/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/** interop.h: buffers over memory that is on a device already: what is there first, meanwhile and last; errors. */
#include "device_buffer_test.h"

#include <stdint.h>

#include <teamwork/command_graph.h>

/* ---- memory on a device ------------------------------------------------------------------------------------------ */

/* What the memory holds is the contents; the host and all devices see it, and what they wrote last comes back. */
TW_TEST(contents_begin_and_end_in_the_memory)
{
    static int host[N];
    tw_queue *queues[3];
    tw_test_queues(queues, 3);
    tw_device *device = tw_queue_device(queues[0]);
    for (int way = 0; way < KINDS * 4; ++way) {
        const enum kind kind = (enum kind)(way % KINDS);
        const bool with_host = way / KINDS % 2, ends_on_host = way / KINDS / 2;
        int *memory = allocate(device, kind, N);
        if (!memory)
            continue;
        poke(device, memory, N, 7);
        tw_buffer *buffer = make(memory, device, with_host ? host : NULL);
        add_to(queues[0], buffer, 1);
        add_to(queues[1], buffer, 10);
        tw_test_fetch(buffer, host);
        is_filled(host, N, 18);
        add_to(queues[2], buffer, 100);
        if (ends_on_host)
            (void)add_on_host(buffer);
        TW_PASS(tw_buffer_destroy(&buffer));
        expect(device, memory + 1, N - 1, 119);
        expect(device, memory, 1, 118 + ends_on_host);
        release(device, kind, memory);
    }
    tw_test_destroy_queues(queues, 3);
}

/* A buffer that nobody uses changes nothing, and neither does one that is only read. */
TW_TEST(memory_that_is_only_read_stays)
{
    static int host[N];
    tw_device *device = tw_test_device(0);
    int *memory = tw_malloc_device(device, N * sizeof *memory);
    poke(device, memory, N, 3);
    tw_buffer *buffer = make(memory, device, NULL);
    TW_PASS(tw_buffer_destroy(&buffer));
    buffer = make(memory, device, NULL);
    TW_PASS(tw_buffer_read(buffer, host));
    is_filled(host, N, 3);
    TW_PASS(tw_buffer_destroy(&buffer));
    expect(device, memory, N, 3);
    tw_free(memory);
}

/* Host accessors give the program's host memory, or the memory itself where the host uses it too. */
TW_TEST(the_host_uses_the_memory_of_the_program)
{
    static int host[N];
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    for (enum kind kind = OF_LIBRARY; kind < KINDS; kind = (enum kind)(kind + 1)) {
        int *memory = allocate(device, kind, N);
        if (!memory)
            continue;
        poke(device, memory, N, 0);
        for (int with_host = 0; with_host < 2; ++with_host) {
            tw_buffer *buffer = make(memory, device, with_host ? host : NULL);
            for (int i = 0; i < 3; ++i) { /* in turn with the device */
                const int *data = add_on_host(buffer);
                if (is_of_host(device) || kind == SHARED)
                    TW_CHECK(data == memory);
                else
                    TW_CHECK(!with_host || data == host);
                add_to(queue, buffer, 1);
            }
            TW_PASS(tw_buffer_destroy(&buffer));
        }
        expect(device, memory, 1, 12);
        expect(device, memory + 1, N - 1, 7);
        release(device, kind, memory);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* The device's own kernels, and the end, move nothing and allocate nothing; shared memory never moves. */
TW_TEST(nothing_is_copied_without_need)
{
    tw_test_use_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_device *device = tw_queue_device(queues[0]), *other = tw_queue_device(queues[1]);
    const uint64_t bytes = N * sizeof(int);
    for (enum kind kind = OF_LIBRARY; kind <= SHARED; kind = (enum kind)(kind + 1)) {
        int *memory = allocate(device, kind, N);
        const uint64_t allocated = tw_sim_allocated_bytes(device);
        poke(device, memory, N, 0);
        tw_buffer *buffer = make(memory, device, NULL);
        add_to(queues[0], buffer, 1);
        add_to(queues[0], buffer, 1);
        if (kind == SHARED)
            TW_CHECK(add_on_host(buffer) == memory);
        add_to(queues[0], buffer, 1);
        TW_PASS(tw_queue_wait(queues[0]));
        TW_EQUAL(tw_test_sim_total(TW_SIM_COPY), 0);
        add_to(queues[1], buffer, 1); /* one copy to there, and one back */
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_EQUAL(tw_sim_copied_bytes(device) + tw_sim_copied_bytes(other), 2 * bytes);
        TW_EQUAL(tw_sim_allocated_bytes(device), allocated);
        tw_test_released(other);
        expect(device, memory + 1, N - 1, 5);
        tw_free(memory);
        TW_PASS(tw_sim_reset(device));
        TW_PASS(tw_sim_reset(other));
    }
    tw_test_destroy_queues(queues, 2);
}

/* Contents go to a place on the host too; nowhere else to go means the device's memory still. */
TW_TEST(final_data_is_another_place)
{
    static int first[N], last[N];
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    for (int way = 0; way < 8; ++way) {
        const enum kind kind = way & 4 ? SHARED : OF_LIBRARY;
        int *memory = allocate(device, kind, N), *host = way & 1 ? last : NULL;
        tw_buffer *sub = NULL;
        if (!memory)
            continue;
        poke(device, memory, N, 0);
        fill(first, N, 5000), fill(last, N, 9000);
        tw_buffer *buffer = make(memory, device, host);
        TW_PASS(tw_buffer_create_sub(buffer, tw_id_1d(100), tw_range_1d(50), &sub));
        TW_PASS(tw_buffer_set_final_data(sub, first));
        TW_PASS(tw_buffer_set_final_data(buffer, way & 2 ? last : NULL));
        add_to(queue, buffer, 1);
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_PASS(tw_buffer_destroy(&sub));
        expect(device, memory, N, 1);
        is_filled(first, 50, 101);
        is_filled(first + 50, N - 50, 5050);
        if (way & 2)
            is_filled(last, N, 1);
        else if (!host)
            is_filled(last, N, 9000);
        release(device, kind, memory);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Several devices write disjoint parts, rows and columns, of memory of the first. */
TW_TEST(parts_of_several_devices_come_back)
{
    tw_queue *queues[3];
    tw_test_queues(queues, 3);
    tw_device *device = tw_queue_device(queues[0]);
    int *memory = tw_malloc_device(device, ROWS * COLUMNS * sizeof *memory), got[ROWS * COLUMNS];
    tw_buffer *buffer = NULL, *columns = NULL;
    poke(device, memory, ROWS * COLUMNS, 0);
    TW_PASS(tw_buffer_create_over_device(memory, device, NULL, sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
    TW_PASS(tw_buffer_create_sub(buffer, tw_id_2d(0, 4), tw_range_2d(ROWS, 3), &columns));
    for (size_t i = 0; i < 3; ++i)
        add_part(queues[i], buffer, tw_id_2d(4 * i, 0), tw_range_2d(4, COLUMNS), 100 * (int)(i + 1));
    add_to(queues[1], columns, 1000);
    TW_PASS(tw_buffer_destroy(&buffer));
    add_to(queues[2], columns, 1000);
    TW_PASS(tw_buffer_destroy(&columns)); /* the last reference */
    copy_ints(device, memory, got, ROWS * COLUMNS, false);
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j)
            TW_EQUAL(got[i * COLUMNS + j], i * COLUMNS + j + 100 * (i / 4 + 1) + (j >= 4 && j < 7 ? 2000 : 0));
    tw_free(memory);
    tw_test_destroy_queues(queues, 3);
}

/* A buffer may begin inside of an allocation. What else is there stays, also when a kernel discards the contents. */
TW_TEST(a_buffer_over_a_part_of_an_allocation)
{
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    int *memory = tw_malloc_device(device, 3 * N * sizeof *memory);
    const int value = 5;
    poke(device, memory, (size_t)3 * N, 0);
    tw_buffer *buffer = make(memory + N, device, NULL);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_fill(cg, buffer, &value);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_expect_ints(buffer, 5);
    add_to(queue, buffer, 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    expect(device, memory, N, 0);
    expect(device, memory + N, 1, 6);
    expect(device, memory + 2 * N - 1, 1, 6);
    expect(device, memory + (size_t)2 * N, N, 2 * N);
    tw_free(memory);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Copies between buffers, recorded groups, and reductions use the memory as that of any buffer. */
TW_TEST(steps_and_recorded_groups_use_the_memory)
{
    static int host[N];
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    for (enum kind kind = OF_LIBRARY; kind <= SHARED; kind = (enum kind)(kind + 1)) {
        int *memory = allocate(device, kind, N);
        tw_command_graph *graph = NULL;
        if (!memory)
            continue;
        tw_buffer *buffer = make(memory, device, NULL), *source = tw_test_ints(N, 3);
        TW_PASS(tw_queue_begin_recording(queue));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_copy(cg, source, buffer);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        add_to(queue, buffer, 1);
        add_to(queue, buffer, 2);
        TW_PASS(tw_queue_end_recording(queue, &graph));
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        tw_test_expect_ints(buffer, 6);
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        cg = tw_queue_begin(queue);
        tw_copy_to(cg, buffer, host);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_queue_wait(queue));
        TW_EQUAL(host[N - 1], 6);
        tw_command_graph_destroy(&graph);
        TW_PASS(tw_buffer_destroy(&source));
        TW_PASS(tw_buffer_destroy(&buffer));
        expect(device, memory, 1, 6);
        release(device, kind, memory);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* A device that is full gives up other buffers' memory, and never the program's. */
TW_TEST(the_memory_is_never_given_up)
{
    enum { MANY = 16384, LIMIT = 3 * MANY * sizeof(int) };
    char text[32];
    tw_test_use_sim(2);
    snprintf(text, sizeof text, "%d", (int)LIMIT);
    setenv("TW_SIM_MEMORY", text, 1);
    tw_queue *queues[2], *queue;
    tw_test_queues(queues, 2);
    queue = queues[0];
    tw_device *device = tw_queue_device(queue);
    int *memory = tw_malloc_device(device, MANY * sizeof *memory);
    tw_buffer *buffer = NULL, *others[3] = {NULL, NULL, NULL}, *large = NULL;
    poke(device, memory, MANY, 0);
    TW_PASS(tw_buffer_create_over_device(memory, device, NULL, sizeof(int), tw_range_1d(MANY), &buffer));
    add_to(queue, buffer, 1); /* used longest ago, ... */
    tw_command_group *cg = tw_queue_begin(queues[1]);
    tw_prefetch(cg, buffer); /* ... and the contents are elsewhere too: other memory would go first */
    tw_test_run(queues[1], cg);
    for (int i = 0; i < 3; ++i) {
        others[i] = tw_test_ints(MANY, i);
        add_to(queue, others[i], 1);
        TW_PASS(tw_queue_wait(queue));
    }
    TW_EQUAL(tw_sim_allocated_bytes(device), LIMIT);
    expect(device, memory, MANY, 1); /* still there, and still the contents */
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d((size_t)3 * MANY), &large));
    cg = tw_queue_begin(queue);
    (void)tw_discard_write(cg, large);
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_OUT_OF_DEVICE_MEMORY);
    for (int i = 0; i < 3; ++i)
        tw_test_expect_ints(others[i], i + 1);
    add_to(queue, buffer, 1);
    TW_PASS(tw_buffer_destroy(&large));
    tw_test_destroy_buffers(others, 3);
    TW_PASS(tw_buffer_destroy(&buffer));
    expect(device, memory, MANY, 2);
    TW_EQUAL(tw_sim_allocated_bytes(device), MANY * sizeof(int));
    tw_free(memory);
    tw_test_destroy_queues(queues, 2);
}

/* What cannot be brought back is reported by the destruction, as for other final data. */
TW_TEST(the_last_copy_may_fail)
{
    static int host[N];
    tw_test_use_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_device *device = tw_queue_device(queues[0]), *other = tw_queue_device(queues[1]);
    int *memory = tw_malloc_device(device, N * sizeof *memory);
    for (int with_host = 0; with_host < 2; ++with_host) {
        tw_buffer *buffer = make(memory, device, with_host ? host : NULL);
        add_to(queues[1], buffer, 1);
        TW_PASS(tw_queue_wait(queues[1]));
        TW_PASS(tw_sim_fail_nth(device, TW_SIM_COPY, 1));
        TW_FAIL(tw_buffer_destroy(&buffer), TW_ERROR_TRANSFER_FAILED);
        TW_CHECK(!buffer);

        buffer = make(memory, device, with_host ? host : NULL);
        TW_PASS(tw_sim_fail_nth(other, TW_SIM_LAUNCH, 1));
        add_to(queues[1], buffer, 1);
        TW_FAIL(tw_buffer_destroy(&buffer), TW_ERROR_DATA_LOST);
        TW_CHECK(!buffer && strstr(tw_error_detail(), "add"));
        TW_FAIL(tw_queue_wait(queues[1]), TW_ERROR_LAUNCH_FAILED);
    }
    /* the place on the host gets the contents nevertheless */
    tw_buffer *buffer = make(memory, device, NULL);
    poke(device, memory, N, 0);
    TW_PASS(tw_buffer_set_final_data(buffer, host));
    add_to(queues[1], buffer, 1);
    TW_PASS(tw_queue_wait(queues[1]));
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_COPY, 1));
    TW_FAIL(tw_buffer_destroy(&buffer), TW_ERROR_TRANSFER_FAILED);
    is_filled(host, N, 1);
    tw_free(memory);
    tw_test_destroy_queues(queues, 2);
}

struct add_function {
    tw_buffer *buffer;
};
static void record_add(tw_command_group *cg, void *user)
{
    const struct add_function *function = user;
    tw_parallel_for(cg, tw_range_2d(1, N), add, .data = tw_read_write(cg, function->buffer), .pitch = N, .term = 1);
}

/* A group that fails on the device runs on another one, and what it wrote comes back. */
TW_TEST(a_group_falls_back_and_the_contents_come_back)
{
    tw_test_use_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_device *device = tw_queue_device(queues[0]);
    for (enum kind kind = OF_LIBRARY; kind <= SHARED; kind = (enum kind)(kind + 1)) {
        int *memory = allocate(device, kind, N);
        poke(device, memory, N, 0);
        tw_buffer *buffer = make(memory, device, NULL);
        TW_PASS(tw_sim_fail_nth(device, TW_SIM_LAUNCH, 1));
        TW_PASS(tw_queue_submit_function(queues[0], queues[1], record_add, &(struct add_function){buffer}, NULL));
        if (kind == SHARED) { /* there it does not */
            TW_FAIL(tw_queue_wait(queues[0]), TW_ERROR_LAUNCH_FAILED);
            TW_FAIL(tw_buffer_destroy(&buffer), TW_ERROR_DATA_LOST);
        } else {
            TW_PASS(tw_queue_wait(queues[0]));
            TW_PASS(tw_buffer_destroy(&buffer));
            expect(device, memory, N, 1);
        }
        tw_free(memory);
    }
    tw_test_destroy_queues(queues, 2);
}

/* The memory is the program's after the destruction: no group may use it later, and nobody waits for himself. */
TW_TEST(the_destruction_gives_the_memory_back)
{
    static int host[N];
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    int *memory = tw_malloc_device(device, N * sizeof *memory);
    tw_host_accessor *shut = NULL;
    struct tw_gate gate = {.buffer = tw_test_int(0)};
    poke(device, memory, N, 0);
    for (int with_host = 0; with_host < 2; ++with_host) {
        tw_buffer *buffer = make(memory, device, with_host ? host : NULL), *kept = NULL;
        tw_command_group *cg = tw_queue_begin(queue);
        (void)tw_read(cg, buffer);
        TW_PASS(tw_host_access(gate.buffer, TW_READ_WRITE, &shut));
        submit_increase(queue, buffer, &gate, NULL);
        kept = buffer;
        TW_FAIL(tw_buffer_destroy(&buffer), TW_ERROR_WOULD_DEADLOCK);
        TW_CHECK(buffer == kept);
        TW_PASS(tw_host_accessor_release(&shut));
        TW_PASS(tw_buffer_destroy(&buffer));
        expect(device, memory, N, 1 + with_host);
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_COMMAND_GROUP);
    }
    TW_PASS(tw_buffer_destroy(&gate.buffer));
    tw_free(memory);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

TW_TEST(wrong_memory_is_refused)
{
    static int host[N];
    tw_buffer *buffer = NULL;
    tw_device *device = tw_test_device(0);
    const tw_range range = tw_range_1d(N);
    char *memory = tw_malloc_device(device, N * sizeof(int));
    TW_FAIL(tw_buffer_create_over_device(NULL, device, NULL, 4, range, &buffer), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_over_device(memory, NULL, NULL, 4, range, &buffer), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_over_device(memory, device, NULL, 4, range, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_over_device(memory, device, NULL, 0, range, &buffer), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_over_device(memory, device, NULL, 4, (tw_range){.dims = 4}, &buffer),
            TW_ERROR_INVALID_RANGE);
    TW_FAIL(tw_buffer_create_over_device(memory, device, NULL, SIZE_MAX / N, range, &buffer), TW_ERROR_INVALID_RANGE);
    TW_FAIL(tw_buffer_create_over_device(memory, device, NULL, 4, tw_range_1d(N + 1), &buffer), TW_ERROR_INVALID_RANGE);
    TW_FAIL(tw_buffer_create_over_device(memory + 2, device, NULL, 4, tw_range_1d(N - 1), &buffer),
            TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "aligned"));
    TW_FAIL(tw_buffer_create_over_device(memory + 4, device, NULL, 24, tw_range_1d(1), &buffer),
            TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_over_device(memory, device, (char *)host + 1, 4, tw_range_1d(N - 1), &buffer),
            TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_buffer_create_over_device(memory + 4, device, NULL, 12, tw_range_1d(2), &buffer));
    TW_PASS(tw_buffer_destroy(&buffer));
    if (!is_of_host(device)) {
        const tw_status status = tw_buffer_create_over_device(host, device, NULL, 4, range, &buffer);
        if (status == TW_SUCCESS && tw_device_is_gpu(device)) /* some GPUs reach all host memory */
            TW_PASS(tw_buffer_destroy(&buffer));
        else
            TW_FAIL(status, TW_ERROR_INVALID_ARGUMENT);
        TW_FAIL(tw_buffer_create_over_device(memory, device, memory, 4, range, &buffer), TW_ERROR_INVALID_ARGUMENT);
    }
    TW_CHECK(!buffer);
    tw_free(memory);
}

/* Memory of another device is found out for the library's own. */
TW_TEST(memory_of_another_device_is_refused)
{
    tw_buffer *buffer = NULL;
    tw_test_use_sim(2);
    tw_device *device = tw_test_device(0), *other = tw_test_device(1), *host = NULL;
    TW_PASS(tw_select_device(tw_host_selector, NULL, &host));
    int *memory = tw_malloc_device(other, N * sizeof *memory), *shared = tw_malloc_shared(other, N * sizeof *shared);
    int *everywhere = tw_malloc_host(N * sizeof *everywhere);
    for (int i = 0; i < 2; ++i) {
        TW_FAIL(tw_buffer_create_over_device(memory, i ? host : device, NULL, 4, tw_range_1d(N), &buffer),
                TW_ERROR_INVALID_ARGUMENT);
        TW_CHECK(strstr(tw_error_detail(), tw_device_name(other)));
    }
    TW_FAIL(tw_buffer_create_over_device(shared, device, NULL, 4, tw_range_1d(N), &buffer), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_buffer_create_over_device(shared, host, NULL, 4, tw_range_1d(N), &buffer));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_buffer_create_over_device(everywhere, device, NULL, 4, tw_range_1d(N), &buffer));
    TW_CHECK(add_on_host(buffer) == everywhere);
    TW_PASS(tw_buffer_destroy(&buffer));
    tw_free(memory);
    tw_free(shared);
    tw_free(everywhere);
}

/* CUDA's driver knows whose memory it is, also if the library did not allocate it. */
TW_TEST(memory_of_another_cuda_device_is_refused)
{
    tw_device *devices[2];
    tw_buffer *buffer = NULL;
    if (tw_test_devices(devices, 2) < 2 || tw_device_cuda_ordinal(devices[0]) < 0
        || tw_device_cuda_ordinal(devices[1]) < 0)
        TW_SKIP();
    int *memory = allocate(devices[1], OF_OPENMP, N), *managed = allocate(devices[1], SHARED, N);
    TW_FAIL(tw_buffer_create_over_device(memory, devices[0], NULL, 4, tw_range_1d(N), &buffer),
            TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_over_device(managed, devices[0], NULL, 4, tw_range_1d(N), &buffer),
            TW_ERROR_INVALID_ARGUMENT); /* by what the program said when it allocated it */
    release(devices[1], OF_OPENMP, memory);
    release(devices[1], SHARED, managed);
}

/* A range without elements needs no memory. */
TW_TEST(empty_buffers_need_no_memory)
{
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    tw_buffer *buffer = NULL;
    for (int mapped = 0; mapped < 2; ++mapped) {
        if (mapped)
            TW_PASS(tw_buffer_create_over_mapped(NULL, device, TW_CURRENT_HOST, 4, tw_range_2d(0, 3), &buffer));
        else
            TW_PASS(tw_buffer_create_over_device(NULL, device, NULL, 4, tw_range_2d(0, 3), &buffer));
        add_to(queue, buffer, 1);
        TW_PASS(tw_buffer_device_changed(buffer, device));
        TW_PASS(tw_buffer_host_changed(buffer));
        TW_PASS(tw_buffer_destroy(&buffer));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- memory that is mapped for a while --------------------------------------------------------------------------- */

/* Stands for an object of a graphics library, as those of OpenGL are to CUDA: while it is mapped it has a pointer, and at
   each mapping another one. Between two mappings the other library draws with it. */
struct object {
    tw_device *device;
    int *memory[2];
    int mapped, value; /* number of mappings; what the other library has left in the first element */
};

static int *map_object(struct object *object)
{
    int *memory = object->memory[object->mapped++ % 2];
    poke(object->device, memory, N, object->value);
    return memory;
}

/* What the other library finds is what was left in the memory, which it takes. */
static void unmap_object(struct object *object, int *memory, int expected)
{
    expect(object->device, memory, N, expected);
    poke(object->device, memory, N, -1000);
    object->value = expected + 1;
}

/* A buffer over the object lives from one mapping to its end. Groups begin when an event says that the drawing before is
   over, and what they wrote is there when the buffer is destroyed. */
TW_TEST(what_is_mapped_is_a_buffer_until_it_is_unmapped)
{
    tw_queue *queue = tw_test_queue();
    struct object object = {.device = tw_queue_device(queue), .value = 5};
    for (int i = 0; i < 2; ++i)
        TW_CHECK((object.memory[i] = allocate(object.device, OF_LIBRARY, N)) != NULL);
    for (int frame = 0; frame < 5; ++frame) {
        tw_event *drawn = NULL;
        int *memory = map_object(&object);
        tw_buffer *buffer = make(memory, object.device, NULL);
        TW_PASS(tw_event_create_user(&drawn));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_depends_on(cg, drawn);
        tw_parallel_for(cg, tw_range_2d(1, N), add, .data = tw_read_write(cg, buffer), .pitch = N, .term = 10);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        expect(object.device, memory, N, object.value);
        TW_PASS(tw_event_complete(drawn, TW_SUCCESS));
        add_to(queue, buffer, 100);
        TW_PASS(tw_buffer_destroy(&buffer));
        tw_event_release(&drawn);
        unmap_object(&object, memory, object.value + 110);
    }
    TW_EQUAL(object.value, 5 + 5 * 111);
    for (int i = 0; i < 2; ++i)
        release(object.device, OF_LIBRARY, object.memory[i]);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {
    TW_CASE(contents_begin_and_end_in_the_memory),
    TW_CASE(memory_that_is_only_read_stays),
    TW_CASE(the_host_uses_the_memory_of_the_program),
    TW_CASE(nothing_is_copied_without_need),
    TW_CASE(final_data_is_another_place),
    TW_CASE(parts_of_several_devices_come_back),
    TW_CASE(a_buffer_over_a_part_of_an_allocation),
    TW_CASE(steps_and_recorded_groups_use_the_memory),
    TW_CASE(the_memory_is_never_given_up),
    TW_CASE(the_last_copy_may_fail),
    TW_CASE(a_group_falls_back_and_the_contents_come_back),
    TW_CASE(the_destruction_gives_the_memory_back),
    TW_CASE(wrong_memory_is_refused),
    TW_CASE(memory_of_another_device_is_refused),
    TW_CASE(memory_of_another_cuda_device_is_refused),
    TW_CASE(empty_buffers_need_no_memory),
    TW_CASE(what_is_mapped_is_a_buffer_until_it_is_unmapped),
    TW_CASES_END,
};
