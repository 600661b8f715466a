/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first program: a kernel writes the number of each work-item into a buffer, on the best device there is (the
 * environment variable TW_DEVICES chooses another). The buffer is made over an array of the program and brings the
 * result back to it when it is destroyed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <teamwork/teamwork.h>

/* A kernel is a C function over its argument block; struct and function share a name. */
struct simple {
    int *result;
};

static inline void simple(tw_item item, const struct simple *k)
{
    size_t i = tw_global_id(item, 0);
    k->result[i] = (int)i;
}
TW_RANGE_KERNEL(simple);

static void check(tw_status status)
{
    if (status != TW_SUCCESS) {
        fprintf(stderr, "%s: %s\n", tw_status_name(status), tw_error_detail());
        exit(1);
    }
}

int main(void)
{
    int data[1024] = {0};
    tw_queue *queue;
    tw_buffer *buffer;

    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    check(tw_buffer_create_over(data, sizeof data[0], tw_range_1d(1024), &buffer));

    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(1024), simple, .result = tw_discard_write(cg, buffer));
    check(tw_queue_submit(queue, cg, NULL)); /* asynchronous: the kernel may still run */

    check(tw_buffer_destroy(&buffer)); /* waits for the kernel; now `data` holds what it wrote */
    check(tw_queue_destroy(&queue));

    for (int i = 0; i < 1024; ++i)
        if (data[i] != i) {
            fprintf(stderr, "data[%d] = %d\n", i, data[i]);
            return 1;
        }
    printf("data[0] = %d ... data[1023] = %d\n", data[0], data[1023]);
    return 0;
}
