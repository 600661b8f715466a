/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on few data: options, look-ups in tables, hashes, random numbers. unseen.h says how programs are written
   here. */
#include <math.h>

#include <teamwork/atomic.h>
#include <teamwork/group_functions.h>

#include "unseen.h"

/* ---- black_scholes: calls and puts in double --------------------------------------------------------------------- */

struct black_scholes {
    const double *price, *strike, *years;
    double *call, *put;
    int n;
    double rate, volatility;
};

static inline double normal_distribution(double d)
{
    const double a1 = 0.31938153, a2 = -0.356563782, a3 = 1.781477937, a4 = -1.821255978, a5 = 1.330274429;
    const double k = 1 / (1 + 0.2316419 * fabs(d));
    double cnd = 0.39894228040143267794 * exp(-0.5 * d * d) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
    if (d > 0)
        cnd = 1 - cnd;
    return cnd;
}

static inline void price_option(double *call, double *put, double s, double x, double t, double r, double v)
{
    const double root = sqrt(t), d1 = (log(s / x) + (r + 0.5 * v * v) * t) / (v * root), d2 = d1 - v * root;
    const double n1 = normal_distribution(d1), n2 = normal_distribution(d2), discount = exp(-r * t);
    *call = s * n1 - x * discount * n2;
    *put = x * discount * (1 - n2) - s * (1 - n1);
}

static inline void black_scholes(tw_nd_item item, const struct black_scholes *k)
{
    for (int i = (int)tw_global_id(item, 0); i < k->n; i += (int)tw_global_range(item, 0))
        price_option(&k->call[i], &k->put[i], k->price[i], k->strike[i], k->years[i], k->rate, k->volatility);
}
TW_ND_RANGE_KERNEL(black_scholes);

static void black_scholes_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(480 * 128, 128), black_scholes, .price = d->in[0], .strike = d->in[1],
                             .years = d->in[2], .call = d->out[0], .put = d->out[1], .n = d->n[0], .rate = 0.02,
                             .volatility = 0.3);
    unseen_submit(queue, cg);
}

static void black_scholes_openmp(const struct unseen_data *d)
{
    const double *price = d->in[0], *strike = d->in[1], *years = d->in[2];
    double *call = d->out[0], *put = d->out[1];
#pragma omp parallel for simd
    for (int i = 0; i < d->n[0]; ++i)
        price_option(&call[i], &put[i], price[i], strike[i], years[i], 0.02, 0.3);
}

static void black_scholes_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 5000 : 600000;
    p->data.in[0] = unseen_doubles((size_t)n, 5, 30);
    p->data.in[1] = unseen_doubles((size_t)n, 1, 100);
    p->data.in[2] = unseen_doubles((size_t)n, 0.25, 10);
    unseen_add_output(p, UNSEEN_DOUBLES, (size_t)n, 1e-9, NULL);
    unseen_add_output(p, UNSEEN_DOUBLES, (size_t)n, 1e-9, NULL);
}

/* ---- binomial: an option for each group, its tree in local memory ------------------------------------------------ */

enum { TREE = 256 };

struct binomial {
    const float *price, *strike, *years;
    float *out;
};

static inline void binomial(tw_nd_item item, const struct binomial *k)
{
    TW_LOCAL(float, call_a, [TREE + 1]);
    TW_LOCAL(float, call_b, [TREE + 1]);
    const int t = (int)tw_local_id(item, 0), option = (int)tw_group_id(item, 0);
    const float dt = k->years[option] / (float)TREE, vdt = 0.3f * sqrtf(dt), growth = expf(0.02f * dt);
    const float u = expf(vdt), d = 1 / u, pu = (growth - d) / (u - d), down = 1 - pu, discount = 1 / growth;
    const float value = k->price[option] * expf(vdt * (2.0f * (float)t - (float)TREE)) - k->strike[option];
    call_a[t] = value > 0 ? value : 0;
    if (t == 0) {
        const float last = k->price[option] * expf(vdt * (float)TREE) - k->strike[option];
        call_a[TREE] = last > 0 ? last : 0;
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    for (int j = TREE; j > 0; j -= 2) {
        if (t < j)
            call_b[t] = discount * (pu * call_a[t + 1] + down * call_a[t]);
        tw_barrier(item, TW_LOCAL_SPACE);
        if (t < j - 1)
            call_a[t] = discount * (pu * call_b[t + 1] + down * call_b[t]);
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    if (t == 0)
        k->out[option] = call_a[0];
}
TW_ND_RANGE_KERNEL(binomial, TREE);

static void binomial_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0] * TREE, TREE), binomial, .price = d->in[0], .strike = d->in[1],
                             .years = d->in[2], .out = d->out[0]);
    unseen_submit(queue, cg);
}

static void binomial_openmp(const struct unseen_data *data)
{
    const float *price = data->in[0], *strike = data->in[1], *years = data->in[2];
    float *out = data->out[0];
#pragma omp parallel for
    for (int o = 0; o < data->n[0]; ++o) {
        const float dt = years[o] / (float)TREE, vdt = 0.3f * sqrtf(dt), growth = expf(0.02f * dt);
        const float u = expf(vdt), d = 1 / u, pu = (growth - d) / (u - d), up = pu / growth, down = (1 - pu) / growth;
        float call[TREE + 1];
#pragma omp simd
        for (int t = 0; t <= TREE; ++t) {
            const float value = price[o] * expf(vdt * (2.0f * (float)t - (float)TREE)) - strike[o];
            call[t] = value > 0 ? value : 0;
        }
        for (int j = TREE; j > 0; --j)
            for (int t = 0; t < j; ++t)
                call[t] = up * call[t + 1] + down * call[t];
        out[o] = call[0];
    }
}

static void binomial_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 16 : 2048;
    p->data.in[0] = unseen_floats((size_t)n, 5, 30);
    p->data.in[1] = unseen_floats((size_t)n, 1, 30);
    p->data.in[2] = unseen_floats((size_t)n, 0.25f, 10);
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)n, 1e-3, NULL);
}

/* ---- xsbench: binary search on a grid, then entries of nuclides -------------------------------------------------- */

enum { NUCLIDES = 32, SECTIONS = 5 };

struct grid_point {
    double energy, total, elastic, absorption, fission, nu_fission;
};

struct xsbench {
    const double *energies;               /* sorted, of all nuclides */
    const int *indices;                   /* [energies][NUCLIDES] */
    const struct grid_point *points;      /* [NUCLIDES][per_nuclide] */
    const int *material_count, *material; /* [12], [12][NUCLIDES] */
    int *best;                            /* the largest section of each look-up */
    int lookups, energies_count, per_nuclide;
};

static inline unsigned long next_state(unsigned long seed)
{
    return (2806196910506780709ul * seed + 1ul) % (1ul << 63);
}

static inline int grid_search(int n, double wanted, const double *energies)
{
    int lower = 0, upper = n - 1, length = upper - lower;
    while (length > 1) {
        const int middle = lower + length / 2;
        if (energies[middle] > wanted)
            upper = middle;
        else
            lower = middle;
        length = upper - lower;
    }
    return lower;
}

static inline void micro_sections(const struct xsbench *k, double energy, int nuclide, int index, double xs[SECTIONS])
{
    const int at = k->indices[index * NUCLIDES + nuclide];
    const struct grid_point *low = &k->points[nuclide * k->per_nuclide + (at == k->per_nuclide - 1 ? at - 1 : at)];
    const struct grid_point *high = low + 1;
    const double f = (high->energy - energy) / (high->energy - low->energy);
    xs[0] = high->total - f * (high->total - low->total);
    xs[1] = high->elastic - f * (high->elastic - low->elastic);
    xs[2] = high->absorption - f * (high->absorption - low->absorption);
    xs[3] = high->fission - f * (high->fission - low->fission);
    xs[4] = high->nu_fission - f * (high->nu_fission - low->nu_fission);
}

static inline int xsbench_lookup(const struct xsbench *k, int i)
{
    unsigned long seed = next_state((unsigned long)i * 2862933555777941757ul + 1070);
    const double energy = (double)seed / 9223372036854775808.0;
    seed = next_state(seed);
    const int material = (int)((seed >> 20) % 12), index = grid_search(k->energies_count, energy, k->energies);
    double macro[SECTIONS] = {0};
    for (int j = 0; j < k->material_count[material]; ++j) {
        double micro[SECTIONS];
        micro_sections(k, energy, k->material[material * NUCLIDES + j], index, micro);
        for (int s = 0; s < SECTIONS; ++s)
            macro[s] += micro[s] * (1 + 0.1 * j);
    }
    int best = 0;
    double most = -1;
    for (int s = 0; s < SECTIONS; ++s)
        if (macro[s] > most) {
            most = macro[s];
            best = s;
        }
    return best + 1;
}

static inline void xsbench(tw_nd_item item, const struct xsbench *k)
{
    const int i = (int)tw_global_id(item, 0);
    if (i >= k->lookups)
        return;
    k->best[i] = xsbench_lookup(k, i);
}
TW_ND_RANGE_KERNEL(xsbench, 256);

#define XSBENCH_BLOCK                                                                                                  \
    .energies = d->in[0], .indices = d->in[1], .points = d->in[2], .material_count = d->in[3], .material = d->in[4],   \
    .best = d->out[0], .lookups = d->n[0], .energies_count = d->n[1], .per_nuclide = d->n[2]

static void xsbench_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], 256), xsbench, XSBENCH_BLOCK);
    unseen_submit(queue, cg);
}

static void xsbench_openmp(const struct unseen_data *d)
{
    const struct xsbench k = {XSBENCH_BLOCK};
#pragma omp parallel for schedule(dynamic, 256)
    for (int i = 0; i < k.lookups; ++i)
        k.best[i] = xsbench_lookup(&k, i);
}

static void xsbench_prepare(struct unseen_problem *p, bool quick)
{
    const int per = p->data.n[2] = quick ? 50 : 500, count = p->data.n[1] = per * NUCLIDES;
    p->data.n[0] = quick ? 1000 : 60000;
    double *energies = unseen_memory((size_t)count * sizeof *energies);
    int *indices = unseen_memory((size_t)count * NUCLIDES * sizeof *indices);
    struct grid_point *points = (struct grid_point *)unseen_doubles((size_t)count * 6, 0, 1);
    for (int i = 0; i < count; ++i) {
        energies[i] = (double)i / (double)count;
        points[i].energy = (double)(i % per) / (double)per;
        for (int n = 0; n < NUCLIDES; ++n)
            indices[i * NUCLIDES + n] = i / NUCLIDES;
    }
    int *counts = unseen_ints(12, 4, NUCLIDES);
    counts[0] = NUCLIDES;
    p->data.in[0] = energies;
    p->data.in[1] = indices;
    p->data.in[2] = points;
    p->data.in[3] = counts;
    p->data.in[4] = unseen_ints(12 * NUCLIDES, 0, NUCLIDES);
    unseen_add_output(p, UNSEEN_INTS, (size_t)p->data.n[0], 0, NULL);
}

/* ---- md5: a key of seven digits is looked for by brute force ----------------------------------------------------- */

struct digest {
    unsigned a, b, c, d;
};

struct md5 {
    struct digest wanted;
    int *found;
    int keys;
};

#define MD5_F(x, y, z) ((x & y) | (~x & z))
#define MD5_G(x, y, z) ((x & z) | (y & ~z))
#define MD5_H(x, y, z) (x ^ y ^ z)
#define MD5_I(x, y, z) (y ^ (x | ~z))
#define MD5_STEP(f, a, b, c, d, x, s, t)                                                                               \
    a += f(b, c, d) + x + t;                                                                                           \
    a = (a << s | a >> (32 - s)) + b;
#define MD5_STEPS(f, i, j, k, l, s0, s1, s2, s3, t0, t1, t2, t3)                                                       \
    MD5_STEP(f, a, b, c, d, w[i], s0, t0)                                                                              \
    MD5_STEP(f, d, a, b, c, w[j], s1, t1)                                                                              \
    MD5_STEP(f, c, d, a, b, w[k], s2, t2)                                                                              \
    MD5_STEP(f, b, c, d, a, w[l], s3, t3)

__attribute__((always_inline)) static inline struct digest md5_of_key(int key)
{
    unsigned w[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7 * 8, 0};
    for (int i = 0; i < 7; ++i) {
        w[i / 4] |= (unsigned)('0' + key % 10) << (8 * (i % 4));
        key /= 10;
    }
    w[1] |= 0x80u << 24;
    unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    MD5_STEPS(MD5_F, 0, 1, 2, 3, 7, 12, 17, 22, 0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee)
    MD5_STEPS(MD5_F, 4, 5, 6, 7, 7, 12, 17, 22, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501)
    MD5_STEPS(MD5_F, 8, 9, 10, 11, 7, 12, 17, 22, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be)
    MD5_STEPS(MD5_F, 12, 13, 14, 15, 7, 12, 17, 22, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821)
    MD5_STEPS(MD5_G, 1, 6, 11, 0, 5, 9, 14, 20, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa)
    MD5_STEPS(MD5_G, 5, 10, 15, 4, 5, 9, 14, 20, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8)
    MD5_STEPS(MD5_G, 9, 14, 3, 8, 5, 9, 14, 20, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed)
    MD5_STEPS(MD5_G, 13, 2, 7, 12, 5, 9, 14, 20, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a)
    MD5_STEPS(MD5_H, 5, 8, 11, 14, 4, 11, 16, 23, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c)
    MD5_STEPS(MD5_H, 1, 4, 7, 10, 4, 11, 16, 23, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70)
    MD5_STEPS(MD5_H, 13, 0, 3, 6, 4, 11, 16, 23, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05)
    MD5_STEPS(MD5_H, 9, 12, 15, 2, 4, 11, 16, 23, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665)
    MD5_STEPS(MD5_I, 0, 7, 14, 5, 6, 10, 15, 21, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039)
    MD5_STEPS(MD5_I, 12, 3, 10, 1, 6, 10, 15, 21, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1)
    MD5_STEPS(MD5_I, 8, 15, 6, 13, 6, 10, 15, 21, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1)
    MD5_STEPS(MD5_I, 4, 11, 2, 9, 6, 10, 15, 21, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391)
    return (struct digest){a + 0x67452301, b + 0xefcdab89, c + 0x98badcfe, d + 0x10325476};
}

static inline bool is_same_digest(struct digest a, struct digest b)
{
    return a.a == b.a && a.b == b.b && a.c == b.c && a.d == b.d;
}

static inline void md5(tw_nd_item item, const struct md5 *k)
{
    const int key = (int)tw_global_id(item, 0);
    if (key >= k->keys)
        return;
    if (is_same_digest(md5_of_key(key), k->wanted))
        tw_atomic_store(k->found, key);
}
TW_ND_RANGE_KERNEL(md5, 256);

static void md5_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], 256), md5, .wanted = md5_of_key(d->n[0] - 123), .found = d->out[0],
                             .keys = d->n[0]);
    unseen_submit(queue, cg);
}

static void md5_openmp(const struct unseen_data *d)
{
    const struct digest wanted = md5_of_key(d->n[0] - 123);
    int found = -1;
#pragma omp parallel for simd reduction(max : found)
    for (int key = 0; key < d->n[0]; ++key) {
        const struct digest digest = md5_of_key(key);
        const unsigned difference =
            (digest.a ^ wanted.a) | (digest.b ^ wanted.b) | (digest.c ^ wanted.c) | (digest.d ^ wanted.d);
        const int mine = difference == 0 ? key : -1;
        found = mine > found ? mine : found;
    }
    *(int *)d->out[0] = found;
}

static void md5_prepare(struct unseen_problem *p, bool quick)
{
    p->data.n[0] = quick ? 5000 : 500000;
    unseen_add_output(p, UNSEEN_INTS, 1, 0, NULL);
}

/* ---- pi: points at random in a square, sums by group, the generator a struct ------------------------------------- */

struct xorwow {
    unsigned x, y, z, w, v, d;
};

static inline unsigned xorwow_next(struct xorwow *g)
{
    const unsigned t = g->x ^ (g->x >> 2);
    g->x = g->y;
    g->y = g->z;
    g->z = g->w;
    g->w = g->v;
    g->v = (g->v ^ (g->v << 4)) ^ (t ^ (t << 1));
    g->d += 362437;
    return g->d + g->v;
}

struct pi {
    int *inside;
    int points; /* of a work-item */
};

static inline int points_inside(int seed, int points)
{
    struct xorwow g = {123456789u + (unsigned)seed * 69069u, 362436069, 521288629, 88675123, 5783321, 6615241};
    int inside = 0;
    for (int i = 0; i < points; ++i) {
        const float x = (float)(xorwow_next(&g) >> 8) * (1.0f / 16777216),
                    y = (float)(xorwow_next(&g) >> 8) * (1.0f / 16777216);
        if (x * x + y * y < 1)
            ++inside;
    }
    return inside;
}

static inline void pi(tw_nd_item item, const struct pi *k)
{
    const int mine = points_inside((int)tw_global_id(item, 0), k->points);
    const int all = tw_reduce_over_group(item, mine, TW_SUM);
    if (tw_local_id(item, 0) == 0)
        tw_atomic_fetch_add(k->inside, all);
}
TW_ND_RANGE_KERNEL(pi, 128);

static void pi_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_queue_memset(queue, d->out[0], 0, sizeof(int), NULL);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], 128), pi, .inside = d->out[0], .points = d->n[1]);
    unseen_submit(queue, cg);
}

static void pi_openmp(const struct unseen_data *d)
{
    int inside = 0;
#pragma omp parallel for simd reduction(+ : inside)
    for (int i = 0; i < d->n[0]; ++i)
        inside += points_inside(i, d->n[1]);
    *(int *)d->out[0] = inside;
}

static void pi_prepare(struct unseen_problem *p, bool quick)
{
    p->data.n[0] = quick ? 1024 : 131072;
    p->data.n[1] = 200;
    unseen_add_output(p, UNSEEN_INTS, 1, 0, NULL);
}

const struct unseen_program unseen_numbers[] = {
    {"black_scholes", "calls and puts in double", black_scholes_prepare, black_scholes_teamwork, black_scholes_openmp},
    {"binomial", "options, a tree in local memory", binomial_prepare, binomial_teamwork, binomial_openmp},
    {"xsbench", "cross sections, look-ups in tables", xsbench_prepare, xsbench_teamwork, xsbench_openmp},
    {"md5", "a digest by brute force", md5_prepare, md5_teamwork, md5_openmp},
    {"pi", "points at random, sums by group", pi_prepare, pi_teamwork, pi_openmp},
    {NULL, NULL, NULL, NULL, NULL}};
