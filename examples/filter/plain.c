/* SPDX-License-Identifier: Apache-2.0 */
/* The filters by plain loops. */
#include "plain.h"

#include <math.h>
#include <string.h>

void plain_weights(double sigma, int radius, float *weights)
{
    double sum = 0;
    for (int i = -radius; i <= radius; ++i)
        sum += exp(-0.5 * i * i / (sigma * sigma));
    for (int i = -radius; i <= radius; ++i)
        weights[i + radius] = (float)(exp(-0.5 * i * i / (sigma * sigma)) / sum);
}

static long clamp(long i, long low, long high)
{
    return i < low ? low : i > high ? high : i;
}

/* ---- references -------------------------------------------------------------------------------------------------- */

void plain_blur(const struct picture *in, double *out, double *between, const float *weights, int radius)
{
    const long width = (long)in->width, height = (long)in->height;
    for (long y = 0; y < height; ++y)
        for (long x = 0; x < width; ++x)
            for (int c = 0; c < 4; ++c) {
                double sum = 0;
                for (long i = -radius; i <= radius; ++i)
                    sum += (double)weights[i + radius] * in->pixels[4 * (y * width + clamp(x + i, 0, width - 1)) + c];
                between[4 * (y * width + x) + c] = sum;
            }
    for (long y = 0; y < height; ++y)
        for (long x = 0; x < width; ++x)
            for (int c = 0; c < 4; ++c) {
                double sum = 0;
                for (long i = -radius; i <= radius; ++i)
                    sum += (double)weights[i + radius] * between[4 * (clamp(y + i, 0, height - 1) * width + x) + c];
                out[4 * (y * width + x) + c] = sum;
            }
}

/* A channel of a pixel; outside of the picture all is 0. */
static double channel(const struct picture *in, double x, double y, int c)
{
    if (x < 0 || y < 0 || x >= (double)in->width || y >= (double)in->height)
        return 0;
    return in->pixels[4 * ((size_t)y * in->width + (size_t)x) + (size_t)c];
}

static double between(const struct picture *in, double u, double v, int c)
{
    const double x = floor(u - 0.5), y = floor(v - 0.5), a = u - 0.5 - x, b = v - 0.5 - y;
    return (1 - a) * (1 - b) * channel(in, x, y, c) + a * (1 - b) * channel(in, x + 1, y, c)
           + (1 - a) * b * channel(in, x, y + 1, c) + a * b * channel(in, x + 1, y + 1, c);
}

void plain_rotate(const struct picture *in, double *out, double angle, bool linear)
{
    const double width = (double)in->width, height = (double)in->height, cosine = cos(angle), sine = sin(angle);
    for (size_t y = 0; y < in->height; ++y)
        for (size_t x = 0; x < in->width; ++x) {
            const double dx = (double)x + 0.5 - 0.5 * width, dy = (double)y + 0.5 - 0.5 * height;
            const double u = cosine * dx + sine * dy + 0.5 * width, v = cosine * dy - sine * dx + 0.5 * height;
            for (int c = 0; c < 4; ++c)
                out[4 * (y * in->width + x) + (size_t)c] =
                    linear ? between(in, u, v, c) : channel(in, floor(u), floor(v), c);
        }
}

/* ---- fast loops -------------------------------------------------------------------------------------------------- */

struct turn {
    float cosine, sine, middle_x, middle_y;
    int width, height;
};

static void turn_row_nearest(const unsigned char *restrict in, unsigned char *restrict row, struct turn t, int y)
{
    const float dy = (float)y + 0.5f - t.middle_y;
    for (int x = 0; x < t.width; ++x) {
        const float dx = (float)x + 0.5f - t.middle_x;
        const float u = t.cosine * dx + t.sine * dy + t.middle_x, v = t.cosine * dy - t.sine * dx + t.middle_y;
        const int inside = u >= 0 && v >= 0 && u < (float)t.width && v < (float)t.height;
        if (inside)
            memcpy(row + 4 * (size_t)x, in + 4 * ((size_t)(int)v * (size_t)t.width + (size_t)(int)u), 4);
        else
            memset(row + 4 * (size_t)x, 0, 4);
    }
}

/* Pixels outside have no weight. */
static void turn_row_linear(const unsigned char *restrict in, unsigned char *restrict row, struct turn t, int y)
{
    const float dy = (float)y + 0.5f - t.middle_y;
    for (int x = 0; x < t.width; ++x) {
        const float dx = (float)x + 0.5f - t.middle_x;
        float u = t.cosine * dx + t.sine * dy + t.middle_x - 0.5f, v = t.cosine * dy - t.sine * dx + t.middle_y - 0.5f;
        u = u<-2 ? -2 : u>(float) t.width ? (float)t.width : u;
        v = v<-2 ? -2 : v>(float) t.height ? (float)t.height : v;
        const int i = (int)(u + 2) - 2, j = (int)(v + 2) - 2;
        const float a = u - (float)i, b = v - (float)j;
        const float left = i >= 0 && i < t.width ? 1 - a : 0, right = i >= -1 && i + 1 < t.width ? a : 0;
        const float above = j >= 0 && j < t.height ? 1 - b : 0, below = j >= -1 && j + 1 < t.height ? b : 0;
        const size_t i0 = (size_t)clamp(i, 0, t.width - 1), i1 = (size_t)clamp(i + 1, 0, t.width - 1);
        const unsigned char *line0 = in + 4 * (size_t)clamp(j, 0, t.height - 1) * (size_t)t.width;
        const unsigned char *line1 = in + 4 * (size_t)clamp(j + 1, 0, t.height - 1) * (size_t)t.width;
        for (size_t c = 0; c < 4; ++c) {
            const float sum = left * above * line0[4 * i0 + c] + right * above * line0[4 * i1 + c]
                              + left * below * line1[4 * i0 + c] + right * below * line1[4 * i1 + c];
            row[4 * (size_t)x + c] = (unsigned char)(sum + 0.5f);
        }
    }
}

void plain_rotate_fast(const struct picture *in, struct picture *out, double angle, bool linear)
{
    const struct turn t = {(float)cos(angle),        (float)sin(angle), 0.5f * (float)in->width,
                           0.5f * (float)in->height, (int)in->width,    (int)in->height};
    const unsigned char *from = in->pixels;
    unsigned char *to = out->pixels;
#pragma omp parallel for schedule(static) default(none) firstprivate(t, from, to, linear)
    for (int y = 0; y < t.height; ++y) {
        if (linear)
            turn_row_linear(from, to + 4 * (size_t)y * (size_t)t.width, t, y);
        else
            turn_row_nearest(from, to + 4 * (size_t)y * (size_t)t.width, t, y);
    }
}
