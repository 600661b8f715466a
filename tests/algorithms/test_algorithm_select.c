/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * algorithms.h: selections by predicate and flags, partitions and unique elements against loops on the host; and a
 * count that stays on the device.
 */
#include "algorithm_test.h"

static inline bool is_even(int x)
{
    return x % 2 == 0;
}
static inline bool is_rare(struct affine x)
{
    return x.a == 3 && x.b == 5;
}
static inline bool are_alike(unsigned char a, unsigned char b)
{
    return a == b;
}

/* 100 bytes: too large to be collected in local memory. */
struct large {
    int number, rest[24];
};
static inline bool is_third(struct large x)
{
    return x.number % 3 == 0;
}

TW_SELECT(even_ints, int, is_even);
TW_SELECT(rare, struct affine, is_rare);
TW_SELECT(thirds, struct large, is_third);
TW_SELECT_FLAGGED(flagged_doubles, double);
TW_PARTITION(even_first, int, is_even);
TW_UNIQUE(unique_bytes, unsigned char, are_alike);
TW_REDUCE_ALL(total, int, tw_plus);

static inline int int_value(size_t i)
{
    return (int)(i * 2654435761u >> 7);
}
static inline struct large large_value(size_t i)
{
    struct large value = {(int)(i % 1000), {(int)i}};
    return value;
}
static inline double double_value(size_t i)
{
    return (double)i;
}
static inline unsigned char byte_value(size_t i)
{
    return (unsigned char)(i / 3 % 5 + (i > 700));
}

/* Calls `name` and compares what it selects, and how many, with a loop whose condition is `keeps`. The rest is
   `filler`, or what was not selected, from the end on. */
#define CHECK_SELECT(name, type, value, keeps, splits, ...)                                                            \
    static void check_##name(size_t count)                                                                             \
    {                                                                                                                  \
        type *x = (type *)room_for(sizeof(type), count), *y = (type *)room_for(sizeof(type), count),                   \
             *z = (type *)room_for(sizeof(type), count);                                                               \
        unsigned char *flag = (unsigned char *)room_for(1, count);                                                     \
        size_t kept = 0, got = 77;                                                                                     \
        for (size_t i = 0; i < count; ++i) {                                                                           \
            x[i] = value(i);                                                                                           \
            flag[i] = i % 7 == 3 ? 4 : 0;                                                                              \
        }                                                                                                              \
        for (size_t i = 0; i < count; ++i)                                                                             \
            if (keeps)                                                                                                 \
                y[kept++] = x[i];                                                                                      \
            else if (splits)                                                                                           \
                y[count - 1 - (i - kept)] = x[i];                                                                      \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_buffer *in = buffer_of(x, sizeof(type), count), *out = buffer_of(z, sizeof(type), count), *selected = NULL, \
                  *flags = buffer_of(flag, 1, count);                                                                  \
        TW_PASS(tw_buffer_create(sizeof(size_t), tw_range_1d(1), &selected));                                          \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        name(cg, (const type *)tw_read(cg, in), __VA_ARGS__ count, (type *)tw_write(cg, out),                          \
             (size_t *)tw_discard_write(cg, selected));                                                                \
        tw_test_run(queue, cg);                                                                                        \
        tw_test_fetch(selected, &got);                                                                                 \
        TW_EQUAL(got, kept);                                                                                           \
        tw_test_fetch(out, z);                                                                                         \
        TW_CHECK(memcmp(z, y, count * sizeof(type)) == 0);                                                             \
        tw_buffer *buffers[4] = {in, out, selected, flags};                                                            \
        tw_test_destroy_buffers(buffers, 4);                                                                           \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
        free(x);                                                                                                       \
        free(y);                                                                                                       \
        free(z);                                                                                                       \
        free(flag);                                                                                                    \
    }                                                                                                                  \
    TW_TEST(select_##name)                                                                                             \
    {                                                                                                                  \
        for_sizes(check_##name);                                                                                       \
    }

CHECK_SELECT(even_ints, int, int_value, is_even(x[i]), 0, )
CHECK_SELECT(rare, struct affine, affine_value, is_rare(x[i]), 0, )
CHECK_SELECT(thirds, struct large, large_value, is_third(x[i]), 0, )
CHECK_SELECT(flagged_doubles, double, double_value, flag[i], 0, (const unsigned char *)tw_read(cg, flags), )
CHECK_SELECT(even_first, int, int_value, is_even(x[i]), 1, )
CHECK_SELECT(unique_bytes, unsigned char, byte_value, i == 0 || x[i] != x[i - 1], 0, )

/* What is selected is added up, without the host. */
TW_TEST(a_count_steers_the_next_algorithm)
{
    enum { COUNT = 90001 };
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(COUNT, 2), *kept = tw_test_ints(COUNT, 1), *sum = tw_test_int(0), *selected = NULL;
    TW_PASS(tw_buffer_create(sizeof(size_t), tw_range_1d(1), &selected));
    TW_COMMAND_GROUP(queue, cg) {
        even_ints(cg, (const int *)tw_read(cg, x), COUNT - 5, (int *)tw_write(cg, kept),
                  (size_t *)tw_discard_write(cg, selected));
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_count_on_device(cg, tw_read(cg, selected));
        total(cg, (const int *)tw_read(cg, kept), COUNT, 10, (int *)tw_discard_write(cg, sum));
    }
    TW_PASS(tw_queue_wait_and_throw(queue));
    tw_test_expect_ints(sum, 10 + 2 * (COUNT - 5));
    tw_buffer *buffers[4] = {x, kept, sum, selected};
    tw_test_destroy_buffers(buffers, 4);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {
    TW_CASE(select_even_ints),
    TW_CASE(select_rare),
    TW_CASE(select_thirds),
    TW_CASE(select_flagged_doubles),
    TW_CASE(select_even_first),
    TW_CASE(select_unique_bytes),
    TW_CASE(a_count_steers_the_next_algorithm),
    TW_CASES_END,
};
