/* SPDX-License-Identifier: Apache-2.0 */
/* The Ising model in OpenCL. `first` is the number of the first spin. */

kernel void update(global char *spins, global const char *others, uint4 thresholds, uint first, uint pitch, uint turn,
                   uint odd)
{
    const uint row = get_global_id(1), place = row * pitch + get_global_id(0);
    global const char *here = others + first + place;
    const int sum = here[-(int)pitch] + here[0] + here[pitch] + (row % 2 == odd ? here[1] : here[-1]);
    const int spin = spins[first + place], agree = spin * sum;
    uint number = place ^ turn;
    number ^= number >> 16;
    number *= 0x7feb352du;
    number ^= number >> 15;
    number *= 0x846ca68bu;
    number ^= number >> 16;
    const uint threshold = agree <= 1   ? thresholds.x
                           : agree == 2 ? thresholds.y
                           : agree == 3 ? thresholds.z
                                        : thresholds.w;
    spins[first + place] = agree <= 0 || number < threshold ? -spin : spin;
}
