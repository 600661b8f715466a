/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A file that grows, and is complete at any moment, however the program ends.
 *
 * Text is written to memory that is the file's own, so it is in the file at once. Behind the text are spaces, up to the
 * end of the parts that are mapped, and so they are between parts. A thread maps parts before they are needed, since that takes as long as writing
 * them. No thread safety: the caller has a lock.
 */
#ifndef TEAMWORK_TRACE_FILE_H
#define TEAMWORK_TRACE_FILE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define TW_TRACE_PART_BYTES ((size_t)512 << 10) /* a multiple of any page */

struct tw_trace_file {
    int descriptor; /* -1: nothing can be written (any more) */
    char *part;     /* the mapped part; NULL: none yet */
    size_t at;      /* where it begins in the file */
    size_t used;    /* bytes of text in it */

    /* the thread that maps the next part */
    bool has_thread;
    pthread_t thread;
    sem_t wanted, ready; /* posted when the next part is to be mapped, and when it is */
    atomic_bool ends;
    char *old;      /* part to unmap; or NULL. Written before `wanted` is posted, as is the next one */
    size_t next_at; /* where the next part begins */
    char *next;     /* written before `ready` is posted: the next part; NULL: `error` says why there is none */
    int error;
};

/* Opens a file, which begins empty. Returns false and sets errno if that is impossible; EWOULDBLOCK: another process
   writes it. */
bool tw_trace_file_open(struct tw_trace_file *file, const char *path);
/* Goes on to the next part. Returns false and sets errno if the file cannot grow. */
bool tw_trace_file_advance(struct tw_trace_file *file);
/* Returns memory for so many bytes behind the text, less than a page. NULL and errno: the file cannot grow. */
static inline char *tw_trace_file_room(struct tw_trace_file *file, size_t bytes)
{
    const bool fits = TW_TRACE_PART_BYTES - file->used >= bytes || tw_trace_file_advance(file);
    return fits ? file->part + file->used : NULL;
}
/* Makes bytes that were written there a part of the text. */
static inline void tw_trace_file_append(struct tw_trace_file *file, size_t bytes)
{
    file->used += bytes;
}
/* Cuts what is behind the text, and closes the file. */
void tw_trace_file_close(struct tw_trace_file *file);

#endif
