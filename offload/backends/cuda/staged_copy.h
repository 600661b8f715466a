/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Copying host memory with several threads, part by part, between a program's memory and a stage that a bus empties or
 * fills meanwhile: one thread reaches a fifth of what a GPU's bus takes.
 *
 * The threads are started with the first large copy. After a part they look for the next one for a fraction of a
 * millisecond, since the parts of a transfer follow each other closely, and sleep then.
 */
#ifndef TEAMWORK_COPIER_H
#define TEAMWORK_COPIER_H

#include <stdbool.h>
#include <stddef.h>

#define TW_STAGED_COPY_SLICE_BYTES ((size_t)32 << 10) /* the most that a thread takes at a time */
#define TW_STAGED_COPY_SLOTS 8u

enum tw_staged_copy_answer { TW_STAGED_COPY_LATER, TW_STAGED_COPY_NOW, TW_STAGED_COPY_NEVER };

/* A copy in parts. The functions are called by the thread whose copy it is. */
struct tw_staged_copy_job {
    unsigned char *memory; /* of the program: `bytes` */
    unsigned char *stage;  /* part p has the slot p % slots; slots follow each other */
    bool to_stage;         /* or from there */
    size_t bytes;
    size_t part_bytes; /* but for the last one; a multiple of TW_STAGED_COPY_SLICE_BYTES */
    unsigned slots;    /* 1 to TW_STAGED_COPY_SLOTS */
    /* Whether a part may be copied: its slot is free, or has it. Asked in the order of parts, after the part before it
       in its slot was `copied`. May wait if `nothing_else` is to be done. TW_STAGED_COPY_NEVER: the copy is given up.
       */
    enum tw_staged_copy_answer (*may_copy)(void *user, size_t part, bool nothing_else);
    /* A part was copied; in the order of parts. False: the copy is given up. */
    bool (*copied)(void *user, size_t part);
    void *user;
};

static inline size_t tw_staged_copy_parts(const struct tw_staged_copy_job *job)
{
    return (job->bytes + job->part_bytes - 1) / job->part_bytes;
}

static inline size_t tw_staged_copy_bytes_of(const struct tw_staged_copy_job *job, size_t part)
{
    const size_t left = job->bytes - part * job->part_bytes;
    return left < job->part_bytes ? left : job->part_bytes;
}

/* Returns false if the copy was given up. Several threads may call it at once, and share the helpers. */
bool tw_staged_copy_run(const struct tw_staged_copy_job *job);

/* How many helpers to start with the first large copy; else three for every four processors. For tests. */
void tw_staged_copy_set_helpers(unsigned helpers);

/* Ends the threads. Nothing may be copied meanwhile. */
void tw_staged_copy_close(void);

#endif
