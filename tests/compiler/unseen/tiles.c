/* SPDX-License-Identifier: Apache-2.0 */
/* Grids in tiles with borders, loaded in the ways that CUDA programs use: heat, Jacobi, a mean, a bilateral filter,
   Laplace in three dimensions, waves. Sizes are no multiples of tiles. unseen.h says how programs are written here. */
#include <math.h>

#include "unseen.h"

static inline int least_int(int a, int b)
{
    return a < b ? a : b;
}

static inline int greatest_int(int a, int b)
{
    return a > b ? a : b;
}

/* ---- heat: 5 points, halos by work-items at the border of a tile, all behind `if (inside)` ----------------------- */

enum { HEAT = 16 };

struct heat {
    const float *from;
    float *to;
    int rows, columns;
    float factor;
};

static inline void heat(tw_nd_item item, const struct heat *k)
{
    TW_LOCAL(float, tile, [HEAT + 2][HEAT + 2]);
    const int x = (int)tw_global_id(item, 1), y = (int)tw_global_id(item, 0);
    const int tx = (int)tw_local_id(item, 1) + 1, ty = (int)tw_local_id(item, 0) + 1;
    const bool inside = x < k->columns && y < k->rows;
    const int at = y * k->columns + x;
    if (inside) {
        tile[ty][tx] = k->from[at];
        if (tx == 1 && x > 0)
            tile[ty][0] = k->from[at - 1];
        if (tx == HEAT && x < k->columns - 1)
            tile[ty][tx + 1] = k->from[at + 1];
        if (ty == 1 && y > 0)
            tile[0][tx] = k->from[at - k->columns];
        if (ty == HEAT && y < k->rows - 1)
            tile[ty + 1][tx] = k->from[at + k->columns];
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    if (inside) {
        const float now = tile[ty][tx];
        if (x > 0 && x < k->columns - 1 && y > 0 && y < k->rows - 1)
            k->to[at] =
                now + k->factor * (tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1] - 4 * now);
        else
            k->to[at] = now;
    }
}
TW_ND_RANGE_KERNEL(heat, HEAT, HEAT);

static void heat_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const int n = d->n[0];
    float *grids[2] = {d->out[0], d->out[1]};
    for (int step = 0; step < d->n[1]; ++step) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, unseen_2d(n, n, HEAT, HEAT), heat, .from = grids[step % 2],
                                 .to = grids[1 - step % 2], .rows = n, .columns = n, .factor = 0.2f);
        unseen_submit(queue, cg);
    }
}

static void heat_row(const float *from, float *to, int n, int y)
{
    const float *up = from + (y - 1) * n, *row = from + y * n, *down = from + (y + 1) * n;
    float *out = to + y * n;
    out[0] = row[0];
    out[n - 1] = row[n - 1];
    if (y == 0 || y == n - 1) {
        for (int x = 1; x < n - 1; ++x)
            out[x] = row[x];
        return;
    }
#pragma omp simd
    for (int x = 1; x < n - 1; ++x)
        out[x] = row[x] + 0.2f * (up[x] + down[x] + row[x - 1] + row[x + 1] - 4 * row[x]);
}

static void heat_openmp(const struct unseen_data *d)
{
    const int n = d->n[0];
    float *grids[2] = {d->out[0], d->out[1]};
    for (int step = 0; step < d->n[1]; ++step)
#pragma omp parallel for
        for (int y = 0; y < n; ++y)
            heat_row(grids[step % 2], grids[1 - step % 2], n, y);
}

static void heat_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 101 : 1501;
    const size_t count = (size_t)n * (size_t)n;
    p->data.n[1] = 6;
    unseen_add_output(p, UNSEEN_FLOATS, count, 1e-5, unseen_floats(count, 0, 100));
    unseen_add_output(p, UNSEEN_FLOATS, count, 1e-5, NULL);
}

/* ---- jacobi: inner points of a grid, the halo by the first and the last work-items of each dimension -------------- */

enum { JACOBI_X = 32, JACOBI_Y = 8 };

struct jacobi {
    const double *from, *right;
    double *to;
    int rows, columns; /* with the border, which stays */
    double h2;
};

static inline void jacobi(tw_nd_item item, const struct jacobi *k)
{
    TW_LOCAL(double, s, [JACOBI_Y + 2][JACOBI_X + 2]);
    const int lx = (int)tw_local_id(item, 1), ly = (int)tw_local_id(item, 0);
    const int x = (int)tw_global_id(item, 1) + 1, y = (int)tw_global_id(item, 0) + 1, pitch = k->columns;
    if (x < k->columns && y < k->rows) {
        s[ly + 1][lx + 1] = k->from[y * pitch + x];
        if (lx == 0)
            s[ly + 1][0] = k->from[y * pitch + x - 1];
        if (lx == JACOBI_X - 1 && x + 1 < k->columns)
            s[ly + 1][JACOBI_X + 1] = k->from[y * pitch + x + 1];
        if (ly == 0)
            s[0][lx + 1] = k->from[(y - 1) * pitch + x];
        if (ly == JACOBI_Y - 1 && y + 1 < k->rows)
            s[JACOBI_Y + 1][lx + 1] = k->from[(y + 1) * pitch + x];
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    if (x >= k->columns - 1 || y >= k->rows - 1)
        return;
    k->to[y * pitch + x] =
        0.25
        * (s[ly][lx + 1] + s[ly + 2][lx + 1] + s[ly + 1][lx] + s[ly + 1][lx + 2] + k->h2 * k->right[y * pitch + x]);
}
TW_ND_RANGE_KERNEL(jacobi, JACOBI_Y, JACOBI_X);

static void jacobi_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const int n = d->n[0];
    double *grids[2] = {d->out[0], d->out[1]};
    for (int step = 0; step < d->n[1]; ++step) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, unseen_2d(n - 2, n - 2, JACOBI_Y, JACOBI_X), jacobi, .from = grids[step % 2],
                                 .right = d->in[0], .to = grids[1 - step % 2], .rows = n, .columns = n, .h2 = 1e-3);
        unseen_submit(queue, cg);
    }
}

static void jacobi_openmp(const struct unseen_data *d)
{
    const int n = d->n[0];
    const double *right = d->in[0];
    double *grids[2] = {d->out[0], d->out[1]};
    for (int step = 0; step < d->n[1]; ++step) {
        const double *from = grids[step % 2];
        double *to = grids[1 - step % 2];
#pragma omp parallel for
        for (int y = 1; y < n - 1; ++y)
#pragma omp simd
            for (int x = 1; x < n - 1; ++x)
                to[y * n + x] = 0.25
                                * (from[(y - 1) * n + x] + from[(y + 1) * n + x] + from[y * n + x - 1]
                                   + from[y * n + x + 1] + 1e-3 * right[y * n + x]);
    }
}

static void jacobi_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 93 : 1203;
    const size_t count = (size_t)n * (size_t)n;
    p->data.n[1] = 6;
    p->data.in[0] = unseen_doubles(count, -1, 1);
    unseen_add_output(p, UNSEEN_DOUBLES, count, 1e-9, unseen_doubles(count, 0, 1));
    unseen_add_output(p, UNSEEN_DOUBLES, count, 1e-9, unseen_doubles(count, 0, 1));
}

/* ---- box_mean: mean of a window, which a group loads in steps of its linear id ------------------------------------ */

enum { BOX = 16, BOX_R = 4, BOX_W = BOX + 2 * BOX_R };

struct box {
    const float *in;
    float *out;
    int width, height;
};

static inline void box_mean(tw_nd_item item, const struct box *k)
{
    TW_LOCAL(float, window, [BOX_W * BOX_W]);
    const int x0 = (int)tw_group_id(item, 1) * BOX - BOX_R, y0 = (int)tw_group_id(item, 0) * BOX - BOX_R;
    for (int i = (int)tw_local_linear_id(item); i < BOX_W * BOX_W; i += BOX * BOX) {
        const int x = x0 + i % BOX_W, y = y0 + i / BOX_W;
        float value = 0;
        if (x >= 0 && x < k->width && y >= 0 && y < k->height)
            value = k->in[y * k->width + x];
        window[i] = value;
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    const int tx = (int)tw_local_id(item, 1), ty = (int)tw_local_id(item, 0);
    const int x = x0 + BOX_R + tx, y = y0 + BOX_R + ty;
    if (x < k->width && y < k->height) {
        float sum = 0;
        for (int j = 0; j <= 2 * BOX_R; ++j)
            for (int i = 0; i <= 2 * BOX_R; ++i)
                sum += window[(ty + j) * BOX_W + tx + i];
        k->out[y * k->width + x] = sum / (float)((2 * BOX_R + 1) * (2 * BOX_R + 1));
    }
}
TW_ND_RANGE_KERNEL(TW_BLOCK(box) box_mean, BOX, BOX);

static void box_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_2d(d->n[1], d->n[0], BOX, BOX), box_mean, .in = d->in[0], .out = d->out[0],
                             .width = d->n[0], .height = d->n[1]);
    unseen_submit(queue, cg);
}

/* Sums of columns first, then of a row of them. */
static void box_openmp(const struct unseen_data *d)
{
    const int width = d->n[0], height = d->n[1];
    const float *in = d->in[0];
    float *out = d->out[0], *columns = d->scratch;
#pragma omp parallel for
    for (int y = 0; y < height; ++y) {
        const int first = greatest_int(y - BOX_R, 0), last = least_int(y + BOX_R, height - 1);
        float *sums = columns + y * (width + 2 * BOX_R);
        for (int i = 0; i < BOX_R; ++i)
            sums[i] = sums[BOX_R + width + i] = 0;
        for (int x = 0; x < width; ++x)
            sums[BOX_R + x] = in[first * width + x];
        for (int j = first + 1; j <= last; ++j)
#pragma omp simd
            for (int x = 0; x < width; ++x)
                sums[BOX_R + x] += in[j * width + x];
#pragma omp simd
        for (int x = 0; x < width; ++x) {
            float sum = 0;
            for (int i = 0; i <= 2 * BOX_R; ++i)
                sum += sums[x + i];
            out[y * width + x] = sum / (float)((2 * BOX_R + 1) * (2 * BOX_R + 1));
        }
    }
}

static void box_prepare(struct unseen_problem *p, bool quick)
{
    const int width = p->data.n[0] = quick ? 77 : 1901, height = p->data.n[1] = quick ? 61 : 1403;
    p->data.in[0] = unseen_floats((size_t)width * (size_t)height, 0, 1);
    p->data.scratch = unseen_memory(sizeof(float) * (size_t)(width + 2 * BOX_R) * (size_t)height);
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)width * (size_t)height, 1e-4, NULL);
}

/* ---- bilateral: weights of place and of difference; a window loaded row by row, its border repeated --------------- */

enum { BILATERAL = 16, BILATERAL_R = 3, BILATERAL_W = BILATERAL + 2 * BILATERAL_R };

struct bilateral {
    const float *in;
    float *out;
    int width, height;
    float place[2 * BILATERAL_R + 1][2 * BILATERAL_R + 1], range;
};

static inline void bilateral(tw_nd_item item, const struct bilateral *k)
{
    TW_LOCAL(float, window, [BILATERAL_W][BILATERAL_W + 1]);
    const int tx = (int)tw_local_id(item, 1), ty = (int)tw_local_id(item, 0);
    const int x0 = (int)tw_group_id(item, 1) * BILATERAL - BILATERAL_R,
              y0 = (int)tw_group_id(item, 0) * BILATERAL - BILATERAL_R;
    for (int j = ty; j < BILATERAL_W; j += BILATERAL)
        for (int i = tx; i < BILATERAL_W; i += BILATERAL) {
            const int x = least_int(greatest_int(x0 + i, 0), k->width - 1);
            const int y = least_int(greatest_int(y0 + j, 0), k->height - 1);
            window[j][i] = k->in[y * k->width + x];
        }
    tw_barrier(item, TW_LOCAL_SPACE);
    const int x = x0 + BILATERAL_R + tx, y = y0 + BILATERAL_R + ty;
    if (x >= k->width || y >= k->height)
        return;
    const float centre = window[ty + BILATERAL_R][tx + BILATERAL_R];
    float sum = 0, weights = 0;
    for (int j = 0; j <= 2 * BILATERAL_R; ++j)
        for (int i = 0; i <= 2 * BILATERAL_R; ++i) {
            const float value = window[ty + j][tx + i], difference = value - centre;
            const float weight = k->place[j][i] / (1 + k->range * difference * difference);
            sum += weight * value;
            weights += weight;
        }
    k->out[y * k->width + x] = sum / weights;
}
TW_ND_RANGE_KERNEL(bilateral, BILATERAL, BILATERAL);

static void weigh_places(float place[2 * BILATERAL_R + 1][2 * BILATERAL_R + 1])
{
    for (int j = -BILATERAL_R; j <= BILATERAL_R; ++j)
        for (int i = -BILATERAL_R; i <= BILATERAL_R; ++i)
            place[j + BILATERAL_R][i + BILATERAL_R] = expf(-(float)(i * i + j * j) / 8);
}

static void bilateral_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    struct bilateral block = {.in = d->in[0], .out = d->out[0], .width = d->n[0], .height = d->n[1], .range = 12.5f};
    weigh_places(block.place);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range_kernel(cg, unseen_2d(d->n[1], d->n[0], BILATERAL, BILATERAL), TW_KERNEL(bilateral), &block,
                                    sizeof block);
    unseen_submit(queue, cg);
}

/* One row, in strips whose sums stay in registers. */
static void bilateral_row(const float *restrict padded, float *restrict out, int width, const float *restrict place)
{
    enum { R = BILATERAL_R, STRIP = 32 };
    const int pitch = width + 2 * R;
    for (int x0 = 0; x0 < width; x0 += STRIP) {
        const int count = least_int(STRIP, width - x0);
        float sums[STRIP] = {0}, weights[STRIP] = {0};
        for (int j = 0; j <= 2 * R; ++j)
            for (int i = 0; i <= 2 * R; ++i)
#pragma omp simd
                for (int x = 0; x < count; ++x) {
                    const float value = padded[j * pitch + x0 + x + i];
                    const float difference = value - padded[R * pitch + x0 + x + R];
                    const float weight = place[j * (2 * R + 1) + i] / (1 + 12.5f * difference * difference);
                    sums[x] += weight * value;
                    weights[x] += weight;
                }
        for (int x = 0; x < count; ++x)
            out[x0 + x] = sums[x] / weights[x];
    }
}

static void bilateral_openmp(const struct unseen_data *d)
{
    enum { R = BILATERAL_R };
    const int width = d->n[0], height = d->n[1], pitch = width + 2 * R;
    const float *in = d->in[0];
    float *out = d->out[0], *padded = d->scratch, place[2 * R + 1][2 * R + 1];
    weigh_places(place);
#pragma omp parallel for
    for (int y = 0; y < height + 2 * R; ++y)
        for (int x = 0; x < pitch; ++x)
            padded[y * pitch + x] = in[least_int(greatest_int(y - R, 0), height - 1) * width
                                       + least_int(greatest_int(x - R, 0), width - 1)];
#pragma omp parallel for
    for (int y = 0; y < height; ++y)
        bilateral_row(padded + y * pitch, out + y * width, width, place[0]);
}

static void bilateral_prepare(struct unseen_problem *p, bool quick)
{
    const int width = p->data.n[0] = quick ? 70 : 1001, height = p->data.n[1] = quick ? 53 : 751;
    p->data.in[0] = unseen_floats((size_t)width * (size_t)height, 0, 1);
    p->data.scratch =
        unseen_memory(sizeof(float) * (size_t)(width + 2 * BILATERAL_R) * (size_t)(height + 2 * BILATERAL_R));
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)width * (size_t)height, 1e-4, NULL);
}

/* ---- laplace3d: 7 points, a tile of three dimensions --------------------------------------------------------------- */

enum { LZ = 4, LY = 8, LX = 16 };

struct laplace3d {
    const float *in;
    float *out;
    int nx, ny, nz;
};

static inline void laplace3d(tw_nd_item item, const struct laplace3d *k)
{
    TW_LOCAL(float, s, [LZ + 2][LY + 2][LX + 2]);
    const int z = (int)tw_global_id(item, 0), y = (int)tw_global_id(item, 1), x = (int)tw_global_id(item, 2);
    const int lz = (int)tw_local_id(item, 0) + 1, ly = (int)tw_local_id(item, 1) + 1,
              lx = (int)tw_local_id(item, 2) + 1;
    const int plane = k->nx * k->ny, at = z * plane + y * k->nx + x;
    const bool inside = x < k->nx && y < k->ny && z < k->nz;
    s[lz][ly][lx] = inside ? k->in[at] : 0;
    if (lx == 1)
        s[lz][ly][0] = inside && x > 0 ? k->in[at - 1] : 0;
    if (lx == LX)
        s[lz][ly][LX + 1] = inside && x < k->nx - 1 ? k->in[at + 1] : 0;
    if (ly == 1)
        s[lz][0][lx] = inside && y > 0 ? k->in[at - k->nx] : 0;
    if (ly == LY)
        s[lz][LY + 1][lx] = inside && y < k->ny - 1 ? k->in[at + k->nx] : 0;
    if (lz == 1)
        s[0][ly][lx] = inside && z > 0 ? k->in[at - plane] : 0;
    if (lz == LZ)
        s[LZ + 1][ly][lx] = inside && z < k->nz - 1 ? k->in[at + plane] : 0;
    tw_barrier(item, TW_LOCAL_SPACE);
    if (inside)
        k->out[at] = s[lz][ly][lx - 1] + s[lz][ly][lx + 1] + s[lz][ly - 1][lx] + s[lz][ly + 1][lx] + s[lz - 1][ly][lx]
                     + s[lz + 1][ly][lx] - 6 * s[lz][ly][lx];
}
TW_ND_RANGE_KERNEL(laplace3d, LZ, LY, LX);

static void laplace3d_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const int nx = d->n[0], ny = d->n[1], nz = d->n[2];
    tw_command_group *cg = tw_queue_begin(queue);
    const tw_nd_range range =
        tw_nd_range_make(tw_range_3d(unseen_round_up(nz, LZ), unseen_round_up(ny, LY), unseen_round_up(nx, LX)),
                         tw_range_3d(LZ, LY, LX));
    tw_parallel_for_nd_range(cg, range, laplace3d, .in = d->in[0], .out = d->out[0], .nx = nx, .ny = ny, .nz = nz);
    unseen_submit(queue, cg);
}

static void laplace3d_openmp(const struct unseen_data *d)
{
    const int nx = d->n[0], ny = d->n[1], nz = d->n[2], plane = nx * ny;
    const float *in = d->in[0], *zeros = d->in[1];
    float *out = d->out[0];
#pragma omp parallel for collapse(2)
    for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y) {
            const float *row = in + z * plane + y * nx;
            const float *up = y > 0 ? row - nx : zeros, *down = y < ny - 1 ? row + nx : zeros;
            const float *front = z > 0 ? row - plane : zeros, *back = z < nz - 1 ? row + plane : zeros;
            float *to = out + z * plane + y * nx;
            to[0] = row[1] + up[0] + down[0] + front[0] + back[0] - 6 * row[0];
#pragma omp simd
            for (int x = 1; x < nx - 1; ++x)
                to[x] = row[x - 1] + row[x + 1] + up[x] + down[x] + front[x] + back[x] - 6 * row[x];
            const int x = nx - 1;
            to[x] = row[x - 1] + up[x] + down[x] + front[x] + back[x] - 6 * row[x];
        }
}

static void laplace3d_prepare(struct unseen_problem *p, bool quick)
{
    const int nx = p->data.n[0] = quick ? 37 : 203, ny = p->data.n[1] = quick ? 21 : 147,
              nz = p->data.n[2] = quick ? 9 : 98;
    const size_t count = (size_t)nx * (size_t)ny * (size_t)nz;
    p->data.in[0] = unseen_floats(count, 0, 1);
    p->data.in[1] = unseen_floats((size_t)nx, 0, 0);
    unseen_add_output(p, UNSEEN_FLOATS, count, 1e-4, NULL);
}

/* ---- wave: second order in time, fourth in space; two rows and columns of halo ------------------------------------- */

enum { WAVE = 16, WAVE_R = 2 };

struct wave {
    const float *now;
    float *before; /* becomes what is next */
    int n;
    float c;
};

static inline void wave(tw_nd_item item, const struct wave *k)
{
    TW_LOCAL(float, u, [WAVE + 2 * WAVE_R][WAVE + 2 * WAVE_R]);
    const int lx = (int)tw_local_id(item, 1), ly = (int)tw_local_id(item, 0), sx = lx + WAVE_R, sy = ly + WAVE_R;
    const int gx = (int)tw_global_id(item, 1), gy = (int)tw_global_id(item, 0), n = k->n;
    const int x = least_int(gx, n - 1), y = least_int(gy, n - 1);
    u[sy][sx] = k->now[y * n + x];
    if (lx < WAVE_R) {
        u[sy][lx] = k->now[y * n + greatest_int(x - WAVE_R, 0)];
        u[sy][sx + WAVE] = k->now[y * n + least_int(x + WAVE, n - 1)];
    }
    if (ly < WAVE_R) {
        u[ly][sx] = k->now[greatest_int(y - WAVE_R, 0) * n + x];
        u[sy + WAVE][sx] = k->now[least_int(y + WAVE, n - 1) * n + x];
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    if (gx >= WAVE_R && gx < n - WAVE_R && gy >= WAVE_R && gy < n - WAVE_R) {
        const float near = u[sy][sx - 1] + u[sy][sx + 1] + u[sy - 1][sx] + u[sy + 1][sx];
        const float far = u[sy][sx - 2] + u[sy][sx + 2] + u[sy - 2][sx] + u[sy + 2][sx];
        float *before = &k->before[gy * n + gx];
        *before = 2 * u[sy][sx] - *before + k->c * (16 * near - far - 60 * u[sy][sx]);
    }
}
TW_ND_RANGE_KERNEL(wave, WAVE, WAVE);

static void wave_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const int n = d->n[0];
    float *grids[2] = {d->out[0], d->out[1]};
    for (int step = 0; step < d->n[1]; ++step) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, unseen_2d(n, n, WAVE, WAVE), wave, .now = grids[step % 2],
                                 .before = grids[1 - step % 2], .n = n, .c = 0.01f);
        unseen_submit(queue, cg);
    }
}

static void wave_openmp(const struct unseen_data *d)
{
    const int n = d->n[0];
    for (int step = 0; step < d->n[1]; ++step) {
        const float *u = d->out[step % 2];
        float *before = d->out[1 - step % 2];
#pragma omp parallel for
        for (int y = WAVE_R; y < n - WAVE_R; ++y)
#pragma omp simd
            for (int x = WAVE_R; x < n - WAVE_R; ++x) {
                const int at = y * n + x;
                const float near = u[at - 1] + u[at + 1] + u[at - n] + u[at + n],
                            far = u[at - 2] + u[at + 2] + u[at - 2 * n] + u[at + 2 * n];
                before[at] = 2 * u[at] - before[at] + 0.01f * (16 * near - far - 60 * u[at]);
            }
    }
}

static void wave_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 99 : 1299;
    const size_t count = (size_t)n * (size_t)n;
    p->data.n[1] = 4;
    unseen_add_output(p, UNSEEN_FLOATS, count, 1e-4, unseen_floats(count, 0, 1));
    unseen_add_output(p, UNSEEN_FLOATS, count, 1e-4, unseen_floats(count, 0, 1));
}

const struct unseen_program unseen_tiles[] = {
    {"heat", "5 points, a tile behind `if (inside)`", heat_prepare, heat_teamwork, heat_openmp},
    {"jacobi", "inner points, halo by first and last work-items", jacobi_prepare, jacobi_teamwork, jacobi_openmp},
    {"box_mean", "mean of 9 x 9, a window loaded in steps", box_prepare, box_teamwork, box_openmp},
    {"bilateral", "7 x 7, a window loaded by rows in steps", bilateral_prepare, bilateral_teamwork, bilateral_openmp},
    {"laplace3d", "7 points, a tile of three dimensions", laplace3d_prepare, laplace3d_teamwork, laplace3d_openmp},
    {"wave", "9 points, halo of two, ends clamped", wave_prepare, wave_teamwork, wave_openmp},
    {NULL, NULL, NULL, NULL, NULL}};
