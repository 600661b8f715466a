/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/** command_group.h and the launch errors of kernel.h: recording, submission, blocks, fallback queues. */
#include "tw_test.h"

enum { N = 64 };

struct set {
    int *out;
    int value;
};
static inline void set(tw_item item, const struct set *k)
{
    k->out[tw_global_id(item, 0)] = k->value;
}
TW_RANGE_KERNEL(set, 1);

struct sum {
    const int *a, *b;
    int *out;
};
static inline void sum(tw_item item, const struct sum *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = k->a[i] + k->b[i];
}
TW_RANGE_KERNEL(sum);

struct touch {
    int *out;
};
static inline void touch(const struct touch *k)
{
    k->out[0] = 77;
}
TW_SINGLE_TASK(touch);

struct big_group {
    int *out;
};
static inline void big_group(tw_group group, const struct big_group *k)
{
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_linear_id(item) % N] = 1;
    }
}
TW_WORK_GROUP_KERNEL(big_group);

TW_TEST(the_first_error_is_kept_and_nothing_is_submitted)
{
    tw_queue *queue = tw_test_queue();
    tw_event *untouched = (tw_event *)&untouched, *event = untouched;
    tw_buffer *buffer = tw_test_ints(N, 1);
    tw_command_group *cg = tw_queue_begin(queue);
    TW_EQUAL(tw_command_group_status(cg), TW_SUCCESS);
    int *out = tw_write(cg, buffer);
    TW_CHECK(out != NULL);
    TW_EQUAL(tw_command_group_status(cg), TW_SUCCESS);
    TW_CHECK(tw_write(cg, NULL) == NULL);
    TW_EQUAL(tw_command_group_status(cg), TW_ERROR_INVALID_ARGUMENT);
    tw_parallel_for(cg, tw_range_1d(SIZE_MAX), set, .out = out, .value = 2); /* would be another error */
    TW_CHECK(tw_write(cg, buffer) == NULL);
    TW_EQUAL(tw_command_group_status(cg), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_submit(queue, cg, &event), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(event == untouched);
    TW_PASS(tw_queue_wait(queue));
    tw_test_expect_ints(buffer, 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_null_group_is_accepted_everywhere)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 1);
    TW_CHECK(tw_queue_begin(NULL) == NULL);
    TW_CHECK(tw_read(NULL, buffer) == NULL && tw_discard_write(NULL, buffer) == NULL);
    tw_parallel_for(NULL, tw_range_1d(N), set, .out = NULL);
    tw_single_task(NULL, touch, .out = NULL);
    tw_parallel_for_work_group(NULL, tw_range_1d(N), tw_range_1d(1), big_group, .out = NULL);
    TW_EQUAL(tw_command_group_status(NULL), TW_ERROR_OUT_OF_MEMORY);
    TW_FAIL(tw_queue_submit(queue, NULL, NULL), TW_ERROR_OUT_OF_MEMORY);
    tw_command_group_discard(NULL);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Property 37. */
TW_TEST(a_group_without_a_kernel_is_complete_when_its_dependencies_are)
{
    struct tw_gate gate;
    tw_queue *queue = tw_test_queue();
    tw_event *event = NULL, *after = NULL;
    tw_buffer *buffer = tw_test_ints(N, 0);
    TW_PASS(tw_queue_submit(queue, tw_queue_begin(queue), &event));
    TW_PASS(tw_event_wait(event));
    tw_event_release(&event);
    tw_gate_shut(&gate);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_read(cg, gate.buffer);
    tw_write(cg, buffer);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    cg = tw_queue_begin(queue);
    tw_single_task(cg, touch, .out = tw_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, &after));
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_PENDING);
    TW_EQUAL(tw_event_get_state(after), TW_EVENT_PENDING);
    tw_gate_open(&gate);
    TW_PASS(tw_event_wait(event));
    TW_PASS(tw_event_wait(after));
    tw_event_release(&event);
    tw_event_release(&after);
    tw_gate_free(&gate);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_group_is_submitted_to_the_queue_it_was_begun_for)
{
    tw_queue *queues[2];
    tw_buffer *buffer = tw_test_ints(N, 1);
    tw_test_queues(queues, 2);
    tw_command_group *cg = tw_queue_begin(queues[0]);
    tw_parallel_for(cg, tw_range_1d(N), set, .out = tw_discard_write(cg, buffer), .value = 2);
    TW_FAIL(tw_queue_submit(queues[1], cg, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_submit(NULL, tw_queue_begin(queues[0]), NULL), TW_ERROR_INVALID_ARGUMENT);
    tw_command_group_discard(tw_queue_begin(queues[0]));
    tw_test_expect_ints(buffer, 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    tw_test_destroy_queues(queues, 2);
}

TW_TEST(a_group_is_submitted_once)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 1);
    for (int round = 2; round < 5; ++round) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(N), set, .out = tw_discard_write(cg, buffer), .value = round);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_CHECK(!tw_read_write(cg, buffer)); /* still refers to the queue's memory, where no other group is yet */
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_COMMAND_GROUP);
        TW_CHECK(strstr(tw_error_detail(), "was submitted before"));
        tw_command_group_discard(cg);
        tw_test_expect_ints(buffer, round);

        cg = tw_queue_begin(queue); /* its step is larger than the group's own room for arguments */
        tw_fill(cg, buffer, &round);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_COMMAND_GROUP);
        tw_command_group_discard(cg);
        tw_buffer *many[100]; /* and so are its uses */
        cg = tw_queue_begin(queue);
        for (int i = 0; i < 100; ++i) {
            many[i] = tw_test_int(0);
            (void)tw_write(cg, many[i]);
        }
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_COMMAND_GROUP);
        tw_test_destroy_buffers(many, 100);
    }
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_group_has_one_kernel)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 1);
    tw_command_group *cg = tw_queue_begin(queue);
    int *out = tw_write(cg, buffer);
    tw_single_task(cg, touch, .out = out);
    TW_EQUAL(tw_command_group_status(cg), TW_SUCCESS);
    tw_single_task(cg, touch, .out = out);
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_PASS(tw_queue_wait(queue));
    tw_test_expect_ints(buffer, 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- launch errors ----------------------------------------------------------------------------------------------- */

TW_TEST(ranges_are_checked)
{
    const tw_range mixed = tw_range_add(tw_range_1d(1), tw_range_2d(1, 1));
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 1);
    for (int i = 0; i < 5; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        int *out = tw_write(cg, buffer);
        if (i == 0)
            tw_parallel_for(cg, mixed, set, .out = out);
        else if (i == 1)
            tw_parallel_for(cg, tw_range_3d(SIZE_MAX / 2, 3, 1), sum, .out = out);
        else if (i == 2)
            tw_parallel_for_offset(cg, tw_range_1d(N), tw_id_2d(0, 0), set, .out = out);
        else if (i == 3)
            tw_parallel_for_work_group(cg, mixed, tw_range_1d(1), big_group, .out = out);
        else
            tw_parallel_for_work_group(cg, tw_range_1d(4), tw_range_2d(2, 2), big_group, .out = out);
        TW_EQUAL(tw_command_group_status(cg), TW_ERROR_INVALID_RANGE);
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_RANGE);
    }
    tw_test_expect_ints(buffer, 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Kernel objects that are not what the headers make: copies of a good one with one thing wrong. */
struct wrong {
    int *out;
};
struct nameless {
    int *out;
};
typedef struct wrong wrong_tw_block;
typedef struct nameless nameless_tw_block;
static struct tw_internal_range_kernel wrong_kernel, nameless_kernel;

static void launch_without_image(struct tw_internal_launch *launch)
{
    launch->fell_back = 1;
}

TW_TEST(kernel_objects_are_checked)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 1);
    for (int i = 0; i < 3; ++i) {
        wrong_kernel.range_kernel = set_kernel.range_kernel;
        wrong_kernel.range_kernel.args_bytes = sizeof(struct wrong);
        if (i == 0)
            ++wrong_kernel.range_kernel.abi;
        else if (i == 1)
            wrong_kernel.range_kernel.args_bytes += 8;
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, i == 2 ? tw_range_2d(N, 1) : tw_range_1d(N), wrong, .out = tw_write(cg, buffer));
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_KERNEL);
    }
    tw_test_expect_ints(buffer, 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

static void make_kernel_without_image(struct tw_internal_range_kernel *kernel, const char *name)
{
    kernel->range_kernel = set_kernel.range_kernel;
    kernel->range_kernel.args_bytes = sizeof(struct wrong);
    kernel->range_kernel.offload = launch_without_image;
    kernel->range_kernel.name = kernel->range_kernel.symbol =
        name; /* images are searched for it, once for each kernel object */
}

TW_TEST(a_kernel_without_an_image_for_the_device_is_refused)
{
    const char *backend = "";
    TW_PASS(tw_device_info(tw_test_device(0), TW_DEVICE_INFO_BACKEND, &backend, sizeof backend));
    if (strcmp(backend, "omp") != 0)
        TW_SKIP();
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 1);
    make_kernel_without_image(&nameless_kernel, "no_such_kernel");
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), nameless, .out = tw_discard_write(cg, buffer));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_NO_DEVICE_IMAGE);
    tw_test_expect_ints(buffer, 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* On a GPU the kernel of the name would be launched, past the launcher. */
TW_TEST(an_image_that_was_there_only_by_name_is_an_error)
{
    if (!tw_device_is_cpu(tw_test_device(0)) || tw_device_is_host(tw_test_device(0)))
        TW_SKIP();
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 1);
    make_kernel_without_image(&wrong_kernel, set_kernel.range_kernel.name);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), wrong, .out = tw_discard_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_NO_DEVICE_IMAGE);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_kernel_without_a_version_for_the_device_is_refused)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 1);
    wrong_kernel.range_kernel = set_kernel.range_kernel;
    wrong_kernel.range_kernel.args_bytes = sizeof(struct wrong);
    wrong_kernel.range_kernel.host = NULL;
    wrong_kernel.range_kernel.offload = NULL;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), wrong, .out = tw_discard_write(cg, buffer));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_UNSUPPORTED);
    tw_test_expect_ints(buffer, 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

TW_TEST(a_block_records_and_submits)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *a = tw_test_ints(N, 1), *b = tw_test_ints(N, 2), *c = tw_test_ints(N, 0);
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), sum, .a = tw_read(cg, a), .b = tw_read(cg, b),
                        .out = tw_discard_write(cg, c));
    }
    TW_COMMAND_GROUP(queue, cg) {
        TW_COMMAND_GROUP(queue, inner) {
            tw_parallel_for(inner, tw_range_1d(N), set, .out = tw_discard_write(inner, a), .value = 9);
        }
        tw_parallel_for(cg, tw_range_1d(N), sum, .a = tw_read(cg, c), .b = tw_read(cg, c),
                        .out = tw_discard_write(cg, b));
    }
    tw_test_expect_ints(c, 3);
    tw_test_expect_ints(b, 6);
    tw_test_expect_ints(a, 9);
    TW_PASS(tw_queue_wait(queue));
    tw_buffer *buffers[] = {a, b, c};
    for (size_t i = 0; i < 3; ++i)
        TW_PASS(tw_buffer_destroy(&buffers[i]));
    TW_PASS(tw_queue_destroy(&queue));
}

static void leave_by_return(tw_queue *queue, tw_buffer *buffer)
{
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), set, .out = tw_discard_write(cg, buffer), .value = 5);
        return;
    }
    TW_CHECK(!"not reached");
}

TW_TEST(break_and_return_drop_the_group)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 1);
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), set, .out = tw_discard_write(cg, buffer), .value = 5);
        break;
    }
    leave_by_return(queue, buffer);
    TW_PASS(tw_queue_wait(queue));
    tw_test_expect_ints(buffer, 1);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), set, .out = tw_discard_write(cg, buffer), .value = 5);
    tw_command_group_discard(cg);
    tw_test_expect_ints(buffer, 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

static void count_errors(const tw_error *errors, size_t count, void *user)
{
    TW_EQUAL(errors[0].status, TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(errors[0].file && strstr(errors[0].file, "test_command_group.c"));
    TW_CHECK(errors[0].line > 0);
    *(size_t *)user += count;
}

TW_TEST(an_error_of_a_block_comes_with_the_next_wait)
{
    size_t delivered = 0;
    tw_queue *queue = tw_test_queue(), *handled = NULL;
    tw_buffer *buffer = tw_test_ints(N, 1);
    TW_PASS(tw_queue_create(NULL, NULL, count_errors, &delivered, &handled));
    TW_COMMAND_GROUP(queue, cg) {
        tw_single_task(cg, touch, .out = tw_write(cg, NULL));
    }
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_queue_wait(queue));
    TW_COMMAND_GROUP(handled, cg) {
        tw_single_task(cg, touch, .out = tw_write(cg, NULL));
    }
    TW_PASS(tw_queue_wait_and_throw(handled));
    TW_EQUAL(delivered, 1);
    TW_COMMAND_GROUP(NULL, cg) {
        TW_CHECK(!"a block on no queue has no turn");
        tw_single_task(cg, touch, .out = NULL);
    }
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_queue_destroy(&handled));
}

/* ---- fallback queues (property 23) ------------------------------------------------------------------------------- */

struct operands {
    tw_buffer *a, *b, *c;
    int calls;
};

static void record_sum(tw_command_group *cg, void *user)
{
    struct operands *o = user;
    ++o->calls;
    tw_parallel_for(cg, tw_range_1d(N), sum, .a = tw_read(cg, o->a), .b = tw_read(cg, o->b), .out = tw_write(cg, o->c));
}

static struct operands make_operands(void)
{
    return (struct operands){tw_test_ints(N, 1), tw_test_ints(N, 2), tw_test_ints(N, 0), 0};
}

static void destroy_operands(struct operands *o)
{
    TW_PASS(tw_buffer_destroy(&o->a));
    TW_PASS(tw_buffer_destroy(&o->b));
    TW_PASS(tw_buffer_destroy(&o->c));
}

TW_TEST(a_function_records_for_the_device_under_test)
{
    tw_queue *queue = tw_test_queue();
    struct operands o = make_operands();
    tw_event *event = NULL;
    TW_PASS(tw_queue_submit_function(queue, NULL, record_sum, &o, &event));
    TW_PASS(tw_event_wait(event));
    tw_event_release(&event);
    TW_PASS(tw_queue_submit_function(queue, queue, record_sum, &o, NULL));
    tw_test_expect_ints(o.c, 3);
    TW_EQUAL(o.calls, 2);
    TW_FAIL(tw_queue_submit_function(queue, NULL, NULL, &o, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_submit_function(NULL, NULL, record_sum, &o, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_EQUAL(o.calls, 2);
    destroy_operands(&o);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_fallback_queue_is_not_used_without_need)
{
    tw_test_use_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    struct operands o = make_operands();
    TW_PASS(tw_queue_submit_function(queues[0], queues[1], record_sum, &o, NULL));
    TW_PASS(tw_queue_wait(queues[0]));
    TW_EQUAL(o.calls, 2); /* for both, in case that the command fails later */
    TW_EQUAL(tw_sim_count(tw_queue_device(queues[0]), TW_SIM_LAUNCH), 1);
    TW_EQUAL(tw_sim_count(tw_queue_device(queues[1]), TW_SIM_LAUNCH), 0);
    tw_test_expect_ints(o.c, 3);
    destroy_operands(&o);
    tw_test_destroy_queues(queues, 2);
}

TW_TEST(what_the_queue_cannot_serve_runs_on_the_fallback)
{
    for (uint64_t n = 1; n <= 3; ++n) {
        tw_test_use_sim(2);
        tw_queue *queues[2];
        tw_test_queues(queues, 2);
        struct operands o = make_operands();
        tw_event *event = NULL;
        TW_PASS(tw_sim_fail_nth(tw_queue_device(queues[0]), TW_SIM_ALLOCATION, n));
        TW_PASS(tw_queue_submit_function(queues[0], queues[1], record_sum, &o, &event));
        TW_PASS(tw_event_wait(event));
        tw_event_release(&event);
        TW_EQUAL(o.calls, 2);
        TW_EQUAL(tw_sim_count(tw_queue_device(queues[0]), TW_SIM_LAUNCH), 0);
        TW_EQUAL(tw_sim_count(tw_queue_device(queues[1]), TW_SIM_LAUNCH), 1);
        tw_test_expect_ints(o.c, 3);
        destroy_operands(&o);
        tw_test_destroy_queues(queues, 2);
    }
}

TW_TEST(the_host_can_be_the_fallback)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue(), *host = NULL;
    struct operands o = make_operands();
    TW_PASS(tw_queue_create(tw_host_selector, NULL, NULL, NULL, &host));
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_ALLOCATION, 2));
    TW_PASS(tw_queue_submit_function(queue, host, record_sum, &o, NULL));
    tw_test_expect_ints(o.c, 3);
    destroy_operands(&o);
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_queue_destroy(&host));
}

TW_TEST(a_fallback_that_cannot_serve_the_group_either_is_an_error)
{
    tw_test_use_sim(2);
    tw_queue *queues[2];
    tw_event *untouched = (tw_event *)&untouched, *event = untouched;
    tw_test_queues(queues, 2);
    struct operands o = make_operands();
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queues[0]), TW_SIM_ALLOCATION, 2));
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queues[1]), TW_SIM_ALLOCATION, 2));
    TW_FAIL(tw_queue_submit_function(queues[0], queues[1], record_sum, &o, &event), TW_ERROR_OUT_OF_DEVICE_MEMORY);
    TW_CHECK(event == untouched);
    tw_test_expect_ints(o.c, 0);
    destroy_operands(&o);
    tw_test_destroy_queues(queues, 2);
}

TW_TEST_LIST = {TW_CASE(the_first_error_is_kept_and_nothing_is_submitted),
                TW_CASE(a_null_group_is_accepted_everywhere),
                TW_CASE(a_group_without_a_kernel_is_complete_when_its_dependencies_are),
                TW_CASE(a_group_is_submitted_to_the_queue_it_was_begun_for),
                TW_CASE(a_group_is_submitted_once),
                TW_CASE(a_group_has_one_kernel),
                TW_CASE(ranges_are_checked),
                TW_CASE(kernel_objects_are_checked),
                TW_CASE(a_kernel_without_an_image_for_the_device_is_refused),
                TW_CASE(an_image_that_was_there_only_by_name_is_an_error),
                TW_CASE(a_kernel_without_a_version_for_the_device_is_refused),
                TW_CASE(a_block_records_and_submits),
                TW_CASE(break_and_return_drop_the_group),
                TW_CASE(an_error_of_a_block_comes_with_the_next_wait),
                TW_CASE(a_function_records_for_the_device_under_test),
                TW_CASE(a_fallback_queue_is_not_used_without_need),
                TW_CASE(what_the_queue_cannot_serve_runs_on_the_fallback),
                TW_CASE(the_host_can_be_the_fallback),
                TW_CASE(a_fallback_that_cannot_serve_the_group_either_is_an_error),
                TW_CASES_END};
