/* SPDX-License-Identifier: Apache-2.0 */
/** Running commands that fell back. */
#ifndef TEAMWORK_RUNTIME_FALLBACK_RUN_H
#define TEAMWORK_RUNTIME_FALLBACK_RUN_H

#include "command.h"

/* Runs it: brings what it needs, launches its kernel, and hands over what it wrote. Without the lock. */
tw_status tw_fallback_run(struct tw_command *command);

#endif
