/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * algorithms.h: reductions and scans of segments against loops on the host: empty segments, segments of one element
 * and those longer than tiles and shares, elements in no segment, offsets behind the elements, operations that do not
 * commute, counts on the device.
 */
#include "algorithm_test.h"

TW_SEGMENTED_REDUCE(sum_segments, int, tw_plus);
TW_SEGMENTED_REDUCE(compose_segments, struct affine, affine_then);
TW_SEGMENTED_SCAN(scan_segments, int, tw_plus);
TW_SEGMENTED_SCAN(compose_up_to, struct affine, affine_then);

static inline int int_value(size_t i)
{
    return (int)(i % 11) - 3;
}

/* Makes offsets of segments over `count` elements, which begin behind the first ones. Returns how many segments there
   are: of short ones with empty ones among them, of a few long ones, or of all in one. */
static size_t make_offsets(size_t *offsets, size_t count, unsigned kind)
{
    size_t segments = 0, at = kind == 2 ? 0 : count / 50;
    offsets[0] = at;
    for (size_t s = 0; at < count && segments < count; ++s) {
        const size_t length = kind == 2 ? count : kind == 1 ? s * s * 997 % 41000 : s * 7 % 5 + (s % 1000 == 9) * 300;
        at = count - at < length ? count + 5 : at + length; /* the last one says more than there is */
        offsets[++segments] = at;
    }
    if (kind == 0 && segments > 3)
        offsets[segments] = offsets[segments - 1]; /* nothing is in the last one, and some elements are in none */
    return segments;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Reduces with NAME and scans with SCANS_inclusive() and SCANS_exclusive() in one group each, and compares. The device
   has `count` of more elements. */
#define CHECK_SEGMENTS(test, type, value, operation, name, scans)                                                      \
    static void check_##test(size_t count, unsigned kind)                                                              \
    {                                                                                                                  \
        const size_t most = count + count % 3 * 1000;                                                                  \
        type *x = (type *)room_for(sizeof(type), most), *got[3], *expected[3];                                         \
        size_t *offsets = (size_t *)room_for(sizeof *offsets, count + 1);                                              \
        const size_t segments = make_offsets(offsets, count, kind);                                                    \
        const type init = value(4);                                                                                    \
        for (size_t i = 0; i < most; ++i)                                                                              \
            x[i] = value(i + 1);                                                                                       \
        for (unsigned k = 0; k < 3; ++k) { /* sums, inclusive and exclusive scans */                                   \
            got[k] = (type *)room_for(sizeof(type), most);                                                             \
            expected[k] = (type *)room_for(sizeof(type), most);                                                        \
            memcpy(expected[k], x, most * sizeof(type));                                                               \
        }                                                                                                              \
        for (size_t s = 0; s < segments; ++s) {                                                                        \
            type sum = init, alone = init;                                                                             \
            for (size_t i = offsets[s]; i < least(offsets[s + 1], count); ++i) {                                       \
                expected[2][i] = sum;                                                                                  \
                sum = operation(sum, x[i]);                                                                            \
                if (i == offsets[s])                                                                                   \
                    alone = x[i];                                                                                      \
                else                                                                                                   \
                    alone = operation(alone, x[i]);                                                                    \
                expected[1][i] = alone;                                                                                \
            }                                                                                                          \
            expected[0][s] = sum;                                                                                      \
        }                                                                                                              \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_buffer *in = buffer_of(x, sizeof(type), most), *out[3], *number = NULL,                                     \
                  *places = buffer_of(offsets, sizeof *offsets, segments);                                             \
        TW_PASS(tw_buffer_create_copy(&count, sizeof count, tw_range_1d(1), &number));                                 \
        for (unsigned k = 0; k < 3; ++k) {                                                                             \
            out[k] = buffer_of(x, sizeof(type), most);                                                                 \
            tw_command_group *cg = tw_queue_begin(queue);                                                              \
            const type *from = (const type *)tw_read(cg, in);                                                          \
            const size_t *at = (const size_t *)tw_read(cg, places);                                                    \
            type *to = (type *)tw_read_write(cg, out[k]);                                                              \
            if (most != count)                                                                                         \
                tw_count_on_device(cg, tw_read(cg, number));                                                           \
            if (k == 0)                                                                                                \
                name(cg, from, most, at, segments, init, to);                                                          \
            else if (k == 1)                                                                                           \
                scans##_inclusive(cg, to, most, at, segments, to);                                                     \
            else                                                                                                       \
                scans##_exclusive(cg, from, most, at, segments, init, to);                                             \
            tw_test_run(queue, cg);                                                                                    \
            tw_test_fetch(out[k], got[k]);                                                                             \
            for (size_t i = 0; i < most; ++i)                                                                          \
                TW_CHECK(memcmp(&got[k][i], &expected[k][i], sizeof(type)) == 0);                                      \
            TW_PASS(tw_buffer_destroy(&out[k]));                                                                       \
            free(got[k]);                                                                                              \
            free(expected[k]);                                                                                         \
        }                                                                                                              \
        tw_test_destroy_buffers((tw_buffer *[]){in, places, number}, 3);                                               \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
        free(x);                                                                                                       \
        free(offsets);                                                                                                 \
    }                                                                                                                  \
    static void check_short_##test(size_t count)                                                                       \
    {                                                                                                                  \
        check_##test(count, 0);                                                                                        \
    }                                                                                                                  \
    static void check_long_##test(size_t count)                                                                        \
    {                                                                                                                  \
        check_##test(count, 1);                                                                                        \
    }                                                                                                                  \
    static void check_whole_##test(size_t count)                                                                       \
    {                                                                                                                  \
        check_##test(count, 2);                                                                                        \
    }                                                                                                                  \
    TW_TEST(short_##test)                                                                                              \
    {                                                                                                                  \
        for_sizes(check_short_##test);                                                                                 \
    }                                                                                                                  \
    TW_TEST(long_##test)                                                                                               \
    {                                                                                                                  \
        for_sizes(check_long_##test);                                                                                  \
    }                                                                                                                  \
    TW_TEST(whole_##test)                                                                                              \
    {                                                                                                                  \
        for_sizes(check_whole_##test);                                                                                 \
    }

CHECK_SEGMENTS(ints, int, int_value, tw_plus, sum_segments, scan_segments)
CHECK_SEGMENTS(structs, struct affine, affine_value, affine_then, compose_segments, compose_up_to)

/* Offsets that do not ascend give unspecified sums, and touch nothing else. */
TW_TEST(offsets_in_disorder)
{
    enum { COUNT = 2000, SEGMENTS = 6 }; /* one share of a CPU: several would race */
    const size_t offsets[SEGMENTS + 1] = {50, (size_t)-1, 3, 1500, 1499, 0, COUNT};
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = tw_test_ints(COUNT, 1), *out = tw_test_ints(SEGMENTS + 2, 99),
              *at = buffer_of(offsets, sizeof offsets[0], SEGMENTS), *same = tw_test_ints(COUNT, 1);
    int got[SEGMENTS + 2];
    TW_COMMAND_GROUP(queue, cg) {
        sum_segments(cg, (const int *)tw_read(cg, in), COUNT, (const size_t *)tw_read(cg, at), SEGMENTS, 0,
                     (int *)tw_write(cg, out));
    }
    TW_COMMAND_GROUP(queue, cg) {
        scan_segments_inclusive(cg, (const int *)tw_read(cg, in), COUNT, (const size_t *)tw_read(cg, at), SEGMENTS,
                                (int *)tw_write(cg, same));
    }
    TW_PASS(tw_queue_wait_and_throw(queue));
    tw_test_fetch(out, got);
    TW_EQUAL(got[1], 0);
    TW_EQUAL(got[SEGMENTS], 99);
    TW_EQUAL(got[SEGMENTS + 1], 99);
    tw_test_destroy_buffers((tw_buffer *[]){in, out, at, same}, 4);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(pointers_that_are_refused)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = tw_test_ints(100, 1), *out = tw_test_ints(100, 1);
    tw_command_group *cg = tw_queue_begin(queue);
    sum_segments(cg, (const int *)tw_read(cg, in), 100, NULL, 3, 0, (int *)tw_write(cg, out));
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_ARGUMENT, "offsets");
    cg = tw_queue_begin(queue); /* ints are no offsets */
    scan_segments_inclusive(cg, (const int *)tw_read(cg, in), 100, (const size_t *)(const void *)tw_read(cg, out), 3,
                            (int *)tw_write(cg, out));
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_ARGUMENT, "offsets");
    tw_test_destroy_buffers((tw_buffer *[]){in, out}, 2);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {
    TW_CASE(short_ints),   TW_CASE(long_ints),     TW_CASE(whole_ints),          TW_CASE(short_structs),
    TW_CASE(long_structs), TW_CASE(whole_structs), TW_CASE(offsets_in_disorder), TW_CASE(pointers_that_are_refused),
    TW_CASES_END,
};
