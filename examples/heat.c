/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heat that spreads in a plate: a five-point stencil, on one device or on several.
 *
 * The plate is one buffer for the state of now, and one for the next. The program submits a step as one launch, and
 * says which cells a work-item needs: its own, and those next to it. On several devices each computes some of the
 * rows. The library moves the rows at the borders in each step, and lets a device begin its step once those are there.
 * Nothing waits before the end.
 *
 *     heat [--devices LIST] [SIDE]     devices.h has the lists; SIDE: rows and columns
 *
 * To see it with three simulated devices: TW_SIM=3 TW_DEVICES=sim heat --devices all.
 */
#include "devices.h"

enum { SIDE = 1100, MOST_SIDE = 32768, WARMUP = 16, STEPS = 20 };

struct spread {
    TW_VIEW(const float, 2) now;
    TW_VIEW(float, 2) next;
};

static inline void spread(tw_item item, const struct spread *k)
{
    size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
    tw_at(k->next, i, j) =
        0.25f
        * ((tw_at(k->now, i - 1, j) + tw_at(k->now, i + 1, j)) + (tw_at(k->now, i, j - 1) + tw_at(k->now, i, j + 1)));
}
TW_RANGE_KERNEL(spread, 2);

/* The cells at the edge keep their temperatures: no work-item writes them. */
static void submit_step(tw_queue *queue, size_t side, tw_buffer *now, tw_buffer *next)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_offset(cg, tw_range_2d(side - 2, side - 2), tw_id_2d(1, 1), spread,
                           .now = TW_READ_MAPPED_VIEW(cg, now, tw_neighborhood(1, 1, 0), 2),
                           .next = TW_WRITE_MAPPED_VIEW(cg, next, tw_one_to_one(), 2));
    check(tw_queue_submit(queue, cg, NULL));
}

/* Computes the plate from its first state. Returns the seconds of the steps after the first ones, in which everything comes
   to its place, and the library measures how fast the devices are. */
static double compute(tw_queue *queue, size_t side, const float *start, float *result)
{
    tw_buffer *plates[2];
    double begin = 0;
    for (int i = 0; i < 2; ++i)
        check(tw_buffer_create_copy(start, sizeof *start, tw_range_2d(side, side), &plates[i]));
    for (int step = 0; step < WARMUP + STEPS; ++step) {
        if (step <= WARMUP) {
            check(tw_queue_wait(queue));
            begin = seconds();
        }
        submit_step(queue, side, plates[step & 1], plates[~step & 1]);
    }
    check(tw_queue_wait(queue));
    const double taken = seconds() - begin;
    check(tw_buffer_read(plates[0], result)); /* an even number of steps: the last one writes there */
    check(tw_buffer_destroy(&plates[0]));
    check(tw_buffer_destroy(&plates[1]));
    return taken;
}

/* The same in plain C. `now` and `next` begin as the start. */
static void compute_expected(size_t side, float *now, float *next)
{
    for (int step = 0; step < WARMUP + STEPS; ++step) {
        for (size_t i = 1; i < side - 1; ++i)
            for (size_t at = i * side + 1; at < (i + 1) * side - 1; ++at)
                next[at] = 0.25f * ((now[at - side] + now[at + side]) + (now[at - 1] + now[at + 1]));
        float *last = now;
        now = next;
        next = last;
    }
}

int main(int count, char **arguments)
{
    const struct devices devices = take_devices(&count, arguments);
    const size_t side = count > 1 ? strtoul(arguments[1], NULL, 10) : SIDE;
    if (side < 3 || side > MOST_SIDE) {
        fprintf(stderr, "heat: the side is from 3 to %d\n", MOST_SIDE);
        return 2;
    }
    const size_t cells = side * side, bytes = cells * sizeof(float);
    float *start = allocate(cells, sizeof *start), *expected = allocate(cells, sizeof *start);
    float *result = allocate(cells, sizeof *start);
    for (size_t i = 0; i < cells; ++i)
        start[i] = (float)((i / side * 7919 + i % side * 104729) % 1000);
    memcpy(expected, start, bytes);
    memcpy(result, start, bytes);
    compute_expected(side, expected, result);

    printf("%d steps on %zu x %zu cells\n", STEPS, side, side);
    bool right = true;
    tw_queue *queue;
    for (size_t run = 0; (queue = create_queue(&devices, run)); ++run) {
        const double taken = compute(queue, side, start, result);
        right &= report(queue, "", taken, memcmp(result, expected, bytes) == 0);
        check(tw_queue_destroy(&queue));
    }
    free(start);
    free(expected);
    free(result);
    return !right;
}
