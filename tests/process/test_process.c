/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/** The process around the library: fork(), threads that are cancelled, signals, and many threads on few processors. */
#define _GNU_SOURCE
#include "tw_test.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include <teamwork/storage.h>

#if __has_feature(thread_sanitizer) /* each takes a second */
enum { N = 64, FORKS = 4 };
#else
enum { N = 64, FORKS = 20 };
#endif

struct bump {
    int *x;
};
static inline void bump(tw_item item, const struct bump *k)
{
    ++k->x[tw_global_id(item, 0)];
}
TW_RANGE_KERNEL(bump, 1);

struct add {
    int *x;
    const int *gate;
};
static inline void add(tw_item item, const struct add *k)
{
    k->x[tw_global_id(item, 0)] += 1 + k->gate[0];
}
TW_RANGE_KERNEL(add, 1);

static tw_status submit_bump(tw_queue *queue, tw_buffer *buffer)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), bump, .x = tw_read_write(cg, buffer));
    return tw_queue_submit(queue, cg, NULL);
}

/* A group that runs once the gate, whose number is 0, is open. */
static tw_status submit_behind(tw_queue *queue, tw_buffer *buffer, const struct tw_gate *gate, tw_event **event)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), add, .x = tw_read_write(cg, buffer), .gate = tw_read(cg, gate->buffer));
    return tw_queue_submit(queue, cg, event);
}

/* ---- fork -------------------------------------------------------------------------------------------------------- */

/* What other threads hold is a leak to a child, which has not got them. */
static bool is_child;
#if __has_feature(address_sanitizer)
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return is_child;
}
#endif

/* Forks. The child runs `run`, which may end it, and ends by exit() with its result. Returns how the child ended. */
static int end_of_child(int (*run)(void *context), void *context)
{
    fflush(NULL);
    const pid_t child = fork();
    TW_CHECK(child >= 0);
    if (child == 0) {
        is_child = true;
        alarm(60); /* a child does not inherit the test's */
        exit(run ? run(context) : 0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        TW_EQUAL(errno, EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int use_all(void *context)
{
    (void)context;
    const char *devices = getenv("TW_DEVICES");
    tw_queue *queue = NULL;
    if (is_child && devices && strcmp(devices, "gpu") == 0) { /* the driver is the parent's */
        TW_FAIL(tw_queue_create(NULL, NULL, NULL, NULL, &queue), TW_ERROR_NO_DEVICE);
        TW_CHECK(strstr(tw_error_detail(), "fork()"));
        return 0;
    }
    queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 6);
    TW_PASS(submit_bump(queue, buffer));
    tw_test_expect_ints(buffer, 7);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
    return 0;
}

/* The first case: nothing has been used before. */
TW_TEST(a_child_uses_what_its_parent_has_not)
{
    if (getenv("TW_TEST_RESUME"))
        TW_SKIP();
    TW_EQUAL(end_of_child(use_all, NULL), 0);
    TW_PASS(tw_shutdown()); /* which is no use either */
    TW_EQUAL(end_of_child(use_all, NULL), 0);
}

#ifdef FAKE_CUDA
/* OpenMP's devices are given up, whatever backend would run them: libomptarget would end the program. */
static int find_no_device(void *context)
{
    tw_queue *queue = NULL;
    (void)context;
    TW_FAIL(tw_queue_create(NULL, NULL, NULL, NULL, &queue), TW_ERROR_NO_DEVICE);
    return 0;
}

/* Starts the driver, as libomptarget does for a program with a GPU, but nothing of this library. */
static int start_driver(void *backend)
{
    if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD))
        return 0; /* the machine's own */
    void *library = dlopen(FAKE_CUDA, RTLD_NOW);
    int (*init)(unsigned) = NULL;
    TW_CHECK(library != NULL);
    *(void **)&init = dlsym(library, "cuInit");
    TW_CHECK(init && init(0) == 0);
    if (backend)
        TW_EQUAL(setenv("TW_BACKEND", backend, 1), 0);
    TW_EQUAL(end_of_child(find_no_device, NULL), 0);
    return use_all(NULL); /* here it works */
}

TW_TEST(a_child_has_no_devices_of_its_parents_driver)
{
    const char *devices = getenv("TW_DEVICES");
    if (getenv("TW_TEST_RESUME") || !devices || strcmp(devices, "omp") != 0)
        TW_SKIP(); /* the host is the child's too */
    TW_EQUAL(end_of_child(start_driver, NULL), 0);
    TW_EQUAL(end_of_child(start_driver, "omp"), 0);
}
#endif

static int execute(void *context)
{
    execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
    return context != NULL;
}

static int leave_at_once(void *context)
{
    (void)context;
    _exit(6);
}

/* All that a child may do, and that the parent notices nothing. */
static void fork_and_go_on(tw_queue *queue, tw_buffer *buffer, int value)
{
    TW_EQUAL(end_of_child(NULL, NULL), 0);
    TW_EQUAL(end_of_child(execute, NULL), 5);
    TW_EQUAL(end_of_child(leave_at_once, NULL), 6);
    TW_PASS(submit_bump(queue, buffer));
    tw_test_expect_ints(buffer, value + 1);
}

TW_TEST(a_child_may_end_and_the_parent_goes_on)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 0);
    TW_PASS(submit_bump(queue, buffer));
    TW_PASS(tw_queue_wait(queue));
    fork_and_go_on(queue, buffer, 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
    TW_EQUAL(end_of_child(NULL, NULL), 0); /* nothing is left but workers */
    TW_PASS(tw_shutdown());
    TW_EQUAL(end_of_child(NULL, NULL), 0);
}

struct objects {
    tw_queue *queue;
    tw_buffer *buffer;
    tw_context *context;
    tw_command_graph *graph;
    tw_command_group *group;
    tw_host_accessor *accessor;
    tw_event *event;
    void *host;
};

/* Every call that could wait for a thread that is not there, or touch a device, is refused; the others do no harm. */
static int call_all(void *context)
{
    struct objects *o = context;
    tw_queue *queue = NULL;
    tw_buffer *buffer = NULL;
    tw_context *other = NULL;
    tw_host_accessor *accessor = NULL;
    tw_device *device = tw_queue_device(o->queue);
    size_t count = 0;
    int x[N];
    TW_FAIL(tw_get_devices(TW_DEVICE_ALL, NULL, 0, &count), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_select_device(NULL, NULL, &device), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_device_info(device, TW_DEVICE_INFO_NAME, &device, sizeof device), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_queue_create(NULL, NULL, NULL, NULL, &queue), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_queue_create_on_device(device, NULL, NULL, &queue), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_queue_create_in_context(o->context, NULL, NULL, NULL, &queue), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_context_create(&device, 1, NULL, NULL, &other), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_buffer_create(sizeof *x, tw_range_1d(N), &buffer), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_buffer_create_over(x, sizeof *x, tw_range_1d(N), &buffer), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_host_access(o->buffer, TW_READ, &accessor), TW_ERROR_UNSUPPORTED);
    TW_CHECK(!tw_malloc_host(64) && !tw_queue_begin(o->queue));
    TW_FAIL(submit_bump(o->queue, o->buffer), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_queue_submit(o->queue, o->group, NULL), TW_ERROR_UNSUPPORTED);
    TW_COMMAND_GROUP(o->queue, cg) {
        TW_CHECK(cg == NULL);
    }
    TW_FAIL(tw_queue_begin_recording(o->queue), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_queue_submit_graph(o->queue, o->graph, NULL), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_queue_wait(o->queue), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_queue_wait_and_throw(o->queue), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_queue_throw_asynchronous(o->queue), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_event_wait(o->event), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_event_wait_and_throw(o->event), TW_ERROR_UNSUPPORTED);
    TW_EQUAL(tw_event_get_status(o->event), TW_SUCCESS);
    tw_host_accessor_release(&o->accessor);
    tw_event_release(&o->event);
    tw_command_graph_destroy(&o->graph);
    tw_free_host(o->host);
    TW_FAIL(tw_buffer_destroy(&o->buffer), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_queue_destroy(&o->queue), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_context_destroy(&o->context), TW_ERROR_UNSUPPORTED);
    TW_CHECK(o->buffer && o->queue && o->context && !o->accessor);
    TW_FAIL(tw_shutdown(), TW_ERROR_UNSUPPORTED);
    return 0;
}

TW_TEST(calls_in_a_child_are_refused)
{
    struct objects o = {.queue = tw_test_queue(), .buffer = tw_test_ints(N, 0), .host = tw_malloc_host(64)};
    tw_buffer *held = tw_test_ints(N, 0);
    tw_device *device = tw_queue_device(o.queue);
    TW_PASS(tw_context_create(&device, 1, NULL, NULL, &o.context));
    TW_PASS(tw_queue_begin_recording(o.queue));
    TW_PASS(submit_bump(o.queue, o.buffer));
    TW_PASS(tw_queue_end_recording(o.queue, &o.graph));
    tw_command_group *cg = tw_queue_begin(o.queue);
    tw_parallel_for(cg, tw_range_1d(N), bump, .x = tw_read_write(cg, o.buffer));
    TW_PASS(tw_queue_submit(o.queue, cg, &o.event));
    TW_PASS(tw_event_wait(o.event));
    o.group = tw_queue_begin(o.queue);
    tw_parallel_for(o.group, tw_range_1d(N), bump, .x = tw_read_write(o.group, o.buffer));
    TW_PASS(tw_host_access(held, TW_READ_WRITE, &o.accessor));
    TW_EQUAL(end_of_child(call_all, &o), 0);
    tw_host_accessor_release(&o.accessor);
    TW_PASS(tw_queue_submit(o.queue, o.group, NULL));
    tw_test_expect_ints(o.buffer, 2);
    tw_event_release(&o.event);
    tw_command_graph_destroy(&o.graph);
    tw_free_host(o.host);
    TW_PASS(tw_buffer_destroy(&held));
    TW_PASS(tw_buffer_destroy(&o.buffer));
    TW_PASS(tw_queue_destroy(&o.queue));
    TW_PASS(tw_context_destroy(&o.context));
}

/* Threads that are in the middle of everything while this one forks: in a selector, and so holding off tw_shutdown();
   in a wait; in submissions, one after the other. */
struct busy {
    tw_queue *queue;
    struct tw_gate gate;
    sem_t is_selecting, may_select;
    atomic_bool stop;
};

static int select_late(const tw_device *device, void *user)
{
    struct busy *busy = user;
    sem_post(&busy->is_selecting);
    while (sem_wait(&busy->may_select) != 0) {
    }
    sem_post(&busy->may_select); /* for the next device */
    return tw_default_selector(device, NULL);
}

static void *create_slowly(void *user)
{
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create(select_late, user, NULL, NULL, &queue));
    TW_PASS(tw_queue_destroy(&queue));
    return NULL;
}

static void *wait_behind_gate(void *user)
{
    struct busy *busy = user;
    tw_buffer *buffer = tw_test_ints(N, 0);
    tw_event *event = NULL;
    TW_PASS(submit_behind(busy->queue, buffer, &busy->gate, &event));
    TW_PASS(tw_event_wait(event));
    tw_event_release(&event);
    tw_test_expect_ints(buffer, 1);
    TW_PASS(tw_buffer_destroy(&buffer));
    return NULL;
}

static void *submit_all_the_time(void *user)
{
    struct busy *busy = user;
    tw_buffer *buffer = tw_test_ints(N, 0);
    int submitted = 0;
    for (; !atomic_load(&busy->stop) || submitted < 20; ++submitted) {
        TW_PASS(submit_bump(busy->queue, buffer));
        if (submitted % 16 == 15)
            tw_test_expect_ints(buffer, submitted + 1);
    }
    tw_test_expect_ints(buffer, submitted);
    TW_PASS(tw_buffer_destroy(&buffer));
    return NULL;
}

static int try_calls(void *context)
{
    struct busy *busy = context;
    tw_buffer *buffer = NULL;
    tw_queue *queue = NULL;
    TW_FAIL(tw_buffer_create(sizeof(int), tw_range_1d(N), &buffer), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_queue_create(NULL, NULL, NULL, NULL, &queue), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_queue_wait(busy->queue), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_shutdown(), TW_ERROR_UNSUPPORTED);
    return 0;
}

TW_TEST(locks_of_other_threads_do_not_hold_a_child)
{
    struct busy busy = {.queue = tw_test_queue()};
    void *(*const run[])(void *) = {create_slowly, wait_behind_gate, submit_all_the_time, submit_all_the_time};
    pthread_t threads[4];
    tw_gate_shut(&busy.gate);
    TW_CHECK(sem_init(&busy.is_selecting, 0, 0) == 0 && sem_init(&busy.may_select, 0, 0) == 0);
    for (int i = 0; i < 4; ++i)
        TW_EQUAL(pthread_create(&threads[i], NULL, run[i], &busy), 0);
    while (sem_wait(&busy.is_selecting) != 0) {
    }
    for (int i = 0; i < FORKS; ++i)
        TW_EQUAL(end_of_child(i % 2 ? try_calls : NULL, &busy), 0);
    sem_post(&busy.may_select);
    tw_gate_open(&busy.gate);
    atomic_store(&busy.stop, true);
    for (int i = 0; i < 4; ++i)
        TW_EQUAL(pthread_join(threads[i], NULL), 0);
    tw_gate_free(&busy.gate);
    sem_destroy(&busy.is_selecting);
    sem_destroy(&busy.may_select);
    TW_PASS(tw_queue_destroy(&busy.queue));
}

/* ---- cancellation ------------------------------------------------------------------------------------------------ */

/* A call that waits, made by a thread that was asked to end before it. */
struct cancelled {
    tw_queue *queue;
    tw_context *context;
    tw_buffer *buffer;
    tw_event *event;
    tw_async_storage *storage;
    void (*call)(struct cancelled *one);
    sem_t about_to_wait;
    atomic_bool returned;
};

static void call_queue_wait(struct cancelled *one)
{
    TW_PASS(tw_queue_wait(one->queue));
}
static void call_event_wait(struct cancelled *one)
{
    TW_PASS(tw_event_wait(one->event));
}
static void call_host_access(struct cancelled *one)
{
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_host_access(one->buffer, TW_READ, &accessor));
    tw_host_accessor_release(&accessor);
}
static void call_destroy_buffer(struct cancelled *one)
{
    TW_PASS(tw_buffer_destroy(&one->buffer));
}
static void call_destroy_queue(struct cancelled *one)
{
    TW_PASS(tw_queue_destroy(&one->queue));
}
static void call_destroy_context(struct cancelled *one)
{
    TW_PASS(tw_context_destroy(&one->context));
}
static void call_destroy_storage(struct cancelled *one)
{
    TW_PASS(tw_buffer_destroy(&one->buffer));
    TW_PASS(tw_async_storage_destroy(&one->storage));
}

static void *call_cancelled(void *user)
{
    struct cancelled *one = user;
    pthread_cancel(pthread_self()); /* comes true at the next cancellation point */
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    sem_post(&one->about_to_wait);
    pthread_setcancelstate(before, NULL);
    one->call(one);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    atomic_store(&one->returned, true);
    pthread_setcancelstate(before, NULL);
    pthread_testcancel();
    return NULL;
}

static void cancel_in(void (*call)(struct cancelled *))
{
    struct cancelled one = {.call = call};
    struct tw_gate gate;
    tw_device *device = tw_test_device(0);
    pthread_t thread;
    void *result = NULL, *data = malloc(N * sizeof(int));
    TW_CHECK(data != NULL);
    memset(data, 0, N * sizeof(int));
    tw_gate_shut(&gate);
    TW_PASS(tw_context_create(&device, 1, NULL, NULL, &one.context));
    TW_PASS(tw_queue_create_in_context(one.context, NULL, NULL, NULL, &one.queue));
    TW_PASS(tw_async_storage_create_over(data, N * sizeof(int), free, &one.storage));
    TW_PASS(tw_buffer_create_with_storage(tw_async_storage_get(one.storage), sizeof(int), tw_range_1d(N), &one.buffer));
    TW_PASS(submit_behind(one.queue, one.buffer, &gate, &one.event));
    TW_CHECK(sem_init(&one.about_to_wait, 0, 0) == 0);
    TW_EQUAL(pthread_create(&thread, NULL, call_cancelled, &one), 0);
    while (sem_wait(&one.about_to_wait) != 0) {
    }
    TW_EQUAL(use_all(NULL), 0); /* others are not held up */
    tw_gate_open(&gate);
    TW_EQUAL(pthread_join(thread, &result), 0);
    TW_CHECK(result == PTHREAD_CANCELED && atomic_load(&one.returned));
    if (one.buffer)
        tw_test_expect_ints(one.buffer, 1);
    tw_event_release(&one.event);
    TW_PASS(tw_buffer_destroy(&one.buffer));
    TW_PASS(tw_async_storage_destroy(&one.storage));
    TW_PASS(tw_queue_destroy(&one.queue));
    TW_PASS(tw_context_destroy(&one.context));
    tw_gate_free(&gate);
    sem_destroy(&one.about_to_wait);
}

TW_TEST(a_cancelled_thread_leaves_a_call_when_it_returns)
{
    cancel_in(call_queue_wait);
    cancel_in(call_event_wait);
    cancel_in(call_host_access);
    cancel_in(call_destroy_buffer);
    cancel_in(call_destroy_queue);
    cancel_in(call_destroy_context);
    cancel_in(call_destroy_storage);
}

/* A selector is the program's code: the thread may end there, and the library goes on. */
static int select_never(const tw_device *device, void *user)
{
    (void)device, (void)user;
    pthread_testcancel();
    return -1;
}

static void *end_in_selector(void *user)
{
    tw_queue *queue = NULL;
    (void)user;
    pthread_cancel(pthread_self());
    (void)tw_queue_create(select_never, NULL, NULL, NULL, &queue);
    return NULL;
}

TW_TEST(a_thread_may_end_in_a_selector)
{
    pthread_t thread;
    void *result = NULL;
    TW_EQUAL(pthread_create(&thread, NULL, end_in_selector, NULL), 0);
    TW_EQUAL(pthread_join(thread, &result), 0);
    TW_CHECK(result == PTHREAD_CANCELED);
    TW_PASS(tw_shutdown()); /* which waits for all that are in a selector */
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

static atomic_uint signals;

static void note_signal(int number)
{
    (void)number;
    atomic_fetch_add(&signals, 1);
}

struct pest {
    pthread_t target;
    atomic_bool stop;
};

static void *send_signals(void *argument)
{
    struct pest *pest = argument;
    for (; !atomic_load(&pest->stop); sched_yield())
        pthread_kill(pest->target, SIGUSR1);
    return NULL;
}

/* The handler calls nothing; without SA_RESTART every system call that can be interrupted is. */
TW_TEST(signals_do_not_disturb_calls)
{
    enum { ROUNDS = 200 };
    struct pest pest = {.target = pthread_self()};
    pthread_t thread;
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 0);
    TW_EQUAL(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = note_signal}, NULL), 0);
    TW_EQUAL(pthread_create(&thread, NULL, send_signals, &pest), 0);
    for (int i = 0; i < ROUNDS || atomic_load(&signals) < 100; ++i) {
        int x[N];
        TW_PASS(tw_buffer_destroy(&buffer));
        for (int k = 0; k < N; ++k)
            x[k] = i;
        TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(N), &buffer));
        for (int k = 0; k < 3; ++k)
            TW_PASS(submit_bump(queue, buffer));
        TW_PASS(tw_queue_wait(queue));
        tw_test_expect_ints(buffer, i + 3);
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_EQUAL(x[N - 1], i + 3);
    }
    atomic_store(&pest.stop, true);
    TW_EQUAL(pthread_join(thread, NULL), 0);
    signal(SIGUSR1, SIG_DFL);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- many threads on few processors ------------------------------------------------------------------------------ */

enum { THREADS = 64, GROUPS = 40, SHARED_EVERY = 4 };

struct crowd {
    tw_queue *queue;
    tw_buffer *shared;
};

static void *work_in_crowd(void *argument)
{
    struct crowd *crowd = argument;
    int x[N] = {0};
    tw_buffer *own = NULL;
    TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(N), &own));
    for (int i = 0; i < GROUPS; ++i) {
        TW_PASS(submit_bump(crowd->queue, own));
        if (i % SHARED_EVERY == 0)
            TW_PASS(submit_bump(crowd->queue, crowd->shared));
    }
    TW_PASS(tw_buffer_destroy(&own));
    for (int i = 0; i < N; ++i)
        TW_EQUAL(x[i], GROUPS);
    return NULL;
}

/* All on one queue. In a process that may use two processors, as this one may from here on. */
TW_TEST(sixty_four_threads_share_two_processors)
{
    cpu_set_t all, two;
    int found = 0;
    TW_EQUAL(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&two);
    for (int i = 0; i < CPU_SETSIZE && found < 2; ++i)
        if (CPU_ISSET(i, &all) && ++found)
            CPU_SET(i, &two);
    TW_EQUAL(sched_setaffinity(0, sizeof two, &two), 0);
    struct crowd crowd = {tw_test_queue(), tw_test_ints(N, 0)};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i)
        TW_EQUAL(pthread_create(&threads[i], NULL, work_in_crowd, &crowd), 0);
    for (int i = 0; i < THREADS; ++i)
        TW_EQUAL(pthread_join(threads[i], NULL), 0);
    tw_test_expect_ints(crowd.shared, THREADS * (GROUPS / SHARED_EVERY));
    TW_PASS(tw_buffer_destroy(&crowd.shared));
    TW_PASS(tw_queue_destroy(&crowd.queue));
    TW_EQUAL(sched_setaffinity(0, sizeof all, &all), 0);
}

TW_TEST_LIST = {
    TW_CASE(a_child_uses_what_its_parent_has_not),
#ifdef FAKE_CUDA
    TW_CASE(a_child_has_no_devices_of_its_parents_driver),
#endif
    TW_CASE(a_child_may_end_and_the_parent_goes_on),
    TW_CASE(calls_in_a_child_are_refused),
    TW_CASE(locks_of_other_threads_do_not_hold_a_child),
    TW_CASE(a_cancelled_thread_leaves_a_call_when_it_returns),
    TW_CASE(a_thread_may_end_in_a_selector),
    TW_CASE(signals_do_not_disturb_calls),
    TW_CASE(sixty_four_threads_share_two_processors),
    TW_CASES_END,
};
