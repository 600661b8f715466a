/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels of the simt lowering that are launched past libomptarget: where their code is (gpu_kernel.h).
 *
 * The device image that libomptarget has loaded is loaded once more, beside it: its kernels are the same, and memory of
 * omp_target_alloc() is valid in them. But its variables then exist twice, so a kernel that uses any is left to
 * libomptarget. Its mapping tables and streams are not involved; nothing is mapped for kernels launched here.
 */
#define _GNU_SOURCE
#include "gpu_kernel.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/lower/kernel/simt.h>

#include "base/cancellation.h"
#include "base/log.h"
#include "common/kernel_word.h"

#define BUCKETS 256u

/* A device image that is loaded into a device, or that the driver refused. */
struct module {
    struct module *next;
    const struct tw_gpu_code *code;
    const struct tw_omp_device *device;
    uint64_t hash; /* of its contents: a library may be loaded again, or another one at its address */
    size_t size;
    void *handle; /* NULL: the driver refused it */
    char refusal[256];
};

static struct {
    pthread_mutex_t mutex; /* protects all members; the buckets are read without it */
    struct tw_gpu_kernel *_Atomic buckets[BUCKETS];
    struct tw_gpu_kernel *all; /* also those of unloaded libraries: a launch may still use them */
    struct module *modules;    /* likewise */
} known = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* ---- images ------------------------------------------------------------------------------------------------------ */

/* The search for a device's image in an object: the one that the device runs best. */
struct choice {
    const struct tw_gpu_code *code;
    const struct tw_omp_device *device;
    const char *launcher;
    int best;
    bool may_have_region; /* an image that the device can run, or that cannot be read, may have the launcher's region */
    struct tw_bytes image;
};

static bool consider(const struct tw_image *image, void *user)
{
    struct choice *choice = user;
    const int rank = choice->code->rank(choice->device, image);
    if (rank != TW_GPU_IMAGE_OTHER)
        choice->may_have_region =
            choice->may_have_region || tw_image_may_have_region(image->contents, choice->launcher);
    if (rank > choice->best) {
        choice->best = rank;
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
static struct module *module_locked(const struct tw_gpu_code *code, const struct tw_omp_device *device,
                                    struct tw_bytes image)
{
    const uint64_t hash = hash_of(image);
    for (struct module *module = known.modules; module; module = module->next)
        if (module->device == device && module->hash == hash && module->size == image.size)
            return module;
    struct module *module = calloc(1, sizeof *module);
    if (!module)
        return NULL;
    *module = (struct module){.next = known.modules, .code = code, .device = device, .hash = hash, .size = image.size};
    known.modules = module;
    module->handle = code->load(device, image, module->refusal, sizeof module->refusal);
    return module;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

const char *tw_gpu_kernel_check_parameters(const struct tw_gpu_kernel *kernel)
{
    const size_t least = 1 + TW_INTERNAL_SIMT_WORDS + kernel->words;
    return kernel->parameters < least || kernel->parameters > least + TW_GPU_CLAUSE_WORDS
               ? "it has other parameters than expected"
               : NULL;
}

/* Stores the name of the function around a kernel's region. */
static bool name_launcher(char launcher[TW_IMAGE_LAUNCHER_BYTES], const struct tw_gpu_kernel *kernel, bool is_simt)
{
    return tw_image_name_launcher(launcher, kernel->key, is_simt ? "simt" : "teams", kernel->words);
}

/* Finds the code of a kernel's region in an image, and its properties. Returns NULL, or why the driver cannot launch
   it. */
static const char *look_at_locked(struct tw_gpu_kernel *kernel, struct tw_bytes image, const char *launcher)
{
    struct tw_gpu_image_kernel region;
    const char *reason = kernel->code->find(image, launcher, &region);
    if (reason)
        return reason;
    const struct module *module = module_locked(kernel->code, kernel->device, image);
    if (!module || !module->handle)
        return module ? module->refusal : "no memory for its image";
    reason = kernel->code->examine(kernel->device, module->handle, &region, kernel);
    return kernel->handle && region.uses_globals
               ? "it uses global variables, which the driver's copy of its image has once more"
               : reason;
}

/* The same for the region that gets a large block as words, which takes the place of the one that gets its address. It
   does not if it uses more private memory: then it copies an array of the block there, because the kernel indexes it. */
static void prefer_words_locked(struct tw_gpu_kernel *kernel, struct tw_bytes image)
{
    char launcher[TW_IMAGE_LAUNCHER_BYTES];
    struct tw_gpu_kernel other = {.key = kernel->key,
                                  .device = kernel->device,
                                  .code = kernel->code,
                                  .words = tw_internal_more_words_for(kernel->key->args_bytes)};
    if (!other.words || !name_launcher(launcher, &other, true) || look_at_locked(&other, image, launcher)
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

/* Looks a kernel up in the images of the object that defines it. Returns NULL, or why the driver cannot launch it. */
static const char *look_up_locked(struct tw_gpu_kernel *kernel)
{
    struct choice choice = {.code = kernel->code, .device = kernel->device, .best = -1};
    char launcher[TW_IMAGE_LAUNCHER_BYTES];
    const uintptr_t code = (uintptr_t)kernel->key->offload;
    const bool is_simt = tw_omp_lowering(kernel->device, kernel->key) == TW_INTERNAL_LOWER_SIMT;
    kernel->words = tw_internal_words_for(kernel->key->args_bytes);
    if (!name_launcher(launcher, kernel, is_simt))
        return "its name is too long";
    choice.launcher = launcher;
    tw_image_visit(tw_image_binaries(code), consider, &choice);
    kernel->is_missing = !choice.may_have_region;
    kernel->rank = choice.best;
    if (!is_simt)
        return "it has no simt lowering";
    if (!choice.image.at)
        return "its program or library has no image for the device";
    const char *reason = look_at_locked(kernel, choice.image, launcher);
    if (!kernel->handle)
        return reason;
    if (!reason)
        prefer_words_locked(kernel, choice.image);
    if (kernel->code->complete)
        kernel->code->complete(kernel->device, kernel);
    return reason;
}

static void log_kernel(const struct tw_gpu_kernel *kernel)
{
    if (kernel->is_launched)
        tw_log(
            TW_LOG_INFO,
            "kernel: %s, for GPU %d: %s launches it; %zu registers and %zu bytes of memory a work-item, %zu bytes of "
            "local memory",
            kernel->key->name, kernel->device->number, kernel->code->launcher, kernel->registers, kernel->private_bytes,
            kernel->static_bytes);
    else
        tw_log(TW_LOG_INFO, "kernel: %s, for GPU %d: libomptarget launches it: %s", kernel->key->name,
               kernel->device->number, kernel->reason ? kernel->reason : kernel->code->wish);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static struct tw_gpu_kernel *_Atomic *bucket_of(const struct tw_omp_device *device,
                                                const struct tw_internal_kernel *key)
{
    return &known.buckets[((uintptr_t)key / sizeof(void *) + (uintptr_t)device / 64) % BUCKETS];
}

/* Empties the buckets. Other threads may read them: entries stay as they are. */
static void empty_buckets_locked(void)
{
    for (size_t i = 0; i < BUCKETS; ++i)
        atomic_store_explicit(&known.buckets[i], NULL, memory_order_relaxed);
}

/* Returns a kernel's entry; NULL if it has none. */
static struct tw_gpu_kernel *search(const struct tw_omp_device *device, const struct tw_internal_kernel *key)
{
    struct tw_gpu_kernel *kernel = atomic_load_explicit(bucket_of(device, key), memory_order_acquire);
    while (kernel && (kernel->key != key || kernel->device != device))
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
    const struct tw_gpu_kernel *before = known.all;
    while (before && before->key != key)
        before = before->next_of_all;
    if (before)
        empty_buckets_locked();
    (void)__atomic_fetch_or(key->local_bytes, TW_KERNEL_IS_KNOWN, __ATOMIC_RELEASE);
}

/* Makes the entry of a kernel that has none. */
static struct tw_gpu_kernel *add_locked(const struct tw_gpu_code *code, const struct tw_omp_device *device,
                                        const struct tw_internal_kernel *key)
{
    struct tw_gpu_kernel *_Atomic *bucket = bucket_of(device, key);
    struct tw_gpu_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return NULL;
    kernel->key = key;
    kernel->device = device;
    kernel->code = code;
    kernel->reason = look_up_locked(kernel);
    kernel->is_launched = !kernel->reason && !(code->leaves_all && code->leaves_all());
    log_kernel(kernel);
    kernel->next = atomic_load_explicit(bucket, memory_order_relaxed);
    atomic_store_explicit(bucket, kernel, memory_order_release);
    kernel->next_of_all = known.all;
    known.all = kernel;
    return kernel;
}

struct tw_gpu_kernel *tw_gpu_kernel_search(const struct tw_omp_device *device, const struct tw_internal_kernel *key)
{
    return is_known(key) ? search(device, key) : NULL;
}

struct tw_gpu_kernel *tw_gpu_kernel_add(const struct tw_gpu_code *code, const struct tw_omp_device *device,
                                        const struct tw_internal_kernel *key)
{
    TW_DEFER_CANCELLATION; /* files are read under the mutex */
    pthread_mutex_lock(&known.mutex);
    if (!is_known(key))
        drop_unloaded_locked(key);
    struct tw_gpu_kernel *kernel = search(device, key);
    if (!kernel)
        kernel = add_locked(code, device, key);
    pthread_mutex_unlock(&known.mutex);
    return kernel;
}

void tw_gpu_kernels_forget(const struct tw_gpu_code *code)
{
    pthread_mutex_lock(&known.mutex);
    empty_buckets_locked(); /* the other backends find theirs anew */
    for (struct tw_gpu_kernel **link = &known.all; *link;) {
        struct tw_gpu_kernel *kernel = *link;
        if (kernel->code != code) {
            link = &kernel->next_of_all;
            continue;
        }
        *link = kernel->next_of_all;
        free(kernel);
    }
    for (struct module **link = &known.modules; *link;) {
        struct module *module = *link;
        if (module->code != code) {
            link = &module->next;
            continue;
        }
        *link = module->next;
        if (module->handle)
            code->unload(module->device, module->handle);
        free(module);
    }
    pthread_mutex_unlock(&known.mutex);
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Returns the dynamic local memory that a launch asks for. Atomic operations on objects of 8 and 16 bits access the
   32-bit word around them: the word around the last TW_LOCAL variable must be the group's, too. Dynamic memory begins
   behind it. */
static size_t with_last_word(size_t local_bytes, size_t static_bytes)
{
    return local_bytes ? local_bytes : (4 - static_bytes % 4) % 4;
}

tw_status tw_gpu_kernel_check(const struct tw_gpu_kernel *kernel, const struct tw_internal_kernel *key,
                              struct tw_internal_launch *launch, size_t most)
{
    const size_t items = launch->local[0] * launch->local[1] * launch->local[2];
    const bool found = kernel && kernel->handle;
    const size_t static_bytes = found ? kernel->static_bytes : 0;
    if (found)
        launch->words = kernel->words; /* of both ways to launch it */
    if (found && kernel->max_items && items > kernel->max_items)
        return tw_fail(TW_ERROR_INVALID_WORK_GROUP_SIZE,
                       "kernel %s needs %zu registers for each work-item, so a group of it has at most %zu "
                       "work-items, not %zu",
                       key->name, kernel->registers, kernel->max_items, items);
    if (most && (launch->local_bytes > most || static_bytes > most - launch->local_bytes))
        return tw_fail(TW_ERROR_OUT_OF_LOCAL_MEMORY,
                       "a group of kernel %s needs %zu bytes of local memory in TW_LOCAL variables and %zu "
                       "in local accessors, which is more than the %zu it can have",
                       key->name, static_bytes, launch->local_bytes, most);
    launch->local_bytes = with_last_word(launch->local_bytes, static_bytes); /* for both ways to launch it */
    return TW_SUCCESS;
}

void tw_gpu_kernel_describe(const struct tw_gpu_kernel *kernel, struct tw_kernel_facts *facts)
{
    if (kernel->max_items && kernel->max_items < facts->max_items)
        facts->max_items = kernel->max_items;
    facts->static_local_bytes = kernel->static_bytes;
    facts->private_bytes = kernel->private_bytes;
    facts->registers = kernel->registers;
}
