/* SPDX-License-Identifier: Apache-2.0 */
/* The fallback of a command (spec 2.5.7): the same group, recorded for another queue. */
#include "fallback.h"

#include <stdlib.h>
#include <string.h>

struct tw_fallback *tw_fallback_create(struct tw_task_queue *queue, const struct tw_fallback_record *record)
{
    const size_t space_count = tw_memory_space_count();
    const size_t bytes = sizeof(struct tw_fallback) + record->args_bytes + record->use_count * (space_count + 1);
    struct tw_fallback *fallback = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!fallback)
        return NULL;
    *fallback = (struct tw_fallback){
        .queue = queue, .kernel = record->kernel, .launch = *record->launch, .bounds = record->bounds};
    fallback->space_count = space_count;
    fallback->expected = (bool *)(fallback->args + record->args_bytes);
    fallback->held = fallback->expected + record->use_count;
    memset(fallback->expected, false, record->use_count);
    memcpy(fallback->args, record->args, record->args_bytes);
    fallback->launch.args = fallback->args;
    fallback->launch.accesses = NULL; /* those of the group are about to be freed */
    fallback->launch.access_count = 0;
    fallback->is_part = record->is_part;
    fallback->pointer_count = record->pointer_count;
    if (record->pointer_count) {
        fallback->pointers = malloc(record->pointer_count * sizeof *record->pointers);
        if (!fallback->pointers) {
            free(fallback);
            return NULL;
        }
        memcpy(fallback->pointers, record->pointers, record->pointer_count * sizeof *record->pointers);
    }
    tw_task_queue_retain(queue);
    return fallback;
}

void tw_fallback_free_locked(struct tw_fallback *fallback)
{
    if (!fallback)
        return;
    free(fallback->bounds);
    free(fallback->edges);
    free(fallback->pointers);
    if (fallback->failure)
        tw_cause_release(&fallback->failure->cause);
    tw_task_queue_release_locked(fallback->queue);
    free(fallback);
}
