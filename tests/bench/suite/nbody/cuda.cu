/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies in CUDA. */
#include "../arrays_cuda.h"
#include "nbody.h"

namespace
{

enum { GROUP = NBODY_GROUP };

__device__ __forceinline__ void add_pull(float3 &sum, float dx, float dy, float dz, float mass)
{
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + NBODY_SOFTENING);
    const float pull = mass * inverse * inverse * inverse;
    sum.x += dx * pull;
    sum.y += dy * pull;
    sum.z += dz * pull;
}

__device__ __forceinline__ void change(float *velocities, unsigned n, unsigned i, float3 sum)
{
    velocities[i] += sum.x * NBODY_TIME;
    velocities[n + i] += sum.y * NBODY_TIME;
    velocities[2 * n + i] += sum.z * NBODY_TIME;
}

__global__ void __launch_bounds__(GROUP) flat_kernel(const float *positions, float *velocities, unsigned n)
{
    const unsigned i = blockIdx.x * GROUP + threadIdx.x;
    if (i >= n)
        return;
    const float *x = positions, *y = x + n, *z = y + n, *mass = z + n;
    const float my_x = x[i], my_y = y[i], my_z = z[i];
    float3 sum = make_float3(0, 0, 0);
#pragma unroll 8
    for (unsigned j = 0; j < n; ++j)
        add_pull(sum, x[j] - my_x, y[j] - my_y, z[j] - my_z, mass[j]);
    change(velocities, n, i, sum);
}

__global__ void __launch_bounds__(GROUP) tiled_kernel(const float *positions, float *velocities, unsigned n)
{
    __shared__ __align__(16) float tile[4][GROUP];
    const unsigned at = threadIdx.x, i = blockIdx.x * GROUP + at;
    const float my_x = positions[i], my_y = positions[n + i], my_z = positions[2 * n + i];
    float3 sum = make_float3(0, 0, 0);
    for (unsigned first = 0; first < n; first += GROUP) {
        for (unsigned row = 0; row < 4; ++row)
            tile[row][at] = positions[row * n + first + at];
        __syncthreads();
#pragma unroll 8
        for (unsigned j = 0; j < GROUP; ++j)
            add_pull(sum, tile[0][j] - my_x, tile[1][j] - my_y, tile[2][j] - my_z, tile[3][j]);
        __syncthreads();
    }
    change(velocities, n, i, sum);
}

__global__ void __launch_bounds__(GROUP) move_kernel(float *positions, const float *velocities, unsigned count)
{
    const unsigned i = blockIdx.x * GROUP + threadIdx.x;
    if (i < count)
        positions[i] += velocities[i] * NBODY_TIME;
}

__global__ void __launch_bounds__(GROUP)
    energy_kernel(const float *mass, const float *velocities, unsigned n, float *energy)
{
    float sum = 0;
    for (unsigned i = blockIdx.x * GROUP + threadIdx.x; i < n; i += gridDim.x * GROUP) {
        const float vx = velocities[i], vy = velocities[n + i], vz = velocities[2 * n + i];
        sum += 0.5f * mass[i] * (vx * vx + vy * vy + vz * vz);
    }
    sum = suite_cuda_group_sum<GROUP>(sum);
    if (threadIdx.x == 0)
        atomicAdd(energy, sum);
}

template <void (*kernel)(const float *, float *, unsigned)> bool run(void *state)
{
    const nbody &problem = suite_cuda_problem<nbody>(state);
    const unsigned n = problem.count;
    float *positions = suite_cuda_at<float>(state, NBODY_POSITIONS);
    float *velocities = suite_cuda_at<float>(state, NBODY_VELOCITIES),
          *energy = suite_cuda_at<float>(state, NBODY_ENERGY);
    for (unsigned step = 0; step < problem.steps; ++step) {
        kernel<<<suite_cuda_groups(n, GROUP), GROUP>>>(positions, velocities, n);
        move_kernel<<<suite_cuda_groups(3 * (size_t)n, GROUP), GROUP>>>(positions, velocities, 3 * n);
        if (!suite_cuda_passed(cudaMemsetAsync(energy, 0, sizeof *energy)))
            return false;
        energy_kernel<<<suite_cuda_units(), GROUP>>>(positions + 3 * (size_t)n, velocities, n, energy);
    }
    return suite_cuda_wait();
}

bool fetch(void *state, void *result)
{
    const nbody &problem = suite_cuda_problem<nbody>(state);
    return suite_cuda_fetch(state, result)
           && suite_cuda_get(suite_cuda_at<float>(state, NBODY_ENERGY),
                             static_cast<float *>(result) + 4 * (size_t)problem.count, sizeof(float));
}

const suite_version versions[] = {
    {"flat", nullptr, suite_cuda_open, suite_cuda_reset, run<flat_kernel>, fetch, suite_cuda_close},
    {"tiled", nullptr, suite_cuda_open, suite_cuda_reset, run<tiled_kernel>, fetch, suite_cuda_close},
};

} // namespace

SUITE_CUDA_VERSIONS(nbody, versions)
