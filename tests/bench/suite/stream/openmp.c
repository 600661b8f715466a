/* SPDX-License-Identifier: Apache-2.0 */
/* The stream programs in OpenMP. */
#include "../arrays_openmp.h"
#include "stream.h"

/* What stands before a loop over an array. */
#ifdef SUITE_TARGET
#define LOOP _Pragma("omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(x, y, out)")
#else
#define LOOP _Pragma("omp parallel for simd schedule(static)")
#endif

#define ARRAY_PROGRAM(name, formula)                                                                                   \
    static bool SUITE_NAME(run_##name)(void *state)                                                                    \
    {                                                                                                                  \
        const struct suite_openmp *s = state;                                                                          \
        const double *restrict x = s->at[STREAM_X], *restrict y = s->at[STREAM_Y];                                     \
        double *restrict out = s->at[STREAM_OUT];                                                                      \
        const size_t n = ((const struct stream *)s->problem)->n;                                                       \
        (void)y;                                                                                                       \
        LOOP for (size_t i = 0; i < n; ++i) out[i] = formula;                                                          \
        return true;                                                                                                   \
    }                                                                                                                  \
    static const struct suite_version name##_versions[] = {SUITE_OPENMP_VERSION("flat", SUITE_NAME(run_##name))};      \
    const struct suite_versions SUITE_OPENMP_VERSIONS(stream_##name) = SUITE_VERSIONS(name##_versions)

ARRAY_PROGRAM(copy, x[i]);
ARRAY_PROGRAM(mul, STREAM_SCALE *x[i]);
ARRAY_PROGRAM(add, x[i] + y[i]);
ARRAY_PROGRAM(triad, x[i] + STREAM_SCALE * y[i]);

struct dot {
    struct suite_openmp *common;
    double sum;
};

static void *open_dot(const void *problem)
{
    struct dot *d = calloc(1, sizeof *d);
    if (d && (d->common = suite_openmp_open(problem)))
        return d;
    free(d);
    return NULL;
}

static bool fetch_dot(void *state, void *result)
{
    memcpy(result, &((struct dot *)state)->sum, sizeof(double));
    return true;
}

static void close_dot(void *state)
{
    suite_openmp_close(((struct dot *)state)->common);
    free(state);
}

static bool SUITE_NAME(run_dot)(void *state)
{
    struct dot *d = state;
    const double *restrict x = d->common->at[STREAM_X], *restrict y = d->common->at[STREAM_Y];
    const size_t n = ((const struct stream *)d->common->problem)->n;
    double sum = 0;
#ifdef SUITE_TARGET
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum) device(suite_openmp_device)      \
    is_device_ptr(x, y)
#else
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
#endif
    for (size_t i = 0; i < n; ++i)
        sum += x[i] * y[i];
    d->sum = sum;
    return true;
}

SUITE_OPENMP_LIST(stream_dot, {"reduction", NULL, open_dot, SUITE_NAME(run_dot), fetch_dot, close_dot})
