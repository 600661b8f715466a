/* SPDX-License-Identifier: Apache-2.0 */
/* The bilateral filter in CUDA. */
#include "../arrays_cuda.h"
#include "bilateral.h"

namespace
{

enum { RADIUS = BILATERAL_RADIUS, ROWS = BILATERAL_ROWS, COLUMNS = BILATERAL_COLUMNS, THREADS = ROWS * COLUMNS };
enum { HIGH = ROWS + 2 * RADIUS, WIDE = COLUMNS + 2 * RADIUS }; /* a tile with its border */

/* The new value of a pixel; `corner` is that which is RADIUS above and left of it. */
__device__ __forceinline__ float filtered(const float *corner, unsigned pitch)
{
    const float here = corner[RADIUS * pitch + RADIUS];
    float sum = 0, weights = 0;
#pragma unroll
    for (int y = 0; y <= 2 * RADIUS; ++y)
#pragma unroll
        for (int x = 0; x <= 2 * RADIUS; ++x) {
            const int dy = y - RADIUS, dx = x - RADIUS;
            const float value = corner[y * pitch + x], difference = value - here;
            const float weight =
                expf((float)(dx * dx + dy * dy) * BILATERAL_NEAR + difference * difference * BILATERAL_ALIKE);
            sum += weight * value;
            weights += weight;
        }
    return sum / weights;
}

__global__ void __launch_bounds__(THREADS) flat_kernel(const float *in, float *out, unsigned pitch)
{
    const unsigned at = (blockIdx.y * ROWS + threadIdx.y) * pitch + blockIdx.x * COLUMNS + threadIdx.x;
    out[at] = filtered(in + at - RADIUS * pitch - RADIUS, pitch);
}

__global__ void __launch_bounds__(THREADS) tiled_kernel(const float *in, float *out, unsigned pitch)
{
    __shared__ float tile[HIGH * WIDE];
    const unsigned i = threadIdx.y, j = threadIdx.x;
    const unsigned corner = blockIdx.y * ROWS * pitch + blockIdx.x * COLUMNS;
    const float *from = in + corner - RADIUS * pitch - RADIUS;
#pragma unroll
    for (unsigned first = 0; first < HIGH * WIDE; first += THREADS) {
        const unsigned at = first + i * COLUMNS + j;
        if (at < HIGH * WIDE)
            tile[at] = from[at / WIDE * pitch + at % WIDE];
    }
    __syncthreads();
    out[corner + i * pitch + j] = filtered(&tile[i * WIDE + j], WIDE);
}

template <void (*kernel)(const float *, float *, unsigned)> bool run(void *state)
{
    const bilateral &problem = suite_cuda_problem<bilateral>(state);
    const size_t first = bilateral_first(&problem);
    const dim3 block(COLUMNS, ROWS), grid(problem.columns / COLUMNS, problem.rows / ROWS);
    kernel<<<grid, block>>>(suite_cuda_at<float>(state, BILATERAL_IN) + first,
                            suite_cuda_at<float>(state, BILATERAL_OUT) + first, problem.pitch);
    return suite_cuda_wait();
}

const suite_version versions[] = {
    SUITE_CUDA_VERSION("flat", run<flat_kernel>),
    SUITE_CUDA_VERSION("tiled", run<tiled_kernel>),
};

} // namespace

SUITE_CUDA_VERSIONS(bilateral, versions)
