/* SPDX-License-Identifier: Apache-2.0 */
/* The stream programs in OpenCL. */

kernel void copy(global const double *x, global const double *y, global double *out)
{
    out[get_global_id(0)] = x[get_global_id(0)];
}

kernel void mul(global const double *x, global const double *y, global double *out)
{
    out[get_global_id(0)] = SCALE * x[get_global_id(0)];
}

kernel void add(global const double *x, global const double *y, global double *out)
{
    out[get_global_id(0)] = x[get_global_id(0)] + y[get_global_id(0)];
}

kernel void triad(global const double *x, global const double *y, global double *out)
{
    out[get_global_id(0)] = x[get_global_id(0)] + SCALE * y[get_global_id(0)];
}

/* A part of the sum for each group; a work-item has numbers in a row, as suits the caches of a CPU. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void dot_parts(global const double *x, global const double *y,
                                                                         global double *parts, ulong each)
{
    local double part[GROUP];
    const uint item = get_local_id(0);
    const size_t first = get_global_id(0) * each;
    double4 sum = 0;
    for (size_t i = 0; i < each; i += 4)
        sum += vload4(0, x + first + i) * vload4(0, y + first + i);
    part[item] = sum.x + sum.y + sum.z + sum.w;
    for (uint rest = GROUP / 2; rest > 0; rest /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < rest)
            part[item] += part[item + rest];
    }
    if (item == 0)
        parts[get_group_id(0)] = part[0];
}
