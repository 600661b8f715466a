/* SPDX-License-Identifier: Apache-2.0 */
/* A Gaussian filter in OpenCL. */
#include "../arrays_opencl.h"
#include "convolution.h"

static const char source[] = {
#embed "convolution.cl"
    , 0};

enum { FLAT_ROWS, FLAT_COLUMNS, TILED_ROWS, TILED_COLUMNS };

static void *open_filter(const void *problem)
{
    static const struct suite_opencl_source convolution = {
        source, {"flat_rows", "flat_columns", "tiled_rows", "tiled_columns"}};
    struct suite_opencl *s = suite_opencl_open_arrays(problem);
    return suite_opencl_opened(
        s, s
               && suite_opencl_build(&s->program, &convolution,
                                     "-DRADIUS=%d -DROWS=%d -DCOLUMNS=%d -DROW_TILE=%d -DCOLUMN_TILE=%d",
                                     CONVOLUTION_RADIUS, CONVOLUTION_GROUP_ROWS, CONVOLUTION_GROUP_COLUMNS,
                                     CONVOLUTION_ROW_TILE, CONVOLUTION_COLUMN_TILE));
}

/* From one array to the next, a work-item for `across` pixels in a row and `down` in a column. */
static bool filter(const struct suite_opencl *s, unsigned kernel, unsigned from, size_t across, size_t down,
                   struct suite_opencl_range local)
{
    const struct convolution *c = s->problem;
    return suite_opencl_run(s, kernel, SUITE_OPENCL_RANGE(c->side / across, c->side / down), local,
                            SUITE_OPENCL_AT(s, from), SUITE_OPENCL_AT(s, from + 1),
                            SUITE_OPENCL_UINT(convolution_inside(c)), SUITE_OPENCL_UINT(c->pitch),
                            {sizeof c->weights, &c->weights});
}

static bool run_flat(void *state)
{
    return filter(state, FLAT_ROWS, CONVOLUTION_IN, 1, 1, SUITE_OPENCL_ANY)
           && filter(state, FLAT_COLUMNS, CONVOLUTION_BETWEEN, 1, 1, SUITE_OPENCL_ANY) && suite_opencl_wait();
}

static bool run_tiled(void *state)
{
    const struct suite_opencl_range local = SUITE_OPENCL_RANGE(CONVOLUTION_GROUP_COLUMNS, CONVOLUTION_GROUP_ROWS);
    return filter(state, TILED_ROWS, CONVOLUTION_IN, CONVOLUTION_ROW_TILE, 1, local)
           && filter(state, TILED_COLUMNS, CONVOLUTION_BETWEEN, 1, CONVOLUTION_COLUMN_TILE, local)
           && suite_opencl_wait();
}

static const struct suite_version versions[] = {
    SUITE_OPENCL_VERSION("flat", NULL, open_filter, run_flat),
    SUITE_OPENCL_VERSION("tiled", "barriers", open_filter, run_tiled),
};
const struct suite_versions suite_convolution_opencl = SUITE_VERSIONS(versions);
