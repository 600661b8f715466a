/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host (x86_64 gpu-simt), values, unsanitized, long */
/**
 * lower/vector/vector.h on the device under test: sizes and alignments (property 53), operators (55), elements by name as
 * values and as places (54), reinterpretation (54), and vectors in buffers, blocks and local memory.
 */
#include "builtin.h"

/* ---- property 53 ------------------------------------------------------------------------------------------------- */

/* Asserted in every pass, so that host and devices agree. */
#define LAYOUT(T, n)                                                                                                   \
    _Static_assert(sizeof(tw_##T##n) == ((n) == 3 ? 4 : (n)) * sizeof(tw_##T), "the size of a vector");                \
    _Static_assert(_Alignof(tw_##T##n) == sizeof(tw_##T##n), "the alignment of a vector");
TW_INTERNAL_ALL_VECTORS(LAYOUT)
_Static_assert(sizeof(tw_char) == 1 && sizeof(tw_uchar) == 1 && sizeof(tw_short) == 2 && sizeof(tw_ushort) == 2,
               "widths");
_Static_assert(sizeof(tw_int) == 4 && sizeof(tw_uint) == 4 && sizeof(tw_long) == 8 && sizeof(tw_ulong) == 8, "widths");
_Static_assert(sizeof(tw_half) == 2 && sizeof(tw_float) == 4 && sizeof(tw_double) == 8, "widths");

/* The type of an expression, for scalars and vectors alike; its value is not computed. */
#define HAS_TYPE(expression, type) _Generic((expression), type: 1, default: 0)

TW_TEST(comparisons_and_elements_have_their_types)
{
#define TYPES(T, n)                                                                                                    \
    TW_CHECK(HAS_TYPE((tw_##T##n){0} < (tw_##T##n){0}, tw_internal_s_##T##n));                                         \
    TW_CHECK(HAS_TYPE((tw_##T##n){0}.x, tw_##T) && HAS_TYPE((tw_##T##n){0}[0], tw_##T));                               \
    TW_CHECK(HAS_TYPE((tw_##T##n){0}.yxxy, tw_##T##4));
    TW_INTERNAL_ALL_VECTORS(TYPES)
    TW_EQUAL((tw_int4){1}.w, 0);
}

/* ---- property 55 ------------------------------------------------------------------------------------------------- */

/* X(name, T, n, expression), over values a and b of which b is not zero; scalars are spread. */
#define ARITHMETIC(X, T, n)                                                                                            \
    X(ADD, T, n, a + b)                                                                                                \
    X(SUBTRACT, T, n, a - b)                                                                                           \
    X(MULTIPLY, T, n, a *b)                                                                                            \
    X(DIVIDE, T, n, a / b)                                                                                             \
    X(NEGATE, T, n, -a)                                                                                                \
    X(PLUS, T, n, +a)                                                                                                  \
    X(ADD_SCALAR, T, n, a + (tw_##T)3)                                                                                 \
    X(SUBTRACT_SCALAR, T, n, a - (tw_##T)3)                                                                            \
    X(MULTIPLY_SCALAR, T, n, a *(tw_##T)3)                                                                             \
    X(DIVIDE_SCALAR, T, n, a / (tw_##T)3)                                                                              \
    X(FROM_SCALAR, T, n, (tw_##T)3 - a)                                                                                \
    X(ADD_TO, T, n, (r = a, r += b, r))                                                                                \
    X(SUBTRACT_FROM, T, n, (r = a, r -= b, r))                                                                         \
    X(MULTIPLY_BY, T, n, (r = a, r *= b, r))                                                                           \
    X(DIVIDE_BY, T, n, (r = a, r /= b, r))                                                                             \
    X(ADD_TO_SCALAR, T, n, (r = a, r += (tw_##T)3, r))                                                                 \
    X(SUBTRACT_FROM_SCALAR, T, n, (r = a, r -= (tw_##T)3, r))                                                          \
    X(MULTIPLY_BY_SCALAR, T, n, (r = a, r *= (tw_##T)3, r))                                                            \
    X(DIVIDE_BY_SCALAR, T, n, (r = a, r /= (tw_##T)3, r))                                                              \
    X(ASSIGN_SCALAR, T, n, (r = (tw_##T)3))                                                                            \
    X(CHOOSE, T, n, a < b ? a : b)
#define INTEGERS(X, T, n)                                                                                              \
    X(REMAINDER, T, n, a % b)                                                                                          \
    X(AND, T, n, a &b)                                                                                                 \
    X(OR, T, n, a | b)                                                                                                 \
    X(XOR, T, n, a ^ b)                                                                                                \
    X(NOT, T, n, ~a)                                                                                                   \
    X(SHIFT_LEFT, T, n, a << (b & (tw_##T)3))                                                                          \
    X(SHIFT_RIGHT, T, n, a >> (b & (tw_##T)3))                                                                         \
    X(AND_WITH, T, n, (r = a, r &= b, r))                                                                              \
    X(OR_WITH, T, n, (r = a, r |= b, r))                                                                               \
    X(SHIFT_BY, T, n, (r = a, r <<= (tw_##T)2, r))
#define COMPARISONS(X, T, n)                                                                                           \
    X(EQUAL, T, n, a == b)                                                                                             \
    X(NOT_EQUAL, T, n, a != b)                                                                                         \
    X(LESS, T, n, a < b)                                                                                               \
    X(LESS_EQUAL, T, n, a <= b)                                                                                        \
    X(GREATER, T, n, a > b)                                                                                            \
    X(GREATER_EQUAL, T, n, a >= b)                                                                                     \
    X(LESS_SCALAR, T, n, a < (tw_##T)3)                                                                                \
    X(LOGICAL_NOT, T, n, !a)                                                                                           \
    X(LOGICAL_AND, T, n, a &&b)                                                                                        \
    X(LOGICAL_OR, T, n, a || b)

#define NAME(function, T, n, expression) function,
enum { ARITHMETIC(NAME, , ) ARITHMETIC_COUNT };
enum { INTEGERS(NAME, , ) INTEGERS_COUNT };
enum { COMPARISONS(NAME, , ) COMPARISONS_COUNT };

#define STORE(function, T, n, expression) VSTORE(n, expression, j, out + (size_t)(function) * SIZES * k->count);
#define STORE_MASK(function, T, n, expression)                                                                         \
    VSTORE(n, (tw_internal_s_##T##n)(expression), j, out + (size_t)(function) * SIZES * k->count);
#define APPLY_TO(LIST, STORE, R, T, n, lanes, size)                                                                    \
    EACH_VECTOR(j, lanes)                                                                                              \
    {                                                                                                                  \
        const tw_##T##n a = VLOAD(n, j, k->a + base), b = VLOAD(n, j, k->b + base);                                    \
        R *const out = k->out + size * k->count + base;                                                                \
        tw_##T##n r = a;                                                                                               \
        (void)r;                                                                                                       \
        LIST(STORE, T, n)                                                                                              \
    }
#define APPLY_ARITHMETIC(T, n, lanes, size) APPLY_TO(ARITHMETIC, STORE, tw_##T, T, n, lanes, size)
#define APPLY_INTEGERS(T, n, lanes, size) APPLY_TO(INTEGERS, STORE, tw_##T, T, n, lanes, size)
#define APPLY_COMPARISONS(T, n, lanes, size) APPLY_TO(COMPARISONS, STORE_MASK, tw_internal_s_##T, T, n, lanes, size)
#define KERNELS(T)                                                                                                     \
    BUILTIN_KERNEL(arithmetic_##T, tw_##T, tw_##T, BUILTIN_SIZES(APPLY_ARITHMETIC, T))                                 \
    BUILTIN_KERNEL(comparisons_##T, tw_##T, tw_internal_s_##T, BUILTIN_SIZES(APPLY_COMPARISONS, T))
#define KERNELS_INTEGER(T) BUILTIN_KERNEL(integers_##T, tw_##T, tw_##T, BUILTIN_SIZES(APPLY_INTEGERS, T))
TW_INTERNAL_TYPES(KERNELS)
TW_INTERNAL_INTEGER_TYPES(KERNELS_INTEGER)

enum { COUNT = 960 };
static uint64_t arguments[3][COUNT];
static size_t triples;

/* Small enough that no operator overflows; the second is odd, hence not zero. Of floating-point types multiples of
   1/4. */
#define FILL(T)                                                                                                        \
    for (size_t i = 0; i < COUNT; ++i)                                                                                 \
        for (unsigned argument = 0; argument < 2; ++argument) {                                                        \
            const int any = (int)(builtin_random() % 15) - ((tw_##T) - 1 < 1 ? 7 : 0);                                 \
            const tw_##T value = (tw_##T)(argument ? any | 1 : any);                                                   \
            ((tw_##T *)arguments[argument])[i] = (tw_##T)(value / ((tw_##T)0.5 != 0 ? (tw_##T)4 : (tw_##T)1));         \
        }

/* The reference is C's operator on scalars, computed here: right[function * COUNT + i]. Comparisons give 0 and 1. */
#define EXPECT(function, T, n, expression) right[(function) * COUNT + i] = (tw_##T)(expression);
#define EXPECTED_TO(name, LIST, T)                                                                                     \
    static BUILTIN_BODY void name(tw_##T *right)                                                                       \
    {                                                                                                                  \
        for (size_t i = 0; i < COUNT; ++i) {                                                                           \
            const tw_##T a = ((const tw_##T *)arguments[0])[i], b = ((const tw_##T *)arguments[1])[i];                 \
            tw_##T r = a;                                                                                              \
            (void)r;                                                                                                   \
            LIST(EXPECT, T, )                                                                                          \
        }                                                                                                              \
    }
#define EXPECTED(T) EXPECTED_TO(arithmetic_of_##T, ARITHMETIC, T) EXPECTED_TO(comparisons_of_##T, COMPARISONS, T)
#define EXPECTED_INTEGERS(T) EXPECTED_TO(integers_of_##T, INTEGERS, T)
TW_INTERNAL_TYPES(EXPECTED)
TW_INTERNAL_INTEGER_TYPES(EXPECTED_INTEGERS)

static void compare(const void *results, const void *right, const char *type, size_t bytes, size_t functions)
{
    for (size_t function = 0; function < functions; ++function)
        for (size_t size = 0; size < SIZES; ++size) {
            const char *got = (const char *)results + (function * SIZES + size) * COUNT * bytes;
            const char *wanted = (const char *)right + function * COUNT * bytes;
            if (memcmp(got, wanted, COUNT * bytes) != 0)
                fprintf(stderr, "function %zu of %s, %zu elements\n", function, type, builtin_lanes[size]);
            TW_EQUAL(memcmp(got, wanted, COUNT * bytes), 0);
            ++triples;
        }
}

/* 1 of a scalar comparison is -1, all bits, of a vector's. */
#define COMPARE_MASKS(T)                                                                                               \
    for (size_t i = 0; i < result_count; ++i) {                                                                        \
        const size_t function = i / COUNT / SIZES, size = i / COUNT % SIZES;                                           \
        const bool holds = right[function * COUNT + i % COUNT] != 0;                                                   \
        TW_EQUAL(results[i], holds ? builtin_lanes[size] == 1 ? 1 : -1 : 0);                                           \
        triples += i % COUNT == 0;                                                                                     \
    }

#define CHECK_ARITHMETIC(T)                                                                                            \
    FILL(T)                                                                                                            \
    do {                                                                                                               \
        static tw_##T right[ARITHMETIC_COUNT * COUNT];                                                                 \
        arithmetic_of_##T(right);                                                                                      \
        BUILTIN_RUN(arithmetic_##T, tw_##T, tw_##T, arguments, COUNT, ARITHMETIC_COUNT,                                \
                    compare(results, right, #T, sizeof *right, ARITHMETIC_COUNT));                                     \
    } while (0);
#define CHECK_INTEGERS(T)                                                                                              \
    FILL(T)                                                                                                            \
    for (size_t i = 0; i < COUNT; ++i) /* a negative number is not shifted to the left */                              \
        ((tw_##T *)arguments[0])[i] = (tw_##T)(((tw_##T *)arguments[0])[i] & 15);                                      \
    do {                                                                                                               \
        static tw_##T right[INTEGERS_COUNT * COUNT];                                                                   \
        integers_of_##T(right);                                                                                        \
        BUILTIN_RUN(integers_##T, tw_##T, tw_##T, arguments, COUNT, INTEGERS_COUNT,                                    \
                    compare(results, right, #T, sizeof *right, INTEGERS_COUNT));                                       \
    } while (0);
#define CHECK_COMPARISONS(T)                                                                                           \
    FILL(T)                                                                                                            \
    do {                                                                                                               \
        static tw_##T right[COMPARISONS_COUNT * COUNT];                                                                \
        comparisons_of_##T(right);                                                                                     \
        BUILTIN_RUN(comparisons_##T, tw_##T, tw_internal_s_##T, arguments, COUNT, COMPARISONS_COUNT,                   \
                    COMPARE_MASKS(T));                                                                                 \
    } while (0);

TW_TEST(operators_act_on_elements)
{
    triples = 0;
    TW_INTERNAL_TYPES(CHECK_ARITHMETIC)
    TW_INTERNAL_INTEGER_TYPES(CHECK_INTEGERS)
    TW_EQUAL(triples, (ARITHMETIC_COUNT * 11 + INTEGERS_COUNT * 8) * 6);
}

TW_TEST(comparisons_give_0_or_all_bits)
{
    triples = 0;
    TW_INTERNAL_TYPES(CHECK_COMPARISONS)
    TW_EQUAL(triples, COMPARISONS_COUNT * 11 * 6);
}

/* ---- property 54: elements by name ------------------------------------------------------------------------------- */

/* X(T, n, expression, elements...): vectors v2 to v16 hold 0, 1, 2 ..., so that values are places. */
#define READS(X, T)                                                                                                    \
    X(T, , v2.x, 0)                                                                                                    \
    X(T, , v2.y, 1)                                                                                                    \
    X(T, 2, v2.yx, 1, 0)                                                                                               \
    X(T, 4, v2.xyxy, 0, 1, 0, 1)                                                                                       \
    X(T, 4, v2.gggr, 1, 1, 1, 0)                                                                                       \
    X(T, , v2.lo, 0)                                                                                                   \
    X(T, , v2.hi, 1)                                                                                                   \
    X(T, , v2.even, 0)                                                                                                 \
    X(T, , v2.odd, 1)                                                                                                  \
    X(T, , v3.z, 2)                                                                                                    \
    X(T, , v3.b, 2)                                                                                                    \
    X(T, 3, v3.zyx, 2, 1, 0)                                                                                           \
    X(T, 3, v3.s021, 0, 2, 1)                                                                                          \
    X(T, 2, v3.lo, 0, 1)                                                                                               \
    X(T, , v4.w, 3)                                                                                                    \
    X(T, , v4.a, 3)                                                                                                    \
    X(T, 4, v4.wzyx, 3, 2, 1, 0)                                                                                       \
    X(T, 4, v4.xxzy, 0, 0, 2, 1)                                                                                       \
    X(T, 4, v4.abgr, 3, 2, 1, 0)                                                                                       \
    X(T, 3, v4.s301, 3, 0, 1)                                                                                          \
    X(T, 2, v4.lo, 0, 1)                                                                                               \
    X(T, 2, v4.hi, 2, 3)                                                                                               \
    X(T, 2, v4.even, 0, 2)                                                                                             \
    X(T, 2, v4.odd, 1, 3)                                                                                              \
    X(T, 8, v4.xyzwwzyx, 0, 1, 2, 3, 3, 2, 1, 0)                                                                       \
    X(T, , v4.hi.x, 2)                                                                                                 \
    X(T, , v8.s7, 7)                                                                                                   \
    X(T, 8, v8.s76543210, 7, 6, 5, 4, 3, 2, 1, 0)                                                                      \
    X(T, 3, v8.s042, 0, 4, 2)                                                                                          \
    X(T, 4, v8.lo, 0, 1, 2, 3)                                                                                         \
    X(T, 4, v8.hi, 4, 5, 6, 7)                                                                                         \
    X(T, 4, v8.even, 0, 2, 4, 6)                                                                                       \
    X(T, 4, v8.odd, 1, 3, 5, 7)                                                                                        \
    X(T, 2, v8.hi.lo, 4, 5)                                                                                            \
    X(T, , v16.s9, 9)                                                                                                  \
    X(T, , v16.sa, 10)                                                                                                 \
    X(T, , v16.sF, 15)                                                                                                 \
    X(T, 4, v16.sAbCd, 10, 11, 12, 13)                                                                                 \
    X(T, 16, v16.sfedcba9876543210, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)                              \
    X(T, 8, v16.lo, 0, 1, 2, 3, 4, 5, 6, 7)                                                                            \
    X(T, 8, v16.hi, 8, 9, 10, 11, 12, 13, 14, 15)                                                                      \
    X(T, 8, v16.even, 0, 2, 4, 6, 8, 10, 12, 14)                                                                       \
    X(T, 8, v16.odd, 1, 3, 5, 7, 9, 11, 13, 15)                                                                        \
    X(T, , v16[11], 11)

/* X(T, n, statement, elements...): what v##n, which holds 0, 1, 2 ..., is after the statement. */
#define WRITES(X, T)                                                                                                   \
    X(T, 2, v2.x = (tw_##T)9, 9, 1)                                                                                    \
    X(T, 2, v2.yx = v2, 1, 0)                                                                                          \
    X(T, 2, v2.hi = v2.lo, 0, 0)                                                                                       \
    X(T, 3, v3.xz = v3.zx, 2, 1, 0)                                                                                    \
    X(T, 3, v3.bgr = v3.rgb, 2, 1, 0)                                                                                  \
    X(T, 3, v3.lo = v2.yx, 1, 0, 2)                                                                                    \
    X(T, 4, v4.wx = v4.xw, 3, 1, 2, 0)                                                                                 \
    X(T, 4, v4.s123 = v4.s000, 0, 0, 0, 0)                                                                             \
    X(T, 4, v4.ra = (tw_##T)9, 9, 1, 2, 9)                                                                             \
    X(T, 4, v4.hi = v4.lo, 0, 1, 0, 1)                                                                                 \
    X(T, 4, v4.odd = v4.even, 0, 0, 2, 2)                                                                              \
    X(T, 4, v4.xyz += (tw_##T)5, 5, 6, 7, 3)                                                                           \
    X(T, 4, v4[2] = (tw_##T)9, 0, 1, 9, 3)                                                                             \
    X(T, 4, v4 = (tw_##T)7, 7, 7, 7, 7)                                                                                \
    X(T, 8, v8.hi = v8.lo, 0, 1, 2, 3, 0, 1, 2, 3)                                                                     \
    X(T, 8, v8.even = v8.hi, 4, 1, 5, 3, 6, 5, 7, 7)                                                                   \
    X(T, 8, v8.s70 = v8.s07, 7, 1, 2, 3, 4, 5, 6, 0)                                                                   \
    X(T, 8, v8.lo.hi = v2, 0, 1, 0, 1, 4, 5, 6, 7)                                                                     \
    X(T, 16, v16.lo = v16.hi, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15)                              \
    X(T, 16, v16.odd = v16.even, 0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14)                                 \
    X(T, 16, v16.s0f = v16.sF0, 15, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0)                                  \
    X(T, 16, v16.sCa.y = (tw_##T)3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 3, 11, 12, 13, 14, 15)

enum { PLACES = 16, READ_COUNT = 44, WRITE_COUNT = 22 };

/* One work-item: every read and every write, each with PLACES places in `out`. */
#define READ(T, n, expression, ...)                                                                                    \
    {                                                                                                                  \
        const tw_##T##n r = expression;                                                                                \
        VSTORE(n, r, 0, out);                                                                                          \
        out += PLACES;                                                                                                 \
    }
#define WRITE(T, n, statement, ...)                                                                                    \
    {                                                                                                                  \
        tw_##T##2 v2 = tw_vload2(0, in);                                                                               \
        tw_##T##3 v3 = tw_vload3(0, in);                                                                               \
        tw_##T##4 v4 = tw_vload4(0, in);                                                                               \
        tw_##T##8 v8 = tw_vload8(0, in);                                                                               \
        tw_##T##16 v16 = tw_vload16(0, in);                                                                            \
        statement;                                                                                                     \
        (void)v2, (void)v3, (void)v4, (void)v8, (void)v16;                                                             \
        VSTORE(n, v##n, 0, out);                                                                                       \
        out += PLACES;                                                                                                 \
    }
#define SWIZZLES(T)                                                                                                    \
    static BUILTIN_BODY void swizzle_##T(const tw_##T *in, tw_##T *out)                                                \
    {                                                                                                                  \
        const tw_##T##2 v2 = tw_vload2(0, in);                                                                         \
        const tw_##T##3 v3 = tw_vload3(0, in);                                                                         \
        const tw_##T##4 v4 = tw_vload4(0, in);                                                                         \
        const tw_##T##8 v8 = tw_vload8(0, in);                                                                         \
        const tw_##T##16 v16 = tw_vload16(0, in);                                                                      \
        READS(READ, T)                                                                                                 \
        WRITES(WRITE, T)                                                                                               \
    }
TW_INTERNAL_TYPES(SWIZZLES)

/* One kernel for all types, since kernels take long to compile. */
#define TYPE_NAME(T) TYPE_##T,
enum { TW_INTERNAL_TYPES(TYPE_NAME) TYPE_COUNT };
struct swizzles {
    const void *in;
    void *out;
    int type;
};
static inline void swizzles(const struct swizzles *k)
{
#define SWIZZLE_CASE(T)                                                                                                \
    case TYPE_##T:                                                                                                     \
        swizzle_##T(k->in, k->out);                                                                                    \
        break;
    switch (k->type) {
        TW_INTERNAL_TYPES(SWIZZLE_CASE)
    }
}
TW_SINGLE_TASK(swizzles);

static const struct {
    const char *text;
    int elements[PLACES], count;
} named[] = {
#define ROW(T, n, text, ...) {#text, {__VA_ARGS__}, (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int))},
    READS(ROW, T) WRITES(ROW, T)};
enum { NAMED_COUNT = sizeof named / sizeof *named };

#define CHECK_SWIZZLES(T)                                                                                              \
    do {                                                                                                               \
        tw_##T in[PLACES], *out = builtin_results(NAMED_COUNT * PLACES * sizeof(tw_##T));                              \
        for (int i = 0; i < PLACES; ++i)                                                                               \
            in[i] = (tw_##T)i;                                                                                         \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_buffer *from = builtin_buffer(in, sizeof *in, PLACES);                                                      \
        tw_buffer *to = builtin_buffer(out, sizeof *out, NAMED_COUNT * PLACES);                                        \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_single_task(cg, swizzles, .in = tw_read(cg, from), .out = tw_write(cg, to), .type = TYPE_##T);              \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_buffer_destroy(&to));                                                                               \
        TW_PASS(tw_buffer_destroy(&from));                                                                             \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
        for (size_t i = 0; i < NAMED_COUNT; ++i)                                                                       \
            for (int place = 0; place < named[i].count; ++place) {                                                     \
                if (out[i * PLACES + (size_t)place] != (tw_##T)named[i].elements[place])                               \
                    fprintf(stderr, #T ": %s\n", named[i].text);                                                       \
                TW_CHECK(out[i * PLACES + (size_t)place] == (tw_##T)named[i].elements[place]);                         \
            }                                                                                                          \
        free(out);                                                                                                     \
    } while (0);

TW_TEST(elements_by_name_are_values_and_places)
{
    TW_EQUAL(NAMED_COUNT, READ_COUNT + WRITE_COUNT);
    TW_INTERNAL_TYPES(CHECK_SWIZZLES)
}

/* ---- property 54: reinterpretation ------------------------------------------------------------------------------- */

/* X(R, n, S, m): every type and size as the result, from types of other elements where there are some of the size. */
/* clang-format off */
#define SAME_SIZE(X) \
    X(char, , uchar, ) X(char, 2, half, ) X(char, 3, uchar, 4) \
    X(char, 4, float, ) X(char, 8, double, ) X(char, 16, uint, 4) \
    X(uchar, , char, ) X(uchar, 2, short, ) X(uchar, 3, char, 3) \
    X(uchar, 4, half, 2) X(uchar, 8, long, ) X(uchar, 16, float, 4) \
    X(short, , half, ) X(short, 2, int, ) X(short, 3, half, 4) \
    X(short, 4, double, ) X(short, 8, float, 4) X(short, 16, double, 4) \
    X(ushort, , half, ) X(ushort, 2, float, ) X(ushort, 3, half, 3) \
    X(ushort, 4, ulong, ) X(ushort, 8, double, 2) X(ushort, 16, uint, 8) \
    X(int, , float, ) X(int, 2, half, 4) X(int, 3, float, 3) \
    X(int, 4, double, 2) X(int, 8, ulong, 4) X(int, 16, double, 8) \
    X(uint, , char, 4) X(uint, 2, double, ) X(uint, 3, float, 4) \
    X(uint, 4, uchar, 16) X(uint, 8, half, 16) X(uint, 16, float, 16) \
    X(long, , double, ) X(long, 2, float, 4) X(long, 3, double, 3) \
    X(long, 4, int, 8) X(long, 8, float, 16) X(long, 16, double, 16) \
    X(ulong, , float, 2) X(ulong, 2, half, 8) X(ulong, 3, long, 4) \
    X(ulong, 4, short, 16) X(ulong, 8, uint, 16) X(ulong, 16, long, 16) \
    X(half, , ushort, ) X(half, 2, uint, ) X(half, 3, short, 3) \
    X(half, 4, double, ) X(half, 8, int, 4) X(half, 16, double, 4) \
    X(float, , uint, ) X(float, 2, long, ) X(float, 3, int, 4) \
    X(float, 4, short, 8) X(float, 8, long, 4) X(float, 16, int, 16) \
    X(double, , float, 2) X(double, 2, char, 16) X(double, 3, ulong, 3) \
    X(double, 4, uint, 8) X(double, 8, int, 16) X(double, 16, ulong, 16)
/* clang-format on */

enum { REINTERPRET_COUNT = 66, VECTOR_BYTES = 128 };
#define COUNT_ONE(R, n, S, m) +1
_Static_assert(0 SAME_SIZE(COUNT_ONE) == REINTERPRET_COUNT, "of 11 types in 6 sizes");

struct reinterpretation {
    const unsigned char *in;
    unsigned char *out; /* a place of VECTOR_BYTES for each */
};
static BUILTIN_BODY void reinterpret_all(const struct reinterpretation *k)
{
    unsigned char *out = k->out;
#define REINTERPRET(R, n, S, m)                                                                                        \
    {                                                                                                                  \
        const tw_##S##m from = *(const tw_##S##m *)k->in;                                                              \
        *(tw_##R##n *)out = tw_as_##R##n(from);                                                                        \
        out += VECTOR_BYTES;                                                                                           \
    }
    SAME_SIZE(REINTERPRET)
}
static inline void reinterpretation(const struct reinterpretation *k)
{
    reinterpret_all(k);
}
TW_SINGLE_TASK(reinterpretation);

/* Bytes that are sure to arrive: the 4th element of a vector of 3 is none. */
static const size_t kept_bytes[] = {
#define KEPT(R, n, S, m)                                                                                               \
    (1##n == 13 || 1##m == 13) ? 3 * (1##n == 13 ? sizeof(tw_##R) : sizeof(tw_##S)) : sizeof(tw_##R##n),
    SAME_SIZE(KEPT)};

TW_TEST(reinterpretation_keeps_the_bits)
{
    static _Alignas(VECTOR_BYTES) unsigned char in[VECTOR_BYTES], out[REINTERPRET_COUNT * VECTOR_BYTES];
    tw_queue *queue = tw_test_queue();
    for (size_t i = 0; i < VECTOR_BYTES; ++i)
        in[i] = (unsigned char)(i * 37 + 11);
    tw_buffer *from = builtin_buffer(in, 1, sizeof in), *to = builtin_buffer(out, 1, sizeof out);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, reinterpretation, .in = tw_read(cg, from), .out = tw_write(cg, to));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&to));
    TW_PASS(tw_buffer_destroy(&from));
    TW_PASS(tw_queue_destroy(&queue));
    for (size_t i = 0; i < REINTERPRET_COUNT; ++i)
        TW_EQUAL(memcmp(out + i * VECTOR_BYTES, in, kept_bytes[i]), 0);
}

/* ---- vectors where data can be ----------------------------------------------------------------------------------- */

/* A vector captured by value, buffers of vectors, local memory of vectors. */
enum { GROUP = 16, GROUPS = 8 };
struct neighbours {
    tw_float4 factor;
    const tw_float3 *in;
    tw_double4 *out;
};
static inline void neighbours(tw_group group, const struct neighbours *k)
{
    TW_LOCAL(tw_float4, tile, [GROUP]);
    TW_PRIVATE(group, tw_float2, kept);
    tw_parallel_for_work_item(group, item) {
        const tw_float3 v = k->in[tw_global_id(item, 0)];
        tile[tw_local_id(item, 0)] = v.xyzz * k->factor;
        tw_private(kept, item) = v.zy;
    }
    tw_parallel_for_work_item(group, item) {
        tw_float4 next = tile[(tw_local_id(item, 0) + 1) % GROUP];
        next.xy += tw_private(kept, item);
        k->out[tw_global_id(item, 0)] = tw_convert_double4(next);
    }
}
TW_WORK_GROUP_KERNEL(neighbours, GROUP);

TW_TEST(vectors_live_in_blocks_buffers_and_local_memory)
{
    static tw_float3 in[GROUPS * GROUP];
    static tw_double4 out[GROUPS * GROUP];
    tw_queue *queue = tw_test_queue();
    for (size_t i = 0; i < GROUPS * GROUP; ++i)
        in[i] = (tw_float3){(float)i, (float)i + 0.25f, (float)i + 0.5f};
    tw_buffer *from = builtin_buffer(in, sizeof *in, GROUPS * GROUP);
    tw_buffer *to = builtin_buffer(out, sizeof *out, GROUPS * GROUP);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(GROUPS), tw_range_1d(GROUP), neighbours, .factor = {1, 2, 3, 4},
                               .in = tw_read(cg, from), .out = tw_discard_write(cg, to));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&to));
    TW_PASS(tw_buffer_destroy(&from));
    TW_PASS(tw_queue_destroy(&queue));
    for (size_t i = 0; i < GROUPS * GROUP; ++i) {
        const double here = (double)i, next = (double)(i / GROUP * GROUP + (i + 1) % GROUP);
        const tw_double4 right = {next + here + 0.5, 2 * (next + 0.25) + here + 0.25, 3 * (next + 0.5),
                                  4 * (next + 0.5)};
        TW_CHECK(tw_all(out[i] == right));
    }
}

/* Table 3.49. */
TW_TEST(vectors_are_made_of_elements_or_of_one_value)
{
    const tw_int4 all = tw_splat_int4(7), cast = (tw_int4)7, each = {7, 7, 7, 7}, copy = each;
    const tw_half3 halves = {1, 2.5f16, -3};
    TW_CHECK(tw_all(all == each) && tw_all(cast == each) && tw_all(copy == each));
    TW_CHECK(halves.y == 2.5f16 && halves.z == -3);
    TW_CHECK(tw_all(tw_splat_uchar16(255) == (tw_uchar16)255) && tw_splat_double8(0.1)[7] == 0.1);
}

TW_TEST_LIST = {TW_CASE(comparisons_and_elements_have_their_types),
                TW_CASE(operators_act_on_elements),
                TW_CASE(comparisons_give_0_or_all_bits),
                TW_CASE(elements_by_name_are_values_and_places),
                TW_CASE(reinterpretation_keeps_the_bits),
                TW_CASE(vectors_live_in_blocks_buffers_and_local_memory),
                TW_CASE(vectors_are_made_of_elements_or_of_one_value),
                TW_CASES_END};
