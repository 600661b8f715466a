// SPDX-License-Identifier: Apache-2.0
//
// Copies between two devices, one way or both at once, in CUDA: a stream of each device, and direct access.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#include "multi.h"

namespace
{

struct exchange {
    unsigned *from[2], *to[2]; // on devices 0 and 1: from[i] is copied to to[1 - i]
    cudaStream_t streams[2];
    size_t bytes;
};

bool passed(cudaError_t error)
{
    if (error != cudaSuccess)
        fprintf(stderr, "CUDA: %s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    return error == cudaSuccess;
}

bool open_device(exchange *e, int i)
{
    if (!passed(cudaSetDevice(i)))
        return false;
    const cudaError_t error = cudaDeviceEnablePeerAccess(1 - i, 0);
    if (error != cudaErrorPeerAccessAlreadyEnabled && !passed(error))
        return false;
    cudaGetLastError();
    return passed(cudaMalloc(&e->from[i], e->bytes)) && passed(cudaMalloc(&e->to[i], e->bytes))
           && passed(cudaMemset(e->from[i], 17 + i, e->bytes)) && passed(cudaMemset(e->to[i], 0, e->bytes))
           && passed(cudaStreamCreateWithFlags(&e->streams[i], cudaStreamNonBlocking))
           && passed(cudaDeviceSynchronize());
}

bool copied(const exchange *e, int i)
{
    unsigned char last = 0, first = 0;
    const char *memory = (const char *)e->to[1 - i];
    return passed(cudaMemcpy(&first, memory, 1, cudaMemcpyDeviceToHost))
           && passed(cudaMemcpy(&last, memory + e->bytes - 1, 1, cudaMemcpyDeviceToHost)) && first == 17 + i
           && last == 17 + i;
}

} // namespace

void *multi_cuda_open(size_t bytes)
{
    exchange *e = new exchange();
    e->bytes = bytes;
    const bool done = open_device(e, 0) && open_device(e, 1);
    if (passed(cudaSetDevice(0)) && done)
        return e;
    multi_cuda_close(e);
    return nullptr;
}

bool multi_cuda_exchange(void *state, bool both)
{
    const exchange *e = (const exchange *)state;
    bool done = true;
    for (int i = 0; i < (both ? 2 : 1); ++i)
        done = passed(cudaMemcpyPeerAsync(e->to[1 - i], 1 - i, e->from[i], i, e->bytes, e->streams[i])) && done;
    for (int i = 0; i < (both ? 2 : 1); ++i)
        done = passed(cudaStreamSynchronize(e->streams[i])) && done;
    return done;
}

bool multi_cuda_is_right(void *state, bool both)
{
    const exchange *e = (const exchange *)state;
    return copied(e, 0) && (!both || copied(e, 1));
}

void multi_cuda_close(void *state)
{
    exchange *e = (exchange *)state;
    for (int i = 0; e && i < 2; ++i) {
        cudaSetDevice(i);
        cudaFree(e->from[i]);
        cudaFree(e->to[i]);
        if (e->streams[i])
            cudaStreamDestroy(e->streams[i]);
    }
    cudaSetDevice(0);
    delete e;
}
