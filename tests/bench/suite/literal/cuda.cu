/* SPDX-License-Identifier: Apache-2.0 */
/* The same in CUDA. */
#include "../arrays_cuda.h"
#include "literal.h"

namespace
{

/** As suite_cuda_group_sum() in a kernel with groups of any size, which need not be a multiple of 32. */
__device__ inline float suite_cuda_any_group_sum(float sum)
{
    __shared__ float warps[32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, count = (blockDim.x + 31) / 32;
    const unsigned lanes = warp + 1 < count ? 32 : blockDim.x - warp * 32;
    const unsigned mask = lanes < 32 ? (1u << lanes) - 1 : 0xffffffffu;
    for (unsigned distance = 16; distance > 0; distance /= 2) {
        const float other = __shfl_down_sync(mask, sum, distance);
        sum += lane + distance < lanes ? other : 0;
    }
    if (lane == 0)
        warps[warp] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned w = 1; w < count; ++w)
            sum += warps[w];
    return sum;
}

constexpr unsigned group = LITERAL_GROUP, tile = LITERAL_TILE;

__global__ void __launch_bounds__(group) group_sum_kernel(const float *in, float *sums)
{
    const float sum = suite_cuda_group_sum<group>(in[blockIdx.x * group + threadIdx.x]);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

__global__ void group_sum_any_kernel(const float *in, float *sums)
{
    const float sum = suite_cuda_any_group_sum(in[(size_t)blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(group) tree_sum_kernel(const float *in, float *sums)
{
    __shared__ float part[group];
    const size_t at = threadIdx.x;
    part[at] = in[blockIdx.x * group + at];
    for (size_t half = group / 2; half > 0; half /= 2) {
        __syncthreads();
        if (at < half)
            part[at] += part[at + half];
    }
    if (at == 0)
        sums[blockIdx.x] = part[0];
}

__device__ int clamped(int x, int last)
{
    return min(max(x, 0), last);
}

__device__ float masked(const float *in, const literal_mask &mask, int width, int height, int radius, int y, int x)
{
    float sum = 0;
    for (int j = -radius; j <= radius; ++j)
        for (int i = -radius; i <= radius; ++i)
            sum += mask.at[(j + radius) * (2 * radius + 1) + i + radius]
                   * in[clamped(y + j, height - 1) * width + clamped(x + i, width - 1)];
    return sum;
}

__global__ void clamped_mask_kernel(const float *in, float *out, literal_mask mask, int width, int height)
{
    const int y = blockIdx.y * tile + threadIdx.y, x = blockIdx.x * tile + threadIdx.x;
    out[y * width + x] = masked(in, mask, width, height, LITERAL_RADIUS, y, x);
}

__global__ void clamped_mask_any_kernel(const float *in, float *out, literal_mask mask, int width, int height,
                                        int radius)
{
    const int y = blockIdx.y * tile + threadIdx.y, x = blockIdx.x * tile + threadIdx.x;
    out[y * width + x] = masked(in, mask, width, height, radius, y, x);
}

using sum_kernel = void(const float *, float *);

template <sum_kernel kernel> bool run_sum(void *state)
{
    kernel<<<suite_cuda_groups(suite_cuda_problem<literal>(state).count, group), group>>>(
        suite_cuda_at<float>(state, LITERAL_IN), suite_cuda_at<float>(state, LITERAL_OUT));
    return suite_cuda_wait();
}

bool run_clamped_mask(void *state)
{
    const literal &problem = suite_cuda_problem<literal>(state);
    const int side = (int)problem.count;
    const unsigned groups = suite_cuda_groups(problem.count, tile);
    clamped_mask_kernel<<<dim3(groups, groups), dim3(tile, tile)>>>(
        suite_cuda_at<float>(state, LITERAL_IN), suite_cuda_at<float>(state, LITERAL_OUT), problem.mask, side, side);
    return suite_cuda_wait();
}

bool run_clamped_mask_any(void *state)
{
    const literal &problem = suite_cuda_problem<literal>(state);
    const int side = (int)problem.count;
    const unsigned groups = suite_cuda_groups(problem.count, tile);
    clamped_mask_any_kernel<<<dim3(groups, groups), dim3(tile, tile)>>>(suite_cuda_at<float>(state, LITERAL_IN),
                                                                        suite_cuda_at<float>(state, LITERAL_OUT),
                                                                        problem.mask, side, side, LITERAL_RADIUS);
    return suite_cuda_wait();
}

const suite_version group_versions[] = {SUITE_CUDA_VERSION("groups", run_sum<group_sum_kernel>),
                                        SUITE_CUDA_VERSION("groups of any size", run_sum<group_sum_any_kernel>)};
const suite_version tree_versions[] = {SUITE_CUDA_VERSION("groups", run_sum<tree_sum_kernel>)};
const suite_version mask_versions[] = {SUITE_CUDA_VERSION("flat", run_clamped_mask),
                                       SUITE_CUDA_VERSION("flat, any radius", run_clamped_mask_any),
                                       SUITE_CUDA_VERSION("flat, specialized radius", run_clamped_mask)};

} // namespace

SUITE_CUDA_VERSIONS(group_sum, group_versions)
SUITE_CUDA_VERSIONS(tree_sum, tree_versions)
SUITE_CUDA_VERSIONS(clamped_mask, mask_versions)
