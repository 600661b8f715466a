/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that is allocated and freed in the order of a queue (teamwork/usm.h). The pool has the memory
   (runtime/pool.h); this file knows after which command it is unused. */
#include <teamwork/command_graph.h>
#include <teamwork/usm.h>

#include "base/cancellation.h"
#include "base/detail.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/process.h"
#include "queue.h"
#include "runtime/pool.h"
#include "runtime/usm_list.h"

/* Returns the queue's number if it keeps the order, else 0. */
static uint64_t order_of(const struct tw_queue *queue)
{
    return queue->tasks.in_order ? queue->tasks.number : 0;
}

/* Waits until a block of the pool becomes unused, and frees it. Returns false if that cannot be. */
static bool wait_for_room(tw_device *device)
{
    struct tw_command *after = tw_pool_next_unused(device);
    if (!after)
        return false;
    const bool is_over = tw_event_wait(&after->events[TW_PHASE_COMPLETE]) != TW_ERROR_WOULD_DEADLOCK;
    tw_command_release(after);
    return is_over && tw_pool_trim(device, 0);
}

/* Makes a block. Returns NULL if there is no room, and tw_error_detail() says of what. */
static struct tw_pool_block *make_block(tw_device *device, size_t bytes)
{
    bool is_full;
    struct tw_pool_block *block = tw_pool_make(device, bytes, &is_full);
    if (is_full && tw_pool_make_room(device))
        block = tw_pool_make(device, bytes, &is_full);
    while (is_full && wait_for_room(device))
        block = tw_pool_make(device, bytes, &is_full);
    if (is_full)
        (void)tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "%s has no room for %zu bytes of device memory: it has %zu in all",
                      tw_device_name(device), bytes, tw_device_facts(device)->global_mem_bytes);
    else if (!block)
        (void)tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to note an allocation");
    else
        tw_log(TW_LOG_INFO, "memory: %s: %zu bytes by tw_malloc_async()", tw_device_name(device), bytes);
    return block;
}

void *tw_malloc_async(tw_queue *queue, size_t bytes)
{
    if (tw_queue_check(queue) != TW_SUCCESS)
        return NULL;
    TW_DEFER_CANCELLATION;
    tw_device *device = tw_memory_owner(queue->device);
    const size_t block_bytes = bytes ? tw_pool_bytes(bytes) : 0;
    if (!block_bytes) {
        (void)tw_fail(TW_ERROR_INVALID_ARGUMENT, "%zu bytes cannot be allocated", bytes);
        return NULL;
    }
    struct tw_pool_block *block = tw_pool_take(device, block_bytes, order_of(queue));
    if (!block && !(block = make_block(device, block_bytes)))
        return NULL;
    unsigned char *memory = block->memory;
    if (!tw_usm_add(&(struct tw_usm_allocation){.first = memory,
                                                .past = memory + bytes,
                                                .type = TW_POINTER_DEVICE,
                                                .device = device,
                                                .block = memory,
                                                .pooled = block})) {
        tw_pool_give(device, block, (struct tw_pool_hold){.after = NULL});
        return NULL;
    }
    return memory;
}

static tw_status check_free(const tw_queue *queue, const unsigned char *memory, struct tw_usm_allocation *allocation)
{
    const tw_status status = tw_queue_check(queue);
    if (status != TW_SUCCESS)
        return status;
    if (!tw_usm_find(memory, allocation) || allocation->first != memory || !allocation->pooled)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT,
                       "the memory is not from tw_malloc_async(), or was freed: tw_free() frees the other kinds");
    if (allocation->device != tw_memory_owner(queue->device))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the memory is of %s, and the queue's device is %s",
                       tw_device_name(allocation->device), tw_device_name(queue->device));
    if (tw_queue_is_recording(queue))
        return tw_fail(TW_ERROR_INVALID_COMMAND_GROUP,
                       "the queue is recording, and freeing cannot be recorded: free the memory when the graph is not "
                       "submitted any more");
    return TW_SUCCESS;
}

tw_status tw_free_async(tw_queue *queue, void *memory)
{
    struct tw_usm_allocation allocation;
    tw_event *event = NULL;
    if (!memory)
        return TW_SUCCESS;
    TW_DEFER_CANCELLATION;
    tw_status status = check_free(queue, memory, &allocation);
    if (status == TW_SUCCESS)
        status = queue->tasks.in_order ? tw_queue_last_event(queue, &event) : tw_queue_submit_marker(queue, &event);
    if (status != TW_SUCCESS)
        return status;
    if (!tw_usm_remove(memory, &allocation)) { /* another thread has freed it meanwhile */
        tw_event_release(&event);
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the memory was freed");
    }
    tw_pool_give(allocation.device, allocation.pooled,
                 (struct tw_pool_hold){event ? tw_command_of(event) : NULL, order_of(queue)});
    tw_lock();
    tw_object_died_locked(TW_OBJECT_MEMORY);
    tw_unlock();
    return TW_SUCCESS;
}

size_t tw_memory_pool_bytes(const tw_device *device)
{
    return device ? tw_pool_size(tw_memory_owner(device)) : 0;
}

tw_status tw_memory_pool_trim(tw_device *device, size_t keep_bytes)
{
    if (!device)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the device is NULL");
    const tw_status status = tw_check_process();
    if (status == TW_SUCCESS)
        (void)tw_pool_trim(tw_memory_owner(device), keep_bytes);
    return status;
}
