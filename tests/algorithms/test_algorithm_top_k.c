/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * algorithms.h: the smallest and largest elements and the n-th one, against a stable sort on the host: many equal keys,
 * keys of one, four and eight bytes, NaNs, more elements than there are, counts on the device.
 */
#include "algorithm_test.h"

#include <math.h>

struct particle {
    unsigned char cell;
    int number;
};
static inline unsigned char cell_of(struct particle p)
{
    return p.cell;
}

TW_TOP_K(few_ints, int, tw_itself);
TW_TOP_K(few_particles, struct particle, cell_of);
TW_NTH_ELEMENT(nth_double, double, tw_itself);

static int int_value(size_t i)
{
    return i % 3 ? (int)number(i) : (int)(number(i) % 10) - 5;
}
static struct particle particle_value(size_t i)
{
    struct particle p = {(unsigned char)(number(i) % 20 + 100), (int)i};
    return p;
}
static double double_value(size_t i)
{
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0};
    return i % 3 ? (double)(int)number(i) / 64 : special[number(i) % 6];
}

struct place {
    unsigned long long key;
    size_t at;
};
static int compare_places(const void *a, const void *b)
{
    const struct place *x = (const struct place *)a, *y = (const struct place *)b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->at > y->at) - (x->at < y->at);
}
static int compare_numbers(const void *a, const void *b)
{
    const struct place *x = (const struct place *)a, *y = (const struct place *)b;
    return (x->at > y->at) - (x->at < y->at);
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

/* Calls CALL, for some k, from `in`, of which the device has `count` of more elements, to `out`. ONE: it selects element
   k alone. */
#define CHECK_TOP_K(test, type, value, find_key, ONE, ...)                                                             \
    static void try_##test(size_t count, size_t k)                                                                     \
    {                                                                                                                  \
        const size_t most = count + count % 3 * 1000;                                                                  \
        type *x = (type *)room_for(sizeof(type), most), *y = (type *)room_for(sizeof(type), most + 1);                 \
        struct place *places = (struct place *)room_for(sizeof *places, count);                                        \
        for (size_t i = 0; i < most; ++i) {                                                                            \
            x[i] = value(i);                                                                                           \
            if (i < count)                                                                                             \
                places[i].key = find_key;                                                                              \
        }                                                                                                              \
        for (size_t i = 0; i < count; ++i)                                                                             \
            places[i].at = i;                                                                                          \
        qsort(places, count, sizeof *places, compare_places);                                                          \
        size_t wanted = k < count ? k : count;                                                                         \
        if (ONE) {                                                                                                     \
            wanted = k < count ? 1 : 0;                                                                                \
            places[0] = places[k < count ? k : 0];                                                                     \
        }                                                                                                              \
        qsort(places, wanted, sizeof *places, compare_numbers);                                                        \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_buffer *from = buffer_of(x, sizeof(type), most), *to = tw_test_zeroed(sizeof(type), most + 1),              \
                  *number = NULL;                                                                                      \
        TW_PASS(tw_buffer_create_copy(&count, sizeof count, tw_range_1d(1), &number));                                 \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        const type *in = (const type *)tw_read(cg, from);                                                              \
        type *out = (type *)tw_write(cg, to);                                                                          \
        if (most != count)                                                                                             \
            tw_count_on_device(cg, tw_read(cg, number));                                                               \
        __VA_ARGS__;                                                                                                   \
        tw_test_run(queue, cg);                                                                                        \
        tw_test_fetch(to, y);                                                                                          \
        for (size_t i = 0; i < wanted; ++i)                                                                            \
            TW_CHECK(memcmp(&y[i], &x[places[i].at], sizeof(type)) == 0);                                              \
        memset(x, 0, sizeof(type));                                                                                    \
        for (size_t i = wanted; i < most; ++i)                                                                         \
            TW_CHECK(memcmp(&y[i], &x[0], sizeof(type)) == 0);                                                         \
        tw_test_destroy_buffers((tw_buffer *[]){from, to, number}, 3);                                                 \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
        free(x);                                                                                                       \
        free(y);                                                                                                       \
        free(places);                                                                                                  \
    }                                                                                                                  \
    static void check_##test(size_t count)                                                                             \
    {                                                                                                                  \
        try_##test(count, count / 3);                                                                                  \
        if (count < 3000) {                                                                                            \
            try_##test(count, 0);                                                                                      \
            try_##test(count, 1);                                                                                      \
            try_##test(count, count);                                                                                  \
            try_##test(count, (size_t)-1);                                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    TW_TEST(test)                                                                                                      \
    {                                                                                                                  \
        for_sizes(check_##test);                                                                                       \
    }

CHECK_TOP_K(smallest_ints, int, int_value, int_key(x[i]), 0, few_ints_smallest(cg, in, most, k, out))
CHECK_TOP_K(largest_ints, int, int_value, ~int_key(x[i]), 0, few_ints_largest(cg, in, most, k, out))
CHECK_TOP_K(largest_particles, struct particle, particle_value, ~(unsigned long long)x[i].cell, 0,
            few_particles_largest(cg, in, most, k, out))
CHECK_TOP_K(nth_doubles, double, double_value, double_key(x[i]), 1, nth_double(cg, in, most, k, out))

TW_TEST_LIST = {
    TW_CASE(smallest_ints), TW_CASE(largest_ints), TW_CASE(largest_particles), TW_CASE(nth_doubles), TW_CASES_END,
};
