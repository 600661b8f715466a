/* SPDX-License-Identifier: Apache-2.0 */
/** The pointers in argument blocks, and the members that hold them. */
#ifndef TEAMWORK_BASE_BLOCK_H
#define TEAMWORK_BASE_BLOCK_H

#include <stdbool.h>

#include <teamwork/lower/kernel/launch.h>

/* A pointer in a block. */
struct tw_block_pointer {
    const char *name; /* of its member, such as "grid.data" or "rows[1]" */
    const void *value;
    const void *address;        /* where it is, of an array of pointers; else NULL */
    unsigned bytes, part_bytes; /* of what it leads to (struct tw_internal_member) */
    bool may_be_null;           /* it is no member of a struct that an accessor would set: it leads to a function, is
                                         one of an array or of a union, or is the library's own */
    bool is_element;            /* of an array that is not in a union */
};

/* Called for a pointer in a block. Returns true to end the visit. */
typedef bool (*tw_block_visitor)(void *user, const struct tw_block_pointer *pointer);

/* Calls `found` for the pointers in a block until it returns true. Returns true if it did. */
bool tw_block_visit(const struct tw_internal_kernel *kernel, const void *args, tw_block_visitor found, void *user);

/* Finds the member of a block that points to `address`, and stores its name. Returns false if there is none. */
bool tw_block_member(const struct tw_internal_kernel *kernel, const void *args, const void *address, char *name,
                     size_t bytes);

/* Returns true if a kernel's block has arrays whose elements may have pointers inside, as those of structs: a visit does not see
   them. */
bool tw_block_may_hide_pointers(const struct tw_internal_kernel *kernel, const void *args);

#endif
