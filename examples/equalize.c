/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equalizes the histogram of a picture: clouds in fog, whose grey values lie close together, are spread over all values.
 * A histogram counts how many pixels have each value, a scan how many have at most that value, and a kernel gives each
 * pixel its share of all of them. The host sees the picture alone, in the end.
 *
 *     equalize [FILE.png [WIDTH]]     writes both pictures side by side, where it is built with libpng
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <teamwork/algorithms.h>
#include <teamwork/teamwork.h>

#ifdef EQUALIZE_PNG
#include <png.h>
#endif

enum { VALUES = 256, OCTAVES = 7, ONE = 1 << 10 };

TW_HISTOGRAM_EVEN(count_values, unsigned char, unsigned);
TW_SCAN(add_counts, unsigned, tw_plus);

/* ---- the picture ------------------------------------------------------------------------------------------------- */

/* A random number below 1024 for a point of a lattice. */
static inline unsigned lattice(unsigned x, unsigned y, unsigned octave)
{
    unsigned h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ octave * 0xc2b2ae3du;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return h >> 22;
}

/* From 0 to ONE, without an edge at either end. */
static inline unsigned smooth(unsigned u)
{
    return u * u / ONE * (3 * ONE - 2 * u) / ONE;
}

/* What lies between points of the lattice, which are `cell` pixels apart. */
static inline unsigned noise(unsigned x, unsigned y, unsigned cell, unsigned octave)
{
    const unsigned i = x / cell, j = y / cell;
    const unsigned u = smooth(x % cell * ONE / cell), v = smooth(y % cell * ONE / cell);
    const unsigned above = lattice(i, j, octave) * (ONE - u) + lattice(i + 1, j, octave) * u;
    const unsigned below = lattice(i, j + 1, octave) * (ONE - u) + lattice(i + 1, j + 1, octave) * u;
    return (above / ONE * (ONE - v) + below / ONE * v) / ONE;
}

/* Clouds in fog: nearly all values are between 90 and 160. */
static inline unsigned char grey_at(unsigned x, unsigned y)
{
    unsigned sum = 0;
    for (unsigned octave = 0; octave < OCTAVES; ++octave)
        sum += noise(x, y, 128u >> octave, octave) >> octave;
    return (unsigned char)(60 + sum / 16);
}

struct draw {
    unsigned char *pixels;
};
static inline void draw(tw_item item, const struct draw *k)
{
    const size_t y = tw_global_id(item, 0), x = tw_global_id(item, 1);
    k->pixels[y * tw_global_range(item, 1) + x] = grey_at((unsigned)x, (unsigned)y);
}
TW_RANGE_KERNEL(draw, 2);

/* ---- its equalization -------------------------------------------------------------------------------------------- */

/* The new value of a pixel, of which `at_most` have the same or a darker one; `darkest` have the darkest. */
static inline unsigned char spread(unsigned at_most, unsigned darkest, unsigned pixels)
{
    return pixels > darkest
               ? (unsigned char)((unsigned long long)(at_most - darkest) * (VALUES - 1) / (pixels - darkest))
               : 0;
}

struct equalize {
    const unsigned char *in;
    const unsigned *counts, *at_most;
    unsigned char *out;
};
static inline void equalize(tw_item item, const struct equalize *k)
{
    const size_t i = tw_global_id(item, 0);
    unsigned darkest = 0;
    for (unsigned value = 0; value < VALUES && !darkest; ++value)
        darkest = k->counts[value];
    k->out[i] = spread(k->at_most[k->in[i]], darkest, (unsigned)tw_global_range(item, 0));
}
TW_RANGE_KERNEL(equalize, 1);

static void check(tw_status status)
{
    if (status != TW_SUCCESS) {
        fprintf(stderr, "equalize: %s: %s\n", tw_status_name(status), tw_error_detail());
        exit(1);
    }
}

static void submit_all(tw_queue *queue, tw_buffer *picture, tw_buffer *equalized, size_t width, size_t height)
{
    const size_t pixels = width * height;
    tw_buffer *counts, *at_most;
    check(tw_buffer_create(sizeof(unsigned), tw_range_1d(VALUES), &counts));
    check(tw_buffer_create(sizeof(unsigned), tw_range_1d(VALUES), &at_most));

    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_2d(height, width), draw, .pixels = tw_discard_write(cg, picture));
    check(tw_queue_submit(queue, cg, NULL));

    cg = tw_queue_begin(queue);
    count_values(cg, tw_read(cg, picture), pixels, VALUES, 0, VALUES, tw_discard_write(cg, counts));
    check(tw_queue_submit(queue, cg, NULL));

    cg = tw_queue_begin(queue);
    add_counts_inclusive(cg, tw_read(cg, counts), VALUES, tw_discard_write(cg, at_most));
    check(tw_queue_submit(queue, cg, NULL));

    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(pixels), equalize, .in = tw_read(cg, picture), .counts = tw_read(cg, counts),
                    .at_most = tw_read(cg, at_most), .out = tw_discard_write(cg, equalized));
    check(tw_queue_submit(queue, cg, NULL));
    check(tw_buffer_destroy(&counts));
    check(tw_buffer_destroy(&at_most));
}

/* ---- on the host ------------------------------------------------------------------------------------------------- */

/* Prints how many values pixels have, and from which to which nine tenths of them go. */
static void describe(const char *name, const unsigned char *pixels, size_t count)
{
    size_t counts[VALUES] = {0}, below = 0;
    unsigned low = 0, high = VALUES - 1;
    for (size_t i = 0; i < count; ++i)
        ++counts[pixels[i]];
    while (below + counts[low] <= count / 20)
        below += counts[low++];
    for (below = 0; below + counts[high] <= count / 20; --high)
        below += counts[high];
    printf("%-10s nine tenths of all pixels have values from %u to %u\n", name, low, high);
}

static bool is_right(const unsigned char *in, const unsigned char *out, size_t width, size_t height)
{
    const size_t count = width * height;
    unsigned at_most[VALUES] = {0}, darkest = 0;
    for (size_t i = 0; i < count; ++i)
        ++at_most[in[i]];
    for (unsigned value = 0; value < VALUES && !darkest; ++value)
        darkest = at_most[value];
    for (unsigned value = 1; value < VALUES; ++value)
        at_most[value] += at_most[value - 1];
    for (size_t i = 0; i < count; ++i)
        if (in[i] != grey_at((unsigned)(i % width), (unsigned)(i / width))
            || out[i] != spread(at_most[in[i]], darkest, (unsigned)count)) {
            fprintf(stderr, "equalize: pixel %zu is %u, and becomes %u\n", i, in[i], out[i]);
            return false;
        }
    return true;
}

static bool write_png(const char *path, const unsigned char *in, const unsigned char *out, size_t width, size_t height)
{
#ifdef EQUALIZE_PNG
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)(2 * width),
                     .height = (png_uint_32)height,
                     .format = PNG_FORMAT_GRAY};
    unsigned char *both = malloc(2 * width * height);
    for (size_t i = 0; both && i < width * height; ++i) {
        both[i / width * 2 * width + i % width] = in[i];
        both[i / width * 2 * width + width + i % width] = out[i];
    }
    const bool is_written = both && png_image_write_to_file(&png, path, 0, both, 0, NULL);
    if (!is_written)
        fprintf(stderr, "equalize: %s: %s\n", path, both ? png.message : "no memory");
    free(both);
    return is_written;
#else
    (void)in, (void)out, (void)width, (void)height;
    fprintf(stderr, "equalize: %s: built without libpng: install libpng-dev and build again\n", path);
    return false;
#endif
}

int main(int argc, char **argv)
{
    const long given = argc > 2 ? strtol(argv[2], NULL, 10) : 600;
    if (argc > 3 || given < 1 || given > 20000) {
        fprintf(stderr, "usage: equalize [FILE.png [WIDTH]], of 1 to 20000 pixels\n");
        return 1;
    }
    const size_t width = (size_t)given, height = (width * 2 + 2) / 3, count = width * height;
    unsigned char *in = malloc(count), *out = malloc(count);
    if (!in || !out) {
        fprintf(stderr, "equalize: no memory\n");
        return 1;
    }
    tw_queue *queue;
    tw_buffer *picture, *equalized;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    check(tw_buffer_create_over(in, 1, tw_range_1d(count), &picture));
    check(tw_buffer_create_over(out, 1, tw_range_1d(count), &equalized));
    submit_all(queue, picture, equalized, width, height);
    check(tw_buffer_destroy(&picture)); /* waits; the pixels are in `in` and `out` then */
    check(tw_buffer_destroy(&equalized));
    check(tw_queue_destroy(&queue));

    bool right = is_right(in, out, width, height);
    describe("before:", in, count);
    describe("after:", out, count);
    if (right && argc > 1)
        right = write_png(argv[1], in, out, width, height);
    free(in);
    free(out);
    return !right;
}
