/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Pipelines on GPUs of sm_90a. One work-item begins the loads of a stage, and the tensor memory accelerator (TMA) brings both
 * tiles, in the order that wgmma reads. It finds a factor by a tensor map, 128 bytes in global memory, which each group makes
 * when it opens the pipeline: so the host need not know the addresses, and launches are as others are.
 *
 * Loads by a warp that does nothing else gained nothing on an H200, and neither did several warps that load a part each, or loads
 * of the next product's tiles before the end of one. Clusters of two groups with a tile for both were slower, in CUDA.
 *
 * A stage has two barriers in local memory behind all tiles (mbarrier). `full` completes when all bytes of the stage are there,
 * `empty` when each warp has waited for its product. A wait names the parity of the phase that it waits for.
 */
#ifndef TEAMWORK_LOWER_GROUP_MATRIX_TMA_H
#define TEAMWORK_LOWER_GROUP_MATRIX_TMA_H

enum { TW_INTERNAL_MAP_BYTES = 128 };

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

TW_LANGUAGE_INLINE unsigned tw_internal_stage_full(struct tw_internal_pipeline_shape shape, unsigned stage)
{
    return tw_internal_local_address(shape.a) + shape.stages * shape.stage_bytes + stage * 8;
}

TW_LANGUAGE_INLINE unsigned tw_internal_stage_empty(struct tw_internal_pipeline_shape shape, unsigned stage)
{
    return tw_internal_stage_full(shape, shape.stages + stage);
}

TW_LANGUAGE_INLINE void tw_internal_phase_begin(unsigned barrier, unsigned arrivals)
{
    __asm__ volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

TW_LANGUAGE_INLINE void tw_internal_phase_arrive(unsigned barrier)
{
    __asm__ volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* Arrives, and makes the phase wait for so many bytes. */
TW_LANGUAGE_INLINE void tw_internal_phase_expect(unsigned barrier, unsigned bytes)
{
    __asm__ volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

TW_LANGUAGE_INLINE void tw_internal_phase_wait(unsigned barrier, unsigned parity)
{
    __asm__ volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }"
                     :
                     : "r"(barrier), "r"(parity)
                     : "memory");
}

/* ---- tensor maps ------------------------------------------------------------------------------------------------- */

/* Lines of a tile that one load brings: 256 at most. */
TW_LANGUAGE_INLINE unsigned tw_internal_map_lines(unsigned lines)
{
    return lines <= 256 ? lines : lines % 128 == 0 ? 128 : lines % 64 == 0 ? 64 : 16;
}

/* Makes a map in local memory, which is zero: of a matrix of `lines`, each of `together` elements, of which a load brings
   blocks of 64 elements; what is outside of the matrix is zero. */
TW_LANGUAGE_INLINE void tw_internal_map_make(unsigned map, const void *from, size_t together, size_t lines,
                                             size_t stride, unsigned lines_at_once)
{
    // clang-format off
#define TW_INTERNAL_MAP_SET(field, bits, which, constraint, value) \
    __asm__ volatile("tensormap.replace.tile." field ".shared::cta.b1024." bits " [%0]," which " %1;" \
                     :: "r"(map), constraint(value) : "memory")
    TW_INTERNAL_MAP_SET("global_address", "b64", "", "l", from);
    TW_INTERNAL_MAP_SET("rank", "b32", "", "r", 1); /* less 1 */
    TW_INTERNAL_MAP_SET("box_dim", "b32", " 0,", "r", 64);
    TW_INTERNAL_MAP_SET("box_dim", "b32", " 1,", "r", lines_at_once);
    TW_INTERNAL_MAP_SET("global_dim", "b32", " 0,", "r", (unsigned)together);
    TW_INTERNAL_MAP_SET("global_dim", "b32", " 1,", "r", (unsigned)lines);
    TW_INTERNAL_MAP_SET("global_stride", "b64", " 0,", "l", stride * 2);
    TW_INTERNAL_MAP_SET("element_stride", "b32", " 0,", "r", 1);
    TW_INTERNAL_MAP_SET("element_stride", "b32", " 1,", "r", 1);
    TW_INTERNAL_MAP_SET("elemtype", "b32", "", "n", 1);          /* of 16 bits */
    TW_INTERNAL_MAP_SET("interleave_layout", "b32", "", "n", 0); /* none */
    TW_INTERNAL_MAP_SET("swizzle_mode", "b32", "", "n", 3);      /* of 128 bytes */
    TW_INTERNAL_MAP_SET("fill_mode", "b32", "", "n", 0);         /* zeros */
#undef TW_INTERNAL_MAP_SET
    // clang-format on
}

/* Makes a map, by the first warp; `local` are 128 bytes for a while. */
TW_LANGUAGE_INLINE void tw_internal_map_publish(void *map, void *local, unsigned lane, const void *from, size_t stride,
                                                size_t rows, size_t columns, tw_matrix_layout layout,
                                                unsigned lines_at_once)
{
    const unsigned address = tw_internal_local_address(local);
    ((unsigned *)local)[lane] = 0;
    __nvvm_bar_warp_sync(~0u);
    if (lane == 0)
        tw_internal_map_make(address, from, layout == TW_ROW_MAJOR ? columns : rows,
                             layout == TW_ROW_MAJOR ? rows : columns, stride, lines_at_once);
    __nvvm_bar_warp_sync(~0u);
    __asm__ volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned"
                     " [%0], [%1], 128;" ::"l"(map),
                     "r"(address)
                     : "memory");
    __nvvm_bar_warp_sync(~0u);
}

/* Makes the calling work-item see a map. */
TW_LANGUAGE_INLINE void tw_internal_map_acquire(const void *map)
{
    __asm__ volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

/* Begins to load a tile whose first element is element `place` of line `line`. */
TW_LANGUAGE_INLINE void tw_internal_map_load(const unsigned char *map, unsigned tile, unsigned lines, unsigned together,
                                             size_t place, size_t line, unsigned barrier)
{
    const unsigned at_once = tw_internal_map_lines(lines);
    _Pragma("unroll") for (unsigned block = 0; block < together / 64; ++block)
        _Pragma("unroll") for (unsigned first = 0; first < lines; first += at_once) __asm__ volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
            " [%0], [%1, {%2, %3}], [%4];" ::"r"(tile + (block * lines + first) * 128),
            "l"(map), "r"((unsigned)place + block * 64), "r"((unsigned)line + first), "r"(barrier) : "memory");
}

/* Begins to load the next step of the product, when its stage is empty. */
TW_LANGUAGE_INLINE void tw_internal_pipeline_load(tw_internal_pipeline *p, struct tw_internal_pipeline_shape shape)
{
    const unsigned full = tw_internal_stage_full(shape, p->tw_loaded_stage_);
    const unsigned stage = p->tw_loaded_stage_ * shape.stage_bytes;
    const unsigned a = tw_internal_local_address(shape.a) + stage, b = tw_internal_local_address(shape.b) + stage;
    const size_t inner = p->tw_loaded_ * shape.inner;
    tw_internal_phase_wait(tw_internal_stage_empty(shape, p->tw_loaded_stage_), p->tw_loaded_phase_ ^ 1);
    tw_internal_phase_expect(full, (shape.rows + shape.columns) * shape.inner * 2);
    if (shape.a_layout == TW_ROW_MAJOR)
        tw_internal_map_load(p->tw_maps_, a, shape.rows, shape.inner, inner, p->tw_row_, full);
    else
        tw_internal_map_load(p->tw_maps_, a, shape.inner, shape.rows, p->tw_row_, inner, full);
    if (shape.b_layout == TW_ROW_MAJOR)
        tw_internal_map_load(p->tw_maps_ + TW_INTERNAL_MAP_BYTES, b, shape.inner, shape.columns, p->tw_column_, inner,
                             full);
    else
        tw_internal_map_load(p->tw_maps_ + TW_INTERNAL_MAP_BYTES, b, shape.columns, shape.inner, inner, p->tw_column_,
                             full);
    ++p->tw_loaded_;
    if (++p->tw_loaded_stage_ == shape.stages) {
        p->tw_loaded_stage_ = 0;
        p->tw_loaded_phase_ ^= 1;
    }
}

/* ---- the pipeline ------------------------------------------------------------------------------------------------ */

/* Whether this is the one work-item, always the same, that acts for a warp; all ask. ptxas then knows that it is alone, and makes
   no loops over work-items of what needs uniform registers. */
TW_LANGUAGE_INLINE bool tw_internal_one_of_warp(void)
{
    unsigned one;
    __asm__ volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.b32 %0, 1, 0, p; }" : "=r"(one));
    return one != 0;
}

/* The first warp makes the maps, in the memory of the first tile. */
TW_LANGUAGE_INLINE void tw_internal_pipeline_prepare(tw_nd_item item, tw_internal_pipeline *p,
                                                     struct tw_internal_pipeline_shape shape, void *maps)
{
    const unsigned me = (unsigned)tw_local_linear_id(item);
    unsigned char *const own = (unsigned char *)maps + tw_group_linear_id(item) * (2 * TW_INTERNAL_MAP_BYTES);
    p->tw_maps_ = own;
    if (me < 32) {
        tw_internal_map_publish(own, shape.a, me, p->tw_a_, p->tw_a_stride_, p->tw_rows_, p->tw_inner_, shape.a_layout,
                                tw_internal_map_lines(shape.a_layout == TW_ROW_MAJOR ? shape.rows : shape.inner));
        tw_internal_map_publish(own + TW_INTERNAL_MAP_BYTES, shape.a, me, p->tw_b_, p->tw_b_stride_, p->tw_inner_,
                                p->tw_columns_, shape.b_layout,
                                tw_internal_map_lines(shape.b_layout == TW_ROW_MAJOR ? shape.inner : shape.columns));
        __asm__ volatile("fence.proxy.async.shared::cta;" ::: "memory"); /* then tiles come where the maps were made */
    }
    if (me == 0) {
        for (unsigned stage = 0; stage < shape.stages; ++stage) {
            tw_internal_phase_begin(tw_internal_stage_full(shape, stage), 1);
            tw_internal_phase_begin(tw_internal_stage_empty(shape, stage), (unsigned)tw_local_linear_range(item) / 32);
        }
        __asm__ volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    tw_internal_barrier();
    if (me < 32 && tw_internal_one_of_warp()) {
        tw_internal_map_acquire(own);
        tw_internal_map_acquire(own + TW_INTERNAL_MAP_BYTES);
    }
}

TW_LANGUAGE_INLINE void tw_internal_pipeline_begin(tw_nd_item item, tw_internal_pipeline *p,
                                                   struct tw_internal_pipeline_shape shape)
{
    if (tw_local_linear_id(item) < 32 && tw_internal_one_of_warp())
        while (p->tw_loaded_ < p->tw_steps_ && p->tw_loaded_ < shape.stages)
            tw_internal_pipeline_load(p, shape);
}

/* A warp has waited for the product of a stage. When all have, the next step is loaded into it. */
TW_LANGUAGE_INLINE void tw_internal_pipeline_release(unsigned me, tw_internal_pipeline *p,
                                                     struct tw_internal_pipeline_shape shape, unsigned stage)
{
    if (me % 32 == 0)
        tw_internal_phase_arrive(tw_internal_stage_empty(shape, stage));
    if (me < 32 && tw_internal_one_of_warp() && p->tw_loaded_ < p->tw_steps_)
        tw_internal_pipeline_load(p, shape);
}

/* The product of a step ends while that of the next one is under way. */
#define TW_INTERNAL_DEFINE_PIPELINE_MULTIPLY(type)                                                                     \
    TW_OVERLOADED void tw_internal_pipeline_multiply(tw_nd_item item, float *x, unsigned count,                        \
                                                     tw_internal_pipeline *p, type *tag,                               \
                                                     struct tw_internal_pipeline_shape shape)                          \
    {                                                                                                                  \
        const unsigned me = (unsigned)tw_local_linear_id(item), group = tw_internal_uniform(me / 128);                 \
        const unsigned own = shape.rows / ((unsigned)tw_local_linear_range(item) / 128);                               \
        const unsigned a = tw_internal_uniform(tw_internal_local_address(shape.a));                                    \
        const unsigned b = tw_internal_uniform(tw_internal_local_address(shape.b));                                    \
        unsigned before = 0;                                                                                           \
        if (p->tw_steps_ == 0)                                                                                         \
            return;                                                                                                    \
        for (unsigned step = 0;;) {                                                                                    \
            const unsigned stage = tw_internal_uniform(p->tw_stage_);                                                  \
            tw_internal_phase_wait(tw_internal_stage_full(shape, stage), p->tw_phase_);                                \
            tw_internal_warp_group_product(tag, x, group *own, own, shape.rows, shape.columns, shape.inner,            \
                                           a + stage * shape.stage_bytes, shape.a_layout == TW_ROW_MAJOR,              \
                                           b + stage * shape.stage_bytes, shape.b_layout == TW_COLUMN_MAJOR);          \
            tw_internal_group_products_end(x, count, 1);                                                               \
            if (step > 0)                                                                                              \
                tw_internal_pipeline_release(me, p, shape, before);                                                    \
            before = stage;                                                                                            \
            p->tw_stage_ = stage + 1 == shape.stages ? 0 : stage + 1;                                                  \
            p->tw_phase_ ^= p->tw_stage_ == 0;                                                                         \
            if (++step == p->tw_steps_)                                                                                \
                break;                                                                                                 \
        }                                                                                                              \
        tw_internal_group_products_end(x, count, 0);                                                                   \
        tw_internal_pipeline_release(me, p, shape, before);                                                            \
    }
TW_INTERNAL_DEFINE_PIPELINE_MULTIPLY(tw_half)
TW_INTERNAL_DEFINE_PIPELINE_MULTIPLY(tw_bfloat16)
#undef TW_INTERNAL_DEFINE_PIPELINE_MULTIPLY

#endif
