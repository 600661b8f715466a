/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that another file launches: a tile of shared memory, in blocks of two dimensions. */
#include "part.cuh"

#define TILE 8

__global__ void transpose(const float *__restrict__ from, float *__restrict__ to, const int rows, const int columns)
{
    __shared__ float tile[TILE][TILE + 1]; // one more against conflicts
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < columns && y < rows)
        tile[threadIdx.y][threadIdx.x] = from[y * columns + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < rows && y < columns)
        to[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

/* The other file has a prototype of its own. */
__global__ void negate(float *x, int n)
{
    const int i = THREAD;
    if (i < n)
        x[i] = -x[i];
}
