/* SPDX-License-Identifier: Apache-2.0 */
/* Step 7 of the tutorial, solution of the exercise: a selector of one's own, for the device with the most memory. */
#include "check.h"

/* A score for each device; the highest wins. Below zero the device is not taken. */
static int most_memory(const tw_device *device, void *user)
{
    (void)user;
    uint64_t bytes = 0;
    if (tw_device_info(device, TW_DEVICE_INFO_GLOBAL_MEM_SIZE, &bytes, sizeof bytes) != TW_SUCCESS)
        return -1;
    return (int)(bytes >> 20); /* in MiB */
}

struct fill {
    int *out;
};

static inline void fill(tw_item item, const struct fill *k)
{
    k->out[tw_global_id(item, 0)] = 42;
}
TW_RANGE_KERNEL(fill, 1);

int main(void)
{
    int out[1000] = {0};
    tw_queue *queue;
    tw_buffer *outs;
    check(tw_queue_create(most_memory, NULL, NULL, NULL, &queue));
    check(tw_buffer_create_over(out, sizeof out[0], tw_range_1d(1000), &outs));

    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(1000), fill, .out = tw_discard_write(cg, outs));
    check(tw_queue_submit(queue, cg, NULL));
    check(tw_buffer_destroy(&outs));

    printf("%s: out[999] = %d\n", tw_device_name(tw_queue_device(queue)), out[999]);
    check(tw_queue_destroy(&queue));
    return out[999] != 42;
}
