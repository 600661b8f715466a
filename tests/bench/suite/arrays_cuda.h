/* SPDX-License-Identifier: Apache-2.0 */
/** Versions in CUDA: device memory, from open() to close(). For nvcc. Functions print what went wrong. */
#ifndef TEAMWORK_SUITE_ARRAYS_CUDA_H
#define TEAMWORK_SUITE_ARRAYS_CUDA_H

#include <cstdio>
#include <cuda_runtime.h>

#include "arrays.h"

namespace
{

inline bool suite_cuda_passed(cudaError_t error)
{
    if (error != cudaSuccess)
        fprintf(stderr, "CUDA: %s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    return error == cudaSuccess;
}

/** Waits: errors of the launches, then of the kernels. */
inline bool suite_cuda_wait()
{
    return suite_cuda_passed(cudaGetLastError()) && suite_cuda_passed(cudaDeviceSynchronize());
}

inline bool suite_cuda_get(const void *memory, void *result, size_t bytes)
{
    return suite_cuda_passed(cudaMemcpy(result, memory, bytes, cudaMemcpyDeviceToHost));
}

/** The state of a version. */
struct suite_cuda {
    const void *problem;
    void *at[SUITE_ARRAYS];
};

/** Multiprocessors of the device. */
inline unsigned suite_cuda_units()
{
    static int count = 0;
    if (count == 0)
        suite_cuda_passed(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    return (unsigned)count;
}

/** Groups of `size` for `count` work-items. */
inline unsigned suite_cuda_groups(size_t count, unsigned size)
{
    return (unsigned)((count + size - 1) / size);
}

inline void suite_cuda_close(void *state)
{
    suite_cuda *s = static_cast<suite_cuda *>(state);
    for (unsigned i = 0; i < SUITE_ARRAYS; ++i)
        suite_cuda_passed(cudaFree(s->at[i]));
    delete s;
}

inline bool suite_cuda_open_array(const suite_array &array, void *&at)
{
    if (array.bytes == 0)
        return true;
    return suite_cuda_passed(cudaMalloc(&at, array.bytes))
           && suite_cuda_passed(array.initial ? cudaMemcpy(at, array.initial, array.bytes, cudaMemcpyHostToDevice)
                                              : cudaMemset(at, SUITE_POISON, array.bytes));
}

inline void *suite_cuda_open(const void *problem)
{
    suite_cuda *s = new suite_cuda();
    s->problem = problem;
    for (unsigned i = 0; i < SUITE_ARRAYS; ++i)
        if (!suite_cuda_open_array(static_cast<const suite_arrays *>(problem)->at[i], s->at[i])) {
            suite_cuda_close(s);
            return nullptr;
        }
    return s;
}

inline bool suite_cuda_fetch(void *state, void *result)
{
    const suite_cuda *s = static_cast<suite_cuda *>(state);
    const suite_arrays *arrays = static_cast<const suite_arrays *>(s->problem);
    return suite_cuda_get(s->at[arrays->result], result, arrays->at[arrays->result].bytes);
}

/** Array `i` of a state as numbers of type T. */
template <typename T> T *suite_cuda_at(void *state, unsigned i)
{
    return static_cast<T *>(static_cast<suite_cuda *>(state)->at[i]);
}

/** The problem of a state. */
template <typename P> const P &suite_cuda_problem(void *state)
{
    return *static_cast<const P *>(static_cast<suite_cuda *>(state)->problem);
}

/** The sum of the values of a group's threads, by shuffles; in a kernel with groups of `group` threads. Only thread 0 gets
 *  it. */
template <unsigned group> __device__ float suite_cuda_group_sum(float sum)
{
    __shared__ float warps[group / 32];
    for (unsigned distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned w = 1; w < group / 32; ++w)
            sum += warps[w];
    return sum;
}

/** A version with its run(). */
#define SUITE_CUDA_VERSION(form, run) {form, nullptr, suite_cuda_open, run, suite_cuda_fetch, suite_cuda_close}

/** What a side's file ends with: the list of its versions. */
#define SUITE_CUDA_VERSIONS(name, list)                                                                                \
    extern "C" {                                                                                                       \
    extern const suite_versions suite_##name##_cuda;                                                                   \
    const suite_versions suite_##name##_cuda = SUITE_VERSIONS(list);                                                   \
    }

} // namespace

#endif
