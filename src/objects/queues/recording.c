/* SPDX-License-Identifier: Apache-2.0 */
/* The list of commands that queues record. Knows no queues or command graphs. */
#include "recording.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/detail.h"
#include "base/memory.h"
#include "objects/data/buffer.h"
#include "runtime/allocation.h"

void tw_recording_drop_command_locked(struct tw_command *command)
{
    tw_unpin(&command->pins);
    for (size_t i = 0; i < command->use_count; ++i)
        tw_buffer_unuse_locked(tw_buffer_of(command->uses[i].data));
    command->use_count = 0;
    tw_command_release_locked(command);
}

void tw_recorder_join_locked(struct tw_recorder *recorder, struct tw_recording *recording)
{
    *recorder = (struct tw_recorder){.recording = recording, .next = recording->recorders};
    recording->recorders = recorder;
}

void tw_recording_stop_locked(struct tw_recording *recording)
{
    for (struct tw_recorder *recorder = recording->recorders, *next; recorder; recorder = next) {
        next = recorder->next;
        *recorder = (struct tw_recorder){.recording = NULL};
    }
    recording->recorders = NULL;
}

void tw_recorder_leave_locked(struct tw_recorder *recorder)
{
    struct tw_recording *recording = recorder->recording;
    if (!recording)
        return;
    if (recording->owner == recorder) {
        tw_recording_stop_locked(recording);
        tw_recording_drop_locked(recording);
        return;
    }
    struct tw_recorder **link = &recording->recorders;
    while (*link != recorder)
        link = &(*link)->next;
    *link = recorder->next;
    *recorder = (struct tw_recorder){.recording = NULL};
}

tw_status tw_recorder_add_locked(struct tw_recorder *recorder, struct tw_command *command, bool in_order)
{
    struct tw_recording *recording = recorder->recording;
    struct tw_command **commands =
        tw_list_with_room(recording->commands, recording->count, &recording->capacity, sizeof(struct tw_command *));
    if (!commands)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to record a command group");
    recording->commands = commands;
    recording->commands[recording->count++] = command;
    if (in_order) {
        command->previous = recorder->last;
        recorder->last = command;
    }
    return TW_SUCCESS;
}

void tw_recording_refuse_locked(struct tw_recording *recording, tw_status status, const char *file, int line)
{
    if (recording->status != TW_SUCCESS)
        return;
    char place[256] = "";
    if (file)
        snprintf(place, sizeof place, ", at %s:%d", file, line);
    recording->status = status;
    snprintf(recording->detail, sizeof recording->detail, "a group was refused while recording%s: %s", place,
             tw_error_detail());
}

void tw_recording_drop_locked(struct tw_recording *recording)
{
    if (!recording)
        return;
    for (size_t i = 0; i < recording->count; ++i)
        tw_recording_drop_command_locked(recording->commands[i]);
    free(recording->commands);
    free(recording);
}
