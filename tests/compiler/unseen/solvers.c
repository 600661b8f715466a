/* SPDX-License-Identifier: Apache-2.0 */
/* Dense and banded systems, and transforms: LU in blocks, Gaussian elimination, cyclic reduction, FFT. unseen.h says
   how programs are written here. */
#include <math.h>
#include <string.h>

#include "unseen.h"

/* ---- lud: LU decomposition in blocks, three kernels for each step ------------------------------------------------ */

enum { LUD = 16 };

struct lud {
    float *m;
    int n, offset;
};

static inline void lud_diagonal(tw_nd_item item, const struct lud *k)
{
    TW_LOCAL(float, shadow, [LUD][LUD]);
    const int tx = (int)tw_local_id(item, 0);
    int at = k->offset * k->n + k->offset;
    for (int i = 0; i < LUD; ++i) {
        shadow[i][tx] = k->m[at + tx];
        at += k->n;
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    for (int i = 0; i < LUD - 1; ++i) {
        if (tx > i) {
            for (int j = 0; j < i; ++j)
                shadow[tx][i] -= shadow[tx][j] * shadow[j][i];
            shadow[tx][i] /= shadow[i][i];
        }
        tw_barrier(item, TW_LOCAL_SPACE);
        if (tx > i)
            for (int j = 0; j < i + 1; ++j)
                shadow[i + 1][tx] -= shadow[i + 1][j] * shadow[j][tx];
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    at = (k->offset + 1) * k->n + k->offset;
    for (int i = 1; i < LUD; ++i) {
        k->m[at + tx] = shadow[i][tx];
        at += k->n;
    }
}
TW_ND_RANGE_KERNEL(TW_BLOCK(lud) lud_diagonal, LUD);

/* The first half of a group has a block of the row, the other one a block of the column. */
static inline void lud_perimeter(tw_nd_item item, const struct lud *k)
{
    TW_LOCAL(float, dia, [LUD][LUD]);
    TW_LOCAL(float, row, [LUD][LUD]);
    TW_LOCAL(float, col, [LUD][LUD]);
    const int tx = (int)tw_local_id(item, 0), bx = (int)tw_group_id(item, 0) + 1, n = k->n;
    const int i0 = k->offset;
    if (tx < LUD) {
        for (int i = 0; i < LUD / 2; ++i)
            dia[i][tx] = k->m[(i0 + i) * n + i0 + tx];
        for (int i = 0; i < LUD; ++i)
            row[i][tx] = k->m[(i0 + i) * n + i0 + bx * LUD + tx];
    } else {
        const int x = tx - LUD;
        for (int i = LUD / 2; i < LUD; ++i)
            dia[i][x] = k->m[(i0 + i) * n + i0 + x];
        for (int i = 0; i < LUD; ++i)
            col[i][x] = k->m[(i0 + bx * LUD + i) * n + i0 + x];
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    if (tx < LUD) {
        for (int i = 1; i < LUD; ++i)
            for (int j = 0; j < i; ++j)
                row[i][tx] -= dia[i][j] * row[j][tx];
    } else {
        const int x = tx - LUD;
        for (int i = 0; i < LUD; ++i) {
            for (int j = 0; j < i; ++j)
                col[x][i] -= col[x][j] * dia[j][i];
            col[x][i] /= dia[i][i];
        }
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    if (tx < LUD) {
        for (int i = 1; i < LUD; ++i)
            k->m[(i0 + i) * n + i0 + bx * LUD + tx] = row[i][tx];
    } else {
        const int x = tx - LUD;
        for (int i = 0; i < LUD; ++i)
            k->m[(i0 + bx * LUD + i) * n + i0 + x] = col[i][x];
    }
}
TW_ND_RANGE_KERNEL(TW_BLOCK(lud) lud_perimeter, 2 * LUD);

static inline void lud_internal(tw_nd_item item, const struct lud *k)
{
    TW_LOCAL(float, row, [LUD][LUD]);
    TW_LOCAL(float, col, [LUD][LUD]);
    const int ty = (int)tw_local_id(item, 0), tx = (int)tw_local_id(item, 1), n = k->n;
    const int y0 = k->offset + ((int)tw_group_id(item, 0) + 1) * LUD,
              x0 = k->offset + ((int)tw_group_id(item, 1) + 1) * LUD;
    row[ty][tx] = k->m[(k->offset + ty) * n + x0 + tx];
    col[ty][tx] = k->m[(y0 + ty) * n + k->offset + tx];
    tw_barrier(item, TW_LOCAL_SPACE);
    float sum = 0;
    for (int i = 0; i < LUD; ++i)
        sum += col[ty][i] * row[i][tx];
    k->m[(y0 + ty) * n + x0 + tx] -= sum;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(lud) lud_internal, LUD, LUD);

static void lud_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const int n = d->n[0];
    for (int offset = 0; offset < n; offset += LUD) {
        const int left = (n - offset) / LUD - 1;
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, unseen_1d(LUD, LUD), lud_diagonal, .m = d->out[0], .n = n, .offset = offset);
        unseen_submit(queue, cg);
        if (left == 0)
            break;
        cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, unseen_1d(left * 2 * LUD, 2 * LUD), lud_perimeter, .m = d->out[0], .n = n,
                                 .offset = offset);
        unseen_submit(queue, cg);
        cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, unseen_2d(left * LUD, left * LUD, LUD, LUD), lud_internal, .m = d->out[0], .n = n,
                                 .offset = offset);
        unseen_submit(queue, cg);
    }
}

static void lud_openmp(const struct unseen_data *d)
{
    float *m = d->out[0];
    const int n = d->n[0];
    for (int i = 0; i < n; ++i) {
#pragma omp parallel for
        for (int y = i + 1; y < n; ++y) {
            const float factor = m[y * n + i] / m[i * n + i];
            m[y * n + i] = factor;
#pragma omp simd
            for (int x = i + 1; x < n; ++x)
                m[y * n + x] -= factor * m[i * n + x];
        }
    }
}

static float *dominant_matrix(int n)
{
    float *m = unseen_floats((size_t)n * (size_t)n, -1, 1);
    for (int i = 0; i < n; ++i)
        m[i * n + i] = (float)n;
    return m;
}

static void lud_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 64 : 1024;
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)n * (size_t)n, 1e-3, dominant_matrix(n));
}

/* ---- gaussian: elimination column by column ---------------------------------------------------------------------- */

struct gaussian {
    float *m, *a, *b;
    int n, t;
};

static inline void gaussian_factors(tw_nd_item item, const struct gaussian *k)
{
    const int i = (int)tw_global_id(item, 0);
    if (i >= k->n - 1 - k->t)
        return;
    k->m[k->n * (i + k->t + 1) + k->t] = k->a[k->n * (i + k->t + 1) + k->t] / k->a[k->n * k->t + k->t];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(gaussian) gaussian_factors);

static inline void gaussian_rows(tw_nd_item item, const struct gaussian *k)
{
    const int x = (int)tw_global_id(item, 0), y = (int)tw_global_id(item, 1), n = k->n, t = k->t;
    if (x >= n - 1 - t)
        return;
    if (y >= n - t)
        return;
    k->a[n * (x + 1 + t) + y + t] -= k->m[n * (x + 1 + t) + t] * k->a[n * t + y + t];
    if (y == 0)
        k->b[x + 1 + t] -= k->m[n * (x + 1 + t) + y + t] * k->b[t];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(gaussian) gaussian_rows);

static void gaussian_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const int n = d->n[0];
    for (int t = 0; t < n - 1; ++t) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, unseen_1d(n, 256), gaussian_factors, .m = d->out[0], .a = d->out[1],
                                 .b = d->out[2], .n = n, .t = t);
        unseen_submit(queue, cg);
        cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, unseen_2d(n - t, n - t, 4, 64), gaussian_rows, .m = d->out[0], .a = d->out[1],
                                 .b = d->out[2], .n = n, .t = t);
        unseen_submit(queue, cg);
    }
}

static void gaussian_openmp(const struct unseen_data *d)
{
    float *m = d->out[0], *a = d->out[1], *b = d->out[2];
    const int n = d->n[0];
    for (int t = 0; t < n - 1; ++t) {
#pragma omp parallel for
        for (int y = t + 1; y < n; ++y) {
            const float factor = m[n * y + t] = a[n * y + t] / a[n * t + t];
#pragma omp simd
            for (int x = t; x < n; ++x)
                a[n * y + x] -= factor * a[n * t + x];
            b[y] -= factor * b[t];
        }
    }
}

static void gaussian_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 50 : 600;
    const size_t count = (size_t)n * (size_t)n;
    unseen_add_output(p, UNSEEN_FLOATS, count, 1e-3,
                      memset(unseen_memory(count * sizeof(float)), 0, count * sizeof(float)));
    unseen_add_output(p, UNSEEN_FLOATS, count, 1e-3, dominant_matrix(n));
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)n, 1e-3, unseen_floats((size_t)n, -1, 1));
}

/* ---- pcr: parallel cyclic reduction, a tridiagonal system for each group ----------------------------------------- */

struct pcr {
    const float *a, *b, *c, *d;
    float *x;
    int n; /* equations of a system, and work-items of a group */
    tw_local_memory memory;
};

static inline void pcr(tw_nd_item item, const struct pcr *k)
{
    float *a = tw_local_data(item, k->memory), *b = a + k->n, *c = b + k->n, *d = c + k->n;
    const int i = (int)tw_local_id(item, 0), at = (int)tw_group_id(item, 0) * k->n + i;
    a[i] = k->a[at];
    b[i] = k->b[at];
    c[i] = k->c[at];
    d[i] = k->d[at];
    tw_barrier(item, TW_LOCAL_SPACE);
    for (int delta = 1; delta < k->n; delta *= 2) {
        const int right = i + delta < k->n ? i + delta : k->n - 1, left = i - delta >= 0 ? i - delta : 0;
        const float f1 = i - delta >= 0 ? a[i] / b[left] : 0, f2 = i + delta < k->n ? c[i] / b[right] : 0;
        const float bn = b[i] - c[left] * f1 - a[right] * f2, dn = d[i] - d[left] * f1 - d[right] * f2;
        const float an = -a[left] * f1, cn = -c[right] * f2;
        tw_barrier(item, TW_LOCAL_SPACE);
        a[i] = an;
        b[i] = bn;
        c[i] = cn;
        d[i] = dn;
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    k->x[at] = d[i] / b[i];
}
TW_ND_RANGE_KERNEL(pcr);

static void pcr_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0] * d->n[1], d->n[1]), pcr, .a = d->in[0], .b = d->in[1],
                             .c = d->in[2], .d = d->in[3], .x = d->out[0], .n = d->n[1],
                             .memory = tw_local(cg, 4 * (size_t)d->n[1] * sizeof(float)));
    unseen_submit(queue, cg);
}

/* The algorithm for one thread. */
static void pcr_openmp(const struct unseen_data *data)
{
    const float *a = data->in[0], *b = data->in[1], *c = data->in[2], *d = data->in[3];
    float *x = data->out[0];
    const int n = data->n[1];
#pragma omp parallel for
    for (int s = 0; s < data->n[0]; ++s) {
        float cs[1024];
        const int o = s * n;
        cs[0] = c[o] / b[o];
        x[o] = d[o] / b[o];
        for (int i = 1; i < n; ++i) {
            const float m = 1 / (b[o + i] - a[o + i] * cs[i - 1]);
            cs[i] = c[o + i] * m;
            x[o + i] = (d[o + i] - a[o + i] * x[o + i - 1]) * m;
        }
        for (int i = n - 2; i >= 0; --i)
            x[o + i] -= cs[i] * x[o + i + 1];
    }
}

static void pcr_prepare(struct unseen_problem *p, bool quick)
{
    p->data.n[0] = quick ? 8 : 4096;
    p->data.n[1] = 256;
    const size_t count = (size_t)p->data.n[0] * 256;
    for (int i = 0; i < 4; ++i)
        p->data.in[i] = unseen_floats(count, i == 1 ? 4 : -1, i == 1 ? 5 : 1);
    unseen_add_output(p, UNSEEN_FLOATS, count, 1e-3, NULL);
}

/* ---- fft: 512 points in local memory, radix 2 -------------------------------------------------------------------- */

enum { FFT = 512, FFT_BITS = 9 };

struct complex {
    float re, im;
};

static inline struct complex complex_add(struct complex a, struct complex b)
{
    return (struct complex){a.re + b.re, a.im + b.im};
}

static inline struct complex complex_subtract(struct complex a, struct complex b)
{
    return (struct complex){a.re - b.re, a.im - b.im};
}

static inline struct complex complex_multiply(struct complex a, struct complex b)
{
    return (struct complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline unsigned reversed(unsigned x)
{
    unsigned r = 0;
    for (int i = 0; i < FFT_BITS; ++i) {
        r = r << 1 | (x & 1);
        x >>= 1;
    }
    return r;
}

struct fft {
    const struct complex *in;
    struct complex *out;
};

static inline void fft(tw_nd_item item, const struct fft *k)
{
    TW_LOCAL(struct complex, z, [FFT]);
    const unsigned t = (unsigned)tw_local_id(item, 0);
    const struct complex *in = k->in + tw_group_id(item, 0) * FFT;
    struct complex *out = k->out + tw_group_id(item, 0) * FFT;
    z[reversed(t)] = in[t];
    z[reversed(t + FFT / 2)] = in[t + FFT / 2];
    tw_barrier(item, TW_LOCAL_SPACE);
    for (unsigned half = 1; half < FFT; half *= 2) {
        const unsigned low = t & (half - 1), i = 2 * (t - low) + low, j = i + half;
        const float angle = -3.14159265f * (float)low / (float)half;
        const struct complex w = {cosf(angle), sinf(angle)};
        const struct complex u = z[i], v = complex_multiply(w, z[j]);
        z[i] = complex_add(u, v);
        z[j] = complex_subtract(u, v);
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    out[t] = z[t];
    out[t + FFT / 2] = z[t + FFT / 2];
}
TW_ND_RANGE_KERNEL(fft, FFT / 2);

static void fft_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0] * FFT / 2, FFT / 2), fft, .in = d->in[0], .out = d->out[0]);
    unseen_submit(queue, cg);
}

static void fft_rows(const struct complex *in, struct complex *z, const struct complex *roots)
{
    for (unsigned i = 0; i < FFT; ++i)
        z[reversed(i)] = in[i];
    for (unsigned half = 1; half < FFT; half *= 2)
        for (unsigned first = 0; first < FFT; first += 2 * half) {
#pragma omp simd
            for (unsigned low = 0; low < half; ++low) {
                const struct complex u = z[first + low], v = complex_multiply(roots[half + low], z[first + low + half]);
                z[first + low] = complex_add(u, v);
                z[first + low + half] = complex_subtract(u, v);
            }
        }
}

static void fft_openmp(const struct unseen_data *d)
{
    const struct complex *in = d->in[0];
    struct complex *out = d->out[0], roots[FFT];
    for (unsigned half = 1; half < FFT; half *= 2)
        for (unsigned low = 0; low < half; ++low) {
            const float angle = -3.14159265f * (float)low / (float)half;
            roots[half + low] = (struct complex){cosf(angle), sinf(angle)};
        }
#pragma omp parallel for
    for (int row = 0; row < d->n[0]; ++row)
        fft_rows(in + row * FFT, out + row * FFT, roots);
}

static void fft_prepare(struct unseen_problem *p, bool quick)
{
    const int rows = p->data.n[0] = quick ? 4 : 2048;
    p->data.in[0] = unseen_floats((size_t)rows * 2 * FFT, -1, 1);
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)rows * 2 * FFT, 1e-4, NULL);
}

const struct unseen_program unseen_solvers[] = {
    {"lud", "LU decomposition in blocks of 16", lud_prepare, lud_teamwork, lud_openmp},
    {"gaussian", "Gaussian elimination, two kernels a column", gaussian_prepare, gaussian_teamwork, gaussian_openmp},
    {"pcr", "parallel cyclic reduction in groups of 256", pcr_prepare, pcr_teamwork, pcr_openmp},
    {"fft", "FFT of 512 points, radix 2, in local memory", fft_prepare, fft_teamwork, fft_openmp},
    {NULL, NULL, NULL, NULL, NULL}};
