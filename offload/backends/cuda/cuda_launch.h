/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels of the simt lowering by the CUDA driver: what it knows of them, and launches from the same device image and
 * in the same context as libomptarget's, but on streams, and with errors instead of abort.
 */
#ifndef TEAMWORK_OFFLOAD_CUDA_LAUNCH_H
#define TEAMWORK_OFFLOAD_CUDA_LAUNCH_H

#include "cuda_driver.h"

/* What is known of a kernel on a device. */
struct tw_cuda_kernel_facts {
    size_t max_items;          /* of a work-group: what its registers allow */
    size_t registers;          /* of a work-item */
    size_t private_bytes;      /* of a work-item, in memory, for what is not in registers */
    size_t static_local_bytes; /* of a work-group, in TW_LOCAL variables */
    size_t max_local_bytes;    /* of a work-group, these included */
    bool driver_launches;      /* the driver can launch it */
};

/* Fills `facts`. Returns false if the kernel is not found in its program's device images. Loads the image into the
   device when it is needed for the first time. */
bool tw_cuda_kernel_facts(struct tw_cuda_device *device, const struct tw_internal_kernel *kernel,
                          struct tw_cuda_kernel_facts *facts);

/* How many work-groups of `items` work-items, with `local_bytes` of local accessors each, the device runs at a time.
   0 where that is not known. */
size_t tw_cuda_resident_groups(struct tw_cuda_device *device, const struct tw_internal_kernel *kernel, size_t items,
                               size_t local_bytes);

/* Whether the kernel itself allows a launch: TW_ERROR_INVALID_WORK_GROUP_SIZE, TW_ERROR_OUT_OF_LOCAL_MEMORY. Success
   for kernels that are not found. Keeps the kernel in launch->found, so that nobody has to look for it again. */
tw_status tw_cuda_check(struct tw_cuda_device *device, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *launch);

/* The compute capability of the device if the kernel of a launch that tw_cuda_check() let pass has no code for it, 0
   if it has or that is not known. */
unsigned tw_cuda_missing_image(const struct tw_cuda_device *device, const struct tw_internal_launch *launch);

/* Whether the driver launches the kernel of a launch that tw_cuda_check() let pass. Else its image was not found or
   is not understood, or it uses variables that would exist twice, or it is not for the simt lowering. A slot of the
   table of streams. */
bool tw_cuda_takes(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                   const struct tw_internal_launch *launch);

/* Why it does not. */
const char *tw_cuda_why_not(const struct tw_internal_launch *launch);

/* Launches a kernel that tw_cuda_takes(), with all that the launch borrows, and returns when it is complete. */
tw_status tw_cuda_launch(struct tw_cuda_device *device, const struct tw_internal_kernel *kernel,
                         const struct tw_internal_launch *launch);

/* Enqueues a launch that tw_cuda_takes(). In the device's context. */
cu_result tw_cuda_enqueue(const struct tw_internal_launch *launch, cu_stream stream);

/* Adds the same to a graph. In the device's context. */
cu_result tw_cuda_add_node(const struct tw_internal_launch *launch, cu_graph graph, const cu_node *before, size_t count,
                           cu_node *node);

/* Sets such a node's parameters, for the launches of the executable from now on. */
cu_result tw_cuda_set_node(const struct tw_internal_launch *launch, cu_executable executable, cu_node node);

/* What to say when a call that concerns a kernel fails: whether it alone does, or the device with it. In its
   context. */
tw_status tw_cuda_report(struct tw_cuda_device *device, const char *kernel, cu_result error, bool alone);

/* Unloads all device images. Before the contexts are released. */
void tw_cuda_forget_kernels(void);

#endif
