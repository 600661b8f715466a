/* SPDX-License-Identifier: Apache-2.0 */
/* The problems in OpenMP on the host, by hand. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static void *allocate(void *host, size_t bytes)
{
    (void)host;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void release(void *memory)
{
    free(memory);
}

static bool upload(void *memory, const void *host, size_t bytes)
{
    memcpy(memory, host, bytes);
    return true;
}

static bool download(void *host, void *memory, size_t bytes)
{
    memcpy(host, memory, bytes);
    return true;
}

static bool small(void *const memory[3], const struct bench_job *job)
{
    uint32_t *out = memory[0];
    const uint32_t value = job->value;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 64; ++i)
        out[i] = value;
    return true;
}

static bool chain(void *const memory[3], const struct bench_job *job)
{
    uint32_t *out = memory[0];
    const uint32_t value = job->value;
    for (uint32_t step = 0; step < job->steps; ++step) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < 64; ++i)
            if (i == 0)
                out[0] = step ? out[0] + 1 : value;
    }
    return true;
}

static bool chain_nowait(void *const memory[3], const struct bench_job *job)
{
    uint32_t *out = memory[0];
    const uint32_t value = job->value, steps = job->steps;
#pragma omp parallel
#pragma omp single
    for (uint32_t step = 0; step < steps; ++step) {
#pragma omp task depend(inout : out[0]) firstprivate(step)
        out[0] = step ? out[0] + 1 : value;
    }
    return true;
}

static bool independent(void *const memory[3], const struct bench_job *job)
{
    uint32_t *out = memory[0];
    const uint32_t value = job->value, steps = job->steps;
#pragma omp parallel
#pragma omp single
    for (uint32_t step = 0; step < steps; ++step) {
#pragma omp task depend(out : out[step]) firstprivate(step)
        out[step] = value + step;
    }
    return true;
}

const struct bench_side host_side = {
    .name = "OpenMP",
    .allocate = allocate,
    .release = release,
    .upload = upload,
    .download = download,
    .small = small,
    .chain = chain,
    .chain_nowait = chain_nowait,
    .independent = independent,
};
