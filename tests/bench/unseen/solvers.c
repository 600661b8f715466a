/* SPDX-License-Identifier: Apache-2.0 */
/* Systems of equations, transforms and sparse matrices. unseen.h says how programs are written. */
#include <math.h>
#include <string.h>

#include <teamwork/group_functions.h>

#include "unseen.h"

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

UNSEEN_TEAMWORK(pcr_teamwork, tw_parallel_for_nd_range, unseen_1d(d->n[0] * d->n[1], d->n[1]), pcr, .a = d->in[0],
                .b = d->in[1], .c = d->in[2], .d = d->in[3], .x = d->out[0], .n = d->n[1],
                .memory = tw_local(cg, 4 * (size_t)d->n[1] * sizeof(float)))

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

UNSEEN_TEAMWORK(fft_teamwork, tw_parallel_for_nd_range, unseen_1d(d->n[0] * FFT / 2, FFT / 2), fft, .in = d->in[0],
                .out = d->out[0])

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

/* ---- spmv_scalar, spmv_vector: CSR, a row for each work-item or for 32 of them ----------------------------------- */

enum { LANES = 32, ROWS_OF_GROUP = 4 };

struct spmv {
    const int *start, *column;
    const float *value, *x;
    float *y;
    int rows;
};

static inline void spmv_scalar(tw_nd_item item, const struct spmv *k)
{
    const int row = (int)tw_global_id(item, 0);
    if (row < k->rows) {
        float sum = 0;
        const int first = k->start[row], end = k->start[row + 1];
        for (int j = first; j < end; ++j)
            sum += k->value[j] * k->x[k->column[j]];
        k->y[row] = sum;
    }
}
TW_ND_RANGE_KERNEL(TW_BLOCK(spmv) spmv_scalar);

static inline void spmv_vector(tw_nd_item item, const struct spmv *k)
{
    TW_LOCAL(float, part, [ROWS_OF_GROUP * LANES]);
    const int t = (int)tw_local_id(item, 0), lane = t % LANES;
    const int row = (int)tw_group_id(item, 0) * ROWS_OF_GROUP + t / LANES;
    float sum = 0;
    if (row < k->rows)
        for (int j = k->start[row] + lane; j < k->start[row + 1]; j += LANES)
            sum += k->value[j] * k->x[k->column[j]];
    part[t] = sum;
    for (int half = LANES / 2; half > 0; half /= 2) {
        tw_barrier(item, TW_LOCAL_SPACE);
        if (lane < half)
            part[t] += part[t + half];
    }
    if (lane == 0 && row < k->rows)
        k->y[row] = part[t];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(spmv) spmv_vector, ROWS_OF_GROUP *LANES);

/* As SYCL has it: the sub-group, whatever its size. */
static inline void spmv_sub_group(tw_nd_item item, const struct spmv *k)
{
    const tw_sub_group sub_group = tw_get_sub_group(item);
    const int size = (int)tw_sub_group_local_range(sub_group), lane = (int)tw_sub_group_local_id(sub_group);
    const int groups = (int)(tw_local_range(item, 0) * tw_group_range(item, 0)) / size;
    for (int row = (int)tw_global_id(item, 0) / size; row < k->rows; row += groups) {
        float sum = 0;
        for (int j = k->start[row] + lane; j < k->start[row + 1]; j += size)
            sum += k->value[j] * k->x[k->column[j]];
        sum = tw_reduce_over_group(sub_group, sum, TW_SUM);
        if (lane == 0)
            k->y[row] = sum;
    }
}
TW_ND_RANGE_KERNEL(TW_BLOCK(spmv) spmv_sub_group, 128);

#define SPMV_ARGUMENTS                                                                                                 \
    .start = d->in[0], .column = d->in[1], .value = d->in[2], .x = d->in[3], .y = d->out[0], .rows = d->n[0]

UNSEEN_TEAMWORK(spmv_scalar_teamwork, tw_parallel_for_nd_range, unseen_1d(d->n[0], 256), spmv_scalar, SPMV_ARGUMENTS)

UNSEEN_TEAMWORK(spmv_vector_teamwork, tw_parallel_for_nd_range, unseen_1d(d->n[0] * LANES, ROWS_OF_GROUP *LANES),
                spmv_vector, SPMV_ARGUMENTS)

UNSEEN_TEAMWORK(spmv_sub_group_teamwork, tw_parallel_for_nd_range, unseen_1d(d->n[0], 128), spmv_sub_group,
                SPMV_ARGUMENTS)

static void spmv_openmp(const struct unseen_data *d)
{
    const int *start = d->in[0], *column = d->in[1];
    const float *value = d->in[2], *x = d->in[3];
    float *y = d->out[0];
#pragma omp parallel for schedule(static, 256)
    for (int row = 0; row < d->n[0]; ++row) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int j = start[row]; j < start[row + 1]; ++j)
            sum += value[j] * x[column[j]];
        y[row] = sum;
    }
}

/* Rows of `least` entries up to twice as many. */
static void prepare_csr(struct unseen_problem *p, int rows, int least)
{
    int *start = unseen_memory(((size_t)rows + 1) * sizeof *start);
    start[0] = 0;
    for (int i = 0; i < rows; ++i)
        start[i + 1] = start[i] + least + (int)(unseen_random() % (unsigned)least);
    p->data.n[0] = rows;
    p->data.in[0] = start;
    p->data.in[1] = unseen_ints((size_t)start[rows], 0, rows);
    p->data.in[2] = unseen_floats((size_t)start[rows], -1, 1);
    p->data.in[3] = unseen_floats((size_t)rows, -1, 1);
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)rows, 1e-4, NULL);
}

static void spmv_short_prepare(struct unseen_problem *p, bool quick)
{
    prepare_csr(p, quick ? 1000 : 200000, 12);
}

static void spmv_long_prepare(struct unseen_problem *p, bool quick)
{
    prepare_csr(p, quick ? 1000 : 30000, 100);
}

const struct unseen_program unseen_solvers[] = {
    {"pcr", "parallel cyclic reduction in groups of 256", pcr_prepare, pcr_teamwork, pcr_openmp},
    {"fft", "FFT of 512 points, radix 2, in local memory", fft_prepare, fft_teamwork, fft_openmp},
    {"spmv_scalar", "CSR, a row for each work-item", spmv_short_prepare, spmv_scalar_teamwork, spmv_openmp},
    {"spmv_vector", "CSR, a row for 32 work-items, sums in local memory", spmv_long_prepare, spmv_vector_teamwork,
     spmv_openmp},
    {"spmv_sub_group", "CSR, a row for each sub-group", spmv_long_prepare, spmv_sub_group_teamwork, spmv_openmp},
    {NULL, NULL, NULL, NULL, NULL}};
