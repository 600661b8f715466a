/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrix by vector in OpenMP. */
#include "../arrays_openmp.h"
#include "spmv.h"

static bool SUITE_NAME(spmv_row)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t rows = ((const struct spmv *)s->problem)->rows;
    const uint32_t *first = s->at[SPMV_FIRST], *columns = s->at[SPMV_COLUMNS];
    const float *values = s->at[SPMV_VALUES], *x = s->at[SPMV_X];
    float *y = s->at[SPMV_Y];
#ifdef SUITE_TARGET
#pragma omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(first, columns, values, x, y)
#else
#pragma omp parallel for schedule(static) firstprivate(first, columns, values, x, y)
#endif
    for (size_t row = 0; row < rows; ++row) {
        const uint32_t past = first[row + 1];
        float sum = 0;
#ifndef SUITE_TARGET
#pragma omp simd reduction(+ : sum)
#endif
        for (uint32_t e = first[row]; e < past; ++e)
            sum += values[e] * x[columns[e]];
        y[row] = sum;
    }
    return true;
}

static const struct suite_version versions[] = {
    SUITE_OPENMP_VERSION("row", SUITE_NAME(spmv_row)),
};
const struct suite_versions SUITE_OPENMP_VERSIONS(spmv) = SUITE_VERSIONS(versions);
