/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrix by vector in CUDA. */
#include "../arrays_cuda.h"
#include "spmv.h"

namespace
{

__global__ void __launch_bounds__(SPMV_GROUP) row_kernel(const unsigned *first, const unsigned *columns,
                                                         const float *values, const float *x, float *y, unsigned rows)
{
    const unsigned row = blockIdx.x * SPMV_GROUP + threadIdx.x;
    if (row >= rows)
        return;
    const unsigned past = first[row + 1];
    float sum = 0;
    for (unsigned e = first[row]; e < past; ++e)
        sum += values[e] * x[columns[e]];
    y[row] = sum;
}

__global__ void __launch_bounds__(SPMV_GROUP)
    warp_kernel(const unsigned *first, const unsigned *columns, const float *values, const float *x, float *y)
{
    const unsigned lane = threadIdx.x % SPMV_LANES, row = (blockIdx.x * SPMV_GROUP + threadIdx.x) / SPMV_LANES;
    const unsigned past = first[row + 1];
    float sum = 0;
    for (unsigned e = first[row] + lane; e < past; e += SPMV_LANES)
        sum += values[e] * x[columns[e]];
#pragma unroll
    for (unsigned delta = SPMV_LANES / 2; delta > 0; delta /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, delta);
    if (lane == 0)
        y[row] = sum;
}

bool run_row(void *state)
{
    const unsigned rows = (unsigned)suite_cuda_problem<spmv>(state).rows;
    row_kernel<<<suite_cuda_groups(rows, SPMV_GROUP), SPMV_GROUP>>>(
        suite_cuda_at<unsigned>(state, SPMV_FIRST), suite_cuda_at<unsigned>(state, SPMV_COLUMNS),
        suite_cuda_at<float>(state, SPMV_VALUES), suite_cuda_at<float>(state, SPMV_X),
        suite_cuda_at<float>(state, SPMV_Y), rows);
    return suite_cuda_wait();
}

bool run_warp(void *state)
{
    const unsigned rows = (unsigned)suite_cuda_problem<spmv>(state).rows;
    warp_kernel<<<rows / (SPMV_GROUP / SPMV_LANES), SPMV_GROUP>>>(
        suite_cuda_at<unsigned>(state, SPMV_FIRST), suite_cuda_at<unsigned>(state, SPMV_COLUMNS),
        suite_cuda_at<float>(state, SPMV_VALUES), suite_cuda_at<float>(state, SPMV_X),
        suite_cuda_at<float>(state, SPMV_Y));
    return suite_cuda_wait();
}

const suite_version versions[] = {
    SUITE_CUDA_VERSION("row", run_row),
    SUITE_CUDA_VERSION("subgroup", run_warp),
};

} // namespace

SUITE_CUDA_VERSIONS(spmv, versions)
