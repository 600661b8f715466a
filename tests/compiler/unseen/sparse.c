/* SPDX-License-Identifier: Apache-2.0 */
/* What follows indices: sparse matrices, graphs, unstructured meshes, look-ups. unseen.h says how programs are written
   here. */
#include <math.h>
#include <string.h>

#include <teamwork/atomic.h>
#include <teamwork/group_functions.h>

#include "unseen.h"

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

static void spmv_scalar_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], 256), spmv_scalar, SPMV_ARGUMENTS);
    unseen_submit(queue, cg);
}

static void spmv_vector_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0] * LANES, ROWS_OF_GROUP * LANES), spmv_vector, SPMV_ARGUMENTS);
    unseen_submit(queue, cg);
}

static void spmv_sub_group_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], 128), spmv_sub_group, SPMV_ARGUMENTS);
    unseen_submit(queue, cg);
}

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

/* ---- spmv_ell: padded rows, column by column --------------------------------------------------------------------- */

struct ell {
    const int *column;
    const double *value, *x;
    double *y;
    int rows, width;
};

static inline void spmv_ell(tw_nd_item item, const struct ell *k)
{
    const int row = (int)tw_global_id(item, 0);
    if (row >= k->rows)
        return;
    double sum = 0;
    for (int j = 0; j < k->width; ++j) {
        const int column = k->column[j * k->rows + row];
        if (column >= 0)
            sum += k->value[j * k->rows + row] * k->x[column];
    }
    k->y[row] = sum;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(ell) spmv_ell, 128);

static void spmv_ell_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], 128), spmv_ell, .column = d->in[0], .value = d->in[1],
                             .x = d->in[2], .y = d->out[0], .rows = d->n[0], .width = d->n[1]);
    unseen_submit(queue, cg);
}

static void spmv_ell_openmp(const struct unseen_data *d)
{
    const int *column = d->in[0], rows = d->n[0], width = d->n[1];
    const double *value = d->in[1], *x = d->in[2];
    double *y = d->out[0];
#pragma omp parallel for simd
    for (int row = 0; row < rows; ++row) {
        double sum = 0;
        for (int j = 0; j < width; ++j) {
            const int c = column[j * rows + row];
            sum += c >= 0 ? value[j * rows + row] * x[c] : 0;
        }
        y[row] = sum;
    }
}

static void spmv_ell_prepare(struct unseen_problem *p, bool quick)
{
    const int rows = p->data.n[0] = quick ? 1000 : 150000, width = p->data.n[1] = 20;
    p->data.in[0] = unseen_ints((size_t)(rows * width), -rows / 8, rows); /* a ninth is padding */
    p->data.in[1] = unseen_doubles((size_t)(rows * width), -1, 1);
    p->data.in[2] = unseen_doubles((size_t)rows, -1, 1);
    unseen_add_output(p, UNSEEN_DOUBLES, (size_t)rows, 1e-10, NULL);
}

/* ---- bfs: levels of a graph by masks, two kernels a level -------------------------------------------------------- */

struct node {
    int start, count;
};

struct bfs {
    const struct node *nodes;
    const int *edges;
    unsigned char *mask, *next, *visited;
    int *cost, *more;
    int n;
};

static inline void bfs_visit(tw_nd_item item, const struct bfs *k)
{
    const int i = (int)tw_global_id(item, 0);
    if (i < k->n && k->mask[i]) {
        k->mask[i] = 0;
        for (int e = k->nodes[i].start; e < k->nodes[i].start + k->nodes[i].count; ++e) {
            const int to = k->edges[e];
            if (!k->visited[to]) {
                tw_atomic_store(&k->cost[to], k->cost[i] + 1);
                tw_atomic_store(&k->next[to], (unsigned char)1);
            }
        }
    }
}
TW_ND_RANGE_KERNEL(TW_BLOCK(bfs) bfs_visit, 256);

static inline void bfs_advance(tw_nd_item item, const struct bfs *k)
{
    const int i = (int)tw_global_id(item, 0);
    if (i < k->n && k->next[i]) {
        k->mask[i] = 1;
        k->visited[i] = 1;
        tw_atomic_store(k->more, 1);
        k->next[i] = 0;
    }
}
TW_ND_RANGE_KERNEL(TW_BLOCK(bfs) bfs_advance, 256);

static void bfs_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    unsigned char *masks = d->out[1];
    int *more = d->out[2];
    do {
        *more = 0;
        for (int step = 0; step < 2; ++step) {
            tw_command_group *cg = tw_queue_begin(queue);
            const struct bfs block = {.nodes = d->in[0],
                                      .edges = d->in[1],
                                      .mask = masks,
                                      .next = masks + d->n[0],
                                      .visited = masks + 2 * d->n[0],
                                      .cost = d->out[0],
                                      .more = more,
                                      .n = d->n[0]};
            tw_parallel_for_nd_range_kernel(cg, unseen_1d(d->n[0], 256),
                                            step ? TW_KERNEL(bfs_advance) : TW_KERNEL(bfs_visit), &block, sizeof block);
            unseen_submit(queue, cg);
        }
        tw_queue_wait(queue);
    } while (*more);
}

static void bfs_openmp(const struct unseen_data *d)
{
    const struct node *nodes = d->in[0];
    const int *edges = d->in[1], n = d->n[0];
    int *cost = d->out[0], more;
    unsigned char *mask = d->out[1], *next = mask + n, *visited = mask + 2 * n;
    do {
        more = 0;
#pragma omp parallel for schedule(static, 4096)
        for (int i = 0; i < n; ++i) {
            if (!mask[i])
                continue;
            mask[i] = 0;
            for (int e = nodes[i].start; e < nodes[i].start + nodes[i].count; ++e) {
                const int to = edges[e];
                if (visited[to])
                    continue;
#pragma omp atomic write
                cost[to] = cost[i] + 1;
#pragma omp atomic write
                next[to] = 1;
            }
        }
#pragma omp parallel for reduction(| : more)
        for (int i = 0; i < n; ++i)
            if (next[i]) {
                mask[i] = 1;
                visited[i] = 1;
                more = 1;
                next[i] = 0;
            }
    } while (more);
    *(int *)d->out[2] = 0;
}

static void bfs_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 2000 : 300000;
    struct node *nodes = unseen_memory((size_t)n * sizeof *nodes);
    int edges = 0;
    for (int i = 0; i < n; ++i) {
        nodes[i] = (struct node){edges, 2 + (int)(unseen_random() % 9)};
        edges += nodes[i].count;
    }
    int *cost = unseen_memory((size_t)n * sizeof *cost);
    memset(cost, 0xff, (size_t)n * sizeof *cost);
    cost[0] = 0;
    unsigned char *masks = memset(unseen_memory(3 * (size_t)n), 0, 3 * (size_t)n);
    masks[0] = masks[2 * n] = 1;
    p->data.in[0] = nodes;
    p->data.in[1] = unseen_ints((size_t)edges, 0, n);
    unseen_add_output(p, UNSEEN_INTS, (size_t)n, 0, cost);
    unseen_add_output(p, UNSEEN_BYTES, 3 * (size_t)n, 0, masks);
    unseen_add_output(p, UNSEEN_INTS, 1, 0, NULL);
}

/* ---- cfd_flux: Euler's equations on an unstructured mesh, four neighbours a cell --------------------------------- */

enum { CFD_VARIABLES = 5, CFD_NEIGHBOURS = 4 };
#define GAMMA 1.4f

struct float3 {
    float x, y, z;
};

struct flux {
    struct float3 x, y, z, energy;
};

struct cfd {
    const int *neighbours;            /* [CFD_NEIGHBOURS][n]; -1: a wall, -2: far away */
    const float *normals, *variables; /* [CFD_NEIGHBOURS][3][n] and [CFD_VARIABLES][n] */
    float *fluxes;                    /* [CFD_VARIABLES][n] */
    float far[CFD_VARIABLES];
    int n;
};

static inline struct float3 cfd_velocity(float density, struct float3 momentum)
{
    return (struct float3){momentum.x / density, momentum.y / density, momentum.z / density};
}

static inline float cfd_squared(struct float3 v)
{
    return v.x * v.x + v.y * v.y + v.z * v.z;
}

static inline float cfd_pressure(float density, float energy, float speed2)
{
    return (GAMMA - 1) * (energy - 0.5f * density * speed2);
}

static inline struct flux cfd_contribution(struct float3 momentum, float energy, float pressure, struct float3 v)
{
    const float e = energy + pressure;
    return (struct flux){{v.x * momentum.x + pressure, v.x * momentum.y, v.x * momentum.z},
                         {v.x * momentum.y, v.y * momentum.y + pressure, v.y * momentum.z},
                         {v.x * momentum.z, v.y * momentum.z, v.z * momentum.z + pressure},
                         {v.x * e, v.y * e, v.z * e}};
}

struct cell {
    float density, energy, pressure, sound, speed;
    struct float3 momentum, velocity;
    struct flux flux;
};

static inline struct cell cfd_cell(float density, struct float3 momentum, float energy)
{
    struct cell c = {.density = density, .energy = energy, .momentum = momentum};
    c.velocity = cfd_velocity(density, momentum);
    const float speed2 = cfd_squared(c.velocity);
    c.speed = sqrtf(speed2);
    c.pressure = cfd_pressure(density, energy, speed2);
    c.sound = sqrtf(GAMMA * c.pressure / density);
    c.flux = cfd_contribution(momentum, energy, c.pressure, c.velocity);
    return c;
}

static inline struct cell cfd_load(const float *v, int n, int i)
{
    return cfd_cell(v[i], (struct float3){v[i + n], v[i + 2 * n], v[i + 3 * n]}, v[i + 4 * n]);
}

static inline void cfd_add(float sum[CFD_VARIABLES], const struct cell *me, const struct cell *you, struct float3 w)
{
    const float length = sqrtf(cfd_squared(w));
    const float f = -length * 0.2f * 0.5f * (me->speed + sqrtf(cfd_squared(you->velocity)) + me->sound + you->sound);
    sum[0] += f * (me->density - you->density) + 0.5f * w.x * (you->momentum.x + me->momentum.x)
              + 0.5f * w.y * (you->momentum.y + me->momentum.y) + 0.5f * w.z * (you->momentum.z + me->momentum.z);
    sum[1] += f * (me->momentum.x - you->momentum.x) + 0.5f * w.x * (you->flux.x.x + me->flux.x.x)
              + 0.5f * w.y * (you->flux.x.y + me->flux.x.y) + 0.5f * w.z * (you->flux.x.z + me->flux.x.z);
    sum[2] += f * (me->momentum.y - you->momentum.y) + 0.5f * w.x * (you->flux.y.x + me->flux.y.x)
              + 0.5f * w.y * (you->flux.y.y + me->flux.y.y) + 0.5f * w.z * (you->flux.y.z + me->flux.y.z);
    sum[3] += f * (me->momentum.z - you->momentum.z) + 0.5f * w.x * (you->flux.z.x + me->flux.z.x)
              + 0.5f * w.y * (you->flux.z.y + me->flux.z.y) + 0.5f * w.z * (you->flux.z.z + me->flux.z.z);
    sum[4] += f * (me->energy - you->energy) + 0.5f * w.x * (you->flux.energy.x + me->flux.energy.x)
              + 0.5f * w.y * (you->flux.energy.y + me->flux.energy.y)
              + 0.5f * w.z * (you->flux.energy.z + me->flux.energy.z);
}

static inline void cfd_one(const struct cfd *k, int i)
{
    const int n = k->n;
    const struct cell me = cfd_load(k->variables, n, i);
    float sum[CFD_VARIABLES] = {0};
    for (int j = 0; j < CFD_NEIGHBOURS; ++j) {
        const int to = k->neighbours[j * n + i];
        const float *normal = k->normals + 3 * j * n;
        const struct float3 w = {-normal[i], -normal[i + n], -normal[i + 2 * n]};
        if (to >= 0) {
            const struct cell you = cfd_load(k->variables, n, to);
            cfd_add(sum, &me, &you, w);
        } else if (to == -1) {
            sum[1] += w.x * me.pressure;
            sum[2] += w.y * me.pressure;
            sum[3] += w.z * me.pressure;
        } else if (to == -2) {
            const struct cell you = cfd_cell(k->far[0], (struct float3){k->far[1], k->far[2], k->far[3]}, k->far[4]);
            cfd_add(sum, &me, &you, w);
        }
    }
    for (int v = 0; v < CFD_VARIABLES; ++v)
        k->fluxes[i + v * n] = sum[v];
}

static inline void cfd_flux(tw_nd_item item, const struct cfd *k)
{
    const int i = (int)tw_global_id(item, 0);
    if (i >= k->n)
        return;
    cfd_one(k, i);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(cfd) cfd_flux, 192);

#define CFD_BLOCK                                                                                                      \
    .neighbours = d->in[0], .normals = d->in[1], .variables = d->in[2], .fluxes = d->out[0],                           \
    .far = {1.4f, 1.2f, 0, 0, 3.0f}, .n = d->n[0]

static void cfd_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], 192), cfd_flux, CFD_BLOCK);
    unseen_submit(queue, cg);
}

static void cfd_openmp(const struct unseen_data *d)
{
    const struct cfd k = {CFD_BLOCK};
#pragma omp parallel for
    for (int i = 0; i < k.n; ++i)
        cfd_one(&k, i);
}

static void cfd_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 1000 : 200000;
    int *neighbours = unseen_memory((size_t)n * CFD_NEIGHBOURS * sizeof *neighbours);
    for (int i = 0; i < n * CFD_NEIGHBOURS; ++i) {
        const unsigned r = unseen_random() % 100;
        const int to = i % n + (int)(unseen_random() % 400) - 200;
        neighbours[i] = r == 0 ? -1 : r == 1 ? -2 : to < 0 || to >= n ? i % n : to;
    }
    float *variables = unseen_floats((size_t)n * CFD_VARIABLES, 0.5f, 1);
    for (int i = 0; i < n; ++i)
        variables[i + 4 * n] += 3;
    p->data.in[0] = neighbours;
    p->data.in[1] = unseen_floats((size_t)n * CFD_NEIGHBOURS * 3, -1, 1);
    p->data.in[2] = variables;
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)n * CFD_VARIABLES, 1e-3, NULL);
}

const struct unseen_program unseen_sparse[] = {
    {"spmv_scalar", "CSR, a row for each work-item", spmv_short_prepare, spmv_scalar_teamwork, spmv_openmp},
    {"spmv_vector", "CSR, a row for 32 work-items, sums in local memory", spmv_long_prepare, spmv_vector_teamwork,
     spmv_openmp},
    {"spmv_sub_group", "CSR, a row for each sub-group", spmv_long_prepare, spmv_sub_group_teamwork, spmv_openmp},
    {"spmv_ell", "ELL, a row for each work-item", spmv_ell_prepare, spmv_ell_teamwork, spmv_ell_openmp},
    {"bfs", "breadth-first search by masks", bfs_prepare, bfs_teamwork, bfs_openmp},
    {"cfd_flux", "Euler's equations on an unstructured mesh", cfd_prepare, cfd_teamwork, cfd_openmp},
    {NULL, NULL, NULL, NULL, NULL}};
