/* SPDX-License-Identifier: Apache-2.0 */
/* The Game of Life in OpenCL. */
#include "../arrays_opencl.h"
#include "life.h"

static const char source[] = {
#embed "life.cl"
    , 0};

enum { FLAT, TILED };

static void *open_life(const void *problem)
{
    static const struct suite_opencl_source life = {source, {"flat", "tiled"}};
    struct suite_opencl *s = suite_opencl_open_arrays(problem);
    return suite_opencl_opened(s, s && suite_opencl_build(&s->program, &life, "-DTILE=%d", LIFE_TILE));
}

static bool run(void *state, unsigned kernel, struct suite_opencl_range local)
{
    const struct suite_opencl *s = state;
    const struct life *life = s->problem;
    return suite_opencl_run(s, kernel, SUITE_OPENCL_RANGE(life->side, life->side), local, SUITE_OPENCL_AT(s, LIFE_NOW),
                            SUITE_OPENCL_AT(s, LIFE_NEXT), SUITE_OPENCL_UINT(life->pitch + 1),
                            SUITE_OPENCL_UINT(life->pitch))
           && suite_opencl_wait();
}

static bool run_flat(void *state)
{
    return run(state, FLAT, SUITE_OPENCL_ANY);
}

static bool run_tiled(void *state)
{
    return run(state, TILED, SUITE_OPENCL_RANGE(LIFE_TILE, LIFE_TILE));
}

static const struct suite_version versions[] = {
    SUITE_OPENCL_VERSION("flat", NULL, open_life, run_flat),
    SUITE_OPENCL_VERSION("tiled", "barriers", open_life, run_tiled),
};
const struct suite_versions suite_life_opencl = SUITE_VERSIONS(versions);
