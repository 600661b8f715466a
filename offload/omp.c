/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The omp backend: every OpenMP offload device, through target regions and omp_target_* calls.
 *
 * Regions are synchronous and called from several threads, which libomptarget runs on streams of their own. What it
 * makes fatal, a fault on the device above all, ends the program with its message; what can be checked is checked
 * before.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "backend.h"
#include "cuda.h"
#include "host.h"
#include "omp_start.h"
#include "topology.h"

#define GPU_LANES 8u
#define GPU_MAX_TEAMS 0x7fffffffu
#define GPU_THREAD_STEP 64u /* a multiple of every warp */
#define TEAMS_MAX_TEAMS 65535u

struct omp_device {
    struct tw_backend_device base;
    int number;       /* OpenMP's */
    int cuda_ordinal; /* -1: not CUDA */
    bool gpu;
    unsigned max_teams, max_threads;
};

static unsigned opened; /* devices open; under the discovery lock */
static bool cuda_is_open;

static struct omp_device *omp(struct tw_backend_device *device)
{
    return (struct omp_device *)device;
}

/* libomptarget starts with the first device image that the program brings; without one, asking it anything crashes
   (LLVM 19 and 22). Its entry to start it by hand is counted; it stays started until the program ends. */
extern void __tgt_rtl_init(void) __attribute__((weak));
static bool started; /* under the discovery lock */

void tw_omp_start(void)
{
    if (!started && __tgt_rtl_init) {
        __tgt_rtl_init();
        started = true;
    }
}

static unsigned count(void)
{
    tw_omp_start();
    if (!cuda_is_open && omp_get_num_devices() > 0)
        cuda_is_open = tw_cuda_open();
    const int devices = omp_get_num_devices();
    return devices > 0 ? (unsigned)devices : 0;
}

/* Whether the process can read a piece of device memory: then the device is the host's own processor. */
static bool is_host_memory(void *memory)
{
    char byte;
    const struct iovec to = {&byte, 1}, from = {memory, 1};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
}

/* What kind of device OpenMP's number stands for: OpenMP does not tell, but the CUDA driver knows its memory, and the
   x86-64 plugin's is the process's own. What is neither is a GPU that this library knows nothing more about. */
static void classify(struct omp_device *device)
{
    void *probe = omp_target_alloc(64, device->number);
    device->cuda_ordinal = probe ? tw_cuda_owner(probe) : -1;
    device->gpu = device->cuda_ordinal >= 0 || (probe && !is_host_memory(probe));
    if (probe)
        omp_target_free(probe, device->number);
    device->base.type = device->gpu ? TW_DEVICE_GPU : TW_DEVICE_CPU;
    device->base.exclusive = !device->gpu;
    device->base.max_lanes = device->gpu ? GPU_LANES : 2;
    device->max_teams = device->gpu ? TEAMS_MAX_TEAMS : tw_topology_processors();
    device->max_threads = device->gpu ? TW_INTERNAL_SIMT_MAX_GROUP : device->max_teams;
}

static tw_status open_device(unsigned index, struct tw_backend_device **result)
{
    struct omp_device *device = calloc(1, sizeof *device);
    if (!device)
        return tw_backend_complain(TW_ERROR_OUT_OF_MEMORY, "no memory for an offload device");
    device->base.backend = &tw_backend_omp;
    device->base.index = index;
    device->number = (int)index;
    classify(device);
    ++opened;
    *result = &device->base;
    return TW_SUCCESS;
}

static void close_device(struct tw_backend_device *device)
{
    free(device);
    if (--opened == 0 && cuda_is_open) {
        tw_cuda_close();
        cuda_is_open = false;
    }
}

static void describe(struct tw_backend_device *device, struct tw_device_facts *facts)
{
    if (omp(device)->cuda_ordinal >= 0) {
        tw_cuda_describe(omp(device)->cuda_ordinal, facts);
        return;
    }
    facts->max_work_group_size = TW_INTERNAL_SIMT_MAX_GROUP;
    if (omp(device)->gpu) {
        snprintf(facts->name, sizeof facts->name, "OpenMP device %d", omp(device)->number);
        facts->local_mem_type = TW_LOCAL_MEM_LOCAL;
        return;
    }
    tw_topology_describe(facts);
    facts->sub_group_size = 1;
    facts->local_mem_type = TW_LOCAL_MEM_GLOBAL;
    facts->local_mem_bytes = 256u << 10;
}

static void *allocate(struct tw_backend_device *device, size_t bytes)
{
    return omp_target_alloc(bytes, omp(device)->number);
}

static void release(struct tw_backend_device *device, void *memory)
{
    omp_target_free(memory, omp(device)->number);
}

static tw_status copy(struct tw_backend_device *to, void *target, struct tw_backend_device *from, const void *source,
                      size_t bytes)
{
    const int host = omp_get_initial_device();
    const int to_number = to ? omp(to)->number : host, from_number = from ? omp(from)->number : host;
    if (omp_target_memcpy(target, source, bytes, 0, 0, to_number, from_number))
        return tw_backend_complain(TW_ERROR_TRANSFER_FAILED,
                                   "OpenMP could not copy %zu bytes from device %d to device %d", bytes, from_number,
                                   to_number);
    return TW_SUCCESS;
}

/* The lowering for a kernel on a device: simt where the kernel has it and the device is a GPU. */
static unsigned lowering_for(const struct omp_device *device, const struct tw_internal_kernel *kernel)
{
    if (device->gpu && kernel->lowerings & 1u << TW_INTERNAL_LOWER_SIMT)
        return TW_INTERNAL_LOWER_SIMT;
    return TW_INTERNAL_LOWER_TEAMS;
}

static tw_status check(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                       const struct tw_internal_launch *launch)
{
    const size_t items = launch->range[0] * launch->range[1] * launch->range[2];
    if (!kernel->offload)
        return tw_backend_complain(TW_ERROR_UNSUPPORTED, "kernel %s has no version for offload devices", kernel->name);
    if (lowering_for(omp(device), kernel) != TW_INTERNAL_LOWER_SIMT)
        return TW_SUCCESS;
    /* teams are numbered in 31 bits; a team of a range kernel has 256 work-items, fewer in thin ranges */
    const size_t most = kernel->form == TW_INTERNAL_RANGE ? (size_t)GPU_MAX_TEAMS * 64 : GPU_MAX_TEAMS;
    if (items > most)
        return tw_backend_complain(TW_ERROR_INVALID_RANGE, "kernel %s: %zu %s are more than the %zu of one launch",
                                   kernel->name, items, kernel->form == TW_INTERNAL_RANGE ? "work-items" : "groups",
                                   most);
    return TW_SUCCESS;
}

/* Argument blocks that do not fit kernel arguments travel in device memory of their own. */
static tw_status upload_args(struct omp_device *device, const struct tw_internal_kernel *kernel,
                             struct tw_internal_launch *launch, void **memory)
{
    *memory = NULL;
    if (kernel->args_bytes <= TW_INTERNAL_INLINE_ARGS_BYTES)
        return TW_SUCCESS;
    *memory = omp_target_alloc(kernel->args_bytes, device->number);
    if (!*memory)
        return tw_backend_complain(TW_ERROR_OUT_OF_DEVICE_MEMORY, "no device memory for the %zu argument bytes of %s",
                                   kernel->args_bytes, kernel->name);
    launch->device_args = *memory;
    const tw_status status = copy(&device->base, *memory, NULL, launch->args, kernel->args_bytes);
    if (status != TW_SUCCESS)
        omp_target_free(*memory, device->number);
    return status;
}

static tw_status launch(struct tw_backend_device *base, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description)
{
    struct omp_device *device = omp(base);
    void *args = NULL;
    const tw_status status = upload_args(device, kernel, description, &args);
    if (status != TW_SUCCESS)
        return status;
    description->device = device->number;
    description->lowering = lowering_for(device, kernel);
    description->max_teams = device->max_teams;
    description->max_threads = device->max_threads;
    description->thread_step = device->gpu ? GPU_THREAD_STEP : 1;
    description->fell_back = 0;
    kernel->offload(description);
    if (args)
        omp_target_free(args, device->number);
    if (description->fell_back)
        return tw_backend_complain(TW_ERROR_NO_DEVICE_IMAGE,
                                   "kernel %s has no image for OpenMP device %d: compile and link %s for it, as with "
                                   "teamwork_add_offload()",
                                   kernel->name, device->number, kernel->file);
    return TW_SUCCESS;
}

const struct tw_backend tw_backend_omp = {
    .name = "omp",
    .count = count,
    .open = open_device,
    .close = close_device,
    .begin_thread = tw_host_begin_thread,
    .describe = describe,
    .allocate = allocate,
    .free = release,
    .copy = copy,
    .check = check,
    .launch = launch,
};
