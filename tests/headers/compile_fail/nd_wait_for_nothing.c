/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: tw_wait_for\(\) names the copies that it waits for$ */
/* A wait that names no copy. */
#include <teamwork/async_copy.h>
#include <teamwork/teamwork.h>

struct load {
    const float *in;
    float *out;
};
static inline void load(tw_nd_item item, const struct load *k)
{
    TW_LOCAL(float, tile, [64]);
    tw_async_work_group_copy(item, tile, k->in, 64);
    tw_wait_for(item); /* HERE */
    k->out[tw_global_id(item, 0)] = tile[tw_local_id(item, 0)];
}
TW_ND_RANGE_KERNEL(load, 64);
