/* SPDX-License-Identifier: Apache-2.0 */
/** The environment variables of the library. */
#ifndef TEAMWORK_BASE_ENVIRONMENT_H
#define TEAMWORK_BASE_ENVIRONMENT_H

#include <teamwork/status.h>

/* Returns TW_ERROR_INVALID_CONFIGURATION if a variable has an invalid value, except those that their readers check. */
tw_status tw_environment_check(void);
/* Warns of variables whose names seem to be misspelt, once per process. */
void tw_environment_warn(void);

#endif
