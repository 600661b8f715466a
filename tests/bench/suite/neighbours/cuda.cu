/* SPDX-License-Identifier: Apache-2.0 */
/* The same in CUDA. */
#include "../arrays_cuda.h"
#include "neighbours.h"

namespace
{

constexpr unsigned group = NEIGHBOURS_GROUP, tile = NEIGHBOURS_TILE;

__global__ void mask_kernel(const float *in, const float *mask, float *out, int count, int width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float sum = 0;
    for (int j = 0; j < width; ++j) {
        const int at = i + j - width / 2;
        if (at >= 0 && at < count)
            sum += in[at] * mask[j];
    }
    out[i] = sum;
}

__global__ void periodic_kernel(const float *in, float *out, int n)
{
    const int y = blockIdx.y * blockDim.y + threadIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= n || x >= n)
        return;
    const int up = y == 0 ? n - 1 : y - 1, down = y == n - 1 ? 0 : y + 1;
    const int left = x == 0 ? n - 1 : x - 1, right = x == n - 1 ? 0 : x + 1;
    const float here = in[y * n + x];
    out[y * n + x] =
        here + 0.125f * (in[y * n + left] + in[y * n + right] + in[up * n + x] + in[down * n + x] - 4 * here);
}

struct fields {
    const float *in[NEIGHBOURS_FIELDS];
};

__device__ float stencil(const fields &k, size_t i)
{
    float sum = 0;
    for (int f = 1; f < NEIGHBOURS_FIELDS; ++f)
        sum += NEIGHBOURS_TERMS(k.in[f], k.in[0], i);
    return sum;
}

__global__ void stencil_kernel(fields k, float *out, size_t count)
{
    const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = stencil(k, i + NEIGHBOURS_REACH);
}

size_t count_of(void *state)
{
    return suite_cuda_problem<neighbours>(state).count;
}

bool run_mask(void *state)
{
    mask_kernel<<<suite_cuda_groups(count_of(state), group), group>>>(
        suite_cuda_at<float>(state, NEIGHBOURS_IN), suite_cuda_at<float>(state, NEIGHBOURS_MASK),
        suite_cuda_at<float>(state, NEIGHBOURS_OUT), (int)count_of(state), NEIGHBOURS_WIDTH);
    return suite_cuda_wait();
}

bool run_periodic(void *state)
{
    const unsigned groups = suite_cuda_groups(count_of(state), tile);
    periodic_kernel<<<dim3(groups, groups), dim3(tile, tile)>>>(
        suite_cuda_at<float>(state, NEIGHBOURS_IN), suite_cuda_at<float>(state, NEIGHBOURS_OUT), (int)count_of(state));
    return suite_cuda_wait();
}

bool run_helper(void *state)
{
    const size_t count = count_of(state) - 2 * NEIGHBOURS_REACH;
    fields k;
    for (size_t f = 0; f < NEIGHBOURS_FIELDS; ++f)
        k.in[f] = suite_cuda_at<float>(state, NEIGHBOURS_IN) + f * count_of(state);
    stencil_kernel<<<suite_cuda_groups(count, group), group>>>(k, suite_cuda_at<float>(state, NEIGHBOURS_OUT), count);
    return suite_cuda_wait();
}

const suite_version mask_versions[] = {SUITE_CUDA_VERSION("flat", run_mask)};
const suite_version periodic_versions[] = {SUITE_CUDA_VERSION("flat", run_periodic)};
const suite_version helper_versions[] = {SUITE_CUDA_VERSION("flat", run_helper)};

} // namespace

SUITE_CUDA_VERSIONS(any_mask, mask_versions)
SUITE_CUDA_VERSIONS(periodic, periodic_versions)
SUITE_CUDA_VERSIONS(helper, helper_versions)
