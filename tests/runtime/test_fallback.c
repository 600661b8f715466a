/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * command_group.h: commands that fail after their submission and run on the fallback queue instead (spec 2.5.7).
 * Simulated devices, with each other and with the host to fall back on.
 */
#include "int_kernels.h"

#include <sched.h>
#include <stdatomic.h>

enum { N = 64 };

struct groups {
    tw_buffer *in, *out;
    int calls;
};

static void record_plus(tw_command_group *cg, void *user)
{
    struct groups *g = user;
    ++g->calls;
    tw_parallel_for(cg, tw_range_1d(N), plus, .in = tw_read(cg, g->in), .out = tw_discard_write(cg, g->out),
                    .term = 10);
}

static void record_add(tw_command_group *cg, void *user)
{
    struct groups *g = user;
    ++g->calls;
    tw_parallel_for(cg, tw_range_1d(N), add, .in = tw_read(cg, g->in), .out = tw_read_write(cg, g->out));
}

static void submit_add(tw_queue *queue, tw_queue *fallback, tw_buffer *in, tw_buffer *out)
{
    struct groups g = {in, out, 0};
    TW_PASS(tw_queue_submit_function(queue, fallback, record_add, &g, NULL));
}

static void submit_plus(tw_queue *queue, tw_queue *fallback, tw_buffer *in, tw_buffer *out)
{
    struct groups g = {in, out, 0};
    TW_PASS(tw_queue_submit_function(queue, fallback, record_plus, &g, NULL));
}

/* The queue that fails, and what it falls back on: another simulated device, or the host. */
struct pair {
    tw_queue *first, *other;
    tw_device *device; /* of the first */
};

static struct pair make_pair(bool host)
{
    struct pair pair;
    tw_test_use_sim(2);
    pair.device = tw_test_device(0);
    TW_PASS(tw_queue_create_on_device(pair.device, NULL, NULL, &pair.first));
    if (host)
        TW_PASS(tw_queue_create(tw_host_selector, NULL, NULL, NULL, &pair.other));
    else
        TW_PASS(tw_queue_create_on_device(tw_test_device(1), NULL, NULL, &pair.other));
    return pair;
}

static void end_pair(struct pair *pair)
{
    TW_PASS(tw_sim_reset(pair->device));
    TW_PASS(tw_queue_destroy(&pair->first));
    TW_PASS(tw_queue_destroy(&pair->other));
}

/* Each copy and the launch of a group fail: it runs, nothing is reported, and its event has succeeded. */
static void one_group(bool host, tw_sim_operation operation, uint64_t n, bool onward)
{
    struct pair pair = make_pair(host);
    tw_buffer *b[] = {tw_test_ints(N, 1), tw_test_ints(N, 5)};
    struct groups g = {b[0], b[1], 0};
    tw_event *event = NULL;
    TW_PASS((onward ? tw_sim_fail_from : tw_sim_fail_nth)(pair.device, operation, n));
    TW_PASS(tw_queue_submit_function(pair.first, pair.other, record_add, &g, &event));
    TW_EQUAL(g.calls, 2);
    TW_PASS(tw_event_wait(event));
    TW_PASS(tw_queue_wait(pair.first));
    TW_PASS(tw_queue_wait(pair.other));
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_COMPLETE);
    tw_event_release(&event);
    tw_test_expect_ints(b[0], 1);
    tw_test_expect_ints(b[1], 6);
    if (!host)
        TW_EQUAL(tw_sim_count(tw_queue_device(pair.other), TW_SIM_LAUNCH), 1);
    tw_test_destroy_buffers(b, 2);
    end_pair(&pair);
}

TW_TEST(a_failed_transfer_or_launch_is_not_reported)
{
    for (int host = 0; host < 2; ++host)
        for (int onward = 0; onward < 2; ++onward) {
            one_group(host, TW_SIM_COPY, 1, onward);
            one_group(host, TW_SIM_COPY, 2, onward);
            one_group(host, TW_SIM_LAUNCH, 1, onward);
        }
}

/* ---- parts of buffers -------------------------------------------------------------------------------------------- */

enum { ROWS = 6, COLUMNS = 8 };

struct part_step {
    TW_PART_VIEW(const int) in;
    TW_PART_VIEW(int) out;
    int *all; /* of a sub-buffer, changed in place */
};
static inline void part_step(tw_item item, const struct part_step *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
    tw_at(k->out, i, j) = tw_at(k->in, i, j) + 10;
    k->all[i * COLUMNS + j] *= 3;
}
TW_RANGE_KERNEL(part_step, 2);

struct part_groups {
    tw_buffer *in, *out, *sub;
    size_t row;
    int calls;
};

static void record_part_step(tw_command_group *cg, void *user)
{
    struct part_groups *g = user;
    const tw_range inner = tw_range_2d(2, COLUMNS - 2);
    ++g->calls;
    tw_parallel_for(cg, inner, part_step, .in = TW_READ_PART_VIEW(cg, g->in, tw_id_2d(g->row, 2), inner),
                    .out = TW_DISCARD_WRITE_PART_VIEW(cg, g->out, tw_id_2d(g->row, 1), inner),
                    .all = tw_read_write(cg, g->sub));
}

/* Groups of three parts each of which two buffers have, of which the copies or the launch of some fail. */
static void parts(bool host, tw_sim_operation operation, uint64_t n, bool onward)
{
    struct pair pair = make_pair(host);
    int in[ROWS][COLUMNS], out[ROWS][COLUMNS], all[ROWS][COLUMNS];
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j) {
            in[i][j] = 100 * i + j;
            out[i][j] = -1;
            all[i][j] = i + j;
        }
    tw_buffer *b[6] = {NULL};
    TW_PASS(tw_buffer_create_copy(in, sizeof(int), tw_range_2d(ROWS, COLUMNS), &b[0]));
    TW_PASS(tw_buffer_create_copy(out, sizeof(int), tw_range_2d(ROWS, COLUMNS), &b[1]));
    TW_PASS(tw_buffer_create_copy(all, sizeof(int), tw_range_2d(ROWS, COLUMNS), &b[2]));
    TW_PASS((onward ? tw_sim_fail_from : tw_sim_fail_nth)(pair.device, operation, n));
    for (size_t i = 0; i < 3; ++i) {
        TW_PASS(tw_buffer_create_sub(b[2], tw_id_2d(2 * i, 0), tw_range_2d(2, COLUMNS), &b[3 + i]));
        struct part_groups g = {b[0], b[1], b[3 + i], 2 * i, 0};
        TW_PASS(tw_queue_submit_function(pair.first, pair.other, record_part_step, &g, NULL));
        TW_EQUAL(g.calls, 2);
    }
    TW_PASS(tw_queue_wait(pair.first));
    TW_PASS(tw_queue_wait(pair.other));
    TW_PASS(tw_buffer_read(b[1], out));
    TW_PASS(tw_buffer_read(b[2], all));
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j) {
            const bool written = j >= 1 && j < COLUMNS - 1;
            TW_EQUAL(out[i][j], written ? 100 * i + j + 11 : -1);
            TW_EQUAL(all[i][j], j < COLUMNS - 2 ? 3 * (i + j) : i + j);
        }
    tw_test_destroy_buffers(b, 6);
    end_pair(&pair);
}

TW_TEST(parts_of_buffers_fall_back)
{
    for (int host = 0; host < 2; ++host)
        for (uint64_t n = 1; n <= 6; ++n) { /* each group has two copies */
            parts(host, TW_SIM_LAUNCH, (n + 1) / 2, n % 2);
            parts(host, TW_SIM_COPY, n, false);
        }
}

static void fall_back(void *user)
{
    (void)user;
    one_group(true, TW_SIM_LAUNCH, 1, false);
}

TW_TEST(the_log_says_what_runs_elsewhere)
{
    char said[8192];
    setenv("TW_LOG", "info", 1);
    tw_test_read_errors(fall_back, NULL, said, sizeof said);
    TW_CHECK(strstr(said, "teamwork: info: fallback: kernel add failed on Simulated device 0, and runs on "));
    TW_CHECK(strstr(said, "teamwork: info: choice: host:0 ("));
    setenv("TW_LOG", "error", 1);
    tw_test_read_errors(fall_back, NULL, said, sizeof said);
    TW_CHECK(!strstr(said, ": info: ") && strstr(said, "teamwork: error: TW_ERROR_LAUNCH_FAILED: "));
}

struct tally {
    const int *in;
    TW_REDUCTION_ARRAY(int, TW_SUM) bins;
};
static inline void tally(tw_item item, const struct tally *k)
{
    const size_t i = tw_global_id(item, 0);
    tw_combine_at(k->bins, i % 4, k->in[i]);
}
TW_RANGE_REDUCTION(tally, 1, bins);

static void record_tally(tw_command_group *cg, void *user)
{
    struct groups *g = user;
    tw_parallel_for(cg, tw_range_1d(N), tally, .in = tw_read(cg, g->in), .bins = TW_REDUCE_ARRAY(cg, g->out));
}

/* What a kernel reduces into counts once. */
TW_TEST(a_reduction_runs_on_the_fallback)
{
    for (int host = 0; host < 2; ++host) {
        struct pair pair = make_pair(host);
        tw_buffer *b[] = {tw_test_ints(N, 3), tw_test_ints(4, 100)};
        struct groups g = {b[0], b[1], 0};
        TW_PASS(tw_sim_fail_nth(pair.device, TW_SIM_LAUNCH, 1));
        TW_PASS(tw_queue_submit_function(pair.first, pair.other, record_tally, &g, NULL));
        TW_PASS(tw_queue_wait(pair.first));
        tw_test_expect_ints(b[1], 100 + 3 * N / 4);
        tw_test_destroy_buffers(b, 2);
        end_pair(&pair);
    }
}

/* The contents are on the host at first; then groups work on them one after the other, all submitted before any can
   run, on the device that fails, on the other one, and at last on the host. */
static void chain(bool host, tw_sim_operation operation, uint64_t n)
{
    struct pair pair = make_pair(host);
    struct tw_gate gate;
    tw_buffer *b[] = {tw_test_ints(N, 1), tw_test_ints(N, 5), tw_test_ints(N, 0)};
    tw_gate_shut(&gate);
    tw_command_group *cg = tw_queue_begin(pair.first);
    tw_read(cg, gate.buffer);
    tw_read_write(cg, b[0]);
    TW_PASS(tw_queue_submit(pair.first, cg, NULL));
    submit_add(pair.first, pair.other, b[0], b[1]);  /* b1 = 6 */
    submit_add(pair.first, pair.other, b[1], b[0]);  /* b0 = 7 */
    submit_plus(pair.first, pair.other, b[0], b[2]); /* b2 = 17 */
    submit_add(pair.other, NULL, b[2], b[1]);        /* b1 = 23 */
    submit_add(pair.first, pair.other, b[1], b[2]);  /* b2 = 40 */
    TW_PASS(tw_sim_fail_nth(pair.device, operation, n));
    tw_gate_open(&gate);
    tw_test_expect_ints(b[2], 40);
    TW_PASS(tw_queue_wait(pair.first));
    TW_PASS(tw_queue_wait(pair.other));
    tw_test_expect_ints(b[0], 7);
    tw_test_expect_ints(b[1], 23);
    tw_gate_free(&gate);
    tw_test_destroy_buffers(b, 3);
    end_pair(&pair);
}

TW_TEST(what_comes_before_and_after_is_in_its_order)
{
    for (int host = 0; host < 2; ++host)
        for (uint64_t n = 1; n <= 4; ++n)
            chain(host, TW_SIM_LAUNCH, n);
}

/* The device is lost: each group runs elsewhere, and finds there what the one before it has written. */
static void lost_device(bool host)
{
    struct pair pair = make_pair(host);
    tw_buffer *b[] = {tw_test_ints(N, 1), tw_test_ints(N, 5), tw_test_ints(N, 0), tw_test_ints(N, 0)};
    TW_PASS(tw_sim_fail_nth(pair.device, TW_SIM_KERNEL, 1));
    submit_plus(pair.first, NULL, b[0], b[3]);
    TW_FAIL(tw_queue_wait(pair.first), TW_ERROR_LAUNCH_FAILED);
    for (int i = 0; i < 3; ++i) {
        submit_add(pair.first, pair.other, b[0], b[1]);
        submit_add(pair.first, pair.other, b[1], b[2]);
    }
    tw_test_expect_ints(b[2], 6 + 7 + 8);
    submit_plus(pair.first, pair.other, b[2], b[3]);
    tw_test_expect_ints(b[3], 31);
    TW_PASS(tw_queue_wait(pair.first));
    tw_test_expect_ints(b[0], 1);
    tw_test_destroy_buffers(b, 4);
    end_pair(&pair);
}

TW_TEST(a_lost_device_is_done_without)
{
    lost_device(false);
    lost_device(true);
}

/* A kernel that has run in part: again only if it overwrites all that it has written. */
TW_TEST(a_kernel_that_failed_halfway_runs_again_if_it_discards)
{
    for (int host = 0; host < 2; ++host) {
        struct pair pair = make_pair(host);
        tw_buffer *b[] = {tw_test_ints(N, 1), tw_test_ints(N, 5)};
        TW_PASS(tw_sim_fail_nth(pair.device, TW_SIM_KERNEL, 1));
        submit_plus(pair.first, pair.other, b[0], b[1]);
        TW_PASS(tw_queue_wait(pair.first));
        tw_test_expect_ints(b[1], 11);
        TW_PASS(tw_sim_reset(pair.device));
        TW_PASS(tw_sim_fail_nth(pair.device, TW_SIM_KERNEL, 1));
        submit_add(pair.first, pair.other, b[0], b[1]);
        TW_FAIL(tw_queue_wait(pair.first), TW_ERROR_LAUNCH_FAILED);
        tw_test_expect_lost(b[1]);
        tw_test_destroy_buffers(b, 2);
        end_pair(&pair);
    }
}

/* What has lost its inputs cannot run anywhere: it names the cause. */
TW_TEST(lost_inputs_are_an_error)
{
    struct pair pair = make_pair(false);
    tw_buffer *b[] = {tw_test_ints(N, 1), tw_test_ints(N, 5), tw_test_ints(N, 0)};
    TW_PASS(tw_sim_fail_nth(pair.device, TW_SIM_LAUNCH, 1));
    submit_add(pair.first, NULL, b[0], b[1]);
    submit_plus(pair.first, pair.other, b[1], b[2]);
    TW_FAIL(tw_queue_wait(pair.first), TW_ERROR_LAUNCH_FAILED);
    TW_FAIL(tw_queue_wait(pair.first), TW_ERROR_CANCELLED);
    TW_CHECK(strstr(tw_error_detail(), "kernel add"));
    TW_EQUAL(tw_sim_count(tw_queue_device(pair.other), TW_SIM_LAUNCH), 0);
    submit_plus(pair.first, NULL, b[0], b[2]); /* whoever discards starts afresh */
    tw_test_expect_ints(b[2], 11);
    tw_test_destroy_buffers(b, 3);
    end_pair(&pair);
}

TW_TEST(where_both_fail_the_first_error_is_reported)
{
    static const tw_sim_operation operations[] = {TW_SIM_COPY, TW_SIM_LAUNCH};
    for (int first = 0; first < 2; ++first)
        for (int other = 0; other < 2; ++other) {
            struct pair pair = make_pair(false);
            tw_buffer *b[] = {tw_test_ints(N, 1), tw_test_ints(N, 5), tw_test_ints(N, 0)};
            TW_PASS(tw_sim_fail_nth(pair.device, operations[first], 1));
            TW_PASS(tw_sim_fail_from(tw_queue_device(pair.other), operations[other], 1));
            submit_add(pair.first, pair.other, b[0], b[1]);
            submit_plus(pair.first, NULL, b[1], b[2]);
            TW_FAIL(tw_queue_wait(pair.first), first ? TW_ERROR_LAUNCH_FAILED : TW_ERROR_TRANSFER_FAILED);
            TW_CHECK(strstr(tw_error_detail(), "device 0"));
            TW_FAIL(tw_queue_wait(pair.first), TW_ERROR_CANCELLED);
            TW_PASS(tw_queue_wait(pair.first));
            TW_PASS(tw_queue_wait(pair.other));
            tw_test_expect_ints(b[0], 1);
            tw_test_destroy_buffers(b, 3);
            end_pair(&pair);
        }
}

/* Groups that only read the same buffers share them where they fall back, too. */
TW_TEST(several_read_one_buffer)
{
    enum { READERS = 6 };
    for (int host = 0; host < 2; ++host)
        for (int operation = TW_SIM_COPY; operation <= TW_SIM_LAUNCH; ++operation) {
            struct pair pair = make_pair(host);
            struct tw_gate gate;
            tw_buffer *in = tw_test_ints(N, 1), *out[READERS];
            tw_gate_shut(&gate);
            TW_PASS(tw_sim_fail_from(pair.device, (tw_sim_operation)operation, 1));
            for (int i = 0; i < READERS; ++i) {
                out[i] = tw_test_zeroed(sizeof(int), N);
                if (i % 3 < 2)
                    submit_plus(pair.first, pair.other, in, out[i]);
                else
                    submit_plus(pair.other, NULL, in, out[i]);
            }
            submit_add(pair.other, NULL, out[0], in);
            tw_gate_open(&gate);
            for (int i = 0; i < READERS; ++i)
                tw_test_expect_ints(out[i], 11);
            tw_test_expect_ints(in, 12);
            TW_PASS(tw_queue_wait(pair.first));
            TW_PASS(tw_queue_wait(pair.other));
            tw_gate_free(&gate);
            tw_test_destroy_buffers(out, READERS);
            tw_test_destroy_buffers(&in, 1);
            end_pair(&pair);
        }
}

/* A group that waits for an accessor, and could fall back on the host, does not keep the host from reading what it
   reads. */
TW_TEST(others_read_what_a_waiting_group_reads)
{
    struct pair pair = make_pair(true);
    tw_buffer *b[] = {tw_test_ints(N, 1), tw_test_ints(N, 5), tw_test_ints(N, 0)};
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_queue_wait(pair.first));
    submit_plus(pair.first, NULL, b[0], b[2]); /* b2 = 11, on the device alone */
    TW_PASS(tw_host_access(b[1], TW_READ_WRITE, &accessor));
    submit_add(pair.first, pair.other, b[2], b[1]);
    tw_test_expect_ints(b[2], 11);
    tw_host_accessor_release(&accessor);
    tw_test_expect_ints(b[1], 16);
    tw_test_destroy_buffers(b, 3);
    end_pair(&pair);
}

/* A group that accesses a buffer on a queue's device after the gate is open: what is submitted behind it is held
   back. */
static void hold(tw_queue *queue, const struct tw_gate *gate, tw_buffer *buffer)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_read(cg, gate->buffer);
    tw_read_write(cg, buffer);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

/* A group that falls back reads what two later groups write. The second one waits for the group itself, too, and its
   copy brings to the fallback's device what the first one wrote. */
TW_TEST(what_two_later_groups_write_is_read_before)
{
    for (int host = 0; host < 2; ++host) {
        struct pair pair = make_pair(host);
        struct tw_gate gate;
        tw_queue *third = NULL;
        tw_buffer *b[] = {tw_test_ints(N, 1), tw_test_ints(N, 0), tw_test_ints(N, 5)};
        if (host)
            TW_PASS(tw_queue_create_on_device(tw_test_device(1), NULL, NULL, &third));
        else
            TW_PASS(tw_queue_create(tw_host_selector, NULL, NULL, NULL, &third));
        tw_gate_shut(&gate);
        hold(pair.first, &gate, b[0]);
        submit_plus(pair.first, pair.other, b[0], b[1]); /* b1 = 11 */
        submit_add(third, NULL, b[2], b[0]);             /* b0 = 6 */
        submit_add(pair.other, NULL, b[1], b[0]);        /* b0 = 17 */
        TW_PASS(tw_sim_fail_nth(pair.device, TW_SIM_LAUNCH, 1));
        tw_gate_open(&gate);
        tw_test_expect_ints(b[1], 11);
        tw_test_expect_ints(b[0], 17);
        TW_PASS(tw_queue_wait(pair.first));
        TW_PASS(tw_queue_wait(pair.other));
        TW_PASS(tw_queue_destroy(&third));
        tw_gate_free(&gate);
        tw_test_destroy_buffers(b, 3);
        end_pair(&pair);
    }
}

/* The next writer of what a group that falls back reads waits for a group on the fallback's device, too, which has
   nothing to do with the contents: they are not there. */
TW_TEST(others_on_the_device_need_not_have_the_contents)
{
    for (int host = 0; host < 2; ++host) {
        struct pair pair = make_pair(host);
        struct tw_gate early, late;
        tw_buffer *b[] = {tw_test_ints(N, 0), tw_test_ints(N, 0), tw_test_ints(N, 5), tw_test_ints(N, 1)};
        tw_gate_shut(&early);
        tw_gate_shut(&late);
        submit_plus(pair.first, NULL, b[3], b[0]); /* b0 = 11, on the first device alone */
        TW_PASS(tw_queue_wait(pair.first));
        hold(pair.first, &early, b[1]);
        submit_plus(pair.first, pair.other, b[0], b[1]); /* b1 = 21 */
        hold(pair.other, &late, b[2]);
        submit_add(pair.first, NULL, b[2], b[0]); /* b0 = 16 */
        TW_PASS(tw_sim_fail_nth(pair.device, TW_SIM_LAUNCH, 1));
        tw_gate_open(&early);
        tw_test_expect_ints(b[1], 21);
        tw_gate_open(&late);
        tw_test_expect_ints(b[0], 16);
        TW_PASS(tw_queue_wait(pair.first));
        tw_gate_free(&early);
        tw_gate_free(&late);
        tw_test_destroy_buffers(b, 4);
        end_pair(&pair);
    }
}

/* What a group reads and writes could be copied to its device in part alone. The fallback takes it from where it is
   whole, not from there. */
TW_TEST(what_a_failed_copy_has_brought_is_no_input)
{
    tw_queue *first = NULL, *with = NULL, *other = NULL;
    tw_test_use_sim(2);
    TW_PASS(tw_queue_create(tw_host_selector, NULL, NULL, NULL, &first));
    TW_PASS(tw_queue_create_on_device(tw_test_device(0), NULL, NULL, &with));
    TW_PASS(tw_queue_create_on_device(tw_test_device(1), NULL, NULL, &other));
    tw_buffer *b[] = {tw_test_ints(N, 1), tw_test_ints(N, 5)};
    submit_plus(with, NULL, b[0], b[1]); /* b1 = 11, there alone */
    TW_PASS(tw_queue_wait(with));
    TW_PASS(tw_sim_fail_nth(tw_queue_device(with), TW_SIM_COPY, 1));
    submit_add(first, other, b[0], b[1]); /* b1 = 12 */
    TW_PASS(tw_queue_wait(first));
    TW_PASS(tw_queue_wait(other));
    tw_test_expect_ints(b[0], 1);
    tw_test_expect_ints(b[1], 12);
    TW_PASS(tw_sim_reset(tw_queue_device(with)));
    tw_test_destroy_buffers(b, 2);
    TW_PASS(tw_queue_destroy(&first));
    TW_PASS(tw_queue_destroy(&with));
    TW_PASS(tw_queue_destroy(&other));
}

static atomic_int slow_began, slow_may_end;

/* Runs on the host, until it may end. */
struct slow {
    const int *in;
    int *out;
    atomic_int *began, *may_end;
};
static inline void slow(const struct slow *k)
{
    /* relaxed: clang 19 has no other atomic loads and stores for NVIDIA GPUs */
    atomic_store_explicit(k->began, 1, memory_order_relaxed);
    while (!atomic_load_explicit(k->may_end, memory_order_relaxed))
        ;
    for (int i = 0; i < N; ++i)
        k->out[i] = k->in[i] + 10;
}
TW_SINGLE_TASK(slow);

static void record_slow(tw_command_group *cg, void *user)
{
    struct groups *g = user;
    if (g->calls == 0)
        record_plus(cg, user);
    else
        tw_single_task(cg, slow, .in = tw_read(cg, g->in), .out = tw_discard_write(cg, g->out), .began = &slow_began,
                       .may_end = &slow_may_end);
}

/* Returns while a group runs on its fallback's device, until slow_may_end is set. */
static void begin_slow(const struct pair *pair, struct groups *g)
{
    atomic_store(&slow_began, 0);
    atomic_store(&slow_may_end, 0);
    TW_PASS(tw_sim_fail_nth(pair->device, TW_SIM_LAUNCH, 1));
    TW_PASS(tw_queue_submit_function(pair->first, pair->other, record_slow, g, NULL));
    while (!atomic_load(&slow_began))
        sched_yield();
}

/* While a group runs on its fallback's device, another one is submitted that writes a part. The results cannot be
   copied back, so they stay; but the part is where the later group writes it. */
TW_TEST(results_that_stay_are_not_in_front_of_later_parts)
{
    struct pair pair = make_pair(true);
    tw_buffer *b[] = {tw_test_ints(N, 1), tw_test_ints(N, 5)};
    struct groups g = {b[0], b[1], 0};
    tw_host_accessor *accessor = NULL;
    begin_slow(&pair, &g);
    tw_command_group *cg = tw_queue_begin(pair.first);
    tw_parallel_for(cg, tw_range_1d(8), plus, .in = tw_read(cg, b[0]),
                    .out = tw_discard_write_part(cg, b[1], tw_id_1d(0), tw_range_1d(8)), .term = 100);
    TW_PASS(tw_queue_submit(pair.first, cg, NULL));
    TW_PASS(tw_sim_fail_from(pair.device, TW_SIM_COPY, 1));
    atomic_store(&slow_may_end, 1);
    TW_PASS(tw_queue_wait(pair.first));
    TW_PASS(tw_sim_reset(pair.device));
    TW_PASS(tw_host_access(b[1], TW_READ, &accessor));
    const int *data = tw_host_accessor_const_data(accessor);
    for (int i = 0; i < N; ++i)
        TW_EQUAL(data[i], i < 8 ? 101 : 11);
    tw_host_accessor_release(&accessor);
    tw_test_destroy_buffers(b, 2);
    end_pair(&pair);
}

/* As above, but the later group also reads another part, where the results are not: it is cancelled. */
TW_TEST(results_that_stay_cancel_what_reads_a_part_of_them)
{
    struct pair pair = make_pair(true);
    tw_buffer *b[] = {tw_test_ints(N, 1), tw_test_ints(N, 5)};
    struct groups g = {b[0], b[1], 0};
    tw_event *event = NULL;
    begin_slow(&pair, &g);
    tw_command_group *cg = tw_queue_begin(pair.first);
    int *out = tw_discard_write_part(cg, b[1], tw_id_1d(0), tw_range_1d(8));
    tw_parallel_for(cg, tw_range_1d(8), plus, .in = tw_read_part(cg, b[1], tw_id_1d(8), tw_range_1d(8)), .out = out,
                    .term = 100);
    TW_PASS(tw_queue_submit(pair.first, cg, &event));
    TW_PASS(tw_sim_fail_from(pair.device, TW_SIM_COPY, 1));
    atomic_store(&slow_may_end, 1);
    TW_EQUAL(tw_event_wait(event), TW_ERROR_CANCELLED);
    tw_event_release(&event);
    (void)tw_queue_wait_and_throw(pair.first);
    TW_PASS(tw_sim_reset(pair.device));
    tw_test_destroy_buffers(b, 2);
    end_pair(&pair);
}

/* As above, but a later group writes all of the results anew, and one behind that waits for the first group because of
   another buffer. It reads nothing that stays elsewhere: it runs. */
TW_TEST(results_that_stay_are_not_read_behind_a_later_writer)
{
    struct pair pair = make_pair(true);
    tw_buffer *b[] = {tw_test_ints(N, 1), tw_test_ints(N, 5), tw_test_ints(N, 50)};
    struct groups g = {b[0], b[1], 0};
    begin_slow(&pair, &g);                                 /* b1 = 11 */
    submit_plus(pair.other, NULL, b[2], b[1]);             /* b1 = 60 */
    submit_plus(pair.first, NULL, b[1], b[0]);             /* b0 = 70 */
    TW_PASS(tw_sim_fail_nth(pair.device, TW_SIM_COPY, 1)); /* the results of the first group */
    atomic_store(&slow_may_end, 1);
    TW_PASS(tw_queue_wait(pair.first));
    TW_PASS(tw_queue_wait(pair.other));
    tw_test_expect_ints(b[0], 70);
    tw_test_expect_ints(b[1], 60);
    tw_test_destroy_buffers(b, 3);
    end_pair(&pair);
}

/* The last group is on another device, and fails there. On the host, where the results of the first one stay, it reads
   those of the later writer. */
TW_TEST(results_that_stay_are_no_inputs_behind_a_later_writer)
{
    struct pair pair = make_pair(true);
    tw_device *device = tw_test_device(1);
    tw_queue *third;
    tw_buffer *b[] = {tw_test_ints(N, 1), tw_test_ints(N, 5), tw_test_ints(N, 50)};
    struct groups g = {b[0], b[1], 0};
    TW_PASS(tw_queue_create_on_device(device, NULL, NULL, &third));
    begin_slow(&pair, &g);                      /* b1 = 11 */
    submit_plus(third, NULL, b[2], b[1]);       /* b1 = 60 */
    submit_plus(third, pair.other, b[1], b[0]); /* b0 = 70 */
    TW_PASS(tw_sim_fail_nth(pair.device, TW_SIM_COPY, 1));
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_LAUNCH, 2));
    atomic_store(&slow_may_end, 1);
    TW_PASS(tw_queue_wait(third));
    tw_test_expect_ints(b[0], 70);
    tw_test_expect_ints(b[1], 60);
    tw_test_destroy_buffers(b, 3);
    TW_PASS(tw_sim_reset(device));
    TW_PASS(tw_queue_destroy(&third));
    end_pair(&pair);
}

/* What a group that falls back reads is brought to the fallback's device for a later group, by a copy that waits for
   the first group: a copy for a third one, which waits for the first, has failed twice. */
TW_TEST(a_copy_that_waits_for_the_group_is_not_waited_for)
{
    struct pair pair = make_pair(false);
    struct tw_gate early, gate;
    tw_device *other = tw_queue_device(pair.other);
    tw_event *event = NULL;
    tw_buffer *b[] = {tw_test_ints(N, 1), tw_test_ints(N, 0), tw_test_ints(N, 0), tw_test_ints(N, 0)};
    tw_gate_shut(&early);
    tw_gate_shut(&gate);
    hold(pair.first, &early, b[0]); /* so the copy fails only when all that expect it are there */
    hold(pair.first, &gate, b[1]);
    submit_plus(pair.first, pair.other, b[0], b[1]); /* b1 = 11 */
    TW_PASS(tw_sim_fail_from(other, TW_SIM_COPY, 1));
    tw_command_group *cg = tw_queue_begin(pair.other);
    tw_read(cg, b[0]); /* in vain */
    tw_read(cg, b[1]);
    TW_PASS(tw_queue_submit(pair.other, cg, NULL));
    struct groups in_vain = {b[0], b[2], 0};
    TW_PASS(tw_queue_submit_function(pair.other, NULL, record_plus, &in_vain, &event));
    tw_gate_open(&early);
    TW_FAIL(tw_event_wait(event), TW_ERROR_CANCELLED); /* so the copy has failed */
    tw_event_release(&event);
    TW_PASS(tw_sim_reset(other));
    submit_plus(pair.other, NULL, b[0], b[3]); /* b3 = 11, by another copy */
    TW_PASS(tw_sim_fail_nth(pair.device, TW_SIM_LAUNCH, 1));
    tw_gate_open(&gate);
    tw_test_expect_ints(b[1], 11);
    tw_test_expect_ints(b[3], 11);
    TW_PASS(tw_queue_wait(pair.first));
    TW_FAIL(tw_queue_wait(pair.other), TW_ERROR_CANCELLED);       /* the group in vain, which was complete first */
    TW_FAIL(tw_queue_wait(pair.other), TW_ERROR_TRANSFER_FAILED); /* the one whose copy it was */
    tw_gate_free(&early);
    tw_gate_free(&gate);
    tw_test_destroy_buffers(b, 4);
    TW_PASS(tw_sim_reset(other));
    end_pair(&pair);
}

/* A function that does not record the same group twice: what fails is not run again. */
static void record_another(tw_command_group *cg, void *user)
{
    struct groups *g = user;
    if (g->calls == 0)
        record_add(cg, user);
    else
        record_plus(cg, user);
}

TW_TEST(another_group_is_no_fallback)
{
    struct pair pair = make_pair(false);
    tw_buffer *b[] = {tw_test_ints(N, 1), tw_test_ints(N, 5)};
    struct groups g = {b[0], b[1], 0};
    TW_PASS(tw_sim_fail_nth(pair.device, TW_SIM_LAUNCH, 1));
    TW_PASS(tw_queue_submit_function(pair.first, pair.other, record_another, &g, NULL));
    TW_FAIL(tw_queue_wait(pair.first), TW_ERROR_LAUNCH_FAILED);
    TW_EQUAL(tw_sim_count(tw_queue_device(pair.other), TW_SIM_LAUNCH), 0);
    tw_test_destroy_buffers(b, 2);
    end_pair(&pair);
}

/* The fallback queue may be gone when it is needed, and the first one needs no wait. */
TW_TEST(the_fallback_lasts_as_long_as_its_groups)
{
    struct pair pair = make_pair(false);
    struct tw_gate gate;
    tw_buffer *b[] = {tw_test_ints(N, 1), tw_test_ints(N, 5)};
    tw_gate_shut(&gate);
    tw_command_group *cg = tw_queue_begin(pair.first);
    tw_read(cg, gate.buffer);
    tw_read_write(cg, b[0]);
    TW_PASS(tw_queue_submit(pair.first, cg, NULL));
    TW_PASS(tw_sim_fail_nth(pair.device, TW_SIM_LAUNCH, 1));
    submit_add(pair.first, pair.other, b[0], b[1]);
    TW_PASS(tw_queue_destroy(&pair.other));
    tw_gate_open(&gate);
    tw_test_expect_ints(b[1], 6);
    TW_PASS(tw_queue_wait(pair.first));
    tw_gate_free(&gate);
    tw_test_destroy_buffers(b, 2);
    end_pair(&pair);
}

static void record_copy(tw_command_group *cg, void *user)
{
    static const int values[N] = {7, 7, 7};
    const struct groups *g = user;
    tw_copy_from(cg, g->out, values);
}

/* An asynchronous device takes so many copies from the program's memory at a time. One that falls back is counted on neither
   device any more. */
TW_TEST(copies_that_fall_back_leave_room_for_others)
{
    struct pair pair = make_pair(false);
    struct groups g = {.out = tw_test_ints(N, 1)};
    for (int i = 0; i < 20; ++i) {
        tw_event *event = NULL, *start;
        TW_PASS(tw_sim_fail_nth(pair.device, TW_SIM_COPY, 1));
        TW_PASS(tw_queue_submit_function(pair.first, pair.other, record_copy, &g, NULL));
        TW_PASS(tw_queue_wait(pair.first));
        TW_PASS(tw_queue_submit_function(pair.other, NULL, record_copy, &g, &event));
        start = tw_event_of_start(event);
        TW_PASS(tw_event_wait(start)); /* leaves the copy to a worker */
        tw_event_release(&start);
        tw_event_release(&event);
    }
    int found[N];
    TW_PASS(tw_buffer_read(g.out, found));
    TW_EQUAL(found[2], 7);
    tw_test_destroy_buffers(&g.out, 1);
    end_pair(&pair);
}

TW_TEST_LIST = {TW_CASE(a_failed_transfer_or_launch_is_not_reported),
                TW_CASE(parts_of_buffers_fall_back),
                TW_CASE(the_log_says_what_runs_elsewhere),
                TW_CASE(a_reduction_runs_on_the_fallback),
                TW_CASE(what_comes_before_and_after_is_in_its_order),
                TW_CASE(a_lost_device_is_done_without),
                TW_CASE(a_kernel_that_failed_halfway_runs_again_if_it_discards),
                TW_CASE(lost_inputs_are_an_error),
                TW_CASE(where_both_fail_the_first_error_is_reported),
                TW_CASE(several_read_one_buffer),
                TW_CASE(others_read_what_a_waiting_group_reads),
                TW_CASE(what_two_later_groups_write_is_read_before),
                TW_CASE(others_on_the_device_need_not_have_the_contents),
                TW_CASE(what_a_failed_copy_has_brought_is_no_input),
                TW_CASE(results_that_stay_are_not_in_front_of_later_parts),
                TW_CASE(results_that_stay_cancel_what_reads_a_part_of_them),
                TW_CASE(results_that_stay_are_not_read_behind_a_later_writer),
                TW_CASE(results_that_stay_are_no_inputs_behind_a_later_writer),
                TW_CASE(a_copy_that_waits_for_the_group_is_not_waited_for),
                TW_CASE(another_group_is_no_fallback),
                TW_CASE(the_fallback_lasts_as_long_as_its_groups),
                TW_CASE(copies_that_fall_back_leave_room_for_others),
                TW_CASES_END};
