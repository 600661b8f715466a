/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that launches borrow (scratch.h). */
#include "scratch.h"

#include <stdlib.h>

void tw_scratch_open(struct tw_scratch *scratch)
{
    *scratch = (struct tw_scratch){.count = 0};
    pthread_mutex_init(&scratch->mutex, NULL);
}

void tw_scratch_close(struct tw_scratch *scratch, struct tw_backend_device *device)
{
    while (scratch->count)
        device->backend->memory->free(device, scratch->kept[--scratch->count].memory);
    pthread_mutex_destroy(&scratch->mutex);
}

/* Sets the counters, and the arrays of a GPU, to zero. */
static tw_status clear(struct tw_backend_device *device, const struct tw_internal_launch *launch)
{
    const bool simt = launch->lowering == TW_INTERNAL_LOWER_SIMT;
    const size_t slots = TW_INTERNAL_SLOT_BYTES(simt ? TW_INTERNAL_MAX_PARTS : TW_INTERNAL_LOOP_PARTS);
    const size_t bytes = launch->cpu ? TW_INTERNAL_COUNTER_BYTES : launch->scratch_bytes - slots;
    void *zero = calloc(1, bytes);
    if (!zero)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the parts of a reduction");
    const struct tw_backend_copy copy =
        tw_backend_copy_of(device, (unsigned char *)launch->scratch + slots, NULL, zero, bytes);
    const tw_status status = device->backend->memory->copy(&copy);
    free(zero);
    return status;
}

/* Powers of two, so that few sizes are kept. */
static size_t scratch_size(const struct tw_internal_kernel *kernel, const struct tw_internal_launch *launch)
{
    const size_t least = tw_internal_scratch_bytes(launch, tw_internal_reduces_groups(kernel));
    size_t bytes = 1;
    while (bytes < least)
        bytes *= 2;
    return launch->array_bytes ? bytes : least;
}

tw_status tw_scratch_make(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                          struct tw_internal_launch *launch)
{
    const size_t bytes = scratch_size(kernel, launch);
    launch->scratch = device->backend->memory->allocate(device, bytes);
    launch->scratch_bytes = bytes;
    if (!launch->scratch)
        return tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "no device memory for the parts of a reduction");
    const tw_status status = clear(device, launch);
    if (status != TW_SUCCESS) {
        device->backend->memory->free(device, launch->scratch);
        launch->scratch = NULL;
    }
    return status;
}

/* Takes memory of that size from what is kept. Returns NULL if there is none. */
static void *take_kept(struct tw_scratch *scratch, size_t bytes)
{
    for (unsigned i = scratch->count; i-- > 0;)
        if (scratch->kept[i].bytes == bytes) {
            void *memory = scratch->kept[i].memory;
            scratch->kept[i] = scratch->kept[--scratch->count];
            return memory;
        }
    return NULL;
}

tw_status tw_scratch_take(struct tw_scratch *scratch, struct tw_backend_device *device,
                          const struct tw_internal_kernel *kernel, struct tw_internal_launch *launch)
{
    const size_t bytes = scratch_size(kernel, launch);
    pthread_mutex_lock(&scratch->mutex);
    launch->scratch = take_kept(scratch, bytes);
    launch->scratch_bytes = bytes;
    pthread_mutex_unlock(&scratch->mutex);
    return launch->scratch ? TW_SUCCESS : tw_scratch_make(device, kernel, launch);
}

void tw_scratch_give(struct tw_scratch *scratch, struct tw_backend_device *device, struct tw_internal_launch *launch,
                     bool clean)
{
    void *unused = launch->scratch;
    launch->scratch = NULL;
    pthread_mutex_lock(&scratch->mutex);
    if (clean && scratch->count < TW_SCRATCH_KEPT) {
        scratch->kept[scratch->count++] = (struct tw_scratch_kept){unused, launch->scratch_bytes};
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
    if (launch->words != 1)
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
    if (status == TW_SUCCESS && kernel->misfit)
        status = tw_scratch_take(scratch, device, kernel, launch);
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

tw_status tw_scratch_lend_in_order(struct tw_scratch *scratch, struct tw_backend_device *device,
                                   const struct tw_internal_kernel *kernel, struct tw_internal_launch *launch)
{
    const tw_status status = tw_scratch_take(scratch, device, kernel, launch);
    void *memory = launch->scratch;
    if (status == TW_SUCCESS)
        tw_scratch_give(scratch, device, launch, true);
    launch->scratch = memory;
    return status;
}
