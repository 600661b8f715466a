/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA in C++: kernels that are templates, launches in templates, device functions of classes, warps in parts. */
#include <cstdio>
#include <cuda.h>
#include <vector>

namespace sums
{
enum Kind { PLAIN, SQUARES };

template <typename T> struct Range {
    const T *data;
    int size;
    __host__ __device__ T at(int i) const
    {
        return i < size ? data[i] : T(0);
    }
    __device__ T own() const
    {
        return at(blockIdx.x * blockDim.x + threadIdx.x);
    }
};

template <typename T> __device__ __forceinline__ T warp_sum(T value)
{
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1)
        value += __shfl_xor_sync(0xffffffffu, value, mask);
    return value;
}

template <typename T, Kind KIND = PLAIN, int BLOCK = 128>
__global__ void __launch_bounds__(BLOCK) sum(const Range<T> range, T *out)
{
    __shared__ T warps[BLOCK / 32];
    T value = range.own();
    if (KIND == SQUARES)
        value *= value;
    value = warp_sum<T>(value);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < BLOCK / 32; ++w)
            value += warps[w];
        out[blockIdx.x] = value;
    }
}
} // namespace sums

/* Shared memory and barriers in a function of the device, which the kernel calls twice. */
template <typename T> __device__ T block_sum(T value)
{
    __shared__ T parts[32], all;
    value = sums::warp_sum(value);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        all = 0;
        for (unsigned w = 0; w < blockDim.x / 32; ++w)
            all += parts[w];
    }
    __syncthreads();
    return all;
}

template <typename T> __global__ void center(T *x)
{
    const unsigned i = threadIdx.x;
    x[i] -= block_sum(x[i]) / T(blockDim.x);
    x[i + blockDim.x] = block_sum(x[i] * x[i]);
}

/* Values move along a row of eight lanes. */
template <typename T> __global__ void rotate(T *x, T *shared_sums, int n)
{
    extern __shared__ unsigned char memory[];
    T *part = (T *)memory;
    const unsigned i = threadIdx.x;
    const T before = __shfl_up_sync(0xffffffff, x[i], 1, 8), first = __shfl_sync(0xffffffff, x[i], 0, 8);
    part[i] = i % 8 == 0 ? first : before;
    __syncwarp();
    x[i] = part[i];
    if (__all_sync(0xffffffff, part[i] >= T(0)) && i == 0)
        *shared_sums = min(static_cast<T>(n), part[n - 1]);
}

/* The thread in a method, and a call of it with template arguments. */
class Place
{
  public:
    __device__ Place(int base) : base_(base)
    {
    }
    template <int FACTOR> __device__ int index() const
    {
        return base_ + FACTOR * (int)threadIdx.x;
    }

  private:
    int base_;
};

__global__ void places(int *out, bool twice)
{
    Place place(10);
    out[threadIdx.x] = twice ? place.index<2>() : place.index<1>();
    auto add = [&](int value) { out[threadIdx.x] += value; };
    add(1);
    if (threadIdx.x == 3)
        atomicCAS(&out[0], 11, -7);
}

template <typename T> static void check(cudaStream_t stream)
{
    const int blocks = 5, block = 128, n = blocks * block - 3;
    std::vector<T> host(n), partial(blocks);
    for (int i = 0; i < n; ++i)
        host[i] = T(i % 7);
    T *data, *out;
    cudaMalloc(&data, n * sizeof(T));
    cudaMalloc(&out, blocks * sizeof(T));
    cudaMemcpy(data, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    const sums::Range<T> range{data, n};
    for (int kind = 0; kind < 2; ++kind) {
        if (kind == 0)
            sums::sum<<<blocks, block, 0, stream>>>(range, out);
        else
            sums::sum<T, sums::SQUARES><<<dim3(blocks), dim3(block), 0, stream>>>(range, out);
        cudaMemcpyAsync(partial.data(), out, blocks * sizeof(T), cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        T sum = 0, right = 0;
        for (T value : partial)
            sum += value;
        for (T value : host)
            right += kind == 0 ? value : value * value;
        if (sum != right)
            printf("sum of kind %d: %g, not %g\n", kind, (double)sum, (double)right);
    }
    rotate<T><<<1, 64, 64 * sizeof(T)>>>(data, out, 64L);
    T rotated[64], least = -1;
    cudaMemcpy(rotated, data, sizeof rotated, cudaMemcpyDeviceToHost);
    cudaMemcpy(&least, out, sizeof least, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; ++i)
        if (rotated[i] != host[i % 8 == 0 ? i : i - 1])
            printf("rotate %d: %g\n", i, (double)rotated[i]);
    if (least != rotated[63])
        printf("rotate: %g\n", (double)least);
    center<<<1, 64>>>(data);
    cudaMemcpy(rotated, data + 64, sizeof rotated, cudaMemcpyDeviceToHost);
    T mean = 0, squares = 0;
    for (int i = 0; i < 64; ++i)
        mean += host[i % 8 == 0 ? i : i - 1];
    mean /= 64;
    for (int i = 0; i < 64; ++i)
        squares += (host[i % 8 == 0 ? i : i - 1] - mean) * (host[i % 8 == 0 ? i : i - 1] - mean);
    for (int i = 0; i < 64; ++i)
        if (rotated[i] - squares > T(1) / 1000 || squares - rotated[i] > T(1) / 1000)
            printf("center %d: %g, not %g\n", i, (double)rotated[i], (double)squares);
    cudaFree(data);
    cudaFree(out);
}

int main()
{
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    check<int>(stream);
    check<double>(stream);
    int *out, host[32];
    cudaMalloc((void **)&out, sizeof host);
    const size_t twice = 1;
    places<<<1, 32>>>(out, twice);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; ++i)
        if (host[i] != (i == 0 ? -7 : 11 + 2 * i))
            printf("place %d: %d\n", i, host[i]);
    cudaFree(out);
    cudaStreamDestroy(stream);
    std::printf("right\n");
    return 0;
}
