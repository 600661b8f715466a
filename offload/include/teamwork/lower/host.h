/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The host lowering: kernels as loops of a team of OpenMP threads on the initial device, never through a target region.
 *
 * The parallel region is the library's (offload/host.c), so that several kernels can share one: what the macros define is what
 * a thread of the team does, piece `tw_piece` of `tw_pieces`. Range kernels: a loop over rows, or over pieces of rows when there
 * are few, and an inner vectorized loop. Hierarchical kernels: a loop over groups; work-item loops are plain loops of the thread
 * that runs the group (work_item.h). Everything that the loops use is the function's own: stores through `char *` may alias
 * anything else, and nothing vectorizes.
 */
#ifndef TEAMWORK_LOWER_HOST_H
#define TEAMWORK_LOWER_HOST_H

#include <teamwork/lower/region.h>

/* How a range is cut for the threads: `pieces` for each of `rows` rows of the last dimension. */
struct tw_internal_cut {
    size_t rows, pieces, piece, row_length;
};

TW_DEVICE_INLINE struct tw_internal_cut tw_internal_cut_range(const struct tw_internal_launch *launch, unsigned dims,
                                                              size_t threads)
{
    struct tw_internal_cut cut = {1, 1, 0, launch->range[dims - 1]};
    for (unsigned d = 0; d + 1 < dims; ++d)
        cut.rows *= launch->range[d];
    if (cut.rows && cut.rows < 4 * threads && cut.rows % threads)
        cut.pieces = cut.rows == 1 ? threads : (4 * threads + cut.rows - 1) / cut.rows;
    cut.piece = (cut.row_length + cut.pieces - 1) / cut.pieces;
    if (cut.piece > 1024)
        cut.piece = (cut.piece + 63) / 64 * 64; /* whole cache lines, and no remainder loops */
    cut.pieces = cut.piece ? (cut.row_length + cut.piece - 1) / cut.piece : 0;
    return cut;
}

/* Where piece `piece` of `pieces` of `total` things begins. */
TW_DEVICE_INLINE size_t tw_internal_piece_first(size_t total, size_t piece, size_t pieces)
{
    const size_t each = total / pieces, rest = total % pieces;
    return piece * each + (piece < rest ? piece : rest);
}

/* The item in row `row` of the range whose last id, with the offset, is `last`. Loops count that id itself: so it stays an
   induction variable for the vectorizer, in 32 bits where a kernel asks for no more. */
TW_DEVICE_INLINE tw_item tw_internal_item(size_t row, size_t last, const size_t range[3], const size_t offset[3],
                                          unsigned dims)
{
    tw_item item = {{last, 0, 0}, {range[0], range[1], range[2]}, {offset[0], offset[1], offset[2]}, dims};
    if (dims > 1) {
        item.tw_id_[0] = offset[0] + (dims == 2 ? row : row / range[1]);
        item.tw_id_[1] = dims == 2 ? last : offset[1] + row % range[1];
        item.tw_id_[2] = dims == 2 ? 0 : last;
    }
    return item;
}

/* The loops of a range kernel for one constant number of dimensions: whole rows, or pieces of rows. Two loops, because the
   arithmetic for pieces costs a short row more than its work. */
#define TW_INTERNAL_HOST_RANGE(name, launch, dims_)                                                                    \
    {                                                                                                                  \
        const struct name tw_args = *(const struct name *)(launch)->args;                                              \
        const struct tw_internal_cut tw_cut = tw_internal_cut_range(launch, dims_, tw_pieces);                         \
        const size_t tw_total = tw_cut.rows * tw_cut.pieces;                                                           \
        const size_t tw_from = tw_internal_piece_first(tw_total, tw_piece, tw_pieces);                                 \
        const size_t tw_to = tw_internal_piece_first(tw_total, tw_piece + 1, tw_pieces);                               \
        const size_t tw_r[3] = {(launch)->range[0], (launch)->range[1], (launch)->range[2]};                           \
        const size_t tw_o[3] = {(launch)->offset[0], (launch)->offset[1], (launch)->offset[2]};                        \
        if (dims_ > 1 && tw_cut.pieces == 1) {                                                                         \
            const size_t tw_first = tw_o[dims_ - 1], tw_past = tw_first + tw_cut.row_length;                           \
            for (size_t tw_row = tw_from; tw_row < tw_to; ++tw_row) {                                                  \
                TW_INTERNAL_SIMD                                                                                       \
                for (size_t tw_i = tw_first; tw_i != tw_past; ++tw_i) {                                                \
                    TW_INTERNAL_INLINE_CALL(name(tw_internal_item(tw_row, tw_i, tw_r, tw_o, dims_), &tw_args))         \
                }                                                                                                      \
            }                                                                                                          \
        } else {                                                                                                       \
            for (size_t tw_p = tw_from; tw_p < tw_to; ++tw_p) {                                                        \
                const size_t tw_row = tw_p / tw_cut.pieces, tw_before = tw_p % tw_cut.pieces * tw_cut.piece;           \
                const size_t tw_rest = tw_cut.row_length - tw_before;                                                  \
                const size_t tw_first = tw_o[dims_ - 1] + tw_before;                                                   \
                const size_t tw_past = tw_first + (tw_cut.piece < tw_rest ? tw_cut.piece : tw_rest);                   \
                TW_INTERNAL_SIMD                                                                                       \
                for (size_t tw_i = tw_first; tw_i != tw_past; ++tw_i) {                                                \
                    TW_INTERNAL_INLINE_CALL(name(tw_internal_item(tw_row, tw_i, tw_r, tw_o, dims_), &tw_args))         \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

/* Memory for local accessors. False: there is none, and the launch says so. */
TW_DEVICE_INLINE bool tw_internal_cpu_memory(struct tw_internal_launch *launch, void **memory)
{
    *memory = launch->local_bytes ? launch->cpu->memory(launch) : NULL;
    return *memory || !launch->local_bytes;
}

#ifndef TW_CHECK_GROUP_SCOPE
/* The loop over groups of a hierarchical kernel. l0, l1, l2: the group's size, constants if required at compile time.
 */
#define TW_INTERNAL_HOST_GROUPS(name, launch, dims_, l0, l1, l2)                                                       \
    {                                                                                                                  \
        const struct name tw_args = *(const struct name *)(launch)->args;                                              \
        const size_t tw_r0 = (launch)->range[0], tw_r1 = (launch)->range[1], tw_r2 = (launch)->range[2];               \
        const size_t tw_l0 = (l0), tw_l1 = (l1), tw_l2 = (l2);                                                         \
        const size_t tw_total = tw_r0 * tw_r1 * tw_r2;                                                                 \
        const size_t tw_past = tw_internal_piece_first(tw_total, tw_piece + 1, tw_pieces);                             \
        for (size_t tw_g = tw_internal_piece_first(tw_total, tw_piece, tw_pieces); tw_g < tw_past; ++tw_g) {           \
            struct tw_internal_group tw_here = TW_INTERNAL_GROUP(tw_r0, tw_r1, tw_r2, tw_l0, tw_l1, tw_l2, dims_);     \
            if (!tw_internal_cpu_memory(tw_launch, &tw_here.tw_memory_))                                               \
                continue;                                                                                              \
            tw_internal_delinearize(tw_g, tw_here.tw_range_, dims_, tw_here.tw_id_);                                   \
            TW_INTERNAL_INLINE_CALL(name(&tw_here, &tw_args))                                                          \
        }                                                                                                              \
    }
#define TW_INTERNAL_CHECKED_GROUPS(name)
#endif

/* ---- nd_range kernels ---------------------------------------------------------------------------------------------

   A group's work-items are a loop (tw_internal_items in launch.h), which ends as soon as a work-item has been at a barrier:
   then the others run on stacks of their own. Where there is no barrier the compiler knows, and vectorizes the loop. */

TW_DEVICE_INLINE struct tw_internal_group tw_internal_nd_here(const struct tw_internal_nd_group *group, size_t l0,
                                                              size_t l1, size_t l2, unsigned dims)
{
    const struct tw_internal_launch *launch = group->launch;
    struct tw_internal_group here =
        TW_INTERNAL_GROUP(launch->range[0], launch->range[1], launch->range[2], l0, l1, l2, dims);
    for (unsigned d = 0; d < dims; ++d) {
        here.tw_id_[d] = group->id[d];
        here.tw_offset_[d] = launch->offset[d];
    }
    here.tw_memory_ = group->memory;
    here.tw_cpu_ = launch->cpu;
    here.tw_run_ = group->run;
    here.tw_exchange_ = group->exchange;
    return here;
}

TW_DEVICE_INLINE tw_nd_item tw_internal_nd_item(tw_group group, size_t j0, size_t j1, size_t j2, unsigned dims)
{
    tw_nd_item item = {{0, 0, 0}, group};
    item.tw_id_[0] = dims == 1 ? j2 : dims == 2 ? j1 : j0;
    item.tw_id_[1] = dims == 1 ? 0 : dims == 2 ? j2 : j1;
    item.tw_id_[2] = dims == 3 ? j2 : 0;
    return item;
}

/* A small block is copied, so that no store of the kernel can change it as far as the compiler knows; a large one does not
   belong on a work-item's stack. */
#define TW_INTERNAL_ND_ARGS(name)                                                                                      \
    _Alignas(struct name) unsigned char                                                                                \
        tw_copy[sizeof(struct name) <= TW_INTERNAL_INLINE_ARGS_BYTES ? sizeof(struct name) : 1];                       \
    __builtin_memcpy(tw_copy, tw_nd->launch->args, sizeof tw_copy);                                                    \
    const struct name *const tw_args =                                                                                 \
        (const struct name *)(sizeof tw_copy == sizeof(struct name) ? (const void *)tw_copy : tw_nd->launch->args);

#define TW_INTERNAL_ND_LOOPS(name, dims_, l0, l1, l2)                                                                  \
    {                                                                                                                  \
        struct tw_internal_group tw_here = tw_internal_nd_here(tw_nd, l0, l1, l2, dims_);                              \
        const size_t tw_n0 = tw_internal_extent(tw_here.tw_local_, dims_, 0);                                          \
        const size_t tw_n1 = tw_internal_extent(tw_here.tw_local_, dims_, 1);                                          \
        const size_t tw_n2 = tw_internal_extent(tw_here.tw_local_, dims_, 2);                                          \
        size_t tw_j1 = tw_first / tw_n2 % tw_n1, tw_j2 = tw_first % tw_n2;                                             \
        for (size_t tw_j0 = tw_first / tw_n2 / tw_n1; tw_j0 < tw_n0; ++tw_j0, tw_j1 = 0)                               \
            for (; tw_j1 < tw_n1; ++tw_j1, tw_j2 = 0) {                                                                \
                TW_INTERNAL_SIMD                                                                                       \
                for (size_t tw_j = tw_j2; tw_j < tw_n2; ++tw_j) {                                                      \
                    TW_INTERNAL_INLINE_CALL(name(tw_internal_nd_item(&tw_here, tw_j0, tw_j1, tw_j, dims_), tw_args))   \
                    if (tw_here.tw_switched_)                                                                          \
                        return;                                                                                        \
                }                                                                                                      \
            }                                                                                                          \
    }

/* What the plugin takes apart (split.h): a work-item of the kernel. */
#ifdef TW_INTERNAL_SPLIT
#define TW_INTERNAL_ND_SPLIT(name, dims_, l0, l1, l2)                                                                  \
    static __attribute__((noinline)) void name##_tw_split_##dims_(const struct tw_internal_nd_group *tw_nd)            \
    {                                                                                                                  \
        TW_INTERNAL_ND_ARGS(name)                                                                                      \
        struct tw_internal_group tw_here = tw_internal_nd_here(tw_nd, l0, l1, l2, dims_);                              \
        const size_t tw_n0 = tw_internal_extent(tw_here.tw_local_, dims_, 0);                                          \
        const size_t tw_n1 = tw_internal_extent(tw_here.tw_local_, dims_, 1);                                          \
        const size_t tw_n2 = tw_internal_extent(tw_here.tw_local_, dims_, 2);                                          \
        tw_internal_marker_begin(tw_nd, tw_internal_split_memory, tw_internal_split_diverge);                          \
        const size_t tw_j0 = tw_internal_marker_id(0, tw_n0), tw_j1 = tw_internal_marker_id(1, tw_n1);                 \
        const size_t tw_j2 = tw_internal_marker_id(2, tw_n2);                                                          \
        TW_INTERNAL_INLINE_CALL(name(tw_internal_nd_item(&tw_here, tw_j0, tw_j1, tw_j2, dims_), tw_args))              \
    }
#define TW_INTERNAL_ND_TRY_SPLIT(name, dims_)                                                                          \
    if (tw_internal_marker_done(name##_tw_split_##dims_)) {                                                            \
        name##_tw_split_##dims_(tw_nd);                                                                                \
        return;                                                                                                        \
    }
#else
#define TW_INTERNAL_ND_SPLIT(name, dims_, l0, l1, l2)
#define TW_INTERNAL_ND_TRY_SPLIT(name, dims_)
#endif

/* Runs a part of the launch's groups: piece `piece` of `pieces`. */
TW_DEVICE_INLINE void tw_internal_nd_piece(struct tw_internal_launch *launch, tw_internal_items items, size_t piece,
                                           size_t pieces)
{
    const size_t total = launch->range[0] * launch->range[1] * launch->range[2];
    launch->cpu->run(launch, items, tw_internal_piece_first(total, piece, pieces),
                     tw_internal_piece_first(total, piece + 1, pieces));
}

#define TW_INTERNAL_HOST_ND(name, launch)                                                                              \
    {                                                                                                                  \
        tw_internal_nd_piece(launch, name##_tw_items((launch)->dims), tw_piece, tw_pieces);                            \
    }

/* ---- hierarchical kernels whose work-items each run group scope (work_item_checked.h) ------------------------------ */

#ifdef TW_CHECK_GROUP_SCOPE
#define TW_INTERNAL_HOST_GROUPS(name, launch, dims_, l0, l1, l2)                                                       \
    {                                                                                                                  \
        (void)(l0), (void)(l1), (void)(l2);                                                                            \
        tw_internal_nd_piece(launch, name##_tw_checked_items, tw_piece, tw_pieces);                                    \
    }
/* A function like those of nd_range kernels; the group that a work-item gets is its own. */
#define TW_INTERNAL_CHECKED_GROUPS(name)                                                                               \
    static void name##_tw_checked_items(const struct tw_internal_nd_group *tw_nd, size_t tw_first)                     \
    {                                                                                                                  \
        TW_INTERNAL_ND_ARGS(name)                                                                                      \
        const size_t *const tw_local = tw_nd->launch->local, tw_total = tw_local[0] * tw_local[1] * tw_local[2];       \
        const unsigned tw_dims = tw_nd->launch->dims;                                                                  \
        struct tw_internal_group tw_here = tw_internal_nd_here(tw_nd, tw_local[0], tw_local[1], tw_local[2], tw_dims); \
        for (size_t tw_i = tw_first; tw_i < tw_total && !tw_here.tw_switched_; ++tw_i) {                               \
            struct tw_internal_group tw_own = tw_here;                                                                 \
            size_t tw_id[3];                                                                                           \
            tw_internal_delinearize(tw_i, tw_here.tw_local_, tw_dims, tw_id);                                          \
            for (unsigned tw_d = 0; tw_d < 3; ++tw_d)                                                                  \
                tw_own.tw_thread_[tw_d] = (unsigned)tw_id[tw_d];                                                       \
            tw_own.tw_exchange_ = &tw_here;                                                                            \
            TW_INTERNAL_INLINE_CALL(name(&tw_own, tw_args))                                                            \
        }                                                                                                              \
    }
#endif

#endif
