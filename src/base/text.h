/* SPDX-License-Identifier: Apache-2.0 */
/** Strings that are kept in one block with what they belong to. */
#ifndef TEAMWORK_BASE_TEXT_H
#define TEAMWORK_BASE_TEXT_H

#include <stddef.h>

/* The bytes of a string with its end; 0 for NULL. */
size_t tw_string_bytes(const char *string);
/* Copies a string to *to, which moves on behind it. Returns the copy; NULL for NULL. */
const char *tw_string_copy(char **to, const char *string);

#endif
