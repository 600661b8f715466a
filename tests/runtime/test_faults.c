/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * The n-th allocation, copy and launch of each simulated device fails, for every n until the scenario succeeds. Each
 * time the error shows with its documented status, what depends on it is cancelled and names it, results are right or
 * reported as lost, and no device memory stays behind.
 */
#include "int_kernels.h"

enum { N = 64, MOST_FAULTS = 200 };

/* A block too large for kernel arguments. */
struct values {
    int at[2 * N];
};
struct table {
    int *out;
    struct values values;
};
static inline void table(tw_item item, const struct table *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = 2 * k->out[i] + k->values.at[i] + k->values.at[N + i];
}
TW_RANGE_KERNEL(table, 1);

/* Everything that went wrong in one run. */
struct story {
    int seen[TW_STATUS_COUNT];
    int async_causes;       /* asynchronous errors other than cancellations */
    char cause[64];         /* the kernel of the last of them */
    char messages[32][512]; /* of the cancellations */
    int cancelled;
    int faults; /* of any status, wherever it showed */
};

static struct story story;

static void saw(tw_status status)
{
    if (status == TW_SUCCESS)
        return;
    ++story.seen[status];
    ++story.faults;
}

static void collect(const tw_error *errors, size_t count, void *user)
{
    (void)user;
    for (size_t i = 0; i < count; ++i) {
        saw(errors[i].status);
        if (errors[i].status == TW_ERROR_CANCELLED) {
            TW_CHECK(story.cancelled < 32);
            snprintf(story.messages[story.cancelled++], 512, "%s", errors[i].message);
        } else {
            ++story.async_causes;
            snprintf(story.cause, sizeof story.cause, "%s", errors[i].kernel ? errors[i].kernel : "");
        }
    }
}

/* A buffer, and what it must hold if nobody reports an error about it. */
struct tracked {
    tw_buffer *buffer;
    int expected[N];
    int host[N]; /* what it was created over */
};

static bool submitted(tw_queue *queue, tw_command_group *cg)
{
    const tw_status status = tw_queue_submit(queue, cg, NULL);
    saw(status);
    return status == TW_SUCCESS;
}

static void do_plus(tw_queue *queue, struct tracked *in, struct tracked *out, int term)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), plus, .in = tw_read(cg, in->buffer), .out = tw_discard_write(cg, out->buffer),
                    .term = term);
    if (submitted(queue, cg))
        for (int i = 0; i < N; ++i)
            out->expected[i] = in->expected[i] + term;
}

static void do_add(tw_queue *queue, struct tracked *in, struct tracked *out)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), add, .in = tw_read(cg, in->buffer), .out = tw_read_write(cg, out->buffer));
    if (submitted(queue, cg))
        for (int i = 0; i < N; ++i)
            out->expected[i] += in->expected[i];
}

static void do_table(tw_queue *queue, struct tracked *out)
{
    struct values values;
    tw_command_group *cg = tw_queue_begin(queue);
    for (int i = 0; i < N; ++i) {
        values.at[i] = i;
        values.at[N + i] = 7;
    }
    tw_parallel_for(cg, tw_range_1d(N), table, .out = tw_read_write(cg, out->buffer), .values = values);
    if (submitted(queue, cg))
        for (int i = 0; i < N; ++i)
            out->expected[i] = 2 * out->expected[i] + i + 7;
}

static void check(const struct tracked *t, const int *got)
{
    for (int i = 0; i < N; ++i)
        TW_EQUAL(got[i], t->expected[i]);
}

/* Reads on the host. What could not be transferred is read again: the data must still be there. */
static void do_read(struct tracked *t)
{
    tw_host_accessor *accessor = NULL;
    tw_status status = tw_host_access(t->buffer, TW_READ, &accessor);
    saw(status);
    if (status == TW_ERROR_TRANSFER_FAILED)
        TW_PASS(status = tw_host_access(t->buffer, TW_READ, &accessor));
    if (status != TW_SUCCESS)
        return;
    check(t, tw_host_accessor_const_data(accessor));
    tw_host_accessor_release(&accessor);
}

static void do_overwrite(struct tracked *t, int value)
{
    tw_host_accessor *accessor = NULL;
    const tw_status status = tw_host_access(t->buffer, TW_DISCARD_WRITE, &accessor);
    saw(status);
    if (status != TW_SUCCESS)
        return;
    int *data = tw_host_accessor_data(accessor);
    for (int i = 0; i < N; ++i)
        data[i] = t->expected[i] = value + i;
    tw_host_accessor_release(&accessor);
}

static void create(struct tracked *a, struct tracked *b, struct tracked *c, struct tracked *d)
{
    for (int i = 0; i < N; ++i) {
        a->host[i] = a->expected[i] = i;
        c->host[i] = c->expected[i] = 100 * i;
        d->host[i] = d->expected[i] = -1;
    }
    TW_PASS(tw_buffer_create_over(a->host, sizeof(int), tw_range_1d(N), &a->buffer));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(N), &b->buffer));
    TW_PASS(tw_buffer_create_copy(c->host, sizeof(int), tw_range_1d(N), &c->buffer));
    TW_PASS(tw_buffer_create_over(d->host, sizeof(int), tw_range_1d(N), &d->buffer));
}

static void destroy_over(struct tracked *t)
{
    const tw_status status = tw_buffer_destroy(&t->buffer);
    TW_CHECK(t->buffer == NULL);
    saw(status);
    if (status == TW_SUCCESS)
        check(t, t->host);
}

static void scenario(tw_queue *first, tw_queue *second)
{
    static struct tracked a, b, c, d;
    create(&a, &b, &c, &d);
    do_overwrite(&b, 1000);
    do_plus(first, &a, &b, 1);
    do_add(second, &b, &c);
    do_table(first, &a);
    do_plus(second, &a, &d, -5);
    do_read(&c);
    do_overwrite(&b, 5);
    do_add(first, &b, &a);
    do_table(second, &d);
    do_read(&d);
    do_add(first, &c, &d);
    destroy_over(&a);
    TW_PASS(tw_buffer_destroy(&b.buffer));
    TW_PASS(tw_buffer_destroy(&c.buffer));
    destroy_over(&d);
}

static void check_story(tw_sim_operation operation)
{
    static const tw_status of_operation[] = {TW_ERROR_OUT_OF_DEVICE_MEMORY, TW_ERROR_TRANSFER_FAILED,
                                             TW_ERROR_LAUNCH_FAILED};
    const tw_status cause = of_operation[operation];
    TW_CHECK(story.seen[cause] >= 1);
    for (int status = 1; status < TW_STATUS_COUNT; ++status)
        if (story.seen[status] && status != (int)cause && status != TW_ERROR_CANCELLED
            && status != TW_ERROR_DATA_LOST) {
            fprintf(stderr, "%s in place of %s\n", tw_status_name((tw_status)status), tw_status_name(cause));
            TW_CHECK(!"the documented status");
        }
    if (story.cancelled)
        TW_EQUAL(story.async_causes, 1);
    for (int i = 0; i < story.cancelled; ++i)
        TW_CHECK(*story.cause && strstr(story.messages[i], story.cause) != NULL);
}

/* Runs the scenario with the n-th operation of `device` failing. Returns false when there was no n-th. */
static bool run_with_fault(tw_queue *const queues[2], tw_device *device, tw_sim_operation operation, uint64_t n)
{
    memset(&story, 0, sizeof story);
    TW_PASS(tw_sim_reset(device));
    TW_PASS(tw_sim_fail_nth(device, operation, n));
    scenario(queues[0], queues[1]);
    const bool fired = tw_sim_count(device, operation) >= n;
    for (int i = 0; i < 2; ++i)
        TW_PASS(tw_queue_wait_and_throw(queues[i]));
    if (fired)
        check_story(operation);
    else
        TW_EQUAL(story.faults, 0);
    for (int i = 0; i < 2; ++i)
        tw_test_released(tw_queue_device(queues[i]));
    TW_PASS(tw_sim_reset(device)); /* an n-th that was never reached is still armed */
    return fired;
}

static void run_all_faults(tw_device *first, tw_device *second)
{
    static const tw_sim_operation operations[] = {TW_SIM_ALLOCATION, TW_SIM_COPY, TW_SIM_LAUNCH};
    tw_device *devices[2] = {first, second};
    tw_queue *queues[2];
    for (int i = 0; i < 2; ++i)
        TW_PASS(tw_queue_create_on_device(devices[i], collect, NULL, &queues[i]));
    for (int d = 0; d < 2; ++d)
        for (int o = 0; o < 3; ++o) {
            uint64_t n = 1;
            if (tw_device_is_host(devices[d]))
                continue;
            while (n < MOST_FAULTS && run_with_fault(queues, devices[d], operations[o], n))
                ++n;
            TW_CHECK(n > 1 && n < MOST_FAULTS);
        }
    for (int i = 0; i < 2; ++i)
        TW_PASS(tw_queue_destroy(&queues[i]));
}

TW_TEST(every_fault_on_one_device)
{
    tw_test_use_sim(1);
    run_all_faults(tw_test_device(0), tw_test_device(0));
}

TW_TEST(every_fault_between_two_devices)
{
    tw_test_use_sim(2);
    run_all_faults(tw_test_device(0), tw_test_device(1));
}

TW_TEST(every_fault_between_a_device_and_the_host)
{
    tw_device *host = NULL;
    tw_test_use_sim(1);
    TW_PASS(tw_select_device(tw_host_selector, NULL, &host));
    run_all_faults(tw_test_device(0), host);
    run_all_faults(host, tw_test_device(0));
}

/* A reading group fails; the buffer that it only read is as good as before, on the host and for other groups. */
TW_TEST(a_failed_group_does_not_harm_what_it_only_reads)
{
    for (int o = 1; o < 3; ++o) {
        struct tracked in = {0}, out = {0};
        tw_test_use_sim(1);
        tw_queue *queue = NULL;
        memset(&story, 0, sizeof story);
        TW_PASS(tw_queue_create(NULL, NULL, collect, NULL, &queue));
        TW_PASS(tw_buffer_create_copy(in.expected, sizeof(int), tw_range_1d(N), &in.buffer));
        TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(N), &out.buffer));
        TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), (tw_sim_operation)o, 1));
        do_plus(queue, &in, &out, 1);
        TW_PASS(tw_queue_wait_and_throw(queue));
        TW_EQUAL(story.faults, 1);
        do_plus(queue, &in, &out, 2);
        do_read(&out);
        do_read(&in);
        TW_PASS(tw_queue_wait_and_throw(queue));
        TW_EQUAL(story.faults, 1);
        TW_PASS(tw_buffer_destroy(&in.buffer));
        TW_PASS(tw_buffer_destroy(&out.buffer));
        TW_PASS(tw_queue_destroy(&queue));
    }
}

/* A long line of dependants behind one failure: all are cancelled, each names the first, none the one before it. */
TW_TEST(a_failure_cancels_the_whole_line_behind_it)
{
    struct tracked a = {0}, b = {0};
    tw_test_use_sim(2);
    tw_queue *queues[2];
    memset(&story, 0, sizeof story);
    for (size_t i = 0; i < 2; ++i)
        TW_PASS(tw_queue_create_on_device(tw_test_device(i), collect, NULL, &queues[i]));
    TW_PASS(tw_buffer_create_copy(a.expected, sizeof(int), tw_range_1d(N), &a.buffer));
    TW_PASS(tw_buffer_create_copy(b.expected, sizeof(int), tw_range_1d(N), &b.buffer));
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queues[0]), TW_SIM_LAUNCH, 1));
    do_table(queues[0], &a);
    for (int i = 0; i < 10; ++i)
        do_add(queues[1 - i % 2], i % 2 ? &b : &a, i % 2 ? &a : &b);
    for (size_t i = 0; i < 2; ++i)
        TW_PASS(tw_queue_wait_and_throw(queues[i]));
    TW_EQUAL(story.async_causes, 1);
    TW_EQUAL(story.cancelled, 10);
    for (int i = 0; i < 10; ++i)
        TW_CHECK(strstr(story.messages[i], "table") && !strstr(story.messages[i], "kernel add"));
    do_overwrite(&a, 3); /* whoever discards starts afresh */
    do_read(&a);
    TW_EQUAL(story.seen[TW_ERROR_DATA_LOST], 0);
    do_read(&b);
    TW_EQUAL(story.seen[TW_ERROR_DATA_LOST], 1);
    TW_PASS(tw_buffer_destroy(&a.buffer));
    TW_PASS(tw_buffer_destroy(&b.buffer));
    for (size_t i = 0; i < 2; ++i)
        TW_PASS(tw_queue_destroy(&queues[i]));
}

TW_TEST_LIST = {TW_CASE(every_fault_on_one_device),
                TW_CASE(every_fault_between_two_devices),
                TW_CASE(every_fault_between_a_device_and_the_host),
                TW_CASE(a_failed_group_does_not_harm_what_it_only_reads),
                TW_CASE(a_failure_cancels_the_whole_line_behind_it),
                TW_CASES_END};
