/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Copies of the library in one process: the shared library, and one in each program or library that is linked with the
 * static one. They share nothing. Queues and buffers begin with the address of tw_this_copy in the copy that made them.
 */
#ifndef TEAMWORK_BASE_COPY_H
#define TEAMWORK_BASE_COPY_H

#include <teamwork/status.h>

#include "process.h"

extern const char tw_this_copy;

/* Fails if another copy made the queue or buffer `object`, which is not NULL. */
static inline tw_status tw_check_copy(const void *object)
{
    return __builtin_expect(*(const char *const *)object != &tw_this_copy, 0) ? tw_refuse_copy() : TW_SUCCESS;
}

#endif
