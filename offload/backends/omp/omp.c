/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The omp backend: every OpenMP offload device, through target regions and omp_target_* calls.
 *
 * Regions are synchronous and called from several threads, which libomptarget runs on streams of their own. What it
 * makes fatal, a fault on the device above all, ends the program with its message; what can be checked is checked
 * before. Kernels of the simt lowering go past it to the CUDA driver where they can (cuda.h): then a fault is a status.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <teamwork/lower/simt.h>

#include "backends/cuda/cuda.h"
#include "backends/host/host.h"
#include "common/fiber.h"
#include "common/scratch.h"
#include "common/topology.h"
#include "cpu_image.h"
#include "omp.h"
#include "omp_start.h"

#define CPU_ALIGNMENT 128u
#define CPU_ARCH "x86_64" /* for teamwork_add_offload() */
#define GPU_LANES 8u
#define CUDA_COPIES 2u /* the bus does one at a time; the other is about to begin */
#define GPU_MAX_TEAMS 0x7fffffffu
#define RESIDENT_TEAMS 8u   /* of 256 threads, on a multiprocessor */
#define GPU_THREAD_STEP 64u /* a multiple of every warp */
#define TEAMS_MAX_TEAMS 65535u
#define TEAMS_MAX_ITEMS 992u /* of an nd_range: the device runtime keeps a warp of each team for itself */
#define TEAMS_ITEM_STEP 32u  /* a warp, as the device runtime counts */

struct omp_device {
    struct tw_backend_device base;
    int number;       /* OpenMP's */
    int cuda_ordinal; /* -1: not CUDA */
    bool gpu;
    unsigned max_teams, max_threads, max_parts;
    struct tw_scratch scratch;
};

static unsigned opened; /* devices open; under the discovery lock */
static bool cuda_is_open;
static bool offered[TW_INVENTORY_GPUS]; /* of CUDA's devices: those that are open; likewise */

static struct omp_device *omp(struct tw_backend_device *device)
{
    return (struct omp_device *)device;
}

/* libomptarget starts with the first device image that the program brings; without one, asking it anything crashes
   (LLVM 19 and 22). Its entry to start it by hand is counted; it stays started until the program ends. */
extern void __tgt_rtl_init(void) __attribute__((weak));

static bool started; /* under the discovery lock */

/* How many offload devices there are, and the number that stands for the host: libomptarget's functions. libomp has functions of
   these names as well, which ask the library that comes behind libomp in the link order: where libomptarget comes before it,
   they find nobody and answer that there are no devices. */
static int (*num_devices)(void) = omp_get_num_devices;
static int (*initial_device)(void) = omp_get_initial_device;

static void find_libomptarget(void)
{
    Dl_info info;
    void *library = dladdr((void *)(uintptr_t)omp_target_alloc, &info) && info.dli_fname
                        ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD)
                        : NULL;
    if (!library)
        return;
    void *count = dlsym(library, "omp_get_num_devices"), *host = dlsym(library, "omp_get_initial_device");
    if (count && host) {
        *(void **)&num_devices = count;
        *(void **)&initial_device = host;
    }
    dlclose(library); /* it stays, since this library is linked with it */
}

void tw_omp_start(void)
{
    if (!started)
        find_libomptarget();
    if (!started && __tgt_rtl_init) {
        __tgt_rtl_init();
        started = true;
    }
}

static tw_status count(unsigned *found)
{
    tw_omp_start();
    if (!cuda_is_open && num_devices() > 0)
        cuda_is_open = tw_cuda_open();
    const int devices = num_devices();
    *found = devices > 0 && !tw_cuda_is_of_parent() ? (unsigned)devices : 0;
    return TW_SUCCESS;
}

/* Whether the process can read a piece of device memory: then the device is the host's own processor. */
static bool is_host_memory(void *memory)
{
    char byte;
    const struct iovec to = {&byte, 1}, from = {memory, 1};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1 || errno != EFAULT; /* where it is not allowed: a CPU */
}

/* What kind of device OpenMP's number stands for: OpenMP does not tell, but the CUDA driver knows its memory, and the
   x86-64 plugin's is the process's own. What is neither is a GPU that this library knows nothing more about. */
static bool classify(struct omp_device *device)
{
    void *probe = omp_target_alloc(64, device->number);
    if (!probe)
        return false;
    device->cuda_ordinal = tw_cuda_owner(probe);
    device->gpu = device->cuda_ordinal >= 0 || !is_host_memory(probe);
    omp_target_free(probe, device->number);
    device->base.type = device->gpu ? TW_DEVICE_GPU : TW_DEVICE_CPU;
    device->base.exclusive = !device->gpu;
    device->base.max_lanes = device->gpu ? GPU_LANES : 2;
    device->base.times_cost = device->gpu;
    device->base.max_copies = device->cuda_ordinal >= 0 ? CUDA_COPIES : 0;
    device->max_teams = device->gpu ? TEAMS_MAX_TEAMS : tw_topology_processors();
    device->max_threads = device->gpu ? TW_INTERNAL_SIMT_MAX_GROUP : device->max_teams;
    device->max_parts = TW_INTERNAL_MAX_PARTS / 2;
    const size_t units = tw_cuda_compute_units(device->cuda_ordinal);
    if (units && units * RESIDENT_TEAMS <= TW_INTERNAL_MAX_PARTS)
        device->max_parts = (unsigned)units * RESIDENT_TEAMS;
    return true;
}

static void close_cuda_if_unused(void)
{
    if (opened == 0 && cuda_is_open) {
        tw_cuda_close();
        cuda_is_open = false;
    }
}

static tw_status open_device(unsigned index, struct tw_backend_device **result)
{
    struct omp_device *device = calloc(1, sizeof *device);
    if (!device)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for an offload device");
    device->base.backend = &tw_backend_omp;
    device->base.index = index;
    device->number = (int)index;
    if (!classify(device)) {
        free(device);
        return tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "OpenMP device %u has no memory at all", index);
    }
    ++opened;
    if (device->cuda_ordinal >= 0 && device->cuda_ordinal < (int)TW_INVENTORY_GPUS)
        offered[device->cuda_ordinal] = true;
    tw_fiber_open();
    tw_scratch_open(&device->scratch);
    *result = &device->base;
    return TW_SUCCESS;
}

static bool explain(char *text, size_t bytes)
{
    struct tw_inventory inventory;
    tw_inventory_read(&inventory);
    if (inventory.arch_count)
        inventory.gpu_count = tw_cuda_list(inventory.gpus, TW_INVENTORY_GPUS);
    for (size_t i = 0; i < inventory.gpu_count; ++i)
        inventory.gpus[i].is_offered = offered[i];
    inventory.is_child = tw_cuda_is_of_parent();
    return tw_inventory_explain(&inventory, text, bytes);
}

static void begin_thread(struct tw_backend_device *device)
{
    tw_host_begin_thread(device);
    if (!omp(device)->gpu)
        tw_host_shorten_polling(); /* it will run teams */
}

static void close_device(struct tw_backend_device *device)
{
    tw_scratch_close(&omp(device)->scratch, device);
    free(device);
    tw_fiber_close();
    if (--opened == 0) {
        tw_cpu_image_forget();
        memset(offered, 0, sizeof offered);
    }
    close_cuda_if_unused();
}

static void describe(struct tw_backend_device *device, struct tw_device_facts *facts)
{
    facts->atomic_orders = TW_ALL_ORDERS;
    facts->atomic_scopes = TW_ALL_SCOPES;
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
    facts->local_mem_bytes = TW_HOST_LOCAL_BYTES;
}

/* The x86-64 device's memory comes from malloc: what vectors need of alignment is added, and the address that was given is
   kept before the one that is handed out. */
static void *allocate(struct tw_backend_device *device, size_t bytes)
{
    if (omp(device)->gpu) {
        void *memory = NULL;
        if (bytes <= SIZE_MAX - 3)
            bytes =
                (bytes + 3) / 4 * 4; /* of atomic operations on the last bytes, which are done on words of 32 bits */
        if (tw_cuda_lost(omp(device)->cuda_ordinal) || tw_cuda_allocate(omp(device)->cuda_ordinal, bytes, &memory))
            return memory;
        return omp_target_alloc(bytes, omp(device)->number);
    }
    unsigned char *raw =
        bytes <= SIZE_MAX - 2 * CPU_ALIGNMENT ? omp_target_alloc(bytes + 2 * CPU_ALIGNMENT, omp(device)->number) : NULL;
    if (!raw)
        return NULL;
    unsigned char *aligned = raw + CPU_ALIGNMENT;
    aligned += -(uintptr_t)aligned % CPU_ALIGNMENT;
    memcpy(aligned - sizeof raw, &raw, sizeof raw);
    return aligned;
}

static void release(struct tw_backend_device *device, void *memory)
{
    if (!omp(device)->gpu)
        memcpy(&memory, (unsigned char *)memory - sizeof memory, sizeof memory);
    if (tw_cuda_lost(omp(device)->cuda_ordinal))
        return; /* libomptarget would end the program */
    if (!tw_cuda_free(omp(device)->cuda_ordinal, memory))
        omp_target_free(memory, omp(device)->number);
}

/* Whether the CUDA driver can take an end of a copy: a device of its own, or memory that is the host's, as that of the x86-64
   device is. */
static bool is_for_cuda(struct tw_backend_device *end)
{
    return !end || !omp(end)->gpu || omp(end)->cuda_ordinal >= 0;
}

static tw_status copy(struct tw_backend_device *to, void *target, struct tw_backend_device *from, const void *source,
                      size_t bytes)
{
    const int host = initial_device();
    const int to_number = to ? omp(to)->number : host, from_number = from ? omp(from)->number : host;
    const char *lost = to ? tw_cuda_lost(omp(to)->cuda_ordinal) : NULL;
    if (!lost && from)
        lost = tw_cuda_lost(omp(from)->cuda_ordinal);
    if (lost)
        return tw_fail(TW_ERROR_TRANSFER_FAILED, "%s", lost);
    bool taken = false;
    tw_status status = TW_SUCCESS;
    if (is_for_cuda(to) && is_for_cuda(from))
        status = tw_cuda_copy(to ? omp(to)->cuda_ordinal : -1, target, from ? omp(from)->cuda_ordinal : -1, source,
                              bytes, &taken);
    if (taken)
        return status;
    if (omp_target_memcpy(target, source, bytes, 0, 0, to_number, from_number))
        return tw_fail(TW_ERROR_TRANSFER_FAILED, "OpenMP could not copy %zu bytes from device %d to device %d", bytes,
                       from_number, to_number);
    return TW_SUCCESS;
}

/* The lowering for a kernel on a device: simt where the kernel has it and the device is a GPU. */
static unsigned lowering_for(const struct omp_device *device, const struct tw_internal_kernel *kernel)
{
    if (device->gpu && kernel->lowerings & 1u << TW_INTERNAL_LOWER_SIMT)
        return TW_INTERNAL_LOWER_SIMT;
    return TW_INTERNAL_LOWER_TEAMS;
}

/* An nd_range group in the standard mapping of a GPU: its threads meet at a named barrier, which counts whole warps. */
static tw_status check_threads(const struct tw_internal_kernel *kernel, size_t items)
{
    if (items == 1 || (items <= TEAMS_MAX_ITEMS && items % TEAMS_ITEM_STEP == 0))
        return TW_SUCCESS;
    return tw_fail(TW_ERROR_UNSUPPORTED,
                   "kernel %s: the standard mapping (LOWERING teams) runs groups of an nd_range of up to %u "
                   "work-items, in multiples of %u, not of %zu; compile %s with LOWERING simt",
                   kernel->name, TEAMS_MAX_ITEMS, TEAMS_ITEM_STEP, items, kernel->file);
}

/* Ids of a range kernel in several dimensions are computed in 32 bits on a GPU. */
static tw_status check_ids(const struct tw_internal_kernel *kernel, const struct tw_internal_launch *launch)
{
    const bool is_empty = !launch->range[0] || !launch->range[1] || !launch->range[2];
    for (unsigned d = 0; launch->dims > 1 && !is_empty && d < launch->dims; ++d) {
        if (launch->range[d] > INT32_MAX)
            return tw_fail(TW_ERROR_INVALID_RANGE,
                           "kernel %s has %zu work-items in dimension %u; a range of several dimensions "
                           "has at most %d in each on a GPU",
                           kernel->name, launch->range[d], d, INT32_MAX);
        if (launch->offset[d] > UINT32_MAX - launch->range[d])
            return tw_fail(TW_ERROR_INVALID_RANGE,
                           "kernel %s has %zu work-items in dimension %u, from %zu on; in a range of "
                           "several dimensions ids stay below %u on a GPU",
                           kernel->name, launch->range[d], d, launch->offset[d], UINT32_MAX);
    }
    return TW_SUCCESS;
}

static tw_status check_sizes(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                             struct tw_internal_launch *launch)
{
    size_t teams[3] = {launch->range[0], launch->range[1], launch->range[2]};
    if (!omp(device)->gpu)
        return tw_host_check_local(kernel, launch, TW_HOST_LOCAL_BYTES);
    if (lowering_for(omp(device), kernel) != TW_INTERNAL_LOWER_SIMT) {
        const size_t items = launch->local[0] * launch->local[1] * launch->local[2];
        const tw_status status = kernel->form == TW_INTERNAL_ND_RANGE ? check_threads(kernel, items) : TW_SUCCESS;
        return status == TW_SUCCESS ? tw_cuda_check(omp(device)->cuda_ordinal, kernel, launch) : status;
    }
    if (kernel->form == TW_INTERNAL_REDUCTION) {
        teams[0] = teams[1] = teams[2] = 1; /* as many as fit the device */
    } else if (kernel->form == TW_INTERNAL_RANGE) {
        unsigned log2[3];
        __builtin_assume(launch->dims >= 1 && launch->dims <= 3); /* for clang-tidy */
        tw_internal_team_shape(launch->range, launch->dims, log2);
        tw_internal_team_grid(launch->range, log2, teams);
    }
    const tw_status fits = kernel->form == TW_INTERNAL_RANGE ? check_ids(kernel, launch) : TW_SUCCESS;
    if (fits != TW_SUCCESS)
        return fits;
    size_t count;
    if (__builtin_mul_overflow(teams[0], teams[1], &count) || __builtin_mul_overflow(count, teams[2], &count)
        || count > GPU_MAX_TEAMS)
        return tw_fail(TW_ERROR_INVALID_RANGE, "kernel %s needs more than the %u teams of one launch", kernel->name,
                       GPU_MAX_TEAMS);
    return tw_cuda_check(omp(device)->cuda_ordinal, kernel, launch);
}

/* libomptarget ends the program when it is to launch a kernel that is not in the image for the device. */
static tw_status check_image(const struct omp_device *device, const struct tw_internal_kernel *kernel,
                             const struct tw_internal_launch *launch)
{
    char arch[16] = CPU_ARCH;
    const unsigned capability = tw_cuda_missing_image(device->cuda_ordinal, launch);
    if (!capability && (device->gpu || !tw_cpu_image_lacks(kernel)))
        return TW_SUCCESS;
    if (capability)
        snprintf(arch, sizeof arch, "sm_%u", capability);
    return tw_fail(TW_ERROR_NO_DEVICE_IMAGE,
                   "kernel %s has no device image for %s: compile %s for it, as with teamwork_add_offload(), "
                   "and let clang link the program or library",
                   kernel->name, arch, kernel->file);
}

static tw_status check(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                       struct tw_internal_launch *launch)
{
    if (!kernel->offload)
        return tw_fail(TW_ERROR_UNSUPPORTED, "kernel %s has no version for offload devices", kernel->name);
    const tw_status status = check_sizes(device, kernel, launch);
    return status == TW_SUCCESS ? check_image(omp(device), kernel, launch) : status;
}

static void limits(struct tw_backend_device *device, const struct tw_internal_kernel *kernel, size_t items,
                   size_t local_bytes, struct tw_kernel_facts *facts)
{
    struct tw_cuda_kernel_facts known;
    const int ordinal = omp(device)->cuda_ordinal;
    if (!omp(device)->gpu)
        facts->static_local_bytes = tw_host_static_local_bytes(kernel);
    if (ordinal < 0 || !tw_cuda_kernel_facts(ordinal, kernel, &known))
        return;
    facts->max_items = known.max_items < facts->max_items ? known.max_items : facts->max_items;
    facts->static_local_bytes = known.static_local_bytes;
    facts->private_bytes = known.private_bytes;
    if (lowering_for(omp(device), kernel) == TW_INTERNAL_LOWER_SIMT)
        facts->resident_groups = tw_cuda_resident_groups(ordinal, kernel, items, local_bytes);
}

/* Argument blocks that do not fit kernel arguments travel in device memory of their own. */
static tw_status upload_args(struct omp_device *device, const struct tw_internal_kernel *kernel,
                             struct tw_internal_launch *launch, void **memory)
{
    *memory = NULL;
    if (kernel->args_bytes <= TW_INTERNAL_INLINE_ARGS_BYTES)
        return TW_SUCCESS;
    *memory = allocate(&device->base, kernel->args_bytes);
    if (!*memory)
        return tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "no device memory for the %zu argument bytes of kernel %s",
                       kernel->args_bytes, kernel->name);
    launch->device_args = *memory;
    const tw_status status = copy(&device->base, *memory, NULL, launch->args, kernel->args_bytes);
    if (status != TW_SUCCESS)
        release(&device->base, *memory);
    return status;
}

/* Runs a kernel: in the simt lowering through the CUDA driver where it can, else through its target region. */
static tw_status run(struct omp_device *device, const struct tw_internal_kernel *kernel,
                     struct tw_internal_launch *launch)
{
    bool taken = false;
    tw_status status = TW_SUCCESS;
    if (launch->lowering == TW_INTERNAL_LOWER_SIMT)
        status = tw_cuda_launch(device->cuda_ordinal, kernel, launch, &taken);
    if (!taken)
        kernel->offload(launch);
    return status;
}

/* Runs a kernel whose groups may find that they lack threads, which they note in device memory. */
static tw_status run_watched(struct omp_device *device, const struct tw_internal_kernel *kernel,
                             struct tw_internal_launch *launch)
{
    int refused = 0;
    launch->refused = allocate(&device->base, sizeof refused);
    if (!launch->refused)
        return tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "no device memory to launch kernel %s", kernel->name);
    tw_status status = copy(&device->base, launch->refused, NULL, &refused, sizeof refused);
    if (status == TW_SUCCESS) {
        kernel->offload(launch);
        status = copy(NULL, &refused, &device->base, launch->refused, sizeof refused);
    }
    release(&device->base, launch->refused);
    if (status == TW_SUCCESS && refused && !launch->fell_back)
        launch->fell_back = TW_INTERNAL_NO_THREADS;
    return status;
}

/* The most threads to ask for in a team. Kernels of groups also ask for a number of teams; on a CPU libomp warns where the two
   together are more than the processors, and gives each team its share of them: that is asked for at once. */
static unsigned threads_of_team(const struct omp_device *device, const struct tw_internal_kernel *kernel,
                                const struct tw_internal_launch *launch)
{
    const size_t groups = launch->range[0] * launch->range[1] * launch->range[2];
    if (device->gpu || (kernel->form != TW_INTERNAL_WORK_GROUP && kernel->form != TW_INTERNAL_ND_RANGE) || !groups)
        return device->max_threads;
    return device->max_threads / (groups < device->max_teams ? (unsigned)groups : device->max_teams);
}

void tw_omp_prepare(const struct tw_backend_device *base, const struct tw_internal_kernel *kernel,
                    struct tw_internal_launch *description)
{
    const struct omp_device *device = (const struct omp_device *)base;
    description->device = device->number;
    description->lowering = lowering_for(device, kernel);
    description->max_teams = device->max_teams;
    description->max_threads = threads_of_team(device, kernel, description);
    description->max_parts = device->max_parts;
    description->thread_step = device->gpu ? GPU_THREAD_STEP : 1;
    description->cpu = device->gpu ? NULL : &tw_fiber_cpu;
    description->fell_back = 0;
}

static tw_status launch(struct tw_backend_device *base, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description)
{
    struct omp_device *device = omp(base);
    void *args = NULL;
    tw_status status = TW_SUCCESS;
    if (tw_cuda_lost(device->cuda_ordinal))
        status = tw_fail(TW_ERROR_LAUNCH_FAILED, "%s", tw_cuda_lost(device->cuda_ordinal));
    else
        status = upload_args(device, kernel, description, &args);
    if (status != TW_SUCCESS) {
        tw_refuse_launch();
        return status;
    }
    tw_omp_prepare(base, kernel, description);
    if (kernel->form == TW_INTERNAL_REDUCTION)
        status = tw_scratch_take(&device->scratch, base, description);
    if (status != TW_SUCCESS) {
        tw_refuse_launch();
    } else if (device->gpu && description->lowering == TW_INTERNAL_LOWER_TEAMS
               && kernel->form == TW_INTERNAL_ND_RANGE) {
        status = run_watched(device, kernel, description);
    } else {
        status = run(device, kernel, description);
    }
    if (description->scratch)
        tw_scratch_give(&device->scratch, base, description, status == TW_SUCCESS);
    if (args)
        release(base, args);
    return status == TW_SUCCESS ? tw_host_outcome(kernel, description) : status;
}

/* ---- chains: on CUDA devices ---------------------------------------------------------------------------------------- */

static tw_status open_chain(struct tw_backend_device *device, struct tw_backend_chain **chain)
{
    return tw_cuda_chain_open(device, omp(device)->cuda_ordinal, chain);
}

static bool takes(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                  const struct tw_internal_launch *launch)
{
    return lowering_for(omp(device), kernel) == TW_INTERNAL_LOWER_SIMT && tw_cuda_launches(launch);
}

static tw_status enqueue(struct tw_backend_chain *chain, const struct tw_internal_kernel *kernel,
                         struct tw_internal_launch *description, uint64_t *position)
{
    tw_omp_prepare(tw_cuda_chain_owner(chain), kernel, description);
    return tw_cuda_chain_launch(chain, kernel, description, position);
}

static bool reaches(struct tw_backend_device *to, struct tw_backend_device *from)
{
    return tw_cuda_chain_reaches(omp(to)->cuda_ordinal, omp(from)->cuda_ordinal);
}

static tw_status enqueue_copy(struct tw_backend_chain *chain, void *target, struct tw_backend_device *from,
                              const void *source, size_t bytes, uint64_t *position)
{
    return tw_cuda_chain_copy(chain, target, omp(from)->cuda_ordinal, source, bytes, position);
}

static tw_status assemble(struct tw_backend_device *device, const struct tw_backend_step *steps, size_t count,
                          struct tw_backend_graph **graph)
{
    if (omp(device)->cuda_ordinal < 0)
        return TW_SUCCESS; /* also where no step has a kernel */
    for (size_t i = 0; i < count; ++i)
        if (steps[i].kernel && !takes(device, steps[i].kernel, steps[i].launch))
            return TW_SUCCESS;
    return tw_cuda_graph_assemble(device, omp(device)->cuda_ordinal, steps, count, graph);
}

static const struct tw_backend_async async = {
    .open = open_chain,
    .close = tw_cuda_chain_close,
    .takes = takes,
    .follow = tw_cuda_chain_follow,
    .measure = tw_cuda_chain_measure,
    .launch = enqueue,
    .reaches = reaches,
    .copy = enqueue_copy,
    .reached = tw_cuda_chain_reached,
    .times = tw_cuda_chain_times,
    .outcome = tw_cuda_chain_outcome,
};

static const struct tw_backend_graphs graphs = {
    .assemble = assemble,
    .dismantle = tw_cuda_graph_dismantle,
    .replay = tw_cuda_chain_replay,
};

static const struct tw_backend_memory memory = {
    .allocate = allocate,
    .free = release,
    .copy = copy,
    .allocate_host = tw_cuda_allocate_host,
    .free_host = tw_cuda_free_host,
};

const struct tw_backend tw_backend_omp = {
    .name = "omp",
    .types_on_demand = TW_DEVICE_GPU | TW_DEVICE_CPU | TW_DEVICE_ACCELERATOR,
    .memory = &memory,
    .async = &async,
    .graphs = &graphs,
    .count = count,
    .open = open_device,
    .explain = explain,
    .close = close_device,
    .begin_thread = begin_thread,
    .describe = describe,
    .check = check,
    .limits = limits,
    .launch = launch,
};
