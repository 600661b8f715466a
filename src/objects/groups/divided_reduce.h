/* SPDX-License-Identifier: Apache-2.0 */
/** What the pieces of a divided launch reduce, and how it is combined. */
#ifndef TEAMWORK_OBJECTS_DIVIDED_REDUCE_H
#define TEAMWORK_OBJECTS_DIVIDED_REDUCE_H

#include "submission.h"

/* Makes room for what the pieces reduce. */
tw_status tw_divided_make_partials(struct tw_submission *all);
/* Gives it back. */
void tw_divided_drop_partials(struct tw_submission *all);
/* Puts the target of a reduction into the block of the piece that is recorded. */
void tw_divided_record_reduction(const struct tw_submission *all, struct tw_command_group *group, size_t access);
/* Records the group that combines what the pieces have reduced. Returns NULL if there is no memory for it. */
struct tw_command_group *tw_divided_record_combination(const struct tw_submission *all);

#endif
