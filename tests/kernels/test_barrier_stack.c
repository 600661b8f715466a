/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/** TW_WORK_ITEM_STACK_KB (lower/group/nd_item.h): the size of the stacks on which work-items wait at barriers. A program of
 *  its own, because the library reads the variable once. */
#include "nd_range_test.h"

enum { STACK_KB = 1024 };

/* A macro may differ between passes: GPUs have stacks of their own, and no such variable. */
#if defined(__NVPTX__) || defined(__AMDGCN__)
#define PRIVATE_BYTES 64
#else
#define PRIVATE_BYTES (STACK_KB * 1024 - 32 * 1024)
#endif

struct remember {
    unsigned char *out;
    size_t stride;
};
static inline void remember(tw_nd_item item, const struct remember *k)
{
    unsigned char mine[PRIVATE_BYTES];
    const size_t l = tw_local_id(item, 0);
    unsigned char sum = 0;
    for (size_t i = 0; i < sizeof mine; ++i)
        mine[i] = (unsigned char)(l + i);
    tw_barrier(item, TW_LOCAL_SPACE);
    for (size_t i = 0; i < sizeof mine; i += k->stride)
        sum += (unsigned char)(mine[i] - i);
    k->out[tw_global_id(item, 0)] = sum;
}
enum { GROUPS = 3, SIZE = 21 };
TW_ND_RANGE_KERNEL(remember, SIZE); /* compiled once, so the frame has the array once without optimization too */

TW_TEST(stacks_of_the_size_that_the_environment_says)
{
    enum { STRIDE = 64 };
    unsigned char out[GROUPS * SIZE];
    char text[16];
    tw_buffer *buffer = NULL;
    snprintf(text, sizeof text, "%d", STACK_KB);
    setenv("TW_WORK_ITEM_STACK_KB", text, 1);
    ND_BEGIN(queue);
    if (tw_device_is_gpu(tw_queue_device(queue))) {
        TW_PASS(tw_queue_destroy(&queue));
        TW_SKIP();
    }
    TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(GROUPS * SIZE), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(GROUPS), tw_range_1d(SIZE)), remember,
                             .out = tw_discard_write(cg, buffer), .stride = STRIDE);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (size_t i = 0; i < GROUPS * SIZE; ++i)
        TW_EQUAL(out[i], (unsigned char)(i % SIZE * (PRIVATE_BYTES / STRIDE)));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(stacks_of_the_size_that_the_environment_says), TW_CASES_END};
