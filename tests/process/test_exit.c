/* SPDX-License-Identifier: Apache-2.0 */
/** A program ends by exit() at any time: with commands in flight, on any thread, inside of any of its own functions
 *  that the library called. Each way is a program of its own, which this one starts and whose status it looks at. */
#include "tw_test.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/wait.h>

#include <teamwork/storage.h>

enum { N = 64, ENDED = 7 };

struct step {
    int *x;
    const int *gate;
};
static inline void step(tw_item item, const struct step *k)
{
    k->x[tw_global_id(item, 0)] += k->gate ? 1 + k->gate[0] : 1;
}
TW_RANGE_KERNEL(step, 1);

/* For kernels that run in this process: `exits` ends it, else the kernel runs for ever once it has set `runs`. */
struct stay {
    int *x;
    uintptr_t runs; /* address of an atomic_int */
    int exits;
};
static inline void stay(tw_item item, const struct stay *k)
{
    if (tw_global_id(item, 0))
        return;
    if (k->exits)
        exit(ENDED);
    atomic_store((atomic_int *)k->runs, 1);
    for (;;)
        sched_yield();
}
TW_RANGE_KERNEL(stay, 1);

static void submit(tw_queue *queue, tw_buffer *buffer, tw_buffer *gate)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), step, .x = tw_read_write(cg, buffer),
                    .gate = gate ? tw_read(cg, gate) : TW_NULL);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

/* ---- the programs ------------------------------------------------------------------------------------------------ */

static tw_queue *queue;
static tw_buffer *buffer;
static struct tw_gate gate;
static int host[N];

static void make_objects(void)
{
    queue = tw_test_queue();
    TW_PASS(tw_buffer_create_over(host, sizeof *host, tw_range_1d(N), &buffer));
    submit(queue, buffer, NULL);
}

static void at_rest(void)
{
    make_objects();
    TW_PASS(tw_queue_wait(queue));
    exit(ENDED);
}

static void with_commands_that_wait(void)
{
    make_objects();
    tw_gate_shut(&gate);
    for (int i = 0; i < 100; ++i)
        submit(queue, buffer, gate.buffer);
    exit(ENDED);
}

static void with_commands_in_flight(void)
{
    make_objects();
    for (int i = 0; i < 3000; ++i)
        submit(queue, buffer, NULL);
    exit(ENDED);
}

static atomic_int rounds;

static void *submit_for_ever(void *own)
{
    tw_queue *others = tw_test_queue();
    tw_buffer *mine = tw_test_ints(N, 0);
    (void)own;
    for (int i = 0;; ++i) {
        submit(i % 2 ? queue : others, mine, NULL);
        if (i % 16 == 0) {
            TW_PASS(tw_queue_wait(others));
            atomic_fetch_add(&rounds, 1);
        }
    }
    return NULL;
}

static void while_threads_submit(void)
{
    pthread_t thread;
    make_objects();
    for (int i = 0; i < 4; ++i)
        TW_EQUAL(pthread_create(&thread, NULL, submit_for_ever, NULL), 0);
    while (atomic_load(&rounds) < 50)
        sched_yield();
    exit(ENDED);
}

static void *end_program(void *unused)
{
    (void)unused;
    exit(ENDED);
}

static void on_another_thread(void)
{
    pthread_t thread;
    make_objects();
    tw_gate_shut(&gate);
    submit(queue, buffer, gate.buffer);
    TW_EQUAL(pthread_create(&thread, NULL, end_program, NULL), 0);
    (void)tw_queue_wait(queue);
}

static void end_in_handler(const tw_error *errors, size_t count, void *user)
{
    (void)errors, (void)count, (void)user;
    exit(ENDED);
}

static void in_a_handler(void)
{
    static const int constant[N];
    TW_PASS(tw_queue_create(NULL, NULL, end_in_handler, NULL, &queue));
    TW_PASS(tw_buffer_create_over_const(constant, sizeof *constant, tw_range_1d(N), &buffer));
    TW_COMMAND_GROUP(queue, cg) {
        (void)tw_write(cg, buffer);
    }
    (void)tw_queue_wait_and_throw(queue);
}

static int end_in_selector(const tw_device *device, void *user)
{
    (void)device, (void)user;
    exit(ENDED);
}

static void in_a_selector(void)
{
    (void)tw_queue_create(end_in_selector, NULL, NULL, NULL, &queue);
}

static sem_t in_selector;

static int stay_in_selector(const tw_device *device, void *user)
{
    (void)device, (void)user;
    sem_post(&in_selector);
    for (;;)
        pause();
}

static void *create_for_ever(void *unused)
{
    tw_queue *never = NULL;
    (void)tw_queue_create(stay_in_selector, NULL, NULL, NULL, &never);
    return unused;
}

static void while_another_thread_is_in_a_selector(void)
{
    pthread_t thread;
    TW_EQUAL(sem_init(&in_selector, 0, 0), 0);
    TW_EQUAL(pthread_create(&thread, NULL, create_for_ever, NULL), 0);
    while (sem_wait(&in_selector) != 0) {
    }
    exit(ENDED);
}

static void end_in_function(tw_command_group *group, void *user)
{
    (void)group, (void)user;
    exit(ENDED);
}

static void in_a_submit_function(void)
{
    make_objects();
    (void)tw_queue_submit_function(queue, NULL, end_in_function, NULL, NULL);
}

static void end_in_finished(void *user, tw_status status)
{
    (void)user, (void)status;
    exit(ENDED);
}

static void in_a_callback_of_a_storage(void)
{
    const tw_storage storage = {.finished = end_in_finished};
    TW_PASS(tw_buffer_create_with_storage(&storage, sizeof(int), tw_range_1d(N), &buffer));
    (void)tw_buffer_destroy(&buffer);
}

static void run_stay(int exits)
{
    static atomic_int runs;
    make_objects();
    tw_device *device = tw_queue_device(queue);
    tw_device_type type = TW_DEVICE_HOST;
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_TYPE, &type, sizeof type));
    if (type != TW_DEVICE_HOST && type != TW_DEVICE_SIM)
        exit(ENDED); /* OpenMP unloads the code of its devices' kernels */
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), stay, .x = tw_read_write(cg, buffer), .runs = (uintptr_t)&runs, .exits = exits);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    while (exits || !atomic_load(&runs))
        sched_yield();
    exit(ENDED);
}

static void in_a_kernel(void)
{
    run_stay(1);
}

/* For ever, and longer than exit() waits. */
static void while_a_kernel_runs(void)
{
    run_stay(0);
}

static void finish(void)
{
    if (tw_queue_wait(queue) != TW_SUCCESS || tw_buffer_destroy(&buffer) != TW_SUCCESS
        || tw_queue_destroy(&queue) != TW_SUCCESS || tw_shutdown() != TW_SUCCESS || host[1] != 101)
        _exit(1);
}

static void with_a_handler_that_uses_the_library(void)
{
    TW_EQUAL(atexit(finish), 0);
    make_objects();
    for (int i = 0; i < 100; ++i)
        submit(queue, buffer, NULL);
    exit(ENDED);
}

/* ---- starting them ----------------------------------------------------------------------------------------------- */

static const struct way {
    const char *name;
    void (*end)(void);
} ways[] = {
#define WAY(name) {#name, name}
    WAY(at_rest),
    WAY(with_commands_that_wait),
    WAY(with_commands_in_flight),
    WAY(while_threads_submit),
    WAY(on_another_thread),
    WAY(in_a_handler),
    WAY(in_a_selector),
    WAY(while_another_thread_is_in_a_selector),
    WAY(in_a_submit_function),
    WAY(in_a_callback_of_a_storage),
    WAY(in_a_kernel),
    WAY(while_a_kernel_runs),
    WAY(with_a_handler_that_uses_the_library),
};

/* What the started program does. */
TW_TEST(end)
{
    const char *number = getenv("TW_TEST_WAY");
    if (!number)
        TW_SKIP();
    ways[atoi(number)].end();
    TW_CHECK(!"the program has not ended");
}

TW_TEST(a_program_may_end_at_any_time)
{
    const char *first = getenv("TW_TEST_FIRST_WAY");
    int failed = 0;
    for (int way = first ? atoi(first) : 0; way < (int)(sizeof ways / sizeof ways[0]); ++way) {
        char number[8];
        int status = 0;
        snprintf(number, sizeof number, "%d", way);
        const pid_t child = fork();
        TW_CHECK(child >= 0);
        if (child == 0) {
            setenv("TW_TEST_WAY", number, 1);
            setenv("TW_TEST_ONLY", "end", 1);
            /* threads that are left are what this is about */
            setenv("TSAN_OPTIONS", "ignore_noninstrumented_modules=1:report_thread_leaks=0", 1);
            execl("/proc/self/exe", "test", (char *)NULL);
            _exit(1);
        }
        while (waitpid(child, &status, 0) < 0)
            TW_EQUAL(errno, EINTR);
        if (WIFEXITED(status) && WEXITSTATUS(status) == ENDED)
            continue;
        fprintf(stderr, "%s: %s %d\n", ways[way].name, WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        ++failed;
    }
    TW_EQUAL(failed, 0);
}

TW_TEST_LIST = {TW_CASE(end), TW_CASE(a_program_may_end_at_any_time), TW_CASES_END};
