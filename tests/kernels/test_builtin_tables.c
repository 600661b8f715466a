/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host, values, long */
/**
 * Every function of the specification's tables 3.53 to 3.66, and OpenCL's half functions, for every type and size that
 * the tables allow, and for half: there is one, it takes these arguments, and its result has the right type. The lists
 * here are those of the tables, not the headers', so what a header forgets is missed. What the functions compute is the
 * other tests' (test_math.c, test_builtin_*.c).
 */
#include "tw_test.h"

#include <teamwork/math.h>
#include <teamwork/vector.h>

/* ---- a row for each function, type and size ---------------------------------------------------------------------- */

struct triple {
    const char *table, *function, *type;
    int lanes;
    bool is_right; /* the result's type */
};

/* The type of n elements, and a value of it; n is empty for scalars. */
#define V(T, n) tw_##T##n
#define A(T, n) ((tw_##T##n){0})
#define P(T, n) ((tw_##T##n *)NULL)
#define LANES(n) LANES_##n
#define LANES_ 1
#define LANES_2 2
#define LANES_3 3
#define LANES_4 4
#define LANES_8 8
#define LANES_16 16

#define ROW(table, function, T, n, result, ...)                                                                        \
    {table, #function, #T, LANES(n), __builtin_types_compatible_p(__typeof__(__VA_ARGS__), result)},

/* X(function, T, n) for every size, without the scalars, and for every type of a kind. */
#define VECTORS(X, f, T) X(f, T, 2) X(f, T, 3) X(f, T, 4) X(f, T, 8) X(f, T, 16)
#define SIZES(X, f, T) X(f, T, ) VECTORS(X, f, T)
#define FLOATS(EACH, X, f) EACH(X, f, half) EACH(X, f, float) EACH(X, f, double)
#define SIGNED(EACH, X, f) EACH(X, f, char) EACH(X, f, short) EACH(X, f, int) EACH(X, f, long)
#define INTEGERS(EACH, X, f) SIGNED(EACH, X, f) EACH(X, f, uchar) EACH(X, f, ushort) EACH(X, f, uint) EACH(X, f, ulong)
#define ALL(EACH, X, f) INTEGERS(EACH, X, f) FLOATS(EACH, X, f)

/* ---- tables 3.53 to 3.56: math ----------------------------------------------------------------------------------- */

#define MATH_1(f, T, n) ROW("math", f, T, n, V(T, n), tw_##f(A(T, n)))
#define MATH_2(f, T, n) ROW("math", f, T, n, V(T, n), tw_##f(A(T, n), A(T, n)))
#define MATH_2S(f, T, n) ROW("math, scalar", f, T, n, V(T, n), tw_##f(A(T, n), A(T, )))
#define MATH_3(f, T, n) ROW("math", f, T, n, V(T, n), tw_##f(A(T, n), A(T, n), A(T, n)))
#define MATH_OUT(f, T, n) ROW("math", f, T, n, V(T, n), tw_##f(A(T, n), P(T, n)))
#define MATH_OUT_INT(f, T, n) ROW("math", f, T, n, V(T, n), tw_##f(A(T, n), P(int, n)))
#define MATH_2_OUT_INT(f, T, n) ROW("math", f, T, n, V(T, n), tw_##f(A(T, n), A(T, n), P(int, n)))
#define MATH_INT(f, T, n) ROW("math", f, T, n, V(T, n), tw_##f(A(T, n), A(int, n)))
#define MATH_INT_S(f, T, n) ROW("math, scalar", f, T, n, V(T, n), tw_##f(A(T, n), A(int, )))
#define MATH_TO_INT(f, T, n) ROW("math", f, T, n, V(int, n), tw_##f(A(T, n)))
#define NAN_OF(T, u, n) ROW("math", nan, T, n, V(T, n), tw_nan(A(u, n)))

#define MATH_LIST_1(X)                                                                                                 \
    X(acos)                                                                                                            \
    X(acosh)                                                                                                           \
    X(acospi)                                                                                                          \
    X(asin)                                                                                                            \
    X(asinh)                                                                                                           \
    X(asinpi)                                                                                                          \
    X(atan)                                                                                                            \
    X(atanh)                                                                                                           \
    X(atanpi)                                                                                                          \
    X(cbrt)                                                                                                            \
    X(ceil)                                                                                                            \
    X(cos)                                                                                                             \
    X(cosh)                                                                                                            \
    X(cospi)                                                                                                           \
    X(erfc)                                                                                                            \
    X(erf)                                                                                                             \
    X(exp)                                                                                                             \
    X(exp2)                                                                                                            \
    X(exp10)                                                                                                           \
    X(expm1)                                                                                                           \
    X(fabs)                                                                                                            \
    X(floor)                                                                                                           \
    X(lgamma)                                                                                                          \
    X(log)                                                                                                             \
    X(log2)                                                                                                            \
    X(log10)                                                                                                           \
    X(log1p)                                                                                                           \
    X(logb) X(rint) X(round) X(rsqrt) X(sin) X(sinh) X(sinpi) X(sqrt) X(tan) X(tanh) X(tanpi) X(tgamma) X(trunc)
#define MATH_LIST_2(X)                                                                                                 \
    X(atan2)                                                                                                           \
    X(atan2pi)                                                                                                         \
    X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(maxmag) X(minmag) X(nextafter) X(pow) X(powr) X(remainder)
#define EACH_MATH_1(f) FLOATS(SIZES, MATH_1, f)
#define EACH_MATH_2(f) FLOATS(SIZES, MATH_2, f)
#define NANS(X, T, u) NAN_OF(T, u, ) NAN_OF(T, u, 2) NAN_OF(T, u, 3) NAN_OF(T, u, 4) NAN_OF(T, u, 8) NAN_OF(T, u, 16)

#define MATH                                                                                                           \
    MATH_LIST_1(EACH_MATH_1)                                                                                           \
    MATH_LIST_2(EACH_MATH_2)                                                                                           \
    FLOATS(VECTORS, MATH_2S, fmax)                                                                                     \
    FLOATS(VECTORS, MATH_2S, fmin)                                                                                     \
    FLOATS(SIZES, MATH_3, fma)                                                                                         \
    FLOATS(SIZES, MATH_3, mad)                                                                                         \
    FLOATS(SIZES, MATH_OUT, fract)                                                                                     \
    FLOATS(SIZES, MATH_OUT, modf)                                                                                      \
    FLOATS(SIZES, MATH_OUT, sincos)                                                                                    \
    FLOATS(SIZES, MATH_OUT_INT, frexp)                                                                                 \
    FLOATS(SIZES, MATH_OUT_INT, lgamma_r)                                                                              \
    FLOATS(SIZES, MATH_2_OUT_INT, remquo)                                                                              \
    FLOATS(SIZES, MATH_TO_INT, ilogb)                                                                                  \
    FLOATS(SIZES, MATH_INT, ldexp)                                                                                     \
    FLOATS(SIZES, MATH_INT, pown)                                                                                      \
    FLOATS(SIZES, MATH_INT, rootn)                                                                                     \
    FLOATS(VECTORS, MATH_INT_S, ldexp)                                                                                 \
    NANS(, half, ushort) NANS(, float, uint) NANS(, double, ulong)

/* ---- tables 3.57 and 3.58: native; OpenCL's half functions ------------------------------------------------------- */

#define NATIVE_1(f, T, n) ROW("native", native_##f, T, n, V(T, n), tw_native_##f(A(T, n)))
#define NATIVE_2(f, T, n) ROW("native", native_##f, T, n, V(T, n), tw_native_##f(A(T, n), A(T, n)))
#define HALF_1(f, T, n) ROW("half precision", half_##f, T, n, V(T, n), tw_half_##f(A(T, n)))
#define HALF_2(f, T, n) ROW("half precision", half_##f, T, n, V(T, n), tw_half_##f(A(T, n), A(T, n)))
#define FAST_LIST_1(X) X(cos) X(exp) X(exp2) X(exp10) X(log) X(log2) X(log10) X(recip) X(rsqrt) X(sin) X(sqrt) X(tan)
#define EACH_FAST_1(f) SIZES(NATIVE_1, f, float) SIZES(NATIVE_1, f, double) SIZES(HALF_1, f, float)
#define EACH_FAST_2(f) SIZES(NATIVE_2, f, float) SIZES(NATIVE_2, f, double) SIZES(HALF_2, f, float)
#define FAST FAST_LIST_1(EACH_FAST_1) EACH_FAST_2(divide) EACH_FAST_2(powr)

/* ---- tables 3.59 and 3.60: integers ------------------------------------------------------------------------------ */

#define INT_1(f, T, n) ROW("integer", f, T, n, V(T, n), tw_##f(A(T, n)))
#define INT_2(f, T, n) ROW("integer", f, T, n, V(T, n), tw_##f(A(T, n), A(T, n)))
#define INT_2S(f, T, n) ROW("integer, scalar", f, T, n, V(T, n), tw_##f(A(T, n), A(T, )))
#define INT_3(f, T, n) ROW("integer", f, T, n, V(T, n), tw_##f(A(T, n), A(T, n), A(T, n)))
#define INT_3S(f, T, n) ROW("integer, scalar", f, T, n, V(T, n), tw_##f(A(T, n), A(T, ), A(T, )))
#define INT_U1(f, T, n) ROW("integer", f, T, n, V(internal_u_##T, n), tw_##f(A(T, n)))
#define INT_U2(f, T, n) ROW("integer", f, T, n, V(internal_u_##T, n), tw_##f(A(T, n), A(T, n)))
#define UPSAMPLE(T, low, wide, n) ROW("integer", upsample, T, n, V(wide, n), tw_upsample(A(T, n), A(low, n)))
#define UPSAMPLES(T, low, wide)                                                                                        \
    UPSAMPLE(T, low, wide, )                                                                                           \
    UPSAMPLE(T, low, wide, 2)                                                                                          \
    UPSAMPLE(T, low, wide, 3)                                                                                          \
    UPSAMPLE(T, low, wide, 4)                                                                                          \
    UPSAMPLE(T, low, wide, 8)                                                                                          \
    UPSAMPLE(T, low, wide, 16)
#define INT_LIST_2(X) X(add_sat) X(hadd) X(rhadd) X(max) X(min) X(mul_hi) X(rotate) X(sub_sat)
#define EACH_INT_2(f) INTEGERS(SIZES, INT_2, f)

#define INTEGER                                                                                                        \
    INTEGERS(SIZES, INT_U1, abs)                                                                                       \
    INTEGERS(SIZES, INT_U2, abs_diff)                                                                                  \
    INT_LIST_2(EACH_INT_2)                                                                                             \
    INTEGERS(SIZES, INT_3, clamp)                                                                                      \
    INTEGERS(VECTORS, INT_3S, clamp)                                                                                   \
    INTEGERS(SIZES, INT_1, clz)                                                                                        \
    INTEGERS(SIZES, INT_3, mad_hi)                                                                                     \
    INTEGERS(SIZES, INT_3, mad_sat)                                                                                    \
    INTEGERS(VECTORS, INT_2S, max)                                                                                     \
    INTEGERS(VECTORS, INT_2S, min)                                                                                     \
    INTEGERS(SIZES, INT_1, popcount)                                                                                   \
    UPSAMPLES(char, uchar, short)                                                                                      \
    UPSAMPLES(uchar, uchar, ushort)                                                                                    \
    UPSAMPLES(short, ushort, int)                                                                                      \
    UPSAMPLES(ushort, ushort, uint)                                                                                    \
    UPSAMPLES(int, uint, long)                                                                                         \
    UPSAMPLES(uint, uint, ulong)                                                                                       \
    SIZES(INT_3, mad24, int) SIZES(INT_3, mad24, uint) SIZES(INT_2, mul24, int) SIZES(INT_2, mul24, uint)

/* ---- tables 3.61 to 3.64: common, geometric ---------------------------------------------------------------------- */

#define COMMON_1(f, T, n) ROW("common", f, T, n, V(T, n), tw_##f(A(T, n)))
#define COMMON_2(f, T, n) ROW("common", f, T, n, V(T, n), tw_##f(A(T, n), A(T, n)))
#define COMMON_3(f, T, n) ROW("common", f, T, n, V(T, n), tw_##f(A(T, n), A(T, n), A(T, n)))
#define COMMON_VS(f, T, n) ROW("common, scalar", f, T, n, V(T, n), tw_##f(A(T, n), A(T, )))
#define COMMON_SV(f, T, n) ROW("common, scalar", f, T, n, V(T, n), tw_##f(A(T, ), A(T, n)))
#define COMMON_VSS(f, T, n) ROW("common, scalar", f, T, n, V(T, n), tw_##f(A(T, n), A(T, ), A(T, )))
#define COMMON_VVS(f, T, n) ROW("common, scalar", f, T, n, V(T, n), tw_##f(A(T, n), A(T, n), A(T, )))
#define COMMON_SSV(f, T, n) ROW("common, scalar", f, T, n, V(T, n), tw_##f(A(T, ), A(T, ), A(T, n)))

#define COMMON                                                                                                         \
    FLOATS(SIZES, COMMON_3, clamp)                                                                                     \
    FLOATS(VECTORS, COMMON_VSS, clamp)                                                                                 \
    FLOATS(SIZES, COMMON_1, degrees)                                                                                   \
    FLOATS(SIZES, COMMON_2, max)                                                                                       \
    FLOATS(VECTORS, COMMON_VS, max)                                                                                    \
    FLOATS(SIZES, COMMON_2, min)                                                                                       \
    FLOATS(VECTORS, COMMON_VS, min)                                                                                    \
    FLOATS(SIZES, COMMON_3, mix)                                                                                       \
    FLOATS(VECTORS, COMMON_VVS, mix)                                                                                   \
    FLOATS(SIZES, COMMON_1, radians)                                                                                   \
    FLOATS(SIZES, COMMON_2, step)                                                                                      \
    FLOATS(VECTORS, COMMON_SV, step)                                                                                   \
    FLOATS(SIZES, COMMON_3, smoothstep)                                                                                \
    FLOATS(VECTORS, COMMON_SSV, smoothstep)                                                                            \
    FLOATS(SIZES, COMMON_1, sign)

#define UP_TO_4(X, f, T) X(f, T, ) X(f, T, 2) X(f, T, 3) X(f, T, 4)
#define GEOMETRIC_1(f, T, n) ROW("geometric", f, T, n, V(T, ), tw_##f(A(T, n)))
#define GEOMETRIC_2(f, T, n) ROW("geometric", f, T, n, V(T, ), tw_##f(A(T, n), A(T, n)))
#define GEOMETRIC_V1(f, T, n) ROW("geometric", f, T, n, V(T, n), tw_##f(A(T, n)))
#define CROSS(T, n) ROW("geometric", cross, T, n, V(T, n), tw_cross(A(T, n), A(T, n)))
#define GEOMETRIC                                                                                                      \
    CROSS(half, 3)                                                                                                     \
    CROSS(half, 4)                                                                                                     \
    CROSS(float, 3)                                                                                                    \
    CROSS(float, 4)                                                                                                    \
    CROSS(double, 3)                                                                                                   \
    CROSS(double, 4)                                                                                                   \
    FLOATS(UP_TO_4, GEOMETRIC_2, dot)                                                                                  \
    FLOATS(UP_TO_4, GEOMETRIC_2, distance)                                                                             \
    FLOATS(UP_TO_4, GEOMETRIC_1, length)                                                                               \
    FLOATS(UP_TO_4, GEOMETRIC_V1, normalize)                                                                           \
    UP_TO_4(GEOMETRIC_2, fast_distance, float)                                                                         \
    UP_TO_4(GEOMETRIC_1, fast_length, float)                                                                           \
    UP_TO_4(GEOMETRIC_V1, fast_normalize, float)

/* ---- tables 3.65 and 3.66: relational ---------------------------------------------------------------------------- */

/* Scalars give an int, vectors integers of their own width. */
#define TRUTH(T, n) TRUTH_##n(T, n)
#define TRUTH_(T, n) int
#define TRUTH_2(T, n) tw_internal_s_##T##n
#define TRUTH_3 TRUTH_2
#define TRUTH_4 TRUTH_2
#define TRUTH_8 TRUTH_2
#define TRUTH_16 TRUTH_2
#define COMPARE_1(f, T, n) ROW("relational", f, T, n, TRUTH(T, n), tw_##f(A(T, n)))
#define COMPARE_2(f, T, n) ROW("relational", f, T, n, TRUTH(T, n), tw_##f(A(T, n), A(T, n)))
#define REDUCE(f, T, n) ROW("relational", f, T, n, int, tw_##f(A(T, n)))
#define BITSELECT(f, T, n) ROW("relational", f, T, n, V(T, n), tw_##f(A(T, n), A(T, n), A(T, n)))
#define SELECT_S(f, T, n) ROW("relational", f, T, n, V(T, n), tw_##f(A(T, n), A(T, n), A(internal_s_##T, n)))
#define SELECT_U(f, T, n) ROW("relational", f, T, n, V(T, n), tw_##f(A(T, n), A(T, n), A(internal_u_##T, n)))
#define COMPARE_LIST_1(X) X(isfinite) X(isinf) X(isnan) X(isnormal) X(signbit)
#define COMPARE_LIST_2(X)                                                                                              \
    X(isequal)                                                                                                         \
    X(isnotequal) X(isgreater) X(isgreaterequal) X(isless) X(islessequal) X(islessgreater) X(isordered) X(isunordered)
#define EACH_COMPARE_1(f) FLOATS(SIZES, COMPARE_1, f)
#define EACH_COMPARE_2(f) FLOATS(SIZES, COMPARE_2, f)
#define RELATIONAL                                                                                                     \
    COMPARE_LIST_1(EACH_COMPARE_1)                                                                                     \
    COMPARE_LIST_2(EACH_COMPARE_2)                                                                                     \
    SIGNED(SIZES, REDUCE, any)                                                                                         \
    SIGNED(SIZES, REDUCE, all)                                                                                         \
    ALL(SIZES, BITSELECT, bitselect)                                                                                   \
    ALL(SIZES, SELECT_S, select)                                                                                       \
    ALL(SIZES, SELECT_U, select)

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static const struct triple triples[] = {MATH FAST INTEGER COMMON GEOMETRIC RELATIONAL};

enum {
    COUNT = sizeof triples / sizeof *triples,
    /* functions x types x sizes, as the tables have them */
    OF_MATH = (40 + 14 + 2 + 3 + 2 + 1 + 1 + 3 + 1) * 3 * 6 + 3 * 3 * 5,
    OF_FAST = 14 * 3 * 6,
    OF_INTEGERS = (2 + 8 + 1 + 1 + 2 + 1) * 8 * 6 + 3 * 8 * 5 + (6 + 4) * 6,
    OF_COMMON = 9 * 3 * 6 + 6 * 3 * 5,
    OF_GEOMETRY = 3 * 2 + (4 * 3 + 3) * 4,
    OF_RELATIONS = 14 * 3 * 6 + 2 * 4 * 6 + 3 * 11 * 6
};
_Static_assert(COUNT == OF_MATH + OF_FAST + OF_INTEGERS + OF_COMMON + OF_GEOMETRY + OF_RELATIONS, "none is missing");

TW_TEST(every_function_is_there_for_every_type_and_size)
{
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT; ++i) {
        const struct triple *t = &triples[i];
        if (!t->is_right)
            fprintf(stderr, "%s: tw_%s of %s, %d elements: the result has another type\n", t->table, t->function,
                    t->type, t->lanes);
        wrong += !t->is_right;
    }
    TW_EQUAL(wrong, 0);
    printf("tables 3.53 to 3.66: %d combinations of function, type and size\n", (int)COUNT);
}

TW_TEST_LIST = {TW_CASE(every_function_is_there_for_every_type_and_size), TW_CASES_END};
