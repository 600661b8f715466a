/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the host, and problems: making and freeing them, and comparing a result with the expected one. */
#include "arrays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Small enough for parts of equal size, large enough for memcpy(). */
enum { PIECE = 1 << 16 };

void *suite_allocate(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory)
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
    return memory;
}

void suite_fill(void *to, const void *from, size_t bytes)
{
    const size_t pieces = (bytes + PIECE - 1) / PIECE;
#pragma omp parallel for schedule(static)
    for (size_t piece = 0; piece < pieces; ++piece) {
        const size_t at = piece * PIECE, count = bytes - at < PIECE ? bytes - at : PIECE;
        if (from)
            memcpy((char *)to + at, (const char *)from + at, count);
        else
            memset((char *)to + at, SUITE_POISON, count);
    }
}

void *suite_allocate_data(size_t bytes)
{
    void *data = calloc(1, bytes);
    if (!data)
        fprintf(stderr, "no memory for a problem\n");
    return data;
}

void *suite_arrays_floats(struct suite_problem *problem, size_t bytes, size_t in_count, size_t out_count)
{
    struct suite_arrays *arrays = problem->data = suite_allocate_data(bytes);
    if (!arrays)
        return NULL;
    float *in = suite_allocate(in_count * sizeof(float)), *out = suite_allocate(out_count * sizeof(float));
    *arrays = (struct suite_arrays){.at = {{in_count * sizeof(float), in}, {out_count * sizeof(float), NULL}}, 1, out};
    if (!in || !out)
        return NULL;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < in_count; ++i)
        in[i] = (float)(suite_random_at(i) % 64);
    problem->result_bytes = out_count * sizeof(float);
    problem->literal = true;
    return arrays;
}

void suite_arrays_free(struct suite_problem *problem)
{
    struct suite_arrays *arrays = problem->data;
    if (!arrays)
        return;
    for (unsigned i = 0; i < SUITE_ARRAYS; ++i)
        free((void *)arrays->at[i].initial);
    free((void *)arrays->expected);
    free(arrays);
    problem->data = NULL;
}

bool suite_arrays_equal(const struct suite_problem *problem, const void *result)
{
    const struct suite_arrays *arrays = problem->data;
    if (memcmp(arrays->expected, result, problem->result_bytes) == 0)
        return true;
    const unsigned char *expected = arrays->expected, *got = result;
    size_t at = 0, wrong = 0;
    while (expected[at] == got[at])
        ++at;
    for (size_t i = 0; i < problem->result_bytes; ++i)
        wrong += expected[i] != got[i];
    fprintf(stderr, "%s: %zu of %zu bytes are wrong, the first at %zu\n", problem->title, wrong, problem->result_bytes,
            at);
    return false;
}

bool suite_arrays_close(const struct suite_problem *problem, const void *result, double relative)
{
    const struct suite_arrays *arrays = problem->data;
    const float *expected = arrays->expected, *got = result;
    const size_t count = problem->result_bytes / sizeof *expected;
    double values = 0, differences = 0, largest = 0;
    for (size_t i = 0; i < count; ++i) {
        const double difference = fabs((double)expected[i] - (double)got[i]);
        values += fabs((double)expected[i]);
        differences += difference;
        largest = difference > largest || isnan(difference) ? difference : largest;
    }
    /* written so that a NaN is wrong */
    if (differences <= relative * values && largest <= 100 * relative * values / (double)count)
        return true;
    fprintf(stderr, "%s: values differ by %g on the average and %g at most, of %g\n", problem->title,
            differences / (double)count, largest, values / (double)count);
    return false;
}
