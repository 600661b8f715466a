/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The CUDA driver, if the machine has one: loaded with dlopen, never linked.
 *
 * OpenMP owns devices and memory. This prepares the driver's contexts for it, tells which OpenMP devices are CUDA's,
 * describes them, knows what limits a kernel has, and launches kernels of the simt lowering by itself where it can: from
 * the same device image and in the same context as libomptarget does, but on streams, and with errors instead of abort.
 */
#ifndef TEAMWORK_OFFLOAD_CUDA_H
#define TEAMWORK_OFFLOAD_CUDA_H

#include <stdbool.h>

#include "backend.h"
#include "common/inventory.h"

/* Loads the driver and retains the primary context of every CUDA device with spinning synchronization, which
   libomptarget then adopts: a synchronous launch takes 9 us instead of 27 to 46. To be called before OpenMP touches a
   device. Returns whether there are CUDA devices. Once; balanced by tw_cuda_close(), which frees all that the functions
   below have made. */
bool tw_cuda_open(void);

/* Whether the last tw_cuda_open() failed because fork() made this process after the driver was started. The driver does not
   work here, and libomptarget ends the program when it uses it. */
bool tw_cuda_is_of_parent(void);
void tw_cuda_close(void);

/* Lists the machine's GPUs, none of them as offered, and returns how many of `room` there are; also while the driver is not open,
   but then no other thread may open it. */
size_t tw_cuda_list(struct tw_gpu *gpus, size_t room);

/* The CUDA device that owns a piece of device memory; -1 if it is none of CUDA's. */
int tw_cuda_owner(const void *memory);

/* Multiprocessors; 0 where the device is none of CUDA's. */
size_t tw_cuda_compute_units(int ordinal);

void tw_cuda_describe(int ordinal, struct tw_device_facts *facts);

/* After a kernel's fault a device does nothing any more in this process, and libomptarget ends the program when it is
   asked to. Returns one sentence about the fault; NULL for a device that works. */
const char *tw_cuda_lost(int ordinal);

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

/* Allocate and free memory of a device. Return false, and have done nothing, where OpenMP has to; always the same for a
   device. NULL: out of memory. */
bool tw_cuda_allocate(int ordinal, size_t bytes, void **memory);
bool tw_cuda_free(int ordinal, void *memory);

/* Host memory that is page-locked for all devices; NULL: there is none. */
void *tw_cuda_allocate_host(size_t bytes);
void tw_cuda_free_host(void *memory);

/* Copies, and returns when all has arrived; -1 for a device stands for the host. `*taken` is false, and nothing has happened,
   if OpenMP has to do that. */
tw_status tw_cuda_copy(int to, void *target, int from, const void *source, size_t bytes, bool *taken);

/* ---- kernels of the simt lowering -------------------------------------------------------------------------------- */

/* What is known of a kernel on a device. */
struct tw_cuda_kernel_facts {
    size_t max_items;          /* of a work-group: what its registers allow */
    size_t registers;          /* of a work-item */
    size_t private_bytes;      /* of a work-item, in memory, for what is not in registers */
    size_t static_local_bytes; /* of a work-group, in TW_LOCAL variables */
    size_t max_local_bytes;    /* of a work-group, these included */
    bool driver_launches;      /* tw_cuda_launch() can launch it */
};

/* Fills `facts`. Returns false if the kernel is not found in its program's device images. Loads the image into the device
   when it is needed for the first time. */
bool tw_cuda_kernel_facts(int ordinal, const struct tw_internal_kernel *kernel, struct tw_cuda_kernel_facts *facts);

/* How many work-groups of `items` work-items, with `local_bytes` of local accessors each, the device runs at a time.
   0 where that is not known. */
size_t tw_cuda_resident_groups(int ordinal, const struct tw_internal_kernel *kernel, size_t items, size_t local_bytes);

/* Whether the kernel itself allows a launch: TW_ERROR_INVALID_WORK_GROUP_SIZE, TW_ERROR_OUT_OF_LOCAL_MEMORY. Success for
   kernels that are not found. Keeps the kernel in launch->found, so that nobody has to look for it again. */
tw_status tw_cuda_check(int ordinal, const struct tw_internal_kernel *kernel, struct tw_internal_launch *launch);

/* The compute capability of the device if the kernel of a launch that tw_cuda_check() let pass has no code for it, 0 if it has
   or that is not known. */
unsigned tw_cuda_missing_image(int ordinal, const struct tw_internal_launch *launch);

/* Launches a kernel through the driver and returns when it is complete. `*taken` is false, and nothing has happened, if
   that cannot be done and libomptarget has to launch it: its image was not found or is not understood, or it uses variables
   that would exist twice. */
tw_status tw_cuda_launch(int ordinal, const struct tw_internal_kernel *kernel, const struct tw_internal_launch *launch,
                         bool *taken);

/* Whether tw_cuda_launch() takes a launch that tw_cuda_check() let pass, and a chain can. */
bool tw_cuda_launches(const struct tw_internal_launch *launch);

/* ---- chains (backend.h), for kernels that tw_cuda_launches() ------------------------------------------------------- */

tw_status tw_cuda_chain_open(struct tw_backend_device *owner, int ordinal, struct tw_backend_chain **chain);
void tw_cuda_chain_close(struct tw_backend_chain *chain);
/* Whose chain it is. */
struct tw_backend_device *tw_cuda_chain_owner(const struct tw_backend_chain *chain);
tw_status tw_cuda_chain_follow(struct tw_backend_chain *chain, const struct tw_backend_mark *marks, size_t count);
void tw_cuda_chain_measure(struct tw_backend_chain *chain);
tw_status tw_cuda_chain_launch(struct tw_backend_chain *chain, const struct tw_internal_kernel *kernel,
                               struct tw_internal_launch *launch, uint64_t *position);
/* Whether tw_cuda_chain_copy() can copy to a device from another. Quick. */
bool tw_cuda_chain_reaches(int to, int from);
tw_status tw_cuda_chain_copy(struct tw_backend_chain *chain, void *target, int from, const void *source, size_t bytes,
                             uint64_t *position);
tw_status tw_cuda_chain_replay(struct tw_backend_chain *chain, struct tw_backend_graph *graph, uint64_t *position);
uint64_t tw_cuda_chain_reached(struct tw_backend_chain *chain, uint64_t position);
void tw_cuda_chain_times(struct tw_backend_chain *chain, uint64_t position, struct tw_backend_times *times);
tw_status tw_cuda_chain_outcome(struct tw_backend_chain *chain, uint64_t position);

/* ---- command graphs (backend.h), of kernels that tw_cuda_launches() ------------------------------------------------- */

tw_status tw_cuda_graph_assemble(struct tw_backend_device *owner, int ordinal, const struct tw_backend_step *steps,
                                 size_t count, struct tw_backend_graph **graph);
void tw_cuda_graph_dismantle(struct tw_backend_graph *graph);

/* Fills in what a launch has to know of a device. Defined by omp.c. */
void tw_omp_prepare(const struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                    struct tw_internal_launch *launch);

#endif
