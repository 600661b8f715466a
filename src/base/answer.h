/* SPDX-License-Identifier: Apache-2.0 */
/** Answers of platforms, contexts and queues to one question each. */
#ifndef TEAMWORK_BASE_ANSWER_H
#define TEAMWORK_BASE_ANSWER_H

#include <stddef.h>
#include <string.h>

#include "detail.h"

/* Copies an answer. Fails if the caller's type has another size than the one in `list`, the name of a macro. */
static inline tw_status tw_answer(void *value, size_t bytes, const void *from, size_t size, const char *list)
{
    if (bytes != size)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the answer has %zu bytes, not %zu: see %s", size, bytes, list);
    memcpy(value, from, size);
    return TW_SUCCESS;
}

#endif
