/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Sentences for the program's author: the error detail of a thread.
 *
 * The runtime and the backends report a failure in the same way: by its status and, through tw_fail(), one sentence.
 */
#ifndef TEAMWORK_BASE_DETAIL_H
#define TEAMWORK_BASE_DETAIL_H

#include <stdbool.h>

#include <teamwork/status.h>

/* Stores one sentence, formatted as by printf(), about the failure that the caller is about to return: in
   tw_task_detail() while the thread runs a task, otherwise in its tw_error_detail(). The arguments may contain the old
   sentence. Returns `status`. */
tw_status tw_fail(tw_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
#ifdef __clang_analyzer__ /* it does not look into other files, and would assume any status here */
#define tw_fail(status, ...) (tw_fail((status), __VA_ARGS__), (status))
#endif

/* Adds the code of a lower interface to the failure that this thread has just reported by tw_fail(). The next tw_fail()
   drops it. Returns `status`. */
tw_status tw_fail_native(tw_status status, tw_native_api api, int code);
#ifdef __clang_analyzer__
#define tw_fail_native(status, api, code) (tw_fail_native((status), (api), (code)), (status))
#endif

/* Returns the code of the last failure in a task of this thread. */
tw_native_code tw_task_native_code(void);

/* Begins or ends a task on this thread. In between, tw_fail() does not change tw_error_detail(). Returns what was set
   before. */
bool tw_detail_of_task(bool begin);

/* Returns the sentence about the last failure in a task of this thread. */
const char *tw_task_detail(void);

/* Notes that the launch that is about to fail has run no part of its kernel. So its data are unchanged, and the kernel
   may run elsewhere. */
void tw_refuse_launch(void);

/* Returns true if the last task of this thread called tw_refuse_launch(). */
bool tw_launch_was_refused(void);

#endif
