/* SPDX-License-Identifier: Apache-2.0 */
/** The pointers among a launch's captures. */
#ifndef TEAMWORK_OBJECTS_KERNEL_POINTERS_H
#define TEAMWORK_OBJECTS_KERNEL_POINTERS_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/kernel_object.h>

struct tw_command_group;
struct tw_data;

/* Fails if a pointer in a block is NULL though an accessor should have given it, or leads to a buffer of the group whose
   elements have another size; or if memory is exhausted. */
tw_status tw_kernel_check_pointers(const struct tw_command_group *group, const tw_kernel *kernel, const void *block);

/* Lists the pointers that the compiler tells of in a kernel's block: kernel->pointers, from 1 on. Stores their number. Those in
   arrays of structs are not among them: `may_be_null` of the first entry, number 0, is true if there may be some. Fails if
   memory is exhausted. */
tw_status tw_kernel_list_pointers(const tw_kernel *kernel, unsigned *count);

/* Returns true if the list has a pointer at an offset of the block. */
bool tw_kernel_has_pointer_at(const tw_kernel *kernel, size_t at);

/* Returns the contents, of those that a group accesses, in which an address on its device lies; NULL if it lies in none.
   Stores how many bytes it is behind the first one. */
struct tw_data *tw_kernel_data_at(const struct tw_command_group *group, const void *address, size_t *offset);

/* Makes the pointers in a block NULL that are TW_NULL. Fails if memory is exhausted. */
tw_status tw_kernel_set_nulls(const tw_kernel *kernel, void *block);

#endif
