/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over generations: in batches, so that it can stop for images and tell how far it is. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime(), isatty() */
#include "run.h"

#include <errno.h>
#include <stdio.h>
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

static bool write_image(const struct board *board, const char *name, long generation, const char *directory)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/life-%s-%ld.png", directory, name, generation);
    if (length < 0 || (size_t)length >= sizeof path) {
        fprintf(stderr, "life: the name of the output directory is too long\n");
        return false;
    }
    if (!image_write(path, board)) {
        fprintf(stderr, "life: cannot write %s: %s\n", path, errno ? strerror(errno) : "libpng failed");
        return false;
    }
    return true;
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

/* The first generation after `now` that has an image, or the last. */
static long next_stop(const struct run_images *images, long now, long last)
{
    const struct options *options = images->options;
    long stop = last;
    for (int i = 0; i < options->image_count; ++i)
        if (options->image_at[i] > now && options->image_at[i] < stop)
            stop = options->image_at[i];
    if (options->image_every) {
        const long left = options->image_every - now % options->image_every;
        if (left < stop - now)
            stop = now + left;
    }
    return stop;
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
    bool well = true;
    for (bool last = false; well && !last;) {
        last = world->generation >= generations;
        const bool image = wants_image(images, world->generation, generations);
        if (image || last)
            well = run_check(world_read(world, board), name);
        if (well && image)
            well = write_image(board, name, world->generation, images->options->output);
        if (well && !last)
            well = advance(world, method, next_stop(images, world->generation, generations), &batch, &progress);
    }
    end_progress(&progress);
    return well;
}
