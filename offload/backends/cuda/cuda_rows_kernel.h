/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels of the library's own that go over rows of memory: PTX, which the driver compiles on the first use. A thread has
 * one word of a row, and each one that lies some steps behind it; a step is the number of threads in x. In y and z there
 * are rows and planes, also in steps.
 */
#ifndef TEAMWORK_OFFLOAD_CUDA_ROWS_KERNEL_H
#define TEAMWORK_OFFLOAD_CUDA_ROWS_KERNEL_H

#include "cuda_driver.h"

#define TW_CUDA_ROWS_THREADS 256u /* of a block */

/* The text of a kernel. `entry` has its name and its parameter, `registers` declares those that are not named below, and
   `size` is that of a word in bytes. Then there are instructions: `load` has those that store the parameter's %words (of
   a row), %rows and %planes, among others. `once` follows as soon as a thread knows that the row has its word %x. `row`
   has the instructions for row %y of plane %z: their result is %past, the address behind the row, of %bytes. %x is in
   bytes then. `word` has those for one word, which also set %end if the thread has another word in the row. */
#define TW_CUDA_ROWS_PROGRAM(entry, registers, size, load, once, row, word)                                            \
    ".version 6.0\n"                                                                                                   \
    ".target sm_70\n"                                                                                                  \
    ".address_size 64\n"                                                                                               \
    ".visible .entry " entry "\n"                                                                                      \
    "{\n"                                                                                                              \
    ".reg .pred %end;\n"                                                                                               \
    ".reg .b32 %r<4>;\n"                                                                                               \
    ".reg .b32 %v<4>;\n"                                                                                               \
    ".reg .b64 %words, %rows, %planes, %x, %step, %bytes, %first, %y, %ysteps, %z, %zsteps, %past;\n" registers load   \
    "mov.u32 %r0, %ctaid.x;\n"                                                                                         \
    "mov.u32 %r1, %ntid.x;\n"                                                                                          \
    "mov.u32 %r2, %tid.x;\n"                                                                                           \
    "mov.u32 %r3, %nctaid.x;\n"                                                                                        \
    "cvt.u64.u32 %x, %r2;\n"                                                                                           \
    "mad.wide.u32 %x, %r0, %r1, %x;\n"                                                                                 \
    "setp.ge.u64 %end, %x, %words;\n"                                                                                  \
    "@%end ret;\n" once "mul.wide.u32 %step, %r3, %r1;\n"                                                              \
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
    "@%end bra NEXT;\n" row "WORD:\n" word "@%end bra WORD;\n"                                                         \
    "add.u64 %y, %y, %ysteps;\n"                                                                                       \
    "bra ROW;\n"                                                                                                       \
    "NEXT:\n"                                                                                                          \
    "add.u64 %z, %z, %zsteps;\n"                                                                                       \
    "bra PLANE;\n"                                                                                                     \
    "}\n"

/* Loads a kernel on its first use. Called in the device's context. */
cu_result tw_cuda_load_rows_kernel(struct tw_cuda_device *device, struct tw_cuda_loaded_kernel *kernel,
                                   const char *program, const char *name);

/* Unloads those kernels that are loaded. Called in the device's context. */
void tw_cuda_unload_rows_kernels(struct tw_cuda_loaded_kernel *kernels, unsigned count);

/* Chooses the shape of the blocks for rows of so many words. */
void tw_cuda_choose_rows_block(uint64_t words, struct cu_kernel_node *node);

#endif
