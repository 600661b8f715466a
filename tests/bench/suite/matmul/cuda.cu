/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices in CUDA, by the algorithms of examples/groups. */
#include "../arrays_cuda.h"
#include "matmul.h"

namespace
{

constexpr unsigned tile = MATMUL_TILE, tile_height = MATMUL_HEIGHT, tile_width = MATMUL_WIDTH, depth = MATMUL_DEPTH,
                   block_rows = MATMUL_ROWS, block_columns = MATMUL_COLUMNS;

__global__ void flat_kernel(const float *a, const float *b, float *c, unsigned n)
{
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (unsigned x = 0; x < n; ++x)
        sum += a[row * n + x] * b[x * n + column];
    c[row * n + column] = sum;
}

__global__ void __launch_bounds__(tile *tile) tiled_kernel(const float *a, const float *b, float *c, unsigned n)
{
    __shared__ float a_tile[tile][tile], b_tile[tile][tile];
    const unsigned i = threadIdx.y, j = threadIdx.x;
    const unsigned row = blockIdx.y * tile + i, column = blockIdx.x * tile + j;
    float sum = 0;
    for (unsigned t = 0; t < n; t += tile) {
        a_tile[i][j] = a[row * n + t + j];
        b_tile[i][j] = b[(t + i) * n + column];
        __syncthreads();
#pragma unroll
        for (unsigned x = 0; x < tile; ++x)
            sum += a_tile[i][x] * b_tile[x][j];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

constexpr unsigned down = tile_height / block_rows, across = tile_width / block_columns, threads = down * across;

/* Each thread has a block of C in registers. */
__global__ void __launch_bounds__(threads) blocked_kernel(const float *a, const float *b, float *c, unsigned n)
{
    __shared__ __align__(16) float a_tile[tile_height][depth];
    __shared__ __align__(16) float b_tile[depth][tile_width];
    const unsigned thread = threadIdx.x, i = thread / across * block_rows, j = thread % across * block_columns;
    const unsigned top = blockIdx.y * tile_height, left = blockIdx.x * tile_width;
    float sums[block_rows][block_columns] = {};
    for (unsigned t = 0; t < n; t += depth) {
#pragma unroll
        for (unsigned at = thread; at < tile_height * depth; at += threads)
            a_tile[at / depth][at % depth] = a[(top + at / depth) * n + t + at % depth];
#pragma unroll
        for (unsigned at = thread; at < depth * tile_width; at += threads)
            b_tile[at / tile_width][at % tile_width] = b[(t + at / tile_width) * n + left + at % tile_width];
        __syncthreads();
        for (unsigned x = 0; x < depth; ++x) {
#pragma unroll
            for (unsigned y = 0; y < block_rows; ++y)
#pragma unroll
                for (unsigned z = 0; z < block_columns; ++z)
                    sums[y][z] += a_tile[i + y][x] * b_tile[x][j + z];
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned y = 0; y < block_rows; ++y)
#pragma unroll
        for (unsigned z = 0; z < block_columns; ++z)
            c[(top + i + y) * n + left + j + z] = sums[y][z];
}

bool run_flat(void *state)
{
    const unsigned n = (unsigned)suite_cuda_problem<matmul_problem>(state).n;
    flat_kernel<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(suite_cuda_at<float>(state, MATMUL_A),
                                                      suite_cuda_at<float>(state, MATMUL_B),
                                                      suite_cuda_at<float>(state, MATMUL_C), n);
    return suite_cuda_wait();
}

bool run_tiled(void *state)
{
    const unsigned n = (unsigned)suite_cuda_problem<matmul_problem>(state).n;
    tiled_kernel<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(suite_cuda_at<float>(state, MATMUL_A),
                                                                 suite_cuda_at<float>(state, MATMUL_B),
                                                                 suite_cuda_at<float>(state, MATMUL_C), n);
    return suite_cuda_wait();
}

bool run_blocked(void *state)
{
    const unsigned n = (unsigned)suite_cuda_problem<matmul_problem>(state).n;
    blocked_kernel<<<dim3(n / tile_width, n / tile_height), threads>>>(suite_cuda_at<float>(state, MATMUL_A),
                                                                       suite_cuda_at<float>(state, MATMUL_B),
                                                                       suite_cuda_at<float>(state, MATMUL_C), n);
    return suite_cuda_wait();
}

const suite_version flat[] = {SUITE_CUDA_VERSION("flat", run_flat)};
const suite_version tiled[] = {
    SUITE_CUDA_VERSION("tiled", run_tiled),
    SUITE_CUDA_VERSION("blocked", run_blocked),
};

} // namespace

SUITE_CUDA_VERSIONS(matmul_flat, flat)
SUITE_CUDA_VERSIONS(matmul, tiled)
