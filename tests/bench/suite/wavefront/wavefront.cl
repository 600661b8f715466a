/* SPDX-License-Identifier: Apache-2.0 */
/* Smith and Waterman's alignment in OpenCL. */

int score_of(bool match, int above_left, int above, int left)
{
    const int pair = above_left + (match ? MATCH : MISMATCH);
    return max(0, max(pair, max(above, left) - GAP));
}

/*
 * The cells of an antidiagonal, `count` from row `first` on. `scores` holds three antidiagonals, of which
 * `before` is the offset of the one before the last, and so on; `across` is the number of the letter of row 0.
 */
kernel void cells(global const int *down, global const int *letters, int across, global int *scores, uint before,
                  uint last, uint now, global int *best, uint diagonal, uint first, uint count)
{
    const uint at = get_global_id(0), i = first + at;
    if (at >= count)
        return;
    const bool inside = i != diagonal;
    const int score = score_of(down[i] == letters[across + (int)i], inside ? scores[before + i] : 0, scores[last + i],
                               inside ? scores[last + i + 1] : 0);
    scores[now + i + 1] = score;
    best[i] = inside ? max(best[i], score) : score;
}

#define COLUMNS (TILE + 1)

/* A group has a tile of an antidiagonal of tiles. */
kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void tiles(global const int *down, global const int *across,
                                                                    global int *all_best, global int *row,
                                                                    global int *column, global int *corners, uint tiles,
                                                                    uint diagonal, uint first)
{
    local int scores[(2 * TILE + 1) * COLUMNS];
    const uint ti = first + get_group_id(0), tj = diagonal - ti, i = get_local_id(0) + 1;
    const int letter = down[ti * TILE + i - 1];
    global const int *letters = across + (tiles - 1 - tj) * TILE + TILE + i;
    int best = tj ? all_best[ti * TILE + i - 1] : 0;

    scores[i * COLUMNS] = ti ? row[tj * TILE + i - 1] : 0;
    scores[i * COLUMNS + i] = tj ? column[ti * TILE + i - 1] : 0;
    if (i == 1)
        scores[0] = ti && tj ? corners[(ti - 1) * tiles + tj - 1] : 0;
    for (uint d = 2; d <= 2 * TILE; ++d) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < d && d <= i + TILE) {
            local int *now = scores + d * COLUMNS + i;
            const int score =
                score_of(letter == *(letters - d), *(now - 2 * COLUMNS - 1), *(now - COLUMNS - 1), *(now - COLUMNS));
            *now = score;
            best = max(best, score);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    row[tj * TILE + i - 1] = scores[(TILE + i) * COLUMNS + TILE];
    column[ti * TILE + i - 1] = scores[(TILE + i) * COLUMNS + i];
    all_best[ti * TILE + i - 1] = best;
    if (i == TILE)
        corners[ti * tiles + tj] = scores[2 * TILE * COLUMNS + TILE];
}
