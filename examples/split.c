/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One grid, computed by all devices that there are, the host among them: heat that spreads in a plate.
 *
 * The plate is one buffer for the state of now, and one for the next. Each device has some rows: its kernel writes
 * them, and reads them with one more row above and below, which belong to its neighbours. That is all that the program
 * says. The library moves the rows at the borders in each step, and lets a device begin its step once those two rows
 * are there. Nothing waits before the end.
 *
 * First each device computes the whole plate alone. The faster it is, the more rows it gets.
 *
 * To see it with three simulated devices: TW_SIM=3 TW_DEVICES=sim.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <teamwork/teamwork.h>
#include <time.h>

/* The rows and columns at the edge keep their temperatures. STEPS is even, so the last state is in the first buffer. */
enum { ROWS = 1200, COLUMNS = 1000, STEPS = 20, MOST_DEVICES = 16 };

struct spread {
    TW_PART_VIEW(const float) now; /* begins one row above and one column left of the part that is written */
    TW_PART_VIEW(float) next;
};

static inline void spread(tw_item item, const struct spread *k)
{
    size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
    tw_at(k->next, i, j) = 0.25f
                           * ((tw_at(k->now, i, j + 1) + tw_at(k->now, i + 2, j + 1))
                              + (tw_at(k->now, i + 1, j) + tw_at(k->now, i + 1, j + 2)));
}
TW_RANGE_KERNEL(spread, 2);

/* Some rows of the plate, and the queue of the device that computes them. */
struct share {
    tw_queue *queue;
    size_t first, rows;
    double speed; /* whole plates a second */
};

static void check(tw_status status)
{
    if (status != TW_SUCCESS) {
        fprintf(stderr, "%s: %s\n", tw_status_name(status), tw_error_detail());
        exit(1);
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void submit_step(const struct share *share, tw_buffer *now, tw_buffer *next)
{
    const tw_range part = tw_range_2d(share->rows, COLUMNS - 2);
    tw_command_group *cg = tw_queue_begin(share->queue);
    tw_parallel_for(
        cg, part, spread,
        .now = TW_READ_PART_VIEW(cg, now, tw_id_2d(share->first - 1, 0), tw_range_2d(share->rows + 2, COLUMNS)),
        .next = TW_DISCARD_WRITE_PART_VIEW(cg, next, tw_id_2d(share->first, 1), part));
    check(tw_queue_submit(share->queue, cg, NULL));
}

/* Computes the plate from its first state. Returns the seconds of all steps. */
static double compute(struct share *shares, size_t count, const float *start, float *result)
{
    tw_buffer *plates[2];
    const tw_range whole = tw_range_2d(ROWS, COLUMNS);
    for (int i = 0; i < 2; ++i)
        check(tw_buffer_create_copy(start, sizeof *start, whole, &plates[i]));
    check(tw_buffer_set_final_data(plates[0], result));
    double begin = 0;
    for (int step = -2; step < STEPS; ++step) { /* the first two bring everything to its place */
        for (size_t i = 0; i < count; ++i)
            submit_step(&shares[i], plates[step & 1], plates[~step & 1]);
        for (size_t i = 0; step == -1 && i < count; ++i)
            check(tw_queue_wait(shares[i].queue));
        if (step == -1)
            begin = seconds();
    }
    for (size_t i = 0; i < count; ++i)
        check(tw_queue_wait(shares[i].queue));
    const double taken = seconds() - begin;
    check(tw_buffer_destroy(&plates[1]));
    check(tw_buffer_destroy(&plates[0])); /* brings all parts to `result` */
    return taken;
}

/* The same in plain C. `now` and `next` begin as the start. */
static void compute_expected(float *now, float *next)
{
    for (int step = -2; step < STEPS; ++step) {
        for (size_t i = 1; i < ROWS - 1; ++i)
            for (size_t at = i * COLUMNS + 1; at < (i + 1) * COLUMNS - 1; ++at)
                next[at] = 0.25f * ((now[at - COLUMNS] + now[at + COLUMNS]) + (now[at - 1] + now[at + 1]));
        float *last = now;
        now = next;
        next = last;
    }
}

/* Divides the inner rows by the devices' speeds; each device gets at least one. */
static void divide(struct share *shares, size_t count)
{
    double all = 0, before = 0;
    for (size_t i = 0; i < count; ++i)
        all += shares[i].speed;
    size_t first = 1;
    for (size_t i = 0; i < count; ++i) {
        before += shares[i].speed;
        size_t end = 2 + i + (size_t)((double)(ROWS - 2 - count) * before / all);
        if (i + 1 == count)
            end = ROWS - 1;
        shares[i].first = first;
        shares[i].rows = end - first;
        first = end;
    }
}

static size_t find_devices(struct share *shares)
{
    tw_device *devices[MOST_DEVICES];
    size_t count = 0;
    check(tw_get_devices(TW_DEVICE_ALL, devices, MOST_DEVICES, &count));
    count = count < MOST_DEVICES ? count : MOST_DEVICES;
    if (count == 0) {
        check(tw_select_device(NULL, NULL, &devices[0]));
        count = 1;
    }
    for (size_t i = 0; i < count; ++i)
        check(tw_queue_create_on_device(devices[i], NULL, NULL, &shares[i].queue));
    return count;
}

/* Prints a line about a result, and returns whether it is right. */
static int report(const char *name, size_t rows, double taken, const float *result, const float *expected)
{
    const int right = memcmp(result, expected, sizeof *result * ROWS * COLUMNS) == 0;
    printf("%-48.48s %5zu rows %9.2f ms  %s\n", name, rows, 1e3 * taken, right ? "right" : "WRONG");
    return right;
}

int main(void)
{
    static float start[ROWS * COLUMNS], expected[ROWS * COLUMNS], scratch[ROWS * COLUMNS], result[ROWS * COLUMNS];
    struct share shares[MOST_DEVICES];
    for (size_t i = 0; i < ROWS; ++i)
        for (size_t j = 0; j < COLUMNS; ++j)
            start[i * COLUMNS + j] = (float)((i * 7919 + j * 104729) % 1000);
    memcpy(expected, start, sizeof start);
    memcpy(scratch, start, sizeof start);
    compute_expected(expected, scratch); /* an even number of steps: the last one writes `expected` */

    const size_t count = find_devices(shares);
    int right = 1;
    printf("%d steps on %d x %d cells\n", STEPS, ROWS, COLUMNS);
    for (size_t i = 0; i < count; ++i) {
        shares[i].first = 1;
        shares[i].rows = ROWS - 2;
        const double taken = compute(&shares[i], 1, start, result);
        shares[i].speed = 1 / taken;
        right &= report(tw_device_name(tw_queue_device(shares[i].queue)), shares[i].rows, taken, result, expected);
    }
    divide(shares, count);
    const double taken = compute(shares, count, start, result);
    right &= report("together", ROWS - 2, taken, result, expected);
    for (size_t i = 0; i < count; ++i) {
        printf("    of which %5zu on %s\n", shares[i].rows, tw_device_name(tw_queue_device(shares[i].queue)));
        check(tw_queue_destroy(&shares[i].queue));
    }
    return !right;
}
