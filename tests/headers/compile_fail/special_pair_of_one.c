/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: static assertion failed.*pairs of values */
/* A kernel specialized for two members, by values of one. */
#include "special.h"

TW_RANGE_KERNEL(TW_SPECIALIZE((width, flip), 3, 5) fill, 1); /* HERE */
