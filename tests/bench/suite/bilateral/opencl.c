/* SPDX-License-Identifier: Apache-2.0 */
/* The bilateral filter in OpenCL. */
#include "../arrays_opencl.h"
#include "bilateral.h"

static const char source[] = {
#embed "bilateral.cl"
    , 0};

enum { FLAT, TILED };

static void *open_filter(const void *problem)
{
    static const struct suite_opencl_source bilateral = {source, {"flat", "tiled"}};
    struct suite_opencl *s = suite_opencl_open_arrays(problem);
    return suite_opencl_opened(
        s,
        s
            && suite_opencl_build(&s->program, &bilateral,
                                  "-DRADIUS=%d -DROWS=%d -DCOLUMNS=%d -DNEAR=(%.9gf) -DALIKE=(%.9gf)", BILATERAL_RADIUS,
                                  BILATERAL_ROWS, BILATERAL_COLUMNS, (double)BILATERAL_NEAR, (double)BILATERAL_ALIKE));
}

static bool run(void *state, unsigned kernel, struct suite_opencl_range local)
{
    const struct suite_opencl *s = state;
    const struct bilateral *problem = s->problem;
    return suite_opencl_run(s, kernel, SUITE_OPENCL_RANGE(problem->columns, problem->rows), local,
                            SUITE_OPENCL_AT(s, BILATERAL_IN), SUITE_OPENCL_AT(s, BILATERAL_OUT),
                            SUITE_OPENCL_UINT(bilateral_first(problem)), SUITE_OPENCL_UINT(problem->pitch))
           && suite_opencl_wait();
}

static bool run_flat(void *state)
{
    return run(state, FLAT, SUITE_OPENCL_ANY);
}

static bool run_tiled(void *state)
{
    return run(state, TILED, SUITE_OPENCL_RANGE(BILATERAL_COLUMNS, BILATERAL_ROWS));
}

static const struct suite_version versions[] = {
    SUITE_OPENCL_VERSION("flat", NULL, open_filter, run_flat),
    SUITE_OPENCL_VERSION("tiled", "barriers", open_filter, run_tiled),
};
const struct suite_versions suite_bilateral_opencl = SUITE_VERSIONS(versions);
