/* SPDX-License-Identifier: Apache-2.0 */
/* The library's own storage object (spec 3.6.3.1), built on the public callbacks. It knows its buffer for two checks
   only: a storage serves one buffer, and no thread waits for itself. */
#include "async_storage.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/cancellation.h"
#include "base/detail.h"
#include "base/process.h"

struct tw_async_storage {
    tw_storage storage;
    void *data;
    void (*free_data)(void *data);
    pthread_mutex_t mutex; /* protects the members below */
    pthread_cond_t changed;
    tw_status status;
    bool released;                      /* tw_async_storage_destroy() does not wait */
    bool attached, destroyed, finished; /* states of the buffer, in this order */
    bool dropped;                       /* the program has destroyed the storage */
    struct tw_buffer *buffer;           /* not counted; set from `attached` to `finished` */
    bool (*would_deadlock)(const struct tw_buffer *buffer);
};

/* ---- callbacks --------------------------------------------------------------------------------------------------- */

static void *data_of(void *user)
{
    return ((struct tw_async_storage *)user)->data;
}

static const void *contents_of(void *user)
{
    return data_of(user);
}

static void destroyed(void *user)
{
    struct tw_async_storage *storage = user;
    pthread_mutex_lock(&storage->mutex);
    storage->destroyed = true;
    pthread_mutex_unlock(&storage->mutex);
}

static void delete(struct tw_async_storage *storage)
{
    if (storage->free_data)
        storage->free_data(storage->data);
    pthread_cond_destroy(&storage->changed);
    pthread_mutex_destroy(&storage->mutex);
    free(storage);
}

static void finished(void *user, tw_status status)
{
    struct tw_async_storage *storage = user;
    pthread_mutex_lock(&storage->mutex);
    storage->finished = true;
    storage->buffer = NULL;
    storage->status = status;
    const bool last = storage->dropped;
    pthread_cond_broadcast(&storage->changed);
    pthread_mutex_unlock(&storage->mutex);
    if (last)
        delete (storage);
}

/* ---- its buffer -------------------------------------------------------------------------------------------------- */

/* Returns NULL if the callbacks are the program's own. */
static struct tw_async_storage *async_storage_of(const tw_storage *storage)
{
    return storage->finished == finished ? storage->user : NULL;
}

tw_status tw_async_storage_attach(const tw_storage *callbacks, struct tw_buffer *buffer,
                                  bool (*would_deadlock)(const struct tw_buffer *buffer))
{
    struct tw_async_storage *storage = async_storage_of(callbacks);
    if (!storage)
        return TW_SUCCESS;
    pthread_mutex_lock(&storage->mutex);
    const bool is_taken = storage->attached;
    if (!is_taken) {
        storage->buffer = buffer;
        storage->would_deadlock = would_deadlock;
    }
    storage->attached = true;
    pthread_mutex_unlock(&storage->mutex);
    return is_taken ? tw_fail(TW_ERROR_BUSY, "the storage serves a buffer or image already; each needs one of its own")
                    : TW_SUCCESS;
}

void tw_async_storage_detach(const tw_storage *callbacks)
{
    struct tw_async_storage *storage = async_storage_of(callbacks);
    if (!storage)
        return;
    pthread_mutex_lock(&storage->mutex);
    storage->attached = false;
    storage->buffer = NULL;
    pthread_mutex_unlock(&storage->mutex);
}

/* ---- the object -------------------------------------------------------------------------------------------------- */

static tw_status create(void *data, size_t bytes, void (*free_data)(void *), tw_async_storage **result)
{
    struct tw_async_storage *storage = calloc(1, sizeof *storage);
    if (!storage)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a storage");
    storage->storage = (tw_storage){.user = storage,
                                    .bytes = bytes,
                                    .host_data = data_of,
                                    .initial_data = contents_of,
                                    .final_data = data_of,
                                    .destroy = destroyed,
                                    .finished = finished};
    storage->data = data;
    storage->free_data = free_data;
    pthread_mutex_init(&storage->mutex, NULL);
    pthread_cond_init(&storage->changed, NULL);
    *result = storage;
    return TW_SUCCESS;
}

tw_status tw_async_storage_create_over(void *data, size_t bytes, void (*free_data)(void *), tw_async_storage **result)
{
    if (!data || !bytes || !result)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "a storage needs memory, bytes and a place to be stored at");
    return create(data, bytes, free_data, result);
}

tw_status tw_async_storage_create(size_t bytes, tw_async_storage **result)
{
    enum { ALIGNMENT = 128 };
    if (!bytes || !result)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "a storage needs bytes and a place to be stored at");
    void *data =
        bytes > SIZE_MAX / 2 ? NULL : aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (!data)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no host memory for a storage of %zu bytes", bytes);
    const tw_status status = create(data, bytes, free, result);
    if (status != TW_SUCCESS) {
        free(data);
        return status;
    }
    (*result)->released = true;
    (*result)->storage.initial_data = NULL;
    return status;
}

const tw_storage *tw_async_storage_get(const tw_async_storage *storage)
{
    return storage ? &storage->storage : NULL;
}

void *tw_async_storage_data(const tw_async_storage *storage)
{
    return storage ? storage->data : NULL;
}

void tw_async_storage_release(tw_async_storage *storage)
{
    if (!storage || tw_is_forked)
        return;
    pthread_mutex_lock(&storage->mutex);
    storage->released = true;
    pthread_cond_broadcast(&storage->changed);
    pthread_mutex_unlock(&storage->mutex);
}

tw_status tw_async_storage_destroy(tw_async_storage **handle)
{
    if (!handle || !*handle)
        return TW_SUCCESS;
    struct tw_async_storage *storage = *handle;
    const tw_status usable = tw_check_process();
    if (usable != TW_SUCCESS)
        return usable;
    TW_DEFER_CANCELLATION;
    pthread_mutex_lock(&storage->mutex);
    if (storage->attached && !storage->destroyed) {
        pthread_mutex_unlock(&storage->mutex);
        return tw_fail(TW_ERROR_BUSY, "the storage's buffer or image still exists");
    }
    if (storage->buffer && !storage->released && storage->would_deadlock(storage->buffer)) {
        pthread_mutex_unlock(&storage->mutex);
        return tw_fail(
            TW_ERROR_WOULD_DEADLOCK,
            "the storage's contents wait for a host accessor that this thread holds; release that one first");
    }
    while (storage->attached && !storage->finished && !storage->released)
        pthread_cond_wait(&storage->changed, &storage->mutex);
    const bool over = !storage->attached || storage->finished;
    const tw_status status = over && storage->attached ? storage->status : TW_SUCCESS;
    storage->dropped = true;
    pthread_mutex_unlock(&storage->mutex);
    *handle = NULL;
    if (over)
        delete (storage);
    return status == TW_SUCCESS ? status : tw_fail(status, "the contents did not come to the storage's memory");
}
