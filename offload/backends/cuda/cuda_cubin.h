/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The kernels of a cubin, the ELF file that NVIDIA's assembler makes: the facts that are needed before the CUDA driver
 * may launch a kernel without OpenMP.
 *
 * The format of cubins is not documented. So everything that is read is checked, and a kernel is not found if anything
 * about it is unclear. Knows no device and no driver.
 */
#ifndef TEAMWORK_OFFLOAD_CUDA_CUBIN_H
#define TEAMWORK_OFFLOAD_CUDA_CUBIN_H

#include "common/image.h"

struct tw_cubin_kernel {
    const char *name;  /* in the cubin */
    bool uses_globals; /* it uses variables that would exist twice if the cubin was loaded once more */
};

/* Finds the kernel of the only target region of function `launcher`. Returns NULL, or in a few words the reason why
   there is none; then `kernel` is undefined. */
const char *tw_cubin_find(struct tw_bytes bytes, const char *launcher, struct tw_cubin_kernel *kernel);

#endif
