/* SPDX-License-Identifier: Apache-2.0 */
/* A Gaussian filter in CUDA. */
#include "../arrays_cuda.h"
#include "convolution.h"

namespace
{

constexpr unsigned radius = CONVOLUTION_RADIUS, rows = CONVOLUTION_GROUP_ROWS, columns = CONVOLUTION_GROUP_COLUMNS,
                   width = columns * CONVOLUTION_ROW_TILE, height = rows * CONVOLUTION_COLUMN_TILE;

__constant__ convolution_weights weights;

__device__ float weighted_sum(const float *in, unsigned step)
{
    float sum = in[0] * weights.at[0];
#pragma unroll
    for (unsigned d = 1; d <= radius; ++d)
        sum += (*(in - d * step) + in[d * step]) * weights.at[d];
    return sum;
}

__global__ void flat_rows(const float *in, float *out, unsigned pitch)
{
    const unsigned at = (blockIdx.y * blockDim.y + threadIdx.y) * pitch + blockIdx.x * blockDim.x + threadIdx.x;
    out[at] = weighted_sum(in + at, 1);
}

__global__ void flat_columns(const float *in, float *out, unsigned pitch)
{
    const unsigned at = (blockIdx.y * blockDim.y + threadIdx.y) * pitch + blockIdx.x * blockDim.x + threadIdx.x;
    out[at] = weighted_sum(in + at, pitch);
}

__global__ void __launch_bounds__(rows *columns) tiled_rows(const float *in, float *out, unsigned pitch)
{
    __shared__ float tile[rows][width + 2 * radius];
    const unsigned i = threadIdx.y, j = threadIdx.x, corner = (blockIdx.y * rows + i) * pitch + blockIdx.x * width;
#pragma unroll
    for (unsigned at = 0; at < width + 2 * radius; at += columns)
        if (at + j < width + 2 * radius)
            tile[i][at + j] = (in + corner - radius)[at + j];
    __syncthreads();
#pragma unroll
    for (unsigned at = 0; at < width; at += columns)
        out[corner + at + j] = weighted_sum(&tile[i][radius + at + j], 1);
}

__global__ void __launch_bounds__(rows *columns) tiled_columns(const float *in, float *out, unsigned pitch)
{
    __shared__ float tile[height + 2 * radius][columns];
    const unsigned i = threadIdx.y, j = threadIdx.x, corner = blockIdx.y * height * pitch + blockIdx.x * columns + j;
#pragma unroll
    for (unsigned at = 0; at < height + 2 * radius; at += rows)
        tile[at + i][j] = (in + corner - radius * pitch)[(at + i) * pitch];
    __syncthreads();
#pragma unroll
    for (unsigned at = 0; at < height; at += rows)
        out[corner + (at + i) * pitch] = weighted_sum(&tile[radius + at + i][j], columns);
}

/* The weights go to constant memory when the version is opened, as a program does once. */
void *open(const void *problem)
{
    if (!suite_cuda_passed(
            cudaMemcpyToSymbol(weights, &static_cast<const convolution *>(problem)->weights, sizeof weights)))
        return nullptr;
    return suite_cuda_open(problem);
}

bool run_flat(void *state)
{
    const convolution &c = suite_cuda_problem<convolution>(state);
    const size_t inside = convolution_inside(&c);
    const dim3 block(64, 4), grid((unsigned)c.side / 64, (unsigned)c.side / 4);
    float *between = suite_cuda_at<float>(state, CONVOLUTION_BETWEEN) + inside;
    flat_rows<<<grid, block>>>(suite_cuda_at<float>(state, CONVOLUTION_IN) + inside, between, (unsigned)c.pitch);
    flat_columns<<<grid, block>>>(between, suite_cuda_at<float>(state, CONVOLUTION_OUT) + inside, (unsigned)c.pitch);
    return suite_cuda_wait();
}

bool run_tiled(void *state)
{
    const convolution &c = suite_cuda_problem<convolution>(state);
    const size_t inside = convolution_inside(&c);
    const unsigned side = (unsigned)c.side;
    float *between = suite_cuda_at<float>(state, CONVOLUTION_BETWEEN) + inside;
    tiled_rows<<<dim3(side / width, side / rows), dim3(columns, rows)>>>(
        suite_cuda_at<float>(state, CONVOLUTION_IN) + inside, between, (unsigned)c.pitch);
    tiled_columns<<<dim3(side / columns, side / height), dim3(columns, rows)>>>(
        between, suite_cuda_at<float>(state, CONVOLUTION_OUT) + inside, (unsigned)c.pitch);
    return suite_cuda_wait();
}

const suite_version versions[] = {
    {"flat", nullptr, open, nullptr, run_flat, suite_cuda_fetch, suite_cuda_close},
    {"tiled", nullptr, open, nullptr, run_tiled, suite_cuda_fetch, suite_cuda_close},
};

} // namespace

SUITE_CUDA_VERSIONS(convolution, versions)
