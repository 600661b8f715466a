/* SPDX-License-Identifier: Apache-2.0 */
/* Laplace's equation in Teamwork. */
#include "../arrays_teamwork.h"
#include "laplace3d.h"

enum { ROWS = LAPLACE3D_ROWS, COLUMNS = LAPLACE3D_COLUMNS, PLANES = LAPLACE3D_PLANES };

struct laplace3d_flat {
    const float *in;
    float *out;
    unsigned pitch, plane;
};

static inline void laplace3d_flat(tw_item item, const struct laplace3d_flat *k)
{
    const size_t at = (size_t)((unsigned)tw_global_id(item, 0) * k->plane + (unsigned)tw_global_id(item, 1) * k->pitch)
                      + tw_global_id(item, 2);
    const float *here = k->in + at;
    const float sum = (here - k->plane)[0] + (here + k->plane)[0] + (here - k->pitch)[0] + (here + k->pitch)[0];
    k->out[at] = (sum + here[-1] + here[1]) * LAPLACE3D_SIXTH;
}
TW_RANGE_KERNEL(laplace3d_flat, 3);

struct laplace3d_planes {
    const float *in;
    float *out;
    unsigned pitch, plane;
};

static inline void laplace3d_planes(tw_group group, const struct laplace3d_planes *k)
{
    TW_LOCAL(float, tile, [ROWS + 2][COLUMNS + 2]);
    TW_PRIVATE(group, float, before);
    const size_t corner = (size_t)((unsigned)tw_group_id(group, 0) * PLANES * k->plane
                                   + (unsigned)tw_group_id(group, 1) * ROWS * k->pitch)
                          + (unsigned)tw_group_id(group, 2) * COLUMNS;
    const float *in = k->in + corner;
    float *out = k->out + corner;

    tw_parallel_for_work_item(group, item) {
        const unsigned i = (unsigned)tw_local_id(item, 1), j = (unsigned)tw_local_id(item, 2);
        tw_private(before, item) = (in - k->plane + i * k->pitch)[j];
    }
    for (unsigned z = 0; z < PLANES; ++z) {
        const float *above = in - k->pitch;
        if (TW_ON_GPU) {
            tw_parallel_for_work_item_range(group, item, tw_range_3d(1, ROWS + 2, COLUMNS + 2)) {
                const unsigned i = (unsigned)tw_local_id(item, 1), j = (unsigned)tw_local_id(item, 2);
                tile[i][j] = (above - 1 + i * k->pitch)[j];
            }
        } else {
            /* the columns at the sides on their own: then vectors are stored as they are loaded again, which a
               processor need not wait for */
            tw_parallel_for_work_item_range(group, item, tw_range_3d(1, ROWS + 2, COLUMNS)) {
                const unsigned i = (unsigned)tw_local_id(item, 1), j = (unsigned)tw_local_id(item, 2);
                tile[i][j + 1] = (above + i * k->pitch)[j];
            }
            tw_parallel_for_work_item_range(group, item, tw_range_3d(1, 1, ROWS + 2)) {
                const unsigned i = (unsigned)tw_local_id(item, 2);
                tile[i][0] = (above - 1 + i * k->pitch)[0];
                tile[i][COLUMNS + 1] = (above + i * k->pitch)[COLUMNS];
            }
        }
        tw_parallel_for_work_item(group, item) {
            const unsigned i = (unsigned)tw_local_id(item, 1), j = (unsigned)tw_local_id(item, 2);
            const float behind = (in + k->plane + i * k->pitch)[j];
            /* on a CPU it is still in the cache, and nothing has to be kept */
            const float ahead = TW_ON_GPU ? tw_private(before, item) : (in - k->plane + i * k->pitch)[j];
            const float sum = ahead + behind + tile[i][j + 1] + tile[i + 2][j + 1];
            (out + i * k->pitch)[j] = (sum + tile[i + 1][j] + tile[i + 1][j + 2]) * LAPLACE3D_SIXTH;
            tw_private(before, item) = tile[i + 1][j + 1];
        }
        in += k->plane;
        out += k->plane;
    }
}
TW_WORK_GROUP_KERNEL(laplace3d_planes, 1, ROWS, COLUMNS);

struct laplace3d_nd {
    const float *in;
    float *out;
    unsigned pitch, plane;
};

static inline void laplace3d_nd(tw_nd_item item, const struct laplace3d_nd *k)
{
    enum { WIDE = COLUMNS + 2, CELLS = (ROWS + 2) * WIDE };
    TW_LOCAL(float, tile, [CELLS]);
    const unsigned i = (unsigned)tw_local_id(item, 1), j = (unsigned)tw_local_id(item, 2), thread = i * COLUMNS + j;
    const size_t corner =
        (size_t)((unsigned)tw_group_id(item, 0) * PLANES * k->plane + (unsigned)tw_group_id(item, 1) * ROWS * k->pitch)
        + (unsigned)tw_group_id(item, 2) * COLUMNS;
    const float *in = k->in + corner;
    float *out = k->out + corner + i * k->pitch + j;
    const float *mine = in + i * k->pitch + j;
    float before = (mine - k->plane)[0];
    in -= k->pitch + 1;

    for (unsigned z = 0; z < PLANES; ++z) {
        for (unsigned at = thread; at < CELLS; at += ROWS * COLUMNS)
            tile[at] = in[at / WIDE * k->pitch + at % WIDE];
        tw_barrier(item, TW_LOCAL_SPACE);
        const float behind = mine[k->plane], *here = &tile[(i + 1) * WIDE + j + 1];
        *out = (before + behind + here[-WIDE] + here[WIDE] + here[-1] + here[1]) * LAPLACE3D_SIXTH;
        before = *here;
        in += k->plane;
        mine += k->plane;
        out += k->plane;
        tw_barrier(item, TW_LOCAL_SPACE);
    }
}
TW_ND_RANGE_KERNEL(laplace3d_nd, 1, ROWS, COLUMNS);

/* Submits one sweep. */
typedef bool (*sweep)(const struct laplace3d *problem, tw_buffer *from, tw_buffer *to);

static bool sweep_flat(const struct laplace3d *problem, tw_buffer *from, tw_buffer *to)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    const float *in = tw_read(cg, from);
    float *out = tw_write(cg, to);
    if (in && out)
        tw_parallel_for(cg, tw_range_3d(problem->side, problem->side, problem->side), laplace3d_flat,
                        .in = in + laplace3d_first(problem), .out = out + laplace3d_first(problem),
                        .pitch = problem->pitch, .plane = problem->plane);
    return suite_submit(cg);
}

static bool sweep_planes(const struct laplace3d *problem, tw_buffer *from, tw_buffer *to)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    const float *in = tw_read(cg, from);
    float *out = tw_write(cg, to);
    const tw_range groups = tw_range_3d(problem->side / PLANES, problem->side / ROWS, problem->side / COLUMNS);
    if (in && out)
        tw_parallel_for_work_group(cg, groups, tw_range_3d(1, ROWS, COLUMNS), laplace3d_planes,
                                   .in = in + laplace3d_first(problem), .out = out + laplace3d_first(problem),
                                   .pitch = problem->pitch, .plane = problem->plane);
    return suite_submit(cg);
}

static bool sweep_nd(const struct laplace3d *problem, tw_buffer *from, tw_buffer *to)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    const float *in = tw_read(cg, from);
    float *out = tw_write(cg, to);
    const tw_nd_range range = tw_nd_range_make(tw_range_3d(problem->side / PLANES, problem->side, problem->side),
                                               tw_range_3d(1, ROWS, COLUMNS));
    if (in && out)
        tw_parallel_for_nd_range(cg, range, laplace3d_nd, .in = in + laplace3d_first(problem),
                                 .out = out + laplace3d_first(problem), .pitch = problem->pitch,
                                 .plane = problem->plane);
    return suite_submit(cg);
}

static bool sweeps(void *state, sweep sweep)
{
    const struct suite_teamwork *s = state;
    const struct laplace3d *problem = s->problem;
    for (unsigned step = 0; step < problem->sweeps; ++step)
        if (!sweep(problem, s->at[step % 2 ? LAPLACE3D_B : LAPLACE3D_A], s->at[step % 2 ? LAPLACE3D_A : LAPLACE3D_B]))
            return false;
    return suite_wait();
}

static bool run_flat(void *state)
{
    return sweeps(state, sweep_flat);
}

static bool run_planes(void *state)
{
    return sweeps(state, sweep_planes);
}

static bool run_nd(void *state)
{
    return sweeps(state, sweep_nd);
}

static const struct suite_version versions[] = {
    SUITE_TEAMWORK_VERSION_RESET("flat", "range", run_flat),
    SUITE_TEAMWORK_VERSION_RESET("planes", "hierarchical", run_planes),
    SUITE_TEAMWORK_VERSION_RESET("planes", "nd_range", run_nd),
};
const struct suite_versions suite_laplace3d_teamwork = SUITE_VERSIONS(versions);
