/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers what <teamwork/root_group.h> declares. */
#ifndef TEAMWORK_LOWER_ROOT_GROUP_H
#define TEAMWORK_LOWER_ROOT_GROUP_H

#include <teamwork/atomic.h>
#include <teamwork/command_group.h>
#include <teamwork/lower/group/nd_item.h>

/* Each group adds to the counter, all together 2^31: so its highest bit changes when the last one comes, and the others are
   0 as before. */
TW_LANGUAGE_INLINE void tw_internal_root_group_barrier(tw_nd_item item, tw_root_group root, int line)
{
    tw_internal_barrier_at(item, TW_GLOBAL_AND_LOCAL, line);
    if (tw_local_linear_id(item) == 0) {
        const unsigned turn = 0x80000000u;
        const unsigned groups = (unsigned)(tw_group_range(item, 0) * tw_group_range(item, 1) * tw_group_range(item, 2));
        const unsigned mine = tw_group_linear_id(item) == 0 ? turn - (groups - 1) : 1;
        const unsigned before = tw_atomic_fetch_add(root.tw_counter_, mine, TW_ORDER_ACQ_REL, TW_SCOPE_DEVICE);
        while (((before ^ tw_atomic_load(root.tw_counter_, TW_ORDER_ACQUIRE, TW_SCOPE_DEVICE)) & turn) == 0) {
        }
    }
    tw_internal_barrier_at(item, TW_GLOBAL_AND_LOCAL, line);
}

#endif
