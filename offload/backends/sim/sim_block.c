/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers in argument blocks: what names them, and whether the kernel may follow them.
 *
 * The compiler knows the members of a block. It tells a visitor what __builtin_dump_struct() would print: formats and what
 * belongs to them, of which those for pointers, arrays, and the beginning and end of a struct are of interest here. Numbers
 * are no pointers whatever their value is.
 */
#define _GNU_SOURCE
#include "sim_block.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim_memory.h"

#define MOST_LEVELS 8u /* of structs in structs whose names are known */

/* A walk over the members of a block. `found` is called for each pointer, until it returns true. */
struct walk {
    bool (*found)(struct walk *walk, const void *pointer);
    char name[128]; /* of the member */
    size_t level, lengths[MOST_LEVELS];
    bool is_over;
    const void *address; /* that is looked for */
    const struct tw_backend_device *device;
    const struct tw_internal_kernel *kernel;
    const struct tw_internal_launch *launch;
    tw_status status;
};

/* The name without what belongs to levels from `level` on; where the next part goes. */
static size_t cut_name(struct walk *walk, size_t level)
{
    const size_t length = level && level <= MOST_LEVELS ? walk->lengths[level - 1] : 0;
    walk->name[length] = '\0';
    return length;
}

static void name_member(struct walk *walk, const char *name)
{
    const size_t length = cut_name(walk, walk->level);
    snprintf(walk->name + length, sizeof walk->name - length, "%s%s", length ? "." : "", name);
}

/* How many pointers an array type has, as "float *const[2][3]"; 0: its elements are none. */
static size_t count_pointers(const char *type)
{
    const char *bracket = strchr(type, '[');
    size_t count = 1;
    if (!bracket || !memchr(type, '*', (size_t)(bracket - type)))
        return 0;
    for (; bracket; bracket = strchr(bracket + 1, '['))
        count *= strtoul(bracket + 1, NULL, 10);
    return count;
}

static void visit_array(struct walk *walk, const char *type, const void *const *pointers)
{
    const size_t count = count_pointers(type), length = strlen(walk->name);
    for (size_t i = 0; i < count && !walk->is_over; ++i) {
        snprintf(walk->name + length, sizeof walk->name - length, "[%zu]", i);
        walk->is_over = walk->found(walk, pointers[i]);
    }
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static void visit(void *user, const char *format, ...)
{
    struct walk *walk = user;
    if (walk->is_over)
        return;
    if (strcmp(format, "%s}\n") == 0) { /* the end of a struct */
        walk->level -= walk->level > 0;
        return;
    }
    if (strncmp(format, "%s%s %s =", 9) != 0) /* after the indentation, the type and the name */
        return;
    va_list arguments;
    va_start(arguments, format);
    (void)va_arg(arguments, const char *);
    const char *type = va_arg(arguments, const char *), *name = va_arg(arguments, const char *);
    name_member(walk, name);
    if (format[9] == '\0') {
        if (walk->level < MOST_LEVELS)
            walk->lengths[walk->level] = strlen(walk->name);
        ++walk->level;
    } else if (ends_with(format, "= *%p\n")) { /* what it has no format for: the address of the member itself */
        visit_array(walk, type, va_arg(arguments, const void *));
    } else if ((ends_with(format, "= %p\n") || ends_with(format, "s\"\n"))
               && strcmp(type, "struct tw_internal_bounds *") != 0) { /* checks of views are the library's own */
        walk->is_over = walk->found(walk, va_arg(arguments, const void *));
    }
    va_end(arguments);
}

static bool is_wanted(struct walk *walk, const void *pointer)
{
    return pointer == walk->address;
}

bool tw_sim_block_member(const struct tw_internal_kernel *kernel, const void *args, const void *address, char *name,
                         size_t bytes)
{
    struct walk walk = {.found = is_wanted, .address = address};
    kernel->visit(args, visit, &walk);
    if (walk.is_over)
        snprintf(name, bytes, "%s", walk.name);
    return walk.is_over;
}

static bool is_accessed(const struct walk *walk, const void *memory)
{
    struct tw_backend_access access;
    for (size_t i = 0; walk->device->access(walk->device, walk->launch, i, &access); ++i)
        if (access.address == memory)
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

/* Pointers to nothing that is mapped are left to the kernel: it cannot follow them anywhere. */
static bool is_wrong(struct walk *walk, const void *pointer)
{
    const struct tw_backend_device *owner = NULL;
    const void *memory = pointer ? tw_sim_memory_around(pointer, &owner) : NULL;
    if (memory && !is_accessed(walk, memory))
        walk->status = tw_fail(TW_ERROR_INVALID_ARGUMENT,
                               "member %s of kernel %s points to a buffer's memory on simulated device %u "
                               "that no accessor of the group gave: give it what tw_read() and the like "
                               "return for this group",
                               walk->name, walk->kernel->name, owner->index);
    else if (pointer && !memory && is_mapped(pointer))
        walk->status = tw_fail(TW_ERROR_INVALID_ARGUMENT,
                               "member %s of kernel %s points to host memory, which devices do not reach: "
                               "give it what an accessor of the group returns, or pass the value itself (an address "
                               "that is a number to the kernel is a uintptr_t)",
                               walk->name, walk->kernel->name);
    return walk->status != TW_SUCCESS;
}

tw_status tw_sim_block_check(const struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                             const struct tw_internal_launch *launch)
{
    struct walk walk = {.found = is_wrong, .device = device, .kernel = kernel, .launch = launch};
    kernel->visit(launch->args, visit, &walk);
    return walk.status;
}
