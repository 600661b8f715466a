/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of examples/groups as operations on the memory of teamwork_side, which is buffers. */
#include <stdio.h>
#include <teamwork/teamwork.h>

#include "../../examples/groups/histogram.h"
#include "../../examples/groups/matmul.h"
#include "../../examples/groups/reduce.h"
#include "nd_bench.h"

static bool passed(tw_status status)
{
    if (status != TW_SUCCESS)
        fprintf(stderr, "Teamwork: %s: %s\n", tw_status_name(status), tw_error_detail());
    return status == TW_SUCCESS;
}

static bool wait_for(tw_status status)
{
    return passed(status) && passed(tw_queue_wait(teamwork_side_queue()));
}

/* The two buffers for sums of parts are taken in such an order that the last launch writes m0. */
static bool reduce(void *const memory[3], const struct bench_job *job, size_t part,
                   tw_status (*submit)(struct reduce *, tw_buffer **))
{
    const bool odd = nd_launches(job->n, part) % 2 != 0;
    struct reduce r = {.queue = teamwork_side_queue(),
                       .numbers = memory[1],
                       .partial = {memory[odd ? 0 : 2], memory[odd ? 2 : 0]},
                       .count = job->n,
                       .group = ND_PAIRS_GROUP};
    tw_buffer *sum;
    return wait_for(submit(&r, &sum)) && sum == memory[0];
}

bool nd_teamwork_pairs(void *const memory[3], const struct bench_job *job)
{
    return reduce(memory, job, 2 * ND_PAIRS_GROUP, reduce_submit_pairs);
}

bool nd_teamwork_tree(void *const memory[3], const struct bench_job *job)
{
    return reduce(memory, job, 2 * ND_PART_GROUP, reduce_submit_tree);
}

bool nd_teamwork_parts(void *const memory[3], const struct bench_job *job)
{
    return reduce(memory, job, ND_PART_GROUP * ND_PART_QUADS * 4, reduce_submit_parts);
}

bool nd_teamwork_group_parts(void *const memory[3], const struct bench_job *job)
{
    return reduce(memory, job, 1024 * 16, reduce_submit_group_parts);
}

bool nd_teamwork_range(void *const memory[3], const struct bench_job *job)
{
    return reduce(memory, job, job->n, reduce_submit_range);
}

static bool histogram(void *const memory[3], const struct bench_job *job, tw_status (*submit)(const struct histogram *))
{
    const struct histogram h = {teamwork_side_queue(), memory[1], memory[0], job->n};
    return wait_for(submit(&h));
}

bool nd_teamwork_phases(void *const memory[3], const struct bench_job *job)
{
    return histogram(memory, job, histogram_submit_phases);
}

bool nd_teamwork_group_phases(void *const memory[3], const struct bench_job *job)
{
    return histogram(memory, job, histogram_submit_group_phases);
}

bool nd_teamwork_lanes(void *const memory[3], const struct bench_job *job)
{
    return histogram(memory, job, histogram_submit_lanes);
}

static bool matmul(void *const memory[3], const struct bench_job *job, tw_status (*submit)(const struct matmul *))
{
    const struct matmul m = {teamwork_side_queue(), memory[1], memory[2], memory[0], job->n};
    return wait_for(submit(&m));
}

bool nd_teamwork_matmul(void *const memory[3], const struct bench_job *job)
{
    return matmul(memory, job, matmul_submit_nd_range);
}

bool nd_teamwork_matmul_groups(void *const memory[3], const struct bench_job *job)
{
    return matmul(memory, job, matmul_submit_groups);
}

bool nd_teamwork_matmul_blocks(void *const memory[3], const struct bench_job *job)
{
    return matmul(memory, job, matmul_submit_blocks);
}
