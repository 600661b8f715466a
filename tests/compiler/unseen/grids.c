/* SPDX-License-Identifier: Apache-2.0 */
/* Grids with states: anisotropic diffusion, lattice Boltzmann, alignment of strings by wavefronts, spins. unseen.h says
   how programs are written here. */
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

/* ---- lbm: lattice Boltzmann, nine speeds, an array of structs, on a torus with walls ----------------------------- */

struct lattice {
    float f[9];
};

struct lbm {
    const struct lattice *from;
    struct lattice *to;
    const unsigned char *wall;
    int width, height;
    float omega;
};

static inline void lbm_collide(struct lattice *cell, float omega)
{
    static const float weight[9] = {4 / 9.0f,  1 / 9.0f,  1 / 9.0f,  1 / 9.0f, 1 / 9.0f,
                                    1 / 36.0f, 1 / 36.0f, 1 / 36.0f, 1 / 36.0f};
    static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    float density = 0, ux = 0, uy = 0;
    for (int i = 0; i < 9; ++i) {
        density += cell->f[i];
        ux += (float)cx[i] * cell->f[i];
        uy += (float)cy[i] * cell->f[i];
    }
    ux /= density;
    uy /= density;
    for (int i = 0; i < 9; ++i) {
        const float cu = 3 * ((float)cx[i] * ux + (float)cy[i] * uy);
        const float equilibrium = weight[i] * density * (1 + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
        cell->f[i] += omega * (equilibrium - cell->f[i]);
    }
}

static inline struct lattice lbm_bounce(struct lattice c)
{
    return (struct lattice){{c.f[0], c.f[3], c.f[4], c.f[1], c.f[2], c.f[7], c.f[8], c.f[5], c.f[6]}};
}

static inline void lbm_point(const struct lbm *k, int x, int y)
{
    static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    struct lattice cell;
    for (int i = 0; i < 9; ++i) {
        const int fx = (x - cx[i] + k->width) % k->width, fy = (y - cy[i] + k->height) % k->height;
        cell.f[i] = k->from[fy * k->width + fx].f[i];
    }
    if (k->wall[y * k->width + x])
        cell = lbm_bounce(cell);
    else
        lbm_collide(&cell, k->omega);
    k->to[y * k->width + x] = cell;
}

static inline void lbm(tw_nd_item item, const struct lbm *k)
{
    const int y = (int)tw_global_id(item, 0), x = (int)tw_global_id(item, 1);
    if (x >= k->width || y >= k->height)
        return;
    lbm_point(k, x, y);
}
TW_ND_RANGE_KERNEL(lbm, 8, 32);

static void lbm_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    struct lattice *grids[2] = {d->out[0], d->scratch};
    for (int i = 0; i < d->n[2]; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, unseen_2d(d->n[1], d->n[0], 8, 32), lbm, .from = grids[i % 2],
                                 .to = grids[1 - i % 2], .wall = d->in[0], .width = d->n[0], .height = d->n[1],
                                 .omega = 1.2f);
        unseen_submit(queue, cg);
    }
}

static void lbm_openmp(const struct unseen_data *d)
{
    struct lattice *grids[2] = {d->out[0], d->scratch};
    for (int i = 0; i < d->n[2]; ++i) {
        const struct lbm k = {grids[i % 2], grids[1 - i % 2], d->in[0], d->n[0], d->n[1], 1.2f};
#pragma omp parallel for
        for (int y = 0; y < k.height; ++y)
            for (int x = 0; x < k.width; ++x)
                lbm_point(&k, x, y);
    }
}

static void lbm_prepare(struct unseen_problem *p, bool quick)
{
    const int width = p->data.n[0] = quick ? 50 : 500, height = p->data.n[1] = quick ? 40 : 400;
    const size_t count = (size_t)width * (size_t)height;
    unsigned char *wall = unseen_bytes(count);
    for (size_t i = 0; i < count; ++i)
        wall[i] = wall[i] < 4;
    p->data.n[2] = 8;
    p->data.in[0] = wall;
    p->data.scratch = unseen_memory(count * sizeof(struct lattice));
    unseen_add_output(p, UNSEEN_FLOATS, count * 9, 1e-4, unseen_floats(count * 9, 0.1f, 0.2f));
}

/* ---- nw: Needleman and Wunsch, a launch for each diagonal of tiles ----------------------------------------------- */

enum { NW = 16 };

struct nw {
    const int *reference;
    int *score;
    int columns, penalty, diagonal, first; /* the first tile row of the diagonal */
};

static inline int greatest_of_3(int a, int b, int c)
{
    const int most = a > b ? a : b;
    return most > c ? most : c;
}

static inline void nw(tw_nd_item item, const struct nw *k)
{
    TW_LOCAL(int, temp, [NW + 1][NW + 1]);
    TW_LOCAL(int, ref, [NW][NW]);
    const int tx = (int)tw_local_id(item, 0), by = k->first + (int)tw_group_id(item, 0), bx = k->diagonal - by;
    const int corner = k->columns * NW * by + NW * bx;
    if (tx == 0)
        temp[0][0] = k->score[corner];
    for (int ty = 0; ty < NW; ++ty)
        ref[ty][tx] = k->reference[corner + k->columns * (ty + 1) + tx + 1];
    tw_barrier(item, TW_LOCAL_SPACE);
    temp[tx + 1][0] = k->score[corner + k->columns * (tx + 1)];
    tw_barrier(item, TW_LOCAL_SPACE);
    temp[0][tx + 1] = k->score[corner + tx + 1];
    tw_barrier(item, TW_LOCAL_SPACE);
    for (int m = 0; m < NW; ++m) {
        if (tx <= m) {
            const int x = tx + 1, y = m - tx + 1;
            temp[y][x] = greatest_of_3(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - k->penalty,
                                       temp[y - 1][x] - k->penalty);
        }
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    for (int m = NW - 2; m >= 0; --m) {
        if (tx <= m) {
            const int x = tx + NW - m, y = NW - tx;
            temp[y][x] = greatest_of_3(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - k->penalty,
                                       temp[y - 1][x] - k->penalty);
        }
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    for (int ty = 0; ty < NW; ++ty)
        k->score[corner + k->columns * (ty + 1) + tx + 1] = temp[ty + 1][tx + 1];
}
TW_ND_RANGE_KERNEL(nw, NW);

static void nw_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const int tiles = d->n[0] / NW;
    for (int diagonal = 0; diagonal < 2 * tiles - 1; ++diagonal) {
        const int first = diagonal < tiles ? 0 : diagonal - tiles + 1, last = diagonal < tiles ? diagonal : tiles - 1;
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, unseen_1d((last - first + 1) * NW, NW), nw, .reference = d->in[0],
                                 .score = d->out[0], .columns = d->n[0] + 1, .penalty = 10, .diagonal = diagonal,
                                 .first = first);
        unseen_submit(queue, cg);
    }
}

static void nw_tile(const int *reference, int *score, int columns, int y0, int x0, int side)
{
    for (int y = y0; y < y0 + side; ++y)
        for (int x = x0; x < x0 + side; ++x)
            score[y * columns + x] = greatest_of_3(score[(y - 1) * columns + x - 1] + reference[y * columns + x],
                                                   score[y * columns + x - 1] - 10, score[(y - 1) * columns + x] - 10);
}

static void nw_openmp(const struct unseen_data *d)
{
    enum { SIDE = 64 };
    const int tiles = d->n[0] / SIDE;
    for (int diagonal = 0; diagonal < 2 * tiles - 1; ++diagonal) {
        const int first = diagonal < tiles ? 0 : diagonal - tiles + 1, last = diagonal < tiles ? diagonal : tiles - 1;
#pragma omp parallel for schedule(dynamic)
        for (int by = first; by <= last; ++by)
            nw_tile(d->in[0], d->out[0], d->n[0] + 1, by * SIDE + 1, (diagonal - by) * SIDE + 1, SIDE);
    }
}

static void nw_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 128 : 2048;
    const size_t count = (size_t)(n + 1) * (size_t)(n + 1);
    int *score = memset(unseen_memory(count * sizeof *score), 0, count * sizeof *score);
    for (int i = 0; i <= n; ++i)
        score[i] = score[i * (n + 1)] = -10 * i;
    p->data.in[0] = unseen_ints(count, -4, 12);
    unseen_add_output(p, UNSEEN_INTS, count, 0, score);
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

const struct unseen_program unseen_grids[] = {
    {"srad", "anisotropic diffusion, two kernels a step", srad_prepare, srad_teamwork, srad_openmp},
    {"lbm", "lattice Boltzmann, D2Q9, array of structs", lbm_prepare, lbm_teamwork, lbm_openmp},
    {"nw", "Needleman-Wunsch, tiles of 16 by diagonals", nw_prepare, nw_teamwork, nw_openmp},
    {"potts", "Potts model of eight states, checkerboard", potts_prepare, potts_teamwork, potts_openmp},
    {NULL, NULL, NULL, NULL, NULL}};
