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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <teamwork/sim.h>

#include "base/log.h"
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

/* Stores the damage nearest to the contents, and restores the red zones. Returns false if there is no damage. */
static bool mend(struct allocation *allocation, struct tw_sim_damage *damage)
{
    const unsigned char *contents = contents_of(allocation), *front = contents - FRONT_BYTES;
    const size_t before = tw_sim_pattern_last(front, FRONT_BYTES, allocation->red_word);
    const size_t behind =
        tw_sim_pattern_first(contents + allocation->bytes, allocation->back_bytes, allocation->red_word);
    if (before != SIZE_MAX)
        *damage = (struct tw_sim_damage){.before = true, .distance = FRONT_BYTES - before};
    if (behind != SIZE_MAX)
        *damage = (struct tw_sim_damage){.before = false, .distance = behind};
    paint_zones(allocation, allocation->red_word);
    return before != SIZE_MAX || behind != SIZE_MAX;
}

static bool is_damaged_locked(struct allocation *allocation, struct tw_sim_damage *damage)
{
    const unsigned char *contents = contents_of(allocation);
    if (tw_sim_pattern_is_whole(contents - FRONT_BYTES, FRONT_BYTES, allocation->red_word)
        && tw_sim_pattern_is_whole(contents + allocation->bytes, allocation->back_bytes, allocation->red_word))
        return false;
    return mend(allocation, damage);
}

/* The same with the lock. From then on the red zones have the pattern for elements of a size; 0: the one they have. */
static bool is_damaged(const void *memory, size_t element_bytes, struct tw_sim_damage *damage)
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

bool tw_sim_memory_find_damage(const void *part, size_t bytes, size_t element_bytes, struct tw_sim_damage *damage)
{
    const struct tw_backend_device *owner;
    const unsigned char *first = part, *contents = tw_sim_memory_around(part, &owner);
    if (!contents || !is_damaged(contents, element_bytes, damage))
        return false;
    const size_t before = (size_t)(first - contents);
    damage->distance += damage->before ? before : allocation_of(contents)->bytes - before - bytes;
    return true;
}

#define DESCRIPTION_BYTES 320

/* Describes damage that no kernel is known to have done. Returns `text`. */
static const char *describe_damage(const struct allocation *allocation, struct tw_sim_damage damage,
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
    struct tw_sim_damage damage;
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
    struct tw_sim_damage damage;
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
