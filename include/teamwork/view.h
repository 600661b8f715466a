/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Views: accessors of 1 to 3 dimensions that carry the buffer's range into the kernel (spec 3.6.4.3, 3.6.4.4).
 *
 *     struct matrix_add {
 *         TW_VIEW(const float) a, b;
 *         TW_VIEW(float) c;
 *     };
 *     static inline void matrix_add(tw_item item, const struct matrix_add *k)
 *     {
 *         size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
 *         tw_at(k->c, i, j) = tw_at(k->a, i, j) + tw_at(k->b, i, j);
 *     }
 *     ...
 *     tw_parallel_for(cg, tw_buffer_range(c), matrix_add, .a = TW_READ_VIEW(cg, a), .b = TW_READ_VIEW(cg, b),
 *                     .c = TW_DISCARD_WRITE_VIEW(cg, c));
 *
 * A view takes 32 bytes of the argument block. A plain pointer from tw_read() and the like is the same access without
 * the range.
 *
 * Where a file is compiled with TW_DEBUG_BOUNDS, tw_at() checks every index, and that there are as many as the buffer
 * has dimensions. On CPUs and on simulated devices a wrong access goes to the first element instead, and the command
 * fails with TW_ERROR_OUT_OF_BOUNDS, telling the indices; on GPUs the kernel traps, which ends the program. Files
 * with and without the macro must not share a kernel.
 */
#ifndef TEAMWORK_VIEW_H
#define TEAMWORK_VIEW_H

#include <teamwork/command_group.h>

TW_BEGIN_DECLS

/** The type of a view's member in an argument block; a const type for views that are read. */
#ifdef TW_DEBUG_BOUNDS
#define TW_VIEW(type)                                                                                                  \
    struct {                                                                                                           \
        type *data;                                                                                                    \
        size_t range[3];                                                                                               \
        struct tw_internal_bounds *bounds;                                                                             \
        unsigned dims;                                                                                                 \
    }
#define TW_INTERNAL_VIEW(group, buffer, address)                                                                       \
    {(address),                                                                                                        \
     {tw_buffer_range(buffer).size[0], tw_buffer_range(buffer).size[1], tw_buffer_range(buffer).size[2]},              \
     tw_internal_bounds_of(group),                                                                                     \
     tw_buffer_range(buffer).dims}
#define TW_INTERNAL_BOUNDS(view) ((view).bounds)
#define TW_INTERNAL_VIEW_DIMS(view) ((view).dims)
#else
#define TW_VIEW(type)                                                                                                  \
    struct {                                                                                                           \
        type *data;                                                                                                    \
        size_t range[3];                                                                                               \
    }
#define TW_INTERNAL_VIEW(group, buffer, address)                                                                       \
    {                                                                                                                  \
        (address),                                                                                                     \
        {                                                                                                              \
            tw_buffer_range(buffer).size[0], tw_buffer_range(buffer).size[1], tw_buffer_range(buffer).size[2]          \
        }                                                                                                              \
    }
#define TW_INTERNAL_BOUNDS(view) ((struct tw_internal_bounds *)0)
#define TW_INTERNAL_VIEW_DIMS(view) 0u
#endif

/** Initializers of views, one for each access mode: what tw_read() and the like would return, and the buffer's range.
 *  `group` and `buffer` are evaluated several times. */
#define TW_READ_VIEW(group, buffer) TW_INTERNAL_VIEW(group, buffer, tw_read(group, buffer))
#define TW_READ_CONSTANT_VIEW(group, buffer) TW_INTERNAL_VIEW(group, buffer, tw_read_constant(group, buffer))
#define TW_WRITE_VIEW(group, buffer) TW_INTERNAL_VIEW(group, buffer, tw_write(group, buffer))
#define TW_READ_WRITE_VIEW(group, buffer) TW_INTERNAL_VIEW(group, buffer, tw_read_write(group, buffer))
#define TW_DISCARD_WRITE_VIEW(group, buffer) TW_INTERNAL_VIEW(group, buffer, tw_discard_write(group, buffer))
#define TW_DISCARD_READ_WRITE_VIEW(group, buffer) TW_INTERNAL_VIEW(group, buffer, tw_discard_read_write(group, buffer))

/** The element at (i), (i, j) or (i, j, k): an lvalue. The number of indices is that of the buffer's dimensions. */
#define tw_at(view, ...)                                                                                               \
    ((view).data[TW_INTERNAL_PICK_INDEX(__VA_ARGS__, tw_internal_index_3, tw_internal_index_2, tw_internal_index_1, )( \
        TW_INTERNAL_BOUNDS(view), (view).range, TW_INTERNAL_VIEW_DIMS(view), __VA_ARGS__)])
#define TW_INTERNAL_PICK_INDEX(_1, _2, _3, index, ...) index

/** The extent of a view in one dimension. */
#define tw_extent(view, dim) ((view).range[dim])

/* ---- local memory with a range (spec 3.6.4.6) -------------------------------------------------------------------- */

/** The type of a member that stands for a range of local memory; `type` is that of its elements. */
#ifdef TW_DEBUG_BOUNDS
#define TW_LOCAL_VIEW(type)                                                                                            \
    struct {                                                                                                           \
        tw_local_memory memory;                                                                                        \
        size_t range[3];                                                                                               \
        struct tw_internal_bounds *bounds;                                                                             \
        unsigned dims;                                                                                                 \
        type *element; /* for its type alone */                                                                        \
    }
#define TW_LOCAL_VIEW_OF(group, type, ...)                                                                             \
    {tw_local_range_of(group, sizeof(type), (__VA_ARGS__)),                                                            \
     {(__VA_ARGS__).size[0], (__VA_ARGS__).size[1], (__VA_ARGS__).size[2]},                                            \
     tw_internal_bounds_of(group),                                                                                     \
     (__VA_ARGS__).dims,                                                                                               \
     (type *)NULL}
#else
#define TW_LOCAL_VIEW(type)                                                                                            \
    struct {                                                                                                           \
        tw_local_memory memory;                                                                                        \
        size_t range[3];                                                                                               \
        type *element; /* for its type alone */                                                                        \
    }
#define TW_LOCAL_VIEW_OF(group, type, ...)                                                                             \
    {tw_local_range_of(group, sizeof(type), (__VA_ARGS__)),                                                            \
     {(__VA_ARGS__).size[0], (__VA_ARGS__).size[1], (__VA_ARGS__).size[2]},                                            \
     (type *)NULL}
#endif

/** The element at (i), (i, j) or (i, j, k) of this group's memory: an lvalue. `point` is the kernel's item or group. */
#define tw_local_at(point, view, ...)                                                                                  \
    (((__typeof__((view).element))tw_local_data(point, (view).memory))[TW_INTERNAL_PICK_INDEX(                         \
        __VA_ARGS__, tw_internal_index_3, tw_internal_index_2,                                                         \
        tw_internal_index_1, )(TW_INTERNAL_BOUNDS(view), (view).range, TW_INTERNAL_VIEW_DIMS(view), __VA_ARGS__)])

/* The linear index of an element that `dims` indices name, in a view of `view_dims` dimensions. */
TW_DEVICE_INLINE size_t tw_internal_checked(struct tw_internal_bounds *bounds, const size_t range[3],
                                            unsigned view_dims, size_t i, size_t j, size_t k, unsigned dims)
{
    const size_t linear = (i * range[1] + j) * range[2] + k;
    (void)bounds, (void)view_dims, (void)dims;
#ifdef TW_DEBUG_BOUNDS
    if (i < range[0] && j < range[1] && k < range[2] && dims == view_dims)
        return linear;
#if defined(__NVPTX__) || defined(__AMDGCN__)
    __builtin_trap();
    return 0;
#else
    tw_internal_out_of_bounds(bounds, range, view_dims, i, j, k, dims);
    return 0;
#endif
#else
    return linear;
#endif
}

TW_DEVICE_INLINE size_t tw_internal_index_1(struct tw_internal_bounds *bounds, const size_t range[3], unsigned dims,
                                            size_t i)
{
    return tw_internal_checked(bounds, range, dims, i, 0, 0, 1);
}

TW_DEVICE_INLINE size_t tw_internal_index_2(struct tw_internal_bounds *bounds, const size_t range[3], unsigned dims,
                                            size_t i, size_t j)
{
    return tw_internal_checked(bounds, range, dims, i, j, 0, 2);
}

TW_DEVICE_INLINE size_t tw_internal_index_3(struct tw_internal_bounds *bounds, const size_t range[3], unsigned dims,
                                            size_t i, size_t j, size_t k)
{
    return tw_internal_checked(bounds, range, dims, i, j, k, 3);
}

TW_END_DECLS

#endif
