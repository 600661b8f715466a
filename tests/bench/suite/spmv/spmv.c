/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices with 16 to 48 entries in a row, in a band along the diagonal. */
#include "spmv.h"

#include <stdio.h>

/* Fills the entries of one row, from number `first` on, and returns its product with x. */
static float fill_row(size_t row, size_t rows, size_t first, size_t past, uint32_t *columns, float *values,
                      const float *x)
{
    enum { BAND = 1 << 14 };
    float sum = 0;
    for (size_t e = first; e < past; ++e) {
        const uint64_t r = suite_random_at(e);
        columns[e] = (uint32_t)((row + r % BAND) % rows);
        values[e] = (float)(r >> 40 & 7);
        sum += values[e] * x[columns[e]];
    }
    return sum;
}

static bool make(enum suite_size size, struct suite_problem *problem)
{
    enum { MOST = 48 };
    struct spmv *spmv = suite_allocate_data(sizeof *spmv);
    problem->data = spmv;
    if (!spmv)
        return false;
    const size_t rows = (size_t)1 << (size == SUITE_QUICK ? 11 : size == SUITE_CPU ? 19 : 22);
    uint32_t *first = suite_allocate((rows + 1) * sizeof *first);
    float *x = suite_allocate(rows * sizeof *x), *y = suite_allocate(rows * sizeof *y);
    uint64_t random = SUITE_SEED;
    size_t entries = 0;
    for (size_t row = 0; first && x && row < rows; ++row) {
        const uint64_t r = suite_random(&random);
        first[row] = (uint32_t)entries;
        entries += 16 + r % (MOST - 16 + 1);
        x[row] = (float)(r >> 32 & 7);
    }
    uint32_t *columns = suite_allocate(entries * sizeof *columns);
    float *values = suite_allocate(entries * sizeof *values);
    spmv->rows = rows;
    spmv->arrays = (struct suite_arrays){.at = {{(rows + 1) * sizeof *first, first},
                                                {entries * sizeof *columns, columns},
                                                {entries * sizeof *values, values},
                                                {rows * sizeof *x, x},
                                                {rows * sizeof *y, NULL}},
                                         SPMV_Y,
                                         y};
    if (!first || !x || !y || !columns || !values)
        return false;
    first[rows] = (uint32_t)entries;
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < rows; ++row)
        y[row] = fill_row(row, rows, first[row], first[row + 1], columns, values, x);
    problem->result_bytes = rows * sizeof *y;
    problem->work = (struct suite_work){
        .bytes = 8 * (double)entries + 12 * (double)rows, .flops = 2 * (double)entries, .launches = 1};
    snprintf(problem->title, sizeof problem->title, "sparse matrix by vector, %zu rows, %zu entries", rows, entries);
    return true;
}

const struct suite_program suite_spmv = {"spmv", "HeCBench simpleSpmv", make, suite_arrays_free, suite_arrays_equal};
