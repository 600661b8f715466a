/* SPDX-License-Identifier: Apache-2.0 */
/* What all programs of the tutorial do with a status: if it is an error, they print its message and end. */
#ifndef TUTORIAL_CHECK_H
#define TUTORIAL_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <teamwork/teamwork.h>

static inline void check(tw_status status)
{
    if (status != TW_SUCCESS) {
        fprintf(stderr, "%s: %s\n", tw_status_name(status), tw_error_detail());
        exit(1);
    }
}

#endif
