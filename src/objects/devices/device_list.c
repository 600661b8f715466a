/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of the devices and platforms that the program sees, and of those that it does not (spec 3.5.1 - 3.5.3). */
#include "absent.h"
#include "base/detail.h"
#include "discovery.h"
#include "lifetime.h"
#include "platform.h"

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static tw_status check_list(const void *list, size_t capacity, const size_t *count)
{
    if (!count || (!list && capacity))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the place for the %s is NULL", count ? "list" : "count");
    return tw_discover();
}

tw_status tw_get_devices(unsigned types, tw_device **devices, size_t capacity, size_t *count)
{
    const tw_status status = check_list(devices, capacity, count);
    if (status != TW_SUCCESS)
        return status;
    const struct tw_found *found = tw_devices_found();
    size_t n = 0;
    for (size_t i = 0; i < found->visible_count; ++i) {
        if (!(found->visible[i]->backend->type & types))
            continue;
        if (n < capacity)
            devices[n] = found->visible[i];
        ++n;
    }
    *count = n;
    return TW_SUCCESS;
}

tw_status tw_get_absent_devices(unsigned types, tw_absent_device *devices, size_t capacity, size_t *count)
{
    const tw_status status = check_list(devices, capacity, count);
    if (status == TW_SUCCESS)
        *count = tw_absent_list(types, devices, capacity);
    return status;
}

tw_status tw_get_platforms(tw_platform **platforms, size_t capacity, size_t *count)
{
    const tw_status status = check_list(platforms, capacity, count);
    if (status != TW_SUCCESS)
        return status;
    const struct tw_found *found = tw_devices_found();
    size_t n = 0;
    for (size_t i = 0; i < found->platform_count; ++i) {
        if (!found->platforms[i].count)
            continue;
        if (n < capacity)
            platforms[n] = &found->platforms[i];
        ++n;
    }
    *count = n;
    return TW_SUCCESS;
}
