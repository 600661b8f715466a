/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies that attract each other, on one device or on several. A work-item moves one body, which all others pull at.
 *
 * The launch is the same for a queue on one device and for one over several: what a kernel reads it gets whole, unless
 * the program says otherwise, and what it writes is divided as the work-items are. So each device gets the positions that
 * the others have computed in the step before, and keeps the velocities of its own bodies.
 *
 *     nbody [--devices LIST] [BODIES]     devices.h has the lists
 */
#include "devices.h"

#include <math.h>
#include <stdint.h>
#include <teamwork/math.h>
#include <teamwork/vector.h>

enum { BODIES = 4500, MOST_BODIES = 1 << 20, WARMUP = 12, STEPS = 4 };

/* Bodies that are closer than this attract each other no more than at this distance, about. */
#define SOFTENING 0.01f
#define TIME_STEP 0.01f

struct move {
    const tw_float4 *now; /* positions; the fourth element is the mass */
    tw_float4 *next, *velocity;
    size_t count;
};

static inline void move(tw_item item, const struct move *k)
{
    const size_t i = tw_global_id(item, 0);
    const tw_float4 here = k->now[i];
    float x = 0, y = 0, z = 0;
    for (size_t j = 0; j < k->count; ++j) {
        const tw_float4 there = k->now[j];
        const float dx = there[0] - here[0], dy = there[1] - here[1], dz = there[2] - here[2];
        const float inverse = tw_rsqrt(dx * dx + dy * dy + dz * dz + SOFTENING * SOFTENING);
        const float pull = there[3] * inverse * inverse * inverse;
        x += pull * dx;
        y += pull * dy;
        z += pull * dz;
    }
    const tw_float4 acceleration = {x, y, z, 0};
    const tw_float4 velocity = k->velocity[i] + TIME_STEP * acceleration;
    k->velocity[i] = velocity;
    k->next[i] = here + TIME_STEP * velocity;
}
TW_RANGE_KERNEL(move, 1);

static void submit_step(tw_queue *queue, size_t count, tw_buffer *now, tw_buffer *next, tw_buffer *velocity)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(count), move, .now = tw_read(cg, now), .next = tw_discard_write(cg, next),
                    .velocity = tw_read_write(cg, velocity), .count = count);
    check(tw_queue_submit(queue, cg, NULL));
}

/* Moves the bodies, which begin at rest. Returns the seconds of the steps after the first ones. */
static double compute(tw_queue *queue, size_t count, const tw_float4 *start, tw_float4 *velocities)
{
    tw_buffer *positions[2], *velocity;
    double begin = 0;
    memset(velocities, 0, count * sizeof *velocities);
    check(tw_buffer_create_copy(start, sizeof *start, tw_range_1d(count), &positions[0]));
    check(tw_buffer_create(sizeof *start, tw_range_1d(count), &positions[1]));
    check(tw_buffer_create_over(velocities, sizeof *velocities, tw_range_1d(count), &velocity));
    for (int step = 0; step < WARMUP + STEPS; ++step) {
        if (step <= WARMUP) {
            check(tw_queue_wait(queue));
            begin = seconds();
        }
        submit_step(queue, count, positions[step & 1], positions[~step & 1], velocity);
    }
    check(tw_queue_wait(queue));
    const double taken = seconds() - begin;
    check(tw_buffer_destroy(&velocity)); /* brings the velocities to the host */
    check(tw_buffer_destroy(&positions[0]));
    check(tw_buffer_destroy(&positions[1]));
    return taken;
}

/* The same on the host, in double precision. `positions` begin as the start, and `velocities` as zeros. */
static void compute_expected(size_t count, double (*positions)[4], double (*velocities)[4])
{
    for (int step = 0; step < WARMUP + STEPS; ++step) {
#pragma omp parallel for
        for (size_t i = 0; i < count; ++i)
            for (size_t j = 0; j < count; ++j) {
                double d[3], square = (double)SOFTENING * (double)SOFTENING;
                for (int c = 0; c < 3; ++c) {
                    d[c] = positions[j][c] - positions[i][c];
                    square += d[c] * d[c];
                }
                const double pull = positions[j][3] / (square * sqrt(square));
                for (int c = 0; c < 3; ++c)
                    velocities[i][c] += (double)TIME_STEP * pull * d[c];
            }
        for (size_t i = 0; i < count; ++i)
            for (int c = 0; c < 3; ++c)
                positions[i][c] += (double)TIME_STEP * velocities[i][c];
    }
}

/* Whether velocities differ by no more than rounding. */
static bool are_close(size_t count, const tw_float4 *velocities, double (*expected)[4])
{
    double most = 0, error = 0;
    for (size_t i = 0; i < count; ++i)
        for (int c = 0; c < 3; ++c) {
            most = fmax(most, fabs(expected[i][c]));
            error = fmax(error, fabs((double)velocities[i][c] - expected[i][c]));
        }
    return error < 1e-4 * most;
}

static void place(size_t count, tw_float4 *start, double (*positions)[4])
{
    uint32_t random = 1;
    for (size_t i = 0; i < count; ++i)
        for (int c = 0; c < 4; ++c) {
            random = random * 1664525u + 1013904223u;
            const float number = (float)(random >> 8) * 0x1p-24f;
            start[i][c] = c < 3 ? number : (1 + number) / (float)count;
            positions[i][c] = (double)start[i][c];
        }
}

int main(int arguments_count, char **arguments)
{
    const struct devices devices = take_devices(&arguments_count, arguments);
    const size_t count = arguments_count > 1 ? strtoul(arguments[1], NULL, 10) : BODIES;
    if (count < 1 || count > MOST_BODIES) {
        fprintf(stderr, "nbody: from 1 to %d bodies\n", MOST_BODIES);
        return 2;
    }
    tw_float4 *start = allocate(count, sizeof *start), *velocities = allocate(count, sizeof *start);
    double(*positions)[4] = allocate(count, sizeof *positions), (*expected)[4] = allocate(count, sizeof *expected);
    place(count, start, positions);
    compute_expected(count, positions, expected);

    printf("%d steps of %zu bodies\n", STEPS, count);
    bool right = true;
    tw_queue *queue;
    for (size_t run = 0; (queue = create_queue(&devices, run)); ++run) {
        const double taken = compute(queue, count, start, velocities);
        right &= report(queue, "", taken, are_close(count, velocities, expected));
        check(tw_queue_destroy(&queue));
    }
    free(start);
    free(velocities);
    free(positions);
    free(expected);
    return !right;
}
