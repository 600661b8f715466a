/* SPDX-License-Identifier: Apache-2.0 */
/* CUB's side: calls on one stream, with temporary memory that is allocated once. */
#include "sides.h"

#include <climits>
#include <cstdio>

#include <cub/cub.cuh>
#include <cuda/std/functional>

static void *in, *out, *temporary;
static const char *from; /* in `in`: the input of one call */
static size_t most;
static int *keys;
static size_t *offsets;
static size_t temporary_bytes;
static cudaStream_t stream;

static __global__ void make(unsigned *x, size_t words)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < words)
        x[i] = input_number(i);
}

static __global__ void make_keys(int *to, size_t *begins, size_t count)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = run_key(i);
    if (i <= count && i % SEGMENT == 0)
        begins[i / SEGMENT] = i;
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
    most = count;
    temporary_bytes = 20 * count + (64 << 20);
    if (!check(cudaStreamCreate(&stream)) || !check(cudaMalloc(&in, 8 * count))
        || !check(cudaMalloc(&out, 8 * count + 64)) || !check(cudaMalloc(&temporary, temporary_bytes))
        || !check(cudaMalloc((void **)&keys, 4 * count))
        || !check(cudaMalloc((void **)&offsets, (count / SEGMENT + 1) * sizeof *offsets)))
        return false;
    make_keys<<<(unsigned)(count / 256 + 1), 256, 0, stream>>>(keys, offsets, count);
    make<<<(unsigned)((2 * count + 255) / 256), 256, 0, stream>>>((unsigned *)in, 2 * count);
    return check(cudaStreamSynchronize(stream));
}

static cudaError_t call(enum algorithm algorithm, size_t count)
{
    size_t bytes = temporary_bytes;
    const int n = (int)count;
    switch (algorithm) {
    case ALGORITHM_REDUCE_INT:
        return cub::DeviceReduce::Sum(temporary, bytes, (const int *)from, (int *)out, n, stream);
    case ALGORITHM_REDUCE_FLOAT:
        return cub::DeviceReduce::Sum(temporary, bytes, (const float *)from, (float *)out, n, stream);
    case ALGORITHM_SCAN_INT:
        return cub::DeviceScan::InclusiveSum(temporary, bytes, (const int *)from, (int *)out, n, stream);
    case ALGORITHM_SCAN_DOUBLE:
        return cub::DeviceScan::InclusiveSum(temporary, bytes, (const double *)from, (double *)out, n, stream);
    case ALGORITHM_SELECT_INT:
        return cub::DeviceSelect::If(temporary, bytes, (const int *)from, (int *)out + 16, (size_t *)out, n, is_even{},
                                     stream);
    case ALGORITHM_SORT_INT:
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, (const int *)from, (int *)out, n, 0, 32, stream);
    case ALGORITHM_SORT_LONG:
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, (const long long *)from, (long long *)out, n, 0, 64,
                                              stream);
    case ALGORITHM_SORT_PAIRS:
        return cub::DeviceRadixSort::SortPairs(temporary, bytes, (const int *)from, (int *)out,
                                               (const int *)from + count, (int *)out + count, n, 0, 32, stream);
    case ALGORITHM_HISTOGRAM:
        return cub::DeviceHistogram::HistogramEven(temporary, bytes, (const int *)from, (unsigned *)out, BINS + 1,
                                                   (long long)INT_MIN, INT_MAX + 1LL, n, stream);
    case ALGORITHM_BY_KEY:
        return cub::DeviceReduce::ReduceByKey(temporary, bytes, (const int *)keys, (int *)out + 16, (const int *)from,
                                              (int *)out + 16 + count, (size_t *)out, cuda::std::plus<>{}, n, stream);
    case ALGORITHM_ENCODE:
        return cub::DeviceRunLengthEncode::Encode(temporary, bytes, (const int *)keys, (int *)out + 16,
                                                  (size_t *)((int *)out + 16 + count), (size_t *)out, n, stream);
    case ALGORITHM_SEGMENTED:
        return cub::DeviceSegmentedReduce::Sum(temporary, bytes, (const float *)from, (float *)out, n / SEGMENT,
                                               offsets, offsets + 1, stream);
    case ALGORITHM_SORT_BY:
        return cub::DeviceMergeSort::StableSortKeysCopy(temporary, bytes, (const int *)from, (int *)out, n,
                                                        cuda::std::less<>{}, stream);
    case ALGORITHM_MERGE:
        return cub::DeviceMerge::MergeKeys(temporary, bytes, (const int *)keys, n / 2, (const int *)keys, n / 2,
                                           (int *)out, cuda::std::less<>{}, stream);
    default:
        return cudaErrorInvalidValue;
    }
}

static bool run(enum algorithm algorithm, size_t count, unsigned repeats)
{
    bool works = true;
    for (unsigned i = 0; i < repeats && works; ++i) {
        from = (const char *)in + 8 * input_begin(i, count, most);
        works = check(call(algorithm, count));
    }
    return works && check(cudaStreamSynchronize(stream));
}

static void end(void)
{
    cudaFree(in);
    cudaFree(out);
    cudaFree(temporary);
    cudaFree(keys);
    cudaFree(offsets);
    cudaStreamDestroy(stream);
}

extern "C" const struct side side_cub = {"cub", begin, run, nullptr, end};
