/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Pipelines without a copy engine for tiles: the work-items load them. Where copies run beside them (sm_80 on), all stages but
 * one are on their way while that is multiplied; elsewhere a step is loaded when it is needed, into the first stage.
 */
#ifndef TEAMWORK_LOWER_GROUP_MATRIX_STAGES_H
#define TEAMWORK_LOWER_GROUP_MATRIX_STAGES_H

/* The steps that are loaded ahead. */
TW_LANGUAGE_INLINE unsigned tw_internal_pipeline_ahead(struct tw_internal_pipeline_shape shape)
{
#ifdef TW_INTERNAL_COPY_ENGINE
    return shape.stages - 1;
#else
    (void)shape;
    return 0;
#endif
}

TW_LANGUAGE_INLINE size_t tw_internal_stage_of(struct tw_internal_pipeline_shape shape, size_t step)
{
    return tw_internal_pipeline_ahead(shape) == 0 ? 0 : step % shape.stages * shape.stage_bytes;
}

TW_LANGUAGE_INLINE void tw_internal_pipeline_prepare(tw_nd_item item, tw_internal_pipeline *p,
                                                     struct tw_internal_pipeline_shape shape, void *maps)
{
    (void)item, (void)p, (void)shape, (void)maps;
}

/* Steps past the last one are none, and batches of no copies. */
#define TW_INTERNAL_DEFINE_PIPELINE_MULTIPLY(type)                                                                     \
    TW_OVERLOADED void tw_internal_pipeline_load(tw_nd_item item, tw_internal_pipeline *p, type *tag,                  \
                                                 struct tw_internal_pipeline_shape shape, size_t step)                 \
    {                                                                                                                  \
        const size_t stage = tw_internal_stage_of(shape, step), inner = step * shape.inner;                            \
        (void)tag;                                                                                                     \
        if (step < p->tw_steps_) {                                                                                     \
            const size_t left = p->tw_inner_ - inner;                                                                  \
            tw_internal_tile_copy_part(item, (type *)(void *)((unsigned char *)shape.a + stage), shape.rows,           \
                                       shape.inner,                                                                    \
                                       (const type *)p->tw_a_                                                          \
                                           + (shape.a_layout == TW_ROW_MAJOR ? p->tw_row_ * p->tw_a_stride_ + inner    \
                                                                             : inner * p->tw_a_stride_ + p->tw_row_),  \
                                       p->tw_a_stride_, shape.a_layout, p->tw_rows_ - p->tw_row_, left);               \
            tw_internal_tile_copy_part(                                                                                \
                item, (type *)(void *)((unsigned char *)shape.b + stage), shape.inner, shape.columns,                  \
                (const type *)p->tw_b_                                                                                 \
                    + (shape.b_layout == TW_ROW_MAJOR ? inner * p->tw_b_stride_ + p->tw_column_                        \
                                                      : p->tw_column_ * p->tw_b_stride_ + inner),                      \
                p->tw_b_stride_, shape.b_layout, left, p->tw_columns_ - p->tw_column_);                                \
        }                                                                                                              \
        tw_internal_async_commit(item);                                                                                \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_pipeline_multiply(tw_nd_item item, float *x, unsigned count,                        \
                                                     tw_internal_pipeline *p, type *tag,                               \
                                                     struct tw_internal_pipeline_shape shape)                          \
    {                                                                                                                  \
        const unsigned ahead = tw_internal_pipeline_ahead(shape);                                                      \
        if (ahead > 0)                                                                                                 \
            tw_internal_barrier_at(item, TW_LOCAL_SPACE, 0); /* all have used what is overwritten */                   \
        for (unsigned step = 0; step < ahead; ++step)                                                                  \
            tw_internal_pipeline_load(item, p, tag, shape, step);                                                      \
        for (size_t step = 0; step < p->tw_steps_; ++step) {                                                           \
            const size_t stage = tw_internal_stage_of(shape, step);                                                    \
            if (ahead == 0)                                                                                            \
                tw_internal_pipeline_load(item, p, tag, shape, step);                                                  \
            tw_internal_wait_for_batches(item, ahead == 0 ? 0 : ahead - 1, 0);                                         \
            if (ahead > 0)                                                                                             \
                tw_internal_pipeline_load(item, p, tag, shape, step + ahead);                                          \
            tw_internal_group_product(item, x, shape.rows, shape.columns, shape.inner,                                 \
                                      (const type *)(const void *)((const unsigned char *)shape.a + stage),            \
                                      shape.a_layout == TW_ROW_MAJOR,                                                  \
                                      (const type *)(const void *)((const unsigned char *)shape.b + stage),            \
                                      shape.b_layout == TW_COLUMN_MAJOR);                                              \
            if (ahead == 0)                                                                                            \
                tw_internal_barrier_at(item, TW_LOCAL_SPACE, 0);                                                       \
        }                                                                                                              \
        tw_internal_group_products_end(x, count, 0);                                                                   \
    }
TW_INTERNAL_DEFINE_PIPELINE_MULTIPLY(tw_half)
TW_INTERNAL_DEFINE_PIPELINE_MULTIPLY(tw_bfloat16)
#undef TW_INTERNAL_DEFINE_PIPELINE_MULTIPLY

/* The product's loads begin with its first step. */
TW_LANGUAGE_INLINE void tw_internal_pipeline_begin(tw_nd_item item, tw_internal_pipeline *p,
                                                   struct tw_internal_pipeline_shape shape)
{
    (void)item, (void)p, (void)shape;
}

#endif
