/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the kernels of scale.h. */
#include "scale.h"

static inline void scale(tw_item item, const struct scale *k)
{
    k->data[tw_global_id(item, 0)] *= k->factor;
}
TW_RANGE_KERNEL(scale);

static inline void shift(tw_group group, const struct shift *k)
{
    tw_parallel_for_work_item(group, item) {
        k->data[tw_global_id(item, 0)] += 1;
    }
}
TW_WORK_GROUP_KERNEL(shift);
