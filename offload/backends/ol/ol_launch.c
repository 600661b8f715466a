/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the simt lowering through liboffload (ol_launch.h): gpu_kernel.h with liboffload's programs. */
#include "ol_launch.h"

#include <stdio.h>
#include <string.h>

#include "backends/gpu/gpu_kernel.h"

/* ---- code -------------------------------------------------------------------------------------------------------- */

static struct tw_ol_device *ol(const struct tw_omp_device *device)
{
    return (struct tw_ol_device *)(uintptr_t)device;
}

/* Returns the prefix of the triples of a device's images. */
static const char *triple_of(const struct tw_ol_device *device)
{
    return device->platform == OL_PLATFORM_CUDA ? "nvptx64" : device->platform == OL_PLATFORM_AMDGPU ? "amdgcn" : "";
}

/* Of several images that a device can run, the one for the newest architecture is the best. */
static int rank_image(const struct tw_omp_device *base, const struct tw_image *image)
{
    const struct tw_ol_device *device = ol(base);
    const char *triple = triple_of(device);
    bool is_valid = false;
    unsigned number = 0;
    if (!image->contents.at)
        return TW_GPU_IMAGE_UNCLEAR;
    if (strncmp(image->triple, triple, strlen(triple)) != 0
        || tw_ol.is_valid_binary(device->handle, image->contents.at, image->contents.size, &is_valid) || !is_valid)
        return TW_GPU_IMAGE_OTHER;
    (void)sscanf(image->arch, "sm_%u", &number);
    return (int)(number % 10000u);
}

static void *load_image(const struct tw_omp_device *device, struct tw_bytes image, char *refusal, size_t bytes)
{
    ol_program program = NULL;
    const ol_result error = tw_ol.program_create(ol(device)->handle, image.at, image.size, &program);
    if (!error)
        return program;
    snprintf(refusal, bytes, "%s", error->details ? error->details : "liboffload refused its image");
    return NULL;
}

static void unload_image(const struct tw_omp_device *device, void *module)
{
    if (!tw_ol_lost(ol(device)))
        (void)tw_ol.program_destroy(module);
}

static const char *examine(const struct tw_omp_device *device, void *module, const struct tw_gpu_image_kernel *found,
                           struct tw_gpu_kernel *kernel)
{
    ol_symbol symbol = NULL;
    (void)device;
    if (tw_ol.symbol_get(module, found->name, OL_SYMBOL_KERNEL, &symbol))
        return "liboffload does not find it in its image";
    kernel->handle = symbol;
    kernel->max_items = found->max_items;
    kernel->registers = found->registers;
    kernel->private_bytes = found->private_bytes;
    kernel->static_bytes = found->static_bytes;
    kernel->parameters = found->parameter_bytes / sizeof(uint64_t);
    return found->parameter_bytes % sizeof(uint64_t) ? "it has other parameters than expected"
                                                     : tw_gpu_kernel_check_parameters(kernel);
}

static const struct tw_gpu_code code = {.launcher = "liboffload",
                                        .rank = rank_image,
                                        .find = tw_gpu_image_find,
                                        .load = load_image,
                                        .unload = unload_image,
                                        .examine = examine};

/* Returns the entry of a kernel on a device, whether its code was found or not. NULL: the kernel has no version for
   offload devices, or out of memory. */
static struct tw_gpu_kernel *find(struct tw_ol_device *device, const struct tw_internal_kernel *key)
{
    struct tw_gpu_kernel *kernel = key->offload ? tw_gpu_kernel_search(&device->omp, key) : NULL;
    if (kernel || !key->offload || tw_ol_lost(device))
        return kernel;
    return tw_gpu_kernel_add(&code, &device->omp, key);
}

void tw_ol_forget_kernels(void)
{
    tw_gpu_kernels_forget(&code);
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

void tw_ol_limits(struct tw_backend_device *base, const struct tw_internal_kernel *key, size_t items,
                  size_t local_bytes, struct tw_kernel_facts *facts)
{
    const struct tw_gpu_kernel *kernel = find(tw_ol_of(base), key);
    (void)items, (void)local_bytes;
    if (kernel && kernel->handle)
        tw_gpu_kernel_describe(kernel, facts);
}

/* Checks that there is code of a kernel that something can launch. */
static tw_status check_code(const struct tw_internal_kernel *key, const struct tw_gpu_kernel *kernel)
{
    return kernel && kernel->is_missing ? tw_omp_lacks_image(key, "this GPU") : TW_SUCCESS;
}

tw_status tw_ol_load(struct tw_backend_device *base, const struct tw_internal_kernel *key)
{
    const tw_status status = tw_omp_load(base, key);
    return status == TW_SUCCESS ? check_code(key, find(tw_ol_of(base), key)) : status;
}

tw_status tw_ol_check(struct tw_backend_device *base, const struct tw_internal_kernel *key,
                      struct tw_internal_launch *launch)
{
    struct tw_ol_device *device = tw_ol_of(base);
    tw_status status = tw_omp_check(base, key, launch);
    if (status != TW_SUCCESS)
        return status;
    const struct tw_gpu_kernel *kernel = launch->found = find(device, key);
    status = tw_gpu_kernel_check(kernel, key, launch, device->local_bytes);
    return status == TW_SUCCESS ? check_code(key, kernel) : status;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

ol_result tw_ol_enqueue(struct tw_ol_device *device, const struct tw_internal_launch *launch, ol_queue queue)
{
    const struct tw_gpu_kernel *kernel = launch->found;
    struct tw_gpu_call call;
    tw_gpu_call(kernel, launch, &call);
    const struct ol_launch_size size = {.dimensions = 3,
                                        .groups = {call.grid[0], call.grid[1], call.grid[2]},
                                        .group_size = {call.block[0], call.block[1], call.block[2]},
                                        .dynamic_bytes = call.dynamic_bytes};
    return tw_ol.launch(queue, device->handle, kernel->handle, call.parameters, call.bytes, &size);
}

/* A kernel's fault before shows in the state of a queue. */
tw_status tw_ol_report(struct tw_ol_device *device, const char *kernel, ol_result error, bool alone)
{
    ol_queue queue;
    const ol_result fault = tw_ol_take_queue(device, &queue);
    const ol_result after = fault ? fault : tw_ol_finish(queue);
    if (after)
        tw_ol_lose(device, kernel, error, alone);
    if (!fault)
        tw_ol_give_queue(device, queue);
    if (tw_ol_lost(device))
        return tw_ol_fail_lost(TW_ERROR_LAUNCH_FAILED, device);
    return tw_gpu_fail_launch(kernel, code.launcher, tw_ol_error(error));
}

/* Launches a kernel and waits for it. */
static ol_result run(struct tw_ol_device *device, const struct tw_internal_launch *launch)
{
    ol_queue queue;
    ol_result error = tw_ol_take_queue(device, &queue);
    if (error)
        return error;
    error = tw_ol_enqueue(device, launch, queue);
    if (!error)
        error = tw_ol_finish(queue);
    tw_ol_give_queue(device, queue);
    return error;
}

tw_status tw_ol_launch(struct tw_ol_device *device, const struct tw_internal_kernel *key,
                       const struct tw_internal_launch *launch)
{
    if (!tw_ol_enter(device))
        return tw_fail(TW_ERROR_LAUNCH_FAILED, "liboffload has no context for kernel %s", key->name);
    const unsigned before = atomic_fetch_add_explicit(&device->running, 1, memory_order_relaxed);
    const ol_result error = run(device, launch);
    const unsigned others = atomic_fetch_sub_explicit(&device->running, 1, memory_order_relaxed) - 1;
    return error ? tw_ol_report(device, key->name, error, !before && !others) : TW_SUCCESS;
}
