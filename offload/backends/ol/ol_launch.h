/* SPDX-License-Identifier: Apache-2.0 */
/** Kernels of the simt lowering by liboffload: their properties, and their launches. */
#ifndef TEAMWORK_OFFLOAD_OL_LAUNCH_H
#define TEAMWORK_OFFLOAD_OL_LAUNCH_H

#include "backends/gpu/gpu_backend.h"
#include "ol_driver.h"

/* Slots (backend.h), with what gpu_kernel.h says of them. */
void tw_ol_limits(struct tw_backend_device *base, const struct tw_internal_kernel *key, size_t items,
                  size_t local_bytes, struct tw_kernel_facts *facts);
tw_status tw_ol_load(struct tw_backend_device *base, const struct tw_internal_kernel *key);
tw_status tw_ol_check(struct tw_backend_device *base, const struct tw_internal_kernel *key,
                      struct tw_internal_launch *launch);

/* Enqueues a launch that tw_gpu_takes(). */
ol_result tw_ol_enqueue(struct tw_ol_device *device, const struct tw_internal_launch *launch, ol_queue queue);

/* Launches such a kernel and returns when it is complete. The launch has its device memory. */
tw_status tw_ol_launch(struct tw_ol_device *device, const struct tw_internal_kernel *key,
                       const struct tw_internal_launch *launch);

/* Reports that liboffload did not launch a kernel. If the device is lost, that is the reason. */
tw_status tw_ol_report(struct tw_ol_device *device, const char *kernel, ol_result error, bool alone);

/* Unloads all device images. Called before the library is closed. */
void tw_ol_forget_kernels(void);

#endif
