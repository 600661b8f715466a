/* SPDX-License-Identifier: Apache-2.0 */
/** The runtime's start, at the first call that needs devices, and its end by tw_shutdown() or with the program. */
#ifndef TEAMWORK_OBJECTS_LIFETIME_H
#define TEAMWORK_OBJECTS_LIFETIME_H

#include <teamwork/status.h>

/* Finds the devices unless that has been done. Takes the discovery lock. */
tw_status tw_discover(void);
/* Does the same and holds off tw_shutdown() until tw_runtime_leave(): for calls that create objects. Each call needs a
   tw_runtime_leave(), even if it failed. Calls nest. */
tw_status tw_runtime_enter(void);
void tw_runtime_leave(void);

#endif
