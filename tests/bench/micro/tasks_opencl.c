/* SPDX-License-Identifier: Apache-2.0 */
/* The same by OpenCL on its first CPU device, which is PoCL's where there is one: queues that keep their order, and one
   that does not. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "micro.h"

enum { MOST_THREADS = 8 };

static const char source[] = "kernel void bump(global uint *x) { ++*x; }\n"
                             "kernel void nothing(uint unused) { }\n";

static cl_context context;
static cl_device_id device;
static cl_program program;

static bool passed(cl_int error, const char *what)
{
    if (error != CL_SUCCESS)
        fprintf(stderr, "OpenCL: %s: error %d\n", what, (int)error);
    return error == CL_SUCCESS;
}

static bool find_device(void)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < count && i < 8; ++i)
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_SUCCESS)
            return true;
    return false;
}

static bool open_device(void)
{
    static int state; /* 0: not tried; 1: there is one; 2: there is none */
    const char *text = source;
    cl_int error = CL_SUCCESS;
    if (state)
        return state == 1;
    state = 2;
    if (!bench_on_host() || !find_device())
        return false;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (passed(error, "context"))
        program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    if (program && passed(error, "program") && passed(clBuildProgram(program, 1, &device, "", NULL, NULL), "build"))
        state = 1;
    return state == 1;
}

struct state {
    const struct micro_job *job; /* of the sample that runs */
    cl_command_queue queues[MOST_THREADS], unordered;
    cl_kernel bump[MOST_THREADS], nothing[MOST_THREADS]; /* a kernel's arguments are not thread safe */
    cl_mem buffers[MOST_THREADS];
    unsigned threads;
    size_t expected;
};

static bool close_state(struct micro_job *job)
{
    struct state *s = job->state;
    size_t sum = 0;
    if (!s)
        return false;
    for (unsigned i = 0; i < s->threads && s->nothing[i]; ++i) {
        cl_uint value = 0;
        if (passed(clEnqueueReadBuffer(s->queues[i], s->buffers[i], CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL),
                   "read"))
            sum += value;
        clReleaseKernel(s->bump[i]);
        clReleaseKernel(s->nothing[i]);
        clReleaseMemObject(s->buffers[i]);
        clReleaseCommandQueue(s->queues[i]);
    }
    if (s->unordered)
        clReleaseCommandQueue(s->unordered);
    const bool right = sum == s->expected;
    free(s);
    return right;
}

static bool open_state(struct micro_job *job)
{
    const cl_uint zero = 0;
    cl_int error = CL_SUCCESS;
    struct state *s = calloc(1, sizeof *s);
    job->state = s;
    if (!s)
        return false;
    s->threads = job->threads > 1 ? job->threads : 1;
    s->unordered = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    if (!passed(error, "queue"))
        return false;
    for (unsigned i = 0; i < s->threads; ++i) {
        s->queues[i] = clCreateCommandQueue(context, device, 0, &error);
        if (passed(error, "queue"))
            s->buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero,
                                           (void *)(uintptr_t)&zero, &error);
        if (passed(error, "buffer"))
            s->bump[i] = clCreateKernel(program, "bump", &error);
        if (passed(error, "kernel"))
            s->nothing[i] = clCreateKernel(program, "nothing", &error);
        if (!passed(error, "kernel")
            || !passed(clSetKernelArg(s->bump[i], 0, sizeof(cl_mem), &s->buffers[i]), "argument")
            || !passed(clSetKernelArg(s->nothing[i], 0, sizeof zero, &zero), "argument"))
            return false;
    }
    return true;
}

static bool enqueue(cl_command_queue queue, cl_kernel kernel)
{
    const size_t one = 1;
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL) == CL_SUCCESS;
}

static bool sample_submit_wait(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    bool done = true;
    const double start = bench_now();
    for (size_t i = 0; i < job->count; ++i)
        done = enqueue(s->queues[0], s->nothing[0]) && clFinish(s->queues[0]) == CL_SUCCESS && done;
    *value = (bench_now() - start) * 1e6 / (double)job->count;
    return done;
}

static bool of_thread(struct state *s, unsigned thread, cl_command_queue queue, cl_kernel kernel)
{
    bool done = true;
    (void)thread;
    for (size_t i = 0; i < s->job->count / s->threads; ++i)
        done = enqueue(queue, kernel) && done;
    return clFinish(queue) == CL_SUCCESS && done;
}

static bool chain_of_thread(void *user, unsigned thread)
{
    struct state *s = user;
    return of_thread(s, thread, s->queues[s->job->shared_queue ? 0 : thread], s->bump[thread]);
}

static bool fan_of_thread(void *user, unsigned thread)
{
    struct state *s = user;
    return of_thread(s, thread, s->job->shared_queue || s->threads == 1 ? s->unordered : s->queues[thread],
                     s->nothing[thread]);
}

static bool on_threads(const struct micro_job *job, bool (*body)(void *, unsigned), double *value)
{
    struct state *s = job->state;
    s->job = job;
    return micro_share(job, s->threads, body, s, value);
}

static bool sample_chain(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    s->expected += job->count / s->threads * s->threads;
    return on_threads(job, chain_of_thread, value);
}

static bool sample_fan(const struct micro_job *job, double *value)
{
    return on_threads(job, fan_of_thread, value);
}

static const struct micro_entry entries[] = {
    {MICRO_SUBMIT_WAIT, "OpenCL", "", 0, open_state, sample_submit_wait, close_state, false},
    {MICRO_CHAIN, "OpenCL", "", 100000, open_state, sample_chain, close_state, false},
    {MICRO_FAN, "OpenCL", "", 100000, open_state, sample_fan, close_state, false},
};
const struct micro_entries micro_tasks_opencl = {entries, sizeof entries / sizeof entries[0], open_device};
