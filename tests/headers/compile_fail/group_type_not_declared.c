/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: no matching function for call to 'tw_reduce_over_group'$ */
/* A group function for a struct that TW_GROUP_TYPE() does not name. */
#include <teamwork/group_algorithms.h>
#include <teamwork/teamwork.h>

struct pair {
    int a, b;
};
static inline struct pair sum(struct pair x, struct pair y)
{
    return (struct pair){x.a + y.a, x.b + y.b};
}

struct sum_pairs {
    struct pair *x;
};
static inline void sum_pairs(tw_nd_item item, const struct sum_pairs *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[i] = tw_reduce_over_group(item, k->x[i], sum); /* HERE */
}
TW_ND_RANGE_KERNEL(sum_pairs, 64);
