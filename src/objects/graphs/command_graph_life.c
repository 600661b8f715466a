/* SPDX-License-Identifier: Apache-2.0 */
/* Command graphs until they are freed (command_graph_life.h). Knows nothing of how they are submitted. */
#include "command_graph_life.h"

#include <stdlib.h>

#include "base/detail.h"
#include "base/lock.h"
#include "objects/data/buffer.h"
#include "runtime/reclaim.h"

void tw_recorded_graph_take(struct tw_recorded_graph *recorded, struct tw_recorded_list *list)
{
    recorded->commands = list->commands;
    recorded->count = list->count;
    for (size_t i = 0; i < recorded->count; ++i) {
        const struct tw_graph_part *part = tw_graph_part_of(recorded->commands[i]);
        recorded->commands[i]->sequence = i; /* for those that follow it */
        recorded->group_count += part ? part->body->group_count : 1;
    }
    *list = (struct tw_recorded_list){.commands = NULL};
}

static void free_recorded(struct tw_unused *unused)
{
    struct tw_recorded_graph *recorded =
        (struct tw_recorded_graph *)((char *)unused - offsetof(struct tw_recorded_graph, unused));
    tw_recorded_graph_unmake(recorded);
    tw_lock();
    for (size_t i = 0; i < recorded->count; ++i)
        tw_recording_drop_command_locked(recorded->commands[i]);
    if (recorded->successor)
        tw_recorded_graph_release_locked(recorded->successor);
    tw_unlock();
    free(recorded->commands);
    free(recorded);
}

void tw_recorded_graph_release_locked(struct tw_recorded_graph *recorded)
{
    if (--recorded->references)
        return;
    recorded->unused.free = free_recorded;
    tw_reclaim_later_locked(&recorded->unused);
}

void tw_command_graph_release_locked(struct tw_command_graph *graph)
{
    if (--graph->references)
        return;
    if (graph->recorded)
        tw_recorded_graph_release_locked(graph->recorded);
    tw_resource_end(&graph->turn);
    tw_object_died_locked(TW_OBJECT_COMMAND_GRAPH);
    free(graph);
}

tw_status tw_graph_check_locked(const struct tw_graph_submission *of, const struct tw_use *uses, size_t count)
{
    if (of->queue->recorder.recording)
        return tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, "the queue is recording, and graphs do not nest");
    for (size_t i = 0; i < count; ++i)
        if (!tw_buffer_of(uses[i].data)->handles)
            return tw_fail(TW_ERROR_INVALID_ARGUMENT, "a buffer that the graph accesses has been destroyed");
    return TW_SUCCESS;
}
