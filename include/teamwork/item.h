/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What a kernel asks about the point of the iteration space that it runs for (spec 3.7.1.4 - 3.7.1.6).
 *
 *     tw_item     one work-item of a range kernel
 *     tw_group    one work-group of a hierarchical kernel
 *     tw_h_item   one work-item inside tw_parallel_for_work_item
 *     tw_nd_item  one work-item of an nd_range kernel
 *     tw_sub_group   the work-items of an nd_range kernel that run in lockstep
 *
 * All are values that the library makes and hands to the kernel; their members are private. Functions named
 * tw_<what>(point, dim) answer one component, dim from 0 to dims - 1; tw_get_<what>(point) the whole as a tw_id or
 * tw_range. The functions are overloaded on the kind of point, cost nothing once inlined, and are for kernels and
 * host code alike.
 */
#ifndef TEAMWORK_ITEM_H
#define TEAMWORK_ITEM_H

#if !defined(__clang__) && !defined(__cplusplus)
#include <teamwork/lower/kernel/compiler.h> /* the functions are overloaded */
#endif

#include <teamwork/range.h>

/** One work-item of a range kernel (spec 3.7.1.4). */
typedef struct tw_item {
    size_t tw_id_[3];     /* global id, offset included */
    size_t tw_range_[3];  /* the whole range */
    size_t tw_offset_[3]; /* of the range */
    unsigned tw_dims_;
} tw_item;

/* What a tw_group refers to. */
struct tw_internal_group {
    size_t tw_id_[3];    /* of this group */
    size_t tw_range_[3]; /* number of groups */
    size_t tw_local_[3]; /* work-items in each group */
    unsigned tw_dims_;
    unsigned tw_thread_[3];                /* where a work-item is a thread: its local id */
    size_t tw_offset_[3];                  /* of the launch */
    void *tw_memory_;                      /* what local accessors refer to, unless the pass finds it by itself */
    const struct tw_internal_cpu *tw_cpu_; /* nd_range kernels on a CPU: what their barriers need */
    struct tw_internal_run *tw_run_;
    bool tw_switched_;  /* and whether a work-item has been at one */
    void *tw_exchange_; /* and where they leave values for each other */
};

/** One work-group (spec 3.7.1.6). A handle, valid while its kernel runs: clang does not share
 *  structs that are passed by value with the threads of a parallel region on a GPU. */
typedef const struct tw_internal_group *tw_group;

/**
 * One work-item of a tw_parallel_for_work_item loop. The loop may run over a range other than the group's: the
 * logical local id counts through that range, the physical one says which work-item of the group does the work.
 */
typedef struct tw_h_item {
    size_t tw_id_[3];     /* logical local id, offset included */
    size_t tw_range_[3];  /* logical local range */
    size_t tw_offset_[3]; /* of the loop */
    tw_group tw_group_;
    unsigned tw_dims_; /* of the loop's range */
    bool tw_own_;      /* that range is the group's own */
    bool tw_turn_;     /* of the loop that declares it */
} tw_h_item;

/** One work-item of an nd_range kernel (spec 3.7.1.5). */
typedef struct tw_nd_item {
    size_t tw_id_[3]; /* local id */
    tw_group tw_group_;
} tw_nd_item;

/**
 * The sub-group of a work-item of an nd_range kernel: the part of its work-group that runs in lockstep, a warp on a
 * GPU. On a CPU it is the work-item alone. Sub-groups divide a group's work-items by their linear local ids; the last
 * one may be smaller than the others.
 */
typedef struct tw_sub_group {
    unsigned tw_lane_, tw_size_, tw_max_, tw_id_, tw_count_;
    bool tw_even_; /* all sub-groups of the group have tw_max_ work-items */
} tw_sub_group;

/* ---- range kernels ----------------------------------------------------------------------------------------------- */

/** @return the position in the whole range, the launch's offset included */
TW_OVERLOADED size_t tw_global_id(tw_item item, unsigned dim)
{
    return item.tw_id_[dim];
}

/** @return the number of work-items of the whole launch */
TW_OVERLOADED size_t tw_global_range(tw_item item, unsigned dim)
{
    return item.tw_range_[dim];
}

/** @return the offset given to the launch; 0 where none was */
TW_OVERLOADED size_t tw_global_offset(tw_item item, unsigned dim)
{
    return item.tw_offset_[dim];
}

/** @return the row-major position in the range, from 0: the offset does not count */
TW_OVERLOADED size_t tw_global_linear_id(tw_item item)
{
    return ((item.tw_id_[0] - item.tw_offset_[0]) * item.tw_range_[1] + (item.tw_id_[1] - item.tw_offset_[1]))
               * item.tw_range_[2]
           + (item.tw_id_[2] - item.tw_offset_[2]);
}

TW_OVERLOADED tw_id tw_get_global_id(tw_item item)
{
    tw_id id = {{item.tw_id_[0], item.tw_id_[1], item.tw_id_[2]}, item.tw_dims_};
    return id;
}

TW_OVERLOADED tw_range tw_get_global_range(tw_item item)
{
    tw_range range = {{item.tw_range_[0], item.tw_range_[1], item.tw_range_[2]}, item.tw_dims_};
    return range;
}

TW_OVERLOADED tw_id tw_get_global_offset(tw_item item)
{
    tw_id id = {{item.tw_offset_[0], item.tw_offset_[1], item.tw_offset_[2]}, item.tw_dims_};
    return id;
}

/* ---- work-groups ------------------------------------------------------------------------------------------------- */

/** @return the position of the group in the launch */
TW_OVERLOADED size_t tw_group_id(tw_group group, unsigned dim)
{
    return group->tw_id_[dim];
}

/** @return the number of groups in the launch */
TW_OVERLOADED size_t tw_group_range(tw_group group, unsigned dim)
{
    return group->tw_range_[dim];
}

/** @return the number of work-items of each group */
TW_OVERLOADED size_t tw_local_range(tw_group group, unsigned dim)
{
    return group->tw_local_[dim];
}

/** @return the number of work-items of the whole launch: groups times the group's size */
TW_OVERLOADED size_t tw_global_range(tw_group group, unsigned dim)
{
    return group->tw_range_[dim] * group->tw_local_[dim];
}

/** @return the row-major number of the group */
TW_OVERLOADED size_t tw_group_linear_id(tw_group group)
{
    return (group->tw_id_[0] * group->tw_range_[1] + group->tw_id_[1]) * group->tw_range_[2] + group->tw_id_[2];
}

/** @return the number of groups of the launch in all dimensions together */
TW_OVERLOADED size_t tw_group_linear_range(tw_group group)
{
    return group->tw_range_[0] * group->tw_range_[1] * group->tw_range_[2];
}

/** @return the number of work-items of the group in all dimensions together */
TW_OVERLOADED size_t tw_local_linear_range(tw_group group)
{
    return group->tw_local_[0] * group->tw_local_[1] * group->tw_local_[2];
}

TW_OVERLOADED tw_id tw_get_group_id(tw_group group)
{
    tw_id id = {{group->tw_id_[0], group->tw_id_[1], group->tw_id_[2]}, group->tw_dims_};
    return id;
}

TW_OVERLOADED tw_range tw_get_group_range(tw_group group)
{
    tw_range range = {{group->tw_range_[0], group->tw_range_[1], group->tw_range_[2]}, group->tw_dims_};
    return range;
}

TW_OVERLOADED tw_range tw_get_local_range(tw_group group)
{
    tw_range range = {{group->tw_local_[0], group->tw_local_[1], group->tw_local_[2]}, group->tw_dims_};
    return range;
}

TW_OVERLOADED tw_range tw_get_global_range(tw_group group)
{
    return tw_range_mul(tw_get_group_range(group), tw_get_local_range(group));
}

/** @return the launch's offset, else 0 */
TW_OVERLOADED size_t tw_global_offset(tw_group group, unsigned dim)
{
    return group->tw_offset_[dim];
}

TW_OVERLOADED tw_id tw_get_global_offset(tw_group group)
{
    tw_id id = {{group->tw_offset_[0], group->tw_offset_[1], group->tw_offset_[2]}, group->tw_dims_};
    return id;
}

/** @return the iteration space that the group is a part of, with the launch's offset */
TW_OVERLOADED tw_nd_range tw_get_nd_range(tw_group group)
{
    return tw_nd_range_make_offset(tw_get_global_range(group), tw_get_local_range(group), tw_get_global_offset(group));
}

/* ---- work-items of a group --------------------------------------------------------------------------------------- */

/** @return the logical position in the loop's range, the loop's offset included */
TW_OVERLOADED size_t tw_local_id(tw_h_item item, unsigned dim)
{
    return item.tw_id_[dim];
}

/** @return the loop's range: the group's own unless the loop gave another */
TW_OVERLOADED size_t tw_local_range(tw_h_item item, unsigned dim)
{
    return item.tw_range_[dim];
}

/** @return the group's own size */
TW_OVERLOADED size_t tw_physical_local_range(tw_h_item item, unsigned dim)
{
    return item.tw_group_->tw_local_[dim];
}

/* Position in the launch without its offset. */
TW_LANGUAGE_INLINE size_t tw_internal_place(tw_h_item item, unsigned dim)
{
    return item.tw_group_->tw_id_[dim] * item.tw_group_->tw_local_[dim] + item.tw_id_[dim];
}

/** In a loop over a range other than the group's, this is a position in the group's own part of the launch only for ids
 *  within the group's size, and in a loop with other dimensions than the group's it has no meaning.
 *  @return the position in the launch, its offset included: group id times the group's size, plus the logical local
 *          id */
TW_OVERLOADED size_t tw_global_id(tw_h_item item, unsigned dim)
{
    return tw_internal_place(item, dim) + item.tw_group_->tw_offset_[dim];
}

/** @return the launch's offset, else 0 */
TW_OVERLOADED size_t tw_global_offset(tw_h_item item, unsigned dim)
{
    return item.tw_group_->tw_offset_[dim];
}

TW_OVERLOADED tw_id tw_get_global_offset(tw_h_item item)
{
    return tw_get_global_offset(item.tw_group_);
}

TW_OVERLOADED size_t tw_global_range(tw_h_item item, unsigned dim)
{
    return tw_global_range(item.tw_group_, dim);
}

TW_OVERLOADED size_t tw_group_id(tw_h_item item, unsigned dim)
{
    return item.tw_group_->tw_id_[dim];
}

TW_OVERLOADED size_t tw_group_range(tw_h_item item, unsigned dim)
{
    return item.tw_group_->tw_range_[dim];
}

/** @return the row-major position in the loop's range, from 0: the offset does not count */
TW_OVERLOADED size_t tw_local_linear_id(tw_h_item item)
{
    return ((item.tw_id_[0] - item.tw_offset_[0]) * item.tw_range_[1] + (item.tw_id_[1] - item.tw_offset_[1]))
               * item.tw_range_[2]
           + (item.tw_id_[2] - item.tw_offset_[2]);
}

/** @return the number, in the group, of the work-item that does this work: the position in the loop's range modulo the
 *          number of the group's work-items. Its values are those that tw_private() gives */
TW_DEVICE_INLINE size_t tw_physical_local_linear_id(tw_h_item item)
{
    const size_t linear = tw_local_linear_id(item);
    return item.tw_own_ ? linear : linear % tw_local_linear_range(item.tw_group_);
}

/** @return the local id of that work-item, in the group's dimensions */
TW_OVERLOADED size_t tw_physical_local_id(tw_h_item item, unsigned dim)
{
    size_t linear = tw_physical_local_linear_id(item);
    if (item.tw_own_)
        return item.tw_id_[dim];
    for (unsigned d = 2; d > dim; --d)
        linear /= item.tw_group_->tw_local_[d];
    return linear % item.tw_group_->tw_local_[dim];
}

/** @return the row-major position in the launch, without its offset */
TW_OVERLOADED size_t tw_global_linear_id(tw_h_item item)
{
    const size_t i0 = tw_internal_place(item, 0), i1 = tw_internal_place(item, 1), i2 = tw_internal_place(item, 2);
    return (i0 * tw_global_range(item, 1) + i1) * tw_global_range(item, 2) + i2;
}

TW_OVERLOADED size_t tw_group_linear_id(tw_h_item item)
{
    return tw_group_linear_id(item.tw_group_);
}

TW_OVERLOADED tw_id tw_get_local_id(tw_h_item item)
{
    tw_id id = {{item.tw_id_[0], item.tw_id_[1], item.tw_id_[2]}, item.tw_dims_};
    return id;
}

TW_OVERLOADED tw_range tw_get_local_range(tw_h_item item)
{
    tw_range range = {{item.tw_range_[0], item.tw_range_[1], item.tw_range_[2]}, item.tw_dims_};
    return range;
}

TW_OVERLOADED tw_id tw_get_global_id(tw_h_item item)
{
    tw_id id = {{tw_global_id(item, 0), tw_global_id(item, 1), tw_global_id(item, 2)}, item.tw_group_->tw_dims_};
    return id;
}

TW_OVERLOADED tw_range tw_get_global_range(tw_h_item item)
{
    return tw_get_global_range(item.tw_group_);
}

/* ---- nd_range kernels -------------------------------------------------------------------------------------------- */

/** @return the position in the group */
TW_OVERLOADED size_t tw_local_id(tw_nd_item item, unsigned dim)
{
    return item.tw_id_[dim];
}

/** @return the number of work-items of each group */
TW_OVERLOADED size_t tw_local_range(tw_nd_item item, unsigned dim)
{
    return item.tw_group_->tw_local_[dim];
}

/** @return the position in the launch, its offset included */
TW_OVERLOADED size_t tw_global_id(tw_nd_item item, unsigned dim)
{
    return item.tw_group_->tw_id_[dim] * item.tw_group_->tw_local_[dim] + item.tw_id_[dim]
           + item.tw_group_->tw_offset_[dim];
}

/** @return the number of work-items of the whole launch */
TW_OVERLOADED size_t tw_global_range(tw_nd_item item, unsigned dim)
{
    return tw_global_range(item.tw_group_, dim);
}

/** @return the offset given to the launch; 0 where none was */
TW_OVERLOADED size_t tw_global_offset(tw_nd_item item, unsigned dim)
{
    return item.tw_group_->tw_offset_[dim];
}

TW_OVERLOADED size_t tw_group_id(tw_nd_item item, unsigned dim)
{
    return item.tw_group_->tw_id_[dim];
}

TW_OVERLOADED size_t tw_group_range(tw_nd_item item, unsigned dim)
{
    return item.tw_group_->tw_range_[dim];
}

/** @return the row-major position in the group */
TW_OVERLOADED size_t tw_local_linear_id(tw_nd_item item)
{
    return (item.tw_id_[0] * item.tw_group_->tw_local_[1] + item.tw_id_[1]) * item.tw_group_->tw_local_[2]
           + item.tw_id_[2];
}

/** @return the number of work-items of the group in all dimensions together */
TW_OVERLOADED size_t tw_local_linear_range(tw_nd_item item)
{
    return tw_local_linear_range(item.tw_group_);
}

/** @return the row-major position in the launch, from 0: the offset does not count */
TW_OVERLOADED size_t tw_global_linear_id(tw_nd_item item)
{
    const size_t i0 = tw_global_id(item, 0) - item.tw_group_->tw_offset_[0];
    const size_t i1 = tw_global_id(item, 1) - item.tw_group_->tw_offset_[1];
    const size_t i2 = tw_global_id(item, 2) - item.tw_group_->tw_offset_[2];
    return (i0 * tw_global_range(item, 1) + i1) * tw_global_range(item, 2) + i2;
}

/** @return the row-major number of the group */
TW_OVERLOADED size_t tw_group_linear_id(tw_nd_item item)
{
    return tw_group_linear_id(item.tw_group_);
}

/** @return the number of groups of the launch in all dimensions together */
TW_OVERLOADED size_t tw_group_linear_range(tw_nd_item item)
{
    return tw_group_linear_range(item.tw_group_);
}

TW_OVERLOADED tw_id tw_get_local_id(tw_nd_item item)
{
    tw_id id = {{item.tw_id_[0], item.tw_id_[1], item.tw_id_[2]}, item.tw_group_->tw_dims_};
    return id;
}

TW_OVERLOADED tw_range tw_get_local_range(tw_nd_item item)
{
    return tw_get_local_range(item.tw_group_);
}

TW_OVERLOADED tw_id tw_get_global_id(tw_nd_item item)
{
    tw_id id = {{tw_global_id(item, 0), tw_global_id(item, 1), tw_global_id(item, 2)}, item.tw_group_->tw_dims_};
    return id;
}

TW_OVERLOADED tw_range tw_get_global_range(tw_nd_item item)
{
    return tw_get_global_range(item.tw_group_);
}

TW_OVERLOADED tw_id tw_get_global_offset(tw_nd_item item)
{
    return tw_get_global_offset(item.tw_group_);
}

TW_OVERLOADED tw_id tw_get_group_id(tw_nd_item item)
{
    return tw_get_group_id(item.tw_group_);
}

TW_OVERLOADED tw_range tw_get_group_range(tw_nd_item item)
{
    return tw_get_group_range(item.tw_group_);
}

/** @return the launch's iteration space */
TW_OVERLOADED tw_nd_range tw_get_nd_range(tw_nd_item item)
{
    return tw_get_nd_range(item.tw_group_);
}

/** @return the work-item's group; valid while the kernel runs */
TW_LANGUAGE_INLINE tw_group tw_get_group(tw_nd_item item)
{
    return item.tw_group_;
}

/* ---- sub-groups -------------------------------------------------------------------------------------------------- */

/** @return the work-item's position in its sub-group */
TW_LANGUAGE_INLINE size_t tw_sub_group_local_id(tw_sub_group sub_group)
{
    return sub_group.tw_lane_;
}

/** @return the number of work-items of this sub-group */
TW_LANGUAGE_INLINE size_t tw_sub_group_local_range(tw_sub_group sub_group)
{
    return sub_group.tw_size_;
}

/** @return the number of work-items of the largest sub-group: TW_DEVICE_INFO_SUB_GROUP_SIZE of the device, 1 on CPUs */
TW_LANGUAGE_INLINE size_t tw_sub_group_max_local_range(tw_sub_group sub_group)
{
    return sub_group.tw_max_;
}

/** @return the number of this sub-group in the work-group */
TW_LANGUAGE_INLINE size_t tw_sub_group_id(tw_sub_group sub_group)
{
    return sub_group.tw_id_;
}

/** @return the number of sub-groups of the work-group */
TW_LANGUAGE_INLINE size_t tw_sub_group_range(tw_sub_group sub_group)
{
    return sub_group.tw_count_;
}

#endif
