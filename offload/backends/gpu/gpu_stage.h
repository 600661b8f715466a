/* SPDX-License-Identifier: Apache-2.0 */
/** Copies between pageable host memory and a GPU's through a page-locked stage, in parts (staged_copy.h). */
#ifndef TEAMWORK_OFFLOAD_GPU_STAGE_H
#define TEAMWORK_OFFLOAD_GPU_STAGE_H

#include <pthread.h>

#include "backend.h"
#include "staged_copy.h"

#define TW_GPU_DIRECT_BYTES ((size_t)16 << 10) /* the largest copy that a driver does as well without a stage */
#define TW_GPU_SMALL_STAGE_BYTES ((size_t)768 << 10)
#define TW_GPU_LARGE_STAGE_BYTES ((size_t)24 << 20)

/* Returns the size of the stage for a copy of so many bytes: one of two. */
size_t tw_gpu_stage_bytes(size_t bytes);

/* A stage; a backend's own begins with one. */
struct tw_gpu_stage {
    struct tw_gpu_stage *next; /* in the device's list of idle stages */
    unsigned char *memory;     /* page-locked */
    size_t bytes;
};

/* Takes a stage of that size from a list that a mutex protects. NULL: there is none. And the opposite. */
struct tw_gpu_stage *tw_gpu_stage_take(pthread_mutex_t *mutex, struct tw_gpu_stage **idle, size_t stage_bytes);
void tw_gpu_stage_give(pthread_mutex_t *mutex, struct tw_gpu_stage **idle, struct tw_gpu_stage *stage);

/* Frees all stages of a list. */
void tw_gpu_stages_free(struct tw_gpu_stage **idle, void (*free_stage)(struct tw_gpu_stage *stage));

/* Returns true if the host's side of a copy begins and ends in page-locked memory. */
bool tw_gpu_is_locked(const struct tw_backend_copy *copy, bool (*is_locked_at)(const unsigned char *memory));

/* How a backend uses a stage. A function that fails ends the copy. */
struct tw_gpu_stage_use {
    bool (*enqueue)(void *user, const struct tw_backend_copy *piece); /* between the stage and the device; joined */
    bool (*mark)(void *user, size_t slot);                            /* notes what was enqueued for a slot so far */
    /* Returns TW_STAGED_COPY_NOW if what was marked last for a slot is over; waits for that if it may. */
    enum tw_staged_copy_answer (*ask)(void *user, size_t slot, bool may_wait);
};

/* Copies joined rows between host memory and a device. The last parts may still be in flight when it returns. Returns false
   if a function has failed. */
bool tw_gpu_stage_copy(const struct tw_gpu_stage *stage, const struct tw_backend_copy *copy,
                       const struct tw_gpu_stage_use *use, void *user);

#endif
