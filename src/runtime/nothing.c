/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that do nothing: their commands order others, and bring data to where it is needed. */
#include "complete.h"

static bool ready_locked(struct tw_task *task)
{
    tw_command_start_locked(task->command);
    return true;
}

static void describe(const struct tw_task *task, tw_tool_task *told)
{
    if (task->command->kernel) /* over an empty range */
        tw_kind_kernel.describe(task, told);
}

const struct tw_task_kind tw_kind_nothing = {
    .tool_kind = TW_TOOL_NOTHING,
    .name = "group without a body",
    .what = "a data movement",
    .ready_locked = ready_locked,
    .describe = describe,
};
