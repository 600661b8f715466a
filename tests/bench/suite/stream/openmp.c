/* SPDX-License-Identifier: Apache-2.0 */
/* The stream programs in OpenMP. */
#include <stdlib.h>

#include "openmp_side.h"
#include "stream.h"

struct state {
    size_t n;
    double *x, *y, *out;
    double dot;
};

static void close_state(void *memory)
{
    struct state *s = memory;
    suite_device_free(s->x);
    suite_device_free(s->y);
    suite_device_free(s->out);
    free(s);
}

static void *open_state(const void *problem)
{
    const struct stream *p = problem;
    const size_t bytes = p->n * sizeof(double);
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->n = p->n;
    s->x = suite_device_memory(p->x, bytes);
    s->y = suite_device_memory(p->y, bytes);
    s->out = suite_device_memory(NULL, bytes);
    if (s->x && s->y && s->out)
        return s;
    close_state(s);
    return NULL;
}

static bool fetch(void *state, void *result)
{
    struct state *s = state;
    return suite_device_get(s->out, result, s->n * sizeof(double));
}

static bool fetch_dot(void *state, void *result)
{
    memcpy(result, &((struct state *)state)->dot, sizeof(double));
    return true;
}

/* What stands before a loop over an array. */
#ifdef SUITE_TARGET
#define LOOP _Pragma("omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(x, y, out)")
#else
#define LOOP _Pragma("omp parallel for simd schedule(static)")
#endif

#define ARRAY_PROGRAM(name, formula)                                                                                   \
    static bool SUITE_NAME(run_##name)(void *state)                                                                    \
    {                                                                                                                  \
        const struct state *s = state;                                                                                 \
        const double *restrict x = s->x, *restrict y = s->y;                                                           \
        double *restrict out = s->out;                                                                                 \
        const size_t n = s->n;                                                                                         \
        (void)y;                                                                                                       \
        LOOP for (size_t i = 0; i < n; ++i) out[i] = formula;                                                          \
        return true;                                                                                                   \
    }                                                                                                                  \
    static const struct suite_version name##_versions[] = {                                                            \
        {.form = "flat", .open = open_state, .run = SUITE_NAME(run_##name), .fetch = fetch, .close = close_state}};    \
    const struct suite_versions SUITE_OPENMP_VERSIONS(stream_##name) = SUITE_VERSIONS(name##_versions)

ARRAY_PROGRAM(copy, x[i]);
ARRAY_PROGRAM(mul, STREAM_SCALE *x[i]);
ARRAY_PROGRAM(add, x[i] + y[i]);
ARRAY_PROGRAM(triad, x[i] + STREAM_SCALE * y[i]);

static bool SUITE_NAME(run_dot)(void *state)
{
    struct state *s = state;
    const double *restrict x = s->x, *restrict y = s->y;
    const size_t n = s->n;
    double sum = 0;
#ifdef SUITE_TARGET
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum) device(suite_openmp_device)      \
    is_device_ptr(x, y)
#else
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
#endif
    for (size_t i = 0; i < n; ++i)
        sum += x[i] * y[i];
    s->dot = sum;
    return true;
}

static const struct suite_version dot_versions[] = {
    {.form = "reduction", .open = open_state, .run = SUITE_NAME(run_dot), .fetch = fetch_dot, .close = close_state}};
const struct suite_versions SUITE_OPENMP_VERSIONS(stream_dot) = SUITE_VERSIONS(dot_versions);
