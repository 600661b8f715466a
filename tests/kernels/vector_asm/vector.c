/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What accesses to vectors become on NVIDIA GPUs, for check.sh. Each line
 * KERNEL(name, type, statement) makes a kernel over arrays of the type, and the comment on it says which instructions
 * touch global memory, in order: a vector behind a pointer to vectors goes in the widest pieces there are, of up to 16
 * bytes; what tw_vloadn() loads, which need only be aligned to its elements, goes element by element. A pointer out of memory
 * leads to global memory if its type says so; what a plain one leads to is loaded by an instruction for any memory, not shown.
 */
#include <teamwork/pointer.h>
#include <teamwork/teamwork.h>
#include <teamwork/vector.h>

#define KERNEL(name, type, ...)                                                                                        \
    struct name {                                                                                                      \
        const type *in;                                                                                                \
        type *out;                                                                                                     \
    };                                                                                                                 \
    static inline void name(tw_item item, const struct name *k)                                                        \
    {                                                                                                                  \
        const size_t i = tw_global_id(item, 0);                                                                        \
        __VA_ARGS__;                                                                                                   \
    }                                                                                                                  \
    TW_RANGE_KERNEL(name, 1);

/* clang-format off */
KERNEL(float2, tw_float2, k->out[i] = k->in[i] * 2) /* ld.global.v2.f32 st.global.v2.f32 */
KERNEL(float3, tw_float3, k->out[i] = k->in[i] * 2) /* ld.global.v4.f32 st.global.v4.f32 */
KERNEL(float4, tw_float4, k->out[i] = k->in[i] * 2) /* ld.global.v4.f32 st.global.v4.f32 */
KERNEL(float8, tw_float8, k->out[i] = k->in[i] * 2) /* ld.global.v4.f32 ld.global.v4.f32 st.global.v4.f32 st.global.v4.f32 */
KERNEL(double2, tw_double2, k->out[i] = k->in[i] * 2) /* ld.global.v2.f64 st.global.v2.f64 */
KERNEL(double4, tw_double4, k->out[i] = k->in[i] * 2) /* ld.global.v2.f64 ld.global.v2.f64 st.global.v2.f64 st.global.v2.f64 */
KERNEL(int4, tw_int4, k->out[i] = k->in[i] * 2) /* ld.global.v4.u32 st.global.v4.u32 */
KERNEL(ulong2, tw_ulong2, k->out[i] = k->in[i] * 2) /* ld.global.v2.u64 st.global.v2.u64 */
KERNEL(short4, tw_short4, k->out[i] = k->in[i] * (tw_short)2) /* ld.global.v4.u16 st.global.v4.u16 */
KERNEL(short8, tw_short8, k->out[i] = k->in[i] * (tw_short)2) /* ld.global.v4.b32 st.global.v4.b32 */
KERNEL(half8, tw_half8, k->out[i] = k->in[i] * 2) /* ld.global.v4.b32 st.global.v4.b32 */
KERNEL(uchar4, tw_uchar4, k->out[i] = k->in[i] * (tw_uchar)2) /* ld.global.u32 st.global.u32 */
KERNEL(half8_aligned, tw_half, tw_vstorea_half8(tw_vloada_half8(i, k->in) * 2, i, k->out)) /* ld.global.v4.b32 st.global.v4.b32 */
KERNEL(swizzled, tw_float4, k->out[i] = k->in[i].wzyx) /* ld.global.v4.f32 st.global.v4.f32 */
KERNEL(float4_anywhere, float, tw_vstore4(tw_vload4(i, k->in) * 2, i, k->out)) /* ld.global.f32 ld.global.f32 ld.global.f32 ld.global.f32 st.global.f32 st.global.f32 st.global.f32 st.global.f32 */
KERNEL(float2_anywhere, float, tw_vstore2(tw_vload2(i, k->in) * 2, i, k->out)) /* ld.global.f32 ld.global.f32 st.global.f32 st.global.f32 */
KERNEL(half2_anywhere, tw_half, tw_vstore_half2(tw_vload_half2(i, k->in) * 2, i, k->out)) /* ld.global.u16 ld.global.u16 st.global.u16 st.global.u16 */
KERNEL(float8_widened, tw_float8, k->out[i] = tw_convert_float8(tw_convert_double8(k->in[i]) * 1.1)) /* ld.global.v4.u32 ld.global.v4.u32 st.global.v4.f32 st.global.v4.f32 */
KERNEL(half16_widened, tw_half16, k->out[i] = tw_convert_half16(tw_convert_float16(k->in[i]) * 1.1f)) /* ld.global.u32 ld.global.u32 ld.global.u32 ld.global.u32 ld.global.u32 ld.global.u32 ld.global.u32 ld.global.u32 st.global.v4.b32 st.global.v4.b32 */
KERNEL(plain_rows, float *, k->out[i][0] = 1) /* ld.global.u64 */
KERNEL(global_rows, float *, *tw_make_ptr(global, k->out[i]) = 1) /* ld.global.u64 st.global.u32 */
