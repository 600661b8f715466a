/* SPDX-License-Identifier: Apache-2.0 */
/* Step 7 of the tutorial: the rod of step 2 on the best device and on the host, from the same source. */
#include "check.h"

enum { CELLS = 1000000, STEPS = 100 };

struct spread {
    const float *now;
    float *next;
};

static inline void spread(tw_item item, const struct spread *k)
{
    const size_t i = tw_global_id(item, 0), last = tw_global_range(item, 0) - 1;
    const bool inside = i > 0 && i < last;
    k->next[i] = inside ? 0.5f * k->now[i] + 0.25f * (k->now[i - 1] + k->now[i + 1]) : k->now[i];
}
TW_RANGE_KERNEL(spread, 1);

static const char *kind_of(const tw_device *device)
{
    return tw_device_is_gpu(device) ? "gpu" : tw_device_is_host(device) ? "host" : "cpu";
}

static void list_devices(void)
{
    tw_device *devices[16];
    size_t count;
    check(tw_get_devices(TW_DEVICE_ALL, devices, 16, &count));
    printf("devices:\n");
    for (size_t i = 0; i < count && i < 16; ++i)
        printf("    %s: %s%s\n", kind_of(devices[i]), tw_device_name(devices[i]),
               tw_kernel_is_available(TW_KERNEL(spread), devices[i]) ? "" : ": this program has no code for it");
}

/* The same launches whatever the device. `rod` is what they start from, and receives the result. */
static void compute(tw_queue *queue, float *rod)
{
    tw_buffer *rods[2];
    check(tw_buffer_create_over(rod, sizeof rod[0], tw_range_1d(CELLS), &rods[0]));
    check(tw_buffer_create(sizeof rod[0], tw_range_1d(CELLS), &rods[1]));
    for (int step = 0; step < STEPS; ++step) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(CELLS), spread, .now = tw_read(cg, rods[step % 2]),
                        .next = tw_discard_write(cg, rods[(step + 1) % 2]));
        check(tw_queue_submit(queue, cg, NULL));
    }
    check(tw_buffer_destroy(&rods[0])); /* STEPS is even: the result is here */
    check(tw_buffer_destroy(&rods[1]));
}

int main(void)
{
    static float here[CELLS], there[CELLS];
    for (int i = 0; i < CELLS; ++i)
        here[i] = there[i] = (float)(i % 100);
    list_devices();

    tw_queue *queue;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue)); /* a GPU, if there is one and the program has code for it */
    printf("computing on %s: %s\n", kind_of(tw_queue_device(queue)), tw_device_name(tw_queue_device(queue)));
    compute(queue, there);
    check(tw_queue_destroy(&queue));

    check(tw_queue_create(tw_host_selector, NULL, NULL, NULL, &queue));
    compute(queue, here);
    check(tw_queue_destroy(&queue));

    int different = 0;
    for (int i = 0; i < CELLS; ++i)
        different += here[i] != there[i];
    printf("%d of %d cells differ from the host's\n", different, CELLS);
    return different != 0;
}
