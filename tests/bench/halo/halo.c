/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A five-point stencil on a grid that is split over several devices by rows.
 *
 * The grid is one buffer, and another one for the next step. Each device has some rows: its groups access these, and
 * the neighbours' rows next to them. The first and the last row are computed by a small kernel before the others, and
 * the neighbours read them in the next step: the library moves them, while the large kernel runs. There is no other
 * synchronization than the accessors.
 *
 *     halo_gpu [--quick] [--devices N] [--rows R] [--columns C] [--steps S] [--json FILE]
 *
 * Every device has R x C cells, so the efficiency of N devices is the time of one device for its share alone, divided
 * by the time of all for the whole grid. Results are compared with a sequential program: on a small grid all cells, on
 * the large one cells of all edge rows. Exit status 1: a wrong result; 77: there are not two devices.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/bench_teamwork.h"

enum { MOST_DEVICES = 16, MOST_ROUNDS = 9, WATCHDOG_SECONDS = 900 };

struct options {
    bool quick;
    size_t devices, rows, columns, steps;
    const char *json;
};

/* ---- the problem ----------------------------------------------------------------------------------------------- */

/* What cell (row, column) of the whole grid is at first: any function that has no pattern. 24 bits, so sums of four and
   quarters are what they are on every device. */
static inline float initial_value(unsigned row, unsigned column)
{
    unsigned x = row * 2654435761u ^ column * 2246822519u;
    x ^= x >> 15;
    x *= 2654435761u;
    return (float)(x >> 20) * (1.0f / 4096.0f);
}

static inline float relax(float left, float right, float up, float down)
{
    return 0.25f * ((left + right) + (up + down));
}

/* A row with nothing beside it. */
static inline float left_of(const float *row, unsigned column)
{
    return column ? row[column - 1] : 0.0f;
}

static inline float right_of(const float *row, unsigned column, unsigned columns)
{
    return column + 1 < columns ? row[column + 1] : 0.0f;
}

struct fill {
    TW_PART_VIEW(float) out;
    unsigned first_row; /* of the whole grid */
};
static inline void fill(tw_item item, const struct fill *k)
{
    const unsigned row = (unsigned)tw_global_id(item, 0), column = (unsigned)tw_global_id(item, 1);
    tw_at(k->out, row, column) = initial_value(k->first_row + row, column);
}
TW_RANGE_KERNEL(fill, 2);

/* The rows between the edges. Row i of `out` lies between rows i and i + 2 of `in`. */
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
    k->out[at] = relax(left, right, k->in[at], k->in[here + columns]);
}
TW_RANGE_KERNEL(inside, 2);

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
    k->first_out[column] = relax(left_of(first, column), right_of(first, column, columns), k->first[column],
                                 k->first[2 * columns + column]);
    k->last_out[column] =
        relax(left_of(last, column), right_of(last, column, columns), k->last[column], k->last[2 * columns + column]);
}
TW_RANGE_KERNEL(edges, 1);

/* ---- the grid ------------------------------------------------------------------------------------------------ */

struct grid {
    tw_queue *queues[MOST_DEVICES];
    tw_buffer *cells[2];           /* with a row of zeros above and below */
    size_t devices, rows, columns; /* rows of a device */
    unsigned steps;                /* done so far */
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

static bool wait_for(const struct grid *g)
{
    bool done = true;
    for (size_t i = 0; i < g->devices; ++i)
        done = bench_passed(tw_queue_wait(g->queues[i])) && done;
    return done;
}

static void free_grid(struct grid *g)
{
    for (size_t i = 0; i < g->devices; ++i)
        tw_queue_destroy(&g->queues[i]);
    tw_buffer_destroy(&g->cells[0]);
    tw_buffer_destroy(&g->cells[1]);
    free(g);
}

static struct grid *make_grid(tw_device *const *devices, size_t count, size_t rows, size_t columns)
{
    struct grid *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    *g = (struct grid){.devices = count, .rows = rows, .columns = columns};
    const tw_range whole = tw_range_2d(count * rows + 2, columns);
    bool done = bench_passed(tw_buffer_create(sizeof(float), whole, &g->cells[0]))
                && bench_passed(tw_buffer_create(sizeof(float), whole, &g->cells[1])) && clear_borders(g);
    for (size_t i = 0; i < count && done; ++i)
        done = bench_passed(tw_queue_create_on_device(devices[i], NULL, NULL, &g->queues[i])) && fill_rows(g, i);
    if (!wait_for(g) || !done) {
        free_grid(g);
        return NULL;
    }
    return g;
}

/* ---- steps ----------------------------------------------------------------------------------------------------- */

static bool submit_edges(const struct grid *g, size_t i, unsigned now, unsigned next)
{
    const size_t first = i * g->rows + 1, last = first + g->rows - 1;
    tw_buffer *in = g->cells[now], *out = g->cells[next];
    tw_command_group *cg = tw_queue_begin(g->queues[i]);
    tw_parallel_for(cg, tw_range_1d(g->columns), edges, .first = tw_read_part(cg, in, row_at(first - 1), rows_of(g, 3)),
                    .last = tw_read_part(cg, in, row_at(last - 1), rows_of(g, 3)),
                    .first_out = tw_discard_write_part(cg, out, row_at(first), rows_of(g, 1)),
                    .last_out = tw_discard_write_part(cg, out, row_at(last), rows_of(g, 1)),
                    .columns = (unsigned)g->columns);
    return tw_queue_submit(g->queues[i], cg, NULL) == TW_SUCCESS;
}

static bool submit_inside(const struct grid *g, size_t i, unsigned now, unsigned next)
{
    const size_t first = i * g->rows + 1;
    const tw_range written = rows_of(g, g->rows - 2);
    tw_command_group *cg = tw_queue_begin(g->queues[i]);
    tw_parallel_for(cg, written, inside, .in = tw_read_part(cg, g->cells[now], row_at(first), rows_of(g, g->rows)),
                    .out = tw_discard_write_part(cg, g->cells[next], row_at(first + 1), written),
                    .columns = (unsigned)g->columns);
    return tw_queue_submit(g->queues[i], cg, NULL) == TW_SUCCESS;
}

/* The edges of all devices first, so that they are on their way while the rest is computed. */
static bool submit_step(struct grid *g)
{
    const unsigned now = g->steps % 2, next = 1 - now;
    bool done = true;
    for (size_t i = 0; i < g->devices; ++i)
        done = submit_edges(g, i, now, next) && done;
    for (size_t i = 0; i < g->devices; ++i)
        done = submit_inside(g, i, now, next) && done;
    ++g->steps;
    return done;
}

/* Seconds of `steps` steps; below 0: failed. */
static double run(struct grid *g, unsigned steps)
{
    bool done = true;
    const double start = bench_now();
    for (unsigned i = 0; i < steps; ++i)
        done = submit_step(g) && done;
    done = wait_for(g) && done;
    return done ? bench_now() - start : -1;
}

struct waiter {
    pthread_t thread;
    tw_queue *queue;
    bool done;
};

static void *wait_on_thread(void *argument)
{
    struct waiter *waiter = argument;
    waiter->done = bench_passed(tw_queue_wait(waiter->queue));
    return NULL;
}

/* The same, with a thread that waits for each device. */
static double run_with_waiters(struct grid *g, unsigned steps)
{
    struct waiter waiters[MOST_DEVICES];
    bool done = true;
    const double start = bench_now();
    for (unsigned i = 0; i < steps; ++i)
        done = submit_step(g) && done;
    for (size_t i = 0; i < g->devices; ++i) {
        waiters[i] = (struct waiter){.queue = g->queues[i]};
        if (pthread_create(&waiters[i].thread, NULL, wait_on_thread, &waiters[i]))
            abort();
    }
    for (size_t i = 0; i < g->devices; ++i) {
        pthread_join(waiters[i].thread, NULL);
        done = done && waiters[i].done;
    }
    return done ? bench_now() - start : -1;
}

/* ---- checking ---------------------------------------------------------------------------------------------------- */

/* `steps` steps of a part of the whole grid, rows [row, row + rows) and likewise columns, by one thread. What lies
   outside of the part counts as 0, so only cells at least `steps` from its edge are right, unless that is the grid's
   own. */
static float *reference(long row, long column, size_t rows, size_t columns, unsigned steps)
{
    float *now = malloc(rows * columns * sizeof *now), *next = malloc(rows * columns * sizeof *next);
    if (!now || !next) {
        free(now);
        free(next);
        return NULL;
    }
    for (size_t i = 0; i < rows; ++i)
        for (size_t k = 0; k < columns; ++k)
            now[i * columns + k] = initial_value((unsigned)(row + (long)i), (unsigned)(column + (long)k));
    for (unsigned step = 0; step < steps; ++step) {
        for (size_t i = 0; i < rows; ++i)
            for (size_t k = 0; k < columns; ++k) {
                const size_t at = i * columns + k;
                next[at] = relax(k ? now[at - 1] : 0.0f, k + 1 < columns ? now[at + 1] : 0.0f,
                                 i ? now[at - columns] : 0.0f, i + 1 < rows ? now[at + columns] : 0.0f);
            }
        float *swap = now;
        now = next;
        next = swap;
    }
    free(next);
    return now;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Compares cells with the reference's: `rows` rows from `first_row` on, every `stride`-th column. */
static bool rows_are_right(struct grid *g, size_t first_row, size_t rows, size_t stride)
{
    const size_t total = g->rows * g->devices, reach = g->steps + 1;
    tw_host_accessor *accessor = NULL;
    bool right = bench_passed(
        tw_host_access_part(g->cells[g->steps % 2], row_at(first_row + 1), rows_of(g, rows), TW_READ, &accessor));
    const float *data = tw_host_accessor_const_data(accessor);
    const size_t up = least(reach, first_row), down = least(reach, total - (first_row + rows));
    for (size_t column = 0; right && column < g->columns; column += stride) {
        const size_t last =
            least(column + (stride == 1 ? g->columns : 1), g->columns); /* one patch for all, or for one */
        const size_t left = least(reach, column), end = least(g->columns, last + reach);
        const size_t width = end - (column - left);
        float *expected = reference((long)(first_row - up), (long)(column - left), up + rows + down, width, g->steps);
        for (size_t i = 0; expected && right && i < rows; ++i)
            for (size_t k = column; right && k < last; ++k) {
                const float is = data[i * g->columns + k], should = expected[(up + i) * width + k - (column - left)];
                right = is == should;
                if (!right)
                    fprintf(stderr, "row %zu, column %zu of the grid is %.9g instead of %.9g after %u steps\n",
                            first_row + i, k, (double)is, (double)should, g->steps);
            }
        right = right && expected;
        free(expected);
        if (stride == 1)
            break;
    }
    tw_host_accessor_release(&accessor);
    return right;
}

/* The edge rows of all devices at some columns, or all cells. */
static bool is_right(struct grid *g, bool all)
{
    const size_t stride = all ? 1 : g->columns / 3 - 1;
    bool right = true;
    for (size_t i = 0; i < g->devices && right; ++i) {
        const size_t first_row = i * g->rows;
        right = rows_are_right(g, first_row, 1, stride) && rows_are_right(g, first_row + g->rows - 1, 1, stride)
                && (!all || rows_are_right(g, first_row, g->rows, stride));
    }
    return right;
}

/* All cells, on 1, 2, ... devices: small grids, whose kernels take less time than copies do, and so many steps that a
   lot is in flight. */
static bool check_small(tw_device *const *devices, size_t count, unsigned steps)
{
    enum { ROWS = 37, COLUMNS = 101 };
    bool right = true;
    for (size_t n = 1; n <= count && right; ++n) {
        struct grid *g = make_grid(devices, n, ROWS, COLUMNS);
        right = g && run(g, steps) >= 0 && is_right(g, true) && run_with_waiters(g, 1) >= 0 && is_right(g, true);
        if (g)
            free_grid(g);
    }
    return right;
}

/* ---- measuring ------------------------------------------------------------------------------------------------- */

enum { ALONE, TOGETHER, WITH_WAITERS, WAYS };

static const char *const way_names[WAYS] = {
    [ALONE] = "one device alone", [TOGETHER] = "all, one thread waits", [WITH_WAITERS] = "all, a thread each waits"};

struct measurement {
    struct grid *one, *all;
    unsigned steps;
    double samples[WAYS][MOST_ROUNDS]; /* seconds a step */
    bool right;
};

static void take_turn(void *user, size_t way, unsigned round)
{
    struct measurement *m = user;
    if (!m->right)
        return;
    const double seconds = way == ALONE      ? run(m->one, m->steps)
                           : way == TOGETHER ? run(m->all, m->steps)
                                             : run_with_waiters(m->all, m->steps);
    m->samples[way][round] = seconds / m->steps;
    m->right = seconds >= 0;
}

/* Medians of a step, in seconds. */
static bool measure(tw_device *const *devices, const struct options *options, double result[WAYS])
{
    const unsigned rounds = options->quick ? 3 : MOST_ROUNDS;
    struct measurement m = {.one = make_grid(devices, 1, options->rows, options->columns),
                            .all = make_grid(devices, options->devices, options->rows, options->columns),
                            .steps = (unsigned)options->steps};
    m.right = m.one && m.all && run(m.one, 4) >= 0 && run(m.all, 4) >= 0 && run_with_waiters(m.all, 4) >= 0
              && is_right(m.one, false) && is_right(m.all, false); /* before the reference would take too long */
    bench_take_rounds(0, (struct bench_effort){rounds, rounds, 0}, WAYS, take_turn, &m);
    for (size_t way = 0; m.right && way < WAYS; ++way)
        result[way] = bench_summarize(m.samples[way], rounds).median;
    m.right = m.right && (!options->quick || is_right(m.all, false));
    if (m.one)
        free_grid(m.one);
    if (m.all)
        free_grid(m.all);
    return m.right;
}

static bool write_json(const struct options *options, const double result[WAYS], tw_device *device)
{
    struct bench_json json;
    char parameter[80];
    if (!options->json)
        return true;
    if (!bench_json_open(&json, options->json, "halo", tw_device_name(device), tw_device_is_gpu(device)))
        return false;
    snprintf(parameter, sizeof parameter, "devices=%zu rows=%zu columns=%zu", options->devices, options->rows,
             options->columns);
    bench_json_text(&json, "size", options->quick ? "quick" : "full");
    bench_json_rows(&json);
    for (size_t way = 0; way < WAYS; ++way) {
        bench_json_row(&json);
        bench_json_text(&json, "bench", "halo");
        bench_json_text(&json, "variant", way_names[way]);
        bench_json_text(&json, "side", "Teamwork");
        bench_json_text(&json, "parameter", parameter);
        bench_json_number(&json, "value", result[way] * 1e6);
        bench_json_text(&json, "unit", "us");
        bench_json_number(&json, "efficiency", result[ALONE] / result[way]);
    }
    return bench_json_close(&json);
}

static void print(const struct options *options, const double result[WAYS])
{
    const double gigabytes = 8e-9 * (double)options->rows * (double)options->columns;
    printf("%zu x %zu cells for each of %zu devices, %zu steps at a time; medians of a step\n", options->rows,
           options->columns, options->devices, options->steps);
    for (size_t way = 0; way < WAYS; ++way)
        printf("    %-28s %10.1f us  %8.1f GB/s a device  efficiency %.3f\n", way_names[way], result[way] * 1e6,
               gigabytes / result[way], result[ALONE] / result[way]);
}

/* ---- the program ----------------------------------------------------------------------------------------------- */

static bool read_options(int argc, char **argv, struct options *options)
{
    const struct bench_option list[] = {
        {"--quick", NULL, BENCH_FLAG, &options->quick},
        {"--devices", "N", BENCH_COUNT, &options->devices},
        {"--rows", "R", BENCH_COUNT, &options->rows},
        {"--columns", "C", BENCH_COUNT, &options->columns},
        {"--steps", "S", BENCH_COUNT, &options->steps},
        {"--json", "FILE", BENCH_TEXT, &options->json},
        {NULL, NULL, BENCH_FLAG, NULL},
    };
    if (!bench_parse(argc, argv, list))
        return false;
    options->rows = options->rows ? options->rows : options->quick ? 64 : 8192;
    options->columns = options->columns ? options->columns : options->quick ? 256 : 8192;
    options->steps = options->steps ? options->steps : options->quick ? 5 : 100;
    if (options->rows > 2 && options->columns > 5 && options->devices <= MOST_DEVICES
        && options->rows * options->columns <= UINT32_MAX)
        return true;
    fprintf(stderr, "more than 2 rows and 5 columns, at most 2^32 cells and %d devices\n", MOST_DEVICES);
    return false;
}

/* All devices of the default one's kind. */
static size_t find_devices(tw_device *devices[MOST_DEVICES])
{
    tw_device *first = NULL;
    size_t count = 0;
    if (!bench_passed(tw_select_device(NULL, NULL, &first))
        || !bench_passed(tw_platform_get_devices(tw_device_platform(first), devices, MOST_DEVICES, &count)))
        return 0;
    return least(count, MOST_DEVICES);
}

int main(int argc, char **argv)
{
    struct options options = {0};
    double result[WAYS] = {0};
    tw_device *devices[MOST_DEVICES];
    if (!read_options(argc, argv, &options))
        return 2;
    bench_watchdog(WATCHDOG_SECONDS, "halo");
    const size_t count = find_devices(devices);
    options.devices = options.devices ? options.devices : count;
    if (options.devices > count || count < 2) {
        fprintf(stderr, "there are %zu devices of the default one's kind\n", count);
        return 77;
    }
    const bool right =
        check_small(devices, options.devices, options.quick ? 30 : 1001) && measure(devices, &options, result);
    if (!right) {
        fprintf(stderr, "something is wrong: see above\n");
        return 1;
    }
    print(&options, result);
    return write_json(&options, result, devices[0]) ? 0 : 1;
}
