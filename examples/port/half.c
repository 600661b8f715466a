/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second state: half of the kernels are moved, those that take the time. The arrays stay mapped as they were, and
 * are buffers besides (tw_buffer_create_over_mapped()). What is left of the target regions is unchanged, but stands in
 * native tasks, whose accessors say what `depend` said. So the library orders both kinds, and the host waits for
 * neither: only for a picture that it saves.
 */
#include "run.h"
#include "water.h"

#include <stdio.h>
#include <stdlib.h>
#include <teamwork/teamwork.h>
#include <teamwork_port.h>

const char *const state_name = "half of the kernels moved";

/* Loops over cells: a GPU wants a thread for each cell; a CPU wants rows, whose inner loops become vector code. */
enum { LOOPS = PORT_LOOPS };

static double fastest, volume;       /* what the reductions compute */
static double clock[CLOCK], seen[2]; /* seen: the time and the volume of a picture */

struct simulation {
    size_t nx, ny, plane, cells, faces_x, faces_y; /* the last four: elements of arrays */
    double *water, *predicted, *x, *y, *heights;   /* mapped to the device */
    tw_queue *queue;
    int device;                                                         /* OpenMP's number of the queue's */
    tw_buffer *water_b, *predicted_b, *x_b, *y_b, *clock_b, *fastest_b; /* over these arrays */
};

static void check(tw_status status)
{
    if (status != TW_SUCCESS) {
        fprintf(stderr, "%s: %s\n", tw_status_name(status), tw_error_detail());
        exit(1);
    }
}

/* ---- kernels: moved ---------------------------------------------------------------------------------------------- */

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

/* ---- target regions: not yet ------------------------------------------------------------------------------------- */

TW_PORT_REGION(find_fastest, (const double *, water), (size_t, nx), (size_t, ny))
{
#pragma omp target teams distribute parallel for collapse(LOOPS) reduction(max : fastest) map(tofrom : fastest)
    for (size_t j = 0; j < ny; ++j)
        for (size_t i = 0; i < nx; ++i)
            fastest = larger(fastest, wave_at(water, nx, ny, j, i));
}

TW_PORT_REGION(tick, (double *, now))
{
#pragma omp target map(tofrom : fastest)
    {
        begin_step(now, fastest);
        fastest = 0; /* what the next reduction begins with */
    }
}

TW_PORT_REGION(mirror, (double *, water), (size_t, nx), (size_t, ny))
{
#pragma omp target teams distribute parallel for
    for (size_t j = 0; j < ny; ++j)
        mirror_x_at(water, nx, ny, j);

#pragma omp target teams distribute parallel for
    for (size_t i = 0; i < nx; ++i)
        mirror_y_at(water, nx, ny, i);
}

TW_PORT_REGION(take_picture, (const double *, water), (double *, heights), (size_t, nx), (size_t, ny))
{
    const size_t plane = plane_size(nx, ny);
#pragma omp target teams distribute parallel for collapse(LOOPS) reduction(+ : volume) map(tofrom : volume)
    for (size_t j = 0; j < ny; ++j)
        for (size_t i = 0; i < nx; ++i)
            volume += water[cell_at(nx, j, i)];

#pragma omp target teams distribute parallel for
    for (size_t at = 0; at < plane; ++at)
        heights[at] = water[at];

#pragma omp target map(tofrom : volume)
    {
        seen[0] = clock[TIME];
        seen[1] = volume;
        volume = 0;
    }

#pragma omp target update from(heights[ : plane], seen[ : 2])
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

/* The border, and the flux through all faces. */
static void rates(struct simulation *s, tw_buffer *water_b, double *water)
{
    const size_t nx = s->nx, ny = s->ny;
    TW_PORT_SUBMIT(s->queue, cg, mirror, (tw_read_write(cg, water_b)), water, nx, ny);
    TW_COMMAND_GROUP(s->queue, cg) {
        tw_parallel_for(cg, tw_range_2d(ny, nx + 1), flux_x, .water = tw_read(cg, water_b),
                        .flux = tw_discard_write(cg, s->x_b), .nx = nx, .ny = ny);
    }
    TW_COMMAND_GROUP(s->queue, cg) {
        tw_parallel_for(cg, tw_range_2d(ny + 1, nx), flux_y, .water = tw_read(cg, water_b),
                        .flux = tw_discard_write(cg, s->y_b), .nx = nx, .ny = ny);
    }
}

static void step(struct simulation *s)
{
    const size_t nx = s->nx, ny = s->ny;
    TW_PORT_SUBMIT(s->queue, cg, find_fastest, (tw_read(cg, s->water_b), tw_read_write(cg, s->fastest_b)), s->water, nx,
                   ny);
    TW_PORT_SUBMIT(s->queue, cg, tick, (tw_read_write(cg, s->fastest_b), tw_read_write(cg, s->clock_b)), clock);
    rates(s, s->water_b, s->water);
    TW_COMMAND_GROUP(s->queue, cg) {
        tw_parallel_for(cg, tw_range_2d(ny, nx), predict, .water = tw_read(cg, s->water_b), .x = tw_read(cg, s->x_b),
                        .y = tw_read(cg, s->y_b), .clock = tw_read(cg, s->clock_b),
                        .predicted = tw_discard_write(cg, s->predicted_b), .nx = nx, .ny = ny);
    }
    rates(s, s->predicted_b, s->predicted);
    TW_COMMAND_GROUP(s->queue, cg) {
        tw_parallel_for(cg, tw_range_2d(ny, nx), correct, .predicted = tw_read(cg, s->predicted_b),
                        .x = tw_read(cg, s->x_b), .y = tw_read(cg, s->y_b), .clock = tw_read(cg, s->clock_b),
                        .water = tw_read_write(cg, s->water_b), .nx = nx, .ny = ny);
    }
}

/* Takes a picture of the water, which the steps behind it change again, and brings it to the host. */
static void take(struct simulation *s, tw_event **taken)
{
    tw_command_group *cg = tw_queue_begin(s->queue);
    const struct take_picture block = {s->water, s->heights, s->nx, s->ny};
    (void)tw_read(cg, s->water_b), (void)tw_read(cg, s->clock_b);
    tw_native_task(cg, take_picture, &block, sizeof block);
    check(tw_queue_submit(s->queue, cg, taken));
}

/* Saves the picture that was taken last, when it is there. */
static bool save(const struct run *run, size_t picture, const struct simulation *s, tw_event **taken)
{
    check(tw_event_wait(*taken));
    tw_event_release(taken);
    return run_save(run, picture, s->heights, seen[0], seen[1]);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static tw_buffer *over_mapped(struct simulation *s, double *array, size_t count)
{
    tw_buffer *buffer;
    check(tw_buffer_create_over_mapped(array, tw_queue_device(s->queue), TW_CURRENT_DEVICE, sizeof *array,
                                       tw_range_1d(count), &buffer));
    return buffer;
}

static void create(struct simulation *s)
{
    s->water_b = over_mapped(s, s->water, s->cells);
    s->predicted_b = over_mapped(s, s->predicted, s->cells);
    s->x_b = over_mapped(s, s->x, s->faces_x);
    s->y_b = over_mapped(s, s->y, s->faces_y);
    s->clock_b = over_mapped(s, clock, CLOCK);
    s->fastest_b = over_mapped(s, &fastest, 1);
}

static void destroy(struct simulation *s)
{
    check(tw_buffer_destroy(&s->fastest_b));
    check(tw_buffer_destroy(&s->clock_b));
    check(tw_buffer_destroy(&s->y_b));
    check(tw_buffer_destroy(&s->x_b));
    check(tw_buffer_destroy(&s->predicted_b));
    check(tw_buffer_destroy(&s->water_b));
}

bool simulate(struct run *run)
{
    struct simulation s = {.nx = run->nx, .ny = run->ny, .plane = plane_size(run->nx, run->ny)};
    s.cells = PLANES * s.plane, s.faces_x = PLANES * faces_x(s.nx, s.ny), s.faces_y = PLANES * faces_y(s.nx, s.ny);
    double *water = calloc(s.cells, sizeof *water), *predicted = malloc(s.cells * sizeof *predicted);
    double *x = malloc(s.faces_x * sizeof *x), *y = malloc(s.faces_y * sizeof *y);
    double *heights = malloc(s.plane * sizeof *heights);
    size_t taken = 0, saved = 0; /* pictures */
    tw_event *event = NULL;      /* of the picture that was taken last */
    bool good = water && predicted && heights && x && y;
    if (!good) {
        fprintf(stderr, "no memory\n");
        goto out;
    }
    run_initial_heights(run, water);
    s.water = water, s.predicted = predicted, s.x = x, s.y = y, s.heights = heights;

    check(tw_queue_create(NULL, NULL, NULL, NULL, &s.queue));
    s.device = tw_device_omp_number(tw_queue_device(s.queue));
#pragma omp target enter data device(s.device) map(to : water[ : s.cells], clock, fastest, volume)                     \
    map(alloc : predicted[ : s.cells], x[ : s.faces_x], y[ : s.faces_y], heights[ : s.plane], seen)
    create(&s);

    for (size_t i = 1; i <= run->steps; ++i) {
        step(&s);
        if (run_wants_picture(run, i)) {
            if (saved < taken) /* the one before, while the device is at these steps */
                good &= save(run, saved++, &s, &event);
            take(&s, &event);
            ++taken;
        }
        if (i == run->warm_up || i == run->steps) {
            if (saved < taken)
                good &= save(run, saved++, &s, &event);
            check(tw_queue_wait(s.queue));
        }
        if (i == run->warm_up)
            run_start(run);
    }
    run_end(run);

    destroy(&s);
#pragma omp target exit data device(s.device)                                                                          \
    map(delete : water[ : s.cells], predicted[ : s.cells], x[ : s.faces_x], y[ : s.faces_y], heights[ : s.plane],      \
            clock, seen, fastest, volume)
    check(tw_queue_destroy(&s.queue));
out:
    free(y);
    free(x);
    free(heights);
    free(predicted);
    free(water);
    return good;
}
