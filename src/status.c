/* SPDX-License-Identifier: Apache-2.0 */
/* Status names, the thread's error detail, failures, the runtime's lock and its count of objects. Knows no device. */
#define _GNU_SOURCE
#include "runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/version.h>

#define DETAIL_BYTES 1024

static _Thread_local char detail[DETAIL_BYTES];
static _Thread_local char task_detail[DETAIL_BYTES];
static _Thread_local bool in_task;

unsigned tw_version(void)
{
    return TW_VERSION;
}

const char *tw_status_name(tw_status status)
{
    switch (status) {
#define NAME(name, value, meaning)                                                                                     \
    case name:                                                                                                         \
        return #name;
        TW_STATUS_LIST(NAME)
#undef NAME
    default:
        return "TW_ERROR_UNKNOWN";
    }
}

const char *tw_status_meaning(tw_status status)
{
    switch (status) {
#define MEANING(name, value, meaning)                                                                                  \
    case name:                                                                                                         \
        return meaning;
        TW_STATUS_LIST(MEANING)
#undef MEANING
    default:
        return "not a status of this library";
    }
}

const char *tw_error_detail(void)
{
    return detail;
}

/* The arguments may contain the detail itself, so it is formatted aside. */
static void set_detail(const char *format, va_list arguments)
{
    char text[DETAIL_BYTES];
    vsnprintf(text, sizeof text, format, arguments);
    memcpy(in_task ? task_detail : detail, text, sizeof text);
}

void tw_detail_of_task(bool begin)
{
    in_task = begin;
}

tw_status tw_fail(tw_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_detail(format, arguments);
    va_end(arguments);
    return status;
}

tw_status tw_backend_complain(tw_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_detail(format, arguments);
    va_end(arguments);
    return status;
}

/* ---- the lock --------------------------------------------------------------------------------------------------- */

pthread_mutex_t tw_mutex = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static size_t objects;              /* under tw_mutex */
static struct tw_failure *failures; /* under tw_mutex */

void tw_lock(void)
{
    pthread_mutex_lock(&tw_mutex);
}

void tw_unlock(void)
{
    pthread_mutex_unlock(&tw_mutex);
}

void tw_object_born_locked(void)
{
    ++objects;
}

void tw_object_died_locked(void)
{
    if (--objects == 0)
        tw_failures_free_locked();
}

size_t tw_object_count_locked(void)
{
    return objects;
}

/* ---- failures --------------------------------------------------------------------------------------------------- */

/* Stands in when there is no memory to say more. A flexible array member cannot be initialized in ISO C, so it has no
   message: failure_message() gives one. */
static struct tw_failure speechless = {.status = TW_ERROR_OUT_OF_MEMORY};

struct tw_failure *tw_failure_make_locked(tw_status status, const char *kernel, const char *file, int line)
{
    const size_t message_bytes = strlen(task_detail) + 1, kernel_bytes = kernel ? strlen(kernel) + 1 : 0;
    struct tw_failure *failure = malloc(sizeof *failure + message_bytes + kernel_bytes);
    if (!failure)
        return &speechless;
    *failure = (struct tw_failure){.next = failures, .status = status, .file = file, .line = line};
    memcpy(failure->message, task_detail, message_bytes);
    if (kernel) {
        failure->kernel = failure->message + message_bytes;
        memcpy(failure->kernel, kernel, kernel_bytes);
    }
    failures = failure;
    return failure;
}

const char *tw_failure_message(const struct tw_failure *failure)
{
    return failure == &speechless ? "memory was exhausted while reporting an error" : failure->message;
}

const char *tw_failure_story(const struct tw_failure *failure, char story[TW_STORY_BYTES])
{
    char where[TW_STORY_BYTES / 2] = "";
    if (failure->file)
        snprintf(where, sizeof where, " (%s:%d)", failure->file, failure->line);
    snprintf(story, TW_STORY_BYTES, "%s%s%s, which failed: %.400s", failure->kernel ? "kernel " : "a data movement",
             failure->kernel ? failure->kernel : "", where, tw_failure_message(failure));
    return story;
}

void tw_failures_free_locked(void)
{
    while (failures) {
        struct tw_failure *next = failures->next;
        free(failures);
        failures = next;
    }
}
