/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: duplicate case value */
/* A kernel specialized for one value twice. */
#include "special.h"

TW_RANGE_KERNEL(TW_SPECIALIZE(width, 3, 5, 3) fill, 1); /* HERE */
