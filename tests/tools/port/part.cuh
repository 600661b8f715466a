/* SPDX-License-Identifier: Apache-2.0 */
/* What groups.cu and outside.cu have in common: a kernel of one that the other launches, and device functions. */
#ifndef PART_CUH
#define PART_CUH

#define ROWS 24
#define COLUMNS 40
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

struct cell {
    float value;
    int row, column;
};

__global__ void transpose(const float *in, float *out, int rows, int columns);

static __host__ __device__ __forceinline__ int wrapped(int i, int n)
{
    return i < 0 ? i + n : i >= n ? i - n : i;
}

#endif
