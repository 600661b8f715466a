/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels of the simt lowering through the CUDA driver (cuda_launch.h): gpu_kernel.h with the driver's modules.
 */
#define _GNU_SOURCE
#include "cuda_launch.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <teamwork/lower/kernel/simt.h>

#include "backends/gpu/gpu_backend.h"
#include "backends/gpu/gpu_kernel.h"
#include "base/cancellation.h"
#include "base/tuning.h"
#include "cuda_part.h"

static pthread_mutex_t allowing = PTHREAD_MUTEX_INITIALIZER; /* held to change the dynamic_bytes of a kernel */

/* ---- code -------------------------------------------------------------------------------------------------------- */

static struct tw_cuda_device *cuda(const struct tw_omp_device *device)
{
    return (struct tw_cuda_device *)(uintptr_t)device;
}

static int rank_image(const struct tw_omp_device *device, const struct tw_image *image)
{
    if (image->contents.at && strncmp(image->triple, "nvptx64", 7) != 0)
        return TW_GPU_IMAGE_OTHER;
    const int number = tw_image_sm_for(image->arch, cuda(device)->capability);
    if (number < 0 && strncmp(image->arch, "sm_", 3) != 0)
        return TW_GPU_IMAGE_UNCLEAR;
    return number;
}

static void *load_image(const struct tw_omp_device *device, struct tw_bytes image, char *refusal, size_t bytes)
{
    cu_module module = NULL;
    (void)device;
    const cu_result error = tw_cuda.module_load(&module, image.at);
    if (error)
        snprintf(refusal, bytes, "%s", tw_cuda_error(error).text);
    return error ? NULL : module;
}

static void unload_image(const struct tw_omp_device *device, void *module)
{
    const enum tw_cuda_entry entry = tw_cuda_enter(cuda(device));
    if (entry)
        (void)tw_cuda.module_unload(module);
    tw_cuda_leave(entry);
}

static size_t ask(cu_function function, int which)
{
    int value = 0;
    return tw_cuda.function_get(&value, which, function) || value < 0 ? 0 : (size_t)value;
}

/* Stores the number of a kernel's parameters. Returns NULL, or why it cannot be launched with them. */
static const char *read_parameters(struct tw_gpu_kernel *kernel)
{
    size_t offset, size, *count = &kernel->parameters;
    if (!tw_cuda.function_parameter)
        return "the driver does not describe its parameters, as that of CUDA 12.4 does";
    for (; *count <= TW_GPU_MAX_PARAMETERS && !tw_cuda.function_parameter(kernel->handle, *count, &offset, &size);
         ++*count)
        if (size != sizeof(uint64_t) || offset != *count * sizeof(uint64_t))
            *count = TW_GPU_MAX_PARAMETERS; /* more than any kernel has */
    return tw_gpu_kernel_check_parameters(kernel);
}

static const char *examine(const struct tw_omp_device *device, void *module, const struct tw_gpu_image_kernel *found,
                           struct tw_gpu_kernel *kernel)
{
    cu_function function = NULL;
    (void)device;
    if (tw_cuda.module_function(&function, module, found->name))
        return "the driver does not find it in its image";
    kernel->handle = function;
    kernel->max_items = ask(function, CU_FUNCTION_MAX_THREADS);
    kernel->registers = ask(function, CU_FUNCTION_REGISTERS);
    kernel->private_bytes = ask(function, CU_FUNCTION_LOCAL_BYTES);
    kernel->static_bytes = ask(function, CU_FUNCTION_SHARED_BYTES);
    return read_parameters(kernel);
}

static void complete(const struct tw_omp_device *base, struct tw_gpu_kernel *kernel)
{
    const struct tw_cuda_device *device = cuda(base);
    /* a kernel may use so much by default */
    atomic_init(&kernel->dynamic_bytes, device->default_shared_bytes > kernel->static_bytes
                                            ? device->default_shared_bytes - kernel->static_bytes
                                            : 0);
}

static bool leaves_all(void)
{
    return tw_cuda_choice() == TW_CUDA_OPENMP_LAUNCH;
}

static const struct tw_gpu_code code = {.launcher = "the driver",
                                        .wish = "TW_CUDA_LAUNCH asks for it",
                                        .rank = rank_image,
                                        .find = tw_cubin_find,
                                        .load = load_image,
                                        .unload = unload_image,
                                        .examine = examine,
                                        .complete = complete,
                                        .leaves_all = leaves_all};

/* Returns the entry of a kernel on a device, whether its code was found or not. NULL: the kernel has no version for
   offload devices, or out of memory, or no context. */
static struct tw_gpu_kernel *find(struct tw_cuda_device *device, const struct tw_internal_kernel *key)
{
    struct tw_gpu_kernel *kernel = key->offload ? tw_gpu_kernel_search(&device->omp, key) : NULL;
    if (kernel || !key->offload)
        return kernel;
    TW_DEFER_CANCELLATION;
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (entry)
        kernel = tw_gpu_kernel_add(&code, &device->omp, key);
    tw_cuda_leave(entry);
    return kernel;
}

void tw_cuda_forget_kernels(void)
{
    tw_gpu_kernels_forget(&code);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static size_t local_limit(const struct tw_cuda_device *device, const struct tw_gpu_kernel *kernel)
{
    return kernel->is_launched ? device->max_shared_bytes : device->default_shared_bytes;
}

/* Allows a kernel `bytes` of dynamic shared memory, if that is more than it may use so far. */
static cu_result allow(struct tw_gpu_kernel *kernel, size_t bytes)
{
    cu_result error = 0;
    if (bytes <= atomic_load_explicit(&kernel->dynamic_bytes, memory_order_acquire))
        return 0;
    pthread_mutex_lock(&allowing);
    if (bytes > atomic_load_explicit(&kernel->dynamic_bytes, memory_order_relaxed)) {
        error = tw_cuda.function_set(kernel->handle, CU_FUNCTION_MAX_DYNAMIC_SHARED_BYTES, (int)bytes);
        if (!error)
            atomic_store_explicit(&kernel->dynamic_bytes, bytes, memory_order_release);
    }
    pthread_mutex_unlock(&allowing);
    return error;
}

/* Asks the driver for the number of work-groups that a multiprocessor runs at a time; 0 if it is not known. */
static uint16_t ask_resident(struct tw_cuda_device *device, struct tw_gpu_kernel *kernel, size_t items,
                             size_t local_bytes)
{
    int blocks = 0;
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (!entry)
        return 0;
    if (allow(kernel, local_bytes) || tw_cuda.resident_blocks(&blocks, kernel->handle, (int)items, local_bytes))
        blocks = 0;
    tw_cuda_leave(entry);
    return blocks > 0 && blocks <= UINT16_MAX ? (uint16_t)blocks : 0;
}

/* Returns the number of work-groups that a multiprocessor runs at a time; 0 if it is not known. The answer is kept until
   groups of another size are asked for, since a launch that reduces asks each time. */
static size_t resident_groups(struct tw_cuda_device *device, struct tw_gpu_kernel *kernel, size_t items,
                              size_t local_bytes)
{
    if (!items || items > kernel->max_items || local_bytes > device->max_shared_bytes)
        return 0;
    const uint64_t asked = (uint64_t)local_bytes << 32 | (uint64_t)items << 16;
    uint64_t known = atomic_load_explicit(&kernel->residency, memory_order_relaxed);
    if (known >> 16 != asked >> 16) {
        known = asked | ask_resident(device, kernel, items, local_bytes);
        atomic_store_explicit(&kernel->residency, known, memory_order_relaxed);
    }
    return known & UINT16_MAX;
}

/* Returns the most teams of a launch that reduces. */
static unsigned most_parts(struct tw_cuda_device *device, struct tw_gpu_kernel *kernel,
                           const struct tw_internal_launch *launch)
{
    const size_t items = kernel->key->form == TW_INTERNAL_REDUCTION
                             ? TW_INTERNAL_SIMT_RANGE_THREADS
                             : launch->local[0] * launch->local[1] * launch->local[2];
    const size_t resident = resident_groups(device, kernel, items, launch->local_bytes) * device->compute_units;
    return resident ? tw_omp_most_parts(kernel->key, launch, resident) : launch->max_parts;
}

void tw_cuda_limits(struct tw_backend_device *base, const struct tw_internal_kernel *key, size_t items,
                    size_t local_bytes, struct tw_kernel_facts *facts)
{
    struct tw_cuda_device *device = tw_cuda_of(base);
    struct tw_gpu_kernel *kernel = find(device, key);
    if (!kernel || !kernel->handle)
        return;
    tw_gpu_kernel_describe(kernel, facts);
    const struct tw_cuda_part *part = tw_cuda_part_of(base);
    facts->resident_groups =
        resident_groups(device, kernel, items, local_bytes) * (part ? part->units : device->compute_units);
}

/* Fails for a kernel whose images are not for the device. */
static tw_status lacks_image(const struct tw_cuda_device *device, const struct tw_internal_kernel *key)
{
    char arch[16];
    snprintf(arch, sizeof arch, "sm_%u", device->capability);
    return tw_omp_lacks_image(key, arch);
}

/* Checks that there is code of a kernel that something can launch. `kernel` is what find() has returned. */
static tw_status check_code(struct tw_cuda_device *device, const struct tw_internal_kernel *key,
                            const struct tw_gpu_kernel *kernel)
{
    if (kernel && kernel->is_missing)
        return lacks_image(device, key);
    if (tw_cuda_choice() == TW_CUDA_DRIVER_LAUNCH && tw_omp_lowering(&device->omp, key) == TW_INTERNAL_LOWER_SIMT
        && !(kernel && kernel->is_launched))
        return tw_fail(TW_ERROR_UNSUPPORTED, "TW_CUDA_LAUNCH=driver, but it cannot launch kernel %s: %s", key->name,
                       kernel ? kernel->reason : "there is no memory for it");
    return TW_SUCCESS;
}

tw_status tw_cuda_load(struct tw_backend_device *base, const struct tw_internal_kernel *key)
{
    const tw_status status = tw_omp_load(base, key);
    return status == TW_SUCCESS ? check_code(tw_cuda_of(base), key, find(tw_cuda_of(base), key)) : status;
}

/* Fails for a kernel that only OpenMP could launch: it would run on all of the device. */
static tw_status check_part(struct tw_backend_device *part, const struct tw_internal_kernel *key,
                            const struct tw_internal_launch *launch)
{
    const struct tw_gpu_kernel *kernel = launch->found;
    if (tw_gpu_takes(part, key, launch))
        return TW_SUCCESS;
    return tw_fail(TW_ERROR_UNSUPPORTED, "kernel %s cannot be launched on a part of a GPU%s%s", key->name,
                   kernel && kernel->reason ? ": " : ", but by OpenMP on all of it",
                   kernel && kernel->reason ? kernel->reason : "");
}

tw_status tw_cuda_check(struct tw_backend_device *base, const struct tw_internal_kernel *key,
                        struct tw_internal_launch *launch)
{
    struct tw_cuda_device *device = tw_cuda_of(base);
    tw_status status = tw_omp_check(base, key, launch);
    if (status != TW_SUCCESS)
        return status;
    struct tw_gpu_kernel *kernel = launch->found = find(device, key);
    const bool found = kernel && kernel->handle;
    if (launch->together && !(kernel && kernel->is_launched)
        && launch->range[0] * launch->range[1] * launch->range[2] > 1)
        return tw_fail(TW_ERROR_UNSUPPORTED,
                       "groups of kernel %s wait for each other, and not the driver launches it: %s", key->name,
                       kernel && kernel->reason ? kernel->reason : "it has no code that it could launch");
    status =
        tw_gpu_kernel_check(kernel, key, launch, found ? local_limit(device, kernel) : device->default_shared_bytes);
    if (found && status == TW_SUCCESS && key->misfit)
        launch->max_parts = most_parts(device, kernel, launch);
    if (status == TW_SUCCESS)
        status = check_code(device, key, kernel);
    return status == TW_SUCCESS && tw_cuda_part_of(base) ? check_part(base, key, launch) : status;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* One launch for the driver. It points into itself. */
struct call {
    struct tw_gpu_call what;
    struct cu_kernel_node node;
    void *extra[5]; /* CU_LAUNCH_PARAM_BUFFER_POINTER and ..._BUFFER_SIZE, each with its value; CU_LAUNCH_PARAM_END */
};

/* Fills a call, and allows the kernel the dynamic shared memory that the launch needs. */
static cu_result prepare(struct tw_gpu_kernel *kernel, const struct tw_internal_launch *launch, struct call *call)
{
    const struct tw_gpu_call *what = &call->what;
    void *const extra[] = {(void *)1, call->what.parameters, (void *)2, &call->what.bytes, NULL};
    tw_gpu_call(kernel, launch, &call->what);
    call->node = (struct cu_kernel_node){.function = kernel->handle,
                                         .grid = {what->grid[0], what->grid[1], what->grid[2]},
                                         .block = {what->block[0], what->block[1], what->block[2]},
                                         .dynamic_bytes = what->dynamic_bytes,
                                         .extra = call->extra};
    memcpy(call->extra, extra, sizeof extra);
    return allow(kernel, launch->local_bytes);
}

/* Whether a launch waits by itself for what comes before it. A kernel that is found was compiled with this version of the
   headers, so that follows from the architecture. What has textures does not: nothing says that they see what was
   written after the first blocks came to the device. */
static bool awaits(const struct tw_internal_launch *launch)
{
    const struct tw_gpu_kernel *kernel = launch->found;
    return kernel->rank * 10 >= TW_INTERNAL_SIMT_AWAITS && !launch->samples && tw_cuda.launch_with
           && TW_TUNE_DEPENDENT_LAUNCHES;
}

/* Enqueues a kernel whose blocks come to the device as soon as those of the kernel before it leave (programmatic dependent
   launch). They wait there. */
static cu_result enqueue_dependent(const struct cu_kernel_node *node, cu_stream stream)
{
    struct cu_launch_attribute attribute = {.which = CU_LAUNCH_PROGRAMMATIC_SERIALIZATION, .value.allowed = 1};
    const struct cu_launch launch = {.grid = {node->grid[0], node->grid[1], node->grid[2]},
                                     .block = {node->block[0], node->block[1], node->block[2]},
                                     .dynamic_bytes = node->dynamic_bytes,
                                     .stream = stream,
                                     .attributes = &attribute,
                                     .attribute_count = 1};
    return tw_cuda.launch_with(&launch, node->function, NULL, node->extra);
}

/* Enqueues a kernel whose blocks run at the same time (a cooperative launch), with its parameters one by one, as
   cuLaunchCooperativeKernel() takes them. */
static cu_result enqueue_together(const struct call *call, cu_stream stream)
{
    const struct cu_kernel_node *node = &call->node;
    struct cu_launch_attribute attribute = {.which = CU_LAUNCH_COOPERATIVE, .value.allowed = 1};
    const struct cu_launch launch = {.grid = {node->grid[0], node->grid[1], node->grid[2]},
                                     .block = {node->block[0], node->block[1], node->block[2]},
                                     .dynamic_bytes = node->dynamic_bytes,
                                     .stream = stream,
                                     .attributes = &attribute,
                                     .attribute_count = 1};
    void *parameters[TW_GPU_MAX_PARAMETERS];
    for (size_t i = 0; i < call->what.bytes / sizeof call->what.parameters[0]; ++i)
        parameters[i] = (void *)(uintptr_t)&call->what.parameters[i];
    return tw_cuda.launch_with(&launch, node->function, parameters, NULL);
}

cu_result tw_cuda_enqueue(const struct tw_internal_launch *launch, cu_stream stream)
{
    struct call call;
    const cu_result error = prepare(launch->found, launch, &call);
    const struct cu_kernel_node *node = &call.node;
    if (error)
        return error;
    if (launch->together && tw_cuda.launch_with)
        return enqueue_together(&call, stream);
    return awaits(launch)
               ? enqueue_dependent(node, stream)
               : tw_cuda.launch(node->function, node->grid[0], node->grid[1], node->grid[2], node->block[0],
                                node->block[1], node->block[2], node->dynamic_bytes, stream, NULL, node->extra);
}

cu_result tw_cuda_add_node(const struct tw_internal_launch *launch, cu_graph graph, const cu_node *before, size_t count,
                           bool follows_kernel, cu_node *node)
{
    const struct cu_edge edge = {.from_port = CU_PORT_PROGRAMMATIC, .type = CU_EDGE_PROGRAMMATIC};
    const bool has_edge = follows_kernel && !launch->together && awaits(launch) && tw_cuda.graph_add_edges;
    struct call call;
    cu_result error = prepare(launch->found, launch, &call);
    if (!error)
        error = tw_cuda.graph_add_kernel(node, graph, before, has_edge ? 0 : count, &call.node);
    if (!error && launch->together && tw_cuda.graph_set_attribute) {
        const struct cu_launch_attribute attribute = {.value.allowed = 1};
        error = tw_cuda.graph_set_attribute(*node, CU_LAUNCH_COOPERATIVE, &attribute.value);
    }
    return error || !has_edge ? error : tw_cuda.graph_add_edges(graph, before, node, &edge, 1);
}

cu_result tw_cuda_set_node(const struct tw_internal_launch *launch, cu_executable executable, cu_node node)
{
    struct call call;
    const cu_result error = prepare(launch->found, launch, &call);
    return error ? error : tw_cuda.graph_set_kernel(executable, node, &call.node);
}

tw_status tw_cuda_report(struct tw_cuda_device *device, const char *kernel, cu_result error, bool alone)
{
    if (!tw_cuda.context_synchronize())
        return tw_gpu_fail_launch(kernel, "the CUDA driver", tw_cuda_error(error));
    tw_cuda_lose(device, kernel, error, alone);
    return tw_cuda_fail_lost(TW_ERROR_LAUNCH_FAILED, device);
}

/* Launches a kernel and waits for it. Called in the device's context. */
static cu_result run(struct tw_backend_device *base, const struct tw_internal_launch *launch)
{
    struct tw_cuda_part *part = tw_cuda_part_of(base);
    cu_stream stream;
    cu_result error = part ? tw_cuda_take_part_stream(part, &stream) : tw_cuda_take_stream(tw_cuda_of(base), &stream);
    if (error)
        return error;
    error = tw_cuda_enqueue(launch, stream);
    if (!error)
        error = tw_cuda.stream_synchronize(stream);
    if (part)
        tw_cuda_give_part_stream(part, stream);
    else
        tw_cuda_give_stream(tw_cuda_of(base), stream);
    return error;
}

tw_status tw_cuda_launch(struct tw_backend_device *base, const struct tw_internal_kernel *key,
                         const struct tw_internal_launch *launch)
{
    struct tw_cuda_device *device = tw_cuda_of(base);
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (!entry)
        return tw_fail(TW_ERROR_LAUNCH_FAILED, "the CUDA driver has no context for kernel %s", key->name);
    const unsigned before = atomic_fetch_add_explicit(&device->running, 1, memory_order_relaxed);
    const cu_result error = run(base, launch);
    const unsigned others = atomic_fetch_sub_explicit(&device->running, 1, memory_order_relaxed) - 1;
    const tw_status status = error ? tw_cuda_report(device, key->name, error, !before && !others) : TW_SUCCESS;
    tw_cuda_leave(entry);
    return status;
}
