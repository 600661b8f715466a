/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices in Teamwork; those through tiles are kernels of examples/groups. */
#include "../../../../examples/groups/matmul.h"
#include "../arrays_teamwork.h"
#include "matmul.h"

struct matmul_flat {
    const float *a, *b;
    float *c;
    unsigned n;
};

static inline void matmul_flat(tw_item item, const struct matmul_flat *k)
{
    const unsigned row = (unsigned)tw_global_id(item, 0) * k->n, column = (unsigned)tw_global_id(item, 1);
    float sum = 0;
    for (unsigned x = 0; x < k->n; ++x)
        sum += k->a[row + x] * k->b[x * k->n + column];
    k->c[row + column] = sum;
}
TW_RANGE_KERNEL(matmul_flat, 2);

static bool run_flat(void *state)
{
    const struct suite_teamwork *s = state;
    const size_t n = ((const struct matmul_problem *)s->problem)->n;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, tw_range_2d(n, n), matmul_flat, .a = tw_read(cg, s->at[MATMUL_A]),
                    .b = tw_read(cg, s->at[MATMUL_B]), .c = tw_discard_write(cg, s->at[MATMUL_C]), .n = (unsigned)n);
    return suite_submit_and_wait(cg);
}

static struct matmul matmul_of(const struct suite_teamwork *s)
{
    const size_t n = ((const struct matmul_problem *)s->problem)->n;
    return (struct matmul){
        .queue = bench_queue(), .a = s->at[MATMUL_A], .b = s->at[MATMUL_B], .c = s->at[MATMUL_C], .n = n};
}

static bool run_items(void *state)
{
    const struct matmul matmul = matmul_of(state);
    return bench_passed(matmul_submit_nd_range(&matmul)) && suite_wait();
}

static bool run_groups(void *state)
{
    const struct matmul matmul = matmul_of(state);
    return bench_passed(matmul_submit_groups(&matmul)) && suite_wait();
}

static bool run_blocks(void *state)
{
    const struct matmul matmul = matmul_of(state);
    return bench_passed(matmul_submit_blocks(&matmul)) && suite_wait();
}

static const struct suite_version flat[] = {SUITE_TEAMWORK_VERSION("flat", "range", run_flat)};
static const struct suite_version tiled[] = {
    SUITE_TEAMWORK_VERSION("tiled", "nd_range", run_items),
    SUITE_TEAMWORK_VERSION("tiled", "hierarchical", run_groups),
    SUITE_TEAMWORK_VERSION("blocked", "hierarchical", run_blocks),
};
const struct suite_versions suite_matmul_flat_teamwork = SUITE_VERSIONS(flat);
const struct suite_versions suite_matmul_teamwork = SUITE_VERSIONS(tiled);
