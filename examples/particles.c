/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Particles that leave: each step moves all of them, and takes those that have left the box out of the array, so that
 * the next step goes through fewer. How many are left, the device alone knows: no step waits for the host.
 *
 *     particles [COUNT [STEPS]]     100000 particles and 50 steps without them
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <teamwork/algorithms.h>
#include <teamwork/random.h>
#include <teamwork/teamwork.h>

enum { SIDE = 1 << 20, FASTEST = 1 << 16 }; /* the box has SIDE units in each direction; units a step */

struct particle {
    int32_t x, y, z;    /* where it is */
    int32_t vx, vy, vz; /* how far it goes in a step */
    uint32_t number;
};

static inline bool is_inside(struct particle p)
{
    return p.x >= 0 && p.x < SIDE && p.y >= 0 && p.y < SIDE && p.z >= 0 && p.z < SIDE;
}
TW_SELECT(keep_inside, struct particle, is_inside);

/* The same for a number on every device, and on the host. */
static inline struct particle make_particle(uint32_t number)
{
    const tw_random a = tw_philox(1, number, 0), b = tw_philox(1, number, 1);
    return (struct particle){.x = (int32_t)(a.word[0] % SIDE),
                             .y = (int32_t)(a.word[1] % SIDE),
                             .z = (int32_t)(a.word[2] % SIDE),
                             .vx = (int32_t)(b.word[0] % (2 * FASTEST)) - FASTEST,
                             .vy = (int32_t)(b.word[1] % (2 * FASTEST)) - FASTEST,
                             .vz = (int32_t)(b.word[2] % (2 * FASTEST)) - FASTEST,
                             .number = number};
}

static inline struct particle moved(struct particle p)
{
    p.x += p.vx;
    p.y += p.vy;
    p.z += p.vz;
    return p;
}

struct create {
    struct particle *particles;
};
static inline void create(tw_item item, const struct create *k)
{
    const size_t i = tw_global_id(item, 0);
    k->particles[i] = make_particle((uint32_t)i);
}
TW_RANGE_KERNEL(create, 1);

/* Of the particles that there may be, moves those that there are. */
struct move {
    struct particle *particles;
    const size_t *count;
};
static inline void move(tw_item item, const struct move *k)
{
    const size_t i = tw_global_id(item, 0);
    if (i < *k->count)
        k->particles[i] = moved(k->particles[i]);
}
TW_RANGE_KERNEL(move, 1);

static void check(tw_status status)
{
    if (status != TW_SUCCESS) {
        fprintf(stderr, "particles: %s: %s\n", tw_status_name(status), tw_error_detail());
        exit(1);
    }
}

/* Two arrays, and how many of each there are; a step goes from one to the other. */
struct box {
    tw_buffer *particles[2], *counts[2];
    size_t most;
};

static void submit_step(tw_queue *queue, const struct box *box, unsigned step)
{
    const unsigned from = step % 2, to = 1 - from;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(box->most), move, .particles = tw_read_write(cg, box->particles[from]),
                    .count = tw_read(cg, box->counts[from]));
    check(tw_queue_submit(queue, cg, NULL));

    cg = tw_queue_begin(queue);
    tw_count_on_device(cg, tw_read(cg, box->counts[from]));
    keep_inside(cg, tw_read(cg, box->particles[from]), box->most, tw_discard_write(cg, box->particles[to]),
                tw_discard_write(cg, box->counts[to]));
    check(tw_queue_submit(queue, cg, NULL));
}

/* Whether the first `count` particles are those that are left after all steps, in their order. */
static bool is_right(const struct particle *left, size_t count, size_t most, unsigned steps)
{
    size_t expected = 0;
    for (size_t i = 0; i < most; ++i) {
        struct particle p = make_particle((uint32_t)i);
        unsigned step = 0;
        while (step < steps && is_inside(p = moved(p)))
            ++step;
        if (step < steps)
            continue;
        if (expected >= count || left[expected].number != i || left[expected].x != p.x) {
            fprintf(stderr, "particles: particle %zu is not there\n", i);
            return false;
        }
        ++expected;
    }
    if (expected != count)
        fprintf(stderr, "particles: %zu are left, not %zu\n", count, expected);
    return expected == count;
}

int main(int argc, char **argv)
{
    const long given = argc > 1 ? strtol(argv[1], NULL, 10) : 100000, steps = argc > 2 ? strtol(argv[2], NULL, 10) : 50;
    if (given < 1 || given > 100000000 || steps < 0 || steps > 1000) {
        fprintf(stderr, "usage: particles [COUNT [STEPS]], of 1 to 100000000, and of 0 to 1000\n");
        return 1;
    }
    struct box box = {.most = (size_t)given};
    struct particle *left = calloc(box.most, sizeof *left);
    size_t count = box.most;
    if (!left) {
        fprintf(stderr, "particles: no memory\n");
        return 1;
    }
    tw_queue *queue;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    for (int i = 0; i < 2; ++i) {
        check(tw_buffer_create(sizeof *left, tw_range_1d(box.most), &box.particles[i]));
        check(tw_buffer_create_copy(&count, sizeof count, tw_range_1d(1), &box.counts[i]));
    }
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(box.most), create, .particles = tw_discard_write(cg, box.particles[0]));
    check(tw_queue_submit(queue, cg, NULL));
    for (long step = 0; step < steps; ++step)
        submit_step(queue, &box, (unsigned)step);

    check(tw_buffer_read(box.counts[steps % 2], &count)); /* waits for all steps */
    check(tw_buffer_read(box.particles[steps % 2], left));
    for (int i = 0; i < 2; ++i) {
        check(tw_buffer_destroy(&box.particles[i]));
        check(tw_buffer_destroy(&box.counts[i]));
    }
    check(tw_queue_destroy(&queue));

    const bool right = is_right(left, count, box.most, (unsigned)steps);
    if (right)
        printf("%zu of %zu particles are left after %ld steps\n", count, box.most, steps);
    free(left);
    return !right;
}
