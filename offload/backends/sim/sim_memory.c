/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of simulated devices. An allocation is a block
 *
 *     struct allocation | red zone | contents | red zone
 *
 * or, of reserved addresses, pages that begin and end so, and whose contents cannot be accessed where nothing backs them.
 * The red zones have a pattern (sim_pattern.h). The pattern is checked before and after each kernel that accesses the
 * contents, at each copy, and when the memory is freed. AddressSanitizer, if present, has the red zones poisoned and
 * reports the access itself.
 */
#define _GNU_SOURCE
#include "sim_memory.h"

#include <pthread.h>
#include <search.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <teamwork/sim.h>

#include "base/block.h"
#include "base/log.h"
#include "common/host_lowering.h"
#include "sim_pattern.h"

#define ALIGNMENT 128u
#define FRONT_BYTES 512u          /* the size of the red zone before the contents */
#define LEAST_BACK_BYTES 512u     /* the one behind them is a quarter of the contents, but at least this */
#define MOST_BACK_BYTES 4096u     /* and at most this */
#define MOST_SPARE_BYTES 1048576u /* behind the red zone are as many bytes as the contents have, and at most this */

struct allocation {
    const struct tw_backend_device *device;
    size_t bytes, back_bytes;
    size_t spare_bytes; /* behind the red zone: what a kernel that runs on and on overwrites, and not the heap */
    const unsigned char *first, *past; /* the bounds of the block: the key in the tree */
    size_t mapped_bytes;               /* of reserved addresses, with the red zones' pages; else 0 */
    uint64_t red_word;                 /* the pattern of its red zones */
};
_Static_assert(sizeof(struct allocation) <= ALIGNMENT, "the contents would not be aligned");

/* All allocations, by address. */
static void *tree;
static pthread_mutex_t tree_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Held while red zones are compared or filled. */
static pthread_mutex_t zone_mutex = PTHREAD_MUTEX_INITIALIZER;

static atomic_uint running; /* the number of running kernels, on all simulated devices */

/* ---- AddressSanitizer, if the program has it --------------------------------------------------------------------- */

void __asan_poison_memory_region(const volatile void *address, size_t bytes) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void *address, size_t bytes) __attribute__((weak));

static void protect(const void *address, size_t bytes)
{
    if (__asan_poison_memory_region)
        __asan_poison_memory_region(address, bytes);
}

static void unprotect(const void *address, size_t bytes)
{
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region(address, bytes);
}

/* ---- allocations ------------------------------------------------------------------------------------------------- */

static unsigned char *contents_of(struct allocation *allocation)
{
    return (unsigned char *)allocation + ALIGNMENT + FRONT_BYTES;
}

static struct allocation *allocation_of(const void *memory)
{
    return (struct allocation *)((uintptr_t)memory - FRONT_BYTES - ALIGNMENT);
}

/* Overlapping ranges compare equal, so a range of one byte finds the block around it. */
static int compare(const void *left, const void *right)
{
    const struct allocation *a = left, *b = right;
    return a->past <= b->first ? -1 : a->first >= b->past;
}

static void paint_zones(struct allocation *allocation, uint64_t red_word)
{
    unsigned char *contents = contents_of(allocation);
    allocation->red_word = red_word;
    tw_sim_pattern_fill(contents - FRONT_BYTES, FRONT_BYTES, red_word);
    tw_sim_pattern_fill(contents + allocation->bytes, allocation->back_bytes, red_word);
}

/* Makes the red zones of an allocation, and adds it to the tree. Returns false if memory is exhausted. */
static bool enter(struct allocation *allocation)
{
    unsigned char *contents = contents_of(allocation);
    paint_zones(allocation, tw_sim_red_word(0));
    pthread_mutex_lock(&tree_mutex);
    const bool is_known = tsearch(allocation, &tree, compare) != NULL;
    pthread_mutex_unlock(&tree_mutex);
    if (!is_known)
        return false;
    protect(contents - FRONT_BYTES, FRONT_BYTES);
    protect(contents + allocation->bytes, allocation->back_bytes + allocation->spare_bytes);
    return true;
}

static size_t spare_of(size_t bytes, size_t unit)
{
    return bytes < MOST_SPARE_BYTES ? bytes / unit * unit : MOST_SPARE_BYTES;
}

void *tw_sim_memory_allocate(const struct tw_backend_device *device, size_t bytes)
{
    size_t back = bytes / 4 / ALIGNMENT * ALIGNMENT;
    back = back < LEAST_BACK_BYTES ? LEAST_BACK_BYTES : back > MOST_BACK_BYTES ? MOST_BACK_BYTES : back;
    if (bytes > SIZE_MAX - ALIGNMENT - FRONT_BYTES - MOST_BACK_BYTES - ALIGNMENT - MOST_SPARE_BYTES)
        return NULL;
    back += -bytes % ALIGNMENT; /* to the end of the block */
    const size_t spare = spare_of(bytes, ALIGNMENT);
    const size_t total = ALIGNMENT + FRONT_BYTES + bytes + back + spare;
    struct allocation *allocation = aligned_alloc(ALIGNMENT, total);
    if (!allocation)
        return NULL;
    const unsigned char *first = (const unsigned char *)allocation;
    *allocation = (struct allocation){device, bytes, back, spare, first, first + total, 0, 0};
    tw_sim_poison(contents_of(allocation), bytes);
    if (!enter(allocation)) {
        free(allocation);
        return NULL;
    }
    return contents_of(allocation);
}

static unsigned char *page_of(const void *address)
{
    return (unsigned char *)((uintptr_t)address / TW_SIM_PAGE_BYTES * TW_SIM_PAGE_BYTES);
}

/* The contents begin at a page. The page where they end is always there, for the red zone behind them. */
void *tw_sim_memory_reserve(const struct tw_backend_device *device, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    const size_t spare = spare_of(bytes, TW_SIM_PAGE_BYTES);
    const size_t mapped = (bytes / TW_SIM_PAGE_BYTES + 3) * TW_SIM_PAGE_BYTES + spare;
    unsigned char *first = mmap(NULL, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (first == MAP_FAILED)
        return NULL;
    unsigned char *contents = first + TW_SIM_PAGE_BYTES, *past = contents + bytes, *last = page_of(past);
    struct allocation *allocation = allocation_of(contents);
    const bool is_open = mprotect(first, TW_SIM_PAGE_BYTES, PROT_READ | PROT_WRITE) == 0
                         && mprotect(last, (size_t)(first + mapped - last), PROT_READ | PROT_WRITE) == 0;
    if (is_open) {
        *allocation = (struct allocation){device, bytes, LEAST_BACK_BYTES, spare, first, first + mapped, mapped, 0};
        tw_sim_poison(last, (size_t)(past - last));
    }
    if (!is_open || !enter(allocation)) {
        (void)munmap(first, mapped);
        return NULL;
    }
    return contents;
}

/* Sets the access to the whole pages of a part of reserved memory. */
static bool set_access(void *reserved, size_t at, size_t bytes, int access)
{
    unsigned char *first = (unsigned char *)reserved + at, *past = page_of(first + bytes);
    return past <= first || mprotect(first, (size_t)(past - first), access) == 0;
}

bool tw_sim_memory_back(void *reserved, size_t at, size_t bytes)
{
    if (!set_access(reserved, at, bytes, PROT_READ | PROT_WRITE))
        return false;
    tw_sim_poison((unsigned char *)reserved + at, bytes);
    return true;
}

void tw_sim_memory_unback(void *reserved, size_t at, size_t bytes)
{
    unsigned char *first = (unsigned char *)reserved + at, *past = page_of(first + bytes);
    tw_sim_poison(first, bytes);
    if (past > first)
        (void)madvise(first, (size_t)(past - first), MADV_DONTNEED);
    (void)set_access(reserved, at, bytes, PROT_NONE);
}

void *tw_sim_memory_around(const void *address, const struct tw_backend_device **device)
{
    const unsigned char *first = address;
    const struct allocation wanted = {.first = first, .past = first + 1};
    void *memory = NULL;
    pthread_mutex_lock(&tree_mutex);
    struct allocation *const *found = tfind(&wanted, &tree, compare);
    if (found) {
        memory = contents_of(*found);
        *device = (*found)->device;
    }
    pthread_mutex_unlock(&tree_mutex);
    return memory;
}

tw_status tw_sim_memory_examine(const struct tw_backend_device *device, const void *memory, size_t bytes)
{
    const struct tw_backend_device *owner = NULL;
    const unsigned char *first = memory, *contents = tw_sim_memory_around(memory, &owner);
    if (!contents || owner != device)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT,
                       "the memory is not of simulated device %u: tw_malloc_device() allocates such memory",
                       device->index);
    const size_t size = allocation_of(contents)->bytes;
    if (first < contents || bytes > size || (size_t)(first - contents) > size - bytes)
        return tw_fail(TW_ERROR_INVALID_RANGE, "%zu bytes do not lie in the allocation of %zu on simulated device %u",
                       bytes, size, device->index);
    return TW_SUCCESS;
}

/* ---- red zones --------------------------------------------------------------------------------------------------- */

/* A write beside the contents. */
struct damage {
    bool before;     /* it is before the contents; otherwise behind them */
    size_t distance; /* in bytes, down from the first byte of the contents, or up from the first byte behind them */
};

/* Stores the damage nearest to the contents, and restores the red zones. Returns false if there is no damage. */
static bool mend(struct allocation *allocation, struct damage *damage)
{
    const unsigned char *contents = contents_of(allocation), *front = contents - FRONT_BYTES;
    const size_t before = tw_sim_pattern_last(front, FRONT_BYTES, allocation->red_word);
    const size_t behind =
        tw_sim_pattern_first(contents + allocation->bytes, allocation->back_bytes, allocation->red_word);
    if (before != SIZE_MAX)
        *damage = (struct damage){.before = true, .distance = FRONT_BYTES - before};
    if (behind != SIZE_MAX)
        *damage = (struct damage){.before = false, .distance = behind};
    paint_zones(allocation, allocation->red_word);
    return before != SIZE_MAX || behind != SIZE_MAX;
}

static bool is_damaged_locked(struct allocation *allocation, struct damage *damage)
{
    const unsigned char *contents = contents_of(allocation);
    if (tw_sim_pattern_is_whole(contents - FRONT_BYTES, FRONT_BYTES, allocation->red_word)
        && tw_sim_pattern_is_whole(contents + allocation->bytes, allocation->back_bytes, allocation->red_word))
        return false;
    return mend(allocation, damage);
}

/* The same with the lock. From then on the red zones have the pattern for elements of a size; 0: the one they have. */
static bool is_damaged(const void *memory, size_t element_bytes, struct damage *damage)
{
    struct allocation *allocation = allocation_of(memory);
    const uint64_t red_word = tw_sim_red_word(element_bytes);
    pthread_mutex_lock(&zone_mutex);
    const bool found = is_damaged_locked(allocation, damage);
    if (element_bytes && allocation->red_word != red_word)
        paint_zones(allocation, red_word);
    pthread_mutex_unlock(&zone_mutex);
    return found;
}

#define DESCRIPTION_BYTES 320

/* Describes damage that no kernel is known to have done. Returns `text`. */
static const char *describe_damage(const struct allocation *allocation, struct damage damage,
                                   char text[DESCRIPTION_BYTES])
{
    if (damage.before)
        snprintf(text, DESCRIPTION_BYTES, "some kernel has written %zu bytes before the beginning", damage.distance);
    else
        snprintf(text, DESCRIPTION_BYTES, "some kernel has written to byte %zu", allocation->bytes + damage.distance);
    const size_t used = strlen(text);
    snprintf(text + used, DESCRIPTION_BYTES - used,
             " of a buffer of %zu bytes on simulated device %u: check the indices of those that ran before",
             allocation->bytes, allocation->device->index);
    return text;
}

/* Checks the red zones around the allocation that contains an address. */
static tw_status check_around(const void *address)
{
    struct damage damage;
    char text[DESCRIPTION_BYTES];
    const struct tw_backend_device *owner;
    const void *memory = tw_sim_memory_around(address, &owner);
    if (!memory || !is_damaged(memory, 0, &damage))
        return TW_SUCCESS;
    return tw_fail(TW_ERROR_OUT_OF_BOUNDS, "%s", describe_damage(allocation_of(memory), damage, text));
}

tw_status tw_sim_memory_check_copy(const struct tw_backend_copy *copy)
{
    const tw_status status = copy->from ? check_around(copy->source) : TW_SUCCESS;
    return copy->to && status == TW_SUCCESS ? check_around(copy->target) : status;
}

tw_status tw_sim_memory_check_fill(const struct tw_backend_fill *fill)
{
    return check_around(fill->target);
}

size_t tw_sim_memory_free(void *memory)
{
    struct allocation *allocation = allocation_of(memory);
    const size_t bytes = allocation->bytes;
    struct damage damage;
    char text[DESCRIPTION_BYTES];
    if (is_damaged(memory, 0, &damage))
        tw_warn("%s", describe_damage(allocation, damage, text));
    if (!allocation->mapped_bytes)
        tw_sim_poison(memory, bytes);
    pthread_mutex_lock(&tree_mutex);
    tdelete(allocation, &tree, compare);
    pthread_mutex_unlock(&tree_mutex);
    unsigned char *contents = contents_of(allocation);
    unprotect(contents - FRONT_BYTES, FRONT_BYTES);
    unprotect(contents + bytes, allocation->back_bytes + allocation->spare_bytes);
    if (allocation->mapped_bytes)
        (void)munmap(contents - TW_SIM_PAGE_BYTES, allocation->mapped_bytes);
    else
        free(allocation);
    return bytes;
}

/* ---- kernels and native tasks ------------------------------------------------------------------------------------ */

#define WHO_BYTES 256

/* A running kernel, or native task. */
struct watch {
    struct tw_host_prelude prelude; /* first, so that poison() finds the watch */
    const struct tw_backend_device *device;
    const struct tw_internal_kernel *kernel; /* NULL: a native task */
    char who[WHO_BYTES];                     /* its name in a sentence */
    const struct tw_internal_launch *launch;
    bool has_run, ran_beside; /* it has run; other kernels ran beside it */
    unsigned char *saved;     /* copies of the buffers that it only reads, one behind the other; or NULL */
};

/* Describes the buffer of an access: by the block's member that points to it, otherwise by its accessor's number. */
static const char *describe(const struct watch *watch, const struct tw_backend_access *access, size_t index,
                            char text[DESCRIPTION_BYTES])
{
    char which[128];
    int used;
    if (watch->kernel && tw_block_member(watch->kernel, watch->launch->args, access->first, which, sizeof which))
        used = snprintf(text, DESCRIPTION_BYTES, "the buffer that member %s points to", which);
    else
        used = snprintf(text, DESCRIPTION_BYTES, "the buffer of accessor %zu of its group", index + 1);
    for (unsigned d = 0; d < access->range.dims; ++d)
        used +=
            snprintf(text + used, DESCRIPTION_BYTES - (size_t)used, "%s%zu", d ? " x " : ", ", access->range.size[d]);
    snprintf(text + used, DESCRIPTION_BYTES - (size_t)used, " elements of %zu bytes", access->element_bytes);
    return text;
}

/* Stores the damage nearest to a buffer, counted from there, and restores the red zones. The buffer may lie in memory of
   the program: in a part of an allocation, or in memory that the host uses too, which has no red zones. Returns false
   if there is no damage. */
static bool is_damaged_around(const struct tw_backend_access *access, struct damage *damage)
{
    const struct tw_backend_device *owner;
    const unsigned char *first = access->address, *contents = tw_sim_memory_around(first, &owner);
    if (!contents || !is_damaged(contents, access->element_bytes, damage))
        return false;
    const size_t before = (size_t)(first - contents);
    damage->distance += damage->before ? before : allocation_of(contents)->bytes - before - access->bytes;
    return true;
}

static tw_status complain_damage(const struct watch *watch, const struct tw_backend_access *access, size_t index,
                                 struct damage damage)
{
    char text[DESCRIPTION_BYTES], who[DESCRIPTION_BYTES];
    snprintf(who, sizeof who,
             !watch->has_run     ? "before %s another one has"
             : watch->ran_beside ? "%s, or one that ran beside it, has"
                                 : "%s has",
             watch->who);
    const size_t count = access->bytes / access->element_bytes, size = access->element_bytes;
    return tw_fail(TW_ERROR_OUT_OF_BOUNDS, "%s written to element %s%zu, counted from 0, of %s", who,
                   damage.before ? "-" : "",
                   damage.before ? (damage.distance + size - 1) / size : count + damage.distance / size,
                   describe(watch, access, index, text));
}

/* Checks and restores the red zones of all buffers that the kernel accesses. Returns `status`, or the failure of the
   first damage if `status` is success. */
static tw_status check_zones(const struct watch *watch, tw_status status)
{
    struct tw_backend_access access;
    struct damage damage;
    for (size_t i = 0; watch->device->access(watch->device, watch->launch, i, &access); ++i)
        if (is_damaged_around(&access, &damage) && status == TW_SUCCESS)
            status = complain_damage(watch, &access, i, damage);
    return status;
}

static tw_status save_reads(struct watch *watch)
{
    struct tw_backend_access access;
    size_t bytes = 0;
    for (size_t i = 0; watch->device->access(watch->device, watch->launch, i, &access); ++i)
        bytes += access.writes ? 0 : access.rows * access.row_bytes;
    unsigned char *saved = watch->saved = bytes ? malloc(bytes) : NULL;
    if (bytes && !saved)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY,
                       "no memory for a copy of the %zu bytes that %s reads, which TW_SIM_CHECK needs", bytes,
                       watch->who);
    for (size_t i = 0; saved && watch->device->access(watch->device, watch->launch, i, &access); ++i)
        for (size_t row = 0; !access.writes && row < access.rows; ++row, saved += access.row_bytes)
            memcpy(saved, tw_backend_access_row(&access, row), access.row_bytes);
    return TW_SUCCESS;
}

/* Complains that a row differs from its copy. */
static tw_status complain_read(const struct watch *watch, const struct tw_backend_access *access, size_t index,
                               const unsigned char *row, const unsigned char *saved)
{
    char text[DESCRIPTION_BYTES];
    size_t at = (size_t)(row - (const unsigned char *)access->address);
    for (; *row == *saved; ++row, ++saved)
        ++at;
    return tw_fail(TW_ERROR_READ_ONLY_BUFFER,
                   "%s has written to element %zu of %s, which its group only reads: access it by "
                   "tw_write() or tw_read_write()",
                   watch->who, at / access->element_bytes, describe(watch, access, index, text));
}

/* Compares the buffers that the kernel only reads with their copies, and restores them. Returns `status`, or the
   failure of the first difference if `status` is success. */
static tw_status check_reads(const struct watch *watch, tw_status status)
{
    struct tw_backend_access access;
    const unsigned char *saved = watch->saved;
    for (size_t i = 0; saved && watch->device->access(watch->device, watch->launch, i, &access); ++i) {
        for (size_t r = 0; !access.writes && r < access.rows; ++r, saved += access.row_bytes) {
            unsigned char *row = tw_backend_access_row(&access, r);
            if (memcmp(row, saved, access.row_bytes) == 0)
                continue;
            if (status == TW_SUCCESS)
                status = complain_read(watch, &access, i, row, saved);
            memcpy(row, saved, access.row_bytes);
        }
    }
    return status;
}

static bool discards(const struct watch *watch)
{
    struct tw_backend_access access;
    for (size_t i = 0; watch->device->access(watch->device, watch->launch, i, &access); ++i)
        if (!access.needs)
            return true;
    return false;
}

/* Poisons one piece of each buffer that the kernel discards. */
static void poison(const struct tw_host_prelude *prelude, size_t piece, size_t pieces)
{
    const struct watch *watch = (const struct watch *)prelude;
    struct tw_backend_access access;
    for (size_t i = 0; watch->device->access(watch->device, watch->launch, i, &access); ++i) {
        const size_t each = access.row_bytes / pieces, first = piece * each;
        for (size_t row = 0; !access.needs && row < access.rows; ++row)
            tw_sim_poison(tw_backend_access_row(&access, row) + first,
                          piece + 1 == pieces ? access.row_bytes - first : each);
    }
}

/* Runs the kernel, or without one the function of a native task, between the checks. */
static tw_status run_watched(struct watch *watch, struct tw_internal_launch *launch, bool checks_reads,
                             tw_status (*function)(void *user), void *user)
{
    tw_status status = check_zones(watch, TW_SUCCESS);
    if (status == TW_SUCCESS && checks_reads)
        status = save_reads(watch);
    if (status != TW_SUCCESS)
        return status;
    if (!watch->kernel)
        poison(&watch->prelude, 0, 1);
    const unsigned before = atomic_fetch_add_explicit(&running, 1, memory_order_relaxed);
    if (watch->kernel)
        status = tw_host_run(watch->kernel, launch, discards(watch) ? &watch->prelude : NULL);
    else if (function)
        status = function(user);
    const unsigned beside = atomic_fetch_sub_explicit(&running, 1, memory_order_relaxed) - 1;
    watch->has_run = true;
    watch->ran_beside = before || beside;
    status = check_zones(watch, check_reads(watch, status));
    free(watch->saved);
    return status;
}

tw_status tw_sim_memory_run(const struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                            struct tw_internal_launch *launch, bool checks_reads)
{
    struct watch watch = {.prelude = {poison}, .device = device, .kernel = kernel, .launch = launch};
    snprintf(watch.who, sizeof watch.who, "kernel %.200s", kernel->name);
    return run_watched(&watch, launch, checks_reads, NULL, NULL);
}

tw_status tw_sim_memory_watch(const struct tw_backend_device *device, const struct tw_internal_launch *launch,
                              bool checks_reads, tw_status (*function)(void *user), void *user)
{
    struct watch watch = {.prelude = {poison}, .device = device, .who = "a native task", .launch = launch};
    return run_watched(&watch, NULL, checks_reads, function, user);
}
