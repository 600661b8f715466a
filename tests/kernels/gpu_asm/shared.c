/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one work-item leaves in team-local memory for the others, in the teams lowering: LLVM's openmp-opt pass (19) took
 * it for the value that each work-item has itself, and left the memory out.
 */
#include <teamwork/teamwork.h>

struct broadcast {
    int *out;
};
static inline void broadcast(tw_nd_item item, const struct broadcast *k)
{
    const size_t i = tw_local_linear_id(item);
    k->out[tw_global_linear_id(item)] = tw_group_broadcast(item, (int)i, 32);
}
TW_ND_RANGE_KERNEL(broadcast, 64);

struct by_hand {
    int *out;
};
static inline void by_hand(tw_nd_item item, const struct by_hand *k)
{
    TW_LOCAL(int, shared);
    if (tw_local_linear_id(item) == 3)
        shared = k->out[tw_global_linear_id(item)];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_linear_id(item)] = shared;
}
TW_ND_RANGE_KERNEL(by_hand, 64);
