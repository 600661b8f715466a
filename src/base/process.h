/* SPDX-License-Identifier: Apache-2.0 */
/** What happens to a process around the library: fork(), copies of the library, callbacks that do not return. */
#ifndef TEAMWORK_BASE_PROCESS_H
#define TEAMWORK_BASE_PROCESS_H

#include <stdbool.h>

#include <teamwork/status.h>

/* This process is a fork() of one that had used the library: there are no workers, and any lock but tw_lock() may be
   taken for ever. Written only while the process has one thread. */
extern bool tw_is_forked;
/* Called before the first thing that a fork() cannot take along. */
void tw_note_start(void);
bool tw_has_started(void);
tw_status tw_refuse_fork(void);
/* Whether the library can be used in this process; what waits, or takes another lock than tw_lock(), asks before. */
static inline tw_status tw_check_process(void)
{
    return __builtin_expect(tw_is_forked, 0) ? tw_refuse_fork() : TW_SUCCESS;
}

tw_status tw_refuse_copy(void); /* tw_check_copy() */

/* For a variable that is set when a callback of a storage has returned: ends the program where it does not. Whoever
   waits for the callback would wait for ever, and there is nobody to tell. */
#define TW_ENDS_UNLESS_TRUE __attribute__((cleanup(tw_end_unless_returned), unused)) /* but for the cleanup */
void tw_end_unless_returned(const bool *returned);

#endif
