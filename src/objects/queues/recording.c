/* SPDX-License-Identifier: Apache-2.0 */
/* The list of commands that queues record. Knows no queues or command graphs. */
#include "recording.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/detail.h"
#include "base/memory.h"
#include "objects/data/buffer.h"
#include "runtime/allocation.h"

#define FIRST_LIST ((uint64_t)1 << 63) /* above all indices, which are the sequences of a graph's commands */

void tw_recording_drop_command_locked(struct tw_command *command)
{
    tw_unpin(&command->pins);
    free(command->after);
    command->after = NULL;
    if (command->body.kind->dropped_locked)
        command->body.kind->dropped_locked(command);
    for (size_t i = 0; i < command->use_count; ++i)
        tw_buffer_unuse_locked(tw_buffer_of(command->uses[i].data));
    command->use_count = 0;
    tw_command_release_locked(command);
}

static void drop_list_locked(const struct tw_recorded_list *list)
{
    for (size_t i = 0; i < list->count; ++i)
        tw_recording_drop_command_locked(list->commands[i]);
    free(list->commands);
}

/* ---- conditional parts ------------------------------------------------------------------------------------------- */

void tw_recorder_begin_part_locked(struct tw_recorder *recorder, struct tw_open_part *part)
{
    part->outer = recorder->open;
    part->last = recorder->last;
    recorder->open = part;
    recorder->last = NULL;
}

struct tw_open_part *tw_recorder_end_part_locked(struct tw_recorder *recorder)
{
    struct tw_open_part *part = recorder->open;
    recorder->open = part->outer;
    recorder->last = part->last;
    return part;
}

void tw_open_part_drop_locked(struct tw_open_part *part)
{
    drop_list_locked(&part->list);
    tw_buffer_unuse_locked(part->condition->root);
    free(part);
}

/* Frees the parts that a queue leaves open: without them the recording has a gap. */
static void drop_open_locked(struct tw_recorder *recorder)
{
    if (!recorder->open)
        return;
    const bool repeats = recorder->open->repeats;
    (void)tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, "a part that tw_queue_begin_%s() began was not ended",
                  repeats ? "while" : "if");
    tw_recording_refuse_locked(recorder->recording, TW_ERROR_INVALID_COMMAND_GROUP, NULL, 0);
    while (recorder->open)
        tw_open_part_drop_locked(tw_recorder_end_part_locked(recorder));
}

/* ---- recorders --------------------------------------------------------------------------------------------------- */

void tw_recorder_join_locked(struct tw_recorder *recorder, struct tw_recording *recording)
{
    *recorder = (struct tw_recorder){.recording = recording, .next = recording->recorders};
    recording->recorders = recorder;
}

void tw_recording_stop_locked(struct tw_recording *recording)
{
    for (struct tw_recorder *recorder = recording->recorders, *next; recorder; recorder = next) {
        next = recorder->next;
        drop_open_locked(recorder);
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
    drop_open_locked(recorder);
    *recorder = (struct tw_recorder){.recording = NULL};
}

static struct tw_recorded_list *list_of(const struct tw_recorder *recorder)
{
    return recorder->open ? &recorder->open->list : &recorder->recording->list;
}

bool tw_recorder_knows_locked(const struct tw_recorder *recorder, const struct tw_command *command)
{
    const struct tw_recorded_list *list = list_of(recorder);
    return list->number && command->is_recorded && command->sequence == list->number;
}

tw_status tw_recorder_add_locked(struct tw_recorder *recorder, struct tw_command *command, bool in_order)
{
    static uint64_t lists;
    struct tw_recorded_list *list = list_of(recorder);
    struct tw_command **commands =
        tw_list_with_room(list->commands, list->count, &list->capacity, sizeof(struct tw_command *));
    if (!commands)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to record a command group");
    list->commands = commands;
    list->commands[list->count++] = command;
    if (!list->number)
        list->number = ++lists | FIRST_LIST;
    command->is_recorded = true;
    command->sequence = list->number;
    if (in_order)
        tw_recorder_order_locked(recorder, &command, 1);
    return TW_SUCCESS;
}

void tw_recorder_order_locked(struct tw_recorder *recorder, struct tw_command *const *commands, size_t count)
{
    struct tw_command *before = recorder->last;
    if (count)
        recorder->last = NULL;
    for (size_t i = 0; i < count; ++i) {
        commands[i]->previous = before;
        commands[i]->next = recorder->last;
        recorder->last = commands[i];
    }
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
    drop_list_locked(&recording->list);
    free(recording);
}
