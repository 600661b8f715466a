/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The problems in OpenMP offload, as one writes it by hand: data resident on the device, pointers handed to the regions
 * with is_device_ptr. Compiled once with plain flags, and once with BENCH_TUNED and the flags that make kernels fast:
 * two shared libraries, and nothing in one has the name of something in the other.
 */
#include <omp.h>
#include <stdio.h>

#include "bench.h"

/* Kernels are named after the function they are in, and the two compilations must not clash. */
#ifdef BENCH_TUNED
#define SIDE openmp_tuned_side
#define SIDE_NAME "OpenMP, tuned flags"
#define NAME(name) tuned_##name
#define DEVICE openmp_tuned_device
#else
#define SIDE openmp_side
#define SIDE_NAME "OpenMP"
#define NAME(name) plain_##name
#define DEVICE openmp_device
#endif

int DEVICE = -1;

static void *allocate(void *host, size_t bytes)
{
    (void)host;
    return omp_target_alloc(bytes, DEVICE);
}

static void release(void *memory)
{
    omp_target_free(memory, DEVICE);
}

static bool upload(void *memory, const void *host, size_t bytes)
{
    return omp_target_memcpy(memory, host, bytes, 0, 0, DEVICE, omp_get_initial_device()) == 0;
}

static bool download(void *host, void *memory, size_t bytes)
{
    return omp_target_memcpy(host, memory, bytes, 0, 0, omp_get_initial_device(), DEVICE) == 0;
}

static bool NAME(triad)(void *const memory[3], const struct bench_job *job)
{
    double *a = memory[0];
    const double *b = memory[1], *c = memory[memory[2] ? 2 : 1];
    const size_t n = job->n;
#pragma omp target teams distribute parallel for device(DEVICE) is_device_ptr(a, b, c)
    for (size_t i = 0; i < n; ++i)
        a[i] = b[i] + 3.0 * c[i];
    return true;
}

static bool NAME(single)(void *const memory[3], const struct bench_job *job)
{
    uint32_t *out = memory[0];
    const uint32_t value = job->value;
#pragma omp target device(DEVICE) is_device_ptr(out)
    out[0] = value;
    return true;
}

static bool NAME(chain)(void *const memory[3], const struct bench_job *job)
{
    uint32_t *out = memory[0];
    if (!NAME(single)(memory, job))
        return false;
    for (uint32_t step = 1; step < job->steps; ++step) {
#pragma omp target device(DEVICE) is_device_ptr(out)
        ++out[0];
    }
    return true;
}

static bool NAME(chain_nowait)(void *const memory[3], const struct bench_job *job)
{
    uint32_t *out = memory[0];
    if (!NAME(single)(memory, job))
        return false;
    for (uint32_t step = 1; step < job->steps; ++step) {
#pragma omp target nowait depend(inout : out[0]) device(DEVICE) is_device_ptr(out)
        ++out[0];
    }
#pragma omp taskwait
    return true;
}

static bool send(void *const memory[3], const struct bench_job *job)
{
    return upload(memory[1], job->host, job->n * sizeof(double)) && NAME(triad)(memory, job);
}

static bool fetch(void *const memory[3], const struct bench_job *job)
{
    return download(job->host, memory[0], job->n * sizeof(double));
}

const struct bench_side SIDE = {
    .name = SIDE_NAME,
    .allocate = allocate,
    .release = release,
    .upload = upload,
    .download = download,
    .triad = NAME(triad),
    .single = NAME(single),
    .chain = NAME(chain),
    .chain_nowait = NAME(chain_nowait),
    .send = send,
    .fetch = fetch,
};
