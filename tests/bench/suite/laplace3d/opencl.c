/* SPDX-License-Identifier: Apache-2.0 */
/* Laplace's equation in OpenCL. */
#include "../arrays_opencl.h"
#include "laplace3d.h"

static const char source[] = {
#embed "laplace3d.cl"
    , 0};

enum { FLAT, PLANES };

static void *open_laplace(const void *problem)
{
    static const struct suite_opencl_source laplace = {source, {"flat", "planes"}};
    struct suite_opencl *s = suite_opencl_open_arrays(problem);
    return suite_opencl_opened(s, s
                                      && suite_opencl_build(&s->program, &laplace, "-DROWS=%d -DCOLUMNS=%d -DPLANES=%d",
                                                            LAPLACE3D_ROWS, LAPLACE3D_COLUMNS, LAPLACE3D_PLANES));
}

/* A work-item walks through `planes`. */
static bool run(void *state, unsigned kernel, unsigned planes, struct suite_opencl_range local)
{
    const struct suite_opencl *s = state;
    const struct laplace3d *problem = s->problem;
    const unsigned side = problem->side;
    for (unsigned step = 0; step < problem->sweeps; ++step)
        if (!suite_opencl_run(s, kernel, SUITE_OPENCL_RANGE(side, side, side / planes), local,
                              SUITE_OPENCL_AT(s, step % 2 ? LAPLACE3D_B : LAPLACE3D_A),
                              SUITE_OPENCL_AT(s, step % 2 ? LAPLACE3D_A : LAPLACE3D_B),
                              SUITE_OPENCL_UINT(laplace3d_first(problem)), SUITE_OPENCL_UINT(problem->pitch),
                              SUITE_OPENCL_UINT(problem->plane)))
            return false;
    return suite_opencl_wait();
}

static bool run_flat(void *state)
{
    return run(state, FLAT, 1, SUITE_OPENCL_ANY);
}

static bool run_planes(void *state)
{
    return run(state, PLANES, LAPLACE3D_PLANES, SUITE_OPENCL_RANGE(LAPLACE3D_COLUMNS, LAPLACE3D_ROWS, 1));
}

static const struct suite_version versions[] = {
    SUITE_OPENCL_VERSION_RESET("flat", NULL, open_laplace, run_flat),
    SUITE_OPENCL_VERSION_RESET("planes", "barriers", open_laplace, run_planes),
};
const struct suite_versions suite_laplace3d_opencl = SUITE_VERSIONS(versions);
