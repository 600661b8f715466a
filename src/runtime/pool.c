/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a device that is allocated again in the order of queues (pool.h). Knows no queue, but its number. */
#include "pool.h"

#include <stdlib.h>

#include "base/lock.h"
#include "command.h"
#include "device.h"
#include "reclaim.h"

#define LEAST_BITS 9u /* the smallest blocks have 512 bytes */
#define MOST_BITS 47u
#define STEPS 8u /* sizes from one power of two to the next */
#define SIZES ((MOST_BITS - LEAST_BITS) * STEPS + 1)

/* A block in the pool. */
struct entry {
    struct entry *next; /* of the same size, freed later */
    void *memory;
    struct tw_command *after; /* counted; NULL: unused */
    uint64_t queue;
};

struct tw_pool {
    size_t bytes;
    struct entry *first[SIZES], *last[SIZES]; /* last: valid if there is a first */
};

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static size_t bytes_of(size_t number)
{
    const size_t power = (size_t)1 << (LEAST_BITS + number / STEPS);
    return power + power / STEPS * (number % STEPS);
}

/* Returns the number of the least size of at least so many bytes; SIZES if there is none. */
static size_t number_of(size_t bytes)
{
    if (bytes <= (size_t)1 << LEAST_BITS)
        return 0;
    if (bytes > (size_t)1 << MOST_BITS)
        return SIZES;
    const unsigned bits = 63u - (unsigned)__builtin_clzll(bytes - 1);
    const size_t step = ((size_t)1 << bits) / STEPS;
    return (size_t)(bits - LEAST_BITS) * STEPS + (bytes - ((size_t)1 << bits) + step - 1) / step;
}

size_t tw_pool_bytes(size_t bytes)
{
    const size_t number = number_of(bytes);
    return number < SIZES ? bytes_of(number) : 0;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Returns true if nothing uses a block any more, and then releases the command that had to be complete. */
static bool is_unused_locked(struct entry *entry)
{
    if (entry->after && entry->after->complete) {
        tw_command_release_locked(entry->after);
        entry->after = NULL;
    }
    return !entry->after;
}

/* Takes a block out of its list. `before` is the one before it; NULL: it is the first. */
static void unlink_locked(struct tw_pool *pool, size_t number, struct entry *before, struct entry *entry)
{
    *(before ? &before->next : &pool->first[number]) = entry->next;
    if (pool->last[number] == entry)
        pool->last[number] = before;
    pool->bytes -= bytes_of(number);
}

/* Takes the first block of a size that is unused, or was freed by a queue. */
static struct entry *take_locked(struct tw_pool *pool, size_t number, uint64_t queue)
{
    struct entry *before = NULL;
    for (struct entry *entry = pool->first[number]; entry; before = entry, entry = entry->next) {
        if (!is_unused_locked(entry) && (!queue || entry->queue != queue))
            continue;
        unlink_locked(pool, number, before, entry);
        if (entry->after)
            tw_command_release_locked(entry->after);
        return entry;
    }
    return NULL;
}

void *tw_pool_take(struct tw_device *device, size_t bytes, uint64_t queue)
{
    tw_lock();
    struct entry *entry = device->pool ? take_locked(device->pool, number_of(bytes), queue) : NULL;
    tw_unlock();
    void *memory = entry ? entry->memory : NULL;
    free(entry);
    return memory;
}

static void add_locked(struct tw_pool *pool, size_t number, struct entry *entry)
{
    *(pool->first[number] ? &pool->last[number]->next : &pool->first[number]) = entry;
    pool->last[number] = entry;
    pool->bytes += bytes_of(number);
}

/* Makes the device's pool, if it has none. Returns false if memory is exhausted. */
static bool open_pool(struct tw_device *device)
{
    tw_lock();
    bool is_open = device->pool != NULL;
    tw_unlock();
    struct tw_pool *made = is_open ? NULL : calloc(1, sizeof *made);
    tw_lock();
    if (!device->pool) {
        device->pool = made;
        made = NULL;
    }
    is_open = device->pool != NULL;
    tw_unlock();
    free(made);
    return is_open;
}

bool tw_pool_give(struct tw_device *device, struct tw_pool_block block, uint64_t queue, struct tw_command *after)
{
    struct entry *entry = open_pool(device) ? malloc(sizeof *entry) : NULL;
    if (!entry)
        return false;
    *entry = (struct entry){.memory = block.memory, .after = after, .queue = queue};
    tw_lock();
    add_locked(device->pool, number_of(block.bytes), entry);
    tw_unlock();
    return true;
}

/* Takes an unused block of any size, the largest first. */
static struct entry *take_any_locked(struct tw_pool *pool)
{
    struct entry *entry = NULL;
    for (size_t number = SIZES; number-- > 0 && !entry;)
        entry = take_locked(pool, number, 0);
    return entry;
}

bool tw_pool_trim(struct tw_device *device, size_t keep_bytes)
{
    for (bool freed = false;; freed = true) {
        tw_lock();
        struct entry *entry = device->pool && device->pool->bytes > keep_bytes ? take_any_locked(device->pool) : NULL;
        tw_unlock();
        if (!entry)
            return freed;
        tw_device_release(device, entry->memory);
        free(entry);
    }
}

bool tw_pool_make_room(struct tw_device *device)
{
    const bool freed = tw_reclaim_memory();
    return (device && tw_pool_trim(device, 0)) || freed;
}

struct tw_command *tw_pool_next_unused(struct tw_device *device)
{
    struct tw_command *after = NULL;
    tw_lock();
    for (size_t number = SIZES; device->pool && number-- > 0 && !after;)
        after = device->pool->first[number] ? device->pool->first[number]->after : NULL;
    if (after)
        atomic_fetch_add(&after->references, 1);
    tw_unlock();
    return after;
}

void tw_pool_settle_locked(struct tw_device *device)
{
    for (size_t number = 0; device->pool && number < SIZES; ++number)
        for (struct entry *entry = device->pool->first[number]; entry; entry = entry->next)
            (void)is_unused_locked(entry);
}

size_t tw_pool_size(const struct tw_device *device)
{
    tw_lock();
    const size_t bytes = device->pool ? device->pool->bytes : 0;
    tw_unlock();
    return bytes;
}

void tw_pool_close(struct tw_device *device)
{
    (void)tw_pool_trim(device, 0);
    free(device->pool);
    device->pool = NULL;
}
