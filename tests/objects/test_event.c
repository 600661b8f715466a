/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/** event.h: waiting, states, times and wait lists of command groups. */
#include "tw_test.h"

#include <time.h>

struct scale {
    const int *in;
    int *out;
    int factor, term;
    const int *gate; /* keeps the group pending; may be NULL */
};
static inline void scale(tw_item item, const struct scale *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = k->in[i] * k->factor + k->term + (k->gate ? k->gate[0] : 0);
}
TW_RANGE_KERNEL(scale, 1);

enum { N = 50 };

/* out = in * factor + term */
static tw_event *submit_scale(tw_queue *queue, tw_buffer *in, tw_buffer *out, int factor, int term,
                              const struct tw_gate *gate)
{
    tw_event *event = NULL;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), scale, .in = tw_read(cg, in),
                    .out = in == out ? tw_read_write(cg, out) : tw_discard_write(cg, out), .factor = factor,
                    .term = term, .gate = gate ? tw_read(cg, gate->buffer) : TW_NULL);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    TW_CHECK(event != NULL);
    return event;
}

/* The four forms of waiting, by number. */
static tw_status wait_for(tw_event *event, int form)
{
    tw_event *both[2] = {NULL, event};
    switch (form) {
    case 0:
        return tw_event_wait(event);
    case 1:
        return tw_event_wait_all(both, 2);
    case 2:
        return tw_event_wait_and_throw(event);
    default:
        return tw_event_wait_and_throw_all(both, 2);
    }
}

/* Property 25: 1 * 2 on one queue, wait, - 3 on another gives -1. */
TW_TEST(waiting_in_each_form_completes_the_kernel)
{
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    for (int form = 0; form < 4; ++form) {
        tw_buffer *buffer = tw_test_ints(N, 1);
        tw_event *first = submit_scale(queues[0], buffer, buffer, 2, 0, NULL);
        TW_PASS(wait_for(first, form));
        TW_EQUAL(tw_event_get_state(first), TW_EVENT_COMPLETE);
        TW_EQUAL(tw_event_get_status(first), TW_SUCCESS);
        tw_event *second = submit_scale(queues[1], buffer, buffer, 1, -3, NULL);
        TW_PASS(wait_for(second, form));
        tw_test_expect_ints(buffer, -1);
        tw_event_release(&first);
        tw_event_release(&second);
        TW_PASS(tw_buffer_destroy(&buffer));
    }
    tw_test_destroy_queues(queues, 2);
}

/* Property 26: the event that C has for "none" has happened. */
TW_TEST(a_null_event_has_happened)
{
    tw_event *none = NULL;
    tw_event *nulls[2] = {NULL, NULL};
    size_t count = 99;
    TW_EQUAL(tw_event_get_state(NULL), TW_EVENT_COMPLETE);
    TW_EQUAL(tw_event_get_status(NULL), TW_SUCCESS);
    TW_PASS(tw_event_wait(NULL));
    TW_PASS(tw_event_wait_and_throw(NULL));
    TW_PASS(tw_event_wait_all(nulls, 2));
    TW_PASS(tw_event_wait_and_throw_all(nulls, 2));
    TW_PASS(tw_event_wait_all(NULL, 0));
    TW_CHECK(tw_event_of_start(NULL) == NULL && tw_event_of_kernel(NULL) == NULL);
    TW_CHECK(tw_event_of_completion(NULL) == NULL && tw_event_retain(NULL) == NULL);
    TW_PASS(tw_event_get_wait_list(NULL, NULL, 0, &count));
    TW_EQUAL(count, 0);
    tw_event_release(&none);
    tw_event_release(NULL);
}

static tw_event_times times_of(const tw_event *event)
{
    tw_event_times times = {0};
    TW_PASS(tw_event_get_times(event, &times));
    return times;
}

static uint64_t submitted(const tw_event *event)
{
    return times_of(event).submit_ns;
}

/* Property 27. Groups are told apart by their moment of submission. */
TW_TEST(the_wait_list_holds_exactly_the_direct_dependencies)
{
    struct tw_gate gate;
    tw_queue *queue = tw_test_queue();
    tw_buffer *source = tw_test_ints(N, 1), *x = tw_test_ints(N, 0), *y = tw_test_ints(N, 0), *z = tw_test_ints(N, 0);
    tw_event *list[4] = {NULL, NULL, NULL, NULL};
    size_t count = 0;
    tw_gate_shut(&gate);
    tw_event *a = submit_scale(queue, source, x, 1, 1, &gate);
    tw_event *b = submit_scale(queue, source, y, 1, 2, &gate);
    tw_event *c = submit_scale(queue, x, y, 1, 0, NULL); /* reads what a writes, overwrites what b writes */
    tw_event *d = submit_scale(queue, y, z, 1, 0, NULL); /* depends on c alone, and through it on a and b */
    TW_PASS(tw_event_get_wait_list(c, NULL, 0, &count));
    TW_EQUAL(count, 2);
    TW_PASS(tw_event_get_wait_list(c, list, 4, &count));
    TW_EQUAL(count, 2);
    TW_CHECK(list[0] && list[1] && !list[2]);
    TW_CHECK((submitted(list[0]) == submitted(a) && submitted(list[1]) == submitted(b))
             || (submitted(list[0]) == submitted(b) && submitted(list[1]) == submitted(a)));
    tw_event_release(&list[0]);
    tw_event_release(&list[1]);
    TW_PASS(tw_event_get_wait_list(d, list, 1, &count));
    TW_EQUAL(count, 1);
    TW_CHECK(submitted(list[0]) == submitted(c));
    TW_FAIL(tw_event_get_wait_list(d, list, 1, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_event_get_wait_list(d, NULL, 1, &count), TW_ERROR_INVALID_ARGUMENT);
    tw_gate_open(&gate);
    TW_PASS(tw_event_wait(list[0]));
    TW_EQUAL(tw_event_get_state(c), TW_EVENT_COMPLETE);
    TW_PASS(tw_event_wait(d));
    TW_PASS(tw_event_get_wait_list(d, NULL, 0, &count));
    TW_EQUAL(count, 0);
    tw_event *all[] = {a, b, c, d, list[0]};
    for (size_t i = 0; i < 5; ++i)
        tw_event_release(&all[i]);
    tw_test_expect_ints(z, 2);
    tw_gate_free(&gate);
    tw_buffer *buffers[] = {source, x, y, z};
    for (size_t i = 0; i < 4; ++i)
        TW_PASS(tw_buffer_destroy(&buffers[i]));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Property 28. */
TW_TEST(when_a_dependent_group_is_complete_its_dependencies_are)
{
    enum { LENGTH = 20 };
    tw_queue *queues[3];
    tw_buffer *buffer = tw_test_ints(N, 0);
    tw_event *events[LENGTH];
    tw_test_queues(queues, 3);
    for (int i = 0; i < LENGTH; ++i)
        events[i] = submit_scale(queues[i % 3], buffer, buffer, 1, 1, NULL);
    TW_PASS(tw_event_wait(events[LENGTH - 1]));
    for (int i = 0; i < LENGTH; ++i) {
        TW_EQUAL(tw_event_get_state(events[i]), TW_EVENT_COMPLETE);
        tw_event_release(&events[i]);
    }
    tw_test_expect_ints(buffer, LENGTH);
    TW_PASS(tw_buffer_destroy(&buffer));
    tw_test_destroy_queues(queues, 3);
}

TW_TEST(a_group_is_pending_until_what_it_depends_on_is_over)
{
    struct tw_gate gate;
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 5);
    tw_gate_shut(&gate);
    tw_event *event = submit_scale(queue, buffer, buffer, 2, 0, &gate);
    tw_event *start = tw_event_of_start(event), *kernel = tw_event_of_kernel(event);
    tw_event *completion = tw_event_of_completion(start);
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_PENDING);
    TW_EQUAL(tw_event_get_state(start), TW_EVENT_PENDING);
    TW_EQUAL(tw_event_get_state(kernel), TW_EVENT_PENDING);
    TW_EQUAL(tw_event_get_status(event), TW_SUCCESS);
    const tw_event_times times = times_of(event);
    TW_CHECK(times.submit_ns > 0 && times.ready_ns == 0 && times.start_ns == 0);
    TW_CHECK(times.end_ns == 0 && times.complete_ns == 0);
    tw_gate_open(&gate);
    TW_PASS(tw_event_wait(start));
    TW_CHECK(tw_event_get_state(start) == TW_EVENT_COMPLETE && tw_event_get_state(event) != TW_EVENT_PENDING);
    TW_PASS(tw_event_wait(kernel));
    TW_PASS(tw_event_wait(completion));
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_COMPLETE);
    tw_event_release(&start);
    tw_event_release(&kernel);
    tw_event_release(&completion);
    TW_CHECK(completion == NULL);
    tw_event_release(&event);
    tw_gate_free(&gate);
    tw_test_expect_ints(buffer, 10);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- times (property 29), of kernels whose length is known ------------------------------------------------------- */

enum { LENGTH_NS = 200000, IN_FLIGHT = 25, COPY_NS = 3000000, KERNEL_NS = 5000000 };

static inline uint64_t clock_ns(void)
{
#ifdef __NVPTX__
    uint64_t now;
    __asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
#elif TW_ON_GPU
    return __builtin_readsteadycounter() * 10; /* AMD's counts at 100 MHz */
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

struct spin {
    int *x;
    uint64_t length_ns;
};
static inline void spin(const struct spin *k)
{
    const uint64_t start = clock_ns();
    while (clock_ns() - start < k->length_ns) {
    }
    k->x[0] += 1;
}
TW_SINGLE_TASK(spin);

static tw_event *submit_spin(tw_queue *queue, tw_buffer *x)
{
    tw_event *event = NULL;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, spin, .x = tw_read_write(cg, x), .length_ns = LENGTH_NS);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    return event;
}

/* The times of a group that is complete, which has to have a kernel of at least this length. */
static tw_event_times complete_times(tw_event **event, uint64_t length_ns)
{
    TW_PASS(tw_event_wait(*event));
    const tw_event_times times = times_of(*event);
    TW_CHECK(times.submit_ns > 0 && times.submit_ns <= times.ready_ns);
    TW_CHECK(times.ready_ns <= times.start_ns);
    TW_CHECK(times.start_ns < times.end_ns);
    TW_CHECK(times.end_ns - times.start_ns
             >= length_ns - length_ns / 50); /* a GPU has two clocks, of a microsecond or so */
    TW_CHECK(times.end_ns <= times.complete_ns);
    TW_CHECK((times.transfer_start_ns == 0) == (times.transfer_end_ns == 0));
    if (times.transfer_start_ns) {
        TW_CHECK(times.submit_ns <= times.transfer_start_ns && times.transfer_start_ns < times.transfer_end_ns);
        TW_CHECK(times.transfer_end_ns <= times.start_ns);
    }
    tw_event_release(event);
    return times;
}

TW_TEST(times_are_in_their_order)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(1, 0);
    /* what the clocks of a GPU and of its host may differ by is far less */
    const uint64_t error_ns = tw_device_is_gpu(tw_queue_device(queue)) ? 500000 : 0;
    TW_PASS(tw_queue_set_profiling(queue, true));
    const uint64_t before = clock_ns();
    tw_event *a = submit_spin(queue, x), *b = submit_spin(queue, x), *start_of_b = tw_event_of_start(b);
    TW_FAIL(tw_event_get_times(a, NULL), TW_ERROR_INVALID_ARGUMENT);
    const tw_event_times first = complete_times(&a, LENGTH_NS), second = complete_times(&b, LENGTH_NS);
    const uint64_t after = clock_ns();
    TW_CHECK(first.submit_ns + error_ns >= before && second.complete_ns <= after + error_ns);
    TW_CHECK(first.submit_ns <= second.submit_ns && first.end_ns <= second.start_ns);
    TW_EQUAL(first.transfer_start_ns != 0, !tw_queue_is_host(queue));
    TW_EQUAL(second.transfer_start_ns, 0);
    TW_EQUAL(times_of(start_of_b).end_ns, second.end_ns); /* they are the group's */
    TW_EQUAL(times_of(NULL).submit_ns, 0);
    tw_event_release(&start_of_b);
    tw_test_expect_ints(x, 2);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Each has its own times, though nobody looks before all are over. */
TW_TEST(kernels_that_follow_each_other_do_not_overlap)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(1, 0);
    tw_event *events[IN_FLIGHT];
    uint64_t sum = 0, first = 0, last = 0;
    TW_PASS(tw_queue_set_profiling(queue, true));
    for (int i = 0; i < IN_FLIGHT; ++i)
        events[i] = submit_spin(queue, x);
    TW_PASS(tw_queue_wait(queue));
    for (int i = 0; i < IN_FLIGHT; ++i) {
        const tw_event_times times = complete_times(&events[i], LENGTH_NS);
        first = i ? first : times.start_ns;
        TW_CHECK(times.start_ns >= last);
        sum += times.end_ns - times.start_ns;
        last = times.end_ns;
    }
    TW_CHECK(sum <= last - first);
    tw_test_expect_ints(x, IN_FLIGHT);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(kernels_in_flight_do_not_overlap)
{
    tw_test_use_sim(1);
    setenv("TW_SIM_ASYNC", "1", 1);
    kernels_that_follow_each_other_do_not_overlap();
}

/* A group that waits for another one, and for its data; two devices, for data that comes from the other one. */
static void check_parts(void)
{
    struct tw_gate gate;
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *in = tw_test_ints(N, 1), *x = tw_test_ints(N, 0), *y = tw_test_ints(N, 0);
    for (int i = 0; i < 2; ++i) {
        TW_PASS(tw_sim_delay(tw_queue_device(queues[i]), TW_SIM_COPY, COPY_NS));
        TW_PASS(tw_sim_delay(tw_queue_device(queues[i]), TW_SIM_KERNEL, KERNEL_NS));
    }
    tw_gate_shut(&gate);
    tw_event *held = submit_scale(queues[0], in, x, 1, 1, &gate), *after = submit_scale(queues[1], x, y, 1, 1, NULL);
    const uint64_t opened = clock_ns();
    tw_gate_open(&gate);
    const tw_event_times first = complete_times(&held, KERNEL_NS), second = complete_times(&after, KERNEL_NS);
    TW_CHECK(first.submit_ns <= opened && first.ready_ns >= opened);
    TW_CHECK(first.transfer_end_ns - first.transfer_start_ns >= COPY_NS);
    TW_CHECK(second.transfer_start_ns >= first.end_ns);
    TW_CHECK(second.transfer_end_ns - second.transfer_start_ns >= COPY_NS);
    tw_gate_free(&gate);
    tw_test_expect_ints(y, 3);
    tw_buffer *buffers[] = {in, x, y};
    for (size_t i = 0; i < 3; ++i)
        TW_PASS(tw_buffer_destroy(&buffers[i]));
    tw_test_destroy_queues(queues, 2);
}

TW_TEST(waiting_transfers_and_kernels_are_told_apart)
{
    tw_test_use_sim(2);
    unsetenv("TW_SIM_ASYNC");
    check_parts();
}

TW_TEST(waiting_transfers_and_kernels_in_flight_are_told_apart)
{
    tw_test_use_sim(2);
    setenv("TW_SIM_ASYNC", "1", 1);
    check_parts();
}

/* On a GPU, who does not ask for times does not pay for them. */
TW_TEST(queues_profile_when_they_are_told_to)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(1, 0);
    const bool is_gpu = tw_device_is_gpu(tw_queue_device(queue));
    TW_FAIL(tw_queue_set_profiling(NULL, true), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(!tw_queue_is_profiling(NULL) && !tw_queue_is_profiling(queue));
    for (int profiling = 0; profiling < 3; ++profiling) {
        TW_PASS(tw_queue_set_profiling(queue, profiling == 1));
        TW_EQUAL(tw_queue_is_profiling(queue), profiling == 1);
        tw_event *event = submit_spin(queue, x);
        TW_PASS(tw_event_wait(event));
        const tw_event_times times = times_of(event);
        TW_CHECK(times.submit_ns > 0 && times.complete_ns > times.submit_ns + LENGTH_NS / 2);
        TW_EQUAL(times.start_ns != 0, !is_gpu || profiling == 1);
        TW_EQUAL(times.end_ns != 0, !is_gpu || profiling == 1);
        tw_event_release(&event);
    }
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* What does not come to pass has no time. */
TW_TEST(a_cancelled_group_has_no_kernel)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = tw_test_ints(N, 1), *x = tw_test_ints(N, 0), *y = tw_test_ints(N, 0);
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_LAUNCH, 1));
    tw_event *failed = submit_scale(queue, in, x, 1, 1, NULL), *cancelled = submit_scale(queue, x, y, 1, 1, NULL);
    TW_FAIL(tw_event_wait(cancelled), TW_ERROR_CANCELLED);
    const tw_event_times times = times_of(cancelled);
    TW_CHECK(times.submit_ns > 0 && times.complete_ns >= times.submit_ns);
    TW_CHECK(times.ready_ns == 0 && times.start_ns == 0 && times.end_ns == 0 && times.transfer_start_ns == 0);
    tw_event_release(&failed);
    tw_event_release(&cancelled);
    tw_buffer *buffers[] = {in, x, y};
    for (size_t i = 0; i < 3; ++i)
        TW_PASS(tw_buffer_destroy(&buffers[i]));
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_LAUNCH_FAILED);
    TW_FAIL(tw_queue_destroy(&queue), TW_ERROR_CANCELLED);
}

static void count_errors(const tw_error *errors, size_t count, void *user)
{
    (void)errors;
    *(size_t *)user += count;
}

/* Property 30. */
TW_TEST(wait_reports_to_no_handler_and_wait_and_throw_does_once)
{
    size_t delivered = 0;
    tw_queue *queue = NULL;
    tw_test_use_sim(1);
    TW_PASS(tw_queue_create(NULL, NULL, count_errors, &delivered, &queue));
    for (int form = 0; form < 4; ++form) {
        tw_buffer *in = tw_test_ints(N, 1), *out = tw_test_ints(N, 0);
        delivered = 0;
        TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_LAUNCH, 1));
        tw_event *event = submit_scale(queue, in, out, 1, 1, NULL);
        TW_FAIL(wait_for(event, form), TW_ERROR_LAUNCH_FAILED);
        TW_EQUAL(delivered, form < 2 ? 0 : 1);
        TW_EQUAL(tw_event_get_state(event), TW_EVENT_FAILED);
        TW_EQUAL(tw_event_get_status(event), TW_ERROR_LAUNCH_FAILED);
        TW_FAIL(tw_event_wait_and_throw(event), TW_ERROR_LAUNCH_FAILED);
        TW_EQUAL(delivered, 1);
        TW_FAIL(tw_event_wait_and_throw(event), TW_ERROR_LAUNCH_FAILED);
        TW_EQUAL(delivered, 1);
        tw_event_release(&event);
        TW_PASS(tw_buffer_destroy(&in));
        TW_PASS(tw_buffer_destroy(&out));
    }
    TW_PASS(tw_queue_destroy(&queue));
    TW_EQUAL(delivered, 1);
}

/* The queues that a handler was told errors of, each by a letter, in their order. */
struct tale {
    tw_queue *queues[4];
    char told[16];
};

static void tell(const tw_error *errors, size_t count, void *user)
{
    struct tale *tale = user;
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < 4; ++k)
            if (tale->queues[k] && errors[i].queue == tale->queues[k])
                strncat(tale->told, &"abcd"[k], 1);
}

static void create_told_queues(struct tale *tale)
{
    tw_device *devices[4];
    tw_test_use_sim(4);
    TW_EQUAL(tw_test_devices(devices, 4), 4);
    for (size_t i = 0; i < 4; ++i)
        TW_PASS(tw_queue_create_on_device(devices[i], i == 2 ? NULL : tell, tale, &tale->queues[i]));
}

/* a fails; b and c, which has no handler, need its results and are cancelled; d is cancelled too, or fails by itself. The
   errors of a and b belong to c's event, whether c was submitted before they failed or after. */
TW_TEST(wait_and_throw_calls_the_handlers_of_what_the_event_depended_on)
{
    for (int late = 0; late < 2; ++late) {
        struct tale tale = {{NULL}, ""};
        create_told_queues(&tale);
        struct tw_gate gate;
        tw_gate_shut(&gate);
        tw_buffer *in = tw_test_ints(N, 1), *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 1), *z = tw_test_ints(N, 1);
        TW_PASS(tw_sim_fail_nth(tw_queue_device(tale.queues[0]), TW_SIM_LAUNCH, 1));
        TW_PASS(tw_sim_fail_nth(tw_queue_device(tale.queues[3]), TW_SIM_LAUNCH, 1));
        tw_event *failing = submit_scale(tale.queues[0], in, x, 1, 1, &gate);
        tw_event *other = submit_scale(tale.queues[3], in, z, 1, 1, NULL); /* nobody depends on it */
        if (late) {
            tw_gate_open(&gate);
            TW_FAIL(tw_event_wait(failing), TW_ERROR_LAUNCH_FAILED);
        }
        tw_event *second = submit_scale(tale.queues[1], x, y, 1, 1, NULL);
        if (late)
            TW_FAIL(tw_event_wait(second), TW_ERROR_CANCELLED);
        tw_event *third = submit_scale(tale.queues[2], y, in, 1, 1, NULL);
        if (!late)
            tw_gate_open(&gate);
        TW_FAIL(tw_event_wait(other), TW_ERROR_LAUNCH_FAILED);
        TW_FAIL(tw_event_wait(third), TW_ERROR_CANCELLED);
        TW_CHECK(!strcmp(tale.told, ""));
        TW_FAIL(tw_event_wait_and_throw(third), TW_ERROR_CANCELLED);
        TW_CHECK(!strcmp(tale.told, "ab") || !strcmp(tale.told, "ba"));
        TW_FAIL(tw_event_wait_and_throw(third), TW_ERROR_CANCELLED);
        TW_EQUAL(strlen(tale.told), 2);
        TW_FAIL(tw_event_wait_and_throw_all(&other, 1), TW_ERROR_LAUNCH_FAILED);
        TW_CHECK(!strcmp(tale.told + 2, "d"));
        TW_FAIL(tw_queue_wait(tale.queues[2]), TW_ERROR_CANCELLED);
        tw_event *events[] = {failing, other, second, third};
        for (size_t i = 0; i < 4; ++i)
            tw_event_release(&events[i]);
        tw_buffer *buffers[] = {in, x, y, z};
        for (size_t i = 0; i < 4; ++i)
            TW_PASS(tw_buffer_destroy(&buffers[i]));
        tw_gate_free(&gate);
        tw_test_destroy_queues(tale.queues, 4);
    }
}

/* A group that overwrites what another one fails to write waits for it, and is not cancelled. Returns false if the failing
   one was over before this thread waited. */
static bool overwrites_while_it_fails(struct tale *tale, uint64_t delay_ns)
{
    tw_buffer *in = tw_test_ints(N, 1), *out = tw_test_ints(N, 0);
    tw_device *device = tw_queue_device(tale->queues[0]);
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_LAUNCH, 1));
    TW_PASS(tw_sim_delay(device, TW_SIM_LAUNCH, delay_ns));
    tw_event *failing = submit_scale(tale->queues[0], in, out, 1, 1, NULL);
    tw_event *next = submit_scale(tale->queues[1], in, out, 1, 2, NULL);
    TW_PASS(tw_event_wait_and_throw(next));
    const bool was_told = tale->told[0] == 'a';
    TW_PASS(tw_queue_wait_and_throw(tale->queues[0]));
    TW_CHECK(!strcmp(tale->told, "a")); /* once */
    tale->told[0] = '\0';
    tw_test_expect_ints(out, 3);
    tw_event_release(&failing);
    tw_event_release(&next);
    TW_PASS(tw_sim_reset(device));
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&out));
    return was_told;
}

TW_TEST(wait_and_throw_calls_the_handlers_of_the_wait_list)
{
    struct tale tale = {{NULL}, ""};
    create_told_queues(&tale);
    uint64_t delay_ns = 5000000; /* this thread may be held up between the submission and the wait */
    while (!overwrites_while_it_fails(&tale, delay_ns)) {
        delay_ns *= 2;
        TW_CHECK(delay_ns < 10000000000u);
    }
    tw_test_destroy_queues(tale.queues, 4);
}

TW_TEST(wait_all_returns_the_first_failure_of_the_array)
{
    tw_test_use_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *in = tw_test_ints(N, 1), *good = tw_test_ints(N, 0), *bad = tw_test_ints(N, 0),
              *out = tw_test_ints(N, 0);
    tw_event *events[3];
    events[0] = submit_scale(queues[0], in, good, 1, 1, NULL);
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queues[1]), TW_SIM_LAUNCH, 1));
    events[2] = submit_scale(queues[1], in, bad, 1, 1, NULL);
    events[1] = submit_scale(queues[1], bad, out, 1, 1, NULL);
    TW_FAIL(tw_event_wait_all(events, 3), TW_ERROR_CANCELLED);
    TW_EQUAL(tw_event_get_status(events[2]), TW_ERROR_LAUNCH_FAILED);
    TW_FAIL(tw_event_wait_all(&events[2], 1), TW_ERROR_LAUNCH_FAILED);
    TW_PASS(tw_event_wait_all(events, 1));
    TW_FAIL(tw_event_wait_all(NULL, 1), TW_ERROR_INVALID_ARGUMENT);
    for (size_t i = 0; i < 3; ++i)
        tw_event_release(&events[i]);
    TW_FAIL(tw_queue_wait(queues[1]), TW_ERROR_LAUNCH_FAILED);
    tw_buffer *buffers[] = {in, good, bad, out};
    for (size_t i = 0; i < 4; ++i)
        TW_PASS(tw_buffer_destroy(&buffers[i]));
    /* the cancelled group's error is still undelivered, and this is the last chance to deliver it */
    TW_PASS(tw_queue_destroy(&queues[0]));
    TW_FAIL(tw_queue_destroy(&queues[1]), TW_ERROR_CANCELLED);
}

TW_TEST(an_event_outlives_its_queue_and_counts_references)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 1);
    tw_event *event = submit_scale(queue, buffer, buffer, 3, 0, NULL);
    tw_event *again = tw_event_retain(event);
    TW_CHECK(again == event);
    tw_event_release(&event);
    TW_CHECK(event == NULL);
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_event_wait(again));
    TW_PASS(tw_event_wait_and_throw(again));
    TW_EQUAL(tw_event_get_state(again), TW_EVENT_COMPLETE);
    tw_event_release(&again);
    tw_test_expect_ints(buffer, 3);
    TW_PASS(tw_buffer_destroy(&buffer));
}

TW_TEST_LIST = {TW_CASE(waiting_in_each_form_completes_the_kernel),
                TW_CASE(a_null_event_has_happened),
                TW_CASE(the_wait_list_holds_exactly_the_direct_dependencies),
                TW_CASE(when_a_dependent_group_is_complete_its_dependencies_are),
                TW_CASE(a_group_is_pending_until_what_it_depends_on_is_over),
                TW_CASE(times_are_in_their_order),
                TW_CASE(kernels_that_follow_each_other_do_not_overlap),
                TW_CASE(kernels_in_flight_do_not_overlap),
                TW_CASE(waiting_transfers_and_kernels_are_told_apart),
                TW_CASE(waiting_transfers_and_kernels_in_flight_are_told_apart),
                TW_CASE(queues_profile_when_they_are_told_to),
                TW_CASE(a_cancelled_group_has_no_kernel),
                TW_CASE(wait_reports_to_no_handler_and_wait_and_throw_does_once),
                TW_CASE(wait_and_throw_calls_the_handlers_of_what_the_event_depended_on),
                TW_CASE(wait_and_throw_calls_the_handlers_of_the_wait_list),
                TW_CASE(wait_all_returns_the_first_failure_of_the_array),
                TW_CASE(an_event_outlives_its_queue_and_counts_references),
                TW_CASES_END};
