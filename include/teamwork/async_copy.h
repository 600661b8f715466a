/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Copies that the work-items of a group make together (SYCL 1.2.1, 4.8.1.5 and 4.8.1.7; OpenCL C 1.2, 6.12.10), for
 * nd_range kernels and for group scope of hierarchical ones. The main use is a tile on its way from global to local
 * memory, or back:
 *
 *     TW_LOCAL(float, tile, [TILE]);
 *     tw_device_event loaded = tw_async_work_group_copy(item, tile, k->in + tw_group_id(item, 0) * TILE, TILE);
 *     ... work that needs no tile ...
 *     tw_wait_for(item, loaded);
 *
 *     tw_async_work_group_copy(point, to, from, count)
 *         copies `count` elements, the type of *to, from `from` to `to`
 *     tw_async_work_group_strided_copy(point, to, to_stride, from, from_stride, count)
 *         element i goes from from[i * from_stride] to to[i * to_stride]; strides are in elements, and what lies
 *         between the elements stays as it is
 *     tw_wait_for(point, event...)
 *         waits for one copy or several; when it returns, all work-items of the group see what was copied
 *
 * `point` is the kernel's tw_nd_item, or the tw_group at group scope. Arguments are evaluated once, and `from` and
 * `to` may be in any memory.
 *
 * Kernels that load tiles ahead of their use make batches of copies, in nd_range kernels:
 *
 *     for (size_t tile = 0; tile < tiles + AHEAD; ++tile) {
 *         if (tile < tiles)
 *             tw_async_work_group_load_2d(item, local[tile % STAGES], WIDTH, k->in + tile * WIDTH, pitch, WIDTH, ROWS);
 *         tw_async_commit(item);
 *         tw_wait_for_all_but(item, AHEAD);
 *         if (tile >= AHEAD)
 *             ... work with local[(tile - AHEAD) % STAGES], STAGES > AHEAD + 1, or a barrier behind it
 *     }
 *
 *     tw_async_work_group_load_2d(item, to, to_stride, from, from_stride, columns, rows)
 *         copies rows from global to local memory; strides and columns count elements. In both memories each row begins at
 *         a multiple of 16 bytes, and it has a multiple of 16 bytes
 *     tw_async_commit(item)
 *         ends a batch: what copies were begun since the batch before, or none
 *     tw_wait_for_all_but(item, batches)
 *         waits for all but the last 0 to 6 batches, a constant; then, as after tw_wait_for(), all work-items of the group
 *         see what they copied
 *
 * All work-items of the group make each of these calls, with the same arguments, or none does, as with a barrier;
 * tw_wait_for() is one. At group scope they stand outside of loops over work-items. A copy begins with no barrier:
 * what other work-items wrote to the source, or still read from the target, needs one before. Between a copy and its
 * wait nobody changes the source or touches the target. The two do not overlap. A copy that is never waited for may
 * be incomplete when the kernel ends.
 *
 * Elements of different sizes, and a target of const elements, are compiler errors.
 *
 * On a GPU neighbouring work-items copy neighbouring elements, in pieces of 16 bytes where both addresses allow it,
 * else of 8, 4, 2 bytes or 1; NVIDIA GPUs from sm_80 on copy from global to local memory past the registers, while
 * the kernel goes on. Where one thread runs the group it copies all at once, when the first work-item comes by.
 */
#ifndef TEAMWORK_ASYNC_COPY_H
#define TEAMWORK_ASYNC_COPY_H

#include <teamwork/lower/group/async_copy.h>

#define tw_async_work_group_copy(point, to, from, count)                                                               \
    (TW_INTERNAL_SAME_SIZE(to, from),                                                                                  \
     TW_INTERNAL_KEEPS_CONST(tw_internal_async_copy((point), (to), (from), (count), sizeof *(to),                      \
                                                    TW_INTERNAL_COMMON_ALIGNMENT(to, from))))

#define tw_async_work_group_strided_copy(point, to, to_stride, from, from_stride, count)                               \
    (TW_INTERNAL_SAME_SIZE(to, from),                                                                                  \
     TW_INTERNAL_KEEPS_CONST(tw_internal_async_strided_copy(                                                           \
         (point), tw_internal_strided_of((to), (to_stride), (from), (from_stride), (count), sizeof *(to),              \
                                         TW_INTERNAL_COMMON_ALIGNMENT(to, from)))))

#define tw_async_work_group_load_2d(item, to, to_stride, from, from_stride, columns, rows)                             \
    (TW_INTERNAL_SAME_SIZE(to, from), TW_INTERNAL_KEEPS_CONST(tw_internal_async_load_2d(                               \
                                          (item), (to), (to_stride) * sizeof *(to), (from),                            \
                                          (from_stride) * sizeof *(to), (columns) * sizeof *(to), (rows))))

/** Ends a batch of asynchronous copies. */
#define tw_async_commit(item) tw_internal_async_commit(item)

/** Waits for all but the last `batches` batches of asynchronous copies, a constant up to 6. */
#define tw_wait_for_all_but(item, batches) tw_internal_wait_for_batches((item), (batches), __LINE__)

#ifdef __cplusplus
#define tw_wait_for(point, ...) tw_internal_wait_for_all((point), {__VA_ARGS__}, __LINE__)
#else
#define tw_wait_for(point, ...)                                                                                        \
    tw_internal_wait_for((point), (const tw_device_event[]){__VA_ARGS__},                                              \
                         sizeof((const tw_device_event[]){__VA_ARGS__}) / sizeof(tw_device_event), __LINE__)
#endif

#endif
