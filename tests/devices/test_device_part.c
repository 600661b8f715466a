/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host (gpu-simt gpu-teams) */
/**
 * device.h: sub-devices of devices with memory of their own, as GPUs are divided by green contexts: how many there are,
 * that all of them and the whole device have the same memory, and that all kinds of groups run there. On a GPU also
 * which multiprocessors run their kernels. What is said of the host is in test_sub_device.c.
 */
#include "step_kernel.h"

#include <teamwork/command_graph.h>
#include <teamwork/copy.h>
#include <teamwork/sim.h>
#include <teamwork/usm.h>

enum { MOST = 64, N = 4096, ROUNDS = 20, WORK_ITEMS = 1 << 18, UNITS = 1024 };

static size_t answer(const tw_device *device, tw_device_info_id question)
{
    size_t value = 0;
    TW_PASS(tw_device_info(device, question, &value, sizeof value));
    return value;
}

static size_t units_of(const tw_device *device)
{
    return answer(device, TW_DEVICE_INFO_MAX_COMPUTE_UNITS);
}

/* The device under test if it can be divided as described here; else NULL. */
static tw_device *divisible(void)
{
    tw_device *device = NULL;
    TW_PASS(tw_select_device(NULL, NULL, &device));
    return !tw_device_is_host(device) && answer(device, TW_DEVICE_INFO_PARTITION_MAX_SUB_DEVICES) ? device : NULL;
}

/* Divides a device into as many sub-devices as possible. Stores MOST at most. */
static size_t divide(tw_device *device, tw_device **parts)
{
    const size_t most = answer(device, TW_DEVICE_INFO_PARTITION_MAX_SUB_DEVICES);
    size_t count = 0, units = 1;
    while (tw_device_create_sub_devices_equally(device, units, parts, MOST, &count) == TW_ERROR_INVALID_ARGUMENT)
        TW_CHECK(++units <= units_of(device));
    TW_EQUAL(count, most);
    return count < MOST ? count : MOST;
}

/* A queue on a part; NULL if its device only runs kernels that OpenMP launches, which a part refuses. */
static tw_queue *queue_on(tw_device *part, unsigned properties)
{
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create_with_properties(NULL, part, properties, NULL, NULL, &queue));
    tw_buffer *x = tw_test_ints(1, 1);
    const tw_status status = tw_queue_submit(queue, step_group(queue, x, 1), NULL);
    if (status == TW_SUCCESS)
        tw_test_expect_ints(x, 4);
    else
        TW_EQUAL(status, TW_ERROR_UNSUPPORTED);
    TW_PASS(tw_buffer_destroy(&x));
    if (status != TW_SUCCESS)
        TW_PASS(tw_queue_destroy(&queue));
    return queue;
}

/* ---- how they are made ------------------------------------------------------------------------------------------- */

TW_TEST(parts_have_the_units_that_were_asked_for)
{
    tw_device *device = divisible(), *parts[MOST], *again[MOST], *parent = NULL;
    if (!device)
        TW_SKIP();
    unsigned ways = 0;
    tw_partition type = TW_PARTITION_NONE;
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_PARTITION_PROPERTIES, &ways, sizeof ways));
    TW_EQUAL(ways, TW_PARTITION_EQUALLY);
    const size_t count = divide(device, parts), units = units_of(parts[0]);
    TW_CHECK(units * count <= units_of(device));
    TW_EQUAL(divide(device, again), count);
    TW_CHECK(!memcmp(parts, again, count * sizeof parts[0]));
    for (size_t i = 0; i < count; ++i) {
        TW_EQUAL(units_of(parts[i]), units);
        TW_PASS(tw_device_info(parts[i], TW_DEVICE_INFO_PARENT_DEVICE, &parent, sizeof(tw_device *)));
        TW_CHECK(parent == device && tw_device_platform(parts[i]) == tw_device_platform(device));
        TW_PASS(tw_device_info(parts[i], TW_DEVICE_INFO_PARTITION_TYPE, &type, sizeof type));
        TW_EQUAL(type, TW_PARTITION_EQUALLY);
        TW_CHECK(strstr(tw_device_name(parts[i]), tw_device_name(device)) == tw_device_name(parts[i]));
        TW_CHECK(strchr(tw_device_name(parts[i]), '[') != NULL);
        TW_EQUAL(answer(parts[i], TW_DEVICE_INFO_GLOBAL_MEM_SIZE), answer(device, TW_DEVICE_INFO_GLOBAL_MEM_SIZE));
    }
}

TW_TEST(what_cannot_be_divided)
{
    tw_device *device = divisible(), *parts[MOST], *none = NULL;
    if (!device) { /* an older driver, or OpenMP's launches */
        TW_PASS(tw_select_device(NULL, NULL, &device));
        size_t count = 0;
        if (!tw_device_is_host(device))
            TW_FAIL(tw_device_create_sub_devices_equally(device, 1, &none, 1, &count), TW_ERROR_UNSUPPORTED);
        return;
    }
    const size_t units[1] = {units_of(device)};
    size_t count = 99;
    TW_FAIL(tw_device_create_sub_devices_equally(device, 0, &none, 1, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_device_create_sub_devices_equally(device, units[0] + 1, &none, 1, &count), TW_ERROR_INVALID_ARGUMENT);
    if (tw_device_is_gpu(device))
        TW_FAIL(tw_device_create_sub_devices_equally(device, 1, &none, 1, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_device_create_sub_devices_by_counts(device, units, 1, &none, 1, &count), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_device_create_sub_devices_by_affinity_domain(device, TW_AFFINITY_NUMA, &none, 1, &count),
            TW_ERROR_UNSUPPORTED);
    TW_CHECK(count == 99 && !none);
    divide(device, parts);
    const size_t of_part = units_of(parts[0]);
    TW_FAIL(tw_device_create_sub_devices_equally(parts[0], of_part, &none, 1, &count), TW_ERROR_UNSUPPORTED);
    TW_EQUAL(answer(parts[0], TW_DEVICE_INFO_PARTITION_MAX_SUB_DEVICES), 0);
}

/* ---- what runs on them ------------------------------------------------------------------------------------------- */

/* The parts and the whole device take turns at a buffer, and nothing is copied for that. */
TW_TEST(parts_have_the_memory_of_the_whole)
{
    tw_device *device = divisible(), *parts[MOST];
    tw_queue *queues[3] = {NULL};
    if (!device)
        TW_SKIP();
    const size_t count = divide(device, parts) < 2 ? 1 : 2;
    if (!(queues[0] = queue_on(parts[0], 0)))
        TW_SKIP();
    if (count == 2)
        queues[1] = queue_on(parts[1], 0);
    TW_PASS(tw_queue_create_on_device(device, NULL, NULL, &queues[count]));
    tw_buffer *x = tw_test_ints(N, 1);
    unsigned expected = 1;
    submit_step(queues[count], x, 0);
    TW_PASS(tw_queue_wait(queues[count]));
    expected *= 3;
    const bool is_simulated = tw_device_has(device, TW_ASPECT_EMULATED);
    const uint64_t copied = is_simulated ? tw_sim_copied_bytes(device) : 0;
    for (int round = 0; round < ROUNDS; ++round)
        for (size_t i = 0; i <= count; ++i) {
            submit_step(queues[i], x, (int)i);
            expected = 3 * expected + (unsigned)i;
        }
    for (size_t i = 0; i <= count; ++i)
        TW_PASS(tw_queue_wait(queues[i]));
    if (is_simulated)
        TW_EQUAL(tw_sim_copied_bytes(device), copied);
    tw_test_expect_ints(x, (int)expected);
    tw_test_destroy_queues(queues, count + 1);
    TW_PASS(tw_buffer_destroy(&x));
}

struct total {
    const unsigned *x;
    TW_REDUCTION(unsigned, TW_SUM) sum;
};
static inline void total(tw_item item, const struct total *k)
{
    tw_combine(k->sum, k->x[tw_global_id(item, 0)]);
}
TW_RANGE_REDUCTION(total, 1, sum);

struct raw_step {
    unsigned *x;
};
static inline void raw_step(tw_item item, const struct raw_step *k)
{
    k->x[tw_global_id(item, 0)] += 5;
}
TW_RANGE_KERNEL(raw_step, 1);

struct count_down {
    int *left;
};
static inline void count_down(const struct count_down *k)
{
    --*k->left;
}
TW_SINGLE_TASK(count_down);

/* Fills, copies and reduces. */
static void use_buffers(tw_queue *queue, tw_buffer *x)
{
    const unsigned seven = 7;
    tw_buffer *y = tw_test_ints(N, 0), *sum = tw_test_int(0);
    TW_COMMAND_GROUP(queue, cg) {
        tw_fill(cg, x, &seven);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_copy(cg, x, y);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), total, .x = tw_read(cg, y), .sum = TW_REDUCE_INIT(cg, sum));
    }
    TW_EQUAL(value_of(sum), 7 * N);
    tw_test_destroy_buffers((tw_buffer *[]){y, sum}, 2);
}

/* Memory that is allocated for a part is the whole device's. */
static void use_usm(tw_queue *queue, tw_device *part, const tw_device *whole)
{
    static unsigned values[N];
    const unsigned seven = 7;
    unsigned *raw = (unsigned *)tw_malloc_device(part, sizeof values);
    unsigned *pooled = (unsigned *)tw_malloc_async(queue, sizeof values);
    TW_CHECK(raw && pooled && tw_pointer_get_device(raw) == whole);
    TW_COMMAND_GROUP(queue, cg) {
        tw_mem_fill(cg, raw, &seven, sizeof seven, N);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_memcpy(cg, pooled, raw, sizeof values);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), raw_step, .x = pooled);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_memcpy(cg, values, pooled, sizeof values);
    }
    TW_PASS(tw_free_async(queue, pooled));
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_CHECK(values[0] == 12 && values[N - 1] == 12);
    tw_free(raw);
}

/* A loop of four steps, and a step. */
static void use_graph(tw_queue *queue, tw_buffer *x)
{
    tw_command_graph *graph = NULL;
    tw_buffer *left = tw_test_int(4);
    TW_PASS(tw_queue_begin_recording(queue));
    TW_PASS(tw_queue_begin_while(queue, left, 0));
    submit_step(queue, x, 1);
    TW_COMMAND_GROUP(queue, cg) {
        tw_single_task(cg, count_down, .left = tw_read_write(cg, left));
    }
    TW_PASS(tw_queue_end_while(queue));
    submit_step(queue, x, 2);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&left));
}

TW_TEST(every_kind_of_group_runs)
{
    tw_device *device = divisible(), *parts[MOST];
    tw_queue *queue = NULL;
    if (!device)
        TW_SKIP();
    divide(device, parts);
    if (!(queue = queue_on(parts[0], TW_QUEUE_IN_ORDER | TW_QUEUE_PROFILING)))
        TW_SKIP();
    tw_buffer *x = tw_test_ints(N, 1);
    use_buffers(queue, x);
    use_usm(queue, parts[0], device);
    use_graph(queue, x);
    tw_test_expect_ints(x, ((((7 * 3 + 1) * 3 + 1) * 3 + 1) * 3 + 1) * 3 + 2);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* One launch runs on several parts, as on several devices; their memory is one. */
TW_TEST(a_queue_over_parts_divides_its_launches)
{
    tw_device *device = divisible(), *parts[MOST];
    tw_queue *queue = NULL;
    if (!device || divide(device, parts) < 2 || !(queue = queue_on(parts[0], 0)))
        TW_SKIP();
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_queue_create_over(parts, 2, 0, NULL, NULL, &queue));
    tw_buffer *x = tw_test_ints(N, 1), *sum = tw_test_int(0);
    unsigned expected = 1;
    for (int i = 0; i < ROUNDS; ++i) {
        submit_step(queue, x, i);
        expected = 3 * expected + (unsigned)i;
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), total, .x = tw_read(cg, x), .sum = TW_REDUCE_INIT(cg, sum));
    }
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_EQUAL((unsigned)value_of(sum), N * expected);
    tw_test_expect_ints(x, (int)expected);
    tw_test_destroy_buffers((tw_buffer *[]){x, sum}, 2);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Notes the multiprocessor that runs a work-item, which takes a while: so that all of them have some. */
struct note_unit {
    unsigned *used;
};
static inline void note_unit(tw_item item, const struct note_unit *k)
{
    unsigned unit = 0, waste = (unsigned)tw_global_id(item, 0);
#ifdef __NVPTX__
    __asm__ volatile("mov.u32 %0, %%smid;" : "=r"(unit));
#endif
    for (int i = 0; i < 200; ++i)
        waste = waste * 1664525u + 1013904223u;
    tw_atomic_fetch_or(&k->used[unit % UNITS], 1u + (waste == 12345u) * 2u);
}
TW_RANGE_KERNEL(note_unit, 1);

/* Adds the multiprocessors that a kernel on a queue runs on. Returns how many. */
static size_t find_units(tw_queue *queue, bool *used)
{
    static unsigned units[UNITS];
    size_t count = 0;
    tw_buffer *buffer = tw_test_ints(UNITS, 0);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(WORK_ITEMS), note_unit, .used = tw_read_write(cg, buffer));
    tw_test_run(queue, cg);
    tw_test_fetch(buffer, units);
    for (size_t i = 0; i < UNITS; ++i) {
        count += units[i] != 0;
        used[i] = units[i] != 0;
    }
    TW_PASS(tw_buffer_destroy(&buffer));
    return count;
}

/* The driver may give a part two more multiprocessors than it has asked for, and share these. */
TW_TEST(kernels_run_on_the_multiprocessors_of_their_part)
{
    tw_device *device = divisible(), *parts[MOST];
    tw_queue *queues[3] = {NULL};
    static bool used[3][UNITS];
    if (!device || !tw_device_is_gpu(device))
        TW_SKIP();
    if (divide(device, parts) < 2 || !(queues[0] = queue_on(parts[0], 0)))
        TW_SKIP();
    queues[1] = queue_on(parts[1], 0);
    TW_PASS(tw_queue_create_on_device(device, NULL, NULL, &queues[2]));
    for (int round = 0; round < 30; ++round) { /* also by what is launched repeatedly */
        size_t common = 0;
        for (int i = 0; i < 3; ++i) {
            const size_t count = find_units(queues[i], used[i]);
            if (i < 2)
                TW_CHECK(count >= 1 && count <= units_of(parts[i]) + 2);
            else
                TW_CHECK(count > units_of(parts[0]) + 2);
        }
        for (size_t i = 0; i < UNITS; ++i)
            common += used[0][i] && used[1][i];
        TW_CHECK(common <= 2);
    }
    tw_test_destroy_queues(queues, 3);
}

TW_TEST_LIST = {TW_CASE(parts_have_the_units_that_were_asked_for),
                TW_CASE(what_cannot_be_divided),
                TW_CASE(parts_have_the_memory_of_the_whole),
                TW_CASE(every_kind_of_group_runs),
                TW_CASE(a_queue_over_parts_divides_its_launches),
                TW_CASE(kernels_run_on_the_multiprocessors_of_their_part),
                TW_CASES_END};
