/* SPDX-License-Identifier: Apache-2.0 */
/** The kernel of test_math for tw_double. */
#define TYPE double
#define TYPE_FUNCTIONS(X) UNARY_FUNCTIONS(X) OTHER_FUNCTIONS(X) NATIVE_FUNCTIONS(X) BITS_FUNCTIONS(X)
#include "math_kernel.h"

TW_RANGE_KERNEL(math_double, 1);
