/* SPDX-License-Identifier: Apache-2.0 */
/* A Gaussian filter in OpenCL. `inside` is the number of the first pixel within the border. */

struct weights {
    float at[RADIUS + 1];
};

/* Unrolled, else PoCL does not vectorize it. */
#define WEIGHTED_SUM(sum, in, step, w)                                                                                 \
    float sum = (in)[0] * (w).at[0];                                                                                   \
    _Pragma("unroll") for (int d = 1; d <= RADIUS; ++d) sum +=                                                         \
        ((in)[-d * (int)(step)] + (in)[d * (int)(step)]) * (w).at[d]

kernel void flat_rows(global const float *in, global float *out, uint inside, uint pitch, struct weights weights)
{
    const uint at = inside + get_global_id(1) * pitch + get_global_id(0);
    WEIGHTED_SUM(sum, in + at, 1, weights);
    out[at] = sum;
}

kernel void flat_columns(global const float *in, global float *out, uint inside, uint pitch, struct weights weights)
{
    const uint at = inside + get_global_id(1) * pitch + get_global_id(0);
    WEIGHTED_SUM(sum, in + at, pitch, weights);
    out[at] = sum;
}

#define WIDTH (COLUMNS * ROW_TILE)
#define HEIGHT (ROWS * COLUMN_TILE)

kernel __attribute__((reqd_work_group_size(COLUMNS, ROWS, 1))) void
tiled_rows(global const float *in, global float *out, uint inside, uint pitch, struct weights weights)
{
    local float tile[ROWS][WIDTH + 2 * RADIUS];
    const uint i = get_local_id(1), j = get_local_id(0);
    const uint corner = inside + get_global_id(1) * pitch + get_group_id(0) * WIDTH;
    for (uint at = j; at < WIDTH + 2 * RADIUS; at += COLUMNS)
        tile[i][at] = in[corner - RADIUS + at];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = 0; at < WIDTH; at += COLUMNS) {
        WEIGHTED_SUM(sum, &tile[i][RADIUS + at + j], 1, weights);
        out[corner + at + j] = sum;
    }
}

kernel __attribute__((reqd_work_group_size(COLUMNS, ROWS, 1))) void
tiled_columns(global const float *in, global float *out, uint inside, uint pitch, struct weights weights)
{
    local float tile[HEIGHT + 2 * RADIUS][COLUMNS];
    const uint i = get_local_id(1), j = get_local_id(0);
    const uint corner = inside + get_group_id(1) * HEIGHT * pitch + get_global_id(0);
    for (uint at = 0; at < HEIGHT + 2 * RADIUS; at += ROWS)
        tile[at + i][j] = in[corner - RADIUS * pitch + (at + i) * pitch];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = 0; at < HEIGHT; at += ROWS) {
        WEIGHTED_SUM(sum, &tile[RADIUS + at + i][j], COLUMNS, weights);
        out[corner + (at + i) * pitch] = sum;
    }
}
