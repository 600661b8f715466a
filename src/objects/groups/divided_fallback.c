/* SPDX-License-Identifier: Apache-2.0 */
#include "divided_fallback.h"

#include <stdlib.h>
#include <string.h>

#include <teamwork/command_graph.h>

#include "objects/data/buffer.h"
#include "runtime/fallback.h"

/* Returns the queue that runs a piece which fails on a device: of a fallback queue over several devices, the first one of
   another device. NULL: there is none. */
static struct tw_queue *queue_for(struct tw_queue *fallback, const struct tw_device *device)
{
    const struct tw_queue_devices *devices = fallback->devices;
    if (!devices)
        return fallback->device == device ? NULL : fallback;
    for (size_t i = 0; i < devices->count; ++i)
        if (devices->queues[i]->device != device)
            return devices->queues[i];
    return NULL;
}

/* Returns the contents that an access of the piece leads to: the buffer's, or those of the partials of a reduction. */
static struct tw_data *data_of(const struct tw_submission *all, size_t access)
{
    const struct tw_partials *partials = all->partials;
    const bool is_partial = partials && all->divided->accesses[access].kind != TW_ACCESS_KERNEL;
    while (is_partial && partials->access != access)
        ++partials;
    return is_partial ? &partials->buffer->root->data : &all->divided->accesses[access].root->data;
}

/* Stores which words of the piece's block lead where, and returns their number. Then they lead nowhere: they would be wrong on
   the other device. */
static size_t take_pointers(const struct tw_submission *all, size_t space, struct tw_fallback_pointer *pointers)
{
    size_t count = 0;
    for (size_t i = 0; i < all->divided->placeholder_count; ++i) {
        const struct tw_placeholder *placeholder = &all->divided->placeholders[i];
        struct tw_data *data = data_of(all, placeholder->access);
        const unsigned char *pointer, *const first =
                                          atomic_load(&data->allocations[tw_data_space(data, space)].address);
        memcpy(&pointer, all->block + placeholder->at, sizeof pointer);
        memset(all->block + placeholder->at, 0, sizeof pointer);
        if (pointer)
            pointers[count++] = (struct tw_fallback_pointer){placeholder->at, data, (size_t)(pointer - first)};
    }
    return count;
}

/* Records the piece's launch for another queue. */
static struct tw_command_group *record_launch(const struct tw_submission *all, const struct tw_piece *piece,
                                              const struct tw_command_group *group, struct tw_queue *queue)
{
    struct tw_command_group *other = tw_queue_begin(queue);
    if (!other)
        return NULL;
    other->accessed_nothing = true;
    other->local_bytes = group->local_bytes;
    other->local_array_bytes = group->local_array_bytes;
    other->array_bytes = group->array_bytes;
    other->reduced_count = group->reduced_count;
    other->replaces = group->replaces;
    if (all->count > 1)
        tw_command_group_set_part(other, piece->part.first, piece->part.count);
    tw_launch_request_record(&all->request, other, all->block);
    return other;
}

void tw_divided_record_fallback(const struct tw_submission *all, const struct tw_piece *piece,
                                struct tw_command_group *group)
{
    struct tw_queue *fallback = all->divided->fallback;
    struct tw_queue *queue =
        fallback && group->status == TW_SUCCESS && all->divided->block && !tw_queue_is_recording(all->group->queue)
            ? queue_for(fallback, group->device)
            : NULL;
    /* where the copies of an array are that a kernel reduces into depends on the kind of device */
    if (!queue || (group->array_bytes && queue->device->backend->type != group->device->backend->type))
        return;
    struct tw_fallback_pointer *pointers = malloc((all->divided->placeholder_count + 1) * sizeof *pointers);
    if (!pointers)
        return;
    const size_t count = take_pointers(all, group->device->space, pointers);
    struct tw_command_group *other = record_launch(all, piece, group, queue);
    if (other && other->status == TW_SUCCESS) {
        const struct tw_fallback_record record = {.kernel = other->kernel,
                                                  .launch = &other->launch,
                                                  .args = other->args,
                                                  .args_bytes = other->args_bytes,
                                                  .use_count = group->use_count,
                                                  .is_part = true,
                                                  .pointers = pointers,
                                                  .pointer_count = count};
        group->fallback = tw_fallback_create(&queue->tasks, &record);
    }
    tw_command_group_discard(other);
    free(pointers);
}
