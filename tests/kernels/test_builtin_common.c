/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: x86_64 (gpu-simt), values, unsanitized, long */
/**
 * lower/vector/common.h on the device under test: every function for every type and size of tables 3.61 and 3.62 and for half
 * (property 57). Those that only choose are exact; the others are near to what long double gives.
 */
#include "builtin.h"

/* The forms with scalars come last. */
#define FUNCTIONS(X, T, n)                                                                                             \
    X(MAX, T, n, tw_max(a, b))                                                                                         \
    X(MIN, T, n, tw_min(a, b))                                                                                         \
    X(CLAMP, T, n, tw_clamp(a, b < c ? b : c, b < c ? c : b))                                                          \
    X(STEP, T, n, tw_step(b, a))                                                                                       \
    X(SIGN, T, n, tw_sign(a))                                                                                          \
    X(DEGREES, T, n, tw_degrees(a))                                                                                    \
    X(RADIANS, T, n, tw_radians(a))                                                                                    \
    X(MIX, T, n, tw_mix(a, b, c))                                                                                      \
    X(SMOOTHSTEP, T, n, tw_smoothstep(b < c ? b : c, b < c ? c : b, a))                                                \
    X(MAX_SCALAR, T, n, tw_max(a, ELEMENT(n, b)))                                                                      \
    X(MIN_SCALAR, T, n, tw_min(a, ELEMENT(n, b)))                                                                      \
    X(CLAMP_SCALAR, T, n, tw_clamp(a, low, high))                                                                      \
    X(STEP_SCALAR, T, n, tw_step(ELEMENT(n, b), a))                                                                    \
    X(SMOOTHSTEP_SCALAR, T, n, tw_smoothstep(low, high, a))                                                            \
    X(MIX_SCALAR, T, n, tw_mix(a, b, ELEMENT(n, c)))

#define NAME(function, T, n, expression) function,
enum { FUNCTIONS(NAME, , ) FUNCTION_COUNT };

/* ---- the kernels ------------------------------------------------------------------------------------------------- */

#define STORE(function, T, n, expression) VSTORE(n, expression, j, out + (size_t)(function) * SIZES * k->count);
#define APPLY(T, n, lanes, size)                                                                                       \
    EACH_VECTOR(j, lanes)                                                                                              \
    {                                                                                                                  \
        const tw_##T##n a = VLOAD(n, j, k->a + base), b = VLOAD(n, j, k->b + base), c = VLOAD(n, j, k->c + base);      \
        const tw_##T b0 = ELEMENT(n, b), c0 = ELEMENT(n, c), low = b0 < c0 ? b0 : c0, high = b0 < c0 ? c0 : b0;        \
        tw_##T *const out = k->out + size * k->count + base;                                                           \
        FUNCTIONS(STORE, T, n)                                                                                         \
    }
#define KERNEL(T) BUILTIN_KERNEL(common_##T, tw_##T, tw_##T, BUILTIN_SIZES(APPLY, T))
TW_INTERNAL_FLOAT_TYPES(KERNEL)

/* ---- the reference ----------------------------------------------------------------------------------------------- */

#define PI 3.14159265358979323846264338327950288L

struct expectation {
    long double value, error; /* how far off a result may be; 0: it is the same, to the sign of a zero */
};

static struct expectation reference(int function, long double a, long double b, long double c, int bytes)
{
    const long double low = b < c ? b : c, high = b < c ? c : b;
    const long double epsilon = ldexpl(1, 1 - builtin_format(bytes).digits);
    long double value;
    switch (function) {
    case MAX:
    case MAX_SCALAR:
        return (struct expectation){a < b ? b : a, 0};
    case MIN:
    case MIN_SCALAR:
        return (struct expectation){b < a ? b : a, 0};
    case CLAMP:
    case CLAMP_SCALAR:
        return (struct expectation){a < low ? low : a > high ? high : a, 0};
    case STEP:
    case STEP_SCALAR:
        return (struct expectation){a < b ? 0 : 1, 0};
    case SIGN:
        return (struct expectation){a > 0 ? 1 : a < 0 ? -1 : isnan(a) ? 0 : a, 0};
    case DEGREES:
    case RADIANS:
        value = function == DEGREES ? a * (180 / PI) : a * (PI / 180);
        return (struct expectation){value, 2 * builtin_ulp(value, bytes)};
    case MIX:
    case MIX_SCALAR:
        return (struct expectation){a + (b - a) * c, 2 * epsilon * (fabsl(a) + fabsl(b))};
    default:
        value = a <= low ? 0 : a >= high ? 1 : (a - low) / (high - low);
        return (struct expectation){value * value * (3 - 2 * value), 8 * epsilon};
    }
}

/* ---- the checks -------------------------------------------------------------------------------------------------- */

enum { COUNT = 4800 };
static uint64_t arguments[3][COUNT];
static size_t triples; /* functions, types and sizes that were checked */

/* The first argument has every special number, the second random ones, the third numbers from 0 to 1. */
static void fill(int bytes)
{
    const struct builtin_format format = builtin_format(bytes);
    const long double specials[] = {0,
                                    -0.0L,
                                    1,
                                    -1,
                                    NAN,
                                    INFINITY,
                                    -INFINITY,
                                    ldexpl(1, format.lowest),
                                    -ldexpl(1, format.lowest),
                                    ldexpl(1, format.lowest + format.digits)};
    const size_t special_count = sizeof specials / sizeof *specials;
    for (size_t i = 0; i < COUNT; ++i) {
        builtin_set_float(arguments[0], i, bytes, i < special_count ? specials[i] : builtin_random_float(-9, 9));
        builtin_set_float(arguments[1], i, bytes, builtin_random_float(-9, 9));
        builtin_set_float(arguments[2], i, bytes, fabsl(builtin_random_float(-9, 0)));
    }
}

static void compare(const void *results, int bytes)
{
    for (int function = 0; function < FUNCTION_COUNT; ++function)
        for (size_t size = 0; size < SIZES; ++size) {
            for (size_t i = 0; i < COUNT; ++i) {
                const size_t first = i - i % builtin_lanes[size];
                const size_t j = function < MAX_SCALAR || function == MIX_SCALAR ? i : first;
                const long double a = builtin_float(arguments[0], i, bytes), b = builtin_float(arguments[1], j, bytes);
                const long double c = builtin_float(arguments[2], function < MAX_SCALAR ? i : first, bytes);
                const struct expectation right = reference(function, a, b, c, bytes);
                const long double got = builtin_float(results, ((size_t)function * SIZES + size) * COUNT + i, bytes);
                if ((!isfinite(a) && function != SIGN) || fabsl(got - right.value) < right.error
                    || builtin_same(got, right.value))
                    continue;
                fprintf(stderr, "function %d of %d bytes, size %zu: (%La, %La, %La) gives %La, not %La\n", function,
                        bytes, builtin_lanes[size], a, b, c, got, right.value);
                TW_CHECK(!"the functions agree with the reference");
            }
            triples += builtin_lanes[size] > 1 || function < MAX_SCALAR;
        }
}

#define CHECK(T)                                                                                                       \
    fill(sizeof(tw_##T));                                                                                              \
    BUILTIN_RUN(common_##T, tw_##T, tw_##T, arguments, COUNT, FUNCTION_COUNT, compare(results, sizeof(tw_##T)));

TW_TEST(every_function_type_and_size_is_right)
{
    triples = 0;
    TW_INTERNAL_FLOAT_TYPES(CHECK)
    /* 9 functions of 3 types in 6 sizes, and 6 with scalars beside vectors */
    TW_EQUAL(triples, 9 * 3 * 6 + 6 * 3 * 5);
    printf("common functions: %zu combinations of function, type and size\n", triples);
}

TW_TEST_LIST = {TW_CASE(every_function_type_and_size_is_right), TW_CASES_END};
