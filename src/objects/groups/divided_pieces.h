/* SPDX-License-Identifier: Apache-2.0 */
/** Which device runs which part of a divided launch, and what that accesses. */
#ifndef TEAMWORK_OBJECTS_DIVIDED_PIECES_H
#define TEAMWORK_OBJECTS_DIVIDED_PIECES_H

#include "submission.h"

/* Makes the pieces. Fails if the launch says too little about what it accesses, or pieces would write the same. */
tw_status tw_divided_make_pieces(struct tw_submission *all);

#endif
