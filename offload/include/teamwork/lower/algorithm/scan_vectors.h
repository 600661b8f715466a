/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Scans of numbers by tw_plus, tw_minimum and tw_maximum on a CPU, in vectors: an element takes half as long as in a chain
 * of operations, in floating point a quarter. LLVM makes no vectors of a scan, and a program's own operation takes none.
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_SCAN_VECTORS_H
#define TEAMWORK_LOWER_ALGORITHM_SCAN_VECTORS_H

#include <teamwork/lower/algorithm/tile.h>
#include <teamwork/lower/kernel/prefix.h> /* TW_INTERNAL_SECOND() */

#if !TW_ON_GPU

/* The function that scans elements from `in` on, while there are as many as a vector has, and returns how many. `*before` is
   what is before them, and then what is before those behind them. Most operations and types have none: it returns 0. */
#define TW_INTERNAL_SCAN_OF(operation) TW_INTERNAL_SECOND(TW_INTERNAL_SCAN_OF_##operation, tw_internal_scan_none, )
#define TW_INTERNAL_SCAN_OF_tw_plus ignored, tw_internal_scan_plus
#define TW_INTERNAL_SCAN_OF_tw_minimum ignored, tw_internal_scan_minimum
#define TW_INTERNAL_SCAN_OF_tw_maximum ignored, tw_internal_scan_maximum

/* Elements of a vector, of 32 or 64 bytes: more of 4 bytes are no faster with AVX-512, nor with SSE, fewer of 8 slower. */
#define TW_INTERNAL_SCANNED_LANES(type) (sizeof(type) < 4 ? 32 / sizeof(type) : 8)

/* Each step combines an element with what is `step` before it. Where nothing is, it takes `NOTHING`, which changes no
   element: -0 in a sum, the element itself in an extremum. */
#define TW_INTERNAL_DEFINE_SCAN_VECTORS(function, type, operation, NOTHING)                                            \
    TW_OVERLOADED size_t function(const type *in, size_t count, bool exclusive, type *before, type *out)               \
    {                                                                                                                  \
        enum { LANES = TW_INTERNAL_SCANNED_LANES(type) };                                                              \
        typedef type vector __attribute__((ext_vector_type(LANES)));                                                   \
        typedef type unaligned __attribute__((ext_vector_type(LANES), aligned(sizeof(type))));                         \
        vector x = *before;                                                                                            \
        size_t i = 0;                                                                                                  \
        for (; count - i >= LANES; i += LANES) {                                                                       \
            vector up_to = *(const unaligned *)(const void *)(in + i), earlier;                                        \
            _Pragma("unroll") for (unsigned step = 1; step < LANES; step *= 2)                                         \
            {                                                                                                          \
                earlier = NOTHING(type, up_to);                                                                        \
                _Pragma("unroll") for (unsigned lane = step; lane < LANES; ++lane) earlier[lane] = up_to[lane - step]; \
                up_to = operation(earlier, up_to);                                                                     \
            }                                                                                                          \
            const vector all = operation(x, up_to);                                                                    \
            earlier = x;                                                                                               \
            _Pragma("unroll") for (unsigned lane = 1; lane < LANES; ++lane) earlier[lane] = all[lane - 1];             \
            *(unaligned *)(void *)(out + i) = exclusive ? earlier : all;                                               \
            const vector last = up_to[LANES - 1];                                                                      \
            x = operation(x, last);                                                                                    \
        }                                                                                                              \
        *before = x[0];                                                                                                \
        return i;                                                                                                      \
    }
/* As tw_plus and the like, of vectors. */
#define TW_INTERNAL_PLUS(a, b) ((a) + (b))
#define TW_INTERNAL_MINIMUM(a, b) ((b) < (a) ? (b) : (a))
#define TW_INTERNAL_MAXIMUM(a, b) ((a) < (b) ? (b) : (a))
#define TW_INTERNAL_NO_SUMMAND(type, up_to) ((type)(-0.0))
#define TW_INTERNAL_OWN_ELEMENT(type, up_to) (up_to)
#define TW_INTERNAL_DEFINE_SCANS(type)                                                                                 \
    TW_INTERNAL_DEFINE_SCAN_VECTORS(tw_internal_scan_plus, type, TW_INTERNAL_PLUS, TW_INTERNAL_NO_SUMMAND)             \
    TW_INTERNAL_DEFINE_SCAN_VECTORS(tw_internal_scan_minimum, type, TW_INTERNAL_MINIMUM, TW_INTERNAL_OWN_ELEMENT)      \
    TW_INTERNAL_DEFINE_SCAN_VECTORS(tw_internal_scan_maximum, type, TW_INTERNAL_MAXIMUM, TW_INTERNAL_OWN_ELEMENT)
TW_INTERNAL_DEFINE_SCANS(char)
TW_INTERNAL_DEFINE_SCANS(signed char)
TW_INTERNAL_DEFINE_SCANS(unsigned char)
TW_INTERNAL_DEFINE_SCANS(short)
TW_INTERNAL_DEFINE_SCANS(unsigned short)
TW_INTERNAL_DEFINE_SCANS(int)
TW_INTERNAL_DEFINE_SCANS(unsigned)
TW_INTERNAL_DEFINE_SCANS(long)
TW_INTERNAL_DEFINE_SCANS(unsigned long)
TW_INTERNAL_DEFINE_SCANS(long long)
TW_INTERNAL_DEFINE_SCANS(unsigned long long)
TW_INTERNAL_DEFINE_SCANS(float)
TW_INTERNAL_DEFINE_SCANS(double)

#define TW_INTERNAL_DEFINE_NO_SCAN(function)                                                                           \
    TW_OVERLOADED size_t function(const void *in, size_t count, bool exclusive, void *before, void *out)               \
    {                                                                                                                  \
        (void)in, (void)count, (void)exclusive, (void)before, (void)out;                                               \
        return 0;                                                                                                      \
    }
TW_INTERNAL_DEFINE_NO_SCAN(tw_internal_scan_none)
TW_INTERNAL_DEFINE_NO_SCAN(tw_internal_scan_plus)
TW_INTERNAL_DEFINE_NO_SCAN(tw_internal_scan_minimum)
TW_INTERNAL_DEFINE_NO_SCAN(tw_internal_scan_maximum)

#endif
#endif
