/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host */
/**
 * Queues over several devices: what a device cannot run because of its limits, the others run. The host takes larger groups
 * and more local memory than simulated devices.
 */
#include "tw_test.h"

#include <stdlib.h>

enum { N = 65536, LARGE = 2048, PLENTY = 100 * 1024 };

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

struct add {
    unsigned *out;
    unsigned term;
};
static inline void add(tw_nd_item item, const struct add *k)
{
    k->out[tw_global_id(item, 0)] += k->term;
}
TW_ND_RANGE_KERNEL(add);

struct total {
    const unsigned *in;
    TW_REDUCTION(unsigned, TW_SUM) sum;
};
static inline void total(tw_nd_item item, const struct total *k)
{
    tw_combine(k->sum, k->in[tw_global_id(item, 0)]);
}
TW_ND_RANGE_REDUCTION(total, (), sum);

struct alone {
    unsigned *out;
};
static inline void alone(const struct alone *k)
{
    k->out[0] += 1;
}
TW_SINGLE_TASK(alone);

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

/* A queue over two simulated devices and the host, which is the last one. */
static tw_queue *queue_with_host(void)
{
    tw_device *devices[3];
    tw_queue *queue = NULL;
    size_t count = 0;
    tw_test_use_sim(2);
    setenv("TW_DEVICES", "sim,host", 1);
    TW_PASS(tw_get_devices(TW_DEVICE_SIM, devices, 2, &count));
    TW_EQUAL(count, 2);
    TW_PASS(tw_get_devices(TW_DEVICE_HOST, &devices[2], 1, &count));
    TW_EQUAL(count, 1);
    TW_PASS(tw_queue_create_over(devices, 3, 0, NULL, NULL, &queue));
    return queue;
}

static tw_command_group *record(tw_queue *queue, tw_buffer *buffer, size_t local)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(N), tw_range_1d(local)), add,
                             .out = tw_read_write(cg, buffer), .term = 1);
    return cg;
}

static uint64_t launches(tw_queue *queue)
{
    return tw_sim_count(tw_queue_device_at(queue, 0), TW_SIM_LAUNCH)
           + tw_sim_count(tw_queue_device_at(queue, 1), TW_SIM_LAUNCH);
}

static void check_all(tw_buffer *buffer, unsigned expected)
{
    static unsigned words[N];
    TW_PASS(tw_buffer_read(buffer, words));
    for (size_t i = 0; i < N; ++i)
        TW_EQUAL(words[i], expected);
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

TW_TEST(groups_too_large_for_a_device_run_on_others)
{
    tw_queue *queue = queue_with_host();
    tw_buffer *buffer = tw_test_zeroed(sizeof(unsigned), N);
    const uint64_t before = launches(queue);
    for (int i = 0; i < 3; ++i)
        TW_PASS(tw_queue_submit(queue, record(queue, buffer, LARGE), NULL));
    check_all(buffer, 3);
    TW_EQUAL(launches(queue), before);
    tw_test_refuse(queue, record(queue, buffer, 1 << 14), TW_ERROR_INVALID_WORK_GROUP_SIZE, "that a group can have");
    TW_PASS(tw_queue_submit(queue, record(queue, buffer, LARGE), NULL)); /* what all refuse says nothing about one */
    check_all(buffer, 4);
    TW_PASS(tw_queue_set_division(queue, NULL)); /* and this forgets who refused */
    TW_PASS(tw_queue_submit(queue, record(queue, buffer, 64), NULL));
    check_all(buffer, 5);
    TW_CHECK(launches(queue) > before);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_fixed_division_moves_nothing)
{
    tw_queue *queue = queue_with_host();
    tw_buffer *buffer = tw_test_zeroed(sizeof(unsigned), N);
    TW_PASS(tw_queue_set_division(queue, (double[]){1, 1, 1}));
    tw_test_refuse(queue, record(queue, buffer, LARGE), TW_ERROR_INVALID_WORK_GROUP_SIZE, "that a group can have");
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(reductions_and_local_memory_move_too)
{
    tw_queue *queue = queue_with_host();
    tw_buffer *buffer = tw_test_zeroed(sizeof(unsigned), N), *sum = tw_test_zeroed(sizeof(unsigned), 1);
    unsigned result = 0;
    TW_PASS(tw_queue_submit(queue, record(queue, buffer, 64), NULL));
    for (unsigned i = 1; i < 4; ++i) {
        TW_COMMAND_GROUP(queue, cg) {
            (void)tw_local(cg, PLENTY);
            tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(N), tw_range_1d(64)), total,
                                     .in = tw_read(cg, buffer), .sum = TW_REDUCE(cg, sum));
        }
        TW_PASS(tw_buffer_read(sum, &result));
        TW_EQUAL(result, i * N);
    }
    struct of_one {
        unsigned value;
    };
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(N), tw_range_1d(64)), total, .in = tw_read(cg, buffer),
                             .sum = TW_REDUCE_MEMBER(cg, sum, struct of_one, value));
    tw_test_refuse(queue, cg, TW_ERROR_UNSUPPORTED, "not into members of them");
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* The first device has failed: what is not divided goes to the next one, too, and what is leaves it out. */
TW_TEST(all_else_leaves_a_device_that_has_failed)
{
    tw_queue *queue = queue_with_host();
    tw_device *first = tw_queue_device_at(queue, 0);
    tw_buffer *buffer = tw_test_zeroed(sizeof(unsigned), N);
    const unsigned one = 1;
    unsigned result = 0;
    TW_PASS(tw_sim_fail_nth(first, TW_SIM_LAUNCH, 1));
    TW_COMMAND_GROUP(queue, cg)
        tw_single_task(cg, alone, .out = tw_read_write(cg, buffer));
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_LAUNCH_FAILED);
    const uint64_t launches = tw_sim_count(first, TW_SIM_LAUNCH), copies = tw_sim_count(first, TW_SIM_COPY);
    TW_COMMAND_GROUP(queue, cg)
        tw_fill(cg, buffer, &one);
    TW_COMMAND_GROUP(queue, cg)
        tw_fill_part(cg, buffer, tw_id_1d(0), tw_range_1d(100), &one);
    TW_COMMAND_GROUP(queue, cg)
        tw_prefetch(cg, buffer);
    TW_COMMAND_GROUP(queue, cg)
        tw_single_task(cg, alone, .out = tw_read_write(cg, buffer));
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_read_part(buffer, tw_id_1d(0), tw_range_1d(1), &result));
    TW_EQUAL(result, 2);
    TW_EQUAL(tw_sim_count(first, TW_SIM_LAUNCH), launches);
    TW_EQUAL(tw_sim_count(first, TW_SIM_COPY), copies);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(groups_too_large_for_a_device_run_on_others), TW_CASE(a_fixed_division_moves_nothing),
                TW_CASE(reductions_and_local_memory_move_too), TW_CASE(all_else_leaves_a_device_that_has_failed),
                TW_CASES_END};
