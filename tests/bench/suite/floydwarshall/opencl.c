/* SPDX-License-Identifier: Apache-2.0 */
/* Floyd and Warshall's algorithm in OpenCL. */
#include "../arrays_opencl.h"
#include "floydwarshall.h"

static const char source[] = {
#embed "floydwarshall.cl"
    , 0};

static void *open_paths(const void *problem)
{
    static const struct suite_opencl_source floydwarshall = {source, {"one_node"}};
    struct suite_opencl *s = suite_opencl_open_arrays(problem);
    return suite_opencl_opened(s, s && suite_opencl_build(&s->program, &floydwarshall, ""));
}

static bool run(void *state)
{
    const struct suite_opencl *s = state;
    const size_t nodes = ((const struct floydwarshall *)s->problem)->nodes;
    for (size_t node = 0; node < nodes; ++node)
        if (!suite_opencl_run(s, 0, SUITE_OPENCL_RANGE(nodes, nodes), SUITE_OPENCL_ANY,
                              SUITE_OPENCL_AT(s, FLOYDWARSHALL_PATHS), SUITE_OPENCL_UINT(nodes),
                              SUITE_OPENCL_UINT(node)))
            return false;
    return suite_opencl_wait();
}

static const struct suite_version versions[] = {SUITE_OPENCL_VERSION_RESET("flat", NULL, open_paths, run)};
const struct suite_versions suite_floydwarshall_opencl = SUITE_VERSIONS(versions);
