/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Which copy of the library an object belongs to. One is in each program or library that is linked with the static one,
 * besides the shared one. They share nothing; queues and buffers begin with the address of their copy's tw_this_copy.
 */
#ifndef TEAMWORK_OBJECTS_COPY_H
#define TEAMWORK_OBJECTS_COPY_H

#include <teamwork/status.h>

#include "base/process.h"

extern const char tw_this_copy;

/* Whether a queue or a buffer, not NULL, is of this copy. */
static inline tw_status tw_check_copy(const void *object)
{
    return __builtin_expect(*(const char *const *)object != &tw_this_copy, 0) ? tw_refuse_copy() : TW_SUCCESS;
}

#endif
