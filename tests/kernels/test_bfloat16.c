/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/* C++17: host */
/** bfloat16.h: every number to float and back, floats around every number and halfway between two, NaNs, subnormal numbers
 *  and infinities, doubles that two roundings would get wrong; on the host and in kernels. */
#include "tw_test.h"

#include <math.h>

#include <teamwork/bfloat16.h>
#include <teamwork/vector.h>

enum { NUMBERS = 0x10000, PER_NUMBER = 6, CASES = NUMBERS * PER_NUMBER };

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* What follows a number in bits: itself, just above, just below the middle, the middle, just above it, and just below the
   next number. */
static const uint32_t tails[PER_NUMBER] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};

/* The nearest number to a float, by comparing distances in double, which are exact. */
static bool is_nearest(float x, uint16_t got)
{
    const float y = float_of((uint32_t)got << 16);
    if (x != x)
        return y != y && (got & 0x40);
    if (signbit(x) != signbit(y))
        return false;
    /* behind the greatest number lies infinity, as if it were 2^128 */
    const double at = isinf(y) ? 0x1p128 : fabs((double)y), magnitude = isinf(x) ? 0x1p128 : fabs((double)x);
    const uint16_t low = (uint16_t)((got & 0x7fff) - 1), high = (uint16_t)((got & 0x7fff) + 1);
    const double below = got & 0x7fff ? (double)float_of((uint32_t)low << 16) : -1;
    const double above = isinf(y) ? 0x1p129 : high == 0x7f80 ? 0x1p128 : (double)float_of((uint32_t)high << 16);
    const double distance = fabs(magnitude - at);
    const bool even = got % 2 == 0;
    return (distance < magnitude - below || (even && distance == magnitude - below))
           && (distance < above - magnitude || (even && distance == above - magnitude) || isinf(y));
}

struct convert {
    const float *x;
    tw_bfloat16 *rounded;
    float *exact;
    uint16_t *bits;
};
static inline void convert(tw_item item, const struct convert *k)
{
    const size_t i = tw_global_id(item, 0);
    k->rounded[i] = tw_bfloat16_from_float(k->x[i]);
    k->exact[i] = tw_bfloat16_to_float(tw_bfloat16_from_bits((uint16_t)(i % NUMBERS)));
    k->bits[i] = tw_bfloat16_bits(k->rounded[i]);
}
TW_RANGE_KERNEL(convert, 1);

TW_TEST(every_number_and_what_lies_between)
{
    static float x[CASES], exact[CASES];
    static tw_bfloat16 rounded[CASES];
    static uint16_t bits[CASES];
    for (uint32_t i = 0; i < CASES; ++i)
        x[i] = float_of((i / PER_NUMBER) << 16 | tails[i % PER_NUMBER]);
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffers[4] = {NULL, NULL, NULL, NULL};
    TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(CASES), &buffers[0]));
    TW_PASS(tw_buffer_create(sizeof *rounded, tw_range_1d(CASES), &buffers[1]));
    TW_PASS(tw_buffer_create(sizeof *exact, tw_range_1d(CASES), &buffers[2]));
    TW_PASS(tw_buffer_create(sizeof *bits, tw_range_1d(CASES), &buffers[3]));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(CASES), convert, .x = tw_read(cg, buffers[0]),
                    .rounded = tw_discard_write(cg, buffers[1]), .exact = tw_discard_write(cg, buffers[2]),
                    .bits = tw_discard_write(cg, buffers[3]));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
    tw_test_fetch(buffers[1], rounded);
    tw_test_fetch(buffers[2], exact);
    tw_test_fetch(buffers[3], bits);
    unsigned wrong = 0;
    for (uint32_t i = 0; i < CASES; ++i) {
        const uint32_t number = i % NUMBERS;
        const bool is_nan = (number & 0x7fff) > 0x7f80;
        wrong += !is_nearest(x[i], tw_bfloat16_bits(rounded[i])) || bits[i] != tw_bfloat16_bits(rounded[i]);
        wrong += is_nan ? exact[i] == exact[i] : bits_of(exact[i]) != number << 16;
        wrong += !is_nearest(x[i], tw_bfloat16_bits(tw_bfloat16_from_float(x[i]))); /* of the host */
    }
    TW_EQUAL(wrong, 0);
    for (int i = 0; i < 4; ++i)
        TW_PASS(tw_buffer_destroy(&buffers[i]));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Bits of what a double becomes. */
#define FROM_DOUBLE(x) tw_bfloat16_bits(tw_bfloat16_from_double(x))

TW_TEST(doubles_are_rounded_once)
{
    TW_EQUAL(FROM_DOUBLE(1.0), 0x3f80);
    TW_EQUAL(FROM_DOUBLE(-0.0), 0x8000);
    TW_EQUAL(FROM_DOUBLE(1 + 0x1p-8), 0x3f80); /* the middle: the even one */
    TW_EQUAL(FROM_DOUBLE(1 + 0x3p-8), 0x3f82);
    TW_EQUAL(FROM_DOUBLE(1 + 0x1p-8 + 0x1p-50), 0x3f81); /* a float would be the middle */
    TW_EQUAL(FROM_DOUBLE(1 + 0x1p-8 - 0x1p-50), 0x3f80);
    TW_EQUAL(FROM_DOUBLE(1 + 0x3p-8 - 0x1p-50), 0x3f81);
    TW_EQUAL(FROM_DOUBLE(-(1 + 0x1p-8 + 0x1p-50)), 0xbf81);
    TW_EQUAL(FROM_DOUBLE(0x1.fep127), 0x7f7f);
    TW_EQUAL(FROM_DOUBLE(0x1.feffffffp127), 0x7f7f);
    TW_EQUAL(FROM_DOUBLE(0x1.ffp127), 0x7f80); /* the middle to 2^128 */
    TW_EQUAL(FROM_DOUBLE(1e300), 0x7f80);
    TW_EQUAL(FROM_DOUBLE(-INFINITY), 0xff80);
    TW_EQUAL(FROM_DOUBLE(0x1p-133), 0x0001);
    TW_EQUAL(FROM_DOUBLE(0x1p-134), 0x0000);
    TW_EQUAL(FROM_DOUBLE(0x1.0000000001p-134), 0x0001);
    TW_EQUAL(FROM_DOUBLE(-0x1p-300), 0x8000);
    TW_CHECK((FROM_DOUBLE(NAN) & 0x7fff) > 0x7f80);
}

TW_TEST(limits)
{
    TW_EQUAL(tw_bfloat16_bits(tw_bfloat16_from_float(TW_BFLOAT16_MAX)), 0x7f7f);
    TW_EQUAL(tw_bfloat16_bits(tw_bfloat16_from_float(TW_BFLOAT16_MIN)), 0x0080);
    TW_EQUAL(tw_bfloat16_bits(tw_bfloat16_from_float(TW_BFLOAT16_TRUE_MIN)), 0x0001);
    TW_EQUAL(tw_bfloat16_bits(tw_bfloat16_from_float(1 + TW_BFLOAT16_EPSILON)), 0x3f81);
    TW_EQUAL(sizeof(tw_bfloat16), 2);
}

struct vectors {
    tw_bfloat16 *x;
};
static inline void vectors(tw_item item, const struct vectors *k)
{
    tw_bfloat16 *x = k->x + tw_global_id(item, 0) * 48;
    tw_vstore_bfloat16_2(tw_vload_bfloat16_2(0, x) + 1, 0, x);
    tw_vstore_bfloat16_2(tw_vload_bfloat16_2(1, x) + 1, 1, x);
    tw_vstore_bfloat16_4(tw_vload_bfloat16_4(1, x) + 1, 1, x);
    tw_vstore_bfloat16_8(tw_vload_bfloat16_8(1, x) + 1, 1, x);
    tw_vstore_bfloat16_16(tw_vload_bfloat16_16(1, x) + 1, 1, x);
    for (size_t i = 0; i < 5; ++i)
        tw_vstore_bfloat16_3(tw_vload_bfloat16_3(i, x + 32) + 1, i, x + 32);
}
TW_RANGE_KERNEL(vectors, 1);

TW_TEST(vectors_of_floats)
{
    enum { COUNT = 96 };
    tw_bfloat16 x[COUNT];
    for (int i = 0; i < COUNT; ++i)
        x[i] = tw_bfloat16_from_float((float)i + 0.5f);
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(COUNT), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(2), vectors, .x = tw_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < COUNT; ++i)
        TW_CHECK(tw_bfloat16_to_float(x[i]) == (float)i + (i % 48 < 47 ? 1.5f : 0.5f));
    TW_PASS(tw_queue_destroy(&queue));
}

#ifdef __cplusplus
TW_TEST(operators)
{
    tw_bfloat16 x = 1.5f;
    x = x * x + 1;
    TW_CHECK(x == 3.25f);
    TW_EQUAL(tw_bfloat16_bits(x), 0x4050);
}
#endif

TW_TEST_LIST = {
    TW_CASE(every_number_and_what_lies_between),
    TW_CASE(doubles_are_rounded_once),
    TW_CASE(limits),
    TW_CASE(vectors_of_floats),
#ifdef __cplusplus
    TW_CASE(operators),
#endif
    TW_CASES_END,
};
