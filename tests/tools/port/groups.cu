/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA whose C++ is C: shared memory, barriers, warps, atomics, constants, streams and events. Each part says what is wrong. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "part.cuh"

#ifdef __CUDACC__
#define CALL(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t status = (call);                                                                                   \
        if (status != cudaSuccess) {                                                                                   \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(status));                                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#endif
#define N 1000
__global__ void negate(float *, int);
#define THREADS 64

/* Constants that the program sets, and a variable of the device. */
__constant__ float weights[3];
static __device__ int calls = 5;

__device__ float weighted(const float *x, int i, int n)
{
    float sum = 0;
    for (int d = -1; d <= 1; ++d)
        sum += weights[d + 1] * x[wrapped(i + d, n)];
    return sum;
}

/* Asks for its thread in a macro, and through a function. */
__device__ int own_index(void)
{
    return THREAD;
}
__device__ int stride(int factor)
{
    return factor * gridDim.x * blockDim.x;
}

__global__ void smooth(const float *x, float *y, unsigned n)
{
    for (unsigned i = own_index(); i < n; i += stride(1))
        y[i] = weighted(x, i, n);
    if (threadIdx.x == 0)
        atomicAdd(&calls, 1);
}

/* Sums of blocks, in memory whose size the launch gives; the sums of warps by shuffles. */
__global__ void sum_blocks(const float *x, int n, float *total, unsigned *most)
{
    extern __shared__ float part[];
    __shared__ unsigned largest;
    const int thread = threadIdx.x, lane = thread % warpSize, warp = thread / warpSize;
    if (thread == 0)
        largest = 0;
    float mine = 0;
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x)
        mine += x[i];
    for (int offset = 16; offset > 0; offset /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, offset);
    if (lane == 0)
        part[warp] = mine;
    __syncthreads();
    atomicMax(&largest, (unsigned)thread);
    for (unsigned half = blockDim.x / 64; half > 0; half /= 2) {
        if (thread < half)
            part[thread] += part[thread + half];
        __syncthreads();
    }
    if (thread == 0) {
        atomicAdd(total, part[0]);
        *most = max(largest, 1u);
    }
}

/* Keeps the even numbers: their places from ballots. */
__global__ void keep_even(const int *in, int *out, int *count)
{
    __shared__ int places[THREADS / 32], first;
    const int i = threadIdx.x + blockIdx.x * blockDim.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int even = in[i] % 2 == 0;
    const unsigned ballot = __ballot_sync(~0u, even);
    if (lane == 0)
        places[warp] = __popc(ballot);
    const int all = __syncthreads_count(even);
    if (threadIdx.x == 0)
        first = atomicAdd(count, all);
    __syncthreads();
    int place = first + __popc(ballot & ((1u << lane) - 1));
    for (int w = 0; w < warp; ++w)
        place += places[w];
    if (even)
        out[place] = in[i];
    if (!__any_sync(0xffffffff, even) && lane == 0)
        printf("a warp of odd numbers\n");
}

/* Blocks of three dimensions, structs as arguments and elements. */
__global__ void number(struct cell *cells, struct cell first, dim3 sizes)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned z = threadIdx.z;
    if (x >= sizes.x || y >= sizes.y)
        return;
    struct cell *own = &cells[(z * sizes.y + y) * sizes.x + x];
    own->value = first.value + fminf(x, y) + __expf(0.0f);
    own->row = y;
    own->column = x + (int)z;
}

static void check_smooth(void)
{
    float host[N], result[N], three[3] = {0.25f, 0.5f, 0.25f};
    float *x, *y;
    int number_of_calls = 0;
    for (int i = 0; i < N; ++i)
        host[i] = i % 17;
    CALL(cudaMalloc((void **)&x, N * sizeof(float)));
    CALL(cudaMalloc(&y, sizeof host));
    CALL(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyToSymbol(weights, three, sizeof three));
    smooth<<<3, THREADS>>>(x, y, N);
    CALL(cudaGetLastError());
    CALL(cudaMemcpy(result, y, sizeof result, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpyFromSymbol(&number_of_calls, calls, sizeof number_of_calls, 0, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) {
        const float right = 0.25f * host[wrapped(i - 1, N)] + 0.5f * host[i] + 0.25f * host[wrapped(i + 1, N)];
        if (result[i] != right)
            printf("smooth %d: %g, not %g\n", i, result[i], right);
    }
    if (number_of_calls != 8)
        printf("smooth: %d calls\n", number_of_calls);
    CALL(cudaFree(x));
    CALL(cudaFree(y));
}

static void check_sums(void)
{
    float *x, *total, sum = 0;
    unsigned *most, largest = 0;
    CALL(cudaMallocManaged(&x, N * sizeof *x));
    CALL(cudaMalloc(&total, sizeof *total));
    CALL(cudaMalloc(&most, sizeof *most));
    for (int i = 0; i < N; ++i)
        x[i] = i;
    CALL(cudaMemset(total, 0, sizeof *total));
    const size_t bytes = THREADS / 32 * sizeof(float);
    for (int run = 0; run < 2; ++run)
        sum_blocks<<<dim3(5), dim3(THREADS), bytes>>>(x, N, total, most);
    CALL(cudaDeviceSynchronize());
    CALL(cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(&largest, most, sizeof largest, cudaMemcpyDeviceToHost));
    if (sum != N * (N - 1) || largest != THREADS - 1)
        printf("sums: %g and %u\n", sum, largest);
    cudaFree(x), cudaFree(total), cudaFree(most);
}

/* Two streams, and an event between them. */
static void check_streams(void)
{
    const int count = 8 * THREADS;
    int *in, *out, *kept, *host, number_kept = 0;
    cudaStream_t first, second;
    cudaEvent_t copied, done;
    float milliseconds = -1;
    CALL(cudaMallocHost(&host, count * sizeof(int)));
    CALL(cudaMalloc(&in, count * sizeof(int)));
    CALL(cudaMalloc(&out, count * sizeof(int)));
    CALL(cudaMalloc(&kept, sizeof(int)));
    CALL(cudaStreamCreate(&first));
    CALL(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CALL(cudaEventCreate(&copied));
    CALL(cudaEventCreate(&done));
    for (int i = 0; i < count; ++i)
        host[i] = i % 3;
    CALL(cudaMemcpyAsync(in, host, count * sizeof(int), cudaMemcpyHostToDevice, first));
    CALL(cudaMemsetAsync(kept, 0, sizeof(int), first));
    CALL(cudaEventRecord(copied, first));
    CALL(cudaStreamWaitEvent(second, copied, 0));
    keep_even<<<count / THREADS, THREADS, 0, second>>>(in, out, kept);
    CALL(cudaMemcpyAsync(host, out, count * sizeof(int), cudaMemcpyDeviceToHost, second));
    CALL(cudaEventRecord(done, second));
    CALL(cudaEventSynchronize(done));
    CALL(cudaEventElapsedTime(&milliseconds, copied, done));
    CALL(cudaMemcpy(&number_kept, kept, sizeof(int), cudaMemcpyDeviceToHost));
    int evens = 0, twos = 0;
    for (int i = 0; i < number_kept; ++i)
        evens += host[i] % 2 == 0, twos += host[i] == 2;
    if (number_kept != count - (count + 1) / 3 || evens != number_kept || twos != count / 3 || milliseconds < 0)
        printf("streams: %d kept, %d even, %d twos, %g ms\n", number_kept, evens, twos, milliseconds);
    CALL(cudaEventDestroy(copied));
    CALL(cudaEventDestroy(done));
    CALL(cudaStreamDestroy(first));
    CALL(cudaStreamDestroy(second));
    cudaFree(in), cudaFree(out), cudaFree(kept), cudaFreeHost(host);
}

static void check_blocks(void)
{
    dim3 sizes(COLUMNS, ROWS), block(8, 4, 2), grid((COLUMNS + 7) / 8, (ROWS + 3) / 4);
    struct cell *cells, *host = (struct cell *)malloc(2 * ROWS * COLUMNS * sizeof(struct cell)), first = {10, 0, 0};
    float *in, *out, *copy = (float *)malloc(ROWS * COLUMNS * sizeof(float));
    CALL(cudaMalloc(&cells, 2 * ROWS * COLUMNS * sizeof(struct cell)));
    if (cells)
        number<<<grid, block>>>(cells, first, sizes);
    else
        printf("blocks: no memory\n");
    CALL(cudaMemcpy(host, cells, 2 * ROWS * COLUMNS * sizeof(struct cell), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2 * ROWS * COLUMNS; ++i) {
        const int x = i % COLUMNS, y = i / COLUMNS % ROWS, z = i / COLUMNS / ROWS;
        if (host[i].value != 11 + (x < y ? x : y) || host[i].row != y || host[i].column != x + z)
            printf("blocks %d: %g %d %d\n", i, host[i].value, host[i].row, host[i].column);
    }
    for (int i = 0; i < ROWS * COLUMNS; ++i)
        copy[i] = i;
    CALL(cudaMalloc(&in, ROWS * COLUMNS * sizeof(float)));
    CALL(cudaMalloc(&out, ROWS * COLUMNS * sizeof(float)));
    CALL(cudaMemcpy(in, copy, ROWS * COLUMNS * sizeof(float), cudaMemcpyHostToDevice));
    transpose<<<dim3(COLUMNS / 8, ROWS / 8), dim3(8, 8)>>>(in, out, ROWS, COLUMNS);
    negate<<<(ROWS * COLUMNS + THREADS - 1) / THREADS, THREADS>>>(out, ROWS * COLUMNS);
    CALL(cudaMemcpy(copy, out, ROWS * COLUMNS * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < ROWS * COLUMNS; ++i)
        if (-copy[i] != (i % ROWS) * COLUMNS + i / ROWS)
            printf("transpose %d: %g\n", i, copy[i]);
    cudaFree(cells), cudaFree(in), cudaFree(out);
    free(host), free(copy);
}

int main(void)
{
    struct cudaDeviceProp properties;
    int threadIdx = 0, devices = 0; /* a name of CUDA's, on the host */
    CALL(cudaGetDeviceCount(&devices));
    CALL(cudaGetDeviceProperties(&properties, threadIdx));
    if (devices < 1 || properties.warpSize != 32 || properties.maxThreadsPerBlock < THREADS)
        printf("properties\n");
    check_smooth();
    check_sums();
    check_streams();
    check_blocks();
    printf("right\n");
    return 0;
}
