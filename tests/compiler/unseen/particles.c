/* SPDX-License-Identifier: Apache-2.0 */
/* Particles: boxes, neighbour lists, clustering, filters, rotations. unseen.h says how programs are written here. */
#include <math.h>
#include <string.h>

#include <teamwork/atomic.h>
#include <teamwork/group_algorithms.h>

#include "unseen.h"

struct vec4 {
    float x, y, z, w;
};

/* ---- lavamd: particles in boxes, of which each sees 27; two tiles in local memory -------------------------------- */

enum { BOX = 100, BOX_GROUP = 128, BOX_NEIGHBOURS = 26 };

struct box {
    int offset, count;
    int neighbours[BOX_NEIGHBOURS];
};

struct lavamd {
    const struct box *boxes;
    const struct vec4 *positions; /* w: the square of the length */
    const float *charges;
    struct vec4 *forces;
    float a2;
};

static inline float dot3(struct vec4 a, struct vec4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vec4 lavamd_pair(struct vec4 sum, struct vec4 a, struct vec4 b, float charge, float a2)
{
    const float r2 = a.w + b.w - dot3(a, b), u2 = a2 * r2, vij = expf(-u2), fs = 2 * vij;
    const struct vec4 d = {a.x - b.x, a.y - b.y, a.z - b.z, 0};
    sum.w += charge * vij;
    sum.x += charge * fs * d.x;
    sum.y += charge * fs * d.y;
    sum.z += charge * fs * d.z;
    return sum;
}

static inline void lavamd(tw_nd_item item, const struct lavamd *k)
{
    TW_LOCAL(struct vec4, home, [BOX]);
    TW_LOCAL(struct vec4, other, [BOX]);
    TW_LOCAL(float, charge, [BOX]);
    const int bx = (int)tw_group_id(item, 0), tx = (int)tw_local_id(item, 0);
    const struct box *box = &k->boxes[bx];
    for (int i = tx; i < BOX; i += BOX_GROUP)
        home[i] = k->positions[box->offset + i];
    tw_barrier(item, TW_LOCAL_SPACE);
    for (int n = 0; n < 1 + box->count; ++n) {
        const int at = n == 0 ? bx : box->neighbours[n - 1];
        const int first = k->boxes[at].offset;
        for (int i = tx; i < BOX; i += BOX_GROUP) {
            other[i] = k->positions[first + i];
            charge[i] = k->charges[first + i];
        }
        tw_barrier(item, TW_LOCAL_SPACE);
        for (int i = tx; i < BOX; i += BOX_GROUP)
            for (int j = 0; j < BOX; ++j)
                k->forces[box->offset + i] =
                    lavamd_pair(k->forces[box->offset + i], home[i], other[j], charge[j], k->a2);
        tw_barrier(item, TW_LOCAL_SPACE);
    }
}
TW_ND_RANGE_KERNEL(lavamd, BOX_GROUP);

static void lavamd_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0] * BOX_GROUP, BOX_GROUP), lavamd, .boxes = d->in[0],
                             .positions = d->in[1], .charges = d->in[2], .forces = d->out[0], .a2 = 0.5f);
    unseen_submit(queue, cg);
}

static void lavamd_openmp(const struct unseen_data *d)
{
    const struct box *boxes = d->in[0];
    const struct vec4 *positions = d->in[1];
    const float *charges = d->in[2];
    struct vec4 *forces = d->out[0];
#pragma omp parallel for schedule(dynamic)
    for (int b = 0; b < d->n[0]; ++b)
        for (int n = 0; n < 1 + boxes[b].count; ++n) {
            const int first = boxes[n == 0 ? b : boxes[b].neighbours[n - 1]].offset;
            for (int i = boxes[b].offset; i < boxes[b].offset + BOX; ++i) {
                float x = forces[i].x, y = forces[i].y, z = forces[i].z, w = forces[i].w;
#pragma omp simd reduction(+ : x, y, z, w)
                for (int j = first; j < first + BOX; ++j) {
                    const struct vec4 a = positions[i], b = positions[j];
                    const float vij = expf(-0.5f * (a.w + b.w - dot3(a, b))), fs = 2 * vij * charges[j];
                    w += charges[j] * vij;
                    x += fs * (a.x - b.x);
                    y += fs * (a.y - b.y);
                    z += fs * (a.z - b.z);
                }
                forces[i] = (struct vec4){x, y, z, w};
            }
        }
}

static void lavamd_prepare(struct unseen_problem *p, bool quick)
{
    const int side = quick ? 2 : 4, boxes = p->data.n[0] = side * side * side;
    const size_t particles = (size_t)boxes * BOX, bytes = particles * sizeof(struct vec4);
    struct box *box = memset(unseen_memory((size_t)boxes * sizeof *box), 0, (size_t)boxes * sizeof *box);
    for (int b = 0; b < boxes; ++b) {
        box[b].offset = b * BOX;
        for (int other = 0; other < boxes; ++other) {
            const int dx = other % side - b % side, dy = other / side % side - b / side % side,
                      dz = other / side / side - b / side / side;
            if (other != b && dx * dx <= 1 && dy * dy <= 1 && dz * dz <= 1)
                box[b].neighbours[box[b].count++] = other;
        }
    }
    struct vec4 *positions = (struct vec4 *)unseen_floats(particles * 4, 0.1f, 1);
    for (size_t i = 0; i < particles; ++i)
        positions[i].w = dot3(positions[i], positions[i]);
    p->data.in[0] = box;
    p->data.in[1] = positions;
    p->data.in[2] = unseen_floats(particles, 0.1f, 1);
    unseen_add_output(p, UNSEEN_FLOATS, particles * 4, 1e-3, memset(unseen_memory(bytes), 0, bytes));
}

/* ---- md: Lennard-Jones by lists of neighbours, list by list of all atoms ----------------------------------------- */

struct md {
    const struct vec4 *positions;
    const int *neighbours; /* [count][atoms] */
    struct vec4 *forces;
    int atoms, count;
    float cut2, lj1, lj2;
};

static inline struct vec4 md_force(const struct md *k, int i)
{
    const struct vec4 me = k->positions[i];
    struct vec4 f = {0, 0, 0, 0};
    for (int j = 0; j < k->count; ++j) {
        const struct vec4 you = k->positions[k->neighbours[j * k->atoms + i]];
        const float dx = me.x - you.x, dy = me.y - you.y, dz = me.z - you.z;
        float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < k->cut2) {
            r2 = 1 / r2;
            const float r6 = r2 * r2 * r2, force = r2 * r6 * (k->lj1 * r6 - k->lj2);
            f.x += dx * force;
            f.y += dy * force;
            f.z += dz * force;
        }
    }
    return f;
}

static inline void md(tw_nd_item item, const struct md *k)
{
    const int i = (int)tw_global_id(item, 0);
    if (i < k->atoms)
        k->forces[i] = md_force(k, i);
}
TW_ND_RANGE_KERNEL(md);

#define MD_BLOCK                                                                                                       \
    .positions = d->in[0], .neighbours = d->in[1], .forces = d->out[0], .atoms = d->n[0], .count = d->n[1], .cut2 = 6, \
    .lj1 = 1.5f, .lj2 = 2

static void md_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const tw_range global = tw_range_1d(unseen_round_up(d->n[0], 64));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(global, tw_range_any()), md, MD_BLOCK);
    unseen_submit(queue, cg);
}

static void md_openmp(const struct unseen_data *d)
{
    const struct md k = {MD_BLOCK};
#pragma omp parallel for simd
    for (int i = 0; i < k.atoms; ++i)
        k.forces[i] = md_force(&k, i);
}

static void md_prepare(struct unseen_problem *p, bool quick)
{
    const int atoms = p->data.n[0] = quick ? 1000 : 24576, count = p->data.n[1] = 128;
    int *neighbours = unseen_memory((size_t)(atoms * count) * sizeof *neighbours);
    for (int i = 0; i < atoms * count; ++i)
        neighbours[i] = (i % atoms + 1 + (int)(unseen_random() % 600)) % atoms;
    p->data.in[0] = unseen_floats((size_t)atoms * 4, 0, 4);
    p->data.in[1] = neighbours;
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)atoms * 4, 1e-2, NULL);
}

/* ---- kmeans: each point looks for the nearest centre, features column by column ---------------------------------- */

struct kmeans {
    const float *features, *centres; /* [features][points], [clusters][features] */
    int *membership;
    int points, clusters, count;
};

static inline void kmeans(tw_nd_item item, const struct kmeans *k)
{
    const int i = (int)tw_global_id(item, 0);
    int index = 0;
    if (i < k->points) {
        float least = 3.4e38f;
        for (int c = 0; c < k->clusters; ++c) {
            float distance = 0;
            for (int f = 0; f < k->count; ++f) {
                const float d = k->features[f * k->points + i] - k->centres[c * k->count + f];
                distance += d * d;
            }
            if (distance < least) {
                least = distance;
                index = c;
            }
        }
        k->membership[i] = index;
    }
}
TW_ND_RANGE_KERNEL(kmeans, 256);

static void kmeans_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], 256), kmeans, .features = d->in[0], .centres = d->in[1],
                             .membership = d->out[0], .points = d->n[0], .clusters = d->n[1], .count = d->n[2]);
    unseen_submit(queue, cg);
}

static void kmeans_openmp(const struct unseen_data *d)
{
    enum { POINTS = 256 };
    const float *features = d->in[0], *centres = d->in[1];
    int *membership = d->out[0];
    const int points = d->n[0], clusters = d->n[1], count = d->n[2];
#pragma omp parallel for
    for (int first = 0; first < points; first += POINTS) {
        const int some = points - first < POINTS ? points - first : POINTS;
        float least[POINTS];
        for (int c = 0; c < clusters; ++c) {
            float distance[POINTS] = {0};
            for (int f = 0; f < count; ++f)
#pragma omp simd
                for (int i = 0; i < some; ++i) {
                    const float x = features[f * points + first + i] - centres[c * count + f];
                    distance[i] += x * x;
                }
#pragma omp simd
            for (int i = 0; i < some; ++i)
                if (c == 0 || distance[i] < least[i]) {
                    least[i] = distance[i];
                    membership[first + i] = c;
                }
        }
    }
}

static void kmeans_prepare(struct unseen_problem *p, bool quick)
{
    const int points = p->data.n[0] = quick ? 1000 : 100000, clusters = p->data.n[1] = 8, count = p->data.n[2] = 24;
    p->data.in[0] = unseen_floats((size_t)(points * count), 0, 1);
    p->data.in[1] = unseen_floats((size_t)(clusters * count), 0, 1);
    unseen_add_output(p, UNSEEN_INTS, (size_t)points, 0.02, NULL);
}

/* ---- nearest: the nearest of many places to one, a struct from a reduction of each group ------------------------- */

struct place {
    float latitude, longitude;
};

struct candidate {
    float distance;
    int index;
};

static inline struct candidate nearer_of(struct candidate a, struct candidate b)
{
    return b.distance < a.distance || (b.distance == a.distance && b.index < a.index) ? b : a;
}
TW_GROUP_TYPE(struct candidate);

struct nearest_place {
    const struct place *places;
    struct candidate *best; /* one for each group */
    struct place here;
    int count;
};

static inline float distance_between(struct place a, struct place b)
{
    const float dx = a.latitude - b.latitude, dy = a.longitude - b.longitude;
    return sqrtf(dx * dx + dy * dy);
}

static inline void nearest_place(tw_nd_item item, const struct nearest_place *k)
{
    const int i = (int)tw_global_id(item, 0);
    struct candidate mine = {3.4e38f, -1};
    if (i < k->count)
        mine = (struct candidate){distance_between(k->places[i], k->here), i};
    const struct candidate best = tw_reduce_over_group(item, mine, nearer_of);
    if (tw_local_id(item, 0) == 0)
        k->best[tw_group_id(item, 0)] = best;
}
TW_ND_RANGE_KERNEL(nearest_place, 256);

static const struct place here = {30, 90};

static void nearest_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], 256), nearest_place, .places = d->in[0], .best = d->scratch,
                             .here = here, .count = d->n[0]);
    unseen_submit(queue, cg);
    tw_queue_wait(queue);
    struct candidate best = {3.4e38f, -1};
    for (int i = 0; i < (d->n[0] + 255) / 256; ++i)
        best = nearer_of(best, ((struct candidate *)d->scratch)[i]);
    *(int *)d->out[0] = best.index;
}

static void nearest_openmp(const struct unseen_data *d)
{
    const struct place *places = d->in[0];
    struct candidate best = {3.4e38f, -1};
#pragma omp declare reduction(nearer : struct candidate : omp_out = nearer_of(omp_out, omp_in))                        \
    initializer(omp_priv = omp_orig)
#pragma omp parallel for reduction(nearer : best)
    for (int i = 0; i < d->n[0]; ++i)
        best = nearer_of(best, (struct candidate){distance_between(places[i], here), i});
    *(int *)d->out[0] = best.index;
}

static void nearest_prepare(struct unseen_problem *p, bool quick)
{
    const int count = p->data.n[0] = quick ? 5000 : 4000000;
    p->data.in[0] = unseen_floats((size_t)count * 2, 0, 180);
    p->data.scratch = unseen_memory((size_t)(count / 256 + 1) * sizeof(struct candidate));
    unseen_add_output(p, UNSEEN_INTS, 1, 0, NULL);
}

/* ---- particle_filter: likelihoods by exponentials, and each particle looks for its place in the sums ------------- */

struct filter {
    const float *x, *y, *sums, *draws;
    const unsigned char *image;
    float *likelihood, *chosen;
    int particles, width, points;
};

static inline void filter_likelihood(tw_nd_item item, const struct filter *k)
{
    const int i = (int)tw_global_id(item, 0);
    if (i >= k->particles)
        return;
    float sum = 0;
    for (int j = 0; j < k->points; ++j) {
        const int px = (int)(k->x[i] + (float)(j % 8)), py = (int)(k->y[i] + (float)(j / 8));
        const float value = (float)k->image[py * k->width + px];
        sum += ((value - 100) * (value - 100) - (value - 228) * (value - 228)) / 50;
    }
    k->likelihood[i] = expf(sum / (float)k->points * 1e-3f);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(filter) filter_likelihood, 128);

static inline void filter_resample(tw_nd_item item, const struct filter *k)
{
    const int i = (int)tw_global_id(item, 0);
    if (i < k->particles) {
        int index = -1;
        for (int j = 0; j < k->particles; ++j)
            if (k->sums[j] >= k->draws[i]) {
                index = j;
                break;
            }
        if (index == -1)
            index = k->particles - 1;
        k->chosen[i] = k->x[index] + k->y[index];
    }
}
TW_ND_RANGE_KERNEL(TW_BLOCK(filter) filter_resample, 128);

#define FILTER_BLOCK                                                                                                   \
    .x = d->in[0], .y = d->in[1], .sums = d->in[2], .draws = d->in[3], .image = d->in[4], .likelihood = d->out[0],     \
    .chosen = d->out[1], .particles = d->n[0], .width = d->n[1], .points = 64

static void filter_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], 128), filter_likelihood, FILTER_BLOCK);
    unseen_submit(queue, cg);
    cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], 128), filter_resample, FILTER_BLOCK);
    unseen_submit(queue, cg);
}

static void filter_openmp(const struct unseen_data *d)
{
    const struct filter k = {FILTER_BLOCK};
#pragma omp parallel for simd
    for (int i = 0; i < k.particles; ++i) {
        float sum = 0;
        for (int j = 0; j < k.points; ++j) {
            const int px = (int)(k.x[i] + (float)(j % 8)), py = (int)(k.y[i] + (float)(j / 8));
            const float value = (float)k.image[py * k.width + px];
            sum += ((value - 100) * (value - 100) - (value - 228) * (value - 228)) / 50;
        }
        k.likelihood[i] = expf(sum / (float)k.points * 1e-3f);
    }
#pragma omp parallel for
    for (int i = 0; i < k.particles; ++i) {
        int j = 0;
        while (j < k.particles - 1 && k.sums[j] < k.draws[i])
            ++j;
        k.chosen[i] = k.x[j] + k.y[j];
    }
}

static void filter_prepare(struct unseen_problem *p, bool quick)
{
    const int particles = p->data.n[0] = quick ? 1000 : 10000, width = p->data.n[1] = 512;
    float *sums = unseen_floats((size_t)particles, 0, 1), *draws = unseen_floats((size_t)particles, 0, 1);
    for (int i = 1; i < particles; ++i)
        sums[i] += sums[i - 1];
    for (int i = 0; i < particles; ++i)
        draws[i] *= sums[particles - 1];
    p->data.in[0] = unseen_floats((size_t)particles, 0, 500);
    p->data.in[1] = unseen_floats((size_t)particles, 0, 500);
    p->data.in[2] = sums;
    p->data.in[3] = draws;
    p->data.in[4] = unseen_bytes((size_t)(width * width));
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)particles, 1e-3, NULL);
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)particles, 1e-5, NULL);
}

const struct unseen_program unseen_particles[] = {
    {"lavamd", "particles in boxes, tiles in local memory", lavamd_prepare, lavamd_teamwork, lavamd_openmp},
    {"md", "Lennard-Jones by lists of neighbours", md_prepare, md_teamwork, md_openmp},
    {"kmeans", "the nearest of 8 centres", kmeans_prepare, kmeans_teamwork, kmeans_openmp},
    {"nearest_place", "the nearest of many places, reduction of structs", nearest_prepare, nearest_teamwork,
     nearest_openmp},
    {"particle_filter", "likelihoods and resampling", filter_prepare, filter_teamwork, filter_openmp},
    {NULL, NULL, NULL, NULL, NULL}};
