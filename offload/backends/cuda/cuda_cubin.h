/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The kernels of a cubin, the ELF file that NVIDIA's instantiation makes: what has to be known of one before the CUDA
 * driver may be asked to launch it past OpenMP.
 *
 * Cubins are not a documented format; what is read here is checked, and a kernel about which anything is unclear is not
 * found.
 */
#ifndef TEAMWORK_OFFLOAD_CUDA_CUBIN_H
#define TEAMWORK_OFFLOAD_CUDA_CUBIN_H

#include "common/image.h"

/* More parameters than any region of a Teamwork kernel has. */
#define TW_CUBIN_MAX_PARAMETERS 64u

struct tw_cubin_kernel {
    const char *name;    /* in the cubin */
    unsigned parameters; /* all of 8 bytes, one after the other */
    bool uses_globals;   /* variables that would exist twice if the cubin was loaded once more */
};

/*
 * Finds the bare kernel for a target region of function `launcher` that captures `words` words of 64 bits.
 *
 * The parameters of a bare one are a pointer that it does not use, the captured words in the order in which the region
 * mentions them, and at most three values of its clauses, which it does not use either.
 *
 * Returns NULL, or in a few words why there is none; `kernel` is undefined then.
 */
const char *tw_cubin_find(struct tw_bytes cubin, const char *launcher, unsigned words, struct tw_cubin_kernel *kernel);

#endif
