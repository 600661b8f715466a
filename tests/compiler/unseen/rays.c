/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that helpers take and return: rays, rotations, resonances, complex numbers. unseen.h says how programs are
   written here. */
#include <math.h>

#include "unseen.h"

struct vec3 {
    float x, y, z;
};

static inline struct vec3 vec3(float x, float y, float z)
{
    return (struct vec3){x, y, z};
}

static inline struct vec3 added(struct vec3 a, struct vec3 b)
{
    return vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline struct vec3 scaled(struct vec3 a, float s)
{
    return vec3(a.x * s, a.y * s, a.z * s);
}

static inline struct vec3 subtracted(struct vec3 a, struct vec3 b)
{
    return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline float dot(struct vec3 a, struct vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vec3 cross(struct vec3 a, struct vec3 b)
{
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline struct vec3 normalized(struct vec3 a)
{
    return scaled(a, 1 / sqrtf(dot(a, a)));
}

/* ---- spheres: rays with shadows and up to three reflections ------------------------------------------------------ */

struct sphere {
    struct vec3 centre, colour;
    float radius, mirror;
};

struct ray {
    struct vec3 origin, direction;
};

struct hit {
    float t;
    int sphere;
};

struct spheres {
    const struct sphere *spheres;
    struct vec3 *image;
    struct vec3 light;
    int count, width, height;
};

static inline float sphere_distance(struct ray ray, const struct sphere *s)
{
    const struct vec3 to = subtracted(s->centre, ray.origin);
    const float along = dot(to, ray.direction), d2 = dot(to, to) - along * along, r2 = s->radius * s->radius;
    if (d2 > r2)
        return -1;
    const float half = sqrtf(r2 - d2);
    return along - half > 1e-3f ? along - half : along + half;
}

static inline struct hit first_hit(const struct spheres *k, struct ray ray)
{
    struct hit hit = {1e30f, -1};
    for (int i = 0; i < k->count; ++i) {
        const float t = sphere_distance(ray, &k->spheres[i]);
        if (t > 1e-3f && t < hit.t)
            hit = (struct hit){t, i};
    }
    return hit;
}

static inline struct vec3 traced(const struct spheres *k, struct ray ray)
{
    struct vec3 colour = {0, 0, 0};
    float weight = 1;
    for (int depth = 0; depth < 3; ++depth) {
        const struct hit hit = first_hit(k, ray);
        if (hit.sphere < 0) {
            colour = added(colour, scaled(vec3(0.2f, 0.3f, 0.5f), weight * (0.5f + 0.5f * ray.direction.y)));
            break;
        }
        const struct sphere *s = &k->spheres[hit.sphere];
        const struct vec3 point = added(ray.origin, scaled(ray.direction, hit.t));
        const struct vec3 normal = normalized(subtracted(point, s->centre));
        const struct vec3 to_light = normalized(subtracted(k->light, point));
        float light = 0.1f;
        if (dot(normal, to_light) > 0 && first_hit(k, (struct ray){point, to_light}).sphere < 0)
            light += 0.9f * dot(normal, to_light);
        colour = added(colour, scaled(s->colour, weight * light * (1 - s->mirror)));
        weight *= s->mirror;
        if (weight < 0.01f)
            break;
        ray.direction = subtracted(ray.direction, scaled(normal, 2 * dot(ray.direction, normal)));
        ray.origin = point;
    }
    return colour;
}

static inline struct ray camera_ray(const struct spheres *k, int x, int y)
{
    const float scale = 2 / (float)k->height;
    const struct vec3 d = {((float)x - 0.5f * (float)k->width) * scale, (0.5f * (float)k->height - (float)y) * scale,
                           1.5f};
    return (struct ray){{0, 0, -4}, normalized(d)};
}

static inline void spheres(tw_nd_item item, const struct spheres *k)
{
    const int x = (int)tw_global_id(item, 1), y = (int)tw_global_id(item, 0);
    if (x >= k->width || y >= k->height)
        return;
    k->image[y * k->width + x] = traced(k, camera_ray(k, x, y));
}
TW_ND_RANGE_KERNEL(spheres, 8, 8);

#define SPHERES_BLOCK                                                                                                  \
    .spheres = d->in[0], .image = d->out[0], .light = {5, 8, -6}, .count = d->n[0], .width = d->n[1], .height = d->n[1]

static void spheres_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_2d(d->n[1], d->n[1], 8, 8), spheres, SPHERES_BLOCK);
    unseen_submit(queue, cg);
}

static void spheres_openmp(const struct unseen_data *d)
{
    const struct spheres k = {SPHERES_BLOCK};
#pragma omp parallel for schedule(dynamic, 4)
    for (int y = 0; y < k.height; ++y)
        for (int x = 0; x < k.width; ++x)
            k.image[y * k.width + x] = traced(&k, camera_ray(&k, x, y));
}

static void spheres_prepare(struct unseen_problem *p, bool quick)
{
    const int count = p->data.n[0] = 20, side = p->data.n[1] = quick ? 40 : 320;
    struct sphere *s = (struct sphere *)unseen_floats((size_t)count * sizeof *s / sizeof(float), 0, 1);
    for (int i = 0; i < count; ++i) {
        s[i].centre = subtracted(scaled(s[i].centre, 4), vec3(2, 2, 0));
        s[i].radius = 0.2f + 0.4f * s[i].radius;
        s[i].mirror *= 0.6f;
    }
    p->data.in[0] = s;
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)(side * side) * 3, 0.05, NULL);
}

/* ---- quaternion: points turned by a quaternion each, and normalized ---------------------------------------------- */

struct quaternion {
    float w;
    struct vec3 v;
};

struct rotate {
    const struct quaternion *turns;
    const struct vec3 *points;
    struct vec3 *out;
    int count;
};

static inline struct quaternion quaternion_product(struct quaternion a, struct quaternion b)
{
    return (struct quaternion){a.w * b.w - dot(a.v, b.v),
                               added(added(scaled(b.v, a.w), scaled(a.v, b.w)), cross(a.v, b.v))};
}

static inline struct vec3 rotated(struct quaternion q, struct vec3 p)
{
    const float s = 1 / sqrtf(q.w * q.w + dot(q.v, q.v));
    q.w *= s;
    q.v = scaled(q.v, s);
    const struct quaternion conjugate = {q.w, scaled(q.v, -1)}, point = {0, p};
    return quaternion_product(quaternion_product(q, point), conjugate).v;
}

static inline void quaternion_rotate(tw_nd_item item, const struct rotate *k)
{
    const int i = (int)tw_global_id(item, 0);
    if (i < k->count)
        k->out[i] = rotated(k->turns[i], k->points[i]);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(rotate) quaternion_rotate, 256);

static void rotate_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], 256), quaternion_rotate, .turns = d->in[0], .points = d->in[1],
                             .out = d->out[0], .count = d->n[0]);
    unseen_submit(queue, cg);
}

static void rotate_openmp(const struct unseen_data *d)
{
    const struct quaternion *turns = d->in[0];
    const struct vec3 *points = d->in[1];
    struct vec3 *out = d->out[0];
#pragma omp parallel for simd
    for (int i = 0; i < d->n[0]; ++i)
        out[i] = rotated(turns[i], points[i]);
}

static void rotate_prepare(struct unseen_problem *p, bool quick)
{
    const int count = p->data.n[0] = quick ? 1000 : 500000;
    p->data.in[0] = unseen_floats((size_t)count * 4, 0.1f, 1);
    p->data.in[1] = unseen_floats((size_t)count * 3, -1, 1);
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)count * 3, 1e-4, NULL);
}

/* ---- rsbench: cross sections by sums of poles, complex numbers in double ----------------------------------------- */

struct dcomplex {
    double re, im;
};

struct pole {
    struct dcomplex energy, total, absorption, fission;
    int value;
};

struct window {
    double t, a, f;
    int first, end;
};

struct rsbench {
    const struct pole *poles;
    const struct window *windows;
    double *out;
    int lookups, window_count;
};

static inline struct dcomplex times(struct dcomplex a, struct dcomplex b)
{
    return (struct dcomplex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline struct dcomplex plus(struct dcomplex a, struct dcomplex b)
{
    return (struct dcomplex){a.re + b.re, a.im + b.im};
}

static inline struct dcomplex over(struct dcomplex a, struct dcomplex b)
{
    const double den = b.re * b.re + b.im * b.im;
    return (struct dcomplex){(a.re * b.re + a.im * b.im) / den, (a.im * b.re - a.re * b.im) / den};
}

/* A random number from 0 up to 1 by a linear congruential generator, which is moved on. */
static inline double random_double(unsigned long *state)
{
    *state = *state * 2806196910506780709ul + 1;
    *state %= 1ul << 63;
    return (double)*state / 9223372036854775808.0;
}

static inline double rsbench_lookup(const struct rsbench *k, int i)
{
    unsigned long state = (unsigned long)i * 7919 + 1070;
    double e = 0;
    for (int j = 0; j < 3; ++j)
        e = random_double(&state);
    const int at = (int)(e * k->window_count);
    const struct window w = k->windows[at == k->window_count ? at - 1 : at];
    struct dcomplex phases[4];
    for (int l = 0; l < 4; ++l) {
        double phi = 0.1 * (l + 1) * sqrt(e);
        if (l == 1)
            phi -= -atan(phi);
        else if (l == 2)
            phi -= atan(3 * phi / (3 - phi * phi));
        phases[l] = (struct dcomplex){cos(2 * phi), -sin(2 * phi)};
    }
    double t = e * w.t, a = e * w.a, f = e * w.f;
    for (int p = w.first; p < w.end; ++p) {
        const struct pole pole = k->poles[p];
        const struct dcomplex difference = {pole.energy.re - sqrt(e), pole.energy.im};
        const struct dcomplex psi = over((struct dcomplex){0, 1}, difference);
        const struct dcomplex scaled = over(psi, (struct dcomplex){e, 0});
        t += plus(times(times(pole.total, scaled), phases[pole.value]), (struct dcomplex){0, 0}).re;
        a += times(pole.absorption, scaled).re;
        f += times(pole.fission, scaled).re;
    }
    return t + a + f;
}

static inline void rsbench(tw_nd_item item, const struct rsbench *k)
{
    const int i = (int)tw_global_id(item, 0);
    if (i >= k->lookups)
        return;
    k->out[i] = rsbench_lookup(k, i);
}
TW_ND_RANGE_KERNEL(rsbench, 256);

static void rsbench_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], 256), rsbench, .poles = d->in[0], .windows = d->in[1],
                             .out = d->out[0], .lookups = d->n[0], .window_count = d->n[1]);
    unseen_submit(queue, cg);
}

static void rsbench_openmp(const struct unseen_data *d)
{
    const struct rsbench k = {d->in[0], d->in[1], d->out[0], d->n[0], d->n[1]};
#pragma omp parallel for schedule(dynamic, 256)
    for (int i = 0; i < k.lookups; ++i)
        k.out[i] = rsbench_lookup(&k, i);
}

static void rsbench_prepare(struct unseen_problem *p, bool quick)
{
    const int lookups = p->data.n[0] = quick ? 1000 : 100000, windows = p->data.n[1] = 250, poles = windows * 10;
    struct pole *pole = unseen_memory((size_t)poles * sizeof *pole);
    const double *numbers = unseen_doubles((size_t)poles * 8, 0.1, 1);
    for (int i = 0; i < poles; ++i, numbers += 8)
        pole[i] = (struct pole){{numbers[0], numbers[1]},
                                {numbers[2], numbers[3]},
                                {numbers[4], numbers[5]},
                                {numbers[6], numbers[7]},
                                (int)(unseen_random() % 4)};
    struct window *window = unseen_memory((size_t)windows * sizeof *window);
    for (int i = 0; i < windows; ++i)
        window[i] = (struct window){0.1, 0.2, 0.3, i * 10, i * 10 + 4 + (int)(unseen_random() % 6)};
    p->data.in[0] = pole;
    p->data.in[1] = window;
    unseen_add_output(p, UNSEEN_DOUBLES, (size_t)lookups, 1e-7, NULL);
}

const struct unseen_program unseen_rays[] = {
    {"spheres", "rays with shadows and reflections", spheres_prepare, spheres_teamwork, spheres_openmp},
    {"quaternion", "points turned by quaternions", rotate_prepare, rotate_teamwork, rotate_openmp},
    {"rsbench", "cross sections by poles, complex numbers", rsbench_prepare, rsbench_teamwork, rsbench_openmp},
    {NULL, NULL, NULL, NULL, NULL}};
