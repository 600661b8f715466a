/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/** command_group.h, event.h, queue.h: groups that depend on events, user events, and queues that keep the order. */
#include "step_kernel.h"

#include <teamwork/command_graph.h>
#include <teamwork/task.h>
#include <teamwork/usm.h>

enum { N = 64, MANY = 40 };

/* A step by the address of an int in the memory of the host: a group without an accessor. Not on GPUs and not in
   simulated devices, which have their own memory. */
struct hidden {
    uintptr_t x;
    int term;
};
static inline void hidden(tw_item item, const struct hidden *k)
{
    (void)item;
#if !TW_ON_GPU
    int *x = (int *)k->x;
    const unsigned value = (unsigned)__atomic_load_n(x, __ATOMIC_RELAXED);
    __atomic_store_n(x, (int)(3 * value + (unsigned)k->term), __ATOMIC_RELAXED);
#else
    (void)k;
#endif
}
TW_RANGE_KERNEL(hidden, 1);

static bool can_hide(const tw_queue *queue)
{
    return tw_device_is_host(tw_queue_device(queue)) || tw_device_is_cpu(tw_queue_device(queue));
}

static tw_event *user_event(void)
{
    tw_event *event = NULL;
    TW_PASS(tw_event_create_user(&event));
    TW_CHECK(event != NULL);
    return event;
}

/* A group that shares no buffer with the event's group waits for it, across queues and devices. */
TW_TEST(a_group_waits_for_an_event_of_another_queue)
{
    tw_queue *queues[3];
    tw_test_queues(queues, 3);
    tw_buffer *a = tw_test_ints(N, 1), *b = tw_test_ints(N, 1);
    tw_event *start = user_event();
    tw_event *first = submit_step_after(queues[0], a, 1, &start, 1);
    tw_event *second = submit_step_after(queues[1], b, 2, &first, 1);
    tw_event *third = submit_step_after(queues[2], a, 5, &second, 1);
    tw_event *const all[] = {first, second, third};
    for (size_t i = 0; i < 3; ++i)
        TW_EQUAL(tw_event_get_state(all[i]), TW_EVENT_PENDING);
    TW_PASS(tw_event_complete(start, TW_SUCCESS));
    TW_PASS(tw_event_wait(third));
    tw_event_times times[3];
    for (size_t i = 0; i < 3; ++i) {
        TW_EQUAL(tw_event_get_state(all[i]), TW_EVENT_COMPLETE);
        TW_PASS(tw_event_get_times(all[i], &times[i]));
    }
    TW_CHECK(!times[1].start_ns || times[1].start_ns >= times[0].end_ns);
    TW_CHECK(!times[2].start_ns || times[2].start_ns >= times[1].end_ns);
    TW_EQUAL(value_of(a), 3 * (3 * 1 + 1) + 5);
    TW_EQUAL(value_of(b), 3 * 1 + 2);
    tw_event_release(&start);
    tw_event_release(&first);
    tw_event_release(&second);
    tw_event_release(&third);
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&b));
    tw_test_destroy_queues(queues, 3);
}

/* Each of many events holds a group back; NULL and complete events do not, and one may be given twice. */
TW_TEST(a_group_waits_for_all_of_many_events)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    tw_event *events[MANY];
    for (int i = 0; i < MANY - 3; ++i)
        events[i] = user_event();
    events[MANY - 3] = NULL;
    events[MANY - 2] = submit_step_after(queue, x, 0, NULL, 0);
    TW_PASS(tw_event_wait(events[MANY - 2]));
    events[MANY - 1] = tw_event_retain(events[0]);
    tw_event *last = submit_step_after(queue, x, 1, events, MANY), *list[MANY];
    size_t count = 0;
    TW_PASS(tw_event_get_wait_list(last, list, MANY, &count));
    TW_CHECK(count == MANY - 3 || count == MANY - 2); /* twice the same may be listed once */
    for (size_t i = 0; i < count; ++i)
        tw_event_release(&list[i]);
    for (int i = 0; i < MANY - 3; ++i) {
        TW_EQUAL(tw_event_get_state(last), TW_EVENT_PENDING);
        TW_PASS(tw_event_complete(events[i], TW_SUCCESS));
    }
    TW_PASS(tw_event_wait(last));
    TW_EQUAL(value_of(x), 10);
    for (int i = 0; i < MANY; ++i)
        tw_event_release(&events[i]);
    tw_event_release(&last);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Failure of the event cancels what depends on it, directly or not, before and after it has happened; and nothing
   else. */
TW_TEST(the_failure_of_an_event_cancels_its_dependants)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *a = tw_test_ints(N, 1), *b = tw_test_ints(N, 1), *c = tw_test_ints(N, 1);
    tw_event *start = user_event();
    tw_event *first = submit_step_after(queue, a, 1, &start, 1);
    tw_event *second = submit_step_after(queue, b, 1, &first, 1);
    tw_event *other = submit_step_after(queue, c, 1, NULL, 0);
    TW_PASS(tw_event_complete(start, TW_ERROR_TRANSFER_FAILED));
    tw_event *third = submit_step_after(queue, c, 1, &start, 1);
    TW_FAIL(tw_event_wait(start), TW_ERROR_TRANSFER_FAILED);
    TW_CHECK(strstr(tw_error_detail(), "TW_ERROR_TRANSFER_FAILED") != NULL);
    TW_EQUAL(tw_event_get_state(start), TW_EVENT_FAILED);
    TW_FAIL(tw_event_wait(second), TW_ERROR_CANCELLED);
    TW_CHECK(strstr(tw_error_detail(), "user event") != NULL);
    TW_FAIL(tw_event_wait(first), TW_ERROR_CANCELLED);
    TW_FAIL(tw_event_wait(third), TW_ERROR_CANCELLED);
    TW_PASS(tw_event_wait(other));
    tw_test_expect_lost(a);
    tw_test_expect_lost(b);
    tw_test_expect_lost(c);
    for (int i = 0; i < 3; ++i)
        TW_FAIL(tw_queue_wait(queue), TW_ERROR_CANCELLED);
    TW_PASS(tw_queue_wait(queue));
    tw_event_release(&start);
    tw_event_release(&first);
    tw_event_release(&second);
    tw_event_release(&third);
    tw_event_release(&other);
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&b));
    TW_PASS(tw_buffer_destroy(&c));
    TW_PASS(tw_queue_destroy(&queue));
}

static void record_step(tw_command_group *cg, void *user)
{
    void **arguments = user;
    tw_depends_on(cg, arguments[1]);
    tw_parallel_for(cg, tw_range_1d(N), step, .x = tw_read_write(cg, arguments[0]), .term = 1);
}

/* A group with a fallback waits for the event too, and the event's failure is no reason to run elsewhere. */
TW_TEST(a_group_with_a_fallback_depends_on_events)
{
    tw_queue *queue = tw_test_queue(), *fallback = NULL;
    TW_PASS(tw_queue_create(tw_host_selector, NULL, NULL, NULL, &fallback));
    tw_buffer *x = tw_test_ints(N, 1);
    for (int fails = 0; fails < 2; ++fails) {
        tw_event *start = user_event(), *event = NULL;
        void *arguments[] = {x, start};
        TW_PASS(tw_queue_submit_function(queue, fallback, record_step, arguments, &event));
        TW_EQUAL(tw_event_get_state(event), TW_EVENT_PENDING);
        TW_PASS(tw_event_complete(start, fails ? TW_ERROR_TRANSFER_FAILED : TW_SUCCESS));
        if (fails) {
            TW_FAIL(tw_event_wait(event), TW_ERROR_CANCELLED);
            TW_FAIL(tw_queue_wait(queue), TW_ERROR_CANCELLED);
            tw_test_expect_lost(x);
        } else {
            TW_PASS(tw_event_wait(event));
            TW_EQUAL(value_of(x), 4);
        }
        tw_event_release(&start);
        tw_event_release(&event);
    }
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_queue_destroy(&fallback));
}

/* The group keeps the events itself: the program may release them before it submits the group, or discard the group. */
TW_TEST(a_group_keeps_its_events)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    tw_event *event = submit_step_after(queue, x, 1, NULL, 0);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_depends_on(cg, event);
    tw_event_release(&event);
    tw_parallel_for(cg, tw_range_1d(N), step, .x = tw_read_write(cg, x), .term = 2);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    event = user_event();
    cg = tw_queue_begin(queue);
    for (int i = 0; i < MANY; ++i)
        tw_depends_on(cg, event);
    tw_command_group_discard(cg);
    cg = tw_queue_begin(queue);
    tw_depends_on_all(cg, NULL, 0);
    TW_EQUAL(tw_command_group_status(cg), TW_SUCCESS);
    tw_depends_on(cg, event);
    tw_depends_on_all(cg, NULL, 1);
    TW_EQUAL(tw_command_group_status(cg), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_event_complete(event, TW_SUCCESS));
    tw_event_release(&event);
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(value_of(x), 3 * 4 + 2);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Neither on a group that was submitted, nor the other way round, nor on one of another recording. */
TW_TEST(a_recorded_group_depends_on_no_other_event)
{
    tw_queue *queue = tw_test_queue(), *other = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    tw_event *event = submit_step_after(queue, x, 1, NULL, 0), *recorded = NULL;
    for (int round = 0; round < 2; ++round) {
        TW_PASS(tw_queue_begin_recording(queue));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_depends_on(cg, round ? recorded : event);
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_COMMAND_GROUP);
        tw_event_release(&recorded);
        TW_PASS(tw_queue_submit(queue, step_group(queue, x, 2), &recorded));
        TW_PASS(tw_queue_end_recording(queue, NULL));
        cg = tw_queue_begin(other);
        tw_depends_on(cg, recorded);
        TW_FAIL(tw_queue_submit(other, cg, NULL), TW_ERROR_INVALID_COMMAND_GROUP);
    }
    tw_event_release(&event);
    tw_event_release(&recorded);
    TW_EQUAL(value_of(x), 4);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_queue_destroy(&other));
}

static tw_status do_nothing(const void *block)
{
    (void)block;
    return TW_SUCCESS;
}

/* Submits x = 3 x + term for `count` elements from `first` on, without an accessor, after events. Returns its event. */
static tw_event *submit_raw_after(tw_queue *queue, unsigned *x, size_t count, int term, tw_event *const *events,
                                  size_t event_count)
{
    tw_event *event = NULL;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_depends_on_all(cg, events, event_count);
    tw_parallel_for(cg, tw_range_1d(count), step, .x = x, .term = (unsigned)term);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    return event;
}

/* Records MANY steps in a row on two queues, two beside each other, a group without a kernel that joins these, and a last
   step. Returns what x is then. */
static unsigned record_edges(tw_queue *const *queues, unsigned *x, bool has_task)
{
    tw_event *last = NULL, *both[2];
    unsigned expected = 0;
    tw_command_group *cg = tw_queue_begin(queues[0]);
    tw_memset(cg, x, 0, N * sizeof *x);
    TW_PASS(tw_queue_submit(queues[0], cg, &last));
    for (int i = 0; i < MANY; ++i) {
        tw_event *const twice[] = {last, last};
        tw_event *next = submit_raw_after(queues[i % 2], x, N, i, twice, 2);
        tw_event_release(&last);
        last = next;
        expected = 3 * expected + (unsigned)i;
    }
    for (int i = 0; i < 2; ++i)
        both[i] = submit_raw_after(queues[i], x + (size_t)i * (N / 2), N / 2, 5, &last, 1);
    tw_event_release(&last);
    cg = tw_queue_begin(queues[1]);
    tw_depends_on_all(cg, both, 2);
    if (has_task)
        tw_host_task(cg, do_nothing, NULL, 0);
    TW_PASS(tw_queue_submit(queues[1], cg, &last));
    tw_event *end = submit_raw_after(queues[0], x, N, 7, &last, 1);
    tw_event_release(&end);
    tw_event_release(&last);
    for (int i = 0; i < 2; ++i)
        tw_event_release(&both[i]);
    return 3 * (3 * expected + 5) + 7;
}

/* Groups that no accessor orders, with kernels on unified shared memory, come one after the other by the events of recorded
   ones. With a host task each group is submitted by itself. */
TW_TEST(recorded_groups_depend_on_each_other)
{
    for (int has_task = 0; has_task < 2; ++has_task) {
        tw_queue *queues[2] = {tw_test_queue(), NULL};
        TW_PASS(tw_queue_create_on_device(tw_queue_device(queues[0]), NULL, NULL, &queues[1]));
        tw_command_graph *graph = NULL;
        unsigned values[N], *x = (unsigned *)tw_malloc_device(tw_queue_device(queues[0]), sizeof values);
        TW_CHECK(x != NULL);
        TW_PASS(tw_queue_begin_recording(queues[0]));
        TW_PASS(tw_queue_join_recording(queues[1], queues[0]));
        const unsigned expected = record_edges(queues, x, has_task);
        TW_PASS(tw_queue_end_recording(queues[0], &graph));
        for (int turn = 0; turn < 3; ++turn)
            TW_PASS(tw_queue_submit_graph(queues[0], graph, NULL));
        TW_PASS(tw_queue_wait(queues[0]));
        TW_COMMAND_GROUP(queues[0], copy) {
            tw_memcpy(copy, values, x, sizeof values);
        }
        TW_PASS(tw_queue_wait(queues[0]));
        for (size_t i = 0; i < N; ++i)
            TW_EQUAL(values[i], expected);
        tw_command_graph_destroy(&graph);
        tw_free(x);
        for (int i = 0; i < 2; ++i)
            TW_PASS(tw_queue_destroy(&queues[i]));
    }
}

static tw_status fail_once(const void *block)
{
    bool *fails = *(bool *const *)block;
    const bool failed = *fails;
    *fails = false;
    return failed ? tw_task_fail(TW_ERROR_TRANSFER_FAILED, "once") : TW_SUCCESS;
}

/* What depends on a recorded host task that fails is not run; the next submission is. */
TW_TEST(a_failed_node_cancels_what_depends_on_it)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 1);
    tw_event *task = NULL, *done = NULL;
    tw_command_graph *graph = NULL;
    bool fails = true, *block = &fails;
    TW_PASS(tw_queue_begin_recording(queue));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_host_task(cg, fail_once, &block, sizeof block);
    TW_PASS(tw_queue_submit(queue, cg, &task));
    cg = step_group(queue, x, 1);
    tw_depends_on(cg, task);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    submit_step(queue, y, 1);
    tw_event_release(&task);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_PASS(tw_queue_submit_graph(queue, graph, &done));
    TW_FAIL(tw_event_wait(done), TW_ERROR_TRANSFER_FAILED);
    tw_event_release(&done);
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_TRANSFER_FAILED);
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_CANCELLED);
    tw_test_expect_lost(x);
    TW_EQUAL(value_of(y), 4);
    tw_test_store(x, (int[N]){0});
    TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(value_of(x), 1);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_queue_destroy(&queue));
}

/* A part knows no group before it, and what is behind it knows none of it: the part is one group. */
TW_TEST(parts_have_no_events)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1), *run = tw_test_int(1);
    tw_event *event = NULL;
    for (int inside = 0; inside < 2; ++inside) {
        TW_PASS(tw_queue_begin_recording(queue));
        if (!inside)
            TW_PASS(tw_queue_submit(queue, step_group(queue, x, 2), &event));
        TW_PASS(tw_queue_begin_if(queue, run, 0));
        if (inside) {
            TW_PASS(tw_queue_submit(queue, step_group(queue, x, 2), &event));
            TW_PASS(tw_queue_end_if(queue));
        }
        tw_command_group *cg = step_group(queue, x, 1);
        tw_depends_on(cg, event);
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_COMMAND_GROUP);
        tw_event_release(&event);
        if (!inside)
            TW_PASS(tw_queue_end_if(queue));
        TW_PASS(tw_queue_end_recording(queue, NULL));
    }
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&run));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- user events ------------------------------------------------------------------------------------------------- */

static void *complete_later(void *event)
{
    TW_PASS(tw_event_complete(event, TW_SUCCESS));
    return NULL;
}

/* The program's thread waits for the event, directly and by a queue, while another one completes it. */
TW_TEST(a_user_event_is_completed_by_any_thread)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    for (int form = 0; form < 4; ++form) {
        pthread_t thread;
        tw_event *event = user_event(), *after = submit_step_after(queue, x, 1, &event, 1);
        TW_EQUAL(tw_event_get_state(event), TW_EVENT_PENDING);
        TW_EQUAL(tw_event_get_status(event), TW_SUCCESS);
        TW_CHECK(pthread_create(&thread, NULL, complete_later, event) == 0);
        TW_PASS(form == 0   ? tw_event_wait(event)
                : form == 1 ? tw_event_wait_and_throw(event)
                : form == 2 ? tw_queue_wait(queue)
                            : tw_event_wait_and_throw_all(&after, 1));
        TW_CHECK(pthread_join(thread, NULL) == 0);
        TW_EQUAL(tw_event_get_state(event), TW_EVENT_COMPLETE);
        tw_event_times times;
        TW_PASS(tw_event_get_times(event, &times));
        TW_CHECK(times.submit_ns && times.complete_ns >= times.submit_ns && !times.start_ns);
        tw_event_release(&event);
        tw_event_release(&after);
    }
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(value_of(x), 121);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(mistakes_with_user_events_are_errors)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    tw_event *event = user_event(), *of_group = submit_step_after(queue, x, 1, NULL, 0);
    TW_FAIL(tw_event_create_user(NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_event_complete(NULL, TW_SUCCESS), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_event_complete(of_group, TW_SUCCESS), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_event_complete(event, TW_STATUS_COUNT), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_event_complete(event, TW_SUCCESS));
    TW_FAIL(tw_event_complete(event, TW_SUCCESS), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "complete already") != NULL);
    tw_event_release(&event);
    tw_event_release(&of_group);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* tw_shutdown() tells of an event that was never completed. */
TW_TEST(a_forgotten_user_event_is_told)
{
    tw_event *event = user_event();
    TW_FAIL(tw_shutdown(), TW_ERROR_BUSY);
    TW_CHECK(strstr(tw_error_detail(), "1 user event that was never completed") != NULL);
    TW_PASS(tw_event_complete(event, TW_SUCCESS));
    TW_PASS(tw_shutdown());
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_COMPLETE); /* it outlives that */
    tw_event_release(&event);
}

/* Nobody can complete an event to which there is no reference. An open group has one. */
TW_TEST(an_event_that_was_given_up_cancels_its_dependants)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *a = tw_test_ints(N, 1), *b = tw_test_ints(N, 1);
    tw_event *event = user_event(), *start = tw_event_of_start(event);
    tw_event *after = submit_step_after(queue, a, 1, &event, 1);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_depends_on(cg, event);
    tw_parallel_for(cg, tw_range_1d(N), step, .x = tw_read_write(cg, b), .term = 2);
    tw_event_release(&event);
    tw_event_release(&start);
    TW_EQUAL(tw_event_get_state(after), TW_EVENT_PENDING);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_FAIL(tw_event_wait(after), TW_ERROR_CANCELLED);
    TW_CHECK(strstr(tw_error_detail(), "last reference") != NULL);
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_CANCELLED);
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_CANCELLED);
    tw_test_expect_lost(a);
    tw_test_expect_lost(b);
    tw_event_release(&after);
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&b));
    TW_PASS(tw_queue_destroy(&queue));
}

enum { THREADS = 4, ROUNDS = 100 };

struct pair {
    tw_queue *queue;
    tw_buffer *x;
    tw_event *go[ROUNDS];
};

static void *submit_rounds(void *context)
{
    struct pair *pair = context;
    for (int i = 0; i < ROUNDS; ++i) {
        tw_event *event = submit_step_after(pair->queue, pair->x, i, &pair->go[i], 1);
        if (i % 7 == 0)
            TW_PASS(tw_event_wait(event));
        tw_event_release(&event);
    }
    return NULL;
}

static void *complete_rounds(void *context)
{
    struct pair *pair = context;
    for (int i = 0; i < ROUNDS; ++i)
        TW_PASS(tw_event_complete(pair->go[i], TW_SUCCESS));
    return NULL;
}

/* Completions and submissions at the same time: before, after and during each other. */
TW_TEST(events_are_completed_while_groups_are_submitted)
{
    struct pair pairs[THREADS];
    pthread_t threads[2 * THREADS];
    int value = 1;
    for (int i = 0; i < ROUNDS; ++i)
        value = (int)(3u * (unsigned)value + (unsigned)i);
    tw_queue *queues[THREADS];
    tw_test_queues(queues, THREADS);
    for (int t = 0; t < THREADS; ++t) {
        pairs[t] = (struct pair){.queue = queues[t], .x = tw_test_ints(N, 1)};
        for (int i = 0; i < ROUNDS; ++i)
            pairs[t].go[i] = user_event();
    }
    for (int t = 0; t < THREADS; ++t) {
        TW_CHECK(pthread_create(&threads[2 * t], NULL, submit_rounds, &pairs[t]) == 0);
        TW_CHECK(pthread_create(&threads[2 * t + 1], NULL, complete_rounds, &pairs[t]) == 0);
    }
    for (int t = 0; t < 2 * THREADS; ++t)
        TW_CHECK(pthread_join(threads[t], NULL) == 0);
    for (int t = 0; t < THREADS; ++t) {
        TW_PASS(tw_queue_wait(queues[t]));
        TW_EQUAL(value_of(pairs[t].x), value);
        for (int i = 0; i < ROUNDS; ++i)
            tw_event_release(&pairs[t].go[i]);
        TW_PASS(tw_buffer_destroy(&pairs[t].x));
    }
    tw_test_destroy_queues(queues, THREADS);
}

/* ---- queues that keep the order ---------------------------------------------------------------------------------- */

static tw_queue *in_order_queue(void)
{
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create_with_properties(NULL, NULL, TW_QUEUE_IN_ORDER, NULL, NULL, &queue));
    TW_CHECK(tw_queue_is_in_order(queue));
    TW_CHECK(!tw_queue_is_profiling(queue));
    return queue;
}

/* Submits a group of its own buffer, and where that is possible of a hidden int. */
static tw_event *submit_in_order(tw_queue *queue, tw_buffer *x, int *hidden_x, int term)
{
    tw_event *event = NULL;
    tw_command_group *cg = tw_queue_begin(queue);
    if (can_hide(queue))
        tw_parallel_for(cg, tw_range_1d(1), hidden, .x = (uintptr_t)hidden_x, .term = term);
    else
        tw_parallel_for(cg, tw_range_1d(N), step, .x = tw_read_write(cg, x), .term = term);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    return event;
}

/* Groups without an access in common run one after the other, and none while the first is held back. */
TW_TEST(a_queue_keeps_the_order)
{
    tw_queue *queue = in_order_queue();
    tw_buffer *buffers[MANY];
    tw_event *events[MANY], *start = user_event();
    int x = 1, expected = 1;
    for (int i = 0; i < MANY; ++i)
        buffers[i] = tw_test_ints(N, 1);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_depends_on(cg, start);
    TW_PASS(tw_queue_submit(queue, cg, NULL)); /* without a kernel */
    for (int i = 0; i < MANY; ++i) {
        events[i] = submit_in_order(queue, buffers[i], &x, i);
        expected = (int)(3u * (unsigned)expected + (unsigned)i);
    }
    for (int i = 0; i < MANY; ++i)
        TW_EQUAL(tw_event_get_state(events[i]), TW_EVENT_PENDING);
    tw_event *before[2];
    size_t count = 0;
    TW_PASS(tw_event_get_wait_list(events[1], before, 2, &count));
    TW_EQUAL(count, 1);
    TW_CHECK(before[0] == events[0]);
    tw_event_release(&before[0]);
    TW_PASS(tw_event_complete(start, TW_SUCCESS));
    TW_PASS(tw_event_wait(events[MANY - 1]));
    uint64_t end = 0;
    for (int i = 0; i < MANY; ++i) {
        tw_event_times times;
        TW_EQUAL(tw_event_get_state(events[i]), TW_EVENT_COMPLETE);
        TW_PASS(tw_event_get_times(events[i], &times));
        TW_CHECK(!times.start_ns || times.start_ns >= end);
        end = times.end_ns;
        tw_event_release(&events[i]);
        if (!can_hide(queue))
            TW_EQUAL(value_of(buffers[i]), 3 + i);
        TW_PASS(tw_buffer_destroy(&buffers[i]));
    }
    if (can_hide(queue))
        TW_EQUAL(x, expected);
    tw_event_release(&start);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Order alone: what does not need the data of a failed group runs. */
TW_TEST(a_failure_leaves_the_queue_going)
{
    tw_queue *queue = in_order_queue();
    tw_buffer *a = tw_test_ints(N, 1), *b = tw_test_ints(N, 1);
    tw_event *start = user_event();
    tw_event *first = submit_step_after(queue, a, 1, &start, 1), *second = submit_step_after(queue, b, 2, NULL, 0);
    TW_PASS(tw_event_complete(start, TW_ERROR_TRANSFER_FAILED));
    TW_PASS(tw_event_wait(second));
    TW_FAIL(tw_event_wait(first), TW_ERROR_CANCELLED);
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_CANCELLED);
    TW_EQUAL(value_of(b), 5);
    tw_event_release(&start);
    tw_event_release(&first);
    tw_event_release(&second);
    tw_test_expect_lost(a);
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&b));
    TW_PASS(tw_queue_destroy(&queue));
}

/* A graph recorded in such a queue keeps the order within, and its submissions keep it among the queue's groups. */
TW_TEST(a_recorded_graph_keeps_the_order)
{
    tw_queue *queue = in_order_queue();
    tw_buffer *buffers[MANY];
    tw_command_graph *graph = NULL;
    int x = 1, expected = 1;
    TW_PASS(tw_queue_begin_recording(queue));
    for (int i = 0; i < MANY; ++i) {
        buffers[i] = tw_test_ints(N, 1);
        tw_command_group *cg = tw_queue_begin(queue);
        if (can_hide(queue))
            tw_parallel_for(cg, tw_range_1d(1), hidden, .x = (uintptr_t)&x, .term = i);
        else
            tw_parallel_for(cg, tw_range_1d(N), step, .x = tw_read_write(cg, buffers[i]), .term = i);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_EQUAL(tw_command_graph_count(graph), MANY);
    for (int repeat = 0; repeat < 2; ++repeat) {
        tw_event *event = submit_in_order(queue, buffers[0], &x, 7);
        tw_event_release(&event);
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        expected = (int)(3u * (unsigned)expected + 7u);
        for (int i = 0; i < MANY; ++i)
            expected = (int)(3u * (unsigned)expected + (unsigned)i);
    }
    TW_PASS(tw_queue_wait(queue));
    if (can_hide(queue))
        TW_EQUAL(x, expected);
    else
        TW_EQUAL(value_of(buffers[2]), 3 * (3 + 2) + 2);
    tw_command_graph_destroy(&graph);
    for (int i = 0; i < MANY; ++i)
        TW_PASS(tw_buffer_destroy(&buffers[i]));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(properties_are_checked)
{
    tw_queue *queue = NULL;
    tw_context *context = NULL;
    tw_device *device = tw_test_device(0);
    TW_PASS(tw_context_create(&device, 1, NULL, NULL, &context));
    TW_FAIL(tw_queue_create_with_properties(NULL, NULL, 0, NULL, NULL, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_create_with_properties(NULL, NULL, 1024, NULL, NULL, &queue), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(!queue && !tw_queue_is_in_order(NULL));
    TW_PASS(tw_queue_create_with_properties(context, NULL, TW_QUEUE_IN_ORDER | TW_QUEUE_PROFILING, NULL, NULL, &queue));
    TW_CHECK(tw_queue_is_in_order(queue) && tw_queue_is_profiling(queue));
    TW_CHECK(tw_queue_context(queue) == context && tw_queue_device(queue) == device);
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_queue_create_with_properties(NULL, device, 0, NULL, NULL, &queue));
    TW_CHECK(!tw_queue_is_in_order(queue) && tw_queue_device(queue) == device);
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_context_destroy(&context));
}

/* Queues of all priorities keep the order of accesses, in order or not. test_sub_device.c sees which goes first. */
TW_TEST(priorities_change_no_result)
{
    static const unsigned priorities[] = {TW_QUEUE_PRIORITY_LOW, 0, TW_QUEUE_PRIORITY_HIGH};
    tw_device *device = tw_test_device(0);
    tw_queue *queues[6], *none = NULL;
    unsigned properties = 0, expected = 1;
    for (int i = 0; i < 6; ++i) {
        const unsigned wanted = priorities[i % 3] | (i < 3 ? 0 : TW_QUEUE_IN_ORDER);
        TW_PASS(tw_queue_create_with_properties(NULL, device, wanted, NULL, NULL, &queues[i]));
        TW_PASS(tw_queue_info(queues[i], TW_QUEUE_INFO_PROPERTIES, &properties, sizeof properties));
        TW_EQUAL(properties, wanted);
    }
    TW_FAIL(tw_queue_create_with_properties(NULL, device, TW_QUEUE_PRIORITY_LOW | TW_QUEUE_PRIORITY_HIGH, NULL, NULL,
                                            &none),
            TW_ERROR_INVALID_ARGUMENT);
    tw_buffer *x = tw_test_ints(N, 1);
    for (int i = 0; i < 60; ++i) {
        tw_event *event = submit_step_after(queues[i % 6], x, i, NULL, 0);
        tw_event_release(&event);
        expected = 3 * expected + (unsigned)i;
    }
    tw_test_expect_ints(x, (int)expected);
    tw_test_destroy_queues(queues, 6);
    TW_PASS(tw_buffer_destroy(&x));
}

TW_TEST_LIST = {TW_CASE(a_group_waits_for_an_event_of_another_queue),
                TW_CASE(a_group_waits_for_all_of_many_events),
                TW_CASE(the_failure_of_an_event_cancels_its_dependants),
                TW_CASE(a_group_with_a_fallback_depends_on_events),
                TW_CASE(a_group_keeps_its_events),
                TW_CASE(a_recorded_group_depends_on_no_other_event),
                TW_CASE(recorded_groups_depend_on_each_other),
                TW_CASE(a_failed_node_cancels_what_depends_on_it),
                TW_CASE(parts_have_no_events),
                TW_CASE(a_user_event_is_completed_by_any_thread),
                TW_CASE(mistakes_with_user_events_are_errors),
                TW_CASE(a_forgotten_user_event_is_told),
                TW_CASE(an_event_that_was_given_up_cancels_its_dependants),
                TW_CASE(events_are_completed_while_groups_are_submitted),
                TW_CASE(a_queue_keeps_the_order),
                TW_CASE(a_failure_leaves_the_queue_going),
                TW_CASE(a_recorded_graph_keeps_the_order),
                TW_CASE(properties_are_checked),
                TW_CASE(priorities_change_no_result),
                TW_CASES_END};
