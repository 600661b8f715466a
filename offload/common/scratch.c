/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that launches borrow (scratch.h). */
#include "scratch.h"

#define COUNTER_BYTES 64u

void tw_scratch_open(struct tw_scratch *scratch)
{
    *scratch = (struct tw_scratch){.count = 0};
    pthread_mutex_init(&scratch->mutex, NULL);
}

void tw_scratch_close(struct tw_scratch *scratch, struct tw_backend_device *device)
{
    while (scratch->count)
        device->backend->memory->free(device, scratch->kept[--scratch->count]);
    pthread_mutex_destroy(&scratch->mutex);
}

tw_status tw_scratch_make(struct tw_backend_device *device, struct tw_internal_launch *launch)
{
    static const unsigned char zero[COUNTER_BYTES];
    launch->scratch = device->backend->memory->allocate(device, TW_INTERNAL_SCRATCH_BYTES + COUNTER_BYTES);
    if (!launch->scratch)
        return tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "no device memory for the parts of a reduction");
    const struct tw_backend_copy reset = tw_backend_copy_of(
        device, (unsigned char *)launch->scratch + TW_INTERNAL_SCRATCH_BYTES, NULL, zero, sizeof zero);
    const tw_status status = device->backend->memory->copy(&reset);
    if (status != TW_SUCCESS) {
        device->backend->memory->free(device, launch->scratch);
        launch->scratch = NULL;
    }
    return status;
}

tw_status tw_scratch_take(struct tw_scratch *scratch, struct tw_backend_device *device,
                          struct tw_internal_launch *launch)
{
    pthread_mutex_lock(&scratch->mutex);
    launch->scratch = scratch->count ? scratch->kept[--scratch->count] : NULL;
    pthread_mutex_unlock(&scratch->mutex);
    return launch->scratch ? TW_SUCCESS : tw_scratch_make(device, launch);
}

void tw_scratch_give(struct tw_scratch *scratch, struct tw_backend_device *device, struct tw_internal_launch *launch,
                     bool clean)
{
    void *unused = launch->scratch;
    launch->scratch = NULL;
    pthread_mutex_lock(&scratch->mutex);
    if (clean && scratch->count < TW_SCRATCH_KEPT) {
        scratch->kept[scratch->count++] = unused;
        unused = NULL;
    }
    pthread_mutex_unlock(&scratch->mutex);
    if (unused)
        device->backend->memory->free(device, unused);
}

/* Copies an argument block that is too large for kernel arguments to device memory of its own. */
static tw_status upload_args(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                             struct tw_internal_launch *launch)
{
    launch->device_args = NULL;
    if (kernel->args_bytes <= TW_INTERNAL_INLINE_ARGS_BYTES)
        return TW_SUCCESS;
    void *memory = device->backend->memory->allocate(device, kernel->args_bytes);
    if (!memory)
        return tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "no device memory for the %zu argument bytes of kernel %s",
                       kernel->args_bytes, kernel->name);
    const struct tw_backend_copy upload = tw_backend_copy_of(device, memory, NULL, launch->args, kernel->args_bytes);
    const tw_status status = device->backend->memory->copy(&upload);
    if (status == TW_SUCCESS)
        launch->device_args = memory;
    else
        device->backend->memory->free(device, memory);
    return status;
}

static void free_args(struct tw_backend_device *device, struct tw_internal_launch *launch)
{
    if (launch->device_args)
        device->backend->memory->free(device, (void *)(uintptr_t)launch->device_args);
    launch->device_args = NULL;
}

tw_status tw_scratch_lend(struct tw_scratch *scratch, struct tw_backend_device *device,
                          const struct tw_internal_kernel *kernel, struct tw_internal_launch *launch)
{
    tw_status status = upload_args(device, kernel, launch);
    if (status == TW_SUCCESS && kernel->form == TW_INTERNAL_REDUCTION)
        status = tw_scratch_take(scratch, device, launch);
    if (status != TW_SUCCESS)
        free_args(device, launch);
    return status;
}

void tw_scratch_return(struct tw_scratch *scratch, struct tw_backend_device *device, struct tw_internal_launch *launch,
                       bool clean)
{
    if (launch->scratch)
        tw_scratch_give(scratch, device, launch, clean);
    free_args(device, launch);
}
