/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the pointers in a kernel's argument block (sim_pointers.h). */
#define _GNU_SOURCE
#include "sim_pointers.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/block.h"
#include "sim_memory.h"

#define USM_BYTES 256 /* the name of an allocation */

struct check {
    const struct tw_backend_device *device;
    const struct tw_internal_kernel *kernel;
    const struct tw_internal_launch *launch;
    tw_status status;
};

/* Returns true if a pointer leads to a buffer that the group accesses. `memory` is the simulated memory around it, or NULL:
   the program's own, which a buffer may be over. */
static bool is_accessed(const struct check *check, const void *memory, const void *pointer)
{
    struct tw_backend_access access;
    for (size_t i = 0; check->device->access(check->device, check->launch, i, &access); ++i)
        if (memory ? access.address == memory
                   : (uintptr_t)pointer - (uintptr_t)access.address < access.bytes && access.address)
            return true;
    return false;
}

static bool is_mapped(const void *address)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char resident;
    const int error = errno;
    const bool mapped = mincore((void *)((uintptr_t)address / page * page), 1, &resident) == 0;
    errno = error;
    return mapped;
}

/* Returns true, and sets the check's status, if a pointer is wrong. A pointer to unmapped memory is not: the kernel
   cannot follow it. */
static bool is_wrong(void *user, const struct tw_block_pointer *found)
{
    struct check *check = user;
    const char *const name = found->name;
    const void *const pointer = found->value;
    const struct tw_backend_device *owner = NULL;
    const void *memory = pointer ? tw_sim_memory_around(pointer, &owner) : NULL;
    const bool is_right = is_accessed(check, memory, pointer);
    if (!pointer || is_right || check->device->reaches_usm(check->device, pointer))
        return false;
    char usm[USM_BYTES];
    if (check->device->name_usm(pointer, usm, sizeof usm))
        check->status = tw_fail(TW_ERROR_INVALID_ARGUMENT,
                                "member %s of kernel %s points to %s, and the queue is on simulated device %u: it does "
                                "not reach that memory",
                                name, check->kernel->name, usm, check->device->index);
    else if (memory)
        check->status = tw_fail(TW_ERROR_INVALID_ARGUMENT,
                                "member %s of kernel %s points to a buffer's memory on simulated device %u "
                                "that no accessor of the group gave: give it what tw_read() and the like "
                                "return for this group",
                                name, check->kernel->name, owner->index);
    else if (is_mapped(pointer))
        check->status = tw_fail(TW_ERROR_INVALID_ARGUMENT,
                                "member %s of kernel %s points to host memory, which devices do not reach, or to freed "
                                "memory: give it what an accessor of the group returns, or memory of "
                                "tw_malloc_device() and the like, or pass the value itself (an address that is a "
                                "number to the kernel is a uintptr_t)",
                                name, check->kernel->name);
    return check->status != TW_SUCCESS;
}

tw_status tw_sim_pointers_check(const struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                                const struct tw_internal_launch *launch)
{
    struct check check = {device, kernel, launch, TW_SUCCESS};
    (void)tw_block_visit(kernel, launch->args, is_wrong, &check);
    return check.status;
}
