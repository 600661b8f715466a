/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host */
/**
 * Several threads submit to one queue over several devices, and to ordinary queues, groups that access the same buffers.
 * A group is one, however many devices run it: all elements, and whoever looks, see all of it or nothing, and the groups in
 * one order.
 */
#include "tw_test.h"

#include <pthread.h>
#include <stdatomic.h>

#include <teamwork/copy.h>

enum { N = 64, MOST = 8, THREADS = 4, ROUNDS = 60 };

TW_TEST_ONE_THREAD

/* ---- kernels: neither commutes with the other -------------------------------------------------------------------- */

struct add_one {
    unsigned *out;
};
static inline void add_one(tw_item item, const struct add_one *k)
{
    k->out[tw_global_id(item, 0)] += 1;
}
TW_RANGE_KERNEL(add_one, 1);

struct triple {
    unsigned *out;
};
static inline void triple(tw_item item, const struct triple *k)
{
    k->out[tw_global_id(item, 0)] *= 3;
}
TW_RANGE_KERNEL(triple, 1);

/* Each element becomes the sum of itself and the one of another part. */
struct fold {
    const unsigned *in;
    unsigned *out;
};
static inline void fold(tw_item item, const struct fold *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = k->in[N - 1 - i] + 1;
}
TW_RANGE_KERNEL(fold, 1);

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static struct shared {
    tw_queue *over[2], *plain[MOST];
    size_t plain_count;
    tw_buffer *a, *b;
    atomic_uint torn; /* looks that saw half of a group */
} s;

static void reverse(tw_id offset, tw_range range, tw_range buffer, tw_id *first, tw_range *count, void *user)
{
    (void)user;
    *first = tw_id_1d(buffer.size[0] - offset.at[0] - range.size[0]);
    *count = range;
}

static void submit_one(tw_queue *queue, unsigned which)
{
    tw_command_group *cg = tw_queue_begin(queue);
    switch (which % 4) {
    case 0:
        tw_parallel_for(cg, tw_range_1d(N), add_one, .out = tw_read_write(cg, s.a));
        break;
    case 1:
        tw_parallel_for(cg, tw_range_1d(N), triple, .out = tw_read_write(cg, s.a));
        break;
    case 2:
        tw_parallel_for(cg, tw_range_1d(N), fold, .in = tw_read_mapped(cg, s.a, tw_map_by(reverse, NULL)),
                        .out = tw_discard_write(cg, s.b));
        break;
    default:
        tw_parallel_for(cg, tw_range_1d(N), fold, .in = tw_read_mapped(cg, s.b, tw_map_by(reverse, NULL)),
                        .out = tw_discard_write(cg, s.a));
    }
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

static void look(tw_buffer *buffer)
{
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_host_access(buffer, TW_READ, &accessor));
    const unsigned *words = tw_host_accessor_const_data(accessor);
    for (int i = 1; i < N; ++i)
        if (words[i] != words[0])
            atomic_fetch_add(&s.torn, 1);
    tw_host_accessor_release(&accessor);
}

static void *work(void *argument)
{
    uint64_t random = (uintptr_t)argument;
    for (int round = 0; round < ROUNDS; ++round) {
        const unsigned which = tw_test_random(&random, 64);
        if (which < 40)
            submit_one(s.over[which % 2], which / 2);
        else if (which < 58)
            submit_one(s.plain[which % s.plain_count], which / 2);
        else
            look(which % 2 ? s.a : s.b);
    }
    return NULL;
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

static tw_queue *queue_over(tw_device *const *devices, size_t count)
{
    double shares[MOST];
    tw_queue *queue = NULL;
    for (size_t i = 0; i < count; ++i)
        shares[i] = 1 + (double)i;
    TW_PASS(tw_queue_create_over(devices, count, 0, NULL, NULL, &queue));
    TW_PASS(tw_queue_set_division(queue, shares));
    return queue;
}

/* Queues over some of the devices, others over other ones: contents are also where a queue has no device. */
static void begin(void)
{
    tw_device *devices[MOST];
    size_t found = 0;
    TW_PASS(tw_get_devices(TW_DEVICE_ALL, devices, MOST, &found));
    if (found < 2) {
        tw_test_use_sim(3);
        TW_PASS(tw_get_devices(TW_DEVICE_ALL, devices, MOST, &found));
    }
    found = found > MOST ? MOST : found;
    s.over[0] = queue_over(devices, found > 2 ? found - 1 : found);
    s.over[1] = queue_over(devices + (found > 2), found > 2 ? found - 1 : found);
    s.plain_count = found;
    for (size_t i = 0; i < found; ++i)
        TW_PASS(tw_queue_create_on_device(devices[i], NULL, NULL, &s.plain[i]));
    atomic_store(&s.torn, 0);
}

static void end(void)
{
    for (int i = 0; i < 2; ++i)
        TW_PASS(tw_queue_destroy(&s.over[i]));
    for (size_t i = 0; i < s.plain_count; ++i)
        TW_PASS(tw_queue_destroy(&s.plain[i]));
}

TW_TEST(groups_of_threads_are_not_mixed)
{
    static unsigned data[2][N];
    begin();
    for (int run = 0; run < 12; ++run) {
        pthread_t threads[THREADS];
        /* new buffers each time: what they need first, they need while others submit */
        TW_PASS(tw_buffer_create_over(data[0], sizeof(unsigned), tw_range_1d(N), &s.a));
        TW_PASS(run % 2 ? tw_buffer_create(sizeof(unsigned), tw_range_1d(N), &s.b)
                        : tw_buffer_create_over(data[1], sizeof(unsigned), tw_range_1d(N), &s.b));
        if (run % 2)
            submit_one(s.plain[0], 2);
        for (uintptr_t i = 0; i < THREADS; ++i)
            TW_EQUAL(pthread_create(&threads[i], NULL, work, (void *)(1 + i + 100u * (unsigned)run)), 0);
        for (int i = 0; i < THREADS; ++i)
            TW_EQUAL(pthread_join(threads[i], NULL), 0);
        look(s.a);
        look(s.b);
        TW_PASS(tw_buffer_destroy(&s.a));
        TW_PASS(tw_buffer_destroy(&s.b));
        for (int i = 1; i < N; ++i)
            TW_CHECK(data[0][i] == data[0][0]);
    }
    TW_EQUAL(atomic_load(&s.torn), 0u);
    end();
}

/* Contents that are on a device which the queue does not have go through the host, whose memory is allocated first. */
TW_TEST(a_group_is_submitted_at_once)
{
    begin();
    for (int run = 0; run < 30; ++run) {
        pthread_t threads[THREADS];
        TW_PASS(tw_buffer_create(sizeof(unsigned), tw_range_1d(N), &s.a));
        TW_PASS(tw_buffer_create(sizeof(unsigned), tw_range_1d(N), &s.b));
        tw_command_group *cg = tw_queue_begin(s.plain[s.plain_count - 1]);
        tw_fill(cg, s.a, &(unsigned){0});
        TW_PASS(tw_queue_submit(s.plain[s.plain_count - 1], cg, NULL));
        submit_one(s.plain[s.plain_count - 1], 2);
        for (uintptr_t i = 0; i < THREADS; ++i)
            TW_EQUAL(pthread_create(&threads[i], NULL, work, (void *)(7 + i + 100u * (unsigned)run)), 0);
        for (int i = 0; i < THREADS; ++i)
            TW_EQUAL(pthread_join(threads[i], NULL), 0);
        look(s.a);
        TW_PASS(tw_buffer_destroy(&s.a));
        TW_PASS(tw_buffer_destroy(&s.b));
    }
    TW_EQUAL(atomic_load(&s.torn), 0u);
    end();
}

TW_TEST_LIST = {TW_CASE(groups_of_threads_are_not_mixed), TW_CASE(a_group_is_submitted_at_once), TW_CASES_END};
