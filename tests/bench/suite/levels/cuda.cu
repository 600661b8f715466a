/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and prefix sums in levels, in CUDA. */
#include "../arrays_cuda.h"
#include "levels.h"

namespace
{

constexpr unsigned group = LEVELS_GROUP, block_size = LEVELS_BLOCK;

__global__ void __launch_bounds__(group) sum_kernel(const float *in, float *sums, size_t count)
{
    const size_t i = (size_t)blockIdx.x * group + threadIdx.x;
    const float sum = suite_cuda_group_sum<group>(i < count ? in[i] : 0);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(group) scan_kernel(const uint32_t *in, uint32_t *out, uint32_t *sums, size_t count)
{
    __shared__ uint32_t tree[block_size];
    const size_t t = threadIdx.x, first = (size_t)blockIdx.x * block_size;
    tree[2 * t] = first + 2 * t < count ? in[first + 2 * t] : 0;
    tree[2 * t + 1] = first + 2 * t + 1 < count ? in[first + 2 * t + 1] : 0;
    size_t stride = 1;
    for (size_t pairs = block_size / 2; pairs > 0; pairs /= 2) {
        __syncthreads();
        if (t < pairs)
            tree[(2 * t + 2) * stride - 1] += tree[(2 * t + 1) * stride - 1];
        stride *= 2;
    }
    if (t == 0) {
        sums[blockIdx.x] = tree[block_size - 1];
        tree[block_size - 1] = 0;
    }
    for (size_t pairs = 1; pairs < block_size; pairs *= 2) {
        stride /= 2;
        __syncthreads();
        if (t < pairs) {
            const uint32_t left = tree[(2 * t + 1) * stride - 1];
            tree[(2 * t + 1) * stride - 1] = tree[(2 * t + 2) * stride - 1];
            tree[(2 * t + 2) * stride - 1] += left;
        }
    }
    __syncthreads();
    if (first + 2 * t < count)
        out[first + 2 * t] = tree[2 * t];
    if (first + 2 * t + 1 < count)
        out[first + 2 * t + 1] = tree[2 * t + 1];
}

__global__ void __launch_bounds__(group) add_kernel(const uint32_t *sums, uint32_t *out, size_t count)
{
    const size_t i = (size_t)blockIdx.x * group + threadIdx.x;
    if (i < count)
        out[i] += sums[i / block_size];
}

bool run_sum(void *state)
{
    size_t first[LEVELS_MOST], counts[LEVELS_MOST], count = suite_cuda_problem<levels>(state).count;
    const unsigned last = levels_of(count, group, first, counts) - 1;
    const float *in = suite_cuda_at<float>(state, LEVELS_IN);
    float *sums = suite_cuda_at<float>(state, LEVELS_SUMS), *out = suite_cuda_at<float>(state, LEVELS_OUT);
    for (unsigned level = 0; level <= last; ++level) {
        float *to = level == last ? out : sums + first[level];
        sum_kernel<<<(unsigned)counts[level], group>>>(in, to, count);
        in = to;
        count = counts[level];
    }
    return suite_cuda_wait();
}

bool run_scan(void *state)
{
    size_t first[LEVELS_MOST], counts[LEVELS_MOST];
    const size_t count = suite_cuda_problem<levels>(state).count;
    const unsigned levels = levels_of(count, block_size, first, counts);
    const uint32_t *in = suite_cuda_at<uint32_t>(state, LEVELS_IN);
    uint32_t *out = suite_cuda_at<uint32_t>(state, LEVELS_OUT), *sums = suite_cuda_at<uint32_t>(state, LEVELS_SUMS);
    scan_kernel<<<(unsigned)counts[0], group>>>(in, out, sums, count);
    for (unsigned level = 1; level < levels; ++level)
        scan_kernel<<<(unsigned)counts[level], group>>>(sums + first[level - 1], sums + first[level - 1],
                                                        sums + first[level], counts[level - 1]);
    for (unsigned level = levels - 1; level-- > 1;)
        add_kernel<<<suite_cuda_groups(counts[level - 1], group), group>>>(sums + first[level], sums + first[level - 1],
                                                                           counts[level - 1]);
    add_kernel<<<suite_cuda_groups(count, group), group>>>(sums, out, count);
    return suite_cuda_wait();
}

const suite_version sum_versions[] = {SUITE_CUDA_VERSION("levels", run_sum)};
const suite_version scan_versions[] = {SUITE_CUDA_VERSION("levels", run_scan)};

} // namespace

SUITE_CUDA_VERSIONS(sum_levels, sum_versions)
SUITE_CUDA_VERSIONS(scan_levels, scan_versions)
