/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms in OpenCL. */
#include "../arrays_opencl.h"
#include "histogram.h"

static const char source[] = {
#embed "histogram.cl"
    , 0};

enum { PHASES, LANES };

enum { GROUPS_OF_UNIT = 8 };

static void *open_histogram(const void *problem)
{
    static const struct suite_opencl_source histogram = {source, {"phases", "lanes"}};
    struct suite_opencl *s = suite_opencl_open_arrays(problem);
    return suite_opencl_opened(s,
                               s
                                   && suite_opencl_build(&s->program, &histogram, "-DVALUES=%d -DGROUP=%d -DLANES=%d",
                                                         HISTOGRAM_VALUES, HISTOGRAM_GROUP, HISTOGRAM_LANES));
}

static bool run(const struct suite_opencl *s, unsigned kernel, size_t group)
{
    const size_t count = ((const struct histogram_problem *)s->problem)->count;
    const size_t each = histogram_part(count, suite_opencl_units(), GROUPS_OF_UNIT);
    return suite_opencl_zero(s->at[HISTOGRAM_COUNTS], HISTOGRAM_VALUES * sizeof(cl_uint))
           && suite_opencl_run(s, kernel, SUITE_OPENCL_RANGE((count + each - 1) / each * group),
                               SUITE_OPENCL_RANGE(group), SUITE_OPENCL_AT(s, HISTOGRAM_BYTES),
                               SUITE_OPENCL_AT(s, HISTOGRAM_COUNTS), SUITE_OPENCL_UINT(count), SUITE_OPENCL_UINT(each))
           && suite_opencl_wait();
}

static bool run_phases(void *state)
{
    return run(state, PHASES, HISTOGRAM_GROUP);
}

static bool run_lanes(void *state)
{
    return run(state, LANES, HISTOGRAM_LANES);
}

static const struct suite_version versions[] = {
    SUITE_OPENCL_VERSION("phases", "barriers", open_histogram, run_phases),
    SUITE_OPENCL_VERSION("lanes", "barriers", open_histogram, run_lanes),
};
const struct suite_versions suite_histogram_opencl = SUITE_VERSIONS(versions);
const struct suite_versions suite_histogram_of_one_opencl = SUITE_VERSIONS(versions);
