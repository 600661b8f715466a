/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Launching kernels in a command group (spec 3.7.3). How to define them: kernel_definition.h; the language of
 * hierarchical kernels: work_group.h; ids and ranges inside kernels: item.h; kernels chosen at run time:
 * kernel_object.h.
 *
 * Each macro takes the group, the iteration space, the kernel's name and its captures: designated initializers of
 * its block, at least one; members not named are zero. A group has one kernel at most. A range without work-items
 * is valid: the kernel does not run. Errors are kept in the group and returned by submit:
 *
 *     TW_ERROR_INVALID_RANGE            dims outside of 1 to 3, or too many work-items to count or for the device
 *     TW_ERROR_INVALID_WORK_GROUP_SIZE  see tw_parallel_for_work_group
 *     TW_ERROR_INVALID_KERNEL           the kernel was compiled for another version of the library, or other dims,
 *                                       or has TW_LOCAL variables without work-groups
 *     TW_ERROR_INVALID_COMMAND_GROUP    the group has a kernel already
 *     TW_ERROR_UNSUPPORTED              the device cannot run the kernel as it was compiled, or the kernel is defined
 *                                       for others (TW_FOR_CPUS, TW_FOR_GPUS), or for sub-groups of another size
 *                                       (TW_SUB_GROUP_SIZE())
 *     TW_ERROR_OUT_OF_LOCAL_MEMORY      TW_LOCAL variables and local accessors of a group are more than the device has
 *     TW_ERROR_INVALID_ARGUMENT         a pointer in the block is NULL (TW_NULL, command_group.h, is for one that is to
 *                                       be), or leads to a buffer of the group whose elements have another size; on a
 *                                       simulated device also: no accessor of the group gave the pointer
 *
 * Sizes of elements are compared for pointers to numbers and to vectors; a pointer to a vector may also lead to numbers of
 * its kind, and one to a number to structs or arrays of it. Pointers to structs, characters and void may lead to any.
 * Pointers in arrays, and in unions that have a name or another pointer, may be NULL and are not compared.
 *
 * After submission, as asynchronous errors:
 *
 *     TW_ERROR_NO_DEVICE_IMAGE          the kernel's file was not compiled for the device
 *     TW_ERROR_LAUNCH_FAILED, TW_ERROR_TRANSFER_FAILED, TW_ERROR_OUT_OF_DEVICE_MEMORY, TW_ERROR_OUT_OF_BOUNDS,
 *     TW_ERROR_CANCELLED, and on a simulated device TW_ERROR_READ_ONLY_BUFFER
 */
#ifndef TEAMWORK_KERNEL_H
#define TEAMWORK_KERNEL_H

#include <teamwork/command_group.h>
#include <teamwork/kernel_definition.h>
#include <teamwork/kernel_limits.h>
#include <teamwork/kernel_object.h>

TW_BEGIN_DECLS

/* The argument block: what was accessed for reading does not go to a member that is written through, nor a pointer to
   something else, as a buffer, to a member. The type is in __typeof__, which makes one error of an unknown one. */
#ifdef __cplusplus
#define TW_INTERNAL_BLOCK(name, ...) TW_INTERNAL_C_INITIALIZERS(tw_internal_address_of(name##_tw_block{__VA_ARGS__}))
#else
#define TW_INTERNAL_BLOCK(name, ...) TW_INTERNAL_CHECKED_POINTERS(&(const __typeof__(name##_tw_block)){__VA_ARGS__})
#endif

/* The group: in C another pointer, as to a queue, would be a warning alone. */
#ifdef __cplusplus
#define TW_INTERNAL_GROUP(group) (group)
#else
#define TW_INTERNAL_GROUP(group) TW_INTERNAL_CHECKED_POINTERS((group))
#endif

/* Not pasted in the launch itself, where the name may be a macro's. */
#define TW_INTERNAL_BLOCK_BYTES(name) sizeof(name##_tw_block)

/* The kernel, if it is of the form that the launch is for. */
#define TW_INTERNAL_KERNEL_OF(form, name)                                                                              \
    tw_internal_##form##_of(&name##_kernel, TW_INTERNAL_IS(name##_kernel, struct tw_internal_##form))
#define TW_INTERNAL_DEFINE_KERNEL_OF(form, launch, definition)                                                         \
    TW_DEVICE_INLINE const struct tw_internal_kernel *tw_internal_##form##_of(const void *kernel, int right)           \
        __attribute__((diagnose_if(!right, launch " runs a kernel that " definition " defines", "error")))             \
    {                                                                                                                  \
        (void)right;                                                                                                   \
        return (const struct tw_internal_kernel *)kernel; /* its first member */                                       \
    }
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat" /* diagnose_if is clang's */
TW_INTERNAL_DEFINE_KERNEL_OF(single_task_kernel, "tw_single_task()", "TW_SINGLE_TASK")
TW_INTERNAL_DEFINE_KERNEL_OF(range_kernel, "tw_parallel_for()", "TW_RANGE_KERNEL or TW_RANGE_REDUCTION")
TW_INTERNAL_DEFINE_KERNEL_OF(work_group_kernel, "tw_parallel_for_work_group()",
                             "TW_WORK_GROUP_KERNEL or TW_WORK_GROUP_REDUCTION")
TW_INTERNAL_DEFINE_KERNEL_OF(nd_range_kernel, "tw_parallel_for_nd_range()",
                             "TW_ND_RANGE_KERNEL or TW_ND_RANGE_REDUCTION")
#pragma clang diagnostic pop

/**
 * Runs a kernel once (spec 3.7.3.1).
 *
 *     tw_single_task(cg, name, .out = tw_write(cg, buffer));
 */
#define tw_single_task(group, name, ...)                                                                               \
    tw_single_task_kernel(TW_INTERNAL_GROUP(group), TW_INTERNAL_KERNEL_OF(single_task_kernel, name),                   \
                          TW_INTERNAL_BLOCK(name, __VA_ARGS__), TW_INTERNAL_BLOCK_BYTES(name))

/**
 * Runs a kernel for each work-item of a range (spec 3.7.3.2).
 *
 *     tw_parallel_for(cg, tw_range_2d(rows, columns), name, .in = tw_read(cg, a), .out = tw_write(cg, b));
 */
#define tw_parallel_for(group, range, name, ...)                                                                       \
    tw_parallel_for_kernel(TW_INTERNAL_GROUP(group), (range), TW_INTERNAL_KERNEL_OF(range_kernel, name),               \
                           TW_INTERNAL_BLOCK(name, __VA_ARGS__), TW_INTERNAL_BLOCK_BYTES(name))

/** tw_parallel_for with an offset, a tw_id of the range's dimensions, that is added to every global id. */
#define tw_parallel_for_offset(group, range, offset, name, ...)                                                        \
    tw_parallel_for_offset_kernel(TW_INTERNAL_GROUP(group), (range), (offset),                                         \
                                  TW_INTERNAL_KERNEL_OF(range_kernel, name), TW_INTERNAL_BLOCK(name, __VA_ARGS__),     \
                                  TW_INTERNAL_BLOCK_BYTES(name))

/**
 * Runs a hierarchical kernel: `groups` work-groups of `local` work-items each (spec 3.7.3.3).
 *
 *     tw_parallel_for_work_group(cg, tw_range_2d(h / 16, w / 16), tw_range_2d(16, 16), name, .in = ...);
 *     tw_parallel_for_work_group(cg, tw_range_1d(64), tw_range_any(), name, .in = ...);
 *
 * With tw_range_any() the library chooses the size, here and for nd_range kernels, where it divides the global range:
 * the first size of the kernel's definition with which the device can run the launch; where the definition requires
 * none, 256 work-items on GPUs and for nd_range kernels, 1024 for hierarchical kernels on CPUs, or less, as the device,
 * the kernel and the range want it. The kernel learns it from tw_local_range(). An nd_range whose sizes have few
 * divisors gets small groups: of one work-item, if the sizes are prime numbers.
 *
 * TW_ERROR_INVALID_WORK_GROUP_SIZE: local is empty, larger than the device's TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE, or not
 * a size that the kernel's definition requires; with tw_range_any(): none of these sizes has the dimensions of the
 * launch, or divides its range. TW_ERROR_INVALID_RANGE also when the two differ in dimensions.
 */
#define tw_parallel_for_work_group(group, groups, local, name, ...)                                                    \
    tw_parallel_for_work_group_kernel(TW_INTERNAL_GROUP(group), (groups), (local),                                     \
                                      TW_INTERNAL_KERNEL_OF(work_group_kernel, name),                                  \
                                      TW_INTERNAL_BLOCK(name, __VA_ARGS__), TW_INTERNAL_BLOCK_BYTES(name))

/** tw_parallel_for_work_group with an offset, a tw_id of the groups' dimensions, that is added to every global id of a
 *  work-item (that of an nd_range, spec 3.7.1.2). Ids of groups and linear ids begin at 0 as ever. */
#define tw_parallel_for_work_group_offset(group, groups, local, offset, name, ...)                                     \
    tw_parallel_for_work_group_offset_kernel(TW_INTERNAL_GROUP(group), (groups), (local), (offset),                    \
                                             TW_INTERNAL_KERNEL_OF(work_group_kernel, name),                           \
                                             TW_INTERNAL_BLOCK(name, __VA_ARGS__), TW_INTERNAL_BLOCK_BYTES(name))

/**
 * Runs an nd_range kernel: a kernel whose work-items, in groups of a given size, meet at barriers (spec 3.7.3.2).
 *
 *     tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(n), tw_range_1d(256)), name, .in = ...);
 *
 * TW_ERROR_INVALID_WORK_GROUP_SIZE: as for tw_parallel_for_work_group, and also where the group's size does not
 * divide the global one; TW_ERROR_OUT_OF_LOCAL_MEMORY: see tw_local(). After submission also
 * TW_ERROR_DIVERGENT_BARRIER, and TW_ERROR_UNSUPPORTED where the standard mapping did not get a thread for each
 * work-item of a group.
 */
#define tw_parallel_for_nd_range(group, range, name, ...)                                                              \
    tw_parallel_for_nd_range_kernel(TW_INTERNAL_GROUP(group), (range), TW_INTERNAL_KERNEL_OF(nd_range_kernel, name),   \
                                    TW_INTERNAL_BLOCK(name, __VA_ARGS__), TW_INTERNAL_BLOCK_BYTES(name))

/* ---- blocks that the program fills ------------------------------------------------------------------------------- */

/**
 * Declares `block`, an argument block of kernel `name` that the program fills member by member, in loops too. Followed by a
 * semicolon.
 *
 *     struct mix { const float *in[FIELDS]; float *out; size_t n; TW_REDUCTION(double, TW_SUM) sum; };
 *     ...
 *     TW_FILL_BLOCK(mix, block);
 *     for (size_t i = 0; i < FIELDS; ++i)
 *         block.in[i] = tw_read(cg, fields[i]);
 *     block.out = tw_write(cg, out);
 *     block.n = n;
 *     tw_set(block.sum, TW_REDUCE_INIT(cg, total));
 *     tw_parallel_for_kernel(cg, tw_range_1d(n), TW_FILLED(mix, block));
 *
 * What is not filled when it is launched is as in a launch that does not name it: numbers are zero, and a pointer, a view
 * or a reduction is an error that says its name, TW_ERROR_INVALID_ARGUMENT or TW_ERROR_INVALID_KERNEL. That is so for each
 * element of an array of pointers, where NULL may be assigned; but not in arrays of structs, as of views, whose pointers are
 * NULL. A block may be launched in several groups, if what it has from accessors is assigned in each.
 */
#define TW_FILL_BLOCK(name, block)                                                                                     \
    name##_tw_block block = TW_INTERNAL_ZEROED;                                                                        \
    tw_internal_begin_filling(TW_KERNEL(name), &block, sizeof block)

/** Assigns what is no expression in C: TW_REDUCE() and the like, TW_READ_VIEW() and the like, {x, y}. Other values too: then
 *  it is an error, not a warning alone, if tw_read() is assigned to a pointer that is written through. */
#define tw_set(member, ...)                                                                                            \
    __extension__({                                                                                                    \
        TW_INTERNAL_FILLING(__typeof__(member) tw_value_ = __VA_ARGS__;)                                               \
        (member) = tw_value_;                                                                                          \
    })

/** Kernel `name` and a block of it, in a launch of an object (kernel_object.h): the last three arguments of
 *  tw_parallel_for_kernel() and the like. A block of another kernel does not compile. */
#define TW_FILLED(name, block) TW_KERNEL(name), TW_INTERNAL_FILLED_BLOCK(name, &(block)), TW_INTERNAL_BLOCK_BYTES(name)

#ifdef __cplusplus
#define TW_INTERNAL_ZEROED                                                                                             \
    {                                                                                                                  \
    }
#define TW_INTERNAL_FILLING(...) TW_INTERNAL_C_INITIALIZERS(__VA_ARGS__)
#define TW_INTERNAL_FILLED_BLOCK(name, block) static_cast<const name##_tw_block *>(block)
#else
#define TW_INTERNAL_ZEROED {0}
#define TW_INTERNAL_FILLING(...) TW_INTERNAL_CHECKED_POINTERS(__VA_ARGS__)
#define TW_INTERNAL_FILLED_BLOCK(name, block) TW_INTERNAL_CHECKED_POINTERS((const name##_tw_block *){block})
#endif

/* ---- groups of one kernel ---------------------------------------------------------------------------------------- */

/**
 * Submits a group that has nothing but this kernel, as `q.parallel_for()` does in SYCL 2020: an expression of type
 * tw_status. It costs what a TW_COMMAND_GROUP block costs.
 *
 *     status = tw_queue_parallel_for(queue, cg, NULL, tw_range_1d(n), saxpy, .a = 2.0f, .x = x, .y = y);
 *     status = tw_queue_parallel_for(queue, cg, &event, tw_range_1d(n), saxpy,
 *                                    .a = 2.0f, .x = tw_read(cg, x), .y = tw_read_write(cg, y));
 *
 * The first has pointers to unified shared memory, which need no accessors, the second has buffers. A kernel that
 * depends on events, or reserves local memory, is recorded in a group.
 *
 * Expands to: a statement expression that declares `group`, launches and submits. The captures are evaluated in it.
 *
 * @param group  a name for the group, which the accessors among the captures use
 * @param event  a tw_event ** that receives the group's completion, as for tw_queue_submit(); NULL if not wanted
 * @return as tw_queue_submit(): the first error of the accessors and of the launch, then nothing was submitted
 *         TW_ERROR_INVALID_ARGUMENT  queue is NULL
 *         TW_ERROR_OUT_OF_MEMORY
 */
#define tw_queue_parallel_for(queue, group, event, range, name, ...)                                                   \
    TW_INTERNAL_QUEUE_LAUNCH(queue, group, event, tw_parallel_for(group, range, name, __VA_ARGS__))

/** The same for tw_single_task().
 *  Expands to: as tw_queue_parallel_for(). */
#define tw_queue_single_task(queue, group, event, name, ...)                                                           \
    TW_INTERNAL_QUEUE_LAUNCH(queue, group, event, tw_single_task(group, name, __VA_ARGS__))

/** The same for tw_parallel_for_work_group().
 *  Expands to: as tw_queue_parallel_for(). */
#define tw_queue_parallel_for_work_group(queue, group, event, groups, local, name, ...)                                \
    TW_INTERNAL_QUEUE_LAUNCH(queue, group, event, tw_parallel_for_work_group(group, groups, local, name, __VA_ARGS__))

/** The same for tw_parallel_for_nd_range().
 *  Expands to: as tw_queue_parallel_for(). */
#define tw_queue_parallel_for_nd_range(queue, group, event, range, name, ...)                                          \
    TW_INTERNAL_QUEUE_LAUNCH(queue, group, event, tw_parallel_for_nd_range(group, range, name, __VA_ARGS__))

/* `launch` is a statement. The group is gone if a capture throws an exception. */
#define TW_INTERNAL_QUEUE_LAUNCH(queue, group, event, launch)                                                          \
    __extension__({                                                                                                    \
        tw_queue *const tw_internal_queue = (queue);                                                                   \
        tw_command_group *group __attribute__((cleanup(tw_internal_discard))) = tw_queue_begin(tw_internal_queue);     \
        launch;                                                                                                        \
        tw_internal_submit_launch(tw_internal_queue, &group, (event), __FILE__, __LINE__);                             \
    })

TW_END_DECLS

#endif
