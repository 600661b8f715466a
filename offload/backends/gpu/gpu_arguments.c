/* SPDX-License-Identifier: Apache-2.0 */
/* The device memory of a stream for argument blocks (gpu_arguments.h). */
#include "gpu_arguments.h"

#define MIN_BYTES 4096u

tw_status tw_gpu_arguments_make_room(struct tw_gpu_arguments *arguments, struct tw_backend_device *device,
                                     const struct tw_internal_kernel *kernel, void (*finish)(void *user), void *user)
{
    if (kernel->args_bytes <= arguments->bytes)
        return TW_SUCCESS;
    const size_t bytes = kernel->args_bytes > MIN_BYTES ? kernel->args_bytes : MIN_BYTES;
    void *memory = device->backend->memory->allocate(device, bytes);
    if (!memory)
        return tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "no device memory for the %zu argument bytes of %s",
                       kernel->args_bytes, kernel->name);
    if (arguments->memory) {
        finish(user);
        device->backend->memory->free(device, arguments->memory);
    }
    arguments->memory = memory;
    arguments->bytes = bytes;
    return TW_SUCCESS;
}

void tw_gpu_arguments_free(struct tw_gpu_arguments *arguments, struct tw_backend_device *device)
{
    if (arguments->memory)
        device->backend->memory->free(device, arguments->memory);
}
