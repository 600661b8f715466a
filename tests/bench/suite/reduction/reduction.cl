/* SPDX-License-Identifier: Apache-2.0 */
/* Sums in OpenCL. */

/* Two numbers of each work-item, then sums of neighbours in twice as long steps. */
kernel __attribute__((reqd_work_group_size(PAIRS, 1, 1))) void pairs(global const uint *in, uint from, global uint *out,
                                                                     uint to, uint count)
{
    local uint sums[PAIRS];
    const uint item = get_local_id(0), first = 2 * get_global_id(0);
    sums[item] = 0;
    if (first + 1 < count)
        sums[item] = in[from + first] + in[from + first + 1];
    else if (first < count)
        sums[item] = in[from + first];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint stride = 1; stride < PAIRS; stride *= 2) {
        const uint at = 2 * stride * item;
        if (at < PAIRS)
            sums[at] += sums[at + stride];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        out[to + get_group_id(0)] = sums[0];
}

/* The sum of a group's shares, for its first work-item. */
void add_up(local uint *shares)
{
    const uint item = get_local_id(0);
    for (uint half_ = PART_GROUP / 2; half_ > 0; half_ /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_)
            shares[item] += shares[item + half_];
    }
}

/* A sum of each group's numbers; a work-item has `each` of them in a row, a multiple of 4, as suits the caches of a
   CPU. */
kernel __attribute__((reqd_work_group_size(PART_GROUP, 1, 1))) void parts(global const uint *in, global uint *out,
                                                                          uint count, uint each)
{
    local uint shares[PART_GROUP];
    const uint item = get_local_id(0), first = min((uint)get_global_id(0) * each, count);
    const uint past = min(first + each, count), quads = (past - first) / 4;
    uint4 sums = 0;
    for (uint i = 0; i < quads; ++i)
        sums += vload4(i, in + first);
    uint share = sums.x + sums.y + sums.z + sums.w;
    for (uint i = first + quads * 4; i < past; ++i)
        share += in[i];
    shares[item] = share;
    add_up(shares);
    if (item == 0)
        out[get_group_id(0)] = shares[0];
}
