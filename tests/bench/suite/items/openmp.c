/* SPDX-License-Identifier: Apache-2.0 */
/* The same in OpenMP: on the host some paths, and some systems, are the lanes of vectors. */
#include <math.h>

#include "../arrays_openmp.h"
#include "items.h"

enum { LANES = 64 };

#define STEP(option, path, step, worth, sum)                                                                           \
    do {                                                                                                               \
        float u_, v_;                                                                                                  \
        ITEMS_RANDOM((option).seed, path, step, u_, v_);                                                               \
        const float normal_ = sqrtf(-2 * logf(u_)) * cosf(ITEMS_TWO_PI * v_);                                          \
        (worth) *= expf((option).drift + (option).volatility * normal_);                                               \
        (sum) += (worth);                                                                                              \
    } while (0)

#ifdef SUITE_TARGET

static bool SUITE_NAME(paths)(void *state)
{
    const struct suite_openmp *s = state;
    const struct items_option option = ITEMS_OPTION;
    const uint32_t count = (uint32_t)((const struct items *)s->problem)->count, steps = ITEMS_STEPS;
    float all = 0;
#pragma omp target teams distribute parallel for device(suite_openmp_device) firstprivate(option) reduction(+ : all)   \
    map(tofrom : all)
    for (uint32_t path = 0; path < count; ++path) {
        float worth = 1, sum = 0;
        for (uint32_t step = 0; step < steps; ++step)
            STEP(option, path, step, worth, sum);
        const float gain = sum / (float)steps - option.strike;
        all += gain > 0 ? gain : 0;
    }
    return suite_device_set(s->at[ITEMS_OUT], &all, sizeof all);
}

static bool SUITE_NAME(lines)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t count = ((const struct items *)s->problem)->count;
    const float *in = s->at[ITEMS_IN], *coefficients = s->at[ITEMS_COEFFICIENTS];
    float *out = s->at[ITEMS_OUT];
    const int length = ITEMS_LENGTH;
#pragma omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(in, coefficients, out)
    for (size_t line = 0; line < count; ++line) {
        float c[ITEMS_MOST], d[ITEMS_MOST];
        const float a = coefficients[line];
        float upper = 0, x = 0;
        for (int i = 0; i < length; ++i) {
            const float scale = 1 / (1 + 2 * a + a * upper);
            c[i] = upper = -a * scale;
            d[i] = x = (in[(size_t)i * count + line] + a * x) * scale;
        }
        out[(size_t)(length - 1) * count + line] = x;
        for (int i = length - 2; i >= 0; --i) {
            x = d[i] - c[i] * x;
            out[(size_t)i * count + line] = x;
        }
    }
    return true;
}

#else

/* (not inlined, so that the number of steps stays a value of the run) */
static __attribute__((noinline)) float paths_sum(struct items_option option, uint32_t count, uint32_t steps)
{
    double all = 0;
#pragma omp parallel for schedule(static) reduction(+ : all) firstprivate(option)
    for (uint32_t first = 0; first < count; first += LANES) {
        float worth[LANES], sum[LANES], payoffs = 0;
        for (uint32_t lane = 0; lane < LANES; ++lane) {
            worth[lane] = 1;
            sum[lane] = 0;
        }
        for (uint32_t step = 0; step < steps; ++step) {
#pragma omp simd
            for (uint32_t lane = 0; lane < LANES; ++lane)
                STEP(option, first + lane, step, worth[lane], sum[lane]);
        }
#pragma omp simd reduction(+ : payoffs)
        for (uint32_t lane = 0; lane < LANES; ++lane) {
            const float gain = sum[lane] / (float)steps - option.strike;
            payoffs += gain > 0 ? gain : 0;
        }
        all += (double)payoffs;
    }
    return (float)all;
}

static bool SUITE_NAME(paths)(void *state)
{
    const struct suite_openmp *s = state;
    const struct items_option option = ITEMS_OPTION;
    const float all = paths_sum(option, (uint32_t)((const struct items *)s->problem)->count, ITEMS_STEPS);
    memcpy(s->at[ITEMS_OUT], &all, sizeof all);
    return true;
}

/* The systems from `in` on. */
static void solve(const float *restrict in, const float *restrict a, float *restrict out, size_t count, int length)
{
    float c[ITEMS_MOST][LANES], d[ITEMS_MOST][LANES];
#pragma omp simd
    for (int lane = 0; lane < LANES; ++lane) {
        const float scale = 1 / (1 + 2 * a[lane]);
        c[0][lane] = -a[lane] * scale;
        d[0][lane] = in[lane] * scale;
    }
    for (int i = 1; i < length; ++i)
#pragma omp simd
        for (int lane = 0; lane < LANES; ++lane) {
            const float scale = 1 / (1 + 2 * a[lane] + a[lane] * c[i - 1][lane]);
            c[i][lane] = -a[lane] * scale;
            d[i][lane] = (in[(size_t)i * count + (size_t)lane] + a[lane] * d[i - 1][lane]) * scale;
        }
    memcpy(out + (size_t)(length - 1) * count, d[length - 1], sizeof d[0]);
    for (int i = length - 2; i >= 0; --i) {
#pragma omp simd
        for (int lane = 0; lane < LANES; ++lane)
            d[i][lane] -= c[i][lane] * d[i + 1][lane];
        memcpy(out + (size_t)i * count, d[i], sizeof d[0]);
    }
}

/* (likewise) */
static __attribute__((noinline)) void lines_all(const float *in, const float *a, float *out, size_t count, int length)
{
#pragma omp parallel for schedule(static)
    for (size_t first = 0; first < count; first += LANES)
        solve(in + first, a + first, out + first, count, length);
}

static bool SUITE_NAME(lines)(void *state)
{
    const struct suite_openmp *s = state;
    lines_all(s->at[ITEMS_IN], s->at[ITEMS_COEFFICIENTS], s->at[ITEMS_OUT], ((const struct items *)s->problem)->count,
              ITEMS_LENGTH);
    return true;
}

#endif

SUITE_OPENMP_LIST(paths, SUITE_OPENMP_VERSION("sum", SUITE_NAME(paths)))
SUITE_OPENMP_LIST(lines, SUITE_OPENMP_VERSION("flat", SUITE_NAME(lines)))
