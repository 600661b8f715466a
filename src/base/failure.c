/* SPDX-License-Identifier: Apache-2.0 */
/* Failures, and the sentences about them. Knows no command. */
#include "failure.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detail.h"
#include "log.h"
#include "text.h"

void tw_cause_retain(struct tw_cause *cause)
{
    if (cause)
        ++cause->references;
}

void tw_cause_release(struct tw_cause *cause)
{
    if (cause && --cause->references == 0)
        cause->free(cause);
}

static void keep_failure(struct tw_cause *cause)
{
    (void)cause;
}

static void free_failure(struct tw_cause *cause)
{
    free(cause);
}

/* Used when there is no memory for another failure. ISO C cannot initialize a flexible array member, so
   tw_failure_message() supplies the message. */
static struct tw_failure out_of_memory_failure = {
    .cause = {.free = keep_failure}, .status = TW_ERROR_OUT_OF_MEMORY, .what = "a command"};

struct tw_failure *tw_failure_make_locked(tw_status status, const char *what, const char *kernel, const char *file,
                                          int line)
{
    static uint64_t last_number; /* under the lock */
    struct tw_failure *failure =
        malloc(sizeof *failure + tw_string_bytes(tw_task_detail()) + tw_string_bytes(kernel) + tw_string_bytes(file));
    if (!failure) {
        tw_cause_retain(&out_of_memory_failure.cause);
        return &out_of_memory_failure;
    }
    *failure = (struct tw_failure){.cause = {1, free_failure},
                                   .status = status,
                                   .line = line,
                                   .number = ++last_number,
                                   .native = tw_task_native_code(),
                                   .what = what};
    char *to = failure->message;
    tw_string_copy(&to, tw_task_detail());
    failure->kernel = tw_string_copy(&to, kernel);
    failure->file = tw_string_copy(&to, file);
    if (tw_logs(TW_LOG_ERROR)) {
        char description[TW_DESCRIPTION_BYTES];
        tw_log_line(TW_LOG_ERROR, "%s: %s", tw_status_name(status), tw_failure_describe(failure, description));
    }
    return failure;
}

const char *tw_failure_message(const struct tw_failure *failure)
{
    return failure == &out_of_memory_failure ? "memory was exhausted while reporting an error" : failure->message;
}

bool tw_names_kernel(const char *message, const char *kernel)
{
    static const char word[] = "kernel ";
    const size_t length = strlen(kernel);
    for (const char *at = strstr(message, word); at; at = strstr(at, word)) {
        at += sizeof word - 1;
        if (strncmp(at, kernel, length) == 0 && at[length] != '_' && !isalnum((unsigned char)at[length]))
            return true;
    }
    return false;
}

const char *tw_failure_describe(const struct tw_failure *failure, char description[TW_DESCRIPTION_BYTES])
{
    char where[TW_DESCRIPTION_BYTES / 2] = "";
    if (failure->file)
        snprintf(where, sizeof where, " (%s:%d)", failure->file, failure->line);
    const char *message = tw_failure_message(failure), *kernel = failure->kernel;
    if (kernel && tw_names_kernel(message, kernel))
        snprintf(description, TW_DESCRIPTION_BYTES, "a kernel%s, which failed: %.400s", where, message);
    else
        snprintf(description, TW_DESCRIPTION_BYTES, "%s%s%s, which failed: %.400s", kernel ? "kernel " : failure->what,
                 kernel ? kernel : "", where, message);
    return description;
}
