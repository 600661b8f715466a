/* SPDX-License-Identifier: Apache-2.0 */
/* The device of the versions in OpenCL, and what they all do with it. */
#include "opencl_side.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static char name[256];

cl_command_queue suite_opencl_queue(void)
{
    return queue;
}

bool suite_opencl_passed(cl_int error, const char *call)
{
    if (error != CL_SUCCESS)
        fprintf(stderr, "OpenCL: %s: error %d\n", call, (int)error);
    return error == CL_SUCCESS;
}

/* ---- the device -------------------------------------------------------------------------------------------------- */

/* A CPU of PoCL's platform, else the first one. */
static bool find_device(void)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    bool found = false;
    if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < count && i < 8; ++i) {
        char platform[128] = "";
        cl_device_id cpu;
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof platform, platform, NULL);
        const bool pocl = !strcmp(platform, "Portable Computing Language");
        if ((found && !pocl) || clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &cpu, NULL) != CL_SUCCESS)
            continue;
        device = cpu;
        found = true;
        clGetPlatformInfo(platforms[i], CL_PLATFORM_VERSION, sizeof name, name, NULL);
        if (pocl)
            break;
    }
    return found;
}

bool suite_opencl_open(void)
{
    cl_int error = CL_SUCCESS;
    if (!find_device()) {
        fprintf(stderr, "OpenCL takes no part: there is no CPU device\n");
        return true;
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (!suite_opencl_passed(error, "clCreateContext"))
        return false;
    queue = clCreateCommandQueue(context, device, 0, &error);
    return suite_opencl_passed(error, "clCreateCommandQueue");
}

bool suite_opencl_close(void)
{
    if (!queue)
        return true;
    const bool released = suite_opencl_passed(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    queue = NULL;
    return suite_opencl_passed(clReleaseContext(context), "clReleaseContext") && released;
}

const char *suite_opencl_name(void)
{
    return queue ? name : "";
}

unsigned suite_opencl_units(void)
{
    cl_uint units = 1;
    suite_opencl_passed(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL),
                        "clGetDeviceInfo");
    return units;
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static void print_log(cl_program program)
{
    size_t size = 0;
    char *text = NULL;
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) == CL_SUCCESS
        && (text = calloc(1, size + 1))
        && clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, text, NULL) == CL_SUCCESS)
        fprintf(stderr, "%s\n", text);
    free(text);
}

static bool build(struct suite_opencl_program *p, const struct suite_opencl_source *source, const char *options)
{
    cl_int error = CL_SUCCESS;
    const char *text = source->text;
    p->program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    if (!suite_opencl_passed(error, "clCreateProgramWithSource"))
        return false;
    if (!suite_opencl_passed(clBuildProgram(p->program, 1, &device, options, NULL, NULL), "clBuildProgram")) {
        print_log(p->program);
        return false;
    }
    for (unsigned i = 0; i < SUITE_OPENCL_KERNELS && source->kernels[i]; ++i) {
        p->kernels[i] = clCreateKernel(p->program, source->kernels[i], &error);
        if (!suite_opencl_passed(error, "clCreateKernel"))
            return false;
    }
    return true;
}

bool suite_opencl_build(struct suite_opencl_program *program, const struct suite_opencl_source *source,
                        const char *options, ...)
{
    char text[512];
    va_list values;
    va_start(values, options);
    const int length = vsnprintf(text, sizeof text, options, values);
    va_end(values);
    *program = (struct suite_opencl_program){0};
    if (length >= 0 && (size_t)length < sizeof text && build(program, source, text))
        return true;
    suite_opencl_release(program);
    return false;
}

void suite_opencl_release(struct suite_opencl_program *program)
{
    for (unsigned i = 0; i < SUITE_OPENCL_KERNELS; ++i)
        if (program->kernels[i])
            suite_opencl_passed(clReleaseKernel(program->kernels[i]), "clReleaseKernel");
    if (program->program)
        suite_opencl_passed(clReleaseProgram(program->program), "clReleaseProgram");
    *program = (struct suite_opencl_program){0};
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static bool set(cl_mem memory, const void *data, size_t bytes)
{
    const cl_uchar poison = SUITE_POISON;
    if (data)
        return suite_opencl_passed(clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, bytes, data, 0, NULL, NULL),
                                   "clEnqueueWriteBuffer");
    return suite_opencl_passed(clEnqueueFillBuffer(queue, memory, &poison, sizeof poison, 0, bytes, 0, NULL, NULL),
                               "clEnqueueFillBuffer")
           && suite_opencl_wait();
}

cl_mem suite_opencl_memory(const void *data, size_t bytes)
{
    cl_int error = CL_SUCCESS;
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (!suite_opencl_passed(error, "clCreateBuffer"))
        return NULL;
    if (set(memory, data, bytes))
        return memory;
    suite_opencl_free(memory);
    return NULL;
}

void suite_opencl_free(cl_mem memory)
{
    if (memory)
        suite_opencl_passed(clReleaseMemObject(memory), "clReleaseMemObject");
}

bool suite_opencl_get(cl_mem memory, void *result, size_t bytes)
{
    return suite_opencl_passed(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, bytes, result, 0, NULL, NULL),
                               "clEnqueueReadBuffer");
}

bool suite_opencl_copy(cl_mem to, cl_mem from, size_t bytes)
{
    return suite_opencl_passed(clEnqueueCopyBuffer(queue, from, to, 0, 0, bytes, 0, NULL, NULL), "clEnqueueCopyBuffer");
}

bool suite_opencl_zero(cl_mem memory, size_t bytes)
{
    const cl_uint zero = 0;
    return suite_opencl_passed(clEnqueueFillBuffer(queue, memory, &zero, sizeof zero, 0, bytes, 0, NULL, NULL),
                               "clEnqueueFillBuffer");
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

bool suite_opencl_wait(void)
{
    return suite_opencl_passed(clFinish(queue), "clFinish");
}

bool suite_opencl_launch_with(cl_kernel kernel, struct suite_opencl_range global, struct suite_opencl_range local,
                              size_t count, const struct suite_opencl_argument *arguments)
{
    const cl_uint dimensions = global.at[2] ? 3 : global.at[1] ? 2 : 1;
    for (size_t i = 0; i < count; ++i)
        if (!suite_opencl_passed(clSetKernelArg(kernel, (cl_uint)i, arguments[i].bytes, arguments[i].value),
                                 "clSetKernelArg"))
            return false;
    return suite_opencl_passed(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global.at,
                                                      local.at[0] ? local.at : NULL, 0, NULL, NULL),
                               "clEnqueueNDRangeKernel");
}
