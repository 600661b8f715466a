/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/*
 * Who runs what, where it once went wrong: tasks that a waiting thread made ready and did not look after, queues that
 * share a device, start events, errors under a refusal, details under success, shutdown beside other calls.
 */
#include "held_test.h"

struct add {
    int *to;
    const int *from;
};
static inline void add(const struct add *k)
{
    k->to[0] += k->from ? k->from[0] : 1;
}
TW_SINGLE_TASK(add);

struct spin {
    int *to;
    unsigned turns;
};
static inline void spin(tw_item item, const struct spin *k)
{
    volatile unsigned turns = 0;
    while (turns < k->turns)
        turns = turns + 1;
    k->to[tw_global_id(item, 0)] += 1;
}
TW_RANGE_KERNEL(spin, 1);

static void pause_ms(long ms)
{
    const struct timespec rest = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&rest, NULL);
}

/* Waits for an event without running anything. If nobody runs what comes before it, the watchdog says so. */
static void see_complete(tw_event *event)
{
    while (tw_event_get_state(event) != TW_EVENT_COMPLETE)
        pause_ms(1);
}

static void submit_add(tw_queue *queue, tw_buffer *to, tw_buffer *from, tw_event **event)
{
    tw_command_group *cg = tw_queue_begin(queue);
    const int *read = from ? tw_read(cg, from) : TW_NULL;
    tw_single_task(cg, add, .to = tw_read_write(cg, to), .from = read);
    TW_PASS(tw_queue_submit(queue, cg, event));
}

struct watch {
    struct tw_gate *gate;
    tw_event *event;
};

/* Opens a gate once an event is complete. */
static void *open_after(void *context)
{
    struct watch *watch = context;
    see_complete(watch->event);
    tw_gate_open(watch->gate);
    return NULL;
}

/* The thread that waits for `last` runs b twice, which makes `side` ready in the same queue; then its own way leads to
   the gate. `side` must not be left to it. */
TW_TEST(what_a_waiting_thread_made_ready_is_run_while_it_waits_elsewhere)
{
    tw_queue *one = tw_test_queue(), *two = NULL;
    TW_PASS(tw_queue_create_on_device(tw_queue_device(one), NULL, NULL, &two));
    struct tw_gate gate;
    tw_gate_shut(&gate);
    tw_buffer *b = tw_test_int(0), *c = tw_test_int(0), *d = tw_test_int(0);
    tw_event *side = NULL, *last = NULL;
    pthread_t thread;
    submit_add(one, b, NULL, NULL);
    submit_add(one, b, NULL, NULL);
    submit_add(one, c, b, &side);
    tw_command_group *cg = tw_queue_begin(two);
    const int *read = tw_read(cg, b);
    tw_read(cg, gate.buffer);
    tw_single_task(cg, add, .to = tw_read_write(cg, d), .from = read);
    TW_PASS(tw_queue_submit(two, cg, &last));
    struct watch watch = {&gate, side};
    TW_CHECK(pthread_create(&thread, NULL, open_after, &watch) == 0);
    TW_PASS(tw_event_wait(last));
    TW_CHECK(pthread_join(thread, NULL) == 0);
    tw_event_release(&side);
    tw_event_release(&last);
    tw_gate_free(&gate);
    TW_PASS(tw_buffer_destroy(&b));
    TW_PASS(tw_buffer_destroy(&c));
    TW_PASS(tw_buffer_destroy(&d));
    TW_PASS(tw_queue_destroy(&one));
    TW_PASS(tw_queue_destroy(&two));
}

static void submit_spin(tw_queue *queue, tw_buffer *buffer, unsigned turns, tw_event **event)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(1), spin, .to = tw_read_write(cg, buffer), .turns = turns);
    TW_PASS(tw_queue_submit(queue, cg, event));
}

struct backlog {
    tw_queue *queue;
    tw_event *last, *other;
};

static void *wait_for_other(void *context)
{
    struct backlog *backlog = context;
    TW_PASS(tw_event_wait(backlog->other));
    return NULL;
}

static void *wait_for_backlog(void *context)
{
    struct backlog *backlog = context;
    TW_PASS(tw_queue_wait(backlog->queue));
    return NULL;
}

static uint64_t end_ns(const tw_event *event)
{
    tw_event_times times;
    TW_PASS(tw_event_get_times(event, &times));
    TW_CHECK(times.end_ns);
    return times.end_ns;
}

/* A queue with one kernel beside one with a long backlog, which one of the two is waited for: the kernel is not last. The
   times tell, since this thread may be held up for longer than the backlog takes. */
static void beside_a_backlog(bool other_is_waited_for)
{
    enum { LENGTH = 400 };
    tw_queue *busy = tw_test_queue(), *other = NULL;
    TW_PASS(tw_queue_create_on_device(tw_queue_device(busy), NULL, NULL, &other));
    tw_buffer *a = tw_test_int(0), *b = tw_test_int(0);
    struct backlog backlog = {.queue = busy};
    pthread_t thread;
    TW_PASS(tw_queue_set_profiling(busy, true));
    TW_PASS(tw_queue_set_profiling(other, true));
    const unsigned turns = tw_device_is_gpu(tw_queue_device(busy)) ? 1000 : 500000; /* a fraction of a millisecond */
    for (int i = 0; i < LENGTH; ++i)
        submit_spin(busy, a, turns, i == LENGTH - 1 ? &backlog.last : NULL);
    submit_spin(other, b, 1, &backlog.other);
    if (other_is_waited_for) {
        TW_CHECK(pthread_create(&thread, NULL, wait_for_other, &backlog) == 0);
        TW_PASS(tw_queue_wait(busy));
    } else {
        TW_CHECK(pthread_create(&thread, NULL, wait_for_backlog, &backlog) == 0);
        see_complete(backlog.other);
    }
    TW_CHECK(pthread_join(thread, NULL) == 0);
    TW_PASS(tw_queue_wait(busy));
    TW_CHECK(end_ns(backlog.other) < end_ns(backlog.last));
    tw_event_release(&backlog.last);
    tw_event_release(&backlog.other);
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&b));
    TW_PASS(tw_queue_destroy(&busy));
    TW_PASS(tw_queue_destroy(&other));
}

TW_TEST(a_queue_that_is_waited_for_is_not_behind_anothers_backlog)
{
    beside_a_backlog(true);
}

TW_TEST(a_queue_that_nobody_waits_for_is_not_behind_anothers_backlog)
{
    beside_a_backlog(false);
}

/* The wait is over when the kernel starts: it is not run by the thread that waits. */
TW_TEST(a_start_event_is_over_before_its_kernel)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 0);
    tw_event *event = NULL;
    atomic_int open = 0;
    bring(queue, buffer);
    submit(queue, buffer, 1, 1, &open, &event);
    tw_event *start = tw_event_of_start(event);
    TW_PASS(tw_event_wait(start));
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_RUNNING);
    atomic_store(&open, 1);
    TW_PASS(tw_event_wait(event));
    tw_event_release(&start);
    tw_event_release(&event);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_context_that_refuses_destruction_keeps_its_errors)
{
    tw_test_use_sim(1);
    tw_device *device = tw_test_device(0);
    tw_context *context = NULL;
    tw_queue *first = NULL, *second = NULL;
    TW_PASS(tw_context_create(&device, 1, NULL, NULL, &context));
    TW_PASS(tw_queue_create_in_context(context, NULL, NULL, NULL, &second));
    TW_PASS(tw_queue_create_in_context(context, NULL, NULL, NULL, &first));
    tw_buffer *a = tw_test_int(0), *held = tw_test_int(0);
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_LAUNCH, 1));
    submit_add(first, a, NULL, NULL);
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_host_access(held, TW_READ, &accessor));
    submit_add(second, held, NULL, NULL);
    TW_FAIL(tw_context_destroy(&context), TW_ERROR_WOULD_DEADLOCK);
    tw_host_accessor_release(&accessor);
    TW_FAIL(tw_queue_wait(first), TW_ERROR_LAUNCH_FAILED);
    TW_PASS(tw_context_destroy(&context));
    TW_PASS(tw_queue_destroy(&first));
    TW_PASS(tw_queue_destroy(&second));
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&held));
}

static void ignore(const tw_error *errors, size_t count, void *user)
{
    (void)errors;
    *(size_t *)user += count;
}

/* Who runs a failing task must not show in the detail of a call that succeeds. */
TW_TEST(a_successful_wait_leaves_the_detail)
{
    tw_test_use_sim(1);
    size_t told = 0;
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create(NULL, NULL, ignore, &told, &queue));
    for (int i = 0; i < 20; ++i) {
        tw_buffer *buffer = tw_test_int(0);
        TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_LAUNCH, 1));
        TW_FAIL(tw_buffer_create(0, tw_range_1d(1), &buffer), TW_ERROR_INVALID_ARGUMENT);
        char before[256];
        snprintf(before, sizeof before, "%s", tw_error_detail());
        submit_add(queue, buffer, NULL, NULL);
        TW_PASS(tw_queue_wait(queue));
        TW_CHECK(strcmp(before, tw_error_detail()) == 0);
        TW_PASS(tw_buffer_destroy(&buffer));
    }
    TW_PASS(tw_queue_destroy(&queue));
    TW_EQUAL(told, 20);
}

static atomic_bool enough;

static void *come_and_go(void *unused)
{
    while (!atomic_load(&enough)) {
        tw_queue *queue = tw_test_queue();
        tw_buffer *buffer = tw_test_int(1);
        submit_add(queue, buffer, NULL, NULL);
        int value = 0;
        tw_test_fetch(buffer, &value);
        TW_EQUAL(value, 2);
        TW_PASS(tw_queue_destroy(&queue));
        TW_PASS(tw_buffer_destroy(&buffer));
    }
    return unused;
}

TW_TEST(shutdown_beside_calls_that_make_objects)
{
    tw_test_use_sim(1);
    pthread_t threads[2];
    atomic_store(&enough, false);
    for (int i = 0; i < 2; ++i)
        TW_CHECK(pthread_create(&threads[i], NULL, come_and_go, NULL) == 0);
    for (int i = 0; i < 100; ++i) {
        const tw_status status = tw_shutdown();
        TW_CHECK(status == TW_SUCCESS || status == TW_ERROR_BUSY);
        pause_ms(2);
    }
    atomic_store(&enough, true);
    for (int i = 0; i < 2; ++i)
        TW_CHECK(pthread_join(threads[i], NULL) == 0);
}

static int shuts_down(const tw_device *device, void *status)
{
    *(tw_status *)status = tw_shutdown();
    return tw_default_selector(device, NULL);
}

TW_TEST(shutdown_from_a_selector_is_refused)
{
    tw_status status = TW_SUCCESS;
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create(shuts_down, &status, NULL, NULL, &queue));
    TW_EQUAL(status, TW_ERROR_BUSY);
    TW_PASS(tw_queue_destroy(&queue));
}

/* The block form uses the queue that it was begun for, and evaluates it once. */
TW_TEST(the_block_form_evaluates_its_queue_once)
{
    tw_queue *queues[2] = {tw_test_queue(), tw_test_queue()};
    tw_buffer *buffer = tw_test_int(5);
    int next = 0, value = 0;
    TW_COMMAND_GROUP(queues[next++ % 2], cg) {
        tw_single_task(cg, add, .to = tw_read_write(cg, buffer), .from = TW_NULL);
    }
    TW_EQUAL(next, 1);
    TW_PASS(tw_queue_wait(queues[0]));
    TW_PASS(tw_queue_wait(queues[1]));
    tw_test_fetch(buffer, &value);
    TW_EQUAL(value, 6);
    TW_PASS(tw_buffer_destroy(&buffer));
    tw_test_destroy_queues(queues, 2);
}

typedef float vector16 __attribute__((vector_size(64)));
struct aligned {
    int *out;
    vector16 padding[5]; /* more than fits kernel arguments */
};
static inline void aligned(const struct aligned *k)
{
    k->out[0] = (int)((size_t)(const void *)k % 64) + (int)k->padding[4][15];
}
TW_SINGLE_TASK(aligned);

TW_TEST(large_blocks_are_aligned_for_vectors)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_int(-1);
    int value = -1;
    struct aligned block;
    memset(&block, 0, sizeof block);
    block.padding[4][15] = 7;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(
        cg, aligned, .out = tw_discard_write(cg, buffer),
        .padding = {block.padding[0], block.padding[1], block.padding[2], block.padding[3], block.padding[4]});
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_fetch(buffer, &value);
    TW_EQUAL(value, 7);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- threads that wait for each other's queues ------------------------------------------------------------------- */

enum { CROWD = 4, CROWD_QUEUES = 3, CROWD_BUFFERS = 3, CROWD_ROUNDS = 400 };

struct crowd {
    tw_queue *queues[CROWD_QUEUES];
    tw_buffer *buffers[CROWD_BUFFERS];
    atomic_int added[CROWD_BUFFERS];
};

struct member {
    struct crowd *crowd;
    uint64_t random;
};

static unsigned choose(struct member *member, unsigned count)
{
    member->random ^= member->random << 13;
    member->random ^= member->random >> 7;
    member->random ^= member->random << 17;
    return (unsigned)(member->random >> 20) % count;
}

/* Waits in one of the ways that there are. */
static void wait_for_any(struct member *member, tw_event *event)
{
    struct crowd *crowd = member->crowd;
    tw_host_accessor *accessor = NULL;
    tw_event *start = tw_event_of_start(event);
    switch (choose(member, 16)) {
    case 0:
        TW_PASS(tw_queue_wait(crowd->queues[choose(member, CROWD_QUEUES)]));
        break;
    case 1:
        TW_PASS(tw_event_wait(event));
        break;
    case 2:
        TW_PASS(tw_event_wait(start));
        break;
    case 3:
        TW_PASS(tw_host_access(crowd->buffers[choose(member, CROWD_BUFFERS)], TW_READ, &accessor));
        tw_host_accessor_release(&accessor);
        break;
    default:
        break;
    }
    tw_event_release(&start);
}

static void *submit_and_wait(void *context)
{
    struct member *member = context;
    struct crowd *crowd = member->crowd;
    for (int i = 0; i < CROWD_ROUNDS; ++i) {
        const unsigned to = choose(member, CROWD_BUFFERS), from = choose(member, CROWD_BUFFERS);
        tw_queue *queue = crowd->queues[choose(member, CROWD_QUEUES)];
        tw_event *event = NULL;
        tw_command_group *cg = tw_queue_begin(queue);
        tw_read(cg, crowd->buffers[from]);
        if (choose(member, 2))
            tw_single_task(cg, add, .to = tw_read_write(cg, crowd->buffers[to]), .from = TW_NULL);
        else
            tw_parallel_for(cg, tw_range_1d(1), spin, .to = tw_read_write(cg, crowd->buffers[to]), .turns = 1);
        TW_PASS(tw_queue_submit(queue, cg, choose(member, 2) ? &event : NULL));
        atomic_fetch_add(&crowd->added[to], 1);
        wait_for_any(member, event);
        tw_event_release(&event);
    }
    return NULL;
}

/* Each way of waiting ends, whoever runs what it waits for, and all groups are ordered. */
TW_TEST(threads_that_wait_for_each_others_queues_are_all_told)
{
    struct crowd crowd = {0};
    struct member members[CROWD];
    pthread_t threads[CROWD];
    tw_test_queues(crowd.queues, CROWD_QUEUES);
    for (int i = 0; i < CROWD_BUFFERS; ++i)
        crowd.buffers[i] = tw_test_int(0);
    for (unsigned i = 0; i < CROWD; ++i) {
        members[i] = (struct member){&crowd, 0x9e3779b97f4a7c15u * (i + 1)};
        TW_CHECK(pthread_create(&threads[i], NULL, submit_and_wait, &members[i]) == 0);
    }
    for (unsigned i = 0; i < CROWD; ++i)
        TW_CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < CROWD_BUFFERS; ++i) {
        int value = 0;
        tw_test_fetch(crowd.buffers[i], &value);
        TW_EQUAL(value, atomic_load(&crowd.added[i]));
        TW_PASS(tw_buffer_destroy(&crowd.buffers[i]));
    }
    for (int i = 0; i < CROWD_QUEUES; ++i)
        TW_PASS(tw_queue_destroy(&crowd.queues[i]));
}

TW_TEST_LIST = {
    TW_CASE(what_a_waiting_thread_made_ready_is_run_while_it_waits_elsewhere),
    TW_CASE(a_queue_that_is_waited_for_is_not_behind_anothers_backlog),
    TW_CASE(a_queue_that_nobody_waits_for_is_not_behind_anothers_backlog),
    TW_CASE(a_start_event_is_over_before_its_kernel),
    TW_CASE(threads_that_wait_for_each_others_queues_are_all_told),
    TW_CASE(a_context_that_refuses_destruction_keeps_its_errors),
    TW_CASE(a_successful_wait_leaves_the_detail),
    TW_CASE(shutdown_beside_calls_that_make_objects),
    TW_CASE(shutdown_from_a_selector_is_refused),
    TW_CASE(the_block_form_evaluates_its_queue_once),
    TW_CASE(large_blocks_are_aligned_for_vectors),
    TW_CASES_END,
};
