/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: static assertion failed.*names a member of the block, and its values */
/* A kernel specialized for a member, and no value. */
#include "special.h"

TW_RANGE_KERNEL(TW_SPECIALIZE(width) fill, 1); /* HERE */
