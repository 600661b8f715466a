/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pointers in an argument block, and the names of their members.
 *
 * The compiler knows the members of a block (lower/kernel/members.h). The walk uses those that are pointers or arrays, and
 * the beginning and end of structs. A number is never a pointer, whatever its value is.
 */
#define _GNU_SOURCE
#include "block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LEVELS 8u /* of nested structs whose names are known */

/* A walk over the members of a block. */
struct walk {
    tw_block_visitor found;
    void *user;
    char name[128]; /* of the member */
    size_t level, lengths[MOST_LEVELS];
    size_t free_level; /* 1 + the level of a union, or of a struct of the library, whose members may be NULL; 0: none */
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
        const struct tw_block_pointer pointer = {walk->name, pointers[i], pointers + i, 0, 0, true, !walk->free_level};
        walk->is_over = walk->found(walk->user, &pointer);
    }
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static bool begins_with(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

static void begin_struct(struct walk *walk, const char *type)
{
    if (walk->level < MOST_LEVELS)
        walk->lengths[walk->level] = strlen(walk->name);
    ++walk->level;
    const bool is_free = begins_with(type, "union ") || begins_with(type, "struct tw_internal_")
                         || begins_with(type, "tw_internal_"); /* as in C++ */
    if (!walk->free_level && is_free)
        walk->free_level = walk->level;
}

static void end_struct(struct walk *walk)
{
    if (walk->free_level == walk->level)
        walk->free_level = 0;
    walk->level -= walk->level > 0;
}

static void visit_pointer(struct walk *walk, const struct tw_internal_member *member)
{
    const bool may_be_null = walk->free_level || begins_with(member->name, "tw_") || strstr(member->type, ")(");
    const struct tw_block_pointer pointer = {walk->name,         member->pointer, NULL, member->bytes,
                                             member->part_bytes, may_be_null,     false};
    walk->is_over = walk->found(walk->user, &pointer);
}

static void visit(void *user, const struct tw_internal_member *member)
{
    struct walk *walk = user;
    const char *const format = member->format;
    if (walk->is_over)
        return;
    if (strcmp(format, "%s}\n") == 0) {
        end_struct(walk);
        return;
    }
    if (strncmp(format, "%s%s %s =", 9) != 0) /* after the indentation, the type and the name */
        return;
    name_member(walk, member->name);
    if (format[9] == '\0')
        begin_struct(walk, member->type);
    else if (ends_with(format, "= *%p\n")) /* a type without a format: the address of the member itself */
        visit_array(walk, member->type, member->pointer);
    else if ((ends_with(format, "= %p\n") || ends_with(format, "s\"\n"))
             && strcmp(member->type, "struct tw_internal_bounds *") != 0) /* the library's own, for checks of views */
        visit_pointer(walk, member);
}

bool tw_block_visit(const struct tw_internal_kernel *kernel, const void *args, tw_block_visitor found, void *user)
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

static bool is_wanted(void *user, const struct tw_block_pointer *pointer)
{
    const struct wanted *wanted = user;
    if (pointer->value != wanted->address)
        return false;
    snprintf(wanted->name, wanted->bytes, "%s", pointer->name);
    return true;
}

bool tw_block_member(const struct tw_internal_kernel *kernel, const void *args, const void *address, char *name,
                     size_t bytes)
{
    struct wanted wanted = {address, name, bytes};
    return tw_block_visit(kernel, args, is_wanted, &wanted);
}

/* ---- what a visit does not see ----------------------------------------------------------------------------------- */

/* Returns true if the elements of an array type are numbers or vectors of the library: without pointers. */
static bool has_numbers(const char *type)
{
    static const char *const numbers[] = {"char",
                                          "signed char",
                                          "unsigned char",
                                          "short",
                                          "unsigned short",
                                          "int",
                                          "unsigned int",
                                          "long",
                                          "float",
                                          "unsigned long",
                                          "double",
                                          "long long",
                                          "unsigned long long",
                                          "_Bool",
                                          "bool",
                                          "size_t",
                                          "int8_t",
                                          "int16_t",
                                          "int32_t",
                                          "int64_t",
                                          "uint8_t",
                                          "uint16_t",
                                          "uint32_t",
                                          "uint64_t",
                                          "_Float16"};
    const size_t length = strcspn(type, "[");
    if (begins_with(type, "const "))
        return has_numbers(type + strlen("const "));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        if (strlen(numbers[i]) == length && strncmp(type, numbers[i], length) == 0)
            return true;
    return begins_with(type, "tw_float") || begins_with(type, "tw_int") || begins_with(type, "tw_double");
}

static void find_hiding(void *user, const struct tw_internal_member *member)
{
    bool *hides = user;
    if (strncmp(member->format, "%s%s %s =", 9) == 0 && ends_with(member->format, "= *%p\n")
        && strchr(member->type, '[') && !count_pointers(member->type) && !has_numbers(member->type))
        *hides = true;
}

bool tw_block_may_hide_pointers(const struct tw_internal_kernel *kernel, const void *args)
{
    bool hides = false;
    kernel->visit(args, find_hiding, &hides);
    return hides;
}
