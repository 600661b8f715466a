/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels become loops over work-items, divided at barriers. What a group's work-items share out is one loop over all of that, and one
 * over rows if they divide by the width of rows.
 *
 * Of test_split.c, which compares what kernels compute, all that have barriers are divided, but for those that are named keeps_....
 */
// RUN: %kernel_cc -O2 %remarks -S -emit-llvm -o %t.ll %s 2>%t.remarks
// RUN: FileCheck %s <%t.ll
// RUN: FileCheck --check-prefix=SPLIT %s <%t.remarks
// RUN: FileCheck --check-prefix=ROWS --implicit-check-not='kernel tree_of_unsigned divide' %s <%t.remarks
// The same program is the same code each time.
// RUN: %kernel_cc -O2 %remarks -S -emit-llvm -o %t.again.ll %s
// RUN: cmp %t.ll %t.again.ll
// RUN: %tw_clang -O1 -I%S/../../support -Rpass=teamwork-split -Rpass-missed=teamwork-split -S -o /dev/null %S/../../kernels/test_split.c 2>&1 | \
// RUN:     FileCheck --check-prefix=TEST --implicit-check-not='kernel keeps_' --implicit-check-not='keeps a stack' %s
#include "tile.h"

#include <teamwork/teamwork.h>

// TEST-COUNT-8: was split at
// TEST: kernel shares_planes was split at {{.*}}; 1 loop
// TEST: kernel keeps_other_file keeps a stack
// TEST: kernel keeps_different_turns keeps a stack

/* A comparison of a narrow id with half of the group is none with a width of rows. */
struct tree_of_unsigned {
    const float *x;
    float *sums;
};

static inline void tree_of_unsigned(tw_nd_item item, const struct tree_of_unsigned *k)
{
    TW_LOCAL(float, part, [256]);
    const unsigned at = (unsigned)tw_local_id(item, 0);
    part[at] = k->x[tw_global_id(item, 0)];
    for (unsigned half = 128; half > 0; half >>= 1) {
        tw_barrier(item, TW_LOCAL_SPACE);
        if (at < half)
            part[at] += part[at + half];
    }
    if (at == 0)
        k->sums[tw_group_id(item, 0)] = part[0];
}
TW_ND_RANGE_KERNEL(tree_of_unsigned, 256);

/* Of any size: eight barriers are in a group of 256, where the distances of the tree are constants. */
// SPLIT-DAG: kernel tree_of_any_size was split at 8 barriers into loops over work-items
struct tree_of_any_size {
    const int *in;
    int *sums;
    tw_local_memory part;
};

static inline void tree_of_any_size(tw_nd_item item, const struct tree_of_any_size *k)
{
    int *part = tw_local_data(item, k->part);
    const unsigned at = (unsigned)tw_local_id(item, 0);
    part[at] = k->in[tw_global_linear_id(item)];
    for (unsigned half = (unsigned)tw_local_range(item, 0) / 2; half > 0; half /= 2) {
        tw_barrier(item, TW_LOCAL_SPACE);
        if (at < half)
            part[at] += part[at + half];
    }
    if (at == 0)
        k->sums[tw_group_id(item, 0)] = part[0];
}
TW_ND_RANGE_KERNEL(tree_of_any_size);

// SPLIT-DAG: kernel tile_by_rows was split at 1 barriers into loops over work-items; 2 loops over a range that they share out
static inline void tile_by_rows(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, tile, [CELLS]);
    const float *in = k->in + tw_group_id(item, 0) * ROWS * k->pitch + tw_group_id(item, 1) * COLUMNS;
    for (unsigned i = (unsigned)tw_local_id(item, 0); i < ROWS + 2; i += ROWS)
        for (unsigned j = (unsigned)tw_local_id(item, 1); j < WIDE; j += COLUMNS)
            tile[i * WIDE + j] = in[i * k->pitch + j];
    tw_barrier(item, TW_LOCAL_SPACE);
    average(item, k, tile);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) tile_by_rows, ROWS, COLUMNS);

// SPLIT-DAG: kernel halo_by_id was split at 1 barriers into loops over work-items; 1 loop over a range that they share out
// ROWS: kernel halo_by_id divide an index by the width of rows
static inline void halo_by_id(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, tile, [CELLS]);
    const float *in = k->in + tw_group_id(item, 0) * ROWS * k->pitch + tw_group_id(item, 1) * COLUMNS;
    for (int at = (int)tw_local_linear_id(item); at < CELLS; at += ROWS * COLUMNS)
        tile[at] = in[at / WIDE * (int)k->pitch + at % WIDE];
    tw_barrier(item, TW_LOCAL_SPACE);
    average(item, k, tile);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) halo_by_id, ROWS, COLUMNS);

/* Its border is loaded by the work-items at the border, behind the guard of all. What all of them load is vectors. */
// CHECK-LABEL: define {{.*}}@halo_by_some_tw_split_2(
// CHECK-NOT: {{^}}}
// CHECK: [[ROW:%.*]] = load <4 x float>, ptr {{.*}}, align 4,
// CHECK: store <4 x float> [[ROW]], ptr
static inline void halo_by_some(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, tile, [CELLS]);
    const int i = (int)tw_local_id(item, 0), j = (int)tw_local_id(item, 1), pitch = (int)k->pitch;
    const int row = (int)tw_global_id(item, 0), column = (int)tw_global_id(item, 1), here = (i + 1) * WIDE + j + 1;
    if (row < pitch && column < pitch) {
        tile[here] = k->in[row * pitch + column];
        if (j == 0)
            tile[here - 1] = column > 0 ? k->in[row * pitch + column - 1] : 0;
        if (j == COLUMNS - 1 || column == pitch - 1)
            tile[here + 1] = column < pitch - 1 ? k->in[row * pitch + column + 1] : 0;
        if (i == 0)
            tile[here - WIDE] = row > 0 ? k->in[(row - 1) * pitch + column] : 0;
        if (i == ROWS - 1)
            tile[here + WIDE] = row < pitch - 1 ? k->in[(row + 1) * pitch + column] : 0;
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    average(item, k, tile);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) halo_by_some, ROWS, COLUMNS);

/* The global id less the local one is the same for all. */
// SPLIT-DAG: kernel tile_around was split at 1 barriers into loops over work-items; 2 loops over a range that they share out
static inline void tile_around(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, tile, [CELLS]);
    const int i = (int)tw_local_id(item, 0), j = (int)tw_local_id(item, 1), pitch = (int)k->pitch;
    const int row = (int)tw_global_id(item, 0), column = (int)tw_global_id(item, 1);
    for (int y = i; y < ROWS + 2; y += ROWS)
        for (int x = j; x < WIDE; x += COLUMNS)
            tile[y * WIDE + x] =
                k->in[(row - i + y - 1 + pitch) % pitch * pitch + (column + x - (j + 1) + pitch) % pitch];
    tw_barrier(item, TW_LOCAL_SPACE);
    average(item, k, tile);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) tile_around, ROWS, COLUMNS);

// SPLIT-DAG: kernel halo_by_turns was split at 1 barriers into loops over work-items; 1 loop over a range that they share out
// ROWS: kernel halo_by_turns divide an index by the width of rows
static inline void halo_by_turns(tw_nd_item item, const struct tile *k)
{
    TW_LOCAL(float, tile, [CELLS]);
    const float *in = k->in + tw_group_id(item, 0) * ROWS * k->pitch + tw_group_id(item, 1) * COLUMNS;
#pragma clang loop unroll(full)
    for (size_t first = 0; first < CELLS; first += ROWS * COLUMNS) {
        const size_t at = first + tw_local_id(item, 0) * COLUMNS + tw_local_id(item, 1);
        if (at < CELLS)
            tile[at] = in[at / WIDE * k->pitch + at % WIDE];
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    average(item, k, tile);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(tile) halo_by_turns, ROWS, COLUMNS);

/* Each element has a variable whose address a function elsewhere gets: what that leaves in it is the work-item's, which keeps its loop. */
// SPLIT-DAG: kernel hands_out was split at 1 barriers into loops over work-items [
// CHECK-LABEL: define {{.*}}@hands_out_tw_host
// CHECK: call void @elsewhere(
void elsewhere(int *x, int by);
struct hands_out {
    const int *in;
    int *out;
    int n;
};

static inline void hands_out(tw_nd_item item, const struct hands_out *k)
{
    TW_LOCAL(int, first, [64]);
    first[tw_local_id(item, 0)] = k->in[tw_global_id(item, 0)];
    tw_barrier(item, TW_LOCAL_SPACE);
    for (int i = (int)tw_local_id(item, 0); i < k->n; i += 64) {
        int x = first[5];
        elsewhere(&x, k->in[i]);
        k->out[i] = x;
    }
}
TW_ND_RANGE_KERNEL(hands_out, 64);
