/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in levels, whose distance is doubled, for check.sh: each level becomes vector code of its own. */
#include <stdint.h>
#include <teamwork/teamwork.h>

enum { GROUP = 128, BLOCK = 2 * GROUP };

struct prefix {
    const uint32_t *in;
    uint32_t *out;
};

static inline void prefix_items(tw_nd_item item, const struct prefix *k)
{
    TW_LOCAL(uint32_t, block, [BLOCK]);
    const int t = (int)tw_local_id(item, 0), first = (int)tw_group_id(item, 0) * BLOCK;
    uint32_t even = k->in[first + 2 * t], odd = k->in[first + 2 * t + 1];
    block[2 * t] = even;
    block[2 * t + 1] = odd;
    for (int stride = 1; stride < BLOCK; stride *= 2) {
        tw_barrier(item, TW_LOCAL_SPACE);
        if (2 * t >= stride)
            even += block[2 * t - stride];
        if (2 * t + 1 >= stride)
            odd += block[2 * t + 1 - stride];
        tw_barrier(item, TW_LOCAL_SPACE);
        block[2 * t] = even;
        block[2 * t + 1] = odd;
    }
    k->out[first + 2 * t] = even;
    k->out[first + 2 * t + 1] = odd;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(prefix) prefix_items, GROUP);

static inline void prefix_group(tw_group group, const struct prefix *k)
{
    TW_LOCAL(uint32_t, block, [BLOCK]);
    TW_PRIVATE(group, uint32_t, even);
    TW_PRIVATE(group, uint32_t, odd);
    const unsigned first = (unsigned)tw_group_id(group, 0) * BLOCK;
    tw_parallel_for_work_item(group, item) {
        const unsigned t = (unsigned)tw_local_id(item, 0);
        block[2 * t] = tw_private(even, item) = k->in[first + 2 * t];
        block[2 * t + 1] = tw_private(odd, item) = k->in[first + 2 * t + 1];
    }
    for (unsigned stride = 1; stride < BLOCK; stride *= 2) {
        tw_parallel_for_work_item(group, item) {
            const unsigned t = (unsigned)tw_local_id(item, 0);
            if (2 * t >= stride)
                tw_private(even, item) += block[2 * t - stride];
            if (2 * t + 1 >= stride)
                tw_private(odd, item) += block[2 * t + 1 - stride];
        }
        tw_parallel_for_work_item(group, item) {
            const unsigned t = (unsigned)tw_local_id(item, 0);
            block[2 * t] = tw_private(even, item);
            block[2 * t + 1] = tw_private(odd, item);
        }
    }
    tw_parallel_for_work_item(group, item) {
        const unsigned t = (unsigned)tw_local_id(item, 0);
        k->out[first + 2 * t] = tw_private(even, item);
        k->out[first + 2 * t + 1] = tw_private(odd, item);
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(prefix) prefix_group, GROUP);

/* What only some work-items write to the program's memory is nothing that the others may write. */
static inline void some_group(tw_group group, const struct prefix *k)
{
    TW_PRIVATE(group, uint32_t, mine);
    tw_parallel_for_work_item(group, item) {
        tw_private(mine, item) = 0;
        if (k->in[tw_global_id(item, 0)] > 5)
            tw_private(mine, item) = k->in[tw_global_id(item, 0)];
    }
    tw_parallel_for_work_item(group, item) {
        if (tw_private(mine, item) > 7)
            k->out[tw_global_id(item, 0)] = tw_private(mine, item);
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(prefix) some_group, GROUP);
