/* SPDX-License-Identifier: Apache-2.0 */
/* Laplace's equation in CUDA. */
#include "../arrays_cuda.h"
#include "laplace3d.h"

namespace
{

enum { ROWS = LAPLACE3D_ROWS, COLUMNS = LAPLACE3D_COLUMNS, PLANES = LAPLACE3D_PLANES, THREADS = ROWS * COLUMNS };

__global__ void __launch_bounds__(THREADS) flat_kernel(const float *in, float *out, unsigned pitch, unsigned plane)
{
    const unsigned at =
        blockIdx.z * plane + (blockIdx.y * ROWS + threadIdx.y) * pitch + blockIdx.x * COLUMNS + threadIdx.x;
    const float *here = in + at;
    const float sum = here[-(int)plane] + here[plane] + here[-(int)pitch] + here[pitch];
    out[at] = (sum + here[-1] + here[1]) * LAPLACE3D_SIXTH;
}

__global__ void __launch_bounds__(THREADS) planes_kernel(const float *in, float *out, unsigned pitch, unsigned plane)
{
    constexpr unsigned wide = COLUMNS + 2, cells = (ROWS + 2) * wide;
    __shared__ float tile[cells];
    const unsigned i = threadIdx.y, j = threadIdx.x, thread = i * COLUMNS + j;
    const unsigned corner = blockIdx.z * PLANES * plane + blockIdx.y * ROWS * pitch + blockIdx.x * COLUMNS;
    const float *mine = in + corner + i * pitch + j, *from = in + corner - pitch - 1;
    float *to = out + corner + i * pitch + j, before = mine[-(int)plane];
    for (unsigned z = 0; z < PLANES; ++z, from += plane, mine += plane, to += plane) {
        for (unsigned at = thread; at < cells; at += THREADS)
            tile[at] = from[at / wide * pitch + at % wide];
        __syncthreads();
        const float behind = mine[plane], *here = &tile[(i + 1) * wide + j + 1];
        *to = (before + behind + here[-(int)wide] + here[wide] + here[-1] + here[1]) * LAPLACE3D_SIXTH;
        before = *here;
        __syncthreads();
    }
}

template <void (*kernel)(const float *, float *, unsigned, unsigned), unsigned planes> bool run(void *state)
{
    const laplace3d &problem = suite_cuda_problem<laplace3d>(state);
    float *a = suite_cuda_at<float>(state, LAPLACE3D_A) + laplace3d_first(&problem);
    float *b = suite_cuda_at<float>(state, LAPLACE3D_B) + laplace3d_first(&problem);
    const dim3 block(COLUMNS, ROWS), grid(problem.side / COLUMNS, problem.side / ROWS, problem.side / planes);
    for (unsigned step = 0; step < problem.sweeps; ++step)
        kernel<<<grid, block>>>(step % 2 ? b : a, step % 2 ? a : b, problem.pitch, problem.plane);
    return suite_cuda_wait();
}

const suite_version versions[] = {
    SUITE_CUDA_VERSION_RESET("flat", (run<flat_kernel, 1>)),
    SUITE_CUDA_VERSION_RESET("planes", (run<planes_kernel, PLANES>)),
};

} // namespace

SUITE_CUDA_VERSIONS(laplace3d, versions)
