/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of lanes.c and registers.c. Its sums are in one of two arrays, as the size of the group says. Either is the work-items' own. */
#ifndef SQUARES_BY_GROUPS_H
#define SQUARES_BY_GROUPS_H

#include <teamwork/group_functions.h>
#include <teamwork/teamwork.h>

struct squares_by_groups {
    const float *x;
    float *parts;
    size_t n;
};

static inline void squares_by_groups(tw_group group, const struct squares_by_groups *k)
{
    TW_PRIVATE(group, float, mine);
    tw_parallel_for_work_item(group, item) {
        float sum = 0;
        for (size_t i = tw_local_id(item, 0); i < k->n; i += tw_local_range(item, 0))
            sum += k->x[i] * k->x[i];
        tw_private(mine, item) = sum;
    }
    const float all = tw_reduce_over_group(group, mine, TW_SUM);
    TW_ONCE(group) {
        k->parts[tw_group_id(group, 0)] = all;
    }
}
TW_WORK_GROUP_KERNEL(squares_by_groups);

#endif
