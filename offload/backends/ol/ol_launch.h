/* SPDX-License-Identifier: Apache-2.0 */
/** Kernels of the simt lowering by liboffload: their properties, and their launches. */
#ifndef TEAMWORK_OFFLOAD_OL_LAUNCH_H
#define TEAMWORK_OFFLOAD_OL_LAUNCH_H

#include "ol_driver.h"

/* Slots (backend.h). The limits of a kernel that has no simt lowering, or is not found in its program's device images,
   are not known. The first use of an image loads it into the device. */
void tw_ol_limits(struct tw_backend_device *base, const struct tw_internal_kernel *key, size_t items,
                  size_t local_bytes, struct tw_kernel_facts *facts);
tw_status tw_ol_load(struct tw_backend_device *base, const struct tw_internal_kernel *key);

/* Stores the kernel in launch->found, so that later calls need not look it up. */
tw_status tw_ol_check(struct tw_backend_device *base, const struct tw_internal_kernel *key,
                      struct tw_internal_launch *launch);

/* Returns true if liboffload can launch the kernel of a launch that tw_ol_check() has accepted. A slot of
   tw_backend_async. */
bool tw_ol_takes(struct tw_backend_device *device, const struct tw_internal_kernel *key,
                 const struct tw_internal_launch *launch);

/* Enqueues a launch that tw_ol_takes(). */
ol_result tw_ol_enqueue(struct tw_ol_device *device, const struct tw_internal_launch *launch, ol_queue queue);

/* Launches such a kernel and returns when it is complete. The launch has its device memory. */
tw_status tw_ol_launch(struct tw_ol_device *device, const struct tw_internal_kernel *key,
                       const struct tw_internal_launch *launch);

/* Reports that liboffload did not launch a kernel. If the device is lost, that is the reason. */
tw_status tw_ol_report(struct tw_ol_device *device, const char *kernel, ol_result error, bool alone);

/* Unloads all device images. Called before the library is closed. */
void tw_ol_forget_kernels(void);

#endif
