/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over generations: in batches, so that it can stop for images and tell how far it is. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime(), isatty() */
#include "run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "image.h"

static const double terminal_interval = 0.2, log_interval = 10; /* seconds from one line of progress to the next */

struct progress {
    const char *name;
    long generations;
    double shown; /* when */
    bool terminal, open;
};

bool run_check(tw_status status, const char *what)
{
    if (status != TW_SUCCESS)
        fprintf(stderr, "life: %s: %s: %s\n", what, tw_status_name(status), tw_error_detail());
    return status == TW_SUCCESS;
}

void run_name(const tw_queue *queue, char name[RUN_NAME])
{
    const size_t count = tw_queue_device_count(queue);
    snprintf(name, RUN_NAME, count == 1 ? "%.64s" : "%.64s and %zu more", tw_device_name(tw_queue_device(queue)),
             count - 1);
}

double run_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* On a terminal one line that is written over, elsewhere a new line now and then. */
static void show_progress(struct progress *progress, long generation)
{
    const double now = run_clock();
    if (now - progress->shown < (progress->terminal ? terminal_interval : log_interval))
        return;
    printf("%s  %s: generation %ld of %ld%s", progress->terminal ? "\r" : "", progress->name, generation,
           progress->generations, progress->terminal ? "" : "\n");
    fflush(stdout);
    progress->shown = now;
    progress->open = progress->terminal;
}

static void end_progress(struct progress *progress)
{
    if (progress->open)
        printf("\r%*s\r", (int)strlen(progress->name) + 50, "");
}

/* ---- images ----------------------------------------------------------------------------------------------------- */

/* What is drawn during a run. */
struct pictures {
    const struct run_images *wanted;
    const char *name;
    struct image_part part;
    cell_age *ages; /* NULL for black and white */
    struct image *animation;
};

static bool image_failed(const char *path)
{
    fprintf(stderr, "life: cannot write %s: %s\n", path, errno ? strerror(errno) : "libpng failed");
    return false;
}

/* Begins DIRECTORY/life-NAME-`what`.png. */
static struct image *begin_image(const struct pictures *pictures, const char *what, long frames, char path[4096])
{
    const int length =
        snprintf(path, 4096, "%s/life-%s-%s.png", pictures->wanted->options->output, pictures->name, what);
    if (length < 0 || length >= 4096) {
        fprintf(stderr, "life: the name of the output directory is too long\n");
        return NULL;
    }
    struct image *image = image_begin(path, &pictures->part, pictures->ages != NULL, frames);
    if (!image)
        image_failed(path);
    return image;
}

static bool write_image(const struct pictures *pictures, const struct image_source *source, long generation)
{
    char path[4096], what[32];
    snprintf(what, sizeof what, "%ld", generation);
    struct image *image = begin_image(pictures, what, 1, path);
    if (!image)
        return false;
    const bool added = image_add(image, source);
    return (image_end(image) && added) || image_failed(path);
}

static struct image_part part_of(const struct options *options, const struct board_shape *shape)
{
    struct image_part part = {0, 0, shape->rows, shape->columns, options->enlarge, options->shrink};
    if (!options->crop)
        return part;
    part.row = options->crop_row >= 0 ? options->crop_row : (shape->rows - options->crop_rows) / 2;
    part.column = options->crop_column >= 0 ? options->crop_column : (shape->columns - options->crop_columns) / 2;
    part.rows = options->crop_rows;
    part.columns = options->crop_columns;
    return part;
}

/* Frames of an animation from generation `now` on: at the multiples of `every` and at the last one. */
static long count_frames(long now, long last, long every)
{
    return last / every - (now + every - 1) / every + 1 + (last % every != 0);
}

static bool begin_pictures(struct pictures *pictures, struct world *world, const struct board *board, long last)
{
    const struct options *options = pictures->wanted->options;
    char path[4096];
    pictures->part = part_of(options, &world->shape);
    if (options->ages) {
        pictures->ages = malloc(board_bytes(&world->shape) * sizeof *pictures->ages);
        if (!pictures->ages) {
            fprintf(stderr, "life: %s: no memory for the ages\n", pictures->name);
            return false;
        }
        if (!run_check(world_keep_ages(world, board), pictures->name))
            return false;
    }
    if (options->animate_every)
        pictures->animation =
            begin_image(pictures, "animation", count_frames(world->generation, last, options->animate_every), path);
    return pictures->animation || !options->animate_every;
}

static bool end_pictures(struct pictures *pictures)
{
    const bool written = image_end(pictures->animation);
    free(pictures->ages);
    return written;
}

static bool wants_image(const struct run_images *images, long generation, long last)
{
    const struct options *options = images->options;
    for (int i = 0; i < options->image_count; ++i)
        if (options->image_at[i] == generation)
            return true;
    if (options->image_every)
        return generation % options->image_every == 0;
    return images->last && options->image_count == 0 && generation == last;
}

static bool wants_frame(const struct options *options, long generation, long last)
{
    return options->animate_every && (generation % options->animate_every == 0 || generation == last);
}

static long least(long a, long b)
{
    return a < b ? a : b;
}

/* The first generation after `now` that has an image or a frame, or the last. */
static long next_stop(const struct run_images *images, long now, long last)
{
    const struct options *options = images->options;
    long stop = last;
    for (int i = 0; i < options->image_count; ++i)
        if (options->image_at[i] > now)
            stop = least(stop, options->image_at[i]);
    if (options->image_every)
        stop = least(stop - now, options->image_every - now % options->image_every) + now;
    if (options->animate_every)
        stop = least(stop - now, options->animate_every - now % options->animate_every) + now;
    return stop;
}

/* Draws what is wanted of this generation; the board is read if anything is. */
static bool draw(struct pictures *pictures, struct world *world, struct board *board, long last)
{
    const bool image = wants_image(pictures->wanted, world->generation, last);
    const bool frame = wants_frame(pictures->wanted->options, world->generation, last);
    const struct image_source source = {board, pictures->ages};
    if ((image || frame || world->generation >= last) && !run_check(world_read(world, board), pictures->name))
        return false;
    if ((image || frame) && source.ages && !run_check(world_read_ages(world, pictures->ages), pictures->name))
        return false;
    if (frame && !image_add(pictures->animation, &source))
        return image_failed("the animation");
    return !image || write_image(pictures, &source, world->generation);
}

/* Submits and waits for batches of generations up to `stop`. */
static bool advance(struct world *world, enum world_method method, long stop, long *batch, struct progress *progress)
{
    while (world->generation < stop) {
        const double begin = run_clock();
        const long left = stop - world->generation;
        if (!run_check(world_submit(world, method, *batch < left ? *batch : left), progress->name)
            || !run_check(tw_queue_wait(world->queue), progress->name))
            return false;
        if (run_clock() - begin < 0.05 && *batch < 1024) /* until waiting for a batch costs next to nothing */
            *batch *= 2;
        show_progress(progress, world->generation);
    }
    return true;
}

bool run_to(struct world *world, enum world_method method, const char *name, long generations,
            const struct run_images *images, struct board *board)
{
    struct progress progress = {name, generations, run_clock(), isatty(STDOUT_FILENO), false};
    long batch = 16;
    struct pictures pictures = {.wanted = images, .name = name};
    bool well = begin_pictures(&pictures, world, board, generations);
    for (bool last = false; well && !last;) {
        last = world->generation >= generations;
        well = draw(&pictures, world, board, generations);
        if (well && !last)
            well = advance(world, method, next_stop(images, world->generation, generations), &batch, &progress);
    }
    if (!end_pictures(&pictures) && well)
        well = image_failed("the animation");
    end_progress(&progress);
    return well;
}
