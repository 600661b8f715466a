/* SPDX-License-Identifier: Apache-2.0 */
/* The patterns in Teamwork, as a new user writes them. */
#include <string.h>

#include "../harness/bench_teamwork.h"
#include "patterns.h"

#include <teamwork/image.h>
#include <teamwork/math.h>

#define PI 3.14159265358979323846

/* ---- transforms that compute their angles ------------------------------------------------------------------------- */

struct dft {
    const tw_double2 *in;
    tw_double2 *out;
};

/* Each work-item transforms a few points of its own. */
static inline void dft(tw_item item, const struct dft *k)
{
    double re[DFT_POINTS], im[DFT_POINTS];
    const size_t first = tw_global_id(item, 0) * DFT_POINTS;
    for (int i = 0; i < DFT_POINTS; ++i) {
        re[i] = k->in[first + i].x;
        im[i] = k->in[first + i].y;
    }
    for (int f = 0; f < DFT_POINTS; ++f) {
        double sum_re = 0, sum_im = 0;
        for (int i = 0; i < DFT_POINTS; ++i) {
            double c;
            const double s = tw_sincos(-2 * PI * f * i / DFT_POINTS, &c);
            sum_re += re[i] * c - im[i] * s;
            sum_im += re[i] * s + im[i] * c;
        }
        k->out[first + f] = (tw_double2){sum_re, sum_im};
    }
}
TW_RANGE_KERNEL(dft, 1);

struct dft_floats {
    const tw_float2 *in;
    tw_float2 *out;
};

static inline void dft_floats(tw_item item, const struct dft_floats *k)
{
    tw_float2 x[DFT_POINTS];
    const size_t first = tw_global_id(item, 0) * DFT_POINTS;
    for (int i = 0; i < DFT_POINTS; ++i)
        x[i] = k->in[first + i];
    for (int f = 0; f < DFT_POINTS; ++f) {
        tw_float2 sum = {0, 0};
        for (int i = 0; i < DFT_POINTS; ++i) {
            float c;
            const float s = tw_sincos((float)(-2 * PI) * (float)(f * i) / DFT_POINTS, &c);
            sum += (tw_float2){x[i].x * c - x[i].y * s, x[i].x * s + x[i].y * c};
        }
        k->out[first + f] = sum;
    }
}
TW_RANGE_KERNEL(dft_floats, 1);

/* Structure factors: a wave vector for each work-item, and the atoms of a cell. */
struct structure {
    const struct pattern_atom *waves, *atoms;
    tw_double2 *out;
};

static inline void structure(tw_item item, const struct structure *k)
{
    const size_t i = tw_global_id(item, 0);
    const struct pattern_atom q = k->waves[i];
    double re = 0, im = 0;
    for (int a = 0; a < ATOMS; ++a) {
        const struct pattern_atom r = k->atoms[a];
        double c;
        const double s = tw_sincos(2 * PI * (q.x * r.x + q.y * r.y + q.z * r.z), &c);
        re += r.weight * c;
        im += r.weight * s;
    }
    k->out[i] = (tw_double2){re, im};
}
TW_RANGE_KERNEL(structure, 1);

/* An integral of a power and an exponential, for each work-item its own. */
struct quadrature {
    const double *power, *end;
    double *out;
};

static inline void quadrature(tw_item item, const struct quadrature *k)
{
    const size_t i = tw_global_id(item, 0);
    const double step = (k->end[i] + 1) / NODES, power = k->power[i];
    double sum = 0;
    for (int n = 0; n < NODES; ++n) {
        const double x = (n + 0.5) * step;
        sum += tw_pow(x, power) * tw_exp(-x);
    }
    k->out[i] = sum * step;
}
TW_RANGE_KERNEL(quadrature, 1);

static inline int reversed(int i)
{
    int r = 0;
    for (int b = 0; b < FFT_LOG; ++b)
        r |= ((i >> b) & 1) << (FFT_LOG - 1 - b);
    return r;
}

/* The transform of a group, by stages; what comes last computes `s` and `c` of `angle`. */
#define FFT(name, ...)                                                                                                 \
    static inline void name(tw_nd_item item, const struct dft *k)                                                      \
    {                                                                                                                  \
        TW_LOCAL(tw_double2, data, [FFT_POINTS]);                                                                      \
        const int t = (int)tw_local_id(item, 0);                                                                       \
        const size_t first = tw_group_id(item, 0) * FFT_POINTS;                                                        \
        for (int i = t; i < FFT_POINTS; i += FFT_GROUP)                                                                \
            data[reversed(i)] = k->in[first + i];                                                                      \
        for (int half = 1; half < FFT_POINTS; half *= 2) {                                                             \
            tw_barrier(item, TW_LOCAL_SPACE);                                                                          \
            const int j = t % half, at = 2 * (t - j) + j;                                                              \
            const double angle = -PI * j / half;                                                                       \
            __VA_ARGS__                                                                                                \
            const tw_double2 a = data[at], b = data[at + half];                                                        \
            const tw_double2 w = {b.x * c - b.y * s, b.x * s + b.y * c};                                               \
            data[at] = a + w;                                                                                          \
            data[at + half] = a - w;                                                                                   \
        }                                                                                                              \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        for (int i = t; i < FFT_POINTS; i += FFT_GROUP)                                                                \
            k->out[first + i] = data[i];                                                                               \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(TW_BLOCK(dft) name, FFT_GROUP);
FFT(fft, double c; const double s = tw_sincos(angle, &c);)
FFT(fft_apart, const double c = tw_cos(angle), s = tw_sin(angle);)

/* ---- convolutions with a mask whose width is known at run time ---------------------------------------------------- */

struct conv {
    const float *in, *mask;
    float *out;
    int n, width;
};

static inline float convolved(const struct conv *k, int i)
{
    const int start = i - k->width / 2;
    float sum = 0;
    for (int j = 0; j < k->width; ++j)
        if (start + j >= 0 && start + j < k->n)
            sum += k->in[start + j] * k->mask[j];
    return sum;
}

static inline void conv_flat(tw_nd_item item, const struct conv *k)
{
    const int i = (int)tw_global_id(item, 0);
    if (i < k->n)
        k->out[i] = convolved(k, i);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(conv) conv_flat, CONV_GROUP);

static inline void conv_range(tw_item item, const struct conv *k)
{
    const int i = (int)tw_global_id(item, 0);
    k->out[i] = convolved(k, i);
}
TW_RANGE_KERNEL(TW_BLOCK(conv) conv_range, 1);

/* A tile with the borders of both sides. */
static inline void conv_tiles(tw_nd_item item, const struct conv *k)
{
    TW_LOCAL(float, tile, [CONV_GROUP + CONV_MOST]);
    const int i = (int)tw_global_id(item, 0), t = (int)tw_local_id(item, 0), half = k->width / 2;
    const int first = (int)tw_group_id(item, 0) * CONV_GROUP;
    for (int p = t; p < CONV_GROUP + 2 * half; p += CONV_GROUP) {
        const int at = first + p - half;
        tile[p] = at >= 0 && at < k->n ? k->in[at] : 0;
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    float sum = 0;
    for (int j = 0; j < k->width; ++j)
        sum += tile[t + j] * k->mask[j];
    if (i < k->n)
        k->out[i] = sum;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(conv) conv_tiles, CONV_GROUP);

/* A tile without borders: neighbours of other groups come from global memory. */
static inline void conv_either(tw_nd_item item, const struct conv *k)
{
    TW_LOCAL(float, tile, [CONV_GROUP]);
    const int i = (int)tw_global_id(item, 0), t = (int)tw_local_id(item, 0);
    const int begin = (int)tw_group_id(item, 0) * CONV_GROUP, end = begin + CONV_GROUP, start = i - k->width / 2;
    tile[t] = i < k->n ? k->in[i] : 0;
    tw_barrier(item, TW_LOCAL_SPACE);
    float sum = 0;
    for (int j = 0; j < k->width; ++j) {
        const int at = start + j;
        if (at >= 0 && at < k->n) {
            if (at >= begin && at < end)
                sum += tile[at - begin] * k->mask[j];
            else
                sum += k->in[at] * k->mask[j];
        }
    }
    if (i < k->n)
        k->out[i] = sum;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(conv) conv_either, CONV_GROUP);

/* ---- sums in global memory ---------------------------------------------------------------------------------------- */

struct boxes {
    const struct pattern_box *boxes;
    const struct pattern_vec4 *places;
    const float *charges;
    struct pattern_vec4 *forces;
    float a2;
};

/* Particles in boxes, each of which sees its neighbours, after Rodinia's lavaMD. */
static inline void boxes(tw_nd_item item, const struct boxes *k)
{
    TW_LOCAL(struct pattern_vec4, home, [BOX]);
    TW_LOCAL(struct pattern_vec4, other, [BOX]);
    TW_LOCAL(float, charge, [BOX]);
    const int bx = (int)tw_group_id(item, 0), tx = (int)tw_local_id(item, 0), first = k->boxes[bx].first;
    struct pattern_vec4 *force = &k->forces[first];
    for (int i = tx; i < BOX; i += BOX_GROUP) {
        home[i] = k->places[first + i];
        force[i] = (struct pattern_vec4){0, 0, 0, 0};
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    for (int n = 0; n < 1 + k->boxes[bx].count; ++n) {
        const int from = k->boxes[n == 0 ? bx : k->boxes[bx].near_[n - 1]].first;
        for (int i = tx; i < BOX; i += BOX_GROUP) {
            other[i] = k->places[from + i];
            charge[i] = k->charges[from + i];
        }
        tw_barrier(item, TW_LOCAL_SPACE);
        for (int i = tx; i < BOX; i += BOX_GROUP)
            for (int j = 0; j < BOX; ++j) {
                const float r2 =
                    home[i].v + other[j].v - (home[i].x * other[j].x + home[i].y * other[j].y + home[i].z * other[j].z);
                const float vij = tw_exp(-k->a2 * r2), fs = 2 * vij;
                force[i].v += charge[j] * vij;
                force[i].x += charge[j] * fs * (home[i].x - other[j].x);
                force[i].y += charge[j] * fs * (home[i].y - other[j].y);
                force[i].z += charge[j] * fs * (home[i].z - other[j].z);
            }
        tw_barrier(item, TW_LOCAL_SPACE);
    }
}
TW_ND_RANGE_KERNEL(boxes, BOX_GROUP);

struct product {
    const float *matrix, *x;
    float *y;
    int n;
};

/* A matrix, by columns, and a vector. */
static inline void product(tw_item item, const struct product *k)
{
    const int i = (int)tw_global_id(item, 0);
    k->y[i] = 0;
    for (int j = 0; j < k->n; ++j)
        k->y[i] += k->matrix[j * k->n + i] * k->x[j];
}
TW_RANGE_KERNEL(product, 1);

/* ---- prefix sums of each group, and its sum ----------------------------------------------------------------------- */

struct scan {
    const int *in;
    int *out, *sums;
    int n;
};

static inline void scan_pairs(tw_nd_item item, const struct scan *k)
{
    TW_LOCAL(int, temp, [2 * SCAN_GROUP]);
    const int t = (int)tw_local_id(item, 0), first = (int)tw_group_id(item, 0) * 2 * SCAN_GROUP;
    int offset = 1;
    temp[2 * t] = first + 2 * t < k->n ? k->in[first + 2 * t] : 0;
    temp[2 * t + 1] = first + 2 * t + 1 < k->n ? k->in[first + 2 * t + 1] : 0;
    for (int d = SCAN_GROUP; d > 0; d >>= 1) {
        tw_barrier(item, TW_LOCAL_SPACE);
        if (t < d)
            temp[offset * (2 * t + 2) - 1] += temp[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) {
        k->sums[tw_group_id(item, 0)] = temp[2 * SCAN_GROUP - 1];
        temp[2 * SCAN_GROUP - 1] = 0;
    }
    for (int d = 1; d < 2 * SCAN_GROUP; d *= 2) {
        offset >>= 1;
        tw_barrier(item, TW_LOCAL_SPACE);
        if (t < d) {
            const int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1, x = temp[a];
            temp[a] = temp[b];
            temp[b] += x;
        }
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    if (first + 2 * t < k->n)
        k->out[first + 2 * t] = temp[2 * t];
    if (first + 2 * t + 1 < k->n)
        k->out[first + 2 * t + 1] = temp[2 * t + 1];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(scan) scan_pairs, SCAN_GROUP);

static inline void scan_steps(tw_nd_item item, const struct scan *k)
{
    TW_LOCAL(int, temp, [2][SCAN_GROUP]);
    const int t = (int)tw_local_id(item, 0), i = (int)tw_global_id(item, 0);
    int from = 0;
    temp[0][t] = i < k->n ? k->in[i] : 0;
    for (int step = 1; step < SCAN_GROUP; step *= 2) {
        tw_barrier(item, TW_LOCAL_SPACE);
        temp[1 - from][t] = temp[from][t] + (t >= step ? temp[from][t - step] : 0);
        from = 1 - from;
    }
    if (i < k->n)
        k->out[i] = temp[from][t];
    if (t == SCAN_GROUP - 1)
        k->sums[tw_group_id(item, 0)] = temp[from][t];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(scan) scan_steps, SCAN_GROUP);

static inline void scan_place(tw_nd_item item, const struct scan *k)
{
    TW_LOCAL(int, temp, [SCAN_GROUP]);
    const int t = (int)tw_local_id(item, 0), i = (int)tw_global_id(item, 0);
    temp[t] = i < k->n ? k->in[i] : 0;
    for (int step = 1; step < SCAN_GROUP; step *= 2) {
        tw_barrier(item, TW_LOCAL_SPACE);
        const int x = t >= step ? temp[t - step] : 0;
        tw_barrier(item, TW_LOCAL_SPACE);
        temp[t] += x;
    }
    if (i < k->n)
        k->out[i] = temp[t];
    if (t == SCAN_GROUP - 1)
        k->sums[tw_group_id(item, 0)] = temp[t];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(scan) scan_place, SCAN_GROUP);

/* ---- velocities of an elastic wave: a stencil over 13 arrays ------------------------------------------------------ */

struct waves {
    TW_VIEW(const float, 3) sxx, syy, szz, sxy, sxz, syz, rho, damp, a, b;
    TW_VIEW(float, 3) vx, vy, vz;
    float dt;
};

struct waves_any {
    TW_VIEW(const float) sxx, syy, szz, sxy, sxz, syz, rho, damp, a, b;
    TW_VIEW(float) vx, vy, vz;
    float dt;
};

#define WAVE(T)                                                                                                        \
    const T z = (T)tw_global_id(item, 0) + 1, y = (T)tw_global_id(item, 1) + 1, x = (T)tw_global_id(item, 2) + 1;      \
    const float r = k->dt * tw_at(k->rho, z, y, x), d = tw_at(k->damp, z, y, x);                                       \
    tw_at(k->vx, z, y, x) =                                                                                            \
        d                                                                                                              \
        * (r                                                                                                           \
           * (tw_at(k->sxx, z, y, x + 1) - tw_at(k->sxx, z, y, x) + tw_at(k->sxy, z, y, x)                             \
              - tw_at(k->sxy, z, y - 1, x) + tw_at(k->sxz, z, y, x) - tw_at(k->sxz, z - 1, y, x)));                    \
    tw_at(k->vy, z, y, x) =                                                                                            \
        d                                                                                                              \
        * (r                                                                                                           \
           * (tw_at(k->syy, z, y + 1, x) - tw_at(k->syy, z, y, x) + tw_at(k->sxy, z, y, x)                             \
              - tw_at(k->sxy, z, y, x - 1) + tw_at(k->syz, z, y, x) - tw_at(k->syz, z - 1, y, x)));                    \
    tw_at(k->vz, z, y, x) =                                                                                            \
        d                                                                                                              \
        * (r                                                                                                           \
               * (tw_at(k->szz, z + 1, y, x) - tw_at(k->szz, z, y, x) + tw_at(k->sxz, z, y, x)                         \
                  - tw_at(k->sxz, z, y, x - 1) + tw_at(k->syz, z, y, x) - tw_at(k->syz, z, y - 1, x))                  \
           + tw_at(k->a, z, y, x) * tw_at(k->b, z, y, x));

static inline void waves(tw_item item, const struct waves *k){WAVE(size_t)} TW_RANGE_KERNEL(waves, 3);

static inline void waves_any(tw_item item, const struct waves_any *k){WAVE(size_t)} TW_RANGE_KERNEL(waves_any, 3);

static inline void waves_items(tw_nd_item item, const struct waves *k){
    WAVE(int)} TW_ND_RANGE_KERNEL(TW_BLOCK(waves) waves_items, 1, 4, 64);

struct waves_pointers {
    const float *sxx, *syy, *szz, *sxy, *sxz, *syz, *rho, *damp, *a, *b;
    float *vx, *vy, *vz;
    int row, plane;
    float dt;
};

static inline void waves_pointers(tw_nd_item item, const struct waves_pointers *k)
{
    const int z = (int)tw_global_id(item, 0) + 1, y = (int)tw_global_id(item, 1) + 1,
              x = (int)tw_global_id(item, 2) + 1;
    const int row = k->row, plane = k->plane, i = z * plane + y * row + x;
    const float r = k->dt * k->rho[i], d = k->damp[i];
    k->vx[i] = d * (r * (k->sxx[i + 1] - k->sxx[i] + k->sxy[i] - k->sxy[i - row] + k->sxz[i] - k->sxz[i - plane]));
    k->vy[i] = d * (r * (k->syy[i + row] - k->syy[i] + k->sxy[i] - k->sxy[i - 1] + k->syz[i] - k->syz[i - plane]));
    k->vz[i] = d
               * (r * (k->szz[i + plane] - k->szz[i] + k->sxz[i] - k->sxz[i - 1] + k->syz[i] - k->syz[i - row])
                  + k->a[i] * k->b[i]);
}
TW_ND_RANGE_KERNEL(waves_pointers, 1, 4, 64);

/* ---- samples of an image along a line, between its pixels ----------------------------------------------------------- */

/* The members of a block, and its samples. */
#define BLUR(name, image, sample)                                                                                      \
    struct name {                                                                                                      \
        image in;                                                                                                      \
        float *out;                                                                                                    \
        float dx, dy;                                                                                                  \
    };                                                                                                                 \
    static inline void name(tw_item item, const struct name *k)                                                        \
    {                                                                                                                  \
        tw_float2 at = {(float)tw_global_id(item, 1), (float)tw_global_id(item, 0)};                                   \
        tw_float4 sum = {0, 0, 0, 0};                                                                                  \
        for (int i = 0; i < BLUR_SAMPLES; ++i) {                                                                       \
            sum += sample;                                                                                             \
            at.x += k->dx;                                                                                             \
            at.y += k->dy;                                                                                             \
        }                                                                                                              \
        k->out[tw_global_linear_id(item)] = sum.x + sum.y + sum.z + sum.w;                                             \
    }                                                                                                                  \
    TW_RANGE_KERNEL(name, 2);
/* By the hardware's samplers, as the twins: with constants, and for any image and sampler (blur_any); and by code. */
#define BLUR_SAMPLER(filter) tw_sampler_make(false, TW_ADDRESS_CLAMP_TO_EDGE, filter)
#define BLUR_AS(type, filter) tw_read_imagef(tw_image_as(k->in, TW_RGBA, type, BLUR_SAMPLER(filter)), at)
BLUR(blur_bytes, tw_sampled_image_2d, BLUR_AS(TW_UNORM_INT8, TW_FILTER_LINEAR))
BLUR(blur_floats, tw_sampled_image_2d, BLUR_AS(TW_FLOAT, TW_FILTER_LINEAR))
BLUR(blur_nearest, tw_sampled_image_2d, BLUR_AS(TW_UNORM_INT8, TW_FILTER_NEAREST))
BLUR(blur_any, tw_sampled_image_2d, tw_read_imagef(k->in, at))
BLUR(blur_code, tw_const_image_2d,
     tw_read_imagef(tw_image_as(k->in, TW_RGBA, TW_UNORM_INT8), BLUR_SAMPLER(TW_FILTER_LINEAR), at))

/* ---- the side ----------------------------------------------------------------------------------------------------- */

static void *allocate(const struct pattern_array *array)
{
    const size_t *size = array->range;
    const tw_range range = !size[1]   ? tw_range_1d(size[0])
                           : !size[2] ? tw_range_2d(size[0], size[1])
                                      : tw_range_3d(size[0], size[1], size[2]);
    tw_buffer *buffer = NULL;
    return bench_passed(tw_buffer_create_copy(array->initial, array->each, range, &buffer)) ? buffer : NULL;
}

static bool fetch(void *array, void *to, size_t bytes)
{
    tw_host_accessor *access;
    if (!bench_passed(tw_host_access(array, TW_READ, &access)))
        return false;
    memcpy(to, tw_host_accessor_const_data(access), bytes);
    return bench_passed(tw_host_accessor_release(&access));
}

/* The image over the buffer of a pattern, which ends with the buffer. */
static tw_image *image;

static void release(void *array)
{
    tw_buffer *buffer = array;
    bench_passed(tw_image_destroy(&image));
    bench_passed(tw_buffer_destroy(&buffer));
}

/* run_NAME(): launches by the macro, whose arguments behind the group come next. In these `d` is what it works on. */
#define RUN(name, launch, ...)                                                                                         \
    static bool run_##name(const struct pattern_data *d)                                                               \
    {                                                                                                                  \
        tw_command_group *cg = tw_queue_begin(bench_queue());                                                          \
        launch(cg, __VA_ARGS__);                                                                                       \
        return bench_passed(tw_queue_submit(bench_queue(), cg, NULL)) && bench_passed(tw_queue_wait(bench_queue()));   \
    }

static tw_nd_range groups(size_t count, size_t group)
{
    return tw_nd_range_make(tw_range_1d((count + group - 1) / group * group), tw_range_1d(group));
}

static size_t size(const struct pattern_data *d, unsigned i)
{
    return (size_t)d->n[i];
}

#define IN(i) tw_read(cg, d->at[i])
#define OUT(i) tw_discard_write(cg, d->at[i])
#define DFT .in = IN(0), .out = OUT(1)
RUN(dft, tw_parallel_for, tw_range_1d(size(d, 0)), dft, DFT)
RUN(dft_floats, tw_parallel_for, tw_range_1d(size(d, 0)), dft_floats, DFT)
RUN(structure, tw_parallel_for, tw_range_1d(size(d, 0)), structure, .waves = IN(0), .atoms = IN(1), .out = OUT(2))
RUN(quadrature, tw_parallel_for, tw_range_1d(size(d, 0)), quadrature, .power = IN(0), .end = IN(1), .out = OUT(2))
RUN(fft, tw_parallel_for_nd_range, groups(size(d, 0) * FFT_GROUP, FFT_GROUP), fft, DFT)
RUN(fft_apart, tw_parallel_for_nd_range, groups(size(d, 0) * FFT_GROUP, FFT_GROUP), fft_apart, DFT)

#define CONV .in = IN(0), .mask = IN(1), .out = OUT(2), .n = d->n[0], .width = d->n[1]
RUN(conv_flat, tw_parallel_for_nd_range, groups(size(d, 0), CONV_GROUP), conv_flat, CONV)
RUN(conv_range, tw_parallel_for, tw_range_1d(size(d, 0)), conv_range, CONV)
RUN(conv_tiles, tw_parallel_for_nd_range, groups(size(d, 0), CONV_GROUP), conv_tiles, CONV)
RUN(conv_either, tw_parallel_for_nd_range, groups(size(d, 0), CONV_GROUP), conv_either, CONV)

RUN(boxes, tw_parallel_for_nd_range, groups(size(d, 0) * BOX_GROUP, BOX_GROUP), boxes, .boxes = IN(0), .places = IN(1),
    .charges = IN(2), .forces = OUT(3), .a2 = 0.5f)
RUN(product, tw_parallel_for, tw_range_1d(size(d, 0)), product, .matrix = IN(0), .x = IN(1), .y = OUT(2), .n = d->n[0])

#define SCAN .in = IN(0), .out = OUT(1), .sums = OUT(2), .n = d->n[0]
RUN(scan_pairs, tw_parallel_for_nd_range, groups((size(d, 0) + 1) / 2, SCAN_GROUP), scan_pairs, SCAN)
RUN(scan_steps, tw_parallel_for_nd_range, groups(size(d, 0), SCAN_GROUP), scan_steps, SCAN)
RUN(scan_place, tw_parallel_for_nd_range, groups(size(d, 0), SCAN_GROUP), scan_place, SCAN)

#define INNER tw_range_3d(size(d, 0) - 2, size(d, 1) - 2, size(d, 2) - 2)
#define VIEW(i) TW_READ_VIEW(cg, d->at[i], 3)
#define VIEWS                                                                                                          \
    .sxx = VIEW(0), .syy = VIEW(1), .szz = VIEW(2), .sxy = VIEW(3), .sxz = VIEW(4), .syz = VIEW(5), .rho = VIEW(6),    \
    .damp = VIEW(7), .a = VIEW(8), .b = VIEW(9), .vx = TW_WRITE_VIEW(cg, d->at[10], 3),                                \
    .vy = TW_WRITE_VIEW(cg, d->at[11], 3), .vz = TW_WRITE_VIEW(cg, d->at[12], 3), .dt = 0.25f
#define ANY(i) TW_READ_VIEW(cg, d->at[i])
#define ANY_VIEWS                                                                                                      \
    .sxx = ANY(0), .syy = ANY(1), .szz = ANY(2), .sxy = ANY(3), .sxz = ANY(4), .syz = ANY(5), .rho = ANY(6),           \
    .damp = ANY(7), .a = ANY(8), .b = ANY(9), .vx = TW_WRITE_VIEW(cg, d->at[10]), .vy = TW_WRITE_VIEW(cg, d->at[11]),  \
    .vz = TW_WRITE_VIEW(cg, d->at[12]), .dt = 0.25f
#define INOUT(i) tw_write(cg, d->at[i])
RUN(waves, tw_parallel_for, INNER, waves, VIEWS)
RUN(waves_any, tw_parallel_for, INNER, waves_any, ANY_VIEWS)
RUN(waves_items, tw_parallel_for_nd_range, tw_nd_range_make(INNER, tw_range_3d(1, 4, 64)), waves_items, VIEWS)
RUN(waves_pointers, tw_parallel_for_nd_range, tw_nd_range_make(INNER, tw_range_3d(1, 4, 64)), waves_pointers,
    .sxx = IN(0), .syy = IN(1), .szz = IN(2), .sxy = IN(3), .sxz = IN(4), .syz = IN(5), .rho = IN(6), .damp = IN(7),
    .a = IN(8), .b = IN(9), .vx = INOUT(10), .vy = INOUT(11), .vz = INOUT(12), .row = d->n[2],
    .plane = d->n[1] * d->n[2], .dt = 0.25f)

#define RUN_BLUR(name, channel, accessor)                                                                              \
    static bool run_##name(const struct pattern_data *d)                                                               \
    {                                                                                                                  \
        const tw_image_layout layout = {                                                                               \
            .order = TW_RGBA, .type = channel, .size = tw_range_2d(size(d, 0), size(d, 1))};                           \
        if (!image && !bench_passed(tw_image_create_on_buffer(d->at[0], layout, &image)))                              \
            return false;                                                                                              \
        tw_command_group *cg = tw_queue_begin(bench_queue());                                                          \
        tw_parallel_for(cg, layout.size, name, .in = accessor, .out = OUT(1), .dx = 0.71f, .dy = 0.43f);               \
        return bench_passed(tw_queue_submit(bench_queue(), cg, NULL)) && bench_passed(tw_queue_wait(bench_queue()));   \
    }
RUN_BLUR(blur_bytes, TW_UNORM_INT8, tw_sample_image_2d(cg, image, BLUR_SAMPLER(TW_FILTER_LINEAR)))
RUN_BLUR(blur_floats, TW_FLOAT, tw_sample_image_2d(cg, image, BLUR_SAMPLER(TW_FILTER_LINEAR)))
RUN_BLUR(blur_nearest, TW_UNORM_INT8, tw_sample_image_2d(cg, image, BLUR_SAMPLER(TW_FILTER_NEAREST)))
RUN_BLUR(blur_any, TW_UNORM_INT8, tw_sample_image_2d(cg, image, BLUR_SAMPLER(TW_FILTER_LINEAR)))
RUN_BLUR(blur_code, TW_UNORM_INT8, tw_read_image_2d(cg, image))

#define RUN_OF(name) [PATTERN_##name] = run_##name,
const struct pattern_side pattern_teamwork = {
    .allocate = allocate, .fetch = fetch, .release = release, .run = {PATTERN_RUNS(RUN_OF)}};
