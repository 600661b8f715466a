/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Range mappers: which elements of a buffer a part of a launch accesses, on a queue over several devices (queue.h).
 *
 *     TW_COMMAND_GROUP(queue, cg) {
 *         tw_parallel_for(cg, tw_range_2d(rows, columns), spread,
 *                         .now = TW_READ_MAPPED_VIEW(cg, now, tw_neighborhood(1, 1, 0)),
 *                         .next = TW_DISCARD_WRITE_MAPPED_VIEW(cg, next, tw_one_to_one()));
 *     }
 *
 * Such a queue divides the work-items of a launch: each device runs a box of them. A mapper says, for a box of global ids,
 * which box of the buffer its work-items access. The library brings what they read to the device, and knows from then on
 * that the device has what they write. The kernel needs no change: it indexes with global ids, and pointers lead to the
 * first element of the whole buffer.
 *
 * Below, `ids` are the global ids of the part's work-items, with the launch's offset. What would lie outside of the buffer
 * does not count: the box that a mapper gives is cut at the buffer's edges. Dimension d of the buffer goes with dimension d
 * of the launch; dimensions that the launch does not have are accessed whole.
 *
 *     tw_one_to_one()                  the elements with the ids
 *     tw_neighborhood(r0, r1, r2)      ... and r0, r1, r2 more before and behind them, in dimensions 0, 1 and 2
 *     tw_neighborhood_of(before, after)  ... with different numbers before and behind them
 *     tw_scaled(times, per)            of each `per` ids the `times` elements that go with them: 4 elements for each work-item, or
 *                                      one for each work-group of 256
 *     tw_slice(dim)                    ... whole in dimension `dim`: the rows of the left and the columns of the right matrix
 *                                      of a product are tw_slice(1) and tw_slice(0)
 *     tw_linear(before, after)         for buffers of one dimension: the elements with the row-major positions of the ids in
 *                                      the launch, from the first to the last, and more before and behind them
 *     tw_all()                         all elements
 *     tw_fixed(offset, range)          the same part for all
 *     tw_map_by(function, user)        what a function of the program says
 *
 * An accessor without a mapper that reads alone is tw_all(). One that writes is tw_one_to_one() where the buffer has the
 * launch's range, or tw_linear(0, 0) where it has one dimension and as many elements; a launch in groups may have been rounded
 * up to whole groups. Otherwise the launch is refused: it has to say what it writes.
 *
 * No element may be written by two parts: the submission is TW_ERROR_INVALID_RANGE if what their mappers give overlaps.
 * To add up over all work-items there are reductions (reduction.h).
 *
 * A part may read what another part of the same launch writes only as work-items of one launch may anyhow: not what they
 * change meanwhile. Where boxes that are read overlap those that other parts write, in one buffer, parts run one after the
 * other.
 *
 * A mapper that declares less than the work-items access is a fault that the library does not see on GPUs. Simulated devices
 * with TW_SIM_CHECK=1 (sim.h) find it, and name the element.
 *
 * On a queue of one device a mapped accessor is that of the whole buffer; if it discards, what its mapper may leave out is
 * kept, unless that is tw_all().
 */
#ifndef TEAMWORK_RANGE_MAPPER_H
#define TEAMWORK_RANGE_MAPPER_H

#include <teamwork/command_group.h>
#include <teamwork/view.h>

TW_BEGIN_DECLS

/**
 * A mapper of the program.
 *
 * @param offset  the first global id of the part, with the launch's offset
 * @param range   its work-items; not empty
 * @param buffer  the range of the buffer, or of the sub-buffer or part that the accessor is for
 * @param first   receives the first element of the box; has the buffer's dimensions
 * @param count   receives the elements of the box; no elements are allowed, and what lies outside of the buffer is cut
 * @param user    as given to tw_map_by()
 *
 * Called by the thread that submits the group, without a lock, for each part; it must not submit, wait,
 * or throw an exception.
 */
typedef void (*tw_range_mapper_function)(tw_id offset, tw_range range, tw_range buffer, tw_id *first, tw_range *count,
                                         void *user);

/** A mapper: a plain value, made by the functions below. Its members are private. */
typedef struct tw_range_mapper {
    int tw_kind_; /* enum tw_internal_mapper */
    unsigned tw_dim_;
    tw_id tw_before_; /* or the offset of tw_fixed() */
    tw_range tw_after_;
    tw_range_mapper_function tw_function_;
    void *tw_user_;
} tw_range_mapper;

enum tw_internal_mapper {
    TW_INTERNAL_MAP_DEFAULT = 0, /* an accessor without a mapper */
    TW_INTERNAL_MAP_NEIGHBORHOOD,
    TW_INTERNAL_MAP_SCALED,
    TW_INTERNAL_MAP_SLICE,
    TW_INTERNAL_MAP_LINEAR,
    TW_INTERNAL_MAP_ALL,
    TW_INTERNAL_MAP_FIXED,
    TW_INTERNAL_MAP_ROWS, /* the bytes of an image, for a launch of its range */
    TW_INTERNAL_MAP_FUNCTION
};

TW_LANGUAGE_INLINE tw_range_mapper tw_internal_mapper_of(enum tw_internal_mapper kind)
{
    tw_range_mapper mapper = {(int)kind, 0, {{0, 0, 0}, 3}, {{0, 0, 0}, 3}, NULL, NULL};
    return mapper;
}

/** @return the mapper to the elements with the work-items' ids */
TW_LANGUAGE_INLINE tw_range_mapper tw_one_to_one(void)
{
    return tw_internal_mapper_of(TW_INTERNAL_MAP_NEIGHBORHOOD);
}

/** @return the mapper to these elements and so many more on both sides; dimensions that the buffer lacks do not count */
TW_LANGUAGE_INLINE tw_range_mapper tw_neighborhood(size_t r0, size_t r1, size_t r2)
{
    tw_range_mapper mapper = tw_internal_mapper_of(TW_INTERNAL_MAP_NEIGHBORHOOD);
    mapper.tw_before_.at[0] = mapper.tw_after_.size[0] = r0;
    mapper.tw_before_.at[1] = mapper.tw_after_.size[1] = r1;
    mapper.tw_before_.at[2] = mapper.tw_after_.size[2] = r2;
    return mapper;
}

/** @return the same with `before` elements on one side, and `after` on the other */
TW_LANGUAGE_INLINE tw_range_mapper tw_neighborhood_of(tw_id before, tw_id after)
{
    tw_range_mapper mapper = tw_neighborhood(after.at[0], after.at[1], after.at[2]);
    mapper.tw_before_ = before;
    return mapper;
}

/**
 * For elements that go with several work-items, or several with one: those from id * times / per on.
 *
 *     tw_scaled(tw_range_1d(4), tw_range_1d(1))      elements 4 i to 4 i + 3
 *     tw_scaled(tw_range_1d(1), tw_range_1d(256))    element i / 256, as one for each work-group
 *
 * @param times  1 or more in each dimension of the buffer
 * @param per    likewise
 * @return the mapper
 */
TW_LANGUAGE_INLINE tw_range_mapper tw_scaled(tw_range times, tw_range per)
{
    tw_range_mapper mapper = tw_internal_mapper_of(TW_INTERNAL_MAP_SCALED);
    mapper.tw_before_ = tw_id_from_range(per);
    mapper.tw_after_ = times;
    return mapper;
}

/** @return the mapper to the elements that have the ids in all dimensions but `dim`, in which they are accessed whole */
TW_LANGUAGE_INLINE tw_range_mapper tw_slice(unsigned dim)
{
    tw_range_mapper mapper = tw_internal_mapper_of(TW_INTERNAL_MAP_SLICE);
    mapper.tw_dim_ = dim;
    return mapper;
}

/** @return the mapper from row-major positions in the launch's range, its offset not counted, to a buffer of one
 *          dimension */
TW_LANGUAGE_INLINE tw_range_mapper tw_linear(size_t before, size_t after)
{
    tw_range_mapper mapper = tw_internal_mapper_of(TW_INTERNAL_MAP_LINEAR);
    mapper.tw_before_.at[0] = before;
    mapper.tw_after_.size[0] = after;
    return mapper;
}

/** @return the mapper to all elements */
TW_LANGUAGE_INLINE tw_range_mapper tw_all(void)
{
    return tw_internal_mapper_of(TW_INTERNAL_MAP_ALL);
}

/** @return the mapper to `range` elements from `offset` on, for each part */
TW_LANGUAGE_INLINE tw_range_mapper tw_fixed(tw_id offset, tw_range range)
{
    tw_range_mapper mapper = tw_internal_mapper_of(TW_INTERNAL_MAP_FIXED);
    mapper.tw_before_ = offset;
    mapper.tw_after_ = range;
    return mapper;
}

/** @return the mapper that a function of the program is; see tw_range_mapper_function */
TW_LANGUAGE_INLINE tw_range_mapper tw_map_by(tw_range_mapper_function function, void *user)
{
    tw_range_mapper mapper = tw_internal_mapper_of(TW_INTERNAL_MAP_FUNCTION);
    mapper.tw_function_ = function;
    mapper.tw_user_ = user;
    return mapper;
}

/* ---- accessors with a mapper ------------------------------------------------------------------------------------- */

/**
 * tw_access() to the device's memory, with a mapper.
 *
 * @return as tw_access(): the address of the buffer's first element, for this group's kernel alone
 *
 * Errors, kept in the group: those of tw_access(), and
 *     TW_ERROR_INVALID_ARGUMENT  a mapper that no function of this header made, or a function that is NULL
 *     TW_ERROR_INVALID_RANGE     tw_slice() of a dimension that the buffer does not have, tw_linear() for a buffer of
 *                                several dimensions, or a part of tw_fixed() that does not lie in the buffer
 */
TW_API void *tw_access_mapped(tw_command_group *group, tw_buffer *buffer, tw_access_mode mode, tw_range_mapper mapper);

static inline TW_INTERNAL_CONST_ADDRESS tw_read_mapped(tw_command_group *group, tw_buffer *buffer,
                                                       tw_range_mapper mapper)
{
    return tw_access_mapped(group, buffer, TW_READ, mapper);
}

static inline TW_INTERNAL_ADDRESS tw_write_mapped(tw_command_group *group, tw_buffer *buffer, tw_range_mapper mapper)
{
    return tw_access_mapped(group, buffer, TW_WRITE, mapper);
}

static inline TW_INTERNAL_ADDRESS tw_read_write_mapped(tw_command_group *group, tw_buffer *buffer,
                                                       tw_range_mapper mapper)
{
    return tw_access_mapped(group, buffer, TW_READ_WRITE, mapper);
}

static inline TW_INTERNAL_ADDRESS tw_discard_write_mapped(tw_command_group *group, tw_buffer *buffer,
                                                          tw_range_mapper mapper)
{
    return tw_access_mapped(group, buffer, TW_DISCARD_WRITE, mapper);
}

static inline TW_INTERNAL_ADDRESS tw_discard_read_write_mapped(tw_command_group *group, tw_buffer *buffer,
                                                               tw_range_mapper mapper)
{
    return tw_access_mapped(group, buffer, TW_DISCARD_READ_WRITE, mapper);
}

static inline TW_INTERNAL_ADDRESS tw_atomic_mapped(tw_command_group *group, tw_buffer *buffer, tw_range_mapper mapper)
{
    return tw_access_mapped(group, buffer, TW_ATOMIC, mapper);
}

/** Initializers of TW_VIEW() members, as TW_READ_VIEW() and the like (view.h), with a mapper: (group, buffer, mapper), or
 *  (group, buffer, mapper, dims) where the member has a number of dimensions. Group and buffer are evaluated several
 *  times. */
#define TW_READ_MAPPED_VIEW(group, ...)                                                                                \
    TW_INTERNAL_MAPPED_VIEW(group, TW_INTERNAL_CONST_ADDRESS, TW_READ, __VA_ARGS__, , )
#define TW_WRITE_MAPPED_VIEW(group, ...) TW_INTERNAL_MAPPED_VIEW(group, TW_INTERNAL_ADDRESS, TW_WRITE, __VA_ARGS__, , )
#define TW_READ_WRITE_MAPPED_VIEW(group, ...)                                                                          \
    TW_INTERNAL_MAPPED_VIEW(group, TW_INTERNAL_ADDRESS, TW_READ_WRITE, __VA_ARGS__, , )
#define TW_DISCARD_WRITE_MAPPED_VIEW(group, ...)                                                                       \
    TW_INTERNAL_MAPPED_VIEW(group, TW_INTERNAL_ADDRESS, TW_DISCARD_WRITE, __VA_ARGS__, , )
#define TW_DISCARD_READ_WRITE_MAPPED_VIEW(group, ...)                                                                  \
    TW_INTERNAL_MAPPED_VIEW(group, TW_INTERNAL_ADDRESS, TW_DISCARD_READ_WRITE, __VA_ARGS__, , )
#define TW_ATOMIC_MAPPED_VIEW(group, ...)                                                                              \
    TW_INTERNAL_MAPPED_VIEW(group, TW_INTERNAL_ADDRESS, TW_ATOMIC, __VA_ARGS__, , )

#define TW_INTERNAL_MAPPED_VIEW(group, pointer, mode, buffer, mapper, dims, ...)                                       \
    {TW_INTERNAL_VIEW_DATA_##dims(                                                                                     \
         (pointer)tw_internal_mapped_view(group, buffer, mode, mapper, TW_INTERNAL_VIEW_DIMS_##dims)),                 \
     {TW_INTERNAL_VIEW_RANGE_##dims(tw_buffer_range(buffer))} TW_INTERNAL_CHECKS(tw_internal_bounds_of(group),         \
                                                                                 tw_buffer_range(buffer))}

/* What the macros above call; not for direct use. */
TW_API void *tw_internal_mapped_view(tw_command_group *group, tw_buffer *buffer, tw_access_mode mode,
                                     tw_range_mapper mapper, unsigned dims);

TW_END_DECLS

#endif
