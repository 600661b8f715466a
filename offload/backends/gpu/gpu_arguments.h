/* SPDX-License-Identifier: Apache-2.0 */
/** The device memory of a stream for argument blocks that do not fit into a kernel's parameters. */
#ifndef TEAMWORK_OFFLOAD_GPU_ARGUMENTS_H
#define TEAMWORK_OFFLOAD_GPU_ARGUMENTS_H

#include "backend.h"

/* Initialized with zeros. */
struct tw_gpu_arguments {
    void *memory;
    size_t bytes;
};

/* Makes the memory large enough for a kernel's block. Launches in flight may use the memory before: `finish` waits for
   them. */
tw_status tw_gpu_arguments_make_room(struct tw_gpu_arguments *arguments, struct tw_backend_device *device,
                                     const struct tw_internal_kernel *kernel, void (*finish)(void *user), void *user);

void tw_gpu_arguments_free(struct tw_gpu_arguments *arguments, struct tw_backend_device *device);

#endif
