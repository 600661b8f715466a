/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The pool of a device: memory that the program has freed in a queue's order (tw_free_async()), and that is allocated
 * again without asking the device. All functions are thread safe, and called without the lock.
 */
#ifndef TEAMWORK_RUNTIME_POOL_H
#define TEAMWORK_RUNTIME_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tw_command;
struct tw_device;

/* Why a block is in use though it was freed. */
struct tw_pool_hold {
    struct tw_command *after; /* counted: until it is complete; NULL: it is not in use */
    uint64_t queue;           /* number of the in-order task queue whose later commands come after it; 0: of none */
};

/* A piece of a device's memory, in the pool or allocated. While it is allocated, `holds` has what used it before: only
   the queue that it was allocated for comes after that. */
struct tw_pool_block {
    struct tw_pool_block *next; /* in the pool: of the same size, freed later */
    void *memory;
    size_t bytes;                 /* as tw_pool_bytes() rounds them */
    struct tw_pool_hold holds[2]; /* the latest first */
};

/* Returns the size of the block for an allocation: at most an eighth more. 0: there are no so large ones. */
size_t tw_pool_bytes(size_t bytes);
/* Takes a block that nothing uses any more but what comes before in the in-order task queue with a number; 0: of none.
   Returns NULL if there is none. */
struct tw_pool_block *tw_pool_take(struct tw_device *device, size_t bytes, uint64_t queue);
/* Makes a block. Returns NULL if there is no memory; `*is_full` says whether the device has none. */
struct tw_pool_block *tw_pool_make(struct tw_device *device, size_t bytes, bool *is_full);
/* Gives a block to the pool. It is in use as `hold` says, which the pool takes over, and as long as it was before. */
void tw_pool_give(struct tw_device *device, struct tw_pool_block *block, struct tw_pool_hold hold);
/* Frees unused blocks until the pool has at most so many bytes. Returns true if it freed any. */
bool tw_pool_trim(struct tw_device *device, size_t keep_bytes);
/* Frees unused objects of the library, and all unused blocks. Returns true if any. The device may be NULL. */
bool tw_pool_make_room(struct tw_device *device);
/* Returns a command, with a reference, that keeps a block in use; NULL if there is none. */
struct tw_command *tw_pool_next_unused(struct tw_device *device);
/* Releases the commands that are complete: they keep their queues. */
void tw_pool_settle_locked(struct tw_device *device);
/* Returns the bytes of all blocks in the pool. */
size_t tw_pool_size(const struct tw_device *device);
/* Frees all blocks in the pool. No command is unfinished any more. */
void tw_pool_close(struct tw_device *device);

#endif
