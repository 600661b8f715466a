/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Teamwork: the SYCL programming model in C, on LLVM OpenMP offload. This header includes all of the library but what the
 * list says:
 *
 *     version.h        version of the headers and of the library
 *     status.h         status codes, error details, asynchronous error records
 *     range.h          ranges, ids, nd_ranges                                  (host and kernels)
 *     item.h           what a kernel asks about its work-item or group         (kernels)
 *     device.h         platforms, devices, selectors, contexts, shutdown
 *     queue.h          queues, waiting, delivery of errors
 *     event.h          events
 *     buffer.h         buffers and host accessors
 *     host_memory.h    host memory that devices copy to and from fastest
 *     usm.h            memory that kernels use by plain pointers; its copies, fills and hints
 *     command_group.h  command groups, device accessors, submission
 *     copy.h           copies and fills in command groups, and by the program
 *     command_graph.h  groups that are recorded once and submitted many times
 *     local.h          local accessors: team-local memory whose size the launch gives
 *     memory.h         memory orders and scopes
 *     vector.h, math.h  vector types and built-in functions; not included here
 *     bfloat16.h       bfloat16, a type to store; not included here
 *     image.h, sampler.h  images and samplers; not included here
 *     storage.h        storage objects of buffers and images; not included here
 *     pointer.h        pointers whose type says which memory they lead to; not included here
 *     view.h           accessors that carry their range, with checked indices in debug builds
 *     range_mapper.h   what parts of a launch access, on queues over several devices
 *     kernel.h         launching kernels
 *     kernel_definition.h  defining kernels: TW_RANGE_KERNEL and the like; includes the next six
 *     work_group.h     the language of hierarchical kernels: tw_parallel_for_work_item, TW_LOCAL ...
 *     nd_range.h       the language of nd_range kernels: tw_barrier, tw_local_data ...
 *     operation.h      operations of group functions and reductions: TW_SUM ...
 *     group_functions.h  what the work-items of a group compute together
 *     reduction.h      kernels that reduce: TW_REDUCTION, TW_RANGE_REDUCTION ...
 *     async_copy.h     copies that a group makes together
 *     atomic.h         atomic operations and fences
 *     group_algorithms.h  group functions for any type and operation, and over memory; not included here
 *     group_vectors.h  the same for vectors; not included here
 *     non_uniform_groups.h  parts of a sub-group; not included here
 *     root_group.h     a barrier over all groups of a launch; not included here
 *     matrix.h, group_matrix.h  matrices of a sub-group and of a work-group, and their products; not included here
 *     algorithms.h     reductions, scans, selections and sorts over a device's memory; not included here
 *     random.h         random numbers that are functions of a number and a key; not included here
 *     printf.h         printing from kernels; not included here
 *     kernel_object.h  kernels as objects, for tables
 *     variable.h       constants and variables of file scope that kernels use by their names
 *     kernel_limits.h  what is known of a kernel, and what a device allows it
 *     interop.h        OpenMP and CUDA beside the library
 *     task.h           host tasks and native tasks: functions of the program as steps of command groups
 *     typed.h          C++: functions that give memory, with its type
 *     lambda.h         C++: kernels that are lambdas; not included here
 *     sim.h            simulated devices
 *     tool.h           tools that are told what the library does; not included here
 *
 * Threads and processes:
 *
 *     threads    All functions are thread safe. A thread that is cancelled (pthread_cancel()) inside of a call ends when that
 *                returns; only in the program's own selectors, error handlers and submit functions it may end at once.
 *                Asynchronous cancellation is not supported.
 *     signals    A signal handler calls nothing of the library. Signals may interrupt any call, which goes on.
 *     fork()     Once a call has looked for devices, a child made by fork() cannot use the library: what would need devices,
 *                threads or memory of them returns TW_ERROR_UNSUPPORTED, and its objects stay. It may call exec(), _exit()
 *                and exit(); the parent notices nothing. Before that first call parent and child are free.
 *     exit()     A program may end at any time, on any thread, with commands in flight: those that run get two seconds, the
 *                others do not run.
 *     dlclose()  The shared library stays loaded. A library with kernels may be closed when the commands with them are
 *                complete; one that the static library is part of, when tw_shutdown() succeeded.
 *     copies     Each program or library that is linked with the static library has a copy of its own, whose queues and buffers
 *                another one refuses (TW_ERROR_INVALID_ARGUMENT): link all that share objects with the shared library.
 *     C++        Selectors, error handlers and submit functions may throw; callbacks of storages may not.
 *
 * Files that define kernels are compiled with -fopenmp, by clang; files that only use the library's objects may leave
 * out kernel.h, item.h and view.h and be compiled by any C17 or C++17 compiler.
 */
#ifndef TEAMWORK_TEAMWORK_H
#define TEAMWORK_TEAMWORK_H

#include <teamwork/atomic.h>
#include <teamwork/buffer.h>
#include <teamwork/command_graph.h>
#include <teamwork/command_group.h>
#include <teamwork/copy.h>
#include <teamwork/device.h>
#include <teamwork/event.h>
#include <teamwork/host_memory.h>
#include <teamwork/interop.h>
#include <teamwork/item.h>
#include <teamwork/kernel.h>
#include <teamwork/local.h>
#include <teamwork/memory.h>
#include <teamwork/queue.h>
#include <teamwork/range.h>
#include <teamwork/range_mapper.h>
#include <teamwork/sim.h>
#include <teamwork/status.h>
#include <teamwork/task.h>
#include <teamwork/typed.h>
#include <teamwork/usm.h>
#include <teamwork/variable.h>
#include <teamwork/version.h>
#include <teamwork/view.h>

#endif
