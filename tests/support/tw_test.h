/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The frame of the test programs: named cases, checks, a watchdog, and helpers that several programs need.
 *
 *     Variants: host x86_64 ...     a comment in the second line: how it is compiled (CMakeLists.txt lists the words)
 *     #include "tw_test.h"          first of all includes
 *     TW_TEST(name) { ... }         a case; TW_CHECK, TW_EQUAL, TW_PASS and TW_FAIL inside
 *     TW_TEST_LIST = {TW_CASE(name), ..., TW_CASES_END};
 *
 * A program is silent when all is well. A check that does not hold is reported and ends its case; the cases after it
 * run in the program started afresh, so that one failure says nothing about them. Exit status: 0, 1 after a failure, 77
 * if every case was skipped. After each case the environment is what it was at the start and tw_shutdown() must
 * succeed: a case that leaves an object behind fails. TW_TEST_ONLY names a single case to run.
 *
 * A watchdog ends a program that hangs. It asks whether anything moved, not how long it took, since the machine may be
 * busy: a program hangs if no check passed for two minutes in which it used next to no processor time, or for ten
 * minutes in any case. TW_TEST_TIMEOUT, in seconds, replaces both times.
 */
#ifndef TW_TEST_H
#define TW_TEST_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#ifdef __AMDGCN__
/* clang's headers have these for float and double alone in passes for AMD GPUs, which read the host's code as well */
#include <math.h>
#undef isfinite
#undef isinf
#undef isnan
#undef signbit
#define isfinite(x) __builtin_isfinite(x)
#define isinf(x) __builtin_isinf(x)
#define isnan(x) __builtin_isnan(x)
#define signbit(x) __builtin_signbit(x)
#endif
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <teamwork/teamwork.h>

/* The programs are C, and some are also compiled as C++. */
#ifdef __cplusplus
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc11-extensions"
#pragma clang diagnostic ignored "-Wc++20-designator"
#pragma clang diagnostic ignored "-Wmissing-field-initializers"
#endif

extern char **environ;

/* Allocations that cannot succeed are a case of the tests, not an error of the program. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}
#endif
#if __has_feature(thread_sanitizer)
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1:ignore_noninstrumented_modules=1";
}
#endif
#endif

struct tw_test_case {
    const char *name;
    void (*run)(void);
};

extern const struct tw_test_case tw_test_list[];

#define TW_TEST(name) static void name(void)
#define TW_TEST_LIST const struct tw_test_case tw_test_list[]
#define TW_CASE(name) {#name, name}
#define TW_CASES_END {NULL, NULL}

/** At file scope: one thread of the host runs a kernel, unless OMP_NUM_THREADS says otherwise. For programs with many
    small kernels: on a busy machine, each would wait until the other threads of its OpenMP team run. */
#define TW_TEST_ONE_THREAD                                                                                             \
    __attribute__((constructor)) static void tw_test_one_thread(void) /* before OpenMP looks */                        \
    {                                                                                                                  \
        setenv("OMP_NUM_THREADS", "1", 0);                                                                             \
    }

/** Fails the case unless the condition holds. */
#define TW_CHECK(...) tw_test_check((__VA_ARGS__) ? 1 : 0, #__VA_ARGS__, __FILE__, __LINE__)
/** Fails the case unless two integers are equal; shows both. */
#define TW_EQUAL(got, expected)                                                                                        \
    tw_test_equal((long long)(got), (long long)(expected), #got, #expected, __FILE__, __LINE__)
/** Fails the case unless the call returns TW_SUCCESS. */
#define TW_PASS(...) tw_test_status((__VA_ARGS__), TW_SUCCESS, #__VA_ARGS__, __FILE__, __LINE__)
/** Fails the case unless the call returns `expected`, and with it a detail. */
#define TW_FAIL(call, expected) tw_test_status((call), (expected), #call, __FILE__, __LINE__)
/** Leaves the case, which counts as skipped. */
#define TW_SKIP()                                                                                                      \
    do {                                                                                                               \
        tw_test_state.skipped = 1;                                                                                     \
        return;                                                                                                        \
    } while (0)

enum { TW_TEST_VARIABLES = 511 }; /* of the environment, at most */

static struct {
    _Atomic size_t index;                           /* of the case that runs; the watchdog reads it on any thread */
    int failed, skipped;                            /* failed: the program; skipped: the case */
    const char *environment[TW_TEST_VARIABLES + 1]; /* as it was at the start */
    char note[128];                                 /* what the case is at, for its failures */
} tw_test_state;

static inline const char *tw_test_name(void)
{
    return tw_test_list[tw_test_state.index].name ? tw_test_list[tw_test_state.index].name : "(end)";
}

static inline void tw_test_restore_environment(void)
{
    static char *copy[TW_TEST_VARIABLES + 1];
    memcpy(copy, tw_test_state.environment, sizeof copy);
    environ = copy;
}

/* Ends the case: the program is started again from the next one, since this one may have left anything behind.
   Allocates nothing: a case may make that fail. */
static inline _Noreturn void tw_test_die(void)
{
    static const char name[] = "TW_TEST_RESUME=";
    static char next[48];
    size_t i = 0;
    if (*tw_test_state.note)
        fprintf(stderr, "    at: %s\n", tw_test_state.note);
    fflush(NULL);
    tw_test_restore_environment();
    while (environ[i] && strncmp(environ[i], name, sizeof name - 1) != 0)
        ++i;
    if (!getenv("TW_TEST_ONLY") && i < TW_TEST_VARIABLES) {
        snprintf(next, sizeof next, "%s%zu", name, (size_t)tw_test_state.index + 1);
        environ[i] = next;
        execl("/proc/self/exe", "test", (char *)NULL);
    }
    _exit(1);
}

/* ---- the watchdog ------------------------------------------------------------------------------------------------ */

enum { TW_TEST_LOOK_SECONDS = 5, TW_TEST_IDLE_SECONDS = 120, TW_TEST_STUCK_SECONDS = 600 };

static unsigned
    tw_test_moves; /* counts what the program gets done, roughly: any thread may count, and one count may be lost */

static inline void tw_test_moved(void)
{
    __atomic_store_n(&tw_test_moves, __atomic_load_n(&tw_test_moves, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

/* What the watchdog has seen; times in milliseconds. Atomic, since the signal comes to any thread. */
static struct {
    _Atomic unsigned moves;      /* the count, ... */
    _Atomic long long moved;     /* ... and when it had changed */
    _Atomic long long processor; /* the processor time, ... */
    _Atomic long long worked;    /* ... and when that, or the count, had */
    _Atomic long long idle_limit, stuck_limit;
} tw_test_watch;

static inline long long tw_test_milliseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Looks every few seconds. Only what a signal handler may call. */
static inline void tw_test_watchdog(int signal_number)
{
    static const char message[] = ": hangs\n";
    const char *name = tw_test_name();
    const int error = errno;
    const long long now = tw_test_milliseconds(CLOCK_MONOTONIC);
    const long long processor = tw_test_milliseconds(CLOCK_PROCESS_CPUTIME_ID);
    const unsigned moves = __atomic_load_n(&tw_test_moves, __ATOMIC_RELAXED);
    (void)signal_number;
    if (moves != tw_test_watch.moves)
        tw_test_watch.moved = now;
    if (moves != tw_test_watch.moves || processor - tw_test_watch.processor > 1000) {
        tw_test_watch.worked = now;
        tw_test_watch.processor = processor;
    }
    tw_test_watch.moves = moves;
    if (now - tw_test_watch.worked < tw_test_watch.idle_limit
        && now - tw_test_watch.moved < tw_test_watch.stuck_limit) {
        alarm(TW_TEST_LOOK_SECONDS);
        errno = error;
        return;
    }
    if (write(STDERR_FILENO, name, strlen(name)) < 0 || write(STDERR_FILENO, message, sizeof message - 1) < 0)
        _exit(1);
    abort();
}

static inline void tw_test_begin_watch(void)
{
    const char *text = getenv("TW_TEST_TIMEOUT");
    struct sigaction action = {.sa_flags = SA_RESTART};
    action.sa_handler = tw_test_watchdog;
    tw_test_watch.moved = tw_test_watch.worked = tw_test_milliseconds(CLOCK_MONOTONIC);
    tw_test_watch.idle_limit = 1000LL * (text ? atoi(text) : TW_TEST_IDLE_SECONDS);
    tw_test_watch.stuck_limit = 1000LL * (text ? atoi(text) : TW_TEST_STUCK_SECONDS);
    sigaction(SIGALRM, &action, NULL);
    alarm(TW_TEST_LOOK_SECONDS);
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static inline void tw_test_check(int holds, const char *text, const char *file, int line)
{
    tw_test_moved();
    if (holds)
        return;
    fprintf(stderr, "%s:%d: %s: does not hold: %s\n", file, line, tw_test_name(), text);
    tw_test_die();
}

static inline void tw_test_equal(long long got, long long expected, const char *got_text, const char *expected_text,
                                 const char *file, int line)
{
    tw_test_moved();
    if (got == expected)
        return;
    fprintf(stderr, "%s:%d: %s: %s is %lld, not %s = %lld\n", file, line, tw_test_name(), got_text, got, expected_text,
            expected);
    tw_test_die();
}

static inline void tw_test_status(tw_status got, tw_status expected, const char *text, const char *file, int line)
{
    tw_test_moved();
    if (got == expected && (got == TW_SUCCESS || *tw_error_detail()))
        return;
    fprintf(stderr, "%s:%d: %s: %s returned %s (\"%s\"), not %s\n", file, line, tw_test_name(), text,
            tw_status_name(got), got ? tw_error_detail() : "", tw_status_name(expected));
    tw_test_die();
}

static inline void tw_test_begin(void)
{
    size_t count = 0;
    for (; environ[count] && count < TW_TEST_VARIABLES; ++count)
        tw_test_state.environment[count] = environ[count];
    tw_test_state.environment[count] = NULL;
    tw_test_begin_watch();
    if (getenv("TW_TEST_RESUME")) {
        tw_test_state.index = strtoul(getenv("TW_TEST_RESUME"), NULL, 10);
        tw_test_state.failed = 1;
    }
}

int main(void)
{
    const char *only = getenv("TW_TEST_ONLY");
    size_t ran = 0;
    tw_test_begin();
    for (; tw_test_list[tw_test_state.index].run; ++tw_test_state.index) {
        const struct tw_test_case *one = &tw_test_list[tw_test_state.index];
        if (only && strcmp(only, one->name) != 0)
            continue;
        tw_test_state.skipped = 0;
        one->run();
        ran += !tw_test_state.skipped;
        TW_PASS(tw_shutdown());
        tw_test_restore_environment();
    }
    return tw_test_state.failed ? 1 : ran ? 0 : 77;
}

/* ---- devices ---------------------------------------------------------------------------------------------------- */

/** Replaces the devices by `count` simulated ones until the case ends. */
static inline void tw_test_use_sim(unsigned count)
{
    char text[16];
    TW_PASS(tw_shutdown());
    snprintf(text, sizeof text, "%u", count);
    setenv("TW_SIM", text, 1);
    setenv("TW_DEVICES", "sim", 1);
}

/** The visible devices, at most `capacity`; returns how many. */
static inline size_t tw_test_devices(tw_device **devices, size_t capacity)
{
    size_t count = 0;
    TW_PASS(tw_get_devices(TW_DEVICE_ALL, devices, capacity, &count));
    return count < capacity ? count : capacity;
}

/** A queue without a handler on the device under test. */
static inline tw_queue *tw_test_queue(void)
{
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    return queue;
}

/** A queue over the first `count` visible devices, or as many as there are. */
static inline tw_queue *tw_test_queue_over(size_t count, unsigned properties)
{
    tw_device *devices[8];
    tw_queue *queue = NULL;
    size_t found = tw_test_devices(devices, 8);
    if (found == 0) {
        TW_PASS(tw_select_device(NULL, NULL, &devices[0]));
        found = 1;
    }
    TW_PASS(tw_queue_create_over(devices, count < found ? count : found, properties, NULL, NULL, &queue));
    return queue;
}

/** `count` queues, spread over the visible devices; several share a device where there are fewer. */
static inline void tw_test_queues(tw_queue **queues, size_t count)
{
    tw_device *devices[16];
    const size_t found = tw_test_devices(devices, 16);
    TW_CHECK(found > 0);
    for (size_t i = 0; i < count; ++i)
        TW_PASS(tw_queue_create_on_device(devices[i % found], NULL, NULL, &queues[i]));
}

static inline void tw_test_destroy_queues(tw_queue **queues, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        TW_PASS(tw_queue_destroy(&queues[i]));
}

/** The n-th visible device. */
static inline tw_device *tw_test_device(size_t n)
{
    tw_device *devices[16];
    TW_CHECK(n < tw_test_devices(devices, 16));
    return devices[n];
}

/** Copies, or any other operation, of all simulated devices together. */
static inline uint64_t tw_test_sim_total(tw_sim_operation operation)
{
    tw_device *devices[16];
    const size_t count = tw_test_devices(devices, 16);
    uint64_t total = 0;
    for (size_t i = 0; i < count; ++i)
        total += tw_sim_count(devices[i], operation);
    return total;
}

/** Fails the case unless a simulated device has no memory allocated: what a wait returned for is freed. */
static inline void tw_test_released(const tw_device *device)
{
    TW_EQUAL(tw_sim_allocated_bytes(device), 0);
}

/* ---- a gate: what makes tests of asynchronous behaviour deterministic -------------------------------------------- */

/** Waits for a semaphore, whatever signals come. */
static inline void tw_test_wait(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0) {
    }
}

/**
 * A buffer that another thread keeps a host accessor on: every group that reads it stays pending until the gate is
 * opened. The accessor is another thread's, so this one may wait for such groups.
 */
struct tw_gate {
    tw_buffer *buffer;
    pthread_t thread;
    sem_t is_shut, open;
};

static inline void *tw_gate_keeper(void *context)
{
    struct tw_gate *gate = (struct tw_gate *)context;
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_host_access(gate->buffer, TW_DISCARD_WRITE, &accessor));
    memset(tw_host_accessor_data(accessor), 0, tw_buffer_size(gate->buffer));
    sem_post(&gate->is_shut);
    tw_test_wait(&gate->open);
    tw_host_accessor_release(&accessor);
    return NULL;
}

static inline void tw_gate_shut(struct tw_gate *gate)
{
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(1), &gate->buffer));
    TW_CHECK(sem_init(&gate->is_shut, 0, 0) == 0 && sem_init(&gate->open, 0, 0) == 0);
    TW_CHECK(pthread_create(&gate->thread, NULL, tw_gate_keeper, gate) == 0);
    tw_test_wait(&gate->is_shut);
}

static inline void tw_gate_open(struct tw_gate *gate)
{
    sem_post(&gate->open);
}

/** Frees an open gate. */
static inline void tw_gate_free(struct tw_gate *gate)
{
    TW_CHECK(pthread_join(gate->thread, NULL) == 0);
    TW_PASS(tw_buffer_destroy(&gate->buffer));
    sem_destroy(&gate->is_shut);
    sem_destroy(&gate->open);
}

/** Submits a group and waits for it. */
static inline void tw_test_run(tw_queue *queue, tw_command_group *cg)
{
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
}

/** The next of a sequence of numbers below `below` that look random; the state is not 0. */
static inline unsigned tw_test_random(uint64_t *state, unsigned below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (unsigned)(*state >> 33) % below;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/** Checks that a group is refused with `status`, and that the message has `text` in it. */
static inline void tw_test_refuse(tw_queue *queue, tw_command_group *cg, tw_status status, const char *text)
{
    TW_FAIL(tw_queue_submit(queue, cg, NULL), status);
    if (!strstr(tw_error_detail(), text))
        fprintf(stderr, "the message is: %s\n", tw_error_detail());
    TW_CHECK(strstr(tw_error_detail(), text));
}

/* ---- host access ------------------------------------------------------------------------------------------------- */

/** Copies a buffer's contents out through a host accessor. */
static inline void tw_test_fetch(tw_buffer *buffer, void *out)
{
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_host_access(buffer, TW_READ, &accessor));
    memcpy(out, tw_host_accessor_const_data(accessor), tw_buffer_size(buffer));
    tw_host_accessor_release(&accessor);
}

/** Checks that a buffer's contents are lost. */
static inline void tw_test_expect_lost(tw_buffer *buffer)
{
    tw_host_accessor *accessor = NULL;
    TW_FAIL(tw_host_access(buffer, TW_READ, &accessor), TW_ERROR_DATA_LOST);
}

/** Replaces a buffer's contents through a host accessor. */
static inline void tw_test_store(tw_buffer *buffer, const void *contents)
{
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_host_access(buffer, TW_DISCARD_WRITE, &accessor));
    memcpy(tw_host_accessor_data(accessor), contents, tw_buffer_size(buffer));
    tw_host_accessor_release(&accessor);
}

/** A buffer of `count` ints of one value. */
static inline tw_buffer *tw_test_ints(size_t count, int value)
{
    tw_buffer *buffer = NULL;
    int *data = (int *)malloc(count * sizeof *data);
    TW_CHECK(data != NULL);
    for (size_t i = 0; i < count; ++i)
        data[i] = value;
    TW_PASS(tw_buffer_create_copy(data, sizeof *data, tw_range_1d(count), &buffer));
    free(data);
    return buffer;
}

/** A buffer of one int. */
static inline tw_buffer *tw_test_int(int value)
{
    return tw_test_ints(1, value);
}

static inline void tw_test_destroy_buffers(tw_buffer **buffers, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        TW_PASS(tw_buffer_destroy(&buffers[i]));
}

/** Checks that all ints of a buffer have one value. */
static inline void tw_test_expect_ints(tw_buffer *buffer, int value)
{
    const size_t count = tw_buffer_count(buffer);
    int *data = (int *)malloc(count * sizeof *data);
    TW_CHECK(data != NULL);
    tw_test_fetch(buffer, data);
    for (size_t i = 0; i < count; ++i)
        TW_EQUAL(data[i], value);
    free(data);
}

/** Runs a function, and stores the beginning of what it writes to the standard error stream. */
static inline void tw_test_read_errors(void (*run)(void *), void *user, char *said, size_t bytes)
{
    FILE *file = tmpfile();
    fflush(stderr);
    const int kept = dup(STDERR_FILENO);
    TW_CHECK(file && kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    run(user);
    fflush(stderr);
    TW_CHECK(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    rewind(file);
    said[fread(said, 1, bytes - 1, file)] = '\0';
    fclose(file);
}

/** A buffer of `count` elements with all bytes zero. */
static inline tw_buffer *tw_test_zeroed(size_t element_bytes, size_t count)
{
    tw_buffer *buffer = NULL;
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_buffer_create(element_bytes, tw_range_1d(count), &buffer));
    TW_PASS(tw_host_access(buffer, TW_DISCARD_WRITE, &accessor));
    memset(tw_host_accessor_data(accessor), 0, tw_buffer_size(buffer));
    tw_host_accessor_release(&accessor);
    return buffer;
}

#ifdef __cplusplus
#pragma clang diagnostic pop
#endif

#endif
