/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Defining kernels (spec 3.7.2): a kernel is a C function over its argument block, and function and block share a name.
 *
 *     struct saxpy { float a; const float *x; float *y; };
 *     static inline void saxpy(tw_item item, const struct saxpy *k)
 *     {
 *         size_t i = tw_global_id(item, 0);
 *         k->y[i] += k->a * k->x[i];
 *     }
 *     TW_RANGE_KERNEL(saxpy);
 *
 * Each of these macros, at file scope and followed by a semicolon, compiles the function for the host and for every
 * device that the file is built for, and defines the object NAME_kernel, that launches name, with external linkage:
 *
 *     TW_SINGLE_TASK(name)                   void name(const struct name *k)
 *     TW_RANGE_KERNEL(name[, dims])          void name(tw_item item, const struct name *k)
 *     TW_RANGE_REDUCTION(name, dims, member...)  the same, and reduces: reduction.h, which has TW_WORK_GROUP_REDUCTION
 *                                                and TW_ND_RANGE_REDUCTION too
 *     TW_WORK_GROUP_KERNEL(name[, n0[, n1[, n2]]])   void name(tw_group group, const struct name *k)
 *     TW_ND_RANGE_KERNEL(name[, n0[, n1[, n2]]])     void name(tw_nd_item item, const struct name *k)
 *
 * dims, the constant 1, 2 or 3, says that a range kernel is only launched with that many dimensions: it compiles
 * faster. n0, n1, n2, constant expressions, require a work-group size (and thereby the dimensions): index arithmetic
 * by a constant size is far cheaper on every device, so give it when you know it. A launch with another size is an
 * error.
 *
 *     TW_WORK_GROUP_KERNEL_SIZES(name, (16, 16), (32, 8), TW_ANY_SIZE)    a kernel in up to six sizes; the launch
 *     TW_ND_RANGE_KERNEL_SIZES(name, 256, 64)                             picks the one that it is for
 *
 * Each size is a kernel of its own in the program and in its images: as much code, and as much time to compile. A
 * launch with another size uses that of TW_ANY_SIZE, where the size is not a constant; without it, it is an error.
 *
 * Where a body names the members a lot, TW_KERNEL_FUNCTION() and TW_TASK_FUNCTION() write the block and the head of the
 * function from one list, and the members are there by their names:
 *
 *     TW_KERNEL_FUNCTION(saxpy, tw_item, item, (float, a), (const float *, x), (float *, y))
 *     {
 *         size_t i = tw_global_id(item, 0);
 *         y[i] += a * x[i];
 *     }
 *     TW_RANGE_KERNEL(saxpy);
 *
 *     TW_TASK_FUNCTION(init, (float *, out), (float, value)) { out[0] = value; }
 *     TW_SINGLE_TASK(init);
 *
 * They take up to 16 members, as (type, name); a type of several words behind the name, as of an array, is __typeof__(int[4]).
 * A member that reduces is (type, operation, name), and a pointer in the body: tw_combine(*sum, x).
 *
 * What differs from that stands before the name, in any order:
 *
 *     TW_RANGE_KERNEL(TW_BLOCK(stencil) heat, 2);            void heat(tw_item item, const struct stencil *k): several
 *                                                            kernels, of any forms, share a block
 *     TW_ND_RANGE_KERNEL(TW_FUNCTION(dot) dot_64, 64);       kernel dot_64 is function dot, whose block it takes
 *     TW_RANGE_KERNEL(TW_SPECIALIZE(width, 3, 5) filter, 2); compiled for values of a member of the block: see below
 *     TW_RANGE_KERNEL(static saxpy);                         the object has internal linkage
 *     TW_SINGLE_TASK(TW_FOR_CPUS scan);                      for CPUs alone: the host, simulated devices, offload CPUs
 *     TW_SINGLE_TASK(TW_FOR_GPUS TW_BLOCK(scan) scan_gpu);   for GPUs alone; a launch elsewhere is an error
 *     TW_ND_RANGE_KERNEL(TW_SUB_GROUP_SIZE(32) warps);       for devices whose sub-groups have 32 work-items: a launch
 *                                                            elsewhere is TW_ERROR_UNSUPPORTED, with both numbers
 *     TW_RANGE_KERNEL(TW_HOST_LOOP(interleave_count(2)) x);  see below
 *
 * The code of a kernel for one kind of device is not in the images of the other.
 *
 * TW_SPECIALIZE(member, value...) compiles a kernel of any form once more for each of up to eight values: there the
 * member is a constant, so that loops over it are unrolled and conditions on it vanish. A launch whose block has one of
 * the values runs that code, on every device, and any other launch the general code. The member is an integer, an
 * enumeration or bool, or a part that is one: mask.width, size[0]. Values are constant expressions; one that begins with
 * a parenthesis is in parentheses. Two members have pairs of values:
 *
 *     TW_RANGE_KERNEL(TW_SPECIALIZE((width, wraps), (3, true), (3, false), (5, false)) filter, 2);
 *
 * Each value is a kernel of its own in the program and in its images, and for each size of TW_ND_RANGE_KERNEL_SIZES:
 * tw_kernel_get_variants() lists them (kernel_limits.h). Of a block of more than 1 KiB, in the standard mapping of OpenMP
 * of more than 256 bytes, the compiler finds out about the values later, and unrolls less. In that mapping the loops of
 * hierarchical kernels do not have the constants.
 *
 * Static kernels may stand in a header, and several files may have static kernels of one name. A header's kernel is
 * one and the same in all files of a program or library: its code must not depend on macros that they define
 * differently. On NVIDIA GPUs a kernel that shares its name with one of another file of the program is launched by
 * libomptarget, which takes longer.
 *
 * In a kernel, and what it calls, TW_ON_GPU is the constant 1 where this is compiled for a GPU and 0 where it is for
 * a CPU, for code that is best written in two ways: `if (TW_ON_GPU) ... else ...`. Nothing else may depend on it:
 * blocks and the order of kernels are the same for every device.
 *
 * To launch a kernel from another file, declare its block there and TW_DECLARE_RANGE_KERNEL(name) and the like, with
 * TW_BLOCK() or TW_FUNCTION() as in the definition. Two kernels of a program or of a shared library cannot share a
 * name, unless they are static. Each library launches its own kernel of a name, and a program can launch the kernels
 * of the libraries that it is linked with; its files are then compiled as PIC or PIE, which is clang's default.
 *
 * Rules for kernels (spec 2.10, 3.7.4): no recursion, no function pointers, no static variables other than constants,
 * no variables of file scope but those of variable.h, no call but of functions that the device has. Pointers in the
 * block come from accessors of the same command group; other members are passed by value. Blocks of up to 256 bytes
 * travel as kernel arguments, in the simt lowering on NVIDIA GPUs those of up to 1 KiB.
 *
 * What the build may define (teamwork_add_offload() does, docs/kernel_expansion.md explains):
 *
 *     TW_LOWERING_SIMT     GPUs run kernels in the simt lowering; without it in teams, the standard mapping of OpenMP
 *     TW_LOWERING_TEAMS    beside it: the program is also built for devices other than GPUs
 *     TW_LOWERING_HOST     the file is compiled for no offload device: launches there fail with
 *                          TW_ERROR_NO_DEVICE_IMAGE, and kernels compile faster
 *
 * Loops on a CPU: the innermost loop over work-items is vectorized, behind run-time checks for overlap. TW_HOST_LOOP
 * before a name gives it other options, those of `#pragma clang loop`; devices other than CPUs do not see them:
 *
 *     TW_RANGE_KERNEL(TW_HOST_LOOP(interleave_count(2)) saxpy, 1);            and so with TW_RANGE_REDUCTION,
 *                                                                             TW_ND_RANGE_KERNEL
 *     tw_parallel_for_work_item(group, TW_HOST_LOOP(interleave_count(4)) item) { ... }    the loops of hierarchical
 *                                                                                         kernels have their own
 *
 * The default is vectorize(enable). `assume_safety` or `omp simd`, which do without the checks, would be wrong there:
 * clang 19 then takes all accesses in the body for parallel, those to the body's own arrays too, and all iterations
 * share these, so kernels with an indexed private array would be miscompiled.
 */
#ifndef TEAMWORK_KERNEL_DEFINITION_H
#define TEAMWORK_KERNEL_DEFINITION_H

#include <teamwork/async_copy.h>
#include <teamwork/group_functions.h>
#include <teamwork/lower/kernel/kernel.h>
#include <teamwork/lower/kernel/kernel_function.h>
#include <teamwork/nd_range.h>
#include <teamwork/reduction.h>
#include <teamwork/work_group.h>

#define TW_SINGLE_TASK(name) TW_INTERNAL_SINGLE_TASK_KERNEL(name)
#define TW_RANGE_KERNEL(...) TW_INTERNAL_RANGE_KERNEL(__VA_ARGS__, 0, )
#define TW_RANGE_REDUCTION(name, dims, ...) TW_INTERNAL_REDUCTION_KERNEL(name, dims, __VA_ARGS__)
#define TW_WORK_GROUP_REDUCTION(name, size, ...) TW_INTERNAL_GROUP_REDUCTION_KERNEL(name, size, __VA_ARGS__)
#define TW_ND_RANGE_REDUCTION(name, size, ...) TW_INTERNAL_ND_REDUCTION_KERNEL(name, size, __VA_ARGS__)
#define TW_WORK_GROUP_KERNEL(...)                                                                                      \
    TW_INTERNAL_GROUP_KERNEL(__VA_ARGS__, TW_INTERNAL_ANY, TW_INTERNAL_ANY, TW_INTERNAL_ANY, )
#define TW_ND_RANGE_KERNEL(...) TW_INTERNAL_ND_KERNEL(__VA_ARGS__, TW_INTERNAL_ANY, TW_INTERNAL_ANY, TW_INTERNAL_ANY, )
#define TW_WORK_GROUP_KERNEL_SIZES(name, ...)                                                                          \
    TW_INTERNAL_KERNEL_SIZES(TW_INTERNAL_GROUP_OF, work_group_kernel, name, __VA_ARGS__)
#define TW_ND_RANGE_KERNEL_SIZES(name, ...)                                                                            \
    TW_INTERNAL_KERNEL_SIZES(TW_INTERNAL_ND_OF, nd_range_kernel, name, __VA_ARGS__)
#define TW_ANY_SIZE (TW_INTERNAL_ANY)

#define TW_KERNEL_FUNCTION(name, item_type, item, ...) TW_INTERNAL_KERNEL_FUNCTION(name, item_type, item, __VA_ARGS__)
#define TW_TASK_FUNCTION(name, ...) TW_INTERNAL_TASK_FUNCTION(name, __VA_ARGS__)

/** Declare a kernel that another file defines; its block must be visible too. Followed by a semicolon. */
#define TW_DECLARE_SINGLE_TASK(name) TW_INTERNAL_DECLARE_KERNEL(single_task, name)
#define TW_DECLARE_RANGE_KERNEL(name) TW_INTERNAL_DECLARE_KERNEL(range, name)
#define TW_DECLARE_WORK_GROUP_KERNEL(name) TW_INTERNAL_DECLARE_KERNEL(work_group, name)
#define TW_DECLARE_ND_RANGE_KERNEL(name) TW_INTERNAL_DECLARE_KERNEL(nd_range, name)

#endif
