/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers a part of what <teamwork/vector.h> declares. */
#ifndef TEAMWORK_LOWER_VECTOR_DATA_H
#define TEAMWORK_LOWER_VECTOR_DATA_H

#include <stddef.h>

#include <teamwork/bfloat16.h>
#include <teamwork/lower/vector/convert.h>
#include <teamwork/lower/vector/vector.h>

/* clang 19 makes one access of 16 bytes of 16 bytes at any address on NVPTX, where it has to be aligned: in two
   halves. */
#define TW_INTERNAL_COPY_ELEMENTS(to, from, n, bytes)                                                                  \
    do {                                                                                                               \
        const size_t tw_half_bytes = (n) == 16 && (bytes) == 1 ? 8 : 0;                                                \
        __builtin_memcpy((to), (from), tw_half_bytes ? tw_half_bytes : (n) * (bytes));                                 \
        __builtin_memcpy((char *)(to) + tw_half_bytes, (const char *)(from) + tw_half_bytes, tw_half_bytes);           \
    } while (0)

/* P is the type behind the pointer, T that of the vector's elements, here of the same width. */
#define TW_INTERNAL_LOAD_STORE(P, T, n)                                                                                \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_vload##n(size_t offset, const tw_##P *p)                                         \
    {                                                                                                                  \
        tw_##T##n tw_v;                                                                                                \
        TW_INTERNAL_COPY_ELEMENTS(&tw_v, p + offset * n, n, sizeof *p);                                                \
        return tw_v;                                                                                                   \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD void tw_vstore##n(tw_##T##n v, size_t offset, tw_##P *p)                                      \
    {                                                                                                                  \
        TW_INTERNAL_COPY_ELEMENTS(p + offset * n, &v, n, sizeof *p);                                                   \
    }
#define TW_INTERNAL_LOAD_STORE_SAME(T, n) TW_INTERNAL_LOAD_STORE(T, T, n)
#define TW_INTERNAL_LOAD_STORE_ALIASES(n)                                                                              \
    TW_INTERNAL_LOAD_STORE(schar, char, n)                                                                             \
    TW_INTERNAL_LOAD_STORE(longlong, long, n) TW_INTERNAL_LOAD_STORE(ulonglong, ulong, n)
TW_INTERNAL_ALL_VECTORS(TW_INTERNAL_LOAD_STORE_SAME)
TW_INTERNAL_LOAD_STORE_ALIASES(2)
TW_INTERNAL_LOAD_STORE_ALIASES(3)
TW_INTERNAL_LOAD_STORE_ALIASES(4)
TW_INTERNAL_LOAD_STORE_ALIASES(8)
TW_INTERNAL_LOAD_STORE_ALIASES(16)
#undef TW_INTERNAL_LOAD_STORE
#undef TW_INTERNAL_LOAD_STORE_SAME
#undef TW_INTERNAL_LOAD_STORE_ALIASES

/* ---- half in memory ---------------------------------------------------------------------------------------------- */

TW_INTERNAL_OVERLOAD tw_float tw_vload_half(size_t offset, const tw_half *p)
{
    return (tw_float)p[offset];
}

/* `stride`: from vector to vector, where they are aligned. */
#define TW_INTERNAL_LOAD_HALF(n, stride)                                                                               \
    TW_INTERNAL_OVERLOAD tw_float##n tw_vload_half##n(size_t offset, const tw_half *p)                                 \
    {                                                                                                                  \
        return TW_INTERNAL_CAST(float, n, tw_vload##n(offset, p));                                                     \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_float##n tw_vloada_half##n(size_t offset, const tw_half *p)                                \
    {                                                                                                                  \
        tw_half##n tw_v;                                                                                               \
        __builtin_memcpy(&tw_v, __builtin_assume_aligned(p + offset * stride, sizeof tw_v), n * sizeof *p);            \
        return TW_INTERNAL_CAST(float, n, tw_v);                                                                       \
    }
TW_INTERNAL_LOAD_HALF(2, 2)
TW_INTERNAL_LOAD_HALF(3, 4)
TW_INTERNAL_LOAD_HALF(4, 4)
TW_INTERNAL_LOAD_HALF(8, 8)
TW_INTERNAL_LOAD_HALF(16, 16)
#undef TW_INTERNAL_LOAD_HALF

#define TW_INTERNAL_STORE_HALF(T, mode, how)                                                                           \
    TW_INTERNAL_OVERLOAD void tw_vstore_half##mode(tw_##T v, size_t offset, tw_half *p)                                \
    {                                                                                                                  \
        p[offset] = tw_internal_to_half(v, how);                                                                       \
    }                                                                                                                  \
    TW_INTERNAL_STORE_HALVES(T, 2, 2, mode, how)                                                                       \
    TW_INTERNAL_STORE_HALVES(T, 3, 4, mode, how)                                                                       \
    TW_INTERNAL_STORE_HALVES(T, 4, 4, mode, how)                                                                       \
    TW_INTERNAL_STORE_HALVES(T, 8, 8, mode, how)                                                                       \
    TW_INTERNAL_STORE_HALVES(T, 16, 16, mode, how)
#define TW_INTERNAL_STORE_HALVES(T, n, stride, mode, how)                                                              \
    TW_INTERNAL_OVERLOAD void tw_vstore_half##n##mode(tw_##T##n v, size_t offset, tw_half *p)                          \
    {                                                                                                                  \
        tw_vstore##n(tw_internal_to_half##n(v, how), offset, p);                                                       \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD void tw_vstorea_half##n##mode(tw_##T##n v, size_t offset, tw_half *p)                         \
    {                                                                                                                  \
        const tw_half##n tw_v = tw_internal_to_half##n(v, how);                                                        \
        __builtin_memcpy(__builtin_assume_aligned(p + offset * stride, sizeof tw_v), &tw_v, n * sizeof *p);            \
    }
#define TW_INTERNAL_STORE_HALF_ALL(T)                                                                                  \
    TW_INTERNAL_STORE_HALF(T, , TW_INTERNAL_DEFAULT)                                                                   \
    TW_INTERNAL_STORE_HALF(T, _rte, TW_INTERNAL_RTE)                                                                   \
    TW_INTERNAL_STORE_HALF(T, _rtz, TW_INTERNAL_RTZ)                                                                   \
    TW_INTERNAL_STORE_HALF(T, _rtp, TW_INTERNAL_RTP)                                                                   \
    TW_INTERNAL_STORE_HALF(T, _rtn, TW_INTERNAL_RTN)
TW_INTERNAL_STORE_HALF_ALL(float)
TW_INTERNAL_STORE_HALF_ALL(double)
#undef TW_INTERNAL_STORE_HALF
#undef TW_INTERNAL_STORE_HALVES
#undef TW_INTERNAL_STORE_HALF_ALL

/* ---- bfloat16 in memory ------------------------------------------------------------------------------------------ */

#define TW_INTERNAL_LOAD_STORE_BFLOAT16(n)                                                                             \
    TW_INTERNAL_OVERLOAD tw_float##n tw_vload_bfloat16_##n(size_t offset, const tw_bfloat16 *p)                        \
    {                                                                                                                  \
        tw_ushort##n tw_v;                                                                                             \
        __builtin_memcpy(&tw_v, p + offset * n, n * sizeof *p);                                                        \
        return __builtin_bit_cast(tw_float##n, __builtin_convertvector(tw_v, tw_uint##n) << 16);                       \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD void tw_vstore_bfloat16_##n(tw_float##n v, size_t offset, tw_bfloat16 *p)                     \
    {                                                                                                                  \
        for (int tw_i = 0; tw_i < n; ++tw_i)                                                                           \
            p[offset * n + (size_t)tw_i] = tw_bfloat16_from_float(v[tw_i]);                                            \
    }
TW_INTERNAL_LOAD_STORE_BFLOAT16(2)
TW_INTERNAL_LOAD_STORE_BFLOAT16(3)
TW_INTERNAL_LOAD_STORE_BFLOAT16(4)
TW_INTERNAL_LOAD_STORE_BFLOAT16(8)
TW_INTERNAL_LOAD_STORE_BFLOAT16(16)
#undef TW_INTERNAL_LOAD_STORE_BFLOAT16

/* ---- shuffles ---------------------------------------------------------------------------------------------------- */

/* From vectors of m to one of n elements. */
#define TW_INTERNAL_SHUFFLE(T, m, n)                                                                                   \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_shuffle(tw_##T##m v, tw_internal_u_##T##n mask)                                  \
    {                                                                                                                  \
        tw_##T##n tw_r;                                                                                                \
        for (int tw_i = 0; tw_i < n; ++tw_i)                                                                           \
            tw_r[tw_i] = v[mask[tw_i] % m];                                                                            \
        return tw_r;                                                                                                   \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_shuffle2(tw_##T##m v, tw_##T##m w, tw_internal_u_##T##n mask)                    \
    {                                                                                                                  \
        tw_##T##n tw_r;                                                                                                \
        for (int tw_i = 0; tw_i < n; ++tw_i)                                                                           \
            tw_r[tw_i] = mask[tw_i] & m ? w[mask[tw_i] % m] : v[mask[tw_i] % m];                                       \
        return tw_r;                                                                                                   \
    }
#define TW_INTERNAL_SHUFFLES(T)                                                                                        \
    TW_INTERNAL_SHUFFLES_TO(T, 2)                                                                                      \
    TW_INTERNAL_SHUFFLES_TO(T, 4) TW_INTERNAL_SHUFFLES_TO(T, 8) TW_INTERNAL_SHUFFLES_TO(T, 16)
#define TW_INTERNAL_SHUFFLES_TO(T, n)                                                                                  \
    TW_INTERNAL_SHUFFLE(T, 2, n)                                                                                       \
    TW_INTERNAL_SHUFFLE(T, 4, n) TW_INTERNAL_SHUFFLE(T, 8, n) TW_INTERNAL_SHUFFLE(T, 16, n)
TW_INTERNAL_TYPES(TW_INTERNAL_SHUFFLES)
#undef TW_INTERNAL_SHUFFLE
#undef TW_INTERNAL_SHUFFLES
#undef TW_INTERNAL_SHUFFLES_TO

#endif
