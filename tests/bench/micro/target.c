/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same by OpenMP offload, as one writes it by hand. A shared library of its own, so that its kernels are in a
 * device image of their own, as in a program that has nothing else.
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "micro.h"

/* LLVM's own: page-locked memory of the host. */
extern void *llvm_omp_target_alloc_host(size_t bytes, int device);
extern void llvm_omp_target_free_host(void *memory, int device);

enum { DEVICE = 0 };

static void *pinned_allocate(size_t bytes)
{
    return llvm_omp_target_alloc_host(bytes, DEVICE);
}

static void pinned_free(void *memory)
{
    if (memory)
        llvm_omp_target_free_host(memory, DEVICE);
}

struct state {
    unsigned *counters; /* on the device, one cache line each */
    size_t count, expected;
};

enum { STRIDE = 32 };

static bool open_counters(struct micro_job *job)
{
    struct state *s = calloc(1, sizeof *s);
    job->state = s;
    if (!s)
        return false;
    s->count = job->buffers ? job->buffers : 1;
    const size_t bytes = s->count * STRIDE * sizeof(unsigned);
    unsigned *zeros = calloc(1, bytes);
    s->counters = omp_target_alloc(bytes, DEVICE);
    const bool done =
        zeros && s->counters && !omp_target_memcpy(s->counters, zeros, bytes, 0, 0, DEVICE, omp_get_initial_device());
    free(zeros);
    return done;
}

static bool close_counters(struct micro_job *job)
{
    struct state *s = job->state;
    if (!s)
        return false;
    const size_t bytes = s->count * STRIDE * sizeof(unsigned);
    unsigned *counters = calloc(1, bytes);
    size_t sum = 0;
    if (counters && !omp_target_memcpy(counters, s->counters, bytes, 0, 0, omp_get_initial_device(), DEVICE))
        for (size_t i = 0; i < s->count; ++i)
            sum += counters[STRIDE * i];
    const bool right = sum == s->expected;
    if (!right)
        fprintf(stderr, "the target regions counted to %zu instead of %zu\n", sum, s->expected);
    omp_target_free(s->counters, DEVICE);
    free(counters);
    free(s);
    return right;
}

static bool sample_regions(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    unsigned *x = s->counters;
    const double start = bench_now();
    for (size_t i = 0; i < job->count; ++i) {
#pragma omp target device(DEVICE) is_device_ptr(x)
        ++x[0];
    }
    *value = (bench_now() - start) * 1e6 / (double)job->count;
    s->expected += job->count;
    return true;
}

static bool sample_nowait_chain(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    unsigned *x = s->counters;
    const double start = bench_now();
    for (size_t i = 0; i < job->count; ++i) {
#pragma omp target nowait depend(inout : x[0]) device(DEVICE) is_device_ptr(x)
        ++x[0];
    }
#pragma omp taskwait
    *value = (bench_now() - start) * 1e6 / (double)job->count;
    s->expected += job->count;
    return true;
}

static bool sample_nowait_buffers(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    const double start = bench_now();
    for (size_t i = 0; i < job->count; ++i) {
        unsigned *x = s->counters + STRIDE * (i % job->buffers);
#pragma omp target nowait depend(inout : x[0]) device(DEVICE) is_device_ptr(x)
        ++x[0];
    }
#pragma omp taskwait
    *value = (bench_now() - start) * 1e6 / (double)job->count;
    s->expected += job->count;
    return true;
}

/* Each writes what nobody reads. */
static bool sample_nowait_fan(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    unsigned *x = s->counters;
    const double start = bench_now();
    for (size_t i = 0; i < job->count; ++i) {
#pragma omp target nowait device(DEVICE) is_device_ptr(x)
        x[1] = 1;
    }
#pragma omp taskwait
    *value = (bench_now() - start) * 1e6 / (double)job->count;
    return true;
}

/* ---- copies -------------------------------------------------------------------------------------------------- */

struct transfer {
    unsigned char *host;
    void *device; /* NULL: the host memory is mapped */
    bool pinned;
};

static bool open_transfer(struct micro_job *job, bool pinned, bool mapped)
{
    struct transfer *t = calloc(1, sizeof *t);
    job->state = t;
    if (!t)
        return false;
    t->pinned = pinned;
    t->host = pinned ? pinned_allocate(job->bytes) : malloc(job->bytes);
    if (!t->host)
        return false;
    memset(t->host, 1, job->bytes);
    if (!mapped)
        return (t->device = omp_target_alloc(job->bytes, DEVICE)) != NULL;
    unsigned char *host = t->host;
    const size_t bytes = job->bytes;
#pragma omp target enter data map(alloc : host[ : bytes]) device(DEVICE)
    return true;
}

static bool open_pageable(struct micro_job *job)
{
    return open_transfer(job, false, false);
}

static bool open_pinned(struct micro_job *job)
{
    return open_transfer(job, true, false);
}

static bool open_mapped(struct micro_job *job)
{
    return open_transfer(job, false, true);
}

static bool close_transfer(struct micro_job *job)
{
    struct transfer *t = job->state;
    if (!t)
        return false;
    if (t->device)
        omp_target_free(t->device, DEVICE);
    else if (t->host) {
        unsigned char *host = t->host;
        const size_t bytes = job->bytes;
#pragma omp target exit data map(delete : host[ : bytes]) device(DEVICE)
    }
    if (t->pinned)
        pinned_free(t->host);
    else
        free(t->host);
    free(t);
    return true;
}

static bool sample_send(const struct micro_job *job, double *value)
{
    const struct transfer *t = job->state;
    const double start = bench_now();
    const int error = omp_target_memcpy(t->device, t->host, job->bytes, 0, 0, DEVICE, omp_get_initial_device());
    *value = (bench_now() - start) * 1e6;
    return !error;
}

static bool sample_fetch(const struct micro_job *job, double *value)
{
    const struct transfer *t = job->state;
    const double start = bench_now();
    const int error = omp_target_memcpy(t->host, t->device, job->bytes, 0, 0, omp_get_initial_device(), DEVICE);
    *value = (bench_now() - start) * 1e6;
    return !error;
}

static bool sample_update_to(const struct micro_job *job, double *value)
{
    const struct transfer *t = job->state;
    unsigned char *host = t->host;
    const size_t bytes = job->bytes;
    const double start = bench_now();
#pragma omp target update to(host[ : bytes]) device(DEVICE)
    *value = (bench_now() - start) * 1e6;
    return true;
}

static bool sample_update_from(const struct micro_job *job, double *value)
{
    const struct transfer *t = job->state;
    unsigned char *host = t->host;
    const size_t bytes = job->bytes;
    const double start = bench_now();
#pragma omp target update from(host[ : bytes]) device(DEVICE)
    *value = (bench_now() - start) * 1e6;
    return true;
}

static bool has_device(void)
{
    return !bench_on_host() && omp_get_num_devices() > 0;
}

static const struct micro_entry entries[] = {
    {MICRO_SUBMIT_WAIT, "OpenMP", "target", 0, open_counters, sample_regions, close_counters, false},
    {MICRO_CHAIN, "OpenMP", "target", 10000, open_counters, sample_regions, close_counters, true},
    {MICRO_SEND, "OpenMP", "omp_target_memcpy", 0, open_pageable, sample_send, close_transfer, false},
    {MICRO_SEND, "OpenMP", "... pinned", 0, open_pinned, sample_send, close_transfer, false},
    {MICRO_SEND, "OpenMP", "target update", 0, open_mapped, sample_update_to, close_transfer, false},
    {MICRO_FETCH, "OpenMP", "omp_target_memcpy", 0, open_pageable, sample_fetch, close_transfer, false},
    {MICRO_FETCH, "OpenMP", "... pinned", 0, open_pinned, sample_fetch, close_transfer, false},
    {MICRO_FETCH, "OpenMP", "target update", 0, open_mapped, sample_update_from, close_transfer, false},
};
const struct micro_entries micro_target = {entries, sizeof entries / sizeof entries[0], has_device};

/* Asynchronous target regions have crashed on devices other than GPUs. */
static const struct micro_entry nowait_entries[] = {
    {MICRO_CHAIN, "OpenMP", "target nowait depend", 10000, open_counters, sample_nowait_chain, close_counters, true},
    {MICRO_FAN, "OpenMP", "target nowait", 10000, open_counters, sample_nowait_fan, close_counters, true},
    {MICRO_BUFFERS, "OpenMP", "target nowait depend", 20000, open_counters, sample_nowait_buffers, close_counters,
     false},
};
const struct micro_entries micro_target_nowait = {nowait_entries, sizeof nowait_entries / sizeof nowait_entries[0],
                                                  bench_on_gpu};
