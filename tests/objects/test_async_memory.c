/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/** usm.h: memory that is allocated and freed in the order of a queue, pools, and allocations with an alignment. */
#include "tw_test.h"

#include <teamwork/command_graph.h>

enum { N = 1000, ROUNDS = 100 };

struct put {
    int *x;
    int value;
};
static inline void put(tw_item item, const struct put *k)
{
    k->x[tw_global_id(item, 0)] = k->value;
}
TW_RANGE_KERNEL(put, 1);

struct add_to {
    int *sum;
    const int *x;
};
static inline void add_to(tw_item item, const struct add_to *k)
{
    k->sum[tw_global_id(item, 0)] += k->x[tw_global_id(item, 0)];
}
TW_RANGE_KERNEL(add_to, 1);

static tw_queue *queue_with(unsigned properties)
{
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create_with_properties(NULL, NULL, properties, NULL, NULL, &queue));
    return queue;
}

static tw_event *user_event(void)
{
    tw_event *event = NULL;
    TW_PASS(tw_event_create_user(&event));
    return event;
}

static int *allocate(tw_queue *queue, size_t count)
{
    int *x = (int *)tw_malloc_async(queue, count * sizeof *x);
    TW_CHECK(x != NULL);
    TW_EQUAL((uintptr_t)x % 128, 0);
    TW_EQUAL(tw_pointer_get_type(x), TW_POINTER_DEVICE);
    TW_CHECK(tw_pointer_get_device(x + count - 1) == tw_queue_device(queue));
    return x;
}

/* Submits x = value, held back by an event unless that is NULL. */
static void submit_put(tw_queue *queue, int *x, int value, tw_event *after)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_depends_on(cg, after);
    tw_parallel_for(cg, tw_range_1d(N), put, .x = x, .value = value);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

/* An in-order queue uses the same memory again at once, though the groups before have not run. */
TW_TEST(an_in_order_queue_allocates_again_what_it_has_freed)
{
    tw_queue *queue = queue_with(TW_QUEUE_IN_ORDER);
    tw_event *start = user_event();
    int *sum = allocate(queue, N), *first = NULL, results[N];
    submit_put(queue, sum, 0, start);
    for (int i = 0; i < ROUNDS; ++i) {
        int *x = allocate(queue, N);
        first = first ? first : x;
        TW_CHECK(x == first);
        submit_put(queue, x, i, NULL);
        TW_COMMAND_GROUP(queue, cg) {
            tw_parallel_for(cg, tw_range_1d(N), add_to, .sum = sum, .x = x);
        }
        TW_PASS(tw_free_async(queue, x));
        TW_EQUAL(tw_pointer_get_type(x), TW_POINTER_UNKNOWN);
    }
    TW_CHECK(tw_memory_pool_bytes(tw_queue_device(queue)) >= N * sizeof(int));
    TW_PASS(tw_memory_pool_trim(tw_queue_device(queue), 0));
    TW_CHECK(tw_memory_pool_bytes(tw_queue_device(queue)) >= N * sizeof(int)); /* it is in use */
    TW_PASS(tw_event_complete(start, TW_SUCCESS));
    TW_PASS(tw_queue_memcpy(queue, results, sum, sizeof results, NULL));
    TW_PASS(tw_queue_wait(queue));
    for (int i = 0; i < N; ++i)
        TW_EQUAL(results[i], ROUNDS * (ROUNDS - 1) / 2);
    TW_PASS(tw_free_async(queue, sum));
    TW_PASS(tw_free_async(queue, NULL));
    TW_PASS(tw_memory_pool_trim(tw_queue_device(queue), 0));
    TW_EQUAL(tw_memory_pool_bytes(tw_queue_device(queue)), 0);
    tw_event_release(&start);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Others get it when all that was submitted before it was freed is complete. */
TW_TEST(other_queues_get_memory_that_is_unused)
{
    tw_queue *queues[2] = {queue_with(0), queue_with(TW_QUEUE_IN_ORDER)};
    tw_event *start = user_event();
    int *x = allocate(queues[0], N);
    submit_put(queues[0], x, 1, start);
    TW_PASS(tw_free_async(queues[0], x));
    int *other = allocate(queues[1], N), *same = allocate(queues[0], N);
    TW_CHECK(other != x && same != x);
    TW_PASS(tw_event_complete(start, TW_SUCCESS));
    TW_PASS(tw_queue_wait(queues[0]));
    int *again = allocate(queues[1], N - 10); /* of the same size of blocks */
    TW_CHECK(again == x);
    tw_free(again); /* nothing uses it */
    again = allocate(queues[0], N);
    TW_CHECK(again == x);
    tw_free(again);
    tw_free(other);
    tw_free(same);
    tw_event_release(&start);
    tw_test_destroy_queues(queues, 2);
}

/* Memory that an in-order queue has allocated again, before its own groups have run, and that was then freed without
   them, is not given to others before these have run. */
TW_TEST(what_used_memory_before_still_holds_it)
{
    tw_queue *queues[3] = {queue_with(TW_QUEUE_IN_ORDER), queue_with(TW_QUEUE_IN_ORDER), queue_with(0)};
    for (int by = 0; by < 3; ++by) {
        tw_event *start = user_event();
        int *x = allocate(queues[0], N);
        submit_put(queues[0], x, 1, start);
        TW_PASS(tw_free_async(queues[0], x));
        int *again = allocate(queues[0], N);
        TW_CHECK(again == x);
        if (by == 0)
            tw_free(again);
        else
            TW_PASS(tw_free_async(queues[by], again)); /* which has nothing to do */
        TW_PASS(tw_queue_wait(queues[1]));
        int *other = allocate(queues[1], N), *third = allocate(queues[2], N);
        TW_CHECK(other != x && third != x);
        TW_PASS(tw_event_complete(start, TW_SUCCESS));
        TW_PASS(tw_queue_wait(queues[0]));
        TW_PASS(tw_queue_wait(queues[2]));
        int *last = allocate(queues[2], N);
        TW_CHECK(last == x);
        tw_free(last);
        tw_free(other);
        tw_free(third);
        TW_PASS(tw_memory_pool_trim(tw_queue_device(queues[0]), 0));
        tw_event_release(&start);
    }
    tw_test_destroy_queues(queues, 3);
}

/* A queue that was destroyed frees what its groups used all the same, and another one is not taken for it. */
TW_TEST(pools_outlive_queues)
{
    tw_queue *queue = queue_with(TW_QUEUE_IN_ORDER);
    int *x = allocate(queue, N);
    submit_put(queue, x, 1, NULL);
    TW_PASS(tw_free_async(queue, x));
    TW_PASS(tw_queue_destroy(&queue));
    queue = queue_with(0);
    int *again = allocate(queue, N);
    TW_CHECK(again == x);
    TW_PASS(tw_free_async(queue, again));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Memory in the pool makes room: for other sizes, for memory of tw_malloc_device(), for buffers; and what is still in
   use is waited for. */
TW_TEST(a_full_device_takes_memory_back_from_its_pool)
{
    enum { BIG = 1 << 20 };
    TW_PASS(tw_shutdown());
    setenv("TW_SIM_MEMORY", "3000000", 1);
    tw_test_use_sim(1);
    tw_queue *queue = queue_with(TW_QUEUE_IN_ORDER);
    int *a = allocate(queue, BIG / 2), *b = allocate(queue, BIG / 8);
    TW_CHECK(tw_malloc_async(queue, BIG) == NULL);
    TW_CHECK(strstr(tw_error_detail(), "no room") != NULL);
    submit_put(queue, a, 1, NULL);
    TW_PASS(tw_free_async(queue, a));
    int *c = allocate(queue, BIG / 2 - BIG / 8); /* another size: waits for the kernel */
    TW_PASS(tw_free_async(queue, c));
    TW_PASS(tw_queue_wait(queue));
    int *d = (int *)tw_malloc_device(tw_queue_device(queue), 2000000);
    TW_CHECK(d != NULL);
    tw_free(d);
    c = allocate(queue, BIG / 2);
    TW_PASS(tw_free_async(queue, c));
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(500000), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), put, .x = tw_write(cg, buffer), .value = 1);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_free_async(queue, b));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(sizes_of_blocks)
{
    tw_queue *queue = queue_with(0);
    const size_t sizes[] = {1, 512, 513, 576, 577, 1000, 1024, 1025, 4096, 100000, 1 << 20, (1 << 20) + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        TW_PASS(tw_queue_wait(queue));
        TW_PASS(tw_memory_pool_trim(tw_queue_device(queue), 0));
        unsigned char *x = (unsigned char *)tw_malloc_async(queue, sizes[i]);
        TW_CHECK(x && tw_pointer_get_type(x + sizes[i] - 1) == TW_POINTER_DEVICE);
        TW_PASS(tw_queue_memset(queue, x, 7, sizes[i], NULL));
        TW_PASS(tw_queue_wait(queue));
        TW_PASS(tw_free_async(queue, x));
        const size_t kept = tw_memory_pool_bytes(tw_queue_device(queue));
        TW_CHECK(kept >= 512 && kept >= sizes[i] && (kept == 512 || kept <= sizes[i] + sizes[i] / 8 + 1));
    }
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(wrong_use_is_refused)
{
    tw_queue *queue = queue_with(TW_QUEUE_IN_ORDER);
    tw_command_graph *graph = NULL;
    int *x = allocate(queue, N), *device = (int *)tw_malloc_device(tw_queue_device(queue), N);
    TW_CHECK(tw_malloc_async(NULL, 1) == NULL && tw_malloc_async(queue, 0) == NULL);
    TW_CHECK(tw_malloc_async(queue, SIZE_MAX) == NULL && *tw_error_detail());
    TW_FAIL(tw_free_async(NULL, x), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_free_async(queue, x + 1), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_free_async(queue, device), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "tw_free()") != NULL);
    TW_FAIL(tw_memory_pool_trim(NULL, 0), TW_ERROR_INVALID_ARGUMENT);
    TW_EQUAL(tw_memory_pool_bytes(NULL), 0);
    TW_PASS(tw_queue_begin_recording(queue));
    TW_FAIL(tw_free_async(queue, x), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    tw_command_graph_destroy(&graph);
    TW_FAIL(tw_shutdown(), TW_ERROR_BUSY);
    TW_PASS(tw_free_async(queue, x));
    TW_FAIL(tw_free_async(queue, x), TW_ERROR_INVALID_ARGUMENT);
    tw_free(device);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(memory_of_another_device_is_refused)
{
    tw_queue *queues[2];
    tw_test_use_sim(2);
    tw_test_queues(queues, 2);
    int *x = allocate(queues[0], N);
    TW_FAIL(tw_free_async(queues[1], x), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_free_async(queues[0], x));
    tw_test_destroy_queues(queues, 2);
}

/* ---- alignment --------------------------------------------------------------------------------------------------- */

/* Allocates, fills all of it, and frees. kind: 0 device, 1 shared, 2 host. */
static void check_aligned(tw_queue *queue, int kind, size_t alignment, size_t bytes)
{
    tw_device *device = tw_queue_device(queue);
    unsigned char *x = (unsigned char *)(kind == 0   ? tw_aligned_alloc_device(device, alignment, bytes)
                                         : kind == 1 ? tw_aligned_alloc_shared(device, alignment, bytes)
                                                     : tw_aligned_alloc_host(alignment, bytes));
    unsigned char last = 0;
    TW_CHECK(x != NULL);
    TW_EQUAL((uintptr_t)x % alignment, 0);
    TW_EQUAL((uintptr_t)x % 128, 0);
    TW_EQUAL(tw_pointer_get_type(x + bytes - 1), TW_POINTER_DEVICE + kind);
    TW_PASS(tw_queue_memset(queue, x, 7, bytes, NULL));
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_queue_memcpy(queue, &last, x + bytes - 1, 1, NULL));
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(last, 7);
    tw_free(x);
}

TW_TEST(memory_is_aligned)
{
    tw_queue *queue = tw_test_queue();
    void *shared = tw_malloc_shared(tw_queue_device(queue), 1);
    for (int kind = 0; kind < 3; ++kind)
        for (size_t alignment = 1; alignment <= 1 << 16 && (kind != 1 || shared); alignment *= 4)
            for (size_t bytes = 1; bytes < 10000; bytes += 3333)
                check_aligned(queue, kind, alignment, bytes);
    tw_free(shared);
    TW_CHECK(tw_aligned_alloc_device(tw_queue_device(queue), 0, 1) == NULL && *tw_error_detail());
    TW_CHECK(tw_aligned_alloc_device(tw_queue_device(queue), 96, 1) == NULL);
    TW_CHECK(strstr(tw_error_detail(), "power of two") != NULL);
    TW_CHECK(tw_aligned_alloc_shared(tw_queue_device(queue), 3, 1) == NULL);
    TW_CHECK(tw_aligned_alloc_host(3, 1) == NULL && tw_aligned_alloc_host(64, 0) == NULL);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(an_in_order_queue_allocates_again_what_it_has_freed),
                TW_CASE(other_queues_get_memory_that_is_unused),
                TW_CASE(what_used_memory_before_still_holds_it),
                TW_CASE(pools_outlive_queues),
                TW_CASE(a_full_device_takes_memory_back_from_its_pool),
                TW_CASE(sizes_of_blocks),
                TW_CASE(wrong_use_is_refused),
                TW_CASE(memory_of_another_device_is_refused),
                TW_CASE(memory_is_aligned),
                TW_CASES_END};
