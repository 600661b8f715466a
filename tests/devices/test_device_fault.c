/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host (gpu-simt) */
/**
 * A kernel's fault on one of two devices: a trap, or a write to an address that is nothing's. The host and the program go
 * on, and so does the other device, unless they are GPUs. On simulated devices a fault is asked for. A device that had a
 * fault is no use to its process, so each case has one of its own.
 */
#include "tw_test.h"

#include <sys/wait.h>

enum { N = 64, MANY = 200 };
enum { NO_FAULT, TRAP, BAD_ADDRESS };

struct mix {
    unsigned *x;
};
static inline void mix(tw_item item, const struct mix *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[i] = 3 * k->x[i] + 1;
}
TW_RANGE_KERNEL(mix, 1);

struct add_ten {
    const unsigned *in;
    unsigned *out;
    unsigned fault;
};
static inline void add_ten(tw_item item, const struct add_ten *k)
{
    const size_t i = tw_global_id(item, 0);
#if TW_ON_GPU
    if (i == 3 && k->fault == TRAP)
        __builtin_trap();
    if (i == 3 && k->fault == BAD_ADDRESS)
        *(volatile unsigned *)(uintptr_t)64 = 1;
#endif
    k->out[i] = k->in[i] + 10;
}
TW_RANGE_KERNEL(add_ten, 1);

/* Two devices, of which the first is to have a fault, and the host. */
struct machine {
    tw_queue *bad, *good, *host;
    bool gpu;
};

static struct machine make_machine(void)
{
    struct machine m;
    tw_device *devices[16], *first = NULL;
    size_t count = 0;
    TW_PASS(tw_select_device(NULL, NULL, &first));
    m.gpu = tw_device_is_gpu(first);
    if (!m.gpu) {
        tw_test_use_sim(2);
        setenv("TW_SIM_ASYNC", "1", 1);
        first = tw_test_device(0);
    }
    TW_PASS(tw_platform_get_devices(tw_device_platform(first), devices, 16, &count));
    if (count < 2)
        exit(77);
    TW_PASS(tw_queue_create_on_device(devices[0], NULL, NULL, &m.bad));
    TW_PASS(tw_queue_create_on_device(devices[1], NULL, NULL, &m.good));
    TW_PASS(tw_queue_create(tw_host_selector, NULL, NULL, NULL, &m.host));
    return m;
}

/* Waits, and takes all errors. Returns how many there were. */
static unsigned drain(tw_queue *queue)
{
    unsigned errors = 0;
    while (tw_queue_wait_and_throw(queue) != TW_SUCCESS)
        ++errors;
    return errors;
}

static void end_machine(struct machine *m)
{
    drain(m->bad);
    drain(m->good);
    drain(m->host);
    TW_PASS(tw_queue_destroy(&m->bad));
    TW_PASS(tw_queue_destroy(&m->good));
    TW_PASS(tw_queue_destroy(&m->host));
}

/* x = 3 x + 1, some times */
static unsigned submit_mix(tw_queue *queue, tw_buffer *x, unsigned times, unsigned value)
{
    for (unsigned i = 0; i < times; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(N), mix, .x = tw_read_write(cg, x));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        value = 3 * value + 1;
    }
    return value;
}

static tw_status submit_add_ten(tw_queue *queue, tw_buffer *in, tw_buffer *out, unsigned fault, tw_event **event)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), add_ten, .in = tw_read(cg, in), .out = tw_discard_write(cg, out),
                    .fault = fault);
    if (fault && !tw_device_is_gpu(tw_queue_device(queue)))
        TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_KERNEL, 1));
    return tw_queue_submit(queue, cg, event);
}

/* Brings a buffer from one device to the other and back. From then on they use each other's memory, if they can. */
static void share_memory(struct machine *m)
{
    tw_buffer *x = tw_test_ints(N, 1);
    submit_mix(m->bad, x, 1, 0);
    submit_mix(m->good, x, 1, 0);
    submit_mix(m->bad, x, 1, 0);
    TW_PASS(tw_queue_wait(m->bad));
    tw_test_expect_ints(x, 40);
    TW_PASS(tw_buffer_destroy(&x));
}

/* Expects that all is well. If the device `may_fail`, its groups may have failed instead, but not in silence. Returns
   true if they have. */
static bool expect_good(tw_queue *queue, tw_buffer *x, unsigned value, bool may_fail)
{
    const tw_status status = tw_queue_wait(queue);
    if (!may_fail)
        TW_EQUAL(status, TW_SUCCESS);
    if (status == TW_SUCCESS) {
        tw_test_expect_ints(x, (int)value);
        return false;
    }
    TW_EQUAL(status, TW_ERROR_LAUNCH_FAILED);
    TW_CHECK(strstr(tw_error_detail(), "nothing runs on it any more") != NULL);
    tw_test_expect_lost(x);
    return true;
}

/* Kernels before, beside and after the fault, which have nothing to do with it. A fault of one GPU may take the others of
   the process with it, whether or not they use each other's memory. */
static void other_work_goes_on(unsigned fault, bool shares)
{
    struct machine m = make_machine();
    tw_event *event = NULL;
    if (shares)
        share_memory(&m);
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 0), *z = tw_test_ints(N, 5), *late = tw_test_ints(N, 7);
    submit_mix(m.bad, z, 1, 0);
    TW_PASS(tw_queue_wait(m.bad));
    unsigned value = submit_mix(m.good, y, MANY, 0);
    TW_PASS(submit_add_ten(m.bad, z, x, fault, &event));
    value = submit_mix(m.good, y, MANY, value);
    TW_FAIL(tw_event_wait(event), TW_ERROR_LAUNCH_FAILED);
    TW_CHECK(strstr(tw_error_detail(), "add_ten") != NULL);
    tw_event_release(&event);
    value = submit_mix(m.good, y, MANY, value);
    const bool failed = expect_good(m.good, y, value, m.gpu);
    tw_test_expect_lost(x);
    if (!failed) {
        submit_mix(m.good, late, 1, 0); /* which the device did not have before */
        (void)expect_good(m.good, late, 22, m.gpu);
    }
    drain(m.good);
    TW_EQUAL(drain(m.bad), 1);
    if (!m.gpu)
        TW_PASS(tw_sim_reset(tw_queue_device(m.bad)));
    tw_buffer *last = tw_test_ints(N, 7);
    const tw_status status = submit_add_ten(m.bad, last, x, NO_FAULT, NULL);
    const unsigned errors = drain(m.bad);
    TW_EQUAL(status != TW_SUCCESS || errors, m.gpu);
    submit_mix(m.host, last, 1, 0);
    TW_PASS(tw_queue_wait(m.host));
    tw_test_expect_ints(last, 22);
    tw_test_destroy_buffers((tw_buffer *[]){x, y, z, late, last}, 5);
    end_machine(&m);
}

static void trap_beside_other_work(void)
{
    other_work_goes_on(TRAP, false);
}

static void bad_address_beside_other_work(void)
{
    other_work_goes_on(BAD_ADDRESS, false);
}

static void trap_where_memory_is_shared(void)
{
    other_work_goes_on(TRAP, true);
}

static void bad_address_where_memory_is_shared(void)
{
    other_work_goes_on(BAD_ADDRESS, true);
}

/* The other device needs what the kernel with the fault should have written. It may be lost as well, since it has to wait
   for the first one; but nothing hangs, no wrong contents are seen, and the host goes on. */
static void fault_before_a_copy(void)
{
    struct machine m = make_machine();
    tw_event *events[2] = {NULL};
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 0), *z = tw_test_ints(N, 5), *w = tw_test_ints(N, 7);
    submit_mix(m.good, y, 1, 0); /* so that all memory is there */
    TW_PASS(tw_queue_wait(m.good));
    TW_PASS(submit_add_ten(m.bad, z, x, BAD_ADDRESS, &events[0]));
    TW_PASS(submit_add_ten(m.good, x, y, NO_FAULT, &events[1]));
    TW_FAIL(tw_event_wait(events[1]), TW_ERROR_CANCELLED);
    TW_FAIL(tw_event_wait(events[0]), TW_ERROR_LAUNCH_FAILED);
    tw_event_release(&events[0]);
    tw_event_release(&events[1]);
    tw_test_expect_lost(x);
    tw_test_expect_lost(y);
    tw_test_expect_ints(z, 5);
    submit_mix(m.host, w, MANY, 0);
    TW_PASS(tw_queue_wait(m.host));
    TW_PASS(submit_add_ten(m.host, z, x, NO_FAULT, NULL));
    tw_test_expect_ints(x, 15);
    tw_test_destroy_buffers((tw_buffer *[]){x, y, z, w}, 4);
    end_machine(&m);
}

struct recorded {
    tw_buffer *in, *out;
    unsigned calls;
};

/* Only what runs on the first queue has a fault. */
static void record(tw_command_group *cg, void *user)
{
    struct recorded *r = user;
    tw_parallel_for(cg, tw_range_1d(N), add_ten, .in = tw_read(cg, r->in), .out = tw_discard_write(cg, r->out),
                    .fault = r->calls++ ? NO_FAULT : TRAP);
}

/* A fallback on another GPU may fail as that GPU does, but not in silence. */
static void falls_back(struct machine *m, tw_queue *to)
{
    struct recorded r = {tw_test_ints(N, 5), tw_test_ints(N, 0), 0};
    tw_event *event = NULL;
    if (!m->gpu)
        TW_PASS(tw_sim_fail_nth(tw_queue_device(m->bad), TW_SIM_KERNEL, 1));
    const tw_status submitted = tw_queue_submit_function(m->bad, to, record, &r, &event);
    const tw_status status = submitted == TW_SUCCESS ? tw_event_wait(event) : submitted;
    if (to == m->host || !m->gpu)
        TW_EQUAL(status, TW_SUCCESS);
    if (status == TW_SUCCESS) {
        TW_EQUAL(r.calls, 2);
        tw_test_expect_ints(r.out, 15);
    } else if (submitted == TW_SUCCESS) {
        TW_CHECK(strstr(tw_error_detail(), "nothing runs on it any more") != NULL);
        tw_test_expect_lost(r.out);
    }
    tw_event_release(&event);
    tw_test_expect_ints(r.in, 5);
    TW_PASS(tw_buffer_destroy(&r.in));
    TW_PASS(tw_buffer_destroy(&r.out));
}

/* Twice: the second time the device is lost before. */
static void fault_with_a_fallback_on_the_host(void)
{
    struct machine m = make_machine();
    falls_back(&m, m.host);
    falls_back(&m, m.host);
    end_machine(&m);
}

static void fault_with_a_fallback_on_the_other_device(void)
{
    struct machine m = make_machine();
    falls_back(&m, m.good);
    falls_back(&m, m.good);
    end_machine(&m);
}

/* Runs a case in a process of its own, which has to end in order: the program started afresh, since a GPU's driver does
   not outlive fork(). */
static void run_alone(void (*body)(void))
{
    int status = 0;
    if (getenv("TW_TEST_ALONE")) {
        body();
        return;
    }
    const pid_t child = fork();
    TW_CHECK(child >= 0);
    if (child == 0) {
        setenv("TW_TEST_ALONE", "1", 1);
        setenv("TW_TEST_ONLY", tw_test_name(), 1);
        unsetenv("TW_TEST_RESUME");
        execl("/proc/self/exe", "test", (char *)NULL);
        _exit(1);
    }
    TW_EQUAL(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        TW_SKIP();
    TW_CHECK(WIFEXITED(status));
    TW_EQUAL(WEXITSTATUS(status), 0);
}

TW_TEST(a_trap_beside_other_work)
{
    run_alone(trap_beside_other_work);
}

TW_TEST(a_bad_address_beside_other_work)
{
    run_alone(bad_address_beside_other_work);
}

TW_TEST(a_trap_where_memory_is_shared)
{
    run_alone(trap_where_memory_is_shared);
}

TW_TEST(a_bad_address_where_memory_is_shared)
{
    run_alone(bad_address_where_memory_is_shared);
}

TW_TEST(a_fault_before_a_copy)
{
    run_alone(fault_before_a_copy);
}

TW_TEST(a_fault_with_a_fallback_on_the_host)
{
    run_alone(fault_with_a_fallback_on_the_host);
}

TW_TEST(a_fault_with_a_fallback_on_the_other_device)
{
    run_alone(fault_with_a_fallback_on_the_other_device);
}

TW_TEST_LIST = {
    TW_CASE(a_trap_beside_other_work),
    TW_CASE(a_bad_address_beside_other_work),
    TW_CASE(a_trap_where_memory_is_shared),
    TW_CASE(a_bad_address_where_memory_is_shared),
    TW_CASE(a_fault_before_a_copy),
    TW_CASE(a_fault_with_a_fallback_on_the_host),
    TW_CASE(a_fault_with_a_fallback_on_the_other_device),
    TW_CASES_END,
};
