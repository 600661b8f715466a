/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * usm.h: memory that kernels use by plain pointers: allocation, queries, kernels that follow them through lists, trees and
 * arrays of pointers, atomic operations between a running kernel and the host, and errors. Copies: test_usm_copy.c.
 */
#include "tw_test.h"

#include <sched.h>
#include <teamwork/atomic.h>

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

/* ---- trees ------------------------------------------------------------------------------------------------------- */

enum { KEYS = 500 };

struct tree {
    struct tree *child[2];
    int key, visits;
};

/* Finds the key that is the work-item's number times two, counts visits on its way, and writes the depth of the key. */
struct find_key {
    struct tree *root;
    int *depth; /* -1: there is no such key */
};
static inline void find_key(tw_item item, const struct find_key *k)
{
    const int key = 2 * (int)tw_global_id(item, 0);
    int depth = 0;
    struct tree *node = k->root;
    while (node && node->key != key) {
        tw_atomic_fetch_add(&node->visits, 1, TW_ORDER_RELAXED, TW_SCOPE_DEVICE);
        node = node->child[key > node->key];
        ++depth;
    }
    if (node)
        tw_atomic_fetch_add(&node->visits, 1, TW_ORDER_RELAXED, TW_SCOPE_DEVICE);
    k->depth[tw_global_id(item, 0)] = node ? depth : -1;
}
TW_RANGE_KERNEL(find_key, 1);

/* Builds a search tree of every key that is a multiple of 3, in any order, in `nodes`. The pointers in it are to memory
   at `at`, which is `nodes` itself or where the tree goes. Returns the number of nodes. */
static size_t build_tree(struct tree *nodes, struct tree *at)
{
    size_t count = 0;
    uint64_t random = 31;
    bool used[KEYS] = {false};
    while (count < KEYS / 3) {
        const unsigned number = tw_test_random(&random, KEYS / 3);
        if (used[number])
            continue;
        used[number] = true;
        struct tree *const added = &at[count];
        nodes[count] = (struct tree){.key = 3 * (int)number};
        size_t parent = 0;
        while (count) {
            struct tree **child = &nodes[parent].child[nodes[count].key > nodes[parent].key];
            if (!*child) {
                *child = added;
                break;
            }
            parent = (size_t)(*child - at);
        }
        ++count;
    }
    return count;
}

/* Compares what the kernel found with the same search here, and its visits with the sum. `nodes` is the host's. */
static void check_tree(const struct tree *nodes, const struct tree *at, size_t count, const int *depth)
{
    long long visits = 0, counted = 0;
    for (int i = 0; i < KEYS / 2; ++i) {
        int steps = 0;
        const struct tree *node = nodes;
        while (node && node->key != 2 * i) {
            const struct tree *child = node->child[2 * i > node->key];
            node = child ? &nodes[child - at] : NULL;
            ++steps;
        }
        TW_EQUAL(depth[i], node ? steps : -1);
        TW_EQUAL(node != NULL, i % 3 == 0 && 2 * i < KEYS / 3 * 3);
        visits += steps + (node ? 1 : 0);
    }
    for (size_t i = 0; i < count; ++i)
        counted += nodes[i].visits;
    TW_EQUAL(counted, visits);
}

/* The tree is built where the kernel finds it; or, in device memory, built by the host and copied there and back. */
static void search_tree(tw_queue *queue, tw_pointer_type type)
{
    tw_device *device = tw_test_device(0);
    const size_t bytes = KEYS / 3 * sizeof(struct tree);
    struct tree *built = malloc(bytes);
    struct tree *nodes = type == TW_POINTER_DEVICE   ? tw_malloc_device(device, bytes)
                         : type == TW_POINTER_SHARED ? tw_malloc_shared(device, bytes)
                                                     : tw_malloc_host(bytes);
    int *depth = tw_malloc_host(KEYS / 2 * sizeof *depth);
    TW_CHECK(built && nodes && depth);
    const bool copies = type == TW_POINTER_DEVICE;
    const size_t count = build_tree(copies ? built : nodes, nodes);
    if (copies)
        TW_PASS(tw_queue_memcpy(queue, nodes, built, bytes, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(KEYS / 2), find_key, .root = nodes, .depth = depth);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
    if (copies)
        TW_PASS(tw_queue_memcpy(queue, built, nodes, bytes, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
    check_tree(copies ? built : nodes, nodes, count, depth);
    free(built);
    tw_free(nodes);
    tw_free(depth);
}

TW_TEST(kernels_walk_trees)
{
    tw_queue *queue = tw_test_queue();
    search_tree(queue, TW_POINTER_DEVICE);
    search_tree(queue, TW_POINTER_HOST);
    if (has_shared_memory())
        search_tree(queue, TW_POINTER_SHARED);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- arrays of pointers ------------------------------------------------------------------------------------------ */

enum { ROWS = 40 };

/* Rows of different lengths, each an allocation of its own. */
struct row {
    int *values;
    size_t count;
    const struct row *twin; /* whose sum is added */
};
struct table {
    struct row *rows;
    int **outs; /* a place for each row */
};

/* A work-group for each row: its work-items add up the row's values, and those of its twin, and negate the row. */
struct sum_rows {
    const struct table *table;
};
static inline void sum_rows(tw_group group, const struct sum_rows *k)
{
    TW_LOCAL(int, sum);
    const struct row *row = &k->table->rows[tw_group_id(group, 0)];
    TW_ONCE(group) {
        sum = 0;
    }
    tw_parallel_for_work_item(group, item) {
        int own = 0;
        for (size_t i = tw_local_id(item, 0); i < row->count; i += tw_local_range(item, 0)) {
            own += row->values[i];
            row->values[i] = -row->values[i];
        }
        for (size_t i = tw_local_id(item, 0); row->twin && i < row->twin->count; i += tw_local_range(item, 0))
            own += row->twin->values[i];
        tw_atomic_fetch_add(&sum, own, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);
    }
    TW_ONCE(group) {
        *k->table->outs[tw_group_id(group, 0)] = sum;
    }
}
TW_WORK_GROUP_KERNEL(sum_rows, 8);

static void *allocate(bool shared, size_t bytes)
{
    void *memory = shared ? tw_malloc_shared(tw_test_device(0), bytes) : tw_malloc_host(bytes);
    TW_CHECK(memory != NULL);
    return memory;
}

static struct table *make_table(bool shared)
{
    struct table *table = allocate(shared, sizeof *table);
    table->rows = allocate(shared, ROWS * sizeof *table->rows);
    table->outs = allocate(shared, ROWS * sizeof *table->outs);
    for (size_t r = 0; r < ROWS; ++r) {
        struct row *row = &table->rows[r];
        row->count = 1 + r * 7 % 23;
        row->values = allocate(shared, row->count * sizeof *row->values);
        row->twin = NULL;
        for (size_t i = 0; i < row->count; ++i)
            row->values[i] = (int)(r * 100 + i);
        table->outs[r] = allocate(shared, sizeof *table->outs[r]);
    }
    return table;
}

static void free_table(struct table *table)
{
    for (size_t r = 0; r < ROWS; ++r) {
        tw_free(table->rows[r].values);
        tw_free(table->outs[r]);
    }
    tw_free(table->rows);
    tw_free(table->outs);
    tw_free(table);
}

static int sum_of_row(const struct row *row)
{
    int sum = 0;
    for (size_t i = 0; row && i < row->count; ++i)
        sum += row->values[i];
    return sum;
}

/* The host writes the rows, the kernel changes them, and the host reads and changes them again. */
static void use_table(tw_queue *queue, bool shared)
{
    struct table *table = make_table(shared), *twins = make_table(shared);
    for (int round = 0; round < 3; ++round) {
        int expected[ROWS];
        for (size_t r = 0; r < ROWS; ++r) {
            table->rows[r].twin = r % 3 == (size_t)round ? &twins->rows[ROWS - 1 - r] : NULL;
            table->rows[r].values[0] += round;
            expected[r] = sum_of_row(&table->rows[r]) + sum_of_row(table->rows[r].twin);
        }
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_work_group(cg, tw_range_1d(ROWS), tw_range_1d(8), sum_rows, .table = table);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_queue_wait_and_throw(queue));
        for (size_t r = 0; r < ROWS; ++r) {
            TW_EQUAL(*table->outs[r], expected[r]);
            TW_EQUAL(sum_of_row(&table->rows[r]) - sum_of_row(table->rows[r].twin), -expected[r]);
        }
    }
    free_table(table);
    free_table(twins);
}

TW_TEST(kernels_use_arrays_of_pointers)
{
    tw_queue *queue = tw_test_queue();
    use_table(queue, false);
    if (has_shared_memory())
        use_table(queue, true);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- the host and a running kernel ------------------------------------------------------------------------------- */

enum { ITEMS = 64, ADDS = 2000, HOST_ADDS = 50000, WORDS = 100, PATIENCE = 1000000 };

/* Atomic operations on plain objects in unified shared memory, as SYCL's atomic_ref is used there. */
struct add_up {
    unsigned *counters; /* two: all add to the first; the second has the largest number that was seen in it */
    unsigned adds;
};
static inline void add_up(tw_item item, const struct add_up *k)
{
    unsigned seen = 0;
    (void)item;
    for (unsigned i = 0; i < k->adds; ++i)
        seen = tw_atomic_fetch_add(&k->counters[0], 1u, TW_ORDER_RELAXED, TW_SCOPE_SYSTEM);
    tw_atomic_fetch_max(&k->counters[1], seen, TW_ORDER_RELAXED, TW_SCOPE_SYSTEM);
}
TW_RANGE_KERNEL(add_up, 1);

/* Begins when the kernel has, or after a while. */
static void *add_on_host(void *context)
{
    unsigned *counters = context, seen = 0;
    for (int i = 0; i < PATIENCE && !tw_atomic_load(&counters[0], TW_ORDER_RELAXED, TW_SCOPE_SYSTEM); ++i)
        sched_yield();
    for (int i = 0; i < HOST_ADDS; ++i)
        seen = tw_atomic_fetch_add(&counters[0], 1u, TW_ORDER_RELAXED, TW_SCOPE_SYSTEM);
    tw_atomic_fetch_max(&counters[1], seen, TW_ORDER_RELAXED, TW_SCOPE_SYSTEM);
    return NULL;
}

TW_TEST(the_host_and_a_running_kernel_add_up)
{
    bool atomic = false;
    pthread_t thread;
    tw_queue *queue = tw_test_queue();
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_USM_ATOMIC_HOST_ALLOCATIONS, &atomic, sizeof atomic));
    unsigned *counters = atomic ? tw_malloc_host(2 * sizeof *counters) : NULL;
    if (atomic) { /* else such a kernel has no meaning there */
        TW_CHECK(counters != NULL);
        counters[0] = counters[1] = 0;
        TW_CHECK(pthread_create(&thread, NULL, add_on_host, counters) == 0);
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(ITEMS), add_up, .counters = counters, .adds = ADDS);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_queue_wait_and_throw(queue));
        TW_CHECK(pthread_join(thread, NULL) == 0);
        TW_EQUAL(counters[0], ITEMS * ADDS + HOST_ADDS);
        TW_EQUAL(counters[1], ITEMS * ADDS + HOST_ADDS - 1);
    }
    tw_free(counters);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Host and kernel hand a message of plain data to and fro while the kernel runs: only loads and stores. */
struct mail {
    unsigned from_host, from_kernel; /* the number of messages that each has sent */
    unsigned words[WORDS], failures, rounds;
};

static inline void let_others_run(void)
{
#if !defined(__NVPTX__) && !defined(__AMDGCN__)
    sched_yield();
#endif
}

/* Waits for the message with a number from the other side, changes it, and sends it back. */
static inline void answer(struct mail *mail, bool is_host, unsigned number)
{
    unsigned *awaited = is_host ? &mail->from_kernel : &mail->from_host;
    unsigned *sent = is_host ? &mail->from_host : &mail->from_kernel;
    const unsigned changes = is_host ? 2 * number : 2 * number - 1; /* that the message has seen */
    while (tw_atomic_load(awaited, TW_ORDER_ACQUIRE, TW_SCOPE_SYSTEM) != number)
        let_others_run();
    for (unsigned i = 0; i < WORDS; ++i) {
        mail->failures += mail->words[i] != changes + i;
        mail->words[i] += 1;
    }
    tw_atomic_store(sent, is_host ? number + 1 : number, TW_ORDER_RELEASE, TW_SCOPE_SYSTEM);
}

struct reply {
    struct mail *mail;
};
static inline void reply(const struct reply *k)
{
    for (unsigned number = 1; number <= k->mail->rounds; ++number)
        answer(k->mail, false, number);
}
TW_SINGLE_TASK(reply);

static void *write_on_host(void *context)
{
    struct mail *mail = context;
    for (unsigned number = 0; number < mail->rounds; ++number)
        answer(mail, true, number);
    return NULL;
}

TW_TEST(the_host_and_a_running_kernel_exchange_messages)
{
    pthread_t thread;
    tw_queue *queue = tw_test_queue();
    struct mail *mail = tw_malloc_host(sizeof *mail);
    TW_CHECK(mail != NULL);
    *mail = (struct mail){.rounds = 200};
    for (unsigned i = 0; i < WORDS; ++i)
        mail->words[i] = i;
    TW_CHECK(pthread_create(&thread, NULL, write_on_host, mail) == 0);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, reply, .mail = mail);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_CHECK(pthread_join(thread, NULL) == 0);
    TW_EQUAL(mail->failures, 0);
    for (unsigned i = 0; i < WORDS; ++i)
        TW_EQUAL(mail->words[i], 2 * mail->rounds + i);
    tw_free(mail);
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
    TW_CHECK(!tw_malloc_device(device, SIZE_MAX / 4) && strstr(tw_error_detail(), " in all"));
    tw_free(NULL);
    tw_free(&local); /* not the library's */
}

/* Each function frees what it is for, and leaves all else alone. */
TW_TEST(only_what_was_allocated_is_freed)
{
    tw_device *device = tw_test_device(0);
    int local = 0, *plain = malloc(2 * sizeof *plain), *own = tw_malloc_device(device, 2 * sizeof *own);
    int *host = tw_malloc_host(2 * sizeof *host);
    TW_CHECK(plain && own && host);
    tw_free_host(&local);
    tw_free_host(plain);
    tw_free_host(own);
    tw_free_host(host + 1);
    tw_free(own + 1);
    tw_free(host + 1);
    TW_EQUAL(tw_pointer_get_type(own), TW_POINTER_DEVICE);
    TW_EQUAL(tw_pointer_get_type(host), TW_POINTER_HOST);
    *host = *plain = 1;
    tw_free(own);
    tw_free_host(host);
    TW_EQUAL(tw_pointer_get_type(own), TW_POINTER_UNKNOWN);
    TW_EQUAL(tw_pointer_get_type(host), TW_POINTER_UNKNOWN);
    free(plain);
}

TW_TEST_LIST = {TW_CASE(kernels_follow_pointers),
                TW_CASE(kernels_walk_trees),
                TW_CASE(kernels_use_arrays_of_pointers),
                TW_CASE(the_host_and_a_running_kernel_add_up),
                TW_CASE(the_host_and_a_running_kernel_exchange_messages),
                TW_CASE(device_memory_is_the_kernels),
                TW_CASE(what_cannot_be_allocated_is_refused),
                TW_CASE(only_what_was_allocated_is_freed),
                TW_CASES_END};
