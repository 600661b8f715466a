/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Matrices of a work-group on GPUs of sm_90a: the four warps of each 128 work-items, a warp group, multiply 64 rows of a
 * with up to 256 columns of b, both from local memory, by wgmma. The instructions run beside the warps.
 *
 * A tile is described by a word of 64 bits: its address, the distance of blocks of 64 elements where the free dimension lies
 * together, and that of eight lines, in units of 16 bytes; and that the 16-byte pieces of a line are swizzled.
 */
#ifndef TEAMWORK_LOWER_GROUP_MATRIX_WGMMA_H
#define TEAMWORK_LOWER_GROUP_MATRIX_WGMMA_H

// clang-format off
#define TW_INTERNAL_REGISTERS_32 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define TW_INTERNAL_REGISTERS_64 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define TW_INTERNAL_REGISTERS_128 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define TW_INTERNAL_OPERANDS_8(x, i) \
    "+f"((x)[i]), "+f"((x)[(i) + 1]), "+f"((x)[(i) + 2]), "+f"((x)[(i) + 3]), \
    "+f"((x)[(i) + 4]), "+f"((x)[(i) + 5]), "+f"((x)[(i) + 6]), "+f"((x)[(i) + 7])
#define TW_INTERNAL_OPERANDS_32(x, i) \
    TW_INTERNAL_OPERANDS_8(x, i), TW_INTERNAL_OPERANDS_8(x, (i) + 8), \
    TW_INTERNAL_OPERANDS_8(x, (i) + 16), TW_INTERNAL_OPERANDS_8(x, (i) + 24)
#define TW_INTERNAL_OPERANDS_64(x, i) TW_INTERNAL_OPERANDS_32(x, i), TW_INTERNAL_OPERANDS_32(x, (i) + 32)
#define TW_INTERNAL_OPERANDS_128(x, i) TW_INTERNAL_OPERANDS_64(x, i), TW_INTERNAL_OPERANDS_64(x, (i) + 64)

/* Operands behind the registers: the descriptors of a and b, and 1 for adding to what is there. */
#define TW_INTERNAL_WGMMA(columns, registers, type, left, right, one, layouts) \
    __asm__ volatile("{ .reg .pred p; setp.ne.b32 p, " one ", 0; wgmma.mma_async.sync.aligned.m64n" columns "k16.f32." \
                     type "." type " {" TW_INTERNAL_REGISTERS_##registers "}, " left ", " right ", p, 1, 1, " layouts "; }" \
                     : TW_INTERNAL_OPERANDS_##registers(x, 0) \
                     : "l"(a), "l"(b), "r"(1))
#define TW_INTERNAL_WGMMA_OF(columns, type, layouts) \
    do { \
        if ((columns) == 256) \
            TW_INTERNAL_WGMMA("256", 128, type, "%128", "%129", "%130", layouts); \
        else if ((columns) == 128) \
            TW_INTERNAL_WGMMA("128", 64, type, "%64", "%65", "%66", layouts); \
        else \
            TW_INTERNAL_WGMMA("64", 32, type, "%32", "%33", "%34", layouts); \
    } while (0)
/* x += a * b, of 64 rows and 64, 128 or 256 columns, and 16 of the inner dimension. */
#define TW_INTERNAL_DEFINE_WGMMA(factor, type) \
    TW_OVERLOADED void tw_internal_wgmma(const factor *tag, float *x, uint64_t a, uint64_t b, unsigned columns, \
                                         bool a_is_inner, bool b_is_inner) \
    { \
        (void)tag; \
        if (a_is_inner && b_is_inner) \
            TW_INTERNAL_WGMMA_OF(columns, type, "0, 0"); \
        else if (a_is_inner) \
            TW_INTERNAL_WGMMA_OF(columns, type, "0, 1"); \
        else if (b_is_inner) \
            TW_INTERNAL_WGMMA_OF(columns, type, "1, 0"); \
        else \
            TW_INTERNAL_WGMMA_OF(columns, type, "1, 1"); \
    }
TW_INTERNAL_DEFINE_WGMMA(tw_half, "f16")
TW_INTERNAL_DEFINE_WGMMA(tw_bfloat16, "bf16")
#undef TW_INTERNAL_DEFINE_WGMMA
// clang-format on

/* Of the lines of a tile, a local address, from `line` on, in its block `block` of 64 elements. */
TW_LANGUAGE_INLINE uint64_t tw_internal_tile_descriptor(unsigned tile, unsigned lines, unsigned line, unsigned block,
                                                        unsigned bytes)
{
    const unsigned address = tile + block * lines * 128 + line * 128 + bytes;
    return (uint64_t)((address & 0x3ffff) >> 4) | (uint64_t)(lines * 128 >> 4) << 16 | (uint64_t)(1024 >> 4) << 32
           | (uint64_t)1 << 62;
}

/* What is the same for a whole warp. It comes from one work-item, so that ptxas knows that: descriptors are in uniform registers
   then, from which wgmma takes them. A product of 4096 x 4096 takes 186 instead of 191 us on an H200. */
TW_LANGUAGE_INLINE unsigned tw_internal_uniform(unsigned x)
{
    return (unsigned)__nvvm_shfl_sync_idx_i32(~0u, (int)x, 0, 31);
}

/* The product of a warp group's rows; a and b are local addresses. */
#define TW_INTERNAL_DEFINE_GROUP_PRODUCT(factor)                                                                       \
    TW_OVERLOADED void tw_internal_warp_group_product(const factor *tag, float *x, unsigned first, unsigned own,       \
                                                      unsigned rows, unsigned columns, unsigned inner, unsigned a,     \
                                                      bool a_is_inner, unsigned b, bool b_is_inner)                    \
    {                                                                                                                  \
        const unsigned at_once = columns % 256 == 0 ? 256 : columns % 128 == 0 ? 128 : 64;                             \
        __asm__ volatile("wgmma.fence.sync.aligned;" ::: "memory");                                                    \
        _Pragma("unroll") for (unsigned k = 0; k < inner; k += 16)                                                     \
            _Pragma("unroll") for (unsigned i = 0; i < own; i += 64)                                                   \
                _Pragma("unroll") for (unsigned j = 0; j < columns; j += at_once)                                      \
        {                                                                                                              \
            const unsigned row = first + i;                                                                            \
            const uint64_t left = a_is_inner ? tw_internal_tile_descriptor(a, rows, row, k / 64, k % 64 * 2)           \
                                             : tw_internal_tile_descriptor(a, inner, k, row / 64, 0);                  \
            const uint64_t right = b_is_inner ? tw_internal_tile_descriptor(b, columns, j, k / 64, k % 64 * 2)         \
                                              : tw_internal_tile_descriptor(b, inner, k, j / 64, 0);                   \
            tw_internal_wgmma(tag, x + (i / 64 * (columns / 8) + j / 8) * 4, left, right, at_once, a_is_inner,         \
                              b_is_inner);                                                                             \
        }                                                                                                              \
        __asm__ volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                             \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_group_product(tw_nd_item item, float *x, unsigned rows, unsigned columns,           \
                                                 unsigned inner, const factor *a, bool a_is_inner, const factor *b,    \
                                                 bool b_is_inner)                                                      \
    {                                                                                                                  \
        const unsigned own = rows / ((unsigned)tw_local_linear_range(item) / 128);                                     \
        tw_internal_warp_group_product(a, x, (unsigned)tw_local_linear_id(item) / 128 * own, own, rows, columns,       \
                                       inner, tw_internal_local_address(a), a_is_inner, tw_internal_local_address(b),  \
                                       b_is_inner);                                                                    \
    }
TW_INTERNAL_DEFINE_GROUP_PRODUCT(tw_half)
TW_INTERNAL_DEFINE_GROUP_PRODUCT(tw_bfloat16)
#undef TW_INTERNAL_DEFINE_GROUP_PRODUCT

/* The sum is not used before the wait, and nothing else is in its registers. */
TW_LANGUAGE_INLINE void tw_internal_group_products_end(float *x, unsigned count, unsigned pending)
{
    if (pending == 0)
        __asm__ volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    else if (pending == 1)
        __asm__ volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    else if (pending == 2)
        __asm__ volatile("wgmma.wait_group.sync.aligned 2;" ::: "memory");
    else
        __asm__ volatile("wgmma.wait_group.sync.aligned 3;" ::: "memory");
    _Pragma("unroll") for (unsigned i = 0; i < count; ++i) __asm__ volatile("" : "+f"(x[i])::"memory");
}

#endif
