/* SPDX-License-Identifier: Apache-2.0 */
/* What the tool leaves of CUDA: each with the kind of obstacle that it is to name. The rest moves beside it. */
#include <cuda_runtime.h>
#include <cstdio>

__device__ float outside(float x);                                 /* of another file */
__device__ __managed__ int managed;                                /* refused: variable */

template <typename T> __constant__ T table[4];                     /* refused: variable */

struct Owner {
    float *data;
    __host__ __device__ Owner(const Owner &other) : data(other.data) {}
    __host__ __device__ explicit Owner(float *from) : data(from) {}
};

__global__ void by_reference(float *x, const int &n)               /* refused: reference */
{
    x[n] = 1;
}
__global__ void by_class(Owner owner)                              /* refused: class */
{
    owner.data[threadIdx.x] = 1;
}
__global__ void lockstep(float *x)
{
    __shared__ volatile float part[64];                            /* refused: volatile */
    part[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x < 32)
        part[threadIdx.x] += part[threadIdx.x + 32];
    x[threadIdx.x] = part[threadIdx.x];
}
__global__ void some_lanes(int *x, unsigned mask)
{
    x[threadIdx.x] = __shfl_sync(mask, x[threadIdx.x], 0);         /* refused: warp mask */
    x[threadIdx.x] += 1;
}
__global__ void half_of_a_warp(int *x)
{
    if (threadIdx.x < 16)
        x[threadIdx.x] += __shfl_xor_sync(0xffff, x[threadIdx.x], 1);    /* refused: warp mask */
}
template <typename T> __device__ T of_some_lanes(T x, unsigned mask)
{
    return __shfl_sync(mask, x, 0);                                /* refused: warp mask */
}
__global__ void assembly(int *x)
{
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(x[0]));            /* refused: not in kernels */
}
__global__ void of_another_file(float *x)
{
    x[0] = outside(x[0]);                                          /* refused: other file */
}
__global__ void of_the_library(float *x)
{
    x[0] = (float)clock();                                         /* refused: library call */
}
__global__ void moved(float *x, int n)
{
    if (threadIdx.x < n)
        x[threadIdx.x] = n;
}
__global__ void launching(float *x)                                /* refused: launch */
{
    moved<<<1, 1>>>(x, 1);
}
__global__ void overloaded(float *x)
{
    x[0] = 1;
}
__global__ void overloaded(int *x)                                 /* refused: overloaded kernel */
{
    x[0] = 1;
}
template <typename... Types> __global__ void variadic(Types... values) /* refused: template */
{
}
__device__ float *dynamic_memory()
{
    extern __shared__ float memory[];                              /* refused: extern shared */
    return memory;
}
__host__ __device__ int thread()                                   /* refused: host and device */
{
    return threadIdx.x;
}
__device__ int architecture()
{
#if __CUDA_ARCH__ >= 800                                           /* refused: preprocessor */
    return 8;
#else
    return 0;
#endif
}
struct Index {
    int value;
    __device__ Index() : value(threadIdx.x) {}                     /* refused: method */
};
#define LAUNCH(x) moved<<<1, 32>>>(x, 3)                            /* refused: launch */

int main()
{
    float *x;
    cudaMalloc(&x, 128);
    moved<<<1, 32>>>(x, 32);
    by_class<<<1, 32>>>(Owner(x));                                 /* refused: kernel stays */
    variadic<<<1, 1>>>(1, 2.0f);                                   /* refused: kernel stays */
    void (*kernel)(float *, int) = moved;
    kernel<<<1, 32>>>(x, 3);                                       /* refused: launch */
    std::printf("%d\n", thread());
    return 0;
}
