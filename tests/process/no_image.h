/* SPDX-License-Identifier: Apache-2.0 */
/** Kernels without code for the device: no_image_kernels.c. */
#ifndef NO_IMAGE_H
#define NO_IMAGE_H

#include <teamwork/teamwork.h>

struct host_only {
    int *x;
};
TW_DECLARE_RANGE_KERNEL(host_only);
struct host_only_groups {
    int *x;
};
TW_DECLARE_WORK_GROUP_KERNEL(host_only_groups);

#endif
