/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Tells the runtime the members of an argument block, which only the compiler knows: a kernel's `visit` function passes
 * each to a visitor.
 *
 * __builtin_dump_struct() calls a function for each member with a format, the member's type and name, and its value.
 * Here that function is overloaded by the type of the value, so it knows the size of what a pointer leads to. Numbers
 * and vectors are told apart; pointers to void, characters, structs and others lead to elements of no known size.
 */
#ifndef TEAMWORK_LOWER_MEMBERS_H
#define TEAMWORK_LOWER_MEMBERS_H

#include <stdarg.h>
#include <stdbool.h>

#include <teamwork/lower/kernel/launch.h>
#include <teamwork/lower/kernel/region.h>

#ifndef TW_INTERNAL_DEVICE_PASS

/* Everything else: numbers, pointers to functions, and where structs begin and end. Of these, formats that begin with
   "%s%s %s" have the indentation, the type and the name. */
static __attribute__((unused, overloadable)) void tw_internal_visit(tw_internal_member_visitor visitor, void *user,
                                                                    const char *format, ...)
{
    struct tw_internal_member member = {format, "", "", NULL, 0, 0};
    va_list arguments;
    va_start(arguments, format);
    if (format[0] == '%' && format[2] == '%') {
        (void)va_arg(arguments, const char *);
        member.type = va_arg(arguments, const char *);
        member.name = va_arg(arguments, const char *);
        if (format[8] == '=' && format[9] == ' ' && format[11] == 'p')
            member.pointer = va_arg(arguments, const void *);
    }
    va_end(arguments);
    visitor(user, &member);
}

/* Expands to: an overload for members that are pointers to elements of a type, or that are passed by their address. */
#define TW_INTERNAL_VISIT(type_, bytes, part_bytes)                                                                    \
    static __attribute__((unused, overloadable)) void tw_internal_visit(                                               \
        tw_internal_member_visitor visitor, void *user, const char *format, const char *indent, const char *type,      \
        const char *name, const volatile type_ *pointer)                                                               \
    {                                                                                                                  \
        const struct tw_internal_member member = {format, type, name, (const void *)pointer, bytes, part_bytes};       \
        (void)indent;                                                                                                  \
        visitor(user, &member);                                                                                        \
    }
#define TW_INTERNAL_VISIT_NUMBER(type) TW_INTERNAL_VISIT(type, sizeof(type), sizeof(type))
TW_INTERNAL_VISIT(void, 0, 0)
TW_INTERNAL_VISIT_NUMBER(bool)
TW_INTERNAL_VISIT_NUMBER(short)
TW_INTERNAL_VISIT_NUMBER(unsigned short)
TW_INTERNAL_VISIT_NUMBER(int)
TW_INTERNAL_VISIT_NUMBER(unsigned)
TW_INTERNAL_VISIT_NUMBER(long)
TW_INTERNAL_VISIT_NUMBER(unsigned long)
TW_INTERNAL_VISIT_NUMBER(long long)
TW_INTERNAL_VISIT_NUMBER(unsigned long long)
TW_INTERNAL_VISIT_NUMBER(_Float16)
TW_INTERNAL_VISIT_NUMBER(float)
TW_INTERNAL_VISIT_NUMBER(double)
TW_INTERNAL_VISIT_NUMBER(long double)
#ifndef __cplusplus
TW_INTERNAL_VISIT(_Complex float, sizeof(_Complex float), sizeof(float))
TW_INTERNAL_VISIT(_Complex double, sizeof(_Complex double), sizeof(double))
#endif

/* Calls `visitor` for the members of `args`, a pointer to a block. */
#define TW_INTERNAL_VISIT_BLOCK(args, visitor, user) __builtin_dump_struct(args, tw_internal_visit, visitor, user)

#endif

#include <teamwork/lower/vector/visit_vectors.h>

#endif
