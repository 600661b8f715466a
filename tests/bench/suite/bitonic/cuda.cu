/* SPDX-License-Identifier: Apache-2.0 */
/* Bitonic sort in CUDA. */
#include "../arrays_cuda.h"
#include "bitonic.h"

namespace
{

constexpr unsigned block_size = BITONIC_BLOCK, half = block_size / 2;

__device__ void put_in_order(unsigned &low, unsigned &high, bool upwards)
{
    const unsigned x = low, y = high, least = min(x, y), most = max(x, y);
    low = upwards ? least : most;
    high = upwards ? most : least;
}

__device__ unsigned lower_of(unsigned pair, unsigned distance)
{
    return 2 * pair - (pair & (distance - 1));
}

__global__ void step_kernel(unsigned *numbers, unsigned size, unsigned distance)
{
    const unsigned low = lower_of(blockIdx.x * blockDim.x + threadIdx.x, distance);
    put_in_order(numbers[low], numbers[low + distance], (low & size) == 0);
}

__device__ void steps_of_block(unsigned *numbers, unsigned offset, unsigned size, unsigned from_distance)
{
    for (unsigned distance = from_distance; distance > 0; distance /= 2) {
        __syncthreads();
        const unsigned low = lower_of(threadIdx.x, distance);
        put_in_order(numbers[low], numbers[low + distance], ((offset + low) & size) == 0);
    }
}

__global__ void __launch_bounds__(half) block_kernel(unsigned *numbers, unsigned of_size)
{
    __shared__ unsigned block[block_size];
    const unsigned local = threadIdx.x, offset = blockIdx.x * block_size;
    block[local] = numbers[offset + local];
    block[local + half] = numbers[offset + local + half];
    if (of_size) {
        steps_of_block(block, offset, of_size, half);
    } else {
        for (unsigned size = 2; size <= block_size; size *= 2)
            steps_of_block(block, offset, size, size / 2);
    }
    __syncthreads();
    numbers[offset + local] = block[local];
    numbers[offset + local + half] = block[local + half];
}

void step(unsigned *numbers, size_t count, unsigned size, unsigned distance)
{
    step_kernel<<<(unsigned)(count / 2 / 256), 256>>>(numbers, size, distance);
}

bool run_flat(void *state)
{
    unsigned *numbers = suite_cuda_at<unsigned>(state, BITONIC_NUMBERS);
    const size_t count = suite_cuda_problem<bitonic>(state).count;
    for (unsigned size = 2; size <= count; size *= 2)
        for (unsigned distance = size / 2; distance > 0; distance /= 2)
            step(numbers, count, size, distance);
    return suite_cuda_wait();
}

bool run_local(void *state)
{
    unsigned *numbers = suite_cuda_at<unsigned>(state, BITONIC_NUMBERS);
    const size_t count = suite_cuda_problem<bitonic>(state).count;
    const unsigned blocks = (unsigned)(count / block_size);
    block_kernel<<<blocks, half>>>(numbers, 0);
    for (unsigned size = 2 * block_size; size <= count; size *= 2) {
        for (unsigned distance = size / 2; distance > half; distance /= 2)
            step(numbers, count, size, distance);
        block_kernel<<<blocks, half>>>(numbers, size);
    }
    return suite_cuda_wait();
}

const suite_version versions[] = {
    SUITE_CUDA_VERSION_RESET("flat", run_flat),
    SUITE_CUDA_VERSION_RESET("local", run_local),
};

} // namespace

SUITE_CUDA_VERSIONS(bitonic, versions)
