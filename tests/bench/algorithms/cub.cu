/* SPDX-License-Identifier: Apache-2.0 */
/* CUB's side: calls on one stream, with temporary memory that is allocated once. */
#include "sides.h"

#include <cstdio>

#include <cub/cub.cuh>

static void *in, *out, *temporary;
static size_t temporary_bytes;
static cudaStream_t stream;

static __global__ void make(unsigned *x, size_t words)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < words)
        x[i] = input_number(i);
}

struct is_even {
    __host__ __device__ bool operator()(int x) const
    {
        return x % 2 == 0;
    }
};

static bool check(cudaError_t error)
{
    if (error != cudaSuccess)
        std::fprintf(stderr, "CUB: %s\n", cudaGetErrorString(error));
    return error == cudaSuccess;
}

static bool begin(size_t count)
{
    temporary_bytes = 20 * count + (64 << 20);
    if (!check(cudaStreamCreate(&stream)) || !check(cudaMalloc(&in, 8 * count))
        || !check(cudaMalloc(&out, 8 * count + 64)) || !check(cudaMalloc(&temporary, temporary_bytes)))
        return false;
    make<<<(unsigned)((2 * count + 255) / 256), 256, 0, stream>>>((unsigned *)in, 2 * count);
    return check(cudaStreamSynchronize(stream));
}

static cudaError_t call(enum algorithm algorithm, size_t count)
{
    size_t bytes = temporary_bytes;
    const int n = (int)count;
    switch (algorithm) {
    case ALGORITHM_REDUCE_INT:
        return cub::DeviceReduce::Sum(temporary, bytes, (const int *)in, (int *)out, n, stream);
    case ALGORITHM_REDUCE_FLOAT:
        return cub::DeviceReduce::Sum(temporary, bytes, (const float *)in, (float *)out, n, stream);
    case ALGORITHM_SCAN_INT:
        return cub::DeviceScan::InclusiveSum(temporary, bytes, (const int *)in, (int *)out, n, stream);
    case ALGORITHM_SCAN_DOUBLE:
        return cub::DeviceScan::InclusiveSum(temporary, bytes, (const double *)in, (double *)out, n, stream);
    case ALGORITHM_SELECT_INT:
        return cub::DeviceSelect::If(temporary, bytes, (const int *)in, (int *)out + 16, (size_t *)out, n, is_even{},
                                     stream);
    case ALGORITHM_SORT_INT:
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, (const int *)in, (int *)out, n, 0, 32, stream);
    case ALGORITHM_SORT_LONG:
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, (const long long *)in, (long long *)out, n, 0, 64,
                                              stream);
    case ALGORITHM_SORT_PAIRS:
        return cub::DeviceRadixSort::SortPairs(temporary, bytes, (const int *)in, (int *)out, (const int *)in + count,
                                               (int *)out + count, n, 0, 32, stream);
    default:
        return cudaErrorInvalidValue;
    }
}

static bool run(enum algorithm algorithm, size_t count, unsigned repeats)
{
    bool works = true;
    for (unsigned i = 0; i < repeats && works; ++i)
        works = check(call(algorithm, count));
    return works && check(cudaStreamSynchronize(stream));
}

static void end(void)
{
    cudaFree(in);
    cudaFree(out);
    cudaFree(temporary);
    cudaStreamDestroy(stream);
}

extern "C" const struct side side_cub = {"cub", begin, run, end};
