/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The kernels of a GPU's device image, an ELF file: what is needed before a kernel is launched without OpenMP.
 *
 * The format of NVIDIA's cubins is not documented. So everything that is read is checked, also of AMD's code objects, and
 * a kernel is not found if anything about it is unclear. Knows no device and no driver.
 */
#ifndef TEAMWORK_OFFLOAD_GPU_IMAGE_H
#define TEAMWORK_OFFLOAD_GPU_IMAGE_H

#include "common/image.h"

/* A kernel of an image. Numbers are 0 where the image does not tell them. */
struct tw_gpu_image_kernel {
    const char *name;                /* in the image; it lives as long as the image */
    bool uses_globals;               /* it uses variables that would exist twice if the image was loaded once more */
    size_t parameter_bytes;          /* of all parameters */
    size_t max_items;                /* of a group */
    size_t registers, private_bytes; /* of a work-item */
    size_t static_bytes;             /* of a group's local memory */
};

/* Finds the kernel of the only target region of function `launcher` in a cubin. Returns NULL, or in a few words the reason
   why there is none; then `kernel` is undefined. */
const char *tw_cubin_find(struct tw_bytes bytes, const char *launcher, struct tw_gpu_image_kernel *kernel);

/* Likewise in a code object, which AMD GPUs run. Its parameters are words without gaps. */
const char *tw_code_object_find(struct tw_bytes bytes, const char *launcher, struct tw_gpu_image_kernel *kernel);
bool tw_is_code_object(struct tw_bytes bytes);

/* Likewise in an image of either kind. */
static inline const char *tw_gpu_image_find(struct tw_bytes bytes, const char *launcher,
                                            struct tw_gpu_image_kernel *kernel)
{
    return tw_is_code_object(bytes) ? tw_code_object_find(bytes, launcher, kernel)
                                    : tw_cubin_find(bytes, launcher, kernel);
}

#endif
