/* SPDX-License-Identifier: Apache-2.0 */
/* What most versions in CUDA need: memory of the device, and waiting. Functions print what went wrong. */
#ifndef TEAMWORK_SUITE_CUDA_SIDE_H
#define TEAMWORK_SUITE_CUDA_SIDE_H

#include <cstdio>
#include <cuda_runtime.h>

#include "suite.h"

static inline bool suite_cuda_passed(cudaError_t error)
{
    if (error != cudaSuccess)
        fprintf(stderr, "CUDA: %s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    return error == cudaSuccess;
}

/* Waits: errors of the launches, then of the kernels. */
static inline bool suite_cuda_wait()
{
    return suite_cuda_passed(cudaGetLastError()) && suite_cuda_passed(cudaDeviceSynchronize());
}

static inline void suite_cuda_free(void *memory)
{
    suite_cuda_passed(cudaFree(memory));
}

static inline bool suite_cuda_set(void *memory, const void *data, size_t bytes)
{
    return suite_cuda_passed(data ? cudaMemcpy(memory, data, bytes, cudaMemcpyHostToDevice)
                                  : cudaMemset(memory, SUITE_POISON, bytes));
}

/* Memory of the device with the contents `data`, or poison if that is NULL. */
template <class T> static inline T *suite_cuda_memory(const T *data, size_t count)
{
    void *memory = nullptr;
    if (!suite_cuda_passed(cudaMalloc(&memory, count * sizeof(T))))
        return nullptr;
    if (!suite_cuda_set(memory, data, count * sizeof(T))) {
        suite_cuda_free(memory);
        return nullptr;
    }
    return static_cast<T *>(memory);
}

static inline bool suite_cuda_get(const void *memory, void *result, size_t bytes)
{
    return suite_cuda_passed(cudaMemcpy(result, memory, bytes, cudaMemcpyDeviceToHost));
}

#endif
