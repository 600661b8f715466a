/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/** usm.h: memory that kernels use by plain pointers: allocation, queries, kernels that follow them, and errors. */
#include "tw_test.h"

enum { NODES = 100 };

/* A list in unified shared memory. */
struct node {
    struct node *next;
    int value;
};

struct sum_list {
    const struct node *first;
    int *sum;
};
static inline void sum_list(const struct sum_list *k)
{
    int sum = 0;
    for (const struct node *node = k->first; node; node = node->next)
        sum += node->value;
    *k->sum = sum;
}
TW_SINGLE_TASK(sum_list);

struct count_up {
    int *data;
    int start;
};
static inline void count_up(tw_item item, const struct count_up *k)
{
    k->data[tw_global_id(item, 0)] += k->start + (int)tw_global_id(item, 0);
}
TW_RANGE_KERNEL(count_up, 1);

static bool has_shared_memory(void)
{
    void *memory = tw_malloc_shared(tw_test_device(0), 1);
    tw_free(memory);
    return memory != NULL;
}

static int sum_of(tw_queue *queue, const struct node *first, int *sum)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, sum_list, .first = first, .sum = sum);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
    return *sum;
}

/* The host builds a list and the kernel follows it, in shared memory and in host memory. */
TW_TEST(kernels_follow_pointers)
{
    tw_queue *queue = tw_test_queue();
    for (int shared = 0; shared < 2; ++shared) {
        if (shared && !has_shared_memory())
            continue;
        const size_t bytes = NODES * sizeof(struct node);
        struct node *nodes = shared ? tw_malloc_shared(tw_test_device(0), bytes) : tw_malloc_host(bytes);
        int *sum = tw_malloc_host(sizeof *sum);
        TW_CHECK(nodes && sum);
        for (int i = 0; i < NODES; ++i)
            nodes[i] = (struct node){i + 1 < NODES ? &nodes[i + 1] : NULL, i};
        TW_EQUAL(sum_of(queue, nodes, sum), NODES * (NODES - 1) / 2);
        nodes[NODES / 2].next = NULL; /* the host changes it, and the kernel sees that */
        TW_EQUAL(sum_of(queue, nodes, sum), NODES / 2 * (NODES / 2 + 1) / 2);
        tw_free(nodes);
        tw_free(sum);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Device memory keeps what one kernel has written for the next. */
TW_TEST(device_memory_is_the_kernels)
{
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_test_device(0);
    int *data = tw_malloc_device(device, NODES * sizeof *data), *sum = tw_malloc_host(sizeof *sum);
    struct node *nodes = tw_malloc_device(device, sizeof *nodes);
    TW_CHECK(data && sum && nodes);
    TW_EQUAL(tw_pointer_get_type(data), TW_POINTER_DEVICE);
    TW_EQUAL(tw_pointer_get_type(&data[NODES - 1]), TW_POINTER_DEVICE);
    TW_CHECK(tw_pointer_get_device(&data[7]) == device);
    TW_EQUAL(tw_pointer_get_type(sum), TW_POINTER_HOST);
    TW_CHECK(!tw_pointer_get_device(sum));
    TW_EQUAL(tw_pointer_get_type(&queue), TW_POINTER_UNKNOWN);
    TW_EQUAL(tw_pointer_get_type(NULL), TW_POINTER_UNKNOWN);
    for (int round = 0; round < 3; ++round) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(1), count_up, .data = &data[5], .start = round ? 100 : 7);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_queue_wait_and_throw(queue)); /* orders the kernels */
    }
    tw_free(nodes);
    tw_free(data);
    tw_free(sum);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(what_cannot_be_allocated_is_refused)
{
    tw_device *device = tw_test_device(0);
    int local = 0;
    TW_CHECK(!tw_malloc_device(NULL, 1) && strstr(tw_error_detail(), "NULL"));
    TW_CHECK(!tw_malloc_device(device, 0) && *tw_error_detail());
    TW_CHECK(!tw_malloc_shared(device, SIZE_MAX));
    TW_CHECK(!tw_malloc_device(device, SIZE_MAX / 4) && *tw_error_detail());
    tw_free(NULL);
    tw_free(&local); /* not the library's */
}

TW_TEST_LIST = {TW_CASE(kernels_follow_pointers), TW_CASE(device_memory_is_the_kernels),
                TW_CASE(what_cannot_be_allocated_is_refused), TW_CASES_END};
