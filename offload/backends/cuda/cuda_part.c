/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Green contexts as sub-devices (cuda_part.h). A green context is the device's primary context with fewer
 * multiprocessors: memory, functions and events are those of the primary context, which stays the current one. Only
 * streams are made for the green context, and what is launched on them runs there. A node of a graph runs where it was
 * made for: so a part has no graphs.
 */
#include "cuda_part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/gpu/gpu_backend.h"
#include "base/memory.h"

static tw_status check_driver(struct tw_backend_device *base)
{
    if (tw_cuda_part_of(base))
        return tw_fail(TW_ERROR_UNSUPPORTED, "a part of a GPU is not divided again");
    if (tw_cuda_choice() == TW_CUDA_OPENMP_LAUNCH)
        return tw_fail(TW_ERROR_UNSUPPORTED, "TW_CUDA_LAUNCH=libomptarget: OpenMP divides no GPU");
    if (!tw_cuda.device_resource || !tw_cuda.resource_split || !tw_cuda.resource_describe || !tw_cuda.green_create
        || !tw_cuda.green_destroy || !tw_cuda.green_stream_create)
        return tw_fail(TW_ERROR_UNSUPPORTED, "the driver divides no GPU: that of CUDA 12.4 does");
    return tw_cuda_lost(tw_cuda_of(base)) ? tw_cuda_fail_lost(TW_ERROR_UNSUPPORTED, tw_cuda_of(base)) : TW_SUCCESS;
}

/* Finds the groups of multiprocessors of which each has `units`, or if that is 0 the fewest possible. If `groups` is not
   NULL it has room for `*count`; stores how many there are. */
static tw_status split(struct tw_backend_device *base, size_t units, struct cu_resource *groups, unsigned *count)
{
    const struct tw_cuda_device *device = tw_cuda_of(base);
    struct cu_resource all;
    cu_result error = tw_cuda.device_resource(device->device, &all, CU_RESOURCE_MULTIPROCESSORS);
    if (error)
        return tw_gpu_fail(TW_ERROR_UNSUPPORTED, tw_cuda_error(error), "the CUDA driver lists no multiprocessors");
    const unsigned multiple = all.multiple ? all.multiple : 1, least = all.least ? all.least : 1;
    if (units && (units < least || units % multiple))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT,
                       "sub-devices of %zu compute units: this GPU has them of at least %u, and of a multiple of %u",
                       units, least, multiple);
    error = tw_cuda.resource_split(groups, count, &all, NULL, 0, units ? (unsigned)units : least);
    return error ? tw_gpu_fail(TW_ERROR_UNSUPPORTED, tw_cuda_error(error), "the CUDA driver did not divide a GPU")
                 : TW_SUCCESS;
}

static tw_status count_equally(struct tw_backend_device *base, size_t units, size_t *count)
{
    unsigned groups = 0;
    tw_status status = check_driver(base);
    const enum tw_cuda_entry entry = status == TW_SUCCESS ? tw_cuda_enter(tw_cuda_of(base)) : TW_CUDA_OUTSIDE;
    if (status == TW_SUCCESS)
        status = split(base, units, NULL, &groups);
    tw_cuda_leave(entry);
    if (status == TW_SUCCESS)
        *count = groups;
    return status;
}

/* Makes the green context of a group of multiprocessors. Called in the device's context. */
static cu_result make_green(const struct tw_cuda_device *device, struct cu_resource *group, cu_green *green)
{
    cu_description description;
    const cu_result error = tw_cuda.resource_describe(&description, group, 1);
    return error ? error : tw_cuda.green_create(green, description, device->device, CU_GREEN_DEFAULT_STREAM);
}

/* Makes the green context of the group that begins with a multiprocessor. All groups are asked for, so that they are the same
   ones each time. Called in the device's context. */
static tw_status find_green(struct tw_backend_device *base, size_t first, size_t units, cu_green *green)
{
    const size_t wanted = first / units;
    unsigned count = 0;
    cu_result error = 0;
    tw_status status = split(base, units, NULL, &count);
    struct cu_resource *groups = status == TW_SUCCESS ? calloc((size_t)count + 1, sizeof *groups) : NULL;
    if (status == TW_SUCCESS && !groups)
        status = tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a sub-device");
    if (status == TW_SUCCESS)
        status = split(base, units, groups, &count);
    if (status == TW_SUCCESS && (wanted >= count || groups[wanted].count != units))
        status = tw_fail(TW_ERROR_INVALID_ARGUMENT, "this GPU has no %zu sub-devices of %zu compute units", wanted + 1,
                         units);
    if (status == TW_SUCCESS)
        error = make_green(tw_cuda_of(base), &groups[wanted], green);
    free(groups);
    return error ? tw_gpu_fail(TW_ERROR_UNSUPPORTED, tw_cuda_error(error), "the CUDA driver made no part of a GPU")
                 : status;
}

static tw_status open_part(struct tw_backend_device *base, size_t first, size_t units,
                           struct tw_backend_device **result)
{
    const struct tw_cuda_device *device = tw_cuda_of(base);
    tw_status status = check_driver(base);
    struct tw_cuda_part *part = status == TW_SUCCESS ? calloc(1, sizeof *part) : NULL;
    if (!part)
        return status == TW_SUCCESS ? tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a sub-device") : status;
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    status = entry ? find_green(base, first, units, &part->green)
                   : tw_fail(TW_ERROR_UNSUPPORTED, "the CUDA driver has no context for a part of a GPU");
    tw_cuda_leave(entry);
    if (status != TW_SUCCESS) {
        free(part);
        return status;
    }
    tw_omp_begin(&part->omp, base->backend, base->index, device->omp.number, true);
    part->omp.base = *base; /* also what a GPU's backend has set */
    part->omp.base.whole = base;
    part->omp.warp = device->omp.warp;
    if (device->compute_units)
        part->omp.resident_teams = (unsigned)(device->omp.resident_teams / device->compute_units * units);
    part->first = first;
    part->units = units;
    pthread_mutex_init(&part->mutex, NULL);
    *result = &part->omp.base;
    return TW_SUCCESS;
}

void tw_cuda_close_part(struct tw_cuda_part *part)
{
    tw_omp_end(&part->omp);
    const enum tw_cuda_entry entry = tw_cuda_enter(tw_cuda_of(&part->omp.base));
    for (size_t i = 0; entry && i < part->idle_count; ++i)
        (void)tw_cuda.stream_destroy(part->idle_streams[i]);
    if (entry)
        (void)tw_cuda.green_destroy(part->green);
    tw_cuda_leave(entry);
    free(part->idle_streams);
    pthread_mutex_destroy(&part->mutex);
    free(part);
}

const struct tw_backend_parts tw_cuda_parts = {
    .ways = TW_PARTITION_EQUALLY,
    .equally = count_equally,
    .open = open_part,
};

void tw_cuda_describe_part(const struct tw_cuda_part *part, struct tw_device_facts *facts)
{
    const size_t used = strlen(facts->name);
    facts->compute_units = part->units;
    snprintf(facts->name + used, sizeof facts->name - used, " [%zu-%zu]", part->first, part->first + part->units - 1);
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

cu_result tw_cuda_make_part_stream(const struct tw_cuda_part *part, int priority, cu_stream *stream)
{
    return tw_cuda.green_stream_create(stream, part->green, CU_STREAM_NON_BLOCKING, priority);
}

cu_result tw_cuda_take_part_stream(struct tw_cuda_part *part, cu_stream *stream)
{
    *stream = NULL;
    pthread_mutex_lock(&part->mutex);
    if (part->idle_count)
        *stream = part->idle_streams[--part->idle_count];
    pthread_mutex_unlock(&part->mutex);
    return *stream ? 0 : tw_cuda_make_part_stream(part, 0, stream);
}

void tw_cuda_give_part_stream(struct tw_cuda_part *part, cu_stream stream)
{
    pthread_mutex_lock(&part->mutex);
    cu_stream *idle = tw_list_with_room(part->idle_streams, part->idle_count, &part->idle_capacity, sizeof(cu_stream));
    if (idle) {
        part->idle_streams = idle;
        idle[part->idle_count++] = stream;
    }
    pthread_mutex_unlock(&part->mutex);
    if (!idle)
        (void)tw_cuda.stream_destroy(stream);
}
