/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Reductions: kernels whose work-items together compute one value for each of up to eight buffer elements, or arrays of
 * them (those of later revisions of SYCL).
 *
 *     struct dot { const double *x, *y; TW_REDUCTION(double, TW_SUM) sum; };
 *     static inline void dot(tw_item item, const struct dot *k)
 *     {
 *         size_t i = tw_global_id(item, 0);
 *         tw_combine(k->sum, k->x[i] * k->y[i]);
 *     }
 *     TW_RANGE_REDUCTION(dot, 1, sum);
 *     ...
 *     tw_parallel_for(cg, tw_range_1d(n), dot, .x = tw_read(cg, x), .y = tw_read(cg, y), .sum = TW_REDUCE(cg, total));
 *
 * TW_REDUCTION(type, op) is the type of a member of the block: type is one of those of group_functions.h, op a
 * constant tw_operation. tw_combine(k->member, x) adds x to the result; a work-item may do so any number of times,
 * but cannot see what the others add. The definition names the members, up to eight:
 *
 *     TW_RANGE_REDUCTION(name, dims, member...)            instead of TW_RANGE_KERNEL(name, dims)
 *     TW_ND_RANGE_REDUCTION(name, (size), member...)       instead of TW_ND_RANGE_KERNEL(name, size)
 *     TW_WORK_GROUP_REDUCTION(name, (size), member...)     instead of TW_WORK_GROUP_KERNEL(name, size)
 *
 * The required size of a group, one to three constant expressions, is in parentheses, with nothing between them where
 * none is required. Kernels are launched, and declared in other files, as their forms are. In a hierarchical kernel
 * tw_combine() is for loops over work-items and for TW_ONCE: at group scope each thread of a GPU would add.
 *
 * Where the result goes, in the launch:
 *
 *     TW_REDUCE(cg, buffer)               element 0, combined with the value that it has
 *     TW_REDUCE_INIT(cg, buffer)          element 0, whose value is replaced
 *     TW_REDUCE_AT(cg, buffer, index)     TW_REDUCE_INIT_AT(cg, buffer, index)     another element
 *
 *     TW_REDUCE_MEMBER(cg, buffer, type, member)       a member of element 0, of a buffer of that type, a struct: so one
 *     TW_REDUCE_INIT_MEMBER(cg, buffer, type, member)  buffer has all scalars that stay on the device
 *
 *     TW_REDUCE_TO(cg, pointer)           TW_REDUCE_INIT_TO(cg, pointer)     *pointer, in unified shared memory (usm.h)
 *
 * with the errors of accessors, and TW_ERROR_INVALID_RANGE where the buffer has no such element. For pointers:
 * TW_ERROR_INVALID_ARGUMENT where kernels of the queue's device cannot use the memory, as far as that is known,
 * TW_ERROR_INVALID_RANGE where its allocation ends before, and TW_ERROR_UNSUPPORTED on a queue over several devices, for
 * members too. TW_ERROR_INVALID_ARGUMENT: the buffer's elements have another size than the struct. Else buffers hold the reduction's type; the launch fails with TW_ERROR_INVALID_KERNEL if the size of their elements is
 * another, or if it names no buffer for a member. Where nothing is combined, also by a launch of no work-items,
 * TW_REDUCE() leaves the element as it is, and TW_REDUCE_INIT() makes it the identity of op (group_functions.h), but a
 * NaN for TW_MIN and TW_MAX of floating point.
 *
 * Operations of the program, on a type of its own, as for the place of the least element:
 *
 *     struct least { float value; unsigned at; };
 *     static inline struct least lesser(struct least a, struct least b) { return b.value < a.value ? b : a; }
 *     TW_REDUCTION_OPERATION(least_of, struct least, lesser, INFINITY, 0);
 *
 *     struct argmin { const float *x; TW_REDUCTION_BY(least_of) best; };
 *     static inline void argmin(tw_item item, const struct argmin *k)
 *     {
 *         const unsigned i = (unsigned)tw_global_id(item, 0);
 *         tw_combine(k->best, (struct least){k->x[i], i});
 *     }
 *     TW_RANGE_REDUCTION(argmin, 1, best);
 *
 * TW_REDUCTION_OPERATION(name, type, function, neutral...), at file scope with a semicolon, names an operation: the
 * function, type function(type, type), visible in the same file, and the initializers of its neutral value, constants.
 * The function is associative and commutative: values are combined in any order. The type is a number, or a struct
 * without pointers, of at most 56 bytes. All that a kernel reduces has room for 64 bytes: 8 for each member of
 * TW_REDUCTION() and TW_REDUCTION_ARRAY(), and for one of TW_REDUCTION_BY() 8 more than its size, which is rounded up
 * to 8; more does not compile. Everything else is as with tw_operation; there are no arrays with operations of the
 * program.
 *
 * Arrays, as a histogram has:
 *
 *     struct histogram { const unsigned char *bytes; TW_REDUCTION_ARRAY(unsigned, TW_SUM) bins; };
 *     static inline void histogram(tw_item item, const struct histogram *k)
 *     {
 *         tw_combine_at(k->bins, k->bytes[tw_global_id(item, 0)], 1);
 *     }
 *     TW_RANGE_REDUCTION(histogram, 1, bins);
 *     ...
 *     tw_parallel_for(cg, tw_buffer_range(bytes), histogram, .bytes = tw_read(cg, bytes),
 *                     .bins = TW_REDUCE_ARRAY_INIT(cg, bins));
 *
 * TW_REDUCTION_ARRAY(type, op) reduces into all elements of a buffer, TW_REDUCE_ARRAY(cg, buffer) or
 * TW_REDUCE_ARRAY_INIT(cg, buffer), or into `count` elements of unified shared memory, TW_REDUCE_ARRAY_TO(cg, pointer,
 * count) or TW_REDUCE_ARRAY_INIT_TO(cg, pointer, count), and tw_combine_at(k->member, index, x) adds x to that of an
 * index, a linear one, which must be one of the array's: where the file is compiled with TW_DEBUG_BOUNDS, another one
 * is an error as in view.h. TW_ERROR_INVALID_RANGE: there are no elements, or 2^32 or more, or the buffer is a
 * sub-buffer whose rows do not lie back to back.
 *
 * On a CPU each part of the launch has a copy of the array, up to 64 MiB in all; a larger array has one copy and one
 * part. On a GPU teams have copies in local memory if all arrays of the launch together take 16 KiB or less; otherwise
 * work-items add to global memory at once, by atomic operations. Memory that is lacking is
 * TW_ERROR_OUT_OF_MEMORY or TW_ERROR_OUT_OF_DEVICE_MEMORY.
 *
 * Results are reproducible: on one device, the same launch gives the same bits in every run, also with another number
 * of host threads. Sums of floating point are taken in another order than a loop's, which differs between devices.
 * Floating-point sums and products are not reproducible into arrays on GPUs, nor, in the standard mapping (LOWERING
 * teams), into arrays and in hierarchical and nd_range kernels: these add atomically, in any order, and take turns at
 * operations of the program.
 */
#ifndef TEAMWORK_REDUCTION_H
#define TEAMWORK_REDUCTION_H

#include <teamwork/lower/group/reduction_own.h>

#define TW_REDUCTION(type, op)                                                                                         \
    struct {                                                                                                           \
        type tw_value;                                                                                                 \
        struct tw_internal_target tw_target;                                                                           \
        char (*tw_op)[(op) + 1]; /* for its size alone: the operation as a constant */                                 \
    }
#define TW_REDUCTION_ARRAY(type, op)                                                                                   \
    struct {                                                                                                           \
        type *tw_value; /* the elements of a copy */                                                                   \
        struct tw_internal_array tw_target;                                                                            \
        TW_INTERNAL_ARRAY_CHECK                                                                                        \
        char (*tw_op)[(op) + 1];                                                                                       \
    }

#define TW_REDUCTION_OPERATION(name, type, function, ...)                                                              \
    TW_INTERNAL_DEFINE_OWN_REDUCTION(name, type, function, __VA_ARGS__)
#define TW_REDUCTION_BY(name)                                                                                          \
    struct {                                                                                                           \
        struct name##_tw_own tw_value;                                                                                 \
        struct tw_internal_target tw_target;                                                                           \
        char (*tw_op)[TW_INTERNAL_OWN_OPERATION + 1];                                                                  \
    }

#define TW_REDUCE(group, buffer) TW_REDUCE_AT(group, buffer, 0)
#define TW_REDUCE_INIT(group, buffer) TW_REDUCE_INIT_AT(group, buffer, 0)
#define TW_REDUCE_AT(group, buffer, index) {.tw_target = tw_internal_reduction(group, buffer, index, true)}
#define TW_REDUCE_INIT_AT(group, buffer, index) {.tw_target = tw_internal_reduction(group, buffer, index, false)}
#define TW_REDUCE_MEMBER(group, buffer, type, member) TW_INTERNAL_REDUCE_MEMBER(group, buffer, type, member, true)
#define TW_REDUCE_INIT_MEMBER(group, buffer, type, member) TW_INTERNAL_REDUCE_MEMBER(group, buffer, type, member, false)
#define TW_INTERNAL_REDUCE_MEMBER(group, buffer, type, member, keep)                                                   \
    {.tw_target = tw_internal_reduction_member(group, buffer, sizeof(type), __builtin_offsetof(type, member),          \
                                               sizeof(((type *)NULL)->member), keep)}
#define TW_REDUCE_TO(group, memory) {.tw_target = tw_internal_reduction_to(group, memory, sizeof *(memory), true)}
#define TW_REDUCE_INIT_TO(group, memory) {.tw_target = tw_internal_reduction_to(group, memory, sizeof *(memory), false)}
#define TW_REDUCE_ARRAY_TO(group, memory, count)                                                                       \
    {.tw_target =                                                                                                      \
         tw_internal_reduction_array_to(group, memory, sizeof *(memory), count, true) TW_INTERNAL_ARRAY_CHECKS(group)}
#define TW_REDUCE_ARRAY_INIT_TO(group, memory, count)                                                                  \
    {.tw_target = tw_internal_reduction_array_to(group, memory, sizeof *(memory), count, false)                        \
         TW_INTERNAL_ARRAY_CHECKS(group)}
#define TW_REDUCE_ARRAY(group, buffer)                                                                                 \
    {.tw_target = tw_internal_reduction_array(group, buffer, true) TW_INTERNAL_ARRAY_CHECKS(group)}
#define TW_REDUCE_ARRAY_INIT(group, buffer)                                                                            \
    {.tw_target = tw_internal_reduction_array(group, buffer, false) TW_INTERNAL_ARRAY_CHECKS(group)}

#define tw_combine(reduction, ...)                                                                                     \
    ((void)sizeof(tw_internal_is_value(TW_INTERNAL_IS_VALUE(reduction))),                                              \
     tw_internal_accumulate(&(reduction).tw_value, &(reduction).tw_target, (__VA_ARGS__), TW_INTERNAL_OP(reduction)))
#define tw_combine_at(reduction, index, x)                                                                             \
    ((void)sizeof(tw_internal_is_array(!TW_INTERNAL_IS_VALUE(reduction))),                                             \
     tw_internal_accumulate_at(&(reduction).tw_value, &(reduction).tw_target,                                          \
                               TW_INTERNAL_ARRAY_INDEX(reduction, index), (x), TW_INTERNAL_OP(reduction)))

/* Checked indices, as in views: the record of wrong ones. */
#ifdef TW_DEBUG_BOUNDS
#define TW_INTERNAL_ARRAY_CHECK struct tw_internal_bounds *tw_bounds;
#define TW_INTERNAL_ARRAY_CHECKS(group) , .tw_bounds = tw_internal_bounds_of(group)
#define TW_INTERNAL_ARRAY_INDEX(reduction, index)                                                                      \
    tw_internal_checked_index((reduction).tw_bounds, (reduction).tw_target.count, (index))
#else
#define TW_INTERNAL_ARRAY_CHECK
#define TW_INTERNAL_ARRAY_CHECKS(group)
#define TW_INTERNAL_ARRAY_INDEX(reduction, index) (index)
#endif

#endif
