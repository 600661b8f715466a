/* SPDX-License-Identifier: Apache-2.0 */
/** Strings that are stored in one block with their owner. */
#ifndef TEAMWORK_BASE_TEXT_H
#define TEAMWORK_BASE_TEXT_H

#include <stddef.h>

/* Returns the bytes of a string with its terminator; 0 for NULL. */
size_t tw_string_bytes(const char *string);
/* Copies a string to *to, and moves *to behind the copy. Returns the copy; NULL for NULL. */
const char *tw_string_copy(char **to, const char *string);

#endif
