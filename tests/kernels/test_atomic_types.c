/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams gpu-simt (gpu-teams) */
/* C++17: host x86_64 (gpu-simt gpu-teams), values, unsanitized, long */
/**
 * lower/group/atomic.h on objects narrower than a word, on bool and on pointers. What stands beside an object of 8 or 16 bits
 * is not touched, though a GPU knows only the 32-bit word around it.
 */
#include "tw_test.h"

#include <stdbool.h>
#include <teamwork/atomic.h>

typedef signed char schar;
typedef unsigned char uchar;
typedef unsigned short ushort;

#define FOR_NARROW(X) X(char) X(schar) X(uchar) X(short) X(ushort)

enum { ORDERS = 5, ITEMS = 16384 };

/* ---- 8 and 16 bits ----------------------------------------------------------------------------------------------- */

enum { CELLS = 16, IN_CELL = 8 };

/* All items share CELLS cells. Of a cell's elements all but `own` are atomic, each for one operation: whoever touched a
   neighbour would spoil the result there. Item i stores to the element `own` of cell i, which no other item does. */
enum { added, subtracted, flipped, swapped, greatest, least, own, set };
_Static_assert(set == IN_CELL - 1, "each element has its use");

#define NARROW_KERNEL(T)                                                                                               \
    struct narrow_##T {                                                                                                \
        T *cells;                                                                                                      \
    };                                                                                                                 \
    static inline void narrow_##T(tw_item item, const struct narrow_##T *k)                                            \
    {                                                                                                                  \
        const size_t i = tw_global_id(item, 0);                                                                        \
        const tw_memory_order order = (tw_memory_order)(i / CELLS % ORDERS);                                           \
        T *const cell = k->cells + i % CELLS * IN_CELL;                                                                \
        tw_atomic_fetch_add(&cell[added], 3, order, TW_SCOPE_DEVICE);                                                  \
        k->cells[i * IN_CELL + own] = (T)i;                                                                            \
        tw_atomic_fetch_sub(&cell[subtracted], 1, TW_ORDER_RELAXED, TW_SCOPE_SYSTEM);                                  \
        tw_atomic_fetch_xor(&cell[flipped], (T)(1 << i / CELLS % 7), order, TW_SCOPE_DEVICE);                          \
        tw_atomic_fetch_max(&cell[greatest], (T)(i % 101), order, TW_SCOPE_DEVICE);                                    \
        tw_atomic_fetch_min(&cell[least], (T)(100 - i % 101));                                                         \
        tw_atomic_fetch_or(&cell[set], (T)(1 << i / CELLS % 7));                                                       \
        T now = tw_atomic_load(&cell[swapped]);                                                                        \
        while (!tw_atomic_compare_exchange_weak(&cell[swapped], &now, (T)(now + 5), order, TW_ORDER_RELAXED,           \
                                                TW_SCOPE_DEVICE)) {                                                    \
        }                                                                                                              \
    }                                                                                                                  \
    TW_RANGE_KERNEL(narrow_##T, 1);                                                                                    \
                                                                                                                       \
    static void run_narrow_##T(tw_queue *queue)                                                                        \
    {                                                                                                                  \
        enum { EACH = ITEMS / CELLS };                                                                                 \
        static T cells[ITEMS * IN_CELL];                                                                               \
        memset(cells, 0, sizeof cells);                                                                                \
        for (size_t i = 0; i < CELLS; ++i)                                                                             \
            cells[i * IN_CELL + least] = 127;                                                                          \
        tw_buffer *buffer = tw_test_zeroed(sizeof(T), ITEMS * IN_CELL);                                                \
        tw_test_store(buffer, cells);                                                                                  \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_parallel_for(cg, tw_range_1d(ITEMS), narrow_##T, .cells = tw_read_write(cg, buffer));                       \
        tw_test_run(queue, cg);                                                                                        \
        tw_test_fetch(buffer, cells);                                                                                  \
        for (size_t i = 0; i < ITEMS; ++i) {                                                                           \
            const T *const cell = cells + i * IN_CELL;                                                                 \
            TW_EQUAL(cell[own], (T)i);                                                                                 \
            TW_EQUAL(cell[added], i < CELLS ? (T)(3 * EACH) : 0);                                                      \
            TW_EQUAL(cell[subtracted], i < CELLS ? (T) - EACH : 0);                                                    \
            TW_EQUAL(cell[flipped],                                                                                    \
                     i < CELLS ? 3 : 0); /* EACH is 7 * 146 + 2: bits 0 and 1 once more than the others */             \
            TW_EQUAL(cell[swapped], i < CELLS ? (T)(5 * EACH) : 0);                                                    \
            TW_EQUAL(cell[greatest], i < CELLS ? 100 : 0);                                                             \
            TW_EQUAL(cell[least], 0);                                                                                  \
            TW_EQUAL(cell[set], i < CELLS ? 127 : 0);                                                                  \
        }                                                                                                              \
        TW_PASS(tw_buffer_destroy(&buffer));                                                                           \
    }
FOR_NARROW(NARROW_KERNEL)

TW_TEST(neighbours_of_narrow_objects_are_left_alone)
{
    tw_queue *queue = tw_test_queue();
#define RUN_NARROW(T) run_narrow_##T(queue);
    FOR_NARROW(RUN_NARROW)
    TW_PASS(tw_queue_destroy(&queue));
}

/* Counters of 8 and of 16 bits, of each group in local memory and of all in global memory. There is an odd number of
   them, so that the last one is not at the end of a word. */
enum { BINS = 61, GROUP = 128, GROUPS = 60 };

struct histogram {
    const uchar *in;
    ushort *all, *far;
    uchar *most;
};
static inline void histogram(tw_group group, const struct histogram *k)
{
    TW_LOCAL(uchar, mine, [BINS]);
    tw_parallel_for_work_item(group, item) {
        if (tw_local_id(item, 0) < BINS)
            mine[tw_local_id(item, 0)] = 0;
    }
    tw_parallel_for_work_item(group, item) {
        const size_t bin = k->in[tw_global_id(item, 0)];
        tw_atomic_fetch_add(&mine[bin], 1, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);
        tw_atomic_fetch_add(&k->far[bin], 1);
    }
    tw_parallel_for_work_item(group, item) {
        const size_t bin = tw_local_id(item, 0);
        if (bin < BINS) {
            tw_atomic_fetch_add(&k->all[bin], mine[bin], TW_ORDER_ACQ_REL, TW_SCOPE_DEVICE);
            tw_atomic_fetch_max(&k->most[bin], mine[bin]);
        }
    }
}
TW_WORK_GROUP_KERNEL(histogram, GROUP);

TW_TEST(histograms_of_narrow_counters)
{
    static uchar in[GROUP * GROUPS];
    ushort all[BINS], far[BINS], expected[BINS] = {0};
    uchar most[BINS], expected_most[BINS] = {0};
    tw_queue *queue = tw_test_queue();
    for (unsigned g = 0; g < GROUPS; ++g) {
        uchar of_group[BINS] = {0};
        for (unsigned i = g * GROUP; i < (g + 1) * GROUP; ++i) {
            const uchar bin = in[i] = (uchar)(i * i / 7 % BINS);
            ++expected[bin];
            if (++of_group[bin] > expected_most[bin])
                expected_most[bin] = of_group[bin];
        }
    }
    tw_buffer *numbers = tw_test_zeroed(1, GROUP * GROUPS), *sums = tw_test_zeroed(sizeof *all, BINS),
              *fars = tw_test_zeroed(sizeof *far, BINS), *mosts = tw_test_zeroed(1, BINS);
    tw_test_store(numbers, in);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(GROUPS), tw_range_1d(GROUP), histogram, .in = tw_read(cg, numbers),
                               .all = tw_read_write(cg, sums), .far = tw_read_write(cg, fars),
                               .most = tw_read_write(cg, mosts));
    tw_test_run(queue, cg);
    tw_test_fetch(sums, all);
    tw_test_fetch(fars, far);
    tw_test_fetch(mosts, most);
    for (size_t bin = 0; bin < BINS; ++bin) {
        TW_EQUAL(all[bin], expected[bin]);
        TW_EQUAL(far[bin], expected[bin]);
        TW_EQUAL(most[bin], expected_most[bin]);
    }
    TW_PASS(tw_buffer_destroy(&numbers));
    TW_PASS(tw_buffer_destroy(&sums));
    TW_PASS(tw_buffer_destroy(&fars));
    TW_PASS(tw_buffer_destroy(&mosts));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- bool -------------------------------------------------------------------------------------------------------- */

/* The flags of four items stand in one word. All items compete for `winners`; each flag changes as often as its item
   says. */
struct flags {
    bool *flags, *taken, *once;
    unsigned *winners;
};
static inline void flags(tw_item item, const struct flags *k)
{
    const size_t i = tw_global_id(item, 0);
    bool *const flag = &k->flags[i];
    tw_atomic_store(flag, i % 3 + 1); /* any value but 0 is true */
    for (size_t turn = 0; turn < i % 5; ++turn)
        tw_atomic_fetch_xor(flag, true, TW_ORDER_RELAXED, TW_SCOPE_DEVICE);
    if (!tw_atomic_exchange(&k->taken[i % 7], true, TW_ORDER_ACQ_REL, TW_SCOPE_DEVICE))
        tw_atomic_fetch_add(&k->winners[i % 7], 1);
    bool expected = false;
    if (tw_atomic_compare_exchange_strong(&k->once[i % 7], &expected, true))
        tw_atomic_fetch_add(&k->winners[i % 7], 100);
    else if (!expected)
        tw_atomic_fetch_add(&k->winners[i % 7], 10000);
    tw_atomic_fetch_or(flag, i % 11 == 0);
    tw_atomic_fetch_and(flag, i % 13 != 0);
}
TW_RANGE_KERNEL(flags, 1);

TW_TEST(flags_are_bool)
{
    static uchar bytes[ITEMS];
    unsigned winners[7];
    uchar taken[7];
    tw_queue *queue = tw_test_queue();
    tw_buffer *flag = tw_test_zeroed(1, ITEMS), *take = tw_test_zeroed(1, 7), *once = tw_test_zeroed(1, 7),
              *winner = tw_test_zeroed(sizeof *winners, 7);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(ITEMS), flags, .flags = tw_read_write(cg, flag), .taken = tw_read_write(cg, take),
                    .once = tw_read_write(cg, once), .winners = tw_read_write(cg, winner));
    tw_test_run(queue, cg);
    tw_test_fetch(flag, bytes);
    tw_test_fetch(take, taken);
    tw_test_fetch(winner, winners);
    for (size_t i = 0; i < ITEMS; ++i)
        TW_EQUAL(bytes[i], (i % 5 % 2 == 0 || i % 11 == 0) && i % 13 != 0);
    for (size_t i = 0; i < 7; ++i) {
        TW_EQUAL(taken[i], 1);
        TW_EQUAL(winners[i], 101);
    }
    TW_PASS(tw_buffer_destroy(&flag));
    TW_PASS(tw_buffer_destroy(&take));
    TW_PASS(tw_buffer_destroy(&once));
    TW_PASS(tw_buffer_destroy(&winner));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- pointers ---------------------------------------------------------------------------------------------------- */

struct triple {
    int first, second, third;
};
struct cursors {
    struct triple *triples, **front, **back;
    void **byte;
};
static inline void cursors(const struct cursors *k)
{
    tw_atomic_store(k->front, k->triples);
    tw_atomic_store(k->back, &k->triples[ITEMS], TW_ORDER_RELEASE, TW_SCOPE_DEVICE);
    tw_atomic_store(k->byte, k->triples); /* any pointer is a void * */
}
TW_SINGLE_TASK(cursors);

/* Half of the items take from the front, half from the back. */
struct take {
    struct triple *triples, **front, **back;
    void **byte;
};
static inline void take(tw_item item, const struct take *k)
{
    const int i = (int)tw_global_id(item, 0);
    struct triple *const mine = i & 1 ? tw_atomic_fetch_add(k->front, 1, TW_ORDER_RELAXED, TW_SCOPE_DEVICE)
                                      : tw_atomic_fetch_sub(k->back, 1) - 1;
    mine->second = i + 1;
    tw_atomic_fetch_add(&mine->first, 1);
    tw_atomic_fetch_add(k->byte, 3);
}
TW_RANGE_KERNEL(take, 1);

/* How far the cursors came. */
struct distance {
    struct triple *triples, **front, **back;
    void **byte;
    ptrdiff_t *out;
};
static inline void distance(const struct distance *k)
{
    struct triple *expected = k->triples, *const front = tw_atomic_load(k->front);
    k->out[0] = front - k->triples;
    k->out[1] = tw_atomic_exchange(k->back, NULL) - k->triples;
    k->out[2] = (char *)tw_atomic_load(k->byte) - (char *)k->triples;
    k->out[3] = tw_atomic_compare_exchange_strong(k->front, &expected, NULL);
    k->out[4] = expected == front;
    k->out[5] = tw_atomic_compare_exchange_strong(k->front, &expected, NULL) && !*k->front && !*k->back;
}
TW_SINGLE_TASK(distance);

TW_TEST(pointers_step_by_elements)
{
    static struct triple triples[ITEMS];
    static char seen[ITEMS + 1];
    ptrdiff_t out[6];
    tw_queue *queue = tw_test_queue();
    tw_buffer *all = tw_test_zeroed(sizeof *triples, ITEMS), *fronts = tw_test_zeroed(sizeof(void *), 1),
              *backs = tw_test_zeroed(sizeof(void *), 1), *bytes = tw_test_zeroed(sizeof(void *), 1),
              *outs = tw_test_zeroed(sizeof *out, 6);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, cursors, .triples = tw_read_write(cg, all), .front = tw_read_write(cg, fronts),
                   .back = tw_read_write(cg, backs), .byte = tw_read_write(cg, bytes));
    tw_test_run(queue, cg);
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(ITEMS), take, .triples = tw_read_write(cg, all), .front = tw_read_write(cg, fronts),
                    .back = tw_read_write(cg, backs), .byte = tw_read_write(cg, bytes));
    tw_test_run(queue, cg);
    cg = tw_queue_begin(queue);
    tw_single_task(cg, distance, .triples = tw_read_write(cg, all), .front = tw_read_write(cg, fronts),
                   .back = tw_read_write(cg, backs), .byte = tw_read_write(cg, bytes), .out = tw_write(cg, outs));
    tw_test_run(queue, cg);
    tw_test_fetch(all, triples);
    tw_test_fetch(outs, out);
    TW_EQUAL(out[0], ITEMS / 2);
    TW_EQUAL(out[1], ITEMS / 2);
    TW_EQUAL(out[2], 3 * ITEMS);
    TW_CHECK(!out[3] && out[4] && out[5]);
    for (size_t i = 0; i < ITEMS; ++i) {
        TW_EQUAL(triples[i].first, 1);
        TW_EQUAL(seen[triples[i].second]++, 0);
    }
    TW_PASS(tw_buffer_destroy(&all));
    TW_PASS(tw_buffer_destroy(&fronts));
    TW_PASS(tw_buffer_destroy(&backs));
    TW_PASS(tw_buffer_destroy(&bytes));
    TW_PASS(tw_buffer_destroy(&outs));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- host code --------------------------------------------------------------------------------------------------- */

/* Types by other names; and operations within the arguments of others. */
TW_TEST(objects_of_any_name_and_nested_operations)
{
    enum color { RED, GREEN, BLUE } color = RED;
    size_t size = SIZE_MAX;
    const volatile short constant = -7;
    void (*function)(void) = NULL;
    int at[3] = {2, 1, 0}, values[3] = {10, 20, 30};
    TW_EQUAL(tw_atomic_exchange(&color, BLUE), RED);
    TW_EQUAL(tw_atomic_load(&color), BLUE);
    TW_EQUAL(tw_atomic_fetch_add(&size, 2), (long long)SIZE_MAX);
    TW_EQUAL(tw_atomic_fetch_max(&size, 7), 1);
    TW_EQUAL(tw_atomic_load(&constant), -7);
    tw_atomic_store(&function, objects_of_any_name_and_nested_operations, TW_ORDER_RELEASE, TW_SCOPE_SYSTEM);
    TW_CHECK(tw_atomic_load(&function) == objects_of_any_name_and_nested_operations);
    TW_EQUAL(tw_atomic_fetch_add(&values[tw_atomic_load(&at[tw_atomic_fetch_sub(&at[0], 2)])],
                                 tw_atomic_exchange(&at[1], 7) + 4),
             10);
    TW_EQUAL(values[0], 15);
    TW_EQUAL(at[0], 0);
    TW_EQUAL(at[1], 7);
}

struct side_by_side {
    uchar first, second;
    bool flag;
    schar third;
    ushort wide;
};

static void *count_in_thread(void *context)
{
    struct side_by_side *shared = (struct side_by_side *)context;
    for (int i = 0; i < 20000; ++i) {
        tw_atomic_fetch_add(&shared->first, 1);
        tw_atomic_fetch_sub(&shared->third, 1, TW_ORDER_SEQ_CST, TW_SCOPE_SYSTEM);
        tw_atomic_fetch_add(&shared->wide, 3);
    }
    tw_atomic_store(&shared->flag, true, TW_ORDER_RELEASE, TW_SCOPE_SYSTEM);
    return NULL;
}

TW_TEST(threads_count_side_by_side)
{
    struct side_by_side shared = {0};
    pthread_t other;
    TW_CHECK(pthread_create(&other, NULL, count_in_thread, &shared) == 0);
    for (int i = 0; i < 20000; ++i) {
        ++shared.second; /* not atomic: this thread's own */
        tw_atomic_fetch_add(&shared.wide, 5);
    }
    while (!tw_atomic_load(&shared.flag, TW_ORDER_ACQUIRE, TW_SCOPE_SYSTEM)) {
    }
    TW_EQUAL(shared.first, (uchar)20000);
    TW_EQUAL(shared.third, (schar)-20000);
    TW_CHECK(pthread_join(other, NULL) == 0);
    TW_EQUAL(shared.second, (uchar)20000);
    TW_EQUAL(shared.wide, (ushort)(8 * 20000));
}

/* ---- references -------------------------------------------------------------------------------------------------- */

enum color { RED, GREEN };
static_assert(TW_ATOMIC_IS_LOCK_FREE(unsigned char) && TW_ATOMIC_IS_LOCK_FREE(short) && TW_ATOMIC_IS_LOCK_FREE(double)
                  && TW_ATOMIC_IS_LOCK_FREE(unsigned long long) && TW_ATOMIC_IS_LOCK_FREE(bool)
                  && TW_ATOMIC_IS_LOCK_FREE(int *) && TW_ATOMIC_IS_LOCK_FREE(enum color),
              "all objects are lock-free");
static_assert(!TW_ATOMIC_IS_LOCK_FREE(long double), "no object of atomic operations");
static_assert(TW_ATOMIC_ALIGNMENT(short) == 2 && TW_ATOMIC_ALIGNMENT(double) == 8, "objects are aligned to their size");

typedef TW_ATOMIC_REF(unsigned, TW_ORDER_RELAXED, TW_SCOPE_DEVICE) counter;
typedef TW_ATOMIC_REF(int, TW_ORDER_ACQ_REL, TW_SCOPE_DEVICE) shared_int;
typedef TW_ATOMIC_REF(float, TW_ORDER_SEQ_CST, TW_SCOPE_SYSTEM) total;
static_assert(sizeof(counter) == sizeof(void *) && sizeof(total) == sizeof(void *), "a reference is a pointer");

struct refer {
    counter hits;
    int *values;
    total sum;
};

/* Operations by references give what those on objects give. */
static inline void refer(tw_item item, const struct refer *k)
{
    const int i = (int)tw_global_id(item, 0);
    const unsigned before = tw_atomic_ref_fetch_add(k->hits, 2u);
    tw_atomic_ref_fetch_sub(k->hits, 1u);
    if (before > 1u << 30)
        tw_atomic_ref_store(k->hits, 0u);
    tw_atomic_ref_fetch_add(k->sum, 0.5f);
    shared_int last = {&k->values[0]}, least = {&k->values[1]}, bits = {&k->values[2]}, tries = {&k->values[3]};
    tw_atomic_ref_fetch_max(last, i);
    tw_atomic_ref_fetch_min(least, i - 7);
    tw_atomic_ref_fetch_or(bits, 1 << i % 13);
    tw_atomic_ref_fetch_xor(bits, 1 << 14);
    tw_atomic_ref_fetch_and(bits, ~(1 << 20));
    int expected = tw_atomic_ref_load(tries);
    while (!tw_atomic_ref_compare_exchange_weak(tries, &expected, expected + 3)) {
    }
    shared_int mine = {&k->values[4 + i]};
    tw_atomic_ref_store(mine, i);
    if (tw_atomic_ref_exchange(mine, -i) != i)
        tw_atomic_ref_store(last, -1);
    expected = -i;
    if (!tw_atomic_ref_compare_exchange_strong(mine, &expected, 5 * i))
        tw_atomic_ref_store(last, -1);
    if (tw_atomic_load(tw_atomic_ref_object(mine), TW_ORDER_ACQUIRE, TW_SCOPE_DEVICE) != 5 * i)
        tw_atomic_ref_store(last, -1);
}
TW_RANGE_KERNEL(refer, 1);

TW_TEST(references_have_their_order_and_scope)
{
    enum { COUNT = 1300 };
    static int values[4 + COUNT];
    const unsigned zero = 0;
    unsigned hits;
    float sum;
    tw_queue *queue = tw_test_queue();
    tw_buffer *h = NULL, *v = NULL, *s = NULL;
    TW_PASS(tw_buffer_create_copy(&zero, sizeof zero, tw_range_1d(1), &h));
    TW_PASS(tw_buffer_create_copy(&zero, sizeof zero, tw_range_1d(1), &s));
    TW_PASS(tw_buffer_create_copy(values, sizeof *values, tw_range_1d(4 + COUNT), &v));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(COUNT), refer, .hits = {tw_atomic(cg, h)}, .values = tw_atomic(cg, v),
                    .sum = {tw_atomic(cg, s)});
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_fetch(h, &hits);
    tw_test_fetch(s, &sum);
    tw_test_fetch(v, values);
    TW_EQUAL(hits, COUNT);
    TW_CHECK(sum == 0.5f * COUNT);
    TW_EQUAL(values[0], COUNT - 1);
    TW_EQUAL(values[1], -7);
    TW_EQUAL(values[2], (1 << 13) - 1);
    TW_EQUAL(values[3], 3 * COUNT);
    for (int i = 0; i < COUNT; ++i)
        TW_EQUAL(values[4 + i], 5 * i);
    TW_PASS(tw_buffer_destroy(&h));
    TW_PASS(tw_buffer_destroy(&v));
    TW_PASS(tw_buffer_destroy(&s));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(neighbours_of_narrow_objects_are_left_alone),
                TW_CASE(histograms_of_narrow_counters),
                TW_CASE(flags_are_bool),
                TW_CASE(pointers_step_by_elements),
                TW_CASE(objects_of_any_name_and_nested_operations),
                TW_CASE(threads_count_side_by_side),
                TW_CASE(references_have_their_order_and_scope),
                TW_CASES_END};
