/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A five-point stencil on a grid that is split over several devices by rows.
 *
 * Each device has its rows in three buffers: the first row, the last row, and those between. The two edge rows are
 * computed by a small kernel before the others, and the neighbours read them in the next step: the library moves them,
 * while the large kernel runs. All data is double-buffered. There is no other synchronization than the accessors.
 *
 *     halo_gpu [--quick] [--devices N] [--rows R] [--columns C] [--steps S] [--json FILE]
 *
 * Every device has R x C cells, so the efficiency of N devices is the time of one device for its share alone, divided
 * by the time of all for the whole grid. Results are compared with a sequential program: on a small grid all cells, on
 * the large one cells of all edge rows. Exit status 1: a wrong result; 77: there are not two devices.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <teamwork/teamwork.h>
#include <unistd.h>

#include "../samples.h"

enum { MOST_DEVICES = 16, MOST_ROUNDS = 9, WATCHDOG_SECONDS = 900 };

struct options {
    bool quick;
    size_t devices, rows, columns;
    unsigned steps;
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
    float *out;
    unsigned first_row, columns; /* of the whole grid */
};
static inline void fill(tw_item item, const struct fill *k)
{
    const unsigned row = (unsigned)tw_global_id(item, 0), column = (unsigned)tw_global_id(item, 1);
    k->out[row * k->columns + column] = initial_value(k->first_row + row, column);
}
TW_RANGE_KERNEL(fill, 2);

/* The rows between the edges. */
struct inside {
    const float *in, *first, *last;
    float *out;
    unsigned rows, columns;
};
static inline void inside(tw_item item, const struct inside *k)
{
    const unsigned row = (unsigned)tw_global_id(item, 0), column = (unsigned)tw_global_id(item, 1);
    const unsigned columns = k->columns, at = row * columns + column;
    const float up = row ? k->in[at - columns] : k->first[column];
    const float down = row + 1 < k->rows ? k->in[at + columns] : k->last[column];
    const float left = column ? k->in[at - 1] : 0.0f, right = column + 1 < columns ? k->in[at + 1] : 0.0f;
    k->out[at] = relax(left, right, up, down);
}
TW_RANGE_KERNEL(inside, 2);

/* The first and the last row: above and below are the neighbours' edges. */
struct edges {
    const float *in, *first, *last, *above, *below;
    float *first_out, *last_out;
    unsigned rows, columns;
};
static inline void edges(tw_item item, const struct edges *k)
{
    const unsigned column = (unsigned)tw_global_id(item, 0), columns = k->columns;
    k->first_out[column] =
        relax(left_of(k->first, column), right_of(k->first, column, columns), k->above[column], k->in[column]);
    k->last_out[column] = relax(left_of(k->last, column), right_of(k->last, column, columns),
                                k->in[(k->rows - 1) * columns + column], k->below[column]);
}
TW_RANGE_KERNEL(edges, 1);

/* ---- the grid ------------------------------------------------------------------------------------------------ */

struct part {
    tw_queue *queue;
    tw_buffer *inside[2], *first[2], *last[2];
    tw_buffer *nothing; /* a row of zeros, outside of the grid */
};

struct grid {
    struct part parts[MOST_DEVICES];
    size_t devices, rows, columns; /* rows of a device */
    unsigned steps;                /* done so far */
};

static bool passed(tw_status status)
{
    if (status != TW_SUCCESS)
        fprintf(stderr, "Teamwork: %s: %s\n", tw_status_name(status), tw_error_detail());
    return status == TW_SUCCESS;
}

static bool fill_rows(tw_queue *queue, tw_buffer *buffer, size_t rows, size_t first_row, size_t columns)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_2d(rows, columns), fill, .out = tw_discard_write(cg, buffer),
                    .first_row = (unsigned)first_row, .columns = (unsigned)columns);
    return passed(tw_queue_submit(queue, cg, NULL));
}

static bool make_part(struct grid *g, size_t index, tw_device *device)
{
    struct part *p = &g->parts[index];
    const tw_range row = tw_range_1d(g->columns), rows = tw_range_2d(g->rows - 2, g->columns);
    const size_t first_row = index * g->rows;
    float *zeros = calloc(g->columns, sizeof *zeros);
    bool done = zeros && passed(tw_queue_create_on_device(device, NULL, NULL, &p->queue))
                && passed(tw_buffer_create_copy(zeros, sizeof *zeros, row, &p->nothing));
    for (unsigned i = 0; i < 2 && done; ++i)
        done = passed(tw_buffer_create(sizeof(float), rows, &p->inside[i]))
               && passed(tw_buffer_create(sizeof(float), row, &p->first[i]))
               && passed(tw_buffer_create(sizeof(float), row, &p->last[i]));
    free(zeros);
    return done && fill_rows(p->queue, p->first[0], 1, first_row, g->columns)
           && fill_rows(p->queue, p->inside[0], g->rows - 2, first_row + 1, g->columns)
           && fill_rows(p->queue, p->last[0], 1, first_row + g->rows - 1, g->columns);
}

static bool wait_for(const struct grid *g)
{
    bool done = true;
    for (size_t i = 0; i < g->devices; ++i)
        done = passed(tw_queue_wait(g->parts[i].queue)) && done;
    return done;
}

static void free_grid(struct grid *g)
{
    for (size_t i = 0; i < g->devices; ++i) {
        struct part *p = &g->parts[i];
        tw_queue_destroy(&p->queue);
        tw_buffer_destroy(&p->nothing);
        for (unsigned k = 0; k < 2; ++k) {
            tw_buffer_destroy(&p->inside[k]);
            tw_buffer_destroy(&p->first[k]);
            tw_buffer_destroy(&p->last[k]);
        }
    }
    free(g);
}

static struct grid *make_grid(tw_device *const *devices, size_t count, size_t rows, size_t columns)
{
    struct grid *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    *g = (struct grid){.devices = count, .rows = rows, .columns = columns};
    bool done = true;
    for (size_t i = 0; i < count && done; ++i)
        done = make_part(g, i, devices[i]);
    if (!wait_for(g) || !done) {
        free_grid(g);
        return NULL;
    }
    return g;
}

/* ---- steps ----------------------------------------------------------------------------------------------------- */

static bool submit_edges(const struct grid *g, size_t i, unsigned now, unsigned next)
{
    const struct part *p = &g->parts[i];
    tw_buffer *above = i ? g->parts[i - 1].last[now] : p->nothing;
    tw_buffer *below = i + 1 < g->devices ? g->parts[i + 1].first[now] : p->nothing;
    tw_command_group *cg = tw_queue_begin(p->queue);
    tw_parallel_for(cg, tw_range_1d(g->columns), edges, .in = tw_read(cg, p->inside[now]),
                    .first = tw_read(cg, p->first[now]), .last = tw_read(cg, p->last[now]), .above = tw_read(cg, above),
                    .below = tw_read(cg, below), .first_out = tw_discard_write(cg, p->first[next]),
                    .last_out = tw_discard_write(cg, p->last[next]), .rows = (unsigned)g->rows - 2,
                    .columns = (unsigned)g->columns);
    return tw_queue_submit(p->queue, cg, NULL) == TW_SUCCESS;
}

static bool submit_inside(const struct grid *g, size_t i, unsigned now, unsigned next)
{
    const struct part *p = &g->parts[i];
    tw_command_group *cg = tw_queue_begin(p->queue);
    tw_parallel_for(cg, tw_range_2d(g->rows - 2, g->columns), inside, .in = tw_read(cg, p->inside[now]),
                    .first = tw_read(cg, p->first[now]), .last = tw_read(cg, p->last[now]),
                    .out = tw_discard_write(cg, p->inside[next]), .rows = (unsigned)g->rows - 2,
                    .columns = (unsigned)g->columns);
    return tw_queue_submit(p->queue, cg, NULL) == TW_SUCCESS;
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
    waiter->done = passed(tw_queue_wait(waiter->queue));
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
        waiters[i] = (struct waiter){.queue = g->parts[i].queue};
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

/* Compares the cells of a buffer with the reference's: `rows` rows from `first_row` on, every `stride`-th column. */
static bool rows_are_right(struct grid *g, tw_buffer *buffer, size_t first_row, size_t rows, size_t stride)
{
    const size_t total = g->rows * g->devices, reach = g->steps + 1;
    tw_host_accessor *accessor = NULL;
    bool right = passed(tw_host_access(buffer, TW_READ, &accessor));
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
    const unsigned now = g->steps % 2;
    const size_t stride = all ? 1 : g->columns / 3 - 1;
    bool right = true;
    for (size_t i = 0; i < g->devices && right; ++i) {
        const struct part *p = &g->parts[i];
        const size_t first_row = i * g->rows;
        right = rows_are_right(g, p->first[now], first_row, 1, stride)
                && rows_are_right(g, p->last[now], first_row + g->rows - 1, 1, stride)
                && (!all || rows_are_right(g, p->inside[now], first_row + 1, g->rows - 2, stride));
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

struct result {
    double alone, together, with_waiters; /* medians, seconds a step */
};

static double median(double *samples, unsigned count)
{
    bench_sort(samples, count);
    return samples[count / 2];
}

static bool measure(tw_device *const *devices, const struct options *options, struct result *result)
{
    double samples[3][MOST_ROUNDS];
    const unsigned rounds = options->quick ? 3 : MOST_ROUNDS, steps = options->steps;
    struct grid *one = make_grid(devices, 1, options->rows, options->columns);
    struct grid *all = make_grid(devices, options->devices, options->rows, options->columns);
    bool right = one && all && run(one, 4) >= 0 && run(all, 4) >= 0 && run_with_waiters(all, 4) >= 0
                 && is_right(one, false) && is_right(all, false); /* before the reference would take too long */
    for (unsigned round = 0; right && round < rounds; ++round) {
        samples[0][round] = run(one, steps);
        samples[1][round] = run(all, steps);
        samples[2][round] = run_with_waiters(all, steps);
        right = samples[0][round] >= 0 && samples[1][round] >= 0 && samples[2][round] >= 0;
    }
    if (right) {
        result->alone = median(samples[0], rounds) / steps;
        result->together = median(samples[1], rounds) / steps;
        result->with_waiters = median(samples[2], rounds) / steps;
        right = !options->quick || is_right(all, false);
    }
    if (one)
        free_grid(one);
    if (all)
        free_grid(all);
    return right;
}

static bool write_json(const struct options *options, const struct result *r, const char *device)
{
    if (!options->json)
        return true;
    FILE *file = fopen(options->json, "w");
    if (!file) {
        perror(options->json);
        return false;
    }
    const struct {
        const char *variant;
        double seconds;
    } rows[] = {{"one device alone", r->alone},
                {"all, one thread waits", r->together},
                {"all, a thread each waits", r->with_waiters}};
    fprintf(file, "{\n  \"device\": \"%s\",\n  \"rows\": [\n", device);
    for (size_t i = 0; i < 3; ++i)
        fprintf(file,
                "    {\"bench\": \"halo\", \"variant\": \"%s\", \"side\": \"Teamwork\", \"parameter\": \"devices=%zu "
                "rows=%zu "
                "columns=%zu\", \"value\": %.6g, \"unit\": \"us\", \"efficiency\": %.4f}%s\n",
                rows[i].variant, options->devices, options->rows, options->columns, rows[i].seconds * 1e6,
                r->alone / rows[i].seconds, i < 2 ? "," : "");
    fprintf(file, "  ]\n}\n");
    return fclose(file) == 0;
}

static void print(const struct options *options, const struct result *r)
{
    const double gigabytes = 8e-9 * (double)options->rows * (double)options->columns;
    printf("%zu x %zu cells for each of %zu devices, %u steps at a time; medians of a step\n", options->rows,
           options->columns, options->devices, options->steps);
    printf("    one device, its share alone       %10.1f us  %8.1f GB/s\n", r->alone * 1e6, gigabytes / r->alone);
    printf("    all, one thread waits for them    %10.1f us  efficiency %.3f\n", r->together * 1e6,
           r->alone / r->together);
    printf("    all, a thread waits for each      %10.1f us  efficiency %.3f\n", r->with_waiters * 1e6,
           r->alone / r->with_waiters);
}

/* ---- the program ----------------------------------------------------------------------------------------------- */

static bool read_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; ++i) {
        if (!strcmp(argv[i], "--quick")) {
            options->quick = true;
            continue;
        }
        if (i + 1 == argc)
            return false;
        const char *value = argv[++i];
        if (!strcmp(argv[i - 1], "--json"))
            options->json = value;
        else if (!strcmp(argv[i - 1], "--devices"))
            options->devices = strtoul(value, NULL, 10);
        else if (!strcmp(argv[i - 1], "--rows"))
            options->rows = strtoul(value, NULL, 10);
        else if (!strcmp(argv[i - 1], "--columns"))
            options->columns = strtoul(value, NULL, 10);
        else if (!strcmp(argv[i - 1], "--steps"))
            options->steps = (unsigned)strtoul(value, NULL, 10);
        else
            return false;
    }
    options->rows = options->rows ? options->rows : options->quick ? 64 : 8192;
    options->columns = options->columns ? options->columns : options->quick ? 256 : 8192;
    options->steps = options->steps ? options->steps : options->quick ? 5 : 100;
    return options->rows > 2 && options->columns > 5 && options->devices <= MOST_DEVICES
           && options->rows * options->columns <= UINT32_MAX;
}

/* All devices of the default one's kind. */
static size_t find_devices(tw_device *devices[MOST_DEVICES])
{
    tw_device *first = NULL;
    size_t count = 0;
    if (!passed(tw_select_device(NULL, NULL, &first))
        || !passed(tw_platform_get_devices(tw_device_platform(first), devices, MOST_DEVICES, &count)))
        return 0;
    return least(count, MOST_DEVICES);
}

int main(int argc, char **argv)
{
    struct options options = {0};
    struct result result = {0, 0, 0};
    tw_device *devices[MOST_DEVICES];
    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "usage: %s [--quick] [--devices N] [--rows R] [--columns C] [--steps S] [--json FILE]\n",
                argv[0]);
        return 2;
    }
    alarm(WATCHDOG_SECONDS);
    const size_t count = find_devices(devices);
    options.devices = options.devices ? options.devices : count;
    if (options.devices > count || count < 2) {
        fprintf(stderr, "there are %zu devices of the default one's kind\n", count);
        return 77;
    }
    const bool right =
        check_small(devices, options.devices, options.quick ? 30 : 1001) && measure(devices, &options, &result);
    if (!right) {
        fprintf(stderr, "something is wrong: see above\n");
        return 1;
    }
    print(&options, &result);
    return write_json(&options, &result, tw_device_name(devices[0])) ? 0 : 1;
}
