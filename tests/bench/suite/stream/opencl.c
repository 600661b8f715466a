/* SPDX-License-Identifier: Apache-2.0 */
/* The stream programs in OpenCL. */
#include <stdlib.h>
#include <string.h>

#include "opencl_side.h"
#include "stream.h"

static const char source[] = {
#embed "stream.cl"
    , 0};

/* Groups of a dot product: a few for each unit of a CPU, and numbers divide evenly, four for each work-item at
   least. */
enum { DOT_GROUPS = 32 };

struct state {
    size_t n;
    cl_mem x, y, out;
    struct suite_opencl_program program; /* of one kernel */
    double dot;
};

static void close_state(void *memory)
{
    struct state *s = memory;
    suite_opencl_free(s->x);
    suite_opencl_free(s->y);
    suite_opencl_free(s->out);
    suite_opencl_release(&s->program);
    free(s);
}

static void *open_state(const void *problem, const char *kernel)
{
    const struct stream *p = problem;
    const struct suite_opencl_source stream = {source, {kernel}};
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->n = p->n;
    if ((s->x = suite_opencl_memory(p->x, p->n * sizeof(double)))
        && (s->y = suite_opencl_memory(p->y, p->n * sizeof(double)))
        && (s->out = suite_opencl_memory(NULL, p->n * sizeof(double)))
        && suite_opencl_build(&s->program, &stream, "-DSCALE=%.17g -DGROUP=%d", STREAM_SCALE, STREAM_GROUP))
        return s;
    close_state(s);
    return NULL;
}

static bool run(void *memory)
{
    struct state *s = memory;
    return suite_opencl_launch(s->program.kernels[0], SUITE_OPENCL_RANGE(s->n), SUITE_OPENCL_ANY,
                               SUITE_OPENCL_MEMORY(s->x), SUITE_OPENCL_MEMORY(s->y), SUITE_OPENCL_MEMORY(s->out))
           && suite_opencl_wait();
}

static bool run_dot(void *memory)
{
    struct state *s = memory;
    const cl_ulong each = s->n / (DOT_GROUPS * STREAM_GROUP);
    double parts[DOT_GROUPS];
    if (!suite_opencl_launch(s->program.kernels[0], SUITE_OPENCL_RANGE(DOT_GROUPS * STREAM_GROUP),
                             SUITE_OPENCL_RANGE(STREAM_GROUP), SUITE_OPENCL_MEMORY(s->x), SUITE_OPENCL_MEMORY(s->y),
                             SUITE_OPENCL_MEMORY(s->out), {sizeof each, &each})
        || !suite_opencl_get(s->out, parts, sizeof parts))
        return false;
    s->dot = 0;
    for (unsigned i = 0; i < DOT_GROUPS; ++i)
        s->dot += parts[i];
    return true;
}

static bool fetch(void *memory, void *result)
{
    const struct state *s = memory;
    return suite_opencl_get(s->out, result, s->n * sizeof(double));
}

static bool fetch_dot(void *memory, void *result)
{
    memcpy(result, &((const struct state *)memory)->dot, sizeof(double));
    return true;
}

/* A program whose only version has this kernel. */
#define PROGRAM(name, form, kind, kernel, run, fetch)                                                                  \
    static void *open_##name(const void *problem)                                                                      \
    {                                                                                                                  \
        return open_state(problem, kernel);                                                                            \
    }                                                                                                                  \
    static const struct suite_version name##_versions[] = {{form, kind, open_##name, NULL, run, fetch, close_state}};  \
    const struct suite_versions suite_stream_##name##_opencl = SUITE_VERSIONS(name##_versions)

PROGRAM(copy, "flat", NULL, "copy", run, fetch);
PROGRAM(mul, "flat", NULL, "mul", run, fetch);
PROGRAM(add, "flat", NULL, "add", run, fetch);
PROGRAM(triad, "flat", NULL, "triad", run, fetch);
PROGRAM(dot, "parts", "barriers", "dot_parts", run_dot, fetch_dot);
