/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles in local memory, whose code has to stay vectors in registers. */
// REQUIRES: host-x86_64
// RUN: %kernel_cc -O3 -march=x86-64-v4 -mprefer-vector-width=512 -S -emit-llvm -o - %s | FileCheck %s
#include <teamwork/teamwork.h>

/* The product of two matrices through tiles: the tiles are copied as vectors, wherever in the sum they are, and what a step of the sum
   needs is loaded there. Where indices might wrap around is found in front of the copies. */
// CHECK-LABEL: define {{.*}}@product_of_tiles_tw_split_2(
// CHECK-NOT: {{^}}}
// CHECK-COUNT-3: icmp slt i64 %{{[0-9]+}}, 4294967296
struct product_of_tiles {
    const float *a, *b;
    float *c;
    unsigned n;
};

static inline void product_of_tiles(tw_nd_item item, const struct product_of_tiles *k)
{
    enum { TILE = 32 };
    TW_LOCAL(float, a, [TILE][TILE]);
    TW_LOCAL(float, b, [TILE][TILE]);
    const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
    const unsigned row = (unsigned)tw_global_id(item, 0), column = (unsigned)tw_global_id(item, 1);
    float sum = 0;
    for (unsigned t = 0; t < k->n; t += TILE) {
        a[i][j] = k->a[row * k->n + t + j];
        b[i][j] = k->b[(t + i) * k->n + column];
        tw_barrier(item, TW_LOCAL_SPACE);
#pragma unroll
        for (unsigned x = 0; x < TILE; ++x)
            sum += a[i][x] * b[x][j];
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    k->c[row * k->n + column] = sum;
}
TW_ND_RANGE_KERNEL(product_of_tiles, 32, 32);

/* Under its condition a work-item uses lx + 1, which LLVM takes for its counter, too. A row has a copy without conditions. */
// CHECK-LABEL: define {{.*}}@sums_in_tile_tw_split_2(
// CHECK-NOT: {{^}}}
// CHECK: load <16 x i8>
struct sums_in_tile {
    const unsigned char *in;
    unsigned char *out;
    int pitch, rows;
};

static inline void sums_in_tile(tw_nd_item item, const struct sums_in_tile *k)
{
    TW_LOCAL(unsigned char, tile, [18][18]);
    const int ly = (int)tw_local_id(item, 0), lx = (int)tw_local_id(item, 1);
    const int y = (int)tw_global_id(item, 0), x = (int)tw_global_id(item, 1);
    for (int i = ly; i < 18; i += 16)
        for (int j = lx; j < 18; j += 16)
            tile[i][j] = k->in[(y - ly + i) * k->pitch + x - lx + j];
    tw_barrier(item, TW_LOCAL_SPACE);
    if (x < k->pitch && y < k->rows) {
        const int across = tile[ly][lx + 2] - tile[ly][lx] + 2 * tile[ly + 1][lx + 2] - 2 * tile[ly + 1][lx];
        const int along = tile[ly][lx] + 2 * tile[ly][lx + 1] - tile[ly + 2][lx] - 2 * tile[ly + 2][lx + 1];
        k->out[y * k->pitch + x] = (unsigned char)(across * along);
    }
}
TW_ND_RANGE_KERNEL(sums_in_tile, 16, 16);
