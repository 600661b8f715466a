/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms in CUDA, by the algorithms of examples/groups. */
#include "../arrays_cuda.h"
#include "histogram.h"

namespace
{

constexpr unsigned bin_count = HISTOGRAM_VALUES, group = HISTOGRAM_GROUP, lanes = HISTOGRAM_LANES,
                   wide = HISTOGRAM_LANES_GROUP;

struct range {
    unsigned first, past;
};

__device__ range range_of(unsigned each, unsigned count)
{
    const unsigned first = blockIdx.x * each;
    return {first, count - first < each ? count : first + each};
}

__global__ void __launch_bounds__(group)
    phases_kernel(const unsigned char *bytes, unsigned *bins, unsigned count, unsigned each)
{
    __shared__ unsigned counts[bin_count];
    const range r = range_of(each, count);
    for (unsigned bin = threadIdx.x; bin < bin_count; bin += group)
        counts[bin] = 0;
    __syncthreads();
    for (unsigned i = r.first + threadIdx.x; i < r.past; i += group)
        atomicAdd(&counts[bytes[i]], 1u);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < bin_count; bin += group)
        if (counts[bin])
            atomicAdd(&bins[bin], counts[bin]);
}

__device__ void count_pack(unsigned *own, uint4 pack)
{
    const unsigned words[4] = {pack.x, pack.y, pack.z, pack.w};
#pragma unroll
    for (unsigned i = 0; i < 16; ++i)
        atomicAdd(&own[(words[i / 4] >> 8 * (i % 4) & 255) * lanes], 1u);
}

__device__ unsigned lanes_work[bin_count + 1]; /* counts, and how many groups are done; 0 between launches */

__global__ void __launch_bounds__(wide, 2)
    lanes_kernel(const unsigned char *bytes, unsigned *bins, unsigned count, unsigned each)
{
    __shared__ unsigned before;
    __shared__ unsigned counts[bin_count * lanes];
    const unsigned local = threadIdx.x;
    const range r = range_of(each, count);
    const unsigned packs = (r.past - r.first) / 16;
    const uint4 *in = (const uint4 *)(bytes + r.first);
    unsigned *own = &counts[local % lanes];
    for (unsigned i = local; i < bin_count * lanes; i += wide)
        counts[i] = 0;
    __syncthreads();
    unsigned p = local;
    for (; p + wide < packs; p += 2 * wide) {
        const uint4 pack = in[p], next = in[p + wide];
        count_pack(own, pack);
        count_pack(own, next);
    }
    if (p < packs)
        count_pack(own, in[p]);
    const unsigned last = r.first + packs * 16 + local;
    if (last < r.past)
        atomicAdd(&own[bytes[last] * lanes], 1u);
    __syncthreads();
    if (local < bin_count) {
        unsigned sum = 0;
        for (unsigned lane = 0; lane < lanes; ++lane)
            sum += counts[local * lanes + (local + lane) % lanes];
        if (sum)
            atomicAdd(&lanes_work[local], sum);
    }
    __threadfence();
    __syncthreads();
    if (local == 0) {
        before = atomicAdd(&lanes_work[bin_count], 1u);
        __threadfence();
    }
    __syncthreads();
    if (before + 1 == gridDim.x) {
        if (local < bin_count) {
            bins[local] = __ldcg(&lanes_work[local]);
            lanes_work[local] = 0;
        }
        if (local == 0)
            lanes_work[bin_count] = 0;
    }
}

bool run_phases(void *state)
{
    const size_t count = suite_cuda_problem<histogram_problem>(state).count;
    const size_t each = histogram_part(count, suite_cuda_units(), 8);
    unsigned *counts = suite_cuda_at<unsigned>(state, HISTOGRAM_COUNTS);
    if (!suite_cuda_passed(cudaMemsetAsync(counts, 0, bin_count * sizeof(unsigned))))
        return false;
    phases_kernel<<<(unsigned)((count + each - 1) / each), group>>>(
        suite_cuda_at<unsigned char>(state, HISTOGRAM_BYTES), counts, (unsigned)count, (unsigned)each);
    return suite_cuda_wait();
}

bool run_lanes(void *state)
{
    const size_t count = suite_cuda_problem<histogram_problem>(state).count;
    const size_t each = histogram_part(count, suite_cuda_units(), 2);
    lanes_kernel<<<(unsigned)((count + each - 1) / each), wide>>>(suite_cuda_at<unsigned char>(state, HISTOGRAM_BYTES),
                                                                  suite_cuda_at<unsigned>(state, HISTOGRAM_COUNTS),
                                                                  (unsigned)count, (unsigned)each);
    return suite_cuda_wait();
}

const suite_version versions[] = {
    SUITE_CUDA_VERSION("phases", run_phases),
    SUITE_CUDA_VERSION("lanes", run_lanes),
};

} // namespace

SUITE_CUDA_VERSIONS(histogram, versions)
SUITE_CUDA_VERSIONS(histogram_of_one, versions)
