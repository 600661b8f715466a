/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of streams (order.h).
 *
 * A wait between devices costs the host more than a microsecond. Devices that exchange the edges of their parts in each
 * step would wait for each other in many ways: a copy for the kernel that wrote the edge, and for the readers of what
 * it overwrites; the next kernel for the copy to it, and for the one from it. Most of these waits follow from the others.
 *
 * So each stream remembers for which points of other streams it has waited, and what these had waited for. A stream
 * runs in order: what holds from one sequence number on holds for all later ones.
 */
#include "order.h"

static uint64_t numbers; /* given to streams; addresses are used again */

static void number_locked(struct tw_backend_stream *stream)
{
    if (!stream->number)
        stream->number = ++numbers;
}

/* Sets of stream numbers have 64 bits: a number may seem to be in a set because another one is. */
static uint64_t bit(uint64_t number)
{
    return (uint64_t)1 << number % 64;
}

/* Returns how many of a stream's orders are remembered. */
static unsigned kept(const struct tw_backend_stream *stream)
{
    return stream->order_count < TW_STREAM_ORDERS ? stream->order_count : TW_STREAM_ORDERS;
}

/* Returns a remembered order: number 0 is the newest one. */
static const struct tw_stream_order *remembered(const struct tw_backend_stream *stream, unsigned i)
{
    return &stream->orders[(stream->order_count - 1 - i) % TW_STREAM_ORDERS];
}

/* Returns true if what a stream enqueues with sequence number `at`, or after it, comes after a point of the stream with a
   number. Of the orders after the same stream, a newer one has a greater sequence number. */
static bool comes_after(const struct tw_backend_stream *stream, uint64_t at, uint64_t number, uint64_t sequence)
{
    const unsigned count = stream->ordered & bit(number) ? kept(stream) : 0;
    for (unsigned i = 0; i < count; ++i) {
        const struct tw_stream_order *order = remembered(stream, i);
        if (order->number != number)
            continue;
        if (order->sequence < sequence || order->since <= at)
            return order->sequence >= sequence;
    }
    return false;
}

/* Adds an order of a stream, unless it is known. */
static void add(struct tw_orders *orders, const struct tw_backend_stream *stream, uint64_t number, uint64_t sequence)
{
    if (comes_after(stream, UINT64_MAX, number, sequence))
        return;
    for (size_t i = 0; i < orders->count; ++i)
        if (orders->of[i].number == number) {
            if (orders->of[i].sequence < sequence)
                orders->of[i].sequence = sequence;
            return;
        }
    if (orders->count < TW_MOST_ORDERS)
        orders->of[orders->count++] = (struct tw_stream_order){.number = number, .sequence = sequence};
}

/* Adds what follows from a stream's wait for an event. Of the orders after the same stream, the newest one says most. */
static void add_event(struct tw_orders *orders, const struct tw_backend_stream *stream,
                      const struct tw_backend_event *event)
{
    const struct tw_backend_stream *other = event->stream;
    uint64_t left = other->ordered & ~bit(stream->number);
    add(orders, stream, other->number, event->sequence);
    for (unsigned i = 0; left && i < kept(other); ++i) {
        const struct tw_stream_order *order = remembered(other, i);
        if (order->since > event->sequence || !(left & bit(order->number)))
            continue;
        left &= ~bit(order->number);
        add(orders, stream, order->number, order->sequence);
    }
}

size_t tw_order_reduce_locked(struct tw_backend_stream *stream, struct tw_backend_event *events, size_t count,
                              struct tw_orders *orders)
{
    bool follows[TW_ORDER_EVENTS] = {false};
    size_t left = 0;
    number_locked(stream);
    for (size_t i = 0; i < count; ++i)
        number_locked(events[i].stream);
    for (size_t i = 0; i < count; ++i) {
        follows[i] = comes_after(stream, UINT64_MAX, events[i].stream->number, events[i].sequence);
        for (size_t k = 0; k < count && !follows[i]; ++k)
            follows[i] =
                k != i
                && comes_after(events[k].stream, events[k].sequence, events[i].stream->number, events[i].sequence);
    }
    for (size_t i = 0; i < count; ++i)
        if (!follows[i]) {
            add_event(orders, stream, &events[i]);
            events[left++] = events[i];
        }
    return left;
}

void tw_order_note_locked(struct tw_backend_stream *stream, uint64_t since, const struct tw_orders *orders)
{
    for (size_t i = 0; i < orders->count; ++i) {
        struct tw_stream_order *order = &stream->orders[stream->order_count++ % TW_STREAM_ORDERS];
        *order = orders->of[i];
        order->since = since;
        stream->ordered |= bit(order->number);
    }
}
