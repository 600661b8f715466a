/* SPDX-License-Identifier: Apache-2.0 */
/** What a command falls back on when it fails. */
#ifndef TEAMWORK_RUNTIME_STANDBY_H
#define TEAMWORK_RUNTIME_STANDBY_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/lower/launch.h>

#include "command.h"

/* A group as it was recorded for the fallback queue; bounds go over to the standby. */
struct tw_standby_record {
    const struct tw_internal_kernel *kernel;
    const struct tw_internal_launch *launch;
    struct tw_internal_bounds *bounds;
    const void *args;
    size_t args_bytes, use_count;
};

/* NULL: out of memory. Without the lock. */
struct tw_standby *tw_standby_create(struct tw_lane *lane, const struct tw_standby_record *record);
void tw_standby_free_locked(struct tw_standby *standby);
/* Notes where the contents are that a command needs; before its own are applied. */
void tw_standby_note_places_locked(struct tw_command *command);
/* Notes that the command's kernel may have run in part. */
void tw_standby_kernel_has_run(struct tw_command *command);
/* The body of a command that has a standby has failed, all before it is finished. Returns true if it will run there.
   Else the failure is that of the first device, also where the standby has failed. */
bool tw_standby_take_locked(struct tw_task *task, struct tw_failure **failure, bool *cancelled);
/* Runs it: brings what it needs, launches its kernel, and hands over what it wrote. Without the lock. */
tw_status tw_standby_run(struct tw_command *command);

#endif
