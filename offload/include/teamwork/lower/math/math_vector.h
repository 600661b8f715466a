/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Mathematical functions for vectors of 2, 3, 4, 8 and 16 elements (spec 3.9.3): element by element what the scalar
 * functions give, those that write through a pointer write a vector there. tw_fmax and tw_fmin also take a scalar
 * second argument, and tw_ldexp, tw_pown and tw_rootn an int, for all elements.
 *
 * On CPUs what LLVM knows as an operation is one operation on the vector, else the elements are computed in turn, in
 * loops that are always unrolled: an indexed vector would leave a GPU's registers. Halves become a vector of float.
 */
#ifndef TEAMWORK_LOWER_MATH_VECTOR_H
#define TEAMWORK_LOWER_MATH_VECTOR_H

#include <teamwork/lower/math/math_half.h>

#define TW_INTERNAL_LANE(n) _Pragma("clang loop unroll(full)") for (int tw_i = 0; tw_i < n; ++tw_i)

/* X(T, n, name) for every vector of a type; the list of names is LIST(X). */
#define TW_INTERNAL_OVER_FLOAT(X, name) TW_INTERNAL_NAMED_VECTORS(X, float, name)
#define TW_INTERNAL_OVER_DOUBLE(X, name) TW_INTERNAL_NAMED_VECTORS(X, double, name)
#define TW_INTERNAL_OVER_HALF(X, name) TW_INTERNAL_NAMED_VECTORS(X, half, name)
#define TW_INTERNAL_NAMED_VECTORS(X, T, name) X(T, 2, name) X(T, 3, name) X(T, 4, name) X(T, 8, name) X(T, 16, name)

/* ---- one element at a time --------------------------------------------------------------------------------------- */

#define TW_INTERNAL_LANES_UNARY(T, n, name)                                                                            \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_##name(tw_##T##n x)                                                              \
    {                                                                                                                  \
        tw_##T##n r;                                                                                                   \
        TW_INTERNAL_LANE(n) r[tw_i] = tw_##name(x[tw_i]);                                                              \
        return r;                                                                                                      \
    }
#define TW_INTERNAL_LANES_BINARY(T, n, name)                                                                           \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_##name(tw_##T##n x, tw_##T##n y)                                                 \
    {                                                                                                                  \
        tw_##T##n r;                                                                                                   \
        TW_INTERNAL_LANE(n) r[tw_i] = tw_##name(x[tw_i], y[tw_i]);                                                     \
        return r;                                                                                                      \
    }
#define TW_INTERNAL_LANES_TO_INT(T, n, name)                                                                           \
    TW_INTERNAL_OVERLOAD tw_int##n tw_##name(tw_##T##n x)                                                              \
    {                                                                                                                  \
        tw_int##n r;                                                                                                   \
        TW_INTERNAL_LANE(n) r[tw_i] = tw_##name(x[tw_i]);                                                              \
        return r;                                                                                                      \
    }
#define TW_INTERNAL_LANES_WITH_INT(T, n, name)                                                                         \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_##name(tw_##T##n x, tw_int##n k)                                                 \
    {                                                                                                                  \
        tw_##T##n r;                                                                                                   \
        TW_INTERNAL_LANE(n) r[tw_i] = tw_##name(x[tw_i], k[tw_i]);                                                     \
        return r;                                                                                                      \
    }
#define TW_INTERNAL_LANES_OUT(T, n, name)                                                                              \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_##name(tw_##T##n x, tw_##T##n *out)                                              \
    {                                                                                                                  \
        tw_##T##n r, other;                                                                                            \
        TW_INTERNAL_LANE(n)                                                                                            \
        {                                                                                                              \
            tw_##T one;                                                                                                \
            r[tw_i] = tw_##name(x[tw_i], &one);                                                                        \
            other[tw_i] = one;                                                                                         \
        }                                                                                                              \
        *out = other;                                                                                                  \
        return r;                                                                                                      \
    }
#define TW_INTERNAL_LANES_OUT_INT(T, n, name)                                                                          \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_##name(tw_##T##n x, tw_int##n *out)                                              \
    {                                                                                                                  \
        tw_##T##n r;                                                                                                   \
        tw_int##n other;                                                                                               \
        TW_INTERNAL_LANE(n)                                                                                            \
        {                                                                                                              \
            int one;                                                                                                   \
            r[tw_i] = tw_##name(x[tw_i], &one);                                                                        \
            other[tw_i] = one;                                                                                         \
        }                                                                                                              \
        *out = other;                                                                                                  \
        return r;                                                                                                      \
    }
#define TW_INTERNAL_LANES_BINARY_OUT_INT(T, n, name)                                                                   \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_##name(tw_##T##n x, tw_##T##n y, tw_int##n *out)                                 \
    {                                                                                                                  \
        tw_##T##n r;                                                                                                   \
        tw_int##n other;                                                                                               \
        TW_INTERNAL_LANE(n)                                                                                            \
        {                                                                                                              \
            int one;                                                                                                   \
            r[tw_i] = tw_##name(x[tw_i], y[tw_i], &one);                                                               \
            other[tw_i] = one;                                                                                         \
        }                                                                                                              \
        *out = other;                                                                                                  \
        return r;                                                                                                      \
    }
#define TW_INTERNAL_LANES_OF_BITS(T, n, name)                                                                          \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_##name(tw_internal_u_##T##n code)                                                \
    {                                                                                                                  \
        tw_##T##n r;                                                                                                   \
        TW_INTERNAL_LANE(n) r[tw_i] = tw_##name(code[tw_i]);                                                           \
        return r;                                                                                                      \
    }

/* ---- one operation on the vector --------------------------------------------------------------------------------- */

#define TW_INTERNAL_WHOLE_UNARY_AS(T, n, name, builtin)                                                                \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_##name(tw_##T##n x)                                                              \
    {                                                                                                                  \
        return __builtin_elementwise_##builtin(x);                                                                     \
    }
#define TW_INTERNAL_WHOLE_UNARY(T, n, name) TW_INTERNAL_WHOLE_UNARY_AS(T, n, name, name)
#define TW_INTERNAL_WHOLE_ABS(T, n, name) TW_INTERNAL_WHOLE_UNARY_AS(T, n, name, abs)
#define TW_INTERNAL_WHOLE_BINARY(T, n, name, builtin)                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_##name(tw_##T##n x, tw_##T##n y)                                                 \
    {                                                                                                                  \
        return __builtin_elementwise_##builtin(x, y);                                                                  \
    }
#define TW_INTERNAL_WHOLE_COPYSIGN(T, n, name) TW_INTERNAL_WHOLE_BINARY(T, n, name, copysign)
#define TW_INTERNAL_WHOLE_MAX(T, n, name) TW_INTERNAL_WHOLE_BINARY(T, n, name, max)
#define TW_INTERNAL_WHOLE_MIN(T, n, name) TW_INTERNAL_WHOLE_BINARY(T, n, name, min)
#define TW_INTERNAL_WHOLE_POW(T, n, name) TW_INTERNAL_WHOLE_BINARY(T, n, name, pow)
#define TW_INTERNAL_WHOLE_FMA(T, n, name)                                                                              \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_##name(tw_##T##n x, tw_##T##n y, tw_##T##n z)                                    \
    {                                                                                                                  \
        return __builtin_elementwise_fma(x, y, z);                                                                     \
    }
#define TW_INTERNAL_WHOLE_MAD(T, n, name)                                                                              \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_##name(tw_##T##n x, tw_##T##n y, tw_##T##n z)                                    \
    {                                                                                                                  \
        return x * y + z;                                                                                              \
    }
#define TW_INTERNAL_WHOLE_SINCOS(T, n, name)                                                                           \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_##name(tw_##T##n x, tw_##T##n *cosine)                                           \
    {                                                                                                                  \
        const tw_##T##n sine = tw_sin(x);                                                                              \
        *cosine = tw_cos(x);                                                                                           \
        return sine;                                                                                                   \
    }

/* ---- float and double -------------------------------------------------------------------------------------------- */

#ifdef TW_INTERNAL_MATH_GPU
#define TW_INTERNAL_LIBM_UNARY TW_INTERNAL_LANES_UNARY
#define TW_INTERNAL_LIBM_POW TW_INTERNAL_LANES_BINARY
#define TW_INTERNAL_LIBM_SINCOS TW_INTERNAL_LANES_OUT
#else
#define TW_INTERNAL_LIBM_UNARY TW_INTERNAL_WHOLE_UNARY
#define TW_INTERNAL_LIBM_POW TW_INTERNAL_WHOLE_POW
#define TW_INTERNAL_LIBM_SINCOS TW_INTERNAL_WHOLE_SINCOS
#endif

#define TW_INTERNAL_OVER_BOTH(X, name) TW_INTERNAL_OVER_FLOAT(X, name) TW_INTERNAL_OVER_DOUBLE(X, name)
#define TW_INTERNAL_DEFINE_WHOLE(name) TW_INTERNAL_OVER_BOTH(TW_INTERNAL_WHOLE_UNARY, name)
#define TW_INTERNAL_DEFINE_LIBM(name) TW_INTERNAL_OVER_BOTH(TW_INTERNAL_LIBM_UNARY, name)
#define TW_INTERNAL_DEFINE_UNARY(name) TW_INTERNAL_OVER_BOTH(TW_INTERNAL_LANES_UNARY, name)
#define TW_INTERNAL_DEFINE_BINARY(name) TW_INTERNAL_OVER_BOTH(TW_INTERNAL_LANES_BINARY, name)
#define TW_INTERNAL_DEFINE_TO_INT(name) TW_INTERNAL_OVER_BOTH(TW_INTERNAL_LANES_TO_INT, name)
#define TW_INTERNAL_DEFINE_WITH_INT(name) TW_INTERNAL_OVER_BOTH(TW_INTERNAL_LANES_WITH_INT, name)
#define TW_INTERNAL_DEFINE_OUT_INT(name) TW_INTERNAL_OVER_BOTH(TW_INTERNAL_LANES_OUT_INT, name)
#define TW_INTERNAL_DEFINE_OF_BITS(name) TW_INTERNAL_OVER_BOTH(TW_INTERNAL_LANES_OF_BITS, name)

TW_INTERNAL_MATH_UNARY_WHOLE(TW_INTERNAL_DEFINE_WHOLE)
TW_INTERNAL_OVER_BOTH(TW_INTERNAL_WHOLE_ABS, fabs)
TW_INTERNAL_MATH_UNARY_LIBM(TW_INTERNAL_DEFINE_LIBM)
TW_INTERNAL_MATH_UNARY_LANES(TW_INTERNAL_DEFINE_UNARY)
TW_INTERNAL_OVER_BOTH(TW_INTERNAL_WHOLE_COPYSIGN, copysign)
TW_INTERNAL_OVER_BOTH(TW_INTERNAL_WHOLE_MAX, fmax)
TW_INTERNAL_OVER_BOTH(TW_INTERNAL_WHOLE_MIN, fmin)
TW_INTERNAL_OVER_BOTH(TW_INTERNAL_LIBM_POW, pow)
TW_INTERNAL_MATH_BINARY_LANES(TW_INTERNAL_DEFINE_BINARY)
TW_INTERNAL_OVER_BOTH(TW_INTERNAL_LANES_BINARY, nextafter)
TW_INTERNAL_OVER_BOTH(TW_INTERNAL_WHOLE_FMA, fma)
TW_INTERNAL_OVER_BOTH(TW_INTERNAL_WHOLE_MAD, mad)
TW_INTERNAL_MATH_TO_INT(TW_INTERNAL_DEFINE_TO_INT)
TW_INTERNAL_MATH_WITH_INT(TW_INTERNAL_DEFINE_WITH_INT)
TW_INTERNAL_OVER_BOTH(TW_INTERNAL_LANES_OUT, fract)
TW_INTERNAL_OVER_BOTH(TW_INTERNAL_LANES_OUT, modf)
TW_INTERNAL_OVER_BOTH(TW_INTERNAL_LIBM_SINCOS, sincos)
TW_INTERNAL_MATH_OUT_INT(TW_INTERNAL_DEFINE_OUT_INT)
TW_INTERNAL_OVER_BOTH(TW_INTERNAL_LANES_BINARY_OUT_INT, remquo)
TW_INTERNAL_MATH_OF_BITS(TW_INTERNAL_DEFINE_OF_BITS)

#undef TW_INTERNAL_DEFINE_WHOLE
#undef TW_INTERNAL_DEFINE_LIBM
#undef TW_INTERNAL_DEFINE_UNARY
#undef TW_INTERNAL_DEFINE_BINARY
#undef TW_INTERNAL_DEFINE_TO_INT
#undef TW_INTERNAL_DEFINE_WITH_INT
#undef TW_INTERNAL_DEFINE_OUT_INT
#undef TW_INTERNAL_DEFINE_OF_BITS

/* ---- half -------------------------------------------------------------------------------------------------------- */

#define TW_INTERNAL_TO_FLOAT(n, x) __builtin_convertvector(x, tw_float##n)
#define TW_INTERNAL_TO_HALF(n, x) __builtin_convertvector(x, tw_half##n)

#define TW_INTERNAL_FLOAT_UNARY(T, n, name)                                                                            \
    TW_INTERNAL_OVERLOAD tw_half##n tw_##name(tw_half##n x)                                                            \
    {                                                                                                                  \
        return TW_INTERNAL_TO_HALF(n, tw_##name(TW_INTERNAL_TO_FLOAT(n, x)));                                          \
    }
#define TW_INTERNAL_FLOAT_BINARY(T, n, name)                                                                           \
    TW_INTERNAL_OVERLOAD tw_half##n tw_##name(tw_half##n x, tw_half##n y)                                              \
    {                                                                                                                  \
        return TW_INTERNAL_TO_HALF(n, tw_##name(TW_INTERNAL_TO_FLOAT(n, x), TW_INTERNAL_TO_FLOAT(n, y)));              \
    }
#define TW_INTERNAL_FLOAT_TO_INT(T, n, name)                                                                           \
    TW_INTERNAL_OVERLOAD tw_int##n tw_##name(tw_half##n x)                                                             \
    {                                                                                                                  \
        return tw_##name(TW_INTERNAL_TO_FLOAT(n, x));                                                                  \
    }
#define TW_INTERNAL_FLOAT_WITH_INT(T, n, name)                                                                         \
    TW_INTERNAL_OVERLOAD tw_half##n tw_##name(tw_half##n x, tw_int##n k)                                               \
    {                                                                                                                  \
        return TW_INTERNAL_TO_HALF(n, tw_##name(TW_INTERNAL_TO_FLOAT(n, x), k));                                       \
    }
#define TW_INTERNAL_FLOAT_OUT(T, n, name)                                                                              \
    TW_INTERNAL_OVERLOAD tw_half##n tw_##name(tw_half##n x, tw_half##n *out)                                           \
    {                                                                                                                  \
        tw_float##n other;                                                                                             \
        const tw_float##n r = tw_##name(TW_INTERNAL_TO_FLOAT(n, x), &other);                                           \
        *out = TW_INTERNAL_TO_HALF(n, other);                                                                          \
        return TW_INTERNAL_TO_HALF(n, r);                                                                              \
    }
#define TW_INTERNAL_FLOAT_OUT_INT(T, n, name)                                                                          \
    TW_INTERNAL_OVERLOAD tw_half##n tw_##name(tw_half##n x, tw_int##n *out)                                            \
    {                                                                                                                  \
        return TW_INTERNAL_TO_HALF(n, tw_##name(TW_INTERNAL_TO_FLOAT(n, x), out));                                     \
    }
#define TW_INTERNAL_FLOAT_BINARY_OUT_INT(T, n, name)                                                                   \
    TW_INTERNAL_OVERLOAD tw_half##n tw_##name(tw_half##n x, tw_half##n y, tw_int##n *out)                              \
    {                                                                                                                  \
        return TW_INTERNAL_TO_HALF(n, tw_##name(TW_INTERNAL_TO_FLOAT(n, x), TW_INTERNAL_TO_FLOAT(n, y), out));         \
    }
#define TW_INTERNAL_HALF_FMA(T, n, name)                                                                               \
    TW_INTERNAL_OVERLOAD tw_half##n tw_##name(tw_half##n x, tw_half##n y, tw_half##n z)                                \
    {                                                                                                                  \
        tw_half##n r;                                                                                                  \
        TW_INTERNAL_LANE(n) r[tw_i] = tw_##name(x[tw_i], y[tw_i], z[tw_i]);                                            \
        return r;                                                                                                      \
    }

#define TW_INTERNAL_DEFINE_UNARY(name) TW_INTERNAL_OVER_HALF(TW_INTERNAL_FLOAT_UNARY, name)
#define TW_INTERNAL_DEFINE_BINARY(name) TW_INTERNAL_OVER_HALF(TW_INTERNAL_FLOAT_BINARY, name)
#define TW_INTERNAL_DEFINE_TO_INT(name) TW_INTERNAL_OVER_HALF(TW_INTERNAL_FLOAT_TO_INT, name)
#define TW_INTERNAL_DEFINE_WITH_INT(name) TW_INTERNAL_OVER_HALF(TW_INTERNAL_FLOAT_WITH_INT, name)
#define TW_INTERNAL_DEFINE_OUT_INT(name) TW_INTERNAL_OVER_HALF(TW_INTERNAL_FLOAT_OUT_INT, name)
#define TW_INTERNAL_DEFINE_OF_BITS(name) TW_INTERNAL_OVER_HALF(TW_INTERNAL_LANES_OF_BITS, name)

TW_INTERNAL_MATH_UNARY(TW_INTERNAL_DEFINE_UNARY)
TW_INTERNAL_DEFINE_BINARY(fmax)
TW_INTERNAL_DEFINE_BINARY(fmin)
TW_INTERNAL_MATH_BINARY_FLOAT(TW_INTERNAL_DEFINE_BINARY)
TW_INTERNAL_OVER_HALF(TW_INTERNAL_LANES_BINARY, copysign)
TW_INTERNAL_OVER_HALF(TW_INTERNAL_LANES_BINARY, nextafter)
TW_INTERNAL_OVER_HALF(TW_INTERNAL_HALF_FMA, fma)
TW_INTERNAL_OVER_HALF(TW_INTERNAL_WHOLE_MAD, mad)
TW_INTERNAL_MATH_TO_INT(TW_INTERNAL_DEFINE_TO_INT)
TW_INTERNAL_MATH_WITH_INT(TW_INTERNAL_DEFINE_WITH_INT)
TW_INTERNAL_OVER_HALF(TW_INTERNAL_LANES_OUT, fract)
TW_INTERNAL_OVER_HALF(TW_INTERNAL_FLOAT_OUT, modf)
TW_INTERNAL_OVER_HALF(TW_INTERNAL_FLOAT_OUT, sincos)
TW_INTERNAL_MATH_OUT_INT(TW_INTERNAL_DEFINE_OUT_INT)
TW_INTERNAL_OVER_HALF(TW_INTERNAL_FLOAT_BINARY_OUT_INT, remquo)
TW_INTERNAL_MATH_OF_BITS(TW_INTERNAL_DEFINE_OF_BITS)

/* ---- vector and scalar ------------------------------------------------------------------------------------------- */

#define TW_INTERNAL_SCALAR_BINARY(T, n, name)                                                                          \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_##name(tw_##T##n x, tw_##T y)                                                    \
    {                                                                                                                  \
        return tw_##name(x, (tw_##T##n)(y));                                                                           \
    }
#define TW_INTERNAL_SCALAR_INT(T, n, name)                                                                             \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_##name(tw_##T##n x, int k)                                                       \
    {                                                                                                                  \
        return tw_##name(x, (tw_int##n)(k));                                                                           \
    }
#define TW_INTERNAL_OVER_ALL(X, name) TW_INTERNAL_OVER_BOTH(X, name) TW_INTERNAL_OVER_HALF(X, name)
#define TW_INTERNAL_DEFINE_SCALAR(name) TW_INTERNAL_OVER_ALL(TW_INTERNAL_SCALAR_BINARY, name)
#define TW_INTERNAL_DEFINE_SCALAR_INT(name) TW_INTERNAL_OVER_ALL(TW_INTERNAL_SCALAR_INT, name)
TW_INTERNAL_MATH_WITH_SCALAR(TW_INTERNAL_DEFINE_SCALAR)
TW_INTERNAL_MATH_WITH_SCALAR_INT(TW_INTERNAL_DEFINE_SCALAR_INT)

#undef TW_INTERNAL_DEFINE_UNARY
#undef TW_INTERNAL_DEFINE_BINARY
#undef TW_INTERNAL_DEFINE_TO_INT
#undef TW_INTERNAL_DEFINE_WITH_INT
#undef TW_INTERNAL_DEFINE_OUT_INT
#undef TW_INTERNAL_DEFINE_OF_BITS
#undef TW_INTERNAL_DEFINE_SCALAR
#undef TW_INTERNAL_DEFINE_SCALAR_INT

#endif
