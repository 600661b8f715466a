/* SPDX-License-Identifier: Apache-2.0 */
/** The groups that queues record, until they become a command graph. */
#ifndef TEAMWORK_OBJECTS_RECORDING_H
#define TEAMWORK_OBJECTS_RECORDING_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/command.h"

struct tw_buffer;
struct tw_recording;

/* Recorded commands: never submitted; each counts its uses of buffers. */
struct tw_recorded_list {
    struct tw_command **commands;
    size_t count, capacity;
    uint64_t number; /* that of no other list: meanwhile the sequence of its commands; 0: it had none yet */
};

/* A conditional part that a queue has begun and not ended. What it records becomes one command. */
struct tw_open_part {
    struct tw_open_part *outer;  /* the part that it is in; or NULL */
    bool repeats;                /* a while; else an if */
    struct tw_buffer *condition; /* counts its use of the root */
    size_t element;
    struct tw_recorded_list list;
    struct tw_command *last; /* of the queue, before the part began */
};

/* The part of a queue in a recording. Begins zero-initialized. */
struct tw_recorder {
    struct tw_recording *recording; /* receives the groups that are submitted to the queue; or NULL */
    struct tw_recorder *next;
    struct tw_command *last;   /* the commands of the latest submission, linked by `next`, if the queue is in order */
    struct tw_open_part *open; /* the innermost; or NULL */
};

struct tw_recording {
    const struct tw_recorder *owner; /* of the queue that began it */
    struct tw_recorder *recorders;   /* of all queues that record */
    struct tw_device *device;        /* the owner's */
    struct tw_recorded_list list;
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
/* Returns true if the next command of a queue that records may come after a command: it is of the same recording, and of
   the same part. */
bool tw_recorder_knows_locked(const struct tw_recorder *recorder, const struct tw_command *command);
/* Makes recorded commands one submission of a queue, and lets them run after its last one. */
void tw_recorder_order_locked(struct tw_recorder *recorder, struct tw_command *const *commands, size_t count);
/* Notes that a group was refused, unless one was before; tw_error_detail() says why. `file` is NULL if it is not known. */
void tw_recording_refuse_locked(struct tw_recording *recording, tw_status status, const char *file, int line);
/* Begins a part, which the recorder owns from then on. It counts its use of the condition. */
void tw_recorder_begin_part_locked(struct tw_recorder *recorder, struct tw_open_part *part);
/* Takes the innermost open part out of the recorder. */
struct tw_open_part *tw_recorder_end_part_locked(struct tw_recorder *recorder);
/* Frees a part, with its commands. tw_reclaim() follows. */
void tw_open_part_drop_locked(struct tw_open_part *part);
/* Frees a recorded command, and releases its uses of buffers. */
void tw_recording_drop_command_locked(struct tw_command *command);
/* Frees a recording, which may be NULL, with its commands. */
void tw_recording_drop_locked(struct tw_recording *recording);

#endif
