/* SPDX-License-Identifier: Apache-2.0 */
/* Transposing in CUDA. */
#include "../arrays_cuda.h"
#include "transpose.h"

namespace
{

enum { TILE = TRANSPOSE_TILE, ROWS = TRANSPOSE_ROWS };

__global__ void __launch_bounds__(ROWS *TILE) flat_kernel(const float *in, float *out, unsigned side)
{
    const unsigned row = blockIdx.y * ROWS + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    if (row < side && column < side)
        out[row * side + column] = in[column * side + row];
}

__global__ void __launch_bounds__(ROWS *TILE) tiled_kernel(const float *in, float *out, unsigned side)
{
    __shared__ float tile[TILE][TILE + 1];
    const unsigned top = blockIdx.y * TILE, left = blockIdx.x * TILE, row = threadIdx.y, j = threadIdx.x;
#pragma unroll
    for (unsigned i = row; i < TILE; i += ROWS)
        tile[i][j] = in[(left + i) * side + top + j];
    __syncthreads();
#pragma unroll
    for (unsigned i = row; i < TILE; i += ROWS)
        out[(top + i) * side + left + j] = tile[j][i];
}

template <void (*kernel)(const float *, float *, unsigned), unsigned rows> bool run(void *state)
{
    const unsigned side = suite_cuda_problem<transpose>(state).side;
    const dim3 block(TILE, ROWS), grid(side / TILE, side / rows);
    kernel<<<grid, block>>>(suite_cuda_at<float>(state, TRANSPOSE_IN), suite_cuda_at<float>(state, TRANSPOSE_OUT),
                            side);
    return suite_cuda_wait();
}

const suite_version versions[] = {
    SUITE_CUDA_VERSION("flat", (run<flat_kernel, ROWS>)),
    SUITE_CUDA_VERSION("tiled", (run<tiled_kernel, TILE>)),
};

} // namespace

SUITE_CUDA_VERSIONS(transpose, versions)
