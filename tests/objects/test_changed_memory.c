/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 */
/** interop.h: what the program changes by itself and tells nobody, simulated devices report. What it tells, or may do, they
    do not. */
#include "device_buffer_test.h"

/* How the memory of a buffer is given: mapped to a device of its own or to the host, or allocated there. */
enum way { MAPPED, MAPPED_TO_ITSELF, ALLOCATED, WAYS };

struct place {
    tw_queue *queue;
    tw_device *device;
    int *host, *memory; /* on the device */
    enum way way;
    int number; /* of OpenMP's device that stands in */
    tw_buffer *buffer;
};

/* Makes a buffer of 0, 1, ..., which is current on the device and on the host. */
static struct place begin(enum way way)
{
    static int x[N], y[N];
    tw_test_use_sim(2);
    tw_queue *queue = tw_test_queue();
    struct place place = {.queue = queue, .device = tw_queue_device(queue), .host = way == MAPPED ? x : y, .way = way};
    omp_set_default_device(way == MAPPED ? 0 : omp_get_initial_device());
    place.number = omp_get_default_device();
    fill(place.host, N, 0);
    if (way == ALLOCATED) {
        place.memory = tw_malloc_device(place.device, N * sizeof(int));
        poke(place.device, place.memory, N, 0);
        place.buffer = make(place.memory, place.device, place.host);
        tw_command_group *cg = tw_queue_begin(queue);
        tw_update_host(cg, place.buffer);
        tw_test_run(queue, cg);
        return place;
    }
    int *host = place.host;
#pragma omp target enter data map(to : host[0 : N]) device(place.number)
    TW_PASS(
        tw_buffer_create_over_mapped(host, place.device, TW_CURRENT_BOTH, sizeof(int), tw_range_1d(N), &place.buffer));
    place.memory = omp_get_mapped_ptr(host, place.number);
    return place;
}

static void end(struct place *place, tw_status expected)
{
    TW_EQUAL(tw_buffer_destroy(&place->buffer), expected);
    TW_CHECK(!place->buffer);
    if (place->way == ALLOCATED) {
        tw_free(place->memory);
    } else {
        int *host = place->host;
#pragma omp target exit data map(release : host[0 : N]) device(place -> number)
    }
    TW_PASS(tw_queue_destroy(&place->queue));
}

/* Changes elements in the device's memory by a target region, or as the program may where the device is not OpenMP's. */
static void change_device(const struct place *place, size_t first, size_t past)
{
    int *x = place->host;
    for (size_t i = first; place->way == ALLOCATED && i < past; ++i)
        place->memory[i] += 100;
    if (place->way == ALLOCATED)
        return;
#pragma omp target teams distribute parallel for device(place->number) map(alloc : x[0 : N])
    for (size_t i = first; i < past; ++i)
        x[i] += 100;
}

/* Returns the contents, as the library has them. */
static const int *contents(const struct place *place)
{
    static int got[N];
    TW_PASS(tw_buffer_read(place->buffer, got));
    return got;
}

static void is_reported(tw_status status, const char *what, const char *remedy)
{
    TW_EQUAL(status, TW_ERROR_CHANGED_MEMORY);
    TW_CHECK(strstr(tw_error_detail(), what) != NULL);
    TW_CHECK(strstr(tw_error_detail(), remedy) != NULL);
}

static tw_status submit_add(tw_queue *queue, tw_buffer *buffer)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_2d(1, N), add, .data = tw_read_write(cg, buffer), .pitch = N, .term = 1);
    return tw_queue_submit(queue, cg, NULL);
}

static tw_status read_on_host(tw_buffer *buffer, int *value)
{
    tw_host_accessor *accessor = NULL;
    const tw_status status = tw_host_access(buffer, TW_READ, &accessor);
    if (status == TW_SUCCESS)
        *value = *(const int *)tw_host_accessor_const_data(accessor);
    TW_PASS(tw_host_accessor_release(&accessor));
    return status;
}

/* ---- what is reported -------------------------------------------------------------------------------------------- */

/* A region changes the device's memory: a host accessor would give old contents, and so would other devices. */
TW_TEST(a_change_of_the_devices_memory)
{
    for (enum way way = MAPPED; way < WAYS; ++way) {
        struct place place = begin(way);
        tw_queue *queues[2], *other;
        tw_test_queues(queues, 2);
        other = queues[1];
        int value = 0;
        TW_PASS(read_on_host(place.buffer, &value));
        change_device(&place, 7, N);
        for (int twice = 0; twice < 2; ++twice) {
            is_reported(read_on_host(place.buffer, &value), "element 7 of", "tw_buffer_device_changed()");
            is_reported(submit_add(place.queue, place.buffer), "element 7 of", "tw_buffer_device_changed()");
            is_reported(submit_add(other, place.buffer), "element 7 of", "tw_buffer_device_changed()");
        }
        TW_PASS(tw_buffer_device_changed(place.buffer, place.device));
        TW_PASS(submit_add(other, place.buffer));
        TW_PASS(submit_add(place.queue, place.buffer));
        TW_PASS(read_on_host(place.buffer, &value));
        TW_EQUAL(value, 2);
        is_filled(contents(&place), 7, 2);
        is_filled(contents(&place) + 7, N - 7, 109);
        end(&place, TW_SUCCESS);
        tw_test_destroy_queues(queues, 2);
    }
}

/* The same behind a kernel, when the contents are on the device alone. */
TW_TEST(a_change_behind_a_kernel)
{
    for (enum way way = MAPPED; way < WAYS; ++way) {
        struct place place = begin(way);
        int value = 0;
        for (int i = 0; i < 3; ++i)
            TW_PASS(submit_add(place.queue, place.buffer));
        TW_PASS(tw_queue_wait(place.queue));
        change_device(&place, 0, 1);
        is_reported(read_on_host(place.buffer, &value), "element 0 of", "tw_buffer_device_changed()");
        TW_PASS(tw_buffer_device_changed_part(place.buffer, place.device, tw_id_1d(0), tw_range_1d(1)));
        TW_PASS(read_on_host(place.buffer, &value));
        TW_EQUAL(value, 103);
        end(&place, TW_SUCCESS);
    }
}

/* The program writes to the host memory as if it were its own. */
TW_TEST(a_change_of_the_hosts_memory)
{
    for (enum way way = MAPPED; way < WAYS; ++way) {
        struct place place = begin(way);
        place.host[N - 1] = -1;
        is_reported(submit_add(place.queue, place.buffer), "element 999 of", "tw_buffer_host_changed()");
        TW_PASS(tw_buffer_host_changed(place.buffer));
        TW_PASS(submit_add(place.queue, place.buffer));
        TW_PASS(tw_queue_wait(place.queue));
        place.host[0] = -1; /* where its contents are old */
        is_reported(submit_add(place.queue, place.buffer), "element 0 of", "tw_buffer_host_changed()");
        place.host[0] = place.host == place.memory; /* again as it was */
        TW_PASS(submit_add(place.queue, place.buffer));
        TW_EQUAL(contents(&place)[0], 2);
        TW_EQUAL(contents(&place)[N - 1], 1);
        end(&place, TW_SUCCESS);
    }
}

TW_TEST(a_change_before_the_destruction)
{
    for (enum way way = MAPPED; way < WAYS; ++way) {
        struct place place = begin(way);
        change_device(&place, 5, 6);
        end(&place, TW_ERROR_CHANGED_MEMORY);
        TW_CHECK(strstr(tw_error_detail(), "tw_buffer_device_changed()"));
    }
}

struct block {
    int *x;
    int number;
};
static tw_status add_natively(const void *block, const tw_native *native)
{
    const struct block *k = block;
    int *x = k->x;
    (void)native;
#pragma omp target teams distribute parallel for device(k->number)
    for (size_t i = 0; i < N; ++i)
        x[i] += 1000;
    return TW_SUCCESS;
}

static void submit_native(const struct place *place, tw_buffer *accessed, int *x, int number)
{
    tw_command_group *cg = tw_queue_begin(place->queue);
    if (accessed)
        (void)tw_read_write(cg, accessed);
    const struct block block = {.x = x, .number = number};
    tw_native_task(cg, add_natively, &block, sizeof block);
    TW_PASS(tw_queue_submit(place->queue, cg, NULL));
}

/* A region of a native task names another device, and changes the host's memory. */
TW_TEST(a_native_task_on_another_device)
{
    struct place place = begin(MAPPED);
    const int numbers[] = {omp_get_initial_device(), place.number + 1};
    const bool is_separate = place.host != place.memory;
    for (int i = 0; i < 2 && is_separate && numbers[i] <= omp_get_initial_device(); ++i) {
        int value = 0;
        TW_PASS(tw_buffer_host_changed(place.buffer));
        submit_native(&place, place.buffer, place.host, place.number);
        TW_PASS(read_on_host(place.buffer, &value));
        submit_native(&place, place.buffer, place.host, numbers[i]);
        is_reported(read_on_host(place.buffer, &value), "on the host has changed", "device(native->omp_device)");
        TW_CHECK(strstr(tw_error_detail(), "test_changed_memory.c:"));
    }
    TW_PASS(tw_buffer_host_changed(place.buffer));
    end(&place, TW_SUCCESS);
}

/* What a native task changes without an accessor. */
TW_TEST(a_native_task_without_an_accessor)
{
    struct place place = begin(MAPPED);
    int value = 0;
    submit_native(&place, NULL, place.host, place.number);
    TW_PASS(tw_queue_wait(place.queue));
    is_reported(read_on_host(place.buffer, &value), "element 0 of", "a native task");
    TW_PASS(tw_buffer_device_changed(place.buffer, place.device));
    submit_native(&place, place.buffer, place.host, place.number);
    TW_PASS(read_on_host(place.buffer, &value));
    TW_EQUAL(value, 2000);
    end(&place, TW_SUCCESS);
}

/* With TW_SIM_CHECK, the host memory of any buffer. */
TW_TEST(a_change_under_a_plain_buffer)
{
    static int x[N];
    for (int checks = 0; checks < 2; ++checks)
        for (int is_const = 0; is_const < 2; ++is_const) {
            tw_test_use_sim(1);
            setenv("TW_SIM_CHECK", checks ? "1" : "0", 1);
            tw_queue *queue = tw_test_queue();
            tw_buffer *buffer = NULL, *out = tw_test_ints(N, 0);
            TW_PASS(is_const ? tw_buffer_create_over_const(x, sizeof(int), tw_range_1d(N), &buffer)
                             : tw_buffer_create_over(x, sizeof(int), tw_range_1d(N), &buffer));
            fill(x, N, 5); /* nobody has used it */
            for (int i = 0; i < 3; ++i) {
                tw_command_group *cg = tw_queue_begin(queue);
                tw_copy(cg, buffer, out);
                const tw_status status = tw_queue_submit(queue, cg, NULL);
                if (checks && i == 1)
                    is_reported(status, "element 4 of the buffer's memory on the host", "tw_buffer_host_changed()");
                else
                    TW_PASS(status);
                if (i == 1)
                    TW_PASS(tw_buffer_host_changed(buffer));
                TW_PASS(tw_queue_wait(queue));
                x[4] += i == 0;
            }
            int value = 0;
            TW_PASS(read_on_host(out, &value));
            TW_EQUAL(value, 5);
            x[0] = 6; /* who uses it there finds that, and the destruction changes nothing */
            TW_PASS(read_on_host(buffer, &value));
            TW_EQUAL(value, 6);
            TW_PASS(tw_buffer_destroy(&buffer));
            TW_PASS(tw_buffer_destroy(&out));
            TW_PASS(tw_queue_destroy(&queue));
        }
}

/* Of parts of three dimensions, whole in some and not in others: each change that is within is found, and no other one. */
TW_TEST(changes_within_and_beside_parts)
{
    enum { PLANES = 2, ROWS = 2, COLUMNS = 3, COUNT = PLANES * ROWS * COLUMNS };
    static int x[COUNT];
    const tw_range whole = tw_range_3d(PLANES, ROWS, COLUMNS);
    char named[64];
    tw_test_use_sim(1);
    setenv("TW_SIM_CHECK", "1", 1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL, *out = tw_test_ints(N, 0);
    TW_PASS(tw_buffer_create_over_const(x, sizeof(int), whole, &buffer));
    for (size_t box = 0; box < PLANES * PLANES * ROWS * ROWS * COLUMNS * COLUMNS; ++box) {
        const size_t z = box % 2, planes = box / 2 % 2 + 1, y = box / 4 % 2, rows = box / 8 % 2 + 1,
                     at = box / 16 % COLUMNS, columns = box / 16 / COLUMNS + 1;
        if (z + planes > PLANES || y + rows > ROWS || at + columns > COLUMNS)
            continue;
        for (size_t e = 0; e < COUNT; ++e) {
            const size_t plane = e / COLUMNS / ROWS, row = e / COLUMNS % ROWS, column = e % COLUMNS;
            const bool is_within = plane - z < planes && row - y < rows && column - at < columns;
            tw_command_group *cg = tw_queue_begin(queue);
            tw_read(cg, buffer); /* known from here on */
            tw_test_run(queue, cg);
            ++x[e];
            cg = tw_queue_begin(queue);
            tw_read_part(cg, buffer, tw_id_3d(z, y, at), tw_range_3d(planes, rows, columns));
            tw_parallel_for(cg, tw_range_2d(1, N), add, .data = tw_read_write(cg, out), .pitch = N, .term = 1);
            const tw_status status = tw_queue_submit(queue, cg, NULL);
            snprintf(named, sizeof named, "element %zu of", e);
            if (is_within)
                is_reported(status, named, "tw_buffer_host_changed()");
            else
                TW_PASS(status);
            TW_PASS(tw_queue_wait(queue));
            --x[e];
        }
    }
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- what is not ------------------------------------------------------------------------------------------------- */

/* A change is for those who need its part. */
TW_TEST(other_parts_are_in_use)
{
    for (enum way way = MAPPED; way < WAYS; ++way) {
        struct place place = begin(way);
        change_device(&place, 0, N / 2);
        add_part(place.queue, place.buffer, tw_id_1d(N / 2), tw_range_1d(N / 2), 1);
        TW_PASS(tw_buffer_device_changed_part(place.buffer, place.device, tw_id_1d(0), tw_range_1d(N / 2)));
        add_part(place.queue, place.buffer, tw_id_1d(0), tw_range_1d(N), 1);
        is_filled(contents(&place), N / 2, 101);
        is_filled(contents(&place) + N / 2, N / 2, N / 2 + 2);
        end(&place, TW_SUCCESS);
    }
}

/* The program makes the contents behind the buffer, where they alone are and before anybody has used them. */
TW_TEST(contents_that_nobody_has_used)
{
    for (int on_host = 0; on_host < 2; ++on_host) {
        struct place place = begin(MAPPED);
        int value = 0;
        TW_PASS(tw_buffer_destroy(&place.buffer));
        TW_PASS(tw_buffer_create_over_mapped(place.host, place.device, on_host ? TW_CURRENT_HOST : TW_CURRENT_DEVICE,
                                             sizeof(int), tw_range_1d(N), &place.buffer));
        for (int twice = 0; twice < 2; ++twice) {
            if (on_host)
                fill(place.host, N, 100);
            else
                change_device(&place, 0, N);
            if (!twice)
                TW_PASS(read_on_host(place.buffer, &value));
            TW_EQUAL(value, 100);
        }
        if (on_host)
            fill(place.host, N, 200);
        is_reported(submit_add(place.queue, place.buffer), "element 0 of", on_host ? "host_changed" : "device_changed");
        end(&place, TW_ERROR_CHANGED_MEMORY);
    }
}

/* Nobody needs what is discarded. */
TW_TEST(discarded_contents_may_change)
{
    for (enum way way = MAPPED; way < WAYS; ++way) {
        struct place place = begin(way);
        const int zero = 0;
        change_device(&place, 0, N);
        place.host[3] = -1;
        tw_command_group *cg = tw_queue_begin(place.queue);
        tw_fill(cg, place.buffer, &zero);
        TW_PASS(tw_queue_submit(place.queue, cg, NULL));
        TW_PASS(submit_add(place.queue, place.buffer));
        TW_EQUAL(contents(&place)[3], 1);
        end(&place, TW_SUCCESS);
    }
}

/* The host's memory may change while a kernel uses the device's, if that is said afterwards. */
TW_TEST(a_change_beside_a_kernel)
{
    for (enum way way = MAPPED; way < WAYS; way += ALLOCATED - MAPPED) {
        struct place place = begin(way);
        struct tw_gate gate;
        if (place.host == place.memory) {
            end(&place, TW_SUCCESS);
            continue;
        }
        tw_gate_shut(&gate);
        submit_increase(place.queue, place.buffer, &gate, NULL);
        fill(place.host, N, 50);
        tw_gate_open(&gate);
        TW_PASS(tw_buffer_host_changed(place.buffer));
        TW_PASS(submit_add(place.queue, place.buffer));
        is_filled(contents(&place), N, 51);
        end(&place, TW_SUCCESS);
        tw_gate_free(&gate);
    }
}

/* Kernels in flight that write parts which overlap; then what they wrote is known. */
TW_TEST(overlapping_parts_in_flight)
{
    for (enum way way = MAPPED; way < WAYS; ++way) {
        struct place place = begin(way);
        for (size_t i = 0; i < 60; ++i)
            add_part(place.queue, place.buffer, tw_id_1d(i % 7 * 100), tw_range_1d(400 - i % 5 * 50), 1);
        TW_PASS(tw_queue_wait(place.queue));
        change_device(&place, 150, 151);
        is_reported(submit_add(place.queue, place.buffer), "element 150 of", "tw_buffer_device_changed()");
        TW_PASS(tw_buffer_device_changed(place.buffer, place.device));
        end(&place, TW_SUCCESS);
    }
}

/* What a failed copy or kernel leaves is not known, and is nobody's change. */
TW_TEST(failures_are_no_changes)
{
    for (int n = 1; n < 6; ++n)
        for (enum way way = MAPPED; way < WAYS; ++way) {
            struct place place = begin(way);
            int value = 0;
            TW_PASS(tw_sim_fail_nth(place.device, (tw_sim_operation)(n % 2 ? TW_SIM_COPY : TW_SIM_LAUNCH),
                                    (uint64_t)(n + 1) / 2));
            for (int i = 0; i < 4; ++i) {
                (void)submit_add(place.queue, place.buffer);
                (void)tw_queue_wait(place.queue);
                TW_CHECK(read_on_host(place.buffer, &value) != TW_ERROR_CHANGED_MEMORY);
            }
            TW_PASS(tw_sim_reset(place.device));
            TW_PASS(tw_buffer_host_changed(place.buffer));
            end(&place, TW_SUCCESS);
        }
}

TW_TEST_LIST = {
    TW_CASE(a_change_of_the_devices_memory),
    TW_CASE(a_change_behind_a_kernel),
    TW_CASE(a_change_of_the_hosts_memory),
    TW_CASE(a_change_before_the_destruction),
    TW_CASE(a_native_task_on_another_device),
    TW_CASE(a_native_task_without_an_accessor),
    TW_CASE(a_change_under_a_plain_buffer),
    TW_CASE(changes_within_and_beside_parts),
    TW_CASE(other_parts_are_in_use),
    TW_CASE(contents_that_nobody_has_used),
    TW_CASE(discarded_contents_may_change),
    TW_CASE(a_change_beside_a_kernel),
    TW_CASE(overlapping_parts_in_flight),
    TW_CASE(failures_are_no_changes),
    TW_CASES_END,
};
