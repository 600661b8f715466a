/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storage objects (spec 3.6.3): telling the program when a buffer's contents are in use, and the copy to where they go in
 * the end. Knows commands only by their number, but for the last access to a buffer, which it makes itself.
 *
 * What there is to tell is noted under the lock and told without it, by one thread at a time for each buffer, from
 * tw_reclaim().
 */
#include <teamwork/storage.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

/* The rest is under the lock. Uses are the times between a first command and none. */
struct tw_storage_state {
    tw_storage storage;
    size_t active;                                   /* commands and accesses, submitted and not complete */
    unsigned long uses, told_in_use, told_completed; /* told_completed <= told_in_use <= uses */
    bool posted, telling;
    bool destroyed;          /* destroy() has returned */
    bool finished;           /* or about to be told so */
    bool told_all;           /* finished() has returned */
    pthread_cond_t told;     /* told_all, with the lock */
    struct tw_command *last; /* brings the contents home; counted */
    tw_status status;        /* of that */
    struct tw_buffer *next_posted;
};

static struct tw_buffer *posted; /* with something to tell; each counts as a use of the buffer */
static size_t tellers;           /* threads in tw_storage_tell() */
static pthread_cond_t all_told = PTHREAD_COND_INITIALIZER; /* no tellers, with the lock */

/* ---- noting what happens ---------------------------------------------------------------------------------------------- */

static void post_locked(struct tw_buffer *buffer)
{
    if (buffer->storage->posted)
        return;
    buffer->storage->posted = true;
    ++buffer->uses;
    buffer->storage->next_posted = posted;
    posted = buffer;
    tw_reclaim_soon();
}

bool tw_storage_has_news_locked(void)
{
    return posted != NULL;
}

void tw_storage_begin_locked(struct tw_buffer *buffer, const struct tw_command *command)
{
    if (command == buffer->storage->last)
        return;
    if (buffer->storage->active++ == 0) {
        ++buffer->storage->uses;
        post_locked(buffer);
    }
}

void tw_storage_end_locked(struct tw_buffer *buffer, const struct tw_command *command)
{
    if (command == buffer->storage->last || --buffer->storage->active == 0)
        post_locked(buffer);
}

void tw_storage_acquired_locked(struct tw_buffer *buffer)
{
    if (buffer->storage && buffer->storage->last)
        post_locked(buffer);
}

/* ---- telling ---------------------------------------------------------------------------------------------------------- */

static void call(void (*callback)(void *user), void *user)
{
    if (callback)
        callback(user);
}

/* The contents are on the host, or lost. Takes the lock held, releases it meanwhile. */
static void end_last_locked(struct tw_buffer *buffer)
{
    struct tw_storage_state *state = buffer->storage;
    struct tw_command *last = state->last;
    if (!last->complete) {
        tw_unlock();
        void *to = state->storage.final_data(state->storage.user);
        const void *from = atomic_load(&buffer->places[0].address);
        if (to && to != from)
            memcpy(to, from, buffer->bytes);
        tw_lock();
        tw_command_finish_access_locked(last, NULL);
    } else if (last->status != TW_SUCCESS) {
        state->status = last->status == TW_ERROR_CANCELLED ? TW_ERROR_DATA_LOST : last->status;
    }
    state->last = NULL;
    tw_command_release_locked(last);
}

/* Tells the next thing, with the lock released meanwhile. False: there is nothing to tell. */
static bool tell_next_locked(struct tw_buffer *buffer)
{
    struct tw_storage_state *state = buffer->storage;
    const tw_storage *storage = &state->storage;
    const bool in_use = state->told_completed < state->told_in_use;
    if (in_use && (state->told_in_use < state->uses || !state->active)) {
        ++state->told_completed;
        tw_unlock();
        call(storage->completed, storage->user);
    } else if (!in_use && state->told_in_use < state->uses) {
        ++state->told_in_use;
        tw_unlock();
        call(storage->in_use, storage->user);
    } else if (state->last && !state->active && (state->last->acquired || state->last->complete)) {
        end_last_locked(buffer);
        return true;
    } else if (state->destroyed && !state->last && !state->active && !state->finished) {
        state->finished = true;
        tw_unlock();
        if (storage->finished)
            storage->finished(storage->user, state->status);
        tw_lock();
        state->told_all = true;
        pthread_cond_broadcast(&state->told);
        return true;
    } else {
        return false;
    }
    tw_lock();
    return true;
}

static void tell_locked(struct tw_buffer *buffer)
{
    if (buffer->storage->telling)
        return; /* that thread sees what is new, too */
    buffer->storage->telling = true;
    while (tell_next_locked(buffer)) {
    }
    buffer->storage->telling = false;
}

void tw_storage_tell(void)
{
    tw_lock();
    ++tellers;
    while (posted) {
        struct tw_buffer *buffer = posted;
        posted = buffer->storage->next_posted;
        buffer->storage->posted = false;
        tell_locked(buffer);
        tw_buffer_unuse_locked(buffer);
    }
    if (--tellers == 0)
        pthread_cond_broadcast(&all_told);
    tw_unlock();
}

void tw_storage_settle(void)
{
    tw_lock();
    while (tellers)
        tw_sleep_locked(&all_told, NULL);
    tw_unlock();
}

/* ---- the end of a buffer ---------------------------------------------------------------------------------------------- */

static struct tw_command *unfinished_last(const void *what)
{
    const struct tw_buffer *buffer = what;
    struct tw_command *last = buffer->storage->last;
    return !last || last->acquired || last->complete ? NULL : last;
}

static bool has_contents_locked(const struct tw_buffer *buffer)
{
    for (size_t place = 0; place < buffer->place_count; ++place)
        if (buffer->places[place].valid)
            return true;
    return false;
}

/* Submits the access that brings the contents home. */
static tw_status submit_last_locked(struct tw_buffer *buffer, struct tw_command *command)
{
    command->device = tw_host_device();
    command->lane = command->device->system;
    command->body.kind = TW_TASK_HOST_ACCESS;
    command->uses[0] = (struct tw_use){.buffer = buffer, .needs = true, .writes = true};
    command->use_count = 1;
    buffer->storage->last = command;
    ++buffer->uses;
    const tw_status status = tw_command_submit_locked(command);
    if (status != TW_SUCCESS) {
        buffer->storage->last = NULL;
        tw_buffer_unuse_locked(buffer);
    }
    return status;
}

bool tw_storage_destroy(struct tw_buffer *buffer, tw_status *status)
{
    struct tw_storage_state *state = buffer->storage;
    struct tw_command *command = NULL;
    tw_status submitted = TW_SUCCESS;
    if (state->storage.final_data) { /* all that may be refused comes before destroy(), which is called once */
        command = tw_buffer_allocate(buffer, 0) == TW_SUCCESS
                      ? tw_command_create(&(struct tw_memory){.block = NULL}, 1, 1, 0)
                      : NULL;
        if (!command) {
            *status = tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to bring the buffer's contents to the host");
            return false;
        }
    }
    tw_storage_tell();
    call(state->storage.destroy, state->storage.user);
    tw_lock();
    const bool busy = state->active > 0;
    if (command && has_contents_locked(buffer))
        submitted = submit_last_locked(buffer, command);
    if (command && !state->last)
        tw_command_release_locked(command);
    state->destroyed = true;
    state->status = submitted;
    post_locked(buffer);
    if (!busy)
        tw_wait_locked(unfinished_last, buffer, NULL);
    tw_unlock();
    tw_storage_tell();
    tw_lock();
    while (!busy && !state->told_all) /* another thread does */
        tw_sleep_locked(&state->told, NULL);
    *status = busy ? TW_SUCCESS : state->status;
    tw_unlock();
    if (*status != TW_SUCCESS)
        tw_fail(*status, "the contents of the buffer did not come to where its storage wants them");
    return true;
}

void tw_storage_free(struct tw_storage_state *state)
{
    if (state)
        pthread_cond_destroy(&state->told);
    free(state);
}

/* ---- creation --------------------------------------------------------------------------------------------------------- */

static tw_status attach(struct tw_buffer *buffer, const tw_storage *storage)
{
    void *host = storage->host_data ? storage->host_data(storage->user) : NULL;
    const void *initial = storage->initial_data ? storage->initial_data(storage->user) : NULL;
    struct tw_storage_state *state = calloc(1, sizeof *state);
    if (!state)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a buffer's storage");
    state->storage = *storage;
    pthread_cond_init(&state->told, NULL);
    if (host)
        atomic_store(&buffer->places[0].address, host);
    const tw_status status = initial ? tw_buffer_allocate(buffer, 0) : TW_SUCCESS;
    if (status != TW_SUCCESS) {
        tw_storage_free(state);
        return status;
    }
    if (initial && initial != host)
        memcpy(atomic_load(&buffer->places[0].address), initial, buffer->bytes);
    buffer->places[0].valid = initial != NULL;
    buffer->storage = state;
    return TW_SUCCESS;
}

tw_status tw_buffer_create_with_storage(const tw_storage *storage, size_t element_bytes, tw_range range,
                                        tw_buffer **result)
{
    struct tw_buffer *buffer = NULL;
    if (!storage || !result)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%s is NULL", storage ? "the place for the buffer" : "the storage");
    tw_status status = tw_buffer_create(element_bytes, range, &buffer);
    if (status != TW_SUCCESS)
        return status;
    if (storage->bytes && storage->bytes != buffer->bytes)
        status =
            tw_fail(TW_ERROR_INVALID_RANGE, "the storage has %zu bytes, the buffer %zu", storage->bytes, buffer->bytes);
    else
        status = attach(buffer, storage);
    if (status == TW_SUCCESS) {
        *result = buffer;
        return status;
    }
    char detail[256];
    snprintf(detail, sizeof detail, "%s", tw_error_detail());
    tw_buffer_destroy(&buffer);
    return tw_fail(status, "%s", detail);
}
