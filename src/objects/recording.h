/* SPDX-License-Identifier: Apache-2.0 */
/** The groups that a queue records, until they become a command graph. */
#ifndef TEAMWORK_OBJECTS_RECORDING_H
#define TEAMWORK_OBJECTS_RECORDING_H

#include <stddef.h>

#include "runtime/command.h"

struct tw_recording {
    struct tw_command **commands; /* never submitted; with counted uses of buffers */
    size_t count, capacity;
};
/* Adds a command that is complete but for its queue; then it belongs to the recording. */
tw_status tw_recording_add_locked(struct tw_recording *recording, struct tw_command *command);
/* Drops one command that was recorded, or all and the recording, which may be NULL. */
void tw_recording_drop_command_locked(struct tw_command *command);
void tw_recording_drop_locked(struct tw_recording *recording);

#endif
