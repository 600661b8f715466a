/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies in OpenCL. */

void add_pull(float4 *sum, float dx, float dy, float dz, float mass)
{
    const float inverse = rsqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
    const float pull = mass * inverse * inverse * inverse;
    sum->x += dx * pull;
    sum->y += dy * pull;
    sum->z += dz * pull;
}

void change(global float *velocities, uint n, uint i, float4 sum)
{
    velocities[i] += sum.x * TIME;
    velocities[n + i] += sum.y * TIME;
    velocities[2 * n + i] += sum.z * TIME;
}

kernel void flat(global const float *positions, global float *velocities, uint n)
{
    const uint i = get_global_id(0);
    global const float *x = positions, *y = x + n, *z = y + n, *mass = z + n;
    const float my_x = x[i], my_y = y[i], my_z = z[i];
    float4 sum = 0;
    for (uint j = 0; j < n; ++j)
        add_pull(&sum, x[j] - my_x, y[j] - my_y, z[j] - my_z, mass[j]);
    change(velocities, n, i, sum);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void tiled(global const float *positions,
                                                                     global float *velocities, uint n)
{
    local float tile[4][GROUP];
    const uint at = get_local_id(0), i = get_global_id(0);
    const float my_x = positions[i], my_y = positions[n + i], my_z = positions[2 * n + i];
    float4 sum = 0;
    for (uint first = 0; first < n; first += GROUP) {
        for (uint row = 0; row < 4; ++row)
            tile[row][at] = positions[row * n + first + at];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < GROUP; ++j)
            add_pull(&sum, tile[0][j] - my_x, tile[1][j] - my_y, tile[2][j] - my_z, tile[3][j]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    change(velocities, n, i, sum);
}

kernel void move(global float *positions, global const float *velocities)
{
    const uint i = get_global_id(0);
    positions[i] += velocities[i] * TIME;
}

void add_atomically(global float *total, float value)
{
    global uint *bits = (global uint *)total;
    uint old = *bits, seen;
    while ((seen = atomic_cmpxchg(bits, old, as_uint(as_float(old) + value))) != old)
        old = seen;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
add_energy(global const float *positions, global const float *velocities, uint n, global float *energy)
{
    local float shares[GROUP];
    const uint item = get_local_id(0);
    float sum = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        const float vx = velocities[i], vy = velocities[n + i], vz = velocities[2 * n + i];
        sum += 0.5f * positions[3 * n + i] * (vx * vx + vy * vy + vz * vz);
    }
    shares[item] = sum;
    for (uint rest = GROUP / 2; rest > 0; rest /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < rest)
            shares[item] += shares[item + rest];
    }
    if (item == 0)
        add_atomically(energy, shares[0]);
}
