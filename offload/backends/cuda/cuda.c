/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cuda backend (cuda.h), built upon the omp backend.
 *
 * OpenMP owns the devices and the images. This backend prepares the driver's contexts for it. Memory, copies, and
 * kernels of the simt lowering use the driver directly, with the same device image and context: so they use streams,
 * and a fault is a status. Kernels that the driver cannot launch are left to the omp backend.
 */
#include "cuda.h"

#include <omp.h>

#include "backends/gpu/gpu_backend.h"
#include "backends/gpu/staged_copy.h"
#include "base/log.h"
#include "common/inventory.h"
#include "common/openmp.h"
#include "cuda_condition.h"
#include "cuda_copy.h"
#include "cuda_copy_kernel.h"
#include "cuda_driver.h"
#include "cuda_fill.h"
#include "cuda_graph.h"
#include "cuda_launch.h"
#include "cuda_memory.h"
#include "cuda_part.h"
#include "cuda_stream.h"
#include "cuda_texture.h"
#include "cuda_times.h"

static unsigned opened;     /* the number of open devices; under the discovery lock, as all of this */
static bool driver_is_open; /* tw_cuda_open() has succeeded */

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/* Frees what the other files of this backend have made on a device. */
static void release_device(struct tw_cuda_device *device)
{
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (entry) {
        tw_cuda_free_stages(device);
        tw_cuda_close_fill(device);
        tw_cuda_close_condition(device);
        tw_cuda_close_copy_kernels(device);
        tw_cuda_close_textures(device);
        tw_cuda_close_pool(device);
        tw_cuda_close_clock(device);
    }
    tw_cuda_leave(entry);
}

static void close_driver(void)
{
    struct tw_cuda_device *device;
    tw_staged_copy_close();
    tw_cuda_forget_kernels();
    for (int ordinal = 0; (device = tw_cuda_device(ordinal)) != NULL; ++ordinal)
        release_device(device);
    tw_cuda_close();
    driver_is_open = false;
}

/* Returns the CUDA device behind OpenMP's number: the owner of a small allocation. NULL: it is no CUDA device. */
static struct tw_cuda_device *device_behind(int number)
{
    void *probe = omp_target_alloc(64, number);
    if (!probe)
        return NULL;
    struct tw_cuda_device *device = tw_cuda_device(tw_cuda_owner(probe));
    omp_target_free(probe, number);
    return device;
}

static tw_status count(unsigned *devices)
{
    *devices = 0;
    tw_openmp_start();
    if (tw_logs(TW_LOG_INFO))
        tw_inventory_log();
    if (!tw_openmp_admits("cuda"))
        return TW_SUCCESS;
    if (!driver_is_open && tw_openmp_devices() > 0)
        driver_is_open = tw_cuda_open();
    if (!driver_is_open)
        return TW_SUCCESS;
    for (int number = 0; number < tw_openmp_devices(); ++number)
        if (device_behind(number))
            (void)tw_openmp_claim(number, &tw_backend_cuda);
    *devices = tw_openmp_count(&tw_backend_cuda);
    if (!*devices)
        close_driver();
    return TW_SUCCESS;
}

static tw_status open_device(unsigned index, struct tw_backend_device **result)
{
    const int number = tw_openmp_number(&tw_backend_cuda, index);
    struct tw_cuda_device *device = device_behind(number);
    if (!device)
        return tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "OpenMP device %d has no memory any more", number);
    tw_gpu_begin(&device->omp, &tw_backend_cuda, index, number, device->compute_units, 32);
    device->is_offered = true;
    ++opened;
    *result = &device->omp.base;
    return TW_SUCCESS;
}

static void close_device(struct tw_backend_device *base)
{
    if (tw_cuda_part_of(base)) {
        tw_cuda_close_part(tw_cuda_part_of(base));
        return;
    }
    tw_gpu_end(&tw_cuda_of(base)->omp);
    if (--opened == 0)
        close_driver();
}

static void describe(struct tw_backend_device *device, struct tw_device_facts *facts)
{
    facts->atomic_orders = TW_ALL_ORDERS;
    facts->atomic_scopes = TW_ALL_SCOPES;
    tw_cuda_describe(tw_cuda_of(device), facts);
    if (tw_cuda_part_of(device))
        tw_cuda_describe_part(tw_cuda_part_of(device), facts);
}

static bool explain(tw_device_type type, char *text, size_t bytes)
{
    struct tw_inventory inventory;
    if (type != TW_DEVICE_GPU || !(tw_openmp_admits("cuda") || tw_openmp_is_given_up()))
        return false;
    tw_inventory_read(&inventory);
    if (inventory.arch_count)
        inventory.gpu_count = tw_cuda_list(inventory.gpus, TW_INVENTORY_GPUS);
    inventory.is_child = tw_openmp_is_given_up();
    return tw_inventory_explain(&inventory, text, bytes);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Returns NULL for a lost device: libomptarget ends the program if it uses one. */
static void *allocate(struct tw_backend_device *base, size_t bytes)
{
    struct tw_cuda_device *device = tw_cuda_of(base);
    if (tw_cuda_lost(device))
        return NULL;
    return tw_cuda_has_pool(device) ? tw_cuda_allocate(device, tw_omp_gpu_bytes(bytes))
                                    : tw_omp_memory.allocate(base, bytes);
}

static void release(struct tw_backend_device *base, void *memory)
{
    struct tw_cuda_device *device = tw_cuda_of(base);
    if (tw_cuda_lost(device))
        return;
    tw_cuda_drop_textures(device, memory, 0, SIZE_MAX);
    if (tw_cuda_has_pool(device))
        tw_cuda_free(device, memory);
    else
        tw_omp_memory.free(base, memory);
}

/* libomptarget's launches and copies know only its own memory, and the pool's. */
static size_t page_bytes(struct tw_backend_device *base)
{
    struct tw_cuda_device *device = tw_cuda_of(base);
    return tw_cuda_choice() == TW_CUDA_OPENMP_LAUNCH ? 0 : device->page_bytes;
}

static void *reserve(struct tw_backend_device *base, size_t bytes)
{
    return tw_cuda_lost(tw_cuda_of(base)) ? NULL : tw_cuda_reserve(tw_cuda_of(base), bytes);
}

static bool back(struct tw_backend_device *base, void *reserved, size_t at, size_t bytes)
{
    return !tw_cuda_lost(tw_cuda_of(base)) && tw_cuda_back(tw_cuda_of(base), reserved, at, bytes);
}

static void unback(struct tw_backend_device *base, void *reserved, size_t at, size_t bytes)
{
    if (tw_cuda_lost(tw_cuda_of(base)))
        return;
    tw_cuda_drop_textures(tw_cuda_of(base), reserved, at, bytes);
    tw_cuda_unback(tw_cuda_of(base), reserved, at, bytes);
}

static void release_reserved(struct tw_backend_device *base, void *reserved, size_t bytes)
{
    if (!tw_cuda_lost(tw_cuda_of(base)))
        tw_cuda_release(tw_cuda_of(base), reserved, bytes);
}

static tw_status copy(const struct tw_backend_copy *copy)
{
    const tw_status status = tw_omp_check_sides(copy);
    if (status != TW_SUCCESS)
        return status;
    return tw_cuda_choice() == TW_CUDA_OPENMP_LAUNCH ? tw_omp_memory.copy(copy) : tw_cuda_copy(copy);
}

static tw_status fill(struct tw_backend_device *base, const struct tw_backend_fill *fill)
{
    if (tw_cuda_lost(tw_cuda_of(base)))
        return tw_cuda_fail_lost(TW_ERROR_TRANSFER_FAILED, tw_cuda_of(base));
    return tw_cuda_choice() == TW_CUDA_OPENMP_LAUNCH ? tw_omp_memory.fill(base, fill)
                                                     : tw_cuda_fill(tw_cuda_of(base), fill);
}

static tw_status hint(struct tw_backend_device *base, const struct tw_backend_hint *hint)
{
    return tw_cuda_lost(tw_cuda_of(base)) ? tw_cuda_fail_lost(TW_ERROR_TRANSFER_FAILED, tw_cuda_of(base))
                                          : tw_cuda_hint(tw_cuda_of(base), hint);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* Launches a kernel that tw_gpu_takes(). */
static tw_status launch_by_driver(struct tw_backend_device *base, const struct tw_internal_kernel *kernel,
                                  struct tw_internal_launch *description)
{
    return tw_cuda_launch(base, kernel, description);
}

static tw_status launch(struct tw_backend_device *base, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description)
{
    if (tw_cuda_lost(tw_cuda_of(base))) {
        tw_refuse_launch();
        return tw_cuda_fail_lost(TW_ERROR_LAUNCH_FAILED, tw_cuda_of(base));
    }
    return tw_gpu_launch(base, kernel, description, launch_by_driver);
}

static const struct tw_backend_memory memory = {
    TW_GPU_MEMORY,
    .allocate = allocate,
    .free = release,
    .page_bytes = page_bytes,
    .reserve = reserve,
    .back = back,
    .unback = unback,
    .release = release_reserved,
    .copy = copy,
    .fill = fill,
    .allocate_host = tw_cuda_allocate_host,
    .free_host = tw_cuda_free_host,
    .allocate_shared = tw_cuda_allocate_shared,
    .free_shared = tw_cuda_free_shared,
    .hint = hint,
    .examine = tw_cuda_examine,
    .texture = tw_cuda_texture,
};

static int cuda_ordinal(const struct tw_backend_device *device)
{
    return ((const struct tw_cuda_device *)tw_backend_whole(device))->ordinal;
}

static const struct tw_backend_interop interop = {
    .omp_number = tw_omp_number,
    .cuda_ordinal = cuda_ordinal,
    .wait_cuda = tw_cuda_stream_wait,
    .record_cuda = tw_cuda_stream_record,
};

const struct tw_backend tw_backend_cuda = {
    TW_GPU_BACKEND,
    .memory = &memory,
    .async = &tw_cuda_async,
    .graphs = &tw_cuda_graphs,
    .interop = &interop,
    .parts = &tw_cuda_parts,
    .count = count,
    .open = open_device,
    .close = close_device,
    .describe = describe,
    .observe = tw_cuda_observe,
    .check = tw_cuda_check,
    .load = tw_cuda_load,
    .limits = tw_cuda_limits,
    .launch = launch,
    .explain = explain,
};
