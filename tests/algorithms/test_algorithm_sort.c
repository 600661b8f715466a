/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * algorithms.h: sorts of numbers, pairs and structs against a stable sort on the host: the total order of floating
 * point, descending order, ranges of bits, counts on the device.
 */
#include "algorithm_test.h"

#include <math.h>

struct particle {
    float x;
    unsigned short cell;
    short number;
};
static inline unsigned short cell_of(struct particle p)
{
    return p.cell;
}

/* Too large for local memory. */
struct large {
    int key, rest[31];
};
static inline int large_key(struct large x)
{
    return x.key;
}

TW_SORT(sort_ints, int, tw_itself);
TW_SORT(sort_doubles, double, tw_itself);
TW_SORT(sort_cells, struct particle, cell_of);
TW_SORT(sort_large, struct large, large_key);
TW_SORT_PAIRS(sort_pairs, float, unsigned);

/* A stable sort: places of elements in the order of their keys. */
struct place {
    unsigned long long key;
    size_t at;
};
static int compare_places(const void *a, const void *b)
{
    const struct place *x = (const struct place *)a, *y = (const struct place *)b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->at > y->at) - (x->at < y->at);
}
static void order(struct place *places, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        places[i].at = i;
    qsort(places, count, sizeof *places, compare_places);
}

static unsigned long long int_key(int x)
{
    return (unsigned)x ^ 1u << 31;
}
static unsigned long long double_key(double x)
{
    unsigned long long bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

static int int_value(size_t i)
{
    return i % 3 ? (int)number(i) : (int)(number(i) % 100) - 50;
}
static double double_value(size_t i)
{
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -1.0, 1.0};
    return i % 4   ? ((double)number(i) - 2e9) * (i % 5 ? 1 : 1e-300)
           : i % 8 ? special[number(i) % 7]
                   : -special[number(i) % 7];
}
static struct particle particle_value(size_t i)
{
    struct particle p = {(float)i, (unsigned short)(number(i) % 300), (short)i};
    return p;
}
static struct large large_value(size_t i)
{
    struct large x = {(int)number(i) >> 20, {(int)i}};
    return x;
}

/* Sorts with CALL, from `in` into `out`, in the order of `find_key` of x[i]. */
#define CHECK_SORT(test, type, value, find_key, ...)                                                                   \
    static void check_##test(size_t count)                                                                             \
    {                                                                                                                  \
        type *x = (type *)room_for(sizeof(type), count), *y = (type *)room_for(sizeof(type), count);                   \
        struct place *places = (struct place *)room_for(sizeof *places, count);                                        \
        for (size_t i = 0; i < count; ++i) {                                                                           \
            x[i] = value(i);                                                                                           \
            places[i].key = find_key;                                                                                  \
        }                                                                                                              \
        order(places, count);                                                                                          \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_buffer *from = buffer_of(x, sizeof(type), count), *to = buffer_of(y, sizeof(type), count);                  \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        const type *in = (const type *)tw_read(cg, from);                                                              \
        type *out = (type *)tw_write(cg, to);                                                                          \
        __VA_ARGS__;                                                                                                   \
        tw_test_run(queue, cg);                                                                                        \
        tw_test_fetch(to, y);                                                                                          \
        for (size_t i = 0; i < count; ++i)                                                                             \
            TW_CHECK(memcmp(&y[i], &x[places[i].at], sizeof(type)) == 0);                                              \
        TW_PASS(tw_buffer_destroy(&from));                                                                             \
        TW_PASS(tw_buffer_destroy(&to));                                                                               \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
        free(x);                                                                                                       \
        free(y);                                                                                                       \
        free(places);                                                                                                  \
    }                                                                                                                  \
    TW_TEST(test)                                                                                                      \
    {                                                                                                                  \
        for_sizes(check_##test);                                                                                       \
    }

CHECK_SORT(ints, int, int_value, int_key(x[i]), sort_ints(cg, in, count, out))
CHECK_SORT(ints_descending, int, int_value, ~int_key(x[i]), sort_ints_descending(cg, in, count, out))
CHECK_SORT(some_bits, int, int_value, int_key(x[i]) >> 3 & 0x7ff, sort_ints_bits(cg, in, count, 3, 14, false, out))
CHECK_SORT(no_bits, int, int_value, 0, sort_ints_bits(cg, in, count, 5, 5, true, out))
CHECK_SORT(doubles, double, double_value, double_key(x[i]), sort_doubles(cg, in, count, out))
CHECK_SORT(cells, struct particle, particle_value, x[i].cell, sort_cells(cg, in, count, out))
CHECK_SORT(large_structs, struct large, large_value, int_key(x[i].key), sort_large(cg, in, count, out))

/* Around two and three tiles of a GPU, and the most elements that an H200 ranks by comparisons. */
TW_TEST(edges_of_sorts_on_a_gpu)
{
    static const size_t sizes[] = {8319, 8320, 11764, 11765, 13823, 13824, 13825};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        check_ints(sizes[i]);
        check_doubles(sizes[i]);
    }
}

/* Keys with values, of as many elements as the device says. */
TW_TEST(pairs_of_a_count_on_the_device)
{
    enum { COUNT = 50001 };
    const size_t counts[] = {COUNT - 77, 3000, 0};
    tw_queue *queue = tw_test_queue();
    for (size_t n = 0; n < 3; ++n) {
        float *x = (float *)room_for(sizeof *x, COUNT), *y = (float *)room_for(sizeof *y, COUNT);
        unsigned *v = (unsigned *)room_for(sizeof *v, COUNT);
        for (unsigned i = 0; i < COUNT; ++i) {
            x[i] = (float)(number(i) % 1000) - 500;
            v[i] = i;
        }
        tw_buffer *keys = buffer_of(x, sizeof *x, COUNT), *values = buffer_of(v, sizeof *v, COUNT), *count = NULL;
        tw_buffer *sorted = buffer_of(x, sizeof *x, COUNT), *places = buffer_of(v, sizeof *v, COUNT);
        TW_PASS(tw_buffer_create_copy(&counts[n], sizeof counts[n], tw_range_1d(1), &count));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_count_on_device(cg, tw_read(cg, count));
        sort_pairs(cg, (const float *)tw_read(cg, keys), (const unsigned *)tw_read(cg, values), COUNT,
                   (float *)tw_write(cg, sorted), (unsigned *)tw_write(cg, places));
        tw_test_run(queue, cg);
        tw_test_fetch(sorted, y);
        tw_test_fetch(places, v);
        for (size_t i = 0; i < counts[n]; ++i) {
            TW_CHECK(v[i] < counts[n] && y[i] == x[v[i]]);
            TW_CHECK(i == 0 || y[i - 1] < y[i] || (y[i - 1] == y[i] && v[i - 1] < v[i]));
        }
        for (size_t i = counts[n]; i < COUNT; ++i)
            TW_EQUAL(v[i], i);
        tw_buffer *buffers[5] = {keys, values, count, sorted, places};
        tw_test_destroy_buffers(buffers, 5);
        free(x);
        free(y);
        free(v);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {
    TW_CASE(ints),
    TW_CASE(ints_descending),
    TW_CASE(some_bits),
    TW_CASE(no_bits),
    TW_CASE(doubles),
    TW_CASE(cells),
    TW_CASE(large_structs),
    TW_CASE(pairs_of_a_count_on_the_device),
    TW_CASE(edges_of_sorts_on_a_gpu),
    TW_CASES_END,
};
