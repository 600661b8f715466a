/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host */
/**
 * device.h: sub-devices of the host: how they are made, and where and when their kernels run (spec 3.5.3). Also which
 * of several queues of the host, or of a sub-device, goes first (TW_QUEUE_PRIORITY_HIGH).
 */
#define _GNU_SOURCE
#include <sched.h>

#include "tw_test.h"

enum { MOST = 64, N = 4096 };

/* Stores the processor that each work-item runs on. */
struct note {
    int *out;
};
static inline void note(tw_item item, const struct note *k)
{
    k->out[tw_global_linear_id(item)] = sched_getcpu();
}
TW_RANGE_KERNEL(note);

/* The first work-item stores a flag, and waits until another kernel has stored its own: both run at the same time. */
struct meet {
    int *flags;
    int mine, others;
};
static inline void meet(tw_item item, const struct meet *k)
{
    if (tw_global_linear_id(item) != 0)
        return;
    __atomic_store_n(&k->flags[k->mine], 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&k->flags[k->others], __ATOMIC_ACQUIRE))
        sched_yield();
}
TW_RANGE_KERNEL(meet);

/* Appends a number to a list. */
struct append {
    const int *gate;
    int *list, *count;
    int number;
};
static inline void append(tw_item item, const struct append *k)
{
    if (tw_global_linear_id(item) == 0)
        k->list[__atomic_fetch_add(k->count, 1, __ATOMIC_RELAXED)] = k->number;
}
TW_RANGE_KERNEL(append);

struct add {
    int *data;
    int term;
};
static inline void add(tw_item item, const struct add *k)
{
    k->data[tw_global_linear_id(item)] += k->term;
}
TW_RANGE_KERNEL(add);

struct where {
    int *data;
    uintptr_t *address;
};
static inline void where(const struct where *k)
{
    k->address[0] = (uintptr_t)k->data;
}
TW_SINGLE_TASK(where);

struct turn {
    int *data;
};
static inline void turn(tw_nd_item item, const struct turn *k)
{
    const size_t i = tw_global_id(item, 0), other = i ^ 1;
    const int value = k->data[other];
    tw_barrier(item, TW_GLOBAL_SPACE);
    k->data[i] = value;
}
TW_ND_RANGE_KERNEL(turn);

struct sum {
    const int *in;
    TW_REDUCTION(int, TW_SUM) total;
};
static inline void sum(tw_item item, const struct sum *k)
{
    tw_combine(k->total, k->in[tw_global_id(item, 0)]);
}
TW_RANGE_REDUCTION(sum, 1, total);

static tw_device *host_device(void)
{
    tw_device *host = NULL;
    TW_PASS(tw_select_device(tw_host_selector, NULL, &host));
    return host;
}

static size_t units_of(const tw_device *device)
{
    size_t units = 0;
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_MAX_COMPUTE_UNITS, &units, sizeof units));
    return units;
}

static unsigned set_of(const tw_device *device, tw_device_info_id question)
{
    unsigned set = 0;
    TW_PASS(tw_device_info(device, question, &set, sizeof set));
    return set;
}

static tw_device *parent_of(const tw_device *device)
{
    tw_device *parent = (tw_device *)&parent;
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_PARENT_DEVICE, &parent, sizeof(tw_device *)));
    return parent;
}

/* Divides a device into sub-devices of one compute unit each. Returns how many are stored, `most` at most. */
static size_t single_units(tw_device *device, tw_device **parts, size_t most)
{
    size_t count = 0;
    TW_PASS(tw_device_create_sub_devices_equally(device, 1, parts, most, &count));
    TW_EQUAL(count, units_of(device));
    return count < most ? count : most;
}

/* ---- how they are made ------------------------------------------------------------------------------------------- */

static void check_part(const tw_device *part, tw_device *parent, size_t units, tw_partition how)
{
    tw_partition type = TW_PARTITION_NONE;
    TW_EQUAL(units_of(part), units);
    TW_CHECK(parent_of(part) == parent);
    TW_PASS(tw_device_info(part, TW_DEVICE_INFO_PARTITION_TYPE, &type, sizeof type));
    TW_EQUAL(type, how);
    TW_CHECK(tw_device_is_host(part) && tw_device_is_cpu(part));
    TW_CHECK(tw_device_platform(part) == tw_device_platform(parent));
    TW_CHECK(strchr(tw_device_name(part), '[') != NULL);
}

TW_TEST(sub_devices_have_the_units_that_were_asked_for)
{
    tw_device *host = host_device(), *parts[MOST], *again[MOST], *inner[MOST], *hidden[MOST];
    size_t count = 0, most = 0, listed = 0;
    const size_t units = units_of(host), first[2] = {units - units / 2, units / 2};
    TW_CHECK(parent_of(host) == NULL);
    TW_PASS(tw_device_info(host, TW_DEVICE_INFO_PARTITION_MAX_SUB_DEVICES, &most, sizeof most));
    TW_EQUAL(most, units);
    TW_EQUAL(set_of(host, TW_DEVICE_INFO_PARTITION_PROPERTIES),
             TW_PARTITION_EQUALLY | TW_PARTITION_BY_COUNTS | TW_PARTITION_BY_AFFINITY_DOMAIN);
    const size_t stored = single_units(host, parts, MOST);
    for (size_t i = 0; i < stored; ++i)
        check_part(parts[i], host, 1, TW_PARTITION_EQUALLY);
    TW_EQUAL(single_units(host, again, MOST), stored);
    TW_CHECK(memcmp(parts, again, stored * sizeof *parts) == 0);
    /* a larger size leaves a rest */
    TW_PASS(tw_device_create_sub_devices_equally(host, units - units / 3, parts, MOST, &count));
    TW_EQUAL(count, 1);
    check_part(parts[0], host, units - units / 3, TW_PARTITION_EQUALLY);
    /* by counts, and divided again */
    TW_PASS(tw_device_create_sub_devices_by_counts(host, first, units > 1 ? 2 : 1, parts, MOST, &count));
    TW_EQUAL(count, units > 1 ? 2 : 1);
    check_part(parts[0], host, first[0], TW_PARTITION_BY_COUNTS);
    single_units(parts[0], inner, MOST);
    check_part(inner[0], parts[0], 1, TW_PARTITION_EQUALLY);
    /* the count alone; lists show none of them */
    TW_PASS(tw_device_create_sub_devices_equally(host, 1, NULL, 0, &count));
    TW_EQUAL(count, units);
    TW_PASS(tw_platform_get_devices(tw_device_platform(host), hidden, MOST, &listed));
    TW_CHECK(listed == 1 && hidden[0] == host);
}

TW_TEST(affinity_domains_divide_all_units)
{
    static const tw_affinity_domain domains[] = {TW_AFFINITY_NUMA,     TW_AFFINITY_L4_CACHE,
                                                 TW_AFFINITY_L3_CACHE, TW_AFFINITY_L2_CACHE,
                                                 TW_AFFINITY_L1_CACHE, TW_AFFINITY_NEXT_PARTITIONABLE};
    tw_device *host = host_device(), *parts[MOST];
    const unsigned has = set_of(host, TW_DEVICE_INFO_PARTITION_AFFINITY_DOMAINS);
    for (size_t d = 0; d < sizeof domains / sizeof domains[0]; ++d) {
        size_t count = 0, sum = 0;
        tw_affinity_domain domain = TW_AFFINITY_NONE;
        if (!(has & (unsigned)domains[d])) {
            TW_FAIL(tw_device_create_sub_devices_by_affinity_domain(host, domains[d], parts, MOST, &count),
                    TW_ERROR_UNSUPPORTED);
            continue;
        }
        TW_PASS(tw_device_create_sub_devices_by_affinity_domain(host, domains[d], parts, MOST, &count));
        TW_CHECK(count >= 1 && (count > 1 || domains[d] != TW_AFFINITY_NEXT_PARTITIONABLE));
        for (size_t i = 0; i < count && i < MOST; ++i) {
            sum += units_of(parts[i]);
            TW_PASS(tw_device_info(parts[i], TW_DEVICE_INFO_PARTITION_TYPE_AFFINITY_DOMAIN, &domain, sizeof domain));
            TW_CHECK(domain == domains[d]
                     || (domains[d] == TW_AFFINITY_NEXT_PARTITIONABLE && (has & (unsigned)domain)));
        }
        if (count <= MOST)
            TW_EQUAL(sum, units_of(host));
    }
}

TW_TEST(what_cannot_be_divided_is_refused)
{
    tw_device *host = host_device(), *untouched = (tw_device *)&untouched, *parts[2] = {untouched, untouched};
    const size_t units = units_of(host), zero[2] = {1, 0}, many[2] = {units, 1};
    size_t count = 99;
    TW_FAIL(tw_device_create_sub_devices_equally(NULL, 1, parts, 2, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_device_create_sub_devices_equally(untouched, 1, parts, 2, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_device_create_sub_devices_equally(host, 1, NULL, 2, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_device_create_sub_devices_equally(host, 1, parts, 2, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_device_create_sub_devices_equally(host, 0, parts, 2, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_device_create_sub_devices_equally(host, units + 1, parts, 2, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_device_create_sub_devices_by_counts(host, NULL, 2, parts, 2, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_device_create_sub_devices_by_counts(host, zero, 0, parts, 2, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_device_create_sub_devices_by_counts(host, zero, 2, parts, 2, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_device_create_sub_devices_by_counts(host, many, 2, parts, 2, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_device_create_sub_devices_by_affinity_domain(host, TW_AFFINITY_NONE, parts, 2, &count),
            TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_device_create_sub_devices_by_affinity_domain(host, (tw_affinity_domain)3, parts, 2, &count),
            TW_ERROR_INVALID_ARGUMENT);
    tw_test_use_sim(1);
    tw_device *sim = tw_test_device(0);
    TW_FAIL(tw_device_create_sub_devices_by_counts(sim, zero, 1, parts, 2, &count), TW_ERROR_UNSUPPORTED);
    TW_FAIL(tw_device_create_sub_devices_by_affinity_domain(sim, TW_AFFINITY_NUMA, parts, 2, &count),
            TW_ERROR_UNSUPPORTED);
    TW_EQUAL(set_of(sim, TW_DEVICE_INFO_PARTITION_PROPERTIES), TW_PARTITION_EQUALLY);
    TW_EQUAL(set_of(sim, TW_DEVICE_INFO_PARTITION_AFFINITY_DOMAINS), 0);
    TW_CHECK(count == 99 && parts[0] == untouched && parts[1] == untouched);
}

TW_TEST(sub_devices_end_with_the_runtime)
{
    tw_device *part = NULL, *anew = NULL;
    tw_queue *queue = NULL;
    tw_buffer *buffer = tw_test_ints(N, 1);
    for (int round = 0; round < 2; ++round) {
        single_units(host_device(), &part, 1);
        TW_PASS(tw_queue_create_on_device(part, NULL, NULL, &queue));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(N), add, .data = tw_read_write(cg, buffer), .term = 1);
        tw_test_run(queue, cg);
        TW_FAIL(tw_shutdown(), TW_ERROR_BUSY);
        TW_PASS(tw_queue_destroy(&queue));
        tw_test_expect_ints(buffer, 2);
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_PASS(tw_shutdown());
        buffer = tw_test_ints(N, 1);
    }
    TW_FAIL(tw_queue_create_on_device((tw_device *)&anew, NULL, NULL, &queue), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_buffer_destroy(&buffer));
}

/* ---- where and when their kernels run ---------------------------------------------------------------------------- */

static bool is_binding_set(void)
{
    return getenv("OMP_PROC_BIND") || getenv("OMP_PLACES") || getenv("KMP_AFFINITY") || getenv("GOMP_CPU_AFFINITY");
}

/* Adds the processors that a kernel on a device ran on to a set. */
static void add_processors(tw_device *device, cpu_set_t *set)
{
    static int processors[N];
    tw_queue *queue = NULL;
    tw_buffer *buffer = tw_test_ints(N, -1);
    TW_PASS(tw_queue_create_on_device(device, NULL, NULL, &queue));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), note, .out = tw_discard_write(cg, buffer));
    tw_test_run(queue, cg);
    tw_test_fetch(buffer, processors);
    for (int i = 0; i < N; ++i)
        CPU_SET(processors[i], set);
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_buffer_destroy(&buffer));
}

/* Each sub-device has processors of its own, and its kernels run on all of them unless there are fewer threads. */
TW_TEST(kernels_run_on_the_processors_of_their_sub_device)
{
    tw_device *host = host_device(), *parts[MOST];
    cpu_set_t all, one, both;
    size_t count = 0;
    if (is_binding_set())
        TW_SKIP();
    CPU_ZERO(&all);
    const size_t singles = single_units(host, parts, MOST);
    for (size_t i = 0; i < singles; ++i) {
        CPU_ZERO(&one);
        add_processors(parts[i], &one);
        add_processors(parts[i], &one);
        TW_EQUAL(CPU_COUNT(&one), 1);
        CPU_AND(&both, &all, &one);
        TW_EQUAL(CPU_COUNT(&both), 0);
        CPU_OR(&all, &all, &one);
    }
    TW_PASS(tw_device_create_sub_devices_equally(host, units_of(host), parts, MOST, &count));
    TW_EQUAL(count, 1);
    CPU_ZERO(&one);
    add_processors(parts[0], &one);
    if (!getenv("OMP_NUM_THREADS") && !getenv("OMP_THREAD_LIMIT") && singles == units_of(host))
        TW_CHECK(CPU_EQUAL(&one, &all));
}

TW_TEST(kernels_of_two_sub_devices_run_at_the_same_time)
{
    tw_device *parts[2];
    tw_queue *queues[2];
    static int flags[2];
    tw_buffer *out[2];
    if (single_units(host_device(), parts, 2) < 2)
        TW_SKIP();
    flags[0] = flags[1] = 0;
    for (int i = 0; i < 2; ++i) {
        out[i] = tw_test_ints(1, 0);
        TW_PASS(tw_queue_create_on_device(parts[i], NULL, NULL, &queues[i]));
    }
    for (int i = 0; i < 2; ++i) {
        tw_command_group *cg = tw_queue_begin(queues[i]);
        (void)tw_read_write(cg, out[i]);
        tw_parallel_for(cg, tw_range_1d(8), meet, .flags = flags, .mine = i, .others = 1 - i);
        TW_PASS(tw_queue_submit(queues[i], cg, NULL));
    }
    for (int i = 0; i < 2; ++i) {
        TW_PASS(tw_queue_destroy(&queues[i]));
        TW_PASS(tw_buffer_destroy(&out[i]));
    }
}

/* Returns the address of a buffer's memory in a kernel. */
static uintptr_t address_on(tw_queue *queue, tw_buffer *buffer)
{
    uintptr_t address = 0;
    tw_buffer *result = NULL;
    TW_PASS(tw_buffer_create(sizeof address, tw_range_1d(1), &result));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, where, .data = tw_read_write(cg, buffer), .address = tw_discard_write(cg, result));
    tw_test_run(queue, cg);
    tw_test_fetch(result, &address);
    TW_PASS(tw_buffer_destroy(&result));
    return address;
}

TW_TEST(sub_devices_and_the_host_have_the_same_memory)
{
    tw_device *host = host_device(), *parts[2];
    tw_queue *queues[3];
    tw_buffer *buffer = tw_test_ints(N, 0);
    const size_t count = single_units(host, parts, 2);
    for (size_t i = 0; i < count; ++i)
        TW_PASS(tw_queue_create_on_device(parts[i], NULL, NULL, &queues[i]));
    TW_PASS(tw_queue_create_on_device(host, NULL, NULL, &queues[count]));
    const uintptr_t address = address_on(queues[0], buffer);
    for (int round = 0; round < 20; ++round)
        for (size_t i = 0; i <= count; ++i) {
            tw_command_group *cg = tw_queue_begin(queues[i]);
            tw_parallel_for(cg, tw_range_1d(N), add, .data = tw_read_write(cg, buffer), .term = 1);
            TW_PASS(tw_queue_submit(queues[i], cg, NULL));
        }
    tw_test_expect_ints(buffer, 20 * (int)(count + 1));
    for (size_t i = 0; i <= count; ++i)
        TW_CHECK(address_on(queues[i], buffer) == address);
    tw_test_destroy_queues(queues, count + 1);
    TW_PASS(tw_buffer_destroy(&buffer));
}

struct counted {
    int *count;
};

static tw_status count_call(const void *block)
{
    ++*((const struct counted *)block)->count;
    return TW_SUCCESS;
}

/* Everything that a group can do, in order, several times: results as on any device. */
TW_TEST(every_kind_of_group_runs)
{
    tw_device *part = NULL;
    tw_queue *queue = NULL;
    tw_event *event = NULL;
    int calls = 0, total = 0;
    single_units(host_device(), &part, 1);
    TW_PASS(tw_queue_create_with_properties(NULL, part, TW_QUEUE_IN_ORDER | TW_QUEUE_PROFILING, NULL, NULL, &queue));
    tw_buffer *a = tw_test_ints(N, 0), *b = tw_test_ints(N, 0), *result = tw_test_ints(1, 0);
    for (int round = 1; round <= 5; ++round) {
        TW_COMMAND_GROUP(queue, cg) {
            tw_fill(cg, a, &round);
        }
        TW_COMMAND_GROUP(queue, cg) {
            tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(N), tw_range_1d(16)), turn,
                                     .data = tw_read_write(cg, a));
        }
        TW_COMMAND_GROUP(queue, cg) {
            tw_copy(cg, a, b);
        }
        TW_COMMAND_GROUP(queue, cg) {
            tw_host_task(cg, count_call, &(struct counted){&calls}, sizeof(struct counted));
        }
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(N), sum, .in = tw_read(cg, b), .total = TW_REDUCE_INIT(cg, result));
        TW_PASS(tw_queue_submit(queue, cg, &event));
        TW_PASS(tw_event_wait_and_throw(event));
        tw_event_release(&event);
        tw_test_fetch(result, &total);
        TW_EQUAL(total, N * round);
        TW_EQUAL(calls, round);
    }
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&b));
    TW_PASS(tw_buffer_destroy(&result));
}

TW_TEST(a_command_graph_runs)
{
    tw_device *part = NULL;
    tw_queue *queue = NULL;
    tw_command_graph *graph = NULL;
    int copied[N];
    tw_buffer *a = tw_test_ints(N, 5);
    single_units(host_device(), &part, 1);
    TW_PASS(tw_queue_create_on_device(part, NULL, NULL, &queue));
    TW_PASS(tw_queue_begin_recording(queue));
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), add, .data = tw_read_write(cg, a), .term = 1);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), add, .data = tw_read_write(cg, a), .term = 2);
    }
    TW_PASS(tw_queue_end_recording(queue, &graph));
    for (int i = 0; i < 3; ++i)
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_read(a, copied));
    TW_CHECK(copied[0] == 5 + 9 && copied[N - 1] == 5 + 9);
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_buffer_destroy(&a));
}

TW_TEST(memory_of_a_sub_device_is_the_hosts)
{
    tw_device *part = NULL;
    tw_queue *queue = NULL;
    single_units(host_device(), &part, 1);
    int *memory = tw_malloc_device(part, N * sizeof *memory), *shared = tw_malloc_shared(part, N * sizeof *shared);
    TW_CHECK(memory && shared && tw_pointer_get_type(memory) == TW_POINTER_DEVICE);
    TW_PASS(tw_queue_create_with_properties(NULL, part, TW_QUEUE_IN_ORDER, NULL, NULL, &queue));
    TW_COMMAND_GROUP(queue, cg) {
        tw_mem_fill(cg, memory, &(int){4}, sizeof(int), N);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), add, .data = memory, .term = 3);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_memcpy(cg, shared, memory, N * sizeof *memory);
    }
    TW_PASS(tw_queue_wait(queue));
    TW_CHECK(shared[0] == 7 && shared[N - 1] == 7);
    TW_PASS(tw_queue_destroy(&queue));
    tw_free(memory);
    tw_free(shared);
}

static void record_add(tw_command_group *cg, void *user)
{
    tw_parallel_for(cg, tw_range_1d(N), add, .data = tw_read_write(cg, (tw_buffer *)user), .term = 3);
}

TW_TEST(contexts_selectors_and_fallbacks_take_sub_devices)
{
    tw_device *parts[2];
    tw_context *context = NULL;
    tw_queue *queue = NULL, *broken = NULL;
    tw_test_use_sim(1);
    tw_device *sim = tw_test_device(0);
    const size_t count = single_units(host_device(), parts, 2);
    TW_PASS(tw_context_create(parts, count, NULL, NULL, &context));
    TW_CHECK(tw_context_is_host(context));
    TW_PASS(tw_queue_create_in_context_by_selector(context, tw_cpu_selector, NULL, 0, NULL, NULL, &queue));
    TW_CHECK(tw_queue_device(queue) == parts[0] && tw_queue_is_host(queue));
    TW_PASS(tw_queue_create_on_device(sim, NULL, NULL, &broken));
    TW_PASS(tw_sim_fail_nth(sim, TW_SIM_LAUNCH, 1));
    tw_buffer *buffer = tw_test_ints(N, 1);
    TW_PASS(tw_queue_submit_function(broken, queue, record_add, buffer, NULL));
    tw_test_expect_ints(buffer, 4);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&broken));
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_context_destroy(&context));
}

/* Groups of three queues, which become ready at once: all of the highest priority run first. */
static void check_priorities(tw_device *device)
{
    static const unsigned properties[3] = {TW_QUEUE_PRIORITY_LOW, 0, TW_QUEUE_PRIORITY_HIGH};
    enum { EACH = 5 };
    static int list[3 * EACH], count;
    struct tw_gate gate;
    tw_queue *queues[3];
    count = 0;
    tw_gate_shut(&gate);
    for (int i = 0; i < 3; ++i)
        TW_PASS(tw_queue_create_with_properties(NULL, device, properties[i], NULL, NULL, &queues[i]));
    for (int i = 0; i < 3 * EACH; ++i) {
        tw_command_group *cg = tw_queue_begin(queues[i % 3]);
        const int *shut = tw_read(cg, gate.buffer);
        tw_parallel_for(cg, tw_range_1d(8), append, .gate = shut, .list = list, .count = &count, .number = i % 3);
        TW_PASS(tw_queue_submit(queues[i % 3], cg, NULL));
    }
    tw_gate_open(&gate);
    tw_test_destroy_queues(queues, 3);
    TW_EQUAL(count, 3 * EACH);
    for (int i = 0; i < 3 * EACH; ++i)
        TW_EQUAL(list[i], 2 - i / EACH);
    tw_gate_free(&gate);
}

TW_TEST(ready_groups_of_higher_priorities_go_first)
{
    tw_device *part = NULL;
    single_units(host_device(), &part, 1);
    check_priorities(host_device());
    check_priorities(part);
}

TW_TEST_LIST = {TW_CASE(sub_devices_have_the_units_that_were_asked_for),
                TW_CASE(affinity_domains_divide_all_units),
                TW_CASE(what_cannot_be_divided_is_refused),
                TW_CASE(sub_devices_end_with_the_runtime),
                TW_CASE(kernels_run_on_the_processors_of_their_sub_device),
                TW_CASE(kernels_of_two_sub_devices_run_at_the_same_time),
                TW_CASE(sub_devices_and_the_host_have_the_same_memory),
                TW_CASE(every_kind_of_group_runs),
                TW_CASE(a_command_graph_runs),
                TW_CASE(memory_of_a_sub_device_is_the_hosts),
                TW_CASE(contexts_selectors_and_fallbacks_take_sub_devices),
                TW_CASE(ready_groups_of_higher_priorities_go_first),
                TW_CASES_END};
