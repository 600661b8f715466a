/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of commands, which a queue keeps for its later commands. Knows no command and no queue.
 *
 * The submitting thread allocates a command, and the thread that runs it frees it, under the lock. malloc is slow at
 * that: it returns pages to the system and asks for them again. All kept blocks of a queue have one size, that of its
 * largest command so far. A list has their addresses, so they are not touched: they are in the cache of the thread that
 * freed them. All queues together keep a limited amount.
 */
#include "memory.h"

#include <stdlib.h>

#include "tuning.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

#define STEP_BYTES ((size_t)64)      /* sizes are multiples of this */
#define MOST_BYTES ((size_t)4096)    /* larger blocks are not kept */
#define MOST_KEPT ((size_t)16 << 20) /* bytes, all queues together */

static size_t kept_bytes; /* under the lock */

bool tw_memory_suffices(struct tw_memory *memory, size_t bytes)
{
    if (memory->bytes >= bytes)
        return true;
    free(memory->block);
    bytes = bytes > memory->least ? bytes : memory->least;
    memory->bytes = (bytes + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
    memory->block = malloc(memory->bytes);
    if (!memory->block)
        memory->bytes = 0;
    return memory->block;
}

void *tw_list_with_room(void *list, size_t count, size_t *room, size_t element_bytes)
{
    if (count < *room)
        return list;
    const size_t wanted = 2 * *room + 16;
    void *grown = realloc(list, wanted * element_bytes);
    if (grown)
        *room = wanted;
    return grown;
}

/* Makes room in the list for one more block. Returns false if the block is not to be kept. */
static bool has_room(struct tw_kept_memory *kept)
{
    if (!TW_TUNE_KEPT_MEMORY || kept_bytes + kept->bytes > MOST_KEPT)
        return false;
    void **blocks = tw_list_with_room(kept->blocks, kept->count, &kept->room, sizeof *blocks);
    if (!blocks)
        return false;
    kept->blocks = blocks;
    return true;
}

void tw_memory_keep_locked(struct tw_kept_memory *kept, struct tw_memory memory)
{
    if (memory.bytes > kept->bytes && memory.bytes <= MOST_BYTES) {
        tw_memory_drop_locked(kept);
        kept->bytes = memory.bytes;
    }
    if (memory.bytes != kept->bytes || !has_room(kept)) {
        free(memory.block);
        return;
    }
    kept->blocks[kept->count++] = memory.block;
    kept_bytes += memory.bytes;
    ASAN_POISON_MEMORY_REGION(memory.block, memory.bytes);
}

struct tw_memory tw_memory_take_locked(struct tw_kept_memory *kept)
{
    if (!kept->count)
        return (struct tw_memory){.least = kept->bytes};
    void *block = kept->blocks[--kept->count];
    kept_bytes -= kept->bytes;
    ASAN_UNPOISON_MEMORY_REGION(block, kept->bytes);
    return (struct tw_memory){.block = block, .bytes = kept->bytes};
}

void tw_memory_drop_locked(struct tw_kept_memory *kept)
{
    while (kept->count)
        free(tw_memory_take_locked(kept).block);
    free(kept->blocks);
    kept->blocks = NULL;
    kept->room = 0;
}
