/* SPDX-License-Identifier: Apache-2.0 */
/* Transposing in OpenCL. */

kernel void flat(global const float *in, global float *out, uint side)
{
    const uint row = get_global_id(1), column = get_global_id(0);
    out[row * side + column] = in[column * side + row];
}

kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1))) void tiled(global const float *in, global float *out,
                                                                       uint side)
{
    local float tile[TILE][TILE + 1];
    const uint top = get_group_id(1) * TILE, left = get_group_id(0) * TILE, row = get_local_id(1), j = get_local_id(0);
    for (uint i = 0; i < TILE; i += ROWS)
        tile[i + row][j] = in[(left + i + row) * side + top + j];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < TILE; i += ROWS)
        out[(top + i + row) * side + left + j] = tile[j][i + row];
}
