/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: the value has another type than the reduction's operation */
/* A value of another type than that of the operation. */
#include <teamwork/teamwork.h>

struct least {
    float value;
    unsigned at;
};
static inline struct least lesser(struct least x, struct least y)
{
    return y.value < x.value ? y : x;
}
TW_REDUCTION_OPERATION(least_of, struct least, lesser, 1e30f, 0);

struct argmin {
    const float *x;
    TW_REDUCTION_BY(least_of) best;
};
static inline void argmin(tw_item item, const struct argmin *k)
{
    tw_combine(k->best, k->x[tw_global_id(item, 0)]); /* HERE */
}
TW_RANGE_REDUCTION(argmin, 1, best);
