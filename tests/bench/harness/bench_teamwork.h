/* SPDX-License-Identifier: Apache-2.0 */
/* The harness for files that include Teamwork. */
#ifndef TEAMWORK_BENCH_TEAMWORK_H
#define TEAMWORK_BENCH_TEAMWORK_H

#include <teamwork/teamwork.h>

#include "bench.h"

/** Whether a call passed; if not, says so on stderr. */
static inline bool bench_passed(tw_status status)
{
    if (status != TW_SUCCESS)
        fprintf(stderr, "Teamwork: %s: %s\n", tw_status_name(status), tw_error_detail());
    return status == TW_SUCCESS;
}

#endif
