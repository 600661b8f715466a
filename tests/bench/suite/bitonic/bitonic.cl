/* SPDX-License-Identifier: Apache-2.0 */
/* Bitonic sort in OpenCL. */

#define HALF (BLOCK / 2)

uint lower_of(uint pair, uint distance)
{
    return 2 * pair - (pair & (distance - 1));
}

/* Of two numbers in any memory. */
#define PUT_IN_ORDER(low, high, upwards)                                                                               \
    do {                                                                                                               \
        const uint x_ = (low), y_ = (high), least_ = min(x_, y_), most_ = max(x_, y_);                                 \
        (low) = (upwards) ? least_ : most_;                                                                            \
        (high) = (upwards) ? most_ : least_;                                                                           \
    } while (0)

kernel void one_step(global uint *numbers, uint size, uint distance)
{
    const uint low = lower_of(get_global_id(0), distance);
    PUT_IN_ORDER(numbers[low], numbers[low + distance], (low & size) == 0);
}

/* Steps of `of_size`, or if that is 0 of all sizes up to that of a block. */
kernel __attribute__((reqd_work_group_size(HALF, 1, 1))) void block_steps(global uint *numbers, uint of_size)
{
    local uint block[BLOCK];
    const uint item = get_local_id(0), offset = get_group_id(0) * BLOCK;
    const uint first = of_size ? of_size : 2, last = of_size ? of_size : BLOCK;
    block[item] = numbers[offset + item];
    block[item + HALF] = numbers[offset + item + HALF];
    for (uint size = first; size <= last; size *= 2)
        for (uint distance = min(size / 2, (uint)HALF); distance > 0; distance /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint low = lower_of(item, distance);
            PUT_IN_ORDER(block[low], block[low + distance], ((offset + low) & size) == 0);
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    numbers[offset + item] = block[item];
    numbers[offset + item + HALF] = block[item + HALF];
}
