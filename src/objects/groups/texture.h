/* SPDX-License-Identifier: Apache-2.0 */
/** Textures of a device for the sampled images of a group. */
#ifndef TEAMWORK_OBJECTS_TEXTURE_H
#define TEAMWORK_OBJECTS_TEXTURE_H

#include <teamwork/image.h>

#include "backend.h"

struct tw_buffer;
struct tw_command_group;

/* Lets the kernel of a group read an image in a buffer's memory by a texture of the group's device, if that can: stores which
   one it is. Else stores that it has none. */
void tw_texture_find(const struct tw_command_group *group, const struct tw_buffer *root,
                     const struct tw_backend_texture *texture, struct tw_internal_sampling *sampling);

#endif
