/* SPDX-License-Identifier: Apache-2.0 */
/** Versions in OpenCL of programs with arrays: buffers and kernels, from open() to close(). */
#ifndef TEAMWORK_SUITE_ARRAYS_OPENCL_H
#define TEAMWORK_SUITE_ARRAYS_OPENCL_H

#include <stdlib.h>

#include "arrays.h"
#include "opencl_side.h"

/** The state of a version. */
struct suite_opencl {
    const void *problem;
    struct suite_opencl_program program;
    cl_mem at[SUITE_ARRAYS];
    cl_mem pristine[SUITE_ARRAYS];
};

static inline void suite_opencl_close_arrays(void *state)
{
    struct suite_opencl *s = state;
    for (unsigned i = 0; i < SUITE_ARRAYS; ++i) {
        suite_opencl_free(s->at[i]);
        suite_opencl_free(s->pristine[i]);
    }
    suite_opencl_release(&s->program);
    free(s);
}

static inline bool suite_opencl_open_array(const struct suite_array *array, cl_mem *at, cl_mem *pristine)
{
    if (array->bytes == 0)
        return true;
    if (array->restored && !(*pristine = suite_opencl_memory(array->initial, array->bytes)))
        return false;
    return (*at = suite_opencl_memory(array->initial, array->bytes)) != NULL;
}

/** A state with the arrays and without a program. */
static inline struct suite_opencl *suite_opencl_open_arrays(const void *problem)
{
    const struct suite_arrays *arrays = problem;
    struct suite_opencl *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->problem = problem;
    for (unsigned i = 0; i < SUITE_ARRAYS; ++i)
        if (!suite_opencl_open_array(&arrays->at[i], &s->at[i], &s->pristine[i])) {
            suite_opencl_close_arrays(s);
            return NULL;
        }
    return s;
}

/** What a version's open() ends with: the state `s`, or where it was not `built` NULL. */
static inline void *suite_opencl_opened(struct suite_opencl *s, bool built)
{
    if (s && !built) {
        suite_opencl_close_arrays(s);
        return NULL;
    }
    return s;
}

static inline bool suite_opencl_reset(void *state)
{
    const struct suite_opencl *s = state;
    const struct suite_arrays *arrays = s->problem;
    for (unsigned i = 0; i < SUITE_ARRAYS; ++i)
        if (s->pristine[i] && !suite_opencl_copy(s->at[i], s->pristine[i], arrays->at[i].bytes))
            return false;
    return suite_opencl_wait();
}

static inline bool suite_opencl_fetch(void *state, void *result)
{
    const struct suite_opencl *s = state;
    const struct suite_arrays *arrays = s->problem;
    return suite_opencl_get(s->at[arrays->result], result, arrays->at[arrays->result].bytes);
}

/** Array `i` of a state, and a number, as arguments of a kernel. */
#define SUITE_OPENCL_AT(s, i) SUITE_OPENCL_MEMORY((s)->at[i])

/** Enqueues kernel number `kernel` of a state. */
#define suite_opencl_run(s, kernel, ...) suite_opencl_launch((s)->program.kernels[kernel], __VA_ARGS__)

/** A version with its kind, open() and run(), and one whose arrays are to be restored. */
#define SUITE_OPENCL_VERSION(form, kind, open, run)                                                                    \
    {form, kind, open, NULL, run, suite_opencl_fetch, suite_opencl_close_arrays}
#define SUITE_OPENCL_VERSION_RESET(form, kind, open, run)                                                              \
    {form, kind, open, suite_opencl_reset, run, suite_opencl_fetch, suite_opencl_close_arrays}

#endif
