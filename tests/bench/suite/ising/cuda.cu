/* SPDX-License-Identifier: Apache-2.0 */
/* The Ising model in CUDA. */
#include "../arrays_cuda.h"
#include "ising.h"

namespace
{

enum { ROWS = 4, COLUMNS = 64 };

__global__ void __launch_bounds__(ROWS *COLUMNS)
    update_kernel(signed char *spins, const signed char *others, ising_thresholds thresholds, unsigned rows,
                  unsigned columns, unsigned pitch, unsigned turn, unsigned odd)
{
    const unsigned row = blockIdx.y * ROWS + threadIdx.y, column = blockIdx.x * COLUMNS + threadIdx.x;
    if (row >= rows || column >= columns)
        return;
    const unsigned at = row * pitch + column;
    const signed char *here = others + at;
    const int sum = here[-(int)pitch] + here[0] + here[pitch] + (row % 2 == odd ? here[1] : here[-1]);
    const uint32_t t1 = thresholds.at[0], t2 = thresholds.at[1], t3 = thresholds.at[2], t4 = thresholds.at[3];
    ISING_SPIN(spins[at], spins[at], sum, at, turn, t1, t2, t3, t4);
}

bool run_flat(void *state)
{
    const ising &problem = suite_cuda_problem<ising>(state);
    signed char *black = suite_cuda_at<signed char>(state, ISING_BLACK) + ising_first(&problem);
    signed char *white = suite_cuda_at<signed char>(state, ISING_WHITE) + ising_first(&problem);
    const dim3 block(COLUMNS, ROWS);
    const dim3 grid(suite_cuda_groups(problem.columns, COLUMNS), suite_cuda_groups(problem.rows, ROWS));
    for (unsigned sweep = 0; sweep < problem.sweeps; ++sweep) {
        update_kernel<<<grid, block>>>(black, white, problem.thresholds, problem.rows, problem.columns, problem.pitch,
                                       ising_turn(2 * sweep), 1);
        update_kernel<<<grid, block>>>(white, black, problem.thresholds, problem.rows, problem.columns, problem.pitch,
                                       ising_turn(2 * sweep + 1), 0);
    }
    return suite_cuda_wait();
}

const suite_version versions[] = {SUITE_CUDA_VERSION_RESET("flat", run_flat)};

} // namespace

SUITE_CUDA_VERSIONS(ising, versions)
