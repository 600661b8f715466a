/* SPDX-License-Identifier: Apache-2.0 */
/** Lists that grow, and memory of commands, which a queue keeps for its later commands. */
#ifndef TEAMWORK_BASE_MEMORY_H
#define TEAMWORK_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "tuning.h"

#define TW_CACHE_LINE 64

/* A block from malloc(), or none. */
struct tw_memory {
    void *block;
    size_t bytes;
    size_t least; /* minimum size of a block that replaces it */
};

/* Blocks of one size, for commands of a queue. */
struct tw_kept_memory {
    void **blocks;
    size_t count, room;
    size_t bytes; /* size of each: the most that a command of the queue has needed */
};

/* Returns a list with room for one more element than it has: itself, or if it is full its successor, with another
   `room`. Returns NULL, and leaves both as they are, if memory is exhausted. */
void *tw_list_with_room(void *list, size_t count, size_t *room, size_t element_bytes);

/* Replaces memory that is too small. Returns false if memory is exhausted. Called without the lock. */
bool tw_memory_suffices(struct tw_memory *memory, size_t bytes);
/* Keeps a block or frees it. */
void tw_memory_keep_locked(struct tw_kept_memory *kept, struct tw_memory memory);
/* Takes a kept block, or none if there is none. */
struct tw_memory tw_memory_take_locked(struct tw_kept_memory *kept);
void tw_memory_drop_locked(struct tw_kept_memory *kept);
/* Prefetches a command's memory into the cache of this processor. Otherwise its next use, mostly under the lock, would
   wait for one line after the other. NULL and freed memory do no harm. Inline: a constant size needs no loop. */
static inline void tw_memory_fetch(const void *block, size_t bytes)
{
    for (size_t at = 0; TW_TUNE_FETCHED_MEMORY && block && at < bytes; at += TW_CACHE_LINE)
        __builtin_prefetch((const unsigned char *)block + at, 1);
}

#endif
