/* SPDX-License-Identifier: Apache-2.0 */
/* Multiply-adds in CUDA. */
#include "../arrays_cuda.h"
#include "peak.h"

namespace
{

__global__ void __launch_bounds__(PEAK_GROUP)
    flat_kernel(const float *in, float *out, size_t items, float factor, float summand)
{
    const size_t i = (size_t)blockIdx.x * PEAK_GROUP + threadIdx.x;
    if (i >= items)
        return;
    float a[PEAK_CHAINS][PEAK_WIDTH];
#pragma unroll
    for (unsigned c = 0; c < PEAK_CHAINS; ++c)
#pragma unroll
        for (unsigned w = 0; w < PEAK_WIDTH; ++w)
            a[c][w] = in[i * PEAK_WIDTH + w] + (float)c;
#pragma unroll 1
    for (unsigned step = 0; step < PEAK_STEPS; ++step)
#pragma unroll
        for (unsigned c = 0; c < PEAK_CHAINS; ++c)
#pragma unroll
            for (unsigned w = 0; w < PEAK_WIDTH; ++w)
                a[c][w] = a[c][w] * factor + summand;
#pragma unroll
    for (unsigned w = 0; w < PEAK_WIDTH; ++w) {
        float sum = 0;
#pragma unroll
        for (unsigned c = 0; c < PEAK_CHAINS; ++c)
            sum += a[c][w];
        out[i * PEAK_WIDTH + w] = sum;
    }
}

bool run_flat(void *state)
{
    const peak &problem = suite_cuda_problem<peak>(state);
    flat_kernel<<<suite_cuda_groups(problem.items, PEAK_GROUP), PEAK_GROUP>>>(
        suite_cuda_at<float>(state, PEAK_IN), suite_cuda_at<float>(state, PEAK_OUT), problem.items, problem.factor,
        problem.summand);
    return suite_cuda_wait();
}

const suite_version versions[] = {SUITE_CUDA_VERSION("flat", run_flat)};

} // namespace

SUITE_CUDA_VERSIONS(peak, versions)
