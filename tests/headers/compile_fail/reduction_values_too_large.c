/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: a kernel reduces up to 64 bytes */
/* Two values that fit one by one. */
#include <teamwork/teamwork.h>

struct moments {
    double mean, squares;
    long count;
};
static inline struct moments join(struct moments x, struct moments y)
{
    return x.count < y.count ? y : x;
}
TW_REDUCTION_OPERATION(moments_of, struct moments, join, 0, 0, 0);

struct both {
    TW_REDUCTION_BY(moments_of) first, second;
    TW_REDUCTION(int, TW_SUM) count;
};
static inline void both(tw_item item, const struct both *k)
{
    (void)item;
    tw_combine(k->first, (struct moments){0, 0, 1});
    tw_combine(k->second, (struct moments){0, 0, 1});
    tw_combine(k->count, 1);
}
TW_RANGE_REDUCTION(both, 1, first, second, count); /* HERE */
