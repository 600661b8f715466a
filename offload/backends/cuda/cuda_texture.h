/* SPDX-License-Identifier: Apache-2.0 */
/** Textures over a device's memory: the samplers of the hardware for sampled images. */
#ifndef TEAMWORK_OFFLOAD_CUDA_TEXTURE_H
#define TEAMWORK_OFFLOAD_CUDA_TEXTURE_H

#include "cuda_driver.h"

/* Slot (backend.h). */
uint64_t tw_cuda_texture(struct tw_backend_device *base, const void *memory, const struct tw_backend_texture *texture);

/* Destroys the textures of what is no memory any more: `bytes` bytes of `memory` from number `at` on. No kernel that uses
   them runs. */
void tw_cuda_drop_textures(struct tw_cuda_device *device, const void *memory, size_t at, size_t bytes);

/* Destroys all textures. Called in the device's context. */
void tw_cuda_close_textures(struct tw_cuda_device *device);

#endif
