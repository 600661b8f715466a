/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the kernel of plugin.h. */
#include "plugin.h"

static inline void stamp(tw_item item, const struct stamp *k)
{
    k->x[tw_global_id(item, 0)] = PLUGIN;
}
TW_RANGE_KERNEL(stamp, 1);
