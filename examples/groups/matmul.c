/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix multiplication in tiles. A work-group computes one tile of the product, and goes along a row of tiles of A and
 * a column of tiles of B. It copies a tile of each into local memory, where every element is read as often as the tile
 * has rows: global memory is read that many times less.
 */
#include "matmul.h"

#include <teamwork/teamwork.h>

enum { TILE = 32 };

/* The block of all three kernels. */
struct product {
    const float *a, *b;
    float *c;
    unsigned n;
};

static inline void matmul_nd_range(tw_nd_item item, const struct product *k)
{
    TW_LOCAL(float, a, [TILE][TILE]);
    TW_LOCAL(float, b, [TILE][TILE]);
    const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1), n = k->n;
    const unsigned row = (unsigned)tw_global_id(item, 0), column = (unsigned)tw_global_id(item, 1);
    float sum = 0;

    for (unsigned t = 0; t < n; t += TILE) {
        a[i][j] = k->a[row * n + t + j];
        b[i][j] = k->b[(t + i) * n + column];
        tw_barrier(item, TW_LOCAL_SPACE); /* the tiles are complete */
#pragma clang loop unroll(full)
        for (unsigned x = 0; x < TILE; ++x)
            sum += a[i][x] * b[x][j];
        tw_barrier(item, TW_LOCAL_SPACE); /* nobody needs them any more */
    }
    k->c[row * n + column] = sum;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(product) matmul_nd_range, TILE, TILE);

/* The same, where the loops over work-items bring the synchronization with them, and each work-item's sum lives on from
   one loop to the next. On a CPU all work-items go through a few steps of the inner product at a time: so many rows
   of B stay in registers meanwhile. */
enum { STEP = TW_ON_GPU ? TILE : 4 };
static inline void matmul_groups(tw_group group, const struct product *k)
{
    TW_LOCAL(float, a, [TILE][TILE]);
    TW_LOCAL(float, b, [TILE][TILE]);
    TW_PRIVATE(group, float, sum);
    const unsigned n = k->n;
    const float *from_a = k->a + tw_group_id(group, 0) * TILE * n, *from_b = k->b + tw_group_id(group, 1) * TILE;

    tw_parallel_for_work_item(group, item) {
        tw_private(sum, item) = 0;
    }
    for (unsigned t = 0; t < n; t += TILE) {
        tw_parallel_for_work_item(group, item) {
            const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
            a[i][j] = from_a[i * n + t + j];
            b[i][j] = from_b[(t + i) * n + j];
        }
        for (unsigned first = 0; first < TILE; first += STEP) {
            tw_parallel_for_work_item(group, item) {
                const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
                float s = tw_private(sum, item);
#pragma clang loop unroll(full)
                for (unsigned x = 0; x < STEP; ++x)
                    s += a[i][first + x] * b[first + x][j];
                tw_private(sum, item) = s;
            }
        }
    }
    tw_parallel_for_work_item(group, item) {
        k->c[tw_global_id(item, 0) * n + tw_global_id(item, 1)] = tw_private(sum, item);
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(product) matmul_groups, TILE, TILE);

/* ---- more than one element a work-item -------------------------------------------------------------------------- */

/*
 * Above, each multiplication reads two elements from local memory, and that is what takes the time. Here a work-item
 * computes a block of 4 x 16 elements, for which it reads 4 elements of A and 16 of B: 64 multiplications for 20 reads.
 * The block stays in registers: as many as a thread of a GPU has, and on a CPU vectors along the rows.
 */
enum { HEIGHT = 64, WIDTH = 128, DEPTH = 32, ROWS = 4, COLUMNS = 16 };

struct block {
    float at[ROWS][COLUMNS];
};

/* Adds to a block the product of DEPTH columns of A, of which `a` is the first, and DEPTH rows of B. */
static inline void multiply_add(struct block *sums, const float (*a)[DEPTH], const float (*b)[WIDTH], size_t column)
{
    for (unsigned x = 0; x < DEPTH; ++x) {
        const float *row = __builtin_assume_aligned(&b[x][column], 16); /* so that a GPU reads four at once */
#pragma clang loop unroll(full)
        for (unsigned i = 0; i < ROWS; ++i)
#pragma clang loop unroll(full)
            for (unsigned j = 0; j < COLUMNS; ++j)
                sums->at[i][j] += a[i][x] * row[j];
    }
}

static inline void matmul_blocks(tw_group group, const struct product *k)
{
    TW_LOCAL(float, a, [HEIGHT][DEPTH]);
    TW_LOCAL(float, b, [DEPTH][WIDTH]);
    TW_PRIVATE(group, struct block, sums);
    const unsigned n = k->n, top = (unsigned)tw_group_id(group, 0) * HEIGHT,
                   left = (unsigned)tw_group_id(group, 1) * WIDTH;

    tw_parallel_for_work_item(group, item) {
        tw_private(sums, item) = (struct block){{{0}}};
    }
    for (unsigned t = 0; t < n; t += DEPTH) {
        tw_parallel_for_work_item_range(group, item, tw_range_2d(HEIGHT, DEPTH)) {
            const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
            a[i][j] = k->a[(top + i) * n + t + j];
        }
        tw_parallel_for_work_item_range(group, item, tw_range_2d(DEPTH, WIDTH)) {
            const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
            b[i][j] = k->b[(t + i) * n + left + j];
        }
        tw_parallel_for_work_item(group, item) {
            struct block block = tw_private(sums, item);
            multiply_add(&block, &a[ROWS * tw_local_id(item, 0)], b, COLUMNS * tw_local_id(item, 1));
            tw_private(sums, item) = block;
        }
    }
    tw_parallel_for_work_item(group, item) {
        float *c = &k->c[(top + ROWS * tw_local_id(item, 0)) * n + left + COLUMNS * tw_local_id(item, 1)];
#pragma clang loop unroll(full)
        for (unsigned i = 0; i < ROWS; ++i)
#pragma clang loop unroll(full)
            for (unsigned j = 0; j < COLUMNS; ++j)
                c[i * n + j] = tw_private(sums, item).at[i][j];
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(product) matmul_blocks, HEIGHT / ROWS, WIDTH / COLUMNS);

/* ---- launches --------------------------------------------------------------------------------------------------- */

tw_status matmul_submit_nd_range(const struct matmul *matmul)
{
    const tw_range all = tw_range_2d(matmul->n, matmul->n), local = tw_range_2d(TILE, TILE);
    tw_command_group *cg = tw_queue_begin(matmul->queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(all, local), matmul_nd_range, .a = tw_read(cg, matmul->a),
                             .b = tw_read(cg, matmul->b), .c = tw_discard_write(cg, matmul->c),
                             .n = (unsigned)matmul->n);
    return tw_queue_submit(matmul->queue, cg, NULL);
}

tw_status matmul_submit_groups(const struct matmul *matmul)
{
    const tw_range groups = tw_range_2d(matmul->n / TILE, matmul->n / TILE), local = tw_range_2d(TILE, TILE);
    tw_command_group *cg = tw_queue_begin(matmul->queue);
    tw_parallel_for_work_group(cg, groups, local, matmul_groups, .a = tw_read(cg, matmul->a),
                               .b = tw_read(cg, matmul->b), .c = tw_discard_write(cg, matmul->c),
                               .n = (unsigned)matmul->n);
    return tw_queue_submit(matmul->queue, cg, NULL);
}

tw_status matmul_submit_blocks(const struct matmul *matmul)
{
    const size_t n = matmul->n, rows = matmul->rows ? matmul->rows : n;
    const tw_range groups = tw_range_2d(rows / HEIGHT, n / WIDTH), part = tw_range_1d(rows * n);
    const tw_id first = tw_id_1d(matmul->first * n);
    tw_command_group *cg = tw_queue_begin(matmul->queue);
    tw_parallel_for_work_group(cg, groups, tw_range_2d(HEIGHT / ROWS, WIDTH / COLUMNS), matmul_blocks,
                               .a = tw_read_part(cg, matmul->a, first, part), .b = tw_read(cg, matmul->b),
                               .c = tw_discard_write_part(cg, matmul->c, first, part), .n = (unsigned)n);
    return tw_queue_submit(matmul->queue, cg, NULL);
}
