/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Shallow water in a basin with walls: the numbers of it, for one cell, face or border at a time. It is the same in all
 * three states of the program, and knows neither OpenMP's regions nor Teamwork.
 *
 * The basin has `ny` rows of `nx` cells, each a square of one metre. A cell has the height of the water, h, and its
 * momentum in both directions, hu and hv. These are three planes behind each other in one array; around each lie HALO
 * cells of border, which mirror the water at the walls. Finite volumes of second order: the water at a face is
 * extrapolated from the cells on both sides with limited slopes (MUSCL, minmod), the flux through it is that of Harten,
 * Lax and van Leer, and a step is Heun's, a prediction and a correction.
 *
 * A step calls, for all that they are for:
 *
 *     fastest wave             a reduction over cells, from which `tick` makes the length of the step
 *     mirror_x, mirror_y       for each row, for each column: the border
 *     flux_x, flux_y           for each face between cells of a row, of a column
 *     predict                  for each cell: the water after the step, in another array
 *     mirror_x ... flux_y      of the predicted water
 *     correct                  for each cell: the mean of both
 *
 * No multiplication and addition is fused, so every device computes the same bits.
 */
#ifndef PORT_WATER_H
#define PORT_WATER_H

#include <math.h>
#include <stddef.h>

#pragma STDC FP_CONTRACT OFF

enum { HALO = 2, PLANES = 3 };

/* Elements of the clock, an array on the device. */
enum { STEP, TIME, CLOCK }; /* the length of the current step and the time since the beginning, in seconds */

#define GRAVITY 9.81 /* m/s^2 */
#define COURANT 0.4  /* how much of a cell the fastest wave passes in a step */

#pragma omp begin declare target

struct water {
    double h;      /* m */
    double hu, hv; /* m^2/s, along rows and along columns */
};

/* ---- where things are -------------------------------------------------------------------------------------------- */

static inline size_t row_length(size_t nx)
{
    return nx + 2 * HALO;
}

/* Elements of a plane of water. */
static inline size_t plane_size(size_t nx, size_t ny)
{
    return (nx + 2 * HALO) * (ny + 2 * HALO);
}

/* The cell in row j and column i of the basin, from 0 on. */
static inline size_t cell_at(size_t nx, size_t j, size_t i)
{
    return (j + HALO) * row_length(nx) + i + HALO;
}

/* Elements of a plane of flux through faces between cells of a row, those to the walls included; and of a column. */
static inline size_t faces_x(size_t nx, size_t ny)
{
    return (nx + 1) * ny;
}

static inline size_t faces_y(size_t nx, size_t ny)
{
    return nx * (ny + 1);
}

static inline struct water load(const double *planes, size_t plane, size_t at)
{
    return (struct water){planes[at], planes[plane + at], planes[2 * plane + at]};
}

static inline void store(double *planes, size_t plane, size_t at, struct water water)
{
    planes[at] = water.h;
    planes[plane + at] = water.hu;
    planes[2 * plane + at] = water.hv;
}

/* ---- the numbers ------------------------------------------------------------------------------------------------- */

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The smaller one of two slopes, or none where they have different signs. */
static inline double limited(double a, double b)
{
    const double down = smaller(larger(a, b), 0), up = larger(smaller(a, b), 0);
    return up + down;
}

/* The water at the far side of the cell `here`, as the cells before and behind it let expect. */
static inline struct water extrapolated(struct water before, struct water here, struct water behind)
{
    return (struct water){here.h + 0.5 * limited(here.h - before.h, behind.h - here.h),
                          here.hu + 0.5 * limited(here.hu - before.hu, behind.hu - here.hu),
                          here.hv + 0.5 * limited(here.hv - before.hv, behind.hv - here.hv)};
}

static inline double wave_speed(double h)
{
    return sqrt(GRAVITY * h);
}

/* What flows through a face per second and metre, by Harten, Lax and van Leer. The face looks along u. */
static inline struct water flux_between(struct water l, struct water r)
{
    const double ul = l.hu / l.h, cl = wave_speed(l.h), ur = r.hu / r.h, cr = wave_speed(r.h);
    const double back = smaller(smaller(ul - cl, ur - cr), 0), forth = larger(larger(ul + cl, ur + cr), 0);
    const double scale = 1 / (forth - back), mix = back * forth;
    const double pl = l.hu * ul + 0.5 * GRAVITY * l.h * l.h, pr = r.hu * ur + 0.5 * GRAVITY * r.h * r.h;
    return (struct water){(forth * l.hu - back * r.hu + mix * (r.h - l.h)) * scale,
                          (forth * pl - back * pr + mix * (r.hu - l.hu)) * scale,
                          (forth * (l.hv * ul) - back * (r.hv * ur) + mix * (r.hv - l.hv)) * scale};
}

/* The same water, seen from a face that looks along v. */
static inline struct water turned(struct water w)
{
    return (struct water){w.h, w.hv, w.hu};
}

/* ---- what the kernels do at one place ---------------------------------------------------------------------------- */

/* The fastest wave in a cell, in m/s. */
static inline double wave_at(const double *water, size_t nx, size_t ny, size_t j, size_t i)
{
    const struct water w = load(water, plane_size(nx, ny), cell_at(nx, j, i));
    return larger(fabs(w.hu), fabs(w.hv)) / w.h + wave_speed(w.h);
}

/* Begins a step, as long as the fastest wave of all cells allows. */
static inline void begin_step(double *clock, double fastest)
{
    clock[STEP] = COURANT / fastest;
    clock[TIME] += clock[STEP];
}

/* The border at both ends of row j: what is behind a wall flows the other way. */
static inline void mirror_x_at(double *water, size_t nx, size_t ny, size_t j)
{
    const size_t plane = plane_size(nx, ny);
    for (size_t i = 0; i < HALO; ++i) {
        const struct water l = load(water, plane, cell_at(nx, j, i)),
                           r = load(water, plane, cell_at(nx, j, nx - 1 - i));
        store(water, plane, cell_at(nx, j, 0) - 1 - i, (struct water){l.h, -l.hu, l.hv});
        store(water, plane, cell_at(nx, j, nx + i), (struct water){r.h, -r.hu, r.hv});
    }
}

/* The border at both ends of column i. */
static inline void mirror_y_at(double *water, size_t nx, size_t ny, size_t i)
{
    const size_t plane = plane_size(nx, ny);
    for (size_t j = 0; j < HALO; ++j) {
        const struct water l = load(water, plane, cell_at(nx, j, i)),
                           r = load(water, plane, cell_at(nx, ny - 1 - j, i));
        store(water, plane, cell_at(nx, 0, i) - (1 + j) * row_length(nx), (struct water){l.h, l.hu, -l.hv});
        store(water, plane, cell_at(nx, ny + j, i), (struct water){r.h, r.hu, -r.hv});
    }
}

/* The flux through the face before column i of row j; i from 0 to nx. */
static inline void flux_x_at(const double *water, double *flux, size_t nx, size_t ny, size_t j, size_t i)
{
    const size_t plane = plane_size(nx, ny), at = cell_at(nx, j, i);
    const struct water a = load(water, plane, at - 2), b = load(water, plane, at - 1), c = load(water, plane, at),
                       d = load(water, plane, at + 1);
    store(flux, faces_x(nx, ny), j * (nx + 1) + i, flux_between(extrapolated(a, b, c), extrapolated(d, c, b)));
}

/* The flux through the face before row j of column i; j from 0 to ny. */
static inline void flux_y_at(const double *water, double *flux, size_t nx, size_t ny, size_t j, size_t i)
{
    const size_t plane = plane_size(nx, ny), at = cell_at(nx, j, i), row = row_length(nx);
    const struct water a = turned(load(water, plane, at - 2 * row)), b = turned(load(water, plane, at - row)),
                       c = turned(load(water, plane, at)), d = turned(load(water, plane, at + row));
    store(flux, faces_y(nx, ny), j * nx + i, turned(flux_between(extrapolated(a, b, c), extrapolated(d, c, b))));
}

/* What a step of length `dt` makes of the water of a cell. */
static inline struct water stepped(struct water w, const double *x, const double *y, double dt, size_t nx, size_t ny,
                                   size_t j, size_t i)
{
    const size_t plane_x = faces_x(nx, ny), plane_y = faces_y(nx, ny), at = j * (nx + 1) + i;
    const struct water left = load(x, plane_x, at), right = load(x, plane_x, at + 1);
    const struct water up = load(y, plane_y, j * nx + i), down = load(y, plane_y, (j + 1) * nx + i);
    return (struct water){w.h + dt * (left.h - right.h + (up.h - down.h)),
                          w.hu + dt * (left.hu - right.hu + (up.hu - down.hu)),
                          w.hv + dt * (left.hv - right.hv + (up.hv - down.hv))};
}

static inline void predict_at(const double *water, const double *x, const double *y, const double *clock,
                              double *predicted, size_t nx, size_t ny, size_t j, size_t i)
{
    const size_t plane = plane_size(nx, ny), at = cell_at(nx, j, i);
    store(predicted, plane, at, stepped(load(water, plane, at), x, y, clock[STEP], nx, ny, j, i));
}

static inline void correct_at(const double *predicted, const double *x, const double *y, const double *clock,
                              double *water, size_t nx, size_t ny, size_t j, size_t i)
{
    const size_t plane = plane_size(nx, ny), at = cell_at(nx, j, i);
    const struct water once = load(water, plane, at),
                       twice = stepped(load(predicted, plane, at), x, y, clock[STEP], nx, ny, j, i);
    store(water, plane, at,
          (struct water){0.5 * (once.h + twice.h), 0.5 * (once.hu + twice.hu), 0.5 * (once.hv + twice.hv)});
}

#pragma omp end declare target

#endif
