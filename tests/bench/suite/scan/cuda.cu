/* SPDX-License-Identifier: Apache-2.0 */
/* Prefix sums in CUDA. */
#include "../arrays_cuda.h"
#include "scan.h"

namespace
{

/* ---- blocks: a tree of sums -------------------------------------------------------------------------------------- */

__global__ void __launch_bounds__(SCAN_TREE_GROUP) tree_kernel(const unsigned *in, unsigned *out)
{
    __shared__ unsigned sums[SCAN_BLOCK];
    const unsigned local = threadIdx.x, first = blockIdx.x * SCAN_BLOCK;
    const unsigned low = in[first + local], high = in[first + local + SCAN_TREE_GROUP];
    sums[local] = low;
    sums[local + SCAN_TREE_GROUP] = high;
    for (unsigned pairs = SCAN_BLOCK / 2, stride = 1; pairs > 0; pairs /= 2, stride *= 2) {
        __syncthreads();
        if (local < pairs)
            sums[(2 * local + 2) * stride - 1] += sums[(2 * local + 1) * stride - 1];
    }
    if (local == 0)
        sums[SCAN_BLOCK - 1] = 0;
    for (unsigned pairs = 1, stride = SCAN_BLOCK / 2; pairs < SCAN_BLOCK; pairs *= 2, stride /= 2) {
        __syncthreads();
        if (local < pairs) {
            const unsigned left = sums[(2 * local + 1) * stride - 1];
            sums[(2 * local + 1) * stride - 1] = sums[(2 * local + 2) * stride - 1];
            sums[(2 * local + 2) * stride - 1] += left;
        }
    }
    __syncthreads();
    out[first + local] = sums[local] + low;
    out[first + local + SCAN_TREE_GROUP] = sums[local + SCAN_TREE_GROUP] + high;
}

/* ---- whole: warps have numbers in a row -------------------------------------------------------------------------- */

constexpr unsigned quads = SCAN_EACH / 4, all_lanes = 0xffffffffu;

__device__ unsigned scan_of_warp(unsigned x)
{
#pragma unroll
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        const unsigned other = __shfl_up_sync(all_lanes, x, delta);
        x += threadIdx.x % 32 >= delta ? other : 0;
    }
    return x;
}

/* Returns the sum of the block's numbers. */
template <unsigned size>
__device__ unsigned scan_of_block(const unsigned *in, unsigned *out, unsigned count, unsigned before, unsigned *warps)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = warp * 32 * quads + lane;
    uint4 q[quads];
    unsigned up_to[quads], own = 0;
#pragma unroll
    for (unsigned i = 0; i < quads; ++i)
        q[i] = 4 * (first + i * 32) < count ? ((const uint4 *)in)[first + i * 32] : uint4{0, 0, 0, 0};
#pragma unroll
    for (unsigned i = 0; i < quads; ++i) {
        const unsigned sum = q[i].x + q[i].y + q[i].z + q[i].w, scanned = scan_of_warp(sum);
        up_to[i] = own + scanned - sum;
        own += __shfl_sync(all_lanes, scanned, 31);
    }
    if (lane == 0)
        warps[warp] = own;
    __syncthreads();
    const unsigned sums = scan_of_warp(lane < size / 32 ? warps[lane] : 0);
    before += __shfl_sync(all_lanes, sums, warp) - own;
    const unsigned all = __shfl_sync(all_lanes, sums, size / 32 - 1);
#pragma unroll
    for (unsigned i = 0; i < quads; ++i) {
        q[i].x += before + up_to[i];
        q[i].y += q[i].x;
        q[i].z += q[i].y;
        q[i].w += q[i].z;
        if (4 * (first + i * 32) < count)
            ((uint4 *)out)[first + i * 32] = q[i];
    }
    __syncthreads();
    return all;
}

__global__ void __launch_bounds__(SCAN_GROUP) sums_kernel(const unsigned *in, unsigned *sums)
{
    __shared__ unsigned warps[SCAN_GROUP / 32];
    const uint4 *from = (const uint4 *)(in + (size_t)blockIdx.x * SCAN_PART);
    unsigned sum = 0;
#pragma unroll
    for (unsigned i = 0; i < quads; ++i) {
        const uint4 q = from[i * SCAN_GROUP + threadIdx.x];
        sum += q.x + q.y + q.z + q.w;
    }
    sum = __reduce_add_sync(all_lanes, sum);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
#pragma unroll
        for (unsigned i = 0; i < SCAN_GROUP / 32; ++i)
            sum += warps[i];
        sums[blockIdx.x] = sum;
    }
}

__global__ void __launch_bounds__(SCAN_SUMS_GROUP) scan_sums_kernel(unsigned *sums, unsigned count)
{
    constexpr unsigned turn = SCAN_SUMS_GROUP * SCAN_EACH;
    __shared__ unsigned warps[SCAN_SUMS_GROUP / 32];
    unsigned before = 0;
    for (unsigned first = 0; first < count; first += turn)
        before += scan_of_block<SCAN_SUMS_GROUP>(sums + first, sums + first, min(count - first, turn), before, warps);
}

__global__ void __launch_bounds__(SCAN_GROUP) parts_kernel(const unsigned *in, const unsigned *sums, unsigned *out)
{
    __shared__ unsigned warps[SCAN_GROUP / 32];
    const size_t part = blockIdx.x;
    scan_of_block<SCAN_GROUP>(in + part * SCAN_PART, out + part * SCAN_PART, SCAN_PART, part ? sums[part - 1] : 0,
                              warps);
}

/* ---- versions ---------------------------------------------------------------------------------------------------- */

bool run_tree(void *state)
{
    const size_t count = suite_cuda_problem<scan>(state).count;
    tree_kernel<<<(unsigned)(count / SCAN_BLOCK), SCAN_TREE_GROUP>>>(suite_cuda_at<unsigned>(state, SCAN_IN),
                                                                     suite_cuda_at<unsigned>(state, SCAN_OUT));
    return suite_cuda_wait();
}

bool run_parts(void *state)
{
    const unsigned parts = (unsigned)(suite_cuda_problem<scan>(state).count / SCAN_PART);
    const unsigned *in = suite_cuda_at<unsigned>(state, SCAN_IN);
    unsigned *sums = suite_cuda_at<unsigned>(state, SCAN_SUMS);
    sums_kernel<<<parts, SCAN_GROUP>>>(in, sums);
    scan_sums_kernel<<<1, SCAN_SUMS_GROUP>>>(sums, parts);
    parts_kernel<<<parts, SCAN_GROUP>>>(in, sums, suite_cuda_at<unsigned>(state, SCAN_OUT));
    return suite_cuda_wait();
}

const suite_version of_blocks[] = {SUITE_CUDA_VERSION("tree", run_tree)};
const suite_version of_whole[] = {SUITE_CUDA_VERSION("parts", run_parts)};

} // namespace

SUITE_CUDA_VERSIONS(scan_blocks, of_blocks)
SUITE_CUDA_VERSIONS(scan_whole, of_whole)
