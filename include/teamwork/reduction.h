/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Reductions: range kernels whose work-items together compute one value for each of up to four buffer elements (those
 * of later revisions of SYCL).
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
 * but cannot see what the others add. TW_RANGE_REDUCTION(name, dims, member...), instead of TW_RANGE_KERNEL(name,
 * dims), names the members; the kernel is launched, and declared in other files, as a range kernel.
 *
 * Where the result goes, in the launch:
 *
 *     TW_REDUCE(cg, buffer)               element 0, combined with the value that it has
 *     TW_REDUCE_INIT(cg, buffer)          element 0, whose value is replaced
 *     TW_REDUCE_AT(cg, buffer, index)     TW_REDUCE_INIT_AT(cg, buffer, index)     another element
 *
 * with the errors of accessors, and TW_ERROR_INVALID_RANGE where the buffer has no such element. Buffers hold the
 * reduction's type.
 *
 * Results are reproducible: on one device, the same range gives the same bits in every run, also with another number
 * of host threads. Sums of floating point are taken in another order than a loop's, and on different devices in
 * different ones.
 */
#ifndef TEAMWORK_REDUCTION_H
#define TEAMWORK_REDUCTION_H

#include <teamwork/lower/group/reduction.h>

#define TW_REDUCTION(type, op)                                                                                         \
    struct {                                                                                                           \
        type tw_value, *tw_target;                                                                                     \
        size_t tw_keep;                                                                                                \
        char (*tw_op)[(op) + 1]; /* for its size alone: the operation as a constant */                                 \
    }

#define TW_REDUCE(group, buffer) TW_REDUCE_AT(group, buffer, 0)
#define TW_REDUCE_INIT(group, buffer) TW_REDUCE_INIT_AT(group, buffer, 0)
#define TW_REDUCE_AT(group, buffer, index)                                                                             \
    {.tw_target = (TW_INTERNAL_ADDRESS)tw_internal_reduction(group, buffer, index, true), .tw_keep = 1}
#define TW_REDUCE_INIT_AT(group, buffer, index)                                                                        \
    {.tw_target = (TW_INTERNAL_ADDRESS)tw_internal_reduction(group, buffer, index, false), .tw_keep = 0}

#define tw_combine(reduction, x) tw_internal_accumulate(&(reduction).tw_value, (x), TW_INTERNAL_OP(reduction))

#endif
