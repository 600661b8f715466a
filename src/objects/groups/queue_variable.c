/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of one step that copy to and from variables of file scope (teamwork/variable.h). */
#include <teamwork/command_group.h>
#include <teamwork/variable.h>

tw_status tw_internal_queue_copy_to_variable(tw_queue *queue, void *variable, const void *value, size_t bytes,
                                             tw_event **event, const char *file, int line)
{
    tw_command_group *group = tw_queue_begin(queue);
    tw_copy_to_variable(group, variable, value, bytes);
    return tw_internal_submit(queue, group, event, file, line);
}

tw_status tw_internal_queue_copy_from_variable(tw_queue *queue, void *value, const void *variable, size_t bytes,
                                               tw_event **event, const char *file, int line)
{
    tw_command_group *group = tw_queue_begin(queue);
    tw_copy_from_variable(group, value, variable, bytes);
    return tw_internal_submit(queue, group, event, file, line);
}
