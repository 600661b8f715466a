/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring in turns: all entries for an operation do the same job, one sample each in every round. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "micro.h"

enum { MOST_ENTRIES = 32, MOST_ROUNDS = 31, FEWEST_ROUNDS = 3, QUICK_ROUNDS = 2 };

struct micro_options micro_options = {.seconds = 1.0};

static const struct {
    const char *name, *unit;
} ops[MICRO_OPS] = {
    [MICRO_SUBMIT] = {"submit", "us"},
    [MICRO_SUBMIT_WAIT] = {"submit_wait", "us"},
    [MICRO_CHAIN] = {"chain", "us"},
    [MICRO_KERNELS] = {"kernels", "us"},
    [MICRO_LOOP] = {"loop", "us"},
    [MICRO_FAN] = {"fan", "us"},
    [MICRO_QUEUED] = {"queued", "us"},
    [MICRO_DRAINED] = {"drained", "us"},
    [MICRO_MEMORY] = {"memory", "bytes"},
    [MICRO_BUFFERS] = {"buffers", "us"},
    [MICRO_ACCESSORS] = {"accessors", "us"},
    [MICRO_SEND] = {"send", "us"},
    [MICRO_FETCH] = {"fetch", "us"},
    [MICRO_PART_WAIT] = {"part_wait", "us"},
    [MICRO_PART_CHAIN] = {"part_chain", "us"},
    [MICRO_DEVICES] = {"devices", "us"},
    [MICRO_DEVICES_REPLAY] = {"devices_replay", "us"},
};

/* A result. */
struct row {
    enum micro_op op;
    const char *side, *variant; /* static */
    char parameter[64];
    struct bench_summary value;
};

static struct row *rows;
static size_t row_count;

bool micro_wanted(enum micro_op op)
{
    return bench_is_listed(micro_options.only, ops[op].name);
}

bool micro_sizes(size_t first, size_t factor, size_t last, bool (*run)(size_t size))
{
    bool right = true;
    for (size_t size = first; size <= last; size *= factor)
        right = run(size) && right;
    return right;
}

/* ---- threads ----------------------------------------------------------------------------------------------- */

struct thread {
    pthread_t handle;
    pthread_barrier_t *begin;
    bool (*body)(void *user, unsigned thread);
    void *user;
    unsigned number;
    double from, to;
    bool done;
};

static void *run_thread(void *argument)
{
    struct thread *thread = argument;
    pthread_barrier_wait(thread->begin);
    thread->from = bench_now();
    thread->done = thread->body(thread->user, thread->number);
    thread->to = bench_now();
    return NULL;
}

double micro_on_threads(unsigned count, bool (*body)(void *user, unsigned thread), void *user)
{
    enum { MOST = 64 };
    struct thread threads[MOST];
    pthread_barrier_t begin;
    bool done = true;
    if (count <= 1) { /* as in a program without threads */
        const double start = bench_now();
        done = body(user, 0);
        return done ? bench_now() - start : -1;
    }
    if (count > MOST)
        return -1;
    pthread_barrier_init(&begin, NULL, count);
    for (unsigned i = 0; i < count; ++i) {
        threads[i] = (struct thread){.begin = &begin, .body = body, .user = user, .number = i};
        if (pthread_create(&threads[i].handle, NULL, run_thread, &threads[i])) {
            fprintf(stderr, "no thread could be started\n");
            abort(); /* the others wait for it */
        }
    }
    double from = 0, to = 0;
    for (unsigned i = 0; i < count; ++i) {
        pthread_join(threads[i].handle, NULL);
        from = i == 0 || threads[i].from < from ? threads[i].from : from;
        to = i == 0 || threads[i].to > to ? threads[i].to : to;
        done = done && threads[i].done;
    }
    pthread_barrier_destroy(&begin);
    return done ? to - from : -1;
}

bool micro_share(const struct micro_job *job, unsigned threads, bool (*body)(void *user, unsigned thread), void *user,
                 double *value)
{
    const double seconds = micro_on_threads(threads, body, user);
    *value = seconds * 1e6 / (double)(job->count / threads * threads);
    return seconds >= 0;
}

/* ---- measuring --------------------------------------------------------------------------------------------- */

static bool add_row(enum micro_op op, const char *side, const char *variant, const char *parameter,
                    struct bench_summary value)
{
    struct row *grown = realloc(rows, (row_count + 1) * sizeof *rows);
    if (!grown) {
        fprintf(stderr, "no memory for a result\n");
        return false;
    }
    rows = grown;
    rows[row_count] = (struct row){.op = op, .side = side, .variant = variant, .value = value};
    snprintf(rows[row_count++].parameter, sizeof rows->parameter, "%s", parameter);
    printf("%-12s %-36s %-10s %-22s %12.3f %-5s (%.3f to %.3f)\n", ops[op].name, parameter, side, variant, value.median,
           ops[op].unit, value.p25, value.p75);
    fflush(stdout);
    return true;
}

/* An entry while its job is measured. */
struct running {
    const struct micro_entry *entry;
    struct micro_job job;
    double samples[MOST_ROUNDS];
    size_t count;
    bool right;
};

static bool can_do(const struct micro_entry *entry, enum micro_op op, const struct micro_job *job)
{
    const size_t size = op == MICRO_SEND || op == MICRO_FETCH ? job->bytes : job->count;
    return entry->op == op && (!entry->most || size <= entry->most) && !(entry->one_thread && job->threads);
}

/* Adds the entries of a module for an operation to `count` others. */
static size_t collect_of(const struct micro_entries *module, enum micro_op op, const struct micro_job *job,
                         struct running *running, size_t count)
{
    for (size_t i = 0; i < module->count && count < MOST_ENTRIES; ++i)
        if ((!module->available || module->available()) && can_do(&module->entries[i], op, job))
            running[count++] = (struct running){.entry = &module->entries[i], .job = *job, .right = true};
    return count;
}

/* The entries for an operation, of all modules that were linked. */
static size_t collect(enum micro_op op, const struct micro_job *job, struct running *running)
{
    static const struct micro_entries *const modules[] = {
        &micro_tasks,  &micro_tasks_openmp,  &micro_transfers, &micro_devices,
#ifdef MICRO_HAVE_TARGET
        &micro_target, &micro_target_nowait,
#endif
#ifdef MICRO_HAVE_CUDA
        &micro_cuda,
#endif
    };
    size_t count = 0;
    for (size_t m = 0; m < sizeof modules / sizeof modules[0]; ++m)
        count = collect_of(modules[m], op, job, running, count);
    return count;
}

/* One turn of an entry. Idle OpenMP threads spin for 200 ms after a sample, be it OpenMP's or that of a range kernel:
   not while others are measured. */
static void take_turn(void *user, size_t entry, unsigned round)
{
    struct running *r = (struct running *)user + entry;
    double value = 0;
    (void)round;
    if (!r->right)
        return;
    r->right = r->entry->sample(&r->job, &value);
    if (bench_on_host())
        bench_openmp_threads(r->job.threads, false);
    if (r->right)
        r->samples[r->count++] = value;
}

/* The first round pays for what happens only once, and is kept only where jobs are so long that it has to do. */
static void measure(struct running *running, size_t count)
{
    const unsigned least = micro_options.quick ? QUICK_ROUNDS : FEWEST_ROUNDS;
    const unsigned most = micro_options.quick ? QUICK_ROUNDS : MOST_ROUNDS;
    const double begin = bench_now();
    bench_take_rounds(0, (struct bench_effort){1, 1, 0}, count, take_turn, running);
    const double taken = bench_now() - begin;
    if (taken > 3 * micro_options.seconds)
        return;
    for (size_t i = 0; i < count; ++i)
        running[i].count = 0;
    bench_take_rounds(0, (struct bench_effort){least, most, micro_options.seconds - taken}, count, take_turn, running);
}

bool micro_measure(enum micro_op op, const char *parameter, const struct micro_job *job)
{
    static struct running running[MOST_ENTRIES];
    if (!micro_wanted(op))
        return true;
    const size_t count = collect(op, job, running);
    for (size_t i = 0; i < count; ++i)
        if (running[i].entry->prepare)
            running[i].right = running[i].entry->prepare(&running[i].job);
    measure(running, count);
    bool right = true;
    for (size_t i = 0; i < count; ++i) {
        struct running *r = &running[i];
        const bool finished = !r->entry->finish || r->entry->finish(&r->job);
        if (r->right && finished) {
            const struct bench_summary value = bench_summarize(r->samples, r->count);
            right = add_row(op, r->entry->side, r->entry->variant, parameter, value) && right;
        } else {
            fprintf(stderr, "%s %s: %s %s FAILED\n", ops[op].name, parameter, r->entry->side, r->entry->variant);
            right = false;
        }
    }
    return right;
}

/* ---- results ----------------------------------------------------------------------------------------------- */

bool micro_write_json(void)
{
    struct bench_json json;
    if (!micro_options.json)
        return true;
    if (!bench_json_open(&json, micro_options.json, "micro", bench_device_name(), bench_on_gpu()))
        return false;
    bench_json_text(&json, "size", micro_options.quick ? "quick" : "full");
    bench_json_rows(&json);
    for (size_t i = 0; i < row_count; ++i) {
        const struct row *row = &rows[i];
        bench_json_row(&json);
        bench_json_text(&json, "bench", ops[row->op].name);
        bench_json_text(&json, "variant", row->variant);
        bench_json_text(&json, "side", row->side);
        bench_json_text(&json, "parameter", row->parameter);
        bench_json_number(&json, "value", row->value.median);
        bench_json_text(&json, "unit", ops[row->op].unit);
        bench_json_number(&json, "p25", row->value.p25);
        bench_json_number(&json, "p75", row->value.p75);
    }
    return bench_json_close(&json);
}
