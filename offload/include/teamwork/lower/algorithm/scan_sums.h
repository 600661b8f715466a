/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Scans of numbers by tw_plus on a CPU, in vectors: an element takes half as long as a chain of additions, of floating
 * point a quarter. LLVM makes no vectors of a scan, and no operation of a program is one of vectors.
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_SCAN_SUMS_H
#define TEAMWORK_LOWER_ALGORITHM_SCAN_SUMS_H

#include <teamwork/lower/algorithm/tile.h>
#include <teamwork/lower/kernel/prefix.h> /* TW_INTERNAL_SECOND() */

/* 1 for tw_plus, 0 for other operations. */
#define TW_INTERNAL_IS_PLUS(operation) TW_INTERNAL_SECOND(TW_INTERNAL_IS_PLUS_##operation, 0, )
#define TW_INTERNAL_IS_PLUS_tw_plus ignored, 1

#if !TW_ON_GPU

enum { TW_INTERNAL_SUMS_BYTES = 32 }; /* of a vector: more is no faster with AVX-512, nor with SSE */

/* tw_internal_scan_sums(): scans elements from `in` on while there are as many as a vector has. `*before` is what is before
   them, and then before those behind them. Returns how many. Each step adds to an element the sum that is `step` before
   it; -0 changes no number. Other types have none. */
#define TW_INTERNAL_DEFINE_SCAN_SUMS(type)                                                                             \
    TW_OVERLOADED size_t tw_internal_scan_sums(const type *in, size_t count, bool exclusive, type *before, type *out)  \
    {                                                                                                                  \
        enum { LANES = TW_INTERNAL_SUMS_BYTES / sizeof(type) };                                                        \
        typedef type vector __attribute__((ext_vector_type(LANES)));                                                   \
        typedef type unaligned __attribute__((ext_vector_type(LANES), aligned(sizeof(type))));                         \
        const vector none = (type)(-0.0);                                                                              \
        vector x = *before;                                                                                            \
        size_t i = 0;                                                                                                  \
        for (; count - i >= LANES; i += LANES) {                                                                       \
            vector sums = *(const unaligned *)(const void *)(in + i), earlier;                                         \
            _Pragma("unroll") for (unsigned step = 1; step < LANES; step *= 2)                                         \
            {                                                                                                          \
                earlier = none;                                                                                        \
                _Pragma("unroll") for (unsigned lane = step; lane < LANES; ++lane) earlier[lane] = sums[lane - step];  \
                sums = earlier + sums;                                                                                 \
            }                                                                                                          \
            earlier = none;                                                                                            \
            _Pragma("unroll") for (unsigned lane = 1; lane < LANES; ++lane) earlier[lane] = sums[lane - 1];            \
            *(unaligned *)(void *)(out + i) = x + (exclusive ? earlier : sums);                                        \
            x = x + (vector)sums[LANES - 1];                                                                           \
        }                                                                                                              \
        *before = x[0];                                                                                                \
        return i;                                                                                                      \
    }
TW_INTERNAL_DEFINE_SCAN_SUMS(char)
TW_INTERNAL_DEFINE_SCAN_SUMS(signed char)
TW_INTERNAL_DEFINE_SCAN_SUMS(unsigned char)
TW_INTERNAL_DEFINE_SCAN_SUMS(short)
TW_INTERNAL_DEFINE_SCAN_SUMS(unsigned short)
TW_INTERNAL_DEFINE_SCAN_SUMS(int)
TW_INTERNAL_DEFINE_SCAN_SUMS(unsigned)
TW_INTERNAL_DEFINE_SCAN_SUMS(long)
TW_INTERNAL_DEFINE_SCAN_SUMS(unsigned long)
TW_INTERNAL_DEFINE_SCAN_SUMS(long long)
TW_INTERNAL_DEFINE_SCAN_SUMS(unsigned long long)
TW_INTERNAL_DEFINE_SCAN_SUMS(float)
TW_INTERNAL_DEFINE_SCAN_SUMS(double)
TW_OVERLOADED size_t tw_internal_scan_sums(const void *in, size_t count, bool exclusive, void *before, void *out)
{
    (void)in, (void)count, (void)exclusive, (void)before, (void)out;
    return 0;
}

#endif
#endif
