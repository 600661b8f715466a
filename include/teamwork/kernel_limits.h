/* SPDX-License-Identifier: Apache-2.0 */
/** What a device allows a kernel: questions to ask before choosing the size and the number of work-groups. */
#ifndef TEAMWORK_KERNEL_LIMITS_H
#define TEAMWORK_KERNEL_LIMITS_H

#include <teamwork/device.h>
#include <teamwork/kernel_object.h>

TW_BEGIN_DECLS

/** What a device allows a kernel (spec 3.7.2.5, work-group information). */
typedef struct tw_kernel_limits {
    size_t max_work_group_size; /**< work-items of a group: the device's limit, or less for want of registers */
    size_t local_mem_size;      /**< bytes of a group's TW_LOCAL variables; 0 where that is not known */
    size_t private_mem_size;    /**< bytes of a work-item in memory, for what is not in registers; 0 likewise */
    size_t resident_groups;     /**< groups that the device runs at the same time: what waits for other groups of its
                                     launch must not have more. 1 where that is not known */
} tw_kernel_limits;

/**
 * Asks what a device allows a kernel whose groups have `items` work-items and `local_bytes` of local accessors.
 *
 *     tw_kernel_limits limits;
 *     status = tw_kernel_get_limits(device, name, 256, 0, &limits);
 *
 * On NVIDIA GPUs the first question about a kernel loads its device image. Thread safe.
 *
 * @return TW_ERROR_INVALID_ARGUMENT         a NULL, or a kernel of another version of the library
 *         TW_ERROR_INVALID_WORK_GROUP_SIZE  items is 0 or more than the device's limit
 */
#define tw_kernel_get_limits(device, name, items, local_bytes, limits)                                                 \
    tw_internal_kernel_limits((device), TW_KERNEL(name), (items), (local_bytes), (limits))
TW_API tw_status tw_internal_kernel_limits(const tw_device *device, const tw_kernel *kernel, size_t items,
                                           size_t local_bytes, tw_kernel_limits *limits);

TW_END_DECLS

#endif
