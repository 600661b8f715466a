/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the kernel of scale.h. */
#include "scale.h"

static inline void scale(tw_item item, const struct scale *k)
{
    k->data[tw_global_id(item, 0)] *= k->factor;
}
TW_RANGE_KERNEL(scale);
