/* SPDX-License-Identifier: Apache-2.0 */
/* Images: edges, medians, cosine transform, scaling, histograms, the Mandelbrot set. unseen.h says how programs are
   written here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/atomic.h>

#include "unseen.h"

struct pixel {
    unsigned char r, g, b, a;
};

/* ---- sobel: gradients of RGBA pixels, the margin stays black ----------------------------------------------------- */

struct picture {
    const struct pixel *in;
    struct pixel *out;
    int width, height;
};

struct float4 {
    float x, y, z, w;
};

static inline struct float4 pixel_to_float(struct pixel p)
{
    return (struct float4){(float)p.r, (float)p.g, (float)p.b, (float)p.a};
}

static inline struct float4 weighted(struct float4 sum, float weight, struct pixel p)
{
    const struct float4 f = pixel_to_float(p);
    return (struct float4){sum.x + weight * f.x, sum.y + weight * f.y, sum.z + weight * f.z, sum.w + weight * f.w};
}

static inline unsigned char magnitude(float x, float y)
{
    const float m = sqrtf(x * x + y * y) / 2;
    return (unsigned char)(m > 255 ? 255 : m);
}

static inline void sobel_at(const struct picture *k, int x, int y)
{
    const int w = k->width, c = y * w + x;
    if (x < 1 || x >= w - 1 || y < 1 || y >= k->height - 1) {
        k->out[c] = (struct pixel){0, 0, 0, 0};
        return;
    }
    struct float4 gx = {0, 0, 0, 0}, gy = {0, 0, 0, 0};
    for (int i = -1; i <= 1; ++i) {
        gx = weighted(gx, i == 0 ? 2 : 1, k->in[c + i * w + 1]);
        gx = weighted(gx, i == 0 ? -2 : -1, k->in[c + i * w - 1]);
        gy = weighted(gy, i == 0 ? 2 : 1, k->in[c + w + i]);
        gy = weighted(gy, i == 0 ? -2 : -1, k->in[c - w + i]);
    }
    k->out[c] =
        (struct pixel){magnitude(gx.x, gy.x), magnitude(gx.y, gy.y), magnitude(gx.z, gy.z), magnitude(gx.w, gy.w)};
}

static inline void sobel(tw_nd_item item, const struct picture *k)
{
    const int y = (int)tw_global_id(item, 0), x = (int)tw_global_id(item, 1);
    if (x < k->width && y < k->height)
        sobel_at(k, x, y);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(picture) sobel);

static void sobel_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_2d(d->n[1], d->n[0], 16, 16), sobel, .in = d->in[0], .out = d->out[0],
                             .width = d->n[0], .height = d->n[1]);
    unseen_submit(queue, cg);
}

static void sobel_openmp(const struct unseen_data *d)
{
    const struct picture k = {d->in[0], d->out[0], d->n[0], d->n[1]};
#pragma omp parallel for
    for (int y = 0; y < k.height; ++y) {
        sobel_at(&k, 0, y);
#pragma omp simd
        for (int x = 1; x < k.width - 1; ++x)
            sobel_at(&k, x, y);
        sobel_at(&k, k.width - 1, y);
    }
}

static void picture_prepare(struct unseen_problem *p, int width, int height, int out_width, int out_height)
{
    p->data.n[0] = width;
    p->data.n[1] = height;
    p->data.n[2] = out_width;
    p->data.n[3] = out_height;
    p->data.in[0] = unseen_bytes((size_t)width * (size_t)height * sizeof(struct pixel));
    unseen_add_output(p, UNSEEN_BYTES, (size_t)out_width * (size_t)out_height * sizeof(struct pixel), 0.02, NULL);
}

static void sobel_prepare(struct unseen_problem *p, bool quick)
{
    const int width = quick ? 101 : 1920, height = quick ? 80 : 1080;
    picture_prepare(p, width, height, width, height);
}

/* ---- resize: bilinear, the output's pixels look up four of the input's ------------------------------------------- */

struct resize {
    const struct pixel *in;
    struct pixel *out;
    int width, height, out_width, out_height;
};

static inline unsigned char mixed(float a, float b, float c, float d, float fx, float fy)
{
    const float top = a + (b - a) * fx, bottom = c + (d - c) * fx;
    return (unsigned char)(top + (bottom - top) * fy + 0.5f);
}

static inline struct pixel resize_at(const struct resize *k, int x, int y)
{
    const float sx = ((float)x + 0.5f) * (float)k->width / (float)k->out_width - 0.5f;
    const float sy = ((float)y + 0.5f) * (float)k->height / (float)k->out_height - 0.5f;
    const float ix = floorf(sx), iy = floorf(sy), fx = sx - ix, fy = sy - iy;
    const int x0 = (int)ix < 0 ? 0 : (int)ix, y0 = (int)iy < 0 ? 0 : (int)iy;
    const int x1 = (int)ix + 1 > k->width - 1 ? k->width - 1 : (int)ix + 1;
    const int y1 = (int)iy + 1 > k->height - 1 ? k->height - 1 : (int)iy + 1;
    const struct float4 a = pixel_to_float(k->in[y0 * k->width + x0]), b = pixel_to_float(k->in[y0 * k->width + x1]);
    const struct float4 c = pixel_to_float(k->in[y1 * k->width + x0]), d = pixel_to_float(k->in[y1 * k->width + x1]);
    return (struct pixel){mixed(a.x, b.x, c.x, d.x, fx, fy), mixed(a.y, b.y, c.y, d.y, fx, fy),
                          mixed(a.z, b.z, c.z, d.z, fx, fy), mixed(a.w, b.w, c.w, d.w, fx, fy)};
}

static inline void resize(tw_nd_item item, const struct resize *k)
{
    const int x = (int)tw_global_id(item, 1), y = (int)tw_global_id(item, 0);
    if (x >= k->out_width || y >= k->out_height)
        return;
    k->out[y * k->out_width + x] = resize_at(k, x, y);
}
TW_ND_RANGE_KERNEL(resize, 8, 32);

static void resize_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_2d(d->n[3], d->n[2], 8, 32), resize, .in = d->in[0], .out = d->out[0],
                             .width = d->n[0], .height = d->n[1], .out_width = d->n[2], .out_height = d->n[3]);
    unseen_submit(queue, cg);
}

static void resize_openmp(const struct unseen_data *d)
{
    const struct resize k = {d->in[0], d->out[0], d->n[0], d->n[1], d->n[2], d->n[3]};
#pragma omp parallel for
    for (int y = 0; y < k.out_height; ++y)
#pragma omp simd
        for (int x = 0; x < k.out_width; ++x)
            k.out[y * k.out_width + x] = resize_at(&k, x, y);
}

static void resize_prepare(struct unseen_problem *p, bool quick)
{
    if (quick)
        picture_prepare(p, 64, 50, 101, 77);
    else
        picture_prepare(p, 1280, 720, 1920, 1080);
}

/* ---- median3: exchanges in a private array, clamped at the border ------------------------------------------------ */

struct median {
    const unsigned char *in;
    unsigned char *out;
    int width, height;
};

static inline void exchange(unsigned char *a, unsigned char *b)
{
    const unsigned char low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low;
    *b = high;
}

static inline int clamped(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

static inline unsigned char median_of_9(unsigned char v[9])
{
    exchange(&v[1], &v[2]), exchange(&v[4], &v[5]), exchange(&v[7], &v[8]);
    exchange(&v[0], &v[1]), exchange(&v[3], &v[4]), exchange(&v[6], &v[7]);
    exchange(&v[1], &v[2]), exchange(&v[4], &v[5]), exchange(&v[7], &v[8]);
    exchange(&v[0], &v[3]), exchange(&v[5], &v[8]), exchange(&v[4], &v[7]);
    exchange(&v[3], &v[6]), exchange(&v[1], &v[4]), exchange(&v[2], &v[5]);
    exchange(&v[4], &v[7]), exchange(&v[4], &v[2]), exchange(&v[6], &v[4]);
    exchange(&v[4], &v[2]);
    return v[4];
}

static inline void median3(tw_nd_item item, const struct median *k)
{
    const int x = (int)tw_global_id(item, 1), y = (int)tw_global_id(item, 0);
    if (x >= k->width || y >= k->height)
        return;
    unsigned char v[9];
    int n = 0;
    for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i)
            v[n++] = k->in[clamped(y + j, 0, k->height - 1) * k->width + clamped(x + i, 0, k->width - 1)];
    k->out[y * k->width + x] = median_of_9(v);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(median) median3);

static void median_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_2d(d->n[1], d->n[0], 8, 16), median3, .in = d->in[0], .out = d->out[0],
                             .width = d->n[0], .height = d->n[1]);
    unseen_submit(queue, cg);
}

static inline unsigned char median_of_rows(const unsigned char *const r[3], int a, int x, int b)
{
    unsigned char v[9] = {r[0][a], r[0][x], r[0][b], r[1][a], r[1][x], r[1][b], r[2][a], r[2][x], r[2][b]};
    return median_of_9(v);
}

static void median_openmp(const struct unseen_data *d)
{
    const unsigned char *in = d->in[0];
    unsigned char *out = d->out[0];
    const int width = d->n[0], height = d->n[1];
#pragma omp parallel for
    for (int y = 0; y < height; ++y) {
        const unsigned char *r[3] = {in + clamped(y - 1, 0, height - 1) * width, in + y * width,
                                     in + clamped(y + 1, 0, height - 1) * width};
        out[y * width] = median_of_rows(r, 0, 0, 1);
#pragma omp simd
        for (int x = 1; x < width - 1; ++x)
            out[y * width + x] = median_of_rows(r, x - 1, x, x + 1);
        out[y * width + width - 1] = median_of_rows(r, width - 2, width - 1, width - 1);
    }
}

static void median_prepare(struct unseen_problem *p, bool quick)
{
    const int width = p->data.n[0] = quick ? 101 : 3001, height = p->data.n[1] = quick ? 80 : 2400;
    p->data.in[0] = unseen_bytes((size_t)width * (size_t)height);
    unseen_add_output(p, UNSEEN_BYTES, (size_t)width * (size_t)height, 0, NULL);
}

/* ---- dct8x8: hierarchical, a block of the image for each group --------------------------------------------------- */

enum { DCT = 8 };

struct dct {
    const float *in, *basis; /* basis[k][n] */
    float *out;
    int width;
};

static inline void dct8x8(tw_group group, const struct dct *k)
{
    TW_LOCAL(float, block, [DCT][DCT]);
    TW_LOCAL(float, half, [DCT][DCT]);
    tw_parallel_for_work_item(group, item) {
        block[tw_local_id(item, 0)][tw_local_id(item, 1)] =
            k->in[(int)tw_global_id(item, 0) * k->width + (int)tw_global_id(item, 1)];
    }
    tw_parallel_for_work_item(group, item) {
        const int y = (int)tw_local_id(item, 0), x = (int)tw_local_id(item, 1);
        float sum = 0;
        for (int i = 0; i < DCT; ++i)
            sum += k->basis[x * DCT + i] * block[y][i];
        half[y][x] = sum;
    }
    tw_parallel_for_work_item(group, item) {
        const int y = (int)tw_local_id(item, 0), x = (int)tw_local_id(item, 1);
        float sum = 0;
        for (int i = 0; i < DCT; ++i)
            sum += k->basis[y * DCT + i] * half[i][x];
        k->out[(int)tw_global_id(item, 0) * k->width + (int)tw_global_id(item, 1)] = sum;
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(dct) dct8x8, DCT, DCT);

static void dct_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const size_t groups = (size_t)d->n[0] / DCT;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_2d(groups, groups), tw_range_2d(DCT, DCT), dct8x8, .in = d->in[0],
                               .basis = d->in[1], .out = d->out[0], .width = d->n[0]);
    unseen_submit(queue, cg);
}

static void dct_block(const float *in, float *out, const float *basis, const float *transposed, int width)
{
    float half[DCT][DCT];
    for (int y = 0; y < DCT; ++y)
#pragma omp simd
        for (int x = 0; x < DCT; ++x) {
            float sum = 0;
            for (int i = 0; i < DCT; ++i)
                sum += transposed[i * DCT + x] * in[y * width + i];
            half[y][x] = sum;
        }
    for (int y = 0; y < DCT; ++y)
#pragma omp simd
        for (int x = 0; x < DCT; ++x) {
            float sum = 0;
            for (int i = 0; i < DCT; ++i)
                sum += basis[y * DCT + i] * half[i][x];
            out[y * width + x] = sum;
        }
}

static void dct_openmp(const struct unseen_data *d)
{
    const float *in = d->in[0], *basis = d->in[1];
    float *out = d->out[0], transposed[DCT * DCT];
    const int n = d->n[0];
    for (int i = 0; i < DCT * DCT; ++i)
        transposed[i] = basis[i % DCT * DCT + i / DCT];
#pragma omp parallel for
    for (int y = 0; y < n; y += DCT)
        for (int x = 0; x < n; x += DCT)
            dct_block(in + y * n + x, out + y * n + x, basis, transposed, n);
}

static void dct_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 64 : 3072;
    float *basis = unseen_floats(DCT * DCT, 0, 1);
    for (int i = 0; i < DCT * DCT; ++i)
        basis[i] =
            (i < DCT ? 0.35355339f : 0.5f) * cosf(3.14159265f / (2 * DCT) * (float)((2 * (i % DCT) + 1) * (i / DCT)));
    p->data.in[0] = unseen_floats((size_t)n * (size_t)n, -128, 127);
    p->data.in[1] = basis;
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)n * (size_t)n, 1e-4, NULL);
}

/* ---- histogram_rgb: three channels by atomics in local memory, then in global memory ----------------------------- */

enum { BINS = 256 };

struct histogram_rgb {
    const struct pixel *in;
    unsigned *bins;
    int count;
    tw_local_memory memory;
};

static inline void histogram_rgb(tw_nd_item item, const struct histogram_rgb *k)
{
    unsigned *local = tw_local_data(item, k->memory);
    const int t = (int)tw_local_id(item, 0), size = (int)tw_local_range(item, 0);
    for (int i = t; i < 3 * BINS; i += size)
        local[i] = 0;
    tw_barrier(item, TW_LOCAL_SPACE);
    for (int i = (int)tw_global_id(item, 0); i < k->count; i += (int)tw_global_range(item, 0)) {
        const struct pixel p = k->in[i];
        tw_atomic_fetch_add(&local[p.r], 1);
        tw_atomic_fetch_add(&local[BINS + p.g], 1);
        tw_atomic_fetch_add(&local[2 * BINS + p.b], 1);
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    for (int i = t; i < 3 * BINS; i += size)
        tw_atomic_fetch_add(&k->bins[i], local[i]);
}
TW_ND_RANGE_KERNEL(histogram_rgb);

static void histogram_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_queue_memset(queue, d->out[0], 0, 3 * BINS * sizeof(unsigned), NULL);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(64 * 256, 256), histogram_rgb, .in = d->in[0], .bins = d->out[0],
                             .count = d->n[0], .memory = tw_local(cg, 3 * BINS * sizeof(unsigned)));
    unseen_submit(queue, cg);
}

static void histogram_openmp(const struct unseen_data *d)
{
    const struct pixel *in = d->in[0];
    unsigned bins[3 * BINS] = {0};
#pragma omp parallel for reduction(+ : bins)
    for (int i = 0; i < d->n[0]; ++i) {
        ++bins[in[i].r];
        ++bins[BINS + in[i].g];
        ++bins[2 * BINS + in[i].b];
    }
    memcpy(d->out[0], bins, sizeof bins);
}

static void histogram_prepare(struct unseen_problem *p, bool quick)
{
    const int count = p->data.n[0] = quick ? 40000 : 6000000;
    p->data.in[0] = unseen_bytes((size_t)count * sizeof(struct pixel));
    unseen_add_output(p, UNSEEN_INTS, 3 * BINS, 0, NULL);
}

/* ---- mandelbrot_color: escape times, then a colour --------------------------------------------------------------- */

struct mandelbrot_color {
    struct pixel *out;
    int width, height, limit;
    float left, top, scale;
};

static inline struct pixel mandelbrot_at(const struct mandelbrot_color *k, int px, int py)
{
    const float cx = k->left + k->scale * (float)px, cy = k->top + k->scale * (float)py;
    float x = 0, y = 0;
    int i = 0;
    while (x * x + y * y <= 4 && i < k->limit) {
        const float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++i;
    }
    if (i == k->limit)
        return (struct pixel){0, 0, 0, 255};
    return (struct pixel){(unsigned char)(i * 7), (unsigned char)(i * 3), (unsigned char)(255 - i), 255};
}

static inline void mandelbrot_color(tw_nd_item item, const struct mandelbrot_color *k)
{
    const int x = (int)tw_global_id(item, 1), y = (int)tw_global_id(item, 0);
    if (x >= k->width || y >= k->height)
        return;
    k->out[y * k->width + x] = mandelbrot_at(k, x, y);
}
TW_ND_RANGE_KERNEL(mandelbrot_color, 16, 16);

static void mandelbrot_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_2d(d->n[0], d->n[0], 16, 16), mandelbrot_color, .out = d->out[0],
                             .width = d->n[0], .height = d->n[0], .limit = 200, .left = -2, .top = -1.25f,
                             .scale = 2.5f / (float)d->n[0]);
    unseen_submit(queue, cg);
}

static void mandelbrot_openmp(const struct unseen_data *d)
{
    const int n = d->n[0];
    const struct mandelbrot_color k = {d->out[0], n, n, 200, -2, -1.25f, 2.5f / (float)n};
#pragma omp parallel for schedule(dynamic, 4)
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x)
            k.out[y * n + x] = mandelbrot_at(&k, x, y);
}

static void mandelbrot_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 60 : 500;
    const size_t bytes = (size_t)n * (size_t)n * sizeof(struct pixel);
    unseen_add_output(p, UNSEEN_BYTES, bytes, 0, NULL);
    p->outputs[0].may_differ = bytes / 250; /* 653 of 250000 points move by fmaf() on the host */
}

const struct unseen_program unseen_images[] = {
    {"sobel", "gradients of RGBA pixels", sobel_prepare, sobel_teamwork, sobel_openmp},
    {"resize", "bilinear, RGBA pixels", resize_prepare, resize_teamwork, resize_openmp},
    {"median3", "median of 3 x 3 bytes", median_prepare, median_teamwork, median_openmp},
    {"dct8x8", "cosine transform, hierarchical", dct_prepare, dct_teamwork, dct_openmp},
    {"histogram_rgb", "three histograms in local memory", histogram_prepare, histogram_teamwork, histogram_openmp},
    {"mandelbrot_color", "escape times in groups of 16 x 16", mandelbrot_prepare, mandelbrot_teamwork,
     mandelbrot_openmp},
    {NULL, NULL, NULL, NULL, NULL}};
