/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of the stream programs, and what must come out. */
#include "stream.h"

#include <stdio.h>

static double x_of(size_t i)
{
    return (double)(i * 37 % 1021) / 8;
}

static double y_of(size_t i)
{
    return (double)(i * 101 % 509) / 8;
}

static bool make(enum suite_size size, struct suite_problem *problem, const char *name, unsigned arrays, double flops)
{
    struct stream *s = suite_allocate_data(sizeof *s);
    problem->data = s;
    if (!s)
        return false;
    const size_t n = (size_t)1 << (size == SUITE_GPU ? 27 : size == SUITE_CPU ? 24 : 16), bytes = n * sizeof(double);
    double *x = suite_allocate(bytes), *y = suite_allocate(bytes), dot = 0;
    s->n = n;
    s->arrays =
        (struct suite_arrays){.at = {{bytes, x}, {bytes, y}, {bytes, NULL}}, .result = STREAM_OUT, .doubles = 7};
    if (!x || !y)
        return false;
#pragma omp parallel for reduction(+ : dot)
    for (size_t i = 0; i < n; ++i) {
        x[i] = x_of(i);
        y[i] = y_of(i);
        dot += x[i] * y[i];
    }
    s->dot = dot;
    problem->result_bytes = bytes;
    problem->work = (struct suite_work){(double)(arrays * bytes), flops * (double)n};
    snprintf(problem->title, sizeof problem->title, "stream, %s of %zu KiB of double", name, bytes >> 10);
    return true;
}

static bool check(const struct suite_problem *problem, const void *result, double (*expected)(double x, double y))
{
    const struct stream *s = problem->data;
    const double *out = result;
    for (size_t i = 0; i < s->n; ++i)
        if (out[i] != expected(x_of(i), y_of(i))) {
            fprintf(stderr, "%s: element %zu is %g, not %g\n", problem->title, i, out[i], expected(x_of(i), y_of(i)));
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
    const struct suite_program suite_stream_##kernel = {"stream_" #kernel, "BabelStream", make_##kernel,               \
                                                        suite_arrays_free, check_##kernel}

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

const struct suite_program suite_stream_dot = {"stream_dot", "BabelStream", make_dot, suite_arrays_free, check_dot};
