/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The third state: all is moved. The arrays are buffers, and what a kernel does with them is said where it is
 * launched; from that come the order and the transfers. Nothing waits before the end: the whole run is submitted, and
 * pictures are saved by host tasks, several at a time, while the device goes on.
 */
#include "run.h"
#include "water.h"

#include <stdio.h>
#include <stdlib.h>
#include <teamwork/teamwork.h>

const char *const state_name = "all moved";

enum { KEPT = 4 }; /* pictures that wait to be saved, before the device waits for them */

struct simulation {
    const struct run *run;
    size_t nx, ny;
    tw_queue *queue;
    tw_buffer *water, *predicted, *x, *y, *clock, *fastest;
    tw_buffer *heights[KEPT], *seen[KEPT]; /* of pictures */
};

static void check(tw_status status)
{
    if (status != TW_SUCCESS) {
        fprintf(stderr, "%s: %s\n", tw_status_name(status), tw_error_detail());
        exit(1);
    }
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

struct fastest_wave {
    const double *water;
    size_t nx, ny;
    TW_REDUCTION(double, TW_MAX) fastest;
};
static inline void fastest_wave(tw_item item, const struct fastest_wave *k)
{
    tw_combine(k->fastest, wave_at(k->water, k->nx, k->ny, tw_global_id(item, 0), tw_global_id(item, 1)));
}
TW_RANGE_REDUCTION(fastest_wave, 2, fastest);

struct tick {
    double *clock;
    const double *fastest;
};
static inline void tick(const struct tick *k)
{
    begin_step(k->clock, *k->fastest);
}
TW_SINGLE_TASK(tick);

struct mirror_x {
    double *water;
    size_t nx, ny;
};
static inline void mirror_x(tw_item item, const struct mirror_x *k)
{
    mirror_x_at(k->water, k->nx, k->ny, tw_global_id(item, 0));
}
TW_RANGE_KERNEL(mirror_x, 1);

struct mirror_y {
    double *water;
    size_t nx, ny;
};
static inline void mirror_y(tw_item item, const struct mirror_y *k)
{
    mirror_y_at(k->water, k->nx, k->ny, tw_global_id(item, 0));
}
TW_RANGE_KERNEL(mirror_y, 1);

struct flux_x {
    const double *water;
    double *flux;
    size_t nx, ny;
};
static inline void flux_x(tw_item item, const struct flux_x *k)
{
    flux_x_at(k->water, k->flux, k->nx, k->ny, tw_global_id(item, 0), tw_global_id(item, 1));
}
TW_RANGE_KERNEL(flux_x, 2);

struct flux_y {
    const double *water;
    double *flux;
    size_t nx, ny;
};
static inline void flux_y(tw_item item, const struct flux_y *k)
{
    flux_y_at(k->water, k->flux, k->nx, k->ny, tw_global_id(item, 0), tw_global_id(item, 1));
}
TW_RANGE_KERNEL(flux_y, 2);

struct predict {
    const double *water, *x, *y, *clock;
    double *predicted;
    size_t nx, ny;
};
static inline void predict(tw_item item, const struct predict *k)
{
    predict_at(k->water, k->x, k->y, k->clock, k->predicted, k->nx, k->ny, tw_global_id(item, 0),
               tw_global_id(item, 1));
}
TW_RANGE_KERNEL(predict, 2);

struct correct {
    const double *predicted, *x, *y, *clock;
    double *water;
    size_t nx, ny;
};
static inline void correct(tw_item item, const struct correct *k)
{
    correct_at(k->predicted, k->x, k->y, k->clock, k->water, k->nx, k->ny, tw_global_id(item, 0),
               tw_global_id(item, 1));
}
TW_RANGE_KERNEL(correct, 2);

struct add_up {
    const double *water;
    size_t nx;
    TW_REDUCTION(double, TW_SUM) volume;
};
static inline void add_up(tw_item item, const struct add_up *k)
{
    tw_combine(k->volume, k->water[cell_at(k->nx, tw_global_id(item, 0), tw_global_id(item, 1))]);
}
TW_RANGE_REDUCTION(add_up, 2, volume);

/* ---- a step ------------------------------------------------------------------------------------------------------ */

/* The border, and the flux through all faces. */
static void rates(struct simulation *s, tw_buffer *water)
{
    const size_t nx = s->nx, ny = s->ny;
    TW_COMMAND_GROUP(s->queue, cg) {
        tw_parallel_for(cg, tw_range_1d(ny), mirror_x, .water = tw_read_write(cg, water), .nx = nx, .ny = ny);
    }
    TW_COMMAND_GROUP(s->queue, cg) {
        tw_parallel_for(cg, tw_range_1d(nx), mirror_y, .water = tw_read_write(cg, water), .nx = nx, .ny = ny);
    }
    TW_COMMAND_GROUP(s->queue, cg) {
        tw_parallel_for(cg, tw_range_2d(ny, nx + 1), flux_x, .water = tw_read(cg, water),
                        .flux = tw_discard_write(cg, s->x), .nx = nx, .ny = ny);
    }
    TW_COMMAND_GROUP(s->queue, cg) {
        tw_parallel_for(cg, tw_range_2d(ny + 1, nx), flux_y, .water = tw_read(cg, water),
                        .flux = tw_discard_write(cg, s->y), .nx = nx, .ny = ny);
    }
}

static void step(struct simulation *s)
{
    const size_t nx = s->nx, ny = s->ny;
    TW_COMMAND_GROUP(s->queue, cg) {
        tw_parallel_for(cg, tw_range_2d(ny, nx), fastest_wave, .water = tw_read(cg, s->water), .nx = nx, .ny = ny,
                        .fastest = TW_REDUCE_INIT(cg, s->fastest));
    }
    TW_COMMAND_GROUP(s->queue, cg) {
        tw_single_task(cg, tick, .clock = tw_read_write(cg, s->clock), .fastest = tw_read(cg, s->fastest));
    }
    rates(s, s->water);
    TW_COMMAND_GROUP(s->queue, cg) {
        tw_parallel_for(cg, tw_range_2d(ny, nx), predict, .water = tw_read(cg, s->water), .x = tw_read(cg, s->x),
                        .y = tw_read(cg, s->y), .clock = tw_read(cg, s->clock),
                        .predicted = tw_discard_write(cg, s->predicted), .nx = nx, .ny = ny);
    }
    rates(s, s->predicted);
    TW_COMMAND_GROUP(s->queue, cg) {
        tw_parallel_for(cg, tw_range_2d(ny, nx), correct, .predicted = tw_read(cg, s->predicted),
                        .x = tw_read(cg, s->x), .y = tw_read(cg, s->y), .clock = tw_read(cg, s->clock),
                        .water = tw_read_write(cg, s->water), .nx = nx, .ny = ny);
    }
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

struct save {
    const struct run *run;
    size_t picture;
    const double *heights, *seen;
};
static tw_status save(const void *block)
{
    const struct save *k = block;
    return run_save(k->run, k->picture, k->heights, k->seen[0], k->seen[1])
               ? TW_SUCCESS
               : tw_task_fail(TW_ERROR_TRANSFER_FAILED, "a picture cannot be saved");
}

/* Takes a picture of the water, which the steps behind it change again, and has it saved. Its buffers are used again
   for a later picture, which therefore waits until this one is saved. */
static void take(struct simulation *s, size_t picture)
{
    const size_t nx = s->nx, ny = s->ny;
    tw_buffer *heights = s->heights[picture % KEPT], *seen = s->seen[picture % KEPT];
    TW_COMMAND_GROUP(s->queue, cg) {
        tw_parallel_for(cg, tw_range_2d(ny, nx), add_up, .water = tw_read(cg, s->water), .nx = nx,
                        .volume = TW_REDUCE_INIT_AT(cg, seen, 1));
    }
    TW_COMMAND_GROUP(s->queue, cg) {
        tw_copy_part(cg, s->clock, tw_id_1d(TIME), seen, tw_id_1d(0), tw_range_1d(1));
    }
    TW_COMMAND_GROUP(s->queue, cg) {
        tw_copy_part(cg, s->water, tw_id_1d(0), heights, tw_id_1d(0), tw_buffer_range(heights));
    }
    TW_COMMAND_GROUP(s->queue, cg) {
        struct save block = {s->run, picture, tw_host_read(cg, heights), tw_host_read(cg, seen)};
        tw_host_task(cg, save, &block, sizeof block);
    }
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static void create(struct simulation *s, double *water)
{
    const double no_time[CLOCK] = {0};
    const size_t nx = s->nx, ny = s->ny, plane = plane_size(nx, ny);
    const tw_range cells = tw_range_1d(PLANES * plane);
    check(tw_queue_create(NULL, NULL, NULL, NULL, &s->queue));
    check(tw_buffer_create_copy(water, sizeof *water, cells, &s->water));
    check(tw_buffer_create(sizeof *water, cells, &s->predicted));
    check(tw_buffer_create(sizeof *water, tw_range_1d(PLANES * faces_x(nx, ny)), &s->x));
    check(tw_buffer_create(sizeof *water, tw_range_1d(PLANES * faces_y(nx, ny)), &s->y));
    check(tw_buffer_create_copy(no_time, sizeof *water, tw_range_1d(CLOCK), &s->clock));
    check(tw_buffer_create(sizeof *water, tw_range_1d(1), &s->fastest));
    for (size_t i = 0; i < KEPT; ++i) {
        check(tw_buffer_create(sizeof *water, tw_range_1d(plane), &s->heights[i]));
        check(tw_buffer_create(sizeof *water, tw_range_1d(2), &s->seen[i]));
    }
}

static void destroy(struct simulation *s)
{
    for (size_t i = 0; i < KEPT; ++i) {
        check(tw_buffer_destroy(&s->heights[i]));
        check(tw_buffer_destroy(&s->seen[i]));
    }
    check(tw_buffer_destroy(&s->fastest));
    check(tw_buffer_destroy(&s->clock));
    check(tw_buffer_destroy(&s->y));
    check(tw_buffer_destroy(&s->x));
    check(tw_buffer_destroy(&s->predicted));
    check(tw_buffer_destroy(&s->water));
    check(tw_queue_destroy(&s->queue));
}

bool simulate(struct run *run)
{
    struct simulation s = {.run = run, .nx = run->nx, .ny = run->ny};
    double *water = calloc(PLANES * plane_size(s.nx, s.ny), sizeof *water);
    if (!water) {
        fprintf(stderr, "no memory\n");
        return false;
    }
    run_initial_heights(run, water);
    create(&s, water);
    free(water);

    size_t pictures = 0;
    for (size_t i = 1; i <= run->steps; ++i) {
        step(&s);
        if (run_wants_picture(run, i))
            take(&s, pictures++);
        if (i == run->warm_up) {
            check(tw_queue_wait(s.queue));
            run_start(run);
        }
    }
    check(tw_queue_wait(s.queue)); /* and tells what went wrong */
    run_end(run);
    destroy(&s);
    return true;
}
