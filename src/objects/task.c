/* SPDX-License-Identifier: Apache-2.0 */
/* Records host tasks as the steps of command groups (teamwork/task.h). */
#include <teamwork/task.h>

#include <string.h>

#include "base/detail.h"
#include "command_group.h"
#include "runtime/host_task.h"

void tw_host_task(tw_command_group *group, tw_task_function function, const void *block, size_t bytes)
{
    if (!tw_command_group_begin_host_task(group, "tw_host_task"))
        return;
    if (!function || (!block && bytes)) {
        tw_command_group_fail(group, tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s of the host task is NULL",
                                             function ? "block" : "function"));
        return;
    }
    struct tw_host_task *task = tw_command_group_make_args(group, sizeof *task, bytes);
    if (!task)
        return;
    task->function = function;
    if (bytes)
        memcpy(task->block, block, bytes);
}

tw_status tw_task_fail(tw_status status, const char *message)
{
    return tw_fail(status, "%s", message ? message : "");
}
