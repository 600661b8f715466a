/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices and particles in blocks, with ragged edges: transpose, product, shortest paths, n bodies, sums on a line, a
   filter of a signal. unseen.h says how programs are written here. */
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

/* ---- transpose_pad: tiles of 32 x 32 by 32 x 8 work-items, a column more than is used ----------------------------- */

enum { TURN = 32, TURN_ROWS = 8 };

struct turn {
    const float *in;
    float *out;
    int width, height;
};

static inline void transpose_pad(tw_nd_item item, const struct turn *k)
{
    TW_LOCAL(float, tile, [TURN][TURN + 1]);
    const int tx = (int)tw_local_id(item, 1), ty = (int)tw_local_id(item, 0);
    int x = (int)tw_group_id(item, 1) * TURN + tx, y = (int)tw_group_id(item, 0) * TURN + ty;
    for (int j = 0; j < TURN; j += TURN_ROWS)
        if (x < k->width && y + j < k->height)
            tile[ty + j][tx] = k->in[(y + j) * k->width + x];
    tw_barrier(item, TW_LOCAL_SPACE);
    x = (int)tw_group_id(item, 0) * TURN + tx;
    y = (int)tw_group_id(item, 1) * TURN + ty;
    for (int j = 0; j < TURN; j += TURN_ROWS)
        if (x < k->height && y + j < k->width)
            k->out[(y + j) * k->height + x] = tile[tx][ty + j];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(turn) transpose_pad, TURN_ROWS, TURN);

static void transpose_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const size_t columns = unseen_round_up(d->n[0], TURN) / TURN, rows = unseen_round_up(d->n[1], TURN) / TURN;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(
        cg, tw_nd_range_make(tw_range_2d(rows * TURN_ROWS, columns * TURN), tw_range_2d(TURN_ROWS, TURN)),
        transpose_pad, .in = d->in[0], .out = d->out[0], .width = d->n[0], .height = d->n[1]);
    unseen_submit(queue, cg);
}

static void transpose_openmp(const struct unseen_data *d)
{
    enum { BLOCK = 16 };
    const int width = d->n[0], height = d->n[1];
    const float *in = d->in[0];
    float *out = d->out[0];
#pragma omp parallel for collapse(2)
    for (int x0 = 0; x0 < width; x0 += BLOCK)
        for (int y0 = 0; y0 < height; y0 += BLOCK)
            for (int x = x0; x < least_int(x0 + BLOCK, width); ++x)
                for (int y = y0; y < least_int(y0 + BLOCK, height); ++y)
                    out[x * height + y] = in[y * width + x];
}

static void transpose_prepare(struct unseen_problem *p, bool quick)
{
    const int width = p->data.n[0] = quick ? 75 : 1999, height = p->data.n[1] = quick ? 110 : 1501;
    p->data.in[0] = unseen_floats((size_t)width * (size_t)height, 0, 1);
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)width * (size_t)height, 0, NULL);
}

/* ---- matmul_ragged: C = A B in tiles, zeros behind the ends -------------------------------------------------------- */

enum { PRODUCT = 16 };

struct product {
    const float *a, *b;
    float *c;
    int rows, columns, inner;
};

static inline void matmul_ragged(tw_nd_item item, const struct product *k)
{
    TW_LOCAL(float, a, [PRODUCT][PRODUCT]);
    TW_LOCAL(float, b, [PRODUCT][PRODUCT]);
    const int tx = (int)tw_local_id(item, 1), ty = (int)tw_local_id(item, 0);
    const int column = (int)tw_global_id(item, 1), row = (int)tw_global_id(item, 0);
    float sum = 0;
    for (int t = 0; t < (k->inner + PRODUCT - 1) / PRODUCT; ++t) {
        if (row < k->rows && t * PRODUCT + tx < k->inner)
            a[ty][tx] = k->a[row * k->inner + t * PRODUCT + tx];
        else
            a[ty][tx] = 0;
        if (column < k->columns && t * PRODUCT + ty < k->inner)
            b[ty][tx] = k->b[(t * PRODUCT + ty) * k->columns + column];
        else
            b[ty][tx] = 0;
        tw_barrier(item, TW_LOCAL_SPACE);
        for (int i = 0; i < PRODUCT; ++i)
            sum += a[ty][i] * b[i][tx];
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    if (row < k->rows && column < k->columns)
        k->c[row * k->columns + column] = sum;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(product) matmul_ragged, PRODUCT, PRODUCT);

static void matmul_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_2d(d->n[0], d->n[1], PRODUCT, PRODUCT), matmul_ragged, .a = d->in[0],
                             .b = d->in[1], .c = d->out[0], .rows = d->n[0], .columns = d->n[1], .inner = d->n[2]);
    unseen_submit(queue, cg);
}

enum { STRIP = 32, STRIP_ROWS = 4 };

/* Rows and columns of the product whose sums fit into registers. */
static void matmul_strip(const float *restrict a, const float *restrict b, float *restrict c, int rows, int columns,
                         int inner, int row, int column)
{
    float sums[STRIP_ROWS][STRIP] = {{0}};
    const int width = least_int(STRIP, columns - column);
    if (row + STRIP_ROWS <= rows && width == STRIP) {
        for (int i = 0; i < inner; ++i)
            for (int y = 0; y < STRIP_ROWS; ++y)
#pragma omp simd
                for (int x = 0; x < STRIP; ++x)
                    sums[y][x] += a[(row + y) * inner + i] * b[i * columns + column + x];
    } else {
        for (int y = 0; y < least_int(STRIP_ROWS, rows - row); ++y)
            for (int i = 0; i < inner; ++i)
                for (int x = 0; x < width; ++x)
                    sums[y][x] += a[(row + y) * inner + i] * b[i * columns + column + x];
    }
    for (int y = 0; y < least_int(STRIP_ROWS, rows - row); ++y)
        for (int x = 0; x < width; ++x)
            c[(row + y) * columns + column + x] = sums[y][x];
}

static void matmul_openmp(const struct unseen_data *d)
{
    const int rows = d->n[0], columns = d->n[1], inner = d->n[2];
#pragma omp parallel for
    for (int row = 0; row < rows; row += STRIP_ROWS)
        for (int column = 0; column < columns; column += STRIP)
            matmul_strip(d->in[0], d->in[1], d->out[0], rows, columns, inner, row, column);
}

static void matmul_prepare(struct unseen_problem *p, bool quick)
{
    const int rows = p->data.n[0] = quick ? 37 : 403, columns = p->data.n[1] = quick ? 71 : 509,
              inner = p->data.n[2] = quick ? 29 : 301;
    p->data.in[0] = unseen_floats((size_t)rows * (size_t)inner, -1, 1);
    p->data.in[1] = unseen_floats((size_t)inner * (size_t)columns, -1, 1);
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)rows * (size_t)columns, 1e-4, NULL);
}

/* ---- floyd_blocks: shortest paths, three kernels for each block on the diagonal ------------------------------------ */

enum { FLOYD = 16, FAR_AWAY = 1 << 28 };

struct floyd {
    int *paths;
    int n, block;
};

static inline void floyd_diagonal(tw_nd_item item, const struct floyd *k)
{
    TW_LOCAL(int, s, [FLOYD][FLOYD]);
    const int tx = (int)tw_local_id(item, 1), ty = (int)tw_local_id(item, 0);
    const int y = k->block * FLOYD + ty, x = k->block * FLOYD + tx;
    const bool inside = y < k->n && x < k->n;
    s[ty][tx] = inside ? k->paths[y * k->n + x] : FAR_AWAY;
    tw_barrier(item, TW_LOCAL_SPACE);
    int best = s[ty][tx];
    for (int i = 0; i < FLOYD; ++i) {
        const int through = s[ty][i] + s[i][tx];
        if (through < best)
            best = through;
        tw_barrier(item, TW_LOCAL_SPACE);
        s[ty][tx] = best;
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    if (inside)
        k->paths[y * k->n + x] = best;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(floyd) floyd_diagonal, FLOYD, FLOYD);

/* Row 0 of groups has the blocks beside the diagonal's, row 1 those above and below it. */
static inline void floyd_cross(tw_nd_item item, const struct floyd *k)
{
    TW_LOCAL(int, pivot, [FLOYD][FLOYD]);
    TW_LOCAL(int, s, [FLOYD][FLOYD]);
    const int other = (int)tw_group_id(item, 1);
    if (other == k->block)
        return;
    const int tx = (int)tw_local_id(item, 1), ty = (int)tw_local_id(item, 0);
    const int py = k->block * FLOYD + ty, px = k->block * FLOYD + tx;
    pivot[ty][tx] = py < k->n && px < k->n ? k->paths[py * k->n + px] : FAR_AWAY;
    const bool is_row = tw_group_id(item, 0) == 0;
    const int y = is_row ? py : other * FLOYD + ty, x = is_row ? other * FLOYD + tx : px;
    const bool inside = y < k->n && x < k->n;
    int best = inside ? k->paths[y * k->n + x] : FAR_AWAY;
    s[ty][tx] = best;
    tw_barrier(item, TW_LOCAL_SPACE);
    for (int i = 0; i < FLOYD; ++i) {
        const int through = is_row ? pivot[ty][i] + s[i][tx] : s[ty][i] + pivot[i][tx];
        if (through < best)
            best = through;
        tw_barrier(item, TW_LOCAL_SPACE);
        s[ty][tx] = best;
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    if (inside)
        k->paths[y * k->n + x] = best;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(floyd) floyd_cross, FLOYD, FLOYD);

static inline void floyd_rest(tw_nd_item item, const struct floyd *k)
{
    TW_LOCAL(int, row, [FLOYD][FLOYD]);
    TW_LOCAL(int, column, [FLOYD][FLOYD]);
    if ((int)tw_group_id(item, 0) == k->block || (int)tw_group_id(item, 1) == k->block)
        return;
    const int tx = (int)tw_local_id(item, 1), ty = (int)tw_local_id(item, 0);
    const int y = (int)tw_global_id(item, 0), x = (int)tw_global_id(item, 1);
    const int py = k->block * FLOYD + ty, px = k->block * FLOYD + tx;
    row[ty][tx] = py < k->n && x < k->n ? k->paths[py * k->n + x] : FAR_AWAY;
    column[ty][tx] = y < k->n && px < k->n ? k->paths[y * k->n + px] : FAR_AWAY;
    tw_barrier(item, TW_LOCAL_SPACE);
    if (y < k->n && x < k->n) {
        int best = k->paths[y * k->n + x];
        for (int i = 0; i < FLOYD; ++i)
            best = least_int(best, column[ty][i] + row[i][tx]);
        k->paths[y * k->n + x] = best;
    }
}
TW_ND_RANGE_KERNEL(TW_BLOCK(floyd) floyd_rest, FLOYD, FLOYD);

static void floyd_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const int n = d->n[0], blocks = (n + FLOYD - 1) / FLOYD;
    for (int block = 0; block < blocks; ++block) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, unseen_2d(FLOYD, FLOYD, FLOYD, FLOYD), floyd_diagonal, .paths = d->out[0], .n = n,
                                 .block = block);
        unseen_submit(queue, cg);
        cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, unseen_2d(2 * FLOYD, n, FLOYD, FLOYD), floyd_cross, .paths = d->out[0], .n = n,
                                 .block = block);
        unseen_submit(queue, cg);
        cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, unseen_2d(n, n, FLOYD, FLOYD), floyd_rest, .paths = d->out[0], .n = n,
                                 .block = block);
        unseen_submit(queue, cg);
    }
}

static void floyd_openmp(const struct unseen_data *d)
{
    const int n = d->n[0];
    int *paths = d->out[0];
    for (int i = 0; i < n; ++i)
#pragma omp parallel for
        for (int y = 0; y < n; ++y) {
            const int to = paths[y * n + i], *row = paths + i * n;
            int *out = paths + y * n;
            if (to < FAR_AWAY)
#pragma omp simd
                for (int x = 0; x < n; ++x)
                    out[x] = least_int(out[x], to + row[x]);
        }
}

static void floyd_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 59 : 393;
    int *initial = unseen_ints((size_t)n * (size_t)n, 1, 10000);
    for (int i = 0; i < n * n; ++i)
        if (initial[i] > 2000)
            initial[i] = FAR_AWAY;
    for (int i = 0; i < n; ++i)
        initial[i * n + i] = 0;
    unseen_add_output(p, UNSEEN_INTS, (size_t)n * (size_t)n, 0, initial);
}

/* ---- nbody_blocks: forces of all bodies, a block of them at a time in local memory --------------------------------- */

enum { BODIES = 128 };

struct body {
    float x, y, z, mass;
};

struct bodies {
    const struct body *bodies;
    struct body *forces;
    int n;
};

static inline void nbody_blocks(tw_nd_item item, const struct bodies *k)
{
    TW_LOCAL(struct body, block, [BODIES]);
    const int at = (int)tw_global_id(item, 0), l = (int)tw_local_id(item, 0);
    const struct body me = k->bodies[least_int(at, k->n - 1)];
    float fx = 0, fy = 0, fz = 0;
    for (int first = 0; first < k->n; first += BODIES) {
        if (first + l < k->n)
            block[l] = k->bodies[first + l];
        tw_barrier(item, TW_LOCAL_SPACE);
        const int count = least_int(BODIES, k->n - first);
        for (int i = 0; i < count; ++i) {
            const float dx = block[i].x - me.x, dy = block[i].y - me.y, dz = block[i].z - me.z;
            const float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            const float s = block[i].mass * inverse * inverse * inverse;
            fx += dx * s;
            fy += dy * s;
            fz += dz * s;
        }
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    if (at < k->n)
        k->forces[at] = (struct body){fx, fy, fz, 0};
}
TW_ND_RANGE_KERNEL(TW_BLOCK(bodies) nbody_blocks, BODIES);

static void nbody_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], BODIES), nbody_blocks, .bodies = d->in[0], .forces = d->out[0],
                             .n = d->n[0]);
    unseen_submit(queue, cg);
}

/* A list for each coordinate, so that vectors are loaded. */
static void nbody_openmp(const struct unseen_data *d)
{
    const int n = d->n[0];
    const float *bodies = d->in[0];
    float *out = d->out[0], *px = d->scratch, *py = px + n, *pz = py + n, *pw = pz + n;
    for (int i = 0; i < n; ++i) {
        px[i] = bodies[4 * i];
        py[i] = bodies[4 * i + 1];
        pz[i] = bodies[4 * i + 2];
        pw[i] = bodies[4 * i + 3];
    }
#pragma omp parallel for
    for (int at = 0; at < n; ++at) {
        float fx = 0, fy = 0, fz = 0;
#pragma omp simd reduction(+ : fx, fy, fz)
        for (int i = 0; i < n; ++i) {
            const float dx = px[i] - px[at], dy = py[i] - py[at], dz = pz[i] - pz[at];
            const float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            const float s = pw[i] * inverse * inverse * inverse;
            fx += dx * s;
            fy += dy * s;
            fz += dz * s;
        }
        out[4 * at] = fx;
        out[4 * at + 1] = fy;
        out[4 * at + 2] = fz;
        out[4 * at + 3] = 0;
    }
}

static void nbody_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 300 : 3900;
    p->data.in[0] = unseen_floats(4 * (size_t)n, 0, 1);
    p->data.scratch = unseen_memory(4 * (size_t)n * sizeof(float));
    unseen_add_output(p, UNSEEN_FLOATS, 4 * (size_t)n, 1e-3, NULL);
}

/* ---- stencil1d: sums of neighbours on a line, halos by the first work-items ---------------------------------------- */

enum { LINE = 256, LINE_R = 7 };

struct stencil1d {
    const int *in;
    int *out;
    int n;
};

static inline void stencil1d(tw_nd_item item, const struct stencil1d *k)
{
    TW_LOCAL(int, temp, [LINE + 2 * LINE_R]);
    const int g = (int)tw_global_id(item, 0), l = (int)tw_local_id(item, 0) + LINE_R;
    temp[l] = g < k->n ? k->in[g] : 0;
    if (tw_local_id(item, 0) < LINE_R) {
        temp[l - LINE_R] = g >= LINE_R ? k->in[g - LINE_R] : 0;
        temp[l + LINE] = g + LINE < k->n ? k->in[g + LINE] : 0;
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    int result = 0;
    for (int offset = -LINE_R; offset <= LINE_R; ++offset)
        result += temp[l + offset];
    if (g < k->n)
        k->out[g] = result;
}
TW_ND_RANGE_KERNEL(stencil1d, LINE);

static void stencil1d_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], LINE), stencil1d, .in = d->in[0], .out = d->out[0], .n = d->n[0]);
    unseen_submit(queue, cg);
}

static void stencil1d_openmp(const struct unseen_data *d)
{
    const int n = d->n[0], *in = d->in[0];
    int *out = d->out[0];
    for (int x = 0; x < n; x = x == LINE_R - 1 ? n - LINE_R : x + 1) {
        int sum = 0;
        for (int i = greatest_int(x - LINE_R, 0); i <= least_int(x + LINE_R, n - 1); ++i)
            sum += in[i];
        out[x] = sum;
    }
#pragma omp parallel for simd
    for (int x = LINE_R; x < n - LINE_R; ++x) {
        int sum = 0;
        for (int i = -LINE_R; i <= LINE_R; ++i)
            sum += in[x + i];
        out[x] = sum;
    }
}

static void stencil1d_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 1000 : 3000001;
    p->data.in[0] = unseen_ints((size_t)n, -1000, 1000);
    unseen_add_output(p, UNSEEN_INTS, (size_t)n, 0, NULL);
}

/* ---- fir: a filter of 63 taps; a group loads its part of the signal together --------------------------------------- */

enum { FIR = 128, TAPS = 63 };

struct fir {
    const float *signal, *taps;
    float *out;
    int n;
};

static inline void fir(tw_nd_item item, const struct fir *k)
{
    TW_LOCAL(float, window, [FIR + TAPS - 1]);
    TW_LOCAL(float, taps, [TAPS]);
    const int l = (int)tw_local_id(item, 0), first = (int)tw_group_id(item, 0) * FIR - TAPS + 1;
    for (int i = l; i < FIR + TAPS - 1; i += (int)tw_local_range(item, 0))
        window[i] = first + i >= 0 && first + i < k->n ? k->signal[first + i] : 0;
    if (l < TAPS)
        taps[l] = k->taps[l];
    tw_barrier(item, TW_LOCAL_SPACE);
    const int at = (int)tw_global_id(item, 0);
    if (at >= k->n)
        return;
    float sum = 0;
    for (int i = 0; i < TAPS; ++i)
        sum += taps[i] * window[l + TAPS - 1 - i];
    k->out[at] = sum;
}
TW_ND_RANGE_KERNEL(fir, FIR);

static void fir_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], FIR), fir, .signal = d->in[0], .taps = d->in[1], .out = d->out[0],
                             .n = d->n[0]);
    unseen_submit(queue, cg);
}

static void fir_openmp(const struct unseen_data *d)
{
    const int n = d->n[0];
    const float *signal = d->in[0], *taps = d->in[1];
    float *out = d->out[0];
    for (int x = 0; x < TAPS - 1; ++x) {
        float sum = 0;
        for (int i = 0; i <= x; ++i)
            sum += taps[i] * signal[x - i];
        out[x] = sum;
    }
#pragma omp parallel for
    for (int x0 = TAPS - 1; x0 < n; x0 += 64) {
        const int count = least_int(64, n - x0);
        float sums[64] = {0};
        for (int i = 0; i < TAPS; ++i)
#pragma omp simd
            for (int x = 0; x < count; ++x)
                sums[x] += taps[i] * signal[x0 + x - i];
        for (int x = 0; x < count; ++x)
            out[x0 + x] = sums[x];
    }
}

static void fir_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 1000 : 1000003;
    p->data.in[0] = unseen_floats((size_t)n, -1, 1);
    p->data.in[1] = unseen_floats(TAPS, -1, 1);
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)n, 1e-4, NULL);
}

const struct unseen_program unseen_blocks[] = {
    {"transpose_pad", "transpose, 32 x 33 in local memory", transpose_prepare, transpose_teamwork, transpose_openmp},
    {"matmul_ragged", "product of matrices, edges behind conditions", matmul_prepare, matmul_teamwork, matmul_openmp},
    {"floyd_blocks", "shortest paths in blocks of 16", floyd_prepare, floyd_teamwork, floyd_openmp},
    {"nbody_blocks", "forces between bodies, a block at a time", nbody_prepare, nbody_teamwork, nbody_openmp},
    {"stencil1d", "sums of 15 neighbours on a line", stencil1d_prepare, stencil1d_teamwork, stencil1d_openmp},
    {"fir", "63 taps over a signal loaded by the group", fir_prepare, fir_teamwork, fir_openmp},
    {NULL, NULL, NULL, NULL, NULL}};
