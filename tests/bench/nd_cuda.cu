/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The algorithms of examples/groups in CUDA, as one writes them by hand: the same groups, the same reads, the same
 * order of additions. Memory is that of cuda_side; its matmul_tiled is the twin of the nd_range matrix product.
 */
#include <cstdio>
#include <cuda_runtime.h>

#include "nd_bench.h"

namespace
{

bool passed(cudaError_t error)
{
    if (error != cudaSuccess)
        fprintf(stderr, "CUDA: %s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    return error == cudaSuccess;
}

bool launched()
{
    return passed(cudaGetLastError()) && passed(cudaDeviceSynchronize());
}

/* ---- reduction -------------------------------------------------------------------------------------------------- */

__global__ void pairs_kernel(const unsigned *in, unsigned *out, unsigned count)
{
    extern __shared__ unsigned sums[];
    const unsigned local = threadIdx.x, size = blockDim.x;
    const unsigned first = 2 * (blockIdx.x * size + local);
    sums[local] = 0;
    if (first + 1 < count)
        sums[local] = in[first] + in[first + 1];
    else if (first < count)
        sums[local] = in[first];
    __syncthreads();
    for (unsigned stride = 1; stride < size; stride *= 2) {
        const unsigned at = 2 * stride * local;
        if (at < size)
            sums[at] += sums[at + stride];
        __syncthreads();
    }
    if (local == 0)
        out[blockIdx.x] = sums[0];
}

constexpr unsigned part = ND_PART_GROUP * ND_PART_QUADS * 4, part_warps = ND_PART_GROUP / 32;

__device__ unsigned groups_done; /* 0 between launches */

/* The group's sum, for its first thread. */
__device__ unsigned sum_of_group(unsigned share, unsigned *warps)
{
    share = __reduce_add_sync(0xffffffffu, share);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = share;
    __syncthreads();
    unsigned sum = 0;
    if (threadIdx.x == 0) {
#pragma unroll
        for (unsigned i = 0; i < part_warps; ++i)
            sum += warps[i];
    }
    return sum;
}

__global__ void __launch_bounds__(ND_PART_GROUP)
    parts_kernel(const unsigned *in, unsigned *out, unsigned *partial, unsigned count)
{
    __shared__ unsigned warps[part_warps], before;
    const unsigned local = threadIdx.x;
    unsigned share = 0;
    for (unsigned first = blockIdx.x * part; first < count; first += gridDim.x * part) {
        if (count - first < part) {
            for (unsigned i = local; i < count - first; i += ND_PART_GROUP)
                share += in[first + i];
            break;
        }
        const uint4 *quads = (const uint4 *)(in + first);
#pragma unroll
        for (unsigned i = 0; i < ND_PART_QUADS; ++i) {
            const uint4 q = quads[i * ND_PART_GROUP + local];
            share += q.x + q.y + q.z + q.w;
        }
    }
    const unsigned sum = sum_of_group(share, warps);
    if (local == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        before = atomicAdd(&groups_done, 1u);
        __threadfence();
    }
    __syncthreads();
    if (before + 1 < gridDim.x)
        return;
    share = 0;
    for (unsigned i = local; i < gridDim.x; i += ND_PART_GROUP)
        share += partial[i];
    const unsigned all = sum_of_group(share, warps);
    if (local == 0) {
        *out = all;
        groups_done = 0;
    }
}

int units()
{
    int count = 0;
    return passed(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0)) ? count : 0;
}

/* ---- histogram -------------------------------------------------------------------------------------------------- */

struct range {
    unsigned first, past;
};

__device__ range range_of(unsigned each, unsigned count)
{
    const unsigned first = blockIdx.x * each;
    return {first, count - first < each ? count : first + each};
}

__global__ void __launch_bounds__(ND_HISTOGRAM_GROUP)
    phases_kernel(const unsigned char *bytes, unsigned *bins, unsigned count, unsigned each)
{
    __shared__ unsigned counts[ND_BINS];
    const range r = range_of(each, count);
    for (unsigned bin = threadIdx.x; bin < ND_BINS; bin += ND_HISTOGRAM_GROUP)
        counts[bin] = 0;
    __syncthreads();
    for (unsigned i = r.first + threadIdx.x; i < r.past; i += ND_HISTOGRAM_GROUP)
        atomicAdd(&counts[bytes[i]], 1u);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < ND_BINS; bin += ND_HISTOGRAM_GROUP)
        if (counts[bin])
            atomicAdd(&bins[bin], counts[bin]);
}

__device__ void count_pack(unsigned *own, uint4 pack)
{
    const unsigned words[4] = {pack.x, pack.y, pack.z, pack.w};
#pragma unroll
    for (unsigned i = 0; i < 16; ++i)
        atomicAdd(&own[(words[i / 4] >> 8 * (i % 4) & 255) * ND_LANES], 1u);
}

__device__ unsigned lanes_work[ND_BINS + 1]; /* counts, and how many groups are done; 0 between launches */

__global__ void __launch_bounds__(ND_LANES_GROUP, 2)
    lanes_kernel(const unsigned char *bytes, unsigned *bins, unsigned count, unsigned each)
{
    __shared__ unsigned before;
    __shared__ unsigned counts[ND_BINS * ND_LANES];
    const unsigned local = threadIdx.x;
    const range r = range_of(each, count);
    const unsigned packs = (r.past - r.first) / 16;
    const uint4 *in = (const uint4 *)(bytes + r.first);
    unsigned *own = &counts[local % ND_LANES];
    for (unsigned i = local; i < ND_BINS * ND_LANES; i += ND_LANES_GROUP)
        counts[i] = 0;
    __syncthreads();
    unsigned p = local;
    for (; p + ND_LANES_GROUP < packs; p += 2 * ND_LANES_GROUP) {
        const uint4 pack = in[p], next = in[p + ND_LANES_GROUP];
        count_pack(own, pack);
        count_pack(own, next);
    }
    if (p < packs)
        count_pack(own, in[p]);
    const unsigned last = r.first + packs * 16 + local;
    if (last < r.past)
        atomicAdd(&own[bytes[last] * ND_LANES], 1u);
    __syncthreads();
    if (local < ND_BINS) {
        unsigned sum = 0;
        for (unsigned lane = 0; lane < ND_LANES; ++lane)
            sum += counts[local * ND_LANES + (local + lane) % ND_LANES];
        if (sum)
            atomicAdd(&lanes_work[local], sum);
    }
    __threadfence();
    __syncthreads();
    if (local == 0) {
        before = atomicAdd(&lanes_work[ND_BINS], 1u);
        __threadfence();
    }
    __syncthreads();
    if (before + 1 == gridDim.x) {
        if (local < ND_BINS) {
            bins[local] = __ldcg(&lanes_work[local]);
            lanes_work[local] = 0;
        }
        if (local == 0)
            lanes_work[ND_BINS] = 0;
    }
}

} // namespace

/* Launches until one number is left. */
extern "C" bool nd_cuda_pairs(void *const memory[3], const bench_job *job)
{
    constexpr size_t both = 2 * ND_PAIRS_GROUP;
    unsigned *partial[2] = {(unsigned *)memory[2], (unsigned *)memory[2] + nd_partial(job->n)};
    const unsigned *from = (const unsigned *)memory[1];
    size_t count = job->n;
    for (unsigned turn = 0; from != memory[0]; ++turn) {
        const unsigned groups = (unsigned)((count + both - 1) / both);
        unsigned *to = groups == 1 ? (unsigned *)memory[0] : partial[turn % 2];
        pairs_kernel<<<groups, ND_PAIRS_GROUP, ND_PAIRS_GROUP * sizeof(unsigned)>>>(from, to, (unsigned)count);
        from = to;
        count = groups;
    }
    return launched();
}

extern "C" bool nd_cuda_parts(void *const memory[3], const bench_job *job)
{
    const size_t parts = (job->n + part - 1) / part, resident = (size_t)units() * (2048 / ND_PART_GROUP);
    parts_kernel<<<(unsigned)(parts < resident ? parts : resident), ND_PART_GROUP>>>(
        (const unsigned *)memory[1], (unsigned *)memory[0], (unsigned *)memory[2], (unsigned)job->n);
    return launched();
}

extern "C" bool nd_cuda_phases(void *const memory[3], const bench_job *job)
{
    const size_t each = nd_part(job->n, (size_t)units(), 8);
    if (!passed(cudaMemsetAsync(memory[0], 0, ND_BINS * sizeof(unsigned))))
        return false;
    phases_kernel<<<(unsigned)((job->n + each - 1) / each), ND_HISTOGRAM_GROUP>>>(
        (const unsigned char *)memory[1], (unsigned *)memory[0], (unsigned)job->n, (unsigned)each);
    return launched();
}

extern "C" bool nd_cuda_lanes(void *const memory[3], const bench_job *job)
{
    const size_t each = nd_part(job->n, (size_t)units(), 2);
    lanes_kernel<<<(unsigned)((job->n + each - 1) / each), ND_LANES_GROUP>>>(
        (const unsigned char *)memory[1], (unsigned *)memory[0], (unsigned)job->n, (unsigned)each);
    return launched();
}
