/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/** interop.h: buffers over memory that OpenMP has mapped, and what the program changes by itself on either side. */
#include "device_buffer_test.h"

/* ---- changes by the program -------------------------------------------------------------------------------------- */

static void prefetch(tw_queue *queue, tw_buffer *buffer)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_prefetch(cg, buffer);
    tw_test_run(queue, cg);
}

static void update_host(tw_queue *queue, tw_buffer *buffer)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_update_host(cg, buffer);
    tw_test_run(queue, cg);
}

/* From a change on the changed side is current, on all devices. */
TW_TEST(the_program_changes_one_side_by_itself)
{
    static int host[N];
    tw_queue *queues[3];
    tw_test_queues(queues, 3);
    tw_device *device = tw_queue_device(queues[0]);
    const bool is_separate = !is_of_host(device);
    int *memory = tw_malloc_device(device, N * sizeof *memory), *on_host = is_separate ? host : memory;
    poke(device, memory, N, 0);
    tw_buffer *buffer = make(memory, device, host);
    for (int i = 0; i < 3; ++i) {
        tw_queue *queue = queues[i];
        add_to(queue, buffer, 1);
        TW_PASS(tw_queue_wait(queue));
        poke(device, memory, N, 1000 * i);
        TW_PASS(tw_buffer_device_changed(buffer, device));
        add_to(queue, buffer, 1);
        update_host(queue, buffer);
        is_filled(on_host, N, 1000 * i + 1);
        fill(on_host, N, 5000 * i);
        TW_PASS(tw_buffer_host_changed(buffer));
        add_to(queue, buffer, 1);
        prefetch(queues[0], buffer);
        expect(device, memory, N, 5000 * i + 1);
        tw_test_fetch(buffer, host);
        is_filled(on_host, N, 5000 * i + 1);
    }
    fill(on_host, N, 70);
    TW_PASS(tw_buffer_host_changed(buffer));
    TW_PASS(tw_buffer_destroy(&buffer));
    expect(device, memory, N, 70);
    tw_free(memory);
    tw_test_destroy_queues(queues, 3);
}

/* Host memory that a plain buffer is over can be changed, too. */
TW_TEST(host_memory_of_any_buffer_may_be_changed)
{
    static int data[N], last[N];
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    fill(data, N, 0);
    TW_PASS(tw_buffer_create_over(data, sizeof(int), tw_range_1d(N), &buffer));
    add_to(queue, buffer, 1);
    update_host(queue, buffer);
    fill(data + 10, 20, 500);
    TW_PASS(tw_buffer_host_changed_part(buffer, tw_id_1d(10), tw_range_1d(20)));
    add_to(queue, buffer, 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    is_filled(data, 10, 2);
    is_filled(data + 10, 20, 501);
    is_filled(data + 30, N - 30, 32);
    TW_PASS(tw_buffer_create_over_const(data, sizeof(int), tw_range_1d(N), &buffer));
    prefetch(queue, buffer);
    fill(data, N, 3);
    TW_PASS(tw_buffer_host_changed(buffer)); /* const for the library alone */
    TW_PASS(tw_buffer_set_final_data(buffer, last));
    prefetch(queue, buffer);
    TW_PASS(tw_buffer_destroy(&buffer));
    is_filled(last, N, 3);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Parts change on different sides; all come together, and only what is missing is moved. */
TW_TEST(parts_change_on_both_sides)
{
    enum { COUNT = ROWS * COLUMNS };
    static int host[COUNT], got[COUNT];
    tw_test_use_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_device *device = tw_queue_device(queues[0]), *other = tw_queue_device(queues[1]);
    int *memory = tw_malloc_device(device, COUNT * sizeof *memory);
    tw_buffer *buffer = NULL, *rows = NULL;
    poke(device, memory, COUNT, 0);
    TW_PASS(tw_buffer_create_over_device(memory, device, host, sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
    TW_PASS(tw_buffer_create_sub(buffer, tw_id_2d(6, 0), tw_range_2d(3, COLUMNS), &rows));
    update_host(queues[0], buffer);
    TW_PASS(tw_sim_reset(device));
    for (int i = 0; i < ROWS; ++i) /* two columns on the host */
        host[i * COLUMNS + 2] = host[i * COLUMNS + 3] = 7000;
    TW_PASS(tw_buffer_host_changed_part(buffer, tw_id_2d(0, 2), tw_range_2d(ROWS, 2)));
    poke(device, memory + 6 * COLUMNS, 3 * COLUMNS, 500); /* three rows on the device */
    TW_PASS(tw_buffer_device_changed(rows, device));
    TW_EQUAL(tw_sim_copied_bytes(device), 0);
    add_to(queues[0], buffer, 1); /* needs the host's columns, but for the three rows */
    TW_PASS(tw_queue_wait(queues[0]));
    TW_EQUAL(tw_sim_copied_bytes(device), (ROWS - 3) * 2 * sizeof(int));
    add_to(queues[1], buffer, 1);
    poke(device, memory, COLUMNS, 900);
    TW_PASS(tw_buffer_device_changed_part(buffer, device, tw_id_2d(0, 0), tw_range_2d(1, COLUMNS)));
    TW_PASS(tw_buffer_set_final_data(buffer, got));
    TW_PASS(tw_buffer_destroy(&rows));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j) {
            const int value = i == 0             ? 900 + j
                              : i >= 6 && i < 9  ? 502 + (i - 6) * COLUMNS + j
                              : j == 2 || j == 3 ? 7002
                                                 : i * COLUMNS + j + 2;
            TW_EQUAL(got[i * COLUMNS + j], value);
            TW_EQUAL(memory[i * COLUMNS + j], value);
        }
    tw_free(memory);
    tw_test_released(other);
    tw_test_destroy_queues(queues, 2);
}

/* A change is a write access: it waits for commands in flight on the part, and for no others. */
TW_TEST(a_change_is_ordered_as_a_host_accessor)
{
    static int data[N];
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    int *memory = tw_malloc_device(device, N * sizeof *memory);
    tw_host_accessor *shut = NULL;
    struct tw_gate mine = {.buffer = tw_test_int(0)}, gate;
    poke(device, memory, N, 0);
    tw_buffer *over = NULL, *half = NULL, *buffer = make(memory, device, NULL);
    TW_PASS(tw_buffer_create_over(data, sizeof(int), tw_range_1d(N), &over));
    TW_PASS(tw_buffer_create_sub(buffer, tw_id_1d(0), tw_range_1d(N / 2), &half));
    TW_PASS(tw_host_access(mine.buffer, TW_READ_WRITE, &shut)); /* the commands wait for this thread */
    submit_increase(queue, half, &mine, NULL);
    submit_increase(queue, over, &mine, NULL);
    TW_FAIL(tw_buffer_device_changed(buffer, device), TW_ERROR_WOULD_DEADLOCK);
    TW_FAIL(tw_buffer_device_changed(half, device), TW_ERROR_WOULD_DEADLOCK);
    TW_FAIL(tw_buffer_host_changed(over), TW_ERROR_WOULD_DEADLOCK);
    TW_PASS(tw_buffer_device_changed_part(buffer, device, tw_id_1d(N / 2), tw_range_1d(N / 2)));
    TW_PASS(tw_host_accessor_release(&shut));

    tw_gate_shut(&gate);
    tw_event *event = NULL;
    submit_increase(queue, buffer, &gate, &event);
    tw_gate_open(&gate);
    TW_PASS(tw_buffer_device_changed(buffer, device));
    TW_CHECK(tw_event_get_state(event) == TW_EVENT_COMPLETE);
    tw_event_release(&event);
    poke(device, memory, N, 40); /* the program's, until the next command */
    TW_PASS(tw_buffer_device_changed(buffer, device));
    add_to(queue, buffer, 1);
    TW_PASS(tw_buffer_destroy(&half));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_buffer_destroy(&over));
    expect(device, memory, N, 41);
    tw_gate_free(&gate);
    TW_PASS(tw_buffer_destroy(&mine.buffer));
    tw_free(memory);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Contents that were lost are there again once the program has made them. */
TW_TEST(a_change_ends_a_loss)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    int *memory = tw_malloc_device(device, N * sizeof *memory);
    tw_buffer *buffer = make(memory, device, NULL);
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_LAUNCH, 1));
    add_to(queue, buffer, 1);
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_LAUNCH_FAILED);
    tw_test_expect_lost(buffer);
    poke(device, memory, N, 0);
    TW_PASS(tw_buffer_device_changed(buffer, device));
    add_to(queue, buffer, 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    expect(device, memory, N, 1);
    tw_free(memory);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- memory that OpenMP has mapped ------------------------------------------------------------------------------- */

/* Adds to what OpenMP has mapped, by a target region. */
static void add_by_target(int *x, size_t first, size_t past, int term, int number)
{
#pragma omp target teams distribute parallel for device(number) map(alloc : x[0 : N])
    for (size_t i = first; i < past; ++i)
        x[i] += term;
}

/* Returns OpenMP's number of the device under test. For simulated devices the default device stands in, which is a CPU. */
static int omp_number_of(const tw_queue *queue)
{
    const int number = tw_device_omp_number(tw_queue_device(queue));
    return number >= 0 ? number : omp_get_default_device();
}

static tw_buffer *map(int *x, tw_device *device, tw_current current)
{
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_over_mapped(x, device, current, sizeof(int), tw_range_1d(N), &buffer));
    return buffer;
}

/* The side that is said to be current is, and both are in the end. */
TW_TEST(mapped_memory_begins_as_said_and_ends_current_on_both_sides)
{
    static int x[N];
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_device *device = tw_queue_device(queues[0]);
    const int number = omp_number_of(queues[0]);
    const bool is_separate = number != omp_get_initial_device();
    for (int way = 0; way < 9; ++way) {
        const tw_current current = (tw_current)(way % 3 + 1);
        fill(x, N, 0);
#pragma omp target enter data map(to : x) device(number)
        if (current == TW_CURRENT_DEVICE)
            add_by_target(x, 0, N, 100, number);
        if (current == TW_CURRENT_HOST)
            fill(x, N, 300);
        const int first = current == TW_CURRENT_DEVICE ? 100 : current == TW_CURRENT_HOST ? 300 : 0;
        tw_buffer *buffer = map(x, device, current);
        if (way / 3 == 1)
            add_to(queues[0], buffer, 1);
        if (way / 3 == 2)
            (void)add_on_host(buffer);
        TW_PASS(tw_buffer_destroy(&buffer));
        const int added = way / 3 == 1;
        is_filled(x + 1, N - 1, first + 1 + added);
        TW_EQUAL(x[0], first + added + (way / 3 == 2));
        if (is_separate)
            fill(x, N, -5000); /* the device's memory has the contents, too */
#pragma omp target update from(x) device(number)
        is_filled(x + 1, N - 1, first + 1 + added);
#pragma omp target exit data map(release : x) device(number)
    }
    tw_test_destroy_queues(queues, 2);
}

/* A code with target regions moves to kernels one by one: regions and kernels in turn, and both sides are told of. */
TW_TEST(kernels_take_turns_with_target_regions)
{
    static int x[N];
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_device *device = tw_queue_device(queues[0]);
    const int number = omp_number_of(queues[0]);
    int expected = 0;
    fill(x, N, 0);
#pragma omp target enter data map(to : x) device(number)
    tw_buffer *buffer = map(x, device, TW_CURRENT_BOTH);
    for (int i = 1; i < 6; ++i) {
        add_to(queues[i % 2], buffer, i);
        prefetch(queues[0], buffer); /* before the region uses the device's memory */
        add_by_target(x, 0, N, 10 * i, number);
        TW_PASS(tw_buffer_device_changed(buffer, device));
        add_to(queues[0], buffer, 100 * i);
        update_host(queues[0], buffer); /* before the program uses the host's memory */
        for (int j = 0; j < N; ++j)
            x[j] += 1000 * i;
        TW_PASS(tw_buffer_host_changed(buffer));
        expected += 1111 * i;
    }
    TW_PASS(tw_buffer_destroy(&buffer));
    is_filled(x, N, expected);
    add_by_target(x, 0, N, 1, number);
#pragma omp target exit data map(from : x) device(number)
    is_filled(x, N, expected + 1);
    tw_test_destroy_queues(queues, 2);
}

/* The kernels use the mapped memory itself, and the host accessors the host memory. */
TW_TEST(mapped_memory_is_used_itself)
{
    static int x[N];
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    const int number = omp_number_of(queue);
#pragma omp target enter data map(to : x) device(number)
    tw_buffer *buffer = map(x, device, TW_CURRENT_HOST);
    tw_command_group *cg = tw_queue_begin(queue);
    TW_CHECK(tw_read(cg, buffer) == omp_get_mapped_ptr(x, number));
    tw_command_group_discard(cg);
    TW_CHECK(add_on_host(buffer) == x);
    TW_PASS(tw_buffer_destroy(&buffer));
#pragma omp target exit data map(release : x) device(number)
    x[0] = 0;
    TW_PASS(tw_queue_destroy(&queue));
}

struct mapped {
    int *x;
};
static tw_status double_mapped(const void *block, const tw_native *native)
{
    int *x = ((const struct mapped *)block)->x;
    (void)native;
#pragma omp target teams distribute parallel for
    for (int i = 0; i < N; ++i)
        x[i] *= 2;
    return TW_SUCCESS;
}

/* A region that stays is a native task as it is: it finds mapped memory by the host's pointer, and needs no device. */
TW_TEST(native_tasks_find_mapped_memory_by_the_hosts_pointer)
{
    static int x[N];
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    const int number = omp_number_of(queue);
    int expected = 1;
    fill(x, N, 0);
#pragma omp target enter data map(to : x) device(number)
    tw_buffer *buffer = map(x, device, TW_CURRENT_BOTH);
    add_to(queue, buffer, 1);
    for (int i = 0; i < 8; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        (void)tw_read_write(cg, buffer);
        const struct mapped block = {x};
        tw_native_task(cg, double_mapped, &block, sizeof block);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        add_to(queue, buffer, 1);
        expected = 2 * expected + 1;
    }
    TW_PASS(tw_queue_wait(queue));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_update_host(cg, buffer);
    tw_test_run(queue, cg);
    TW_EQUAL(x[0], expected);
    TW_PASS(tw_buffer_destroy(&buffer));
#pragma omp target exit data map(release : x) device(number)
    TW_EQUAL(x[0], expected);
    TW_PASS(tw_queue_destroy(&queue));
}

/* What simulated devices find of native tasks, they find in mapped memory: a write to what the task only reads. */
TW_TEST(simulated_devices_watch_mapped_memory)
{
    static int x[N];
    tw_queue *first = tw_test_queue();
    const bool on_gpu = tw_device_is_gpu(tw_queue_device(first));
    TW_PASS(tw_queue_destroy(&first));
    if (on_gpu) /* whose memory they do not reach */
        TW_SKIP();
    tw_test_use_sim(1);
    setenv("TW_SIM_CHECK", "1", 1);
    tw_queue *queue = tw_test_queue();
    fill(x, N, 0);
#pragma omp target enter data map(to : x)
    tw_buffer *buffer = map(x, tw_queue_device(queue), TW_CURRENT_BOTH);
    tw_command_group *cg = tw_queue_begin(queue);
    (void)tw_read(cg, buffer);
    const struct mapped block = {x};
    tw_native_task(cg, double_mapped, &block, sizeof block);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_READ_ONLY_BUFFER);
    add_to(queue, buffer, 1); /* the contents were restored */
    TW_PASS(tw_buffer_destroy(&buffer));
#pragma omp target exit data map(release : x)
    is_filled(x, N, 1);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Simulated devices do not reach the memory of a default device that is a GPU, or none. */
TW_TEST(simulated_devices_need_a_default_device_that_they_reach)
{
    static int x[N];
    tw_buffer *buffer = NULL;
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    omp_set_default_device(omp_get_num_devices() + 1);
    TW_FAIL(tw_buffer_create_over_mapped(x, tw_queue_device(queue), TW_CURRENT_HOST, 4, tw_range_1d(N), &buffer),
            TW_ERROR_UNSUPPORTED);
    TW_CHECK(strstr(tw_error_detail(), "OMP_DEFAULT_DEVICE"));
    omp_set_default_device(omp_get_initial_device()); /* no region runs elsewhere: there is only the host memory */
    buffer = map(x, tw_queue_device(queue), TW_CURRENT_HOST);
    add_to(queue, buffer, 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(memory_that_is_not_mapped_is_refused)
{
    static int x[2 * N];
    tw_buffer *buffer = NULL;
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    const int number = omp_number_of(queue);
    const tw_range range = tw_range_1d(N);
    TW_FAIL(tw_buffer_create_over_mapped(x, NULL, TW_CURRENT_HOST, 4, range, &buffer), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_over_mapped(NULL, device, TW_CURRENT_HOST, 4, range, &buffer), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_over_mapped(x, device, (tw_current)0, 4, range, &buffer), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_over_mapped(x, device, (tw_current)4, 4, range, &buffer), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_over_mapped(x, device, TW_CURRENT_HOST, 4, range, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_create_over_mapped(x, device, TW_CURRENT_HOST, 0, range, &buffer), TW_ERROR_INVALID_ARGUMENT);
    if (number != omp_get_initial_device()) { /* the host's memory is always there */
        TW_FAIL(tw_buffer_create_over_mapped(x, device, TW_CURRENT_HOST, 4, range, &buffer), TW_ERROR_INVALID_ARGUMENT);
#pragma omp target enter data map(to : x[0 : N]) device(number)
        TW_FAIL(tw_buffer_create_over_mapped(x + 1, device, TW_CURRENT_HOST, 4, range, &buffer),
                TW_ERROR_INVALID_ARGUMENT);
        TW_CHECK(strstr(tw_error_detail(), "all"));
        TW_PASS(tw_buffer_create_over_mapped(x + 1, device, TW_CURRENT_HOST, 4, tw_range_1d(N - 1), &buffer));
        TW_PASS(tw_buffer_destroy(&buffer));
#pragma omp target exit data map(release : x[0 : N]) device(number)
    }
    TW_CHECK(!buffer);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

TW_TEST(wrong_changes_are_refused)
{
    static int host[N];
    tw_device *device = tw_test_device(0);
    int *memory = tw_malloc_device(device, N * sizeof *memory);
    const bool is_separate = !is_of_host(device);
    tw_buffer *buffer = make(memory, device, NULL), *plain = tw_test_ints(N, 0), *over = NULL;
    TW_PASS(tw_buffer_create_over(host, sizeof(int), tw_range_1d(N), &over));
    TW_FAIL(tw_buffer_host_changed(NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_device_changed(NULL, device), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_device_changed(buffer, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_host_changed(plain), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_device_changed(plain, device), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_buffer_device_changed(over, device), TW_ERROR_INVALID_ARGUMENT);
    if (is_separate)
        TW_FAIL(tw_buffer_host_changed(buffer), TW_ERROR_INVALID_ARGUMENT);
    else
        TW_PASS(tw_buffer_host_changed(buffer));
    TW_FAIL(tw_buffer_device_changed_part(buffer, device, tw_id_1d(N), tw_range_1d(1)), TW_ERROR_INVALID_RANGE);
    TW_FAIL(tw_buffer_device_changed_part(buffer, device, tw_id_2d(0, 0), tw_range_2d(1, 1)), TW_ERROR_INVALID_RANGE);
    TW_FAIL(tw_buffer_host_changed_part(over, tw_id_1d(1), tw_range_1d(N)), TW_ERROR_INVALID_RANGE);
    TW_PASS(tw_buffer_device_changed_part(buffer, device, tw_id_1d(N), tw_range_1d(0)));
    TW_PASS(tw_buffer_host_changed_part(over, tw_id_1d(N), tw_range_1d(0)));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_buffer_destroy(&plain));
    TW_PASS(tw_buffer_destroy(&over));
    tw_free(memory);
}

TW_TEST_LIST = {
    TW_CASE(the_program_changes_one_side_by_itself),
    TW_CASE(host_memory_of_any_buffer_may_be_changed),
    TW_CASE(parts_change_on_both_sides),
    TW_CASE(a_change_is_ordered_as_a_host_accessor),
    TW_CASE(a_change_ends_a_loss),
    TW_CASE(mapped_memory_begins_as_said_and_ends_current_on_both_sides),
    TW_CASE(kernels_take_turns_with_target_regions),
    TW_CASE(mapped_memory_is_used_itself),
    TW_CASE(native_tasks_find_mapped_memory_by_the_hosts_pointer),
    TW_CASE(simulated_devices_watch_mapped_memory),
    TW_CASE(simulated_devices_need_a_default_device_that_they_reach),
    TW_CASE(memory_that_is_not_mapped_is_refused),
    TW_CASE(wrong_changes_are_refused),
    TW_CASES_END,
};
