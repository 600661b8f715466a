/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms in Teamwork, by the kernels of examples/groups. */
#include "../../../../examples/groups/histogram.h"
#include "../arrays_teamwork.h"
#include "histogram.h"

/* The state of these versions. */
struct counting {
    struct suite_teamwork *common;
    struct histogram histogram;
};

static void close_counting(void *state)
{
    struct counting *c = state;
    histogram_destroy(&c->histogram);
    if (c->common)
        suite_teamwork_close(c->common);
    free(c);
}

static void *open_counting(const void *problem)
{
    struct counting *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->common = suite_teamwork_open(problem);
    if (c->common
        && bench_passed(histogram_create(&c->histogram, bench_queue(), c->common->at[HISTOGRAM_BYTES],
                                         ((const struct histogram_problem *)problem)->count,
                                         c->common->at[HISTOGRAM_COUNTS])))
        return c;
    close_counting(c);
    return NULL;
}

static bool fetch_counts(void *state, void *result)
{
    return suite_teamwork_fetch(((struct counting *)state)->common, result);
}

#define EXAMPLE_RUN(name, submit)                                                                                      \
    static bool name(void *state)                                                                                      \
    {                                                                                                                  \
        return bench_passed(submit(&((struct counting *)state)->histogram)) && suite_wait();                           \
    }
EXAMPLE_RUN(run_phases, histogram_submit_phases)
EXAMPLE_RUN(run_group_phases, histogram_submit_group_phases)
EXAMPLE_RUN(run_lanes, histogram_submit_lanes)
EXAMPLE_RUN(run_reduction, histogram_submit_reduction)

static const struct suite_version versions[] = {
    {"phases", "nd_range", open_counting, run_phases, fetch_counts, close_counting},
    {"phases", "hierarchical", open_counting, run_group_phases, fetch_counts, close_counting},
    {"lanes", "nd_range", open_counting, run_lanes, fetch_counts, close_counting},
    {"reduction", "reduction", open_counting, run_reduction, fetch_counts, close_counting},
};
const struct suite_versions suite_histogram_teamwork = SUITE_VERSIONS(versions);
const struct suite_versions suite_histogram_of_one_teamwork = SUITE_VERSIONS(versions);
