/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two devices at work on the same buffers: one produces, the other transforms, and what it makes is what the first
 * starts from in the next round. The program only says which kernel reads and writes what; the library orders the
 * kernels across the two queues and moves the data between the devices. Nothing waits before the end.
 *
 * It takes the first two devices that are visible, or the only one together with the host. To see it with two simulated
 * devices: TW_SIM=2 TW_DEVICES=sim.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <teamwork/teamwork.h>

enum { COUNT = 100000, ROUNDS = 8 };

/* Arithmetic on uint32_t wraps, so the result is exact whatever the device. */
struct produce {
    const uint32_t *state;
    uint32_t *wave;
    uint32_t round;
};

static inline void produce(tw_item item, const struct produce *k)
{
    size_t i = tw_global_id(item, 0);
    k->wave[i] = k->state[i] * 1664525u + k->round;
}
TW_RANGE_KERNEL(produce, 1);

struct transform {
    const uint32_t *wave;
    uint32_t *state;
};

/* Reads its neighbour too: a piece of the wave that did not arrive would show. */
static inline void transform(tw_item item, const struct transform *k)
{
    size_t i = tw_global_id(item, 0), next = i + 1 < COUNT ? i + 1 : 0;
    k->state[i] += k->wave[i] ^ k->wave[next];
}
TW_RANGE_KERNEL(transform, 1);

static void check(tw_status status)
{
    if (status != TW_SUCCESS) {
        fprintf(stderr, "%s: %s\n", tw_status_name(status), tw_error_detail());
        exit(1);
    }
}

static void choose_devices(tw_device *devices[2])
{
    size_t count;
    check(tw_get_devices(TW_DEVICE_ALL, devices, 2, &count));
    if (count == 0)
        check(tw_select_device(NULL, NULL, &devices[0]));
    if (count < 2)
        check(tw_select_device(tw_host_selector, NULL, &devices[1])); /* may be the same device again */
}

/* What the kernels do, one round after the other, in plain C. */
static void compute_expected(uint32_t *state)
{
    static uint32_t wave[COUNT];
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        for (size_t i = 0; i < COUNT; ++i)
            wave[i] = state[i] * 1664525u + round;
        for (size_t i = 0; i < COUNT; ++i)
            state[i] += wave[i] ^ wave[(i + 1) % COUNT];
    }
}

int main(void)
{
    static uint32_t state[COUNT], expected[COUNT];
    for (uint32_t i = 0; i < COUNT; ++i)
        state[i] = expected[i] = i;

    tw_device *devices[2];
    tw_queue *producer, *transformer;
    tw_buffer *states, *waves;
    choose_devices(devices);
    check(tw_queue_create_on_device(devices[0], NULL, NULL, &producer));
    check(tw_queue_create_on_device(devices[1], NULL, NULL, &transformer));
    check(tw_buffer_create_over(state, sizeof state[0], tw_range_1d(COUNT), &states));
    check(tw_buffer_create(sizeof(uint32_t), tw_range_1d(COUNT), &waves));

    for (uint32_t round = 0; round < ROUNDS; ++round) {
        tw_command_group *cg = tw_queue_begin(producer);
        tw_parallel_for(cg, tw_range_1d(COUNT), produce, .state = tw_read(cg, states),
                        .wave = tw_discard_write(cg, waves), .round = round);
        check(tw_queue_submit(producer, cg, NULL));

        cg = tw_queue_begin(transformer);
        tw_parallel_for(cg, tw_range_1d(COUNT), transform, .wave = tw_read(cg, waves),
                        .state = tw_read_write(cg, states));
        check(tw_queue_submit(transformer, cg, NULL));
    }
    printf("%d rounds on %s and %s\n", ROUNDS, tw_device_name(devices[0]), tw_device_name(devices[1]));

    check(tw_buffer_destroy(&waves));
    check(tw_buffer_destroy(&states)); /* waits for the last round */
    check(tw_queue_destroy(&producer));
    check(tw_queue_destroy(&transformer));

    compute_expected(expected);
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT; ++i)
        wrong += state[i] != expected[i];
    printf("%d numbers, %zu of them wrong\n", COUNT, wrong);
    return wrong != 0;
}
