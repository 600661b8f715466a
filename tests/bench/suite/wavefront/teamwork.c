/* SPDX-License-Identifier: Apache-2.0 */
/* Smith and Waterman's alignment in Teamwork: launches that each need the ones before, which the accessors tell. */
#include "../arrays_teamwork.h"
#include "wavefront.h"

static inline int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static inline int32_t score_of(bool match, int32_t above_left, int32_t above, int32_t left)
{
    const int32_t pair = above_left + (match ? WAVEFRONT_MATCH : WAVEFRONT_MISMATCH);
    return larger(0, larger(pair, larger(above, left) - WAVEFRONT_GAP));
}

/* ---- cells: a work-item for each cell of an antidiagonal --------------------------------------------------------- */

struct wavefront_cells {
    const int32_t *down, *across; /* across: the letter of row 0 on this antidiagonal */
    const int32_t *before, *last; /* scores of the antidiagonal before the last, and of the last */
    int32_t *now, *best;
    unsigned diagonal;
};

static inline void wavefront_cells(tw_item item, const struct wavefront_cells *k)
{
    const size_t i = tw_global_id(item, 0);
    const bool inside = i != k->diagonal; /* else it is in column 0, and what is left of that is no score */
    const int32_t score =
        score_of(k->down[i] == k->across[i], inside ? k->before[i] : 0, k->last[i], inside ? k->last[i + 1] : 0);
    k->now[i + 1] = score;
    k->best[i] = inside ? larger(k->best[i], score) : score;
}
TW_RANGE_KERNEL(wavefront_cells, 1);

/* Buffers of this form, for its three antidiagonals. */
struct cells {
    struct suite_teamwork *common;
    tw_buffer *scores[3];
};

static void close_cells(void *state)
{
    struct cells *cells = state;
    for (unsigned i = 0; i < 3; ++i)
        bench_passed(tw_buffer_destroy(&cells->scores[i]));
    if (cells->common)
        suite_teamwork_close(cells->common);
    free(cells);
}

static void *open_cells(const void *problem)
{
    const struct wavefront *w = problem;
    struct cells *cells = calloc(1, sizeof *cells);
    if (!cells)
        return NULL;
    cells->common = suite_teamwork_open(problem);
    bool all = cells->common != NULL;
    for (unsigned i = 0; i < 3 && all; ++i)
        all = bench_passed(tw_buffer_create_copy(w->arrays.at[WAVEFRONT_DIAGONALS].initial, sizeof(int32_t),
                                                 tw_range_1d(wavefront_pitch(w->length)), &cells->scores[i]));
    if (all)
        return cells;
    close_cells(cells);
    return NULL;
}

static bool fetch_cells(void *state, void *result)
{
    return suite_teamwork_fetch(((struct cells *)state)->common, result);
}

static bool run_cells(void *state)
{
    const struct cells *cells = state;
    const struct suite_teamwork *s = cells->common;
    const size_t length = ((const struct wavefront *)s->problem)->length;
    for (size_t d = 0; d < 2 * length - 1; ++d) {
        tw_command_group *cg = tw_queue_begin(bench_queue());
        const int32_t *across = tw_read(cg, s->at[WAVEFRONT_ACROSS]);
        if (across) /* row i has column d - i, whose letter is number length - 1 - (d - i) */
            tw_parallel_for_offset(
                cg, tw_range_1d(wavefront_count(d, length)), tw_id_1d(wavefront_first(d, length)), wavefront_cells,
                .down = tw_read(cg, s->at[WAVEFRONT_DOWN]), .across = across + (ptrdiff_t)(length - 1) - (ptrdiff_t)d,
                .before = tw_read(cg, cells->scores[d % 3]), .last = tw_read(cg, cells->scores[(d + 1) % 3]),
                .now = tw_write(cg, cells->scores[(d + 2) % 3]), .best = tw_read_write(cg, s->at[WAVEFRONT_BEST]),
                .diagonal = (unsigned)d);
        if (!suite_submit(cg))
            return false;
    }
    return suite_wait();
}

/* ---- tiles: a group for each tile of an antidiagonal ------------------------------------------------------------- */

enum { TILE = WAVEFRONT_TILE, ROWS = WAVEFRONT_SKEWED_ROWS, COLUMNS = WAVEFRONT_SKEWED_COLUMNS };

struct wavefront_groups {
    const int32_t *down, *across;
    int32_t *best, *row, *column, *corners;
    unsigned tiles, diagonal, first; /* tiles of a row; the antidiagonal, and the row of its first tile */
};

/* The cells of a tile, with work-items for what each antidiagonal has: for a CPU, which takes no turns but those. */
static inline void wavefront_diagonals(tw_group group, int32_t *scores, int32_t *best, const int32_t *down,
                                       const int32_t *across)
{
    for (unsigned d = 2; d <= 2 * TILE; ++d) {
        const unsigned first = d <= TILE ? 1 : d - TILE, count = d <= TILE ? d - 1 : 2 * TILE + 1 - d;
        int32_t *now = scores + d * COLUMNS + first, *most = best + first;
        const int32_t *last = now - COLUMNS, *before = now - 2 * COLUMNS;
        const int32_t *letters = down + (first - 1), *others = across + TILE + first - d;
        tw_parallel_for_work_item_range(group, item, tw_range_1d(count)) {
            const size_t i = tw_local_id(item, 0);
            const int32_t score = score_of(letters[i] == others[i], (before - 1)[i], (last - 1)[i], last[i]);
            now[i] = score;
            most[i] = larger(most[i], score);
        }
    }
}

/* With a work-item for each row, which keeps what belongs to it: for a GPU, where those without a cell cost nothing. */
static inline void wavefront_rows(tw_group group, int32_t *scores, int32_t *best, const int32_t *down,
                                  const int32_t *across)
{
    TW_PRIVATE(group, int32_t, letter);
    TW_PRIVATE(group, int32_t, most);
    tw_parallel_for_work_item(group, item) {
        const unsigned i = (unsigned)tw_local_id(item, 0) + 1;
        tw_private(letter, item) = down[i - 1];
        tw_private(most, item) = best[i];
    }
    for (unsigned d = 2; d <= 2 * TILE; ++d) {
        tw_parallel_for_work_item(group, item) {
            const unsigned i = (unsigned)tw_local_id(item, 0) + 1;
            if (i >= d || d > i + TILE)
                continue;
            int32_t *now = scores + d * COLUMNS + i;
            const int32_t score = score_of(tw_private(letter, item) == (across + TILE + i)[-(int)d],
                                           *(now - 2 * COLUMNS - 1), *(now - COLUMNS - 1), *(now - COLUMNS));
            *now = score;
            tw_private(most, item) = larger(tw_private(most, item), score);
        }
    }
    tw_parallel_for_work_item(group, item) {
        best[tw_local_id(item, 0) + 1] = tw_private(most, item);
    }
}

static inline void wavefront_groups(tw_group group, const struct wavefront_groups *k)
{
    TW_LOCAL(int32_t, scores, [ROWS * COLUMNS]);
    TW_LOCAL(int32_t, best, [TILE + 1]);
    const unsigned ti = k->first + (unsigned)tw_group_id(group, 0), tj = k->diagonal - ti;
    const int32_t *down = k->down + ti * TILE, *across = k->across + (k->tiles - 1 - tj) * TILE;

    /* the last scores of the tiles around this one; cells count from 1 */
    tw_parallel_for_work_item(group, item) {
        const unsigned i = (unsigned)tw_local_id(item, 0) + 1;
        scores[i * COLUMNS] = ti ? k->row[tj * TILE + i - 1] : 0;
        scores[i * COLUMNS + i] = tj ? k->column[ti * TILE + i - 1] : 0;
        best[i] = tj ? k->best[ti * TILE + i - 1] : 0;
    }
    TW_ONCE(group) {
        scores[0] = ti && tj ? k->corners[(ti - 1) * k->tiles + tj - 1] : 0;
    }
    if (TW_ON_GPU)
        wavefront_rows(group, scores, best, down, across);
    else
        wavefront_diagonals(group, scores, best, down, across);
    tw_parallel_for_work_item(group, item) {
        const unsigned i = (unsigned)tw_local_id(item, 0) + 1;
        k->row[tj * TILE + i - 1] = scores[(TILE + i) * COLUMNS + TILE];
        k->column[ti * TILE + i - 1] = scores[(TILE + i) * COLUMNS + i];
        k->best[ti * TILE + i - 1] = best[i];
        if (i == TILE)
            k->corners[ti * k->tiles + tj] = scores[2 * TILE * COLUMNS + TILE];
    }
}
TW_WORK_GROUP_KERNEL(wavefront_groups, TILE);

struct wavefront_items {
    const int32_t *down, *across;
    int32_t *best, *row, *column, *corners;
    unsigned tiles, diagonal, first;
};

/* Work-item i - 1 has row i of the tile, and the best score of that in a register. */
static inline void wavefront_items(tw_nd_item item, const struct wavefront_items *k)
{
    TW_LOCAL(int32_t, scores, [ROWS * COLUMNS]);
    const unsigned ti = k->first + (unsigned)tw_group_id(item, 0), tj = k->diagonal - ti;
    const unsigned i = (unsigned)tw_local_id(item, 0) + 1;
    const int32_t letter = k->down[ti * TILE + i - 1];
    const int32_t *across = k->across + (k->tiles - 1 - tj) * TILE + TILE + i;
    int32_t best = tj ? k->best[ti * TILE + i - 1] : 0;

    scores[i * COLUMNS] = ti ? k->row[tj * TILE + i - 1] : 0;
    scores[i * COLUMNS + i] = tj ? k->column[ti * TILE + i - 1] : 0;
    if (i == 1)
        scores[0] = ti && tj ? k->corners[(ti - 1) * k->tiles + tj - 1] : 0;
    for (unsigned d = 2; d <= 2 * TILE; ++d) {
        tw_barrier(item, TW_LOCAL_SPACE);
        if (i < d && d <= i + TILE) {
            int32_t *now = scores + d * COLUMNS + i;
            const int32_t score =
                score_of(letter == *(across - d), *(now - 2 * COLUMNS - 1), *(now - COLUMNS - 1), *(now - COLUMNS));
            *now = score;
            best = larger(best, score);
        }
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    k->row[tj * TILE + i - 1] = scores[(TILE + i) * COLUMNS + TILE];
    k->column[ti * TILE + i - 1] = scores[(TILE + i) * COLUMNS + i];
    k->best[ti * TILE + i - 1] = best;
    if (i == TILE)
        k->corners[ti * k->tiles + tj] = scores[2 * TILE * COLUMNS + TILE];
}
TW_ND_RANGE_KERNEL(wavefront_items, TILE);

/* ---- versions ---------------------------------------------------------------------------------------------------- */

static bool run_groups(void *state)
{
    const struct suite_teamwork *s = state;
    const size_t tiles = ((const struct wavefront *)s->problem)->length / TILE;
    for (size_t d = 0; d < 2 * tiles - 1; ++d) {
        tw_command_group *cg = tw_queue_begin(bench_queue());
        tw_parallel_for_work_group(
            cg, tw_range_1d(wavefront_count(d, tiles)), tw_range_1d(TILE), wavefront_groups,
            .down = tw_read(cg, s->at[WAVEFRONT_DOWN]), .across = tw_read(cg, s->at[WAVEFRONT_ACROSS]),
            .best = tw_read_write(cg, s->at[WAVEFRONT_BEST]), .row = tw_read_write(cg, s->at[WAVEFRONT_ROW]),
            .column = tw_read_write(cg, s->at[WAVEFRONT_COLUMN]),
            .corners = tw_read_write(cg, s->at[WAVEFRONT_CORNERS]), .tiles = (unsigned)tiles, .diagonal = (unsigned)d,
            .first = (unsigned)wavefront_first(d, tiles));
        if (!suite_submit(cg))
            return false;
    }
    return suite_wait();
}

static bool run_items(void *state)
{
    const struct suite_teamwork *s = state;
    const size_t tiles = ((const struct wavefront *)s->problem)->length / TILE;
    for (size_t d = 0; d < 2 * tiles - 1; ++d) {
        const tw_nd_range range = tw_nd_range_make(tw_range_1d(wavefront_count(d, tiles) * TILE), tw_range_1d(TILE));
        tw_command_group *cg = tw_queue_begin(bench_queue());
        tw_parallel_for_nd_range(
            cg, range, wavefront_items, .down = tw_read(cg, s->at[WAVEFRONT_DOWN]),
            .across = tw_read(cg, s->at[WAVEFRONT_ACROSS]), .best = tw_read_write(cg, s->at[WAVEFRONT_BEST]),
            .row = tw_read_write(cg, s->at[WAVEFRONT_ROW]), .column = tw_read_write(cg, s->at[WAVEFRONT_COLUMN]),
            .corners = tw_read_write(cg, s->at[WAVEFRONT_CORNERS]), .tiles = (unsigned)tiles, .diagonal = (unsigned)d,
            .first = (unsigned)wavefront_first(d, tiles));
        if (!suite_submit(cg))
            return false;
    }
    return suite_wait();
}

static const struct suite_version versions[] = {
    {"cells", "range", open_cells, NULL, run_cells, fetch_cells, close_cells},
    SUITE_TEAMWORK_VERSION("tiles", "hierarchical", run_groups),
    SUITE_TEAMWORK_VERSION("tiles", "nd_range", run_items),
};
const struct suite_versions suite_wavefront_teamwork = SUITE_VERSIONS(versions);
