/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Sentences for the program's author: the error detail of a thread, and warnings.
 *
 * The runtime and the backends report a failure in the same way: by its status and, through tw_fail(), one sentence.
 */
#ifndef TEAMWORK_BASE_DETAIL_H
#define TEAMWORK_BASE_DETAIL_H

#include <stdbool.h>

#include <teamwork/status.h>

/* Keeps one sentence, formatted as printf() does, for the failure that the caller is about to return: tw_error_detail()
   of this thread, or the detail of the task that it runs. The arguments may contain the old sentence. Returns `status`.
   */
tw_status tw_fail(tw_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
#ifdef __clang_analyzer__ /* which does not look into other files, so it would take any status to come back */
#define tw_fail(status, ...) (tw_fail((status), __VA_ARGS__), (status))
#endif

/* Begins or ends a task on this thread. In between tw_fail() is about the task, and leaves tw_error_detail() alone. */
void tw_detail_of_task(bool begin);

/* The sentence about the last failure in a task of this thread. */
const char *tw_task_detail(void);

/* Says that nothing has run of the kernel whose launch is about to fail: so all that it would have modified is as it
   was, and it may run elsewhere. */
void tw_refuse_launch(void);

/* Whether the last task of this thread said so. */
bool tw_launch_was_refused(void);

/* Prints one sentence on the standard error stream, unless TW_WARNINGS is 0. */
void tw_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
