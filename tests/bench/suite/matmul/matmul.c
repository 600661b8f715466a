/* SPDX-License-Identifier: Apache-2.0 */
/* Random matrices. A product is checked by multiplying it with a vector, which takes n^2 operations and not n^3. */
#include "matmul.h"

#include <stdio.h>
#include <stdlib.h>

/* Never 0: no element goes without notice. */
static double weight(size_t column)
{
    return (double)(1 + column * 2654435761u % 1021);
}

/* y = matrix x, exact: sums of whole numbers below 2^53. */
static void multiply(const float *matrix, const double *x, double *y, size_t n)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (size_t j = 0; j < n; ++j)
            sum += (double)matrix[i * n + j] * x[j];
        y[i] = sum;
    }
}

static bool make(enum suite_size size, struct suite_problem *problem, bool flat)
{
    struct matmul_problem *m = suite_allocate_data(sizeof *m);
    problem->data = m;
    if (!m)
        return false;
    const size_t n = size == SUITE_QUICK ? 128 : size == SUITE_GPU ? 4096 : flat ? 512 : 1024;
    const size_t bytes = n * n * sizeof(float);
    float *a = suite_allocate(bytes), *b = suite_allocate(bytes);
    double *expected = suite_allocate(n * sizeof *expected), *vectors = suite_allocate(2 * n * sizeof *vectors);
    m->n = n;
    m->arrays = (struct suite_arrays){.at = {{bytes, a}, {bytes, b}, {bytes, NULL}}, MATMUL_C, expected};
    if (!a || !b || !expected || !vectors) {
        free(vectors);
        return false;
    }
    uint64_t random = SUITE_SEED;
    for (size_t i = 0; i < n * n; ++i) {
        const uint64_t r = suite_random(&random);
        a[i] = (float)(r >> 20 & 7) - 3;
        b[i] = (float)(r >> 40 & 7) - 3;
    }
    for (size_t j = 0; j < n; ++j)
        vectors[j] = weight(j);
    multiply(b, vectors, vectors + n, n);
    multiply(a, vectors + n, expected, n);
    free(vectors);
    const double size_of_side = (double)n;
    problem->result_bytes = bytes;
    problem->work =
        (struct suite_work){.bytes = 3 * (double)bytes, .flops = 2 * size_of_side * size_of_side * size_of_side};
    snprintf(problem->title, sizeof problem->title, "product of matrices of %zu x %zu floats", n, n);
    return true;
}

static bool make_flat(enum suite_size size, struct suite_problem *problem)
{
    return make(size, problem, true);
}

static bool make_tiled(enum suite_size size, struct suite_problem *problem)
{
    return make(size, problem, false);
}

static bool check(const struct suite_problem *problem, const void *result)
{
    const struct matmul_problem *m = problem->data;
    const double *expected = m->arrays.expected;
    double *vectors = suite_allocate(2 * m->n * sizeof *vectors);
    if (!vectors)
        return false;
    for (size_t j = 0; j < m->n; ++j)
        vectors[j] = weight(j);
    multiply(result, vectors, vectors + m->n, m->n);
    size_t wrong = 0;
    for (size_t i = 0; i < m->n; ++i)
        wrong += !(vectors[m->n + i] == expected[i]); /* a NaN is wrong, too */
    free(vectors);
    if (wrong)
        fprintf(stderr, "%s: %zu rows are wrong\n", problem->title, wrong);
    return wrong == 0;
}

const struct suite_program suite_matmul_flat = {"matmul_flat", "", make_flat, suite_arrays_free, check};
const struct suite_program suite_matmul = {"matmul", "", make_tiled, suite_arrays_free, check};
