/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host */
/**
 * Queues over several devices: what random programs (tests/random) have found, each with as little as shows it.
 */
#include "tw_test.h"

#include <string.h>

#include <teamwork/usm.h>

enum { N = 64 };

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* Ends with four bytes of padding. */
struct padded {
    unsigned *out;
    unsigned term;
};
static inline void padded(tw_item item, const struct padded *k)
{
    k->out[tw_global_id(item, 0)] += k->term;
}
TW_RANGE_KERNEL(padded, 1);

struct turned {
    const unsigned *in;
    unsigned *out;
};
static inline void turned(tw_item item, const struct turned *k)
{
    k->out[tw_global_id(item, 0)] += k->in[tw_global_range(item, 0) - 1 - tw_global_id(item, 0)];
}
TW_RANGE_KERNEL(turned, 1);

/* ---- cases ------------------------------------------------------------------------------------------------------- */

/* What is left in the padding of a block is half of an address that an accessor gave. Together with the number in front of
   it, that is no address. */
TW_TEST(padding_is_no_address)
{
    static unsigned data[N];
    for (unsigned term = 0; term < 3; ++term) {
        tw_queue *queue = tw_test_queue_over(2, 0);
        tw_buffer *buffer = NULL;
        memset(data, 0, sizeof data);
        TW_PASS(tw_buffer_create_over(data, sizeof *data, tw_range_1d(N), &buffer));
        tw_command_group *cg = tw_queue_begin(queue);
        struct padded block;
        memset(&block, 0, sizeof block);
        block.out = tw_read_write(cg, buffer);
        block.term = term;
        memcpy((unsigned char *)&block + offsetof(struct padded, term) + sizeof block.term,
               (unsigned char *)&block.out + sizeof(uint32_t), sizeof(uint32_t));
        tw_parallel_for_kernel(cg, tw_range_1d(N), TW_KERNEL(padded), &block, sizeof block);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_buffer_destroy(&buffer));
        for (size_t i = 0; i < N; ++i)
            TW_EQUAL(data[i], term);
        TW_PASS(tw_queue_destroy(&queue));
    }
}

static void record_turn(tw_queue *queue, tw_buffer *in, tw_buffer *out)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), turned, .in = tw_read(cg, in), .out = tw_read_write(cg, out));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

/* A buffer is over shared memory of one of the devices: a copy there, within a graph, is one to the host. */
TW_TEST(graphs_copy_to_shared_memory)
{
    static unsigned data[N], expected[2][N], words[N];
    tw_queue *queue = tw_test_queue_over(2, 0);
    tw_device *device = tw_queue_device_at(queue, 0);
    tw_command_graph *graph = NULL;
    tw_buffer *over = NULL, *other = NULL;
    if (tw_device_is_gpu(device) || tw_queue_device_count(queue) < 2) {
        TW_PASS(tw_queue_destroy(&queue));
        TW_SKIP();
    }
    unsigned *memory = tw_malloc_shared(device, sizeof data);
    for (unsigned i = 0; i < N; ++i)
        memory[i] = expected[0][i] = data[i] = expected[1][i] = i * i;
    TW_PASS(tw_queue_set_division(queue, (double[]){1, 1}));
    TW_PASS(tw_buffer_create_over_device(memory, device, NULL, sizeof *data, tw_range_1d(N), &over));
    TW_PASS(tw_buffer_create_over(data, sizeof *data, tw_range_1d(N), &other));
    TW_PASS(tw_queue_begin_recording(queue));
    for (int round = 0; round < 4; ++round)
        record_turn(queue, round % 2 ? over : other, round % 2 ? other : over);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
    for (int round = 0; round < 4; ++round)
        for (int i = 0; i < N; ++i)
            expected[round % 2][i] += expected[1 - round % 2][N - 1 - i];
    TW_PASS(tw_buffer_read(over, words));
    TW_CHECK(memcmp(words, expected[0], sizeof words) == 0);
    TW_PASS(tw_buffer_destroy(&other));
    TW_CHECK(memcmp(data, expected[1], sizeof data) == 0);
    TW_PASS(tw_buffer_destroy(&over));
    tw_command_graph_destroy(&graph);
    tw_free(memory);
    TW_PASS(tw_queue_destroy(&queue));
}

/* A group of which a part has failed has begun all the same. */
TW_TEST(failed_groups_have_times)
{
    tw_device *devices[2];
    tw_queue *queue = NULL;
    tw_event *event = NULL;
    tw_event_times t;
    size_t found = 0;
    tw_test_use_sim(2);
    TW_PASS(tw_get_devices(TW_DEVICE_SIM, devices, 2, &found));
    TW_PASS(tw_queue_create_over(devices, 2, 0, NULL, NULL, &queue));
    TW_PASS(tw_queue_set_division(queue, (double[]){1, 1}));
    tw_buffer *in = tw_test_zeroed(sizeof(unsigned), N), *out = tw_test_zeroed(sizeof(unsigned), N);
    TW_PASS(tw_sim_fail_nth(devices[1], TW_SIM_LAUNCH, 1));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), turned, .in = tw_read(cg, in), .out = tw_read_write(cg, out));
    TW_PASS(tw_queue_submit(queue, cg, &event));
    TW_FAIL(tw_event_wait(event), TW_ERROR_LAUNCH_FAILED);
    TW_PASS(tw_event_get_times(event, &t));
    TW_CHECK(t.submit_ns <= t.ready_ns && t.ready_ns <= t.start_ns && t.start_ns <= t.end_ns);
    tw_event_release(&event);
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_LAUNCH_FAILED);
    TW_PASS(tw_sim_reset(devices[1]));
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(graphs_copy_to_shared_memory), TW_CASE(padding_is_no_address),
                TW_CASE(failed_groups_have_times), TW_CASES_END};
