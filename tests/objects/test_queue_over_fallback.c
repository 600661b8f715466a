/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host (gpu-simt gpu-teams) */
/**
 * Queues over several devices: a part that fails runs on the fallback queue's device (spec 2.5.7). Simulated devices, and
 * another one of them, or a GPU if there is one and else the host, to fall back on.
 */
#include "tw_test.h"

#include <stdlib.h>

enum { N = 90, STEPS = 4, LARGE = 100000 };

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

struct spread {
    TW_VIEW(const unsigned) now;
    TW_VIEW(unsigned) next;
};
static inline void spread(tw_item item, const struct spread *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
    const size_t last_i = tw_global_range(item, 0) - 1, last_j = tw_global_range(item, 1) - 1;
    tw_at(k->next, i, j) = tw_at(k->now, i ? i - 1 : i, j) + 3u * tw_at(k->now, i < last_i ? i + 1 : i, j)
                           + 5u * tw_at(k->now, i, j ? j - 1 : j) + 7u * tw_at(k->now, i, j < last_j ? j + 1 : j)
                           + (unsigned)(i * 31 + j);
}
TW_RANGE_KERNEL(spread, 2);

struct begin {
    unsigned *out;
    unsigned first;
};
static inline void begin(tw_item item, const struct begin *k)
{
    k->out[tw_global_id(item, 0)] = k->first + (unsigned)tw_global_id(item, 0);
}
TW_RANGE_KERNEL(begin, 1);

struct cube {
    TW_VIEW(const unsigned) in;
    TW_VIEW(unsigned) out;
};
static inline void cube(tw_item item, const struct cube *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1), l = tw_global_id(item, 2);
    tw_at(k->out, i, j, l) = tw_at(k->in, i, j, l) * 3u + (unsigned)(i * 100 + j * 10 + l);
}
TW_RANGE_KERNEL(cube, 3);

struct sums {
    const unsigned *in;
    TW_REDUCTION(unsigned, TW_SUM) sum;
    TW_REDUCTION(unsigned, TW_MAX) most;
};
static inline void sums(tw_item item, const struct sums *k)
{
    tw_combine(k->sum, k->in[tw_global_id(item, 0)]);
    tw_combine(k->most, k->in[tw_global_id(item, 0)]);
}
TW_RANGE_REDUCTION(sums, 1, sum, most);

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

/* A queue over simulated devices, and one of another device to fall back on. */
struct queues {
    tw_queue *over, *other;
    tw_device *broken; /* the second device */
};

static struct queues make_queues(unsigned count)
{
    struct queues queues;
    tw_device *devices[4], *other;
    size_t found = 0;
    tw_test_use_sim(count);
    setenv("TW_DEVICES", "sim,host,gpu", 1);
    TW_PASS(tw_get_devices(TW_DEVICE_SIM, devices, 4, &found));
    TW_EQUAL(found, count);
    TW_PASS(tw_queue_create_over(devices, count, 0, NULL, NULL, &queues.over));
    queues.broken = tw_queue_device_at(queues.over, 1);
    TW_PASS(tw_get_devices(TW_DEVICE_GPU, &other, 1, &found));
    if (!found)
        TW_PASS(tw_get_devices(TW_DEVICE_HOST, &other, 1, &found));
    TW_PASS(tw_queue_create_on_device(other, NULL, NULL, &queues.other));
    return queues;
}

static void end_queues(struct queues *queues)
{
    TW_PASS(tw_sim_reset(queues->broken));
    TW_PASS(tw_queue_destroy(&queues->over));
    TW_PASS(tw_queue_destroy(&queues->other));
}

/* What a function records. */
struct groups {
    tw_buffer *in, *out, *other;
    unsigned first;
};

static void record_spread(tw_command_group *cg, void *user)
{
    const struct groups *g = user;
    tw_parallel_for(cg, tw_range_2d(N, N), spread, .now = TW_READ_MAPPED_VIEW(cg, g->in, tw_neighborhood(1, 1, 0)),
                    .next = TW_DISCARD_WRITE_MAPPED_VIEW(cg, g->out, tw_one_to_one()));
}

static void record_begin(tw_command_group *cg, void *user)
{
    const struct groups *g = user;
    tw_parallel_for(cg, tw_range_1d(tw_buffer_count(g->out)), begin, .out = tw_discard_write(cg, g->out),
                    .first = g->first);
}

static void record_cube(tw_command_group *cg, void *user)
{
    const struct groups *g = user;
    tw_parallel_for(cg, tw_buffer_range(g->in), cube, .in = TW_READ_MAPPED_VIEW(cg, g->in, tw_one_to_one()),
                    .out = TW_DISCARD_WRITE_MAPPED_VIEW(cg, g->out, tw_one_to_one()));
}

static void record_sums(tw_command_group *cg, void *user)
{
    const struct groups *g = user;
    tw_parallel_for(cg, tw_buffer_range(g->in), sums, .in = tw_read_mapped(cg, g->in, tw_one_to_one()),
                    .sum = TW_REDUCE(cg, g->out), .most = TW_REDUCE_INIT(cg, g->other));
}

static unsigned now[N * N], next[N * N];

/* One step of spread, on the host. */
static void spread_here(void)
{
    for (size_t i = 0; i < N; ++i)
        for (size_t j = 0; j < N; ++j)
            next[i * N + j] = now[(i ? i - 1 : i) * N + j] + 3u * now[(i < N - 1 ? i + 1 : i) * N + j]
                              + 5u * now[i * N + (j ? j - 1 : j)] + 7u * now[i * N + (j < N - 1 ? j + 1 : j)]
                              + (unsigned)(i * 31 + j);
    memcpy(now, next, sizeof now);
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

/* Steps of a stencil. In one of them the second device's launch fails, once or from then on. */
static void steps(tw_queue *fallback, const struct queues *queues, unsigned failing, bool onward)
{
    static unsigned found[N * N];
    tw_buffer *b[2];
    TW_PASS(tw_queue_set_division(queues->over, (double[]){1, 1, 1})); /* no device is left out */
    for (int i = 0; i < 2; ++i)
        TW_PASS(tw_buffer_create(sizeof(unsigned), tw_range_2d(N, N), &b[i]));
    memset(now, 0, sizeof now);
    TW_PASS(tw_buffer_write(b[0], now));
    TW_PASS(tw_sim_reset(queues->broken));
    for (unsigned i = 0; i < STEPS; ++i) {
        tw_event *event = NULL;
        struct groups g = {.in = b[i % 2], .out = b[1 - i % 2]};
        if (i == failing)
            TW_PASS((onward ? tw_sim_fail_from : tw_sim_fail_nth)(queues->broken, TW_SIM_LAUNCH, 1));
        TW_PASS(tw_queue_submit_function(queues->over, fallback, record_spread, &g, &event));
        TW_PASS(tw_event_wait(event));
        tw_event_release(&event);
        spread_here();
        TW_CHECK(tw_sim_count(queues->broken, TW_SIM_LAUNCH) > i); /* edges are launches of their own */
    }
    TW_PASS(tw_queue_wait(queues->over));
    TW_PASS(tw_buffer_read(b[STEPS % 2], found));
    for (size_t i = 0; i < (size_t)N * N; ++i)
        TW_EQUAL(found[i], now[i]);
    tw_test_destroy_buffers(b, 2);
}

TW_TEST(a_part_that_fails_runs_elsewhere)
{
    struct queues queues = make_queues(3);
    for (unsigned failing = 0; failing < STEPS; failing += 2)
        for (int onward = 0; onward < 2; ++onward) {
            steps(queues.other, &queues, failing, onward);
            steps(queues.over, &queues, failing, onward); /* the first of the others */
        }
    end_queues(&queues);
}

/* A kernel that fails takes the device with it: what its part has written stays where it ran. */
TW_TEST(the_results_of_a_lost_device_are_elsewhere)
{
    static unsigned found[LARGE];
    for (int large = 0; large < 2; ++large)
        for (int over = 0; over < 2; ++over) {
            struct queues queues = make_queues(3);
            const size_t count = large ? LARGE : 30000;
            struct groups g = {.out = tw_test_zeroed(sizeof(unsigned), count), .first = 7};
            TW_PASS(tw_sim_fail_nth(queues.broken, TW_SIM_KERNEL, 1));
            TW_PASS(tw_queue_submit_function(queues.over, over ? queues.over : queues.other, record_begin, &g, NULL));
            TW_PASS(tw_queue_wait(queues.over));
            TW_PASS(tw_buffer_read(g.out, found));
            for (size_t i = 0; i < count; ++i)
                TW_EQUAL(found[i], 7 + i);
            g.first = 9;
            const uint64_t launches = tw_sim_count(queues.broken, TW_SIM_LAUNCH);
            TW_PASS(tw_queue_submit_function(queues.over, NULL, record_begin, &g, NULL));
            TW_PASS(tw_buffer_read(g.out, found));
            TW_EQUAL(tw_sim_count(queues.broken, TW_SIM_LAUNCH), launches); /* it gets no more work */
            TW_EQUAL(found[count / 2], 9 + count / 2);
            TW_PASS(tw_queue_wait(queues.over));
            TW_PASS(tw_buffer_destroy(&g.out));
            end_queues(&queues);
        }
}

/* Blocks of a buffer, whose rows do not lie back to back. */
TW_TEST(blocks_run_elsewhere)
{
    enum { SIDE = 24 };
    static unsigned in[SIDE * SIDE * SIDE], found[SIDE * SIDE * SIDE];
    struct queues queues = make_queues(4);
    struct groups g = {.in = NULL};
    TW_PASS(tw_queue_set_division(queues.over, (double[]){1, 1, 1, 1}));
    TW_PASS(tw_buffer_create(sizeof(unsigned), tw_range_3d(SIDE, SIDE, SIDE), &g.in));
    TW_PASS(tw_buffer_create(sizeof(unsigned), tw_range_3d(SIDE, SIDE, SIDE), &g.out));
    for (unsigned i = 0; i < SIDE * SIDE * SIDE; ++i)
        in[i] = i * 2654435761u;
    for (unsigned failing = 1; failing < 4; ++failing) {
        tw_device *broken = tw_queue_device_at(queues.over, failing);
        TW_PASS(tw_buffer_write(g.in, in));
        TW_PASS(tw_sim_fail_nth(broken, failing == 2 ? TW_SIM_KERNEL : TW_SIM_LAUNCH, 1));
        TW_PASS(tw_queue_submit_function(queues.over, queues.other, record_cube, &g, NULL));
        TW_PASS(tw_buffer_read(g.out, found));
        for (unsigned i = 0; i < SIDE * SIDE * SIDE; ++i)
            TW_EQUAL(found[i], in[i] * 3u + i / SIDE / SIDE * 100 + i / SIDE % SIDE * 10 + i % SIDE);
        TW_PASS(tw_queue_wait(queues.over));
        TW_PASS(tw_sim_reset(broken));
    }
    TW_PASS(tw_buffer_destroy(&g.in));
    TW_PASS(tw_buffer_destroy(&g.out));
    end_queues(&queues);
}

TW_TEST(reductions_run_elsewhere)
{
    static unsigned in[30000];
    struct queues queues = make_queues(3);
    struct groups g = {tw_test_zeroed(sizeof(unsigned), 30000), tw_test_zeroed(sizeof(unsigned), 1),
                       tw_test_zeroed(sizeof(unsigned), 1), 0};
    unsigned sum = 0, most = 0, expected = 0;
    for (unsigned i = 0; i < 30000; ++i)
        expected += in[i] = i % 1000;
    TW_PASS(tw_buffer_write(g.in, in));
    TW_PASS(tw_queue_set_division(queues.over, (double[]){1, 1, 1}));
    for (unsigned i = 1; i < 4; ++i) {
        TW_PASS(tw_sim_fail_nth(queues.broken, TW_SIM_LAUNCH, 1));
        TW_PASS(tw_queue_submit_function(queues.over, queues.other, record_sums, &g, NULL));
        TW_PASS(tw_buffer_read(g.out, &sum));
        TW_PASS(tw_buffer_read(g.other, &most));
        TW_EQUAL(sum, i * expected);
        TW_EQUAL(most, 999);
    }
    TW_PASS(tw_queue_wait(queues.over));
    TW_PASS(tw_buffer_destroy(&g.in));
    TW_PASS(tw_buffer_destroy(&g.out));
    TW_PASS(tw_buffer_destroy(&g.other));
    end_queues(&queues);
}

/* The fallback fails too: the first error is reported, and what the part should have written is lost. */
TW_TEST(the_first_error_is_reported_if_both_fail)
{
    struct queues queues = make_queues(2);
    struct groups g = {.out = tw_test_zeroed(sizeof(unsigned), 30000), .first = 1};
    unsigned one;
    TW_PASS(tw_sim_fail_nth(queues.broken, TW_SIM_LAUNCH, 1));
    TW_PASS(tw_sim_fail_nth(tw_queue_device_at(queues.over, 0), TW_SIM_LAUNCH, 2));
    TW_PASS(tw_queue_submit_function(queues.over, queues.over, record_begin, &g, NULL));
    TW_FAIL(tw_queue_wait(queues.over), TW_ERROR_LAUNCH_FAILED);
    TW_PASS(tw_buffer_read_part(g.out, tw_id_1d(0), tw_range_1d(1), &one));
    TW_EQUAL(one, 1);
    TW_FAIL(tw_buffer_read_part(g.out, tw_id_1d(29999), tw_range_1d(1), &one), TW_ERROR_DATA_LOST);
    TW_PASS(tw_buffer_destroy(&g.out));
    TW_PASS(tw_sim_reset(tw_queue_device_at(queues.over, 0)));
    end_queues(&queues);
}

TW_TEST_LIST = {TW_CASE(a_part_that_fails_runs_elsewhere),
                TW_CASE(the_results_of_a_lost_device_are_elsewhere),
                TW_CASE(blocks_run_elsewhere),
                TW_CASE(reductions_run_elsewhere),
                TW_CASE(the_first_error_is_reported_if_both_fail),
                TW_CASES_END};
