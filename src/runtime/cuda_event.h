/* SPDX-License-Identifier: Apache-2.0 */
/** The bodies of commands of kind TW_TASK_CUDA, which always have an ordering domain. */
#ifndef TEAMWORK_RUNTIME_CUDA_EVENT_H
#define TEAMWORK_RUNTIME_CUDA_EVENT_H

#include "command.h"

/* The argument block of such a command. */
struct tw_cuda_event {
    void *event;  /* the program's, until the command is issued */
    bool records; /* else waits for it */
};

static inline struct tw_cuda_event *tw_cuda_event_of(const struct tw_command *command)
{
    return (struct tw_cuda_event *)(void *)command->args;
}

#endif
