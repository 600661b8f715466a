/* SPDX-License-Identifier: Apache-2.0 */
/** Why commands failed, and what they say about it. */
#ifndef TEAMWORK_BASE_FAILURE_H
#define TEAMWORK_BASE_FAILURE_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/status.h>

/* Why something failed: counted references, which cancelled nodes and lost resources have too. The caller embeds it
   first in what it knows of the failure. */
struct tw_cause {
    size_t references;
    void (*free)(struct tw_cause *cause); /* called with the last reference */
};

/* NULL is allowed. */
void tw_cause_retain(struct tw_cause *cause);
void tw_cause_release(struct tw_cause *cause);

/* The first cause of failed commands; knows all by itself, since the kernel's library may be gone. Counted: by the
   commands that failed by it, and by what the graph knows to be cancelled or lost. */
struct tw_failure {
    struct tw_cause cause; /* first: the graph's view */
    tw_status status;
    int line;
    const char *kernel, *file; /* or NULL; in the same allocation */
    char message[];            /* one sentence */
};

/* Makes a failure, with one reference; falls back to a static one when memory is exhausted. The message is the thread's
   tw_task_detail(). */
struct tw_failure *tw_failure_make_locked(tw_status status, const char *kernel, const char *file, int line);
const char *tw_failure_message(const struct tw_failure *failure);
/* Whether a message says "kernel K", so that nobody need say it before. */
bool tw_names_kernel(const char *message, const char *kernel);
#define TW_DESCRIPTION_BYTES 900
/* "kernel K (file:line), which failed: message", with each kernel's name once. Returns `description`. */
const char *tw_failure_describe(const struct tw_failure *failure, char description[TW_DESCRIPTION_BYTES]);
#endif
