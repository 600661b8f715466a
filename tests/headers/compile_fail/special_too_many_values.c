/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: static assertion failed.*has up to eight values */
/* A kernel specialized for nine values. */
#include "special.h"

TW_RANGE_KERNEL(TW_SPECIALIZE(width, 1, 2, 3, 4, 5, 6, 7, 8, 9) fill, 1); /* HERE */
