/* SPDX-License-Identifier: Apache-2.0 */
/** The context object. */
#ifndef TEAMWORK_OBJECTS_CONTEXT_H
#define TEAMWORK_OBJECTS_CONTEXT_H

#include <stddef.h>

#include <teamwork/queue.h>

struct tw_queue;

struct tw_context {
    size_t references; /* each handle and each queue */
    size_t handles;    /* 0: it is the own context of a queue */
    struct tw_device **devices;
    size_t count;
    tw_error_handler handler;
    void *handler_user;
    struct tw_queue *queues; /* first queue in the context */
};
/* Makes a context without any references; NULL if there is no memory for it. */
struct tw_context *tw_context_new(struct tw_device *const *devices, size_t count, tw_error_handler handler, void *user);
/* Releases a reference; the last one frees the context. */
void tw_context_release_locked(struct tw_context *context);

#endif
