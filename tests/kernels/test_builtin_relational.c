/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: x86_64 (gpu-simt), values, unsanitized, long */
/**
 * lower/vector/relational.h on the device under test: every function for every type and size of tables 3.65 and 3.66 and for
 * half (properties 55 and 57), exactly, over all pairs of special numbers and over random bits.
 */
#include "builtin.h"

#define COMPARISONS(X, T, n)                                                                                           \
    X(ISEQUAL, T, n, tw_isequal(a, b))                                                                                 \
    X(ISNOTEQUAL, T, n, tw_isnotequal(a, b))                                                                           \
    X(ISGREATER, T, n, tw_isgreater(a, b))                                                                             \
    X(ISGREATEREQUAL, T, n, tw_isgreaterequal(a, b))                                                                   \
    X(ISLESS, T, n, tw_isless(a, b))                                                                                   \
    X(ISLESSEQUAL, T, n, tw_islessequal(a, b))                                                                         \
    X(ISLESSGREATER, T, n, tw_islessgreater(a, b))                                                                     \
    X(ISORDERED, T, n, tw_isordered(a, b))                                                                             \
    X(ISUNORDERED, T, n, tw_isunordered(a, b))                                                                         \
    X(ISFINITE, T, n, tw_isfinite(a))                                                                                  \
    X(ISINF, T, n, tw_isinf(a))                                                                                        \
    X(ISNAN, T, n, tw_isnan(a))                                                                                        \
    X(ISNORMAL, T, n, tw_isnormal(a))                                                                                  \
    X(SIGNBIT, T, n, tw_signbit(a))                                                                                    \
    X(LESS_OPERATOR, T, n, a < b)
/* Over all types. Scalars also have a form of select that takes an int. */
#define SELECTIONS(X, T, n)                                                                                            \
    X(BITSELECT, T, n, tw_bitselect(a, b, c))                                                                          \
    X(SELECT_SIGNED, T, n, tw_select(a, b, AS_BITS(tw_internal_s_##T##n, c)))                                          \
    X(SELECT_UNSIGNED, T, n, tw_select(a, b, AS_BITS(tw_internal_u_##T##n, c)))
/* Over integers. The answer is stored for each element. */
#define REDUCTIONS(X, T, n)                                                                                            \
    X(ANY, T, n, (tw_##T##n)(tw_##T)tw_any(a))                                                                         \
    X(ALL, T, n, (tw_##T##n)(tw_##T)tw_all(a))
#define AS_BITS(type, x) __builtin_bit_cast(type, x)

#define NAME(function, T, n, expression) function,
enum { COMPARISONS(NAME, , ) COMPARISON_COUNT };
enum { SELECTIONS(NAME, , ) SELECTION_COUNT };
enum { REDUCTIONS(NAME, , ) REDUCTION_COUNT };

/* ---- the kernels ------------------------------------------------------------------------------------------------- */

/* Results are kept as integers of the same width: those of comparisons are such, or int. */
#define STORE_MASK(function, T, n, expression)                                                                         \
    VSTORE(n, (tw_internal_s_##T##n)(expression), j, out + (size_t)(function) * SIZES * k->count);
#define STORE_BITS(function, T, n, expression)                                                                         \
    VSTORE(n, AS_BITS(tw_internal_s_##T##n, (expression)), j, out + (size_t)(function) * SIZES * k->count);
#define APPLY_TO(FUNCTIONS, STORE, T, n, lanes, size)                                                                  \
    EACH_VECTOR(j, lanes)                                                                                              \
    {                                                                                                                  \
        const tw_##T##n a = VLOAD(n, j, k->a + base), b = VLOAD(n, j, k->b + base), c = VLOAD(n, j, k->c + base);      \
        tw_internal_s_##T *const out = k->out + size * k->count + base;                                                \
        (void)b, (void)c;                                                                                              \
        FUNCTIONS(STORE, T, n)                                                                                         \
    }
#define COMPARE_ALL(T, n, lanes, size) APPLY_TO(COMPARISONS, STORE_MASK, T, n, lanes, size)
#define SELECT_ALL(T, n, lanes, size) APPLY_TO(SELECTIONS, STORE_BITS, T, n, lanes, size)
#define REDUCE_ALL(T, n, lanes, size) APPLY_TO(REDUCTIONS, STORE_BITS, T, n, lanes, size)
#define KERNEL(name, T, APPLY) BUILTIN_KERNEL(name, tw_##T, tw_internal_s_##T, BUILTIN_SIZES(APPLY, T))
#define KERNEL_COMPARE(T) KERNEL(compare_##T, T, COMPARE_ALL)
#define KERNEL_SELECT(T) KERNEL(select_##T, T, SELECT_ALL)
#define KERNEL_REDUCE(T) KERNEL(reduce_##T, T, REDUCE_ALL)
TW_INTERNAL_FLOAT_TYPES(KERNEL_COMPARE)
TW_INTERNAL_TYPES(KERNEL_SELECT)
TW_INTERNAL_INTEGER_TYPES(KERNEL_REDUCE)

/* ---- the reference ----------------------------------------------------------------------------------------------- */

static int compared(int function, long double a, long double b, int bytes)
{
    const struct builtin_format format = builtin_format(bytes);
    switch (function) {
    case ISEQUAL:
        return a == b;
    case ISNOTEQUAL:
        return a != b;
    case ISGREATER:
        return a > b;
    case ISGREATEREQUAL:
        return a >= b;
    case LESS_OPERATOR:
    case ISLESS:
        return a < b;
    case ISLESSEQUAL:
        return a <= b;
    case ISLESSGREATER:
        return a < b || a > b;
    case ISORDERED:
        return !isnan(a) && !isnan(b);
    case ISUNORDERED:
        return isnan(a) || isnan(b);
    case ISFINITE:
        return isfinite(a) != 0;
    case ISINF:
        return isinf(a) != 0;
    case ISNAN:
        return isnan(a) != 0;
    case ISNORMAL:
        return isfinite(a) && fabsl(a) >= ldexpl(1, format.lowest + format.digits - 1);
    default:
        return signbit(a) != 0;
    }
}

static uint64_t selected(int function, uint64_t a, uint64_t b, uint64_t c, int bits, bool is_scalar)
{
    if (function != BITSELECT)
        return (is_scalar ? c != 0 : c >> (bits - 1) & 1) ? b : a;
    for (int i = 0; i < bits; ++i)
        if (c >> i & 1)
            a = (a & ~(1ull << i)) | (b & 1ull << i);
    return a;
}

/* ---- the checks -------------------------------------------------------------------------------------------------- */

enum { COUNT = 4800, SPECIALS = 20 };
static uint64_t arguments[3][COUNT];
static size_t triples; /* functions, types and sizes that were checked */

static uint64_t bits_at(const void *array, size_t i, int bytes)
{
    uint64_t bits = 0;
    memcpy(&bits, (const char *)array + i * (size_t)bytes, (size_t)bytes);
    return bits;
}

/* All pairs of special numbers, then random bits, of which every other pair is equal. Third: random bits and zeros. */
static void fill_floats(int bytes)
{
    const struct builtin_format format = builtin_format(bytes);
    const long double normal = ldexpl(1, format.lowest + format.digits - 1), least = ldexpl(1, format.lowest);
    const long double most = ldexpl(2 - ldexpl(1, 1 - format.digits), format.highest - 1);
    const long double specials[SPECIALS / 2] = {0, NAN, INFINITY, least, normal - least, normal, 1, 1.5L, most, 2};
    for (size_t i = 0; i < COUNT; ++i)
        for (unsigned argument = 0; argument < 2; ++argument) {
            const size_t which = argument ? i / SPECIALS % SPECIALS : i % SPECIALS;
            uint64_t bits = builtin_random();
            if (i < SPECIALS * SPECIALS)
                builtin_set_float(arguments[argument], i, bytes, copysignl(specials[which / 2], which % 2 ? -1 : 1));
            else if (argument && i % 2)
                memcpy((char *)arguments[1] + i * (size_t)bytes, (char *)arguments[0] + i * (size_t)bytes,
                       (size_t)bytes);
            else
                memcpy((char *)arguments[argument] + i * (size_t)bytes, &bits, (size_t)bytes);
        }
}

static void compare_comparisons(const void *results, int bytes)
{
    for (int function = 0; function < COMPARISON_COUNT; ++function)
        for (size_t size = 0; size < SIZES; ++size) {
            for (size_t i = 0; i < COUNT; ++i) {
                const long double a = builtin_float(arguments[0], i, bytes), b = builtin_float(arguments[1], i, bytes);
                const uint64_t holds = ~0ull >> (64 - 8 * bytes), yes = builtin_lanes[size] == 1 ? 1 : holds;
                const uint64_t right = compared(function, a, b, bytes) ? yes : 0;
                const uint64_t got = bits_at(results, ((size_t)function * SIZES + size) * COUNT + i, bytes);
                if (got == right)
                    continue;
                fprintf(stderr, "function %d of %d bytes, size %zu: (%La, %La) gives 0x%llx, not 0x%llx\n", function,
                        bytes, builtin_lanes[size], a, b, (unsigned long long)got, (unsigned long long)right);
                TW_CHECK(!"the functions agree with the reference");
            }
            triples += function != LESS_OPERATOR;
        }
}

static void compare_selections(const void *results, int bytes)
{
    for (int function = 0; function < SELECTION_COUNT; ++function)
        for (size_t size = 0; size < SIZES; ++size) {
            for (size_t i = 0; i < COUNT; ++i)
                TW_EQUAL(bits_at(results, ((size_t)function * SIZES + size) * COUNT + i, bytes),
                         selected(function, bits_at(arguments[0], i, bytes), bits_at(arguments[1], i, bytes),
                                  bits_at(arguments[2], i, bytes), 8 * bytes, size == 0));
            ++triples;
        }
}

static void compare_reductions(const void *results, int bytes)
{
    for (size_t size = 0; size < SIZES; ++size) {
        for (size_t i = 0; i < COUNT; ++i) {
            const size_t lanes = builtin_lanes[size], first = i - i % lanes;
            size_t set = 0;
            for (size_t lane = first; lane < first + lanes; ++lane)
                set += bits_at(arguments[0], lane, bytes) >> (8 * bytes - 1);
            TW_EQUAL(bits_at(results, (ANY * SIZES + size) * COUNT + i, bytes), set > 0);
            TW_EQUAL(bits_at(results, (ALL * SIZES + size) * COUNT + i, bytes), set == lanes);
        }
        triples += REDUCTION_COUNT;
    }
}

#define RUN(kernel, T, functions, compare)                                                                             \
    BUILTIN_RUN(kernel, tw_##T, tw_internal_s_##T, arguments, COUNT, functions, compare(results, sizeof(tw_##T)));

#define CHECK_COMPARISONS(T)                                                                                           \
    fill_floats(sizeof(tw_##T));                                                                                       \
    RUN(compare_##T, T, COMPARISON_COUNT, compare_comparisons)

TW_TEST(comparisons_give_0_and_1_or_0_and_all_bits)
{
    triples = 0;
    TW_INTERNAL_FLOAT_TYPES(CHECK_COMPARISONS)
    TW_EQUAL(triples, 14 * 3 * 6); /* 14 functions of 3 types in 6 sizes */
    printf("comparisons: %zu combinations of function, type and size\n", triples);
}

/* Random bits, of which some are NaN; a third of the conditions are 0. */
#define CHECK_SELECTIONS(T)                                                                                            \
    for (size_t i = 0; i < COUNT; ++i)                                                                                 \
        for (unsigned argument = 0; argument < 3; ++argument) {                                                        \
            const uint64_t bits = argument == 2 && i % 3 == 0 ? 0 : builtin_random();                                  \
            memcpy((char *)arguments[argument] + i * sizeof(tw_##T), &bits, sizeof(tw_##T));                           \
        }                                                                                                              \
    RUN(select_##T, T, SELECTION_COUNT, compare_selections)

TW_TEST(selections_take_bits_and_elements)
{
    triples = 0;
    TW_INTERNAL_TYPES(CHECK_SELECTIONS)
    TW_EQUAL(triples,
             3 * 11 * 6); /* bitselect, and select with signed and unsigned conditions, of 11 types in 6 sizes */
    printf("selections: %zu combinations of function, type and size\n", triples);
}

/* Elements are negative, or not, in stretches of different length. */
#define CHECK_REDUCTIONS(T)                                                                                            \
    for (size_t i = 0; i < COUNT; ++i) {                                                                               \
        const uint64_t sign = 1ull << (8 * sizeof(tw_##T) - 1), low = builtin_random();                                \
        const uint64_t bits = builtin_random() % 16 < i / (COUNT / 16) ? low | sign : low & ~sign;                     \
        memcpy((char *)arguments[0] + i * sizeof(tw_##T), &bits, sizeof(tw_##T));                                      \
    }                                                                                                                  \
    RUN(reduce_##T, T, REDUCTION_COUNT, compare_reductions)

TW_TEST(any_and_all_look_at_the_sign)
{
    triples = 0;
    TW_INTERNAL_INTEGER_TYPES(CHECK_REDUCTIONS)
    TW_EQUAL(triples, 2 * 8 * 6); /* of 8 types in 6 sizes */
    printf("any and all: %zu combinations of function, type and size\n", triples);
}

TW_TEST(scalars_are_selected_by_the_value_of_an_int)
{
    TW_EQUAL(tw_select((tw_char)1, (tw_char)2, 256), 2);
    TW_EQUAL(tw_select(1L, 2L, tw_isless(1.0, 2.0)), 2);
    TW_CHECK(tw_select(1.0, 2.0, tw_isnan(1.0)) == 1.0);
    TW_CHECK(tw_select((tw_half)1, (tw_half)2, 1) == (tw_half)2);
    TW_EQUAL(tw_select(1ull, 2ull, 1), 2);
    TW_EQUAL(tw_bitselect(0xffLL, 0x00LL, 0x0fLL), 0xf0);
    TW_EQUAL(tw_any((int8_t)-1) + tw_all(-1LL), 2);
}

TW_TEST_LIST = {TW_CASE(comparisons_give_0_and_1_or_0_and_all_bits), TW_CASE(selections_take_bits_and_elements),
                TW_CASE(any_and_all_look_at_the_sign), TW_CASE(scalars_are_selected_by_the_value_of_an_int),
                TW_CASES_END};
