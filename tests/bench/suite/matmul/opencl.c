/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices in OpenCL. */
#include "../arrays_opencl.h"
#include "matmul.h"

static const char source[] = {
#embed "matmul.cl"
    , 0};

enum { FLAT, TILED, BLOCKED };

enum { BLOCK_ITEMS = MATMUL_HEIGHT / MATMUL_ROWS * (MATMUL_WIDTH / MATMUL_COLUMNS) };

static void *open_product(const void *problem)
{
    static const struct suite_opencl_source matmul = {source, {"flat", "tiled", "blocked"}};
    struct suite_opencl *s = suite_opencl_open_arrays(problem);
    return suite_opencl_opened(
        s, s
               && suite_opencl_build(&s->program, &matmul,
                                     "-DTILE=%d -DHEIGHT=%d -DWIDTH=%d -DDEPTH=%d -DROWS=%d -DCOLUMNS=%d", MATMUL_TILE,
                                     MATMUL_HEIGHT, MATMUL_WIDTH, MATMUL_DEPTH, MATMUL_ROWS, MATMUL_COLUMNS));
}

static bool run(void *state, unsigned kernel, struct suite_opencl_range all, struct suite_opencl_range local)
{
    const struct suite_opencl *s = state;
    return suite_opencl_run(s, kernel, all, local, SUITE_OPENCL_AT(s, MATMUL_A), SUITE_OPENCL_AT(s, MATMUL_B),
                            SUITE_OPENCL_AT(s, MATMUL_C),
                            SUITE_OPENCL_UINT(((const struct matmul_problem *)s->problem)->n))
           && suite_opencl_wait();
}

static size_t side(const void *state)
{
    return ((const struct matmul_problem *)((const struct suite_opencl *)state)->problem)->n;
}

static bool run_flat(void *state)
{
    return run(state, FLAT, SUITE_OPENCL_RANGE(side(state), side(state)), SUITE_OPENCL_ANY);
}

static bool run_tiled(void *state)
{
    return run(state, TILED, SUITE_OPENCL_RANGE(side(state), side(state)),
               SUITE_OPENCL_RANGE(MATMUL_TILE, MATMUL_TILE));
}

static bool run_blocked(void *state)
{
    return run(state, BLOCKED,
               SUITE_OPENCL_RANGE(side(state) / MATMUL_WIDTH * BLOCK_ITEMS, side(state) / MATMUL_HEIGHT),
               SUITE_OPENCL_RANGE(BLOCK_ITEMS, 1));
}

static const struct suite_version flat[] = {SUITE_OPENCL_VERSION("flat", NULL, open_product, run_flat)};
static const struct suite_version tiled[] = {
    SUITE_OPENCL_VERSION("tiled", "barriers", open_product, run_tiled),
    SUITE_OPENCL_VERSION("blocked", "barriers", open_product, run_blocked),
};
const struct suite_versions suite_matmul_flat_opencl = SUITE_VERSIONS(flat);
const struct suite_versions suite_matmul_opencl = SUITE_VERSIONS(tiled);
