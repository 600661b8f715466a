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

SUITE_TEAMWORK_RUN(run_flat, matmul_problem, tw_parallel_for, tw_range_2d(p->n, p->n), matmul_flat,
                   .a = tw_read(cg, s->at[MATMUL_A]), .b = tw_read(cg, s->at[MATMUL_B]),
                   .c = tw_discard_write(cg, s->at[MATMUL_C]), .n = (unsigned)p->n)

static struct matmul matmul_of(const struct suite_teamwork *s)
{
    const size_t n = ((const struct matmul_problem *)s->problem)->n;
    return (struct matmul){
        .queue = bench_queue(), .a = s->at[MATMUL_A], .b = s->at[MATMUL_B], .c = s->at[MATMUL_C], .n = n};
}

#define EXAMPLE_RUN(name, submit)                                                                                      \
    static bool name(void *state)                                                                                      \
    {                                                                                                                  \
        const struct matmul matmul = matmul_of(state);                                                                 \
        return bench_passed(submit(&matmul)) && suite_wait();                                                          \
    }
EXAMPLE_RUN(run_items, matmul_submit_nd_range)
EXAMPLE_RUN(run_groups, matmul_submit_groups)
EXAMPLE_RUN(run_blocks, matmul_submit_blocks)

SUITE_TEAMWORK_LIST(matmul_flat, SUITE_TEAMWORK_VERSION("flat", "range", run_flat))
SUITE_TEAMWORK_LIST(matmul, SUITE_TEAMWORK_VERSION("tiled", "nd_range", run_items),
                    SUITE_TEAMWORK_VERSION("tiled", "hierarchical", run_groups),
                    SUITE_TEAMWORK_VERSION("blocked", "hierarchical", run_blocks))
