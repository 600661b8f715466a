/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storage objects (spec 3.6.3): tells the program when a buffer's contents are in use, and copies them to their final
 * place. Only counts commands, except for the last access to a buffer, which it submits itself.
 *
 * Events are noted under the lock. tw_reclaim() calls the callbacks for them without the lock, on one thread at a time
 * for each buffer.
 */
#include "storage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "async_storage.h"
#include "base/cancellation.h"
#include "base/detail.h"
#include "base/lock.h"
#include "base/process.h"
#include "host_access.h"
#include "runtime/allocation.h"
#include "runtime/run.h"
#include "runtime/submit.h"
#include "runtime/wait.h"
#include "runtime/workers.h"

/* The lock protects all but `storage`, which is constant. A use begins when `active` becomes 1, and ends at 0. */
struct tw_storage_state {
    tw_storage storage;
    size_t active; /* announced commands and host accesses, until complete */
    /* Numbers of uses, and of in_use() and completed() calls that returned: told_completed <= told_in_use <= uses. */
    unsigned long uses, told_in_use, told_completed;
    bool posted, telling;
    bool destroyed;          /* destroy() has returned */
    bool finished;           /* finished() was called, or is about to be */
    bool told_all;           /* finished() has returned */
    pthread_cond_t told;     /* signals that a callback has returned; with the lock */
    struct tw_command *last; /* host access that copies the contents home; counted */
    tw_status status;        /* of `last` */
    struct tw_buffer *next_posted;
};

static struct tw_buffer *posted; /* list of buffers with callbacks due; each counts as a use */
static size_t tellers;           /* threads in tw_storage_tell() */
static pthread_cond_t all_told = PTHREAD_COND_INITIALIZER; /* signals that `tellers` is 0; with the lock */

static bool has_news_locked(void);
static void settle(void);
static const struct tw_teller teller = {has_news_locked, tw_storage_tell, settle};

/* ---- noting what happens ----------------------------------------------------------------------------------------- */

static void post_locked(struct tw_buffer *buffer)
{
    if (buffer->storage->posted)
        return;
    buffer->storage->posted = true;
    ++buffer->uses;
    buffer->storage->next_posted = posted;
    posted = buffer;
    tw_reclaim_tell_locked(&teller);
}

static bool has_news_locked(void)
{
    return posted != NULL;
}

static void complete_locked(struct tw_buffer *buffer, const struct tw_command *command)
{
    if (command == buffer->storage->last || --buffer->storage->active == 0)
        post_locked(buffer);
}

static void ready_locked(struct tw_buffer *buffer)
{
    if (buffer->storage->last)
        post_locked(buffer);
}

/* ---- telling ----------------------------------------------------------------------------------------------------- */

static void call(void (*callback)(void *user), void *user)
{
    bool returned TW_ENDS_UNLESS_TRUE = false;
    if (callback)
        callback(user);
    returned = true;
}

/* Copies the contents from host memory to final_data(), or notes why it cannot. Releases the lock meanwhile. */
static void end_last_locked(struct tw_buffer *buffer)
{
    struct tw_storage_state *state = buffer->storage;
    struct tw_command *last = state->last;
    if (!last->complete) {
        tw_unlock();
        void *to = state->storage.final_data(state->storage.user);
        const void *from = atomic_load(&buffer->data.allocations[0].address);
        if (to && to != from)
            memcpy(to, from, buffer->data.bytes);
        tw_lock();
        tw_command_finish_access_locked(last, NULL);
    } else if (last->status != TW_SUCCESS) {
        state->status = last->status == TW_ERROR_CANCELLED ? TW_ERROR_DATA_LOST : last->status;
    }
    state->last = NULL;
    tw_command_release_locked(last);
}

/* Calls the next callback that is due, with the lock released. Returns false if none is due. */
static bool tell_next_locked(struct tw_buffer *buffer)
{
    struct tw_storage_state *state = buffer->storage;
    const tw_storage *storage = &state->storage;
    const bool in_use = state->told_completed < state->told_in_use;
    if (in_use && (state->told_in_use < state->uses || !state->active)) {
        tw_unlock();
        call(storage->completed, storage->user);
        tw_lock();
        ++state->told_completed;
    } else if (!in_use && state->told_in_use < state->uses) {
        tw_unlock();
        call(storage->in_use, storage->user);
        tw_lock();
        ++state->told_in_use;
    } else if (!state->destroyed || state->active || state->finished) {
        return false;
    } else if (state->last) {
        if (!state->last->acquired && !state->last->complete)
            return false;
        end_last_locked(buffer);
    } else {
        state->finished = true;
        tw_unlock();
        if (storage->finished)
            storage->finished(storage->user, state->status);
        tw_lock();
        state->told_all = true;
    }
    pthread_cond_broadcast(&state->told);
    return true;
}

static void tell_locked(struct tw_buffer *buffer)
{
    if (buffer->storage->telling)
        return; /* that thread makes new calls, too */
    buffer->storage->telling = true;
    while (tell_next_locked(buffer)) {
    }
    buffer->storage->telling = false;
    pthread_cond_broadcast(&buffer->storage->told);
}

/* Waits until in_use() has returned for the present use, on this or another thread. */
static void await_in_use_locked(struct tw_buffer *buffer)
{
    struct tw_storage_state *state = buffer->storage;
    const unsigned long use = state->uses;
    if (state->told_in_use >= use)
        return;
    TW_DEFER_CANCELLATION;
    bool returned TW_ENDS_UNLESS_TRUE = false; /* set when all callbacks have returned */
    while (state->told_in_use < use) {
        if (state->telling)
            tw_sleep_locked(&state->told, NULL);
        else
            tell_locked(buffer);
    }
    returned = true;
}

void tw_storage_begin_locked(const struct tw_use *uses, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (tw_buffer_of(uses[i].data)->storage && tw_buffer_of(uses[i].data)->storage->active++ == 0)
            ++tw_buffer_of(uses[i].data)->storage->uses;
    for (size_t i = 0; i < count; ++i)
        if (tw_buffer_of(uses[i].data)->storage)
            await_in_use_locked(tw_buffer_of(uses[i].data));
}

void tw_storage_abandon_locked(const struct tw_use *uses, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (tw_buffer_of(uses[i].data)->storage && --tw_buffer_of(uses[i].data)->storage->active == 0)
            post_locked(tw_buffer_of(uses[i].data));
}

void tw_storage_tell(void)
{
    TW_DEFER_CANCELLATION;
    bool returned TW_ENDS_UNLESS_TRUE = false; /* set when all callbacks have returned */
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
    returned = true;
}

static void settle(void)
{
    tw_lock();
    while (tellers)
        tw_sleep_locked(&all_told, NULL);
    tw_unlock();
}

/* ---- the end of a buffer ----------------------------------------------------------------------------------------- */

static struct tw_command *unfinished_last(const void *what)
{
    const struct tw_buffer *buffer = what;
    struct tw_command *last = buffer->storage->last;
    return !last || last->acquired || last->complete ? NULL : last;
}

/* Submits the host access that copies the contents home. end_last_locked() ends it, once destroy() has returned. */
static tw_status submit_last_locked(struct tw_buffer *buffer, struct tw_command *command)
{
    buffer->storage->last = command;
    ++command->references; /* for `last`: another thread may end the access before this call returns */
    ++buffer->uses;
    const tw_status status = tw_command_submit_locked(command);
    if (status != TW_SUCCESS) {
        buffer->storage->last = NULL;
        tw_command_release_locked(command);
        tw_buffer_unuse_locked(buffer);
    }
    return status;
}

/* Does the part of the destruction that can be refused. */
static tw_status prepare_last(struct tw_buffer *buffer)
{
    if (!buffer->storage->storage.final_data)
        return TW_SUCCESS;
    tw_status status = tw_data_allocate(&buffer->data, 0);
    if (status != TW_SUCCESS)
        return status;
    struct tw_command *command = tw_host_access_create(&buffer->data, &buffer->data.whole, true, true);
    if (!command)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to bring the buffer's contents to the host");
    tw_lock();
    if (tw_buffer_has_contents_locked(buffer))
        status = submit_last_locked(buffer, command);
    tw_command_release_locked(command);
    tw_unlock();
    return status;
}

bool tw_storage_destroy(struct tw_buffer *buffer, tw_status *status)
{
    struct tw_storage_state *state = buffer->storage;
    TW_DEFER_CANCELLATION;
    *status = prepare_last(buffer); /* before destroy(), which is called once */
    if (*status != TW_SUCCESS)
        return false;
    tw_storage_tell();
    call(state->storage.destroy, state->storage.user);
    tw_lock();
    const bool busy = state->active > 0;
    state->destroyed = true;
    post_locked(buffer);
    if (!busy)
        tw_wait_locked(unfinished_last, buffer, NULL, NULL);
    tw_unlock();
    tw_storage_tell();
    tw_lock();
    while (!busy && !state->told_all) /* another thread makes the calls */
        tw_sleep_locked(&state->told, NULL);
    *status = busy ? TW_SUCCESS : state->status;
    tw_unlock();
    if (*status != TW_SUCCESS)
        tw_fail(*status, "the contents of the buffer did not come to where its storage wants them");
    return true;
}

/* Returns true if the contents of a destroyed buffer wait for a host accessor that this thread holds. */
static bool would_deadlock(const struct tw_buffer *buffer)
{
    tw_lock();
    const struct tw_command *last = buffer->storage->last;
    const unsigned long mark = tw_mark_own_accesses_locked();
    const bool waits = mark && last && last->body.node.mark == mark;
    tw_unlock();
    return waits;
}

static void free_state(struct tw_storage_state *state)
{
    pthread_cond_destroy(&state->told);
    free(state);
}

static const struct tw_buffer_storage hooks = {ready_locked, complete_locked, free_state};

/* ---- creation ---------------------------------------------------------------------------------------------------- */

/* Asks the storage for host memory and initial contents, and gives them to the buffer. */
static tw_status place_contents(struct tw_buffer *buffer, const tw_storage *storage)
{
    TW_DEFER_CANCELLATION;
    bool returned TW_ENDS_UNLESS_TRUE = false;
    void *host = storage->host_data ? storage->host_data(storage->user) : NULL;
    const void *initial = storage->initial_data ? storage->initial_data(storage->user) : NULL;
    returned = true;
    if (host && buffer->data.bytes)
        atomic_store(&buffer->data.allocations[0].address, host);
    const tw_status status = initial ? tw_data_allocate(&buffer->data, 0) : TW_SUCCESS;
    if (status == TW_SUCCESS && initial && initial != host && buffer->data.bytes)
        memcpy(atomic_load(&buffer->data.allocations[0].address), initial, buffer->data.bytes);
    buffer->data.allocations[0].valid = initial && buffer->data.bytes;
    return status;
}

static tw_status attach(struct tw_buffer *buffer, const tw_storage *storage)
{
    tw_status status = tw_device_needs_worker(tw_host_device()); /* it copies the contents home */
    if (status == TW_SUCCESS)
        status = tw_async_storage_attach(storage, buffer, would_deadlock);
    if (status != TW_SUCCESS)
        return status;
    struct tw_storage_state *state = calloc(1, sizeof *state);
    status =
        state ? place_contents(buffer, storage) : tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a buffer's storage");
    if (status != TW_SUCCESS) {
        tw_async_storage_detach(storage);
        free(state);
        return status;
    }
    state->storage = *storage;
    pthread_cond_init(&state->told, NULL);
    buffer->storage = state;
    buffer->storage_of = &hooks;
    atomic_store_explicit(&buffer->lent, true, memory_order_relaxed);
    buffer->data.stays = true;
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
    if (storage->bytes && storage->bytes != buffer->data.bytes)
        status = tw_fail(TW_ERROR_INVALID_RANGE, "the storage has %zu bytes, the buffer %zu", storage->bytes,
                         buffer->data.bytes);
    else
        status = attach(buffer, storage);
    if (status == TW_SUCCESS) {
        *result = buffer;
        return status;
    }
    char detail[256];
    const tw_native_code native = tw_error_native_code();
    snprintf(detail, sizeof detail, "%s", tw_error_detail());
    tw_buffer_drop(buffer);
    return tw_fail_native(tw_fail(status, "%s", detail), native.api, native.code);
}
