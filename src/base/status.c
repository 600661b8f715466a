/* SPDX-License-Identifier: Apache-2.0 */
/* Status names, failures, the runtime's lock and its count of objects. Knows no device. */
#define _GNU_SOURCE
#include "runtime.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/version.h>

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

size_t tw_string_bytes(const char *string)
{
    return string ? strlen(string) + 1 : 0;
}

const char *tw_string_copy(char **to, const char *string)
{
    const size_t bytes = tw_string_bytes(string);
    if (!bytes)
        return NULL;
    const char *copy = memcpy(*to, string, bytes);
    *to += bytes;
    return copy;
}

/* ---- the lock --------------------------------------------------------------------------------------------------- */

/* The lock is held for less time than it takes to put a thread to sleep and to wake it, so who finds it taken polls for a
   while. It polls a flag and not the mutex, whose cache line the holder needs. Only where the holder itself does not run,
   or very many threads compete, does anyone sleep. */
#define POLLS 400u

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool taken;      /* a hint: written by the holder, read by who polls */
static uint64_t held_since_ns; /* or 0: nobody has asked yet; under the lock */
static size_t objects;         /* under the lock */

static void begin_hold(void)
{
    atomic_store_explicit(&taken, true, memory_order_relaxed);
    held_since_ns = 0;
}

static void end_hold(void)
{
    atomic_store_explicit(&taken, false, memory_order_relaxed);
}

static bool poll_for_lock(void)
{
    for (unsigned polls = 0; polls < POLLS; ++polls) {
        if (!atomic_load_explicit(&taken, memory_order_relaxed) && pthread_mutex_trylock(&mutex) == 0)
            return true;
        tw_pause();
    }
    return false;
}

void tw_lock(void)
{
    if (pthread_mutex_trylock(&mutex) != 0 && !poll_for_lock())
        pthread_mutex_lock(&mutex);
    begin_hold();
}

void tw_unlock(void)
{
    end_hold();
    pthread_mutex_unlock(&mutex);
}

void tw_sleep_locked(pthread_cond_t *condition, const struct timespec *until)
{
    TW_DEFER_CANCELLATION; /* a thread that ended here would keep the lock */
    end_hold();
    if (until)
        pthread_cond_timedwait(condition, &mutex, until);
    else
        pthread_cond_wait(condition, &mutex);
    begin_hold();
}

uint64_t tw_held_ns(void)
{
    if (!held_since_ns)
        held_since_ns = tw_now_ns();
    return held_since_ns;
}

void tw_object_born_locked(void)
{
    ++objects;
}

void tw_object_died_locked(void)
{
    --objects;
}

size_t tw_object_count_locked(void)
{
    return objects;
}

/* ---- failures --------------------------------------------------------------------------------------------------- */

static void keep_failure(struct tw_cause *cause)
{
    (void)cause;
}

static void free_failure(struct tw_cause *cause)
{
    free(cause);
}

/* Stands in when there is no memory to say more. A flexible array member cannot be initialized in ISO C, so it has no
   message: tw_failure_message() gives one. */
static struct tw_failure speechless = {.cause = {.free = keep_failure}, .status = TW_ERROR_OUT_OF_MEMORY};

struct tw_failure *tw_failure_make_locked(tw_status status, const char *kernel, const char *file, int line)
{
    struct tw_failure *failure =
        malloc(sizeof *failure + tw_string_bytes(tw_task_detail()) + tw_string_bytes(kernel) + tw_string_bytes(file));
    if (!failure) {
        tw_cause_retain(&speechless.cause);
        return &speechless;
    }
    *failure = (struct tw_failure){.cause = {1, free_failure}, .status = status, .line = line};
    char *to = failure->message;
    tw_string_copy(&to, tw_task_detail());
    failure->kernel = tw_string_copy(&to, kernel);
    failure->file = tw_string_copy(&to, file);
    return failure;
}

const char *tw_failure_message(const struct tw_failure *failure)
{
    return failure == &speechless ? "memory was exhausted while reporting an error" : failure->message;
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

const char *tw_failure_story(const struct tw_failure *failure, char story[TW_STORY_BYTES])
{
    char where[TW_STORY_BYTES / 2] = "";
    if (failure->file)
        snprintf(where, sizeof where, " (%s:%d)", failure->file, failure->line);
    const char *message = tw_failure_message(failure), *kernel = failure->kernel;
    if (kernel && tw_names_kernel(message, kernel))
        snprintf(story, TW_STORY_BYTES, "a kernel%s, which failed: %.400s", where, message);
    else
        snprintf(story, TW_STORY_BYTES, "%s%s%s, which failed: %.400s", kernel ? "kernel " : "a data movement",
                 kernel ? kernel : "", where, message);
    return story;
}
