/* SPDX-License-Identifier: Apache-2.0 */
/**
 * y = A x for a sparse matrix in compressed rows: the entries of row i are number first[i] to first[i + 1] - 1, each
 * with its value and column. As HeCBench's simpleSpmv. Values are small whole numbers, so that sums are exact in any
 * order.
 */
#ifndef TEAMWORK_SUITE_SPMV_H
#define TEAMWORK_SUITE_SPMV_H

#include "../arrays.h"

/** Work-items of a group, and on a GPU of a sub-group, which has a row in common in the form "subgroup". */
enum { SPMV_GROUP = 128, SPMV_LANES = 32 };

enum { SPMV_FIRST, SPMV_COLUMNS, SPMV_VALUES, SPMV_X, SPMV_Y }; /* the arrays */

struct spmv {
    struct suite_arrays arrays;
    size_t rows; /**< a multiple of SPMV_GROUP */
};

#endif
