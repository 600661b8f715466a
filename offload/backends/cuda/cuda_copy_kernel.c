/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small copies by a kernel (cuda_copy_kernel.h). A copy node of a graph is the driver's copy engine, which begins later
 * than a kernel; between two devices, what it waits for and what waits for it are kernels too. The device that has the
 * source runs the kernel: stores to the other device's memory are not waited for one by one, as loads would be.
 */
#include "cuda_copy_kernel.h"

#include "base/tuning.h"
#include "cuda_rows_kernel.h"

#define MOST_BLOCKS 128u /* each goes on until all is copied */

/* The parameter of the kernels; the PTX knows the offsets. A word is 16 or 4 bytes. */
struct copy_parameters {
    uintptr_t target, source;
    uint64_t words; /* of a row */
    uint64_t rows, planes, target_pitch, source_pitch, target_plane, source_plane;
};
_Static_assert(sizeof(struct copy_parameters) == 72, "the PTX knows the offsets");

#define PROGRAM(size, load, store)                                                                                     \
    TW_CUDA_ROWS_PROGRAM("tw_copy(.param .align 8 .b8 copy[72])",                                                      \
                         ".reg .b64 %target, %source, %tpitch, %spitch, %tplane, %splane, %to, %from;\n", size,        \
                         "ld.param.u64 %target, [copy];\n"                                                             \
                         "ld.param.u64 %source, [copy+8];\n"                                                           \
                         "ld.param.u64 %words, [copy+16];\n"                                                           \
                         "ld.param.u64 %rows, [copy+24];\n"                                                            \
                         "ld.param.u64 %planes, [copy+32];\n"                                                          \
                         "ld.param.u64 %tpitch, [copy+40];\n"                                                          \
                         "ld.param.u64 %spitch, [copy+48];\n"                                                          \
                         "ld.param.u64 %tplane, [copy+56];\n"                                                          \
                         "ld.param.u64 %splane, [copy+64];\n",                                                         \
                         "",                                                                                           \
                         "mad.lo.u64 %to, %z, %tplane, %target;\n"                                                     \
                         "mad.lo.u64 %to, %y, %tpitch, %to;\n"                                                         \
                         "mad.lo.u64 %from, %z, %splane, %source;\n"                                                   \
                         "mad.lo.u64 %from, %y, %spitch, %from;\n"                                                     \
                         "add.u64 %past, %to, %bytes;\n"                                                               \
                         "add.u64 %to, %to, %x;\n"                                                                     \
                         "add.u64 %from, %from, %x;\n",                                                                \
                         "ld.global." load ";\n"                                                                       \
                         "st.global." store ";\n"                                                                      \
                         "add.u64 %to, %to, %step;\n"                                                                  \
                         "add.u64 %from, %from, %step;\n"                                                              \
                         "setp.lt.u64 %end, %to, %past;\n")

/* The kernels, by the size of their words; the largest is the fastest. */
static const struct {
    unsigned word_bytes;
    const char *program;
} kernels[TW_CUDA_COPY_KERNELS] = {
    {16, PROGRAM("16", "v4.u32 {%v0, %v1, %v2, %v3}, [%from]", "v4.u32 [%to], {%v0, %v1, %v2, %v3}")},
    {4, PROGRAM("4", "u32 %v0, [%from]", "u32 [%to], %v0")},
};

/* Returns true if all rows begin and end at multiples of `bytes`. */
static bool is_aligned(const struct tw_backend_copy *copy, size_t bytes)
{
    size_t all = (uintptr_t)copy->target | (uintptr_t)copy->source | copy->row_bytes;
    if (copy->rows > 1)
        all |= copy->target_pitch | copy->source_pitch;
    if (copy->planes > 1)
        all |= copy->target_plane | copy->source_plane;
    return all % bytes == 0;
}

bool tw_cuda_kernel_copies(const struct tw_backend_copy *copy)
{
    return copy->to && copy->from && tw_backend_copy_bytes(copy) <= TW_TUNE_KERNEL_COPY_BYTES && is_aligned(copy, 4);
}

static cu_result load(struct tw_cuda_device *device, unsigned kernel)
{
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (!entry)
        return CU_INVALID_VALUE;
    const cu_result error =
        tw_cuda_load_rows_kernel(device, &device->copies[kernel], kernels[kernel].program, "tw_copy");
    tw_cuda_leave(entry);
    return error;
}

void tw_cuda_close_copy_kernels(struct tw_cuda_device *device)
{
    tw_cuda_unload_rows_kernels(device->copies, TW_CUDA_COPY_KERNELS);
}

static unsigned least(uint64_t a, uint64_t b)
{
    return (unsigned)(a < b ? a : b);
}

/* Chooses the blocks and the grid. */
static void choose_shape(const struct copy_parameters *copy, struct cu_kernel_node *node)
{
    tw_cuda_choose_rows_block(copy->words, node);
    const unsigned threads = node->block[0], rows = node->block[1];
    __builtin_assume(threads > 0 && rows > 0); /* for clang-tidy */
    const unsigned x = least((copy->words + threads - 1) / threads, MOST_BLOCKS);
    __builtin_assume(x > 0); /* for clang-tidy */
    const unsigned y = least((copy->rows + rows - 1) / rows, MOST_BLOCKS / x);
    __builtin_assume(y > 0);
    node->grid[0] = x;
    node->grid[1] = y;
    node->grid[2] = least(copy->planes, MOST_BLOCKS / (x * y));
}

cu_result tw_cuda_add_copy_kernel(const struct tw_backend_copy *copy, cu_graph graph, const cu_node *before,
                                  size_t count, cu_node *node)
{
    struct tw_cuda_device *device = tw_cuda_of(copy->from);
    unsigned kernel = 0;
    while (!is_aligned(copy, kernels[kernel].word_bytes))
        ++kernel;
    const cu_result error = load(device, kernel);
    if (error)
        return error;
    struct copy_parameters parameters = {.target = (uintptr_t)copy->target,
                                         .source = (uintptr_t)copy->source,
                                         .words = copy->row_bytes / kernels[kernel].word_bytes,
                                         .rows = copy->rows,
                                         .planes = copy->planes,
                                         .target_pitch = copy->target_pitch,
                                         .source_pitch = copy->source_pitch,
                                         .target_plane = copy->target_plane,
                                         .source_plane = copy->source_plane};
    void *parameter = &parameters;
    struct cu_kernel_node described = {.function = device->copies[kernel].function, .parameters = &parameter};
    choose_shape(&parameters, &described);
    return tw_cuda.graph_add_kernel(node, graph, before, count, &described);
}
