/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host */
/** TW_TRACE, TW_SUMMARY and TW_TOOL: programs with a known structure, each in a process of its own, whose file is read. */
#define _GNU_SOURCE
#include "tw_test.h"

#include <stdatomic.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "trace_file.h"

#if __has_feature(thread_sanitizer) /* each start takes a second: only where there are threads */
enum { FEW = 1 };
#else
enum { FEW = 0 };
#endif
enum { N = 1000, STEPS = 5, THREADS = 3 };

struct widen {
    const int *from;
    long *to;
};
static inline void widen(tw_item item, const struct widen *k)
{
    k->to[tw_global_id(item, 0)] = k->from[tw_global_id(item, 0)];
}
TW_RANGE_KERNEL(widen, 1);

struct step {
    long *x;
};
static inline void step(tw_item item, const struct step *k)
{
    ++k->x[tw_global_id(item, 0)];
}
TW_RANGE_KERNEL(step, 1);

/* Keeps a stack for each work-item: its array has no constant length. */
static inline void shift(tw_nd_item item, const struct step *k)
{
    const size_t at = tw_local_id(item, 0);
    long mine[tw_local_range(item, 0)];
    for (size_t i = 0; i <= at; ++i)
        mine[i] = k->x[i];
    tw_barrier(item, TW_GLOBAL_SPACE);
    k->x[at] = mine[at / 2];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(step) shift);

/* step, of which the plugin of the compiler has found something. */
typedef struct step slow_tw_block;
static struct tw_internal_range_kernel slow_kernel;

struct look {
    const long *x;
};
static tw_status look(const void *block)
{
    const struct look *k = block;
    return k->x[0] == STEPS ? TW_SUCCESS : TW_ERROR_LAUNCH_FAILED;
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

/* Ends the process unless a call has succeeded. */
static void must(tw_status status)
{
    if (status != TW_SUCCESS) {
        fprintf(stderr, "%s\n", tw_error_detail());
        _exit(9);
    }
}

static void submit_steps(tw_queue *queue, tw_buffer *x, int count)
{
    for (int i = 0; i < count; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(N), step, .x = tw_read_write(cg, x));
        must(tw_queue_submit(queue, cg, NULL));
    }
}

/* A kernel that widens `data`, STEPS kernels behind it and a host task, all of them submitted before the first may run;
   then the results are copied to memory of the program. */
static void run_known(void)
{
    static int data[N];
    static long result[N];
    tw_queue *queue;
    tw_buffer *from, *to;
    tw_event *gate;
    must(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    must(tw_buffer_create_over_const(data, sizeof data[0], tw_range_1d(N), &from));
    must(tw_buffer_create(sizeof result[0], tw_range_1d(N), &to));
    must(tw_buffer_set_name(from, "x\377y\303\244\340\200\200z\303")); /* not all of it is UTF-8 */
    must(tw_buffer_set_name(to, "the \"sum\""));
    must(tw_event_create_user(&gate));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), widen, .from = tw_read(cg, from), .to = tw_discard_write(cg, to));
    tw_depends_on(cg, gate);
    must(tw_queue_submit(queue, cg, NULL));
    submit_steps(queue, to, STEPS);
    cg = tw_queue_begin(queue);
    const struct look block = {tw_host_read(cg, to)};
    tw_host_task(cg, look, &block, sizeof block);
    must(tw_queue_submit(queue, cg, NULL));
    must(tw_event_complete(gate, TW_SUCCESS));
    must(tw_queue_wait(queue));
    tw_event_release(&gate);
    must(tw_buffer_read(to, result));
    must(tw_buffer_destroy(&from));
    must(tw_buffer_destroy(&to));
    must(tw_queue_destroy(&queue));
}

static void run_with_small_files(void)
{
    must(setrlimit(RLIMIT_FSIZE, &(struct rlimit){100000, RLIM_INFINITY}) == 0 ? TW_SUCCESS
                                                                               : TW_ERROR_INVALID_ARGUMENT);
    run_known();
}

static void run_and_shut_down_twice(void)
{
    run_known();
    must(tw_shutdown());
    run_known();
    must(tw_shutdown());
}

static void run_and_abort(void)
{
    run_known();
    signal(SIGABRT, SIG_DFL);
    abort();
}

static void run_and_be_killed(void)
{
    run_known();
    (void)raise(SIGKILL);
}

/* A child that ends by exit() leaves the trace of its parent alone. */
static void run_and_fork(void)
{
    run_known();
    const pid_t child = fork();
    if (child == 0)
        exit(0);
    int status;
    (void)waitpid(child, &status, 0);
    run_known();
}

static void run_with_summary(void)
{
    setenv("TW_SUMMARY", "1", 1);
    run_known();
}

/* A kernel that is told to be slow for launches in one dimension; or one that keeps stacks. It has all of the time. */
static void run_one(bool keeps_stacks)
{
    tw_queue *queue;
    tw_buffer *x;
    slow_kernel.range_kernel = step_kernel.range_kernel;
    slow_kernel.range_kernel.name = "slow";
    slow_kernel.range_kernel.slow[0] = "it is told so (here.c:1)";
    slow_kernel.range_kernel.slow[1] = "it has two dimensions";
    must(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    must(tw_buffer_create(sizeof(long), tw_range_1d(N), &x));
    tw_command_group *cg = tw_queue_begin(queue);
    if (keeps_stacks)
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(STEPS), tw_range_1d(STEPS)), shift,
                                 .x = tw_read_write(cg, x));
    else
        tw_parallel_for(cg, tw_range_1d(N), slow, .x = tw_read_write(cg, x));
    must(tw_queue_submit(queue, cg, NULL));
    must(tw_queue_wait(queue));
    must(tw_buffer_destroy(&x));
    must(tw_queue_destroy(&queue));
}

static void run_slow(void)
{
    run_one(false);
}

static void run_stacks(void)
{
    run_one(true);
}

/* The host and the device change a buffer in turn. */
static void run_to_and_fro(void)
{
    tw_queue *queue;
    tw_buffer *x;
    must(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    must(tw_buffer_create(sizeof(long), tw_range_1d(N), &x));
    must(tw_buffer_set_name(x, "ball"));
    for (int i = 0; i < STEPS; ++i) {
        tw_host_accessor *accessor;
        must(tw_host_access(x, i ? TW_READ_WRITE : TW_DISCARD_WRITE, &accessor));
        ((long *)tw_host_accessor_data(accessor))[0] = i;
        must(tw_host_accessor_release(&accessor));
        submit_steps(queue, x, 1);
    }
    must(tw_queue_wait(queue));
    must(tw_buffer_destroy(&x));
    must(tw_queue_destroy(&queue));
}

/* Three buffers on a device that has room for two. */
static void run_full(void)
{
    tw_queue *queue;
    tw_buffer *buffers[3];
    setenv("TW_SUMMARY", "1", 1);
    setenv("TW_SIM_MEMORY", "20000", 1);
    must(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    for (size_t i = 0; i < 6; ++i) {
        if (i < 3)
            must(tw_buffer_create(sizeof(long), tw_range_1d(N), &buffers[i]));
        submit_steps(queue, buffers[i % 3], 1);
        must(tw_queue_wait(queue));
    }
    for (size_t i = 0; i < 3; ++i)
        must(tw_buffer_destroy(&buffers[i]));
    must(tw_queue_destroy(&queue));
}

static void *work(void *unused)
{
    tw_queue *queue;
    tw_buffer *x;
    must(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    must(tw_buffer_create(sizeof(long), tw_range_1d(N), &x));
    for (int i = 0; i < STEPS; ++i) {
        submit_steps(queue, x, STEPS);
        must(tw_queue_wait(queue));
    }
    must(tw_buffer_destroy(&x));
    must(tw_queue_destroy(&queue));
    return unused;
}

static void run_threads(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            _exit(8);
    for (int i = 0; i < THREADS; ++i)
        pthread_join(threads[i], NULL);
}

/* A group fails, and one that needs its result is cancelled. */
static tw_status fail(const void *unused)
{
    (void)unused;
    return TW_ERROR_LAUNCH_FAILED;
}

static void run_failing(void)
{
    tw_queue *queue;
    tw_buffer *x;
    tw_event *gate;
    must(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    must(tw_buffer_create(sizeof(long), tw_range_1d(N), &x));
    must(tw_event_create_user(&gate));
    tw_command_group *cg = tw_queue_begin(queue);
    const struct look block = {tw_host_read_write(cg, x)};
    tw_host_task(cg, fail, &block, sizeof block);
    tw_depends_on(cg, gate);
    must(tw_queue_submit(queue, cg, NULL));
    submit_steps(queue, x, 1);
    must(tw_event_complete(gate, TW_SUCCESS));
    if (tw_queue_wait(queue) == TW_SUCCESS)
        _exit(7);
    (void)tw_queue_wait(queue);
    tw_event_release(&gate);
    (void)tw_buffer_destroy(&x);
    (void)tw_queue_destroy(&queue);
}

/* ---- their traces ------------------------------------------------------------------------------------------------ */

static char path[64], messages[8192];

static const struct program {
    const char *name;
    void (*run)(void);
} programs[] = {{"known", run_known},
                {"known, with a summary", run_with_summary},
                {"known, with small files", run_with_small_files},
                {"known, twice", run_and_shut_down_twice},
                {"known, and abort()", run_and_abort},
                {"known, and SIGKILL", run_and_be_killed},
                {"known, and fork()", run_and_fork},
                {"to and fro", run_to_and_fro},
                {"full", run_full},
                {"slow", run_slow},
                {"stacks", run_stacks},
                {"threads", run_threads},
                {"failing", run_failing}};

/* What run() runs in a process of its own; nothing to test by itself. */
TW_TEST(the_program_that_is_traced)
{
    const char *name = getenv("TRACED_PROGRAM");
    if (!name)
        TW_SKIP();
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; ++i)
        if (strcmp(programs[i].name, name) == 0) {
            programs[i].run();
            exit(0);
        }
}

/* Runs a program in a process of its own, with a variable of the environment set. Its messages are in `messages`. Returns
   its status as waitpid() stores it. */
static int run(const char *program, const char *variable, const char *value)
{
    int ends[2], status = -1;
    TW_CHECK(pipe(ends) == 0);
    unsetenv("TW_TEST_RESUME");
    setenv("TRACED_PROGRAM", program, 1);
    setenv("TW_TEST_ONLY", "the_program_that_is_traced", 1);
    setenv(variable, value, 1);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        execl("/proc/self/exe", "test_trace", (char *)NULL);
        _exit(127);
    }
    unsetenv(variable);
    unsetenv("TW_TEST_ONLY");
    unsetenv("TRACED_PROGRAM");
    close(ends[1]);
    size_t used = 0;
    for (ssize_t now; (now = read(ends[0], messages + used, sizeof messages - 1 - used)) > 0;)
        used += (size_t)now;
    messages[used] = '\0';
    close(ends[0]);
    TW_CHECK(waitpid(child, &status, 0) == child);
    if (status)
        snprintf(tw_test_state.note, sizeof tw_test_state.note, "%.120s", messages);
    return status;
}

/* Runs a program with a trace, and reads that. */
static void run_traced(struct trace_text *trace, const char *program)
{
    snprintf(path, sizeof path, "/tmp/test_trace.%ld.json", (long)getpid());
    TW_EQUAL(run(program, "TW_TRACE", path), 0);
    TW_EQUAL(messages[0], 0);
    TW_CHECK(trace_read(trace, path, false));
    TW_EQUAL(unlink(path), 0);
}

static struct trace_text trace; /* large */

#define FROM "transfer of buffer 1 x?y\303\244???z?"

static bool has_memory(void)
{
    const char *devices = getenv("TW_DEVICES");
    return devices && strncmp(devices, "sim", 3) == 0;
}

/* Checks the arrows: each begins and ends in a slice, and not before it ends. Returns how many lead to slices with a
   name from those with another. */
static size_t count_arrows(const char *from, const char *to)
{
    size_t count = 0;
    for (size_t i = 0; i < trace.count; ++i) {
        const struct trace_event *start = &trace.events[i], *end = NULL;
        if (start->phase != 's')
            continue;
        for (size_t k = 0; k < trace.count && !end; ++k)
            if (trace.events[k].phase == 'f' && trace.events[k].id == start->id)
                end = &trace.events[k];
        TW_CHECK(end != NULL);
        const struct trace_event *first = trace_slice_at(&trace, start->track, start->start);
        const struct trace_event *second = trace_slice_at(&trace, end->track, end->start);
        TW_CHECK(first && second);
        TW_CHECK(start->start <= end->start);
        count += is_named(first, from) && is_named(second, to);
    }
    return count;
}

/* Returns the number of copies with a name from one memory, each of so many bytes. */
static size_t count_copies(const char *name, const char *from, double bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < trace.count; ++i) {
        const struct trace_event *event = &trace.events[i];
        const char *side = event->phase == 'X' && is_named(event, name) ? field(event->line, "\"from\":\"") : NULL;
        if (!side || strncmp(side, from, strlen(from)) != 0)
            continue;
        TW_EQUAL(number_of(event->line, "\"bytes\":"), bytes);
        TW_CHECK(event->length == 0 || number_of(event->line, "\"MB_per_s\":") >= 0 || event->length > bytes);
        ++count;
    }
    return count;
}

TW_TEST(a_trace_is_what_the_program_does)
{
    run_traced(&trace, "known");
    TW_EQUAL(trace_slices(&trace, "widen"), 1);
    TW_EQUAL(trace_slices(&trace, "step"), STEPS);
    TW_EQUAL(trace_slices(&trace, "look"), 1);
    TW_EQUAL(trace_slices(&trace, "user event"), 1);
    TW_EQUAL(trace_slices(&trace, "submit step"), STEPS);
    TW_CHECK(trace_overlap(&trace) == NULL);
    TW_EQUAL(count_arrows("user event", "widen"), 1);
    TW_EQUAL(count_arrows("widen", "step"), 1);
    TW_EQUAL(count_arrows("step", "step"), STEPS - 1);
    if (has_memory()) {
        TW_EQUAL(count_copies(FROM, "host memory", N * sizeof(int)), 1);
        TW_EQUAL(count_copies("transfer of buffer 2 the \\\"sum\\\"", "1 ", N * sizeof(long)), 1);
        TW_EQUAL(count_arrows(FROM, "widen"), 1);
        TW_EQUAL(count_arrows("step", "transfer of buffer 2 the \\\"sum\\\""), 1);
        TW_EQUAL(count_arrows("transfer of buffer 2 the \\\"sum\\\"", "look"), 1);
    } else {
        TW_EQUAL(count_arrows("step", "look"), 1);
    }
    TW_EQUAL(count_copies("copy of buffer 2 the \\\"sum\\\"", "host memory", N * sizeof(long)), 1);
    for (size_t i = 0; i < trace.count; ++i)
        if (trace.events[i].phase == 'X' && is_named(&trace.events[i], "step")) {
            TW_CHECK(field(trace.events[i].line, "\"range\":[1000]"));
            TW_EQUAL(number_of(trace.events[i].line, "\"argument_bytes\":"), sizeof(struct step));
        }
    free(trace.text);
}

TW_TEST(threads_have_their_own_tracks)
{
    run_traced(&trace, "threads");
    TW_EQUAL(trace_slices(&trace, "step"), THREADS * STEPS * STEPS);
    TW_CHECK(trace_overlap(&trace) == NULL);
    unsigned tracks[THREADS] = {0};
    size_t count = 0;
    for (size_t i = 0; i < trace.count; ++i) {
        if (trace.events[i].phase != 'X' || !is_named(&trace.events[i], "submit step"))
            continue;
        size_t k = 0;
        while (k < count && tracks[k] != trace.events[i].track)
            ++k;
        TW_CHECK(k < THREADS);
        if (k == count)
            tracks[count++] = trace.events[i].track;
    }
    TW_EQUAL(count, THREADS);
    free(trace.text);
}

TW_TEST(a_trace_goes_on_after_a_shutdown_and_a_fork)
{
    run_traced(&trace, "known, twice");
    TW_EQUAL(trace_slices(&trace, "step"), 2 * STEPS);
    free(trace.text);
#if __has_feature(address_sanitizer)
    return; /* exit() of the child would look for leaks, with the threads of its parent gone */
#endif
    run_traced(&trace, "known, and fork()");
    TW_EQUAL(trace_slices(&trace, "step"), 2 * STEPS);
    free(trace.text);
}

TW_TEST(what_failed_and_was_cancelled_is_in_the_trace)
{
    if (FEW)
        TW_SKIP();
    run_traced(&trace, "failing");
    TW_EQUAL(trace_slices(&trace, "fail"), 1);
    TW_EQUAL(trace_slices(&trace, "step"), 0);
    size_t failed = 0, cancelled = 0;
    for (size_t i = 0; i < trace.count; ++i) {
        failed +=
            is_named(&trace.events[i], "fail") && field(trace.events[i].line, "\"status\":\"TW_ERROR_LAUNCH_FAILED\"");
        cancelled +=
            is_named(&trace.events[i], "step") && field(trace.events[i].line, "\"status\":\"TW_ERROR_CANCELLED\"");
    }
    TW_EQUAL(failed, 1);
    TW_EQUAL(cancelled, 1);
    free(trace.text);
}

/* Returns the number of marks that begin with some words. */
static size_t count_marks(const char *words)
{
    size_t count = 0;
    for (size_t i = 0; i < trace.count; ++i)
        count += trace.events[i].phase == 'i' && strncmp(trace.events[i].name, words, strlen(words)) == 0;
    return count;
}

TW_TEST(what_a_full_device_gives_up_is_told)
{
    if (FEW)
        TW_SKIP();
    snprintf(path, sizeof path, "/tmp/test_trace.%ld.json", (long)getpid());
    TW_EQUAL(run("full", "TW_TRACE", path), 0);
    TW_CHECK(trace_read(&trace, path, false));
    TW_EQUAL(unlink(path), 0);
    TW_EQUAL(trace_slices(&trace, "step"), 6);
    if (has_memory()) {
        TW_EQUAL(count_marks("evict buffer "), 4);
        TW_EQUAL(count_marks("allocate buffer "), count_marks("evict buffer ") + count_marks("free buffer "));
        TW_CHECK(strstr(messages, " was full: it gave up memory 4 times, 0.032 MB"));
    } else {
        TW_EQUAL(count_marks("evict buffer "), 0);
        TW_EQUAL(count_marks("allocate buffer "), 3);
        TW_EQUAL(count_marks("free buffer "), 3);
    }
    free(trace.text);
}

/* A file that another process writes is left alone. */
TW_TEST(two_processes_have_two_files)
{
    if (FEW)
        TW_SKIP();
    char other[128];
    snprintf(path, sizeof path, "/tmp/test_trace.%ld.json", (long)getpid());
    FILE *file = fopen(path, "w");
    TW_CHECK(file && flock(fileno(file), LOCK_EX) == 0);
    TW_EQUAL(run("known", "TW_TRACE", path), 0);
    TW_EQUAL(ftell(file), 0);
    const char *name = strstr(messages, ", so this one writes \"");
    TW_CHECK(name && sscanf(name, ", so this one writes \"%127[^\"]", other) == 1);
    TW_CHECK(strncmp(other, path, strlen(path)) == 0 && strlen(other) > strlen(path));
    TW_CHECK(trace_read(&trace, other, false));
    TW_EQUAL(trace_slices(&trace, "step"), STEPS);
    free(trace.text);
    fclose(file);
    TW_EQUAL(unlink(path), 0);
    TW_EQUAL(unlink(other), 0);
}

/* A limit on the size of files does not end the program. */
TW_TEST(a_trace_may_be_too_large)
{
    snprintf(path, sizeof path, "/tmp/test_trace.%ld.json", (long)getpid());
    TW_EQUAL(run("known, with small files", "TW_TRACE", path), 0);
    TW_CHECK(strstr(messages, "teamwork: warning: TW_TRACE: ") && strstr(messages, "File too large"));
    TW_EQUAL(unlink(path), 0);
}

/* However the process ends, all that has happened is in the file. */
TW_TEST(a_crash_leaves_a_trace)
{
    if (FEW)
        TW_SKIP();
    static const char *const crashes[] = {"known, and abort()", "known, and SIGKILL"};
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; ++i) {
        snprintf(path, sizeof path, "/tmp/test_trace.%ld.json", (long)getpid());
        TW_CHECK(WIFSIGNALED(run(crashes[i], "TW_TRACE", path)));
        TW_CHECK(trace_read(&trace, path, true));
        TW_EQUAL(unlink(path), 0);
        TW_EQUAL(trace_slices(&trace, "step"), STEPS);
        TW_EQUAL(count_arrows("step", "step"), STEPS - 1);
        TW_CHECK(trace_slices(&trace, has_memory() ? "copy of buffer 2 the \\\"sum\\\"" : "look") >= 1);
        free(trace.text);
    }
}

TW_TEST(a_program_goes_on_without_its_tools)
{
    if (FEW)
        TW_SKIP();
    TW_EQUAL(run("known", "TW_TRACE", "/nonexistent/folder/trace.json"), 0);
    TW_CHECK(strstr(messages, "TW_TRACE: \"/nonexistent/folder/trace.json\" cannot be written"));
    TW_EQUAL(run("known", "TW_TRACE", "/dev/full"), 0);
    TW_CHECK(strstr(messages, "TW_TRACE: \"/dev/full\" cannot be written"));
    TW_EQUAL(run("known", "TW_TOOL", "/nonexistent/tool.so"), 0);
    TW_CHECK(strstr(messages, "TW_TOOL: /nonexistent/tool.so: "));
    TW_EQUAL(run("known", "TW_TOOL", "libm.so.6"), 0);
    TW_CHECK(strstr(messages, "TW_TOOL: libm.so.6 is no tool"));
}

/* Returns the number in a column of the row of the summary that begins with a name; -1: there is no such row. */
static double summed(const char *name, unsigned column)
{
    const char *row = messages;
    while (row && strncmp(row, name, strlen(name)) != 0)
        row = (row = strchr(row, '\n')) ? row + 1 : NULL;
    if (!row)
        return -1;
    row += strlen(name);
    double number = -1;
    for (unsigned i = 0; i <= column; ++i) {
        char *past;
        number = strtod(row, &past);
        row = past;
    }
    return number;
}

enum { COUNT = 1, TOTAL = 2, MEGABYTES = 3 }; /* columns, behind that of the device */

TW_TEST(a_summary_agrees_with_the_trace)
{
    snprintf(path, sizeof path, "/tmp/test_trace.%ld.json", (long)getpid());
    TW_EQUAL(run("known, with a summary", "TW_TRACE", path), 0);
    TW_CHECK(trace_read(&trace, path, false));
    TW_EQUAL(unlink(path), 0);
    static const char *const kernels[] = {"widen", "step"};
    for (size_t k = 0; k < 2; ++k) {
        double total = 0;
        for (size_t i = 0; i < trace.count; ++i)
            if (trace.events[i].phase == 'X' && is_named(&trace.events[i], kernels[k]))
                total += trace.events[i].length;
        TW_EQUAL(summed(kernels[k], COUNT), trace_slices(&trace, kernels[k]));
        TW_CHECK(summed(kernels[k], TOTAL) > total / 1000 - 0.002 && summed(kernels[k], TOTAL) < total / 1000 + 0.002);
    }
    TW_EQUAL(summed("(host tasks)                       host", 0), 1);
    if (has_memory()) {
        TW_EQUAL(summed("from the host", COUNT), 1);
        TW_EQUAL(1000000 * summed("from the host", MEGABYTES), N * sizeof(int));
        TW_EQUAL(1000000 * summed("to the host", MEGABYTES), N * sizeof(long));
    } else {
        TW_EQUAL(summed("from the host", COUNT), -1);
    }
    free(trace.text);
}

TW_TEST(a_summary_says_what_to_change)
{
    if (FEW)
        TW_SKIP();
    TW_EQUAL(run("to and fro", "TW_SUMMARY", "1"), 0);
    TW_EQUAL(summed("step", COUNT), STEPS);
    TW_EQUAL(has_memory(), strstr(messages, "* buffer 1 ball (8000 bytes, first used at ") != NULL);
    TW_EQUAL(has_memory(), strstr(messages, ") was copied to devices 5 times and back to the host 4 times, ") != NULL);
    TW_EQUAL(run("known", "TW_SUMMARY", "0"), 0);
    TW_EQUAL(messages[0], 0);
}

TW_TEST(a_summary_names_slow_kernels)
{
    if (FEW)
        TW_SKIP();
    TW_EQUAL(run("slow", "TW_SUMMARY", "1"), 0);
    TW_CHECK(strstr(messages, "* kernel slow (100.0% of the time of all kernels, on device ") != NULL);
    TW_CHECK(strstr(messages, ") is slow: it is told so (here.c:1)\n") != NULL);
    TW_CHECK(strstr(messages, "two dimensions") == NULL);
    TW_EQUAL(run("stacks", "TW_SUMMARY", "1"), 0);
    TW_CHECK(strstr(messages, "* kernel shift (100.0% of the time of all kernels, on device ") != NULL);
    TW_CHECK(strstr(messages, ") is slow: each work-item keeps a stack") != NULL);
    TW_EQUAL(run("to and fro", "TW_SUMMARY", "1"), 0);
    TW_CHECK(strstr(messages, " is slow: ") == NULL);
}

TW_TEST_LIST = {TW_CASE(the_program_that_is_traced),
                TW_CASE(a_trace_is_what_the_program_does),
                TW_CASE(threads_have_their_own_tracks),
                TW_CASE(a_trace_goes_on_after_a_shutdown_and_a_fork),
                TW_CASE(what_failed_and_was_cancelled_is_in_the_trace),
                TW_CASE(what_a_full_device_gives_up_is_told),
                TW_CASE(two_processes_have_two_files),
                TW_CASE(a_trace_may_be_too_large),
                TW_CASE(a_crash_leaves_a_trace),
                TW_CASE(a_program_goes_on_without_its_tools),
                TW_CASE(a_summary_agrees_with_the_trace),
                TW_CASE(a_summary_says_what_to_change),
                TW_CASE(a_summary_names_slow_kernels),
                TW_CASES_END};
