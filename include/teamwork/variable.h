/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Constants and variables of file scope that kernels use by their names.
 *
 *     TW_BEGIN_DEVICE_VARIABLES
 *     static const float weights[] = {0.25f, 0.5f, 0.25f};     a constant: the same on every device
 *     int nx;                                                  a variable: one on the host and one on each device
 *     double dt = 0.1;
 *     TW_END_DEVICE_VARIABLES
 *
 *     status = tw_queue_copy_to_variable(queue, &nx, &size, sizeof nx, NULL);    later kernels of the queue's device see it
 *
 * Between the two lines, which have no semicolon, stand only variables, their types and declarations (`extern int nx;`),
 * or an `#include` of a header with nothing else. Constants that the compiler knows, such as `enum`, `#define` and
 * `static const` numbers, and arrays that are declared inside of a function as `static const`, need no such lines.
 *
 * A variable that is not constant has external linkage, one definition in a file that is compiled for the devices, and
 * a declaration between such lines in each other file whose kernels use it. It begins with its initializer, or zero, on
 * every device. Host code, kernels on the host and on simulated devices share the program's own; each offload device
 * has one of its own, which only its kernels and the calls below change. So offload devices do not see an assignment in
 * the program.
 *
 * The program's own target regions use the device's variable, too: a scalar between these lines is not `firstprivate` any
 * more in a region without that clause. Write `firstprivate(nx, dt)` there, or put
 * `#pragma omp target update to(nx, dt)` behind each assignment. The plugin of the compiler warns of a region that
 * reads such a variable if its file assigns to it, and does not take its address (docs/kernels.md).
 *
 * A value that changes from launch to launch belongs in the kernel's block: that costs nothing. On NVIDIA GPUs kernels
 * that use variables, but not those that only use `static const` constants, are launched by OpenMP (docs/kernels.md).
 *
 * An extension: SYCL 1.2 has no such variables (device_global of DPC++, __device__ and __constant__ of CUDA).
 */
#ifndef TEAMWORK_VARIABLE_H
#define TEAMWORK_VARIABLE_H

#include <teamwork/command_group.h>
#include <teamwork/lower/kernel/variable.h>

TW_BEGIN_DECLS

/** What stands between these exists on every device that the file is compiled for. In files that are not compiled with
 *  -fopenmp by clang they are empty: such a file may declare variables, but not define those that kernels use. */
#define TW_BEGIN_DEVICE_VARIABLES TW_INTERNAL_BEGIN_DEVICE_VARIABLES
#define TW_END_DEVICE_VARIABLES TW_INTERNAL_END_DEVICE_VARIABLES

/*
 * Each of these is the step of a command group, in the place of its kernel. The library does not know which kernels use
 * a variable. So these steps, like unified shared memory (usm.h), are ordered by tw_depends_on(), by in-order queues,
 * by accessors of their group, or by waiting. All functions are thread safe, but a group is recorded by one thread.
 *
 * Part of an array or struct may be copied: `variable` is an address inside of it then. 0 bytes are allowed: the command
 * does nothing then, in its place in the order.
 *
 * Errors of recording, kept in the group; the first two cannot be found out on the host and on simulated devices:
 *     TW_ERROR_INVALID_ARGUMENT       a pointer is NULL; or the queue's device has no such variable: it does not stand
 *                                     between TW_BEGIN_DEVICE_VARIABLES and TW_END_DEVICE_VARIABLES, is static or const,
 *                                     or its file was not compiled for the device
 *     TW_ERROR_INVALID_RANGE          the bytes end where the device has no variable
 *     TW_ERROR_INVALID_COMMAND_GROUP  the group has a kernel or a step already
 *     TW_ERROR_OUT_OF_MEMORY
 *
 * A command that fails reports TW_ERROR_TRANSFER_FAILED; the contents of what it should have written are undefined.
 */

/**
 * Gives the variable of the queue's device a value.
 *
 * @param variable  its address in the program
 * @param value     read before the call returns
 * @param bytes     of the variable, or of the part
 */
TW_API void tw_copy_to_variable(tw_command_group *group, void *variable, const void *value, size_t bytes);

/**
 * Copies the value that the variable of the queue's device has to memory of the program, which stays valid until the
 * command is complete, and is not used meanwhile.
 *
 * @param value     not the variable itself
 * @param variable  its address in the program
 */
TW_API void tw_copy_from_variable(tw_command_group *group, void *value, const void *variable, size_t bytes);

/**
 * Submit a group that has nothing but this step:
 *
 *     status = tw_queue_copy_to_variable(queue, &nx, &size, sizeof nx, NULL);
 *
 * @param event  as for tw_queue_submit()
 * @return the first error of recording (above): nothing was submitted
 *         TW_ERROR_INVALID_ARGUMENT  queue is NULL
 *         TW_ERROR_OUT_OF_MEMORY
 */
#define tw_queue_copy_to_variable(queue, variable, value, bytes, event)                                                \
    tw_internal_queue_copy_to_variable((queue), (variable), (value), (bytes), (event), __FILE__, __LINE__)
#define tw_queue_copy_from_variable(queue, value, variable, bytes, event)                                              \
    tw_internal_queue_copy_from_variable((queue), (value), (variable), (bytes), (event), __FILE__, __LINE__)

/* What these macros call. */
TW_API tw_status tw_internal_queue_copy_to_variable(tw_queue *queue, void *variable, const void *value, size_t bytes,
                                                    tw_event **event, const char *file, int line);
TW_API tw_status tw_internal_queue_copy_from_variable(tw_queue *queue, void *value, const void *variable, size_t bytes,
                                                      tw_event **event, const char *file, int line);

TW_END_DECLS

#endif
