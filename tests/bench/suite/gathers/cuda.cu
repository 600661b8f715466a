/* SPDX-License-Identifier: Apache-2.0 */
/* Strided accesses in CUDA, with indices of three types. */
#include "../arrays_cuda.h"
#include "gathers.h"

namespace
{

constexpr unsigned group = GATHERS_GROUP, block_size = GATHERS_BLOCK;

template <typename T> __global__ void strided_kernel(const float *position, const float *velocity, float *out, T count)
{
    const T i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const float mass = position[4 * i + 3];
    for (T c = 0; c < 3; ++c) {
        float x = position[4 * i + c];
        if (mass > 0)
            x += GATHERS_STEP * velocity[4 * i + c];
        out[4 * i + c] = x;
    }
    out[4 * i + 3] = mass;
}

template <typename T> __global__ void __launch_bounds__(group) pairs_kernel(const uint32_t *in, uint32_t *out)
{
    __shared__ uint32_t block[block_size];
    const T t = threadIdx.x, first = (T)blockIdx.x * block_size;
    uint32_t even = in[first + 2 * t], odd = in[first + 2 * t + 1];
    block[2 * t] = even;
    block[2 * t + 1] = odd;
    for (T stride = 1; stride < block_size; stride *= 2) {
        __syncthreads();
        if (2 * t >= stride)
            even += block[2 * t - stride];
        if (2 * t + 1 >= stride)
            odd += block[2 * t + 1 - stride];
        __syncthreads();
        block[2 * t] = even;
        block[2 * t + 1] = odd;
    }
    out[first + 2 * t] = even;
    out[first + 2 * t + 1] = odd;
}

template <typename T> bool run_strided(void *state)
{
    const size_t count = suite_cuda_problem<gathers>(state).count;
    strided_kernel<T><<<suite_cuda_groups(count, group), group>>>(suite_cuda_at<float>(state, GATHERS_IN),
                                                                  suite_cuda_at<float>(state, GATHERS_VELOCITY),
                                                                  suite_cuda_at<float>(state, GATHERS_OUT), (T)count);
    return suite_cuda_wait();
}

template <typename T> bool run_pairs(void *state)
{
    const size_t count = suite_cuda_problem<gathers>(state).count;
    pairs_kernel<T><<<(unsigned)(count / block_size), group>>>(suite_cuda_at<uint32_t>(state, GATHERS_IN),
                                                               suite_cuda_at<uint32_t>(state, GATHERS_OUT));
    return suite_cuda_wait();
}

#define STRIDED_VERSION(type, name) SUITE_CUDA_VERSION(#type, run_strided<type>),
#define PAIRS_VERSION(type, name) SUITE_CUDA_VERSION(#type, run_pairs<type>),
const suite_version strided_versions[] = {GATHERS_TYPES(STRIDED_VERSION)};
const suite_version pairs_versions[] = {GATHERS_TYPES(PAIRS_VERSION)};

} // namespace

SUITE_CUDA_VERSIONS(strided, strided_versions)
SUITE_CUDA_VERSIONS(pairs, pairs_versions)
