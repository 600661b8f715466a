/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Vector types and what computes with them (spec 3.8.1, 3.9.1, 3.9.4 to 3.9.8, 4.2), the same in kernels and on the
 * host. Below, in this order: types, conversions, vectors in memory, and integer, common, geometric and relational
 * functions.
 *
 * clang only, as kernels are. <teamwork/teamwork.h> does not include this header: files that use no vectors need not
 * read it. It turns clang's warning -Wpsabi off (lower/vector/vector.h says why).
 */
#ifndef TEAMWORK_VECTOR_H
#define TEAMWORK_VECTOR_H

#include <teamwork/lower/vector/common.h>
#include <teamwork/lower/vector/convert.h>
#include <teamwork/lower/vector/geometric.h>
#include <teamwork/lower/vector/integer.h>
#include <teamwork/lower/vector/relational.h>
#include <teamwork/lower/vector/vector.h>
#include <teamwork/lower/vector/vector_data.h>

/**
 * Vector types (spec 3.8.1): clang's ext_vector_type under OpenCL's names. What computes with them is in the functions
 * below.
 *
 *     tw_char tw_uchar tw_short tw_ushort tw_int tw_uint tw_long tw_ulong tw_half tw_float tw_double     elements
 *     tw_schar tw_longlong tw_ulonglong    other names of C for three of these: scalars only
 *     tw_float2 ... tw_float16, ...        2, 3, 4, 8 or 16 elements, of each of these types
 *
 * Sizes and alignments are OpenCL's, the same on every device: a vector is aligned to its size, and one of 3 elements
 * is as large as one of 4. tw_long has 64 bits. Only LP64 targets with a signed char are supported.
 *
 *     tw_float4 v = {1, 2, 3, 4}, w = v * 2 + v.wzyx;      operators act on elements; scalars are spread
 *     w.xy = v.s32;  w.hi = w.lo;  w.odd = v.even;  v[i]   elements by xyzw, rgba, s0123456789abcdef, lo, hi, odd, even
 *     tw_int4 less = v < w;                                comparisons: 0 or -1, in integers of the elements' width
 *     v = less ? v : w;                                    by the sign bit of each element
 *     v = tw_splat_float4(1.5f);                           all elements alike
 *
 * A cast between vector types reinterprets the bits, as in C; tw_convert_int4(v) and its like convert (below).
 *
 * tw_half is _Float16, which clang has on the host, on NVPTX and on AMDGCN; where there are no such instructions clang
 * computes in float and rounds the result, which for a single + - * / or sqrt is the correctly rounded one.
 */

/**
 * Conversions between element types, and reinterpretation (spec 3.8.1 and 4.2; OpenCL C 1.2, 6.2.3 and 6.2.4), for
 * kernels and the host. n is empty for a scalar, 2, 3, 4, 8 or 16.
 *
 *     tw_convert_TYPEn[_sat][_rte | _rtz | _rtp | _rtn](x)     x: a scalar, or a vector of n elements, of any type
 *     tw_as_TYPEn(x)                                           the same bits; x is as large as the result
 *
 * TYPE is char, uchar, short, ushort, int, uint, long, ulong, half, float or double.
 *
 * _rte, _rtz, _rtp and _rtn round to nearest (ties to even), towards zero, up, and down. Without one of them a
 * conversion to integers is towards zero, one to floating point to nearest; that supposes the default rounding mode
 * of C.
 *
 * _sat, for integer results: what is out of range becomes the nearest number of the range, NaN becomes 0. Without it,
 * as in C, integers wrap and a floating-point number out of range gives an unspecified value. Floating-point results
 * never need it: what is too large becomes infinite, or the largest finite number, as the rounding says.
 *
 * The names are macros (convert_names.h) over one function for each pair of types and size, which takes the rest as
 * constants: ten times fewer functions for the compiler to read.
 */

/**
 * Loads, stores and shuffles of vectors (spec 3.9.8; OpenCL C 1.2, 6.12.7 and 6.12.12), for kernels and the host. n
 * is 2, 3, 4, 8 or 16; `offset` counts vectors.
 *
 *     tw_vloadn(offset, p)         the n elements from p[offset * n] on
 *     tw_vstoren(v, offset, p)     stores them there; p is a pointer to elements, aligned as such
 *
 * A pointer to a vector type reads and writes vectors too, must be aligned to them, and is what GPUs access in one
 * piece: *(const tw_float4 *)p is one instruction, tw_vload4(0, p) four. Writing one of 3 elements through such a
 * pointer may write the unused room behind it too.
 *
 *     tw_vload_half(offset, p), tw_vload_halfn(offset, p)        half in memory, float as the result
 *     tw_vloada_halfn(offset, p)                                 p[offset * n] is aligned to n halves; 3 count as 4
 *     tw_vstore_half(v, offset, p), tw_vstore_halfn(v, offset, p)   of float or double, rounded to nearest; with _rte, _rtz,
 *                                                                   _rtp or _rtn appended to the name as that says
 *     tw_vstorea_halfn(v, offset, p)                             likewise, aligned, 3 count as 4
 *
 *     tw_vload_bfloat16_n(offset, p)         tw_bfloat16 (bfloat16.h) in memory, float as the result
 *     tw_vstore_bfloat16_n(v, offset, p)     of float, rounded to nearest
 *
 *     tw_shuffle(v, mask)          as many elements as the mask has: element i is v[mask[i]], modulo the size of v
 *     tw_shuffle2(v, w, mask)      from the elements of v and, counted on, w, modulo twice their size
 * Vectors and masks of shuffles have 2, 4, 8 or 16 elements; a mask's are unsigned and as wide as the vector's. Where
 * the order is constant a swizzle says it shorter.
 */

/**
 * Integer functions (spec 3.9.4, tables 3.59 and 3.60), for kernels and the host. Each is one name for all integer
 * types, scalars and vectors of every size; the arguments have one type, but for a scalar beside a vector, which is
 * spread. Scalar arguments of different types are a compiler error (ambiguous call).
 *
 *     tw_abs(x)            |x|, unsigned                       tw_clz(x)          leading 0 bits; of 0: all
 *     tw_abs_diff(x, y)    |x - y|, unsigned                   tw_popcount(x)     1 bits
 *     tw_add_sat(x, y)     x + y, saturated                    tw_rotate(x, i)    x rotated left by i modulo the width
 *     tw_sub_sat(x, y)     x - y, saturated                    tw_mul_hi(x, y)    high half of the product
 *     tw_hadd(x, y)        (x + y) >> 1 without overflow       tw_mad_hi(a, b, c) tw_mul_hi(a, b) + c, wrapped
 *     tw_rhadd(x, y)       (x + y + 1) >> 1 likewise           tw_mad_sat(a, b, c)  a * b + c, saturated
 *     tw_max(x, y)         the larger                          tw_clamp(x, low, high)   low <= high, else undefined
 *     tw_min(x, y)         the smaller
 *
 *     tw_upsample(high, low)   high << width | low, twice as wide; low is unsigned, high as wide; not for 64 bits
 *     tw_mul24(x, y)           x * y; int and uint only. The result is only meant for arguments of 24 bits; here it is
 *     tw_mad24(x, y, z)        that of 32 bits, wrapped, for any. tw_mad24 adds z.
 */

/**
 * Common functions (spec 3.9.5, tables 3.61 and 3.62; half: 4.2), for kernels and the host: one name each for half,
 * float and double, scalars and vectors of every size. A scalar beside a vector is spread.
 *
 *     tw_clamp(x, low, high)    low <= high, else undefined        tw_degrees(x)    180 / pi * x
 *     tw_max(x, y)              x < y ? y : x                      tw_radians(x)    pi / 180 * x
 *     tw_min(x, y)              y < x ? y : x                      tw_sign(x)       1, 0 or -1; zeros as they are; NaN: 0
 *     tw_mix(x, y, a)           x + (y - x) * a, 0 <= a <= 1
 *     tw_step(edge, x)          x < edge ? 0 : 1
 *     tw_smoothstep(edge0, edge1, x)   0 up to edge0, 1 from edge1 on, in between t * t * (3 - 2 * t); edge0 < edge1
 *
 * With NaN among the arguments the result is undefined unless said otherwise; tw_fmax() and tw_fmin() (math.h) define
 * it.
 */

/**
 * Geometric functions (spec 3.9.6, tables 3.63 and 3.64; half: 4.2), for kernels and the host, over float, double and
 * half. Vectors have any size; a scalar counts as a vector of one element.
 *
 *     tw_cross(p, q)       vectors of 3 or 4 elements; a fourth element of the result is 0
 *     tw_dot(p, q)         sum of the products of the elements, a scalar
 *     tw_length(p)         sqrt(tw_dot(p, p)), without overflow or underflow on the way
 *     tw_distance(p, q)    tw_length(p - q)
 *     tw_normalize(p)      p / tw_length(p); zero stays zero, and of an infinite vector the result is undefined
 *
 *     tw_fast_length(p)    float only: less exact (8192 ulp) and, where the sum of squares is not a normal number, wrong
 *     tw_fast_distance(p, q), tw_fast_normalize(p)    likewise
 */

/**
 * Relational functions (spec 3.9.7, tables 3.65 and 3.66; half: 4.2), for kernels and the host.
 *
 * Over half, float and double. A scalar's answer is an int, 0 or 1; a vector's a vector of signed integers of the same
 * width, 0 or -1 in each element, as the comparison operators give it too:
 *     tw_isequal tw_isnotequal tw_isgreater tw_isgreaterequal tw_isless tw_islessequal tw_islessgreater
 *     tw_isordered tw_isunordered    (x, y)
 *     tw_isfinite tw_isinf tw_isnan tw_isnormal tw_signbit    (x); they look at the bits, so -ffast-math does not hurt
 *
 * Over integers, int 0 or 1:
 *     tw_any(x), tw_all(x)       the most significant bit of any, or of all, elements is set. The 1 of a scalar
 *                                comparison has no such bit: tw_any() and tw_all() are for vectors.
 * Over all types:
 *     tw_bitselect(a, b, c)      each bit from b where c has a 1, else from a
 *     tw_select(a, b, c)         each element from b where the most significant bit of c's is set, else from a;
 *                                of scalars b if c is not 0. c has the type that a comparison gives, or the unsigned
 *                                one; beside scalars also int.
 */

#endif
