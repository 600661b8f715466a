/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * algorithms.h: reductions by key and run-length encodings against loops on the host: runs of one element, runs longer
 * than tiles and shares, operations that do not commute, counts on the device.
 */
#include "algorithm_test.h"

/* A key of 12 bytes, of which two tell. */
struct place {
    short row, column;
    int rest[2];
};
static inline bool is_same_place(struct place a, struct place b)
{
    return a.row == b.row && a.column == b.column;
}

TW_REDUCE_BY_KEY(sum_by_key, int, double, tw_equal_to, tw_plus);
TW_REDUCE_BY_KEY(compositions, struct place, struct affine, is_same_place, affine_then);
TW_RUN_LENGTH_ENCODE(encode, unsigned char, tw_equal_to);

/* Runs of one to nine elements, of which some thousands are followed by one long run; in turn. */
static int int_key(size_t i)
{
    return i / 30000 % 2 ? -7 : (int)((i * i / 11) % 8);
}
static struct place place_key(size_t i)
{
    struct place key = {(short)(i / 50 % 3), (short)(i / 5 % 200), {(int)i}};
    return key;
}
static unsigned char byte_key(size_t i)
{
    return (unsigned char)(i < 9000 ? i % 2 : i < 45000 ? 9 : i / 300);
}
static double double_value(size_t i)
{
    return (double)(i % 17) - 8;
}

#define ARE_SAME(a, b) ((a) == (b))

/* Calls a reduction with CALL, and compares its keys, values and number of runs with a loop's. The device knows of
   `count` elements of more. */
#define CHECK_BY_KEY(test, key_type, value_type, key, value, equal, operation, ...)                                    \
    static void check_##test(size_t count)                                                                             \
    {                                                                                                                  \
        const size_t most = count + count % 3 * 1000;                                                                  \
        key_type *x = (key_type *)room_for(sizeof(key_type), most),                                                    \
                 *keys = (key_type *)room_for(sizeof(key_type), most);                                                 \
        value_type *v = (value_type *)room_for(sizeof(value_type), most),                                              \
                   *sums = (value_type *)room_for(sizeof(value_type), most);                                           \
        size_t runs = 0, got = 77;                                                                                     \
        for (size_t i = 0; i < most; ++i) {                                                                            \
            x[i] = key(i);                                                                                             \
            v[i] = value(i);                                                                                           \
        }                                                                                                              \
        for (size_t i = 0; i < count; ++i) {                                                                           \
            if (i && equal(x[i - 1], x[i])) {                                                                          \
                sums[runs - 1] = operation(sums[runs - 1], v[i]);                                                      \
            } else {                                                                                                   \
                keys[runs] = x[i];                                                                                     \
                sums[runs++] = v[i];                                                                                   \
            }                                                                                                          \
        }                                                                                                              \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_buffer *from = buffer_of(x, sizeof(key_type), most), *values = buffer_of(v, sizeof(value_type), most),      \
                  *to = buffer_of(x, sizeof(key_type), most), *values_to = buffer_of(v, sizeof(value_type), most),     \
                  *number = NULL;                                                                                      \
        const size_t counts[2] = {count, 0};                                                                           \
        TW_PASS(tw_buffer_create_copy(counts, sizeof counts[0], tw_range_1d(2), &number));                             \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        const key_type *in = (const key_type *)tw_read(cg, from);                                                      \
        const value_type *in_values = (const value_type *)tw_read(cg, values);                                         \
        key_type *out = (key_type *)tw_write(cg, to);                                                                  \
        value_type *out_values = (value_type *)tw_write(cg, values_to);                                                \
        size_t *numbers = (size_t *)tw_read_write(cg, number), *out_runs = numbers + 1;                                \
        (void)in_values;                                                                                               \
        if (most != count)                                                                                             \
            tw_count_on_device(cg, numbers);                                                                           \
        __VA_ARGS__;                                                                                                   \
        tw_test_run(queue, cg);                                                                                        \
        size_t fetched[2];                                                                                             \
        tw_test_fetch(number, fetched);                                                                                \
        got = fetched[1];                                                                                              \
        TW_EQUAL(got, runs);                                                                                           \
        tw_test_fetch(to, x);                                                                                          \
        tw_test_fetch(values_to, v);                                                                                   \
        for (size_t r = 0; r < runs; ++r) {                                                                            \
            TW_CHECK(memcmp(&x[r], &keys[r], sizeof keys[r]) == 0);                                                    \
            TW_CHECK(memcmp(&v[r], &sums[r], sizeof sums[r]) == 0);                                                    \
        }                                                                                                              \
        for (size_t r = runs; r < most; ++r) {                                                                         \
            const value_type untouched = value(r);                                                                     \
            TW_CHECK(memcmp(&v[r], &untouched, sizeof untouched) == 0);                                                \
        }                                                                                                              \
        tw_test_destroy_buffers((tw_buffer *[]){from, values, to, values_to, number}, 5);                              \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
        free(x);                                                                                                       \
        free(keys);                                                                                                    \
        free(v);                                                                                                       \
        free(sums);                                                                                                    \
    }                                                                                                                  \
    TW_TEST(test)                                                                                                      \
    {                                                                                                                  \
        for_sizes(check_##test);                                                                                       \
    }

static inline size_t one(size_t i)
{
    (void)i;
    return 1;
}

CHECK_BY_KEY(doubles_by_int, int, double, int_key, double_value, ARE_SAME, tw_plus,
             sum_by_key(cg, in, in_values, most, out, out_values, out_runs))
CHECK_BY_KEY(structs_by_struct, struct place, struct affine, place_key, affine_value, is_same_place, affine_then,
             compositions(cg, in, in_values, most, out, out_values, out_runs))
CHECK_BY_KEY(run_lengths, unsigned char, size_t, byte_key, one, ARE_SAME, tw_plus,
             encode(cg, in, most, out, out_values, out_runs))

TW_TEST_LIST = {
    TW_CASE(doubles_by_int),
    TW_CASE(structs_by_struct),
    TW_CASE(run_lengths),
    TW_CASES_END,
};
