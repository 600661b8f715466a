/* SPDX-License-Identifier: Apache-2.0 */
/* Sums in OpenCL: launches until one number is left. */
#include "../arrays_opencl.h"
#include "reduction.h"

static const char source[] = {
#embed "reduction.cl"
    , 0};

enum { PAIRS, PARTS };

/* Work-items of a group that adds up pairs: as many as in Teamwork's hierarchical form. */
enum { PAIRS_GROUP = 256 };

static void *open_sum(const void *problem)
{
    static const struct suite_opencl_source reduction = {source, {"pairs", "parts"}};
    struct suite_opencl *s = suite_opencl_open_arrays(problem);
    return suite_opencl_opened(s, s
                                      && suite_opencl_build(&s->program, &reduction,
                                                            "-DPAIRS=%d -DPART_GROUP=%d -DPART_QUADS=%d", PAIRS_GROUP,
                                                            REDUCTION_PART_GROUP, REDUCTION_PART_QUADS));
}

static size_t numbers(const struct suite_opencl *s)
{
    return ((const struct reduction *)s->problem)->count;
}

/* What one launch leaves the next one reads; the halves of the array for sums of parts take turns. */
static bool run_pairs(void *state)
{
    enum { BOTH = 2 * PAIRS_GROUP };
    const struct suite_opencl *s = state;
    const cl_mem *from = &s->at[REDUCTION_NUMBERS], *to = from;
    size_t count = numbers(s), first = 0;
    for (unsigned turn = 0; to != &s->at[REDUCTION_SUM]; ++turn) {
        const size_t groups = (count + BOTH - 1) / BOTH;
        const size_t next = groups > 1 && turn % 2 ? reduction_partial(numbers(s)) : 0;
        to = &s->at[groups > 1 ? REDUCTION_PARTIAL : REDUCTION_SUM];
        if (!suite_opencl_run(s, PAIRS, SUITE_OPENCL_RANGE(groups * PAIRS_GROUP), SUITE_OPENCL_RANGE(PAIRS_GROUP),
                              SUITE_OPENCL_MEMORY(*from), SUITE_OPENCL_UINT(first), SUITE_OPENCL_MEMORY(*to),
                              SUITE_OPENCL_UINT(next), SUITE_OPENCL_UINT(count)))
            return false;
        from = to;
        first = next;
        count = groups;
    }
    return suite_opencl_wait();
}

static bool add_parts(const struct suite_opencl *s, unsigned from, unsigned to, size_t groups, size_t count)
{
    const size_t items = groups * REDUCTION_PART_GROUP, each = suite_opencl_up((count + items - 1) / items, 4);
    return suite_opencl_run(s, PARTS, SUITE_OPENCL_RANGE(items), SUITE_OPENCL_RANGE(REDUCTION_PART_GROUP),
                            SUITE_OPENCL_AT(s, from), SUITE_OPENCL_AT(s, to), SUITE_OPENCL_UINT(count),
                            SUITE_OPENCL_UINT(each));
}

/* One launch for all numbers, with a few groups for each unit, and one for the sums of the groups. */
static bool run_parts(void *state)
{
    enum { GROUPS_OF_UNIT = 8 };
    const struct suite_opencl *s = state;
    const size_t most = reduction_partial(numbers(s)), some = (size_t)suite_opencl_units() * GROUPS_OF_UNIT;
    const size_t groups = some < most ? some : most;
    return add_parts(s, REDUCTION_NUMBERS, REDUCTION_PARTIAL, groups, numbers(s))
           && add_parts(s, REDUCTION_PARTIAL, REDUCTION_SUM, 1, groups) && suite_opencl_wait();
}

static const struct suite_version versions[] = {
    SUITE_OPENCL_VERSION("pairs", "barriers", open_sum, run_pairs),
    SUITE_OPENCL_VERSION("parts", "barriers", open_sum, run_parts),
};
const struct suite_versions suite_reduction_opencl = SUITE_VERSIONS(versions);
