/* SPDX-License-Identifier: Apache-2.0 */
/** What the parts of test_math share: a batch of arguments, on which a kernel a type tries every function in every
 *  size. */
#ifndef MATH_TEST_H
#define MATH_TEST_H

#include <teamwork/teamwork.h>

#include "accuracy/functions.h"

/* A work-item handles CHUNK elements, which every size divides. */
enum { CHUNK = 48, SIZES = 6, COUNT = 24 * CHUNK };
enum { ONE, TWO, THREE, ONE_INT };
enum { REAL, INTEGER };
enum { FLOAT, DOUBLE, HALF, TYPES };

/* Forms with a scalar beside a vector. The scalar is the first element's, so they are right for that only. */
#define SCALAR_FUNCTIONS(X)                                                                                            \
    X(fmax_scalar, TWO, REAL, EXACT, EXACT, EXACT, r = tw_fmax(x, y0))                                                 \
    X(fmin_scalar, TWO, REAL, EXACT, EXACT, EXACT, r = tw_fmin(x, y0))                                                 \
    X(ldexp_scalar, ONE_INT, REAL, ROUNDED, ROUNDED, ROUNDED, r = tw_ldexp(x, n0))                                     \
    X(pown_scalar, ONE_INT, REAL, 16, 16, 4, r = tw_pown(x, n0))                                                       \
    X(rootn_scalar, ONE_INT, REAL, 16, 16, 4, r = tw_rootn(x, n0))
/* Of the bits of x. */
#define BITS_FUNCTIONS(X) X(nan, ONE, REAL, EXACT, EXACT, EXACT, r = tw_nan(code))

#define TEST_FUNCTIONS(X) ALL_FUNCTIONS(X) SCALAR_FUNCTIONS(X) BITS_FUNCTIONS(X)
#define ID(id, ...) ID_##id,
enum { TEST_FUNCTIONS(ID) FUNCTIONS };
#undef ID

static const int math_lanes[SIZES] = {1, 2, 3, 4, 8, 16};

/* Results are at [(function * SIZES + size) * COUNT + element]. */
#define RESULTS ((size_t)FUNCTIONS * SIZES * COUNT)

#define MATH_KERNEL(T)                                                                                                 \
    struct math_##T {                                                                                                  \
        const tw_##T *x, *y, *z;                                                                                       \
        const int *n;                                                                                                  \
        tw_##T *out;                                                                                                   \
        int *integer;                                                                                                  \
    };                                                                                                                 \
    TW_DECLARE_RANGE_KERNEL(math_##T)

/** The exact result, as near as long double has it, or an integer through `integer`. */
long double math_reference(int function, long double x, long double y, long double z, int n, int *integer);

#endif
