/* SPDX-License-Identifier: Apache-2.0 */
/* The error detail of a thread, and the detail of the task that it runs. Knows no object. */
#include "detail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "log.h"

#define DETAIL_BYTES 1024

static _Thread_local char detail[DETAIL_BYTES];
static _Thread_local char task_detail[DETAIL_BYTES];
static _Thread_local tw_native_code native_code, task_native_code; /* of the two details */
static _Thread_local bool in_task;
static _Thread_local bool refused; /* the task has called tw_refuse_launch() */

const char *tw_error_detail(void)
{
    return detail;
}

const char *tw_task_detail(void)
{
    return task_detail;
}

tw_native_code tw_error_native_code(void)
{
    return native_code;
}

tw_native_code tw_task_native_code(void)
{
    return task_native_code;
}

tw_status(tw_fail_native)(tw_status status, tw_native_api api, int code)
{
    *(in_task ? &task_native_code : &native_code) = (tw_native_code){api, code};
    return status;
}

bool tw_detail_of_task(bool begin)
{
    const bool before = in_task;
    in_task = begin;
    if (begin)
        refused = false;
    return before;
}

/* in parentheses, since the analyzer sees a macro of this name */
tw_status(tw_fail)(tw_status status, const char *format, ...)
{
    char text[DETAIL_BYTES]; /* a copy, since the arguments may contain the detail itself */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(in_task ? task_detail : detail, text, sizeof text);
    if (!in_task && status != TW_SUCCESS) /* a task's failure is logged where it is known what fails (failure.c) */
        tw_log(TW_LOG_ERROR, "%s: %s", tw_status_name(status), text);
    return tw_fail_native(status, TW_NATIVE_NONE, 0);
}

void tw_refuse_launch(void)
{
    refused = true;
}

bool tw_launch_was_refused(void)
{
    return refused;
}
