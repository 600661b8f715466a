/* SPDX-License-Identifier: Apache-2.0 */
/* The stream programs in CUDA. */
#include <cstdlib>
#include <cstring>

#include "cuda_side.h"
#include "stream.h"

namespace
{

struct state {
    size_t n;
    unsigned groups;
    double *x, *y, *out;
    double dot;
};

enum { BLOCK = 256 };

__global__ void copy_kernel(const double *x, const double *, double *out, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = x[i];
}

__global__ void mul_kernel(const double *x, const double *, double *out, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = STREAM_SCALE * x[i];
}

__global__ void add_kernel(const double *x, const double *y, double *out, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = x[i] + y[i];
}

__global__ void triad_kernel(const double *x, const double *y, double *out, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = x[i] + STREAM_SCALE * y[i];
}

/* A part of the sum for each block. */
__global__ void __launch_bounds__(STREAM_GROUP) dot_kernel(const double *x, const double *y, double *parts, size_t n)
{
    __shared__ double part[STREAM_GROUP];
    double sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        sum += x[i] * y[i];
    part[threadIdx.x] = sum;
    for (unsigned half = STREAM_GROUP / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        parts[blockIdx.x] = part[0];
}

void close_state(void *memory)
{
    state *s = static_cast<state *>(memory);
    suite_cuda_free(s->x);
    suite_cuda_free(s->y);
    suite_cuda_free(s->out);
    free(s);
}

void *open_state(const void *problem)
{
    const stream *p = static_cast<const stream *>(problem);
    state *s = static_cast<state *>(calloc(1, sizeof(state)));
    if (!s)
        return nullptr;
    int units = 0;
    suite_cuda_passed(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0));
    s->n = p->n;
    s->groups = 4 * units < STREAM_MOST_GROUPS ? 4 * (unsigned)units : STREAM_MOST_GROUPS;
    s->x = suite_cuda_memory(p->x, p->n);
    s->y = suite_cuda_memory(p->y, p->n);
    s->out = suite_cuda_memory<double>(nullptr, p->n);
    if (s->x && s->y && s->out)
        return s;
    close_state(s);
    return nullptr;
}

bool fetch(void *memory, void *result)
{
    const state *s = static_cast<const state *>(memory);
    return suite_cuda_get(s->out, result, s->n * sizeof(double));
}

bool fetch_dot(void *memory, void *result)
{
    memcpy(result, &static_cast<const state *>(memory)->dot, sizeof(double));
    return true;
}

template <void (*kernel)(const double *, const double *, double *, size_t)> bool run(void *memory)
{
    const state *s = static_cast<const state *>(memory);
    kernel<<<(unsigned)((s->n + BLOCK - 1) / BLOCK), BLOCK>>>(s->x, s->y, s->out, s->n);
    return suite_cuda_wait();
}

bool run_dot(void *memory)
{
    state *s = static_cast<state *>(memory);
    double parts[STREAM_MOST_GROUPS];
    dot_kernel<<<s->groups, STREAM_GROUP>>>(s->x, s->y, s->out, s->n);
    if (!suite_cuda_passed(cudaGetLastError()) || !suite_cuda_get(s->out, parts, s->groups * sizeof(double)))
        return false;
    s->dot = 0;
    for (unsigned i = 0; i < s->groups; ++i)
        s->dot += parts[i];
    return true;
}

const suite_version copy_versions[] = {{"flat", nullptr, open_state, nullptr, run<copy_kernel>, fetch, close_state}};
const suite_version mul_versions[] = {{"flat", nullptr, open_state, nullptr, run<mul_kernel>, fetch, close_state}};
const suite_version add_versions[] = {{"flat", nullptr, open_state, nullptr, run<add_kernel>, fetch, close_state}};
const suite_version triad_versions[] = {{"flat", nullptr, open_state, nullptr, run<triad_kernel>, fetch, close_state}};
const suite_version dot_versions[] = {{"parts", nullptr, open_state, nullptr, run_dot, fetch_dot, close_state}};

} // namespace

extern "C" {
extern const suite_versions suite_stream_copy_cuda = SUITE_VERSIONS(copy_versions);
extern const suite_versions suite_stream_mul_cuda = SUITE_VERSIONS(mul_versions);
extern const suite_versions suite_stream_add_cuda = SUITE_VERSIONS(add_versions);
extern const suite_versions suite_stream_triad_cuda = SUITE_VERSIONS(triad_versions);
extern const suite_versions suite_stream_dot_cuda = SUITE_VERSIONS(dot_versions);
}
