/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels of split.c and sizes.c do with a tile, however they load it. */
#ifndef TILE_H
#define TILE_H

#include <teamwork/teamwork.h>

enum { ROWS = 16, COLUMNS = 32, WIDE = COLUMNS + 2, CELLS = (ROWS + 2) * WIDE };

/* Where a group's tile begins, and what a work-item finds there. */
struct tile {
    const float *in;
    float *out;
    unsigned pitch;
};

static inline void average(tw_nd_item item, const struct tile *k, const float *tile)
{
    const float *here = &tile[tw_local_id(item, 0) * WIDE + tw_local_id(item, 1)];
    k->out[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] =
        (here[0] + here[2] + here[2 * WIDE] + here[2 * WIDE + 2]) / 4;
}

#endif
