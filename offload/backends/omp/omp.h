/* SPDX-License-Identifier: Apache-2.0 */
/**
 * OpenMP's offload devices, through target regions and omp_target_* calls.
 *
 * A backend that reaches some of these devices through their driver is built upon this one: its own device struct
 * begins with a tw_omp_device, and its tables use the functions below where the driver is no better.
 */
#ifndef TEAMWORK_OFFLOAD_OMP_H
#define TEAMWORK_OFFLOAD_OMP_H

#include <stdatomic.h>

#include "backend.h"
#include "common/scratch.h"

struct tw_omp_device {
    struct tw_backend_device base;
    int number; /* OpenMP's */
    bool gpu;
    unsigned max_teams, max_threads;
    unsigned resident_teams; /* of TW_INTERNAL_SIMT_RANGE_THREADS threads, that a GPU runs at a time */
    unsigned warp;           /* lanes of a GPU's warp; 0: not known */
    struct tw_scratch scratch;
    struct {
        atomic_bool is_set; /* the device is lost, and the other members are written */
        tw_native_api api;
        int code;
        char message[512];
    } loss;
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

/* Returns true if a device is lost: after a kernel's fault it is so for this process, and libomptarget ends the program
   if it uses the device. A backend that finds a fault says so by tw_omp_lose(). */
static inline bool tw_omp_is_lost(const struct tw_omp_device *device)
{
    return atomic_load_explicit(&device->loss.is_set, memory_order_acquire);
}

/* Fails for a lost device, with the message and the code of its fault. */
tw_status tw_omp_fail_lost(tw_status status, const struct tw_omp_device *device);

/* Marks a device as lost: `kernel` failed or, unless it ran `alone`, one that ran beside it. `text` and `code` are the
   driver's. The first call counts. */
void tw_omp_lose(struct tw_omp_device *device, const char *kernel, bool alone, const char *text, tw_native_api api,
                 int code);

/* Fails if a side of a copy is lost. */
tw_status tw_omp_check_sides(const struct tw_backend_copy *copy);

/* Slots (backend.h). They allocate memory for launches through the table of the device's own backend. On a lost device
   they do nothing, or fail. Those of memory are those of tw_omp_memory, too. */
extern const struct tw_backend_memory tw_omp_memory;
void *tw_omp_allocate(struct tw_backend_device *device, size_t bytes);
bool tw_omp_is_full(struct tw_backend_device *device);
void tw_omp_free(struct tw_backend_device *device, void *memory);
tw_status tw_omp_examine(struct tw_backend_device *device, const void *memory, size_t bytes, bool *shared);
void *tw_omp_find_variable(struct tw_backend_device *device, const void *variable);
void tw_omp_describe(struct tw_backend_device *device, struct tw_device_facts *facts);
tw_status tw_omp_check(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                       struct tw_internal_launch *launch);
/* Returns the most teams that a launch which reduces is worth; its teams take turns at the groups, or at the range in
   pieces of a team's threads. The device runs `resident` teams at a time. Fewer would leave it idle. A multiprocessor
   runs some faster than others, so it is idle at the end, too, unless others have waited. But to begin a team and to
   leave what it combined takes as long as some work-items without loops, and much longer if that is an array. */
unsigned tw_omp_most_parts(const struct tw_internal_kernel *kernel, const struct tw_internal_launch *launch,
                           size_t resident);
void tw_omp_observe(struct tw_backend_device *device, struct tw_device_state *state);
tw_status tw_omp_load(struct tw_backend_device *device, const struct tw_internal_kernel *kernel);
void tw_omp_limits(struct tw_backend_device *device, const struct tw_internal_kernel *kernel, size_t items,
                   size_t local_bytes, struct tw_kernel_facts *facts);
tw_status tw_omp_launch(struct tw_backend_device *base, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description);

/* Prepares a launch, lends it the scratch memory that it needs, and lets a function run it; fails on a lost device. For
   the slot `launch` of the other backends. */
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
