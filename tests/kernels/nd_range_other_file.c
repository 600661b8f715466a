/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of nd_range_other_file.h. */
#include "nd_range_other_file.h"

static inline void reverse_groups(tw_nd_item item, const struct reverse_groups *k)
{
    int *part = tw_local_data(item, k->part);
    const size_t at = tw_local_linear_id(item), last = tw_local_linear_range(item) - 1;
    part[at] = k->x[tw_global_linear_id(item)];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->x[tw_global_linear_id(item)] = part[last - at];
}
TW_ND_RANGE_KERNEL(reverse_groups);
