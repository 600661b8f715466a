/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A five-point stencil on a grid that is split over several devices by rows: Teamwork and CUDA by hand (halo.h).
 *
 *     halo_gpu [--quick] [--only SIDE] [--devices N] [--rounds K] [--json FILE]
 *
 * Every device has as many cells, so the efficiency of N devices is the time of one device for its share alone, divided
 * by the time of all for the whole grid. There are three sizes, and without --devices 2, 4, ... and all devices. All ways have their turns in each round. Results are compared with a sequential
 * program, bit by bit: on a small grid all cells; on the large one some cells of all edge rows, and, after all rounds,
 * the edge rows of all ways with each other. Exit status 1: a wrong result; 77: there are not two devices.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/bench_teamwork.h"
#include "halo.h"

enum { MOST_WAYS = 16, MOST_ROUNDS = 31, WATCHDOG_SECONDS = 240, UNIT = 100 };

struct options {
    bool quick;
    size_t devices, rounds;
    const char *only, *json;
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- right results --------------------------------------------------------------------------------------------- */

/* The cells of a rectangle after some steps, as if nothing but zeros were around it. Where the rectangle reaches as many
   rows and columns further than what is looked at, or to the grid's edge, that makes no difference. To be freed. */
static float *reference(size_t row, size_t column, size_t rows, size_t columns, unsigned steps)
{
    float *now = malloc(rows * columns * sizeof *now), *next = malloc(rows * columns * sizeof *next);
    if (!now || !next)
        abort();
    for (size_t i = 0; i < rows; ++i)
        for (size_t k = 0; k < columns; ++k)
            now[i * columns + k] = halo_initial_value((unsigned)(row + i), (unsigned)(column + k));
    for (unsigned step = 0; step < steps; ++step) {
        for (size_t i = 0; i < rows; ++i)
            for (size_t k = 0; k < columns; ++k) {
                const size_t at = i * columns + k;
                next[at] = halo_relax(k ? now[at - 1] : 0.0f, k + 1 < columns ? now[at + 1] : 0.0f,
                                      i ? now[at - columns] : 0.0f, i + 1 < rows ? now[at + columns] : 0.0f);
            }
        float *swap = now;
        now = next;
        next = swap;
    }
    free(next);
    return now;
}

/* Compares some columns of a row with the reference's. */
static bool cells_are_right(const struct halo_shape *shape, const float *data, size_t row, size_t column,
                            size_t columns, unsigned steps)
{
    const size_t total = shape->rows * shape->devices, reach = steps + 1;
    const size_t up = least(reach, row), down = least(reach, total - row - 1);
    const size_t left = least(reach, column), right = least(reach, shape->columns - column - columns);
    const size_t width = left + columns + right;
    float *expected = reference(row - up, column - left, up + 1 + down, width, steps);
    bool are_right = true;
    for (size_t k = 0; k < columns && are_right; ++k) {
        const float should = expected[up * width + left + k], is = data[column + k];
        are_right = is == should;
        if (!are_right)
            fprintf(stderr, "row %zu, column %zu of the grid is %.9g instead of %.9g after %u steps\n", row, column + k,
                    (double)is, (double)should, steps);
    }
    free(expected);
    return are_right;
}

/* Compares rows that a way has computed with the reference's: all cells, or some of the edge rows. */
static bool is_right(const struct halo_way *way, void *grid, const struct halo_shape *shape, unsigned steps, bool all)
{
    float *data = malloc(shape->columns * sizeof *data);
    bool right = data != NULL;
    for (size_t row = 0; row < shape->rows * shape->devices && right; ++row) {
        if (!all && row % shape->rows != 0 && row % shape->rows != shape->rows - 1)
            continue;
        right = way->fetch(grid, row, 1, data);
        if (all && right)
            right = cells_are_right(shape, data, row, 0, shape->columns, steps);
        for (size_t column = 0; !all && column < shape->columns && right; column += shape->columns / 3 - 1)
            right = cells_are_right(shape, data, row, column, 1, steps);
    }
    free(data);
    if (!right)
        fprintf(stderr, "%s, %s, %zu devices\n", way->side, way->name, shape->devices);
    return right;
}

/* All cells of a small grid, whose kernels take less time than copies do. Then some more steps have to pass. */
static bool check_small(const struct halo_way *way, size_t most, unsigned more)
{
    double enqueued = 0;
    bool right = true;
    for (size_t devices = 1; devices <= (way->alone ? 1 : most) && right; ++devices) {
        const struct halo_shape shape = {.devices = devices, .rows = 37, .columns = 101, .unit = 10};
        void *grid = way->make(&shape, way->plan);
        right = grid && way->run(grid, 10, &enqueued) && way->run(grid, 30, &enqueued)
                && is_right(way, grid, &shape, 40, true);
        if (right && !(right = way->run(grid, more, &enqueued)))
            fprintf(stderr, "%s, %s failed\n", way->side, way->name);
        way->free(grid);
    }
    return right;
}

/* Drops the ways whose results are wrong; returns how many are left. */
static size_t keep_right(const struct halo_way **ways, size_t count, size_t most, unsigned more)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (check_small(ways[i], most, more))
            ways[kept++] = ways[i];
        else
            fprintf(stderr, "%s, %s is left out\n", ways[i]->side, ways[i]->name);
    }
    return kept;
}

/* ---- measuring ------------------------------------------------------------------------------------------------- */

struct candidate {
    const struct halo_way *way;
    struct halo_shape shape;
    void *grid;
    double samples[MOST_ROUNDS], enqueuing[MOST_ROUNDS]; /* seconds a step */
    double median, host;                                 /* of these */
};

struct measurement {
    struct candidate of[MOST_WAYS];
    size_t count;
    unsigned steps; /* a turn */
    unsigned rounds;
    bool right;
};

static void take_turn(void *user, size_t way, unsigned round)
{
    struct measurement *m = user;
    struct candidate *c = &m->of[way];
    if (!m->right)
        return;
    bench_watchdog(WATCHDOG_SECONDS, c->way->name);
    double enqueued = 0;
    const double start = bench_now();
    m->right = c->way->run(c->grid, m->steps, &enqueued);
    c->enqueuing[round] = (enqueued - start) / m->steps;
    c->samples[round] = (bench_now() - start) / m->steps;
}

/* Whether all ways have the same edge rows: the first share's among all, all rows among those of all devices. */
static bool agree(const struct measurement *m)
{
    const struct candidate *first[2] = {NULL, NULL}; /* alone, together */
    const size_t columns = m->of[0].shape.columns;
    float *data = malloc(2 * columns * sizeof *data);
    bool right = data != NULL;
    for (size_t c = 0; c < m->count && right; ++c) {
        const struct candidate *other = first[m->of[c].way->alone], *it = &m->of[c];
        if (!other) {
            first[it->way->alone] = it;
            continue;
        }
        for (size_t i = 0; i < 2 * it->shape.devices && right; ++i) {
            const size_t row = i / 2 * it->shape.rows + (i % 2 ? it->shape.rows - 1 : 0);
            right = it->way->fetch(it->grid, row, 1, data) && other->way->fetch(other->grid, row, 1, data + columns)
                    && memcmp(data, data + columns, columns * sizeof *data) == 0;
            if (!right)
                fprintf(stderr, "row %zu: %s, %s differs from %s, %s\n", row, it->way->side, it->way->name,
                        other->way->side, other->way->name);
        }
    }
    free(data);
    return right;
}

/* Makes the grids, and compares each way's first run with the reference. */
static bool open_all(struct measurement *m)
{
    double enqueued = 0;
    for (size_t c = 0; c < m->count; ++c) {
        struct candidate *it = &m->of[c];
        bench_watchdog(WATCHDOG_SECONDS, it->way->name);
        it->grid = it->way->make(&it->shape, it->way->plan);
        if (!it->grid || !it->way->run(it->grid, it->shape.unit, &enqueued)
            || !is_right(it->way, it->grid, &it->shape, it->shape.unit, false))
            return false;
    }
    return true;
}

static bool measure(struct measurement *m)
{
    m->right = open_all(m);
    if (m->right)
        bench_take_rounds(0, (struct bench_effort){m->rounds, m->rounds, 0}, m->count, take_turn, m);
    m->right = m->right && agree(m);
    for (size_t c = 0; c < m->count; ++c) {
        if (m->right) {
            m->of[c].median = bench_summarize(m->of[c].samples, m->rounds).median;
            m->of[c].host = bench_summarize(m->of[c].enqueuing, m->rounds).median;
        }
        m->of[c].way->free(m->of[c].grid);
    }
    return m->right;
}

/* The time of one device alone, of the same side. */
static double alone_of(const struct measurement *m, const struct candidate *c)
{
    for (size_t i = 0; i < m->count; ++i)
        if (m->of[i].way->alone && strcmp(m->of[i].way->side, c->way->side) == 0)
            return m->of[i].median;
    return 0;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static void print(const struct measurement *m, const struct halo_shape *shape)
{
    const double gigabytes = 8e-9 * (double)shape->rows * (double)shape->columns;
    printf("\n%zu devices, %zu x %zu cells each; medians of %u runs of %u steps\n", shape->devices, shape->rows,
           shape->columns, m->rounds, m->steps);
    for (size_t c = 0; c < m->count; ++c) {
        const struct candidate *it = &m->of[c];
        printf("    %-9s %-36s %10.2f us  enqueued in %8.2f  %7.0f GB/s a device  efficiency %.3f\n", it->way->side,
               it->way->name, it->median * 1e6, it->host * 1e6, gigabytes / it->median, alone_of(m, it) / it->median);
    }
    fflush(stdout);
}

static void write_rows(struct bench_json *json, const struct measurement *m, const struct halo_shape *shape)
{
    char parameter[80];
    snprintf(parameter, sizeof parameter, "devices=%zu rows=%zu columns=%zu", shape->devices, shape->rows,
             shape->columns);
    for (size_t c = 0; c < m->count; ++c) {
        const struct candidate *it = &m->of[c];
        bench_json_row(json);
        bench_json_text(json, "bench", "halo");
        bench_json_text(json, "variant", it->way->name);
        bench_json_text(json, "side", it->way->side);
        bench_json_text(json, "parameter", parameter);
        bench_json_number(json, "value", it->median * 1e6);
        bench_json_text(json, "unit", "us");
        bench_json_number(json, "enqueued", it->host * 1e6);
        bench_json_number(json, "efficiency", alone_of(m, it) / it->median);
    }
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static bool read_options(int argc, char **argv, struct options *options)
{
    const struct bench_option list[] = {
        {"--quick", NULL, BENCH_FLAG, &options->quick},     {"--only", "SIDE", BENCH_TEXT, &options->only},
        {"--devices", "N", BENCH_COUNT, &options->devices}, {"--rounds", "K", BENCH_COUNT, &options->rounds},
        {"--json", "FILE", BENCH_TEXT, &options->json},     {NULL, NULL, BENCH_FLAG, NULL},
    };
    if (!bench_parse(argc, argv, list))
        return false;
    options->rounds = options->rounds ? least(options->rounds, MOST_ROUNDS) : options->quick ? 3 : 9;
    if (options->devices <= HALO_MOST_DEVICES)
        return true;
    fprintf(stderr, "at most %d devices\n", HALO_MOST_DEVICES);
    return false;
}

/* Devices of the default one's kind, and that one's name. */
static size_t count_devices(const char **name, bool *gpu)
{
    tw_device *first = NULL, *devices[HALO_MOST_DEVICES];
    size_t count = 0;
    if (!bench_passed(tw_select_device(NULL, NULL, &first))
        || !bench_passed(tw_platform_get_devices(tw_device_platform(first), devices, HALO_MOST_DEVICES, &count)))
        return 0;
    *name = tw_device_name(first);
    *gpu = tw_device_is_gpu(first);
    return least(count, HALO_MOST_DEVICES);
}

static size_t collect(const struct options *options, const struct halo_way *ways[MOST_WAYS])
{
    size_t count = 0;
    const struct halo_way *sides[] = {
        halo_teamwork_ways,
#ifdef HALO_HAVE_CUDA
        halo_cuda_ways,
#endif
    };
    for (size_t i = 0; i < sizeof sides / sizeof *sides; ++i)
        for (const struct halo_way *way = sides[i]; way->name; ++way)
            if (bench_is_listed(options->only, way->side))
                ways[count++] = way;
    return count;
}

/* One size on some devices. */
static bool measure_size(const struct options *options, const struct halo_way *const *ways, size_t count,
                         struct halo_shape shape, struct bench_json *json)
{
    struct measurement m = {.count = count, .rounds = (unsigned)options->rounds};
    shape.unit = options->quick ? 4 : UNIT;
    /* a turn of some milliseconds at least */
    m.steps = (!options->quick && shape.rows * shape.columns < 20000000 ? 10 : 1) * shape.unit;
    for (size_t i = 0; i < count; ++i) {
        m.of[i] = (struct candidate){.way = ways[i], .shape = shape};
        m.of[i].shape.devices = ways[i]->alone ? 1 : shape.devices;
    }
    if (!measure(&m))
        return false;
    print(&m, &shape);
    if (json)
        write_rows(json, &m, &shape);
    return true;
}

static bool measure_all(const struct options *options, const struct halo_way *const *ways, size_t count, size_t devices,
                        struct bench_json *json)
{
    static const size_t sizes[] = {2048, 8192, 16384};
    const size_t first = options->devices ? options->devices : 2, last = options->devices ? first : devices;
    bool right = count > 0;
    for (size_t n = first; n <= last && count; n = n < last && 2 * n > last ? last : 2 * n)
        for (size_t i = 0; i < (options->quick ? 1 : 3); ++i) {
            const struct halo_shape shape = {
                .devices = n, .rows = options->quick ? 64 : sizes[i], .columns = options->quick ? 256 : sizes[i]};
            right = measure_size(options, ways, count, shape, json) && right;
        }
    return right;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    struct bench_json json;
    const struct halo_way *ways[MOST_WAYS];
    const char *name = "";
    bool gpu = false;
    if (!read_options(argc, argv, &options))
        return 2;
    bench_watchdog(WATCHDOG_SECONDS, "halo");
    const size_t devices = count_devices(&name, &gpu), count = collect(&options, ways);
    if (devices < 2 || options.devices > devices) {
        fprintf(stderr, "there are %zu devices of the default one's kind\n", devices);
        return 77;
    }
    if (options.json) {
        if (!bench_json_open(&json, options.json, "halo", name, gpu))
            return 1;
        bench_json_text(&json, "size", options.quick ? "quick" : "full");
        bench_json_rows(&json);
    }
    const size_t found =
        keep_right(ways, count, options.devices ? options.devices : devices, options.quick ? 10 : 1000);
    const bool measured = measure_all(&options, ways, found, devices, options.json ? &json : NULL);
    const bool right = measured && found == count;
    if (!right)
        fprintf(stderr, "something is wrong: see above\n");
    return (!options.json || bench_json_close(&json)) && right ? 0 : 1;
}
