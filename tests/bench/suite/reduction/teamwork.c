/* SPDX-License-Identifier: Apache-2.0 */
/* Sums in Teamwork, by the kernels of examples/groups. */
#include "../../../../examples/groups/reduce.h"
#include "../arrays_teamwork.h"
#include "reduction.h"

/* The state of these versions. */
struct summing {
    struct suite_teamwork *common;
    struct reduce reduce; /* with a buffer of its own for the sum */
};

static void close_sum(void *state)
{
    struct summing *s = state;
    reduce_destroy(&s->reduce);
    if (s->common)
        suite_teamwork_close(s->common);
    free(s);
}

static void *open_sum(const void *problem)
{
    static const uint32_t poison = SUITE_POISON * UINT32_C(0x01010101);
    struct summing *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->common = suite_teamwork_open(problem);
    if (s->common
        && bench_passed(reduce_create(&s->reduce, bench_queue(), s->common->at[REDUCTION_NUMBERS],
                                      ((const struct reduction *)problem)->count))
        && bench_passed(tw_buffer_write(s->reduce.sum, &poison)))
        return s;
    close_sum(s);
    return NULL;
}

static bool fetch_sum(void *state, void *result)
{
    return suite_buffer_get(((struct summing *)state)->reduce.sum, result, sizeof(int32_t));
}

#define EXAMPLE_RUN(name, submit)                                                                                      \
    static bool name(void *state)                                                                                      \
    {                                                                                                                  \
        return bench_passed(submit(&((struct summing *)state)->reduce)) && suite_wait();                               \
    }
EXAMPLE_RUN(run_pairs, reduce_submit_pairs)
EXAMPLE_RUN(run_tree, reduce_submit_tree)
EXAMPLE_RUN(run_parts, reduce_submit_parts)
EXAMPLE_RUN(run_group_parts, reduce_submit_group_parts)
EXAMPLE_RUN(run_launch, reduce_submit_range)

SUITE_TEAMWORK_LIST(reduction, {"pairs", "nd_range", open_sum, run_pairs, fetch_sum, close_sum},
                    {"pairs", "hierarchical", open_sum, run_tree, fetch_sum, close_sum},
                    {"parts", "nd_range", open_sum, run_parts, fetch_sum, close_sum},
                    {"parts", "hierarchical", open_sum, run_group_parts, fetch_sum, close_sum},
                    {"launch", "reduction", open_sum, run_launch, fetch_sum, close_sum})
