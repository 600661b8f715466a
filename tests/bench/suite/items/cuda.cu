/* SPDX-License-Identifier: Apache-2.0 */
/* Work-items with much to do in CUDA. */
#include "../arrays_cuda.h"
#include "items.h"

namespace
{

constexpr unsigned group = ITEMS_GROUP;

__global__ void __launch_bounds__(group) paths_kernel(items_option option, float *all, unsigned steps)
{
    const uint32_t path = blockIdx.x * group + threadIdx.x;
    float worth = 1, sum = 0;
    for (uint32_t step = 0; step < steps; ++step) {
        float u, v;
        ITEMS_RANDOM(option.seed, path, step, u, v);
        const float normal = sqrtf(-2 * logf(u)) * cosf(ITEMS_TWO_PI * v);
        worth *= expf(option.drift + option.volatility * normal);
        sum += worth;
    }
    const float payoff = suite_cuda_group_sum<group>(fmaxf(sum / (float)steps - option.strike, 0));
    if (threadIdx.x == 0)
        atomicAdd(all, payoff);
}

__global__ void __launch_bounds__(group)
    lines_kernel(const float *in, const float *coefficients, float *out, size_t count, int length)
{
    const size_t line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= count)
        return;
    float c[ITEMS_MOST], d[ITEMS_MOST];
    const float a = coefficients[line];
    float scale = 1 / (1 + 2 * a);
    c[0] = -a * scale;
    d[0] = in[line] * scale;
    for (int i = 1; i < length; ++i) {
        scale = 1 / (1 + 2 * a + a * c[i - 1]);
        c[i] = -a * scale;
        d[i] = (in[i * count + line] + a * d[i - 1]) * scale;
    }
    float x = d[length - 1];
    out[(length - 1) * count + line] = x;
    for (int i = length - 2; i >= 0; --i) {
        x = d[i] - c[i] * x;
        out[i * count + line] = x;
    }
}

bool run_paths(void *state)
{
    const size_t count = suite_cuda_problem<items>(state).count;
    const items_option option = ITEMS_OPTION;
    float *sum = suite_cuda_at<float>(state, ITEMS_OUT);
    if (!suite_cuda_passed(cudaMemsetAsync(sum, 0, sizeof *sum)))
        return false;
    paths_kernel<<<suite_cuda_groups(count, group), group>>>(option, sum, ITEMS_STEPS);
    return suite_cuda_wait();
}

bool run_lines(void *state)
{
    const size_t count = suite_cuda_problem<items>(state).count;
    lines_kernel<<<suite_cuda_groups(count, group), group>>>(
        suite_cuda_at<float>(state, ITEMS_IN), suite_cuda_at<float>(state, ITEMS_COEFFICIENTS),
        suite_cuda_at<float>(state, ITEMS_OUT), count, ITEMS_LENGTH);
    return suite_cuda_wait();
}

const suite_version paths_versions[] = {SUITE_CUDA_VERSION("sum", run_paths)};
const suite_version lines_versions[] = {SUITE_CUDA_VERSION("flat", run_lines)};

} // namespace

SUITE_CUDA_VERSIONS(paths, paths_versions)
SUITE_CUDA_VERSIONS(lines, lines_versions)
