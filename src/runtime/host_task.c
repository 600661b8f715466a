/* SPDX-License-Identifier: Apache-2.0 */
/* Calls functions of the program, which may call the library again. */
#include "host_task.h"

#include <stdio.h>

#include "base/detail.h"
#include "ready.h"

#define DETAIL_BYTES 1024

tw_status tw_host_task_run(const struct tw_command *command)
{
    const struct tw_host_task *task = (const struct tw_host_task *)(const void *)command->args;
    const struct tw_command *const awaited = tw_awaited;
    char before[DETAIL_BYTES], detail[DETAIL_BYTES];
    /* the thread may be one of the program that waits: what it knows is put aside */
    tw_awaited = NULL;
    tw_detail_of_task(false);
    snprintf(before, sizeof before, "%s", tw_error_detail());
    (void)tw_fail(TW_SUCCESS, "%s", "");
    tw_status status = task->function(task->block);
    snprintf(detail, sizeof detail, "%s", tw_error_detail());
    (void)tw_fail(TW_SUCCESS, "%s", before);
    tw_detail_of_task(true);
    tw_awaited = awaited;
    if (status == TW_SUCCESS)
        return command->bounds ? tw_bounds_check(command->bounds, NULL) : TW_SUCCESS;
    const char *name = tw_status_name(status);
    if (status == TW_ERROR_CANCELLED || (int)status < 0 || status >= TW_STATUS_COUNT)
        status = TW_ERROR_LAUNCH_FAILED;
    return detail[0] ? tw_fail(status, "%s", detail) : tw_fail(status, "a host task has returned %s", name);
}
