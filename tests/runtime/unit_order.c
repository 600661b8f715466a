/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which waits between streams follow from others, without any device: random tasks that come after others, against an
 * oracle that knows what each task comes after; and the exchange of a stencil. Needs the private header order.h.
 */
#include "tw_test.h"

#include "runtime/order.h"

enum { STREAMS = 5, TASKS = 60, SEEDS = 300 };

static uint64_t state;

static unsigned pick(size_t n)
{
    return tw_test_random(&state, (unsigned)n);
}

static struct tw_backend_stream streams[STREAMS];
static uint64_t enqueued[STREAMS];
/* What a task comes after, by the waits that were enqueued: on each stream, up to which sequence number. */
static uint64_t after[STREAMS][TASKS + 1][STREAMS];

/* Enqueues a task behind some events. Returns how many of these the stream waited for. */
static size_t enqueue(size_t s, const struct tw_backend_event *wanted, size_t count)
{
    struct tw_backend_event events[TW_ORDER_EVENTS];
    struct tw_orders orders = {.count = 0};
    const uint64_t sequence = ++enqueued[s];
    for (size_t i = 0; i < count; ++i)
        events[i] = wanted[i];
    const size_t left = tw_order_reduce_locked(&streams[s], events, count, &orders);
    TW_CHECK(left <= count);
    memcpy(after[s][sequence], after[s][sequence - 1], sizeof after[s][sequence]);
    after[s][sequence][s] = sequence;
    for (size_t i = 0; i < left; ++i) {
        const uint64_t *inherited = after[events[i].stream - streams][events[i].sequence];
        for (size_t k = 0; k < STREAMS; ++k)
            if (inherited[k] > after[s][sequence][k])
                after[s][sequence][k] = inherited[k];
    }
    for (size_t i = 0; i < count; ++i)
        TW_CHECK(after[s][sequence][wanted[i].stream - streams] >= wanted[i].sequence);
    tw_order_note_locked(&streams[s], sequence, &orders);
    return left;
}

static void begin(void)
{
    memset(streams, 0, sizeof streams);
    memset(enqueued, 0, sizeof enqueued);
    memset(after, 0, sizeof after);
}

TW_TEST(random_tasks_come_after_all_that_they_have_to)
{
    size_t wanted = 0, waits = 0;
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        begin();
        state = seed * 0x9e3779b97f4a7c15u;
        for (unsigned i = 0; i < TASKS; ++i) {
            const size_t s = pick(STREAMS);
            struct tw_backend_event events[STREAMS];
            size_t count = 0;
            for (size_t k = 0; k < STREAMS; ++k) /* one of the last few tasks, as long as they are in flight */
                if (k != s && enqueued[k] && pick(2))
                    events[count++] = (struct tw_backend_event){
                        &streams[k], enqueued[k] - pick(enqueued[k] < 4 ? (size_t)enqueued[k] : 4)};
            waits += enqueue(s, events, count);
            wanted += count;
        }
    }
    TW_CHECK(waits < wanted * 3 / 4);
}

/* Two devices, each with a stream of kernels and one of copies from the other one. A copy comes after the kernel that
   wrote the edge, and after the one that read what it overwrites; a kernel after the copy to its device, and after the
   copy of what it overwrites. */
TW_TEST(a_stencil_waits_once_for_each_copy_and_once_for_each_edge)
{
    begin();
    for (uint64_t step = 1; step <= TASKS; ++step)
        for (size_t device = 0; device < 2; ++device) {
            struct tw_backend_stream *own = &streams[device], *other = &streams[1 - device];
            struct tw_backend_stream *copies = &streams[2 + device], *others_copies = &streams[3 - device];
            const struct tw_backend_event before_copy[] = {{other, step - 1}, {own, step - 2}};
            const struct tw_backend_event before_kernel[] = {{copies, step}, {others_copies, step - 1}};
            const size_t count = step > 2 ? 2 : 0;
            const size_t waits = enqueue(2 + device, before_copy, count) + enqueue(device, before_kernel, count);
            if (step > 4)
                TW_EQUAL(waits, 2);
        }
}

/* A new stream at the address of one that was closed. */
TW_TEST(streams_are_known_by_number_and_not_by_address)
{
    begin();
    TW_EQUAL(enqueue(0, NULL, 0), 0);
    TW_EQUAL(enqueue(1, &(struct tw_backend_event){&streams[0], 1}, 1), 1);
    TW_EQUAL(enqueue(1, &(struct tw_backend_event){&streams[0], 1}, 1), 0);
    streams[0] = (struct tw_backend_stream){.next = NULL};
    TW_EQUAL(enqueue(1, &(struct tw_backend_event){&streams[0], 1}, 1), 1);
}

TW_TEST_LIST = {
    TW_CASE(random_tasks_come_after_all_that_they_have_to),
    TW_CASE(a_stencil_waits_once_for_each_copy_and_once_for_each_edge),
    TW_CASE(streams_are_known_by_number_and_not_by_address),
    TW_CASES_END,
};
