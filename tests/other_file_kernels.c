/* SPDX-License-Identifier: Apache-2.0 */
/** Kernels that test_other_file.c launches from another file. */
#include "other_file_kernels.h"

static inline void other_task(const struct other_task *k)
{
    k->out[0] = 11;
}
TW_SINGLE_TASK(other_task);

static inline void other_range(tw_item item, const struct other_range *k)
{
    const size_t i = tw_global_linear_id(item);
    k->out[i] = k->factor * k->in[i];
}
TW_RANGE_KERNEL(other_range);

static inline void other_group(tw_group group, const struct other_group *k)
{
    TW_LOCAL(int, tile, [32]);
    tw_parallel_for_work_item(group, item) {
        tile[tw_local_id(item, 0)] = k->in[tw_global_id(item, 0)];
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = tile[31 - tw_local_id(item, 0)];
    }
}
TW_WORK_GROUP_KERNEL(other_group, 32);
