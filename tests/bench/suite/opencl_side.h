/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What versions in OpenCL need: the device, programs built at run time, memory, and launches. The device is PoCL's on
 * the host where there is one, else the first CPU. Functions print what went wrong.
 *
 * A program NAME has its kernels in NAME/NAME.cl, which NAME/opencl.c embeds:
 *
 *     static const char source[] = {
 *     #embed "NAME.cl"
 *         , 0};
 *
 * Kernels are written as suits a CPU, which for PoCL means: loops are rarely unrolled, work-items have numbers in a
 * row, and barriers are few.
 *
 * Files that include this header are compiled only where OpenCL was found.
 */
#ifndef TEAMWORK_SUITE_OPENCL_SIDE_H
#define TEAMWORK_SUITE_OPENCL_SIDE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "suite.h"

/* clang has #embed in every C */
#pragma clang diagnostic ignored "-Wc23-extensions"

enum { SUITE_OPENCL_KERNELS = 4 };

/** What a program of OpenCL is made of. */
struct suite_opencl_source {
    const char *text;
    const char *kernels[SUITE_OPENCL_KERNELS]; /**< their names; NULL behind the last one */
};

/** A program that is built, and its kernels in the order of their names. */
struct suite_opencl_program {
    cl_program program;
    cl_kernel kernels[SUITE_OPENCL_KERNELS];
};

/** The in-order queue that all versions use; only after sides.c has opened the device. */
cl_command_queue suite_opencl_queue(void);

/** Compute units of the device. */
unsigned suite_opencl_units(void);

bool suite_opencl_passed(cl_int error, const char *call);

/**
 * Builds a program.
 *
 * @param options  for the compiler, in the manner of printf()
 */
bool suite_opencl_build(struct suite_opencl_program *program, const struct suite_opencl_source *source,
                        const char *options, ...) __attribute__((format(printf, 3, 4)));
void suite_opencl_release(struct suite_opencl_program *program);

/** Memory of the device with the contents `data`, or poison if that is NULL. NULL: failed. */
cl_mem suite_opencl_memory(const void *data, size_t bytes);
void suite_opencl_free(cl_mem memory);
bool suite_opencl_get(cl_mem memory, void *result, size_t bytes);
bool suite_opencl_copy(cl_mem to, cl_mem from, size_t bytes);

/** Fills memory with zeros, in the order of the queue. */
bool suite_opencl_zero(cl_mem memory, size_t bytes);

/** Waits for all that was enqueued. */
bool suite_opencl_wait(void);

/** Work-items along x, y and z; 0: no such dimension. */
struct suite_opencl_range {
    size_t at[3];
};
#define SUITE_OPENCL_RANGE(...) ((struct suite_opencl_range){{__VA_ARGS__}})

/** Of groups: the implementation chooses. */
#define SUITE_OPENCL_ANY SUITE_OPENCL_RANGE(0)

/** An argument of a kernel. */
struct suite_opencl_argument {
    size_t bytes;
    const void *value;
};
#define SUITE_OPENCL_MEMORY(memory) {sizeof(cl_mem), &(memory)}
#define SUITE_OPENCL_UINT(value)                                                                                       \
    {                                                                                                                  \
        sizeof(cl_uint), &(cl_uint)                                                                                    \
        {                                                                                                              \
            (cl_uint)(value)                                                                                           \
        }                                                                                                              \
    }

/** Enqueues a kernel with arguments, each of one of the two forms above or {size, address}. */
#define suite_opencl_launch(kernel, global, local, ...)                                                                \
    suite_opencl_launch_with((kernel), (global), (local),                                                              \
                             sizeof((struct suite_opencl_argument[]){__VA_ARGS__})                                     \
                                 / sizeof(struct suite_opencl_argument),                                               \
                             (struct suite_opencl_argument[]){__VA_ARGS__})
bool suite_opencl_launch_with(cl_kernel kernel, struct suite_opencl_range global, struct suite_opencl_range local,
                              size_t count, const struct suite_opencl_argument *arguments);

/** A multiple of `size` that is not below `count`. */
static inline size_t suite_opencl_up(size_t count, size_t size)
{
    return (count + size - 1) / size * size;
}

#endif
