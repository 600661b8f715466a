/* SPDX-License-Identifier: Apache-2.0 */
/* Options, pictures, times and checks; and main(). */
#include "run.h"

#include "water.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] = "usage: %s [--cells N | --cells NXxNY] [--steps N] [--every N] [--output FOLDER] [--time]\n"
                            "Drops on a lake: N steps on NX times NY cells, and a picture after every N steps.\n";

void run_initial_heights(const struct run *run, double *h)
{
    static const struct {
        double x, y, radius, height; /* in shares of the basin's sides, of the shorter one, and metres */
    } drops[] = {{0.3, 0.4, 0.06, 2.5}, {0.7, 0.25, 0.04, 1.5}, {0.62, 0.75, 0.09, 1.0}};
    const double nx = (double)run->nx, ny = (double)run->ny, side = smaller(nx, ny);
    for (size_t at = 0; at < plane_size(run->nx, run->ny); ++at)
        h[at] = 1;
    for (size_t j = 0; j < run->ny; ++j)
        for (size_t i = 0; i < run->nx; ++i)
            for (size_t d = 0; d < sizeof drops / sizeof drops[0]; ++d) {
                const double x = ((double)i + 0.5 - drops[d].x * nx) / (drops[d].radius * side);
                const double y = ((double)j + 0.5 - drops[d].y * ny) / (drops[d].radius * side);
                h[cell_at(run->nx, j, i)] += drops[d].height * exp(-x * x - y * y);
            }
}

size_t run_pictures(const struct run *run)
{
    return run->steps / run->every;
}

bool run_wants_picture(const struct run *run, size_t step)
{
    return step % run->every == 0;
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

static unsigned char shade(double value)
{
    return (unsigned char)(255 * smaller(larger(value, 0), 1));
}

/* Blue water, lit from the upper left; PPM, which needs no library. */
static bool draw(const struct run *run, size_t picture, const double *h)
{
    const size_t nx = run->nx, ny = run->ny;
    unsigned char *pixels = malloc(3 * nx * ny);
    if (!pixels) {
        fprintf(stderr, "no memory for a picture\n");
        return false;
    }
    for (size_t j = 0; j < ny; ++j)
        for (size_t i = 0; i < nx; ++i) {
            const size_t at = cell_at(nx, j, i), left = i > 0 ? at - 1 : at, up = j > 0 ? at - row_length(nx) : at;
            const double slope = (h[at] - h[left]) + (h[at] - h[up]), light = 0.5 + 6 * slope / sqrt(1 + slope * slope);
            unsigned char *pixel = pixels + 3 * (j * nx + i);
            pixel[0] = shade(0.5 * light);
            pixel[1] = shade(0.3 * h[at] + 0.5 * light);
            pixel[2] = shade(0.5 + 0.3 * h[at]);
        }
    bool good = true;
    if (run->folder) {
        char name[4096];
        snprintf(name, sizeof name, "%s/water-%04zu.ppm", run->folder, picture);
        FILE *file = fopen(name, "wb");
        good = file && fprintf(file, "P6\n%zu %zu\n255\n", nx, ny) > 0 && fwrite(pixels, 3 * nx, ny, file) == ny;
        good &= file && fclose(file) == 0;
        if (!good)
            perror(name);
    }
    free(pixels);
    return good;
}

static uint64_t bits_of(const double *values, size_t count)
{
    uint64_t bits = 14695981039346656037u;
    for (size_t i = 0; i < count; ++i) {
        uint64_t value;
        memcpy(&value, values + i, sizeof value);
        bits = (bits ^ value) * 1099511628211u;
    }
    return bits;
}

bool run_save(const struct run *run, size_t picture, const double *h, double time, double volume)
{
    struct picture *p = &run->pictures[picture];
    p->time = time;
    p->volume = volume;
    p->bits = 0;
    for (size_t j = 0; j < run->ny; ++j)
        p->bits = p->bits * 31 + bits_of(h + cell_at(run->nx, j, 0), run->nx);
    p->saved = draw(run, picture, h);
    return p->saved;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static double milliseconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

void run_start(struct run *run)
{
    run->start_ms = milliseconds();
}

void run_end(struct run *run)
{
    run->end_ms = milliseconds();
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static bool parse(struct run *run, char **argv)
{
    for (; *argv; ++argv) {
        if (strcmp(*argv, "--time") == 0) {
            run->timed = true;
            continue;
        }
        const char *value = argv[1];
        if (!value)
            return false;
        if (strcmp(*argv, "--output") == 0) {
            run->folder = value;
        } else {
            char *end;
            const size_t number = strtoul(value, &end, 10);
            if (strcmp(*argv, "--cells") == 0) {
                run->nx = run->ny = number;
                if (*end == 'x')
                    run->ny = strtoul(end + 1, &end, 10);
            } else if (strcmp(*argv, "--steps") == 0) {
                run->steps = number;
            } else if (strcmp(*argv, "--every") == 0) {
                run->every = number;
            } else {
                return false;
            }
            if (*end)
                return false;
        }
        ++argv;
    }
    return run->nx >= HALO && run->ny >= HALO && run->nx < 65536 && run->ny < 65536 && run->steps > 0 && run->every > 0;
}

/* Walls let no water through: all of it is there, but for rounding. */
static bool check(const struct run *run)
{
    bool good = true;
    for (size_t p = 0; p < run_pictures(run); ++p) {
        const struct picture *picture = &run->pictures[p];
        if (!picture->saved || !(fabs(picture->volume - run->volume) <= 1e-11 * run->volume)) {
            fprintf(stderr, "picture %zu: %s, %.17g m^3 of %.17g\n", p, picture->saved ? "saved" : "not saved",
                    picture->volume, run->volume);
            good = false;
        }
    }
    return good;
}

int main(int argc, char **argv)
{
    struct run run = {.nx = 192, .ny = 128, .steps = 60, .every = 20};
    if (argc < 1 || !parse(&run, argv + 1)) {
        fprintf(stderr, usage, argc > 0 ? argv[0] : "port");
        return 2;
    }
    if (run.timed)
        run.warm_up = run.every < run.steps ? run.every : 0;
    double *h = malloc(plane_size(run.nx, run.ny) * sizeof *h);
    run.pictures = calloc(run_pictures(&run) + 1, sizeof *run.pictures);
    bool good = h && run.pictures;
    if (good) {
        run_initial_heights(&run, h);
        for (size_t j = 0; j < run.ny; ++j)
            for (size_t i = 0; i < run.nx; ++i)
                run.volume += h[cell_at(run.nx, j, i)];
        good = simulate(&run) && check(&run);
        for (size_t p = 0; p < run_pictures(&run); ++p)
            printf("step %4zu  %.12f s  %016llx\n", (p + 1) * run.every, run.pictures[p].time,
                   (unsigned long long)run.pictures[p].bits);
        if (run.timed)
            printf("%s: %.4f ms per step\n", state_name,
                   (run.end_ms - run.start_ms) / (double)(run.steps - run.warm_up));
    } else {
        fprintf(stderr, "no memory\n");
    }
    free(run.pictures);
    free(h);
    return good ? 0 : 1;
}
