/* SPDX-License-Identifier: Apache-2.0 */
/**
 * OpenMP's offload devices, through target regions and omp_target_* calls.
 *
 * A backend that reaches some of these devices through their driver is built upon this one: its own device struct
 * begins with a tw_omp_device, and its tables use the functions below where the driver is no better.
 */
#ifndef TEAMWORK_OFFLOAD_OMP_H
#define TEAMWORK_OFFLOAD_OMP_H

#include "backend.h"
#include "common/scratch.h"

struct tw_omp_device {
    struct tw_backend_device base;
    int number; /* OpenMP's */
    bool gpu;
    unsigned max_teams, max_threads, max_parts;
    unsigned warp; /* lanes of a GPU's warp; 0: not known */
    struct tw_scratch scratch;
};

#define TW_OMP_TYPES (TW_DEVICE_GPU | TW_DEVICE_CPU | TW_DEVICE_ACCELERATOR)

/* Serves the devices without another owner (common/openmp.h). */
extern const struct tw_backend tw_backend_omp;

/* Stores whether OpenMP device `number` is a GPU. OpenMP does not say, but the memory of the x86-64 plugin is the
   process's own, and every other device counts as a GPU. Returns false if the device has no memory at all. */
bool tw_omp_classify(int number, bool *gpu);

/* Initialize and finalize a device of a backend. The backend may change the members that it knows better. */
void tw_omp_begin(struct tw_omp_device *device, const struct tw_backend *backend, unsigned index, int number, bool gpu);
void tw_omp_end(struct tw_omp_device *device);

/* Slots (backend.h). They allocate memory for launches through the table of the device's own backend. */
extern const struct tw_backend_memory tw_omp_memory;
void tw_omp_describe(struct tw_backend_device *device, struct tw_device_facts *facts);
tw_status tw_omp_check(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                       struct tw_internal_launch *launch);
void tw_omp_observe(struct tw_backend_device *device, struct tw_device_state *state);
tw_status tw_omp_load(struct tw_backend_device *device, const struct tw_internal_kernel *kernel);
void tw_omp_limits(struct tw_backend_device *device, const struct tw_internal_kernel *kernel, size_t items,
                   size_t local_bytes, struct tw_kernel_facts *facts);
tw_status tw_omp_launch(struct tw_backend_device *base, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description);

/* Prepares a launch, lends it the scratch memory that it needs, and lets a function run it. For the slot `launch` of the
   other backends. */
typedef tw_status tw_omp_run(struct tw_backend_device *base, const struct tw_internal_kernel *kernel,
                             struct tw_internal_launch *description);
tw_status tw_omp_launch_by(struct tw_backend_device *base, const struct tw_internal_kernel *kernel,
                           struct tw_internal_launch *description, tw_omp_run *run);

int tw_omp_number(const struct tw_backend_device *device);

/* Returns the lowering for a kernel on a device: simt if the kernel has it and the device is a GPU. */
enum tw_internal_lowering tw_omp_lowering(const struct tw_omp_device *device, const struct tw_internal_kernel *kernel);

/* Fails for a kernel that has no code for the device: libomptarget would end the program at its launch. */
tw_status tw_omp_lacks_image(const struct tw_internal_kernel *kernel, const char *arch);

/* Returns the size to allocate on a GPU, rounded up to words: atomic operations on the last bytes access 32 bits. */
static inline size_t tw_omp_gpu_bytes(size_t bytes)
{
    return bytes <= SIZE_MAX - 3 ? (bytes + 3) / 4 * 4 : bytes;
}

/* Fills in the members of a launch that depend on the device. */
void tw_omp_prepare(const struct tw_omp_device *device, const struct tw_internal_kernel *kernel,
                    struct tw_internal_launch *description);

#endif
