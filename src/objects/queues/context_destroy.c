/* SPDX-License-Identifier: Apache-2.0 */
/* Destruction of contexts (spec 3.5.4), which waits for their queues. */
#include "base/lock.h"
#include "base/process.h"
#include "context.h"
#include "queue.h"
#include "runtime/reclaim.h"

/* Returns the first queue of the context with unfinished commands or, if `with_errors`, undelivered errors. Returns
   NULL if there is none. The caller gets a reference. */
static struct tw_queue *next_queue(struct tw_context *context, bool with_errors)
{
    tw_lock();
    struct tw_queue *queue = context->queues;
    while (queue && !queue->tasks.first_unfinished && !(with_errors && (queue->errors.first || queue->errors.dropped)))
        queue = queue->next;
    if (queue)
        ++queue->tasks.references;
    tw_unlock();
    return queue;
}

/* Releases the reference of next_queue(), even if a handler throws an exception. */
static void drop_queue(struct tw_queue **queue)
{
    if (!*queue)
        return;
    tw_lock();
    tw_task_queue_release_locked(&(*queue)->tasks);
    tw_unlock();
}

/* Waits for all queues. Delivers no errors, so that a refusal changes nothing. */
static tw_status drain(struct tw_context *context)
{
    for (;;) {
        struct tw_queue *queue __attribute__((cleanup(drop_queue))) = next_queue(context, false);
        if (!queue)
            return TW_SUCCESS;
        tw_lock();
        const tw_status status = tw_queue_drain_locked(queue);
        tw_unlock();
        if (status != TW_SUCCESS)
            return status;
    }
}

/* Gives a handle back that is not the last one. Returns false if it is, or if there is none. */
static bool drop_handle(struct tw_context *context, tw_status *status)
{
    tw_lock();
    const size_t handles = context->handles;
    if (handles > 1) {
        --context->handles;
        tw_context_release_locked(context);
    }
    tw_unlock();
    *status = handles ? TW_SUCCESS
                      : tw_fail(TW_ERROR_INVALID_ARGUMENT,
                                "it is the context of a queue, and no handle to it was made by tw_context_retain()");
    return handles > 1;
}

tw_status tw_context_destroy(tw_context **handle)
{
    if (!handle || !*handle)
        return TW_SUCCESS;
    struct tw_context *context = *handle;
    tw_status first = tw_check_process();
    if (first == TW_SUCCESS && drop_handle(context, &first)) {
        *handle = NULL;
        return TW_SUCCESS;
    }
    if (first == TW_SUCCESS)
        first = drain(context);
    if (first != TW_SUCCESS)
        return first;
    for (;;) {
        struct tw_queue *queue __attribute__((cleanup(drop_queue))) = next_queue(context, true);
        if (!queue)
            break;
        const tw_status status = tw_queue_wait_and_throw(queue);
        if (status == TW_ERROR_WOULD_DEADLOCK)
            return status;
        if (first == TW_SUCCESS)
            first = status;
    }
    tw_reclaim();
    *handle = NULL;
    tw_lock();
    --context->handles;
    tw_context_release_locked(context);
    tw_unlock();
    return first;
}
