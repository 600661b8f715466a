/* SPDX-License-Identifier: Apache-2.0 */
/* Sums by key in CUDA. */
#include "../arrays_cuda.h"
#include "scatter_add.h"

namespace
{

constexpr unsigned bins = SCATTER_ADD_BINS, group = SCATTER_ADD_GROUP;

__global__ void global_kernel(const float *values, const unsigned *keys, float *sums, unsigned count)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        atomicAdd(&sums[keys[i]], values[i]);
}

__global__ void __launch_bounds__(group)
    local_kernel(const float *values, const unsigned *keys, float *all, unsigned count, unsigned each)
{
    __shared__ float sums[bins];
    const unsigned first = blockIdx.x * each, past = count - first < each ? count : first + each;
    for (unsigned bin = threadIdx.x; bin < bins; bin += group)
        sums[bin] = 0;
    __syncthreads();
    for (unsigned i = first + threadIdx.x; i < past; i += group)
        atomicAdd(&sums[keys[i]], values[i]);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < bins; bin += group)
        atomicAdd(&all[bin], sums[bin]);
}

bool clear(void *state)
{
    return suite_cuda_passed(cudaMemsetAsync(suite_cuda_at<float>(state, SCATTER_ADD_SUMS), 0, bins * sizeof(float)));
}

bool run_global(void *state)
{
    const size_t count = suite_cuda_problem<scatter_add>(state).count;
    if (!clear(state))
        return false;
    global_kernel<<<suite_cuda_groups(count, group), group>>>(
        suite_cuda_at<float>(state, SCATTER_ADD_VALUES), suite_cuda_at<unsigned>(state, SCATTER_ADD_KEYS),
        suite_cuda_at<float>(state, SCATTER_ADD_SUMS), (unsigned)count);
    return suite_cuda_wait();
}

bool run_local(void *state)
{
    const size_t count = suite_cuda_problem<scatter_add>(state).count;
    const size_t each = scatter_add_part(count, (size_t)suite_cuda_units() * SCATTER_ADD_RESIDENT);
    if (!clear(state))
        return false;
    local_kernel<<<(unsigned)((count + each - 1) / each), group>>>(
        suite_cuda_at<float>(state, SCATTER_ADD_VALUES), suite_cuda_at<unsigned>(state, SCATTER_ADD_KEYS),
        suite_cuda_at<float>(state, SCATTER_ADD_SUMS), (unsigned)count, (unsigned)each);
    return suite_cuda_wait();
}

const suite_version versions[] = {
    SUITE_CUDA_VERSION("global", run_global),
    SUITE_CUDA_VERSION("local", run_local),
};

} // namespace

SUITE_CUDA_VERSIONS(scatter_add, versions)
