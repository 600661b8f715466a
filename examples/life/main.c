/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conway's Game of Life: the program's jobs. kernels.c is where the generations are computed, world.c how they follow
 * each other; options.c lists what the program can be asked.
 */
#define _POSIX_C_SOURCE 200809L /* mkdir(), strcasecmp() */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include <teamwork/device.h>
#include <teamwork/queue.h>

#include "bench.h"
#include "options.h"
#include "rle.h"
#include "run.h"
#include "view.h"
#include "world.h"

enum { EXIT_WRONG_USE = 2 };

/* ---- the device ------------------------------------------------------------------------------------------------- */

struct device_kind {
    const char *name;
    tw_device_type type;
    tw_device_selector selector;
};

static const struct device_kind device_kinds[] = {{"host", TW_DEVICE_HOST, tw_host_selector},
                                                  {"gpu", TW_DEVICE_GPU, tw_gpu_selector},
                                                  {"cpu", TW_DEVICE_CPU, tw_cpu_selector},
                                                  {"sim", TW_DEVICE_SIM, tw_sim_selector},
                                                  {"accelerator", TW_DEVICE_ACCELERATOR, NULL}};

/* Splits KIND[:N]; nth is -1 without N. Returns NULL, after a line on stderr, for what is no device. */
static const struct device_kind *parse_device(const char *text, long *nth)
{
    const char *colon = strchr(text, ':');
    const size_t length = colon ? (size_t)(colon - text) : strlen(text);
    char *end = NULL;
    *nth = colon ? strtol(colon + 1, &end, 10) : -1;
    const bool number = !colon || (colon[1] >= '0' && colon[1] <= '9' && *end == '\0' && *nth < 1 << 16);
    for (size_t i = 0; number && i < sizeof device_kinds / sizeof *device_kinds; ++i)
        if (strlen(device_kinds[i].name) == length && strncasecmp(device_kinds[i].name, text, length) == 0)
            return &device_kinds[i];
    fprintf(stderr, "life: --device wants host, gpu, cpu, sim or accelerator, with :N if it likes, not \"%s\"\n", text);
    return NULL;
}

static tw_status open_nth(tw_device_type type, size_t nth, tw_queue **queue)
{
    size_t count = 0;
    tw_status status = tw_get_devices(type, NULL, 0, &count);
    if (status != TW_SUCCESS)
        return status;
    tw_device **devices = calloc(count + 1, sizeof *devices);
    if (!devices)
        return TW_ERROR_OUT_OF_MEMORY;
    status = tw_get_devices(type, devices, count, &count);
    if (status == TW_SUCCESS)
        status = nth < count ? tw_queue_create_on_device(devices[nth], NULL, NULL, queue) : TW_ERROR_NO_DEVICE;
    free(devices);
    return status;
}

/* Opens a queue on the device that was asked for, or on the best one. NULL after a line on stderr. */
static tw_queue *open_queue(const struct device_kind *kind, long nth)
{
    tw_queue *queue = NULL;
    tw_status status;
    if (kind && (nth >= 0 || !kind->selector))
        status = open_nth(kind->type, nth < 0 ? 0 : (size_t)nth, &queue);
    else
        status = tw_queue_create(kind ? kind->selector : NULL, NULL, NULL, NULL, &queue);
    if (status == TW_ERROR_NO_DEVICE && kind)
        fprintf(stderr, "life: there is no device %s:%ld\n", kind->name, nth < 0 ? 0 : nth);
    else
        run_check(status, "no queue");
    return queue;
}

/* Opens a queue over all devices, all GPUs, or the first of them. NULL after a line on stderr. */
static tw_queue *open_queue_over(const struct options *options)
{
    tw_device *devices[OPTIONS_MAX_DEVICES];
    tw_queue *queue = NULL;
    size_t count = 0;
    tw_status status =
        tw_get_devices(options->gpus ? TW_DEVICE_GPU : TW_DEVICE_ALL, devices, (size_t)options->devices, &count);
    if (status == TW_SUCCESS && count == 0)
        fprintf(stderr, "life: --devices: there are none\n");
    else if (status == TW_SUCCESS)
        status = tw_queue_create_over(devices, count < (size_t)options->devices ? count : (size_t)options->devices, 0,
                                      NULL, NULL, &queue);
    run_check(status, "no queue");
    return queue;
}

/* ---- patterns --------------------------------------------------------------------------------------------------- */

/* Reads a pattern; a line on stderr says where it is wrong. */
static bool read_pattern(const char *path, struct rle_pattern *pattern)
{
    struct rle_error error;
    if (rle_read_file(path, pattern, &error))
        return true;
    if (error.line)
        fprintf(stderr, "life: %s:%d:%d: %s\n", path, error.line, error.column, error.message);
    else
        fprintf(stderr, "life: %s: %s\n", path, error.message);
    return false;
}

/* The file's name without directory and ".rle". */
static void name_of(const char *path, char name[64])
{
    const char *slash = strrchr(path, '/');
    snprintf(name, 64, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot && strcmp(dot, ".rle") == 0)
        *dot = '\0';
}

/* ---- verification ----------------------------------------------------------------------------------------------- */

/*
 * Patterns whose fate is known. Outside of the board everything is dead, so the board must be so large that nothing
 * reaches its edge. What travels are gliders, one cell diagonally in four generations: in 1103 generations at most 276
 * cells, where the R-pentomino has 512 from the middle to the edge; in 5206 generations 1302, where the acorn has 1536.
 * The rest is room for the ashes around the middle that gliders start from. That it was enough is checked as well: a
 * glider that ran into the edge would have left a block there. The nd_range kernel, slow on a CPU, runs the first
 * hundred generations only.
 */
static const struct fate {
    unsigned which; /* VERIFY_* */
    const char *name, *path;
    int side;
    long generation, population;
    enum world_method method;
    bool image; /* of the last board, unless the options ask for others */
} fates[] = {{VERIFY_RPENTOMINO, "rpentomino", LIFE_PATTERN_DIR "/rpentomino.rle", 1024, 1103, 116, WORLD_TILES, true},
             {VERIFY_RPENTOMINO, "rpentomino", LIFE_PATTERN_DIR "/rpentomino.rle", 1024, 1103, 116, WORLD_CELLS, false},
             {VERIFY_RPENTOMINO, "rpentomino", LIFE_PATTERN_DIR "/rpentomino.rle", 256, 100, 121, WORLD_ITEMS, false},
             {VERIFY_ACORN, "acorn", LIFE_PATTERN_DIR "/acorn.rle", 3072, 5206, 633, WORLD_TILES, false}};

/* How far the live cells stay away from the edge of the board. */
static int distance_to_edge(const struct board *board)
{
    const struct board_box box = board_live_box(board);
    const int above = box.first_row, below = board->shape.rows - box.past_row;
    const int left = box.first_column, right = board->shape.columns - box.past_column;
    const int vertical = above < below ? above : below, horizontal = left < right ? left : right;
    return vertical < horizontal ? vertical : horizontal;
}

/* Runs one pattern and compares what comes out. */
static bool verify_one(tw_queue *queue, const struct fate *fate, const struct rle_pattern *pattern,
                       const struct run_images *images)
{
    enum { LEAST_DISTANCE = 8 };
    static const char *const kernels[] = {
        [WORLD_TILES] = "hierarchical", [WORLD_CELLS] = "range", [WORLD_ITEMS] = "nd_range"};
    const double begin = run_clock();
    struct board board = board_create(fate->side, fate->side);
    struct world world = {0};
    bool well = board.cells != NULL;
    if (!well)
        fprintf(stderr, "life: %s: no memory for the board\n", fate->name);
    if (well) {
        board_place(&board, pattern->cells, pattern->rows, pattern->columns);
        well = run_check(world_create(&world, queue, &board), fate->name)
               && run_to(&world, fate->method, fate->name, fate->generation, images, &board);
    }
    if (well) {
        const long population = board_population(&board);
        const int distance = distance_to_edge(&board);
        well = population == fate->population && distance >= LEAST_DISTANCE;
        printf("%s on %d x %d, %s: %ld live cells at generation %ld, %d cells or more from the edge; expected %ld:"
               " %s (%.2f s)\n",
               fate->name, fate->side, fate->side, kernels[fate->method], population, fate->generation, distance,
               fate->population, well ? "PASS" : "FAIL", run_clock() - begin);
        fflush(stdout);
    }
    world_destroy(&world);
    board_free(&board);
    return well;
}

static int verify(tw_queue *queue, const struct options *options)
{
    const struct options no_images = {.output = options->output, .enlarge = 1, .shrink = 1};
    struct options main_job = *options; /* which draws if the command line does not say what */
    const bool draws = options->job == JOB_ALL && !options->image_every && !options->image_count
                       && !options->animate_every && !options->ages;
    if (draws) {
        main_job.ages = main_job.crop = true;
        main_job.crop_columns = 320;
        main_job.crop_rows = 240;
        main_job.crop_row = main_job.crop_column = -1;
        main_job.enlarge = 2;
        main_job.animate_every = 8;
    }
    bool well = true;
    for (size_t i = 0; i < sizeof fates / sizeof *fates; ++i) {
        const struct fate *fate = &fates[i];
        struct rle_pattern pattern;
        if (!(options->verify & fate->which))
            continue;
        if (!read_pattern(fate->path, &pattern))
            return EXIT_WRONG_USE;
        const bool first = i == 0 || fates[i - 1].which != fate->which; /* the others would write the same images */
        const struct run_images images = {!first                 ? &no_images
                                          : draws && fate->image ? &main_job
                                                                 : options,
                                          fate->image};
        well = verify_one(queue, fate, &pattern, &images) && well;
        if (draws && fate->image)
            printf("  %s/life-%s-%ld.png is its last board, life-%s-animation.png the way there, for a browser\n",
                   options->output, fate->name, fate->generation, fate->name);
        rle_free(&pattern);
    }
    return well ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- a pattern or a random board -------------------------------------------------------------------------------- */

/* Pictures that are enlarged without need take hours, and the disk. */
static bool check_pictures(const struct options *options, int rows, int columns)
{
    enum { MOST_SIDE = 32768 };
    const long height = (options->crop ? options->crop_rows : rows) * (long)options->enlarge;
    const long width = (options->crop ? options->crop_columns : columns) * (long)options->enlarge;
    if (options->enlarge == 1 || (height <= MOST_SIDE && width <= MOST_SIDE))
        return true;
    fprintf(stderr, "life: --scale: pictures of %ld x %ld pixels have more than %d a side: take less, or --crop\n",
            width, height, MOST_SIDE);
    return false;
}

/* The board to start from: the pattern in its middle, or random cells. Exit status, with a line on stderr. */
static int make_board(const struct options *options, struct board *board, char name[64])
{
    enum { DEFAULT_SIDE = 512, ROOM = 64 };
    struct rle_pattern pattern = {0, 0, NULL};
    int rows = options->rows ? options->rows : DEFAULT_SIDE, columns = options->rows ? options->columns : DEFAULT_SIDE;
    if (options->pattern) {
        if (!read_pattern(options->pattern, &pattern))
            return EXIT_WRONG_USE;
        if (!options->rows) {
            rows = pattern.rows + ROOM > rows ? pattern.rows + ROOM : rows;
            columns = pattern.columns + ROOM > columns ? pattern.columns + ROOM : columns;
        }
        if (pattern.rows > rows || pattern.columns > columns || rows > BOARD_MAX_SIDE || columns > BOARD_MAX_SIDE) {
            fprintf(stderr, "life: %s: the pattern, %d x %d, does not fit a board of %d x %d\n", options->pattern,
                    pattern.columns, pattern.rows, columns, rows);
            rle_free(&pattern);
            return EXIT_WRONG_USE;
        }
    }
    if (options->crop
        && (options->crop_columns + (options->crop_column > 0 ? options->crop_column : 0) > columns
            || options->crop_rows + (options->crop_row > 0 ? options->crop_row : 0) > rows)) {
        fprintf(stderr, "life: --crop: the part is not on the board of %d x %d\n", columns, rows);
        rle_free(&pattern);
        return EXIT_WRONG_USE;
    }
    if (!check_pictures(options, rows, columns)) {
        rle_free(&pattern);
        return EXIT_WRONG_USE;
    }
    *board = board_create(rows, columns);
    if (!board->cells) {
        fprintf(stderr, "life: no memory for a board of %d x %d\n", columns, rows);
    } else if (options->pattern) {
        board_place(board, pattern.cells, pattern.rows, pattern.columns);
        name_of(options->pattern, name);
    } else {
        board_randomize(board, 1);
        snprintf(name, 64, "random");
    }
    rle_free(&pattern);
    return board->cells ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run(tw_queue *queue, const struct options *options, struct board *board, const char *name)
{
    const long generations = options->generations >= 0 ? options->generations : 1000;
    const struct run_images images = {options, true};
    struct world world = {0};
    bool well = run_check(world_create(&world, queue, board), name);
    if (well && options->view) {
        well = view_run(&world, board);
    } else if (well) {
        const double begin = run_clock();
        well = run_to(&world, WORLD_TILES, name, generations, &images, board);
        if (well)
            printf("%s on %d x %d: %ld live cells at generation %ld (%.2f s)\n", name, board->shape.columns,
                   board->shape.rows, board_population(board), world.generation, run_clock() - begin);
    }
    world_destroy(&world);
    return well ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- main ------------------------------------------------------------------------------------------------------- */

/* All that can be wrong with the request is looked at before the first device is. Exit status. */
static int prepare(const struct options *options, struct board *board, char name[64])
{
    if (options->view && !view_is_built()) {
        fprintf(stderr, "life: --view: this program was built without SDL2: install libsdl2-dev and build it again,"
                        " as `sh examples/run.sh --view` does\n");
        return EXIT_WRONG_USE;
    }
    if (options->job == JOB_BENCHMARK)
        return EXIT_SUCCESS;
    struct stat about;
    if (mkdir(options->output, 0777) != 0 && (stat(options->output, &about) != 0 || !S_ISDIR(about.st_mode))) {
        fprintf(stderr, "life: --output %s: %s\n", options->output,
                errno == EEXIST ? "there is a file of that name" : strerror(errno));
        return EXIT_WRONG_USE;
    }
    return options->job == JOB_PATTERN || options->job == JOB_RANDOM ? make_board(options, board, name) : EXIT_SUCCESS;
}

static int do_job(tw_queue *queue, const struct options *options, struct board *board, const char *name)
{
    char devices[RUN_NAME];
    run_name(queue, devices);
    printf("Life on %s\n", devices);
    if (options->job == JOB_PATTERN || options->job == JOB_RANDOM)
        return run(queue, options, board, name);
    int status = EXIT_SUCCESS;
    if (options->job != JOB_BENCHMARK)
        status = verify(queue, options);
    if (options->job == JOB_ALL)
        puts("");
    if (options->job != JOB_VERIFY && !bench_run(queue, options->rows, options->columns) && status == EXIT_SUCCESS)
        status = EXIT_FAILURE;
    return status;
}

/* Returns the exit status: what was printed may not have been written, as to a full disk. */
static int flush_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    perror("life: the standard output");
    return status == EXIT_SUCCESS ? EXIT_FAILURE : status;
}

int main(int argc, char **argv)
{
    struct options options;
    struct board board = {0};
    char name[64] = "";
    long nth = -1;
    const struct device_kind *kind = NULL;

    if (!options_parse(argc, argv, &options))
        return EXIT_WRONG_USE;
    if (options.job == JOB_HELP) {
        options_help();
        return flush_output(EXIT_SUCCESS);
    }
    if (options.device && !(kind = parse_device(options.device, &nth)))
        return EXIT_WRONG_USE;
    int status = prepare(&options, &board, name);
    if (status == EXIT_SUCCESS) {
        tw_queue *queue = options.devices ? open_queue_over(&options) : open_queue(kind, nth);
        status = queue ? do_job(queue, &options, &board, name) : EXIT_FAILURE;
        if (queue && !run_check(tw_queue_destroy(&queue), "the queue"))
            status = EXIT_FAILURE;
    }
    board_free(&board);
    return flush_output(status);
}
