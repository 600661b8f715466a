/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What teamwork-port knows of CUDA: it parses .cu files with these declarations before them, so that no toolkit is needed.
 * A name that is not here is an error of the parser, and its file stays. cuda_names.py says what each name becomes.
 *
 * Functions are for both sides: only __global__ is clang's own, since launches ask for it.
 */
#pragma once
#include <exception>
#include <new>
#pragma clang force_cuda_host_device begin
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define __global__ __attribute__((global))
#define __device__ __attribute__((annotate("device")))
#define __host__ __attribute__((annotate("host")))
#define __shared__ __attribute__((annotate("shared")))
#define __constant__ __attribute__((annotate("constant")))
#define __managed__ __attribute__((annotate("managed")))
#define __grid_constant__
#define __launch_bounds__(...) __attribute__((annotate("bounds")))
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define CUDART_INF_F __builtin_inff()
#define CUDART_INF __builtin_inf()
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_VERSION 12000
#define CUDA_VERSION 12000

/* ---- types ------------------------------------------------------------------------------------------------------- */

#define VECTOR(name, type)                                                                                             \
    struct name##1                                                                                                     \
    {                                                                                                                  \
        type x;                                                                                                        \
    };                                                                                                                 \
    struct name##2                                                                                                     \
    {                                                                                                                  \
        type x, y;                                                                                                     \
    };                                                                                                                 \
    struct name##3                                                                                                     \
    {                                                                                                                  \
        type x, y, z;                                                                                                  \
    };                                                                                                                 \
    struct name##4                                                                                                     \
    {                                                                                                                  \
        type x, y, z, w;                                                                                               \
    };                                                                                                                 \
    name##1 make_##name##1(type);                                                                                      \
    name##2 make_##name##2(type, type);                                                                                \
    name##3 make_##name##3(type, type, type);                                                                          \
    name##4 make_##name##4(type, type, type, type);
VECTOR(char, signed char)
VECTOR(uchar, unsigned char)
VECTOR(short, short)
VECTOR(ushort, unsigned short)
VECTOR(int, int)
VECTOR(uint, unsigned)
VECTOR(long, long)
VECTOR(ulong, unsigned long)
VECTOR(longlong, long long)
VECTOR(ulonglong, unsigned long long)
VECTOR(float, float)
VECTOR(double, double)
#undef VECTOR

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned first = 1, unsigned second = 1, unsigned third = 1) : x(first), y(second), z(third)
    {
    }
    dim3(uint3 from);
    operator uint3() const;
};
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
extern const int warpSize;

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

#define __syncthreads cuda_syncthreads /* clang's own is for devices alone */
void __syncthreads();
void __threadfence_block(), __threadfence(), __threadfence_system();
void __syncwarp(unsigned = ~0u);
int __syncthreads_count(int), __syncthreads_or(int), __syncthreads_and(int);
#define SHUFFLE(type)                                                                                                  \
    type __shfl_sync(unsigned, type, int, int = 32);                                                                   \
    type __shfl_up_sync(unsigned, type, unsigned, int = 32);                                                           \
    type __shfl_down_sync(unsigned, type, unsigned, int = 32);                                                         \
    type __shfl_xor_sync(unsigned, type, int, int = 32);
SHUFFLE(int)
SHUFFLE(unsigned)
SHUFFLE(long)
SHUFFLE(unsigned long)
SHUFFLE(long long)
SHUFFLE(unsigned long long)
SHUFFLE(float)
SHUFFLE(double)
#undef SHUFFLE
unsigned __ballot_sync(unsigned, int);
int __any_sync(unsigned, int), __all_sync(unsigned, int);

#define ATOMIC(type) type atomicAdd(type *, type), atomicExch(type *, type);
#define ATOMIC_ORDER(type) type atomicMin(type *, type), atomicMax(type *, type);
#define ATOMIC_BITS(type) type atomicAnd(type *, type), atomicOr(type *, type), atomicXor(type *, type);
#define ATOMIC_CAS(type) type atomicCAS(type *, type, type);
ATOMIC(int)
ATOMIC(unsigned)
ATOMIC(unsigned long long)
ATOMIC(float)
ATOMIC(double)
ATOMIC_ORDER(int)
ATOMIC_ORDER(unsigned)
ATOMIC_ORDER(long long)
ATOMIC_ORDER(unsigned long long)
ATOMIC_BITS(int)
ATOMIC_BITS(unsigned)
ATOMIC_BITS(unsigned long long)
ATOMIC_CAS(int)
ATOMIC_CAS(unsigned)
ATOMIC_CAS(unsigned short)
ATOMIC_CAS(unsigned long long)
#undef ATOMIC
#undef ATOMIC_ORDER
#undef ATOMIC_BITS
#undef ATOMIC_CAS
int atomicSub(int *, int);
unsigned atomicSub(unsigned *, unsigned), atomicInc(unsigned *, unsigned), atomicDec(unsigned *, unsigned);

template <typename T> T __ldg(const T *);
#define LEAST(type, first, second) type min(first, second), max(first, second);
LEAST(int, int, int)
LEAST(unsigned, unsigned, unsigned)
LEAST(unsigned, int, unsigned)
LEAST(unsigned, unsigned, int)
LEAST(long, long, long)
LEAST(unsigned long, unsigned long, unsigned long)
LEAST(unsigned long, long, unsigned long)
LEAST(unsigned long, unsigned long, long)
LEAST(long long, long long, long long)
LEAST(unsigned long long, unsigned long long, unsigned long long)
LEAST(unsigned long long, long long, unsigned long long)
LEAST(unsigned long long, unsigned long long, long long)
LEAST(float, float, float)
LEAST(double, double, double)
LEAST(double, float, double)
LEAST(double, double, float)
#undef LEAST
float rsqrtf(float), rsqrt(float), __frsqrt_rn(float), __frcp_rn(float), __saturatef(float), __fdividef(float, float),
    __fdiv_rn(float, float);
double rsqrt(double), __drcp_rn(double), __dsqrt_rn(double), __fma_rn(double, double, double);
float sinpif(float), cospif(float), sinpi(float), cospi(float);
double sinpi(double), cospi(double);
float __expf(float), __exp10f(float), __logf(float), __log2f(float), __log10f(float), __sinf(float), __cosf(float),
    __tanf(float), __powf(float, float), __fsqrt_rn(float), __fmul_rn(float, float), __fadd_rn(float, float),
    __fsub_rn(float, float), __fmaf_rn(float, float, float);
void __sincosf(float, float *, float *);
int __float_as_int(float);
unsigned __float_as_uint(float);
float __int_as_float(int), __uint_as_float(unsigned);
long long __double_as_longlong(double);
double __longlong_as_double(long long);
int __popc(unsigned), __popcll(unsigned long long), __clz(int), __clzll(long long), __ffs(int), __ffsll(long long),
    __mul24(int, int), __mulhi(int, int);
int __float2int_rn(float), __float2int_rz(float), __float2int_rd(float), __float2int_ru(float);
unsigned long long __brevll(unsigned long long);
unsigned __brev(unsigned), __umul24(unsigned, unsigned), __umulhi(unsigned, unsigned);
unsigned long long __umul64hi(unsigned long long, unsigned long long);

/* ---- the runtime ------------------------------------------------------------------------------------------------- */

enum cudaError { cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation };
typedef cudaError cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, totalConstMem;
    int warpSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor, multiProcessorCount, major, minor;
    int maxThreadsDim[3], maxGridSize[3];
};
enum {
    cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1,
    cudaEventDefault = 0,
    cudaEventBlockingSync = 1,
    cudaEventDisableTiming = 2,
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2,
    cudaMemAttachGlobal = 1
};
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock,
    cudaDevAttrMaxSharedMemoryPerBlock,
    cudaDevAttrMaxSharedMemoryPerBlockOptin,
    cudaDevAttrWarpSize,
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrClockRate,
    cudaDevAttrMemoryClockRate,
    cudaDevAttrGlobalMemoryBusWidth,
    cudaDevAttrComputeCapabilityMajor,
    cudaDevAttrComputeCapabilityMinor
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize, cudaFuncAttributePreferredSharedMemoryCarveout };
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize };

extern "C" int __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
cudaError_t cudaMalloc(void **, size_t), cudaMallocHost(void **, size_t), cudaHostAlloc(void **, size_t, unsigned),
    cudaMallocManaged(void **, size_t, unsigned = 1);
template <typename T> cudaError_t cudaMalloc(T **, size_t);
template <typename T> cudaError_t cudaMallocHost(T **, size_t);
template <typename T> cudaError_t cudaHostAlloc(T **, size_t, unsigned);
template <typename T> cudaError_t cudaMallocManaged(T **, size_t, unsigned = 1);
cudaError_t cudaFree(void *), cudaFreeHost(void *);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemset(void *, int, size_t), cudaMemsetAsync(void *, int, size_t, cudaStream_t = 0);
template <typename T>
cudaError_t cudaMemcpyToSymbol(const T &, const void *, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyHostToDevice);
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void *, const T &, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost);
cudaError_t cudaDeviceSynchronize(), cudaThreadSynchronize(), cudaGetLastError(), cudaPeekAtLastError();
const char *cudaGetErrorString(cudaError_t), *cudaGetErrorName(cudaError_t);
cudaError_t cudaStreamCreate(cudaStream_t *), cudaStreamCreateWithFlags(cudaStream_t *, unsigned),
    cudaStreamSynchronize(cudaStream_t), cudaStreamDestroy(cudaStream_t),
    cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0);
cudaError_t cudaEventCreate(cudaEvent_t *), cudaEventCreateWithFlags(cudaEvent_t *, unsigned),
    cudaEventRecord(cudaEvent_t, cudaStream_t = 0), cudaEventSynchronize(cudaEvent_t), cudaEventDestroy(cudaEvent_t),
    cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaSetDevice(int), cudaGetDevice(int *), cudaGetDeviceCount(int *), cudaDeviceReset(),
    cudaDeviceGetAttribute(int *, cudaDeviceAttr, int), cudaDeviceSetCacheConfig(cudaFuncCache),
    cudaDeviceSetLimit(cudaLimit, size_t), cudaProfilerStart(), cudaProfilerStop(),
    cudaGetDeviceProperties(cudaDeviceProp *, int), cudaMemGetInfo(size_t *, size_t *);
template <typename F> cudaError_t cudaFuncSetAttribute(F, cudaFuncAttribute, int);
template <typename F> cudaError_t cudaFuncSetCacheConfig(F, cudaFuncCache);
