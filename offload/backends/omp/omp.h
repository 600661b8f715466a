/* SPDX-License-Identifier: Apache-2.0 */
/**
 * OpenMP's offload devices, through target regions and omp_target_* calls.
 *
 * A backend that knows more of some of them, through their driver, is built upon this one: its own device begins with a
 * tw_omp_device, and its tables have the functions below for what it does not do better.
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
    struct tw_scratch scratch;
};

#define TW_OMP_TYPES (TW_DEVICE_GPU | TW_DEVICE_CPU | TW_DEVICE_ACCELERATOR)

/* Serves the devices that nobody has claimed (common/openmp.h). */
extern const struct tw_backend tw_backend_omp;

/* Fills in a device of a backend, and ends what that began. The backend may change what it knows better. */
void tw_omp_begin(struct tw_omp_device *device, const struct tw_backend *backend, unsigned index, int number, bool gpu);
void tw_omp_end(struct tw_omp_device *device);

/* Slots (backend.h). They take device memory for launches from the device's own table. */
extern const struct tw_backend_memory tw_omp_memory;
void tw_omp_describe(struct tw_backend_device *device, struct tw_device_facts *facts);
tw_status tw_omp_check(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                       struct tw_internal_launch *launch);
void tw_omp_limits(struct tw_backend_device *device, const struct tw_internal_kernel *kernel, size_t items,
                   size_t local_bytes, struct tw_kernel_facts *facts);
tw_status tw_omp_launch(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *launch);

/* The lowering for a kernel on a device: simt where the kernel has it and the device is a GPU. */
enum tw_internal_lowering tw_omp_lowering(const struct tw_omp_device *device, const struct tw_internal_kernel *kernel);

/* The failure of a kernel that has no code for the device: libomptarget ends the program when it is to launch one. */
tw_status tw_omp_lacks_image(const struct tw_internal_kernel *kernel, const char *arch);

/* So many bytes a GPU's memory is allocated for: atomic operations on the last ones are done on words of 32 bits. */
static inline size_t tw_omp_gpu_bytes(size_t bytes)
{
    return bytes <= SIZE_MAX - 3 ? (bytes + 3) / 4 * 4 : bytes;
}

/* Fills in what a launch has to know of a device. */
void tw_omp_prepare(const struct tw_omp_device *device, const struct tw_internal_kernel *kernel,
                    struct tw_internal_launch *launch);

#endif
