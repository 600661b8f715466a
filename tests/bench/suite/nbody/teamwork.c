/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies in Teamwork. */
#include "../arrays_teamwork.h"
#include "nbody.h"

#include <teamwork/math.h>

struct pull {
    float x, y, z;
};

/* Bodies in local memory: on a GPU the numbers of each side by side, for one load of 16 bytes, and on a CPU those of
   all, for vectors. */
#if defined(__NVPTX__) || defined(__AMDGCN__)
struct tile {
    struct {
        float x, y, z, mass;
    } __attribute__((aligned(16))) body[NBODY_GROUP];
};
#define OF_TILE(tile, member, j) (tile)->body[j].member
#define UNROLL _Pragma("clang loop unroll_count(8)")
#else
struct tile {
    float x[NBODY_GROUP], y[NBODY_GROUP], z[NBODY_GROUP], mass[NBODY_GROUP];
};
#define OF_TILE(tile, member, j) (tile)->member[j]
#define UNROLL
#endif

/* What `n` bodies do to one at my_x, my_y, my_z: the others' numbers are formulas of j. The order of the sums may
   change, so that they vectorize on a CPU. */
#define SUM_PULLS(n, x_of, y_of, z_of, mass_of)                                                                        \
    float ax = 0, ay = 0, az = 0;                                                                                      \
    UNROLL                                                                                                             \
    for (size_t j = 0; j < (n); ++j) {                                                                                 \
        const float dx = (x_of) - my_x, dy = (y_of) - my_y, dz = (z_of) - my_z;                                        \
        const float inverse = tw_rsqrt(dx * dx + dy * dy + dz * dz + NBODY_SOFTENING);                                 \
        const float pull = (mass_of) * inverse * inverse * inverse;                                                    \
        ax += dx * pull;                                                                                               \
        ay += dy * pull;                                                                                               \
        az += dz * pull;                                                                                               \
    }                                                                                                                  \
    return (struct pull)                                                                                               \
    {                                                                                                                  \
        ax, ay, az                                                                                                     \
    }

static inline struct pull pull_of_all(const float *x, const float *y, const float *z, const float *mass, unsigned n,
                                      float my_x, float my_y, float my_z)
{
#pragma clang fp reassociate(on) contract(fast)
    SUM_PULLS(n, x[j], y[j], z[j], mass[j]);
}

static inline struct pull pull_of_tile(const struct tile *tile, float my_x, float my_y, float my_z)
{
#pragma clang fp reassociate(on) contract(fast)
    SUM_PULLS(NBODY_GROUP, OF_TILE(tile, x, j), OF_TILE(tile, y, j), OF_TILE(tile, z, j), OF_TILE(tile, mass, j));
}

struct nbody_flat {
    const float *positions;
    float *velocities;
    unsigned count;
};

static inline void nbody_flat(tw_item item, const struct nbody_flat *k)
{
    const unsigned i = (unsigned)tw_global_id(item, 0), n = k->count;
    const float *x = k->positions, *y = x + n, *z = y + n, *mass = z + n;
    const struct pull sum = pull_of_all(x, y, z, mass, n, x[i], y[i], z[i]);
    k->velocities[i] += sum.x * NBODY_TIME;
    k->velocities[n + i] += sum.y * NBODY_TIME;
    k->velocities[2 * n + i] += sum.z * NBODY_TIME;
}
TW_RANGE_KERNEL(nbody_flat, 1);

struct nbody_tiled {
    const float *positions;
    float *velocities;
    unsigned count;
};

static inline void nbody_tiled(tw_group group, const struct nbody_tiled *k)
{
    TW_LOCAL(struct tile, tile);
    TW_PRIVATE(group, struct pull, sum);
    const unsigned n = k->count;
    const float *x = k->positions, *y = x + n, *z = y + n, *mass = z + n;

    tw_parallel_for_work_item(group, item) {
        tw_private(sum, item) = (struct pull){0, 0, 0};
    }
    for (unsigned first = 0; first < n; first += NBODY_GROUP) {
        tw_parallel_for_work_item(group, item) {
            const unsigned at = (unsigned)tw_local_id(item, 0);
            OF_TILE(&tile, x, at) = (x + first)[at];
            OF_TILE(&tile, y, at) = (y + first)[at];
            OF_TILE(&tile, z, at) = (z + first)[at];
            OF_TILE(&tile, mass, at) = (mass + first)[at];
        }
        tw_parallel_for_work_item(group, item) {
            const size_t i = tw_global_id(item, 0);
            const struct pull more = pull_of_tile(&tile, x[i], y[i], z[i]);
            tw_private(sum, item).x += more.x;
            tw_private(sum, item).y += more.y;
            tw_private(sum, item).z += more.z;
        }
    }
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_global_id(item, 0);
        k->velocities[i] += tw_private(sum, item).x * NBODY_TIME;
        k->velocities[n + i] += tw_private(sum, item).y * NBODY_TIME;
        k->velocities[2 * n + i] += tw_private(sum, item).z * NBODY_TIME;
    }
}
TW_WORK_GROUP_KERNEL(nbody_tiled, NBODY_GROUP);

struct nbody_nd {
    const float *positions;
    float *velocities;
    unsigned count;
};

static inline void nbody_nd(tw_nd_item item, const struct nbody_nd *k)
{
    TW_LOCAL(struct tile, tile);
    const unsigned n = k->count, i = (unsigned)tw_global_id(item, 0), at = (unsigned)tw_local_id(item, 0);
    const float *x = k->positions, *y = x + n, *z = y + n, *mass = z + n, my_x = x[i], my_y = y[i], my_z = z[i];
    struct pull sum = {0, 0, 0};
    for (unsigned first = 0; first < n; first += NBODY_GROUP) {
        OF_TILE(&tile, x, at) = (x + first)[at];
        OF_TILE(&tile, y, at) = (y + first)[at];
        OF_TILE(&tile, z, at) = (z + first)[at];
        OF_TILE(&tile, mass, at) = (mass + first)[at];
        tw_barrier(item, TW_LOCAL_SPACE);
        const struct pull more = pull_of_tile(&tile, my_x, my_y, my_z);
        sum.x += more.x;
        sum.y += more.y;
        sum.z += more.z;
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    k->velocities[i] += sum.x * NBODY_TIME;
    k->velocities[n + i] += sum.y * NBODY_TIME;
    k->velocities[2 * n + i] += sum.z * NBODY_TIME;
}
TW_ND_RANGE_KERNEL(nbody_nd, NBODY_GROUP);

struct nbody_move {
    float *positions;
    const float *velocities;
};

static inline void nbody_move(tw_item item, const struct nbody_move *k)
{
    const size_t i = tw_global_id(item, 0);
    k->positions[i] += k->velocities[i] * NBODY_TIME;
}
TW_RANGE_KERNEL(nbody_move, 1);

struct nbody_energy {
    const float *mass, *velocities;
    unsigned count;
    TW_REDUCTION(float, TW_SUM) energy;
};

static inline void nbody_energy(tw_item item, const struct nbody_energy *k)
{
    const size_t i = tw_global_id(item, 0);
    const float vx = k->velocities[i], vy = (k->velocities + k->count)[i], vz = (k->velocities + 2 * k->count)[i];
    tw_combine(k->energy, 0.5f * k->mass[i] * (vx * vx + vy * vy + vz * vz));
}
TW_RANGE_REDUCTION(nbody_energy, 1, energy);

static bool accelerate_flat(const struct suite_teamwork *s, unsigned n)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, tw_range_1d(n), nbody_flat, .positions = tw_read(cg, s->at[NBODY_POSITIONS]),
                    .velocities = tw_read_write(cg, s->at[NBODY_VELOCITIES]), .count = n);
    return suite_submit(cg);
}

static bool accelerate_tiled(const struct suite_teamwork *s, unsigned n)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for_work_group(cg, tw_range_1d(n / NBODY_GROUP), tw_range_1d(NBODY_GROUP), nbody_tiled,
                               .positions = tw_read(cg, s->at[NBODY_POSITIONS]),
                               .velocities = tw_read_write(cg, s->at[NBODY_VELOCITIES]), .count = n);
    return suite_submit(cg);
}

static bool accelerate_nd(const struct suite_teamwork *s, unsigned n)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(n), tw_range_1d(NBODY_GROUP)), nbody_nd,
                             .positions = tw_read(cg, s->at[NBODY_POSITIONS]),
                             .velocities = tw_read_write(cg, s->at[NBODY_VELOCITIES]), .count = n);
    return suite_submit(cg);
}

static bool move_and_sum(const struct suite_teamwork *s, unsigned n)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, tw_range_1d(3 * (size_t)n), nbody_move, .positions = tw_read_write(cg, s->at[NBODY_POSITIONS]),
                    .velocities = tw_read(cg, s->at[NBODY_VELOCITIES]));
    if (!suite_submit(cg))
        return false;
    cg = tw_queue_begin(bench_queue());
    const float *positions = tw_read(cg, s->at[NBODY_POSITIONS]);
    tw_parallel_for(cg, tw_range_1d(n), nbody_energy, .mass = positions ? positions + 3 * (size_t)n : NULL,
                    .velocities = tw_read(cg, s->at[NBODY_VELOCITIES]), .count = n,
                    .energy = TW_REDUCE_INIT(cg, s->at[NBODY_ENERGY]));
    return suite_submit(cg);
}

static bool run(void *state, bool (*accelerate)(const struct suite_teamwork *s, unsigned n))
{
    const struct suite_teamwork *s = state;
    const struct nbody *problem = s->problem;
    for (unsigned step = 0; step < problem->steps; ++step)
        if (!accelerate(s, problem->count) || !move_and_sum(s, problem->count))
            return false;
    return suite_wait();
}

static bool run_flat(void *state)
{
    return run(state, accelerate_flat);
}

static bool run_tiled(void *state)
{
    return run(state, accelerate_tiled);
}

static bool run_nd(void *state)
{
    return run(state, accelerate_nd);
}

static bool fetch(void *state, void *result)
{
    const struct suite_teamwork *s = state;
    const struct nbody *problem = s->problem;
    return suite_teamwork_fetch(state, result)
           && suite_buffer_get(s->at[NBODY_ENERGY], (float *)result + 4 * (size_t)problem->count, sizeof(float));
}

#define VERSION(form, kind, run)                                                                                       \
    {form, kind, suite_teamwork_open, suite_teamwork_reset, run, fetch, suite_teamwork_close}
static const struct suite_version versions[] = {
    VERSION("flat", "range", run_flat),
    VERSION("tiled", "hierarchical", run_tiled),
    VERSION("tiled", "nd_range", run_nd),
};
const struct suite_versions suite_nbody_teamwork = SUITE_VERSIONS(versions);
