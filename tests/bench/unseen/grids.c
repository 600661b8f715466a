/* SPDX-License-Identifier: Apache-2.0 */
/* Grids with states: diffusion, spins, a stencil in three dimensions. unseen.h says how programs are written. */
#include <math.h>
#include <string.h>

#include "unseen.h"

/* ---- srad: speckle reducing anisotropic diffusion, indices of neighbours from arrays ----------------------------- */

struct srad {
    float *image, *c, *dn, *ds, *dw, *de;
    const int *north, *south, *west, *east;
    float lambda, q0;
    int rows, columns; /* columns are contiguous in `rows` */
};

static inline void srad_coefficients(tw_nd_item item, const struct srad *k)
{
    const int at = (int)tw_global_id(item, 0);
    if (at < k->rows * k->columns) {
        int row = (at + 1) % k->rows - 1, column = (at + 1) / k->rows;
        if ((at + 1) % k->rows == 0) {
            row = k->rows - 1;
            column = column - 1;
        }
        const float now = k->image[at];
        const float dn = k->image[k->north[row] + k->rows * column] - now;
        const float ds = k->image[k->south[row] + k->rows * column] - now;
        const float dw = k->image[row + k->rows * k->west[column]] - now;
        const float de = k->image[row + k->rows * k->east[column]] - now;
        const float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (now * now), l = (dn + ds + dw + de) / now;
        const float num = 0.5f * g2 - 1.0f / 16 * (l * l), den = 1 + 0.25f * l, q = num / (den * den);
        float c = 1 / (1 + (q - k->q0) / (k->q0 * (1 + k->q0)));
        if (c < 0)
            c = 0;
        else if (c > 1)
            c = 1;
        k->dn[at] = dn;
        k->ds[at] = ds;
        k->dw[at] = dw;
        k->de[at] = de;
        k->c[at] = c;
    }
}
TW_ND_RANGE_KERNEL(TW_BLOCK(srad) srad_coefficients, 512);

static inline void srad_update(tw_nd_item item, const struct srad *k)
{
    const int at = (int)tw_global_id(item, 0);
    if (at < k->rows * k->columns) {
        int row = (at + 1) % k->rows - 1, column = (at + 1) / k->rows;
        if ((at + 1) % k->rows == 0) {
            row = k->rows - 1;
            column = column - 1;
        }
        const float cn = k->c[at], cs = k->c[k->south[row] + k->rows * column], cw = k->c[at],
                    ce = k->c[row + k->rows * k->east[column]];
        const float d = cn * k->dn[at] + cs * k->ds[at] + cw * k->dw[at] + ce * k->de[at];
        k->image[at] += 0.25f * k->lambda * d;
    }
}
TW_ND_RANGE_KERNEL(TW_BLOCK(srad) srad_update, 512);

static void srad_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const size_t count = (size_t)d->n[0] * (size_t)d->n[0];
    float *s = d->scratch;
    const struct srad block = {.image = d->out[0],
                               .c = s,
                               .dn = s + count,
                               .ds = s + 2 * count,
                               .dw = s + 3 * count,
                               .de = s + 4 * count,
                               .north = d->in[0],
                               .south = d->in[1],
                               .west = d->in[0],
                               .east = d->in[1],
                               .lambda = 0.5f,
                               .q0 = 0.05f,
                               .rows = d->n[0],
                               .columns = d->n[0]};
    for (int i = 0; i < 2 * d->n[1]; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range_kernel(cg, unseen_1d((int)count, 512),
                                        i % 2 ? TW_KERNEL(srad_update) : TW_KERNEL(srad_coefficients), &block,
                                        sizeof block);
        unseen_submit(queue, cg);
    }
}

static void srad_openmp_step(float *image, float *s, const int *before, const int *behind, int n)
{
    const float q0 = 0.05f;
    const size_t count = (size_t)n * (size_t)n;
    float *c = s, *dn = s + count, *ds = s + 2 * count, *dw = s + 3 * count, *de = s + 4 * count;
#pragma omp parallel for
    for (int j = 0; j < n; ++j)
#pragma omp simd
        for (int i = 0; i < n; ++i) {
            const int at = i + n * j;
            const float now = image[at];
            dn[at] = image[before[i] + n * j] - now;
            ds[at] = image[behind[i] + n * j] - now;
            dw[at] = image[i + n * before[j]] - now;
            de[at] = image[i + n * behind[j]] - now;
            const float g2 = (dn[at] * dn[at] + ds[at] * ds[at] + dw[at] * dw[at] + de[at] * de[at]) / (now * now);
            const float l = (dn[at] + ds[at] + dw[at] + de[at]) / now;
            const float num = 0.5f * g2 - 1.0f / 16 * (l * l), den = 1 + 0.25f * l, q = num / (den * den);
            const float value = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
            c[at] = value < 0 ? 0 : value > 1 ? 1 : value;
        }
#pragma omp parallel for
    for (int j = 0; j < n; ++j)
#pragma omp simd
        for (int i = 0; i < n; ++i) {
            const int at = i + n * j;
            image[at] +=
                0.25f * 0.5f
                * (c[at] * dn[at] + c[behind[i] + n * j] * ds[at] + c[at] * dw[at] + c[i + n * behind[j]] * de[at]);
        }
}

static void srad_openmp(const struct unseen_data *d)
{
    for (int i = 0; i < d->n[1]; ++i)
        srad_openmp_step(d->out[0], d->scratch, d->in[0], d->in[1], d->n[0]);
}

static void srad_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 100 : 1000;
    const size_t count = (size_t)n * (size_t)n;
    p->data.n[1] = 4;
    int *before = unseen_memory((size_t)n * sizeof *before), *behind = unseen_memory((size_t)n * sizeof *behind);
    for (int i = 0; i < n; ++i) {
        before[i] = i > 0 ? i - 1 : 0;
        behind[i] = i < n - 1 ? i + 1 : n - 1;
    }
    p->data.in[0] = before;
    p->data.in[1] = behind;
    p->data.scratch = unseen_memory(5 * count * sizeof(float));
    unseen_add_output(p, UNSEEN_FLOATS, count, 1e-3, unseen_floats(count, 1, 2));
}

/* ---- potts: spins of eight states, a generator of random numbers for each cell, checkerboard --------------------- */

struct generator {
    unsigned x, y, z, w;
};

static inline unsigned next_random(struct generator *g)
{
    const unsigned t = g->x ^ (g->x << 11);
    g->x = g->y;
    g->y = g->z;
    g->z = g->w;
    return g->w = g->w ^ (g->w >> 19) ^ t ^ (t >> 8);
}

static inline struct generator seed(unsigned n)
{
    struct generator g = {n * 2654435761u + 1, n ^ 362436069u, n + 521288629u, 88675123u};
    for (int i = 0; i < 4; ++i)
        next_random(&g);
    return g;
}

struct potts {
    unsigned char *spins;
    int width, height, colour;
    unsigned step;
    float beta;
};

static inline void potts_cell(const struct potts *k, int x, int y)
{
    struct generator g = seed((unsigned)(y * k->width + x) * 64u + k->step);
    const int up = (y + k->height - 1) % k->height, down = (y + 1) % k->height;
    const int left = (x + k->width - 1) % k->width, right = (x + 1) % k->width;
    const unsigned char now = k->spins[y * k->width + x], other = (unsigned char)(next_random(&g) % 8);
    const unsigned char around[4] = {k->spins[up * k->width + x], k->spins[down * k->width + x],
                                     k->spins[y * k->width + left], k->spins[y * k->width + right]};
    int change = 0;
    for (int i = 0; i < 4; ++i)
        change += (around[i] == now) - (around[i] == other);
    if (change <= 0 || (float)(next_random(&g) >> 8) * (1.0f / 16777216.0f) < expf(-k->beta * (float)change))
        k->spins[y * k->width + x] = other;
}

static inline void potts(tw_nd_item item, const struct potts *k)
{
    const int y = (int)tw_global_id(item, 0), x = 2 * (int)tw_global_id(item, 1) + (y + k->colour) % 2;
    if (x < k->width && y < k->height)
        potts_cell(k, x, y);
}
TW_ND_RANGE_KERNEL(potts);

static void potts_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    for (int step = 0; step < d->n[1]; ++step) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, unseen_2d(d->n[0], d->n[0] / 2, 16, 16), potts, .spins = d->out[0],
                                 .width = d->n[0], .height = d->n[0], .colour = step % 2, .step = (unsigned)step,
                                 .beta = 0.8f);
        unseen_submit(queue, cg);
    }
}

static void potts_openmp(const struct unseen_data *d)
{
    for (int step = 0; step < d->n[1]; ++step) {
        const struct potts k = {d->out[0], d->n[0], d->n[0], step % 2, (unsigned)step, 0.8f};
#pragma omp parallel for
        for (int y = 0; y < k.height; ++y)
#pragma omp simd
            for (int half = 0; half < k.width / 2; ++half)
                potts_cell(&k, 2 * half + (y + k.colour) % 2, y);
    }
}

static void potts_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 64 : 640;
    const size_t count = (size_t)n * (size_t)n;
    unsigned char *spins = unseen_bytes(count);
    for (size_t i = 0; i < count; ++i)
        spins[i] %= 8;
    p->data.n[1] = 4;
    unseen_add_output(p, UNSEEN_BYTES, count, 0, spins);
}

/* ---- stencil25: order 8 in three dimensions; a tile of the plane, the column in registers ------------------------ */

enum { RADIUS = 4, PLANE_X = 32, PLANE_Y = 8 };

struct stencil25 {
    const float *in;
    float *out;
    int nx, ny, nz; /* with the margin of RADIUS on each side */
    float c[RADIUS + 1];
};

static inline void stencil25(tw_nd_item item, const struct stencil25 *k)
{
    TW_LOCAL(float, tile, [PLANE_Y + 2 * RADIUS][PLANE_X + 2 * RADIUS]);
    const int tx = (int)tw_local_id(item, 1) + RADIUS, ty = (int)tw_local_id(item, 0) + RADIUS;
    const int x = (int)tw_global_id(item, 1) + RADIUS, y = (int)tw_global_id(item, 0) + RADIUS;
    const int plane = k->nx * k->ny;
    const bool valid = x < k->nx - RADIUS && y < k->ny - RADIUS;
    int in = y * k->nx + x;
    float front[RADIUS], behind[RADIUS], current = 0;
    const int worky = (int)tw_local_id(item, 0), workx = (int)tw_local_id(item, 1);
    if (valid) {
        for (int i = RADIUS - 2; i >= 0; --i) {
            behind[i] = k->in[in];
            in += plane;
        }
        current = k->in[in];
        in += plane;
        for (int i = 0; i < RADIUS; ++i) {
            front[i] = k->in[in];
            in += plane;
        }
    }
    int out = y * k->nx + x + (RADIUS - 1) * plane;
    for (int z = RADIUS; z < k->nz - RADIUS; ++z) {
        if (valid) {
            for (int i = RADIUS - 1; i > 0; --i)
                behind[i] = behind[i - 1];
            behind[0] = current;
            current = front[0];
            for (int i = 0; i < RADIUS - 1; ++i)
                front[i] = front[i + 1];
            front[RADIUS - 1] = k->in[in];
        }
        in += plane;
        out += plane;
        tw_barrier(item, TW_LOCAL_SPACE);
        if (worky < RADIUS && valid) {
            tile[worky][tx] = k->in[out - RADIUS * k->nx];
            if (y + PLANE_Y < k->ny)
                tile[worky + PLANE_Y + RADIUS][tx] = k->in[out + PLANE_Y * k->nx];
        }
        if (workx < RADIUS && valid) {
            tile[ty][workx] = k->in[out - RADIUS];
            if (x + PLANE_X < k->nx)
                tile[ty][workx + PLANE_X + RADIUS] = k->in[out + PLANE_X];
        }
        tile[ty][tx] = current;
        tw_barrier(item, TW_LOCAL_SPACE);
        if (valid) {
            float value = k->c[0] * current;
            for (int i = 1; i <= RADIUS; ++i)
                value += k->c[i]
                         * (front[i - 1] + behind[i - 1] + tile[ty - i][tx] + tile[ty + i][tx] + tile[ty][tx - i]
                            + tile[ty][tx + i]);
            k->out[out] = value;
        }
    }
}
TW_ND_RANGE_KERNEL(stencil25, PLANE_Y, PLANE_X);

static const float stencil_c[RADIUS + 1] = {-2.8f, 0.8f, -0.1f, 0.015f, -0.001f};

static void stencil25_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    struct stencil25 block = {.in = d->in[0], .out = d->out[0], .nx = d->n[0], .ny = d->n[1], .nz = d->n[2]};
    for (int i = 0; i <= RADIUS; ++i)
        block.c[i] = stencil_c[i];
    tw_parallel_for_nd_range_kernel(cg, unseen_2d(d->n[1] - 2 * RADIUS, d->n[0] - 2 * RADIUS, PLANE_Y, PLANE_X),
                                    TW_KERNEL(stencil25), &block, sizeof block);
    unseen_submit(queue, cg);
}

static void stencil25_openmp(const struct unseen_data *d)
{
    const float *in = d->in[0];
    float *out = d->out[0];
    const int nx = d->n[0], ny = d->n[1], nz = d->n[2], plane = nx * ny;
#pragma omp parallel for collapse(2)
    for (int z = RADIUS; z < nz - RADIUS; ++z)
        for (int y = RADIUS; y < ny - RADIUS; ++y)
#pragma omp simd
            for (int x = RADIUS; x < nx - RADIUS; ++x) {
                const float *p = in + z * plane + y * nx + x;
                float value = stencil_c[0] * p[0];
                for (int i = 1; i <= RADIUS; ++i)
                    value += stencil_c[i] * (p[i * plane] + p[-i * plane] + p[-i * nx] + p[i * nx] + p[-i] + p[i]);
                out[z * plane + y * nx + x] = value;
            }
}

static void stencil25_prepare(struct unseen_problem *p, bool quick)
{
    const int side = (quick ? 32 : 160) + 2 * RADIUS;
    const size_t count = (size_t)side * (size_t)side * (size_t)side;
    for (int i = 0; i < 3; ++i)
        p->data.n[i] = side;
    p->data.in[0] = unseen_floats(count, -1, 1);
    unseen_add_output(p, UNSEEN_FLOATS, count, 1e-4, p->data.in[0]);
}

const struct unseen_program unseen_grids[] = {
    {"srad", "anisotropic diffusion, two kernels a step", srad_prepare, srad_teamwork, srad_openmp},
    {"potts", "Potts model of eight states, checkerboard", potts_prepare, potts_teamwork, potts_openmp},
    {"stencil25", "25 points in 3D, a tile of each plane", stencil25_prepare, stencil25_teamwork, stencil25_openmp},
    {NULL, NULL, NULL, NULL, NULL}};
