/* SPDX-License-Identifier: Apache-2.0 */
/* Stencils in tiles with halos: heat of a chip, least path, 25 points in three dimensions, separable convolution.
   unseen.h says how programs are written here. */
#include "unseen.h"

static inline int least_int(int a, int b)
{
    return a < b ? a : b;
}

static inline int greatest_int(int a, int b)
{
    return a > b ? a : b;
}

/* ---- hotspot: two steps in a tile whose valid part shrinks ------------------------------------------------------- */

enum { HOT = 16, HOT_STEPS = 2 };

struct hotspot {
    const float *power, *from;
    float *to;
    int rows, columns, steps;
    float cap, rx, ry, rz;
};

static inline void hotspot(tw_nd_item item, const struct hotspot *k)
{
    TW_LOCAL(float, now, [HOT][HOT]);
    TW_LOCAL(float, power, [HOT][HOT]);
    TW_LOCAL(float, next, [HOT][HOT]);
    const float ambient = 80;
    const int tx = (int)tw_local_id(item, 1), ty = (int)tw_local_id(item, 0);
    const int small = HOT - k->steps * 2;
    const int y0 = small * (int)tw_group_id(item, 0) - k->steps, x0 = small * (int)tw_group_id(item, 1) - k->steps;
    const int y1 = y0 + HOT - 1, x1 = x0 + HOT - 1;
    const int y = y0 + ty, x = x0 + tx, at = k->columns * y + x;
    if (y >= 0 && y <= k->rows - 1 && x >= 0 && x <= k->columns - 1) {
        now[ty][tx] = k->from[at];
        power[ty][tx] = k->power[at];
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    const int valid_y0 = y0 < 0 ? -y0 : 0, valid_y1 = y1 > k->rows - 1 ? HOT - 1 - (y1 - k->rows + 1) : HOT - 1;
    const int valid_x0 = x0 < 0 ? -x0 : 0, valid_x1 = x1 > k->columns - 1 ? HOT - 1 - (x1 - k->columns + 1) : HOT - 1;
    const int n = greatest_int(ty - 1, valid_y0), s = least_int(ty + 1, valid_y1);
    const int w = greatest_int(tx - 1, valid_x0), e = least_int(tx + 1, valid_x1);
    bool computed = false;
    for (int i = 0; i < k->steps; ++i) {
        computed = false;
        if (tx >= i + 1 && tx <= HOT - i - 2 && ty >= i + 1 && ty <= HOT - i - 2 && tx >= valid_x0 && tx <= valid_x1
            && ty >= valid_y0 && ty <= valid_y1) {
            computed = true;
            next[ty][tx] =
                now[ty][tx]
                + k->cap
                      * (power[ty][tx] + (now[s][tx] + now[n][tx] - 2 * now[ty][tx]) * k->ry
                         + (now[ty][e] + now[ty][w] - 2 * now[ty][tx]) * k->rx + (ambient - now[ty][tx]) * k->rz);
        }
        tw_barrier(item, TW_LOCAL_SPACE);
        if (i == k->steps - 1)
            break;
        if (computed)
            now[ty][tx] = next[ty][tx];
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    if (computed)
        k->to[at] = next[ty][tx];
}
TW_ND_RANGE_KERNEL(hotspot, HOT, HOT);

static const float hot_cap = 0.5f, hot_rx = 0.1f, hot_ry = 0.1f, hot_rz = 0.0003f;

static void hotspot_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const int n = d->n[0], groups = (n + HOT - 2 * HOT_STEPS - 1) / (HOT - 2 * HOT_STEPS);
    float *grids[2] = {d->out[0], d->out[1]};
    for (int step = 0; step < d->n[1]; step += HOT_STEPS) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, unseen_2d(groups * HOT, groups * HOT, HOT, HOT), hotspot, .power = d->in[0],
                                 .from = grids[step / HOT_STEPS % 2], .to = grids[1 - step / HOT_STEPS % 2], .rows = n,
                                 .columns = n, .steps = HOT_STEPS, .cap = hot_cap, .rx = hot_rx, .ry = hot_ry,
                                 .rz = hot_rz);
        unseen_submit(queue, cg);
    }
}

static void hotspot_step(const float *power, const float *from, float *to, int n)
{
#pragma omp parallel for
    for (int y = 0; y < n; ++y) {
        const float *up = from + greatest_int(y - 1, 0) * n, *down = from + least_int(y + 1, n - 1) * n,
                    *row = from + y * n;
#pragma omp simd
        for (int x = 0; x < n; ++x) {
            const float now = row[x], west = row[x > 0 ? x - 1 : 0], east = row[x < n - 1 ? x + 1 : n - 1];
            to[y * n + x] = now
                            + hot_cap
                                  * (power[y * n + x] + (down[x] + up[x] - 2 * now) * hot_ry
                                     + (east + west - 2 * now) * hot_rx + (80 - now) * hot_rz);
        }
    }
}

/* The same numbers of steps and of buffers: each second step lands in memory of its own. */
static void hotspot_openmp(const struct unseen_data *d)
{
    float *from = d->out[0], *to = d->out[1], *between = d->scratch;
    for (int step = 0; step < d->n[1]; step += HOT_STEPS) {
        hotspot_step(d->in[0], from, between, d->n[0]);
        hotspot_step(d->in[0], between, to, d->n[0]);
        float *swap = from;
        from = to;
        to = swap;
    }
}

static void hotspot_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 100 : 1000;
    const size_t count = (size_t)n * (size_t)n;
    p->data.n[1] = 8;
    p->data.in[0] = unseen_floats(count, 0, 1);
    unseen_add_output(p, UNSEEN_FLOATS, count, 1e-4, unseen_floats(count, 60, 90));
    unseen_add_output(p, UNSEEN_FLOATS, count, 1e-4, NULL);
    p->data.scratch = unseen_floats(count, 0, 1);
}

/* ---- pathfinder: rows of a table, some of them in one kernel by a tile that shrinks ------------------------------ */

enum { PATH = 256, PATH_STEPS = 20 };

struct pathfinder {
    const int *wall, *from;
    int *to;
    int columns, start, steps;
};

static inline void pathfinder(tw_nd_item item, const struct pathfinder *k)
{
    TW_LOCAL(int, previous, [PATH]);
    TW_LOCAL(int, result, [PATH]);
    const int tx = (int)tw_local_id(item, 0), bx = (int)tw_group_id(item, 0);
    const int small = PATH - k->steps * 2, x0 = small * bx - k->steps, x1 = x0 + PATH - 1, x = x0 + tx;
    const int valid0 = x0 < 0 ? -x0 : 0, valid1 = x1 > k->columns - 1 ? PATH - 1 - (x1 - k->columns + 1) : PATH - 1;
    const int w = tx - 1 < valid0 ? valid0 : tx - 1, e = tx + 1 > valid1 ? valid1 : tx + 1;
    const bool is_valid = tx >= valid0 && tx <= valid1;
    if (x >= 0 && x <= k->columns - 1)
        previous[tx] = k->from[x];
    tw_barrier(item, TW_LOCAL_SPACE);
    bool computed = false;
    for (int i = 0; i < k->steps; ++i) {
        computed = false;
        if (tx >= i + 1 && tx <= PATH - i - 2 && is_valid) {
            computed = true;
            const int left = previous[w], up = previous[tx], right = previous[e];
            const int shortest = least_int(least_int(left, up), right);
            result[tx] = shortest + k->wall[k->columns * (k->start + i) + x];
        }
        tw_barrier(item, TW_LOCAL_SPACE);
        if (i == k->steps - 1)
            break;
        if (computed)
            previous[tx] = result[tx];
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    if (computed)
        k->to[x] = result[tx];
}
TW_ND_RANGE_KERNEL(pathfinder, PATH);

static void pathfinder_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const int columns = d->n[0], rows = d->n[1], small = PATH - 2 * PATH_STEPS;
    int *grids[2] = {d->out[0], d->scratch};
    for (int start = 0; start < rows; start += PATH_STEPS) {
        const int turn = start / PATH_STEPS % 2;
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, unseen_1d((columns + small - 1) / small * PATH, PATH), pathfinder,
                                 .wall = d->in[0], .from = grids[turn], .to = grids[1 - turn], .columns = columns,
                                 .start = start, .steps = least_int(PATH_STEPS, rows - start));
        unseen_submit(queue, cg);
    }
}

static void pathfinder_openmp(const struct unseen_data *d)
{
    const int *wall = d->in[0], columns = d->n[0], rows = d->n[1];
    int *from = d->out[0], *to = d->scratch;
    for (int row = 0; row < rows; ++row) {
#pragma omp parallel for simd
        for (int x = 0; x < columns; ++x) {
            const int left = from[x > 0 ? x - 1 : 0], up = from[x], right = from[x < columns - 1 ? x + 1 : x];
            to[x] = least_int(least_int(left, up), right) + wall[row * columns + x];
        }
        int *swap = from;
        from = to;
        to = swap;
    }
}

/* An even number of kernels, and of rows, ends in the array where it began. */
static void pathfinder_prepare(struct unseen_problem *p, bool quick)
{
    const int columns = p->data.n[0] = quick ? 2000 : 100000, rows = p->data.n[1] = quick ? 40 : 80;
    p->data.in[0] = unseen_ints((size_t)columns * (size_t)rows, 0, 10);
    unseen_add_output(p, UNSEEN_INTS, (size_t)columns, 0, unseen_ints((size_t)columns, 0, 10));
    p->data.scratch = unseen_ints((size_t)columns, 0, 10);
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

/* ---- convolution_sep: rows and columns of a Gaussian, each work-item several pixels ------------------------------ */

enum { KR = 8, ROWS_X = 16, ROWS_Y = 4, STEPS = 8, COLS_X = 16, COLS_Y = 8 };

struct separable {
    const float *in;
    float *out;
    int width, height;
    float weights[2 * KR + 1];
};

static inline void convolution_rows(tw_nd_item item, const struct separable *k)
{
    TW_LOCAL(float, tile, [ROWS_Y][(STEPS + 2) * ROWS_X]);
    const int tx = (int)tw_local_id(item, 1), ty = (int)tw_local_id(item, 0);
    const int x0 = ((int)tw_group_id(item, 1) * STEPS - 1) * ROWS_X + tx, y = (int)tw_group_id(item, 0) * ROWS_Y + ty;
    for (int i = 0; i < STEPS + 2; ++i) {
        const int x = x0 + i * ROWS_X;
        tile[ty][tx + i * ROWS_X] = x >= 0 && x < k->width ? k->in[y * k->width + x] : 0;
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    for (int i = 1; i < STEPS + 1; ++i) {
        float sum = 0;
        for (int j = -KR; j <= KR; ++j)
            sum += k->weights[KR - j] * tile[ty][tx + i * ROWS_X + j];
        k->out[y * k->width + x0 + i * ROWS_X] = sum;
    }
}
TW_ND_RANGE_KERNEL(TW_BLOCK(separable) convolution_rows, ROWS_Y, ROWS_X);

static inline void convolution_columns(tw_nd_item item, const struct separable *k)
{
    TW_LOCAL(float, tile, [COLS_X][(STEPS + 2) * COLS_Y + 1]);
    const int tx = (int)tw_local_id(item, 1), ty = (int)tw_local_id(item, 0);
    const int x = (int)tw_group_id(item, 1) * COLS_X + tx, y0 = ((int)tw_group_id(item, 0) * STEPS - 1) * COLS_Y + ty;
    for (int i = 0; i < STEPS + 2; ++i) {
        const int y = y0 + i * COLS_Y;
        tile[tx][ty + i * COLS_Y] = y >= 0 && y < k->height ? k->in[y * k->width + x] : 0;
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    for (int i = 1; i < STEPS + 1; ++i) {
        float sum = 0;
        for (int j = -KR; j <= KR; ++j)
            sum += k->weights[KR - j] * tile[tx][ty + i * COLS_Y + j];
        k->out[(y0 + i * COLS_Y) * k->width + x] = sum;
    }
}
TW_ND_RANGE_KERNEL(TW_BLOCK(separable) convolution_columns, COLS_Y, COLS_X);

static void weigh(float weights[2 * KR + 1])
{
    for (int i = 0; i <= 2 * KR; ++i)
        weights[i] = 1.0f / (float)(10 + (i - KR) * (i - KR) + i);
}

static void convolution_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const int n = d->n[0];
    struct separable block = {.in = d->in[0], .out = d->out[0], .width = n, .height = n};
    weigh(block.weights);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range_kernel(cg, unseen_2d(n, n / STEPS, ROWS_Y, ROWS_X), TW_KERNEL(convolution_rows), &block,
                                    sizeof block);
    unseen_submit(queue, cg);
    block.in = d->out[0];
    block.out = d->out[1];
    cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range_kernel(cg, unseen_2d(n / STEPS, n, COLS_Y, COLS_X), TW_KERNEL(convolution_columns), &block,
                                    sizeof block);
    unseen_submit(queue, cg);
}

static void convolution_openmp(const struct unseen_data *d)
{
    const float *in = d->in[0];
    float *between = d->out[0], *out = d->out[1], w[2 * KR + 1];
    const int n = d->n[0];
    weigh(w);
#pragma omp parallel for
    for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x)
            if (x < KR || x >= n - KR) {
                float sum = 0;
                for (int j = greatest_int(-KR, -x); j <= least_int(KR, n - 1 - x); ++j)
                    sum += w[KR - j] * in[y * n + x + j];
                between[y * n + x] = sum;
            }
#pragma omp simd
        for (int x = KR; x < n - KR; ++x) {
            float sum = 0;
            for (int j = -KR; j <= KR; ++j)
                sum += w[KR - j] * in[y * n + x + j];
            between[y * n + x] = sum;
        }
    }
#pragma omp parallel for
    for (int y = 0; y < n; ++y)
#pragma omp simd
        for (int x = 0; x < n; ++x) {
            float sum = 0;
            for (int j = greatest_int(-KR, -y); j <= least_int(KR, n - 1 - y); ++j)
                sum += w[KR - j] * between[(y + j) * n + x];
            out[y * n + x] = sum;
        }
}

static void convolution_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 128 : 1536;
    const size_t count = (size_t)n * (size_t)n;
    p->data.in[0] = unseen_floats(count, 0, 1);
    unseen_add_output(p, UNSEEN_FLOATS, count, 1e-4, NULL);
    unseen_add_output(p, UNSEEN_FLOATS, count, 1e-4, NULL);
}

const struct unseen_program unseen_stencils[] = {
    {"hotspot", "heat of a chip, two steps in a tile", hotspot_prepare, hotspot_teamwork, hotspot_openmp},
    {"pathfinder", "least path, 20 rows in a tile", pathfinder_prepare, pathfinder_teamwork, pathfinder_openmp},
    {"stencil25", "25 points in 3D, a tile of each plane", stencil25_prepare, stencil25_teamwork, stencil25_openmp},
    {"convolution_sep", "separable convolution, radius 8, in tiles", convolution_prepare, convolution_teamwork,
     convolution_openmp},
    {NULL, NULL, NULL, NULL, NULL}};
