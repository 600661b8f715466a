/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: x86_64 (gpu-simt), values, unsanitized, long */
/**
 * lower/vector/geometric.h on the device under test: every function for every type and size of tables 3.63 and 3.64 and for
 * half (property 57), within the bounds that OpenCL gives, against long double. Lengths are taken of vectors whose
 * squares overflow or vanish too.
 */
#include "builtin.h"

/* Scalar results are stored for each element of the vector. */
#define FUNCTIONS(X, T, n)                                                                                             \
    X(DOT, T, n, (tw_##T##n)tw_dot(p, q))                                                                              \
    X(LENGTH, T, n, (tw_##T##n)tw_length(p))                                                                           \
    X(DISTANCE, T, n, (tw_##T##n)tw_distance(p, q))                                                                    \
    X(NORMALIZE, T, n, tw_normalize(p))
#define FUNCTIONS_FAST(X, T, n)                                                                                        \
    X(FAST_LENGTH, T, n, (tw_##T##n)tw_fast_length(p))                                                                 \
    X(FAST_DISTANCE, T, n, (tw_##T##n)tw_fast_distance(p, q))                                                          \
    X(FAST_NORMALIZE, T, n, tw_fast_normalize(p))

#define NAME(function, T, n, expression) function,
enum { FUNCTIONS(NAME, , ) FUNCTION_COUNT };
enum { FUNCTIONS_FAST(NAME, , ) FUNCTION_FAST_COUNT };

/* ---- the kernels ------------------------------------------------------------------------------------------------- */

#define STORE(function, T, n, expression) VSTORE(n, expression, j, out + (size_t)(function) * SIZES * k->count);
#define APPLY_TO(FUNCTIONS, T, n, lanes, size)                                                                         \
    EACH_VECTOR(j, lanes)                                                                                              \
    {                                                                                                                  \
        const tw_##T##n p = VLOAD(n, j, k->a + base), q = VLOAD(n, j, k->b + base);                                    \
        tw_##T *const out = k->out + size * k->count + base;                                                           \
        FUNCTIONS(STORE, T, n)                                                                                         \
    }
#define APPLY(T, n, lanes, size) APPLY_TO(FUNCTIONS, T, n, lanes, size)
#define APPLY_FAST(T, n, lanes, size) APPLY_TO(FUNCTIONS_FAST, T, n, lanes, size)
/* For products of 3 and of 4 elements. */
#define CROSS(T, n, size)                                                                                              \
    EACH_VECTOR(j, n)                                                                                                  \
    VSTORE(n, tw_cross(VLOAD(n, j, k->a + base), VLOAD(n, j, k->b + base)), j, k->out + size * k->count + base);

#define KERNELS(T)                                                                                                     \
    BUILTIN_KERNEL(geometric_##T, tw_##T, tw_##T, BUILTIN_SIZES(APPLY, T))                                             \
    BUILTIN_KERNEL(cross_##T, tw_##T, tw_##T, CROSS(T, 3, 0) CROSS(T, 4, 1))
TW_INTERNAL_FLOAT_TYPES(KERNELS)
BUILTIN_KERNEL(fast_float, float, float, BUILTIN_SIZES(APPLY_FAST, float))

/* ---- the checks -------------------------------------------------------------------------------------------------- */

enum { COUNT = 4800 };
static uint64_t arguments[3][COUNT]; /* the third is not used */
static size_t triples;               /* functions, types and sizes that were checked */

static void fill(int bytes, int low, int high)
{
    for (size_t i = 0; i < COUNT; ++i)
        for (unsigned argument = 0; argument < 2; ++argument)
            builtin_set_float(arguments[argument], i, bytes, builtin_random_float(low, high));
}

static void check(int function, size_t lanes, size_t i, int bytes, long double got, long double right,
                  long double error)
{
    if (fabsl(got - right) <= error || builtin_same(got, right))
        return;
    fprintf(stderr, "function %d of %d bytes, %zu elements, at %zu: %La, not %La\n", function, bytes, lanes, i, got,
            right);
    TW_CHECK(!"the functions agree with the reference");
}

/* What is known about a vector and its partner. */
struct sums {
    long double dot, squares, differences; /* differences: of the rounded ones, squared */
    long double products;                  /* sum of |p[i] * q[i]| */
};

static struct sums sums_at(size_t first, size_t lanes, int bytes)
{
    struct sums sums = {0, 0, 0, 0};
    for (size_t i = first; i < first + lanes; ++i) {
        const long double p = builtin_float(arguments[0], i, bytes), q = builtin_float(arguments[1], i, bytes);
        sums.dot += p * q;
        sums.products += fabsl(p * q);
        sums.squares += p * p;
        sums.differences += (p - q) * (p - q);
    }
    return sums;
}

/* The result for element i of `size`, in the functions below. */
#define RESULT(function) builtin_float(results, ((size_t)(function) * SIZES + size) * COUNT + i, bytes)

/* `lengths_only`: numbers whose products are out of range. Bounds in ulp are those of OpenCL. */
static void compare(const void *results, int bytes, bool lengths_only)
{
    const long double epsilon = ldexpl(1, 1 - builtin_format(bytes).digits);
    for (size_t size = 0; size < SIZES; ++size) {
        const size_t lanes = builtin_lanes[size];
        for (size_t i = 0; i < COUNT; ++i) {
            const struct sums sums = sums_at(i - i % lanes, lanes, bytes);
            const long double length = sqrtl(sums.squares), distance = sqrtl(sums.differences);
            const long double unit = length > 0 ? builtin_float(arguments[0], i, bytes) / length : 0;
            check(LENGTH, lanes, i, bytes, RESULT(LENGTH), length,
                  (2.75L + 0.5L * (long double)lanes) * builtin_ulp(length, bytes));
            check(DISTANCE, lanes, i, bytes, RESULT(DISTANCE), distance,
                  (2.5L + 2 * (long double)lanes) * builtin_ulp(distance, bytes));
            check(NORMALIZE, lanes, i, bytes, RESULT(NORMALIZE), unit,
                  (2 + (long double)lanes) * builtin_ulp(unit, bytes));
            if (!lengths_only)
                check(DOT, lanes, i, bytes, RESULT(DOT), sums.dot, (long double)lanes * epsilon * sums.products);
        }
        triples += lengths_only ? 0 : FUNCTION_COUNT;
    }
}

static void compare_fast(const void *results)
{
    const int bytes = 4;
    for (size_t size = 0; size < SIZES; ++size) {
        const size_t lanes = builtin_lanes[size];
        for (size_t i = 0; i < COUNT; ++i) {
            const struct sums sums = sums_at(i - i % lanes, lanes, bytes);
            const long double length = sqrtl(sums.squares), distance = sqrtl(sums.differences);
            const long double unit = builtin_float(arguments[0], i, bytes) / length;
            check(FAST_LENGTH, lanes, i, bytes, RESULT(FAST_LENGTH), length, 8192 * builtin_ulp(length, bytes));
            check(FAST_DISTANCE, lanes, i, bytes, RESULT(FAST_DISTANCE), distance, 8192 * builtin_ulp(distance, bytes));
            check(FAST_NORMALIZE, lanes, i, bytes, RESULT(FAST_NORMALIZE), unit, 8192 * builtin_ulp(unit, bytes));
        }
        triples += FUNCTION_FAST_COUNT;
    }
}

static void compare_cross(const void *results, int bytes)
{
    const long double epsilon = ldexpl(1, 1 - builtin_format(bytes).digits);
    for (size_t size = 0; size < 2; ++size) {
        const size_t lanes = 3 + size;
        for (size_t i = 0; i < COUNT; ++i) {
            const size_t first = i - i % lanes, one = first + (i % lanes + 1) % 3, two = first + (i % lanes + 2) % 3;
            const long double ahead = builtin_float(arguments[0], one, bytes) * builtin_float(arguments[1], two, bytes);
            const long double back = builtin_float(arguments[0], two, bytes) * builtin_float(arguments[1], one, bytes);
            const bool fourth = i % lanes == 3;
            check(-1, lanes, i, bytes, builtin_float(results, size * COUNT + i, bytes), fourth ? 0 : ahead - back,
                  fourth ? 0 : 1.5L * epsilon * (fabsl(ahead) + fabsl(back)));
        }
        ++triples;
    }
}

#define RUN(kernel, T, functions, COMPARE) BUILTIN_RUN(kernel, tw_##T, tw_##T, arguments, COUNT, functions, COMPARE)

#define CHECK(T)                                                                                                       \
    fill(sizeof(tw_##T), -4, 4);                                                                                       \
    RUN(geometric_##T, T, FUNCTION_COUNT, compare(results, sizeof(tw_##T), false));                                    \
    RUN(cross_##T, T, 1, compare_cross(results, sizeof(tw_##T)));

TW_TEST(every_function_type_and_size_is_near)
{
    triples = 0;
    TW_INTERNAL_FLOAT_TYPES(CHECK)
    fill(4, -20, 20);
    RUN(fast_float, float, FUNCTION_FAST_COUNT, compare_fast(results));
    /* 4 functions of 3 types in 6 sizes, the fast ones of float, cross in 2 sizes */
    TW_EQUAL(triples, 4 * 3 * 6 + 3 * 6 + 3 * 2);
    printf("geometric functions: %zu combinations of function, type and size\n", triples);
}

/* All exponents from `low` on, which is below the smallest normal number, and up to the greatest that leave the length
   finite. A difference may be twice as large. */
#define CHECK_EXTREMES(T, low, high)                                                                                   \
    for (int exponent = low; exponent < (high) - 8; exponent += (high) / 8) {                                          \
        fill(sizeof(tw_##T), exponent, exponent + 2);                                                                  \
        RUN(geometric_##T, T, FUNCTION_COUNT, compare(results, sizeof(tw_##T), true));                                 \
    }                                                                                                                  \
    fill(sizeof(tw_##T), (high) - 6, (high) - 4);                                                                      \
    RUN(geometric_##T, T, FUNCTION_COUNT, compare(results, sizeof(tw_##T), true))

TW_TEST(lengths_neither_overflow_nor_vanish)
{
    CHECK_EXTREMES(half, -22, 16);
    CHECK_EXTREMES(float, -147, 128);
    CHECK_EXTREMES(double, -1072, 1024);
}

TW_TEST(zero_and_infinity_have_lengths)
{
    TW_EQUAL(tw_length((tw_float4){0, 0, 0, 0}), 0);
    TW_CHECK(tw_all(tw_normalize((tw_float4){0, -0.0f, 0, 0}) == 0));
    TW_CHECK(tw_all(tw_normalize((tw_half3){0, 0, 0}) == (tw_half)0));
    TW_CHECK(tw_all(tw_fast_normalize((tw_float2){0, 0}) == 0));
    TW_CHECK(isinf(tw_length((tw_double2){1, -INFINITY})));
    TW_CHECK(isnan(tw_length((tw_float16)NAN)));
    TW_CHECK(tw_normalize(-3.0) == -1 && tw_normalize(0.0f) == 0 && tw_length((tw_half)-2) == 2);
}

TW_TEST_LIST = {TW_CASE(every_function_type_and_size_is_near), TW_CASE(lengths_neither_overflow_nor_vanish),
                TW_CASE(zero_and_infinity_have_lengths), TW_CASES_END};
