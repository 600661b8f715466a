/* SPDX-License-Identifier: Apache-2.0 */
/** Kernels as objects: what a program keeps in tables and chooses from at run time (spec 3.7.2.5, 3.7.3). */
#ifndef TEAMWORK_KERNEL_OBJECT_H
#define TEAMWORK_KERNEL_OBJECT_H

#include <teamwork/command_group.h>
#include <teamwork/range.h>

TW_BEGIN_DECLS

/**
 * A kernel of any form: what a definition (kernel_definition.h) makes of a function. It is a constant of the program or
 * shared library that defines it, valid as long as that is loaded; it is not retained or released.
 */
typedef struct tw_internal_kernel tw_kernel;

/**
 * The kernel of this name, which is defined or declared above. A constant expression:
 *
 *     static const tw_kernel *const steps[] = {TW_KERNEL(heat_rows), TW_KERNEL(heat_tile)};
 */
#define TW_KERNEL(name) ((const tw_kernel *)(const void *)&name##_kernel) /* the object's first member */

/* Where the linker puts the addresses of kernels; absent where there are none. */
extern const void *const __start_tw_kernels[] __attribute__((weak, visibility("hidden")));
extern const void *const __stop_tw_kernels[] __attribute__((weak, visibility("hidden")));

/**
 * Lists the kernels of the program or shared library that the call is compiled into, in the order in which they were
 * linked: for example to load all of them (tw_kernel_load()). Kernels that are `static` are not among them.
 *
 * @param kernels  receives up to `capacity` kernels; may be NULL if capacity is 0
 * @return how many there are, which may be more than `capacity`
 */
static inline size_t tw_list_kernels(const tw_kernel **kernels, size_t capacity)
{
    const size_t count = (size_t)(__stop_tw_kernels - __start_tw_kernels);
    for (size_t i = 0; i < count && i < capacity; ++i)
        kernels[i] = (const tw_kernel *)__start_tw_kernels[i];
    return count;
}

/**
 * Launches of kernels that are chosen at run time. They are those of kernel.h without its macros, for any compiler:
 * the kernel is an object, and the block a struct of the program, which is copied.
 *
 *     struct stencil block = {.in = tw_read(cg, in), .out = tw_write(cg, out)};
 *     tw_parallel_for_kernel(cg, tw_range_2d(h, w), steps[i], &block, sizeof block);
 *
 * What the compiler checks there is an error of the group here, beside those of kernel.h:
 *
 *     TW_ERROR_INVALID_KERNEL    the kernel is of another form, or its block has another size
 *     TW_ERROR_INVALID_ARGUMENT  the kernel or the block is NULL
 */
TW_API void tw_single_task_kernel(tw_command_group *group, const tw_kernel *kernel, const void *block,
                                  size_t block_bytes);
/** Kernels of TW_RANGE_KERNEL and TW_RANGE_REDUCTION. */
TW_API void tw_parallel_for_kernel(tw_command_group *group, tw_range range, const tw_kernel *kernel, const void *block,
                                   size_t block_bytes);
TW_API void tw_parallel_for_offset_kernel(tw_command_group *group, tw_range range, tw_id offset,
                                          const tw_kernel *kernel, const void *block, size_t block_bytes);
TW_API void tw_parallel_for_work_group_kernel(tw_command_group *group, tw_range groups, tw_range local,
                                              const tw_kernel *kernel, const void *block, size_t block_bytes);
TW_API void tw_parallel_for_work_group_offset_kernel(tw_command_group *group, tw_range groups, tw_range local,
                                                     tw_id offset, const tw_kernel *kernel, const void *block,
                                                     size_t block_bytes);
TW_API void tw_parallel_for_nd_range_kernel(tw_command_group *group, tw_nd_range range, const tw_kernel *kernel,
                                            const void *block, size_t block_bytes);

/* What TW_FILL_BLOCK() (kernel.h) calls. */
TW_API void tw_internal_begin_filling(const tw_kernel *kernel, void *block, size_t block_bytes);

TW_END_DECLS

#endif
