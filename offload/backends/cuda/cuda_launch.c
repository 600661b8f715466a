/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels of the simt lowering through the CUDA driver (cuda_launch.h).
 *
 * The device image that libomptarget has loaded is loaded once more, into the same context: its kernels are the same,
 * and memory of omp_target_alloc() is valid in them. But its variables then exist twice, so a kernel that uses any is
 * left to libomptarget. Its mapping tables and streams are not involved; nothing is mapped for kernels launched here.
 */
#define _GNU_SOURCE
#include "cuda_launch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/lower/kernel/simt.h>

#include "base/log.h"
#include "common/image.h"
#include "common/kernel_word.h"
#include "cuda_cubin.h"

#define BUCKETS 256u
#define CLAUSE_WORDS 3u /* the most parameters that the clauses of a region add */
#define MAX_PARAMETERS (1 + TW_INTERNAL_SIMT_WORDS + TW_INTERNAL_SIMT_ARGS_BYTES / 8 + CLAUSE_WORDS)

/* A device image that is loaded into a device, or that the driver refused. */
struct module {
    struct module *next;
    int ordinal;
    uint64_t hash; /* of its contents: a library may be loaded again, or another one at its address */
    size_t size;
    cu_module handle; /* NULL: the driver refused it */
    char refusal[256];
};

/* A kernel on a device, or the reason why it is not found. Only dynamic_bytes changes once it is in its bucket. */
struct kernel {
    struct kernel *next, *next_of_all;
    const struct tw_internal_kernel *key;
    int ordinal;
    cu_function handle; /* NULL: not found */
    unsigned words;     /* of the block, in its region */
    size_t parameters;  /* the words of all parameters */
    bool driver_launches;
    bool is_missing;    /* the images do not have it: libomptarget cannot launch it either */
    const char *reason; /* why the driver cannot launch it; NULL: it can */
    size_t max_items, registers, private_bytes, static_bytes;
    size_t resident_teams;       /* for a reduction: the teams that run at the same time; 0: not known */
    atomic_size_t dynamic_bytes; /* the dynamic shared memory that the driver allows; changed under `mutex` */
};

static struct {
    pthread_mutex_t mutex; /* protects all members; the buckets are read without it */
    struct kernel *_Atomic buckets[BUCKETS];
    struct kernel *all;     /* also those of unloaded libraries: a launch may still use them */
    struct module *modules; /* likewise */
} known = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* ---- images ------------------------------------------------------------------------------------------------------ */

/* The search for a device's image in an object: the latest that the device can run. */
struct choice {
    unsigned capability; /* the device's */
    const char *launcher;
    int best;
    bool may_have_region; /* an image that the device can run, or that cannot be read, may have the launcher's region */
    struct tw_bytes image;
};

static bool consider(const struct tw_image *image, void *user)
{
    struct choice *choice = user;
    if (image->contents.at && strncmp(image->triple, "nvptx64", 7) != 0)
        return true;
    const int number = tw_image_sm_for(image->arch, choice->capability);
    if (number >= 0 || strncmp(image->arch, "sm_", 3) != 0)
        choice->may_have_region =
            choice->may_have_region || tw_image_may_have_region(image->contents, choice->launcher);
    if (number > choice->best) {
        choice->best = number;
        choice->image = image->contents;
    }
    return true;
}

static uint64_t hash_of(struct tw_bytes bytes)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a over words */
    size_t at = 0;
    for (; at + sizeof hash <= bytes.size; at += sizeof hash) {
        uint64_t word;
        memcpy(&word, bytes.at + at, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 32;
    }
    for (; at < bytes.size; ++at)
        hash = (hash ^ bytes.at[at]) * 0x100000001b3u;
    return hash;
}

/* Returns the module of an image, and loads it on first need. NULL: out of memory. */
static struct module *module_locked(struct tw_cuda_device *device, struct tw_bytes image)
{
    const uint64_t hash = hash_of(image);
    for (struct module *module = known.modules; module; module = module->next)
        if (module->ordinal == device->ordinal && module->hash == hash && module->size == image.size)
            return module;
    struct module *module = calloc(1, sizeof *module);
    if (!module)
        return NULL;
    *module = (struct module){.next = known.modules, .ordinal = device->ordinal, .hash = hash, .size = image.size};
    known.modules = module;
    const cu_result error = tw_cuda.module_load(&module->handle, image.at);
    if (error) {
        module->handle = NULL;
        tw_cuda_describe_error(error, module->refusal, sizeof module->refusal);
    }
    return module;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static size_t ask(cu_function function, int which)
{
    int value = 0;
    return tw_cuda.function_get(&value, which, function) || value < 0 ? 0 : (size_t)value;
}

/* Stores the number of a kernel's parameters. They are an unused pointer, the words that its region captures, in the
   order in which the region mentions them, and unused values of its clauses. Returns NULL, or why it cannot be launched
   with them. */
static const char *read_parameters(struct kernel *kernel)
{
    static const char *const others = "it has other parameters than expected";
    const size_t least = 1 + TW_INTERNAL_SIMT_WORDS + kernel->words;
    size_t offset, size, *count = &kernel->parameters;
    if (!tw_cuda.function_parameter)
        return "the driver does not describe its parameters, as that of CUDA 12.4 does";
    for (; !tw_cuda.function_parameter(kernel->handle, *count, &offset, &size); ++*count)
        if (size != sizeof(uint64_t) || offset != *count * sizeof(uint64_t) || *count == least + CLAUSE_WORDS)
            return others;
    return *count < least ? others : NULL;
}

/* Stores the name of the function around a kernel's region. */
static bool name_launcher(char launcher[512], const struct kernel *kernel, bool is_simt)
{
    return snprintf(launcher, 512, "%s_tw_%s_%u", kernel->key->symbol, is_simt ? "simt" : "teams", kernel->words) < 512;
}

/* Finds the code of a kernel's region in an image, and its properties. Returns NULL, or why the driver cannot launch it.
   Called in the device's context. */
static const char *look_at_locked(struct tw_cuda_device *device, struct kernel *kernel, struct tw_bytes image,
                                  const char *launcher)
{
    struct tw_cubin_kernel region;
    const char *reason = tw_cubin_find(image, launcher, &region);
    if (reason)
        return reason;
    const struct module *module = module_locked(device, image);
    if (!module || !module->handle)
        return module ? module->refusal : "no memory for its image";
    if (tw_cuda.module_function(&kernel->handle, module->handle, region.name)) {
        kernel->handle = NULL;
        return "the driver does not find it in its image";
    }
    kernel->max_items = ask(kernel->handle, CU_FUNCTION_MAX_THREADS);
    kernel->registers = ask(kernel->handle, CU_FUNCTION_REGISTERS);
    kernel->private_bytes = ask(kernel->handle, CU_FUNCTION_LOCAL_BYTES);
    kernel->static_bytes = ask(kernel->handle, CU_FUNCTION_SHARED_BYTES);
    return region.uses_globals ? "it uses global variables, which the driver's copy of its image has once more"
                               : read_parameters(kernel);
}

/* The same for the region that gets a large block as words, which takes the place of the one that gets its address. It
   does not if it uses more private memory: then it copies an array of the block there, because the kernel indexes it. */
static void prefer_words_locked(struct tw_cuda_device *device, struct kernel *kernel, struct tw_bytes image)
{
    char launcher[512];
    struct kernel other = {.key = kernel->key, .words = tw_internal_more_words_for(kernel->key->args_bytes)};
    if (!other.words || !name_launcher(launcher, &other, true) || look_at_locked(device, &other, image, launcher)
        || other.private_bytes > kernel->private_bytes)
        return;
    kernel->handle = other.handle;
    kernel->words = other.words;
    kernel->parameters = other.parameters;
    kernel->max_items = other.max_items;
    kernel->registers = other.registers;
    kernel->private_bytes = other.private_bytes;
    kernel->static_bytes = other.static_bytes;
}

/* Looks a kernel up in the images of the object that defines it. Returns NULL, or why the driver cannot launch it.
   Called in the device's context. */
static const char *look_up_locked(struct tw_cuda_device *device, struct kernel *kernel)
{
    struct choice choice = {.capability = device->capability, .best = -1};
    char launcher[512];
    const uintptr_t code = (uintptr_t)kernel->key->offload;
    const bool is_simt = tw_omp_lowering(&device->omp, kernel->key) == TW_INTERNAL_LOWER_SIMT;
    kernel->words = tw_internal_words_for(kernel->key->args_bytes);
    if (!name_launcher(launcher, kernel, is_simt))
        return "its name is too long";
    choice.launcher = launcher;
    tw_image_visit(tw_image_binaries(code), consider, &choice);
    kernel->is_missing = !choice.may_have_region;
    if (!is_simt)
        return "it has no simt lowering";
    if (!choice.image.at)
        return "its program or library has no image for the device";
    const char *reason = look_at_locked(device, kernel, choice.image, launcher);
    if (!kernel->handle)
        return reason;
    if (!reason)
        prefer_words_locked(device, kernel, choice.image);
    /* a kernel may use so much by default */
    atomic_init(&kernel->dynamic_bytes, device->default_shared_bytes > kernel->static_bytes
                                            ? device->default_shared_bytes - kernel->static_bytes
                                            : 0);
    int blocks = 0;
    if (kernel->key->form == TW_INTERNAL_REDUCTION
        && !tw_cuda.resident_blocks(&blocks, kernel->handle, TW_INTERNAL_SIMT_RANGE_THREADS, 0))
        kernel->resident_teams = (size_t)blocks * device->compute_units;
    return reason;
}

static void log_kernel(const struct tw_cuda_device *device, const struct kernel *kernel)
{
    if (kernel->driver_launches)
        tw_log(TW_LOG_INFO,
               "kernel: %s, for GPU %d: the driver launches it; %zu registers and %zu bytes of memory a work-item, %zu "
               "bytes of local memory",
               kernel->key->name, device->ordinal, kernel->registers, kernel->private_bytes, kernel->static_bytes);
    else
        tw_log(TW_LOG_INFO, "kernel: %s, for GPU %d: libomptarget launches it: %s", kernel->key->name, device->ordinal,
               kernel->reason ? kernel->reason : "TW_CUDA_LAUNCH asks for it");
}

static struct kernel *_Atomic *bucket_of(const struct tw_internal_kernel *key, int ordinal)
{
    return &known.buckets[((uintptr_t)key / sizeof(void *) + (uintptr_t)ordinal * 31u) % BUCKETS];
}

/* Empties the buckets. Other threads may read them: entries stay as they are. */
static void empty_buckets_locked(void)
{
    for (size_t i = 0; i < BUCKETS; ++i)
        atomic_store_explicit(&known.buckets[i], NULL, memory_order_relaxed);
}

/* Returns a kernel's entry; NULL if it has none. */
static struct kernel *search(const struct tw_internal_kernel *key, int ordinal)
{
    struct kernel *kernel = atomic_load_explicit(bucket_of(key, ordinal), memory_order_acquire);
    while (kernel && (kernel->key != key || kernel->ordinal != ordinal))
        kernel = kernel->next;
    return kernel;
}

/* Returns true if entries with a kernel's address are its own. Else they are those of a kernel that was there before, in
   a library that was unloaded: the bit is part of the kernel's library, where it is not set when that is loaded. */
static bool is_known(const struct tw_internal_kernel *key)
{
    return __atomic_load_n(key->local_bytes, __ATOMIC_ACQUIRE) & TW_KERNEL_IS_KNOWN;
}

/* Drops the entries of kernels that were at a kernel's address before. */
static void drop_unloaded_locked(const struct tw_internal_kernel *key)
{
    const struct kernel *before = known.all;
    while (before && before->key != key)
        before = before->next_of_all;
    if (before)
        empty_buckets_locked();
    (void)__atomic_fetch_or(key->local_bytes, TW_KERNEL_IS_KNOWN, __ATOMIC_RELEASE);
}

/* Makes the entry of a kernel that has none. */
static struct kernel *add_locked(struct tw_cuda_device *device, const struct tw_internal_kernel *key)
{
    struct kernel *_Atomic *bucket = bucket_of(key, device->ordinal);
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    struct kernel *kernel = entry ? calloc(1, sizeof *kernel) : NULL;
    if (kernel) {
        kernel->key = key;
        kernel->ordinal = device->ordinal;
        kernel->reason = look_up_locked(device, kernel);
        kernel->driver_launches = !kernel->reason && tw_cuda_choice() != TW_CUDA_OPENMP_LAUNCH;
        log_kernel(device, kernel);
        kernel->next = atomic_load_explicit(bucket, memory_order_relaxed);
        atomic_store_explicit(bucket, kernel, memory_order_release);
        kernel->next_of_all = known.all;
        known.all = kernel;
    }
    tw_cuda_leave(entry);
    return kernel;
}

/* Returns the entry of a kernel on a device, whether its code was found or not. NULL: the kernel has no version for
   offload devices, or out of memory, or no context. Each group looks for its kernel: only the first takes the mutex. */
static struct kernel *find(struct tw_cuda_device *device, const struct tw_internal_kernel *key)
{
    if (!key->offload)
        return NULL;
    struct kernel *kernel = is_known(key) ? search(key, device->ordinal) : NULL;
    if (kernel)
        return kernel;
    pthread_mutex_lock(&known.mutex);
    if (!is_known(key))
        drop_unloaded_locked(key);
    kernel = search(key, device->ordinal);
    if (!kernel)
        kernel = add_locked(device, key);
    pthread_mutex_unlock(&known.mutex);
    return kernel;
}

void tw_cuda_forget_kernels(void)
{
    pthread_mutex_lock(&known.mutex);
    while (known.all) {
        struct kernel *next = known.all->next_of_all;
        free(known.all);
        known.all = next;
    }
    while (known.modules) {
        struct module *next = known.modules->next;
        const struct tw_cuda_device *device = tw_cuda_device(known.modules->ordinal);
        const enum tw_cuda_entry entry = known.modules->handle && device ? tw_cuda_enter(device) : TW_CUDA_OUTSIDE;
        if (entry)
            (void)tw_cuda.module_unload(known.modules->handle);
        tw_cuda_leave(entry);
        free(known.modules);
        known.modules = next;
    }
    empty_buckets_locked();
    pthread_mutex_unlock(&known.mutex);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static size_t local_limit(const struct tw_cuda_device *device, const struct kernel *kernel)
{
    return kernel->driver_launches ? device->max_shared_bytes : device->default_shared_bytes;
}

/* Allows a kernel `bytes` of dynamic shared memory, if that is more than it may use so far. */
static cu_result allow(struct kernel *kernel, size_t bytes)
{
    cu_result error = 0;
    if (bytes <= atomic_load_explicit(&kernel->dynamic_bytes, memory_order_acquire))
        return 0;
    pthread_mutex_lock(&known.mutex);
    if (bytes > atomic_load_explicit(&kernel->dynamic_bytes, memory_order_relaxed)) {
        error = tw_cuda.function_set(kernel->handle, CU_FUNCTION_MAX_DYNAMIC_SHARED_BYTES, (int)bytes);
        if (!error)
            atomic_store_explicit(&kernel->dynamic_bytes, bytes, memory_order_release);
    }
    pthread_mutex_unlock(&known.mutex);
    return error;
}

/* Returns the number of work-groups that the device runs at a time; 0 if it is not known. */
static size_t resident_groups(struct tw_cuda_device *device, struct kernel *kernel, size_t items, size_t local_bytes)
{
    int blocks = 0;
    if (!items || items > kernel->max_items || local_bytes > device->max_shared_bytes)
        return 0;
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (!entry)
        return 0;
    if (allow(kernel, local_bytes) || tw_cuda.resident_blocks(&blocks, kernel->handle, (int)items, local_bytes))
        blocks = 0;
    tw_cuda_leave(entry);
    return blocks > 0 ? (size_t)blocks * device->compute_units : 0;
}

void tw_cuda_limits(struct tw_backend_device *base, const struct tw_internal_kernel *key, size_t items,
                    size_t local_bytes, struct tw_kernel_facts *facts)
{
    struct tw_cuda_device *device = tw_cuda_of(base);
    struct kernel *kernel = find(device, key);
    if (!kernel || !kernel->handle)
        return;
    facts->max_items = kernel->max_items < facts->max_items ? kernel->max_items : facts->max_items;
    facts->static_local_bytes = kernel->static_bytes;
    facts->private_bytes = kernel->private_bytes;
    facts->registers = kernel->registers;
    facts->resident_groups = resident_groups(device, kernel, items, local_bytes);
}

/* Returns the dynamic shared memory that a launch asks for. Atomic operations on objects of 8 and 16 bits access the
   32-bit word around them: the word around the last TW_LOCAL variable must be the group's, too. Dynamic memory begins
   behind it. */
static size_t with_last_word(size_t local_bytes, size_t static_bytes)
{
    return local_bytes ? local_bytes : (4 - static_bytes % 4) % 4;
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
                            const struct kernel *kernel)
{
    if (kernel && kernel->is_missing)
        return lacks_image(device, key);
    if (tw_cuda_choice() == TW_CUDA_DRIVER_LAUNCH && tw_omp_lowering(&device->omp, key) == TW_INTERNAL_LOWER_SIMT
        && !(kernel && kernel->driver_launches))
        return tw_fail(TW_ERROR_UNSUPPORTED, "TW_CUDA_LAUNCH=driver, but it cannot launch kernel %s: %s", key->name,
                       kernel ? kernel->reason : "there is no memory for it");
    return TW_SUCCESS;
}

tw_status tw_cuda_load(struct tw_backend_device *base, const struct tw_internal_kernel *key)
{
    const tw_status status = tw_omp_load(base, key);
    return status == TW_SUCCESS ? check_code(tw_cuda_of(base), key, find(tw_cuda_of(base), key)) : status;
}

tw_status tw_cuda_check(struct tw_backend_device *base, const struct tw_internal_kernel *key,
                        struct tw_internal_launch *launch)
{
    struct tw_cuda_device *device = tw_cuda_of(base);
    const tw_status status = tw_omp_check(base, key, launch);
    if (status != TW_SUCCESS)
        return status;
    const size_t items = launch->local[0] * launch->local[1] * launch->local[2];
    const struct kernel *kernel = launch->found = find(device, key);
    const bool found = kernel && kernel->handle;
    if (found)
        launch->words = kernel->words; /* of both ways to launch it */
    const size_t most = found ? local_limit(device, kernel) : device->default_shared_bytes;
    const size_t static_bytes = found ? kernel->static_bytes : 0;
    if (found && items > kernel->max_items)
        return tw_fail(TW_ERROR_INVALID_WORK_GROUP_SIZE,
                       "kernel %s needs %zu registers for each work-item, so a group of it has at most %zu "
                       "work-items, not %zu",
                       key->name, kernel->registers, kernel->max_items, items);
    if (launch->local_bytes > most || static_bytes > most - launch->local_bytes)
        return tw_fail(TW_ERROR_OUT_OF_LOCAL_MEMORY,
                       "a group of kernel %s needs %zu bytes of local memory in TW_LOCAL variables and %zu "
                       "in local accessors, which is more than the %zu it can have",
                       key->name, static_bytes, launch->local_bytes, most);
    launch->local_bytes = with_last_word(launch->local_bytes, static_bytes); /* for both ways to launch it */
    return check_code(device, key, kernel);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* One launch for the driver. It points into itself. */
struct call {
    struct cu_kernel_node node;          /* x, y, z: the last dimension of a range comes first */
    uint64_t parameters[MAX_PARAMETERS]; /* the first is the pointer that the kernel does not use */
    size_t bytes;                        /* of the parameters */
    void *extra[5]; /* CU_LAUNCH_PARAM_BUFFER_POINTER and ..._BUFFER_SIZE, each with its value; CU_LAUNCH_PARAM_END */
};

/* The limits of a grid's and a block's dimensions. */
static const unsigned most_blocks[3] = {INT32_MAX, 65535, 65535}, most_threads[3] = {1024, 1024, 64};

/* Gives the grid the dimensions of the range, if they fit the hardware's limits and a range kernel has no offset. */
static void shape(const struct tw_internal_launch *launch, const struct tw_internal_simt_grid *grid, bool is_range,
                  struct tw_internal_simt_captures *captures, struct cu_kernel_node *node)
{
    const unsigned dims = launch->dims;
    bool fits = dims > 1;
    for (unsigned d = 0; d < dims && fits; ++d) {
        const unsigned axis = dims - 1 - d;
        fits = grid->teams[d] <= most_blocks[axis]
               && (!is_range || (grid->threads[d] <= most_threads[axis] && !launch->offset[d]));
    }
    if (!fits)
        return;
    captures->shape |= TW_INTERNAL_SIMT_SHAPED;
    for (unsigned d = 0; d < dims; ++d) {
        node->grid[dims - 1 - d] = (unsigned)grid->teams[d];
        if (is_range)
            node->block[dims - 1 - d] = (unsigned)grid->threads[d];
    }
}

/* Fills the grid of all forms but single tasks, and returns the captured words. */
static struct tw_internal_simt_captures
describe_range(const struct kernel *kernel, const struct tw_internal_launch *launch, struct cu_kernel_node *node)
{
    const unsigned form = kernel->key->form;
    const bool is_range = form == TW_INTERNAL_RANGE, is_reduction = form == TW_INTERNAL_REDUCTION;
    struct tw_internal_simt_grid grid;
    __builtin_assume(launch->dims >= 1 && launch->dims <= 3); /* for clang-tidy */
    const bool reduces_groups = kernel->key->misfit && !is_reduction;
    struct tw_internal_simt_captures captures = is_range       ? tw_internal_simt_range_captures(launch, &grid)
                                                : is_reduction ? tw_internal_simt_reduction_captures(launch, &grid)
                                                : reduces_groups
                                                    ? tw_internal_simt_group_reduction_captures(launch, &grid)
                                                    : tw_internal_simt_group_captures(launch, &grid);
    node->grid[0] = tw_internal_simt_count(grid.teams);
    node->block[0] = tw_internal_simt_count(grid.threads);
    if (!is_reduction && !reduces_groups)
        shape(launch, &grid, is_range, &captures, node);
    else if (is_reduction && kernel->resident_teams && kernel->resident_teams < node->grid[0])
        node->grid[0] = (unsigned)kernel->resident_teams; /* teams stride over the range: more would wait for these */
    return captures;
}

/* Fills a call, and allows the kernel the dynamic shared memory that the launch needs. */
static cu_result prepare(struct kernel *kernel, const struct tw_internal_launch *launch, struct call *call)
{
    const struct tw_internal_kernel *key = kernel->key;
    uint64_t *args = &call->parameters[1 + TW_INTERNAL_SIMT_WORDS];
    void *const extra[] = {(void *)1, call->parameters, (void *)2, &call->bytes, NULL};
    call->node = (struct cu_kernel_node){.function = kernel->handle,
                                         .grid = {1, 1, 1},
                                         .block = {1, 1, 1},
                                         .dynamic_bytes = (unsigned)launch->local_bytes,
                                         .extra = call->extra};
    call->bytes = kernel->parameters * sizeof call->parameters[0];
    memcpy(call->extra, extra, sizeof extra);
    memset(call->parameters, 0, call->bytes);
    struct tw_internal_simt_captures captures = {.launch_word = (uint64_t)(uintptr_t)launch};
    if (key->form != TW_INTERNAL_SINGLE_TASK)
        captures = describe_range(kernel, launch, &call->node);
    memcpy(&call->parameters[1], &captures, sizeof captures);
    if (launch->words == 1)
        *args = (uint64_t)(uintptr_t)launch->device_args;
    else
        memcpy(args, launch->args, key->args_bytes);
    return allow(kernel, launch->local_bytes);
}

cu_result tw_cuda_enqueue(const struct tw_internal_launch *launch, cu_stream stream)
{
    struct call call;
    const cu_result error = prepare(launch->found, launch, &call);
    const struct cu_kernel_node *node = &call.node;
    return error ? error
                 : tw_cuda.launch(node->function, node->grid[0], node->grid[1], node->grid[2], node->block[0],
                                  node->block[1], node->block[2], node->dynamic_bytes, stream, NULL, node->extra);
}

cu_result tw_cuda_add_node(const struct tw_internal_launch *launch, cu_graph graph, const cu_node *before, size_t count,
                           cu_node *node)
{
    struct call call;
    const cu_result error = prepare(launch->found, launch, &call);
    return error ? error : tw_cuda.graph_add_kernel(node, graph, before, count, &call.node);
}

cu_result tw_cuda_set_node(const struct tw_internal_launch *launch, cu_executable executable, cu_node node)
{
    struct call call;
    const cu_result error = prepare(launch->found, launch, &call);
    return error ? error : tw_cuda.graph_set_kernel(executable, node, &call.node);
}

tw_status tw_cuda_report(struct tw_cuda_device *device, const char *kernel, cu_result error, bool alone)
{
    char text[256];
    tw_cuda_describe_error(error, text, sizeof text);
    if (!tw_cuda.context_synchronize()) {
        tw_refuse_launch();
        (void)tw_fail(TW_ERROR_LAUNCH_FAILED, "the CUDA driver did not launch kernel %s: %s", kernel, text);
        return tw_fail_native(TW_ERROR_LAUNCH_FAILED, TW_NATIVE_CUDA, error);
    }
    tw_cuda_lose(device, kernel, error, alone);
    return tw_cuda_fail_lost(TW_ERROR_LAUNCH_FAILED, device);
}

bool tw_cuda_takes(struct tw_backend_device *device, const struct tw_internal_kernel *key,
                   const struct tw_internal_launch *launch)
{
    const struct kernel *kernel = launch->found;
    (void)device, (void)key;
    return kernel && kernel->driver_launches;
}

/* Launches a kernel and waits for it. Called in the device's context. */
static cu_result run(struct tw_cuda_device *device, const struct tw_internal_launch *launch)
{
    cu_stream stream;
    cu_result error = tw_cuda_take_stream(device, &stream);
    if (error)
        return error;
    error = tw_cuda_enqueue(launch, stream);
    if (!error)
        error = tw_cuda.stream_synchronize(stream);
    tw_cuda_give_stream(device, stream);
    return error;
}

tw_status tw_cuda_launch(struct tw_cuda_device *device, const struct tw_internal_kernel *key,
                         const struct tw_internal_launch *launch)
{
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (!entry)
        return tw_fail(TW_ERROR_LAUNCH_FAILED, "the CUDA driver has no context for kernel %s", key->name);
    const unsigned before = atomic_fetch_add_explicit(&device->running, 1, memory_order_relaxed);
    const cu_result error = run(device, launch);
    const unsigned others = atomic_fetch_sub_explicit(&device->running, 1, memory_order_relaxed) - 1;
    const tw_status status = error ? tw_cuda_report(device, key->name, error, !before && !others) : TW_SUCCESS;
    tw_cuda_leave(entry);
    return status;
}
