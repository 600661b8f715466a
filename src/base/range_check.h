/* SPDX-License-Identifier: Apache-2.0 */
/** What is wrong with a range of the program. */
#ifndef TEAMWORK_BASE_RANGE_CHECK_H
#define TEAMWORK_BASE_RANGE_CHECK_H

#include <teamwork/range.h>
#include <teamwork/status.h>

/* Fails with the reason why a range is not valid (tw_range_is_valid()). `what` is the range, as in "the part's range". */
tw_status tw_refuse_range(const char *what, tw_range range);

#endif
