/* SPDX-License-Identifier: Apache-2.0 */
/* Jacobi's iteration in OpenCL. `first` is the number of the first point. */

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

#define ITEMS (ROWS * COLUMNS)

void add_atomically(global double *total, double value)
{
    global ulong *bits = (global ulong *)total;
    ulong old = *bits, seen;
    while ((seen = atom_cmpxchg(bits, old, as_ulong(as_double(old) + value))) != old)
        old = seen;
}

/* Adds the sum of a group's values to *total. One work-item adds up: on a CPU a barrier costs more than these
   additions. */
void add_of_group(double value, local double *shares, global double *total)
{
    const uint item = get_local_id(1) * COLUMNS + get_local_id(0);
    shares[item] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        double4 sums = 0;
        for (uint i = 0; i < ITEMS; i += 4)
            sums += vload4(0, shares + i);
        add_atomically(total, sums.x + sums.y + sums.z + sums.w);
    }
}

kernel __attribute__((reqd_work_group_size(COLUMNS, ROWS, 1))) void flat(global const float *in, global float *out,
                                                                         global double *change, uint first, uint pitch)
{
    local double shares[ITEMS];
    const uint at = first + get_global_id(1) * pitch + get_global_id(0);
    global const float *here = in + at;
    const float mean = 0.25f * (here[-(int)pitch] + here[pitch] + here[-1] + here[1]);
    const double difference = mean - here[0];
    out[at] = mean;
    add_of_group(difference * difference, shares, change);
}

kernel __attribute__((reqd_work_group_size(COLUMNS, ROWS, 1))) void tiled(global const float *in, global float *out,
                                                                          global double *change, uint first, uint pitch)
{
    local double shares[ITEMS];
    local float tile[(ROWS + 2) * (COLUMNS + 2)];
    const uint wide = COLUMNS + 2, i = get_local_id(1), j = get_local_id(0), row = i * COLUMNS + j;
    const uint corner = first + get_group_id(1) * ROWS * pitch + get_group_id(0) * COLUMNS;
    global const float *from = in + corner - pitch - 1;
    if (row < ROWS + 2) /* a row for each of the first work-items */
        for (uint column = 0; column < wide; ++column)
            tile[row * wide + column] = from[row * pitch + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    local const float *here = &tile[(i + 1) * wide + j + 1];
    const float mean = 0.25f * (here[-(int)wide] + here[wide] + here[-1] + here[1]);
    const double difference = mean - here[0];
    out[corner + i * pitch + j] = mean;
    add_of_group(difference * difference, shares, change);
}
