/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The problems in CUDA, as one writes them by hand. In one process with the other sides: all of them share the device's
 * primary context, and with it how a waiting thread waits.
 */
#include <cstdio>
#include <cuda_runtime.h>

#include "bench.h"

namespace
{

bool passed(cudaError_t error)
{
    if (error != cudaSuccess)
        fprintf(stderr, "CUDA: %s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    return error == cudaSuccess;
}

/* Errors of the launch, then of the kernel. */
bool launched()
{
    return passed(cudaGetLastError()) && passed(cudaDeviceSynchronize());
}

__global__ void triad_kernel(double *a, const double *b, const double *c, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = b[i] + 3.0 * c[i];
}

__global__ void life_kernel(const unsigned char *in, unsigned char *out, unsigned pitch, unsigned width,
                            unsigned height)
{
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || column >= width)
        return;
    const unsigned char *here = in + row * pitch + column, *up = here - pitch, *down = here + pitch;
    const int sum = up[-1] + up[0] + up[1] + here[-1] + here[1] + down[-1] + down[0] + down[1];
    out[row * pitch + column] = (sum == 3) | ((sum == 2) & here[0]);
}

__global__ void __launch_bounds__(LIFE_TILE *LIFE_TILE)
    life_tiled_kernel(const unsigned char *in, unsigned char *out, unsigned pitch)
{
    constexpr unsigned side = LIFE_TILE + 2, threads = LIFE_TILE * LIFE_TILE;
    __shared__ unsigned char tile[side][side];
    const unsigned i = threadIdx.y, j = threadIdx.x;
    const unsigned corner = blockIdx.y * LIFE_TILE * pitch + blockIdx.x * LIFE_TILE;
    const unsigned char *from = in + corner - pitch - 1;
#pragma unroll
    for (unsigned first = 0; first < side * side; first += threads) {
        const unsigned at = first + i * LIFE_TILE + j;
        if (at < side * side)
            tile[at / side][at % side] = from[at / side * pitch + at % side];
    }
    __syncthreads();
    const int sum = tile[i][j] + tile[i][j + 1] + tile[i][j + 2] + tile[i + 1][j] + tile[i + 1][j + 2] + tile[i + 2][j]
                    + tile[i + 2][j + 1] + tile[i + 2][j + 2];
    out[corner + i * pitch + j] = (sum == 3) | ((sum == 2) & tile[i + 1][j + 1]);
}

__global__ void __launch_bounds__(MATMUL_TILE *MATMUL_TILE)
    matmul_tiled_kernel(float *c, const float *a, const float *b, unsigned n)
{
    __shared__ float a_tile[MATMUL_TILE][MATMUL_TILE], b_tile[MATMUL_TILE][MATMUL_TILE];
    const unsigned i = threadIdx.y, j = threadIdx.x;
    const unsigned row = blockIdx.y * MATMUL_TILE + i, column = blockIdx.x * MATMUL_TILE + j;
    float sum = 0;
    for (unsigned t = 0; t < n; t += MATMUL_TILE) {
        a_tile[i][j] = a[row * n + t + j];
        b_tile[i][j] = b[(t + i) * n + column];
        __syncthreads();
#pragma unroll
        for (unsigned x = 0; x < MATMUL_TILE; ++x)
            sum += a_tile[i][x] * b_tile[x][j];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void set_kernel(uint32_t *out, uint32_t value)
{
    out[0] = value;
}

__global__ void increment_kernel(uint32_t *out)
{
    ++out[0];
}

void *allocate(void *, size_t bytes)
{
    void *memory = nullptr;
    return passed(cudaMalloc(&memory, bytes)) ? memory : nullptr;
}

void release(void *memory)
{
    passed(cudaFree(memory));
}

bool upload(void *memory, const void *host, size_t bytes)
{
    return passed(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice));
}

bool download(void *host, void *memory, size_t bytes)
{
    return passed(cudaMemcpy(host, memory, bytes, cudaMemcpyDeviceToHost));
}

bool triad(void *const memory[3], const bench_job *job)
{
    const void *c = memory[2] ? memory[2] : memory[1];
    triad_kernel<<<(unsigned)((job->n + 255) / 256), 256>>>((double *)memory[0], (const double *)memory[1],
                                                            (const double *)c, job->n);
    return launched();
}

bool life(void *const memory[3], const bench_job *job)
{
    const dim3 block(64, 4);
    const dim3 grid((unsigned)((job->width + 63) / 64), (unsigned)((job->height + 3) / 4));
    life_kernel<<<grid, block>>>((const unsigned char *)memory[0] + job->pitch + 1,
                                 (unsigned char *)memory[1] + job->pitch + 1, (unsigned)job->pitch,
                                 (unsigned)job->width, (unsigned)job->height);
    return launched();
}

bool life_tiled(void *const memory[3], const bench_job *job)
{
    const dim3 block(LIFE_TILE, LIFE_TILE);
    const dim3 grid((unsigned)(job->width / LIFE_TILE), (unsigned)(job->height / LIFE_TILE));
    life_tiled_kernel<<<grid, block>>>((const unsigned char *)memory[0] + job->pitch + 1,
                                       (unsigned char *)memory[1] + job->pitch + 1, (unsigned)job->pitch);
    return launched();
}

bool matmul_tiled(void *const memory[3], const bench_job *job)
{
    const unsigned n = (unsigned)job->n;
    const dim3 block(MATMUL_TILE, MATMUL_TILE), grid(n / MATMUL_TILE, n / MATMUL_TILE);
    matmul_tiled_kernel<<<grid, block>>>((float *)memory[0], (const float *)memory[1], (const float *)memory[2], n);
    return launched();
}

bool single(void *const memory[3], const bench_job *job)
{
    set_kernel<<<1, 1>>>((uint32_t *)memory[0], job->value);
    return launched();
}

bool chain(void *const memory[3], const bench_job *job)
{
    set_kernel<<<1, 1>>>((uint32_t *)memory[0], job->value);
    for (uint32_t step = 1; step < job->steps; ++step)
        increment_kernel<<<1, 1>>>((uint32_t *)memory[0]);
    return launched();
}

bool send(void *const memory[3], const bench_job *job)
{
    return upload(memory[1], job->host, job->n * sizeof(double)) && triad(memory, job);
}

bool fetch(void *const memory[3], const bench_job *job)
{
    return download(job->host, memory[0], job->n * sizeof(double));
}

constexpr bench_side make_side()
{
    bench_side side = {};
    side.name = "CUDA";
    side.allocate = allocate;
    side.release = release;
    side.upload = upload;
    side.download = download;
    side.triad = triad;
    side.life = life;
    side.life_tiled = life_tiled;
    side.matmul_tiled = matmul_tiled;
    side.single = single;
    side.chain = chain;
    side.send = send;
    side.fetch = fetch;
    return side;
}

} // namespace

extern "C" const bench_side cuda_side = make_side();

extern "C" bool cuda_side_open(void)
{
    int devices = 0;
    return passed(cudaGetDeviceCount(&devices)) && devices > 0 && passed(cudaSetDevice(0)) && passed(cudaFree(nullptr));
}
