/* SPDX-License-Identifier: Apache-2.0 */
/**
 * For C++17: kernels that are lambdas and other function objects, templates too. Not included by teamwork.h. Empty in C.
 *
 *     template <typename T> tw_status axpy(tw_queue *queue, T a, tw_buffer *x, tw_buffer *y)
 *     {
 *         tw_command_group *cg = tw_queue_begin(queue);
 *         const T *xs = tw_read<T>(cg, x);
 *         T *ys = tw_read_write<T>(cg, y);
 *         tw::parallel_for(cg, tw_buffer_range(y), [=](tw_item item) {
 *             const std::size_t i = tw_global_id(item, 0);
 *             ys[i] += a * xs[i];
 *         });
 *         return tw_queue_submit(queue, cg, nullptr);
 *     }
 *
 *     tw::single_task(cg, f)                                   f()
 *     tw::parallel_for(cg, range, f)                           f(tw_item)
 *     tw::parallel_for(cg, range, offset, f)                   f(tw_item)
 *     tw::parallel_for(cg, range, reduction, f)                f(tw_item, sum): see tw::reduction
 *     tw::parallel_for(cg, nd_range, f)                        f(tw_nd_item)
 *     tw::parallel_for_work_group(cg, groups, local, f)        f(tw_group)
 *
 * The function object is the argument block, and is copied byte by byte when the launch is recorded: a lambda captures by
 * value, pointers from accessors of the same group and numbers. All else is as in the launches of kernel.h, with their
 * errors, and kernels are bound by the rules of kernel_definition.h. Where a message names a capture of a lambda, it is
 * captures[0] and so on, in the order in which the compiler keeps them: mostly that of their first use.
 *
 * The file is compiled by clang as each with kernels is, for C++17 or later, with run-time type information. What a kernel is
 * found by in an image is the type of the function object, and __BASE_FILE__: two files of one program are not compiled under
 * one path. Kernels without a definition at file scope have none of its options: no required size of groups, no variants, and
 * a launch counts no TW_LOCAL variables.
 */
#ifndef TEAMWORK_LAMBDA_H
#define TEAMWORK_LAMBDA_H

#ifdef __cplusplus

#include <teamwork/lower/kernel/lambda.h>

namespace tw
{

/**
 * Where a reduction goes, and what a work-item combines its values with:
 *
 *     tw::parallel_for(cg, range, tw::reduce_init<double, TW_SUM>(cg, total), [=](tw_item item, const auto &sum) {
 *         sum.combine(x[tw_global_id(item, 0)]);
 *     });
 *
 * T and Operation are those of TW_REDUCTION() (reduction.h). The range has one dimension, or as many as the first argument of
 * the template says: tw::parallel_for<2>(cg, tw_range_2d(rows, columns), ...).
 */
template <typename T, tw_operation Operation> struct reduction {
    T tw_value;
    tw_internal_target tw_target;
    char (*tw_op)[Operation + 1];

    __attribute__((always_inline)) void combine(T value) const
    {
        tw_combine(*this, value);
    }
};

/** As TW_REDUCE() and TW_REDUCE_INIT(): element `index` of a buffer, combined with the value that it has, or replaced. */
template <typename T, tw_operation Operation>
inline reduction<T, Operation> reduce(tw_command_group *group, tw_buffer *buffer, std::size_t index = 0)
{
    return {T(), tw_internal_reduction(group, buffer, index, true), nullptr};
}

template <typename T, tw_operation Operation>
inline reduction<T, Operation> reduce_init(tw_command_group *group, tw_buffer *buffer, std::size_t index = 0)
{
    return {T(), tw_internal_reduction(group, buffer, index, false), nullptr};
}

/** As tw_single_task(). */
template <typename F> static inline void single_task(tw_command_group *group, const F &f)
{
    tw_single_task_kernel(group, internal::single_task_kernel<F, internal::number_of<F>()>::kernel(), &f, sizeof f);
}

/** As tw_parallel_for(). */
template <typename F> static inline void parallel_for(tw_command_group *group, tw_range range, const F &f)
{
    tw_parallel_for_kernel(group, range, internal::range_kernel<F, internal::number_of<F>()>::kernel(), &f, sizeof f);
}

/** As tw_parallel_for_offset(). */
template <typename F> static inline void parallel_for(tw_command_group *group, tw_range range, tw_id offset, const F &f)
{
    tw_parallel_for_offset_kernel(group, range, offset, internal::range_kernel<F, internal::number_of<F>()>::kernel(),
                                  &f, sizeof f);
}

/** As tw_parallel_for() of a kernel that reduces. */
template <unsigned Dims = 1, typename T, tw_operation Operation, typename F>
static inline void parallel_for(tw_command_group *group, tw_range range, const reduction<T, Operation> &to, const F &f)
{
    typedef internal::reduction_kernel<F, reduction<T, Operation>, Dims, internal::number_of<F>()> kernel;
    const typename kernel::lambda_tw_block block(f, to);
    tw_parallel_for_kernel(group, range, kernel::kernel(), &block, sizeof block);
}

/** As tw_parallel_for_nd_range(). */
template <typename F> static inline void parallel_for(tw_command_group *group, tw_nd_range range, const F &f)
{
    tw_parallel_for_nd_range_kernel(group, range, internal::nd_range_kernel<F, internal::number_of<F>()>::kernel(), &f,
                                    sizeof f);
}

/** As tw_parallel_for_work_group(). */
template <typename F>
static inline void parallel_for_work_group(tw_command_group *group, tw_range groups, tw_range local, const F &f)
{
    tw_parallel_for_work_group_kernel(group, groups, local,
                                      internal::work_group_kernel<F, internal::number_of<F>()>::kernel(), &f, sizeof f);
}

} // namespace tw

#endif

#endif
