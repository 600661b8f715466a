/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills by the CUDA driver (cuda_fill.h), in one of three ways:
 *
 * - The driver's memset, for a pattern that repeats after 1, 2 or 4 bytes, in one plane.
 * - A kernel, for most other patterns of up to PATTERN_BYTES. It is PTX, which the driver compiles on the first use.
 * - Copies that double what is filled already, for longer patterns.
 */
#include "cuda_fill.h"

#include <stdlib.h>
#include <string.h>

#include "cuda_copy.h"
#include "cuda_rows_kernel.h"
#include "rows.h"

#define PATTERN_BYTES 1024u
#define BLOCKS_PER_UNIT 16u   /* on each multiprocessor; each block goes on until all is filled */
#define MOST_BLOCKS_YZ 65535u /* of a grid, in y and in z */
#define MOST_PITCH ((size_t)INT32_MAX)

/* The parameter of the kernels; the PTX knows the offsets. A word is 16, 4 or 1 bytes. */
struct fill_parameters {
    uintptr_t target;
    uint64_t words; /* of a row */
    uint64_t rows, planes, pitch, plane;
    uint64_t period, unused;              /* in words */
    unsigned char pattern[PATTERN_BYTES]; /* `period` words */
} __attribute__((aligned(16)));
_Static_assert(sizeof(struct fill_parameters) == 64 + PATTERN_BYTES, "the PTX knows the offsets");

/* A step is a multiple of the pattern's words, unless each word of the row has a thread. So a thread needs only one word
   of the pattern. */
#define PROGRAM(size, load, store)                                                                                     \
    TW_CUDA_ROWS_PROGRAM("tw_fill(.param .align 16 .b8 fill[1088])",                                                   \
                         ".reg .b64 %target, %pitch, %plane, %period, %in, %at;\n", size,                              \
                         "ld.param.u64 %target, [fill];\n"                                                             \
                         "ld.param.u64 %words, [fill+8];\n"                                                            \
                         "ld.param.u64 %rows, [fill+16];\n"                                                            \
                         "ld.param.u64 %planes, [fill+24];\n"                                                          \
                         "ld.param.u64 %pitch, [fill+32];\n"                                                           \
                         "ld.param.u64 %plane, [fill+40];\n"                                                           \
                         "ld.param.u64 %period, [fill+48];\n",                                                         \
                         "rem.u64 %in, %x, %period;\n"                                                                 \
                         "mul.lo.u64 %in, %in, " size ";\n"                                                            \
                         "mov.u64 %at, fill;\n"                                                                        \
                         "add.u64 %at, %at, %in;\n"                                                                    \
                         "ld.param." load ", [%at+64];\n",                                                             \
                         "mad.lo.u64 %at, %z, %plane, %target;\n"                                                      \
                         "mad.lo.u64 %at, %y, %pitch, %at;\n"                                                          \
                         "add.u64 %past, %at, %bytes;\n"                                                               \
                         "add.u64 %at, %at, %x;\n",                                                                    \
                         "st.global." store ";\n"                                                                      \
                         "add.u64 %at, %at, %step;\n"                                                                  \
                         "setp.lt.u64 %end, %at, %past;\n")

/* The kernels, by the size of their words; the largest is the fastest. */
static const struct {
    unsigned word_bytes;
    const char *program;
} kernels[TW_CUDA_FILL_KERNELS] = {
    {16, PROGRAM("16", "v4.u32 {%v0, %v1, %v2, %v3}", "v4.u32 [%at], {%v0, %v1, %v2, %v3}")},
    {4, PROGRAM("4", "u32 %v0", "u32 [%at], %v0")},
    {1, PROGRAM("1", "u8 %v0", "u8 [%at], %v0")},
};

/* ---- ways -------------------------------------------------------------------------------------------------------- */

enum way { BY_MEMSET, BY_KERNEL, BY_COPIES };

/* A fill with joined rows, and the shortest pattern. */
struct plan {
    struct tw_backend_fill fill;
    enum way way;
    unsigned kernel; /* if BY_KERNEL: its index */
    unsigned value;  /* if BY_MEMSET */
};

/* Returns true if all rows begin and end at multiples of `bytes`. */
static bool is_aligned(const struct tw_backend_fill *fill, size_t bytes)
{
    return (uintptr_t)fill->target % bytes == 0 && fill->row_bytes % bytes == 0
           && (fill->rows == 1 || fill->pitch % bytes == 0) && (fill->planes == 1 || fill->plane % bytes == 0);
}

/* Returns the words after which a pattern and a word begin together. */
static size_t period_in_words(size_t pattern_bytes, size_t word_bytes)
{
    const size_t power = pattern_bytes & -pattern_bytes; /* the largest power of two that divides it */
    return pattern_bytes / (power < word_bytes ? power : word_bytes);
}

/* Lets a kernel do the fill, if one can. */
static void use_kernel(struct plan *plan)
{
    plan->way = BY_COPIES;
    for (unsigned kernel = 0; kernel < TW_CUDA_FILL_KERNELS && plan->way != BY_KERNEL; ++kernel)
        if (is_aligned(&plan->fill, kernels[kernel].word_bytes)
            && period_in_words(plan->fill.pattern_bytes, kernels[kernel].word_bytes) * kernels[kernel].word_bytes
                   <= PATTERN_BYTES) {
            plan->way = BY_KERNEL;
            plan->kernel = kernel;
        }
}

static struct plan plan_of(const struct tw_backend_fill *fill)
{
    struct plan plan = {.fill = tw_rows_join_fill(*fill), .way = BY_COPIES};
    struct tw_backend_fill *joined = &plan.fill;
    const size_t period = joined->pattern_bytes = tw_rows_period(fill->pattern, fill->pattern_bytes);
    if ((period == 1 || period == 2 || period == 4) && joined->planes == 1 && is_aligned(joined, period)
        && (joined->rows == 1 || joined->pitch <= MOST_PITCH)) {
        plan.way = BY_MEMSET;
        memcpy(&plan.value, fill->pattern, period); /* GPUs have the host's order of bytes */
        return plan;
    }
    use_kernel(&plan);
    return plan;
}

static cu_result enqueue_memset(const struct plan *plan, cu_stream stream)
{
    const struct tw_backend_fill *fill = &plan->fill;
    const uintptr_t target = (uintptr_t)fill->target;
    const size_t width = fill->row_bytes / fill->pattern_bytes;
    if (fill->pattern_bytes == 1)
        return fill->rows == 1
                   ? tw_cuda.set_8(target, (unsigned char)plan->value, width, stream)
                   : tw_cuda.set_rows_8(target, fill->pitch, (unsigned char)plan->value, width, fill->rows, stream);
    if (fill->pattern_bytes == 2)
        return fill->rows == 1
                   ? tw_cuda.set_16(target, (unsigned short)plan->value, width, stream)
                   : tw_cuda.set_rows_16(target, fill->pitch, (unsigned short)plan->value, width, fill->rows, stream);
    return fill->rows == 1 ? tw_cuda.set_32(target, plan->value, width, stream)
                           : tw_cuda.set_rows_32(target, fill->pitch, plan->value, width, fill->rows, stream);
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

void tw_cuda_close_fill(struct tw_cuda_device *device)
{
    tw_cuda_unload_rows_kernels(device->fills, TW_CUDA_FILL_KERNELS);
}

static struct fill_parameters parameters_of(const struct plan *plan)
{
    const struct tw_backend_fill *fill = &plan->fill;
    const size_t word = kernels[plan->kernel].word_bytes, period = period_in_words(fill->pattern_bytes, word);
    struct fill_parameters parameters = {.target = (uintptr_t)fill->target,
                                         .words = fill->row_bytes / word,
                                         .rows = fill->rows,
                                         .planes = fill->planes,
                                         .pitch = fill->pitch,
                                         .plane = fill->plane,
                                         .period = period};
    const struct tw_backend_fill words = {.target = parameters.pattern,
                                          .pattern = fill->pattern,
                                          .pattern_bytes = fill->pattern_bytes,
                                          .row_bytes = period * word,
                                          .rows = 1,
                                          .planes = 1};
    tw_rows_fill(&words);
    return parameters;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Chooses the blocks and the grid: at most as many blocks as keep the device busy, in x as many as possible. */
static void choose_shape(const struct tw_cuda_device *device, const struct fill_parameters *fill,
                         struct cu_kernel_node *node)
{
    const uint64_t most = (device->compute_units ? device->compute_units : 1) * BLOCKS_PER_UNIT;
    tw_cuda_choose_rows_block(fill->words, node);
    const unsigned threads = node->block[0], rows = node->block[1];
    __builtin_assume(threads > 0 && rows > 0); /* for clang-tidy */
    uint64_t x = (fill->words + threads - 1) / threads;
    if (x > most)
        x = least(x, (most + fill->period - 1) / fill->period * fill->period);
    const uint64_t y = least((fill->rows + rows - 1) / rows, least(most / x + 1, MOST_BLOCKS_YZ));
    __builtin_assume(x > 0 && y > 0); /* for clang-tidy */
    const uint64_t z = least(fill->planes, least(most / (x * y) + 1, MOST_BLOCKS_YZ));
    node->grid[0] = (unsigned)x;
    node->grid[1] = (unsigned)y;
    node->grid[2] = (unsigned)z;
}

/* Describes the launch of the kernel. `parameter` has room for one address, and is used by the description. */
static cu_result describe_launch(struct tw_cuda_device *device, const struct plan *plan,
                                 struct fill_parameters *parameters, void **parameter, struct cu_kernel_node *node)
{
    const cu_result error =
        tw_cuda_load_rows_kernel(device, &device->fills[plan->kernel], kernels[plan->kernel].program, "tw_fill");
    *parameters = parameters_of(plan);
    *parameter = parameters;
    *node = (struct cu_kernel_node){.function = device->fills[plan->kernel].function, .parameters = parameter};
    choose_shape(device, parameters, node);
    return error;
}

static cu_result enqueue_kernel(struct tw_cuda_device *device, const struct plan *plan, cu_stream stream)
{
    struct fill_parameters parameters;
    struct cu_kernel_node node;
    void *parameter;
    const cu_result error = describe_launch(device, plan, &parameters, &parameter, &node);
    return error ? error
                 : tw_cuda.launch(node.function, node.grid[0], node.grid[1], node.grid[2], node.block[0], node.block[1],
                                  node.block[2], 0, stream, node.parameters, NULL);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* Doubles what is filled, in one dimension, until `count` pieces are. `piece` describes one of them, at its own place;
   the pieces are `step` bytes apart. A dimension of `piece` that `counted` points to counts the pieces. */
static tw_status double_up(struct tw_backend_copy *piece, size_t *counted, size_t step, size_t count, cu_stream stream)
{
    const size_t unit = *counted;
    tw_status status = TW_SUCCESS;
    for (size_t done = 1; done < count && status == TW_SUCCESS; done *= 2) {
        *counted = unit * least(done, count - done);
        piece->target = (unsigned char *)(uintptr_t)piece->source + done * step;
        status = tw_cuda_enqueue_copy(piece, stream);
    }
    *counted = unit * count;
    return status;
}

/* Enqueues a copy of the pattern. The driver reads pageable memory before it returns, but page-locked memory later. */
static tw_status enqueue_pattern(struct tw_backend_device *device, const struct tw_backend_fill *fill, cu_stream stream)
{
    void *pageable = malloc(fill->pattern_bytes);
    if (!pageable)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no host memory for the %zu bytes of a pattern", fill->pattern_bytes);
    memcpy(pageable, fill->pattern, fill->pattern_bytes);
    const struct tw_backend_copy first = tw_backend_copy_of(device, fill->target, NULL, pageable, fill->pattern_bytes);
    const tw_status status = tw_cuda_enqueue_copy(&first, stream);
    free(pageable);
    return status;
}

static tw_status enqueue_copies(struct tw_cuda_device *device, const struct tw_backend_fill *fill, cu_stream stream)
{
    struct tw_backend_device *base = &device->omp.base;
    struct tw_backend_copy piece = {.to = base,
                                    .from = base,
                                    .source = fill->target,
                                    .row_bytes = fill->pattern_bytes,
                                    .rows = 1,
                                    .planes = 1,
                                    .target_pitch = fill->pitch,
                                    .source_pitch = fill->pitch,
                                    .target_plane = fill->plane,
                                    .source_plane = fill->plane};
    tw_status status = enqueue_pattern(base, fill, stream);
    if (status == TW_SUCCESS)
        status =
            double_up(&piece, &piece.row_bytes, fill->pattern_bytes, fill->row_bytes / fill->pattern_bytes, stream);
    if (status == TW_SUCCESS)
        status = double_up(&piece, &piece.rows, fill->pitch, fill->rows, stream);
    return status == TW_SUCCESS ? double_up(&piece, &piece.planes, fill->plane, fill->planes, stream) : status;
}

/* ---- fills ------------------------------------------------------------------------------------------------------- */

static tw_status complain(const struct tw_backend_fill *fill, cu_result error)
{
    return tw_gpu_fail(TW_ERROR_TRANSFER_FAILED, tw_cuda_error(error),
                       "the CUDA driver could not fill %zu bytes on a device", tw_backend_fill_bytes(fill));
}

tw_status tw_cuda_enqueue_fill(struct tw_cuda_device *device, const struct tw_backend_fill *fill, cu_stream stream)
{
    if (!tw_backend_fill_bytes(fill))
        return TW_SUCCESS;
    struct plan plan = plan_of(fill);
    cu_result error = plan.way == BY_MEMSET ? enqueue_memset(&plan, stream) : 0;
    if (error == CU_INVALID_VALUE && plan.fill.rows > 1) /* what lies between the rows is not mapped */
        use_kernel(&plan);
    if (plan.way == BY_COPIES)
        return enqueue_copies(device, &plan.fill, stream);
    if (plan.way == BY_KERNEL)
        error = enqueue_kernel(device, &plan, stream);
    return error ? complain(fill, error) : TW_SUCCESS;
}

tw_status tw_cuda_fill(struct tw_cuda_device *device, const struct tw_backend_fill *fill)
{
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    cu_stream stream;
    cu_result error = 0;
    if (!entry)
        return tw_fail(TW_ERROR_TRANSFER_FAILED, "the CUDA driver has no context to fill %zu bytes",
                       tw_backend_fill_bytes(fill));
    tw_status status = TW_SUCCESS;
    if ((error = tw_cuda_take_stream(device, &stream)) == 0) {
        status = tw_cuda_enqueue_fill(device, fill, stream);
        error = tw_cuda.stream_synchronize(stream);
        tw_cuda_give_stream(device, stream);
    }
    if (error && tw_cuda.context_synchronize())
        tw_cuda_lose(device, "that ran before a fill", error, true);
    tw_cuda_leave(entry);
    return error && status == TW_SUCCESS ? complain(fill, error) : status;
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

bool tw_cuda_fill_fits_node(const struct tw_backend_fill *fill)
{
    return !tw_backend_fill_bytes(fill) || plan_of(fill).way != BY_COPIES;
}

cu_result tw_cuda_add_fill(struct tw_cuda_device *device, const struct tw_backend_fill *fill, cu_graph graph,
                           const cu_node *before, size_t count, cu_node *node)
{
    if (!tw_backend_fill_bytes(fill))
        return tw_cuda.graph_add_empty(node, graph, before, count);
    struct plan plan = plan_of(fill);
    if (plan.way == BY_MEMSET) {
        const struct cu_memset_node memset_node = {.target = (uintptr_t)plan.fill.target,
                                                   .pitch = plan.fill.rows > 1 ? plan.fill.pitch : 0,
                                                   .value = plan.value,
                                                   .element_bytes = (unsigned)plan.fill.pattern_bytes,
                                                   .width = plan.fill.row_bytes / plan.fill.pattern_bytes,
                                                   .rows = plan.fill.rows};
        const cu_result error = tw_cuda.graph_add_memset(node, graph, before, count, &memset_node, device->context);
        if (error != CU_INVALID_VALUE || plan.fill.rows == 1)
            return error;
        use_kernel(&plan); /* as above */
    }
    struct fill_parameters parameters;
    struct cu_kernel_node kernel;
    void *parameter;
    const cu_result error = describe_launch(device, &plan, &parameters, &parameter, &kernel);
    return error ? error : tw_cuda.graph_add_kernel(node, graph, before, count, &kernel);
}
