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
 * A view takes 32 bytes of the argument block, and one of a part 56. If it names its dimensions, TW_VIEW(float, 2) with
 * TW_READ_VIEW(cg, a, 2) and the like, it takes 16 bytes, or 24 with three dimensions; a GPU then computes indices in
 * 32 bits where these suffice, and the compiler refuses another number of indices. A plain pointer from tw_read() and
 * the like is the same access without the range. TW_HOST_VIEW() is for host accessors.
 *
 * Where a file is compiled with TW_DEBUG_BOUNDS, tw_at() checks every index, and that there are as many as the buffer
 * has dimensions. On CPUs and on simulated devices a wrong access goes to the first element instead, and the command
 * fails with TW_ERROR_OUT_OF_BOUNDS, telling the indices; on GPUs the kernel traps, which ends the program. Files
 * with and without the macro must not share a kernel.
 */
#ifndef TEAMWORK_VIEW_H
#define TEAMWORK_VIEW_H

#include <stdint.h>

#include <teamwork/command_group.h>

TW_BEGIN_DECLS

/** The type of a view's member in an argument block; a const type for views that are read. TW_VIEW(type), or
 *  TW_VIEW(type, dims) of 1, 2 or 3 dimensions. An initializer for another kind of view, or for another number of
 *  dimensions, does not compile (in C++ it may). */
#define TW_VIEW(...) TW_INTERNAL_VIEW_MEMBER(__VA_ARGS__, , )

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
 *  The arguments are the group, the buffer, and dims if the member has them; the first two are evaluated several times.
 *  The group fails with TW_ERROR_INVALID_RANGE for a sub-buffer whose rows do not lie back to back: it needs a
 *  TW_PART_VIEW(). With dims it also fails so for a buffer of another number of dimensions, and for one of 2 or 3
 *  dimensions with 2^32 rows or elements in a row, or more. */
#define TW_READ_VIEW(group, ...) TW_INTERNAL_VIEW(group, TW_INTERNAL_CONST_ADDRESS, TW_READ, TW_GLOBAL, __VA_ARGS__)
#define TW_READ_CONSTANT_VIEW(group, ...)                                                                              \
    TW_INTERNAL_VIEW(group, TW_INTERNAL_CONST_ADDRESS, TW_READ, TW_CONSTANT, __VA_ARGS__)
#define TW_WRITE_VIEW(group, ...) TW_INTERNAL_VIEW(group, TW_INTERNAL_ADDRESS, TW_WRITE, TW_GLOBAL, __VA_ARGS__)
#define TW_READ_WRITE_VIEW(group, ...)                                                                                 \
    TW_INTERNAL_VIEW(group, TW_INTERNAL_ADDRESS, TW_READ_WRITE, TW_GLOBAL, __VA_ARGS__)
#define TW_DISCARD_WRITE_VIEW(group, ...)                                                                              \
    TW_INTERNAL_VIEW(group, TW_INTERNAL_ADDRESS, TW_DISCARD_WRITE, TW_GLOBAL, __VA_ARGS__)
#define TW_DISCARD_READ_WRITE_VIEW(group, ...)                                                                         \
    TW_INTERNAL_VIEW(group, TW_INTERNAL_ADDRESS, TW_DISCARD_READ_WRITE, TW_GLOBAL, __VA_ARGS__)
#define TW_ATOMIC_VIEW(group, ...) TW_INTERNAL_VIEW(group, TW_INTERNAL_ADDRESS, TW_ATOMIC, TW_GLOBAL, __VA_ARGS__)

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

/** The number of indices is that of the buffer's dimensions. `view` is evaluated several times.
 *  @return the element at (i), (i, j) or (i, j, k): an lvalue */
#define tw_at(view, ...)                                                                                               \
    ((view).data[TW_INTERNAL_PICK_INDEX(__VA_ARGS__, TW_INTERNAL_INDEX_3, TW_INTERNAL_INDEX_2,                         \
                                        TW_INTERNAL_INDEX_1, )(view, (view).pitch, __VA_ARGS__)])

/** @return the element at a tw_id: an lvalue */
#define tw_at_id(view, id) ((view).data[TW_INTERNAL_INDEX_ID(view, id)])

/** @return the extent of a view in one dimension: a size_t */
#define tw_extent(view, dim) ((size_t)(view).range[dim])

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

/* Expand to: a struct with a pointer, and the range. Rows lie back to back, so the range is the pitch as well. */
#define TW_INTERNAL_VIEW_MEMBER(type, dims, ...) TW_INTERNAL_VIEW_MEMBER_##dims(type)
#define TW_INTERNAL_VIEW_MEMBER_(type) TW_INTERNAL_VIEW_STRUCT(for_TW_VIEW_and_not_TW_PART_VIEW, type, size_t, 3)
#define TW_INTERNAL_VIEW_MEMBER_1(type) TW_INTERNAL_VIEW_STRUCT(for_TW_VIEW_of_1_dimension, type, size_t, 1)
#define TW_INTERNAL_VIEW_MEMBER_2(type) TW_INTERNAL_VIEW_STRUCT(for_TW_VIEW_of_2_dimensions, type, uint32_t, 2)
#define TW_INTERNAL_VIEW_MEMBER_3(type) TW_INTERNAL_VIEW_STRUCT(for_TW_VIEW_of_3_dimensions, type, uint32_t, 3)
#define TW_INTERNAL_VIEW_STRUCT(tag, type, extent, dims)                                                               \
    struct {                                                                                                           \
        TW_INTERNAL_TAG(tag)                                                                                           \
        type *data;                                                                                                    \
        union {                                                                                                        \
            extent range[dims];                                                                                        \
            extent pitch[dims];                                                                                        \
        };                                                                                                             \
        TW_INTERNAL_CHECK_MEMBERS                                                                                      \
    }

/* Checks need the record of wrong indices, and the number of dimensions. */
#ifdef TW_DEBUG_BOUNDS
#define TW_INTERNAL_CHECK_MEMBERS                                                                                      \
    struct tw_internal_bounds *bounds;                                                                                 \
    unsigned dims;
#define TW_INTERNAL_CHECKS(record, range) , (record), (range).dims
#else
#define TW_INTERNAL_CHECK_MEMBERS
#define TW_INTERNAL_CHECKS(record, range)
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
#define TW_INTERNAL_VIEW(group, pointer, mode, target, ...)                                                            \
    TW_INTERNAL_VIEW_OF_BUFFER(group, pointer, mode, target, __VA_ARGS__, , )
#define TW_INTERNAL_VIEW_OF_BUFFER(group, pointer, mode, target, buffer, dims, ...)                                    \
    {TW_INTERNAL_VIEW_DATA_##dims(                                                                                     \
         (pointer)tw_internal_view(group, buffer, mode, target, TW_INTERNAL_VIEW_DIMS_##dims)),                        \
     {TW_INTERNAL_VIEW_RANGE_##dims(tw_buffer_range(buffer))} TW_INTERNAL_CHECKS(tw_internal_bounds_of(group),         \
                                                                                 tw_buffer_range(buffer))}
#define TW_INTERNAL_VIEW_DATA_(data) TW_INTERNAL_TAGGED(for_TW_VIEW_and_not_TW_PART_VIEW) data
#define TW_INTERNAL_VIEW_DATA_1(data) TW_INTERNAL_TAGGED(for_TW_VIEW_of_1_dimension) data
#define TW_INTERNAL_VIEW_DATA_2(data) TW_INTERNAL_TAGGED(for_TW_VIEW_of_2_dimensions) data
#define TW_INTERNAL_VIEW_DATA_3(data) TW_INTERNAL_TAGGED(for_TW_VIEW_of_3_dimensions) data
#define TW_INTERNAL_VIEW_RANGE_(range) TW_INTERNAL_SIZES(range)
#define TW_INTERNAL_VIEW_RANGE_1(range) {(range).size[0]}
#define TW_INTERNAL_VIEW_RANGE_2(range) {(uint32_t)(range).size[0], (uint32_t)(range).size[1]}
#define TW_INTERNAL_VIEW_RANGE_3(range)                                                                                \
    {(uint32_t)(range).size[0], (uint32_t)(range).size[1], (uint32_t)(range).size[2]}
#define TW_INTERNAL_VIEW_DIMS_ 0
#define TW_INTERNAL_VIEW_DIMS_1 1
#define TW_INTERNAL_VIEW_DIMS_2 2
#define TW_INTERNAL_VIEW_DIMS_3 3
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
        type *tw_element; /* for its type alone */                                                                     \
    }
#define TW_LOCAL_VIEW_OF(group, type, ...)                                                                             \
    {tw_local_range_of(group, sizeof(type), (__VA_ARGS__)),                                                            \
     TW_INTERNAL_SIZES((__VA_ARGS__)) TW_INTERNAL_CHECKS(tw_internal_bounds_of(group), (__VA_ARGS__)), (type *)NULL}

/** `point` is the kernel's item or group.
 *  @return the element at (i), (i, j) or (i, j, k) of this group's memory: an lvalue */
#define tw_local_at(point, view, ...)                                                                                  \
    (((__typeof__((view).tw_element))tw_local_data(                                                                    \
        point, (view).memory))[TW_INTERNAL_PICK_INDEX(__VA_ARGS__, TW_INTERNAL_INDEX_3, TW_INTERNAL_INDEX_2,           \
                                                      TW_INTERNAL_INDEX_1, )(view, (view).range, __VA_ARGS__)])

/* ---- linear indices ---------------------------------------------------------------------------------------------- */

#define TW_INTERNAL_PICK_INDEX(_1, _2, _3, index, ...) index

/* The linear index of (i), (i, j) or (i, j, k), each evaluated once. `pitch` has the lengths of rows. */
#define TW_INTERNAL_INDEX_1(view, pitch, i) (TW_INTERNAL_TAKES(view, 1) tw_internal_index_1(TW_INTERNAL_SHAPE(view), i))
#define TW_INTERNAL_INDEX_2(view, pitch, i, j)                                                                         \
    (TW_INTERNAL_TAKES(view, 2) tw_internal_index_2(TW_INTERNAL_SHAPE(view), TW_INTERNAL_IS_NARROW(view),              \
                                                    (pitch)[TW_INTERNAL_LAST(view, 1)], i, j))
#define TW_INTERNAL_INDEX_3(view, pitch, i, j, k)                                                                      \
    (TW_INTERNAL_TAKES(view, 3)                                                                                        \
         tw_internal_index_3(TW_INTERNAL_SHAPE(view), TW_INTERNAL_IS_NARROW(view), (pitch)[TW_INTERNAL_LAST(view, 1)], \
                             (pitch)[TW_INTERNAL_LAST(view, 2)], i, j, k))
#define TW_INTERNAL_INDEX_ID(view, id)                                                                                 \
    tw_internal_index_id(TW_INTERNAL_SHAPE(view), TW_INTERNAL_EXTENT((view).pitch, 1),                                 \
                         TW_INTERNAL_EXTENT((view).pitch, 2), id)

/* Of an array of extents: their number; the last that there is up to `d`; the extent in dimension d, past the last 1. */
#define TW_INTERNAL_EXTENTS(array) (sizeof(array) / sizeof((array)[0]))
#define TW_INTERNAL_LAST(view, d) (TW_INTERNAL_EXTENTS((view).range) > (d) ? (d) : 0)
#define TW_INTERNAL_EXTENT(array, d)                                                                                   \
    (TW_INTERNAL_EXTENTS(array) > (d) ? (size_t)(array)[TW_INTERNAL_EXTENTS(array) > (d) ? (d) : 0] : 1)

/* Whether a view's type says that rows are counted in 32 bits. */
#define TW_INTERNAL_IS_NARROW(view) (sizeof((view).range[0]) == sizeof(uint32_t))

/* Whether `count` indices fit the type of a view: one without a number of dimensions takes any. It adds 0, or does not
   compile. */
#define TW_INTERNAL_FITS(view, count)                                                                                  \
    (sizeof((view).range) == 3 * sizeof(size_t) || TW_INTERNAL_EXTENTS((view).range) == (count))
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"
TW_LANGUAGE_INLINE int tw_internal_takes(int fits)
    __attribute__((diagnose_if(!fits, "the view has another number of dimensions than indices are given", "error")))
{
    return fits;
}
#pragma clang diagnostic pop
#define TW_INTERNAL_TAKES(view, count) 0 * sizeof(tw_internal_takes(TW_INTERNAL_FITS(view, count))) +
#else
#define TW_INTERNAL_TAKES(view, count) 0 * sizeof(char[TW_INTERNAL_FITS(view, count) ? 1 : -1]) +
#endif

/* What a check compares with. */
#ifdef TW_DEBUG_BOUNDS
#define TW_INTERNAL_SHAPE(view)                                                                                        \
    tw_internal_shape((view).bounds, TW_INTERNAL_EXTENT((view).range, 0), TW_INTERNAL_EXTENT((view).range, 1),         \
                      TW_INTERNAL_EXTENT((view).range, 2), (view).dims)
#else
#define TW_INTERNAL_SHAPE(view) tw_internal_shape((struct tw_internal_bounds *)0, 0, 0, 0, 0)
#endif
struct tw_internal_shape {
    struct tw_internal_bounds *bounds;
    size_t range[3];
    unsigned dims;
};
TW_LANGUAGE_INLINE struct tw_internal_shape tw_internal_shape(struct tw_internal_bounds *bounds, size_t r0, size_t r1,
                                                              size_t r2, unsigned dims)
{
    const struct tw_internal_shape shape = {bounds, {r0, r1, r2}, dims};
    return shape;
}

/* The linear index of an element that `dims` indices name. */
TW_LANGUAGE_INLINE size_t tw_internal_checked(struct tw_internal_shape shape, size_t linear, size_t i, size_t j,
                                              size_t k, unsigned dims)
{
    (void)shape, (void)i, (void)j, (void)k, (void)dims;
#ifdef TW_DEBUG_BOUNDS
    if (i < shape.range[0] && j < shape.range[1] && k < shape.range[2] && dims == shape.dims)
        return linear;
#if defined(__NVPTX__) || defined(__AMDGCN__)
    __builtin_trap();
    return 0;
#else
    tw_internal_out_of_bounds(shape.bounds, shape.range, shape.dims, i, j, k, dims);
    return 0;
#endif
#else
    return linear;
#endif
}

/* row * pitch + column. A GPU multiplies in 32 bits if `narrow`: twice as much takes four multiplications. A CPU does
   not: an index that may wrap in 32 bits is no step of a loop to the vectorizer. */
TW_LANGUAGE_INLINE size_t tw_internal_in_row(bool narrow, size_t row, size_t pitch, size_t column)
{
#if defined(__NVPTX__) || defined(__AMDGCN__)
    if (narrow)
        row = (uint32_t)row;
#else
    (void)narrow;
#endif
    return row * pitch + column;
}

TW_LANGUAGE_INLINE size_t tw_internal_index_1(struct tw_internal_shape shape, size_t i)
{
    return tw_internal_checked(shape, i, i, 0, 0, 1);
}

TW_LANGUAGE_INLINE size_t tw_internal_index_2(struct tw_internal_shape shape, bool narrow, size_t p1, size_t i,
                                              size_t j)
{
    return tw_internal_checked(shape, tw_internal_in_row(narrow, i, p1, j), i, j, 0, 2);
}

TW_LANGUAGE_INLINE size_t tw_internal_index_3(struct tw_internal_shape shape, bool narrow, size_t p1, size_t p2,
                                              size_t i, size_t j, size_t k)
{
    const size_t row = tw_internal_in_row(narrow, i, p1, j);
    return tw_internal_checked(shape, tw_internal_in_row(narrow, row, p2, k), i, j, k, 3);
}

TW_LANGUAGE_INLINE size_t tw_internal_index_id(struct tw_internal_shape shape, size_t p1, size_t p2, tw_id id)
{
    const size_t linear = (id.at[0] * p1 + id.at[1]) * p2 + id.at[2];
    return tw_internal_checked(shape, linear, id.at[0], id.at[1], id.at[2], id.dims);
}

TW_END_DECLS

#endif
