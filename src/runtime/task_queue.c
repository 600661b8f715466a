/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime's part of a queue: its life, and the threads that serve it. */
#include "task_queue.h"

#include "base/lock.h"

/* A waiting thread serves one task queue: that of the task that is its next step. What it waits for can only change
   when that task or its task queue changes. So a change is announced only to the threads that serve the task queue, and
   threads that wait for other queues are not held up. */

void tw_task_queue_init(struct tw_task_queue *queue, struct tw_device *device,
                        void (*unused_locked)(struct tw_task_queue *queue))
{
    static atomic_uint_fast64_t queues;
    queue->device = device;
    queue->number = atomic_fetch_add_explicit(&queues, 1, memory_order_relaxed) + 1;
    queue->priority = TW_PRIORITY_NORMAL;
    atomic_init(&queue->references, 1);
    queue->unused_locked = unused_locked;
    for (unsigned kind = 0; kind < TW_STREAM_COUNT; ++kind)
        queue->streams[kind] = (struct tw_stream){.queue = queue, .kind = (enum tw_stream_kind)kind};
    pthread_cond_init(&queue->changed, NULL);
}

void tw_task_queue_end(struct tw_task_queue *queue)
{
    pthread_cond_destroy(&queue->changed);
}

void tw_announce_locked(struct tw_task_queue *queue)
{
    /* written under the lock only */
    atomic_store_explicit(&queue->epoch, atomic_load_explicit(&queue->epoch, memory_order_relaxed) + 1,
                          memory_order_release);
    if (queue->sleepers)
        pthread_cond_broadcast(&queue->changed);
}

void tw_announce_device_locked(struct tw_device *device)
{
    struct tw_task_queue *queue = device->active;
    if (!queue)
        return;
    do {
        if (queue->helpers)
            tw_announce_locked(queue);
        queue = queue->next;
    } while (queue != device->active);
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
