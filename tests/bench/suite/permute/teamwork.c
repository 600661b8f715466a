/* SPDX-License-Identifier: Apache-2.0 */
/* Permuting in Teamwork. */
#include "../arrays_teamwork.h"
#include "permute.h"

struct permute_flat {
    const float *in;
    float *out;
    struct permute_shape shape;
};

static inline void permute_flat(tw_item item, const struct permute_flat *k)
{
    const struct permute_shape *s = &k->shape;
    const unsigned at = (unsigned)tw_global_id(item, 0);
    const unsigned depth = at % s->depth, row = at / s->depth;
    const unsigned time = row % s->times, plane = row / s->times;
    const unsigned head = plane % s->heads, batch = plane / s->heads % s->batches,
                   which = plane / s->heads / s->batches;
    k->out[at] = k->in[(((batch * s->times + time) * 3 + which) * s->heads + head) * s->depth + depth];
}
TW_RANGE_KERNEL(permute_flat, 1);

struct permute_rows {
    const float *in;
    float *out;
    struct permute_shape shape;
};

static inline void permute_rows(tw_item item, const struct permute_rows *k)
{
    const struct permute_shape *s = &k->shape;
    const unsigned plane = (unsigned)tw_global_id(item, 0), time = (unsigned)tw_global_id(item, 1);
    const size_t depth = tw_global_id(item, 2);
    const unsigned head = plane % s->heads, batch = plane / s->heads % s->batches,
                   which = plane / s->heads / s->batches;
    const float *in = k->in + (((batch * s->times + time) * 3 + which) * s->heads + head) * s->depth;
    (k->out + (plane * s->times + time) * s->depth)[depth] = in[depth];
}
TW_RANGE_KERNEL(permute_rows, 3);

static bool run_flat(void *state)
{
    const struct suite_teamwork *s = state;
    const struct permute_shape shape = ((const struct permute *)s->problem)->shape;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, tw_range_1d(permute_count(&shape)), permute_flat, .in = tw_read(cg, s->at[PERMUTE_IN]),
                    .out = tw_discard_write(cg, s->at[PERMUTE_OUT]), .shape = shape);
    return suite_submit_and_wait(cg);
}

static bool run_rows(void *state)
{
    const struct suite_teamwork *s = state;
    const struct permute_shape shape = ((const struct permute *)s->problem)->shape;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, tw_range_3d(3 * (size_t)shape.batches * shape.heads, shape.times, shape.depth), permute_rows,
                    .in = tw_read(cg, s->at[PERMUTE_IN]), .out = tw_discard_write(cg, s->at[PERMUTE_OUT]),
                    .shape = shape);
    return suite_submit_and_wait(cg);
}

static const struct suite_version versions[] = {
    SUITE_TEAMWORK_VERSION("flat", "range", run_flat),
    SUITE_TEAMWORK_VERSION("rows", "range", run_rows),
};
const struct suite_versions suite_permute_teamwork = SUITE_VERSIONS(versions);
