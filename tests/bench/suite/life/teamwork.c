/* SPDX-License-Identifier: Apache-2.0 */
/* The Game of Life in Teamwork. Offsets are computed in 32 bits, which is what a GPU does best: boards are smaller. */
#include "../arrays_teamwork.h"
#include "life.h"

static inline unsigned char rule(unsigned char sum, unsigned char cell)
{
    return (unsigned char)((sum == 3) | ((sum == 2) & cell));
}

/* ---- flat: straight from global memory --------------------------------------------------------------------------- */

struct life_block {
    const unsigned char *now; /* both: the first cell inside of the border */
    unsigned char *next;
    unsigned pitch;
};

static inline void life_flat(tw_item item, const struct life_block *k)
{
    const size_t at = (size_t)((unsigned)tw_global_id(item, 0) * k->pitch) + tw_global_id(item, 1);
    const unsigned char *here = k->now + at, *up = here - k->pitch, *down = here + k->pitch;
    const unsigned char sum =
        (unsigned char)(up[-1] + up[0] + up[1] + here[-1] + here[1] + down[-1] + down[0] + down[1]);
    k->next[at] = rule(sum, here[0]);
}
TW_RANGE_KERNEL(TW_BLOCK(life_block) life_flat, 2);

/* ---- tiled: through a tile with its halo in local memory --------------------------------------------------------- */

enum { TILE = LIFE_TILE, HALO = LIFE_TILE + 2 };

/* Of the neighbours of the cell whose tile, halo included, is at (i + 1, j + 1). */
static inline unsigned char sum_in_tile(unsigned char (*tile)[HALO], unsigned i, unsigned j)
{
    return (unsigned char)(tile[i][j] + tile[i][j + 1] + tile[i][j + 2] + tile[i + 1][j] + tile[i + 1][j + 2]
                           + tile[i + 2][j] + tile[i + 2][j + 1] + tile[i + 2][j + 2]);
}

static inline void life_tiled_groups(tw_group group, const struct life_block *k)
{
    TW_LOCAL(unsigned char, tile, [HALO][HALO]);
    const size_t corner = (unsigned)tw_group_id(group, 0) * TILE * k->pitch + (unsigned)tw_group_id(group, 1) * TILE;
    const unsigned char *now = k->now + corner - k->pitch - 1;
    unsigned char *next = k->next + corner;

    tw_parallel_for_work_item_range(group, item, tw_range_2d(HALO, HALO)) {
        const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
        tile[i][j] = (now + i * k->pitch)[j]; /* the sum of a pointer and j does not wrap, so this vectorizes */
    }
    tw_parallel_for_work_item(group, item) {
        const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
        (next + i * k->pitch)[j] = rule(sum_in_tile(tile, i, j), tile[i + 1][j + 1]);
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(life_block) life_tiled_groups, TILE, TILE);

static inline void life_tiled_items(tw_nd_item item, const struct life_block *k)
{
    TW_LOCAL(unsigned char, tile, [HALO][HALO]);
    const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
    const size_t corner = (unsigned)tw_group_id(item, 0) * TILE * k->pitch + (unsigned)tw_group_id(item, 1) * TILE;
    const unsigned char *now = k->now + corner - k->pitch - 1;

#pragma clang loop unroll(full)
    for (unsigned first = 0; first < HALO * HALO; first += TILE * TILE) {
        const unsigned at = first + i * TILE + j;
        if (at < HALO * HALO)
            tile[at / HALO][at % HALO] = now[at / HALO * k->pitch + at % HALO];
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    (k->next + corner)[i * k->pitch + j] = rule(sum_in_tile(tile, i, j), tile[i + 1][j + 1]);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(life_block) life_tiled_items, TILE, TILE);

/* ---- versions: the border of the next board is kept, so access to it is write and not discard -------------------- */

/* The first cell inside of the border; NULL behind an error, which the submission returns. */
static const unsigned char *now_of(tw_command_group *cg, const struct suite_teamwork *s, const struct life *p)
{
    const unsigned char *now = tw_read(cg, s->at[LIFE_NOW]);
    return now ? now + p->pitch + 1 : NULL;
}

static unsigned char *next_of(tw_command_group *cg, const struct suite_teamwork *s, const struct life *p)
{
    unsigned char *next = tw_write(cg, s->at[LIFE_NEXT]);
    return next ? next + p->pitch + 1 : NULL;
}

#define BLOCK .now = now_of(cg, s, p), .next = next_of(cg, s, p), .pitch = (unsigned)p->pitch

SUITE_TEAMWORK_RUN(run_flat, life, tw_parallel_for, tw_range_2d(p->side, p->side), life_flat, BLOCK)
SUITE_TEAMWORK_RUN(run_groups, life, tw_parallel_for_work_group, tw_range_2d(p->side / TILE, p->side / TILE),
                   tw_range_2d(TILE, TILE), life_tiled_groups, BLOCK)
SUITE_TEAMWORK_RUN(run_items, life, tw_parallel_for_nd_range,
                   tw_nd_range_make(tw_range_2d(p->side, p->side), tw_range_2d(TILE, TILE)), life_tiled_items, BLOCK)

SUITE_TEAMWORK_LIST(life, SUITE_TEAMWORK_VERSION("flat", "range", run_flat),
                    SUITE_TEAMWORK_VERSION("tiled", "hierarchical", run_groups),
                    SUITE_TEAMWORK_VERSION("tiled", "nd_range", run_items))

/* ---- life_any: tiles of the launch's size ------------------------------------------------------------------------ */

/* Of the cell whose tile, halo included, begins one row and one column before it. */
static inline unsigned char next_in(const unsigned char *up, size_t width)
{
    const unsigned char *here = up + width, *down = here + width;
    return rule((unsigned char)(up[0] + up[1] + up[2] + here[0] + here[2] + down[0] + down[1] + down[2]), here[1]);
}

struct life_any {
    const unsigned char *now; /* both: the first cell inside of the border */
    unsigned char *next;
    size_t pitch;
    tw_local_memory tile;
};

static inline void life_any_groups(tw_group group, const struct life_any *k)
{
    unsigned char *tile = tw_local_data(group, k->tile);
    const size_t height = tw_local_range(group, 0), width = tw_local_range(group, 1) + 2;
    const unsigned char *now = k->now + tw_group_id(group, 0) * height * k->pitch
                               + tw_group_id(group, 1) * tw_local_range(group, 1) - k->pitch - 1;

    tw_parallel_for_work_item_range(group, item, tw_range_2d(height + 2, width)) {
        const size_t i = tw_local_id(item, 0), j = tw_local_id(item, 1);
        tile[i * width + j] = now[i * k->pitch + j];
    }
    tw_parallel_for_work_item(group, item) {
        k->next[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] =
            next_in(tile + tw_local_id(item, 0) * width + tw_local_id(item, 1), width);
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(life_any) life_any_groups);

static inline void life_any_items(tw_nd_item item, const struct life_any *k)
{
    unsigned char *tile = tw_local_data(item, k->tile);
    const size_t height = tw_local_range(item, 0), width = tw_local_range(item, 1) + 2;
    const unsigned char *now = k->now + tw_group_id(item, 0) * height * k->pitch
                               + tw_group_id(item, 1) * tw_local_range(item, 1) - k->pitch - 1;

    for (size_t i = tw_local_id(item, 0); i < height + 2; i += height)
        for (size_t j = tw_local_id(item, 1); j < width; j += tw_local_range(item, 1))
            tile[i * width + j] = now[i * k->pitch + j];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->next[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] =
        next_in(tile + tw_local_id(item, 0) * width + tw_local_id(item, 1), width);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(life_any) life_any_items);

enum { ANY_BYTES = (LIFE_ANY_ROWS + 2) * (LIFE_ANY_COLUMNS + 2) };

#define ANY_LOCAL tw_range_2d(LIFE_ANY_ROWS, LIFE_ANY_COLUMNS)
#define ANY_BLOCK .now = now_of(cg, s, p), .next = next_of(cg, s, p), .pitch = p->pitch, .tile = tw_local(cg, ANY_BYTES)

SUITE_TEAMWORK_RUN(run_any_groups, life, tw_parallel_for_work_group,
                   tw_range_2d(p->side / LIFE_ANY_ROWS, p->side / LIFE_ANY_COLUMNS), ANY_LOCAL, life_any_groups,
                   ANY_BLOCK)
SUITE_TEAMWORK_RUN(run_any_items, life, tw_parallel_for_nd_range,
                   tw_nd_range_make(tw_range_2d(p->side, p->side), ANY_LOCAL), life_any_items, ANY_BLOCK)

SUITE_TEAMWORK_LIST(life_any, SUITE_TEAMWORK_VERSION("tiled", "hierarchical", run_any_groups),
                    SUITE_TEAMWORK_VERSION("tiled", "nd_range", run_any_items))
