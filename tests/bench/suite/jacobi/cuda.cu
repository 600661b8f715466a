/* SPDX-License-Identifier: Apache-2.0 */
/* Jacobi's iteration in CUDA. */
#include "../arrays_cuda.h"
#include "jacobi.h"

namespace
{

enum { THREADS = JACOBI_ROWS * JACOBI_COLUMNS };

/* Adds up the values of a block, by warps and then by the first warp; the first thread adds the sum to *total. */
__device__ void add_of_block(double value, double *total)
{
    __shared__ double part[THREADS / 32];
    const unsigned thread = threadIdx.y * JACOBI_COLUMNS + threadIdx.x;
    for (unsigned offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(~0u, value, offset);
    if (thread % 32 == 0)
        part[thread / 32] = value;
    __syncthreads();
    if (thread >= 32)
        return;
    value = thread < THREADS / 32 ? part[thread] : 0;
    for (unsigned offset = THREADS / 64; offset > 0; offset /= 2)
        value += __shfl_down_sync(~0u, value, offset);
    if (thread == 0)
        atomicAdd(total, value);
}

__global__ void __launch_bounds__(THREADS) flat_kernel(const float *in, float *out, double *change, unsigned pitch)
{
    const unsigned at = (blockIdx.y * JACOBI_ROWS + threadIdx.y) * pitch + blockIdx.x * JACOBI_COLUMNS + threadIdx.x;
    const float *here = in + at;
    const float mean = 0.25f * (here[-(int)pitch] + here[pitch] + here[-1] + here[1]);
    const double difference = mean - here[0];
    out[at] = mean;
    add_of_block(difference * difference, change);
}

__global__ void __launch_bounds__(THREADS) tiled_kernel(const float *in, float *out, double *change, unsigned pitch)
{
    constexpr unsigned wide = JACOBI_COLUMNS + 2, cells = (JACOBI_ROWS + 2) * wide;
    __shared__ float tile[cells];
    const unsigned i = threadIdx.y, j = threadIdx.x;
    const unsigned corner = blockIdx.y * JACOBI_ROWS * pitch + blockIdx.x * JACOBI_COLUMNS;
    const float *from = in + corner - pitch - 1;
#pragma unroll
    for (unsigned first = 0; first < cells; first += THREADS) {
        const unsigned at = first + i * JACOBI_COLUMNS + j;
        if (at < cells)
            tile[at] = from[at / wide * pitch + at % wide];
    }
    __syncthreads();
    const float *here = &tile[(i + 1) * wide + j + 1];
    const float mean = 0.25f * (here[-(int)wide] + here[wide] + here[-1] + here[1]);
    const double difference = mean - here[0];
    out[corner + i * pitch + j] = mean;
    add_of_block(difference * difference, change);
}

template <void (*kernel)(const float *, float *, double *, unsigned)> bool run(void *state)
{
    const jacobi &problem = suite_cuda_problem<jacobi>(state);
    float *a = suite_cuda_at<float>(state, JACOBI_A) + jacobi_first(&problem);
    float *b = suite_cuda_at<float>(state, JACOBI_B) + jacobi_first(&problem);
    double *sum = suite_cuda_at<double>(state, JACOBI_CHANGE), change = 2 * problem.tolerance;
    const dim3 block(JACOBI_COLUMNS, JACOBI_ROWS), grid(problem.side / JACOBI_COLUMNS, problem.side / JACOBI_ROWS);
    for (unsigned step = 0; step < problem.most_sweeps && change > problem.tolerance; ++step) {
        if (!suite_cuda_passed(cudaMemsetAsync(sum, 0, sizeof *sum)))
            return false;
        kernel<<<grid, block>>>(step % 2 ? b : a, step % 2 ? a : b, sum, problem.pitch);
        if (!suite_cuda_passed(cudaGetLastError()) || !suite_cuda_get(sum, &change, sizeof change))
            return false;
    }
    return true;
}

const suite_version versions[] = {
    SUITE_CUDA_VERSION_RESET("flat", run<flat_kernel>),
    SUITE_CUDA_VERSION_RESET("tiled", run<tiled_kernel>),
};

} // namespace

SUITE_CUDA_VERSIONS(jacobi, versions)
