/* SPDX-License-Identifier: Apache-2.0 */
/* Strings in one block with their owner (text.h). */
#include "text.h"

#include <string.h>

size_t tw_string_bytes(const char *string)
{
    return string ? strlen(string) + 1 : 0;
}

const char *tw_string_copy(char **to, const char *string)
{
    const size_t bytes = tw_string_bytes(string);
    if (!bytes)
        return NULL;
    const char *copy = memcpy(*to, string, bytes);
    *to += bytes;
    return copy;
}
