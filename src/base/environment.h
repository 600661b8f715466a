/* SPDX-License-Identifier: Apache-2.0 */
/** The environment variables of the library. */
#ifndef TEAMWORK_BASE_ENVIRONMENT_H
#define TEAMWORK_BASE_ENVIRONMENT_H

#include <teamwork/status.h>

/* Whether the library's variables have values that can be used, but for those that have a reader with more to say. */
tw_status tw_environment_check(void);
/* Warns of variables that seem to be misspelt; once in a process. */
void tw_environment_warn(void);

#endif
