/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices in OpenCL. */

kernel void flat(global const float *a, global const float *b, global float *c, uint n)
{
    const uint row = get_global_id(1), column = get_global_id(0);
    float sum = 0;
    for (uint x = 0; x < n; ++x)
        sum += a[row * n + x] * b[x * n + column];
    c[row * n + column] = sum;
}

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void tiled(global const float *a, global const float *b,
                                                                       global float *c, uint n)
{
    local float a_tile[TILE][TILE], b_tile[TILE][TILE];
    const uint i = get_local_id(1), j = get_local_id(0), row = get_global_id(1), column = get_global_id(0);
    float sum = 0;
    for (uint t = 0; t < n; t += TILE) {
        a_tile[i][j] = a[row * n + t + j];
        b_tile[i][j] = b[(t + i) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint x = 0; x < TILE; ++x)
            sum += a_tile[i][x] * b_tile[x][j];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

#define ACROSS (WIDTH / COLUMNS)
#define ITEMS (HEIGHT / ROWS * ACROSS)

/* Each work-item has a block of C in private memory. */
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void blocked(global const float *a, global const float *b,
                                                                       global float *c, uint n)
{
    local float a_tile[HEIGHT][DEPTH], b_tile[DEPTH][WIDTH];
    const uint item = get_local_id(0), i = item / ACROSS * ROWS, j = item % ACROSS * COLUMNS;
    const uint top = get_group_id(1) * HEIGHT, left = get_group_id(0) * WIDTH;
    float sums[ROWS][COLUMNS];
    for (uint y = 0; y < ROWS; ++y)
        for (uint z = 0; z < COLUMNS; ++z)
            sums[y][z] = 0;
    for (uint t = 0; t < n; t += DEPTH) {
        for (uint at = item; at < HEIGHT * DEPTH; at += ITEMS)
            a_tile[at / DEPTH][at % DEPTH] = a[(top + at / DEPTH) * n + t + at % DEPTH];
        for (uint at = item; at < DEPTH * WIDTH; at += ITEMS)
            b_tile[at / WIDTH][at % WIDTH] = b[(t + at / WIDTH) * n + left + at % WIDTH];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint x = 0; x < DEPTH; ++x) {
            for (uint y = 0; y < ROWS; ++y)
                for (uint z = 0; z < COLUMNS; ++z)
                    sums[y][z] += a_tile[i + y][x] * b_tile[x][j + z];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint y = 0; y < ROWS; ++y)
        for (uint z = 0; z < COLUMNS; ++z)
            c[(top + i + y) * n + left + j + z] = sums[y][z];
}
