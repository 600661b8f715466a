/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The measurements. All contenders run in this process on boards of the same layout that stay where they are computed:
 * turn by turn, so that what disturbs the machine disturbs all of them, and the median of several rounds counts. Before
 * that, each computes the same generations from the same board, and every byte must agree.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline.h"
#include "run.h"
#include "world.h"

enum contender { TEAMWORK_TILES, TEAMWORK_ITEMS, TEAMWORK_CELLS, OPENMP_TILES, OPENMP_FLAT, CONTENDERS };
static const char *const contender_names[] = {"Teamwork hierarchical", "Teamwork nd_range", "Teamwork range",
                                              "OpenMP in tiles", "OpenMP"};

enum {
    ROUNDS = 9,
    CHECK_GENERATIONS = 64,
    ITEMS_MAX_SIDE =
        2048, /* of boards with the nd_range kernel on a CPU, where it takes ten times as long as the others */
    GENERATIONS_A_WAIT = 1000 /* Teamwork only: OpenMP waits after each, as its directives do */
};
static const double measurement_seconds = 0.07;

/* One board size. The Teamwork kernels share a world, the two OpenMP versions share a baseline. */
struct bench {
    tw_queue *queue;
    struct board start, compared;
    struct world world;
    struct baseline baseline;
    int device; /* of the baseline */
};

static bool takes_part(const struct bench *bench, enum contender contender)
{
    const bool host = bench->device == BASELINE_ON_HOST;
    if (contender == TEAMWORK_ITEMS)
        return !host || (bench->start.shape.rows <= ITEMS_MAX_SIDE && bench->start.shape.columns <= ITEMS_MAX_SIDE);
    return contender != OPENMP_TILES || host;
}

static bool fail(const char *message, const struct board_shape *shape)
{
    fprintf(stderr, "life: benchmark on %d x %d: %s\n", shape->columns, shape->rows, message);
    return false;
}

/* Computes generations and waits for them. */
static bool compute(struct bench *bench, enum contender contender, long generations)
{
    if (contender == OPENMP_FLAT || contender == OPENMP_TILES) {
        baseline_run(&bench->baseline, contender == OPENMP_FLAT ? BASELINE_FLAT : BASELINE_TILED, generations);
        return true;
    }
    const enum world_method method = contender == TEAMWORK_TILES   ? WORLD_TILES
                                     : contender == TEAMWORK_ITEMS ? WORLD_ITEMS
                                                                   : WORLD_CELLS;
    for (long left = generations; left > 0; left -= GENERATIONS_A_WAIT) {
        const long batch = left < GENERATIONS_A_WAIT ? left : GENERATIONS_A_WAIT;
        if (!run_check(world_submit(&bench->world, method, batch), contender_names[contender])
            || !run_check(tw_queue_wait(bench->queue), contender_names[contender]))
            return false;
    }
    return true;
}

/* ---- agreement -------------------------------------------------------------------------------------------------- */

/* Everything anew from the start board. */
static bool restart(struct bench *bench)
{
    world_destroy(&bench->world);
    baseline_destroy(&bench->baseline);
    return run_check(world_create(&bench->world, bench->queue, &bench->start), "benchmark")
           && (baseline_create(&bench->baseline, &bench->start, bench->device)
               || fail("no memory for the OpenMP version", &bench->start.shape));
}

static bool read_board(struct bench *bench, enum contender contender, struct board *board)
{
    if (contender == OPENMP_FLAT || contender == OPENMP_TILES)
        return baseline_read(&bench->baseline, board) || fail("no copy from the device", &bench->start.shape);
    return run_check(world_read(&bench->world, board), contender_names[contender]);
}

/* Whether all contenders compute what OPENMP_FLAT does. Leaves world and baseline ready to go on. */
static bool check_agreement(struct bench *bench)
{
    struct board expected = board_create(bench->start.shape.rows, bench->start.shape.columns);
    bool well = expected.cells != NULL || fail("no memory", &bench->start.shape);
    well = well && restart(bench) && compute(bench, OPENMP_FLAT, CHECK_GENERATIONS)
           && read_board(bench, OPENMP_FLAT, &expected);
    for (int c = 0; well && c < OPENMP_FLAT; ++c) {
        if (!takes_part(bench, (enum contender)c))
            continue;
        well = restart(bench) && compute(bench, (enum contender)c, CHECK_GENERATIONS)
               && read_board(bench, (enum contender)c, &bench->compared);
        if (well && !board_equal(&bench->compared, &expected)) {
            fprintf(stderr, "life: %s disagrees with OpenMP on %d x %d after %d generations\n", contender_names[c],
                    expected.shape.columns, expected.shape.rows, CHECK_GENERATIONS);
            well = false;
        }
    }
    board_free(&expected);
    return well;
}

/* ---- measurement ------------------------------------------------------------------------------------------------ */

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How many generations a contender computes in the time of one measurement; 0 if that failed. */
static long calibrate(struct bench *bench, enum contender contender)
{
    for (long generations = 1;; generations *= 2) {
        const double begin = run_clock();
        if (!compute(bench, contender, generations))
            return 0;
        const double seconds = run_clock() - begin;
        if (seconds > measurement_seconds / 2) {
            const long fitting = (long)((double)generations * measurement_seconds / seconds);
            return fitting > 1 ? fitting : 1;
        }
    }
}

/* Median seconds of a generation for each contender; 0 for those that do not take part. */
static bool measure(struct bench *bench, double median[CONTENDERS])
{
    long generations[CONTENDERS] = {0};
    double seconds[CONTENDERS][ROUNDS];
    for (int c = 0; c < CONTENDERS; ++c) {
        median[c] = 0;
        if (takes_part(bench, (enum contender)c) && !(generations[c] = calibrate(bench, (enum contender)c)))
            return false;
    }
    for (int round = 0; round < ROUNDS; ++round)
        for (int c = 0; c < CONTENDERS; ++c) {
            const double begin = run_clock();
            if (generations[c] && !compute(bench, (enum contender)c, generations[c]))
                return false;
            seconds[c][round] = generations[c] ? (run_clock() - begin) / (double)generations[c] : 0;
        }
    for (int c = 0; c < CONTENDERS; ++c) {
        qsort(seconds[c], ROUNDS, sizeof(double), compare_doubles);
        median[c] = seconds[c][ROUNDS / 2];
    }
    return true;
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

static void print_head(tw_queue *queue, bool gpu)
{
    char devices[RUN_NAME];
    run_name(queue, devices);
    printf("Speed on %s, in 10^9 cells a second. Medians of %d rounds of about %.2f s, the contenders in turns;\n"
           "Teamwork waits after every %d generations, OpenMP after each. Each size: the same board, %d generations "
           "after a\n"
           "random one. The ratios are to OpenMP's version with tiles, if there is one, and without.\n\n",
           devices, ROUNDS, measurement_seconds, GENERATIONS_A_WAIT, CHECK_GENERATIONS);
    printf("%13s | %12s %10s %10s | %10s %10s | %12s %10s %10s\n", "", "Teamwork", "", "", "OpenMP", "", "hierarchical",
           "nd_range", "range");
    printf("%13s | %12s %10s %10s | %10s %10s | %12s %10s %10s\n", "board", "hierarchical", "nd_range", "range",
           gpu ? "" : "tiles", gpu ? "collapsed" : "simd loops", gpu ? "/ OpenMP" : "/ OMP tiles",
           gpu ? "/ OpenMP" : "/ OMP tiles", "/ OpenMP");
}

/* A number, or a dash for who did not take part. */
static const char *number(char text[16], double value, int digits)
{
    if (value > 0)
        snprintf(text, 16, "%.*f", digits, value);
    else
        strcpy(text, "-");
    return text;
}

static void print_row(const struct board_shape *shape, const double median[CONTENDERS])
{
    const double cells = 1e-9 * shape->rows * shape->columns;
    const double peer = median[OPENMP_TILES] > 0 ? median[OPENMP_TILES] : median[OPENMP_FLAT];
    const double items = median[TEAMWORK_ITEMS];
    char size[24], text[3][16];
    snprintf(size, sizeof size, "%d x %d", shape->columns, shape->rows);
    printf("%13s | %12.3f %10s %10.3f | %10s %10.3f | %12.2f %10s %10.2f\n", size, cells / median[TEAMWORK_TILES],
           number(text[0], items > 0 ? cells / items : 0, 3), cells / median[TEAMWORK_CELLS],
           number(text[1], median[OPENMP_TILES] > 0 ? cells / median[OPENMP_TILES] : 0, 3), cells / median[OPENMP_FLAT],
           peer / median[TEAMWORK_TILES], number(text[2], items > 0 ? peer / items : 0, 2),
           median[OPENMP_FLAT] / median[TEAMWORK_CELLS]);
    fflush(stdout);
}

static bool bench_size(tw_queue *queue, int device, int rows, int columns)
{
    struct bench bench = {.queue = queue, .device = device};
    bench.baseline.device = device;
    bench.start = board_create(rows, columns);
    bench.compared = board_create(rows, columns);
    bool well = (bench.start.cells && bench.compared.cells) || fail("no memory", &bench.start.shape);
    if (well) {
        board_randomize(&bench.start, 1);
        well = check_agreement(&bench);
    }
    if (well) {
        double median[CONTENDERS];
        well = measure(&bench, median);
        if (well)
            print_row(&bench.start.shape, median);
    }
    world_destroy(&bench.world);
    baseline_destroy(&bench.baseline);
    board_free(&bench.start);
    board_free(&bench.compared);
    return well;
}

/* Where OpenMP runs: on the same GPU; for every other kind of device the host's own loops are what a programmer would
   write instead. */
static int baseline_device(tw_queue *queue)
{
    tw_device *gpus[16];
    size_t count = 0;
    if (!tw_device_is_gpu(tw_queue_device(queue))
        || tw_get_devices(TW_DEVICE_GPU, gpus, sizeof gpus / sizeof *gpus, &count) != TW_SUCCESS)
        return BASELINE_ON_HOST;
    int nth = 0;
    while (nth < (int)count && nth < 16 && gpus[nth] != tw_queue_device(queue))
        ++nth;
    const int device = baseline_find_gpu(nth);
    if (device < 0)
        fprintf(stderr, "life: OpenMP does not reach the GPU: its version runs on the host\n");
    return device < 0 ? BASELINE_ON_HOST : device;
}

bool bench_run(tw_queue *queue, int rows, int columns)
{
    static const int sides[] = {100, 48, 1024, 8192};
    const int device = baseline_device(queue);
    print_head(queue, device != BASELINE_ON_HOST);
    if (rows)
        return bench_size(queue, device, rows, columns);
    bool well = true;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; ++i)
        well = bench_size(queue, device, sides[i], sides[i]) && well;
    return well;
}
