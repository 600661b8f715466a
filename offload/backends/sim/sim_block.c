/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pointers in an argument block, and the names of their members.
 *
 * The compiler knows the members of a block. __builtin_dump_struct() passes formats and their values to a visitor. The
 * visitor uses those for pointers, for arrays, and for the beginning and end of a struct. A number is never a pointer,
 * whatever its value is.
 */
#define _GNU_SOURCE
#include "sim_block.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LEVELS 8u /* of nested structs whose names are known */

/* A walk over the members of a block. */
struct walk {
    tw_sim_pointer_visitor found;
    void *user;
    char name[128]; /* of the member */
    size_t level, lengths[MOST_LEVELS];
    bool is_over;
};

/* Cuts the name before the part of level `level`. Returns its length: the place of the next part. */
static size_t cut_name(struct walk *walk, size_t level)
{
    const size_t length = level && level <= MOST_LEVELS ? walk->lengths[level - 1] : 0;
    walk->name[length] = '\0';
    return length;
}

/* Appends what fits to the name. */
static void append(struct walk *walk, const char *text)
{
    const size_t length = strlen(walk->name), more = strnlen(text, sizeof walk->name - 1 - length);
    memcpy(walk->name + length, text, more);
    walk->name[length + more] = '\0';
}

static void name_member(struct walk *walk, const char *name)
{
    if (cut_name(walk, walk->level))
        append(walk, ".");
    append(walk, name);
}

/* Returns the number of pointers in an array type such as "float *const[2][3]"; 0 if its elements are no pointers. */
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
        walk->is_over = walk->found(walk->user, walk->name, pointers[i]);
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
    } else if (ends_with(format, "= *%p\n")) { /* a type without a format: the address of the member itself */
        visit_array(walk, type, va_arg(arguments, const void *));
    } else if ((ends_with(format, "= %p\n") || ends_with(format, "s\"\n"))
               && strcmp(type, "struct tw_internal_bounds *") != 0) { /* the library's own, for checks of views */
        walk->is_over = walk->found(walk->user, walk->name, va_arg(arguments, const void *));
    }
    va_end(arguments);
}

bool tw_sim_block_visit(const struct tw_internal_kernel *kernel, const void *args, tw_sim_pointer_visitor found,
                        void *user)
{
    struct walk walk = {.found = found, .user = user};
    kernel->visit(args, visit, &walk);
    return walk.is_over;
}

/* A search for the member that points to an address. */
struct wanted {
    const void *address;
    char *name;
    size_t bytes;
};

static bool is_wanted(void *user, const char *name, const void *pointer)
{
    const struct wanted *wanted = user;
    if (pointer != wanted->address)
        return false;
    snprintf(wanted->name, wanted->bytes, "%s", name);
    return true;
}

bool tw_sim_block_member(const struct tw_internal_kernel *kernel, const void *args, const void *address, char *name,
                         size_t bytes)
{
    struct wanted wanted = {address, name, bytes};
    return tw_sim_block_visit(kernel, args, is_wanted, &wanted);
}
