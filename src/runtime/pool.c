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

struct tw_pool {
    size_t bytes;
    struct tw_pool_block *first[SIZES], *last[SIZES]; /* last: valid if there is a first */
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

static void release_hold_locked(struct tw_pool_hold *hold)
{
    if (hold->after)
        tw_command_release_locked(hold->after);
    hold->after = NULL;
}

/* Returns true if nothing uses a block any more but what comes before in a task queue, or at all if that is 0. Releases
   commands that are complete. */
static bool is_free_locked(struct tw_pool_block *block, uint64_t queue)
{
    bool is_free = true;
    for (unsigned i = 0; i < 2; ++i) {
        struct tw_pool_hold *hold = &block->holds[i];
        if (hold->after && hold->after->complete)
            release_hold_locked(hold);
        is_free = is_free && (!hold->after || (queue && hold->queue == queue));
    }
    return is_free;
}

/* Takes a block out of its list. `before` is the one before it; NULL: it is the first. */
static void unlink_locked(struct tw_pool *pool, size_t number, struct tw_pool_block *before,
                          struct tw_pool_block *block)
{
    *(before ? &before->next : &pool->first[number]) = block->next;
    if (pool->last[number] == block)
        pool->last[number] = before;
    pool->bytes -= block->bytes;
}

/* Takes the first block of a size that is free for a queue. */
static struct tw_pool_block *take_locked(struct tw_pool *pool, size_t number, uint64_t queue)
{
    struct tw_pool_block *before = NULL;
    for (struct tw_pool_block *block = pool->first[number]; block; before = block, block = block->next)
        if (is_free_locked(block, queue)) {
            unlink_locked(pool, number, before, block);
            return block;
        }
    return NULL;
}

struct tw_pool_block *tw_pool_take(struct tw_device *device, size_t bytes, uint64_t queue)
{
    tw_lock();
    struct tw_pool_block *block = device->pool ? take_locked(device->pool, number_of(bytes), queue) : NULL;
    tw_unlock();
    return block;
}

/* Makes the device's pool, if it has none. Returns false if memory is exhausted. */
static bool open_pool(struct tw_device *device)
{
    tw_lock();
    bool is_open = device->pool != NULL;
    tw_unlock();
    if (is_open)
        return true;
    struct tw_pool *made = calloc(1, sizeof *made);
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

struct tw_pool_block *tw_pool_make(struct tw_device *device, size_t bytes, bool *is_full)
{
    struct tw_pool_block *block = open_pool(device) ? malloc(sizeof *block) : NULL;
    *is_full = false;
    if (!block)
        return NULL;
    *block = (struct tw_pool_block){.memory = tw_device_allocate(device, bytes), .bytes = bytes};
    if (block->memory)
        return block;
    *is_full = true;
    free(block);
    return NULL;
}

static void add_locked(struct tw_pool *pool, size_t number, struct tw_pool_block *block)
{
    block->next = NULL;
    *(pool->first[number] ? &pool->last[number]->next : &pool->first[number]) = block;
    pool->last[number] = block;
    pool->bytes += block->bytes;
}

/* Adds a hold, which is later than those of the same in-order task queue. Where no more fit, the queue that the block
   was allocated for has both: the former ones are its own. */
static void add_hold_locked(struct tw_pool_block *block, struct tw_pool_hold hold)
{
    struct tw_pool_hold *const holds = block->holds;
    if (!hold.after)
        return;
    if (holds[0].after && holds[1].after)
        release_hold_locked(&holds[1]);
    if (holds[0].after && hold.queue && holds[0].queue == hold.queue)
        release_hold_locked(&holds[0]);
    if (holds[0].after)
        holds[1] = holds[0];
    holds[0] = hold;
}

void tw_pool_give(struct tw_device *device, struct tw_pool_block *block, struct tw_pool_hold hold)
{
    tw_lock();
    (void)is_free_locked(block, 0);
    add_hold_locked(block, hold);
    (void)is_free_locked(block, 0);
    add_locked(device->pool, number_of(block->bytes), block);
    tw_unlock();
}

/* ---- the pool ---------------------------------------------------------------------------------------------------- */

/* Takes an unused block of any size, the largest first. */
static struct tw_pool_block *take_any_locked(struct tw_pool *pool)
{
    struct tw_pool_block *block = NULL;
    for (size_t number = SIZES; number-- > 0 && !block;)
        block = take_locked(pool, number, 0);
    return block;
}

bool tw_pool_trim(struct tw_device *device, size_t keep_bytes)
{
    for (bool freed = false;; freed = true) {
        tw_lock();
        struct tw_pool_block *block =
            device->pool && device->pool->bytes > keep_bytes ? take_any_locked(device->pool) : NULL;
        tw_unlock();
        if (!block)
            return freed;
        tw_device_release(device, block->memory);
        free(block);
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
        for (unsigned i = 0; device->pool->first[number] && i < 2 && !after; ++i)
            after = device->pool->first[number]->holds[i].after;
    if (after)
        atomic_fetch_add(&after->references, 1);
    tw_unlock();
    return after;
}

void tw_pool_settle_locked(struct tw_device *device)
{
    for (size_t number = 0; device->pool && number < SIZES; ++number)
        for (struct tw_pool_block *block = device->pool->first[number]; block; block = block->next)
            (void)is_free_locked(block, 0);
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
