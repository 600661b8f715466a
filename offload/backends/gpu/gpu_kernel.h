/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels of the simt lowering that a backend launches past libomptarget: their code in the program's device images, which
 * is loaded once more, and their launches as grids with packed parameters.
 *
 * One table has the kernels of all such backends. What differs is in a struct tw_gpu_code. Their slots limits, load and
 * check (backend.h) find a kernel there; its first use loads its image into the device. The limits of a kernel that has no
 * simt lowering, or is not found in its program's device images, are not known. check() stores what it has found in
 * launch->found, so that later calls need not look it up; a kernel that is not found is checked against the device's
 * limits.
 */
#ifndef TEAMWORK_OFFLOAD_GPU_KERNEL_H
#define TEAMWORK_OFFLOAD_GPU_KERNEL_H

#include <stdatomic.h>

#include "backends/omp/omp.h"
#include "gpu_image.h"

#define TW_GPU_CLAUSE_WORDS 3u /* the most parameters that the clauses of a region add */
#define TW_GPU_MAX_PARAMETERS (1 + TW_INTERNAL_SIMT_WORDS + TW_INTERNAL_SIMT_ARGS_BYTES / 8 + TW_GPU_CLAUSE_WORDS)

/* A kernel on a device, or the reason why it is not found. Only the last two members change once others can see it. */
struct tw_gpu_kernel {
    struct tw_gpu_kernel *next, *next_of_all;
    const struct tw_internal_kernel *key;
    const struct tw_omp_device *device;
    const struct tw_gpu_code *code;
    void *handle;       /* the driver's; NULL: not found */
    int rank;           /* what the code's rank() says of its image */
    unsigned words;     /* of the block, in its region */
    size_t parameters;  /* the words of all parameters */
    bool is_launched;   /* by the driver; else by libomptarget */
    bool is_missing;    /* the images do not have it: libomptarget cannot launch it either */
    const char *reason; /* why the driver cannot launch it; NULL: it can */
    size_t max_items, registers, private_bytes, static_bytes;
    _Atomic(uint64_t) residency; /* a backend's own: what it was asked for last, and the answer; 0: nothing */
    atomic_size_t dynamic_bytes; /* the dynamic local memory that the driver allows, for a backend that has to ask */
};

/* What rank() says of images that are not for the device, and of those of which that is not known. */
enum { TW_GPU_IMAGE_OTHER = -1, TW_GPU_IMAGE_UNCLEAR = -2 };

/* How a backend finds and loads code. Called with the table's mutex held. */
struct tw_gpu_code {
    const char *launcher; /* "the driver": who launches kernels */
    const char *wish;     /* why libomptarget launches them if `leaves_all` says so */

    /* Returns how well a device runs an image: the one with the greatest number is used. Or one of the numbers above. */
    int (*rank)(const struct tw_omp_device *device, const struct tw_image *image);

    /* Finds the kernel of a function in an image; as tw_cubin_find(). */
    const char *(*find)(struct tw_bytes image, const char *function, struct tw_gpu_image_kernel *kernel);

    /* Loads an image and returns its handle; NULL: it was refused, for the reason that is written. And the opposite. */
    void *(*load)(const struct tw_omp_device *device, struct tw_bytes image, char *refusal, size_t bytes);
    void (*unload)(const struct tw_omp_device *device, void *module);

    /* Stores the handle of a kernel, its parameters and what is known of it. Returns NULL, or why the driver cannot launch
       it. */
    const char *(*examine)(const struct tw_omp_device *device, void *module, const struct tw_gpu_image_kernel *found,
                           struct tw_gpu_kernel *kernel);

    /* Completes a kernel that was found. NULL: there is nothing to do. */
    void (*complete)(const struct tw_omp_device *device, struct tw_gpu_kernel *kernel);

    /* Returns true if libomptarget is to launch all kernels. NULL: it is not. */
    bool (*leaves_all)(void);
};

/* Returns the entry of a kernel on a device; NULL if it has none yet. Takes no mutex. */
struct tw_gpu_kernel *tw_gpu_kernel_search(const struct tw_omp_device *device, const struct tw_internal_kernel *key);

/* Returns the entry of a kernel with a version for offload devices, and makes it if it has none, whether its code is found
   or not. The first use of an image loads it. NULL: out of memory. */
struct tw_gpu_kernel *tw_gpu_kernel_add(const struct tw_gpu_code *code, const struct tw_omp_device *device,
                                        const struct tw_internal_kernel *key);

/* Drops the kernels of a backend, and unloads its images. Nothing uses them any more. */
void tw_gpu_kernels_forget(const struct tw_gpu_code *code);

/* Checks the number of words of a kernel's parameters: an unused pointer, the words that its region captures, in the order
   in which the region mentions them, and unused values of its clauses. Returns NULL, or why it cannot be launched. */
const char *tw_gpu_kernel_check_parameters(const struct tw_gpu_kernel *kernel);

/* Checks that a launch, which tw_omp_check() has accepted, fits the device. `kernel` is NULL if it has no entry; `most` is
   the local memory that a group may have. Stores in the launch what depends on the kernel. */
tw_status tw_gpu_kernel_check(const struct tw_gpu_kernel *kernel, const struct tw_internal_kernel *key,
                              struct tw_internal_launch *launch, size_t most);

/* Stores what is known of a kernel, but for resident_groups. */
void tw_gpu_kernel_describe(const struct tw_gpu_kernel *kernel, struct tw_kernel_facts *facts);

/* A launch as the driver takes it. */
struct tw_gpu_call {
    unsigned grid[3], block[3]; /* x, y, z: the last dimension of a range comes first */
    unsigned dynamic_bytes;
    uint64_t parameters[TW_GPU_MAX_PARAMETERS]; /* the first is the pointer that the kernel does not use */
    size_t bytes;                               /* of the parameters */
};

/* Fills a call for a launch of a kernel that the driver launches. */
void tw_gpu_call(const struct tw_gpu_kernel *kernel, const struct tw_internal_launch *launch, struct tw_gpu_call *call);

#endif
