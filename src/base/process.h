/* SPDX-License-Identifier: Apache-2.0 */
/** Events of the whole process: fork(), two copies of the library, callbacks that do not return. */
#ifndef TEAMWORK_BASE_PROCESS_H
#define TEAMWORK_BASE_PROCESS_H

#include <stdbool.h>

#include <teamwork/status.h>

/* True in a child that was forked after its parent had used the library. The child has no workers, and any lock but
   tw_lock() may be locked forever. Written only while the process has one thread. */
extern bool tw_is_forked;
/* Notes that the library is used. Called before the first thing that a child does not inherit. */
void tw_note_start(void);
bool tw_has_started(void);
tw_status tw_refuse_fork(void);
/* Returns an error if tw_is_forked is set. Called before anything that waits or takes a lock other than tw_lock(). */
static inline tw_status tw_check_process(void)
{
    return __builtin_expect(tw_is_forked, 0) ? tw_refuse_fork() : TW_SUCCESS;
}

tw_status tw_refuse_copy(void); /* the error of tw_check_copy() */

/* Attribute of a bool that is set when a storage's callback has returned. If the callback does not return, the program
   ends: threads that wait for the callback would wait forever, and the error could not be reported. */
#define TW_ENDS_UNLESS_TRUE __attribute__((cleanup(tw_end_unless_returned), unused)) /* except by the cleanup */
void tw_end_unless_returned(const bool *returned);

#endif
