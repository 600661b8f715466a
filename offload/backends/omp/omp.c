/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The omp backend: OpenMP offload devices, through target regions and omp_target_* calls (omp.h).
 *
 * Target regions are synchronous and launched from several threads; libomptarget runs them on streams of its own. The
 * errors that it makes fatal, a fault on the device above all, end the program with its message. Everything that can be
 * checked is checked before a launch.
 */
#define _GNU_SOURCE
#include "omp.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/lower/kernel/simt.h>

#include "common/fiber.h"
#include "common/host_lowering.h"
#include "common/inventory.h"
#include "common/openmp.h"
#include "common/team.h"
#include "common/topology.h"
#include "cpu_image.h"
#include "rows.h"

#define CPU_ALIGNMENT 128u
#define CPU_ARCH "x86_64" /* for teamwork_add_offload() */
#define GPU_WORKERS 8u
#define STAGE_BYTES ((size_t)1 << 20) /* of host memory, from which a GPU's memory is filled */
#define GPU_MAX_TEAMS 0x7fffffffu
#define GPU_THREAD_STEP 64u /* a multiple of every warp, and the largest */
#define TEAMS_MAX_TEAMS 65535u
/* Launches that reduce: */
#define RESIDENT_TEAMS 1024u /* where the device's size is not known */
#define TURNS 8u             /* times so many teams, some of which wait for others to end */
#define LEAST_PLACES 2u      /* that each of these has */

static struct tw_omp_device *omp(struct tw_backend_device *device)
{
    return (struct tw_omp_device *)device;
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

static tw_status count(unsigned *devices)
{
    tw_openmp_start();
    *devices = tw_openmp_count(NULL);
    return TW_SUCCESS;
}

bool tw_omp_classify(int number, bool *gpu)
{
    bool is_host_memory;
    if (!tw_openmp_probe(number, &is_host_memory))
        return false;
    *gpu = !is_host_memory;
    return true;
}

void tw_omp_begin(struct tw_omp_device *device, const struct tw_backend *backend, unsigned index, int number, bool gpu)
{
    *device = (struct tw_omp_device){
        .base = {.backend = backend,
                 .index = index,
                 .type = gpu ? TW_DEVICE_GPU : TW_DEVICE_CPU,
                 .exclusive = !gpu,
                 .max_workers = gpu ? GPU_WORKERS : 2,
                 .times_cost = gpu},
        .number = number,
        .gpu = gpu,
        .max_teams = gpu ? TEAMS_MAX_TEAMS : tw_topology_processors(),
        .resident_teams = RESIDENT_TEAMS,
    };
    device->max_threads = gpu ? TW_INTERNAL_SIMT_MAX_GROUP : device->max_teams;
    tw_fiber_open();
    tw_scratch_open(&device->scratch);
}

void tw_omp_end(struct tw_omp_device *device)
{
    tw_scratch_close(&device->scratch, &device->base);
    tw_fiber_close();
}

static tw_status open_device(unsigned index, struct tw_backend_device **result)
{
    const int number = tw_openmp_number(NULL, index);
    bool gpu;
    struct tw_omp_device *device = malloc(sizeof *device);
    if (!device)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for an offload device");
    if (!tw_omp_classify(number, &gpu)) {
        free(device);
        return tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "OpenMP device %d has no memory at all", number);
    }
    tw_omp_begin(device, &tw_backend_omp, index, number, gpu);
    if (gpu)
        device->warp = tw_inventory_warp_of_program();
    *result = &device->base;
    return TW_SUCCESS;
}

static void close_device(struct tw_backend_device *device)
{
    tw_omp_end(omp(device));
    free(device);
}

static bool explain(tw_device_type type, char *text, size_t bytes)
{
    struct tw_inventory inventory;
    if (type == TW_DEVICE_CPU) {
        tw_inventory_read(&inventory);
        tw_inventory_explain_cpu(&inventory, text, bytes);
    }
    return false;
}

void tw_omp_describe(struct tw_backend_device *device, struct tw_device_facts *facts)
{
    facts->atomic_orders = TW_ALL_ORDERS;
    facts->atomic_scopes = TW_ALL_SCOPES;
    facts->max_work_group_size = TW_INTERNAL_SIMT_MAX_GROUP;
    if (omp(device)->gpu) {
        facts->sub_group_size = omp(device)->warp;
        snprintf(facts->name, sizeof facts->name, "OpenMP device %d", omp(device)->number);
        facts->local_mem_type = TW_LOCAL_MEM_LOCAL;
        return;
    }
    tw_topology_describe(facts);
    facts->sub_group_size = 1;
    facts->atomic_host_memory = true;
    facts->uses_host_memory = facts->has_shared_memory = facts->uses_system_memory = facts->unified_memory = true;
    facts->local_mem_type = TW_LOCAL_MEM_GLOBAL;
    facts->local_mem_bytes = TW_HOST_LOCAL_BYTES;
}

void tw_omp_observe(struct tw_backend_device *device, struct tw_device_state *state)
{
    state->lost = tw_omp_is_lost(omp(device));
    if (!omp(device)->gpu)
        state->free_bytes = tw_topology_free_bytes();
}

/* ---- lost devices ------------------------------------------------------------------------------------------------ */

tw_status tw_omp_fail_lost(tw_status status, const struct tw_omp_device *device)
{
    return tw_fail_native(tw_fail(status, "%s", device->loss.message), device->loss.api, device->loss.code);
}

void tw_omp_lose(struct tw_omp_device *device, const char *kernel, bool alone, const char *text, tw_native_api api,
                 int code)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* several threads get the driver's error */
    pthread_mutex_lock(&mutex);
    if (!tw_omp_is_lost(device)) {
        snprintf(device->loss.message, sizeof device->loss.message,
                 "kernel %s%s failed on the device: %s; nothing runs on it any more in this process", kernel,
                 alone ? "" : ", or one that ran beside or after it,", text);
        device->loss.api = api;
        device->loss.code = code;
        atomic_store_explicit(&device->loss.is_set, true, memory_order_release);
    }
    pthread_mutex_unlock(&mutex);
}

tw_status tw_omp_check_sides(const struct tw_backend_copy *copy)
{
    if (copy->to && tw_omp_is_lost(omp(copy->to)))
        return tw_omp_fail_lost(TW_ERROR_TRANSFER_FAILED, omp(copy->to));
    return copy->from && tw_omp_is_lost(omp(copy->from)) ? tw_omp_fail_lost(TW_ERROR_TRANSFER_FAILED, omp(copy->from))
                                                         : TW_SUCCESS;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* The memory of the x86-64 device comes from malloc(). It is aligned here for vectors; malloc()'s address is stored
   before the address that is returned. */
void *tw_omp_allocate(struct tw_backend_device *device, size_t bytes)
{
    if (tw_omp_is_lost(omp(device)))
        return NULL;
    if (omp(device)->gpu)
        return omp_target_alloc(tw_omp_gpu_bytes(bytes), omp(device)->number);
    unsigned char *raw =
        bytes <= SIZE_MAX - 2 * CPU_ALIGNMENT ? omp_target_alloc(bytes + 2 * CPU_ALIGNMENT, omp(device)->number) : NULL;
    if (!raw)
        return NULL;
    unsigned char *aligned = raw + CPU_ALIGNMENT;
    aligned += -(uintptr_t)aligned % CPU_ALIGNMENT;
    memcpy(aligned - sizeof raw, &raw, sizeof raw);
    return aligned;
}

/* The memory of a CPU as an offload device is the host's. */
static void *allocate_shared(struct tw_backend_device *device, size_t bytes)
{
    return omp(device)->gpu ? NULL : tw_omp_allocate(device, bytes);
}

bool tw_omp_is_full(struct tw_backend_device *device)
{
    return !tw_omp_is_lost(omp(device));
}

void tw_omp_free(struct tw_backend_device *device, void *memory)
{
    if (tw_omp_is_lost(omp(device)))
        return;
    if (!omp(device)->gpu)
        memcpy(&memory, (unsigned char *)memory - sizeof memory, sizeof memory);
    omp_target_free(memory, omp(device)->number);
}

/* A GPU's own memory cannot be read by this process: see tw_omp_classify(). */
tw_status tw_omp_examine(struct tw_backend_device *device, const void *memory, size_t bytes, bool *shared)
{
    const bool was_said = *shared;
    (void)bytes;
    *shared = !omp(device)->gpu || tw_openmp_is_host_memory(memory);
    if (!omp(device)->gpu || !*shared || was_said)
        return TW_SUCCESS;
    return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the memory is the host's, not that of OpenMP device %d",
                   omp(device)->number);
}

void *tw_omp_find_variable(struct tw_backend_device *device, const void *variable)
{
    return tw_omp_is_lost(omp(device)) ? NULL : tw_openmp_variable(omp(device)->number, variable);
}

/* Returns true if a side of a copy is memory that this process can access. */
static bool is_of_host(struct tw_backend_device *side)
{
    return !side || !omp(side)->gpu;
}

/* Copies by rows. libomptarget's omp_target_memcpy_rect() does the same, but knows no planes with a gap behind their
   rows that is no multiple of the pitch. */
static tw_status copy(const struct tw_backend_copy *request)
{
    const struct tw_backend_copy copy = tw_rows_join(*request);
    const int host = tw_openmp_host();
    const int to = copy.to ? omp(copy.to)->number : host, from = copy.from ? omp(copy.from)->number : host;
    if (copy.rows > 1 && is_of_host(copy.to) && is_of_host(copy.from)) {
        tw_rows_copy(&copy);
        return TW_SUCCESS;
    }
    for (size_t row = 0; row < copy.rows * copy.planes; ++row) {
        const size_t y = row % copy.rows, z = row / copy.rows;
        const int error =
            omp_target_memcpy(copy.target, copy.source, copy.row_bytes, z * copy.target_plane + y * copy.target_pitch,
                              z * copy.source_plane + y * copy.source_pitch, to, from);
        if (error) {
            (void)tw_fail(TW_ERROR_TRANSFER_FAILED, "OpenMP could not copy %zu bytes from device %d to device %d",
                          tw_backend_copy_bytes(&copy), from, to);
            return tw_fail_native(TW_ERROR_TRANSFER_FAILED, TW_NATIVE_OPENMP, error);
        }
    }
    return TW_SUCCESS;
}

/* Copies host memory that is filled to all rows, piece by piece. */
static tw_status fill_by_copies(struct tw_backend_device *device, const struct tw_backend_fill *fill)
{
    const size_t patterns = STAGE_BYTES / fill->pattern_bytes;
    const size_t most = (patterns ? patterns : 1) * fill->pattern_bytes;
    const size_t bytes = most < fill->row_bytes ? most : fill->row_bytes;
    const struct tw_backend_fill stage = {.target = malloc(bytes),
                                          .pattern = fill->pattern,
                                          .pattern_bytes = fill->pattern_bytes,
                                          .row_bytes = bytes,
                                          .rows = 1,
                                          .planes = 1};
    if (!stage.target)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no host memory to fill %zu bytes from", tw_backend_fill_bytes(fill));
    tw_rows_fill(&stage);
    tw_status status = TW_SUCCESS;
    for (size_t row = 0; row < fill->rows * fill->planes && status == TW_SUCCESS; ++row) {
        unsigned char *target =
            (unsigned char *)fill->target + row / fill->rows * fill->plane + row % fill->rows * fill->pitch;
        for (size_t at = 0; at < fill->row_bytes && status == TW_SUCCESS; at += bytes) {
            const size_t left = fill->row_bytes - at;
            const struct tw_backend_copy piece =
                tw_backend_copy_of(device, target + at, NULL, stage.target, left < bytes ? left : bytes);
            status = copy(&piece);
        }
    }
    free(stage.target);
    return status;
}

static tw_status fill(struct tw_backend_device *device, const struct tw_backend_fill *request)
{
    const struct tw_backend_fill fill = tw_rows_join_fill(*request);
    if (omp(device)->gpu && fill.row_bytes)
        return fill_by_copies(device, &fill);
    tw_rows_fill(&fill);
    return TW_SUCCESS;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

enum tw_internal_lowering tw_omp_lowering(const struct tw_omp_device *device, const struct tw_internal_kernel *kernel)
{
    return device->gpu && kernel->lowerings & 1u << TW_INTERNAL_LOWER_SIMT ? TW_INTERNAL_LOWER_SIMT
                                                                           : TW_INTERNAL_LOWER_TEAMS;
}

/* Checks the size of an nd_range group in a GPU's standard mapping. The device runtime's named barrier counts whole warps,
   and it keeps a warp of each team for itself. A group of one work-item that reduces into an array traps there. */
static tw_status check_threads(const struct tw_omp_device *device, const struct tw_internal_kernel *kernel,
                               const struct tw_internal_launch *launch)
{
    const size_t items = launch->local[0] * launch->local[1] * launch->local[2];
    const unsigned step = device->warp ? device->warp : GPU_THREAD_STEP, most = TW_INTERNAL_SIMT_MAX_GROUP - step;
    if ((items == 1 && !launch->array_bytes) || (items <= most && items % step == 0))
        return TW_SUCCESS;
    return tw_fail(TW_ERROR_UNSUPPORTED,
                   "kernel %s: the standard mapping (LOWERING teams) runs groups of an nd_range of up to %u "
                   "work-items, in multiples of %u, not of %zu; compile %s with LOWERING simt",
                   kernel->name, most, step, items, kernel->file);
}

/* Checks that the ids of a range kernel in several dimensions fit 32 bits, in which a GPU computes them. */
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
                             const struct tw_internal_launch *launch)
{
    size_t teams[3] = {launch->range[0], launch->range[1], launch->range[2]};
    if (!omp(device)->gpu)
        return tw_host_check_local(kernel, launch, TW_HOST_LOCAL_BYTES);
    if (tw_omp_lowering(omp(device), kernel) != TW_INTERNAL_LOWER_SIMT)
        return kernel->form == TW_INTERNAL_ND_RANGE ? check_threads(omp(device), kernel, launch) : TW_SUCCESS;
    if (kernel->form == TW_INTERNAL_REDUCTION) {
        teams[0] = teams[1] = teams[2] = 1; /* the launch has as many as fit the device */
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
    return TW_SUCCESS;
}

tw_status tw_omp_lacks_image(const struct tw_internal_kernel *kernel, const char *arch)
{
    return tw_fail(TW_ERROR_NO_DEVICE_IMAGE,
                   "kernel %s has no device image for %s: compile %s for it, as with teamwork_add_offload(), "
                   "and let clang link the program or library",
                   kernel->name, arch, kernel->file);
}

tw_status tw_omp_load(struct tw_backend_device *device, const struct tw_internal_kernel *kernel)
{
    if (!kernel->offload)
        return tw_fail(TW_ERROR_UNSUPPORTED, "kernel %s has no version for offload devices", kernel->name);
    return omp(device)->gpu || !tw_cpu_image_lacks(kernel) ? TW_SUCCESS : tw_omp_lacks_image(kernel, CPU_ARCH);
}

unsigned tw_omp_most_parts(const struct tw_internal_kernel *kernel, const struct tw_internal_launch *launch,
                           size_t resident)
{
    const size_t total = launch->range[0] * launch->range[1] * launch->range[2];
    const size_t piece = kernel->form == TW_INTERNAL_REDUCTION ? TW_INTERNAL_SIMT_RANGE_THREADS : 1;
    const size_t places = total / piece + (total % piece != 0);
    const bool waits = kernel->has_loops && !launch->array_bytes;
    const size_t shared = places / LEAST_PLACES, most = waits ? resident * TURNS : resident;
    const size_t parts = shared < resident ? resident : shared < most ? shared : most;
    return (unsigned)(parts < TW_INTERNAL_MAX_PARTS ? parts : TW_INTERNAL_MAX_PARTS);
}

tw_status tw_omp_check(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                       struct tw_internal_launch *launch)
{
    tw_status status = tw_omp_load(device, kernel);
    launch->words = tw_internal_words_for(kernel->args_bytes);
    launch->max_parts = tw_omp_most_parts(kernel, launch, omp(device)->resident_teams);
    if (status == TW_SUCCESS)
        status = tw_host_check_has_groups(kernel);
    return status == TW_SUCCESS ? check_sizes(device, kernel, launch) : status;
}

void tw_omp_limits(struct tw_backend_device *device, const struct tw_internal_kernel *kernel, size_t items,
                   size_t local_bytes, struct tw_kernel_facts *facts)
{
    (void)items, (void)local_bytes;
    if (!omp(device)->gpu)
        facts->static_local_bytes = tw_host_static_local_bytes(kernel);
}

/* Runs a kernel whose groups may get too few threads; they report that in device memory. */
static tw_status run_watched(struct tw_omp_device *device, const struct tw_internal_kernel *kernel,
                             struct tw_internal_launch *launch)
{
    const struct tw_backend_memory *memory = device->base.backend->memory;
    int refused = 0;
    launch->refused = memory->allocate(&device->base, sizeof refused);
    if (!launch->refused)
        return tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "no device memory to launch kernel %s", kernel->name);
    const struct tw_backend_copy in =
        tw_backend_copy_of(&device->base, launch->refused, NULL, &refused, sizeof refused);
    const struct tw_backend_copy out =
        tw_backend_copy_of(NULL, &refused, &device->base, launch->refused, sizeof refused);
    tw_status status = memory->copy(&in);
    if (status == TW_SUCCESS) {
        kernel->offload(launch);
        status = memory->copy(&out);
    }
    memory->free(&device->base, launch->refused);
    if (status == TW_SUCCESS && refused && !launch->fell_back)
        launch->fell_back = TW_INTERNAL_NO_THREADS;
    return status;
}

/* Returns the most threads to ask for in a team. Kernels with groups also ask for a number of teams. On a CPU, if teams
   times threads exceeds the processors, libomp warns and gives each team its share: so this asks for the share. */
static unsigned threads_of_team(const struct tw_omp_device *device, const struct tw_internal_kernel *kernel,
                                const struct tw_internal_launch *launch)
{
    const size_t groups = launch->range[0] * launch->range[1] * launch->range[2];
    if (device->gpu || (kernel->form != TW_INTERNAL_WORK_GROUP && kernel->form != TW_INTERNAL_ND_RANGE) || !groups)
        return device->max_threads;
    return device->max_threads / (groups < device->max_teams ? (unsigned)groups : device->max_teams);
}

void tw_omp_prepare(const struct tw_omp_device *device, const struct tw_internal_kernel *kernel,
                    struct tw_internal_launch *description)
{
    description->device = device->number;
    description->lowering = tw_omp_lowering(device, kernel);
    description->max_teams = device->max_teams;
    description->max_threads = threads_of_team(device, kernel, description);
    description->thread_step = device->gpu ? GPU_THREAD_STEP : 1;
    description->cpu = device->gpu ? NULL : &tw_fiber_cpu;
    description->fell_back = description->stacks = 0;
}

tw_status tw_omp_launch_by(struct tw_backend_device *base, const struct tw_internal_kernel *kernel,
                           struct tw_internal_launch *description, tw_omp_run *run)
{
    struct tw_omp_device *device = omp(base);
    if (tw_omp_is_lost(device)) {
        tw_refuse_launch();
        return tw_omp_fail_lost(TW_ERROR_LAUNCH_FAILED, device);
    }
    tw_omp_prepare(device, kernel, description);
    tw_status status = tw_scratch_lend(&device->scratch, base, kernel, description);
    if (status != TW_SUCCESS) {
        tw_refuse_launch();
        return status;
    }
    status = run(base, kernel, description);
    tw_scratch_return(&device->scratch, base, description, status == TW_SUCCESS);
    return status;
}

/* Runs a kernel's target region. */
static tw_status run_region(struct tw_backend_device *base, const struct tw_internal_kernel *kernel,
                            struct tw_internal_launch *description)
{
    struct tw_omp_device *device = omp(base);
    if (!device->gpu)
        tw_team_shorten_polling(); /* this thread runs teams */
    if (device->gpu && description->lowering == TW_INTERNAL_LOWER_TEAMS && kernel->form == TW_INTERNAL_ND_RANGE)
        return run_watched(device, kernel, description);
    kernel->offload(description);
    return TW_SUCCESS;
}

tw_status tw_omp_launch(struct tw_backend_device *base, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description)
{
    const tw_status status = tw_omp_launch_by(base, kernel, description, run_region);
    return status == TW_SUCCESS ? tw_host_outcome(kernel, description) : status;
}

const struct tw_backend_memory tw_omp_memory = {
    .allocate = tw_omp_allocate,
    .allocate_shared = allocate_shared,
    .free_shared = tw_omp_free,
    .free = tw_omp_free,
    .copy = copy,
    .fill = fill,
    .examine = tw_omp_examine,
    .find_variable = tw_omp_find_variable,
};

int tw_omp_number(const struct tw_backend_device *device)
{
    return ((const struct tw_omp_device *)device)->number;
}

static const struct tw_backend_interop interop = {.omp_number = tw_omp_number};

const struct tw_backend tw_backend_omp = {
    .name = "omp",
    .types_on_demand = TW_OMP_TYPES,
    .memory = &tw_omp_memory,
    .interop = &interop,
    .count = count,
    .open = open_device,
    .close = close_device,
    .begin_thread = tw_team_begin_worker,
    .describe = tw_omp_describe,
    .observe = tw_omp_observe,
    .check = tw_omp_check,
    .load = tw_omp_load,
    .limits = tw_omp_limits,
    .launch = tw_omp_launch,
    .explain = explain,
};
