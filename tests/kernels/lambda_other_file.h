/* SPDX-License-Identifier: Apache-2.0 */
/* What both files of test_lambda.cpp have: a static function with a lambda, whose types have one name in both. */
#include <teamwork/lambda.h>
#include <teamwork/teamwork.h>

static tw_status store_number_of_file(tw_queue *queue, tw_buffer *out)
{
    tw_command_group *cg = tw_queue_begin(queue);
    int *to = tw_discard_write<int>(cg, out);
    tw::parallel_for(cg, tw_buffer_range(out), [=](tw_item item) { to[tw_global_id(item, 0)] = NUMBER_OF_FILE; });
    return tw_queue_submit(queue, cg, nullptr);
}

tw_status store_of_other_file(tw_queue *queue, tw_buffer *out);
