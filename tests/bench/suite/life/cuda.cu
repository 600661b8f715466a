/* SPDX-License-Identifier: Apache-2.0 */
/* The Game of Life in CUDA. */
#include "../arrays_cuda.h"
#include "life.h"

namespace
{

__global__ void flat_kernel(const unsigned char *now, unsigned char *next, unsigned pitch, unsigned side)
{
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= side || column >= side)
        return;
    const unsigned char *here = now + row * pitch + column, *up = here - pitch, *down = here + pitch;
    const int sum = up[-1] + up[0] + up[1] + here[-1] + here[1] + down[-1] + down[0] + down[1];
    next[row * pitch + column] = (sum == 3) | ((sum == 2) & here[0]);
}

__global__ void __launch_bounds__(LIFE_TILE *LIFE_TILE)
    tiled_kernel(const unsigned char *now, unsigned char *next, unsigned pitch)
{
    constexpr unsigned halo = LIFE_TILE + 2, threads = LIFE_TILE * LIFE_TILE;
    __shared__ unsigned char tile[halo][halo];
    const unsigned i = threadIdx.y, j = threadIdx.x;
    const unsigned corner = blockIdx.y * LIFE_TILE * pitch + blockIdx.x * LIFE_TILE;
    const unsigned char *from = now + corner - pitch - 1;
#pragma unroll
    for (unsigned first = 0; first < halo * halo; first += threads) {
        const unsigned at = first + i * LIFE_TILE + j;
        if (at < halo * halo)
            tile[at / halo][at % halo] = from[at / halo * pitch + at % halo];
    }
    __syncthreads();
    const int sum = tile[i][j] + tile[i][j + 1] + tile[i][j + 2] + tile[i + 1][j] + tile[i + 1][j + 2] + tile[i + 2][j]
                    + tile[i + 2][j + 1] + tile[i + 2][j + 2];
    next[corner + i * pitch + j] = (sum == 3) | ((sum == 2) & tile[i + 1][j + 1]);
}

__global__ void any_kernel(const unsigned char *now, unsigned char *next, unsigned pitch)
{
    extern __shared__ unsigned char any_tile[];
    const unsigned width = blockDim.x + 2, height = blockDim.y + 2;
    const unsigned corner = blockIdx.y * blockDim.y * pitch + blockIdx.x * blockDim.x;
    const unsigned char *from = now + corner - pitch - 1;
    for (unsigned i = threadIdx.y; i < height; i += blockDim.y)
        for (unsigned j = threadIdx.x; j < width; j += blockDim.x)
            any_tile[i * width + j] = from[i * pitch + j];
    __syncthreads();
    const unsigned char *up = any_tile + threadIdx.y * width + threadIdx.x, *here = up + width, *down = here + width;
    const int sum = up[0] + up[1] + up[2] + here[0] + here[2] + down[0] + down[1] + down[2];
    next[corner + threadIdx.y * pitch + threadIdx.x] = (sum == 3) | ((sum == 2) & here[1]);
}

bool run_flat(void *state)
{
    const life &life = suite_cuda_problem<struct life>(state);
    const unsigned side = (unsigned)life.side, inside = (unsigned)life.pitch + 1;
    const dim3 block(64, 4), grid((side + 63) / 64, (side + 3) / 4);
    flat_kernel<<<grid, block>>>(suite_cuda_at<unsigned char>(state, LIFE_NOW) + inside,
                                 suite_cuda_at<unsigned char>(state, LIFE_NEXT) + inside, (unsigned)life.pitch, side);
    return suite_cuda_wait();
}

bool run_tiled(void *state)
{
    const life &life = suite_cuda_problem<struct life>(state);
    const unsigned tiles = (unsigned)life.side / LIFE_TILE, inside = (unsigned)life.pitch + 1;
    tiled_kernel<<<dim3(tiles, tiles), dim3(LIFE_TILE, LIFE_TILE)>>>(
        suite_cuda_at<unsigned char>(state, LIFE_NOW) + inside, suite_cuda_at<unsigned char>(state, LIFE_NEXT) + inside,
        (unsigned)life.pitch);
    return suite_cuda_wait();
}

bool run_any(void *state)
{
    const life &life = suite_cuda_problem<struct life>(state);
    const dim3 block(LIFE_ANY_COLUMNS, LIFE_ANY_ROWS);
    const dim3 grid((unsigned)life.side / LIFE_ANY_COLUMNS, (unsigned)life.side / LIFE_ANY_ROWS);
    const unsigned inside = (unsigned)life.pitch + 1;
    any_kernel<<<grid, block, (LIFE_ANY_ROWS + 2) * (LIFE_ANY_COLUMNS + 2)>>>(
        suite_cuda_at<unsigned char>(state, LIFE_NOW) + inside, suite_cuda_at<unsigned char>(state, LIFE_NEXT) + inside,
        (unsigned)life.pitch);
    return suite_cuda_wait();
}

const suite_version versions[] = {
    SUITE_CUDA_VERSION("flat", run_flat),
    SUITE_CUDA_VERSION("tiled", run_tiled),
};

const suite_version any_versions[] = {
    SUITE_CUDA_VERSION("tiled", run_any),
};

} // namespace

SUITE_CUDA_VERSIONS(life, versions)
SUITE_CUDA_VERSIONS(life_any, any_versions)
