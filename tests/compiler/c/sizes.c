/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of any size: a kernel that counts on one size, and does not say it, has a copy for that, and none for a usual size. No copy is
 * for a size that does not fit. */
// RUN: %kernel_cc -O2 %remarks -S -emit-llvm -o %t.ll %s 2>%t.remarks
// RUN: FileCheck --implicit-check-not='define {{.*}}@{{odd_steps|any_tile_[a-z]*}}_tw_split_2.' \
// RUN:     --implicit-check-not='define {{.*}}_unnamed_tw_split_2_tile(' %s <%t.ll
// RUN: FileCheck --check-prefix=SPLIT %s <%t.remarks
// The same program is the same code each time.
// RUN: %kernel_cc -O2 %remarks -S -emit-llvm -o %t.again.ll %s
// RUN: cmp %t.ll %t.again.ll
#include "tile.h"

#include <teamwork/teamwork.h>

/* The size that it counts on, and does not say. */
// SPLIT-DAG: kernel halo_unnamed was split at 1 barriers into loops over work-items; 1 loop over a range that they share out
// CHECK-LABEL: define {{.*}}@halo_unnamed_tw_split_2(
// CHECK-NOT: {{^}}}
// CHECK: call {{.*}}@halo_unnamed_tw_split_2.{{[0-9]+}}(
static inline void halo_unnamed(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, tile, [CELLS]);
    const float *in = k->in + tw_group_id(item, 0) * ROWS * k->pitch + tw_group_id(item, 1) * COLUMNS;
    const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
    for (unsigned first = 0; first < CELLS; first += ROWS * COLUMNS) {
        const unsigned at = first + i * COLUMNS + j;
        if (at < CELLS)
            tile[at] = in[at / WIDE * k->pitch + at % WIDE];
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    average(item, k, tile);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) halo_unnamed);

/* So does this one: it has a local element for each work-item, and a border. */
// CHECK-LABEL: define {{.*}}@tile_unnamed_tw_split_2(
// CHECK-NOT: {{^}}}
// CHECK: call {{.*}}@tile_unnamed_tw_split_2.{{[0-9]+}}(
static inline void tile_unnamed(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, tile, [ROWS + 2][WIDE]);
    const size_t i = tw_local_id(item, 0), j = tw_local_id(item, 1);
    const size_t at = tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1);
    tile[i + 1][j + 1] = k->in[at];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[at] = tile[i][j] + tile[i + 2][j + 2];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) tile_unnamed);

/* Two elements for each work-item of a usual group: a copy for these too. */
// CHECK-LABEL: define {{.*}}@pairs_of_any_tw_split_1_256(
// CHECK-LABEL: define {{.*}}@pairs_of_any_tw_split_1(
// CHECK-NOT: {{^}}}
// CHECK: call {{.*}}@pairs_of_any_tw_split_1.{{[0-9]+}}(
static inline void pairs_of_any(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, pairs, [512]);
    const size_t t = tw_local_id(item, 0), n = tw_local_range(item, 0), first = 2 * n * tw_group_id(item, 0);
    pairs[t] = k->in[first + t];
    pairs[t + n] = k->in[first + t + n];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_id(item, 0)] = pairs[2 * t] + pairs[2 * t + 1];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) pairs_of_any);

/* Rows of 8 are vectors, and the size of groups of three dimensions is seen, too. */
// CHECK-LABEL: define {{.*}}@cube_unnamed_tw_split_3.{{[0-9]+}}(
// CHECK-NOT: {{^}}}
// CHECK: store <{{4|8}} x float>
static inline void cube_unnamed(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, cube, [10][10][10]);
    const size_t h = tw_local_id(item, 0), i = tw_local_id(item, 1), j = tw_local_id(item, 2);
    cube[h + 1][i + 1][j + 1] = k->in[tw_global_linear_id(item)];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_linear_id(item)] = cube[h][i + 1][j] + cube[h + 2][i][j + 2];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) cube_unnamed);

/* No size of a group fits these steps. */
static inline void odd_steps(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, tile, [CELLS]);
    const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
    for (unsigned at = i * COLUMNS + j; at < CELLS; at += ROWS * COLUMNS + 1)
        tile[at] = k->in[at];
    tw_barrier(item, TW_LOCAL_SPACE);
    average(item, k, tile);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) odd_steps);

/* Tiles of any size: loops over the border that end at what is computed in them, and are shared out. */
struct any_tile {
    const unsigned char *in; /* with a border of one */
    unsigned char *out;
    size_t pitch;
    tw_local_memory tile;
};

static inline unsigned char cross(const unsigned char *here, size_t width)
{
    return (unsigned char)(here[0] + here[1] + here[2] + here[width] + here[2 * width + 1]);
}

// SPLIT-DAG: kernel any_tile_rows was split {{.*}}; 2 loops over a range that they share out ({{[3-9]( of [0-9]+)?}} copies)
static inline void any_tile_rows(tw_nd_item item, const struct any_tile *k)
{
    unsigned char *tile = tw_local_data(item, k->tile);
    const size_t i = tw_local_id(item, 0), j = tw_local_id(item, 1);
    const size_t height = tw_local_range(item, 0), width = tw_local_range(item, 1) + 2;
    const unsigned char *in =
        k->in + tw_group_id(item, 0) * height * k->pitch + tw_group_id(item, 1) * tw_local_range(item, 1);
    for (size_t r = i; r < height + 2; r += height)
        for (size_t c = j; c < width; c += tw_local_range(item, 1))
            tile[r * width + c] = in[r * k->pitch + c];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] = cross(tile + i * width + j, width);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(any_tile) any_tile_rows);

// SPLIT-DAG: kernel any_tile_linear was split {{.*}}; 1 loop over a range that they share out ({{[4-9]( of [0-9]+)?}} copies)
static inline void any_tile_linear(tw_nd_item item, const struct any_tile *k)
{
    unsigned char *tile = tw_local_data(item, k->tile);
    const size_t height = tw_local_range(item, 0), width = tw_local_range(item, 1) + 2;
    const unsigned char *in =
        k->in + tw_group_id(item, 0) * height * k->pitch + tw_group_id(item, 1) * tw_local_range(item, 1);
    for (size_t at = tw_local_linear_id(item); at < (height + 2) * width; at += tw_local_linear_range(item))
        tile[at] = in[at / width * k->pitch + at % width];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] =
        cross(tile + tw_local_id(item, 0) * width + tw_local_id(item, 1), width);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(any_tile) any_tile_linear);

/* The same in 32 bits: a tile that follows from the size of the group has fewer elements. */
// SPLIT-DAG: kernel any_tile_unsigned was split {{.*}}; 1 loop over a range that they share out ({{[4-9]( of [0-9]+)?}} copies)
static inline void any_tile_unsigned(tw_nd_item item, const struct any_tile *k)
{
    unsigned char *tile = tw_local_data(item, k->tile);
    const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
    const unsigned height = (unsigned)tw_local_range(item, 0), width = (unsigned)tw_local_range(item, 1);
    const unsigned char *in =
        k->in + tw_group_id(item, 0) * height * k->pitch + tw_group_id(item, 1) * tw_local_range(item, 1);
    for (unsigned at = i * width + j; at < (height + 2) * (width + 2); at += height * width)
        tile[at] = in[at / (width + 2) * k->pitch + at % (width + 2)];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] = cross(tile + i * (width + 2) + j, width + 2);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(any_tile) any_tile_unsigned);
