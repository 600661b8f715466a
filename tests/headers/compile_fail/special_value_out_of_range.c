/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: static assertion failed.*300 is no value of the member small */
/* A kernel specialized for a value that the member cannot have. */
#include "special.h"

TW_RANGE_KERNEL(TW_SPECIALIZE(small, 3, 300) fill, 1); /* HERE */
