/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host (x86_64 gpu-simt), values, long */
/**
 * lower/vector/integer.h on the device under test: every function for every type and size of tables 3.59 and 3.60 (property
 * 57), exactly, against 128-bit arithmetic. Bytes take all pairs of arguments.
 */
#include "builtin.h"

#define FUNCTIONS(X, T, n)                                                                                             \
    X(ABS, T, n, tw_abs(a))                                                                                            \
    X(ABS_DIFF, T, n, tw_abs_diff(a, b))                                                                               \
    X(ADD_SAT, T, n, tw_add_sat(a, b))                                                                                 \
    X(SUB_SAT, T, n, tw_sub_sat(a, b))                                                                                 \
    X(HADD, T, n, tw_hadd(a, b))                                                                                       \
    X(RHADD, T, n, tw_rhadd(a, b))                                                                                     \
    X(CLZ, T, n, tw_clz(a))                                                                                            \
    X(POPCOUNT, T, n, tw_popcount(a))                                                                                  \
    X(MAD_HI, T, n, tw_mad_hi(a, b, c))                                                                                \
    X(MAD_SAT, T, n, tw_mad_sat(a, b, c))                                                                              \
    X(MUL_HI, T, n, tw_mul_hi(a, b))                                                                                   \
    X(ROTATE, T, n, tw_rotate(a, b))                                                                                   \
    X(MAX, T, n, tw_max(a, b))                                                                                         \
    X(MIN, T, n, tw_min(a, b))                                                                                         \
    X(CLAMP, T, n, tw_clamp(a, (tw_##T##n)(b < c ? b : c), (tw_##T##n)(b < c ? c : b)))                                \
    X(MAX_SCALAR, T, n, tw_max(a, ELEMENT(n, b)))                                                                      \
    X(MIN_SCALAR, T, n, tw_min(a, ELEMENT(n, b)))                                                                      \
    X(CLAMP_SCALAR, T, n, tw_clamp(a, low, high))
/* 32 bits only; their arguments have 24. */
#define FUNCTIONS_24(X, T, n)                                                                                          \
    X(MUL24, T, n, tw_mul24(a, b))                                                                                     \
    X(MAD24, T, n, tw_mad24(a, b, c))

#define NAME(function, T, n, expression) function,
enum { FUNCTIONS(NAME, , ) FUNCTION_COUNT };
enum { FUNCTIONS_24(NAME, , ) FUNCTION_24_COUNT };

/* ---- the kernels ------------------------------------------------------------------------------------------------- */

#define STORE(function, T, n, expression)                                                                              \
    VSTORE(n, (tw_##T##n)(expression), j, out + (size_t)(function) * SIZES * k->count);
#define APPLY_TO(FUNCTIONS, T, n, lanes, size)                                                                         \
    EACH_VECTOR(j, lanes)                                                                                              \
    {                                                                                                                  \
        const tw_##T##n a = VLOAD(n, j, k->a + base), b = VLOAD(n, j, k->b + base), c = VLOAD(n, j, k->c + base);      \
        const tw_##T b0 = ELEMENT(n, b), c0 = ELEMENT(n, c), low = b0 < c0 ? b0 : c0, high = b0 < c0 ? c0 : b0;        \
        tw_##T *const out = k->out + size * k->count + base;                                                           \
        (void)low, (void)high;                                                                                         \
        FUNCTIONS(STORE, T, n)                                                                                         \
    }
#define APPLY(T, n, lanes, size) APPLY_TO(FUNCTIONS, T, n, lanes, size)
#define APPLY_24(T, n, lanes, size) APPLY_TO(FUNCTIONS_24, T, n, lanes, size)
#define KERNEL_ALL(T) BUILTIN_KERNEL(integers_##T, tw_##T, tw_##T, BUILTIN_SIZES(APPLY, T))
TW_INTERNAL_INTEGER_TYPES(KERNEL_ALL)
BUILTIN_KERNEL(integers_24_int, int, int, BUILTIN_SIZES(APPLY_24, int))
BUILTIN_KERNEL(integers_24_uint, unsigned, unsigned, BUILTIN_SIZES(APPLY_24, uint))

/* The result is twice as wide. */
#define UPSAMPLE(T, n, lanes, size)                                                                                    \
    EACH_VECTOR(j, lanes)                                                                                              \
    {                                                                                                                  \
        const tw_internal_u_##T *const low = (const tw_internal_u_##T *)k->b + base;                                   \
        VSTORE(n, tw_upsample(VLOAD(n, j, k->a + base), VLOAD(n, j, low)), j, k->out + size * k->count + base);        \
    }
#define KERNEL_UPSAMPLE(T) BUILTIN_KERNEL(upsample_##T, tw_##T, tw_internal_w_##T, BUILTIN_SIZES(UPSAMPLE, T))
#define NARROW_TYPES(X) X(char) X(uchar) X(short) X(ushort) X(int) X(uint)
NARROW_TYPES(KERNEL_UPSAMPLE)

/* ---- the reference ----------------------------------------------------------------------------------------------- */

typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

static wide saturated(wide x, int bits, bool is_signed)
{
    const wide high = ((wide)1 << (is_signed ? bits - 1 : bits)) - 1, low = is_signed ? -high - 1 : 0;
    return x < low ? low : x > high ? high : x;
}

static int count_bits(wide x, int bits)
{
    int ones = 0;
    for (int i = 0; i < bits; ++i)
        ones += (int)(x >> i & 1);
    return ones;
}

static int leading_zeros(wide x, int bits)
{
    int zeros = 0;
    while (zeros < bits && !(x >> (bits - 1 - zeros) & 1))
        ++zeros;
    return zeros;
}

static wide rotated(wide x, wide by, int bits)
{
    wide result = 0;
    for (int i = 0; i < bits; ++i)
        result |= (x >> i & 1) << ((unsigned)(i + by) % (unsigned)bits);
    return result;
}

/* Products of two unsigned 64-bit numbers are beyond `wide`: c is added, and the sum shifted or saturated, unsigned. */
static wide product(wide a, wide b, wide c, int shift, int saturate_bits, bool is_signed)
{
    if (is_signed) {
        const wide sum = a * b + c;
        return saturate_bits ? saturated(sum, saturate_bits, true) : sum >> shift;
    }
    const unsigned_wide sum = (unsigned_wide)a * (unsigned_wide)b + (unsigned_wide)c;
    if (saturate_bits)
        return sum >> saturate_bits ? ((wide)1 << saturate_bits) - 1 : (wide)sum;
    return (wide)(sum >> shift);
}

/* What the function makes of numbers of a type; only the result's lowest `bits` count. */
static wide reference(int function, wide a, wide b, wide c, int bits, bool is_signed)
{
    const wide low = b < c ? b : c, high = b < c ? c : b;
    switch (function) {
    case ABS:
        return a < 0 ? -a : a;
    case ABS_DIFF:
        return a < b ? b - a : a - b;
    case ADD_SAT:
        return saturated(a + b, bits, is_signed);
    case SUB_SAT:
        return saturated(a - b, bits, is_signed);
    case HADD:
        return (a + b) >> 1;
    case RHADD:
        return (a + b + 1) >> 1;
    case CLZ:
        return leading_zeros(a, bits);
    case POPCOUNT:
        return count_bits(a, bits);
    case MAD_HI:
        return product(a, b, 0, bits, 0, is_signed) + c;
    case MAD_SAT:
        return product(a, b, c, 0, bits, is_signed);
    case MUL_HI:
        return product(a, b, 0, bits, 0, is_signed);
    case ROTATE:
        return rotated(a, b & (bits - 1), bits);
    case MAX:
    case MAX_SCALAR:
        return a > b ? a : b;
    case MIN:
    case MIN_SCALAR:
        return a < b ? a : b;
    default:
        return a < low ? low : a > high ? high : a;
    }
}

static wide reference_24(int function, wide a, wide b, wide c, int bits, bool is_signed)
{
    (void)bits, (void)is_signed;
    return function == MUL24 ? a * b : a * b + c;
}

/* ---- the checks -------------------------------------------------------------------------------------------------- */

enum { COUNT = 65568 }; /* all pairs of bytes, in whole chunks */
static uint64_t arguments[3][COUNT];
static size_t triples; /* functions, types and sizes that were checked */

static wide element(const void *array, size_t i, int bytes, bool is_signed)
{
    uint64_t bits = 0;
    memcpy(&bits, (const char *)array + i * (size_t)bytes, (size_t)bytes);
    return is_signed ? (wide)((int64_t)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes)) : (wide)bits;
}

/* Compares the results of `functions` functions; from `first_scalar_form` on the arguments but the first are
   scalars. */
static void compare(const void *results, size_t count, int bytes, bool is_signed, int functions, int first_scalar_form,
                    wide (*expected)(int, wide, wide, wide, int, bool))
{
    for (int function = 0; function < functions; ++function)
        for (size_t size = 0; size < SIZES; ++size) {
            const void *of = (const char *)results + ((size_t)function * SIZES + size) * count * (size_t)bytes;
            for (size_t i = 0; i < count; ++i) {
                const size_t j = function < first_scalar_form ? i : i - i % builtin_lanes[size];
                const wide a = element(arguments[0], i, bytes, is_signed),
                           b = element(arguments[1], j, bytes, is_signed);
                const wide c = element(arguments[2], j, bytes, is_signed);
                const uint64_t mask = ~0ull >> (64 - 8 * bytes);
                const uint64_t right = (uint64_t)expected(function, a, b, c, 8 * bytes, is_signed) & mask;
                const uint64_t got = (uint64_t)element(of, i, bytes, false);
                if (got == right)
                    continue;
                fprintf(stderr, "function %d of %d bytes%s, size %zu: (%lld, %lld, %lld) gives 0x%llx, not 0x%llx\n",
                        function, bytes, is_signed ? ", signed" : "", builtin_lanes[size], (long long)a, (long long)b,
                        (long long)c, (unsigned long long)got, (unsigned long long)right);
                TW_CHECK(!"the functions agree with the reference");
            }
            triples += builtin_lanes[size] > 1 || function < first_scalar_form;
        }
}

#define CHECK(kernel, T, is_signed, functions, first_scalar_form, expected)                                            \
    BUILTIN_RUN(kernel, tw_##T, tw_##T, arguments, sizeof(tw_##T) == 1 ? COUNT : 4800, functions,                      \
                compare(results, builtin_count, sizeof(tw_##T), is_signed, functions, first_scalar_form, expected))

#define CHECK_ALL(T)                                                                                                   \
    for (unsigned i = 0; i < 3; ++i)                                                                                   \
        builtin_integers(arguments[i], sizeof(tw_##T) == 1 ? COUNT : 4800, sizeof(tw_##T), i);                         \
    CHECK(integers_##T, T, (tw_##T) - 1 < 1, FUNCTION_COUNT, MAX_SCALAR, reference);

TW_TEST(every_function_type_and_size_is_exact)
{
    triples = 0;
    TW_INTERNAL_INTEGER_TYPES(CHECK_ALL)
    /* 15 functions of 8 types in 6 sizes, and 3 with scalars beside vectors */
    TW_EQUAL(triples, 15 * 8 * 6 + 3 * 8 * 5);
    printf("integer functions: %zu combinations of function, type and size\n", triples);
}

TW_TEST(products_of_24_bits_are_exact)
{
    triples = 0;
    for (unsigned i = 0; i < 3; ++i)
        builtin_integers(arguments[i], 4800, 4, i);
    for (size_t i = 0; i < 4800; ++i)
        for (unsigned argument = 0; argument < 2; ++argument) {
            int *place = (int *)arguments[argument] + i;
            *place = (int)((unsigned)*place << 8) >> 8;
        }
    CHECK(integers_24_int, int, true, FUNCTION_24_COUNT, FUNCTION_24_COUNT, reference_24);
    for (size_t i = 0; i < 4800; ++i)
        for (unsigned argument = 0; argument < 2; ++argument)
            ((unsigned *)arguments[argument])[i] &= 0xffffff;
    CHECK(integers_24_uint, uint, false, FUNCTION_24_COUNT, FUNCTION_24_COUNT, reference_24);
    TW_EQUAL(triples, 2 * 2 * 6);
    printf("products of 24 bits: %zu combinations of function, type and size\n", triples);
}

static void compare_upsampled(uint64_t got, size_t i, int bytes, bool is_signed)
{
    const uint64_t high = (uint64_t)element(arguments[0], i, bytes, is_signed);
    const uint64_t low = (uint64_t)element(arguments[1], i, bytes, false);
    TW_EQUAL(got, (high << 8 * bytes) + low);
}

#define CHECK_UPSAMPLE(T)                                                                                              \
    for (unsigned i = 0; i < 2; ++i)                                                                                   \
        builtin_integers(arguments[i], 4800, sizeof(tw_##T), i);                                                       \
    BUILTIN_RUN(upsample_##T, tw_##T, tw_internal_w_##T, arguments, 4800, 1,                                           \
                for (size_t i = 0; i < result_count; ++i)                                                              \
                    compare_upsampled((uint64_t)results[i], i % builtin_count, sizeof(tw_##T), (tw_##T) - 1 < 1));     \
    triples += SIZES;

TW_TEST(upsample_joins_two_halves)
{
    triples = 0;
    NARROW_TYPES(CHECK_UPSAMPLE)
    TW_EQUAL(triples, 6 * 6);
    printf("upsample: %zu combinations of type and size\n", triples);
}

/* int8_t and long long are not the element types of vectors, but have the functions of those of their width. */
TW_TEST(other_names_of_integer_types_have_the_functions)
{
    TW_EQUAL(tw_add_sat((int8_t)100, (int8_t)100), 127);
    TW_EQUAL(tw_mul_hi((int8_t)-128, (int8_t)-128), 64);
    TW_EQUAL(tw_clz((int8_t)1), 7);
    TW_EQUAL(sizeof(tw_upsample((int8_t)-1, (uint8_t)255)), 2);
    TW_EQUAL(tw_upsample((int8_t)-1, (uint8_t)255), -1);
    TW_EQUAL(tw_add_sat(0x7fffffffffffffffLL, 1LL), 0x7fffffffffffffffLL);
    TW_EQUAL(tw_sub_sat(1ULL, 2ULL), 0);
    TW_EQUAL(tw_mul_hi(1ULL << 63, 6ULL), 3);
    TW_EQUAL(tw_mad_sat(-0x4000000000000000LL, 4LL, -1LL), (-0x7fffffffffffffffLL - 1));
    TW_EQUAL(tw_popcount(-1LL), 64);
    TW_EQUAL(tw_abs(-0x7fffffffffffffffLL - 1) == 1ULL << 63, 1);
}

TW_TEST_LIST = {TW_CASE(every_function_type_and_size_is_exact), TW_CASE(products_of_24_bits_are_exact),
                TW_CASE(upsample_joins_two_halves), TW_CASE(other_names_of_integer_types_have_the_functions),
                TW_CASES_END};
