/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Staged copies: several threads copy host memory, part by part, between a program's memory and a page-locked stage,
 * while the bus empties or fills other parts. One thread reaches a fifth of the speed of a GPU's bus. Knows no device.
 *
 * The threads are started with the first large copy. After a part they poll for the next one for a fraction of a
 * millisecond, since the parts of a transfer follow each other closely; then they sleep.
 */
#ifndef TEAMWORK_STAGED_COPY_H
#define TEAMWORK_STAGED_COPY_H

#include <stdbool.h>
#include <stddef.h>

#define TW_STAGED_COPY_SLICE_BYTES ((size_t)32 << 10) /* the most that a thread copies at a time */
#define TW_STAGED_COPY_SLOTS 8u

enum tw_staged_copy_answer { TW_STAGED_COPY_LATER, TW_STAGED_COPY_NOW, TW_STAGED_COPY_NEVER };

/* A copy in parts. The thread that runs the copy calls its functions. */
struct tw_staged_copy_job {
    unsigned char *memory; /* the program's memory: the first row of `bytes` in all */
    unsigned char *stage; /* contiguous slots of `part_bytes`; part p has slot p % slots; rows are back to back there */
    bool to_stage;        /* the direction: to the stage, or from it */
    size_t bytes;
    size_t row_bytes, rows, pitch, plane; /* of the program's memory, as in tw_backend_copy; row_bytes may be `bytes` */
    size_t part_bytes;                    /* of each part but the last; a multiple of TW_STAGED_COPY_SLICE_BYTES */
    unsigned slots;                       /* 1 to TW_STAGED_COPY_SLOTS */
    /* Returns TW_STAGED_COPY_NOW if a part may be copied: the bus has emptied its slot, or filled it with the part.
       Called in the order of parts, after `copied` for the slot's part before. May wait if `nothing_else` is to be
       done. TW_STAGED_COPY_NEVER ends the copy. */
    enum tw_staged_copy_answer (*may_copy)(void *user, size_t part, bool nothing_else);
    /* Called when a part was copied, in the order of parts. Returning false ends the copy. */
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

/* Runs a copy. Returns false if it was ended early. Several threads may call it at once, and share the copy threads. */
bool tw_staged_copy_run(const struct tw_staged_copy_job *job);

/* Sets the number of copy threads that the first large copy starts; by default, with the calling thread, three for
   every four processors. For tests. */
void tw_staged_copy_set_helpers(unsigned helpers);

/* Ends the copy threads. No copy runs meanwhile. */
void tw_staged_copy_close(void);

#endif
