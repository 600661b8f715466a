/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that go through an array by as many steps as there are work-items; check.sh looks for their lanes. */
#include <teamwork/group_functions.h>
#include <teamwork/teamwork.h>

struct dot_by_groups {
    const float *x, *y;
    float *parts;
    size_t n;
};

static inline void dot_by_groups(tw_nd_item item, const struct dot_by_groups *k)
{
    float sum = 0;
    for (size_t i = tw_global_id(item, 0); i < k->n; i += tw_global_range(item, 0))
        sum += k->x[i] * k->y[i];
    sum = tw_reduce_over_group(item, sum, TW_SUM);
    if (tw_local_id(item, 0) == 0)
        k->parts[tw_group_id(item, 0)] = sum;
}
TW_ND_RANGE_KERNEL(dot_by_groups);

struct scale_all {
    double *x;
    double by;
    size_t n;
};

static inline void scale_all(tw_nd_item item, const struct scale_all *k)
{
    for (size_t i = tw_global_id(item, 0); i < k->n; i += tw_global_range(item, 0))
        k->x[i] *= k->by;
}
TW_ND_RANGE_KERNEL(scale_all, 128);
