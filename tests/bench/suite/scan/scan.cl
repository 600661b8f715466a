/* SPDX-License-Identifier: Apache-2.0 */
/* Prefix sums in OpenCL. */

/* Blocks: a tree of sums, up and down again. */
kernel __attribute__((reqd_work_group_size(BLOCK / 2, 1, 1))) void tree(global const uint *in, global uint *out)
{
    local uint sums[BLOCK];
    const uint item = get_local_id(0), first = get_group_id(0) * BLOCK;
    const uint low = in[first + item], high = in[first + item + BLOCK / 2];
    sums[item] = low;
    sums[item + BLOCK / 2] = high;
    for (uint pairs = BLOCK / 2, stride = 1; pairs > 0; pairs /= 2, stride *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < pairs)
            sums[(2 * item + 2) * stride - 1] += sums[(2 * item + 1) * stride - 1];
    }
    if (item == 0)
        sums[BLOCK - 1] = 0;
    for (uint pairs = 1, stride = BLOCK / 2; pairs < BLOCK; pairs *= 2, stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < pairs) {
            const uint left = sums[(2 * item + 1) * stride - 1];
            sums[(2 * item + 1) * stride - 1] = sums[(2 * item + 2) * stride - 1];
            sums[(2 * item + 2) * stride - 1] += left;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[first + item] = sums[item] + low;
    out[first + item + BLOCK / 2] = sums[item + BLOCK / 2] + high;
}

/* Adds to each share those of the work-items before it, and itself. `size`: of the group. */
void scan_shares(local uint *shares, uint size)
{
    const uint item = get_local_id(0);
    for (uint distance = 1; distance < size; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint other = item >= distance ? shares[item - distance] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        shares[item] += other;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* The sum of each part, EACH numbers in a row of a work-item. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void sums_of_parts(global const uint *in, global uint *sums)
{
    local uint shares[GROUP];
    const uint item = get_local_id(0);
    global const uint *mine = in + get_global_id(0) * EACH;
    uint sum = 0;
    for (uint i = 0; i < EACH; ++i)
        sum += mine[i];
    shares[item] = sum;
    for (uint rest = GROUP / 2; rest > 0; rest /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < rest)
            shares[item] += shares[item + rest];
    }
    if (item == 0)
        sums[get_group_id(0)] = shares[0];
}

/* A group scans the sums of all parts in place. */
kernel __attribute__((reqd_work_group_size(SUMS_GROUP, 1, 1))) void scan_sums(global uint *sums, uint count)
{
    local uint shares[SUMS_GROUP];
    const uint item = get_local_id(0), each = (count + SUMS_GROUP - 1) / SUMS_GROUP;
    const uint first = min(item * each, count), past = min(first + each, count);
    uint sum = 0;
    for (uint i = first; i < past; ++i)
        sum += sums[i];
    shares[item] = sum;
    scan_shares(shares, SUMS_GROUP);
    uint before = item > 0 ? shares[item - 1] : 0;
    for (uint i = first; i < past; ++i) {
        before += sums[i];
        sums[i] = before;
    }
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void parts(global const uint *in, global const uint *sums,
                                                                     global uint *out)
{
    local uint shares[GROUP];
    const uint item = get_local_id(0), part = get_group_id(0);
    const size_t first = get_global_id(0) * EACH;
    uint sum = 0;
    for (uint i = 0; i < EACH; ++i)
        sum += in[first + i];
    shares[item] = sum;
    scan_shares(shares, GROUP);
    uint before = (part > 0 ? sums[part - 1] : 0) + (item > 0 ? shares[item - 1] : 0);
    for (uint i = 0; i < EACH; ++i) {
        before += in[first + i];
        out[first + i] = before;
    }
}
