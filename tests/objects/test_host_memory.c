/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams), optimized, long */
/**
 * Host memory for transfers, and copies of every size through it and through ordinary memory: sizes around the borders
 * of what a backend copies in one piece, in parts, and with several threads.
 */
#include "tw_test.h"

#include <stdint.h>

enum { THREADS = 4 };

/* Sanitizers do not give freed memory back, to find who uses it. */
#define KEEPS_FREED_MEMORY 0
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef KEEPS_FREED_MEMORY
#define KEEPS_FREED_MEMORY 1
#endif
#endif

static tw_device_type device_type(const tw_device *device)
{
    tw_device_type type = 0;
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_TYPE, &type, sizeof type));
    return type;
}

struct invert {
    unsigned char *x;
};
static inline void invert(tw_item item, const struct invert *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[i] = (unsigned char)~k->x[i];
}
TW_RANGE_KERNEL(invert, 1);

static unsigned char pattern(size_t i, unsigned salt)
{
    return (unsigned char)((i * 2654435761u >> 11) + i / 4096 + salt);
}

/* The largest sizes are for the stages of GPUs, which programs with sanitizers do not use. */
#if KEEPS_FREED_MEMORY
#define LARGEST_SIZES
#else
#define LARGEST_SIZES , (24u << 20) + 12345, (33u << 20) - 1
#endif

/* To the device, inverted there, and back. */
static void round_trip(tw_queue *queue, unsigned char *host, size_t bytes, unsigned salt)
{
    tw_buffer *buffer = NULL;
    for (size_t i = 0; i < bytes; ++i)
        host[i] = pattern(i, salt);
    TW_PASS(tw_buffer_create_over(host, 1, tw_range_1d(bytes), &buffer));
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(bytes), invert, .x = tw_read_write(cg, buffer));
    }
    TW_PASS(tw_buffer_destroy(&buffer));
    size_t wrong = 0;
    for (size_t i = 0; i < bytes; ++i)
        wrong += host[i] != (unsigned char)~pattern(i, salt);
    TW_EQUAL(wrong, 0);
}

static const size_t sizes[] = {1,
                               127,
                               (16u << 10) - 1,
                               16u << 10,
                               (16u << 10) + 1,
                               (256u << 10) + 3,
                               (768u << 10) + 1,
                               (1u << 20) + 5,
                               (4u << 20) + 1 LARGEST_SIZES};

TW_TEST(sizes_of_ordinary_memory)
{
    tw_queue *queue = tw_test_queue();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        unsigned char *host = malloc(sizes[s] + 1);
        TW_CHECK(host != NULL);
        round_trip(queue, host + 1, sizes[s], (unsigned)s); /* not aligned */
        free(host);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(sizes_of_host_memory)
{
    tw_queue *queue = tw_test_queue();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        unsigned char *host = tw_malloc_host(sizes[s]);
        TW_CHECK(host != NULL && (uintptr_t)host % 128 == 0);
        round_trip(queue, host, sizes[s], (unsigned)s);
        tw_free_host(host);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* A buffer over the end of page-locked memory and what comes after would be one over both; here over a part of it. */
TW_TEST(part_of_host_memory)
{
    tw_queue *queue = tw_test_queue();
    unsigned char *host = tw_malloc_host(1u << 20);
    TW_CHECK(host != NULL);
    round_trip(queue, host + 1000, 100000, 3);
    round_trip(queue, host + 999999, 7, 4);
    tw_free_host(host);
    TW_PASS(tw_queue_destroy(&queue));
}

struct copier {
    tw_queue *queue;
    unsigned salt;
};

static void *copy_often(void *argument)
{
    const struct copier *c = argument;
    const size_t bytes = (2u << 20) + 77 * c->salt;
    unsigned char *host = malloc(bytes);
    TW_CHECK(host != NULL);
    for (unsigned i = 0; i < 6; ++i)
        round_trip(c->queue, host, bytes, c->salt + i);
    free(host);
    return NULL;
}

TW_TEST(copies_at_the_same_time)
{
    tw_queue *queues[THREADS];
    struct copier copiers[THREADS];
    pthread_t threads[THREADS];
    tw_test_queues(queues, THREADS);
    for (unsigned i = 0; i < THREADS; ++i) {
        copiers[i] = (struct copier){queues[i], 10 * i};
        TW_CHECK(pthread_create(&threads[i], NULL, copy_often, &copiers[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; ++i)
        TW_CHECK(pthread_join(threads[i], NULL) == 0);
    tw_test_destroy_queues(queues, THREADS);
}

/* Device memory is there again for who comes next, however often it is allocated. */
/* In MiB. */
static long resident(void)
{
    long total = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    TW_CHECK(file != NULL && fscanf(file, "%ld %ld", &total, &pages) == 2);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024) / 1024;
}

/* Buffers that come and go get memory that others had, on the host and on the device: no contents of those shine
   through, and the process does not grow by them. */
TW_TEST(memory_is_used_again)
{
    enum { WARM = 15, ROUNDS = KEEPS_FREED_MEMORY ? 20 : 75, BYTES = 1 << 20, SLACK = 30 };
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    unsigned char *host = malloc(BYTES);
    long warm = 0;
    TW_CHECK(host != NULL);
    for (unsigned i = 0; i < ROUNDS; ++i) {
        if (i == WARM)
            warm = resident();
        round_trip(queue, host, BYTES, i);
        if (device_type(device) == TW_DEVICE_SIM)
            tw_test_released(device);
    }
    if (!KEEPS_FREED_MEMORY)
        TW_CHECK(resident() - warm < SLACK);
    free(host);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(misuse)
{
    TW_CHECK(tw_malloc_host(0) == NULL);
    TW_CHECK(*tw_error_detail());
    TW_CHECK(tw_malloc_host(SIZE_MAX) == NULL);
    TW_CHECK(tw_malloc_host(SIZE_MAX / 2) == NULL);
    tw_free_host(NULL);
    void *memory = tw_malloc_host(1);
    TW_CHECK(memory != NULL);
    TW_FAIL(tw_shutdown(), TW_ERROR_BUSY);
    TW_CHECK(strstr(tw_error_detail(), "1 allocation of tw_malloc_device()"));
    tw_free_host(memory);
}

TW_TEST_LIST = {TW_CASE(sizes_of_ordinary_memory),
                TW_CASE(sizes_of_host_memory),
                TW_CASE(part_of_host_memory),
                TW_CASE(copies_at_the_same_time),
                TW_CASE(memory_is_used_again),
                TW_CASE(misuse),
                TW_CASES_END};
