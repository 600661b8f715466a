/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: values of reductions have at most 56 bytes */
/* A reduction of a struct that is larger than what a part of a launch leaves. */
#include <teamwork/teamwork.h>

struct large {
    double at[8];
};
static inline struct large sum(struct large x, struct large y)
{
    for (int i = 0; i < 8; ++i)
        x.at[i] += y.at[i];
    return x;
}
TW_REDUCTION_OPERATION(large_sum, struct large, sum, {0}); /* HERE */
