/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: x86_64 (gpu-simt), values, long */
/**
 * Half precision on the device under test (spec 4.2): every half as float and as double and back; float and double to
 * half in every rounding mode, at, between and beside the numbers where the result changes; arithmetic, correctly
 * rounded.
 */
#include "tw_test.h"

#include <float.h>
#include <math.h>

#include <teamwork/math.h>
#include <teamwork/vector.h>

_Static_assert(sizeof(tw_half) == 2, "a half has 16 bits");

static tw_buffer *over(void *data, size_t bytes, size_t count)
{
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_over(data, bytes, tw_range_1d(count), &buffer));
    return buffer;
}

/* The number that 16 bits mean, by definition. */
static double meaning(unsigned bits)
{
    const int exponent = (int)(bits >> 10 & 31), significand = (int)(bits & 1023);
    const double magnitude = exponent == 31 ? (significand ? NAN : INFINITY)
                             : exponent     ? ldexp(1024 + significand, exponent - 25)
                                            : ldexp(significand, -24);
    return bits >> 15 ? -magnitude : magnitude;
}

static int same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b);
}

/* ---- from half --------------------------------------------------------------------------------------------------- */

enum { HALVES = 65536 };

struct widen {
    const tw_half *half;
    float *to_float;
    double *to_double;
    tw_half *from_float, *from_double;
};

static inline void widen(tw_item item, const struct widen *k)
{
    const size_t i = tw_global_id(item, 0);
    k->to_float[i] = (float)k->half[i];
    k->to_double[i] = (double)k->half[i];
    k->from_float[i] = (tw_half)k->to_float[i];
    k->from_double[i] = (tw_half)k->to_double[i];
}
TW_RANGE_KERNEL(widen, 1);

TW_TEST(every_half_is_a_float_and_a_double_and_back)
{
    static tw_half half[HALVES], from_float[HALVES], from_double[HALVES];
    static float to_float[HALVES];
    static double to_double[HALVES];
    tw_queue *queue = tw_test_queue();
    for (unsigned i = 0; i < HALVES; ++i)
        half[i] = tw_half_from_bits((tw_ushort)i);
    tw_buffer *buffers[] = {over(half, 2, HALVES), over(to_float, 4, HALVES), over(to_double, 8, HALVES),
                            over(from_float, 2, HALVES), over(from_double, 2, HALVES)};
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(HALVES), widen, .half = tw_read(cg, buffers[0]),
                    .to_float = tw_discard_write(cg, buffers[1]), .to_double = tw_discard_write(cg, buffers[2]),
                    .from_float = tw_discard_write(cg, buffers[3]), .from_double = tw_discard_write(cg, buffers[4]));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    for (int b = 0; b < 5; ++b)
        TW_PASS(tw_buffer_destroy(&buffers[b]));
    for (unsigned i = 0; i < HALVES; ++i) {
        const double number = meaning(i);
        TW_CHECK(same(to_float[i], number) && same(to_double[i], number));
        if (isnan(number))
            TW_CHECK(isnan((double)from_float[i]) && isnan((double)from_double[i]));
        else
            TW_CHECK(tw_half_bits(from_float[i]) == i && tw_half_bits(from_double[i]) == i);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(the_limits_are_the_formats)
{
    TW_CHECK(same((double)TW_HALF_MAX, meaning(0x7bff)) && same((double)TW_HALF_MIN, meaning(0x0400)));
    TW_CHECK(same((double)TW_HALF_EPSILON, meaning(0x3c01) - 1));
    TW_EQUAL(ilogb((double)TW_HALF_MAX), TW_HALF_MAX_EXP - 1);
    TW_EQUAL(ilogb((double)TW_HALF_MIN), TW_HALF_MIN_EXP - 1);
    TW_CHECK(pow(10, TW_HALF_MAX_10_EXP) <= (double)TW_HALF_MAX
             && pow(10, TW_HALF_MAX_10_EXP + 1) > (double)TW_HALF_MAX);
    TW_CHECK(pow(10, TW_HALF_MIN_10_EXP) >= (double)TW_HALF_MIN
             && pow(10, TW_HALF_MIN_10_EXP - 1) < (double)TW_HALF_MIN);
    TW_EQUAL(TW_HALF_DIG, (int)((TW_HALF_MANT_DIG - 1) * log10(TW_HALF_RADIX)));
}

/* ---- to half ----------------------------------------------------------------------------------------------------- */

enum { MODES = 5 }; /* a cast, to nearest, toward zero, up, down */

struct narrow {
    const double *number;
    tw_half *from_float, *from_double; /* MODES each */
};

static inline void narrow(tw_item item, const struct narrow *k)
{
    const size_t i = tw_global_id(item, 0), at = i * MODES;
    const double d = k->number[i];
    const float f = (float)d;
    k->from_float[at] = (tw_half)f;
    k->from_float[at + 1] = tw_convert_half_rte(f);
    k->from_float[at + 2] = tw_convert_half_rtz(f);
    k->from_float[at + 3] = tw_convert_half_rtp(f);
    k->from_float[at + 4] = tw_convert_half_rtn(f);
    k->from_double[at] = (tw_half)d;
    k->from_double[at + 1] = tw_convert_half_rte(d);
    k->from_double[at + 2] = tw_convert_half_rtz(d);
    k->from_double[at + 3] = tw_convert_half_rtp(d);
    k->from_double[at + 4] = tw_convert_half_rtn(d);
}
TW_RANGE_KERNEL(narrow, 1);

/* The bits of the half that a number of magnitude x is rounded to: by searching the halves, which are ordered as their
   bits are. What is half a step beyond the largest becomes infinite. */
static unsigned search(double x, int mode)
{
    const unsigned sign = signbit(x) ? 0x8000u : 0;
    const double a = fabs(x);
    unsigned below = 0, past = 0x7c00; /* meaning(below) <= a < meaning(past) */
    if (isinf(a))
        return sign | 0x7c00;
    while (past - below > 1) {
        const unsigned middle = (below + past) / 2;
        if (meaning(middle) <= a)
            below = middle;
        else
            past = middle;
    }
    if (meaning(below) == a)
        return sign | below;
    const double step = below == 0x7bff ? 32 : meaning(past) - meaning(below);
    const double rest = a - meaning(below); /* exact, or far beyond the middle */
    const int nearer = rest > step / 2 || (rest == step / 2 && below & 1);
    const int outward = mode <= 1 ? nearer : mode == 2 ? 0 : (mode == 3) == !sign;
    return sign | (below + (unsigned)outward);
}

static void check_narrowed(double number, const tw_half *results, const char *from)
{
    for (int mode = 0; mode < MODES; ++mode) {
        const unsigned got = tw_half_bits(results[mode]);
        if (isnan(number) ? isnan(meaning(got)) : got == search(number, mode))
            continue;
        fprintf(stderr, "%s %a in mode %d: %#x, not %#x\n", from, number, mode, got, search(number, mode));
        TW_CHECK(!"the conversion is right");
    }
}

TW_TEST(floats_and_doubles_are_rounded_in_every_mode)
{
    /* for each half: itself, the middle to the next, and what is a little beside the two, as a float and as a double */
    enum { EACH = 10, COUNT = EACH * 0x7c01 };
    double *number = malloc(2 * COUNT * sizeof *number);
    tw_half *from_float = malloc(2 * COUNT * MODES * sizeof *from_float);
    tw_half *from_double = malloc(2 * COUNT * MODES * sizeof *from_double);
    TW_CHECK(number && from_float && from_double);
    for (unsigned i = 0; i <= 0x7c00; ++i) {
        const double here = i < 0x7c00 ? meaning(i) : 65536, next = i + 1 < 0x7c00 ? meaning(i + 1) : here + 32;
        const double middle = here + (next - here) / 2;
        const double values[EACH] = {here,
                                     here * (1 + FLT_EPSILON),
                                     here * (1 - FLT_EPSILON),
                                     here * (1 + DBL_EPSILON),
                                     here * (1 - DBL_EPSILON),
                                     middle,
                                     middle * (1 + FLT_EPSILON),
                                     middle * (1 - FLT_EPSILON),
                                     middle * (1 + DBL_EPSILON),
                                     middle * (1 - DBL_EPSILON)};
        for (int v = 0; v < EACH; ++v) {
            number[i * EACH + (unsigned)v] = values[v];
            number[COUNT + i * EACH + (unsigned)v] = -values[v];
        }
    }
    const double others[] = {INFINITY, -INFINITY, NAN,       0.0,   -0.0,     FLT_MAX,
                             -FLT_MAX, 0x1p-149,  -0x1p-149, 1e300, 0x1p-1074};
    memcpy(number, others, sizeof others); /* instead of 0, which all of the first were */

    tw_queue *queue = tw_test_queue();
    tw_buffer *buffers[] = {over(number, sizeof *number, 2 * COUNT), over(from_float, 2, 2 * COUNT * MODES),
                            over(from_double, 2, 2 * COUNT * MODES)};
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(2 * COUNT), narrow, .number = tw_read(cg, buffers[0]),
                    .from_float = tw_discard_write(cg, buffers[1]), .from_double = tw_discard_write(cg, buffers[2]));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    for (int b = 2; b >= 0; --b)
        TW_PASS(tw_buffer_destroy(&buffers[b]));
    for (size_t i = 0; i < 2 * COUNT; ++i) {
        check_narrowed((double)(float)number[i], from_float + i * MODES, "float");
        check_narrowed(number[i], from_double + i * MODES, "double");
    }
    TW_PASS(tw_queue_destroy(&queue));
    free(number);
    free(from_float);
    free(from_double);
}

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

enum { PAIRS = 40000, OPERATIONS = 6 };

struct compute {
    const tw_half *x, *y, *z;
    tw_half *out;
};

/* The scalar results, then those of a vector that has the numbers in its first element. */
static inline void compute(tw_item item, const struct compute *k)
{
    const size_t i = tw_global_id(item, 0);
    const tw_half x = k->x[i], y = k->y[i], z = k->z[i];
    const tw_half4 a = {x, y, z, 1}, b = {y, z, x, 1}, c = {z, x, y, 1};
    tw_half *const out = k->out + i * 2 * OPERATIONS;
    const tw_half4 results[OPERATIONS] = {a + b, a - b, a * b, a / b, tw_sqrt(a), tw_fma(a, b, c)};
    out[0] = x + y;
    out[1] = x - y;
    out[2] = x * y;
    out[3] = x / y;
    out[4] = tw_sqrt(x);
    out[5] = tw_fma(x, y, z);
    for (int o = 0; o < OPERATIONS; ++o)
        out[OPERATIONS + o] = results[o][0];
}
TW_RANGE_KERNEL(compute, 1);

/* Results that long double has exactly, or so closely that rounding them again goes the right way: at most 22 bits, or
   an infinite number that never is close to the middle of two halves. */
static unsigned exact(int operation, long double x, long double y, long double z)
{
    const long double results[OPERATIONS] = {x + y, x - y, x * y, x / y, sqrtl(x), x * y + z};
    return isnan(results[operation]) ? 0x7e00 : search((double)results[operation], 0);
}

TW_TEST(arithmetic_is_correctly_rounded)
{
    static tw_half x[PAIRS], y[PAIRS], z[PAIRS], out[PAIRS * 2 * OPERATIONS];
    unsigned state = 1;
    for (int i = 0; i < PAIRS; ++i) {
        tw_half *const all[] = {&x[i], &y[i], &z[i]};
        for (int a = 0; a < 3; ++a) {
            state = state * 1664525u + 1013904223u;
            *all[a] = tw_half_from_bits((tw_ushort)(state >> 16));
        }
        if (i % 4 == 0) /* what cancels, and what a product hardly changes */
            z[i] = (tw_half)(-(float)x[i] * (float)y[i]);
        if (i % 4 == 1)
            y[i] = tw_half_from_bits(tw_half_bits(x[i]) ^ (tw_ushort)(state >> 14 & 3));
    }
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffers[] = {over(x, 2, PAIRS), over(y, 2, PAIRS), over(z, 2, PAIRS),
                            over(out, 2, PAIRS * 2 * OPERATIONS)};
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(PAIRS), compute, .x = tw_read(cg, buffers[0]), .y = tw_read(cg, buffers[1]),
                    .z = tw_read(cg, buffers[2]), .out = tw_discard_write(cg, buffers[3]));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    for (int b = 3; b >= 0; --b)
        TW_PASS(tw_buffer_destroy(&buffers[b]));
    for (size_t i = 0; i < PAIRS * 2 * OPERATIONS; ++i) {
        const size_t p = i / (2 * OPERATIONS);
        const int operation = (int)(i % OPERATIONS);
        const unsigned got = tw_half_bits(out[i]);
        const unsigned expected = exact(operation, (long double)x[p], (long double)y[p], (long double)z[p]);
        if (got == expected || (isnan(meaning(got)) && isnan(meaning(expected))))
            continue;
        fprintf(stderr, "operation %d of %a, %a, %a: %#x, not %#x\n", operation, (double)x[p], (double)y[p],
                (double)z[p], got, expected);
        TW_CHECK(!"the result is correctly rounded");
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(every_half_is_a_float_and_a_double_and_back), TW_CASE(the_limits_are_the_formats),
                TW_CASE(floats_and_doubles_are_rounded_in_every_mode), TW_CASE(arithmetic_is_correctly_rounded),
                TW_CASES_END};
