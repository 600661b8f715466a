/* SPDX-License-Identifier: Apache-2.0 */
/* Floyd and Warshall's algorithm in CUDA. */
#include "../arrays_cuda.h"
#include "floydwarshall.h"

namespace
{

__global__ void one_node(int *distance, int *through, unsigned nodes, unsigned node)
{
    const unsigned j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    const int way = distance[i * nodes + node] + distance[node * nodes + j];
    if (way < distance[i * nodes + j]) {
        distance[i * nodes + j] = way;
        through[i * nodes + j] = (int)node;
    }
}

bool run(void *state)
{
    const unsigned nodes = (unsigned)suite_cuda_problem<floydwarshall>(state).nodes;
    int *paths = suite_cuda_at<int>(state, FLOYDWARSHALL_PATHS);
    const dim3 block(64, 4), grid(nodes / 64, nodes / 4);
    for (unsigned node = 0; node < nodes; ++node)
        one_node<<<grid, block>>>(paths, paths + nodes * nodes, nodes, node);
    return suite_cuda_wait();
}

const suite_version versions[] = {SUITE_CUDA_VERSION_RESET("flat", run)};

} // namespace

SUITE_CUDA_VERSIONS(floydwarshall, versions)
