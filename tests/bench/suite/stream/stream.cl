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

/* A part of the sum for each group. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void dot_parts(global const double *x, global const double *y,
                                                                         global double *parts, ulong n)
{
    local double part[GROUP];
    const uint item = get_local_id(0);
    double sum = 0;
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
        sum += x[i] * y[i];
    part[item] = sum;
    for (uint rest = GROUP / 2; rest > 0; rest /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < rest)
            part[item] += part[item + rest];
    }
    if (item == 0)
        parts[get_group_id(0)] = part[0];
}
