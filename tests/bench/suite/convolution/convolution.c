/* SPDX-License-Identifier: Apache-2.0 */
/* Random images, and the same filtered in double precision. */
#include "convolution.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RADIUS = CONVOLUTION_RADIUS };

/* Of every pixel inside of the border; neighbours are `step` numbers apart. */
static void filter(const struct convolution *c, const double *in, double *out, size_t step)
{
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < c->side; ++row)
        for (size_t column = 0; column < c->side; ++column) {
            const size_t at = convolution_inside(c) + row * c->pitch + column;
            double sum = in[at] * (double)c->weights.at[0];
            for (size_t d = 1; d <= RADIUS; ++d)
                sum += (in[at - d * step] + in[at + d * step]) * (double)c->weights.at[d];
            out[at] = sum;
        }
}

static bool reference(const struct convolution *c, const float *in, float *out, size_t pixels)
{
    double *image = calloc(pixels, sizeof *image), *rows = calloc(pixels, sizeof *rows);
    const bool enough = image && rows;
    if (enough) {
        for (size_t i = 0; i < pixels; ++i)
            image[i] = (double)in[i];
        filter(c, image, rows, 1);
        filter(c, rows, image, c->pitch);
        memset(out, 0, pixels * sizeof *out);
        for (size_t row = 0; row < c->side; ++row)
            for (size_t column = 0; column < c->side; ++column) {
                const size_t at = convolution_inside(c) + row * c->pitch + column;
                out[at] = (float)image[at];
            }
    } else {
        fprintf(stderr, "no memory for the right result\n");
    }
    free(image);
    free(rows);
    return enough;
}

static void choose_weights(struct convolution_weights *weights)
{
    double sum = 0, w[RADIUS + 1];
    for (int d = 0; d <= RADIUS; ++d) {
        w[d] = exp(-0.5 * d * d / (0.4 * RADIUS * 0.4 * RADIUS));
        sum += d == 0 ? w[d] : 2 * w[d];
    }
    for (int d = 0; d <= RADIUS; ++d)
        weights->at[d] = (float)(w[d] / sum);
}

static bool make(enum suite_size size, struct suite_problem *problem)
{
    struct convolution *c = suite_allocate_data(sizeof *c);
    problem->data = c;
    if (!c)
        return false;
    c->side = size == SUITE_QUICK ? 256 : size == SUITE_CPU ? 2048 : 8192;
    c->pitch = (c->side + 2 * RADIUS + 31) / 32 * 32;
    choose_weights(&c->weights);
    const size_t pixels = (c->side + 2 * RADIUS) * c->pitch, bytes = pixels * sizeof(float);
    float *in = suite_allocate(bytes), *between = suite_allocate(bytes), *out = suite_allocate(bytes);
    float *expected = suite_allocate(bytes);
    c->arrays = (struct suite_arrays){
        .at = {{bytes, in, false}, {bytes, between, false}, {bytes, out, false}}, CONVOLUTION_OUT, expected};
    if (!in || !between || !out || !expected)
        return false;
    memset(in, 0, bytes);
    memset(between, 0, bytes);
    memset(out, 0, bytes);
    uint64_t random = SUITE_SEED;
    for (size_t row = 0; row < c->side; ++row)
        for (size_t column = 0; column < c->side; ++column)
            in[convolution_inside(c) + row * c->pitch + column] = (float)(suite_random(&random) >> 40) * 0x1p-24f;
    const double side = (double)c->side;
    problem->result_bytes = bytes;
    problem->work = (struct suite_work){
        .bytes = 4 * sizeof(float) * side * side, .flops = 2 * (3 * RADIUS + 1) * side * side, .launches = 2};
    snprintf(problem->title, sizeof problem->title, "Gaussian filter of radius %d, %zu x %zu pixels", RADIUS, c->side,
             c->side);
    return reference(c, in, expected, pixels);
}

static bool check(const struct suite_problem *problem, const void *result)
{
    return suite_arrays_close(problem, result, 1e-6);
}

const struct suite_program suite_convolution = {"convolution", "", make, suite_arrays_free, check};
