/* SPDX-License-Identifier: Apache-2.0 */
/* The stream programs in CUDA. */
#include <cstring>

#include "../arrays_cuda.h"
#include "stream.h"

namespace
{

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

template <void (*kernel)(const double *, const double *, double *, size_t)> bool run(void *state)
{
    const size_t n = suite_cuda_problem<stream>(state).n;
    kernel<<<suite_cuda_groups(n, BLOCK), BLOCK>>>(suite_cuda_at<double>(state, STREAM_X),
                                                   suite_cuda_at<double>(state, STREAM_Y),
                                                   suite_cuda_at<double>(state, STREAM_OUT), n);
    return suite_cuda_wait();
}

struct dot {
    void *common;
    double sum;
};

void *open_dot(const void *problem)
{
    void *common = suite_cuda_open(problem);
    return common ? new dot{common, 0} : nullptr;
}

bool fetch_dot(void *state, void *result)
{
    memcpy(result, &static_cast<const dot *>(state)->sum, sizeof(double));
    return true;
}

void close_dot(void *state)
{
    dot *d = static_cast<dot *>(state);
    suite_cuda_close(d->common);
    delete d;
}

bool run_dot(void *state)
{
    dot *d = static_cast<dot *>(state);
    double parts[STREAM_MOST_GROUPS];
    double *out = suite_cuda_at<double>(d->common, STREAM_OUT);
    const unsigned all = 4 * suite_cuda_units(), groups = all < STREAM_MOST_GROUPS ? all : STREAM_MOST_GROUPS;
    dot_kernel<<<groups, STREAM_GROUP>>>(suite_cuda_at<double>(d->common, STREAM_X),
                                         suite_cuda_at<double>(d->common, STREAM_Y), out,
                                         suite_cuda_problem<stream>(d->common).n);
    if (!suite_cuda_passed(cudaGetLastError()) || !suite_cuda_get(out, parts, groups * sizeof(double)))
        return false;
    d->sum = 0;
    for (unsigned i = 0; i < groups; ++i)
        d->sum += parts[i];
    return true;
}

const suite_version copy_versions[] = {SUITE_CUDA_VERSION("flat", run<copy_kernel>)};
const suite_version mul_versions[] = {SUITE_CUDA_VERSION("flat", run<mul_kernel>)};
const suite_version add_versions[] = {SUITE_CUDA_VERSION("flat", run<add_kernel>)};
const suite_version triad_versions[] = {SUITE_CUDA_VERSION("flat", run<triad_kernel>)};
const suite_version dot_versions[] = {{"parts", nullptr, open_dot, run_dot, fetch_dot, close_dot}};

} // namespace

SUITE_CUDA_VERSIONS(stream_copy, copy_versions)
SUITE_CUDA_VERSIONS(stream_mul, mul_versions)
SUITE_CUDA_VERSIONS(stream_add, add_versions)
SUITE_CUDA_VERSIONS(stream_triad, triad_versions)
SUITE_CUDA_VERSIONS(stream_dot, dot_versions)
