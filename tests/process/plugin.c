/* SPDX-License-Identifier: Apache-2.0 */
/* Launches the kernel of plugin.h, with a queue of the program or with one of its own. */
#include "plugin.h"

TW_DECLARE_RANGE_KERNEL(stamp);

plugin_submit PLUGIN_NAME(plugin_submit_, PLUGIN);
plugin_submit PLUGIN_NAME(plugin_submit_block_, PLUGIN);
plugin_run PLUGIN_NAME(plugin_run_, PLUGIN);

tw_status PLUGIN_NAME(plugin_submit_, PLUGIN)(tw_queue *queue, tw_buffer *buffer)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(tw_buffer_count(buffer)), stamp, .x = tw_discard_write(cg, buffer));
    return tw_queue_submit(queue, cg, NULL);
}

tw_status PLUGIN_NAME(plugin_submit_block_, PLUGIN)(tw_queue *queue, tw_buffer *buffer)
{
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(tw_buffer_count(buffer)), stamp, .x = tw_discard_write(cg, buffer));
    }
    return TW_SUCCESS;
}

/* Returns what the kernel has written, -1 if anything went wrong. With `leave_queue` the queue is not destroyed. */
int PLUGIN_NAME(plugin_run_, PLUGIN)(int leave_queue)
{
    int x[64] = {0};
    tw_queue *queue = NULL;
    tw_buffer *buffer = NULL;
    if (tw_queue_create(NULL, NULL, NULL, NULL, &queue) != TW_SUCCESS
        || tw_buffer_create_over(x, sizeof *x, tw_range_1d(64), &buffer) != TW_SUCCESS
        || PLUGIN_NAME(plugin_submit_, PLUGIN)(queue, buffer) != TW_SUCCESS || tw_buffer_destroy(&buffer) != TW_SUCCESS
        || (!leave_queue && tw_queue_destroy(&queue) != TW_SUCCESS))
        return -1;
    for (int i = 1; i < 64; ++i)
        if (x[i] != x[0])
            return -1;
    return x[0];
}
