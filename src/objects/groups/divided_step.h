/* SPDX-License-Identifier: Apache-2.0 */
/** Copies, fills, prefetches and variables on several devices. */
#ifndef TEAMWORK_OBJECTS_DIVIDED_STEP_H
#define TEAMWORK_OBJECTS_DIVIDED_STEP_H

#include "submission.h"

/* Records the groups of such a step. */
tw_status tw_divided_record_step(struct tw_submission *all);

#endif
