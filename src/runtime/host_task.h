/* SPDX-License-Identifier: Apache-2.0 */
/** Host tasks (teamwork/task.h): the bodies of commands of kind TW_TASK_HOST. */
#ifndef TEAMWORK_RUNTIME_HOST_TASK_H
#define TEAMWORK_RUNTIME_HOST_TASK_H

#include <stddef.h>

#include <teamwork/status.h>

#include "command.h"

/* The argument block of such a command. */
struct tw_host_task {
    tw_status (*function)(const void *block);
    _Alignas(max_align_t) unsigned char block[];
};

/* Calls the function. Without the lock. */
tw_status tw_host_task_run(const struct tw_command *command);

#endif
