/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: static assertion failed.*scale.* must be integers, enumerations or bool */
/* A kernel specialized for a member that is a float. */
#include "special.h"

TW_RANGE_KERNEL(TW_SPECIALIZE(scale, 1, 2) fill, 1); /* HERE */
