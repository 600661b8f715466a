/* SPDX-License-Identifier: Apache-2.0 */
/* Textures for sampled images (texture.h). The backend makes them, and keeps them as long as the memory. */
#include "texture.h"

#include "command_group.h"
#include "objects/data/buffer.h"

void tw_texture_find(const struct tw_command_group *group, const struct tw_buffer *root,
                     const struct tw_backend_texture *texture, struct tw_internal_sampling *sampling)
{
    struct tw_backend_device *device = group->device->backend;
    const size_t space = tw_data_space(&root->data, group->device->space);
    const struct tw_allocation *allocation = &root->data.allocations[space];
    *sampling = (struct tw_internal_sampling){.sampler = texture->sampler};
    if (!space || allocation->borrowed || !device->backend->memory || !device->backend->memory->texture)
        return;
    sampling->texture = device->backend->memory->texture(device, atomic_load(&allocation->address), texture);
    if (!sampling->texture)
        return;
    sampling->address = (uint64_t)(uintptr_t)texture->pixels + (texture->order != TW_RGBA);
}
