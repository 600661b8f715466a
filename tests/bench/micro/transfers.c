/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies: between the host and a device, between two devices, and beside kernels. A group without a kernel brings data
 * to its device, a host accessor brings it home. Also which sizes are measured, on all sides.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/bench_teamwork.h"
#include "micro.h"

/* ---- kernels ----------------------------------------------------------------------------------------------- */

struct count_up {
    void *x; /* of a buffer of bytes */
};
static inline void count_up(const struct count_up *k)
{
    ++*(unsigned *)k->x;
}
TW_SINGLE_TASK(count_up);

/* As much arithmetic on each element as asked for; adds `work` to it, exactly. */
struct grind {
    void *x; /* floats, of a buffer of bytes */
    float one;
    unsigned work;
};
static inline void grind(tw_item item, const struct grind *k)
{
    const size_t i = tw_global_id(item, 0);
    const float one = k->one;
    float x = ((const float *)k->x)[i];
    for (unsigned step = 0; step < k->work; ++step)
        x = x * one + one;
    ((float *)k->x)[i] = x;
}
TW_RANGE_KERNEL(grind, 1);

/* ---- one buffer ---------------------------------------------------------------------------------------------- */

struct state {
    tw_buffer *buffer;
    tw_queue *other; /* on another device */
    unsigned char *memory;
    bool pinned;
    unsigned value; /* what the last word is */
};

static bool open_over(struct micro_job *job, bool pinned)
{
    struct state *s = calloc(1, sizeof *s);
    job->state = s;
    if (!s)
        return false;
    s->pinned = pinned;
    s->memory = pinned ? tw_malloc_host(job->bytes) : malloc(job->bytes);
    if (!s->memory)
        return false;
    memset(s->memory, 0, job->bytes);
    return bench_passed(tw_buffer_create_over(s->memory, 1, tw_range_1d(job->bytes), &s->buffer));
}

static bool open_pageable(struct micro_job *job)
{
    return open_over(job, false);
}

static bool open_pinned(struct micro_job *job)
{
    return open_over(job, true);
}

/* The host memory is the library's own. */
static bool open_own(struct micro_job *job)
{
    tw_host_accessor *accessor = NULL;
    struct state *s = calloc(1, sizeof *s);
    job->state = s;
    if (!s || !bench_passed(tw_buffer_create(1, tw_range_1d(job->bytes), &s->buffer))
        || !bench_passed(tw_host_access(s->buffer, TW_DISCARD_WRITE, &accessor)))
        return false;
    memset(tw_host_accessor_data(accessor), 0, job->bytes);
    tw_host_accessor_release(&accessor);
    return true;
}

static bool close_state(struct micro_job *job)
{
    struct state *s = job->state;
    if (!s)
        return false;
    bool right = bench_passed(tw_buffer_destroy(&s->buffer));
    right = bench_passed(tw_queue_destroy(&s->other)) && right;
    if (s->pinned)
        tw_free_host(s->memory);
    else
        free(s->memory);
    free(s);
    return right;
}

/* Reads the last word on the host. */
static bool last_word_is(const struct state *s, size_t bytes, unsigned value)
{
    tw_host_accessor *accessor = NULL;
    unsigned last = 0;
    if (!bench_passed(tw_host_access(s->buffer, TW_READ, &accessor)))
        return false;
    memcpy(&last, (const unsigned char *)tw_host_accessor_const_data(accessor) + bytes - sizeof last, sizeof last);
    tw_host_accessor_release(&accessor);
    if (last != value)
        fprintf(stderr, "the last of %zu bytes came as %u instead of %u\n", bytes, last, value);
    return last == value;
}

/* Lets a kernel on a queue's device count the last word up. */
static bool count_up_on(tw_queue *queue, struct state *s, size_t bytes)
{
    tw_command_group *cg = tw_queue_begin(queue);
    unsigned char *data = tw_read_write(cg, s->buffer);
    tw_single_task(cg, count_up, .x = data + bytes - sizeof(unsigned));
    ++s->value;
    return bench_passed(tw_queue_submit(queue, cg, NULL)) && bench_passed(tw_queue_wait(queue));
}

/* Brings the buffer to a queue's device. */
static bool bring_to(tw_queue *queue, tw_buffer *buffer)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_read(cg, buffer);
    return tw_queue_submit(queue, cg, NULL) == TW_SUCCESS && tw_queue_wait(queue) == TW_SUCCESS;
}

static bool sample_send(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    tw_host_accessor *accessor = NULL;
    if (!bench_passed(tw_host_access(s->buffer, TW_WRITE, &accessor)))
        return false;
    ++s->value;
    memcpy((unsigned char *)tw_host_accessor_data(accessor) + job->bytes - sizeof s->value, &s->value, sizeof s->value);
    tw_host_accessor_release(&accessor);
    const double start = bench_now();
    const bool done = bring_to(bench_queue(), s->buffer);
    *value = (bench_now() - start) * 1e6;
    return done && count_up_on(bench_queue(), s, job->bytes) && last_word_is(s, job->bytes, s->value);
}

static bool sample_fetch(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    tw_host_accessor *accessor = NULL;
    if (!count_up_on(bench_queue(), s, job->bytes))
        return false;
    const double start = bench_now();
    const bool done = tw_host_access(s->buffer, TW_READ, &accessor) == TW_SUCCESS;
    tw_host_accessor_release(&accessor);
    *value = (bench_now() - start) * 1e6;
    return done && last_word_is(s, job->bytes, s->value);
}

/* ---- two devices ----------------------------------------------------------------------------------------------- */

/* Another device of the same kind; NULL if there is none. */
static tw_device *other_device(void)
{
    tw_device *devices[64], *first = tw_queue_device(bench_queue());
    size_t count = 0;
    if (tw_platform_get_devices(tw_device_platform(first), devices, 64, &count) != TW_SUCCESS)
        return NULL;
    for (size_t i = 0; i < count && i < 64; ++i)
        if (devices[i] != first)
            return devices[i];
    return NULL;
}

static bool open_migration(struct micro_job *job)
{
    if (!open_own(job))
        return false;
    struct state *s = job->state;
    return bench_passed(tw_queue_create_on_device(other_device(), NULL, NULL, &s->other));
}

static bool sample_migrate(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    if (!count_up_on(bench_queue(), s, job->bytes))
        return false;
    const double start = bench_now();
    const bool done = bring_to(s->other, s->buffer);
    *value = (bench_now() - start) * 1e6;
    return done && count_up_on(s->other, s, job->bytes);
}

static bool close_migration(struct micro_job *job)
{
    struct state *s = job->state;
    const bool right = s && s->other && last_word_is(s, job->bytes, s->value);
    return close_state(job) && right;
}

/* ---- copies beside kernels --------------------------------------------------------------------------------------- */

struct chunks {
    struct state **of;
    size_t count;
    float added; /* to every element, so far */
};

static bool close_chunks(struct micro_job *job)
{
    struct chunks *chunks = job->state;
    bool right = chunks && chunks->of && chunks->count == job->count;
    for (size_t i = 0; chunks && i < chunks->count; ++i) {
        tw_host_accessor *accessor = NULL;
        struct micro_job each = {.bytes = job->bytes, .state = chunks->of[i]};
        if (bench_passed(tw_host_access(chunks->of[i]->buffer, TW_READ, &accessor))) {
            const float *x = tw_host_accessor_const_data(accessor);
            right = right && x[0] == chunks->added && x[job->bytes / sizeof *x - 1] == chunks->added;
        } else {
            right = false;
        }
        tw_host_accessor_release(&accessor);
        right = close_state(&each) && right;
    }
    if (chunks)
        free(chunks->of);
    free(chunks);
    return right;
}

static bool open_chunks(struct micro_job *job, bool pinned)
{
    struct chunks *chunks = calloc(1, sizeof *chunks);
    job->state = chunks;
    if (!chunks || !(chunks->of = calloc(job->count, sizeof(struct state *))))
        return false;
    while (chunks->count < job->count) {
        struct micro_job each = {.bytes = job->bytes};
        const bool opened = open_over(&each, pinned);
        if (!each.state)
            return false;
        chunks->of[chunks->count] = each.state;
        if (!opened) {
            close_state(&each);
            return false;
        }
        ++chunks->count;
    }
    return true;
}

static bool open_pageable_chunks(struct micro_job *job)
{
    return open_chunks(job, false);
}

static bool open_pinned_chunks(struct micro_job *job)
{
    return open_chunks(job, true);
}

static bool send_chunk(tw_buffer *buffer)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_read(cg, buffer);
    return bench_passed(tw_queue_submit(bench_queue(), cg, NULL));
}

static bool compute_chunk(tw_buffer *buffer, const struct micro_job *job)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, tw_range_1d(job->bytes / sizeof(float)), grind, .x = tw_read_write(cg, buffer), .one = 1.0f,
                    .work = job->work);
    return bench_passed(tw_queue_submit(bench_queue(), cg, NULL));
}

/* With reading and writing, so that the device's copy is no longer valid. */
static bool fetch_chunk(tw_buffer *buffer)
{
    tw_host_accessor *accessor = NULL;
    const bool done = bench_passed(tw_host_access(buffer, TW_READ_WRITE, &accessor));
    tw_host_accessor_release(&accessor);
    return done;
}

static bool send_all(const struct chunks *chunks)
{
    bool done = true;
    for (size_t i = 0; i < chunks->count; ++i)
        done = send_chunk(chunks->of[i]->buffer) && done;
    return bench_passed(tw_queue_wait(bench_queue())) && done;
}

static bool compute_all(struct chunks *chunks, const struct micro_job *job)
{
    bool done = true;
    for (size_t i = 0; i < chunks->count; ++i)
        done = compute_chunk(chunks->of[i]->buffer, job) && done;
    chunks->added += (float)job->work;
    return bench_passed(tw_queue_wait(bench_queue())) && done;
}

static bool fetch_all(const struct chunks *chunks)
{
    bool done = true;
    for (size_t i = 0; i < chunks->count; ++i)
        done = fetch_chunk(chunks->of[i]->buffer) && done;
    return done;
}

static bool sample_pipelined(const struct micro_job *job, double *value)
{
    struct chunks *chunks = job->state;
    bool done = true;
    const double start = bench_now();
    for (size_t i = 0; i < chunks->count; ++i)
        done = compute_chunk(chunks->of[i]->buffer, job) && done;
    done = fetch_all(chunks) && done;
    *value = (bench_now() - start) * 1e6;
    chunks->added += (float)job->work;
    return done;
}

/* The three parts of it one after the other; which of them is timed: -1 for all. */
static bool sample_parts(const struct micro_job *job, int part, double *value)
{
    double at[4];
    at[0] = bench_now();
    bool done = send_all(job->state);
    at[1] = bench_now();
    done = compute_all(job->state, job) && done;
    at[2] = bench_now();
    done = fetch_all(job->state) && done;
    at[3] = bench_now();
    *value = (part < 0 ? at[3] - at[0] : at[part + 1] - at[part]) * 1e6;
    return done;
}

static bool sample_one_by_one(const struct micro_job *job, double *value)
{
    return sample_parts(job, -1, value);
}

static bool sample_sending(const struct micro_job *job, double *value)
{
    return sample_parts(job, 0, value);
}

static bool sample_computing(const struct micro_job *job, double *value)
{
    return sample_parts(job, 1, value);
}

static bool sample_fetching(const struct micro_job *job, double *value)
{
    return sample_parts(job, 2, value);
}

/* ---- entries ------------------------------------------------------------------------------------------------- */

static const struct micro_entry entries[] = {
    {MICRO_SEND, "Teamwork", "pageable", 0, open_pageable, sample_send, close_state, false},
    {MICRO_SEND, "Teamwork", "library's memory", 0, open_own, sample_send, close_state, false},
    {MICRO_SEND, "Teamwork", "pinned", 0, open_pinned, sample_send, close_state, false},
    {MICRO_FETCH, "Teamwork", "pageable", 0, open_pageable, sample_fetch, close_state, false},
    {MICRO_FETCH, "Teamwork", "library's memory", 0, open_own, sample_fetch, close_state, false},
    {MICRO_FETCH, "Teamwork", "pinned", 0, open_pinned, sample_fetch, close_state, false},
    {MICRO_MIGRATE, "Teamwork", "", 0, open_migration, sample_migrate, close_migration, false},
    {MICRO_OVERLAP, "Teamwork", "pageable", 0, open_pageable_chunks, sample_pipelined, close_chunks, false},
    {MICRO_OVERLAP, "Teamwork", "one by one, pageable", 0, open_pageable_chunks, sample_one_by_one, close_chunks,
     false},
    {MICRO_OVERLAP, "Teamwork", "send, pageable", 0, open_pageable_chunks, sample_sending, close_chunks, false},
    {MICRO_OVERLAP, "Teamwork", "compute, pageable", 0, open_pageable_chunks, sample_computing, close_chunks, false},
    {MICRO_OVERLAP, "Teamwork", "fetch, pageable", 0, open_pageable_chunks, sample_fetching, close_chunks, false},
    {MICRO_OVERLAP, "Teamwork", "pinned", 0, open_pinned_chunks, sample_pipelined, close_chunks, false},
    {MICRO_OVERLAP, "Teamwork", "one by one, pinned", 0, open_pinned_chunks, sample_one_by_one, close_chunks, false},
    {MICRO_OVERLAP, "Teamwork", "send, pinned", 0, open_pinned_chunks, sample_sending, close_chunks, false},
    {MICRO_OVERLAP, "Teamwork", "compute, pinned", 0, open_pinned_chunks, sample_computing, close_chunks, false},
    {MICRO_OVERLAP, "Teamwork", "fetch, pinned", 0, open_pinned_chunks, sample_fetching, close_chunks, false},
};
const struct micro_entries micro_transfers = {entries, sizeof entries / sizeof entries[0], NULL};

/* ---- the sizes ----------------------------------------------------------------------------------------------- */

#define MEBI ((size_t)1 << 20)

static bool run_bytes(size_t bytes)
{
    const struct micro_job job = {.bytes = bytes};
    char parameter[64];
    snprintf(parameter, sizeof parameter, "bytes=%zu", bytes);
    bool right = micro_measure(MICRO_SEND, parameter, &job);
    right = micro_measure(MICRO_FETCH, parameter, &job) && right;
    return (!other_device() || micro_measure(MICRO_MIGRATE, parameter, &job)) && right;
}

/* The work that makes kernels take as long as the slower of the copies: where overlapping saves most. */
static unsigned balanced_work(struct micro_job job, const char *kind)
{
    enum { TRIAL = 64, MOST = 200000 };
    double send = 0, compute = 0, first = 0, fetch = 0;
    job.work = TRIAL;
    const bool done = open_chunks(&job, strcmp(kind, "pinned") == 0) && sample_computing(&job, &first)
                      && sample_sending(&job, &send) && sample_fetching(&job, &fetch)
                      && sample_computing(&job, &compute);
    close_chunks(&job);
    if (!done || compute <= 0)
        return TRIAL;
    const double work = TRIAL * (send > fetch ? send : fetch) / compute;
    return work < 1 ? 1 : work > MOST ? MOST : (unsigned)work;
}

static void note_efficiency(const char *side, const char *kind)
{
    const char *const parts[] = {"send", "compute", "fetch"};
    double ideal = 0;
    for (size_t i = 0; i < 3; ++i) {
        char variant[64];
        snprintf(variant, sizeof variant, "%s, %s", parts[i], kind);
        const double part = micro_value(MICRO_OVERLAP, side, variant);
        ideal = part > ideal ? part : ideal;
    }
    const double real = micro_value(MICRO_OVERLAP, side, kind);
    if (real > 0 && ideal > 0)
        micro_note("%s, %s memory: the longest part takes %.0f %% of the pipeline", side, kind, 100 * ideal / real);
}

static bool run_overlap(void)
{
    const bool gpu = bench_on_gpu() && !micro_options.quick;
    struct micro_job job = {.count = micro_options.quick ? 4 : 16, .bytes = gpu ? 32 * MEBI : MEBI / 4};
    char parameter[64];
    if (!micro_wanted(MICRO_OVERLAP))
        return true;
    job.work = balanced_work(job, bench_on_gpu() ? "pinned" : "pageable");
    snprintf(parameter, sizeof parameter, "chunks=%zu bytes=%zu work=%u", job.count, job.bytes, job.work);
    const bool right = micro_measure(MICRO_OVERLAP, parameter, &job);
    note_efficiency("Teamwork", "pageable");
    note_efficiency("Teamwork", "pinned");
    note_efficiency("CUDA", "pinned");
    return right;
}

bool micro_run_transfers(void)
{
    if (bench_on_host())
        return true; /* it works on host memory itself */
    const size_t largest = micro_options.quick ? MEBI / 64 : bench_on_gpu() ? 1024 * MEBI : 16 * MEBI;
    const bool right = micro_sizes(4, 16, largest, run_bytes);
    return run_overlap() && right;
}
