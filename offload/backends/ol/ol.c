/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ol backend (ol.h), built upon the omp backend.
 *
 * OpenMP owns the devices and the images. Device memory is by OpenMP, too: liboffload's plugins are a second copy of those
 * in libomptarget, but both use the same driver in the same process, and on NVIDIA GPUs the same context. So target
 * regions, the program's own calls and this backend share all device memory. Copies, and kernels of the simt lowering, use
 * liboffload: so they use streams, and a fault is a status where the driver reports it. Kernels that liboffload cannot
 * launch are left to the omp backend.
 */
#include "ol.h"

#include <stdlib.h>
#include <string.h>

#include "backends/gpu/gpu_backend.h"
#include "backends/gpu/staged_copy.h"
#include "base/environment.h"
#include "base/log.h"
#include "common/inventory.h"
#include "common/openmp.h"
#include "ol_copy.h"
#include "ol_driver.h"
#include "ol_launch.h"
#include "ol_stream.h"

static unsigned opened; /* the number of open devices; under the discovery lock, as all of this */
static bool is_open;    /* tw_ol_open() has succeeded */

/* ---- devices ----------------------------------------------------------------------------------------------------- */

static void close_library(void)
{
    struct tw_ol_device *device;
    tw_staged_copy_close();
    tw_ol_forget_kernels();
    for (unsigned i = 0; (device = tw_ol_device(i)) != NULL; ++i)
        if (!tw_ol_lost(device))
            tw_ol_free_stages(device);
    tw_ol_close();
    is_open = false;
}

/* Returns the number of OpenMP's GPUs that nobody owns. */
static unsigned count_free(void)
{
    unsigned free_gpus = 0;
    bool gpu;
    for (int number = 0; number < tw_openmp_devices(); ++number)
        free_gpus += tw_openmp_is_free(number) && tw_omp_classify(number, &gpu) && gpu;
    return free_gpus;
}

static unsigned count_devices(void)
{
    unsigned count = 0;
    while (tw_ol_device(count))
        ++count;
    return count;
}

/* Returns liboffload's device for OpenMP's number; NULL: it has none. Both have a text for each device, from LLVM 22 on. If
   libomptarget is older, the devices are those of liboffload in its order, provided that there are as many. */
static struct tw_ol_device *device_behind(int number, unsigned at, unsigned free_gpus)
{
    const char *uid = tw_openmp_uid(number);
    struct tw_ol_device *device;
    for (unsigned i = 0; uid && (device = tw_ol_device(i)) != NULL; ++i)
        if (device->uid[0] && strcmp(device->uid, uid) == 0)
            return device;
    return !uid && free_gpus == count_devices() ? tw_ol_device(at) : NULL;
}

/* Claims OpenMP's GPUs that nobody owns. */
static void claim(unsigned free_gpus)
{
    unsigned at = 0;
    bool gpu;
    for (int number = 0; number < tw_openmp_devices(); ++number) {
        if (!tw_openmp_is_free(number) || !tw_omp_classify(number, &gpu) || !gpu)
            continue;
        struct tw_ol_device *device = device_behind(number, at++, free_gpus);
        if (device && !device->is_offered && tw_openmp_claim(number, &tw_backend_ol)) {
            device->is_offered = true;
            device->omp.number = number;
        }
    }
}

static tw_status count(unsigned *devices)
{
    *devices = 0;
    tw_openmp_start();
    if (!tw_openmp_admits("ol"))
        return TW_SUCCESS;
    const bool is_wanted = tw_environment(TW_VARIABLE_BACKEND) != NULL;
    const unsigned free_gpus = count_free();
    if (!free_gpus)
        return TW_SUCCESS;
    if (!is_open)
        is_open = tw_ol_open();
    if (!is_open && is_wanted)
        return tw_fail(TW_ERROR_INVALID_CONFIGURATION, "TW_BACKEND is \"ol\", but %s", tw_ol_failure());
    if (!is_open) {
        tw_log(TW_LOG_INFO, "device: kernels run one at a time, in target regions: %s", tw_ol_failure());
        return TW_SUCCESS;
    }
    claim(free_gpus);
    *devices = tw_openmp_count(&tw_backend_ol);
    if (!*devices)
        close_library();
    if (!*devices && is_wanted)
        return tw_fail(TW_ERROR_INVALID_CONFIGURATION,
                       "TW_BACKEND is \"ol\", but liboffload's GPUs do not correspond to OpenMP's");
    return TW_SUCCESS;
}

/* Returns the device that was claimed for OpenMP's number. */
static struct tw_ol_device *claimed(int number)
{
    unsigned i = 0;
    struct tw_ol_device *device;
    while ((device = tw_ol_device(i)) != NULL && !(device->is_offered && device->omp.number == number))
        ++i;
    return device;
}

static tw_status open_device(unsigned index, struct tw_backend_device **result)
{
    const int number = tw_openmp_number(&tw_backend_ol, index);
    struct tw_ol_device *device = claimed(number);
    if (!device || tw_ol.memory_allocate(device->handle, OL_ALLOC_DEVICE, 64, &device->word))
        return tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "OpenMP device %d has no memory any more", number);
    tw_gpu_begin(&device->omp, &tw_backend_ol, index, number, device->compute_units, tw_ol_warp(device));
    device->omp.base.times_cost = true;
    ++opened;
    *result = &device->omp.base;
    return TW_SUCCESS;
}

static void close_device(struct tw_backend_device *base)
{
    tw_gpu_end(&tw_ol_of(base)->omp);
    if (--opened == 0)
        close_library();
}

static void describe(struct tw_backend_device *device, struct tw_device_facts *facts)
{
    facts->atomic_orders = TW_ALL_ORDERS;
    facts->atomic_scopes = TW_ALL_SCOPES;
    tw_ol_describe(tw_ol_of(device), facts);
}

/* Otherwise the cuda backend explains it. */
static bool explain(tw_device_type type, char *text, size_t bytes)
{
    struct tw_inventory inventory;
    if (type != TW_DEVICE_GPU || !tw_environment(TW_VARIABLE_BACKEND) || !tw_openmp_admits("ol")
        || tw_openmp_is_given_up())
        return false;
    tw_inventory_read(&inventory);
    inventory.lister = "OpenMP";
    return tw_inventory_explain(&inventory, text, bytes);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static tw_status copy(const struct tw_backend_copy *copy)
{
    const tw_status status = tw_omp_check_sides(copy);
    return status == TW_SUCCESS ? tw_ol_copy(copy) : status;
}

static tw_status fill(struct tw_backend_device *base, const struct tw_backend_fill *fill)
{
    struct tw_ol_device *device = tw_ol_of(base);
    return tw_ol_lost(device) ? tw_ol_fail_lost(TW_ERROR_TRANSFER_FAILED, device) : tw_ol_fill(device, fill);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* Launches a kernel that tw_gpu_takes(). */
static tw_status launch_by_liboffload(struct tw_backend_device *base, const struct tw_internal_kernel *kernel,
                                      struct tw_internal_launch *description)
{
    return tw_ol_launch(tw_ol_of(base), kernel, description);
}

static tw_status launch(struct tw_backend_device *base, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description)
{
    return tw_gpu_launch(base, kernel, description, launch_by_liboffload);
}

static const struct tw_backend_memory memory = {
    TW_GPU_MEMORY,
    .allocate = tw_omp_allocate,
    .free = tw_omp_free,
    .copy = copy,
    .fill = fill,
    .allocate_host = tw_ol_allocate_host,
    .free_host = tw_ol_free_host,
    .allocate_shared = tw_ol_allocate_shared,
    .free_shared = tw_ol_free_shared,
    .examine = tw_omp_examine,
};

static const struct tw_backend_interop interop = {.omp_number = tw_omp_number};

const struct tw_backend tw_backend_ol = {
    TW_GPU_BACKEND,         .memory = &memory,
    .async = &tw_ol_async,  .graphs = &tw_ol_graphs,
    .interop = &interop,    .count = count,
    .open = open_device,    .close = close_device,
    .describe = describe,   .observe = tw_omp_observe,
    .check = tw_ol_check,   .load = tw_ol_load,
    .limits = tw_ol_limits, .launch = launch,
    .explain = explain,
};
