/* SPDX-License-Identifier: Apache-2.0 */
/* Laplace's equation in OpenCL. `first` is the number of the first point. */

#define SIXTH (1.0f / 6)

kernel void flat(global const float *in, global float *out, uint first, uint pitch, uint plane)
{
    const uint at = first + get_global_id(2) * plane + get_global_id(1) * pitch + get_global_id(0);
    global const float *here = in + at;
    const float sum = here[-(int)plane] + here[plane] + here[-(int)pitch] + here[pitch];
    out[at] = (sum + here[-1] + here[1]) * SIXTH;
}

kernel __attribute__((reqd_work_group_size(COLUMNS, ROWS, 1))) void planes(global const float *in, global float *out,
                                                                           uint first, uint pitch, uint plane)
{
    local float tile[(ROWS + 2) * (COLUMNS + 2)];
    const uint wide = COLUMNS + 2, i = get_local_id(1), j = get_local_id(0), row = i * COLUMNS + j;
    const uint corner =
        first + get_group_id(2) * PLANES * plane + get_group_id(1) * ROWS * pitch + get_group_id(0) * COLUMNS;
    global const float *mine = in + corner + i * pitch + j, *from = in + corner - pitch - 1;
    global float *to = out + corner + i * pitch + j;
    float before = mine[-(int)plane];
    for (uint z = 0; z < PLANES; ++z) {
        if (row < ROWS + 2) /* a row for each of the first work-items */
            for (uint column = 0; column < wide; ++column)
                tile[row * wide + column] = from[z * plane + row * pitch + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        const float behind = mine[(z + 1) * plane];
        local const float *here = &tile[(i + 1) * wide + j + 1];
        to[z * plane] = (before + behind + here[-(int)wide] + here[wide] + here[-1] + here[1]) * SIXTH;
        before = *here;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
