/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the arguments of tw_kernel_get_limits() (spec 3.7.2.5); the backend answers it. */
#include <teamwork/kernel_limits.h>

#include "base/cancellation.h"
#include "base/detail.h"
#include "base/process.h"
#include "runtime/device.h"

tw_status tw_internal_kernel_limits(const tw_device *device, const struct tw_internal_kernel *kernel, size_t items,
                                    size_t local_bytes, tw_kernel_limits *limits)
{
    if (!device || !kernel || !limits)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL",
                       !device   ? "device"
                       : !kernel ? "kernel"
                                 : "place for the answer");
    const tw_status status = tw_check_process();
    if (status != TW_SUCCESS)
        return status;
    TW_DEFER_CANCELLATION;
    if (kernel->abi != TW_INTERNAL_KERNEL_ABI)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "kernel %s was compiled for another version of the library",
                       kernel->name);
    const size_t most = tw_device_facts(device)->max_work_group_size;
    if (!items || items > most)
        return tw_fail(TW_ERROR_INVALID_WORK_GROUP_SIZE, "a group of %zu work-items: there can be 1 to %zu on %s",
                       items, most, tw_device_name(device));
    for (const struct tw_internal_kernel *k = kernel; k; k = k->next)
        if (k->required_local[0] * k->required_local[1] * k->required_local[2] == items) {
            kernel = k; /* of its sizes, the one that the question is about */
            break;
        }
    struct tw_kernel_facts facts = {.max_items = most};
    device->backend->backend->limits(device->backend, kernel, items, local_bytes, &facts);
    *limits = (tw_kernel_limits){.max_work_group_size = facts.max_items,
                                 .local_mem_size = facts.static_local_bytes,
                                 .private_mem_size = facts.private_bytes,
                                 .resident_groups = facts.resident_groups ? facts.resident_groups : 1};
    return TW_SUCCESS;
}
