/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device-wide latch. The language has no barrier for all groups of a kernel, and no promise that one could be made:
 * groups run when there is room for them, and one that waits gives up its room to nobody. Where all of them do run at
 * the same time, atomics are enough. That they do must be seen to before the launch: latch_submit() refuses what would
 * hang.
 */
#include "latch.h"

#include <stdio.h>

#include <teamwork/teamwork.h>

/*
 * Counts this group as arrived, and waits until all `groups` have. Each latch is used once.
 *
 * The first barrier brings what all work-items of the group wrote before the one of them that counts; its release makes
 * that visible to whoever acquires the count. The last group's count is read with acquire, and the second barrier
 * passes on what that makes visible to the whole group. Since each addition continues the release of those before it,
 * one read acquires what all groups have released.
 */
static inline void latch_arrive_and_wait(tw_nd_item item, unsigned *arrived, unsigned groups)
{
    tw_barrier(item, TW_GLOBAL_AND_LOCAL);
    if (tw_local_linear_id(item) == 0) {
        tw_atomic_fetch_add(arrived, 1u, TW_ORDER_RELEASE, TW_SCOPE_DEVICE);
        while (tw_atomic_load(arrived, TW_ORDER_ACQUIRE, TW_SCOPE_DEVICE) != groups) {
        }
    }
    tw_barrier(item, TW_GLOBAL_AND_LOCAL);
}

struct latch_rounds {
    uint32_t *now, *next;
    unsigned *arrived; /* one for each round, 0 at first */
    unsigned rounds;
};

static inline void latch_rounds(tw_nd_item item, const struct latch_rounds *k)
{
    const unsigned i = (unsigned)tw_global_id(item, 0), n = (unsigned)tw_global_range(item, 0);
    uint32_t *now = k->now, *next = k->next;
    for (unsigned round = 0; round < k->rounds; ++round) {
        next[i] = latch_next(now, i, n);
        /* nobody reads `next` before it is complete, nor writes `now` while others still read it */
        latch_arrive_and_wait(item, &k->arrived[round], (unsigned)tw_group_range(item, 0));
        uint32_t *past = now;
        now = next;
        next = past;
    }
}
TW_ND_RANGE_KERNEL(latch_rounds, LATCH_GROUP);

struct latch_clear {
    unsigned *arrived;
};

static inline void latch_clear(tw_item item, const struct latch_clear *k)
{
    k->arrived[tw_global_id(item, 0)] = 0;
}
TW_RANGE_KERNEL(latch_clear, 1);

struct latch_round {
    const uint32_t *now;
    uint32_t *next;
};

static inline void latch_round(tw_item item, const struct latch_round *k)
{
    const unsigned i = (unsigned)tw_global_id(item, 0);
    k->next[i] = latch_next(k->now, i, (unsigned)tw_global_range(item, 0));
}
TW_RANGE_KERNEL(latch_round, 1);

tw_status latch_resident_groups(const tw_device *device, size_t *groups)
{
    tw_kernel_limits limits;
    const tw_status status = tw_kernel_get_limits(device, latch_rounds, LATCH_GROUP, 0, &limits);
    if (status == TW_SUCCESS)
        *groups = limits.resident_groups;
    return status;
}

tw_status latch_submit(const struct latch *latch)
{
    const tw_device *device = tw_queue_device(latch->queue);
    size_t resident;
    tw_status status = latch_resident_groups(device, &resident);
    if (status != TW_SUCCESS)
        return status;
    if (latch->groups > resident) {
        fprintf(stderr,
                "latch: %zu groups would wait for each other, but %s runs only %zu at the same time: not launched\n",
                latch->groups, tw_device_name(device), resident);
        return TW_ERROR_UNSUPPORTED;
    }

    tw_command_group *cg = tw_queue_begin(latch->queue);
    tw_parallel_for(cg, tw_range_1d(latch->rounds), latch_clear, .arrived = tw_discard_write(cg, latch->arrived));
    status = tw_queue_submit(latch->queue, cg, NULL);
    if (status != TW_SUCCESS)
        return status;
    cg = tw_queue_begin(latch->queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(latch->groups * LATCH_GROUP), tw_range_1d(LATCH_GROUP)),
                             latch_rounds, .now = tw_read_write(cg, latch->ring[0]),
                             .next = tw_discard_read_write(cg, latch->ring[1]),
                             .arrived = tw_read_write(cg, latch->arrived), .rounds = latch->rounds);
    return tw_queue_submit(latch->queue, cg, NULL);
}

tw_status latch_submit_rounds(const struct latch *latch)
{
    for (unsigned round = 0; round < latch->rounds; ++round) {
        tw_command_group *cg = tw_queue_begin(latch->queue);
        tw_parallel_for(cg, tw_range_1d(latch->groups * LATCH_GROUP), latch_round,
                        .now = tw_read(cg, latch->ring[round % 2]),
                        .next = tw_discard_write(cg, latch->ring[(round + 1) % 2]));
        const tw_status status = tw_queue_submit(latch->queue, cg, NULL);
        if (status != TW_SUCCESS)
            return status;
    }
    return TW_SUCCESS;
}
