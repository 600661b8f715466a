/* SPDX-License-Identifier: Apache-2.0 */
/** Running commands on their fallback's device. */
#ifndef TEAMWORK_RUNTIME_FALLBACK_RUN_H
#define TEAMWORK_RUNTIME_FALLBACK_RUN_H

#include "command.h"

/* Runs a command on its fallback's device: copies what it needs there, launches its kernel, and hands over what it
   wrote. Called without the lock. */
tw_status tw_fallback_run(struct tw_command *command);

#endif
