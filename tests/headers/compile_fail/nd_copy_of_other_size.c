/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: a copy between elements of different sizes */
/* An asynchronous copy of floats into doubles. */
#include <teamwork/async_copy.h>
#include <teamwork/teamwork.h>

struct load {
    const float *in;
    double *out;
};
static inline void load(tw_nd_item item, const struct load *k)
{
    TW_LOCAL(double, tile, [64]);
    tw_wait_for(item, tw_async_work_group_copy(item, tile, k->in, 64)); /* HERE */
    k->out[tw_global_id(item, 0)] = tile[tw_local_id(item, 0)];
}
TW_ND_RANGE_KERNEL(load, 64);
