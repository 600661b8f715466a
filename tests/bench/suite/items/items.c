/* SPDX-License-Identifier: Apache-2.0 */
/* The worth of an option, and systems of equations with their solutions. */
#include "items.h"

#include <math.h>
#include <stdio.h>

static double payoff_of(const struct items_option *o, uint32_t path)
{
    double worth = 1, sum = 0;
    for (uint32_t step = 0; step < ITEMS_STEPS; ++step) {
        float u, v;
        ITEMS_RANDOM(o->seed, path, step, u, v);
        const double normal = sqrt(-2 * log((double)u)) * cos(ITEMS_TWO_PI * (double)v);
        worth *= exp((double)o->drift + (double)o->volatility * normal);
        sum += worth;
    }
    return fmax(sum / ITEMS_STEPS - (double)o->strike, 0);
}

static bool make_paths(enum suite_size size, struct suite_problem *problem)
{
    static const struct items_option option = ITEMS_OPTION;
    struct items *items = suite_allocate_data(sizeof *items);
    problem->data = items;
    if (!items)
        return false;
    const unsigned log = size == SUITE_QUICK ? 11 : size == SUITE_CPU ? 15 : 22;
    float *sum = suite_allocate(sizeof *sum);
    items->count = (size_t)1 << log;
    items->arrays = (struct suite_arrays){.at = {[ITEMS_OUT] = {sizeof *sum, NULL}}, ITEMS_OUT, sum};
    if (!sum)
        return false;
    double all = 0;
#pragma omp parallel for schedule(static) reduction(+ : all)
    for (size_t path = 0; path < items->count; ++path)
        all += payoff_of(&option, (uint32_t)path);
    *sum = (float)all;
    problem->result_bytes = sizeof *sum;
    problem->literal = true;
    const double steps = (double)ITEMS_STEPS * (double)items->count;
    problem->work = (struct suite_work){.flops = 8 * steps};
    snprintf(problem->title, sizeof problem->title, "an option by 2^%u paths of %d steps", log, ITEMS_STEPS);
    return true;
}

/* (1 + 2 a) x[i] - a (x[i - 1] + x[i + 1]) = in[i], by elimination. */
static void solve(const float *in, float *out, size_t count, size_t line, double a)
{
    double c[ITEMS_LENGTH], d[ITEMS_LENGTH], upper = 0, before = 0;
    for (size_t i = 0; i < ITEMS_LENGTH; ++i) {
        const double scale = 1 / (1 + 2 * a + a * upper);
        c[i] = upper = -a * scale;
        d[i] = before = ((double)in[i * count + line] + a * before) * scale;
    }
    for (size_t i = ITEMS_LENGTH; i-- > 0;) {
        before = d[i] - (i + 1 < ITEMS_LENGTH ? c[i] * before : 0);
        out[i * count + line] = (float)before;
    }
}

static bool make_lines(enum suite_size size, struct suite_problem *problem)
{
    const unsigned log = size == SUITE_QUICK ? 10 : size == SUITE_CPU ? 16 : 21;
    const size_t count = (size_t)1 << log, numbers = count * ITEMS_LENGTH;
    struct items *items = suite_arrays_floats(problem, sizeof *items, numbers, numbers);
    float *a = items ? suite_allocate(count * sizeof *a) : NULL;
    if (!a)
        return false;
    items->count = count;
    items->arrays.at[ITEMS_COEFFICIENTS] = (struct suite_array){count * sizeof *a, a};
    const float *in = items->arrays.at[ITEMS_IN].initial;
    float *out = (float *)items->arrays.expected;
#pragma omp parallel for schedule(static)
    for (size_t line = 0; line < count; ++line) {
        a[line] = 0.25f * (float)(1 + suite_random_at(line) % 8);
        solve(in, out, count, line, (double)a[line]);
    }
    problem->work = (struct suite_work){.bytes = 2.0 * sizeof(float) * (double)numbers, .flops = 9.0 * (double)numbers};
    snprintf(problem->title, sizeof problem->title, "2^%u tridiagonal systems of %d equations", log, ITEMS_LENGTH);
    return true;
}

static bool is_close(const struct suite_problem *problem, const void *result)
{
    return suite_arrays_close(problem, result, 1e-4);
}

const struct suite_program suite_paths = {"paths", "", make_paths, suite_arrays_free, is_close};
const struct suite_program suite_lines = {"lines", "", make_lines, suite_arrays_free, is_close};
