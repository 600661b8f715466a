/* SPDX-License-Identifier: Apache-2.0 */
/* Transposing in OpenCL. */
#include "../arrays_opencl.h"
#include "transpose.h"

static const char source[] = {
#embed "transpose.cl"
    , 0};

enum { FLAT, TILED };

static void *open_transpose(const void *problem)
{
    static const struct suite_opencl_source transpose = {source, {"flat", "tiled"}};
    struct suite_opencl *s = suite_opencl_open_arrays(problem);
    return suite_opencl_opened(
        s, s && suite_opencl_build(&s->program, &transpose, "-DTILE=%d -DROWS=%d", TRANSPOSE_TILE, TRANSPOSE_ROWS));
}

/* A work-item has `each` elements of a column. */
static bool run(void *state, unsigned kernel, unsigned each, struct suite_opencl_range local)
{
    const struct suite_opencl *s = state;
    const unsigned side = ((const struct transpose *)s->problem)->side;
    return suite_opencl_run(s, kernel, SUITE_OPENCL_RANGE(side, side / each), local, SUITE_OPENCL_AT(s, TRANSPOSE_IN),
                            SUITE_OPENCL_AT(s, TRANSPOSE_OUT), SUITE_OPENCL_UINT(side))
           && suite_opencl_wait();
}

static bool run_flat(void *state)
{
    return run(state, FLAT, 1, SUITE_OPENCL_ANY);
}

static bool run_tiled(void *state)
{
    return run(state, TILED, TRANSPOSE_TILE / TRANSPOSE_ROWS, SUITE_OPENCL_RANGE(TRANSPOSE_TILE, TRANSPOSE_ROWS));
}

static const struct suite_version versions[] = {
    SUITE_OPENCL_VERSION("flat", NULL, open_transpose, run_flat),
    SUITE_OPENCL_VERSION("tiled", "barriers", open_transpose, run_tiled),
};
const struct suite_versions suite_transpose_opencl = SUITE_VERSIONS(versions);
