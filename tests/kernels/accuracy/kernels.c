/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Evaluates a function on the device under test, by a range kernel a type. A work-item computes a run of elements in a
 * loop of its own, which compilers vectorize: so with -fveclib=libmvec glibc's vector functions are what is measured.
 */
#include <stdio.h>
#include <stdlib.h>

#include <teamwork/math.h>
#include <teamwork/teamwork.h>

#include "accuracy.h"

enum { RUN = 64 };

/* On a GPU the loops stay loops: a hundred functions are large enough once. */
#if defined(__NVPTX__) || defined(__AMDGCN__)
#define RUN_LOOP _Pragma("clang loop unroll(disable)") for (size_t j = first; j < past; ++j)
#else
#define RUN_LOOP for (size_t j = first; j < past; ++j)
#endif

#define CASE(id, arguments, what, float_bound, double_bound, half_bound, ...)                                          \
    case ID_##id:                                                                                                      \
        RUN_LOOP                                                                                                       \
        {                                                                                                              \
            const T x = k->x[j], y = k->y[j], z = k->z[j];                                                             \
            const int n = k->n[j];                                                                                     \
            T r = 0, s = 0;                                                                                            \
            int i = 0;                                                                                                 \
            (void)x, (void)y, (void)z, (void)n, (void)s;                                                               \
            __VA_ARGS__;                                                                                               \
            out[j] = r;                                                                                                \
            integer[j] = i;                                                                                            \
        }                                                                                                              \
        break;

#define EVALUATE(name, type, FUNCTIONS_OF_TYPE)                                                                        \
    struct name {                                                                                                      \
        int function;                                                                                                  \
        size_t count;                                                                                                  \
        const type *x, *y, *z;                                                                                         \
        const int *n;                                                                                                  \
        type *result;                                                                                                  \
        int *integer;                                                                                                  \
    };                                                                                                                 \
    static inline void name(tw_item item, const struct name *k)                                                        \
    {                                                                                                                  \
        typedef type T;                                                                                                \
        const size_t first = tw_global_id(item, 0) * RUN;                                                              \
        const size_t past = first + RUN < k->count ? first + RUN : k->count;                                           \
        T *restrict out = k->result;                                                                                   \
        int *restrict integer = k->integer;                                                                            \
        switch (k->function) {                                                                                         \
            FUNCTIONS_OF_TYPE                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    TW_RANGE_KERNEL(name, 1)

EVALUATE(evaluate_float, tw_float, ALL_FUNCTIONS(CASE));
EVALUATE(evaluate_double, tw_double, UNARY_FUNCTIONS(CASE) OTHER_FUNCTIONS(CASE) NATIVE_FUNCTIONS(CASE));
EVALUATE(evaluate_half, tw_half, UNARY_FUNCTIONS(CASE) OTHER_FUNCTIONS(CASE) NATIVE_FUNCTIONS(CASE));

static tw_queue *queue;

static void require(tw_status status)
{
    if (status == TW_SUCCESS)
        return;
    fprintf(stderr, "accuracy: %s: %s\n", tw_status_name(status), tw_error_detail());
    exit(2);
}

static void *checked(void *memory)
{
    if (!memory) {
        fprintf(stderr, "accuracy: out of memory\n");
        exit(2);
    }
    return memory;
}

static void open_device(void)
{
    if (!queue)
        require(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
}

const char *device_name(void)
{
    open_device();
    return tw_device_name(tw_queue_device(queue));
}

void close_device(void)
{
    require(tw_queue_destroy(&queue));
}

static const size_t type_bytes[TYPES] = {sizeof(tw_float), sizeof(tw_double), sizeof(tw_half)};

static void from_double(void *to, const double *from, size_t count, int type)
{
    for (size_t i = 0; i < count; ++i)
        if (type == FLOAT)
            ((float *)to)[i] = (float)from[i];
        else if (type == HALF)
            ((tw_half *)to)[i] = (tw_half)from[i];
        else
            ((double *)to)[i] = from[i];
}

static void to_double(double *to, const void *from, size_t count, int type)
{
    for (size_t i = 0; i < count; ++i)
        to[i] = type == FLOAT  ? (double)((const float *)from)[i]
                : type == HALF ? (double)((const tw_half *)from)[i]
                               : ((const double *)from)[i];
}

#define LAUNCH(name)                                                                                                   \
    tw_parallel_for(cg, tw_range_1d((count + RUN - 1) / RUN), name, .function = batch->function, .count = count,       \
                    .x = tw_read(cg, arguments[0]), .y = tw_read(cg, arguments[1]), .z = tw_read(cg, arguments[2]),    \
                    .n = tw_read(cg, n), .result = tw_discard_write(cg, result),                                       \
                    .integer = tw_discard_write(cg, integer))

void evaluate(struct batch *batch)
{
    const size_t count = batch->count, bytes = type_bytes[batch->type];
    const tw_range range = tw_range_1d(count);
    const double *sources[3] = {batch->x, batch->y, batch->z};
    tw_buffer *arguments[3], *n, *result, *integer;
    void *numbers[3], *results = checked(malloc(count * bytes));
    open_device();
    for (int a = 0; a < 3; ++a) {
        numbers[a] = checked(malloc(count * bytes));
        from_double(numbers[a], sources[a], count, batch->type);
        require(tw_buffer_create_over_const(numbers[a], bytes, range, &arguments[a]));
    }
    require(tw_buffer_create_over_const(batch->n, sizeof *batch->n, range, &n));
    require(tw_buffer_create_over(results, bytes, range, &result));
    require(tw_buffer_create_over(batch->integer, sizeof *batch->integer, range, &integer));

    tw_command_group *cg = tw_queue_begin(queue);
    if (batch->type == FLOAT)
        LAUNCH(evaluate_float);
    else if (batch->type == DOUBLE)
        LAUNCH(evaluate_double);
    else
        LAUNCH(evaluate_half);
    require(tw_queue_submit(queue, cg, NULL));
    require(tw_buffer_destroy(&result));
    require(tw_buffer_destroy(&integer));
    require(tw_buffer_destroy(&n));
    to_double(batch->result, results, count, batch->type);
    for (int a = 0; a < 3; ++a) {
        require(tw_buffer_destroy(&arguments[a]));
        free(numbers[a]);
    }
    free(results);
}
