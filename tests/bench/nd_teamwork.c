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

/* ---- reduction: with buffers of its own, made at the first call for a side's memory ------------------------------ */

enum { KEPT = 8 };
static struct reduce reductions[KEPT];

/* What was made for this memory; where there are too many, the oldest makes room. */
static struct reduce *reduction_for(tw_buffer *numbers, size_t count)
{
    static unsigned oldest;
    for (unsigned i = 0; i < KEPT; ++i)
        if (reductions[i].numbers == numbers && reductions[i].count == count)
            return &reductions[i];
    struct reduce *reduction = &reductions[oldest++ % KEPT];
    reduce_destroy(reduction);
    return passed(reduce_create(reduction, teamwork_side_queue(), numbers, count)) ? reduction : NULL;
}

static bool reduce(void *const memory[3], const struct bench_job *job, tw_status (*submit)(const struct reduce *))
{
    const struct reduce *reduction = reduction_for(memory[1], job->n);
    if (!reduction)
        return false;
    struct reduce here = *reduction;
    here.sum = memory[0];
    return wait_for(submit(&here));
}

bool nd_teamwork_pairs(void *const memory[3], const struct bench_job *job)
{
    return reduce(memory, job, reduce_submit_pairs);
}

bool nd_teamwork_tree(void *const memory[3], const struct bench_job *job)
{
    return reduce(memory, job, reduce_submit_tree);
}

bool nd_teamwork_parts(void *const memory[3], const struct bench_job *job)
{
    return reduce(memory, job, reduce_submit_parts);
}

bool nd_teamwork_group_parts(void *const memory[3], const struct bench_job *job)
{
    return reduce(memory, job, reduce_submit_group_parts);
}

bool nd_teamwork_range(void *const memory[3], const struct bench_job *job)
{
    return reduce(memory, job, reduce_submit_range);
}

/* ---- histogram, likewise ---------------------------------------------------------------------------------------- */

static struct histogram counting;

static bool histogram(void *const memory[3], const struct bench_job *job, tw_status (*submit)(const struct histogram *))
{
    if (!counting.work && !passed(histogram_create(&counting, teamwork_side_queue(), NULL, 0, NULL)))
        return false;
    const struct histogram here = {teamwork_side_queue(), memory[1], memory[0], counting.work, job->n};
    return wait_for(submit(&here));
}

void nd_teamwork_close(void)
{
    for (unsigned i = 0; i < KEPT; ++i) {
        reduce_destroy(&reductions[i]);
        reductions[i] = (struct reduce){.count = 0};
    }
    histogram_destroy(&counting);
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

/* ---- matrices --------------------------------------------------------------------------------------------------- */

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
