/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring in turns: all entries for an operation do the same job, one sample each in every round. */
#define _POSIX_C_SOURCE 200809L
#include "micro.h"

#include "../samples.h"

#include <omp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_ENTRIES = 32, MOST_ROUNDS = 31, FEWEST_ROUNDS = 3, QUICK_ROUNDS = 2 };

struct micro_options micro_options = {.seconds = 1.0};

static const struct {
    const char *name, *unit;
} ops[MICRO_OPS] = {
    [MICRO_SUBMIT] = {"submit", "us"},   [MICRO_SUBMIT_WAIT] = {"submit_wait", "us"},
    [MICRO_CHAIN] = {"chain", "us"},     [MICRO_KERNELS] = {"kernels", "us"},
    [MICRO_FAN] = {"fan", "us"},         [MICRO_QUEUED] = {"queued", "us"},
    [MICRO_DRAINED] = {"drained", "us"}, [MICRO_MEMORY] = {"memory", "bytes"},
    [MICRO_BUFFERS] = {"buffers", "us"}, [MICRO_ACCESSORS] = {"accessors", "us"},
    [MICRO_SEND] = {"send", "us"},       [MICRO_FETCH] = {"fetch", "us"},
    [MICRO_MIGRATE] = {"migrate", "us"}, [MICRO_OVERLAP] = {"overlap", "us"},
    [MICRO_START] = {"start", "us"},     [MICRO_END] = {"end", "us"},
    [MICRO_IDLE] = {"idle", "ms"},       [MICRO_IDLE_LATER] = {"idle_later", "ms"},
};

/* A result. */
struct row {
    enum micro_op op;
    const char *side, *variant; /* static */
    char parameter[64];
    double value, p25, p75;
};

static struct row *rows;
static size_t row_count;

double micro_now(void)
{
    return bench_now();
}

bool micro_wanted(enum micro_op op)
{
    const char *only = micro_options.only;
    return !only || !strncmp(ops[op].name, only, strlen(only));
}

void micro_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("    ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    fflush(stdout);
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
    thread->from = micro_now();
    thread->done = thread->body(thread->user, thread->number);
    thread->to = micro_now();
    return NULL;
}

double micro_on_threads(unsigned count, bool (*body)(void *user, unsigned thread), void *user)
{
    enum { MOST = 64 };
    struct thread threads[MOST];
    pthread_barrier_t begin;
    bool done = true;
    if (count <= 1) { /* as in a program without threads */
        const double start = micro_now();
        done = body(user, 0);
        return done ? micro_now() - start : -1;
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

static bool add_row(enum micro_op op, const char *side, const char *variant, const char *parameter, double value,
                    double p25, double p75)
{
    struct row *grown = realloc(rows, (row_count + 1) * sizeof *rows);
    if (!grown) {
        fprintf(stderr, "no memory for a result\n");
        return false;
    }
    rows = grown;
    rows[row_count] = (struct row){.op = op, .side = side, .variant = variant, .value = value, .p25 = p25, .p75 = p75};
    snprintf(rows[row_count++].parameter, sizeof rows->parameter, "%s", parameter);
    printf("%-12s %-36s %-10s %-22s %12.3f %-5s (%.3f to %.3f)\n", ops[op].name, parameter, side, variant, value,
           ops[op].unit, p25, p75);
    fflush(stdout);
    return true;
}

bool micro_add(enum micro_op op, const char *side, const char *variant, const char *parameter, double value)
{
    return add_row(op, side, variant, parameter, value, value, value);
}

double micro_value(enum micro_op op, const char *side, const char *variant)
{
    for (size_t i = row_count; i-- > 0;)
        if (rows[i].op == op && !strcmp(rows[i].side, side) && !strcmp(rows[i].variant, variant))
            return rows[i].value;
    return 0;
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
    const size_t size = op == MICRO_SEND || op == MICRO_FETCH || op == MICRO_MIGRATE ? job->bytes : job->count;
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
    const struct micro_entries *const modules[] = {
        &micro_tasks,  &micro_tasks_openmp,  &micro_transfers, &micro_process, &micro_process_openmp,
#ifdef MICRO_HAVE_TARGET
        &micro_target, &micro_target_nowait,
#endif
#ifdef MICRO_HAVE_CUDA
        &micro_cuda,
#endif
    };
    static const struct micro_entries *const peers[] = {
#ifdef MICRO_HAVE_OPENCL
        &micro_tasks_opencl,
#endif
#ifdef MICRO_HAVE_STARPU
        &micro_tasks_starpu,
#endif
        NULL,
    };
    size_t count = 0;
    for (size_t m = 0; m < sizeof modules / sizeof modules[0]; ++m)
        count = collect_of(modules[m], op, job, running, count);
    for (size_t m = 0; micro_options.peers && peers[m]; ++m)
        count = collect_of(peers[m], op, job, running, count);
    return count;
}

/* Idle OpenMP threads spin for 200 ms after a sample, be it OpenMP's or that of a range kernel: not while others are
   measured. Pausing OpenMP softly does not end that. */
static void send_team_to_sleep(int threads)
{
    const int block_ms = kmp_get_blocktime(), most = omp_get_max_threads();
    if (!micro_device_is_host())
        return;
    kmp_set_blocktime(0);
#pragma omp parallel num_threads(threads > most ? threads : most)
    {
        __asm__ volatile("");
    }
    kmp_set_blocktime(block_ms);
}

/* One round; the first, which is kept only for long jobs, pays for what happens only once. */
static void measure_round(struct running *running, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        struct running *r = &running[i];
        double value = 0;
        if (!r->right)
            continue;
        r->right = r->entry->sample(&r->job, &value);
        send_team_to_sleep((int)r->job.threads);
        if (r->right)
            r->samples[r->count++] = value;
    }
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
    const unsigned fewest = micro_options.quick ? QUICK_ROUNDS : FEWEST_ROUNDS;
    const double begin = micro_now();
    measure_round(running, count);
    const bool long_job = micro_now() - begin > 3 * micro_options.seconds; /* the first round has to do */
    for (size_t i = 0; i < count && !long_job; ++i)
        running[i].count = 0;
    for (unsigned round = 0; !long_job && round < (micro_options.quick ? QUICK_ROUNDS : MOST_ROUNDS)
                             && (round < fewest || micro_now() - begin < micro_options.seconds);
         ++round)
        measure_round(running, count);
    bool right = true;
    for (size_t i = 0; i < count; ++i) {
        struct running *r = &running[i];
        const bool finished = !r->entry->finish || r->entry->finish(&r->job);
        if (r->right && finished) {
            bench_sort(r->samples, r->count);
            right = add_row(op, r->entry->side, r->entry->variant, parameter, bench_quantile(r->samples, r->count, 0.5),
                            bench_quantile(r->samples, r->count, 0.25), bench_quantile(r->samples, r->count, 0.75))
                    && right;
        } else {
            fprintf(stderr, "%s %s: %s %s FAILED\n", ops[op].name, parameter, r->entry->side, r->entry->variant);
            right = false;
        }
    }
    return right;
}

/* ---- results ----------------------------------------------------------------------------------------------- */

static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        if ((unsigned char)*text >= ' ')
            fputc(*text, file);
    }
    fputc('"', file);
}

static void write_row(FILE *file, const struct row *row)
{
    fprintf(file, "    {\"bench\": \"%s\", \"variant\": ", ops[row->op].name);
    write_string(file, row->variant);
    fprintf(file, ", \"side\": ");
    write_string(file, row->side);
    fprintf(file, ", \"parameter\": ");
    write_string(file, row->parameter);
    fprintf(file, ", \"value\": %.6g, \"unit\": \"%s\", \"p25\": %.6g, \"p75\": %.6g}", row->value, ops[row->op].unit,
            row->p25, row->p75);
}

bool micro_write_json(const char *device)
{
    if (!micro_options.json)
        return true;
    FILE *file = fopen(micro_options.json, "w");
    if (!file) {
        perror(micro_options.json);
        return false;
    }
    fprintf(file, "{\n  \"device\": ");
    write_string(file, device);
    fprintf(file, ",\n  \"compiler\": ");
    write_string(file, __VERSION__);
    fprintf(file, ",\n  \"rows\": [\n");
    for (size_t i = 0; i < row_count; ++i) {
        write_row(file, &rows[i]);
        fprintf(file, i + 1 < row_count ? ",\n" : "\n");
    }
    fprintf(file, "  ]\n}\n");
    const bool written = !ferror(file);
    return fclose(file) == 0 && written;
}
