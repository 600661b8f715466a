/* SPDX-License-Identifier: Apache-2.0 */
/* What a stencil over several devices costs the host: groups of each device by hand, and a queue over all of them. */
#include <stdlib.h>
#include <string.h>

#include "../harness/bench_teamwork.h"
#include "micro.h"

enum { MOST_DEVICES = 8, ROWS = 256, COLUMNS = 32 };

/* Each row becomes the sum of those above and below. */
struct spread {
    TW_VIEW(const unsigned, 2) now;
    TW_VIEW(unsigned, 2) next;
};
static inline void spread(tw_item item, const struct spread *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
    tw_at(k->next, i, j) = (i > 0 ? tw_at(k->now, i - 1, j) : 0) + (i + 1 < ROWS ? tw_at(k->now, i + 1, j) : 0);
}
TW_RANGE_KERNEL(spread, 2);

/* The same by hand: a part, and one row more of what it reads. */
struct spread_part {
    TW_PART_VIEW(const unsigned) now;
    TW_PART_VIEW(unsigned) next;
    size_t first; /* the row of the part's first one */
    size_t above; /* rows of `now` above it: 0 or 1 */
};
static inline void spread_part(tw_item item, const struct spread_part *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1), at = i + k->above, row = i + k->first;
    tw_at(k->next, i, j) = (row > 0 ? tw_at(k->now, at - 1, j) : 0) + (row + 1 < ROWS ? tw_at(k->now, at + 1, j) : 0);
}
TW_RANGE_KERNEL(spread_part, 2);

struct state {
    size_t count; /* of the devices */
    tw_queue *queues[MOST_DEVICES], *over;
    tw_buffer *plates[2];
    tw_command_graph *graph;
    size_t steps; /* so far */
};

static bool submit_by_hand(const struct state *s, size_t step, tw_event *gate)
{
    bool done = true;
    for (size_t d = 0; d < s->count; ++d) {
        const size_t first = ROWS * d / s->count, past = ROWS * (d + 1) / s->count;
        const size_t above = first > 0, below = past < ROWS;
        const tw_range part = tw_range_2d(past - first, COLUMNS);
        const tw_range read = tw_range_2d(past - first + above + below, COLUMNS);
        tw_command_group *cg = tw_queue_begin(s->queues[d]);
        tw_depends_on(cg, gate);
        tw_parallel_for(cg, part, spread_part,
                        .now = TW_READ_PART_VIEW(cg, s->plates[step & 1], tw_id_2d(first - above, 0), read),
                        .next = TW_DISCARD_WRITE_PART_VIEW(cg, s->plates[~step & 1], tw_id_2d(first, 0), part),
                        .first = first, .above = above);
        done = bench_passed(tw_queue_submit(s->queues[d], cg, NULL)) && done;
    }
    return done;
}

static bool submit_over(const struct state *s, size_t step, tw_event *gate)
{
    tw_command_group *cg = tw_queue_begin(s->over);
    tw_depends_on(cg, gate);
    tw_parallel_for(cg, tw_range_2d(ROWS, COLUMNS), spread,
                    .now = TW_READ_MAPPED_VIEW(cg, s->plates[step & 1], tw_neighborhood(1, 0, 0), 2),
                    .next = TW_DISCARD_WRITE_MAPPED_VIEW(cg, s->plates[~step & 1], tw_one_to_one(), 2));
    return bench_passed(tw_queue_submit(s->over, cg, NULL));
}

typedef bool submit_function(const struct state *s, size_t step, tw_event *gate);

/* All devices of the platform of the one that is measured. */
static size_t find_devices(tw_device **devices)
{
    size_t found = 0, count = 0;
    tw_device *all[64];
    tw_device *first = tw_queue_device(bench_queue());
    if (!bench_passed(tw_get_devices(TW_DEVICE_ALL, all, 64, &found)))
        return 0;
    for (size_t i = 0; i < found && i < 64 && count < MOST_DEVICES; ++i)
        if (tw_device_platform(all[i]) == tw_device_platform(first))
            devices[count++] = all[i];
    return count;
}

static bool open_devices(struct micro_job *job)
{
    static const double equal[MOST_DEVICES] = {1, 1, 1, 1, 1, 1, 1, 1};
    static const unsigned start[ROWS][COLUMNS];
    tw_device *devices[MOST_DEVICES];
    struct state *s = calloc(1, sizeof *s);
    job->state = s;
    if (!s || !(s->count = find_devices(devices)))
        return false;
    bool done = bench_passed(tw_queue_create_over(devices, s->count, 0, NULL, NULL, &s->over))
                && bench_passed(tw_queue_set_division(s->over, equal));
    for (size_t d = 0; d < s->count && done; ++d)
        done = bench_passed(tw_queue_create_on_device(devices[d], NULL, NULL, &s->queues[d]));
    for (size_t i = 0; i < 2 && done; ++i)
        done = bench_passed(tw_buffer_create_copy(start, sizeof(unsigned), tw_range_2d(ROWS, COLUMNS), &s->plates[i]));
    return done && submit_over(s, 0, NULL) && submit_over(s, 1, NULL);
}

static bool wait_for_all(const struct state *s)
{
    bool done = bench_passed(tw_queue_wait(s->over));
    for (size_t d = 0; d < s->count; ++d)
        done = bench_passed(tw_queue_wait(s->queues[d])) && done;
    return done;
}

static bool close_devices(struct micro_job *job)
{
    struct state *s = job->state;
    bool right = s != NULL;
    if (!s)
        return true;
    tw_command_graph_destroy(&s->graph);
    for (size_t i = 0; i < 2; ++i)
        right = bench_passed(tw_buffer_destroy(&s->plates[i])) && right;
    for (size_t d = 0; d < s->count; ++d)
        right = bench_passed(tw_queue_destroy(&s->queues[d])) && right;
    right = bench_passed(tw_queue_destroy(&s->over)) && right;
    free(s);
    job->state = NULL;
    return right;
}

/* The steps are handed over while the first must not begin, so that no thread of the library takes time. */
static bool take_steps(const struct micro_job *job, submit_function *submit, double *value)
{
    const struct state *s = job->state;
    tw_event *gate = NULL;
    bool done = wait_for_all(s) && bench_passed(tw_event_create_user(&gate));
    const double start = bench_now();
    for (size_t step = 0; step < job->count && done; ++step)
        done = submit(s, step, step < 2 ? gate : NULL);
    *value = (bench_now() - start) * 1e6 / (double)job->count;
    done = gate && bench_passed(tw_event_complete(gate, TW_SUCCESS)) && done;
    tw_event_release(&gate);
    return wait_for_all(s) && done;
}

static bool sample_by_hand(const struct micro_job *job, double *value)
{
    return take_steps(job, submit_by_hand, value);
}

static bool sample_over(const struct micro_job *job, double *value)
{
    return take_steps(job, submit_over, value);
}

/* ---- recorded once ---------------------------------------------------------------------------------------------- */

static bool record(struct micro_job *job, submit_function *submit)
{
    if (!open_devices(job))
        return false;
    struct state *s = job->state;
    tw_queue *first = submit == submit_over ? s->over : s->queues[0];
    bool done = bench_passed(tw_queue_begin_recording(first));
    for (size_t d = 1; submit == submit_by_hand && d < s->count && done; ++d)
        done = bench_passed(tw_queue_join_recording(s->queues[d], first));
    for (size_t step = 0; step < job->count && done; ++step)
        done = submit(s, step, NULL);
    return bench_passed(tw_queue_end_recording(first, &s->graph)) && done;
}

static bool record_by_hand(struct micro_job *job)
{
    return record(job, submit_by_hand);
}

static bool record_over(struct micro_job *job)
{
    return record(job, submit_over);
}

static bool replay(const struct state *s, tw_queue *queue, size_t count, double *value)
{
    const double start = bench_now();
    const bool done = bench_passed(tw_queue_submit_graph(queue, s->graph, NULL)) && bench_passed(tw_queue_wait(queue));
    *value = (bench_now() - start) * 1e6 / (double)count;
    return done;
}

static bool sample_replay_by_hand(const struct micro_job *job, double *value)
{
    const struct state *s = job->state;
    return replay(s, s->queues[0], job->count, value);
}

static bool sample_replay_over(const struct micro_job *job, double *value)
{
    const struct state *s = job->state;
    return replay(s, s->over, job->count, value);
}

static const struct micro_entry entries[] = {
    {MICRO_DEVICES, "Teamwork", "by hand", 0, open_devices, sample_by_hand, close_devices, true},
    {MICRO_DEVICES, "Teamwork", "queue over devices", 0, open_devices, sample_over, close_devices, true},
    {MICRO_DEVICES_REPLAY, "Teamwork", "by hand", 0, record_by_hand, sample_replay_by_hand, close_devices, true},
    {MICRO_DEVICES_REPLAY, "Teamwork", "queue over devices", 0, record_over, sample_replay_over, close_devices, true},
};

const struct micro_entries micro_devices = {entries, sizeof entries / sizeof entries[0], NULL};

bool micro_run_devices(void)
{
    const struct micro_job job = {.count = micro_options.quick ? 4 : 200};
    const bool right = micro_measure(MICRO_DEVICES, "steps", &job);
    return micro_measure(MICRO_DEVICES_REPLAY, "steps", &job) && right;
}
