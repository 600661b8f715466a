/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: static assertion failed.*not for kernels that reduce */
/* A kernel that reduces, and is specialized. */
#include <teamwork/teamwork.h>

struct total {
    const int *in;
    int stride;
    TW_REDUCTION(int, TW_SUM) sum;
};
static inline void total(tw_item item, const struct total *k)
{
    tw_combine(k->sum, k->in[tw_global_id(item, 0) * (size_t)k->stride]);
}
TW_RANGE_REDUCTION(TW_SPECIALIZE(stride, 1) total, 1, sum); /* HERE */
