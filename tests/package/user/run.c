/* SPDX-License-Identifier: Apache-2.0 */
/* Launches the kernels of scale.h on the default device and checks the result; says which kind of device it was. */
#include "run.h"

#include <stdio.h>

#include "scale.h"

enum { COUNT = 1000, GROUP = 50 };

int run(void)
{
    float data[COUNT];
    for (int i = 0; i < COUNT; ++i)
        data[i] = (float)i;

    tw_queue *queue = NULL;
    tw_buffer *buffer = NULL;
    tw_status status = tw_queue_create(NULL, NULL, NULL, NULL, &queue);
    if (status == TW_SUCCESS)
        status = tw_buffer_create_over(data, sizeof data[0], tw_range_1d(COUNT), &buffer);
    if (status == TW_SUCCESS) {
        printf("%s\n", tw_queue_is_host(queue) ? "host" : "offload");
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(COUNT), scale, .factor = 3.0f, .data = tw_read_write(cg, buffer));
        status = tw_queue_submit(queue, cg, NULL);
    }
    if (status == TW_SUCCESS) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_work_group(cg, tw_range_1d(COUNT / GROUP), tw_range_1d(GROUP), shift,
                                   .data = tw_read_write(cg, buffer));
        status = tw_queue_submit(queue, cg, NULL);
    }
    tw_status destroyed = tw_buffer_destroy(&buffer);
    if (status == TW_SUCCESS)
        status = destroyed;
    destroyed = tw_queue_destroy(&queue);
    if (status == TW_SUCCESS)
        status = destroyed;
    if (status != TW_SUCCESS) {
        printf("%s: %s\n", tw_status_name(status), tw_error_detail());
        return 1;
    }
    for (int i = 0; i < COUNT; ++i)
        if (data[i] != 3.0f * (float)i + 1)
            return printf("data[%d] is %g\n", i, (double)data[i]), 1;
    return 0;
}
