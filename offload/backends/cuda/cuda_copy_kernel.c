/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small copies by a kernel (cuda_copy_kernel.h). A copy node of a graph is the driver's copy engine, which begins later
 * than a kernel; between two devices, what it waits for and what waits for it are kernels too. The device that has the
 * source runs the kernel: stores to the other device's memory are not waited for one by one, as loads would be.
 *
 * The kernels are PTX, which the driver compiles on the first use.
 */
#include "cuda_copy_kernel.h"

#include "base/tuning.h"

#define BLOCK_THREADS 256u
#define MOST_BLOCKS 128u /* each goes on until all is copied */

/* The parameter of the kernels; the PTX knows the offsets. A word is 16 or 4 bytes. */
struct copy_parameters {
    uintptr_t target, source;
    uint64_t words; /* of a row */
    uint64_t rows, planes, target_pitch, source_pitch, target_plane, source_plane;
};
_Static_assert(sizeof(struct copy_parameters) == 72, "the PTX knows the offsets");

/* A thread copies one word of a row, and each one that lies some steps behind it. A step is the number of threads in x.
   In y and z there are rows and planes, also in steps. */
#define PROGRAM(size, load, store)                                                                                     \
    ".version 6.0\n"                                                                                                   \
    ".target sm_70\n"                                                                                                  \
    ".address_size 64\n"                                                                                               \
    ".visible .entry tw_copy(.param .align 8 .b8 copy[72])\n"                                                          \
    "{\n"                                                                                                              \
    ".reg .pred %end;\n"                                                                                               \
    ".reg .b32 %r<4>;\n"                                                                                               \
    ".reg .b32 %v<4>;\n"                                                                                               \
    ".reg .b64 %target, %source, %words, %rows, %planes, %tpitch, %spitch, %tplane, %splane;\n"                        \
    ".reg .b64 %x, %step, %bytes, %first, %y, %ysteps, %z, %zsteps, %to, %from, %past;\n"                              \
    "ld.param.u64 %target, [copy];\n"                                                                                  \
    "ld.param.u64 %source, [copy+8];\n"                                                                                \
    "ld.param.u64 %words, [copy+16];\n"                                                                                \
    "ld.param.u64 %rows, [copy+24];\n"                                                                                 \
    "ld.param.u64 %planes, [copy+32];\n"                                                                               \
    "ld.param.u64 %tpitch, [copy+40];\n"                                                                               \
    "ld.param.u64 %spitch, [copy+48];\n"                                                                               \
    "ld.param.u64 %tplane, [copy+56];\n"                                                                               \
    "ld.param.u64 %splane, [copy+64];\n"                                                                               \
    "mov.u32 %r0, %ctaid.x;\n"                                                                                         \
    "mov.u32 %r1, %ntid.x;\n"                                                                                          \
    "mov.u32 %r2, %tid.x;\n"                                                                                           \
    "mov.u32 %r3, %nctaid.x;\n"                                                                                        \
    "cvt.u64.u32 %x, %r2;\n"                                                                                           \
    "mad.wide.u32 %x, %r0, %r1, %x;\n"                                                                                 \
    "setp.ge.u64 %end, %x, %words;\n"                                                                                  \
    "@%end ret;\n"                                                                                                     \
    "mul.wide.u32 %step, %r3, %r1;\n"                                                                                  \
    "mul.lo.u64 %step, %step, " size ";\n"                                                                             \
    "mul.lo.u64 %x, %x, " size ";\n"                                                                                   \
    "mul.lo.u64 %bytes, %words, " size ";\n"                                                                           \
    "mov.u32 %r0, %ctaid.y;\n"                                                                                         \
    "mov.u32 %r1, %ntid.y;\n"                                                                                          \
    "mov.u32 %r2, %tid.y;\n"                                                                                           \
    "mov.u32 %r3, %nctaid.y;\n"                                                                                        \
    "cvt.u64.u32 %first, %r2;\n"                                                                                       \
    "mad.wide.u32 %first, %r0, %r1, %first;\n"                                                                         \
    "mul.wide.u32 %ysteps, %r3, %r1;\n"                                                                                \
    "mov.u32 %r0, %ctaid.z;\n"                                                                                         \
    "mov.u32 %r1, %nctaid.z;\n"                                                                                        \
    "cvt.u64.u32 %z, %r0;\n"                                                                                           \
    "cvt.u64.u32 %zsteps, %r1;\n"                                                                                      \
    "PLANE:\n"                                                                                                         \
    "setp.ge.u64 %end, %z, %planes;\n"                                                                                 \
    "@%end ret;\n"                                                                                                     \
    "mov.u64 %y, %first;\n"                                                                                            \
    "ROW:\n"                                                                                                           \
    "setp.ge.u64 %end, %y, %rows;\n"                                                                                   \
    "@%end bra NEXT;\n"                                                                                                \
    "mad.lo.u64 %to, %z, %tplane, %target;\n"                                                                          \
    "mad.lo.u64 %to, %y, %tpitch, %to;\n"                                                                              \
    "mad.lo.u64 %from, %z, %splane, %source;\n"                                                                        \
    "mad.lo.u64 %from, %y, %spitch, %from;\n"                                                                          \
    "add.u64 %past, %to, %bytes;\n"                                                                                    \
    "add.u64 %to, %to, %x;\n"                                                                                          \
    "add.u64 %from, %from, %x;\n"                                                                                      \
    "WORD:\n"                                                                                                          \
    "ld.global." load ";\n"                                                                                            \
    "st.global." store ";\n"                                                                                           \
    "add.u64 %to, %to, %step;\n"                                                                                       \
    "add.u64 %from, %from, %step;\n"                                                                                   \
    "setp.lt.u64 %end, %to, %past;\n"                                                                                  \
    "@%end bra WORD;\n"                                                                                                \
    "add.u64 %y, %y, %ysteps;\n"                                                                                       \
    "bra ROW;\n"                                                                                                       \
    "NEXT:\n"                                                                                                          \
    "add.u64 %z, %z, %zsteps;\n"                                                                                       \
    "bra PLANE;\n"                                                                                                     \
    "}\n"

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

/* Loads a kernel on its first use. */
static cu_result load(struct tw_cuda_device *device, unsigned kernel)
{
    struct tw_cuda_loaded_kernel *loaded = &device->copies[kernel];
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    cu_module module = NULL;
    cu_result error = entry ? 0 : CU_INVALID_VALUE;
    pthread_mutex_lock(&device->streams);
    if (!error && !loaded->module) {
        error = tw_cuda.module_load(&module, kernels[kernel].program);
        if (!error)
            error = tw_cuda.module_function(&loaded->function, module, "tw_copy");
        if (!error)
            loaded->module = module;
        else if (module)
            (void)tw_cuda.module_unload(module);
    }
    pthread_mutex_unlock(&device->streams);
    tw_cuda_leave(entry);
    return error;
}

void tw_cuda_close_copy_kernels(struct tw_cuda_device *device)
{
    for (unsigned kernel = 0; kernel < TW_CUDA_COPY_KERNELS; ++kernel) {
        if (device->copies[kernel].module)
            (void)tw_cuda.module_unload(device->copies[kernel].module);
        device->copies[kernel].module = NULL;
    }
}

static unsigned least(uint64_t a, uint64_t b)
{
    return (unsigned)(a < b ? a : b);
}

/* Chooses the blocks and the grid. */
static void choose_shape(const struct copy_parameters *copy, struct cu_kernel_node *node)
{
    unsigned threads = 1;
    while (threads < BLOCK_THREADS && threads < copy->words)
        threads *= 2;
    const unsigned rows = BLOCK_THREADS / threads;
    const unsigned x = least((copy->words + threads - 1) / threads, MOST_BLOCKS);
    __builtin_assume(x > 0); /* for clang-tidy */
    const unsigned y = least((copy->rows + rows - 1) / rows, MOST_BLOCKS / x);
    __builtin_assume(y > 0);
    node->block[0] = threads;
    node->block[1] = rows;
    node->block[2] = 1;
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
