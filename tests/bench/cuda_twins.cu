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
