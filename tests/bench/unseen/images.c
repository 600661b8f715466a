/* SPDX-License-Identifier: Apache-2.0 */
/* Images: medians, cosine transform, histograms, erosion. unseen.h says how programs are written. */
#include <math.h>
#include <string.h>

#include <teamwork/atomic.h>

#include "unseen.h"

struct pixel {
    unsigned char r, g, b, a;
};

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

UNSEEN_TEAMWORK(median_teamwork, tw_parallel_for_nd_range, unseen_2d(d->n[1], d->n[0], 8, 16), median3, .in = d->in[0],
                .out = d->out[0], .width = d->n[0], .height = d->n[1])

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

/* ---- erosion: the least of 5 x 5 pixels, a tile with its halo; the size of groups is the launch's ---------------- */

enum { EROSION = 16, EDGE = 2, EROSION_TILE = EROSION + 2 * EDGE };

struct erosion {
    const unsigned char *in;
    unsigned char *out;
    int width, height;
};

static inline int within(int x, int end)
{
    return x < 0 ? 0 : x >= end ? end - 1 : x;
}

static inline void erosion(tw_group group, const struct erosion *k)
{
    TW_LOCAL(unsigned char, tile, [EROSION_TILE][EROSION_TILE]);
    const int y0 = (int)tw_group_id(group, 0) * EROSION, x0 = (int)tw_group_id(group, 1) * EROSION;
    tw_parallel_for_work_item_range(group, item, tw_range_2d(EROSION_TILE, EROSION_TILE)) {
        const int ty = (int)tw_local_id(item, 0), tx = (int)tw_local_id(item, 1);
        tile[ty][tx] = k->in[within(y0 + ty - EDGE, k->height) * k->width + within(x0 + tx - EDGE, k->width)];
    }
    tw_parallel_for_work_item(group, item) {
        const int ty = (int)tw_local_id(item, 0), tx = (int)tw_local_id(item, 1), y = y0 + ty, x = x0 + tx;
        if (y < k->height && x < k->width) {
            unsigned char least = 255;
            for (int j = 0; j <= 2 * EDGE; ++j)
                for (int i = 0; i <= 2 * EDGE; ++i)
                    if (tile[ty + j][tx + i] < least)
                        least = tile[ty + j][tx + i];
            k->out[y * k->width + x] = least;
        }
    }
}
TW_WORK_GROUP_KERNEL(erosion);

static void erosion_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const tw_range groups =
        tw_range_2d((size_t)(d->n[1] + EROSION - 1) / EROSION, (size_t)(d->n[0] + EROSION - 1) / EROSION);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, groups, tw_range_2d(EROSION, EROSION), erosion, .in = d->in[0], .out = d->out[0],
                               .width = d->n[0], .height = d->n[1]);
    unseen_submit(queue, cg);
}

static unsigned char eroded(const unsigned char *const rows[2 * EDGE + 1], int x, int width)
{
    unsigned char least = 255;
    for (int j = 0; j <= 2 * EDGE; ++j)
        for (int i = -EDGE; i <= EDGE; ++i) {
            const unsigned char value = rows[j][within(x + i, width)];
            least = value < least ? value : least;
        }
    return least;
}

static void erosion_openmp(const struct unseen_data *d)
{
    const unsigned char *in = d->in[0];
    unsigned char *out = d->out[0];
    const int width = d->n[0], height = d->n[1];
#pragma omp parallel for
    for (int y = 0; y < height; ++y) {
        const unsigned char *rows[2 * EDGE + 1];
        for (int j = 0; j <= 2 * EDGE; ++j)
            rows[j] = in + within(y + j - EDGE, height) * width;
        for (int x = 0; x < EDGE; ++x) {
            out[y * width + x] = eroded(rows, x, width);
            out[y * width + width - 1 - x] = eroded(rows, width - 1 - x, width);
        }
#pragma omp simd
        for (int x = EDGE; x < width - EDGE; ++x) {
            unsigned char least = 255;
            for (int j = 0; j <= 2 * EDGE; ++j)
                for (int i = -EDGE; i <= EDGE; ++i)
                    least = rows[j][x + i] < least ? rows[j][x + i] : least;
            out[y * width + x] = least;
        }
    }
}

static void erosion_prepare(struct unseen_problem *p, bool quick)
{
    const int width = p->data.n[0] = quick ? 101 : 4001, height = p->data.n[1] = quick ? 80 : 3000;
    p->data.in[0] = unseen_bytes((size_t)width * (size_t)height);
    unseen_add_output(p, UNSEEN_BYTES, (size_t)width * (size_t)height, 0, NULL);
}

const struct unseen_program unseen_images[] = {
    {"median3", "median of 3 x 3 bytes", median_prepare, median_teamwork, median_openmp},
    {"dct8x8", "cosine transform, hierarchical", dct_prepare, dct_teamwork, dct_openmp},
    {"histogram_rgb", "three histograms in local memory", histogram_prepare, histogram_teamwork, histogram_openmp},
    {"erosion", "least of 5 x 5 bytes, hierarchical, groups of any size", erosion_prepare, erosion_teamwork,
     erosion_openmp},
    {NULL, NULL, NULL, NULL, NULL}};
