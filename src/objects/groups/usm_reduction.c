/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that reduce into unified shared memory (teamwork/reduction.h): where the result goes, by its address. */
#include <teamwork/command_group.h>

#include <limits.h>

#include "base/detail.h"
#include "command_group.h"
#include "objects/data/usm_place.h"
#include "runtime/usm_list.h"

/* Fails if kernels of the group's device cannot use memory, as far as that is known. */
static tw_status check_memory(const struct tw_command_group *group, const void *memory, size_t bytes)
{
    static const char what[] = "the memory to reduce into";
    struct tw_usm_place place;
    char owner[160];
    const tw_status status = tw_usm_find_place(memory, bytes, what, &place);
    if (status != TW_SUCCESS)
        return status;
    if (tw_usm_is_reached(group->device->backend, memory) || (!place.device && tw_usm_is_of_host(group->device)))
        return TW_SUCCESS;
    if (!tw_usm_name(memory, owner, sizeof owner))
        return tw_fail(
            TW_ERROR_INVALID_ARGUMENT,
            "%s is not unified shared memory, which %s needs: take memory of tw_malloc_device() or the like, or "
            "reduce into a buffer, TW_REDUCE_AT()",
            what, tw_device_name(group->device));
    return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%s is %s, which %s does not reach", what, owner,
                   tw_device_name(group->device));
}

/* Adds a reduction into `count` elements. Returns false if the group fails, or has failed. */
static bool add(struct tw_command_group *group, const void *memory, size_t element_bytes, size_t count, bool keep)
{
    tw_status status = TW_SUCCESS;
    size_t bytes;
    if (!group || group->status != TW_SUCCESS)
        return false;
    if (group->recorder)
        status =
            tw_fail(TW_ERROR_UNSUPPORTED, "a queue over several devices reduces into buffers alone, which it has on "
                                          "all of them: TW_REDUCE(), TW_REDUCE_ARRAY()");
    else if (!count || count > UINT_MAX || __builtin_mul_overflow(count, element_bytes, &bytes))
        status = tw_fail(TW_ERROR_INVALID_RANGE, TW_NO_REDUCTION_ARRAY, UINT_MAX, count);
    else
        status = check_memory(group, memory, bytes);
    if (status != TW_SUCCESS) {
        tw_command_group_fail(group, status);
        return false;
    }
    ++group->reduced_count;
    group->replaces = group->replaces || !keep;
    return true;
}

struct tw_internal_target tw_internal_reduction_to(tw_command_group *group, void *memory, size_t bytes, bool keep)
{
    struct tw_internal_target target = {.keep = keep};
    if (add(group, memory, bytes, 1, keep)) {
        target.to = memory;
        target.element_bytes = (unsigned)bytes;
    }
    return target;
}

struct tw_internal_array tw_internal_reduction_array_to(tw_command_group *group, void *memory, size_t element_bytes,
                                                        size_t count, bool keep)
{
    struct tw_internal_array array = {.keep = keep};
    if (add(group, memory, element_bytes, count, keep)) {
        array.to = memory;
        array.count = (unsigned)count;
        array.element_bytes = (unsigned)element_bytes;
        tw_command_group_place_array(group, count * element_bytes, &array);
    }
    return array;
}
