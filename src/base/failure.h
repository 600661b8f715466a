/* SPDX-License-Identifier: Apache-2.0 */
/** Why commands failed: a status and a message, counted by all that the failure affects. */
#ifndef TEAMWORK_BASE_FAILURE_H
#define TEAMWORK_BASE_FAILURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <teamwork/status.h>

/* Why something failed, as the graph knows it: a reference count. Cancelled nodes and lost resources hold references
   too. The caller embeds it first in its own struct. */
struct tw_cause {
    size_t references;
    void (*free)(struct tw_cause *cause); /* called when the last reference is released */
};

/* Under the lock. NULL is allowed. */
void tw_cause_retain(struct tw_cause *cause);
void tw_cause_release(struct tw_cause *cause);

/* The first cause of failed commands. It has copies of all strings, since the kernel's library may be unloaded.
   References are held by the commands that it made fail, and by what the graph keeps as cancelled or lost. */
struct tw_failure {
    struct tw_cause cause; /* first: the graph's view */
    tw_status status;
    int line;
    uint64_t number; /* never that of another failure; 0: it has none */
    tw_native_code native;
    const char *what;          /* of what failed, a constant: "a command graph"; for what has no kernel's name */
    const char *kernel, *file; /* in the same allocation; or NULL */
    char message[];            /* one sentence */
};

/* Makes a failure with one reference, and the thread's tw_task_detail() and tw_task_native_code(). Returns a static failure if
   memory is exhausted. */
struct tw_failure *tw_failure_make_locked(tw_status status, const char *what, const char *kernel, const char *file,
                                          int line);
const char *tw_failure_message(const struct tw_failure *failure);
/* Returns true if a message contains "kernel K", so that the kernel need not be named again. */
bool tw_names_kernel(const char *message, const char *kernel);
#define TW_DESCRIPTION_BYTES 900
/* Writes "kernel K (file:line), which failed: message", naming the kernel once, or else `what`. Returns `description`. */
const char *tw_failure_describe(const struct tw_failure *failure, char description[TW_DESCRIPTION_BYTES]);
#endif
