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
 * A view takes 32 bytes of the argument block, and one of a part 56. A plain pointer from tw_read() and the like is the
 * same access without the range. TW_HOST_VIEW() is for host accessors.
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
#define TW_VIEW(type)                                                                                                  \
    struct {                                                                                                           \
        TW_INTERNAL_TAG(for_TW_VIEW_and_not_TW_PART_VIEW)                                                              \
        type *data;                                                                                                    \
        union { /* the same: rows lie back to back */                                                                  \
            size_t range[3];                                                                                           \
            size_t pitch[3];                                                                                           \
        };                                                                                                             \
        TW_INTERNAL_CHECK_MEMBERS                                                                                      \
    }

/** The same for a part of a buffer: `range` of its elements, in rows that lie as far apart as those of the whole buffer,
 *  whose range is `pitch`. Indices begin at the part's first element. An initializer for the other kind of view does not
 *  compile. */
#define TW_PART_VIEW(type)                                                                                             \
    struct {                                                                                                           \
        TW_INTERNAL_TAG(for_TW_PART_VIEW_and_not_TW_VIEW)                                                              \
        type *data;                                                                                                    \
        size_t range[3], pitch[3];                                                                                     \
        TW_INTERNAL_CHECK_MEMBERS                                                                                      \
    }

/** Initializers of views, one for each access mode: what tw_read() and the like would return, and the buffer's range.
 *  `group` and `buffer` are evaluated several times. The group fails with TW_ERROR_INVALID_RANGE for a sub-buffer whose
 *  rows do not lie back to back: it needs a TW_PART_VIEW(). */
#define TW_READ_VIEW(group, buffer) TW_INTERNAL_VIEW(group, buffer, TW_INTERNAL_CONST_ADDRESS, TW_READ, TW_GLOBAL)
#define TW_READ_CONSTANT_VIEW(group, buffer)                                                                           \
    TW_INTERNAL_VIEW(group, buffer, TW_INTERNAL_CONST_ADDRESS, TW_READ, TW_CONSTANT)
#define TW_WRITE_VIEW(group, buffer) TW_INTERNAL_VIEW(group, buffer, TW_INTERNAL_ADDRESS, TW_WRITE, TW_GLOBAL)
#define TW_READ_WRITE_VIEW(group, buffer) TW_INTERNAL_VIEW(group, buffer, TW_INTERNAL_ADDRESS, TW_READ_WRITE, TW_GLOBAL)
#define TW_DISCARD_WRITE_VIEW(group, buffer)                                                                           \
    TW_INTERNAL_VIEW(group, buffer, TW_INTERNAL_ADDRESS, TW_DISCARD_WRITE, TW_GLOBAL)
#define TW_DISCARD_READ_WRITE_VIEW(group, buffer)                                                                      \
    TW_INTERNAL_VIEW(group, buffer, TW_INTERNAL_ADDRESS, TW_DISCARD_READ_WRITE, TW_GLOBAL)
#define TW_ATOMIC_VIEW(group, buffer) TW_INTERNAL_VIEW(group, buffer, TW_INTERNAL_ADDRESS, TW_ATOMIC, TW_GLOBAL)

/** The same for a TW_PART_VIEW(): what tw_read_part() and the like would return, the part's range, and the buffer's
 *  tw_buffer_pitch(). All arguments but `offset` are evaluated several times. */
#define TW_READ_PART_VIEW(group, buffer, offset, range)                                                                \
    TW_INTERNAL_PART_VIEW(group, buffer, range, tw_read_part(group, buffer, offset, range))
#define TW_READ_CONSTANT_PART_VIEW(group, buffer, offset, range)                                                       \
    TW_INTERNAL_PART_VIEW(group, buffer, range, tw_read_constant_part(group, buffer, offset, range))
#define TW_WRITE_PART_VIEW(group, buffer, offset, range)                                                               \
    TW_INTERNAL_PART_VIEW(group, buffer, range, tw_write_part(group, buffer, offset, range))
#define TW_READ_WRITE_PART_VIEW(group, buffer, offset, range)                                                          \
    TW_INTERNAL_PART_VIEW(group, buffer, range, tw_read_write_part(group, buffer, offset, range))
#define TW_DISCARD_WRITE_PART_VIEW(group, buffer, offset, range)                                                       \
    TW_INTERNAL_PART_VIEW(group, buffer, range, tw_discard_write_part(group, buffer, offset, range))
#define TW_DISCARD_READ_WRITE_PART_VIEW(group, buffer, offset, range)                                                  \
    TW_INTERNAL_PART_VIEW(group, buffer, range, tw_discard_read_write_part(group, buffer, offset, range))
#define TW_ATOMIC_PART_VIEW(group, buffer, offset, range)                                                              \
    TW_INTERNAL_PART_VIEW(group, buffer, range, tw_atomic_part(group, buffer, offset, range))

/** The element at (i), (i, j) or (i, j, k): an lvalue. The number of indices is that of the buffer's dimensions. */
#define tw_at(view, ...)                                                                                               \
    ((view).data[TW_INTERNAL_PICK_INDEX(__VA_ARGS__, tw_internal_index_3, tw_internal_index_2, tw_internal_index_1, )( \
        TW_INTERNAL_BOUNDS(view), (view).range, (view).pitch, TW_INTERNAL_VIEW_DIMS(view), __VA_ARGS__)])
#define TW_INTERNAL_PICK_INDEX(_1, _2, _3, index, ...) index

/** The element at a tw_id: an lvalue. */
#define tw_at_id(view, id)                                                                                             \
    ((view).data[tw_internal_index_id(TW_INTERNAL_BOUNDS(view), (view).range, (view).pitch,                            \
                                      TW_INTERNAL_VIEW_DIMS(view), (id))])

/** The extent of a view in one dimension. */
#define tw_extent(view, dim) ((view).range[dim])

/* ---- views of host accessors (spec 3.6.4.7) ---------------------------------------------------------------------- */

/**
 * The type of a view of a host accessor, and its initializer; a const type for accessors that only read. For tw_at(),
 * tw_at_id() and tw_extent() on the host, until the accessor is released:
 *
 *     TW_HOST_VIEW(const float) edge = TW_HOST_VIEW_OF(accessor, const float);
 *     printf("%g\n", tw_at(edge, 0, 3));
 *
 * Indices begin at the first element of the part that the accessor is for. Where an index is wrong in a file compiled
 * with TW_DEBUG_BOUNDS, the release returns TW_ERROR_OUT_OF_BOUNDS. `accessor` is evaluated several times.
 */
#define TW_HOST_VIEW(type) TW_PART_VIEW(type)
#define TW_HOST_VIEW_OF(accessor, type)                                                                                \
    {TW_INTERNAL_TAGGED(for_TW_PART_VIEW_and_not_TW_VIEW)(type *) tw_host_accessor_data(accessor),                     \
     TW_INTERNAL_SIZES(tw_host_accessor_range(accessor)),                                                              \
     TW_INTERNAL_SIZES(tw_host_accessor_pitch(accessor))                                                               \
         TW_INTERNAL_CHECKS(tw_internal_host_bounds_of(accessor), tw_host_accessor_range(accessor))}

/* ---- what views expand to ---------------------------------------------------------------------------------------- */

/* Checks need the record of wrong indices, and the number of dimensions. */
#ifdef TW_DEBUG_BOUNDS
#define TW_INTERNAL_CHECK_MEMBERS                                                                                      \
    struct tw_internal_bounds *bounds;                                                                                 \
    unsigned dims;
#define TW_INTERNAL_CHECKS(record, range) , (record), (range).dims
#define TW_INTERNAL_BOUNDS(view) ((view).bounds)
#define TW_INTERNAL_VIEW_DIMS(view) ((view).dims)
#else
#define TW_INTERNAL_CHECK_MEMBERS
#define TW_INTERNAL_CHECKS(record, range)
#define TW_INTERNAL_BOUNDS(view) ((struct tw_internal_bounds *)0)
#define TW_INTERNAL_VIEW_DIMS(view) 0u
#endif
/* The first member of a view, which has no size. Its name differs between the kinds of views, so an initializer for the
   other kind does not compile; nor does a pointer, which would else initialize `data` alone. C++ has no such members. */
#ifdef __cplusplus
#define TW_INTERNAL_TAG(name)
#define TW_INTERNAL_TAGGED(name)
#else
struct tw_internal_tag {
    __extension__ char none[0];
};
#define TW_INTERNAL_TAG(name) struct tw_internal_tag name;
#define TW_INTERNAL_TAGGED(name) .name = __extension__((struct tw_internal_tag){{}}), .data =
#endif
#define TW_INTERNAL_SIZES(range) {(range).size[0], (range).size[1], (range).size[2]}
#define TW_INTERNAL_VIEW(group, buffer, pointer, mode, target)                                                         \
    {TW_INTERNAL_TAGGED(for_TW_VIEW_and_not_TW_PART_VIEW)(pointer) tw_internal_view(group, buffer, mode, target),      \
     {TW_INTERNAL_SIZES(tw_buffer_range(buffer))} TW_INTERNAL_CHECKS(tw_internal_bounds_of(group),                     \
                                                                     tw_buffer_range(buffer))}
#define TW_INTERNAL_PART_VIEW(group, buffer, range, address)                                                           \
    {TW_INTERNAL_TAGGED(for_TW_PART_VIEW_and_not_TW_VIEW)(address), TW_INTERNAL_SIZES(range),                          \
     TW_INTERNAL_SIZES(tw_buffer_pitch(buffer)) TW_INTERNAL_CHECKS(tw_internal_bounds_of(group), range)}

/* ---- local memory with a range (spec 3.6.4.6) -------------------------------------------------------------------- */

/** The type of a member that stands for a range of local memory; `type` is that of its elements. */
#define TW_LOCAL_VIEW(type)                                                                                            \
    struct {                                                                                                           \
        tw_local_memory memory;                                                                                        \
        size_t range[3];                                                                                               \
        TW_INTERNAL_CHECK_MEMBERS                                                                                      \
        type *element; /* for its type alone */                                                                        \
    }
#define TW_LOCAL_VIEW_OF(group, type, ...)                                                                             \
    {tw_local_range_of(group, sizeof(type), (__VA_ARGS__)),                                                            \
     TW_INTERNAL_SIZES((__VA_ARGS__)) TW_INTERNAL_CHECKS(tw_internal_bounds_of(group), (__VA_ARGS__)), (type *)NULL}

/** The element at (i), (i, j) or (i, j, k) of this group's memory: an lvalue. `point` is the kernel's item or group. */
#define tw_local_at(point, view, ...)                                                                                  \
    (((__typeof__((view).element))tw_local_data(point, (view).memory))[TW_INTERNAL_PICK_INDEX(                         \
        __VA_ARGS__, tw_internal_index_3, tw_internal_index_2, tw_internal_index_1, )(                                 \
        TW_INTERNAL_BOUNDS(view), (view).range, (view).range, TW_INTERNAL_VIEW_DIMS(view), __VA_ARGS__)])

/* The linear index of an element that `dims` indices name, in a view of `view_dims` dimensions. */
TW_LANGUAGE_INLINE size_t tw_internal_checked(struct tw_internal_bounds *bounds, const size_t range[3],
                                              const size_t pitch[3], unsigned view_dims, size_t i, size_t j, size_t k,
                                              unsigned dims)
{
    const size_t linear = (i * pitch[1] + j) * pitch[2] + k;
    (void)bounds, (void)range, (void)view_dims, (void)dims;
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

TW_LANGUAGE_INLINE size_t tw_internal_index_1(struct tw_internal_bounds *bounds, const size_t range[3],
                                              const size_t pitch[3], unsigned dims, size_t i)
{
    return tw_internal_checked(bounds, range, pitch, dims, i, 0, 0, 1);
}

TW_LANGUAGE_INLINE size_t tw_internal_index_2(struct tw_internal_bounds *bounds, const size_t range[3],
                                              const size_t pitch[3], unsigned dims, size_t i, size_t j)
{
    return tw_internal_checked(bounds, range, pitch, dims, i, j, 0, 2);
}

TW_LANGUAGE_INLINE size_t tw_internal_index_3(struct tw_internal_bounds *bounds, const size_t range[3],
                                              const size_t pitch[3], unsigned dims, size_t i, size_t j, size_t k)
{
    return tw_internal_checked(bounds, range, pitch, dims, i, j, k, 3);
}

TW_LANGUAGE_INLINE size_t tw_internal_index_id(struct tw_internal_bounds *bounds, const size_t range[3],
                                               const size_t pitch[3], unsigned dims, tw_id id)
{
    return tw_internal_checked(bounds, range, pitch, dims, id.at[0], id.at[1], id.at[2], id.dims);
}

TW_END_DECLS

#endif
