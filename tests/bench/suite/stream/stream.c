/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of the stream programs, and what must come out. */
#include "stream.h"

#include <stdio.h>
#include <stdlib.h>

static double x_of(size_t i)
{
    return (double)(i * 37 % 1021) / 8;
}

static double y_of(size_t i)
{
    return (double)(i * 101 % 509) / 8;
}

static void free_problem(struct suite_problem *problem)
{
    struct stream *s = problem->data;
    if (!s)
        return;
    free(s->x);
    free(s->y);
    free(s);
    problem->data = NULL;
}

static size_t elements(enum suite_size size)
{
    return (size_t)1 << (size == SUITE_GPU ? 27 : size == SUITE_CPU ? 24 : 16);
}

static bool make(enum suite_size size, struct suite_problem *problem, const char *name, unsigned arrays, double flops)
{
    struct stream *s = calloc(1, sizeof *s);
    problem->data = s;
    if (!s)
        return false;
    const size_t n = s->n = elements(size);
    s->x = suite_allocate(n * sizeof(double));
    s->y = suite_allocate(n * sizeof(double));
    if (!s->x || !s->y)
        return false;
    double dot = 0;
#pragma omp parallel for reduction(+ : dot)
    for (size_t i = 0; i < n; ++i) {
        s->x[i] = x_of(i);
        s->y[i] = y_of(i);
        dot += s->x[i] * s->y[i];
    }
    s->dot = dot;
    problem->result_bytes = n * sizeof(double);
    problem->work = (struct suite_work){(double)(arrays * n * sizeof(double)), flops * (double)n, 1};
    snprintf(problem->title, sizeof problem->title, "stream, %s of %zu KiB of double", name, n * sizeof(double) >> 10);
    return true;
}

static bool check(const struct suite_problem *problem, const void *result, double (*expected)(double x, double y))
{
    const struct stream *s = problem->data;
    const double *out = result;
    for (size_t i = 0; i < s->n; ++i)
        if (out[i] != expected(s->x[i], s->y[i])) {
            fprintf(stderr, "%s: element %zu is %g, not %g\n", problem->title, i, out[i], expected(s->x[i], s->y[i]));
            return false;
        }
    return true;
}

/* A program whose result is an array: what an element is, how many arrays move, and operations for each element. */
#define ARRAY_PROGRAM(kernel, formula, arrays, flops)                                                                  \
    static double expected_##kernel(double x, double y)                                                                \
    {                                                                                                                  \
        (void)y;                                                                                                       \
        return formula;                                                                                                \
    }                                                                                                                  \
    static bool check_##kernel(const struct suite_problem *problem, const void *result)                                \
    {                                                                                                                  \
        return check(problem, result, expected_##kernel);                                                              \
    }                                                                                                                  \
    static bool make_##kernel(enum suite_size size, struct suite_problem *problem)                                     \
    {                                                                                                                  \
        return make(size, problem, #kernel, arrays, flops);                                                            \
    }                                                                                                                  \
    const struct suite_program suite_stream_##kernel = {                                                               \
        .name = "stream_" #kernel,                                                                                     \
        .source = "BabelStream",                                                                                       \
        .make = make_##kernel,                                                                                         \
        .free = free_problem,                                                                                          \
        .check = check_##kernel,                                                                                       \
    }

ARRAY_PROGRAM(copy, x, 2, 0);
ARRAY_PROGRAM(mul, STREAM_SCALE *x, 2, 1);
ARRAY_PROGRAM(add, x + y, 3, 1);
ARRAY_PROGRAM(triad, x + STREAM_SCALE * y, 3, 2);

static bool make_dot(enum suite_size size, struct suite_problem *problem)
{
    const bool made = make(size, problem, "dot", 2, 2);
    problem->result_bytes = sizeof(double);
    return made;
}

static bool check_dot(const struct suite_problem *problem, const void *result)
{
    const struct stream *s = problem->data;
    const double *sum = result;
    if (*sum != s->dot)
        fprintf(stderr, "%s: the sum is %g, not %g\n", problem->title, *sum, s->dot);
    return *sum == s->dot;
}

const struct suite_program suite_stream_dot = {
    .name = "stream_dot", .source = "BabelStream", .make = make_dot, .free = free_problem, .check = check_dot};
