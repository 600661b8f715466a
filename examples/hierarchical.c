/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hierarchical kernel: a 10 x 10 x 10 field is cut into blocks of 2 x 2 x 2, and a work-group of eight work-items
 * compares each block's cells with the block's sum. The kernel has two work-item loops; code between them is group
 * scope, which runs once a group. The group synchronizes on the edges of each loop, so no barrier is written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <teamwork/teamwork.h>

enum { BLOCK = 2, BLOCKS = 5, SIZE = BLOCK * BLOCKS };

struct compare {
    const int *field;
    int *excess; /* eight times the cell, less the sum of its block */
    int *sums;   /* one for each block */
};

static inline void compare(tw_group group, const struct compare *k)
{
    TW_LOCAL(int, block, [BLOCK][BLOCK][BLOCK]); /* team-local memory: one array, shared by the work-items */
    int sum = 0;                                 /* a variable at group scope */

    tw_parallel_for_work_item(group, item) {
        block[tw_local_id(item, 0)][tw_local_id(item, 1)][tw_local_id(item, 2)] = k->field[tw_global_linear_id(item)];
    }

    /* Group scope again: every work-item has written its cell, and sees this sum in the loop below. */
    for (int i = 0; i < BLOCK * BLOCK * BLOCK; ++i)
        sum += block[i / (BLOCK * BLOCK)][i / BLOCK % BLOCK][i % BLOCK];

    tw_parallel_for_work_item(group, item) {
        int cell = block[tw_local_id(item, 0)][tw_local_id(item, 1)][tw_local_id(item, 2)];
        k->excess[tw_global_linear_id(item)] = BLOCK * BLOCK * BLOCK * cell - sum;
    }

    /* A GPU lets each of its threads run group scope, so a side effect there is marked: once for the group. */
    TW_ONCE(group) {
        k->sums[tw_group_linear_id(group)] = sum;
    }
}
TW_WORK_GROUP_KERNEL(compare, BLOCK, BLOCK, BLOCK); /* the group's size, known to the compiler */

static void check(tw_status status)
{
    if (status != TW_SUCCESS) {
        fprintf(stderr, "%s: %s\n", tw_status_name(status), tw_error_detail());
        exit(1);
    }
}

static int cell_at(int x, int y, int z)
{
    return x * x + 3 * y + x * z;
}

/* The sum of the block that holds cell (x, y, z), cell by cell. */
static int block_sum(int x, int y, int z)
{
    int sum = 0;
    for (int i = 0; i < BLOCK * BLOCK * BLOCK; ++i)
        sum += cell_at(x / BLOCK * BLOCK + i / 4, y / BLOCK * BLOCK + i / 2 % 2, z / BLOCK * BLOCK + i % 2);
    return sum;
}

int main(void)
{
    static int field[SIZE][SIZE][SIZE], excess[SIZE][SIZE][SIZE], sums[BLOCKS][BLOCKS][BLOCKS];
    for (int x = 0; x < SIZE; ++x)
        for (int y = 0; y < SIZE; ++y)
            for (int z = 0; z < SIZE; ++z)
                field[x][y][z] = cell_at(x, y, z);

    tw_queue *queue;
    tw_buffer *in, *out, *per_block;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    check(tw_buffer_create_over_const(field, sizeof(int), tw_range_3d(SIZE, SIZE, SIZE), &in));
    check(tw_buffer_create_over(excess, sizeof(int), tw_range_3d(SIZE, SIZE, SIZE), &out));
    check(tw_buffer_create_over(sums, sizeof(int), tw_range_3d(BLOCKS, BLOCKS, BLOCKS), &per_block));

    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_3d(BLOCKS, BLOCKS, BLOCKS), tw_range_3d(BLOCK, BLOCK, BLOCK), compare,
                               .field = tw_read(cg, in), .excess = tw_discard_write(cg, out),
                               .sums = tw_discard_write(cg, per_block));
    check(tw_queue_submit(queue, cg, NULL));

    check(tw_buffer_destroy(&in));
    check(tw_buffer_destroy(&out));       /* waits, and brings `excess` back */
    check(tw_buffer_destroy(&per_block)); /* likewise `sums` */
    check(tw_queue_destroy(&queue));

    int wrong = 0;
    for (int x = 0; x < SIZE; ++x)
        for (int y = 0; y < SIZE; ++y)
            for (int z = 0; z < SIZE; ++z)
                wrong += excess[x][y][z] != 8 * cell_at(x, y, z) - block_sum(x, y, z)
                         || sums[x / BLOCK][y / BLOCK][z / BLOCK] != block_sum(x, y, z);
    printf("%d blocks of %d cells, %d cells wrong\n", BLOCKS * BLOCKS * BLOCKS, BLOCK * BLOCK * BLOCK, wrong);
    return wrong != 0;
}
