/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels by LLVM's liboffload itself: what the backend ol builds upon. The kernels are the program's own regions, with the
 * parameters that the backend gives them, on queues of the benchmark. Takes part if TW_BACKEND=ol has loaded liboffload,
 * and needs that backend's private headers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/bench_teamwork.h"
#include "backends/gpu/gpu_image.h"
#include "backends/ol/ol_driver.h"
#include "micro.h"

enum { MOST_THREADS = 8, FAN_QUEUES = 4, BLOCK_WORDS = 8, MOST_WORDS = 1 + TW_INTERNAL_SIMT_WORDS + BLOCK_WORDS + 3 };

struct bare_bump {
    unsigned *x;
};
static inline void bare_bump(const struct bare_bump *k)
{
    ++*k->x;
}
TW_SINGLE_TASK(bare_bump);

struct bare_nothing {
    unsigned unused;
};
static inline void bare_nothing(const struct bare_nothing *k)
{
    (void)k;
}
TW_SINGLE_TASK(bare_nothing);

/* A kernel of the program. */
struct bare_kernel {
    const char *function; /* around its region */
    ol_symbol symbol;
    size_t bytes; /* of its parameters */
};

struct state {
    const struct micro_job *job; /* of the sample that runs */
    ol_queue queues[MOST_THREADS];
    unsigned *counters; /* on the device, one for each thread */
    unsigned threads;
    size_t expected;
};

static ol_program program;
static struct bare_kernel bump_kernel = {.function = "bare_bump_tw_simt_8"},
                          nothing_kernel = {.function = "bare_nothing_tw_simt_8"};

static bool passed(ol_result error)
{
    if (error)
        fprintf(stderr, "liboffload: %s\n", error->details);
    return !error;
}

static ol_device gpu(void)
{
    return tw_ol_device(0)->handle;
}

/* ---- the program's image ----------------------------------------------------------------------------------------- */

static bool find_kernel(struct tw_bytes image, struct bare_kernel *kernel)
{
    struct tw_gpu_image_kernel found;
    if (tw_gpu_image_find(image, kernel->function, &found) || found.parameter_bytes > MOST_WORDS * sizeof(uint64_t))
        return false;
    kernel->bytes = found.parameter_bytes;
    return passed(tw_ol.symbol_get(program, found.name, OL_SYMBOL_KERNEL, &kernel->symbol));
}

static bool consider(const struct tw_image *image, void *unused)
{
    bool is_valid = false;
    (void)unused;
    if (!image->contents.at || tw_ol.is_valid_binary(gpu(), image->contents.at, image->contents.size, &is_valid)
        || !is_valid || !passed(tw_ol.program_create(gpu(), image->contents.at, image->contents.size, &program)))
        return true;
    if (!find_kernel(image->contents, &bump_kernel) || !find_kernel(image->contents, &nothing_kernel))
        fprintf(stderr, "liboffload: the program's image lacks a kernel\n");
    return false;
}

static bool has_device(void)
{
    if (!tw_ol.launch || !bench_on_gpu())
        return false;
    if (!program)
        tw_image_visit(tw_image_binaries((uintptr_t)&micro_child), consider, NULL);
    return bump_kernel.symbol && nothing_kernel.symbol;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static bool open_queues(struct micro_job *job)
{
    static const unsigned zeros[MOST_THREADS];
    struct state *s = calloc(1, sizeof *s);
    void *memory = NULL;
    job->state = s;
    if (!s || !passed(tw_ol.memory_allocate(gpu(), OL_ALLOC_DEVICE, sizeof zeros, &memory)))
        return false;
    s->counters = memory;
    s->threads = job->threads > 1 ? job->threads : 1;
    for (unsigned i = 0; i < MOST_THREADS; ++i)
        if (!passed(tw_ol.queue_create(gpu(), &s->queues[i])))
            return false;
    return passed(tw_ol.copy(NULL, memory, gpu(), zeros, tw_ol_host(), sizeof zeros));
}

static bool close_queues(struct micro_job *job)
{
    struct state *s = job->state;
    unsigned counted[MOST_THREADS] = {0};
    size_t sum = 0;
    if (!s)
        return true;
    bool right = passed(tw_ol.copy(NULL, counted, tw_ol_host(), s->counters, gpu(), sizeof counted));
    for (unsigned i = 0; i < MOST_THREADS; ++i) {
        sum += counted[i];
        if (s->queues[i])
            (void)tw_ol.queue_destroy(s->queues[i]);
    }
    (void)tw_ol.memory_free(s->counters);
    if (sum != s->expected)
        fprintf(stderr, "liboffload's kernels counted to %zu instead of %zu\n", sum, s->expected);
    right = right && sum == s->expected;
    free(s);
    job->state = NULL;
    return right;
}

static ol_result launch(const struct state *s, const struct bare_kernel *kernel, unsigned queue, unsigned counter)
{
    uint64_t parameters[MOST_WORDS];
    memset(parameters, 0, kernel->bytes);
    parameters[1 + TW_INTERNAL_SIMT_WORDS] = (uint64_t)(uintptr_t)(s->counters + counter);
    const struct ol_launch_size one = {.dimensions = 1, .groups = {1, 1, 1}, .group_size = {1, 1, 1}};
    return tw_ol.launch(s->queues[queue], gpu(), kernel->symbol, parameters, kernel->bytes, &one);
}

static double each_us(double start, const struct micro_job *job)
{
    return (bench_now() - start) * 1e6 / (double)job->count;
}

static bool sample_submit(const struct micro_job *job, double *value)
{
    const struct state *s = job->state;
    bool done = true;
    const double start = bench_now();
    for (size_t i = 0; i < job->count && done; ++i)
        done = !launch(s, &nothing_kernel, 0, 0);
    *value = each_us(start, job);
    return done && passed(tw_ol.queue_sync(s->queues[0]));
}

static bool sample_submit_wait(const struct micro_job *job, double *value)
{
    const struct state *s = job->state;
    bool done = true;
    const double start = bench_now();
    for (size_t i = 0; i < job->count && done; ++i)
        done = !launch(s, &nothing_kernel, 0, 0) && !tw_ol.queue_sync(s->queues[0]);
    *value = each_us(start, job);
    return done;
}

/* A thread's first call sets what the driver below knows of the thread. */
static bool chain_of_thread(void *user, unsigned thread)
{
    const struct state *s = user;
    const unsigned queue = s->job->shared_queue ? 0 : thread;
    bool done = tw_ol_enter(tw_ol_device(0));
    for (size_t i = 0; i < s->job->count / s->threads && done; ++i)
        done = passed(launch(s, &bump_kernel, queue, thread));
    return done && passed(tw_ol.queue_sync(s->queues[queue]));
}

static bool fan_of_thread(void *user, unsigned thread)
{
    const struct state *s = user;
    const unsigned first = s->job->shared_queue ? 0 : thread, count = s->threads > 1 ? 1 : FAN_QUEUES;
    bool done = tw_ol_enter(tw_ol_device(0));
    for (size_t i = 0; i < s->job->count / s->threads && done; ++i)
        done = passed(launch(s, &nothing_kernel, first + (unsigned)(i % count), 0));
    for (unsigned i = 0; i < count; ++i)
        done = passed(tw_ol.queue_sync(s->queues[first + i])) && done;
    return done;
}

static bool sample_chain(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    s->job = job;
    s->expected += job->count / s->threads * s->threads;
    const double seconds = micro_on_threads(s->threads, chain_of_thread, s);
    *value = seconds * 1e6 / (double)job->count;
    return seconds >= 0;
}

static bool sample_fan(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    s->job = job;
    const double seconds = micro_on_threads(s->threads, fan_of_thread, s);
    *value = seconds * 1e6 / (double)job->count;
    return seconds >= 0;
}

static const struct micro_entry entries[] = {
    {MICRO_SUBMIT, "liboffload", "", 0, open_queues, sample_submit, close_queues, true},
    {MICRO_SUBMIT_WAIT, "liboffload", "", 0, open_queues, sample_submit_wait, close_queues, true},
    {MICRO_CHAIN, "liboffload", "", 0, open_queues, sample_chain, close_queues, false},
    {MICRO_FAN, "liboffload", "", 0, open_queues, sample_fan, close_queues, false},
};
const struct micro_entries micro_tasks_ol = {entries, sizeof entries / sizeof entries[0], has_device};
