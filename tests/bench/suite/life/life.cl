/* SPDX-License-Identifier: Apache-2.0 */
/* The Game of Life in OpenCL. `inside` is the number of the first cell within the border. */

kernel void flat(global const uchar *now, global uchar *next, uint inside, uint pitch)
{
    const uint at = inside + get_global_id(1) * pitch + get_global_id(0);
    global const uchar *here = now + at, *up = here - pitch, *down = here + pitch;
    const uchar sum = up[-1] + up[0] + up[1] + here[-1] + here[1] + down[-1] + down[0] + down[1];
    next[at] = (sum == 3) | ((sum == 2) & here[0]);
}

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void tiled(global const uchar *now, global uchar *next,
                                                                       uint inside, uint pitch)
{
    local uchar tile[TILE + 2][TILE + 2];
    const uint halo = TILE + 2, i = get_local_id(1), j = get_local_id(0);
    const uint corner = inside + get_group_id(1) * TILE * pitch + get_group_id(0) * TILE;
    global const uchar *from = now + corner - pitch - 1;
    const uint row = i * TILE + j; /* a row for each of the first work-items */
    if (row < halo)
        for (uint column = 0; column < halo; ++column)
            tile[row][column] = from[row * pitch + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uchar sum = tile[i][j] + tile[i][j + 1] + tile[i][j + 2] + tile[i + 1][j] + tile[i + 1][j + 2]
                      + tile[i + 2][j] + tile[i + 2][j + 1] + tile[i + 2][j + 2];
    next[corner + i * pitch + j] = (sum == 3) | ((sum == 2) & tile[i + 1][j + 1]);
}
