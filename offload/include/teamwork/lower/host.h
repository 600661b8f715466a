/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The host lowering: kernels as OpenMP loops on the initial device, never through a target region.
 *
 * Range kernels: `parallel for` over rows, or over pieces of rows when there are few, and an inner vectorized loop.
 * Hierarchical kernels: `parallel for` over groups; work-item loops are plain loops of the thread that runs the group
 * (work_item.h). Everything that the loops use is private to the thread: with captures by reference, stores through
 * `char *` may alias them and nothing vectorizes.
 */
#ifndef TEAMWORK_LOWER_HOST_H
#define TEAMWORK_LOWER_HOST_H

#include <teamwork/lower/region.h>

/* How a range is cut for the threads: `pieces` for each of `rows` rows of the last dimension. */
struct tw_internal_cut {
    size_t rows, pieces, piece, row_length;
};

TW_DEVICE_INLINE struct tw_internal_cut tw_internal_cut_range(const struct tw_internal_launch *launch, unsigned dims)
{
    struct tw_internal_cut cut = {1, 1, 0, launch->range[dims - 1]};
    for (unsigned d = 0; d + 1 < dims; ++d)
        cut.rows *= launch->range[d];
    const size_t threads = (size_t)omp_get_max_threads();
    if (cut.rows && cut.rows < 4 * threads && cut.rows % threads)
        cut.pieces = cut.rows == 1 ? threads : (4 * threads + cut.rows - 1) / cut.rows;
    cut.piece = (cut.row_length + cut.pieces - 1) / cut.pieces;
    if (cut.piece > 1024)
        cut.piece = (cut.piece + 63) / 64 * 64; /* whole cache lines, and no remainder loops */
    cut.pieces = cut.piece ? (cut.row_length + cut.piece - 1) / cut.piece : 0;
    return cut;
}

TW_DEVICE_INLINE tw_item tw_internal_item(size_t row, size_t last, const size_t range[3], const size_t offset[3],
                                          unsigned dims)
{
    tw_item item = {{0, 0, 0}, {range[0], range[1], range[2]}, {offset[0], offset[1], offset[2]}, dims};
    item.tw_id_[0] = dims == 1 ? last : dims == 2 ? row : row / range[1];
    item.tw_id_[1] = dims == 1 ? 0 : dims == 2 ? last : row % range[1];
    item.tw_id_[2] = dims == 3 ? last : 0;
    for (unsigned d = 0; d < dims; ++d)
        item.tw_id_[d] += offset[d];
    return item;
}

/* The loops of a range kernel for one constant number of dimensions: whole rows, or pieces of rows. Two loops, because the
   arithmetic for pieces costs a short row more than its work. */
#define TW_INTERNAL_HOST_RANGE(name, launch, dims_)                                                                    \
    {                                                                                                                  \
        const struct name tw_args = *(const struct name *)(launch)->args;                                              \
        const struct tw_internal_cut tw_cut = tw_internal_cut_range(launch, dims_);                                    \
        const size_t tw_rows = tw_cut.rows, tw_length = tw_cut.row_length, tw_total = tw_rows * tw_cut.pieces;         \
        const size_t tw_r0 = (launch)->range[0], tw_r1 = (launch)->range[1], tw_r2 = (launch)->range[2];               \
        const size_t tw_o0 = (launch)->offset[0], tw_o1 = (launch)->offset[1], tw_o2 = (launch)->offset[2];            \
        if (dims_ > 1 && tw_cut.pieces == 1) {                                                                         \
            TW_INTERNAL_PRAGMA(omp parallel for schedule(static) default(none)                                         \
                               firstprivate(tw_args, tw_rows, tw_length, tw_r0, tw_r1, tw_r2, tw_o0, tw_o1, tw_o2))    \
            for (size_t tw_row = 0; tw_row < tw_rows; ++tw_row) {                                                      \
                const size_t tw_r[3] = {tw_r0, tw_r1, tw_r2}, tw_o[3] = {tw_o0, tw_o1, tw_o2};                         \
                TW_INTERNAL_SIMD                                                                                       \
                for (size_t tw_i = 0; tw_i < tw_length; ++tw_i) {                                                      \
                    TW_INTERNAL_INLINE_CALL(name(tw_internal_item(tw_row, tw_i, tw_r, tw_o, dims_), &tw_args))         \
                }                                                                                                      \
            }                                                                                                          \
        } else {                                                                                                       \
            TW_INTERNAL_PRAGMA(omp parallel for schedule(static) default(none)                                         \
                               firstprivate(tw_args, tw_cut, tw_total, tw_r0, tw_r1, tw_r2, tw_o0, tw_o1, tw_o2))      \
            for (size_t tw_p = 0; tw_p < tw_total; ++tw_p) {                                                           \
                const size_t tw_row = tw_p / tw_cut.pieces, tw_first = tw_p % tw_cut.pieces * tw_cut.piece;            \
                const size_t tw_past =                                                                                 \
                    tw_first + tw_cut.piece < tw_cut.row_length ? tw_first + tw_cut.piece : tw_cut.row_length;         \
                const size_t tw_r[3] = {tw_r0, tw_r1, tw_r2}, tw_o[3] = {tw_o0, tw_o1, tw_o2};                         \
                TW_INTERNAL_SIMD                                                                                       \
                for (size_t tw_i = tw_first; tw_i < tw_past; ++tw_i) {                                                 \
                    TW_INTERNAL_INLINE_CALL(name(tw_internal_item(tw_row, tw_i, tw_r, tw_o, dims_), &tw_args))         \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

/* The loop over groups of a hierarchical kernel. l0, l1, l2: the group's size, constants if required at compile time.
 */
#define TW_INTERNAL_HOST_GROUPS(name, launch, dims_, l0, l1, l2)                                                       \
    {                                                                                                                  \
        const struct name tw_args = *(const struct name *)(launch)->args;                                              \
        const size_t tw_r0 = (launch)->range[0], tw_r1 = (launch)->range[1], tw_r2 = (launch)->range[2];               \
        const size_t tw_l0 = (l0), tw_l1 = (l1), tw_l2 = (l2);                                                         \
        const size_t tw_total = tw_r0 * tw_r1 * tw_r2;                                                                 \
        TW_INTERNAL_PRAGMA(omp parallel for schedule(static) default(none)                                             \
                           firstprivate(tw_args, tw_total, tw_r0, tw_r1, tw_r2, tw_l0, tw_l1, tw_l2))                  \
        for (size_t tw_g = 0; tw_g < tw_total; ++tw_g) {                                                               \
            struct tw_internal_group tw_here = {                                                                       \
                {0, 0, 0}, {tw_r0, tw_r1, tw_r2}, {tw_l0, tw_l1, tw_l2}, dims_, {0, 0, 0}};                            \
            tw_internal_delinearize(tw_g, tw_here.tw_range_, dims_, tw_here.tw_id_);                                   \
            TW_INTERNAL_INLINE_CALL(name(&tw_here, &tw_args))                                                          \
        }                                                                                                              \
    }

#endif
