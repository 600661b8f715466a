/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: (no matching function for call to 'tw_reduce_over_group'|incompatible function pointer types) */
/* A group function for a struct with an operation for another one. */
#include <teamwork/group_algorithms.h>
#include <teamwork/teamwork.h>

struct pair {
    int a, b;
};
struct other {
    int a, b;
};
static inline struct other larger(struct other x, struct other y)
{
    return x.a < y.a ? y : x;
}
TW_GROUP_TYPE(struct pair);

struct largest {
    struct pair *x;
};
static inline void largest(tw_nd_item item, const struct largest *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[i] = tw_reduce_over_group(item, k->x[i], larger); /* HERE */
}
TW_ND_RANGE_KERNEL(largest, 64);
