/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime's part of a queue: its life, and the threads that look after it. */
#include "lane.h"

#include "base/lock.h"

/* A thread that waits looks after one lane: that of the task that is its next step. What it waits for can only change when
   that task, or its lane, does. So only the threads of one lane are told of a change, and those that wait for other queues are
   not held up. */

void tw_lane_init(struct tw_lane *lane, struct tw_device *device, void (*unused_locked)(struct tw_lane *lane))
{
    lane->device = device;
    atomic_init(&lane->references, 1);
    lane->unused_locked = unused_locked;
    for (unsigned kind = 0; kind < TW_TRACK_COUNT; ++kind)
        lane->tracks[kind] = (struct tw_track){.lane = lane, .kind = (enum tw_track_kind)kind};
    pthread_cond_init(&lane->changed, NULL);
}

void tw_lane_end(struct tw_lane *lane)
{
    pthread_cond_destroy(&lane->changed);
}

void tw_announce_locked(struct tw_lane *lane)
{
    /* written under the lock only */
    atomic_store_explicit(&lane->epoch, atomic_load_explicit(&lane->epoch, memory_order_relaxed) + 1,
                          memory_order_release);
    if (lane->sleepers)
        pthread_cond_broadcast(&lane->changed);
}

void tw_announce_device_locked(struct tw_device *device)
{
    struct tw_lane *lane = device->active;
    if (!lane)
        return;
    do {
        if (lane->helpers)
            tw_announce_locked(lane);
        lane = lane->next;
    } while (lane != device->active);
}

void tw_append(struct tw_task_list *list, struct tw_node *nodes)
{
    if (!nodes)
        return;
    *(list->last ? &list->last->next : &list->first) = nodes;
    while (nodes->next)
        nodes = nodes->next;
    list->last = nodes;
}
