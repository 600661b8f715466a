/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters on images: blurs a picture with a Gaussian and rotates it, each with range kernels and with hierarchical
 * ones, on the device that TW_DEVICES chooses; compares all results with sequential loops in double precision; writes
 * PNG files.
 *
 *     filter [--input FILE.png] [--output DIRECTORY] [--size N] [--sigma PIXELS] [--angle DEGREES] [--benchmark]
 *
 * Exit status: 0, 1 if a result is wrong or something failed, 2 for wrong use.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "filters.h"
#include "picture.h"
#include "plain.h"

static struct {
    const char *input, *output; /* NULL: the test picture; no files */
    size_t size;                /* of the test picture */
    double sigma, angle;        /* the angle in radians */
    bool benchmark;
} options = {.size = 300, .sigma = 2.5, .angle = 0.5};

static const char *const form_names[FILTER_FORMS] = {"range", "hierarchical"};

static void check(tw_status status, const char *what)
{
    if (status == TW_SUCCESS)
        return;
    fprintf(stderr, "filter: %s: %s: %s\n", what, tw_status_name(status), tw_error_detail());
    exit(1);
}

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "filter: no memory\n");
        exit(1);
    }
    return memory;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static void usage(const char *complaint, const char *value)
{
    fprintf(stderr, "filter: %s%s\n", complaint, value);
    exit(2);
}

static double number(const char *name, const char *text, double low, double high)
{
    char *end = NULL;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value >= low && value <= high)) {
        fprintf(stderr, "filter: %s wants a number from %g to %g\n", name, low, high);
        exit(2);
    }
    return value;
}

static void read_options(int count, char **arguments)
{
    for (int i = 1; i < count; ++i) {
        const char *name = arguments[i];
        if (!strcmp(name, "--benchmark")) {
            options.benchmark = true;
            continue;
        }
        if (i + 1 == count)
            usage("wrong or unfinished option ", name);
        const char *value = arguments[++i];
        if (!strcmp(name, "--input"))
            options.input = value;
        else if (!strcmp(name, "--output"))
            options.output = value;
        else if (!strcmp(name, "--size"))
            options.size = (size_t)number(name, value, 1, 16384);
        else if (!strcmp(name, "--sigma"))
            options.sigma = number(name, value, 0.1, FILTER_MAX_RADIUS / 3.0);
        else if (!strcmp(name, "--angle"))
            options.angle = number(name, value, -360, 360) * acos(-1.0) / 180;
        else
            usage("there is no option ", name);
    }
}

/* ---- one result -------------------------------------------------------------------------------------------------- */

static void write_result(const struct picture *picture, const char *name, const char *form)
{
    char path[1024];
    const char *message = NULL;
    if (!options.output)
        return;
    snprintf(path, sizeof path, "%s/%s-%s.png", options.output, name, form);
    if (!picture_write(picture, path, &message)) {
        fprintf(stderr, "filter: %s\n", message);
        exit(1);
    }
}

/* Compares with the reference, whose channels are not rounded. Coordinates and weights in single precision move a
   result by `slack` besides its rounding; `odd` pixels of a thousand may be others, where a coordinate lies on the edge
   of two. */
static bool compare(const struct picture *got, const double *reference, double slack, size_t odd, const char *name,
                    const char *form)
{
    const size_t channels = 4 * got->width * got->height;
    size_t wrong = 0;
    double worst = 0;
    for (size_t i = 0; i < channels; ++i) {
        const double error = fabs(got->pixels[i] - reference[i]);
        wrong += error > 0.5 + slack;
        if (error > worst)
            worst = error;
    }
    const bool right = wrong <= channels / 1000 * odd;
    printf("%-16s %-13s largest error %.3f of 255, %zu channels off: %s\n", name, form, worst, wrong,
           right ? "right" : "WRONG");
    return right;
}

/* ---- filters ----------------------------------------------------------------------------------------------------- */

static tw_image_layout layout_of(const struct picture *picture, tw_channel_type type)
{
    tw_image_layout layout = {.order = TW_RGBA, .type = type, .size = tw_range_2d(picture->height, picture->width)};
    return layout;
}

static bool blur(tw_queue *queue, const struct picture *picture)
{
    const int radius = (int)ceil(3 * options.sigma);
    const size_t channels = 4 * picture->width * picture->height;
    float weights[2 * FILTER_MAX_RADIUS + 1];
    struct picture result;
    double *reference = allocate(2 * channels * sizeof *reference);
    bool right = picture_create(&result, picture->width, picture->height);
    plain_weights(options.sigma, radius, weights);
    plain_blur(picture, reference, reference + channels, weights, radius);
    for (int form = 0; right && form < FILTER_FORMS; ++form) {
        tw_image *in, *between, *out;
        tw_buffer *buffer;
        check(tw_image_create_over_const(picture->pixels, layout_of(picture, TW_UNORM_INT8), &in), "image");
        check(tw_image_create(layout_of(picture, TW_FLOAT), &between), "image");
        check(tw_image_create_over(result.pixels, layout_of(picture, TW_UNORM_INT8), &out), "image");
        check(tw_buffer_create_over_const(weights, sizeof weights[0], tw_range_1d((size_t)(2 * radius + 1)), &buffer),
              "buffer");
        check(filter_blur(queue, (enum filter_form)form, in, between, out, buffer, radius), "blur");
        check(tw_image_destroy(&out), "blur"); /* waits for the kernels; now the pixels are in `result` */
        check(tw_image_destroy(&between), "blur");
        check(tw_image_destroy(&in), "blur");
        check(tw_buffer_destroy(&buffer), "blur");
        right = compare(&result, reference, 0.01, 0, "blur", form_names[form]);
        write_result(&result, "blur", form_names[form]);
    }
    picture_destroy(&result);
    free(reference);
    return right;
}

static bool rotate(tw_queue *queue, const struct picture *picture, tw_filter_mode filter)
{
    const bool linear = filter == TW_FILTER_LINEAR;
    const char *name = linear ? "rotate linear" : "rotate nearest";
    const size_t channels = 4 * picture->width * picture->height;
    const double extent = (double)(picture->width > picture->height ? picture->width : picture->height);
    struct picture result;
    double *reference = allocate(channels * sizeof *reference);
    bool right = picture_create(&result, picture->width, picture->height);
    plain_rotate(picture, reference, options.angle, linear);
    for (int form = 0; right && form < FILTER_FORMS; ++form) {
        tw_image *in, *out;
        check(tw_image_create_over_const(picture->pixels, layout_of(picture, TW_UNORM_INT8), &in), "image");
        check(tw_image_create_over(result.pixels, layout_of(picture, TW_UNORM_INT8), &out), "image");
        check(filter_rotate(queue, (enum filter_form)form, in, out, options.angle, filter), "rotate");
        check(tw_image_destroy(&out), "rotate");
        check(tw_image_destroy(&in), "rotate");
        /* the hardware's filter, and its coordinates, have 8 bits behind the point (image.h) */
        const bool samples = form == FILTER_HIERARCHICAL;
        right = compare(&result, reference, (samples ? 255.0 / 128 : 0.01) + 255 * 8 * 0x1p-24 * extent,
                        linear    ? 0
                        : samples ? 16
                                  : 2,
                        name, form_names[form]);
        write_result(&result, linear ? "linear" : "nearest", form_names[form]);
    }
    picture_destroy(&result);
    free(reference);
    return right;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static double now_ms(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void benchmark(tw_queue *queue, const struct picture *picture, tw_filter_mode filter)
{
    struct picture result;
    tw_image *in, *out;
    double best[FILTER_FORMS + 1] = {1e30, 1e30, 1e30};
    if (!picture_create(&result, picture->width, picture->height))
        return;
    check(tw_image_create_over_const(picture->pixels, layout_of(picture, TW_UNORM_INT8), &in), "image");
    check(tw_image_create(layout_of(picture, TW_UNORM_INT8), &out), "image");
    for (int repeat = 0; repeat < 15; ++repeat)
        for (int way = 0; way <= FILTER_FORMS; ++way) {
            const double start = now_ms();
            if (way == FILTER_FORMS)
                plain_rotate_fast(picture, &result, options.angle, filter == TW_FILTER_LINEAR);
            else
                check(filter_rotate(queue, (enum filter_form)way, in, out, options.angle, filter), "rotate");
            check(tw_queue_wait(queue), "rotate");
            const double taken = now_ms() - start;
            best[way] = taken < best[way] ? taken : best[way];
        }
    printf("rotate %-8s %zu x %zu: range %.3f ms, hierarchical %.3f ms, OpenMP by hand on the CPU %.3f ms; range / by "
           "hand "
           "%.2f\n",
           filter == TW_FILTER_LINEAR ? "linear" : "nearest", picture->width, picture->height, best[FILTER_RANGE],
           best[FILTER_HIERARCHICAL], best[FILTER_FORMS], best[FILTER_RANGE] / best[FILTER_FORMS]);
    check(tw_image_destroy(&out), "rotate");
    check(tw_image_destroy(&in), "rotate");
    picture_destroy(&result);
}

int main(int count, char **arguments)
{
    struct picture picture;
    const char *message = NULL;
    tw_queue *queue = NULL;
    read_options(count, arguments);
    if (options.input) {
        if (!picture_read(&picture, options.input, &message))
            usage(message, "");
    } else {
        if (!picture_create(&picture, options.size, options.size * 3 / 4 + 1))
            usage("no memory", "");
        picture_draw_test(&picture);
    }
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue), "queue");
    printf("%zu x %zu on %s\n", picture.width, picture.height, tw_device_name(tw_queue_device(queue)));
    bool right = blur(queue, &picture);
    right = rotate(queue, &picture, TW_FILTER_NEAREST) && right;
    right = rotate(queue, &picture, TW_FILTER_LINEAR) && right;
    if (options.benchmark) {
        benchmark(queue, &picture, TW_FILTER_NEAREST);
        benchmark(queue, &picture, TW_FILTER_LINEAR);
    }
    check(tw_queue_destroy(&queue), "queue");
    picture_destroy(&picture);
    return right ? 0 : 1;
}
