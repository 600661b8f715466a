/* SPDX-License-Identifier: Apache-2.0 */
/** The fallbacks of the pieces of a divided launch. */
#ifndef TEAMWORK_OBJECTS_DIVIDED_FALLBACK_H
#define TEAMWORK_OBJECTS_DIVIDED_FALLBACK_H

#include "submission.h"

/* Records a piece once more, for the case that its command fails later, if the group has a fallback queue with another
   device. `group` is the piece's, and has been recorded; its block is the submission's. If that does not succeed, the
   piece has no fallback. */
void tw_divided_record_fallback(const struct tw_submission *all, const struct tw_piece *piece,
                                struct tw_command_group *group);

#endif
