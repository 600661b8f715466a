/* SPDX-License-Identifier: Apache-2.0 */
/** The context object. */
#ifndef TEAMWORK_OBJECTS_CONTEXT_H
#define TEAMWORK_OBJECTS_CONTEXT_H

#include <stddef.h>

#include <teamwork/queue.h>

struct tw_queue;

struct tw_context {
    size_t references; /* the handle and each queue */
    struct tw_device **devices;
    size_t count;
    tw_error_handler handler;
    void *handler_user;
    struct tw_queue *queues; /* first queue in the context */
};
/* Releases a reference; the last one frees the context. */
void tw_context_release_locked(struct tw_context *context);

#endif
