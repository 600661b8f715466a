/* SPDX-License-Identifier: Apache-2.0 */
/* Smith and Waterman's alignment in OpenMP. */
#include "../arrays_openmp.h"
#include "wavefront.h"

enum { TILE = WAVEFRONT_TILE, ROWS = WAVEFRONT_SKEWED_ROWS, COLUMNS = WAVEFRONT_SKEWED_COLUMNS };

static inline int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static inline int32_t score_of(bool match, int32_t above_left, int32_t above, int32_t left)
{
    const int32_t pair = above_left + (match ? WAVEFRONT_MATCH : WAVEFRONT_MISMATCH);
    return larger(0, larger(pair, larger(above, left) - WAVEFRONT_GAP));
}

#ifdef SUITE_TARGET

static bool SUITE_NAME(wavefront_cells)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t length = ((const struct wavefront *)s->problem)->length, pitch = wavefront_pitch(length);
    const int32_t *down = s->at[WAVEFRONT_DOWN], *across = s->at[WAVEFRONT_ACROSS];
    int32_t *best = s->at[WAVEFRONT_BEST], *scores = s->at[WAVEFRONT_DIAGONALS];
    for (size_t d = 0; d < 2 * length - 1; ++d) {
        const unsigned first = (unsigned)wavefront_first(d, length),
                       past = first + (unsigned)wavefront_count(d, length);
        const unsigned diagonal = (unsigned)d, last_letter = (unsigned)length - 1;
        const int32_t *before = scores + d % 3 * pitch, *last = scores + (d + 1) % 3 * pitch;
        int32_t *now = scores + (d + 2) % 3 * pitch;
#pragma omp target teams distribute parallel for device(suite_openmp_device)                                           \
    is_device_ptr(down, across, best, before, last, now)
        for (unsigned i = first; i < past; ++i) {
            const bool inside = i != diagonal;
            const int32_t score = score_of(down[i] == across[last_letter - (diagonal - i)], inside ? before[i] : 0,
                                           last[i], inside ? last[i + 1] : 0);
            now[i + 1] = score;
            best[i] = inside ? larger(best[i], score) : score;
        }
    }
    return true;
}

/* A team is a tile. */
static void SUITE_NAME(wavefront_diagonal)(const struct suite_openmp *s, unsigned diagonal, unsigned first_tile,
                                           unsigned count, unsigned tiles)
{
    const int32_t *down = s->at[WAVEFRONT_DOWN], *across = s->at[WAVEFRONT_ACROSS];
    int32_t *all_best = s->at[WAVEFRONT_BEST], *row = s->at[WAVEFRONT_ROW], *column = s->at[WAVEFRONT_COLUMN],
            *corners = s->at[WAVEFRONT_CORNERS];
#pragma omp target teams distribute num_teams(count) thread_limit(TILE) device(suite_openmp_device)                    \
    is_device_ptr(down, across, all_best, row, column, corners)
    for (unsigned t = 0; t < count; ++t) {
        int32_t scores[ROWS * COLUMNS], best[TILE + 1];
        SUITE_TEAM_MEMORY(scores, best)
        const unsigned ti = first_tile + t, tj = diagonal - ti;
#pragma omp parallel num_threads(TILE)
        {
#pragma omp for
            for (unsigned i = 1; i <= TILE; ++i) {
                scores[i * COLUMNS] = ti ? row[tj * TILE + i - 1] : 0;
                scores[i * COLUMNS + i] = tj ? column[ti * TILE + i - 1] : 0;
                best[i] = tj ? all_best[ti * TILE + i - 1] : 0;
                if (i == 1)
                    scores[0] = ti && tj ? corners[(ti - 1) * tiles + tj - 1] : 0;
            }
            for (unsigned d = 2; d <= 2 * TILE; ++d) {
                const unsigned first = d <= TILE ? 1 : d - TILE, past = d <= TILE ? d : TILE + 1;
#pragma omp for
                for (unsigned i = first; i < past; ++i) {
                    const int32_t *last = scores + (d - 1) * COLUMNS + i, *before = last - COLUMNS;
                    const bool match = down[ti * TILE + i - 1] == across[(tiles - 1 - tj) * TILE + TILE + i - d];
                    const int32_t score = score_of(match, *(before - 1), *(last - 1), *last);
                    scores[d * COLUMNS + i] = score;
                    best[i] = larger(best[i], score);
                }
            }
#pragma omp for nowait
            for (unsigned i = 1; i <= TILE; ++i) {
                row[tj * TILE + i - 1] = scores[(TILE + i) * COLUMNS + TILE];
                column[ti * TILE + i - 1] = scores[(TILE + i) * COLUMNS + i];
                all_best[ti * TILE + i - 1] = best[i];
                if (i == TILE)
                    corners[ti * tiles + tj] = scores[2 * TILE * COLUMNS + TILE];
            }
        }
    }
}

#else

/* The threads stay in one parallel region, and meet after each antidiagonal. */
static bool SUITE_NAME(wavefront_cells)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t length = ((const struct wavefront *)s->problem)->length, pitch = wavefront_pitch(length);
    const int32_t *down = s->at[WAVEFRONT_DOWN], *across = s->at[WAVEFRONT_ACROSS];
    int32_t *best = s->at[WAVEFRONT_BEST], *scores = s->at[WAVEFRONT_DIAGONALS];
#pragma omp parallel firstprivate(down, across, best, scores, length, pitch)
    for (size_t d = 0; d < 2 * length - 1; ++d) {
        const size_t first = wavefront_first(d, length), past = first + wavefront_count(d, length);
        const int32_t *before = scores + d % 3 * pitch, *last = scores + (d + 1) % 3 * pitch;
        const int32_t *letters = across + (ptrdiff_t)(length - 1) - (ptrdiff_t)d;
        int32_t *now = scores + (d + 2) % 3 * pitch;
#pragma omp for simd schedule(static)
        for (size_t i = first; i < past; ++i) {
            const bool inside = i != d;
            const int32_t score =
                score_of(down[i] == letters[i], inside ? before[i] : 0, last[i], inside ? last[i + 1] : 0);
            now[i + 1] = score;
            best[i] = inside ? larger(best[i], score) : score;
        }
    }
    return true;
}

static void one_tile(const struct suite_openmp *s, size_t ti, size_t tj, size_t tiles)
{
    const int32_t *down = (const int32_t *)s->at[WAVEFRONT_DOWN] + ti * TILE;
    const int32_t *across = (const int32_t *)s->at[WAVEFRONT_ACROSS] + (tiles - 1 - tj) * TILE;
    int32_t *all_best = (int32_t *)s->at[WAVEFRONT_BEST] + ti * TILE,
            *row = (int32_t *)s->at[WAVEFRONT_ROW] + tj * TILE,
            *column = (int32_t *)s->at[WAVEFRONT_COLUMN] + ti * TILE, *corners = s->at[WAVEFRONT_CORNERS];
    int32_t scores[ROWS * COLUMNS], best[TILE + 1];
    scores[0] = ti && tj ? corners[(ti - 1) * tiles + tj - 1] : 0;
    for (size_t i = 1; i <= TILE; ++i) {
        scores[i * COLUMNS] = ti ? row[i - 1] : 0;
        scores[i * COLUMNS + i] = tj ? column[i - 1] : 0;
        best[i] = tj ? all_best[i - 1] : 0;
    }
    for (size_t d = 2; d <= 2 * TILE; ++d) {
        const size_t first = d <= TILE ? 1 : d - TILE, past = d <= TILE ? d : TILE + 1;
        const int32_t *last = scores + (d - 1) * COLUMNS, *before = last - COLUMNS;
        const int32_t *letters = across + TILE - (ptrdiff_t)d;
        int32_t *now = scores + d * COLUMNS;
#pragma omp simd
        for (size_t i = first; i < past; ++i) {
            const int32_t score = score_of(down[i - 1] == letters[i], before[i - 1], last[i - 1], last[i]);
            now[i] = score;
            best[i] = larger(best[i], score);
        }
    }
    for (size_t i = 1; i <= TILE; ++i) {
        row[i - 1] = scores[(TILE + i) * COLUMNS + TILE];
        column[i - 1] = scores[(TILE + i) * COLUMNS + i];
        all_best[i - 1] = best[i];
    }
    corners[ti * tiles + tj] = scores[2 * TILE * COLUMNS + TILE];
}

static void SUITE_NAME(wavefront_diagonal)(const struct suite_openmp *s, unsigned diagonal, unsigned first_tile,
                                           unsigned count, unsigned tiles)
{
#pragma omp parallel for schedule(static)
    for (unsigned t = 0; t < count; ++t)
        one_tile(s, first_tile + t, diagonal - first_tile - t, tiles);
}

#endif

static bool SUITE_NAME(wavefront_tiles)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t tiles = ((const struct wavefront *)s->problem)->length / TILE;
    for (size_t d = 0; d < 2 * tiles - 1; ++d)
        SUITE_NAME(wavefront_diagonal)(s, (unsigned)d, (unsigned)wavefront_first(d, tiles),
                                       (unsigned)wavefront_count(d, tiles), (unsigned)tiles);
    return true;
}

static const struct suite_version versions[] = {
    SUITE_OPENMP_VERSION("cells", SUITE_NAME(wavefront_cells)),
    SUITE_OPENMP_VERSION("tiles", SUITE_NAME(wavefront_tiles)),
};
const struct suite_versions SUITE_OPENMP_VERSIONS(wavefront) = SUITE_VERSIONS(versions);
