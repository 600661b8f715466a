/* SPDX-License-Identifier: Apache-2.0 */
/** The groups that queues record, until they become a command graph. */
#ifndef TEAMWORK_OBJECTS_RECORDING_H
#define TEAMWORK_OBJECTS_RECORDING_H

#include <stddef.h>

#include "runtime/command.h"

struct tw_recording;

/* The part of a queue in a recording. Begins zero-initialized. */
struct tw_recorder {
    struct tw_recording *recording; /* receives the groups that are submitted to the queue; or NULL */
    struct tw_recorder *next;
    struct tw_command *last; /* the latest command, if the queue is in order; or NULL */
};

struct tw_recording {
    const struct tw_recorder *owner; /* of the queue that began it */
    struct tw_recorder *recorders;   /* of all queues that record */
    struct tw_device *device;        /* the owner's */
    struct tw_command **commands;    /* never submitted; each counts its uses of buffers */
    size_t count, capacity;
    bool by_groups;   /* a group is on the host, or a function of the program: each becomes a command of its own */
    tw_status status; /* of the first group that was refused; TW_SUCCESS: none was */
    char detail[1024];
};
/* Lets a queue record too. */
void tw_recorder_join_locked(struct tw_recorder *recorder, struct tw_recording *recording);
/* Lets it record no more, if it does. What it began ends, and is freed, for all. */
void tw_recorder_leave_locked(struct tw_recorder *recorder);
/* Lets all queues record no more. */
void tw_recording_stop_locked(struct tw_recording *recording);
/* Adds a command of a queue that records. The command has no home; if it is `in_order`, it runs after the queue's last
   one. On success the recording owns it. */
tw_status tw_recorder_add_locked(struct tw_recorder *recorder, struct tw_command *command, bool in_order);
/* Notes that a group was refused, unless one was before; tw_error_detail() says why. `file` is NULL if it is not known. */
void tw_recording_refuse_locked(struct tw_recording *recording, tw_status status, const char *file, int line);
/* Frees a recorded command, and releases its uses of buffers. */
void tw_recording_drop_command_locked(struct tw_command *command);
/* Frees a recording, which may be NULL, with its commands. */
void tw_recording_drop_locked(struct tw_recording *recording);

#endif
