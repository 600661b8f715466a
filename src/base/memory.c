/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of commands, kept by their queue for the commands that follow.
 *
 * A command is made by the thread that submits it, and freed by whichever thread runs it, under the lock. malloc is
 * slow at that, and gives back and asks for pages of the system again and again. A queue's blocks all have the same
 * size, that of its largest command so far, and are listed without being touched: they are in the cache of the thread
 * that freed them. All queues together keep a limited amount.
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
#define MOST_KEPT ((size_t)16 << 20) /* bytes, of all queues */

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

/* Makes room to keep one more block. */
static bool has_room(struct tw_kept_memory *kept)
{
    if (!TW_TUNE_KEPT_MEMORY || kept_bytes + kept->bytes > MOST_KEPT)
        return false;
    if (kept->count == kept->room) {
        void **blocks = realloc(kept->blocks, (2 * kept->room + 16) * sizeof *blocks);
        if (!blocks)
            return false;
        kept->blocks = blocks;
        kept->room = 2 * kept->room + 16;
    }
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
