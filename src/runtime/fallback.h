/* SPDX-License-Identifier: Apache-2.0 */
/** The fallback of a command: its group, as it was recorded for another queue. */
#ifndef TEAMWORK_RUNTIME_FALLBACK_H
#define TEAMWORK_RUNTIME_FALLBACK_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/lower/kernel/launch.h>

#include "base/failure.h"
#include "task_queue.h"

/* A pointer in the block of a part of a launch, which leads into a buffer. */
struct tw_fallback_pointer {
    size_t at; /* in the block */
    struct tw_data *data;
    size_t offset; /* bytes from the buffer's first element */
};

struct tw_fallback {
    struct tw_task_queue *queue;             /* counted */
    const struct tw_internal_kernel *kernel; /* NULL: the command has a step, which is the same there */
    struct tw_internal_launch launch;
    struct tw_internal_bounds *bounds; /* owned, or NULL */
    bool taken;                        /* the command runs, or has run, on the fallback's device */
    bool kernel_has_run;               /* on the first device, perhaps in part */
    bool scattered;                    /* when it was submitted, parts of its buffers were in several places, or
                                          a device used the host's memory for one of them */
    size_t first_space;                /* the first device's memory space */
    /* the first error, once taken; reported if the fallback fails too */
    tw_status status;
    struct tw_failure *failure; /* counted */
    bool cancelled;
    struct tw_edge *edges; /* owned, once taken; from other commands' copies that the command waits for */
    size_t space_count;
    bool is_part; /* of a launch, or of its buffers: it runs in memory of its own, to which these pointers lead then */
    size_t pointer_count;
    struct tw_fallback_pointer *pointers; /* owned */
    /* behind the arguments */
    bool *held;     /* for each use and memory space: it holds the contents that the command needs */
    bool *expected; /* for each use, once taken: others have the contents on queue->device, unless a copy fails */
    _Alignas(64) unsigned char args[];
};

/* Returns true if a command's fallback, which may be NULL, runs or has run it. */
static inline bool tw_fallback_is_taken(const struct tw_fallback *fallback)
{
    return fallback && fallback->taken;
}

/* A group as it was recorded for the fallback queue. The fallback takes over `bounds`. A part of a divided launch has none:
   its block leads to those of its command. */
struct tw_fallback_record {
    const struct tw_internal_kernel *kernel;
    const struct tw_internal_launch *launch;
    struct tw_internal_bounds *bounds;
    const void *args;
    size_t args_bytes, use_count;
    bool is_part; /* of a launch, or of its buffers; only then there are: */
    const struct tw_fallback_pointer *pointers;
    size_t pointer_count;
};

/* Makes a fallback, which retains `queue`; NULL if memory is exhausted. Called without the lock. */
struct tw_fallback *tw_fallback_create(struct tw_task_queue *queue, const struct tw_fallback_record *record);
void tw_fallback_free_locked(struct tw_fallback *fallback);

#endif
