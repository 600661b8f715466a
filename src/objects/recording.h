/* SPDX-License-Identifier: Apache-2.0 */
/** The groups that a queue records, until they become a command graph. */
#ifndef TEAMWORK_OBJECTS_RECORDING_H
#define TEAMWORK_OBJECTS_RECORDING_H

#include <stddef.h>

#include "runtime/command.h"

struct tw_recording {
    struct tw_command **commands; /* never submitted; each counts its uses of buffers */
    size_t count, capacity;
    tw_status status; /* of the first group that was refused; TW_SUCCESS: none was */
    char detail[1024];
};
/* Adds a command, which has no home. On success the recording owns it. */
tw_status tw_recording_add_locked(struct tw_recording *recording, struct tw_command *command);
/* Notes that a group was refused, unless one was before; tw_error_detail() says why. `file` is NULL if it is not known. */
void tw_recording_refuse_locked(struct tw_recording *recording, tw_status status, const char *file, int line);
/* Frees a recorded command, and releases its uses of buffers. */
void tw_recording_drop_command_locked(struct tw_command *command);
/* Frees a recording, which may be NULL, with its commands. */
void tw_recording_drop_locked(struct tw_recording *recording);

#endif
