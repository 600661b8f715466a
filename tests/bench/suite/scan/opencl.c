/* SPDX-License-Identifier: Apache-2.0 */
/* Prefix sums in OpenCL. */
#include "../arrays_opencl.h"
#include "scan.h"

static const char source[] = {
#embed "scan.cl"
    , 0};

enum { TREE, SUMS_OF_PARTS, SCAN_OF_SUMS, PARTS };

static void *open_scan(const void *problem)
{
    static const struct suite_opencl_source scan = {source, {"tree", "sums_of_parts", "scan_sums", "parts"}};
    struct suite_opencl *s = suite_opencl_open_arrays(problem);
    return suite_opencl_opened(s, s
                                      && suite_opencl_build(&s->program, &scan,
                                                            "-DBLOCK=%d -DEACH=%d -DGROUP=%d -DSUMS_GROUP=%d",
                                                            SCAN_BLOCK, SCAN_EACH, SCAN_GROUP, SCAN_SUMS_GROUP));
}

static size_t numbers(const struct suite_opencl *s)
{
    return ((const struct scan *)s->problem)->count;
}

static bool run_tree(void *state)
{
    const struct suite_opencl *s = state;
    return suite_opencl_run(s, TREE, SUITE_OPENCL_RANGE(numbers(s) / 2), SUITE_OPENCL_RANGE(SCAN_TREE_GROUP),
                            SUITE_OPENCL_AT(s, SCAN_IN), SUITE_OPENCL_AT(s, SCAN_OUT))
           && suite_opencl_wait();
}

static bool run_parts(void *state)
{
    const struct suite_opencl *s = state;
    const struct suite_opencl_range all = SUITE_OPENCL_RANGE(numbers(s) / SCAN_EACH),
                                    local = SUITE_OPENCL_RANGE(SCAN_GROUP), sums = SUITE_OPENCL_RANGE(SCAN_SUMS_GROUP);
    return suite_opencl_run(s, SUMS_OF_PARTS, all, local, SUITE_OPENCL_AT(s, SCAN_IN), SUITE_OPENCL_AT(s, SCAN_SUMS))
           && suite_opencl_run(s, SCAN_OF_SUMS, sums, sums, SUITE_OPENCL_AT(s, SCAN_SUMS),
                               SUITE_OPENCL_UINT(numbers(s) / SCAN_PART))
           && suite_opencl_run(s, PARTS, all, local, SUITE_OPENCL_AT(s, SCAN_IN), SUITE_OPENCL_AT(s, SCAN_SUMS),
                               SUITE_OPENCL_AT(s, SCAN_OUT))
           && suite_opencl_wait();
}

static const struct suite_version of_blocks[] = {SUITE_OPENCL_VERSION("tree", "barriers", open_scan, run_tree)};
static const struct suite_version of_whole[] = {SUITE_OPENCL_VERSION("parts", "barriers", open_scan, run_parts)};
const struct suite_versions suite_scan_blocks_opencl = SUITE_VERSIONS(of_blocks);
const struct suite_versions suite_scan_whole_opencl = SUITE_VERSIONS(of_whole);
