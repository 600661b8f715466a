/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host (x86_64 gpu-simt), values, unsanitized, long */
/**
 * lower/vector/convert.h on the device under test (property 54): conversions between all pairs of types in all sizes, rounding
 * modes and with saturation, exactly, against arithmetic in long double, which holds every number of every type.
 * Types of 8 and 16 bits give all their numbers; wider ones limits, ties, their neighbours, and random numbers.
 *
 * The kernels take the rounding mode at run time, in place of the ten public names of each conversion; that each name
 * stands for the right one is checked by its text.
 */
#include "builtin.h"

/* X(R, S, n, lanes, size) for each size; X(R, S) for each source type. */
#define SIZES_OF(X, R, S)                                                                                              \
    X(R, S, , 1, 0) X(R, S, 2, 2, 1) X(R, S, 3, 3, 2) X(R, S, 4, 4, 3) X(R, S, 8, 8, 4) X(R, S, 16, 16, 5)
#define SOURCES(X, R)                                                                                                  \
    X(R, char)                                                                                                         \
    X(R, uchar)                                                                                                        \
    X(R, short) X(R, ushort) X(R, int) X(R, uint) X(R, long) X(R, ulong) X(R, half) X(R, float) X(R, double)

/* Ways to convert: the default and four roundings; for integer results the same again, saturated. */
enum { ROUNDINGS = 5, INTEGER_WAYS = 10 };

/*
 * A function of its own for each size, lest the compiler makes a loop for each way; and one kernel for each result,
 * since 121 kernels would take long to compile: `from` is the place of the source type in the list.
 */
#define CONVERSION(R, S, n, lanes, size)                                                                               \
    static BUILTIN_BODY void one_##R##n##_from_##S(tw_##R *to, const tw_##S *from, size_t j, int how)                  \
    {                                                                                                                  \
        VSTORE(n, tw_internal_to_##R##n(VLOAD(n, j, from), how), j, to);                                               \
    }
#define CONVERT(R, S, n, lanes, size)                                                                                  \
    EACH_VECTOR(j, lanes) one_##R##n##_from_##S(out + size * k->count, (const tw_##S *)k->in + base, j, how);
#define CONVERSIONS(R, S)                                                                                              \
    SIZES_OF(CONVERSION, R, S)                                                                                         \
    static BUILTIN_BODY void all_##R##_from_##S(const struct convert_##R *k, size_t base)                              \
    {                                                                                                                  \
        for (int way = 0; way < k->ways; ++way) {                                                                      \
            const int how = way % ROUNDINGS + (way < ROUNDINGS ? 0 : TW_INTERNAL_SAT);                                 \
            tw_##R *const out = k->out + (size_t)way * SIZES * k->count + base;                                        \
            SIZES_OF(CONVERT, R, S)                                                                                    \
        }                                                                                                              \
    }
#define PLACE(R, S) FROM_##S,
enum { SOURCES(PLACE, ) SOURCE_COUNT };
#define CASE(R, S)                                                                                                     \
    case FROM_##S:                                                                                                     \
        all_##R##_from_##S(k, base);                                                                                   \
        break;
#define KERNEL(R)                                                                                                      \
    struct convert_##R {                                                                                               \
        const void *in;                                                                                                \
        tw_##R *out; /* [ways][SIZES][count] */                                                                        \
        size_t count;                                                                                                  \
        int from, ways;                                                                                                \
    };                                                                                                                 \
    SOURCES(CONVERSIONS, R)                                                                                            \
    static inline void convert_##R(tw_item item, const struct convert_##R *k)                                          \
    {                                                                                                                  \
        const size_t base = CHUNK * tw_global_id(item, 0);                                                             \
        switch (k->from) {                                                                                             \
            SOURCES(CASE, R)                                                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    TW_RANGE_KERNEL(convert_##R, 1);
TW_INTERNAL_TYPES(KERNEL)

/* ---- types ------------------------------------------------------------------------------------------------------- */

struct type {
    int bytes;
    bool is_float, is_signed;
};
#define TYPE(T) {sizeof(tw_##T), (tw_##T)0.5 != 0, (tw_##T) - 1 < 1}
#define TYPE_OF(R, S) TYPE(S),
static const struct type source_types[SOURCE_COUNT] = {SOURCES(TYPE_OF, )};

static long double number(const void *array, size_t i, struct type type)
{
    uint64_t bits = 0;
    if (type.is_float)
        return builtin_float(array, i, type.bytes);
    memcpy(&bits, (const char *)array + i * (size_t)type.bytes, (size_t)type.bytes);
    const int rest = 64 - 8 * type.bytes;
    return type.is_signed ? (long double)((int64_t)(bits << rest) >> rest) : (long double)bits;
}

/* ---- the reference ----------------------------------------------------------------------------------------------- */

static long double integral(long double x, int rounding)
{
    switch (rounding) {
    case TW_INTERNAL_RTE:
        return rintl(x); /* in the default rounding mode */
    case TW_INTERNAL_RTP:
        return ceill(x);
    case TW_INTERNAL_RTN:
        return floorl(x);
    default:
        return truncl(x);
    }
}

/* As a number of the type; NaN where any number would do. */
static long double to_integer(long double x, struct type type, struct type source, int way)
{
    const long double top = ldexpl(1, 8 * type.bytes - type.is_signed), low = type.is_signed ? -top : 0;
    const long double modulus = ldexpl(1, 8 * type.bytes);
    const long double rounded = integral(x, way % ROUNDINGS);
    if (rounded >= low && rounded < top)
        return rounded;
    if (way >= ROUNDINGS)
        return isnan(x) ? 0 : rounded < low ? low : top - 1;
    if (source.is_float)
        return NAN;
    x = x - modulus * floorl(x / modulus); /* exact: the quotient is a small number times a power of two */
    return x < top ? x : x - modulus;
}

static long double to_float(long double x, struct type type, int rounding)
{
    const struct builtin_format format = builtin_format(type.bytes);
    const long double most = ldexpl(2 - ldexpl(1, 1 - format.digits), format.highest - 1);
    int exponent;
    if (x == 0 || !isfinite(x))
        return x;
    frexpl(x, &exponent);
    exponent = exponent - format.digits > format.lowest ? exponent - format.digits : format.lowest;
    x = ldexpl(integral(ldexpl(x, -exponent), rounding ? rounding : TW_INTERNAL_RTE), exponent);
    if (fabsl(x) <= most)
        return x;
    const bool outwards = rounding == TW_INTERNAL_RTP   ? x > 0
                          : rounding == TW_INTERNAL_RTN ? x < 0
                                                        : rounding != TW_INTERNAL_RTZ;
    return copysignl(outwards ? INFINITY : most, x);
}

/* ---- the checks -------------------------------------------------------------------------------------------------- */

enum { COUNT = 65568, WIDE_COUNT = 9600 };
static uint64_t argument[COUNT];
static long double expected[COUNT];
static size_t combinations;

static size_t count_of(struct type type)
{
    return type.bytes == 1 ? 288 : type.bytes == 2 ? COUNT : WIDE_COUNT;
}

static void fill_wide_float(size_t i, int bytes)
{
    /* limits of integer types, of half and of float, and where they begin to be subnormal */
    static const long double bases[] = {
        0,         0.5L,      1,         1.5L,       2,          2.5L,      127,      128,      255,      256,
        32767,     32768,     65504,     65520,      65535,      65536,     0x1p23L,  0x1p24L,  0x1p31L,  0x1p32L,
        0x1p52L,   0x1p53L,   0x1p63L,   0x1p64L,    0x1p128L,   0x1p1023L, 0x1p-14L, 0x1p-24L, 0x1p-25L, 0x1p-26L,
        0x1p-126L, 0x1p-149L, 0x1p-150L, 0x1p-1022L, 0x1p-1074L, INFINITY,  NAN};
    const size_t base_count = sizeof bases / sizeof *bases;
    const uint64_t bits = builtin_random();
    long double x;
    if (i < 16 * base_count) {
        x = bases[i / 16];
        const long double steps[] = {
            0, 0.5L, 0.25L, 1, builtin_ulp(x, bytes), builtin_ulp(x, 2) / 2, builtin_ulp(x, 4) / 2, builtin_ulp(x, 8)};
        x += i & 8 ? steps[i % 8] : -steps[i % 8];
        x = i & 1 ? x : -x;
    } else if (i % 3 == 0) { /* any bits */
        memcpy((char *)argument + i * (size_t)bytes, &bits, (size_t)bytes);
        return;
    } else if (i % 3 == 1) { /* what fits integer types */
        x = builtin_random_float(-6, 66);
    } else { /* a tie of half or of float, also of subnormal ones, or what lies beside it */
        const int digits = bits & 1 ? 11 : 24;
        x = ldexpl((long double)(builtin_random() >> (63 - digits) | 1),
                   (int)(builtin_random() % 40) - (bits & 2 ? 20 : 45));
        x += (long double)(int)(bits >> 8 & 3) * builtin_ulp(x, bytes) - builtin_ulp(x, bytes);
        x = bits & 4 ? x : -x;
    }
    builtin_set_float(argument, i, bytes, x);
}

static void fill(struct type type)
{
    for (size_t i = 0; i < count_of(type); ++i)
        if (type.bytes <= 2)
            memcpy((char *)argument + i * (size_t)type.bytes, &i, (size_t)type.bytes);
        else if (type.is_float)
            fill_wide_float(i, type.bytes);
    if (type.bytes > 2 && !type.is_float)
        builtin_integers(argument, count_of(type), type.bytes, 0);
}

static void compare(const void *results, struct type to, struct type from)
{
    const size_t count = count_of(from);
    for (int way = 0; way < (to.is_float ? ROUNDINGS : INTEGER_WAYS); ++way) {
        for (size_t i = 0; i < count; ++i) {
            const long double x = number(argument, i, from);
            expected[i] = to.is_float ? to_float(x, to, way) : to_integer(x, to, from, way);
        }
        for (size_t size = 0; size < SIZES; ++size) {
            for (size_t i = 0; i < count; ++i) {
                const long double got = number(results, ((size_t)way * SIZES + size) * count + i, to);
                if (builtin_same(got, expected[i]) || (!to.is_float && (got == expected[i] || isnan(expected[i]))))
                    continue;
                fprintf(stderr, "%Lg (%La) to %s of %d bytes, way %d, %zu elements: %La, not %La\n",
                        number(argument, i, from), number(argument, i, from),
                        to.is_float    ? "a floating-point type"
                        : to.is_signed ? "a signed type"
                                       : "an unsigned type",
                        to.bytes, way, builtin_lanes[size], got, expected[i]);
                TW_CHECK(!"the conversions agree with the reference");
            }
            ++combinations;
        }
    }
}

#define CHECK(R)                                                                                                       \
    for (int from = 0; from < SOURCE_COUNT; ++from) {                                                                  \
        const struct type type = TYPE(R);                                                                              \
        const int ways = type.is_float ? ROUNDINGS : INTEGER_WAYS;                                                     \
        const size_t count = count_of(source_types[from]), result_count = (size_t)ways * SIZES * count;                \
        tw_##R *results = builtin_results(result_count * sizeof(tw_##R));                                              \
        fill(source_types[from]);                                                                                      \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_buffer *in = builtin_buffer(argument, (size_t)source_types[from].bytes, count);                             \
        tw_buffer *out = builtin_buffer(results, sizeof(tw_##R), result_count);                                        \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_parallel_for(cg, tw_range_1d(count / CHUNK), convert_##R, .in = tw_read(cg, in),                            \
                        .out = tw_discard_write(cg, out), .count = count, .from = from, .ways = ways);                 \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_buffer_destroy(&out));                                                                              \
        TW_PASS(tw_buffer_destroy(&in));                                                                               \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
        compare(results, type, source_types[from]);                                                                    \
        free(results);                                                                                                 \
    }

TW_TEST(every_pair_of_types_size_and_way_is_exact)
{
    combinations = 0;
    TW_INTERNAL_TYPES(CHECK)
    /* to 8 integer and 3 floating-point types from 11, in 6 sizes */
    TW_EQUAL(combinations, (8 * INTEGER_WAYS + 3 * ROUNDINGS) * 11 * 6);
    printf("conversions: %zu combinations of types, size, rounding and saturation\n", combinations);
}

/* ---- the names --------------------------------------------------------------------------------------------------- */

/* The text of a macro's expansion. */
#define TEXT(...) TEXT_OF(__VA_ARGS__)
#define TEXT_OF(...) #__VA_ARGS__

static size_t names;

static void check_name(const char *text, const char *function, const char *how)
{
    char right[128];
    snprintf(right, sizeof right, "%s((x), %s)", function, how);
    if (strcmp(text, right) != 0)
        fprintf(stderr, "%s, not %s\n", text, right);
    TW_CHECK(strcmp(text, right) == 0);
    ++names;
}

#define NAMES(R, n, sat, how)                                                                                          \
    check_name(TEXT(tw_convert_##R##n##sat(x)), "tw_internal_to_" #R #n, how "TW_INTERNAL_DEFAULT");                   \
    check_name(TEXT(tw_convert_##R##n##sat##_rte(x)), "tw_internal_to_" #R #n, how "TW_INTERNAL_RTE");                 \
    check_name(TEXT(tw_convert_##R##n##sat##_rtz(x)), "tw_internal_to_" #R #n, how "TW_INTERNAL_RTZ");                 \
    check_name(TEXT(tw_convert_##R##n##sat##_rtp(x)), "tw_internal_to_" #R #n, how "TW_INTERNAL_RTP");                 \
    check_name(TEXT(tw_convert_##R##n##sat##_rtn(x)), "tw_internal_to_" #R #n, how "TW_INTERNAL_RTN");
#define NAMES_PLAIN(R, n) NAMES(R, n, , "")
#define NAMES_SAT(R, n) NAMES(R, n, _sat, "TW_INTERNAL_SAT | ")
#define NAMES_OF(R) TW_INTERNAL_SCALAR_AND_VECTORS(NAMES_PLAIN, R)
#define NAMES_SAT_OF(R) TW_INTERNAL_SCALAR_AND_VECTORS(NAMES_SAT, R)

TW_TEST(every_name_stands_for_its_conversion)
{
    names = 0;
    TW_INTERNAL_TYPES(NAMES_OF)
    TW_INTERNAL_INTEGER_TYPES(NAMES_SAT_OF)
    TW_EQUAL(names, (8 * INTEGER_WAYS + 3 * ROUNDINGS) * 6);
}

/* ---- what the user writes ---------------------------------------------------------------------------------------- */

TW_TEST(conversions_have_the_type_of_their_name)
{
    const tw_float4 v = {-1.5f, 2.5f, 300.7f, NAN};
    const tw_uchar4 bytes = tw_convert_uchar4_sat_rte(v);
    TW_CHECK(tw_all(bytes == (tw_uchar4){0, 2, 255, 0}));
    TW_EQUAL(sizeof(tw_convert_half16(tw_splat_long16(1))), 32);
    TW_CHECK(tw_convert_float3_rtp((tw_int3){16777217, 1, 2}).x == 16777218);
    TW_EQUAL(tw_convert_int_rtp(0.25), 1);
    TW_EQUAL(tw_convert_char_sat(1000), 127);
    TW_EQUAL(tw_convert_uchar_sat((int8_t)-1), 0);
    TW_EQUAL(tw_convert_int_sat(-0x7fffffffffffffffLL), -0x7fffffff - 1);
    TW_EQUAL(tw_convert_int_sat(0x8000000000000000ULL), 0x7fffffff);
    TW_CHECK(tw_convert_float_rtz(0xffffffffffffffffULL) == 0x1.fffffep63f);
    TW_CHECK(tw_convert_half_rtz(100000.0) == (tw_half)65504 && isinf((float)tw_convert_half(100000LL)));
}

TW_TEST_LIST = {TW_CASE(every_pair_of_types_size_and_way_is_exact), TW_CASE(every_name_stands_for_its_conversion),
                TW_CASE(conversions_have_the_type_of_their_name), TW_CASES_END};
