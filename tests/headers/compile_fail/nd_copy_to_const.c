/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: .*'const float .*discards qualifiers */
/* An asynchronous copy into memory that is read only. */
#include <teamwork/async_copy.h>
#include <teamwork/teamwork.h>

struct store {
    const float *in;
};
static inline void store(tw_nd_item item, const struct store *k)
{
    TW_LOCAL(float, tile, [64]);
    tile[tw_local_id(item, 0)] = 1;
    tw_barrier(item, TW_LOCAL_SPACE);
    tw_wait_for(item, tw_async_work_group_strided_copy(item, k->in, 2, tile, 1, 64)); /* HERE */
}
TW_ND_RANGE_KERNEL(store, 64);
