/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Measures the errors of the mathematical functions on one device, the first that TW_DEVICES leaves, against MPFR, and
 * prints a table of the largest ones in ulp.
 *
 *     accuracy [--samples N] [--function NAME] [--threads N] [--worst] [--all [--every N]]
 *
 * --samples N     arguments for each function and type besides the special ones (10000); of halves all are tried where
 *                 there is one argument
 * --function NAME this one only
 * --threads N     that compare; else as many as there are processors
 * --worst         says for which arguments the errors occurred
 * --all           all floats instead, 2^32 of them, for the functions of one argument: takes some hours of a processor.
 * It
 *                 compares with the C library's double functions, and asks MPFR before it reports an error.
 * --every N       then only every N-th float
 *
 * Exit status: 0 if no error is above OpenCL 1.2's bound, 1 if one is, 2 if something else went wrong.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accuracy.h"

#define ENTRY(id, arguments, result, float_bound, double_bound, half_bound, ...)                                       \
    {#id, arguments, result, {float_bound, double_bound, half_bound}},
const struct function functions[FUNCTIONS] = {ALL_FUNCTIONS(ENTRY)};

const struct format formats[TYPES] = {{"float", 24, 127, -126}, {"double", 53, 1023, -1022}, {"half", 11, 15, -14}};

static struct {
    size_t samples, every;
    unsigned threads;
    const char *function;
    int worst, all;
} options = {10000, 1, 0, NULL, 0, 0};

static double largest[FUNCTIONS][TYPES];
static int violations;

/* ---- comparing --------------------------------------------------------------------------------------------------- */

/* The largest error that a thread found in its part of a batch, and where. */
struct part {
    const struct batch *batch;
    size_t first, past, worst;
    double error;
};

/* Arguments that a function need not serve. */
static int out_of_domain(const struct batch *batch, size_t i)
{
    const int function = batch->function;
    return (function == ID_half_cos || function == ID_half_sin || function == ID_half_tan)
           && !(fabs(batch->x[i]) <= 65536);
}

static void *compare_part(void *context)
{
    struct part *part = context;
    for (size_t i = part->first; i < part->past; ++i) {
        double error = options.all ? quick_error_of(part->batch, i) : error_of(part->batch, i);
        if (error <= part->error || out_of_domain(part->batch, i))
            continue;
        if (options.all && error > functions[part->batch->function].bound[part->batch->type])
            error = error_of(part->batch, i);
        if (error > part->error) {
            part->error = error;
            part->worst = i;
        }
    }
    return NULL;
}

static void report(const struct part *worst, const char *verdict)
{
    const struct batch *b = worst->batch;
    const size_t i = worst->worst;
    char exact[64];
    describe_exact(b, i, exact, sizeof exact);
    printf("%s %s of %s: %.4g ulp: x = %a", verdict, functions[b->function].name, formats[b->type].name, worst->error,
           b->x[i]);
    if (functions[b->function].arguments == TWO || functions[b->function].arguments == THREE)
        printf(", y = %a", b->y[i]);
    if (functions[b->function].arguments == THREE)
        printf(", z = %a", b->z[i]);
    if (functions[b->function].arguments == ONE_INT)
        printf(", n = %d", b->n[i]);
    if (functions[b->function].result == INTEGER)
        printf(": %d, exactly %s\n", b->integer[i], exact);
    else
        printf(": %.17g (%a), exactly %s\n", b->result[i], b->result[i], exact);
}

static void compare(const struct batch *batch)
{
    enum { MOST = 256 };
    struct part parts[MOST];
    pthread_t threads[MOST];
    const unsigned count = options.threads < MOST ? options.threads : MOST;
    for (unsigned t = 0; t < count; ++t) {
        parts[t] = (struct part){batch, batch->count * t / count, batch->count * (t + 1) / count, 0, 0};
        if (pthread_create(&threads[t], NULL, compare_part, &parts[t]) != 0) {
            fprintf(stderr, "accuracy: no thread\n");
            exit(2);
        }
    }
    struct part worst = {batch, 0, 0, 0, -1};
    for (unsigned t = 0; t < count; ++t) {
        pthread_join(threads[t], NULL);
        if (parts[t].error > worst.error)
            worst = parts[t];
    }
    double *known = &largest[batch->function][batch->type];
    const double bound = functions[batch->function].bound[batch->type];
    if (worst.error > bound) {
        ++violations;
        report(&worst, "ABOVE THE BOUND:");
    } else if (options.worst && worst.error > *known) {
        report(&worst, "largest:");
    }
    *known = fmax(*known, worst.error);
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static struct batch make_batch(int function, int type, size_t count)
{
    struct batch b = {function, type, count, NULL, NULL, NULL, NULL, NULL, NULL};
    double **numbers[] = {&b.x, &b.y, &b.z, &b.result};
    int **ints[] = {&b.n, &b.integer};
    int failed = 0;
    for (int i = 0; i < 4; ++i)
        failed |= !(*numbers[i] = calloc(count, sizeof(double)));
    for (int i = 0; i < 2; ++i)
        failed |= !(*ints[i] = calloc(count, sizeof(int)));
    if (failed) {
        fprintf(stderr, "accuracy: out of memory\n");
        exit(2);
    }
    return b;
}

static void free_batch(struct batch *b)
{
    free(b->x);
    free(b->y);
    free(b->z);
    free(b->result);
    free(b->n);
    free(b->integer);
}

static void measure(int function, int type)
{
    const int arguments = functions[function].arguments;
    const size_t special = arguments == TWO ? 8000 : arguments == ONE_INT ? 2500 : 100;
    struct batch batch =
        make_batch(function, type, type == HALF && arguments == ONE ? 65536 : special + options.samples);
    choose_inputs(&batch, 1 + (uint64_t)function * TYPES + (uint64_t)type);
    evaluate(&batch);
    compare(&batch);
    free_batch(&batch);
}

static void measure_all_floats(int function)
{
    const uint64_t total = ((uint64_t)1 << 32) / options.every, block = (uint64_t)1 << 22;
    struct batch batch = make_batch(function, FLOAT, block);
    for (uint64_t first = 0; first < total; first += block) {
        batch.count = total - first < block ? total - first : block;
        for (size_t i = 0; i < batch.count; ++i) {
            const uint32_t bits = (uint32_t)((first + i) * options.every);
            float x;
            memcpy(&x, &bits, sizeof x);
            batch.x[i] = x;
        }
        evaluate(&batch);
        compare(&batch);
    }
    free_batch(&batch);
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static void print_cell(int function, int type)
{
    const double error = largest[function][type], bound = functions[function].bound[type];
    if (bound < 0 || (options.all && type != FLOAT))
        printf(" |        ");
    else if (error >= 1e6)
        printf(" | %7s", "> 1e6");
    else
        printf(" | %7.2f", error);
    if (bound >= 0 && bound < NONE && !(options.all && type != FLOAT))
        printf(" / %-4g", bound);
    else
        printf("       ");
}

static void print_table(void)
{
    printf("\n| %-14s | %-14s | %-14s | %-14s |\n|---|---|---|---|\n", "function", "float", "double", "half");
    for (int f = 0; f < FUNCTIONS; ++f) {
        if (largest[f][FLOAT] < 0 && largest[f][DOUBLE] < 0 && largest[f][HALF] < 0)
            continue;
        printf("| %-14s", functions[f].name);
        for (int type = 0; type < TYPES; ++type)
            print_cell(f, type);
        printf(" |\n");
    }
}

static int usage(const char *argument)
{
    fprintf(stderr, "accuracy: %s: see the head of main.c for the options\n", argument);
    return 2;
}

static unsigned long number_after(char **argv, int i)
{
    return argv[i + 1] ? strtoul(argv[i + 1], NULL, 10) : 0;
}

int main(int argc, char **argv)
{
    int found = 0;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--worst") == 0)
            options.worst = 1;
        else if (strcmp(argv[i], "--all") == 0)
            options.all = 1;
        else if (strcmp(argv[i], "--samples") == 0 && number_after(argv, i))
            options.samples = number_after(argv, i++);
        else if (strcmp(argv[i], "--every") == 0 && number_after(argv, i))
            options.every = number_after(argv, i++);
        else if (strcmp(argv[i], "--threads") == 0 && number_after(argv, i))
            options.threads = (unsigned)number_after(argv, i++);
        else if (strcmp(argv[i], "--function") == 0 && argv[i + 1])
            options.function = argv[++i];
        else
            return usage(argv[i]);
    }
    if (options.threads == 0)
        options.threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    printf("Largest errors in ulp on %s%s.\n", device_name(), options.all ? ", all floats" : "");
    for (int f = 0; f < FUNCTIONS; ++f)
        for (int type = 0; type < TYPES; ++type) {
            largest[f][type] = -1;
            if (functions[f].bound[type] < 0 || (options.function && strcmp(options.function, functions[f].name) != 0))
                continue;
            if (!options.all)
                measure(f, type);
            else if (f <= ID_trunc && type == FLOAT)
                measure_all_floats(f);
            else
                continue;
            ++found;
        }
    if (!found)
        return usage(options.function ? options.function : "--all");
    print_table();
    close_device();
    if (violations)
        printf("\n%d errors are above the bound.\n", violations);
    return violations ? 1 : 0;
}
