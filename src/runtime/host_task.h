/* SPDX-License-Identifier: Apache-2.0 */
/** Host tasks and native tasks (teamwork/task.h): the bodies of commands of kind TW_TASK_HOST and TW_TASK_NATIVE. */
#ifndef TEAMWORK_RUNTIME_HOST_TASK_H
#define TEAMWORK_RUNTIME_HOST_TASK_H

#include <stddef.h>

#include <teamwork/task.h>

#include "command.h"

/* The argument block of such a command. */
struct tw_host_task {
    tw_task_function function; /* NULL: a native task */
    tw_native_function native_function;
    tw_native native;                   /* without a stream */
    const char *name;                   /* of the function, for tools */
    bool enqueues;                      /* the function uses a stream, if there is one */
    int omp_device;                     /* OpenMP's default device for the function */
    int (*omp_set_default)(int number); /* tw_backend_interop */
    _Alignas(max_align_t) unsigned char block[];
};

/* Calls the function. Without the lock. */
tw_status tw_host_task_run(struct tw_command *command);
/* The same for a backend's streams; `command` is a struct tw_command, and `stream` the device's own, or NULL. */
tw_status tw_host_task_call(const void *command, void *stream);
/* Returns the ordering domain of a native task, or NULL; as tw_command_domain(). */
const void *tw_host_task_domain(const struct tw_command *command);

#endif
