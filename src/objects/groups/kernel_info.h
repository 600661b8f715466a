/* SPDX-License-Identifier: Apache-2.0 */
/** What kernels say of themselves. */
#ifndef TEAMWORK_OBJECTS_KERNEL_INFO_H
#define TEAMWORK_OBJECTS_KERNEL_INFO_H

#include "runtime/device.h"

/* Checks that a kernel's definition does not exclude devices of this kind. */
tw_status tw_kernel_check_kind(const struct tw_internal_kernel *kernel, const struct tw_device *device);

#endif
