/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/** lower/group/atomic.h: every operation on every type, its result, and atomicity under contention (properties 59 to 62). */
#include "nd_range_test.h"

#include <math.h>
#include <teamwork/atomic.h>

typedef unsigned long ulong;
typedef long long llong;
typedef unsigned long long ullong;

typedef unsigned char uchar;

#define FOR_NARROW(X) X(char) X(uchar) X(short)
#define FOR_INTEGERS(X) X(int) X(unsigned) X(long) X(ulong) X(llong) X(ullong)
#define FOR_REALS(X) X(float) X(double)

enum { ORDERS = 5, SCOPES = 5, COMBINATIONS = ORDERS * SCOPES };

/* ---- what each operation does (properties 59 to 61) ------------------------------------------------------------- */

enum { STEPS = 24 };

/* The common steps for a type, on an object of its own; `out` receives the old values. */
#define COMMON_STEPS(T, object, out, order, read, write, scope)                                                        \
    {                                                                                                                  \
        T expected = 1;                                                                                                \
        tw_atomic_store(object, (T)5, write, scope);                                                                   \
        out[0] = tw_atomic_load(object, read, scope);                                                                  \
        out[1] = tw_atomic_exchange(object, (T)9, order, scope);                                                       \
        out[2] = tw_atomic_compare_exchange_strong(object, &expected, (T)7, order, read, scope);                       \
        out[3] = expected;                                                                                             \
        out[4] = tw_atomic_compare_exchange_strong(object, &expected, (T)7, order, read, scope);                       \
        out[5] = expected;                                                                                             \
        expected = 1;                                                                                                  \
        out[6] = tw_atomic_compare_exchange_weak(object, &expected, (T)9, order, read, scope);                         \
        while (!tw_atomic_compare_exchange_weak(object, &expected, (T)8, order, read, scope)) {                        \
        }                                                                                                              \
        out[7] = expected;                                                                                             \
        out[8] = tw_atomic_fetch_add(object, (T)4, order, scope);                                                      \
        out[9] = tw_atomic_fetch_sub(object, (T)3, order, scope);                                                      \
        out[10] = tw_atomic_fetch_min(object, (T)20, order, scope); /* does not win */                                 \
        out[11] = tw_atomic_load(object, read, scope);                                                                 \
        out[12] = tw_atomic_fetch_min(object, (T)3, order, scope);                                                     \
        out[13] = tw_atomic_fetch_max(object, (T)1, order, scope); /* does not win */                                  \
        out[14] = tw_atomic_load(object, read, scope);                                                                 \
        out[15] = tw_atomic_fetch_max(object, (T)12, order, scope);                                                    \
        out[16] = tw_atomic_fetch_max(object, (T) - 1, order, scope); /* wins if unsigned */                           \
        out[17] = tw_atomic_load(object, read, scope);                                                                 \
        tw_atomic_store(object, (T)12, write, scope);                                                                  \
    }
#define BITWISE_STEPS(object, out, order, read, scope)                                                                 \
    {                                                                                                                  \
        out[18] = tw_atomic_fetch_and(object, 10, order, scope);                                                       \
        out[19] = tw_atomic_fetch_or(object, 3, order, scope);                                                         \
        out[20] = tw_atomic_fetch_xor(object, 6, order, scope);                                                        \
        out[21] = tw_atomic_load(object, read, scope);                                                                 \
    }
#define NO_STEPS(object, out, order, read, scope)

/* 12 & 10 is 8, 8 | 3 is 11, 11 ^ 6 is 13. The values from 16 on depend on the type. */
static const int expected_steps[] = {5, 5, 0, 9, 1, 9, 0, 7, 8, 12, 9, 9, 9, 3, 3, 3, 12};
static const int expected_bitwise[] = {12, 8, 11, 13};

/* Of bytes a GPU reads the word around: all of it was written. */
#define WHOLE_WORDS(count) (((count) + 3) / 4 * 4)

/* One work-item for each order and scope, which are not constants here. An order that an operation does not have is
   strengthened; the kernels with constants are below. */
#define STEP_KERNEL(T, BITWISE)                                                                                        \
    struct steps_##T {                                                                                                 \
        T *objects, *out;                                                                                              \
    };                                                                                                                 \
    static inline void steps_##T(tw_item item, const struct steps_##T *k)                                              \
    {                                                                                                                  \
        const size_t i = tw_global_linear_id(item);                                                                    \
        const tw_memory_order order = (tw_memory_order)tw_global_id(item, 0);                                          \
        const tw_memory_scope scope = (tw_memory_scope)tw_global_id(item, 1);                                          \
        T *const out = k->out + i * STEPS;                                                                             \
        COMMON_STEPS(T, &k->objects[i], out, order, order, order, scope)                                               \
        BITWISE(&k->objects[i], out, order, order, scope)                                                              \
    }                                                                                                                  \
    TW_RANGE_KERNEL(steps_##T, 2);                                                                                     \
                                                                                                                       \
    static void check_steps_##T(const T *out, int bitwise)                                                             \
    {                                                                                                                  \
        for (size_t step = 0; step < sizeof expected_steps / sizeof *expected_steps; ++step)                           \
            if (out[step] != (T)expected_steps[step])                                                                  \
                TW_EQUAL(out[step] * 1000 + (T)step, expected_steps[step] * 1000 + (T)step);                           \
        TW_CHECK(out[17] == ((T) - 1 < (T)0 ? (T)12 : (T) - 1));                                                       \
        for (size_t step = 0; bitwise && step < 4; ++step)                                                             \
            TW_EQUAL(out[18 + step], expected_bitwise[step]);                                                          \
    }                                                                                                                  \
                                                                                                                       \
    static void run_steps_##T(tw_queue *queue, int bitwise)                                                            \
    {                                                                                                                  \
        static T out[COMBINATIONS * STEPS];                                                                            \
        tw_buffer *objects = tw_test_zeroed(sizeof(T), WHOLE_WORDS(COMBINATIONS)),                                     \
                  *result = tw_test_zeroed(sizeof(T), COMBINATIONS * STEPS);                                           \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_parallel_for(cg, tw_range_2d(ORDERS, SCOPES), steps_##T, .objects = tw_read_write(cg, objects),             \
                        .out = tw_write(cg, result));                                                                  \
        tw_test_run(queue, cg);                                                                                        \
        tw_test_fetch(result, out);                                                                                    \
        for (size_t i = 0; i < COMBINATIONS; ++i)                                                                      \
            check_steps_##T(out + i * STEPS, bitwise);                                                                 \
        TW_PASS(tw_buffer_destroy(&objects));                                                                          \
        TW_PASS(tw_buffer_destroy(&result));                                                                           \
    }
#define INTEGER_STEP_KERNEL(T) STEP_KERNEL(T, BITWISE_STEPS)
#define REAL_STEP_KERNEL(T) STEP_KERNEL(T, NO_STEPS)
FOR_NARROW(INTEGER_STEP_KERNEL)
FOR_INTEGERS(INTEGER_STEP_KERNEL)
FOR_REALS(REAL_STEP_KERNEL)

TW_TEST(operations_return_the_old_value_and_store_the_new_one)
{
    tw_queue *queue = tw_test_queue();
#define RUN_INTEGER_STEPS(T) run_steps_##T(queue, 1);
#define RUN_REAL_STEPS(T) run_steps_##T(queue, 0);
    FOR_NARROW(RUN_INTEGER_STEPS)
    FOR_INTEGERS(RUN_INTEGER_STEPS)
    FOR_REALS(RUN_REAL_STEPS)
    TW_PASS(tw_queue_destroy(&queue));
}

/* Constant orders and scopes: every combination that is valid compiles and does the same. All of them on the host; one
   scope in a kernel, since that is a lot of code. gpu_asm/ looks at all of them for GPUs. */
#define WITH_SCOPE(which, order, read, write, scope)                                                                   \
    case which: {                                                                                                      \
        COMMON_STEPS(int, object, out, TW_ORDER_##order, TW_ORDER_##read, TW_ORDER_##write, scope)                     \
        BITWISE_STEPS(object, out, TW_ORDER_##order, TW_ORDER_##read, scope)                                           \
        tw_atomic_fence(TW_ORDER_##order, scope);                                                                      \
    } break;
#define WITH_ORDERS(first, scope)                                                                                      \
    WITH_SCOPE(first + 0, RELAXED, RELAXED, RELAXED, scope)                                                            \
    WITH_SCOPE(first + 1, ACQUIRE, ACQUIRE, RELAXED, scope)                                                            \
    WITH_SCOPE(first + 2, RELEASE, RELAXED, RELEASE, scope)                                                            \
    WITH_SCOPE(first + 3, ACQ_REL, ACQUIRE, RELEASE, scope)                                                            \
    WITH_SCOPE(first + 4, SEQ_CST, SEQ_CST, SEQ_CST, scope)

struct constants {
    int *objects, *out;
};
static inline void constants(tw_item item, const struct constants *k)
{
    int *const object = &k->objects[tw_global_id(item, 0)], *const out = k->out + tw_global_id(item, 0) * STEPS;
    switch (tw_global_id(item, 0)) {
        WITH_ORDERS(0, TW_SCOPE_DEVICE)
    }
}
TW_RANGE_KERNEL(constants, 1);

static void constants_on_the_host(int which, int *object, int *out)
{
    switch (which) {
        WITH_ORDERS(0, TW_SCOPE_WORK_ITEM)
        WITH_ORDERS(5, TW_SCOPE_SUB_GROUP)
        WITH_ORDERS(10, TW_SCOPE_WORK_GROUP)
        WITH_ORDERS(15, TW_SCOPE_DEVICE)
        WITH_ORDERS(20, TW_SCOPE_SYSTEM)
    }
}

TW_TEST(every_valid_order_and_scope_is_accepted)
{
    static int out[COMBINATIONS * STEPS];
    tw_queue *queue = tw_test_queue();
    tw_buffer *objects = tw_test_zeroed(sizeof(int), ORDERS), *result = tw_test_zeroed(sizeof(int), ORDERS * STEPS);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(ORDERS), constants, .objects = tw_read_write(cg, objects),
                    .out = tw_write(cg, result));
    tw_test_run(queue, cg);
    tw_test_fetch(result, out);
    for (size_t i = 0; i < ORDERS; ++i)
        check_steps_int(out + i * STEPS, 1);
    TW_PASS(tw_buffer_destroy(&objects));
    TW_PASS(tw_buffer_destroy(&result));
    TW_PASS(tw_queue_destroy(&queue));

    memset(out, 0, sizeof out);
    for (int i = 0; i < COMBINATIONS; ++i) {
        int object = 0;
        constants_on_the_host(i, &object, out + i * STEPS);
        check_steps_int(out + i * STEPS, 1);
    }
}

/* The form without order and scope, on objects that are volatile; in a single task. */
struct short_forms {
    long *object, *out;
    double *real, *real_out;
    float *fraction;
};
static inline void short_forms(const struct short_forms *k)
{
    volatile long *object = k->object;
    long expected = 0;
    tw_atomic_store(object, 40);
    k->out[0] = tw_atomic_load(object);
    k->out[1] = tw_atomic_exchange(object, 41);
    k->out[2] = tw_atomic_compare_exchange_strong(object, &expected, 42);
    k->out[3] = tw_atomic_compare_exchange_strong(object, &expected, 42);
    while (!tw_atomic_compare_exchange_weak(object, &expected, 43)) {
    }
    k->out[4] = tw_atomic_fetch_add(object, 1);
    k->out[5] = tw_atomic_fetch_sub(object, 2);
    k->out[6] = tw_atomic_fetch_min(object, 40);
    k->out[7] = tw_atomic_fetch_max(object, 47);
    k->out[8] = tw_atomic_fetch_and(object, 44);
    k->out[9] = tw_atomic_fetch_or(object, 1);
    k->out[10] = tw_atomic_fetch_xor(object, 4);
    tw_atomic_store(k->real, 0.5);
    k->real_out[0] = tw_atomic_fetch_add(k->real, 0.25);
    k->real_out[1] = tw_atomic_fetch_sub(k->real, 1.0);
    k->real_out[2] = tw_atomic_fetch_min(k->real, -0.5);
    k->real_out[3] = tw_atomic_fetch_max(k->real, 1e300);
    k->real_out[4] = tw_atomic_load(k->real);
    tw_atomic_fetch_add(k->fraction, 0.125f);
}
TW_SINGLE_TASK(short_forms);

TW_TEST(order_and_scope_may_be_left_out)
{
    static const long expected[] = {40, 40, 0, 1, 43, 44, 42, 40, 47, 44, 45};
    long object, out[11];
    double real_out[5];
    float fraction;
    tw_queue *queue = tw_test_queue();
    tw_buffer *objects = tw_test_zeroed(sizeof(long), 1), *results = tw_test_zeroed(sizeof(long), 11);
    tw_buffer *real = tw_test_zeroed(sizeof(double), 1), *reals = tw_test_zeroed(sizeof(double), 5),
              *one = tw_test_zeroed(sizeof(float), 1);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, short_forms, .object = tw_read_write(cg, objects), .out = tw_write(cg, results),
                   .real = tw_read_write(cg, real), .real_out = tw_write(cg, reals),
                   .fraction = tw_read_write(cg, one));
    tw_test_run(queue, cg);
    tw_test_fetch(objects, &object);
    tw_test_fetch(results, out);
    tw_test_fetch(reals, real_out);
    tw_test_fetch(one, &fraction);
    for (size_t i = 0; i < 11; ++i)
        TW_EQUAL(out[i], expected[i]);
    TW_EQUAL(object, 41);
    TW_CHECK(real_out[0] == 0.5 && real_out[1] == 0.75 && real_out[2] == -0.25);
    TW_CHECK(real_out[3] == -0.5 && real_out[4] == 1e300 && fraction == 0.125f);
    TW_PASS(tw_buffer_destroy(&objects));
    TW_PASS(tw_buffer_destroy(&results));
    TW_PASS(tw_buffer_destroy(&real));
    TW_PASS(tw_buffer_destroy(&reals));
    TW_PASS(tw_buffer_destroy(&one));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- floating point: comparison by value for min and max, by bits for compare-exchange --------------------------- */

struct nan_and_zero {
    float *object;
    int *out;
    float nan;
};
static inline void nan_and_zero(tw_item item, const struct nan_and_zero *k)
{
    const tw_memory_scope scope = tw_global_id(item, 0) ? TW_SCOPE_DEVICE : TW_SCOPE_WORK_ITEM;
    float *const object = k->object + tw_global_id(item, 0);
    int *const out = k->out + 8 * tw_global_id(item, 0);
    float expected = 0.0f;
    tw_atomic_store(object, -0.0f, TW_ORDER_RELAXED, scope);
    out[0] = tw_atomic_compare_exchange_strong(object, &expected, 1.0f, TW_ORDER_RELAXED, TW_ORDER_RELAXED, scope);
    out[1] = tw_atomic_compare_exchange_strong(object, &expected, k->nan, TW_ORDER_RELAXED, TW_ORDER_RELAXED, scope);
    tw_atomic_fetch_min(object, 1.0f, TW_ORDER_RELAXED, scope); /* a NaN stays */
    const float still = tw_atomic_load(object, TW_ORDER_RELAXED, scope);
    out[2] = still != still;
    expected = k->nan;
    out[3] = tw_atomic_compare_exchange_strong(object, &expected, 2.0f, TW_ORDER_RELAXED, TW_ORDER_RELAXED, scope);
    tw_atomic_fetch_max(object, k->nan, TW_ORDER_RELAXED, scope); /* does not replace */
    tw_atomic_fetch_min(object, k->nan, TW_ORDER_ACQ_REL, scope);
    out[4] = tw_atomic_load(object, TW_ORDER_RELAXED, scope) == 2.0f;
}
TW_RANGE_KERNEL(nan_and_zero, 1);

TW_TEST(min_and_max_compare_values_and_compare_exchange_bits)
{
    int out[16];
    tw_queue *queue = tw_test_queue();
    tw_buffer *objects = tw_test_zeroed(sizeof(float), 2), *results = tw_test_zeroed(sizeof(int), 16);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(2), nan_and_zero, .object = tw_read_write(cg, objects),
                    .out = tw_write(cg, results), .nan = NAN);
    tw_test_run(queue, cg);
    tw_test_fetch(results, out);
    for (size_t i = 0; i < 16; i += 8)
        TW_CHECK(!out[i] && out[i + 1] && out[i + 2] && out[i + 3] && out[i + 4]);
    TW_PASS(tw_buffer_destroy(&objects));
    TW_PASS(tw_buffer_destroy(&results));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- contention in global memory (property 62) ------------------------------------------------------------------- */

enum { CROWD = 30000 };

/* Every work-item adds 2, in all orders in turn and at both scopes; the old values are all different. */
#define CROWD_KERNEL(T)                                                                                                \
    struct crowd_##T {                                                                                                 \
        T *sum, *least, *greatest;                                                                                     \
        unsigned *seen; /* how often each old value came back */                                                       \
    };                                                                                                                 \
    static inline void crowd_##T(tw_item item, const struct crowd_##T *k)                                              \
    {                                                                                                                  \
        const size_t i = tw_global_id(item, 0);                                                                        \
        const tw_memory_order order = (tw_memory_order)(i % ORDERS);                                                   \
        const T old = i & 1 ? tw_atomic_fetch_add(k->sum, (T)2, order, TW_SCOPE_DEVICE)                                \
                            : tw_atomic_fetch_add(k->sum, (T)2, order, TW_SCOPE_SYSTEM);                               \
        const size_t half = (size_t)(old / (T)2);                                                                      \
        if (half < CROWD)                                                                                              \
            tw_atomic_fetch_add(&k->seen[half], 1);                                                                    \
        tw_atomic_fetch_min(k->least, (T)(i + 3));                                                                     \
        tw_atomic_fetch_max(k->greatest, (T)(i + 3), order, TW_SCOPE_DEVICE);                                          \
    }                                                                                                                  \
    TW_RANGE_KERNEL(crowd_##T, 1);                                                                                     \
                                                                                                                       \
    static void run_crowd_##T(tw_queue *queue)                                                                         \
    {                                                                                                                  \
        static unsigned seen[CROWD];                                                                                   \
        T sum, greatest, least = (T)1000000;                                                                           \
        tw_buffer *counts = tw_test_zeroed(sizeof(unsigned), CROWD), *sums = tw_test_zeroed(sizeof(T), 1);             \
        tw_buffer *leasts = tw_test_zeroed(sizeof(T), 1), *greatests = tw_test_zeroed(sizeof(T), 1);                   \
        tw_test_store(leasts, &least);                                                                                 \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_parallel_for(cg, tw_range_1d(CROWD), crowd_##T, .sum = tw_read_write(cg, sums),                             \
                        .least = tw_read_write(cg, leasts), .greatest = tw_read_write(cg, greatests),                  \
                        .seen = tw_read_write(cg, counts));                                                            \
        tw_test_run(queue, cg);                                                                                        \
        tw_test_fetch(sums, &sum);                                                                                     \
        tw_test_fetch(leasts, &least);                                                                                 \
        tw_test_fetch(greatests, &greatest);                                                                           \
        tw_test_fetch(counts, seen);                                                                                   \
        TW_EQUAL(sum, 2 * CROWD);                                                                                      \
        TW_EQUAL(least, 3);                                                                                            \
        TW_EQUAL(greatest, CROWD + 2);                                                                                 \
        for (size_t i = 0; i < CROWD; ++i)                                                                             \
            TW_EQUAL(seen[i], 1);                                                                                      \
        TW_PASS(tw_buffer_destroy(&counts));                                                                           \
        TW_PASS(tw_buffer_destroy(&sums));                                                                             \
        TW_PASS(tw_buffer_destroy(&leasts));                                                                           \
        TW_PASS(tw_buffer_destroy(&greatests));                                                                        \
    }
FOR_INTEGERS(CROWD_KERNEL)
FOR_REALS(CROWD_KERNEL)

TW_TEST(contended_sums_and_extremes_are_exact)
{
    tw_queue *queue = tw_test_queue();
#define RUN_CROWD(T) run_crowd_##T(queue);
    FOR_INTEGERS(RUN_CROWD)
    FOR_REALS(RUN_CROWD)
    TW_PASS(tw_queue_destroy(&queue));
}

/* Exchanges pass each value on exactly once; bits are set, cleared and flipped exactly once; a compare-exchange loop
   loses no step. */
struct shuffle {
    ulong *slot, *returned, *set, *cleared, *flipped, *steps;
};
static inline void shuffle(tw_item item, const struct shuffle *k)
{
    const size_t i = tw_global_id(item, 0);
    const tw_memory_order order = (tw_memory_order)(i % ORDERS);
    tw_atomic_fetch_add(k->returned, tw_atomic_exchange(k->slot, i + 1, order, TW_SCOPE_DEVICE));
    tw_atomic_fetch_or(&k->set[i / 64], 1ul << i % 64, order, TW_SCOPE_DEVICE);
    tw_atomic_fetch_and(&k->cleared[i / 64], ~(1ul << i % 64), order, TW_SCOPE_DEVICE);
    tw_atomic_fetch_xor(&k->flipped[i / 64 % 8], 1ul << i % 64, order, TW_SCOPE_DEVICE);
    ulong now = tw_atomic_load(k->steps);
    while (!tw_atomic_compare_exchange_weak(k->steps, &now, now + 3, order, TW_ORDER_RELAXED, TW_SCOPE_DEVICE)) {
    }
}
TW_RANGE_KERNEL(shuffle, 1);

TW_TEST(contended_exchanges_lose_nothing)
{
    enum { ITEMS = 64 * 8 * 63, WORDS = ITEMS / 64 };
    static ulong set[WORDS], cleared[WORDS];
    ulong slot, returned, steps, flipped[8];
    tw_queue *queue = tw_test_queue();
    tw_buffer *slots = tw_test_zeroed(sizeof slot, 1), *sums = tw_test_zeroed(sizeof slot, 1),
              *counts = tw_test_zeroed(sizeof slot, 1);
    tw_buffer *sets = tw_test_zeroed(sizeof slot, WORDS), *clears = tw_test_zeroed(sizeof slot, WORDS),
              *flips = tw_test_zeroed(sizeof slot, 8);
    memset(cleared, 0xff, sizeof cleared);
    tw_test_store(clears, cleared);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(ITEMS), shuffle, .slot = tw_read_write(cg, slots),
                    .returned = tw_read_write(cg, sums), .set = tw_read_write(cg, sets),
                    .cleared = tw_read_write(cg, clears), .flipped = tw_read_write(cg, flips),
                    .steps = tw_read_write(cg, counts));
    tw_test_run(queue, cg);
    tw_test_fetch(slots, &slot);
    tw_test_fetch(sums, &returned);
    tw_test_fetch(counts, &steps);
    tw_test_fetch(sets, set);
    tw_test_fetch(clears, cleared);
    tw_test_fetch(flips, flipped);
    TW_EQUAL(returned + slot, (ulong)ITEMS * (ITEMS + 1) / 2);
    TW_EQUAL(steps, 3 * ITEMS);
    for (size_t i = 0; i < WORDS; ++i)
        TW_CHECK(set[i] == ~0ul && cleared[i] == 0);
    for (size_t i = 0; i < 8; ++i)
        TW_CHECK(flipped[i] == ~0ul); /* an odd number of times */
    TW_PASS(tw_buffer_destroy(&slots));
    TW_PASS(tw_buffer_destroy(&sums));
    TW_PASS(tw_buffer_destroy(&counts));
    TW_PASS(tw_buffer_destroy(&sets));
    TW_PASS(tw_buffer_destroy(&clears));
    TW_PASS(tw_buffer_destroy(&flips));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- pointers: a stack that all work-items push to --------------------------------------------------------------- */

struct node {
    struct node *next;
    int visits;
};
struct push {
    struct node *nodes;
    struct node **head;
};
static inline void push(tw_item item, const struct push *k)
{
    struct node *const node = &k->nodes[tw_global_id(item, 0)];
    void *top = tw_atomic_load((void **)k->head, TW_ORDER_RELAXED, TW_SCOPE_DEVICE);
    do {
        node->next = (struct node *)top;
    } while (!tw_atomic_compare_exchange_weak((void **)k->head, &top, (void *)node, TW_ORDER_RELEASE, TW_ORDER_RELAXED,
                                              TW_SCOPE_DEVICE));
}
TW_RANGE_KERNEL(push, 1);

struct walk {
    struct node **head;
    int *length;
};
static inline void walk(const struct walk *k)
{
    struct node *node = (struct node *)tw_atomic_exchange((void **)k->head, NULL, TW_ORDER_ACQUIRE, TW_SCOPE_DEVICE);
    for (; node && *k->length < 2 * CROWD; node = node->next) {
        ++node->visits;
        ++*k->length;
    }
    tw_atomic_store((void **)k->head, NULL, TW_ORDER_RELEASE, TW_SCOPE_SYSTEM);
}
TW_SINGLE_TASK(walk);

TW_TEST(pointers_make_a_stack)
{
    static struct node nodes[CROWD];
    int length;
    tw_queue *queue = tw_test_queue();
    tw_buffer *all = tw_test_zeroed(sizeof *nodes, CROWD), *head = tw_test_zeroed(sizeof(void *), 1),
              *count = tw_test_zeroed(sizeof(int), 1);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(CROWD), push, .nodes = tw_read_write(cg, all), .head = tw_read_write(cg, head));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    cg = tw_queue_begin(queue);
    (void)tw_read_write(cg, all); /* the pointers in the list lead there */
    tw_single_task(cg, walk, .head = tw_read_write(cg, head), .length = tw_read_write(cg, count));
    tw_test_run(queue, cg);
    tw_test_fetch(all, nodes);
    tw_test_fetch(count, &length);
    TW_EQUAL(length, CROWD);
    for (size_t i = 0; i < CROWD; ++i)
        TW_EQUAL(nodes[i].visits, 1);
    TW_PASS(tw_buffer_destroy(&all));
    TW_PASS(tw_buffer_destroy(&head));
    TW_PASS(tw_buffer_destroy(&count));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- local memory (property 62) ---------------------------------------------------------------------------------- */

enum { GROUP = 128, GROUPS = 200, BINS = 16 };

/* Of a group's work-items exactly one sees the last value. The histogram of each group goes to all groups' one. */
struct last_and_bins {
    unsigned *last, *bins;
    float *least;
};
static inline void last_and_bins(tw_group group, const struct last_and_bins *k)
{
    TW_LOCAL(int, count);
    TW_LOCAL(unsigned, mine, [BINS]);
    TW_LOCAL(float, least);
    TW_LOCAL(unsigned, last);
    tw_parallel_for_work_item_range(group, item, tw_range_1d(BINS)) {
        mine[tw_local_id(item, 0)] = 0;
        if (tw_local_id(item, 0) == 0) {
            count = 0;
            last = 0;
            least = 1e6f;
        }
    }
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_local_id(item, 0);
        if (tw_atomic_fetch_add(&count, 1, TW_ORDER_ACQ_REL, TW_SCOPE_WORK_GROUP) == GROUP - 1)
            tw_atomic_fetch_add(&last, 1, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);
        tw_atomic_fetch_add(&mine[i * i % BINS], 1, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);
        tw_atomic_fetch_add(&mine[i % BINS], 1); /* at device scope local memory works too */
        tw_atomic_fetch_min(&least, (float)i + 0.5f, (tw_memory_order)(i % ORDERS), TW_SCOPE_WORK_GROUP);
    }
    tw_parallel_for_work_item_range(group, item, tw_range_1d(BINS)) {
        tw_atomic_fetch_add(&k->bins[tw_local_id(item, 0)], mine[tw_local_id(item, 0)]);
    }
    TW_ONCE(group) {
        k->last[tw_group_id(group, 0)] = last;
        k->least[tw_group_id(group, 0)] = least;
    }
}
TW_WORK_GROUP_KERNEL(last_and_bins, GROUP);

TW_TEST(local_memory_is_atomic_within_the_group)
{
    unsigned last[GROUPS], bins[BINS], expected[BINS] = {0};
    float least[GROUPS];
    tw_queue *queue = tw_test_queue();
    tw_buffer *lasts = tw_test_zeroed(sizeof *last, GROUPS), *sums = tw_test_zeroed(sizeof *bins, BINS);
    tw_buffer *leasts = tw_test_zeroed(sizeof *least, GROUPS);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(GROUPS), tw_range_1d(GROUP), last_and_bins,
                               .last = tw_discard_write(cg, lasts), .bins = tw_read_write(cg, sums),
                               .least = tw_discard_write(cg, leasts));
    tw_test_run(queue, cg);
    tw_test_fetch(lasts, last);
    tw_test_fetch(sums, bins);
    tw_test_fetch(leasts, least);
    for (size_t i = 0; i < GROUP; ++i) {
        expected[i * i % BINS] += GROUPS;
        expected[i % BINS] += GROUPS;
    }
    for (size_t i = 0; i < BINS; ++i)
        TW_EQUAL(bins[i], expected[i]);
    for (size_t g = 0; g < GROUPS; ++g)
        TW_CHECK(last[g] == 1 && least[g] == 0.5f);
    TW_PASS(tw_buffer_destroy(&lasts));
    TW_PASS(tw_buffer_destroy(&sums));
    TW_PASS(tw_buffer_destroy(&leasts));
    TW_PASS(tw_queue_destroy(&queue));
}

/* The same in nd_range kernels: a histogram of each group in local memory, then of all in global memory. */
struct nd_histogram {
    const unsigned *in;
    unsigned *bins;
};
static inline void nd_histogram(tw_nd_item item, const struct nd_histogram *k)
{
    TW_LOCAL(unsigned, mine, [BINS]);
    const size_t i = tw_local_id(item, 0);
    if (i < BINS)
        mine[i] = 0;
    tw_barrier(item, TW_LOCAL_SPACE);
    tw_atomic_fetch_add(&mine[k->in[tw_global_id(item, 0)] % BINS], 1, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);
    tw_barrier(item, TW_LOCAL_SPACE);
    if (i < BINS)
        tw_atomic_fetch_add(&k->bins[i], mine[i], TW_ORDER_RELAXED, TW_SCOPE_DEVICE);
}
TW_ND_RANGE_KERNEL(nd_histogram, GROUP);

TW_TEST(nd_range_kernels_count_in_local_memory)
{
    static unsigned in[GROUP * GROUPS];
    unsigned bins[BINS], expected[BINS] = {0};
    ND_BEGIN(queue);
    for (unsigned i = 0; i < GROUP * GROUPS; ++i)
        ++expected[(in[i] = i * i / 7) % BINS];
    tw_buffer *numbers = tw_test_zeroed(sizeof *in, GROUP * GROUPS), *sums = tw_test_zeroed(sizeof *bins, BINS);
    tw_test_store(numbers, in);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(GROUPS), tw_range_1d(GROUP)), nd_histogram,
                             .in = tw_read(cg, numbers), .bins = tw_read_write(cg, sums));
    tw_test_run(queue, cg);
    tw_test_fetch(sums, bins);
    for (size_t i = 0; i < BINS; ++i)
        TW_EQUAL(bins[i], expected[i]);
    TW_PASS(tw_buffer_destroy(&numbers));
    TW_PASS(tw_buffer_destroy(&sums));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- order: who comes last sees what all others wrote ------------------------------------------------------------ */

/* All work-items of a group write; the group's barrier and one release stand for all of them. */
struct last_group {
    unsigned *parts; /* GROUP for each group */
    unsigned *arrived;
    unsigned long long *sum;
};
static inline void last_group(tw_group group, const struct last_group *k)
{
    TW_LOCAL(unsigned, before);
    tw_parallel_for_work_item(group, item) {
        k->parts[tw_global_id(item, 0)] = (unsigned)tw_global_id(item, 0) + 1;
    }
    TW_ONCE(group) {
        before = tw_atomic_fetch_add(k->arrived, 1, TW_ORDER_ACQ_REL, TW_SCOPE_DEVICE);
    }
    tw_parallel_for_work_item(group, item) {
        if (before == tw_group_range(group, 0) - 1) {
            unsigned long long sum = 0;
            for (size_t g = 0; g < tw_group_range(group, 0); ++g)
                sum += k->parts[g * GROUP + tw_local_id(item, 0)];
            tw_atomic_fetch_add(k->sum, sum);
        }
    }
}
TW_WORK_GROUP_KERNEL(last_group, GROUP);

TW_TEST(the_last_group_sees_what_all_others_wrote)
{
    tw_queue *queue = tw_test_queue();
    for (size_t groups = 1; groups <= 2048; groups *= 2) {
        const unsigned long long items = groups * GROUP;
        unsigned long long sum;
        tw_buffer *parts = tw_test_zeroed(sizeof(unsigned), items), *arrived = tw_test_zeroed(sizeof(unsigned), 1);
        tw_buffer *sums = tw_test_zeroed(sizeof sum, 1);
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_work_group(cg, tw_range_1d(groups), tw_range_1d(GROUP), last_group,
                                   .parts = tw_read_write(cg, parts), .arrived = tw_read_write(cg, arrived),
                                   .sum = tw_read_write(cg, sums));
        tw_test_run(queue, cg);
        tw_test_fetch(sums, &sum);
        TW_EQUAL(sum, items * (items + 1) / 2);
        TW_PASS(tw_buffer_destroy(&parts));
        TW_PASS(tw_buffer_destroy(&arrived));
        TW_PASS(tw_buffer_destroy(&sums));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- host code --------------------------------------------------------------------------------------------------- */

struct tally {
    int sum;
    double real;
    int message, flag;
};

static void *add_in_thread(void *context)
{
    struct tally *tally = (struct tally *)context;
    for (int i = 0; i < 20000; ++i) {
        tw_atomic_fetch_add(&tally->sum, 1);
        tw_atomic_fetch_add(&tally->real, 0.5, TW_ORDER_RELAXED, TW_SCOPE_SYSTEM);
    }
    tally->message = 7;
    tw_atomic_store(&tally->flag, 1, TW_ORDER_RELEASE, TW_SCOPE_SYSTEM);
    return NULL;
}

TW_TEST(threads_of_the_program_use_them_too)
{
    struct tally tally = {0, 0, 0, 0};
    pthread_t other;
    TW_CHECK(pthread_create(&other, NULL, add_in_thread, &tally) == 0);
    for (int i = 0; i < 20000; ++i) {
        tw_atomic_fetch_add(&tally.sum, 1);
        tw_atomic_fetch_add(&tally.real, 0.5, TW_ORDER_SEQ_CST, TW_SCOPE_SYSTEM);
    }
    while (!tw_atomic_load(&tally.flag, TW_ORDER_ACQUIRE, TW_SCOPE_SYSTEM)) {
    }
    TW_EQUAL(tally.message, 7);
    TW_CHECK(pthread_join(other, NULL) == 0);
    TW_EQUAL(tally.sum, 40000);
    TW_CHECK(tally.real == 20000.0);
}

/* ---- stores of equal values, which are not atomic ------------------------------------------------------------------ */

enum { MARKS = 61, SEEKERS = 5000, SEEKING_GROUP = 50 };

struct seek {
    const unsigned *numbers;
    unsigned wanted;
    int *found;           /* by one work-item, or none */
    double *seven;        /* by all */
    unsigned char *marks; /* of numbers that there are, modulo MARKS; every third is another kernel's */
    int *found_in_group;  /* nd_range and hierarchical kernels: one for each work-item */
};

static inline void seek_one(const struct seek *k, size_t i)
{
    if (k->numbers[i] == k->wanted)
        *k->found = 1;
    *k->seven = 7;
    if (k->numbers[i] % 3 != 0)
        k->marks[k->numbers[i] % MARKS] = 1;
}
static inline void seek_items(tw_item item, const struct seek *k)
{
    seek_one(k, tw_global_id(item, 0));
}
TW_RANGE_KERNEL(TW_BLOCK(seek) seek_items, 1);

static inline void seek_nd(tw_nd_item item, const struct seek *k)
{
    const size_t i = tw_global_id(item, 0);
    TW_LOCAL(short, found);
    found = 0; /* by all of the group */
    tw_barrier(item, TW_LOCAL_SPACE);
    if (k->numbers[i] == k->wanted)
        found = 1;
    seek_one(k, i);
    tw_barrier(item, TW_LOCAL_SPACE);
    k->found_in_group[i] = found;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(seek) seek_nd);

static inline void seek_group(tw_group group, const struct seek *k)
{
    TW_LOCAL(short, found);
    tw_parallel_for_work_item(group, item) {
        found = 0;
    }
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_global_id(item, 0);
        if (k->numbers[i] == k->wanted)
            found = 1;
        seek_one(k, i);
    }
    tw_parallel_for_work_item(group, item) {
        k->found_in_group[tw_global_id(item, 0)] = found;
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(seek) seek_group);

TW_TEST(all_may_store_equal_values)
{
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) /* for which any two stores to one place are a race */
    TW_SKIP();
#endif
#endif
    enum { FORMS = 3, TURNS = 20 };
    static unsigned numbers[SEEKERS];
    static int in_group[SEEKERS];
    tw_queue *queue = tw_test_queue();
    tw_buffer *all = NULL, *found = NULL, *seven = NULL, *marks = NULL, *groups = NULL;
    TW_PASS(tw_buffer_create(sizeof(unsigned), tw_range_1d(SEEKERS), &all));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(1), &found));
    TW_PASS(tw_buffer_create(sizeof(double), tw_range_1d(1), &seven));
    TW_PASS(tw_buffer_create(1, tw_range_1d(MARKS), &marks));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(SEEKERS), &groups));
    for (unsigned turn = 0; turn < FORMS * TURNS; ++turn) {
        const size_t place = (turn * 2654435761u >> 8) % (SEEKERS + SEEKERS / 4); /* sometimes there is none */
        const int nobody = 0;
        const double five = 5;
        unsigned char expected[MARKS] = {0}, got[MARKS] = {0};
        for (size_t i = 0; i < SEEKERS; ++i) {
            numbers[i] = (unsigned)i * (turn + 1) % 40 + 100; /* some of all marks */
            numbers[i] = i == place ? 99 : numbers[i];
            expected[numbers[i] % MARKS] |= numbers[i] % 3 != 0;
        }
        tw_test_store(all, numbers);
        tw_test_store(found, &nobody);
        tw_test_store(seven, &five);
        tw_test_store(marks, got);
        tw_command_group *cg = tw_queue_begin(queue);
        const struct seek block = {.numbers = (const unsigned *)tw_read(cg, all),
                                   .wanted = 99,
                                   .found = (int *)tw_write(cg, found),
                                   .seven = (double *)tw_write(cg, seven),
                                   .marks = (unsigned char *)tw_write(cg, marks),
                                   .found_in_group = (int *)tw_write(cg, groups)};
        const tw_range range = tw_range_1d(SEEKERS), local = tw_range_1d(SEEKING_GROUP);
        if (turn % FORMS == 0)
            tw_parallel_for_kernel(cg, range, TW_KERNEL(seek_items), &block, sizeof block);
        else if (turn % FORMS == 1)
            tw_parallel_for_nd_range_kernel(cg, tw_nd_range_make(range, local), TW_KERNEL(seek_nd), &block,
                                            sizeof block);
        else
            tw_parallel_for_work_group_kernel(cg, tw_range_1d(SEEKERS / SEEKING_GROUP), local, TW_KERNEL(seek_group),
                                              &block, sizeof block);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        int was_found;
        double is_seven;
        tw_test_fetch(found, &was_found);
        tw_test_fetch(seven, &is_seven);
        tw_test_fetch(marks, got);
        TW_EQUAL(was_found, place < SEEKERS);
        TW_CHECK(is_seven == 7);
        TW_CHECK(memcmp(got, expected, sizeof got) == 0);
        if (turn % FORMS == 0)
            continue;
        tw_test_fetch(groups, in_group);
        for (size_t i = 0; i < SEEKERS; ++i)
            TW_EQUAL(in_group[i], i / SEEKING_GROUP == place / SEEKING_GROUP);
    }
    tw_buffer *buffers[] = {all, found, seven, marks, groups};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        TW_PASS(tw_buffer_destroy(&buffers[i]));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(operations_return_the_old_value_and_store_the_new_one),
                TW_CASE(every_valid_order_and_scope_is_accepted),
                TW_CASE(order_and_scope_may_be_left_out),
                TW_CASE(min_and_max_compare_values_and_compare_exchange_bits),
                TW_CASE(contended_sums_and_extremes_are_exact),
                TW_CASE(contended_exchanges_lose_nothing),
                TW_CASE(pointers_make_a_stack),
                TW_CASE(local_memory_is_atomic_within_the_group),
                TW_CASE(nd_range_kernels_count_in_local_memory),
                TW_CASE(the_last_group_sees_what_all_others_wrote),
                TW_CASE(threads_of_the_program_use_them_too),
                TW_CASE(all_may_store_equal_values),
                TW_CASES_END};
