/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first state: target regions alone. The arrays stay on the device from `enter data` to `exit data`. Regions are
 * ordered by what `depend` says and do not wait, so the host is ahead of a GPU: it saves a picture while that goes on.
 */
#include "run.h"
#include "water.h"

#include <stdio.h>
#include <stdlib.h>

const char *const state_name = "target regions alone";

/* Loops over cells: a GPU wants a thread for each cell; a CPU wants rows, whose inner loops become vector code. */
enum { LOOPS = PORT_LOOPS };

/* Regions on a GPU do not wait. On a CPU they must: libomp gives regions that do not to its helper threads, and hangs
   when these meet a parallel loop (LLVM 19). */
#if PORT_LOOPS == 2
#define NOWAIT nowait
#else
#define NOWAIT
#endif

static double fastest, volume;       /* what the reductions compute */
static double clock[CLOCK], seen[2]; /* seen: the time and the volume of a picture */

/* The border, and the flux through all faces. */
static void rates(double *water, double *x, double *y, size_t nx, size_t ny)
{
#pragma omp target teams distribute parallel for NOWAIT depend(inout : water[0])
    for (size_t j = 0; j < ny; ++j)
        mirror_x_at(water, nx, ny, j);

#pragma omp target teams distribute parallel for NOWAIT depend(inout : water[0])
    for (size_t i = 0; i < nx; ++i)
        mirror_y_at(water, nx, ny, i);

#pragma omp target teams distribute parallel for collapse(LOOPS) NOWAIT depend(in : water[0]) depend(out : x[0])
    for (size_t j = 0; j < ny; ++j)
        for (size_t i = 0; i <= nx; ++i)
            flux_x_at(water, x, nx, ny, j, i);

#pragma omp target teams distribute parallel for collapse(LOOPS) NOWAIT depend(in : water[0]) depend(out : y[0])
    for (size_t j = 0; j <= ny; ++j)
        for (size_t i = 0; i < nx; ++i)
            flux_y_at(water, y, nx, ny, j, i);
}

static void step(double *water, double *predicted, double *x, double *y, size_t nx, size_t ny)
{
#pragma omp target teams distribute parallel for collapse(LOOPS) reduction(max : fastest) map(tofrom : fastest) NOWAIT \
depend(in : water[0]) depend(inout : fastest)
    for (size_t j = 0; j < ny; ++j)
        for (size_t i = 0; i < nx; ++i)
            fastest = larger(fastest, wave_at(water, nx, ny, j, i));

#pragma omp target map(tofrom : fastest) NOWAIT depend(inout : fastest, clock[0])
    {
        begin_step(clock, fastest);
        fastest = 0; /* what the next reduction begins with */
    }

    rates(water, x, y, nx, ny);

#pragma omp target teams distribute parallel for collapse(LOOPS) NOWAIT depend(in : water[0], x[0], y[0], clock[0])    \
    depend(out : predicted[0])
    for (size_t j = 0; j < ny; ++j)
        for (size_t i = 0; i < nx; ++i)
            predict_at(water, x, y, clock, predicted, nx, ny, j, i);

    rates(predicted, x, y, nx, ny);

#pragma omp target teams distribute parallel for collapse(LOOPS) NOWAIT depend(in : predicted[0], x[0], y[0],          \
                                                                                   clock[0]) depend(inout : water[0])
    for (size_t j = 0; j < ny; ++j)
        for (size_t i = 0; i < nx; ++i)
            correct_at(predicted, x, y, clock, water, nx, ny, j, i);
}

/* Takes a picture of the water, which the steps behind it change again, and brings it to the host. */
static void take(const double *water, double *heights, size_t nx, size_t ny)
{
    const size_t plane = plane_size(nx, ny);
#pragma omp target teams distribute parallel for collapse(LOOPS) reduction(+ : volume) map(tofrom : volume) NOWAIT     \
depend(in : water[0]) depend(inout : volume)
    for (size_t j = 0; j < ny; ++j)
        for (size_t i = 0; i < nx; ++i)
            volume += water[cell_at(nx, j, i)];

#pragma omp target teams distribute parallel for NOWAIT depend(in : water[0]) depend(inout : heights[0])
    for (size_t at = 0; at < plane; ++at)
        heights[at] = water[at];

#pragma omp target map(tofrom : volume) NOWAIT depend(in : clock[0]) depend(inout : volume, seen[0])
    {
        seen[0] = clock[TIME];
        seen[1] = volume;
        volume = 0;
    }

#pragma omp target update from(heights[ : plane], seen[ : 2]) NOWAIT depend(inout : heights[0], seen[0])
}

/* Saves the picture that was taken last, when it is there. */
static bool save(const struct run *run, size_t picture, const double *heights)
{
#pragma omp taskwait depend(in : heights[0], seen[0])
    return run_save(run, picture, heights, seen[0], seen[1]);
}

bool simulate(struct run *run)
{
    const size_t nx = run->nx, ny = run->ny;
    const size_t plane = plane_size(nx, ny), cells = PLANES * plane, nfx = PLANES * faces_x(nx, ny),
                 nfy = PLANES * faces_y(nx, ny);
    double *water = calloc(cells, sizeof *water), *predicted = malloc(cells * sizeof *predicted);
    double *heights = malloc(plane * sizeof *heights);
    double *x = malloc(nfx * sizeof *x), *y = malloc(nfy * sizeof *y);
    size_t taken = 0, saved = 0; /* pictures */
    bool good = water && predicted && heights && x && y;
    if (!good) {
        fprintf(stderr, "no memory\n");
        goto out;
    }
    run_initial_heights(run, water);

#pragma omp target enter data map(to : water[ : cells], clock, fastest, volume)                                        \
    map(alloc : predicted[ : cells], x[ : nfx], y[ : nfy], heights[ : plane], seen)

    for (size_t s = 1; s <= run->steps; ++s) {
        step(water, predicted, x, y, nx, ny);
        if (run_wants_picture(run, s)) {
            if (saved < taken) /* the one before, while the device is at these steps */
                good &= save(run, saved++, heights);
            take(water, heights, nx, ny);
            ++taken;
        }
        if (s == run->warm_up || s == run->steps) {
            if (saved < taken)
                good &= save(run, saved++, heights);
#pragma omp taskwait
        }
        if (s == run->warm_up)
            run_start(run);
    }
    run_end(run);

#pragma omp target exit data map(delete : water[ : cells], predicted[ : cells], x[ : nfx], y[ : nfy],                  \
                                     heights[ : plane], clock, seen, fastest, volume)
out:
    free(y);
    free(x);
    free(heights);
    free(predicted);
    free(water);
    return good;
}
