/* SPDX-License-Identifier: Apache-2.0 */
/* What command groups cost: submitting, ordering, waiting, memory. Also which sizes are measured, on all sides. */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/bench_teamwork.h"
#include "micro.h"

enum { MOST_THREADS = 8, CALLS = 1000 };

/* ---- kernels ----------------------------------------------------------------------------------------------- */

struct bump {
    unsigned *x;
};
static inline void bump(const struct bump *k)
{
    ++*k->x;
}
TW_SINGLE_TASK(bump);

struct nothing {
    unsigned unused;
};
static inline void nothing(const struct nothing *k)
{
    (void)k;
}
TW_SINGLE_TASK(nothing);

static inline void nothing_at(tw_item item, const struct nothing *k)
{
    (void)item;
    (void)k;
}
TW_RANGE_KERNEL(TW_BLOCK(nothing) nothing_at, 1);

/* Begins a loop, and counts its turns down. */
struct set {
    unsigned *x, to;
};
static inline void set(const struct set *k)
{
    *k->x = k->to;
}
TW_SINGLE_TASK(set);

static inline void count_down(const struct bump *k)
{
    --*k->x;
}
TW_SINGLE_TASK(TW_BLOCK(bump) count_down);

/* A work-item for each of a thousand numbers. */
static inline void bump_each(tw_item item, const struct bump *k)
{
    ++k->x[tw_global_id(item, 0)];
}
TW_RANGE_KERNEL(TW_BLOCK(bump) bump_each, 1);

/* ---- what all samples of an entry share ---------------------------------------------------------------------- */

struct state;
typedef bool submit_function(const struct state *s, tw_queue *on, unsigned i);

struct state {
    const struct micro_job *job; /* of the sample that runs, as is what its threads submit */
    submit_function *submit;
    tw_queue *queues[MOST_THREADS];
    unsigned threads;
    tw_buffer **buffers;
    size_t buffer_count;
    tw_command_graph *graph;
    size_t expected; /* the sum of all buffers' counters */
};

static bool close_state(struct micro_job *job)
{
    struct state *s = job->state;
    bool right = true;
    size_t sum = 0;
    if (!s)
        return true;
    tw_command_graph_destroy(&s->graph);
    for (size_t i = 0; i < s->buffer_count; ++i) {
        tw_host_accessor *accessor = NULL;
        right = bench_passed(tw_host_access(s->buffers[i], TW_READ, &accessor)) && right;
        if (accessor)
            sum += *(const unsigned *)tw_host_accessor_const_data(accessor);
        tw_host_accessor_release(&accessor);
        tw_buffer_destroy(&s->buffers[i]);
    }
    for (unsigned i = 0; i < MOST_THREADS; ++i)
        right = bench_passed(tw_queue_destroy(&s->queues[i])) && right;
    if (sum != s->expected)
        fprintf(stderr, "the kernels counted to %zu instead of %zu\n", sum, s->expected);
    right = right && sum == s->expected;
    free(s->buffers);
    free(s);
    job->state = NULL;
    return right;
}

static bool open_state_of(struct micro_job *job, size_t buffers, size_t elements)
{
    static const unsigned zeros[MICRO_ITEMS];
    struct state *s = calloc(1, sizeof *s);
    job->state = s;
    if (!s || !(s->buffers = calloc(buffers + 1, sizeof *s->buffers)))
        return false;
    s->threads = job->threads > 1 ? job->threads : 1;
    for (unsigned i = 0; i < s->threads; ++i)
        if (!bench_passed(tw_queue_create_on_device(tw_queue_device(bench_queue()), NULL, NULL, &s->queues[i])))
            return false;
    for (; s->buffer_count < buffers; ++s->buffer_count)
        if (!bench_passed(
                tw_buffer_create_copy(zeros, sizeof zeros[0], tw_range_1d(elements), &s->buffers[s->buffer_count])))
            return false;
    return true;
}

static bool open_state(struct micro_job *job, size_t buffers)
{
    return open_state_of(job, buffers, 1);
}

static bool open_items(struct micro_job *job)
{
    return open_state_of(job, 1, MICRO_ITEMS);
}

static bool open_no_buffer(struct micro_job *job)
{
    return open_state(job, 0);
}

static bool open_buffer_each(struct micro_job *job)
{
    return open_state(job, job->threads > 1 ? job->threads : 1);
}

static bool open_buffers(struct micro_job *job)
{
    return open_state(job, job->buffers > job->accessors ? job->buffers : job->accessors);
}

static bool submit_nothing(tw_queue *on)
{
    tw_command_group *cg = tw_queue_begin(on);
    tw_single_task(cg, nothing, .unused = 0);
    return tw_queue_submit(on, cg, NULL) == TW_SUCCESS;
}

static bool submit_bump_each(tw_queue *on, tw_buffer *buffer)
{
    tw_command_group *cg = tw_queue_begin(on);
    tw_parallel_for(cg, tw_range_1d(MICRO_ITEMS), bump_each, .x = tw_read_write(cg, buffer));
    return tw_queue_submit(on, cg, NULL) == TW_SUCCESS;
}

static bool submit_bump(tw_queue *on, tw_buffer *buffer)
{
    tw_command_group *cg = tw_queue_begin(on);
    tw_single_task(cg, bump, .x = tw_read_write(cg, buffer));
    return tw_queue_submit(on, cg, NULL) == TW_SUCCESS;
}

/* ---- groups: the i-th of a thread, or those of the i-th thread ------------------------------------------------- */

static bool submit_alone(const struct state *s, tw_queue *on, unsigned i)
{
    (void)s;
    (void)i;
    return submit_nothing(on);
}

static bool submit_link(const struct state *s, tw_queue *on, unsigned i)
{
    return submit_bump(on, s->buffers[i % (unsigned)s->buffer_count]);
}

static bool submit_items(const struct state *s, tw_queue *on, unsigned i)
{
    (void)i;
    return submit_bump_each(on, s->buffers[0]);
}

static bool submit_range(const struct state *s, tw_queue *on, unsigned i)
{
    (void)s;
    (void)i;
    tw_command_group *cg = tw_queue_begin(on);
    tw_parallel_for(cg, tw_range_1d(1), nothing_at, .unused = 0);
    return tw_queue_submit(on, cg, NULL) == TW_SUCCESS;
}

static bool submit_part(const struct state *s, tw_queue *on, unsigned i)
{
    (void)i;
    tw_command_group *cg = tw_queue_begin(on);
    tw_single_task(cg, bump, .x = tw_read_write_part(cg, s->buffers[0], tw_id_1d(0), tw_range_1d(1)));
    return tw_queue_submit(on, cg, NULL) == TW_SUCCESS;
}

static bool submit_all_buffers(const struct state *s, tw_queue *on, unsigned i)
{
    (void)i;
    tw_command_group *cg = tw_queue_begin(on);
    unsigned *x = NULL;
    for (size_t k = 0; k < s->buffer_count; ++k)
        x = tw_read_write(cg, s->buffers[k]);
    tw_single_task(cg, bump, .x = x);
    return tw_queue_submit(on, cg, NULL) == TW_SUCCESS;
}

/* All read one buffer. */
static bool submit_reader(const struct state *s, tw_queue *on, unsigned i)
{
    (void)i;
    tw_command_group *cg = tw_queue_begin(on);
    tw_read(cg, s->buffers[0]);
    tw_single_task(cg, nothing, .unused = 0);
    return tw_queue_submit(on, cg, NULL) == TW_SUCCESS;
}

/* ---- from one thread ------------------------------------------------------------------------------------------- */

enum wait { NOT_TIMED, LAST, EACH };

static bool take_groups(const struct micro_job *job, submit_function *submit, enum wait wait, double *value)
{
    struct state *s = job->state;
    bool done = true;
    const double start = bench_now();
    for (unsigned i = 0; i < job->count; ++i) {
        done = submit(s, s->queues[0], i) && done;
        if (wait == EACH)
            done = tw_queue_wait(s->queues[0]) == TW_SUCCESS && done;
    }
    const double submitted = bench_now();
    done = bench_passed(tw_queue_wait(s->queues[0])) && done;
    *value = ((wait == NOT_TIMED ? submitted : bench_now()) - start) * 1e6 / (double)job->count;
    s->expected += s->buffer_count ? job->count : 0;
    return done;
}

#define SAMPLE(name, submit, wait)                                                                                     \
    static bool sample_##name(const struct micro_job *job, double *value)                                              \
    {                                                                                                                  \
        return take_groups(job, submit, wait, value);                                                                  \
    }
SAMPLE(submit_nothing, submit_alone, NOT_TIMED)
SAMPLE(submit_bump, submit_link, NOT_TIMED)
SAMPLE(submit_wait, submit_alone, EACH)
SAMPLE(submit_wait_range, submit_range, EACH)
SAMPLE(part_wait, submit_part, EACH)
SAMPLE(whole_wait, submit_link, EACH)
SAMPLE(part_chain, submit_part, LAST)
SAMPLE(whole_chain, submit_link, LAST)
SAMPLE(kernels, submit_items, LAST)
SAMPLE(buffers, submit_link, LAST)
SAMPLE(accessors, submit_all_buffers, LAST)

/* ---- from one thread or from many ------------------------------------------------------------------------------ */

static bool groups_of_thread(void *user, unsigned thread)
{
    struct state *s = user;
    tw_queue *on = s->queues[s->job->shared_queue ? 0 : thread];
    bool done = true;
    for (size_t i = 0; i < s->job->count / s->threads; ++i)
        done = s->submit(s, on, thread) && done;
    return tw_queue_wait(on) == TW_SUCCESS && done;
}

static bool on_threads(const struct micro_job *job, submit_function *submit, double *value)
{
    struct state *s = job->state;
    s->job = job;
    s->submit = submit;
    return micro_share(job, s->threads, groups_of_thread, s, value);
}

static bool sample_chain(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    s->expected += job->count / s->threads * s->threads;
    return on_threads(job, submit_link, value);
}

static bool sample_fan(const struct micro_job *job, double *value)
{
    return on_threads(job, submit_alone, value);
}

static bool sample_reading_fan(const struct micro_job *job, double *value)
{
    return on_threads(job, submit_reader, value);
}

/* ---- recorded once ---------------------------------------------------------------------------------------------- */

static bool open_graph(struct micro_job *job, enum micro_op op)
{
    if (!open_state_of(job, 1, op == MICRO_KERNELS ? MICRO_ITEMS : 1))
        return false;
    struct state *s = job->state;
    bool done = bench_passed(tw_queue_begin_recording(s->queues[0]));
    for (size_t i = 0; i < job->count && done; ++i)
        done = op == MICRO_CHAIN     ? submit_bump(s->queues[0], s->buffers[0])
               : op == MICRO_KERNELS ? submit_bump_each(s->queues[0], s->buffers[0])
                                     : submit_nothing(s->queues[0]);
    return bench_passed(tw_queue_end_recording(s->queues[0], &s->graph)) && done;
}

/* The first buffer counts the kernels of a turn but the last, the second one the turns that are left. */
static bool submit_turn(const struct state *s, const struct micro_job *job)
{
    bool done = true;
    for (size_t i = 1; i < job->kernels && done; ++i)
        done = submit_bump(s->queues[0], s->buffers[0]);
    tw_command_group *cg = tw_queue_begin(s->queues[0]);
    tw_single_task(cg, count_down, .x = tw_read_write(cg, s->buffers[1]));
    return bench_passed(tw_queue_submit(s->queues[0], cg, NULL)) && done;
}

static bool submit_set(const struct state *s, const struct micro_job *job)
{
    tw_command_group *cg = tw_queue_begin(s->queues[0]);
    tw_single_task(cg, set, .x = tw_write(cg, s->buffers[1]), .to = (unsigned)job->count);
    return bench_passed(tw_queue_submit(s->queues[0], cg, NULL));
}

static bool open_loop(struct micro_job *job)
{
    if (!open_state_of(job, 2, 1))
        return false;
    struct state *s = job->state;
    bool done = bench_passed(tw_queue_begin_recording(s->queues[0])) && submit_set(s, job)
                && bench_passed(tw_queue_begin_while(s->queues[0], s->buffers[1], 0)) && submit_turn(s, job)
                && bench_passed(tw_queue_end_while(s->queues[0]));
    return bench_passed(tw_queue_end_recording(s->queues[0], &s->graph)) && done;
}

/* The host asks after each turn. */
static bool open_turn(struct micro_job *job)
{
    if (!open_state_of(job, 2, 1))
        return false;
    struct state *s = job->state;
    const bool done = bench_passed(tw_queue_begin_recording(s->queues[0])) && submit_turn(s, job);
    return bench_passed(tw_queue_end_recording(s->queues[0], &s->graph)) && done;
}

static bool sample_turns(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    unsigned left = (unsigned)job->count;
    s->expected += job->count * (job->kernels - 1);
    const double start = bench_now();
    bool done = submit_set(s, job);
    while (done && left) {
        tw_host_accessor *accessor = NULL;
        done = bench_passed(tw_queue_submit_graph(s->queues[0], s->graph, NULL))
               && bench_passed(tw_host_access(s->buffers[1], TW_READ, &accessor));
        left = accessor ? *(const unsigned *)tw_host_accessor_const_data(accessor) : 0;
        tw_host_accessor_release(&accessor);
    }
    *value = (bench_now() - start) * 1e6 / (double)job->count;
    return done;
}

static bool open_chain_graph(struct micro_job *job)
{
    return open_graph(job, MICRO_CHAIN);
}

static bool open_fan_graph(struct micro_job *job)
{
    return open_graph(job, MICRO_FAN);
}

static bool open_kernels_graph(struct micro_job *job)
{
    return open_graph(job, MICRO_KERNELS);
}

static bool sample_fan_graph(const struct micro_job *job, double *value)
{
    const struct state *s = job->state;
    const double start = bench_now();
    const bool done =
        bench_passed(tw_queue_submit_graph(s->queues[0], s->graph, NULL)) && bench_passed(tw_queue_wait(s->queues[0]));
    *value = (bench_now() - start) * 1e6 / (double)job->count;
    return done;
}

static bool sample_chain_graph(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    s->expected += job->count;
    return sample_fan_graph(job, value);
}

static bool sample_loop(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    s->expected += job->count * (job->kernels - 1);
    return sample_fan_graph(job, value);
}

/* ---- behind a gate ------------------------------------------------------------------------------------------- */

struct queued {
    double submit_us, drain_us, bytes; /* each */
};

static double allocated_bytes(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

/* Buffer 0 is the gate; the groups of a chain bump buffer 1, those of a fan do nothing. */
static bool run_queued(const struct micro_job *job, bool is_chain, struct queued *result)
{
    struct state *s = job->state;
    tw_host_accessor *gate = NULL;
    bool done = true;
    if (!bench_passed(tw_host_access(s->buffers[0], TW_WRITE, &gate)))
        return false;
    const double before = allocated_bytes(), start = bench_now();
    for (size_t i = 0; i < job->count; ++i) {
        tw_command_group *cg = tw_queue_begin(s->queues[0]);
        if (i == 0 || !is_chain)
            tw_read(cg, s->buffers[0]);
        if (is_chain)
            tw_single_task(cg, bump, .x = tw_read_write(cg, s->buffers[1]));
        else
            tw_single_task(cg, nothing, .unused = 0);
        done = tw_queue_submit(s->queues[0], cg, NULL) == TW_SUCCESS && done;
    }
    const double submitted = bench_now();
    result->bytes = (allocated_bytes() - before) / (double)job->count;
    const double opened = bench_now();
    tw_host_accessor_release(&gate);
    done = bench_passed(tw_queue_wait(s->queues[0])) && done;
    result->drain_us = (bench_now() - opened) * 1e6 / (double)job->count;
    result->submit_us = (submitted - start) * 1e6 / (double)job->count;
    s->expected += is_chain ? job->count : 0;
    return done;
}

static bool open_two_buffers(struct micro_job *job)
{
    return open_state(job, 2);
}

/* A queue keeps memory of its groups: only what a new one takes is seen. */
static bool renew_queue(struct state *s)
{
    return bench_passed(tw_queue_destroy(&s->queues[0]))
           && bench_passed(tw_queue_create_on_device(tw_queue_device(bench_queue()), NULL, NULL, &s->queues[0]));
}

#define QUEUED_SAMPLE(name, is_chain, member, in_new_queue)                                                            \
    static bool name(const struct micro_job *job, double *value)                                                       \
    {                                                                                                                  \
        struct queued queued = {0, 0, 0};                                                                              \
        const bool done = (!in_new_queue || renew_queue(job->state)) && run_queued(job, is_chain, &queued);            \
        *value = queued.member;                                                                                        \
        return done;                                                                                                   \
    }
QUEUED_SAMPLE(sample_queued_chain, true, submit_us, false)
QUEUED_SAMPLE(sample_queued_fan, false, submit_us, false)
QUEUED_SAMPLE(sample_drained_chain, true, drain_us, false)
QUEUED_SAMPLE(sample_drained_fan, false, drain_us, false)
QUEUED_SAMPLE(sample_memory_chain, true, bytes, true)
QUEUED_SAMPLE(sample_memory_fan, false, bytes, true)

static const struct micro_entry entries[] = {
    {MICRO_SUBMIT, "Teamwork", "no accessor", 0, open_no_buffer, sample_submit_nothing, close_state, false},
    {MICRO_SUBMIT, "Teamwork", "one accessor", 0, open_buffer_each, sample_submit_bump, close_state, false},
    {MICRO_SUBMIT_WAIT, "Teamwork", "single task", 0, open_no_buffer, sample_submit_wait, close_state, false},
    {MICRO_SUBMIT_WAIT, "Teamwork", "range", 0, open_no_buffer, sample_submit_wait_range, close_state, false},
    {MICRO_CHAIN, "Teamwork", "", 0, open_buffer_each, sample_chain, close_state, false},
    {MICRO_KERNELS, "Teamwork", "", 0, open_items, sample_kernels, close_state, false},
    {MICRO_KERNELS, "Teamwork", "recorded graph", 10000, open_kernels_graph, sample_chain_graph, close_state, true},
    {MICRO_LOOP, "Teamwork", "recorded graph", 0, open_loop, sample_loop, close_state, true},
    {MICRO_LOOP, "Teamwork", "the host asks", 0, open_turn, sample_turns, close_state, true},
    {MICRO_FAN, "Teamwork", "no accessor", 0, open_no_buffer, sample_fan, close_state, false},
    {MICRO_FAN, "Teamwork", "common read", 0, open_buffer_each, sample_reading_fan, close_state, false},
    {MICRO_CHAIN, "Teamwork", "recorded graph", 10000, open_chain_graph, sample_chain_graph, close_state, true},
    {MICRO_FAN, "Teamwork", "recorded graph", 10000, open_fan_graph, sample_fan_graph, close_state, true},
    {MICRO_QUEUED, "Teamwork", "chain", 0, open_two_buffers, sample_queued_chain, close_state, false},
    {MICRO_QUEUED, "Teamwork", "fan", 0, open_two_buffers, sample_queued_fan, close_state, false},
    {MICRO_DRAINED, "Teamwork", "chain", 0, open_two_buffers, sample_drained_chain, close_state, false},
    {MICRO_DRAINED, "Teamwork", "fan", 0, open_two_buffers, sample_drained_fan, close_state, false},
    {MICRO_MEMORY, "Teamwork", "chain", 0, open_two_buffers, sample_memory_chain, close_state, false},
    {MICRO_MEMORY, "Teamwork", "fan", 0, open_two_buffers, sample_memory_fan, close_state, false},
    {MICRO_PART_WAIT, "Teamwork", "whole buffer", 0, open_items, sample_whole_wait, close_state, false},
    {MICRO_PART_WAIT, "Teamwork", "a part", 0, open_items, sample_part_wait, close_state, false},
    {MICRO_PART_CHAIN, "Teamwork", "whole buffer", 0, open_items, sample_whole_chain, close_state, false},
    {MICRO_PART_CHAIN, "Teamwork", "a part", 0, open_items, sample_part_chain, close_state, false},
    {MICRO_BUFFERS, "Teamwork", "", 0, open_buffers, sample_buffers, close_state, false},
    {MICRO_ACCESSORS, "Teamwork", "", 0, open_buffers, sample_accessors, close_state, false},
};
const struct micro_entries micro_tasks = {entries, sizeof entries / sizeof entries[0], NULL};

/* ---- the sizes ----------------------------------------------------------------------------------------------- */

static bool run_size(size_t groups)
{
    static const enum micro_op ops[] = {MICRO_CHAIN, MICRO_FAN, MICRO_QUEUED, MICRO_DRAINED, MICRO_MEMORY};
    const struct micro_job job = {.count = groups};
    char parameter[64];
    bool right = true;
    snprintf(parameter, sizeof parameter, "groups=%zu items=%d", groups, MICRO_ITEMS);
    if (bench_on_host() && groups <= 10000)
        right = micro_measure(MICRO_KERNELS, parameter, &job);
    snprintf(parameter, sizeof parameter, "groups=%zu", groups);
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; ++i)
        right = micro_measure(ops[i], parameter, &job) && right;
    return right;
}

static bool run_loop(size_t kernels)
{
    const struct micro_job job = {.count = micro_options.quick ? 20 : 1000, .kernels = kernels};
    char parameter[64];
    snprintf(parameter, sizeof parameter, "kernels=%zu turns=%zu", kernels, job.count);
    return micro_measure(MICRO_LOOP, parameter, &job);
}

static bool run_threads(size_t threads)
{
    bool right = true;
    for (int shared = 0; shared < 2; ++shared) {
        const struct micro_job job = {
            .count = micro_options.quick ? 800 : 80000, .threads = (unsigned)threads, .shared_queue = shared};
        char parameter[64];
        snprintf(parameter, sizeof parameter, "threads=%zu queue=%s groups=%zu", threads, shared ? "shared" : "own",
                 job.count);
        right = micro_measure(MICRO_CHAIN, parameter, &job) && right;
        right = micro_measure(MICRO_FAN, parameter, &job) && right;
    }
    return right;
}

static bool run_buffers(size_t buffers)
{
    const struct micro_job job = {.count = micro_options.quick ? 1000 : 20000, .buffers = buffers};
    char parameter[64];
    snprintf(parameter, sizeof parameter, "buffers=%zu groups=%zu", buffers, job.count);
    return micro_measure(MICRO_BUFFERS, parameter, &job);
}

static bool run_accessors(size_t accessors)
{
    const struct micro_job job = {.count = micro_options.quick ? 100 : 5000, .accessors = accessors};
    char parameter[64];
    snprintf(parameter, sizeof parameter, "accessors=%zu groups=%zu", accessors, job.count);
    return micro_measure(MICRO_ACCESSORS, parameter, &job);
}

bool micro_run_tasks(void)
{
    const struct micro_job calls = {.count = micro_options.quick ? 50 : CALLS};
    char parameter[64];
    snprintf(parameter, sizeof parameter, "groups=%zu", calls.count);
    bool right = micro_measure(MICRO_SUBMIT, parameter, &calls);
    right = micro_measure(MICRO_SUBMIT_WAIT, parameter, &calls) && right;
    right = micro_measure(MICRO_PART_WAIT, parameter, &calls) && right;
    right = micro_measure(MICRO_PART_CHAIN, parameter, &calls) && right;
    right = micro_sizes(100, 10, micro_options.quick ? 1000 : 1000000, run_size) && right;
    right = micro_sizes(1, 4, 16, run_loop) && right;
    right = micro_sizes(1, 2, micro_options.quick ? 2 : MOST_THREADS, run_threads) && right;
    right = micro_sizes(1, 10, micro_options.quick ? 100 : 10000, run_buffers) && right;
    return micro_sizes(1, 2, 32, run_accessors) && right;
}
