/* SPDX-License-Identifier: Apache-2.0 */
/* The bilateral filter in OpenCL. `first` is the number of the first pixel. */

/* The new value of a pixel; `corner` is that which is RADIUS above and left of it, in any memory. */
#define FILTERED(result, corner, pitch)                                                                                \
    float result, sum_ = 0, weights_ = 0;                                                                              \
    const float here_ = (corner)[RADIUS * (pitch) + RADIUS];                                                           \
    for (int y = 0; y <= 2 * RADIUS; ++y)                                                                              \
        for (int x = 0; x <= 2 * RADIUS; ++x) {                                                                        \
            const int dy = y - RADIUS, dx = x - RADIUS;                                                                \
            const float value_ = (corner)[y * (pitch) + x], difference_ = value_ - here_;                              \
            const float weight_ = exp((float)(dx * dx + dy * dy) * NEAR + difference_ * difference_ * ALIKE);          \
            sum_ += weight_ * value_;                                                                                  \
            weights_ += weight_;                                                                                       \
        }                                                                                                              \
    result = sum_ / weights_

kernel void flat(global const float *in, global float *out, uint first, uint pitch)
{
    const uint at = first + get_global_id(1) * pitch + get_global_id(0);
    global const float *corner = in + at - RADIUS * pitch - RADIUS;
    FILTERED(mean, corner, pitch);
    out[at] = mean;
}

#define HIGH (ROWS + 2 * RADIUS)
#define WIDE (COLUMNS + 2 * RADIUS)

kernel __attribute__((reqd_work_group_size(COLUMNS, ROWS, 1))) void tiled(global const float *in, global float *out,
                                                                          uint first, uint pitch)
{
    local float tile[HIGH * WIDE];
    const uint i = get_local_id(1), j = get_local_id(0), row = i * COLUMNS + j;
    const uint corner = first + get_group_id(1) * ROWS * pitch + get_group_id(0) * COLUMNS;
    global const float *from = in + corner - RADIUS * pitch - RADIUS;
    if (row < HIGH) /* a row for each of the first work-items */
        for (uint column = 0; column < WIDE; ++column)
            tile[row * WIDE + column] = from[row * pitch + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    local const float *mine = &tile[i * WIDE + j];
    FILTERED(mean, mine, WIDE);
    out[corner + i * pitch + j] = mean;
}
