/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stencil in Teamwork. The grid is one buffer, and another one for the next step. Each device has some rows: its
 * groups access these, and the neighbours' rows next to them. The library moves them, and nothing but accessors says
 * so.
 *
 * The first and the last row are computed by a small kernel before the others, and the neighbours read them in the next
 * step: they are on their way while the large kernel runs.
 *
 * Some steps may be recorded as one graph, whose submission replaces theirs. It ends with the copies that its first step
 * needs the next time.
 *
 * Or a queue over all devices has the whole grid, and divides each step by itself (OVER). For the program that is one device
 * with all rows.
 */
#include <stdlib.h>
#include <string.h>

#include "../harness/bench_teamwork.h"
#include "halo.h"

/* How steps are submitted. */
enum {
    EDGES_FIRST = 1, /* the edge rows by a kernel of their own */
    EDGE_QUEUE = 2,  /* which has a queue of its own on each device, of high priority */
    RECORDED = 4,    /* the steps of a unit are recorded once, as one graph */
    OVER = 8         /* one queue over all devices */
};

/* ---- kernels --------------------------------------------------------------------------------------------------- */

struct fill {
    TW_PART_VIEW(float) out;
    unsigned first_row; /* of the whole grid */
};
static inline void fill(tw_item item, const struct fill *k)
{
    const unsigned row = (unsigned)tw_global_id(item, 0), column = (unsigned)tw_global_id(item, 1);
    tw_at(k->out, row, column) = halo_initial_value(k->first_row + row, column);
}
TW_RANGE_KERNEL(fill, 2);

/* Row i of `out` lies between rows i and i + 2 of `in`. */
struct inside {
    const float *in;
    float *out;
    unsigned columns;
};
static inline void inside(tw_item item, const struct inside *k)
{
    const unsigned row = (unsigned)tw_global_id(item, 0), column = (unsigned)tw_global_id(item, 1);
    const unsigned columns = k->columns, at = row * columns + column, here = at + columns;
    const float left = column ? k->in[here - 1] : 0.0f, right = column + 1 < columns ? k->in[here + 1] : 0.0f;
    k->out[at] = halo_relax(left, right, k->in[at], k->in[here + columns]);
}
TW_RANGE_KERNEL(inside, 2);

/* A row with nothing beside it. */
static inline float left_of(const float *row, unsigned column)
{
    return column ? row[column - 1] : 0.0f;
}

static inline float right_of(const float *row, unsigned column, unsigned columns)
{
    return column + 1 < columns ? row[column + 1] : 0.0f;
}

/* The first and the last row. `first` and `last` begin one row above them. */
struct edges {
    const float *first, *last;
    float *first_out, *last_out;
    unsigned columns;
};
static inline void edges(tw_item item, const struct edges *k)
{
    const unsigned column = (unsigned)tw_global_id(item, 0), columns = k->columns;
    const float *first = k->first + columns, *last = k->last + columns;
    k->first_out[column] = halo_relax(left_of(first, column), right_of(first, column, columns), k->first[column],
                                      k->first[2 * columns + column]);
    k->last_out[column] = halo_relax(left_of(last, column), right_of(last, column, columns), k->last[column],
                                     k->last[2 * columns + column]);
}
TW_RANGE_KERNEL(edges, 1);

/* ---- the grid -------------------------------------------------------------------------------------------------- */

struct grid {
    tw_queue *queues[HALO_MOST_DEVICES], *edge_queues[HALO_MOST_DEVICES]; /* the same without EDGE_QUEUE */
    tw_buffer *cells[2];                                                  /* with a row of zeros above and below */
    size_t devices, rows, columns;                                        /* rows of a device; OVER: one with all */
    unsigned plan, unit;
    unsigned steps;          /* done so far */
    tw_command_graph *graph; /* of `unit` steps; NULL without RECORDED */
};

/* The first element of a row of the buffers, and the range of some rows. Row 0 is that of zeros. */
static tw_id row_at(size_t row)
{
    return tw_id_2d(row, 0);
}

static tw_range rows_of(const struct grid *g, size_t rows)
{
    return tw_range_2d(rows, g->columns);
}

static bool fill_rows(const struct grid *g, size_t index)
{
    const size_t first_row = index * g->rows;
    tw_command_group *cg = tw_queue_begin(g->queues[index]);
    tw_parallel_for(cg, rows_of(g, g->rows), fill, .first_row = (unsigned)first_row,
                    .out = TW_DISCARD_WRITE_PART_VIEW(cg, g->cells[0], row_at(first_row + 1), rows_of(g, g->rows)));
    return bench_passed(tw_queue_submit(g->queues[index], cg, NULL));
}

/* Makes the rows of zeros, above and below. */
static bool clear_borders(const struct grid *g)
{
    const size_t borders[] = {0, g->devices * g->rows + 1};
    bool done = true;
    for (unsigned i = 0; i < 4 && done; ++i) {
        tw_host_accessor *accessor = NULL;
        done = bench_passed(
            tw_host_access_part(g->cells[i / 2], row_at(borders[i % 2]), rows_of(g, 1), TW_DISCARD_WRITE, &accessor));
        if (done)
            memset(tw_host_accessor_data(accessor), 0, g->columns * sizeof(float));
        tw_host_accessor_release(&accessor);
    }
    return done;
}

static bool wait_for_all(const struct grid *g)
{
    bool done = true;
    for (size_t i = 0; i < g->devices; ++i) {
        done = bench_passed(tw_queue_wait(g->queues[i])) && done;
        if (g->edge_queues[i] != g->queues[i])
            done = bench_passed(tw_queue_wait(g->edge_queues[i])) && done;
    }
    return done;
}

/* ---- steps ----------------------------------------------------------------------------------------------------- */

static bool submit_edges(const struct grid *g, size_t i, unsigned step)
{
    const size_t first = i * g->rows + 1, last = first + g->rows - 1;
    tw_buffer *in = g->cells[step % 2], *out = g->cells[1 - step % 2];
    tw_command_group *cg = tw_queue_begin(g->edge_queues[i]);
    tw_parallel_for(cg, tw_range_1d(g->columns), edges, .first = tw_read_part(cg, in, row_at(first - 1), rows_of(g, 3)),
                    .last = tw_read_part(cg, in, row_at(last - 1), rows_of(g, 3)),
                    .first_out = tw_discard_write_part(cg, out, row_at(first), rows_of(g, 1)),
                    .last_out = tw_discard_write_part(cg, out, row_at(last), rows_of(g, 1)),
                    .columns = (unsigned)g->columns);
    return tw_queue_submit(g->edge_queues[i], cg, NULL) == TW_SUCCESS;
}

/* Of a work-item of all rows: the cells around its own, which is one row further down in the buffer. */
static tw_range_mapper from_row_above(void)
{
    return tw_neighborhood_of(tw_id_2d(0, 1), tw_id_2d(2, 1));
}

/* All rows of a device that the edges do not have. */
static bool submit_inside(const struct grid *g, size_t i, unsigned step)
{
    const size_t edge = g->plan & EDGES_FIRST ? 1 : 0, first = i * g->rows + 1 + edge, rows = g->rows - 2 * edge;
    tw_command_group *cg = tw_queue_begin(g->queues[i]);
    tw_parallel_for(cg, rows_of(g, rows), inside,
                    .in = g->plan & OVER
                              ? tw_read_mapped(cg, g->cells[step % 2], from_row_above())
                              : tw_read_part(cg, g->cells[step % 2], row_at(first - 1), rows_of(g, rows + 2)),
                    .out = tw_discard_write_part(cg, g->cells[1 - step % 2], row_at(first), rows_of(g, rows)),
                    .columns = (unsigned)g->columns);
    return tw_queue_submit(g->queues[i], cg, NULL) == TW_SUCCESS;
}

/* The edges of all devices first, so that they are on their way while the rest is computed. */
static bool submit_step(const struct grid *g, unsigned step)
{
    bool done = true;
    for (size_t i = 0; i < g->devices && g->plan & EDGES_FIRST; ++i)
        done = submit_edges(g, i, step) && done;
    for (size_t i = 0; i < g->devices; ++i)
        done = submit_inside(g, i, step) && done;
    return done;
}

/* Brings the neighbours' rows to a device before the next step asks for them. */
static bool submit_prefetch(const struct grid *g, size_t i)
{
    tw_command_group *cg = tw_queue_begin(g->queues[i]);
    if (i > 0)
        tw_prefetch_part(cg, g->cells[0], row_at(i * g->rows), rows_of(g, 1));
    if (i + 1 < g->devices)
        tw_prefetch_part(cg, g->cells[0], row_at((i + 1) * g->rows + 1), rows_of(g, 1));
    return bench_passed(tw_queue_submit(g->queues[i], cg, NULL));
}

/* Makes a graph of an even number of steps. */
static bool record_steps(struct grid *g)
{
    bool done = bench_passed(tw_queue_begin_recording(g->queues[0]));
    for (size_t i = 1; i < g->devices && done; ++i)
        done = bench_passed(tw_queue_join_recording(g->queues[i], g->queues[0]));
    for (unsigned step = 0; step < g->unit && done; ++step)
        done = submit_step(g, step);
    for (size_t i = 0; i < g->devices && done && !(g->plan & OVER); ++i)
        done = submit_prefetch(g, i);
    return bench_passed(tw_queue_end_recording(g->queues[0], done ? &g->graph : NULL)) && done;
}

/* ---- making and freeing ------------------------------------------------------------------------------------------ */

static void free_grid(void *grid)
{
    struct grid *g = grid;
    if (!g)
        return;
    for (size_t i = 0; i < g->devices; ++i) {
        if (g->edge_queues[i] != g->queues[i])
            tw_queue_destroy(&g->edge_queues[i]);
        tw_queue_destroy(&g->queues[i]);
    }
    tw_command_graph_destroy(&g->graph);
    tw_buffer_destroy(&g->cells[0]);
    tw_buffer_destroy(&g->cells[1]);
    free(g);
}

static bool make_queues(struct grid *g, size_t i, tw_device *const *devices, size_t count)
{
    if (!bench_passed(g->plan & OVER ? tw_queue_create_over(devices, count, 0, NULL, NULL, &g->queues[i])
                                     : tw_queue_create_on_device(devices[i], NULL, NULL, &g->queues[i])))
        return false;
    if (g->plan & EDGE_QUEUE)
        return bench_passed(
            tw_queue_create_with_properties(NULL, devices[i], TW_QUEUE_PRIORITY_HIGH, NULL, NULL, &g->edge_queues[i]));
    g->edge_queues[i] = g->queues[i];
    return true;
}

static void *make_grid(const struct halo_shape *shape, unsigned plan)
{
    tw_device *first = NULL, *devices[HALO_MOST_DEVICES] = {NULL};
    size_t count = 0;
    struct grid *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    *g = (struct grid){
        .devices = shape->devices, .rows = shape->rows, .columns = shape->columns, .plan = plan, .unit = shape->unit};
    if (plan & OVER) {
        g->devices = 1;
        g->rows = shape->devices * shape->rows;
    }
    const tw_range whole = tw_range_2d(g->devices * g->rows + 2, g->columns);
    bool done = bench_passed(tw_select_device(NULL, NULL, &first))
                && bench_passed(tw_platform_get_devices(tw_device_platform(first), devices, HALO_MOST_DEVICES, &count))
                && count >= shape->devices && bench_passed(tw_buffer_create(sizeof(float), whole, &g->cells[0]))
                && bench_passed(tw_buffer_create(sizeof(float), whole, &g->cells[1])) && clear_borders(g);
    for (size_t i = 0; i < g->devices && done; ++i)
        done = make_queues(g, i, devices, shape->devices) && fill_rows(g, i);
    if (done && wait_for_all(g) && (!(plan & RECORDED) || record_steps(g)))
        return g;
    free_grid(g);
    return NULL;
}

static bool fetch(void *grid, size_t first_row, size_t rows, float *to)
{
    const struct grid *g = grid;
    return bench_passed(tw_buffer_read_part(g->cells[g->steps % 2], row_at(first_row + 1), rows_of(g, rows), to));
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

static bool run_steps(void *grid, unsigned steps, double *enqueued)
{
    struct grid *g = grid;
    bool done = true;
    for (unsigned k = 0; k < steps && g->graph; k += g->unit) /* an even number of steps */
        done = tw_queue_submit_graph(g->queues[0], g->graph, NULL) == TW_SUCCESS && done;
    for (unsigned k = 0; k < steps && !g->graph; ++k)
        done = submit_step(g, g->steps + k) && done;
    *enqueued = bench_now();
    done = wait_for_all(g) && done;
    g->steps += steps;
    return done;
}

#define WAY(name, alone, plan) {"Teamwork", name, alone, make_grid, plan, run_steps, fetch, free_grid}

const struct halo_way halo_teamwork_ways[] = {
    WAY("one device", true, 0),
    WAY("edges first", false, EDGES_FIRST),
    WAY("edges in a queue of high priority", false, EDGES_FIRST | EDGE_QUEUE),
    WAY("edges first, a graph", false, EDGES_FIRST | RECORDED),
    WAY("one kernel", false, 0),
    WAY("one kernel, a graph", false, RECORDED),
    WAY("a queue over all devices", false, OVER),
    WAY("a queue over all devices, a graph", false, OVER | RECORDED),
    {NULL, NULL, false, NULL, 0, NULL, NULL, NULL},
};
