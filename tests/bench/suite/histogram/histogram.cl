/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms in OpenCL. A work-item has bytes in a row, as suits the caches of a CPU. */

/* The bytes of a work-item, from `*first` on; `each`: those of a group. */
uint bytes_of_item(uint count, uint each, uint *first)
{
    const uint start = get_group_id(0) * each, past = count - start < each ? count : start + each;
    const uint share = (each + get_local_size(0) - 1) / get_local_size(0);
    *first = min(start + (uint)get_local_id(0) * share, past);
    return min(share, past - *first);
}

/* Atomics on counts of the group, which it then adds to those of all. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void phases(global const uchar *bytes, global uint *bins,
                                                                      uint count, uint each)
{
    local uint counts[VALUES];
    const uint item = get_local_id(0);
    uint first;
    const uint mine = bytes_of_item(count, each, &first);
    for (uint bin = item; bin < VALUES; bin += GROUP)
        counts[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < mine; ++i)
        atomic_inc(&counts[bytes[first + i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint bin = item; bin < VALUES; bin += GROUP)
        if (counts[bin])
            atomic_add(&bins[bin], counts[bin]);
}

/* A set of counts for each work-item: no atomics before the end. */
kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void lanes(global const uchar *bytes, global uint *bins,
                                                                     uint count, uint each)
{
    local uint counts[LANES][VALUES];
    const uint item = get_local_id(0);
    uint first;
    const uint mine = bytes_of_item(count, each, &first);
    for (uint bin = 0; bin < VALUES; ++bin)
        counts[item][bin] = 0;
    for (uint i = 0; i < mine; ++i)
        ++counts[item][bytes[first + i]];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint bin = item; bin < VALUES; bin += LANES) {
        uint sum = 0;
        for (uint lane = 0; lane < LANES; ++lane)
            sum += counts[lane][bin];
        if (sum)
            atomic_add(&bins[bin], sum);
    }
}
