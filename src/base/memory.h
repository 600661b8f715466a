/* SPDX-License-Identifier: Apache-2.0 */
/** Memory of commands, kept for the commands that follow. */
#ifndef TEAMWORK_BASE_MEMORY_H
#define TEAMWORK_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "tuning.h"

#define TW_CACHE_LINE 64

/* A block of malloc's, or none. */
struct tw_memory {
    void *block;
    size_t bytes;
    size_t least; /* so many bytes a block that replaces it is to have */
};

/* Blocks of one size, for commands of a queue. */
struct tw_kept_memory {
    void **blocks;
    size_t count, room;
    size_t bytes; /* of each: the most that any command of the queue has taken */
};

/* Replaces memory that is too small. False: there is none. Without the lock. */
bool tw_memory_suffices(struct tw_memory *memory, size_t bytes);
/* Keeps a block or frees it. */
void tw_memory_keep_locked(struct tw_kept_memory *kept, struct tw_memory memory);
/* Takes a block, or none where none is kept. */
struct tw_memory tw_memory_take_locked(struct tw_kept_memory *kept);
void tw_memory_drop_locked(struct tw_kept_memory *kept);
/* Asks for a command's memory to be brought into the cache of this processor: what is done with it soon, under the lock
   most of all, would wait for one line after the other. NULL and memory that was freed do no harm. Inline: for a number
   of bytes that is known it is no loop. */
static inline void tw_memory_fetch(const void *block, size_t bytes)
{
    for (size_t at = 0; TW_TUNE_FETCHED_MEMORY && block && at < bytes; at += TW_CACHE_LINE)
        __builtin_prefetch((const unsigned char *)block + at, 1);
}

#endif
