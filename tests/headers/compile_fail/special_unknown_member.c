/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: no member named 'widht' in 'struct fill' */
/* A kernel specialized for a member that its block has not. */
#include "special.h"

TW_RANGE_KERNEL(TW_SPECIALIZE(widht, 3, 5) fill, 1); /* HERE */
