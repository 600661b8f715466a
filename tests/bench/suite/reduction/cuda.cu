/* SPDX-License-Identifier: Apache-2.0 */
/* Sums in CUDA, by the algorithms of examples/groups: the same groups, the same reads, the same order of additions. */
#include "../arrays_cuda.h"
#include "reduction.h"

namespace
{

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

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

/* Launches until one number is left. */
bool run_pairs(void *state)
{
    constexpr size_t both = 2 * REDUCTION_PAIRS_GROUP;
    size_t count = suite_cuda_problem<reduction>(state).count;
    unsigned *sum = suite_cuda_at<unsigned>(state, REDUCTION_SUM);
    unsigned *partial = suite_cuda_at<unsigned>(state, REDUCTION_PARTIAL);
    unsigned *const turns[2] = {partial, partial + reduction_partial(count)};
    const unsigned *from = suite_cuda_at<unsigned>(state, REDUCTION_NUMBERS);
    for (unsigned turn = 0; from != sum; ++turn) {
        const unsigned groups = (unsigned)((count + both - 1) / both);
        unsigned *to = groups == 1 ? sum : turns[turn % 2];
        pairs_kernel<<<groups, REDUCTION_PAIRS_GROUP, REDUCTION_PAIRS_GROUP * sizeof(unsigned)>>>(from, to,
                                                                                                  (unsigned)count);
        from = to;
        count = groups;
    }
    return suite_cuda_wait();
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

constexpr unsigned part = REDUCTION_PART_GROUP * REDUCTION_PART_QUADS * 4, part_warps = REDUCTION_PART_GROUP / 32;

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

__global__ void __launch_bounds__(REDUCTION_PART_GROUP)
    parts_kernel(const unsigned *in, unsigned *out, unsigned *partial, unsigned count)
{
    __shared__ unsigned warps[part_warps], before;
    const unsigned local = threadIdx.x;
    unsigned share = 0;
    for (unsigned first = blockIdx.x * part; first < count; first += gridDim.x * part) {
        if (count - first < part) {
            for (unsigned i = local; i < count - first; i += REDUCTION_PART_GROUP)
                share += in[first + i];
            break;
        }
        const uint4 *quads = (const uint4 *)(in + first);
#pragma unroll
        for (unsigned i = 0; i < REDUCTION_PART_QUADS; ++i) {
            const uint4 q = quads[i * REDUCTION_PART_GROUP + local];
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
    for (unsigned i = local; i < gridDim.x; i += REDUCTION_PART_GROUP)
        share += partial[i];
    const unsigned all = sum_of_group(share, warps);
    if (local == 0) {
        *out = all;
        groups_done = 0;
    }
}

bool run_parts(void *state)
{
    const size_t count = suite_cuda_problem<reduction>(state).count;
    const size_t parts = (count + part - 1) / part;
    const size_t resident = (size_t)suite_cuda_units() * (2048 / REDUCTION_PART_GROUP);
    parts_kernel<<<(unsigned)(parts < resident ? parts : resident), REDUCTION_PART_GROUP>>>(
        suite_cuda_at<unsigned>(state, REDUCTION_NUMBERS), suite_cuda_at<unsigned>(state, REDUCTION_SUM),
        suite_cuda_at<unsigned>(state, REDUCTION_PARTIAL), (unsigned)count);
    return suite_cuda_wait();
}

const suite_version versions[] = {
    SUITE_CUDA_VERSION("pairs", run_pairs),
    SUITE_CUDA_VERSION("parts", run_parts),
};

} // namespace

SUITE_CUDA_VERSIONS(reduction, versions)
