/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies in OpenCL. */
#include "../arrays_opencl.h"
#include "nbody.h"

static const char source[] = {
#embed "nbody.cl"
    , 0};

enum { FLAT, TILED, MOVE, ENERGY };

static void *open_bodies(const void *problem)
{
    static const struct suite_opencl_source nbody = {source, {"flat", "tiled", "move", "add_energy"}};
    struct suite_opencl *s = suite_opencl_open_arrays(problem);
    return suite_opencl_opened(s, s
                                      && suite_opencl_build(&s->program, &nbody,
                                                            "-DGROUP=%d -DTIME=%.9gf -DSOFTENING=%.9gf", NBODY_GROUP,
                                                            (double)NBODY_TIME, (double)NBODY_SOFTENING));
}

static bool step(const struct suite_opencl *s, unsigned kernel, struct suite_opencl_range local)
{
    const size_t n = ((const struct nbody *)s->problem)->count, groups = suite_opencl_units();
    return suite_opencl_run(s, kernel, SUITE_OPENCL_RANGE(n), local, SUITE_OPENCL_AT(s, NBODY_POSITIONS),
                            SUITE_OPENCL_AT(s, NBODY_VELOCITIES), SUITE_OPENCL_UINT(n))
           && suite_opencl_run(s, MOVE, SUITE_OPENCL_RANGE(3 * n), SUITE_OPENCL_ANY,
                               SUITE_OPENCL_AT(s, NBODY_POSITIONS), SUITE_OPENCL_AT(s, NBODY_VELOCITIES))
           && suite_opencl_zero(s->at[NBODY_ENERGY], sizeof(cl_float))
           && suite_opencl_run(s, ENERGY, SUITE_OPENCL_RANGE(groups * NBODY_GROUP), SUITE_OPENCL_RANGE(NBODY_GROUP),
                               SUITE_OPENCL_AT(s, NBODY_POSITIONS), SUITE_OPENCL_AT(s, NBODY_VELOCITIES),
                               SUITE_OPENCL_UINT(n), SUITE_OPENCL_AT(s, NBODY_ENERGY));
}

static bool run(void *state, unsigned kernel, struct suite_opencl_range local)
{
    const struct suite_opencl *s = state;
    for (unsigned i = 0; i < ((const struct nbody *)s->problem)->steps; ++i)
        if (!step(s, kernel, local))
            return false;
    return suite_opencl_wait();
}

static bool run_flat(void *state)
{
    return run(state, FLAT, SUITE_OPENCL_ANY);
}

static bool run_tiled(void *state)
{
    return run(state, TILED, SUITE_OPENCL_RANGE(NBODY_GROUP));
}

static bool fetch(void *state, void *result)
{
    const struct suite_opencl *s = state;
    const struct nbody *problem = s->problem;
    return suite_opencl_fetch(state, result)
           && suite_opencl_get(s->at[NBODY_ENERGY], (float *)result + 4 * (size_t)problem->count, sizeof(float));
}

static const struct suite_version versions[] = {
    {"flat", NULL, open_bodies, suite_opencl_reset, run_flat, fetch, suite_opencl_close_arrays},
    {"tiled", "barriers", open_bodies, suite_opencl_reset, run_tiled, fetch, suite_opencl_close_arrays},
};
const struct suite_versions suite_nbody_opencl = SUITE_VERSIONS(versions);
