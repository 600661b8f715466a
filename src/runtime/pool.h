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

/* A piece of a device's memory. */
struct tw_pool_block {
    void *memory;
    size_t bytes; /* as tw_pool_bytes() rounds them */
};

/* Returns the size of the block for an allocation: at most an eighth more. 0: there are no so large ones. */
size_t tw_pool_bytes(size_t bytes);
/* Takes a block that nothing uses any more, or that the in-order task queue with a number has freed: what comes later in
   that may use it. 0: of no task queue. Returns NULL if there is none. */
void *tw_pool_take(struct tw_device *device, size_t bytes, uint64_t queue);
/* Gives a block to the pool. It is in use until `after` is complete, with a reference that the pool takes over; NULL: it
   is unused. `queue` as for tw_pool_take(). Returns false if memory is exhausted. */
bool tw_pool_give(struct tw_device *device, struct tw_pool_block block, uint64_t queue, struct tw_command *after);
/* Frees unused blocks until the pool has at most so many bytes. Returns true if it freed any. */
bool tw_pool_trim(struct tw_device *device, size_t keep_bytes);
/* Frees unused objects of the library, and all unused blocks. Returns true if there were any. The device may be NULL. */
bool tw_pool_make_room(struct tw_device *device);
/* Returns a command, with a reference, with which a block becomes unused; NULL if there is none. */
struct tw_command *tw_pool_next_unused(struct tw_device *device);
/* Releases the commands that are complete: they keep their queues. */
void tw_pool_settle_locked(struct tw_device *device);
/* Returns the bytes of all blocks. */
size_t tw_pool_size(const struct tw_device *device);
/* Frees all blocks. No command is unfinished any more. */
void tw_pool_close(struct tw_device *device);

#endif
