/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms in OpenCL: counts of a group in local memory, which it then adds to those of all. */

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void phases(global const uchar *bytes, global uint *bins,
                                                                      uint count, uint each)
{
    local uint counts[VALUES];
    const uint item = get_local_id(0), first = get_group_id(0) * each;
    const uint past = count - first < each ? count : first + each;
    for (uint bin = item; bin < VALUES; bin += GROUP)
        counts[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = first + item; i < past; i += GROUP)
        atomic_inc(&counts[bytes[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint bin = item; bin < VALUES; bin += GROUP)
        if (counts[bin])
            atomic_add(&bins[bin], counts[bin]);
}
