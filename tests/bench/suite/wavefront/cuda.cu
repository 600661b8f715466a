/* SPDX-License-Identifier: Apache-2.0 */
/* Smith and Waterman's alignment in CUDA. */
#include "../arrays_cuda.h"
#include "wavefront.h"

namespace
{

constexpr unsigned tile = WAVEFRONT_TILE, rows = WAVEFRONT_SKEWED_ROWS, columns = WAVEFRONT_SKEWED_COLUMNS;

__device__ int score_of(bool match, int above_left, int above, int left)
{
    const int pair = above_left + (match ? WAVEFRONT_MATCH : WAVEFRONT_MISMATCH);
    return max(0, max(pair, max(above, left) - WAVEFRONT_GAP));
}

/* across: the letter of row 0 on this antidiagonal */
__global__ void cells_kernel(const int *down, const int *across, const int *before, const int *last, int *now,
                             int *best, unsigned diagonal, unsigned first, unsigned count)
{
    const unsigned at = blockIdx.x * blockDim.x + threadIdx.x, i = first + at;
    if (at >= count)
        return;
    const bool inside = i != diagonal;
    const int score = score_of(down[i] == across[i], inside ? before[i] : 0, last[i], inside ? last[i + 1] : 0);
    now[i + 1] = score;
    best[i] = inside ? max(best[i], score) : score;
}

__global__ void __launch_bounds__(tile)
    tiles_kernel(const int *down, const int *across, int *all_best, int *row, int *column, int *corners, unsigned tiles,
                 unsigned diagonal, unsigned first)
{
    __shared__ int scores[rows * columns];
    const unsigned ti = first + blockIdx.x, tj = diagonal - ti, i = threadIdx.x + 1;
    const int letter = down[ti * tile + i - 1];
    const int *letters = across + (tiles - 1 - tj) * tile + tile + i;
    int best = tj ? all_best[ti * tile + i - 1] : 0;

    scores[i * columns] = ti ? row[tj * tile + i - 1] : 0;
    scores[i * columns + i] = tj ? column[ti * tile + i - 1] : 0;
    if (i == 1)
        scores[0] = ti && tj ? corners[(ti - 1) * tiles + tj - 1] : 0;
    for (unsigned d = 2; d <= 2 * tile; ++d) {
        __syncthreads();
        if (i < d && d <= i + tile) {
            int *now = scores + d * columns + i;
            const int score =
                score_of(letter == *(letters - d), *(now - 2 * columns - 1), *(now - columns - 1), *(now - columns));
            *now = score;
            best = max(best, score);
        }
    }
    __syncthreads();
    row[tj * tile + i - 1] = scores[(tile + i) * columns + tile];
    column[ti * tile + i - 1] = scores[(tile + i) * columns + i];
    all_best[ti * tile + i - 1] = best;
    if (i == tile)
        corners[ti * tiles + tj] = scores[2 * tile * columns + tile];
}

bool run_cells(void *state)
{
    const size_t length = suite_cuda_problem<wavefront>(state).length, pitch = wavefront_pitch(length);
    int *scores = suite_cuda_at<int>(state, WAVEFRONT_DIAGONALS), *best = suite_cuda_at<int>(state, WAVEFRONT_BEST);
    const int *down = suite_cuda_at<int>(state, WAVEFRONT_DOWN), *across = suite_cuda_at<int>(state, WAVEFRONT_ACROSS);
    for (size_t d = 0; d < 2 * length - 1; ++d) {
        const unsigned count = (unsigned)wavefront_count(d, length);
        cells_kernel<<<suite_cuda_groups(count, 256), 256>>>(
            down, across + (ptrdiff_t)(length - 1) - (ptrdiff_t)d, scores + d % 3 * pitch, scores + (d + 1) % 3 * pitch,
            scores + (d + 2) % 3 * pitch, best, (unsigned)d, (unsigned)wavefront_first(d, length), count);
    }
    return suite_cuda_wait();
}

bool run_tiles(void *state)
{
    const size_t tiles = suite_cuda_problem<wavefront>(state).length / tile;
    for (size_t d = 0; d < 2 * tiles - 1; ++d)
        tiles_kernel<<<(unsigned)wavefront_count(d, tiles), tile>>>(
            suite_cuda_at<int>(state, WAVEFRONT_DOWN), suite_cuda_at<int>(state, WAVEFRONT_ACROSS),
            suite_cuda_at<int>(state, WAVEFRONT_BEST), suite_cuda_at<int>(state, WAVEFRONT_ROW),
            suite_cuda_at<int>(state, WAVEFRONT_COLUMN), suite_cuda_at<int>(state, WAVEFRONT_CORNERS), (unsigned)tiles,
            (unsigned)d, (unsigned)wavefront_first(d, tiles));
    return suite_cuda_wait();
}

const suite_version versions[] = {
    SUITE_CUDA_VERSION("cells", run_cells),
    SUITE_CUDA_VERSION("tiles", run_tiles),
};

} // namespace

SUITE_CUDA_VERSIONS(wavefront, versions)
