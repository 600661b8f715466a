/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/** task.h: functions of the program as steps of command groups, with accessors of host memory. */
#include "step_kernel.h"

#include <stdatomic.h>

enum { N = 64, MANY = 40, BLOCKED = 12 };

/* A step by a host task, for `count` elements. */
struct host_step {
    int *x;
    int term;
    size_t count;
};
static tw_status host_step(const void *block)
{
    const struct host_step *k = block;
    for (size_t i = 0; i < k->count; ++i)
        k->x[i] = (int)(3 * (unsigned)k->x[i] + (unsigned)k->term);
    return TW_SUCCESS;
}

static void submit_host_step(tw_queue *queue, tw_buffer *x, int term, tw_event **event)
{
    tw_command_group *cg = tw_queue_begin(queue);
    struct host_step block = {tw_host_read_write(cg, x), term, N};
    tw_host_task(cg, host_step, &block, sizeof block);
    block.x = NULL; /* the library has its copy */
    TW_PASS(tw_queue_submit(queue, cg, event));
}

/* Kernels and host tasks on the same buffer, of several queues and devices, run in the order of submission. */
TW_TEST(host_tasks_and_kernels_are_ordered_by_data)
{
    tw_queue *queues[3];
    tw_test_queues(queues, 3);
    tw_buffer *x = tw_test_ints(N, 1);
    unsigned expected = 1;
    tw_event *last = NULL;
    for (int i = 0; i < MANY; ++i) {
        tw_queue *queue = queues[(size_t)i % 3];
        if (i % 2)
            submit_step(queue, x, i);
        else
            submit_host_step(queue, x, i, i == MANY - 2 ? &last : NULL);
        expected = 3 * expected + (unsigned)i;
    }
    TW_PASS(tw_event_wait(last));
    tw_test_expect_ints(x, (int)expected);
    tw_event_times times;
    TW_PASS(tw_event_get_times(last, &times));
    TW_CHECK(times.complete_ns >= times.submit_ns);
    tw_event_release(&last);
    TW_PASS(tw_buffer_destroy(&x));
    tw_test_destroy_queues(queues, 3);
}

static void run_host_step(void *user)
{
    (void)user;
    tw_queue *queue = NULL;
    tw_buffer *x = tw_test_ints(N, 1);
    TW_PASS(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    submit_host_step(queue, x, 1, NULL);
    tw_test_expect_ints(x, 4);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* What a thread has in its detail is put aside while it runs a task: that is no error. */
TW_TEST(a_task_that_succeeds_is_not_logged)
{
    char said[1024];
    setenv("TW_LOG", "error", 1);
    tw_test_read_errors(run_host_step, NULL, said, sizeof said);
    if (*said)
        fprintf(stderr, "%s", said);
    TW_EQUAL(strlen(said), 0);
}

/* Tasks of parts work on these parts alone: the rest stays as it is. */
TW_TEST(a_host_task_accesses_a_part)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    submit_step(queue, x, 0);
    for (size_t part = 0; part < 2; ++part) {
        tw_command_group *cg = tw_queue_begin(queue);
        struct host_step block = {tw_host_read_write_part(cg, x, tw_id_1d(part * 16), tw_range_1d(16)), (int)part, 16};
        tw_host_task(cg, host_step, &block, sizeof block);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    submit_step(queue, x, 1);
    int values[N];
    tw_test_fetch(x, values);
    for (int i = 0; i < N; ++i)
        TW_EQUAL(values[i], 3 * (i < 16 ? 9 : i < 32 ? 10 : 3) + 1);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

struct note {
    atomic_int *calls;
};
static tw_status note(const void *block)
{
    const struct note *k = block;
    TW_CHECK((uintptr_t)block % _Alignof(max_align_t) == 0);
    atomic_fetch_add(k->calls, 1);
    return TW_SUCCESS;
}

static tw_status do_nothing(const void *block)
{
    (void)block;
    return TW_SUCCESS;
}

/* Tasks without accessors run too, when an event happens or at any time. */
TW_TEST(a_host_task_needs_no_accessors)
{
    atomic_int calls = 0;
    tw_queue *queue = tw_test_queue();
    tw_event *start = NULL, *end = NULL;
    TW_PASS(tw_event_create_user(&start));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_depends_on(cg, start);
    tw_host_task(cg, note, &(struct note){&calls}, sizeof(struct note));
    TW_PASS(tw_queue_submit(queue, cg, &end));
    TW_EQUAL(tw_event_get_state(end), TW_EVENT_PENDING);
    TW_EQUAL(atomic_load(&calls), 0);
    TW_PASS(tw_event_complete(start, TW_SUCCESS));
    TW_PASS(tw_event_wait(end));
    TW_EQUAL(atomic_load(&calls), 1);
    tw_event_release(&start);
    tw_event_release(&end);
    cg = tw_queue_begin(queue);
    tw_host_task(cg, do_nothing, NULL, 0);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_queue_destroy(&queue));
}

struct turn {
    unsigned *value, term;
};
static tw_status take_turn(const void *block)
{
    const struct turn *k = block;
    *k->value = 3 * *k->value + k->term;
    return TW_SUCCESS;
}

TW_TEST(an_in_order_queue_orders_host_tasks)
{
    tw_queue *queue = NULL;
    unsigned value = 1, expected = 1;
    TW_PASS(tw_queue_create_with_properties(NULL, NULL, TW_QUEUE_IN_ORDER, NULL, NULL, &queue));
    for (unsigned i = 0; i < MANY; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_host_task(cg, take_turn, &(struct turn){&value, i}, sizeof(struct turn));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        expected = 3 * expected + i;
    }
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(value, expected);
    TW_PASS(tw_queue_destroy(&queue));
}

struct failing {
    tw_status status;
    const char *message;
};
static tw_status failing(const void *block)
{
    const struct failing *k = block;
    return k->message ? tw_task_fail(k->status, k->message) : k->status;
}

static void check_failure(tw_status status, const char *message, tw_status expected, const char *text)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 1);
    tw_command_group *cg = tw_queue_begin(queue);
    (void)tw_host_discard_write(cg, x);
    tw_host_task(cg, failing, &(struct failing){status, message}, sizeof(struct failing));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    cg = tw_queue_begin(queue); /* cancelled: it reads what was lost */
    (void)tw_host_read(cg, x);
    struct host_step block = {tw_host_read_write(cg, y), 1, N};
    tw_host_task(cg, host_step, &block, sizeof block);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_FAIL(tw_queue_wait(queue), expected);
    TW_CHECK(strstr(tw_error_detail(), text));
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_CANCELLED);
    tw_test_expect_lost(x);
    TW_CHECK(strstr(tw_error_detail(), "lost: they depend on a host task ("));
    tw_test_expect_lost(y);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(the_failure_of_a_host_task_is_its_commands)
{
    check_failure(TW_ERROR_TRANSFER_FAILED, "the file is full", TW_ERROR_TRANSFER_FAILED, "the file is full");
    check_failure(TW_ERROR_NO_DEVICE, NULL, TW_ERROR_NO_DEVICE, "TW_ERROR_NO_DEVICE");
    check_failure(TW_ERROR_CANCELLED, NULL, TW_ERROR_LAUNCH_FAILED, "TW_ERROR_CANCELLED");
    check_failure((tw_status)-1, NULL, TW_ERROR_LAUNCH_FAILED, "a host task has returned -1");
}

/* A task may submit groups, and wait for them. What it does wrong stays out of the waiting thread's error detail. */
struct nested {
    tw_queue *queue;
    tw_buffer *x;
};
static tw_status nested(const void *block)
{
    const struct nested *k = block;
    tw_event *event = NULL;
    if (tw_queue_submit(NULL, tw_queue_begin(k->queue), NULL) != TW_ERROR_INVALID_ARGUMENT)
        return tw_task_fail(TW_ERROR_INVALID_ARGUMENT, "no error");
    tw_command_group *cg = tw_queue_begin(k->queue);
    tw_parallel_for(cg, tw_range_1d(N), step, .x = tw_read_write(cg, k->x), .term = 1);
    tw_status status = tw_queue_submit(k->queue, cg, NULL);
    cg = tw_queue_begin(k->queue);
    struct host_step inner = {tw_host_read_write(cg, k->x), 2, N};
    tw_host_task(cg, host_step, &inner, sizeof inner);
    if (status == TW_SUCCESS)
        status = tw_queue_submit(k->queue, cg, &event);
    if (status == TW_SUCCESS)
        status = tw_event_wait(event);
    tw_event_release(&event);
    return status;
}

TW_TEST(a_host_task_may_call_the_library)
{
    tw_queue *queue = tw_test_queue(), *inner = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    TW_FAIL(tw_queue_wait(NULL), TW_ERROR_INVALID_ARGUMENT);
    char detail[256];
    snprintf(detail, sizeof detail, "%s", tw_error_detail());
    for (int i = 0; i < 4; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_host_task(cg, nested, &(struct nested){inner, x}, sizeof(struct nested));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_queue_wait(queue));
    }
    TW_CHECK(strcmp(detail, tw_error_detail()) == 0);
    tw_test_expect_ints(x, 6561 + 5 * (1 + 9 + 81 + 729));
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_queue_destroy(&inner));
}

/* What a task finds when it waits for itself, or for a group behind it. */
struct own {
    tw_queue *queue;
    tw_buffer *x, *y;
    tw_event **behind;
    atomic_int *behind_is_there;
    tw_status *statuses;
};
static tw_status wait_for_own(const void *block)
{
    const struct own *k = block;
    tw_host_accessor *accessor = NULL;
    while (!atomic_load(k->behind_is_there))
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    k->statuses[0] = tw_queue_wait(k->queue);
    k->statuses[1] = tw_host_access(k->x, TW_READ, &accessor);
    k->statuses[2] = tw_event_wait(*k->behind);
    k->statuses[3] = tw_host_access(k->y, TW_READ, &accessor);
    return strstr(tw_error_detail(), "let the task return") ? TW_SUCCESS : TW_ERROR_INVALID_ARGUMENT;
}

TW_TEST(a_host_task_does_not_wait_for_itself)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 2);
    tw_event *behind = NULL;
    atomic_int is_there = 0;
    tw_status statuses[4] = {TW_SUCCESS};
    tw_command_group *cg = tw_queue_begin(queue);
    (void)tw_host_read_write(cg, x);
    tw_host_task(cg, wait_for_own, &(struct own){queue, x, y, &behind, &is_there, statuses}, sizeof(struct own));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    cg = tw_queue_begin(queue);
    tw_copy(cg, x, y);
    TW_PASS(tw_queue_submit(queue, cg, &behind));
    atomic_store(&is_there, 1);
    TW_PASS(tw_queue_wait(queue));
    for (int i = 0; i < 4; ++i)
        TW_EQUAL(statuses[i], TW_ERROR_WOULD_DEADLOCK);
    tw_test_expect_ints(y, 1);
    tw_event_release(&behind);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Blocks until all of BLOCKED tasks are there. */
struct meeting {
    atomic_int *arrived;
};
static tw_status meet(const void *block)
{
    const struct meeting *k = block;
    atomic_fetch_add(k->arrived, 1);
    while (atomic_load(k->arrived) < BLOCKED + 1)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    return TW_SUCCESS;
}

/* Tasks that block each other run side by side, kernels and updates of the host pass them, and a thread that waits for
   something else does not get stuck in one. */
TW_TEST(host_tasks_that_block_hold_nothing_up)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    atomic_int arrived = 0;
    tw_event *event = NULL;
    for (int i = 0; i < BLOCKED; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_host_task(cg, meet, &(struct meeting){&arrived}, sizeof(struct meeting));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    submit_step(queue, x, 1);
    submit_host_step(queue, x, 1, &event);
    TW_PASS(tw_event_wait(event));
    tw_event_release(&event);
    tw_test_expect_ints(x, 13);
    while (atomic_load(&arrived) < BLOCKED)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    atomic_fetch_add(&arrived, 1);
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Waits until a word in host memory is not 0, at most so long that a test does not hang. */
struct hold {
    unsigned *go, *seen;
};
static inline void hold(const struct hold *k)
{
    unsigned go = 0;
    for (unsigned i = 0; i < 20000000 && !go; ++i)
        go = tw_atomic_load(k->go, TW_ORDER_RELAXED, TW_SCOPE_SYSTEM);
    *k->seen = go;
}
TW_SINGLE_TASK(hold);

static tw_status let_go(const void *block)
{
    unsigned *const *go = block;
    tw_atomic_store(*go, 1u, TW_ORDER_RELAXED, TW_SCOPE_SYSTEM);
    return TW_SUCCESS;
}

/* A host task that waits for a kernel begins when that is over, although the device runs a later kernel by then. */
TW_TEST(a_later_kernel_does_not_hold_a_host_task_up)
{
    tw_queue *queue = tw_test_queue();
    if (!tw_device_is_gpu(tw_queue_device(queue))) { /* elsewhere, kernels that spin may take the task's processor */
        TW_PASS(tw_queue_destroy(&queue));
        return;
    }
    tw_buffer *x = tw_test_ints(N, 1), *seen = tw_test_zeroed(sizeof(unsigned), 1);
    unsigned *go = tw_malloc_host(sizeof *go), got = 0;
    TW_CHECK(go != NULL);
    submit_step(queue, x, 1); /* so that it need not be copied later, behind the kernel that spins */
    TW_PASS(tw_queue_wait(queue));
    for (int held_back = 0; held_back < 2; ++held_back) { /* all are in the graph before the first kernel is launched */
        tw_event *first = NULL;
        *go = 0;
        TW_PASS(tw_event_create_user(&first));
        if (!held_back)
            TW_PASS(tw_event_complete(first, TW_SUCCESS));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_depends_on(cg, first);
        tw_parallel_for(cg, tw_range_1d(N), step, .x = tw_read_write(cg, x), .term = 1);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        cg = tw_queue_begin(queue);
        (void)tw_host_read(cg, x);
        tw_host_task(cg, let_go, &go, sizeof go);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        cg = tw_queue_begin(queue);
        tw_depends_on(cg, first);
        tw_single_task(cg, hold, .go = go, .seen = tw_discard_write(cg, seen));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        if (held_back)
            TW_PASS(tw_event_complete(first, TW_SUCCESS));
        TW_PASS(tw_queue_wait_and_throw(queue));
        tw_event_release(&first);
        tw_test_fetch(seen, &got);
        TW_EQUAL(got, 1);
    }
    tw_free(go);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&seen));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(mistakes_with_host_tasks_are_errors)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_host_task(cg, NULL, NULL, 0);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_ARGUMENT, "function");
    cg = tw_queue_begin(queue);
    tw_host_task(cg, note, NULL, 8);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_ARGUMENT, "block");
    cg = tw_queue_begin(queue);
    (void)tw_read(cg, x);
    tw_host_task(cg, do_nothing, NULL, 0);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_COMMAND_GROUP, "tw_host_task() has an accessor of its queue's device");
    cg = tw_queue_begin(queue);
    tw_host_task(cg, do_nothing, NULL, 0);
    TW_CHECK(!tw_read(cg, x));
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_COMMAND_GROUP, "tw_host_task() has an accessor of its queue's device");
    cg = tw_queue_begin(queue);
    (void)tw_host_read(cg, x);
    TW_CHECK(!tw_read_part(cg, x, tw_id_1d(0), tw_range_1d(1)));
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_COMMAND_GROUP, "the group has an accessor with the target TW_HOST");
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), step, .x = tw_host_read_write(cg, x), .term = 1);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_COMMAND_GROUP, "kernel step has an accessor with the target TW_HOST");
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), step, .x = tw_read_write(cg, x), .term = 1);
    tw_host_task(cg, do_nothing, NULL, 0);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_COMMAND_GROUP, "tw_host_task");
    cg = tw_queue_begin(queue);
    (void)tw_host_read(cg, x);
    tw_fill(cg, x, &(int){3});
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_COMMAND_GROUP, "tw_fill() has an accessor with the target TW_HOST");
    cg = tw_queue_begin(queue);
    tw_update_host(cg, x);
    (void)tw_read(cg, x);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_COMMAND_GROUP, "an update of the host");
    tw_host_task(NULL, do_nothing, NULL, 0);
    tw_test_expect_ints(x, 1);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(host_tasks_and_kernels_are_ordered_by_data),
                TW_CASE(a_task_that_succeeds_is_not_logged),
                TW_CASE(a_host_task_accesses_a_part),
                TW_CASE(a_host_task_needs_no_accessors),
                TW_CASE(an_in_order_queue_orders_host_tasks),
                TW_CASE(the_failure_of_a_host_task_is_its_commands),
                TW_CASE(a_host_task_may_call_the_library),
                TW_CASE(a_host_task_does_not_wait_for_itself),
                TW_CASE(host_tasks_that_block_hold_nothing_up),
                TW_CASE(a_later_kernel_does_not_hold_a_host_task_up),
                TW_CASE(mistakes_with_host_tasks_are_errors),
                TW_CASES_END};
