/* SPDX-License-Identifier: Apache-2.0 */
/* Staged copies (staged_copy.h): several threads take slices of a copy in order. Helpers are the copy threads. */
#define _GNU_SOURCE
#include "staged_copy.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "backend.h"
#include "base/clock.h"
#include "common/topology.h"
#include "rows.h"

/* The bytes that a thread takes at a time. Copies of up to EARLY_BYTES to the stage are faster with smaller slices:
   more threads take part early. */
#define SLICE_BYTES TW_STAGED_COPY_SLICE_BYTES
#define EARLY_SLICE_BYTES (SLICE_BYTES / 2)
#define EARLY_BYTES (512 * SLICE_BYTES)
#define ALONE_BYTES (16 * SLICE_BYTES) /* the largest copy that gains nothing from helpers */
#define POLL_PAUSES 32                 /* pauses between two calls of may_copy() */
#define MOST_HELPERS 11u
#define JOBS 4u
#define LINGER_NS 300000u

/* A copy shared by several threads. Plain fields are written only while no helper can read them (`helpers` is 0). */
struct job {
    pthread_mutex_t busy; /* held by the thread that runs the copy */
    struct tw_staged_copy_job copy;
    size_t slice_bytes, part_slices; /* the bytes of a slice, and the slices of a part, but for the last ones */
    atomic_bool is_open;
    atomic_uint helpers;       /* the number of helpers that may read the job */
    atomic_size_t next, limit; /* the first slice that is not taken, and the first that may not be copied yet */
    atomic_size_t copied[TW_STAGED_COPY_SLOTS]; /* for each slot, the number of copied slices of its part */
};

static struct {
    struct job jobs[JOBS];
    atomic_uint posted;    /* counts the parts that may be copied */
    pthread_mutex_t mutex; /* protects the members below; helpers sleep with it */
    pthread_cond_t work;
    pthread_t threads[MOST_HELPERS];
    unsigned helpers, sleeping, wanted;
    bool is_set, started, stopping;
} pool = {
#define JOB {.busy = PTHREAD_MUTEX_INITIALIZER}
    .jobs = {JOB, JOB, JOB, JOB},
#undef JOB
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
};

/* Copies `bytes` from the program's memory to the stage, or back. `at` counts the bytes of the rows. */
static void copy_bytes(const struct tw_staged_copy_job *copy, unsigned char *staged, size_t at, size_t bytes)
{
    size_t x = at % copy->row_bytes, row = at / copy->row_bytes;
    while (bytes) {
        unsigned char *memory = copy->memory + x;
        if (row) /* otherwise pitch and plane may have no meaning */
            memory += row / copy->rows * copy->plane + row % copy->rows * copy->pitch;
        const size_t left = copy->rows - row % copy->rows, whole = bytes / copy->row_bytes; /* rows */
        struct tw_backend_copy piece = tw_backend_copy_of(NULL, copy->to_stage ? staged : memory, NULL,
                                                          copy->to_stage ? memory : staged, copy->row_bytes - x);
        if (!x && whole) {
            piece.rows = whole < left ? whole : left;
            piece.source_pitch = copy->to_stage ? copy->pitch : copy->row_bytes;
            piece.target_pitch = copy->to_stage ? copy->row_bytes : copy->pitch;
        } else if (piece.row_bytes > bytes) {
            piece.row_bytes = bytes;
        }
        tw_rows_copy(&piece);
        const size_t copied = piece.row_bytes * piece.rows;
        staged += copied;
        bytes -= copied;
        row += piece.rows;
        x = 0;
    }
}

/* Copies the next slice. Returns false if none may be copied now. */
static bool copy_slice(struct job *job)
{
    const struct tw_staged_copy_job *copy = &job->copy;
    size_t slice = atomic_load_explicit(&job->next, memory_order_relaxed);
    do
        if (slice >= atomic_load_explicit(&job->limit, memory_order_acquire))
            return false;
    while (!atomic_compare_exchange_weak_explicit(&job->next, &slice, slice + 1, memory_order_relaxed,
                                                  memory_order_relaxed));
    const size_t at = slice * job->slice_bytes, slot = slice / job->part_slices % copy->slots;
    const size_t left = copy->bytes - at, bytes = left < job->slice_bytes ? left : job->slice_bytes;
    unsigned char *staged = copy->stage + slot * copy->part_bytes + slice % job->part_slices * job->slice_bytes;
    copy_bytes(copy, staged, at, bytes);
    atomic_fetch_add_explicit(&job->copied[slot], 1, memory_order_release);
    return true;
}

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

/* Waits until a part is posted after those in `*seen`. Returns false if the helpers must end. */
static bool next_post(unsigned *seen)
{
    const uint64_t until = tw_now_ns() + LINGER_NS;
    do {
        for (int i = 0; i < 64; ++i, tw_pause())
            if (atomic_load(&pool.posted) != *seen) {
                *seen = atomic_load(&pool.posted);
                return true;
            }
    } while (tw_now_ns() < until);
    pthread_mutex_lock(&pool.mutex);
    ++pool.sleeping;
    while (!pool.stopping && atomic_load(&pool.posted) == *seen)
        pthread_cond_wait(&pool.work, &pool.mutex);
    --pool.sleeping;
    *seen = atomic_load(&pool.posted);
    const bool goes_on = !pool.stopping;
    pthread_mutex_unlock(&pool.mutex);
    return goes_on;
}

/* Copies one slice of each open copy, so that simultaneous copies share the helpers. Returns true if there was one. */
static bool help_all(void)
{
    bool helped = false;
    for (size_t i = 0; i < JOBS; ++i) {
        struct job *job = &pool.jobs[i];
        if (!atomic_load(&job->is_open))
            continue;
        atomic_fetch_add(&job->helpers, 1);
        if (atomic_load(&job->is_open) && copy_slice(job)) /* it may have ended before this helper was counted */
            helped = true;
        atomic_fetch_sub(&job->helpers, 1);
    }
    return helped;
}

static void *help(void *argument)
{
    unsigned seen = 0;
    (void)argument;
    while (next_post(&seen))
        while (help_all()) {
        }
    return NULL;
}

static void start_once(void)
{
    pthread_mutex_lock(&pool.mutex);
    const unsigned copying = tw_topology_processors() * 3 / 4; /* the calling thread included */
    unsigned wanted = pool.is_set ? pool.wanted : copying ? copying - 1 : 0;
    wanted = wanted > MOST_HELPERS ? MOST_HELPERS : wanted;
    if (!pool.started)
        while (pool.helpers < wanted && pthread_create(&pool.threads[pool.helpers], NULL, help, NULL) == 0)
            ++pool.helpers;
    pool.started = true;
    pthread_mutex_unlock(&pool.mutex);
}

void tw_staged_copy_set_helpers(unsigned helpers)
{
    pthread_mutex_lock(&pool.mutex);
    pool.wanted = helpers;
    pool.is_set = true;
    pthread_mutex_unlock(&pool.mutex);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static void call_helpers(void)
{
    atomic_fetch_add(&pool.posted, 1);
    pthread_mutex_lock(&pool.mutex);
    if (pool.sleeping)
        pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.mutex);
}

static size_t slices_of(const struct job *job, size_t part)
{
    return (tw_staged_copy_bytes_of(&job->copy, part) + job->slice_bytes - 1) / job->slice_bytes;
}

/* Returns true if the slices that may be copied are less than one part: then may_copy() is called for another part. */
static bool is_short(struct job *job)
{
    return atomic_load_explicit(&job->next, memory_order_relaxed) + job->part_slices
           > atomic_load_explicit(&job->limit, memory_order_relaxed);
}

static void copy_or_pause(struct job *job)
{
    if (!copy_slice(job))
        for (int i = 0; i < POLL_PAUSES; ++i)
            tw_pause();
}

/* Copies slices, and calls may_copy() and copied(), until all parts are copied. Returns false if one of these ends the
   copy. */
static bool drive(struct job *job)
{
    const struct tw_staged_copy_job *copy = &job->copy;
    const size_t parts = tw_staged_copy_parts(copy);
    size_t begun = 0, ended = 0;
    while (ended < parts) {
        const size_t slot = ended % copy->slots;
        if (begun > ended && atomic_load_explicit(&job->copied[slot], memory_order_acquire) == slices_of(job, ended)) {
            atomic_store_explicit(&job->copied[slot], 0, memory_order_relaxed);
            if (!copy->copied(copy->user, ended))
                return false;
            ++ended;
            continue;
        }
        if (begun < parts && begun < ended + copy->slots && is_short(job)) {
            const enum tw_staged_copy_answer answer = copy->may_copy(copy->user, begun, begun == ended);
            if (answer == TW_STAGED_COPY_NEVER)
                return false;
            if (answer == TW_STAGED_COPY_NOW) {
                const size_t past = begun * job->part_slices + slices_of(job, begun);
                ++begun;
                atomic_store_explicit(&job->limit, past, memory_order_release);
                if (atomic_load_explicit(&job->is_open, memory_order_relaxed))
                    call_helpers();
                continue;
            }
        }
        copy_or_pause(job);
    }
    return true;
}

static bool run(struct job *job, const struct tw_staged_copy_job *copy, bool with_helpers)
{
    job->copy = *copy;
    job->slice_bytes = copy->to_stage && copy->bytes <= EARLY_BYTES ? EARLY_SLICE_BYTES : SLICE_BYTES;
    job->part_slices = copy->part_bytes / job->slice_bytes;
    atomic_store(&job->next, 0);
    atomic_store(&job->limit, 0);
    for (unsigned slot = 0; slot < TW_STAGED_COPY_SLOTS; ++slot)
        atomic_store(&job->copied[slot], 0);
    atomic_store(&job->is_open, with_helpers);
    const bool all = drive(job);
    atomic_store(&job->limit, 0); /* if the copy ended early, slices are left */
    atomic_store(&job->is_open, false);
    while (atomic_load(&job->helpers))
        tw_pause();
    return all;
}

bool tw_staged_copy_run(const struct tw_staged_copy_job *copy)
{
    struct job *job = NULL, alone;
    if (copy->bytes > ALONE_BYTES) {
        start_once();
        for (size_t i = 0; i < JOBS && !job; ++i)
            if (pthread_mutex_trylock(&pool.jobs[i].busy) == 0)
                job = &pool.jobs[i];
    }
    if (!job) {
        atomic_init(&alone.helpers, 0);
        return run(&alone, copy, false);
    }
    const bool all = run(job, copy, true);
    pthread_mutex_unlock(&job->busy);
    return all;
}

void tw_staged_copy_close(void)
{
    pthread_mutex_lock(&pool.mutex);
    pool.stopping = true;
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.mutex);
    for (unsigned i = 0; i < pool.helpers; ++i)
        pthread_join(pool.threads[i], NULL);
    pool.helpers = 0;
    pool.started = pool.stopping = false;
}
