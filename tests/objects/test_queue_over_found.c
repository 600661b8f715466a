/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host */
/**
 * Queues over several devices: what random programs (tests/random) have found, each with as little as shows it.
 */
#include "tw_test.h"

#include <string.h>

enum { N = 64, MOST = 8 };

TW_TEST_ONE_THREAD

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

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

/* A queue over `count` devices, or as many as there are. */
static tw_queue *queue_over(size_t count, unsigned properties)
{
    tw_device *devices[MOST];
    size_t found = 0;
    tw_queue *queue = NULL;
    TW_PASS(tw_get_devices(TW_DEVICE_ALL, devices, MOST, &found));
    found = found > MOST ? MOST : found;
    TW_PASS(tw_queue_create_over(devices, count < found ? count : found, properties, NULL, NULL, &queue));
    return queue;
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

/* What is left in the padding of a block is half of an address that an accessor gave. Together with the number in front of
   it, that is no address. */
TW_TEST(padding_is_no_address)
{
    static unsigned data[N];
    for (unsigned term = 0; term < 3; ++term) {
        tw_queue *queue = queue_over(2, 0);
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

TW_TEST_LIST = {TW_CASE(padding_is_no_address), TW_CASES_END};
