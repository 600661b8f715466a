/* SPDX-License-Identifier: Apache-2.0 */
/** Which waits between streams follow from others, and need not be enqueued. All under the lock. */
#ifndef TEAMWORK_RUNTIME_ORDER_H
#define TEAMWORK_RUNTIME_ORDER_H

#include "backend.h"

#define TW_ORDER_EVENTS 16u /* the most events that a stream is told to wait for at a time */
#define TW_MOST_ORDERS 48u  /* more are left out: then a later wait is enqueued although it need not be */

/* What a stream comes after, once it has waited for some events. */
struct tw_orders {
    struct tw_stream_order of[TW_MOST_ORDERS];
    size_t count;
};

/* Removes the events that a stream need not wait for: it has done so, or another event of the list comes after them.
   Adds to `orders` what follows from the others. Returns the number of events that are left. */
size_t tw_order_reduce_locked(struct tw_backend_stream *stream, struct tw_backend_event *events, size_t count,
                              struct tw_orders *orders);
/* Notes that a stream, from a sequence number on, comes after those. */
void tw_order_note_locked(struct tw_backend_stream *stream, uint64_t since, const struct tw_orders *orders);

#endif
