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

/* The most parameters of a kernel: more than any target region of Teamwork has. */
#define TW_CUBIN_MAX_PARAMETERS 64u

struct tw_cubin_kernel {
    const char *name;    /* in the cubin */
    unsigned parameters; /* their number; each has 8 bytes, without gaps */
    bool uses_globals;   /* it uses variables that would exist twice if the cubin was loaded once more */
};

/*
 * Finds the bare kernel (ompx_bare) for a target region of function `launcher` that captures `words` words of 64 bits.
 *
 * The parameters of a bare kernel are an unused pointer, the captured words in the order in which the region mentions
 * them, and at most three unused values of its clauses.
 *
 * Returns NULL, or in a few words the reason why there is none; then `kernel` is undefined.
 */
const char *tw_cubin_find(struct tw_bytes cubin, const char *launcher, unsigned words, struct tw_cubin_kernel *kernel);

#endif
