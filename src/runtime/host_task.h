/* SPDX-License-Identifier: Apache-2.0 */
/** Host tasks and native tasks (teamwork/task.h): the bodies of tw_kind_host and tw_kind_native. */
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

#endif
