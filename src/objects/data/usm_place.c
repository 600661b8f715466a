/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out where memory lies that the program gives by its address (usm_place.h). Knows no command. */
#include "usm_place.h"

#include <stdint.h>

#include "base/detail.h"
#include "runtime/device.h"
#include "runtime/usm_list.h"

bool tw_usm_is_of_host(const struct tw_device *device)
{
    return !device->backend->backend->memory || device->backend->type == TW_DEVICE_CPU;
}

tw_status tw_usm_find_place(const void *memory, size_t bytes, const char *what, struct tw_usm_place *place)
{
    struct tw_usm_allocation allocation;
    uintptr_t past;
    *place = (struct tw_usm_place){.type = TW_POINTER_UNKNOWN};
    if (!memory)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%s is NULL", what);
    if (__builtin_add_overflow((uintptr_t)memory, bytes, &past))
        return tw_fail(TW_ERROR_INVALID_RANGE, "%s has no %zu bytes", what, bytes);
    if (!tw_usm_find(memory, &allocation))
        return TW_SUCCESS;
    const size_t left = (size_t)(allocation.past - (const unsigned char *)memory);
    if (bytes > left)
        return tw_fail(TW_ERROR_INVALID_RANGE, "%s has no %zu bytes: its allocation ends after %zu", what, bytes, left);
    *place = (struct tw_usm_place){.type = allocation.type, .owner = allocation.device};
    if (allocation.device && !tw_usm_is_of_host(allocation.device))
        place->device = allocation.device->backend;
    return TW_SUCCESS;
}

tw_status tw_usm_check_host(const void *memory, size_t bytes, const char *what, const char *advice)
{
    struct tw_usm_place place;
    const tw_status status = tw_usm_find_place(memory, bytes, what, &place);
    if (status != TW_SUCCESS || place.type != TW_POINTER_DEVICE || !place.device)
        return status;
    return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%s is on %s: %s", what, tw_device_name(place.owner), advice);
}
