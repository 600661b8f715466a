/* SPDX-License-Identifier: Apache-2.0 */
/* Permuting in CUDA. */
#include "../arrays_cuda.h"
#include "permute.h"

namespace
{

enum { BLOCK = 256 };

__global__ void __launch_bounds__(BLOCK) flat_kernel(const float *in, float *out, permute_shape s, unsigned count)
{
    const unsigned at = blockIdx.x * BLOCK + threadIdx.x;
    if (at >= count)
        return;
    const unsigned depth = at % s.depth, row = at / s.depth;
    const unsigned time = row % s.times, plane = row / s.times;
    const unsigned head = plane % s.heads, batch = plane / s.heads % s.batches, which = plane / s.heads / s.batches;
    out[at] = in[(((batch * s.times + time) * 3 + which) * s.heads + head) * s.depth + depth];
}

/* Blocks are as wide as the depth, up to their size. */
__global__ void __launch_bounds__(BLOCK) rows_kernel(const float *in, float *out, permute_shape s)
{
    const unsigned plane = blockIdx.x, time = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned head = plane % s.heads, batch = plane / s.heads % s.batches, which = plane / s.heads / s.batches;
    if (time >= s.times)
        return;
    const float *from = in + (((batch * s.times + time) * 3 + which) * s.heads + head) * s.depth;
    float *to = out + (plane * s.times + time) * s.depth;
    for (unsigned depth = threadIdx.x; depth < s.depth; depth += blockDim.x)
        to[depth] = from[depth];
}

bool run_flat(void *state)
{
    const permute_shape &shape = suite_cuda_problem<permute>(state).shape;
    const unsigned count = permute_count(&shape);
    flat_kernel<<<suite_cuda_groups(count, BLOCK), BLOCK>>>(suite_cuda_at<float>(state, PERMUTE_IN),
                                                            suite_cuda_at<float>(state, PERMUTE_OUT), shape, count);
    return suite_cuda_wait();
}

bool run_rows(void *state)
{
    const permute_shape &shape = suite_cuda_problem<permute>(state).shape;
    const unsigned wide = shape.depth < BLOCK ? shape.depth : BLOCK;
    const dim3 block(wide, BLOCK / wide),
        grid(3 * shape.batches * shape.heads, suite_cuda_groups(shape.times, block.y));
    rows_kernel<<<grid, block>>>(suite_cuda_at<float>(state, PERMUTE_IN), suite_cuda_at<float>(state, PERMUTE_OUT),
                                 shape);
    return suite_cuda_wait();
}

const suite_version versions[] = {
    SUITE_CUDA_VERSION("flat", run_flat),
    SUITE_CUDA_VERSION("rows", run_rows),
};

} // namespace

SUITE_CUDA_VERSIONS(permute, versions)
