/* SPDX-License-Identifier: Apache-2.0 */
/* The product of two matrices (matmul.h); some of its elements are checked in double. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matmul.h"
#include "problem.h"

enum form { ND_RANGE, GROUPS, BLOCKS };

struct matrices {
    const struct setting *setting;
    size_t n;
    float *a, *b, *c; /* in the program's memory; c: what was computed last */
    tw_buffer *buffer[3];
    float *memory[PROBLEM_MAX_SIDES][3];
};

static size_t bytes_of(const struct matrices *m)
{
    return m->n * m->n * sizeof(float);
}

static bool reset(void *data, const struct contender *contender)
{
    struct matrices *m = data;
    memset(m->c, 0xff, bytes_of(m)); /* not a number */
    return contender->side == TEAMWORK
               ? problem_write(m->buffer[2], m->c)
               : m->setting->sides[contender->side]->copy_in(m->memory[contender->side][2], m->c, bytes_of(m));
}

static bool run(void *data, const struct contender *contender)
{
    struct matrices *m = data;
    if (contender->side != TEAMWORK) {
        float *const *memory = m->memory[contender->side];
        return m->setting->sides[contender->side]->matmul(memory[0], memory[1], memory[2], m->n);
    }
    static tw_status (*const submit[])(const struct matmul *) = {matmul_submit_nd_range, matmul_submit_groups,
                                                                 matmul_submit_blocks};
    const struct matmul matmul = {
        .queue = m->setting->queue, .a = m->buffer[0], .b = m->buffer[1], .c = m->buffer[2], .n = m->n};
    return problem_passed(submit[contender->form](&matmul), contender->label)
           && problem_passed(tw_queue_wait(m->setting->queue), contender->label);
}

/* One element: as far off as rounding after each of n additions may take it, whatever their order. */
static bool element_is_right(const struct matrices *m, size_t i, size_t j)
{
    double sum = 0, magnitude = 0;
    for (size_t k = 0; k < m->n; ++k) {
        const double product = (double)m->a[i * m->n + k] * m->b[k * m->n + j];
        sum += product;
        magnitude += fabs(product);
    }
    return fabs(m->c[i * m->n + j] - sum) <= (double)m->n * FLT_EPSILON * magnitude;
}

static bool check(void *data, const struct contender *contender)
{
    enum { SAMPLES = 500 };
    struct matrices *m = data;
    const bool read =
        contender->side == TEAMWORK
            ? problem_read(m->buffer[2], m->c)
            : m->setting->sides[contender->side]->copy_out(m->c, m->memory[contender->side][2], bytes_of(m));
    if (!read)
        return false;
    for (size_t at = 0; at < m->n * m->n; ++at) /* every element was written */
        if (isnan(m->c[at]))
            return false;
    uint64_t random = 88172645463325252u;
    bool right = true;
    for (int sample = 0; right && sample < SAMPLES; ++sample) {
        const uint64_t at = problem_random(&random) >> 16;
        right = element_is_right(m, at % m->n, (at >> 24) % m->n);
    }
    return right;
}

static void destroy(void *data)
{
    struct matrices *m = data;
    if (!m)
        return;
    for (int i = 0; i < 3; ++i) {
        tw_buffer_destroy(&m->buffer[i]);
        for (int side = 0; side < m->setting->side_count; ++side)
            m->setting->sides[side]->release(m->memory[side][i]);
    }
    free(m->a);
    free(m->b);
    free(m->c);
    free(m);
}

static bool fill(struct matrices *m)
{
    const size_t count = m->n * m->n;
    m->a = malloc(bytes_of(m));
    m->b = malloc(bytes_of(m));
    m->c = malloc(bytes_of(m));
    if (!m->a || !m->b || !m->c)
        return problem_fail("matrix product", "no memory");
    uint64_t random = 1234567890123456789u;
    for (size_t i = 0; i < count; ++i) { /* from -1 to 1 */
        m->a[i] = (float)(int32_t)(uint32_t)(problem_random(&random) >> 32) * 0x1p-31f;
        m->b[i] = (float)(int32_t)(uint32_t)(problem_random(&random) >> 32) * 0x1p-31f;
    }
    const float *const initial[3] = {m->a, m->b, NULL};
    for (int i = 0; i < 3; ++i) {
        m->buffer[i] = problem_buffer(initial[i], sizeof(float), count);
        if (!m->buffer[i])
            return false;
        for (int side = 0; side < m->setting->side_count; ++side) {
            m->memory[side][i] = problem_memory(m->setting->sides[side], initial[i], bytes_of(m));
            if (!m->memory[side][i])
                return false;
        }
    }
    return true;
}

bool problem_matmul(struct problem *problem, const struct setting *setting)
{
    struct matrices *m = calloc(1, sizeof *m);
    *problem =
        (struct problem){.unit = "GFLOP/s", .data = m, .reset = reset, .run = run, .check = check, .destroy = destroy};
    if (!m)
        return problem_fail("matrix product", "no memory");
    m->setting = setting;
    m->n = setting->small ? 2 * MATMUL_MULTIPLE : setting->gpu ? 4096 : 1024;
    snprintf(problem->title, sizeof problem->title, "Product of two %zu x %zu matrices of float", m->n, m->n);
    problem->work = 2e-9 * (double)m->n * (double)m->n * (double)m->n;
    problem_add(problem, "nd_range, tiles of 32 x 32", TEAMWORK, ND_RANGE);
    problem_add(problem, "hierarchical, tiles of 32 x 32", TEAMWORK, GROUPS);
    problem_add(problem, "hierarchical, blocks in registers", TEAMWORK, BLOCKS);
    problem_add_openmp(problem, setting, 0);
    return fill(m);
}
