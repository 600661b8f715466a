/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The algorithms of examples/groups in CUDA, as one writes them by hand: the same groups, the same reads, the same order of
 * additions. Memory is that of cuda_side; its matmul_tiled is the twin of the nd_range matrix product.
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

constexpr unsigned part = ND_PART_GROUP * ND_PART_QUADS * 4;

__global__ void __launch_bounds__(ND_PART_GROUP) parts_kernel(const unsigned *in, unsigned *out, unsigned count)
{
    __shared__ unsigned warps[ND_PART_GROUP / 32];
    const unsigned local = threadIdx.x, first = blockIdx.x * part;
    unsigned share = 0;
    if (count - first >= part) {
        const uint4 *quads = (const uint4 *)(in + first);
#pragma unroll
        for (unsigned i = 0; i < ND_PART_QUADS; ++i) {
            const uint4 q = quads[i * ND_PART_GROUP + local];
            share += q.x + q.y + q.z + q.w;
        }
    } else {
        for (unsigned i = local; i < count - first; i += ND_PART_GROUP)
            share += in[first + i];
    }
    share = __reduce_add_sync(0xffffffffu, share);
    if (local % 32 == 0)
        warps[local / 32] = share;
    __syncthreads();
    if (local == 0) {
        unsigned sum = 0;
#pragma unroll
        for (unsigned i = 0; i < ND_PART_GROUP / 32; ++i)
            sum += warps[i];
        out[blockIdx.x] = sum;
    }
}

/* Launches until one number is left, which is in m0. */
template <typename Launch> bool reduce(void *const memory[3], const bench_job *job, size_t part_of_group, Launch launch)
{
    const bool odd = nd_launches(job->n, part_of_group) % 2 != 0;
    unsigned *partial[2] = {(unsigned *)memory[odd ? 0 : 2], (unsigned *)memory[odd ? 2 : 0]};
    const unsigned *from = (const unsigned *)memory[1];
    size_t count = job->n;
    for (unsigned turn = 0; turn == 0 || count > 1; ++turn) {
        const unsigned groups = (unsigned)((count + part_of_group - 1) / part_of_group);
        launch(groups, from, partial[turn % 2], (unsigned)count);
        from = partial[turn % 2];
        count = groups;
    }
    return launched();
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

__global__ void __launch_bounds__(ND_LANES_GROUP, 2)
    lanes_kernel(const unsigned char *bytes, unsigned *bins, unsigned count, unsigned each)
{
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
            atomicAdd(&bins[local], sum);
    }
}

template <typename Launch> bool histogram(void *const memory[3], const bench_job *job, size_t resident, Launch launch)
{
    int units = 0;
    if (!passed(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0))
        || !passed(cudaMemsetAsync(memory[0], 0, ND_BINS * sizeof(unsigned))))
        return false;
    const size_t each = nd_part(job->n, (size_t)units, resident);
    launch((unsigned)((job->n + each - 1) / each), (const unsigned char *)memory[1], (unsigned *)memory[0],
           (unsigned)job->n, (unsigned)each);
    return launched();
}

} // namespace

extern "C" bool nd_cuda_pairs(void *const memory[3], const bench_job *job)
{
    return reduce(memory, job, 2 * ND_PAIRS_GROUP,
                  [](unsigned groups, const unsigned *in, unsigned *out, unsigned count) {
                      pairs_kernel<<<groups, ND_PAIRS_GROUP, ND_PAIRS_GROUP * sizeof(unsigned)>>>(in, out, count);
                  });
}

extern "C" bool nd_cuda_parts(void *const memory[3], const bench_job *job)
{
    return reduce(memory, job, part, [](unsigned groups, const unsigned *in, unsigned *out, unsigned count) {
        parts_kernel<<<groups, ND_PART_GROUP>>>(in, out, count);
    });
}

extern "C" bool nd_cuda_phases(void *const memory[3], const bench_job *job)
{
    return histogram(memory, job, 8,
                     [](unsigned groups, const unsigned char *bytes, unsigned *bins, unsigned count, unsigned each) {
                         phases_kernel<<<groups, ND_HISTOGRAM_GROUP>>>(bytes, bins, count, each);
                     });
}

extern "C" bool nd_cuda_lanes(void *const memory[3], const bench_job *job)
{
    return histogram(memory, job, 2,
                     [](unsigned groups, const unsigned char *bytes, unsigned *bins, unsigned count, unsigned each) {
                         lanes_kernel<<<groups, ND_LANES_GROUP>>>(bytes, bins, count, each);
                     });
}
