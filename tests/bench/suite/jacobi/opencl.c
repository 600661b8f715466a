/* SPDX-License-Identifier: Apache-2.0 */
/* Jacobi's iteration in OpenCL. */
#include "../arrays_opencl.h"
#include "jacobi.h"

static const char source[] = {
#embed "jacobi.cl"
    , 0};

enum { FLAT, TILED };

static void *open_jacobi(const void *problem)
{
    static const struct suite_opencl_source jacobi = {source, {"flat", "tiled"}};
    struct suite_opencl *s = suite_opencl_open_arrays(problem);
    return suite_opencl_opened(
        s, s && suite_opencl_build(&s->program, &jacobi, "-DROWS=%d -DCOLUMNS=%d", JACOBI_ROWS, JACOBI_COLUMNS));
}

static bool sweep(const struct suite_opencl *s, unsigned kernel, unsigned step)
{
    const struct jacobi *problem = s->problem;
    return suite_opencl_zero(s->at[JACOBI_CHANGE], sizeof(cl_double))
           && suite_opencl_run(s, kernel, SUITE_OPENCL_RANGE(problem->side, problem->side),
                               SUITE_OPENCL_RANGE(JACOBI_COLUMNS, JACOBI_ROWS),
                               SUITE_OPENCL_AT(s, step % 2 ? JACOBI_B : JACOBI_A),
                               SUITE_OPENCL_AT(s, step % 2 ? JACOBI_A : JACOBI_B), SUITE_OPENCL_AT(s, JACOBI_CHANGE),
                               SUITE_OPENCL_UINT(jacobi_first(problem)), SUITE_OPENCL_UINT(problem->pitch));
}

static bool run(void *state, unsigned kernel)
{
    const struct suite_opencl *s = state;
    const struct jacobi *problem = s->problem;
    double change = 2 * problem->tolerance;
    for (unsigned step = 0; step < problem->most_sweeps && change > problem->tolerance; ++step)
        if (!sweep(s, kernel, step) || !suite_opencl_get(s->at[JACOBI_CHANGE], &change, sizeof change))
            return false;
    return true;
}

static bool run_flat(void *state)
{
    return run(state, FLAT);
}

static bool run_tiled(void *state)
{
    return run(state, TILED);
}

static const struct suite_version versions[] = {
    SUITE_OPENCL_VERSION_RESET("flat", "barriers", open_jacobi, run_flat),
    SUITE_OPENCL_VERSION_RESET("tiled", "barriers", open_jacobi, run_tiled),
};
const struct suite_versions suite_jacobi_opencl = SUITE_VERSIONS(versions);
