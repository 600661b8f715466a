/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of a file that is compiled for the host only, beside test_no_image.c. Their object file may also be one for
   an offload device whose images have been lost. */
#include "no_image.h"

static inline void host_only(tw_item item, const struct host_only *k)
{
    k->x[tw_global_id(item, 0)] = 7;
}
TW_RANGE_KERNEL(host_only, 1);

static inline void host_only_groups(tw_group group, const struct host_only_groups *k)
{
    tw_parallel_for_work_item(group, item) {
        k->x[tw_global_id(item, 0)] = 8;
    }
}
TW_WORK_GROUP_KERNEL(host_only_groups, 10);
